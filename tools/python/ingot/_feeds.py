# SPDX-License-Identifier: Apache-2.0
"""Feeds of `Trainer.fit`: constant values, arrays that are split into batches, and values that depend on the step."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Mapping, Optional

import numpy as np

from ._tools import words


def feed_flags(feed: Mapping[str, Any], folder: str, *, batch_size: Optional[int], shuffle: Optional[int],
               max_steps: Optional[int]) -> List[str]:
    """Returns the trainer's flags for `feed`, values by placeholders' names. Writes files to `folder`.

    A value is one of:

    - A number or a nested list, which is fed in every step.
    - An array, from which each step takes the next `batch_size` examples. If `shuffle`, a seed, is given, each epoch
      has another order.
    - A dictionary from steps to values: each value is fed from its step on. Steps count from 0.
    - A function that returns the value for a step.
    """
    flags: List[str] = []
    for index, (name, value) in enumerate(feed.items()):
        path = os.path.join(folder, f"feed{index}")
        if isinstance(value, Mapping):
            text = _write_schedule(path, name, {int(step): one for step, one in value.items()})
        elif callable(value):
            if max_steps is None:
                raise ValueError(f"'{name}' is fed by a function of the step, which needs a last step: give max_steps or epochs")
            text = _write_schedule(path, name, _tabulate(value, max_steps))
        elif isinstance(value, np.ndarray) and value.ndim and batch_size is not None:
            np.save(path + ".npy", value, allow_pickle=False)
            text = f"@{path}.npy"
        elif np.ndim(value) == 0:
            text = _text(np.asarray(value).tolist())
        elif batch_size is not None:  # --batch would cut a file NAME=@FILE.npy into batches, so feed a schedule of one value.
            text = _write_schedule(path, name, {0: value})
        else:
            array = np.asarray(value)
            np.save(path + ".npy", text_array(value) if array.dtype.kind in "SUO" else array, allow_pickle=False)
            text = f"@{path}.npy"
        flags += ["--feed", f"{name}={text}"]
    if batch_size is not None:
        flags += ["--batch", str(batch_size)]
    return flags + (["--shuffle", str(shuffle)] if shuffle is not None else [])


def text_array(value: Any) -> Any:
    """Converts strings, or bytes, in arrays or nested lists, to an array of bytes, which a .npy file holds.

    Raises ValueError for bytes that end in zeros, which NumPy's arrays of bytes do not keep.
    """
    array = np.asarray(value, dtype=object)
    flat = [one.encode() if isinstance(one, str) else bytes(one) for one in array.ravel()]
    if any(one.endswith(b"\0") for one in flat):
        raise ValueError("a text ends in a zero byte, which can't be fed")
    return np.array(flat or [b""], dtype="S" if any(flat) else "S1")[: len(flat)].reshape(array.shape)


def _tabulate(function: Callable[[int], Any], steps: int) -> Dict[int, Any]:
    """Calls `function` for each step, and returns the steps at which its value changes, with the new values."""
    found: Dict[int, Any] = {}
    last: Any = None
    for step in range(steps):
        value = np.asarray(function(step)).tolist()
        if step == 0 or value != last:
            found[step] = last = value
    return found


def _write_schedule(path: str, name: str, values: Mapping[int, Any]) -> str:
    """Writes a schedule, values by step, as JSON lines. Returns the text of the flag that refers to the file."""
    column = name.removesuffix(":0")
    with open(path + ".jsonl", "w", encoding="utf-8") as file:
        for step, value in sorted(values.items()):
            file.write(json.dumps({"step": step, column: words(np.asarray(value).tolist())}, allow_nan=False) + "\n")
    return f"@{path}.jsonl"


def _text(value: Any) -> str:
    """Formats a value or a nested list for the trainer's flag --feed."""
    if isinstance(value, list):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        value = os.fsdecode(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
