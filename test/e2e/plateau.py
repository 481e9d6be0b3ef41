# SPDX-License-Identifier: Apache-2.0
"""--reduce-lr-on-plateau, against Keras's ReduceLROnPlateau (test/data/plateau/make.py)."""
import json
import signal
import struct
import subprocess
import time

import device
import harness
from curves import scalars

DATA = harness.SOURCE / "test" / "data" / "plateau"
EXPECT = json.loads((DATA / "expect.json").read_text())
EVERY, STEPS = EXPECT["every"], EXPECT["every"] * EXPECT["epochs"]


def compile_graph(setup):
    setup.trainer = setup.dir / "trainer"
    setup.compile(DATA / "train.meta", "--entry", "evaluate=->val,acc", "--observe", "loss:0", "-o", setup.trainer).expect(0)


def command(setup, run, flag, *more):
    words = [setup.trainer, "train-and-evaluate", "--model-dir", setup.dir / run, "--save-checkpoints-steps", EVERY,
             "--reduce-lr-on-plateau", flag, "--fetch", "loss:0", "--losses", setup.dir / f"{run}.jsonl", *more]  # fmt: skip
    return [str(word) for word in words]


def flag_of(case, prefix=""):
    arguments = ",".join(f"{key}={value}" for key, value in case["arguments"].items())
    return prefix + case["metric"] + (":" + arguments if arguments else "")


def rounded(case):
    """Keras's rates, in float32."""
    return [struct.unpack("f", struct.pack("f", rate))[0] for rate in case["rates"][:-1]]


def rates(setup, run):
    """The learning rate of the steps after each evaluation but the last one; the step's fetch is its learning rate."""
    lines = harness.read_losses(setup.dir / f"{run}.jsonl")
    assert [line["step"] for line in lines] == list(range(1, STEPS + 1))
    each = [line["loss:0"] for line in lines]
    groups = [each[at : at + EVERY] for at in range(EVERY, STEPS, EVERY)]
    assert all(len(set(group)) == 1 for group in groups), "a rate changed between evaluations"
    return [group[0] for group in groups]


def learning_rates_on_plateaus_are_kerass(setup):
    compile_graph(setup)
    for index, case in enumerate(EXPECT["cases"]):
        run = f"run{index}"
        # Keras's name of an evaluation's metric is as good as the entry's.
        flag = flag_of(case, "val_" if index % 2 else "")
        setup.run(*command(setup, run, flag, "--max-steps", STEPS, "--quiet")).expect(0)
        assert rates(setup, run) == rounded(case), (case, rates(setup, run))
    assert len({tuple(case["rates"]) for case in EXPECT["cases"]}) == len(EXPECT["cases"]), "cases that tell nothing apart"


def learning_rates_on_plateaus_survive_kills(setup):
    compile_graph(setup)
    case = EXPECT["cases"][3]
    words = command(setup, "run", flag_of(case), "--max-steps")
    losses = setup.dir / "run.jsonl"
    kills = 0
    for until in (10, 45, 60, 95, STEPS):
        # On until it is killed. Runs stop where they evaluate anyway, as their last step is evaluated, too.
        setup.run(*words, until, "--quiet").expect(0)
        if until == STEPS:
            break
        child = subprocess.Popen([*words, str(STEPS), "--quiet"], stderr=subprocess.DEVNULL)
        before = losses.stat().st_size
        while child.poll() is None and losses.stat().st_size <= before:
            time.sleep(0.0005)
        child.send_signal(signal.SIGKILL)
        kills += child.wait() == -signal.SIGKILL
    assert kills > 0, "each run had ended before it was killed"
    assert rates(setup, "run") == rounded(case)


def learning_rates_on_plateaus_change_on_a_device(setup):
    """The variable lies on the device; the curve of the event file shows it as it is there."""
    emulated = device.Device(setup, DATA / "train.meta", "--entry", "evaluate=->val,acc", "--observe", "loss:0")
    case = EXPECT["cases"][1]
    setup.trainer = emulated.trainer
    setup.run(*command(setup, "run", flag_of(case), "--max-steps", STEPS, "--quiet"), env=emulated.environment()).expect(0)
    assert emulated.driver_calls()["cuLaunchKernel"] > 0, "nothing ran on the device"
    assert rates(setup, "run") == rounded(case)
    lines = harness.read_losses(setup.dir / "run.jsonl")
    curve = scalars(setup.dir / "run")["learning_rate"]
    assert len(curve) > 100 and all(curve[line["step"]] == line["loss:0"] for line in lines if line["step"] in curve)


def rates_that_cannot_be_reduced_are_refused_by_name(setup):
    compile_graph(setup)
    for flag, *words in (
        ("loss", "loss"),
        ("val:factor=1.5", "0 < factor < 1"),
        ("val:patience=1.5", "patience=N"),
        ("val:pace=3", "'val:pace=3'"),
        ("val:variable=rate", "'rate' is no floating scalar variable", "info"),
        (":factor=0.5", "METRIC"),
    ):
        setup.run(*command(setup, "run", flag)).expect(2, "--reduce-lr-on-plateau", *words)
    setup.run(setup.trainer, "train", "--model-dir", setup.dir / "run", "--reduce-lr-on-plateau", "val").expect(
        2, "--reduce-lr-on-plateau: 'PROGRAM train' evaluates nothing", "train-and-evaluate")  # fmt: skip
    cluster = {"cluster": {"chief": ["a:1"], "evaluator": ["b:1"]}, "task": {"type": "chief", "index": 0}}
    setup.run(*command(setup, "run", "val"), env={"TF_CONFIG": json.dumps(cluster)}).expect(2, "--reduce-lr-on-plateau", "evaluator")
    # Another variable can be named, and a graph whose rate is a constant has none.
    setup.run(*command(setup, "named", "val:patience=1,variable=sum", "--max-steps", 40)).expect(0, "learning rate 'sum'")
    constant = harness.SOURCE / "test" / "data" / "metrics" / "train.meta"
    setup.compile(constant, "-o", setup.trainer).expect(0)
    setup.run(*command(setup, "constant", "loss")[:-4]).expect(2, "no variable of this program is called learning_rate", "variable=NAME")


if __name__ == "__main__":
    harness.main(globals())
