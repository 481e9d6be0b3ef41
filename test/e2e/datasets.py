# SPDX-License-Identifier: Apache-2.0
"""A graph with an iterator for each kind of dataset (make_pipelines.py under
test/data/input), against the elements that TensorFlow's own iterators gave."""
import json
import socket

import harness
from bundle import Bundle

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
    hand_out_tensorflows_elements(setup, "pipelines")


def hand_out_tensorflows_elements(setup, name, version=""):
    expect, trainer = compiled(setup, f"{name}{version}.meta", f"{name}.json")
    tensors, steps = expect["tensors"], expect["steps"]
    train(setup, trainer, tensors, "run", "losses", "--max-steps", len(steps)).expect(0)
    assert_same_elements(tensors, elements(setup, tensors, "losses"), steps)


def datasets_of_old_names_hand_out_the_same(setup):
    hand_out_tensorflows_elements(setup, "pipelines", "_1_13")


def further_datasets_of_old_names_hand_out_the_same(setup):
    hand_out_tensorflows_elements(setup, "further_pipelines", "_1_13")


def listed_files_are_found_or_the_run_ends(setup):
    trainer = setup.dir / "trainer"
    setup.compile(INPUT / "list_files.meta", "-o", trainer, "--observe=loss:0").expect(0)
    run = (trainer, "--loss", "loss:0", "--losses", setup.dir / "losses", "--max-steps", 2, "--quiet")
    # TensorFlow's sentence.
    setup.run(*run, "--model-dir", setup.dir / "none", "--data-dir", setup.dir).expect(
        1, "No files matched pattern: missing-*.txt, found-?.txt")  # fmt: skip
    for name in ("found-1.txt", "found-2.txt", "found-10.txt"):
        (setup.dir / name).write_text("")
    setup.run(*run, "--model-dir", setup.dir / "some", "--data-dir", setup.dir).expect(0)
    assert [line["loss"] for line in harness.read_losses(setup.dir / "losses")] == [169.0, 169.0]  # "./found-1.txt", as TensorFlow lists it


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


def further_datasets_hand_out_tensorflows_elements(setup):
    hand_out_tensorflows_elements(setup, "further_pipelines")


def functions_draw_tensorflows_random_numbers(setup):
    hand_out_tensorflows_elements(setup, "random_pipelines")


def every_further_dataset_goes_on_at_the_next_element(setup):
    go_on_at_the_next_element(setup, "further_pipelines")


def random_numbers_of_functions_go_on_at_the_next_one(setup):
    go_on_at_the_next_element(setup, "random_pipelines")


def every_dataset_goes_on_at_the_next_element(setup):
    go_on_at_the_next_element(setup, "pipelines")


def go_on_at_the_next_element(setup, name):
    expect, trainer = compiled(setup, f"{name}.meta", f"{name}.json")
    tensors, steps = expect["tensors"], expect["steps"]
    train(setup, trainer, tensors, "whole", "losses", "--max-steps", len(steps)).expect(0)
    for step in range(1, len(steps)):
        run, losses = f"run-{step}", f"losses-{step}"
        train(setup, trainer, tensors, run, losses, "--max-steps", step).expect(0)
        train(setup, trainer, tensors, run, losses, "--max-steps", len(steps)).expect(0)
        assert_same_elements(tensors, elements(setup, tensors, losses), steps)
        harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / run, len(steps))


def cached(setup, folder):
    """The graph of a cache in files, and flags that put these into a folder."""
    expect, trainer = compiled(setup, "cached_pipelines.meta", "cached_pipelines.json")
    (setup.dir / folder).mkdir()
    return expect, trainer, ["--data-map", f"cached={setup.dir / folder / 'cached'}"]


def names(setup, folder):
    return sorted(path.name for path in (setup.dir / folder).iterdir())


def a_cache_in_files_is_written_once_and_read_by_every_run(setup):
    expect, trainer, flags = cached(setup, "cache")
    tensors, steps = expect["tensors"], expect["steps"]
    train(setup, trainer, tensors, "first", "losses", "--max-steps", len(steps), *flags).expect(0)
    assert_same_elements(tensors, elements(setup, tensors, "losses"), steps)
    assert names(setup, "cache") == ["cached.data-00000-of-00001", "cached.index"], names(setup, "cache")
    files = [setup.dir / "cache" / name for name in names(setup, "cache")]
    times = [file.stat().st_mtime_ns for file in files]
    train(setup, trainer, tensors, "second", "again", "--max-steps", len(steps), *flags).expect(0)
    assert_same_elements(tensors, elements(setup, tensors, "again"), steps)
    assert times == [file.stat().st_mtime_ns for file in files]


def a_cache_that_tensorflow_wrote_is_read(setup):
    expect, trainer, flags = cached(setup, "cache")
    for name in ("cached.index", "cached.data-00000-of-00001"):
        (setup.dir / "cache" / name).write_bytes((INPUT / name).read_bytes())
    tensors, steps = expect["tensors"], expect["steps"]
    train(setup, trainer, tensors, "run", "losses", "--max-steps", len(steps), *flags).expect(0)
    assert_same_elements(tensors, elements(setup, tensors, "losses"), steps)
    assert (setup.dir / "cache" / "cached.index").read_bytes() == (INPUT / "cached.index").read_bytes()


def a_cache_that_was_half_written_goes_on_at_the_next_element(setup):
    expect, trainer, _ = cached(setup, "cache")
    tensors, steps = expect["tensors"], expect["steps"]
    for step in range(1, 15):
        folder = f"cache-{step}"
        (setup.dir / folder).mkdir()
        flags = ["--data-map", f"cached={setup.dir / folder / 'cached'}"]
        run, losses = f"run-{step}", f"losses-{step}"
        train(setup, trainer, tensors, run, losses, "--max-steps", step, *flags).expect(0)
        train(setup, trainer, tensors, run, losses, "--max-steps", len(steps), *flags).expect(0)
        assert_same_elements(tensors, elements(setup, tensors, losses), steps)
        assert names(setup, folder) == ["cached.data-00000-of-00001", "cached.index"], names(setup, folder)


def a_cache_that_another_process_writes_is_left_alone(setup):
    expect, trainer, flags = cached(setup, "cache")
    lock = setup.dir / "cache" / "cached_0.lockfile"
    lock.write_text("Created at: 1700000000")
    train(setup, trainer, expect["tensors"], "run", "losses", "--max-steps", 3, *flags).expect(
        1, "is being written by another process", "cached_0.lockfile")
    lock.write_text("Created at: 1700000000\npid 999999999 on " + socket.gethostname() + "\n")
    train(setup, trainer, expect["tensors"], "run", "losses", "--max-steps", 9, *flags).expect(0)


def handed_over(setup):
    """The graph of make_handed_over.py, and where its checkpoints are."""
    expect, trainer = compiled(setup, "handed_over.meta", "handed_over.json")
    return expect, trainer, expect["tensors"], expect["steps"]


def the_input_goes_on_in_the_middle_of_tensorflows_pass(setup):
    """From checkpoints that TensorFlow's Saver wrote, with elements that it had made ahead in prefetches, parallel maps,
    batches and interleaves; also where the run is stopped before these are used up."""
    expect, trainer, tensors, steps = handed_over(setup)
    for saved in expect["saved_after"]:
        run, losses = f"from-{saved}", f"losses-{saved}"
        start = ("--checkpoint", INPUT / f"handed_over-{saved}")
        train(setup, trainer, tensors, run, losses, "--max-steps", len(steps), *start).expect(0)
        assert_same_elements(tensors, elements(setup, tensors, losses), steps[saved:])
        for more in (1, 2, 4, 9):
            run, part = f"from-{saved}-{more}", f"losses-{saved}-{more}"
            train(setup, trainer, tensors, run, part, "--max-steps", saved + more, *start).expect(0)
            train(setup, trainer, tensors, run, part, "--max-steps", len(steps)).expect(0)
            assert_same_elements(tensors, elements(setup, tensors, part), steps[saved:])


def the_input_is_saved_for_tensorflow_and_read_again(setup):
    """What is saved in TensorFlow's form is as good as Ingot's own: without that, the run goes on just so."""
    expect, trainer, tensors, steps = handed_over(setup)
    form = ("--tensorflow-iterators", "--save-variables", "list")
    for step in (1, 5, 18, 30):
        run, losses = f"run-{step}", f"losses-{step}"
        train(setup, trainer, tensors, run, losses, "--max-steps", step, *form).expect(0)
        keys = Bundle(setup.dir / run / f"model.ckpt-{step}").entries
        assert sum(key.endswith(":0_STATE") for key in keys) == len(tensors) == len(keys) - 2, sorted(keys)
        train(setup, trainer, tensors, run, losses, "--max-steps", len(steps), *form).expect(0)
        assert_same_elements(tensors, elements(setup, tensors, losses), steps)


def positions_without_a_form_of_tensorflows_are_refused_by_name(setup):
    expect, trainer = compiled(setup, "further_pipelines.meta", "further_pipelines.json")
    flags = [trainer, expect["tensors"], "run", "losses", "--max-steps", 3, "--tensorflow-iterators"]
    train(setup, *flags).expect(1, "its position cannot be saved for TensorFlow", "can be neither read nor written: '")
    train(setup, *flags, "--write-version", "v1").expect(2, "--tensorflow-iterators needs checkpoints of format V2")


if __name__ == "__main__":
    harness.main(globals())
