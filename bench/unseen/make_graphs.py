# SPDX-License-Identifier: Apache-2.0
"""Writes graphs of the models of models.py with TensorFlow 2.15's graph mode. Usage: make_graphs.py FOLDER [MODEL...]

A graph has its batch as a constant that a dataset repeats. Such files are large, and not kept.
"""
import pathlib
import sys

import tensorflow.compat.v1 as tf

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from unseen import models, tensorflow_images, tensorflow_optimizers, tensorflow_sequences, tensorflow_tables  # noqa: E402

tf.logging.set_verbosity(tf.logging.ERROR)
tf.disable_v2_behavior()
tf.enable_v2_tensorshape()
NETWORKS = {**vars(tensorflow_tables), **vars(tensorflow_images), **vars(tensorflow_sequences)}


def repeated(batch):
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.from_tensors(batch).repeat())
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return iterator.get_next()


def write(name, folder):
    spec = models.MODELS[name]
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        made = NETWORKS[spec["kind"]](repeated(models.batch_of(spec)), spec)
        loss, train = made if isinstance(made, tuple) else (made, tensorflow_optimizers.trained(made, spec))
        # Each optimizer has added its own part of the step.
        tf.get_collection_ref(tf.GraphKeys.TRAIN_OP)[:] = [train]
        tf.add_to_collection("loss", loss)
        scaffold = tf.train.Scaffold(saver=tf.train.Saver(sharded=True))
        scaffold.finalize()
        scaffold.saver.export_meta_graph(str(folder / f"{name}.meta"))


for wanted in sys.argv[2:] or models.MODELS:
    write(wanted, pathlib.Path(sys.argv[1]))
