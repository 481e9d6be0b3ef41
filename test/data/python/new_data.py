# SPDX-License-Identifier: Apache-2.0
"""Evaluations and predictions of data that came after the export, as Keras takes them."""
import ingot
import numpy as np
import tensorflow as tf
from common import classifier, close, examples

x, y = examples()
model = classifier()
trainer = ingot.compile(model, x, y, "trainer", shuffle=False)
trainer.fit(epochs=2, model_dir="run", verbose=False)
try:
    trainer.evaluate()
    raise AssertionError("it has no validation data")
except ingot.RunError:
    pass
reference = classifier()
trainer.load_into(reference)
new_x, new_y = examples(70, seed=3)
weight = np.linspace(0, 2, 70).astype("float32")
batches = tf.data.Dataset.from_tensor_slices((new_x, new_y)).batch(16)
for data, options in (((new_x, new_y), {}), ((new_x, new_y, weight), {}), ((batches,), {}), ((batches,), {"steps": 2})):
    found = trainer.evaluate(*data, **options)
    expected = reference.evaluate(*data[:2], **({"sample_weight": data[2]} if len(data) == 3 else {}), **options, verbose=0, return_dict=True)
    assert sorted(found) == sorted(expected), (found, expected)
    for name, value in expected.items():
        close(found[name], value, 1e-4)
# The model itself is as it was before the training.
close(model.get_weights()[0], classifier().get_weights()[0], 0)
close(trainer.predict(batches), reference.predict(new_x, verbose=0), 1e-5)
close(trainer.predict(batches.map(lambda features, labels: features)), trainer.predict(new_x), 1e-6)
try:
    import pandas
except ImportError:
    pandas = None
if pandas is not None:
    table = pandas.DataFrame(new_x, columns=[f"c{index}" for index in range(6)])
    close(trainer.predict(table), trainer.predict(new_x), 1e-6)
try:
    ingot.Trainer("trainer", model_dir="run").evaluate(new_x, new_y)
    raise AssertionError("the model is not known")
except ingot.Error as error:
    assert "exported" in str(error) and "new_data.py:" in str(error), error
print("passed")
