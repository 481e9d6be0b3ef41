# SPDX-License-Identifier: Apache-2.0
"""Reads .safetensors files: a length, a header in JSON, and the arrays' bytes."""

from __future__ import annotations

import json
from typing import Any, Dict

import numpy as np

_TYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32", "I16": "int16",
          "I8": "int8", "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool"}


def read(path: str) -> Dict[str, Any]:
    """Returns the arrays of a file by name. bfloat16 needs the package ml_dtypes."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        content = file.read()
    found = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        if entry["dtype"] == "BF16":
            import ml_dtypes  # noqa: F401  Registers the type bfloat16 with NumPy.
        found[name] = np.frombuffer(content[begin:end], np.dtype(_TYPES[entry["dtype"]])).reshape(entry["shape"])
    return found
