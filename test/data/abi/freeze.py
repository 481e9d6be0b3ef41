#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes of an artifact what tests keep of it for good: format-N.gz.

    freeze.py TRAINER format-6.gz

Headers, relocations and data stay as they are. Code becomes zeros, which pack well, but for the page with the
descriptor's magic number in it: a reader must not take that one for a descriptor.
"""
import gzip
import pathlib
import struct
import sys

MAGIC = b"INGOTPRG"
PAGE = 4096
PT_LOAD, EXECUTABLE = 1, 1


def main():
    artifact, frozen = map(pathlib.Path, sys.argv[1:])
    image = bytearray(artifact.read_bytes())
    (table,) = struct.unpack_from("<Q", image, 32)
    (count,) = struct.unpack_from("<H", image, 56)
    for i in range(count):
        kind, flags, offset, _, _, size = struct.unpack_from("<IIQQQQ", image, table + 56 * i)
        if kind != PT_LOAD or not flags & EXECUTABLE:
            continue
        for start in range(offset, offset + size, PAGE):
            page = slice(start, min(start + PAGE, offset + size))
            if MAGIC not in image[page]:
                image[page] = bytes(page.stop - page.start)
    frozen.write_bytes(gzip.compress(bytes(image), mtime=0))


if __name__ == "__main__":
    main()
