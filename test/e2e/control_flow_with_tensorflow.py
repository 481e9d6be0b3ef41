# SPDX-License-Identifier: Apache-2.0
"""Graphs of TF1's control flow (control_flow_in_tensorflow.py) train as TensorFlow's session trains them."""
import json
import pathlib

import harness
from bundle import Bundle
from with_tensorflow import tensorflow

STEPS, BOUND = 4, 2e-5


def difference(found, expected):
    """The largest difference, relative to the largest number."""
    assert len(found) == len(expected), (len(found), len(expected))
    largest = max(map(abs, expected), default=0)
    return max((abs(a - b) for a, b in zip(found, expected)), default=0) / max(largest, 1e-3)


def train(setup, folder):
    """By how much losses and variables differ from TensorFlow's, or why the graph does not train."""
    expected = json.loads((folder / "expected.json").read_text())
    trainer, run, losses = (setup.dir / f"{folder.name}{kind}" for kind in ("", ".run", ".losses"))
    done = setup.compile(folder / "train.meta", "-o", trainer)
    if done.code != 0:
        return done.err
    done = setup.run(trainer, "--model-dir", run, "--init-from", folder / "model.ckpt-0", "--max-steps", STEPS, "--losses", losses, "--quiet")
    if done.code != 0:
        return done.err
    bundle = Bundle(run / f"model.ckpt-{STEPS}")
    differences = {name: difference(bundle.values(name), values) for name, values in expected["values"].items()}
    differences["loss"] = difference([row["loss"] for row in harness.read_losses(losses)], expected["losses"])
    return {name: found for name, found in differences.items() if found > BOUND}


def control_flow_of_tf1_trains_as_in_tensorflow(setup):
    graphs, script = setup.dir / "graphs", pathlib.Path(__file__).with_name("control_flow_in_tensorflow.py")
    setup.run(tensorflow(), "-W", "ignore", script, graphs, timeout=900).expect(0)
    folders = sorted(graphs.iterdir())
    assert len(folders) >= 50, len(folders)
    wrong = {folder.name: found for folder in folders if (found := train(setup, folder))}
    assert not wrong, "\n".join(f"{name}: {found}" for name, found in wrong.items())
    print(f"{len(folders)} graphs")


if __name__ == "__main__":
    harness.main(globals())
