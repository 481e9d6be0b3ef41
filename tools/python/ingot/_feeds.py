# SPDX-License-Identifier: Apache-2.0
"""Feeds of `Trainer.fit`: values, arrays that are cut into batches, schedules by step."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Mapping, Optional

import numpy as np

from ._tools import words


def feed_flags(feed: Mapping[str, Any], folder: str, *, batch_size: Optional[int], shuffle: Optional[int],
               max_steps: Optional[int]) -> List[str]:
    """The trainer's flags for `feed`, a value by each placeholder's name; files go into `folder`.

    A value is a number or a nested list, the same in every step; an array, of which steps take `batch_size` examples
    after another, in another order in every epoch where `shuffle` is a seed; or a schedule: a dictionary from steps to
    values, each of which holds from its step on, or a function of the step, which counts from 0.
    """
    flags: List[str] = []
    for index, (name, value) in enumerate(feed.items()):
        path = os.path.join(folder, f"feed{index}")
        if isinstance(value, Mapping):
            text = _write_schedule(path, name, {int(step): one for step, one in value.items()})
        elif callable(value):
            if max_steps is None:
                raise ValueError(f"'{name}' is fed a function of the step: until which one, max_steps or epochs has to say")
            text = _write_schedule(path, name, _tabulate(value, max_steps))
        elif isinstance(value, np.ndarray) and value.ndim and batch_size is not None:
            np.save(path + ".npy", value, allow_pickle=False)
            text = f"@{path}.npy"
        else:
            text = _text(np.asarray(value).tolist())
        flags += ["--feed", f"{name}={text}"]
    if batch_size is not None:
        flags += ["--batch", str(batch_size)]
    return flags + (["--shuffle", str(shuffle)] if shuffle is not None else [])


def _tabulate(function: Callable[[int], Any], steps: int) -> Dict[int, Any]:
    """The steps at which a function's value changes, and the new values."""
    found: Dict[int, Any] = {}
    last: Any = None
    for step in range(steps):
        value = np.asarray(function(step)).tolist()
        if step == 0 or value != last:
            found[step] = last = value
    return found


def _write_schedule(path: str, name: str, values: Mapping[int, Any]) -> str:
    """Writes rows of steps and values as JSON lines."""
    column = name.removesuffix(":0")
    with open(path + ".jsonl", "w", encoding="utf-8") as file:
        for step, value in sorted(values.items()):
            file.write(json.dumps({"step": step, column: words(np.asarray(value).tolist())}, allow_nan=False) + "\n")
    return f"@{path}.jsonl"


def _text(value: Any) -> str:
    """A value, or nested lists of them, as a trainer's flag has them."""
    if isinstance(value, list):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        value = os.fsdecode(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
