// Starts workers, and replaces those that crash or hang.
import * as Comlink from "comlink";
import type { Catalog } from "schedscope";
import type { Engine } from "./protocol";

declare const STAMP: string;

/** A worker that says nothing for so long while it should report progress is taken for dead. */
export const SILENCE = 8000;
/** Work that cannot report progress, such as measuring, may be silent for so long. */
export const PATIENCE = 120_000;

export type Remote = Comlink.Remote<Engine>;

export interface Hand {
  catalog: Catalog;
  engine: Remote;
  stop(): void;
  /** Rejects when the worker fails as a whole, or is stopped: what it was asked is then never answered. */
  failed: Promise<never>;
}

/** Asks a worker; rejects if it fails or is stopped before it answers. */
export function ask<T>(hand: Hand, work: (engine: Remote) => Promise<T>): Promise<T> {
  return Promise.race([work(hand.engine), hand.failed]);
}

/** Program and worker lie beside this file. */
const place = (name: string) => new URL(`${name}?v=${STAMP}`, import.meta.url).href;

let compiled: Promise<WebAssembly.Module> | undefined;
/** The wasm module, compiled once for all workers. */
function wasm(): Promise<WebAssembly.Module> {
  compiled ??= fetch(place("schedscope_bg.wasm")).then(async (response) => {
    if (!response.ok) throw new Error(`the program could not be loaded (${response.status})`);
    // Some static hosts do not know wasm's media type; then it is compiled from its bytes.
    if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
    return WebAssembly.compile(await response.arrayBuffer());
  });
  compiled.catch(() => (compiled = undefined));
  return compiled;
}

let script: Promise<Blob> | undefined;
/** The worker's script, fetched once: later workers start without the network. */
function program(): Promise<Blob> {
  script ??= fetch(place("worker.js")).then(async (response) => {
    if (!response.ok) throw new Error(`the program could not be loaded (${response.status})`);
    return new Blob([await response.text()], { type: "text/javascript" });
  });
  script.catch(() => (script = undefined));
  return script;
}

/** Starts a worker and waits until it can be used. */
export async function hire(): Promise<Hand> {
  // A worker from a plain URL would not inherit the page's content security policy and could reach other hosts; one that
  // starts from a blob does.
  const url = URL.createObjectURL(await program());
  const worker = new Worker(url, { type: "module" });
  let giveUp: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    giveUp = reject;
    worker.addEventListener("error", (event) => reject(new Error(event.message || "the worker could not be started")));
  });
  failed.catch(() => {});
  const ready = new Promise<void>((resolve) => worker.addEventListener("message", () => resolve(), { once: true }));
  const stop = () => {
    worker.terminate();
    giveUp(new Stopped("the worker was stopped"));
  };
  try {
    const [module] = await Promise.all([wasm(), Promise.race([ready, failed])]);
    const engine = Comlink.wrap<Engine>(worker);
    const catalog = await Promise.race([engine.init(module), failed]);
    return { catalog, engine, stop, failed };
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Thrown at those who wait for a worker that the page itself has stopped. */
export class Stopped extends Error {}

/** Thrown when a worker stays silent. */
export class Silent extends Error {}

/** Waits for work that reports its progress; rejects if the worker fails, or reports nothing for too long. */
export async function watched<T>(hand: Hand, work: (alive: (limit?: number) => void) => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let gaveUp: (error: Error) => void = () => {};
  const silent = new Promise<never>((_, reject) => (gaveUp = reject));
  let asked = false;
  const alive = (limit = SILENCE) => {
    clearTimeout(timer);
    asked = false;
    timer = setTimeout(check, limit);
  };
  // A tab that slept wakes with its timers overdue: the worker gets a second chance before it is given up.
  const check = () => {
    if (asked) return gaveUp(new Silent("the worker stopped answering"));
    asked = true;
    timer = setTimeout(check, SILENCE);
  };
  alive();
  try {
    return await Promise.race([work(alive), hand.failed, silent]);
  } finally {
    clearTimeout(timer);
  }
}
