# SPDX-License-Identifier: Apache-2.0
"""The cells of examples/digits.ipynb, in order, as a notebook runs them; the data lie where the notebook lies."""
import json
import os
import pathlib

EXAMPLES = pathlib.Path(os.environ["EXAMPLES"])
os.symlink(EXAMPLES / "digits", "digits")
cells = ["".join(cell["source"]) for cell in json.loads((EXAMPLES / "digits.ipynb").read_text())["cells"]]
assert len(cells) == 5
names = {}
for cell in cells:
    exec(compile(cell, "digits.ipynb", "exec"), names)
assert names["run"].returncode == -9 and names["history"].steps[-1] == names["epochs"] * names["trainer"].steps_per_epoch
drawn = names["curves"]._repr_svg_()
assert drawn.startswith("<svg") and all(word in drawn for word in (">loss", ">accuracy<", "evaluation"))
# The model evaluates to what the trainer said at the end of its last epoch, and has learned.
told = names["history"].history
assert abs(names["accuracy"] - told["val_accuracy"][-1]) < 1e-5 and abs(names["loss"] - told["val_loss"][-1]) < 1e-4
assert names["accuracy"] > 0.9
print("passed")
