// The cards, the papers' conclusions, and the stored results belong together.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stored } from "../papers/store.ts";
import { cards, digest, pages, papers, resultsOf, www } from "../papers.mjs";
import { compare } from "../src/papers/printed.ts";
import { outcomeOf, verify } from "../src/papers/stored.ts";
import { VERDICTS } from "../src/papers/verdicts.ts";

test("every conclusion, table and figure has a card of its paper, or a reason for having none", () => {
  const all = cards();
  assert.equal(papers().length, 5);
  for (const { paper, claims, shows } of papers()) {
    const own = all.filter((card) => card.paper === paper).map(({ id }) => id);
    assert.ok(claims.length >= 5 && claims.length <= 12, paper);
    for (const { says, verdict, card, why } of claims) {
      assert.ok(VERDICTS.includes(verdict), says);
      assert.equal(own.includes(card), verdict !== "not tested", says);
      assert.match(why, /[.]$/, says);
    }
    for (const { name, card, why } of shows) assert.ok(own.includes(card) !== Boolean(why), name);
    assert.equal(new Set(shows.map(({ name }) => name)).size, shows.length);
  }
  const known = new Set(papers().map(({ paper }) => paper));
  assert.deepEqual(
    all.filter(({ paper }) => !known.has(paper)),
    [],
  );
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
});

test("the stored results are those of the cards as they are, and show everything", () => {
  const all = cards();
  for (const card of all) {
    const results = resultsOf(card);
    assert.equal(results?.card, digest(card), `${card.id}: run \`cargo xtask papers ${card.id}\``);
    const keys = new Set(results.cells.map(({ key }) => key));
    assert.deepEqual(
      results.points.flatMap(({ cells }) => cells).filter((key) => !keys.has(key)),
      [],
    );
    assert.match(results.engine, /^[0-9a-f]{16}$/);
    for (const { printed, ours } of compare(card.printed, results))
      assert.notEqual(ours, "–", `${card.id}: ${JSON.stringify(printed)}`);
  }
  assert.deepEqual(
    readdirSync(join(www, "papers/results")).sort(),
    all.map(({ id }) => `${id}.json`).sort(),
  );
});

test("docs/papers/ is written from cards, conclusions and stored results", async () => {
  const folder = join(www, "../docs/papers");
  const written = await pages();
  assert.deepEqual(readdirSync(folder).sort(), [...written.keys()].sort());
  for (const [name, text] of written)
    assert.equal(readFileSync(join(folder, name), "utf8"), text, "run `cargo xtask papers --docs`");
});

test("of a card's results the site stores what the card shows, and finds another schedule", () => {
  const figures = { "wait.mean": 12.34567890123, "wait.sd": 3, "lost.value": 0.25 };
  const result = (key, digest) => ({
    key,
    digest,
    version: "1.2.3",
    engine: "00112233445566aa",
    trace: "a trace",
    sha256: "ab".repeat(32),
    figures,
    quantiles: { wait: [1 / 3, 2], response: [3, 4] },
    classes: { size: [] },
  });
  const point = (policy, key) => ({
    axes: { policy },
    cells: [key],
    offered_load: 0.7,
    figures: { "wait.mean": { mean: 1 / 3, ci95: null }, "wait.sd": { mean: 3 } },
  });
  const analysis = {
    points: [point("a", "k"), point("b", "l")],
    differences: [],
    saturations: [{ axes: {} }],
  };
  const card = {
    plan: { metrics: ["wait.mean"] },
    printed: [],
    charts: [{ kind: "distribution", metric: "wait.mean", at: {} }],
  };
  const kept = stored(card, analysis, [result("k", "one"), { ...result("l", "two"), seed: 4 }]);
  assert.deepEqual(kept.points[0].figures, { "wait.mean": { mean: 0.333333333 } });
  assert.deepEqual(kept.cells, [
    { key: "k", trace: 0, digest: "one", quantiles: { wait: [0.333333333, 2] } },
    { key: "l", trace: 0, seed: 4, digest: "two", quantiles: { wait: [0.333333333, 2] } },
  ]);
  assert.deepEqual(kept.saturations, []);
  const shown = outcomeOf(kept);
  assert.equal(shown.results.get("l").trace, "a trace");
  assert.deepEqual([...shown.seeds], [["l", 4]]);
  const ran = new Map([
    ["k", { digest: "one" }],
    ["l", { digest: "another" }],
    ["m", { digest: "of another card" }],
  ]);
  assert.deepEqual(verify(kept, ran), { equal: ["k"], different: ["l"] });
});
