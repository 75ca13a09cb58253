#!/usr/bin/env python3
"""How close is the network to the exact posterior, and does it say the same of equal formulas?

    bench/posterior.py [--nln build/nln] [--variables 1000] [--expressions 5000] [--noise 0] [--seeds 1-5] [--lengths]
                       [--equivalents] [--models nln,marginals] [-- options of nln train]

For each seed `nln generate logic` makes data, `nln train` learns them and `nln evaluate --exact` measures the network
and the posterior on the test set.  Means and standard errors over the seeds.  --lengths adds expressions up to 40 times
as long as those of training; --equivalents trains once more with --normal-form none and asks for 100 test expressions as
written in 18 ways that do not change their meaning."""
import argparse, json, math, os, random, subprocess, sys, tempfile


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def mean(values):
    n, m = len(values), sum(values) / len(values)
    error = math.sqrt(sum((x - m) ** 2 for x in values) / (n - 1) / n) if n > 1 else 0
    return m, error


def seeds_of(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


# ---- formulas that mean the same ---------------------------------------------------------------

def read(text):
    """A clause is a list of literals, an expression a list of clauses."""
    return [clause.strip(" ()").split(" & ") for clause in text.split(" | ")]


def no(x):
    return x[1:] if x[0] == "!" else "!" + x


def ands(parts):
    return " & ".join(parts)


def write(clauses):
    return " | ".join("(%s)" % ands(clause) for clause in clauses)


def fold(parts, sign, right):
    """((a & b) & c) & d, or a & (b & (c & d))."""
    text = parts[-1] if right else parts[0]
    for part in reversed(parts[:-1]) if right else parts[1:]:
        text = "(%s %s %s)" % ((part, sign, text) if right else (text, sign, part))
    return text


def rewritings(clauses, chance):
    e, first = write(clauses), clauses[0]
    shuffled = [chance.sample(c, len(c)) for c in chance.sample(clauses, len(clauses))]
    ored = ["(%s)" % " | ".join(map(no, c)) for c in clauses]
    yield "!!(%s)" % e
    yield "!(%s)" % ands("!(%s)" % ands(c) for c in clauses)
    yield "!(%s)" % ands(ored)
    yield " | ".join("!%s" % c for c in ored)
    yield write(shuffled)
    yield write(list(reversed(clauses)))
    yield fold([fold(c, "&", False) for c in clauses], "|", False)
    yield fold([fold(c, "&", True) for c in clauses], "|", True)
    yield "(%s) | (%s)" % (e, e)
    yield "(%s) & (%s)" % (e, e)
    yield "(%s) & T" % e
    yield "(%s) | F" % e
    yield "%s | (%s)" % (e, ands(first))
    yield write([[first[0]] + c if c is first else c for c in clauses])
    yield "!(%s) -> F" % e
    yield "(%s) xor F" % e
    yield "(%s) <-> T" % e
    yield "!(%s) -> (%s)" % (write(clauses[1:]) if clauses[1:] else "F", ands(first))


def compare_equivalents(nln, model, data, scratch):
    chance = random.Random(1)
    with open(os.path.join(data, "test.tsv")) as file:
        texts = [line.split("\t")[0] for line in file][:100]
    asked = [[text, *rewritings(read(text), chance)] for text in texts]
    path = os.path.join(scratch, "asked.txt")
    with open(path, "w") as file:
        file.writelines(text + "\n" for group in asked for text in group)
    answer = json.loads(run(nln, "predict", model, path, "--json"))
    p = [row["p"] for row in answer["predictions"]]
    n, same, far = len(asked[0]), [], []
    for i in range(0, len(p), n):
        for x in p[i + 1:i + n]:
            same.append((x > 0.5) == (p[i] > 0.5))
            far.append(abs(x - p[i]))
    return sum(same) / len(same), sum(far) / len(far)


# ---- all seeds -----------------------------------------------------------------------------------

def measure(a, model_name, seed, scratch):
    data, model = os.path.join(scratch, "data%d" % seed), os.path.join(scratch, "model")
    if not os.path.exists(data):
        run(a.nln, "generate", "logic", "--variables", str(a.variables), "--expressions",
            str(a.expressions), "--noise", str(a.noise), "--seed", str(seed), "--out", data)
    run(a.nln, "train", data, "--model", model_name, "--seed", str(seed), "--threads",
        str(a.threads), "--quiet", "--out", model, *(a.options if model_name == "nln" else ()))
    extra = ["--lengths"] if a.lengths and model_name == "nln" else []
    x = json.loads(run(a.nln, "evaluate", model, data, "--exact", "--json", *extra,
                       *(("--noise", "auto") if a.noise else ())))
    found = {model_name + " " + k: x["network"][k] for k in ("accuracy", "rmse", "recovered")}
    found |= {"posterior " + k: x["posterior"][k] for k in ("accuracy", "rmse", "recovered")}
    found |= {"%s %d" % (r["kind"], r["size"]): r["right"] for r in x.get("lengths") or ()}
    if a.equivalents and model_name == "nln":
        run(a.nln, "train", data, "--normal-form", "none", "--seed", str(seed), "--threads",
            str(a.threads), "--quiet", "--out", model, *a.options)
        same, far = compare_equivalents(a.nln, model, data, scratch)
        found |= {"same side": same, "mean difference": far}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nln", default="build/nln")
    parser.add_argument("--variables", type=int, default=1000)
    parser.add_argument("--expressions", type=int, default=5000)
    parser.add_argument("--noise", type=float, default=0)
    parser.add_argument("--seeds", type=seeds_of, default="1-5")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--models", default="nln")
    parser.add_argument("--lengths", action="store_true")
    parser.add_argument("--equivalents", action="store_true")
    parser.add_argument("options", nargs="*")
    a = parser.parse_args()
    rows = {}
    for seed in a.seeds:
        with tempfile.TemporaryDirectory() as scratch:
            for name in a.models.split(","):
                for key, value in measure(a, name, seed, scratch).items():
                    rows.setdefault(key, {})[seed] = value
        print("seed %d: %s" % (seed, ", ".join("%s %.4f" % (k, v[seed]) for k, v in rows.items()
                                               if k.endswith(("accuracy", "rmse")))), flush=True)
    print("\n%-24s %8s %8s %8s" % ("", "mean", "error", "least"))
    for key, values in rows.items():
        m, error = mean(list(values.values()))
        print("%-24s %8.4f %8.4f %8.4f" % (key, m, error, min(values.values())))
    for name in a.models.split(","):
        for key in ("accuracy", "rmse"):
            gap = [rows["%s %s" % (name, key)][s] - rows["posterior " + key][s] for s in a.seeds]
            print("%s - posterior, %s: %.4f +- %.4f" % (name, key, *mean(gap)))


main()
