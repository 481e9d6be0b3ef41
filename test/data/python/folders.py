# SPDX-License-Identifier: Apache-2.0
"""What happens in a folder where something has trained: the same model again, another one, and starting over."""
import contextlib
import io
import os
import subprocess
import sys

import ingot
import numpy as np
import tensorflow as tf
from common import close, examples, k

x, y = examples()
more = examples(70, seed=1)


def net(activation="relu", units=16, rate=0.01):
    k.utils.clear_session() if hasattr(k.utils, "clear_session") else k.backend.clear_session()
    model = k.Sequential([k.layers.Input((6,)), k.layers.Dense(units, activation), k.layers.Dropout(0.1), k.layers.Dense(4)])
    model.compile(k.optimizers.Adam(rate), k.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    return model


def said(trainer, **arguments):
    """The history of a fit, and what it told the user."""
    text = io.StringIO()
    with contextlib.redirect_stderr(text):
        history = trainer.fit(verbose=False, **arguments)
    return history, text.getvalue()


# The script's second run exports the same model again, with other initial values and seeds.
if "again" in sys.argv:
    trainer = ingot.compile(net(), (x, y), "again", shuffle=False, validation_data=more)
    history, text = said(trainer, max_steps=24, model_dir="run")
    assert trainer.checkpoint().step == 24 and text == "", text
    sys.exit()

trainer = ingot.compile(net(), (x, y), "trainer", shuffle=False, validation_data=more)
first, text = said(trainer, epochs=3, model_dir="run")
assert first.epoch == [0, 1, 2] and first.steps == [4, 8, 12] and "nothing" not in text, (first, text)
assert sorted(first.history) == ["accuracy", "loss", "val_accuracy", "val_loss"], first

# A second call: nothing is left to train, which is said, and the history is the run's.
second, text = said(trainer, epochs=3, model_dir="run")
assert second.history == first.history and second.steps == first.steps, (first, second)
assert "nothing was trained" in text and "epochs=3" in text and "fresh" in text, text

# A later one goes on, also in a new process that knows the folder only.
third, text = said(ingot.Trainer("trainer", data_dir="."), epochs=5, model_dir="run")
assert third.steps == [4, 8, 12, 16, 20] and "nothing" not in text, (third, text)
for name, values in first.history.items():
    assert third.history[name][:3] == values and len(third.history[name]) == 5, (name, third)
assert not any(np.isnan(value) for values in third.history.values() for value in values), third

done = subprocess.run([sys.executable, __file__, "again"], capture_output=True, text=True)
assert done.returncode == 0, done.stderr

# Another model, whose variables have the same names and shapes, is refused; nothing in the folder changes.
other = ingot.compile(net("tanh"), (x, y), "other", shuffle=False, validation_data=more)
before = {name: os.path.getmtime(os.path.join("run", name)) for name in os.listdir("run") if not name.startswith(".")}
try:
    other.fit(epochs=9, model_dir="run", verbose=False)
    raise AssertionError("another model's weights")
except ingot.RunError as error:
    assert error.code == 4 and "another program has trained" in str(error), error
    assert "Tanh" in str(error) and "Relu" in str(error) and 'start="fresh"' in str(error) and "start=\"resume\"" in str(error), error
assert before == {name: os.path.getmtime(os.path.join("run", name)) for name in before}
text = io.StringIO()
with contextlib.redirect_stderr(text):
    other.predict(x[:3], model_dir="run")
assert "was trained by another program" in text.getvalue(), text.getvalue()

# One with other variables is refused, by their names.
wider = ingot.compile(net(units=8), (x, y), "wider")
try:
    wider.fit(epochs=9, model_dir="run", verbose=False)
    raise AssertionError("other shapes")
except ingot.RunError as error:
    assert error.code == 4 and "dense" in str(error) and "kernel" in str(error) and "fresh" in str(error), error

# The same model made again has other names, which a note explains; with the names of a new process, the run goes on.
def again(epochs, clears):
    if clears:
        k.utils.clear_session() if hasattr(k.utils, "clear_session") else k.backend.clear_session()
    k.utils.set_random_seed(1)
    model = k.Sequential([k.layers.Input((6,)), k.layers.Dense(2)])
    model.compile("sgd", "mse")
    trainer = ingot.compile(model, (x, x[:, :2]), "again", shuffle=False)
    return trainer.fit(epochs=epochs, model_dir="again-run", verbose=False)


again(1, clears=True)
try:
    again(2, clears=False)
    raise AssertionError("a model of other names")
except ingot.RunError as error:
    assert "another program" in str(error) and "clear_session()" in str(error), error
assert len(again(2, clears=True).epoch) == 2

# Told to, it goes on from these weights, or starts over beside them.
history, text = said(other, max_steps=26, model_dir="run", start="resume")
assert ingot.Checkpoint("run").step == 26, ingot.Checkpoint("run").step
history, text = said(other, epochs=2, model_dir="run", start="fresh")
assert history.steps == [4, 8] and "'run-1'" in text.replace(os.getcwd() + "/", ""), (history, text)
assert ingot.Checkpoint("run").step == 8 and ingot.Checkpoint("run-1").step == 26
try:
    other.fit(epochs=1, model_dir="nowhere", start="resume")
    raise AssertionError("nothing is there")
except ingot.Error as error:
    assert "nowhere" in str(error), error
assert not os.path.exists("nowhere")

# Many and long texts are fed, and predictions of texts come back.
texts = np.array([[("word%d " % (index % 40)) * 250] for index in range(300)], dtype=object)
split = k.layers.TextVectorization(max_tokens=50, output_sequence_length=250)
split.adapt(texts[:, 0].astype(str))
words = k.Sequential([k.layers.Input((1,), dtype="string"), split, k.layers.Embedding(50, 4), k.layers.GlobalAveragePooling1D(), k.layers.Dense(1)])
words.compile("sgd", "mse")
trainer = ingot.compile(words, (texts.astype(str), np.ones((300, 1), "float32")), "words")
trainer.fit(max_steps=3, model_dir="words-run", verbose=False)
predicted = trainer.predict(texts)
trainer.load_into(words)
close(predicted, words.predict(tf.constant(texts.astype(str)), verbose=0), 1e-5)
assert predicted.shape == (300, 1)
print("passed")
