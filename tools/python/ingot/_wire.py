# SPDX-License-Identifier: Apache-2.0
"""Writes protocol buffers: the few messages of TensorFlow's graphs that a MetaGraphDef needs.

Field numbers are those of proto/Graph.proto and proto/MetaGraph.proto. Functions return serialized messages, so that a
graph is written without TensorFlow and without protobuf's library; the same graph always gives the same bytes.
"""

from __future__ import annotations

import struct
from typing import Any, Iterable, List, Mapping, NamedTuple, Sequence, Tuple, Union

import numpy as np

# TensorFlow's DataType by the name of the NumPy type.
TYPES = {"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "int64": 9, "bool": 10,
         "bfloat16": 14, "uint16": 17, "float16": 19, "resource": 20, "variant": 21, "uint32": 22, "uint64": 23}


class Shape(NamedTuple):
    """An attribute's shape; a negative size is unknown, and `dims` of None has an unknown rank."""

    dims: Union[Sequence[int], None]


class Type(NamedTuple):
    """An attribute's element type, a key of TYPES."""

    name: str


class Function(NamedTuple):
    """An attribute's function: the name of one in the graph's library."""

    name: str


def varint(value: int) -> bytes:
    """Encodes an integer; negative ones as 64-bit two's complement."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def block(number: int, value: Union[bytes, str]) -> bytes:
    """A field of bytes, of text, or of a message that is serialized already."""
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def blocks(number: int, values: Iterable[Union[bytes, str]]) -> bytes:
    return b"".join(block(number, value) for value in values)


def entries(number: int, values: Mapping[str, bytes]) -> bytes:
    """A field of type map<string, message>, sorted by key."""
    return blocks(number, (block(1, key) + block(2, value) for key, value in sorted(values.items())))


def shape(dims: Union[Sequence[int], None]) -> bytes:
    """A TensorShapeProto."""
    if dims is None:
        return integer(3, 1)
    return blocks(2, (integer(1, int(size)) if size else b"" for size in dims))


def tensor(value: Any) -> bytes:
    """A TensorProto of a NumPy array, or of a string or an array of strings (type S)."""
    array = np.asarray(value)
    if array.dtype.kind in "SO":
        return integer(1, TYPES["string"]) + block(2, shape(array.shape)) + blocks(8, [bytes(one) for one in array.ravel().tolist()])
    data = np.ascontiguousarray(array).tobytes()
    return integer(1, TYPES[array.dtype.name]) + block(2, shape(array.shape)) + block(4, data)


def attribute(value: Any) -> bytes:
    """An AttrValue. An int, a float, a bool, text, a Type, a Shape, an array, a Function, or a list of these."""
    if isinstance(value, (list, tuple)) and not isinstance(value, (Shape, Type, Function)):
        return block(1, _list(value))
    return _one(value)


def _one(value: Any) -> bytes:
    if isinstance(value, bool):
        return integer(5, int(value))
    if isinstance(value, int):
        return integer(3, value)
    if isinstance(value, float):
        return varint(4 << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, (str, bytes)):
        return block(2, value)
    if isinstance(value, Type):
        return integer(6, TYPES[value.name])
    if isinstance(value, Shape):
        return block(7, shape(value.dims))
    if isinstance(value, Function):
        return block(10, block(1, value.name))
    return block(8, tensor(value))


def _list(values: Sequence[Any]) -> bytes:
    """An AttrValue.ListValue, whose elements are all of one kind."""
    if not values:
        return b""
    first = values[0]
    if isinstance(first, (str, bytes)):
        return blocks(2, values)
    if isinstance(first, bool):
        return block(5, b"".join(varint(int(one)) for one in values))
    if isinstance(first, int):
        return block(3, b"".join(varint(one) for one in values))
    if isinstance(first, float):
        return block(4, struct.pack(f"<{len(values)}f", *values))
    if isinstance(first, Type):
        return block(6, b"".join(varint(TYPES[one.name]) for one in values))
    if isinstance(first, Shape):
        return blocks(7, (shape(one.dims) for one in values))
    assert isinstance(first, Function), f"an attribute of {type(first).__name__}"
    return blocks(9, (block(1, one.name) for one in values))


def node(name: str, op: str, inputs: Sequence[str], attributes: Mapping[str, Any]) -> bytes:
    """A NodeDef."""
    encoded = {key: attribute(value) for key, value in attributes.items()}
    return block(1, name) + block(2, op) + blocks(3, inputs) + entries(5, encoded)


def argument(name: str, dtype: str) -> bytes:
    """An OpDef.ArgDef of a function's signature."""
    return block(1, name) + integer(3, TYPES[dtype])


def function(name: str, inputs: Sequence[Tuple[str, str]], outputs: Sequence[Tuple[str, str, str]], nodes: Sequence[bytes]) -> bytes:
    """A FunctionDef. `inputs` are names and types; `outputs` are names, types and the tensors that are returned."""
    signature = block(1, name) + blocks(2, (argument(*one) for one in inputs)) + blocks(3, (argument(*one[:2]) for one in outputs))
    returned = b"".join(block(4, block(1, key) + block(2, source)) for key, _, source in outputs)
    return block(1, signature) + blocks(3, nodes) + returned


def debug_info(lines: Mapping[str, Tuple[str, int]]) -> bytes:
    """A GraphDebugInfo: the file and line of each node ("node"), or of a function's node ("node@function")."""
    files: List[str] = []
    places = {}
    index = {}
    for name, (file, line) in sorted(lines.items()):
        if file not in index:
            index[file] = len(files)
            files.append(file)
        places[name] = block(1, integer(1, index[file]) + integer(2, line))
    return blocks(1, files) + entries(2, places)
