# SPDX-License-Identifier: Apache-2.0
"""Primitives that compute each element by itself. Operands of binary ones have one shape, or are scalar literals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .._builder import FLOATS, SIGNED, UNSIGNED, bits_of
from .._metagraph import Tensor
from .._wire import Type
from ._rules import ANY, Refused, rule, unsharded

if TYPE_CHECKING:
    from ._walk import Walk

# JAX's primitives on floats that are equivalent to one op of TensorFlow.
_UNARY = {"exp": "Exp", "expm1": "Expm1", "log": "Log", "log1p": "Log1p", "tanh": "Tanh", "logistic": "Sigmoid", "sqrt": "Sqrt",
          "rsqrt": "Rsqrt", "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan",
          "sinh": "Sinh", "cosh": "Cosh", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh", "erf": "Erf", "erfc": "Erfc",
          "floor": "Floor", "ceil": "Ceil", "is_finite": "IsFinite", "lgamma": "Lgamma", "digamma": "Digamma"}
_COMPARISONS = {"eq": "Equal", "ne": "NotEqual", "lt": "Less", "le": "LessEqual", "gt": "Greater", "ge": "GreaterEqual"}


@rule(*_UNARY, accuracy=(None,))
def unary(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    return w.b.pointwise(_UNARY[eqn.primitive.name], x)


@rule("stop_gradient", "copy", "copy_p", "optimization_barrier", "name", "pvary", "random_clone", "preduced",
      "reduced_vary_cast_p", "vary_unreduced_cast_p", name=ANY, axes=ANY, axis_index_groups=(None,))
def identity(w: Walk, eqn: Any, *x: Tensor) -> Any:
    return list(x)


@rule("device_put", devices=ANY, srcs=ANY, copy_semantics=ANY)
def device_put(w: Walk, eqn: Any, *x: Tensor) -> Any:
    return list(x)


@rule("sharding_constraint", sharding=ANY, layout=ANY, context_mesh=ANY, unconstrained_dims=ANY)
def sharding_constraint(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    if len(getattr(eqn.params["sharding"], "device_set", ())) > 1:
        raise Refused("sharding_constraint: communicates between devices; a program runs on one device")
    return x


@rule("add", "add_any")
def add(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    return w.b.pointwise("LogicalOr" if x.dtype == "bool" else "AddV2", x, y)


@rule("sub")
def sub(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    return w.b.sub(x, y)


@rule("mul", out_dtype=(None,))
def mul(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    return w.b.pointwise("LogicalAnd" if x.dtype == "bool" else "Mul", x, y)


@rule("div")
def div(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    if x.dtype in FLOATS:
        return w.b.pointwise("RealDiv", x, y)
    return _by_integers(w, "TruncateDiv", x, y, w.b.like(-1 if x.dtype in SIGNED else np.iinfo(x.dtype).max, x))


@rule("rem")
def rem(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    if x.dtype in FLOATS:
        return w.b.pointwise("TruncateMod", x, y)
    return _by_integers(w, "TruncateMod", x, y, x)


def _by_integers(w: Walk, op: str, x: Tensor, y: Tensor, at_zero: Tensor) -> Tensor:
    """Divides integers. TensorFlow refuses a divisor of 0, for which XLA has `at_zero`."""
    b = w.b
    if y.thin.const is not None and np.all(y.thin.const != 0):
        return b.pointwise(op, x, y)
    zero = b.pointwise("Equal", y, b.like(0, y))
    return b.select(zero, at_zero, b.pointwise(op, x, b.select(zero, b.like(1, y), y)))


@rule("max", "min")
def extreme(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    return larger(w, x, y, eqn.primitive.name == "max")


def larger(w: Walk, x: Tensor, y: Tensor, of_two: bool = True) -> Tensor:
    """The larger of two, or the smaller; NaN if one is NaN."""
    if x.dtype == "bool":
        return w.b.pointwise("LogicalOr" if of_two else "LogicalAnd", x, y)
    return w.b.pointwise("Maximum" if of_two else "Minimum", x, y)


@rule("neg")
def neg(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    return w.b.sub(w.b.like(0, x), x) if x.dtype in UNSIGNED else w.b.pointwise("Neg", x)


@rule("abs")
def absolute(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    return x if x.dtype in UNSIGNED else w.b.pointwise("Abs", x)


@rule("sign")
def sign(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    return w.b.pointwise("Minimum", x, w.b.like(1, x)) if x.dtype in UNSIGNED else w.b.pointwise("Sign", x)


@rule("square")
def square(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    return w.b.pointwise("Square", x) if x.dtype in FLOATS else w.b.mul(x, x)


@rule("round", rounding_method=ANY)
def round_(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    b = w.b
    if int(eqn.params["rounding_method"]) == 1:
        return b.pointwise("Rint", x)
    size = b.pointwise("Abs", x)
    below = b.pointwise("Floor", size)
    half = b.pointwise("GreaterEqual", b.sub(size, below), b.like(0.5, x))
    away = b.select(half, b.add(below, b.like(1, x)), below)
    return b.select(b.pointwise("Less", x, b.like(0, x)), b.pointwise("Neg", away), away)


@rule("exp2", accuracy=(None,))
def exp2(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    return w.b.pointwise("Exp", w.b.mul(x, w.b.like(math.log(2), x)))


@rule("cbrt", accuracy=(None,))
def cbrt(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    b = w.b
    size = b.pointwise("Pow", b.pointwise("Abs", x), b.like(1 / 3, x))
    return b.select(b.pointwise("Less", x, b.like(0, x)), b.pointwise("Neg", size), size)


@rule("pow")
def pow_(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    return w.b.pointwise("Pow", x, w.b.cast(y, x.dtype))


@rule("integer_pow", y=ANY)
def integer_pow(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    """By repeated squares, as XLA computes it."""
    b, power = w.b, int(eqn.params["y"])
    if power == 0:
        return b.broadcast(b.like(1, x), x.shape)
    left, reciprocal = abs(power), power < 0
    product: Optional[Tensor] = None
    if left == 3:
        product, left = b.mul(b.mul(x, x), x), 0
    while left:
        if left & 1:
            product = x if product is None else b.mul(product, x)
        left >>= 1
        x = (b.pointwise("Square", x) if x.dtype in FLOATS else b.mul(x, x)) if left else x
    assert product is not None
    return b.pointwise("RealDiv", b.like(1, x), product) if reciprocal else product


@rule("atan2")
def atan2(w: Walk, eqn: Any, y: Tensor, x: Tensor) -> Tensor:
    return w.b.pointwise("Atan2", y, x)


@rule("nextafter")
def nextafter(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    if x.dtype not in ("float32", "float64"):
        raise Refused(f"nextafter: {x.dtype} is not supported; float32 and float64 are")
    return w.b.pointwise("NextAfter", x, y)


@rule(*_COMPARISONS)
def compare(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    op = _COMPARISONS[eqn.primitive.name]
    if x.dtype == "bool" and op not in ("Equal", "NotEqual"):
        x, y = w.b.cast(x, "int32"), w.b.cast(y, "int32")
    return w.b.pointwise(op, x, y)


@rule("le_to", "lt_to", "eq_to")
def compare_ordered(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    """In the total order of floats, in which -NaN < -inf, -0 < 0 and inf < NaN."""
    from .._sorting import ordered_bits

    op = {"le_to": "LessEqual", "lt_to": "Less", "eq_to": "Equal"}[eqn.primitive.name]
    if x.dtype in FLOATS:
        x, y = ordered_bits(w.b, x), ordered_bits(w.b, y)
    return w.b.pointwise(op, x, y)


@rule("and", "or", "xor")
def bitwise(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    name = eqn.primitive.name
    if x.dtype == "bool":
        return w.b.pointwise({"and": "LogicalAnd", "or": "LogicalOr", "xor": "NotEqual"}[name], x, y)
    return w.b.pointwise({"and": "BitwiseAnd", "or": "BitwiseOr", "xor": "BitwiseXor"}[name], x, y)


@rule("not")
def not_(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    return w.b.pointwise("LogicalNot" if x.dtype == "bool" else "Invert", x)


def shifted(w: Walk, op: str, x: Tensor, count: Tensor, far: Any = None) -> Tensor:
    """Shifts bits. A count of the type's width or more gives `far`, by default 0; TensorFlow leaves it open."""
    b, width = w.b, bits_of(x.dtype)
    known = count.thin.const
    if known is not None and np.all((known >= 0) & (known < width)):
        return b.pointwise(op, x, count)
    wide = b.pointwise("GreaterEqual", count, b.like(width, count))
    if count.dtype in SIGNED:
        wide = b.pointwise("LogicalOr", wide, b.pointwise("Less", count, b.like(0, count)))
    near = b.pointwise(op, x, b.select(wide, b.like(0, count), count))
    return b.select(wide, b.like(0, x) if far is None else far, near)


@rule("shift_left")
def shift_left(w: Walk, eqn: Any, x: Tensor, count: Tensor) -> Tensor:
    return shifted(w, "LeftShift", x, count)


@rule("shift_right_logical")
def shift_right_logical(w: Walk, eqn: Any, x: Tensor, count: Tensor) -> Tensor:
    b, dtype = w.b, x.dtype
    if dtype in UNSIGNED:
        return shifted(w, "RightShift", x, count)
    other = "u" + dtype
    bits = shifted(w, "RightShift", b.bitcast(x, other), b.bitcast(count, other))
    return b.bitcast(bits, dtype)


@rule("shift_right_arithmetic")
def shift_right_arithmetic(w: Walk, eqn: Any, x: Tensor, count: Tensor) -> Tensor:
    b = w.b
    if x.dtype in UNSIGNED:
        raise Refused(f"shift_right_arithmetic: {x.dtype} is not supported; signed integers are")
    return shifted(w, "RightShift", x, count, b.pointwise("RightShift", x, b.like(bits_of(x.dtype) - 1, x)))


@rule("population_count")
def population_count(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    if bits_of(x.dtype) != 32:
        raise Refused(f"population_count: {x.dtype} is not supported; 32-bit integers are")
    bits = w.b.bitcast(x, "uint32") if x.dtype != "uint32" else x
    return w.b.cast(_ones(w, bits), x.dtype)


def _ones(w: Walk, x: Tensor) -> Tensor:
    """The number of ones in each uint32 (Warren, Hacker's Delight, figure 5-2)."""
    b = w.b

    def right(value: Tensor, count: int) -> Tensor:
        made: Tensor = b.pointwise("RightShift", value, b.like(count, x))
        return made

    def masked(value: Tensor, mask: int) -> Tensor:
        made: Tensor = b.pointwise("BitwiseAnd", value, b.like(mask, x))
        return made

    x = b.sub(x, masked(right(x, 1), 0x55555555))
    x = b.add(masked(x, 0x33333333), masked(right(x, 2), 0x33333333))
    x = masked(b.add(x, right(x, 4)), 0x0F0F0F0F)
    x = b.add(x, right(x, 8))
    return masked(b.add(x, right(x, 16)), 0x3F)


@rule("clz")
def clz(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    if bits_of(x.dtype) != 32:
        raise Refused(f"clz: {x.dtype} is not supported; 32-bit integers are")
    b = w.b
    bits = b.bitcast(x, "uint32") if x.dtype != "uint32" else x
    for count in (1, 2, 4, 8, 16):
        bits = b.pointwise("BitwiseOr", bits, b.pointwise("RightShift", bits, b.like(count, bits)))
    return b.cast(_ones(w, b.pointwise("Invert", bits)), x.dtype)


@rule("mulhi")
def mulhi(w: Walk, eqn: Any, x: Tensor, y: Tensor) -> Tensor:
    """The high half of the product of 32-bit integers."""
    if bits_of(x.dtype) != 32:
        raise Refused(f"mulhi: {x.dtype} is not supported; 32-bit integers are")
    b, wide = w.b, x.dtype.replace("32", "64")
    product = b.mul(b.cast(x, wide), b.cast(y, wide))
    return b.cast(b.pointwise("RightShift", product, b.like(32, product)), x.dtype)


@rule("select_n")
def select_n(w: Walk, eqn: Any, which: Tensor, *cases: Tensor) -> Tensor:
    b = w.b
    if which.dtype == "bool":
        if len(cases) == 1:
            return cases[0]
        # _ranked() broadcasts a scalar predicate to the shape of the cases.
        return b.select(_ranked(w, which, cases[0]), cases[1], cases[0])
    found = cases[0]
    for index, case in enumerate(cases[1:], 1):
        found = b.select(_ranked(w, b.pointwise("Equal", which, b.like(index, which)), case), case, found)
    return found


def _ranked(w: Walk, which: Tensor, case: Tensor) -> Tensor:
    shaped: Tensor = w.b.broadcast(which, case.shape) if which.rank == 0 else which
    return shaped


@rule("clamp")
def clamp(w: Walk, eqn: Any, low: Tensor, x: Tensor, high: Tensor) -> Tensor:
    return w.b.pointwise("Minimum", w.b.pointwise("Maximum", x, low), high)


@rule("convert_element_type", new_dtype=ANY, weak_type=ANY, sharding=unsharded)
def convert_element_type(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    from ._walk import type_of

    dtype = type_of(eqn.outvars[0].aval)
    if dtype == "bool" and x.dtype != "bool":
        return w.b.pointwise("NotEqual", x, w.b.like(0, x))
    if x.dtype in FLOATS and dtype not in FLOATS:
        return _to_integers(w, x, dtype)
    return w.b.cast(x, dtype)


def _to_integers(w: Walk, x: Tensor, dtype: str) -> Tensor:
    """Truncates floats as XLA does: NaN gives 0, and what is beyond the type its nearest value."""
    b = w.b
    if x.dtype in ("float16", "bfloat16"):
        x = b.cast(x, "float32")
    limits, kind = np.iinfo(dtype), np.dtype(x.dtype).type
    # `top` is the smallest float that is larger than all integers of the type, `low` the smallest integer as a float.
    top, low = kind(float(limits.max) + 1 if bits_of(dtype) > 24 else limits.max + 1), kind(limits.min)
    number = b.select(b.pointwise("IsNan", x), b.like(0, x), b.pointwise("Maximum", x, b.like(low, x)))
    over = b.pointwise("GreaterEqual", number, b.like(top, x))
    wide = "int64" if dtype == "uint32" else dtype
    found = b.cast(b.cast(b.select(over, b.like(0, x), number), wide), dtype)
    return b.select(over, b.const(limits.max, dtype), found)


@rule("bitcast_convert_type", new_dtype=ANY)
def bitcast_convert_type(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    from ._walk import type_of

    dtype = type_of(eqn.outvars[0].aval)
    shape = eqn.outvars[0].aval.shape
    if bits_of(dtype) == bits_of(x.dtype):
        return w.b.bitcast(x, dtype)
    if bits_of(dtype) < bits_of(x.dtype) and not x.rank:
        x = w.b.reshape(x, [1])
        made: Tensor = w.b.scope.op("Bitcast", x, shapes=[[1, *shape]], type=Type(dtype))
        return w.b.reshape(made, shape)
    made = w.b.scope.op("Bitcast", x, shapes=[shape], type=Type(dtype))
    return made


@rule("reduce_precision", exponent_bits=ANY, mantissa_bits=ANY)
def reduce_precision(w: Walk, eqn: Any, x: Tensor) -> Tensor:
    bits = (int(eqn.params["exponent_bits"]), int(eqn.params["mantissa_bits"]))
    types = {(8, 7): "bfloat16", (5, 10): "float16", (8, 23): "float32", (11, 52): "float64"}
    if bits not in types:
        raise Refused(f"reduce_precision: {bits[0]} bits of exponent and {bits[1]} of mantissa are not those of bfloat16, float16, float32 or float64")
    return w.b.cast(w.b.cast(x, types[bits]), x.dtype)
