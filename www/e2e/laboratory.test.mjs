// Plans on the page: built, run, paused, cancelled, stored, drawn and saved; and the tabs around
// them.
import { after, before, test } from "node:test";
import {
  assert,
  done,
  download,
  drop,
  findings,
  finished,
  frames,
  placed,
  showView,
  stage,
  still,
  temporary,
  trace,
  until,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const PLAN = (jobs, more = {}) =>
  JSON.stringify({
    schedscope_plan: 1,
    name: "A test",
    workloads: [{ model: { id: "lublin", settings: { jobs, processors: 64 } } }],
    policies: [{ policy: "fcfs" }, { policy: "easy" }],
    loads: { offered: [0.5, 0.7] },
    seeds: [1, 2],
    keep: ["months", "classes", "quantiles", "jobs"],
    ...more,
  });

const tab = (page, name) => page.getByRole("tab", { name }).click();
const choose = (page, name) => page.getByRole("combobox", { name, exact: true });

const status = (page, text) =>
  page.locator("section[aria-label='Running the plan'] .count", { hasText: text }).waitFor();

async function open(options) {
  const opened = await s.open(options);
  await done(opened.page, 2);
  return opened;
}

async function put(page, plan) {
  await tab(page, "Sweep");
  await page.locator(".plan-form").waitFor();
  await page.getByLabel("Plan file").setInputFiles(temporary("plan.json", plan));
}

async function run(page, cells) {
  await page.getByRole("button", { name: `Run ${cells} cells` }).click();
  await page.getByText("All cells are finished").waitFor();
}

test("a plan is built with the form, run, and exported", async () => {
  const { page, said } = await open();
  await tab(page, "Sweep");
  await page.getByRole("textbox", { name: "Loads" }).fill("0.5, 0.8");
  await page.getByRole("textbox", { name: "Loads" }).press("Tab");
  await page.getByRole("button", { name: "+ Look-ahead" }).click();
  await page.getByRole("button", { name: "Remove policy Conservative" }).click();
  await page.getByText("Lublin-Feitelson").first().waitFor();
  await page.getByRole("textbox", { name: "Seeds" }).fill("1 2");
  await page.getByRole("textbox", { name: "Seeds" }).press("Tab");
  await page.getByRole("button", { name: "Run 12 cells" }).waitFor();
  assert.match(
    await page.locator("section[aria-label='Running the plan']").textContent(),
    /Workers.*of at most \d+, each with up to \d+ MB/,
  );
  await run(page, 12);
  assert.equal(await page.locator("section[aria-label=Results] tbody tr").count(), 6);
  const saved = await download(page, () =>
    page.getByRole("button", { name: "Export the plan" }).click(),
  );
  const plan = JSON.parse(saved.bytes);
  assert.deepEqual(
    [plan.loads.offered, plan.seeds, plan.policies.map((choice) => choice.policy)],
    [
      [0.5, 0.8],
      [1, 2],
      ["fcfs", "easy", "lookahead"],
    ],
  );
  const table = await download(page, () =>
    page.getByRole("button", { name: "All figures as CSV" }).click(),
  );
  const rows = String(table.bytes).trim().split("\n");
  assert.equal(rows.length, 13);
  assert.match(
    rows[0],
    /^load,policy,seed,workload,key,jobs_run,machine_size,offered_load,digest,wait\.mean/,
  );
  assert.deepEqual(said, []);
});

test("a plan with a mistake is told where it stands, and the one before stays", async () => {
  const { page, said } = await open();
  await put(page, PLAN(100));
  await page.getByRole("button", { name: "Run 8 cells" }).waitFor();
  await page
    .getByLabel("Plan file")
    .setInputFiles(temporary("plan.json", PLAN(100, { policies: [{ policy: "esy" }] })));
  await page.locator(".notice.bad", { hasText: "At `policies[0]`" }).waitFor();
  assert.match(await page.locator(".notice.bad").textContent(), /Did you mean `easy`/);
  await page.getByLabel("Plan file").setInputFiles(temporary("plan.json", "no plan"));
  await page.locator(".notice.bad", { hasText: "not understood" }).waitFor();
  await page.getByRole("button", { name: "Run 8 cells" }).waitFor();
  assert.deepEqual(said, []);
});

test("the form keeps the focus and what was opened, and quick edits add up", async () => {
  const { page, said } = await open();
  await put(page, PLAN(100));
  await page.getByRole("button", { name: "Run 8 cells" }).waitFor();
  const easy = page.locator(".entry", { has: page.locator("b", { hasText: /^EASY$/ }) });
  await easy.locator("summary").click();
  await page.getByRole("textbox", { name: "Loads" }).fill("0.5, 0.6, 0.7");
  // The click takes the focus from the field, which changes the field.
  await page.getByRole("button", { name: "+ Look-ahead" }).click({ delay: 90 });
  await page.getByRole("button", { name: "Run 18 cells" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "+ Look-ahead");
  assert.ok(await easy.locator("details").evaluate((details) => details.open));
  await page.getByRole("checkbox", { name: "months" }).uncheck();
  await page.getByRole("checkbox", { name: "classes" }).uncheck();
  await page.getByRole("checkbox", { name: "quantiles" }).uncheck();
  await page.getByLabel("a sample of jobs").uncheck();
  await page.getByRole("textbox", { name: "Note" }).fill("nothing kept");
  await page.getByRole("textbox", { name: "Note" }).press("Tab");
  const saved = await download(page, () =>
    page.getByRole("button", { name: "Export the plan" }).click(),
  );
  const plan = JSON.parse(saved.bytes);
  assert.deepEqual(
    [plan.keep, plan.note, plan.loads.offered, plan.policies.length],
    [[], "nothing kept", [0.5, 0.6, 0.7], 3],
  );
  assert.deepEqual(said, []);
});

test("a sweep goes on while its plan is described, and a dropped plan is taken", async () => {
  const { page, said } = await open();
  await drop(page, "dropped.json", Buffer.from(PLAN(20_000)));
  await page.getByRole("button", { name: "Run 8 cells" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.getByRole("textbox", { name: "Note" }).fill("while it runs");
  await page.getByRole("textbox", { name: "Note" }).press("Tab");
  await page.getByText("All cells are finished").waitFor();
  assert.deepEqual(said, []);
});

test("a sweep is paused, cancelled, and goes on after a reload without what has finished", async () => {
  const { page, said } = await open();
  await put(page, PLAN(100_000, { seeds: [1, 2, 3, 4] }));
  await page.getByRole("button", { name: "Run 16 cells" }).click();
  const status = page.locator("section[aria-label='Running the plan'] .count").first();
  await page.waitForFunction(() =>
    /^[2-9] of 16/.test(
      document.querySelector("section[aria-label='Running the plan'] .count")?.textContent ?? "",
    ),
  );
  await page.getByRole("button", { name: "Pause" }).click();
  // At the pause a worker may be measuring a cell, which then still finishes. No other cell does.
  const finishedNow = async () => Number((await status.textContent()).match(/^(\d+) of/)[1]);
  await page.getByText(/^Paused\. \d+ cells? (is|are) running/).waitFor();
  // Both at one instant, because a cell may finish between two questions.
  const atMost = await page.evaluate(() => {
    const { textContent: text } = document.querySelector("section[aria-label='Running the plan']");
    return Number(text.match(/(\d+) of 16/)[1]) + Number(text.match(/Paused\. (\d+) cell/)[1]);
  });
  await frames(page, 240);
  const held = await status.textContent();
  assert.ok((await finishedNow()) <= atMost, `${held}, and at most ${atMost} while paused`);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForFunction(
    (held) =>
      document.querySelector("section[aria-label='Running the plan'] .count")?.textContent !== held,
    held,
  );
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: /Run \d+ cells/ }).waitFor();
  const finished = Number((await status.textContent()).match(/^(\d+) of/)[1]);
  assert.ok(finished >= 3 && finished < 16);
  // The address keeps tab and plan after it was written.
  await still(page);
  await page.reload();
  await page.getByText(`${finished} of 16 cells are finished`).waitFor();
  await run(page, 16 - finished);
  await page.getByRole("button", { name: "Delete the results" }).click();
  await page.getByRole("button", { name: "Delete them for good" }).click();
  await page.getByText("0 of 16 cells are finished").waitFor();
  assert.deepEqual(said, []);
});

test("stored results of another engine, and those that were edited, are told and run again", async () => {
  const { page, said } = await open();
  await put(page, PLAN(200));
  await run(page, 8);
  // Puts in one figure by hand, one result of another build, one of a version without an engine's
  // name, and one under an old key.
  await page.evaluate(async () => {
    const db = await new Promise((resolve, reject) => {
      const asked = indexedDB.open("schedscope");
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    });
    const results = db.transaction("results", "readwrite").objectStore("results");
    const of = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const [one, two, three] = await of(results.getAllKeys());
    const change = async (key, how) => {
      const result = await of(results.get(key));
      how(result);
      await of(results.put(result, key));
    };
    await change(one, (result) => (result.figures["wait.mean"] += 1));
    await change(two, (result) => (result.engine = "0123456789abcdef"));
    await change(three, (result) => {
      delete result.engine;
      delete result.checksum;
    });
    db.close();
  });
  await still(page);
  await page.reload();
  await status(page, "5 of 8 cells are finished");
  await page
    .getByText(
      "1 stored result is not used: damaged, or edited after being stored. Its cell runs again.",
    )
    .waitFor();
  await page
    .getByText(
      "2 stored results are not used: made by another build of the engine. Their cells run again.",
    )
    .waitFor();
  await run(page, 3);
  assert.equal(await page.getByText("not used:").count(), 0);
  await still(page);
  await page.reload();
  await status(page, "8 of 8 cells are finished");
  assert.deepEqual(said, []);
});

test("results of the layout before are taken over, and told", async () => {
  const { page } = await open();
  await put(page, PLAN(200));
  await run(page, 8);
  const keys = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const asked = indexedDB.open("schedscope");
        asked.onsuccess = () => {
          const got = asked.result.transaction("results").objectStore("results").getAllKeys();
          got.onsuccess = () => {
            asked.result.close();
            resolve(got.result);
          };
        };
      }),
  );
  assert.equal(keys.length, 8);
  // A page with layout 1 left results under KEY@VERSION.
  const other = await s.browser.newContext();
  const old = await other.newPage();
  await old.goto(new URL("icon.svg", s.url).href);
  await old.evaluate(
    (keys) =>
      new Promise((resolve, reject) => {
        const asked = indexedDB.open("schedscope", 1);
        asked.onupgradeneeded = () => {
          asked.result.createObjectStore("results");
          asked.result.createObjectStore("session");
        };
        asked.onerror = () => reject(asked.error);
        asked.onsuccess = () => {
          const change = asked.result.transaction("results", "readwrite");
          for (const key of keys)
            change
              .objectStore("results")
              .put({ key, version: "0.1.0", figures: {} }, `${key}@0.1.0`);
          change.oncomplete = () => {
            asked.result.close();
            resolve(undefined);
          };
        };
      }),
    keys,
  );
  await old.goto(s.url);
  await done(old, 2);
  await put(old, PLAN(200));
  await old
    .getByText(
      "8 stored results are not used: made by another build of the engine. Their cells run again.",
    )
    .waitFor();
  await other.close();
});

test("cells of saved tables that begin like formulas are guarded, and numbers are not", async () => {
  const { page } = await open();
  await put(
    page,
    PLAN(200, {
      policies: [
        { label: "=1+1", policy: "fcfs" },
        { label: "@b; c", policy: "easy" },
      ],
      sweep: { estimate_factor: [1] },
    }),
  );
  await run(page, 8);
  const { bytes } = await download(page, () =>
    page.getByRole("button", { name: "All figures as CSV" }).click(),
  );
  const text = String(bytes);
  const rows = text.trim().split("\n").slice(1);
  assert.equal(rows.length, 8);
  for (const row of rows) assert.match(row, /,('=1\+1|"'@b; c"),/);
  assert.ok(!/(^|[,\n])"?[=@]/.test(text), text);
});

test("the page's cells are the single runs: a point opens in the timeline with the same digest", async () => {
  const { page, said } = await open();
  await put(page, PLAN(400));
  await run(page, 8);
  const table = await download(page, () =>
    page.getByRole("button", { name: "All figures as CSV" }).click(),
  );
  const rows = String(table.bytes)
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  const column = (row, name) => row[rows[0].indexOf(name)];
  const wanted = rows
    .slice(1)
    .find(
      (row) =>
        column(row, "load") === "0.7" &&
        column(row, "policy") === "EASY" &&
        column(row, "seed") === "1",
    );
  await page
    .locator("section[aria-label=Results] tr", { hasText: "0.7" })
    .filter({ hasText: "EASY" })
    .getByRole("button")
    .click();
  await finished(page, "400 jobs");
  assert.match(await page.locator(".experiment").textContent(), /load x .* by arrivals/);
  const isBack = page.getByRole("button", { name: "Back to my runs" });
  await isBack.waitFor();
  const saved = await download(page, () =>
    page.getByRole("button", { name: "Summary of run B as JSON" }).click(),
  );
  const summary = JSON.parse(saved.bytes);
  assert.equal(summary.schedule.digest, column(wanted, "digest"));
  assert.equal(String(summary.metrics.wait.mean), column(wanted, "wait.mean"));
  await isBack.click();
  await finished(page, "1,500 jobs");
  assert.deepEqual(said, []);
});

test("a cell that is not opened leaves the runs on the page as they are", async () => {
  const { page, said } = await open();
  await put(page, PLAN(400));
  await run(page, 8);
  // Workers from now on never answer.
  await page.evaluate(() => {
    globalThis.Worker = class {
      addEventListener() {}
      postMessage() {}
      terminate() {}
    };
  });
  await page.getByRole("button", { name: "Open in the timeline" }).first().click();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.locator(".chip", { hasText: "Sample" }).waitFor();
  await done(page, 2);
  await showView(page, "Timeline");
  assert.ok(await page.getByRole("button", { name: "Up to date" }).isDisabled());
  assert.deepEqual(said, []);
});

test("a point of a chart opens its run by mouse", async () => {
  const { page, said } = await open();
  await put(page, PLAN(400));
  await run(page, 8);
  const plot = page.locator("section[aria-label=Charts] .plot svg");
  await plot.waitFor();
  const dot = plot.locator("g > circle").last();
  const box = await placed(page, dot);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.move(box.x + box.width / 2 + 1, box.y + box.height / 2);
  await plot
    .locator("text", { hasText: "offered" })
    .or(plot.locator("tspan", { hasText: "load" }))
    .first()
    .waitFor();
  await page.mouse.click(box.x + box.width / 2 + 1, box.y + box.height / 2);
  // The last circle is FCFS at the highest load. FCFS is the first policy, so no other run stands
  // beside it.
  await finished(page, "400 jobs", 1);
  assert.deepEqual(said, []);
});

test("a job of a scatter opens with its run", async () => {
  const { page, said } = await open();
  await put(page, PLAN(400));
  await run(page, 8);
  await choose(page, "Chart").selectOption("scatter");
  const chart = page.locator("section[aria-label=Charts] .chart");
  await chart.getByText("Values as a table").click();
  const row = chart.locator("tbody tr").nth(7);
  const number = await row.locator("td").nth(1).textContent();
  await row.getByRole("button").click();
  await page.locator(`.inspector .job[data-job="${number}"]`).waitFor();
  assert.deepEqual(said, []);
});

test("every kind of chart is drawn and saved", async () => {
  const { page, said } = await open();
  await put(page, PLAN(400));
  await run(page, 8);
  const kinds = await choose(page, "Chart")
    .locator("option")
    .evaluateAll((options) => options.map((option) => option.value));
  assert.equal(kinds.length, 11);
  for (const kind of kinds) {
    await choose(page, "Chart").selectOption(kind);
    if (kind === "map") {
      await page.getByText("A map needs two values that the plan varies").waitFor();
      continue;
    }
    const chart = page.locator("section[aria-label=Charts] .chart");
    await chart.locator(".plot svg").last().waitFor();
    const svg = String(
      (await download(page, () => chart.getByRole("button", { name: "SVG" }).click())).bytes,
    );
    assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/, kind);
    assert.match(svg, /<title>.+<\/title><desc>.*sha256 [0-9a-f]{12}.*Seed.*Schedscope \d/, kind);
    assert.ok((svg.match(/<(path|rect|circle)/g) ?? []).length > 3, `${kind} shows something`);
    assert.doesNotMatch(svg, /NaN/, kind);
    const png = (await download(page, () => chart.getByRole("button", { name: "PNG" }).click()))
      .bytes;
    assert.equal(png.subarray(1, 4).toString(), "PNG", kind);
    assert.ok(png.length > 4000, `${kind} has a picture`);
    const csv = String(
      (await download(page, () => chart.getByRole("button", { name: "CSV" }).click())).bytes,
    )
      .trim()
      .split("\n");
    assert.ok(csv[1].startsWith("# lublin-typeless-400x64-seed1 (sha256 "), csv[1]);
    assert.ok(csv.length > 4 && csv[3].split(",").length === csv[2].split(",").length, kind);
  }
  await choose(page, "Chart").selectOption("curve");
  const count = () => page.locator("section[aria-label=Charts] .chart tbody tr").count();
  const before = await count();
  await page.locator(".legend-keys button", { hasText: "FCFS" }).click();
  assert.equal(await count(), before / 2, "a series is hidden");
  await page.getByLabel("log y axis").check();
  assert.deepEqual(said, []);
});

test("an axis is logarithmic by itself where its values lie far apart, until the reader switches it", async () => {
  const { page, said } = await open();
  await put(page, PLAN(400, { loads: { offered: [0.3, 1.2] } }));
  await run(page, 8);
  const chart = page.locator("section[aria-label=Charts] .chart");
  const file = async (name) =>
    String((await download(page, () => chart.getByRole("button", { name }).click())).bytes);
  const box = page.getByLabel("log y axis");
  const seen = new Set();
  for (const metric of ["wait.mean", "wait.median", "bounded_slowdown.mean", "utilisation.value"]) {
    await choose(page, "Metric").selectOption(metric);
    await still(page);
    const lines = (await file("CSV")).trim().split("\n");
    const at = lines[2].split(",").indexOf(metric);
    const values = lines.slice(3).map((line) => Number(line.split(",")[at]));
    const isWide = Math.min(...values) > 0 && Math.max(...values) >= 50 * Math.min(...values);
    assert.equal(await box.isChecked(), isWide, `${metric}: ${values}`);
    assert.equal(lines[1].includes("Logarithmic: y axis."), isWide, lines[1]);
    assert.equal((await file("SVG")).includes("log scale"), isWide, metric);
    seen.add(isWide);
  }
  assert.deepEqual(seen, new Set([true, false]));
  // The reader's choice holds for the picture and its files.
  await box.check();
  await chart.getByText("Logarithmic: y axis.").waitFor();
  assert.match(await file("SVG"), /log scale/);
  await choose(page, "Metric").selectOption("wait.mean");
  await box.uncheck();
  await chart.getByText("Logarithmic: y axis.").waitFor({ state: "detached" });
  assert.doesNotMatch(await file("SVG"), /log scale|NaN/);
  assert.doesNotMatch(await file("CSV"), /Logarithmic/);
  assert.deepEqual(said, []);
});

test("a map shows which policy is best over two values, and by how much", async () => {
  const { page, said } = await open();
  await put(
    page,
    PLAN(300, { sweep: { depth: [1, 4] }, policies: [{ policy: "easy" }, { policy: "fcfs" }] }),
  );
  await run(page, 12);
  await choose(page, "Chart").selectOption("map");
  const chart = page.locator("section[aria-label=Charts] .chart");
  await chart.locator(".plot svg").waitFor();
  await chart.locator("summary").click();
  const rows = await chart
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const value = (name, load, depth) =>
    Number(
      rows
        .find((row) => row[0] === name && Number(row[1]) === load && row[2] === depth)[3]
        .replace(",", ""),
    );
  const squares = () => chart.locator(".plot svg g text tspan").allTextContents();
  // EASY is best everywhere, and each square says by how much.
  const leads = [0.5, 0.7].flatMap((load) =>
    ["1", "4"].map(
      (depth) =>
        `${(100 * (1 - value("EASY", load, depth) / value("FCFS", load, depth))).toFixed(0)} %`,
    ),
  );
  const words = await squares();
  assert.equal(words.filter((text) => text === "EASY").length, 4);
  assert.deepEqual(words.filter((text) => text.endsWith("%")).sort(), leads.sort());
  // Without EASY, the other one is the best, and there is no second best.
  await page.locator(".legend-keys button", { hasText: "EASY" }).click();
  await until(
    squares,
    (all) => all.filter((text) => text !== "").join(" ") === "FCFS FCFS FCFS FCFS",
  );
  // A map over loads has no saturation; with the seeds alone there is one value to vary.
  await choose(page, "Metric").selectOption("saturation.crossing");
  await page.getByText("A map needs two values that the plan varies").waitFor();
  assert.deepEqual(said, []);
});

test("a worker that crashes is replaced once; a cell that crashes twice is shown as failed", async () => {
  const { page } = await open();
  // Workers that begin a cell with this many jobs die silently, as they do when the browser stops
  // them.
  await page.evaluate(() => {
    const Real = Worker;
    let crashes = 0;
    window.Worker = class extends Real {
      postMessage(message, ...rest) {
        const isCell = JSON.stringify(message?.path ?? "").includes('"cell"');
        const key = isCell ? message.argumentList?.[0]?.value?.scenario : undefined;
        const isBad = key && (key.policy === "fcfs" ? crashes++ < 1 : key.settings.load === 0.7);
        if (isBad) {
          super.terminate();
          setTimeout(
            () => this.dispatchEvent(new ErrorEvent("error", { message: "the worker died" })),
            20,
          );
        } else super.postMessage(message, ...rest);
      }
    };
  });
  await put(page, PLAN(100, { seeds: [1] }));
  await page.getByRole("button", { name: "Run 4 cells" }).click();
  await page.getByText("A worker crashed and was replaced").waitFor();
  await status(page, "3 of 4 cells are finished, 1 failed.");
  const failed = await page.locator("section[aria-label='Running the plan'] details").textContent();
  assert.match(failed, /load 0.7, policy EASY.*the worker died/);
});

test("a plan's trace is asked for by name and hash, taken from a file, and another file is refused", async () => {
  const { page, said } = await open();
  const text = trace(200);
  const { createHash } = await import("node:crypto");
  const sha256 = createHash("sha256").update(text).digest("hex");
  const plan = PLAN(0, {
    workloads: [{ trace: { name: "wanted.swf", sha256, archive: "https://example.org/" } }],
    seeds: [],
  });
  await put(page, plan.replace('"seeds":[],', ""));
  await page.getByText("The trace wanted.swf is needed").waitFor();
  assert.ok(await page.getByRole("button", { name: "Run 4 cells" }).isDisabled());
  await page.getByLabel("File of wanted.swf").setInputFiles(temporary("other.swf", trace(150)));
  await page.getByText("The file for wanted.swf is another version").waitFor();
  assert.ok(await page.getByRole("button", { name: "Run 4 cells" }).isDisabled());
  // The name of a dropped file identifies it.
  await drop(page, "wanted.swf", Buffer.from(text));
  await page.locator(".chip", { hasText: "200 jobs" }).waitFor();
  await run(page, 4);
  assert.deepEqual(said, []);
});

/** Opens a paper in the tab Papers, by the first of its authors. */
const paper = (page, author) =>
  page.getByRole("navigation", { name: "Papers" }).getByRole("button", { name: author }).click();

const card = (page, shows) =>
  page.locator("article", { has: page.getByText(shows, { exact: true }) });

test("Papers: a card opens on stored results, and runs here give the same schedules", async () => {
  const { page, said } = await open();
  await tab(page, "Papers");
  await paper(page, "Rajaei");
  const figures = card(page, "Figures 6 and 7");
  await figures.getByRole("button", { name: "Open the card of Figures 6 and 7" }).click();
  await figures.getByText(/come with the site: 120 runs of Schedscope/).waitFor();
  await figures.locator(".chart .plot svg").nth(3).waitFor();
  // A conclusion opens its card. The card has its trace with it.
  await page.locator(".claims li").first().getByRole("button").click();
  const table = card(page, "Table 1 and figure 1");
  await table.getByText(/come with the site: 1 run of/).waitFor();
  const row = table.locator("tbody tr").nth(5);
  assert.match(await row.textContent(), /5.*4.*By the rules of section 3.2/);
  await table.getByText("Run it here, and compare the schedules").click();
  await table.getByRole("button", { name: "Run 1 cell" }).click();
  await table.getByText("The schedule made here is equal to the stored one, job by job.").waitFor();
  await table.getByText("The figures below are those of the runs in this browser.").waitFor();
  // A log that the site may not carry is asked for; its results are there all the same.
  await paper(page, "Talby");
  const other = card(page, "Table 2");
  await other.getByRole("button", { name: /^Open/ }).click();
  await other.getByText(/come with the site: 15 runs/).waitFor();
  await other.getByText("Run it here, and compare the schedules").click();
  await other.getByText("The trace KTH-SP2-1996-2.swf is needed").waitFor();
  // The reader's own plan is still available.
  await tab(page, "Sweep");
  await page.getByRole("button", { name: "Back to my plan" }).click();
  await page.getByRole("button", { name: "Run 18 cells" }).waitFor();
  assert.deepEqual(said, []);
});

test("Papers: a schedule that differs from the stored one is named", async () => {
  const { page } = await open({
    before: (page) =>
      page.route("**/papers/students-table-1.json*", async (route) => {
        const answer = await route.fetch();
        const text = await answer.text();
        const changed = text.replace(/"digest":"[0-9a-f]{4}/, '"digest":"0000');
        return route.fulfill({ response: answer, body: changed });
      }),
  });
  await tab(page, "Papers");
  await paper(page, "Rajaei");
  const table = card(page, "Table 1 and figure 1");
  await table.getByRole("button", { name: /^Open/ }).click();
  await table.getByText("Run it here, and compare the schedules").click();
  await table.getByRole("button", { name: "Run 1 cell" }).click();
  await table.getByText("1 of 1 schedules made here differ from the stored ones.").waitFor();
});

test("Compare: winners and losers open in both timelines", async () => {
  const { page, said } = await open();
  await tab(page, "Compare");
  await page.getByText(/Under B EASY a job waits .* less on average than under A FCFS/).waitFor();
  await page.locator(".compare .chart .plot svg").nth(2).waitFor();
  const gains = page.getByRole("region", { name: "Largest gains under B EASY" });
  assert.equal(await gains.locator("tbody tr").count(), 10);
  const number = await gains.locator("tbody th").first().textContent();
  await gains.getByRole("button").first().click();
  await page.locator(`.inspector .job[data-job="${number}"]`).waitFor();
  assert.equal(
    await page.getByRole("tab", { name: "Timeline" }).getAttribute("aria-selected"),
    "true",
  );
  assert.deepEqual(said, []);
});

test("Workload: what is in the trace, with its odd lines", async () => {
  const { page, said } = await open();
  const lines = trace(60).trimEnd().split("\n");
  // A job with an estimate of a second, on line 12.
  lines[11] = lines[11].split(" ").with(8, "1").join(" ");
  await drop(page, "odd.swf", Buffer.from(`${lines.join("\n")}\n`));
  await page.locator(".chip", { hasText: "60 jobs" }).waitFor();
  await tab(page, "Workload");
  await page.getByText("Jobs with an estimate of 1 s or less: 1.").waitFor();
  await page.locator(".workload .chart .plot svg").nth(5).waitFor();
  await page.getByRole("button", { name: "Show line 12" }).click();
  await page.getByText(`Line 12: ${lines[11].split(" ")[0]} `).waitFor();
  assert.deepEqual(said, []);
});

test("tabs work from the keyboard, and axe finds nothing in any of them", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, said } = await open({ colorScheme });
    await put(page, PLAN(200));
    await run(page, 8);
    await findings(page, `Sweep, ${colorScheme}`);
    await page.getByRole("tab", { name: "Sweep" }).focus();
    for (const name of [
      "Workload",
      "Policy",
      "Papers",
      "Timeline",
      "Machine",
      "Sharing",
      "Compare",
    ]) {
      await page.keyboard.press("ArrowRight");
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), name);
      await page.locator("#panel > :not(.quiet)").first().waitFor();
      await still(page);
      await findings(page, `${name}, ${colorScheme}`);
    }
    await page.setViewportSize({ width: 400, height: 800 });
    for (const name of ["Sweep", "Workload", "Policy", "Papers", "Machine", "Sharing", "Compare"]) {
      await showView(page, name);
      await page.locator("#panel > :not(.quiet)").first().waitFor();
      await still(page);
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth + 1),
        `${name} does not scroll sideways`,
      );
    }
    assert.deepEqual(said, []);
  }
});

test("a sweep is of the open trace: one drop, and four clicks to its picture and its table", async () => {
  const { page, said, context } = await s.open({ atRest: true });
  await done(page, 2);
  await drop(page, "mine.swf", trace(300));
  await finished(page, "mine.swf");
  await page.getByRole("tab", { name: "Sweep" }).click();
  await page.getByRole("button", { name: "Run 18 cells" }).click();
  await status(page, "18 of 18 cells are finished.");
  const { bytes } = await download(page, () =>
    page.locator(".sweep .chart").getByRole("button", { name: "SVG" }).first().click(),
  );
  assert.match(String(bytes), /^<svg[\s\S]*mine\.swf|^<svg[\s\S]*mine/);
  // Another trace: the plan stays, and changes when the reader asks, with a way back.
  await drop(page, "other.swf", trace(200));
  await finished(page, "other.swf");
  await page.getByRole("tab", { name: "Sweep" }).click();
  await page.getByRole("button", { name: "Use the open trace" }).click();
  await page.getByRole("button", { name: "Run 18 cells" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await status(page, "18 of 18 cells are finished.");
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  assert.equal(await page.getByRole("textbox", { name: "Loads" }).count(), 0);
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByRole("textbox", { name: "Loads" }).waitFor();
  assert.deepEqual(said, []);
  await context.close();
});
