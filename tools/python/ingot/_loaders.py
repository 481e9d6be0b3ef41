# SPDX-License-Identifier: Apache-2.0
"""What loaders of PyTorch and grain tell about themselves: whether they yield batches, and whether they end.

Nothing here imports these packages. A loader that does not have the attributes that are looked for tells nothing.
"""

from __future__ import annotations

import sys
from typing import Any, Iterator


def _is_of(source: Any, package: str) -> bool:
    return type(source).__module__.startswith(package + ".")


def _chain(source: Any) -> Iterator[Any]:
    """A dataset of grain, with all datasets that it is made of."""
    yield source
    for parent in getattr(source, "parents", ()):
        yield from _chain(parent)


def is_batched(source: Any) -> bool:
    """Whether a source yields batches. Without a sign of it, it does not."""
    if _is_of(source, "torch.utils.data"):
        return getattr(source, "batch_size", None) is not None
    if not _is_of(source, "grain"):
        return False
    steps = getattr(source, "_operations", None)
    names = [type(one).__name__ for one in (_chain(source) if steps is None else steps)]
    return any(name in ("Batch", "BatchMapDataset", "BatchIterDataset") for name in names)


def is_endless(source: Any) -> bool:
    """Whether a source of grain repeats its examples without end, as `repeat()` and an IndexSampler do by default."""
    if not _is_of(source, "grain"):
        return False
    sampler = getattr(source, "_sampler", None)
    if sampler is not None:
        return getattr(sampler, "_num_epochs", 1) is None
    return any(hasattr(type(one), "__len__") and len(one) >= sys.maxsize for one in _chain(source))
