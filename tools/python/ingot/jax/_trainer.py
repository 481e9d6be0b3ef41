# SPDX-License-Identifier: Apache-2.0
"""`ingot.jax.compile`, the trainer that it returns, and `ingot.jax.load`."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional, Sequence

import numpy as np

from .. import _tools, _trainer
from .._checkpoint import Checkpoint, Path
from .._errors import Error
from ._export import export
from ._state import restored


class Trainer(_trainer.Trainer):
    """A trainer of a JAX step. `load(state)` returns the trained state; see ingot.Trainer for fit, evaluate and others."""

    def load(self, state: Any, *, model_dir: Optional[Path] = None, checkpoint: Optional[Path] = None) -> Any:
        """Returns the pytree `state` with the values of the newest checkpoint, or of `checkpoint`."""
        found = Checkpoint(checkpoint) if checkpoint is not None else self.checkpoint(model_dir)
        return load(state, found.prefix)

    def predict(self, x: Any, *, entry: str = "serving_default", batch_size: int = 4096, model_dir: Optional[Path] = None,
                checkpoint: Optional[Path] = None) -> Any:
        """Returns the predictions for `x`: an array, or arrays by the names of the entry's inputs.

        An entry has the batch size of its trace: the last batch is filled up, and what it gives for that is cut off.
        """
        found = self._entry(entry)
        if found is None:
            return super().predict(x, entry=entry, model_dir=model_dir, checkpoint=checkpoint)  # Says which there are.
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


def compile(step: Any, state: Any, data: Any, output: Path = "trainer", *, flags: Sequence[str] = (), **options: Any) -> Trainer:
    """Exports a step, as ingot.jax.export does with `options`, to `OUTPUT.meta`, and compiles it to the trainer `output`.

    `flags` are passed to ingotc. Raises ExportError and CompileError, each with everything that is unsupported.
    """
    output = os.fspath(output)
    graph = export(step, state, data, output + ".meta", **options)
    _trainer.compile(graph, output=output, flags=flags)
    return Trainer(output, data_dir=os.path.dirname(os.path.abspath(graph)))


def load(state: Any, path: Path) -> Any:
    """Returns the pytree `state` with the values of a checkpoint, or of the newest one of a model directory.

    Arrays are NumPy's; keys are wrapped again, and Python's numbers stay Python's. Modules of flax nnx are updated in
    place. Raises Error if the checkpoint is another state's.
    """
    checkpoint = Checkpoint(path)
    return restored(state, _arrays(checkpoint), f"'{checkpoint.prefix}'")


def _arrays(checkpoint: Checkpoint) -> Dict[str, Any]:
    """All tensors of a checkpoint, also those of bfloat16, which .npz files do not have."""
    import tempfile

    from .._safetensors import read

    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "all.safetensors")
        code, _, err = _tools.run([_tools.find("ingot-ckpt"), "convert", checkpoint.prefix, "--to", "safetensors", "-o", file])
        if code:
            raise Error(err.strip() or f"ingot-ckpt convert: exit code {code}")
        return read(file)
