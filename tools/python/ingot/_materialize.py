# SPDX-License-Identifier: Apache-2.0
"""Writes what a Python data source yields into TFRecords, which trainers then read without Python.

A record is a tf.train.Example with a feature of raw bytes for each array, so that TensorFlow reads the files, too. Each
shard is renamed to its final name when it is complete. The manifest, which says what the records hold, is rewritten after
each shard; it says `"complete"` only at the end. A call that was interrupted goes on after the last whole shard.
"""

from __future__ import annotations

import itertools
import json
import os
import struct
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _wire
from ._crc32c import crc32c, masked
from ._errors import export_error
from ._loaders import is_batched, is_endless

_MANIFEST = "materialized.json"
_FORMAT = 1


class Column:
    """One array of a materialized source: like an array that has all examples along its first axis, but on disk."""

    ndim = property(lambda self: len(self.shape))

    def __init__(self, source: Materialized, index: int, dtype: Any) -> None:
        self.source, self.index, self.dtype = source, index, np.dtype(dtype)
        self.shape: Tuple[int, ...] = (source.count, *source.shapes[index])

    def __len__(self) -> int:
        return self.shape[0]

    def astype(self, dtype: Any) -> Column:
        """The same column, whose elements trainers convert to `dtype`."""
        return Column(self.source, self.index, dtype)


class Materialized:
    """Examples in the TFRecords of a folder, as data for `ingot.jax` and `ingot.torch`.

    `structure` is "single", "tuple" or the list of a dictionary's keys; `shapes` and `dtypes` are those of one example.
    """

    def __init__(self, folder: str, manifest: Mapping[str, Any]) -> None:
        self.folder = os.path.abspath(folder)
        self.structure: Union[str, List[str]] = manifest["structure"]
        self.shapes: List[Tuple[int, ...]] = [tuple(shape) for shape in manifest["shapes"]]
        self.dtypes: List[str] = manifest["dtypes"]
        self.files: List[str] = [os.path.join(self.folder, _shard_name(index)) for index in range(len(manifest["shards"]))]
        self.count: int = sum(shard["examples"] for shard in manifest["shards"])

    def __len__(self) -> int:
        return self.count

    def columns(self) -> List[Column]:
        return [Column(self, index, dtype) for index, dtype in enumerate(self.dtypes)]

    def tree(self) -> Any:
        """The columns in the structure of an example."""
        columns = self.columns()
        if self.structure == "single":
            return columns[0]
        return tuple(columns) if self.structure == "tuple" else dict(zip(self.structure, columns))


def _shard_name(index: int) -> str:
    return f"examples-{index:05d}.tfrecord"


def feature_name(index: int) -> str:
    return f"array_{index}"


def _array(value: Any) -> Any:
    if hasattr(value, "detach"):  # a tensor of PyTorch
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            import ml_dtypes
            import torch

            return value.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        return value.numpy()
    return np.asarray(value)


def _parts(element: Any) -> Tuple[Union[str, List[str]], List[Any]]:
    """The structure of an element, and its arrays."""
    if isinstance(element, Mapping):
        # webdataset tells an example's name and file under keys like `__key__`.
        keys = [key for key in element if not str(key).startswith("__")]
        return [str(key) for key in keys], [_array(element[key]) for key in keys]
    if isinstance(element, (tuple, list)):
        return "tuple", [_array(value) for value in element]
    return "single", [_array(element)]


def _examples(source: Iterable[Any], batched: bool) -> Iterator[Tuple[Union[str, List[str]], List[Any]]]:
    for element in source:
        structure, arrays = _parts(element)
        if not batched:
            yield structure, arrays
            continue
        sizes = {array.shape[0] if array.ndim else None for array in arrays}
        if len(sizes) != 1 or None in sizes:
            raise export_error(f"a batch of the source has arrays of shapes {[array.shape for array in arrays]}; all need the same "
                               "first dimension (batched=False, if the source yields single examples)")
        for row in range(arrays[0].shape[0]):
            yield structure, [array[row] for array in arrays]


def _differ_by_rows(shapes: Sequence[Sequence[int]], others: Sequence[Sequence[int]]) -> bool:
    """Whether arrays have shapes that differ in their first dimension alone, as a short last batch has."""
    sizes = {(shape[0], other[0]) for shape, other in zip(shapes, others) if shape and other}
    return len(sizes) == 1 and all(shape and list(shape[1:]) == list(other[1:]) for shape, other in zip(shapes, others))


def _checked(number: int, arrays: Sequence[Any], manifest: Dict[str, Any], structure: Any) -> List[bytes]:
    """The bytes of one example's arrays. Raises ExportError if it does not fit the manifest."""
    shapes, dtypes = [list(array.shape) for array in arrays], [array.dtype.name for array in arrays]
    if not manifest["dtypes"]:
        for array in arrays:
            if array.dtype.kind not in "fiub" and array.dtype.name != "bfloat16":
                raise export_error(f"the source yields an array of {array.dtype} {array.shape}; numbers and bools can be written")
        manifest.update(structure=structure, shapes=shapes, dtypes=dtypes)
    if (structure, shapes, dtypes) != (manifest["structure"], manifest["shapes"], manifest["dtypes"]):
        hint = "" if structure != manifest["structure"] or not _differ_by_rows(shapes, manifest["shapes"]) else "; batched=True takes batches apart"
        raise export_error(f"example {number} of the source has arrays {list(zip(dtypes, shapes))}, the first one "
                           f"{list(zip(manifest['dtypes'], manifest['shapes']))}: all examples need the same structure, types and shapes{hint}")
    return [np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes() for array in arrays]


def _record(parts: Sequence[bytes]) -> bytes:
    """A serialized tf.train.Example."""
    features = {feature_name(index): _wire.block(1, _wire.block(1, part)) for index, part in enumerate(parts)}
    return _wire.block(1, _wire.entries(1, features))


def _write_shard(path: str, records: Sequence[bytes]) -> None:
    """Writes records, all of one length, as a TFRecord file, synced before it gets its name."""
    length = struct.pack("<Q", len(records[0]))
    head = length + struct.pack("<I", int(masked(crc32c(np.frombuffer(length, np.uint8)[None]))[0]))
    sums = masked(crc32c(np.frombuffer(b"".join(records), np.uint8).reshape(len(records), -1))).astype("<u4")
    with open(path + ".tempstate", "wb") as file:
        for record, checksum in zip(records, sums):
            file.write(head)
            file.write(record)
            file.write(checksum.tobytes())
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tempstate", path)


def _write_manifest(folder: str, manifest: Mapping[str, Any]) -> None:
    path = os.path.join(folder, _MANIFEST)
    with open(path + ".tempstate", "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tempstate", path)


def _read_manifest(folder: str) -> Optional[Dict[str, Any]]:
    path = os.path.join(folder, _MANIFEST)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        found: Dict[str, Any] = json.load(file)
    if found.get("format") != _FORMAT:
        raise export_error(f"{path} has format {found.get('format')}, not {_FORMAT}: it is of another version of Ingot")
    return found


def materialize(source: Iterable[Any], folder: Union[str, "os.PathLike[str]"], *, batched: Optional[bool] = None,
                shard_bytes: int = 64 << 20) -> Materialized:
    """Draws every example of `source` once and writes it to TFRecords in `folder`; returns data for `compile`.

    - `source` is a DataLoader of PyTorch, a loader of grain, a webdataset, or any iterable of arrays, tensors, or tuples
      or dictionaries of them. All examples need the same shapes and types. Augmentation is drawn once, with the examples.
    - `batched` says whether the source yields batches, of which the examples are taken apart. By default a DataLoader of
      PyTorch does, and a source of grain that has a batch transformation.
    - `shard_bytes` is about the size of a file.

    If the folder is complete, nothing is drawn. If a call was interrupted, the examples of whole shards are drawn again but
    not written; a source that yields others than before is refused. Raises ExportError.
    """
    folder = os.fspath(folder)
    manifest = _read_manifest(folder)
    if manifest and manifest["complete"]:
        return Materialized(folder, manifest)
    os.makedirs(folder, exist_ok=True)
    manifest = manifest or {"format": _FORMAT, "complete": False, "structure": "single", "shapes": [], "dtypes": [], "shards": []}
    if is_endless(source):
        raise export_error("the source repeats its examples without end: give it a number of epochs (num_epochs=1 of a sampler)")
    examples = enumerate(_examples(source, is_batched(source) if batched is None else batched))
    for shard in manifest["shards"]:
        _skip(folder, shard, manifest, examples)
    records: List[bytes] = []
    for number, (structure, arrays) in examples:
        records.append(_record(_checked(number, arrays, manifest, structure)))
        if len(records) * len(records[0]) >= shard_bytes:
            _add_shard(folder, manifest, records)
            records = []
    if records:
        _add_shard(folder, manifest, records)
    if not manifest["shards"]:
        raise export_error("the source yields no examples")
    manifest["complete"] = True
    _write_manifest(folder, manifest)
    return Materialized(folder, manifest)


def _add_shard(folder: str, manifest: Dict[str, Any], records: List[bytes]) -> None:
    _write_shard(os.path.join(folder, _shard_name(len(manifest["shards"]))), records)
    ends = np.frombuffer(records[0] + records[-1], np.uint8).reshape(2, -1)
    manifest["shards"].append({"examples": len(records), "ends": [int(one) for one in crc32c(ends)]})
    _write_manifest(folder, manifest)


def _skip(folder: str, shard: Mapping[str, Any], manifest: Dict[str, Any], examples: Iterator[Any]) -> None:
    """Draws the examples of a shard that is written, and compares its first and its last with what is there."""
    count = shard["examples"]
    found = []
    for index, (number, (structure, arrays)) in enumerate(itertools.islice(examples, count)):
        record = _record(_checked(number, arrays, manifest, structure))
        found += [int(crc32c(np.frombuffer(record, np.uint8)[None])[0])] * ((index == 0) + (index == count - 1))
    if found != shard["ends"]:
        raise export_error(f"the source yields other examples than those that an interrupted call has written to '{folder}': remove "
                           "the folder, or give the source a fixed order and seed")
