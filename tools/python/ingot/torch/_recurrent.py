# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers as loops. torch would unroll them over time, which makes programs of long sequences large.

A layer's products with its inputs are one product of the whole sequence. What is left, one step after another, is an op of
our own, `ingot::recurrence`, and its gradient: both become loops of the trainer (`_loops.py`).
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import torch
import torch.nn.functional as F

# The shortest sequences that become loops. Shorter ones are unrolled, which is faster.
LOOPS_FROM = 16
_GATES = {"lstm": 4, "gru": 3, "tanh": 1, "relu": 1}
_KINDS = {"lstm": "lstm", "gru": "gru", "rnn_tanh": "tanh", "rnn_relu": "relu"}


# Schemas are written out, as torch 2.5 cannot read annotations that are text.
@torch.library.custom_op("ingot::recurrence", mutates_args=(),
                         schema="(str kind, Tensor xs, Tensor h0, Tensor c0, Tensor weight, Tensor bias)"
                                " -> (Tensor, Tensor, Tensor)")  # type: ignore[untyped-decorator]
def recurrence(kind: str, xs: torch.Tensor, h0: torch.Tensor, c0: torch.Tensor, weight: torch.Tensor,
               bias: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of products [time, batch, gates * hidden], the hidden states [time, batch, hidden]; what the gradient needs besides:
    the gates' values, and the cells of an LSTM."""
    raise NotImplementedError("an op of ingot.torch that is only traced for export, never run in Python")


@torch.library.custom_op("ingot::recurrence_backward", mutates_args=(),
                         schema="(str kind, Tensor gys, Tensor gcells, Tensor ys, Tensor acts, Tensor cells, Tensor h0, Tensor c0, Tensor weight)"
                                " -> (Tensor, Tensor, Tensor, Tensor)")  # type: ignore[untyped-decorator]
def recurrence_backward(kind: str, gys: torch.Tensor, gcells: torch.Tensor, ys: torch.Tensor, acts: torch.Tensor, cells: torch.Tensor,
                        h0: torch.Tensor, c0: torch.Tensor, weight: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The gradients of xs, of the recurrent products, of h0 and of c0."""
    raise NotImplementedError("an op of ingot.torch that is only traced for export, never run in Python")


@recurrence.register_fake  # type: ignore[untyped-decorator]
def _(kind: str, xs: Any, h0: Any, c0: Any, weight: Any, bias: Any) -> Any:
    time, batch, hidden = xs.shape[0], xs.shape[1], h0.shape[-1]
    parts = {"lstm": 4, "gru": 4, "tanh": 0, "relu": 0}[kind]
    return (xs.new_empty(time, batch, hidden), xs.new_empty(time, batch, parts * hidden),
            xs.new_empty(time, batch, hidden if kind == "lstm" else 0))


@recurrence_backward.register_fake  # type: ignore[untyped-decorator]
def _(kind: str, gys: Any, gcells: Any, ys: Any, acts: Any, cells: Any, h0: Any, c0: Any, weight: Any) -> Any:
    shape = (*ys.shape[:2], _GATES[kind] * h0.shape[-1])
    return ys.new_empty(shape), ys.new_empty(shape), torch.empty_like(h0), torch.empty_like(c0)


def _save(ctx: Any, inputs: Any, output: Any) -> None:
    kind, _, h0, c0, weight, _ = inputs
    ctx.kind = kind
    ctx.save_for_backward(*output, h0, c0, weight)


def _backward(ctx: Any, gys: Any, gacts: Any, gcells: Any) -> Any:
    ys, acts, cells, h0, c0, weight = ctx.saved_tensors
    gys = torch.zeros_like(ys) if gys is None else gys
    gcells = torch.zeros_like(cells) if gcells is None else gcells
    gxs, products, gh0, gc0 = recurrence_backward(ctx.kind, gys, gcells, ys, acts, cells, h0, c0, weight)
    before = torch.cat([h0[None], ys[:-1]])
    rows = products.flatten(0, 1)
    return None, gxs, gh0, gc0, rows.t() @ before.flatten(0, 1), rows.sum(0)


recurrence.register_autograd(_backward, setup_context=_save)


def _direction(kind: str, x: Any, h0: Any, c0: Any, weights: Sequence[Any], reverse: bool) -> Tuple[Any, Any, Any]:
    """One layer in one direction, of [time, batch, features]: its hidden states, the last one, and the last cell."""
    inner, outer = weights[0], weights[1]
    bias, other = (weights[2], weights[3]) if len(weights) == 4 else (None, None)
    if other is None:
        other = outer.new_zeros(outer.shape[0])
    elif kind != "gru":  # Except in a GRU, both biases are added to the same sum, so one bias suffices.
        bias, other = bias + other, torch.zeros_like(other)
    xs = F.linear(x.flip(0) if reverse else x, inner, bias)
    ys, _, cells = recurrence(kind, xs, h0, c0, outer, other)
    return ys.flip(0) if reverse else ys, ys[-1], cells[-1] if kind == "lstm" else None


def layers(target: Any, args: Sequence[Any]) -> Optional[Any]:
    """What an op of recurrent layers returns, by the op above; None if the op is to be unrolled."""
    name = str(target).split(".")
    if len(name) != 3 or name[0] != "aten" or name[1] not in _KINDS or name[2] != "input":
        return None
    kind = _KINDS[name[1]]
    x, state, weights, has_biases, count, dropout, train, both, batch_first = args
    x = x.transpose(0, 1) if batch_first else x
    hs, cs = (state[0], state[1]) if kind == "lstm" else (state, state)
    directions, each = 2 if both else 1, 4 if has_biases else 2
    if x.shape[0] < LOOPS_FROM or len(weights) != each * count * directions or x.dim() != 3:
        return None
    last_h: List[Any] = []
    last_c: List[Any] = []
    for layer in range(count):
        found = []
        for direction in range(directions):
            place = layer * directions + direction
            ys, h, c = _direction(kind, x, hs[place], cs[place], weights[place * each : (place + 1) * each], direction == 1)
            found.append(ys)
            last_h.append(h)
            last_c.append(c)
        x = torch.cat(found, -1) if both else found[0]
        x = F.dropout(x, dropout, train) if layer + 1 < count else x
    x = x.transpose(0, 1) if batch_first else x
    return (x, torch.stack(last_h), torch.stack(last_c)) if kind == "lstm" else (x, torch.stack(last_h))
