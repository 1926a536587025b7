// The worker that holds the open trace. It answers questions about the workload, and gives other
// workers the trace, which they take faster than they read its file.
import * as Comlink from "comlink";
import type { Source } from "../engine/protocol";
import { ask, type Hand, hire, watched } from "../engine/workers";

/** Milliseconds to wait for a piece. The worker may be busy or dead; to read the file helps then. */
const LATE = 4000;

interface Reader {
  hand: Hand;
  source: Source;
  /** True if only the whole engine reads the source. */
  needsWhole: boolean;
  /** True if a piece was late, until it comes. */
  isLate: boolean;
}

let reader: Reader | undefined;

/** Replaces the worker that holds the open trace. */
export function keepReader(hand: Hand, source: Source, needsWhole: boolean): void {
  reader?.hand.stop();
  reader = { hand, source, needsWhole, isLate: false };
}

/** True if only the whole engine reads the source of the open trace. */
export const needsWhole = (source: Source): boolean =>
  reader?.source === source && reader.needsWhole;

export const hasReader = (): boolean => reader !== undefined;

/** Asks the worker that holds the open trace, once it is no longer being exchanged. */
export async function askReader<T>(work: (engine: Hand["engine"]) => Promise<T>): Promise<T> {
  await exchange;
  if (reader) return ask(reader.hand, work);
  throw {
    what: "No trace is open.",
    why: "This question needs a trace.",
    next: "Open a trace first.",
  };
}

/**
 * Gives a worker the open trace, piece by piece. Throws if the trace's file has changed since it was
 * opened, as reading it would. Returns false if the source is another one or has demands, or if the
 * worker that holds the trace has failed or is late: then the file must be read.
 */
export async function giveTrace(source: Source, to: Hand, alive: () => void): Promise<boolean> {
  const from = reader;
  if (from?.source !== source || from.isLate) return false;
  if (source.kind === "file") await source.file.slice(0, 1).arrayBuffer();
  let next = piece(from, 0);
  for (let at = 0; ; at += 1) {
    const given = await next;
    if (!given) return given === null && at > 0;
    // The next piece is made while this one is taken.
    next = piece(from, at + 1);
    await to.engine.takePiece(at, Comlink.transfer(given, [given.buffer]));
    alive();
  }
}

/** The exchange of the worker that holds the open trace, while there is one. It never rejects. */
let exchange: Promise<void> | undefined;

/**
 * Gives the open trace to a worker with the whole engine, which holds it from then on. Rejects if the
 * trace cannot be read again.
 */
export async function holdInWhole(): Promise<void> {
  for (;;) {
    await exchange;
    const from = reader;
    if (!from || from.hand.isWhole) return;
    // Another trace may be opened meanwhile, whose worker has to be exchanged then.
    const exchanged = exchangeFor(from);
    exchange = exchanged.catch(() => {}).finally(() => (exchange = undefined));
    await exchanged;
  }
}

async function exchangeFor(from: Reader): Promise<void> {
  const hand = await hire({ isWhole: true });
  try {
    await watched(hand, async (alive) => {
      if (!(await giveTrace(from.source, hand, alive)))
        await hand.engine.load(
          from.source,
          Comlink.proxy(() => alive()),
        );
    });
  } catch (error) {
    hand.stop();
    // Another trace was opened meanwhile.
    if (reader !== from) return;
    throw error;
  }
  if (reader === from) keepReader(hand, from.source, from.needsWhole);
  else hand.stop();
}

/** Returns a piece of the trace; null after the last one, undefined if the worker fails or is late. */
async function piece(
  from: Reader,
  at: number,
): Promise<Uint8Array<ArrayBuffer> | null | undefined> {
  const made = Promise.race([from.hand.engine.piece(at), from.hand.failed]).catch(() => undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      from.isLate = true;
      void made.then(() => (from.isLate = false));
      resolve(undefined);
    }, LATE);
  });
  const given = await Promise.race([made, late]);
  clearTimeout(timer);
  return given;
}
