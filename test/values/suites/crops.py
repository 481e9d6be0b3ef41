# SPDX-License-Identifier: Apache-2.0
"""Crops of images that are resized, and tensors that are quantized or moved to another layout."""
import itertools

from suite import *

BOXES = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], [0.75, 0.6, 0.25, 0.1], [-0.25, 0.5, 0.5, 1.5], [0.3, 0.3, 0.3, 0.3]], F32)
PLACES = np.array([0, 1, 1, 0, 1], I32)
NUMBERS = {F16: 2e-3, F32: 1e-6, F64: 1e-6}  # of float64, positions are float32


def crops():
    suite = Suite("crops")
    image = (2, 6, 5, 2)
    for size, method in itertools.product(((1, 1), (4, 3), (2, 7)), ("bilinear", "nearest")):
        name = f"{method}_{text(size)}"
        for dtype in (F32, F64, F16, U8, I8, I16, U16, I32, I64) if size == (4, 3) else (F32,):
            draw = normal(image, dtype) if dtype in (F16, F32, F64) else np.asarray(rng.randint(0, 100, size=image), dtype)
            suite.case(f"{name}_{short(dtype)}", lambda x, b, i: raw.CropAndResize(image=x, boxes=b, box_ind=i, crop_size=size, method=method,
                       extrapolation_value=-1.5), draw, BOXES, PLACES, rtol=1e-6, atol=1e-6)  # fmt: skip
        for dtype in (F32, F64, F16) if size == (4, 3) else (F32,):
            suite.case(f"image_grad_{name}_{short(dtype)}", lambda g, b, i: raw.CropAndResizeGradImage(grads=g, boxes=b, box_ind=i,
                       image_size=image, T=dtype, method=method), normal((5, *size, 2)), BOXES, PLACES, rtol=NUMBERS[dtype], atol=NUMBERS[dtype])  # fmt: skip
        if method == "bilinear":
            for dtype in (F32, F64, F16, U8, I32) if size == (4, 3) else (F32,):
                draw = normal(image, dtype) if dtype in (F16, F32, F64) else np.asarray(rng.randint(0, 9, size=image), dtype)
                suite.case(f"boxes_grad_{name}_{short(dtype)}", lambda g, x, b, i: raw.CropAndResizeGradBoxes(grads=g, image=x, boxes=b, box_ind=i),
                           normal((5, *size, 2)), draw, BOXES, PLACES, rtol=2e-6, atol=2e-6)  # fmt: skip
    # The number of a crop's pixels is fed.
    suite.case("fed_size", lambda x, b, i, s: raw.CropAndResize(image=x, boxes=b, box_ind=i, crop_size=s), normal(image), BOXES, PLACES,
               np.array([3, 2], I32), rtol=1e-6, atol=1e-6)  # fmt: skip
    suite.case("fed_image_size", lambda g, b, i, s: raw.CropAndResizeGradImage(grads=g, boxes=b, box_ind=i, image_size=s, T=F32),
               normal((5, 3, 2, 2)), BOXES, PLACES, np.array(image, I32), rtol=1e-6, atol=1e-6)  # fmt: skip
    crop = lambda x, b, i: raw.CropAndResize(image=x, boxes=b, box_ind=i, crop_size=[2, 2])
    suite.case("no_boxes", crop, normal(image), BOXES[:0], PLACES[:0])
    suite.case("no_channels", crop, normal((2, 6, 5, 0)), BOXES, PLACES)
    suite.case("no_batch", crop, normal((0, 6, 5, 2)), BOXES, PLACES, fails="box_index has values outside [0, batch_size)")
    suite.case("no_rows", crop, normal((2, 0, 5, 2)), BOXES, PLACES, fails="image dimensions must be positive")
    suite.case("below_batch", crop, normal(image), BOXES, PLACES - 1, fails="box_index has values outside [0, batch_size)")
    suite.case("not_finite", crop, normal(image), np.where(BOXES == 1, F32(np.inf), BOXES), PLACES, fails="Boxes contains at least one element that is not finite")
    # Of the whole, with respect to the image and the boxes.
    suite.case("gradients", lambda x, b, i: tf.gradients(tf.image.crop_and_resize(x, b, i, [3, 4]) ** 2, [x, b]), normal(image), BOXES, PLACES,
               rtol=2e-6, atol=2e-6)  # fmt: skip
    suite.case("image_of_f64", lambda x, b, i: tf.gradients(tf.image.crop_and_resize(x, b, i, [3, 4], method="nearest"), [x]), normal(image, F64), BOXES, PLACES,
               rtol=1e-6, atol=1e-6)  # fmt: skip
    suite.write()


def quantization():
    suite = Suite("quantization")
    near = {F32: dict(rtol=1e-6), F64: dict(rtol=1e-14)}
    for dtype in FLOATS:
        x, bounds = normal((2, 9), dtype) * dtype(1.5), [(-1.0, 2.0), (-3.0, 0.5), (0.25, 1.0), (-2.0, -0.5), (0.0, 0.0), (1.0, 1.0)]
        for given, signed, bits, narrow in itertools.product((True, False), (True, False), (1, 4), (False, True)):
            name = f"{short(dtype)}_{'given' if given else 'found'}_{'signed' if signed else 'unsigned'}_{bits}{'_narrow' if narrow else ''}"
            if narrow and (bits == 1 or not signed):
                continue
            known = dict(signed_input=signed, range_given=given, narrow_range=narrow)
            for way in ("HALF_TO_EVEN", "HALF_UP") if bits == 4 else ("HALF_TO_EVEN",):
                for i, (low, high) in enumerate(bounds if given and bits == 4 and way == "HALF_TO_EVEN" else bounds[:1]):
                    suite.case(f"V2_{name}_{way}_{i}", lambda x, l, h: raw.QuantizeAndDequantizeV2(input=x, input_min=l, input_max=h, num_bits=bits,
                               round_mode=way, **known), x, dtype(low), dtype(high), anyZero=True)  # fmt: skip
            if bits != 4 or narrow:
                continue
            suite.case(f"V3_{name}", lambda x, l, h, n: raw.QuantizeAndDequantizeV3(input=x, input_min=l, input_max=h, num_bits=n, **known),
                       x, dtype(-1), dtype(2), I32(bits), anyZero=True)  # fmt: skip
            suite.case(f"V4_{name}", lambda x, l, h: raw.QuantizeAndDequantizeV4(input=x, input_min=l, input_max=h, num_bits=bits, **known),
                       x, dtype(-1), dtype(2), anyZero=True)  # fmt: skip
            for axis, shape in ((0, (3,)), (1, (2, 3)), (2, (2, 2))):
                sizes = list(shape)
                sizes.insert(axis, 4)
                suite.case(f"V2_{name}_axis_{axis}", lambda x, l, h: raw.QuantizeAndDequantizeV2(input=x, input_min=l, input_max=h, num_bits=bits,
                           axis=axis, **known), normal(sizes, dtype), np.array([-1, -2, 0, 1], dtype), np.array([1, 0, 2, 1], dtype), anyZero=True)  # fmt: skip
        halves = np.arange(-20, 21).astype(dtype) / dtype(2)  # as near to one integer as to the next
        for way in ("HALF_TO_EVEN", "HALF_UP"):
            suite.case(f"halves_{short(dtype)}_{way}", lambda x: raw.QuantizeAndDequantizeV2(input=x, input_min=dtype(-8), input_max=dtype(7), num_bits=4,
                       range_given=True, round_mode=way), halves, anyZero=True)  # fmt: skip
        special = np.array([np.nan, np.inf, -np.inf, 1], dtype)
        suite.case(f"special_{short(dtype)}", lambda x: raw.QuantizeAndDequantizeV2(input=x, input_min=dtype(-1), input_max=dtype(2), range_given=True), special, anyZero=True)
        suite.case(f"empty_{short(dtype)}", lambda x: raw.QuantizeAndDequantizeV2(input=x, input_min=dtype(-1), input_max=dtype(2)), special[:0])
        suite.case(f"V4Grad_{short(dtype)}", lambda g, x, l, h: raw.QuantizeAndDequantizeV4Grad(gradients=g, input=x, input_min=l, input_max=h),
                   np.array([1, 2, 3, 4, 5, np.inf, np.nan, np.inf], dtype), np.array([-1.5, -1, 0, np.nan, 2, 3, 0, 1], dtype), dtype(-1), dtype(2), anyZero=True)  # fmt: skip
        suite.case(f"V4Grad_{short(dtype)}_axis", lambda g, x, l, h: raw.QuantizeAndDequantizeV4Grad(gradients=g, input=x, input_min=l, input_max=h, axis=1),
                   normal((3, 4, 2), dtype), normal((3, 4, 2), dtype), -np.ones(4, dtype), np.ones(4, dtype), anyZero=True)  # fmt: skip
        for op in ("V2", "V3", "V4"):
            def slope(x, l, h, op=op):
                bits = dict(num_bits=4) if op == "V3" else {}
                y = getattr(raw, f"QuantizeAndDequantize{op}")(input=x, input_min=l, input_max=h, range_given=True, **bits)
                return tf.gradients(y * y, [x])
            suite.case(f"gradient_{op}_{short(dtype)}", slope, x, dtype(-1), dtype(2), **near[dtype], anyZero=True)
    quantize = lambda x, l, h: raw.QuantizeAndDequantizeV2(input=x, input_min=l, input_max=h, range_given=True)
    suite.case("wrong_range", quantize, normal((3,)), F32(3), F32(1), fails="Invalid range: input_min")
    suite.case("nan_range", quantize, normal((3,)), F32(np.nan), F32(1), fails="Invalid range: input_min")
    for bits, signed in ((0, True), (62, True), (-1, True), (63, False)):
        suite.case(f"wrong_bits_{str(bits).replace('-', 'minus_')}_{signed}", lambda x, n: raw.QuantizeAndDequantizeV3(input=x, input_min=F32(0), input_max=F32(1), num_bits=n,
                   signed_input=signed), normal((3,)), I32(bits), fails="num_bits is out of range")  # fmt: skip
    suite.write()


def quantization_gradients():
    """Ops whose derivatives by finite differences are not TensorFlow's: they round."""
    suite = Suite("quantization_gradients")
    x = normal((3, 17))
    for op in ("V2", "V3", "V4"):
        quantize = getattr(raw, f"QuantizeAndDequantize{op}")
        bits = dict(num_bits=4) if op == "V3" else {}
        for given in (True, False):
            suite.case(f"{op}_{given}", lambda x: quantize(input=x, input_min=F32(-0.5), input_max=F32(1), range_given=given, **bits), x, anyZero=True)
        suite.case(f"{op}_axis", lambda x: quantize(input=x, input_min=-np.ones(3, F32), input_max=np.ones(3, F32), range_given=True, axis=0, **bits), x, anyZero=True)
    suite.write()


def data_formats():
    suite = Suite("data_formats")
    pairs = (("NHWC", "NCHW"), ("NCHW", "NHWC"), ("NHWC", "HWNC"), ("NHWC", "WHNC"), ("NDHWC", "NCDHW"), ("NCDHW", "NDHWC"))
    for (a, b), dtype in itertools.product(pairs, INTS):
        name = f"{a}_{b}_{short(dtype)}"
        formats = dict(src_format=a, dst_format=b)
        count = len(a)
        suite.case(f"dim_{name}", lambda x: raw.DataFormatDimMap(x=x, **formats), np.arange(-count, count).astype(dtype).reshape(2, count))
        suite.case(f"dim_{name}_scalar", lambda x: raw.DataFormatDimMap(x=x, **formats), np.array(-1, dtype))
        for size in (count, count - 2):
            suite.case(f"vector_{name}_{size}", lambda x: raw.DataFormatVecPermute(x=x, **formats), np.arange(size).astype(dtype) + 5)
            suite.case(f"pairs_{name}_{size}", lambda x: raw.DataFormatVecPermute(x=x, **formats), np.arange(2 * size).astype(dtype).reshape(size, 2))
    suite.case("dim_empty", lambda x: raw.DataFormatDimMap(x=x), np.zeros((0, 2), I32))
    suite.write()


def quantiles():
    suite = Suite("quantiles")
    near = {F32: dict(rtol=2e-6, atol=2e-7), F64: dict(rtol=1e-13, atol=1e-14)}
    for dtype in FLOATS:
        special = np.array([0, -0.0, 1, -1, 0.5, -0.5, 2, -2, np.nan, np.inf, -np.inf], dtype)
        tails = np.geomspace(1e-37 if dtype is F32 else 1e-300, 0.2, 61).astype(dtype)
        for op in ("Ndtri", "Erfinv"):
            function = getattr(raw, op)
            low = 0 if op == "Ndtri" else -1
            suite.case(f"{op}_{short(dtype)}", lambda x: function(x=x), np.linspace(low, 1, 131).astype(dtype)[1:-1].reshape(3, 43), **near[dtype])
            suite.case(f"{op}_{short(dtype)}_special", lambda x: function(x=x), special, **near[dtype], anyZero=True)
            suite.case(f"{op}_{short(dtype)}_gradient", lambda x: tf.gradients(function(x=x), x), np.linspace(low, 1, 19).astype(dtype)[1:-1],
                       rtol=2e-5 if dtype is F32 else 1e-12)  # fmt: skip
        suite.case(f"Ndtri_{short(dtype)}_tails", lambda x: raw.Ndtri(x=x), tails, **near[dtype])
        suite.case(f"Ndtri_{short(dtype)}_upper_tail", lambda x: raw.Ndtri(x=x), (1 - np.geomspace(1e-6, 0.2, 20)).astype(dtype), **near[dtype])
    suite.write()


def small_quantiles():
    """TensorFlow's kernels of 16-bit floats are XLA's."""
    suite = Suite("small_quantiles")
    for dtype, op in itertools.product((F16, BF16), ("Ndtri", "Erfinv")):
        function = lambda x: raw.Cast(x=getattr(raw, op)(x=raw.Cast(x=x, DstT=dtype)), DstT=F32)
        x = np.linspace(0 if op == "Ndtri" else -1, 1, 67).astype(dtype).astype(F32)
        with tf.init_scope():
            expected = tf.function(function, jit_compile=True)(tf.constant(x)).numpy()
        suite.case(f"{op}_{short(dtype)}", function, x, expected=[expected], rtol=2e-3 if dtype is F16 else 1.6e-2, atol=1e-4)
    suite.write()


def deprecated_ops():
    """Ops that TensorFlow takes in old graphs only."""
    suite = Suite("deprecated_ops")
    with suite.graph.as_default():
        old = v1.GraphDef()
        old.versions.producer = 8
        tf.import_graph_def(old, name="old")
    channels = lambda dtype: [np.asarray(rng.uniform(0.5, 2, size=3), dtype) for _ in range(4)]
    for dtype, scaled in itertools.product((F32, F64, F16), (True, False)):
        name = f"{short(dtype)}_{'scaled' if scaled else 'unscaled'}"
        near = dict(rtol={F16: 4e-3, F32: 2e-6, F64: 1e-14}[dtype], atol={F16: 4e-3, F32: 2e-6, F64: 1e-14}[dtype])
        attributes = dict(variance_epsilon=0.125, scale_after_normalization=scaled)
        suite.case(name, lambda t, m, v, b, g: raw.BatchNormWithGlobalNormalization(t=t, m=m, v=v, beta=b, gamma=g, **attributes),
                   normal((2, 3, 2, 3), dtype), *channels(dtype), **near)  # fmt: skip
        suite.case(f"grad_{name}", lambda t, m, v, g, d: raw.BatchNormWithGlobalNormalizationGrad(t=t, m=m, v=v, gamma=g, backprop=d, **attributes),
                   normal((2, 3, 2, 3), dtype), *channels(dtype)[:3], normal((2, 3, 2, 3), dtype), **near)  # fmt: skip
    suite.case("no_images", lambda t, m, v, b, g: raw.BatchNormWithGlobalNormalization(t=t, m=m, v=v, beta=b, gamma=g, **attributes),
               normal((0, 4, 5, 3)), *channels(F32))  # fmt: skip
    for dtype, given, signed, bits in itertools.product(FLOATS, (True, False), (True, False), (4, 8)):
        suite.case(f"quantize_{short(dtype)}_{given}_{signed}_{bits}", lambda x: raw.QuantizeAndDequantize(input=x, signed_input=signed, num_bits=bits,
                   range_given=given, input_min=-1.5, input_max=2), normal((2, 9), dtype), anyZero=True)  # fmt: skip
    for dtype in (F16, F32, F64):
        suite.case(f"poisson_{short(dtype)}", lambda r: raw.RandomPoisson(shape=np.array([6], I32), rate=r, seed=5, seed2=9),
                   np.array([[0, 0.5, 1], [9.5, 10, 11]], dtype), times=2)  # fmt: skip
    suite.write()


SUITES = [crops, quantization, quantization_gradients, data_formats, quantiles, small_quantiles, deprecated_ops]
