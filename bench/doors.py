#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps a second of trainers that were made of a step of JAX and of a model of PyTorch, beside jax.jit and torch.compile on
the same step and model, in one run.

    INGOT_JAX_PYTHON=.. INGOT_TORCH_PYTHON=.. doors.py --ingotc build/bin/ingotc [MODEL ..]

A peer whose Python is not named is left out. A round is the trainer, the peer, the peer, the trainer, so that what else the
machine does falls on both alike. Figures are kept in doors.json, of which the page docs/performance.md has a table: this
writes both; --page writes the page alone, --print neither.
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

import run

FIGURES = run.BENCH / "doors.json"
PAGE = run.BENCH.parent / "docs" / "performance.md"
HEADING, NEXT = "## From JAX and PyTorch\n", "## On a GPU\n"
NAMES = ["mlp-mnist", "lstm", "transformer", "resnet-20"]
# Name in the table, what names its Python, the script, its flags, and the module whose version counts.
PEERS = [
    ("jax.jit", "INGOT_JAX_PYTHON", "jax_step.py", [], "jax"),
    ("torch.compile", "INGOT_TORCH_PYTHON", "torch_step.py", ["--compile"], "torch"),
    ("eager torch", "INGOT_TORCH_PYTHON", "torch_step.py", [], "torch"),
]
QUIET = dict(os.environ, CUDA_VISIBLE_DEVICES="", JAX_PLATFORMS="cpu", TORCH_LOGS="-all")
SECTION = HEADING + """
Trainers made of a step of JAX by `ingot.jax`, and of a model of PyTorch by `ingot.torch`, beside what these frameworks make
of the same ({versions}); steps a second on {threads} threads of {chip}, {date}, written by `bench/doors.py`. Each in turn,
medians of {runs} windows.

| model | from JAX | jax.jit | Ingot is | from PyTorch | torch.compile | Ingot is | eager torch | Ingot is |
|---|---|---|---|---|---|---|---|---|
{rows}
"""


def output(python, script, *arguments):
    command = [python, "-B", run.BENCH / "peers" / script, *arguments]
    package = os.pathsep.join([str(run.BENCH.parent / "tools" / "python"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, env=dict(QUIET, PYTHONPATH=package))
    assert done.returncode == 0, f"{script} {arguments}\n{done.stderr}"
    return done.stdout


class Trainer:
    """The trainer of a peer's step."""

    def __init__(self, options, python, script, name, folder):
        graph, self.path, self.threads = folder / f"{script}.meta", folder / f"{script}.trainer", options.threads
        output(python, script, name, "--export", graph)
        took, why = run.compile_graph(options.ingotc, graph, self.path, ["--no-cache"])
        assert took is not None, f"{name}: {why}"
        self.steps = 10
        while (taken := self.seconds(self.steps)) < options.seconds and self.steps < 10**7:
            self.steps = int(self.steps * min(10, 1.3 * options.seconds / max(taken, 0.01))) + 1

    def seconds(self, steps):
        with tempfile.TemporaryDirectory() as model_dir:
            command = [self.path, "--model-dir", model_dir, "--max-steps", steps, "--quiet", "--log-steps", 0, "--summary-steps", 0,
                       "--threads", self.threads, "--data-dir", self.path.parent]  # fmt: skip
            start = datetime.datetime.now()
            subprocess.run([str(part) for part in command], check=True)
            return (datetime.datetime.now() - start).total_seconds()

    def rate(self):
        short = self.seconds(run.WARM_UP)
        return self.steps / max(1e-9, self.seconds(self.steps + run.WARM_UP) - short)


def measure(name, options, folder):
    """The rates of each peer and of its trainer on a model, by the peer's name."""
    row = {}
    for peer, key, script, flags, _ in PEERS:
        python = os.environ.get(key)
        if not python:
            continue
        trainer = Trainer(options, python, script, name, folder)
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(trainer.rate())
            theirs += [float(output(python, script, name, options.seconds, 2, *flags).split()[-1]) for _ in range(2)]
            ours.append(trainer.rate())
        row[peer] = {"ours": statistics.median(ours), "theirs": statistics.median(theirs)}
    return row


def figure(rate):
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:,.1f}"


def section():
    """What docs/performance.md says of trainers from JAX and PyTorch; bench/performance.py asks for it, too."""
    if not FIGURES.exists():
        return ""
    kept = json.loads(FIGURES.read_text())
    rows = []
    for name, row in kept["rows"].items():
        cells = [name]
        for peer, *_ in PEERS:
            found = row.get(peer)
            ours = [] if peer == "eager torch" else [figure(found["ours"]) if found else "–"]
            cells += [*ours, figure(found["theirs"]) if found else "–", f"{found['ours'] / found['theirs']:.1f}×" if found else "–"]
        rows.append("| " + " | ".join(cells) + " |")
    return SECTION.format(rows="\n".join(rows), **{key: kept[key] for key in ("versions", "threads", "chip", "date", "runs")})


def write_page():
    text = PAGE.read_text()
    begin, _, rest = text.partition(HEADING)
    before, _, after = (begin if not rest else rest).partition(NEXT)
    PAGE.write_text((begin if rest else before) + section() + "\n" + NEXT + after)


def main():
    import performance

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ingotc")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=2.0, help="of a window")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("models", nargs="*", default=NAMES)
    options = parser.parse_args()
    if options.page:
        return write_page()
    if not options.ingotc:
        parser.error("--ingotc, or --page")
    rows = {}
    for name in options.models or NAMES:
        with tempfile.TemporaryDirectory() as folder:
            rows[name] = measure(name, options, pathlib.Path(folder))
        print(name, {peer: f"{one['ours']:.4g} : {one['theirs']:.4g} = {one['ours'] / one['theirs']:.2f}" for peer, one in rows[name].items()}, flush=True)
    if options.print:
        return
    peers = {key: module for _, key, _, _, module in PEERS if os.environ.get(key)}
    versions = ", ".join(f"{module} {performance.version(os.environ[key], module)}" for key, module in peers.items())
    FIGURES.write_text(json.dumps({"date": str(datetime.date.today()), "chip": performance.chip(), "threads": options.threads,
                                   "runs": 2 * options.rounds, "versions": versions, "rows": rows}, indent=1) + "\n")  # fmt: skip
    write_page()


if __name__ == "__main__":
    main()
