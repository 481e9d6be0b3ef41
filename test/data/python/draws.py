# SPDX-License-Identifier: Apache-2.0
"""Keras models with 2 to 8 layers that draw random numbers, from a generator with a seed: losses of ten steps.

draws.py [SEED...]: without seeds, a few. A session runs the graph that the trainer is compiled from.
"""
import json
import os
import random
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import ingot
import keras
import numpy as np
import tensorflow as tf
from common import close
from tensorflow.core.protobuf import meta_graph_pb2

v1, layers = tf.compat.v1, tf.keras.layers
KERAS3 = keras.__version__.startswith("3")
RECURRENT = (layers.LSTM, layers.GRU, layers.SimpleRNN)


def draws(choose, x):
    """A layer that draws, on `x`."""
    rate, rank = round(choose.uniform(0.05, 0.5), 2), len(x.shape)
    seed = {"seed": choose.randint(1, 9999)} if choose.random() < 0.4 else {}
    kinds = [lambda: layers.Dropout(rate, **seed), lambda: layers.GaussianNoise(rate, **seed),
             lambda: layers.GaussianDropout(rate, **seed), lambda: layers.AlphaDropout(rate, **seed),
             lambda: layers.Dropout(rate, noise_shape=(None,) + (1,) * (rank - 2) + (x.shape[-1],), **seed)]  # fmt: skip
    kinds += {3: [lambda: layers.SpatialDropout1D(rate)], 4: [lambda: layers.SpatialDropout2D(rate)]}.get(rank, [])
    return choose.choice(kinds)()(x)


def make(seed):
    choose = random.Random(seed)
    kind, left = choose.choice(("rows", "images", "sequences", "words", "attention")), choose.randint(2, 8)
    shape = {"rows": (17,), "images": (8, 8, 3), "words": (7,)}.get(kind, (6, 8))
    first = x = layers.Input(shape, dtype="int32" if kind == "words" else "float32")

    def some(x, most):
        nonlocal left
        for _ in range(min(left, choose.randint(1, most))):
            x, left = draws(choose, x), left - 1
        return x

    if kind == "images":
        x = some(layers.Conv2D(6, 3, activation="relu")(x), 3)
        x = layers.Flatten()(some(layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(x)), 2))
    elif kind != "rows":
        if kind == "words":
            x = some(layers.Embedding(50, 8)(x), 2)
        if kind == "attention":
            x = layers.LayerNormalization()(x + some(layers.MultiHeadAttention(2, 4, dropout=0.2)(x, x), 2))
        else:
            more = {"seed": choose.randint(1, 99)} if KERAS3 else {}
            x = choose.choice(RECURRENT)(5, dropout=0.3, recurrent_dropout=0.2, return_sequences=True, **more)(x)
        x = choose.choice((layers.Flatten, layers.GlobalAveragePooling1D))()(some(x, 2))
    while left:
        x = some(layers.Dense(16, choose.choice(("relu", "tanh", "gelu")))(x), 3)
    model = tf.keras.Model(first, layers.Dense(3)(x))
    optimizer = choose.choice((tf.keras.optimizers.SGD(0.05), tf.keras.optimizers.Adam(0.003)))
    model.compile(optimizer, tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    numbers, batch = np.random.RandomState(seed), choose.choice((20, 32, 48))
    x = numbers.randint(0, 50, (3 * batch + batch // 2, *shape)) if kind == "words" else numbers.normal(size=(3 * batch + batch // 2, *shape))
    data = tf.data.Dataset.from_tensor_slices((x.astype("int32" if kind == "words" else "float32"), numbers.randint(0, 3, len(x))))
    data = data.repeat().batch(batch, drop_remainder=True) if choose.random() < 0.5 else data.batch(batch).repeat()
    return model, data


def session_losses(path, steps):
    """Runs loops with parallel_iterations=1: concurrent iterations would draw random numbers in any order."""
    meta = meta_graph_pb2.MetaGraphDef()
    with open(path, "rb") as file:
        meta.ParseFromString(file.read())
    for node in [*meta.graph_def.node, *(node for function in meta.graph_def.library.function for node in function.node_def)]:
        if "parallel_iterations" in node.attr:
            node.attr["parallel_iterations"].i = 1
    with tf.Graph().as_default():
        v1.train.import_meta_graph(meta)
        with v1.Session() as session:
            for collection in ("init_op", "local_init_op", "table_initializer"):
                session.run(v1.get_collection(collection))
            (loss,), step = v1.get_collection("loss"), v1.get_collection("train_op")
            return [float(session.run([loss, step])[0]) for _ in range(steps)]


for seed in map(int, sys.argv[1:] or (1, 2, 4, 9, 12, 17)):
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(seed + 1)
    ingot.export(*make(seed), f"{seed}.meta", steps_per_epoch=10)
    trainer = ingot.compile(f"{seed}.meta", output=f"trainer{seed}")
    trainer.fit(max_steps=10, model_dir=f"run{seed}", losses=f"{seed}.jsonl", verbose=False)
    close([json.loads(line)["loss"] for line in open(f"{seed}.jsonl")], session_losses(f"{seed}.meta", 10), 1e-5)
    print(f"{seed}: losses are TensorFlow's", flush=True)
print("passed")
