# SPDX-License-Identifier: Apache-2.0
"""Networks in TensorFlow, of AdaNet's builders and of the graphs that search files take; and the input functions."""
import tensorflow.compat.v1 as tf
from cases import graph_name
from data import AGES, JOBS, TOWNS, WORDS, features_of, labels_of, read

columns_of = tf.feature_column


def inputs_of(case, data, folder, seed):
    """Returns a function that makes an input function of a part: batches of its CSV file."""

    def make(part, shuffle=seed, batch=case.batch):
        def input_fn():
            columns = read(data, folder / f"{part}.csv")
            examples = tf.data.Dataset.from_tensor_slices((features_of(data, columns), labels_of(case, data, columns)))
            if part == "test":
                return examples.batch(batch)
            # A search file's shuffle has TensorFlow's order of an op with a seed in a graph without one.
            graph = tf.get_default_graph()
            of_graph, graph.seed = graph.seed, None
            examples = examples.shuffle(case.buffer, shuffle).repeat().batch(batch).prefetch(2)
            graph.seed = of_graph
            return examples

        return input_fn

    return make


def categorical(feature, known):
    """A categorical column; `known` has those before it, by their feature's name."""
    if feature.kind == "vocabulary":
        return columns_of.categorical_column_with_vocabulary_list(feature.column, feature.options)
    if feature.kind == "identity":
        return columns_of.categorical_column_with_identity(feature.column, feature.options[0])
    if feature.kind == "bucketized":
        return columns_of.bucketized_column(columns_of.numeric_column(feature.column), list(feature.options))
    return columns_of.crossed_column([known[name] for name in feature.column.split(",")], feature.options[0])


def feature_columns(data):
    """The columns of tf.feature_column that a search file's features are."""
    made, known = [], {}
    for feature in data.features:
        if feature.kind == "numeric":
            options = dict(feature.options)
            size = sum(name.startswith(feature.column[:-1]) for name in data.train if name not in data.labels)
            change = lambda x, offset=options.get("offset", 0.0), scale=options.get("scale", 1.0): (x - offset) * scale
            shape = [size] if "*" in feature.column else [1]
            made.append(columns_of.numeric_column(feature.name, shape=shape, normalizer_fn=change))
            continue
        if feature.kind == "crossed":
            for one in data.features:
                if one.name in feature.column.split(","):
                    known.setdefault(one.name, categorical(one, known))
        column = known[feature.name] = known.get(feature.name) or categorical(feature, known)
        if feature.embedding:
            column = columns_of.embedding_column(column, feature.embedding)
        elif feature.kind != "bucketized":
            column = columns_of.indicator_column(column)
        made.append(column)
    return made


def dense(x, size, activation=None):
    return tf.layers.dense(x, size, activation, kernel_initializer=tf.glorot_uniform_initializer())


def hidden(x, sizes):
    for size in sizes:
        x = dense(x, size, tf.nn.relu)
    return x


def table_of(name, shape):
    """A table named and initialized as those of tf.feature_column's embedding columns."""
    return tf.get_variable(f"input_layer/{name}/embedding_weights", shape, initializer=tf.truncated_normal_initializer(stddev=shape[1] ** -0.5))


def shared(network, given):
    """Two words by one table, and numbers. `given` has features as networks of a search get them."""
    table = table_of("left_right_shared_embedding", [WORDS, 3])
    both = [tf.nn.embedding_lookup(table, given[name]) for name in ("left", "right")]
    layer = hidden(tf.concat([*both, both[0] * both[1], given["x"]], 1), network.sizes)
    return layer, dense(layer, 1)


def wide_deep(network, wide, deep):
    layer = hidden(deep, network.sizes)
    return layer, dense(layer, 1) + tf.layers.dense(wide, 1, name="wide", kernel_initializer=tf.zeros_initializer())


def wide_deep_given(network, given):
    """With the features of people_crossed as networks of a search get them."""
    wide = tf.concat([tf.one_hot(given["age_bucketized"], len(AGES) + 1), tf.one_hot(given["job_X_town_indicator"], 200),
                      tf.one_hot(given["job_indicator"], len(JOBS))], 1)  # fmt: skip
    town = tf.nn.embedding_lookup(table_of("town_embedding", [TOWNS, 3]), given["town"])
    return wide_deep(network, wide, tf.concat([given["age"], given["hours"], town], 1))


def canned(network, given):
    """What the canned Estimator of this kind computes of numbers."""
    line = lambda: tf.layers.dense(given["x"], 1, name="line", kernel_initializer=tf.zeros_initializer())
    if network.kind == "pool_linear":
        logits = line()
        return logits, logits
    logits = dense(hidden(given["x"], network.sizes), 1)
    if network.kind == "pool_wide_deep":
        logits = logits + line()
    return logits, logits


GRAPHS = {"shared": shared, "wide_deep": wide_deep_given, "pool_linear": canned, "pool_dnn": canned, "pool_wide_deep": canned}


def write_graphs(case, data, folder):
    """A MetaGraphDef for each network that a search file takes as a graph, with placeholders for its features."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, network in enumerate(case.networks, 1):
        if network.kind not in GRAPHS:
            continue
        with tf.Graph().as_default() as graph:
            tf.set_random_seed(seed)
            given = {}
            for feature in data.features:
                size = sum(name.startswith(feature.column[:-1]) for name in data.train) if "*" in feature.column else 1
                given[feature.name] = (tf.placeholder(tf.float32, [None, size], feature.name) if feature.kind == "numeric"
                                       else tf.placeholder(tf.int64, [None], feature.name))  # fmt: skip
            layer, logits = GRAPHS[network.kind](network, given)
            tf.identity(layer, "last_layer")
            tf.identity(logits, "member_logits")
            tf.train.export_meta_graph(str(folder / f"{graph_name(network)}.meta"), graph=graph, clear_devices=True)
