# SPDX-License-Identifier: Apache-2.0
"""ATen's ops that compute each element by itself. Operands are converted to the type that torch promotes them to."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional

import numpy as np
import torch

from .._builder import FLOATS, SIGNED, UNSIGNED
from .._metagraph import Tensor
from ._rules import Refused, rule
from ._walk import Walk, type_of

# ATen ops on floats that are equivalent to one op of TensorFlow. Integer operands are converted to floats first.
_UNARY = {"exp": "Exp", "expm1": "Expm1", "log": "Log", "log1p": "Log1p", "sqrt": "Sqrt", "rsqrt": "Rsqrt", "sin": "Sin", "cos": "Cos",
          "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "asinh": "Asinh",
          "acosh": "Acosh", "atanh": "Atanh", "tanh": "Tanh", "sigmoid": "Sigmoid", "erf": "Erf", "erfc": "Erfc", "lgamma": "Lgamma",
          "digamma": "Digamma"}
_ROUNDINGS = {"floor": "Floor", "ceil": "Ceil", "round": "Rint"}
_COMPARISONS = {"eq": "Equal", "ne": "NotEqual", "lt": "Less", "le": "LessEqual", "gt": "Greater", "ge": "GreaterEqual"}


def base(w: Walk) -> str:
    """The op's name without its overload."""
    return w.name.split(".")[0]


def exact(w: Walk, value: Any, dtype: str) -> str:
    """The type in which an op on `dtype` with a number of Python is computed: torch computes 16-bit floats in float32."""
    return "float32" if dtype in ("float16", "bfloat16") and not isinstance(value, Tensor) else dtype


def binary(w: Walk, op: str, x: Any, y: Any) -> Tensor:
    """An op of two operands in the result's type, in which one may be a number of Python."""
    dtype = w.out.dtype
    wide = exact(w, x, dtype) if not isinstance(x, Tensor) else exact(w, y, dtype)
    return w.cast(w.pointwise(op, w.tensor(x, wide), w.tensor(y, wide)), dtype)


@rule(*_UNARY)
def unary(w: Walk, x: Tensor) -> Tensor:
    return w.pointwise(_UNARY[base(w)], w.cast(x, w.out.dtype))


@rule(*_ROUNDINGS)
def rounding(w: Walk, x: Tensor) -> Tensor:
    return x if x.dtype not in FLOATS else w.pointwise(_ROUNDINGS[base(w)], x)


@rule("trunc", "fix")
def trunc(w: Walk, x: Tensor) -> Tensor:
    if x.dtype not in FLOATS:
        return x
    return w.select(w.pointwise("Less", x, w.b.like(0, x)), w.pointwise("Ceil", x), w.pointwise("Floor", x))


@rule("abs")
def absolute(w: Walk, x: Tensor) -> Tensor:
    return x if x.dtype in UNSIGNED or x.dtype == "bool" else w.pointwise("Abs", x)


@rule("neg")
def neg(w: Walk, x: Tensor) -> Tensor:
    return w.b.sub(w.b.like(0, x), x) if x.dtype in UNSIGNED else w.pointwise("Neg", x)


@rule("sign", "sgn")
def sign(w: Walk, x: Tensor) -> Tensor:
    """As in torch, NaN has the sign 0."""
    if x.dtype == "bool":
        return x
    if x.dtype in UNSIGNED:
        return w.pointwise("Minimum", x, w.b.like(1, x))
    made = w.pointwise("Sign", x)
    return w.select(w.pointwise("IsNan", x), w.b.like(0, x), made) if x.dtype in FLOATS else made


@rule("reciprocal")
def reciprocal(w: Walk, x: Tensor) -> Tensor:
    return w.pointwise("RealDiv", w.b.const(1, w.out.dtype), w.cast(x, w.out.dtype))


@rule("square")
def square(w: Walk, x: Tensor) -> Tensor:
    return w.pointwise("Square", x) if x.dtype in FLOATS else w.b.mul(x, x)


@rule("exp2", "log2", "log10")
def by_another_base(w: Walk, x: Tensor) -> Tensor:
    x = w.cast(x, w.out.dtype)
    if base(w) == "exp2":
        return w.pointwise("Pow", w.b.like(2, x), x)
    factor = 1 / math.log(2 if base(w) == "log2" else 10)
    return w.cast(w.b.mul(w.pointwise("Log", x), w.b.like(factor, x)), w.out.dtype)


@rule("isnan", "isinf", "isfinite")
def kinds_of_floats(w: Walk, x: Tensor) -> Tensor:
    name = base(w)
    if x.dtype not in FLOATS:
        return w.b.broadcast(w.b.const(name == "isfinite", "bool"), x.shape)
    if name == "isinf":
        return w.pointwise("Equal", w.pointwise("Abs", x), w.b.like(np.inf, x))
    return w.pointwise("IsNan" if name == "isnan" else "IsFinite", x)


@rule("alias", "detach", "clone", "lift_fresh_copy", "lift_fresh", "contiguous", "alias_copy")
def identity(w: Walk, x: Tensor) -> Tensor:
    return x


@rule("copy")
def copy(w: Walk, x: Tensor, src: Tensor) -> Tensor:
    return w.expanded(w.cast(src, w.out.dtype), x.shape)


# -- Arithmetic


def _scaled(w: Walk, y: Any, alpha: Any) -> Any:
    """`y * alpha`, in the result's type."""
    if isinstance(alpha, (int, float)) and alpha == 1:
        return y
    if not isinstance(y, Tensor):
        return y * alpha
    return w.b.mul(w.cast(y, w.out.dtype), w.tensor(alpha, w.out.dtype))


@rule("add.Tensor", "add.Scalar")
def add(w: Walk, x: Tensor, other: Any, alpha: Any) -> Tensor:
    if w.out.dtype == "bool":
        return w.pointwise("LogicalOr", x, w.tensor(other, "bool"))
    return binary(w, "AddV2", x, _scaled(w, other, alpha))


@rule("sub.Tensor", "sub.Scalar")
def sub(w: Walk, x: Tensor, other: Any, alpha: Any) -> Tensor:
    return binary(w, "Sub", x, _scaled(w, other, alpha))


@rule("rsub.Tensor", "rsub.Scalar")
def rsub(w: Walk, x: Tensor, other: Any, alpha: Any) -> Tensor:
    return binary(w, "Sub", other, _scaled(w, x, alpha))


@rule("mul.Tensor", "mul.Scalar")
def mul(w: Walk, x: Tensor, other: Any) -> Tensor:
    if w.out.dtype == "bool":
        return w.pointwise("LogicalAnd", x, w.tensor(other, "bool"))
    return binary(w, "Mul", x, other)


@rule("div.Tensor", "div.Scalar", "true_divide.Tensor", "true_divide.Scalar")
def div(w: Walk, x: Tensor, other: Any) -> Tensor:
    return binary(w, "RealDiv", x, other)


@rule("div.Tensor_mode", "div.Scalar_mode")
def div_mode(w: Walk, x: Tensor, other: Any, rounding_mode: Optional[str]) -> Tensor:
    if rounding_mode is None:
        return binary(w, "RealDiv", x, other)
    return divided(w, x, other, rounding_mode == "floor")


@rule("floor_divide", "floor_divide.Scalar")
def floor_divide(w: Walk, x: Tensor, other: Any) -> Tensor:
    return divided(w, x, other, True)


def divided(w: Walk, x: Any, y: Any, down: bool) -> Tensor:
    """A quotient rounded down, or towards zero. Of floats it is torch's: of an exact remainder."""
    b, dtype = w.b, w.out.dtype
    x, y = w.aligned(w.tensor(x, dtype), w.tensor(y, dtype))
    if dtype in FLOATS:
        if not down:
            return trunc(w, b.pointwise("RealDiv", x, y))
        rest = b.pointwise("TruncateMod", x, y)
        quotient = b.pointwise("RealDiv", b.sub(x, rest), y)
        quotient = b.select(_differs(w, rest, y), b.sub(quotient, b.like(1, x)), quotient)
        whole = b.pointwise("Floor", quotient)
        whole = b.select(b.pointwise("Greater", b.sub(quotient, whole), b.like(0.5, x)), b.add(whole, b.like(1, x)), whole)
        by_zero = b.pointwise("Equal", y, b.like(0, y))
        return b.select(by_zero, b.pointwise("RealDiv", x, y), whole)
    _nonzero(w, y)
    made = b.pointwise("TruncateDiv", x, y)
    if not down or dtype in UNSIGNED:
        return made
    rest = b.pointwise("TruncateMod", x, y)
    return b.select(_differs(w, rest, y), b.sub(made, b.like(1, x)), made)


def _differs(w: Walk, rest: Tensor, y: Tensor) -> Tensor:
    """Whether a remainder is not zero, and its sign not the divisor's."""
    b = w.b
    signs = b.pointwise("NotEqual", b.pointwise("Less", rest, b.like(0, rest)), b.pointwise("Less", y, b.like(0, y)))
    return b.pointwise("LogicalAnd", b.pointwise("NotEqual", rest, b.like(0, rest)), signs)


def _nonzero(w: Walk, y: Tensor) -> None:
    """torch raises an error where integers are divided by zero; so does a trainer, by the node's name."""
    if y.thin.const is not None and not np.all(y.thin.const != 0):
        raise Refused(f"{w.name}: divides integers by zero")


@rule("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def remainder(w: Walk, x: Any, other: Any) -> Tensor:
    """With the divisor's sign."""
    b, dtype = w.b, w.out.dtype
    x, y = w.aligned(w.tensor(x, dtype), w.tensor(other, dtype))
    if dtype not in FLOATS:
        _nonzero(w, y)
    rest = b.pointwise("TruncateMod", x, y)
    return rest if dtype in UNSIGNED else b.select(_differs(w, rest, y), b.add(rest, y), rest)


@rule("fmod.Tensor", "fmod.Scalar")
def fmod(w: Walk, x: Tensor, other: Any) -> Tensor:
    x, y = w.aligned(w.tensor(x, w.out.dtype), w.tensor(other, w.out.dtype))
    if w.out.dtype not in FLOATS:
        _nonzero(w, y)
    return w.b.pointwise("TruncateMod", x, y)


@rule("maximum", "minimum", "max.other", "min.other")
def extreme(w: Walk, x: Tensor, other: Tensor) -> Tensor:
    return larger(w, w.cast(x, w.out.dtype), w.cast(other, w.out.dtype), base(w).startswith("max"))


def larger(w: Walk, x: Tensor, y: Tensor, of_two: bool = True) -> Tensor:
    """The larger of two, or the smaller; NaN if one is NaN."""
    if x.dtype == "bool":
        return w.pointwise("LogicalOr" if of_two else "LogicalAnd", x, y)
    return w.pointwise("Maximum" if of_two else "Minimum", x, y)


@rule("fmax", "fmin")
def extreme_of_numbers(w: Walk, x: Tensor, other: Tensor) -> Tensor:
    """The larger or smaller of two, of which a NaN is neither."""
    x, y = w.aligned(w.cast(x, w.out.dtype), w.cast(other, w.out.dtype))
    made = larger(w, x, y, base(w) == "fmax")
    if x.dtype not in FLOATS:
        return made
    return w.select(w.pointwise("IsNan", x), y, w.select(w.pointwise("IsNan", y), x, made))


@rule("clamp", "clamp.Tensor")
def clamp(w: Walk, x: Tensor, min: Any, max: Any) -> Tensor:
    x = w.cast(x, w.out.dtype)
    if min is not None:
        x = larger(w, x, w.tensor(min, x.dtype))
    return x if max is None else larger(w, x, w.tensor(max, x.dtype), False)


@rule("clamp_min", "clamp_min.Tensor")
def clamp_min(w: Walk, x: Tensor, min: Any) -> Tensor:
    return clamp(w, x, min, None)


@rule("clamp_max", "clamp_max.Tensor")
def clamp_max(w: Walk, x: Tensor, max: Any) -> Tensor:
    return clamp(w, x, None, max)


@rule("hardtanh")
def hardtanh(w: Walk, x: Tensor, min_val: Any, max_val: Any) -> Tensor:
    return clamp(w, x, min_val, max_val)


@rule("atan2")
def atan2(w: Walk, x: Tensor, other: Tensor) -> Tensor:
    return binary(w, "Atan2", x, other)


@rule("hypot")
def hypot(w: Walk, x: Tensor, other: Tensor) -> Tensor:
    """By the ratio of the smaller to the larger, which does not overflow."""
    b = w.b
    x, y = w.aligned(w.pointwise("Abs", w.cast(x, w.out.dtype)), w.pointwise("Abs", w.cast(other, w.out.dtype)))
    large, small = b.pointwise("Maximum", x, y), b.pointwise("Minimum", x, y)
    ratio = b.pointwise("DivNoNan", small, large)
    return b.mul(large, b.pointwise("Sqrt", b.add(b.mul(ratio, ratio), b.like(1, ratio))))


@rule("pow.Tensor_Scalar")
def pow_scalar(w: Walk, x: Tensor, exponent: Any) -> Tensor:
    """Exponents that torch computes otherwise than by pow are computed as it does."""
    b, x = w.b, w.cast(x, w.out.dtype)
    if exponent == 0:
        return b.broadcast(b.like(1, x), x.shape)
    if exponent == 1:
        return x
    if x.dtype not in FLOATS:
        return _integer_power(w, x, int(exponent))
    whole: Dict[float, Callable[[Tensor], Tensor]] = {2: lambda x: b.mul(x, x), 3: lambda x: b.mul(b.mul(x, x), x), 0.5: lambda x: b.pointwise("Sqrt", x)}
    if exponent in whole:
        return whole[exponent](x)
    if -exponent in whole or exponent == -1:
        return b.pointwise("RealDiv", b.like(1, x), x if exponent == -1 else whole[-exponent](x))
    return b.pointwise("Pow", x, b.like(exponent, x))


def _integer_power(w: Walk, x: Tensor, power: int) -> Tensor:
    """By repeated squares."""
    if power < 0:
        raise Refused(f"{w.name}: integers to the power {power}; the power must be 0 or more")
    found: Optional[Tensor] = None
    while power:
        if power & 1:
            found = x if found is None else w.b.mul(found, x)
        power >>= 1
        x = w.b.mul(x, x) if power else x
    assert found is not None
    return found


@rule("pow.Tensor_Tensor")
def pow_tensors(w: Walk, x: Tensor, exponent: Tensor) -> Tensor:
    return binary(w, "Pow", x, exponent)


@rule("pow.Scalar")
def pow_of_scalar(w: Walk, x: Any, exponent: Tensor) -> Tensor:
    return binary(w, "Pow", x, exponent)


# -- Comparisons and booleans


def _common(w: Walk, x: Any, y: Any) -> str:
    """The type to which torch promotes two operands, of which at least one is a node's tensor."""
    args = [w.node.args[index] for index in range(2)]
    values = [one.meta["val"] if isinstance(one, torch.fx.Node) else one for one in args]
    return type_of(torch.result_type(*values))


@rule(*(f"{name}.{overload}" for name in _COMPARISONS for overload in ("Tensor", "Scalar")))
def compare(w: Walk, x: Tensor, other: Any) -> Tensor:
    op, dtype = _COMPARISONS[base(w)], _common(w, x, other)
    if dtype == "bool" and op not in ("Equal", "NotEqual"):
        dtype = "int32"
    dtype = exact(w, other, dtype)
    return w.pointwise(op, w.tensor(x, dtype), w.tensor(other, dtype))


@rule("logical_and", "logical_or", "logical_xor")
def logical(w: Walk, x: Tensor, other: Tensor) -> Tensor:
    op = {"logical_and": "LogicalAnd", "logical_or": "LogicalOr", "logical_xor": "NotEqual"}[base(w)]
    return w.pointwise(op, w.cast(x, "bool"), w.cast(other, "bool"))


@rule("logical_not")
def logical_not(w: Walk, x: Tensor) -> Tensor:
    return w.pointwise("LogicalNot", w.cast(x, "bool"))


@rule(*(f"bitwise_{name}.{overload}" for name in ("and", "or", "xor") for overload in ("Tensor", "Scalar")))
def bitwise(w: Walk, x: Tensor, other: Any) -> Tensor:
    dtype, name = w.out.dtype, base(w)[len("bitwise_"):]
    x, y = w.tensor(x, dtype), w.tensor(other, dtype)
    if dtype == "bool":
        return w.pointwise({"and": "LogicalAnd", "or": "LogicalOr", "xor": "NotEqual"}[name], x, y)
    return w.pointwise({"and": "BitwiseAnd", "or": "BitwiseOr", "xor": "BitwiseXor"}[name], x, y)


@rule("bitwise_not")
def bitwise_not(w: Walk, x: Tensor) -> Tensor:
    return w.pointwise("LogicalNot" if x.dtype == "bool" else "Invert", x)


@rule("bitwise_left_shift.Tensor", "bitwise_left_shift.Tensor_Scalar", "bitwise_right_shift.Tensor", "bitwise_right_shift.Tensor_Scalar",
      *(f"__{side}shift__.{overload}" for side in "lr" for overload in ("Tensor", "Scalar")))
def shifted(w: Walk, x: Tensor, other: Any) -> Tensor:
    """A count below 0, or of the type's width or more, shifts everything out."""
    b, dtype, left = w.b, w.out.dtype, "left" in w.name or "lshift" in w.name
    x, count = w.aligned(w.tensor(x, dtype), w.tensor(other, dtype))
    width = np.dtype(dtype).itemsize * 8
    beyond = b.pointwise("LogicalOr", b.pointwise("Less", count, b.like(0, count)), b.pointwise("GreaterEqual", count, b.like(width, count)))
    near = b.pointwise("LeftShift" if left else "RightShift", x, b.select(beyond, b.like(0, count), count))
    far = b.like(0, x) if left or dtype not in SIGNED else b.pointwise("RightShift", x, b.like(width - 1, x))
    return w.select(beyond, far, near)


@rule("where.self")
def where(w: Walk, condition: Tensor, x: Any, other: Any) -> Tensor:
    return w.select(w.cast(condition, "bool"), w.tensor(x, w.out.dtype), w.tensor(other, w.out.dtype))


@rule("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(w: Walk, x: Tensor, mask: Tensor, value: Any) -> Tensor:
    return w.expanded(w.select(mask, w.tensor(value, x.dtype), x), w.out.shape)


# -- Types


@rule("_to_copy", "to.dtype", known=("dtype", "copy"))
def to_copy(w: Walk, x: Tensor) -> Tensor:
    to = w.out.dtype
    if x.dtype in FLOATS and to not in FLOATS and to != "bool":
        return to_integers(w, x, to)
    return w.cast(x, to)


def to_integers(w: Walk, x: Tensor, dtype: str) -> Tensor:
    """Truncates floats. What is beyond the type is undefined in torch; here it is what Cast gives."""
    if x.dtype in ("float16", "bfloat16"):
        x = w.b.cast(x, "float32")
    return w.b.cast(x, dtype)


@rule("view.dtype", known=("dtype",))
def view_dtype(w: Walk, x: Tensor) -> Tensor:
    if np.dtype(x.dtype).itemsize != np.dtype(w.out.dtype).itemsize or "bool" in (x.dtype, w.out.dtype):
        raise Refused(f"{w.name}: views of {x.dtype} as {w.out.dtype} are not supported; both must have the same size, and none may be bool")
    return w.b.bitcast(x, w.out.dtype)


# -- Activations


@rule("relu")
def relu(w: Walk, x: Tensor) -> Tensor:
    return w.pointwise("Maximum", x, w.b.like(0, x))


@rule("gelu")
def gelu(w: Walk, x: Tensor, approximate: str) -> Tensor:
    b, half = w.b, x.dtype in ("float16", "bfloat16")
    x = b.cast(x, "float32") if half else x
    if approximate == "tanh":
        inner = b.add(x, b.mul(b.like(0.044715, x), b.mul(b.mul(x, x), x)))
        factor = b.pointwise("Tanh", b.mul(b.like(math.sqrt(2 / math.pi), x), inner))
    elif approximate == "none":
        factor = b.pointwise("Erf", b.mul(x, b.like(math.sqrt(0.5), x)))
    else:
        raise Refused(f"{w.name}: approximate={approximate} is not supported; 'none' and 'tanh' are")
    return b.cast(b.mul(b.mul(b.like(0.5, x), x), b.add(factor, b.like(1, x))), w.out.dtype)


@rule("silu")
def silu(w: Walk, x: Tensor) -> Tensor:
    return w.b.mul(x, w.pointwise("Sigmoid", x))


@rule("elu")
def elu(w: Walk, x: Tensor, alpha: Any, scale: Any, input_scale: Any) -> Tensor:
    b = w.b
    inner = x if input_scale == 1 else b.mul(x, b.like(input_scale, x))
    below = b.mul(b.pointwise("Expm1", inner), b.like(alpha * scale, x))
    above = x if scale == 1 else b.mul(x, b.like(scale, x))
    return b.select(b.pointwise("Greater", x, b.like(0, x)), above, below)


@rule("leaky_relu")
def leaky_relu(w: Walk, x: Tensor, negative_slope: Any) -> Tensor:
    b = w.b
    return b.select(b.pointwise("Greater", x, b.like(0, x)), x, b.mul(x, b.like(negative_slope, x)))


@rule("softplus")
def softplus(w: Walk, x: Tensor, beta: Any, threshold: Any) -> Tensor:
    b = w.b
    scaled = b.mul(x, b.like(beta, x))
    soft = b.pointwise("RealDiv", b.pointwise("Log1p", b.pointwise("Exp", scaled)), b.like(beta, x))
    return b.select(b.pointwise("Greater", scaled, b.like(threshold, x)), x, soft)


@rule("hardsigmoid", "hardswish")
def hard(w: Walk, x: Tensor) -> Tensor:
    b = w.b
    six = b.pointwise("Minimum", b.pointwise("Maximum", b.add(x, b.like(3, x)), b.like(0, x)), b.like(6, x))
    return b.pointwise("RealDiv", six if base(w) == "hardsigmoid" else b.mul(x, six), b.like(6, x))
