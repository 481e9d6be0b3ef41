# SPDX-License-Identifier: Apache-2.0
"""What a model is trained on, as a pipeline that a graph can hold.

A `tf.data` pipeline is taken as it is. Arrays become one: small ones as constants of the graph, larger ones as .npy
files beside it, which the trainer reads by the example.
"""

from __future__ import annotations

import os
from typing import Any, List, Optional

import numpy as np

from ._errors import export_error
from ._graph import Pipeline
from ._lines import lines_of_dataset, refuse_python

# Larger arrays are files beside the graph instead of constants.
_MOST_BYTES_IN_GRAPH = 16 << 20


# What a pipeline shares with its iterators while Python runs, by the op that uses it and its input: in a graph, as
# TensorFlow makes it in graphs, each iterator has its own.
_SHARED = {("ShuffleDatasetV3", 4): "DummySeedGenerator", ("ShuffleAndRepeatDatasetV2", 5): "DummySeedGenerator",
           ("CacheDatasetV2", 2): "DummyMemoryCache"}


def _unshare(graph_def: Any) -> None:
    """Puts ops in the place of handles of this process."""
    nodes = {node.name: node for node in graph_def.node}
    for node in graph_def.node:
        for (op, index), maker in _SHARED.items():
            if node.op == op and nodes[node.input[index].split(":")[0]].op == "Const":
                made = nodes[node.input[index].split(":")[0]]
                made.op = maker
                made.attr.clear()


def _serialize(dataset: Any, what: str, length: Optional[int]) -> Pipeline:
    import tensorflow as tf

    try:
        graph = tf.raw_ops.DatasetToGraphV2(input_dataset=tf.data.experimental.to_variant(dataset))
    except tf.errors.OpError as error:
        raise export_error(f"{what}: TensorFlow can't write this pipeline into a graph: {error.message}") from error
    graph_def = tf.compat.v1.GraphDef.FromString(graph.numpy())
    lines = lines_of_dataset(dataset)
    refuse_python(graph_def, what, lines)
    _unshare(graph_def)
    return Pipeline(graph_def, dataset.element_spec, length, lines)


def from_dataset(dataset: Any, what: str, steps: Optional[int] = None, repeat: bool = True) -> Pipeline:
    """A tf.data pipeline. For training it is repeated without end, `steps` elements of it each time where given."""
    length = int(dataset.cardinality())
    known = steps if steps is not None else (length if length > 0 else None)
    if length == 0:
        raise export_error(f"{what} has no elements")
    if repeat and length != -1:
        dataset = dataset.repeat()
    if not repeat and steps is not None:
        dataset = dataset.take(steps)
    return _serialize(dataset, what, known)


def _example_spec(array: Any) -> Any:
    """An array with the types that Keras converts inputs to."""
    array = np.asarray(array)
    if array.dtype == np.float64:
        array = array.astype(np.float32)
    if array.dtype == object:
        raise export_error(f"an array of Python objects ({array.shape}): no graph can hold it; strings are np.array(..., 'S')")
    return array


def _from_file(array: Any, path: str) -> Any:
    """The examples of an array, from a .npy file that is written here."""
    import tensorflow as tf

    array = np.ascontiguousarray(array)
    # Padded headers of .npy: examples start at a multiple of 64 bytes.
    np.save(path, array)
    header = os.path.getsize(path) - array.nbytes
    example = array.nbytes // len(array)
    shape, dtype = array.shape[1:], tf.as_dtype(array.dtype)
    records = tf.data.FixedLengthRecordDataset(os.path.basename(path), example, header_bytes=header)
    as_read = tf.uint8 if dtype == tf.bool else dtype

    def decode(record: Any) -> Any:
        numbers = tf.reshape(tf.io.decode_raw(record, as_read), shape)
        return tf.cast(numbers, dtype) if as_read != dtype else numbers

    return records.map(decode)


def from_arrays(data: Any, what: str, meta: str, batch: int, shuffle: bool, seed: Optional[int],
                steps: Optional[int], repeat: bool) -> Pipeline:
    """Arrays, cut into batches as Keras cuts them. Large ones are written beside the graph `meta`."""
    import tensorflow as tf

    data = tf.nest.map_structure(_example_spec, data)
    arrays: List[Any] = tf.nest.flatten(data)
    counts = {len(array) for array in arrays if array.ndim}
    if len(counts) != 1 or any(not array.ndim for array in arrays):
        raise export_error(f"{what}: arrays have different numbers of examples: {[array.shape for array in arrays]}")
    (count,) = counts
    if not count:
        raise export_error(f"{what} has no examples")
    if sum(array.nbytes for array in arrays) > _MOST_BYTES_IN_GRAPH and all(array.dtype.kind in "fiub" for array in arrays):
        os.makedirs(os.path.dirname(os.path.abspath(meta)), exist_ok=True)
        stem = os.path.splitext(meta)[0]
        parts = [_from_file(array, f"{stem}-{what.replace(' ', '-')}-{index}.npy") for index, array in enumerate(arrays)]
        dataset = tf.data.Dataset.zip(tf.nest.pack_sequence_as(data, parts))
    else:
        dataset = tf.data.Dataset.from_tensor_slices(data)
    if shuffle:
        dataset = dataset.shuffle(count, seed=seed)
    dataset = dataset.batch(batch)
    length = steps if steps is not None else -(-count // batch)
    if not repeat and steps is not None:
        dataset = dataset.take(steps)
    if repeat:
        dataset = dataset.repeat()
    return _serialize(dataset, what, length)


def is_dataset(data: Any) -> bool:
    import tensorflow as tf

    return isinstance(data, tf.data.Dataset) or isinstance(data, tf.compat.v1.data.Dataset)


def pipeline(data: Any, what: str, meta: str, *, batch: int, shuffle: bool, seed: Optional[int], steps: Optional[int],
             repeat: bool) -> Pipeline:
    """The pipeline of `data`: a tf.data pipeline, an array, or a tuple or dictionary of them."""
    if is_dataset(data):
        return from_dataset(data, what, steps, repeat)
    if hasattr(data, "__next__") or (hasattr(data, "__getitem__") and hasattr(data, "on_epoch_end")):
        raise export_error(f"{what} is a Python {type(data).__name__}, which no trainer has; a tf.data pipeline or arrays can be exported")
    return from_arrays(data, what, meta, batch, shuffle, seed, steps, repeat)
