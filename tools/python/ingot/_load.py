# SPDX-License-Identifier: Apache-2.0
"""Loads the values of a checkpoint into a Keras model and its optimizers."""

from __future__ import annotations

import weakref
from typing import Any, Container, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _paths
from ._checkpoint import Array
from ._errors import user_error
from ._names import named_variables, tensor_variable

Pairs = List[Tuple[str, Any]]


class Exported:
    """The variables of the model that was exported, by their names in the graph. Does not keep the model alive."""

    def __init__(self, model: Any, names: Sequence[Tuple[str, Any]]) -> None:
        self._model = weakref.ref(model)
        self._variables = [(name, weakref.ref(variable)) for name, variable in names]

    def model(self) -> Any:
        """Returns the exported model, or None if it is gone."""
        return self._model()

    def pairs(self, model: Any) -> Optional[Pairs]:
        """Returns pairs of name and variable if `model` is the exported one, and None if not."""
        if self._model() is not model:
            return None
        found = [(name, variable()) for name, variable in self._variables]
        return [(name, variable) for name, variable in found if variable is not None]


def _build_optimizer(model: Any) -> None:
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None or getattr(optimizer, "built", False):
        return
    if hasattr(optimizer, "build"):
        optimizer.build(model.trainable_variables)
    elif hasattr(optimizer, "_create_all_weights"):
        optimizer._create_all_weights(model.trainable_variables)


def find_pairs(model: Any, names: Container[str], exported: Sequence[Mapping[str, Any]], original: Optional[Exported],
               paths: Mapping[str, Sequence[str]], what: str) -> Pairs:
    """Returns the model's variables by their names in checkpoints, of which `names` are those of one, `what`.

    `exported` are the trainer's variables, in order; `original` is the exported model, if this process has exported it;
    `paths` are the lines of _paths.VARIABLES and OPTIMIZERS, which graphs of earlier versions lack.
    """
    pairs = original.pairs(model) if original is not None else None
    if pairs is None:
        if not model.variables and not getattr(model, "built", True):
            raise user_error("the model has no variables yet: call it, or model.build, once")
        if paths.get(_paths.VARIABLES):
            pairs = _by_path(model, what, paths)
        else:
            _build_optimizer(model)
            pairs = _match(named_variables(model), names, [str(one["name"]) for one in exported])
    return [(name, tensor_variable(variable)) for name, variable in pairs if not name.startswith("metrics/")]


def assign(prefix: str, values: Mapping[str, Array], pairs: Pairs) -> None:
    """Assigns the values of checkpoint `prefix`, by name, to variables."""
    for name, source in pairs:
        if name not in values:
            raise user_error(f"'{prefix}' has no '{name}': it is another model's")
        shape = tuple(values[name].shape)
        if not source.shape.is_compatible_with(shape):
            raise user_error(f"'{name}' has shape {shape} in '{prefix}', the model's has {tuple(source.shape)}")
    for name, source in pairs:
        source.assign(values[name].astype(source.dtype.as_numpy_dtype))


def _by_path(model: Any, what: str, paths: Mapping[str, Sequence[str]]) -> Pairs:
    """Pairs variables by where the model keeps them. Raises Error if the model itself, not an optimizer, lacks some."""
    lines = paths[_paths.VARIABLES]
    pairs = _paths.pair(model, lines, paths.get(_paths.OPTIMIZERS, ()))
    found = {name for name, _ in pairs}
    optimizers = [line.partition("\t")[0] for line in paths.get(_paths.OPTIMIZERS, ())]
    missing = []
    for path, _, name in (line.partition("\t") for line in lines):
        # An optimizer's variables may be missing: the weights also fit a model that is compiled with another optimizer, or
        # not compiled.
        if name not in found and not any(path.startswith((f"{one}.", f"{one}[")) for one in optimizers):
            missing.append(f"'{name}' ({path})")
    if missing:
        raise user_error(f"the model has no {', '.join(missing[:5])}{' ..' if len(missing) > 5 else ''}: "
                         f"{what} is of another model")
    return pairs


def _match(own: Pairs, values: Container[str], exported: Sequence[str]) -> Pairs:
    """Pairs names in the checkpoint with the model's variables: by name, or else by order.

    Names differ if Keras has numbered layers differently, as for a second model in one process.
    """
    if all(name in values for name, _ in own):
        return own
    order = [name for name in exported if name != "global_step" and not name.startswith("metrics/")]
    missing = [name for name, _ in own if name not in values]
    if len(order) < len(own) or any(name not in values for name in order[: len(own)]):
        raise user_error(f"the checkpoint has no '{missing[0]}': it is another model's")
    found: Dict[str, Any] = {name: variable for name, (_, variable) in zip(order, own)}
    return list(found.items())
