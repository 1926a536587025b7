// The parts of the browser that the engine's own code in a sandbox uses. The bundle takes these
// in place of the globals of the same names, because `sealed.ts` takes those away from the code of
// policies.

/** Returns a copy that later changes of the original do not reach. */
const copy = <T extends object>(of: T): T =>
  Object.defineProperties({}, Object.getOwnPropertyDescriptors(of)) as T;

const {
  Blob: KeptBlob,
  Date: KeptDate,
  DecompressionStream: KeptDecompressionStream,
  FileReaderSync: KeptFileReaderSync,
  FinalizationRegistry: KeptFinalizationRegistry,
  Intl: KeptIntl,
  MessageChannel: KeptMessageChannel,
  Promise: KeptPromise,
  TextDecoder: KeptTextDecoder,
  TextEncoder: KeptTextEncoder,
  console: keptConsole,
  navigator: keptNavigator,
  performance: keptPerformance,
} = globalThis as typeof globalThis & { FileReaderSync: typeof FileReaderSync };

const keptMath = copy(Math);
const keptWebAssembly = copy(WebAssembly);
const keptSetTimeout = globalThis.setTimeout.bind(globalThis);

/** Names that generated code asks for, and that nobody shall answer. */
const none = undefined;

export {
  KeptBlob as Blob,
  KeptDate as Date,
  KeptDecompressionStream as DecompressionStream,
  KeptFileReaderSync as FileReaderSync,
  KeptFinalizationRegistry as FinalizationRegistry,
  KeptIntl as Intl,
  KeptMessageChannel as MessageChannel,
  KeptPromise as Promise,
  KeptTextDecoder as TextDecoder,
  KeptTextEncoder as TextEncoder,
  keptConsole as console,
  keptMath as Math,
  keptNavigator as navigator,
  keptPerformance as performance,
  keptSetTimeout as setTimeout,
  keptWebAssembly as WebAssembly,
  none as Request,
  none as Response,
  none as URL,
  none as fetch,
  none as global,
  none as self,
  none as window,
};
