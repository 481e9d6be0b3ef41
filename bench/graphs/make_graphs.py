# SPDX-License-Identifier: Apache-2.0
"""Writes the graphs of the recurrent network, the transformer block, the residual
network and the embedding classifier with TensorFlow 2.15's graph mode:
lstm.meta, transformer.meta, resnet-20.meta and embedding.meta beside this file,
and those of the models that fill a GPU in large/, which are not in the repository.

What they are is said in numbers by ../models.py, from which the peers build the
same models.
"""
import pathlib
import sys

import tensorflow.compat.v1 as tf

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
import models  # noqa: E402

tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)


def mlp(x, spec):
    for number, width in enumerate(spec["hidden"]):
        x = tf.layers.dense(x, width, tf.nn.relu, name=f"hidden{number + 1}")
    return tf.layers.dense(x, spec["classes"], name="logits")


def conv(x, spec):
    for number, channels in enumerate(spec["channels"]):
        x = tf.layers.conv2d(x, channels, 3, 1, "same", activation=tf.nn.relu, name=f"conv{number + 1}")
        x = tf.layers.max_pooling2d(x, 2, 2)
    x = tf.layers.dense(tf.layers.flatten(x), spec["dense"], tf.nn.relu, name="dense")
    return tf.layers.dense(x, spec["classes"], name="logits")


def lstm(x, spec):
    cell = tf.nn.rnn_cell.LSTMCell(spec["units"])
    _, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    return tf.layers.dense(state.h, spec["classes"], name="logits")


def normalized(x, name):
    with tf.variable_scope(name):
        width = x.shape[-1]
        scale = tf.get_variable("scale", [width], initializer=tf.ones_initializer())
        offset = tf.get_variable("offset", [width], initializer=tf.zeros_initializer())
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return (x - mean) * tf.rsqrt(variance + 1e-6) * scale + offset


def gelu(x):
    return 0.5 * x * (1 + tf.erf(x * 0.5**0.5))


def transformer(x, spec):
    width, heads, length = spec["width"], spec["heads"], spec["length"]
    each = width // heads

    def of_heads(name, inputs):
        made = tf.layers.dense(inputs, width, name=name)
        return tf.transpose(tf.reshape(made, [-1, length, heads, each]), [0, 2, 1, 3])

    h = normalized(x, "attention_norm")
    query, key, value = (of_heads(name, h) for name in ("query", "key", "value"))
    weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) * each**-0.5)
    read = tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3])
    x += tf.layers.dense(tf.reshape(read, [-1, length, width]), width, name="read")
    h = normalized(x, "feed_forward_norm")
    h = tf.layers.dense(h, spec["hidden"], gelu, name="hidden")
    x += tf.layers.dense(h, width, name="feed_forward")
    return tf.layers.dense(tf.reduce_mean(x, 1), spec["classes"], name="logits")


def resnet(x, spec):
    def convolved(h, channels, size, stride, name):
        h = tf.layers.conv2d(h, channels, size, stride, "same", use_bias=False, name=name)
        return tf.layers.batch_normalization(h, training=True, fused=True, name=name + "_norm")

    h = tf.nn.relu(convolved(x, spec["channels"][0], 3, 1, "stem"))
    for stage, channels in enumerate(spec["channels"]):
        for block in range(spec["blocks"]):
            name = f"stage{stage + 1}_block{block + 1}"
            stride = 2 if stage > 0 and block == 0 else 1
            shortcut = convolved(h, channels, 1, stride, name + "_shortcut") if stride > 1 else h
            inner = tf.nn.relu(convolved(h, channels, 3, stride, name + "_conv1"))
            h = tf.nn.relu(convolved(inner, channels, 3, 1, name + "_conv2") + shortcut)
    return tf.layers.dense(tf.reduce_mean(h, [1, 2]), spec["classes"], name="logits")


def embedding(x, spec):
    table = tf.get_variable("embeddings", [spec["words"], spec["width"]])
    h = tf.reduce_mean(tf.nn.embedding_lookup(table, x), 1)
    h = tf.layers.dense(h, spec["hidden"], tf.nn.relu, name="hidden")
    return tf.layers.dense(h, spec["classes"], name="logits")


NETWORKS = {"mlp": mlp, "conv": conv, "lstm": lstm, "transformer": transformer, "resnet": resnet, "embedding": embedding}
OPTIMIZERS = {
    "sgd": tf.train.GradientDescentOptimizer,
    "adam": tf.train.AdamOptimizer,
    "momentum": lambda rate: tf.train.MomentumOptimizer(rate, 0.9),
}


def constant_batch(spec):
    """One batch, repeated for ever."""
    batch = tf.data.Dataset.from_tensors(models.batch_of(spec)).repeat()
    iterator = tf.data.make_initializable_iterator(batch)
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return iterator.get_next()


def drawn_batch(spec):
    """A batch of random numbers in each step."""
    seed = tf.stack([tf.cast(tf.train.get_or_create_global_step(), tf.int32), 0])
    words = dict(maxval=spec["words"], dtype=tf.int32) if "words" in spec else {}
    inputs = tf.random.stateless_uniform(models.shape_of(spec), seed, **{"minval": 0, **words})
    return inputs, tf.random.stateless_uniform([spec["batch"]], seed + 1, 0, spec["classes"], tf.int32)


def write(name, spec):
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        x, labels = drawn_batch(spec) if name in models.LARGE else constant_batch(spec)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, NETWORKS[spec["kind"]](x, spec))
        optimizer = OPTIMIZERS[spec["optimizer"]](spec["rate"])
        train = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
        train = tf.group(train, *tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        tf.add_to_collection(tf.GraphKeys.TRAIN_OP, train)
        tf.add_to_collection("loss", loss)
        scaffold = tf.train.Scaffold(saver=tf.train.Saver(sharded=True))
        scaffold.finalize()
        folder = FOLDER / "large" if name in models.LARGE else FOLDER
        folder.mkdir(exist_ok=True)
        scaffold.saver.export_meta_graph(str(folder / f"{name}.meta"))


WRITTEN_HERE = ("lstm", "transformer", "resnet-20", "embedding", *models.LARGE)

for wanted in sys.argv[1:] or WRITTEN_HERE:
    write(wanted, models.ALL[wanted])
