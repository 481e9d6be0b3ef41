#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps a second on a GPU, and the part of docs/performance.md that has them.

measure.py BUILD WORK [--seconds S] [GRAPH...]   the graphs of bench/graphs on cuda:0, or those
                                                 named: WORK/figures.json
measure.py BUILD WORK --only=compile --arch=A    one half of it: the trainers, for a GPU elsewhere
measure.py BUILD WORK --only=run                 the other half
measure.py --page                                writes that part anew, from the figures of all
                                                 GPUs, test/gpu/figures*.json

With INGOT_JAX_PYTHON, JAX's steps a second of the same models, with the same precision (bench/peers).

A rate is the difference of two runs, of N steps and of twice as many, so that start-up and the
checkpoint at the end are in neither. The time to the first step is that of a run of one step, from
the start of the program, with the driver's cache as the run before left it.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# One file for each GPU that was measured.
FIGURES = pathlib.Path(__file__).resolve().parent
# With what factors of f32 are rounded to, where it is not f32.
GRAPHS = (("mlp-small", "f32"), ("mlp-mnist", "f32"), ("mlp-wide", "f32"), ("mlp-wide", "tf32"), ("mlp-wide", "bf16"),
          ("conv-cifar", "f32"), ("conv-cifar", "tf32"), ("ensemble", "f32"), ("lstm", "f32"),
          ("transformer", "f32"), ("transformer", "tf32"), ("transformer", "bf16"),
          ("resnet-20", "f32"), ("resnet-20", "tf32"), ("embedding", "f32"),
          ("mlp-large", "f32"), ("mlp-large", "tf32"), ("mlp-large", "bf16"), ("conv-large", "tf32"),
          ("lstm-large", "tf32"), ("lstm-large", "bf16"), ("transformer-large", "tf32"), ("transformer-large", "bf16"),
          ("resnet-20-large", "tf32"), ("embedding-large", "f32"))  # fmt: skip
# JAX's name of each precision of products. Its "bfloat16" is tf32 on GPUs.
JAX_PRECISIONS = {"f32": "highest", "tf32": "tensorfloat32", "bf16": "BF16_BF16_F32"}
# Compute capabilities whose own instructions are in machine code of another name.
SPECIFIC = {"sm_90": "sm_90a", "sm_100": "sm_100a"}

PAGE = SOURCE / "docs" / "performance.md"
HEADING = "## On a GPU"
SECTION = HEADING + """

{tables}
`test/gpu/first_hour.sh` measures this on a machine with a GPU, and `test/gpu/measure.py --page` writes it here from its `figures.json`, kept in
`test/gpu` with the GPU in its name: steps/s of the graphs of [bench/graphs](../bench/graphs/README.md) with nothing watched or logged
(`--on-nan ignore`), the same where a step is one kernel instead of a CUDA graph (`ingotc --step-kernel`), those of JAX's jitted step on the same
card with the same precision of products (`bench/peers/jax_step.py`, one batch that stays on the device), and seconds from the start of the program to
the end of its first step, making CUDA's context included.
"""
TABLE = """Measured on {gpu}, {date}{commit}. JAX {waits}.

| graph | steps/s | steps/s, a step as one kernel | JAX's steps/s | ratio | first step, with machine code | first step, with PTX |
|---|---|---|---|---|---|---|
{rows}
"""
WAITS = {True: "starts steps ahead, as trainers do", False: "waits for each step"}


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
    steps = 32
    while True:
        taken = train(trainer, 2 * steps) - train(trainer, steps)
        if taken >= 0.8 * seconds and taken > 0:
            return steps / taken
        steps *= int(min(64, max(2, seconds / taken + 1))) if taken > 0 else 64


def jax_rate(name, precision, seconds):
    """JAX's steps a second, or None where it is not asked for or fails."""
    python = os.environ.get("INGOT_JAX_PYTHON")
    if not python:
        return None
    command = [python, SOURCE / "bench" / "peers" / "jax_step.py", name, seconds, 5]
    environment = {**os.environ, "JAX_DEFAULT_MATMUL_PRECISION": JAX_PRECISIONS[precision]}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
        return None
    return float(done.stdout.split()[-1])


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


def commit_of_source():
    """The commit that is checked out, or ""."""
    command = ["git", "-C", str(SOURCE), "rev-parse", "--short=8", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def forms_of(arch):
    """How each graph is compiled: a name for it, and flags."""
    forms = {"step": ["--step-kernel"], "ptx": []}
    if arch:
        forms["cubin"] = [f"--gpu-arch={arch}"]
        forms["step"] += forms["cubin"]
    return forms


def graph_of(name):
    """The graph's file; large ones are where TensorFlow has written them (make_graphs.py)."""
    folder = SOURCE / "bench" / "graphs"
    return folder / "large" / f"{name}.meta" if name.endswith("-large") else folder / f"{name}.meta"


def trainer_of(work, name, precision, form):
    return work / f"{name}.{precision}.{form}"


def compile_trainer(build, work, name, precision, form, flags):
    """The trainer, or None where it does not compile."""
    trainer = trainer_of(work, name, precision, form)
    command = [build / "bin" / "ingotc", "--target=cuda", graph_of(name)]
    command += ["-o", trainer, *flags, *([] if precision == "f32" else [f"--precision={precision}"])]
    done = subprocess.run([str(part) for part in command], check=False)
    return None if done.returncode else trainer


def measure_trainers(trainers, seconds):
    """One graph's row of figures."""
    row = {}
    for form, trainer in trainers.items():
        train(trainer, 1)  # fills the driver's cache
        if form == "step":
            row["steps_per_second_step_kernel"] = rate(trainer, seconds)
            continue
        row[f"first_step_{form}"] = train(trainer, 1)
        # Both forms have the same code.
        if form == "cubin" or "cubin" not in trainers:
            row["steps_per_second"] = rate(trainer, seconds)
    return row


def compile_all(build, work, arch, named):
    """The trainers of all graphs, or of those named."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, precision in GRAPHS:
            if graph_of(name).exists() and (not named or name in named):
                for form, flags in forms_of(arch).items():
                    pool.submit(compile_trainer, build, work, name, precision, form, flags)


def measure(work, gpu, seconds, named):
    figures = {"gpu": gpu, "date": datetime.date.today().isoformat(), "jax_starts_ahead": True, "graphs": {}}
    if commit := commit_of_source():
        figures["commit"] = commit
    for name, precision in GRAPHS:
        trainers = {form: trainer_of(work, name, precision, form) for form in ("step", "ptx", "cubin")}
        trainers = {form: trainer for form, trainer in trainers.items() if trainer.exists()}
        if not trainers or (named and name not in named):
            continue
        try:
            row = figures["graphs"][label(name, precision)] = measure_trainers(trainers, seconds)
        except subprocess.CalledProcessError as error:
            print(f"{label(name, precision)}: {error}", file=sys.stderr)
            continue
        jax = jax_rate(name, precision, seconds / 5)
        if jax:
            row["jax_steps_per_second"] = jax
        print(label(name, precision), json.dumps(row), flush=True)
        (work / "figures.json").write_text(json.dumps(figures, indent=1) + "\n")


def table(figures):
    """The table of one GPU."""

    def cell(row, key, digits):
        return f"{row[key]:,.{digits}f}" if key in row else ""

    rows = []
    for name, precision in GRAPHS:
        row = dict(figures["graphs"].get(label(name, precision), {}))
        if not row:
            continue
        if "jax_steps_per_second" in row:
            row["ratio"] = row["steps_per_second"] / row["jax_steps_per_second"]
        keys = (("steps_per_second", 0), ("steps_per_second_step_kernel", 0), ("jax_steps_per_second", 0), ("ratio", 2),
                ("first_step_cubin", 3), ("first_step_ptx", 3))  # fmt: skip
        rows.append(f"| `{label(name, precision)}` | " + " | ".join(cell(row, *key) for key in keys) + " |")
    return TABLE.format(gpu=figures["gpu"] or "an unknown GPU", date=figures["date"], rows="\n".join(rows),
                        waits=WAITS[figures.get("jax_starts_ahead", False)],
                        commit=f", at commit {figures['commit']}" if "commit" in figures else "")  # fmt: skip


def section():
    """What docs/performance.md says of GPUs; bench/performance.py asks for it, too."""
    measured = [json.loads(path.read_text()) for path in FIGURES.glob("figures*.json")]
    tables = "\n".join(table(figures) for figures in sorted(measured, key=lambda figures: figures["date"], reverse=True))
    return SECTION.format(tables=tables or "No GPU could be had so far: nothing here was measured, and the figures are missing.\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("work", nargs="?", type=pathlib.Path)
    parser.add_argument("graphs", nargs="*")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--only", choices=("compile", "run"))
    parser.add_argument("--arch", help="for GPUs of this architecture, such as sm_90a (default: this machine's)")
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_intermixed_args()
    if arguments.page:
        PAGE.write_text(PAGE.read_text().partition(HEADING)[0] + section())
        return
    if not arguments.work:
        parser.error("BUILD and WORK, or --page")
    gpu, work = describe(), arguments.work.resolve()
    if arguments.only != "run":
        compile_all(arguments.build.resolve(), work, arguments.arch or capability(gpu), arguments.graphs)
    if arguments.only != "compile":
        measure(work, gpu, arguments.seconds, arguments.graphs)


if __name__ == "__main__":
    main()
