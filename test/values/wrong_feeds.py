# SPDX-License-Identifier: Apache-2.0
"""Wrong feeds: their sizes, and their values (make_refusals.py)."""
import numpy as np


def sizes(value):
    """The same element type in other sizes; what is new repeats what is there."""
    for axis, size in enumerate(value.shape):
        pick = lambda count: np.take(value, np.arange(count) % max(size, 1), axis=axis)
        if size == 0:
            widths = [(0, int(k == axis)) for k in range(value.ndim)]
            yield f"one along axis {axis}", np.pad(value, widths)
            continue
        if size > 1:
            yield f"one less along axis {axis}", pick(size - 1)
        yield f"one more along axis {axis}", pick(size + 1)
        if size > 2:
            yield f"one along axis {axis}", pick(1)
        yield f"none along axis {axis}", pick(0)
    if value.ndim and value.size:
        yield "far more along axis 0", np.take(value, np.arange(150 + value.shape[0]) % value.shape[0], axis=0)
    if value.ndim > 1 and value.shape[0] != value.shape[-1]:
        yield "transposed", np.ascontiguousarray(value.T)
    if value.ndim or value.dtype.kind != "S":  # a text that looks like a list is a text
        yield "a rank more", value[np.newaxis]
    if value.ndim and value.size:
        yield "a rank less", np.ascontiguousarray(value[0])


def replaced(value, where, element):
    found = np.array(value)
    found.reshape(-1)[where] = element
    return found


def integers(value):
    limits = np.iinfo(value.dtype)
    large = min(1000, limits.max)
    for where, name in ((0, "first"), (-1, "last")):
        if limits.min < 0:
            yield f"the {name} is -1", replaced(value, where, -1)
        yield f"the {name} is {large}", replaced(value, where, large)
        yield f"the {name} is 0", replaced(value, where, 0)
        yield f"the {name} is one more", replaced(value, where, min(int(value.max()) + 1, limits.max))
        if value.size < 2:
            break
    yield "the first is the largest", replaced(value, 0, limits.max)
    if limits.min < 0:
        yield "the first is the smallest", replaced(value, 0, limits.min)
    yield "all are 0", np.zeros_like(value)
    if limits.min < 0:
        yield "all are -1", np.full_like(value, -1)
    if value.size > 1:
        yield "all are the last", np.full_like(value, value.reshape(-1)[-1])
        yield "in reverse", np.ascontiguousarray(value.reshape(-1)[::-1].reshape(value.shape))


def strings(value):
    for text in (b"", b"no such thing", b"-1"):
        yield f"the first is {text!r}", replaced(value, 0, text)
    first = bytes(value.reshape(-1)[0])
    yield "the first is cut", replaced(value, 0, first[: len(first) // 2])


def values(value):
    if value.size == 0:
        return
    if value.dtype.kind in "iu":
        yield from integers(value)
    elif value.dtype.kind == "f":
        for number in (np.nan, np.inf, -1.0, 0.0):
            yield f"the first is {number}", replaced(value, 0, number)
        yield "all are 0", np.zeros_like(value)
    elif value.dtype.kind == "b":
        yield "all are the other", ~value
    elif value.dtype.kind == "S":
        yield from strings(value.astype("S32"))


def of(value):
    """Kind, description and array of each wrong feed, none twice."""
    seen = {(value.shape, value.tobytes())}
    for kind, found in (("sizes", sizes(value)), ("values", values(value))):
        for what, wrong in found:
            identity = (wrong.shape, wrong.tobytes())
            if identity not in seen:
                seen.add(identity)
                yield kind, what, wrong
