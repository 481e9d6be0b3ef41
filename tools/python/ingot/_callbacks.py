# SPDX-License-Identifier: Apache-2.0
"""Callbacks of Keras between the epochs of a trainer.

The trainer runs from one end of an epoch to the next; then the callbacks' methods of epochs, and of the evaluation, run in
Python, on the model with the trained values, in the order and with the logs of `Model.fit`. So their rules are Keras's own. What they change in
the model or its optimizers, such as a learning rate or the weights of the best epoch, is in the run's next checkpoint.

Two callbacks are what a trainer does by itself: BackupAndRestore, as every run resumes, and TerminateOnNaN, which looks at
every step.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np

from ._checkpoint import Array, Checkpoint
from ._errors import user_error
from ._load import Pairs, assign
from ._watch import tell

# Keras's callbacks that use only the logs and set the learning rate: the model's weights need not be loaded for them.
_OF_LOGS = ("CSVLogger", "EarlyStopping", "ReduceLROnPlateau", "LearningRateScheduler", "History", "ProgbarLogger")
_PER_BATCH = ("on_train_batch_begin", "on_train_batch_end", "on_batch_begin", "on_batch_end")


def _is_keras_own(callback: Any, method: str = "__class__") -> bool:
    defined = next((base for base in type(callback).__mro__ if method in vars(base)), type(callback))
    return (type(callback) if method == "__class__" else defined).__module__.split(".")[0] in ("keras", "tf_keras", "tensorflow")


def _needs_weights(callback: Any) -> bool:
    if not _is_keras_own(callback) or type(callback).__name__ not in _OF_LOGS:
        return True
    return bool(getattr(callback, "restore_best_weights", False))


class Callbacks:
    """The callbacks of one call of `fit`. `pairs` are the model's variables by their names in checkpoints."""

    def __init__(self, callbacks: Sequence[Any], model: Any, pairs: Pairs) -> None:
        kinds = [type(callback).__name__ if _is_keras_own(callback) else "" for callback in callbacks]
        self.stops_at_nan = "TerminateOnNaN" in kinds
        self._callbacks = [callback for callback, kind in zip(callbacks, kinds) if kind not in ("BackupAndRestore", "TerminateOnNaN")]
        self._model = model
        # Leave out the metrics' variables: callbacks run between epochs, and each epoch resets these variables.
        self._pairs = [(name, variable) for name, variable in pairs if not name.startswith("metrics/")]
        self._takes_weights = any(_needs_weights(callback) for callback in self._callbacks)
        for callback in self._callbacks:
            ignored = [name for name in _PER_BATCH if hasattr(callback, name) and not _is_keras_own(callback, name)]
            if ignored:
                tell(f"warning: {type(callback).__name__}.{ignored[0]} is not called: a trainer runs whole epochs between callbacks")

    def begin(self, epochs: Optional[int], steps: int, checkpoint: Optional[Checkpoint]) -> None:
        self._model.stop_training = False
        if checkpoint is not None:
            self._take(checkpoint)
        for callback in self._callbacks:
            callback.set_model(self._model)
            callback.set_params({"epochs": epochs, "steps": steps, "verbose": 0})
        self._call("on_train_begin", {})

    def _take(self, checkpoint: Checkpoint) -> None:
        """Assigns a checkpoint's values to the model: all of them, or those of single numbers, such as learning rates."""
        pairs = self._pairs if self._takes_weights else self._scalars()
        values = checkpoint.arrays() if self._takes_weights else {name: checkpoint[name] for name, _ in pairs if name in checkpoint}
        assign(checkpoint.prefix, values, [(name, variable) for name, variable in pairs if name in values])

    def _scalars(self) -> Pairs:
        return [(name, variable) for name, variable in self._pairs if variable.shape.rank == 0]

    def _values(self) -> Dict[str, Array]:
        return {name: np.asarray(variable.numpy()) for name, variable in self._pairs}

    def _call(self, method: str, *arguments: Any) -> None:
        for callback in self._callbacks:
            getattr(callback, method)(*arguments)

    def _changed(self, before: Mapping[str, Array]) -> Dict[str, Array]:
        after = self._values()
        return {name: value for name, value in after.items() if not np.array_equal(value, before[name], equal_nan=value.dtype.kind == "f")}

    def epoch_begins(self, epoch: int) -> Dict[str, Array]:
        """Returns the values that callbacks have changed, by names in checkpoints."""
        before = self._values()
        self._call("on_epoch_begin", epoch, {})
        return self._changed(before)

    def epoch_ends(self, epoch: int, logs: Dict[str, Any], checkpoint: Checkpoint) -> Dict[str, Array]:
        """The same, at the end of an epoch, of which `logs` are the figures. Callbacks may add to them."""
        self._take(checkpoint)
        before = self._values()
        evaluated = {name.removeprefix("val_"): value for name, value in logs.items() if name.startswith("val_")}
        if evaluated:
            self._call("on_test_begin", {})
            self._call("on_test_end", evaluated)
        self._call("on_epoch_end", epoch, logs)
        return self._changed(before)

    def end(self, logs: Dict[str, Any]) -> Dict[str, Array]:
        before = self._values()
        self._call("on_train_end", logs)
        return self._changed(before)

    @property
    def have_stopped(self) -> bool:
        return bool(self._model.stop_training)


def assignments(values: Mapping[str, Array], folder: str) -> List[str]:
    """Returns arguments of the verb `set` for new values, and writes arrays to files in `folder`."""
    words = []
    for index, (name, value) in enumerate(values.items()):
        path = os.path.join(folder, f"set{index}.npy")
        np.save(path, value, allow_pickle=False)
        words.append(f"{name}=@{path}")
    return words


def run(callbacks: Callbacks, first: int, last: Optional[int], train: Callable[[int], Dict[str, Any]],
        newest: Callable[[], Checkpoint], change: Callable[[List[str]], None], record: Callable[[int, Dict[str, Any]], None]) -> None:
    """Runs epochs from `first` on, until `last` or until a callback stops them.

    `train(epoch)` trains to the end of an epoch and returns its logs; empty ones if the epoch did not end. `change` takes
    the arguments of the verb `set`, and `record` what callbacks have added to the logs.
    """

    def apply(values: Mapping[str, Array]) -> None:
        if values:
            with tempfile.TemporaryDirectory() as folder:
                change(assignments(values, folder))

    epoch = first
    logs: Dict[str, Any] = {}
    while (last is None or epoch < last) and not callbacks.have_stopped:
        apply(callbacks.epoch_begins(epoch))
        logs = train(epoch)
        if not logs:
            break
        known = dict(logs)
        apply(callbacks.epoch_ends(epoch, logs, newest()))
        added = {name: _number(value) for name, value in logs.items() if name not in known}
        record(epoch, {name: value for name, value in added.items() if value is not None})
        if callbacks.stops_at_nan and not np.isfinite(logs.get("loss", 0.0)):
            break
        epoch += 1
    apply(callbacks.end(logs))


def _number(value: Any) -> Optional[float]:
    try:
        return float(np.asarray(value))
    except (TypeError, ValueError):
        return None


def check(each: Optional[int], max_steps: Optional[int], pairs: Optional[Pairs]) -> None:
    if each is None:
        raise user_error("callbacks run between epochs, but how many steps an epoch has is not known: give steps_per_epoch to ingot.compile")
    if max_steps is not None and max_steps % each:
        raise user_error(f"callbacks run between epochs of {each} steps: max_steps={max_steps} is in the middle of one; give a multiple of {each}")
    if pairs is None:
        raise user_error("callbacks get the model: give fit(model=...) a model made by the same code")
