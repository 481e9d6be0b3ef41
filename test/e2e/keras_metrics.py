# SPDX-License-Identifier: Apache-2.0
"""Computes metrics with TensorFlow: reads a list of JSON objects from stdin, and prints one for each.

An object: `labels`, `predictions` (a row an example), `weights` (a number an example, or null), `batch`, and `metrics`: for each
name the class in tf.keras.metrics (or the function in tf.compat.v1.metrics, if it begins with "v1.") and its arguments.
"""
import json
import sys

import numpy as np
import tensorflow as tf


def cut(given, size):
    for begin in range(0, len(given["labels"]), size):
        yield [
            None if given[key] is None else np.array(given[key][begin : begin + size], np.float32)
            for key in ("labels", "predictions", "weights")
        ]


def of_keras(name, arguments, given):
    shape = arguments.pop("weights", "row")
    metric = getattr(tf.keras.metrics, name)(**arguments)
    for labels, predictions, weights in cut(given, given["batch"]):
        if weights is not None and shape == "row":
            weights = weights[:, None]
        elif weights is not None and shape == "element":
            weights = np.repeat(weights[:, None], labels.shape[1], axis=1)
        metric.update_state(labels, predictions, sample_weight=weights)
    return np.array(metric.result()).tolist()


def of_v1(name, arguments, given):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        width = len(given["labels"][0])
        labels, predictions = (tf.compat.v1.placeholder(tf.float32, [None, width]) for _ in range(2))
        weights = None if given["weights"] is None else tf.compat.v1.placeholder(tf.float32, [None])
        call = getattr(tf.compat.v1.metrics, name)
        if name == "percentage_below":
            value, update = call(predictions, weights=None if weights is None else weights[:, None], **arguments)
        else:
            value, update = call(tf.argmax(labels, 1), tf.argmax(predictions, 1), weights=weights, **arguments)
        session.run(tf.compat.v1.local_variables_initializer())
        for of_labels, of_predictions, of_weights in cut(given, given["batch"]):
            feeds = {labels: of_labels, predictions: of_predictions}
            if weights is not None:
                feeds[weights] = of_weights
            session.run(update, feeds)
        return float(session.run(value))


print(json.dumps([
    {
        key: of_v1(name[3:], arguments, given) if name.startswith("v1.") else of_keras(name, arguments, given)
        for key, (name, arguments) in given["metrics"].items()
    }
    for given in json.load(sys.stdin)
]))  # fmt: skip
