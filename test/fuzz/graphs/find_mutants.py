#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Switches on each mutant of docs/internals/mutants.md in turn, and looks for it as for any fault.

    find_mutants.py --build build-mutants --work DIR [--seconds 600] [MUTANT...]

Most are looked for by ingot-graph-fuzzer. What the reference has in common with optimized code is looked for against
TensorFlow (tensorflow_graphs.py, with the Python that INGOT_TF_PYTHON names), copies on devices by tests on the emulated
device; the fuzzer runs every graph there, or in slices, where a mutant needs it. Prints a line for each; exit code 1 where one is not found in so many seconds, or nothing can look for it.
"""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent

# Where the fault is in lowering that --reference shares, on devices or in sums over slices; all others are the fuzzer's.
PLACES = {"wrong_slot": "TensorFlow", "wrong_axis": "TensorFlow", "sum_without_its_rest": "TensorFlow",
          "stale_device_copy": "tests on the emulated device", "lost_lanes_of_a_warp": "graphs on the emulated device",
          "short_sum_of_slices": "graphs in slices", "lost_rank": "graphs in slices"}  # fmt: skip

# Loops that the host decides about, strings and tables that it computes, runs that go on.
DEVICE_TESTS = ("a_dynamic_rnn_trains_on_a_device", "a_wide_and_deep_estimator_trains_on_a_device",
                "a_killed_run_resumes_on_a_device")  # fmt: skip


class Absent(Exception):
    """What the search needs is not on this machine."""


def run(command, seconds, environment, log):
    """The exit code and what was written; None for a code where time ran out."""
    try:
        done = subprocess.run(list(map(str, command)), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=seconds, check=False)  # fmt: skip
        code, text = done.returncode, done.stdout
    except subprocess.TimeoutExpired as expired:
        code, text = None, (expired.stdout or b"").decode(errors="replace")
    with log.open("a") as file:
        file.write(text)
    return code, text


def processorTime():
    """Of all that has ended: seconds of a machine with other work say little."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def graphs_in(text):
    found = re.search(r"^(\d+) graphs", text, re.MULTILINE)
    return f"{found[1]} graphs" if found else "no graphs"


def by_graphs(options, seconds, environment, log, *ways):
    # Kernels of this mutant alone: graphs with noise have those that they had without.
    cache = log.with_suffix("") / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    code, text = run([options.build / "bin" / "ingot-graph-fuzzer", "--seed", options.seed, "--count", 99999, "--towers", options.towers,
                      *(ways or ["--all"]), "--reduce", 0, "--stop-at-fault", "--seconds", seconds, "--work", log.with_suffix(""),
                      "--cache-dir", cache], seconds + 120, environment, log)  # fmt: skip
    return code == 1 and "graphs" in graphs_in(text), graphs_in(text)


def by_tensorflow(options, seconds, environment, log):
    python = os.environ.get("INGOT_TF_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import tensorflow"], capture_output=True, check=False).returncode != 0:
        raise Absent("TensorFlow, in the Python that INGOT_TF_PYTHON names")
    code, text = run([python, "-B", HERE / "tensorflow_graphs.py", "--ingotc", options.build / "bin" / "ingotc", "--work", log.with_suffix(""),
                      "--seed", options.seed, "--count", 99999, "--towers", options.towers, "--reduce", 0, "--stop-at-fault",
                      "--seconds", seconds], seconds + 120, environment, log)  # fmt: skip
    return code == 1 and re.search(r": (different|crash): ", text) is not None, graphs_in(text)


def by_devices(options, seconds, environment, log):
    """A test that fails with the mutant and passes without it."""
    end, tried = time.time() + seconds, 0
    for test in DEVICE_TESTS:
        if time.time() > end:
            break
        command = [sys.executable, "-B", ROOT / "test/e2e/device.py", "--bin", options.build / "bin", "--work", log.with_suffix(""), test]
        code, _ = run(command, seconds, environment, log)
        tried += 1
        plain = {name: value for name, value in environment.items() if name != "INGOT_MUTANT"}
        if code == 1 and run(command, seconds, plain, log)[0] == 0:
            return True, test
    return False, f"{tried} tests"


def by_graphs_on_devices(options, seconds, environment, log):
    if not (options.build / "test/Cuda/libcuda.so.1").exists():
        raise Absent("the tests' CUDA driver: build the target IngotTestCuda")
    return by_graphs(options, seconds, environment, log, "--device")


def by_graphs_in_slices(options, seconds, environment, log):
    if environment["INGOT_MUTANT"] == "lost_rank" and not (shutil.which("mpirun.openmpi") or shutil.which("mpirun.mpich")):
        raise Absent("mpirun.openmpi or mpirun.mpich")
    return by_graphs(options, seconds, environment, log, "--slices")


SEARCHES = {"TensorFlow": by_tensorflow, "tests on the emulated device": by_devices,
            "graphs on the emulated device": by_graphs_on_devices, "graphs in slices": by_graphs_in_slices}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build with INGOT_MUTANTS")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for logs and found graphs")
    parser.add_argument("--seconds", type=float, default=600, help="search for each this long")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--towers", type=int, default=2, help="graphs of one program")
    parser.add_argument("mutant", nargs="*", help="only these")
    options = parser.parse_args()
    options.build, options.work = options.build.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    page = (ROOT / "docs/internals/mutants.md").read_text()
    known = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    for name in options.mutant:
        if name not in known:
            parser.error(f"no mutant '{name}'; mutants are {', '.join(known)}")
    missed = 0
    for name in options.mutant or known:
        start, used, place = time.time(), processorTime(), PLACES.get(name, "--reference")
        environment = {**os.environ, "INGOT_MUTANT": name}
        log = options.work / f"{name}.log"
        log.unlink(missing_ok=True)
        try:
            found, what = SEARCHES.get(place, by_graphs)(options, options.seconds, environment, log)
            told = ("found" if found else "NOT FOUND") + f" after {time.time() - start:.0f} s ({processorTime() - used:.0f} s of CPU), {what}, against {place}"
        except Absent as absent:
            found, told = False, f"NOT SEARCHED FOR: needs {absent}"
        missed += not found
        print(f"{name}: {told}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
