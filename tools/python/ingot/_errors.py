# SPDX-License-Identifier: Apache-2.0
"""Errors in the user's terms, with the line of the user's program."""

from __future__ import annotations

import os
import traceback
from types import TracebackType
from typing import Iterable, Optional

_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
# Folders of packages: their lines are not the user's.
_PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


class Error(Exception):
    """Base class of all errors of this package."""


class ExportError(Error):
    """A model, a step or a pipeline that no graph can hold."""


class CompileError(Error):
    """An error of the compiler."""


class RunError(Error):
    """An error of a trainer."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def is_users(file: str) -> bool:
    """Whether a line of `file` is the user's: neither ours, nor a package's, nor Python's own."""
    if file.startswith(_OURS) or any(part in file for part in _PACKAGES):
        return False
    return not file.startswith("<frozen ") and not file.startswith(os.path.dirname(os.__file__) + os.sep)


def line_of(frames: Iterable[traceback.FrameSummary]) -> str:
    """`script.py:12` of the innermost frame that is the user's; "" where none is."""
    found = ""
    for frame in frames:
        if is_users(frame.filename):
            found = f"{frame.filename}:{frame.lineno}"
    return found


def export_error(message: str, trace: Optional[TracebackType] = None) -> ExportError:
    """An error with the user's line, from `trace` or, without it, from where we were called."""
    frames = traceback.extract_tb(trace) if trace is not None else []
    line = line_of(frames) or line_of(traceback.extract_stack())
    return ExportError(f"{line}: {message}" if line else message)
