// Measures the workspace with a large trace in four lanes: the page's frames while a reader pans and
// zooms, and the time from the end of a run to its results. Also measures the browser's memory before
// the trace is opened, with it, and after the sample has taken its place.
// `node www/e2e/bench-workspace.mjs [JOBS]`; docs/performance.md has the figures.
import { readdirSync, readFileSync } from "node:fs";
import { done, stage, still } from "./support.mjs";

const jobs = Number(process.argv[2] ?? 1_000_000);
const s = await stage();

/** Returns the memory of the browser's processes, in MB: shared pages count once (PSS). */
function memory() {
  const parents = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      parents.set(pid, readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")[1]);
    } catch {}
  const isOurs = (pid) =>
    pid === String(process.pid) || (parents.has(pid) && isOurs(parents.get(pid)));
  let sum = 0;
  for (const pid of parents.keys())
    if (pid !== String(process.pid) && isOurs(pid))
      try {
        const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
        sum += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
      } catch {}
  return Math.round(sum / 1024);
}

const of = (values, share) =>
  [...values].sort((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? Number.NaN;

const { page } = await s.open({
  atRest: true,
  before: (page) =>
    page.addInitScript(() => {
      globalThis.ends = [];
      const asked = new Map();
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message, ...rest) {
        if (message?.path?.at(-1) === "run") asked.set(message.id, true);
        return post.call(this, message, ...rest);
      };
      const listen = Worker.prototype.addEventListener;
      Worker.prototype.addEventListener = function (name, listener, ...rest) {
        if (name === "message" && !this.isWatched) {
          this.isWatched = true;
          listen.call(this, "message", ({ data }) => {
            if (!asked.delete(data?.id)) return;
            const answered = performance.now();
            const chips = document.querySelectorAll(".run-chip.done").length;
            const look = () => {
              if (document.querySelectorAll(".run-chip.done").length > chips)
                globalThis.ends.push(performance.now() - answered);
              else requestAnimationFrame(look);
            };
            look();
          });
        }
        return listen.call(this, name, listener, ...rest);
      };
    }),
});
await done(page, 2);
await still(page);
const rest = () => new Promise((resolve) => setTimeout(resolve, 5000));
const collect = async () => {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  await session.detach();
  await rest();
};
await collect();
const before = memory();
const link = (state) =>
  page.evaluate(async (state) => {
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
  }, state);
const fragment = await link({
  trace: {
    kind: "model",
    model: "lublin",
    settings: { jobs, processors: 128, seed: 1 },
    name: `${jobs} jobs`,
  },
  runs: [
    { policy: "fcfs" },
    { policy: "easy" },
    { policy: "priority" },
    { policy: "easy", settings: { depth: 2 } },
  ],
});
await page.evaluate((fragment) => {
  globalThis.ends.length = 0;
  location.hash = fragment;
}, fragment);
await page.locator(".chip", { hasText: `${jobs} jobs` }).waitFor({ timeout: 900_000 });
await done(page, 4, 900_000);
await still(page);
await collect();
const open = memory();
for (const [name, zooms] of [
  ["all", 0],
  ["1 %", 10],
]) {
  for (let zoom = 0; zoom < zooms; zoom += 1)
    await page.getByRole("button", { name: "Zoom in (W)" }).click();
  await still(page);
  const frames = await page.evaluate(async (isAll) => {
    const canvas = document.querySelector("canvas.overlay");
    const box = canvas.getBoundingClientRect();
    const frames = [];
    let last = await new Promise(requestAnimationFrame);
    for (let frame = 0; frame < 400; frame += 1) {
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
    return frames;
  }, name === "all");
  console.log(
    `four lanes, ${jobs} jobs, ${name}: frames median ${of(frames, 0.5).toFixed(1)} ms, p95 ${of(frames, 0.95).toFixed(1)} ms`,
  );
}
const ends = await page.evaluate(() => globalThis.ends);
console.log(`from a run's result to the page: ${ends.map((end) => end.toFixed(0)).join(", ")} ms`);
// The sample takes the place of the trace.
await page.evaluate(() => (location.hash = ""));
await page.locator(".chip", { hasText: "Sample" }).waitFor();
await done(page, 2);
await still(page);
await collect();
const after = memory();
console.log(
  `memory of the browser: before ${before} MB, with the trace ${open} MB, after ${after} MB (${(after / before).toFixed(2)} of before)`,
);
await s.close();
