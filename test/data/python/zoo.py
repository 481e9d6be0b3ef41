# SPDX-License-Identifier: Apache-2.0
"""The models of zoo_models.py: each is exported, makes 20 steps with Keras's losses and metrics, predicts the same, gives its
weights back to itself and to a new model, and becomes a SavedModel that predicts the same.

    zoo.py [--every N] [--figures FILE] [NAME ..]

runs some, by default all. Prints a line for each model, with the largest differences, and names what fails. FILE gets a line
of JSON for each, of which bench/keras_page.py makes a table.
"""
import argparse
import json
import re
import sys
import time

import ingot
import numpy as np
import tensorflow as tf
from common import KERAS, k
from zoo_models import IS_KERAS_3, MODELS

STEPS, BATCH, EPOCHS = 5, 16, 4


def arrays_of(results):
    """Results as a list of arrays, in an order that does not depend on names."""
    results = list(results.values()) if isinstance(results, dict) else tf.nest.flatten(results)
    return sorted((np.asarray(one) for one in results), key=lambda one: one.shape)


def difference(ours, theirs):
    """The largest difference of numbers, relative to those above 1."""
    ours, theirs = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    found = np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))
    return float(np.max(np.where(np.isnan(ours) & np.isnan(theirs), 0.0, found), initial=0.0))


def within(bound, pairs, what):
    largest = max((difference(one, other) for one, other in pairs), default=0.0)
    assert largest <= bound, f"{what} differ by {largest:.2g}"
    return largest


def state(model):
    """A model's weights and its optimizer's, without lookup tables."""
    variables = getattr(model.optimizer, "variables", [])
    found = [*model.variables, *(variables() if callable(variables) else variables)]
    metrics = {id(variable) for metric in model.metrics for variable in metric.variables}
    return [np.array(one) for one in found if id(one) not in metrics and hasattr(one, "shape")]


class Losses(k.callbacks.Callback):
    """What Keras reports as the loss after each step, by epoch."""

    def __init__(self):
        super().__init__()
        self.found = []

    def on_epoch_begin(self, epoch, logs=None):
        self.found.append([])

    def on_train_batch_end(self, batch, logs=None):
        self.found[-1].append(float(logs["loss"]))


def by_step(means):
    """The losses whose means since the epoch began are `means`."""
    sums = np.array(means) * np.arange(1, len(means) + 1)
    return np.diff(sums, prepend=0.0).tolist()


def without_counters(history):
    """A history without the numbers that Keras appends to the names of a second model's metrics."""
    return {re.sub(r"_\d+$", "", name): values for name, values in history.items()}


class Checks:
    """The checks of one model, in order."""

    def __init__(self, name, row):
        self.name, self.row, self.folder = name, row, name
        self.data = row.data()
        self.x = self.data[0]

    def export(self):
        self.model, self.reference, self.another = (self.row.model(self.x) for _ in range(3))
        if not self.model.built:
            for model in (self.model, self.reference, self.another):
                model(self.x[:2])
        self.reference.set_weights(self.model.get_weights())
        data, options = self.data, {"shuffle": False, "batch_size": BATCH}
        if self.row.dataset:
            data, options = tf.data.Dataset.from_tensor_slices(self.data).batch(BATCH), {}
        self.given = data
        self.trainer = ingot.compile(self.model, data, self.folder, **options)

    def steps(self):
        path = f"{self.folder}.jsonl"
        history = self.trainer.fit(epochs=EPOCHS, model_dir=f"{self.folder}-run", losses=path, verbose=False).history
        ours = [json.loads(line)["loss"] for line in open(path)]
        noted = Losses()
        arguments = {"x": self.given} if self.row.dataset else dict(
            zip(("x", "y", "sample_weight"), self.data), shuffle=False, batch_size=BATCH)  # fmt: skip
        expected = self.reference.fit(**arguments, epochs=EPOCHS, verbose=0, callbacks=[noted]).history
        assert len(ours) == STEPS * EPOCHS and np.all(np.isfinite(ours)), ours
        theirs = [loss for epoch in noted.found for loss in (epoch if self.row.is_last_reported else by_step(epoch))]
        history, expected = without_counters(history), without_counters(expected)
        assert history.keys() == expected.keys(), f"history has {sorted(history)}, Keras's {sorted(expected)}"
        return max(within(self.row.bound, [(ours, theirs)], "losses"),
                   within(10 * self.row.bound, [(history[name], values) for name, values in expected.items()], "metrics"))

    def predictions(self):
        self.predicted = arrays_of(self.trainer.predict(self.x))
        return within(10 * self.row.bound, zip(self.predicted, self.of(self.reference)), "predictions")

    def of(self, model):
        return arrays_of(model.predict(tf.nest.map_structure(tf.constant, self.x), verbose=0))

    def loads(self):
        self.trainer.load_into(self.model)
        return within(1e-5, zip(self.predicted, self.of(self.model)), "predictions")

    def loads_anew(self):
        self.trainer.load_into(self.another)
        found, expected = state(self.another), state(self.model)
        assert len(found) == len(expected) > 0, f"{len(found)} variables of {len(expected)}"
        for one, other in zip(found, expected):
            assert np.array_equal(one, other), f"a variable of shape {other.shape} differs"
        return within(1e-5, zip(self.predicted, self.of(self.another)), "predictions")

    def saved_model(self):
        self.trainer.export(f"{self.folder}-served")
        serve = tf.saved_model.load(f"{self.folder}-served").signatures["serving_default"]
        entry = next(one for one in self.trainer.info["entries"] if one["name"] == "serving_default")
        names = [feed["name"] for feed in entry["feeds"]]
        found = self.x if isinstance(self.x, dict) else dict(zip(names, self.x if isinstance(self.x, list) else [self.x]))
        found = arrays_of(serve(**{name: tf.constant(value) for name, value in found.items()}))
        return within(1e-5, zip(found, self.predicted), "predictions")


def check(name):
    """Runs a model's checks. Returns those that failed, with their messages."""
    k.backend.clear_session()
    began, checks, said, failed, figures = time.time(), Checks(name, MODELS[name]), [], {}, {}
    for kind in ("export", "steps", "predictions", "loads", "loads_anew", "saved_model"):
        try:
            figures[kind] = found = getattr(checks, kind)()
            said.append(f"{kind} {found:.0e}" if isinstance(found, float) else kind)
        except Exception as error:
            failed[kind] = f"{type(error).__name__}: {str(error)[:1500]}"
            if kind == "export":
                break
    print(f"{name:28} {time.time() - began:5.1f} s  {'  '.join(said)}", *(f"\n    FAILED {kind}: {why}" for kind, why in failed.items()), flush=True)
    if options.figures:
        with open(options.figures, "a") as file:
            file.write(json.dumps({"kind": "model", "keras": KERAS, "model": name, "differences": figures, "failed": failed}) + "\n")
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, metavar="N", help="run only each N-th model")
    parser.add_argument("--figures", metavar="FILE")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    own = [name for name, row in MODELS.items() if row.only in (None, 3 if IS_KERAS_3 else 2)]
    chosen = options.models or own[:: options.every]
    failures = {name: failed for name in chosen if (failed := check(name))}
    print(len(chosen), "models,", len(failures), "with failures:", ", ".join(f"{name} ({', '.join(failed)})" for name, failed in failures.items()))
    if failures:
        sys.exit(1)
    print("passed")
