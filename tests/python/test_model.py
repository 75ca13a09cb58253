"""Models: files, answers, arrays, errors, threads, memory."""

import copy
import errno
import gc
import math
import os
import pickle
import subprocess
import threading
import unittest

import made
import numpy as np

import nln

expressions = [f"(v{i} & !v{i % 7 + 1}) | v{i % 11 + 1}" for i in range(1, 31)]


class Scorers(unittest.TestCase):
    def test_spread_and_query(self):
        """The spread is that of the members, and what is asked about is uncertain."""
        model = made.model()
        texts = [f"v{i} & !v{i + 1}" for i in range(1, 29)] + ["v1 | !v1", "v1 &"]
        p, spread = model.predict_spread(texts)
        self.assertTrue(np.isnan(p[-1]) and (spread[:-1] >= 0).all() and spread[:28].max() > 0)
        found = model.query(texts, k=5)
        self.assertEqual(len(found), 5)
        self.assertEqual([x.value for x in found], sorted((x.value for x in found), reverse=True))
        for x in found:
            self.assertEqual(x.spread, spread[x.index])
        self.assertNotIn(28, [x.index for x in found])
        with self.assertRaisesRegex(nln.Error, "by"):
            model.query(texts, by="luck")

    def test_lists(self):
        self.assertEqual(made.topk().learned(made.ratings()), 0)
        n_train = made.ratings().size("train")
        self.assertEqual(made.topk().learned(made.ratings(), split="train"), n_train)
        plain = made.topk().evaluate_lists(made.ratings(), k=5)
        varied = made.topk().evaluate_lists(made.ratings(), k=5, diversity=0.5)
        self.assertEqual((plain.k, plain.n_lists), (5, varied.n_lists))
        self.assertTrue(0 < plain.coverage <= 1 and plain.novelty > 0)
        self.assertGreater(varied.diversity, plain.diversity)

    def test_lists_are_those_of_the_model(self):
        model, items = made.topk(), list(made.topk().variables)
        scorer = model.scorer()
        histories = [items[:3], [(items[4], False), items[5]], []]
        many = scorer.recommend_many(histories, k=4, threads=2)
        self.assertEqual(many, [model.recommend(h, k=4) for h in histories])
        self.assertEqual(scorer.recommend(items[:3], k=4), many[0])
        self.assertEqual(scorer.recommend(items[:3], k=3, offset=1), many[0][1:])
        first = many[0][0].item
        self.assertEqual(scorer.recommend(items[:3], k=3, exclude=[first]), many[0][1:])
        self.assertEqual([x.item for x in scorer.recommend(items[:3], only=[first])], [first])
        self.assertEqual(scorer.recommend(items[:3], only=[]), [])
        self.assertEqual(scorer.scores(items[:3]).tolist(), model.scores(items[:3]).tolist())
        self.assertEqual(scorer.explain(first, items[:3]), model.explain(items[:3], item=first))
        told = scorer.explain_many([first, items[4]], items[:3])
        self.assertEqual(told, [scorer.explain(item, items[:3]) for item in (first, items[4])])
        self.assertEqual(scorer.rank(items[0]).tolist(), model.rank(items[0]).tolist())
        with self.assertRaises(ValueError):
            scorer.recommend(items[:3], k=-1)
        with self.assertRaises(nln.UnknownError):
            scorer.recommend(["nothing"])

    def test_a_scorer_keeps_its_model(self):
        made.topk().save(made.path("scored"))
        scorer = nln.Model.load(made.path("scored")).scorer()
        gc.collect()
        self.assertEqual(scorer.recommend([], k=2), made.topk().recommend([], k=2))

    def test_abilities(self):
        self.assertTrue(made.topk().abilities.recommends)
        self.assertEqual(made.topk().abilities.task, "topk")
        self.assertFalse(made.model().abilities.recommends)
        self.assertTrue(made.model().abilities.reads_expressions)


class Links(unittest.TestCase):
    def test_questions_are_answered_with_reasons(self):
        with open(made.path("kg.tsv"), "w", encoding="utf-8") as out:
            for i in range(30):
                out.write(f"c{i}\tparent\tp{i}\np{i}\tbrother\tu{i}\nc{i}\tuncle\tu{i}\n")
        triples = nln.Triples.read(made.path("kg.tsv"), holdout=0)
        model = nln.train(triples, task="link", model="rules", threads=1)[0]
        first = model.fill("uncle(c3, ?)", 1, reasons=True, with_known=True)[0]
        self.assertEqual((first.entity, first.known), ("u3", True))
        self.assertEqual(first.reasons[0].text,
                         "parent(c3, p3) & brother(p3, u3) -> uncle(c3, u3)")
        self.assertEqual(first.reasons[0].confidence, 1)
        self.assertAlmostEqual(sum(r.contribution for r in first.reasons), first.by_rules)
        self.assertNotIn("u3", [x.entity for x in model.fill("uncle(c3, ?)", 1000)])
        with self.assertRaises(nln.UnknownError):
            model.fill("uncel(c3, ?)")


class Clauses(unittest.TestCase):
    def test_values_satisfy_the_clauses(self):
        clauses = [[1, 2], [-1, -2], [2, 3], [-2, -3], [3, -4]]
        with open(made.path("easy.cnf"), "w", encoding="ascii") as out:
            out.write("p cnf 4 5\n" + "".join(" ".join(map(str, c)) + " 0\n" for c in clauses))
        values, report = nln.solve_cnf(made.path("easy.cnf"), trainings=5)
        self.assertTrue(all(any(values[abs(x) - 1] == (x > 0) for x in c) for c in clauses))
        self.assertEqual((report.satisfiable, report.satisfied), (True, 5))
        self.assertTrue(report.plain.satisfiable and report.phased.satisfiable)
        with self.assertRaises(nln.MalformedError):
            nln.solve_cnf(made.ratings_file())


class Files(unittest.TestCase):
    def test_save_and_load(self):
        made.model().save(made.path("model"))
        again = nln.Model.load(made.path("model"))
        self.assertEqual(again.variables, made.model().variables)
        self.assertEqual(again.predict(expressions).tolist(),
                         made.model().predict(expressions).tolist())
        options = made.model().options
        self.assertEqual({**again.options, "threads": 0}, {**options, "threads": 0})
        self.assertEqual((options["epochs"], options["embedding"], options["shuffle"]),
                         (4, "arc", True))
        self.assertIn("true", [x.name for x in again.tensors])

    def test_errors(self):
        with self.assertRaises(nln.FileError) as caught:
            nln.Model.load("/nowhere/model")
        self.assertIsInstance(caught.exception, OSError)
        self.assertEqual(caught.exception.status, nln.Status.IO)
        self.assertIn("/nowhere/model", str(caught.exception))
        self.assertIsInstance(caught.exception, FileNotFoundError)
        again = pickle.loads(pickle.dumps(caught.exception))
        for error in (caught.exception, again):
            self.assertEqual((type(error), error.errno, error.filename, error.strerror),
                             (nln.MissingFileError, errno.ENOENT, "/nowhere/model",
                              os.strerror(errno.ENOENT)))
        with self.assertRaises(nln.FileError) as caught:
            nln.Model.load(made.path(""))
        self.assertNotIsInstance(caught.exception, FileNotFoundError)
        self.assertIsNone(caught.exception.errno)
        with open(made.path("it's: a file"), "w"):
            pass
        with self.assertRaises(nln.FileError) as caught:
            nln.Model.load(made.path("it's: a file") + "/model")
        self.assertEqual((caught.exception.errno, caught.exception.filename),
                         (errno.ENOTDIR, made.path("it's: a file") + "/model"))
        with open(made.path("junk"), "w") as file:
            file.write("this is not a model at all")
        with self.assertRaises(nln.FormatError):
            nln.Model.load(made.path("junk"))
        with self.assertRaises(ValueError):
            nln.Model.load("a\0b")
        with self.assertRaises(TypeError):
            nln.Model()

    def test_copies(self):
        for again in (copy.deepcopy(made.model()), pickle.loads(pickle.dumps(made.model()))):
            self.assertTrue((again.predict(expressions) == made.model().predict(expressions)).all())
        for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaises(TypeError):
                attempt(made.model().scorer())


class Expressions(unittest.TestCase):
    def test_one_and_many(self):
        many = made.model().predict(expressions)
        self.assertEqual((many.dtype, many.shape), (np.float64, (30,)))
        one = [made.model().predict(x) for x in expressions]
        self.assertTrue(np.allclose(many, one, atol=1e-5), np.abs(many - one).max())
        self.assertTrue(((0 <= many) & (many <= 1)).all())
        self.assertIsInstance(one[0], float)
        self.assertEqual(made.model().predict([]).shape, (0,))
        self.assertEqual(made.model().predict(expressions, threads=1).tolist(), many.tolist())
        self.assertIsInstance(made.model().predict("v1", orders=2), float)

    def test_out(self):
        out = np.full(30, -1.0)
        self.assertIs(made.model().predict(expressions, out=out), out)
        self.assertEqual(out.tolist(), made.model().predict(expressions).tolist())
        wide = np.zeros((30, 2))
        half = np.zeros(60)[15:45]
        self.assertIs(made.model().predict(expressions, out=half), half)  # a contiguous view
        self.assertEqual(half.base[14], 0)
        self.assertEqual(half.base[45], 0)
        frozen = np.zeros(30)
        frozen.flags.writeable = False
        for bad, kind in ((np.zeros(29), ValueError), (wide[:, 0], ValueError),
                          (frozen, ValueError), (np.zeros(30, np.float32), TypeError),
                          (np.zeros(30, ">f8"), TypeError), ([0.0] * 30, TypeError)):
            with self.assertRaises(kind):
                made.model().predict(expressions, out=bad)
        self.assertFalse(wide.any() or frozen.any())
        with self.assertRaises(TypeError):
            made.model().predict("v1", out=np.zeros(1))

    def test_malformed(self):
        with self.assertRaises(nln.MalformedError) as caught:
            made.model().predict("v1 & (v2 |")
        error = caught.exception
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.status, error.file, error.line, error.column),
                         (nln.Status.SYNTAX, "", 0, 11))
        self.assertTrue(str(error).startswith("column 11: "))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), str(again)), (type(error), str(error)))
        with self.assertRaises(nln.UnknownError) as caught:
            made.model().predict(["v1", "v2 & stranger"])
        self.assertEqual((caught.exception.line, caught.exception.column), (2, 6))
        self.assertIn("stranger", str(caught.exception))
        with self.assertRaises(ValueError):
            made.model().predict("v1\0& v2")
        for wrong in (b"v1", 5, None):
            with self.assertRaises(TypeError):
                made.model().predict(wrong)
        with self.assertRaises(TypeError):
            made.model().predict(["v1", 5])
        with self.assertRaises(nln.InvalidError):
            made.model().predict("v1", orders=-1)

    def test_rank(self):
        p = made.model().rank("v1 & !v2")
        self.assertEqual(p.shape, (30,))
        out = np.empty(30)
        self.assertIs(made.model().rank("v1 & !v2", out), out)
        self.assertEqual(out.tolist(), p.tolist())

    def test_solve(self):
        solution = made.model().solve()
        self.assertEqual(list(solution), list(made.model().variables))
        self.assertEqual(solution["v5"], solution.confidence[made.model().variables.index("v5")])
        self.assertEqual(solution.truth.tolist(), (solution.confidence > 0.5).tolist())
        self.assertEqual(list(solution.values()), solution.confidence.tolist())
        self.assertEqual(list(solution.items())[4], ("v5", solution["v5"]))
        self.assertEqual(solution, dict(solution))
        self.assertEqual(dict(solution)["v1"], solution["v1"])
        with self.assertRaises(KeyError):
            solution["stranger"]
        made.data().write(made.path("data"))
        share, n = made.model().solve_score(made.path("data"))
        truth = made.model().truth(made.path("data"))
        self.assertEqual(n, 30)
        self.assertEqual(truth.dtype, np.int8)
        self.assertAlmostEqual(share, (truth == solution.truth).mean())

    def test_evaluate(self):
        model, report = made.trained()
        test = model.evaluate(made.data())
        self.assertEqual(test.n, made.data().size("test"))
        self.assertAlmostEqual(test.accuracy, report.test.accuracy)
        self.assertAlmostEqual(model.evaluate(made.data(), "valid", threads=1).rmse,
                               report.valid.rmse)
        with self.assertRaises(ValueError):
            model.evaluate(made.data(), "all")
        with self.assertRaises(nln.UnknownError):
            model.evaluate(made.data(), cuts=[1])
        with self.assertRaises(TypeError):
            model.evaluate("data")

    def test_worst_cases(self):
        laws, worst = made.model().inspect(), made.model().worst_cases(3)
        self.assertEqual([len(cases) for cases in worst], [3] * len(laws))
        for law, cases in zip(laws, worst):
            self.assertTrue(all(set(names) <= set(made.model().variables) for names, _ in cases))
            similarities = [similarity for _, similarity in cases]
            self.assertEqual(similarities, sorted(similarities, reverse=law.far_apart))
            self.assertGreaterEqual((law.mean_similarity - similarities[0]) * (-1) ** law.far_apart, 0)

    def test_inspect(self):
        alone, more = made.model().inspect(), made.model().inspect(made.data())
        self.assertGreaterEqual(len(alone), 10)
        self.assertGreater(more[0].n, alone[0].n)
        self.assertTrue(all(0 <= law.kept <= 1 for law in more))

    def test_lengths(self):
        made.data().write(made.path("data"))
        found = made.model().lengths(made.path("data"), count=10)
        shares = [right for kind, size, right in found if kind == "and" and size == 5]
        self.assertEqual(len(shares), 1)
        self.assertTrue(0 <= shares[0] <= 1)


class Vectors(unittest.TestCase):
    def test_embeddings(self):
        vectors = made.model().embeddings()
        self.assertEqual((vectors.dtype, vectors.shape), (np.float32, (30, 32)))
        self.assertEqual(made.model().vector_length, 32)
        out = np.zeros((30, 32), np.float32)
        self.assertIs(made.model().embeddings(out), out)
        self.assertTrue((out == vectors).all())
        for bad in (np.zeros((32, 30), np.float32).T, np.zeros((30, 31), np.float32)):
            with self.assertRaises(ValueError):
                made.model().embeddings(bad)

    def test_exported(self):
        """What the program exports is the same."""
        made.model().save(made.path("model"))
        subprocess.run([os.environ["NLN_PROGRAM"], "export", made.path("model"), "--quiet", "--out",
                        made.path("vectors.npy")], check=True, stdout=subprocess.DEVNULL)
        self.assertTrue((np.load(made.path("vectors.npy")) == made.model().embeddings()).all())
        with open(made.path("vectors.names.tsv"), encoding="utf-8") as file:
            self.assertEqual(file.read().split("\n")[:-1], list(made.model().variables))

    def test_names(self):
        names = made.model().variables
        self.assertEqual(len(names), 30)
        self.assertEqual(names[-1], list(names)[29])
        self.assertEqual(names[2:4], list(names)[2:4])
        self.assertTrue("v1" in names and "stranger" not in names and 5 not in names)
        self.assertEqual(names[names.index("v7")], "v7")
        with self.assertRaises(nln.UnknownError):
            names.index("stranger")
        with self.assertRaises(IndexError):
            names[30]

    def test_tsne(self):
        vectors, seen = made.model().embeddings(), []
        plane, report = nln.tsne(vectors, iterations=60, progress=seen.append, threads=1)
        self.assertEqual((plane.shape, report.iterations), ((30, 2), 60))
        self.assertEqual(seen[-1].n_epochs, 60)
        again, _ = nln.tsne(vectors.astype(np.float64), iterations=60, out=np.empty((30, 2)))
        self.assertEqual(again.tolist(), plane.tolist())
        with self.assertRaises(ValueError):
            nln.tsne(vectors[0])
        cluster, accuracy = nln.two_clusters(plane)
        self.assertEqual(set(cluster.tolist()), {0, 1})
        self.assertTrue(math.isnan(accuracy))
        _, accuracy = nln.two_clusters(plane, cluster.astype(np.int8))
        self.assertEqual(accuracy, 1)
        with self.assertRaises(ValueError):
            nln.two_clusters(plane, cluster[:-1])
        for seed in (-1, 2**64):
            with self.assertRaises(ValueError):
                nln.two_clusters(plane, seed=seed)
        nln.two_clusters(plane, seed=2**64 - 1)


class Threads(unittest.TestCase):
    def test_one_model(self):
        """Eight threads ask one model, and hear what one thread hears."""
        wanted = made.model().predict(expressions, threads=1).tolist()
        wanted_one = made.model().predict(expressions[3])
        wrong = []

        def ask():
            for _ in range(20):
                if made.model().predict(expressions, threads=1).tolist() != wanted:
                    wrong.append("many")
                if made.model().predict(expressions[3]) != wanted_one:
                    wrong.append("one")

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Memory(unittest.TestCase):
    def test_handles_are_freed(self):
        made.model().save(made.path("model"))
        gc.collect()
        before = nln.memory_used()
        for _ in range(3):
            model = nln.Model.load(made.path("model"))
            names = model.variables
            self.assertGreater(nln.memory_used(), before)
            del model
            self.assertEqual(names[0], made.model().variables[0])  # the names keep their model
            del names
            self.assertEqual(nln.memory_used(), before)

    def test_limit(self):
        made.model().save(made.path("model"))
        self.addCleanup(nln.memory_limit, 0)
        nln.memory_limit(nln.memory_used() + 1000)
        with self.assertRaises(nln.OutOfMemoryError) as caught:
            nln.Model.load(made.path("model"))
        nln.memory_limit(0)
        self.assertIsInstance(caught.exception, MemoryError)
        nln.Model.load(made.path("model"))
        for wrong, kind in ((-1, ValueError), (2**64 + 5, ValueError), (1.5, TypeError)):
            with self.assertRaises(kind):
                nln.memory_limit(wrong)
        nln.Model.load(made.path("model"))


class Statistics(unittest.TestCase):
    def test_summary_and_paired(self):
        x = nln.summary([1.0, 2.0, 4.0])
        self.assertEqual((x.n, round(x.mean, 6)), (3, 2.333333))
        self.assertAlmostEqual(x.error, x.deviation / math.sqrt(3))
        self.assertAlmostEqual(nln.paired([1, 2, 3, 4], [0, 0, 2, 2]).difference.mean, 1.5)
        with self.assertRaises(ValueError):
            nln.paired([1], [1, 2])

    def test_exact(self):
        report = nln.exact(made.data())
        self.assertTrue(report.consistent and report.sat.n == made.data().size("test"))
        self.assertGreater(report.posterior_recovered, 0.5)


class Recorded(unittest.TestCase):
    def test_how_a_model_came_about(self):
        model, report = made.trained()
        record = model.record
        self.assertEqual(record.rows, tuple(map(made.data().size, ("train", "valid", "test"))))
        self.assertEqual((record.epochs, record.best_epoch), (report.epochs, report.best_epoch))
        self.assertAlmostEqual(record.measures["accuracy"][1], report.test.accuracy)
        model.save(made.path("recorded"))
        self.assertEqual(repr(nln.Model.load(made.path("recorded")).record), repr(record))
