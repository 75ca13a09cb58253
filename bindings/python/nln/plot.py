"""Figures as SVG, without any other package.

    >>> nln.plot.expression(model, "(v1 & !v2) | v3").save("network.svg")
    >>> nln.plot.tsne(model)                    # a notebook shows it
    >>> nln.plot.reliability(p, labels).data    # what it is drawn from

Every function gives a `Figure`: `data` is what it shows, `svg` its text, and `save` writes it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._arrays import numpy
from .study import tsne as _tsne

if TYPE_CHECKING:
    from .data import Data
    from .model import Model
    from .results import Progress

COLOURS = ("#3c78c8", "#e68228", "#2a9d5c", "#a04fb5", "#c0392b", "#7f7f7f", "#b8860b", "#17a2b8")


@dataclass(frozen=True)
class Figure:
    """A figure: `data` is what it shows, `svg` the text of its file."""

    svg: str
    data: Any

    def save(self, path: str | os.PathLike) -> None:
        """Writes the figure as an SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<nln.plot.Figure of {len(self.svg)} characters of SVG>"


def _escaped(text: str, most: int = 400) -> str:
    """At most `most` characters, with the signs of XML spelled out."""
    shown = "".join(f"&#{ord(c)};" if c in '<>&"' else c for c in text[:most])
    return shown + ("…" if len(text) > most else "")


# ---- an expression as the network that computes it: as cli/commands/plot_expression.c --------------

GAP, LINE, LEAST_BOX, HEIGHT, MARGIN, LETTER = 36, 56, 96, 40, 24, 9  # in pixels
MOST_LETTERS = 40  # of a label
LABELS = {"not": "NOT", "and": "AND", "or": "OR", "true": "T", "false": "F", "implies": "→",
          "iff": "↔", "xor": "exclusive or"}
ENDS = ((230, 130, 40), (60, 120, 200))  # orange is false, blue is true


def _colour(truth: float) -> str:
    share = abs(2 * truth - 1) * 0.85
    parts = (255 + share * (end - 255) for end in ENDS[truth > 0.5])
    return "#" + "".join(f"{math.floor(x + 0.5):02x}" for x in parts)


def _label(node: Any) -> str:
    return node.name if node.name is not None else LABELS[node.operation]


def _box_width(nodes: Sequence[Any]) -> int:
    """All boxes are as wide as the longest label wants."""
    longest = max(len(_label(node)) for node in nodes)
    return max(LETTER * min(longest, MOST_LETTERS) + 16, LEAST_BOX)


def _places(nodes: Sequence[Any], box: int) -> tuple[list[tuple[float, float]], int]:
    """The corner of each node, and the number of lines: every leaf has one of its own, and an
    operator stands in the middle of its operands, one column behind the last of them."""
    columns: list[int] = []
    lines: list[float] = []
    n_lines = 0
    for node in nodes:
        operands = node.operands
        columns.append(max((columns[i] + 1 for i in operands), default=0))
        lines.append(sum(lines[i] / len(operands) for i in operands) if operands else n_lines)
        n_lines += not operands
    return [(MARGIN + (box + GAP) * c, MARGIN + LINE * y) for c, y in zip(columns, lines)], n_lines


def _box(node: Any, x: float, y: float, box: int) -> str:
    label = _escaped(_label(node), MOST_LETTERS)
    middle, radius = x + box / 2, 6 if node.operands else HEIGHT // 2
    return (f'<g><rect x="{x:.1f}" y="{y:.1f}" width="{box}" height="{HEIGHT}" rx="{radius}" '
            f'fill="{_colour(node.truth)}" stroke="#444"/>\n'
            f'<text x="{middle:.1f}" y="{y + 17:.1f}" font-weight="bold">{label}</text>\n'
            f'<text x="{middle:.1f}" y="{y + 33:.1f}" font-size="12">{node.truth:.3f}</text></g>\n')


def expression(model: Model, text: str, *, normal_form: bool = False) -> Figure:
    """An expression as its network, with the truth of every part; as `nln plot expression`.  The data
    are those of `Model.graph`."""
    graph = model.graph(text, normal_form=normal_form)
    box = _box_width(graph.nodes)
    places, n_lines = _places(graph.nodes, box)
    width, height = int(places[-1][0]) + box + MARGIN, 2 * MARGIN + LINE * (n_lines - 1) + HEIGHT
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="14" '
           f'text-anchor="middle">\n<title>{_escaped(graph.text)}</title>\n'
           f'<rect width="{width}" height="{height}" rx="8" fill="white"/>\n'
           '<g fill="none" stroke="#888" stroke-width="1.5">\n']
    for node, (x2, y2) in zip(graph.nodes, places):
        for operand in node.operands:
            x1, y1 = places[operand][0] + box, places[operand][1] + HEIGHT / 2
            half, y = (x2 - x1) / 2, y2 + HEIGHT / 2
            out.append(f'<path d="M{x1:.1f},{y1:.1f} C{x1 + half:.1f},{y1:.1f} {x2 - half:.1f},{y:.1f} '
                       f'{x2:.1f},{y:.1f}"/>\n')
    out.append("</g>\n")
    out += [_box(node, x, y, box) for node, (x, y) in zip(graph.nodes, places)]
    return Figure("".join(out) + "</svg>\n", graph)


# ---- charts ---------------------------------------------------------------------------------------

WIDTH, TALL, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 70, 20, 36, 50


def _ticks(least: float, most: float, n: int = 6) -> list[float]:
    """About n round numbers from least to most."""
    rough = (most - least) / n or 1.0
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * x for x in (1, 2, 5, 10) if size * x >= rough * 0.999)
    first = math.ceil(least / step - 1e-9)
    return [i * step for i in range(first, math.floor(most / step + 1e-9) + 1)]


class _Chart:
    """Axes, and what is drawn between them."""

    def __init__(self, title: str, x: str, y: str, across: tuple[float, float],
                 up: tuple[float, float], ticks: bool = True) -> None:
        self.across, self.up = _range(across), _range(up)
        self.out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{TALL}" '
                    f'viewBox="0 0 {WIDTH} {TALL}" font-family="sans-serif" font-size="13">\n'
                    f'<rect width="{WIDTH}" height="{TALL}" rx="8" fill="white"/>\n']
        self.text(WIDTH / 2, 22, title, "middle", 'font-weight="bold"')
        self.text(WIDTH / 2, TALL - 10, x, "middle")
        self.text(16, TALL / 2, y, "middle", f'transform="rotate(-90 16 {TALL / 2:.0f})"')
        for at in _ticks(*self.across) if ticks else ():
            self.line([(at, self.up[0]), (at, self.up[1])], "#eee", 1)
            self.text(self.x(at), TALL - BOTTOM + 18, f"{at:g}", "middle")
        for at in _ticks(*self.up) if ticks else ():
            self.line([(self.across[0], at), (self.across[1], at)], "#eee", 1)
            self.text(LEFT - 6, self.y(at) + 4, f"{at:.10g}", "end")

    def x(self, value: float) -> float:
        share = (value - self.across[0]) / (self.across[1] - self.across[0])
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.up[0]) / (self.up[1] - self.up[0])
        return TALL - BOTTOM - share * (TALL - TOP - BOTTOM)

    def text(self, x: float, y: float, text: str, anchor: str = "start", more: str = "") -> None:
        self.out.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>'
                        f"{_escaped(text)}</text>\n")

    def line(self, points: Iterable[tuple[float, float]], colour: str, width: float = 2,
             more: str = "") -> None:
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        self.out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" '
                        f'stroke-width="{width}" {more}/>\n')

    def dot(self, x: float, y: float, colour: str, radius: float, name: str = "") -> None:
        self.out.append(f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="{radius:.1f}" '
                        f'fill="{colour}" fill-opacity="0.8"><title>{_escaped(name)}</title></circle>\n')

    def names(self, colours: Mapping[str, str]) -> None:
        """What the colours mean, at the top right."""
        for i, (name, colour) in enumerate(colours.items()):
            self.text(WIDTH - RIGHT - 8, TOP + 16 + 18 * i, name, "end", f'fill="{colour}"')

    def figure(self, data: Any) -> Figure:
        return Figure("".join(self.out) + "</svg>\n", data)


def _range(ends: tuple[float, float]) -> tuple[float, float]:
    least, most = map(float, ends)
    if not (math.isfinite(least) and math.isfinite(most)):
        raise ValueError("there is nothing finite to draw")
    return (least, most) if least < most else (least - 0.5, most + 0.5)


def curves(runs: Mapping[str, Sequence[Progress]] | Sequence[Progress], metric: str = "rmse",
           split: str = "valid") -> Figure:
    """A measure after every epoch, of one training or of several by their names: what `progress` of
    `nln.train` was told.  The data are the points (epoch, value) of each.

    A metric is `accuracy`, `rmse`, `cross_entropy`, `auc`, `loss`, or, of rankings, `ndcg`, `hit` or
    `mrr`, among all items.  `split` is valid, or with `curves=True` in training also train or test.
    """
    named = runs if isinstance(runs, Mapping) else {"": runs}
    data = {name: [point for now in run if (point := _point(now, metric, split)) is not None]
            for name, run in named.items()}
    values = [point for points in data.values() for point in points]
    if not values:
        raise ValueError(f"no epoch has {metric!r} of {split!r}: give what progress was told, and name a "
                         "measure of the task")
    chart = _Chart(f"{metric} of {split}" if metric != "loss" else "loss", "epoch", metric,
                   (min(x for x, _ in values), max(x for x, _ in values)),
                   (min(y for _, y in values), max(y for _, y in values)))
    colours = dict(zip(data, COLOURS * len(data)))
    for name, points in data.items():
        chart.line(points, colours[name])
    chart.names({name: colour for name, colour in colours.items() if name})
    return chart.figure(data)


def _point(now: Progress, metric: str, split: str) -> tuple[int, float] | None:
    measured = getattr(now, split)
    if now.valid is None or measured is None:
        return None
    if metric == "loss":
        value = now.loss
    elif metric in ("ndcg", "hit", "mrr"):
        found = getattr(measured.full or measured.sampled, metric, None)
        value = found if not isinstance(found, dict) else found.get(10, next(iter(found.values()), None))
    else:
        value = getattr(measured, metric)
    return None if value is None or math.isnan(value) else (now.epoch, value)


def tsne(model: Model, *, truth: Mapping[str, bool] | None = None, names: int = 0,
         **options: Any) -> Figure:
    """The vectors of all variables on a plane, blue where they are true and orange where not, by
    `truth` or else as the model solves them; items of ratings have one colour.  Options of "tsne".
    The data are the plane, float64 [variables, 2], and its report.  The first `names` are written."""
    plane, report = _tsne(model.embeddings(), **options)
    variables = list(model.variables)
    if truth is None and model.abilities.task == "logic":
        truth = dict(zip(variables, model.solve().truth))
    chart = _Chart(f"t-SNE of {len(plane)} vectors, trustworthiness {report.trustworthiness:.3f}", "", "",
                   (plane[:, 0].min(), plane[:, 0].max()), (plane[:, 1].min(), plane[:, 1].max()),
                   ticks=False)
    radius = max(1.5, min(5.0, 90 / math.sqrt(len(plane))))
    for (x, y), name in zip(plane, variables):
        value = None if truth is None else truth.get(name)
        chart.dot(x, y, "#7f7f7f" if value is None and truth is not None else
                  COLOURS[0] if value is None or value else COLOURS[1], radius, name)
    for (x, y), name in zip(plane[:names], variables):
        chart.text(chart.x(x) + 6, chart.y(y) + 4, name)
    if truth is not None:
        chart.names({"true": COLOURS[0], "false": COLOURS[1]})
    return chart.figure((plane, report))


def reliability(probabilities: Any, labels: Any, *, bins: int = 10) -> Figure:
    """How often what is predicted with a probability is true, in `bins` equal parts of [0, 1].  The
    data are `mean` and `true`, the mean probability and the share of true labels of each part that has
    predictions, `n`, how many, and `error`, the expected calibration error."""
    np = numpy()
    p, truth = np.asarray(probabilities, float), np.asarray(labels, float)
    if p.shape != truth.shape or p.ndim != 1 or not len(p):
        raise ValueError(f"probabilities and labels must be two sequences of one length, not {p.shape} "
                         f"and {truth.shape}")
    if not ((p >= 0) & (p <= 1) & (truth >= 0) & (truth <= 1)).all():
        raise ValueError("probabilities and labels must be from 0 to 1")
    if bins < 1:
        raise ValueError(f"bins must be at least 1, not {bins}")
    part = np.minimum((p * bins).astype(int), bins - 1)
    n = np.bincount(part, minlength=bins)
    some = n > 0
    mean = np.bincount(part, p, bins)[some] / n[some]
    true = np.bincount(part, truth, bins)[some] / n[some]
    error = float((n[some] * abs(mean - true)).sum() / len(p))
    chart = _Chart(f"reliability of {len(p)} predictions, calibration error {error:.4f}", "predicted",
                   "true", (0, 1), (0, 1))
    chart.line([(0, 0), (1, 1)], "#999", 1, 'stroke-dasharray="5 4"')
    chart.line(zip(mean, true), COLOURS[0])
    for x, y, count in zip(mean, true, n[some]):
        chart.dot(x, y, COLOURS[0], 3 + 7 * math.sqrt(count / n.max()), f"{count} predictions")
    return chart.figure({"mean": mean, "true": true, "n": n[some], "error": error})


def laws(model: Model, data: Data | None = None) -> Figure:
    """The share of cases in which each law of logic is kept, as `nln inspect` measures it.  The data are
    those of `Model.inspect`."""
    scores = model.inspect(data)
    height, line = 2 * TOP + 22 * len(scores), 22
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">\n'
           f'<rect width="{WIDTH}" height="{height}" rx="8" fill="white"/>\n'
           f'<text x="{WIDTH / 2:.0f}" y="22" text-anchor="middle" font-weight="bold">'
           "laws of logic: the share of cases that keep them</text>\n"]
    for i, law in enumerate(scores):
        y, width = TOP + line * i, 300 * law.kept
        out.append(f'<text x="256" y="{y + 15}" text-anchor="end">{_escaped(law.formula, 40)}</text>\n'
                   f'<rect x="264" y="{y + 2}" width="{width:.1f}" height="16" '
                   f'fill="{_colour(law.kept)}" stroke="#444"><title>{_escaped(law.name)}: {law.n} '
                   f'cases</title></rect>\n<text x="{270 + width:.1f}" y="{y + 15}">{law.kept:.3f}'
                   "</text>\n")
    return Figure("".join(out) + "</svg>\n", scores)


def lengths(model: Model, truth: Any, *, count: int = 200) -> Figure:
    """How often the model is right about expressions of a kind, by their size, as `nln evaluate --lengths`
    measures it.  The data are the points (size, share) of each kind."""
    data: dict[str, list[tuple[int, float]]] = {}
    for kind, size, right in model.lengths(truth, count):
        if not math.isnan(right):
            data.setdefault(kind, []).append((size, right))
    points = [point for kind in data.values() for point in kind]
    if not points:
        raise ValueError("the model solves too few variables to be asked about any size")
    chart = _Chart("right about expressions, by their size", "size (log2)", "share that is right",
                   (math.log2(min(x for x, _ in points)), math.log2(max(x for x, _ in points))),
                   (min(0.5, min(y for _, y in points)), 1))
    colours = dict(zip(data, COLOURS * len(data)))
    for kind, found in data.items():
        chart.line([(math.log2(x), y) for x, y in found], colours[kind])
        for x, y in found:
            chart.dot(math.log2(x), y, colours[kind], 3, f"{kind} of {x}: {y:.3f}")
    chart.names(colours)
    return chart.figure(data)
