# SPDX-License-Identifier: Apache-2.0
"""Gradients of gradients, and others that TensorFlow writes with sizes known only at run time."""
from suite import F32, Suite, eighths, normal, np, raw, tf, v1


def of_open_batch(function):
    """TensorFlow does not know how many rows the first operand has."""
    return lambda x, *more: function(v1.placeholder_with_default(x, [None, *x.shape[1:]]), *more)


def penalty(function):
    """The gradient by weights of what a gradient by inputs costs (WGAN-GP)."""

    def build(x, w):
        y = function(tf.matmul(x, w))
        (slope,) = tf.gradients(tf.reduce_sum(y), [x])
        return tf.gradients(tf.reduce_mean(tf.square(slope)), [w])

    return build


def as_in_tensorflow_1(number, tiles):
    """The gradient of an operand of a product, and that gradient's by the result's: sums drop their axes there."""

    def build(x, y, slope):
        z = x * y
        shapes = [tf.shape(x), tf.shape(y)]
        axes = raw.BroadcastGradientArgs(s0=shapes[0], s1=shapes[1])[number]
        total = raw.Sum(input=z, axis=axes)
        axes = (axes + 2) % 2
        kept = raw.DynamicStitch(indices=[tf.range(2), axes], data=[tf.shape(z), tf.fill(tf.shape(axes), 1)])
        back = tf.reshape(tf.reshape(slope, tf.shape(total)), kept)
        back = tf.tile(back, tf.shape(z) // tf.maximum(kept, 1)) if tiles else tf.broadcast_to(back, tf.shape(z))
        return [tf.reshape(total, shapes[number]), back * z]

    return build


PENALTIES = {
    "tanh": tf.tanh,
    "polynomial": lambda z: z * z + z,
    "clipped": lambda z: tf.clip_by_norm(z, 1.0),
    "product": lambda z: z * tf.tanh(z),
    "centered": lambda z: z * (z - tf.reduce_mean(z, 1, keepdims=True)),
    "row": lambda z: z * z * tf.constant([[1.0, 2.0, 3.0]]) + z[0],
}


def second_order():
    suite = Suite("second_order")
    for name, function in PENALTIES.items():
        # TensorFlow's are up to 9e-6 from what it computes in float64.
        suite.case(f"penalty_{name}", of_open_batch(penalty(function)), normal((4, 5)), normal((5, 3)), rtol=1e-5, atol=1e-5)
    for number, shape in enumerate(((4, 3), (3,))):
        for tiles in (False, True):
            suite.case(f"tensorflow_1_{number}{'_tiled' if tiles else ''}", of_open_batch(as_in_tensorflow_1(number, tiles)), eighths((4, 3)), eighths((3,)), eighths(shape),
                       anyZero=True)  # fmt: skip
    for axes in ([1], [1, 2], [2], [-3], [0, 2]):
        for keeps in (False, True):
            product = lambda x: tf.gradients(tf.reduce_prod(x, axes, keepdims=keeps) ** 2, [x])
            name = "_".join(map(str, axes)).replace("-", "minus_")
            suite.case(f"product_{name}{'_kept' if keeps else ''}", of_open_batch(product), eighths((2, 3, 4), F32, 4, 12), rtol=1e-5)
    for name, image, window, strides, padding in (
        ("apart", (2, 4, 6, 3), [2, 3], [2, 3], "VALID"),
        ("overlapping", (1, 5, 4, 2), [3, 3], [1, 2], "SAME"),
        ("gaps", (1, 7, 7, 1), [2, 1], [3, 2], "SAME"),
    ):
        attributes = dict(ksize=[1, *window, 1], strides=[1, *strides, 1], padding=padding)
        for op in (raw.MaxPoolGradGrad, raw.MaxPoolGradGradV2):
            twice = lambda x, g: op(orig_input=x, orig_output=raw.MaxPool(input=x, **attributes), grad=g, **attributes)
            short = op.__name__[len("MaxPoolGradGrad"):].lower()
            for kind, x in (("", normal(image)), ("_ties", np.round(normal(image)))):
                suite.case(f"max_pool{short}_{name}{kind}", twice, np.asarray(x, F32), eighths(image))
    for name, volume, window, strides, padding in (
        ("apart", (2, 4, 4, 6, 3), [2, 2, 3], [2, 2, 3], "VALID"),
        ("overlapping", (1, 4, 5, 4, 2), [2, 3, 3], [1, 1, 2], "SAME"),
    ):
        attributes = dict(ksize=[1, *window, 1], strides=[1, *strides, 1], padding=padding)

        def twice(x, g):
            x, g = (tf.ensure_shape(t, [None, *volume[1:]]) for t in (x, g))
            return raw.MaxPool3DGradGrad(orig_input=x, orig_output=raw.MaxPool3D(input=x, **attributes), grad=g, **attributes)

        for kind, x in (("", normal(volume)), ("_ties", np.round(normal(volume)))):
            suite.case(f"max_pool_3d_{name}{kind}", twice, np.asarray(x, F32), eighths(volume))
    suite.write()


SUITES = [second_order]
