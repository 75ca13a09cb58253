// The network of an expression: leaves on the left, the root on the right, every node coloured by its truth.
import {svg} from "../dom.js";
import {fixed, isStrong, symbols, truthColour} from "../format.js";

const pitch = 56, reach = 96, radius = 17, most = 24;

const shorten = (name) => name.length > most ? `${name.slice(0, most - 1)}…` : name;
const pillWidth = (name) => 62 + 7.7 * shorten(name).length;
const isLeaf = (node) => !node.operands.length;

// Places: leaves in the order in which they are read, an operation between its operands, one column further right
// than the last of them.
function layout(nodes, root) {
  const places = nodes.map(() => null);
  let rows = 0;

  const visit = (index) => {
    if (places[index]) return places[index];
    const node = nodes[index];
    if (isLeaf(node)) return places[index] = {level: 0, y: rows++ * pitch};
    places[index] = {level: 0, y: 0}; // a cycle would end here
    const operands = node.operands.map(visit);
    places[index].level = 1 + Math.max(...operands.map((p) => p.level));
    places[index].y = operands.reduce((sum, p) => sum + p.y, 0) / operands.length;
    return places[index];
  };
  visit(root);

  // Nodes of a column that share operands may meet: push them apart.
  const columns = Map.groupBy
    ? [...Map.groupBy(places.filter((p) => p && p.level), (p) => p.level).values()]
    : [];
  for (const column of columns) {
    column.sort((a, b) => a.y - b.y);
    for (let i = 1; i < column.length; i++)
      column[i].y = Math.max(column[i].y, column[i - 1].y + pitch * 0.95);
  }
  return {places, rows, levels: Math.max(...places.filter(Boolean).map((p) => p.level)),
    height: Math.max(...places.filter(Boolean).map((p) => p.y)) + pitch};
}

function leafOf(node, place, right, negate) {
  const width = pillWidth(node.name), strong = isStrong(node.truth);
  const activate = (event) => {
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    negate();
  };

  return svg("g", {class: `node leaf ${strong ? "strong" : ""} ${negate ? "live" : ""}`, transform: `translate(${right - width} ${place.y})`,
    ...(negate ? {tabindex: 0, role: "button", "aria-label": `${node.name}, truth ${fixed(node.truth)}. Negate it.`,
      on: {click: activate, keydown: activate}} : {})},
  svg("title", {}, `${node.title || node.name}: ${fixed(node.truth, 4)}${negate ? ". Click to negate." : ""}`),
  svg("rect", {x: 0, y: -15, width, height: 30, rx: 15, class: "shape", css: {fill: truthColour(node.truth)}}),
  svg("text", {x: 13, y: 4.5, class: "leaf-name"}, shorten(node.name)),
  svg("text", {x: width - 12, y: 4, class: "leaf-truth"}, fixed(node.truth)));
}

function operationOf(node, place, x, isRoot) {
  return svg("g", {class: `node operation ${isStrong(node.truth) ? "strong" : ""} ${isRoot ? "root" : ""}`, transform: `translate(${x} ${place.y})`},
    svg("title", {}, `${node.operation.toUpperCase()}: ${fixed(node.truth, 4)}`),
    svg("circle", {r: isRoot ? radius + 2 : radius, class: "shape", css: {fill: truthColour(node.truth)}}),
    svg("text", {y: 6, class: "symbol"}, symbols[node.operation] || node.operation),
    svg("text", {y: radius + 15, class: "truth"}, fixed(node.truth)));
}

// negate(i) is called with the number of the leaf among the variables, as they are read.
export function network({nodes, root, label, negate}) {
  const {places, levels, height} = layout(nodes, root);
  const left = Math.max(...nodes.filter((n, i) => places[i] && isLeaf(n)).map((n) => pillWidth(n.name)));
  const x = (place) => left + (place.level ? place.level * reach - 20 : 0);
  const width = left + Math.max(0, levels * reach - 20) + radius + 14;
  const edges = [], drawn = [];
  let variables = 0;

  nodes.forEach((node, index) => {
    const place = places[index];
    if (!place) return;
    const at = x(place);
    for (const operand of node.operands) {
      const from = places[operand], start = x(from) + (from.level ? radius : 0), end = at - radius;
      const bend = Math.min(60, (end - start) / 2);
      edges.push(svg("path", {class: "edge", css: {stroke: truthColour(nodes[operand].truth)},
        d: `M${start} ${from.y} C${start + bend} ${from.y} ${end - bend} ${place.y} ${end} ${place.y}`}));
    }
    const number = node.operation === "variable" ? variables++ : -1;
    drawn.push(isLeaf(node)
      ? leafOf(node, place, left, negate && number >= 0 ? () => negate(number, node.name) : null)
      : operationOf(node, place, at, index === root));
  });
  return svg("svg", {class: "network", viewBox: `-4 -26 ${width + 8} ${height + 26}`, width: width + 8, height: height + 26,
    role: "group", "aria-label": label, css: {"min-width": `${Math.round(0.62 * width)}px`}}, edges, drawn);
}
