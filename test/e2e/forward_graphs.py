# SPDX-License-Identifier: Apache-2.0
"""Graphs that only predict become trainers (--loss, --optimizer), with the losses that TensorFlow has."""
import json
import re

import harness
from with_tensorflow import tensorflow

FORWARD = harness.SOURCE / "test" / "data" / "forward"
FEEDS = [part for name in ("x", "word", "label") for part in ("--feed", f"{name}:0=@{FORWARD / name}.npy")]


def compileFor(setup, optimizer, loss="loss", graph=FORWARD / "graph.pb"):
    trainer = setup.dir / f"{loss}-{optimizer}"
    setup.run(setup.ingotc, graph, "--loss", loss, "--optimizer", optimizer, "-o", trainer).expect(0)
    return trainer


def lossAfter(setup, trainer, steps, *more, fetch="loss:0"):
    """The loss of the last of `steps` steps."""
    said = setup.run(trainer, "run", "step", "--times", steps, *FEEDS, "--fetch", fetch, *more).expect(0).out
    return float(re.search(r"= (\S+)", said)[1])


def agree(setup, expect):
    for optimizer, losses in expect.items():
        trainer = compileFor(setup, optimizer)
        for steps in (1, 2, len(losses)):
            found, expected = lossAfter(setup, trainer, steps), losses[steps - 1]
            assert abs(found - expected) <= 2e-5 * abs(expected), f"{optimizer}, step {steps}: {found}, TensorFlow {expected}"


def forward_graphs_train_as_tensorflow_trained_them(setup):
    agree(setup, json.loads((FORWARD / "expect.json").read_text()))


def forward_graphs_train_as_tensorflow_trains_them(setup):
    python = tensorflow()
    setup.run(python, "-B", FORWARD / "make.py", setup.dir).expect(0)
    agree(setup, json.loads((setup.dir / "expect.json").read_text()))


def forward_graphs_go_on_from_their_checkpoints(setup):
    trainer = compileFor(setup, "adam:0.01")
    model = setup.dir / "model"
    lossAfter(setup, trainer, 7, "--model-dir", model)
    found = lossAfter(setup, trainer, 13, "--model-dir", model)
    assert found == lossAfter(setup, trainer, 20), found


def the_mean_of_losses_is_the_loss(setup):
    one, several = (compileFor(setup, "sgd:0.2", loss) for loss in ("loss", "losses_out"))
    fetched = lossAfter(setup, several, 5, fetch="losses_out:0")
    assert abs(fetched - lossAfter(setup, compileFor(setup, "sgd:0.2"), 5)) < 1e-6, fetched


def weights_decay(setup):
    plain = lossAfter(setup, compileFor(setup, "adam:0.01"), 20)
    decayed = lossAfter(setup, compileFor(setup, "adamw:0.01,epsilon=1e-8,weight_decay=0.5"), 20)
    still = lossAfter(setup, compileFor(setup, "adamw:0.01,epsilon=1e-8,weight_decay=0"), 20)
    assert still == plain and decayed != plain, (plain, still, decayed)


def losses_that_cannot_be_trained_are_refused(setup):
    def refused(code, words, *flags):
        setup.run(setup.ingotc, FORWARD / "graph.pb", *flags, "-o", setup.dir / "none").expect(code, words)

    refused(2, "--loss and --optimizer must be given together", "--loss", "loss")
    refused(2, "unknown optimizer 'newton'", "--loss", "loss", "--optimizer", "newton:1")
    refused(2, "has no learning rate", "--loss", "loss", "--optimizer", "adam")
    refused(2, "adam has no option 'gamma'", "--loss", "loss", "--optimizer", "adam:1,gamma=2")
    refused(2, "'nothing' is neither a fetch of an entry nor a tensor of the graph", "--loss", "nothing", "--optimizer", "sgd:1")
    refused(3, "depends on no trainable variable", "--loss", "x", "--optimizer", "sgd:1")


if __name__ == "__main__":
    harness.main(globals())
