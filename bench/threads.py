#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What more threads would bring: the speedup of trainers' steps on 1 to 64 threads by the costs that schedules are planned with.

    threads.py [--threads N] [--steps N] [--traces N] TRAINER...

Runs each trainer with --trace, which measures the launches on this machine and has the times that the list scheduler plans
for other numbers of threads. Takes the least over several traces, as other processes only add time. Launches that cannot be
divided, ops of the runtime and the step's own code take the same time on any number of threads: it is the time of a step on
one thread less that of the launches.
"""
import argparse
import collections
import datetime
import json
import pathlib
import subprocess
import tempfile

TRACED = 4


def train(trainer, folder, threads, steps, *flags):
    command = [trainer, "--model-dir", folder, "--steps", steps, "--threads", threads, "--summary-steps", 0, *flags]
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def step_time(trainer, steps):
    """Microseconds of a step on one thread, in the best of some windows."""
    with tempfile.TemporaryDirectory() as folder:
        window = max(1, steps // 5)
        log = train(trainer, folder, 1, 5 * window + 1, "--log-steps", window, "--log-format", "json")
    lines = [json.loads(line) for line in log.splitlines()]
    times = [datetime.datetime.fromisoformat(line["time"]) for line in lines if line["message"].startswith("step ")]
    return min((after - before).total_seconds() for before, after in zip(times, times[1:])) / window * 1e6


def predictions(trainer, threads, steps):
    """By sequence of launches: how often it runs in a step, and its microseconds by number of threads."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        train(trainer, pathlib.Path(folder) / "run", threads, steps, "--quiet", "--trace", trace, "--trace-steps", TRACED)
        events = json.loads(trace.read_text())["traceEvents"]
    kernels, found = collections.Counter(), {}
    for event in events:
        facts = event.get("args", {})
        name = facts.get("entry"), facts.get("sequence")
        if event.get("cat") == "kernel" and facts.get("entry"):
            kernels[name] += 1
        if event.get("cat") == "schedule" and "predicted_us" in facts:
            found[name] = facts["launches"], {int(count): time for count, time in facts["predicted_us"].items()}
    return {name: (kernels[name] / launches / TRACED, times) for name, (launches, times) in found.items()}


def least(several):
    """The least times of several calls of predictions()."""
    merged = {}
    for found in several:
        for name, (runs, times) in found.items():
            known = merged.setdefault(name, (runs, times))[1]
            known.update({count: min(time, known.get(count, time)) for count, time in times.items()})
    return merged


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trainers", metavar="TRAINER", nargs="+", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2, help="of the traced runs")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--traces", type=int, default=5)
    options = parser.parse_args()
    for trainer in options.trainers:
        trainer = trainer.resolve()
        sequences = least(predictions(trainer, options.threads, options.steps) for _ in range(options.traces))
        totals = collections.Counter()
        for runs, times in sequences.values():
            for count, time in times.items():
                totals[count] += runs * time
        step = max(step_time(trainer, options.steps), totals[1])
        rest = step - totals[1]
        print(f"{trainer.name}: {step:.0f} us a step on one thread, {totals[1]:.0f} in launches that threads may share")
        for count, time in sorted(totals.items()):
            print(f"  {count:3} threads  launches {time:9.0f} us  x{totals[1] / time:5.2f}   step {rest + time:9.0f} us  x{step / (rest + time):5.2f}")


if __name__ == "__main__":
    main()
