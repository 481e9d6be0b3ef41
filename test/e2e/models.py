# SPDX-License-Identifier: Apache-2.0
"""Models as users write them (test/data/models/make.py), trained from
TensorFlow's first checkpoint, against the losses that TensorFlow had."""
import json
import shutil

import harness
from training import agree

MODELS = harness.SOURCE / "test" / "data" / "models"


def trains_as_in_tensorflow(setup, name):
    folder = MODELS / name
    expect = json.loads((folder / "expect.json").read_text())
    trainer, losses = setup.dir / "trainer", setup.dir / "losses"
    loss = expect["loss_tensor"]
    setup.compile(
        folder / "train.meta", "-o", trainer, f"--observe={loss}", *expect["flags"]
    ).expect(0)
    setup.run(
        trainer, "--model-dir", setup.dir / "run", "--init-from", folder / "model.ckpt-0",
        "--data-dir", folder, "--steps", len(expect["loss"]), "--loss", loss,
        "--losses", losses, "--summary-steps", 0, "--log-steps", 0,
    ).expect(0)  # fmt: skip
    agree("loss", [line["loss"] for line in harness.read_losses(losses)], expect["loss"])


def short_last_batches_train(setup):
    trains_as_in_tensorflow(setup, "short_last_batch")


def full_batches_and_a_short_one_train(setup):
    trains_as_in_tensorflow(setup, "full_batches_and_a_short_one")


def full_and_short_batches_leave_the_same_bytes(setup):
    leaves_the_same_bytes(setup, "full_batches_and_a_short_one", 16)


def draws_and_crops_train(setup):
    trains_as_in_tensorflow(setup, "draws_and_crops")


def draws_and_crops_leave_the_same_bytes(setup):
    leaves_the_same_bytes(setup, "draws_and_crops", 10)


def spectrogram_trains(setup):
    trains_as_in_tensorflow(setup, "spectrogram")


def spectrogram_leaves_the_same_bytes(setup):
    leaves_the_same_bytes(setup, "spectrogram", 10)


def leaves_the_same_bytes(setup, name, steps):
    """The model's epochs on one thread, on several, and stopped after each step."""
    folder, trainer = MODELS / name, setup.dir / "trainer"
    setup.compile(folder / "train.meta", "-o", trainer).expect(0)

    def train(name, last, threads):
        setup.run(
            trainer, "--model-dir", setup.dir / name, "--init-from", folder / "model.ckpt-0", "--max-steps", last,
            "--threads", threads, "--summary-steps", 0, "--log-steps", 0, "--quiet",
        ).expect(0)  # fmt: skip

    train("whole", steps, 1)
    for threads in (2, 3, 8):
        train(f"on-{threads}", steps, threads)
        harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / f"on-{threads}", steps)
    for last in range(1, steps):
        train(f"stopped-{last}", last, 2)
        train(f"stopped-{last}", steps, 3)
        harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / f"stopped-{last}", steps)


def dropout_and_label_smoothing_train(setup):
    trains_as_in_tensorflow(setup, "dropout_and_label_smoothing")


def reference_variables_train(setup):
    trains_as_in_tensorflow(setup, "reference_variables")


def an_autoencoder_trains(setup):
    trains_as_in_tensorflow(setup, "autoencoder")


def a_transformer_trains(setup):
    trains_as_in_tensorflow(setup, "transformer")


def keras_layers_train(setup):
    trains_as_in_tensorflow(setup, "keras_layers")


def recurrent_layers_train(setup):
    trains_as_in_tensorflow(setup, "recurrent_layers")


def batches_that_share_rows_train(setup):
    trains_as_in_tensorflow(setup, "lagged_windows")


def a_dynamic_rnn_trains(setup):
    trains_as_in_tensorflow(setup, "dynamic_rnn")


def images_in_files_train(setup):
    trains_as_in_tensorflow(setup, "image_files")


def images_in_files_go_on_after_each_step(setup):
    """And a file that is cut off is named with its op."""
    folder, data = MODELS / "image_files", setup.dir / "data"
    shutil.copytree(folder, data)
    trainer, steps = setup.dir / "trainer", 12
    setup.compile(folder / "train.meta", "-o", trainer).expect(0)

    def train(name, last):
        return setup.run(
            trainer, "--model-dir", setup.dir / name, "--init-from", folder / "model.ckpt-0", "--data-dir", data,
            "--max-steps", last, "--summary-steps", 0, "--log-steps", 0, "--quiet",
        )  # fmt: skip

    train("whole", steps).expect(0)
    for last in range(1, steps):
        train(f"stopped-{last}", last).expect(0)
        train(f"stopped-{last}", steps).expect(0)
        harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / f"stopped-{last}", steps)
    cut = data / "7.jpg"
    cut.write_bytes(cut.read_bytes()[:150])
    train("cut", steps).expect(1, "DecodeJpeg': Invalid JPEG data of 150 bytes")


def embeddings_train(setup):
    trains_as_in_tensorflow(setup, "embeddings")


def a_keras_network_with_dropout_trains(setup):
    trains_as_in_tensorflow(setup, "keras_cnn")


def accumulated_gradients_train(setup):
    trains_as_in_tensorflow(setup, "accumulated_gradients")


def a_wide_and_deep_estimator_trains(setup):
    trains_as_in_tensorflow(setup, "wide_and_deep")


if __name__ == "__main__":
    harness.main(globals())
