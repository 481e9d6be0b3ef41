# SPDX-License-Identifier: Apache-2.0
"""Writes cases/: graphs, inputs, and TensorFlow's results.

Run by hand, with TensorFlow 2.15, when an op or a case is added; the tests
themselves need neither TensorFlow nor NumPy. Each suite has, in parts (parts.py),
graph.meta, a MetaGraphDef whose cases depend on placeholders (so nothing can be
folded); inputs and TensorFlow's results as .npy; files that it reads, in files/; and cases.json:
each tensor's name, file and tolerance.

Inputs named `eighths` are small multiples of 1/8: their sums and products are
exact in float32 in any order, so the results are compared bit by bit.

The suites are defined in suites/, a file for each family of ops, whose list
SUITES holds functions named like their suites.

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
