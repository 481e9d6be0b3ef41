#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/performance.md, with what test/gpu/measure.py has measured on a GPU at its end: each model of bench/models.py trained by Ingot, by TensorFlow's session on the same graph, by
JAX and by torch on the same model, in turn.

    INGOT_TF_PYTHON=.. INGOT_JAX_PYTHON=.. INGOT_TORCH_PYTHON=.. performance.py --ingotc build/bin/ingotc [MODEL ..]

A peer whose Python is not named is left out. Each round runs all programs of a model one after the other, so that what
else the machine does falls on all of them; the table has the medians. ingot-fma-peak, built beside ingotc, is run
in the same rounds. --print writes the page to the terminal, --roofline draws what is reached of the machine's limit.
"""
import argparse
import datetime
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap

import doors
import models
import roofline
import run

sys.path.insert(0, str(run.BENCH.parent / "test" / "gpu"))
import measure as gpu  # noqa: E402

PAGE = run.BENCH.parent / "docs" / "performance.md"
# Name in the table, what names its Python, the script, and the module whose version counts.
PEERS = [
    ("TensorFlow's session", "INGOT_TF_PYTHON", "tensorflow_session.py", "tensorflow"),
    ("JAX", "INGOT_JAX_PYTHON", "peers/jax_step.py", "jax"),
    ("torch", "INGOT_TORCH_PYTHON", "peers/torch_step.py", "torch"),
]
QUIET = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", JAX_PLATFORMS="cpu")


def chip():
    found = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return found[1] if found else platform.processor()


def version(python, module):
    code = f"import {module}; print({module}.__version__)"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True, env=QUIET)
    return done.stdout.strip().split("+")[0]


def peer_rate(python, script, name, options):
    """Steps a second of one window after another, or None where the peer cannot run it."""
    what = run.BENCH / "graphs" / f"{name}.meta" if script == "tensorflow_session.py" else name
    command = [python, "-B", run.BENCH / script, what, options.seconds, options.windows]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, env=QUIET)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None


def trainer_rate(trainer, steps, threads):
    short = run.seconds(trainer, run.WARM_UP, threads)
    return steps / max(1e-9, run.seconds(trainer, steps + run.WARM_UP, threads) - short)


def steps_of_window(trainer, seconds, threads):
    steps = 20
    while (taken := run.seconds(trainer, steps, threads)) < seconds / 2 and steps < 10**7:
        steps = int(steps * min(10, 1.2 * seconds / max(taken, 0.01))) + 1
    return steps


def measure(name, peers, options, folder):
    """A row: rates by program, FMA peaks by number of threads, and what a step computes."""
    trainer, stages = folder / "trainer", folder / "stages"
    graph = run.BENCH / "graphs" / f"{name}.meta"
    took, why = run.compile_graph(options.ingotc, graph, trainer, ["--no-cache"])
    assert took is not None, f"{name}: {why}"
    # Dumping stages is not timed.
    run.compile_graph(options.ingotc, graph, trainer, [f"--dump-stages={stages}"])
    program = pathlib.Path(options.ingotc).resolve().parent / "ingot-fma-peak"
    rates = {"Ingot": [], "one thread": [], **{peer[0]: [] for peer in peers}}
    steps = {threads: steps_of_window(trainer, options.seconds, threads) for threads in (1, options.threads)}
    peak = 0
    for _ in range(options.rounds):
        for _ in range(options.windows):
            # Measured each time: a disturbance of the peak would make the step's share too large.
            peak = max(peak, run.fma_peak(program, options.threads))
            rates["one thread"].append(trainer_rate(trainer, steps[1], 1))
            rates["Ingot"].append(trainer_rate(trainer, steps[options.threads], options.threads))
        for peer, python, script, _ in peers:
            rates[peer].append(peer_rate(python, script, name, options))
    medians = {
        key: statistics.median(values) if all(values) else None for key, values in rates.items()
    }
    return {
        "name": name, "compile": took, "rates": medians, "peak": peak,
        "operations": run.operations_of_step(trainer, stages),
    }  # fmt: skip


def figure(rate):
    return "–" if rate is None else f"{rate:,.0f}" if rate >= 100 else f"{rate:,.1f}"


def wrapped(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def page(rows, peers, options):
    names = [peer[0] for peer in peers]
    versions = ", ".join(f"{name} {version(python, module)}" for name, python, _, module in peers)
    peaks = sorted(row["peak"] for row in rows)
    yield "# Speed, beside others\n"
    yield wrapped(
        f"Steps a second on {options.threads} threads of {chip()}, {datetime.date.today()}; written by `bench/performance.py`. "
        "Each program in turn, "
        f"medians of {options.rounds * options.windows} windows of Ingot's and of {options.rounds} times {options.windows} of the others'"
        + (f" ({versions})" if versions else "") + ". The models are those of `bench/models.py`, the session runs the very graphs that Ingot compiles (`bench/graphs`)."
    )  # fmt: skip
    if peaks and peaks[0]:
        yield "\n" + wrapped(
            f"Fused multiply-adds in the same seconds: {peaks[0]:.0f} to {peaks[-1]:.0f} GFLOP/s on {options.threads} threads, at the most. "
            "*Of the peak* is what a step computes, as Ingot counts it, as a share of that."
        )
    header = ["model", "compiled in", "one thread", f"{options.threads} threads", "of the peak"]
    header += [column for name in names for column in (name, "Ingot is")]
    yield "\n| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for row in rows:
        rates = row["rates"]
        share = row["operations"] * rates["Ingot"] / 1e9 / row["peak"] if row["operations"] and row["peak"] else None
        cells = [row["name"], f"{row['compile']:.1f} s", figure(rates["one thread"]), figure(rates["Ingot"])]
        cells.append(f"{share:.0%}" if share else "–")
        for name in names:
            peer = rates[name]
            cells += [figure(peer), f"{rates['Ingot'] / peer:.1f}×" if peer else "–"]
        yield "| " + " | ".join(cells) + " |"
    for name in names:
        ratios = [row["rates"]["Ingot"] / row["rates"][name] for row in rows if row["rates"][name]]
        if ratios:
            mean = statistics.geometric_mean(ratios)
            yield f"\nAgainst {name}: geometric mean {mean:.1f}×, least {min(ratios):.1f}×."
    if doors.section():
        yield "\n" + doors.section().rstrip("\n")
    yield "\n" + gpu.section().rstrip("\n")


def write_shares(rows, path):
    """An SVG of what each model's step reaches of the peak."""
    bars = [{"name": row["name"], "share": row["operations"] * row["rates"]["Ingot"] / 1e9 / row["peak"]}
            for row in rows if row["operations"] and row["peak"]]  # fmt: skip
    roofline.write_svg(bars, path, "share of the peak of fused multiply-adds")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ingotc", required=True)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=0.5, help="of a window")
    parser.add_argument("--windows", type=int, default=3, help="of a program in a round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--roofline", metavar="FILE", help="an SVG of what is reached of the peak")
    parser.add_argument("models", nargs="*", default=list(models.MODELS))
    options = parser.parse_args()
    peers = [(name, os.environ[key], script, module) for name, key, script, module in PEERS if os.environ.get(key)]
    rows = []
    for name in options.models or models.MODELS:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(name, peers, options, pathlib.Path(folder)))
        print({"name": name, **rows[-1]["rates"]}, flush=True)
    text = "\n".join(page(rows, peers, options)) + "\n"
    if options.print:
        print(text)
    else:
        PAGE.write_text(text)
    if options.roofline:
        write_shares(rows, options.roofline)


if __name__ == "__main__":
    main()
