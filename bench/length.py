#!/usr/bin/env python3
"""Does a model reason beyond the length it was trained on?  Accuracy over length, depth and width.

    bench/length.py MODEL DATA [--nln build/nln] [--count 200]

DATA is the folder of `nln generate logic` that the model was trained on; variables.tsv has the truth. Everything
goes through `nln predict`.  Only variables that the model itself solves rightly occur, in random literals.

  and N    an AND of N true literals: share that is called T
  and N-1  the same with one false literal: share that is called F
  or N     an OR of N false literals: share that is called F
  or N+1   the same with one true literal: share that is called T
  depth N  AND and OR in turn, nested N deep, two operands each: share that is right; half are true
  C x N    an OR of C clauses, ANDs of N literals each: half of them with one true clause; share that is right"""
import argparse, json, random, subprocess, tempfile


def literals(chance, names, truth, n, value):
    """n literals of different variables with the same value."""
    return [v if truth[v] == value else "!" + v for v in chance.sample(names, n)]


def chain(chance, names, truth, n, value, odd):
    """n literals with a value, one of which has the other one if `odd`."""
    found = literals(chance, names, truth, n, value)
    if odd:
        at = chance.randrange(n)
        found[at] = found[at][1:] if found[at][0] == "!" else "!" + found[at]
    return found


def nested(chance, names, truth, depth, value):
    """(text, its value): an operation of a literal and what is nested in it, so that both matter."""
    name = chance.choice(names)
    text = name if truth[name] == value else "!" + name
    for level in range(depth):
        op, name = ("&", "|")[level % 2], chance.choice(names)
        neutral = op == "&"
        text = "(%s) %s %s" % (text, op, name if truth[name] == neutral else "!" + name)
    return text


def clauses(chance, names, truth, width, length, value):
    """An OR of ANDs; at most one clause is true, the others have random literals, not all true."""
    found = []
    for _ in range(width):
        while True:
            part = [v if chance.random() < 0.5 else "!" + v for v in chance.sample(names, length)]
            if not all(truth[x.lstrip("!")] == (x[0] != "!") for x in part):
                break
        found.append(part)
    if value:
        found[chance.randrange(width)] = literals(chance, names, truth, length, True)
    return " | ".join("(%s)" % " & ".join(part) for part in found)


def predict(nln, model, texts, options=()):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(text + "\n" for text in texts))
        file.flush()
        out = subprocess.run([nln, "predict", model, file.name, "--threads", "1", *options], check=True,
                             capture_output=True, text=True).stdout
    return [float(line.split("\t")[0]) for line in out.splitlines()]


def tests(chance, names, truth, count, lengths, depths, shapes):
    """name -> list of (expression, value)."""
    found = {}
    for n in lengths:
        for op, value, word in ((" & ", True, "and"), (" | ", False, "or")):
            for odd in (False, True):
                key = "%s %d%s" % (word, n, ("-1" if value else "+1") if odd else "")
                found[key] = [(op.join(chain(chance, names, truth, n, value, odd)), value != odd)
                              for _ in range(count)]
    for depth in depths:
        found["depth %d" % depth] = [(nested(chance, names, truth, depth, i % 2 == 0), i % 2 == 0)
                                     for i in range(count)]
    for width, length in shapes:
        found["%d x %d" % (width, length)] = [
            (clauses(chance, names, truth, width, length, i % 2 == 0), i % 2 == 0) for i in range(count)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("--nln", default="build/nln")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--predict", default="", help="options of nln predict")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    chance, options = random.Random(args.seed), args.predict.split()
    rows = [line.split("\t") for line in open(args.data + "/variables.tsv").read().splitlines()[1:]]
    truth = {name: value == "T" for name, value in rows}
    solved = predict(args.nln, args.model, list(truth), options)
    names = [name for name, p in zip(truth, solved) if (p > 0.5) == truth[name]]
    result = {"variables solved": len(names) / len(truth)}
    for key, cases in tests(chance, names, truth, args.count, (5, 10, 20, 50, 200), (5, 10, 20, 50),
                            ((5, 5), (5, 20), (20, 5), (20, 20))).items():
        p = predict(args.nln, args.model, [text for text, _ in cases], options)
        result[key] = sum((x > 0.5) == value for x, (_, value) in zip(p, cases)) / len(cases)
    if args.json:
        print(json.dumps(result))
        return
    print("| test | share right |\n|---|---|")
    for key, share in result.items():
        print("| %s | %.3f |" % (key, share))


if __name__ == "__main__":
    main()
