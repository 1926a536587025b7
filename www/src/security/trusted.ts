// The addresses of scripts that the page may start under Trusted Types: the worker, from a blob
// that the page has made, a sandbox, from an address that is its text, and the service worker. The
// page's policy allows no other policy, and refuses markup from text everywhere.

interface Factory {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): object };
}

/** The addresses of sandboxes that the page has made, until they have started. */
const sandboxes = new Set<string>();

const isOwn = (url: string): boolean =>
  sandboxes.has(url) ||
  url.startsWith(`blob:${location.origin}/`) ||
  url === new URL("sw.js", document.baseURI).href;

const policy = (globalThis as { trustedTypes?: Factory }).trustedTypes?.createPolicy("schedscope", {
  createScriptURL(url) {
    if (!isOwn(url)) throw new TypeError(`${url} is no script of the page's`);
    return url;
  },
});

/**
 * Returns an address for `Worker` and `register`; plain text if the browser has no Trusted Types.
 */
export const scriptUrl = (url: string | URL): string =>
  policy ? (policy.createScriptURL(String(url)) as unknown as string) : String(url);

/** Returns an address for `Worker` that is the text of its module. Its worker has no origin. */
export function textScriptUrl(text: string): string {
  const url = textUrl(text);
  sandboxes.add(url);
  try {
    return scriptUrl(url);
  } finally {
    sandboxes.delete(url);
  }
}

/** Returns the address of a module with this text. */
export const textUrl = (text: string): string =>
  `data:text/javascript;charset=utf-8,${encodeURIComponent(text)}`;
