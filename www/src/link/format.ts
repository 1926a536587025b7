// Links: the state of the page as the fragment of its URL. The text is `1.` and then JSON, deflated
// and written in the letters of base64url, so that no chat or mail breaks it. Nothing is sent
// anywhere: fragments stay in the browser.
//
// A link omits the defaults. A link with an unknown part is an error that names the place. No
// content of a link does harm.
import type { Problem, Settings, WhatIf } from "schedscope";
import { LIMITS } from "../engine/limits";
import {
  type Check,
  flag,
  isObject,
  list,
  Misfit,
  number,
  object,
  settingsWithin,
  upTo,
  wrong,
} from "../format/check";

/** A trace: a generated one, one inside the link, or a file that only its owner has. */
export type LinkedTrace =
  | { kind: "model"; model: string; settings: Settings; name: string }
  | { kind: "text"; name: string; text: string }
  | { kind: "file"; name: string; sha256: string; skipBadLines?: boolean; columns?: string };

export interface LinkedRun {
  policy: string;
  machine?: string;
  preset?: string;
  settings?: Settings;
  /** A what-if of a link. */
  whatIf?: WhatIf;
}

/** The code of a policy that is not the engine's, with its id. */
export interface LinkedCode {
  id: string;
  file: string;
  /** Text; of a compiled policy, its bytes in base64. */
  code: string;
  isCompiled?: boolean;
}

/** Everything that a link can hold. A missing field means its default. */
export interface Linked {
  trace?: LinkedTrace;
  machine?: string;
  /** The machine's size, if it was a guess that nobody had confirmed. */
  guessed?: number;
  /** Settings that all runs share. */
  shared?: Settings;
  runs?: LinkedRun[];
  /** The own policies that runs and plan use. */
  own?: LinkedCode[];
  /** A plan, as JSON. */
  plan?: string;
  /** A paper's card. */
  card?: string;
  tab?: string;
  /**
   * The page that takes the place of the view: the tours, the answers of a class, or in narrow
   * windows the set-up or the results.
   */
  page?: string;
  /** A tour by its name, and its chapter from 1. Such a link holds nothing else. */
  tour?: string;
  /** An exercise, as JSON, and its chapter from 1. Such a link holds nothing else. */
  exercise?: string;
  /** True if the exercise is being made. */
  isEdited?: boolean;
  chapter?: number;
  /** From, to, first row, end of rows. */
  window?: [number, number, number, number];
  area?: [number, number, number, number];
  instant?: number;
  /** The selected job's record. */
  job?: number;
  colours?: string;
  filter?: string;
  /** The figure that ranks the runs. */
  rank?: string;
  /** True if the rows of a matrix have lanes of their own; `gpus` if rows are GPUs. */
  rows?: boolean | "gpus";
  /** True if the bands of differences are hidden. */
  noBands?: boolean;
}

/** The version of new links. Older links are upgraded to it, step by step. */
export const VERSION = 1;

type Upgrade = (old: Record<string, unknown>) => Record<string, unknown>;

/** Upgrades of links: entry n turns version n into n + 1. */
export const UPGRADES: Record<number, Upgrade> = {};

/** Number of characters up to which mail and chats accept a link. */
export const LONGEST = 60_000;

function problem(
  what: string,
  why: string,
  next = "Ask for the link again, or open the page without it.",
): Problem {
  return { what, why, next };
}

const text = upTo(LIMITS.name_bytes);

const filter = upTo(LIMITS.filter_bytes);

const plan = upTo(LIMITS.plan_bytes);

const traceText = upTo(LIMITS.link_bytes);

const settings = settingsWithin(LIMITS);

const four: Check = (value, place) => {
  if (!Array.isArray(value) || value.length !== 4) wrong(place, "four numbers");
  for (const [at, each] of value.entries()) number(each, `${place}[${at}]`);
  if (!(value[0] < value[1] && value[2] < value[3])) wrong(place, "an area");
};

const TRACES: Record<string, Check> = {
  model: object({ kind: text, model: text, settings, name: text }),
  text: object({ kind: text, name: text, text: traceText }),
  file: object(
    {
      kind: text,
      name: text,
      sha256: (value, place) =>
        void (
          (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) ||
          wrong(place, "a SHA-256")
        ),
    },
    { skipBadLines: flag, columns: upTo(LIMITS.columns_bytes) },
  ),
};

const trace: Check = (value, place) => {
  const kind =
    isObject(value) && typeof value.kind === "string" && Object.hasOwn(TRACES, value.kind)
      ? value.kind
      : undefined;
  if (!kind) wrong(place, "a known kind of trace");
  TRACES[kind]!(value, place);
};

const listOf = (check: Check): Check => list(check, LIMITS.what_if_entries);

const whatIf = object(
  { at: number },
  {
    policy: text,
    settings,
    without_users: listOf(number),
    jobs: listOf(object({ number }, { estimate: number, processors: number, submitted: number })),
    closed: object({ first: number, count: number, seconds: number }),
  },
);

const run = object({ policy: text }, { machine: text, preset: text, settings, whatIf });

const runs = list(run, LIMITS.link_runs, 1, "runs");

const own = list(
  object(
    {
      id: (value, place) =>
        void (
          (typeof value === "string" && /^[a-z][a-z\d_-]{0,39}$/.test(value)) ||
          wrong(place, "an id of a policy")
        ),
      file: (value, place) =>
        void (
          (typeof value === "string" && /^[\w.-]{1,100}\.(m?[jt]s|wasm)$/.test(value)) ||
          wrong(place, "a name of a policy's file")
        ),
      code: upTo(2 * LIMITS.own_bytes),
    },
    { isCompiled: flag },
  ),
  LIMITS.own_kept,
);

const linked = object(
  {},
  {
    trace,
    machine: text,
    guessed: number,
    shared: settings,
    runs,
    own,
    plan,
    card: text,
    tab: text,
    page: text,
    tour: text,
    exercise: upTo(LIMITS.exercise_bytes),
    isEdited: flag,
    chapter: number,
    window: four,
    area: four,
    instant: number,
    job: number,
    colours: text,
    filter,
    rank: text,
    rows: (value, place) => (value === "gpus" ? undefined : flag(value, place)),
    noBands: flag,
  },
);

/** Packs or unpacks bytes. Throws as soon as the result exceeds `most` bytes. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  by: TransformStream,
  most: number,
): Promise<Uint8Array> {
  const reader = (
    new Blob([bytes]).stream().pipeThrough(by) as ReadableStream<Uint8Array<ArrayBuffer>>
  ).getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; ; ) {
    const { value, done } = await reader.read();
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
    size += value.byteLength;
    if (size > most) {
      await reader.cancel().catch(() => {});
      throw tooLarge();
    }
    pieces.push(value);
  }
}

const tooLarge = () =>
  problem(
    "The link is too large.",
    `A link has at most ${LIMITS.link_characters} characters, and ${LIMITS.link_bytes} bytes after unpacking.`,
    "Share files instead: the trace, the plan, or a summary with the settings.",
  );

/**
 * Returns the fragment of a URL, without `#`, that holds a link.
 * Throws a Problem if that exceeds the limits of a link.
 */
export async function write(state: Linked): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(state));
  if (text.byteLength > LIMITS.link_bytes) throw tooLarge();
  const bytes = await through(text, new CompressionStream("deflate-raw"), LIMITS.link_characters);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const fragment = `${VERSION}.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  if (fragment.length > LIMITS.link_characters) throw tooLarge();
  return fragment;
}

/**
 * Reads a fragment.
 * Throws a Problem if it is no link.
 */
export async function read(
  fragment: string,
  version = VERSION,
  upgrades: Record<number, Upgrade> = UPGRADES,
): Promise<Linked> {
  if (fragment.length > LIMITS.link_characters) throw tooLarge();
  const [, number, data] = /^(\d{1,4})\.([\w-]*)$/.exec(fragment) ?? [];
  if (number === undefined || data === undefined)
    throw problem(
      "The link is not understood.",
      "The page did not write the text after #, or the text was cut short.",
    );
  const from = Number(number);
  if (from > version)
    throw problem(
      `The link was made by a newer version of the page (${from}; this one knows ${version}).`,
      "A newer link can have parts that this version does not know.",
      "Reload the page to get its newest version, then open the link again.",
    );
  let state: unknown;
  try {
    const binary = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(
      Uint8Array.from(binary, (c) => c.charCodeAt(0)),
      new DecompressionStream("deflate-raw"),
      LIMITS.link_bytes,
    );
    state = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (isObject(error) && typeof error.what === "string") throw error;
    throw problem("The link is damaged or cut short.", "The text after # cannot be unpacked.");
  }
  for (let at = from; at < version; at += 1) {
    const upgrade = upgrades[at];
    if (!upgrade || !isObject(state))
      throw problem(
        `The link has version ${from}, which the page no longer reads.`,
        `This page writes version ${version}.`,
      );
    state = upgrade(state);
  }
  try {
    linked(state, "link");
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw problem(
      `The link is not understood: ${error.place} is not ${error.wanted}.`,
      "Only the page writes links, and this is not its form.",
    );
  }
  return state as Linked;
}
