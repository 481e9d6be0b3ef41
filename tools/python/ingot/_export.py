# SPDX-License-Identifier: Apache-2.0
"""`ingot.export`: converts models and training steps of Python to a graph that ingotc compiles."""

from __future__ import annotations

import inspect
import os
from typing import Any, Mapping, Optional, Tuple, Union

from . import _data
from ._errors import Error, export_error
from ._load import Exported

Path = Union[str, "os.PathLike[str]"]


def export(model: Any, data: Any = None, path: Path = "train.meta", *, validation_data: Any = None, batch_size: int = 32,
           shuffle: bool = True, seed: Optional[int] = None, steps_per_epoch: Optional[int] = None,
           validation_steps: Optional[int] = None, max_to_keep: int = 5, loss: Any = None, train_op: Any = None,
           signatures: Optional[Mapping[str, Any]] = None, evaluate: Any = None, serving_input_receiver_fn: Any = None,
           class_weight: Optional[Mapping[int, float]] = None, validation_split: float = 0.0, sample_weight: Any = None) -> str:
    """Writes a graph with the training step, its data, the initial values and the evaluation to the file `path`.

    `model` is one of:

    - A compiled Keras model, with `data` as `fit` takes it: a tf.data pipeline of batches, or arrays, as `(x, y)` or
      `(x, y, sample_weight)`, of which `batch_size`, `shuffle` and `seed` make batches. `validation_data` is what the
      trainer's `evaluate` reads. Training starts from the variables' present values. `class_weight`, `sample_weight` and
      `validation_split` mean what they mean to Keras's `fit`.
    - A function of one step, a tf.function or not, that is called with a batch of `data` and returns the loss, or a
      dictionary with `loss`. `evaluate` is a function that is called with a batch of `validation_data` and returns a
      figure, or a dictionary of them: numbers, of shape [] or one for each example, whose means `evaluate` tells.
      `signatures` are tf.functions with an input_signature: further entries by their names.
    - An Estimator, with its input_fn as `data`, and as `validation_data` that of its evaluation;
      `serving_input_receiver_fn` makes the entries that predict.
    - A tf.Graph of TF1 style, which needs no `data`: `train_op` and `loss` where no collection names them.

    Raises ExportError, with the line of the user's program, for what no graph can hold. Returns the path.
    """
    given = {name: value for name, value in locals().items() if name not in ("model", "data", "path")}
    return export_with_names(model, data, os.fspath(path), **given)[0]


def export_with_names(model: Any, data: Any, path: str, **options: Any) -> Tuple[str, Optional[Exported]]:
    """`export`, which also returns the variables of a Keras model by their names in the graph."""
    try:
        inspect.signature(_write).bind(model, data, path, **options)
    except TypeError as error:
        raise export_error(f"ingot.export: {error}") from None
    try:
        return _write(model, data, path, **options)
    except (Error, ImportError, OSError):
        raise
    except Exception as error:  # What the user's layers, datasets and loops raise, or TensorFlow for them.
        raise export_error(f"{type(error).__name__}: {error}", error.__traceback__) from error


def _write(model: Any, data: Any, path: str, *, validation_data: Any = None, batch_size: int = 32, shuffle: bool = True,
           seed: Optional[int] = None, steps_per_epoch: Optional[int] = None, validation_steps: Optional[int] = None,
           max_to_keep: int = 5, loss: Any = None, train_op: Any = None, signatures: Optional[Mapping[str, Any]] = None,
           evaluate: Any = None, serving_input_receiver_fn: Any = None, class_weight: Optional[Mapping[int, float]] = None,
           validation_split: float = 0.0, sample_weight: Any = None) -> Tuple[str, Optional[Exported]]:
    from . import _estimator, _function, _keras, _session

    if _session.is_graph(model):
        _session.write(model, path, train_op=train_op, loss=loss, max_to_keep=max_to_keep)
        return path, None
    if data is None:
        raise export_error("no data: give the data that the model is trained on as the second argument")
    if _estimator.is_estimator(model):
        if validation_steps is not None:
            raise export_error("the number of batches that an Estimator evaluates is given to the trainer: evaluate(steps=...)")
        _estimator.write(model, data, path, validation_data, serving_input_receiver_fn)
        return path, None
    if not _keras.is_model(model) and not callable(model):
        raise export_error(f"a {type(model).__name__} is neither a Keras model, nor a function, an Estimator or a graph")
    if _keras.is_model(model):  # Keras's fit([a, b]) has two inputs and no labels.
        data, validation_data = ((one,) if isinstance(one, list) else one for one in (data, validation_data))
    data, validation_data = _data.tuples_of(data), _data.tuples_of(validation_data)
    data, validation_data = _data.weighted(data, validation_data, class_weight, validation_split, sample_weight)
    train = _data.pipeline(data, "training data", path, batch=batch_size, shuffle=shuffle, seed=seed,
                           steps=steps_per_epoch, repeat=True)
    if not _keras.is_model(model) and (evaluate is None) != (validation_data is None):
        raise export_error("training by a function needs both or neither of validation_data and evaluate=, the function that evaluates its batches")
    validation = None
    if validation_data is not None:
        validation = _data.pipeline(validation_data, "validation data", path, batch=batch_size, shuffle=False, seed=None,
                                    steps=validation_steps, repeat=False)
    if not _keras.is_model(model):
        _function.add_step(model, train, signatures or {}, evaluate, validation).write(path, max_to_keep)
        return path, None
    writer = _keras.add_model(model, train, validation)
    writer.write(path, max_to_keep)
    return path, Exported(model, writer.named_sources())
