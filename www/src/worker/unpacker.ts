// Unpacks zstd, xz, bzip2 and zip with the decoders of the command line: a wasm file of its own, which
// loads with the first such file.
import init, { Unpacker } from "schedscope-unpack";
import type { Unpacking } from "../engine/protocol";

let program: Unpacking | undefined;

let ready: Promise<unknown> | undefined;

/** Sets where the wasm file comes from. */
export function unpackWith(given: Unpacking): void {
  program = given;
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
  const unpacker = new Unpacker(file.name, file.size, start, read);
  try {
    for (let bytes = unpacker.next(); bytes.length > 0; bytes = unpacker.next()) yield bytes;
  } finally {
    unpacker.free();
  }
}
