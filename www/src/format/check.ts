// Checks of documents that come from outside: links and exercises.

/** Throws a Misfit if a value has another form. `place` says where the value stands. */
export type Check = (value: unknown, place: string) => void;

/** A value of another form than its document has. */
export class Misfit extends Error {
  constructor(
    readonly place: string,
    readonly wanted: string,
  ) {
    super(`${place} is not ${wanted}`);
  }
}

export function wrong(place: string, wanted: string): never {
  throw new Misfit(place, wanted);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Checks a text of at most this many characters. */
export const upTo =
  (most: number): Check =>
  (value, place) => {
    if (typeof value !== "string") wrong(place, "a text");
    if (value.length > most) wrong(place, `a text of at most ${most} characters`);
  };

export const number: Check = (value, place) =>
  void ((typeof value === "number" && Number.isFinite(value)) || wrong(place, "a number"));

export const flag: Check = (value, place) =>
  void (typeof value === "boolean" || wrong(place, "yes or no"));

/** Checks a list with a number of entries within limits. `what` names the entries. */
export const list =
  (check: Check, most: number, least = 0, what = "entries"): Check =>
  (value, place) => {
    if (!Array.isArray(value)) wrong(place, "a list");
    if (value.length < least || value.length > most)
      wrong(place, `a list of ${least > 0 ? `${least} to` : "at most"} ${most} ${what}`);
    for (const [at, each] of value.entries()) check(each, `${place}[${at}]`);
  };

/** Checks the fields of an object: the required and the optional ones. */
export const object =
  (must: Record<string, Check>, may: Record<string, Check> = {}): Check =>
  (value, place) => {
    if (!isObject(value)) wrong(place, "a group of fields");
    for (const key of Object.keys(must)) if (!(key in value)) wrong(`${place}.${key}`, "there");
    for (const [key, each] of Object.entries(value)) {
      const check = Object.hasOwn(must, key)
        ? must[key]
        : Object.hasOwn(may, key)
          ? may[key]
          : undefined;
      if (!check) wrong(`${place}.${key}`, "a known field");
      check(each, `${place}.${key}`);
    }
  };

/** Checks settings: numbers and texts by their keys. */
export const settingsWithin =
  (limits: { settings: number; name_bytes: number; setting_bytes: number }): Check =>
  (value, place) => {
    if (!isObject(value)) wrong(place, "a list of settings");
    const entries = Object.entries(value);
    if (entries.length > limits.settings)
      wrong(place, `a list of at most ${limits.settings} settings`);
    for (const [key, each] of entries) {
      upTo(limits.name_bytes)(key, `a key of ${place}`);
      (typeof each === "string" ? upTo(limits.setting_bytes) : number)(each, `${place}.${key}`);
    }
  };
