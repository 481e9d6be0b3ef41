# SPDX-License-Identifier: Apache-2.0
"""What product and convolution sweeps share: trainers whose step is one op, how fast it is, and what the processor could
do in the same seconds.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

import run


def main(description, what, shapes, forms, problem, peer=None):
    """A sweep's program. problem(shape, form) gives how many operations a step of it does, and what writes its graph to
    a folder and returns path and name of the node that does them. A peer is a name and what gives the GFLOP/s of its
    calls, by shape, form, threads and seconds.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ingotc", required=True)
    parser.add_argument("--against", help="another ingotc")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.1, help="of a window")
    parser.add_argument("--windows", type=int, default=9)
    parser.add_argument("--compile-flag", action="append", default=[], metavar="FLAG")
    parser.add_argument("--forms", nargs="+", default=forms, choices=forms)
    parser.add_argument("shapes", nargs="*", default=shapes)
    arguments = parser.parse_args()
    line = f"{what:<24} {'form':<6} {'GFLOP/s':>8} {'best':>8} {'of peak':>8}"
    print(line + ("   ratio" if arguments.against else "") + (f" {peer[0]:>8} {'ratio':>7}" if peer else ""))
    for shape in arguments.shapes or shapes:
        for form in arguments.forms:
            operations, make = problem(shape, form)
            print_row(shape, form, operations, make, arguments, peer)


def speeds(trainer, node, operations, steps, threads):
    """GFLOP/s of each step but the first ones, as a trace of its kernels has them."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        command = [trainer, "--model-dir", folder, "--steps", run.WARM_UP + steps, "--threads", threads, "--quiet"]
        command += ["--log-steps", 0, "--summary-steps", 0, "--trace", trace]
        command += ["--trace-steps", run.WARM_UP + steps]
        subprocess.run([str(part) for part in command], check=True)
        events = json.loads(trace.read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    # A step may have several kernels of the node, such as a transpose of an operand: all count.
    times = [event["dur"] for event in events if event["name"] == node]
    each = len(times) // (run.WARM_UP + steps)
    times = [sum(times[first : first + each]) for first in range(0, len(times), each)]
    return [operations / time / 1e3 for time in times[run.WARM_UP :]]


def print_row(shape, form, operations, make, arguments, peer):
    """Measures the graph that make(folder) writes; it returns where, and the name of its node."""
    peak_program = pathlib.Path(arguments.ingotc).resolve().parent / "ingot-fma-peak"
    compilers = [arguments.ingotc] + ([arguments.against] if arguments.against else [])
    with tempfile.TemporaryDirectory() as folder:
        graph, node = make(folder)
        trainers = [pathlib.Path(folder) / f"trainer{number}" for number in range(len(compilers))]
        for compiler, trainer in zip(compilers, trainers):
            took, why = run.compile_graph(compiler, graph, trainer, arguments.compile_flag)
            assert took is not None, why
        # About as many as the window has room for, and a trace of them.
        steps = min(20_000, max(3, int(arguments.seconds * 1e11 * arguments.threads / operations)))
        peak = run.fma_peak(peak_program, arguments.threads)
        found, of_peer = [[] for _ in trainers], []
        for _ in range(arguments.windows):
            if peer:
                of_peer += peer[1](shape, form, arguments.threads, arguments.seconds)
            for trainer, rates in zip(trainers, found):
                rates += speeds(trainer, node, operations, steps, arguments.threads)
        peak = max(peak, run.fma_peak(peak_program, arguments.threads))
    # Other load on the machine slows some steps, but hardly the best tenth.
    best = [statistics.quantiles(rates, n=10)[-1] for rates in found + [of_peer] * bool(peer)]
    share = f"{best[0] / peak:>8.1%}" if peak else f"{'-':>8}"
    print(f"{shape:<24} {form:<6} {statistics.median(found[0]):>8.1f} {best[0]:>8.1f} {share}", end="")
    if arguments.against:
        print(f" {best[0] / best[1]:>6.2f}x", end="")
    if peer:
        print(f" {best[-1]:>8.1f} {best[0] / best[-1]:>6.2f}x", end="")
    print(flush=True)
