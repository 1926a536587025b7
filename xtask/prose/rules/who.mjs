import { anyOf, anywhere } from "../match.mjs";

// Only after an article and not after a preposition: `of each processor who has it` asks a question.
const DETERMINER = "(?<!\\b(?:about|at|by|for|from|in|of|on|to|with) )\\b(?:a|an|the|this|each|every|any|other|another|all|both|two) (?:\\w+ing )?";

const THINGS = ["jobs?", "process(?:es)?", "processors?", "policy", "policies", "rows?", "machines?", "nodes?", "hosts?", "candidates?", "runs?", "partners?", "events?", "traces?", "workers?", "threads?", "rules?", "queues?", "partitions?", "pages?", "tests?", "programs?", "records?", "timers?", "outages?", "observers?"];

export default {
  message: "A thing is not a person: write `that`.",
  find: anywhere(new RegExp(`${DETERMINER}${anyOf(THINGS)} whom?\\b`, "i")),
  wrong: { docs: ["The job who waits starts.", "It asks each waiting process who runs.", "A policy whom nobody asks."] },
  right: { docs: ["The job that waits starts.", "A job whose start is known.", "A user who waits leaves.", "The page says who waits.", "The twin knows of every processor who has it."] },
};
