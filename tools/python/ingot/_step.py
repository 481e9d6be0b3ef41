# SPDX-License-Identifier: Apache-2.0
"""What graphs of training steps share, whatever front end writes them: variables with their first values, the step's end,
evaluations and entries."""

from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Optional, Sequence

import numpy as np

from ._errors import export_error
from ._metagraph import MetaGraph, Tensor, is_uniform, node_name
from ._walking import Walking
from ._wire import Type

# Values of more bytes than this are read from files beside the graph.
_MOST_BYTES_OF_CONSTANT = 64 << 10


class StepGraphBase:
    """The graph of a training step. `path` is the file that it is written to, beside which large values lie."""

    def __init__(self, path: str, meta: MetaGraph, walk: Walking) -> None:
        self.meta = meta
        self._walking = walk
        self.path = path
        graph = self.meta.graph
        self.global_step = self.meta.add_variable("global_step", graph.constant(np.int64(0), "global_step/Initializer"))

    def initial(self, name: str, array: Any) -> Tensor:
        """A variable's first value: a constant, or the bytes of a file beside the graph."""
        graph = self.meta.graph
        if array.nbytes <= _MOST_BYTES_OF_CONSTANT or is_uniform(array):
            return graph.constant(array, f"{name}/Initializer")
        folder = os.path.splitext(self.path)[0] + "-state"
        os.makedirs(folder, exist_ok=True)
        file = os.path.join(folder, name.replace("/", ".") + ".bin")
        array.tofile(file)
        relative = os.path.join(os.path.basename(folder), os.path.basename(file))
        content = graph.op("ReadFile", graph.constant(np.array(relative.encode(), object)), name=f"{name}/Initializer/file")
        numbers = graph.op("DecodeRaw", content, name=f"{name}/Initializer/numbers", shapes=[[array.size]], out_type=Type(array.dtype.name))
        initial: Tensor = graph.op("Reshape", numbers, graph.constant(np.array(array.shape, np.int32)), shapes=[array.shape],
                                   name=f"{name}/Initializer")
        return initial

    def assign(self, name: str, handle: Tensor, value: Tensor, read: str) -> str:
        """Assigns the variable `name`, after the node `read` has read its old value. Returns the node's name."""
        node = f"step/{name}/assign"
        self.meta.graph.op("AssignVariableOp", handle, value, name=node, after=[read])
        return node

    def end_step(self, names: Sequence[str], values: Sequence[Tensor], assigns: Sequence[str], length: int) -> None:
        """Adds what a step returns, by name, of which `loss` is minimized, and the node that runs a step. `length` is the
        number of steps in an epoch."""
        meta, graph = self.meta, self.meta.graph
        for name, value in zip(names, values):
            tensor = graph.op("Identity", value, name="loss" if name == "loss" else node_name(f"step/{name}"), shapes=[value.shape])
            for collection in ("loss", "losses") if name == "loss" else ("ingot_metrics",):
                meta.collect(collection, tensor.ref + ":0")
        graph.op("NoOp", name="step/done", after=assigns)
        graph.op("AssignAddVariableOp", self.global_step, graph.constant(np.int64(1)), name="train_op", after=["step/done", "loss"])
        meta.collect("train_op", "train_op")
        steps = graph.constant(np.int64(length), "steps_per_epoch")
        meta.add_signature("epoch", {}, {"steps": steps}, "ingot/epoch")

    def evaluation(self, figures: Mapping[str, Tensor]) -> None:
        """Adds the entry `eval`: of each figure the mean over all batches, and over examples if it has one for each."""
        meta, graph, b = self.meta, self.meta.graph, self._walking.b
        outputs: Dict[str, Any] = {}
        for name, value in figures.items():
            value = b.cast(value, "float32")
            total = meta.add_variable(f"evaluate/{name}/total", graph.constant(np.float32(0), f"evaluate/{name}/total/Initializer"), local=True)
            count = meta.add_variable(f"evaluate/{name}/count", graph.constant(np.float32(0), f"evaluate/{name}/count/Initializer"), local=True)
            added = [f"evaluate/{name}/add_total", f"evaluate/{name}/add_count"]
            graph.op("AssignAddVariableOp", total, b.reduce("Sum", value, range(value.rank)), name=added[0])
            graph.op("AssignAddVariableOp", count, b.const(value.size, "float32"), name=added[1])
            mean = graph.op("DivNoNan", meta.read(total, "float32", ()), meta.read(count, "float32", ()), name=f"evaluate/{name}/value")
            graph.op("NoOp", name=f"evaluate/{name}/update_op", after=added)
            outputs[f"metrics/{name}/value"], outputs[f"metrics/{name}/update_op"] = mean, f"evaluate/{name}/update_op"
        meta.add_signature("eval", {}, outputs, "tensorflow/supervised/eval")

    def entry(self, name: str, feeds: Mapping[str, Tensor], results: Mapping[str, Tensor]) -> None:
        """Adds the entry `name`, which computes `results` of the placeholders `feeds`."""
        graph = self.meta.graph
        outputs = {key: graph.op("Identity", value, name=f"{name}/outputs/{key}", shapes=[value.shape]) for key, value in results.items()}
        self.meta.add_signature(name, feeds, outputs, "tensorflow/serving/predict")


def evaluation_size(count: int, most: int, given: Optional[int]) -> int:
    """The size of an evaluation's batches, which divides the number of examples: a trace has one size of batches."""
    size = given or next(size for size in range(min(most, count), 0, -1) if count % size == 0)
    if count % size or (given is None and size < min(8, most, count)):
        raise export_error(f"validation data has {count} examples, which no batches of {given or most} or fewer divide: give "
                           "validation_batch_size, or another number of examples")
    return size


