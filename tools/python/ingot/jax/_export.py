# SPDX-License-Identifier: Apache-2.0
"""`ingot.jax.export`: writes a step of JAX, its data, its state, its evaluation and its predictions as a graph."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import jax
import numpy as np

from .._arrays import add_batches, count_of
from .._errors import ExportError, export_error
from .._metagraph import MetaGraph, Tensor
from .._step import StepGraphBase, evaluation_size
from .._wire import Shape, Type
from . import (_control, _convolutions, _elementwise, _indexing, _linalg, _products, _random, _reductions, _refused, _shapes,  # noqa: F401
               _sorting, _special, _windows)
from ._random import pack, unpack
from ._state import State, array_of, is_key
from ._trace import Traced, arrays_of, batch_spec, first_input, trace_function, trace_step
from ._walk import Walk


class StepGraph(StepGraphBase):
    """The graph of a step: variables for its state, and functions traced by JAX that read them."""

    def __init__(self, state: State, path: str) -> None:
        meta = MetaGraph()
        self.walk = Walk(meta)
        super().__init__(path, meta, self.walk)
        self.state = state
        self._handles: List[Tuple[Tensor, Any]] = []
        for leaf in state.leaves:
            array = array_of(leaf.value)
            try:
                self.walk.type_of(leaf.value if hasattr(leaf.value, "dtype") else array)
            except Exception as refused:
                raise export_error(f"the state's '{leaf.name}': {refused}") from refused
            handle = self.meta.add_variable(leaf.name, self.initial(leaf.name, array))
            self._handles.append((handle, array))

    def _read(self, scope: str) -> Tuple[List[Tensor], List[str]]:
        """Reads the state's variables. Returns their values as JAX has them, and the names of the reading nodes."""
        values, nodes = [], []
        for leaf, (handle, array) in zip(self.state.leaves, self._handles):
            read = self.meta.read(handle, array.dtype.name, array.shape, f"{scope}/{leaf.name}/read")
            nodes.append(read.ref)
            values.append(pack(self.walk, read) if is_key(leaf.value) else read)
        return values, nodes

    def _call(self, scope: str, traced: Traced, inputs: Sequence[Tensor]) -> Tuple[List[Tensor], List[str], List[Tensor]]:
        """Adds a traced function of the state and `inputs`. Returns its results, and the reads of the state."""
        values, nodes = self._read(scope)
        self.walk._path = [scope] if scope != "step" else []
        results = self.walk.closed(traced.closed, [*values, *inputs])
        self.walk._path = []
        self.meta.graph.path, self.meta.graph.line = "", None
        return results, nodes, values

    # -- Entries

    def add_step(self, traced: Traced, batch: Sequence[Tensor], length: int) -> None:
        """Adds the training step. All variables are read before one is assigned."""
        results, reads, values = self._call("step", traced, batch)
        count = len(self.state.leaves)
        assigns = []
        for leaf, (handle, _), read, before, value in zip(self.state.leaves, self._handles, reads, values, results):
            if value.ref == read or is_key(leaf.value) and value is before:
                continue  # The step does not change this variable.
            value = unpack(self.walk, value) if is_key(leaf.value) else value
            assigns.append(self.assign(leaf.name, handle, value, read))
        self.end_step(traced.names, results[count:], assigns, length)

    def add_evaluation(self, traced: Traced, batch: Sequence[Tensor]) -> None:
        results, _, _ = self._call("evaluate", traced, batch)
        self.evaluation(dict(zip(traced.names, results)))

    def add_signature(self, name: str, traced: Traced, inputs: Mapping[str, Any]) -> None:
        """Adds an entry with placeholders for `inputs`, types by name."""
        graph = self.meta.graph
        feeds = {key: graph.op("Placeholder", name=f"{name}/{key}", shapes=[one.shape], dtype=Type(self.walk.type_of(one)),
                               shape=Shape(one.shape)) for key, one in inputs.items()}
        results, _, _ = self._call(name, traced, list(feeds.values()))
        self.entry(name, feeds, dict(zip(traced.names, results)))


def export(step: Any, state: Any, data: Any, path: Union[str, "os.PathLike[str]"] = "train.meta", *, batch_size: int = 32, shuffle: bool = True,
           seed: Optional[int] = None, loss: Optional[str] = None, validation_data: Any = None, evaluate: Any = None,
           validation_batch_size: Optional[int] = None, predict: Any = None, signatures: Optional[Mapping[str, Any]] = None,
           max_to_keep: int = 5) -> str:
    """Writes a training step of JAX with its data and its state to the file `path`, as a graph for ingotc.

    - `step(state, batch)` is what jax.jit would take: it returns the new state and a scalar loss, or metrics with `loss`
      among them; `loss` names another. `state` is any pytree, or modules of flax nnx, which the step changes. Training
      starts from its present values.
    - `data` is an array, or a tuple or dictionary of arrays, whose first axis are the examples: `batch` is of the same
      form. `batch_size`, `shuffle` and `seed` make batches of them. All batches are full: a trace has one shape.
    - `evaluate(state, batch)` returns figures of a batch of `validation_data`, whose means the trainer tells.
    - `predict(state, x)` becomes the entry `serving_default`; x is the first of a batch (x, y).
    - `signatures` maps names to pairs of a function of the state and inputs, and an example of its inputs.

    Raises ExportError with everything that cannot be exported, each with the user's line. Returns the path.
    """
    path = os.fspath(path)
    if (evaluate is None) != (validation_data is None):
        raise export_error("give both or neither of validation_data and evaluate=, the function that evaluates its batches")
    arrays, tree = arrays_of(data, "training data")
    count = count_of(arrays, "training data")
    if count < batch_size:
        raise export_error(f"training data has {count} examples, fewer than one batch of {batch_size}")
    known = State(state)
    batch = batch_spec(arrays, tree, batch_size)
    traced = trace_step(step, known, batch, loss)
    graph = StepGraph(known, path)
    tensors = add_batches(graph.meta, arrays, "training data", path, name="train_data", batch=batch_size, shuffle=shuffle, seed=seed,
                          repeat=True)
    graph.add_step(traced, tensors, count // batch_size)
    if evaluate is not None:
        _add_evaluation(graph, known, evaluate, validation_data, path, batch_size, validation_batch_size)
    entries = dict(signatures or {})
    if predict is not None:
        entries["serving_default"] = (predict, first_input(batch))
    for name, (function, example) in entries.items():
        inputs = jax.tree_util.tree_map(lambda one: jax.ShapeDtypeStruct(np.shape(one), jax.dtypes.canonicalize_dtype(one.dtype)), example)
        graph.add_signature(name, trace_function(function, known, inputs, "output"), _named_inputs(inputs))
    graph.walk.raise_problems()
    graph.meta.write(path, max_to_keep)
    return path


def _named_inputs(inputs: Any) -> Dict[str, Any]:
    from ._state import named

    return named(inputs, "x")


def _add_evaluation(graph: StepGraph, state: State, evaluate: Any, data: Any, path: str, batch_size: int, given: Optional[int]) -> None:
    arrays, tree = arrays_of(data, "validation data")
    size = evaluation_size(count_of(arrays, "validation data"), batch_size, given)
    traced = trace_function(evaluate, state, batch_spec(arrays, tree, size), "loss")
    tensors = add_batches(graph.meta, arrays, "validation data", path, name="validation_data", batch=size, shuffle=False, seed=None,
                          repeat=False)
    graph.add_evaluation(traced, tensors)


__all__ = ["ExportError", "export"]
