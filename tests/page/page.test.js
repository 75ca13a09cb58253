// The page, by what a person does and sees: page.test.js, with the addresses of four servers in SHOP_URL (a
// recommender with titles, a store and training), LOGIC_URL (a logic model with its data), PLAIN_URL (a model that only
// counts) and LOCKED_URL (one that wants the key in KEY).
import assert from "node:assert/strict";
import {after, before, test} from "node:test";
import {close, eventually, launch, open, texts} from "./browser.js";

const [shop, logic, plain, locked] = ["SHOP_URL", "LOGIC_URL", "PLAIN_URL", "LOCKED_URL"].map((name) => process.env[name]?.replace(/\/$/, ""));
let browser;

before(async () => { browser = await launch(); });
after(() => browser.close());

const rows = (page) => page.locator(".row-item .title");
const settled = (page) => rows(page).first().waitFor();

async function choose(page, words, key = "Enter") {
  const box = page.getByRole("combobox", {name: "Search items"});

  await box.fill(words);
  await page.locator(".option[aria-selected=true]").first().waitFor();
  const title = await page.locator(".option[aria-selected=true] .option-title").textContent();
  await box.press(key);
  await page.locator(".chip-title", {hasText: title}).first().waitFor();
  return title;
}

// ---- recommend ----

for (const size of ["desktop", "phone"])
  test(`recommend: likes and dislikes sort the list (${size})`, async () => {
    const page = await open(browser, shop, {size, hash: "#/recommend"});

    await settled(page);
    const before = await texts(rows(page));
    const liked = await choose(page, "harbour"), disliked = await choose(page, "violin", "Shift+Enter");
    assert.match(liked, /Harbour/);
    await eventually("the list changes", async () => assert.notDeepEqual(await texts(rows(page)), before));
    assert.deepEqual(await texts(page.locator(".chip .sign")), ["likes", "dislikes"]);
    assert.ok(!(await texts(rows(page))).includes(liked), "what is in the history is not recommended");
    await eventually("moves are marked", async () => assert.ok(await page.locator(".move.up, .move.down, .move.new").count() > 0));

    // Flip, and the list follows; flip again, and it is the same as before.
    const first = await texts(rows(page));
    await page.getByRole("button", {name: `Flip ${disliked}`, exact: true}).click();
    await eventually("flipping re-sorts", async () => assert.notDeepEqual(await texts(rows(page)), first));
    await page.getByRole("button", {name: `Flip ${disliked}`, exact: true}).click();
    await eventually("flipping back restores", async () => assert.deepEqual(await texts(rows(page)), first));

    // The reasons of a row: a signed bar for each, and the formula.
    await page.locator(".row-title").first().click();
    await page.locator(".reasons").waitFor();
    assert.equal(await page.locator(".reason").count(), 2);
    assert.equal(await page.locator(".reason .bar").count(), 2);
    for (const number of await texts(page.locator(".reason .number"))) assert.match(number, /^[+−]\d+\.\d\d$/);
    const formula = await page.locator(".formula").textContent();
    assert.match(formula, /^¬\( .* ∧ ¬.* \) ∨ /);
    assert.ok(formula.endsWith(await page.locator(".row-item.open .title").textContent()));

    // Drop one: one reason is left.
    await page.getByRole("button", {name: `Remove ${disliked}`, exact: true}).click();
    await eventually("dropping a chip", async () => assert.equal(await page.locator(".chip").count(), 1));
    await close(page);
  });

test("recommend: a bar is what the server says, with its sign", async () => {
  const page = await open(browser, shop, {hash: "#/recommend?h=i1,!i2,i3"});

  await settled(page);
  const answer = await (await page.request.post(`${shop}/api/v1/recommend`, {data: {k: 10, reasons: true,
    history: [{item: "i1", liked: true}, {item: "i2", liked: false}, {item: "i3", liked: true}]}})).json();
  assert.deepEqual(await texts(rows(page)), answer.items.map((row) => row.title));
  await page.locator(".row-title").nth(2).click();
  const shown = (await texts(page.locator(".reason .number"))).map((text) => Number(text.replace("−", "-")));
  answer.items[2].reasons.forEach((reason, i) => {
    assert.ok(Math.abs(shown[i] - reason.contribution) < 0.006, `${shown[i]} and ${reason.contribution}`);
  });
  const sides = await page.locator(".reason .bar").evaluateAll((bars) => bars.map((bar) => bar.classList.contains("for")));
  assert.deepEqual(sides, answer.items[2].reasons.map((reason) => reason.contribution > 0));
  await close(page);
});

test("recommend: chips by keyboard, and the address holds it all", async () => {
  const page = await open(browser, shop, {hash: "#/recommend?h=i1,!i2,i3"});
  const order = () => page.locator(".chip").evaluateAll((chips) => chips.map((chip) => chip.dataset.key).join(" "));

  await settled(page);
  assert.equal(await order(), "i1 i2 i3");
  await page.locator(".chip").first().focus();
  await page.keyboard.press("Alt+ArrowDown");
  assert.equal(await order(), "i2 i1 i3");
  await page.keyboard.press("Space");
  assert.match(page.url(), /h=!i2,!i1,i3/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Delete");
  assert.equal(await order(), "i2 i1");
  assert.match(await page.locator("#status").textContent(), /is removed/);
  const url = page.url(), list = await texts(rows(page));

  // Somebody else opens the address and sees the same.
  const other = await open(browser, shop, {hash: new URL(url).hash});
  await settled(other);
  await eventually("the shared list", async () => assert.deepEqual(await texts(rows(other)), await texts(rows(page))));
  assert.ok((await texts(other.locator(".chip-title"))).every((title) => /^The /.test(title)), "a shared address has titles");
  await close(other);

  // Back undoes the last change.
  await page.goBack();
  await eventually("back", async () => assert.equal(await order(), "i2 i1 i3"));
  assert.ok(list.length > 0);
  await close(page);
});

for (const size of ["desktop", "phone"])
  test(`recommend: chips are dragged (${size})`, async () => {
    const page = await open(browser, shop, {size, hash: "#/recommend?h=i1,i2,i3"});
    const order = () => page.locator(".chip").evaluateAll((chips) => chips.map((chip) => chip.dataset.key).join(" "));

    await settled(page);
    const from = await page.locator(".grip").first().boundingBox(), to = await page.locator(".grip").nth(2).boundingBox();
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2 + 4, {steps: 6});
    await page.mouse.up();
    await eventually("dragging", async () => assert.equal(await order(), "i2 i3 i1"));
    await close(page);
  });

test("recommend: a user's like is stored and the next list knows it", async () => {
  const page = await open(browser, shop, {hash: "#/recommend?user=u1"});

  await settled(page);
  const title = await rows(page).first().textContent();
  await page.locator(".row-item").first().hover();
  await page.getByRole("button", {name: `Like ${title}`, exact: true}).click();
  await page.locator(".toast", {hasText: "Stored"}).waitFor();
  await eventually("the next list", async () => assert.ok(!(await texts(rows(page))).includes(title)));
  const events = await (await page.request.get(`${shop}/api/v1/events?user=u1`)).json();
  assert.ok(events.events.length >= 1);
  await close(page);
});

test("recommend: nothing found, an unknown user", async () => {
  const page = await open(browser, shop, {hash: "#/recommend"});

  await settled(page);
  await page.getByRole("combobox", {name: "Search items"}).fill("zzzz");
  await page.getByText("No item has these words.").first().waitFor();
  await page.getByLabel("For the user").fill("nobody-knows");
  await page.getByLabel("For the user").press("Enter");
  await page.locator(".problem", {hasText: "nobody-knows"}).waitFor();
  await close(page);
});

// ---- expression ----

for (const size of ["desktop", "phone"])
  test(`expression: typed, drawn, negated by a click (${size})`, async () => {
    const page = await open(browser, logic, {size, hash: "#/expression"});
    const box = page.getByRole("textbox", {name: "Expression"});

    await box.fill("v1 & !v2 -> v3");
    await page.locator(".network").first().waitFor();
    const answer = await (await page.request.post(`${logic}/api/v1/graph`, {data: {expression: "v1 & !v2 -> v3"}})).json();
    await eventually("the number", async () => assert.equal(await page.locator(".gauge-number").textContent(), answer.probability.toFixed(3)));
    const written = page.locator(".pane").first(), normal = page.locator(".pane").nth(1);
    assert.equal(await written.locator(".node").count(), answer.nodes.length);
    assert.equal(await normal.locator(".node").count(), answer.normal_form.nodes.length);
    assert.deepEqual(await texts(written.locator(".symbol")), ["¬", "∧", "→"]);
    assert.deepEqual(await texts(written.locator(".truth")), answer.nodes.filter((n) => n.operands.length).map((n) => n.truth.toFixed(2)));
    assert.deepEqual(await texts(written.locator(".leaf-truth")), answer.nodes.filter((n) => !n.operands.length).map((n) => n.truth.toFixed(2)));

    // True is blue, false is orange.
    const fills = await written.locator(".node .shape").evaluateAll((shapes) => shapes.map((shape) => shape.style.fill));
    assert.ok(fills.some((fill) => fill.includes("--true")) && fills.some((fill) => fill.includes("--false")));

    // A click on a variable negates it, in the text and in the network; another takes it back.
    await written.locator(".leaf.live", {hasText: "v3"}).click();
    await eventually("negated", async () => assert.equal(await box.inputValue(), "v1 & !v2 -> !v3"));
    await eventually("drawn again", async () => assert.equal(await written.locator(".symbol").count(), 4));
    await written.locator(".leaf.live", {hasText: "v2"}).focus();
    await page.keyboard.press("Enter");
    await eventually("by keyboard", async () => assert.equal(await box.inputValue(), "v1 & v2 -> !v3"));
    assert.match(page.url(), /e=v1%20%26%20v2%20-%3E%20!?/);
    await close(page);
  });

test("expression: a fault is underlined at its column", async () => {
  const page = await open(browser, logic, {hash: "#/expression"});
  const box = page.getByRole("textbox", {name: "Expression"});

  await box.fill("v1 & & v2");
  await page.locator(".fault", {hasText: "Column 6"}).waitFor();
  assert.equal(await page.locator(".under mark").textContent(), "&".trim() || "&");
  assert.equal(await page.locator(".under").evaluate((under) => under.firstChild.textContent), "v1 & ");
  assert.equal(await box.getAttribute("aria-invalid"), "true");
  await box.fill("v1 & nosuch");
  await eventually("an unknown name", async () => assert.match(await page.locator(".fault").textContent(), /nosuch/));
  await box.fill("v1 & v2");
  await eventually("mended", async () => assert.equal(await page.locator(".fault").textContent(), ""));
  await close(page);
});

test("expression: keys and examples, and exact reasoning beside it", async () => {
  const page = await open(browser, logic, {size: "phone", hash: "#/expression?e=v1"});
  const box = page.getByRole("textbox", {name: "Expression"});

  await page.locator(".network").first().waitFor();
  await box.focus();
  await page.keyboard.press("End");
  await page.getByRole("button", {name: "∨", exact: true}).click();
  await page.keyboard.type("v2");
  await eventually("typed by keys", async () => assert.deepEqual(await texts(page.locator(".pane").first().locator(".symbol")), ["∨"]));
  await page.locator(".exact .number").first().waitFor();
  await page.locator(".examples .link-button").first().click();
  await eventually("an example", async () => assert.match(await box.inputValue(), /&/));
  await close(page);
});

// ---- laws ----

for (const size of ["desktop", "phone"])
  test(`laws: bars, and the worst examples on click (${size})`, async () => {
    const page = await open(browser, logic, {size, hash: "#/laws"});
    const answer = await (await page.request.get(`${logic}/api/v1/laws`)).json();

    await page.locator(".law").first().waitFor();
    assert.equal(await page.locator(".law").count(), answer.laws.length);
    const widths = await page.locator(".law-bar span").evaluateAll((bars) => bars.map((bar) => parseFloat(bar.style.width)));
    answer.laws.forEach((law, i) => assert.ok(Math.abs(widths[i] - 100 * law.kept) < 0.1));
    await page.locator(".law-head").nth(1).click();
    await page.locator(".worst").first().waitFor();
    assert.match(page.url(), /law=/);
    await close(page);
  });

// ---- map ----

for (const size of ["desktop", "phone"])
  test(`map: searched, neighbours on click, zoom and pan (${size})`, async () => {
    const page = await open(browser, shop, {size, hash: "#/map"});
    const canvas = page.locator(".plane");
    const picture = () => canvas.evaluate((c) => c.toDataURL());

    await page.locator(".map-search p", {hasText: "48 points"}).waitFor();
    const whole = await picture();
    await page.getByLabel("Find on the map").fill("harbour");
    await page.locator(".map-search p", {hasText: / of 48/}).waitFor();
    await eventually("what is found is marked", async () => assert.notEqual(await picture(), whole));
    await page.getByLabel("Find on the map").press("Enter");
    await page.locator(".near li").first().waitFor();
    assert.match(await page.locator(".map-side h2").textContent(), /Harbour/);
    await page.locator(".near button").first().click();
    await eventually("a neighbour's neighbours", async () => assert.match(page.url(), /at=i\d+/));
    await page.getByLabel("Find on the map").fill("");

    await canvas.focus();
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowRight");
    await eventually("zoom and pan are in the address", async () => assert.match(page.url(), /view=-?[\d.]+,-?[\d.]+,1\.4/));
    await page.getByRole("button", {name: "Show everything"}).click();
    assert.doesNotMatch(page.url(), /view=/);
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel(0, -300);
    await eventually("the wheel zooms", async () => assert.match(page.url(), /view=/));
    await close(page);
  });

// ---- training ----

test("training: from a file, live curves, and stopped", async () => {
  const page = await open(browser, shop, {hash: "#/training"});
  const ratings = "user,item,rating,time\n" + Array.from({length: 30000}, (_, i) => `u${i % 2000},i${(i * 7 + i % 13) % 300},${1 + (i * i) % 5},${i}`).join("\n");

  await page.getByLabel("A data file").setInputFiles({name: "ratings.csv", mimeType: "text/csv", buffer: Buffer.from(ratings)});
  await page.getByRole("button", {name: "Train"}).nth(1).click();
  await page.locator(".running progress").waitFor();
  await eventually("a curve", async () => assert.ok(await page.locator(".curve").count() >= 2));
  await eventually("time left", async () => assert.match(await page.locator(".running").textContent(), /left/));
  await page.getByRole("button", {name: "Stop"}).click();
  await page.locator(".outcome").waitFor({timeout: 30000});
  assert.match(await page.locator(".outcome").textContent(), /Stopped/);
  await close(page);
});

test("training: from the store, to the end, watched on a phone", async () => {
  const page = await open(browser, shop, {size: "phone", hash: "#/training"});

  const events = Array.from({length: 400}, (_, i) => ({id: `page-${i}`, user: `p${i % 40}`, item: `i${1 + (i * 7 + i % 40) % 48}`, rating: 1 + i % 5}));
  assert.equal((await page.request.post(`${shop}/api/v1/events`, {data: {events}})).status(), 200);
  await page.getByLabel("Epochs").fill("3");
  await page.getByRole("button", {name: "Train"}).first().click();
  await page.locator(".outcome", {hasText: "newest events, which neither has learned"}).waitFor({timeout: 60000});
  assert.match(await page.locator(".outcome h2").textContent(), /in service/);
  await close(page);
});

// ---- server ----

for (const size of ["desktop", "phone"])
  test(`server: requests, the model, and what was just done as a command (${size})`, async () => {
    const page = await open(browser, shop, {size, hash: "#/recommend?h=i1"});

    await settled(page);
    await page.locator("[data-view=server]").click();
    await page.locator(".tile-value").first().waitFor();
    assert.equal(await page.locator(".tile").count(), 4);
    const card = await (await page.request.get(`${shop}/api/v1/model`)).json();
    await page.locator(".card", {hasText: card.model}).waitFor();
    const told = await page.locator(".card").textContent();
    assert.ok(told.includes(card.data.fingerprint) && told.includes(card.data.name));
    assert.ok(told.includes(`ndcg@10 ${card.metrics.test["ndcg@10"].toFixed(4)}`));
    await eventually("routes", async () => assert.match(await page.locator(".routes").textContent(), /recommend/));
    const commands = await texts(page.locator(".command"));
    const command = commands.find((text) => text.includes("/api/v1/recommend"));
    assert.match(command, /^curl --json '\{"history":\[\{"item":"i1","liked":true\}\]/);
    await close(page);
  });

// ---- what a model cannot do, keys, themes, keyboard ----

test("views that a model cannot serve say why", async () => {
  const page = await open(browser, logic, {hash: "#/recommend"});

  await page.getByText("No recommend view for this model").waitFor();
  await page.goto(`${logic}/`);
  await eventually("the first view that works", async () => assert.match(page.url(), /#\/expression/));
  await close(page);
  const other = await open(browser, plain, {hash: "#/expression"});
  await other.getByText("No expression view for this model").waitFor();
  await other.locator("[data-view=map]").click();
  await other.getByText("No map view for this model").waitFor();
  await other.locator("[data-view=recommend]").click();
  await settled(other);
  await close(other);
});

test("a server that wants a key is asked with it, and the key is not shown", async () => {
  const page = await open(browser, locked);

  await page.getByLabel("Key").fill(process.env.KEY);
  await page.getByRole("button", {name: "Use the key"}).click();
  await settled(page);
  await page.locator("[data-view=server]").click();
  await page.locator(".command").first().waitFor();
  const text = await page.locator("main").textContent();
  assert.ok(text.includes("$NLN_KEY") && !text.includes(process.env.KEY));
  await close(page);
});

test("light and dark, by the system and by the button", async () => {
  const page = await open(browser, shop, {theme: "dark", hash: "#/laws"});
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();

  await page.getByRole("button", {name: "Theme: auto"}).click();
  assert.notEqual(await paper(), dark);
  await page.getByRole("button", {name: "Theme: light"}).click();
  assert.equal(await paper(), dark);
  await page.reload();
  await page.getByRole("button", {name: "Theme: dark"}).waitFor();
  await close(page);
});

test("views by keyboard alone", async () => {
  const page = await open(browser, shop, {hash: "#/recommend"});

  await settled(page);
  await page.keyboard.press("2");
  await page.getByRole("heading", {name: "Expression", exact: true}).waitFor();
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "TEXTAREA");
  await page.keyboard.type("i1 & i2");
  await page.locator(".network").first().waitFor();
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement.classList.contains("leaf"))) break;
  }
  await page.keyboard.press("Enter");
  await eventually("negated", async () => assert.match(await page.locator("textarea").inputValue(), /!/));
  await close(page);
});

test("every view at both sizes and in both themes has a heading and names for its controls", async () => {
  for (const [size, theme] of [["desktop", "dark"], ["phone", "light"]]) {
    const page = await open(browser, shop, {size, theme});

    for (const view of ["recommend", "expression", "training", "laws", "map", "server"]) {
      await page.locator(`[data-view=${view}]`).click();
      await page.getByRole("heading", {level: 1}).waitFor();
      const nameless = await page.locator("button, a, input, select, textarea").evaluateAll((all) =>
        all.filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.title || e.closest("label"))).map((e) => e.outerHTML));
      assert.deepEqual(nameless, []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} is too wide`);
    }
    await close(page);
  }
});

test("a server that has gone is said, and the page tries again", async () => {
  const page = await open(browser, shop, {hash: "#/recommend?h=i1"});

  await settled(page);
  await page.route("**/api/v1/recommend", (route) => route.abort());
  await page.getByRole("button", {name: /^Flip/}).click();
  await page.getByText("The server does not answer.").waitFor();
  await page.unroute("**/api/v1/recommend");
  await page.getByRole("button", {name: "Try again"}).click();
  await settled(page);
  page.faults = page.faults.filter((fault) => !fault.includes("ERR_FAILED"));
  await close(page);
});
