# SPDX-License-Identifier: Apache-2.0
"""Steps that change lookup tables, and the tables' contents in checkpoints (test/data/tables)."""
import json
import signal
import subprocess
import time

import harness
from bundle import Bundle

DATA = harness.SOURCE / "test" / "data" / "tables"
EXPECT = json.loads((DATA / "expect.json").read_text())
SAVED, STEPS = EXPECT["saved"], EXPECT["steps"]


class Trainer:
    def __init__(self, setup, *flags):
        self.setup, self.program = setup, setup.dir / "trainer"
        setup.compile(DATA / "train.meta", "-o", self.program, *flags).expect(0)

    def command(self, folder, *flags):
        words = [self.program, "--model-dir", self.setup.dir / folder, "--log-steps", 0, "--summary-steps", 0, *flags]
        return [str(word) for word in words]

    def train(self, folder, *flags):
        return self.setup.run(*self.command(folder, *flags)).expect(0)


def losses(path):
    return [next(value for key, value in line.items() if key != "step") for line in harness.read_losses(path)]


def assert_near(found, expected):
    assert len(found) == len(expected) and expected, (found, expected)
    for step, (ours, theirs) in enumerate(zip(found, expected), 1):
        assert abs(ours - theirs) <= 1e-5 * max(1, abs(theirs)), f"{step}: {ours}, TensorFlow {theirs}"


def contents(prefix):
    """The saved tables of a checkpoint: sorted pairs of keys and values, as expect.json has them."""
    bundle, found = Bundle(prefix), {}
    plain = lambda part: part.decode() if isinstance(part, bytes) else part
    for name in bundle.entries:
        if not name.endswith("-keys"):
            continue
        keys = [plain(key) for key in bundle.values(name)]
        values = [plain(value) for value in bundle.values(name.replace("-keys", "-values"))]
        size = len(values) // max(len(keys), 1)
        rows = values if size == 1 else [list(values[i : i + size]) for i in range(0, len(values), size)]
        found[name[:-5]] = sorted([key, row] for key, row in zip(keys, rows))
    return found


def steps_that_change_tables_train_as_in_tensorflow(setup):
    trainer = Trainer(setup)
    trainer.train("run", "--max-steps", STEPS, "--save-checkpoints-steps", SAVED, "--losses", setup.dir / "losses")
    assert_near(losses(setup.dir / "losses"), EXPECT["losses"])
    for step in (SAVED, STEPS):
        prefix = setup.dir / "run" / f"model.ckpt-{step}"
        found, expected = contents(prefix), EXPECT[f"tables-{step}"]
        assert sorted(found) == sorted(expected)
        for table, pairs in expected.items():
            assert [key for key, _ in found[table]] == [key for key, _ in pairs], table
            flat = lambda rows: [x for _, row in rows for x in (row if isinstance(row, list) else [row])]
            for ours, theirs in zip(flat(found[table]), flat(pairs)):
                assert ours == theirs or abs(ours - theirs) < 1e-6, (table, ours, theirs)
    # TensorFlow's keys, and the table that its Saver lacks.
    own = {key for key in Bundle(prefix).entries if key.startswith("ingot/table/")}
    assert own == {"ingot/table/hidden/keys", "ingot/table/hidden/values"}, own
    assert set(EXPECT["keys"]) < set(Bundle(prefix).entries)
    trainer.train("list", "--max-steps", 2, "--save-variables", "list")
    assert set(Bundle(setup.dir / "list" / "model.ckpt-2").entries) - set(EXPECT["keys"]) <= {"ingot/iterator/IteratorV2", "ingot/set"}


def tables_resume_exactly(setup):
    """After a stop at each step, on any number of threads, and after kills."""
    trainer = Trainer(setup)
    flags = ("--save-checkpoints-steps", 1)
    trainer.train("whole", "--max-steps", STEPS, *flags, "--losses", setup.dir / "whole.losses")
    for stop in range(1, STEPS):
        name = f"stopped-{stop}"
        for last in (stop, STEPS):
            trainer.train(name, "--max-steps", last, *flags, "--threads", 1 + stop % 3, "--losses", setup.dir / f"{name}.losses")
        harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / name, STEPS)
        assert (setup.dir / f"{name}.losses").read_bytes() == (setup.dir / "whole.losses").read_bytes(), stop
    steps, kills = 4000, 0
    flags = ("--max-steps", steps, "--save-checkpoints-steps", 7, "--quiet")
    start = time.monotonic()
    trainer.train("long", *flags)
    seconds = time.monotonic() - start
    while kills < 8:
        process = subprocess.Popen(trainer.command("killed", *flags), stderr=subprocess.PIPE)
        try:
            process.communicate(timeout=seconds / 9)
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
    trainer.train("killed", *flags)
    harness.assert_same_checkpoint(setup.dir / "long", setup.dir / "killed", steps)
    assert kills > 0, "some runs must be killed"


def a_run_goes_on_from_tensorflows_tables(setup):
    trainer = Trainer(setup)
    done = trainer.train(
        "run", "--checkpoint", DATA / f"tf.ckpt-{SAVED}", "--max-steps", STEPS, "--losses", setup.dir / "losses")  # fmt: skip
    assert "tables that the graph's saver leaves out, which have their initial contents: 'hidden'" in done.err, done.err
    assert_near(losses(setup.dir / "losses"), EXPECT["resumed"])


if __name__ == "__main__":
    harness.main(globals())
