import { done, stage } from "./support.mjs";
const st = await stage();
for (const [w, scheme] of [[1440, "light"], [400, "dark"]]) {
  const { page, said } = await st.open({ viewport: { width: w, height: 1000 }, colorScheme: scheme });
  await done(page, 2);
  await page.getByRole("tab", { name: "Sharing" }).click();
  await page.getByRole("button", { name: "Run them in time slots" }).click();
  await done(page, 2);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `/tmp/gang-${w}.png`, fullPage: true });
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.waitForTimeout(800);
  await page.screenshot({ path: `/tmp/gangt-${w}.png` });
  console.log(said);
}
await st.close();
