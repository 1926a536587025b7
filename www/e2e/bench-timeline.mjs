// Pans and zooms a timeline of a million jobs on each machine. Measures the times of the page's
// frames, and of the pictures from request to arrival. `node www/e2e/bench-timeline.mjs [JOBS]`;
// docs/performance.md has the figures.
import { done, stage, still } from "./support.mjs";

const jobs = Number(process.argv[2] ?? 1_000_000);
const MACHINES = [
  ["flat", "easy", {}],
  ["torus", "fcfs", { start_delay: 0 }],
  ["gang", "fcfs", {}],
  ["smt", "fcfs", {}],
  // Jobs that only compute, each on processors of its own: where processes are visible, the scale
  // is minutes and hours, not years.
  ["bsp", "fcfs", { coscheduling: "batch", noise_period: 0, runtime_factor: 0.01 }],
];
const s = await stage();
const of = (values, share) =>
  [...values].sort((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? Number.NaN;
for (const [machine, policy, shared] of MACHINES) {
  const context = await s.browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    globalThis.answers = [];
    const asked = new Map();
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (message?.path?.at(-1) === "draw") asked.set(message.id, performance.now());
      return post.call(this, message, ...rest);
    };
    const listen = Worker.prototype.addEventListener;
    Worker.prototype.addEventListener = function (name, listener, ...rest) {
      if (name === "message" && !this.isWatched) {
        this.isWatched = true;
        listen.call(this, "message", ({ data }) => {
          const at = asked.get(data?.id);
          if (at !== undefined) globalThis.answers.push(performance.now() - at);
          asked.delete(data?.id);
        });
      }
      return listen.call(this, name, listener, ...rest);
    };
  });
  const link = {
    trace: {
      kind: "model",
      model: "lublin",
      settings: { jobs, processors: 128, seed: 1 },
      name: `${jobs} jobs`,
    },
    ...(machine === "flat" ? {} : { machine }),
    shared,
    runs: [{ policy }],
  };
  // The page writes the links, because it has CompressionStream too.
  const fragment = await page.evaluate(async (state) => {
    const bytes = new Uint8Array(
      await new Response(
        new Blob([JSON.stringify(state)])
          .stream()
          .pipeThrough(new CompressionStream("deflate-raw")),
      ).arrayBuffer(),
    );
    return `1.${btoa(String.fromCharCode(...bytes))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "")}`;
  }, link);
  await page.goto(`${s.url}#${fragment}`);
  const began = performance.now();
  await done(page, 1, 900_000);
  const ran = (performance.now() - began) / 1000;
  await still(page);
  for (const [name, zooms] of [
    ["all", 0],
    ["1 %", 10],
  ]) {
    for (let zoom = 0; zoom < zooms; zoom += 1)
      await page.getByRole("button", { name: "Zoom in (W)" }).click();
    await still(page);
    const { frames, answers } = await page.evaluate(async (isAll) => {
      const canvas = document.querySelector("canvas.overlay");
      const box = canvas.getBoundingClientRect();
      globalThis.answers.length = 0;
      const frames = [];
      let last = await new Promise(requestAnimationFrame);
      for (let frame = 0; frame < 240; frame += 1) {
        const forth = frame % 80 < 40 ? 1 : -1;
        const wheel = isAll
          ? { ctrlKey: true, deltaY: -8 * forth }
          : { shiftKey: true, deltaY: 40 * forth };
        canvas.dispatchEvent(
          new WheelEvent("wheel", {
            ...wheel,
            clientX: box.left + box.width / 2,
            clientY: box.top + 50,
            bubbles: true,
            cancelable: true,
          }),
        );
        const now = await new Promise(requestAnimationFrame);
        frames.push(now - last);
        last = now;
      }
      return { frames, answers: [...globalThis.answers] };
    }, name === "all");
    const ms = (values, share) => of(values, share).toFixed(0).padStart(4);
    console.log(
      `${machine.padEnd(6)} ${policy.padEnd(5)} ${name.padEnd(4)} run ${ran.toFixed(0)} s; frames median ${ms(frames, 0.5)} ms, p95 ${ms(frames, 0.95)} ms; pictures median ${ms(answers, 0.5)} ms, p95 ${ms(answers, 0.95)} ms (${answers.length})`,
    );
  }
  await context.close();
}
await s.close();
