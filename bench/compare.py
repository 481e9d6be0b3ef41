#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two compilers on the graphs of bench/graphs, in turn: how many times as fast the first one's trainers are.

Each round runs both trainers of a graph, one after the other; the table gives the median of the rounds' ratios, so that
what else the machine does falls on both.
"""
import argparse
import pathlib
import statistics
import tempfile

import run


def rate_of(trainer, steps, threads):
    short = run.seconds(trainer, run.WARM_UP, threads)
    return steps / (run.seconds(trainer, steps + run.WARM_UP, threads) - short)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ingotc", required=True)
    parser.add_argument("--against", required=True, help="the other ingotc")
    parser.add_argument("--threads", type=int, default=0, help="0: one a core")
    parser.add_argument("--seconds", type=float, default=1.0, help="of a window")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("graphs", nargs="*", help="names (default: all)")
    arguments = parser.parse_args()
    print(f"{'graph':<12} {'steps/s':>10} {'against':>10} {'ratio':>7}   of the rounds")
    for graph in sorted((run.BENCH / "graphs").glob("*.meta")):
        if arguments.graphs and graph.stem not in arguments.graphs:
            continue
        with tempfile.TemporaryDirectory() as folder:
            trainers = [pathlib.Path(folder) / name for name in ("this", "other")]
            for compiler, trainer in zip((arguments.ingotc, arguments.against), trainers):
                took, why = run.compile_graph(compiler, graph, trainer, [])
                assert took is not None, why
            steps = 10
            while (taken := run.seconds(trainers[0], steps, arguments.threads)) < arguments.seconds / 2:
                steps = int(steps * min(10, 1.2 * arguments.seconds / max(taken, 0.01))) + 1
            rounds = [
                [rate_of(trainer, steps, arguments.threads) for trainer in trainers]
                for _ in range(arguments.rounds)
            ]
        ratios = [this / other for this, other in rounds]
        this, other = (statistics.median(rates) for rates in zip(*rounds))
        print(
            f"{graph.stem:<12} {this:>10,.1f} {other:>10,.1f} {statistics.median(ratios):>6.2f}x  "
            + " ".join(f"{ratio:.2f}" for ratio in sorted(ratios)),
            flush=True,
        )


if __name__ == "__main__":
    main()
