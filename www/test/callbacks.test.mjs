// A worker can call a function of the page, and do nothing else with it.
import { strict as assert } from "node:assert";
import { test } from "node:test";
import * as Comlink from "comlink";
import "../src/engine/callbacks.ts";

/** Returns what a port answers to a message; undefined if it does not answer. */
const asked = (port, message) =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), 100);
    port.onmessage = ({ data }) => {
      clearTimeout(timer);
      resolve(data);
    };
    port.postMessage({ id: "1", ...message });
  });

test("a worker can call a function of the page, and reach nothing else of it", async () => {
  const handler = Comlink.transferHandlers.get("proxy");
  const given = [];
  const callback = Comlink.proxy((...all) => given.push(...all));
  callback.secret = 1;
  assert.ok(handler.canHandle(callback));
  const [port] = handler.serialize(callback);
  const raw = (value) => ({ type: "RAW", value });
  for (const message of [
    { type: "GET", path: ["secret"] },
    { type: "SET", path: ["__proto__", "__proto__", "mine"], value: raw(1) },
    { type: "APPLY", path: ["constructor"], argumentList: [raw("return 1")] },
    { type: "CONSTRUCT", path: [], argumentList: [] },
    { type: "ENDPOINT" },
    { type: "APPLY", path: [], argumentList: "all" },
    undefined,
  ])
    assert.equal(await asked(port, message), undefined, JSON.stringify(message));
  assert.equal({}.mine, undefined);
  assert.deepEqual(given, []);
  const answer = await asked(port, { type: "APPLY", path: [], argumentList: [raw(7)] });
  assert.deepEqual([answer.type, answer.value, given], ["RAW", 1, [7]]);
  port.close();
});
