"""What the tests share: a folder, data and models that are made once."""

import functools
import os
import subprocess
import sys
import tempfile

import nln

_folder = tempfile.TemporaryDirectory()
root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def path(name):
    return os.path.join(_folder.name, name)


@functools.cache
def data():
    return nln.Data.generate(variables=30, expressions=500, seed=3)


@functools.cache
def trained():
    return nln.train(data(), epochs=4, seed=3, members=2, dimension=16, threads=1)


def model():
    return trained()[0]


@functools.cache
def ratings_file():
    nln.Ratings.generate(path("ratings.csv"), path("titles.tsv"), users=60, items=40, ratings=1500)
    return path("ratings.csv")


@functools.cache
def ratings():
    return nln.Ratings.read(ratings_file(), split="nlr")


@functools.cache
def topk():
    return nln.train(ratings(), task="topk", epochs=2, dimension=8, batch=128, threads=1)[0]


@functools.cache
def preference():
    return nln.train(ratings(), task="preference", epochs=2, dimension=8, batch=128, threads=1)[0]


def run(script, *, ok=True, **environment):
    """Runs Python code in a process of its own; what it printed."""
    done = subprocess.run([sys.executable, "-B", "-c", script], text=True, timeout=60,
                          env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    assert (done.returncode == 0) == ok, done.stdout
    return done.stdout
