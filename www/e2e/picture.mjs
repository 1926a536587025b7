// Takes the README's picture: `CHROMIUM=... node e2e/picture.mjs LOG.swf.gz`, in www/, after `cargo
// xtask build`.
import { join } from "node:path";
import { finished, root, stage, still } from "./support.mjs";

const log = process.argv[2];
if (!log) throw new Error("usage: node e2e/picture.mjs LOG.swf.gz");
const s = await stage();
const { page } = await s.open({ atRest: true, viewport: { width: 1440, height: 900 } });
await page.setInputFiles("input[type=file]", log);
await finished(page, log.split("/").at(-1));
const timeline = page.locator("canvas.overlay").nth(1);
const box = await timeline.boundingBox();
await page.mouse.click(box.x + box.width * 0.63, box.y + box.height * 0.3);
await page.locator(".job").waitFor();
await still(page);
await page.screenshot({ path: join(root, "docs/page.png") });
await s.close();
