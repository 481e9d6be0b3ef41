# SPDX-License-Identifier: Apache-2.0
"""The models of sequences in TensorFlow's graph mode: each function returns a loss."""
import numpy
import tensorflow.compat.v1 as tf


def cnn_1d(batch, spec):
    h = batch["x"]
    for _ in range(2):
        h = tf.layers.conv1d(h, spec["filters"], 3, activation=tf.nn.relu)
    h = tf.layers.dropout(h, spec["dropout"], training=True)
    h = tf.layers.flatten(tf.layers.max_pooling1d(h, 2, 2))
    h = tf.layers.dense(h, spec["dense"], tf.nn.relu)
    return tf.losses.sparse_softmax_cross_entropy(batch["y"], tf.layers.dense(h, spec["classes"]))


def gru(batch, spec):
    h = tf.keras.layers.Embedding(spec["words"], spec["width"])(batch["x"])
    logits = tf.keras.layers.Dense(1)(tf.keras.layers.GRU(spec["units"])(h))
    return tf.losses.sigmoid_cross_entropy(batch["y"][:, None], logits)


def embedded(name, words, spec):
    table = tf.get_variable(name, [spec["words"], spec["width"]], initializer=tf.random_normal_initializer(stddev=0.1))
    return table, tf.nn.embedding_lookup(table, words)


def bilstm(batch, spec):
    _, h = embedded("embeddings", batch["x"], spec)
    cells = [tf.nn.rnn_cell.LSTMCell(spec["units"]) for _ in range(2)]
    outputs, _ = tf.nn.bidirectional_dynamic_rnn(*cells, h, sequence_length=batch["lengths"], dtype=tf.float32)
    logits = tf.layers.dense(tf.concat(outputs, -1), spec["tags"])
    mask = tf.sequence_mask(batch["lengths"], h.shape[1], tf.float32)
    return tf.losses.sparse_softmax_cross_entropy(batch["y"], logits, weights=mask)


def seq2seq(batch, spec):
    def stacked():
        return tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(spec["units"]) for _ in range(spec["layers"])])

    _, source = embedded("source", batch["source"], spec)
    _, target = embedded("target", batch["target"][:, :-1], spec)
    with tf.variable_scope("encoder"):
        _, state = tf.nn.dynamic_rnn(stacked(), source, dtype=tf.float32)
    with tf.variable_scope("decoder"):
        outputs, _ = tf.nn.dynamic_rnn(stacked(), target, initial_state=state)
    return tf.losses.sparse_softmax_cross_entropy(batch["target"][:, 1:], tf.layers.dense(outputs, spec["words"]))


def wavenet(batch, spec):
    def causal(h, dilation, activation):
        padded = tf.pad(h, [[0, 0], [dilation, 0], [0, 0]])
        return tf.layers.conv1d(padded, spec["width"], 2, dilation_rate=dilation, activation=activation)

    table = tf.get_variable("levels", [spec["levels"], spec["width"]])
    h, skips = tf.nn.embedding_lookup(table, batch["x"][:, :-1]), []
    for dilation in spec["dilations"]:
        gated = causal(h, dilation, tf.tanh) * causal(h, dilation, tf.sigmoid)
        skips.append(tf.layers.conv1d(gated, spec["skip"], 1))
        h += tf.layers.conv1d(gated, spec["width"], 1)
    h = tf.layers.conv1d(tf.nn.relu(tf.add_n(skips)), spec["skip"], 1, activation=tf.nn.relu)
    return tf.losses.sparse_softmax_cross_entropy(batch["x"][:, 1:], tf.layers.conv1d(h, spec["levels"], 1))


def layer_norm(x, name):
    with tf.variable_scope(name):
        gain = tf.get_variable("gain", [x.shape[-1]], initializer=tf.ones_initializer())
        bias = tf.get_variable("bias", [x.shape[-1]], initializer=tf.zeros_initializer())
        mean = tf.reduce_mean(x, -1, keepdims=True)
        variance = tf.reduce_mean(tf.square(x - mean), -1, keepdims=True)
        return (x - mean) * tf.rsqrt(variance + 1e-5) * gain + bias


def attention(h, spec, mask, dropout):
    """Of all heads: one product makes queries, keys and values; `mask` has what is added to the scores."""
    width, heads, length = spec["width"], spec["heads"], h.shape[1]
    made = tf.layers.dense(h, 3 * width, name="query_key_value")
    query, key, value = (
        tf.transpose(tf.reshape(part, [-1, length, heads, width // heads]), [0, 2, 1, 3]) for part in tf.split(made, 3, 2)
    )
    scores = tf.matmul(query, key, transpose_b=True) * (width // heads) ** -0.5
    weights = dropout(tf.nn.softmax(scores + mask))
    read = tf.reshape(tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3]), [-1, length, width])
    return tf.layers.dense(read, width, name="read")


def sinusoids(length, width):
    angles = numpy.arange(length)[:, None] / 10000 ** (numpy.arange(0, width, 2) / width)
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], 1).astype(numpy.float32)


def encoder(batch, spec):
    def dropout(h):
        return tf.nn.dropout(h, rate=spec["dropout"])

    length = batch["x"].shape[1]
    _, h = embedded("embeddings", batch["x"], spec)
    h = dropout(h * spec["width"] ** 0.5 + sinusoids(int(length), spec["width"]))
    kept = tf.sequence_mask(batch["lengths"], length, tf.float32)
    mask = (1.0 - kept)[:, None, None, :] * -1e9
    for layer in range(spec["layers"]):
        with tf.variable_scope(f"layer{layer}"):
            h = layer_norm(h + dropout(attention(h, spec, mask, dropout)), "attention_norm")
            inner = tf.layers.dense(h, spec["hidden"], tf.nn.relu)
            h = layer_norm(h + dropout(tf.layers.dense(inner, spec["width"])), "feed_forward_norm")
    pooled = tf.reduce_sum(h * kept[:, :, None], 1) / tf.reduce_sum(kept, 1, keepdims=True)
    return tf.losses.sparse_softmax_cross_entropy(batch["y"], tf.layers.dense(pooled, spec["classes"]))


def gelu(x):
    return 0.5 * x * (1 + tf.tanh(numpy.sqrt(2 / numpy.pi) * (x + 0.044715 * tf.pow(x, 3))))


def gpt(batch, spec):
    words, following = batch["x"][:, :-1], batch["x"][:, 1:]
    length, width = words.shape[1], spec["width"]
    table = tf.get_variable("wte", [spec["words"], width], initializer=tf.random_normal_initializer(stddev=0.02))
    positions = tf.get_variable("wpe", [length, width], initializer=tf.random_normal_initializer(stddev=0.01))
    h = tf.gather(table, words) + positions
    mask = (tf.linalg.band_part(tf.ones([length, length]), -1, 0) - 1.0) * 1e10
    for layer in range(spec["layers"]):
        with tf.variable_scope(f"h{layer}"):
            h += attention(layer_norm(h, "ln_1"), spec, mask, lambda weights: weights)
            inner = tf.layers.dense(layer_norm(h, "ln_2"), 4 * width, gelu)
            h += tf.layers.dense(inner, width)
    h = tf.reshape(layer_norm(h, "ln_f"), [-1, width])
    logits = tf.matmul(h, table, transpose_b=True)
    labels = tf.reshape(following, [-1])
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
