# SPDX-License-Identifier: Apache-2.0
"""Errors name the line of the script that has to change."""
import ingot
import numpy as np
import tensorflow as tf
from common import classifier, examples, k

x, y = examples()


def refused(words, *arguments, line=None, **more):
    try:
        ingot.export(*arguments, **more)
    except ingot.ExportError as error:
        assert __file__.split("/")[-1] in str(error), error
        for word in words:
            assert word in str(error), error
        if line is not None:
            assert f":{line}:" in str(error), f"{line}: {error}"
        return
    raise AssertionError(f"exported, without {words}")


refused(["compiled"], k.Sequential([k.layers.Input((6,)), k.layers.Dense(1)]), (x, y))
refused(["neither a Keras model"], object(), (x, y))
refused(["data"], classifier())
refused(["different numbers"], classifier(), (x, y[:50]))
refused(["no examples"], classifier(), (x[:0], y[:0]))


def line_with(text):
    """The line of this file that has it, but for those that look for it."""
    return next(number for number, line in enumerate(open(__file__), 1) if text in line and "line_with(" not in line)


generated = tf.data.Dataset.from_generator(lambda: iter([(x[:2], y[:2])]), output_signature=(
    tf.TensorSpec([None, 6], tf.float32), tf.TensorSpec([None], tf.int64)))  # fmt: skip
refused(["training data runs Python", "from_generator"], classifier(), generated, line=line_with("generated = tf.data.Dataset.from_gen"))


def by_python(a, b):
    return tf.ensure_shape(tf.py_function(lambda v: v, [a], tf.float32), [6]), b


def by_numpy(a, b):
    return tf.numpy_function(lambda v: True, [a], tf.bool)


# Each place is said, by its line.
calls = tf.data.Dataset.from_tensor_slices((x, y)).map(by_python).filter(by_numpy).batch(8)
refused([f":{line_with('tf.py_function(lambda')}: training data runs", f":{line_with('tf.numpy_function(lambda')}: training data runs"], classifier(), calls)


class Calls(k.layers.Layer):
    def call(self, inputs):
        return tf.ensure_shape(tf.numpy_function(np.tanh, [inputs], tf.float32), inputs.shape)


class Model(k.Model):
    def __init__(self):
        super().__init__()
        self.mine, self.dense = Calls(), k.layers.Dense(4)

    def call(self, inputs):
        return self.dense(self.mine(inputs))


model = Model()
model.compile("sgd", k.losses.SparseCategoricalCrossentropy(from_logits=True))
here = next(number for number, text in enumerate(open(__file__), 1) if "tf.numpy_function(np" in text)
refused(["runs Python", "numpy_function"], model, (x, y), line=here)


class Breaks(k.Model):
    def call(self, inputs):
        raise ValueError("as written")


model = Breaks()
model.compile("sgd", "mse")
here = next(number for number, text in enumerate(open(__file__), 1) if 'raise ValueError("as' in text)
refused(["as written"], model, (x, y), line=here)

class Factors(k.layers.Layer):
    def call(self, inputs):
        return inputs + tf.reduce_sum(tf.linalg.lu(inputs[:4])[0])


class Decomposes(k.Model):
    def __init__(self):
        super().__init__()
        self.factors, self.dense = Factors(name="my_factors"), k.layers.Dense(4)

    def call(self, inputs):
        return self.dense(self.factors(inputs))


# Unsupported ops are reported by layer and line.
model = Decomposes()
model.compile("sgd", k.losses.SparseCategoricalCrossentropy(from_logits=True))
here = next(number for number, text in enumerate(open(__file__), 1) if "tf.linalg.lu(inputs" in text)
try:
    ingot.compile(model, (x, y), "trainer")
    raise AssertionError("it has none of these")
except ingot.CompileError as error:
    assert "my_factors" in str(error) and f"refusals.py:{here}" in str(error), error


# All of it at once: functions of datasets, branches, bodies of loops, what these call, and the step itself.
def noisy(a):
    return a + tf.random.stateless_poisson([4], [1, 2], lam=1.0, dtype=tf.float32)


def lucky(a):
    return tf.random.stateless_binomial([], [1, 2], counts=2.0, probs=0.5) >= tf.cast(0.0 * a[0], tf.int32)


weights = tf.Variable(tf.ones([4, 4]), name="weights")


@tf.function
def row_by_row(rows):
    return tf.map_fn(lambda row: row + tf.random.stateless_gamma([4], [1, 2], alpha=1.0), rows)


@tf.function
def step(rows):
    h = rows @ weights
    if tf.reduce_sum(h) > 0.0:
        quantized = tf.raw_ops.QuantizeV2(input=h, min_range=-1.0, max_range=1.0, T=tf.quint8)
        h = tf.raw_ops.Dequantize(input=quantized[0], min_range=quantized[1], max_range=quantized[2])
    else:
        h = h + tf.random.stateless_parameterized_truncated_normal([4, 4], [1, 2])
    for _ in tf.range(3):
        h = h + tf.reduce_sum(tf.raw_ops.ResizeArea(images=h[tf.newaxis, :, :, tf.newaxis], size=[2, 2]))
    weights.assign_sub(0.1 * tf.ones([4, 4]))
    scaled = tf.raw_ops.ScaleAndTranslate(images=h[tf.newaxis, :, :, tf.newaxis], size=[2, 2], scale=[0.5, 0.5], translation=[0.0, 0.0])
    return tf.reduce_mean(row_by_row(h)) + tf.reduce_sum(scaled)


many = tf.data.Dataset.from_tensor_slices(np.ones((16, 4), "f")).map(noisy).filter(lucky).batch(4)
try:
    ingot.compile(step, many, "many")
    raise AssertionError("it has none of these")
except ingot.CompileError as error:
    assert str(error).count("error:") == 1, error
    for op, text in [("StatelessRandomPoisson", "stateless_poisson("), ("StatelessRandomBinomial", "stateless_binomial("),
                     ("StatelessRandomGammaV3", "stateless_gamma("), ("QuantizeV2", "raw_ops.QuantizeV2("),
                     ("Dequantize", "raw_ops.Dequantize("), ("ResizeArea", "raw_ops.ResizeArea("),
                     ("StatelessParameterizedTruncatedNormal", "stateless_parameterized_truncated_normal("),
                     ("ScaleAndTranslate", "raw_ops.ScaleAndTranslate(")]:  # fmt: skip
        here = next(number for number, line in enumerate(open(__file__), 1) if text in line and "(\"" not in line)
        assert any(f" {op} (" in line and f"refusals.py:{here})" in line for line in str(error).split("\n")), f"{op}, {here}: {error}"
print("passed")
