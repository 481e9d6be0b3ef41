#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes of an artifact what tests keep of it for good: format-N.gz.

    freeze.py TRAINER format-6.gz
    freeze.py format-6.gz format-6.gz   packs a frozen artifact again

Headers, relocations, data and texts stay as they are. What no reader of a descriptor looks at becomes zeros, which
pack well: code, unwind tables, and constants that are no text. A page with the descriptor's magic number in it is kept:
a reader must not take that one for a descriptor.
"""
import gzip
import pathlib
import re
import struct
import sys

MAGIC = b"INGOTPRG"
PAGE, CHUNK, NEIGHBOURS = 4096, 256, 16
PT_LOAD, EXECUTABLE = 1, 1
UNWIND_TABLES = {b".eh_frame", b".eh_frame_hdr", b".gcc_except_table"}
TEXT = re.compile(rb"[\x20-\x7e]{6}")


def segments(image):
    """Offsets and sizes of the segments of code."""
    (table,) = struct.unpack_from("<Q", image, 32)
    (count,) = struct.unpack_from("<H", image, 56)
    for i in range(count):
        kind, flags, offset, _, _, size = struct.unpack_from("<IIQQQQ", image, table + 56 * i)
        if kind == PT_LOAD and flags & EXECUTABLE:
            yield offset, size


def sections(image):
    """Names, offsets and sizes of the sections."""
    (table,) = struct.unpack_from("<Q", image, 40)
    size, count, names = struct.unpack_from("<HHH", image, 58)
    rows = [struct.unpack_from("<IIQQQQ", image, table + size * i) for i in range(count)]
    for name, _, _, _, offset, length in rows:
        begin = rows[names][4] + name
        yield bytes(image[begin : image.index(0, begin)]), offset, length


def blank(image, offset, size, step, keeps):
    """Makes each `step` bytes zeros for which, with their neighbours, `keeps` does not hold."""
    old = bytes(image)
    for start in range(offset, offset + size, step):
        part = slice(start, min(start + step, offset + size))
        if not keeps(old[max(part.start - NEIGHBOURS, offset) : part.stop + NEIGHBOURS]):
            image[part] = bytes(part.stop - part.start)


def main():
    artifact, frozen = map(pathlib.Path, sys.argv[1:])
    read = gzip.decompress if artifact.suffix == ".gz" else bytes
    image = bytearray(read(artifact.read_bytes()))
    for offset, size in segments(image):
        blank(image, offset, size, PAGE, lambda part: MAGIC in part)
    for name, offset, size in sections(image):
        if name in UNWIND_TABLES:
            blank(image, offset, size, PAGE, lambda part: MAGIC in part)
        if name == b".rodata":
            blank(image, offset, size, CHUNK, TEXT.search)
    frozen.write_bytes(gzip.compress(bytes(image), mtime=0))


if __name__ == "__main__":
    main()
