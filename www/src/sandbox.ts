// Entry point of a worker that runs code of own policies. The page starts it without an origin
// (engine/workers.ts), and imports the policies after this file. By then nothing is left that could
// reach a network, stored data or the page.
import "./security/shut";
import { ABSENT, makeExact } from "schedscope/policy";
import { seal } from "./security/sealed";
import * as own from "./worker/own";
import { serve, tellFailure } from "./worker/serve";
import { whole } from "./worker/whole";

// An error of code that loads is told in a few words: the browser would carry any length.
addEventListener("error", (event) => {
  event.preventDefault();
  tellFailure(event);
});
makeExact(globalThis, own.exact);
seal(Object.keys(ABSENT));

/** Takes the modules of policies by their files, and answers the page. */
export default function begin(modules: Record<string, unknown>): void {
  own.admit(modules);
  serve(whole, own);
}
