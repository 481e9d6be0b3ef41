#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/shares.md: what the models of bench/models.py, and those of bench/unseen that nothing was tuned on, reach of
the machine's limits, beside TensorFlow's session on the same graphs and JAX on the same models.

    INGOT_TF_PYTHON=.. INGOT_JAX_PYTHON=.. shares.py --ingotc build/bin/ingotc

Each model is compiled for this machine, and for AVX2 (x86-64-v3) where it has more than that, and trained on one thread
and on all. Programs take turns, a window each, so that what else the machine does falls on all of them; the page has the
medians. A window during which threads share a core is repeated. A share is a step's bound (bench/roofline.py), by the peak
right before and after the windows, divided by its time. The peers use all threads. The graphs of bench/unseen are written with
INGOT_TF_PYTHON first.

Figures are kept in a JSON file after each model: a second call goes on where the first was ended. Peak memory is the
resident set's high-water mark, which the kernel counts from a program's start; a child's ru_maxrss begins with its
parent's.
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import models
import performance
import roofline
import run
import shares_page
from shares_programs import QUIET, Failure, Peer, Trainer
from unseen import models as unseen

# For how long windows are repeated, and the least pause between two.
PATIENCE, PAUSE = 60, 0.5
PEERS = {"tensorflow": "INGOT_TF_PYTHON", "jax": "INGOT_JAX_PYTHON"}


def graph_of(name, folder):
    return run.BENCH / "graphs" / f"{name}.meta" if name in models.MODELS else folder / f"{name}.meta"


def peer_of(peer, name, graph, seconds, threads):
    """The process of a peer that trains a model."""
    step = "peers/jax_step.py" if name in models.MODELS else "unseen/jax_step.py"
    script, model = ("tensorflow_session.py", graph) if peer == "tensorflow" else (step, name)
    return Peer(os.environ[PEERS[peer]], script, model, seconds, threads)


def kernels_of(trainer):
    """Name, seconds, operations, bytes and launches of each kernel of a step."""
    rate = statistics.median(trainer.rates)
    with tempfile.TemporaryDirectory() as name:
        kernels = roofline.kernels_of_step(trainer.program, trainer.threads, pathlib.Path(name), max(8, min(20, int(rate))))
    return [(name[:90], *facts) for name, facts in kernels.items()]


def measured(name, graph, options, folder, limits):
    """A row of the table, or why there is none."""
    row, programs, trainers = {"compile": {}, "trainers": [], "peers": {}}, [], []
    for level in limits.levels:
        program = folder / level
        row["compile"][level], why = run.compile_graph(options.ingotc, graph, program, ["--no-cache", f"--cpu={level}"])
        if why:
            return {"why": why}
        programs.append((level, program))
    peers = {}
    try:
        for level, program in programs:
            for threads in options.counts:
                trainers.append((level, Trainer(program, threads, options.seconds)))
        for peer in options.peers:
            peers[peer] = peer_of(peer, name, graph, options.seconds, options.threads)
        for program in peers.values():
            program.wait()
        for _ in range(options.windows):
            for level, program in [*trainers, *(("native", peer) for peer in peers.values())]:
                rate, peak = limits.undisturbed(program.window, level, program.threads)
                if rate is not None:
                    program.rates.append(rate)
                    program.peaks.append(peak)
        for level, trainer in trainers:
            row["trainers"].append({"level": level, "threads": trainer.threads, "rates": trainer.rates, "peak": statistics.median(trainer.peaks), "kernels": kernels_of(trainer)})
        row["losses"], row["memory"] = trainers[-1][1].first_losses(), trainers[-1][1].memory
        for peer, program in peers.items():
            row["peers"][peer] = {"rates": program.rates, "memory": program.memory, "losses": program.losses, "why": program.why}
    finally:
        for program in [*(trainer for _, trainer in trainers), *peers.values()]:
            program.close()
    return row


class Limits:
    """The machine's limits by level and number of threads, raised for each model. Levels share the bandwidths."""

    def __init__(self, options, known):
        self.machines, self.levels = {}, shares_page.levels_of_machine()
        for count in options.counts:
            bandwidth = {}
            for level in self.levels:
                machine = roofline.Machine(pathlib.Path(options.ingotc).resolve().parent, count, None if level == "native" else level)
                machine.bandwidth = bandwidth
                self.machines[level, count] = machine
        for row in known:
            machine = self.machines[row["level"], row["threads"]]
            machine.peak, machine.fork_join = row["peak"], row["fork_join"]
            machine.bandwidth.update({int(size): rate for size, rate in row["bandwidth"].items()})

    def measure(self):
        for (level, count), machine in self.machines.items():
            machine.measure_peak()
            if level == "native":
                machine.measure_bandwidth()
                for other in self.levels:
                    self.machines[other, count].fork_join = machine.fork_join

    def undisturbed(self, window, level, threads):
        """The rate of a window that had all cores, and the peak of its number of threads right before and after it. Virtual machines
        lose cores for seconds, and clocks change."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if before := self.peak_of_all_cores(level, threads):
                rate = window()
                if rate is None or (after := self.peak_of_all_cores(level, threads)):
                    return rate, None if rate is None else (before + after) / 2
            time.sleep(PAUSE)
        raise SystemExit(f"for {PATIENCE} s the threads did not all have a core: call again when this machine is quiet")

    def peak_of_all_cores(self, level, threads):
        """The peak of this number of threads now, or None if threads share a core: then all together reach too little."""
        every = max(count for _, count in self.machines)
        peaks = self.machines[level, every].peaks_now(seconds=0.02)
        return peaks[threads] if peaks[every] > 0.85 * every * peaks[1] else None

    def rows(self):
        return [{"level": level, "threads": count, "peak": machine.peak, "bandwidth": machine.bandwidth, "fork_join": machine.fork_join}
                for (level, count), machine in self.machines.items()]  # fmt: skip


def write_graphs(wanted, folder):
    missing = [name for name in wanted if not graph_of(name, folder).exists()]
    if missing:
        python = os.environ.get("INGOT_TF_PYTHON")
        if not python:
            raise SystemExit("INGOT_TF_PYTHON: name a Python with TensorFlow 2.15, which writes the graphs of bench/unseen")
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([python, "-B", run.BENCH / "unseen" / "make_graphs.py", folder, *missing], check=True, env=QUIET)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    named = [peer for peer, key in PEERS.items() if os.environ.get(key)]
    parser.add_argument("--ingotc", required=True)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--models", metavar="A,B", help="only these")
    parser.add_argument("--peers", metavar="A,B", default=",".join(named), help="of tensorflow and jax; default: those whose Python is named")
    parser.add_argument("--seconds", type=float, default=0.3, help="of a window")
    parser.add_argument("--windows", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, default=pathlib.Path("build/shares.json"))
    parser.add_argument("--graphs", metavar="FOLDER", type=pathlib.Path, default=pathlib.Path("build/unseen-graphs"))
    parser.add_argument("--kernels", type=int, default=0, help="how many kinds of kernels of a model are printed, by what they lose")
    parser.add_argument("--page", metavar="FILE", type=pathlib.Path, default=shares_page.PAGE, help="which is written anew")
    parser.add_argument("--print", action="store_true", help="the page to the terminal")
    options = parser.parse_args()
    options.counts = sorted({1, options.threads})
    options.peers = [peer for peer in (options.peers or "").split(",") if peer]
    for peer in options.peers:
        if not os.environ.get(PEERS.get(peer, "")):
            raise SystemExit(f"{peer}: not one of {', '.join(PEERS)} whose Python is named ({', '.join(PEERS.values())})")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])
    every = [*models.MODELS, *unseen.MODELS]
    wanted = options.models.split(",") if options.models else every
    kept = {"threads": options.threads, "limits": [], "models": {}}
    if options.json.exists():
        kept = json.loads(options.json.read_text())
    if kept["threads"] != options.threads:
        raise SystemExit(f"{options.json}: has figures of {kept['threads']} threads; name another --json")
    limits = Limits(options, kept["limits"])
    remaining = [name for name in wanted if name not in kept["models"]]
    write_graphs(remaining, options.graphs)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    for name in remaining:
        limits.measure()
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = measured(name, graph_of(name, options.graphs), options, pathlib.Path(folder), limits)
            except (Failure, subprocess.CalledProcessError) as failure:
                row = {"why": str(failure)}
        kept["limits"], kept["models"][name] = limits.rows(), row
        written = options.json.with_suffix(".new")
        written.write_text(json.dumps(kept))
        written.replace(options.json)
        print(shares_page.line(name, row, limits.machines, limits.levels), flush=True)
    versions = {peer: performance.version(os.environ[PEERS[peer]], peer) for peer in options.peers}
    about = f"{performance.chip()}, {datetime.date.today()}", limits.levels, versions, options
    rows = {name: kept["models"][name] for name in every if name in kept["models"]}
    if options.kernels:
        print(shares_page.losing(rows, limits.machines, options.kernels))
    text = shares_page.page(rows, limits.machines, about)
    if options.print:
        print(text)
    else:
        options.page.write_text(text)


if __name__ == "__main__":
    main()
