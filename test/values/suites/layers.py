# SPDX-License-Identifier: Apache-2.0
"""The ops of layers: convolutions, pools, normalizations, products of batches."""
import itertools

from suite import *

# Float sums are compared to a share of the largest.
SUMS = {F32: 1e-5, F64: 1e-13}


def padded(padding, explicit):
    return dict(padding=padding, explicit_paddings=explicit if padding == "EXPLICIT" else [])


# batch, height, width, channels; window; outputs; strides; dilations
CONVOLUTIONS = [
    ((1, 1, 1, 1), (1, 1), 1, (1, 1), (1, 1)),
    ((2, 5, 7, 3), (3, 3), 4, (1, 1), (1, 1)),
    ((3, 6, 6, 8), (1, 1), 17, (1, 1), (1, 1)),
    ((2, 7, 6, 3), (1, 1), 5, (2, 2), (1, 1)),
    ((2, 8, 9, 2), (2, 3), 10, (2, 3), (1, 1)),
    ((1, 9, 9, 16), (3, 3), 33, (2, 2), (1, 1)),
    ((2, 9, 8, 4), (3, 2), 6, (1, 1), (2, 3)),
    ((1, 12, 5, 2), (5, 1), 3, (3, 1), (1, 1)),
    ((2, 4, 4, 9), (4, 4), 7, (1, 1), (1, 1)),
    ((1, 3, 3, 2), (2, 2), 3, (4, 4), (1, 1)),
]  # fmt: skip
PADDINGS = [("SAME", None), ("VALID", None), ("EXPLICIT", [0, 0, 1, 2, 2, 0, 0, 0])]


def outputs(size, window, stride, dilation, padding, around):
    reach = (window - 1) * dilation + 1
    if padding == "SAME":
        return -(-size // stride)
    return (size + sum(around) - reach) // stride + 1


def convolution():
    suite = Suite("convolution")
    for number, (image, window, count, strides, dilations) in enumerate(CONVOLUTIONS):
        for padding, explicit in PADDINGS:
            for dtype in FLOATS if number in (1, 4) else (F32,):
                around = ((0, 0), (0, 0)) if explicit is None else (explicit[2:4], explicit[4:6])
                height, width = (outputs(image[1 + i], window[i], strides[i], dilations[i], padding, around[i]) for i in (0, 1))
                attributes = dict(strides=[1, *strides, 1], dilations=[1, *dilations, 1], **padded(padding, explicit))
                x, w = eighths(image, dtype), eighths((*window, image[3], count), dtype, -8, 8)
                dy = eighths((image[0], height, width, count), dtype, -8, 8)
                name = f"{short(dtype)}_{text(image)}_{text(window)}_{text(strides)}_{text(dilations)}_{padding}"
                suite.case(f"conv_{name}", lambda x, w: raw.Conv2D(input=x, filter=w, **attributes), x, w)
                # TensorFlow's gradients on CPUs have no dilations: patches are compared instead.
                if dilations != (1, 1):
                    continue
                suite.case(f"conv_filter_{name}", lambda x, dy: raw.Conv2DBackpropFilter(
                    input=x, filter_sizes=w.shape, out_backprop=dy, **attributes), x, dy)  # fmt: skip
                suite.case(f"conv_input_{name}", lambda w, dy: raw.Conv2DBackpropInput(
                    input_sizes=x.shape, filter=w, out_backprop=dy, **attributes), w, dy)  # fmt: skip
    x, w, dy = normal((2, 7, 7, 4)), normal((3, 3, 4, 8)), normal((2, 7, 7, 8))
    attributes = dict(strides=[1, 1, 1, 1], padding="SAME")
    suite.case("conv_f32_normal", lambda x, w: raw.Conv2D(input=x, filter=w, **attributes), x, w, atol=1e-5)
    suite.case("conv_filter_f32_normal", lambda x, dy: raw.Conv2DBackpropFilter(
        input=x, filter_sizes=w.shape, out_backprop=dy, **attributes), x, dy, atol=1e-5)  # fmt: skip
    suite.case("conv_input_f32_normal", lambda w, dy: raw.Conv2DBackpropInput(
        input_sizes=x.shape, filter=w, out_backprop=dy, **attributes), w, dy, atol=1e-5)  # fmt: skip
    for image, window, groups, count, strides, padding in (
            ((2, 6, 7, 4), (3, 3), 2, 6, (1, 1), "SAME"), ((1, 8, 8, 6), (2, 3), 3, 3, (2, 2), "VALID"),
            ((2, 5, 5, 4), (3, 3), 4, 8, (1, 1), "SAME"), ((2, 5, 5, 4), (1, 1), 2, 4, (1, 2), "VALID")):  # fmt: skip
        x, w = eighths(image), eighths((*window, image[3] // groups, count), F32, -8, 8)
        height, width = (outputs(image[1 + i], window[i], strides[i], 1, padding, (0, 0)) for i in (0, 1))
        dy = eighths((image[0], height, width, count), F32, -8, 8)
        attributes = dict(strides=[1, *strides, 1], padding=padding)
        name = f"{text(image)}_{text(window)}_{text(strides)}_{padding}_in_{groups}"
        parts = lambda t, axis=3: tf.split(t, groups, axis)
        suite.case(f"conv_{name}", lambda x, w: raw.Conv2D(input=x, filter=w, **attributes), x, w,
            expected=[apart(lambda x, w: tf.concat([raw.Conv2D(input=a, filter=b, **attributes) for a, b in zip(parts(x), parts(w))], 3), x, w)])  # fmt: skip
        one = (*image[:3], image[3] // groups)
        suite.case(f"conv_input_{name}", lambda w, dy: raw.Conv2DBackpropInput(input_sizes=image, filter=w, out_backprop=dy, **attributes), w, dy,
            expected=[apart(lambda w, dy: tf.concat([raw.Conv2DBackpropInput(input_sizes=one, filter=b, out_backprop=d, **attributes)
                for b, d in zip(parts(w), parts(dy))], 3), w, dy)])  # fmt: skip
        narrow = (*w.shape[:3], count // groups)
        suite.case(f"conv_filter_{name}", lambda x, dy: raw.Conv2DBackpropFilter(input=x, filter_sizes=w.shape, out_backprop=dy, **attributes), x, dy,
            expected=[apart(lambda x, dy: tf.concat([raw.Conv2DBackpropFilter(input=a, filter_sizes=narrow, out_backprop=d, **attributes)
                for a, d in zip(parts(x), parts(dy))], 3), x, dy)])  # fmt: skip
    small = eighths((2, 5, 5, 3))
    kernel, bias = eighths((3, 3, 3, 8)), eighths((8,))
    suite.case("conv_bias_relu", lambda x, w, b: raw.Relu(features=raw.BiasAdd(
        value=raw.Conv2D(input=x, filter=w, **attributes), bias=b)), small, kernel, bias)  # fmt: skip
    # An autoencoder's second half, and a shape that is computed.
    suite.case("conv_transposed", lambda w, y, b: raw.Relu(features=raw.BiasAdd(value=raw.Conv2DBackpropInput(
        input_sizes=raw.Pack(values=[2, 10, 10, 3], axis=0), filter=w, out_backprop=y, strides=[1, 2, 2, 1], padding="SAME"), bias=b)),
        eighths((3, 3, 3, 8), low=-8, high=8), eighths((2, 5, 5, 8), low=-8, high=8), eighths((3,)))  # fmt: skip

    for multiplier, (image, window, strides) in itertools.product((1, 3), [
        ((1, 1, 1, 1), (1, 1), (1, 1)), ((2, 6, 7, 9), (3, 2), (1, 1)), ((2, 7, 7, 4), (3, 3), (2, 2))]):  # fmt: skip
        for padding, explicit in PADDINGS:
            around = ((0, 0), (0, 0)) if explicit is None else (explicit[2:4], explicit[4:6])
            height, width = (outputs(image[1 + i], window[i], strides[i], 1, padding, around[i]) for i in (0, 1))
            attributes = dict(strides=[1, *strides, 1], dilations=[1, 1, 1, 1], **padded(padding, explicit))
            x, w = eighths(image), eighths((*window, image[3], multiplier), F32, -8, 8)
            dy = eighths((image[0], height, width, image[3] * multiplier), F32, -8, 8)
            name = f"{text(image)}_{text(window)}_{text(strides)}_{multiplier}_{padding}"
            suite.case(f"depthwise_{name}", lambda x, w: raw.DepthwiseConv2dNative(input=x, filter=w, **attributes), x, w)
            suite.case(f"depthwise_filter_{name}", lambda x, dy: raw.DepthwiseConv2dNativeBackpropFilter(
                input=x, filter_sizes=w.shape, out_backprop=dy, **attributes), x, dy)  # fmt: skip
            suite.case(f"depthwise_input_{name}", lambda w, dy: raw.DepthwiseConv2dNativeBackpropInput(
                input_sizes=x.shape, filter=w, out_backprop=dy, **attributes), w, dy)  # fmt: skip
    # Many taps, or taps apart, of channels that are no whole vectors, and of rows that are no whole tiles.
    for image, window, stride, dilation, padding in (
            ((2, 9, 14, 20), (7, 7), 1, 1, "SAME"), ((1, 5, 4, 37), (7, 5), 1, 1, "SAME"), ((3, 13, 13, 8), (7, 7), 2, 1, "VALID"),
            ((2, 10, 15, 20), (3, 3), 1, 2, "SAME"), ((1, 3, 21, 6), (1, 11), 1, 1, "SAME")):  # fmt: skip
        height, width = (outputs(image[1 + i], window[i], stride, dilation, padding, (0, 0)) for i in (0, 1))
        attributes = dict(strides=[1, stride, stride, 1], dilations=[1, dilation, dilation, 1], padding=padding)
        x, w = eighths(image, low=-4, high=4), eighths((*window, image[3], 1), F32, -4, 4)
        dy = eighths((image[0], height, width, image[3]), F32, -4, 4)
        name = f"{text(image)}_{text(window)}_{stride}_{dilation}_{padding}"
        # TensorFlow has no kernel for dilations on CPUs: it spreads images over the batch.
        known = {} if dilation == 1 else dict(expected=[apart(lambda x, w: tf.nn.depthwise_conv2d(
            x, w, [1, 1, 1, 1], padding, dilations=[dilation] * 2), x, w)])  # fmt: skip
        suite.case(f"depthwise_{name}", lambda x, w: raw.DepthwiseConv2dNative(input=x, filter=w, **attributes), x, w, **known)
        if dilation == 1:
            suite.case(f"depthwise_filter_{name}", lambda x, dy: raw.DepthwiseConv2dNativeBackpropFilter(
                input=x, filter_sizes=w.shape, out_backprop=dy, **attributes), x, dy)  # fmt: skip
            suite.case(f"depthwise_input_{name}", lambda w, dy: raw.DepthwiseConv2dNativeBackpropInput(
                input_sizes=x.shape, filter=w, out_backprop=dy, **attributes), w, dy)  # fmt: skip
    suite.write()


# image; window; strides
POOLS = [
    ((1, 1, 1, 1), (1, 1), (1, 1)), ((2, 4, 6, 17), (2, 2), (2, 2)), ((2, 7, 5, 3), (2, 2), (2, 2)),
    ((1, 7, 8, 9), (3, 3), (2, 2)), ((2, 6, 6, 8), (3, 3), (1, 1)), ((1, 5, 9, 2), (2, 4), (1, 3)),
    ((1, 6, 6, 4), (6, 6), (1, 1)), ((1, 7, 7, 2), (2, 2), (3, 3)),
]  # fmt: skip


# Patches that a product makes a block of at a time: several blocks of images, rows and columns, parts of channels.
BLOCKS = [
    ((3, 14, 14, 16), (3, 3), 24, (1, 1), "SAME"),
    ((2, 24, 20, 32), (3, 3), 48, (1, 1), "SAME"),
    ((5, 7, 7, 16), (3, 3), 33, (1, 1), "VALID"),
    ((1, 20, 18, 8), (5, 5), 17, (1, 1), "SAME"),
    ((2, 6, 6, 128), (3, 3), 16, (1, 1), "SAME"),
    ((2, 17, 16, 8), (3, 3), 32, (2, 2), "SAME"),
    ((4, 9, 8, 96), (1, 1), 40, (2, 2), "VALID"),
    ((1, 3, 300, 24), (2, 3), 20, (1, 1), "VALID"),
    # Few channels; numbers of patches that no register tile divides, or exactly; long windows.
    ((3, 16, 16, 3), (3, 3), 32, (1, 1), "SAME"),
    ((2, 12, 13, 16), (3, 3), 20, (1, 1), "SAME"),
    ((9, 8, 8, 64), (3, 3), 64, (1, 1), "SAME"),
    ((2, 28, 28, 16), (5, 5), 8, (2, 2), "SAME"),
    ((2, 9, 16, 24), (1, 7), 32, (1, 1), "SAME"),
    ((3, 11, 10, 20), (4, 2), 12, (1, 1), "VALID"),
]


def convolution_blocks():
    suite = Suite("convolution_blocks")
    for image, window, count, strides, padding in BLOCKS:
        height, width = (outputs(image[1 + i], window[i], strides[i], 1, padding, (0, 0)) for i in (0, 1))
        attributes = dict(strides=[1, *strides, 1], padding=padding)
        x, w = eighths(image), eighths((*window, image[3], count), F32, -8, 8)
        dy, bias = eighths((image[0], height, width, count), F32, -8, 8), eighths((count,))
        name = f"{text(image)}_{text(window)}_{text(strides)}_{padding}"
        suite.case(f"conv_{name}", lambda x, w, b: raw.Relu(features=raw.BiasAdd(
            value=raw.Conv2D(input=x, filter=w, **attributes), bias=b)), x, w, bias)  # fmt: skip
        suite.case(f"conv_filter_{name}", lambda x, dy: raw.Conv2DBackpropFilter(
            input=x, filter_sizes=w.shape, out_backprop=dy, **attributes), x, dy)  # fmt: skip
        suite.case(f"conv_input_{name}", lambda w, dy: raw.Conv2DBackpropInput(
            input_sizes=x.shape, filter=w, out_backprop=dy, **attributes), w, dy)  # fmt: skip
    suite.write()


# image; window; outputs; strides; padding, and where that is explicit before and after each dimension. Channels enough that an
# image's gradient is computed phase by phase where it can be.
PHASES = [
    ((2, 8, 8, 16), (4, 4), 12, (2, 2), "SAME"),
    ((2, 10, 9, 20), (5, 5), 9, (2, 2), "SAME"),
    ((1, 12, 14, 18), (5, 3), 6, (3, 2), "VALID"),
    ((2, 8, 9, 16), (2, 3), 10, (2, 3), "SAME"),
    # Windows smaller than their steps leave elements that nothing sees.
    ((2, 7, 6, 16), (1, 1), 5, (2, 2), "SAME"),
    ((2, 9, 9, 17), (2, 2), 8, (3, 3), "VALID"),
    ((1, 7, 8, 16), (1, 3), 4, (4, 2), "VALID"),
    ((1, 3, 3, 16), (2, 2), 3, (4, 4), "SAME"),
    # The last windows reach into the padding, or the image continues after them.
    ((2, 7, 7, 16), (2, 2), 8, (2, 2), "SAME"),
    ((2, 10, 8, 16), (3, 3), 8, (2, 2), "VALID"),
    ((1, 11, 12, 16), (3, 3), 8, (3, 3), "VALID"),
    ((2, 8, 8, 16), (4, 4), 6, (2, 2), (1, 1, 1, 1)),
    ((2, 9, 8, 24), (3, 3), 6, (2, 2), (1, 1, 1, 1)),
    ((1, 8, 8, 16), (3, 5), 6, (2, 2), (2, 0, 4, 3)),
    ((1, 8, 8, 16), (1, 1), 6, (2, 2), (1, 1, 1, 1)),
    # Lines, and steps along one dimension only.
    ((3, 1, 24, 16), (1, 5), 8, (1, 2), "SAME"),
    ((2, 9, 8, 16), (3, 3), 8, (2, 1), "SAME"),
    ((1, 40, 48, 16), (5, 5), 32, (2, 2), "SAME"),
]


def known(function, *shapes):
    """The function of tensors of these shapes, whatever is known of what it is given."""
    return lambda *inputs: function(*[tf.ensure_shape(x, shape) for x, shape in zip(inputs, shapes)])


def convolution_phases():
    suite = Suite("convolution_phases")
    for image, window, count, strides, padding in PHASES:
        around = ((0, 0), (0, 0)) if isinstance(padding, str) else (padding[:2], padding[2:])
        kind = padding if isinstance(padding, str) else "EXPLICIT"
        explicit = [0, 0, *around[0], *around[1], 0, 0]
        height, width = (outputs(image[1 + i], window[i], strides[i], 1, kind, around[i]) for i in (0, 1))
        attributes = dict(strides=[1, *strides, 1], **padded(kind, explicit))
        w, dy = eighths((*window, image[3], count), F32, -8, 8), eighths((image[0], height, width, count), F32, -8, 8)
        bias = eighths((image[3],))
        name = f"{text(image)}_{text(window)}_{text(strides)}_{kind}"
        # Of any number of images, with --dynamic.
        transposed = known(lambda w, dy: raw.Conv2DBackpropInput(input_sizes=image[1:3], filter=w, out_backprop=dy, **attributes),
            w.shape, (None, *dy.shape[1:]))  # fmt: skip
        suite.case(f"conv_input_{name}", transposed, w, dy)
        suite.case(f"conv_input_bias_relu_{name}", lambda w, dy, b: raw.Relu(
            features=raw.BiasAdd(value=transposed(w, dy), bias=tf.ensure_shape(b, bias.shape))), w, dy, bias)  # fmt: skip
    suite.write()


def pooling():
    suite = Suite("pooling")
    for number, (image, window, strides) in enumerate(POOLS):
        for padding, explicit in PADDINGS:
            if padding == "EXPLICIT" and (number == 0 or window == (2, 2)):
                continue
            explicit = explicit and [0, 0, 1, 1, 1, 0, 0, 0]
            around = ((0, 0), (0, 0)) if explicit is None else (explicit[2:4], explicit[4:6])
            height, width = (outputs(image[1 + i], window[i], strides[i], 1, padding, around[i]) for i in (0, 1))
            attributes = dict(ksize=[1, *window, 1], strides=[1, *strides, 1], padding=padding)
            explicitly = dict(explicit_paddings=explicit) if explicit else {}
            for dtype in FLOATS if number == 3 else (F32,):
                x, dy = eighths(image, dtype), eighths((image[0], height, width, image[3]), dtype)
                name = f"{short(dtype)}_{text(image)}_{text(window)}_{text(strides)}_{padding}"
                suite.case(f"max_{name}", lambda x: raw.MaxPool(input=x, **attributes, **explicitly), x)
                if explicit:
                    continue  # TensorFlow's other pools have no explicit padding, its gradient none on CPUs
                suite.case(f"max_grad_{name}", lambda x, dy: raw.MaxPoolGrad(
                    orig_input=x, orig_output=raw.MaxPool(input=x, **attributes), grad=dy, **attributes), x, dy)  # fmt: skip
                suite.case(f"avg_{name}", lambda x: raw.AvgPool(value=x, **attributes), x, rtol=ROUNDING[dtype])
                suite.case(f"avg_grad_{name}", lambda dy: raw.AvgPoolGrad(orig_input_shape=x.shape, grad=dy, **attributes),
                           dy, rtol=ROUNDING[dtype], atol=ROUNDING[dtype])  # fmt: skip
    attributes = dict(ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
    nan, inf = float("nan"), float("inf")
    special = np.array([[nan, 1, 2, -inf], [3, 4, 5, -inf], [1, nan, 0, -inf], [inf, inf, -inf, nan], [nan, nan, nan, nan], [nan, nan, -0.0, 0.0]], F32)
    special = special[None, :, :, None]
    suite.case("max_f32_special", lambda x: raw.MaxPool(input=x, **attributes), special, anyZero=True)
    suite.case("max_grad_f32_special", lambda x, dy: raw.MaxPoolGrad(
        orig_input=x, orig_output=raw.MaxPool(input=x, **attributes), grad=dy, **attributes), special, eighths(special.shape))  # fmt: skip
    ties = np.ones((1, 5, 5, 3), F32)
    suite.case("max_grad_f32_ties", lambda x, dy: raw.MaxPoolGrad(
        orig_input=x, orig_output=raw.MaxPool(input=x, **attributes), grad=dy, **attributes), ties, eighths(ties.shape))  # fmt: skip
    for dtype in INTS:
        x = eighths((2, 5, 4, 3), dtype)
        suite.case(f"max_{short(dtype)}", lambda x: raw.MaxPool(input=x, **attributes), x)
    x, dy = eighths((2, 4, 4, 3)), eighths((2, 2, 2, 3))
    suite.case("max_v2", lambda x: raw.MaxPoolV2(input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"), x)
    suite.case("max_grad_v2", lambda x, dy: raw.MaxPoolGradV2(orig_input=x, orig_output=raw.MaxPool(
        input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"), grad=dy,
        ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"), x, dy)  # fmt: skip
    suite.write()


def normalization():
    suite = Suite("normalization")
    # Undefined: the reserves of TensorFlow's kernel when it does not train.
    for version, image in itertools.product(("", "V2", "V3"), [(1, 1, 1, 1), (2, 3, 3, 2), (2, 3, 4, 17), (5, 4, 4, 8)]):
        if image == (5, 4, 4, 8) and version != "V3":
            continue
        channels = image[3:]
        x, dy, scale, offset = eighths(image) + F32(1), eighths(image), eighths(channels), eighths(channels)
        mean, variance = normal(channels), np.abs(normal(channels)) + F32(0.1)
        op, grad = getattr(raw, "FusedBatchNorm" + version), getattr(raw, "FusedBatchNormGrad" + version)
        more = dict(reserve_space_3=np.zeros((), F32)) if version == "V3" else {}
        name = f"{version or 'V1'}_{text(image)}"
        tolerance = dict(rtol=2e-6, atol=1e-5)
        suite.case(f"batch_norm_{name}_train", lambda x, s, o: list(op(x=x, scale=s, offset=o, mean=[], variance=[],
            epsilon=0.001, is_training=True)), x, scale, offset, **tolerance)  # fmt: skip
        suite.case(f"batch_norm_{name}_average", lambda x, s, o, m, v: list(op(x=x, scale=s, offset=o, mean=m, variance=v,
            epsilon=0.01, exponential_avg_factor=0.3, is_training=True)), x, scale, offset, mean, variance, **tolerance)  # fmt: skip
        suite.case(f"batch_norm_{name}_infer", lambda x, s, o, m, v: list(op(x=x, scale=s, offset=o, mean=m, variance=v,
            epsilon=0.001, is_training=False))[:3], x, scale, offset, mean, variance, **tolerance)  # fmt: skip
        for training in (True, False):
            suite.case(f"batch_norm_grad_{name}_{training}", lambda dy, x, s, m, v: list(grad(y_backprop=dy, x=x, scale=s,
                reserve_space_1=m, reserve_space_2=v, epsilon=0.001, is_training=training, **more))[:3],
                dy, x, scale, x.mean((0, 1, 2)) if training else mean, x.var((0, 1, 2)) if training else variance, **tolerance)  # fmt: skip
    x, channels = normal((2, 3, 2, 3, 5)), (5,)
    suite.case("batch_norm_V3_volumes", lambda x, s, o: list(raw.FusedBatchNormV3(x=x, scale=s, offset=o, mean=[], variance=[],
        data_format="NDHWC")), x, normal(channels), normal(channels), rtol=2e-6, atol=1e-5)  # fmt: skip

    for dtype in FLOATS:
        for shape in [(1,), (10,), (3, 1), (17, 33), (2, 3, 5), (2, 2, 3, 8)]:
            suite.case(f"Softmax_{short(dtype)}_{text(shape)}", lambda x: raw.Softmax(logits=x), 3 * normal(shape, dtype), rtol=2 * POLYNOMIAL[dtype])
            suite.case(f"LogSoftmax_{short(dtype)}_{text(shape)}", lambda x: raw.LogSoftmax(logits=x), 3 * normal(shape, dtype),
                       rtol=2 * POLYNOMIAL[dtype], atol=3e-7 if dtype is F32 else 1e-15)  # fmt: skip
        for left, right in [((1, 1), (1, 1)), ((17, 10), (17, 10)), ((1, 10), (4, 10)), ((4, 10), (1, 10)), ((4, 1), (4, 3)), ((3, 33), (33,))]:
            suite.case(f"xent_{short(dtype)}_{text(left)}_{text(right)}", lambda x, y: list(raw.SoftmaxCrossEntropyWithLogits(features=x, labels=y)),
                       3 * normal(left, dtype), np.abs(normal(right, dtype)), rtol=2 * POLYNOMIAL[dtype], atol=1e-6 if dtype is F32 else 1e-14)  # fmt: skip
    special = np.array([[1000, 0, -1000], [80, 80, 80], [0, 0, 0], [-1000, -1001, -1002]], F32)
    for op in (raw.Softmax, raw.LogSoftmax):
        suite.case(f"{op.__name__}_f32_large", lambda x: op(logits=x), special, rtol=4e-6, atol=1e-7)

    for depth, shape in itertools.product((1, 2, 5), [(1, 1, 1, 1), (2, 3, 3, 8)]):
        for beta in (0.5, 0.75, 1.0):
            attributes = dict(depth_radius=depth, bias=1.5, alpha=0.3, beta=beta)
            name = f"{depth}_{text(shape)}_{beta}".replace(".", "_")
            suite.case(f"LRN_{name}", lambda x: raw.LRN(input=x, **attributes), normal(shape), rtol=1e-5)
            suite.case(f"LRNGrad_{name}", lambda g, x: raw.LRNGrad(input_grads=g, input_image=x, output_image=raw.LRN(
                input=x, **attributes), **attributes), normal(shape), normal(shape), rtol=1e-5, atol=2e-6)  # fmt: skip
    suite.write()


def convolution_sizes():
    """Images whose height and width only the run knows (with --dynamic), with enough patches for tiled im2col;
    the last block is shorter."""
    suite = Suite("convolution_sizes")
    for number, (window, strides, dilations, padding) in enumerate((
            ((3, 3), (1, 1), (1, 1), "SAME"), ((3, 3), (2, 2), (1, 1), "SAME"), ((2, 5), (1, 2), (1, 1), "VALID"),
            ((3, 2), (1, 1), (1, 1), (1, 2, 2, 0)), ((3, 3), (1, 1), (2, 3), "VALID"))):  # fmt: skip
        around = ((0, 0), (0, 0)) if isinstance(padding, str) else (padding[:2], padding[2:])
        kind = padding if isinstance(padding, str) else "EXPLICIT"
        attributes = dict(strides=[1, *strides, 1], dilations=[1, *dilations, 1], **padded(kind, [0, 0, *around[0], *around[1], 0, 0]))

        def layer(x, w, b, dy, attributes=attributes, dilations=dilations):
            image = raw.Conv2D(input=x, filter=w, **attributes)
            # TensorFlow's gradients on CPUs have no dilations.
            gradients = tf.gradients(image, [x, w], dy) if dilations == (1, 1) else []
            return [raw.Relu(features=raw.BiasAdd(value=image, bias=b)), *gradients]

        for batch, height, width in ((3, 20, 23), (1, 9, 41)):
            # With one channel, or 70, a block has other parts of patches.
            channels, count = (16, 33) if batch == 3 else ((1, 8) if number == 0 else (70, 16))
            x, w, b = eighths((batch, height, width, channels)), eighths((*window, channels, count), F32, -8, 8), eighths((count,))
            size = [outputs(n, window[i], strides[i], dilations[i], kind, around[i]) for i, n in enumerate((height, width))]
            dy = eighths((batch, *size, count), F32, -8, 8)
            build = known(layer, (None, None, None, channels), w.shape, b.shape, (None, None, None, count))
            suite.case(f"conv_blocks_{text(x.shape)}_{text(window)}_{text(strides)}_{text(dilations)}_{kind}", build, x, w, b, dy)
    suite.write()


def with_gradients(function):
    """Results of a function of float tensors, and the gradients of their cubes' sum by all of those."""

    def build(*inputs):
        results = tf.nest.flatten(function(*inputs))
        gradients = tf.gradients(tf.add_n([tf.reduce_sum(r * r * r) for r in results]), inputs)
        return results + [g for g in gradients if g is not None]

    return build


def four(numbers, layout):
    """Height and width among batch and channels."""
    return [1, *numbers, 1] if layout == "NHWC" else [1, 1, *numbers]


def image_layers(channels, layout):
    """Layers of images with `channels` channels, each with the shapes of the other tensors that it takes."""
    kwargs = dict(data_format=layout)
    move = lambda strides=(1, 1): dict(strides=four(strides, layout), **kwargs)
    around = [0, 0, 1, 2, 2, 0, 0, 0] if layout == "NHWC" else [0, 0, 0, 0, 1, 2, 2, 0]
    conv = lambda **more: lambda x, w: raw.Conv2D(input=x, filter=w, **more)
    pool = lambda op, size, **more: lambda x: op(**{"value" if op is raw.AvgPool else "input": x}, ksize=four(size, layout), **more)
    norm = lambda x, s, o, **more: raw.FusedBatchNormV3(x=x, scale=s, offset=o, epsilon=0.001, **kwargs, **more)
    vector = (channels,)
    yield "conv_same", conv(padding="SAME", **move()), [(3, 2, channels, 4)]
    yield "conv_same_strided", conv(padding="SAME", **move((2, 3))), [(3, 3, channels, 4)]
    yield "conv_valid", conv(padding="VALID", **move((2, 1))), [(2, 3, channels, 4)]
    yield "conv_explicit", conv(padding="EXPLICIT", explicit_paddings=around, **move((2, 2))), [(3, 3, channels, 4)]
    yield "conv_pointwise", conv(padding="VALID", **move()), [(1, 1, channels, 4)]
    yield "conv_pointwise_strided", conv(padding="SAME", **move((2, 2))), [(1, 1, channels, 4)]
    if layout == "NHWC":
        for padding in ("SAME", "VALID"):
            yield f"depthwise_{padding}", lambda x, w, padding=padding: raw.DepthwiseConv2dNative(
                input=x, filter=w, padding=padding, **move((2, 2))), [(3, 2, channels, 2)]  # fmt: skip
    for op, kind in ((raw.MaxPool, "max"), (raw.AvgPool, "avg")):
        yield f"{kind}_pool_same", pool(op, (3, 2), padding="SAME", **move((2, 1))), []
        yield f"{kind}_pool_valid", pool(op, (2, 2), padding="VALID", **move((2, 2))), []
    yield "batch_norm", lambda x, s, o: norm(x, s, o, mean=[], variance=[])[0], [vector, vector]
    yield "batch_norm_infer", lambda x, s, o, m, v: norm(x, s, o, mean=m, variance=v * v, is_training=False)[0], [vector] * 4
    yield "bias", lambda x, b: raw.Relu(features=raw.BiasAdd(value=x, bias=b, **kwargs)), [vector]


def images():
    """Layers of images whose height and width only the run knows (with --dynamic), and of images with channels first."""
    suite = Suite("images")
    near = dict(rtol=2e-5, atol=1e-5)

    for size in ((5, 7), (6, 4)):
        x = normal((2, *size, 3))
        for name, layer, others in image_layers(3, "NHWC"):
            inputs = [normal(shape) for shape in others]
            build = known(with_gradients(layer), (None, None, None, 3), *others)
            suite.case(f"{name}_{text(size)}", build, x, *inputs, **near)
    first = lambda x: tf.transpose(x, [0, 3, 1, 2])
    for (name, layer, others), (_, last, _) in zip(
            (entry for entry in image_layers(3, "NCHW")), (entry for entry in image_layers(3, "NHWC") if not entry[0].startswith("depthwise"))):
        x, inputs = normal((2, 3, 5, 6)), [normal(shape) for shape in others]
        # TensorFlow has no such kernels on CPUs: expected results are computed with channels last.
        expected = apart(with_gradients(lambda x, *rest: first(last(tf.transpose(x, [0, 2, 3, 1]), *rest))), x, *inputs)
        build = known(with_gradients(layer), (None, 3, None, None), *others)
        suite.case(f"channels_first_{name}", build, x, *inputs, expected=expected, **near)

    def network(x, w, s, o, u):
        """Down to half the size, and up again."""
        down = raw.Conv2D(input=x, filter=w, strides=[1, 2, 2, 1], padding="SAME")
        down = raw.Relu(features=raw.FusedBatchNormV3(x=down, scale=s, offset=o, mean=[], variance=[])[0])
        pooled = raw.MaxPool(input=down, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
        up = v1.nn.conv2d_transpose(pooled, u, tf.shape(x), [1, 2, 2, 1])
        return raw.Sigmoid(x=up + x)

    shapes = [(3, 3, 3, 4), (4,), (4,), (3, 3, 3, 4)]
    for size in ((6, 8), (7, 5)):
        build = known(with_gradients(network), (None, None, None, 3), *shapes)
        suite.case(f"network_{text(size)}", build, normal((2, *size, 3)), *[normal(shape) for shape in shapes], **near)
    suite.write()


def long_sums():
    """Millions of numbers: each sum as near to the exact one as TensorFlow's, or nearer."""
    suite = Suite("long_sums")

    def numbers(n, *shape):
        return tf.fill(tf.stack([n, *map(tf.constant, shape)]) if shape else tf.reshape(n, [1]), tf.constant(0.1))

    def case(name, function, n, count, square=False):
        """`function` of n; each of its results is `count` times 0.1, or its square."""
        step = np.float64(F32(0.1))
        exact = np.float64(count) * (step * step if square else step)
        found = [np.asarray(r) for r in apart(lambda n: tf.nest.flatten(function(n)), I32(n))]
        off = max(np.abs(np.float64(r) / exact - 1).max() for r in found)
        expected = [np.full(r.shape, exact, F32) for r in found]
        suite.case(name, lambda n: tf.nest.flatten(function(n)), I32(n), expected=expected, rtol=max(off, 1e-6))

    million = 1000000
    for n in (1000, 10 * million, 50 * million):
        case(f"sum_{n}", lambda n: tf.reduce_sum(numbers(n)), n, n)
        case(f"mean_{n}", lambda n: tf.reduce_mean(numbers(n)), n, 1)
        case(f"loss_{n}", lambda n: tf.nn.l2_loss(numbers(n)), n, n / 2, square=True)
    for n, columns in ((2 * million, 5), (300000, 33), (5 * million, 1)):
        case(f"columns_{n}_{columns}", lambda n, c=columns: tf.reduce_sum(numbers(n, c), 0), n, n)
        case(f"all_{n}_{columns}", lambda n, c=columns: tf.reduce_sum(numbers(n, c)), n, n * columns)
        case(f"bias_{n}_{columns}", lambda n, c=columns: raw.BiasAddGrad(out_backprop=numbers(n, c)), n, n)
    case("rows", lambda n: tf.reduce_sum(tf.transpose(numbers(n, 3)), 1), million, million)
    case("images", lambda n: tf.reduce_sum(numbers(n, 100, 100, 3), [0, 1, 2]), 100, million)
    case("images_inside", lambda n: tf.reduce_sum(numbers(n, 1000, 1000), [1, 2]), 3, million)
    case("channels_first", lambda n: tf.reduce_sum(numbers(n, 3, 100, 100), [0, 2, 3]), 100, million)
    case("known_size", lambda n: tf.reduce_sum(numbers(n) * 1.0 + tf.zeros([10 * million])), 10 * million, 10 * million)
    suite.write()


BATCHES = [((1, 1), (1, 1)), ((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((9, 8, 33), (9, 33, 10)), ((2, 1, 3, 4), (5, 4, 6)),
    ((4, 3), (2, 2, 3, 5)), ((3, 1, 17, 4), (1, 2, 4, 9)), ((2, 24, 32), (2, 32, 20))]  # fmt: skip
EQUATIONS = [
    ("ij,jk->ik", (3, 4), (4, 5)), ("ij->ji", (3, 4)), ("ij->", (3, 4)), ("ij->i", (3, 4)), ("ii->i", (4, 4)), ("ii->", (4, 4)),
    ("i,j->ij", (3,), (4,)), ("i,i->", (5,), (5,)), ("abc,cde->abde", (2, 5, 8), (8, 3, 4)), ("abcd,cde->abe", (2, 5, 3, 4), (3, 4, 8)),
    ("aecd,abcd->acbe", (2, 5, 3, 4), (2, 6, 3, 4)), ("acbe,aecd->abcd", (2, 3, 6, 5), (2, 5, 3, 4)), ("bij,bjk->bik", (3, 4, 5), (3, 5, 6)),
    ("...ij,...jk->...ik", (2, 3, 4, 5), (3, 5, 6)), ("...ij,jk->...ik", (2, 3, 4), (4, 5)), ("b...,b->b...", (3, 4, 5), (3,)),
    ("bhqd,bhkd->bhqk", (2, 3, 5, 4), (2, 3, 6, 4)), ("iij,jk->ik", (3, 3, 4), (4, 2)), ("ij,ij->ij", (3, 4), (3, 4)), ("abc->cab", (2, 3, 4)),
    ("...ij->...i", (2, 3, 4)), ("...i,...jk->...i", (3, 4), (2, 3, 5, 6)),
]  # fmt: skip


def batch_product():
    suite = Suite("batch_product")
    for number, (left, right) in enumerate(BATCHES):
        for adj_x, adj_y in itertools.product((False, True), repeat=2):
            for dtype in (F32,) if number not in (2, 4) else (F32, F64, I32, I64):
                x = eighths((*left[:-2], left[-1], left[-2]) if adj_x else left, dtype)
                y = eighths((*right[:-2], right[-1], right[-2]) if adj_y else right, dtype)
                function = lambda x, y: raw.BatchMatMulV2(x=x, y=y, adj_x=adj_x, adj_y=adj_y)
                name = f"{short(dtype)}_{text(left)}_{text(right)}_{'t' if adj_x else 'n'}{'t' if adj_y else 'n'}"
                suite.case(f"BatchMatMul_{name}", function, x, y)
    x, y = eighths((2, 3, 4)), eighths((2, 4, 5))
    suite.case("BatchMatMul_V1", lambda x, y: raw.BatchMatMul(x=x, y=y), x, y)
    suite.case("BatchMatMul_V3", lambda x, y: raw.BatchMatMulV3(x=x, y=y, Tout=tf.float32), x, y)
    suite.case("BatchMatMul_empty", lambda x, y: raw.BatchMatMulV2(x=x, y=y), np.zeros((2, 3, 0), F32), np.zeros((2, 0, 4), F32))
    for equation, *shapes in EQUATIONS:
        for dtype in FLOATS if equation == "abc,cde->abde" else (F32,):
            name = equation.replace("->", "_to_").replace(",", "_").replace("...", "Z")
            suite.case(f"Einsum_{short(dtype)}_{name}", lambda *x: raw.Einsum(inputs=list(x), equation=equation),
                       *[eighths(shape, dtype) for shape in shapes], anyZero=equation == "b...,b->b...")  # fmt: skip
    # Attention, as a transformer has it.
    def attention(q, k, v):
        scores = raw.Einsum(inputs=[k, q], equation="aecd,abcd->acbe")
        return raw.Einsum(inputs=[raw.Softmax(logits=scores * 0.25), v], equation="acbe,aecd->abcd")
    suite.case("attention", attention, normal((2, 5, 3, 8)), normal((2, 7, 3, 8)), normal((2, 7, 3, 8)), rtol=1e-5, atol=1e-6)
    for adj in itertools.product((False, True), repeat=2):
        for dtype in INTS:
            x, y = eighths((17, 9) if adj[0] else (9, 17), dtype), eighths((5, 17) if adj[1] else (17, 5), dtype)
            suite.case(f"MatMul_{short(dtype)}_{adj[0]}_{adj[1]}", lambda x, y: raw.MatMul(a=x, b=y, transpose_a=adj[0], transpose_b=adj[1]), x, y)
    suite.write()


# Products whose rounding shows the order of their sums: as an einsum, and both shapes. With the sum innermost and
# not, with columns that are no vector and more than registers hold, and without rows or columns.
ORDERS = [
    ("aecd,abcd->acbe", (2, 7, 3, 40), (2, 5, 3, 40)),
    ("acbe,aecd->abcd", (2, 3, 5, 41), (2, 41, 3, 8)),
    ("bik,bkj->bij", (3, 5, 33), (3, 33, 7)),
    ("bik,bjk->bij", (3, 5, 33), (3, 19, 33)),
    ("bki,bkj->bij", (2, 6, 3), (2, 6, 150)),
    ("bki,bjk->bji", (2, 37, 4), (2, 9, 37)),
    ("bkil,kjl->bij", (2, 5, 3, 9), (5, 4, 9)),
    ("ikb,kjb->ijb", (3, 37, 6), (37, 2, 6)),
    ("bij,bj->bi", (4, 5, 70), (4, 70)),
    ("bij,bij->b", (4, 5, 70), (4, 5, 70)),
    ("bij,bij->bj", (4, 50, 7), (4, 50, 7)),
    ("ij,kj->ik", (5, 41), (6, 41)),
]  # fmt: skip


def product_orders():
    """Sums of products of numbers that round."""
    suite = Suite("product_orders")
    for equation, *shapes in ORDERS:
        for dtype in FLOATS:
            name = f"Einsum_{short(dtype)}_{equation.replace('->', '_to_').replace(',', '_')}"
            suite.case(name, lambda *x: raw.Einsum(inputs=list(x), equation=equation),
                       *[normal(shape, dtype) for shape in shapes], rtol=ROUNDING[dtype], atol=10 * ROUNDING[dtype])  # fmt: skip
    tolerance = {"rtol": 1e-6, "atol": 1e-5}
    # Other loops of a kernel leave its products no register tile.
    def softmax(x, y):
        return raw.Softmax(logits=raw.MatMul(a=x, b=y)), raw.MatMul(a=y, b=x)
    suite.case("MatMul_Softmax", softmax, normal((5, 37)), normal((37, 5)), **tolerance)
    def chain(x, y):
        z = raw.BatchMatMulV2(x=x, y=y)
        return raw.BatchMatMulV2(x=raw.Tanh(x=z), y=z, adj_x=True)
    suite.case("BatchMatMul_twice", chain, normal((2, 5, 21)), normal((2, 21, 5)), rtol=1e-5, atol=1e-5)
    # A multiplication and a sum are no product, but for the last two: there, elements are used several times.
    for name, x, y, axis in [("row", (6, 7, 40), (40,), -1), ("column", (6, 70, 5), (6, 1, 5), 1),
                             ("all", (6, 70), (6, 70), -1), ("pairs", (5, 1, 70), (1, 6, 70), -1),
                             ("pairs_of_batches", (3, 5, 1, 70), (3, 1, 6, 70), -1)]:  # fmt: skip
        x, y = normal(x), normal(y)
        products = np.abs(x.astype(F64) * y)
        suite.case(f"Sum_of_Mul_{name}", lambda x, y: raw.Sum(input=raw.Mul(x=x, y=y), axis=axis), x, y, **tolerance,
                   terms=[(products.shape[axis], products.sum(axis))])  # fmt: skip
    # The gradient of a recurrent cell's weights.
    def accumulate(x, y):
        xs, ys = (tf.TensorArray(v.dtype, v.shape[0], element_shape=v.shape[1:]).unstack(v) for v in (x, y))
        add = lambda t, sums: (t + 1, sums + raw.MatMul(a=xs.read(t), b=ys.read(t), transpose_a=True))
        return tf.while_loop(lambda t, _: t < x.shape[0], add, [0, tf.zeros((x.shape[2], y.shape[2]), x.dtype)])[1]
    for dtype in FLOATS:
        x, y = normal((7, 5, 6), dtype), normal((7, 5, 9), dtype)
        magnitudes = np.einsum("tbi,tbj->ij", np.abs(x.astype(F64)), np.abs(y.astype(F64)))
        suite.case(f"Sum_of_MatMuls_{short(dtype)}", accumulate, x, y, rtol=ROUNDING[dtype], atol=10 * ROUNDING[dtype],
                   terms=[(7 * 5, magnitudes)])  # fmt: skip
    suite.write()


def rows_of_layers():
    """Layers on rows of large tensors: Keras's normalization, and products with bias, activation and addition in the
    tensor's shape."""
    suite = Suite("rows_of_layers")
    # Rows that blocks divide, some that they don't, fewer than a block has, and short ones.
    for batch, time, features in [(5, 64, 52), (3, 113, 49), (1, 40, 411)]:
        rows, shape = batch * time, (batch, time, features)

        def layer(x, gamma, beta):
            y, _, _, mean, variance, _ = raw.FusedBatchNormV3(
                x=raw.Reshape(tensor=x, shape=[1, rows, features, 1]), scale=tf.ones([rows]), offset=tf.zeros([rows]), mean=[], variance=[],
                epsilon=0.001, data_format="NCHW")  # fmt: skip
            return raw.Reshape(tensor=y, shape=shape) * gamma + beta, mean, variance

        def gradient(dy, x, gamma):
            matrix = lambda value: raw.Reshape(tensor=value, shape=[1, rows, features, 1])
            _, mean, variance = layer(x, gamma, gamma)
            dx = raw.FusedBatchNormGradV3(y_backprop=matrix(dy * gamma), x=matrix(x), scale=tf.ones([rows]), reserve_space_1=mean,
                reserve_space_2=variance, reserve_space_3=np.zeros((), F32), epsilon=0.001, data_format="NCHW")[0]  # fmt: skip
            return raw.Reshape(tensor=dx, shape=shape)

        x, dy, gamma, beta = normal(shape), normal(shape), normal((features,)), normal((features,))
        suite.case(f"layer_norm_{text(shape)}", lambda *x: layer(*x)[0], x, gamma, beta, rtol=2e-6, atol=1e-5)
        suite.case(f"layer_norm_grad_{text(shape)}", gradient, dy, x, gamma, rtol=1e-5, atol=1e-5)
        # The same twice: a layer and its gradient read one tensor.
        suite.case(f"layer_norm_both_{text(shape)}", lambda dy, x, g: [layer(x, g, g)[0], gradient(dy, x, g)], dy, x, gamma, rtol=1e-5, atol=1e-5)

    def dense(x, w, b, r, shape):
        product = raw.MatMul(a=raw.Reshape(tensor=x, shape=[-1, x.shape[-1]]), b=w)
        return raw.BiasAdd(value=raw.Reshape(tensor=product, shape=shape), bias=b)

    def gelu(x):
        return 0.5 * x * (1 + raw.Tanh(x=0.7978845608 * (x + 0.044715 * raw.Pow(x=x, y=3.0))))

    for units in (52, 131):
        x, w, b, r = eighths((4, 80, 24)), eighths((24, units)), eighths((units,)), eighths((4, 80, units))
        column, shape = eighths((4, 80, 1)), (4, 80, units)
        suite.case(f"dense_{units}", lambda x, w, b, r: r + dense(x, w, b, r, shape), x, w, b, r)
        suite.case(f"dense_compared_{units}", lambda x, w, b, c: dense(x, w, b, c, shape) > c, x, w, b, column)
        suite.case(f"dense_gelu_{units}", lambda x, w, b, r: gelu(dense(x, w, b, r, shape)), x, w, b, r, rtol=1e-5, atol=1e-5)
        def gradients(x, w, b, r):
            y = gelu(dense(x / 8, w, b, r, shape))
            return v1.gradients(y, [x, w, b], r)
        suite.case(f"dense_gradients_{units}", gradients, x, w, b, r, rtol=1e-4, atol=1e-3)
    # Of these the first dimension is 1 only for who knows it: not in the variant of dynamic sizes.
    def residual(x, w, other):
        y = raw.Reshape(tensor=raw.MatMul(a=raw.Reshape(tensor=x, shape=[-1, 24]), b=raw.Reshape(tensor=w, shape=[24, 48])), shape=[-1, 30, 48])
        other = raw.Reshape(tensor=other, shape=[-1, *other.shape[1:]])
        return raw.Relu(features=y + other), other * y

    x, w = eighths((20, 30, 24)), eighths((24, 48))
    for label, shape in (("all", (20, 30, 48)), ("one", (1, 30, 48)), ("column", (1, 30, 1))):
        suite.case(f"residual_of_{label}", residual, x, w, eighths(shape))
    suite.case("residual_to_one", residual, x[:1], w, eighths((20, 30, 48)))
    suite.write()


SUITES = [convolution, convolution_blocks, convolution_phases, convolution_sizes, pooling, normalization, batch_product, product_orders, images, long_sums, rows_of_layers]
