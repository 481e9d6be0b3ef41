# SPDX-License-Identifier: Apache-2.0
"""Checkpoints as NumPy arrays, without TensorFlow.

The program `ingot-ckpt` reads the files, as it knows every format (V2, V1, object-based, safetensors, sharded and
partitioned) and verifies all checksums. This module only runs it and parses what it prints.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from typing import Dict, Iterator, List, Mapping, Optional, Union

import numpy as np

from . import _tools
from ._errors import Error

Path = Union[str, "os.PathLike[str]"]
Array = np.ndarray[tuple[int, ...], np.dtype[np.generic]]


def newest(model_dir: str) -> Optional[str]:
    """Returns the prefix of a model directory's newest checkpoint, according to its state file; None without one."""
    state = os.path.join(model_dir, "checkpoint")
    if not os.path.exists(state):
        return None
    with open(state, encoding="utf-8") as file:
        named = re.search(r'^model_checkpoint_path:\s*"((?:[^"\\]|\\.)*)"', file.read(), re.M)
    return os.path.join(model_dir, named.group(1)) if named else None


class Checkpoint(Mapping[str, Array]):
    """A mapping from the names of a checkpoint's tensors to their values.

    `path` is the checkpoint's prefix (`run/model.ckpt-60`), or a model directory, whose newest checkpoint is read.
    Raises Error if the checkpoint is missing or damaged, and KeyError if it has no tensor of a requested name.
    """

    def __init__(self, path: Path) -> None:
        prefix = os.fspath(path)
        if os.path.isdir(prefix):
            found = newest(prefix)
            if found is None:
                raise Error(f"the folder '{prefix}' has no checkpoint: train first, or give the folder or the prefix of one")
            prefix = found
        self.prefix = prefix
        self._tensors = json.loads(self._tool("ls", prefix, "--json"))["tensors"]
        self._shapes = {tensor["name"]: tensor for tensor in self._tensors}

    @staticmethod
    def _tool(*arguments: str) -> str:
        code, out, err = _tools.run([_tools.find("ingot-ckpt"), *arguments])
        if code:
            raise Error(err.strip() or f"ingot-ckpt {arguments[0]} failed with exit code {code}")
        return out

    @property
    def step(self) -> Optional[int]:
        """The global step at which the checkpoint was saved; None if it does not contain `global_step`."""
        return int(self["global_step"]) if "global_step" in self._shapes else None

    def __getitem__(self, name: str) -> Array:
        if name not in self._shapes:
            raise KeyError(f"'{self.prefix}' has no tensor '{name}'")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tensor.npy")
            self._tool("cat", self.prefix, name, "-o", path)
            tensor: Array = np.load(path, allow_pickle=False)
            return tensor

    def __iter__(self) -> Iterator[str]:
        return iter([str(tensor["name"]) for tensor in self._tensors])

    def __len__(self) -> int:
        return len(self._tensors)

    def shape(self, name: str) -> List[int]:
        return list(self._shapes[name]["shape"])

    def arrays(self) -> Dict[str, Array]:
        """Returns all tensors by name, except those of types that NumPy does not have."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "all.npz")
            self._tool("convert", self.prefix, "--to", "npz", "-o", path)
            with np.load(path, allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
