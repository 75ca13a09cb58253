"""The library is found, or the exception says why not."""

import os
import shutil
import subprocess
import unittest

import made
import nln
from nln import _library

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
        self.assertEqual(_library.INTERFACE, nln.__version__.rpartition(".")[0])

    def test_named(self):
        self.assertEqual(made.run(script).strip(), "found")

    def test_missing(self):
        self.assertIn("NLN_LIBRARY", made.run(script, NLN_LIBRARY="/nowhere/libnln.so.0"))

    def test_not_nln(self):
        other = library_of("other", "int other;\n")
        self.assertIn("is not the nln library", made.run(script, NLN_LIBRARY=other))

    def test_relative(self):
        """A relative path holds even if the program goes to another folder."""
        folder, name = os.path.split(os.path.abspath(os.environ["NLN_LIBRARY"]))
        for relative in (name, os.path.join(".", name)):
            start = f"import os; os.chdir({folder!r}); import nln; os.chdir('/')\n"
            self.assertEqual(made.run(start + script, NLN_LIBRARY=relative).strip(), "found")

    def test_another_version(self):
        for version in ("1.2.3", "0.2.0", "0.10.0", "0.0.9"):
            code = f'const char *nln_version(void) {{ return "{version}"; }}\n'
            other = library_of(f"other-{version}", code)
            self.assertIn(f"is nln {version}, but this package is for version 0.1",
                          made.run(script, NLN_LIBRARY=other))

    def test_older(self):
        old = library_of("old", 'const char *nln_version(void) { return "0.1.0"; }\n')
        self.assertIn("older than this package", made.run(script, NLN_LIBRARY=old))

    def test_search(self):
        """The loader's own search finds the SONAME."""
        folder = os.path.dirname(os.environ["NLN_LIBRARY"])
        self.assertEqual(made.run(script, NLN_LIBRARY="", LD_LIBRARY_PATH=folder).strip(), "found")

    def test_home(self):
        """What is installed below ~/.local, or another folder of the user's, is found there."""
        for folder in ("home/.local", "mine"):
            os.makedirs(made.path(f"{folder}/lib"))
            installed = made.path(f"{folder}/lib/{_library.SONAME}")
            shutil.copy(os.environ["NLN_LIBRARY"], installed)
            found = made.run("import nln; from nln import _library\n"
                             "print(_library._candidates())", NLN_LIBRARY="",
                             HOME=made.path("home"), PYTHONUSERBASE=made.path("mine"))
            self.assertIn(repr(installed), found)

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
