// What-if runs: a run that continues differently from an instant on, beside the run that it forks
// from.
import { after, before, test } from "node:test";
import { assert, done, findings, placed, stage, still, until } from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

const form = (page) => page.locator("form.what-if");
const times = (page, run) =>
  page.evaluate(() => document.querySelector(".metrics tbody").textContent, run);

async function ask(page, run = "B") {
  await page.getByRole("button", { name: `What if, in run ${run}`, exact: true }).click();
  await form(page).waitFor();
}

async function select(page, number) {
  await page.getByLabel("Job number").fill(String(number));
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator(`.job[data-job='${number}']`).waitFor();
}

/** Returns each run's facts about the selected job, row by row. */
const facts = (page, name) =>
  page.locator(".job-runs tr", { hasText: name }).locator("td").allTextContents();

test("another policy, a user gone, a job that asks for something else: both futures side by side", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await ask(page, "A");
  await findings(page, "the form of what if");
  await form(page).getByLabel("Policy from then on").selectOption("easy");
  await form(page).getByRole("button", { name: "Run both futures" }).click();
  await done(page, 3);
  assert.match(await page.locator(".lane").nth(2).textContent(), /under EASY from day \d+/);
  // A job before the fork is unchanged. A job after it waits less than under FCFS.
  await select(page, 100);
  const [a, , c] = await facts(page, "Start");
  assert.equal(a, c);
  await select(page, 1400);
  const [fcfs, , switched] = await facts(page, "Wait");
  assert.notEqual(fcfs, switched);

  // Without one user, 1,500 jobs become fewer.
  await ask(page, "B");
  await form(page).getByLabel("Change", { exact: true }).selectOption("user");
  await form(page).getByLabel("User").fill("3");
  await form(page).getByLabel("User").press("Enter");
  await done(page, 4);
  assert.match(await page.locator(".lane").nth(3).textContent(), /without user 3 from/);
  await page.getByRole("checkbox", { name: "all figures" }).check();
  const jobs = async (row) =>
    page
      .locator(".metrics tbody tr")
      .nth(row)
      .evaluate((tr) => {
        const at = [...document.querySelectorAll(".metrics thead th")].findIndex((th) =>
          th.textContent.includes("Jobs measured"),
        );
        return Number(tr.children[at].textContent.replaceAll(",", ""));
      });
  assert.ok((await jobs(3)) < 1500 && (await jobs(2)) === 1500);

  // The link holds all of it.
  await still(page);
  const table = await times(page);
  await page.reload();
  await done(page, 4);
  await page.getByRole("checkbox", { name: "all figures" }).check();
  assert.equal(await times(page), table);
  assert.deepEqual(said, []);
});

test("processors out of service, from the selected area; what cannot be is told", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const box = await placed(page, page.locator("canvas.overlay").nth(1));
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.25);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.75, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await ask(page);
  await form(page).getByLabel("Change", { exact: true }).selectOption("closed");
  await form(page).getByRole("button", { name: "Run both futures" }).click();
  await done(page, 3);
  assert.match(
    await page.locator(".lane").nth(2).textContent(),
    /processors 3\d to 9\d out of service for/,
  );
  // The share of the area that runs still use: jobs that were running when it began.
  await page.locator(".area-table").nth(2).waitFor();
  const shares = await page
    .locator(".area-table caption")
    .evaluateAll((captions) =>
      captions.map((caption) => Number(caption.textContent.match(/([\d.]+) % of the area/)[1])),
    );
  assert.ok(shares[2] < shares[1] / 2, `${shares}`);
  // A job that has started cannot change.
  await select(page, 100);
  await ask(page);
  await form(page).getByLabel("Change", { exact: true }).selectOption("job");
  await form(page).getByLabel("Estimate").fill("60");
  await form(page).getByLabel("Estimate").press("Enter");
  await page
    .locator(".lane-form .notice.bad")
    .getByText("What if: job 100 has started by then.")
    .waitFor();
  await page.locator(".lane-form").nth(3).getByRole("button", { name: "Remove what-if" }).click();
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 4);
  assert.deepEqual(said, []);
});

test("nodes of a torus out of service are crossed out in its picture", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await page.getByRole("tab", { name: "Machine" }).click();
  await page.getByRole("button", { name: "Use a 4×4×8 torus" }).click();
  await done(page, 2);
  await page.getByRole("tab", { name: "Timeline" }).click();
  await ask(page);
  await form(page).getByLabel("Change", { exact: true }).selectOption("closed");
  await form(page).getByLabel("First processor").fill("0");
  await form(page).getByLabel("Number", { exact: true }).fill("16");
  await form(page).getByLabel("For").fill("1e7");
  await form(page).getByRole("button", { name: "Run both futures" }).click();
  await done(page, 3);
  await page.getByRole("tab", { name: "Machine" }).click();
  await page.locator(".torus .bar select").first().selectOption({ index: 2 });
  await page.locator("[data-occupancy]").waitFor();
  // The layer z = 0 has these 16 nodes. Late in the run their jobs are over.
  await page
    .locator(".torus input[type=range]")
    .first()
    .evaluate((input) => {
      input.value = String(Number(input.min) + 0.8 * (Number(input.max) - Number(input.min)));
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
  await until(
    () => page.locator("[data-occupancy]").innerText(),
    (text) => /\b16 out of service\./.test(text),
  );
  const slices = page.getByRole("application", { name: /nodes in slices/ });
  let steps = 0;
  await until(
    async () => {
      await slices.press(steps++ % 4 === 3 ? "ArrowDown" : "ArrowRight");
      return (await page.locator("[role=status]").allInnerTexts()).join(" ");
    },
    (text) => /Node \(\d, \d, 0\): out of service/.test(text),
  );
  await findings(page, "a torus with nodes out of service");
  assert.deepEqual(
    said.filter((text) => !/WebGL|GPU|swiftshader/i.test(text)),
    [],
  );
});
