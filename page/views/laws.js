// How well the model keeps the laws of logic: a bar for each, and its worst examples.
import * as address from "../address.js";
import {call} from "../api.js";
import {h, problem, replace} from "../dom.js";
import {count, fixed, percent} from "../format.js";

// Formulas of the library in the signs of mathematics.
const pretty = (formula) => formula.replaceAll("NOT ", "¬").replaceAll("AND", "∧").replaceAll("OR", "∨").replaceAll("!", "¬")
  .replaceAll("&", "∧").replaceAll("|", "∨");

// and_identity: Identity of AND.
const nameOf = (name) => {
  const [, operation, law] = name.match(/^(and|or)_(.*)$/) || [null, "", name];
  const words = law.replace(/^de_morgan_(and|or)$/, (_, o) => `De Morgan, ${o.toUpperCase()}`).replaceAll("_", " ");

  return words[0].toUpperCase() + words.slice(1) + (operation ? ` of ${operation.toUpperCase()}` : "");
};

export function show(root, values) {
  let open = address.text(values.law), laws = [];
  const asking = new AbortController();
  const list = h("ol", {class: "laws"});

  // The variables of a case.
  function example(worst) {
    const names = worst.variables;

    return h("li", {class: "worst"}, h("code", {}, names.length === 1 ? `w = ${names[0]}` : names.map((name, i) => `${"abc"[i]} = ${name}`).join(", ")),
      h("span", {class: "number"}, `Sim ${fixed(worst.similarity, 3)}`));
  }

  function row(law) {
    const isOpen = law.name === open, worst = law.worst || [];

    return h("li", {class: `law ${isOpen ? "open" : ""}`},
      h("button", {type: "button", class: "law-head", "aria-expanded": isOpen, on: {click: () => toggle(law.name)}},
        h("span", {class: "law-name"}, nameOf(law.name)), h("code", {class: "law-formula"}, pretty(law.formula)),
        h("span", {class: "law-bar", "aria-hidden": "true"}, h("span", {class: law.kept >= 0.5 ? "kept" : "broken", css: {width: `${100 * law.kept}%`}})),
        h("span", {class: "number"}, percent(law.kept))),
      isOpen ? h("div", {class: "law-more"},
        h("p", {class: "soft"}, `Measured ${count(law.n)} times. Mean Sim of the two sides ${fixed(law.mean_similarity, 3)}, mean cosine ${fixed(law.mean_cosine, 3)}; they should be ${law.far_apart ? "far apart" : "equal"}.`),
        worst.length ? [h("h3", {}, "Worst examples"), h("ol", {class: "worsts"}, worst.map(example))]
          : h("p", {class: "soft"}, "No example is worse than the others.")) : null);
  }

  function draw() {
    replace(list, laws.map(row));
  }

  function toggle(name) {
    open = open === name ? "" : name;
    address.write("laws", {law: encodeURIComponent(open)});
    draw();
    [...list.children].find((_, i) => laws[i].name === name)?.querySelector("button").focus();
  }

  async function ask() {
    replace(list, h("li", {class: "loading"}, "Measuring the laws …"));
    try {
      const answer = await call("GET", "/api/v1/laws", undefined, {signal: asking.signal});

      laws = answer.laws;
      draw();
    } catch (error) {
      if (error.name !== "AbortError") replace(list, h("li", {}, problem(error, ask)));
    }
  }

  replace(root, h("section", {class: "single"},
    h("h1", {}, "Laws"),
    h("p", {class: "lead"}, "The modules AND, OR and NOT are learned, not built in. This is the share of cases in which they keep each law of logic, over all variables:"),
    list));
  ask();
  return () => asking.abort();
}
