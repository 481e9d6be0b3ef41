# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's own steps a second on a MetaGraphDef: one session.run of the train
op and the loss a step. Usage: tensorflow_session.py GRAPH WINDOW_SECONDS WINDOWS"""
import sys

import tensorflow.compat.v1 as tf

from peers.timing import report

tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
graph, window_seconds, windows = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
tf.train.import_meta_graph(graph)
session = tf.Session()
session.run(tf.get_collection("init_op"))
session.run(tf.get_collection("local_init_op"))
wanted = [tf.get_collection(tf.GraphKeys.TRAIN_OP)[0]]
wanted += (tf.get_collection("loss") or tf.get_collection("losses"))[:1]
step = session.make_callable(wanted)

report(lambda: step()[-1], window_seconds, windows)
