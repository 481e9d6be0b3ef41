# SPDX-License-Identifier: Apache-2.0
"""Savers with lists of variables, as TensorFlow's Saver saves and restores them (test/data/savers)."""
import json

import harness
from bundle import Bundle

DATA = harness.SOURCE / "test" / "data" / "savers"
EXPECT = json.loads((DATA / "expect.json").read_text())
# What a run needs besides the variables to resume.
OWN = {"ingot/iterator/IteratorV2", "ingot/random/random_uniform/RandomUniform", "ingot/random_seed", "ingot/set"}


class Trainer:
    """A trainer that saves with one of the graph's savers."""

    def __init__(self, setup, saver, *flags):
        self.setup, self.program = setup, setup.dir / f"trainer-{saver.replace('/', '-')}"
        setup.compile(DATA / "train.meta", "--saver", saver, "-o", self.program, *flags).expect(0)

    def run(self, folder, *flags, verb="train", **more):
        command = [self.program, verb, "--model-dir", self.setup.dir / folder, *flags]
        return self.setup.run(*command, **more)

    def train(self, folder, *flags):
        return self.run(folder, "--log-steps", 0, "--summary-steps", 0, "--save-checkpoints-steps", 1, "--seed", 7, *flags)


def keys(prefix):
    return set(Bundle(prefix).entries)


def state(folder, name="checkpoint"):
    """The newest checkpoint of a state file, and the list."""
    lines = [line.split(": ") for line in (folder / name).read_text().splitlines()]
    values = [value.strip('"') for _, value in lines]
    assert [key for key, _ in lines] == ["model_checkpoint_path"] + ["all_model_checkpoint_paths"] * (len(lines) - 1)
    return values[0], values[1:]


def a_savers_list_is_what_it_saves(setup):
    """--save-variables list: nothing but what TensorFlow's saver writes; else also what resuming needs."""
    # What training changes, and what begins otherwise in every run; `frozen` always has its initial value.
    needed = {"part": {"b", "drawn"}, "renamed": {"ingot/variable/b", "drawn"}, "full": set()}
    every = {"part": {"b", "drawn", "frozen"}, "renamed": {"ingot/variable/b", "drawn", "frozen"}, "full": set()}
    for saver, unlisted in needed.items():
        trainer, listed = Trainer(setup, saver), set(EXPECT[saver]["keys"])
        done = trainer.train(saver, "--max-steps", EXPECT["steps"]).expect(0)
        folder, newest = setup.dir / saver, f"model.ckpt-{EXPECT['steps']}"
        assert keys(folder / newest) == listed | unlisted | OWN, keys(folder / newest)
        assert done.err.count("the graph's saver leaves out") == (saver != "full"), done.err
        # As many as the saver keeps, in its own list.
        assert state(folder) == (newest, [f"model.ckpt-{name.split('-')[1]}" for name in EXPECT[saver]["listed"]])
        for which, expected in ("list", listed), ("needed", listed | unlisted | OWN), ("all", listed | every[saver] | OWN):
            done = trainer.train(which + saver, "--max-steps", 2, "--save-variables", which).expect(0)
            assert keys(setup.dir / (which + saver) / "model.ckpt-2") == expected, which
            assert ("leaves out" in done.err) == (saver != "full" and which == "needed"), done.err
    trainer.train("wrong", "--save-variables", "none").expect(2, "--save-variables", "'none'")


def variables_that_a_saver_leaves_out_resume_exactly(setup):
    for saver in ("part", "renamed"):
        trainer, lines = Trainer(setup, saver), {}
        for folder, stops in ("whole", [9]), ("parts", [4, 6, 9]):
            losses = setup.dir / f"{saver}-{folder}.losses"
            for stop in stops:
                done = trainer.train(saver + folder, "--max-steps", stop, "--losses", losses).expect(0)
                assert "lacks variables" not in done.err, done.err
            lines[folder] = losses.read_bytes()
        assert lines["whole"] == lines["parts"], saver
        harness.assert_same_checkpoint(setup.dir / (saver + "whole"), setup.dir / (saver + "parts"), 9)


def what_a_list_lacks_is_initialized(setup):
    """TensorFlow's session refuses such a checkpoint and names the variables; a loop of restore() goes on with it."""
    assert EXPECT["second_run"].endswith("Variables not initialized: b, frozen, drawn"), EXPECT["second_run"]
    trainer = Trainer(setup, "part")
    trainer.train("run", "--max-steps", 3, "--save-variables", "list").expect(0)
    done = trainer.train("run", "--max-steps", 3, "--save-variables", "all").expect(0)
    assert "leaves out, which get their initial values: 'b', 'frozen', 'drawn'" in done.err, done.err
    trainer.train("run", "--max-steps", 4, "--save-variables", "all").expect(0)
    assert Bundle(setup.dir / "run" / "model.ckpt-4").values("frozen") == (1.0, 1.0, 1.0)

def further_savers_keep_lists_of_their_own(setup):
    trainer = Trainer(setup, "part")
    steps, folder = EXPECT["steps"], setup.dir / "run"
    trainer.train("run", "--max-steps", 2, "--also-save", "full", "--also-save", "renamed").expect(0)
    trainer.train("run", "--max-steps", steps, "--also-save", "full", "--also-save", "renamed").expect(0)
    for saver in ("full", "renamed"):
        assert sorted(path.name for path in folder.glob(f"{saver}.ckpt-*.index")) == EXPECT[saver]["files"]
        assert state(folder, f"checkpoint_{saver}") == (EXPECT[saver]["newest"], EXPECT[saver]["listed"])
        assert keys(folder / EXPECT[saver]["newest"]) == set(EXPECT[saver]["keys"])
    assert state(folder) == ("model.ckpt-5", ["model.ckpt-4", "model.ckpt-5"])
    trainer.train("run", "--also-save", "part").expect(2, "'part' is the saver that the run saves with", "'full'")
    trainer.train("run", "--also-save", "all").expect(2, "'all' is no saver of this program", "'full', 'renamed'")


if __name__ == "__main__":
    harness.main(globals())
