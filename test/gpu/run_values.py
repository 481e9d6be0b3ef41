#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs all suites of test/values on the machine's own GPU, and compares with TensorFlow's figures.

    run_values.py --ingotc build/bin/ingotc --runtime build/test/values/runtime --work DIR [SUITE...]

--only=compile and --only=run do one half (test/values/run_device.py). Exit code 77: the machine has no GPU.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

import gpu

VALUES = pathlib.Path(__file__).resolve().parents[1] / "values"


def run(options, suite):
    """Whether a suite passes, and what it prints."""
    command = [sys.executable, "-B", VALUES / "run_device.py", "--gpu", "--left", 1000, "--ingotc", options.ingotc]
    command += ["--runtime", options.runtime, "--work", options.work, "--cpu", options.cpu, suite]
    command += ["--only", options.only] if options.only else []
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for flag in ("--ingotc", "--runtime", "--work"):
        parser.add_argument(flag, required=True, type=pathlib.Path)
    parser.add_argument("--cpu", default="native")
    parser.add_argument("--only", choices=("compile", "run"))
    parser.add_argument("suite", nargs="*")
    options = parser.parse_intermixed_args()
    if options.only != "compile" and (reason := gpu.missing()):
        print(f"SKIP: {reason}")
        return 77
    suites = options.suite or sorted({path.name.split(".")[0] for path in (VALUES / "cases").glob("*.tar.xz")})
    suites = [suite for suite in suites if not suite.startswith("fed_")]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = list(pool.map(lambda suite: run(options, suite), suites))
    for isGood, said in results:
        lines = said.splitlines()
        print(lines[-1] if isGood and lines else said)
    failed = [suite for suite, (isGood, _) in zip(suites, results) if not isGood]
    print(f"{len(suites) - len(failed)} of {len(suites)} suites pass; others: {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
