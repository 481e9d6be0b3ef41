# SPDX-License-Identifier: Apache-2.0
"""Functions of elements, activations and their gradients; small element types."""
import itertools

from tensorflow.python.framework import op_def_registry

from suite import *

# Functions of one number: where they are computed, and how near.
SPECIALS = np.array(SPECIAL * 2 + [2.0, -0.25, 100.0, 1e-6, 88.0, -88.0, 20.0, 1e5])
UNARY = {"Reciprocal": (-4, 4), "Inv": (-4, 4), "Rsqrt": (0, 30), "Expm1": (-10, 10), "Log1p": (-1, 50), "Sin": (-20, 20), "Cos": (-20, 20),
    "Tan": (-1.5, 1.5), "Asin": (-1, 1), "Acos": (-1, 1), "Atan": (-30, 30), "Sinh": (-9, 9), "Cosh": (-9, 9), "Asinh": (-50, 50),
    "Acosh": (1, 50), "Atanh": (-0.99, 0.99), "Sigmoid": (-30, 30), "Erf": (-4, 4), "Erfc": (-3, 9), "Floor": (-5, 5), "Ceil": (-5, 5),
    "Round": (-5, 5), "Rint": (-5, 5), "OnesLike": (-1, 1)}  # fmt: skip
ACTIVATIONS = ("Relu6", "Elu", "Selu", "Softplus", "Softsign", "LeakyRelu")
EXACT = ("Floor", "Ceil", "Round", "Rint", "OnesLike", "Relu6", "IsNan", "IsInf", "IsFinite")
GRADIENTS = {"SqrtGrad": 0.1, "RsqrtGrad": 0.1, "ReciprocalGrad": 0.1, "InvGrad": 0.1, "TanhGrad": -1, "SigmoidGrad": -1}
ACTIVATION_GRADIENTS = ("Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad", "LeakyReluGrad")
NEAR = {F32: 2e-6, F64: 1e-13}


def call(op, **constant):
    """`op` of positional operands."""
    function = getattr(raw, op)
    names = [a.name for a in op_def_registry.get(op).input_arg]
    return lambda *x: function(**dict(zip(names, x)), **constant)


def functions():
    suite = Suite("functions")
    for dtype in FLOATS:
        for op, (low, high) in list(UNARY.items()) + [(op, (-8, 8)) for op in ACTIVATIONS] + [(op, (-1, 1)) for op in ("IsNan", "IsInf", "IsFinite")]:
            exact = op in EXACT
            near = dict(rtol=0 if exact else NEAR[dtype], atol=0 if exact else NEAR[dtype] / 20)
            x = np.linspace(low, high, 517).astype(dtype)
            suite.case(f"{op}_{short(dtype)}", call(op), x.reshape(11, 47), **near)
            # Far from zero, sines are exact in neither library.
            special = SPECIALS[np.abs(SPECIALS) < 1e29] if op in ("Sin", "Cos", "Tan") else SPECIALS
            suite.case(f"{op}_{short(dtype)}_special", call(op), special.astype(dtype), rtol=near["rtol"], atol=1e-7 if op == "Tan" else 0, anyZero=True)
        suite.case(f"LeakyRelu_{short(dtype)}_alpha", call("LeakyRelu", alpha=1.5), normal((17,), dtype), **near)
        x = np.arange(-24, 25).astype(dtype) / 2
        for op in ("Floor", "Ceil", "Round", "Rint"):
            suite.case(f"{op}_{short(dtype)}_halves", call(op), x)
    suite.case("Expm1_f32_near_zero", call("Expm1"), np.geomspace(1e-20, 1, 100).astype(F32), rtol=2e-6)
    suite.case("Log1p_f32_near_zero", call("Log1p"), np.geomspace(1e-20, 1, 100).astype(F32), rtol=2e-6)
    suite.case("Erf_f32_near_zero", call("Erf"), np.geomspace(1e-20, 1, 100).astype(F32), rtol=2e-6)
    # exp(x) - 1 is zero for tiny x: selu's slope is that of positive x. Nothing at half a unit of 1, where exp may round to either side.
    below = -np.geomspace(1e-20, 1e-2, 100).astype(F32)
    below = below[(below > -2e-8) | (below < -6e-8)]
    suite.case("Elu_f32_below_rounding", call("Elu"), below[below > -2e-8])
    suite.case("Selu_f32_slopes_near_zero", lambda x: raw.SeluGrad(gradients=tf.ones_like(x), outputs=raw.Selu(features=x)), below, rtol=2e-6)
    suite.case("Sigmoid_f32_far", call("Sigmoid"), np.linspace(-85, 85, 301).astype(F32), rtol=2e-6)
    suite.case("Softplus_f32_far", call("Softplus"), np.linspace(-85, 85, 301).astype(F32), rtol=2e-6)
    suite.case("Sin_f32_far", call("Sin"), np.linspace(-1e5, 1e5, 101).astype(F32), rtol=2e-6, atol=1e-6)
    for op in ("OnesLike", "Round", "Invert", "Relu6"):
        for dtype in INTS:
            suite.case(f"{op}_{short(dtype)}", call(op), eighths((3, 17), dtype, low=1))
    suite.write()


def gradients():
    suite = Suite("gradients")
    for dtype in FLOATS:
        for op, low in GRADIENTS.items():
            for shape in ((), (17,), (3, 65)):
                y = np.asarray(rng.uniform(low, 2, size=shape), dtype)
                suite.case(f"{op}_{short(dtype)}_{text(shape)}", call(op), y, normal(shape, dtype), rtol=NEAR[dtype])
        for op in ACTIVATION_GRADIENTS:
            for shape in ((), (17,), (3, 65)):
                suite.case(f"{op}_{short(dtype)}_{text(shape)}", call(op), normal(shape, dtype), normal(shape, dtype) * dtype(3), rtol=NEAR[dtype])
        column = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 7.0, np.inf, -np.inf, np.nan], dtype)
        left, right = (np.ascontiguousarray(m) for m in np.meshgrid(column, column))
        for op in list(GRADIENTS) + list(ACTIVATION_GRADIENTS):
            suite.case(f"{op}_{short(dtype)}_special", call(op), left, right, rtol=NEAR[dtype], anyZero=True)
        suite.case(f"LeakyReluGrad_{short(dtype)}_alpha", call("LeakyReluGrad", alpha=0.5), left, right, anyZero=True)
    for dtype in INTS:
        suite.case(f"Relu6Grad_{short(dtype)}", call("Relu6Grad"), eighths((17,), dtype), eighths((17,), dtype))
    suite.write()


def division():
    suite = Suite("division")
    shapes = [((17,), (17,)), ((3, 17), (1,)), ((3, 1), (1, 17)), ((), (5,))]
    nonzero = lambda shape, dtype: np.where(x := eighths(shape, dtype), x, dtype(3))
    for op in ("Div", "FloorDiv", "TruncateDiv", "FloorMod", "Mod", "TruncateMod"):
        # TensorFlow has no kernel of TruncateDiv for floats.
        for dtype in INTS if op == "TruncateDiv" else FLOATS + INTS:
            for left, right in shapes:
                suite.case(f"{op}_{short(dtype)}_{text(left)}_{text(right)}", call(op), eighths(left, dtype), nonzero(right, dtype))
            if dtype in FLOATS:
                column = np.array(SPECIAL[:9], dtype)
                left, right = (np.ascontiguousarray(m) for m in np.meshgrid(column, column))
                suite.case(f"{op}_{short(dtype)}_special", call(op), left, right, anyZero=True)
            else:
                limits = np.iinfo(dtype)
                x = np.array([limits.min, limits.max, limits.min + 1, 7, -7, 0], dtype)
                y = np.array([2, -2, 3, -3, 1, limits.max, limits.min], dtype)
                suite.case(f"{op}_{short(dtype)}_limits", call(op), x[:, None].copy(), y[None, :].copy())
    for dtype in INTS:  # Where TensorFlow's processor stops; what it refuses is in operands.py.
        x, y = np.array([np.iinfo(dtype).min, 5], dtype), np.array([-1, -1], dtype)
        for op in ("Div", "FloorDiv", "TruncateDiv", "FloorMod", "TruncateMod"):
            suite.case(f"{op}_{short(dtype)}_traps", call(op), x, y, expected=[np.zeros(2, dtype) if "Mod" in op else -x])
    suite.write()


def pointwise():
    suite = Suite("pointwise")
    column = np.array(SPECIAL + [2.0, 3.0, -2.0, 0.25])
    for dtype in FLOATS:
        special = np.meshgrid(column.astype(dtype), column.astype(dtype))
        left, right = (np.ascontiguousarray(m) for m in special)
        positive = np.asarray(rng.uniform(0.1, 6, size=(3, 17)), dtype)
        for op in ("Pow", "Atan2", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py", "NextAfter"):
            near = dict(rtol=NEAR[dtype], atol=NEAR[dtype] / 20)
            suite.case(f"{op}_{short(dtype)}", call(op), positive if op == "Pow" else normal((3, 17), dtype), positive, **near)
            suite.case(f"{op}_{short(dtype)}_row", call(op), positive, normal((17,), dtype) * dtype(2), **near)
            suite.case(f"{op}_{short(dtype)}_special", call(op), left, right, rtol=NEAR[dtype], anyZero=op != "NextAfter")
        for power in (-1, -0.5, 0, 0.5, 1, 2, 3, 4):
            name = str(power).replace("-", "minus_").replace(".", "_")
            suite.case(f"Pow_{short(dtype)}_constant_{name}", lambda x, p=dtype(power): raw.Pow(x=x, y=p), positive, rtol=NEAR[dtype])
            suite.case(f"Pow_{short(dtype)}_constant_{name}_special", lambda x, p=dtype(power): raw.Pow(x=x, y=p), column.astype(dtype), rtol=NEAR[dtype])
        suite.case(f"ApproximateEqual_{short(dtype)}", call("ApproximateEqual", tolerance=0.5), eighths((7, 9), dtype), eighths((7, 9), dtype))
        suite.case(f"ApproximateEqual_{short(dtype)}_special", call("ApproximateEqual"), left, right)
        suite.case(f"ClipByValue_{short(dtype)}_special", call("ClipByValue"), column.astype(dtype), dtype(-0.5), dtype(2.5), anyZero=True)
    for dtype in FLOATS + INTS:
        suite.case(f"ClipByValue_{short(dtype)}", call("ClipByValue"), eighths((3, 17), dtype), dtype(-1), dtype(1))
        suite.case(f"ClipByValue_{short(dtype)}_tensors", call("ClipByValue"), eighths((3, 17), dtype), eighths((3, 17), dtype), eighths((3, 17), dtype) + dtype(3))
        suite.case(f"AccumulateNV2_{short(dtype)}", lambda *x: raw.AccumulateNV2(inputs=list(x), shape=[3, 5]), *[eighths((3, 5), dtype) for _ in range(3)])
    for dtype in INTS:
        bases, powers = np.arange(-3, 5).astype(dtype), np.array([0, 1, 2, 5, 19, 31, 62], dtype)
        suite.case(f"Pow_{short(dtype)}", call("Pow"), bases[:, None].copy(), powers)
        suite.case(f"Pow_{short(dtype)}_square", lambda x, d=dtype: raw.Pow(x=x, y=d(2)), bases)
        suite.case(f"Pow_{short(dtype)}_negative", call("Pow"), bases, np.full(8, -3, dtype),
            fails="Integers to negative integer powers are not allowed")  # fmt: skip
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            suite.case(f"{op}_{short(dtype)}", call(op), rng.randint(-(2**31), 2**31, (3, 17)).astype(dtype), rng.randint(-(2**31), 2**31, (17,)).astype(dtype))
        for op in ("LeftShift", "RightShift"):
            shifts = np.array([0, 1, 5, 31, 32, 63, 64, -1, 100], dtype)
            suite.case(f"{op}_{short(dtype)}", call(op), rng.randint(-(2**31), 2**31, (8, 1)).astype(dtype), shifts)
    types = (F32, F64, I32, I64)
    for source in types:
        for target in types:
            ratio = np.dtype(target).itemsize // np.dtype(source).itemsize
            shape = (3, 5, 2) if ratio == 2 else (3, 5)
            suite.case(f"Bitcast_{short(source)}_{short(target)}", call("Bitcast", type=tf.as_dtype(target)), eighths(shape, source))
    suite.write()


def gamma(op):
    """A suite of a function around zeros and poles, far out and reflected, as others add cases to it."""
    suite = Suite(op.lower())
    zeros = np.concatenate([around + sign * np.geomspace(1e-7, 0.3, 20) for around in (1, 2, 1.4616321) for sign in (-1, 1)])
    places = {"small": np.geomspace(1e-30, 1, 61), "near": np.linspace(0.01, 12, 517), "far": np.geomspace(8, 1e30, 101), "zeros": zeros,
        "negative": np.linspace(-9.97, -0.03, 263), "far_negative": -np.geomspace(10.3, 1e4, 37)}  # fmt: skip
    for dtype in (F32, F64, F16):
        for name, x in places.items():
            if dtype is F16:
                x = x[(np.abs(x) > 1e-3) & (np.abs(x) < 6e3)]
            suite.case(f"{op}_{short(dtype)}_{name}", call(op), x.astype(dtype), **NEAR_GAMMA[dtype])
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 2.0, -1.0, -2.0, -7.0, 0.5, 171.0], dtype)
        suite.case(f"{op}_{short(dtype)}_special", call(op), special, **NEAR_GAMMA[dtype])
    return suite


# TensorFlow's own float32 is several units off, and more of the larger terms that cancel around zeros.
NEAR_GAMMA = {F32: dict(rtol=4e-6, atol=2e-6), F64: dict(rtol=4e-14, atol=2e-15), F16: dict(rtol=2e-3, atol=1e-4)}


def lgamma():
    gamma("Lgamma").write()


def digamma():
    suite = gamma("Digamma")

    def loss(counts, logits):
        # A Poisson likelihood with all of its terms, and its slopes.
        y = tf.exp(logits) - counts * logits + tf.math.lgamma(counts + 1)
        return [y, *tf.gradients(y, [counts, logits])]

    for dtype in (F32, F64, F16):
        x = np.asarray(rng.uniform(0.2, 20, size=(3, 17)), dtype)
        suite.case(f"poisson_{short(dtype)}", loss, x, normal((3, 17), dtype), **NEAR_GAMMA[dtype])
    suite.write()


def bessel():
    """Modified Bessel functions on both sides of 8, where one series ends and the other begins."""
    suite = Suite("bessel")
    near = {F32: dict(rtol=4e-6, atol=1e-7), F64: dict(rtol=4e-15, atol=1e-16), F16: dict(rtol=1e-3, atol=1e-4)}
    places = {"near": np.linspace(-8, 8, 259), "far": np.geomspace(8, 6e4, 67), "far_negative": -np.geomspace(8, 6e4, 67), "small": np.geomspace(1e-7, 0.1, 31)}
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 8.0, -8.0], F64)
    for dtype, op in itertools.product((F32, F64, F16), ("BesselI0e", "BesselI1e")):
        name = f"{op}_{short(dtype)}"
        for place, x in places.items():
            suite.case(f"{name}_{place}", call(op), x.astype(dtype), **near[dtype])
        suite.case(f"{name}_special", call(op), special.astype(dtype), **near[dtype])
        slope = lambda x: tf.gradients(call(op)(x), x)
        # Far out, what the slope is the difference of cancels.
        suite.case(f"{name}_gradient", slope, np.linspace(-9, 9, 37).astype(dtype), rtol=10 * near[dtype]["rtol"], atol=10 * near[dtype]["atol"])
    suite.write()


def small_bessel():
    """TensorFlow's only kernels of bfloat16 are XLA's."""
    suite = Suite("small_bessel")
    x = np.linspace(-12, 12, 131).astype(BF16).astype(F32)
    for op in ("BesselI0e", "BesselI1e"):
        function = lambda x: raw.Cast(x=call(op)(raw.Cast(x=x, DstT=BF16)), DstT=F32)
        with tf.init_scope():
            expected = tf.function(function, jit_compile=True)(tf.constant(x)).numpy()
        suite.case(f"{op}_bf16", function, x, expected=[expected], rtol=8e-3)
    suite.write()


def fake_quant():
    """Numbers rounded to those of few bits, with the gradients that training has of them."""
    suite = Suite("fake_quant")
    x = np.concatenate([np.linspace(-9, 9, 1001), [0.0, -0.0, np.inf, -np.inf, 1e30, np.nan]]).astype(F32)
    x = np.stack([x, x / F32(7), x + F32(0.03)], axis=1)
    gradient = normal(x.shape)
    for bits, narrow, (low, high) in itertools.product((2, 4, 8, 16), (False, True), ((-6, 6.5), (-1.3, 4.2), (0, 3), (0.7, 2.9), (-5, -1.5))):
        name = f"{bits}_{narrow}_{low}_{high}".replace("-", "minus_").replace(".", "_")
        common = dict(num_bits=bits, narrow_range=narrow)
        suite.case(f"Args_{name}", lambda x: raw.FakeQuantWithMinMaxArgs(inputs=x, min=low, max=high, **common), x)
        suite.case(f"Vars_{name}", lambda x, a, b: raw.FakeQuantWithMinMaxVars(inputs=x, min=a, max=b, **common), x, F32(low), F32(high))
        lows, highs = np.array([low, low / 3, 0], F32), np.array([high, high * 2, 0], F32)
        channels = lambda x, a, b: raw.FakeQuantWithMinMaxVarsPerChannel(inputs=x, min=a, max=b, **common)
        suite.case(f"PerChannel_{name}", channels, x, lows, highs)
        backwards = lambda g, x: raw.FakeQuantWithMinMaxArgsGradient(gradients=g, inputs=x, min=low, max=high, **common)
        suite.case(f"ArgsGradient_{name}", backwards, gradient, x)
        backwards = lambda g, x, a, b: list(raw.FakeQuantWithMinMaxVarsGradient(gradients=g, inputs=x, min=a, max=b, **common))
        suite.case(f"VarsGradient_{name}", backwards, gradient, x, F32(low), F32(high), rtol=2e-5, atol=2e-6)
        backwards = lambda g, x, a, b: list(raw.FakeQuantWithMinMaxVarsPerChannelGradient(gradients=g, inputs=x, min=a, max=b, **common))
        suite.case(f"PerChannelGradient_{name}", backwards, gradient, x, lows, highs, rtol=2e-5, atol=2e-6)
    none = lambda g, x, a: [raw.FakeQuantWithMinMaxVars(inputs=x, min=a, max=a), *raw.FakeQuantWithMinMaxVarsGradient(gradients=g, inputs=x, min=a, max=a)]
    suite.case("none", none, gradient[:5], x[:5], F32(0))
    # Zero in the middle between two steps. (TensorFlow's optimizer of graphs rounds gradients' arithmetic otherwise there.)
    suite.case("middle", lambda x: raw.FakeQuantWithMinMaxArgs(inputs=x), x)
    image = normal((2, 3, 4, 5))
    suite.case("image_args", lambda x: raw.FakeQuantWithMinMaxArgs(inputs=x, min=-1, max=1, num_bits=3), image)
    suite.case("image_vars", lambda x, a, b: raw.FakeQuantWithMinMaxVars(inputs=x, min=a, max=b, num_bits=3), image, F32(-0.7), F32(1.1))
    suite.case("image", lambda x, a, b: raw.FakeQuantWithMinMaxVarsPerChannel(inputs=x, min=a, max=b), image, -np.arange(1, 6).astype(F32), np.arange(1, 6).astype(F32))
    suite.write()


SUITES = [functions, gradients, division, pointwise, lgamma, digamma, bessel, small_bessel, fake_quant]
