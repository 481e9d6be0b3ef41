# SPDX-License-Identifier: Apache-2.0
"""Converts training and validation data to tf.data pipelines in serialized form, which become part of the graph.

A tf.data pipeline is serialized as it is. Arrays are converted to a pipeline: small arrays become constants of the
graph, larger ones .npy files beside it, from which the trainer reads one example after another.
"""

from __future__ import annotations

import os
import time
from typing import Any, List, Mapping, Optional, Tuple

import numpy as np

from ._errors import export_error
from ._graph import Pipeline
from ._lines import lines_of_dataset, refuse_python

# The most time for counting the elements of a pipeline of unknown length, which gives the number of steps of an epoch.
_SECONDS_TO_COUNT = 10.0
# If arrays have more bytes than this in total, they become files beside the graph instead of constants in it.
_MOST_BYTES_IN_GRAPH = 16 << 20


# Seed generators and caches are resources of the running process, and a pipeline made in eager mode refers to them by
# handles. For each op and the index of its input with such a handle, the op that creates the resource in a graph.
_SHARED = {("ShuffleDatasetV3", 4): "DummySeedGenerator", ("ShuffleAndRepeatDatasetV2", 5): "DummySeedGenerator",
           ("CacheDatasetV2", 2): "DummyMemoryCache"}


def _unshare(graph_def: Any) -> None:
    """Replaces constant handles of this process's resources by the ops that create such resources in a graph."""
    nodes = {node.name: node for node in graph_def.node}
    for node in graph_def.node:
        for (op, index), maker in _SHARED.items():
            if node.op == op and nodes[node.input[index].split(":")[0]].op == "Const":
                made = nodes[node.input[index].split(":")[0]]
                made.op = maker
                made.attr.clear()


def _graph_of(dataset: Any, what: str) -> Any:
    import tensorflow as tf

    try:
        graph = tf.raw_ops.DatasetToGraphV2(input_dataset=tf.data.experimental.to_variant(dataset))
    except tf.errors.OpError as error:
        raise export_error(f"{what}: TensorFlow can't write this pipeline into a graph: {error.message}") from error
    return tf.compat.v1.GraphDef.FromString(graph.numpy())


def _serialize(dataset: Any, what: str, length: Optional[int]) -> Pipeline:
    graph_def = _graph_of(dataset, what)
    lines = lines_of_dataset(dataset)
    refuse_python(graph_def, what, lines)
    _unshare(graph_def)
    return Pipeline(graph_def, dataset.element_spec, length, lines)


def _count(dataset: Any) -> Optional[int]:
    """Returns how many elements a pipeline of unknown length has; None if a pass takes longer than _SECONDS_TO_COUNT."""
    began = time.monotonic()
    count = 0
    for _ in dataset:
        count += 1
        if time.monotonic() - began > _SECONDS_TO_COUNT:
            return None
    return count


def from_dataset(dataset: Any, what: str, steps: Optional[int] = None, repeat: bool = True) -> Pipeline:
    """Serializes a tf.data pipeline; `what` names it in errors.

    With `repeat`, for training, the pipeline is repeated without end, and an epoch has `steps` elements if given.
    Without it, for evaluation, the pipeline ends after `steps` elements if given.
    """
    length = int(dataset.cardinality())
    if length == -2 and repeat and steps is None:  # -2: unknown, as after a filter or for record files.
        refuse_python(_graph_of(dataset, what), what, lines_of_dataset(dataset))
        counted = _count(dataset)
        length = length if counted is None else counted
    known = steps if steps is not None else (length if length > 0 else None)
    if length == 0:
        raise export_error(f"{what} has no elements")
    if repeat and length != -1:
        dataset = dataset.repeat()
    if not repeat and steps is not None:
        dataset = dataset.take(steps)
    return _serialize(dataset, what, known)


def _example_spec(array: Any) -> Any:
    """Converts `array` to the types that Keras converts inputs to: float64 becomes float32."""
    if type(array).__name__ == "Series" and hasattr(array, "to_numpy"):
        array = array.to_numpy()[:, None]  # Keras converts a pandas Series to shape [n, 1].
    array = np.asarray(array)
    if array.dtype == np.float64:
        array = array.astype(np.float32)
    if array.dtype == object:
        raise export_error(f"an array of Python objects ({array.shape}): no graph can hold it; strings are np.array(..., 'S')")
    return array


def _from_file(array: Any, path: str) -> Any:
    """Writes an array to the .npy file `path`, and returns a dataset that reads its examples from the file."""
    import tensorflow as tf

    array = np.ascontiguousarray(array)
    # The size of a .npy header is padded to a multiple of 64 bytes and depends on the shape, so it is computed from the
    # file's size.
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
    """Converts arrays to a pipeline of batches, shuffled and batched as Keras does; serializes it.

    Large arrays are written to files beside the graph `meta`. `what` names the data in errors.
    """
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


def tuples_of(data: Any) -> Any:
    """Converts lists in the arguments of `fit` as Keras does: lists of arrays become tuples, and lists of numbers arrays."""
    if isinstance(data, Mapping):
        return {name: tuples_of(value) for name, value in data.items()}
    if isinstance(data, tuple):
        return tuple(tuples_of(one) for one in data)
    if not isinstance(data, list):
        return data
    return tuple(tuples_of(one) for one in data) if any(hasattr(one, "shape") or isinstance(one, Mapping) for one in data) else np.asarray(data)


def _class_weights(y: Any, weights: Mapping[int, float]) -> Any:
    """Returns the weight of each example of the labels `y`, by its class. Classes without a weight count 1, as in Keras."""
    import tensorflow as tf

    table = np.ones(max(weights) + 1, np.float32)
    for number, weight in weights.items():
        table[number] = weight
    y = tf.convert_to_tensor(y)
    if y.shape.rank is not None and y.shape.rank > 1:
        y = tf.argmax(y, -1) if y.shape[-1] != 1 else tf.squeeze(y, -1)
    classes = tf.cast(tf.round(y) if y.dtype.is_floating else y, tf.int64)
    known = tf.logical_and(classes >= 0, classes < len(table))
    return tf.where(known, tf.gather(table, tf.where(known, classes, 0)), 1.0)


def _split(data: Any, part: float) -> Tuple[Any, Any]:
    """Cuts the last `part` of the examples off arrays, as Keras does before it shuffles."""
    import tensorflow as tf

    if not 0 < part < 1:
        raise export_error(f"validation_split is a part of the examples, between 0 and 1, not {part}")
    if is_dataset(data):
        raise export_error("validation_split needs arrays: of a tf.data pipeline, give validation_data=dataset.skip(n)")
    arrays = tf.nest.map_structure(_example_spec, data)
    count = len(tf.nest.flatten(arrays)[0])
    at = int(np.floor(count * (1 - part)))
    if at in (0, count):
        raise export_error(f"validation_split={part} of {count} examples leaves none to train on, or none to validate on")
    return tf.nest.map_structure(lambda array: array[:at], arrays), tf.nest.map_structure(lambda array: array[at:], arrays)


def weighted(data: Any, validation: Any, class_weight: Optional[Mapping[int, float]], split: float, sample_weight: Any) -> Tuple[Any, Any]:
    """Applies the arguments of `fit` that change its data, and returns the data of training and of the evaluation."""
    import tensorflow as tf

    if sample_weight is not None:
        if not isinstance(data, tuple) or len(data) != 2:
            raise export_error("sample_weight= goes with arrays (x, y); in a pipeline, weights are the third part of each batch")
        data = (*data, sample_weight)
    if split:
        if validation is not None:
            raise export_error("validation_data and validation_split exclude one another")
        data, validation = _split(data, split)
    if class_weight:
        weights = {int(number): float(weight) for number, weight in class_weight.items()}
        if min(weights) < 0:
            raise export_error(f"class_weight: classes are numbered from 0, found {min(weights)}")

        def weigh(x: Any, y: Any, *given: Any) -> Any:
            weight = _class_weights(y, weights)
            return x, y, weight * tf.cast(given[0], tf.float32) if given else weight

        spec = data.element_spec if is_dataset(data) else data
        if not isinstance(spec, tuple) or len(spec) not in (2, 3) or tf.nest.is_nested(spec[1]):
            raise export_error("class_weight= needs data (x, y) with one array of labels")
        data = data.map(weigh) if is_dataset(data) else tf.nest.map_structure(np.asarray, weigh(*tf.nest.map_structure(_example_spec, data)))
    return data, validation


def is_dataset(data: Any) -> bool:
    import tensorflow as tf

    return isinstance(data, tf.data.Dataset) or isinstance(data, tf.compat.v1.data.Dataset)


def pipeline(data: Any, what: str, meta: str, *, batch: int, shuffle: bool, seed: Optional[int], steps: Optional[int],
             repeat: bool) -> Pipeline:
    """Converts `data`, a tf.data pipeline, an array, or a tuple or dictionary of arrays, to a serialized pipeline."""
    if is_dataset(data):
        return from_dataset(data, what, steps, repeat)
    if hasattr(data, "__next__") or (hasattr(data, "__getitem__") and hasattr(data, "on_epoch_end")):
        raise export_error(f"{what} is a Python {type(data).__name__}, which no trainer has; a tf.data pipeline or arrays can be exported")
    return from_arrays(data, what, meta, batch, shuffle, seed, steps, repeat)
