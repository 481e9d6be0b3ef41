# SPDX-License-Identifier: Apache-2.0
"""Evaluations during training whose batches all ranks divide."""
import os
import re
import signal

import feeding
import harness
import ranks
from ranks_training import PARALLEL, losses, same_run

METRICS = harness.SOURCE / "test" / "data" / "metrics"


def evaluated(text):
    return re.findall(r"^evaluated step .*$", text, re.MULTILINE)


def results_are_those_of_one_process(setup):
    """Streaming metrics with confusion counts, an averaged loss, and fed rows with a short last batch; all digits, from each MPI."""
    feeding.compiled(setup)
    fed = (*feeding.arrays(setup), "--batch", 4)
    cases = {
        "metrics": (ranks.Trainer(setup, *PARALLEL, data=METRICS, name="trainer-metrics"), ()),
        "loss": (ranks.Trainer(setup, *PARALLEL, "--entry", "evaluate=->sparse_softmax_cross_entropy_loss/value", name="trainer-loss"), ("--eval-steps", 3)),
        "fed": (
            ranks.Trainer(
                setup, *PARALLEL, "--loss", "loss", "--optimizer", "adam:0.01", "--entry", "evaluate=x,word,label->loss",
                data=feeding.GRAPH.parent, graph=feeding.GRAPH.name, name="trainer-fed",
            ),
            (*fed, "--eval-entry", "evaluate"),
        ),
    }  # fmt: skip
    for name, (trainer, more) in cases.items():
        table = setup.run(trainer.path, "info", "--exchanges").expect(0).out
        assert re.search(r"^evaluate: \d+ values", table, re.MULTILINE), table
        flags = ("--max-steps", 9, "--save-checkpoints-steps", 3, "--seed", 5, "--eval-throttle-secs", 0, *more)
        alone = trainer.run(None, 1, f"{name}-alone", *flags, *losses(setup, f"{name}-alone"), verb="train-and-evaluate").expect(0)
        assert len(evaluated(alone.out)) == 3, alone.out
        for engine in ranks.engines():
            for number in (2, 3, 4):
                folder = f"{name}-{engine.split()[0]}-{number}"
                done = trainer.run(engine, number, folder, *flags, *losses(setup, folder), "--exchange-timeout-secs", 60, verb="train-and-evaluate")
                assert evaluated(done.expect(0).out) == evaluated(alone.out), done.out
                same_run(setup.dir / folder, setup.dir / f"{name}-alone", 9)


def all_ranks_compute(setup):
    """A rank that stops during an evaluation is missed, as one that stops during a step is."""
    trainer = ranks.Trainer(setup, *PARALLEL, "--entry", "evaluate=->sparse_softmax_cross_entropy_loss/value")
    for engine in ranks.engines():
        folder = engine.split()[0]
        flags = ("--max-steps", 10**9, "--save-checkpoints-steps", 5, "--exchange-timeout-secs", 6, "--eval-throttle-secs", 0, "--eval-steps", 10**9)
        command = trainer.command(engine, 3, folder, *flags, *losses(setup, folder), verb="train-and-evaluate")
        trainer.command = lambda *ignored, command=command: command
        process = trainer.start(engine, 3, folder)
        del trainer.command
        # The first evaluation begins after step 5, and never ends.
        pid = trainer.process_of(folder, 2, process, step=5)
        os.kill(pid, signal.SIGSTOP)
        _, err = process.communicate(timeout=120)
        assert process.returncode != 0
        said = ranks.errors(err)
        assert len(said) == 1 and "other ranks did not answer within 6 s" in said[0] and ": rank 2 (" in said[0], err


def a_signal_ends_the_evaluation_of_all(setup):
    """SIGTERM to a rank in the middle of an evaluation, which then has no result; the run is saved, and goes on alone."""
    trainer = ranks.Trainer(setup, *PARALLEL, "--entry", "evaluate=->sparse_softmax_cross_entropy_loss/value")
    engine = ranks.engines()[0]
    flags = ("--max-steps", 20, "--save-checkpoints-steps", 5, "--seed", 5, "--eval-throttle-secs", 0)
    command = trainer.command(engine, 3, "run", *flags, "--eval-steps", 10**9, *losses(setup, "run"), verb="train-and-evaluate")
    trainer.command = lambda *ignored: command
    process = trainer.start(engine, 3, "run")
    del trainer.command
    os.kill(trainer.process_of("run", 1, process, step=5), signal.SIGTERM)
    out, err = process.communicate(timeout=120)
    # A checkpoint is evaluated after the step during which it was written, whichever that was.
    assert process.returncode != 0 and re.search(r"was stopped by SIGTERM at step \d+, which is saved", err), err
    assert not ranks.errors(err), err
    assert not evaluated(out), out
    for folder in ("run", "alone"):
        trainer.run(None, 1, folder, *flags[:6], *losses(setup, folder)).expect(0)
    harness.assert_same_checkpoint(setup.dir / "run", setup.dir / "alone", 20)


if __name__ == "__main__":
    harness.main(globals())
