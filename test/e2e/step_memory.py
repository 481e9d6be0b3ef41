# SPDX-License-Identifier: Apache-2.0
"""ingotc --max-step-memory: values are computed again instead of kept, and every byte stays the same."""
import json

import harness
from harness import GRAPHS, SOURCE

STEPS = 3


def compiled(setup, name, graph, *flags):
    """The trainer of a graph, and the bytes that its step needs."""
    trainer = setup.dir / name
    setup.compile(graph, "-o", trainer, "--cpu=native", *flags).expect(0)
    return trainer, step_memory(setup, trainer)


def step_memory(setup, trainer):
    info = json.loads(setup.run(trainer, "info", "--json").expect(0).out)
    (step,) = (entry["arena_bytes"] for entry in info["entries"] if entry["role"] == "step")
    return step


def trained(setup, trainer, threads, *flags):
    """What a run leaves: its losses, and its last checkpoint."""
    run = setup.dir / f"{trainer.name}.{threads}.run"
    losses = run.with_suffix(".losses")
    setup.run(trainer, "--model-dir", run, "--max-steps", STEPS, "--threads", threads, "--losses", losses,
              "--summary-steps", 0, "--log-steps", 0, *flags).expect(0)  # fmt: skip
    return [line["loss"] for line in harness.read_losses(losses)], harness.checkpoint_files(run, STEPS)


def steps_with_less_memory_train_to_the_same_bytes(setup):
    # Steps of optimizers come last, and keep the values of which they compute gradients themselves: most of a transformer's.
    for name, share in (("transformer", 0.95), ("resnet-20", 0.5)):
        graph = GRAPHS / f"{name}.meta"
        usual, all_of_it = compiled(setup, name, graph)
        expected = trained(setup, usual, 1)
        _, least = compiled(setup, f"{name}-least", graph, "--max-step-memory=least")
        assert least < share * all_of_it, f"{name}: {least} of {all_of_it}"
        half_way = (all_of_it + least) // 2
        limited, needed = compiled(setup, f"{name}-limited", graph, f"--max-step-memory={half_way}")
        print(f"{name}: {all_of_it} bytes, at least {least}, {needed} with a limit of {half_way}")
        assert least <= needed <= half_way, (least, needed, half_way)
        for trainer in (limited, setup.dir / f"{name}-least"):
            for threads in (1, 2):
                assert trained(setup, trainer, threads) == expected, f"{trainer.name}, {threads} threads: other bytes"


def a_limit_that_no_step_keeps_is_refused(setup):
    graph, trainer = GRAPHS / "conv-cifar.meta", setup.dir / "trainer"
    told = setup.compile(graph, "-o", trainer, "--cpu=native", "--max-step-memory=1K").expect(
        2, "--max-step-memory: 'step' needs at least ", "train with smaller batches, or allow that much")
    assert not trainer.exists()
    # What it needs at least is what suffices.
    needed = int(told.err.split("needs at least ")[1].split()[0])
    _, least = compiled(setup, "least", graph, f"--max-step-memory={needed}")
    assert least <= needed, (least, needed)
    setup.compile(graph, "-o", trainer, "--cpu=native", f"--max-step-memory={needed - 1}").expect(2, "needs at least")


def limits_that_are_none_are_refused(setup):
    for wrong in ("", "0", "1T", "G", "-1", "1.5M", "99999999999G", "most"):
        setup.compile(GRAPHS / "mlp-small.meta", "-o", setup.dir / "trainer", f"--max-step-memory={wrong}").expect(
            2, f"--max-step-memory: expected a number of bytes, or one with K, M or G, or 'least', found '{wrong}'")


def a_limit_that_leaves_room_changes_nothing(setup):
    graph = GRAPHS / "mlp-small.meta"
    usual, needed = compiled(setup, "usual", graph)
    roomy, same = compiled(setup, "roomy", graph, "--max-step-memory=1G")
    assert same == needed and usual.read_bytes() == roomy.read_bytes()


def sizes_that_only_the_run_knows_are_said(setup):
    """A last, shorter batch takes memory of its own: what is limited are full batches."""
    folder = SOURCE / "test" / "data" / "models" / "full_batches_and_a_short_one"
    flags = json.loads((folder / "expect.json").read_text())["flags"]
    flags += ["--cpu=native", "--max-step-memory=1G", "--cache-dir", setup.dir / "cache"]
    for found in ("compiled", "from the cache"):
        told = setup.compile(folder / "train.meta", "-o", setup.dir / "trainer", *flags).expect(0)
        assert "warning: " in told.err and "--max-step-memory limits full batches only" in told.err, f"{found}: {told.err}"


if __name__ == "__main__":
    harness.main(globals())
