// Adaptive policies: the form adds candidates and their parameters, and the band shows the deciding
// candidates.
import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { chooseMore, done, findings, showView, stage } from "./support.mjs";

let st;
before(async () => (st = await stage()));
after(() => st.close());

const form = (page) => page.locator(".lane-form").last();
const status = (page) => page.locator(".lane-form").last().locator(".status");

/** Adds PBAS as the third run, with open parameters. */
async function withPbas(options) {
  const opened = await st.open(options);
  const { page } = opened;
  await done(page, 2);
  // The reading view has the set-up behind its menu.
  if (page.viewportSize().width < 720) await chooseMore(page, "Set-up");
  await page.getByRole("button", { name: "+ PBAS" }).click();
  await done(page, 3);
  await form(page)
    .locator("summary")
    .filter({ hasText: /^Parameters/ })
    .first()
    .click();
  return opened;
}

test("candidates, their parameters, and the band", async () => {
  const { page, said } = await withPbas();
  assert.deepEqual(
    await form(page)
      .locator(".candidates select[aria-label^=Candidate]")
      .evaluateAll((all) => all.map((one) => one.value)),
    ["flex", "maui"],
  );
  const offered = await page
    .getByLabel("Candidate 1", { exact: true })
    .locator("option")
    .allInnerTexts();
  assert.ok(
    offered.includes("Conservative") && !offered.includes("PBAS") && !offered.includes("Migration"),
    offered.join(),
  );
  // Adds a third candidate with a parameter of its own, and sets a frame of an hour.
  await page.getByRole("button", { name: "Add a candidate" }).click();
  await page.getByLabel("Candidate 3", { exact: true }).selectOption("maui");
  await form(page).getByText("Parameters of maui2").click();
  await form(page).locator(".candidates li").last().getByLabel("Reservation depth").fill("3");
  await page.keyboard.press("Tab");
  await form(page).getByLabel("Time frame").fill("3600");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
  const band = page.locator(".band canvas");
  const label = await band.getAttribute("aria-label");
  const shares =
    /^Deciding policies of run C: flex ([\d.]+) %, maui ([\d.]+) %, maui2 ([\d.]+) %; (\d+) switches$/.exec(
      label,
    );
  assert.ok(shares, label);
  assert.ok(
    Math.abs(Number(shares[1]) + Number(shares[2]) + Number(shares[3]) - 100) < 0.3 &&
      Number(shares[4]) > 0,
    label,
  );
  // The row of each deciding candidate has a mark.
  const rows = await band.evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const row = Math.floor(canvas.height / 3) * canvas.width * 4;
    return [0, 1, 2].map((at) =>
      data.subarray(at * row, (at + 1) * row).some((value, byte) => byte % 4 === 3 && value > 0),
    );
  });
  assert.deepEqual(
    rows,
    [1, 2, 3].map((at) => Number(shares[at]) > 0),
  );
  // The message about a candidate's setting names the candidate.
  await form(page).locator(".candidates li").last().getByLabel("Reservation depth").fill("5000");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await status(page).locator(".notice.bad").waitFor();
  assert.match(await status(page).innerText(), /Reservation depth.*5000.*candidate `maui2`/s);
  // Another policy in its place keeps nothing of it.
  await page.getByLabel("Candidate 3", { exact: true }).selectOption("easy");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
  assert.match(
    await page.locator(".band canvas").getAttribute("aria-label"),
    /flex .*, maui .*, easy /,
  );
  // The focus stays in the list when the keyboard moves and removes candidates.
  await page.getByRole("button", { name: "Move candidate 3 up" }).press("Enter");
  const focused = () =>
    page.evaluate(
      () =>
        new Promise((resolve) =>
          requestAnimationFrame(() => resolve(document.activeElement.getAttribute("aria-label"))),
        ),
    );
  assert.equal(await focused(), "Candidate 2");
  assert.equal(await page.getByLabel("Candidate 2", { exact: true }).inputValue(), "easy");
  await page.getByRole("button", { name: "Remove candidate 3" }).press("Enter");
  assert.equal(await focused(), "Candidate 2");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
  assert.match(
    await page.locator(".band canvas").getAttribute("aria-label"),
    /flex [\d.]+ %, easy [\d.]+ %;/,
  );
  assert.deepEqual(said, []);
});

for (const options of [
  { colorScheme: "light" },
  { colorScheme: "dark", viewport: { width: 400, height: 900 } },
]) {
  test(`axe finds nothing with candidates and band (${options.colorScheme})`, async () => {
    const { page } = await withPbas(options);
    await form(page).getByText("Parameters of flex").click();
    for (let more = 2; more < 8; more += 1)
      await page.getByRole("button", { name: "Add a candidate" }).click();
    assert.ok(await page.getByRole("button", { name: "Add a candidate" }).isDisabled());
    await page.getByRole("button", { name: "Run what changed" }).click();
    await done(page, 3);
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      0,
      "the page scrolls sideways",
    );
    await findings(page, "candidates open");
    if (options.viewport) {
      await showView(page, "Timeline");
      await page.locator(".band canvas").waitFor();
      await findings(page, "band");
    }
    if (process.env.SHOTS) {
      await page.screenshot({
        path: `${process.env.SHOTS}/adaptive-${options.colorScheme}.png`,
        fullPage: true,
      });
    }
  });
}

test("on a torus the candidates are policies of the torus", async () => {
  const { page } = await withPbas();
  await form(page).getByLabel("Machine").selectOption("torus");
  assert.deepEqual(
    await form(page)
      .locator(".candidates select[aria-label^=Candidate]")
      .evaluateAll((all) => all.map((one) => one.value)),
    ["bm", "easy"],
  );
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
  assert.match(
    await page.locator(".band canvas").getAttribute("aria-label"),
    /^Deciding policies of run C: bm/,
  );
  // The settings for a candidate of the other machine are still there.
  await form(page).getByLabel("Machine").selectOption("");
  await form(page).getByText("Parameters of flex").click();
  await form(page).getByLabel("Slack", { exact: true }).fill("2");
  await page.keyboard.press("Tab");
  await form(page).getByLabel("Machine").selectOption("torus");
  await page.getByRole("button", { name: "Run what changed" }).click();
  await done(page, 3);
});
