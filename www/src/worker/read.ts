// Reads traces inside a worker: files as they come, models, texts.
import { Hasher, isSwf, type Problem, Trace, TraceReader } from "schedscope";
import { gigabytes } from "../engine/capacity";
import { LIMITS } from "../engine/limits";
import { modelRefusal } from "../engine/memory";
import type { Reading, Source } from "../engine/protocol";
import { PACKING_BYTES, packingOf } from "./packing";
import { Damaged, TooManyMembers, unpack } from "./unpack";
import { unpackOther } from "./unpacker";

/** Milliseconds between two reports of progress. */
export const REPORT = 100;

/** A trace needs several times its text in memory, and wasm has 4 GiB. */
const LARGEST_TEXT = 1_300_000_000;

export function problem(what: string, why: string, next: string): Problem {
  return { what, why, next };
}

/** The bytes of a file, and the part of them that was read. */
async function* pieces(
  file: File,
  progress: { read: number },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      progress.read += value.byteLength;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The unpacked bytes of a file, and the part of its own bytes that was read. */
export async function* bytes(file: File, progress: { read: number }): AsyncGenerator<Uint8Array> {
  const start = new Uint8Array(await file.slice(0, PACKING_BYTES).arrayBuffer());
  const packing = packingOf(start);
  const unpacked =
    packing === "gzip"
      ? unpack(pieces(file, progress))
      : packing === "other"
        ? unpackOther(file, start, progress)
        : pieces(file, progress);
  let total = 0;
  try {
    for await (const value of unpacked) {
      total += value.byteLength;
      if (total > LARGEST_TEXT)
        throw problem(
          `${file.name} is too large: more than ${LARGEST_TEXT / 1e6} MB of text.`,
          "The file may be valid, but a browser tab has too little memory for it.",
          "Cut the log into parts, or use the command line.",
        );
      yield value;
    }
  } catch (error) {
    if (error instanceof TooManyMembers)
      throw problem(
        `${file.name} has more than ${LIMITS.gzip_members} gzip members.`,
        "The page unpacks no more, because each member takes time.",
        "Unpack it first (gunzip), or use the command line.",
      );
    if (error instanceof Damaged)
      throw problem(
        `The gzip data of ${file.name} is damaged or cut short.`,
        "A gzip file carries a checksum at its end.",
        "Download it again; `gzip -t` should pass.",
      );
    throw error;
  }
}

/** Reads a queue: jobs that have not ended are kept. */
export const takeQueue = (
  source: Extract<Source, { kind: "file" }>,
  onProgress: (reading: Reading) => void,
): Promise<Trace> => read(source, onProgress, true);

async function read(
  source: Extract<Source, { kind: "file" }>,
  onProgress: (reading: Reading) => void,
  keepsQueue = false,
): Promise<Trace> {
  const { file } = source;
  const reader = new TraceReader(source.skipBadLines, source.columns, keepsQueue);
  const hasher = new Hasher();
  const progress = { read: 0 };
  let reported = 0;
  for await (const chunk of bytes(file, progress)) {
    reader.push(chunk);
    hasher.push(chunk);
    const now = performance.now();
    if (now - reported > REPORT) {
      reported = now;
      onProgress({ read: progress.read, total: file.size, records: reader.records });
    }
  }
  return reader.finish(source.name ?? file.name, hasher.finish());
}

/** Bytes from which the engine tells the format of a file. */
const START = 1 << 16;

/** Returns the first bytes of a file, unpacked. */
export async function start(file: File): Promise<Uint8Array> {
  const start = new Uint8Array(START);
  let length = 0;
  for await (const chunk of bytes(file, { read: 0 })) {
    const part = chunk.subarray(0, START - length);
    start.set(part, length);
    length += part.length;
    if (length === START) break;
  }
  return start.subarray(0, length);
}

/** True if a file is SWF, which the first engine reads. */
export const isPlain = async (file: File): Promise<boolean> => isSwf(await start(file));

export async function take(source: Source, onProgress: (reading: Reading) => void): Promise<Trace> {
  const bare = await takeBare(source, onProgress);
  if (!source.demands) return bare;
  if (source.demands.size > LIMITS.demands_bytes)
    throw problem(
      `${source.demands.name} is too large: ${source.demands.size} bytes.`,
      `A table of demands has at most ${LIMITS.demands_bytes} bytes.`,
      "Leave out the jobs that are not in the trace.",
    );
  const table = new Uint8Array(await source.demands.arrayBuffer());
  try {
    return bare.withDemands(source.demands.name, table);
  } finally {
    bare.free();
  }
}

async function takeBare(source: Source, onProgress: (reading: Reading) => void): Promise<Trace> {
  if (source.kind === "file") return read(source, onProgress);
  if (source.kind === "text") return Trace.fromText(source.name, source.text);
  // A model that does not fit is refused before its jobs are drawn, because a link may ask for it.
  const tooLarge = modelRefusal(Number(source.settings.jobs ?? 0), gigabytes());
  if (tooLarge) throw tooLarge;
  return Trace.generate(source.model, source.settings);
}

/** Names a source; a file by its name, size and time. */
export function nameOf(source: Source): string {
  const known = (file: File | undefined) => file && [file.name, file.size, file.lastModified];
  const { demands, ...bare } = source;
  return JSON.stringify([
    bare.kind === "file" ? [known(bare.file), bare.skipBadLines, bare.name, bare.columns] : bare,
    known(demands),
  ]);
}
