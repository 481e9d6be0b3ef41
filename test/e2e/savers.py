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
    # What the list has is asked for.
    other = Trainer(setup, "full")
    other.run("none", "--checkpoint", setup.dir / "run" / "model.ckpt-4", "--max-steps", 5).expect(0)
    renamed = Trainer(setup, "renamed")
    refused = renamed.run("none", "--init-from", setup.dir / "run" / "model.ckpt-4", "--allow-unused", "--max-steps", 5)
    refused.expect(4, "Key step not found in checkpoint")


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
    trainer.train("run", "--also-save", "all").expect(2, "'all' is not a saver of this program", "'full', 'renamed'")


def saving_without_a_step_replaces_the_checkpoint(setup):
    """Saver.save without a global_step, under the graph's file name, or another."""
    trainer, folder = Trainer(setup, "full"), setup.dir / "run"
    lines = setup.dir / "whole.losses", setup.dir / "parts.losses"
    trainer.train("whole", "--max-steps", 9, "--losses", lines[0]).expect(0)
    for stop in (4, 9):
        trainer.train("run", "--max-steps", stop, "--no-step-number", "--losses", lines[1]).expect(0)
        assert sorted(path.name for path in folder.glob("model*")) == EXPECT["unnumbered"]["files"]
        assert state(folder) == ("model", ["model"])
    assert lines[0].read_bytes() == lines[1].read_bytes()
    assert Bundle(folder / "model").values("global_step") == (9,)
    # Found without the state file, and counted among numbered ones later.
    (folder / "checkpoint").unlink()
    named = ("--checkpoint-basename", "model")
    done = trainer.train("run", "--max-steps", 10, "--no-step-number", *named).expect(0)
    assert "run/model', step 9" in done.out, done.out
    trainer.train("run", "--max-steps", 12, *named).expect(0)
    assert state(folder) == ("model-12", ["model", "model-11", "model-12"])
    trainer.train("run", "--max-steps", 13, *named).expect(0)
    assert state(folder) == ("model-13", ["model-11", "model-12", "model-13"]) and not (folder / "model.index").exists()
    trainer.train("wrong", "--no-step-number", "--pad-step-number").expect(2, "exclude one another")
    named = trainer.run("wrong", "--no-step-number", "--max-steps", 1, verb="train-and-evaluate")
    named.expect(2, "--no-step-number: train-and-evaluate needs a step number in the name of each checkpoint")
    # The graph's own name, and the save op that is not fed.
    part = Trainer(setup, "part")
    part.train("part", "--max-steps", 2, "--no-step-number").expect(0)
    assert state(setup.dir / "part") == ("file", ["file"])
    (setup.dir / "some").mkdir()
    setup.run(part.program, "run", "save", "--model-dir", setup.dir / "part", cwd=setup.dir).expect(0)
    assert sorted(f"some/{path.name}" for path in (setup.dir / "some").iterdir()) == EXPECT["unfed"]
    assert Bundle(setup.dir / "some" / "file").values("global_step") == (2,)
    setup.run(part.program, "run", "restore", "--model-dir", setup.dir / "part", cwd=setup.dir).expect(0)


def a_run_starts_from_the_checkpoint_that_is_named(setup):
    trainer, folder = Trainer(setup, "full"), setup.dir / "run"
    keep = ("--keep-checkpoint-max", 0)
    whole = setup.dir / "whole.losses"
    trainer.train("run", "--max-steps", 9, "--losses", whole, *keep).expect(0)
    expected = harness.read_losses(whole)
    # In the folder itself: the run goes back, and its next checkpoint is the newest.
    losses = setup.dir / "back.losses"
    done = trainer.train("run", "--checkpoint", folder / "model.ckpt-4", "--max-steps", 6, "--losses", losses, *keep).expect(0)
    assert "restored '" + str(folder / "model.ckpt-4") + "', step 4" in done.out, done.out
    assert harness.read_losses(losses) == expected[4:6]
    assert state(folder)[0] == "model.ckpt-6"
    # In another folder, whose own checkpoints do not count.
    trainer.train("other", "--max-steps", 1).expect(0)
    losses = setup.dir / "other.losses"
    trainer.train("other", "--checkpoint", folder / "model.ckpt-6", "--max-steps", 9, "--losses", losses).expect(0)
    assert harness.read_losses(losses) == expected[6:]
    assert "model.ckpt-9" == state(setup.dir / "other")[0]
    absent = trainer.train("other", "--checkpoint", folder / "model.ckpt-77", "--max-steps", 10)
    absent.expect(4, f"The passed save_path is not a valid checkpoint: {folder / 'model.ckpt-77'}")
    for flags in (["--init-from", "x"], ["--wait-for-checkpoint"]):
        refused = trainer.train("other", "--checkpoint", folder / "model.ckpt-6", *flags)
        refused.expect(2, "--checkpoint", "exclude one another")


def the_input_starts_beside_the_checkpoint_that_is_named(setup):
    trainer, apart = Trainer(setup, "full"), ("--checkpoint-input", "--save-checkpoints-steps", 2, "--keep-checkpoint-max", 0)
    whole, losses = setup.dir / "whole.losses", setup.dir / "losses"

    def train(folder, *flags):
        return trainer.run(folder, "--log-steps", 0, "--summary-steps", 0, "--seed", 7, *apart, *flags).expect(0)

    train("run", "--max-steps", 8, "--losses", whole)
    expected = harness.read_losses(whole)
    # In an empty folder, and in one whose input is at other steps.
    train("used", "--max-steps", 2)
    for folder in ("new", "used"):
        done = train(folder, "--checkpoint", setup.dir / "run" / "model.ckpt-4", "--max-steps", 6, "--losses", losses)
        assert f"restored the input from '{setup.dir / 'run' / 'input.ckpt-4'}'" in done.out, done.out
        assert harness.read_losses(losses) == expected[4:6], folder
        # And resumes from its own.
        train(folder, "--max-steps", 8, "--losses", losses)
        assert harness.read_losses(losses) == expected[4:8], folder
        losses.unlink()


def searches_refuse_what_is_for_one_program(setup):
    search = harness.SOURCE / "examples" / "diabetes" / "search.pbtxt"
    tool = setup.ingotc.parent / "ingot-adanet"
    for flags in (["--checkpoint", "x"], ["--no-step-number"], ["--also-save", "save"]):
        done = setup.run(tool, "train", search, "--model-dir", setup.dir / "run", *flags)
        done.expect(2, flags[0] + " is not for searches")
    # An iteration of AdaNet's own.
    adanet = harness.SOURCE / "test" / "data" / "adanet_diabetes" / "model.ckpt-50.meta"
    setup.compile(adanet, "-o", setup.dir / "adanet").expect(0)
    done = setup.run(setup.dir / "adanet", "--model-dir", setup.dir / "run", "--steps", 1, "--no-step-number")
    done.expect(2, "--no-step-number: a search tells its checkpoints apart by their steps")


def a_graph_in_a_name_scope_trains_alike(setup):
    """Nodes and variables have other names, checkpoints the keys of the graph's saver."""
    plain, scoped = Trainer(setup, "full"), Trainer(setup, "tower/net/full", "--import-scope", "tower/net")
    info = setup.run(scoped.program, "info", "--json").expect(0).out
    names = [variable["name"] for variable in json.loads(info)["variables"]]
    assert names[:5] == [f"tower/net/{name}" for name in ("w", "b", "frozen", "drawn", "global_step")], names
    # Random values that the graph leaves unseeded follow from nodes' names, so both begin alike.
    plain.train("plain", "--max-steps", 0).expect(0)
    start = ("--init-from", setup.dir / "plain" / "model.ckpt-0", "--allow-unused")
    values = {}
    for name, trainer in ("plain", plain), ("scoped", scoped):
        losses = setup.dir / f"{name}.losses"
        trainer.train(name + "-run", "--max-steps", 4, "--losses", losses, *start).expect(0)
        bundle = Bundle(setup.dir / (name + "-run") / "model.ckpt-4")
        values[name] = {key: bundle.values(key) for key in EXPECT["full"]["keys"]}, [line["loss"] for line in harness.read_losses(losses)]
    assert values["plain"] == values["scoped"], values
    setup.compile(DATA / "train.meta", "--import-scope", "1 2", "-o", setup.dir / "none").expect(2, "--import-scope: '1 2' is not a name scope")


def ops_of_format_v1_write_tensorflows_files(setup):
    """Save and SaveSlices in an entry, whose files Restore of the same graph reads (test/data/save_ops)."""
    data, trainer = DATA.parent / "save_ops", setup.dir / "trainer"
    names = ("w", "step", "text", "flags")
    restored = ",".join("restored_" + name for name in names)
    entries = ("save=path->saved", "save_slices=path->saved_slices", f"whole=path->{restored},restored_part", f"sliced=path->{restored},restored_slice")
    setup.compile(data / "graph.meta", "-o", trainer, *(f"--entry={entry}" for entry in entries)).expect(0)

    def call(entry, path, *flags):
        return setup.run(trainer, "run", entry, "--feed", f"path={path}", "--quiet", *flags)

    for save, restore, last in (("save", "whole", "restored_part"), ("save_slices", "sliced", "restored_slice")):
        expected, found = data / f"saved{save[4:]}.v1", setup.dir / f"{save}.v1"
        call(save, found).expect(0)
        assert found.read_bytes() == expected.read_bytes(), save
        for name in ("restored_w", "restored_step", "restored_flags", last):
            for source, path in (("theirs", expected), ("ours", found)):
                call(restore, path, "--fetch", f"{name}=@{setup.dir / source}.npy").expect(0)
            assert (setup.dir / "ours.npy").read_bytes() == (setup.dir / "theirs.npy").read_bytes(), name
    call("save", setup.dir / "none" / "at" / "all").expect(1, "cannot save '")
    call("whole", setup.dir / "save_slices.v1", "--fetch", f"restored_part=@{setup.dir}/part.npy").expect(1, "has shape [3, 2]")


if __name__ == "__main__":
    harness.main(globals())
