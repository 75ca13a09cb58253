// The pictures of the documentation, in the folder $PICTURES: tests/page.sh PROGRAM BUILD FOLDER.
import {eventually, launch, open} from "./browser.js";

const shop = process.env.SHOP_URL.replace(/\/$/, ""), logic = process.env.LOGIC_URL.replace(/\/$/, "");
const browser = await launch();

async function picture(name, base, hash, {size, theme, height, prepare} = {}) {
  const page = await open(browser, base, {size, theme, hash});

  if (height) await page.setViewportSize({width: size === "phone" ? 360 : 1180, height});
  await page.evaluate(() => document.fonts.ready);
  if (prepare) await prepare(page);
  await page.mouse.move(0, 0);
  await page.waitForTimeout(600);
  await page.screenshot({path: `${process.env.PICTURES}/page-${name}.png`});
  await page.context().close();
}

const openRow = async (page) => {
  await page.locator(".row-title").first().click();
  await page.locator(".reasons").waitFor();
};

await picture("recommend", shop, "#/recommend?h=i48,i32,!i7,i21", {height: 760, prepare: async (page) => {
  await page.locator(".row-title").first().waitFor();
  await page.getByRole("button", {name: /^Flip/}).nth(3).click();
  await eventually("moves", () => page.locator(".move.up, .move.down").first().waitFor());
  await openRow(page);
}});
await picture("phone", shop, "#/recommend?h=i48,!i7", {size: "phone", theme: "dark", height: 700, prepare: openRow});
await picture("expression", logic, `#/expression?e=${encodeURIComponent("(v1 & !v2) | (v3 -> v4 & v5)")}`, {height: 720,
  prepare: (page) => page.locator(".exact dl").waitFor()});
await picture("laws", logic, "#/laws", {height: 640, prepare: (page) => page.locator(".law").first().waitFor()});
await picture("map", logic, "#/map?at=v7", {height: 640, theme: "dark", prepare: (page) => page.locator(".near li").first().waitFor()});
await browser.close();
