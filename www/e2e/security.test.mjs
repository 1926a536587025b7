// Limits of foreign code in the page: no markup from text, no script by an address, no way to other
// hosts.
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { assert, done, stage } from "./support.mjs";

/** Starts a plain host, and a host that sends the headers of `_headers`. */
const hosts = { "a plain host": {}, "a host with headers": { headers: true } };

let other;
let asked = 0;
before(async () => {
  other = createServer((_, response) => {
    asked += 1;
    response.setHeader("access-control-allow-origin", "*").end("leak");
  });
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
});
after(() => other.close());
const elsewhere = () => `http://127.0.0.1:${other.address().port}/`;

/** Returns the outcome of an attempt: "done", or the kind of error. */
const INJECTIONS = {
  "markup from text": () => void (document.body.innerHTML = "<b>mine</b>"),
  "markup beside": () => document.body.insertAdjacentHTML("beforeend", "<img src=x>"),
  "an inline script": () => {
    const script = document.createElement("script");
    script.text = "globalThis.injected = true";
    document.head.append(script);
  },
  "a script by its address": () => void (document.createElement("script").src = "evil.js"),
  // biome-ignore lint/security/noGlobalEval: that it is refused is what is tested
  "text as code": () => globalThis.eval("1"),
  "a handler": () => document.body.setAttribute("onclick", "globalThis.injected = true"),
  "a frame's text": () =>
    void (document.createElement("iframe").srcdoc = "<script>parent.injected = true</script>"),
  "a worker by its address": () => new Worker("data:text/javascript,"),
  "a policy of its own": () => globalThis.trustedTypes.createPolicy("mine", {}),
  "the page's policy again": () => globalThis.trustedTypes.createPolicy("schedscope", {}),
};

/** A timer makes the attempt, because no policy applies to code of the debugger itself. */
const tried = (page, attempt) =>
  page.evaluate(`new Promise((resolve) => setTimeout(() => {
    try { (${attempt})(); resolve("done"); } catch (error) { resolve(error.name); }
  }))`);

for (const [host, serving] of Object.entries(hosts)) {
  test(`on ${host} nothing can be injected, in page and documentation`, async () => {
    const s = await stage(serving);
    try {
      for (const place of ["", "docs/policies/easy.html"]) {
        const { page, said } = await s.open();
        await page.goto(`${s.url}${place}`);
        if (place === "") await done(page, 2);
        else await page.locator("main#text").waitFor();
        assert.deepEqual(said, [], "the policy is understood");
        for (const [what, attempt] of Object.entries(INJECTIONS))
          assert.match(await tried(page, attempt), /^(TypeError|EvalError)$/, what);
        // A parser makes a handler of text that no sink has seen. The policy prevents it from
        // running.
        assert.equal(await page.evaluate(() => globalThis.injected), undefined);
      }
    } finally {
      await s.close();
    }
  });

  test(`on ${host} neither page nor workers know WebRTC, and the service worker reaches no other host`, async () => {
    const s = await stage(serving);
    try {
      const { page, context } = await s.open({ serviceWorkers: "allow" });
      await done(page, 2);
      const known = () =>
        Object.getOwnPropertyNames(globalThis).filter((name) =>
          /RTC(PeerConnection|DataChannel|IceTransport)$/.test(name),
        );
      assert.deepEqual(await page.evaluate(known), []);
      for (const worker of page.workers()) assert.deepEqual(await worker.evaluate(known), []);
      const [service] =
        context.serviceWorkers().length > 0
          ? context.serviceWorkers()
          : [await context.waitForEvent("serviceworker")];
      await page.getByText("works without the network").waitFor();
      const attempt = (url) =>
        fetch(url).then(
          () => "reached",
          () => "refused",
        );
      assert.equal(await service.evaluate(attempt, elsewhere()), "refused");
      assert.deepEqual(
        await service.evaluate(() =>
          ["WebSocket", "EventSource", "WebTransport", "importScripts"].filter(
            (name) => globalThis[name] !== undefined,
          ),
        ),
        [],
      );
      assert.equal(asked, 0);
      await page.goto(`${s.url}docs/index.html`);
      await page.locator("main#text").waitFor();
      assert.deepEqual(await page.evaluate(known), []);
    } finally {
      await s.close();
    }
  });
}

test("what the service worker serves has the policy as a header", async () => {
  const s = await stage();
  try {
    const { page } = await s.open({ serviceWorkers: "allow" });
    await page.getByText("works without the network").waitFor();
    const reloaded = await page.reload();
    assert.match(
      reloaded.headers()["content-security-policy"] ?? "",
      /require-trusted-types-for 'script'/,
    );
    await done(page, 2);
  } finally {
    await s.close();
  }
});
