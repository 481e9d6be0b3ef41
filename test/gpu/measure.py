#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps a second on a GPU, and the part of docs/performance.md that has them.

measure.py BUILD WORK [--seconds S]   the graphs of bench/graphs on cuda:0: WORK/figures.json
measure.py --page                     writes that part anew, from test/gpu/figures.json where
                                      that was measured

A rate is the difference of two runs, of N steps and of twice as many, so that start-up and the
checkpoint at the end are in neither. The time to the first step is that of a run of one step, from
the start of the program, with the driver's cache as the run before left it.
"""
import argparse
import datetime
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FIGURES = pathlib.Path(__file__).resolve().with_name("figures.json")
# With what factors of f32 are rounded to, where it is not f32.
GRAPHS = (("mlp-small", "f32"), ("mlp-mnist", "f32"), ("mlp-wide", "f32"), ("mlp-wide", "tf32"), ("mlp-wide", "bf16"),
          ("conv-cifar", "f32"), ("conv-cifar", "tf32"), ("ensemble", "f32"))  # fmt: skip
# Compute capabilities whose own instructions are in machine code of another name.
SPECIFIC = {"sm_90": "sm_90a", "sm_100": "sm_100a"}

PAGE = SOURCE / "docs" / "performance.md"
HEADING = "## On a GPU"
SECTION = HEADING + """

{where}

| graph | steps/s | steps/s, launches one by one | first step, with machine code | first step, with PTX |
|---|---|---|---|---|
{rows}

`test/gpu/first_hour.sh` measures this on a machine with a GPU, and `test/gpu/measure.py --page` writes it here from its `figures.json`, kept beside it:
steps/s of the graphs of [bench/graphs](../bench/graphs/README.md) with nothing watched or logged (`--on-nan ignore`), the same where the launches of a step
are a graph instead of one kernel (`ingotc --step-kernel=false`), and seconds from the start of the program to
the end of its first step, making CUDA's context included.
"""


def label(name, precision):
    return name if precision == "f32" else f"{name} --precision={precision}"


def train(trainer, steps):
    """Seconds of a fresh run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [trainer, "--model-dir", folder, "--steps", steps, "--quiet", "--log-steps", 0]
        command += ["--summary-steps", 0, "--on-nan", "ignore", "--device", "cuda:0"]
        start = time.monotonic()
        subprocess.run([str(part) for part in command], check=True)
        return time.monotonic() - start


def rate(trainer, seconds):
    """Steps a second, of as many steps as take about `seconds`."""
    steps = 8
    while True:
        few, many = train(trainer, steps), train(trainer, 2 * steps)
        if many - few >= seconds or (seconds <= 0 and many > few):
            return steps / (many - few)
        steps *= 2


def capability(gpu):
    """sm_90a of "NVIDIA H100 PCIe, 550.54, 9.0"."""
    arch = "sm_" + gpu.rsplit(",", 1)[-1].strip().replace(".", "") if gpu else ""
    return SPECIFIC.get(arch, arch)


def describe():
    """The GPU, its driver and its compute capability, in nvidia-smi's words."""
    if not shutil.which("nvidia-smi"):
        return ""
    query = ["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout else ""


def measure(build, work, seconds):
    gpu = describe()
    figures = {"gpu": gpu, "date": datetime.date.today().isoformat(), "graphs": {}}
    for name, precision in GRAPHS:
        row = figures["graphs"][label(name, precision)] = {}
        graph = SOURCE / "bench" / "graphs" / f"{name}.meta"
        forms = {"graph": ["--step-kernel=false"], "ptx": []}
        if gpu:
            forms["cubin"] = [f"--gpu-arch={capability(gpu)}"]
        for form, flags in forms.items():
            trainer = work / f"{name}.{precision}.{form}"
            compile = [build / "bin" / "ingotc", "--target=cuda", graph, "-o", trainer, *flags]
            compile += [] if precision == "f32" else [f"--precision={precision}"]
            done = subprocess.run([str(part) for part in compile], check=False)
            if done.returncode:
                continue
            train(trainer, 1)  # fills the driver's cache
            if form == "graph":
                row["steps_per_second_graph"] = rate(trainer, seconds)
                continue
            row[f"first_step_{form}"] = train(trainer, 1)
            row["steps_per_second"] = rate(trainer, seconds)
    (work / "figures.json").write_text(json.dumps(figures, indent=1) + "\n")


def section():
    """What docs/performance.md says of GPUs; bench/performance.py asks for it, too."""
    figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}

    def cell(row, key, digits):
        return f"{row[key]:,.{digits}f}" if key in row else ""

    rows = []
    for name, precision in GRAPHS:
        row = figures.get("graphs", {}).get(label(name, precision), {})
        cells = [cell(row, "steps_per_second", 0), cell(row, "steps_per_second_graph", 0),
                 cell(row, "first_step_cubin", 3), cell(row, "first_step_ptx", 3)]  # fmt: skip
        rows.append(f"| `{label(name, precision)}` | " + " | ".join(cells) + " |")
    where = (
        f"Measured on {figures['gpu'] or 'an unknown GPU'}, {figures['date']}."
        if figures
        else "No GPU could be had so far: nothing here was measured, and the figures are missing."
    )
    return SECTION.format(where=where, rows="\n".join(rows))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("work", nargs="?", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_args()
    if arguments.page:
        PAGE.write_text(PAGE.read_text().partition(HEADING)[0] + section())
        return
    if not arguments.work:
        parser.error("BUILD and WORK, or --page")
    measure(arguments.build.resolve(), arguments.work.resolve(), arguments.seconds)


if __name__ == "__main__":
    main()
