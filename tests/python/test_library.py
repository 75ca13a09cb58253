"""The library is found, or the exception says why not."""

import os
import subprocess
import unittest

import made
import nln

script = """
import nln
try:
    nln.version()
except nln.LibraryError as error:
    assert isinstance(error, ImportError)
    print(error)
else:
    print("found")
"""


def library_of(name, code):
    source, path = made.path(name + ".c"), made.path(f"lib{name}.so")
    with open(source, "w") as file:
        file.write(code)
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", source, "-o", path], check=True)
    return path


class Library(unittest.TestCase):
    def test_version(self):
        project = open(os.path.join(made.root, "bindings", "python", "pyproject.toml")).read()
        self.assertIn(f'version = "{nln.__version__}"', project)
        self.assertEqual(nln.version(), nln.__version__)

    def test_named(self):
        self.assertEqual(made.run(script).strip(), "found")

    def test_missing(self):
        self.assertIn("NLN_LIBRARY", made.run(script, NLN_LIBRARY="/nowhere/libnln.so.0"))

    def test_not_nln(self):
        other = library_of("other", "int other;\n")
        self.assertIn("is not the nln library", made.run(script, NLN_LIBRARY=other))

    def test_another_major_version(self):
        next_one = library_of("next", 'const char *nln_version(void) { return "1.2.3"; }\n')
        self.assertIn("is nln 1.2.3, but this package is for version 0",
                      made.run(script, NLN_LIBRARY=next_one))

    def test_older(self):
        old = library_of("old", 'const char *nln_version(void) { return "0.0.1"; }\n')
        self.assertIn("older than this package", made.run(script, NLN_LIBRARY=old))

    def test_search(self):
        """The loader's own search finds the SONAME."""
        folder = os.path.dirname(os.environ["NLN_LIBRARY"])
        self.assertEqual(made.run(script, NLN_LIBRARY="", LD_LIBRARY_PATH=folder).strip(), "found")

    def test_import_without_library(self):
        """Model files are read without the library."""
        made.model().save(made.path("alone"))
        read = f"import nln; print(nln.safetensors.read({made.path('alone')!r})['true'].shape)"
        self.assertEqual(made.run(read, NLN_LIBRARY="/nowhere").strip(), "(16,)")

    def test_without_numpy(self):
        """What needs no arrays works without NumPy; the rest says what is missing."""
        made.model().save(made.path("alone"))
        out = made.run(f"""
import sys
sys.modules["numpy"] = None
import nln
model = nln.Model.load({made.path("alone")!r})
assert 0 <= model.predict("v1 & v2") <= 1
assert 0 <= model.predict("v1 & v2", threads=1) <= 1
nln.train(nln.Data.generate(variables=5, expressions=50), epochs=1)
for needy in (model.solve, model.embeddings, lambda: model.predict(["v1"])):
    try:
        needy()
    except ImportError as error:
        print(error)
""")
        self.assertEqual(out.count("python3-numpy"), 3)
