#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds searches against adanet's own: the 20 Estimators of bench/estimators/cases.py, by adanet 0.9.0 and by Ingot.

    INGOT_TF_PYTHON=.. PYTHON estimators.py --bin build/bin --work FOLDER [--only 3,7-9] [--parts tensorflow,graph]
    PYTHON estimators.py --work FOLDER --page docs/estimators.md

PYTHON has NumPy; INGOT_TF_PYTHON has TensorFlow up to 2.15 and adanet, which takes a minute an Estimator. Of each:

- tensorflow: the Estimator trains, with each seed, and is evaluated on the test set
- repeat: once more with seed 1, --repeats times, to show how far runs of adanet differ
- graph: its own graphs are compiled, and train from its first checkpoint on
- steps: the same search as a file trains each iteration, from the checkpoint with which the Estimator began it
- search: the same search as a file, alone, with each seed

FOLDER keeps what was found, so that a part that is there is not run again; `--again` does. --page writes the page of all.
"""
import argparse
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "estimators"), str(HERE.parent / "test" / "e2e")]
from cases import CASES  # noqa: E402
from runs import PARTS, Runs  # noqa: E402


def numbers(text):
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, help="folder of ingotc and ingot-adanet")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--only", type=numbers, default=list(range(1, len(CASES) + 1)))
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--seeds", type=numbers, default=[1, 2, 3])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    if options.page:
        import page  # pylint: disable=import-outside-toplevel

        options.page.write_text(page.page(options.work), encoding="utf-8")
        return 0
    failed = 0
    for number in options.only:
        for part in options.parts.split(","):
            runs = Runs(number, options.work.resolve(), options.bin.resolve(), os.environ.get("INGOT_TF_PYTHON", sys.executable))
            repeats = range(1, options.repeats + 1)
            for seed in repeats if part == "repeat" else options.seeds if part in ("tensorflow", "search") else options.seeds[:1]:
                try:
                    done = runs.run(part, seed, options.again)
                except RuntimeError as error:
                    print(f"{number} {part} {seed}: failed: {error}", flush=True)
                    failed = 1
                    continue
                print(f"{number} {part} {seed}: {json.dumps(done)[:400]}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
