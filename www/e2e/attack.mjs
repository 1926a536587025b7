// A policy that tries to reach what is not its own. Its summary lists what it found while it loaded,
// and its log what it could change later.
export const ATTACKER = `
const found = [];
const attempt = (name, act) => {
  try {
    const value = act();
    if (value !== undefined) found.push(name);
  } catch {}
};
const NAMES = "fetch XMLHttpRequest WebSocket WebSocketStream WebTransport EventSource importScripts Worker SharedWorker indexedDB caches BroadcastChannel navigator location postMessage addEventListener dispatchEvent onmessage onerror MessageChannel MessagePort MessageEvent Event EventTarget Blob File URL Request Response FileReader FileReaderSync crypto performance Date console structuredClone queueMicrotask setTimeout setInterval requestAnimationFrame OffscreenCanvas WebAssembly createImageBitmap self window origin isSecureContext trustedTypes scheduler cookieStore storage Notification FontFace Intl Atomics SharedArrayBuffer WeakRef FinalizationRegistry reportError close RTCPeerConnection Temporal TextDecoder WorkerGlobalScope DedicatedWorkerGlobalScope".split(" ");
for (const name of NAMES) attempt(name, () => globalThis[name]);
// What the chain of the global object still gives.
for (let at = Object.getPrototypeOf(globalThis); at && at !== Object.prototype; at = Object.getPrototypeOf(at))
  for (const key of Reflect.ownKeys(at)) attempt("inherited " + String(key), () => (at[key] instanceof Object ? at[key] : undefined));
attempt("Function", () => Function("return 1")());
attempt("eval", () => (0, eval)("1"));
attempt("generator constructor", () => (function* () {}).constructor("yield 1")());
// Names that mean something else for the engine, or for a message to the page.
const assigned = (name, object, key, value = () => {}) =>
  attempt(name, () => {
    const was = object[key];
    object[key] = value;
    return object[key] === was ? undefined : true;
  });
assigned("a method of arrays", Array.prototype, "push");
assigned("a method of maps", Map.prototype, "get");
assigned("a new member of objects", Object.prototype, "then");
assigned("toString", Object.prototype, "toString");
assigned("__proto__", Object.prototype, "__proto__", {});
assigned("the iterator of arrays", Array.prototype, Symbol.iterator);
assigned("an array iterator", Object.getPrototypeOf([][Symbol.iterator]()), "next");
assigned("exp", Math, "exp");
assigned("round", Math, "round");
assigned("JSON", JSON, "parse");
assigned("Reflect", Reflect, "get");
assigned("stacks", Error, "prepareStackTrace");
assigned("the global Map", globalThis, "Map");
assigned("typed arrays", Object.getPrototypeOf(Uint8Array.prototype), "set");
assigned("functions", Function.prototype, "call");
assigned("functions' bind", Function.prototype, "bind");
// Names that nobody has now, and that the engine or the browser would look for.
let sender = globalThis;
while (Object.getPrototypeOf(sender) !== Object.prototype) sender = Object.getPrototypeOf(sender);
assigned("a method of ports", sender, "addEventListener");
assigned("a class that the engine asks about", globalThis, "Response");
assigned("a new name", globalThis, "mine");
assigned("the last match", RegExp, "input", "mine");
assigned("what promises are", Object.getPrototypeOf(sender), "mine");
for (const [name, helper] of Object.entries({
  "an iterator helper": () => [].values().map((x) => x),
  "a wrapped iterator": () => Iterator.from({ next: () => ({ done: true }) }),
}))
  attempt(name, () => {
    const prototype = Object.getPrototypeOf(helper());
    prototype.mine = 1;
    return prototype.mine;
  });
attempt("Promise", () => Promise);
attempt("lists that wait", () => Array.fromAsync);
attempt("the reader's language", () => "a".localeCompare("b"));
attempt("the reader's numbers", () => (1234.5).toLocaleString());
attempt("a changed global", () => (Object.defineProperty(globalThis, "Array", { value: 1 }), true));
attempt("delete", () => (delete globalThis.Object, typeof Object === "function" ? undefined : true));
export default {
  id: "attacker",
  summary: found.join(", ") || "nothing",
  begin: () => ({ told: false }),
  decide(turn, state) {
    if (!state.told) {
      state.told = true;
      const proto = Object.getPrototypeOf(turn);
      for (const [name, object, key] of [
        ["the turn's class", proto, "start"],
        ["the turn's constructor", proto, "constructor"],
        ["the job's class", Object.getPrototypeOf(turn.queue.head), "start"],
        ["the settings", turn.settings, "policy_seed"],
      ]) {
        try { object[key] = 1; turn.log("changed " + name); } catch {}
      }
      turn.log("told");
    }
    for (const job of turn.queue) if (!job.start()) break;
  },
};`;
