# SPDX-License-Identifier: Apache-2.0
"""CRC-32C (Castagnoli) of many records at once, with NumPy alone.

Records of one length are the rows of a matrix, whose columns are looked up in the usual table of 256 remainders. Long
rows are cut into segments whose remainders are computed side by side: a remainder r followed by m more bytes is
A^m(r) xor the remainder of these bytes, where A, which appends a zero byte, is linear over GF(2).
"""

from __future__ import annotations

from typing import Any, List

import numpy as np

_POLYNOMIAL = 0x82F63B78
# How many remainders a column of the matrix has to keep NumPy's calls from being the cost.
_LANES = 4096


def _table() -> Any:
    remainders = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        remainders = np.where(remainders & 1, remainders >> 1 ^ np.uint32(_POLYNOMIAL), remainders >> 1).astype(np.uint32)
    return remainders


_TABLE = _table()


def _remainders(rows: Any) -> Any:
    """The remainders of uint8[n, m], each from 0 on, without the inversions of CRC-32C."""
    found = np.zeros(len(rows), np.uint32)
    for column in np.ascontiguousarray(rows.T):
        found = _TABLE[(found ^ column) & 255] ^ (found >> 8)
    return found


class _Zeros:
    """Appends `count` zero bytes to remainders: A^count, as a table for each byte of a remainder."""

    def __init__(self, count: int) -> None:
        columns = np.uint32(1) << np.arange(32, dtype=np.uint32)  # the images of single bits, at first of the identity
        power = _TABLE[columns & 255] ^ (columns >> 8)  # A
        while count:
            if count & 1:
                columns = self._apply(power, columns)
            power = self._apply(power, power)
            count >>= 1
        self._tables = [self._of_byte(columns[8 * byte : 8 * byte + 8]) for byte in range(4)]

    @staticmethod
    def _apply(matrix: Any, vectors: Any) -> Any:
        result = np.zeros_like(vectors)
        for bit in range(32):
            result ^= np.where(vectors >> np.uint32(bit) & 1, matrix[bit], 0).astype(np.uint32)
        return result

    @staticmethod
    def _of_byte(images: Any) -> Any:
        table = np.zeros(256, np.uint32)
        for bit in range(8):
            table[1 << bit : 2 << bit] = table[: 1 << bit] ^ images[bit]
        return table

    def __call__(self, remainders: Any) -> Any:
        tables: List[Any] = self._tables
        return (tables[0][remainders & 255] ^ tables[1][remainders >> 8 & 255] ^ tables[2][remainders >> 16 & 255]
                ^ tables[3][remainders >> 24])


def crc32c(rows: Any) -> Any:
    """Returns the CRC-32C of each row of uint8[n, m], as uint32[n]."""
    count, length = rows.shape
    segments = max(1, min(_LANES // max(count, 1), length // 64))
    size = length // segments
    whole = _remainders(rows[:, : segments * size].reshape(count * segments, size)).reshape(count, segments)
    # The initial value, all ones, is a remainder before the first byte.
    found = np.full(count, 0xFFFFFFFF, np.uint32)
    append = _Zeros(size)
    for segment in range(segments):
        found = append(found) ^ whole[:, segment]
    for column in rows[:, segments * size :].T:
        found = _TABLE[(found ^ column) & 255] ^ (found >> 8)
    return found ^ np.uint32(0xFFFFFFFF)


def masked(checksums: Any) -> Any:
    """The form in which TFRecords store checksums: rotated, plus a constant."""
    return (checksums >> 15 | checksums << 17) + np.uint32(0xA282EAD8)
