# SPDX-License-Identifier: Apache-2.0
"""Builds MetaGraphDefs without TensorFlow: nodes, functions, variables, savers, collections and signatures.

A `Scope` is the graph or the body of a function; `Scope.op` adds a node and infers the attributes that name types and
numbers of tensors. A `MetaGraph` is the graph with all that ingotc reads beside the nodes.
"""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _wire
from ._names import Names
from ._ops import SIGNATURES
from ._wire import Function, Shape, Type

Line = Optional[Tuple[str, int]]

_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_.\\/>-]")


def node_name(text: str) -> str:
    """Returns `text` as a valid node name: other characters become `_`."""
    name = _NOT_ALLOWED.sub("_", text)
    return name if re.match(r"[A-Za-z0-9.]", name) else "v" + name


def is_uniform(array: Any) -> bool:
    """Whether all elements have the same bits."""
    bits = np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")
    return bool(bits[-1] == bits[0] and np.all(bits == bits[0]))


class Tensor:
    """A tensor of a scope: its element type (a key of _wire.TYPES), its shape, and the node that computes it.

    `const` is its value where that is known. `thin`, of a tensor that is broadcast, is the tensor before broadcasting,
    of the same rank or of rank 0; then the broadcast itself is only added to the graph when `ref` is asked for.
    `turned`, of a tensor that Builder.turn has made, is the tensor whose axes are turned, and their order; the transpose
    itself is only added when `ref` is asked for. `origin` are tensors that this one was packed of, for a front end that
    needs them again.
    """

    def __init__(self, dtype: str, shape: Sequence[int], ref: str = "", const: Any = None, thin: Optional[Tensor] = None,
                 make: Optional[Callable[[], str]] = None) -> None:
        self.dtype = dtype
        self.shape = tuple(int(size) for size in shape)
        self.const = const
        self.origin: Optional[Tuple[Tensor, Tensor]] = None
        self.turned: Optional[Tuple[Tensor, Tuple[int, ...]]] = None
        self._thin = thin
        self._ref = ref
        self._make = make

    @property
    def ref(self) -> str:
        """The input of a node that uses this tensor."""
        if not self._ref and self._make is not None:
            self._ref = self._make()
        return self._ref

    @property
    def thin(self) -> Tensor:
        return self if self._thin is None else self._thin

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))


class Scope:
    """Nodes of a graph or, with a name, of a function. `path` and `line` are the name and line of nodes to come."""

    def __init__(self, function: str = "", lines: Optional[Dict[str, Tuple[str, int]]] = None) -> None:
        self.function = function
        self.path = ""
        self.line: Line = None
        self.nodes: List[bytes] = []
        self.lines: Dict[str, Tuple[str, int]] = {} if lines is None else lines
        self._counts: Dict[str, int] = {}
        self._constants: Dict[Any, Tensor] = {}

    def op(self, op: str, *inputs: Any, shapes: Sequence[Sequence[int]] = ((),), name: str = "", after: Sequence[str] = (),
           **attributes: Any) -> Any:
        """Adds a node. Returns its output, or the list of its outputs if its signature has a list or several.

        An input is a Tensor, or a list of Tensors where the signature has a list. `shapes` are those of the outputs, and
        `after` the names of nodes that run before. Attributes that the inputs do not say, such as the type that Cast
        returns, are given by name.
        """
        signature = SIGNATURES[op]
        assert len(inputs) == len(signature.inputs), f"{op} has {len(signature.inputs)} inputs"
        refs: List[str] = []
        known: Dict[str, Any] = dict(attributes)
        for argument, given in zip(signature.inputs, inputs):
            many = list(given) if argument.number else [given]
            refs += [one.ref for one in many]
            if argument.number == "list":
                known.setdefault(argument.type, [Type(one.dtype) for one in many])
                continue
            if argument.number:
                known[argument.number] = len(many)
            if argument.type not in _wire.TYPES:
                known.setdefault(argument.type, Type(many[0].dtype))
        short = op.rpartition(">")[2]
        unique = self._unique(name or node_name(f"{self.path}/{short}" if self.path else short))
        self.nodes.append(_wire.node(unique, op, [*refs, *("^" + one for one in after)], known))
        if self.line is not None:
            self.lines[f"{unique}@{self.function}" if self.function else unique] = self.line
        return self._outputs(op, unique, known, shapes)

    def _unique(self, name: str) -> str:
        """Returns the first of `name`, `name_1`, `name_2`, ... that no node of the scope has; case is ignored."""
        found, count = name, self._counts.get(name.lower(), -1)
        while found.lower() in self._counts:
            count += 1
            found = f"{name}_{count}" if count else name
        self._counts[name.lower()] = max(count, 0)
        self._counts.setdefault(found.lower(), 0)
        return found

    def _outputs(self, op: str, node: str, known: Mapping[str, Any], shapes: Sequence[Sequence[int]]) -> Any:
        found: List[Tensor] = []
        several = len(SIGNATURES[op].outputs) != 1
        for argument in SIGNATURES[op].outputs:
            if argument.number == "list":
                types = [one.name for one in known[argument.type]]
                several = True
            else:
                dtype = known[argument.type].name if argument.type in known else "int32" if argument.type == "index_type" else argument.type
                types = [dtype] * (int(known[argument.number]) if argument.number else 1)
                several = several or bool(argument.number)
            for index, dtype in enumerate(types):
                # In functions, an output is named by its argument; in graphs, outputs are numbered.
                ref = f"{node}:{argument.name}:{index}" if self.function else f"{node}:{len(found)}" if found else node
                found.append(Tensor(dtype, shapes[len(found) if len(shapes) > 1 else 0], ref))
        return found if several or not found else found[0]

    def constant(self, value: Any, name: str = "") -> Tensor:
        """Adds a constant, or returns the one with the same value that was added before."""
        array = np.asarray(value)
        dtype = "string" if array.dtype.kind in "SO" else array.dtype.name
        first = array.flat[0] if array.size > 1 and dtype != "string" else None
        if first is not None and is_uniform(array):
            # All elements are equal: a Fill of one element keeps the graph small.
            sizes = self.constant(np.array(array.shape, np.int32))
            key: Any = ("fill", dtype, array.shape, first.tobytes())
            if key not in self._constants:
                made = self.op("Fill", sizes, self.constant(first), shapes=[array.shape], name=name)
                made.const = array if array.size <= 1024 else None
                self._constants[key] = made
            return self._constants[key]
        key = (dtype, array.shape, repr(array.tolist()) if dtype == "string" else array.tobytes())
        if name or key not in self._constants:
            path, self.path = self.path, ""
            made = self.op("Const", shapes=[array.shape], name=name, dtype=Type(dtype), value=array)
            self.path = path
            made.const = array if array.size <= 1024 and dtype != "string" else None
            self._constants[key] = made
        return self._constants[key]


class MetaGraph:
    """A graph with its variables, functions, collections and signatures, which `write` makes a MetaGraphDef of."""

    def __init__(self) -> None:
        self.graph = Scope()
        self._functions: List[bytes] = []
        self._function_names = Names([])
        self._nodes: Dict[str, List[str]] = {}
        self._variables: Dict[str, List[bytes]] = {}
        self._saved: List[Tuple[str, str]] = []
        self._handles: Dict[str, Tensor] = {}
        self._signatures: Dict[str, bytes] = {}

    # -- Functions

    def function_scope(self, name: str) -> Scope:
        return Scope(self._function_names.unique(re.sub(r"[^A-Za-z0-9_]", "_", name) or "function"), self.graph.lines)

    def add_function(self, scope: Scope, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Function:
        """Adds a function whose body is `scope`; `inputs` were made by `argument`."""
        results = [(f"result_{index}", one.dtype, one.ref) for index, one in enumerate(outputs)]
        self._functions.append(_wire.function(scope.function, [(one.ref, one.dtype) for one in inputs], results, scope.nodes))
        return Function(scope.function)

    # -- Variables

    def add_variable(self, name: str, initial: Tensor, trainable: bool = False, local: bool = False) -> Tensor:
        """Adds a variable, saved unless it is local, and returns its handle. `initial` is its first value."""
        graph = self.graph
        handle: Tensor = graph.op("VarHandleOp", name=name, dtype=Type(initial.dtype), shape=Shape(initial.shape), shared_name=name)
        graph.op("AssignVariableOp", handle, initial, name=f"{name}/Assign")
        read = self.read(handle, initial.dtype, initial.shape, f"{name}/Read")
        definition = (_wire.block(1, name + ":0") + _wire.block(2, f"{name}/Assign") + _wire.block(3, read.ref + ":0")
                      + _wire.integer(5, 1) + _wire.block(6, initial.ref + ":0") + (_wire.integer(7, 1) if trainable else b""))
        self._variables.setdefault("local_variables" if local else "variables", []).append(definition)
        if trainable:
            self._variables.setdefault("trainable_variables", []).append(definition)
        if name == "global_step":
            self._variables["global_step"] = [definition]
        if not local:
            self._saved.append((name, initial.dtype))
        self._handles[name] = handle
        return handle

    def read(self, handle: Tensor, dtype: str, shape: Sequence[int], name: str = "") -> Tensor:
        read: Tensor = self.graph.op("ReadVariableOp", handle, shapes=[shape], name=name, dtype=Type(dtype))
        return read

    # -- Collections and signatures

    def collect(self, collection: str, node: str) -> None:
        self._nodes.setdefault(collection, []).append(node)

    def add_signature(self, name: str, inputs: Mapping[str, Tensor], outputs: Mapping[str, Any], method: str) -> None:
        """Adds a signature, from which ingotc makes an entry. An output is a Tensor, or the name of a node to run."""

        def info(one: Any) -> bytes:
            if isinstance(one, str):
                return _wire.block(1, one)
            name = one.ref if ":" in one.ref else one.ref + ":0"
            return _wire.block(1, name) + _wire.integer(2, _wire.TYPES[one.dtype]) + _wire.block(3, _wire.shape(one.shape))

        self._signatures[name] = (_wire.entries(1, {key: info(one) for key, one in inputs.items()})
                                  + _wire.entries(2, {key: info(one) for key, one in outputs.items()}) + _wire.block(3, method))

    # -- Output

    def _add_saver(self, max_to_keep: int) -> bytes:
        """Adds the nodes of a tf.train.Saver of all variables that are saved, and returns its SaverDef."""
        graph = self.graph
        prefix = graph.op("PlaceholderWithDefault", graph.constant(np.bytes_(b"model"), "save/filename/input"), name="save/filename",
                          shape=Shape([]))
        prefix = graph.op("PlaceholderWithDefault", prefix, name="save/Const", shape=Shape([]))
        saved = sorted(self._saved)
        names = graph.constant(np.array([name.encode() for name, _ in saved], object), "save/SaveV2/tensor_names")
        slices = graph.constant(np.array([b""] * len(saved), object), "save/SaveV2/shape_and_slices")
        reads = [self.read(self._handles[name], dtype, ()) for name, dtype in saved]
        graph.op("SaveV2", prefix, names, slices, reads, name="save/SaveV2")
        graph.op("Identity", prefix, name="save/control_dependency", after=["save/SaveV2"])
        values = graph.op("RestoreV2", prefix, names, slices, name="save/RestoreV2", dtypes=[Type(dtype) for _, dtype in saved])
        assigns = []
        for index, ((name, _), value) in enumerate(zip(saved, values)):
            same = graph.op("Identity", value, name=f"save/Identity_{index}")
            assigns.append(f"save/AssignVariableOp_{index}")
            graph.op("AssignVariableOp", self._handles[name], same, name=assigns[-1])
        graph.op("NoOp", name="save/restore_all", after=assigns)
        return (_wire.block(1, "save/Const:0") + _wire.block(2, "save/control_dependency:0") + _wire.block(3, "save/restore_all")
                + _wire.integer(4, max_to_keep) + b"\x35" + np.float32(10000).tobytes() + _wire.integer(7, 2))

    def serialize(self, max_to_keep: int = 5) -> bytes:
        """Returns the MetaGraphDef, after which nothing can be added."""
        self.graph.path, self.graph.line = "", None
        saver = self._add_saver(max_to_keep)
        library = _wire.blocks(1, self._functions)
        # The GraphDef's producer version is that of TensorFlow 2.10, 1087: the ops used here have not changed since.
        graph = (_wire.blocks(1, self.graph.nodes) + _wire.block(2, library) + _wire.block(4, _wire.integer(1, 1087) + _wire.integer(2, 12))
                 + _wire.block(5, _wire.debug_info(self.graph.lines)))
        collections = {key: _wire.block(1, _wire.blocks(1, nodes)) for key, nodes in self._nodes.items()}
        collections.update({key: _wire.block(2, _wire.blocks(1, found)) for key, found in self._variables.items()})
        collections["savers"] = _wire.block(2, _wire.blocks(1, [saver]))
        return (_wire.block(2, graph) + _wire.block(3, saver) + _wire.entries(4, collections) + _wire.entries(5, self._signatures))

    def write(self, path: str, max_to_keep: int = 5) -> None:
        from ._graph import write_whole

        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        write_whole(path, self.serialize(max_to_keep))


def argument(name: str, dtype: str, shape: Sequence[int]) -> Tensor:
    """An argument of a function: `name` has lower-case letters, digits and `_`."""
    return Tensor(dtype, shape, name)
