#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Products of two matrices, each a trainer's step of its own: GFLOP/s, and as a share of the peak of fused multiply-adds
that ingot-fma-peak, built beside ingotc, finds in the same seconds.

    products.py --ingotc build/bin/ingotc [--against OTHER] [--threads N] [SIZE, or ROWSxDEPTHxCOLUMNS ..]

NN, NT and TN say which operand is read across its rows: NT is what a dense layer's input gradient is, TN its weight's.
The share is that of the best tenth of the steps, the other figure their median. With --against another
compiler's trainers run in turn with these, and the ratio of the best tenths is given; so is that to a BLAS library's,
which runs in turn with them where INGOT_BLAS_LIBRARY is the path of libmkl_rt, or of OpenBLAS as NumPy brings it.
"""
import os
import pathlib
import subprocess
import sys

import run
import sweeps
from compile_time import Graph

SHAPES = ["512", "1024", "2048", "256x2048x1000", "128x784x512", "32x2048x2048"]
FORMS = ["NN", "NT", "TN"]


def product(folder, form, rows, depth, columns):
    """A graph whose step assigns the product of two variables to a third; and the node."""
    graph = Graph()
    x = graph.variable("x", 0.5, *((rows, depth) if form[0] == "N" else (depth, rows)))
    y = graph.variable("y", 0.25, *((depth, columns) if form[1] == "N" else (columns, depth)))
    z = graph.variable("z", 0, rows, columns)
    graph.compute(
        "product", "MatMul", graph.read(x), graph.read(y),
        transpose_a=f"b: {str(form[0] == 'T').lower()}", transpose_b=f"b: {str(form[1] == 'T').lower()}",
    )  # fmt: skip
    graph.node("step", "AssignVariableOp", z, "product", dtype="type: DT_FLOAT")
    path = pathlib.Path(folder) / "product.meta"
    graph.write(path, "step")
    return path, "product"


def sizes_of(shape):
    sizes = [int(size) for size in shape.split("x")]
    return sizes * 3 if len(sizes) == 1 else sizes


def of_blas(shape, form, threads, seconds):
    """GFLOP/s of each of the library's calls."""
    command = [sys.executable, "-B", run.BENCH / "peers" / "blas_product.py", os.environ["INGOT_BLAS_LIBRARY"]]
    command += [threads, seconds, form, *sizes_of(shape)]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


def problem(shape, form):
    rows, depth, columns = sizes_of(shape)
    return 2 * rows * depth * columns, lambda folder: product(folder, form, rows, depth, columns)


if __name__ == "__main__":
    peer = ("BLAS", of_blas) if os.environ.get("INGOT_BLAS_LIBRARY") else None
    sweeps.main(__doc__, "product", SHAPES, FORMS, problem, peer)
