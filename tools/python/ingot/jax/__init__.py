# SPDX-License-Identifier: Apache-2.0
"""Training steps of JAX to native trainers.

    import ingot.jax
    trainer = ingot.jax.compile(step, state, (x, y), "trainer", batch_size=128, seed=1)
    trainer.fit(epochs=10, model_dir="run")
    state = ingot.jax.load(state, "run")

The whole step is traced, with JAX's own gradients and any optimizer: what jax.jit compiles, ingotc compiles.
"""

from .._errors import CompileError, Error, ExportError, RunError
from ._export import export
from ._trainer import Trainer, compile, load

__all__ = ["CompileError", "Error", "ExportError", "RunError", "Trainer", "compile", "export", "load"]
