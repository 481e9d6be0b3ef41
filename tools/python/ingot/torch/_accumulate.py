# SPDX-License-Identifier: Apache-2.0
"""Gradients that are accumulated: variables sum them up, and a branch of the graph makes the optimizer's step once in some
steps, with the variables that it reads and assigns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping

import numpy as np

from .._builder import Builder
from .._metagraph import Scope, Tensor, argument
from .._wire import Function, Type
from ._arithmetic import Expression

if TYPE_CHECKING:
    from ._export import StepGraph


class Variables:
    """The variables of a step, as the optimizer's formulas read and assign them. `read` are the values that the step has
    read before."""

    def __init__(self, graph: StepGraph, read: Mapping[str, Tensor]) -> None:
        self.graph = graph
        self.read = read

    def value(self, name: str) -> Tensor:
        return self.read[name] if name in self.read else self.graph.read(name, "step")

    def assign(self, name: str, value: Tensor, read: Tensor) -> str:
        """Assigns a variable of which `read` is the old value. Returns the node's name."""
        return self.graph.assign(name, self.graph.handles[name][0], value, read.ref)

    def options(self, found: Dict[str, Any]) -> Dict[str, Any]:
        return found


class Branch(Variables):
    """The variables within a function, which is called with the tensors of the graph that it uses: `outer` lists them, and
    grows with each that is new."""

    def __init__(self, graph: StepGraph, scope: Scope, outer: List[Tensor]) -> None:
        super().__init__(graph, {})
        self.scope = scope
        self.outer = outer
        self.arguments: List[Tensor] = []
        self._places = {one.ref: index for index, one in enumerate(outer)}
        self._extend()

    def _extend(self) -> None:
        for index in range(len(self.arguments), len(self.outer)):
            one = self.outer[index]
            self.arguments.append(argument(f"arg_{index}", one.dtype, one.shape))

    def inner(self, tensor: Tensor) -> Tensor:
        """The argument that stands for a tensor of the graph."""
        if tensor.ref not in self._places:
            self._places[tensor.ref] = len(self.outer)
            self.outer.append(tensor)
        self._extend()
        return self.arguments[self._places[tensor.ref]]

    def value(self, name: str) -> Tensor:
        handle, initial = self.graph.handles[name]
        read: Tensor = self.scope.op("ReadVariableOp", self.inner(handle), shapes=[initial.shape], name=f"step/{name}/read", dtype=Type(initial.dtype))
        return read

    def assign(self, name: str, value: Tensor, read: Tensor) -> str:
        node = f"step/{name}/assign"
        self.scope.op("AssignVariableOp", self.inner(self.graph.handles[name][0]), value, name=node, after=[read.ref.split(":")[0]])
        return node

    def options(self, found: Dict[str, Any]) -> Dict[str, Any]:
        b = Builder(self.scope)

        def inner(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(inner(one) for one in value)
            return Expression(b, self.inner(value.tensor), value.number) if isinstance(value, Expression) else value

        return {key: inner(value) for key, value in found.items()}

    def end(self, assigns: List[str]) -> Function:
        """Adds the function, after all branches are built."""
        self._extend()
        self.scope.path = ""
        done = self.scope.op("Identity", self.scope.constant(np.bool_(True)), name="done", after=assigns)
        return self.graph.meta.add_function(self.scope, self.arguments, [done])


def accumulated(graph: StepGraph, gradients: Mapping[str, Tensor], count: int, apply: Callable[[Branch, Dict[str, Tensor]], List[str]]) -> List[str]:
    """Adds up the means of `count` steps' gradients in variables, and has `apply` add the optimizer's step, which is made in
    the last of these steps. Returns the nodes of a step that assign variables."""
    walk = graph.walk
    outer, b = walk.b, walk.b
    b.scope.path = "accumulate"
    sums: Dict[str, Tensor] = {}
    for name, gradient in gradients.items():
        graph.variable(slot_of(name), np.zeros(gradient.shape, np.dtype(gradient.dtype)))
        mean = b.pointwise("RealDiv", gradient, b.like(count, gradient))
        sums[name] = b.add(graph.read(slot_of(name), "step"), mean)
    place = b.pointwise("TruncateMod", graph.global_step_read(), b.const(count, "int64"))
    is_last = b.pointwise("Equal", place, b.const(count - 1, "int64"))
    tensors: List[Tensor] = []
    branches = [Branch(graph, graph.meta.function_scope(name), tensors) for name in ("step_of_optimizer", "step_between")]
    assigns: List[List[str]] = []
    try:
        for branch, is_step in zip(branches, (True, False)):
            branch.scope.line, walk.b = outer.scope.line, Builder(branch.scope)
            means = {name: branch.inner(one) for name, one in sums.items()}
            done = apply(branch, means) if is_step else []
            for name, one in means.items():
                value = walk.b.broadcast(walk.b.like(0, one), one.shape) if is_step else one
                handle = branch.inner(graph.handles[slot_of(name)][0])
                done.append(f"step/{slot_of(name)}/assign")
                branch.scope.op("AssignVariableOp", handle, value, name=done[-1])
            assigns.append(done)
    finally:
        walk.b = outer
    functions = [branch.end(done) for branch, done in zip(branches, assigns)]
    more: Any = {"Tout": [Type("bool")]}
    b.scope.path = ""
    b.scope.op("If", is_last, tensors, shapes=((),), name="step/optimizer", then_branch=functions[0], else_branch=functions[1], **more)
    return ["step/optimizer"]


def slot_of(name: str) -> str:
    """The variable that sums up the gradients of a parameter."""
    return f"optimizer.accumulated.{name}"
