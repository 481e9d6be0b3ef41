#!/usr/bin/env python3
"""Products of two matrices, each a trainer's step of its own: GFLOP/s, and as a share of the peak of fused multiply-adds
that ingot-fma-peak, built beside ingotc, finds in the same seconds.

    products.py --ingotc build/bin/ingotc [--against OTHER] [--threads N] [SIZE, or ROWSxDEPTHxCOLUMNS ..]

NN, NT and TN say which operand is read across its rows: NT is what a dense layer's input gradient is, TN its weight's.
The share is that of the best tenth of the steps, the other figure their median. With --against another
compiler's trainers run in turn with these, and the ratio of the best tenths is given.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import tempfile

import run
from compile_time import Graph

SHAPES = ["512", "1024", "2048", "256x2048x1000", "128x784x512", "32x2048x2048"]
FORMS = ["NN", "NT", "TN"]


def product(folder, form, rows, depth, columns):
    """A graph whose step assigns the product of two variables to a third."""
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
    return path


def speeds(trainer, operations, steps, threads):
    """GFLOP/s of each step but the first ones, as a trace of its kernels has them."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        command = [trainer, "--model-dir", folder, "--steps", run.WARM_UP + steps, "--threads", threads, "--quiet"]
        command += ["--log-steps", 0, "--summary-steps", 0, "--trace", trace]
        command += ["--trace-steps", run.WARM_UP + steps]
        subprocess.run([str(part) for part in command], check=True)
        events = json.loads(trace.read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    # A step may have more than one kernel: what transposes an operand counts.
    times = [event["dur"] for event in events if event["name"] == "product"]
    each = len(times) // (run.WARM_UP + steps)
    times = [sum(times[first : first + each]) for first in range(0, len(times), each)]
    return [operations / time / 1e3 for time in times[run.WARM_UP :]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ingotc", required=True)
    parser.add_argument("--against", help="another ingotc")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.1, help="of a window")
    parser.add_argument("--windows", type=int, default=9)
    parser.add_argument("--forms", nargs="+", default=FORMS, choices=FORMS)
    parser.add_argument("--compile-flag", action="append", default=[], metavar="FLAG")
    parser.add_argument("shapes", nargs="*", default=SHAPES)
    arguments = parser.parse_args()
    peak_program = pathlib.Path(arguments.ingotc).resolve().parent / "ingot-fma-peak"
    compilers = [arguments.ingotc] + ([arguments.against] if arguments.against else [])
    print(f"{'product':<16} {'form':<4} {'GFLOP/s':>8} {'best':>8} {'of peak':>8}" + ("   ratio" if arguments.against else ""))
    for shape in arguments.shapes or SHAPES:
        sizes = [int(size) for size in re.split("x", shape)]
        rows, depth, columns = sizes * 3 if len(sizes) == 1 else sizes
        operations = 2 * rows * depth * columns
        for form in arguments.forms:
            with tempfile.TemporaryDirectory() as folder:
                graph = product(folder, form, rows, depth, columns)
                trainers = [pathlib.Path(folder) / f"trainer{number}" for number in range(len(compilers))]
                for compiler, trainer in zip(compilers, trainers):
                    took, why = run.compile_graph(compiler, graph, trainer, arguments.compile_flag)
                    assert took is not None, why
                # About as many as the window has room for.
                steps = max(3, int(arguments.seconds * 1e11 * arguments.threads / operations))
                peak = run.fma_peak(peak_program, arguments.threads)
                found = [[] for _ in trainers]
                for _ in range(arguments.windows):
                    for trainer, list in zip(trainers, found):
                        list += speeds(trainer, operations, steps, arguments.threads)
                peak = max(peak, run.fma_peak(peak_program, arguments.threads))
            # What else the machine does takes time from some steps: not from the best tenth.
            best = [statistics.quantiles(list, n=10)[-1] for list in found]
            share = f"{best[0] / peak:>8.1%}" if peak else f"{'-':>8}"
            print(f"{shape:<16} {form:<4} {statistics.median(found[0]):>8.1f} {best[0]:>8.1f} {share}", end="")
            if arguments.against:
                print(f" {best[0] / best[1]:>6.2f}x", end="")
            print(flush=True)


if __name__ == "__main__":
    main()
