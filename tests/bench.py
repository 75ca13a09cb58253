"""Every training that the scripts of bench/ ask for, on tiny data: python3 tests/bench.py NLN.

The scripts take hours, so that nobody would notice for long that the program has come to refuse
one of their options.  The baselines beside PyTorch are tried where that is installed."""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))

import ablations  # noqa: E402
import figures  # noqa: E402
import recommend  # noqa: E402


def trainings():
    """Name, whether the data are ratings, and options."""
    for name, _, options in figures.FIGURES:
        yield f"figures.py, {name}", False, options
    for change in ablations.CHANGES:
        yield f"ablations.py, {change or 'default'}", False, change.split()
    for name, _, options in recommend.FIGURES:
        yield f"recommend.py, {name}", True, options
    if importlib.util.find_spec("torch") is None:
        print("SKIPPED: there is no python3-torch, so bench/baselines.py is not tried")
        return
    import baselines

    for name, kind, _ in baselines.MODELS:
        options = baselines.our_options(name, kind)
        yield f"baselines.py, {name}", kind is not baselines.Logic, options


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def make_data(nln, folder):
    for kind, *sizes in (
        ("logic", "--variables", "20", "--expressions", "60"),
        ("ratings", "--users", "40", "--items", "20", "--ratings", "600"),
    ):
        run(nln, "generate", kind, *sizes, "--out", folder / kind).check_returncode()


def main(nln):
    tried = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        make_data(nln, Path(folder))
        for name, is_ratings, options in trainings():
            data = Path(folder) / ("ratings" if is_ratings else "logic")
            few = [] if "--epochs" in options else ["--epochs", "1"]
            done = run(nln, "train", data, *options, *few, "--quiet", "--out", Path(folder) / "model")
            tried += 1
            if done.returncode:
                refused += 1
                print(f"{name}: {done.stderr.strip()}")
    print(f"{tried - refused} passed, {refused} failed")
    return refused or tried < 35


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
