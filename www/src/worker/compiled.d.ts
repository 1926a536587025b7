// The types of pkg/compiled.js, which the package keeps to itself.
declare module "schedscope/compiled" {
  import type { Calls, Origin, Prepared } from "schedscope/policy";
  /** Returns the engine's own functions among the exports of its module. */
  export function rawCalls(exports: Record<string, unknown>): Calls;
  /** Returns the policy of a compiled module as the engine takes it. */
  export function prepareCompiled(
    calls: Calls,
    module: WebAssembly.Module,
    origin?: Origin,
  ): Prepared;
}
