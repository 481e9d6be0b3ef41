"""`ingot.export`: from what the user has in Python to a graph that ingotc compiles."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

from . import _data
from ._errors import export_error

Path = Union[str, "os.PathLike[str]"]


def export(model: Any, data: Any = None, path: Path = "train.meta", *, validation_data: Any = None, batch_size: int = 32,
           shuffle: bool = True, seed: Optional[int] = None, steps_per_epoch: Optional[int] = None,
           validation_steps: Optional[int] = None, max_to_keep: int = 5) -> str:
    """Writes the graph of a training step, with its data, initial values and evaluation, as `path`.

    `model` is a compiled Keras model, with `data` as `fit` takes it: a tf.data pipeline of batches, or arrays, as
    `(x, y)` or `(x, y, sample_weight)`, of which `batch_size`, `shuffle` and `seed` make batches. `validation_data` is
    what the trainer's `evaluate` reads. Training starts from the variables' present values.

    Raises ExportError, with the line of the user's program, for what no graph can hold. Returns the path.
    """
    from . import _keras

    path = os.fspath(path)
    if not _keras.is_model(model):
        raise export_error(f"a {type(model).__name__} is no Keras model")
    if data is None:
        raise export_error("a model is exported with the data that it is trained on")
    train = _data.pipeline(data, "training data", path, batch=batch_size, shuffle=shuffle, seed=seed,
                           steps=steps_per_epoch, repeat=True)
    validation = None
    if validation_data is not None:
        validation = _data.pipeline(validation_data, "validation data", path, batch=batch_size, shuffle=False, seed=None,
                                    steps=validation_steps, repeat=False)
    _keras.add_model(model, train, validation).write(path, max_to_keep)
    return path
