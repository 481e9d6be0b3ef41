# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed or stopped, against a run that is left alone."""
import os
import random
import shutil
import signal
import subprocess
import time

import harness
from reference_runs import Run

SEED = 20240607


def twenty_kills_leave_no_trace(setup):
    steps, every = 12000, 40
    flags = ("--max-steps", steps, "--save-checkpoints-steps", every)
    whole = setup.dir / "whole"
    start = time.monotonic()
    setup.train(whole, *flags, "--losses", setup.dir / "whole.losses").expect(0)
    seconds = time.monotonic() - start
    print(f"seed {SEED}; undisturbed, {steps} steps take {seconds:.2f} s")

    # A run that finishes before its 20 kills is followed by another.
    moments, kills, runs, reached = random.Random(SEED), 0, 0, set()
    while kills < 20:
        runs += 1
        killed, losses = setup.dir / f"killed-{runs}", setup.dir / f"killed-{runs}.losses"
        command = setup.train_command(killed, *flags, "--losses", losses, "--quiet")
        while True:
            # On average, 20 of these are two thirds of the run.
            delay = moments.uniform(0, seconds / 15) if kills < 20 else 250
            process = subprocess.Popen(command, stderr=subprocess.PIPE)
            try:
                _, err = process.communicate(timeout=delay)
                assert process.returncode == 0, err.decode(errors="replace")
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                kills += 1
                reached.add(losses.read_text().count("\n") if losses.exists() else 0)
        harness.assert_same_checkpoint(whole, killed, steps)
        assert losses.read_bytes() == (setup.dir / "whole.losses").read_bytes()
    print(f"{kills} kills in {runs} runs, after steps {sorted(reached)}")
    assert len(reached) > 5, "the kills must fall into different steps"


def stop(setup, number, code):
    """Stops a run by a signal, and carries it on to its end."""
    run, losses = setup.dir / "run", setup.dir / "losses"
    command = setup.train_command(run, "--max-steps", 10**9, "--losses", losses)
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (losses.exists() and losses.read_text().count("\n") >= 50):
        assert process.poll() is None and time.monotonic() < deadline, "50 steps never came"
        time.sleep(0.005)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code, f"{process.returncode}\n{err.decode()}"

    # The last step is saved, whole, and training continues to the same end.
    last = harness.read_losses(losses)[-1]["step"]
    state = (run / "checkpoint").read_text()
    assert f'model_checkpoint_path: "model.ckpt-{last}"' in state, f"step {last}\n{state}"
    setup.train(run, "--steps", 100, "--losses", losses).expect(0)
    setup.train(setup.dir / "whole", "--max-steps", last + 100).expect(0)
    harness.assert_same_checkpoint(setup.dir / "whole", run, last + 100)


def sigterm_saves_and_leaves(setup):
    stop(setup, signal.SIGTERM, 143)


def sigint_saves_and_leaves(setup):
    stop(setup, signal.SIGINT, 130)


LOSSES = {
    "mlp_adam": "sparse_softmax_cross_entropy_loss/value",
    "conv_momentum": "add",
    "csv_regression": "mse",
}
EVALUATE = ("--eval-throttle-secs", 1e-6, "--eval-steps", 2)


def killed_after_each_step(setup, name, evaluating=False):
    """k steps, then a SIGKILL within the following ones, then on to the end: for
    every k with INGOT_TEST_EVERY_STEP set, else for some across the epochs.
    `evaluating`: these runs evaluate each of their checkpoints in between, and
    what the kill left is evaluated, too; the run that is left alone does not."""
    run = Run(setup, name)
    flags = ["--entry", f"evaluate=->{LOSSES[name]}"] if evaluating else []
    trainer, steps = run.compile("train.meta", *flags), run.expect["steps"]

    def command(folder, last, verb="train"):
        losses = setup.dir / f"{folder}.losses"
        words = [
            trainer, verb, "--model-dir", setup.dir / folder, "--data-dir", run.data, "--max-steps", last, "--losses", losses,
            "--save-checkpoints-steps", 7, "--summary-steps", 0, "--log-steps", 0, "--quiet",
            *(EVALUATE if verb == "train-and-evaluate" else ()),
        ]  # fmt: skip
        return [str(word) for word in words]

    setup.run(*command("whole", steps)).expect(0)
    verb = "train-and-evaluate" if evaluating else "train"
    start = time.monotonic()
    setup.run(*command("timed", steps, verb)).expect(0)
    seconds = time.monotonic() - start
    moments, kills = random.Random(SEED), 0
    every = 1 if os.environ.get("INGOT_TEST_EVERY_STEP") else 31 if evaluating else 9
    for k in range(1, steps, every):
        killed = f"killed-{k}"
        setup.run(*command(killed, k, verb)).expect(0)
        process = subprocess.Popen(command(killed, steps, verb), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if evaluating:
            # At a step, so that an evaluation that takes its time is met, too.
            wanted = moments.randrange(k, (k + steps) // 2 + 1)
            losses = setup.dir / f"{killed}.losses"
            while process.poll() is None and losses.read_text().count("\n") < wanted:
                time.sleep(0.0005)
            time.sleep(moments.uniform(0, 0.01))
        try:
            process.wait(0 if evaluating else moments.uniform(0, seconds / 3))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
        if evaluating:
            setup.run(
                trainer, "evaluate", "--model-dir", setup.dir / killed, "--data-dir", run.data, "--steps", 3, "--quiet"
            ).expect(0)
        setup.run(*command(killed, steps, verb)).expect(0)
        harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / killed, steps)
        assert (setup.dir / f"{killed}.losses").read_bytes() == (setup.dir / "whole.losses").read_bytes(), k
        shutil.rmtree(setup.dir / killed)
    print(f"{kills} kills; undisturbed, {steps} steps take {seconds:.2f} s")
    assert kills > 0, "some runs must be killed"


def kills_across_epochs_leave_no_trace(setup):
    killed_after_each_step(setup, "mlp_adam")


def kills_between_files_leave_no_trace(setup):
    killed_after_each_step(setup, "conv_momentum")


def kills_around_short_batches_leave_no_trace(setup):
    killed_after_each_step(setup, "csv_regression")


def kills_between_epochs_and_evaluations_leave_no_trace(setup):
    killed_after_each_step(setup, "mlp_adam", evaluating=True)


def kills_between_files_and_evaluations_leave_no_trace(setup):
    killed_after_each_step(setup, "conv_momentum", evaluating=True)


def kills_between_short_batches_and_evaluations_leave_no_trace(setup):
    killed_after_each_step(setup, "csv_regression", evaluating=True)


if __name__ == "__main__":
    harness.main(globals())
