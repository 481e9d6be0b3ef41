# SPDX-License-Identifier: Apache-2.0
"""Shared by these scripts: data, and a network with the parts of typical trainings."""
import numpy as np
import tensorflow as tf

k = tf.keras
KERAS = getattr(k, "__version__", None) or __import__("keras").__version__  # Keras 2 does not say it in tf.keras.


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
    """Keras's loss of each step, by an epoch per step, as fit reports epochs. `batches` are endless."""
    return np.array(model.fit(batches, steps_per_epoch=1, epochs=steps, verbose=0).history["loss"], np.float64)


def close(a, b, bound):
    difference = float(np.max(np.abs(np.asarray(a, np.float64) - np.asarray(b, np.float64))))
    assert difference <= bound, f"{difference} > {bound}\n{a}\n{b}"


def trains_as_in_keras(model, data, name, steps=12, bound=1e-4, losses_too=True, predicts=True):
    """Trains a model in Ingot and then in Keras: the same losses, and predictions. The model has its weights back as they
    were in between."""
    import json

    import ingot

    arrays = not isinstance(data, tf.data.Dataset)
    weights = model.get_weights()
    trainer = ingot.compile(model, data, name, steps_per_epoch=1, **({"shuffle": False, "batch_size": 16} if arrays else {}))
    trainer.fit(max_steps=steps, model_dir=f"{name}-run", losses=f"{name}.jsonl", verbose=False)
    ours = [json.loads(line)["loss"] for line in open(f"{name}.jsonl")]
    assert len(ours) == steps and np.all(np.isfinite(ours)), ours
    assert all(np.array_equal(a, b) for a, b in zip(weights, model.get_weights())), "exporting changed the model"
    if not losses_too:
        return
    if arrays:
        as_keras = tf.nest.map_structure(lambda a: a.astype("f") if a.dtype == np.float64 else a, data)
        data = tf.data.Dataset.from_tensor_slices(as_keras).batch(16)
    # Each pass over a shuffled pipeline gives another order.
    close(ours, keras_losses(model, data.repeat(), steps), bound)
    if not predicts:
        return
    x = as_keras[0] if arrays else tf.nest.map_structure(lambda tensor: tensor.numpy(), next(iter(data))[0])
    theirs = tf.nest.flatten(model.predict(tf.nest.map_structure(tf.constant, x), verbose=0))
    found = trainer.predict(x)
    found = list(found.values()) if isinstance(found, dict) else [found]
    for one, other in zip(sorted(found, key=lambda a: a.shape), sorted(theirs, key=lambda a: a.shape)):
        close(one, other, 10 * bound if bound > 1e-4 else bound)
