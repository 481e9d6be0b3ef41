# SPDX-License-Identifier: Apache-2.0
"""Learning-rate schedulers by value: a scheduler is run ahead in Python, and its values become tables by the step."""

from __future__ import annotations

import copy
import warnings
from typing import Any, Dict, List, Optional

import numpy as np

from .._errors import export_error

_REFUSED = {"ReduceLROnPlateau": "it depends on what is measured while training", "SWALR": "averaging weights is not supported"}


class Options:
    """The options of an optimizer's groups. `tables` has, by group and name, an array of float64 with the values of each
    step; for betas one of pairs."""

    def __init__(self, optimizer: Any) -> None:
        self.optimizer: Any = optimizer
        self.tables: List[Dict[str, Any]] = [{} for _ in optimizer.param_groups]

    def run(self, scheduler: Any, every: int, steps: int) -> None:
        """Records the options of `steps` steps, of which each `every`th one steps the scheduler. Puts everything back."""
        name = type(scheduler).__name__
        if name in _REFUSED:
            raise export_error(f"{name}: {_REFUSED[name]}; train(max_steps=..) in parts, with another learning rate in each")
        owner: Any = getattr(scheduler, "optimizer", None)
        if owner is not self.optimizer:
            raise export_error(f"{name} belongs to another optimizer than the exported one; make it with that one")
        before = copy.deepcopy(scheduler.state_dict())
        groups = [{key: value for key, value in group.items() if key != "params"} for group in self.optimizer.param_groups]
        seen: List[List[Dict[str, Any]]] = []
        count = getattr(self.optimizer, "_opt_called", None)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for index in range(-(-steps // every)):
                    seen.append([_numbers(group) for group in self.optimizer.param_groups])
                    try:
                        scheduler.step()
                    except ValueError:  # Such as OneCycleLR after its last step: its last values stay.
                        break
        finally:
            scheduler.load_state_dict(before)
            for group, values in zip(self.optimizer.param_groups, groups):
                group.update(values)
            if count is not None:
                self.optimizer._opt_called = count
        for index, table in enumerate(self.tables):
            for key in seen[0][index]:
                column = np.array([one[index][key] for one in seen], np.float64)
                if not np.all(column == column[0]):
                    table[key] = np.repeat(column, every, 0)[:steps]

    def of(self, group: int) -> Dict[str, Any]:
        """A group's options that do not change."""
        return {key: value for key, value in self.optimizer.param_groups[group].items() if key != "params"}


def _numbers(group: Dict[str, Any]) -> Dict[str, Any]:
    """The options that a scheduler may change."""
    return {key: [float(one) for one in value] if isinstance(value, tuple) else float(value)
            for key, value in group.items() if key in ("lr", "betas", "momentum", "weight_decay")}


def interval(given: Optional[str], epoch: int, accumulate: int) -> int:
    """The number of an optimizer's steps between two of a scheduler's. An epoch has `epoch` batches, `accumulate` of which are
    a step."""
    if given not in ("step", "epoch"):
        raise export_error("a scheduler needs scheduler_interval='epoch' or 'step', which says after what scheduler.step() is called")
    if given == "step":
        return 1
    if epoch % accumulate:
        raise export_error(f"accumulate_steps={accumulate} does not divide an epoch's {epoch} batches: give scheduler_interval='step'")
    return epoch // accumulate
