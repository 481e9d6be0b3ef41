# SPDX-License-Identifier: Apache-2.0
"""Fails unless an ELF executable names a dynamic linker (PT_INTERP)."""
import struct
import sys

data = open(sys.argv[1], "rb").read()
headers, size, count = *struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54)
types = [struct.unpack_from("<I", data, headers + size * i)[0] for i in range(count)]
sys.exit(3 not in types)
