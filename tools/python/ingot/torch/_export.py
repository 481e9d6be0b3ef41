# SPDX-License-Identifier: Apache-2.0
"""`ingot.torch.export`: writes a model of PyTorch, its loss, its optimizer and its data as a graph of a training step."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import torch

from .._arrays import add_batches, count_of
from .._errors import ExportError, export_error, line_of
from .._metagraph import MetaGraph, Tensor
from .._step import StepGraphBase, evaluation_size
from .._walking import Refused
from .._wire import Shape, Type
from . import _convolutions, _elementwise, _indexing, _loops, _normalization, _pooling, _products, _random, _reductions, _refused, _shapes  # noqa: F401
from ._data import Data, data_of
from ._functions import Split, Targets, evaluating, evaluation, prediction, training
from ._schedules import Options, interval
from ._state import State, Variable, unwrapped
from ._trace import Traced, trace
from ._update import Update
from ._walk import Walk, array_of, type_of


class StepGraph(StepGraphBase):
    """The graph of a step: variables for its state, and graphs traced by torch that read them."""

    def __init__(self, state: State, path: str, seed: Optional[int]) -> None:
        meta = MetaGraph()
        self.walk = Walk(meta, seed)
        super().__init__(path, meta, self.walk)
        self.state = state
        self.handles: Dict[str, Tuple[Tensor, Tensor]] = {}
        self._constants: Dict[str, Tensor] = {}
        self._step: Optional[Tensor] = None

    def add_variables(self, changed: Sequence[str]) -> None:
        """Adds the variables of the modules: those that they save, and those that the step changes."""
        for one in self.state.variables:
            if one.persistent or one.name in changed:
                self.variable(one.name, self._array(one), isinstance(one.tensor, torch.nn.Parameter) and one.tensor.requires_grad)

    def variable(self, name: str, array: Any, trainable: bool = False) -> None:
        initial = self.initial(name, array)
        self.handles[name] = (self.meta.add_variable(name, initial, trainable), initial)

    @staticmethod
    def _array(one: Variable) -> Any:
        try:
            type_of(one.tensor.dtype)
        except Refused as refused:
            raise export_error(f"'{one.name}': {refused}") from refused
        return array_of(one.tensor)

    def read(self, name: str, scope: str) -> Tensor:
        handle, initial = self.handles[name]
        return self.meta.read(handle, initial.dtype, initial.shape, f"{scope}/{name}/read")

    def global_step_read(self) -> Tensor:
        if self._step is None:
            self._step = self.meta.read(self.global_step, "int64", (), "step/global_step/read")
        return self._step

    def constant(self, name: str, tensor: torch.Tensor) -> Tensor:
        """A tensor that does not change: a constant, or a variable that no checkpoint has if it is large."""
        array = array_of(tensor)
        if array.nbytes <= 64 << 10:
            return self.walk.b.const(array)
        if name not in self._constants:
            unique = f"constants/{len(self._constants)}"
            handle = self.meta.add_variable(unique, self.initial(unique, array), local=True)
            self._constants[name] = self.meta.read(handle, array.dtype.name, array.shape, f"{unique}/read")
        return self._constants[name]

    def call(self, scope: str, traced: Traced, batch: Sequence[Tensor], wanted: Optional[Sequence[int]] = None) -> Tuple[List[Any], Dict[str, Tensor]]:
        """Adds a traced graph. Returns its outputs, and the values of the state that it reads."""
        given = iter(batch)
        read: Dict[str, Tensor] = {}
        arguments: List[Tensor] = []
        tensors = {one.name: one.tensor for one in self.state.variables}
        placeholders = [node for node in traced.module.graph.nodes if node.op == "placeholder"]
        for one, node in zip(traced.inputs, placeholders):
            name = self.state.aliases.get(one.name, one.name)
            if one.kind == "batch":
                arguments.append(next(given))
            elif one.kind == "constant" or name not in self.handles:
                arguments.append(self.constant(one.name, tensors.get(name, one.value)))
            else:
                if name not in read and (node.users or name in traced.trained):
                    read[name] = self.read(name, scope)
                arguments.append(read.get(name) or self.walk.b.const(0, "float32"))
        arguments += [self.walk.b.const(1, type_of(node.meta["val"].dtype)) for node in placeholders[len(arguments):]]
        results = self.walk.run(traced.module.graph, traced.module, arguments, "" if scope == "step" else scope, wanted)
        return results, read

    def add_step(self, traced: Traced, batch: Sequence[Tensor], length: int, update: Update) -> None:
        """Adds the training step: the graph of loss and gradients, and the optimizer's formula."""
        results, read = self.call("step", traced, batch)
        count = len(traced.names)
        assigns = []
        for alias, value in zip(traced.changed, results[count:]):
            name = self.state.aliases.get(alias, alias)
            if name in read and value is not read[name] and name in self.handles:
                assigns.append(self.assign(name, self.handles[name][0], value, read[name].ref))
        gradients: Dict[str, Tensor] = {}
        for one, gradient in zip(traced.inputs, results[count + len(traced.changed):]):
            if gradient is not None:
                name = self.state.aliases[one.name]
                gradients[name] = gradient if name not in gradients else self.walk.b.add(gradients[name], gradient)
        assigns += update.apply(self, gradients, read)
        b = self.walk.b
        outputs = [b.cast(b.reshape(results[0], []), "float32"), *results[1:count]]
        self.end_step(traced.names, outputs, assigns, length)


def _batches(graph: StepGraph, data: Data, what: str, name: str, size: int, shuffle: bool, seed: Optional[int], repeat: bool) -> List[Tensor]:
    return add_batches(graph.meta, data.arrays, what, graph.path, name=name, batch=size, shuffle=shuffle, seed=seed, repeat=repeat)


def export(model: torch.nn.Module, loss_fn: Optional[Callable[..., Any]], optimizer: torch.optim.Optimizer, data: Any,
           path: Union[str, "os.PathLike[str]"] = "train.meta", *, batch_size: Optional[int] = None, shuffle: Optional[bool] = None,
           seed: Optional[int] = None, targets: Targets = None, training_step: Optional[Callable[[Any, Any], Any]] = None,
           scheduler: Any = None, scheduler_interval: Optional[str] = None, max_steps: Optional[int] = None,
           clip_grad_norm: Optional[float] = None, clip_grad_value: Optional[float] = None, accumulate_steps: int = 1, validation_data: Any = None,
           evaluate: Optional[Callable[[Any, Any], Any]] = None, validation_batch_size: Optional[int] = None, predict: Any = None,
           max_to_keep: int = 5) -> str:
    """Writes a model of PyTorch with its loss, optimizer and data to the file `path`, as a graph for ingotc.

    - `model` is traced in the mode that it is in; training starts from its parameters, buffers and `optimizer`'s state.
    - `data` is a tuple of tensors or arrays, whose first axis are the examples, a TensorDataset, another dataset with a
      length, or a DataLoader, of which `batch_size` (32) and `shuffle` (True) are taken. All batches are full.
    - `loss_fn(model(x), y)` is minimized for a batch (x, y). `targets` is the number of a batch's last tensors that are
      targets. Of a dictionary, the model gets all but the keys `targets` as keywords. Without `loss_fn`, the model returns
      the loss, or an output that has a `loss`.
    - `training_step(model, batch)`, with a `loss_fn` of None, returns the loss, or a dictionary of figures with `loss`.
    - `scheduler` is stepped after each "step" or "epoch" (`scheduler_interval`), as far as `max_steps`, by default 100 epochs.
    - `clip_grad_norm` and `clip_grad_value` are the figures of torch.nn.utils.clip_grad_norm_ and clip_grad_value_.
    - `accumulate_steps` is the number of batches whose gradients' mean the optimizer gets: it makes a step after the last one.
      The trainer's steps are batches, those of a scheduler the optimizer's.
    - `evaluate(model, batch)` returns figures of a batch of `validation_data`, whose means the trainer tells: by default
      the loss, in evaluation mode.
    - `predict(model, x)`, by default the model in evaluation mode, becomes the entry `serving_default`; False leaves it out.

    Raises ExportError with everything that cannot be exported, each with the user's line. Returns the path.
    """
    path = os.fspath(path)
    model = unwrapped(model)
    state = State(model, optimizer, loss_fn)
    state.check_optimizer()
    state.check_hooks()
    if training_step is not None and loss_fn is not None:
        raise export_error("training_step computes the loss: give loss_fn=None")
    found = data_of(data, "training data")
    size = batch_size or found.batch_size or 32
    count = count_of(found.arrays, "training data")
    if count < size:
        raise export_error(f"training data has {count} examples, fewer than one batch of {size}")
    if not model.training:
        print("note: the model is in evaluation mode; model.train() makes dropout drop and batch norms learn", file=sys.stderr)
    if accumulate_steps < 1:
        raise export_error(f"accumulate_steps={accumulate_steps}: the number of batches of an optimizer's step is 1 or more")
    split = Split(found, loss_fn, targets)
    options = Options(optimizer)
    length = count // size
    if scheduler is not None:
        options.run(scheduler, interval(scheduler_interval, length, accumulate_steps), -(-(max_steps or 100 * length) // accumulate_steps))
    update = Update(state, options, clip_grad_norm, clip_grad_value, accumulate_steps)
    traced = trace(state.modules, training(split, model, loss_fn, training_step), found.example(size), sorted(state.trained()), True)
    graph = StepGraph(state, path, seed)
    graph.add_variables([state.aliases.get(name, name) for name in traced.changed if _changes(traced, name)])
    shuffles = shuffle if shuffle is not None else found.shuffle if found.shuffle is not None else True
    graph.add_step(traced, _batches(graph, found, "training data", "train_data", size, shuffles, seed, True), length, update)
    _tell_random(graph)
    with evaluating(model):
        if validation_data is not None:
            _add_evaluation(graph, split, state, (loss_fn, training_step, evaluate), validation_data, size, validation_batch_size)
        if predict is not False:
            _add_prediction(graph, split, state, predict, size)
    _raise_problems(graph)
    graph.meta.write(path, max_to_keep)
    return path


def _changes(traced: Traced, name: str) -> bool:
    """Whether a graph returns another value for a buffer than the copy that it got."""
    place = len(traced.names) + traced.changed.index(name)
    result = next(node for node in traced.module.graph.nodes if node.op == "output").args[0][place]
    while result.op == "call_function" and str(result.target) in ("aten.clone.default", "aten.alias.default", "aten.detach.default"):
        result = result.args[0]
    return bool(result.op != "placeholder")


def _tell_random(graph: StepGraph) -> None:
    if graph.walk.draws:
        print("note: the trainer draws its own random numbers, such as for dropout: they have torch's distributions, but not its bits", file=sys.stderr)


def _raise_problems(graph: StepGraph) -> None:
    """Raises ExportError with all problems; one of a library's code has the line of the user's call."""
    import traceback

    line = line_of(traceback.extract_stack())
    graph.walk.problems = [(where or (f"{line}: " if line else ""), message) for where, message in graph.walk.problems]
    graph.walk.raise_problems()


def _add_evaluation(graph: StepGraph, split: Split, state: State, functions: Any, validation_data: Any, most: int, given: Optional[int]) -> None:
    found = data_of(validation_data, "validation data")
    same = len(found.arrays) == len(split.data.arrays) and all(
        one.shape[1:] == other.shape[1:] and one.dtype == other.dtype for one, other in zip(found.arrays, split.data.arrays))
    if not same or found.keys != split.data.keys:
        raise export_error("validation data has tensors of other shapes or types than training data: "
                           f"{_forms(found)}, not {_forms(split.data)}")
    size = evaluation_size(count_of(found.arrays, "validation data"), most, given)
    loss_fn, step, evaluate = functions
    model = state.modules["model"]
    traced = trace(state.modules, evaluation(split, model, loss_fn, step, evaluate), found.example(size), [], False)
    tensors = _batches(graph, found, "validation data", "validation_data", size, False, None, False)
    results, _ = graph.call("evaluate", traced, tensors, range(len(traced.names)))
    graph.evaluation(dict(zip(traced.names, results)))


def _forms(data: Data) -> str:
    return ", ".join(f"{array.dtype.name}{list(array.shape[1:])}" for array in data.arrays)


def _add_prediction(graph: StepGraph, split: Split, state: State, predict: Any, size: int) -> None:
    examples = split.data.example(size)
    inputs = [examples[index] for index in split.inputs]
    traced = trace({"model": state.modules["model"]}, prediction(split, state.modules["model"], predict), inputs, [], False)
    feeds: Mapping[str, Tensor] = {
        name: graph.meta.graph.op("Placeholder", name=f"serving_default/{name}", shapes=[one.shape], dtype=Type(type_of(one.dtype)), shape=Shape(one.shape))
        for name, one in zip(split.input_names(), inputs)}
    results, _ = graph.call("serving_default", traced, list(feeds.values()), range(len(traced.names)))
    graph.entry("serving_default", feeds, dict(zip(traced.names, results)))


__all__ = ["ExportError", "export"]
