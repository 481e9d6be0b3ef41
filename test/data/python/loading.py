# SPDX-License-Identifier: Apache-2.0
"""Weights and optimizers' states come back into models of every make, the exported one and another of the same code;
arguments of `fit` mean what they mean to Keras."""
import ingot
import numpy as np
import tensorflow as tf
from common import close, examples, k

x, y = examples(64, classes=3)


def crossentropy():
    return k.losses.SparseCategoricalCrossentropy(from_logits=True)


class Subclassed(k.Model):
    """Its layers are called in another order than they are made in."""

    def __init__(self):
        super().__init__()
        self.out, self.first, self.norm = k.layers.Dense(3), k.layers.Dense(8, "relu"), k.layers.BatchNormalization()
        self.blocks = {"b": [k.layers.Dense(8), k.layers.Dense(8)], "a": [k.layers.Dense(8)]}

    def call(self, inputs, training=False):
        hidden = self.norm(self.first(inputs), training=training)
        for name in ("b", "a"):
            for block in self.blocks[name]:
                hidden = block(hidden)
        return self.out(hidden)


class TwoOptimizers(k.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second = k.layers.Dense(8, "relu"), k.layers.Dense(3)
        self.mine = [k.optimizers.Adam(0.01), k.optimizers.RMSprop(0.02, momentum=0.5)]

    def call(self, inputs):
        return self.second(self.first(inputs))

    def train_step(self, data):
        inputs, labels = data
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_mean(k.losses.sparse_categorical_crossentropy(labels, self(inputs), from_logits=True))
        for optimizer, part in zip(self.mine, (self.first, self.second)):
            optimizer.apply_gradients(zip(tape.gradient(loss, part.trainable_variables), part.trainable_variables))
        return {"loss": loss}


class Gan(k.Model):
    """Has no call of its own."""

    def __init__(self):
        super().__init__()
        self.maker = k.Sequential([k.layers.Input((4,)), k.layers.Dense(8, "relu"), k.layers.Dense(6)])
        self.judge = k.Sequential([k.layers.Input((6,)), k.layers.Dense(8, "relu"), k.layers.Dense(1)])

    def compile(self, maker, judge):
        super().compile(optimizer="sgd")
        self.makers, self.judges = maker, judge

    def train_step(self, data):
        count, score = tf.shape(data)[0], k.losses.BinaryCrossentropy(from_logits=True)
        noise = tf.random.normal([count, 4])
        for optimizer, part, real in ((self.judges, self.judge, True), (self.makers, self.maker, False)):
            with tf.GradientTape() as tape:
                loss = score(tf.ones([count, 1]), self.judge(data)) + score(tf.zeros([count, 1]), self.judge(self.maker(noise))) if real \
                    else score(tf.ones([count, 1]), self.judge(self.maker(noise)))  # fmt: skip
            optimizer.apply_gradients(zip(tape.gradient(loss, part.trainable_variables), part.trainable_variables))
        return {"loss": loss}


def compiled(model, *arguments, **more):
    model.compile(*arguments, **more)
    return model


def dense(optimizer, **more):
    model = k.Sequential([k.layers.Input((6,)), k.layers.Dense(8, "relu"), k.layers.Dense(3)])
    return compiled(model, optimizer, crossentropy(), **more)


def scaled():
    kind = getattr(k.optimizers, "LossScaleOptimizer", None) or k.mixed_precision.LossScaleOptimizer
    return dense(kind(k.optimizers.Adam(0.01)))


def adapted():
    bins = k.layers.Discretization(num_bins=4)
    bins.adapt(x[:, :1])
    first = k.layers.Input((6,))
    model = k.Model(first, k.layers.Dense(3)(tf.keras.layers.Flatten()(k.layers.CategoryEncoding(6, "multi_hot")(bins(first)))))
    return compiled(model, "sgd", crossentropy())


MODELS = {
    "subclassed": lambda: compiled(Subclassed(), "adam", crossentropy(), metrics=["accuracy"]),
    "two": lambda: compiled(TwoOptimizers(), optimizer="sgd", loss=crossentropy()),
    "gan": lambda: compiled(Gan(), k.optimizers.Adam(0.001), k.optimizers.Adam(0.002)),
    "averaged": lambda: dense(k.optimizers.Adam(0.01, use_ema=True)),
    "scaled": scaled,
    "adapted": adapted,
}
if int(tf.__version__.split(".")[1]) < 16 and hasattr(k.optimizers, "legacy"):
    MODELS["legacy"] = lambda: dense(k.optimizers.legacy.Adam(0.01))


def state(model):
    """All weights, and the state of every optimizer."""
    optimizers = [*getattr(model, "mine", []), *(getattr(model, name, None) for name in ("optimizer", "makers", "judges"))]
    found = list(model.get_weights())
    for optimizer in optimizers:
        variables = getattr(optimizer, "variables", [])
        found += [np.array(variable) for variable in (variables() if callable(variables) else variables)]
    return found


for name, make in MODELS.items():
    model = make()
    trainer = ingot.compile(model, x if name == "gan" else (x, y), name, shuffle=False, batch_size=16)
    trainer.fit(epochs=2, model_dir=f"{name}-run", verbose=False)
    trainer.load_into(model)
    again = make()
    if not again.variables:
        again(x)
    trainer.load_into(again)
    ours, theirs = state(model), state(again)
    assert len(ours) == len(theirs) > 3, (name, len(ours), len(theirs))
    for one, other in zip(ours, theirs):
        assert np.array_equal(one, other), (name, one, other)
    if name != "gan":
        close(trainer.predict(x), model.predict(x, verbose=0), 1e-5)
        close(trainer.predict(x), again.predict(x, verbose=0), 1e-5)
    # Steps were counted by the optimizers of the step.
    assert any(np.array_equal(value, 8) for value in ours), (name, [value for value in ours if value.ndim == 0])

# Weights alone are loaded into a model that is compiled with another optimizer, or not at all.
trainer = ingot.Trainer("averaged", model_dir="averaged-run")
for model in (dense("sgd"), k.Sequential([k.layers.Input((6,)), k.layers.Dense(8, "relu"), k.layers.Dense(3)])):
    trainer.load_into(model)
    close(trainer.predict(x), model.predict(x, verbose=0), 1e-5)
try:
    trainer.load_into(MODELS["gan"]())
    raise AssertionError("another model")
except ingot.Error as error:
    assert "another model" in str(error) and "loading.py:" in str(error), error


# Keras 3 returns the metrics of `compile` in a dictionary of their own.
class Reports(k.Model):
    def __init__(self):
        super().__init__()
        self.out = k.layers.Dense(3, kernel_initializer="ones")

    def call(self, inputs):
        return self.out(inputs)

    def train_step(self, data):
        inputs, labels = data
        with tf.GradientTape() as tape:
            found = self(inputs)
            loss = self.compute_loss(x=inputs, y=labels, y_pred=found)
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        for metric in self.metrics:
            metric.update_state(loss) if metric.name == "loss" else metric.update_state(labels, found)
        return {metric.name: metric.result() for metric in self.metrics}


ours, theirs = (compiled(Reports(), "adam", crossentropy(), metrics=["accuracy"]) for _ in range(2))
history = ingot.compile(ours, (x, y), "reports", shuffle=False).fit(epochs=2, model_dir="reports-run", verbose=False).history
expected = theirs.fit(x, y, shuffle=False, epochs=2, verbose=0).history
for name, values in expected.items():
    close(history[name], values, 1e-4)
assert "accuracy" in history or tf.__version__.startswith("2.15"), history  # Keras 2 makes that metric later.

# What fit takes, and ingot.compile(model, x, y).
for number, options in enumerate((
        {"class_weight": {0: 1.0, 1: 3.0, 2: 0.25}}, {"validation_split": 0.25}, {"sample_weight": np.linspace(0, 2, 64)},
        {"class_weight": {0: 0.5, 1: 2.0, 2: 1.0}, "validation_split": 0.3})):  # fmt: skip
    for labels in (y, np.eye(3, dtype="float32")[y]):
        ours, theirs = (dense(k.optimizers.SGD(0.1), metrics=["accuracy"]) for _ in range(2))
        if labels.ndim == 2:
            for model in (ours, theirs):
                model.compile(k.optimizers.SGD(0.1), k.losses.CategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
        theirs.set_weights(ours.get_weights())
        where = f"fit-{number}-{labels.ndim}"
        trainer = ingot.compile(ours, x, labels, where, shuffle=False, batch_size=16, **options)
        history = trainer.fit(epochs=3, model_dir=f"{where}-run", verbose=False).history
        expected = theirs.fit(x, labels, shuffle=False, batch_size=16, epochs=3, verbose=0, **options).history
        assert sorted(history) == sorted(expected), (sorted(history), sorted(expected))
        for name, values in expected.items():
            close(history[name], values, 1e-4)

# What is wrong is said at the line of the script.
for words, call in {
        "no_such_option": lambda: ingot.compile(dense("sgd"), x, y, "no", no_such_option=1),
        "validation_split": lambda: ingot.compile(dense("sgd"), tf.data.Dataset.from_tensor_slices((x, y)).batch(8), "no", validation_split=0.1),
        "exclude": lambda: ingot.compile(dense("sgd"), x, y, "no", validation_split=0.1, validation_data=(x, y)),
        "class_weight": lambda: ingot.compile(dense("sgd"), x, output="no", class_weight={0: 1.0}),
        "x, y": lambda: ingot.compile(dense("sgd"), x, y, y, "no"),
        "Invalid dtype|string|convert": lambda: ingot.compile(dense("sgd"), np.array([["a"] * 6] * 8), y[:8], "no")}.items():  # fmt: skip
    try:
        call()
        raise AssertionError(f"compiled: {words}")
    except ingot.Error as error:
        assert any(word in str(error) for word in words.split("|")) and "loading.py:" in str(error), error
print("passed")
