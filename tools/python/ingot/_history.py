# SPDX-License-Identifier: Apache-2.0
"""Follows a trainer's run: converts its --losses file to a history by epochs, and shows progress."""

from __future__ import annotations

import json
import re
import sys
import time
from typing import Any, Dict, List, Mapping, Optional, TextIO, Tuple

from ._tools import numbers

_EVALUATED = re.compile(r"^evaluated step (\d+)  (.*)$")
# The prefix of fetches that are metrics averaged since the start of the epoch, in graphs of exported models.
_EPOCH = "epoch/"


class History:
    """The metrics of a run, like Keras's History, from its first epoch on: also those of earlier calls of `fit`.

    `history` maps each metric's name to a list with one value per epoch, a list if the metric is a vector. `epoch` lists the epochs' indices, and `steps`
    the global steps at which they ended. If the number of steps per epoch is unknown, there is one value for each call.
    """

    def __init__(self) -> None:
        self.epoch: List[int] = []
        self.steps: List[int] = []
        self.history: Dict[str, List[Any]] = {}

    def __repr__(self) -> str:
        return f"History({self.history})"


class LossReader:
    """Reads a --losses file, to which the trainer appends a line of JSON for each step."""

    def __init__(self, path: str, steps_per_epoch: Optional[int]) -> None:
        self._path = path
        self._each = steps_per_epoch
        self._offset = 0
        self._rest = b""
        self._sum = 0.0
        self._count = 0
        self._has_means: Optional[bool] = None
        self.first: Optional[int] = None  # the global step of the first line
        self.last: Dict[str, Any] = {}
        self.ended: List[Dict[str, Any]] = []

    def read(self) -> None:
        """Reads the lines that were written since the last call."""
        try:
            with open(self._path, "rb") as file:
                file.seek(self._offset)
                while data := file.read(1 << 22):
                    self._offset += len(data)
                    lines = (self._rest + data).split(b"\n")
                    self._rest = lines.pop()
                    self._take(lines)
        except FileNotFoundError:
            return

    def _take(self, lines: List[bytes]) -> None:
        if not lines:
            return
        if self.first is None:
            self.first = int(json.loads(lines[0])["step"])
        if self._has_means is None:
            self._has_means = f"{_EPOCH}loss:0" in json.loads(lines[0])
        if not self._has_means:
            for line in lines:
                self._next(json.loads(line))
            return
        # The program itself averages these metrics over the epoch, so only the lines at the ends of epochs are parsed.
        step = int(json.loads(lines[0])["step"])
        each = self._each or 0
        ends = set(range((-step) % each, len(lines), each)) if each else set()
        for index in sorted(ends | {len(lines) - 1}):
            self._next(json.loads(lines[index]))

    def _next(self, line: Dict[str, Any]) -> None:
        line = {name: numbers(value) for name, value in line.items()}
        self.last = line
        self._sum += line.get("loss", 0.0)
        self._count += 1
        if self._each and int(line["step"]) % self._each == 0:
            self.ended.append(self._figures(line))
            self._sum, self._count = 0.0, 0

    def _figures(self, line: Dict[str, Any]) -> Dict[str, Any]:
        found: Dict[str, Any] = {"step": float(line["step"])}
        if "loss" in line:
            found["loss"] = self._sum / max(self._count, 1)
        for name, value in line.items():
            if name.startswith(_EPOCH):
                # Metrics such as F1Score have a number for each class.
                found[name[len(_EPOCH):].removesuffix(":0")] = value if isinstance(value, list) else float(value)
            elif name not in ("step", "loss"):
                found[name] = value
        return found

    def last_figures(self) -> Dict[str, Any]:
        """Returns the metrics at the last step, of an epoch that has not ended."""
        return self._figures(self.last)

    def epochs(self) -> List[Dict[str, Any]]:
        """Returns the metrics of each epoch that has ended, or those of the whole run if epochs are unknown."""
        if self._each or not self.last:
            return self.ended
        return [self._figures(self.last)]


def parse_evaluation(line: str) -> Optional[Tuple[int, Dict[str, float]]]:
    """Parses a line like `evaluated step 40  accuracy 0.5  loss 1.2` to step and metrics; None for other lines."""
    found = _EVALUATED.match(line)
    if not found:
        return None
    pairs = [pair.rsplit(" ", 1) for pair in found.group(2).split("  ") if " " in pair]
    figures = {}
    for name, value in pairs:
        try:
            figures[name] = float(value)
        except ValueError:
            continue
    return int(found.group(1)), figures


def history_of(epochs: Mapping[int, Mapping[str, Any]], steps_per_epoch: Optional[int]) -> History:
    """Returns the history of a run from the figures of its epochs by global step; evaluations' names begin with `val_`."""
    history = History()
    history.steps = sorted(step for step, figures in epochs.items() if any(not name.startswith("val_") for name in figures))
    rows = [epochs[step] for step in history.steps]
    names = sorted({name for figures in rows for name in figures}, key=lambda name: (name.startswith("val_"), name))
    for name in names:
        history.history[name] = [figures.get(name, float("nan")) for figures in rows]
    history.epoch = [step // steps_per_epoch - 1 if steps_per_epoch else index for index, step in enumerate(history.steps)]
    return history


class Progress:
    """Shows progress: on a terminal in one line, which is overwritten; elsewhere by a line for each epoch."""

    def __init__(self, reader: LossReader, max_steps: Optional[int], stream: Optional[TextIO] = None) -> None:
        self._reader = reader
        self._max = max_steps
        self._stream = stream or sys.stdout
        self._began = time.monotonic()
        self._first: Optional[int] = None
        self._epochs = 0
        self._terminal = self._stream.isatty()

    def show(self) -> None:
        last = self._reader.last
        if not last:
            return
        step = int(last["step"])
        self._first = step if self._first is None else self._first
        while self._epochs < len(self._reader.ended):
            figures = self._reader.ended[self._epochs]
            self._epochs += 1
            if not self._terminal:
                self._stream.write(f"epoch {self._epochs}  step {int(figures['step'])}  {_text(figures)}\n")
        if self._terminal:
            rate = (step - self._first) / max(time.monotonic() - self._began, 1e-9)
            of = f"/{self._max}" if self._max else ""
            line = f"step {step}{of}  {_text({**last, 'step': step})}  {rate:,.0f} steps/s"
            self._stream.write("\r\x1b[K" + line[:79])
        self._stream.flush()

    def end(self) -> None:
        self.show()
        if self._terminal and self._reader.last:
            self._stream.write("\n")
            self._stream.flush()


def _text(figures: Dict[str, float]) -> str:
    shown = [(name.removeprefix(_EPOCH).removesuffix(":0"), value) for name, value in figures.items() if name != "step"]
    return "  ".join(f"{name} {value:.4g}" for name, value in dict(shown).items() if isinstance(value, (int, float)))
