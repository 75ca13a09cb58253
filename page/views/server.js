// What the server does: requests, latencies, events, the model, and the last calls of this page as commands.
import {call, calls, curl, onCall} from "../api.js";
import {announce, h, problem, replace, svg, toast} from "../dom.js";
import {bytes, count, duration, fixed} from "../format.js";

const pause = 2000; // milliseconds between two looks
const kept = 60; // looks in the curve

export function show(root, values, model) {
  let timer = 0, before = null, rates = [];
  const asking = new AbortController();
  const tiles = h("div", {class: "tiles"});
  const routes = h("div", {class: "panel"});
  const card = h("div", {class: "panel card"});
  const done = h("div", {class: "panel calls"});
  const fault = h("div");

  const tile = (name, value, help, extra) => h("div", {class: "tile"}, h("div", {class: "tile-name"}, name),
    h("div", {class: "tile-value number"}, value), h("div", {class: "soft small"}, help), extra);

  function spark() {
    const most = Math.max(1, ...rates), width = 120, height = 26;
    const points = rates.map((r, i) => `${(i + kept - rates.length) / (kept - 1) * width},${height - 2 - r / most * (height - 4)}`);

    return svg("svg", {viewBox: `0 0 ${width} ${height}`, class: "spark", "aria-hidden": "true"},
      svg("polyline", {points: points.join(" "), class: "curve a"}));
  }

  function drawTiles(s) {
    const rate = before ? (s.requests - before.requests) / Math.max(0.001, s.uptime_seconds - before.uptime_seconds) : NaN;

    if (Number.isFinite(rate)) rates = [...rates, rate].slice(-kept);
    replace(tiles,
      tile("Requests", count(s.requests), Number.isFinite(rate) ? `${fixed(rate, 1)} a second` : "since the start", spark()),
      tile("Latency", duration(s.latency?.p50), `median; 99 % within ${duration(s.latency?.p99)}`),
      tile("Events", s.store ? count(s.store.events) : "–", s.store ? `of ${count(s.store.users)} users, committed` : "no store: start with --store"),
      tile("Up", duration(s.uptime_seconds), `${bytes(s.memory_bytes)} of memory, ${count(s.connections)} connections`));
  }

  function drawRoutes(s) {
    const rows = (s.routes || []).filter((r) => r.requests).sort((a, b) => b.requests - a.requests);
    const most = Math.max(1e-6, ...rows.map((r) => r.p99 || 0));

    replace(routes, h("h2", {}, "Routes"), rows.length ? h("div", {class: "scroller"}, h("table", {class: "routes"},
      h("thead", {}, h("tr", {}, ["Route", "Requests", "Errors", "Median", "99 %", ""].map((name) => h("th", {scope: "col"}, name)))),
      h("tbody", {}, rows.map((r) => h("tr", {}, h("th", {scope: "row"}, h("span", {class: "method"}, r.method), " ", h("code", {}, r.path)),
        h("td", {class: "number"}, count(r.requests)), h("td", {class: `number ${r.errors ? "false" : "soft"}`}, count(r.errors)),
        h("td", {class: "number"}, duration(r.p50)), h("td", {class: "number"}, duration(r.p99)),
        h("td", {class: "latency"}, h("span", {class: "latency-bar", css: {width: `${100 * (r.p99 || 0) / most}%`}}),
          h("span", {class: "latency-bar median", css: {width: `${100 * (r.p50 || 0) / most}%`}}))))))) : h("p", {class: "soft"}, "None yet."));
  }

  function drawCard() {
    const entry = (name, value) => value === undefined || value === null || value === "" ? null : [h("dt", {}, name), h("dd", {}, value)];
    const can = Object.entries(model.abilities).filter(([, value]) => value === true).map(([name]) => name.replaceAll("_", " "));

    const rows = model.data ? model.data.rows : {};
    const learned = model.data ? `${model.data.name || "data from memory"}: ${count(rows.train)} train, ${count(rows.valid)} valid, ${count(rows.test)} test` : null;
    const measured = (split) => {
      const names = Object.entries((model.metrics || {})[split] || {}).filter(([, value]) => value !== null);
      return names.length ? h("ul", {class: "measures"}, names.map(([name, value]) => h("li", {}, `${name} ${value.toFixed(4)}`))) : null;
    };

    replace(card, h("h2", {}, "Model"), h("dl", {}, entry("Version", h("code", {}, model.model)), entry("Task", model.task),
      entry("Method", model.method), entry(model.abilities.recommends ? "Items" : "Variables", count(model.items)), entry("Users", model.users ? count(model.users) : null),
      entry("Vectors", model.vector_length ? `${count(model.vector_length)} numbers each` : null),
      entry("Trained", typeof model.trained === "string" ? new Date(model.trained).toLocaleString("en-GB") : null),
      entry("Learned from", learned), entry("Fingerprint", model.data ? h("code", {}, model.data.fingerprint) : null),
      entry("Best epoch", model.epochs ? `${model.best_epoch} of ${model.epochs}` : null),
      entry("On validation", measured("valid")), entry("On test", measured("test")), entry("Can", can.join(", "))),
    h("div", {class: "row"}, h("button", {type: "button", class: "button", on: {click: reload}}, "Load the file again"),
      h("a", {class: "button", href: "/openapi.json"}, "openapi.json"), h("a", {class: "button", href: "/metrics"}, "metrics")));
  }

  async function reload() {
    try {
      const answer = await call("POST", "/api/v1/model/reload");
      toast(answer.message || `In service: ${answer.model}`, "good");
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      toast("Copied.", "good");
      announce("Copied");
    } catch {
      toast("The browser does not let this page copy. Select the text instead.", "bad");
    }
  }

  function drawCalls() {
    replace(done, h("h2", {}, "Just done, as commands"), calls.length ? h("ol", {class: "call-list"}, calls.slice(0, 8).map((c) => {
      const command = curl(c);
      return h("li", {}, h("div", {class: "call-head"}, h("span", {class: `status ${c.status < 400 ? "true" : "false"}`}, c.status),
        h("span", {class: "method"}, c.method), h("code", {}, c.path.split("?")[0]), h("span", {class: "soft small"}, duration(c.seconds)),
        h("button", {type: "button", class: "mini", "aria-label": `Copy the command for ${c.path}`, on: {click: () => copy(command)}}, "copy")),
      h("pre", {class: "command", tabindex: 0}, command));
    })) : h("p", {class: "soft"}, "Use another view, and its requests appear here as commands for a shell."));
  }

  async function look() {
    try {
      const s = await call("GET", "/api/v1/server", undefined, {signal: asking.signal, quiet: true});

      replace(fault);
      drawTiles(s);
      drawRoutes(s);
      before = s;
    } catch (error) {
      if (error.name === "AbortError") return;
      replace(fault, problem(error));
    }
    timer = setTimeout(look, pause);
  }

  replace(root, h("section", {class: "single"}, h("h1", {}, "Server"), fault, tiles,
    h("div", {class: "server-panels"}, done, h("div", {class: "stack"}, card, routes))));
  drawCard();
  drawCalls();
  const forget = onCall(drawCalls);
  look();
  return () => {
    clearTimeout(timer);
    asking.abort();
    forget();
  };
}
