// Draws a lane's pictures one at a time. Only the latest request counts.
import { processors } from "../engine/capacity";
import type { Picture, View } from "../engine/protocol";
import { pending } from "../engine/rest";
import { Silent, watched } from "../engine/workers";
import { revive } from "../lab";
import * as s from "../state";
import { styled } from "../ui/canvas";

/** Number of finished runs that draw at the same time. One processor stays free for the page. */
const AT_ONCE = Math.max(1, processors() - 1);

/**
 * Milliseconds of rest for each millisecond of drawing, while a run goes on. Its worker draws and
 * simulates in turn; without rests it would draw for half of the time.
 */
const REST = 6;

/** The longest rest in milliseconds. A picture may have waited for a long step of the policy. */
const LONGEST_REST = 2000;

let drawing = 0;

const waiting: (() => void)[] = [];

/** Waits until a finished run may draw. */
async function begin(): Promise<void> {
  if (drawing < AT_ONCE) drawing += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Lets the next run draw. */
function end(): void {
  const next = waiting.shift();
  if (next) next();
  else drawing -= 1;
}

/** True if two requests differ at most in their end, which grows while a run goes on. */
const hasGrown = (one: View, other: View): boolean =>
  JSON.stringify({ ...one, to: 0 }) === JSON.stringify({ ...other, to: 0 });

/** Draws a lane's pictures one at a time. Only the latest request counts. */
export class Painter {
  private wanted: View | undefined;
  private busy = false;
  private isOver = false;
  /** Ends the rest between two pictures of a run that goes on. */
  private wake = () => {};
  picture: Picture | undefined;
  private readonly stored = document.createElement("canvas");

  constructor(
    private readonly id: number,
    private readonly canvas: () => HTMLCanvasElement | null,
    private readonly drawn: () => void,
  ) {}

  want(view: View): void {
    if (!this.picture || !hasGrown(this.picture.view, view) || !this.goesOn()) this.wake();
    this.wanted = view;
    this.show();
    void this.pump();
  }

  /** Draws nothing from now on. */
  stop(): void {
    this.isOver = true;
    this.wanted = undefined;
    this.wake();
  }

  private goesOn(): boolean {
    const state = s.laneOf(this.id)?.state;
    return state === "loading" || state === "running";
  }

  private rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async pump(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    while (this.wanted) {
      try {
        const began = performance.now();
        const picture = await pending(this.draw());
        if (!picture || this.isOver) continue;
        this.take(picture);
        if (this.goesOn()) {
          const took = performance.now() - began;
          await this.rest(Math.min(LONGEST_REST, REST * took));
        }
      } catch (error) {
        // Other code reports a worker that was stopped, or that failed in its run.
        const lane = s.laneOf(this.id);
        if (error instanceof Silent && lane?.state === "done") revive(this.id, error);
      }
    }
    this.busy = false;
  }

  private async draw(): Promise<Picture | null | undefined> {
    // A run that goes on draws between its steps, for which the others do not wait.
    const isDone = s.laneOf(this.id)?.state === "done";
    if (isDone) await begin();
    try {
      const view = this.wanted;
      this.wanted = undefined;
      const hand = s.laneOf(this.id)?.hand;
      return hand && view && (await watched(hand, () => hand.engine.draw(view)));
    } finally {
      if (isDone) end();
    }
  }

  private take(picture: Picture): void {
    const { view } = picture;
    this.picture = picture;
    this.stored.width = view.width;
    this.stored.height = view.height;
    this.stored
      .getContext("2d")
      ?.putImageData(new ImageData(picture.pixels, view.width, view.height), 0, 0);
    s.keepPicture(this.id, picture);
    s.explainColours(picture.legend);
    this.show();
    this.drawn();
  }

  /** Shows the last picture at its place in the present window, until the next picture arrives. */
  show(): void {
    const canvas = this.canvas();
    const picture = this.picture;
    if (!canvas) return;
    const context = canvas.getContext("2d");
    if (!context) return;
    context.fillStyle = styled("--lane");
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (!picture) return;
    const [have, want] = [picture.view, s.view.value];
    const across = canvas.width / (want.to - want.from);
    const down = canvas.height / (want.bottom - want.top);
    context.imageSmoothingEnabled = false;
    context.drawImage(
      this.stored,
      (have.from - want.from) * across,
      (have.top - want.top) * down,
      (have.to - have.from) * across,
      (have.bottom - have.top) * down,
    );
  }

  clear(): void {
    this.picture = undefined;
    this.show();
  }
}
