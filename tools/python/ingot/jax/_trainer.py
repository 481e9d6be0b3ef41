# SPDX-License-Identifier: Apache-2.0
"""`ingot.jax.compile`, the trainer that it returns, and `ingot.jax.load`."""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence

from .. import _trainer
from .._checkpoint import Checkpoint, Path
from .._step_trainer import StepTrainer, all_arrays
from ._export import export
from ._state import restored


class Trainer(StepTrainer):
    """A trainer of a JAX step. `load(state)` returns the trained state; see ingot.Trainer for fit, evaluate and others."""

    def load(self, state: Any, *, model_dir: Optional[Path] = None, checkpoint: Optional[Path] = None) -> Any:
        """Returns the pytree `state` with the values of the newest checkpoint, or of `checkpoint`."""
        found = Checkpoint(checkpoint) if checkpoint is not None else self.checkpoint(model_dir)
        return load(state, found.prefix)


def compile(step: Any, state: Any, data: Any, output: Path = "trainer", *, levels: str = "native", flags: Sequence[str] = (),
            **options: Any) -> Trainer:
    """Exports a step, as ingot.jax.export does with `options`, to `OUTPUT.meta`, and compiles it to the trainer `output`.

    `levels` and `flags` are those of ingot.compile. Raises ExportError and CompileError, each with everything that is
    unsupported.
    """
    output = os.fspath(output)
    graph = export(step, state, data, output + ".meta", **options)
    _trainer.compile(graph, output=output, levels=levels, flags=flags)
    return Trainer(output, data_dir=os.path.dirname(os.path.abspath(graph)))


def load(state: Any, path: Path) -> Any:
    """Returns the pytree `state` with the values of a checkpoint, or of the newest one of a model directory.

    Arrays are NumPy's; keys are wrapped again, and Python's numbers stay Python's. Modules of flax nnx are updated in
    place. Raises Error if the checkpoint is another state's.
    """
    checkpoint = Checkpoint(path)
    return restored(state, all_arrays(checkpoint), f"'{checkpoint.prefix}'")
