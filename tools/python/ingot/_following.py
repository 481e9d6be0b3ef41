# SPDX-License-Identifier: Apache-2.0
"""Follows a run: its epochs and evaluations, which it records in the run's folder, and its progress."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from ._history import LossReader, Progress, parse_evaluation
from ._runs import Record


class Following:
    """Follows a run: records its epochs and evaluations in the folder, and shows its progress."""

    def __init__(self, reader: LossReader, record: Record, max_steps: Optional[int], verbose: bool) -> None:
        self.reader = reader
        self.record = record
        self._progress = Progress(reader, max_steps) if verbose else None
        self._recorded = 0
        self._has_resumed = False

    @staticmethod
    def shows(line: str) -> bool:
        """Whether a note of the trainer is for the user. `fit` says why it ends by its own arguments, and TensorFlow's
        sentences about sessions are for logs."""
        return "--max-steps" not in line and "local_init_op" not in line

    def follow(self, lines: Sequence[str]) -> None:
        self.reader.read()
        if self.reader.first is not None and not self._has_resumed:
            self.record.resume(self.reader.first - 1)
            self._has_resumed = True
        for figures in self.reader.ended[self._recorded :]:
            self._add(figures)
        self._recorded = len(self.reader.ended)
        for found in map(parse_evaluation, lines):
            if found is not None:
                self.record.add(found[0], {f"val_{name}": value for name, value in found[1].items()})
        if self._progress:
            self._progress.show()

    def _add(self, figures: Mapping[str, Any]) -> None:
        self.record.add(int(figures["step"]), {name: value for name, value in figures.items() if name != "step"})

    def flush(self) -> None:
        """Takes what a trainer that has ended has left."""
        self.follow([])

    def take_last(self) -> None:
        """Records an epoch that ended before its last step."""
        self._add(self.reader.last_figures())

    def end(self) -> None:
        self.follow([])
        for figures in self.reader.epochs()[self._recorded :]:
            self._add(figures)
        if self._progress:
            self._progress.end()
