# SPDX-License-Identifier: Apache-2.0
"""What is traced of a model: its loss, its figures of evaluation and its predictions, as functions of a batch's tensors."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import torch
from torch.utils import _pytree

from .._errors import ExportError, export_error
from .._metagraph import node_name
from .._names import Names
from ._data import Data

Targets = Union[None, int, Sequence[str]]


def named(tree: Any, single: str) -> Dict[str, torch.Tensor]:
    """The tensors of nested tuples, lists, dictionaries and outputs of models, by their paths; a tree that is one tensor is
    called `single`. What is no tensor is left out."""
    names, found = Names([]), {}
    for path, leaf in _pytree.tree_flatten_with_path(tree)[0]:
        if isinstance(leaf, torch.Tensor):
            parts = [str(next((getattr(key, field) for field in ("key", "idx", "name") if hasattr(key, field)), key)) for key in path]
            found[names.unique("/".join(node_name(part) for part in parts) or single)] = leaf
    return found


class Split:
    """Which tensors of a batch are the model's inputs, and which are targets of the loss."""

    def __init__(self, data: Data, loss_fn: Any, targets: Targets) -> None:
        self.data = data
        count = len(data.arrays)
        if data.keys is not None:
            names = [] if targets is None else [targets] if isinstance(targets, (str, int)) else list(targets)
            missing = [name for name in names if name not in data.keys]
            if missing:
                raise export_error(f"targets={missing[0]!r} is not a key of the data: {', '.join(data.keys)}")
            self.targets = [data.keys.index(str(name)) for name in names]
        else:
            number = (1 if count > 1 and loss_fn is not None else 0) if targets is None else targets
            if not isinstance(number, int) or not 0 <= number < count:
                raise export_error(f"targets={targets!r}: expected how many of the {count} tensors of a batch are targets, fewer than all")
            self.targets = list(range(count - number, count))
        self.inputs = [index for index in range(count) if index not in self.targets]

    def input_names(self) -> List[str]:
        if self.data.keys is not None:
            return [node_name(self.data.keys[index]) for index in self.inputs]
        return ["x"] if len(self.inputs) == 1 else [f"x{index}" for index in range(len(self.inputs))]

    def call(self, model: Any, inputs: Sequence[torch.Tensor]) -> Any:
        """The model's output for its inputs."""
        if self.data.keys is not None:
            return model(**{self.data.keys[index]: one for index, one in zip(self.inputs, inputs)})
        return model(*inputs)


def training(split: Split, model: Any, loss_fn: Any, step: Any) -> Callable[..., Dict[str, Any]]:
    """The function of a batch's tensors that returns the loss first, and other figures that the user's step returns."""
    code = getattr(step or loss_fn or type(model).forward, "__code__", None)
    where = f"{code.co_filename}:{code.co_firstlineno}: " if code is not None else ""

    def function(*batch: torch.Tensor) -> Dict[str, Any]:
        if step is not None:
            returned = step(model, split.data.batch(list(batch)))
        else:
            output = split.call(model, [batch[index] for index in split.inputs])
            returned = loss_fn(output, *(batch[index] for index in split.targets)) if loss_fn is not None else _own_loss(output)
        found = named(returned, "loss")
        if "loss" not in found:
            raise ExportError(f"{where}returns no loss, but {', '.join(found) or 'nothing'}; it must return a scalar, or a dictionary with 'loss'")
        loss = found.pop("loss")
        if loss.numel() != 1:
            raise ExportError(f"{where}the loss has the shape {tuple(loss.shape)}; a loss is one number")
        return {"loss": loss, **{name: value.detach() for name, value in found.items()}}

    return function


def _own_loss(output: Any) -> Any:
    """The loss that a model returns itself: its `loss`, or the only tensor."""
    loss = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
    return output if loss is None else loss


def evaluation(split: Split, model: Any, loss_fn: Any, step: Any, evaluate: Optional[Callable[[Any, Any], Any]]) -> Callable[..., Dict[str, Any]]:
    """The function of a batch's tensors that returns figures: by default the loss."""
    if evaluate is None:
        return training(split, model, loss_fn, step)
    return lambda *batch: named(evaluate(model, split.data.batch(list(batch))), "loss")


def prediction(split: Split, model: Any, predict: Any) -> Callable[..., Dict[str, Any]]:
    """The function of a model's inputs that returns predictions: by default the model's output."""

    def function(*inputs: torch.Tensor) -> Dict[str, Any]:
        found = named(predict(model, *inputs) if callable(predict) else split.call(model, inputs), "output")
        if not found:
            raise export_error("the model's prediction has no tensor; predict=False leaves it out")
        return found

    return function


@contextlib.contextmanager
def evaluating(model: torch.nn.Module) -> Iterator[None]:
    """The model in evaluation mode; then each module is as it was."""
    modes: List[Tuple[Any, bool]] = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode
