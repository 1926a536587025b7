// Lets Node read the sources: `node --import ./test/typescript.mjs --test test/*.test.mjs`, in
// www/.
import { register } from "node:module";

register("./hooks.mjs", import.meta.url);
// What modules look for when they are loaded, and Node 20 has not.
globalThis.navigator ??= { hardwareConcurrency: 4 };
