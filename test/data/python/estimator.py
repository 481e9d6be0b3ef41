# SPDX-License-Identifier: Apache-2.0
"""Estimators: the losses of their own training, and on one checkpoint the same evaluation and predictions."""
import json

import ingot
import numpy as np
import tensorflow as tf
from common import close

v1 = tf.compat.v1
rng = np.random.RandomState(1)
age, job = rng.uniform(18, 80, size=200).astype("f"), rng.choice(["clerk", "pilot", "smith"], size=200)
label = ((age > 40) != (job == "pilot")).astype("int64")


def train_fn():
    data = tf.data.Dataset.from_tensor_slices(({"age": age, "job": job}, label))
    return data.shuffle(200, seed=1).repeat().batch(32)


def eval_fn():
    return tf.data.Dataset.from_tensor_slices(({"age": age[:70], "job": job[:70]}, label[:70])).batch(32)


def serving_fn():
    features = {"age": v1.placeholder(tf.float32, [None], name="age"), "job": v1.placeholder(tf.string, [None], name="job")}
    return tf.estimator.export.ServingInputReceiver(features, features)


class Losses(tf.estimator.SessionRunHook):
    def __init__(self):
        self.values = []

    def before_run(self, context):
        return tf.estimator.SessionRunArgs(context.original_args.fetches[1])

    def after_run(self, context, values):
        self.values.append(float(values.results))


def canned():
    column = tf.feature_column
    jobs = column.categorical_column_with_vocabulary_list("job", ["clerk", "pilot", "smith"])
    return tf.estimator.DNNClassifier(
        [8, 4], [column.numeric_column("age", normalizer_fn=lambda x: (x - 45.0) / 20.0), column.embedding_column(jobs, 3)],
        optimizer=tf.keras.optimizers.legacy.Adam(), config=tf.estimator.RunConfig(tf_random_seed=5))  # fmt: skip


def model_fn(features, labels, mode):
    h = v1.layers.dense(tf.stack([(features["age"] - 45.0) / 20.0, tf.cast(tf.equal(features["job"], "pilot"), tf.float32)], 1), 8, tf.nn.tanh)
    h = v1.layers.batch_normalization(h, training=mode == "train")
    logits = v1.layers.dense(v1.layers.dropout(h, 0.2, training=mode == "train", seed=3), 2)
    predictions = {"probabilities": tf.nn.softmax(logits)}
    if mode == "infer":
        return tf.estimator.EstimatorSpec(mode, predictions)
    loss = v1.losses.sparse_softmax_cross_entropy(labels, logits)
    metrics = {"accuracy": v1.metrics.accuracy(labels, tf.argmax(logits, 1))}
    with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
        train_op = v1.train.AdamOptimizer(0.02).minimize(loss, v1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, predictions, loss, train_op, metrics)


def custom():
    return tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig(tf_random_seed=5))


def run(make):
    # Layers of Keras draw their seeds in Python.
    tf.keras.utils.set_random_seed(7)
    estimator, hook, name = make(), Losses(), make.__name__
    estimator.train(train_fn, hooks=[hook], max_steps=30)
    tf.keras.utils.set_random_seed(7)
    ingot.export(make(), train_fn, f"{name}.meta", validation_data=eval_fn, serving_input_receiver_fn=serving_fn)
    trainer = ingot.compile(f"{name}.meta")
    trainer.fit(max_steps=30, model_dir=f"{name}-run", losses=f"{name}.jsonl", verbose=False)
    ours = [json.loads(line)["loss"] for line in open(f"{name}.jsonl")]
    close(ours, hook.values, 1e-4)

    prefix = trainer.checkpoint().prefix
    theirs, found = estimator.evaluate(eval_fn, checkpoint_path=prefix), trainer.evaluate()
    assert sorted(found) == sorted(theirs), (found, theirs)
    for metric, value in found.items():
        close(value, theirs[metric], 1e-5)
    assert {"accuracy", "loss"} <= set(found), found
    inputs = {"age": age[:9], "job": job[:9].astype("S")}
    predict = lambda: tf.data.Dataset.from_tensor_slices(({"age": age[:9], "job": job[:9]},)).batch(9).map(lambda one: one)
    expected = [one["probabilities"] for one in estimator.predict(predict, checkpoint_path=prefix)]
    entry = "predict" if trainer._entry("predict") else "serving_default"
    given = trainer.predict(inputs, entry=entry)
    close(given["probabilities"] if isinstance(given, dict) else given, expected, 1e-5)

    # Ingot exports the same serving model as Estimator.
    trainer.export(f"{name}-exported")
    theirs = estimator.export_saved_model(f"{name}-theirs", serving_fn, checkpoint_path=prefix)
    served = [serve(folder, entry, inputs)["probabilities"] for folder in (f"{name}-exported", theirs.decode())]
    close(served[0], served[1], 1e-5)
    close(served[0], expected, 1e-5)


def serve(folder, entry, inputs):
    signatures = tf.saved_model.load(folder).signatures
    found = signatures[entry if entry in signatures else "serving_default"]
    return found(**{key: tf.constant(value) for key, value in inputs.items()})


run(custom)
run(canned)
print("passed")
