# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pools of volumes."""
from suite import *

# batch, depth, height, width, channels; window; outputs; strides
CONVOLUTIONS = [
    ((1, 1, 1, 1, 1), (1, 1, 1), 1, (1, 1, 1)),
    ((2, 5, 6, 4, 3), (3, 3, 3), 4, (1, 1, 1)),
    ((2, 6, 5, 7, 2), (2, 3, 1), 5, (2, 1, 3)),
    ((1, 7, 4, 4, 8), (3, 1, 2), 9, (3, 2, 2)),
    ((2, 4, 4, 4, 3), (1, 2, 2), 6, (2, 1, 1)),
    ((1, 3, 3, 3, 2), (2, 2, 2), 3, (4, 4, 4)),
    ((1, 9, 3, 3, 2), (2, 2, 2), 3, (5, 1, 1)),
]
POOLS = [
    ((2, 4, 3, 5, 2), (4, 3, 5), (1, 1, 1)),
    ((2, 7, 5, 4, 2), (2, 2, 3), (3, 2, 2)),
    ((2, 4, 4, 4, 3), (2, 2, 2), (2, 2, 2)),
    ((1, 5, 6, 7, 2), (3, 2, 3), (2, 1, 2)),
    ((2, 3, 5, 4, 5), (1, 3, 2), (1, 2, 3)),
    ((1, 6, 3, 3, 4), (3, 3, 3), (1, 1, 1)),
]  # fmt: skip


def places(size, window, stride, padding):
    return -(-size // stride) if padding == "SAME" else (size - window) // stride + 1


class VolumeSuite(Suite):
    """Only the batch of what is fed may be unknown."""

    def case(self, name, function, *inputs, **more):
        build = lambda *fed: function(*(tf.ensure_shape(x, (None, *given.shape[1:])) for x, given in zip(fed, inputs)))
        super().case(name, build, *inputs, **more)


def five(numbers, layout="NDHWC"):
    return [1, *numbers, 1] if layout == "NDHWC" else [1, 1, *numbers]


def volume_convolution():
    suite = VolumeSuite("volume_convolution")
    for number, (volume, window, count, strides) in enumerate(CONVOLUTIONS):
        for padding in ("SAME", "VALID"):
            for dtype in (F32, F64) if number == 1 else (F32,):
                out = [places(volume[1 + i], window[i], strides[i], padding) for i in range(3)]
                attributes = dict(strides=five(strides), padding=padding)
                x, w = eighths(volume, dtype), fixed(eighths((*window, volume[4], count), dtype, -8, 8))
                dy = eighths((volume[0], *out, count), dtype, -8, 8)
                name = f"{short(dtype)}_{text(volume)}_{text(window)}_{text(strides)}_{padding}"
                # Where SAME has nothing to pad since steps are longer than the window, TensorFlow's kernel for CPUs
                # begins after the first element; its gradients, and its documentation, do not.
                if padding == "VALID" or strides[0] < 5:
                    suite.case(f"conv_{name}", lambda x, w: raw.Conv3D(input=x, filter=w, **attributes), x, w)
                suite.case(f"conv_filter_{name}", lambda x, dy: raw.Conv3DBackpropFilterV2(
                    input=x, filter_sizes=w.shape, out_backprop=dy, **attributes), x, dy)  # fmt: skip
                suite.case(f"conv_input_{name}", lambda w, dy: raw.Conv3DBackpropInputV2(
                    input_sizes=x.shape, filter=w, out_backprop=dy, **attributes), w, dy)  # fmt: skip
    # TensorFlow has no dilations of depth on CPUs: a filter with zeros in between is compared instead.
    x, w = eighths((2, 7, 5, 5, 2)), fixed(eighths((2, 2, 2, 2, 3), F32, -8, 8))
    apart = np.zeros((4, 3, 2, 2, 3), F32)
    apart[::3, ::2] = w
    for padding in ("SAME", "VALID"):
        suite.case(f"conv_dilated_{padding}", lambda x, w: raw.Conv3D(input=x, filter=w, strides=five((1, 1, 1)), dilations=five((3, 2, 1)), padding=padding),
                   x, w, expected=[tf.nn.conv3d(x, apart, five((1, 1, 1)), padding).numpy()])  # fmt: skip
    # Nor channels first.
    x, w, dy = eighths((2, 3, 5, 4, 4)), fixed(eighths((2, 2, 2, 3, 5), F32, -8, 8)), eighths((2, 5, 3, 4, 2), F32, -8, 8)
    first, last = dict(strides=[1, 1, 2, 1, 2], padding="SAME", data_format="NCDHW"), dict(strides=[1, 2, 1, 2, 1], padding="SAME")
    to_last, to_first = (lambda v: np.transpose(v, (0, 2, 3, 4, 1))), (lambda v: np.transpose(v, (0, 4, 1, 2, 3)))
    suite.case("conv_channels_first", lambda x, w: raw.Conv3D(input=x, filter=w, **first), x, w,
               expected=[to_first(raw.Conv3D(input=to_last(x), filter=w, **last).numpy())])  # fmt: skip
    suite.case("conv_input_channels_first", lambda w, dy: raw.Conv3DBackpropInputV2(input_sizes=x.shape, filter=w, out_backprop=dy, **first), w, dy,
               expected=[to_first(raw.Conv3DBackpropInputV2(input_sizes=to_last(x).shape, filter=w, out_backprop=to_last(dy), **last).numpy())])  # fmt: skip
    suite.case("conv_filter_channels_first", lambda x, dy: raw.Conv3DBackpropFilterV2(input=x, filter_sizes=w.shape, out_backprop=dy, **first), x, dy,
               expected=[raw.Conv3DBackpropFilterV2(input=to_last(x), filter_sizes=w.shape, out_backprop=to_last(dy), **last).numpy()])  # fmt: skip
    suite.write()


def volume_pooling():
    suite = VolumeSuite("volume_pooling")
    for number, (volume, window, strides) in enumerate(POOLS):
        for padding in ("SAME", "VALID"):
            out = [places(volume[1 + i], window[i], strides[i], padding) for i in range(3)]
            attributes = dict(ksize=five(window), strides=five(strides), padding=padding)
            x, dy = eighths(volume), eighths((volume[0], *out, volume[4]))
            ties = np.round(x / 8).astype(F32)
            name = f"{text(volume)}_{text(window)}_{text(strides)}_{padding}"
            suite.case(f"max_{name}", lambda x: raw.MaxPool3D(input=x, **attributes), x)
            near = (x * F32(3.1e-6)).astype(F32)  # TensorFlow takes what differs by less than 1e-5 for equal.
            for kind, given in (("", x), ("ties_", ties), ("near_", near)):
                suite.case(f"max_grad_{kind}{name}", lambda x, dy: raw.MaxPool3DGrad(
                    orig_input=x, orig_output=raw.MaxPool3D(input=x, **attributes), grad=dy, **attributes), given, dy)  # fmt: skip
            suite.case(f"avg_{name}", lambda x: raw.AvgPool3D(input=x, **attributes), x, rtol=1e-6, atol=1e-6)
            suite.case(f"avg_grad_{name}", lambda dy: raw.AvgPool3DGrad(orig_input_shape=x.shape, grad=dy, **attributes), dy, rtol=1e-6, atol=1e-6)
    suite.write()


SUITES = [volume_convolution, volume_pooling]
