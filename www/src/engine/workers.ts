// Starts workers, and replaces those that crash or hang.
import * as Comlink from "comlink";
import "./callbacks";
import type { Catalog, DoingFacts } from "schedscope";
import { scriptUrl } from "../security/trusted";
import type {
  DescribedPolicy,
  Engine,
  Failed,
  Logged,
  PolicyCode,
  Pulse,
  Unpacking,
} from "./protocol";
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

/** Milliseconds that the code of own policies may take to load. */
const PATIENCE_OF_CODE = 10_000;

export type Remote = Comlink.Remote<Engine>;

export interface Hand {
  catalog: Catalog;
  /** The own policies whose code the worker has, in the order in which they were given. */
  own: DescribedPolicy[];
  engine: Remote;
  /** True if it has the whole engine. The first one reads SWF only, and knows no plans. */
  isWhole: boolean;
  stop(): void;
  /** Receives the worker's activity, about four times a second, during a long computation. */
  doing: Set<(doing: DoingFacts) => void>;
  /** Receives what own policies log. */
  logged: Set<(logged: Logged) => void>;
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

/** Returns a function that fetches a file of the page once, by its name. */
function once<T>(take: (response: Response) => Promise<T>): (name: string) => Promise<T> {
  const fetched = new Map<string, Promise<T>>();
  return (name) => {
    const known = fetched.get(name);
    if (known !== undefined) return known;
    const found = fetch(place(name)).then((response) => {
      if (!response.ok) throw new Error(`the program could not be loaded (${response.status})`);
      return take(response);
    });
    fetched.set(name, found);
    found.catch(() => fetched.delete(name));
    return found;
  };
}

/** The wasm modules, each compiled once for all workers. */
const wasm = once(async (response) => {
  // Some static hosts do not know wasm's media type. Its bytes compile anyway.
  if (response.headers.get("content-type") === "application/wasm")
    return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
});

/** The bytes of wasm modules, for workers without an origin, which take no compiled module. */
const bytes = once((response) => response.arrayBuffer());

/** The scripts of workers, fetched once, so that later workers start without the network. */
const script = once((response) => response.text());

/** The code of sandboxes loads with the first one. */
const sandboxes = () => import("./sandboxes");

/**
 * Returns the address of a script for a worker. A worker from a plain URL would not inherit the
 * page's content security policy and could reach other hosts; these inherit it.
 */
async function addressOf(own: PolicyCode[], isWhole: boolean): Promise<string> {
  if (own.length > 0) return (await sandboxes()).sandboxUrl(await script("sandbox.js"), own);
  const code = await script(isWhole ? "whole.js" : "worker.js");
  const blob = new Blob([code], { type: "text/javascript" });
  return scriptUrl(URL.createObjectURL(blob));
}

interface Wanted {
  /** The code of own policies, which the worker runs. Such a worker has no origin. */
  own?: PolicyCode[];
  /** True if it needs the whole engine. A worker with own policies always has it. */
  isWhole?: boolean;
  /** Stops the worker until it is ready. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts a worker and waits until it is ready. Rejects with a problem if the code of own policies
 * fails.
 */
export async function hire({ own = [], isWhole = false, signal }: Wanted = {}): Promise<Hand> {
  const isSandbox = own.length > 0;
  isWhole ||= isSandbox;
  const url = await addressOf(own, isWhole);
  const release = () => {
    if (!isSandbox) URL.revokeObjectURL(url);
  };
  if (signal?.aborted) release();
  signal?.throwIfAborted();
  const worker = new Worker(url, { type: "module" });
  let giveUp: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    giveUp = reject;
    const fail = async (failure: Failed["failed"]) =>
      reject(
        isSandbox
          ? (await sandboxes()).failureOf(failure, own)
          : new Error(failure.message || "the worker could not be started"),
      );
    worker.addEventListener("error", (event) => void fail(event));
    worker.addEventListener("message", ({ data }: MessageEvent<Partial<Failed> | null>) => {
      if (data?.failed) void fail(data.failed);
    });
  });
  failed.catch(() => {});
  const doing: Hand["doing"] = new Set();
  const logged: Hand["logged"] = new Set();
  worker.addEventListener(
    "message",
    ({ data }: MessageEvent<(Partial<Pulse> & Partial<Logged>) | null>) => {
      if (data?.doing) for (const tell of doing) tell(data.doing);
      if (data?.logged) for (const tell of logged) tell(data as Logged);
    },
  );
  const ready = new Promise<void>((resolve) =>
    worker.addEventListener("message", ({ data }) => data === "ready" && resolve()),
  );
  const stop = () => {
    worker.terminate();
    giveUp(new Stopped("the worker was stopped"));
  };
  signal?.addEventListener("abort", stop);
  try {
    const name = isWhole ? "schedscope_whole_bg.wasm" : "schedscope_bg.wasm";
    const program = (isSandbox ? bytes : wasm)(name);
    const [module] = await Promise.all([program, Promise.race([ready, failed, late(isSandbox)])]);
    const engine = Comlink.wrap<Engine>(worker);
    /** The program that unpacks rare packings, which a worker asks for when a file needs it. */
    const unpacking: Unpacking = () => (isSandbox ? bytes : wasm)("schedscope_unpack_bg.wasm");
    const begun = engine.init(module, Comlink.proxy(unpacking), own);
    const facts = await Promise.race([begun, failed, late(isSandbox)]);
    return { ...facts, engine, isWhole, stop, doing, logged, failed };
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
    release();
  }
}

/** Rejects if the code of own policies, or a worker without it, does not come to an end while it loads. */
const late = (isSandbox: boolean): Promise<never> =>
  new Promise((_, reject) => {
    const patience = isSandbox ? PATIENCE_OF_CODE : PATIENCE;
    const end = () => reject(new Silent(patience / 1000));
    // A tab that slept wakes with its timers overdue, so a worker gets a second chance.
    setTimeout(() => (isSandbox ? end() : setTimeout(end, SILENCE)), patience);
  });

/** Thrown at callers that wait for a worker that the page itself has stopped. */
export class Stopped extends Error {}

/** Thrown when a worker stays silent. It is a problem that can be shown as it is. */
export class Silent extends Error {
  readonly what: string;
  readonly why = "It computes without a sign of life, or the browser gave it no time.";
  readonly next = "Close other tabs if the computer is busy, and try it again.";
  constructor(readonly seconds: number) {
    super(`the worker said nothing for ${seconds} s`);
    this.what = `A worker said nothing for ${seconds} s, and was stopped.`;
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
