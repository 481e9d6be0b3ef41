# SPDX-License-Identifier: Apache-2.0
"""AdaNet's builders and pools of candidates, as the built-in networks of search files are."""
import adanet
import networks
import numpy as np
import tensorflow.compat.v1 as tf
import tensorflow.compat.v2 as tf2
from adanet.examples import simple_dnn
from cases import graph_name

layers = tf.layers


def rate_of(optimizer, step):
    """The learning rate; a schedule goes by `step`, the argument `iteration_step` of AdaNet's builders: the global step that
    TensorFlow returns inside a builder is a variable that AdaNet never increments."""
    if not optimizer.schedule:
        return optimizer.rate
    kind, steps, number = optimizer.schedule
    decay = tf.train.exponential_decay if kind == "exponential" else tf.train.cosine_decay
    return decay(optimizer.rate, step, steps, number)


def optimizer_of(optimizer, step):
    options = dict(optimizer.options)
    rate = rate_of(optimizer, step)
    if optimizer.kind == "momentum":
        return tf.train.MomentumOptimizer(rate, options["momentum"], use_nesterov=options["nesterov"])
    if optimizer.kind == "ftrl":
        return tf.train.FtrlOptimizer(rate, l1_regularization_strength=options["l1"], l2_regularization_strength=options["l2"])
    kinds = {"sgd": tf.train.GradientDescentOptimizer, "adam": tf.train.AdamOptimizer, "adagrad": tf.train.AdagradOptimizer,
             "rmsprop": tf.train.RMSPropOptimizer}  # fmt: skip
    return kinds[optimizer.kind](rate, **options)


class Builder(adanet.subnetwork.Builder):
    """A network of a search file's kinds, with an optimizer of its own."""

    def __init__(self, case, data, network):
        self.case, self.data, self.network = case, data, network

    @property
    def name(self):
        network = self.network
        if network.kind == "convolutional":
            return f"{len(network.sizes) - 1}_layer_cnn"
        if network.kind in networks.GRAPHS:
            return graph_name(network)
        return "_".join([network.kind, *map(str, network.sizes), *filter(None, [network.activation])])

    def build_subnetwork(self, features, logits_dimension, training, iteration_step, summary, previous_ensemble=None):
        layer, logits = self.layers(features, logits_dimension, training)
        if self.case.head == "multi":
            logits = {name: logits[:, i : i + 1] for i, name in enumerate(self.data.labels)}
            layer = {name: layer for name in self.data.labels}
        depth = len(self.network.sizes) if self.network.kind in ("linear", "dnn", "convolutional") else self.network.complexity**2
        return adanet.Subnetwork(last_layer=layer, logits=logits, complexity=float(np.sqrt(depth)), shared={})

    def layers(self, features, logits_dimension, training):
        network = self.network
        if network.kind == "shared":
            given = {name: features[name] for name in ("left", "right", "x")}
            return networks.shared(network, given)
        if network.kind == "wide_deep":
            columns = networks.feature_columns(self.data)
            is_deep = lambda column: not column.name.endswith(("_bucketized", "_indicator"))
            deep = tf.feature_column.input_layer(features, [column for column in columns if is_deep(column)])
            wide = tf.feature_column.input_layer(features, [column for column in columns if not is_deep(column)])
            return networks.wide_deep(network, wide, deep)
        layer = tf.feature_column.input_layer(features, networks.feature_columns(self.data))
        sizes = network.sizes
        if network.kind == "convolutional":
            layer = tf.reshape(layer, [-1, 8, 8, 1])
            for filters in sizes[:-1]:
                layer = layers.conv2d(layer, filters, 3, padding="same", activation=tf.nn.relu, kernel_initializer=tf.glorot_uniform_initializer())
                layer = layers.max_pooling2d(layer, 2, 2)
            layer, sizes = layers.flatten(layer), sizes[-1:]
        for size in sizes:
            layer = networks.dense(layer, size, getattr(tf.nn, network.activation or "relu"))
            if network.dropout:
                layer = layers.dropout(layer, network.dropout, training=training)
        return layer, networks.dense(layer, logits_dimension)

    def build_subnetwork_train_op(self, subnetwork, loss, var_list, labels, iteration_step, summary, previous_ensemble):
        optimizer, clip = optimizer_of(self.network.optimizer, iteration_step), self.network.optimizer.clip
        gradients, variables = zip(*optimizer.compute_gradients(loss, var_list))
        if clip:
            gradients, _ = tf.clip_by_global_norm(gradients, clip)
        return optimizer.apply_gradients(zip(gradients, variables))


class Generator(adanet.subnetwork.Generator):
    def __init__(self, *builders):
        self.builders = builders

    def generate_candidates(self, previous_ensemble, iteration_number, previous_ensemble_reports, all_reports):
        return list(self.builders)


def generator_of(case, data):
    first = case.networks[0]
    if first.kind == "simple_dnn":
        return simple_dnn.Generator(feature_columns=networks.feature_columns(data), optimizer=optimizer_of(first.optimizer, None),
                                    layer_size=first.sizes[0], learn_mixture_weights=first.learns_mixture)  # fmt: skip
    return Generator(*(Builder(case, data, network) for network in case.networks))


def dnn_model(sizes, rate, epsilon):
    """A model function for two classes."""

    def model_fn(features, labels, mode):
        logits = networks.dense(networks.hidden(features["x"], sizes), 1)
        loss = None if labels is None else tf.losses.sigmoid_cross_entropy(labels, logits)
        training = mode == tf.estimator.ModeKeys.TRAIN
        train_op = tf.train.AdamOptimizer(rate, epsilon=epsilon).minimize(loss, tf.train.get_global_step()) if training else None
        return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits}, loss=loss, train_op=train_op)

    return model_fn


def pool(case, data, head, inputs):
    """Canned Estimators, made anew in each iteration."""
    columns = networks.feature_columns(data)

    def candidates(config):
        made = {}
        for network in case.networks:
            rate, epsilon = network.optimizer.rate, dict(network.optimizer.options)["epsilon"]
            keras = lambda rate=rate, epsilon=epsilon: tf.keras.optimizers.legacy.Adam(rate, epsilon=epsilon)
            units = list(network.sizes)
            one = {
                "pool_linear": lambda: tf2.estimator.LinearEstimator(head=head, feature_columns=columns, optimizer=keras),
                # Canned ones cannot be built twice in a graph, as AdaNet does with a candidate that has an input of its own.
                "pool_dnn": lambda: tf.estimator.Estimator(dnn_model(units, rate, epsilon)),
                "pool_wide_deep": lambda: tf2.estimator.DNNLinearCombinedEstimator(
                    head=head, linear_feature_columns=columns, linear_optimizer=keras, dnn_feature_columns=columns,
                    dnn_hidden_units=units, dnn_optimizer=keras),
            }[network.kind]()  # fmt: skip
            own = inputs("train", *network.bagging) if network.bagging else None
            made[network.kind] = adanet.AutoEnsembleSubestimator(one, own)
        return made

    return candidates
