# SPDX-License-Identifier: Apache-2.0
"""An Estimator with its input functions (TensorFlow up to 2.15), as one graph that trains, evaluates and predicts.

Estimator builds a separate graph for each of the three. Here, the training graph is built first, and the graphs of
evaluation and prediction are copied into it. Variables of the same name become one variable, except for the local
variables in which metrics count.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping

from ._errors import ExportError, export_error
from ._graph import write_graph
from ._lines import lines_of, refuse_python

_VARIABLES = ("VarHandleOp", "VariableV2", "Variable")


def is_estimator(thing: Any) -> bool:
    return any(base.__name__.startswith("Estimator") and "estimator" in base.__module__ for base in type(thing).__mro__)


def _input(estimator: Any, input_fn: Any, mode: str) -> Any:
    """Calls `input_fn`, and returns the features and labels of one batch. A session starts the iterator."""
    import tensorflow as tf

    v1 = tf.compat.v1
    try:
        features, labels, hooks = estimator._get_features_and_labels_from_input_fn(input_fn, mode)
    except Exception as error:  # Whatever the user's input_fn raises.
        raise export_error(f"{type(error).__name__}: {error}", error.__traceback__) from error
    for hook in hooks:
        v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, hook._iterator.initializer)
    return features, labels


def _global_step(estimator: Any, graph: Any) -> None:
    """Creates the global step with the same ops as Estimator: the seeds of random ops depend on earlier ops."""
    from tensorflow.python.training import training_util

    estimator._create_and_assert_global_step(graph)
    training_util._get_or_create_global_step_read(graph)


def _spec(estimator: Any, features: Any, labels: Any, mode: str) -> Any:
    try:
        return estimator._call_model_fn(features, labels, mode, estimator.config)
    except ExportError:
        raise
    except Exception as error:  # Whatever the user's model_fn raises.
        raise export_error(f"{type(error).__name__}: {error}", error.__traceback__) from error


def write(estimator: Any, input_fn: Any, path: str, eval_input_fn: Any, receiver_fn: Any) -> None:
    """Writes the graph that `estimator.train(input_fn)` would run, with its evaluation and its serving signatures."""
    import tensorflow as tf

    v1, modes = tf.compat.v1, tf.estimator.ModeKeys
    keep = estimator.config.keep_checkpoint_max or 0
    signatures: Dict[str, Any] = {}
    with tf.Graph().as_default() as graph:
        v1.set_random_seed(estimator.config.tf_random_seed)
        _global_step(estimator, graph)
        features, labels = _input(estimator, input_fn, modes.TRAIN)
        spec = _spec(estimator, features, labels, modes.TRAIN)
        if spec.training_hooks or spec.training_chief_hooks:
            kinds = ", ".join(sorted({type(hook).__name__ for hook in [*spec.training_hooks, *spec.training_chief_hooks]}))
            raise export_error(f"the model_fn has hooks in Python ({kinds}), which no trainer runs")
        v1.add_to_collection(v1.GraphKeys.TRAIN_OP, spec.train_op)
        v1.add_to_collection("loss", spec.loss)
        v1.add_to_collection("ingot_estimator", type(estimator).__name__)
        # The model_fn creates its metrics in the training graph, too. Clear their collection, or the importer would
        # take them for an evaluation.
        graph.clear_collection(v1.GraphKeys.METRIC_VARIABLES)
        where = lines_of(graph)
        refuse_python(graph.as_graph_def(), "the input_fn or the model_fn", where)
    if eval_input_fn is not None:
        signatures["eval"] = _add_evaluation(estimator, graph, eval_input_fn)
    if receiver_fn is not None:
        signatures.update(_add_predictions(estimator, graph, receiver_fn))
    write_graph(graph, path, signatures, where, keep, spec.scaffold)


def _copy(source: Any, graph: Any, scope: str) -> Any:
    """Copies the graph `source` into `graph` under a scope, except for variables that `graph` already has.

    Returns a function that returns the copy of a tensor or an op.
    """
    import tensorflow as tf

    v1 = tf.compat.v1
    graph_def = source.as_graph_def()
    refuse_python(graph_def, "the input_fn or the model_fn", lines_of(source))
    local = {variable.op.name for variable in source.get_collection(v1.GraphKeys.LOCAL_VARIABLES)}
    shared = {op.name: op.outputs[0] for op in graph.get_operations() if op.type in _VARIABLES}
    shared = {op.name: shared[op.name] for op in source.get_operations() 
              if op.type in _VARIABLES and op.name in shared and op.name not in local}
    kept = [node for node in graph_def.node if node.name not in shared]
    used = {edge.split("^")[-1].split(":")[0] for node in kept for edge in node.input}
    for node in kept:
        node.attr.pop("_class", None)
        # Rename shared resources, so that the copied variables and tables are not shared with those of `graph`.
        if node.attr["shared_name"].s if "shared_name" in node.attr else b"":
            node.attr["shared_name"].s = scope.encode() + b"/" + node.attr["shared_name"].s
    del graph_def.node[:]
    graph_def.node.extend(kept)
    with graph.as_default():
        tf.graph_util.import_graph_def(
            graph_def, input_map={f"{name}:0": tensor for name, tensor in shared.items() if name in used}, name=scope)
        for variable in source.get_collection(v1.GraphKeys.LOCAL_VARIABLES):
            copied = type(variable)(variable_def=variable.to_proto(), import_scope=scope)
            v1.add_to_collection(v1.GraphKeys.LOCAL_VARIABLES, copied)
        for op in source.get_collection(v1.GraphKeys.TABLE_INITIALIZERS):
            v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, graph.get_operation_by_name(f"{scope}/{op.name}"))

    def find(thing: Any) -> Any:
        op = thing.op if hasattr(thing, "op") else thing
        if op.name in shared:
            return shared[op.name]
        return graph.as_graph_element(f"{scope}/{thing.name}")

    return find


def _add_evaluation(estimator: Any, graph: Any, input_fn: Any) -> Any:
    """Adds Estimator's evaluation to `graph`. Returns its signature: all metrics, and the mean of the loss."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with tf.Graph().as_default() as source:
        v1.set_random_seed(estimator.config.tf_random_seed)
        _global_step(estimator, source)
        features, labels = _input(estimator, input_fn, tf.estimator.ModeKeys.EVAL)
        spec = _spec(estimator, features, labels, tf.estimator.ModeKeys.EVAL)
        metrics = {name: _value_and_update(metric) for name, metric in (spec.eval_metric_ops or {}).items()}
        metrics["loss"] = v1.metrics.mean(spec.loss)
    find = _copy(source, graph, "evaluate")
    outputs: Dict[str, Any] = {}
    with graph.as_default():
        for name, (value, update) in metrics.items():
            outputs[f"metrics/{name}/value"] = _info(find(value))
            outputs[f"metrics/{name}/update_op"] = _info(find(update))
        return v1.saved_model.build_signature_def({}, outputs, "tensorflow/supervised/eval")


def _value_and_update(metric: Any) -> Any:
    """Returns a metric's value and its update op: `metric` is a pair of tf.metrics, or a Keras metric."""
    import tensorflow as tf

    if isinstance(metric, tuple):
        return metric
    return metric.result(), tf.group(*metric.updates)


def _add_predictions(estimator: Any, graph: Any, receiver_fn: Any) -> Mapping[str, Any]:
    """Adds Estimator's predictions to `graph`. Returns the signatures that Estimator exports for serving."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with tf.Graph().as_default() as source:
        _global_step(estimator, source)
        receiver = receiver_fn()
        spec = _spec(estimator, receiver.features, None, tf.estimator.ModeKeys.PREDICT)
        outputs = spec.export_outputs or {"serving_default": tf.estimator.export.PredictOutput(spec.predictions)}
        tensors = receiver.receiver_tensors
        signatures: Dict[str, Any] = {}
        for name, output in outputs.items():
            try:
                signatures[name] = output.as_signature_def(tensors)
            except ValueError:
                continue  # Classification and regression take only serialized Examples; Estimator leaves them out, too.
    find = _copy(source, graph, "predict")
    for signature in signatures.values():
        for infos in (signature.inputs, signature.outputs):
            for info in infos.values():
                info.name = find(source.as_graph_element(info.name)).name
    return signatures


def _info(thing: Any) -> Any:
    import tensorflow as tf
    from tensorflow.core.protobuf import meta_graph_pb2

    if isinstance(thing, tf.Operation):
        return meta_graph_pb2.TensorInfo(name=thing.name)
    return tf.compat.v1.saved_model.build_tensor_info(thing)
