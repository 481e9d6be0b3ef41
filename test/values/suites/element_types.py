# SPDX-License-Identifier: Apache-2.0
"""Element types: small floats, small and unsigned integers, and all conversions."""
from every_type import nearest, tolerance
from pointwise import ACTIVATIONS, EXACT, GRADIENTS, UNARY, call

from suite import *
from tensorflow.python.framework import kernels

SMALL = (F16, BF16)
INTEGERS = (I8, I16, I32, I64, U8, U16, U32, U64)
# One rounding.
ONCE = {F16: 1e-3, BF16: 8e-3}


def offered(ops, dtype):
    """Those that TensorFlow has a kernel of."""
    for op in ops:
        for kernel in kernels.get_registered_kernels_for_op(op).kernel:
            types = [c.allowed_values.list.type for c in kernel.constraint if c.name == "T"]
            if kernel.device_type == "CPU" and (not types or tf.as_dtype(dtype).as_datatype_enum in types[0]):
                yield op
                break


def numbers(shape, dtype):
    """Eighths; of unsigned types, none below zero."""
    low = 0 if np.dtype(dtype).kind == "u" else -16
    if dtype in INTEGERS:
        return rng.randint(low, 17, size=shape).astype(dtype)
    return eighths(shape).astype(dtype)


def edges(dtype):
    limits = np.iinfo(dtype)
    return np.array([limits.min, limits.max, limits.min + 1, limits.max // 2 + 1, 0, 1, 3], dtype)


def small_floats():
    suite = Suite("small_floats")

    def measured(name, function, *inputs):
        """Held against float32: to one rounding, or as far from it as TensorFlow's own small floats are at worst."""
        dtype = inputs[0].dtype.type
        with np.errstate(all="ignore"):
            truth, own = (apart(function, *[x.astype(t) for x in inputs]) for t in (F32, dtype))
        suite.case(name, function, *inputs, expected=[nearest(truth, own, dtype)], rtol=ONCE[dtype], atol=max(0.0, tolerance([own], [truth], dtype)))

    for dtype in SMALL:
        for op in offered(("Abs", "Neg", "Sign", "Square", "Sqrt", "Exp", "Log", "Tanh") + tuple(UNARY) + ACTIVATIONS + ("Relu",), dtype):
            low, high = UNARY.get(op, (0.01, 4) if op in ("Log", "Sqrt") else (-4, 4))
            x = np.linspace(low, min(high, 10), 67).astype(dtype)
            (suite.case if op in EXACT else measured)(f"{op}_{short(dtype)}", call(op), x)
        for op in offered(("AddV2", "Sub", "Mul", "RealDiv", "Div", "Maximum", "Minimum", "SquaredDifference", "DivNoNan"), dtype):
            suite.case(f"{op}_{short(dtype)}", call(op), numbers((3, 17), dtype), np.abs(numbers((17,), dtype)) + dtype(1), rtol=ONCE[dtype])
        for op in offered(("Less", "GreaterEqual", "Equal", "NotEqual"), dtype):
            suite.case(f"{op}_{short(dtype)}", call(op), numbers((3, 17), dtype), numbers((17,), dtype))
        for op in offered(("Pow", "FloorDiv", "FloorMod", "Xlogy", "Atan2"), dtype):
            measured(f"{op}_{short(dtype)}", call(op), np.abs(numbers((3, 17), dtype)), np.abs(numbers((17,), dtype)) + dtype(1))
        for op in offered(GRADIENTS, dtype):
            measured(f"{op}_{short(dtype)}", call(op), np.linspace(0.1, 0.9, 17).astype(dtype), numbers((17,), dtype))
        for op in offered(("IsNan", "IsInf", "IsFinite", "Abs", "Neg", "Relu", "ZerosLike"), dtype):
            suite.case(f"{op}_{short(dtype)}_special", call(op), np.array(SPECIAL, dtype), anyZero=True)
        suite.case(f"Select_{short(dtype)}", call("SelectV2"), bools((3, 17)), numbers((17,), dtype), numbers((3, 1), dtype))
        suite.case(f"AddN_{short(dtype)}", lambda *x: raw.AddN(inputs=list(x)), *[numbers((5,), dtype) for _ in range(3)], rtol=ONCE[dtype])
        # Rounded after every op: a large number swallows a small one.
        suite.case(f"rounds_{short(dtype)}", lambda x, y: raw.Sub(x=raw.AddV2(x=x, y=y), y=x), np.full(9, 256, dtype), (np.arange(9) / 8).astype(dtype))
    suite.write()


def small_integers():
    suite = Suite("small_integers")
    for dtype in (I8, I16, U8, U16, U32, U64):
        signed = np.dtype(dtype).kind == "i"
        edge = edges(dtype)
        for op in offered(("AddV2", "Sub", "Mul", "Maximum", "Minimum", "Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual",
            "BitwiseAnd", "BitwiseXor"), dtype):  # fmt: skip
            suite.case(f"{op}_{short(dtype)}", call(op), numbers((3, 17), dtype), numbers((17,), dtype))
            suite.case(f"{op}_{short(dtype)}_edges", call(op), edge[:, None].copy(), edge)
        divisors = np.where(edge, edge, dtype(7))
        for op in offered(("Div", "FloorDiv", "FloorMod", "TruncateDiv"), dtype):
            # On pairs of every kind but the one that overflows.
            x = edge[2:] if signed else edge
            suite.case(f"{op}_{short(dtype)}", call(op), x[:, None].copy(), divisors)
        for op in offered(("LeftShift", "RightShift"), dtype):
            suite.case(f"{op}_{short(dtype)}", call(op), edge[:, None].copy(), np.array([0, 1, 3, 7, 8, 100], dtype))
        for op in offered(("Invert", "Square", "Relu", "Relu6") + (("Abs", "Neg", "Sign") if signed else ()), dtype):
            suite.case(f"{op}_{short(dtype)}", call(op), edge)
        suite.case(f"ReluGrad_{short(dtype)}", call("ReluGrad"), numbers((7,), dtype), edge)
        if signed:
            suite.case(f"Pow_{short(dtype)}", call("Pow"), np.arange(-3, 4).astype(dtype)[:, None].copy(), np.array([0, 1, 3, 7], dtype))
        for op in offered(("ClipByValue",), dtype):
            suite.case(f"ClipByValue_{short(dtype)}", call("ClipByValue"), edge, dtype(2), dtype(100))
        suite.case(f"Select_{short(dtype)}", call("SelectV2"), bools((7,)), edge, dtype(5))
    suite.write()


def conversions():
    suite = Suite("conversions")
    types = SMALL + FLOATS + INTEGERS + (BOOL,)
    for source in types:
        if source is BOOL:
            x = bools((17,))
        elif source in INTEGERS:
            x = np.concatenate([edges(source), numbers((12,), source)])
        else:
            x = np.concatenate([np.array([0.0, -0.0, 0.4, 0.9, 1.5, 2.5, 126.7, 100, 17.99, 3], source), np.abs(numbers((9,), source))])
        fetches = lambda x, s=source: [raw.Cast(x=x, DstT=tf.as_dtype(t)) for t in types if t is not s]
        suite.case(f"Cast_{short(source)}", fetches, x)
        if source in SMALL + FLOATS:
            signed = [t for t in types if np.dtype(t).kind in "fiVb" or t in (U32, U64)]
            suite.case(f"Cast_{short(source)}_negative", lambda x, s=source: [raw.Cast(x=x, DstT=tf.as_dtype(t)) for t in signed if t is not s],
                np.array([-0.4, -0.9, -1.0, -1.5, -100, -17.99, -127, -3.0], source))  # fmt: skip
            wide = [t for t in (I32, I64) + SMALL + FLOATS + (BOOL,) if t is not source]
            suite.case(f"Cast_{short(source)}_special", lambda x: [raw.Cast(x=x, DstT=tf.as_dtype(t)) for t in wide],
                np.array([np.nan, np.inf, -np.inf, 65504, 1e30, -1e30, 2e10, 1e-30], source))  # fmt: skip
    cut = np.array([1.0009765, 1.99999, -1.99999, 3.3e-5, 65519, 70000, 0.1, 1 / 3])
    for source, target in ((F32, F16), (F32, BF16), (F64, F16), (F64, BF16), (F64, F32)):
        suite.case(f"Cast_{short(source)}_{short(target)}_truncate", lambda x, t=target: raw.Cast(x=x, DstT=tf.as_dtype(t), Truncate=True), cut.astype(source))
    for source in (F16, BF16, I8, U8, U16, I64, F32):
        for target in (F16, U8, I16, U32, F64):
            ratio = max(1, np.dtype(target).itemsize // np.dtype(source).itemsize)
            shape = (3, 5, ratio) if ratio > 1 else (3, 5)
            suite.case(f"Bitcast_{short(source)}_{short(target)}", call("Bitcast", type=tf.as_dtype(target)), numbers(shape, source))
    for source, target, shape in ((F32, I32, ()), (F64, F32, ()), (I64, U8, ()), (U8, F32, (4,)), (I32, F64, (2,))):
        suite.case(f"Bitcast_{short(source)}_{short(target)}_scalar", call("Bitcast", type=tf.as_dtype(target)), numbers(shape, source))
    suite.write()


def limits():
    """Where a type ends: infinities, NaNs, the largest of unsigned numbers."""
    suite = Suite("limits")
    inf, nan = np.inf, np.nan
    rows = [[-inf] * 4, [-inf, -3e4, -inf, -3e4], [nan, -inf, -inf, 1], [nan, 1, 2, 3], [1, nan, 2, 2], [nan] * 4, [inf, inf, 1, -inf], [1, 2, nan, -inf]]
    for dtype in SMALL + FLOATS:
        x = np.array(rows, dtype)
        lowest = np.array([[-inf, tf.as_dtype(dtype).min, -inf], [inf, tf.as_dtype(dtype).max, inf]], dtype)
        for op in offered(("ArgMax", "ArgMin"), dtype):
            suite.case(f"{op}_{short(dtype)}", lambda x, op=op: [getattr(raw, op)(input=x, dimension=d) for d in (0, 1)], x)
            suite.case(f"{op}_{short(dtype)}_lowest", lambda x, op=op: getattr(raw, op)(input=x, dimension=1), lowest)
        for alpha in (0.0, 1.0, -0.5, 2.0):
            special = np.array([inf, -inf, nan, 0.0, -0.0, -1, 1], dtype)
            suite.case(f"LeakyRelu_{short(dtype)}_{alpha}", call("LeakyRelu", alpha=alpha), special)
            suite.case(f"LeakyReluGrad_{short(dtype)}_{alpha}", call("LeakyReluGrad", alpha=alpha), special, special[::-1].copy())
        for op in offered(("TopKV2",), dtype):
            mixed = np.array([[1, nan, 3, 2, nan, -inf, 5], [nan, nan, 1, 2, 2, inf, 0], [3, nan, nan, 5, -inf, inf, 7], [nan, 4, 1, 2, 6, 3, 5]], dtype)
            suite.case(f"TopKV2_{short(dtype)}", lambda x: [y for k in range(1, 8) for y in raw.TopKV2(input=x, k=k)], mixed)
    for dtype in INTEGERS:
        x, ids = np.resize(edges(dtype), (6, 3)), I32([0, 0, 0, 2, 2, 3])
        for op in offered(("ArgMax", "ArgMin"), dtype):
            suite.case(f"{op}_{short(dtype)}", lambda x, op=op: getattr(raw, op)(input=x, dimension=1), x)
        for op in offered(("SegmentMean", "SegmentSum", "SegmentProd", "SegmentMax", "SegmentMin"), dtype):
            suite.case(f"{op}_{short(dtype)}", call(op), x, ids)
        for op in offered(("AsString",), dtype):
            suite.case(f"{op}_{short(dtype)}", lambda x: tf.strings.to_hash_bucket_fast(raw.AsString(input=x, width=5, fill="0"), 1 << 40), edges(dtype))
    suite.write()


SUITES = [small_floats, small_integers, conversions, limits]
