// Replaces the modules of the engine by modules that do nothing, for tests of the workers' own rules. A test calls
// `register("./engineless.mjs", import.meta.url)`, and then imports the sources of the workers.

const MODULES = {
  schedscope: `
    export class Hasher { push() {} finish() { return ""; } }
    export class Trace { static fromText() { return new Trace(); } withDemands() { return this; } free() {} }
    export class TraceReader {}
    export const definePolicy = (definition) => definition;
    export const isSwf = () => true;
    export const PolicyCalls = {};`,
  // The module of a policy gets the function that takes the lines of its log.
  "schedscope/policy": `
    export function prepare(_calls, module, { log }) {
      module.log = log;
      return { definition: { id: "own" } };
    }`,
  "schedscope/compiled": `
    export const rawCalls = () => ({});
    export const prepareCompiled = () => ({ definition: { id: "own" } });`,
  "schedscope-unpack": `
    export default () => {};
    export class Unpacker {}`,
};

export function resolve(specifier, context, next) {
  if (!Object.hasOwn(MODULES, specifier)) return next(specifier, context);
  const url = `data:text/javascript,${encodeURIComponent(MODULES[specifier])}`;
  return { url, format: "module", shortCircuit: true };
}
