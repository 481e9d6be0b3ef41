# SPDX-License-Identifier: Apache-2.0
"""Ingot from Python: TensorFlow training graphs to native trainers, and their weights back.

    import ingot
    trainer = ingot.compile(model, (x, y), validation_data=(x_val, y_val))
    history = trainer.fit(epochs=10, model_dir="run")
    trainer.load_into(model)

TensorFlow is only needed by functions that receive its objects, such as a model.
"""

from ._checkpoint import Checkpoint
from ._errors import CompileError, Error, ExportError, RunError
from ._export import export
from ._history import History
from ._materialize import Materialized, materialize
from ._trainer import Trainer, compile

__all__ = ["Checkpoint", "CompileError", "Error", "ExportError", "History", "Materialized", "RunError", "Trainer", "compile", "export", "materialize"]
__version__ = "0.1.0"
