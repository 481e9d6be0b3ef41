# SPDX-License-Identifier: Apache-2.0
"""Control flow and calls: scan and while become loops over functions of the graph, cond a branch. Calls are inlined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Sequence

import numpy as np

from .._metagraph import Tensor
from .._wire import Shape, Type
from ._rules import ANY, Refused, rule

if TYPE_CHECKING:
    from ._walk import Walk


@rule("jit", "pjit", jaxpr=ANY, in_shardings=ANY, out_shardings=ANY, in_layouts=ANY, out_layouts=ANY, donated_invars=ANY,
      ctx_mesh=ANY, resource_env=ANY, name=ANY, keep_unused=ANY, inline=ANY, compiler_options_kvs=ANY)
def jit(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    inlined: List[Tensor] = w.closed(eqn.params["jaxpr"], x, w.live)
    return inlined


@rule("closed_call", "core_call", "call", call_jaxpr=ANY, name=ANY)
def call(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    return _inlined(w, eqn.params["call_jaxpr"], x)


@rule("custom_jvp_call", call_jaxpr=ANY, jvp_jaxpr_fun=ANY, jvp_jaxpr_thunk=ANY, num_consts=ANY, symbolic_zeros=ANY)
def custom_jvp_call(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    return _inlined(w, eqn.params["call_jaxpr"], x)


@rule("custom_vjp_call", "custom_vjp_call_jaxpr", call_jaxpr=ANY, fun_jaxpr=ANY, fwd_jaxpr_thunk=ANY, num_consts=ANY, bwd=ANY,
      out_trees=ANY, symbolic_zeros=ANY)
def custom_vjp_call(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    return _inlined(w, eqn.params.get("call_jaxpr") or eqn.params["fun_jaxpr"], x)


@rule("custom_vmap_call", call=ANY, rule=ANY, in_tree=ANY, out_tree=ANY, jaxpr=ANY)
def custom_vmap_call(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    return _inlined(w, eqn.params["call"], x)


@rule("remat2", "checkpoint", "remat", jaxpr=ANY, prevent_cse=ANY, differentiated=ANY, policy=ANY)
def remat(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    """The compiler itself decides what is computed twice."""
    return _inlined(w, eqn.params["jaxpr"], x)


@rule("composite", jaxpr=ANY, name=ANY, attributes=ANY, version=ANY)
def composite(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    return _inlined(w, eqn.params["jaxpr"], x)


@rule("custom_linear_solve", const_lengths=ANY, jaxprs=ANY)
def custom_linear_solve(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    lengths = eqn.params["const_lengths"]
    begin = lengths.matvec + lengths.vecmat
    total = begin + lengths.solve + lengths.transpose_solve
    return _inlined(w, eqn.params["jaxprs"].solve, [*x[begin : begin + lengths.solve], *x[total:]])


@rule("linear_call", callee=ANY, transpose=ANY, num_callee_consts=ANY, num_res=ANY, transpose_thunk=ANY, num_transpose_consts=ANY,
      transpose_jaxpr=ANY)
def linear_call(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    return _inlined(w, eqn.params["callee"], x)


def _inlined(w: Walk, jaxpr: Any, x: Sequence[Tensor]) -> List[Tensor]:
    results: List[Tensor] = w.closed(jaxpr, x, w.live) if hasattr(jaxpr, "consts") else w.run(jaxpr, [], x, w.live)
    return results


def _closed(w: Walk, name: str, closed: Any, inputs: Sequence[Tensor]) -> Any:
    return w.function(name, inputs, lambda given: w.closed(closed, given))


@rule("cond", branches=ANY)
def cond(w: Walk, eqn: Any, which: Tensor, *x: Tensor) -> List[Tensor]:
    b, branches = w.b, eqn.params["branches"]
    shapes = [one.aval.shape for one in eqn.outvars]
    functions = [_closed(w, f"branch_{index}", one, x) for index, one in enumerate(branches)]
    more: Any = dict(Tout=[Type(w.type_of(one.aval)) for one in eqn.outvars], output_shapes=[Shape(shape) for shape in shapes])
    made: List[Tensor]
    if len(branches) == 2:
        taken = which if which.dtype == "bool" else b.pointwise("Greater", which, b.like(0, which))
        made = b.scope.op("StatelessIf", taken, list(x), shapes=shapes or ((),), then_branch=functions[1], else_branch=functions[0], **more)
        return made
    index = b.cast(which, "int32")
    index = b.pointwise("Minimum", b.pointwise("Maximum", index, b.const(0, "int32")), b.const(len(branches) - 1, "int32"))
    made = b.scope.op("StatelessCase", index, list(x), shapes=shapes or ((),), branches=functions, **more)
    return made


def _loop(w: Walk, test: Any, body: Any, state: Sequence[Tensor], shapes: Sequence[Any]) -> List[Tensor]:
    made: List[Tensor] = w.b.scope.op("StatelessWhile", list(state), shapes=[one.shape for one in state], cond=test, body=body,
                                      output_shapes=[Shape(shape) for shape in shapes], parallel_iterations=10)
    return made


@rule("while", cond_nconsts=ANY, cond_jaxpr=ANY, body_nconsts=ANY, body_jaxpr=ANY)
def while_(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    """The loop's state is the constants of both functions, and what is carried."""
    p = eqn.params
    first, second = p["cond_nconsts"], p["cond_nconsts"] + p["body_nconsts"]
    test, body = p["cond_jaxpr"], p["body_jaxpr"]

    def predicate(given: List[Tensor]) -> Tensor:
        found: Tensor = w.closed(test, [*given[:first], *given[second:]])[0]
        return found

    def tested(given: List[Tensor]) -> List[Tensor]:
        unfinished = predicate(given)
        return [w.b.reduce("Any", unfinished, range(unfinished.rank))]

    def advanced(given: List[Tensor]) -> List[Tensor]:
        new = w.closed(body, given[first:])
        if test.out_avals[0].shape:
            # Under vmap, the condition has an element per example: examples whose loop has ended keep their values.
            goes_on = predicate(given)
            new = [w.b.select(w.b.broadcast(w.b.reshape(goes_on, [*goes_on.shape, *[1] * (after.rank - goes_on.rank)]), after.shape), after, before)
                   for before, after in zip(given[second:], new)]
        return [*given[:second], *new]

    functions = [w.function(name, x, more) for name, more in (("while_cond", tested), ("while_body", advanced))]
    return _loop(w, functions[0], functions[1], x, [one.shape for one in x])[second:]


@rule("scan", reverse=ANY, length=ANY, jaxpr=ANY, num_consts=ANY, num_carry=ANY, linear=ANY, unroll=ANY, _split_transpose=ANY)
def scan(w: Walk, eqn: Any, *x: Tensor) -> List[Tensor]:
    """A loop of known length, whose rows lie in lists: those it reads, and those it writes."""
    b, p = w.b, eqn.params
    length, closed = int(p["length"]), p["jaxpr"]
    consts, carry = p["num_consts"], p["num_consts"] + p["num_carry"]
    row_avals = [one.aval for one in closed.jaxpr.outvars[p["num_carry"]:]]
    if not length:
        return [*x[consts:carry], *(b.const(np.zeros(one.aval.shape, np.dtype(w.type_of(one.aval)))) for one in eqn.outvars[p["num_carry"]:])]
    read = [b.scope.op("TensorListFromTensor", rows, b.sizes(rows.shape[1:]), element_dtype=Type(rows.dtype)) for rows in x[carry:]]
    written = [b.scope.op("TensorListReserve", b.sizes(one.shape), b.const(length, "int32"), element_dtype=Type(w.type_of(one)))
               for one in row_avals]
    state = [b.const(0, "int32"), *x[:carry], *read, *written]
    ends = (1 + carry, 1 + carry + len(read))

    def tested(given: List[Tensor]) -> List[Tensor]:
        return [w.b.pointwise("Less", given[0], w.b.const(length, "int32"))]

    def advanced(given: List[Tensor]) -> List[Tensor]:
        inner = w.b
        place = inner.sub(inner.const(length - 1, "int32"), given[0]) if p["reverse"] else given[0]
        rows = [inner.scope.op("TensorListGetItem", one, place, inner.sizes(whole.shape[1:]), shapes=[whole.shape[1:]],
                               element_dtype=Type(whole.dtype)) for one, whole in zip(given[ends[0]:ends[1]], x[carry:])]
        results = w.closed(closed, [*given[1:ends[0]], *rows])
        new = results[p["num_carry"]:]
        lists = [inner.scope.op("TensorListSetItem", one, place, row) for one, row in zip(given[ends[1]:], new)]
        return [inner.add(given[0], inner.const(1, "int32")), *given[1 : 1 + consts], *results[: p["num_carry"]], *given[ends[0]:ends[1]], *lists]

    functions = [w.function(name, state, more) for name, more in (("scan_cond", tested), ("scan_body", advanced))]
    shapes = [one.shape for one in state[: ends[0]]] + [()] * (len(read) + len(written))
    made = _loop(w, functions[0], functions[1], state, shapes)
    stacked = [b.scope.op("TensorListStack", one, b.sizes(aval.shape), shapes=[[length, *aval.shape]], element_dtype=Type(w.type_of(aval)),
                          num_elements=length) for one, aval in zip(made[ends[1]:], row_avals)]
    return [*made[1 + consts : ends[0]], *stacked]


@rule("platform_index", platforms=ANY)
def platform_index(w: Walk, eqn: Any) -> Tensor:
    """The branch of lax.platform_dependent for CPUs, or else the default branch, which comes last."""
    platforms = eqn.params["platforms"]
    for index, one in enumerate(platforms):
        if one is None or "cpu" in one:
            return w.b.const(index, "int32")
    raise Refused("platform_index: lax.platform_dependent has no branch for CPUs and no default")
