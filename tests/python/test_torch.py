"""nln.torch gives the answers and losses of the library, trains on, and comes back."""

import copy
import gzip
import importlib.util
import os
import pickle
import unittest

import made
import nln
import numpy as np

has_torch = importlib.util.find_spec("torch") is not None
if has_torch:
    import nln.torch
    import torch

FACTS = ["friends(ann, bob)", "friends(bob, cat)", "smokes(ann)", "smokes(bob)", "!smokes(cat)",
         "cancer(ann)", "!cancer(dan)", "!friends(ann, dan)",
         "forall p: smokes(p) -> cancer(p)", "forall p q: friends(p, q) -> friends(q, p)"]


def texts(n, n_variables):
    """Expressions of all operators, a long one among them."""
    random, found = np.random.default_rng(1), [" & ".join(f"v{i}" for i in range(1, 30)), "T", "F"]
    while len(found) < n:
        literals = [("!" if random.random() < 0.5 else "") + f"v{random.integers(1, n_variables + 1)}"
                    for _ in range(random.integers(1, 9))]
        signs = random.choice(["&", "|", "->", "xor"], len(literals), p=[0.4, 0.4, 0.15, 0.05])
        found.append(" ".join(f"{x} {sign}" for x, sign in zip(literals, signs)).rsplit(" ", 1)[0])
    return found


def histories(model, n):
    random, names, found = np.random.default_rng(2), model.variables, [[]]
    grades = 6 if model.abilities.reads_grades else 1
    while len(found) < n:
        items = random.choice(len(names), random.integers(1, 30))
        found.append([(names[int(i)], bool(random.random() < 0.7), int(random.integers(0, grades)))
                      for i in items])
    return found


def loaded(model):
    model.save(made.path("torch.model"))
    return nln.torch.load(made.path("torch.model"))


def trained(data, **options):
    return nln.train(data, **{"epochs": 2, "dimension": 12, "threads": 1, "seed": 1, **options})[0]


def loss_of(data, **options):
    """The loss of an epoch that changes nothing, and the model it is the loss of."""
    seen = []
    if options.get("embedding", "arc") == "arc":
        options["message_sweeps"] = 0
    model = trained(data, epochs=1, learning_rate=0, calibrate=False,
                    progress=lambda now: seen.append(now.loss), **options)
    return seen[-1], model


@unittest.skipUnless(has_torch, "SKIPPED: there is no python3-torch, so nln.torch is not tested")
class Torch(unittest.TestCase):
    def assert_same(self, model, questions):
        network = loaded(model)
        found = network.predict(questions).double().numpy()
        self.assertLess(abs(found - model.predict(questions)).max(), 1e-5)
        return network

    def assert_file_comes_back(self, network):
        """What was read and not changed is written byte for byte."""
        network.save(made.path("torch.again"))
        with open(made.path("torch.model"), "rb") as old, open(made.path("torch.again"), "rb") as new:
            self.assertEqual(old.read(), new.read())

    def test_expressions(self):
        for options in ({}, {"embedding": "free", "networks": 2}, {"embedding": "line"},
                        {"embedding": "arc+rest", "duals": False}, {"embedding": "line+rest"},
                        {"normal_form": "cnf", "hidden": 9},
                        {"members": 1, "association": "fold", "normal_form": "none", "alpha": 7}):
            with self.subTest(**options):
                model = trained(made.data(), **options)
                self.assert_file_comes_back(self.assert_same(model, texts(60, 30)))

    def test_atoms(self):
        questions = ["smokes(dan)", "!cancer(cat) | friends(ann, bob)", "exists x: friends(x, x)",
                     "forall p: cancer(p) -> smokes(p)"]
        data = nln.Data.from_lists((FACTS * 3, [1] * len(FACTS) * 3))
        for kind, dimension in (("mlp", 12), ("product", 12), ("product", 7)):
            with self.subTest(kind, dimension=dimension):
                model = trained(data, predicates=kind, dimension=dimension)
                self.assert_file_comes_back(self.assert_same(model, questions))

    def test_names_in_quotes(self):
        names = ["tea time", 'a "b"', "x&y", "नमस्ते", "T_"]
        quoted = ['"{}"'.format(x.replace('"', '\\"')) for x in names]
        data = nln.Data.from_lists((quoted * 9, [1, 0, 1, 0, 1] * 9))
        self.assert_same(trained(data), [f"{a} & !{b}" for a in quoted for b in quoted])

    def test_ratings(self):
        for task, options in (("topk", {}), ("topk", {"rules": 0, "members": 2, "embedding": "arc"}),
                              ("preference", {}), ("preference", {"grades": 0, "surprises": 0})):
            with self.subTest(task, **options):
                model = trained(made.ratings(), task=task, **options)
                network, asked = loaded(model), histories(model, 12)
                wanted = np.array([model.scores(history) for history in asked])
                with torch.no_grad():
                    found = network.scores(asked).double().numpy()
                self.assertLess(abs(found - wanted).max(), 1e-5)
                self.assert_file_comes_back(network)

    def test_an_implication_is_the_score_of_its_item(self):
        model = trained(made.ratings(), task="preference", surprises=0)
        network, asked = loaded(model), histories(model, 5)
        items = [model.variables[i] for i in range(5)]
        found = network(network.implications(asked, items)).detach().numpy()
        wanted = [model.scores(history)[i] for i, history in enumerate(asked)]
        self.assertLess(abs(found - wanted).max(), 1e-5)

    def test_the_loss_is_that_of_training(self):
        """Of one batch in the given order, with every part of the loss, for each embedding."""
        expressions, labels = labelled(made.data(), "train")
        for options in ({"embedding": "free", "l2_variables": 0.01}, {"embedding": "arc"},
                        {"embedding": "line+rest", "networks": 2},
                        {"embedding": "arc", "reduce": "mean", "laws": "negation,or_identity"}):
            with self.subTest(**options):
                if options["embedding"] != "free":
                    options["learning_rate_logit"] = 0
                    options["logit_noise"] = 0
                wanted, model = loss_of(made.data(), batch=len(labels), shuffle=False, duals=False,
                                        law_sample=1, law_weight=0.1, length_weight=0.001,
                                        fit_noise=False, noise=0.03, l2=0.01, **options)
                network = loaded(model)
                read = network.read(expressions)
                frequency = torch.from_numpy(read.forest.frequency(network.n_rows))
                found = network.loss(read, labels, frequency=frequency).item()
                each = 1 if options.get("reduce") == "mean" else len(labels)
                self.assertLess(abs(found / each - wanted), 1e-5 * max(1, abs(wanted)))

    def test_compound_laws(self):
        """Partners are drawn, so that the loss is that of training in the mean only."""
        expressions, labels = labelled(made.data(), "train")
        wanted, model = loss_of(made.data(), batch=len(labels), shuffle=False, duals=False,
                                law_sample=1, law_weight=1, laws="compound", fit_noise=False,
                                noise=0.03, learning_rate_logit=0, logit_noise=0, l2=0, l2_logit=0)
        network = loaded(model)
        read, random = network.read(expressions), np.random.default_rng(1)
        data = network.loss_parts(read, labels)["data"].item()
        drawn = [network.loss_parts(read, labels, random, laws="compound", logit_noise=0, dropout=0)
                 ["laws"].item() for _ in range(4)]
        wanted -= data / len(labels)
        self.assertGreater(wanted, 0)
        self.assertLess(abs(np.mean(drawn) / len(labels) / wanted - 1), 0.1)
        self.assertEqual(network.objective().laws[-1], "de_morgan_or")
        alone = [network.loss_parts(read, labels, laws=name)["laws"].item()
                 for name in network.objective().laws]
        together = network.loss_parts(read, labels)["laws"].item()
        self.assertAlmostEqual(sum(alone) / together, 1, places=5)

    def test_weights(self):
        """An expression of weight 2 is there twice, and of weight 0 not at all."""
        network, texts = loaded(made.model()), ["v1 & v2", "!v3", "v4 | v5"]
        for noise in (0, 0.1):
            found = network.loss_parts(texts, [1, 0.25, 0], weight=[2, 1, 0], noise=noise)["data"]
            wanted = network.loss_parts(texts[:1] * 2 + texts[1:2], [1, 1, 0.25], noise=noise)["data"]
            self.assertAlmostEqual(found.item(), wanted.item(), places=5)
        with self.assertRaisesRegex(ValueError, "3 expressions, but 2 weights"):
            network.loss(texts, [1, 0, 1], weight=[1, 1])

    def test_training_on(self):
        """Adam on the loss lowers it, and the library reads what comes out."""
        model = made.model()
        expressions, labels = labelled(made.data(), "train")
        network, random = loaded(model), np.random.default_rng(1)
        read = network.read(expressions)
        before = network.loss(read, labels).item()
        adam = torch.optim.Adam(network.parameters(), lr=0.003)
        for _ in range(8):
            for batch in np.array_split(random.permutation(len(labels)), 4):
                adam.zero_grad()
                network.loss(read, labels, random, batch, dropout=0.1).backward()
                adam.step()
        after = network.loss(read, labels).item()
        self.assertLess(after, before)
        network.save(made.path("torch.trained"))
        again = nln.Model.load(made.path("torch.trained"))
        self.assertLess(abs(network.predict(expressions).double().numpy()
                            - again.predict(expressions)).max(), 1e-5)
        self.assertFalse(np.allclose(again.predict(expressions), model.predict(expressions)))
        self.assertEqual({**again.options, "threads": 1}, model.options)
        self.assertEqual(network.to_library().predict("v1"), again.predict("v1"))

    def test_training_on_ratings(self):
        model = made.topk()
        network, asked = loaded(model), histories(model, 16)
        targets = torch.arange(16)
        adam = torch.optim.Adam(network.parameters(), lr=0.01)
        losses = []
        for _ in range(6):
            adam.zero_grad()
            each = network.item_scores(asked)
            loss = sum(torch.nn.functional.cross_entropy(x, targets) for x in each)
            loss.backward()
            losses.append(loss.item())
            adam.step()
        self.assertLess(losses[-1], losses[0])
        back = network.to_library()
        self.assertLess(abs(network.scores(asked[:1]).detach().numpy()[0] - back.scores(asked[0])).max(),
                        1e-5)

    def test_an_own_law_and_activation(self):
        network = loaded(made.model())
        net = network.networks[0]
        a, b = net.vectors()[:10], net.vectors()[10:20]
        law = (1 - net.similarity(net.NOT(net.AND(a, b)), net.OR(net.NOT(a), net.NOT(b)))).sum()
        law.backward()
        self.assertTrue(torch.isfinite(net.theta.grad).all() and net.theta.grad.abs().sum() > 0)
        with torch.no_grad():
            before = network(["v1 & v2"])
            net.activation = torch.nn.functional.silu
            self.assertNotAlmostEqual(before.item(), network(["v1 & v2"]).item(), places=4)
        with self.assertRaisesRegex(ValueError, "relu"):
            network.save(made.path("torch.never"))
        self.assertFalse(os.path.exists(made.path("torch.never")))

    def test_copies(self):
        network = loaded(made.model())
        wanted = network.predict(["v1 -> v2"])
        for other in (copy.deepcopy(network), pickle.loads(pickle.dumps(network))):
            self.assertTrue(torch.equal(other.predict(["v1 -> v2"]), wanted))
        fresh = loaded(made.model())
        with torch.no_grad():
            fresh.networks[0].theta.zero_()
        fresh.load_state_dict(network.state_dict())
        self.assertTrue(torch.equal(fresh.predict(["v1 -> v2"]), wanted))
        self.assertAlmostEqual(network.double().predict(["v1 -> v2"]).item(), wanted.item(), places=5)

    def test_what_is_refused(self):
        network = loaded(made.model())
        for wrong in (lambda: network(["v1 &"]), lambda: network(["nobody"])):
            with self.assertRaises(nln.Error):
                wrong()
        with self.assertRaisesRegex(ValueError, "2 expressions, but 1 labels"):
            network.loss(["v1", "v2"], [1])
        with self.assertRaisesRegex(ValueError, "no law 'gravity'"):
            network.loss(["v1"], [1], laws=("gravity",))
        with self.assertRaisesRegex(ValueError, "not on ratings"):
            network.scores([["v1"]])
        with torch.no_grad():
            network.networks[0].theta[0] = float("nan")
        with self.assertRaisesRegex(ValueError, "not finite"):
            network.save(made.path("torch.never"))
        other = nln.train(made.ratings(), task="topk", model="popularity")[0]
        with self.assertRaisesRegex(nln.FormatError, "popularity"):
            loaded(other)
        made.model().save(made.path("torch.model"))
        file = nln.safetensors.read(made.path("torch.model"))
        for key, word in (("knowledge", "facts about items"), ("training", "state of a training")):
            nln.safetensors.write(made.path("torch.more"), file, {**file.metadata, key: "1"})
            with self.assertRaisesRegex(nln.FormatError, word):
                nln.torch.Model(nln.safetensors.read(made.path("torch.more")), made.model())
        with self.assertRaisesRegex(nln.FormatError, "8 random orders"):
            loaded(trained(made.data(), orders=8))

    def test_nothing_imports_torch_by_itself(self):
        made.run("import sys, nln; assert 'torch' not in sys.modules and 'numpy' not in sys.modules")

    def test_without_torch(self):
        out = made.run("import sys; sys.modules['torch'] = None; import nln.torch", ok=False)
        self.assertIn("nln.torch needs PyTorch", out)

    @unittest.skipUnless(os.environ.get("NLN_DATA"), "SKIPPED: NLN_DATA names no published data")
    def test_published_logic(self):
        """Every prediction and the loss of the whole training set."""
        folder = os.path.join(os.environ["NLN_DATA"], "nlr-logic")
        data = nln.Data.read(folder)
        data.write(made.path("nlr"))
        expressions, labels = labelled(made.path("nlr"), "train")
        wanted, model = loss_of(data, batch=len(labels), dimension=64, shuffle=False, duals=False,
                                law_sample=1, fit_noise=False, learning_rate_logit=0, logit_noise=0)
        network = loaded(model)
        read = network.read(expressions)
        frequency = torch.from_numpy(read.forest.frequency(network.n_rows))
        found = network.loss(read, labels, frequency=frequency).item() / len(labels)
        self.assertLess(abs(found - wanted), 1e-5 * wanted)
        model = trained(data, dimension=64, epochs=2)
        questions, labels = labelled(made.path("nlr"), "test")
        network = self.assert_same(model, questions)
        found = torch.nn.functional.binary_cross_entropy_with_logits(
            network(questions), torch.tensor(labels, dtype=torch.float32)).item()
        self.assertAlmostEqual(found, model.evaluate(data).cross_entropy, places=5)

    @unittest.skipUnless(os.environ.get("NLN_DATA"), "SKIPPED: NLN_DATA names no published data")
    def test_published_ratings(self):
        """The scores of all films after the histories of some users, and the loss of preference
        on the test set."""
        folder = os.path.join(os.environ["NLN_DATA"], "nlr-ml100k")
        ratings = nln.Ratings.read(folder)
        for task, options in (("topk", {"rules": 50}), ("preference", {"networks": 2})):
            model = nln.train(ratings, task=task, epochs=1, dimension=32, **options)[0]
            network, users = loaded(model), list(ratings.users)[::120]
            asked = [model.history(user) for user in users]
            with torch.no_grad():
                found = network.scores(asked).double().numpy()
            wanted = np.array([model.scores(history) for history in asked])
            self.assertLess(abs(found - wanted).max(), 1e-5 * max(1, abs(wanted).max()))
        asked, items, labels = rows_of_test(folder, model)
        with torch.no_grad():
            score = torch.cat([network.answers(asked[i : i + 256], items[i : i + 256])
                               for i in range(0, len(asked), 256)])
        loss = torch.nn.functional.binary_cross_entropy_with_logits(score, torch.tensor(labels))
        self.assertLess(abs(loss.item() - model.evaluate(ratings).cross_entropy), 1e-5)


def rows_of_test(folder, model):
    """The histories, items and labels of the test set: of each user train, valid, test, each in
    the order of time."""
    rows = {}
    for split, name in enumerate(("train", "validation", "test")):
        with gzip.open(os.path.join(folder, f"{name}.csv.gz"), "rt") as file:
            for line in list(file)[1:]:
                user, item, label, time = line.split()
                rows.setdefault(user, []).append((split, float(time), item, float(label)))
    asked, items, labels = [], [], []
    for row in rows.values():
        row.sort(key=lambda x: x[:2])
        for i, (split, _, item, label) in enumerate(row):
            if split == 2:
                asked.append([model.rated(x[2], x[3]) for x in row[max(0, i - 100) : i]])
                items.append(item)
                labels.append(label)
    return asked, items, labels


def labelled(data, split):
    """The expressions and labels of a split, of data or of their folder."""
    folder = data
    if isinstance(data, nln.Data):
        folder = made.path("labelled")
        data.write(folder)
    with open(os.path.join(folder, f"{split}.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip()]
    return [row[0] for row in rows], [int(row[1] == "T") for row in rows]
