# SPDX-License-Identifier: Apache-2.0
"""The tables of ATen's ops: functions that map them to TensorFlow's ops, and reasons why others are refused.

A rule's parameters are the arguments of the op's schema that it knows. Any other argument has to have its default, or one
of the values of NEUTRAL, which change nothing that a trainer computes; it is refused otherwise, never ignored.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, FrozenSet, NamedTuple, Sequence, TypeVar

import torch

from .._walking import Refused as Refused

Function = TypeVar("Function", bound=Callable[..., Any])

# New names for arguments of ATen schemas whose names are Python keywords or mean something else here.
_NAMES = {"self": "x", "from": "low", "input": "x"}


def _is_cpu(value: Any) -> bool:
    return value is None or torch.device(value).type in ("cpu", "meta")


# Arguments that do not affect the values of a result, such as device and memory layout. For each of them, a function that
# tells whether a value of the argument may be ignored.
NEUTRAL: Dict[str, Callable[[Any], bool]] = {
    "layout": lambda value: value is None or value == torch.strided, "device": _is_cpu, "pin_memory": lambda value: not value,
    "memory_format": lambda value: True, "non_blocking": lambda value: True, "generator": lambda value: value is None,
    "implicit": lambda value: True}


class Rule(NamedTuple):
    """`parameters` are the arguments that the function takes; `function` gets the walk and those. `known` are arguments
    that the result's type and shape say already."""

    function: Callable[..., Any]
    parameters: FrozenSet[str]
    known: FrozenSet[str]


RULES: Dict[str, Rule] = {}
REASONS: Dict[str, str] = {}


def rule(*names: str, known: Sequence[str] = ()) -> Callable[[Function], Function]:
    """Registers a function for ops such as `add.Tensor`; a name without an overload is that of the default one. It is
    called with the walk and the op's arguments by name, and returns the result, or the list of results."""

    def register(function: Function) -> Function:
        parameters = frozenset(list(inspect.signature(function).parameters)[1:])
        for name in names:
            name = name if "." in name else name + ".default"
            assert name not in RULES, name
            RULES[name] = Rule(function, parameters, frozenset(known))
        return function

    return register


def refuse(reason: str, *names: str) -> None:
    """Registers ops, by their names without overloads, that are refused for `reason`."""
    for name in names:
        assert name not in REASONS, name
        REASONS[name] = reason


def name_of(target: Any) -> str:
    """An op's name, without the namespace if that is ATen's."""
    name = str(target)
    return name[len("aten."):] if name.startswith("aten.") else name


def bound(target: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments of a call that its rule takes, by name. Raises Refused if there is no rule, or if it does not know an
    argument."""
    name = name_of(target)
    found = RULES.get(name)
    if found is None:
        reason = REASONS.get(name.split(".")[0])
        raise Refused(f"{name}: {reason}" if reason else f"{name}: this op of PyTorch has no mapping")
    values: Dict[str, Any] = {}
    for index, argument in enumerate(target._schema.arguments):
        default = argument.default_value
        value = args[index] if index < len(args) else kwargs.get(argument.name, default)
        key = _NAMES.get(argument.name, argument.name)
        if key in found.parameters:
            values[key] = value
        elif argument.name not in found.known and not NEUTRAL.get(argument.name, lambda value: False)(value) and not _is_default(value, default):
            raise Refused(f"{name}: {argument.name}={value} is not supported")
    missing = found.parameters - set(values)
    assert not missing, f"{name}: the schema {target._schema} lacks {missing}"
    return values


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (not isinstance(value, torch.fx.Node) and type(value) is type(default) and bool(value == default))
