# SPDX-License-Identifier: Apache-2.0
"""ATen's products of matrices. A matrix that is turned is taken as it was before, with the product's own transpose."""

from __future__ import annotations

from typing import Any, Sequence, Tuple

from .._metagraph import Tensor
from ._rules import Refused, rule
from ._walk import Walk


def _operand(x: Tensor) -> Tuple[Tensor, bool]:
    """A matrix, or batch of them, and whether the product turns it."""
    last = (*range(x.rank - 2), x.rank - 1, x.rank - 2)
    if x.turned is not None and x.turned[1] == last:
        return x.turned[0], True
    return x, False


def matmul(w: Walk, a: Tensor, b: Tensor, shape: Sequence[int]) -> Tensor:
    """A product of matrices of rank 2, or of batches of them of rank 3."""
    if "bool" in (a.dtype, b.dtype):
        raise Refused(f"{w.name}: products of booleans are not supported; cast them to numbers")
    (left, turns_left), (right, turns_right) = _operand(a), _operand(b)
    if a.rank == 2:
        return w.op("MatMul", left, right, shape=shape, transpose_a=turns_left, transpose_b=turns_right)
    return w.op("BatchMatMulV2", left, right, shape=shape, adj_x=turns_left, adj_y=turns_right)


@rule("mm", "bmm")
def mm(w: Walk, x: Tensor, mat2: Tensor) -> Tensor:
    return matmul(w, x, mat2, w.out.shape)


def _added(w: Walk, x: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    """beta * x + alpha * product; with a beta of 0, `x` is not looked at."""
    b = w.b
    product = product if alpha == 1 else b.mul(product, b.like(alpha, product))
    if beta == 0:
        return product
    x = x if beta == 1 else b.mul(x, b.like(beta, x))
    return w.pointwise("AddV2", product, x)


@rule("addmm")
def addmm(w: Walk, x: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Tensor:
    return _added(w, x, matmul(w, mat1, mat2, w.out.shape), beta, alpha)


@rule("baddbmm")
def baddbmm(w: Walk, x: Tensor, batch1: Tensor, batch2: Tensor, beta: Any, alpha: Any) -> Tensor:
    return _added(w, x, matmul(w, batch1, batch2, w.out.shape), beta, alpha)


@rule("mv")
def mv(w: Walk, x: Tensor, vec: Tensor) -> Tensor:
    made = matmul(w, x, w.b.reshape(vec, [vec.size, 1]), [x.shape[0], 1])
    return w.b.reshape(made, w.out.shape)


@rule("addmv")
def addmv(w: Walk, x: Tensor, mat: Tensor, vec: Tensor, beta: Any, alpha: Any) -> Tensor:
    return _added(w, x, mv(w, mat, vec), beta, alpha)


@rule("dot", "vdot")
def dot(w: Walk, x: Tensor, tensor: Tensor) -> Tensor:
    made = matmul(w, w.b.reshape(x, [1, x.size]), w.b.reshape(tensor, [x.size, 1]), [1, 1])
    return w.b.reshape(made, [])


@rule("_trilinear")
def trilinear(w: Walk, i1: Tensor, i2: Tensor, i3: Tensor, expand1: Sequence[int], expand2: Sequence[int], expand3: Sequence[int],
              sumdim: Sequence[int]) -> Tensor:
    """The product of three tensors, each with new axes of size 1, summed along axes."""
    factors = []
    for x, new in ((i1, expand1), (i2, expand2), (i3, expand3)):
        sizes = list(x.shape)
        for axis in sorted(new):
            sizes.insert(axis, 1)
        factors.append(w.b.reshape(x, sizes))
    whole = w.pointwise("Mul", w.pointwise("Mul", factors[0], factors[1]), factors[2])
    return w.b.reshape(w.b.reduce("Sum", whole, sorted(sumdim)), w.out.shape)
