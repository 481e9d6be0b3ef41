# SPDX-License-Identifier: Apache-2.0
"""Decompositions and solvers that Ingot has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._metagraph import Tensor
from ._rules import ANY, Refused, rule

if TYPE_CHECKING:
    from ._walk import Walk


def _check(eqn: Any, x: Tensor) -> None:
    if x.dtype not in ("float32", "float64"):
        raise Refused(f"{eqn.primitive.name}: {x.dtype} is not supported; float32 and float64 are")


@rule("cholesky", symmetrize_input=ANY)
def cholesky(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    """Of a matrix that is not positive definite, a trainer says so and ends, where JAX has NaNs."""
    _check(eqn, x)
    made: Tensor = w.b.scope.op("Cholesky", x, shapes=[x.shape])
    return made


@rule("triangular_solve", left_side=ANY, lower=ANY, transpose_a=ANY, conjugate_a=ANY, unit_diagonal=ANY)
def triangular_solve(w: Walk, eqn: Any, a: Tensor, right: Tensor) -> Tensor:
    """x of a x = right, or of x a = right, which is solved transposed."""
    b, p = w.b, eqn.params
    _check(eqn, a)
    if p["unit_diagonal"]:
        a = _unit(w, a)
    swap = [*range(a.rank - 2), a.rank - 1, a.rank - 2]
    transposed, left = bool(p["transpose_a"]), bool(p["left_side"])
    if not left:
        right, transposed = b.transpose(right, swap), not transposed
    made: Tensor = b.scope.op("MatrixTriangularSolve", a, right, shapes=[right.shape], lower=bool(p["lower"]), adjoint=transposed)
    return made if left else b.transpose(made, swap)


def _unit(w: Walk, a: Tensor) -> Tensor:
    """`a` with ones on the diagonal."""
    b = w.b
    size = a.shape[-1]
    line = b.iota([size], 0, "int32")
    ones = [1] * (a.rank - 2)
    rows, columns = b.reshape(line, [*ones, size, 1]), b.reshape(line, [*ones, 1, size])
    diagonal = b.broadcast(b.pointwise("Equal", rows, columns), a.shape)
    unit: Tensor = b.select(diagonal, b.broadcast(b.like(1, a), a.shape), a)
    return unit
