# SPDX-License-Identifier: Apache-2.0
"""dot_general, in all its forms: MatMul and BatchMatMul where the operands lie so, Einsum otherwise."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from .._metagraph import Tensor
from ._rules import ANY, Refused, rule, unsharded

if TYPE_CHECKING:
    from ._walk import Walk


def check_precision(name: str, precision: Any) -> None:
    """Products of f32 have f32's precision, which every one of jax.lax.Precision allows."""
    for one in precision if isinstance(precision, tuple) else (precision,):
        if one is not None and not isinstance(one, jax.lax.Precision):
            raise Refused(f"{name}: precision={precision} is not supported; None and jax.lax.Precision are")


@rule("dot_general", dimension_numbers=ANY, precision=ANY, preferred_element_type=ANY, out_sharding=unsharded, out_type=(None,))
def dot_general(w: Walk, eqn: Any, a: Tensor, b: Tensor) -> Tensor:
    from ._walk import type_of

    check_precision("dot_general", eqn.params["precision"])
    (contract_a, contract_b), (batch_a, batch_b) = eqn.params["dimension_numbers"]
    dtype = type_of(eqn.outvars[0].aval)
    common = dtype if eqn.params["preferred_element_type"] is not None else np.result_type(np.dtype(a.dtype), np.dtype(b.dtype)).name
    if "bool" in (a.dtype, b.dtype):
        raise Refused("dot_general: products of booleans are not supported; cast them to numbers")
    a, b = w.b.cast(a, common), w.b.cast(b, common)
    shape = eqn.outvars[0].aval.shape
    made = _matmul(w, a, b, tuple(contract_a), tuple(contract_b), tuple(batch_a), tuple(batch_b), shape)
    if made is None:
        made = _einsum(w, a, b, contract_a, contract_b, batch_a, batch_b, shape)
    return w.b.cast(made, dtype)


def _matmul(w: Walk, a: Tensor, b: Tensor, contract_a: Any, contract_b: Any, batch_a: Any, batch_b: Any, shape: Any) -> Any:
    """A product of matrices, or of batches of them, each perhaps transposed; None if it is neither."""
    batch = tuple(range(len(batch_a)))
    if len(contract_a) != 1 or batch_a != batch or batch_b != batch:
        return None
    count = len(batch)
    # If only the last axis of `a` is contracted, merge all other axes into one: a dense layer on sequences is then one GEMM.
    if not count and b.rank == 2 and a.rank > 2 and contract_a == (a.rank - 1,):
        rows = w.b.reshape(a, [int(np.prod(a.shape[:-1])), a.shape[-1]])
        made = _matmul(w, rows, b, (1,), contract_b, (), (), [rows.shape[0], shape[-1]])
        return w.b.reshape(made, shape)
    if a.rank != count + 2 or b.rank != count + 2:
        return None
    turned_a, turned_b = contract_a[0] == count, contract_b[0] == count + 1
    if not count:
        return w.b.scope.op("MatMul", a, b, shapes=[shape], transpose_a=turned_a, transpose_b=turned_b)
    return w.b.scope.op("BatchMatMulV2", a, b, shapes=[shape], adj_x=turned_a, adj_y=turned_b)


def _einsum(w: Walk, a: Tensor, b: Tensor, contract_a: Any, contract_b: Any, batch_a: Any, batch_b: Any, shape: Any) -> Tensor:
    letters = iter(string.ascii_letters)
    names_a, names_b = [""] * a.rank, [""] * b.rank
    for one, other in [*zip(batch_a, batch_b), *zip(contract_a, contract_b)]:
        names_a[one] = names_b[other] = next(letters)
    names_a = [name or next(letters) for name in names_a]
    names_b = [name or next(letters) for name in names_b]
    result = [names_a[axis] for axis in batch_a]
    result += [name for axis, name in enumerate(names_a) if axis not in contract_a and axis not in batch_a]
    result += [name for axis, name in enumerate(names_b) if axis not in contract_b and axis not in batch_b]
    equation = f"{''.join(names_a)},{''.join(names_b)}->{''.join(result)}"
    made: Tensor = w.b.scope.op("Einsum", [a, b], shapes=[shape], equation=equation)
    return made
