#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where a test has not exactly one of the labels unit, lit, values, e2e and gpu.

    check_labels.py --ctest ctest --build build
"""
import argparse
import json
import subprocess
import sys

KINDS = {"unit", "lit", "values", "e2e", "gpu"}


def labels(test):
    found = [p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"]
    return set(found[0]) if found else set()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ctest", required=True)
    parser.add_argument("--build", required=True)
    options = parser.parse_args()
    shown = subprocess.run([options.ctest, "--test-dir", options.build, "--show-only=json-v1"],
                           capture_output=True, check=True)  # fmt: skip
    tests = json.loads(shown.stdout)["tests"]
    wrong = [test["name"] for test in tests if len(labels(test) & KINDS) != 1]
    for name in wrong:
        print(f"error: {name}: expected one label of {', '.join(sorted(KINDS))}")
    print(f"{len(tests)} tests, {len(wrong)} without one kind")
    return 1 if wrong or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
