"""The tests of the Python package: python3 tests/python [unittest's arguments].

NLN_LIBRARY names the library and NLN_PROGRAM the program; the package is that of the source.
Ends with 77 where NumPy is not installed.
"""

import importlib.util
import os
import sys
import unittest

here = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [here, os.path.join(here, "..", "..", "bindings", "python")]

if __name__ == "__main__":
    if importlib.util.find_spec("numpy") is None:
        print("SKIPPED: there is no python3-numpy, so the Python package is not tested")
        sys.exit(77)
    for name in ("NLN_LIBRARY", "NLN_PROGRAM"):
        if not os.path.exists(os.environ.get(name, "")):
            sys.exit(f"{name} must name a file of the build")
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])  # for the processes of the tests
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    import nln

    # Before NumPy is there, so that OpenBLAS runs on the kernel that nln chooses: docs/python.md.
    nln.train(nln.Data.generate(variables=5, expressions=50), epochs=1, threads=1)
    if len(sys.argv) > 1:
        unittest.main(module=None)
    suite = unittest.defaultTestLoader.discover(here)
    result = unittest.TextTestRunner().run(suite)
    for reason in sorted({reason for _, reason in result.skipped}):
        print(reason)
    sys.exit(not result.wasSuccessful() or result.testsRun < 40)
