// The frame: which view is shown, the model in service, light and dark, the key.
import * as address from "./address.js";
import {call, setKey} from "./api.js";
import {announce, empty, h, problem, replace, svg, toast} from "./dom.js";
import * as expression from "./views/expression.js";
import * as laws from "./views/laws.js";
import * as map from "./views/map.js";
import * as recommend from "./views/recommend.js";
import * as server from "./views/server.js";
import * as training from "./views/training.js";

// A view: its name in the address, its title, an icon, the module, and the sentence that says why a model cannot
// serve it, if so.
const views = [
  {name: "recommend", title: "Recommend", module: recommend, icon: "M4 7h10 M4 12h14 M4 17h7 M18 5l2 2 3-4",
    cannot: (can) => !can.recommends &&
      "This model was trained on labelled expressions, so it knows no items to recommend. A model trained on ratings does."},
  {name: "expression", title: "Expression", module: expression, icon: "M5 6c8 0 8 6 14 6 M5 18c8 0 8-6 14-6 M5 6h.01 M5 18h.01 M19 12h.01",
    cannot: (can) => !can.reads_expressions &&
      "This model has no modules for AND, OR and NOT, so it cannot read expressions. A Neural Logic Network can."},
  {name: "training", title: "Training", module: training, icon: "M4 4v16h16 M7 8c3 8 6 8 12 9"},
  {name: "laws", title: "Laws", module: laws, icon: "M12 4v16 M5 7h14 M5 7l-3 7h6z M19 7l-3 7h6z M8 20h8",
    cannot: (can) => !can.reads_expressions &&
      "Only a model with modules for AND, OR and NOT can keep the laws of logic or break them."},
  {name: "map", title: "Map", module: map, icon: "M5 6h.01 M9 12h.01 M6 17h.01 M15 6h.01 M19 9h.01 M17 16h.01 M12 19h.01",
    cannot: (can) => !can.has_vectors &&
      "This model has no vectors, so there is nothing to put on a plane."},
  {name: "server", title: "Server", module: server, icon: "M4 5h16v6H4z M4 13h16v6H4z M8 8h.01 M8 16h.01"},
];

let model = null; // the card of the model in service
let leave = null; // ends the view that is shown
let shown = "";

const main = document.getElementById("view");
const chip = document.getElementById("model");

const icon = (path) => svg("svg", {viewBox: "0 0 24 24", width: 20, height: 20, class: "icon", "aria-hidden": "true"},
  svg("path", {d: path}));

function drawViews() {
  replace(document.getElementById("views"), views.map((view) => h("a", {
    href: address.link(view.name), class: "view-link", "data-view": view.name,
    "aria-current": view.name === shown ? "page" : null,
  }, icon(view.icon), h("span", {}, view.title))));
}

function drawModel() {
  replace(chip, h("span", {class: "model-dot"}), h("span", {class: "model-name"}, model ? model.model : "no model"));
  chip.setAttribute("aria-label", model ? `Model ${model.model}, ${model.task}. Open the server view.` : "No model");
}

// ---- light and dark ----

const themes = {auto: "M12 3a9 9 0 1 0 0 18z M12 3a9 9 0 0 1 0 18", light: "M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8z M12 2v2 M12 20v2 M2 12h2 M20 12h2 M5 5l1.4 1.4 M17.6 17.6L19 19 M5 19l1.4-1.4 M17.6 6.4L19 5",
  dark: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z"};

function setTheme(name) {
  const button = document.getElementById("theme");

  document.documentElement.dataset.theme = name;
  localStorage.setItem("nln-theme", name);
  replace(button, icon(themes[name]));
  button.setAttribute("aria-label", `Theme: ${name}`);
  button.title = `Theme: ${name}`;
  dispatchEvent(new CustomEvent("nln-theme"));
}

function nextTheme() {
  const names = Object.keys(themes);
  const next = names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length];

  setTheme(next);
  announce(`Theme: ${next}`);
}

// ---- the view ----

async function loadModel() {
  model = await call("GET", "/api/v1/model", undefined, {quiet: true});
  model.abilities = model.abilities || {};
  drawModel();
}

function keyForm() {
  const input = h("input", {type: "password", name: "key", autocomplete: "off", "aria-label": "Key", required: true});

  return h("form", {class: "empty", on: {submit: (event) => {
    event.preventDefault();
    setKey(input.value);
    start();
  }}},
  h("h2", {}, "This server wants a key"),
  h("p", {}, "Ask its operator. The key stays in this tab until it is closed, and is never shown."),
  h("div", {class: "row center"}, input, h("button", {class: "button primary"}, "Use the key")));
}

// The first view that the model can serve.
const best = () => views.find((view) => !view.cannot || !view.cannot(model.abilities)).name;

function show() {
  const {view: name, values} = address.read();
  const view = views.find((candidate) => candidate.name === name);

  if (!location.hash && model) return location.replace(address.link(best()));
  if (leave) leave();
  leave = null;
  shown = view ? name : "";
  drawViews();
  document.title = `${view ? view.title : "Not found"} · nln`;
  main.className = `view-${shown || "none"}`;
  if (!view) return replace(main, empty("There is no such view", "Choose one of those above."));
  const why = view.cannot && view.cannot(model.abilities);
  if (why)
    return replace(main, empty(`No ${view.title.toLowerCase()} view for this model`, why,
      h("p", {class: "soft"}, `In service: ${model.method || "a model"} for the task ${model.task}.`)));
  replace(main);
  leave = view.module.show(main, values, model) || null;
}

async function start() {
  try {
    await loadModel();
    show();
  } catch (error) {
    drawViews();
    drawModel();
    replace(main, error.status === 401 ? keyForm() : problem(error, start));
  }
}

addEventListener("hashchange", () => model ? show() : start());
addEventListener("popstate", () => model && show());
addEventListener("nln-key-wanted", () => {
  if (leave) leave();
  leave = null;
  replace(main, keyForm());
});
// Every answer names the model that gave it.
addEventListener("nln-model", async (event) => {
  if (!model || model.model === event.detail) return;
  model.model = event.detail;
  await loadModel().catch(() => {});
  toast(`A new model is in service: ${model.model}`, "good");
});
document.getElementById("theme").addEventListener("click", nextTheme);
chip.addEventListener("click", () => { location.hash = "#/server"; });
// 1 to 6 choose a view, as the tabs stand.
addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);

  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (views[event.key - 1]) location.hash = address.link(views[event.key - 1].name);
  else if (event.key === "/") {
    const box = main.querySelector("input[type=search], input[type=text], textarea");
    if (box) {
      event.preventDefault();
      box.focus();
    }
  }
});

setTheme(localStorage.getItem("nln-theme") in themes ? localStorage.getItem("nln-theme") : "auto");
start();
