// Loads the cards, the papers' conclusions, and the stored results.

import type { Paper } from "./claims";
import type { Card } from "./printed";
import type { Stored } from "./stored";

declare const STAMP: string;

async function load<T>(path: string, what: string): Promise<T> {
  const response = await fetch(`${path}?v=${STAMP}`);
  if (!response.ok) throw new Error(`${what} could not be loaded (${response.status})`);
  return (await response.json()) as T;
}

let all: Promise<{ cards: Card[]; papers: Paper[] }> | undefined;

/** Loads the cards and the papers, once. */
export function loadAll(): Promise<{ cards: Card[]; papers: Paper[] }> {
  all ??= load("papers.json", "the cards");
  all.catch(() => (all = undefined));
  return all;
}

/** Loads the stored results of a card. */
export const loadStored = (id: string): Promise<Stored> =>
  load(`papers/${id}.json`, "the stored results");
