# SPDX-License-Identifier: Apache-2.0
"""Converts a training step that is written as a Python function to a training graph."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from ._errors import export_error
from ._graph import GraphWriter, Pipeline, Traced, trace
from ._names import Names, name_of


def _called(step: Any, batch: Any) -> Any:
    """Calls `step` with a batch; the elements of a tuple become separate arguments."""
    return step(*batch) if isinstance(batch, tuple) else step(batch)


def _results(returned: Any) -> Dict[str, Any]:
    """Returns the results of a step by name. A single tensor is the loss."""
    if isinstance(returned, Mapping):
        if "loss" not in returned:
            raise export_error(f"the step returns no 'loss', but {', '.join(map(str, returned)) or 'nothing'}")
        return dict(returned)
    if returned is None or isinstance(returned, (list, tuple)) or not hasattr(returned, "dtype"):
        raise export_error(f"the step has to return the loss, or a dictionary with 'loss', not a {type(returned).__name__}")
    return {"loss": returned}


def add_step(step: Any, data: Pipeline, signatures: Mapping[str, Any], evaluate: Any = None,
             validation: Optional[Pipeline] = None) -> GraphWriter:
    """Returns the graph of a training step on the batches of `data`, and of an evaluation on those of `validation`."""
    import tensorflow as tf

    writer = GraphWriter()
    # tf.function converts the control flow of Python (if, while, for) in the user's function to graph ops.
    function = step if hasattr(step, "get_concrete_function") else tf.function(step)
    traced = trace(lambda batch: _results(_called(function, batch)), data.spec)
    entries = {name: _signature(name, one) for name, one in signatures.items()}
    evaluation = None
    if evaluate is not None and validation is not None:
        evaluates = evaluate if hasattr(evaluate, "get_concrete_function") else tf.function(evaluate)
        evaluation = trace(lambda batch: _figures(_called(evaluates, batch)), validation.spec)
    _add_variables(writer, [traced, *([evaluation] if evaluation else []), *entries.values()])
    element = writer.add_pipeline(data, "train_data")
    imported = writer.add_function(traced, "train", tf.nest.flatten(element, expand_composites=True))
    with writer.graph.as_default():
        loss = tf.reduce_mean(tf.cast(imported.outputs["loss"], tf.float32))
    writer.add_train_op(imported.done, loss)
    with writer.graph.as_default():
        for name, value in sorted(imported.outputs.items()):
            if name != "loss":
                writer.v1.add_to_collection("ingot_metrics", tf.identity(value, name=f"step/{name}"))
    if evaluation is not None and validation is not None:
        _add_evaluation(writer, evaluation, validation)
    for name, entry in entries.items():
        _add_signature(writer, name, entry)
    writer.add_epoch(data.length)
    return writer


def _figures(returned: Any) -> Dict[str, Any]:
    """Returns the results of an evaluation by name. A single tensor is the loss."""
    if isinstance(returned, Mapping) and returned:
        return dict(returned)
    if returned is None or isinstance(returned, (Mapping, list, tuple)) or not hasattr(returned, "dtype"):
        raise export_error(f"evaluate= has to return a figure, or a dictionary of figures, not a {type(returned).__name__}")
    return {"loss": returned}


def _add_evaluation(writer: GraphWriter, traced: Traced, data: Pipeline) -> None:
    """Adds an evaluation, whose metrics are the means of the function's results over all batches of `data`."""
    import tensorflow as tf

    element = writer.add_pipeline(data, "validation_data")
    figures = writer.add_function(traced, "evaluate", tf.nest.flatten(element, expand_composites=True)).outputs
    outputs: Dict[str, Any] = {}
    with writer.graph.as_default():
        for name, value in sorted(figures.items()):
            mean, update = writer.v1.metrics.mean(value, name=f"evaluate/{name}")
            outputs[f"metrics/{name}/value"], outputs[f"metrics/{name}/update_op"] = mean, update
        # The signature below lists the metrics, so the collection is not needed.
        writer.graph.clear_collection(writer.v1.GraphKeys.METRIC_VARIABLES)
    writer.add_signature("eval", {}, outputs, "tensorflow/supervised/eval")


def _signature(name: str, function: Any) -> Traced:
    """Traces a tf.function that has an input_signature."""
    try:
        concrete = function.get_concrete_function()
    except (AttributeError, TypeError, ValueError) as error:
        raise export_error(f"signature '{name}' has to be a tf.function with an input_signature: {error}") from error
    inputs = concrete.graph.inputs[: len(concrete.graph.inputs) - len(concrete.captured_inputs)]
    return Traced(concrete.graph, inputs, concrete.structured_outputs)


def _add_variables(writer: GraphWriter, functions: List[Traced]) -> None:
    """Adds the variables of all functions, sorted by name, because traced functions have them in no fixed order."""
    names = Names(["global_step"])
    found = {id(variable): variable for traced in functions for variable in traced.graph.variables}
    for variable in sorted(found.values(), key=lambda one: (name_of(one), one.shape.as_list())):
        writer.add_variable(names.unique(name_of(variable)), variable)


def _add_signature(writer: GraphWriter, name: str, traced: Traced) -> None:
    import tensorflow as tf

    keys = [tensor.op.get_attr("_user_specified_name").decode() if "_user_specified_name" in tensor.op.node_def.attr
            else tensor.op.name for tensor in traced.inputs]
    with writer.graph.as_default():
        inputs = [writer.v1.placeholder(tensor.dtype, tensor.shape, name=f"{name}/{key}")
                  for key, tensor in zip(keys, traced.inputs)]
    outputs = writer.add_function(traced, name, inputs).outputs
    if not isinstance(outputs, Mapping):
        flat = tf.nest.flatten(outputs)
        outputs = {"output" if len(flat) == 1 else f"output_{index}": tensor for index, tensor in enumerate(flat)}
    writer.add_signature(name, dict(zip(keys, inputs)), outputs, "tensorflow/serving/predict")
