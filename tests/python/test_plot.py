"""Figures from Python: each is SVG, and shows the data that it gives."""

import os
import subprocess
import unittest
import xml.etree.ElementTree as xml

import made
import nln
import numpy as np


def elements(figure, tag):
    """The elements of a figure, which is well-formed."""
    return xml.fromstring(figure.svg).findall(f".//{{http://www.w3.org/2000/svg}}{tag}")


class Plot(unittest.TestCase):
    def test_the_expression_is_that_of_the_program(self):
        """Byte for byte."""
        made.model().save(made.path("drawn.model"))
        for text, options in (("(v1 & !v2) | v3", []), ("v1 -> (v2 xor v3 <-> T)", []),
                              ("v1 -> v2 & v3", ["--normal-form"]), ("v1", [])):
            subprocess.run([os.environ["NLN_PROGRAM"], "plot", "expression", made.path("drawn.model"),
                            text, "--out", made.path("drawn.svg"), *options], check=True,
                           stdout=subprocess.DEVNULL)
            figure = nln.plot.expression(made.model(), text, normal_form=bool(options))
            with open(made.path("drawn.svg"), encoding="utf-8") as file:
                self.assertEqual(figure.svg, file.read())
        figure.save(made.path("own.svg"))
        with open(made.path("own.svg"), encoding="utf-8") as file:
            self.assertEqual(figure._repr_svg_(), file.read())

    def test_a_graph(self):
        graph = made.model().graph("v1 & !v2")
        self.assertEqual(graph.text, "v1 & !v2")
        self.assertEqual([node.operation for node in graph.nodes], ["variable", "variable", "not", "and"])
        self.assertEqual(graph.nodes[-1].operands, (0, 2))
        self.assertAlmostEqual(graph.nodes[0].truth, made.model().solve()["v1"])
        with self.assertRaises(nln.Error):
            made.model().graph("v1 &")

    def test_curves(self):
        seen = {}
        for name, rate in (("slow <1>", 1e-4), ("quick", 1e-3)):
            seen[name] = []
            nln.train(made.data(), epochs=4, dimension=8, threads=1, learning_rate=rate, curves=True,
                      progress=seen[name].append)
        figure = nln.plot.curves(seen, "accuracy")
        self.assertEqual(list(figure.data), ["slow <1>", "quick"])
        self.assertEqual([x for x, _ in figure.data["quick"]], [1, 2, 3, 4])
        last = [now for now in seen["quick"] if now.valid][-1]
        self.assertEqual(figure.data["quick"][-1][1], last.valid.accuracy)
        self.assertIn("slow <1>", [x.text for x in elements(figure, "text")])
        for metric, split in (("rmse", "train"), ("loss", "valid"), ("cross_entropy", "test")):
            self.assertEqual(len(nln.plot.curves(seen["quick"], metric, split).data[""]), 4)
        with self.assertRaisesRegex(ValueError, "no epoch has 'ndcg'"):
            nln.plot.curves(seen, "ndcg")
        ranked = []
        nln.train(made.ratings(), task="topk", epochs=2, dimension=4, threads=1, progress=ranked.append)
        self.assertEqual(len(nln.plot.curves(ranked, "ndcg").data[""]), 2)

    def test_tsne(self):
        figure = nln.plot.tsne(made.model(), iterations=100, names=3, threads=1)
        plane, report = figure.data
        self.assertEqual((plane.shape, report.iterations), ((30, 2), 100))
        self.assertEqual(len(elements(figure, "circle")), 30)
        self.assertTrue({"v1", "v2", "v3"} <= {x.text for x in elements(figure, "text")})
        colours = {x.get("fill") for x in elements(nln.plot.tsne(
            made.model(), truth={"v1": True, "v2": False}, iterations=20, threads=1), "circle")}
        self.assertEqual(len(colours), 3)
        self.assertEqual(len(elements(nln.plot.tsne(made.topk(), iterations=20, threads=1), "circle")), 40)

    def test_reliability(self):
        random = np.random.default_rng(1)
        p = random.random(20000)
        figure = nln.plot.reliability(p, random.random(20000) < p)
        self.assertLess(figure.data["error"], 0.02)
        self.assertEqual(figure.data["n"].sum(), 20000)
        self.assertEqual(len(elements(figure, "circle")), 10)
        figure = nln.plot.reliability([1.0, 1.0, 0.0], [1, 0, 0], bins=4)
        self.assertEqual(list(figure.data["mean"]), [0, 1])
        self.assertEqual(list(figure.data["true"]), [0, 0.5])
        self.assertAlmostEqual(figure.data["error"], 1 / 3)
        for wrong in (([0.5], [1, 0]), ([2.0], [1]), ([], [])):
            with self.assertRaises(ValueError):
                nln.plot.reliability(*wrong)

    def test_laws(self):
        figure = nln.plot.laws(made.model(), made.data())
        self.assertEqual(figure.data, made.model().inspect(made.data()))
        self.assertEqual(len(elements(figure, "rect")), 1 + len(figure.data))

    def test_lengths(self):
        made.data().write(made.path("data"))
        figure = nln.plot.lengths(made.model(), made.path("data"), count=10)
        measured = [x for x in made.model().lengths(made.path("data"), count=10) if x[2] == x[2]]
        self.assertEqual(sum(len(points) for points in figure.data.values()), len(measured))
        self.assertEqual(len(elements(figure, "circle")), len(measured))
