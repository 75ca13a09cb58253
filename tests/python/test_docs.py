"""The Python of the documentation runs, and prints what it says.

The ```python blocks below a line `<!-- test python -->` of a document are one script; those below
`<!-- test python with MODULE -->` are left out where there is no such module.  A ```text
block right below such a block is what it prints, but for the values of numbers, which depend on the
processor; the names that follow from them are numbers too, as in i12.

As a program, `test_docs.py FILE...` puts what is printed now into the text blocks.
"""

import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile
import unittest
import unittest.mock

import nln

root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
documents = ["docs/python.md", "bindings/python/README.md", "README.md"]
block = re.compile(r"^<!-- test python(?: with (?P<needs>\w+))? -->\n```python\n(?P<code>.*?)^```\n"
                   r"(?:```text\n(?P<output>.*?)^```\n)?", re.M | re.S)


def printed(source, place, names):
    """What a block prints, run with the names of the blocks before it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, place, "exec"), names)
    return out.getvalue()


def masked(text):
    """The text without the values of numbers, nor the titles that go with them."""
    text = re.sub(r"-?\d+(\.\d*)?(e[-+]?\d+)?", "#", text)
    return re.sub(r" +", " ", re.sub(r"(i#  ).*", r"\1", text))


def on_one_thread(function):
    """The same results, and no waiting for other cores where there are other tests."""
    return lambda *values, **options: function(*values, **{"threads": 1, **options})


def run_all(text, document, told):
    """Runs the blocks of a document in a folder of their own; told(block, output) for each."""
    names = {"__name__": "__main__"}
    before = os.getcwd()
    alone = {name: on_one_thread(getattr(nln, name)) for name in ("train", "tsne")}
    with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.multiple(nln, **alone):
        os.chdir(folder)
        try:
            for found in block.finditer(text):
                if found["needs"] and importlib.util.find_spec(found["needs"]) is None:
                    print(f"SKIPPED: a block of {document}, since there is no {found['needs']}")
                    continue
                told(found, printed(found["code"], document, names))
        finally:
            os.chdir(before)


class Documents(unittest.TestCase):
    def test_blocks(self):
        for document in documents:
            with open(os.path.join(root, document), encoding="utf-8") as file:
                text = file.read()
            self.assertEqual(text.count("<!-- test python"), len(block.findall(text)), document)
            self.assertGreater(len(block.findall(text)), 0)

            def told(found, output):
                with self.subTest(document, block=found["code"]):
                    self.assertEqual(masked(output), masked(found["output"] or ""))

            run_all(text, document, told)


def refresh(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    pieces, at = [], 0

    def told(found, output):
        nonlocal at
        if found["output"] is not None:
            pieces.extend([text[at : found.start("output")], output])
            at = found.end("output")

    run_all(text, path, told)
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(pieces) + text[at:])


if __name__ == "__main__":
    for path in map(os.path.abspath, sys.argv[1:]):
        refresh(path)
