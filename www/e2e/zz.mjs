import { stage, done } from "./support.mjs";
const st = await stage();
const { page, said } = await st.open();
await done(page, 2);
await page.click("#tab-torus");
await page.getByText("Run them on a").click();
await page.waitForSelector(".torus .sentence");
await page.locator(".space canvas[data-ready=yes]").waitFor();
for (const [name, nodes] of [["X", "32"], ["Y", "32"], ["Z", "64"]]) {
    const field = page.locator(".experiment").getByRole("textbox", { name: `${name} nodes` });
    await field.fill(nodes);
    await field.press("Tab");
}
await page.getByRole("button", { name: "Run what changed" }).click();
await page.getByText(/of 65,536 nodes/).waitFor({ timeout: 60_000 });
console.log("there", await page.locator(".torus .sentence").innerText(), await page.locator(".status-text").allInnerTexts());
for (let i=0;i<4;i++) { const t=Date.now(); await page.getByRole("button", { name: "Next change" }).click(); await page.waitForTimeout(1000); console.log(Date.now()-t, await page.locator(".torus .sentence").getAttribute("data-occupancy"), await page.locator(".status-text").allInnerTexts()); }
const n = await page.evaluate(() => new Promise(r => { let n=0; const t=performance.now(); const f=()=>{ n++; if (performance.now()-t>2000) r(n); else requestAnimationFrame(f);}; f(); }));
console.log("frames in 2 s", n);
await page.screenshot({ path: "/tmp/t3.png" });
await st.close();
