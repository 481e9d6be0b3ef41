# SPDX-License-Identifier: Apache-2.0
"""The names of Keras models' variables in graphs and checkpoints.

Variables of models, optimizers and metrics keep the names that Keras gives them. If two have the same name, the later
one ends in `_1`. Variables are in the model's order, so a model made by the same script has the same names.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Mapping, Tuple

# Characters that TensorFlow does not allow in names of nodes.
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_.\\/>-]")


def tensor_variable(variable: Any) -> Any:
    """Returns the tf.Variable in which a variable of Keras 2 or 3 is stored."""
    import tensorflow as tf

    if not isinstance(variable, tf.Variable) and hasattr(variable, "value") and not callable(variable.value):
        variable = variable.value
    # With mixed precision, Keras 2 wraps a variable in an AutoCastVariable, which casts when it is read.
    return getattr(variable, "_variable", variable) if type(variable).__name__.startswith("AutoCast") else variable


def name_of(variable: Any) -> str:
    """Returns a variable's name as a valid node name: Keras 3's `path`, or Keras 2's `name`."""
    name = getattr(variable, "path", None) or str(variable.name).split(":")[0]
    name = _NOT_ALLOWED.sub("_", name)
    return name if re.match(r"[A-Za-z0-9.]", name) else "v" + name


# The name of the graph's collection of averaged weights: a line is "variable<TAB>average" by names in checkpoints.
AVERAGES = "ingot_keras_averages"


class Names:
    """Makes names unique. Case is ignored, as in TensorFlow."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def unique(self, name: str) -> str:
        """Returns the first of `name`, `name_1`, `name_2`, ... that was not returned before."""
        found, count = name, 0
        while found.lower() in self._taken:
            count += 1
            found = f"{name}_{count}"
        self._taken.add(found.lower())
        return found


def _list(variables: Any) -> List[Any]:
    return list(variables() if callable(variables) and not isinstance(variables, list) else variables)


def optimizer_variables(optimizer: Any) -> List[Any]:
    """Returns an optimizer's variables, with those of loss scaling and of the inner optimizer, for any Keras."""
    if optimizer is None:
        return []
    variables = getattr(optimizer, "variables", [])
    found = _list(variables)
    inner = getattr(optimizer, "inner_optimizer", None)
    return found + (optimizer_variables(inner) if inner is not None else []) + _loss_scale_variables(optimizer)


def averages_of(model: Any) -> List[Tuple[Any, Any]]:
    """Returns the model's variables with those of the optimizer that average them (use_ema), which Keras's `fit` assigns
    to the former at its end."""
    optimizer = getattr(model, "optimizer", None)
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)  # That of a LossScaleOptimizer.
    averages = getattr(optimizer, "_model_variables_moving_average", None) if getattr(optimizer, "use_ema", False) else None
    return [(one, average) for one, average in zip(model.trainable_variables, averages or []) if average is not None]


def _loss_scale_variables(optimizer: Any) -> List[Any]:
    """Returns the loss scale and its step counter, which Keras 2 does not list among the optimizer's variables."""
    weights = getattr(getattr(optimizer, "_loss_scale", None), "_weights", None)
    return list(weights.values()) if isinstance(weights, Mapping) else []


def metric_variables(model: Any) -> List[Any]:
    return [variable for metric in model.metrics for variable in _list(metric.variables)]


def distinct(variables: Iterable[Any]) -> List[Any]:
    """Returns the variables without duplicates, and without the lookup tables that Keras 2 lists among variables."""
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
    """Returns the variables of a model and its optimizer, without metrics, with their names in checkpoints."""
    metrics = {id(tensor_variable(variable)) for variable in metric_variables(model)}
    names = Names(["global_step"])
    found = []
    for variable in distinct(_list(model.variables) + optimizer_variables(getattr(model, "optimizer", None))):
        if id(tensor_variable(variable)) not in metrics:
            found.append((names.unique(name_of(variable)), variable))
    return found
