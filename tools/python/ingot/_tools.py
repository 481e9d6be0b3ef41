# SPDX-License-Identifier: Apache-2.0
"""Finds and runs the compiler and its tools."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from typing import Any, List, NoReturn, Sequence, Tuple

from ._errors import Error

_HERE = os.path.dirname(os.path.abspath(__file__))


def find(name: str) -> str:
    """Returns the path of a tool in the folder INGOT_BIN, in this package's wheel, or in PATH."""
    folders = [os.environ.get("INGOT_BIN", ""), os.path.join(_HERE, "sdk", "bin")]
    for folder in folders:
        path = os.path.join(folder, name)
        if folder and os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if found is None:
        raise Error(f"{name} is neither in this package, which was not installed from Ingot's wheel, nor in PATH; "
                    "INGOT_BIN may name its folder")
    return found


def run(command: Sequence[str]) -> Tuple[int, str, str]:
    """Runs a command, and returns its exit code, stdout and stderr."""
    done = subprocess.run(list(command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


# The strings that a trainer writes to JSON for numbers that JSON cannot represent.
_WORDS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def numbers(value: Any) -> Any:
    """Converts the strings "NaN" and "Infinity" in a trainer's JSON value, or nested lists, to numbers."""
    if isinstance(value, list):
        return [numbers(one) for one in value]
    return _WORDS.get(value, value) if isinstance(value, str) else value


def words(value: Any) -> Any:
    """Converts NaN and infinite numbers in a value, or nested lists, to strings for JSON: the reverse of `numbers`."""
    if isinstance(value, list):
        return [words(one) for one in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def flags_of(more: Sequence[str]) -> List[str]:
    return [str(flag) for flag in more]


def _replace(name: str) -> NoReturn:
    """Replaces this process by a tool, with the same arguments."""
    path = find(name)
    os.execv(path, [path, *sys.argv[1:]])


def ingotc() -> NoReturn:
    """Runs ingotc: one of the commands that the wheel installs."""
    _replace("ingotc")


def ingot_ckpt() -> NoReturn:
    _replace("ingot-ckpt")


def ingot_adanet() -> NoReturn:
    _replace("ingot-adanet")
