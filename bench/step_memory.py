#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory and time of a step under limits of memory (ingotc --max-step-memory), as a Markdown table.

Each graph is compiled without a limit, for 75 % and 50 % of what it needs then, and for as little as possible. Trainers
are measured in turns; a time is the least of several windows of N steps, each without start-up and checkpoints.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import run

GRAPHS = pathlib.Path(__file__).resolve().parent / "graphs"


def compiled(ingotc, graph, trainer, *flags):
    """The bytes that a step needs; None if it cannot keep the limit."""
    done = subprocess.run([str(part) for part in (ingotc, graph, "-o", trainer, *flags)], capture_output=True, text=True, check=False)
    if done.returncode == 2 and "needs at least" in done.stderr:
        return None
    assert done.returncode == 0, done.stderr
    info = json.loads(subprocess.run([str(trainer), "info", "--json"], capture_output=True, text=True, check=True).stdout)
    return next(entry["arena_bytes"] for entry in info["entries"] if entry["role"] == "step")


def rows(options, name, folder):
    """The limits of a graph: what each is, the bytes of a step, and the milliseconds."""
    graph, trainers = GRAPHS / f"{name}.meta", {}
    usual = folder / "usual"
    whole = compiled(options.ingotc, graph, usual, *options.flags)
    trainers["none"] = (usual, whole)
    for text, limit in (("75 %", whole * 3 // 4), ("50 %", whole // 2), ("least", "least")):
        trainer = folder / f"limit{len(trainers)}"
        trainers[text] = (trainer, compiled(options.ingotc, graph, trainer, f"--max-step-memory={limit}", *options.flags))
    best = {}
    for _ in range(options.windows):
        for text, (trainer, needed) in trainers.items():
            if needed is not None:
                short = run.seconds(trainer, run.WARM_UP, options.threads)
                taken = run.seconds(trainer, options.steps + run.WARM_UP, options.threads) - short
                best[text] = min(best.get(text, taken), taken)
    for text, (_, needed) in trainers.items():
        yield text, needed, needed and needed / whole, needed and 1e3 * best[text] / options.steps


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ingotc", default="build/bin/ingotc")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--windows", type=int, default=3)
    parser.add_argument("--flags", nargs="*", default=["--cpu=native"], help="flags of ingotc")
    parser.add_argument("graphs", nargs="*", default=["transformer", "resnet-20", "conv-cifar", "lstm"])
    options = parser.parse_args()
    print("| graph | limit | KiB of a step | share | ms per step |\n|---|---|---|---|---|")
    for name in options.graphs:
        with tempfile.TemporaryDirectory() as folder:
            for text, needed, share, milliseconds in rows(options, name, pathlib.Path(folder)):
                cells = (f"{needed / 1024:.0f}", f"{share:.0%}", f"{milliseconds:.2f}") if needed else ("cannot be kept", "", "")
                print("|", " | ".join((name, text, *cells)), "|", flush=True)


if __name__ == "__main__":
    main()
