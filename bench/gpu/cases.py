"""The cases of cuda/testdata/speed.tsv, which package cuda's BenchmarkSpeed runs too."""

import csv
import os

TABLE = os.path.join(os.path.dirname(__file__), "..", "..", "cuda", "testdata", "speed.tsv")


def read():
    with open(TABLE, newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t"))
    for r in rows:
        r["shape"] = [int(n) for n in r["shape"].split("x")]
        r["axis"] = None if r["axis"] == "-" else int(r["axis"])
        if r["q"].endswith(" even"):
            n = int(r["q"].split()[0])
            r["q"] = [i / (n - 1) for i in range(n)]
        else:
            r["q"] = [0.5 if r["q"] == "-" else float(r["q"])]
        for goal in ("goal-ms", "goal-ratio"):
            r[goal] = None if r[goal] == "-" else float(r[goal])
    return rows


def shrink(case, elements):
    """Halves dimensions until there are at most so many elements, as the benchmark does."""
    shape, axis = case["shape"], case["axis"]
    while elements and size(shape) > elements:
        kept = [i for i, n in enumerate(shape) if n > 1 and axis is not None and i != axis]
        i = max(kept or range(len(shape)), key=lambda i: shape[i])
        shape[i] = (shape[i] + 1) // 2


def size(shape):
    n = 1
    for d in shape:
        n *= d
    return n
