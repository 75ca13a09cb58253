"""Data and ratings, and the answers of models of ratings."""

import importlib.util
import os
import unittest
import unittest.mock

import made
import numpy as np

import nln


class Expressions(unittest.TestCase):
    def test_round_trip(self):
        made.data().write(made.path("written"))
        again = nln.Data.read(made.path("written"))
        for split in ("train", "valid", "test"):
            self.assertEqual(again.size(split), made.data().size(split))
            self.assertEqual(again.true(split), made.data().true(split))
        self.assertEqual((len(again), again.variables), (500, 30))

    def test_errors(self):
        with self.assertRaises(FileNotFoundError) as caught:
            nln.Data.read("/nowhere")
        self.assertEqual(caught.exception.filename, "/nowhere")
        with self.assertRaises(nln.InvalidError):
            nln.Data.generate(noise=2)
        with self.assertRaises(nln.UnknownError) as caught:
            nln.Data.generate(variable=2)
        self.assertIn("variables", str(caught.exception))
        made.data().write(made.path("broken"))
        with open(made.path("broken/train.tsv"), "a") as file:
            file.write("v1 & & v2\tT\n")
        with self.assertRaises(nln.MalformedError) as caught:
            nln.Data.read(made.path("broken"))
        self.assertEqual((caught.exception.line, caught.exception.column), (401, 6))
        self.assertRegex(str(caught.exception), r"broken/train.tsv:401:6: ")

    def test_from_lists(self):
        made.data().write(made.path("lists"))
        splits = []
        for split in ("train", "valid", "test"):
            with open(made.path(f"lists/{split}.tsv")) as file:
                rows = [line.rstrip("\n").split("\t") for line in file]
            splits.append(([row[0] for row in rows], [row[1] == "T" for row in rows]))
        data = nln.Data.from_lists(*splits)
        self.assertEqual([(data.size(x), data.true(x)) for x in ("train", "valid", "test")],
                         [(made.data().size(x), made.data().true(x))
                          for x in ("train", "valid", "test")])
        data.write(made.path("again"))
        for split in ("train", "valid", "test"):
            with open(made.path(f"lists/{split}.tsv")) as a, \
                    open(made.path(f"again/{split}.tsv")) as b:
                self.assertEqual(a.read(), b.read())
        with self.assertRaises(nln.MalformedError) as caught:
            nln.Data.from_lists((["a", "b &"], [1, 0]))
        self.assertEqual(caught.exception.line, 2)
        with self.assertRaises(nln.InvalidError):
            nln.Data.from_lists((["a"], [2]))
        with self.assertRaisesRegex(ValueError, "1 expressions, but 2 labels"):
            nln.Data.from_lists((["a"], [1, 0]))
        with self.assertRaisesRegex(ValueError, "1 expressions, but 2 weights"):
            nln.Data.from_lists((["a"], [1], [1, 0]))

    def test_labels_between_and_weights(self):
        """They are written as they were given."""
        data = nln.Data.from_lists((["a & b", "!a"], [0.25, 1], [2, 0.5]), (["b"], [0]))
        data.write(made.path("soft"))
        with open(made.path("soft/train.tsv")) as file:
            self.assertEqual([line.split() for line in file],
                             [["a", "&", "b", "0.25", "2"], ["!a", "T", "0.5"]])

    def test_one_file_in_folds(self):
        """Every line is in the test part of one fold."""
        with open(made.path("one.tsv"), "w") as file:
            file.writelines(f"v{i} & v{i + 1}\t{'TF'[i % 2]}\n" for i in range(50))
        sizes = [nln.Data.read(made.path("one.tsv"), folds=5, fold=i).size("test")
                 for i in range(1, 6)]
        self.assertEqual(sizes, [10] * 5)
        self.assertEqual(nln.Data.read(made.path("one.tsv"), holdout=0.2).size("train"), 30)

    def test_options(self):
        rows = nln.options("train")
        self.assertEqual(rows["recipe"].choices, ("default", "paper", "fast"))
        self.assertEqual((rows["epochs"].type, rows["epochs"].least), ("int", 0))
        with self.assertRaises(nln.UnknownError):
            nln.options("no such command")


class Facts(unittest.TestCase):
    def test_facts_about_items(self):
        with open(made.path("facts.tsv"), "w") as file:
            file.writelines(f"tea{i}\tgoes_with\tbiscuits{i}\n" for i in range(41))
        users = [f"u{u}" for u in range(240) for _ in range(2)]
        items = [f"{name}{u % 40}" for u in range(240) for name in ("tea", "biscuits")]
        ratings = nln.Ratings.from_arrays(users, items, split="random")
        self.assertEqual(len(ratings.items), 80)
        self.assertEqual(ratings.read_facts(made.path("facts.tsv")), 41)
        self.assertEqual(len(ratings.items), 81)
        model, _ = nln.train(ratings, task="topk", epochs=2, dimension=8, rules=0, threads=1)
        self.assertEqual(model.facts_between("biscuits3", "tea3"),
                         [("goes_with", "tea3", "biscuits3")])
        self.assertEqual(model.facts_between("tea3", "tea4"), [])
        self.assertEqual(model.recommend(["tea7"], k=1)[0].item, "biscuits7")
        with self.assertRaises(FileNotFoundError):
            ratings.read_facts("/nowhere")


class Ratings(unittest.TestCase):
    def test_reading(self):
        ratings = made.ratings()
        self.assertEqual((len(ratings), len(ratings.users), len(ratings.items)), (1500, 60, 40))
        self.assertEqual((ratings.report.lines, ratings.report.bad, ratings.report.first),
                         (1500, 0, None))
        self.assertLessEqual(ratings.likes("train"), ratings.size("train"))
        ratings.write(made.path("parts"))
        parts = nln.Ratings.read(made.path("parts"))
        self.assertEqual([parts.size(x) for x in ("train", "valid", "test")],
                         [ratings.size(x) for x in ("train", "valid", "test")])

    def test_from_rows(self):
        """A generator, in chunks, gives what lists give."""
        rows = [(f"u{i % 7}", f"i{i * 5 % 11}", i % 5 + 1, i) for i in range(150)]
        for width in (2, 3, 4):
            columns = [list(x) for x in zip(*rows)][:width]
            wanted = nln.Ratings.from_arrays(*columns, split="nlr")
            with unittest.mock.patch("nln.data.CHUNK", 40):
                found = nln.Ratings.from_rows((row[:width] for row in rows), split="nlr")
            self.assertEqual(self.written(found), self.written(wanted))
        for wrong in ([(1,)], [(1, 2), (1, 2, 3)]):
            with self.assertRaisesRegex(ValueError, "rows must be"):
                nln.Ratings.from_rows(iter(wrong))
        with self.assertRaises(nln.FormatError):
            nln.Ratings.from_rows(iter(()))

    def written(self, ratings):
        ratings.write(made.path("from memory"))
        texts = []
        for name in ("train.tsv", "valid.tsv", "test.tsv"):
            with open(os.path.join(made.path("from memory"), name)) as file:
                texts.append(file.read())
        return texts

    def test_columns_of_any_kind(self):
        """Of other types, strided, in chunks, or of pandas: the same ratings."""
        n = 300
        users, items = np.arange(n) % 11, np.arange(n) * 7 % 23
        ratings, times = np.arange(n) % 5 + 1.0, np.arange(n) * 10.0
        wanted = self.written(nln.Ratings.from_arrays(users, items, ratings, times))
        table = np.stack([users, items, ratings, times], 1)
        forms = [tuple(x.tolist() for x in (users, items, ratings, times)),
                 (users.astype("i4"), items.astype("u2"), ratings.astype("f4"), times.astype("i8")),
                 (users, items, table[:, 2], table[:, 3])]
        if importlib.util.find_spec("pandas"):
            import pandas
            frame = pandas.DataFrame({"u": users, "i": items, "r": ratings, "t": times})
            forms.append((frame.u, frame.i, frame.r, frame["t"]))
        for form in forms:
            with unittest.mock.patch("nln.data.CHUNK", 64):
                self.assertEqual(self.written(nln.Ratings.from_arrays(*form)), wanted)
        for wrong, word in (((users[:, None], items), "users must have one dimension"),
                            (("ab", items), "users must be a sequence"),
                            ((users, None), "items must be a sequence")):
            with self.assertRaisesRegex((TypeError, ValueError), word):
                nln.Ratings.from_arrays(*wrong)

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "SKIPPED: there is no python3-scipy")
    def test_from_sparse(self):
        import scipy.sparse
        matrix = scipy.sparse.random(40, 30, 0.3, "coo", random_state=1)
        matrix.data = np.ceil(matrix.data * 5)
        table = matrix.tocsr()
        row = np.repeat(np.arange(40), np.diff(table.indptr))
        wanted = self.written(nln.Ratings.from_arrays(row, table.indices, table.data))
        with unittest.mock.patch("nln.data.CHUNK", 50):
            self.assertEqual(self.written(nln.Ratings.from_sparse(matrix)), wanted)
        named = nln.Ratings.from_sparse(matrix, users=[f"u{i}" for i in range(40)])
        self.assertTrue(all(name.startswith("u") for name in named.users))
        with self.assertRaisesRegex(ValueError, "items has 2 names, but the matrix has 30"):
            nln.Ratings.from_sparse(matrix, items=["a", "b"])
        with self.assertRaisesRegex(TypeError, "matrix must be a sparse matrix"):
            nln.Ratings.from_sparse([[1]])

    def test_from_arrays(self):
        rng = np.random.default_rng(5)
        users, items = rng.integers(0, 50, 2000), rng.integers(0, 80, 2000)
        ratings, times = rng.integers(1, 6, 2000) * 1.0, rng.integers(0, 10**9, 2000) * 1.0
        with open(made.path("arrays.tsv"), "w") as file:
            file.write("user\titem\trating\ttime\n")
            for row in zip(users, items, ratings, times):
                file.write("%d\t%d\t%g\t%d\n" % row)
        read = nln.Ratings.read(made.path("arrays.tsv"), split="nlr")
        read.write(made.path("read"))
        forms = [(users, items, ratings, times),
                 (users.astype("int32"), list(items), list(ratings), (x for x in times)),
                 (map(str, users), [str(x) for x in items], ratings.astype("float32"), times),
                 (users, items, ratings, times.astype("datetime64[s]").astype("datetime64[ns]")),
                 (users, [str(x) for x in items], ratings, times)]
        for form in forms:
            arrays = nln.Ratings.from_arrays(*form, split="nlr")
            self.assertEqual(arrays.report.duplicates, read.report.duplicates)
            arrays.write(made.path("made"))
            for split in ("train", "valid", "test"):
                with open(made.path(f"read/{split}.tsv")) as a, \
                        open(made.path(f"made/{split}.tsv")) as b:
                    self.assertEqual(a.read(), b.read())
        likes = nln.Ratings.from_arrays(["ann", "ann"], ["tea", "rum"])
        self.assertEqual((len(likes), likes.report.has_time), (2, False))
        with self.assertRaisesRegex(ValueError, "ratings has 1 rows, but users has 2"):
            nln.Ratings.from_arrays([1, 2], [1, 2], [1])
        with self.assertRaises(nln.MalformedError):
            nln.Ratings.from_arrays(["", "b"], ["x", "y"], strict=True)

    def test_read_alike(self):
        ratings = nln.Ratings.read(made.ratings_file(), split="random", split_seed=3)
        model, _ = nln.train(ratings, task="topk", model="ease")
        reading = model.reading
        self.assertEqual((reading["split"], reading["split_seed"], reading["like_from"]),
                         ("random", 3, "stars"))
        again = nln.Ratings.read(made.ratings_file(), **reading)
        self.assertEqual(again.size("test"), ratings.size("test"))

    def test_bad_lines(self):
        with open(made.path("bad.csv"), "w") as file:
            file.write("user,item,rating\nann,tea,5\nbob\ncid,tea,1\n")
        report = nln.Ratings.read(made.path("bad.csv"), split="none").report
        self.assertEqual((report.lines, report.bad), (3, 1))
        self.assertIn("bad.csv:3: ", report.first)
        with self.assertRaises(nln.MalformedError):
            nln.Ratings.read(made.path("bad.csv"), strict=True)

    def test_titles(self):
        made.ratings()
        titles = nln.Titles.read(made.path("titles.tsv"))
        self.assertEqual(len(titles), 40)
        item = made.ratings().items[0]
        self.assertTrue(item in titles and titles[item] == titles.get(item))
        self.assertEqual(titles.get("stranger", "?"), "?")
        with self.assertRaises(KeyError):
            titles["stranger"]


class Recommending(unittest.TestCase):
    def test_history(self):
        user = made.ratings().users[0]
        kept = made.topk().history(user)
        self.assertTrue(set(kept) <= set(made.topk().history(user, made.ratings())))
        self.assertTrue(all(x.item in made.topk().variables for x in kept))
        self.assertEqual(made.topk().n_users, 60)
        with self.assertRaises(nln.UnknownError):
            made.topk().history("nobody")

    def test_recommend(self):
        model, items = made.topk(), list(made.topk().variables)
        history = [items[0], (items[1], False), nln.Literal(items[2])]
        best = model.recommend(history, k=5)
        self.assertEqual(len(best), 5)
        self.assertEqual([x.score for x in best], sorted((x.score for x in best), reverse=True))
        self.assertFalse({x.item for x in best} & set(items[:3]))
        self.assertEqual(best, model.recommend({items[0]: True, items[1]: False, items[2]: True},
                                               k=5))
        self.assertNotEqual(best, model.recommend(items[:3], k=5))
        scores = model.scores(history)
        for x in best:
            self.assertAlmostEqual(scores[items.index(x.item)], x.score)
        seen = model.recommend(history, k=1000, with_seen=True)
        self.assertEqual(sorted(x.item for x in seen), sorted(items))
        self.assertEqual(model.recommend(history, k=0), [])
        user = made.ratings().users[3]
        self.assertEqual(model.recommend(user=user), model.recommend(model.history(user)))
        self.assertEqual(len(model.recommend(user=user, ratings=made.ratings(), k=3,
                                             with_seen=True)), 3)
        self.assertEqual(len(model.recommend()), 10)

    def test_bad_histories(self):
        with self.assertRaises(TypeError):
            made.topk().recommend("i1")
        with self.assertRaises(nln.UnknownError):
            made.topk().recommend(["stranger"])
        with self.assertRaises(nln.UnknownError):
            made.topk().recommend(user="nobody")
        with self.assertRaises(ValueError):
            made.topk().recommend(k=-1)
        with self.assertRaises(nln.InvalidError):
            made.model().recommend([])
        for ask in (made.topk().recommend, made.topk().scores, made.topk().explain):
            with self.assertRaisesRegex(TypeError, "user is missing"):
                ask(ratings=made.ratings())

    def test_handles_of_another_kind(self):
        """They are refused before C takes them for what they are not."""
        user = made.ratings().users[0]
        for wrong in (made.data(), made.topk(), "ratings", 5):
            for ask in (lambda: made.topk().placings(wrong),
                        lambda: made.topk().history(user, wrong),
                        lambda: made.topk().recommend(user=user, ratings=wrong),
                        lambda: made.topk().scores(user=user, ratings=wrong),
                        lambda: made.topk().explain(user=user, ratings=wrong)):
                with self.assertRaisesRegex(TypeError, "ratings is nln.Ratings, not "):
                    ask()
        for wrong in (made.ratings(), made.model(), "data", 5):
            for ask in (made.model().inspect, made.model().evaluate, nln.exact, nln.train):
                if not (wrong is made.ratings() and ask in (made.model().evaluate, nln.train)):
                    with self.assertRaisesRegex(TypeError, "data is nln.Data"):
                        ask(wrong)

    def test_explain(self):
        model, items = made.preference(), list(made.preference().variables)
        history = [(items[0], True), (items[1], False)]
        told = model.explain(history, item=items[5])
        self.assertEqual([(x.item, x.liked) for x in told.reasons], history)
        self.assertAlmostEqual(told.score, model.scores(history)[5], places=4)
        without = model.explain(history[1:], item=items[5]).score
        self.assertAlmostEqual(told.reasons[0].removed, told.score - without, places=4)
        self.assertAlmostEqual(sum(x.contribution for x in told.reasons),
                               told.with_history - told.without_history, places=4)
        top = model.explain(history)
        self.assertEqual(top.item, model.recommend(history, k=1)[0].item)
        with self.assertRaises(nln.UnknownError):
            model.explain(history, item="stranger")
        with self.assertRaises(ValueError):
            model.explain(items)

    def test_evaluate(self):
        metrics = made.topk().evaluate(made.ratings(), cuts=[3, 7], negatives=10)
        self.assertEqual(set(metrics.full.ndcg), {3, 7})
        rows = made.topk().placings(made.ratings(), cuts=[3, 7], negatives=10)
        self.assertEqual(len(rows), metrics.full.n)
        self.assertAlmostEqual((rows["full"] <= 7).mean(), metrics.full.hit[7])
        self.assertAlmostEqual((rows["sampled"] <= 3).mean(), metrics.sampled.hit[3])
        self.assertTrue((rows["user"] < 60).all() and (rows["item"] < 40).all())
        kept, used = rows["full"][1:], nln.memory_used()
        value = kept.tolist()
        del rows
        self.assertEqual(nln.memory_used(), used)  # a view keeps the block
        self.assertEqual(kept.tolist(), value)
        del kept
        self.assertLess(nln.memory_used(), used)
        rough = made.preference().evaluate(made.ratings(), "valid")
        self.assertTrue(0 <= rough.auc <= 1 and rough.full is None)
        self.assertEqual(made.preference().placings(made.ratings()).dtype.names[0], "user")

    def test_models_without_vectors(self):
        model, _ = nln.train(made.ratings(), task="topk", model="popularity")
        self.assertEqual(model.vector_length, 0)
        self.assertEqual(np.argmax(model.scores()),
                         model.variables.index(model.recommend(k=1)[0].item))
        with self.assertRaises(nln.InvalidError):
            model.embeddings()
