# SPDX-License-Identifier: Apache-2.0
"""sort of several operands, and top_k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List

from .._builder import FLOATS
from .._metagraph import Tensor
from .._sorting import keys, order, top
from ._rules import ANY, Refused, rule

if TYPE_CHECKING:
    from ._walk import Walk


@rule("sort", dimension=ANY, is_stable=ANY, num_keys=ANY)
def sort(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    """By the last key first: each sort is stable."""
    b, p = w.b, eqn.params
    axis, rank = int(p["dimension"]), x[0].rank
    if x[0].shape[axis] <= 1:
        return list(x)
    turn = [*(one for one in range(rank) if one != axis), axis]
    rows = [b.transpose(one, turn) for one in x]
    *others, last = [keys(w.b, one) for one in rows[: int(p["num_keys"])]]
    places = order(w.b, last)
    for key in reversed(others):
        places = b.gather(places, order(w.b, b.gather(key, places, rank - 1, rank - 1)), rank - 1, rank - 1)
    back = [turn.index(one) for one in range(rank)]
    return [b.transpose(b.gather(one, places, rank - 1, rank - 1), back) for one in rows]


@rule("top_k", k=ANY, axis=ANY, operand_longest_axis=ANY)
def top_k(w: Walk, eqn: Any, x: Tensor) -> List[Tensor]:
    axis = int(eqn.params.get("axis", x.rank - 1)) % x.rank
    return top(w.b, x, int(eqn.params["k"]), axis, True)


@rule("approx_top_k", k=ANY, reduction_dimension=ANY, recall_target=ANY, is_max_k=ANY, reduction_input_size_override=ANY,
      aggregate_to_topk=(True,))
def approx_top_k(w: Walk, eqn: Any, x: Tensor) -> List[Tensor]:
    p = eqn.params
    if x.dtype not in FLOATS:
        raise Refused(f"approx_top_k: {x.dtype} is not supported; floats are")
    return top(w.b, x, int(p["k"]), int(p["reduction_dimension"]) % x.rank, bool(p["is_max_k"]))
