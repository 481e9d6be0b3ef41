# SPDX-License-Identifier: Apache-2.0
"""Keras's callbacks, and the user's, between epochs of a trainer: the same epochs, learning rates and files as in Keras."""
import contextlib
import csv
import importlib.util
import io
import os

import ingot
import numpy as np
import tensorflow as tf
from common import close, examples, k

x, y = examples(96, classes=3)
more = examples(48, seed=1, classes=3)
calls = k.callbacks


def dense(units=8, rate=0.05, optimizer="Adam"):
    k.utils.set_random_seed(3)
    model = k.Sequential([k.layers.Input((6,)), k.layers.Dense(units, "tanh"), k.layers.Dense(3)])
    model.compile(getattr(k.optimizers, optimizer)(rate), k.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    return model


MODELS = {"adam": dense, "wide": lambda: dense(32, 0.1), "sgd": lambda: dense(16, 0.5, "SGD"), "rms": lambda: dense(8, 0.03, "RMSprop"),
          "adagrad": lambda: dense(8, 0.3, "Adagrad")}  # fmt: skip
TRAINERS = {name: ingot.compile(make(), (x, y), name, shuffle=False, batch_size=32, validation_data=more) for name, make in MODELS.items()}
runs = 0


def both(name, make, epochs=12, text=None):
    """Fits a model in Keras and in the trainer with callbacks that `make` makes for a folder: histories and models."""
    global runs
    runs += 1
    theirs, ours = MODELS[name](), MODELS[name]()
    ours.evaluate(x[:2], y[:2], verbose=0)  # Keras 3 makes compiled metrics then, whose directions callbacks look up.
    expected = theirs.fit(x, y, shuffle=False, batch_size=32, validation_data=more, epochs=epochs, verbose=0, callbacks=make(f"keras-{runs}"))
    with contextlib.redirect_stderr(text or io.StringIO()):
        found = TRAINERS[name].fit(epochs=epochs, model_dir=f"run-{runs}", verbose=False, callbacks=make(f"ours-{runs}"), model=ours)
    print(name, make.__name__, "epochs", len(expected.epoch), len(found.epoch))
    assert found.epoch == expected.epoch, (name, found.epoch, expected.epoch)
    assert sorted(found.history) == sorted(expected.history), (sorted(found.history), sorted(expected.history))
    for metric, values in expected.history.items():
        close(found.history[metric], values, 2e-3)
    return found, expected, ours, theirs


def stopping(folder):
    return [calls.EarlyStopping("val_loss", patience=2, min_delta=0.002, restore_best_weights=True)]


def plateau(folder):
    return [calls.ReduceLROnPlateau("val_loss", factor=0.3, patience=1, min_delta=0.01, cooldown=1, min_lr=1e-4)]


def schedule(folder):
    return [calls.LearningRateScheduler(lambda epoch, rate: rate * (1.0 if epoch < 2 else 0.6)), calls.CSVLogger(f"{folder}.csv")]


stops = set()
for name in MODELS:
    found, expected, ours, theirs = both(name, stopping, epochs=15)
    stops.add(len(found.epoch))
    # The best epoch's weights are in the model, and in the folder, with which training and predicting go on.
    for one, other in zip(ours.get_weights(), theirs.get_weights()):
        close(one, other, 2e-3)
    close(TRAINERS[name].predict(more[0]), theirs.predict(more[0], verbose=0), 5e-3)
    found, expected, ours, theirs = both(name, plateau)
    rates = next(values for key, values in found.history.items() if key in ("lr", "learning_rate"))
    assert rates[-1] < rates[0], rates
    both(name, schedule, epochs=5)
    rows = [list(csv.DictReader(open(f"{who}-{runs}.csv"))) for who in ("keras", "ours")]
    assert len(rows[0]) == len(rows[1]) == 5 and sorted(rows[0][0]) == sorted(rows[1][0]), rows
    close(float(rows[0][4]["val_loss"]), float(rows[1][4]["val_loss"]), 2e-3)
assert len(stops) > 1, stops


HAS_BOARD = importlib.util.find_spec("tensorboard") is not None


def kept(folder):
    return [calls.ModelCheckpoint(folder + "/best-{epoch:02d}.weights.h5", monitor="val_accuracy", save_best_only=True, save_weights_only=True),
            calls.BackupAndRestore(f"{folder}-backup"), *([calls.TensorBoard(f"{folder}-board")] if HAS_BOARD else [])]  # fmt: skip


for name in MODELS:
    _, _, ours, theirs = both(name, kept, epochs=6)
    files = [sorted(os.listdir(f"{who}-{runs}")) for who in ("keras", "ours")]
    assert files[0] == files[1] and files[0], files
    one, other = MODELS[name](), MODELS[name]()
    one.load_weights(f"keras-{runs}/{files[0][-1]}")
    other.load_weights(f"ours-{runs}/{files[0][-1]}")
    for a, b in zip(one.get_weights(), other.get_weights()):
        close(a, b, 2e-3)
    if not HAS_BOARD:
        continue
    boards = [sorted(kind for kind in os.listdir(f"{who}-{runs}-board")) for who in ("keras", "ours")]
    assert boards[0] == boards[1] == ["train", "validation"], boards


# A loss that is no number ends the run in its epoch, as in Keras.
class Diverges(k.layers.Layer):
    def call(self, inputs):
        return inputs * 1e30


def diverging():
    k.utils.set_random_seed(3)
    model = k.Sequential([k.layers.Input((6,)), Diverges(), k.layers.Dense(1)])
    model.compile(k.optimizers.SGD(1e-3), "mse")
    return model


targets = np.zeros((96, 1), "float32")
scaled = np.concatenate([np.zeros((40, 6)), x[40:]]).astype("float32")  # the second batch of 32 is the first that diverges
theirs = diverging()
expected = theirs.fit(scaled, targets, shuffle=False, batch_size=32, epochs=3, verbose=0, callbacks=[calls.TerminateOnNaN()])
model = diverging()
trainer = ingot.compile(model, (scaled, targets), "diverging", shuffle=False, batch_size=32)
found = trainer.fit(epochs=3, model_dir="diverging-run", verbose=False, callbacks=[calls.TerminateOnNaN()])
assert len(expected.epoch) == 1 and trainer.checkpoint().step == 2, (expected.epoch, trainer.checkpoint().step)


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

    def on_train_batch_end(self, batch, logs=None):
        pass

    def on_train_end(self, logs=None):
        self.said.append("end")


text = io.StringIO()
notes = []


def noted(folder):
    notes.append(Noted())
    return notes[-1:]


_, _, ours, theirs = both("adam", noted, epochs=4, text=text)
assert notes[0].said == notes[1].said, (notes[0].said, notes[1].said)
close(notes[0].norms, notes[1].norms, 2e-3)
assert "on_train_batch_end is not called" in text.getvalue(), text.getvalue()
try:
    TRAINERS["adam"].fit(max_steps=4, model_dir="middle", callbacks=[Noted()])
    raise AssertionError("the middle of an epoch")
except ingot.Error as error:
    assert "callbacks.py:" in str(error) and "max_steps=4" in str(error), error
print("passed")
