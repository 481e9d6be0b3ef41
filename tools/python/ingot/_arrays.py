# SPDX-License-Identifier: Apache-2.0
"""Adds arrays to a graph as datasets of batches, without TensorFlow.

Small arrays become constants of the graph; larger ones .npy files beside it, of which the trainer reads one example
after another.
"""

from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence

import numpy as np

from ._errors import export_error
from ._metagraph import MetaGraph, Tensor, argument
from ._wire import Shape, Type

# If arrays have more bytes than this in total, they become files beside the graph instead of constants in it.
MOST_BYTES_IN_GRAPH = 16 << 20


def _types(arrays: Sequence[Any]) -> Any:
    return [Type(array.dtype.name) for array in arrays]


def _shapes(arrays: Sequence[Any], *batch: int) -> Any:
    return [Shape([*batch, *array.shape[1:]]) for array in arrays]


def _raw_type(array: Any) -> str:
    """The type that DecodeRaw reads an array's bytes as."""
    return "uint8" if array.dtype == np.bool_ else str(array.dtype.name)


def _decoder(meta: MetaGraph, array: Any) -> Any:
    """Adds the function that decodes the bytes of one example of `array`."""
    scope = meta.function_scope("decode")
    record = argument("record", "string", ())
    shape = array.shape[1:]
    size = int(np.prod(shape, dtype=np.int64))
    numbers = scope.op("DecodeRaw", record, shapes=[[size]], out_type=Type(_raw_type(array)))
    numbers = scope.op("Reshape", numbers, scope.constant(np.array(shape, np.int32)), shapes=[shape])
    if numbers.dtype != array.dtype.name:
        numbers = scope.op("Cast", numbers, shapes=[shape], DstT=Type(array.dtype.name))
    return meta.add_function(scope, [record], [numbers])


def _from_file(meta: MetaGraph, array: Any, path: str) -> Tensor:
    """Writes an array to a .npy file, and adds the dataset of its examples."""
    graph = meta.graph
    array = np.ascontiguousarray(array)
    np.save(path, array)
    header = os.path.getsize(path) - array.nbytes
    records = graph.op("FixedLengthRecordDatasetV2", graph.constant(np.array(os.path.basename(path).encode(), object)),
                       graph.constant(np.int64(header)), graph.constant(np.int64(array.nbytes // len(array))), graph.constant(np.int64(0)),
                       graph.constant(np.int64(1 << 18)), graph.constant(np.array(b"", object)))
    mapped: Tensor = graph.op("MapDataset", records, [], f=_decoder(meta, array), output_types=_types([array]), output_shapes=_shapes([array]))
    return mapped


def _slices(meta: MetaGraph, arrays: Sequence[Any], what: str, path: str) -> Tensor:
    """Adds the dataset of the examples of all arrays."""
    graph = meta.graph
    plain = all(array.dtype.kind in "fiub" for array in arrays)
    if sum(array.nbytes for array in arrays) <= MOST_BYTES_IN_GRAPH or not plain:
        constants = [graph.constant(array) for array in arrays]
        sliced: Tensor = graph.op("TensorSliceDataset", constants, output_shapes=_shapes(arrays))
        return sliced
    stem = os.path.splitext(path)[0]
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    parts = [_from_file(meta, array, f"{stem}-{what.replace(' ', '-')}-{index}.npy") for index, array in enumerate(arrays)]
    zipped: Tensor = graph.op("ZipDataset", parts, output_types=_types(arrays), output_shapes=_shapes(arrays))
    return zipped


def count_of(arrays: Sequence[Any], what: str) -> int:
    """Returns the number of examples, the size of the first dimension of all arrays. `what` names them in errors."""
    counts = {array.shape[0] for array in arrays if array.ndim}
    if len(counts) != 1 or any(not array.ndim for array in arrays):
        raise export_error(f"{what}: arrays have different numbers of examples: {[array.shape for array in arrays]}")
    (count,) = counts
    return int(count)


def add_batches(meta: MetaGraph, arrays: Sequence[Any], what: str, path: str, *, name: str, batch: int, shuffle: bool,
                seed: Optional[int], repeat: bool) -> List[Tensor]:
    """Adds a pipeline of full batches of arrays and an iterator called `name`; returns the next batch's tensors.

    With `repeat`, the pipeline has no end, and each pass shuffles anew. Files go beside the graph `path`.
    """
    graph = meta.graph
    graph.path = name
    types = dict(output_types=_types(arrays))
    dataset = _slices(meta, arrays, what, path)
    if shuffle:
        seed = int.from_bytes(os.urandom(4), "little") & 0x7FFFFFFF if seed is None else seed
        dataset = graph.op("ShuffleDataset", dataset, graph.constant(np.int64(len(arrays[0]))), graph.constant(np.int64(87654321)),
                           graph.constant(np.int64(seed)), output_shapes=_shapes(arrays), **types)
    batched = dict(types, output_shapes=_shapes(arrays, batch))
    dataset = graph.op("BatchDatasetV2", dataset, graph.constant(np.int64(batch)), graph.constant(np.bool_(True)), **batched)
    if repeat:
        dataset = graph.op("RepeatDataset", dataset, graph.constant(np.int64(-1)), **batched)
    iterator = graph.op("IteratorV2", name=name, shared_name=name, container="", **batched)
    graph.op("MakeIterator", dataset, iterator, name=f"{name}/make")
    meta.collect("table_initializer", f"{name}/make")
    shapes = [(batch, *array.shape[1:]) for array in arrays]
    found: List[Tensor] = graph.op("IteratorGetNext", iterator, name=f"{name}/next", shapes=shapes, **batched)
    graph.path = ""
    return found
