#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a training graph, trains it, kills it, resumes it, and compares; then grows an ensemble.

`./dev demo` builds the compiler and runs this.
"""
import argparse
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

DIGITS = pathlib.Path(__file__).resolve().parent / "digits"
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="ingot-demo-"))


def say(text):
    """A headline, after whatever the last command printed."""
    bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
    print(f"\n{bold}{text}{plain}", flush=True)


def show(command):
    """Prints a command, without the long names of folders."""
    command = [str(part) for part in command]
    line = "$ " + " ".join(command)
    for long, short in ((f"{FOLDER}/", "./"), (f"{DIGITS.parents[1]}/", "")):
        line = line.replace(long, short)
    print(line, flush=True)
    return command


def read_losses(path):
    """The whole lines of a --losses file: a kill may have cut the last."""
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def plot(losses, killed_at, width=72, height=13):
    """The loss curve in characters, the loss to a logarithmic scale; a column is
    the mean of its steps."""
    columns = []
    for x in range(width):
        part = losses[x * len(losses) // width : (x + 1) * len(losses) // width]
        columns.append(math.log10(max(sum(part) / len(part), 1e-12)))
    top, bottom = max(columns), min(columns)
    scale = max(top - bottom, 1e-6) / (height - 1)
    mark = min(width - 1, killed_at * width // len(losses))
    for y in range(height):
        row = [":" if x == mark else " " for x in range(width)]
        for x, value in enumerate(columns):
            if round((top - value) / scale) == y:
                row[x] = "*"
        print(f"{10 ** (top - y * scale):9.2g} |{''.join(row).rstrip()}")
    print(" " * 10 + "+" + "-" * width)
    last = str(len(losses))
    print(" " * 11 + "1" + f"{'step':^{width - 1 - len(last)}}" + last)
    print(" " * 11 + " " * mark + "^ killed here")


def same_files(left, right, step):
    """Compares every file of model.ckpt-STEP in two folders byte by byte."""
    names = sorted(path.name for path in left.glob(f"model.ckpt-{step}.*"))
    others = sorted(path.name for path in right.glob(f"model.ckpt-{step}.*"))
    same = bool(names) and names == others
    for name in names:
        equal = same and (left / name).read_bytes() == (right / name).read_bytes()
        print(f"  {name:<36} {'the same bytes' if equal else 'DIFFERENT'}")
        same = same and equal
    return same


def grow(tool):
    """Runs a search that is described by a file, without a TensorFlow graph."""
    say("6. Grow an ensemble: three iterations of 100 steps, each with new networks")
    ensemble = FOLDER / "ensemble"
    start = time.monotonic()
    subprocess.run(show([tool, "train", DIGITS / "search.pbtxt", "--model-dir", ensemble, "--quiet"]), check=True)
    seconds = time.monotonic() - start
    done = subprocess.run(show([tool, "evaluate", "--model-dir", ensemble]), check=True, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.split()[0] in ("accuracy", "architecture/adanet/ensembles", "average_loss"):
            print(line)
    print(f"{seconds:.1f} s for the search, compiling included")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ingotc", type=pathlib.Path, required=True)
    parser.add_argument("--steps", type=int, default=20000)
    arguments = parser.parse_args()
    steps = arguments.steps
    trainer, run, losses = FOLDER / "trainer", FOLDER / "run", FOLDER / "losses"

    say("1. Compile a training graph that TensorFlow exported")
    start = time.monotonic()
    subprocess.run(show([arguments.ingotc, DIGITS / "train.meta", "-o", trainer]), check=True)
    print(f"{time.monotonic() - start:.1f} s; {trainer.stat().st_size / 2**20:.1f} MB, "
          "static: no Python, no TensorFlow, no shared library")  # fmt: skip

    flags = ["--data-dir", DIGITS, "--max-steps", steps, "--save-checkpoints-steps", 2500]
    watch = ["--losses", losses, "--fetch", "accuracy:0", "--log-steps", steps // 8]
    command = [trainer, "--model-dir", run, *flags, *watch]
    say("2. Train it, and kill it (SIGKILL) in the middle")
    process = subprocess.Popen(show(command))
    while process.poll() is None:
        # A line is some 60 bytes; looking at the size is cheap.
        if losses.exists() and losses.stat().st_size > 60 * steps * 0.45:
            process.kill()
        time.sleep(0.002)
    if process.returncode != -9:
        sys.exit(f"the run ended before it could be killed: exit code {process.returncode}")
    killed_at = len(read_losses(losses))
    print(f"\nkilled after step {killed_at}")

    say("3. The same command again: it goes on from the last checkpoint")
    subprocess.run(show(command), check=True)
    lines = read_losses(losses)

    say("4. What it learned")
    plot([line["loss"] for line in lines], killed_at)
    tail = lines[-100:]
    print(f"\nfinal loss {lines[-1]['loss']:.2g}; accuracy on the last {len(tail)} training batches "
          f"{100 * sum(line['accuracy:0'] for line in tail) / len(tail):.2f} %")  # fmt: skip

    say("5. An uninterrupted run, for comparison")
    whole = FOLDER / "whole"
    subprocess.run(show([trainer, "--model-dir", whole, *flags, "--quiet"]), check=True)
    if not same_files(whole, run, steps):
        sys.exit(f"the resumed run differs from the uninterrupted one; both lie in {FOLDER}")
    print("The killed and resumed run equals the uninterrupted one, bit for bit.")
    grow(arguments.ingotc.with_name("ingot-adanet"))
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
