// An expression as its network: typed, drawn, and changed by a click on a variable.
import * as address from "../address.js";
import {call} from "../api.js";
import {announce, debounce, empty, h, problem, replace} from "../dom.js";
import {network} from "../drawing/network.js";
import {fixed, percent, truthColour} from "../format.js";

const words = new Set(["T", "F", "true", "false", "TRUE", "FALSE", "not", "NOT", "and", "AND", "or", "OR", "xor", "XOR"]);
const keys = ["¬", "∧", "∨", "→", "↔", "⊕", "(", ")"];

// The names of variables in a text, with their places; an atom, name(...), counts as one.
export function variablesOf(text) {
  const found = [];

  for (const match of text.matchAll(/[\p{L}\p{N}_.:]+/gu)) {
    const end = match.index + match[0].length;
    if (words.has(match[0]) || (found.length && match.index < found.at(-1).end)) continue;
    const close = text[end] === "(" ? text.indexOf(")", end) : -1;
    found.push({name: match[0], start: match.index, end: close > 0 ? close + 1 : end});
  }
  return found;
}

// The text with one variable negated, or no longer so.
export function negated(text, variable) {
  const before = text.slice(0, variable.start), after = text.slice(variable.start);
  const sign = before.match(/(?:[!~¬]|\b(?:not|NOT)\s)\s*$/);

  return sign ? before.slice(0, sign.index) + after : `${before}!${after}`;
}

// The names that a model knows, for examples.
async function someNames() {
  const answer = await call("GET", "/api/v1/items?query=&k=6", undefined, {quiet: true}).catch(() => ({items: []}));
  const names = answer.items.map((item) => item.item).filter((name) => /^[\p{L}\p{N}_.:]+$/u.test(name) && !words.has(name));

  return names.length >= 3 ? names : ["a", "b", "c"];
}

const examplesOf = ([a, b, c]) => [`${a} & !${b}`, `(${a} & !${b}) | ${c}`, `${a} -> ${b}`, `${a} | !${a}`, `!(${a} & ${b}) <-> (!${a} | !${b})`];

function gauge(probability, what) {
  return h("div", {class: "gauge"},
    h("div", {class: "gauge-number", css: {color: truthColour(probability)}}, fixed(probability, 3)),
    h("div", {class: "gauge-side"},
      h("div", {class: "gauge-word"}, what),
      h("div", {class: "gauge-track", role: "img", "aria-label": `${percent(probability)} true`},
        h("span", {class: "gauge-pin", css: {left: `${100 * probability}%`, background: truthColour(probability)}})),
      h("div", {class: "gauge-ends"}, h("span", {}, "false"), h("span", {}, "true"))));
}

function exactPanel(exact) {
  if (!exact) return null;
  const row = (name, value, help) => [h("dt", {}, name),
    h("dd", {}, h("span", {class: "number"}, value), h("span", {class: "soft small"}, help))];

  return h("aside", {class: "panel exact", "aria-label": "Exact reasoning"},
    h("h2", {}, "Exact reasoning"),
    exact.status === "done" ? h("dl", {},
      row("Posterior", fixed(exact.posterior, 3), "belief propagation over the training labels"),
      exact.assignment === null
        ? row("A solution", "none", "no assignment satisfies every training label (CaDiCaL)")
        : row("A solution", exact.assignment > 0.5 ? "true" : "false", "under one assignment that satisfies every training label (CaDiCaL)"))
      : h("p", {class: "soft"}, exact.status === "failed" ? exact.why : "Solving the training labels …"));
}

export function show(root, values) {
  let text = address.text(values.e), asking = null, error = null, later = 0;

  const under = h("pre", {class: "under", "aria-hidden": "true"});
  const box = h("textarea", {class: "code", rows: 1, spellcheck: "false", autocapitalize: "off", autocomplete: "off",
    "aria-label": "Expression", "aria-describedby": "expression-fault", placeholder: "(a & !b) | c", value: text});
  const fault = h("p", {class: "fault", id: "expression-fault", role: "status"});
  const result = h("div", {class: "expression-result"});
  const examples = h("div", {class: "examples"});

  // The text again, behind the box, with the fault underlined.
  function drawUnder() {
    const letters = Array.from(text), at = error && error.column ? error.column - 1 : -1;

    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
    if (at < 0) return replace(under, text);
    const wide = Math.max(1, Array.from(letters.slice(at).join("").match(/^[\p{L}\p{N}_.:]+/u)?.[0] || " ").length);
    replace(under, letters.slice(0, at).join(""), h("mark", {}, letters.slice(at, at + wide).join("") || " "),
      letters.slice(at + wide).join(""));
  }

  function set(next, focus = true) {
    text = box.value = next;
    changed(true);
    if (focus) box.focus();
  }

  function negate(number, name) {
    const found = variablesOf(text), one = found[number];
    const target = one && one.name === name ? one : found.find((v) => v.name === name);

    if (target) set(negated(text, target), false);
    announce(`The expression is now ${text}`);
  }

  const graphOf = (part) => ({nodes: part.nodes.map((n) => ({...n, operands: n.operands || [], name: n.name || constantName(n.operation)})),
    root: part.root ?? part.nodes.length - 1});
  const constantName = (operation) => ({true: "T", false: "F"})[operation] || operation;

  function pane(title, help, part, text, live) {
    const graph = graphOf(part);

    return h("section", {class: "panel pane"},
      h("div", {class: "pane-head"}, h("h2", {}, title), h("p", {class: "soft small"}, help)),
      h("code", {class: "pane-text"}, text),
      h("div", {class: "scroller"}, network({...graph, label: `${title}: ${text}`, negate: live ? negate : null})));
  }

  function draw(answer) {
    replace(result,
      h("div", {class: "verdict"},
        h("div", {class: "panel"}, gauge(answer.probability, "The network's probability that it is true")),
        exactPanel(answer.exact)),
      h("div", {class: "panes"},
        pane("As written", "Click a variable to negate it.", answer, text, true),
        answer.normal_form ? pane("Normal form", "What the network is given: no arrows, negations at the variables.", answer.normal_form, answer.normal_form.expression, false) : null));
  }

  async function ask() {
    if (asking) asking.abort();
    asking = new AbortController();
    if (!text.trim()) {
      error = null;
      fault.textContent = "";
      drawUnder();
      return replace(result, empty("Type an expression", "Names are the variables of the model. Join them with & | ! -> <-> xor, or with the keys above."));
    }
    try {
      const answer = await call("POST", "/api/v1/graph", {expression: text}, {signal: asking.signal});

      error = null;
      fault.textContent = "";
      box.removeAttribute("aria-invalid");
      drawUnder();
      draw(answer);
      clearTimeout(later);
      if (answer.exact?.status === "computing") later = setTimeout(ask, 600);
    } catch (e) {
      if (e.name === "AbortError") return;
      error = e;
      drawUnder();
      box.setAttribute("aria-invalid", "true");
      fault.textContent = e.status ? `${e.column ? `Column ${e.column}: ` : ""}${e.message}` : "";
      if (!e.status) replace(result, problem(e, ask));
      result.classList.add("stale");
      return;
    }
    result.classList.remove("stale");
  }

  const soon = debounce(140, ask);

  function changed(now = false) {
    error = null;
    drawUnder();
    address.write("expression", {e: encodeURIComponent(text)});
    if (now) ask();
    else soon();
  }

  function type(symbol) {
    const spaced = "∧∨→↔⊕".includes(symbol) ? ` ${symbol} ` : symbol;

    box.setRangeText(spaced, box.selectionStart, box.selectionEnd, "end");
    text = box.value;
    box.focus();
    changed();
  }

  box.addEventListener("input", () => {
    if (box.value.includes("\n")) box.value = box.value.replaceAll("\n", " ");
    text = box.value;
    changed();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    ask();
  });

  replace(root, h("section", {class: "single"},
    h("h1", {}, "Expression"),
    h("p", {class: "lead"}, "Every node is a vector; its colour and number say how similar it is to T: blue is true, orange is false."),
    h("div", {class: "editor"}, under, box),
    h("div", {class: "keyrow", role: "toolbar", "aria-label": "Connectives"}, keys.map((symbol) =>
      h("button", {type: "button", class: "key", on: {click: () => type(symbol)}}, symbol)), examples),
    fault, result));
  drawUnder();
  ask();
  someNames().then((names) => replace(examples, h("span", {class: "soft small"}, "Try "), examplesOf(names).map((example) =>
    h("button", {type: "button", class: "link-button", on: {click: () => set(example)}}, example))));
  return () => {
    clearTimeout(later);
    if (asking) asking.abort();
  };
}
