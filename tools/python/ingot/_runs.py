# SPDX-License-Identifier: Apache-2.0
"""A run's folder: whether to start over there, and what earlier calls of `fit` have recorded.

`history.jsonl` has a line of JSON for each epoch that has ended, and for each evaluation, with the global step. A line
completes earlier ones of its step, or replaces them, since a run that was killed repeats steps.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Optional

from . import _tools
from ._checkpoint import newest
from ._errors import Error
from ._watch import tell

_FILE = "history.jsonl"

Figures = Dict[str, Any]


def prepare_folder(folder: str, start: Optional[str]) -> None:
    """Makes the folder of a run, and, for "fresh", moves an earlier run of this name to a name of its own."""
    if start not in (None, "fresh", "resume"):
        raise ValueError(f"start is 'fresh', 'resume' or None, not {start!r}")
    if start == "resume" and newest(folder) is None:
        raise Error(f"'{folder}' has no checkpoint to resume from: start='fresh' begins a new run")
    if start == "fresh" and os.path.isdir(folder) and os.listdir(folder):
        number = 1
        while os.path.exists(f"{folder}-{number}"):
            number += 1
        try:
            os.rename(folder, f"{folder}-{number}")
        except OSError as error:
            raise Error(f"'{folder}' can't be moved to '{folder}-{number}', to start over: {error}") from error
        tell(f"note: the earlier run in '{folder}' is kept as '{folder}-{number}'")
    os.makedirs(folder, exist_ok=True)


class Record:
    """The figures of a folder's epochs by global step, in memory and in its file."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, _FILE)
        self.figures: Dict[int, Figures] = {}
        if os.path.exists(self._path):
            with open(self._path, encoding="utf-8") as file:
                for line in file:
                    self._take(line)

    def _take(self, line: str) -> None:
        try:
            figures = json.loads(line)
            step = int(figures.pop("step"))
        except (ValueError, KeyError, TypeError, AttributeError):
            return  # The process was killed while it wrote this line.
        if figures.pop("resumed", False):
            self._forget(step)
        self._merge(step, {name: _tools.numbers(value) for name, value in figures.items()})

    def _forget(self, step: int) -> None:
        self.figures = {one: figures for one, figures in self.figures.items() if one <= step}

    def _merge(self, step: int, figures: Figures) -> None:
        if figures:
            self.figures.setdefault(step, {}).update(figures)

    def add(self, step: int, figures: Figures) -> None:
        """Records figures of the epoch that ended at `step`, unless they are known."""
        known = self.figures.get(step, {})
        if all(name in known and (known[name] == value or value != value) for name, value in figures.items()):
            return
        self._merge(step, figures)
        self._write({"step": step, **{name: _tools.words(value) for name, value in figures.items()}})

    def resume(self, step: int) -> None:
        """Forgets what was recorded after `step`, at which the run goes on."""
        if any(one > step for one in self.figures):
            self._forget(step)
            self._write({"step": step, "resumed": True})

    def _write(self, line: Figures) -> None:
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, allow_nan=False) + "\n")
