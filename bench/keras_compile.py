#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long ingotc compiles what Python exports: the small CNN of docs/guide/from-python.md, and a DNNLinearCombinedClassifier
where TensorFlow has Estimators.

    keras_compile.py [--ingotc-bin build/bin] [--rounds N] [--figures FILE]

Each graph is compiled into an empty cache, compiled again, and then once more as a second process exports it, with other
initial values. Prints wall and CPU seconds, medians of the rounds; FILE gets them as JSON, of which
bench/keras_page.py makes a table.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from keras_fits import ROOT, seconds


def small_cnn(tf, folder):
    """The model and the pipeline of images from records."""
    import numpy as np

    rng = np.random.RandomState(0)
    path = os.path.join(folder, "images.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for label in rng.randint(3, size=120):
            image = (rng.randint(0, 100, (20, 24, 3)) + 50 * label).astype("uint8")
            features = {"image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[tf.io.encode_jpeg(image).numpy()])),
                        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label]))}  # fmt: skip
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())

    def parse(record):
        found = tf.io.parse_single_example(record, {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)})
        return tf.image.resize(tf.io.decode_jpeg(found["image"], channels=3), [16, 16]), found["label"]

    data = tf.data.TFRecordDataset([path]).map(parse).shuffle(100, seed=2).batch(20).prefetch(1)
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Input((16, 16, 3)), layers.Rescaling(1 / 255), layers.RandomFlip("horizontal"), layers.RandomRotation(0.05),
        layers.Conv2D(8, 3, activation="relu"), layers.GlobalAveragePooling2D(), layers.Dense(3)])  # fmt: skip
    model.compile(tf.keras.optimizers.Adam(0.03), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    return model, data, {"steps_per_epoch": 6}


def wide_and_deep(tf, folder):
    """A DNNLinearCombinedClassifier of a number, categories and a hashed word, with an evaluation."""

    def input_fn():
        features = {"age": [20.0, 30.0, 50.0, 70.0], "hours": [10.0, 40.0, 38.0, 20.0], "kind": ["a", "b", "c", "a"], "place": ["x", "y", "z", "w"]}
        return tf.data.Dataset.from_tensor_slices((features, [0, 0, 1, 1])).repeat().batch(4)

    columns = tf.feature_column
    kind = columns.categorical_column_with_vocabulary_list("kind", ["a", "b", "c"])
    place = columns.categorical_column_with_hash_bucket("place", 50)
    age = columns.bucketized_column(columns.numeric_column("age"), [25, 45, 65])
    estimator = tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=[kind, place, age, columns.crossed_column(["kind", "place"], 100)],
        dnn_feature_columns=[columns.numeric_column("hours"), columns.indicator_column(kind), columns.embedding_column(place, 8)],
        dnn_hidden_units=[64, 32])  # fmt: skip
    return estimator, input_fn, {"validation_data": lambda: input_fn().take(2)}


MODELS = {"the small CNN of from-python.md": small_cnn, "DNNLinearCombinedClassifier": wide_and_deep}


def export(name, folder):
    """Exports a model to FOLDER/trainer.meta."""
    import ingot
    import tensorflow as tf

    source, data, options = MODELS[name](tf, folder)
    ingot.export(source, data, os.path.join(folder, "trainer.meta"), **options)


def measure(name, ingotc, folder):
    """Wall and CPU seconds of the first compilation, of the same one again, and of that of a second process's export."""
    command = [ingotc, os.path.join(folder, "trainer.meta"), "-o", os.path.join(folder, "trainer"), "--cpu=native",
               "--cache-dir", os.path.join(folder, "cache")]  # fmt: skip
    found = []
    for is_exported in (True, False, True):
        if is_exported:
            subprocess.run([sys.executable, __file__, "--export", name, folder], check=True, stderr=subprocess.DEVNULL)
        found.append(seconds(lambda: subprocess.run(command, check=True, stderr=subprocess.DEVNULL))[1:])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ingotc-bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--figures", metavar="FILE", help="append a line of JSON for each graph")
    parser.add_argument("--export", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.setdefault("INGOT_BIN", str(options.ingotc_bin.resolve()))
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.path.insert(0, str(ROOT / "tools" / "python"))
    if options.export:
        return export(*options.export)
    import keras_page
    import tensorflow as tf

    print("\n".join(keras_page.COMPILE_HEAD))
    for name in MODELS:
        if MODELS[name] is wide_and_deep and not hasattr(tf, "estimator"):
            continue
        rounds, loads = [], []
        for _ in range(options.rounds):
            folder = tempfile.mkdtemp()
            loads.append(os.getloadavg()[0])
            rounds.append(measure(name, options.ingotc_bin / "ingotc", folder))
            shutil.rmtree(folder)
        parts = [[statistics.median(one[part][kind] for one in rounds) for kind in (0, 1)] for part in range(3)]
        line = {"kind": "compile", "keras": keras_page.version(tf.keras), "model": name, "rounds": options.rounds, "load": statistics.mean(loads),
                **dict(zip(("first", "again", "other"), parts))}  # fmt: skip
        print(keras_page.compile_row(line), flush=True)
        if options.figures:
            with open(options.figures, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
    return None


if __name__ == "__main__":
    main()
