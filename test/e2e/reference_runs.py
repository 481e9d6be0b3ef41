# SPDX-License-Identifier: Apache-2.0
"""Graphs that TensorFlow and AdaNet wrote and ran, trained from the same
checkpoint on the same data, against the figures that came of it.

test/data/RUN: the graph, its first checkpoints, its data, and expect.json, as
TensorFlow 2.15.1 and adanet 0.9.0 left them.
"""
import json
import shutil

import harness
from bundle import Bundle
from training import agree


class Run:
    """A reference run and a folder to train it in."""

    def __init__(self, setup, name):
        self.setup, self.data = setup, harness.SOURCE / "test" / "data" / name
        self.expect = json.loads((self.data / "expect.json").read_text())

    def compile(self, graph, *flags):
        trainer = self.setup.dir / "trainer"
        self.setup.compile(self.data / graph, "-o", trainer, *flags).expect(0)
        return trainer

    def train(self, trainer, steps, *flags, model_dir="run"):
        """The lines of --losses."""
        losses = self.setup.dir / "losses"
        losses.unlink(missing_ok=True)
        self.setup.run(
            trainer, "--model-dir", self.setup.dir / model_dir, "--data-dir", self.data,
            "--steps", steps, "--losses", losses, "--summary-steps", 0, "--log-steps", 0,
            *flags,
        ).expect(0)  # fmt: skip
        lines = harness.read_losses(losses)
        assert len(lines) == steps, f"{len(lines)} steps of {steps}"
        return lines


def trains_as_in_tensorflow(setup, name):
    """Losses and whatever else was fetched, and the variables in the end."""
    run = Run(setup, name)
    fetches = run.expect["fetches"]
    observed = [f"--observe={tensor}" for tensor in fetches.values()]
    trainer = run.compile("train.meta", *observed)
    flags = [word for tensor in fetches.values() for word in ("--fetch", tensor)]
    lines = run.train(
        trainer, run.expect["steps"], "--init-from", run.data / "model.ckpt-0", *flags
    )
    agree("loss", [line["loss"] for line in lines], run.expect["loss"])
    for key, tensor in fetches.items():
        agree(key, [line[tensor] for line in lines], run.expect["fetched"][key])
    steps = run.expect["steps"]
    ours = Bundle(setup.dir / "run" / f"model.ckpt-{steps}")
    theirs = Bundle(run.data / f"model.ckpt-{steps}")
    assert ours.numeric() == theirs.numeric(), f"{ours.numeric()}, {theirs.numeric()}"
    for variable in theirs.numeric():
        found, expected = ours.values(variable), theirs.values(variable)
        slack = 2e-3 * max(abs(x) for x in expected) + 1e-7
        for a, b in zip(found, expected, strict=True):
            assert abs(a - b) <= slack, f"{variable}: {a}, TensorFlow's {b}"


def conv_momentum_trains_as_in_tensorflow(setup):
    trains_as_in_tensorflow(setup, "conv_momentum")


def csv_regression_trains_as_in_tensorflow(setup):
    trains_as_in_tensorflow(setup, "csv_regression")


def embedding_sparse_trains_as_in_tensorflow(setup):
    trains_as_in_tensorflow(setup, "embedding_sparse")


def iterations_train_as_in_adanet(setup, name, graphs, early, late):
    """The graph of each iteration, in a folder whose newest checkpoint is the
    one that the iteration began with. What a step runs (AN-036, 037), where the
    state comes from (AN-071, 086) and what the loss is (AN-041) nobody says. The
    losses are AdaNet's from the first one, of matrix weights that are zero
    (AN-152), so each trains what is its own (AN-038), by values from before the
    step (AN-044)."""
    run = Run(setup, name)
    for i, graph in enumerate(graphs):
        loss = f"adanet/iteration_{i}/best_loss/Reshape:0"
        expected = [value for _, value, tensor in run.expect["loss_by_step"] if tensor == loss]
        assert len(expected) >= 80, f"{len(expected)} figures of {loss}"
        trainer = run.compile(graph)
        start = f"increment.ckpt-{i}" if i else "model.ckpt-0"
        folder = setup.dir / f"run{i}"
        folder.mkdir()
        for path in run.data.glob(start + ".*"):
            shutil.copy(path, folder)
        (folder / "checkpoint").write_text(f'model_checkpoint_path: "{start}"\n')
        lines = run.train(trainer, len(expected), model_dir=folder.name)
        found = [line["loss"] for line in lines]
        agree(f"{name}, iteration {i}", found, expected, early, late)


def adanet_digits_trains_as_in_adanet(setup):
    # Within one session.run of TensorFlow's, the loss reads variables while
    # other ops write them: its own runs differ by 1.5e-3 and 1e-2.
    graphs = [f"model.ckpt-{step}.meta" for step in (50, 150, 250)]
    iterations_train_as_in_adanet(setup, "adanet_digits", graphs, 5e-3, 3e-2)


def adanet_diabetes_trains_as_in_adanet(setup):
    graphs = [f"model.ckpt-{step}.meta" for step in (50, 130, 210)]
    iterations_train_as_in_adanet(setup, "adanet_diabetes", graphs, 5e-5, 2e-3)


if __name__ == "__main__":
    harness.main(globals())
