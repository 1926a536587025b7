// Lets Node read the sources: `node --import ./test/typescript.mjs --test test/*.test.mjs`, in
// www/.
import { register } from "node:module";

register("./hooks.mjs", import.meta.url);
// Modules read this when they load. Node 20 has no navigator.
globalThis.navigator ??= { hardwareConcurrency: 4 };
