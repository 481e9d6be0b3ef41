# SPDX-License-Identifier: Apache-2.0
"""`ingot.torch.compile`, the trainer that it returns, and `ingot.torch.load_into`."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Sequence

import torch

from .. import _trainer
from .._checkpoint import Checkpoint, Path
from .._step_trainer import StepTrainer, all_arrays
from ._export import export
from ._state import State, restore, unwrapped


class Trainer(StepTrainer):
    """A trainer of a model of PyTorch. `load_into(model)` fills the model; see ingot.Trainer for fit, evaluate and others."""

    def load_into(self, model: Any, *, optimizer: Optional[torch.optim.Optimizer] = None, loss_fn: Any = None,
                  model_dir: Optional[Path] = None, checkpoint: Optional[Path] = None) -> None:
        """Fills `model`, and `optimizer`, with the newest checkpoint, or with `checkpoint`: see ingot.torch.load_into."""
        found = Checkpoint(checkpoint) if checkpoint is not None else self.checkpoint(model_dir)
        load_into(model, found.prefix, optimizer=optimizer, loss_fn=loss_fn)


def compile(model: torch.nn.Module, loss_fn: Optional[Callable[..., Any]], optimizer: torch.optim.Optimizer, data: Any, output: Path = "trainer",
            *, levels: str = "native", flags: Sequence[str] = (), **options: Any) -> Trainer:
    """Exports a model, as ingot.torch.export does with `options`, to `OUTPUT.meta`, and compiles it to the trainer `output`.

    `levels` and `flags` are those of ingot.compile. Raises ExportError and CompileError, each with everything that is
    unsupported.
    """
    output = os.fspath(output)
    graph = export(model, loss_fn, optimizer, data, output + ".meta", **options)
    _trainer.compile(graph, output=output, levels=levels, flags=flags)
    return Trainer(output, data_dir=os.path.dirname(os.path.abspath(graph)))


def load_into(model: torch.nn.Module, path: Path, *, optimizer: Optional[torch.optim.Optimizer] = None, loss_fn: Any = None) -> None:
    """Fills `model`, and `optimizer`, with the values of a checkpoint, or of the newest one of a model directory.

    It is strict, as `load_state_dict` is: each parameter, buffer and slot has to be in the checkpoint with its shape, and
    nothing else may be. Raises Error otherwise, and changes nothing. `loss_fn` is filled if it is a module.
    """
    checkpoint = Checkpoint(path)
    restore(State(unwrapped(model), optimizer, loss_fn), all_arrays(checkpoint), f"'{checkpoint.prefix}'")
