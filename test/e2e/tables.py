# SPDX-License-Identifier: Apache-2.0
"""Steps that change lookup tables, and the tables' contents in checkpoints (test/data/tables)."""
import gzip
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


class Entries:
    """Trainers of the graphs whose entries change tables and nothing else (make_entries.py)."""

    ENTRIES = ("count=word->count", "forget=word->forget", "look=word->look", "loop=number->loop", "branch=number->branch",
               "square=number->square")  # fmt: skip

    def __init__(self, setup, graph):
        self.setup, self.program = setup, setup.dir / graph
        flags = [flag for entry in self.ENTRIES for flag in ("--entry", entry)]
        setup.compile(DATA / f"{graph}.meta", "-o", self.program, *flags).expect(0)

    def run(self, folder, entry, feed, *flags):
        command = [self.program, "run", entry, "--model-dir", self.setup.dir / folder, "--feed", feed, "--json", "--quiet", *flags]
        done = self.setup.run(*command).expect(0)
        (value,) = json.loads(done.out).values()
        return value


def checkpoints(folder):
    return sorted((path.name, path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.glob("*.index"))


def entries_that_change_tables_alone_save_them(setup):
    """By themselves, in loops and in branches; entries that only look up save nothing."""
    for graph in ("entries", "entries_v1"):
        program, folder = Entries(setup, graph), setup.dir / f"run-{graph}"
        look = lambda words: program.run(folder, "look", f"word=[{words}]")
        square = lambda number: program.run(folder, "square", f"number={number}")
        assert program.run(folder, "count", 'word=["a","b"]') == [1, 1]
        assert program.run(folder, "count", 'word=["a"]', "--times", 2) == [3]
        assert look('"a","b","c"') == [3, 1, 0]
        program.run(folder, "forget", 'word=["b"]')
        assert look('"a","b"') == [3, 0]
        assert program.run(folder, "loop", "number=4") == 4
        assert [square(number)[0] for number in range(5)] == [0, 1, 4, 9, -1]
        # The branch that is not taken changes nothing; the entry might have.
        for number, taken in ((6, True), (7, False)):
            assert program.run(folder, "branch", f"number={number}") == taken
        assert [square(number)[0] for number in (6, 7)] == [36, -1]
        before = checkpoints(folder)
        look('"a"')
        square(2)
        assert checkpoints(folder) == before and before, before


def entries_that_change_tables_are_not_served(setup):
    for graph in ("entries", "entries_v1"):
        program, folder = Entries(setup, graph), setup.dir / f"run-{graph}"
        program.run(folder, "count", 'word=["a","b"]')
        out, served = setup.dir / f"model-{graph}", setup.dir / f"served-{graph}"
        setup.run(program.program, "export", "--model-dir", folder, "--saved-model", out).expect(0)
        setup.compile(out, "-o", served).expect(0)
        entries = json.loads(setup.run(served, "info", "--json").expect(0).out)["entries"]
        assert sorted(entry["name"] for entry in entries if entry["role"] == "predict") == ["look", "square"], entries
        told = setup.run(served, "run", "look", "--feed", 'word=["b","c"]', "--json").expect(0).out
        assert list(json.loads(told).values()) == [[1, 0]], told


def tables_of_members_that_have_stopped_stay(setup):
    """A member of AdaNet's that stops changes its tables no more: by itself, in a branch, a loop or a function."""
    trainer = setup.dir / "search"
    graph = setup.dir / "search.meta"
    graph.write_bytes(gzip.decompress((DATA / "search.meta.gz").read_bytes()))
    setup.compile(graph, "-o", trainer).expect(0)
    flags = ("--max-iteration-steps", 40, "--patience", "12,min_delta=1e-6", "--log-steps", 0, "--summary-steps", 0)
    for name, stops in (("whole", ()), ("parts", (5, 20))):
        for stop in stops:
            setup.run(trainer, "--model-dir", setup.dir / name, *flags, "--max-steps", stop).expect(0)
        setup.run(trainer, "--model-dir", setup.dir / name, *flags).expect(0)
        marker = lambda member: json.loads((setup.dir / name / "train_manager" / "t0" / f"t0_{member}.json").read_text())["message"]
        assert marker("stays").startswith("Training stopped after 13 steps: its average loss"), marker("stays")
        assert marker("learns") == "Training complete after 40 steps.", marker("learns")
        # The mean of 13 and 40 steps.
        bundle = Bundle(setup.dir / name / "model.ckpt-26")
        key = "ingot/table/adanet/iteration_0/subnetwork_t0_{0}/{0}_{1}/keys"
        for way in ("plain", "branch", "loop", "call"):
            steps = bundle.values(key.format("stays", way))
            assert list(steps) == list(range(13)), (way, steps)
        assert list(bundle.values(key.format("learns", "plain"))) == list(range(40))
    harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / "parts", 26)


if __name__ == "__main__":
    harness.main(globals())
