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

generated = tf.data.Dataset.from_generator(lambda: iter([(x[:2], y[:2])]), output_signature=(
    tf.TensorSpec([None, 6], tf.float32), tf.TensorSpec([None], tf.int64)))  # fmt: skip
refused(["runs Python", "from_generator"], classifier(), generated)


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
        return inputs + tf.reduce_sum(tf.linalg.svd(inputs, compute_uv=False))


class Decomposes(k.Model):
    def __init__(self):
        super().__init__()
        self.factors, self.dense = Factors(name="my_factors"), k.layers.Dense(4)

    def call(self, inputs):
        return self.dense(self.factors(inputs))


# What no compiled program has is said by layer and line.
model = Decomposes()
model.compile("sgd", k.losses.SparseCategoricalCrossentropy(from_logits=True))
here = next(number for number, text in enumerate(open(__file__), 1) if "tf.linalg.svd(inputs" in text)
try:
    ingot.compile(model, (x, y), "trainer")
    raise AssertionError("it has no decompositions")
except ingot.CompileError as error:
    assert "my_factors" in str(error) and f"refusals.py:{here}" in str(error), error
print("passed")
