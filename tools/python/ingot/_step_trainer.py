# SPDX-License-Identifier: Apache-2.0
"""Trainers of steps that were traced with one batch size, and all tensors of a checkpoint."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, Optional

import numpy as np

from . import _safetensors, _tools, _trainer
from ._checkpoint import Checkpoint, Path
from ._errors import Error


class StepTrainer(_trainer.Trainer):
    """A trainer whose entries have the batch size of their trace."""

    def predict(self, x: Any, *, entry: str = "serving_default", batch_size: int = 4096, model_dir: Optional[Path] = None,
                checkpoint: Optional[Path] = None) -> Any:
        """Returns the predictions for `x`: an array, or arrays by the names of the entry's inputs.

        An entry has the batch size of its trace: the last batch is filled up, and what it gives for that is cut off.
        """
        found = self._entry(entry)
        if found is None:
            return super().predict(x, entry=entry, model_dir=model_dir, checkpoint=checkpoint)  # Raises an error that lists the entries.
        inputs = _trainer._named(x, found["feeds"])
        count = len(next(iter(inputs.values())))
        size = int(found["feeds"][0]["shape"][0])
        parts = []
        for begin in range(0, count, size):
            part = {name: _filled(array[begin : begin + size], size) for name, array in inputs.items()}
            parts.append(self._call(entry, part, found, self._folders(model_dir, checkpoint)))
        outputs = {name: np.concatenate([part[name] for part in parts])[:count] for name in parts[0]} if parts else {}
        return next(iter(outputs.values())) if len(outputs) == 1 else outputs


def _filled(array: Any, size: int) -> Any:
    return array if len(array) == size else np.concatenate([array, np.repeat(array[-1:], size - len(array), 0)])


def all_arrays(checkpoint: Checkpoint) -> Dict[str, Any]:
    """All tensors of a checkpoint, also those of bfloat16, which .npz files do not have."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "all.safetensors")
        code, _, err = _tools.run([_tools.find("ingot-ckpt"), "convert", checkpoint.prefix, "--to", "safetensors", "-o", file])
        if code:
            raise Error(err.strip() or f"ingot-ckpt convert failed with exit code {code}")
        return _safetensors.read(file)
