#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an ensemble's mixture costs of a step, before and after its fusion.

Compiles a graph with and without its ensembles raised to ops of their own, lets
one thread trace each, and prints the time of the kernels that are no member's:
mixture, penalty, loss, their gradients, and the steps of the mixture's weights.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent


def kernels(events):
    """Microseconds of each launch of each kernel, by its name."""
    times = {}
    for event in events:
        if event.get("cat") == "kernel" and "Iterator" not in event["name"]:
            times.setdefault(event["name"], []).append(event["dur"])
    return times


def trace(ingotc, graph, steps, flags):
    """The events of the last `steps` steps that one thread runs."""
    with tempfile.TemporaryDirectory() as folder:
        trainer, file = f"{folder}/trainer", f"{folder}/trace.json"
        subprocess.run([ingotc, graph, "-o", trainer, *flags], check=True)
        command = [trainer, "--model-dir", f"{folder}/run", "--steps", steps, "--trace", file]
        command += ["--trace-steps", steps, "--threads", 1, "--quiet", "--log-steps", 0, "--summary-steps", 0]
        subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
        with open(file, encoding="utf-8") as text:
            return json.load(text)["traceEvents"]


def median(values):
    return sorted(values)[len(values) // 2]


def share(events, members, steps):
    """Of a step in microseconds: all kernels, the ensemble's, and how many those are."""
    total = own = count = 0
    for name, times in kernels(events).items():
        launches = round(len(times) / steps)
        if launches == 0:
            continue
        taken = median(times) * launches
        total += taken
        if not re.search(members, name.split(" + ")[0]):
            own += taken
            count += launches
    return total, own, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ingotc", default=BENCH.parent / "build/bin/ingotc")
    parser.add_argument("--graph", default=BENCH / "graphs/ensemble.meta")
    parser.add_argument("--members", default=r"(^|/|_)subnetwork_", help="what the first node of a member's kernel is called")
    parser.add_argument("--steps", type=int, default=1000)
    arguments = parser.parse_args()
    print(f"{'mixture':>8}  {'kernels':>7}  {'us':>7}  {'step us':>7}  {'share':>6}")
    for kind, flags in (("apart", ["--raise-ensembles=false"]), ("fused", [])):
        events = trace(arguments.ingotc, arguments.graph, arguments.steps, flags)
        total, own, count = share(events, arguments.members, arguments.steps)
        if total == 0:
            sys.exit("the trace has no kernels")
        print(f"{kind:>8}  {count:7}  {own:7.2f}  {total:7.2f}  {own / total:6.1%}")


if __name__ == "__main__":
    main()
