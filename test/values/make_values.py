"""Writes cases/: graphs, inputs, and what TensorFlow computes from them.

Run by hand, with TensorFlow 2.15, when an op or a case is added; the tests
themselves need neither TensorFlow nor NumPy. Each suite has, in parts (parts.py),
graph.meta, a MetaGraphDef whose cases hang on placeholders (so nothing can be
folded); inputs and TensorFlow's results as .npy; files that it reads, in files/; and cases.json, which says
which tensor is which and how exactly it must be met.

Inputs named `eighths` are small multiples of 1/8: their sums and products are
exact in float32 in any order, so the results are compared bit by bit.

The suites stand in suites/, a file for each family of ops, whose list SUITES
holds functions named as their suites.

    make_values.py [SUITE...]
"""
import importlib
import pathlib
import sys
import zlib

from suite import HERE, rng

if __name__ == "__main__":
    (HERE / "cases").mkdir(exist_ok=True)
    sys.path.insert(0, str(HERE / "suites"))
    for path in sorted((HERE / "suites").glob("*.py")):
        for number, make in enumerate(importlib.import_module(path.stem).SUITES):
            if len(sys.argv) > 1 and make.__name__ not in sys.argv[1:]:
                continue
            # Each suite draws its own numbers: one can be made anew alone.
            first = path.stem == "basic"
            rng.seed(20170917 + number if first else zlib.crc32(make.__name__.encode()))
            make()
