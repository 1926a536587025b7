// The policies that runs and plans name, and other names for them.
import { strict as assert } from "node:assert";
import { test } from "node:test";
import { policiesIn, renamePolicy } from "../src/lab/naming.ts";

const PLAN = {
  name: "mine",
  note: "policy mine against easy",
  policies: [
    { policy: "mine", label: "mine", settings: { order: "mine" } },
    { policy: "pbas", settings: { candidates: "easy+mine", "mine.depth": 2, "easy.depth": 3 } },
    { policy: "fcfs", what_if: { at: 5, policy: "mine" } },
  ],
  sweep: { candidates: ["mine+fcfs", "easy+minefield"] },
  own: [{ policy: "mine", file: "mine.js" }],
};

test("policies are named where a policy stands, and nowhere else", () => {
  assert.deepEqual([...policiesIn(PLAN)].sort(), ["easy", "fcfs", "mine", "minefield", "pbas"]);
  assert.deepEqual([...policiesIn({ machine: "mine", settings: { policy_seed: 1 } })], []);
});

test("a policy gets another name in all these places, and in its settings as a candidate", () => {
  assert.deepEqual(renamePolicy(PLAN, "mine", "mine-2"), {
    name: "mine",
    note: "policy mine against easy",
    policies: [
      { policy: "mine-2", label: "mine", settings: { order: "mine" } },
      {
        policy: "pbas",
        settings: { candidates: "easy+mine-2", "mine-2.depth": 2, "easy.depth": 3 },
      },
      { policy: "fcfs", what_if: { at: 5, policy: "mine-2" } },
    ],
    sweep: { candidates: ["mine-2+fcfs", "easy+minefield"] },
    own: [{ policy: "mine-2", file: "mine.js" }],
  });
});
