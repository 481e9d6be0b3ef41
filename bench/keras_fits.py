#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten Keras models: the time until five epochs are trained, by Keras's fit and by a trainer that is exported, compiled and run.

    keras_fits.py [--ingotc-bin build/bin] [--examples N] [--rounds N] [--figures FILE] [MODEL ..]

Needs a Python with TensorFlow. Prints a row of Markdown for each model: wall and CPU seconds of both, and of the trainer's
parts, medians of the rounds, and the machine's load. FILE gets them as JSON, of which bench/keras_page.py makes a table.
The compiler uses no cache, and TensorFlow's import counts for neither.
"""
import argparse
import json
import os
import pathlib
import resource
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
EPOCHS, BATCH = 5, 32


def models(k):
    """The models: (shape of an example, number of ids or None, number of classes or None, layers) by name."""
    layers = k.layers

    def attend(x):
        h = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
        return layers.LayerNormalization()(h + layers.Dense(32)(layers.Dense(64, "relu")(h)))

    def residual(x):
        h = layers.Conv2D(16, 3, padding="same", activation="relu")(x)
        for _ in range(3):
            h = layers.Activation("relu")(h + layers.BatchNormalization()(layers.Conv2D(16, 3, padding="same")(h)))
        return layers.GlobalAveragePooling2D()(h)

    return {
        "regression": ((20,), None, None, [layers.Dense(64, "relu"), layers.Dense(64, "relu")]),
        "digits, dense": ((28, 28), None, 10, [layers.Flatten(), layers.Dense(128, "relu"), layers.Dropout(0.2)]),
        "digits, convolutions": ((28, 28, 1), None, 10, [layers.Conv2D(16, 3, activation="relu"), layers.MaxPooling2D(),
                                                        layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(), layers.Dropout(0.3)]),
        "residual network": ((16, 16, 3), None, 10, residual),
        "separable network": ((24, 24, 3), None, 10, [layers.SeparableConv2D(16, 3, activation="relu"), layers.BatchNormalization(), layers.MaxPooling2D(),
                                                     layers.SeparableConv2D(32, 3, activation="relu"), layers.GlobalAveragePooling2D()]),
        "bag of words": ((40,), 5000, 2, [layers.Embedding(5000, 16), layers.GlobalAveragePooling1D(), layers.Dense(16, "relu")]),
        "LSTM": ((40,), 5000, 2, [layers.Embedding(5000, 16), layers.LSTM(32)]),
        "GRU, both directions": ((30, 8), None, 5, [layers.Bidirectional(layers.GRU(24))]),
        "transformer": ((24,), 2000, 4, [layers.Embedding(2000, 32), attend, layers.GlobalAveragePooling1D()]),
        "time series": ((64, 4), None, None, [layers.Conv1D(32, 5, activation="relu"), layers.MaxPooling1D(), layers.Conv1D(32, 5, activation="relu"),
                                              layers.GlobalAveragePooling1D()]),
    }  # fmt: skip


def make(k, shape, ids, classes, layers):
    k.utils.set_random_seed(1)
    inputs = k.layers.Input(shape, dtype="int32" if ids else "float32")
    h = inputs
    for layer in layers if isinstance(layers, list) else [layers]:
        h = layer(h)
    model = k.Model(inputs, k.layers.Dense(classes or 1)(h))
    model.compile(k.optimizers.Adam(0.001), k.losses.SparseCategoricalCrossentropy(from_logits=True) if classes else "mse",
                  metrics=["accuracy"] if classes else ["mae"])  # fmt: skip
    return model


def seconds(run):
    """Wall and CPU seconds of a call, with those of its child processes."""

    def used():
        found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in found)

    began, before = time.monotonic(), used()
    result = run()
    return result, time.monotonic() - began, used() - before


def fit_in_keras(k, name, x, y):
    model = make(k, *models(k)[name])
    return seconds(lambda: model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, verbose=0))[1:]


def fit_by_trainer(k, ingot, name, x, y, folder):
    """Wall and CPU seconds of the parts: export, compilation, and five epochs."""
    model, path = make(k, *models(k)[name]), os.path.join(folder, "trainer")
    _, *exporting = seconds(lambda: ingot.export(model, (x, y), path + ".meta", batch_size=BATCH))
    trainer, *compiling = seconds(lambda: ingot.compile(path + ".meta", output=path, flags=["--no-cache"]))
    _, *training = seconds(lambda: trainer.fit(epochs=EPOCHS, model_dir=os.path.join(folder, "run"), verbose=False))
    return exporting, compiling, training


def compare(k, ingot, name, options):
    """The medians of rounds, in each of which the two take turns: who begins alternates, too."""
    import numpy as np

    shape, ids, classes, _ = models(k)[name]
    rng, examples = np.random.RandomState(0), options.examples
    x = rng.randint(0, ids, size=(examples, *shape)).astype("int32") if ids else rng.normal(size=(examples, *shape)).astype("float32")
    y = rng.randint(0, classes, size=examples) if classes else rng.normal(size=(examples, 1)).astype("float32")
    theirs, ours, loads = [], [], []
    for turn in range(2 * options.rounds):
        k.backend.clear_session()
        loads.append(os.getloadavg()[0])
        if turn % 4 in (0, 3):
            theirs.append(fit_in_keras(k, name, x, y))
        else:
            with tempfile.TemporaryDirectory() as folder:
                ours.append(fit_by_trainer(k, ingot, name, x, y, folder))
    parts = np.median(np.array(ours), axis=0)
    whole = np.median(np.sum(np.array(ours), axis=1), axis=0)
    return {"keras_seconds": np.median(theirs, axis=0).tolist(), "seconds": whole.tolist(), "load": float(np.mean(loads)),
            **{name: one.tolist() for name, one in zip(("export", "compile", "train"), parts)}}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ingotc-bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--examples", type=int, default=8000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--figures", metavar="FILE", help="append a line of JSON for each model")
    parser.add_argument("models", nargs="*", metavar="MODEL")
    options = parser.parse_args()
    os.environ.setdefault("INGOT_BIN", str(options.ingotc_bin.resolve()))
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.path.insert(0, str(ROOT / "tools" / "python"))
    import ingot
    import keras_page
    import tensorflow as tf

    k = tf.keras
    print("\n".join(keras_page.FITS_HEAD))
    for name in models(k):
        if options.models and name not in options.models:
            continue
        line = {"kind": "fit", "keras": keras_page.version(k), "model": name, "examples": options.examples,
                "rounds": options.rounds, "processors": os.cpu_count(), **compare(k, ingot, name, options)}  # fmt: skip
        print(keras_page.fit_row(line), flush=True)
        if options.figures:
            with open(options.figures, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
