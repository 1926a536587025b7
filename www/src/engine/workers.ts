// Starts workers, and replaces those that crash or hang.
import * as Comlink from "comlink";
import type { Catalog, DoingFacts } from "schedscope";
import { scriptUrl } from "../security/trusted";
import type { Engine, Pulse, Unpacking } from "./protocol";
import { pending } from "./rest";

declare const STAMP: string;

/**
 * Milliseconds of silence, twice in a row, after which a worker counts as dead. Progress and signs
 * of life from inside a computation break the silence.
 */
const SILENCE = 8000;

/**
 * Milliseconds that a worker may be silent in work whose parts give no sign of life, such as
 * measuring.
 */
export const PATIENCE = 120_000;

export type Remote = Comlink.Remote<Engine>;

export interface Hand {
  catalog: Catalog;
  engine: Remote;
  stop(): void;
  /** Receives the worker's activity, about four times a second, during a long computation. */
  doing: Set<(doing: DoingFacts) => void>;
  /**
   * Rejects when the worker fails as a whole or is stopped. Pending questions then never get an
   * answer.
   */
  failed: Promise<never>;
}

/** Asks a worker; rejects if it fails or is stopped before it answers. */
export function ask<T>(hand: Hand, work: (engine: Remote) => Promise<T>): Promise<T> {
  return pending(Promise.race([work(hand.engine), hand.failed]));
}

/** The program and the worker lie beside this file. */
const place = (name: string) => new URL(`${name}?v=${STAMP}`, import.meta.url).href;

/** The wasm modules, each compiled once for all workers. */
const compiled = new Map<string, Promise<WebAssembly.Module>>();

function wasm(name: string): Promise<WebAssembly.Module> {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const module = fetch(place(name)).then(async (response) => {
    if (!response.ok) throw new Error(`the program could not be loaded (${response.status})`);
    // Some static hosts do not know wasm's media type. Its bytes compile anyway.
    if (response.headers.get("content-type") === "application/wasm")
      return WebAssembly.compileStreaming(response);
    return WebAssembly.compile(await response.arrayBuffer());
  });
  compiled.set(name, module);
  module.catch(() => compiled.delete(name));
  return module;
}

/** The program that unpacks rare packings, which a worker asks for when a file needs it. */
const unpacking: Unpacking = () => wasm("schedscope_unpack_bg.wasm");

let script: Promise<Blob> | undefined;

/** The worker's script, fetched once, so that later workers start without the network. */
function program(): Promise<Blob> {
  script ??= fetch(place("worker.js")).then(async (response) => {
    if (!response.ok) throw new Error(`the program could not be loaded (${response.status})`);
    return new Blob([await response.text()], { type: "text/javascript" });
  });
  script.catch(() => (script = undefined));
  return script;
}

/** Starts a worker and waits until it is ready. */
export async function hire(): Promise<Hand> {
  // A worker from a plain URL would not inherit the page's content security policy and could reach
  // other hosts. A worker from a blob inherits it.
  const url = URL.createObjectURL(await program());
  const worker = new Worker(scriptUrl(url), { type: "module" });
  let giveUp: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    giveUp = reject;
    worker.addEventListener("error", (event) =>
      reject(new Error(event.message || "the worker could not be started")),
    );
  });
  failed.catch(() => {});
  const doing: Hand["doing"] = new Set();
  worker.addEventListener("message", ({ data }: MessageEvent<Partial<Pulse> | null>) => {
    if (data?.doing) for (const tell of doing) tell(data.doing);
  });
  const ready = new Promise<void>((resolve) =>
    worker.addEventListener("message", () => resolve(), { once: true }),
  );
  const stop = () => {
    worker.terminate();
    giveUp(new Stopped("the worker was stopped"));
  };
  try {
    const [module] = await Promise.all([wasm("schedscope_bg.wasm"), Promise.race([ready, failed])]);
    const engine = Comlink.wrap<Engine>(worker);
    const catalog = await Promise.race([engine.init(module, Comlink.proxy(unpacking)), failed]);
    return { catalog, engine, stop, doing, failed };
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Thrown at callers that wait for a worker that the page itself has stopped. */
export class Stopped extends Error {}

/** Thrown when a worker stays silent. */
export class Silent extends Error {
  constructor(readonly seconds: number) {
    super(`the worker said nothing for ${seconds} s`);
  }
}

/**
 * Waits for work that reports its progress. Rejects if the worker fails, or is silent for too long.
 */
export async function watched<T>(
  hand: Hand,
  work: (alive: (limit?: number) => void) => Promise<T>,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let gaveUp: (error: Error) => void = () => {};
  const silent = new Promise<never>((_, reject) => (gaveUp = reject));
  let [asked, heard, patience] = [false, performance.now(), SILENCE];
  const alive = (limit = SILENCE) => {
    clearTimeout(timer);
    [asked, heard, patience] = [false, performance.now(), limit];
    timer = setTimeout(check, limit);
  };
  // A tab that slept wakes with its timers overdue, so the worker gets a second chance.
  const check = () => {
    if (asked) return gaveUp(new Silent(Math.round((performance.now() - heard) / 1000)));
    asked = true;
    timer = setTimeout(check, SILENCE);
  };
  const pulse = () => alive(patience);
  hand.doing.add(pulse);
  alive();
  try {
    return await Promise.race([work(alive), hand.failed, silent]);
  } finally {
    clearTimeout(timer);
    hand.doing.delete(pulse);
  }
}
