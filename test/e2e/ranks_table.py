# SPDX-License-Identifier: Apache-2.0
"""Graphs of many kinds on 1 to 8 processes: the same bytes on each number, and the numbers of a program that is not split."""
import itertools

import harness
import ranks
from bundle import Bundle

DATA = harness.SOURCE / "test" / "data"
SLICES, STEPS = 8, 10


def checkpoint_of(setup, folder):
    """The prefix of a run's last checkpoint."""
    found = [p.with_suffix("") for p in (setup.dir / folder).glob("*.index")]
    return max(found, key=lambda prefix: int(prefix.name.split("-")[-1]))


def agrees_with_the_whole(setup, name, alone, flags, compiled, noise):
    """The same variables as those of a program without slices, to the accuracy of float32. The gradients of `noise` are 0
    but for rounding; Adam makes steps of them."""
    whole = ranks.Trainer(setup, *compiled, data=DATA / name, name="whole")
    whole.run(None, 1, "not-split", *flags).expect(0)
    ours, theirs = Bundle(checkpoint_of(setup, alone)), Bundle(checkpoint_of(setup, "not-split"))
    assert ours.numeric() == theirs.numeric(), f"{ours.numeric()}, {theirs.numeric()}"
    for variable in theirs.numeric():
        if variable.startswith(noise):
            continue
        found, expected = ours.values(variable), theirs.values(variable)
        slack = 1e-3 * max((abs(x) for x in expected), default=0) + 1e-6
        for a, b in zip(found, expected, strict=True):
            assert abs(a - b) <= slack, f"{variable}: {a}, {b} without slices"


def trains_alike(setup, name, *compiled, noise=()):
    """A graph of test/data."""
    engines = itertools.cycle(ranks.engines())
    trainer = ranks.Trainer(setup, "--parallel", "--slices", SLICES, *compiled, data=DATA / name, name="parallel")
    flags = ("--init-from", DATA / name / "model.ckpt-0", "--steps", STEPS, "--seed", 5)
    trainer.run(None, 1, "alone", *flags, "--losses", setup.dir / "alone.losses").expect(0)
    step = checkpoint_of(setup, "alone").name.split("-")[-1]
    agrees_with_the_whole(setup, name, "alone", flags, compiled, noise)
    for number, engine in zip((1, 2, 3, 4, 8), engines):
        folder = f"run-{number}"
        trainer.run(engine, number, folder, *flags, "--losses", setup.dir / f"{folder}.losses").expect(0)
        harness.assert_same_checkpoint(setup.dir / folder, setup.dir / "alone", step)
        assert (setup.dir / f"{folder}.losses").read_bytes() == (setup.dir / "alone.losses").read_bytes()


def a_dense_network_trains_alike(setup):
    trains_alike(setup, "mlp_adam")


def a_convolution_with_moving_averages_trains_alike(setup):
    trains_alike(setup, "conv_momentum")


def rows_of_a_table_train_alike(setup):
    trains_alike(setup, "embedding_sparse")


def columns_of_csv_train_alike(setup):
    trains_alike(setup, "csv_regression")


def a_wide_and_deep_estimator_trains_alike(setup):
    """Examples that the step parses, sparse columns of strings, two optimizers."""
    trains_alike(setup, "models/wide_and_deep", "--step=training/group_deps")


def a_keras_network_with_dropout_trains_alike(setup):
    trains_alike(setup, "models/keras_cnn")


def a_transformer_with_clipped_gradients_trains_alike(setup):
    # What all keys have in common does not change attention.
    trains_alike(setup, "models/transformer", noise=("k0/bias", "k1/bias"))


def accumulated_gradients_train_alike(setup):
    """A scaled loss, clipped by a global norm, added up over three steps; averages of weights."""
    trains_alike(setup, "models/accumulated_gradients")


def loops_over_time_train_alike(setup):
    trains_alike(setup, "models/dynamic_rnn")


def recurrent_layers_train_alike(setup):
    trains_alike(setup, "models/recurrent_layers")


def short_batches_train_alike(setup):
    trains_alike(setup, "models/short_last_batch")


if __name__ == "__main__":
    harness.main({name: f for name, f in globals().items() if callable(f)})
