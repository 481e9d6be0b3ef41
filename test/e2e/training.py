# SPDX-License-Identifier: Apache-2.0
"""The numbers of a run, against those that TensorFlow computed."""
import json
import math

import harness
from bundle import Bundle

EXPECT = json.loads((harness.REFERENCE / "expect.json").read_text())


def agree(name, found, expected, early=5e-5, late=2e-3):
    """`early` relative over the first 30 steps, `late` to the end: what kernels
    that sum in another order stay well within, and wrong ones do not."""
    assert len(found) == len(expected), f"{len(found)} steps, expected {len(expected)}"
    worst = [0.0, 0.0]
    for step, (a, b) in enumerate(zip(found, expected)):
        is_late = step >= 30
        error = abs(a - b) / max(abs(b), 1e-30)
        worst[is_late] = max(worst[is_late], error)
        limit = late if is_late else early
        assert error <= limit, (
            f"{name} of step {step + 1}: {a}, TensorFlow's {b}: {error:.2e} relative, "
            f"at most {limit}"
        )
    print(f"{name}: worst relative difference {worst[0]:.1e} in 30 steps, {worst[1]:.1e} later")


def run_reference(setup, *flags):
    """Trains from TensorFlow's model.ckpt-0 over all the steps that it ran."""
    losses = setup.dir / "losses"
    setup.train(
        setup.dir / "run", "--init-from", harness.REFERENCE / "model.ckpt-0",
        "--max-steps", EXPECT["steps"], "--losses", losses, *flags,
    ).expect(0)  # fmt: skip
    lines = harness.read_losses(losses)
    assert [line["step"] for line in lines] == list(range(1, EXPECT["steps"] + 1))
    return lines


def losses_agree_with_tensorflow(setup):
    lines = run_reference(setup)
    agree("loss", [line["loss"] for line in lines], EXPECT["loss"])


def accuracy_agrees_with_tensorflow(setup):
    tensor = EXPECT["fetches"]["accuracy"]
    lines = run_reference(setup, "--fetch", tensor)
    agree("accuracy", [line[tensor] for line in lines], EXPECT["fetched"]["accuracy"])


def initial_variables_are_tensorflows(setup):
    setup.train(setup.dir / "run", "--steps", 0).expect(0)
    ours = Bundle(setup.dir / "run" / "model.ckpt-0")
    theirs = Bundle(harness.REFERENCE / "model.ckpt-0")
    assert ours.numeric() == theirs.numeric(), f"{ours.numeric()}, {theirs.numeric()}"
    assert len(theirs.numeric()) > 10
    worst = 0.0
    for name in theirs.numeric():
        assert ours.entries[name].shape == theirs.entries[name].shape, name
        for a, b in zip(ours.values(name), theirs.values(name)):
            assert math.isfinite(a), name
            worst = max(worst, abs(a - b))
            assert abs(a - b) <= 1e-6, f"{name}: {a}, TensorFlow's {b}"
    print(f"{len(theirs.numeric())} variables, largest difference {worst:.1e}")


def threads_do_not_change_a_byte(setup):
    for threads in (1, 2, 3):
        setup.train(
            setup.dir / str(threads), "--threads", threads, "--max-steps", 120,
            "--losses", setup.dir / f"losses-{threads}",
        ).expect(0)  # fmt: skip
    for threads in (2, 3):
        harness.assert_same_checkpoint(setup.dir / "1", setup.dir / str(threads), 120)
        one, other = (setup.dir / f"losses-{n}" for n in (1, threads))
        assert one.read_bytes() == other.read_bytes(), f"losses with {threads} threads"


if __name__ == "__main__":
    harness.main(globals())
