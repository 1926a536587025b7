// A service worker gets its policy from a header of its own script, which a static host may not
// send. This file therefore closes the unneeded ways out: all ways to other hosts.

const WAYS = [
  "WebSocket",
  "WebSocketStream",
  "WebTransport",
  "EventSource",
  "XMLHttpRequest",
  "RTCPeerConnection",
  "RTCDataChannel",
  "importScripts",
];

/** Lets this worker fetch only from its own origin, and closes every other way out. */
export function closed(): void {
  for (const name of WAYS)
    if (name in globalThis)
      Object.defineProperty(globalThis, name, {
        value: undefined,
        writable: false,
        configurable: false,
      });
  const fetched = globalThis.fetch.bind(globalThis);
  const own = (wanted: RequestInfo | URL, options?: RequestInit): Promise<Response> => {
    const { url, origin } = { url: new Request(wanted, options).url, origin: location.origin };
    return new URL(url).origin === origin
      ? fetched(wanted, options)
      : Promise.reject(new TypeError(`${url} is of another origin`));
  };
  Object.defineProperty(globalThis, "fetch", { value: own, writable: false, configurable: false });
}
