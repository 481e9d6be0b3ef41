# SPDX-License-Identifier: Apache-2.0
"""The loops of recurrent layers: `ingot::recurrence` and its gradient, whose rows lie in lists."""

from __future__ import annotations

from typing import Any, Callable, List, Sequence, Tuple

import numpy as np

from .._builder import Builder
from .._metagraph import Tensor
from .._wire import Shape, Type
from ._products import matmul
from ._rules import rule
from ._walk import Walk

# The body of a loop over rows: receives the loop-carried values, the loop-invariant values and the current rows; returns the
# new loop-carried values and the new rows.
Body = Callable[[List[Tensor], List[Tensor], List[Tensor]], Tuple[List[Tensor], List[Tensor]]]


def _loop(w: Walk, length: int, carried: Sequence[Tensor], fixed: Sequence[Tensor], rows: Sequence[Tensor], widths: Sequence[Sequence[int]],
          body: Body, reverse: bool) -> Tuple[List[Tensor], List[Tensor]]:
    """A loop over the first axis of `rows`. Returns what is carried, and the new rows, of shapes `widths`, stacked."""
    b, dtype = w.b, carried[0].dtype
    read = [b.scope.op("TensorListFromTensor", one, b.sizes(one.shape[1:]), element_dtype=Type(dtype)) for one in rows]
    written = [b.scope.op("TensorListReserve", b.sizes(one), b.const(length, "int32"), element_dtype=Type(dtype)) for one in widths]
    state = [b.const(0, "int32"), *carried, *fixed, *read, *written]
    first, second = 1 + len(carried), 1 + len(carried) + len(fixed)
    third = second + len(read)

    def tested(given: List[Tensor]) -> List[Tensor]:
        return [w.b.pointwise("Less", given[0], w.b.const(length, "int32"))]

    def advanced(given: List[Tensor]) -> List[Tensor]:
        inner = w.b
        place = inner.sub(inner.const(length - 1, "int32"), given[0]) if reverse else given[0]
        items = [inner.scope.op("TensorListGetItem", one, place, inner.sizes(whole.shape[1:]), shapes=[whole.shape[1:]], element_dtype=Type(dtype))
                 for one, whole in zip(given[second:third], rows)]
        new, made = body(given[1:first], given[first:second], items)
        lists = [inner.scope.op("TensorListSetItem", one, place, row) for one, row in zip(given[third:], made)]
        return [inner.add(given[0], inner.const(1, "int32")), *new, *given[first:third], *lists]

    functions = [w.function(name, state, more) for name, more in (("recurrence_cond", tested), ("recurrence_body", advanced))]
    shapes = [one.shape for one in state[:second]] + [()] * (len(read) + len(written))
    done = b.scope.op("StatelessWhile", state, shapes=[one.shape for one in state], cond=functions[0], body=functions[1],
                      output_shapes=[Shape(shape) for shape in shapes], parallel_iterations=10)
    stacked = [b.scope.op("TensorListStack", one, b.sizes(width), shapes=[[length, *width]], element_dtype=Type(dtype), num_elements=length)
               for one, width in zip(done[third:], widths)]
    return list(done[1:first]), stacked


def _parts(b: Builder, x: Tensor, count: int) -> List[Tensor]:
    """The gates of a row [batch, count * hidden]."""
    size = x.shape[1] // count
    return [b.slice(x, [0, index * size], [x.shape[0], (index + 1) * size]) for index in range(count)]


def _one_minus(b: Builder, x: Tensor) -> Tensor:
    return b.sub(b.like(1, x), x)


def _empty(w: Walk, index: int) -> Tensor:
    return w.b.const(np.zeros(w.outs[index].shape, np.dtype(w.outs[index].dtype)))


@rule("ingot.recurrence.default")
def recurrence(w: Walk, kind: str, xs: Tensor, h0: Tensor, c0: Tensor, weight: Tensor, bias: Tensor) -> List[Tensor]:
    length, hidden = xs.shape[0], list(h0.shape)

    def products(h: Tensor, fixed: List[Tensor]) -> Tensor:
        made = matmul(w, h, w.b.turn(fixed[0], [1, 0]), [h.shape[0], weight.shape[0]])
        return w.b.add(made, w.b.broadcast(w.b.reshape(fixed[1], [1, bias.size]), made.shape))

    def lstm(carried: List[Tensor], fixed: List[Tensor], rows: List[Tensor]) -> Any:
        b = w.b
        i, f, g, o = _parts(b, b.add(rows[0], products(carried[0], fixed)), 4)
        i, f, o = (b.pointwise("Sigmoid", one) for one in (i, f, o))
        g = b.pointwise("Tanh", g)
        c = b.add(b.mul(f, carried[1]), b.mul(i, g))
        h = b.mul(o, b.pointwise("Tanh", c))
        return [h, c], [h, b.concat([i, f, g, o], 1), c]

    def gru(carried: List[Tensor], fixed: List[Tensor], rows: List[Tensor]) -> Any:
        b = w.b
        (xr, xz, xn), (hr, hz, hn) = _parts(b, rows[0], 3), _parts(b, products(carried[0], fixed), 3)
        r, z = b.pointwise("Sigmoid", b.add(xr, hr)), b.pointwise("Sigmoid", b.add(xz, hz))
        n = b.pointwise("Tanh", b.add(xn, b.mul(r, hn)))
        h = b.add(b.mul(b.sub(carried[0], n), z), n)
        return [h], [h, b.concat([r, z, n, hn], 1)]

    def plain(carried: List[Tensor], fixed: List[Tensor], rows: List[Tensor]) -> Any:
        before = w.b.add(rows[0], products(carried[0], fixed))
        h = w.b.pointwise("Tanh", before) if kind == "tanh" else w.b.pointwise("Maximum", before, w.b.like(0, before))
        return [h], [h]

    wide = [h0.shape[0], 4 * h0.shape[1]]
    if kind == "lstm":
        return _loop(w, length, [h0, c0], [weight, bias], [xs], [hidden, wide, hidden], lstm, False)[1]
    if kind == "gru":
        return [*_loop(w, length, [h0], [weight, bias], [xs], [hidden, wide], gru, False)[1], _empty(w, 2)]
    return [*_loop(w, length, [h0], [weight, bias], [xs], [hidden], plain, False)[1], _empty(w, 1), _empty(w, 2)]


@rule("ingot.recurrence_backward.default")
def recurrence_backward(w: Walk, kind: str, gys: Tensor, gcells: Tensor, ys: Tensor, acts: Tensor, cells: Tensor, h0: Tensor, c0: Tensor,
                        weight: Tensor) -> List[Tensor]:
    length, width = ys.shape[0], [h0.shape[0], weight.shape[0]]

    def shifted(first: Tensor, rows: Tensor) -> Tensor:
        """What each step began with."""
        return w.b.concat([w.b.reshape(first, [1, *first.shape]), w.b.slice(rows, [0, 0, 0], [length - 1, *rows.shape[1:]])], 0)

    def back(products: Tensor, fixed: List[Tensor]) -> Tensor:
        return matmul(w, products, fixed[0], h0.shape)

    def lstm(carried: List[Tensor], fixed: List[Tensor], rows: List[Tensor]) -> Any:
        b, (gy, gcell, act, cell, before) = w.b, rows
        i, f, g, o = _parts(b, act, 4)
        dh, tanh = b.add(gy, carried[0]), b.pointwise("Tanh", cell)
        dc = b.add(b.add(carried[1], gcell), b.mul(b.mul(dh, o), _one_minus(b, b.mul(tanh, tanh))))
        into = [b.mul(b.mul(dc, g), b.mul(i, _one_minus(b, i))), b.mul(b.mul(dc, before), b.mul(f, _one_minus(b, f))),
                b.mul(b.mul(dc, i), _one_minus(b, b.mul(g, g))), b.mul(b.mul(dh, tanh), b.mul(o, _one_minus(b, o)))]
        gates = b.concat(into, 1)
        return [back(gates, fixed), b.mul(dc, f)], [gates]

    def gru(carried: List[Tensor], fixed: List[Tensor], rows: List[Tensor]) -> Any:
        b, (gy, act, before) = w.b, rows
        r, z, n, hn = _parts(b, act, 4)
        dh = b.add(gy, carried[0])
        dn = b.mul(b.mul(dh, _one_minus(b, z)), _one_minus(b, b.mul(n, n)))
        dz = b.mul(b.mul(dh, b.sub(before, n)), b.mul(z, _one_minus(b, z)))
        dr = b.mul(b.mul(dn, hn), b.mul(r, _one_minus(b, r)))
        products = b.concat([dr, dz, b.mul(dn, r)], 1)
        return [b.add(b.mul(dh, z), back(products, fixed))], [b.concat([dr, dz, dn], 1), products]

    def plain(carried: List[Tensor], fixed: List[Tensor], rows: List[Tensor]) -> Any:
        b, (gy, y) = w.b, rows
        dh = b.add(gy, carried[0])
        if kind == "tanh":
            into = b.mul(dh, _one_minus(b, b.mul(y, y)))
        else:
            into = b.select(b.pointwise("Greater", y, b.like(0, y)), dh, b.broadcast(b.like(0, dh), dh.shape))
        return [back(into, fixed)], [into]

    zero = w.zeros(h0.shape, h0.dtype)
    if kind == "lstm":
        (gh, gc), (gates,) = _loop(w, length, [zero, zero], [weight], [gys, gcells, acts, cells, shifted(c0, cells)], [width], lstm, True)
        return [gates, gates, gh, gc]
    if kind == "gru":
        (gh,), (gates, products) = _loop(w, length, [zero], [weight], [gys, acts, shifted(h0, ys)], [width, width], gru, True)
        return [gates, products, gh, zero]
    (gh,), (gates,) = _loop(w, length, [zero], [weight], [gys, ys], [width], plain, True)
    return [gates, gates, gh, zero]
