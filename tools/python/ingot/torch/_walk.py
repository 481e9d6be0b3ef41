# SPDX-License-Identifier: Apache-2.0
"""Walks a graph of torch.fx and adds the nodes of its ops to a MetaGraph.

Nodes are named by the modules that call the ops, those of gradients under `gradients/`, and carry the user's lines. What
cannot be exported is collected, and raised all at once.
"""

from __future__ import annotations

import operator
import re
from typing import Any, Dict, List, Optional, Sequence

import numpy as np
import torch

from .._errors import export_error, is_users
from .._metagraph import Line, MetaGraph, Tensor, node_name
from .._walking import Refused, Walking
from . import _rules

try:
    import ml_dtypes  # Registers the type bfloat16 with NumPy.
except ImportError:
    ml_dtypes = None

FRAME = re.compile(r'File "([^"]+)", line (\d+)')
_DTYPES = {torch.float32: "float32", torch.float64: "float64", torch.float16: "float16", torch.bfloat16: "bfloat16",
           torch.int8: "int8", torch.int16: "int16", torch.int32: "int32", torch.int64: "int64", torch.uint8: "uint8",
           torch.uint16: "uint16", torch.uint32: "uint32", torch.uint64: "uint64", torch.bool: "bool"}


def type_of(dtype: Any) -> str:
    """The element type, a key of TYPES, of a torch.dtype. Raises Refused if a graph has none such."""
    if dtype not in _DTYPES:
        raise Refused(f"{str(dtype).replace('torch.', '')}: this element type is not supported")
    if dtype == torch.bfloat16 and ml_dtypes is None:
        raise Refused("bfloat16: this element type needs the package ml_dtypes")
    return _DTYPES[dtype]


def array_of(tensor: torch.Tensor) -> Any:
    """Returns a tensor's values as a NumPy array."""
    tensor = tensor.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        if ml_dtypes is None:
            raise export_error("tensors of bfloat16 need the package ml_dtypes")
        return tensor.contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.contiguous().numpy()


class Value:
    """The type and shape of an op's result."""

    def __init__(self, fake: Any) -> None:
        self.dtype = type_of(fake.dtype)
        self.shape = tuple(int(size) for size in fake.shape)


class Walk(Walking):
    """Adds graphs to `meta`. While a rule runs, `out` is its op's result, or `outs` its results, `name` the op, and `node`
    the node of torch.fx."""

    def __init__(self, meta: MetaGraph, seed: Optional[int] = None) -> None:
        super().__init__(meta)
        self.seed = seed
        self.draws = 0
        self.outs: List[Value] = []
        self.name = ""
        self.node: Any = None
        self._values: Dict[Any, Any] = {}

    @property
    def out(self) -> Value:
        return self.outs[0]

    # -- Graphs

    def run(self, graph: Any, module: Any, arguments: Sequence[Tensor], scope: str = "", wanted: Optional[Sequence[int]] = None) -> List[Optional[Tensor]]:
        """Adds the ops that the outputs of `graph` need, of which `wanted` are needed. Returns the outputs; those that are
        not tensors, or not wanted, are None. `module` has the constants."""
        self._path = [scope] if scope else []
        given = iter(arguments)
        output = next(node for node in graph.nodes if node.op == "output")
        results = list(output.args[0])
        results = [one if wanted is None or index in wanted else None for index, one in enumerate(results)]
        live = _live(graph, [one for one in results if isinstance(one, torch.fx.Node)])
        self._values = {}
        for node in graph.nodes:
            if node.op == "placeholder":
                self._values[node] = next(given)
            elif node in live and node.op == "get_attr":
                self._values[node] = self._constant(module, node)
            elif node in live and node.op == "call_function":
                self._values[node] = self._call(node)
        found = [self._values[one] if isinstance(one, torch.fx.Node) else None for one in results]
        self._values, self._path, self._line = {}, [], None
        self.meta.graph.path, self.meta.graph.line = "", None
        return found

    def _constant(self, module: Any, node: Any) -> Any:
        value = module
        for part in str(node.target).split("."):
            value = getattr(value, part)
        if not isinstance(value, torch.Tensor):
            return value
        try:
            type_of(value.dtype)
        except Refused as refused:
            self.problem(str(refused))
            return self.b.const(np.zeros(value.shape, np.float32))
        return self.b.const(array_of(value))

    def _call(self, node: Any) -> Any:
        if node.target is operator.getitem:
            return self._values[node.args[0]][node.args[1]]
        self._line = line_of(node) or self._line
        before = list(self._path)
        if node.meta.get("partitioner_tag") == "is_backward" and "gradients" not in self._path:
            self._path = ["gradients", *self._path]
        self._path += module_path(node)
        self.b.scope.path, self.b.scope.line = "/".join(self._path), self._line
        try:
            return self._apply(node)
        except Refused as refused:
            self.problem(str(refused))
            return self._dummies(node)
        finally:
            self._path = before
            self.b.scope.path, self.b.scope.line = "", None

    def _apply(self, node: Any) -> Any:
        self.node, self.name = node, _rules.name_of(node.target)
        if not isinstance(node.target, torch._ops.OpOverload):
            name = getattr(node.target, "__name__", self.name)
            raise Refused(f"{name}: {_rules.REASONS.get(str(name), 'this op of PyTorch has no mapping')}")
        fakes = node.meta["val"]
        several = isinstance(fakes, (tuple, list))
        arguments = _rules.bound(node.target, node.args, node.kwargs)
        self.outs = [Value(one) for one in (fakes if several else [fakes]) if isinstance(one, torch.Tensor)]
        for key, value in arguments.items():
            arguments[key] = self._given(value)
        made = _rules.RULES[self.name].function(self, **arguments)
        results = list(made) if isinstance(made, (list, tuple)) else [made]
        for fake, result in zip(fakes if several else [fakes], results):
            if isinstance(result, Tensor) and isinstance(fake, torch.Tensor):
                expected = (type_of(fake.dtype), tuple(fake.shape))
                assert (result.dtype, result.shape) == expected, f"{self.name}: {result.dtype}{list(result.shape)} for {expected}"
        return results if several else results[0]

    def _given(self, value: Any) -> Any:
        """An argument with tensors in place of nodes."""
        if isinstance(value, torch.fx.Node):
            return self._values[value]
        if isinstance(value, (list, tuple)):
            return [self._given(one) for one in value]
        if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            raise Refused(f"{self.name}: shapes are static in a trainer: trace with sizes that are numbers")
        if isinstance(value, complex):
            raise Refused(f"{self.name}: complex numbers are not supported")
        return value

    def _dummies(self, node: Any) -> Any:
        """Stands for results that cannot be exported."""

        def dummy(fake: Any) -> Any:
            if not isinstance(fake, torch.Tensor):
                return fake
            return self.b.const(np.zeros(tuple(fake.shape), np.dtype(_dummy_type(fake.dtype))))

        fakes = node.meta.get("val")
        return [dummy(one) for one in fakes] if isinstance(fakes, (tuple, list)) else dummy(fakes)

    # -- Helpers for rules

    def tensor(self, value: Any, dtype: str) -> Tensor:
        """A tensor, or a number of Python, as a tensor of `dtype`."""
        if isinstance(value, Tensor):
            return self.cast(value, dtype)
        return self.b.const(_converted(value, dtype), dtype)

    def cast(self, x: Tensor, dtype: str) -> Tensor:
        """Converts as torch does: to booleans whether elements differ from zero."""
        if dtype == "bool" and x.dtype != "bool":
            return self.b.pointwise("NotEqual", x, self.b.like(0, x))
        return self.b.cast(x, dtype)

    def expanded(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        """Broadcasts to `shape`, by NumPy's rules."""
        shape = tuple(shape)
        thin = x.thin
        if thin.rank == 0 or len(shape) == x.rank:
            return self.b.broadcast(x, shape)
        return self.b.broadcast(self.b.reshape(thin if thin.rank == x.rank else x, [1] * (len(shape) - x.rank) + list(thin.shape)), shape)

    def aligned(self, *inputs: Tensor) -> List[Tensor]:
        """Tensors of one rank, such that they broadcast; scalars stay scalars."""
        rank = max(one.rank for one in inputs)
        return [self.expanded(one, [1] * (rank - one.rank) + list(one.shape)) if 0 < one.rank < rank else one for one in inputs]

    def pointwise(self, op: str, *inputs: Tensor, **attributes: Any) -> Tensor:
        """An op that computes each element by itself, whose operands broadcast by NumPy's rules."""
        return self.b.pointwise(op, *self.aligned(*inputs), **attributes)

    def select(self, condition: Tensor, yes: Tensor, no: Tensor) -> Tensor:
        """Selects elements; a scalar is taken as it is, others have one rank."""
        condition, yes, no = self.aligned(condition, yes, no)
        shape = np.broadcast_shapes(condition.shape, yes.shape, no.shape)
        if condition.rank == 0 and shape:
            condition = self.b.broadcast(condition, shape)
        return self.b.pointwise("SelectV2", condition, yes, no)

    def op(self, op: str, *inputs: Any, shape: Sequence[int], **attributes: Any) -> Tensor:
        """Adds a node with one result of `shape`."""
        made: Tensor = self.b.scope.op(op, *inputs, shapes=[shape], **attributes)
        return made

    def zeros(self, shape: Sequence[int], dtype: str) -> Tensor:
        return self.b.broadcast(self.b.const(0, dtype), shape)



def _converted(value: Any, dtype: str) -> Any:
    """A number of Python as one of `dtype`: floats are truncated, and negative integers of unsigned types wrap around."""
    if dtype == "bool":
        return bool(value)
    if not dtype.lstrip("u").startswith("int"):
        return value
    return int(value) % (1 << np.dtype(dtype).itemsize * 8) if dtype.startswith("u") else int(value)


def _dummy_type(dtype: Any) -> str:
    return _DTYPES.get(dtype, "float32")


def line_of(node: Any) -> Line:
    """The user's innermost line in a node's stack trace."""
    found = [(file, int(line)) for file, line in FRAME.findall(node.meta.get("stack_trace") or "") if is_users(file)]
    return found[-1] if found else None


def module_path(node: Any) -> List[str]:
    """The path of the module that calls a node's op, as parts of the node's name."""
    stack = node.meta.get("nn_module_stack") or {}
    path = str(list(stack.values())[-1][0]) if stack else ""
    parts = path.split(".")
    return [node_name(part) for part in (parts[1:] if parts[0] == "model" else parts) if part]


def _live(graph: Any, wanted: Sequence[Any]) -> Any:
    """The nodes that the nodes `wanted` need."""
    needed = set(wanted)
    for node in reversed(list(graph.nodes)):
        if node in needed:
            needed.update(node.all_input_nodes)
    return needed
