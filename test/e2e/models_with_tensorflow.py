# SPDX-License-Identifier: Apache-2.0
"""Models of whole pipelines (models_in_tensorflow.py), trained for 100 steps by TensorFlow's session and by a trainer, from
one checkpoint; and killed on the way."""
import json
import os
import pathlib
import subprocess
import time

import harness
from bundle import Bundle
from with_tensorflow import tensorflow

STEPS, KILLS = 100, (9, 40, 77)


def near(name, found, expected, spread):
    """Fails where the two are further apart than TensorFlow's own results, disturbed by rounding errors."""
    assert len(found) == len(expected), f"{name}: {len(found)} values, TensorFlow has {len(expected)}"
    apart = max((abs(a - b) for a, b in zip(found, expected)), default=0)
    bound = 4 * spread + 2e-6 * max(map(abs, expected), default=0)
    assert apart <= bound, f"{name}: off by {apart:.3g}; noise moves TensorFlow's by {spread:.3g}, largest {max(map(abs, expected)):.3g}"
    return apart


def killed(command, folder, step):
    """Runs a trainer until there is a checkpoint of this step, and kills it."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not list(folder.glob(f"model.ckpt-{step}.index")):
        time.sleep(0.0005)
    process.kill()
    assert process.wait() == -9, f"the run ended before step {step} could be seen: exit code {process.returncode}"


def trains(setup, name):
    work, script = setup.dir / name, pathlib.Path(__file__).with_name("models_in_tensorflow.py")
    setup.run(tensorflow(), "-W", "ignore", script, name, work, timeout=900).expect(0)
    expected = json.loads((work / "expected.json").read_text())
    fetches = expected["fetches"]
    setup.compile(work / "train.meta", *(f"--observe={tensor}" for tensor in fetches.values()), "-o", setup.dir / "trainer").expect(0)

    def command(run, *flags):
        found = [setup.dir / "trainer", "--model-dir", setup.dir / run, "--data-dir", work, "--init-from", work / "model.ckpt-0",
                 "--max-steps", STEPS, "--losses", setup.dir / f"{run}.losses", "--quiet", *flags]  # fmt: skip
        return [str(word) for word in found + [word for tensor in fetches.values() for word in ("--fetch", tensor)]]

    setup.run(*command("whole")).expect(0)
    rows, bundle, furthest = harness.read_losses(setup.dir / "whole.losses"), Bundle(setup.dir / "whole" / f"model.ckpt-{STEPS}"), 0
    for key, values in expected["values"].items():
        found = [row[fetches[key[6:]]] for row in rows] if key.startswith("step: ") else bundle.values(key)
        furthest = max(furthest, near(key, found, values, expected["spread"][key]))
    often = ("--save-checkpoints-steps", 1, "--keep-checkpoint-max", 0)
    for step in KILLS:
        killed(command("killed", *often), setup.dir / "killed", step)
    setup.run(*command("killed", *often)).expect(0)
    harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / "killed", STEPS)
    assert (setup.dir / "whole.losses").read_bytes() == (setup.dir / "killed.losses").read_bytes(), "other losses after kills"
    print(f"{len(expected['values'])} series and variables, off by at most {furthest:.3g}; TensorFlow's move by {max(expected['spread'].values()):.3g}")


def a_tagger_of_sequence_examples_trains_as_in_tensorflow(setup):
    trains(setup, "tagger")


def a_classifier_of_ngrams_trains_as_in_tensorflow(setup):
    trains(setup, "ngrams")


def ragged_inputs_train_as_in_tensorflow(setup):
    trains(setup, "ragged")


def a_spectrogram_and_its_inverse_train_as_in_tensorflow(setup):
    trains(setup, "spectrogram")


def a_queue_fed_rnn_trains_as_in_tensorflow(setup):
    trains(setup, "queue_fed")


def one_replica_trains_as_in_tensorflow(setup):
    trains(setup, "one_replica")


def two_of_three_replicas_train_as_in_tensorflow(setup):
    trains(setup, "two_of_three_replicas")


def three_gradients_of_one_replica_train_as_in_tensorflow(setup):
    trains(setup, "three_gradients_of_one_replica")


if __name__ == "__main__":
    harness.main(globals())
