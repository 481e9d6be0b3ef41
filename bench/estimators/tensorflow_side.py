# SPDX-License-Identifier: Apache-2.0
"""A search by adanet itself: tensorflow_side.py NUMBER SEED DATA FOLDER.

Trains the Estimator of case NUMBER (from 1) in FOLDER with this seed, on the CSV files in DATA, and prints as JSON the
moving averages with which each iteration ended, and what AdaNet's evaluation of the test set says. With `--graphs`
instead of a seed it writes into FOLDER the networks that a search file takes as graphs.
"""
import json
import os
import pathlib
import sys
import types

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import absl.logging
import networks
import tensorflow.compat.v1 as tf
from cases import CASES
from data import SETS
from tensorflow.python.checkpoint import graph_view

# adanet 0.9.0 imports it from where older TensorFlow kept it.
moved = types.ModuleType("tensorflow.python.training.tracking")
moved.graph_view = graph_view
sys.modules["tensorflow.python.training.tracking"] = moved
import adanet
import members

tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
absl.logging.set_verbosity(absl.logging.ERROR)


def head_of(case, data):
    estimator = tf.estimator
    if case.head == "multi":
        return estimator.MultiHead([estimator.RegressionHead(name="amount"), estimator.BinaryClassHead(name="sign")])
    return {
        "regression": lambda: estimator.RegressionHead(label_dimension=len(data.labels)),
        "binary": lambda: estimator.BinaryClassHead(weight_column=data.weight or None),
        "multi_class": lambda: estimator.MultiClassHead(int(data.train[data.labels[0]].max()) + 1),
        "multi_label": lambda: estimator.MultiLabelHead(len(data.labels)),
    }[case.head]()


def ensembler_of(ensembler, config):
    if ensembler.kind == "mean":
        return adanet.ensemble.MeanEnsembler()
    optimizer = ensembler.optimizer
    return adanet.ensemble.ComplexityRegularizedEnsembler(
        optimizer=(lambda: members.optimizer_of(optimizer, None)) if optimizer else None,
        mixture_weight_type=getattr(adanet.ensemble.MixtureWeightType, ensembler.weights),
        adanet_lambda=ensembler.penalty[0], adanet_beta=ensembler.penalty[1], use_bias=ensembler.bias,
        warm_start_mixture_weights=ensembler.warm, model_dir=config.model_dir, name=ensembler.name or None)  # fmt: skip


class Evaluator(adanet.Evaluator):
    """Keeps what it has found of the candidates, each time that it is asked."""

    found = []

    def evaluate(self, sess, ensemble_metrics):
        values = super().evaluate(sess, ensemble_metrics)
        self.found.append([float(value) for value in values])
        return values


def estimator_of(case, data, config, inputs):
    """`inputs(part, seed, batch)` is an input function."""
    strategies = {"GROW": adanet.ensemble.GrowStrategy, "ALL": adanet.ensemble.AllStrategy, "SOLO": adanet.ensemble.SoloStrategy}
    more = {}
    if case.evaluator:
        metric, highest = case.evaluator
        objective = Evaluator.Objective.MAXIMIZE if highest else Evaluator.Objective.MINIMIZE
        more["evaluator"] = Evaluator(input_fn=inputs("test"), metric_name=metric, objective=objective)
    common = dict(
        head=head_of(case, data), max_iteration_steps=case.steps, max_iterations=case.iterations, force_grow=case.force_grow,
        ensemblers=[ensembler_of(one, config) for one in case.ensemblers], ensemble_strategies=[strategies[one]() for one in case.strategies],
        replicate_ensemble_in_training=case.replicate, adanet_loss_decay=case.decay, enable_ensemble_summaries=False,
        enable_subnetwork_summaries=False, config=config, **more)  # fmt: skip
    if case.is_pool:
        return adanet.AutoEnsembleEstimator(candidate_pool=members.pool(case, data, common["head"], inputs), **common)
    return adanet.Estimator(subnetwork_generator=members.generator_of(case, data), **common)


class Averages(tf.train.SessionRunHook):
    """The candidates' moving averages at the end of each iteration: AdaNet's growth drops those of the losers."""

    def __init__(self):
        self.found = {}

    def begin(self):
        self.read = {variable.op.name: variable for variable in tf.global_variables()
                     if variable.op.name.count("/") == 3 and variable.op.name.endswith("/adanet_loss")}  # fmt: skip

    def end(self, session):
        values = session.run(self.read)
        iteration = max(int(name.split("/")[1].rpartition("_")[2]) for name in values)
        self.found[iteration] = {name.split("/candidate_")[1][: -len("/adanet_loss")]: float(value) for name, value in values.items()
                                 if name.startswith(f"adanet/iteration_{iteration}/")}  # fmt: skip


def main(number, seed, data_folder, folder):
    case = CASES[int(number) - 1]
    data = SETS[case.data]()
    if seed == "--graphs":
        networks.write_graphs(case, data, pathlib.Path(folder))
        return
    inputs = networks.inputs_of(case, data, pathlib.Path(data_folder), int(seed))
    steps = case.steps * case.iterations
    # Graphs, which are saved in the middle of an iteration, are compiled of the first seed only.
    first = int(seed) == 1
    config = tf.estimator.RunConfig(
        tf_random_seed=int(seed), save_checkpoints_steps=case.steps // 2 if first else steps, save_summary_steps=10**6, keep_checkpoint_max=1000,
        checkpoint_save_graph_def=first, model_dir=folder, log_step_count_steps=10**6)  # fmt: skip
    model = estimator_of(case, data, config, inputs)
    averages = Averages()
    model.train(inputs("train"), max_steps=steps, hooks=[averages])
    found = {key: value if isinstance(value, bytes) else float(value) for key, value in model.evaluate(inputs("test")).items()}
    found = {key: value.decode("latin-1") if isinstance(value, bytes) else value for key, value in found.items()}
    print(json.dumps({"averages": averages.found, "evaluated": Evaluator.found, "evaluate": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
