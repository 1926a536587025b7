// Exercises: made on the board and in the form, shared, answered, and the answers of a class read.
import { after, before, test } from "node:test";
import {
  assert,
  done,
  download,
  drop,
  findings,
  frames,
  placed,
  stage,
  still,
  until,
} from "./support.mjs";

let s;
before(async () => (s = await stage()));
after(() => s.close());

/** Two jobs that fit side by side, and one that has to wait for the first. */
const JOBS = [
  [0, 6, 100],
  [0, 2, 30],
  [10, 4, 50],
];

const LETTERS = ["A", "B"];

/** An exercise on eight processors under FCFS. */
const EXERCISE = {
  schedscope_exercise: 1,
  title: "Three jobs",
  chapters: [
    {
      title: "Who waits?",
      text: "One of them **waits**.",
      processors: 8,
      jobs: JOBS.map(([arrives, processors, runs]) => ({ arrives, processors, runs })),
      runs: [{ policy: "fcfs" }],
      hidden: ["all"],
      questions: [
        { ask: "When does job 3 start?", number: { of: "start", job: 3, run: "A" }, unit: "s" },
        { ask: "Which jobs wait at 20 s?", jobs: { jobs: "waiting", at: 20, run: "A" } },
        { ask: "Why does job 3 wait?", why: 3, run: "A", told: "Only 2 are free." },
      ],
    },
  ],
};

const file = (name, content) => ({
  name,
  mimeType: "application/json",
  buffer: Buffer.from(typeof content === "string" ? content : JSON.stringify(content)),
});

const answers = (name, ...given) => ({
  schedscope_answers: 1,
  name,
  exercise: EXERCISE,
  answers: [given],
});

async function teach(page) {
  await page
    .getByRole("navigation", { name: "Views" })
    .getByRole("button", { name: "Teach me" })
    .click();
  await page.getByRole("region", { name: "Exercises" }).waitFor();
}

async function make(page) {
  await teach(page);
  await page.getByRole("button", { name: "Make an exercise" }).click();
  await page.getByRole("group", { name: "Jobs as they arrive" }).waitFor();
  return page.getByRole("region", { name: "Make an exercise" });
}

/** Adds the three jobs in the form. */
async function fill(page, form) {
  for (const [at, [arrives, processors, runs]] of JOBS.entries()) {
    await form.getByRole("button", { name: "Add a job" }).click();
    const arrival = form.getByLabel(`Arrival of job ${at + 1}`);
    await arrival.waitFor().catch(async ({ message }) => {
      // A click was lost once, on a busy machine.
      throw new Error(`${message}\n${await page.locator("body").ariaSnapshot()}`);
    });
    await arrival.fill(String(arrives));
    await form.getByLabel(`Processors of job ${at + 1}`).fill(String(processors));
    await form.getByLabel(`Run time of job ${at + 1}`).fill(String(runs));
    await form.getByLabel(`Estimate of job ${at + 1}`).fill(String(runs));
  }
  await done(page, 0);
}

const jobsOn = (form) =>
  form
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll("input")].map(({ value }) => Number(value))),
    );

test("the form keeps still while runs start", async () => {
  const { page } = await s.open();
  await done(page, 2);
  const form = await make(page);
  const add = form.getByRole("button", { name: "Add a job" });
  await add.click();
  const places = await add.evaluateHandle((button) => {
    const seen = new Set();
    const look = () => {
      seen.add(button.getBoundingClientRect().top);
      requestAnimationFrame(look);
    };
    look();
    return seen;
  });
  await done(page, 0);
  await form.getByLabel("Run time of job 1").fill("100");
  await page.getByText("100.0", { exact: true }).first().waitFor();
  assert.equal(await places.evaluate((seen) => seen.size), 1);
});

test("the board comes with the form, and does not move", async () => {
  const { page } = await s.open();
  await done(page, 2);
  // The code of the form comes later than that of the board, which has time to show itself.
  const board = page.waitForResponse(/part-board-/).then((response) => response.finished());
  await page.route(/part-editor-/, async (route) => {
    await board;
    await frames(page, 10);
    await route.continue();
  });
  const places = await page.evaluateHandle(() => {
    const seen = new Set();
    const look = () => {
      const board = document.querySelector(".board-surface");
      if (board) seen.add(board.getBoundingClientRect().left);
      requestAnimationFrame(look);
    };
    look();
    return seen;
  });
  const form = await make(page);
  await form.getByRole("button", { name: "Add a job" }).waitFor();
  await still(page);
  assert.equal(await places.evaluate((seen) => seen.size), 1);
});

test("jobs are drawn, moved and changed on the board, with mouse and keys", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const form = await make(page);
  // Without a job there is nothing to run, and nothing of the page before.
  assert.equal(await page.locator(".lane").count(), 0);
  assert.ok(await form.getByRole("button", { name: "Try it" }).isDisabled());
  const board = page.getByRole("group", { name: "Jobs as they arrive" });
  const box = await placed(page, board);
  // An empty board has 240 s and ten rows above the time axis.
  const x = (seconds) => box.x + (box.width * seconds) / 240;
  const y = (rows) => box.y + (box.height - 20) * (1 - rows / 10);
  const pull = async (from, to) => {
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move(...to, { steps: 4 });
    await page.mouse.up();
  };
  await pull([x(20), y(0.5)], [x(100), y(4.2)]);
  assert.deepEqual(await jobsOn(form), [[20, 4, 80, 80]]);
  await page.getByRole("figure").locator("canvas.overlay").first().waitFor();
  const job = page.getByRole("button", { name: /^Job 1: arrives at 20 s/ });
  await job.focus();
  for (const key of ["ArrowRight", "ArrowUp", "Shift+ArrowLeft"]) await page.keyboard.press(key);
  // The board ends at 115 s now, and a step is 2 s.
  assert.deepEqual(await jobsOn(form), [[22, 5, 78, 78]]);
  const at = await placed(page, page.locator(".board-job rect").first());
  await pull([at.x + at.width / 2, at.y + at.height / 2], [at.x, at.y + at.height / 2]);
  const [[moved, ...size]] = await jobsOn(form);
  assert.ok(moved < 22);
  assert.deepEqual(size, [5, 78, 78]);
  const now = await placed(page, page.locator(".board-job rect").first());
  await pull(
    [now.x + now.width - 2, now.y + now.height / 2],
    [now.x + now.width / 2, now.y + now.height / 2],
  );
  assert.ok((await jobsOn(form))[0][2] < 50);
  await page.getByRole("button", { name: /^Job 1:/ }).focus();
  await page.keyboard.press("Delete");
  assert.equal(await form.locator("tbody tr").count(), 0);
  await page.getByRole("button", { name: "Undo" }).click();
  assert.equal(await form.locator("tbody tr").count(), 1);
  assert.deepEqual(said, []);
});

test("an exercise is made in the form, with right answers from the runs, and survives Back", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  const form = await make(page);
  await fill(page, form);
  await form.getByRole("button", { name: "Add a run" }).click();
  const question = async (number, kind, fields) => {
    await form.getByRole("button", { name: "Add a question" }).click();
    const one = form.getByRole("group", { name: `Question ${number}` });
    await one.getByLabel(`Kind of question ${number}`).selectOption({ label: kind });
    for (const [name, value] of Object.entries(fields)) {
      const list = one.getByRole("combobox", { name, exact: true });
      if ((await list.count()) > 0) await list.selectOption({ label: value });
      else await one.getByRole("spinbutton", { name, exact: true }).fill(value);
    }
    const said = one.locator(".editor-answer, .notice.bad");
    return { one, words: () => one.getByLabel("Question", { exact: true }).inputValue(), said };
  };
  const start = await question(1, "When, or how long: a job", { Job: "3" });
  assert.equal(await start.words(), "When does job 3 start in run A?");
  await start.said.filter({ hasText: "Answer: 100 s" }).waitFor();
  const waiting = await question(2, "Which jobs", {
    "Jobs that": "wait at an instant",
    "At, s": "20",
  });
  await waiting.said.filter({ hasText: "Answer: job 3" }).waitFor();
  const why = await question(3, "Why a job waits", { Job: "3" });
  await why.said.filter({ hasText: "Answer: for free processors" }).waitFor();
  const best = await question(4, "Which run is best", {});
  assert.equal(await best.words(), "Which run has the shortest mean wait?");
  await best.said.filter({ hasText: "Answer: A: FCFS and B: EASY" }).waitFor();
  const own = await question(5, "Options of your own", {});
  await own.one.getByLabel("Option 1 is right").uncheck();
  await own.said.filter({ hasText: "No option is marked" }).waitFor();
  await own.one.getByLabel("Option 2 is right").check();
  await own.said.filter({ hasText: "Answer: No" }).waitFor();
  // A change of the jobs changes the answers.
  await form.getByLabel("Run time of job 1").fill("70");
  await start.said.filter({ hasText: "Answer: 70 s" }).waitFor();
  // The author's own words stay when a field changes.
  await start.one.getByLabel("Question", { exact: true }).fill("And the third?");
  await start.one.getByRole("combobox", { name: "Job" }).selectOption({ label: "1" });
  await start.said.filter({ hasText: "Answer: 0 s" }).waitFor();
  assert.equal(await start.words(), "And the third?");
  await form.getByRole("button", { name: "Remove question 5" }).click();
  await form.getByRole("group", { name: "Question 5" }).waitFor({ state: "detached" });
  await form.getByRole("button", { name: "Add a chapter" }).click();
  await form.getByText("Chapter 2 of 2").waitFor();
  assert.equal((await jobsOn(form)).length, 3);
  await still(page);
  await form.getByRole("button", { name: "Leave" }).click();
  await page.locator(".chip", { hasText: "Sample" }).waitFor();
  await done(page, 2);
  await still(page);
  // Nothing is lost: the exercise is in the entry before.
  await page.goBack();
  await page.getByText("Chapter 2 of 2").waitFor();
  await page.getByRole("button", { name: "Previous" }).click();
  await page.getByLabel("Kind of question 4").waitFor();
  await still(page);
  await page.reload();
  await page.getByText("Chapter 1 of 2").waitFor();
  assert.deepEqual(said, []);
});

test("a class answers by a link, saves files, and its teacher reads them", async () => {
  const { page, said, context } = await s.open();
  await done(page, 2);
  await drop(page, "three.exercise.json", JSON.stringify(EXERCISE));
  const guide = page.getByRole("region", { name: "Tour", exact: true });
  await guide.getByText("When does job 3 start?").first().waitFor();
  assert.equal(await guide.locator(".told b").textContent(), "waits");
  await still(page);
  // The address is the link for the class.
  const student = await context.newPage();
  await student.goto(page.url());
  const one = student.getByRole("region", { name: "Tour", exact: true });
  assert.ok(await one.getByRole("button", { name: "Save my answers" }).isDisabled());
  await one.getByRole("textbox", { name: "When does job 3 start?" }).fill("100");
  await one.getByRole("button", { name: "Reveal" }).click();
  await one.getByText("Correct: 100 s.").waitFor();
  await one.getByLabel("Job 2:").check();
  await one.getByRole("button", { name: "Reveal" }).click();
  await one.getByText("Not quite: job 3.").waitFor();
  // Wanting only to know is kept as no answer, so that a later answer is not the first.
  await one.getByRole("button", { name: "Reveal" }).click();
  await one.getByText("Only 2 are free.").waitFor();
  await one.getByText("3 of 3 answered").waitFor();
  await one.getByLabel("Your name, as your teacher should read it").fill("Ada");
  const { name, bytes } = await download(student, () =>
    one.getByRole("button", { name: "Save my answers" }).click(),
  );
  assert.equal(name, "three-jobs-ada.answers.json");
  assert.deepEqual(JSON.parse(bytes.toString()), answers("Ada", [100], [2], []));
  await student.close();

  await guide.getByRole("button", { name: "Leave the exercise" }).click();
  await done(page, 2);
  await teach(page);
  await page.getByRole("button", { name: "Read a class's answers" }).click();
  await page
    .getByLabel("Files of answers", { exact: true })
    .setInputFiles([
      { name, mimeType: "application/json", buffer: bytes },
      file("b.json", answers("Bob", [60], [3], [1])),
      file("c.json", answers("", [60], null, [1])),
      file("plan.json", { schedscope_plan: 1 }),
      file("damaged.json", "{"),
    ]);
  const group = page.getByRole("region", { name: "Three jobs", exact: true });
  const rows = (label) =>
    group
      .getByRole("region", { name: label })
      .locator("tbody tr")
      .evaluateAll((rows) =>
        rows.map((row) => [...row.children].map(({ textContent }) => textContent.trim())),
      );
  await until(
    () => group.locator("tbody tr").count(),
    (count) => count === 6,
  );
  assert.deepEqual(await rows("Answers to Three jobs"), [
    ["Bob", "2", "✗ 60 s, wrong", "✓ job 3, right", "✓ for free processors, right"],
    ["c.json", "1", "✗ 60 s, wrong", "not answered", "✓ for free processors, right"],
    ["Ada", "1", "✓ 100 s, right", "✗ job 2, wrong", "not answered"],
  ]);
  assert.deepEqual(
    (await rows("Questions of Three jobs")).map(([, , ...rest]) => rest),
    [
      ["100 s", "1", "3", "60 s (2)"],
      ["job 3", "1", "2", "job 2 (1)"],
      ["for free processors", "2", "2", "–"],
    ],
  );
  await page.getByText("2 files were left out").click();
  await page.getByText(/plan\.json: .*schedscope_answers is not there/).waitFor();
  await page.getByText(/damaged\.json: It is not JSON/).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.locator(".lane").first().waitFor();
  assert.deepEqual(said, []);
});

test("first answers stay through Back, and where the exercise was left", async () => {
  const { page, context } = await s.open();
  await done(page, 2);
  const two = {
    ...EXERCISE,
    chapters: [EXERCISE.chapters[0], { title: "More", text: "", runs: [{ policy: "easy" }] }],
  };
  await drop(page, "two.exercise.json", JSON.stringify(two));
  const guide = page.getByRole("region", { name: "Tour", exact: true });
  // The page writes thousands with commas, and so may readers.
  await guide.getByRole("textbox", { name: "When does job 3 start?" }).fill("1,000");
  await guide.getByRole("button", { name: "Reveal" }).click();
  await guide.getByText("Not quite: 100 s.").waitFor();
  await still(page);
  await guide.getByRole("button", { name: "Next chapter" }).click();
  await guide.getByText("chapter 2 of 2").waitFor();
  await still(page);
  await page.goBack();
  await guide.getByText("chapter 1 of 2 · 0 of 1 right").waitFor();
  await guide.getByRole("textbox", { name: "When does job 3 start?" }).fill("100");
  await guide.getByRole("button", { name: "Reveal" }).click();
  await guide.getByText("Correct: 100 s.").waitFor();
  await guide.getByText("1 of 3 answered").waitFor();
  await guide.getByRole("button", { name: "Leave the exercise" }).click();
  await page.locator(".chip", { hasText: "Sample" }).waitFor();
  await done(page, 2);
  await drop(page, "two.exercise.json", JSON.stringify(two));
  await guide.getByText("1 of 3 answered").waitFor();
  await guide.getByLabel("Your name, as your teacher should read it").fill("Ada");
  const { bytes } = await download(page, () =>
    guide.getByRole("button", { name: "Save my answers" }).click(),
  );
  assert.deepEqual(JSON.parse(bytes.toString()).answers, [[[1000], null, null], []]);
  await context.close();
});

test("an exercise is made of the runs on the page, and tried by its author", async () => {
  const { page, said } = await s.open();
  await done(page, 2);
  await drop(page, "two.swf", "; MaxProcs: 4\n1 50 -1 20 3 -1 -1 3 30 -1 1 1 1 1 1 1 -1 -1\n");
  await page.locator(".chip", { hasText: "two.swf" }).waitFor();
  await done(page, 2);
  await teach(page);
  await page.getByRole("button", { name: "Use the page's jobs" }).click();
  const form = page.getByRole("region", { name: "Make an exercise" });
  await form.getByLabel("Arrival of job 1").waitFor();
  await form.getByText("requests for nodes, GPUs, memory and partitions are not taken").waitFor();
  assert.deepEqual(await jobsOn(form), [[0, 3, 20, 30]]);
  for (const letter of LETTERS)
    assert.equal(
      await form.getByLabel(`What is hidden of run ${letter}`).inputValue(),
      "all",
      letter,
    );
  await form.getByRole("button", { name: "Add a question" }).click();
  await form.getByText("Answer: 0 s").waitFor();
  await form.getByRole("button", { name: "Try it" }).click();
  await page.getByRole("button", { name: "Reveal" }).waitFor();
  assert.equal(await page.locator(".metrics").count(), 0);
  await page.getByRole("button", { name: "Back to the editor" }).click();
  await form.getByText("Answer: 0 s").waitFor();
  await form.getByRole("button", { name: "Leave" }).click();
  await page.locator(".chip", { hasText: "two.swf" }).waitFor();
  await done(page, 2);
  // The sample is too long for an exercise.
  await page.goto(s.url);
  await done(page, 2);
  await teach(page);
  assert.equal(await page.getByRole("button", { name: "Use the page's jobs" }).count(), 0);
  assert.deepEqual(said, []);
});

test("a bad exercise says what is wrong, and changes nothing", async () => {
  const { page } = await s.open();
  await done(page, 2);
  const [chapter] = EXERCISE.chapters;
  const with_ = (change) => JSON.stringify({ ...EXERCISE, chapters: [{ ...chapter, ...change }] });
  for (const [content, words] of [
    [with_({ jobs: [{ arrives: 0 }] }), "exercise.chapters[0].jobs[0].processors is not there."],
    [with_({ colour: 1 }), "exercise.chapters[0].colour is not a known field."],
  ]) {
    await drop(page, "bad.exercise.json", content);
    await page.getByRole("alert").filter({ hasText: words }).waitFor();
    assert.equal(await page.locator(".guide").count(), 0);
    await page.getByRole("button", { name: "Dismiss" }).click();
  }
  // A question about what is not there is told, and the page goes on.
  await drop(
    page,
    "odd.exercise.json",
    with_({ questions: [{ ask: "?", number: { of: "start", job: 9, run: "B" } }] }),
  );
  await page.getByRole("alert").filter({ hasText: "There is no run B." }).waitFor();
  await page.getByText("This chapter cannot be shown.").waitFor();
  await drop(page, "odd.exercise.json", with_({ runs: [{ policy: "nope" }] }));
  await page.getByRole("alert").filter({ hasText: "There is no policy `nope`." }).waitFor();
  await page.getByText("This chapter cannot be shown.").waitFor();
  // A job that can never start is told, not lost in silence.
  await drop(page, "odd.exercise.json", with_({ processors: 5 }));
  await page.getByText("too small for job 1, and the runs leave it out").waitFor();
  await page.getByRole("button", { name: "Leave the exercise" }).click();
  await page.locator(".chip", { hasText: "Sample" }).waitFor();
  await done(page, 2);
});

for (const colorScheme of ["light", "dark"])
  test(`axe finds nothing in the editor and in the answers of a class: ${colorScheme}`, async () => {
    const { page } = await s.open({ colorScheme });
    await done(page, 2);
    const form = await make(page);
    await fill(page, form);
    await form.getByRole("button", { name: "Add a question" }).click();
    await form.locator(".editor-answer").waitFor();
    await still(page);
    await findings(page);
    await form.getByRole("button", { name: "Leave" }).click();
    await done(page, 2);
    await teach(page);
    await still(page);
    await findings(page);
    await page.getByRole("button", { name: "Read a class's answers" }).click();
    await page
      .getByLabel("Files of answers", { exact: true })
      .setInputFiles([file("b.json", answers("Bob", [60], [3], [1])), file("d.json", "{")]);
    await page.locator(".is-wrong").waitFor();
    await page.getByText("1 file was left out").click();
    await findings(page);
  });
