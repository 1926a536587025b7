// The worker that holds the open trace. It answers questions about the workload, and gives other
// workers the trace, which they take faster than they read its file.
import * as Comlink from "comlink";
import type { Source } from "../engine/protocol";
import { ask, type Hand } from "../engine/workers";

let reader: { hand: Hand; source: Source } | undefined;

/** Replaces the worker that holds the open trace. */
export function keepReader(hand: Hand, source: Source): void {
  reader?.hand.stop();
  reader = { hand, source };
}

export const hasReader = (): boolean => reader !== undefined;

/** Asks the worker that holds the open trace. */
export const askReader = <T>(work: (engine: Hand["engine"]) => Promise<T>): Promise<T> =>
  reader
    ? ask(reader.hand, work)
    : Promise.reject({
        what: "No trace is open.",
        why: "This question needs a trace.",
        next: "Open a trace first.",
      });

/**
 * Gives a worker the open trace, piece by piece. Throws if the trace's file has changed since it was
 * opened, as reading it would. Returns false if the source is another one or has demands, or if the
 * worker that holds the trace has failed: then the file must be read.
 */
export async function giveTrace(source: Source, to: Hand, alive: () => void): Promise<boolean> {
  const from = reader;
  if (from?.source !== source) return false;
  if (source.kind === "file") await source.file.slice(0, 1).arrayBuffer();
  const piece = (at: number) =>
    Promise.race([from.hand.engine.piece(at), from.hand.failed]).catch(() => undefined);
  let next = piece(0);
  for (let at = 0; ; at += 1) {
    const given = await next;
    if (!given) return given === null && at > 0;
    // The next piece is made while this one is taken.
    next = piece(at + 1);
    await to.engine.takePiece(at, Comlink.transfer(given, [given.buffer]));
    alive();
  }
}
