# SPDX-License-Identifier: Apache-2.0
"""Where the file of a Keras model's `save_weights` has each of its variables.

Keras's generations name and order the arrays in a `.weights.h5` each in their own way, layer by layer. So that a
trainer can write such a file without Keras, the graph says which variable is which array: found by having Keras
save the model once with each variable's number in all of its elements.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, List, Sequence, Tuple

COLLECTION = "ingot_keras_weights"


def weight_places(model: Any, variables: Sequence[Tuple[str, Any]]) -> List[str]:
    """Lines of "path<TAB>name" for arrays and "path/<TAB>" for groups; none where Keras saves something else.

    `variables` are names and tf.Variables: the model's, its optimizer's and its metrics'.
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
    """The contents of Keras's file, as a list of paths and arrays; None for a group."""
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
