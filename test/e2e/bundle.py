# SPDX-License-Identifier: Apache-2.0
"""Reads TensorFlow's V2 checkpoints, independently of Ingot's own reader.

Only what tests need: uncompressed index blocks, unsliced numeric and string tensors.
"""
import itertools
import math
import pathlib
import struct

TABLE_MAGIC = 0xDB4775248B80FB57
DTYPES = {1: ("f", 4), 2: ("d", 8), 3: ("i", 4), 9: ("q", 8), 10: ("?", 1)}
STRING = 7


def varint(data, at):
    """The number at `at`, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def block(data, offset, size):
    """The (key, value) pairs of one table block."""
    assert data[offset + size] == 0, "a compressed block"
    (restarts,) = struct.unpack_from("<I", data, offset + size - 4)
    end = offset + size - 4 - 4 * restarts
    key, at = b"", offset
    while at < end:
        shared, at = varint(data, at)
        rest, at = varint(data, at)
        length, at = varint(data, at)
        key = key[:shared] + data[at : at + rest]
        at += rest
        yield key, data[at : at + length]
        at += length


def table(data):
    """The (key, value) pairs of a table file."""
    footer = data[-48:]
    (magic,) = struct.unpack_from("<Q", footer, 40)
    assert magic == TABLE_MAGIC, f"not a table: magic {magic:#x}"
    _, at = varint(footer, 0)
    _, at = varint(footer, at)
    offset, at = varint(footer, at)
    size, at = varint(footer, at)
    for _, handle in block(data, offset, size):
        start, used = varint(handle, 0)
        length, _ = varint(handle, used)
        yield from block(data, start, length)


def fields(message):
    """The (number, value) pairs of a protocol buffer message."""
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        if tag & 7 == 0:
            value, at = varint(message, at)
        elif tag & 7 == 2:
            length, at = varint(message, at)
            value, at = message[at : at + length], at + length
        else:
            size = {1: 8, 5: 4}[tag & 7]
            value, at = message[at : at + size], at + size
        yield tag >> 3, value


class Entry:
    """The place of one tensor."""

    def __init__(self, message):
        parts = dict(fields(message))
        self.dtype = parts.get(1, 0)
        self.shard, self.offset, self.size = (parts.get(n, 0) for n in (3, 4, 5))
        # A tensor in slices, each of which is stored under a key of its own.
        self.is_sliced = 7 in parts
        self.shape = [
            dict(fields(dim)).get(1, 0) for n, dim in fields(parts.get(2, b"")) if n == 2
        ]


class Bundle:
    """A checkpoint's tensors by name."""

    def __init__(self, prefix):
        self.prefix = pathlib.Path(prefix)
        pairs = dict(table(pathlib.Path(f"{prefix}.index").read_bytes()))
        header = dict(fields(pairs.pop(b"")))
        self.shards = header.get(1, 0)
        # The keys of slices are no text.
        self.entries = {key.decode("latin-1"): Entry(value) for key, value in pairs.items()}

    def shard_path(self, shard):
        """The file of one shard."""
        return pathlib.Path(f"{self.prefix}.data-{shard:05d}-of-{self.shards:05d}")

    def data(self, name):
        """A tensor's bytes."""
        entry = self.entries[name]
        with open(self.shard_path(entry.shard), "rb") as file:
            file.seek(entry.offset)
            return file.read(entry.size)

    def values(self, name):
        """The elements of a numeric or string tensor, in row-major order."""
        if self.entries[name].dtype == STRING:
            return self.strings(name)
        code, width = DTYPES[self.entries[name].dtype]
        data = self.data(name)
        return struct.unpack(f"<{len(data) // width}{code}", data)

    def strings(self, name):
        """A string tensor's elements: their lengths come first, then four bytes of checksum."""
        data, lengths, at = self.data(name), [], 0
        for _ in range(math.prod(self.entries[name].shape)):
            length, at = varint(data, at)
            lengths.append(length)
        ends = list(itertools.accumulate(lengths, initial=at + 4))
        return tuple(data[start:end] for start, end in zip(ends, ends[1:]))

    def numeric(self):
        """The names of the numeric tensors that are stored whole, and of slices."""
        return sorted(
            n for n, e in self.entries.items() if e.dtype in DTYPES and not e.is_sliced
        )
