#!/usr/bin/env python3
"""The README shows what the program prints: readme.py PROGRAM ROOT

Runs the ```sh blocks of README.md that follow `<!-- test -->`, in order and in one folder, and
compares what they print with the ```text block below each: words must be equal; numbers may differ
a little, as they do between processors; times and memory may be anything; `...` stands for any
lines.  Then every number of its table of results must be one of docs/results.md.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?")


def blocks(text):
    """(commands, printed) of each tested block; printed is None where nothing is shown."""
    pattern = re.compile(r"<!-- test -->\n```sh\n(.*?)```\n(?:```text\n(.*?)```\n)?", re.S)
    return [(m[1], m[2]) for m in pattern.finditer(text)]


def same_number(a, b):
    return abs(a - b) <= 0.03 + 0.1 * abs(b)


def same_line(shown, printed):
    """Words must agree, numbers nearly.  What follows a number says what it measures: seconds and
    megabytes may be anything, and so may the last column of a table of seconds."""
    a, b = shown.split(), printed.split()
    if len(a) != len(b):
        return False
    for i, (x, y) in enumerate(zip(a, b)):
        unit = a[i + 1].rstrip(",;.") if i + 1 < len(a) else ""
        if unit in ("s", "MB") or (i == len(a) - 1 and re.fullmatch(r"\d+\.\d{3}", x)):
            continue
        if NUMBER.sub("#", x) != NUMBER.sub("#", y):
            return False
        pairs = zip(NUMBER.findall(x), NUMBER.findall(y))
        if not all(same_number(float(u), float(v)) for u, v in pairs):
            return False
    return True


def matches(shown, printed):
    """Whether the lines are those shown, with any number of lines for `...`."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and same_line(shown[0], printed[0]) and matches(shown[1:], printed[1:])


def check_results(readme, results):
    table = readme[readme.index("<!-- results -->"):readme.index("<!-- /results -->")]
    rows = [line.split("|")[2:-1] for line in table.splitlines() if line.startswith("|")][2:]
    known = {n.lstrip("0") for n in re.findall(r"\d*\.\d+", results)}
    lost = [n for row in rows for cell in row for n in re.findall(r"(?<!\d)\.\d{4,}", cell) if n not in known]
    return [f"the results have {n}, which docs/results.md does not" for n in lost]


def main():
    program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    readme = (root / "README.md").read_text()
    faults = check_results(readme, (root / "docs" / "results.md").read_text())
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}", LC_ALL="C")
    n = 0
    with tempfile.TemporaryDirectory() as work:
        for commands, printed in blocks(readme):
            if "pkg-config" in commands or "NLN_DATA" in commands:
                continue  # the test `docs` builds it
            done = subprocess.run(["sh", "-eu", "-c", commands], cwd=work, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if done.returncode:
                sys.exit(f"FAILED: {commands}")
            if printed is not None and not matches(printed.splitlines(), done.stdout.splitlines()):
                faults.append(f"{commands}prints\n{done.stdout}and not\n{printed}")
            n += 1
    print("\n".join(faults) or f"{n} blocks of the README print what it says")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
