# SPDX-License-Identifier: Apache-2.0
"""Training steps of Keras models on JAX, as `jax.jit` lowers them and as `ingot.jax` traces them, train as in Keras."""
import json
import os
import subprocess

os.environ["KERAS_BACKEND"] = "jax"

import ingot.jax
import jax
import keras
import numpy as np

COUNT, SIZE, STEPS = 200, 20, 10
RNG = np.random.RandomState(0)
IMAGES, WORDS = RNG.normal(size=(COUNT, 12, 12, 3)).astype(np.float32), RNG.randint(0, 50, (COUNT, 20)).astype(np.int32)
LABELS = RNG.randint(0, 3, COUNT).astype(np.int32)
layers = keras.layers


def convolutions():
    """With dropout, normalization whose means are state, a schedule, clipping, and means of weights."""
    model = keras.Sequential([keras.Input((12, 12, 3)), layers.Conv2D(8, 3, activation="relu"), layers.BatchNormalization(), layers.MaxPooling2D(),
                              layers.DepthwiseConv2D(3, padding="same"), layers.GlobalAveragePooling2D(), layers.Dropout(0.3, seed=2), layers.Dense(3)])  # fmt: skip
    schedule = keras.optimizers.schedules.CosineDecay(1e-2, 100)
    return model, IMAGES, keras.optimizers.AdamW(schedule, clipnorm=1.0, weight_decay=0.01, use_ema=True, ema_overwrite_frequency=4)


def recurrent():
    model = keras.Sequential([keras.Input((20,), dtype="int32"), layers.Embedding(50, 16), layers.LSTM(24, return_sequences=True, dropout=0.1, seed=3),
                              layers.GRU(16), layers.Dense(3)])  # fmt: skip
    return model, WORDS, keras.optimizers.RMSprop(1e-3)


def attention():
    words = keras.Input((20,), dtype="int32")
    rows = layers.Embedding(50, 16)(words)
    rows = layers.LayerNormalization()(rows + layers.MultiHeadAttention(2, 8, dropout=0.1, seed=4)(rows, rows, use_causal_mask=True))
    rows = layers.LayerNormalization()(rows + layers.Dense(16, activation="gelu")(rows))
    return keras.Model(words, layers.Dense(3)(layers.GlobalMaxPooling1D()(rows))), WORDS, keras.optimizers.Adam(1e-2, gradient_accumulation_steps=2)


def path_of(path):
    return jax.tree_util.keystr(path, simple=True, separator="/")


def lowered(step, state, x, name):
    """The trainer of the step's StableHLO."""
    text = jax.jit(step, keep_unused=True).lower(state, (x[:SIZE], LABELS[:SIZE])).as_text(debug_info=True)
    values = {path_of(path): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(state)}
    outputs = [path_of(path) for path, _ in jax.tree_util.tree_leaves_with_path(jax.eval_shape(step, state, (x[:SIZE], LABELS[:SIZE]))[1])]
    roles = {"state": list(values), "initial": f"{name}.npz", "batch": ["x", "y"], "outputs": outputs,
             "data": {"arrays": [f"{name}.x.npy", f"{name}.y.npy"], "shuffle": False}}  # fmt: skip
    with open(f"{name}.mlir", "w") as file:
        file.write(text)
    with open(f"{name}.json", "w") as file:
        json.dump(roles, file)
    np.savez(f"{name}.npz", **values)
    np.save(f"{name}.x.npy", x)
    np.save(f"{name}.y.npy", LABELS)
    subprocess.run(["ingotc", f"{name}.mlir", "-o", name], check=True, stderr=subprocess.DEVNULL)
    return name


def losses(trainer):
    subprocess.run([f"./{trainer}", "--model-dir", f"{trainer}-run", "--max-steps", str(STEPS), "--losses", f"{trainer}.jsonl", "--quiet"], check=True)
    return [json.loads(line)["loss"] for line in open(f"{trainer}.jsonl")]


def main():
    for build in (convolutions, recurrent, attention):
        name = build.__name__
        keras.utils.set_random_seed(0)
        model, x, optimizer = build()
        model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
        optimizer.build(model.trainable_variables)
        model.evaluate(x[:SIZE], LABELS[:SIZE], verbose=0)  # makes the metrics' variables
        model.reset_metrics()
        parts = (model.trainable_variables, model.non_trainable_variables, optimizer.variables, model.metrics_variables)
        state = tuple([variable.value for variable in part] for part in parts)

        def step(state, batch, model=model):
            metrics, state = model.train_step(state, batch)
            return state, metrics

        found = [losses(lowered(step, state, x, name))]
        ingot.jax.compile(step, state, (x, LABELS), f"{name}-traced", batch_size=SIZE, shuffle=False)
        found.append(losses(f"{name}-traced"))
        jitted, expected = jax.jit(step), []
        for number in range(STEPS):
            begin = number * SIZE % COUNT
            state, metrics = jitted(state, (x[begin : begin + SIZE], LABELS[begin : begin + SIZE]))
            expected.append(float(metrics["loss"]))
        for one in found:
            assert len(one) == STEPS and np.allclose(one, expected, atol=1e-5), (name, one, expected)
    print("passed")


main()
