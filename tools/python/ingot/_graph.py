# SPDX-License-Identifier: Apache-2.0
"""Builds a training graph for ingotc from functions that TensorFlow has traced.

The graph of a traced function is copied node by node, so that nodes keep the names of their layers. Captured variables,
tables and tensors become variables, tables and constants of the graph, with their present values as initial values.
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ._errors import ExportError, export_error
from ._lines import Lines, add_lines, lines_of, refuse_python
from ._names import Names, tensor_variable

# The most bytes of initial values, which are constants of the graph: a serialized GraphDef is limited to 2 GiB.
_MOST_BYTES_OF_CONSTANTS = 1 << 30

class Pipeline(NamedTuple):
    """A serialized tf.data pipeline.

    `spec` is the type of its elements, `length` their number (None if it is infinite or unknown), and `lines` are
    the user's lines that made its nodes.
    """

    graph_def: Any
    spec: Any
    length: Optional[int]
    lines: Lines


class Traced(NamedTuple):
    """The graph of a traced function, with its inputs and its results."""

    graph: Any
    inputs: List[Any]
    outputs: Any


class Imported(NamedTuple):
    """A copy of a traced function in the graph: its results, and an op `done` that runs all its side effects."""

    outputs: Any
    done: Any


def trace(function: Any, *specs: Any) -> Traced:
    """Traces `function` with arguments of the types `specs`. Raises ExportError, with the user's line, if that fails."""
    import tensorflow as tf

    try:
        concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
    except ExportError:
        raise
    except Exception as error:  # Whatever the user's code raises.
        raise export_error(f"{type(error).__name__}: {error}", error.__traceback__) from error
    inputs = concrete.graph.inputs[: len(concrete.graph.inputs) - len(concrete.captured_inputs)]
    return Traced(concrete.graph, inputs, concrete.structured_outputs)


class GraphWriter:
    """A tf.Graph to which variables, pipelines and functions are added, and which is written as a MetaGraphDef."""

    def __init__(self) -> None:
        import tensorflow as tf

        self.tf = tf
        self.v1 = tf.compat.v1
        self.graph = tf.Graph()
        self.signatures: Dict[str, Any] = {}
        self._variables: Dict[int, Any] = {}
        self._sources: List[Tuple[str, Any]] = []
        self._handles: Dict[int, Any] = {}
        self._tables: Dict[int, Any] = {}
        self._names = Names(["global_step"])
        self._lines: Lines = {}
        self._bytes = 0
        with self.graph.as_default():
            self.global_step = self.v1.train.get_or_create_global_step()

    # -- Variables

    def add_variable(self, name: str, variable: Any, initial: Any = None, local: bool = False) -> Any:
        """Adds a variable to the graph that corresponds to the user's `variable`, and returns it.

        Its initial value is `initial`, or else the present value of `variable`. With `local`, it is not saved, such as
        a counter of an evaluation's metric, and functions that capture `variable` do not use it.
        """
        source = tensor_variable(variable)
        value = source.numpy() if initial is None else initial
        self._bytes += value.nbytes
        if self._bytes > _MOST_BYTES_OF_CONSTANTS:
            raise export_error(f"the model's variables take more than {_MOST_BYTES_OF_CONSTANTS >> 30} GiB, which a "
                               f"graph's constants can't hold (at '{name}')")
        keys = self.v1.GraphKeys
        trainable = bool(getattr(variable, "trainable", False)) and not local
        collections = [keys.LOCAL_VARIABLES if local else keys.GLOBAL_VARIABLES]
        collections += [keys.TRAINABLE_VARIABLES] if trainable else []
        with self.graph.as_default():
            made = self.v1.Variable(
                self.tf.constant(value, source.dtype, value.shape), name=self._names.unique(name), dtype=source.dtype,
                trainable=trainable, collections=collections, use_resource=True, shape=value.shape)
        if not local:
            self._variables[id(source)] = made
            self._sources.append((made.op.name, source))
            self._handles[id(source.handle)] = source
        return made

    def named_sources(self) -> List[Tuple[str, Any]]:
        """Returns pairs: the name of a variable of the graph, and the user's variable that corresponds to it."""
        return list(self._sources)

    def has_variable(self, variable: Any) -> bool:
        return id(tensor_variable(variable)) in self._variables

    # -- Functions

    def add_function(self, traced: Traced, scope: str, inputs: Sequence[Any],
                     instead: Optional[Mapping[int, Any]] = None) -> Imported:
        """Copies a traced function into the graph under `scope`, with `inputs` as its arguments.

        `instead` maps the id of a user's variable to the variable of the graph that this copy uses for it.
        """
        source = traced.graph
        lines = lines_of(source)
        graph_def = source.as_graph_def(add_shapes=False)
        refuse_python(graph_def, "the step", lines)
        given = dict(zip((tensor.name for tensor in traced.inputs), inputs))
        for external, internal in source.captures:
            given[internal.name] = self._captured(external, internal, source, instead or {})
        # Placeholders of arguments and captured values are not copied: the values replace them.
        given_nodes = {name.split(":")[0] for name in given}
        kept = [node for node in graph_def.node if node.name not in given_nodes]
        for node in kept:
            # `_class` colocates ops on a device, which a trainer ignores, and may name nodes that are not copied.
            node.attr.pop("_class", None)
        del graph_def.node[:]
        graph_def.node.extend(kept)
        used = {edge.split("^")[-1].split(":")[0] for node in kept for edge in node.input}
        flat = [tensor for tensor in self.tf.nest.flatten(traced.outputs, expand_composites=True)]
        tensors = [tensor for tensor in flat if _is_symbolic(tensor) and tensor.name not in given]
        effects = [op.name for op in source.control_outputs if op.name not in given_nodes]
        with self.graph.as_default():
            found = self.tf.graph_util.import_graph_def(
                graph_def, input_map={name: tensor for name, tensor in given.items() if name.split(":")[0] in used},
                return_elements=[tensor.name for tensor in tensors] + effects, name=scope)
            by_name = dict(zip((tensor.name for tensor in tensors), found))
            by_name.update(given)
            outputs = [by_name[tensor.name] if _is_symbolic(tensor) else tensor for tensor in flat]
            done = self.tf.group(*found[len(tensors):], name=f"{scope}/done")
        for name, line in lines.items():
            # Nodes of functions ("node@function") keep their names, as functions are not copied under the scope.
            self._lines[name if "@" in name else f"{scope}/{name}"] = line
        return Imported(self.tf.nest.pack_sequence_as(traced.outputs, outputs, expand_composites=True), done)

    def _captured(self, external: Any, internal: Any, source: Any, instead: Mapping[int, Any]) -> Any:
        """Returns the variable's handle, table or constant of the graph that corresponds to a captured value."""
        # A function may also capture handles of an optimizer's slot variables without listing them in `variables`.
        known = self._handles.get(id(external))
        for variable in [*source.variables, *([] if known is None else [known])]:
            if variable.handle is external:
                key = id(tensor_variable(variable))
                if key in instead:
                    return instead[key].handle
                if key not in self._variables:
                    self.add_variable(str(variable.name).split(":")[0], variable)
                return self._variables[key].handle
        if external.dtype in (self.tf.resource, self.tf.variant):
            return self._table(external, internal, source)
        value = external.numpy()
        with self.graph.as_default():
            return self.tf.constant(value, external.dtype)

    def _table(self, external: Any, internal: Any, source: Any) -> Any:
        """Returns a lookup table of the graph with the present contents of a captured table."""
        if id(external) in self._tables:
            return self._tables[id(external)]
        uses = [(op.node_def, index) for op in internal.consumers()
                for index, tensor in enumerate(op.inputs) if tensor is internal]
        types = _types_of_table(uses, source.as_graph_def().library)
        if types is None:
            users = ", ".join(sorted({f"'{node.name}' ({node.op})" for node, _ in uses})) or "a function"
            raise export_error(f"what {users} uses is neither a variable nor a table of constants, so no graph can hold it")
        exported = self.tf.raw_ops.LookupTableExportV2(table_handle=external, Tkeys=types[0], Tvalues=types[1])
        keys, values = (tensor.numpy() for tensor in exported)
        with self.graph.as_default():
            handle = self.tf.raw_ops.HashTableV2(key_dtype=types[0], value_dtype=types[1],
                                                 shared_name=f"table_{len(self._tables)}")
            filled = self.tf.raw_ops.LookupTableImportV2(
                table_handle=handle, keys=self.tf.constant(keys), values=self.tf.constant(values))
            self.v1.add_to_collection(self.v1.GraphKeys.TABLE_INITIALIZERS, filled)
        self._tables[id(external)] = handle
        return handle

    # -- Input

    def add_pipeline(self, pipeline: Pipeline, name: str) -> Any:
        """Adds a pipeline and an iterator over it, which a session starts. Returns the iterator's next element."""
        graph_def, spec = pipeline.graph_def, pipeline.spec
        self._lines.update(pipeline.lines)
        results = [node for node in graph_def.node if node.op == "_Retval"]
        assert len(results) == 1, "a serialized dataset has one result"
        result = results[0].input[0]
        kept = [node for node in graph_def.node if node.op != "_Retval"]
        del graph_def.node[:]
        graph_def.node.extend(kept)
        with self.graph.as_default():
            (variant,) = self.tf.graph_util.import_graph_def(
                graph_def, return_elements=[result if ":" in result else result + ":0"], name=name)
            dataset = self.tf.data.experimental.from_variant(variant, spec)
            iterator = self.v1.data.make_initializable_iterator(dataset, shared_name=name)
            self.v1.add_to_collection(self.v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
            return iterator.get_next(name=f"{name}/next")

    # -- Output

    def add_signature(self, name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], method: str) -> None:
        """Adds a signature to the MetaGraphDef, from which ingotc makes an entry of the trainer."""
        info = self.v1.saved_model.build_tensor_info
        with self.graph.as_default():
            self.signatures[name] = self.v1.saved_model.build_signature_def(
                {key: info(tensor) for key, tensor in inputs.items()},
                {key: info(tensor) if hasattr(tensor, "op") else _op_info(tensor) for key, tensor in outputs.items()},
                method)

    def add_epoch(self, length: Optional[int]) -> None:
        """Adds the entry `epoch`, which returns the number of steps of an epoch, if `length` is known."""
        if length:
            with self.graph.as_default():
                steps = self.tf.constant(length, self.tf.int64, name="steps_per_epoch")
            self.add_signature("epoch", {}, {"steps": steps}, "ingot/epoch")

    def add_train_op(self, done: Any, loss: Any) -> Any:
        """Adds the op of a training step: runs `done`, then increments the global step. Returns the named loss."""
        v1 = self.v1
        with self.graph.as_default():
            loss = self.tf.identity(loss, name="loss")
            v1.add_to_collection(v1.GraphKeys.LOSSES, loss)
            v1.add_to_collection("loss", loss)
            with self.tf.control_dependencies([done]):
                v1.add_to_collection(v1.GraphKeys.TRAIN_OP, v1.assign_add(self.global_step, 1, name="train_op").op)
        return loss

    def write(self, path: str, max_to_keep: int = 5) -> None:
        """Writes the graph to `path`, with the ops that initialize, save and check variables."""
        write_graph(self.graph, path, self.signatures, self._lines, max_to_keep)


def write_graph(graph: Any, path: str, signatures: Mapping[str, Any], lines: Lines,
                max_to_keep: int, scaffold: Any = None) -> None:
    """Writes a graph as a MetaGraphDef. Adds the ops of tf.train.Scaffold, such as a saver, if they are missing."""
    import tensorflow as tf

    v1 = tf.compat.v1
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    was_open = not graph.finalized
    with graph.as_default():
        scaffold = scaffold or v1.train.Scaffold()
        if scaffold.saver is None and not v1.get_collection(v1.GraphKeys.SAVERS):
            variables = v1.global_variables() + v1.get_collection(v1.GraphKeys.SAVEABLE_OBJECTS)
            saver = v1.train.Saver(variables, max_to_keep=max_to_keep, save_relative_paths=True)
            v1.add_to_collection(v1.GraphKeys.SAVERS, saver)
        scaffold.finalize()
        meta = v1.train.export_meta_graph(graph=graph, saver_def=scaffold.saver.saver_def, strip_default_attrs=True)
    if was_open:
        graph._unsafe_unfinalize()  # Scaffold.finalize() has finalized the graph, but the user's script may still add to it.
    for name, signature in signatures.items():
        meta.signature_def[name].CopyFrom(signature)
    add_lines(meta.graph_def, lines)
    write_whole(path, meta.SerializeToString())


def write_whole(path: str, data: bytes) -> None:
    """Writes a file completely or not at all: to a temporary file, which is then renamed."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


# For each op that calls functions: the attributes that name the functions, and the index of the op's first input that
# is an argument of them.
_CALLS = {"PartitionedCall": (("f",), 0), "StatefulPartitionedCall": (("f",), 0), "If": (("then_branch", "else_branch"), 1),
          "StatelessIf": (("then_branch", "else_branch"), 1), "While": (("body", "cond"), 0), "StatelessWhile": (("body", "cond"), 0)}


def _types_of_table(uses: Sequence[Tuple[Any, int]], library: Any) -> Optional[Tuple[Any, Any]]:
    """Returns the types of a table's keys and values, from the lookups that use it; None if there are none.

    `uses` are pairs of a node and the index of its input that is the table. Functions of `library` are searched, too.
    """
    import tensorflow as tf

    functions = {function.signature.name: function for function in library.function}
    left = list(uses)
    while left:
        node, index = left.pop()
        if node.op in ("LookupTableFindV2", "LookupTableFind") and index == 0:
            return tf.as_dtype(node.attr["Tin"].type), tf.as_dtype(node.attr["Tout"].type)
        attributes, before = _CALLS.get(node.op, ((), 0))
        for attribute in attributes:
            function = functions.get(node.attr[attribute].func.name)
            if function is None or index < before:
                continue
            name = function.signature.input_arg[index - before].name
            left += [(inner, place) for inner in function.node_def for place, edge in enumerate(inner.input) if edge == name]
    return None


def _is_symbolic(tensor: Any) -> bool:
    return hasattr(tensor, "graph") and hasattr(tensor, "op") and not hasattr(tensor, "numpy")


def _op_info(op: Any) -> Any:
    from tensorflow.core.protobuf import meta_graph_pb2

    return meta_graph_pb2.TensorInfo(name=op.name)
