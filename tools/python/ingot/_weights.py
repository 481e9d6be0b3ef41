# SPDX-License-Identifier: Apache-2.0
"""Finds which array of a `.weights.h5` file, written by Keras's `save_weights`, stores each variable of a model.

Versions of Keras name and order the arrays differently. The graph records which array stores which variable, so that
a trainer can write such a file without Keras. To find out, variable i is filled with the number i, and the model is
saved once.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, List, Sequence, Tuple

COLLECTION = "ingot_keras_weights"


def weight_places(model: Any, variables: Sequence[Tuple[str, Any]]) -> List[str]:
    """Returns lines "path<TAB>name" for arrays and "path/<TAB>" for groups; no lines if an array is no variable.

    `variables` are pairs of a name and a tf.Variable, of the model, its optimizer and its metrics.
    """
    import numpy as np

    numbers = {}
    before = []
    try:
        for index, (name, variable) in enumerate(variables):
            value = variable.numpy()
            number = np.full(value.shape, index + 1).astype(value.dtype)
            if not value.size or not (number.astype(np.int64) == index + 1).all():
                return []
            before.append((variable, value))
            numbers[index + 1] = (name, value.shape)
            variable.assign(number)
        return _read(_save(model), numbers)
    except Exception:  # A layer's own saving may raise anything: then the model has no such file.
        return []
    finally:
        for variable, value in before:
            variable.assign(value)


def _save(model: Any) -> Any:
    """Saves the model's weights, and returns the file's contents: pairs of a path and an array, or None for a group."""
    import h5py

    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.weights.h5")
        model.save_weights(path)
        with h5py.File(path, "r") as file:
            file.visititems(lambda name, item: found.append((name, item[()] if isinstance(item, h5py.Dataset) else None)))
    return found


def _read(saved: Any, numbers: Any) -> List[str]:
    lines = []
    for path, array in saved:
        if array is None:
            lines.append(f"{path}/\t")
            continue
        number = int(array.flat[0]) if array.size else 0
        name, shape = numbers.get(number, ("", ()))
        if not name or array.shape != shape or not (array == number).all():
            return []
        lines.append(f"{path}\t{name}")
    return lines
