# SPDX-License-Identifier: Apache-2.0
"""Programs whose steps are split over the slices of their batches, in one
process: against the numbers that TensorFlow had for the whole batch."""
import collections
import itertools
import json
import lzma
import re

import harness
import ranks
from bundle import Bundle
from training import agree

DATA = harness.SOURCE / "test" / "data"


def split(setup, graph, slices, *flags):
    """The trainer of a graph, and what the compiler said."""
    trainer = setup.dir / f"trainer-{slices}"
    said = setup.compile(
        graph, "-o", trainer, "--parallel", "--slices", slices, "--remarks", *flags
    ).expect(0)
    return trainer, said.err


def train(setup, trainer, folder, name, steps, *flags):
    """The lines of --losses."""
    losses = setup.dir / f"{name}.losses"
    setup.run(
        trainer, "--model-dir", setup.dir / name, "--data-dir", folder, "--steps", steps,
        "--losses", losses, "--summary-steps", 0, "--log-steps", 0, *flags,
    ).expect(0)  # fmt: skip
    return harness.read_losses(losses)


def trains_as_in_tensorflow(setup, name, *slices):
    """A model of test/data/models, cut into each number of slices: some divide
    its batches, some do not."""
    folder = DATA / "models" / name
    expect = json.loads((folder / "expect.json").read_text())
    loss = expect["loss_tensor"]
    for count in slices:
        trainer, _ = split(
            setup, folder / "train.meta", count, f"--observe={loss}", *expect["flags"]
        )
        lines = train(
            setup, trainer, folder, f"{name}-{count}", len(expect["loss"]),
            "--init-from", folder / "model.ckpt-0", "--loss", loss,
        )  # fmt: skip
        agree(f"loss of {count} slices", [line["loss"] for line in lines], expect["loss"])


def a_reference_run_trains_as_in_tensorflow(setup, name, *slices):
    """A run of test/data: losses, and the variables in the end."""
    folder = DATA / name
    expect = json.loads((folder / "expect.json").read_text())
    for count in slices:
        trainer, _ = split(setup, folder / "train.meta", count)
        run = f"run-{count}"
        lines = train(
            setup, trainer, folder, run, expect["steps"], "--init-from", folder / "model.ckpt-0"
        )
        agree(f"loss of {count} slices", [line["loss"] for line in lines], expect["loss"])
        last = f"model.ckpt-{expect['steps']}"
        ours, theirs = Bundle(setup.dir / run / last), Bundle(folder / last)
        assert ours.numeric() == theirs.numeric(), f"{ours.numeric()}, {theirs.numeric()}"
        for variable in theirs.numeric():
            found, expected = ours.values(variable), theirs.values(variable)
            slack = 2e-3 * max(abs(x) for x in expected) + 1e-7
            for a, b in zip(found, expected, strict=True):
                assert abs(a - b) <= slack, f"{variable}: {a}, TensorFlow's {b}"


def a_split_dense_network_trains(setup):
    a_reference_run_trains_as_in_tensorflow(setup, "mlp_adam", 2, 8)


def a_split_convolution_with_batch_norm_trains(setup):
    a_reference_run_trains_as_in_tensorflow(setup, "conv_momentum", 2, 4)


def a_split_table_of_rows_trains(setup):
    a_reference_run_trains_as_in_tensorflow(setup, "embedding_sparse", 4, 8)


def split_csv_trains(setup):
    a_reference_run_trains_as_in_tensorflow(setup, "csv_regression", 4)


def split_short_batches_train(setup):
    """Also of fewer rows than slices."""
    trains_as_in_tensorflow(setup, "short_last_batch", 2, 4, 16)
    trains_as_in_tensorflow(setup, "full_batches_and_a_short_one", 4)


def split_dropout_draws_the_masks_of_the_whole_batch(setup):
    trains_as_in_tensorflow(setup, "dropout_and_label_smoothing", 2, 4)


def a_split_transformer_trains(setup):
    trains_as_in_tensorflow(setup, "transformer", 2, 3)


def split_embeddings_train(setup):
    trains_as_in_tensorflow(setup, "embeddings", 2, 4)


def split_keras_layers_train(setup):
    trains_as_in_tensorflow(setup, "keras_layers", 2, 4)


def a_split_keras_network_with_dropout_trains(setup):
    trains_as_in_tensorflow(setup, "keras_cnn", 2, 4)


def split_accumulated_gradients_train(setup):
    trains_as_in_tensorflow(setup, "accumulated_gradients", 2, 8)


def split_recurrent_layers_train(setup):
    trains_as_in_tensorflow(setup, "recurrent_layers", 2, 4)
    trains_as_in_tensorflow(setup, "dynamic_rnn", 2)


def a_split_wide_and_deep_estimator_trains(setup):
    """Examples that the step parses: of what is parsed, slices read their rows."""
    trains_as_in_tensorflow(setup, "wide_and_deep", 2, 8)


def other_split_models_train(setup):
    for name in ("autoencoder", "reference_variables", "lagged_windows", "image_files"):
        trains_as_in_tensorflow(setup, name, 2)


def a_smooth_residual_network_agrees_with_the_whole(setup):
    """Twenty layers with batch normalization. With ReLUs, gradients of activations that are within rounding of 0 would be all
    or nothing; with tanh, variables and moving averages agree."""
    file = setup.dir / "smooth.mlir"
    setup.compile(harness.GRAPHS / "resnet-20.meta", "--emit=mlir", "--stage=import", "-o", file).expect(0)
    text = re.sub(r"ingot\.relu_grad (%\S+), (%\S+) :", r"ingot.tanh_grad \2, \1 :", file.read_text())
    file.write_text(text.replace("ingot.relu ", "ingot.tanh "))
    flags, runs = ("--summary-steps", 0, "--log-steps", 0, "--seed", 5), {}
    for name, split_flags in (("whole", ()), ("sliced", ("--parallel", "--slices", 4))):
        trainer = setup.dir / f"{name}-trainer"
        setup.compile(file, *split_flags, "-o", trainer).expect(0)
        start = ("--init-from", setup.dir / "whole" / "model.ckpt-0") if split_flags else ()
        setup.run(trainer, "--model-dir", setup.dir / name, "--steps", 5, *flags, *start).expect(0)
        runs[name] = Bundle(setup.dir / name / "model.ckpt-5")
    assert any("moving_variance" in variable for variable in runs["whole"].numeric())
    for variable in runs["whole"].numeric():
        found, expected = runs["sliced"].values(variable), runs["whole"].values(variable)
        slack = 1e-4 * max(abs(x) for x in expected) + 1e-7
        for a, b in zip(found, expected, strict=True):
            assert abs(a - b) <= slack, f"{variable}: {a}, {b} without slices"


def ranks_share_slices_and_change_no_byte(setup):
    """Phases of a batch normalization, gathered rows of a table, short batches, and masks of a dropout: 2 to 4 ranks of
    either MPI against the process alone."""
    found = ranks.engines()
    for name, slices in (
        ("conv_momentum", 4), ("embedding_sparse", 8), ("models/short_last_batch", 8),
        ("models/full_batches_and_a_short_one", 4), ("models/dropout_and_label_smoothing", 5),
        ("models/transformer", 3),
    ):  # fmt: skip
        short = name.rsplit("/", maxsplit=1)[-1]
        trainer = ranks.Trainer(setup, "--parallel", "--slices", slices, data=DATA / name, name=short)
        flags = ("--init-from", DATA / name / "model.ckpt-0", "--steps", 10)
        trainer.run(None, 1, f"{short}-alone", *flags).expect(0)
        (last,) = {p.name.split("-")[1].split(".")[0] for p in (setup.dir / f"{short}-alone").glob("*.index")} - {"0"}
        for number, engine in zip((2, 3, 4), itertools.cycle(found)):
            if number > slices:
                continue
            folder = f"{short}-{number}"
            trainer.run(engine, number, folder, *flags).expect(0)
            harness.assert_same_checkpoint(setup.dir / folder, setup.dir / f"{short}-alone", last)


def ranks_share_batches_from_queues(setup):
    """Batches that a step dequeues, of which each rank computes its rows: the same bytes, also where a run is resumed."""
    engines = itertools.cycle(ranks.engines())
    for name in ("batch", "shuffled", "staged", "kept_batches"):
        (setup.dir / f"{name}.meta").write_bytes(lzma.decompress((DATA / "queues" / f"{name}.meta.xz").read_bytes()))
        trainer = ranks.Trainer(setup, "--parallel", "--slices", 4, graph=setup.dir / f"{name}.meta", data=DATA / "queues", name=name)
        trainer.run(None, 1, f"{name}-1", "--max-steps", 8, "--seed", 3).expect(0)
        for number in (2, 3, 4):
            for steps in (3, 8):
                trainer.run(next(engines), number, f"{name}-{number}", "--max-steps", steps, "--seed", 3).expect(0)
            harness.assert_same_checkpoint(setup.dir / f"{name}-{number}", setup.dir / f"{name}-1", 8)


def a_rank_alone_computes_all_rows_at_once(setup):
    """Each GEMM of the forward pass runs once a step, also in slices of a full batch beside short ones, while two ranks run it for each of their slices."""
    engine = ranks.engines()[0]
    for name, slices in (("mlp_adam", 4), ("models/full_batches_and_a_short_one", 3)):
        short = name.rsplit("/", maxsplit=1)[-1]
        trainer = ranks.Trainer(setup, "--parallel", "--slices", slices, data=DATA / name, name=short)
        launches = {}
        for number in (1, 2):
            folder, trace = f"{short}-{number}", setup.dir / f"{short}-{number}.json"
            flags = ("--init-from", DATA / name / "model.ckpt-0", "--steps", 2, "--trace", trace)
            trainer.run(engine if number > 1 else None, number, folder, *flags).expect(0)
            events = json.loads(trace.read_text())
            events = events["traceEvents"] if isinstance(events, dict) else events
            one = max(event["pid"] for event in events)
            launches[number] = collections.Counter(
                event["name"] for event in events
                if event.get("cat") == "kernel" and "MatMul + " in event["name"] and "gradients" not in event["name"] and event["pid"] == one
            )  # fmt: skip
        assert launches[1] and set(launches[1].values()) == {2}, launches
        assert set(launches[2].values()) == {4}, launches
        harness.assert_same_checkpoint(setup.dir / f"{short}-1", setup.dir / f"{short}-2", 2)


if __name__ == "__main__":
    harness.main({name: f for name, f in globals().items() if callable(f)})
