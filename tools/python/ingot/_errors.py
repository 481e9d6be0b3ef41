# SPDX-License-Identifier: Apache-2.0
"""The package's exceptions. Their messages begin with the file and line of the user's program that caused the error."""

from __future__ import annotations

import os
import traceback
from types import TracebackType
from typing import Iterable, Optional

_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
# Parts of the paths of installed packages, whose code is not the user's.
_PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


class Error(Exception):
    """Base class of all errors of this package."""


class ExportError(Error):
    """A model, a training step or a pipeline cannot be converted to a graph."""


class CompileError(Error):
    """The compiler ingotc has failed; the message is its output."""


class RunError(Error):
    """A trainer has failed. The message is its output, and `code` is its exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def is_users(file: str) -> bool:
    """Returns whether `file` belongs to the user's program: not to this package, another one, or Python's library."""
    if file.startswith(_OURS) or any(part in file for part in _PACKAGES):
        return False
    return not file.startswith("<frozen ") and not file.startswith(os.path.dirname(os.__file__) + os.sep)


def line_of(frames: Iterable[traceback.FrameSummary]) -> str:
    """Returns the innermost frame in the user's program as text such as `script.py:12`; "" if there is none."""
    found = ""
    for frame in frames:
        if is_users(frame.filename):
            found = f"{frame.filename}:{frame.lineno}"
    return found


def export_error(message: str, trace: Optional[TracebackType] = None) -> ExportError:
    """Returns an ExportError whose message begins with the user's line, found in `trace`, or else in the call stack."""
    frames = traceback.extract_tb(trace) if trace is not None else []
    line = line_of(frames) or line_of(traceback.extract_stack())
    return ExportError(f"{line}: {message}" if line else message)


def user_error(message: str) -> Error:
    """Returns an Error whose message begins with the user's line that called this package."""
    line = line_of(traceback.extract_stack())
    return Error(f"{line}: {message}" if line else message)
