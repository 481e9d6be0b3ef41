# SPDX-License-Identifier: Apache-2.0
"""Graphs compiled by default and with --reference train alike: optimized code computes what plain code does."""
import json

import harness
from training import agree

DATA = harness.SOURCE / "test" / "data"
BENCH = harness.SOURCE / "bench" / "graphs"
STEPS = 3

# Code of its own for full batches knows more sizes, and takes long sums in blocks; products of a loop that become one
# are longer sums; products in kernels that hold no register tiles round twice. ingot-bisect names which.
ROUNDED = {"autoencoder", "draws_and_crops", "full_batches_and_a_short_one", "keras_layers", "measured-lstm",
           "recurrent_layers", "reference_variables", "transformer", "wide_and_deep"}  # fmt: skip


def train(setup, name, graph, flags, trainFlags, compileFlags):
    trainer, folder = setup.dir / f"{name}.trainer", setup.dir / f"{name}.run"
    losses = setup.dir / f"{name}.losses"
    setup.compile(graph, "-o", trainer, "--cpu=native", *compileFlags, *flags).expect(0)
    setup.run(
        trainer, "--model-dir", folder, "--max-steps", STEPS, "--losses", losses, "--summary-steps", 0,
        "--log-steps", 0, *trainFlags,
    ).expect(0)  # fmt: skip
    data = (folder / f"model.ckpt-{STEPS}.data-00000-of-00001").read_bytes()
    return [line["loss"] for line in harness.read_losses(losses)], data


def trains_alike(setup, name, graph, flags=(), trainFlags=()):
    """Equal bytes, but where ROUNDED says so, losses that agree."""
    usual = train(setup, name, graph, flags, trainFlags, [])
    plain = train(setup, f"{name}.reference", graph, flags, trainFlags, ["--reference"])
    agree(f"{name}: loss", usual[0], plain[0])
    print(f"{name}: {'equal bytes' if usual == plain else 'losses agree'}")
    assert usual == plain or name in ROUNDED, f"{name}: other bytes than with --reference"


def models_train_as_without_rewrites(setup):
    for folder in sorted(DATA.glob("models/*/")):
        if not (folder / "expect.json").exists():
            continue
        expect = json.loads((folder / "expect.json").read_text())
        loss = expect["loss_tensor"]
        trains_alike(
            setup, folder.name, folder / "train.meta", [f"--observe={loss}", *expect["flags"]],
            ["--init-from", folder / "model.ckpt-0", "--data-dir", folder, "--loss", loss],
        )  # fmt: skip


def measured_graphs_train_as_without_rewrites(setup):
    for graph in sorted(BENCH.glob("*.meta")):
        if graph.stem not in ("mlp-wide", "resnet-20"):  # minutes of plain loops
            trains_alike(setup, f"measured-{graph.stem}", graph)


if __name__ == "__main__":
    harness.main(globals())
