# SPDX-License-Identifier: Apache-2.0
"""Adds the optimizer's step to a graph: clipping, the options of each group, the slots' variables, and their assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional

import numpy as np

from .._metagraph import Tensor
from .._wire import Shape
from ._accumulate import Variables, accumulated
from ._arithmetic import Expression
from ._optimizers import FORMULAS, Step
from ._schedules import Options
from ._state import State
from ._walk import array_of

if TYPE_CHECKING:
    from ._export import StepGraph


class Number(NamedTuple):
    """A number that parameters share: its value before and after the step, and what formulas get."""

    read: Tensor
    after: Tensor
    value: Expression


class Update:
    """How gradients change parameters. `clip_norm` and `clip_value` bound them before the optimizer sees them, which it does
    once in `accumulate` steps: then they are the means of these steps' gradients."""

    def __init__(self, state: State, options: Options, clip_norm: Optional[float], clip_value: Optional[float], accumulate: int = 1) -> None:
        self.state = state
        self.options = options
        self.clip_norm = clip_norm
        self.clip_value = clip_value
        self.accumulate = accumulate
        self._step: Optional[Tensor] = None

    def apply(self, graph: StepGraph, gradients: Mapping[str, Tensor], read: Mapping[str, Tensor]) -> List[str]:
        """Adds the step. Returns the nodes that assign variables."""
        graph.walk.b.scope.path = "optimizer"
        options = {index: self._options(graph, index) for index in range(len(self.state.optimizer.param_groups))
                   if self._parameters(index, gradients)}
        if self.accumulate > 1:
            return accumulated(graph, gradients, self.accumulate, lambda branch, means: self._apply(graph, branch, means, options))
        return self._apply(graph, Variables(graph, read), gradients, options)

    def _parameters(self, index: int, gradients: Mapping[str, Tensor]) -> List[Any]:
        return [one for one in self.state.optimizer.param_groups[index]["params"] if self.state.name_of(one) in gradients]

    def _apply(self, graph: StepGraph, variables: Variables, gradients: Mapping[str, Tensor], options: Mapping[int, Any]) -> List[str]:
        scope = graph.walk.b.scope
        scope.path = "clip_gradients"
        clipped = self._clipped(graph, gradients)
        assigns: List[str] = []
        for index, found in options.items():
            scope.path = "optimizer"
            assigns += self._group(graph, variables, index, variables.options(found), clipped)
        scope.path = ""
        return assigns

    def _clipped(self, graph: StepGraph, gradients: Mapping[str, Tensor]) -> Dict[str, Tensor]:
        b, found = graph.walk.b, dict(gradients)
        if self.clip_norm is not None and found:
            squares = [b.reduce("Sum", b.pointwise("Square", b.cast(one, "float32")), range(one.rank)) for one in found.values()]
            total = b.pointwise("Sqrt", b.reduce("Sum", b.stack(squares), [0]))
            factor = b.pointwise("RealDiv", b.like(self.clip_norm, total), b.add(total, b.like(1e-6, total)))
            factor = b.pointwise("Minimum", factor, b.like(1, factor))
            found = {name: b.mul(one, b.cast(factor, one.dtype)) for name, one in found.items()}
        if self.clip_value is not None:
            found = {name: b.pointwise("Minimum", b.pointwise("Maximum", one, b.like(-self.clip_value, one)), b.like(self.clip_value, one))
                     for name, one in found.items()}
        return found

    # -- Options

    def _optimizer_step(self, graph: StepGraph) -> Tensor:
        """The number of steps that the optimizer has made."""
        if self._step is None:
            step = graph.global_step_read()
            self._step = step if self.accumulate == 1 else graph.walk.b.pointwise("TruncateDiv", step, graph.walk.b.const(self.accumulate, "int64"))
        return self._step

    def _scheduled(self, graph: StepGraph, table: Any, name: str) -> List[Expression]:
        """What a table has for the present step; after its end, what it has last. One figure, or one for each column."""
        b = graph.walk.b
        columns = table.reshape(len(table), -1)
        changes = np.flatnonzero(np.any(columns[1:] != columns[:-1], 1)) + 1
        step = self._optimizer_step(graph)
        if len(changes) * 4 < len(columns):
            # If the values change rarely, store each once. Its index is the number of changes up to the current step.
            passed = b.cast(b.pointwise("GreaterEqual", b.broadcast(b.reshape(step, [1]), [len(changes)]), b.const(changes.astype(np.int64))), "int64")
            step, columns = b.reduce("Sum", passed, [0]), columns[np.concatenate([[0], changes])]
        else:
            step = b.pointwise("Minimum", step, b.const(len(columns) - 1, "int64"))
        found: List[Expression] = []
        for column in columns.T:
            values = graph.constant(f"{name}/{len(found)}", _as_tensor(column))
            found.append(Expression(b, b.gather(values, step, 0), True))
        return found

    def _options(self, graph: StepGraph, index: int) -> Dict[str, Any]:
        """A group's options, of which those that change, and the learning rate, are expressions."""
        b, options = graph.walk.b, self.options.of(index)
        for key, table in self.options.tables[index].items():
            values = self._scheduled(graph, table, f"{key}/{index}")
            options[key] = values[0] if table.ndim == 1 else tuple(values)
        if not isinstance(options["lr"], Expression):
            name = "learning_rate" if index == 0 else f"learning_rate_{index}"
            rate = graph.meta.graph.op("PlaceholderWithDefault", b.const(float(options["lr"]), "float64"), name=name, shape=Shape([]))
            options["lr"] = Expression(b, rate, True)
        if options.get("dampening"):
            options["first"] = Expression(b, self._optimizer_step(graph), True)
        return {key: float(value) if key in ("weight_decay", "eps", "momentum") and not isinstance(value, Expression) else value
                for key, value in options.items()}

    # -- Groups

    def _group(self, graph: StepGraph, variables: Variables, index: int, options: Dict[str, Any], gradients: Mapping[str, Tensor]) -> List[str]:
        numbers: Dict[str, Number] = {}
        assigns: List[str] = []
        for parameter in self._parameters(index, gradients):
            assigns += self._parameter(graph, variables, index, parameter, options, numbers, gradients[str(self.state.name_of(parameter))])
        return assigns + [variables.assign(name, one.after, one.read) for name, one in numbers.items()]

    def _number(self, graph: StepGraph, variables: Variables, name: str, value: float, slot: str, numbers: Dict[str, Number]) -> Number:
        """A number that parameters share. Formulas get the `step` after this one."""
        if name not in numbers:
            b = graph.walk.b
            graph.variable(name, np.float32(value))
            now = variables.value(name)
            after = b.add(now, b.like(1, now)) if slot == "step" else now
            numbers[name] = Number(now, after, Expression(b, b.cast(after, "float64"), True))
        return numbers[name]

    def _parameter(self, graph: StepGraph, variables: Variables, index: int, parameter: Any, options: Dict[str, Any], numbers: Dict[str, Number],
                   gradient: Tensor) -> List[str]:
        """Adds the formula for one parameter. Returns the nodes that assign it and its slots."""
        b, state, group = graph.walk.b, self.state, self.state.optimizer.param_groups[index]
        name = str(state.name_of(parameter))
        now = variables.value(name)
        b.scope.path = f"optimizer/{name}"
        slots: Dict[str, Expression] = {}
        shared = {slot: state.scalar_name(index, slot, parameter) for slot in state.scalars_of(group)}
        for slot, default in state.scalars_of(group).items():
            slots[slot] = self._number(graph, variables, shared[slot], state.scalar(parameter, slot, default), slot, numbers).value
        names = {slot: state.slot_name(parameter, slot) for slot in state.slots_of(group)}
        for slot, default in state.slots_of(group).items():
            graph.variable(names[slot], array_of(state.slot(parameter, slot, default)))
            slots[slot] = Expression(b, variables.value(names[slot]))
        first = b.pointwise("Equal", options["first"].tensor, b.const(0, "int64")) if options.get("dampening") else None
        compute = FORMULAS[type(state.optimizer).__name__].compute
        after, changed = compute(Step(Expression(b, now), Expression(b, gradient), slots, options, first))
        assigns = [variables.assign(name, after.tensor, now)]
        for slot, value in changed.items():
            if slot in names:
                assigns.append(variables.assign(names[slot], value.tensor, slots[slot].tensor))
            else:
                numbers[shared[slot]] = numbers[shared[slot]]._replace(after=b.cast(value.tensor, "float32"))
        return assigns


def _as_tensor(values: Any) -> Any:
    import torch

    return torch.from_numpy(np.ascontiguousarray(values))
