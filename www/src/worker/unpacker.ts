// Unpacks zstd, xz, bzip2, zip and Parquet with the decoders of the command line: a wasm file of its own, which
// loads with the first such file.
import init, { Unpacker } from "schedscope-unpack";
import type { Unpacking } from "../engine/protocol";

let program: Unpacking | undefined;

let ready: Promise<unknown> | undefined;

/** Sets where the wasm file comes from. */
export function unpackWith(given: Unpacking): void {
  program = given;
}

/**
 * Returns what `act` returns. A decoder that meets data which it does not expect, or that finds no
 * memory, stops at once: WebAssembly has no exceptions for that.
 */
function trapped<T>(file: File, act: () => T): T {
  try {
    return act();
  } catch (error) {
    // A stack that is too deep is a RangeError.
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    throw {
      what: `${file.name} cannot be unpacked.`,
      why: "It is damaged or cut short, or it needs more memory than a page has.",
      next: "Download it again, unpack it first, or use the command line.",
    };
  }
}

/** Unpacks a file that begins with the bytes `start`. Throws a Problem. */
export async function* unpackOther(
  file: File,
  start: Uint8Array,
  progress: { read: number },
): AsyncGenerator<Uint8Array> {
  ready ??= Promise.resolve(program?.()).then((module) => init({ module_or_path: module! }));
  // Without the network, the reader may try again.
  ready.catch(() => (ready = undefined));
  await ready;
  // The decoders ask for bytes and cannot wait, so the file is read at once.
  const reader = new FileReaderSync();
  const read = (from: number, count: number) => {
    const bytes = new Uint8Array(reader.readAsArrayBuffer(file.slice(from, from + count)));
    progress.read = Math.max(progress.read, from + bytes.length);
    return bytes;
  };
  const unpacker = trapped(file, () => new Unpacker(file.name, file.size, start, read));
  const next = () => trapped(file, () => unpacker.next());
  try {
    for (let bytes = next(); bytes.length > 0; bytes = next()) yield bytes;
  } finally {
    try {
      unpacker.free();
    } catch {
      // A decoder that has stopped keeps its memory.
    }
  }
}
