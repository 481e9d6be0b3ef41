# SPDX-License-Identifier: Apache-2.0
"""Models of PyTorch to native trainers.

    import ingot.torch
    trainer = ingot.torch.compile(model, torch.nn.functional.cross_entropy, optimizer, (x, y), "trainer", batch_size=128, seed=1)
    trainer.fit(epochs=10, model_dir="run")
    ingot.torch.load_into(model, "run", optimizer=optimizer)

Loss and gradients are torch's own, traced by torch.export; the optimizer is the formula of torch.optim's.
"""

from .._errors import CompileError, Error, ExportError, RunError
from ._export import export
from ._trainer import Trainer, compile, load_into

__all__ = ["CompileError", "Error", "ExportError", "RunError", "Trainer", "compile", "export", "load_into"]
