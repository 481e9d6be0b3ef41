# SPDX-License-Identifier: Apache-2.0
"""Sizes that do not fit are refused as TensorFlow refuses them, before anything
is changed (test/data/sizes/make.py)."""
import json

import harness

SIZES = harness.SOURCE / "test" / "data" / "sizes"


def trainer_of(setup, cases=()):
    trainer = setup.dir / "trainer"
    entries = [f"--entry={name}={','.join(case['inputs'])}->{case['result']}" for name, case in cases]
    setup.compile(SIZES / "train.meta", "-o", trainer, *entries).expect(0)
    return trainer


def sizes_that_do_not_fit_are_refused(setup):
    cases = json.loads((SIZES / "refusals.json").read_text())
    trainer = trainer_of(setup, cases.items())

    def run(name, case, values):
        feeds = [
            flag
            for tensor, value in zip(case["inputs"], values)
            for flag in ("--feed", f"{tensor}={json.dumps(value)}")
        ]
        return setup.run(trainer, "run", name, *feeds, "--fetch", case["result"])

    for name, case in cases.items():
        run(name, case, case["right"]).expect(0)
        # The words are TensorFlow's; after them the message names the tensors.
        refused = run(name, case, case["wrong"]).expect(1, f"node '{case['scope']}")
        assert case["tensorflow"] in refused.err, f"{name}: {refused.err}\nTensorFlow: {case['tensorflow']}"


def a_refused_step_changes_nothing(setup):
    trainer = trainer_of(setup)
    flags = ["--data-dir", SIZES, "--save-checkpoints-steps", 1, "--summary-steps", 0, "--log-steps", 0]
    whole, part = setup.dir / "whole", setup.dir / "part"
    # The fourth element has five numbers, the variable four.
    refused = setup.run(trainer, "--model-dir", whole, "--max-steps", 5, *flags).expect(1, "add", "[4]", "[5]")
    assert "Incompatible shapes: [4] vs. [5]" in refused.err or "shapes must be equal" in refused.err, refused.err
    setup.run(trainer, "--model-dir", part, "--max-steps", 3, *flags).expect(0)
    harness.assert_same_checkpoint(whole, part, 3)
    assert not list(whole.glob("model.ckpt-4*")), "a step that was refused was saved"
    # It is taken up where it stood, and meets the same element.
    again = setup.run(trainer, "--model-dir", whole, "--max-steps", 5, *flags).expect(1, "add")
    harness.assert_same_checkpoint(whole, part, 3)
    assert "[4]" in again.err, again.err


if __name__ == "__main__":
    harness.main(globals())
