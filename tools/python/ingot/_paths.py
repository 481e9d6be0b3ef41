# SPDX-License-Identifier: Apache-2.0
"""Where a model keeps its variables: paths of attributes, such as `decoder._layers[0].kernel`.

Names of variables depend on how many layers and optimizers the process has made before, and on the order in which they
were made. Paths do not, so they pair the variables of two models that the same code has made, whatever optimizers,
networks and wrappers it keeps where.
"""

from __future__ import annotations

import collections.abc
from collections import deque
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

from ._names import tensor_variable

# Names of the graph's collections of paths in the Keras model. A line of VARIABLES is "path<TAB>name" of a variable, one of
# OPTIMIZERS "path<TAB>path,path.." of an optimizer and the variables that it trains.
VARIABLES = "ingot_keras_paths"
OPTIMIZERS = "ingot_keras_optimizers"

# Attributes that refer to what surrounds an object rather than to its parts.
_SKIPPED = ("_distribute_strategy", "_strategy", "_parent", "_tracker", "_metrics_tracker", "_inbound_nodes", "_outbound_nodes",
            "_nodes", "_operations_by_depth", "_nodes_by_depth", "_self_setattr_tracking", "_saved_model_inputs_spec", "history")


def _is_part(thing: Any) -> bool:
    """Whether an object may have variables: a layer, a model, an optimizer, a module, of any Keras or the user's."""
    import tensorflow as tf

    if isinstance(thing, (tf.Module, tf.__internal__.tracking.Trackable)):
        return True
    return any(base.__module__.split(".")[0] in ("keras", "tf_keras") and base.__name__ in
               ("Layer", "Model", "Optimizer", "BaseOptimizer", "OptimizerV2", "SeedGenerator") for base in type(thing).__mro__)


def _is_metric(thing: Any) -> bool:
    return any(base.__name__ == "Metric" and "keras" in base.__module__ for base in type(thing).__mro__)


def is_optimizer(thing: Any) -> bool:
    return any(base.__name__ in ("Optimizer", "BaseOptimizer", "OptimizerV2") and "keras" in base.__module__
               for base in type(thing).__mro__)


def _parts(thing: Any, path: str) -> Iterator[Tuple[str, Any]]:
    if isinstance(thing, collections.abc.Mapping):
        yield from ((f"{path}[{key!r}]", thing[key]) for key in thing if isinstance(key, (str, int)))
    elif isinstance(thing, (list, tuple)):
        yield from ((f"{path}[{index}]", one) for index, one in enumerate(thing))
    else:
        for name, value in sorted(getattr(thing, "__dict__", {}).items()):
            if name not in _SKIPPED and not name.startswith("_obj_reference_counts"):
                yield f"{path}.{name}" if path else name, value


def walk(model: Any) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Returns the model's variables, without metrics, and its optimizers, by their shortest paths."""
    import tensorflow as tf

    variables: Dict[str, Any] = {}
    optimizers: Dict[str, Any] = {}
    seen: Dict[int, Any] = {id(model): model}
    left = deque([("", model)])
    later: List[Tuple[str, Any]] = []
    while left or later:
        # Visit optimizers last: they list the variables that they train, whose paths shall be those in the model.
        if not left:
            left.extend(later)
            later = []
        path, thing = left.popleft()
        for name, part in _parts(thing, path):
            source = tensor_variable(part) if not isinstance(part, (list, tuple, dict, str, int, float)) else part
            if id(source) in seen or part is None:
                continue
            if isinstance(source, tf.Variable):
                variables[name] = part
            elif _is_metric(part) or not (isinstance(part, (list, tuple, collections.abc.Mapping)) or _is_part(part)):
                continue
            else:
                if is_optimizer(part):
                    optimizers[name] = part
                    later.append((name, part))
                else:
                    left.append((name, part))
            seen[id(source)] = source  # Keeps the object alive, so that its id is not reused.
    return variables, optimizers


def _trained_by(optimizer: Any, by_id: Mapping[Any, str]) -> List[str]:
    """Returns the paths of the variables for which an optimizer was built; none if it was not."""
    trained = getattr(optimizer, "_trainable_variables", None)
    if trained:
        paths = [by_id.get(id(tensor_variable(variable))) for variable in trained]
    elif hasattr(optimizer, "_index_dict"):
        keys = sorted(optimizer._index_dict.items(), key=lambda item: int(item[1]))
        paths = [by_id.get(key) for key, _ in keys]
    else:  # Keras's legacy optimizers.
        paths = [by_id.get(key) for key in getattr(optimizer, "_slots", {})]
    return [path for path in paths if path is not None]


def lines_of(model: Any, names: Sequence[Tuple[str, Any]]) -> Tuple[List[str], List[str]]:
    """Returns the lines of VARIABLES and OPTIMIZERS for a model whose tf.Variables have these `names` in the graph."""
    parts, optimizers = walk(model)
    variables = {path: tensor_variable(part) for path, part in parts.items()}
    name_of = {id(source): name for name, source in names}
    lines = [f"{path}\t{name_of[id(source)]}" for path, source in variables.items() if id(source) in name_of]
    by_id: Dict[Any, str] = {id(source): path for path, source in variables.items()}
    by_id.update({getattr(source, "_unique_id", None): path for path, source in variables.items()})
    trained = [(path, _trained_by(one, by_id)) for path, one in optimizers.items()]
    return lines, [f"{path}\t{','.join(paths)}" for path, paths in trained]


def pair(model: Any, variables: Sequence[str], optimizers: Sequence[str]) -> List[Tuple[str, Any]]:
    """Returns pairs of a name in the graph and the variable of `model` at the path of the exported model's.

    Builds optimizers that have made no step yet, for the same variables as the exported model's. Those of Keras 3 take
    variables of Keras, from whose names some make those of their own.
    """
    found, own = walk(model)
    for line in optimizers:
        path, _, trained = line.partition("\t")
        optimizer = own.get(path)
        paths = trained.split(",")
        if optimizer is None or getattr(optimizer, "built", False) or not all(one in found for one in paths):
            continue
        if hasattr(optimizer, "build"):
            optimizer.build([found[one] for one in paths])
        elif hasattr(optimizer, "_create_all_weights"):
            optimizer._create_all_weights([found[one] for one in paths])
    found, _ = walk(model)
    pairs = [line.partition("\t") for line in variables]
    return [(name, tensor_variable(found[path])) for path, _, name in pairs if path in found]
