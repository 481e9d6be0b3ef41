#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes bagging.meta.xz: an adanet.AutoEnsembleEstimator of two linear models, one of which has training data of its own.

    PYTHON make_bagging.py FILE    (PYTHON has TensorFlow 2.15 and adanet 0.9.0)
"""
import lzma
import pathlib
import sys
import tempfile
import types

import tensorflow as tf
from tensorflow.python.checkpoint import graph_view

# adanet 0.9.0 looks for a module where TensorFlow 2.3 had it.
moved = types.ModuleType("tensorflow.python.training.tracking")
moved.graph_view = graph_view
sys.modules["tensorflow.python.training.tracking"] = moved
import adanet  # noqa: E402

tf.compat.v1.logging.set_verbosity("ERROR")


def data(sign):
    return lambda: tf.data.Dataset.from_tensors(({"x": [[1.0], [2.0]]}, [[sign], [-sign]])).repeat()


def main():
    columns = [tf.feature_column.numeric_column("x")]
    head = tf.estimator.RegressionHead()
    pool = {"own": adanet.AutoEnsembleSubestimator(tf.estimator.LinearEstimator(head, columns), train_input_fn=data(-1.0)),
            "plain": tf.estimator.LinearEstimator(head, columns)}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        estimator = adanet.AutoEnsembleEstimator(head=head, candidate_pool=pool, max_iteration_steps=1, model_dir=folder)
        estimator.train(data(1.0), max_steps=1)
        graph = (pathlib.Path(folder) / "model.ckpt-0.meta").read_bytes()
    pathlib.Path(sys.argv[1]).write_bytes(lzma.compress(graph, preset=9 | lzma.PRESET_EXTREME))


main()
