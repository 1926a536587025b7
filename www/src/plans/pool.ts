// Workers that run cells: a given number at a time, paused and cancelled at once, replaced when
// they crash.

import * as Comlink from "comlink";
import type { CellResult, Problem } from "schedscope";
import type { CellWork, PolicyCode } from "../engine/protocol";
import { type Hand, hire, PATIENCE, Silent, Stopped, watched } from "../engine/workers";
import { asProblem } from "../format/problem";

/** Number of times that a cell starts again after its worker has died. */
const RETRIES = 1;

interface Watcher {
  /** Receives the share of a cell that is done. */
  progress(key: string, share: number): void;
  done(result: CellResult): void;
  failed(key: string, problem: Problem): void;
  /** Receives the key of a cell whose worker was replaced. */
  replaced(key: string): void;
}

const isProblem = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "what" in error;

/** True if the worker is unusable. */
const isCrash = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "isCrash" in error;

export class Pool {
  private readonly hands = new Set<Hand>();
  private held = false;
  private stopped = false;
  private wake: (() => void)[] = [];
  /** Number of cells that run now. */
  active = 0;

  constructor(
    private readonly queue: CellWork[],
    private readonly workers: number,
    /** The code of own policies in the cells. */
    private readonly own: PolicyCode[],
    private readonly watcher: Watcher,
  ) {}

  /**
   * Runs all cells. Resolves when the last cell has finished or failed, or when the pool was
   * stopped.
   */
  async run(): Promise<void> {
    await Promise.all(
      Array.from({ length: Math.min(this.workers, this.queue.length) }, () => this.work()),
    );
  }

  pause(held: boolean): void {
    this.held = held;
    for (const hand of this.hands) void hand.engine.hold(held);
    if (!held) for (const wake of this.wake.splice(0)) wake();
  }

  /** Drops waiting cells that are not among these. */
  keep(keys: ReadonlySet<string>): void {
    this.queue.splice(0, this.queue.length, ...this.queue.filter((cell) => keys.has(cell.key)));
  }

  /** Abandons the running cells. */
  stop(): void {
    this.stopped = true;
    this.queue.length = 0;
    for (const hand of this.hands) hand.stop();
    for (const wake of this.wake.splice(0)) wake();
  }

  private async work(): Promise<void> {
    let hand: Hand | undefined;
    for (;;) {
      while (this.held && !this.stopped)
        await new Promise<void>((resolve) => this.wake.push(resolve));
      const cell = this.queue.shift();
      if (!cell || this.stopped) break;
      this.active += 1;
      for (let attempt = 0; ; attempt += 1) {
        try {
          hand ??= await this.start();
          if (this.stopped) break;
          this.watcher.done(await this.simulate(hand, cell));
          break;
        } catch (error) {
          if (this.stopped || (error instanceof Stopped && attempt > RETRIES)) break;
          // A fault that the simulator finds in the cell is final. A worker that died may have had
          // another cause.
          // Code that does not return would not return again.
          const isEndless = error instanceof Silent && this.own.length > 0;
          const isFinal = isProblem(error) || isEndless || attempt >= RETRIES;
          if (!isProblem(error) || isCrash(error)) {
            this.dismiss(hand);
            hand = undefined;
          }
          if (isFinal) {
            this.watcher.failed(cell.key, await reason(error, this.own));
            break;
          }
          this.watcher.replaced(cell.key);
        }
      }
      this.active -= 1;
    }
    this.dismiss(hand);
  }

  private async start(): Promise<Hand> {
    const hand = await hire({ own: this.own, isWhole: true });
    this.hands.add(hand);
    if (this.stopped) hand.stop();
    else if (this.held) void hand.engine.hold(true);
    return hand;
  }

  private dismiss(hand: Hand | undefined): void {
    if (!hand) return;
    this.hands.delete(hand);
    hand.stop();
  }

  private simulate(hand: Hand, cell: CellWork): Promise<CellResult> {
    return watched(hand, (alive) =>
      hand.engine.cell(
        cell,
        Comlink.proxy((share) => {
          // The last report comes before measuring, which is silent.
          alive(share >= 1 || share === 0 ? PATIENCE : undefined);
          this.watcher.progress(cell.key, share);
        }),
      ),
    );
  }
}

async function reason(error: unknown, own: PolicyCode[]): Promise<Problem> {
  if (error instanceof Silent && own.length > 0)
    return (await import("../engine/sandboxes")).endless(error.seconds, own, undefined);
  if (error instanceof Silent)
    return {
      what: `The worker of this cell was silent for ${error.seconds} s, for the second time.`,
      why: "It sent no progress and no sign of life. It hangs, or the browser ended it, for example because memory is short.",
      next: "Use fewer workers, or run the plan with the command line.",
    };
  return asProblem(error);
}
