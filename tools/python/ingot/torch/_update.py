# SPDX-License-Identifier: Apache-2.0
"""Adds the optimizer's step to a graph: clipping, the options of each group, the slots' variables, and their assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional

import numpy as np

from .._metagraph import Tensor
from .._wire import Shape
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
    """How gradients change parameters. `clip_norm` and `clip_value` bound them before the optimizer sees them."""

    def __init__(self, state: State, options: Options, clip_norm: Optional[float], clip_value: Optional[float]) -> None:
        self.state = state
        self.options = options
        self.clip_norm = clip_norm
        self.clip_value = clip_value
        self._place: Optional[Tensor] = None
        self._step: Optional[Tensor] = None

    def apply(self, graph: StepGraph, gradients: Mapping[str, Tensor], read: Mapping[str, Tensor]) -> List[str]:
        """Adds the step. Returns the nodes that assign variables."""
        b = graph.walk.b
        b.scope.path = "clip_gradients"
        clipped = self._clipped(graph, gradients)
        b.scope.path = "optimizer"
        assigns: List[str] = []
        for index, group in enumerate(self.state.optimizer.param_groups):
            parameters = [one for one in group["params"] if self.state.name_of(one) in clipped]
            if parameters:
                assigns += self._group(graph, index, parameters, clipped, read)
        b.scope.path = ""
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

    def _global_step(self, graph: StepGraph) -> Tensor:
        if self._step is None:
            self._step = graph.meta.read(graph.global_step, "int64", (), "step/global_step/read")
        return self._step

    def _scheduled(self, graph: StepGraph, table: Any, name: str) -> List[Expression]:
        """What a table has for the present step; after its end, what it has last. One figure, or one for each column."""
        b = graph.walk.b
        columns = table.reshape(len(table), -1)
        changes = np.flatnonzero(np.any(columns[1:] != columns[:-1], 1)) + 1
        step = self._global_step(graph)
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
        return {key: float(value) if key in ("weight_decay", "eps", "momentum") and not isinstance(value, Expression) else value
                for key, value in options.items()}

    # -- Groups

    def _group(self, graph: StepGraph, index: int, parameters: List[Any], gradients: Mapping[str, Tensor], read: Mapping[str, Tensor]) -> List[str]:
        options = self._options(graph, index)
        numbers: Dict[str, Number] = {}
        assigns: List[str] = []
        for parameter in parameters:
            name = str(self.state.name_of(parameter))
            assigns += self._parameter(graph, index, parameter, options, numbers, gradients[name], read[name])
        return assigns + [graph.assign(name, graph.handles[name][0], one.after, one.read.ref) for name, one in numbers.items()]

    def _number(self, graph: StepGraph, name: str, value: float, slot: str, numbers: Dict[str, Number]) -> Number:
        """A number that parameters share. Formulas get the `step` after this one."""
        if name not in numbers:
            b = graph.walk.b
            graph.variable(name, np.float32(value))
            now = graph.read(name, "step")
            after = b.add(now, b.like(1, now)) if slot == "step" else now
            numbers[name] = Number(now, after, Expression(b, b.cast(after, "float64"), True))
        return numbers[name]

    def _parameter(self, graph: StepGraph, index: int, parameter: Any, options: Dict[str, Any], numbers: Dict[str, Number],
                   gradient: Tensor, now: Tensor) -> List[str]:
        """Adds the formula for one parameter, whose value is `now`. Returns the nodes that assign it and its slots."""
        b, state, group = graph.walk.b, self.state, self.state.optimizer.param_groups[index]
        name = str(state.name_of(parameter))
        b.scope.path = f"optimizer/{name}"
        slots: Dict[str, Expression] = {}
        shared = {slot: state.scalar_name(index, slot, parameter) for slot in state.scalars_of(group)}
        for slot, default in state.scalars_of(group).items():
            slots[slot] = self._number(graph, shared[slot], state.scalar(parameter, slot, default), slot, numbers).value
        names = {slot: state.slot_name(parameter, slot) for slot in state.slots_of(group)}
        for slot, default in state.slots_of(group).items():
            graph.variable(names[slot], array_of(state.slot(parameter, slot, default)))
            slots[slot] = Expression(b, graph.read(names[slot], "step"))
        first = b.pointwise("Equal", self._global_step(graph), b.const(0, "int64")) if options.get("dampening") else None
        compute = FORMULAS[type(state.optimizer).__name__].compute
        after, changed = compute(Step(Expression(b, now), Expression(b, gradient), slots, options, first))
        assigns = [graph.assign(name, graph.handles[name][0], after.tensor, now.ref)]
        for slot, value in changed.items():
            if slot in names:
                assigns.append(graph.assign(names[slot], graph.handles[names[slot]][0], value.tensor, slots[slot].tensor.ref))
            else:
                numbers[shared[slot]] = numbers[shared[slot]]._replace(after=b.cast(value.tensor, "float32"))
        return assigns


def _as_tensor(values: Any) -> Any:
    import torch

    return torch.from_numpy(np.ascontiguousarray(values))
