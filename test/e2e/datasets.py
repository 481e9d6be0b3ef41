"""A graph with an iterator for each kind of dataset (make_pipelines.py under
test/data/input), against the elements that TensorFlow's own iterators gave."""
import json

import harness

INPUT = harness.SOURCE / "test" / "data" / "input"


def compiled(setup, graph="pipelines.meta", expected="pipelines.json", more=()):
    expect = json.loads((INPUT / expected).read_text())
    trainer = setup.dir / "trainer"
    observed = [f"--observe={tensor}" for tensor in expect["tensors"]] + list(more)
    setup.compile(INPUT / graph, "-o", trainer, *observed).expect(0)
    return expect, trainer


def train(setup, trainer, tensors, run, losses, *flags):
    fetches = [flag for tensor in tensors for flag in ("--fetch", tensor)]
    return setup.run(
        trainer, "--model-dir", setup.dir / run, "--data-dir", INPUT, "--loss", tensors[0],
        "--losses", setup.dir / losses, "--log-steps", 0, "--quiet", *fetches, *flags,
    )  # fmt: skip


def elements(setup, tensors, losses):
    return [[line[tensor] for tensor in tensors] for line in harness.read_losses(setup.dir / losses)]


def assert_same_elements(tensors, found, expected):
    for number, tensor in enumerate(tensors):
        a, b = ([step[number] for step in steps] for steps in (found, expected))
        assert a == b, f"{tensor}:\n{a}\nexpected\n{b}"


def datasets_hand_out_tensorflows_elements(setup):
    expect, trainer = compiled(setup)
    tensors, steps = expect["tensors"], expect["steps"]
    train(setup, trainer, tensors, "run", "losses", "--max-steps", len(steps)).expect(0)
    assert_same_elements(tensors, elements(setup, tensors, "losses"), steps)


def datasets_of_old_names_hand_out_the_same(setup):
    expect, trainer = compiled(setup, "pipelines_1_13.meta")
    tensors, steps = expect["tensors"], expect["steps"]
    train(setup, trainer, tensors, "run", "losses", "--max-steps", len(steps)).expect(0)
    assert_same_elements(tensors, elements(setup, tensors, "losses"), steps)


def file_names_are_mapped(setup):
    expect, trainer = compiled(setup)
    tensors = expect["tensors"]
    flags = [trainer, "--model-dir", setup.dir / "run", "--losses", setup.dir / "losses", "--max-steps", 3]
    flags += ["--loss", tensors[0], "--quiet", *(f for tensor in tensors for f in ("--fetch", tensor))]
    setup.run(*flags, "--data-map", "records").expect(2, "--data-map: expected FROM=TO, found 'records'")
    files = ("records.tfrecord", "records.tfrecord.gz", "records.tfrecord.zlib", "numbers.txt")
    for name in files:
        flags += ["--data-map", f"{name}={INPUT / name}"]
    setup.run(*flags, cwd=setup.dir).expect(0)
    assert_same_elements(tensors, elements(setup, tensors, "losses"), expect["steps"][:3])


def parsed(setup):
    return compiled(setup, "parsed.meta", "parsed.json")


def examples_are_parsed_as_in_tensorflow(setup):
    """One by one and by batch, of a size that is known or not (make_parsed.py)."""
    expect, trainer = parsed(setup)
    tensors, steps = expect["tensors"], expect["steps"]
    train(setup, trainer, tensors, "run", "losses", "--max-steps", len(steps)).expect(0)
    assert_same_elements(tensors, elements(setup, tensors, "losses"), steps)


def parsed_examples_go_on_at_the_next_one(setup):
    expect, trainer = parsed(setup)
    tensors, steps = expect["tensors"], expect["steps"]
    train(setup, trainer, tensors, "whole", "losses", "--max-steps", len(steps)).expect(0)
    for step in range(1, len(steps), 3):
        run, losses = f"run-{step}", f"losses-{step}"
        train(setup, trainer, tensors, run, losses, "--max-steps", step).expect(0)
        train(setup, trainer, tensors, run, losses, "--max-steps", len(steps)).expect(0)
        assert_same_elements(tensors, elements(setup, tensors, losses), steps)
        harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / run, len(steps))


def every_dataset_goes_on_at_the_next_element(setup):
    expect, trainer = compiled(setup)
    tensors, steps = expect["tensors"], expect["steps"]
    train(setup, trainer, tensors, "whole", "losses", "--max-steps", len(steps)).expect(0)
    for step in range(1, len(steps)):
        run, losses = f"run-{step}", f"losses-{step}"
        train(setup, trainer, tensors, run, losses, "--max-steps", step).expect(0)
        train(setup, trainer, tensors, run, losses, "--max-steps", len(steps)).expect(0)
        assert_same_elements(tensors, elements(setup, tensors, losses), steps)
        harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / run, len(steps))


if __name__ == "__main__":
    harness.main(globals())
