// Hyperthreaded nodes: LOMARC matches jobs, in the timeline, the inspector and the match explorer;
// and tables of demands.
import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { done, findings, finished, placed, stage, still, trace } from "./support.mjs";

let st;
before(async () => (st = await stage()));
after(() => st.close());

/** Starts two runs on hyperthreaded nodes, without and with partners, in the Sharing tab. */
async function pairs(options) {
  const opened = await st.open(options);
  const { page } = opened;
  await done(page, 2);
  await page.getByRole("tab", { name: "Sharing" }).click();
  await page.getByRole("button", { name: /hyperthreaded/ }).click();
  await done(page, 2);
  const run = page.locator(".sharing").getByRole("combobox", { name: "Run" });
  await run.selectOption({ label: "B LOMARC, response" });
  return opened;
}

/** Goes to the next match and shows the search that found a partner. Returns the chosen job. */
async function found(page) {
  const matches = page.getByRole("region", { name: "Matches" });
  await matches.getByRole("button", { name: "Later match" }).click();
  const search = matches.getByRole("combobox", { name: "Search" });
  const option = search.locator("option", { hasText: /: job \d+$/ }).first();
  await option.waitFor({ state: "attached" });
  await search.selectOption(await option.getAttribute("value"));
  return { matches, chosen: /: job (\d+)$/.exec(await option.innerText())[1] };
}

test("the match explorer says who was looked at, which test ruled each out, and what the others were worth", async () => {
  const { page, said } = await pairs();
  const { matches, chosen } = await found(page);
  // The chosen job is a candidate and has the greatest worth.
  const rows = await matches
    .locator(".tried tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText)));
  assert.equal(rows[0][0], `Job ${chosen}, chosen`);
  assert.equal(rows[0][2], "a candidate");
  const worth = rows
    .filter((row) => row[2] === "a candidate")
    .map((row) => Number(row[4].replace(/[,\u2212]/g, (c) => (c === "," ? "" : "-"))));
  assert.ok(worth[0] > 0 && worth.every((value) => value <= worth[0]), worth.join(" "));
  // The ruled-out and the remaining candidates add up.
  const funnel = await matches
    .locator(".funnel tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.cells].map((cell) => Number(cell.innerText.replace(/[^\d]/g, "") || 0)),
      ),
    );
  for (let at = 1; at < funnel.length; at += 1)
    assert.equal(funnel[at][2], funnel[at - 1][2] - funnel[at][1]);
  await findings(page);
  assert.deepEqual(said, []);
});

test("the inspector names partners, overlaps, and the time lost and won", async () => {
  const { page, said } = await pairs();
  const { matches } = await found(page);
  await matches
    .getByRole("row", { name: /chosen/ })
    .getByRole("button")
    .click();
  await page.getByRole("tab", { name: "Timeline" }).click();
  const partners = page.getByRole("region", { name: "Partners in run B" });
  const text = await partners.innerText();
  assert.match(text, /Sharing (made it .* longer|cost it no time)/);
  assert.match(
    text,
    /Job \d+ on \d+ nodes? for .* at (1\/\d\.\d\d of its pace: .* lost|its full pace); the two did .* than one after the other/,
  );
  assert.match(
    await page.getByRole("region", { name: "Partners in run A" }).innerText(),
    /to itself/,
  );
  await findings(page);
  assert.deepEqual(said, []);
});

test("where two jobs share a node its lane is halved", async () => {
  const { page, said } = await pairs();
  await page.getByRole("tab", { name: "Timeline" }).click();
  const overlay = page.getByRole("application", { name: /Timeline of run B/ });
  await overlay.scrollIntoViewIfNeeded();
  await overlay.focus();
  for (let zooms = 0; zooms < 6; zooms += 1) await page.keyboard.press("w");
  const box = await placed(page, overlay);
  let halved = 0;
  // From the end on: the first steps have no such place.
  for (let step = 15; step > 0 && halved === 0; step -= 1)
    for (let node = 0; node < 32 && halved === 0; node += 4) {
      const seen = [];
      for (const half of [0.25, 0.75]) {
        await overlay.hover({
          position: { x: (box.width * step) / 16, y: (box.height * (node + half)) / 32 },
        });
        await still(page);
        seen.push(
          /job (\d+)/.exec(
            await page
              .locator(".hover")
              .first()
              .innerText()
              .catch(() => ""),
          )?.[1],
        );
      }
      if (seen[0] && seen[1] && seen[0] !== seen[1]) halved += 1;
    }
  assert.equal(halved, 1);
  assert.deepEqual(said, []);
});

test("a table of demands dropped after a trace is taken, and a bad one says where it is wrong", async () => {
  const { page, said } = await st.open();
  await done(page, 2);
  await page.getByRole("combobox", { name: "Model" }).selectOption("smt");
  const drop = (name, text) =>
    page.evaluate(
      ([name, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name));
        window.dispatchEvent(
          new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
        );
      },
      [name, text],
    );
  await drop("bad.csv", "job,cpu,network,disk,memory\n1,0.5,0.5,0,0.2\n2,0.5,0.1,0.1,0.2\n");
  await page
    .getByRole("alert")
    .filter({ hasText: "bad.csv, line 3: cpu, network and disk add up to 0.7, not 1." })
    .waitFor();
  const rows = Array.from(
    { length: 1500 },
    (_, at) => `${at + 1},${at % 2 ? "0.8,0.1,0.1" : "0.1,0.1,0.8"},0.3`,
  );
  await drop("good.csv", `job,cpu,network,disk,memory\n${rows.join("\n")}\n`);
  await page
    .getByText(/demands of 1,?500 of 1,?500 jobs from good\.csv/)
    .first()
    .waitFor({ state: "attached" });
  await done(page, 2);
  // The table belongs to its trace.
  await drop("other.swf", trace(40));
  await finished(page, "other.swf");
  await page
    .locator(".banner")
    .getByText("good.csv belongs to the log before. Its demands are left out now.")
    .waitFor();
  assert.equal(await page.getByText(/demands of .* from good\.csv/).count(), 0);
  assert.deepEqual(said, []);
});
