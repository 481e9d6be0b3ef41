# SPDX-License-Identifier: Apache-2.0
"""Training data as arrays: of tensors, arrays, TensorDatasets, datasets and DataLoaders."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional

import numpy as np
import torch

from .._errors import export_error
from .._materialize import Materialized
from ._walk import array_of


class Data(NamedTuple):
    """Arrays whose first axis are the examples. `keys` are their names if batches are dictionaries, and None if they are
    tuples; `single` is whether a batch is one tensor. `batch_size` and `shuffle` are those of a DataLoader."""

    arrays: List[Any]
    keys: Optional[List[str]]
    single: bool
    batch_size: Optional[int] = None
    shuffle: Optional[bool] = None

    def batch(self, tensors: List[Any]) -> Any:
        """Tensors, one for each array, in the form of a batch."""
        if self.keys is not None:
            return dict(zip(self.keys, tensors))
        return tensors[0] if self.single else tuple(tensors)

    def example(self, size: int) -> List[torch.Tensor]:
        """A batch of zeros with this number of examples."""
        return [torch.zeros((size, *array.shape[1:]), dtype=tensor_type(array)) for array in self.arrays]


def tensor_type(array: Any) -> torch.dtype:
    return torch.bfloat16 if array.dtype.name == "bfloat16" else torch.from_numpy(np.zeros(0, array.dtype)).dtype


def data_of(data: Any, what: str) -> Data:
    """Returns the arrays of `data`. Raises ExportError for what no graph can hold."""
    if isinstance(data, Materialized):
        keys = data.structure if isinstance(data.structure, list) else None
        return Data(data.columns(), keys, data.structure == "single")
    if isinstance(data, torch.utils.data.DataLoader):
        return _of_loader(data, what)
    if isinstance(data, torch.utils.data.TensorDataset):
        data = data.tensors
    elif isinstance(data, torch.utils.data.Dataset):
        return _of_loader(torch.utils.data.DataLoader(data, batch_size=256), what)._replace(batch_size=None, shuffle=None)
    if isinstance(data, Mapping):
        return Data([_array(one, what) for one in data.values()], [str(key) for key in data], False)
    if isinstance(data, (tuple, list)):
        return Data([_array(one, what) for one in data], None, False)
    return Data([_array(data, what)], None, True)


def _array(value: Any, what: str) -> Any:
    if isinstance(value, torch.Tensor):
        return array_of(value)
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        raise export_error(f"{what} is or has a {type(value).__name__}; tensors, arrays, and tuples and dictionaries of them can be exported")
    array = np.asarray(value)
    if array.dtype.kind not in "fiub" and array.dtype.name != "bfloat16":
        raise export_error(f"{what}: an array of {array.dtype} {array.shape}; no tensor of PyTorch can hold it")
    return array


def _of_loader(loader: Any, what: str) -> Data:
    """Draws every example of a loader's dataset once, in order. Augmentation is drawn with it, once."""
    dataset = loader.dataset
    if isinstance(dataset, torch.utils.data.IterableDataset):
        raise export_error(f"{what}: a dataset without a length; write it to files with ingot.materialize, or let the trainer read frames (--feed @-)")
    shuffle = isinstance(loader.sampler, torch.utils.data.RandomSampler)
    if not shuffle and not isinstance(loader.sampler, torch.utils.data.SequentialSampler):
        raise export_error(f"{what}: {type(loader.sampler).__name__} draws examples in an order of its own; RandomSampler and "
                           "SequentialSampler can be exported")
    if isinstance(dataset, torch.utils.data.TensorDataset):
        found = data_of(dataset, what)
    else:
        plain = torch.utils.data.DataLoader(dataset, batch_size=loader.batch_size or 1, shuffle=False, collate_fn=loader.collate_fn)
        found = _joined(list(plain), what)
    return found._replace(batch_size=loader.batch_size, shuffle=shuffle)


def _joined(batches: List[Any], what: str) -> Data:
    if not batches:
        raise export_error(f"{what} is empty")
    parts = [data_of(one, what) for one in batches]
    arrays = []
    for index in range(len(parts[0].arrays)):
        columns = [one.arrays[index] for one in parts]
        if len({column.shape[1:] for column in columns}) > 1:
            raise export_error(f"{what}: batches have tensors of shapes {sorted({column.shape[1:] for column in columns})[:3]}; pad them to one")
        arrays.append(np.concatenate(columns))
    return parts[0]._replace(arrays=arrays)


def names_of(data: Data, count: int) -> Dict[str, int]:
    """The names of the first `count` arrays, as inputs of predictions, and their places."""
    if data.keys is not None:
        return {key: index for index, key in enumerate(data.keys[:count])}
    return {"x": 0} if count == 1 else {f"x{index}": index for index in range(count)}
