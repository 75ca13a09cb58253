"""Model files read by NumPy alone."""

import json
import os
import unittest

import made
import numpy as np

import nln


def file_of(name, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    with open(made.path(name), "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)
    return made.path(name)


class Safetensors(unittest.TestCase):
    def check_embeddings(self, data, **options):
        model, _ = nln.train(data, epochs=1, dimension=6, threads=1, **options)
        model.save(made.path("vectors"))
        mine, theirs = nln.safetensors.read(made.path("vectors")).embeddings(), model.embeddings()
        with self.subTest(**options):
            self.assertEqual((mine.shape, mine.dtype), (theirs.shape, theirs.dtype))
            self.assertTrue(np.allclose(mine, theirs, rtol=1e-4, atol=1e-5))
            if options["embedding"] == "free":
                self.assertTrue((mine == theirs).all())

    def test_embeddings(self):
        """Of every kind of vector, they are those of the library."""
        for kind in ("free", "line", "arc"):
            for members in (1, 3):
                self.check_embeddings(made.data(), embedding=kind, members=members)
            self.check_embeddings(made.data(), embedding=kind, members=2, networks=3)

    def test_embeddings_beside_grades(self):
        """The grades have vectors too, but no names."""
        for kind, members in (("free", 1), ("free", 3), ("arc", 3)):
            self.check_embeddings(made.ratings(), task="preference", grades=5, embedding=kind,
                                  members=members)
        with self.assertRaisesRegex(nln.InvalidError, "--grades does nothing for --task logic"):
            nln.train(made.data(), grades=5, epochs=1)

    def test_no_copies(self):
        model, _ = nln.train(made.data(), epochs=1, dimension=6, members=1, embedding="free",
                             threads=1)
        model.save(made.path("vectors"))
        file = nln.safetensors.read(made.path("vectors"))
        vectors = file.embeddings()
        self.assertTrue(np.shares_memory(vectors, file["variables.vector"]))
        self.assertFalse(vectors.flags.writeable)
        self.assertFalse(vectors.flags.owndata)
        self.assertEqual(file.variables, list(model.variables))
        self.assertEqual(file.options["embedding"], "free")
        for tensor in model.tensors:
            self.assertEqual(file[tensor.name].size, tensor.rows * tensor.columns)
            self.assertAlmostEqual(float(np.linalg.norm(file[tensor.name].astype(float))),
                                   tensor.norm, places=5)
        self.assertIn("true", file)
        del file
        self.assertEqual(vectors.tolist(), model.embeddings().tolist())

    def test_other_types(self):
        path = file_of("types", {"a": {"dtype": "I16", "shape": [2], "data_offsets": [0, 4]},
                                 "b": {"dtype": "F64", "shape": [], "data_offsets": [4, 12]}},
                       np.array([1, -2], "<i2").tobytes() + np.array(0.5, "<f8").tobytes())
        file = nln.safetensors.read(path)
        self.assertEqual((file["a"].tolist(), float(file["b"])), ([1, -2], 0.5))

    def test_names_as_a_tensor(self):
        """As nln writes very many."""
        names = ["a", "\u65e5\u672c", "c:d"]
        text = "".join(name + "\0" for name in names).encode()
        text += b"\0" * (-len(text) % 4)
        entry = {"dtype": "I32", "shape": [len(text) // 4], "data_offsets": [0, len(text)]}
        file = nln.safetensors.read(file_of("names", {"variables.names": entry}, text))
        self.assertEqual(file.variables, names)

    def test_other_models(self):
        nln.train(made.ratings(), task="topk", model="popularity")[0].save(made.path("popularity"))
        with self.assertRaises(nln.FormatError):
            nln.safetensors.read(made.path("popularity")).embeddings()

    def test_not_a_model(self):
        """Any file is read, but has no variables, options or vectors."""
        entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
        options = json.dumps({"model": "nln", "embedding": "free"})
        for metadata, tensor in (({}, "a"), ({"variables": "[", "options": "5"}, "a"),
                                 ({"variables": 5, "options": None}, "a")):
            header = {"__metadata__": metadata, tensor: entry}
            file = nln.safetensors.read(file_of("strange", header, b"\0" * 8))
            for ask in (lambda: file.variables, lambda: file.options, file.embeddings):
                with self.assertRaisesRegex(nln.FormatError, "strange: .*not a model of nln"):
                    ask()
        for tensor in ("a", "variables.vector"):
            header = {"__metadata__": {"variables": '["x", "y", "z"]', "options": options},
                      tensor: entry}
            file = nln.safetensors.read(file_of("strange", header, b"\0" * 8))
            with self.assertRaises(nln.FormatError):
                file.embeddings()
        header = {"variables.names": entry}
        file = nln.safetensors.read(file_of("strange", header, b"\xff" * 8))
        with self.assertRaises(nln.FormatError):
            file.variables

    def test_bad_files(self):
        def tensor(**changes):
            entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changes}
            return file_of("bad", {"a": entry}, b"\0" * 8)

        self.assertEqual(nln.safetensors.read(tensor())["a"].tolist(), [0, 0])
        cases = [{"shape": [3]}, {"shape": [-2]}, {"shape": 2}, {"shape": [True]},
                 {"data_offsets": [0, 16]}, {"data_offsets": [8, 0]}, {"data_offsets": [0]},
                 {"dtype": "F31"}, {"dtype": []}, {"data_offsets": [4, 12]},
                 {"shape": [2**40, 2**40]}, {"shape": [2] + [1] * 100},
                 {"shape": [0, 10**30], "data_offsets": [0, 0]},
                 {"shape": [0, 2**62, 2**62], "data_offsets": [0, 0]}]
        for changes in cases:
            with self.subTest(changes), self.assertRaises(nln.FormatError):
                nln.safetensors.read(tensor(**changes))
        for header in (b"[]", b"{", b"\xff", b"[" * 100000, b'{"a": 5}', b'{"__metadata__": 5}'):
            with self.subTest(header[:20]), self.assertRaises(nln.FormatError):
                nln.safetensors.read(file_of("bad", header))
        for content in (b"", b"1234", b"\xff" * 8):
            with open(made.path("bad"), "wb") as file:
                file.write(content)
            with self.subTest(content), self.assertRaises(nln.FormatError):
                nln.safetensors.read(made.path("bad"))
        with self.assertRaises(OSError):
            nln.safetensors.read("/nowhere")


class Written(unittest.TestCase):
    def test_what_is_written_is_read(self):
        tensors = {"a": np.arange(6, dtype="f4").reshape(2, 3), "b": np.array([1, -2], ">i4"),
                   "empty": np.empty((0, 3), "f8")}
        nln.safetensors.write(made.path("written.safetensors"), tensors, {"kind": "test", "of": "é"})
        file = nln.safetensors.read(made.path("written.safetensors"))
        self.assertEqual(file.metadata, {"kind": "test", "of": "é"})
        for name, wanted in tensors.items():
            self.assertTrue(np.array_equal(file[name], wanted))
            self.assertEqual(file[name].shape, wanted.shape)

    def test_a_failure_leaves_the_old_file(self):
        nln.safetensors.write(made.path("kept"), {"a": np.zeros(2, "f4")}, {})
        with self.assertRaisesRegex(TypeError, "'b' has the type complex64"):
            nln.safetensors.write(made.path("kept"), {"b": np.zeros(2, "c8")}, {})
        self.assertEqual(list(nln.safetensors.read(made.path("kept"))), ["a"])
        folder = os.path.dirname(made.path("kept"))
        self.assertFalse([name for name in os.listdir(folder) if name.startswith(".kept")])
