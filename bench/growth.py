#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to compile a search's next iteration, and how it uses the machine.

growth: an ensemble of ten members has grown; the trainer of the next iteration
is compiled with the kernels that earlier ones have cached, and without any.
rows:   a search over 200,000 rows of CSV with eight candidates: how much of the
        cores it keeps busy while it trains, and how much memory each iteration takes.
"""
import argparse
import os
import pathlib
import random
import re
import resource
import subprocess
import tempfile
import time

SEARCH = """
max_iteration_steps: {steps}
force_grow: true
train {{ csv {{ file: "rows.csv" header: true }} shuffle {{ buffer: 1000 seed: 1 }} batch: {batch} prefetch: 4 }}
feature {{ name: "x" column: "x*" numeric {{}} }}
head {{ regression {{}} label: "y" }}
{networks}
{ensemblers}
"""
ADAM = "optimizer { adam { learning_rate: 0.003 } }"
MIXTURE = "ensembler { complexity_regularized { lambda: 0.001 optimizer { sgd { learning_rate: 0.01 } } } }"


def write_rows(path, rows, columns):
    draw = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(f"x{i}" for i in range(columns)) + ",y\n")
        for _ in range(rows):
            x = [draw.gauss(0, 1) for _ in range(columns)]
            file.write(",".join(f"{value:.4f}" for value in [*x, sum(x[:5]) + x[6] * x[7]]) + "\n")


def compile_seconds(ingotc, folder, iteration, *flags):
    command = [ingotc, folder / "search.pbtxt", "--model-dir", folder / "run", "--iteration", iteration,
               "-o", folder / "trainer", "--time", *flags]  # fmt: skip
    start = time.monotonic()
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    seconds = time.monotonic() - start
    return seconds, re.search(r"kernels: (\d+) compiled, (\d+) from the cache", done.stderr + done.stdout).groups()


def growth(tools, folder, members):
    write_rows(folder / "rows.csv", 2000, 10)
    networks = f"generator {{ simple_dnn {{ layer_size: 32 }} {ADAM} }}"
    (folder / "search.pbtxt").write_text(SEARCH.format(steps=5, batch=32, networks=networks, ensemblers=MIXTURE))
    cache = folder / "cache"
    cache.mkdir()
    # A step further, so that the last member is selected.
    subprocess.run([tools / "ingot-adanet", "train", folder / "search.pbtxt", "--model-dir", folder / "run",
                    "--max-steps", str(5 * members + 1), "--quiet"], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    for iteration in range(members):
        compile_seconds(tools / "ingotc", folder, iteration, "--cache-dir", cache)
    left, (compiled, found) = compile_seconds(tools / "ingotc", folder, members, "--cache-dir", cache)
    all_seconds, (every, _) = compile_seconds(tools / "ingotc", folder, members, "--no-cache")
    print(f"iteration {members} of an ensemble of {members} members: {left:.2f} s, {compiled} kernels compiled, {found} from before; "
          f"all {every}: {all_seconds:.2f} s ({all_seconds / left:.1f}x)")  # fmt: skip


def rows(tools, folder):
    write_rows(folder / "rows.csv", 200_000, 20)
    networks = "\n".join(f"generator {{ dnn {{ layer_size: {sizes} }} {ADAM} }}" for sizes in ([64, 64], [128], [128, 128], [256, 128]))
    (folder / "search.pbtxt").write_text(SEARCH.format(steps=3000, batch=256, networks=networks, ensemblers=MIXTURE + "\nensembler { mean {} }"))
    for iteration in range(3):
        command = [tools / "ingot-adanet", "train", folder / "search.pbtxt", "--model-dir", folder / "run",
                   "--max-iterations", str(iteration + 1), "--quiet"]  # fmt: skip
        # Compiled beforehand, so that only training is timed.
        subprocess.run([*command, "--max-steps", str(3000 * iteration + 1)], check=True, stdout=subprocess.DEVNULL)
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - start
        busy = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / seconds / os.cpu_count()
        print(f"iteration {iteration}: 3000 steps of 256 rows in {seconds:.1f} s, {100 * busy:.0f} % of {os.cpu_count()} cores, "
              f"at most {after.ru_maxrss / 1024:.0f} MiB in a process so far")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of ingotc and ingot-adanet")
    parser.add_argument("what", nargs="*", metavar="growth|rows", help="(default: both)")
    arguments = parser.parse_args()
    if unknown := set(arguments.what) - {"growth", "rows"}:
        parser.error(f"neither growth nor rows: {', '.join(sorted(unknown))}")
    for what in arguments.what or ["growth", "rows"]:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            growth(arguments.bin.resolve(), folder, 10) if what == "growth" else rows(arguments.bin.resolve(), folder)


if __name__ == "__main__":
    main()
