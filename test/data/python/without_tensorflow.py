# SPDX-License-Identifier: Apache-2.0
"""Functions that need no TensorFlow: without_tensorflow.py FOLDER_OF_A_GRAPH."""
import os
import shutil
import sys

sys.modules["tensorflow"] = None  # An import of it fails.

import ingot

shutil.copytree(sys.argv[1], "graph")
trainer = ingot.compile(os.path.join("graph", "train.meta"), output="trainer")
history = trainer.fit(max_steps=20, model_dir="run", verbose=False)
assert len(history.history["loss"]) == 1 and 0 < history.history["loss"][0] < 10, history
checkpoint = trainer.checkpoint()
assert checkpoint.step == 20
try:
    trainer.fit(max_steps=30, model_dir="run", verbose=False, flags=["--no-such-flag"])
    raise AssertionError("there is no such flag")
except ingot.RunError as error:
    assert "no-such-flag" in str(error) and error.code == 2, error
try:
    ingot.compile("no.meta")
    raise AssertionError("there is no such graph")
except ingot.CompileError as error:
    assert "no.meta" in str(error), error
try:
    ingot.export(object(), None)
    raise AssertionError("TensorFlow is needed for that")
except (ImportError, ingot.ExportError):
    pass
print("passed")
