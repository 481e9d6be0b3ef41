#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes figures.json: what the programs of test/compiler/Builder/Samples.cpp have to compute, as TensorFlow 2.15
computes it, and what they are fed."""
import json
import os
import pathlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy
import tensorflow as tf

v1 = tf.compat.v1
random = numpy.random.RandomState(5)


def optimizers(steps):
    """Each rule on a variable of its own, `steps` times."""
    rate = {
        "exponential": lambda n: v1.train.exponential_decay(0.1, n, 2, 0.5)(),
        "staircase": lambda n: v1.train.exponential_decay(0.1, n, 2, 0.5, staircase=True)(),
        "cosine": lambda n: v1.train.cosine_decay(0.1, n, 4, alpha=0.1)(),
        "piecewise": lambda n: v1.train.piecewise_constant(n, [1, 3], [0.3, 0.2, 0.05])(),
    }
    rules = {
        "sgd": v1.train.GradientDescentOptimizer(0.1),
        "momentum": v1.train.MomentumOptimizer(0.1, 0.9),
        "nesterov": v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        "adam": v1.train.AdamOptimizer(0.05),
        "adamw": tf.keras.optimizers.AdamW(0.05, weight_decay=0.1, epsilon=1e-8),
        "adagrad": v1.train.AdagradOptimizer(0.3),
        "rmsprop": v1.train.RMSPropOptimizer(0.05, 0.8, 0.5),
        "ftrl": v1.train.FtrlOptimizer(0.3, l1_regularization_strength=0.02, l2_regularization_strength=0.01),
        "clipped": v1.train.GradientDescentOptimizer(0.1),
    }
    figures = {}
    a = tf.constant([[1, -2], [0.5, 3]], tf.float32)
    for name in [*rules, *rate]:
        w = tf.Variable([[0.5, 1], [-1, 2]], dtype=tf.float32)
        b = tf.Variable([0.25, 0.25], dtype=tf.float32)
        for n in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((tf.tanh(a @ w + b) - 0.5) ** 2)
            gradients = tape.gradient(loss, [w, b])
            if name == "clipped":
                gradients, _ = tf.clip_by_global_norm(gradients, 0.5)
            rule = rules.get(name)
            if not rule:
                rule = v1.train.GradientDescentOptimizer(rate[name](tf.constant(n, tf.int64)))
            rule.apply_gradients(zip(gradients, [w, b]))
        figures[f"{name}/w"], figures[f"{name}/b"] = w, b
    return figures


def initializers():
    stateless = lambda function, seed, *arguments: lambda shape: function(shape, [seed, 0], *arguments)
    keras = tf.keras.initializers
    all = {
        "zeros": tf.zeros,
        "ones": tf.ones,
        "constant": lambda shape: tf.fill(shape, 0.3),
        "uniform": stateless(tf.random.stateless_uniform, 11, -2, 3),
        "normal": stateless(tf.random.stateless_normal, 12, 1, 2),
        "truncated_normal": stateless(tf.random.stateless_truncated_normal, 13, 1, 2),
        "glorot_uniform": keras.GlorotUniform(14),
        "glorot_normal": keras.GlorotNormal(15),
        "he_uniform": keras.HeUniform(16),
        "he_normal": keras.HeNormal(17),
        "lecun_uniform": keras.LecunUniform(18),
        "lecun_normal": keras.LecunNormal(19),
    }
    shapes = {"": (3, 4), "_vector": (5,), "_filter": (2, 2, 3, 2)}
    return {name + suffix: make(shape) for name, make in all.items() for suffix, shape in shapes.items()}


def layers(image, ids):
    weights = lambda shape, seed: tf.Variable(tf.random.stateless_uniform(shape, [seed, 0], -0.5, 0.5))
    trained = {
        "conv2d/kernel": weights((3, 3, 2, 3), 1),
        "conv2d/bias": weights((3,), 2),
        "batch_normalization/gamma": tf.Variable(tf.ones(3)),
        "batch_normalization/beta": tf.Variable(tf.zeros(3)),
        "conv2d_1/kernel": weights((2, 2, 3, 4), 3),
        "embedding/embeddings": weights((7, 5), 4),
        "layer_normalization/gamma": tf.Variable(tf.ones(9)),
        "layer_normalization/beta": tf.Variable(tf.zeros(9)),
        "dense/kernel": weights((9, 3), 5),
        "dense/bias": tf.Variable(tf.zeros(3)),
    }
    v = list(trained.values())
    with tf.GradientTape() as tape:
        x = tf.nn.conv2d(image, v[0], 1, "SAME") + v[1]
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        x = tf.nn.batch_normalization(x, mean, variance, v[3], v[2], 1e-3)
        x = tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, "VALID")
        x = tf.nn.elu(tf.nn.conv2d(x, v[4], 1, "VALID"))
        x = tf.nn.avg_pool2d(x, 2, 1, "VALID")
        x = tf.concat([tf.reshape(x, [len(ids), -1]), tf.gather(v[5], ids)], 1)
        centre, spread = tf.nn.moments(x, [1], keepdims=True)
        x = tf.nn.batch_normalization(x, centre, spread, v[7], v[6], 1e-3)
        kept = tf.random.stateless_uniform(x.shape, [21, 0]) >= 0.25
        dropped = tf.where(kept, x / 0.75, 0)
        x = tf.tanh(dropped @ v[8] + v[9])
        loss = tf.reduce_mean((x - 0.3) ** 2)
    gradients = tape.gradient(loss, v)
    figures = {"dropped": dropped, "output": x, "loss": loss}
    figures |= {f"gradient/{name}": tf.convert_to_tensor(g) for name, g in zip(trained, gradients)}
    figures |= {"moving_mean": mean * (1 - 0.99), "moving_variance": 1 - (1 - variance) * (1 - 0.99)}
    return figures


def losses(logits, ids, targets, weights):
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(ids, logits)
    reduce = lambda how, w=weights: v1.losses.compute_weighted_loss(sparse, w, reduction=how)
    how = v1.losses.Reduction
    return {
        "sparse": sparse,
        "softmax": tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(targets), logits),
        "sigmoid": tf.nn.sigmoid_cross_entropy_with_logits(targets, logits),
        "absolute": v1.losses.absolute_difference(targets, logits, reduction=how.NONE),
        "huber": v1.losses.huber_loss(targets, logits, delta=0.7, reduction=how.NONE),
        "sum": reduce(how.SUM),
        "sum_over_batch_size": reduce(how.SUM_OVER_BATCH_SIZE),
        "mean": reduce(how.MEAN),
        "sum_by_nonzero_weights": reduce(how.SUM_BY_NONZERO_WEIGHTS),
        "unweighted": reduce(how.SUM_OVER_BATCH_SIZE, 1.0),
    }


def heads(logits, **columns):
    """Losses, gradients and predictions are Estimator's; figures are what its metrics are means of."""
    est = tf.estimator
    r, s, w, b, c, d, e = (tf.constant(columns[name])[:, None] for name in "rswbcde")
    classes = est.MultiClassHead(3, weight_column="w")
    unweighted = est.MultiClassHead(3)
    one = est.RegressionHead()
    parts = [est.RegressionHead(name="size"), est.MultiClassHead(3, weight_column="w", name="kind")]
    multi = est.MultiHead(parts)
    several = tf.concat([b, d, e], 1)
    all = {
        "regression": (est.RegressionHead(weight_column="w"), 1, r),
        "regression_2": (est.RegressionHead(label_dimension=2), 2, tf.concat([r, s], 1)),
        "binary": (est.BinaryClassHead(weight_column="w"), 1, b),
        "multi_class": (classes, 3, c),
        "multi_class_unweighted": (unweighted, 3, c),
        "multi_label": (est.MultiLabelHead(3, weight_column="w"), 3, several),
        "multi": (multi, 4, {"size": r, "kind": c}),
    }
    figures = {}
    features = {"w": w}
    for name, (head, dimension, labels) in all.items():
        own = tf.Variable(logits[:, :dimension])
        with tf.GradientTape() as tape:
            loss = head.loss(labels, tf.convert_to_tensor(own), features, est.ModeKeys.TRAIN)
        figures[f"{name}:loss"] = loss
        figures[f"{name}:gradient"] = tape.gradient(loss, own)
        for key, value in head.predictions(tf.convert_to_tensor(own)).items():
            key = "/".join(key) if isinstance(key, tuple) else key
            if not key.split("/")[-1].startswith("all_class"):
                figures[f"{name}={key}"] = value
    flat = lambda x: tf.reshape(x, [-1])
    crossed = tf.nn.sigmoid_cross_entropy_with_logits
    number = lambda x: tf.cast(x, tf.float32)

    def regression(x, y):
        return {"average_loss": flat((x - y) ** 2), "prediction/mean": flat(x), "label/mean": flat(y)}

    def multi_class(x):
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(flat(c), x)
        return {"average_loss": loss, "accuracy": number(tf.argmax(x, 1) == flat(c))}

    x, y = logits[:, :1], number(b)
    binary = {"average_loss": flat(crossed(y, x)), "curve/labels": flat(y), "curve/predictions": flat(tf.sigmoid(x)),
              "accuracy": flat(number(number(x > 0) == y)), "label/mean": flat(y),
              "prediction/mean": flat(tf.sigmoid(x)), "curve/weights": flat(w)}  # fmt: skip
    x3, y3 = logits[:, :3], number(several)
    expected = {
        "regression": regression(x, r) | {"curve/weights": flat(w)},
        "regression_2": regression(logits[:, :2], tf.concat([r, s], 1)),
        "binary": binary,
        "multi_class": multi_class(x3) | {"curve/weights": flat(w)},
        "multi_class_unweighted": multi_class(x3),
        "multi_label": {"average_loss": tf.reduce_mean(crossed(y3, x3), 1), "curve/labels": flat(y3),
                        "curve/predictions": flat(tf.sigmoid(x3)), "curve/weights": flat(w)},
        "multi": {f"{key}/size": value for key, value in regression(x, r).items()}
        | {f"{key}/kind": value for key, value in multi_class(logits[:, 1:]).items()}
        | {"curve/weights/kind": flat(w), "loss/size": parts[0].loss(r, x, features),
           "loss/kind": parts[1].loss(c, logits[:, 1:], features, est.ModeKeys.TRAIN)},
    }  # fmt: skip
    for name, own in expected.items():
        figures |= {f"{name}:{key}": value for key, value in own.items()}
    return figures


def rings(steps):
    """The losses of examples/graph/rings.cpp."""
    path = pathlib.Path(__file__).parents[3] / "examples" / "graph" / "rings.csv"
    rows = tf.data.experimental.CsvDataset(str(path), [tf.float32, tf.float32, tf.int64], header=True)
    batches = iter(rows.shuffle(300, seed=7).repeat().batch(32))
    glorot = lambda shape, seed: tf.Variable(tf.keras.initializers.GlorotUniform(seed)(shape))
    v = [glorot((2, 32), 1), tf.Variable(tf.zeros(32)), glorot((32, 3), 2), tf.Variable(tf.zeros(3))]
    adam = v1.train.AdamOptimizer(0.01)
    losses = []
    for _ in range(steps):
        x, y, ring = next(batches)
        with tf.GradientTape() as tape:
            logits = tf.nn.relu(tf.stack([x, y], 1) @ v[0] + v[1]) @ v[2] + v[3]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(ring, logits))
        adam.apply_gradients(zip(tape.gradient(loss, v), v))
        losses.append(loss)
    return losses


def plain(value):
    """Tensors as JSON has them; texts as str."""
    array = numpy.asarray(value)
    if array.dtype == object:
        array = numpy.vectorize(lambda text: text.decode())(array)
    return array.tolist()


def main():
    numbers = lambda *shape: random.uniform(-2, 2, shape).astype(numpy.float32)
    whole = lambda limit, count: random.randint(0, limit, count).astype(numpy.int64)
    feeds = {
        "layers": {"image": numbers(4, 6, 6, 2), "ids": numpy.array([2, 6, 2, 0])},
        "losses": {"logits": numbers(5, 3), "ids": whole(3, 5), "targets": numbers(5, 3),
                   "weights": numpy.array([1, 0, 2, 0.5, 0], numpy.float32)},
        "heads": {"logits": numbers(6, 4), "r": numbers(6), "s": numbers(6), "b": whole(2, 6), "c": whole(3, 6),
                  "d": whole(2, 6), "e": whole(2, 6),
                  "w": numpy.array([1, 2, 0, 0.5, 1, 3], numpy.float32)},
    }  # fmt: skip
    samples = {
        "optimizers": optimizers(4),
        "initializers": initializers(),
        "layers": layers(**feeds["layers"]),
        "losses": losses(**feeds["losses"]),
        "heads": heads(**feeds["heads"]),
    }
    entries = {"optimizers": "train", "initializers": "values", "layers": "forward"}
    result = {
        sample: {
            "entry": entries.get(sample, sample),
            "times": 4 if sample == "optimizers" else 1,
            "feeds": {name: plain(value) for name, value in feeds.get(sample, {}).items()},
            "figures": {name: plain(value) for name, value in figures.items()},
        }
        for sample, figures in samples.items()
    }
    result["rings"] = plain(rings(60))
    out = pathlib.Path(__file__).with_name("figures.json")
    out.write_text(json.dumps(result, indent=1) + "\n")


main()
