"""Training: callbacks, what they raise, Ctrl-C, and the same bits."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import unittest
import unittest.mock

import made

import nln

quick = {"epochs": 3, "dimension": 8, "members": 1, "seed": 5, "threads": 1}


class Stop(Exception):
    pass


KERNEL = """
import ctypes, os, warnings
{first}
import nln
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for _ in range(2):
        nln.train(nln.Data.generate(variables=5, expressions=50), epochs=1, dimension=4, threads=1)
blas = ctypes.CDLL("libopenblas.so.0")
blas.openblas_get_corename.restype = ctypes.c_char_p
print(blas.openblas_get_corename().decode())
for one in told:
    print(one.category.__name__, one.message)
"""
OTHER = """
os.environ["OPENBLAS_CORETYPE"] = "Nehalem"
ctypes.CDLL("libopenblas.so.0")
del os.environ["OPENBLAS_CORETYPE"]
"""


class Kernel(unittest.TestCase):
    """Who loads OpenBLAS first chooses its kernel; only where that is another one, nln says so."""

    def of(self, first, **environment):
        kernel, *told = made.run(KERNEL.format(first=first), **environment).splitlines()
        return kernel, told

    def setUp(self):
        hidden = unittest.mock.patch.dict(os.environ)
        hidden.start()
        self.addCleanup(hidden.stop)
        os.environ.pop("OPENBLAS_CORETYPE", None)
        try:
            ctypes.CDLL("libopenblas.so.0")
            with open("/proc/cpuinfo") as file:
                has_avx2 = " avx2" in file.read()
        except OSError:
            has_avx2 = False
        if not has_avx2:
            self.skipTest("SKIPPED: there is no OpenBLAS whose kernel nln chooses")
        self.own, told = self.of("")
        self.assertEqual(told, [])

    def test_another_kernel_is_told_once(self):
        kernel, told = self.of(OTHER)
        self.assertEqual((kernel, len(told)), ("Nehalem", 1))
        self.assertRegex(told[0], f"^RuntimeWarning .*OpenBLAS Nehalem before nln could choose "
                                  f"{self.own},.* set OPENBLAS_CORETYPE={self.own} before")

    def test_the_same_kernel_is_silent(self):
        """Also one that the user has chosen."""
        for kernel in (self.own, "Nehalem"):
            for first in ("", "import numpy", 'ctypes.CDLL("libopenblas.so.0")'):
                with self.subTest((kernel, first)):
                    self.assertEqual(self.of(first, OPENBLAS_CORETYPE=kernel), (kernel, []))

    def test_after_numpy(self):
        kernel, told = self.of("import numpy")
        self.assertEqual(len(told), int(kernel != self.own))


class Training(unittest.TestCase):
    def test_report(self):
        _, report = made.trained()
        self.assertEqual(report.epochs, 4)
        self.assertTrue(1 <= report.best_epoch <= 4)
        self.assertEqual((report.train.n, report.valid.n, report.test.n), (400, 50, 50))
        self.assertIsNone(report.test.full)

    def test_same_seed_same_bits(self):
        a, _ = nln.train(made.data(), **quick)
        b, _ = nln.train(made.data(), progress=lambda now: None, **{**quick, "threads": 2})
        self.assertEqual(a.embeddings().tobytes(), b.embeddings().tobytes())

    def test_progress(self):
        seen, models = [], []

        def look(now):
            seen.append(now)
            if now.model is not None:
                now.model.save(made.path(f"epoch-{now.epoch}"))
                models.append(now.model)
                self.assertEqual(now.model.predict(["v1"]).shape, (1,))

        model, report = nln.train(made.data(), progress=look, curves=True, **quick)
        ends = [now for now in seen if now.valid is not None]
        self.assertEqual([now.epoch for now in ends], [1, 2, 3])
        self.assertGreater(len(seen), len(ends))
        self.assertEqual(len(models), 3)
        self.assertEqual((ends[0].n_epochs, ends[0].total, ends[0].train.n), (3, 400, 400))
        best = ends[report.best_epoch - 1]
        self.assertEqual((ends[-1].best_epoch, ends[-1].best), (report.best_epoch, best.valid))
        self.assertEqual(nln.Model.load(made.path("epoch-2")).variables, model.variables)
        for use in (models[0].solve, lambda: models[0].variables[0], models[0].embeddings):
            with self.assertRaises(ValueError):
                use()

    def test_exception_of_a_callback(self):
        seen = []

        def look(now):
            seen.append(now)
            if len(seen) == 4:
                raise Stop("enough")

        before = nln.memory_used()
        try:
            nln.train(made.data(), progress=look, **quick)
        except Stop as error:
            frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        self.assertEqual(len(seen), 4)
        self.assertIn("look", frames)
        self.assertEqual(nln.memory_used(), before)
        with self.assertRaises(SystemExit):
            nln.train(made.data(), progress=lambda now: sys.exit(3), **quick)
        with self.assertRaises(Stop):
            nln.tsne(made.model().embeddings(), progress=look_and_stop)

    def test_log(self):
        lines = []
        _, report = nln.train(made.data(), log=lines.append, patience=1, epochs=50, dimension=8,
                              threads=1)
        self.assertLess(report.epochs, 50)
        self.assertEqual([type(x) for x in lines], [str] * len(lines))
        self.assertGreater(len(lines), 0)

        def refuse(line):
            raise Stop(line)

        with self.assertRaises(Stop):
            nln.train(made.data(), log=refuse, patience=1, epochs=50, dimension=8, threads=1)

    def test_checkpoint(self):
        whole, _ = nln.train(made.data(), **quick)
        file = made.path("checkpoint")

        def stop(now):
            if now.epoch == 2:
                raise Stop

        with self.assertRaises(Stop):
            nln.train(made.data(), progress=stop, checkpoint=file, every=1, **quick)
        self.assertTrue(os.path.exists(file))
        seen = []
        again, _ = nln.train(made.data(), progress=seen.append, checkpoint=file, resume=True,
                             **quick)
        self.assertEqual(seen[0].epoch, 2)
        self.assertEqual(again.embeddings().tobytes(), whole.embeddings().tobytes())
        for every in (-1, 2**31):
            with self.assertRaises(ValueError):
                nln.train(made.data(), checkpoint=file, every=every)
        for alone in ({"resume": True}, {"every": 1}):
            with self.assertRaisesRegex(ValueError, "need checkpoint"):
                nln.train(made.data(), **alone, **quick)

    def test_checkpoint_that_fails(self):
        """The exception of the callback comes out, and tells that there is no checkpoint."""
        folder = made.path("going")
        os.mkdir(folder)

        def stop(now):
            os.rmdir(folder)
            raise Stop

        with self.assertRaises(Stop) as caught:
            nln.train(made.data(), progress=stop, checkpoint=f"{folder}/checkpoint", **quick)
        self.assertRegex("".join(caught.exception.__notes__), "Error: cannot .*going/checkpoint")
        with self.assertRaises(Stop) as caught:
            nln.train(made.data(), progress=look_and_stop, **quick)
        self.assertFalse(hasattr(caught.exception, "__notes__"))

    def test_ratings(self):
        model, report = nln.train(made.ratings(), task="topk", **quick)
        self.assertEqual(set(report.test.full.ndcg), set(report.test.sampled.ndcg))
        self.assertEqual(model.options["task"], "topk")

    def test_config(self):
        with open(made.path("config"), "w") as file:
            file.write("epochs = 1\ndimension = 4\n")
        model, report = nln.train(made.data(), config=made.path("config"), dimension=6)
        self.assertEqual((report.epochs, model.options["dimension"]), (1, 6))

    def test_errors(self):
        for wrong in ({"epoch": 3}, {"no_such_option": 3}):
            with self.assertRaises(nln.UnknownError):
                nln.train(made.data(), **wrong)
        with self.assertRaises(nln.InvalidError):
            nln.train(made.data(), learning_rate="fast")
        with self.assertRaises(nln.InvalidError):
            nln.train(made.ratings(), task="logic")
        with self.assertRaises(TypeError):
            nln.train("data")
        self.assertEqual(nln.train(made.data(), hidden=None, **quick)[1].epochs, 3)


def look_and_stop(now):
    raise Stop


class Signals(unittest.TestCase):
    script = """
import nln, signal, sys
data = nln.Data.generate(variables=500, expressions=4000)
{before}
def look(now):
    if now.epoch == 1 and now.done == now.total:
        print("ready", flush=True)
try:
    nln.train(data, epochs=100000, progress={progress}, threads=1)
except {error} as error:
    print("ended by", type(error).__name__)
"""

    def interrupt(self, number, delay=0.0, **parts):
        parts = {"before": "", "progress": "look", **parts}
        process = subprocess.Popen([sys.executable, "-B", "-c", self.script.format(**parts)],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            self.assertEqual(process.stdout.readline(), "ready\n")
            time.sleep(delay)
            process.send_signal(number)
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        self.assertEqual(process.returncode, 0, out)
        return out

    def test_ctrl_c(self):
        self.assertEqual(self.interrupt(signal.SIGINT, error="KeyboardInterrupt"),
                         "ended by KeyboardInterrupt\n")

    def test_ctrl_c_without_callback(self):
        """Ctrl-C ends a training that calls nothing of the user's."""
        out = self.interrupt(signal.SIGINT, 0.5, error="KeyboardInterrupt",
                             progress='print("ready", flush=True)')  # which is None
        self.assertEqual(out, "ended by KeyboardInterrupt\n")

    def test_handler_that_raises(self):
        out = self.interrupt(signal.SIGTERM, error="SystemExit",
                             before="signal.signal(signal.SIGTERM, lambda *a: sys.exit(1))")
        self.assertEqual(out, "ended by SystemExit\n")

    def test_handlers_are_put_back(self):
        handler = signal.getsignal(signal.SIGINT)
        nln.train(made.data(), **quick)
        self.assertIs(signal.getsignal(signal.SIGINT), handler)

    def test_handler_that_returns(self):
        """A handler that raises nothing runs, and the training goes on."""
        seen = []
        before = signal.signal(signal.SIGUSR1, lambda *a: seen.append(a[0]))
        try:
            _, report = nln.train(made.data(), **quick, progress=lambda now: os.kill(
                os.getpid(), signal.SIGUSR1) if now.epoch == 1 else None)
        finally:
            signal.signal(signal.SIGUSR1, before)
        self.assertEqual(report.epochs, 3)
        self.assertGreater(len(seen), 0)

    def test_in_a_thread(self):
        done = []
        thread = threading.Thread(target=lambda: done.append(nln.train(made.data(), **quick)))
        thread.start()
        thread.join()
        self.assertEqual(done[0][1].epochs, 3)
