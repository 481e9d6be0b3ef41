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
from ._materialize import Column, feature_name
from ._metagraph import MetaGraph, Tensor, argument
from ._wire import Shape, Type

# If arrays have more bytes than this in total, they become files beside the graph instead of constants in it.
MOST_BYTES_IN_GRAPH = 16 << 20
# A shuffle of records holds as many as have these bytes.
SHUFFLED_BYTES = 256 << 20


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


def _example_parser(meta: MetaGraph, columns: Sequence[Column]) -> Any:
    """Adds the function that parses a record of a materialized source into the elements of its columns."""
    scope = meta.function_scope("parse")
    record = argument("record", "string", ())
    none = np.empty(0, object)
    raw = scope.op("ParseSingleExample", record, [scope.constant(none) for _ in columns], shapes=[()] * len(columns), num_sparse=0,
                   sparse_keys=[], sparse_types=[], dense_keys=[feature_name(one.index) for one in columns],
                   dense_shapes=[Shape([]) for _ in columns])
    results = []
    for bytes_of, column in zip(raw, columns):
        stored, shape = column.source.dtypes[column.index], column.shape[1:]
        read = "uint8" if stored == "bool" else stored
        numbers = scope.op("DecodeRaw", bytes_of, shapes=[[int(np.prod(shape, dtype=np.int64))]], out_type=Type(read))
        numbers = scope.op("Reshape", numbers, scope.constant(np.array(shape, np.int32)), shapes=[shape])
        if read != column.dtype.name:
            numbers = scope.op("Cast", numbers, shapes=[shape], DstT=Type(column.dtype.name))
        results.append(numbers)
    return meta.add_function(scope, [record], results)


def _shuffled(meta: MetaGraph, dataset: Tensor, buffer: int, seed: Optional[int], types: Any, shapes: Any) -> Tensor:
    graph = meta.graph
    seed = int.from_bytes(os.urandom(4), "little") & 0x7FFFFFFF if seed is None else seed
    shuffled: Tensor = graph.op("ShuffleDataset", dataset, graph.constant(np.int64(buffer)), graph.constant(np.int64(87654321)),
                                graph.constant(np.int64(seed)), output_types=types, output_shapes=shapes)
    return shuffled


def _records(meta: MetaGraph, columns: Sequence[Column], path: str, shuffle: bool, seed: Optional[int]) -> Tensor:
    """Adds the dataset of the examples of a materialized source, shuffled as serialized records if at all.

    Files below the folder of the graph `path` are named relative to it.
    """
    graph = meta.graph
    source = columns[0].source
    if any(one.source is not source for one in columns):
        raise export_error("data has columns of several materialized sources; give one source")
    folder = os.path.dirname(os.path.abspath(path))
    inside = os.path.commonpath([folder, source.folder]) == folder
    names = [os.path.relpath(file, folder) if inside else file for file in source.files]
    dataset = graph.op("TFRecordDataset", graph.constant(np.array([name.encode() for name in names], object)),
                       graph.constant(np.array(b"", object)), graph.constant(np.int64(1 << 18)))
    if shuffle:
        size = sum(one.dtype.itemsize * int(np.prod(one.shape[1:], dtype=np.int64)) for one in source.columns())
        held = max(1000, SHUFFLED_BYTES // max(size, 1))
        dataset = _shuffled(meta, dataset, min(len(source), held), seed, [Type("string")], [Shape([])])
    mapped: Tensor = graph.op("MapDataset", dataset, [], f=_example_parser(meta, columns), output_types=_types(columns),
                              output_shapes=_shapes(columns))
    return mapped


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
    if any(isinstance(array, Column) for array in arrays):
        if not all(isinstance(array, Column) for array in arrays):
            raise export_error(f"{what} has columns of a materialized source beside arrays; write all of it into the source")
        dataset = _records(meta, arrays, path, shuffle, seed)
    else:
        dataset = _slices(meta, arrays, what, path)
        if shuffle:
            dataset = _shuffled(meta, dataset, len(arrays[0]), seed, _types(arrays), _shapes(arrays))
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
