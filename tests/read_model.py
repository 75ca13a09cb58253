#!/usr/bin/env python3
"""Reads a model file with nothing but the description of the safetensors format.

usage: read_model.py FILE

Prints the metadata as `key = value` and each tensor as name, shape and first
values, separated by tabs.  Exits with 1 and a sentence when the layout is wrong.
"""

import json
import math
import struct
import sys


def check(condition, sentence):
    if not condition:
        sys.exit(f"read_model.py: {sentence}")


def without_repeats(pairs):
    names = [name for name, _ in pairs]
    check(len(names) == len(set(names)), "a name occurs twice in the header")
    return dict(pairs)


def is_size(x):
    return isinstance(x, int) and not isinstance(x, bool) and x >= 0


def read_header(content):
    check(len(content) >= 8, "the file is shorter than 8 bytes")
    (length,) = struct.unpack("<Q", content[:8])
    check(length <= len(content) - 8, "the header is longer than the file")
    check((8 + length) % 64 == 0, "the tensors do not start at a multiple of 64 bytes")
    text = content[8 : 8 + length].decode("utf-8")
    check(text.startswith("{"), "the header does not start with {")
    return json.loads(text, object_pairs_hook=without_repeats), content[8 + length :]


def read_tensor(name, entry, data):
    check(entry["dtype"] == "F32", f"{name} is of type {entry['dtype']}")
    check(all(map(is_size, entry["shape"])), f"{name} has a bad shape {entry['shape']}")
    begin, end = entry["data_offsets"]
    check(is_size(begin) and begin <= end <= len(data), f"{name} is out of range")
    count = math.prod(entry["shape"])
    check(end - begin == 4 * count, f"{name} has {end - begin} bytes for {count} values")
    values = struct.unpack(f"<{count}f", data[begin:end])
    check(all(map(math.isfinite, values)), f"{name} has a value that is not finite")
    return values


def check_cover(header, n_bytes):
    at = 0
    for begin, end in sorted(entry["data_offsets"] for entry in header.values()):
        check(begin == at, f"bytes {at} to {begin} are in no tensor or in two")
        at = end
    check(at == n_bytes, f"the last {n_bytes - at} bytes are in no tensor")


def main():
    check(len(sys.argv) == 2, "usage: read_model.py FILE")
    with open(sys.argv[1], "rb") as file:
        header, data = read_header(file.read())
    metadata = header.pop("__metadata__", {})
    for key, value in metadata.items():
        check(isinstance(value, str), f"the metadata {key} is not a string")
        print(f"{key} = {value[:200]}")
    for name, entry in header.items():
        values = read_tensor(name, entry, data)
        print(name, entry["shape"], " ".join(f"{x:g}" for x in values[:4]), sep="\t")
    check_cover(header, len(data))


if __name__ == "__main__":
    main()
