#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What several processes cost and bring: exchanges beside MPI_Allreduce, ranks beside threads, slices beside none.

    scale.py [--ingotc PATH] [--exchange PATH] [--graphs NAME...] [--windows N] [--mpi openmpi|mpich]

exchange: microseconds of a sum of floats over two ranks, BatchSliceAllReduce's beside MPI_Allreduce's, in turn.
graphs: milliseconds a step of five ways in turn, and the ratio of each pair of neighbours in time (median, quartiles):
  plain     without --parallel, one thread
  slices    --parallel, one process of one thread
  threads   --parallel, one process of two threads
  ranks     --parallel, two processes of one thread
  messages  the same without shared memory
A run trains a few steps and then N more; the difference of both times is N steps without start-up and checkpoints.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

BENCH = pathlib.Path(__file__).resolve().parent
WARM_UP = 3
SIZES = [1 << 10, 16 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20]
LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"],
    "mpich": ["mpirun.mpich"],
}
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # Containers do not let one process read another's memory.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                          env={**os.environ, **ENVIRONMENT})  # fmt: skip
    if done.returncode:
        sys.exit(f"error: {' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def spread(values):
    quarter = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
    return f"{statistics.median(values):.2f} ({quarter[0]:.2f}-{quarter[2]:.2f})"


def exchanges(program, launcher, windows):
    """Both ways in turn: each window is A B of fresh processes."""
    ratios, times = {size: [] for size in SIZES}, {size: ([], []) for size in SIZES}
    for _ in range(windows):
        seen = []
        for way in ("ordered", "allreduce"):
            lines = run([*launcher, "-n", 2, program, way, *SIZES]).split("\n")
            seen.append({int(line.split()[0]): float(line.split()[1]) for line in lines if line})
        for size in SIZES:
            ratios[size].append(seen[0][size] / seen[1][size])
            for way in (0, 1):
                times[size][way].append(seen[way][size])
    print("| bytes | BatchSliceAllReduce, us | MPI_Allreduce, us | ratio (quartiles) |\n|---|---|---|---|")
    for size in SIZES:
        ordered, allreduce = (statistics.median(values) for values in times[size])
        print(f"| {size} | {ordered:.1f} | {allreduce:.1f} | {spread(ratios[size])} |", flush=True)


def seconds(command, steps):
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        run([*command, "--model-dir", folder, "--max-steps", steps, "--quiet", "--log-steps", 0, "--summary-steps", 0])
        return time.monotonic() - start


def step_time(command, steps):
    """Milliseconds a step."""
    short = seconds(command, WARM_UP)
    return (seconds(command, WARM_UP + steps) - short) / steps * 1000


def steps_in(command, window_seconds):
    """About how many steps take that long."""
    short, steps = seconds(command, WARM_UP), 4
    while (took := seconds(command, WARM_UP + steps) - short) < window_seconds / 4:
        steps *= 4
    return max(3, int(steps * window_seconds / took))


def graph(ingotc, name, launcher, windows, window_seconds, slices):
    source = BENCH / "graphs" / f"{name}.meta"
    with tempfile.TemporaryDirectory() as folder:
        plain, split = pathlib.Path(folder, "plain"), pathlib.Path(folder, "split")
        run([ingotc, source, "-o", plain])
        run([ingotc, source, "-o", split, "--parallel", *slices])
        ways = {
            "plain": [plain, "--threads", 1],
            "slices": [split, "--threads", 1],
            "threads": [split, "--threads", 2],
            "ranks": [*launcher, "-n", 2, split, "--threads", 1],
            "messages": [*launcher, "-n", 2, split, "--threads", 1, "--shared-memory", "no"],
        }
        steps = steps_in(ways["plain"], window_seconds)
        times = {way: [] for way in ways}
        for _ in range(windows):
            for way, command in ways.items():
                times[way].append(step_time(command, steps))
    ratio = lambda a, b: spread([x / y for x, y in zip(times[a], times[b])])
    cells = [f"{statistics.median(values):.2f}" for values in times.values()]
    print(f"| {name} | {' | '.join(cells)} | {ratio('slices', 'plain')} | {ratio('threads', 'ranks')} | {ratio('messages', 'ranks')} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ingotc", default=BENCH.parent / "build/bin/ingotc")
    parser.add_argument("--exchange", default=BENCH.parent / "build/bin/ingot-exchange-speed")
    parser.add_argument("--graphs", nargs="*", default=["mlp-mnist", "mlp-wide", "resnet-20", "transformer"])
    parser.add_argument("--windows", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="length of a window of one thread")
    parser.add_argument("--slices", type=int, help="slices of a batch (default: the compiler's)")
    parser.add_argument("--mpi", choices=LAUNCHERS, default="openmpi")
    parser.add_argument("--no-exchange", action="store_true")
    options = parser.parse_args()
    launcher = LAUNCHERS[options.mpi]
    if not options.no_exchange:
        exchanges(options.exchange, launcher, options.windows)
    columns = ["graph", *(f"{way}, ms" for way in ("plain", "slices", "threads", "ranks", "messages")),
               "slices / plain", "threads / ranks", "messages / ranks"]  # fmt: skip
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    slices = ["--slices", options.slices] if options.slices else []
    for name in options.graphs:
        graph(options.ingotc, name, launcher, options.windows, options.seconds, slices)


if __name__ == "__main__":
    main()
