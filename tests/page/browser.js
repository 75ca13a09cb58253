// A browser for the tests: Debian's chromium, every page watched for errors and for requests to elsewhere.
import assert from "node:assert/strict";
import fs from "node:fs";
import {chromium} from "playwright-core";

const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const sizes = {desktop: {width: 1280, height: 860}, phone: {width: 360, height: 740}};

// The profile is a new folder of playwright's, and goes with the browser.
export const launch = () => chromium.launch({executablePath, args});

// A page of its own context at `base`, with what went wrong in page.faults.
export async function open(browser, base, {size = "desktop", theme = "light", hash = ""} = {}) {
  const context = await browser.newContext({viewport: sizes[size], colorScheme: theme, hasTouch: size === "phone"});
  const page = await context.newPage();

  page.faults = [];
  page.setDefaultTimeout(8000);
  page.on("console", (message) => {
    // A refusal is an answer: chromium logs every 4xx of fetch as an error of the network.
    const isRefusal = /Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isRefusal) page.faults.push(message.text());
  });
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith("data:")) page.faults.push(`a request to ${request.url()}`);
  });
  await page.goto(`${base}/${hash}`);
  await page.locator("main > *").first().waitFor();
  return page;
}

// Nothing went wrong, and nothing is wider than the screen.
export async function close(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

  assert.ok(wide <= 0, `the page is ${wide} pixels wider than the screen`);
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

export const texts = (locator) => locator.allTextContents();

export async function eventually(what, check) {
  const end = Date.now() + 8000;

  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw new Error(`${what}: ${error.message}`);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  }
}

export const hasBrowser = () => fs.existsSync(executablePath);
