# SPDX-License-Identifier: Apache-2.0
"""The command line that run_values.py, run_refusals.py and fuzz_feeds.py have in common."""
import argparse
import pathlib


def caseOptions(description):
    """A parser: the compiler, what it links with, and a folder to work in."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--ingotc", required=True, type=pathlib.Path)
    parser.add_argument("--runtime", required=True, type=pathlib.Path, help="what trainers are linked with")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder to work in")
    parser.add_argument("--cpu", default="native")
    parser.add_argument("--assume-cache", help="plan kernels for these caches: no bit depends on them")
    parser.add_argument("--keep", action="store_true", help="keep the folder's files")
    return parser
