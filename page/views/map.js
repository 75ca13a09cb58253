// The vectors on a plane: near points mean nearly the same to the network.
import * as address from "../address.js";
import {call} from "../api.js";
import {announce, empty, h, problem, replace} from "../dom.js";
import {count, fixed, percent, truthColour} from "../format.js";

const steps = 20; // of the colours
const neighbours = 8;

export function show(root, values, model) {
  let points = [], view = {x: 0, y: 0, zoom: 1}, chosen = -1, near = [], matches = null, colours = [], hovered = -1;
  let extent = {x: 0, y: 0, half: 1}, whole = 0, timer = 0;
  const asking = new AbortController();
  const index = new Map();

  const canvas = h("canvas", {class: "plane", tabindex: 0, role: "application",
    "aria-label": "Map. Arrows pan, plus and minus zoom, 0 shows everything."});
  const aside = h("aside", {class: "panel map-side", "aria-live": "polite"});
  const search = h("input", {type: "search", class: "search", placeholder: "Find on the map", "aria-label": "Find on the map",
    value: address.text(values.q), spellcheck: "false"});
  const found = h("p", {class: "soft small", role: "status"});
  const tip = h("div", {class: "tip", hidden: true});
  const frame = h("div", {class: "plane-frame"}, canvas, tip,
    h("div", {class: "zoomers"}, [["+", 1.5, "Zoom in"], ["−", 1 / 1.5, "Zoom out"], ["◻", 0, "Show everything"]].map(([sign, by, label]) =>
      h("button", {type: "button", class: "icon-button", "aria-label": label, title: label, on: {click: () => by ? zoomBy(by) : reset()}}, sign))));

  // Models without truth values have points without colour.
  const colourOf = (point) => Number.isFinite(point.value) ? colours[Math.round(point.value * steps)] : colours.faint;
  const nameOf = (point) => point.title || point.name;

  // ---- drawing ----

  // Canvas needs colours that are worked out, in the theme of the moment.
  function readColours() {
    const probe = h("span", {hidden: true});

    root.append(probe);
    colours = Array.from({length: steps + 1}, (_, i) => {
      probe.style.color = truthColour(i / steps);
      return getComputedStyle(probe).color;
    });
    const style = getComputedStyle(root);
    colours.ink = style.getPropertyValue("color");
    probe.style.color = "var(--faint)";
    colours.faint = getComputedStyle(probe).color;
    probe.style.color = "var(--panel)";
    colours.panel = getComputedStyle(probe).color;
    probe.remove();
  }

  const scale = () => Math.min(canvas.clientWidth, canvas.clientHeight) / 2 * 0.92 / extent.half * view.zoom;
  const X = (p) => canvas.clientWidth / 2 + (p.x - extent.x - view.x) * scale();
  const Y = (p) => canvas.clientHeight / 2 + (p.y - extent.y - view.y) * scale();

  let waiting = 0;
  const redraw = () => { waiting = waiting || requestAnimationFrame(draw); };

  function dot(context, point, radius, colour, ring) {
    context.beginPath();
    context.arc(X(point), Y(point), radius, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
    if (!ring) return;
    context.lineWidth = 2;
    context.strokeStyle = ring;
    context.stroke();
  }

  // Names beside their points, on a pale ground; one that would cover another is left out.
  function labels(context, named) {
    const taken = [];

    named.forEach((point, i) => {
      context.font = `${i ? 400 : 600} 12.5px Inter, system-ui, sans-serif`;
      const text = nameOf(point), wide = context.measureText(text).width, y = Y(point);
      const x = X(point) + 13 + wide > canvas.clientWidth ? X(point) - 13 - wide : X(point) + 13;
      if (taken.some((t) => Math.abs(t.y - y) < 17 && x < t.x + t.wide && t.x < x + wide)) return;
      taken.push({x, y, wide});
      context.globalAlpha = 0.8;
      context.fillStyle = colours.panel;
      context.fillRect(x - 3, y - 9, wide + 6, 18);
      context.globalAlpha = 1;
      context.fillStyle = colours.ink;
      context.fillText(text, x, y + 4);
    });
  }

  function draw() {
    const ratio = devicePixelRatio || 1, context = canvas.getContext("2d");
    const quiet = matches || near.length, size = Math.max(2.2, Math.min(6, 130 / Math.sqrt(points.length + 1))) * Math.min(2, Math.sqrt(view.zoom));

    waiting = 0;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    context.scale(ratio, ratio);
    points.forEach((p, i) => {
      const lit = i === chosen || near.some((n) => n.index === i) || (matches && matches.has(i));
      if (lit) return;
      context.globalAlpha = quiet ? 0.22 : 0.85;
      dot(context, p, size, colourOf(p));
    });
    context.globalAlpha = 1;
    if (matches) for (const i of matches) dot(context, points[i], size + 1.5, colourOf(points[i]), colours.ink);
    if (chosen >= 0) {
      context.strokeStyle = colours.faint;
      context.lineWidth = 1.2;
      for (const n of near) {
        context.beginPath();
        context.moveTo(X(points[chosen]), Y(points[chosen]));
        context.lineTo(X(points[n.index]), Y(points[n.index]));
        context.stroke();
      }
      for (const n of near) dot(context, points[n.index], size + 1.5, colourOf(points[n.index]), colours.ink);
      dot(context, points[chosen], size + 4, colourOf(points[chosen]), colours.ink);
      labels(context, [points[chosen], ...near.map((n) => points[n.index])]);
    } else if (matches && matches.size <= 30) labels(context, [...matches].map((i) => points[i]));
  }

  // ---- moving ----

  const save = () => address.write("map", {q: encodeURIComponent(search.value.trim()), at: chosen >= 0 ? encodeURIComponent(points[chosen].name) : "",
    ...(view.zoom !== 1 || view.x || view.y ? {view: [view.x, view.y, view.zoom].map((v) => +v.toFixed(3)).join(",")} : {})});

  function zoomBy(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    const before = scale(), zoom = Math.max(0.5, Math.min(60, view.zoom * factor));

    view.zoom = zoom;
    const after = scale();
    view.x += (x - canvas.clientWidth / 2) * (1 / before - 1 / after);
    view.y += (y - canvas.clientHeight / 2) * (1 / before - 1 / after);
    save();
    redraw();
  }

  function reset() {
    view = {x: 0, y: 0, zoom: 1};
    save();
    redraw();
  }

  function nearest(x, y, most = 18) {
    let best = -1, least = most * most;

    points.forEach((p, i) => {
      const d = (X(p) - x) ** 2 + (Y(p) - y) ** 2;
      if (d < least) [best, least] = [i, d];
    });
    return best;
  }

  const fingers = new Map();
  let travelled = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event);
    travelled = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);

    if (!before) return hover(event);
    if (fingers.size === 2) {
      const other = [...fingers.values()].find((f) => f.pointerId !== event.pointerId);
      const span = (f) => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY);
      const box = canvas.getBoundingClientRect();
      zoomBy(span(event) / (span(before) || 1), (event.clientX + other.clientX) / 2 - box.left, (event.clientY + other.clientY) / 2 - box.top);
    } else {
      view.x -= (event.clientX - before.clientX) / scale();
      view.y -= (event.clientY - before.clientY) / scale();
      redraw();
    }
    travelled += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    fingers.set(event.pointerId, event);
  });
  const lift = (event) => {
    const box = canvas.getBoundingClientRect();

    if (fingers.delete(event.pointerId) && event.type === "pointerup" && travelled < 6)
      choose(nearest(event.clientX - box.left, event.clientY - box.top));
    else save();
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("wheel", (event) => {
    const box = canvas.getBoundingClientRect();

    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
  }, {passive: false});
  canvas.addEventListener("keydown", (event) => {
    const pan = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];

    if (pan) {
      view.x += pan[0] * 60 / scale();
      view.y += pan[1] * 60 / scale();
      save();
      redraw();
    } else if (event.key === "+" || event.key === "=") zoomBy(1.4);
    else if (event.key === "-") zoomBy(1 / 1.4);
    else if (event.key === "0") reset();
    else if (event.key === "Escape") choose(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  function hover(event) {
    const box = canvas.getBoundingClientRect(), at = nearest(event.clientX - box.left, event.clientY - box.top, 12);

    tip.hidden = at < 0;
    canvas.classList.toggle("pointing", at >= 0);
    if (at < 0 || at === hovered && !tip.hidden && tip.textContent) { hovered = at; if (at < 0) return; }
    hovered = at;
    tip.textContent = `${nameOf(points[at])} · ${fixed(points[at].value)}`;
    tip.style.left = `${Math.min(X(points[at]) + 12, canvas.clientWidth - 180)}px`;
    tip.style.top = `${Y(points[at]) - 30}px`;
  }

  // ---- choosing ----

  async function choose(i) {
    chosen = i;
    near = [];
    save();
    redraw();
    drawAside();
    if (i < 0) return;
    try {
      const answer = await call("GET", `/api/v1/similar?item=${encodeURIComponent(points[i].name)}&k=${neighbours}`, undefined,
        {signal: asking.signal});

      if (chosen !== i) return;
      near = answer.items.map((item) => ({index: index.get(item.item), item})).filter((n) => n.index !== undefined);
      drawAside();
      redraw();
      announce(`${nameOf(points[i])}: nearest is ${near.length ? nameOf(points[near[0].index]) : "nothing"}`);
    } catch (error) {
      if (error.name !== "AbortError") replace(aside, problem(error));
    }
  }

  function drawAside() {
    const point = points[chosen];

    if (!point)
      return replace(aside, h("h2", {}, "Neighbours"), h("p", {class: "soft"}, "Choose a point to see what is most similar to it."), legend());
    replace(aside, h("h2", {}, nameOf(point)),
      h("p", {class: "soft small"}, point.title ? `${point.name} · ` : "", `Sim to T ${fixed(point.value, 3)}`),
      h("ol", {class: "near"}, near.map((n) => h("li", {}, h("button", {type: "button", class: "link-button", on: {click: () => choose(n.index)}},
        nameOf(points[n.index])), h("span", {class: "number"}, fixed(n.item.similarity ?? n.item.score, 3))))),
      model.abilities.recommends
        ? h("a", {class: "button", href: address.link("recommend", {h: address.list.write([point.name])})}, "Recommend after this")
        : h("a", {class: "button", href: address.link("expression", {e: encodeURIComponent(point.name)})}, "As an expression"),
      legend());
  }

  const legend = () => h("div", {class: "legend-bar"}, h("span", {}, "false"), h("span", {class: "legend-scale", "aria-hidden": "true"}), h("span", {}, "true"));

  function find() {
    const wanted = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);

    matches = wanted.length ? new Set(points.flatMap((p, i) => {
      const text = `${p.name} ${p.title || ""}`.toLowerCase();
      return wanted.every((w) => text.includes(w)) ? [i] : [];
    })) : null;
    found.textContent = matches ? `${count(matches.size)} of ${count(points.length)}` : `${count(points.length)}${whole > points.length ? ` of ${count(whole)}` : ""} points`;
    save();
    redraw();
  }
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && matches && matches.size) choose([...matches][0]);
  });

  // ---- the view ----

  async function ask() {
    try {
      const answer = await call("GET", "/api/v1/map", undefined, {signal: asking.signal, quiet: timer !== 0});

      if (answer.status === "computing") {
        replace(aside, h("p", {class: "soft"}, `Laying out the vectors (t-SNE): ${percent(answer.progress)}`),
          h("progress", {max: 1, value: answer.progress, "aria-label": "Progress of the map"}));
        timer = setTimeout(ask, 500);
        return;
      }
      points = answer.points;
      whole = model.items;
      points.forEach((p, i) => index.set(p.name, i));
      const xs = points.map((p) => p.x), ys = points.map((p) => p.y);
      const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
      extent = {x: (x0 + x1) / 2, y: (y0 + y1) / 2, half: Math.max(x1 - x0, y1 - y0) / 2 || 1};
      if (values.view) [view.x, view.y, view.zoom] = values.view.split(",").map(Number);
      const at = index.get(address.text(values.at));
      find();
      if (at !== undefined) choose(at);
      else drawAside();
    } catch (error) {
      if (error.name === "AbortError") return;
      replace(aside, error.status ? empty("No map", error.message) : problem(error, ask));
    }
  }

  replace(root, h("section", {class: "map-view"},
    h("div", {class: "map-head"}, h("h1", {}, "Map"), h("div", {class: "map-search"}, search, found)),
    frame, aside));
  readColours();
  const recolour = () => { readColours(); redraw(); };
  const sizes = new ResizeObserver(redraw);
  sizes.observe(frame);
  addEventListener("nln-theme", recolour);
  ask();
  return () => {
    asking.abort();
    clearTimeout(timer);
    sizes.disconnect();
    removeEventListener("nln-theme", recolour);
  };
}
