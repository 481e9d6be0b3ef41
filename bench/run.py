#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps a second of the graphs in bench/graphs.

A window trains N steps and, right before, a few; the difference of the two
times is N steps without start-up and checkpoints. The table gives the median of
five windows. With INGOT_TF_PYTHON naming a Python that has TensorFlow, its
session runs the same graphs in the same sitting.

Where ingot-fma-peak is built beside ingotc, each graph's best rate is given in
GFLOP/s, too, and as a share of what the machine can do at the most on as many
threads, measured right before and right after.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

BENCH = pathlib.Path(__file__).resolve().parent
WARM_UP = 5


def compile_graph(ingotc, graph, trainer, flags):
    """Seconds to compile, or None and why not."""
    start = time.monotonic()
    done = subprocess.run(
        [ingotc, graph, "-o", trainer, *flags], capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return time.monotonic() - start, ""
    if done.returncode != 3:
        return None, done.stderr.strip().split("\n")[0]
    check = subprocess.run(
        [ingotc, graph, "--check", "--json"], capture_output=True, text=True, check=False
    )
    try:
        ops = [problem["op"] for problem in json.loads(check.stdout)["unsupported"]]
        return None, "unsupported: " + ", ".join(sorted(set(ops)))
    except (ValueError, KeyError, TypeError):
        return None, done.stderr.strip().split("\n")[0]


def seconds(trainer, steps, threads):
    """The time that a fresh run of `steps` steps takes, from start to exit."""
    with tempfile.TemporaryDirectory() as folder:
        command = [trainer, "--model-dir", folder, "--steps", steps, "--quiet"]
        command += ["--log-steps", 0, "--summary-steps", 0, "--threads", threads]
        start = time.monotonic()
        subprocess.run([str(part) for part in command], check=True)
        return time.monotonic() - start


def measure(trainer, threads, window_seconds, windows):
    """Steps a second: the median window and the best."""
    steps = 100
    while (taken := seconds(trainer, steps, threads)) < window_seconds / 2 and steps < 10**7:
        steps = int(steps * min(10, 1.2 * window_seconds / max(taken, 0.01)))
    rates = []
    for _ in range(windows):
        short = seconds(trainer, WARM_UP, threads)
        rates.append(steps / (seconds(trainer, steps + WARM_UP, threads) - short))
    return statistics.median(rates), max(rates)


def operations_of_step(trainer, stages):
    """What a step computes, by what the artifact knows of its kernels; None where that is open before it runs."""
    done = subprocess.run([trainer, "info", "--json"], capture_output=True, text=True, check=True)
    kernels = {kernel["name"]: kernel for kernel in json.loads(done.stdout)["kernels"]}
    (entries,) = pathlib.Path(stages).glob("*-entries.memref.mlir")
    step = re.search(r"^  func\.func @step\(.*?^  }$", entries.read_text(), re.M | re.S)
    # A loop's trip count is unknown.
    if step and "scf.while" in step.group():
        return None
    operations = 0
    for name in re.findall(r"host\.launch @(\w+)", step.group() if step else ""):
        if "iterations" not in kernels[name]:
            return None
        operations += kernels[name]["iterations"] * kernels[name]["flops_per_iteration"]
    return operations or None


def fma_peak(program, threads):
    """GFLOP/s of the machine at the most, or 0 where nothing measures it."""
    if not program.exists():
        return 0
    done = subprocess.run([program, "0.1", str(threads)], capture_output=True, text=True, check=True)
    peaks = re.findall(r" threads (\d+) GFLOP/s ([\d.]+)$", done.stdout, re.M)
    return max(float(peak) for count, peak in peaks if int(count) == threads)


def tensorflow_rate(python, graph, window_seconds, windows):
    """TensorFlow's steps a second on the same graph, or None."""
    done = subprocess.run(
        [python, BENCH / "tensorflow_session.py", graph, str(window_seconds), str(windows)],
        capture_output=True, text=True, check=False,
        env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES=""),
    )  # fmt: skip
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return None
    return float(done.stdout)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ingotc", required=True)
    parser.add_argument("--threads", type=int, default=0, help="0: one a core")
    parser.add_argument("--seconds", type=float, default=1.0, help="of a window")
    parser.add_argument("--windows", type=int, default=5)
    parser.add_argument("--compile-flag", action="append", default=[], metavar="FLAG")
    parser.add_argument("graphs", nargs="*", help="names (default: all)")
    arguments = parser.parse_args()
    python = os.environ.get("INGOT_TF_PYTHON")
    program = pathlib.Path(arguments.ingotc).resolve().parent / "ingot-fma-peak"
    threads = arguments.threads or len(os.sched_getaffinity(0))

    print(f"{'graph':<12} {'compile':>9} {'size':>9}", end="")
    print(f" {'GFLOP/s':>8} {'of peak':>8}" if program.exists() else "", end="")
    print(f" {'steps/s':>10} {'best':>10}", end="")
    print(f" {'TensorFlow':>11} {'ratio':>7}" if python else "", flush=True)
    for graph in sorted((BENCH / "graphs").glob("*.meta")):
        if arguments.graphs and graph.stem not in arguments.graphs:
            continue
        with tempfile.TemporaryDirectory() as folder:
            trainer = pathlib.Path(folder) / "trainer"
            stages = pathlib.Path(folder) / "stages"
            flags = arguments.compile_flag
            took, why = compile_graph(arguments.ingotc, graph, trainer, flags)
            if took is None:
                print(f"{graph.stem:<12} {why}", flush=True)
                continue
            compile_graph(arguments.ingotc, graph, trainer, [*flags, f"--dump-stages={stages}"])
            size = trainer.stat().st_size / 2**20
            operations = operations_of_step(trainer, stages) if program.exists() else None
            peak = fma_peak(program, threads)
            try:
                rate, best = measure(
                    trainer, arguments.threads, arguments.seconds, arguments.windows
                )
            except subprocess.CalledProcessError as error:
                print(f"{graph.stem:<12} the trainer failed: exit code {error.returncode}")
                continue
        peak = max(peak, fma_peak(program, threads))
        print(f"{graph.stem:<12} {took:>7.2f} s {size:>6.2f} MB", end="")
        if operations:
            speed = operations * best / 1e9
            print(f" {speed:>8.1f} {speed / peak:>8.1%}", end="")
        elif program.exists():
            print(f" {'-':>8} {'-':>8}", end="")
        print(f" {rate:>10,.0f} {best:>10,.0f}", end="")
        if python:
            peer = tensorflow_rate(python, graph, arguments.seconds, arguments.windows)
            print(f" {peer:>11,.0f} {rate / peer:>6.1f}x" if peer else " failed", end="")
        print(flush=True)


if __name__ == "__main__":
    main()
