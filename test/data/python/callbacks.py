# SPDX-License-Identifier: Apache-2.0
"""Keras's callbacks, and the user's, between epochs of a trainer: the same epochs, learning rates and files as in Keras.

    callbacks.py [--figures FILE]

runs Keras's eight callbacks on five models, and writes a line of JSON for each to FILE: what came of it in Keras's fit and
in the trainer's, of which bench/keras_page.py makes a table.
"""
import argparse
import contextlib
import csv
import glob
import importlib.util
import io
import json
import os

import ingot
import numpy as np
import tensorflow as tf
from common import KERAS, close, k

calls, L, O = k.callbacks, k.layers, k.optimizers
HAS_BOARD = importlib.util.find_spec("tensorboard") is not None
BATCH, TRAINED, EVALUATED = 32, 96, 48


def numbers(*shape):
    return np.random.RandomState(0).normal(size=(TRAINED + EVALUATED, *shape)).astype("float32")


def ids(most, *shape):
    return np.random.RandomState(1).randint(0, most, size=(TRAINED + EVALUATED, *shape))


def labels(classes, values):
    """Classes that follow from a sum of the values, and from chance."""
    score = np.tanh(values.reshape(len(values), -1)).sum(axis=1)
    score += 0.7 * score.std() * np.random.RandomState(2).normal(size=len(score))
    return np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


class Model:
    """A model, its examples, and its trainers. `inputs` has an array of each input."""

    def __init__(self, inputs, y, layers, optimizer, loss, metric):
        self.inputs, self.y, self.layers, self.optimizer, self.loss, self.metric = inputs, y, layers, optimizer, loss, metric
        self.trainers = {}

    def make(self):
        k.utils.set_random_seed(3)
        inputs = [L.Input(one.shape[1:], dtype=one.dtype.name) for one in self.inputs]
        model = k.Model(inputs, self.layers(*inputs))
        model.compile(self.optimizer(), self.loss, metrics=[self.metric])
        return model

    def data(self, part):
        inputs = [one[part] for one in self.inputs]
        return inputs if len(inputs) > 1 else inputs[0], self.y[part]

    def trainer(self, name, weights=None):
        """The trainer, with an evaluation, or with weights of its examples."""
        kind = "evaluated" if weights is None else "weighted"
        if kind not in self.trainers:
            train, more = self.data(slice(TRAINED)), self.data(slice(TRAINED, None))
            data, options = (train, {"validation_data": more}) if weights is None else ((*train, weights), {})
            self.trainers[kind] = ingot.compile(self.make(), data, f"{name.split(',')[0].replace(' ', '_')}-{kind}", shuffle=False, batch_size=BATCH, **options)
        return self.trainers[kind]


def convolutions(x):
    h = L.BatchNormalization()(L.Conv2D(6, 3, activation="relu")(x))
    return L.Dense(3)(L.GlobalAveragePooling2D()(h))


def towers(left, right):
    return L.Dense(1)(L.Concatenate()([L.Dense(6, "tanh")(left), L.Dense(6, "relu")(right)]))


def sparse():
    return k.losses.SparseCategoricalCrossentropy(from_logits=True)


TABLE, IMAGES, SEQUENCES, WORDS = numbers(6), numbers(8, 8, 2), numbers(6, 4), ids(30, 5).astype("int32")
SUM = TABLE.sum(axis=1, keepdims=True) + numbers(1)
MODELS = {
    "dense, Adagrad": Model([TABLE], labels(3, TABLE), lambda x: L.Dense(3)(L.Dense(16, "tanh")(x)), lambda: O.Adagrad(0.3), sparse(), "accuracy"),
    "convolutions, SGD": Model([IMAGES], labels(3, IMAGES), convolutions, lambda: O.SGD(0.2, momentum=0.9), sparse(), "accuracy"),
    "LSTM, RMSprop": Model([SEQUENCES], labels(2, SEQUENCES), lambda x: L.Dense(2)(L.LSTM(6)(x)), lambda: O.RMSprop(0.03), sparse(), "accuracy"),
    "embeddings, Adam": Model([WORDS], labels(2, WORDS - 15.0), lambda x: L.Dense(2)(L.GlobalAveragePooling1D()(L.Embedding(30, 8)(x))),
                                 lambda: O.Adam(0.03), sparse(), "accuracy"),
    "two inputs, Adamax": Model([TABLE[:, :4], TABLE[:, 4:]], SUM, towers, lambda: O.Adamax(0.1), "mse", "mae"),
}  # fmt: skip
runs = 0


def record(callback, name, theirs, ours):
    """Writes what came of a callback, which has to be the same."""
    print(f"{callback:22} {name:20} {theirs}", flush=True)
    assert ours == theirs, (callback, name, theirs, ours)
    if options.figures:
        with open(options.figures, "a") as file:
            line = {"kind": "callback", "keras": KERAS, "callback": callback, "model": name, "theirs": theirs, "ours": ours}
            file.write(json.dumps(line) + "\n")


def both(name, make, epochs=12, text=None):
    """Fits a model in Keras and in the trainer with callbacks that `make` makes for a folder: histories and models."""
    global runs
    runs += 1
    model = MODELS[name]
    theirs, ours = model.make(), model.make()
    train, more = model.data(slice(TRAINED)), model.data(slice(TRAINED, None))
    ours.evaluate(*model.data(slice(2)), verbose=0)  # Keras 3 makes compiled metrics then, whose directions callbacks look up.
    expected = theirs.fit(*train, shuffle=False, batch_size=BATCH, validation_data=more, epochs=epochs, verbose=0, callbacks=make(f"keras-{runs}"))
    with contextlib.redirect_stderr(text or io.StringIO()):
        found = model.trainer(name).fit(epochs=epochs, model_dir=f"run-{runs}", verbose=False, callbacks=make(f"ours-{runs}"), model=ours)
    assert sorted(found.history) == sorted(expected.history), (sorted(found.history), sorted(expected.history))
    assert found.epoch == expected.epoch, (name, found.epoch, expected.epoch)
    for metric, values in expected.history.items():
        close(found.history[metric], values, 2e-3)
    return found, expected, ours, theirs


def rates_of(history):
    """The learning rates of a run's epochs, as float32."""
    return [float(np.float32(rate)) for key, rates in history.history.items() if key in ("lr", "learning_rate") for rate in rates]


def files_of(folder):
    return sorted(os.path.relpath(path, folder) for path in glob.glob(f"{folder}/**", recursive=True) if os.path.isfile(path))


def stops(name):
    """EarlyStopping: the epoch of the stop, and the weights of the best epoch in the model and in the folder."""

    def stopping(folder):
        return [calls.EarlyStopping("val_loss", patience=2, min_delta=0.002, restore_best_weights=True)]

    found, expected, ours, theirs = both(name, stopping, epochs=15)
    for one, other in zip(ours.get_weights(), theirs.get_weights()):
        close(one, other, 2e-3)
    more = MODELS[name].data(slice(TRAINED, None))[0]
    close(MODELS[name].trainer(name).predict(more), theirs.predict(more, verbose=0), 5e-3)
    record("EarlyStopping", name, *([f"{len(one.epoch)} of 15 epochs"] for one in (expected, found)))
    return len(found.epoch)


def reduces(name):
    """ReduceLROnPlateau: the learning rate of each epoch."""

    def plateau(folder):
        return [calls.ReduceLROnPlateau("val_loss", factor=0.3, patience=1, min_delta=0.005, cooldown=1, min_lr=1e-3)]

    found, expected, _, _ = both(name, plateau)
    theirs, ours = rates_of(expected), rates_of(found)
    assert len(ours) == 12 and ours[-1] < ours[0], ours
    record("ReduceLROnPlateau", name, theirs, ours)


def schedules(name):
    """LearningRateScheduler: the same; CSVLogger: a row for each epoch."""

    def schedule(folder):
        return [calls.LearningRateScheduler(lambda epoch, rate: rate * (1.0 if epoch < 2 else 0.6)), calls.CSVLogger(f"{folder}.csv")]

    found, expected, _, _ = both(name, schedule, epochs=5)
    record("LearningRateScheduler", name, rates_of(expected), rates_of(found))
    rows = [list(csv.DictReader(open(f"{who}-{runs}.csv"))) for who in ("keras", "ours")]
    record("CSVLogger", name, *([f"{len(one)} rows of {', '.join(sorted(one[0]))}"] for one in rows))
    for one, other in zip(*rows):
        for key in one:
            close(float(one[key]), float(other[key]), 2e-3)


def keeps(name):
    """ModelCheckpoint: the files of the best epochs, with their weights; TensorBoard: the scalars of each epoch."""

    def kept(folder):
        best = calls.ModelCheckpoint(folder + "/best-{epoch:02d}.weights.h5", monitor="val_loss", save_best_only=True, save_weights_only=True)
        return [best, *([calls.TensorBoard(f"{folder}-board")] if HAS_BOARD else [])]

    both(name, kept, epochs=6)
    files = [files_of(f"{who}-{runs}") for who in ("keras", "ours")]
    record("ModelCheckpoint", name, *files)
    one, other = MODELS[name].make(), MODELS[name].make()
    one.load_weights(f"keras-{runs}/{files[0][-1]}")
    other.load_weights(f"ours-{runs}/{files[0][-1]}")
    for a, b in zip(one.get_weights(), other.get_weights()):
        close(a, b, 2e-3)
    if HAS_BOARD:
        boards = [scalars(f"{who}-{runs}-board") for who in ("keras", "ours")]
        record("TensorBoard", name, *(sorted(f"{tag} ×{len(values)}" for tag, values in one.items()) for one in boards))
        for tag, values in boards[0].items():
            close(values, boards[1][tag], 2e-3)


def scalars(folder):
    """The values of the scalars in the event files of a folder's folders, by folder and tag."""
    found = {}
    for path in sorted(glob.glob(f"{folder}/*/events.out.tfevents.*")):
        for event in tf.compat.v1.train.summary_iterator(path):
            for value in event.summary.value:
                if value.HasField("tensor") and value.tensor.dtype == tf.float32.as_datatype_enum:
                    tag = f"{os.path.basename(os.path.dirname(path))}/{value.tag}"
                    found.setdefault(tag, []).append(float(tf.make_ndarray(value.tensor)))
    return found


def ends_at_nan(name):
    """TerminateOnNaN: a loss that is no number ends the run in its step; here that of the second batch."""
    model = MODELS[name]
    weights = np.ones(TRAINED, "float32")
    weights[40] = np.nan
    theirs = model.make()
    expected = theirs.fit(*model.data(slice(TRAINED)), sample_weight=weights, shuffle=False, batch_size=BATCH, epochs=3, verbose=0,
                          callbacks=[calls.TerminateOnNaN()])  # fmt: skip
    ours = model.make()
    trainer = model.trainer(name, weights)
    found = trainer.fit(epochs=3, model_dir=f"nan-{runs}", verbose=False, callbacks=[calls.TerminateOnNaN()], model=ours)
    steps = int(theirs.optimizer.iterations.numpy()), trainer.checkpoint().step
    record("TerminateOnNaN", name, *([f"step {step} of epoch {len(one.epoch)}"] for one, step in zip((expected, found), steps)))


class Interrupted(Exception):
    pass


class Interrupts(calls.Callback):
    """Raises at the beginning of the fourth epoch, or notes the epochs."""

    def __init__(self, does):
        super().__init__()
        self.does, self.epochs = does, []

    def on_epoch_begin(self, epoch, logs=None):
        self.epochs.append(epoch)
        if self.does and epoch == 3:
            raise Interrupted


def goes_on(name):
    """BackupAndRestore: training that was interrupted goes on in the same epoch, and ends with the same weights."""
    model = MODELS[name]
    train, more = model.data(slice(TRAINED)), model.data(slice(TRAINED, None))
    noted, ended = [], []
    for who in ("keras", "ours"):
        for does in (True, False):
            own, made = Interrupts(does), model.make()
            backup = calls.BackupAndRestore(f"{who}-{runs}-backup", delete_checkpoint=False)
            with contextlib.suppress(Interrupted):
                if who == "keras":
                    made.fit(*train, shuffle=False, batch_size=BATCH, validation_data=more, epochs=6, verbose=0, callbacks=[backup, own])
                else:
                    model.trainer(name).fit(epochs=6, model_dir=f"backup-{runs}", verbose=False, callbacks=[backup, own], model=made)
            noted.append(own.epochs)
        ended.append(made.get_weights())
    assert noted[0] == noted[2] == [0, 1, 2, 3], noted
    record("BackupAndRestore", name, *([f"epoch {one[0] + 1} to {one[-1] + 1}"] for one in (noted[1], noted[3])))
    for one, other in zip(*ended):
        close(one, other, 2e-3)


parser = argparse.ArgumentParser()
parser.add_argument("--figures", metavar="FILE")
options = parser.parse_args()
stopped = set()
for name in MODELS:
    stopped.add(stops(name))
    for check in (reduces, schedules, keeps, ends_at_nan, goes_on):
        check(name)
assert len(stopped) > 1, stopped


# The user's own: in the order of Keras's, with the model as it is.
class Noted(calls.Callback):
    def __init__(self):
        super().__init__()
        self.said, self.norms = [], []

    def on_train_begin(self, logs=None):
        self.said.append("begin")

    def on_epoch_begin(self, epoch, logs=None):
        self.said.append(f"epoch {epoch}")

    def on_epoch_end(self, epoch, logs=None):
        self.said.append(sorted(logs))
        self.norms.append(float(np.linalg.norm(self.model.get_weights()[0])))
        if epoch == 1:
            self.model.set_weights([0.5 * value for value in self.model.get_weights()])

    def on_test_begin(self, logs=None):
        self.said.append("evaluation")

    def on_test_end(self, logs=None):
        self.said.append(["evaluated", *sorted(logs)])

    def on_train_batch_end(self, batch, logs=None):
        pass

    def on_train_end(self, logs=None):
        self.said.append("end")


text = io.StringIO()
notes = []


def noted(folder):
    notes.append(Noted())
    return notes[-1:]


_, _, ours, theirs = both("dense, Adagrad", noted, epochs=4, text=text)
assert notes[0].said == notes[1].said, (notes[0].said, notes[1].said)
close(notes[0].norms, notes[1].norms, 2e-3)
assert "on_train_batch_end is not called" in text.getvalue(), text.getvalue()
try:
    MODELS["dense, Adagrad"].trainer("dense, Adagrad").fit(max_steps=4, model_dir="middle", callbacks=[Noted()])
    raise AssertionError("the middle of an epoch")
except ingot.Error as error:
    assert "callbacks.py:" in str(error) and "max_steps=4" in str(error), error
print("passed")
