# SPDX-License-Identifier: Apache-2.0
"""The tables of JAX's primitives: functions that map them to TensorFlow's ops, and reasons why others are refused.

A rule states every parameter of its primitive. A parameter that no rule knows is refused, never ignored: it may change
what the primitive computes.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple

from .._walking import Refused as Refused

# In a rule: marks a parameter that the rule's function reads itself, so that any value of it is accepted.
ANY = object()


def unsharded(value: Any) -> bool:
    """Whether a sharding divides nothing: there is none, or its mesh has no axes."""
    return value is None or not getattr(getattr(value, "mesh", None), "axis_names", ("unknown",))


class Rule(NamedTuple):
    """`parameters` maps names to ANY, to the only values that are taken, a tuple, or to a function that says which."""

    function: Callable[..., Any]
    parameters: Dict[str, Any]


RULES: Dict[str, Rule] = {}
REASONS: Dict[str, str] = {}


def rule(*names: str, **parameters: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function for primitives. It is called with the walk, the equation and its operands, and returns the
    result, or the list of results."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            assert name not in RULES, name
            RULES[name] = Rule(function, parameters)
        return function

    return register


def refuse(reason: str, *names: str) -> None:
    """Registers primitives that are refused for `reason`."""
    for name in names:
        assert name not in RULES and name not in REASONS, name
        REASONS[name] = reason


def check(name: str, parameters: Dict[str, Any]) -> Rule:
    """Returns the rule of a primitive. Raises Refused if there is none, or if it does not know a parameter's value."""
    if name in REASONS:
        raise Refused(f"{name}: {REASONS[name]}")
    if name not in RULES:
        raise Refused(f"{name}: this primitive of JAX is not supported; write it in other ops")
    found = RULES[name]
    for key, value in parameters.items():
        if key not in found.parameters:
            raise Refused(f"{name}: its parameter {key}={value} is not known")
        allowed = found.parameters[key]
        if allowed is ANY or (callable(allowed) and allowed(value)):
            continue
        if callable(allowed) or not any(value is one or value == one for one in allowed):
            raise Refused(f"{name}: {key}={value} is not supported")
    return found
