#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Milliseconds a step of two ranks, with exchanges beside the backward pass and without, over networks of several speeds.

    overlap.py [--ingotc PATH] [--rates RATE...] [--windows N] [GRAPH...]

A rate such as 10gbit is what `tc tbf` lets through a loopback device in a network namespace of its own (`unshare --net`,
as root); `memory` is Open MPI's shared memory. Medians of windows, with and without in turn, as a table.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from scale import BENCH, ENVIRONMENT, WARM_UP

STEPS = {"mlp-mnist": 60, "mlp-wide": 5, "transformer": 30}
OVER_TCP = ["--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo", "--mca", "oob_tcp_if_include", "lo"]
MAKE_NETWORK = "ip link set lo up && tc qdisc add dev lo root tbf rate {rate} burst 1mb latency 50ms"


def seconds(trainer, rate, steps, overlaps):
    """Seconds of a run of two ranks of one thread."""
    ranks = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", *([] if rate == "memory" else OVER_TCP), "-n", "2"]
    with tempfile.TemporaryDirectory() as folder:
        command = [*ranks, trainer, "--model-dir", folder, "--max-steps", steps, "--threads", 1, "--quiet"]
        command += ["--log-steps", 0, "--summary-steps", 0, "--overlap-exchanges", "yes" if overlaps else "no"]
        start = time.monotonic()
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                              env={**os.environ, **ENVIRONMENT})  # fmt: skip
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
        return time.monotonic() - start


def milliseconds(trainer, rate, steps, overlaps):
    """Of a step, without start-up and the checkpoints."""
    more = seconds(trainer, rate, WARM_UP + steps, overlaps) - seconds(trainer, rate, WARM_UP, overlaps)
    return 1000 * more / steps


def measure(trainer, rate, steps, windows):
    """The medians without and with overlap."""
    times = {False: [], True: []}
    for _ in range(windows):
        for overlaps, found in times.items():
            found.append(milliseconds(trainer, rate, steps, overlaps))
    return [statistics.median(found) for found in times.values()]


def measure_elsewhere(trainer, rate, steps, windows):
    """measure(), in a network of that rate."""
    if rate == "memory":
        return measure(trainer, rate, steps, windows)
    again = [sys.executable, "-B", __file__, "--one", str(trainer), "--rates", rate, "--steps", str(steps), "--windows", str(windows)]
    script = f'{MAKE_NETWORK.format(rate=rate)} && exec "$@"'
    done = subprocess.run(["unshare", "--net", "bash", "-c", script, "bash", *again], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return [float(word) for word in done.stdout.split()[-2:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ingotc", type=pathlib.Path, default=BENCH.parent / "build" / "bin" / "ingotc")
    parser.add_argument("--rates", nargs="+", default=["memory", "10gbit", "1gbit"])
    parser.add_argument("--windows", type=int, default=3)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--steps", type=int, help=argparse.SUPPRESS)
    parser.add_argument("graphs", nargs="*")
    options = parser.parse_args()
    if options.one:
        print(*measure(options.one, options.rates[0], options.steps, options.windows))
        return
    print(f"| graph | {' | '.join(f'{rate}, without / with' for rate in options.rates)} |")
    print("|---" * (1 + len(options.rates)) + "|")
    for graph in options.graphs or STEPS:
        with tempfile.TemporaryDirectory() as folder:
            trainer = pathlib.Path(folder) / graph
            command = [options.ingotc, BENCH / "graphs" / f"{graph}.meta", "--parallel", "-o", trainer]
            subprocess.run([str(part) for part in command], check=True)
            cells = []
            for rate in options.rates:
                without, overlapped = measure_elsewhere(trainer, rate, STEPS.get(graph, 30), options.windows)
                cells.append(f"{without:.1f} / {overlapped:.1f}")
            print(f"| {graph} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
