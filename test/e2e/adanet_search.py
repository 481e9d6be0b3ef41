# SPDX-License-Identifier: Apache-2.0
"""A small search by adanet itself: adanet_search.py FOLDER MAX_STEPS [KIND].

Trains in FOLDER until the global step is MAX_STEPS, and prints as JSON what
adanet's own evaluation says, and the loss of each step. KIND is the search:

own       two builders with batch normalization, scalar weights, bias, regression
objects   as own, with checkpoints of objects (enable_v2_checkpoint)
single    one builder, a binary head, examples with weights, force_grow
several   two ensemblers and three strategies, three classes
auto      AutoEnsembleEstimator over two canned estimators
inputs    AutoEnsembleEstimator, of which members have inputs of their own
native    simple_dnn on whole batches, as the search of native_search_with_tensorflow.py; its
          examples are left as train.csv and evaluate.csv
adam      as native, with one Adam for all networks and mixture weights; TensorFlow runs one op at a
          time, as an order of its train ops that differs from run to run would show in the powers
gated     as native, with an ensembler of the user's own, which is left as gated.meta for search files
layers    dropout and fused batch normalization, two heads, matrices as weights
weights   as layers, with heads whose losses count by weights
"""
import json
import os
import sys
import types

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow.compat.v1 as tf
import tensorflow.compat.v2 as tf2
from tensorflow.python.checkpoint import graph_view

# adanet 0.9.0 imports it from where older TensorFlow kept it.
moved = types.ModuleType("tensorflow.python.training.tracking")
moved.graph_view = graph_view
sys.modules["tensorflow.python.training.tracking"] = moved
import adanet
from adanet.examples import simple_dnn

tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)

random = np.random.RandomState(1)
X = random.rand(256, 6).astype(np.float32)
Y = (X.dot(random.randn(6)) + 0.1 * random.randn(256)).astype(np.float32)[:, None]
CLASSES = np.digitize(Y[:, 0], np.quantile(Y, [0.33, 0.66])).astype(np.int32)
COLUMNS = [tf.feature_column.numeric_column("x", shape=[6])]
Weights = adanet.ensemble.MixtureWeightType


class Builder(adanet.subnetwork.Builder):
    """A layer with batch normalization; its optimizer counts its own steps."""

    def __init__(self, name, width):
        self.own_name, self.width = name, width

    @property
    def name(self):
        return self.own_name

    def build_subnetwork(self, features, logits_dimension, training, iteration_step, summary, previous_ensemble=None):
        layer = tf.layers.dense(features["x"], self.width, tf.nn.tanh, kernel_initializer=tf.glorot_uniform_initializer(3))
        layer = tf.layers.batch_normalization(layer, training=training)
        logits = tf.layers.dense(layer, logits_dimension, kernel_initializer=tf.glorot_uniform_initializer(4))
        return adanet.Subnetwork(last_layer=layer, logits=logits, complexity=1.0, shared={})

    def build_subnetwork_train_op(self, subnetwork, loss, var_list, labels, iteration_step, summary, previous_ensemble):
        updates = [op for op in tf.get_collection(tf.GraphKeys.UPDATE_OPS) if f"_{self.own_name}/" in op.name]
        with tf.control_dependencies(updates):
            return tf.train.MomentumOptimizer(0.05, 0.9).minimize(
                loss, var_list=var_list, global_step=tf.train.get_global_step())  # fmt: skip


class Layers(Builder):
    """Layers that compute something else in training than in an evaluation."""

    def build_subnetwork(self, features, logits_dimension, training, iteration_step, summary, previous_ensemble=None):
        image = tf.layers.batch_normalization(tf.reshape(features["x"], [-1, 1, 2, 3]), training=training, momentum=0.8)
        layer = tf.layers.dense(tf.reshape(image, [-1, 6]), self.width, tf.nn.relu, kernel_initializer=tf.glorot_uniform_initializer(3))
        layer = tf.layers.dropout(layer, 0.3, training=training, seed=5)
        logits = tf.layers.dense(layer, logits_dimension, kernel_initializer=tf.glorot_uniform_initializer(4))
        return adanet.Subnetwork(last_layer=layer, logits=logits, complexity=1.0, shared={})


class Generator(adanet.subnetwork.Generator):
    def __init__(self, *builders):
        self.builders = builders

    def generate_candidates(self, previous_ensemble, iteration_number, previous_ensemble_reports, all_reports):
        return list(self.builders)


def descent():
    return tf.train.GradientDescentOptimizer(0.05)


def weighted(**more):
    return adanet.ensemble.ComplexityRegularizedEnsembler(optimizer=descent(), **more)


def gated(logits, complexity, so_far, previous):
    """What an ensemble comes to with one more member, and the penalty of this member; its variables are the member's."""
    weight, gate, back = (tf.get_variable(name, [], initializer=tf.constant_initializer(value))
                          for name, value in (("weight", 0.5), ("gate", 0.1), ("back", 0.0)))  # fmt: skip
    together = so_far * (1 - tf.square(gate)) + weight * logits + back * tf.tanh(previous)
    return tf.identity(together, name="together"), tf.multiply(0.01 * complexity + 0.001, tf.abs(weight), name="penalty")


class Gated(adanet.ensemble.Ensembler):
    name = "gated"

    def build_ensemble(self, subnetworks, previous_ensemble_subnetworks, features, labels, logits_dimension, training,
                       iteration_step, summary, previous_ensemble, previous_iteration_checkpoint):  # fmt: skip
        members = [*previous_ensemble_subnetworks, *subnetworks]
        logits, penalties = tf.zeros_like(members[0].logits), []
        previous = previous_ensemble.logits if previous_ensemble else logits
        for i, member in enumerate(members):
            with tf.variable_scope(f"weighted_subnetwork_{i}"):
                logits, penalty = gated(member.logits, tf.cast(member.complexity, tf.float32), logits, previous)
                penalties.append(penalty)
        # simple_dnn asks the last member of these how deep it is.
        weighted = [adanet.ensemble.WeightedSubnetwork(f"member_{i}", None, None, member.logits, member) for i, member in enumerate(members)]
        return adanet.ensemble.ComplexityRegularized(weighted, None, logits, members, tf.add_n(penalties))

    def build_train_op(self, ensemble, loss, var_list, labels, iteration_step, summary, previous_ensemble):
        return tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, var_list=var_list)


class WithoutMixtures(simple_dnn.Generator):
    """simple_dnn, whose builders would train ensembles in place of the ensembler."""

    def generate_candidates(self, **arguments):
        builders = super().generate_candidates(**arguments)
        for builder in builders:
            builder.build_mixture_weights_train_op = None
        return builders


def write_gated(path):
    with tf.Graph().as_default():
        fed = [tf.placeholder(tf.float32, shape, name) for name, shape in
               (("member", [None, 1]), ("complexity", []), ("so_far", [None, 1]), ("previous", [None, 1]))]  # fmt: skip
        gated(*fed)
        tf.add_to_collection("init_op", tf.global_variables_initializer())
        tf.train.export_meta_graph(path)


def dense(**more):
    return simple_dnn.Generator(feature_columns=COLUMNS, optimizer=descent(), layer_size=8, seed=1, **more)


def shared_optimizer(kind):
    return tf.train.AdamOptimizer(0.02) if kind == "adam" else tf.train.MomentumOptimizer(0.05, 0.9)


def auto(config):
    head, sgd = tf.estimator.RegressionHead(), tf.keras.optimizers.legacy.SGD
    pool = {
        "linear": tf2.estimator.LinearEstimator(head=head, feature_columns=COLUMNS, optimizer=lambda: sgd(0.05)),
        "dnn": tf2.estimator.DNNEstimator(head=head, feature_columns=COLUMNS, hidden_units=[8], optimizer=lambda: sgd(0.05)),
    }
    return adanet.AutoEnsembleEstimator(head=head, candidate_pool=pool, max_iteration_steps=20, config=config)


def network(width, optimizer):
    def model_fn(features, labels, mode):
        def weight(name, *shape):
            return tf.get_variable(name, shape, initializer=tf.glorot_uniform_initializer(3))

        logits = tf.matmul(tf.nn.tanh(tf.matmul(features["x"], weight("inner", 6, width))), weight("outer", width, 1))
        loss = None if labels is None else tf.losses.mean_squared_error(labels, logits)
        training = mode == tf.estimator.ModeKeys.TRAIN
        train_op = optimizer().minimize(loss, global_step=tf.train.get_global_step()) if training else None
        return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits}, loss=loss, train_op=train_op)

    return tf.estimator.Estimator(model_fn)


def inputs(config):
    """Bagging: one input never ends, one does before the iteration."""

    def own(width, epochs):
        data = lambda: tf.data.Dataset.from_tensor_slices(({"x": X[:200]}, Y[:200])).shuffle(200, seed=3).repeat(epochs).batch(16)
        return adanet.AutoEnsembleSubestimator(network(width, lambda: tf.train.AdamOptimizer(0.01)), data)

    pool = lambda config, iteration_number: {"endless": own(5, None), "short": own(8, 1), "plain": network(6, descent)}
    return adanet.AutoEnsembleEstimator(head=tf.estimator.RegressionHead(), candidate_pool=pool, max_iteration_steps=20,
                                        ensemblers=[weighted()], config=config)  # fmt: skip


def estimator(kind, config):
    if kind in ("auto", "inputs"):
        return globals()[kind](config), Y
    head, labels, generator, ensemblers, strategies = {
        "own": lambda: (tf.estimator.RegressionHead(), Y, Generator(Builder("a", 8), Builder("b", 5)),
                        [weighted(mixture_weight_type=Weights.SCALAR, adanet_lambda=0.01, use_bias=True)], None),
        "single": lambda: (tf.estimator.BinaryClassHead(weight_column="w"), (Y > np.median(Y)).astype(np.int32),
                           Generator(Builder("only", 8)), [weighted(adanet_beta=0.001)], None),
        "several": lambda: (tf.estimator.MultiClassHead(3), CLASSES, dense(initial_num_layers=1),
                            [weighted(mixture_weight_type=Weights.VECTOR, name="cr"), adanet.ensemble.MeanEnsembler()],
                            [adanet.ensemble.GrowStrategy(), adanet.ensemble.AllStrategy(), adanet.ensemble.SoloStrategy()]),
        "native": lambda: (tf.estimator.RegressionHead(), Y,
                           simple_dnn.Generator(feature_columns=COLUMNS, optimizer=shared_optimizer(kind), layer_size=8,
                                                learn_mixture_weights=True, seed=1),
                           [weighted(mixture_weight_type=Weights.SCALAR, adanet_lambda=0.01, adanet_beta=0.001, use_bias=True,
                                     warm_start_mixture_weights=True, model_dir=config.model_dir)], None),
        "gated": lambda: (tf.estimator.RegressionHead(), Y,
                          WithoutMixtures(feature_columns=COLUMNS, optimizer=shared_optimizer(kind), layer_size=8, seed=1), [Gated()], None),
        "layers": lambda: (tf.estimator.MultiHead([tf.estimator.RegressionHead(name="amount"), tf.estimator.BinaryClassHead(name="sign")]),
                           {"amount": Y, "sign": (Y > np.median(Y)).astype(np.int32)}, Generator(Layers("a", 8), Layers("b", 5)),
                           [weighted(mixture_weight_type=Weights.MATRIX, adanet_lambda=0.01, use_bias=True,
                                     warm_start_mixture_weights=True, model_dir=config.model_dir)], None),
    }[{"objects": "own", "weights": "layers", "adam": "native"}.get(kind, kind)]()  # fmt: skip
    if kind == "weights":
        head = tf.estimator.MultiHead(head._heads, head_weights=[0.25, 2.0])
    return adanet.Estimator(enable_v2_checkpoint=kind == "objects", head=head, subnetwork_generator=generator, max_iteration_steps=20, ensemblers=ensemblers,
                            ensemble_strategies=strategies, force_grow=kind == "single", config=config), labels  # fmt: skip


class Losses(tf.train.SessionRunHook):
    """The loss of each step, and the global step before it."""

    def __init__(self):
        self.values = []

    def before_run(self, context):
        loss = context.original_args.fetches[1]
        return tf.train.SessionRunArgs([tf.train.get_global_step(), loss])

    def after_run(self, context, run_values):
        step, loss = run_values.results
        self.values.append([int(step), float(loss)])


def main(folder, max_steps, kind="own"):
    os.makedirs(folder, exist_ok=True)
    config = tf.estimator.RunConfig(tf_random_seed=42, save_checkpoints_steps=10, save_summary_steps=10,
                                    keep_checkpoint_max=50, model_dir=folder)  # fmt: skip
    if kind == "adam":
        config = config.replace(session_config=tf.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1))
    if kind == "gated":
        write_gated(os.path.join(folder, "gated.meta"))
    model, labels = estimator(kind, config)
    losses = Losses()

    features = {"w": 0.5 + X[:, :1], "x": X} if kind == "single" else {"x": X}

    def data(part):
        return tf.data.Dataset.from_tensor_slices(tf.nest.map_structure(lambda all: all[part], (features, labels)))

    def training():
        if kind in ("native", "adam", "gated"):
            return data(slice(200)).batch(200).repeat()
        return data(slice(200)).shuffle(200, seed=7).repeat().batch(16)

    model.train(training, max_steps=int(max_steps), hooks=[losses])
    result = model.evaluate(lambda: data(slice(200, 256)).batch(16))
    for i, component in enumerate(tf.nest.flatten((features, labels))):
        np.save(os.path.join(folder, f"component{i}.npy"), component[200:])
    if kind in ("native", "adam", "gated"):
        for name, part in {"train": slice(200), "evaluate": slice(200, 256)}.items():
            np.savetxt(os.path.join(folder, name + ".csv"), np.hstack([X[part], Y[part]]), "%.9g", ",")
    result = {key: float(value) for key, value in result.items() if not isinstance(value, bytes)}
    print(json.dumps({"losses": losses.values, "evaluate": result}))


if __name__ == "__main__":
    main(*sys.argv[1:])
