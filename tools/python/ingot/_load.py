# SPDX-License-Identifier: Apache-2.0
"""Loads the values of a checkpoint into a Keras model and its optimizer."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ._checkpoint import Array, Checkpoint
from ._errors import Error
from ._names import named_variables, tensor_variable


def _build_optimizer(model: Any) -> None:
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None or getattr(optimizer, "built", False):
        return
    if hasattr(optimizer, "build"):
        optimizer.build(model.trainable_variables)
    elif hasattr(optimizer, "_create_all_weights"):
        optimizer._create_all_weights(model.trainable_variables)


def load(model: Any, checkpoint: Checkpoint, exported: Sequence[Mapping[str, Any]]) -> None:
    """Assigns the checkpoint's values to the model's variables. `exported` are the trainer's variables, in order."""
    if not model.variables and not getattr(model, "built", True):
        raise Error("the model has no variables yet: call it, or model.build, once")
    _build_optimizer(model)
    values = checkpoint.arrays()
    pairs = _match(named_variables(model), values, [str(one["name"]) for one in exported])
    for name, variable in pairs:
        source = tensor_variable(variable)
        value = values[name]
        if tuple(value.shape) != tuple(source.shape):
            raise Error(f"'{name}' has shape {tuple(value.shape)} in '{checkpoint.prefix}', the model's has {tuple(source.shape)}")
    for name, variable in pairs:
        source = tensor_variable(variable)
        source.assign(values[name].astype(source.dtype.as_numpy_dtype))


def _match(own: List[Tuple[str, Any]], values: Mapping[str, Array], exported: Sequence[str]) -> List[Tuple[str, Any]]:
    """Pairs names in the checkpoint with the model's variables: by name, or else by order.

    Names differ if Keras has numbered layers differently, as for a second model in one process.
    """
    if all(name in values for name, _ in own):
        return own
    order = [name for name in exported if name != "global_step" and not name.startswith("metrics/")]
    missing = [name for name, _ in own if name not in values]
    if len(order) < len(own) or any(name not in values for name in order[: len(own)]):
        raise Error(f"the checkpoint has no '{missing[0]}': it is another model's")
    found: Dict[str, Any] = {name: variable for name, (_, variable) in zip(order, own)}
    return list(found.items())
