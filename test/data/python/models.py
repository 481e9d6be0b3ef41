# SPDX-License-Identifier: Apache-2.0
"""Models as people write them: each trains for some steps as in Keras."""
import os
import sys

import numpy as np
import tensorflow as tf
from common import k, trains_as_in_keras

rng = np.random.RandomState(3)
cross_entropy = lambda: k.losses.SparseCategoricalCrossentropy(from_logits=True)


def functional():
    """Two inputs by name, two outputs with weights and metrics of their own, legacy names."""
    a, b = k.layers.Input((5,), name="left"), k.layers.Input((3,), name="right")
    both = k.layers.Concatenate()([k.layers.Dense(8, activation="gelu")(a), b])
    both = k.layers.LayerNormalization()(both)
    model = k.Model({"left": a, "right": b}, [k.layers.Dense(1, name="price")(both), k.layers.Dense(3, name="kind")(both)])
    model.compile(k.optimizers.RMSprop(0.01, momentum=0.9), loss=["mse", cross_entropy()], loss_weights=[0.3, 1.5],
                  metrics=[["mae"], ["accuracy"]])  # fmt: skip
    x = {"left": rng.normal(size=(50, 5)), "right": rng.normal(size=(50, 3))}
    return model, (x, (rng.normal(size=(50, 1)), rng.randint(0, 3, size=50)))


def subclassed():
    """A model of one's own with a train_step of its own."""

    class Net(k.Model):
        def __init__(self):
            super().__init__()
            self.dense = k.layers.Dense(3, kernel_initializer=k.initializers.GlorotUniform(seed=2))
            self.mean = k.metrics.Mean(name="loss")

        def call(self, inputs, training=False):
            return self.dense(tf.math.sin(inputs))

        @property
        def metrics(self):
            return [self.mean]

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            self.mean.update_state(loss)
            return {"loss": self.mean.result()}

        def test_step(self, data):
            self.mean.update_state(tf.reduce_mean(tf.square(self(data[0]) - data[1])))
            return {"loss": self.mean.result()}

    model = Net()
    model.compile(k.optimizers.SGD(0.05, momentum=0.9, nesterov=True))
    return model, (rng.normal(size=(50, 4)).astype("f"), rng.normal(size=(50, 3)).astype("f"))


def adversarial():
    """Two networks that a train_step calls: no call, no loss, no test_step, data of one array."""

    class Adversaries(k.Model):
        def __init__(self):
            super().__init__()
            dense = lambda units, seed, **more: k.layers.Dense(units, kernel_initializer=k.initializers.GlorotUniform(seed=seed), **more)
            self.critic = k.Sequential([k.layers.Input((4,)), dense(8, 1, activation="relu"), dense(1, 2)])
            self.painter = k.Sequential([k.layers.Input((2,)), dense(8, 3, activation="relu"), dense(4, 4)])
            self.mean = k.metrics.Mean(name="loss")

        def compile(self, critic_optimizer, painter_optimizer):
            super().compile()
            self.optimizers = [critic_optimizer, painter_optimizer]
            self.cross_entropy = k.losses.BinaryCrossentropy(from_logits=True)

        @property
        def metrics(self):
            return [self.mean]

        def improve(self, network, optimizer, loss):
            with tf.GradientTape() as tape:
                value = loss()
            weights = network.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(value, weights), weights))
            return value

        def train_step(self, real):
            noise, ones = real[:, :2] * 3.0, tf.ones([tf.shape(real)[0], 1])
            both = lambda: tf.concat([self.critic(real), self.critic(self.painter(noise))], 0)
            found = self.improve(self.critic, self.optimizers[0], lambda: self.cross_entropy(tf.concat([ones, 0.0 * ones], 0), both()))
            found += self.improve(self.painter, self.optimizers[1], lambda: self.cross_entropy(ones, self.critic(self.painter(noise))))
            self.mean.update_state(found)
            return {"loss": self.mean.result()}

    model = Adversaries()
    model.compile(k.optimizers.Adam(0.01), k.optimizers.Nadam(0.01))
    return model, tf.data.Dataset.from_tensor_slices(rng.normal(size=(48, 4)).astype("f")).batch(16)


def convolutional():
    model = k.Sequential([
        k.layers.Input((10, 10, 3)), k.layers.Conv2D(6, 3, activation="relu"), k.layers.MaxPooling2D(),
        k.layers.BatchNormalization(), k.layers.Flatten(), k.layers.Dense(4)])  # fmt: skip
    model.compile(k.optimizers.SGD(k.optimizers.schedules.CosineDecay(0.1, 30), global_clipnorm=0.5), cross_entropy())
    return model, (rng.normal(size=(40, 10, 10, 3)).astype("f"), rng.randint(0, 4, size=40))


def recurrent():
    """Ids, an embedding, an LSTM, weights of examples."""
    model = k.Sequential([
        k.layers.Input((7,), dtype="int32"), k.layers.Embedding(20, 6), k.layers.LSTM(8), k.layers.Dense(1, activation="sigmoid")])  # fmt: skip
    model.compile(k.optimizers.Adagrad(0.1), "binary_crossentropy", metrics=[k.metrics.AUC(num_thresholds=20)])
    data = rng.randint(0, 20, size=(50, 7)).astype("int32"), rng.randint(0, 2, size=(50, 1)).astype("f"), rng.uniform(size=50).astype("f")
    return model, data


def attention():
    inputs = k.layers.Input((6, 8))
    h = k.layers.MultiHeadAttention(2, 4)(inputs, inputs)
    h = k.layers.LayerNormalization()(h + inputs)
    model = k.Model(inputs, k.layers.Dense(3)(k.layers.GlobalAveragePooling1D()(h)))
    model.compile(k.optimizers.AdamW(0.01, weight_decay=0.01), cross_entropy(), metrics=["accuracy"])
    return model, (rng.normal(size=(40, 6, 8)).astype("f"), rng.randint(0, 3, size=40))


def mixed():
    """Products in bfloat16, variables in float32."""
    k.mixed_precision.set_global_policy("mixed_bfloat16")
    try:
        model = k.Sequential([k.layers.Input((6,)), k.layers.Dense(16, "relu"), k.layers.Dense(3, dtype="float32")])
    finally:
        k.mixed_precision.set_global_policy("float32")
    model.compile(k.optimizers.Adam(0.01), cross_entropy(), metrics=["accuracy"])
    return model, (rng.normal(size=(48, 6)).astype("f"), rng.randint(0, 3, size=48))


def scaled():
    """Products in float16, and the loss scaled."""
    k.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = k.Sequential([k.layers.Input((6,)), k.layers.Dense(16, "relu"), k.layers.Dense(3, dtype="float32")])
        model.compile(k.optimizers.SGD(0.1), cross_entropy())
    finally:
        k.mixed_precision.set_global_policy("float32")
    return model, (rng.normal(size=(48, 6)).astype("f"), rng.randint(0, 3, size=48))


def large_arrays():
    """More than is kept in a graph: files beside it."""
    model = k.Sequential([k.layers.Input((70_000,)), k.layers.Dense(2)])
    model.compile("sgd", cross_entropy())
    return model, (rng.uniform(-0.01, 0.01, size=(64, 70_000)).astype("f"), rng.randint(0, 2, size=64))


def run(make):
    k.utils.set_random_seed(4)
    model, data = make()
    k.utils.set_random_seed(5)
    predicts = make is not adversarial
    if predicts and not model.built:
        model(data[0][:2])
    # Of 8 and 11 bits of a product's result, sums in another order lose others.
    trains_as_in_keras(model, data, make.__name__, bound={"mixed": 5e-3, "scaled": 1e-3}.get(make.__name__, 1e-4), predicts=predicts)


for make in [functional, subclassed, adversarial, convolutional, recurrent, attention, mixed, scaled, large_arrays]:
    if len(sys.argv) == 1 or make.__name__ in sys.argv[1:]:
        run(make)
        print(make.__name__)
assert len(sys.argv) > 1 or [name for name in os.listdir(".") if name.endswith(".npy")], "no files beside the graph"
print("passed")
