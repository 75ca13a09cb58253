// Curves over a common axis: chart({title, series: [{name, class, points: [[x, y], ...]}], format, xLabel}).
import {h, svg} from "../dom.js";

const width = 400, height = 200, left = 44, right = 12, top = 12, bottom = 28;

// Round numbers that cover an interval.
function ticks(least, most, wanted) {
  const span = most - least || Math.abs(most) || 1, rough = span / wanted, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const found = [];

  for (let t = Math.ceil(least / step - 1e-9) * step; t <= most + step * 1e-9; t += step) found.push(Math.abs(t) < step / 1e6 ? 0 : t);
  return found;
}

export function chart({title, series, format = (y) => y.toFixed(3), xLabel = "epoch"}) {
  const all = series.flatMap((s) => s.points).filter(([, y]) => Number.isFinite(y));
  const figure = h("figure", {class: "chart"}, h("figcaption", {}, h("span", {class: "chart-title"}, title),
    series.map((s) => h("span", {class: `legend ${s.class}`}, s.name, h("span", {class: "number"},
      s.points.length ? format(s.points.at(-1)[1]) : "–")))));

  if (!all.length) {
    figure.append(h("p", {class: "soft small chart-none"}, "No value yet."));
    return figure;
  }
  const xs = all.map(([x]) => x), ys = all.map(([, y]) => y);
  const x0 = Math.min(...xs), x1 = Math.max(...xs, x0 + 1);
  let y0 = Math.min(...ys), y1 = Math.max(...ys);
  const pad = (y1 - y0 || Math.abs(y1) || 1) * 0.08;
  y0 -= pad;
  y1 += pad;
  const X = (x) => left + (x - x0) / (x1 - x0) * (width - left - right);
  const Y = (y) => height - bottom - (y - y0) / (y1 - y0) * (height - top - bottom);
  const yTicks = ticks(y0, y1, 4), digits = Math.max(0, Math.min(4, Math.ceil(-Math.log10(yTicks[1] - yTicks[0] || 1))));

  const cross = svg("line", {class: "cross", y1: top, y2: height - bottom, visibility: "hidden"});
  const readout = svg("text", {class: "readout", y: top + 10, visibility: "hidden"});
  const plot = svg("svg", {viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img",
    "aria-label": `${title}: ${series.map((s) => `${s.name} ${s.points.length ? format(s.points.at(-1)[1]) : "none"}`).join(", ")}`},
  yTicks.map((y) => [svg("line", {class: "grid", x1: left, x2: width - right, y1: Y(y), y2: Y(y)}),
    svg("text", {class: "tick", x: left - 7, y: Y(y) + 3.5, "text-anchor": "end"}, y.toFixed(digits))]),
  ticks(x0, x1, 6).filter(Number.isInteger).map((x) => svg("text", {class: "tick", x: X(x), y: height - 9, "text-anchor": "middle"}, x)),
  svg("text", {class: "tick", x: width - right, y: height - 9, "text-anchor": "end", "font-style": "italic"}, xLabel),
  series.map((s) => {
    const points = s.points.filter(([, y]) => Number.isFinite(y));
    return [svg("polyline", {class: `curve ${s.class}`, points: points.map(([x, y]) => `${X(x).toFixed(1)},${Y(y).toFixed(1)}`).join(" ")}),
      points.length ? svg("circle", {class: `curve-end ${s.class}`, cx: X(points.at(-1)[0]), cy: Y(points.at(-1)[1]), r: 3.4}) : null];
  }), cross, readout);

  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect(), at = (event.clientX - box.left) / box.width * width;
    const x = Math.round(x0 + (at - left) / (width - left - right) * (x1 - x0));
    const values = series.map((s) => s.points.find(([px]) => px === x)).map((p, i) => p && `${series[i].name} ${format(p[1])}`).filter(Boolean);
    const shown = values.length ? "visible" : "hidden";
    cross.setAttribute("x1", X(x));
    cross.setAttribute("x2", X(x));
    cross.setAttribute("visibility", shown);
    readout.setAttribute("visibility", shown);
    readout.setAttribute("x", X(x) > width / 2 ? X(x) - 6 : X(x) + 6);
    readout.setAttribute("text-anchor", X(x) > width / 2 ? "end" : "start");
    readout.textContent = `${xLabel} ${x}: ${values.join(", ")}`;
  });
  plot.addEventListener("pointerleave", () => {
    cross.setAttribute("visibility", "hidden");
    readout.setAttribute("visibility", "hidden");
  });
  figure.append(plot);
  return figure;
}
