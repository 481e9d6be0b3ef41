# SPDX-License-Identifier: Apache-2.0
"""Model directories with others' files, and state files that others wrote."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import harness

SEED = 20261122


def tree(folder):
    """The contents of a folder: bytes of files, targets of links, and folders."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[path.relative_to(folder)] = "-> " + os.readlink(path)
        else:
            found[path.relative_to(folder)] = "folder" if path.is_dir() else path.read_bytes()
    return found


def copy_set(run, source, target):
    """A checkpoint under another name."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for path in run.glob(f"{source}.*"):
        shutil.copy(path, target.parent / (target.name + path.name[len(source) :]))


def write_state(run, newest, listed, *more):
    """As edited by hand with TensorFlow's fields, or with further lines."""
    lines = [f'model_checkpoint_path: "{newest}"', *(f'all_model_checkpoint_paths: "{name}"' for name in listed)]
    (run / "checkpoint").write_text("\n".join([*lines, *more]) + "\n")


def named(run):
    return re.search(r'^model_checkpoint_path: "(.*)"', (run / "checkpoint").read_text(), re.M).group(1)


def what_is_not_ours_in_a_model_folder_stays(setup):
    run, other = setup.dir / "run", setup.dir / "other"
    setup.train(run, "--max-steps", 10, "--save-checkpoints-steps", 10).expect(0)
    # Another folder's checkpoints and texts, another model's beside ours, and
    # links to all of these.
    copy_set(run, "model.ckpt-10", other / "model.ckpt-3")
    copy_set(run, "model.ckpt-10", other / "theirs-7")
    (other / "letters.txt").write_text("Dear Ann,")
    (other / "letters-5").write_text("Dear Bob,")
    copy_set(run, "model.ckpt-10", run / "other.ckpt-4")
    copy_set(run, "model.ckpt-10", run / "sub" / "model.ckpt-6")
    (run / "notes.txt").write_text("of somebody")
    (run / "model.ckpt-1").write_text("no checkpoint, but of such a name")
    (run / "model.ckpt-2.index").write_text("nor this")
    (run / "model.ckpt-8_temp_1").symlink_to(other)
    (run / "linked").symlink_to(other)
    (run / "events.out.tfevents.1.theirs").write_text("no events")
    for name in ("model.ckpt-5.index", "model.ckpt-5.data-00000-of-00001"):
        (run / name).symlink_to(other / name.replace("-5", "-3"))
    for name in (".ingot-lock", ".ingot-writable", "model.ckpt-9.index.tempstate", "model.ckpt-60.index.tempstate",
                 "model.ckpt-60.data-00000-of-00001.tempstate", "checkpoint.tempstate"):  # fmt: skip
        (run / name).symlink_to(other / "letters.txt")
    foreign = {path for path in tree(run) if not re.fullmatch(r"checkpoint|(model\.ckpt-(0|10)|events)\..*", str(path))}
    foreign.add("events.out.tfevents.1.theirs")
    before_run, before_other = tree(run), tree(other)
    victims = ["other.ckpt-4", "sub/model.ckpt-6", "../other/model.ckpt-3", str(other / "theirs-7"), "notes.txt",
               "../other/letters.txt", str(other / "letters-5"), "model.ckpt-1", "model.ckpt-2", "model.ckpt-5",
               "linked/model.ckpt-3", "linked/letters.txt"]  # fmt: skip
    write_state(run, "model.ckpt-10", [*victims, "model.ckpt-0", "model.ckpt-10"], *(f'# removing: "{name}"' for name in victims))
    flags = ("--max-steps", 200, "--save-checkpoints-steps", 10, "--keep-checkpoint-max", 2)
    done = setup.train(run, *flags).expect(0)
    assert tree(other) == before_other
    after = tree(run)
    # Two stood where the run had to write: they have other names now.
    for name in ("model.ckpt-60.index.tempstate", "model.ckpt-60.data-00000-of-00001.tempstate", "checkpoint.tempstate"):
        after[type(next(iter(after)))(name)] = after.pop(type(next(iter(after)))(name + ".aside"))
    for path in foreign:
        key = type(next(iter(after)))(path)
        assert after.get(key) == before_run.get(key), f"{path}: {before_run.get(key)}, then {after.get(key)}\n{done.err}"
    for victim in ("sub/model.ckpt-6", "../other/model.ckpt-3", "theirs-7", "notes.txt", "model.ckpt-1", "model.ckpt-2"):
        assert victim in done.err, f"nothing is said of {victim}\n{done.err}"
    assert "it is a symbolic link" in done.err, done.err
    ours = {path.name for path in run.glob("model.ckpt-*.index") if not path.is_symlink()} - {"model.ckpt-2.index"}
    assert ours == {"model.ckpt-190.index", "model.ckpt-200.index"}, ours
    # The next run has nothing to say any more, and finds the last one's set.
    assert "restored" in setup.train(run, "--max-steps", 210).expect(0).out
    assert tree(other) == before_other


def fewer_checkpoints_are_kept_at_once(setup):
    run = setup.dir / "run"
    setup.train(run, "--max-steps", 60, "--save-checkpoints-steps", 10, "--keep-checkpoint-max", 6).expect(0)
    setup.train(run, "--max-steps", 70, "--save-checkpoints-steps", 10, "--keep-checkpoint-max", 2).expect(0)
    assert sorted(path.name for path in run.glob("*.index")) == ["model.ckpt-60.index", "model.ckpt-70.index"]


def fifty_kills_resume_where_the_state_file_says(setup):
    """As AdaNet grows, and as people go back: beside model.ckpt-N lies an
    increment.ckpt-K, or an earlier set, that the state file names."""
    run, moments = setup.dir / "run", random.Random(SEED)
    flags = ("--save-checkpoints-steps", 7, "--keep-checkpoint-max", 4, "--max-steps", 10**9)
    setup.train(run, "--max-steps", 30, *flags[:4]).expect(0)
    seen = {"increment": 0, "earlier": 0, "as it was": 0}
    for kill in range(50):
        text = (run / "checkpoint").read_text()
        listed = re.findall(r'^all_model_checkpoint_paths: "(.*)"', text, re.M)
        # Not yet removed by a save; without these lines it would stay.
        rest = [line for line in text.splitlines() if line.startswith("#")]
        what = moments.choice(list(seen))
        if what == "increment":
            copy_set(run, named(run), run / f"increment.ckpt-{kill}")
            write_state(run, f"increment.ckpt-{kill}", [*listed, f"increment.ckpt-{kill}"], *rest)
        elif what == "earlier":
            write_state(run, moments.choice(listed), listed, *rest)
        seen[what] += 1
        expected = named(run)
        command = setup.train_command(run, *flags)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = []
        for line in process.stdout:
            said.append(line)
            if "restored '" in line:
                break
        time.sleep(moments.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        said += process.communicate()[0].splitlines()
        said = "".join(said)
        assert f"restored '{run}/{expected}'" in said, f"kill {kill}: {expected} was named, {what}\n{said}"
    print(f"seed {SEED}: {seen}")
    assert min(seen.values()) > 5
    # Evaluations, predictions and tools use it, too. The last run may have saved, and removed checkpoints listed before
    # it.
    text = (run / "checkpoint").read_text()
    listed = re.findall(r'^all_model_checkpoint_paths: "(.*)"', text, re.M)
    write_state(run, listed[0], listed, *(line for line in text.splitlines() if line.startswith("#")))
    tool = setup.ingotc.parent / "ingot-ckpt"
    assert setup.run(tool, "ls", run).expect(0).out == setup.run(tool, "ls", run / listed[0]).expect(0).out
    done = setup.train(run, "--steps", 10, *flags[:4]).expect(0)
    assert f"restored '{run}/{listed[0]}'" in done.out
    increments = {path.name for path in run.glob("increment.ckpt-*.index")}
    assert len(increments) == seen["increment"], "an increment is not the trainer's to remove"
    steps = sorted(path.name for path in run.glob("model.ckpt-*.index"))
    assert len(steps) <= 4 + 1, steps


def variant(setup, name, *changes, flags=()):
    """A trainer of the reference graph with other bytes of the same number."""
    graph = (harness.REFERENCE / "train.meta").read_bytes()
    for old, new in changes:
        assert len(old) == len(new) and old in graph, old
        graph = graph.replace(old, new)
    (setup.dir / f"{name}.meta").write_bytes(graph)
    setup.compile(setup.dir / f"{name}.meta", "-o", setup.dir / name, "-O1", *flags).expect(0)
    return lambda *more: setup.run(setup.dir / name, *more)


def a_folder_of_another_program_is_taken_only_when_told(setup):
    """Its variables have the same names and shapes: only its fingerprint differs."""
    run = setup.dir / "run"
    flags = ["--model-dir", run, "--data-dir", harness.REFERENCE, "--log-steps", 0]
    other = variant(setup, "tanh", (b"Relu", b"Tanh"))
    setup.train(run, "--max-steps", 10).expect(0)
    before = tree(run)
    done = other(*flags, "--max-steps", 20).expect(4, f"another program has trained in '{run}' until step 10", "Relu", "Tanh", "--allow-other-program")
    assert "dir" in done.err and tree(run) == before, done.err
    # Verbs that only read do so, and warn.
    other("export", "--weights", setup.dir / "weights.npz", "--model-dir", run).expect(0, "warning: ", "was trained by another program", "Tanh")
    other(*flags, "--max-steps", 12, "--allow-other-program").expect(0)
    assert named(run) == "model.ckpt-12"
    setup.train(run, "--max-steps", 15).expect(4, "another program", "Tanh")
    # The folder of a run that never saved is nobody's.
    (run / "checkpoint").unlink()
    for path in run.glob("model.ckpt-*"):
        path.unlink()
    setup.train(run, "--max-steps", 5).expect(0)


def the_same_program_goes_on_however_it_was_compiled(setup):
    """Other names of nodes, levels of the CPU and optimization, and folders of versions before fingerprints."""
    run = setup.dir / "run"
    flags = ["--model-dir", run, "--data-dir", harness.REFERENCE, "--log-steps", 0]
    setup.train(run, "--max-steps", 10).expect(0)
    first = (run / "program.json").read_text()
    again = variant(setup, "again", (b"gradients", b"Gradients"), flags=["--cpu=x86-64-v2"])
    again(*flags, "--max-steps", 20).expect(0)
    said, was = json.loads((run / "program.json").read_text()), json.loads(first)
    assert said["fingerprint"] == was["fingerprint"] and said["source_sha256"] != was["source_sha256"], said
    setup.train(run, "--max-steps", 25).expect(0)
    for text in (None, "", "{", "[]", '{"fingerprint": "9-of-a-later-version"}', '{"fingerprint": 3}'):
        (run / "program.json").unlink()
        if text is not None:
            (run / "program.json").write_text(text)
        setup.train(run, "--steps", 1).expect(0)
        assert json.loads((run / "program.json").read_text())["fingerprint"] == was["fingerprint"]


if __name__ == "__main__":
    harness.main(globals())
