# SPDX-License-Identifier: Apache-2.0
"""The state of a training run as variables: parameters, buffers and the optimizer's slots, by name, there and back.

Parameters and buffers have their names of `state_dict()`, slots are `optimizer.state.PARAMETER.SLOT`. A number that all
parameters of a group share, such as `step`, is one variable `optimizer.SLOT.GROUP`.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple

import numpy as np
import torch

from .._errors import Error, export_error
from .._metagraph import node_name
from .._names import Names
from ._optimizers import FORMULAS, problems_of

LOSS = "loss_fn"


def unwrapped(model: Any) -> Any:
    """The module that was wrapped by torch.compile, DataParallel or DistributedDataParallel."""
    while True:
        if hasattr(model, "_orig_mod"):
            model = model._orig_mod
        elif type(model).__name__ in ("DataParallel", "DistributedDataParallel"):
            model = model.module
        else:
            return model


class Variable(NamedTuple):
    """A parameter or a buffer: its name in checkpoints, its tensor, and whether the module saves it itself."""

    name: str
    tensor: torch.Tensor
    persistent: bool


class State:
    """The variables of a model, of its loss function if that is a module, and of an optimizer."""

    def __init__(self, model: torch.nn.Module, optimizer: Any = None, loss_fn: Any = None) -> None:
        self.modules: Dict[str, torch.nn.Module] = {"model": model}
        if isinstance(loss_fn, torch.nn.Module):
            self.modules[LOSS] = loss_fn
        self.optimizer = optimizer
        self._names = Names(["global_step"])
        self.variables: List[Variable] = []
        # The variable's name for each name of a parameter or buffer in the modules. Tied parameters have several names there.
        self.aliases: Dict[str, str] = {}
        self._by_id: Dict[int, str] = {}
        for prefix, module in self.modules.items():
            self._add(prefix, module)

    def _add(self, prefix: str, module: torch.nn.Module) -> None:
        saved = set(module.state_dict(keep_vars=True))
        found: List[Tuple[str, Any]] = [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]
        for name, tensor in found:
            if isinstance(tensor, torch.nn.parameter.UninitializedTensorMixin):
                raise export_error(f"'{name}' has no shape yet: call the model once, on a batch")
            if id(tensor) not in self._by_id:
                unique = self._names.unique(node_name(name if prefix == "model" else f"{prefix}.{name}"))
                self._by_id[id(tensor)] = unique
                self.variables.append(Variable(unique, tensor, name in saved))
            self.aliases[f"{prefix}.{name}"] = self._by_id[id(tensor)]

    def name_of(self, parameter: torch.Tensor) -> Optional[str]:
        return self._by_id.get(id(parameter))

    def trained(self) -> Set[str]:
        """The names in the modules of the parameters that the optimizer changes. Raises ExportError for those it has and the
        modules lack."""
        found: Set[str] = set()
        for index, group in enumerate(self.optimizer.param_groups):
            for parameter in group["params"]:
                name = self.name_of(parameter)
                if name is None:
                    raise export_error(f"group {index} of the optimizer has a parameter of shape {tuple(parameter.shape)} that is not the model's")
                if parameter.requires_grad:
                    found.add(name)
        return {alias for alias, name in self.aliases.items() if name in found}

    def check_hooks(self) -> None:
        """Refuses hooks on gradients, which a trace of the forward pass does not call."""
        problems = [f"'{one.name}' has a hook on its gradient, which runs Python; a training_step may scale the loss instead"
                    for one in self.variables if one.tensor._backward_hooks or getattr(one.tensor, "_post_accumulate_grad_hooks", None)]
        for prefix, module in self.modules.items():
            problems += [f"{prefix}.{name}: a module's backward hook runs Python, which no trainer has"
                         for name, one in module.named_modules() if one._backward_hooks or one._backward_pre_hooks]
        if problems:
            raise export_error("\n".join(problems))

    def check_optimizer(self) -> None:
        problems = problems_of(self.optimizer)
        if problems:
            raise export_error("\n".join(problems))

    # -- The optimizer's slots

    def scalars_of(self, group: Dict[str, Any]) -> Dict[str, float]:
        return FORMULAS[type(self.optimizer).__name__].scalars(group)

    def slots_of(self, group: Dict[str, Any]) -> Dict[str, float]:
        return FORMULAS[type(self.optimizer).__name__].slots(group)

    def scalar_name(self, group: int, slot: str, parameter: Any) -> str:
        """The variable of a number: one for the group, unless parameters have different ones."""
        values = {self.scalar(one, slot, 0.0) for one in self.optimizer.param_groups[group]["params"] if one in self.optimizer.state}
        return f"optimizer.{slot}.{group}" if len(values) <= 1 else self.slot_name(parameter, slot)

    def slot_name(self, parameter: Any, slot: str) -> str:
        return f"optimizer.state.{self.name_of(parameter)}.{slot}"

    def scalar(self, parameter: Any, slot: str, default: float) -> float:
        found = self.optimizer.state.get(parameter, {}).get(slot)
        return default if found is None else float(found)

    def slot(self, parameter: Any, slot: str, default: float) -> torch.Tensor:
        found = self.optimizer.state.get(parameter, {}).get(slot)
        return torch.full_like(parameter, default, memory_format=torch.contiguous_format) if found is None else found


def restore(state: State, arrays: Mapping[str, Any], where: str) -> None:
    """Fills the modules and the optimizer with `arrays`, by name. Raises Error, and changes nothing, unless every variable
    of the state is there with its shape, and nothing else is."""
    pairs: List[Tuple[torch.Tensor, Any]] = []
    seen: Set[str] = {"global_step"}
    for one in state.variables:
        if one.name not in arrays and not one.persistent:
            continue
        pairs.append((one.tensor, _found(arrays, one.name, tuple(one.tensor.shape), where)))
        seen.add(one.name)
    slots: List[Tuple[Any, Dict[str, torch.Tensor]]] = []
    if state.optimizer is not None:
        state.check_optimizer()
        for index, group in enumerate(state.optimizer.param_groups):
            slots += _group(state, index, group, arrays, where, seen)
        if not slots and any(state.slots_of(group) for group in state.optimizer.param_groups):
            raise Error(f"{where} has no state of {type(state.optimizer).__name__}: it is another optimizer's")
    # Ignore the trainer's own variables (the state of random numbers and of the input, gradients that wait for the optimizer)
    # and, without an optimizer, its slots.
    own = ("ingot/", "optimizer.accumulated.") if state.optimizer is not None else ("ingot/", "optimizer.")
    others = sorted(name for name in arrays if name not in seen and not name.startswith(own))
    if others:
        raise Error(f"{where} has '{others[0]}', which the model{'' if state.optimizer is None else ' and the optimizer'} "
                    f"{'lacks' if state.optimizer is None else 'lack'}: it is another model's")
    with torch.no_grad():
        for tensor, array in pairs:
            tensor.copy_(_tensor(array).reshape(tensor.shape))
    for parameter, found in slots:
        state.optimizer.state[parameter] = found


def _group(state: State, index: int, group: Dict[str, Any], arrays: Mapping[str, Any], where: str, seen: Set[str]) -> List[Any]:
    """The slots of a group's parameters: those that the trainer has, for a parameter without a gradient has none."""
    found = []
    for parameter in group["params"]:
        names = {slot: state.slot_name(parameter, slot) for slot in state.slots_of(group)}
        shared = {slot: next((name for name in (state.slot_name(parameter, slot), f"optimizer.{slot}.{index}") if name in arrays), "")
                  for slot in state.scalars_of(group)}
        if not any(name in arrays for name in names.values()):
            # The parameter has no gradient, or the optimizer has no slots. If the slots of all parameters are missing, the
            # caller reports that the checkpoint is of another optimizer.
            seen.update(name for name in shared.values() if name)
            continue
        values = {slot: _tensor(_found(arrays, name, (), where)).to(torch.float32).reshape([])
                  for slot, name in ((slot, name or f"optimizer.{slot}.{index}") for slot, name in shared.items())}
        for slot, name in names.items():
            values[slot] = _tensor(_found(arrays, name, tuple(parameter.shape), where)).to(parameter.dtype).reshape(parameter.shape)
        seen.update([*names.values(), *shared.values()])
        found.append((parameter, values))
    return found


def _found(arrays: Mapping[str, Any], name: str, shape: Tuple[int, ...], where: str) -> Any:
    if name not in arrays:
        raise Error(f"{where} has no '{name}': it is another model's, or another optimizer's")
    if tuple(arrays[name].shape) != shape:
        raise Error(f"'{name}' has shape {tuple(arrays[name].shape)} in {where}, the model's has {shape}")
    return arrays[name]


def _tensor(array: Any) -> torch.Tensor:
    array = np.array(array)
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)
