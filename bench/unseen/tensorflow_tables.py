# SPDX-License-Identifier: Apache-2.0
"""The models of tables, ratings, sets and graphs in TensorFlow's graph mode: each function returns a loss, or a loss and what trains."""
import itertools

import tensorflow.compat.v1 as tf

from unseen import tensorflow_optimizers as optimizers


def binary(logits, labels):
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=tf.squeeze(logits, -1)))


def logistic(batch, spec):
    return binary(tf.layers.dense(batch["x"], 1), batch["y"])


def mlp_dropout(batch, spec):
    h = batch["x"]
    for width in spec["hidden"]:
        h = tf.layers.dense(h, width, tf.nn.relu)
        h = tf.layers.dropout(h, spec["dropout"], training=True)
    return tf.losses.sparse_softmax_cross_entropy(batch["y"], tf.layers.dense(h, spec["classes"]))


def mlp_deep(batch, spec):
    layers = [tf.keras.layers.Dense(spec["width"], activation="tanh") for _ in range(spec["depth"])]
    network = tf.keras.Sequential([*layers, tf.keras.layers.Dense(spec["classes"])])
    return tf.losses.sparse_softmax_cross_entropy(batch["y"], network(batch["x"]))


def wide_and_deep(batch, spec):
    columns, features = [], {"numeric": batch["numeric"]}
    for number, size in enumerate(spec["sizes"]):
        features[f"category{number}"] = batch["categories"][:, number]
        columns.append(tf.feature_column.categorical_column_with_identity(f"category{number}", size))
    numeric = tf.feature_column.numeric_column("numeric", [batch["numeric"].shape[1]])
    with tf.variable_scope("linear"):
        logits = tf.feature_column.linear_model(features, columns)
    with tf.variable_scope("dnn"):
        embeddings = [tf.feature_column.embedding_column(column, spec["width"]) for column in columns]
        h = tf.feature_column.input_layer(features, [numeric, *embeddings])
        for width in spec["hidden"]:
            h = tf.layers.dense(h, width, tf.nn.relu)
        logits += tf.layers.dense(h, 1)
    loss = binary(logits, batch["y"])
    linear = tf.train.FtrlOptimizer(spec["ftrl"]["rate"], l1_regularization_strength=spec["ftrl"]["l1"])
    deep = optimizers.made(spec)
    train = [
        linear.minimize(loss, var_list=tf.trainable_variables("linear")),
        deep.minimize(loss, tf.train.get_or_create_global_step(), tf.trainable_variables("dnn")),
    ]
    return loss, tf.group(*train)


def dlrm(batch, spec):
    h = batch["numeric"]
    for width in spec["bottom"]:
        h = tf.layers.dense(h, width, tf.nn.relu)
    vectors = [h]
    for number, size in enumerate(spec["sizes"]):
        table = tf.get_variable(f"table{number}", [size, spec["width"]], initializer=tf.random_uniform_initializer(-0.05, 0.05))
        vectors.append(tf.nn.embedding_lookup(table, batch["categories"][:, number]))
    stacked = tf.stack(vectors, 1)
    products = tf.matmul(stacked, stacked, transpose_b=True)
    count = len(vectors)
    pairs = [a * count + b for a, b in itertools.combinations(range(count), 2)]
    h = tf.concat([h, tf.gather(tf.reshape(products, [-1, count * count]), pairs, axis=1)], 1)
    for width in spec["top"]:
        h = tf.layers.dense(h, width, tf.nn.relu)
    return binary(tf.layers.dense(h, 1), batch["y"])


def factorization(batch, spec):
    normal, zeros = tf.random_normal_initializer(stddev=0.1), tf.zeros_initializer()

    def looked_up(name, count, ids):
        table = tf.get_variable(name, [count, spec["rank"]], initializer=normal)
        bias = tf.get_variable(name + "_bias", [count], initializer=zeros)
        return tf.nn.embedding_lookup(table, ids), tf.nn.embedding_lookup(bias, ids)

    user, user_bias = looked_up("users", spec["users"], batch["users"])
    item, item_bias = looked_up("items", spec["items"], batch["items"])
    mean = tf.get_variable("mean", [], initializer=zeros)
    guess = tf.reduce_sum(user * item, 1) + user_bias + item_bias + mean
    penalty = tf.reduce_mean(tf.reduce_sum(user**2, 1) + tf.reduce_sum(item**2, 1))
    return tf.reduce_mean(tf.squared_difference(guess, batch["ratings"])) + spec["decay"] * penalty


def vae(batch, spec):
    x = batch["x"]
    h = tf.layers.dense(x, spec["hidden"], tf.nn.relu)
    mean, log_variance = tf.layers.dense(h, spec["latent"]), tf.layers.dense(h, spec["latent"])
    z = mean + tf.exp(0.5 * log_variance) * tf.random_normal(tf.shape(mean))
    logits = tf.layers.dense(tf.layers.dense(z, spec["hidden"], tf.nn.relu), x.shape[1])
    reconstruction = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits), 1)
    divergence = -0.5 * tf.reduce_sum(1 + log_variance - mean**2 - tf.exp(log_variance), 1)
    return tf.reduce_mean(reconstruction + divergence)


def gan(batch, spec):
    real = batch["x"]

    def generator(h):
        with tf.variable_scope("generator"):
            for width in spec["generator"]:
                h = tf.layers.dense(h, width, tf.nn.relu)
            return tf.layers.dense(h, real.shape[1], tf.nn.sigmoid)

    def discriminator(h):
        with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
            for number, width in enumerate(spec["discriminator"]):
                h = tf.layers.dense(h, width, tf.nn.leaky_relu, name=f"hidden{number}")
            return tf.layers.dense(h, 1, name="logits")

    made = generator(tf.random_uniform([real.shape[0], spec["noise"]], -1, 1))
    of_real, of_made = discriminator(real), discriminator(made)
    ones, zeros = tf.ones(real.shape[:1]), tf.zeros(real.shape[:1])
    discriminator_loss = binary(of_real, ones) + binary(of_made, zeros)
    generator_loss = binary(of_made, ones)
    train = [
        optimizers.made(spec).minimize(discriminator_loss, var_list=tf.trainable_variables("discriminator")),
        optimizers.made(spec).minimize(generator_loss, tf.train.get_or_create_global_step(), tf.trainable_variables("generator")),
    ]
    return discriminator_loss + generator_loss, tf.group(*train)


def set_attention(batch, spec):
    h = batch["x"]
    for width in spec["features"]:
        h = tf.layers.dense(h, width, tf.nn.relu)
    weights = tf.nn.softmax(tf.layers.dense(h, spec["seeds"], use_bias=False), axis=1)
    pooled = tf.layers.flatten(tf.einsum("bns,bnd->bsd", weights, h))
    h = tf.layers.dense(pooled, spec["dense"], tf.nn.relu)
    return tf.losses.sparse_softmax_cross_entropy(batch["y"], tf.layers.dense(h, spec["classes"]))


def graph_convolution(batch, spec):
    def convolved(h, width, name):
        h = tf.nn.dropout(h, rate=spec["dropout"])
        kernel = tf.get_variable(name, [h.shape[1], width], initializer=tf.glorot_uniform_initializer())
        return tf.matmul(batch["adjacency"], tf.matmul(h, kernel)), kernel

    h, kernel = convolved(batch["x"], spec["hidden"], "first")
    logits, _ = convolved(tf.nn.relu(h), spec["classes"], "second")
    loss = tf.losses.sparse_softmax_cross_entropy(batch["y"], logits, weights=batch["known"])
    return loss + spec["decay"] * tf.nn.l2_loss(kernel)
