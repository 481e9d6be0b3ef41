"""What these scripts share: data, and a network with what trainings have."""
import numpy as np
import tensorflow as tf

k = tf.keras


def examples(count=100, features=6, classes=4, seed=0):
    rng = np.random.RandomState(seed)
    return rng.normal(size=(count, features)).astype(np.float32), rng.randint(0, classes, size=count)


def classifier():
    """The same numbers in every process."""
    k.utils.set_random_seed(1)
    model = k.Sequential([
        k.layers.Input((6,)),
        k.layers.Dense(16, activation="tanh", kernel_regularizer=k.regularizers.l2(0.01)),
        k.layers.BatchNormalization(),
        k.layers.Dropout(0.3, seed=5),
        k.layers.Dense(4)])  # fmt: skip
    schedule = k.optimizers.schedules.ExponentialDecay(0.01, 10, 0.9)
    model.compile(k.optimizers.Adam(schedule, clipnorm=1.0),
                  k.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])  # fmt: skip
    return model


def keras_losses(model, batches, steps):
    """The loss of each step as Keras has it, which fit tells of epochs. `batches` have no end."""
    return np.array(model.fit(batches, steps_per_epoch=1, epochs=steps, verbose=0).history["loss"], np.float64)


def close(a, b, bound):
    difference = float(np.max(np.abs(np.asarray(a, np.float64) - np.asarray(b, np.float64))))
    assert difference <= bound, f"{difference} > {bound}\n{a}\n{b}"
