"""The estimators, by themselves and in the hands of scikit-learn where it is installed."""

import collections
import datetime
import importlib.util
import pickle
import unittest
import unittest.mock
import warnings

import numpy as np

import made
import nln

Sku = collections.namedtuple("Sku", "shop number")
HAS_SKLEARN = importlib.util.find_spec("sklearn") is not None


def expressions(n=160, seed=3):
    """Expressions over eight hidden values, with their labels as words."""
    random = np.random.default_rng(seed)
    truth = random.random(8) < 0.5
    texts, labels = [], []
    for _ in range(n):
        which, signs = random.choice(8, 2, replace=False), random.random(2) < 0.5
        texts.append(" & ".join(("" if sign else "!") + f"x{i}" for i, sign in zip(which, signs)))
        labels.append("yes" if all(truth[i] == s for i, s in zip(which, signs)) else "no")
    return texts, labels


def interactions():
    """Two tastes; ids are tuples and words."""
    rows = []
    for u in range(40):
        taste = [("even", i) for i in range(0, 12, 2)] if u % 2 else [f"odd{i}" for i in range(6)]
        for t, item in enumerate(np.random.default_rng(u).permutation(len(taste))):
            rows.append((("user", u), taste[item], 5, t))
    return list(zip(*rows))


class Logic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts, cls.labels = expressions()
        cls.made = nln.LogicClassifier(dimension=16, threads=1)
        cls.made.fit(cls.texts, cls.labels)

    def test_learns_words(self):
        self.assertEqual(list(self.made.classes_), ["no", "yes"])
        self.assertGreater(self.made.score(self.texts, self.labels), 0.8)
        p = self.made.predict_proba(self.texts[:3])
        self.assertEqual(p.shape, (3, 2))
        np.testing.assert_allclose(p.sum(axis=1), 1)
        self.assertEqual(list(self.made.predict(np.array(self.texts[:3])[:, None])),
                         list(self.made.predict(self.texts[:3])))

    def test_unknown_variables(self):
        with self.assertWarnsRegex(UserWarning, r"1 of 2 expressions .* as expressions\[1\]"):
            self.made.predict(["x0", "x0 & stranger"])
        with self.assertRaisesRegex(ValueError, r"^expressions\[1\]: .*column 5"):
            self.made.predict(["x0", "x0 &"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p = self.made.predict_proba(["x0 & stranger"])[0, 1]
        self.assertAlmostEqual(p, self.labels.count("yes") / len(self.labels))
        strict = nln.LogicClassifier(epochs=1, dimension=4, unknown="error").fit(
            self.texts, self.labels)
        with self.assertRaises(nln.UnknownError):
            strict.predict(["stranger"])

    def test_arguments_are_named(self):
        make = nln.LogicClassifier
        for wrong, word in (((self.texts, self.labels[:-1]), "labels has 159"),
                            ((["a", 5], [0, 1]), r"expressions\[1\]"),
                            (("a & b", [1]), "expressions must be a sequence"),
                            ((["a", "b"], [1, 1]), "only one class"),
                            ((["a", "b", "c"], [1, 2, 3]), "are 3"),
                            ((["a", "b"], [0.5, 0.25]), "continuous")):
            with self.subTest(word), self.assertRaisesRegex((ValueError, TypeError), word):
                make(epochs=1).fit(*wrong)
        with self.assertRaisesRegex(ValueError, "no parameter 'epoch'"):
            make().set_params(epoch=3)
        with self.assertRaisesRegex(ValueError, "not fitted"):
            make().predict(["a"])

    def test_sample_weight(self):
        """What has weight 0 says nothing: wrong labels do no harm then, and do without weights."""
        wrong = ["no" if label == "yes" else "yes" for label in self.labels]
        texts, labels = self.texts * 2, self.labels + wrong
        weight = [1.0] * len(self.labels) + [0.0] * len(wrong)
        made = nln.LogicClassifier(dimension=16, threads=1, validation=0)
        self.assertGreater(made.fit(texts, labels, sample_weight=weight).score(
            self.texts, self.labels), 0.8)
        self.assertAlmostEqual(made.prior_, self.labels.count("yes") / len(self.labels))
        self.assertLess(made.fit(texts, labels).score(self.texts, self.labels), 0.8)
        for given, word in (([1.0], "sample_weight has 1"), ([-1.0] * 160, "at least 0"),
                            ([0.0] * 160, "not all of them 0"), ([[1.0]], "one dimension")):
            with self.subTest(word), self.assertRaisesRegex(ValueError, word):
                made.fit(self.texts, self.labels, sample_weight=given)

    def test_pickle(self):
        again = pickle.loads(pickle.dumps(self.made))
        np.testing.assert_array_equal(again.predict_proba(self.texts),
                                      self.made.predict_proba(self.texts))

    def test_repr(self):
        self.assertEqual(repr(nln.LogicClassifier(epochs=3)), "LogicClassifier(epochs=3)")

    @unittest.skipUnless(HAS_SKLEARN, "SKIPPED: there is no python3-sklearn")
    def test_scikit_learn(self):
        from sklearn.base import clone, is_classifier
        from sklearn.model_selection import GridSearchCV, cross_val_score
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import FunctionTransformer

        X, y = np.array(self.texts, dtype=object), np.array(self.labels)
        made = nln.LogicClassifier(epochs=10, dimension=4, threads=1)
        self.assertTrue(is_classifier(made))
        self.assertEqual(clone(made).get_params(), made.get_params())
        self.assertEqual(len(cross_val_score(made, X, y, cv=2, error_score="raise")), 2)
        search = GridSearchCV(made, {"epochs": [1, 10]}, cv=2, error_score="raise").fit(X, y)
        self.assertIn(search.best_params_["epochs"], (1, 10))
        weighted = cross_val_score(made, X, y, cv=2, error_score="raise",
                                   fit_params={"sample_weight": np.ones(len(y))})
        np.testing.assert_array_equal(weighted, cross_val_score(made, X, y, cv=2))
        pipe = Pipeline([("as they are", FunctionTransformer()), ("nln", made)])
        self.assertEqual(len(pipe.fit(X, y).predict(X)), len(X))


class OnNumbers(nln.LogicClassifier):
    """The classifier behind a table of numbers, as scikit-learn's checks have it: the row
    (0.5, -1) is the expression x0 & !x1."""

    def _more_tags(self):
        # The signs of two numbers do not tell the clouds of points apart that the checks draw.
        return {**super()._more_tags(), "X_types": ["2darray"], "poor_score": True}

    def _texts(self, X):
        return [" & ".join(("" if x > 0 else "!") + f"x{i}" for i, x in enumerate(row))
                for row in X]

    def fit(self, X, y):
        from sklearn.utils.validation import check_X_y

        X, y = check_X_y(X, y)
        super().fit(self._texts(X), y)
        self.n_features_in_ = X.shape[1]
        return self

    def _probability(self, X):
        from sklearn.utils.validation import check_array

        self._fitted()
        X = check_array(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but OnNumbers is expecting "
                             f"{self.n_features_in_} features as input")
        return super()._probability(self._texts(X))


@unittest.skipUnless(HAS_SKLEARN, "SKIPPED: there is no python3-sklearn")
class Checks(unittest.TestCase):
    def test_checks_of_scikit_learn(self):
        """All that there are for a classifier of two classes."""
        from sklearn.utils.estimator_checks import check_estimator

        passed, made = set(), OnNumbers(epochs=30, dimension=8, threads=1)
        for estimator, check in check_estimator(made, generate_only=True):
            name = getattr(check, "func", check).__name__
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(estimator)
                passed.add(name)
        self.assertGreater(len(passed), 30)

    def test_checks_of_the_class_itself(self):
        """Those that need no data."""
        from sklearn.utils import estimator_checks as checks

        for made in (nln.LogicClassifier(), nln.Recommender()):
            for check in (checks.check_no_attributes_set_in_init, checks.check_get_params_invariance,
                          checks.check_set_params, checks.check_parameters_default_constructible):
                check(type(made).__name__, made)


class Recommending(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        users, items, ratings, times = interactions()
        cls.made = nln.Recommender(epochs=100, dimension=16, threads=1, split="none")
        cls.made.fit(users, items, ratings, times)

    def test_one_and_many(self):
        one = self.made.recommend(["odd0", "odd1"], k=3)
        many = self.made.recommend([["odd0", "odd1"], [("even", 2), ("even", 4)]], k=3)
        self.assertEqual([r.item for r in one], [r.item for r in many[0]])
        self.assertTrue(all(str(r.item).startswith("odd") for r in many[0]))
        self.assertTrue(all(isinstance(r.item, tuple) for r in many[1]))
        disliked = self.made.recommend([("odd0", False), "odd1"], k=3)
        self.assertNotEqual([r.score for r in one], [r.score for r in disliked])
        self.assertEqual(len(self.made.recommend([[]], k=3)[0]), 3)

    def test_refused(self):
        for wrong, error in ((["odd0", ["odd1"]], TypeError), (["nothing"], nln.UnknownError),
                             ([["nothing"]], nln.UnknownError), ("odd0", TypeError),
                             (["odd0", {}], TypeError), (None, TypeError), ([], TypeError)):
            with self.subTest(wrong), self.assertRaises(error):
                self.made.recommend(wrong)
        for ask, words in ((lambda: self.made.recommend(["odd0", "ood1"]), r"histories\[1\]: .*'ood1'"),
                           (lambda: self.made.recommend([["ood1"]]), r"histories\[0\]\[0\]: .*'ood1'"),
                           (lambda: self.made.explain(["odd0"], "ood1"), "item: .*'ood1'")):
            with self.subTest(words), self.assertRaisesRegex(
                    nln.UnknownError, words + r" was not .*; did you mean 'odd1'\?$"):
                ask()
        for far in ("nothing", 5, None):
            with self.subTest(far), self.assertRaisesRegex(nln.UnknownError, "in the training$"):
                self.made.recommend([far])

    def test_ids_that_look_like_histories(self):
        """An item that is a tuple of two items is one or the other; nobody guesses."""
        items = ["a", "b", ("a", "b"), "c"] * 10
        made = nln.Recommender(epochs=1, dimension=4, threads=1, split="none", options={"rules": 0})
        made.fit([i // 4 for i in range(40)], items)
        with self.assertRaisesRegex(TypeError, "could be a history"):
            made.recommend([("a", "b")])
        self.assertEqual(len(made.recommend([["a", "b"]], k=2)[0]), 2)
        self.assertEqual(len(made.recommend([[("a", "b")]], k=2)[0]), 2)

    def test_ids_of_a_kind_of_tuple(self):
        """An unknown id is told as such, and not taken for a history of its parts."""
        made = nln.Recommender(model="popularity", split="none", threads=1).fit(
            [1, 1, 2], [Sku("a", 1), Sku("b", 2), Sku("a", 1)])
        self.assertEqual(made.recommend([Sku("a", 1)], k=1)[0].item, Sku("b", 2))
        self.assertEqual(len(made.recommend([[Sku("a", 1)], []], k=1)), 2)
        with self.assertRaisesRegex(nln.UnknownError, r"histories\[0\]: the item Sku\(shop='z'"):
            made.recommend([Sku("z", 1)])

    def test_dates(self):
        """Times are numbers or dates, with the same order and the same model."""
        n, day = 60, datetime.timedelta(days=1)
        users, items = [i % 6 for i in range(n)], [i * 7 % 10 for i in range(n)]
        begin = datetime.datetime(2024, 2, 27)
        dates = [begin + i * 31 % n * day for i in range(n)]
        east = datetime.timezone(datetime.timedelta(hours=5))
        aware = [d.replace(tzinfo=datetime.timezone.utc).astimezone(east) for d in dates]
        given = ([d.replace(tzinfo=datetime.timezone.utc).timestamp() for d in dates], dates, aware,
                 np.array(dates, "datetime64[ns]"), [d.date() for d in dates],
                 [d.isoformat() for d in dates], [d.isoformat() + "Z" for d in dates])
        for times in given:
            np.testing.assert_array_equal(nln._arrays.seconds(times), given[0])
        self.assertTrue(np.isnan(nln._arrays.seconds(np.array(["NaT"], "datetime64[s]")))[0])
        fitted = [nln.Recommender(epochs=2, dimension=4, threads=1).fit(users, items, times=t)
                  for t in given[::3]]
        self.assertEqual(*(r.recommend([3], k=3) for r in fitted))
        with unittest.mock.patch.object(nln._arrays, "loaded", return_value=None):
            for times in (*given[:3], *given[4:]):
                self.assertEqual(nln._arrays.seconds(times), given[0])
            with self.assertRaisesRegex(TypeError, r"^times must be .*times\[1\] is 'soon'"):
                nln.Ratings.from_arrays([1, 2], [1, 2], times=[3, "soon"])
        for wrong in (["3"] * 5 + ["soon"] * 55, ["2024-01-29"] * 5 + ["soon"] * 55):
            with self.assertRaisesRegex(TypeError, r"^times must be .*times\[5\] is 'soon'"):
                nln.Recommender().fit(users, items, times=wrong)

    def test_ratings_are_named(self):
        """A rating that is no number is told with its row, also after the first piece."""
        n, users = 70000, [i % 6 for i in range(70000)]
        for at in (1, n - 1):
            ratings = ["4"] * n
            ratings[at] = "good"
            with self.assertRaisesRegex(ValueError, rf"^ratings must be.*ratings\[{at}\] is 'good'"):
                nln.Recommender().fit(users, users, ratings)
        with unittest.mock.patch.object(nln._arrays, "loaded", return_value=None):
            with self.assertRaisesRegex(ValueError, r"ratings\[1\] is None"):
                nln.Ratings.from_arrays([1, 2], ["a", "b"], [3, None])
            with self.assertRaisesRegex(ValueError, "users has a number beyond 64 bits"):
                nln.Ratings.from_arrays([1, 2**64], [1, 2])

    def test_filters_users_reasons(self):
        only = self.made.recommend(["odd0"], only=["odd3", "odd4"])
        self.assertEqual({r.item for r in only}, {"odd3", "odd4"})
        left = self.made.recommend(["odd0"], k=12, exclude=["odd3"])
        self.assertNotIn("odd3", {r.item for r in left})
        plain, varied = (self.made.recommend(["odd0"], k=4, diversity=share) for share in (0, 1))
        self.assertEqual(plain[0].item, varied[0].item)
        self.assertNotEqual([r.item for r in plain], [r.item for r in varied])
        self.assertEqual(len(self.made.recommend_users([("user", 1)], k=2, with_seen=True)[0]), 2)
        with self.assertRaisesRegex(nln.UnknownError, r"^users\[0\]: the user 'nobody' was not"):
            self.made.recommend_users(["nobody"])
        with self.assertRaisesRegex(TypeError, "users must be a sequence"):
            self.made.recommend_users("nobody")
        told = self.made.explain(["odd0", ("odd1", False)], "odd3")
        self.assertEqual({r.item for r in told.reasons}, {"odd0", "odd1"})
        [best] = self.made.recommend(["odd0"], k=1)
        self.assertEqual(self.made.explain(["odd0"]), self.made.explain(["odd0"], best.item))
        with self.assertRaisesRegex(ValueError, "every item of the training"):
            self.made.explain(self.made.items_)

    def test_users_are_asked_as_histories_are(self):
        users = [("user", 0), ("user", 1)]
        for rest in ({"only": ["odd3", "odd4"]}, {"exclude": ["odd3", ("even", 2)]}, {"diversity": 1}):
            with self.subTest(rest):
                lists = self.made.recommend_users(users, k=12, with_seen=True, **rest)
                names = [self.made._user_names[user] for user in users]
                asked = {name: [self.made._item_names[x] for x in given] if name != "diversity"
                         else given for name, given in rest.items()}
                expected = self.made.model_.scorer().recommend_many(
                    [None] * 2, users=names, k=12, with_seen=True, **asked)
                self.assertEqual(lists, [[self.made._back(r) for r in one] for one in expected])
        with self.assertRaisesRegex(nln.UnknownError, "^only: the item 'ham'"):
            self.made.recommend_users(users, only=["ham"])

    def test_score(self):
        with self.assertRaisesRegex(ValueError, "held out"):
            self.made.score()
        with self.assertRaises(TypeError):
            self.made.score([1], [2])

    def test_pickle(self):
        again = pickle.loads(pickle.dumps(self.made))
        self.assertEqual(again.recommend(["odd0"], k=3), self.made.recommend(["odd0"], k=3))

    def test_lengths(self):
        with self.assertRaisesRegex(ValueError, "items has 1"):
            nln.Recommender().fit([1, 2], [1])


WITHOUT = """
import sys
if {hide}:
    sys.modules["numpy"] = None
import nln
made = nln.LogicClassifier(epochs=5, dimension=8, threads=1)
made.fit(["a & b", "!a", "a | b", "!b & a"] * 10, ["y", "n", "y", "n"] * 10, [1, 2] * 20)
assert {hide} or "numpy" in sys.modules
print(*made.classes_, [str(x) for x in made.predict(["a", "b & a"])])
print([[float(x) for x in pair] for pair in made.predict_proba(["a", "b & a"])])
print(made.score(["a", "b & a"], ["y", "n"]), made.prior_)
users, items = [i // 4 for i in range(48)], ["tea", "jam", "rye", "egg", "ham"] * 9 + ["oat"] * 3
made = nln.Recommender(epochs=5, dimension=8, threads=1)
made.fit(users, items, [i % 5 + 1 for i in range(48)], [f"2024-01-{{i % 28 + 1:02}}" for i in range(48)])
print(made.recommend(["tea"], k=3), made.recommend([["tea"], ["jam"]], k=1))
print(made.recommend_users([3], k=2), made.explain(["tea"], "jam"), made.score())
"""


class WithoutNumPy(unittest.TestCase):
    def test_the_same_without_numpy(self):
        """Lists give the same models and numbers with NumPy and where there is none; neither
        estimator imports it before its training, since OpenBLAS would change its kernel."""
        found = made.run(WITHOUT.format(hide=True))
        self.assertEqual(found, made.run(WITHOUT.format(hide=False)))
        self.assertIn("Recommendation(item=", found)


class Handles(unittest.TestCase):
    def test_with(self):
        with nln.Data.generate(variables=5, expressions=50) as data:
            model, _ = nln.train(data, epochs=1, threads=1)
        with self.assertRaisesRegex(ValueError, "closed"):
            data.size("train")
        self.assertEqual(len(model.similar("v1", k=2)), 2)
        refused = []
        p = model.predict_each(["v1", "v1 &", "nobody"], refused=lambda i, why: refused.append(i))
        self.assertEqual(list(np.isnan(p)), [False, True, True])
        self.assertEqual(refused, [1, 2])
