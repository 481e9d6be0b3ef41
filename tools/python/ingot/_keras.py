# SPDX-License-Identifier: Apache-2.0
"""Converts compiled models of Keras 2, Keras 3 and tf_keras to training graphs.

The model's `train_step` and `test_step` are traced. So losses, regularization, metrics, the optimizer with its schedule
and clipping, and the moving averages of batch normalization are computed as in Keras.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from ._errors import ExportError, export_error
from ._graph import GraphWriter, Pipeline, Traced, trace
from ._names import AVERAGES, averages_of, distinct, metric_variables, named_variables, optimizer_variables, tensor_variable
from ._paths import OPTIMIZERS, VARIABLES, lines_of
from ._weights import COLLECTION, weight_places


def _flat(results: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns results by name, without the dictionaries that Keras 3's compiled metrics are in, as `fit` reports them."""
    found: Dict[str, Any] = {}
    for name, value in results.items():
        found.update(_flat(value) if isinstance(value, Mapping) else {str(name): value})
    return found


def is_model(thing: Any) -> bool:
    """Returns whether `thing` is a model of Keras 2, Keras 3 or tf_keras."""
    return any(base.__name__ == "Model" and "keras" in base.__module__ for base in type(thing).__mro__)


class KerasExport:
    """Adds a model to a graph. The methods are called in the order in which `add_model` calls them."""

    def __init__(self, model: Any, writer: GraphWriter) -> None:
        import tensorflow as tf

        self.tf = tf
        self.model = model
        self.writer = writer
        if getattr(model, "optimizer", None) is None:
            raise export_error("the model is not compiled: call model.compile(optimizer=..., loss=...) first")
        if type(model).__mro__[-2].__module__.startswith("keras."):
            self._check_backend()

    @staticmethod
    def _check_backend() -> None:
        import keras

        used = getattr(getattr(keras, "config", None), "backend", lambda: "tensorflow")()
        if used != "tensorflow":
            raise export_error(f"Keras runs on {used}; only its TensorFlow backend makes graphs (KERAS_BACKEND=tensorflow)")

    def build(self, spec: Any) -> None:
        """Makes the model and its metrics create their variables, by tracing a step without running it."""
        with self._same_seeds():
            try:
                trace(self.model.test_step, spec)
            except ExportError:
                # A GAN may define train_step but not test_step; Keras's own test_step then finds no loss.
                if self._is_keras_own("train_step"):
                    raise
                trace(self.model.train_step, spec)

    def build_optimizer(self) -> None:
        """Makes the optimizer create its variables, as Keras 3's `fit` does before it traces a step. If the traced step
        created them, TensorFlow would trace it a second time."""
        optimizer = self.model.optimizer
        # A train_step of the user's may train other variables. Keras 2's legacy optimizers have no method build, and its
        # optimizer for mixed precision has no name. Its layers that draw have another seed in the second trace, which its
        # own `fit` runs.
        can_build = callable(getattr(optimizer, "build", None)) and hasattr(optimizer, "name")
        if can_build and self._is_keras_own("train_step") and not self._seed_generators():
            # Keras creates them in a scope of the optimizer's name, which is part of their names.
            with self._scope_of(optimizer):
                optimizer.build(self.model.trainable_variables)

    def _scope_of(self, optimizer: Any) -> Any:
        """Returns the scope in which `apply_gradients` creates the optimizer's variables. Keras 3 has scopes of its own."""
        roots = [base.__module__.split(".")[0] for base in type(optimizer).__mro__]
        keras = next((sys.modules[root] for root in roots if root in ("keras", "tf_keras")), None)
        scope = getattr(keras, "name_scope", None)
        if scope is not None:
            return scope(optimizer.name, caller=optimizer)
        return self.tf.name_scope(optimizer.name or "optimizer")

    def _is_keras_own(self, method: str) -> bool:
        """Returns whether a method of the model is inherited from Keras, not defined by the user."""
        defined = next(base for base in type(self.model).__mro__ if method in vars(base))
        return defined.__module__.split(".")[0] in ("keras", "tf_keras", "tensorflow")

    def can_predict(self) -> bool:
        """Returns whether the model itself can be called, instead of only networks that train_step calls."""
        return not self._is_keras_own("call") or bool(getattr(self.model, "inputs", None))

    def add_variables(self) -> None:
        for name, variable in named_variables(self.model):
            self.writer.add_variable(name, variable)
        for name, variable, initial in self._metric_variables():
            self.writer.add_variable(f"metrics/{name}", variable, initial)

    def _metric_variables(self) -> List[Tuple[str, Any, Any]]:
        """Returns the names, variables and initial values of metrics. Their present values are restored afterwards."""
        found = []
        for metric in self.model.metrics:
            variables = metric.variables
            before = [tensor_variable(variable).numpy() for variable in variables]
            (getattr(metric, "reset_state", None) or metric.reset_states)()
            for variable, value in zip(variables, before):
                source = tensor_variable(variable)
                last = str(source.name).split(":")[0].split("/")[-1]
                found.append((f"{metric.name}/{last}", variable, source.numpy()))
                source.assign(value)
        seen: Dict[int, bool] = {}
        return [item for item in found if not (id(tensor_variable(item[1])) in seen or seen.update({id(tensor_variable(item[1])): True}))]

    def add_weight_places(self) -> None:
        """Records in the graph which array of a .weights.h5 file corresponds to each variable."""
        places = weight_places(self.model, self.writer.named_sources())
        with self.writer.graph.as_default():
            for line in places:
                self.writer.v1.add_to_collection(COLLECTION, line)

    def add_paths(self) -> None:
        """Records in the graph where the model keeps its variables, by which `load_into` finds them in another model."""
        for collection, lines in zip((VARIABLES, OPTIMIZERS), lines_of(self.model, self.writer.named_sources())):
            with self.writer.graph.as_default():
                for line in lines:
                    self.writer.v1.add_to_collection(collection, line)

    def add_averages(self) -> None:
        """Records in the graph which variables are averages of others."""
        name_of = {id(source): name for name, source in self.writer.named_sources()}
        for one, average in averages_of(self.model):
            with self.writer.graph.as_default():
                names = [name_of[id(tensor_variable(variable))] for variable in (one, average)]
                self.writer.v1.add_to_collection(AVERAGES, "\t".join(names))

    # -- Entries

    def trace_step(self, data: Pipeline) -> Traced:
        """Traces the training step. The optimizer creates its variables meanwhile, as in Keras's first step."""
        tf = self.tf
        initial = self._metric_variables()

        def step(epoch_begins: Any, batch: Any) -> Any:
            for _, variable, value in initial:
                source = tensor_variable(variable)
                source.assign(tf.where(epoch_begins, tf.constant(value), source))
            with self._losses_noted() as losses:
                results = self.model.train_step(batch)
            if not isinstance(results, Mapping):
                raise export_error(f"{type(self.model).__name__}.train_step returns no dictionary of results, but a {type(results).__name__}")
            loss = losses[-1] if losses else results.get("loss")
            if loss is None:
                raise export_error(f"{type(self.model).__name__}.train_step returns no 'loss', but {', '.join(map(str, results)) or 'nothing'}")
            return tf.reduce_mean(tf.cast(loss, tf.float32)), _flat(results)

        with self._same_seeds():
            return trace(step, tf.TensorSpec([], tf.bool), data.spec)

    def add_step(self, traced: Traced, data: Pipeline) -> None:
        """Adds the traced training step: its op, the batch's loss, and the metrics averaged since the epoch began."""
        tf, writer = self.tf, self.writer
        element = writer.add_pipeline(data, "train_data")
        with writer.graph.as_default():
            begins = self._epoch_begins(data.length)
        imported = writer.add_function(traced, "train", [begins, *tf.nest.flatten(element, expand_composites=True)])
        loss, results = imported.outputs
        writer.add_train_op(imported.done, loss)
        with writer.graph.as_default():
            for name, value in sorted(results.items()):
                # `epoch/loss` is Keras's mean of the loss since the epoch began; the batch's loss is `loss`.
                mean = tf.identity(tf.cast(value, tf.float32), name=f"epoch/{name}")
                writer.v1.add_to_collection("ingot_metrics", mean)
        writer.add_epoch(data.length)

    def _epoch_begins(self, length: Optional[int]) -> Any:
        step = self.writer.global_step
        if not length:
            return self.tf.constant(False)
        steps = self.tf.constant(length, self.tf.int64, name="epoch_length")
        # This collection has the nodes that describe the data. The program's fingerprint ignores their values, so that a run
        # can be resumed with more data, that is, with longer epochs.
        self.writer.v1.add_to_collection("ingot_data", steps.op)
        return self.tf.equal(self.tf.math.floormod(step, steps), 0, name="epoch_begins")

    def add_evaluation(self, data: Pipeline) -> None:
        """Adds an evaluation: the model's metrics over validation data, in variables that training does not use."""
        tf, writer = self.tf, self.writer
        counts: Dict[int, Any] = {}
        for name, variable, initial in self._metric_variables():
            counts[id(tensor_variable(variable))] = writer.add_variable(f"evaluate/{name}", variable, initial, local=True)
        if not counts:
            raise export_error("the model has no metrics to evaluate")
        update = trace(self.model.test_step, data.spec)
        read = trace(self._results)
        element = writer.add_pipeline(data, "validation_data")
        updated = writer.add_function(update, "evaluate", tf.nest.flatten(element, expand_composites=True), counts)
        results = writer.add_function(read, "evaluate/results", [], counts)
        outputs: Dict[str, Any] = {}
        with writer.graph.as_default():
            for name, value in sorted(results.outputs.items()):
                outputs[f"metrics/{name}/value"] = tf.identity(value, name=f"evaluate/{name}/value")
                with tf.control_dependencies([updated.done]):
                    outputs[f"metrics/{name}/update_op"] = tf.no_op(name=f"evaluate/{name}/update_op")
        writer.add_signature("eval", {}, outputs, "tensorflow/supervised/eval")

    def _results(self) -> Any:
        if hasattr(self.model, "get_metrics_result"):
            return _flat(self.model.get_metrics_result())
        return {metric.name: metric.result() for metric in self.model.metrics}

    def add_prediction(self, spec: Any) -> None:
        """Adds the signature `serving_default`, which computes the results of model.predict."""
        tf, writer = self.tf, self.writer
        features = spec[0] if isinstance(spec, tuple) else spec
        names = self._input_names(features)
        traced = trace(lambda x: self.model(x, training=False), features)
        flat = tf.nest.flatten(features, expand_composites=True)
        with writer.graph.as_default():
            inputs = [writer.v1.placeholder(one.dtype, [None, *one.shape[1:]], name=f"serving/{name}")
                      for name, one in zip(names, flat)]
        imported = writer.add_function(traced, "predict", inputs)
        outputs = self._named_outputs(imported.outputs)
        with writer.graph.as_default():
            outputs = {name: tf.identity(value, name=f"predict/{name}") for name, value in outputs.items()}
        writer.add_signature("serving_default", dict(zip(names, inputs)), outputs, "tensorflow/serving/predict")

    def _input_names(self, features: Any) -> List[str]:
        if isinstance(features, dict):
            return sorted(features)
        count = len(self.tf.nest.flatten(features, expand_composites=True))
        names = [str(name).split(":")[0].split("/")[-1] for name in (getattr(self.model, "input_names", None) or [])]
        if not names:
            try:
                names = [str(tensor.name).split(":")[0] for tensor in self.model.inputs or []]
            except (AttributeError, ValueError):
                names = []
        if len(names) != count:
            names = ["x"] if count == 1 else [f"x_{index}" for index in range(count)]
        return names

    def _named_outputs(self, outputs: Any) -> Dict[str, Any]:
        if isinstance(outputs, dict):
            return dict(outputs)
        flat = self.tf.nest.flatten(outputs)
        names = list(getattr(self.model, "output_names", None) or [])
        if len(names) != len(flat):
            names = ["output"] if len(flat) == 1 else [f"output_{index}" for index in range(len(flat))]
        return dict(zip(names, flat))

    # -- Around Keras

    @contextlib.contextmanager
    def _losses_noted(self) -> Iterator[List[Any]]:
        """Records the results of the model's compute_loss: train_step returns only the mean of the batches' losses."""
        found: List[Any] = []
        compute = getattr(self.model, "compute_loss", None)
        if compute is None:
            yield found
            return

        def note(*args: Any, **more: Any) -> Any:
            found.append(compute(*args, **more))
            return found[-1]

        self.model.__dict__["compute_loss"] = note
        try:
            yield found
        finally:
            del self.model.__dict__["compute_loss"]

    def _seed_generators(self) -> List[Any]:
        """Returns what gives the model's layers their seeds in Keras 2."""
        flatten = getattr(self.model, "_flatten_layers", None)
        layers = list(flatten()) if flatten is not None else []
        return [thing for layer in layers for thing in vars(layer).values() if hasattr(thing, "make_legacy_seed")]

    @contextlib.contextmanager
    def _same_seeds(self) -> Iterator[None]:
        """Restores the layers' seeds afterwards, as Keras 2 increments them with each trace."""
        before = [(generator, generator._seed) for generator in self._seed_generators() if hasattr(generator, "_seed")]
        try:
            yield
        finally:
            for generator, seed in before:
                generator._seed = seed


def add_model(model: Any, data: Pipeline, validation: Optional[Pipeline]) -> GraphWriter:
    """Returns the graph of a compiled model that is trained on `data` and evaluated on `validation`."""
    writer = GraphWriter()
    export = KerasExport(model, writer)
    export.build(data.spec)
    export.build_optimizer()
    step = export.trace_step(data)
    export.add_variables()
    export.add_weight_places()
    export.add_step(step, data)
    if validation is not None:
        export.add_evaluation(validation)
    if export.can_predict():
        export.add_prediction(data.spec)
    export.add_paths()
    export.add_averages()
    return writer
