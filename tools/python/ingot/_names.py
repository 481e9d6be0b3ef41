# SPDX-License-Identifier: Apache-2.0
"""What variables of Keras models are called in graphs and checkpoints.

A model's variables have the names that Keras gives them, its optimizer's and its metrics' likewise. Where two have
one name, the later one's ends in `_1`. The order is the model's own, so that a model made by the same script has the
same names.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Mapping, Tuple

# Characters that TensorFlow does not allow in names of nodes.
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_.\\/>-]")


def tensor_variable(variable: Any) -> Any:
    """The tf.Variable of a variable of Keras 2 or 3."""
    import tensorflow as tf

    if not isinstance(variable, tf.Variable) and hasattr(variable, "value") and not callable(variable.value):
        variable = variable.value
    # Mixed precision in Keras 2: a wrapper that casts on reads.
    return getattr(variable, "_variable", variable) if type(variable).__name__.startswith("AutoCast") else variable


def name_of(variable: Any) -> str:
    """Keras 3 has a variable's path, Keras 2 its name."""
    name = getattr(variable, "path", None) or str(variable.name).split(":")[0]
    name = _NOT_ALLOWED.sub("_", name)
    return name if re.match(r"[A-Za-z0-9.]", name) else "v" + name


class Names:
    """Names that are each given once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def unique(self, name: str) -> str:
        """`name`, or `name_1`, `name_2` ..."""
        found, count = name, 0
        while found.lower() in self._taken:
            count += 1
            found = f"{name}_{count}"
        self._taken.add(found.lower())
        return found


def _list(variables: Any) -> List[Any]:
    return list(variables() if callable(variables) and not isinstance(variables, list) else variables)


def optimizer_variables(optimizer: Any) -> List[Any]:
    """All of an optimizer's, of any generation of Keras; with loss scaling, the inner optimizer's and the scale too."""
    if optimizer is None:
        return []
    variables = getattr(optimizer, "variables", [])
    found = _list(variables)
    inner = getattr(optimizer, "inner_optimizer", None)
    return found + (optimizer_variables(inner) if inner is not None else []) + _loss_scale_variables(optimizer)


def _loss_scale_variables(optimizer: Any) -> List[Any]:
    """Keras 2 keeps the scale, and the steps since it changed, apart from its optimizer's variables."""
    weights = getattr(getattr(optimizer, "_loss_scale", None), "_weights", None)
    return list(weights.values()) if isinstance(weights, Mapping) else []


def metric_variables(model: Any) -> List[Any]:
    return [variable for metric in model.metrics for variable in _list(metric.variables)]


def distinct(variables: Iterable[Any]) -> List[Any]:
    """Each tf.Variable once. A table of words, which Keras 2 has among a model's variables, is none."""
    import tensorflow as tf

    seen: Dict[int, bool] = {}
    found = []
    for variable in variables:
        key = id(tensor_variable(variable))
        if key not in seen and isinstance(tensor_variable(variable), tf.Variable):
            seen[key] = True
            found.append(variable)
    return found


def named_variables(model: Any) -> List[Tuple[str, Any]]:
    """Names and variables of a model and its optimizer, as a checkpoint has them."""
    metrics = {id(tensor_variable(variable)) for variable in metric_variables(model)}
    names = Names(["global_step"])
    found = []
    for variable in distinct(_list(model.variables) + optimizer_variables(getattr(model, "optimizer", None))):
        if id(tensor_variable(variable)) not in metrics:
            found.append((names.unique(name_of(variable)), variable))
    return found
