"""The client against a real server, and against its description of itself."""

import inspect
import os
import subprocess
import threading
import unittest

import made
import nln
from nln.client import ROUTES


class Served:
    """A server of one model, on a free port."""

    def __init__(self, model, *options):
        self.process = subprocess.Popen(
            [os.environ["NLN_PROGRAM"], "serve", model, "--listen", "127.0.0.1:0", "--log", "none",
             *options], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def stop(self):
        self.process.terminate()
        self.process.stdout.close()
        return self.process.wait(30)


class Client(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made.topk().save(made.path("served.model"))
        made.model().save(made.path("served-logic.model"))
        made.ratings_file()  # and the titles
        cls.shop = Served(made.path("served.model"), "--titles", made.path("titles.tsv"),
                          "--store", made.path("served.events"))
        cls.logic = Served(made.path("served-logic.model"))
        cls.items = made.topk().variables

    @classmethod
    def tearDownClass(cls):
        for served in (cls.shop, cls.logic):
            assert served.stop() == 0

    def setUp(self):
        self.client = nln.Client(self.shop.url)
        self.addCleanup(self.client.close)

    def test_every_route(self):
        """Every route has a method whose parameters are the fields of the route, and no other."""
        described = {}
        for path, methods in self.client.openapi()["paths"].items():
            for method, route in methods.items():
                if path == "/":
                    continue
                body = route.get("requestBody", {}).get("content", {}).get("application/json", {})
                fields = set(body.get("schema", {}).get("properties", {}))
                fields |= {p["name"] for p in route.get("parameters", []) if p["in"] == "query"}
                described[method.upper(), path.split("{")[0]] = fields
        self.assertEqual(set(ROUTES), set(described))
        for route, fields in described.items():
            parameters = inspect.signature(getattr(nln.Client, ROUTES[route])).parameters
            self.assertLessEqual(fields, set(parameters), route)

    def test_recommend(self):
        history = [nln.like(self.items[0]), nln.dislike(self.items[1]), nln.rated(self.items[2], 5)]
        answer = self.client.recommend(history=history, k=4, reasons=True)
        self.assertEqual(len(answer["items"]), 4)
        self.assertEqual(answer["model"], self.client.model()["model"])
        for row in answer["items"]:
            self.assertEqual([reason["item"] for reason in row["reasons"]], self.items[:3])
        literals = [nln.Literal(self.items[0], True), nln.Literal(self.items[1], False),
                    nln.Literal(self.items[2], True)]
        wanted = [row.item for row in made.topk().recommend(literals, k=4)]
        self.assertEqual([row["item"] for row in answer["items"]], wanted)
        many = self.client.recommend(requests=[{"history": history, "k": 4}] * 3)["answers"]
        self.assertEqual([[row["item"] for row in one["items"]] for one in many], [wanted] * 3)
        one = self.client.explain(wanted[0], history=history)
        self.assertEqual(len(one["reasons"]), 3)
        self.assertNotIn(wanted[0], [row["item"] for row in
                                     self.client.recommend(history=history, exclude=wanted[:1])["items"]])

    def test_expressions(self):
        with nln.Client(self.logic.url) as client:
            texts = ["v1 & !v2", "v3 | v4"]
            for p, wanted in zip(client.predict(texts)["probabilities"], made.model().predict(texts)):
                self.assertAlmostEqual(p, wanted, places=6)
            graph = client.graph("v1 -> v2")
            self.assertEqual([node["operation"] for node in graph["nodes"]],
                             ["variable", "variable", "implies"])
            with self.assertRaises(nln.ClientError) as caught:
                client.graph("v1 & & v2")
            self.assertEqual((caught.exception.status, caught.exception.field,
                              caught.exception.column), (422, "expression", 6))

    def test_items(self):
        item = self.client.items(k=1)["items"][0]
        self.assertEqual(self.client.items(item["title"])["items"][0], item)
        self.assertEqual(len(self.client.similar(item["item"], k=3)["items"]), 3)
        self.assertIn("kept", self.client.laws()["laws"][0])
        self.assertIn(self.client.map()["status"], ("computing", "done"))

    def test_events(self):
        item, other = self.items[:2]
        events = [{"id": "c1", "user": "new", "item": item, "liked": True},
                  {"id": "c2", "user": "new", "item": other, "rating": 1, "time": 1700000000}]
        for wanted in ("stored", "duplicate"):
            results = self.client.send_events(events)["results"]
            self.assertEqual([(r["id"], r["status"]) for r in results],
                             [("c1", wanted), ("c2", wanted)])
        page = self.client.events(user="new", k=1)
        self.assertEqual(page["events"][0]["item"], item)
        self.assertEqual(self.client.events("new", page["next"])["events"][0]["item"], other)
        shown = [row["item"] for row in self.client.recommend(user="new", k=100)["items"]]
        self.assertNotIn(item, shown)
        self.assertTrue(any(line.startswith("new\t") for line in self.client.export()))
        self.assertEqual(self.client.forget("new")["removed"], 2)
        self.assertEqual(self.client.events("new")["events"], [])

    def test_training(self):
        self.assertEqual(self.client.training()["state"], "idle")
        with open(made.ratings_file()) as file:
            text = file.read()
        self.client.train(epochs=2, data=text, name="ratings.csv", task="topk")
        names = [name for name, _ in self.client.watch_training()]
        self.assertEqual(names.count("epoch"), 2)
        self.assertEqual(names[-1], "end")
        with self.assertRaises(nln.ClientError) as caught:
            self.client.stop_training()
        self.assertEqual(caught.exception.status, 409)

    def test_refusals(self):
        with self.assertRaises(nln.ClientError) as caught:
            self.client.recommend(history=[nln.like("no such item")])
        self.assertEqual(caught.exception.status, 422)
        self.assertEqual(caught.exception.field, "history[0].item")
        self.assertIn("no such item", str(caught.exception))
        with self.assertRaises(ValueError):
            nln.Client("127.0.0.1:8080")

    def test_operation(self):
        self.assertEqual(self.client.live()["status"], "live")
        self.assertEqual(self.client.ready()["status"], "ready")
        self.assertGreater(self.client.server()["requests"], 0)
        self.assertIn("nln_", self.client.metrics())
        self.assertEqual(self.client.reload()["model"], self.client.model()["model"])

    def test_threads(self):
        """Threads share a client; each has its own connection."""
        answers = []

        def ask():
            for _ in range(20):
                answers.append(self.client.recommend(history=[nln.like(self.items[0])])["items"])
            self.client.close()
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), 80)
        self.assertTrue(all(rows == answers[0] for rows in answers))

    def test_keys(self):
        with open(made.path("keys"), "w") as file:
            file.write("read Zm9vYmFyYmF6cXV4MDEyMzQ1\n")
        os.chmod(made.path("keys"), 0o600)
        locked = Served(made.path("served.model"), "--keys", made.path("keys"))
        try:
            with nln.Client(locked.url) as client, self.assertRaises(nln.ClientError) as caught:
                client.model()
            self.assertEqual(caught.exception.status, 401)
            with nln.Client(locked.url, key="Zm9vYmFyYmF6cXV4MDEyMzQ1") as client:
                self.assertIn("model", client.model())
        finally:
            self.assertEqual(locked.stop(), 0)
