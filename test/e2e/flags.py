# SPDX-License-Identifier: Apache-2.0
"""The effect of each flag of a trainer, on graphs that take no time (test/data/flags)."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import time

import flags_tested
import harness
from bundle import Bundle
from evaluation import DATA as METRICS, EXPECT, compile_metrics
from event_files import events

DATA = harness.SOURCE / "test" / "data" / "flags"
ADANET = harness.SOURCE / "test" / "data" / "adanet_diabetes" / "model.ckpt-50.meta"
W, ITERATORS = "net/w", ("ingot/iterator/OneShotIterator", "ingot/iterator/Old")


class Trainer:
    """A trainer of one of the graphs, and a folder to train in."""

    def __init__(self, setup, graph="train", *flags):
        self.setup, self.program = setup, setup.dir / graph
        setup.compile(DATA / f"{graph}.meta", "-o", self.program, *flags).expect(0)

    def command(self, model_dir, *flags, verb="train"):
        command = [self.program, verb, "--model-dir", self.setup.dir / model_dir, *flags]
        return [str(part) for part in command]

    def run(self, model_dir, *flags, **more):
        """Trains; the graph's placeholders are fed unless `flags` feed them."""
        given = [str(flag) for flag in flags]
        if self.program.name != "nothing":
            if "--feed" not in given:
                given += ["--feed", "rate=0.01"]
            if "--init-feed" not in given:
                given += ["--init-feed", "start=1"]
        return self.setup.run(*self.command(model_dir, *given), **more)

    def start(self, model_dir, *flags, **more):
        """The same in the background."""
        given = [*flags, "--feed", "rate=0.0", "--init-feed", "start=1"]
        return subprocess.Popen(self.command(model_dir, *given), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **more)  # fmt: skip

    def prefix(self, model_dir, step):
        return self.setup.dir / model_dir / f"model.ckpt-{step}"

    def checkpoint(self, model_dir, step):
        return Bundle(self.prefix(model_dir, step))

    def steps(self, model_dir, base="model.ckpt"):
        """The steps with checkpoints."""
        found = (self.setup.dir / model_dir).glob(f"{base}-*.index")
        return sorted(int(path.name[len(base) + 1 : -6]) for path in found)

    def tool(self, *arguments):
        return self.setup.run(self.setup.ingotc.parent / "ingot-ckpt", *arguments)


def losses(path):
    return [line["loss"] for line in harness.read_losses(path)]


def all_flags_are_tested(setup):
    bodies = list(flags_tested.tests())
    assert len(bodies) > 150, "the tests are not found"
    general = Trainer(setup).program
    adanet = setup.dir / "adanet"
    setup.compile(ADANET, "-o", adanet).expect(0)
    own = {}  # the flags of a search's trainer that no other has, by verb
    for verb in ("train", "train-and-evaluate", "evaluate", "predict", "run", "info"):
        known = [flags_tested.flags(setup.run(program, verb, "--help").expect(0).out) for program in (general, adanet)]
        assert all(known), verb
        own[verb] = set(known[1]) - set(known[0])
        assert set(known[0]) <= set(known[1]), "a search's trainer lacks flags of all trainers"
        missing = [flag for flag in known[1] if not flags_tested.tested(flag, bodies)]
        assert not missing, f"no test shows what these flags of {verb} do: {missing}"
        print(f"{verb}: {len(known[0])} flags, {len(own[verb])} of searches alone")
    assert "--force-grow" in own["train"] and "--select-by" in own["evaluate"] and not own["run"], own
    # Searches are linked only where the program trains one.
    assert b"adanet" in adanet.read_bytes().lower()
    assert b"adanet" not in general.read_bytes().lower(), "a trainer of no search has code of searches"


def initial_values_are_fed(setup):
    trainer = Trainer(setup)
    trainer.run("run", "--steps", 0, "--init-feed", "start=2.5").expect(0)
    assert trainer.checkpoint("run", 0).values(W) == (2.5,) * 6
    # From a file, too; and not where there is a checkpoint.
    setup.run("python3", "-c", "import struct; open('s.npy', 'wb').write("
              "b'\\x93NUMPY\\x01\\x00\\x76\\x00' + b\"{'descr': '<f4', 'fortran_order': False, 'shape': ()}\""
              ".ljust(117) + b'\\n' + struct.pack('<f', 7))", cwd=setup.dir).expect(0)  # fmt: skip
    trainer.run("file", "--steps", 0, "--init-feed", f"start=@{setup.dir / 's.npy'}").expect(0)
    assert trainer.checkpoint("file", 0).values(W) == (7.0,) * 6
    setup.run(*trainer.command("run", "--steps", 1, "--feed", "rate=0.5")).expect(0)
    missing = setup.run(*trainer.command("new", "--steps", 1, "--feed", "rate=0.5"))
    missing.expect(1, "needs feed 'start:0'", "--init-feed")
    trainer.run("new", "--steps", 1, "--init-feed", "begin=1").expect(2, "--init-feed: 'begin'", "start:0")


def the_input_has_checkpoints_of_its_own(setup):
    # A graph whose Saver saves no iterators.
    trainer, run = Trainer(setup, "flat"), setup.dir / "run"
    trainer.run("whole", "--max-steps", 40, "--losses", setup.dir / "whole.losses").expect(0)
    apart = ("--checkpoint-input", "--save-checkpoints-steps", 10, "--losses", setup.dir / "losses",
             "--write-meta-graph")  # fmt: skip
    trainer.run("run", *apart, "--max-steps", 25).expect(0)
    kept = {path.name: Bundle(path.with_suffix("")).entries for path in run.glob("*.index")}
    assert "model.ckpt-25.index" in kept and "input.ckpt-25.index" in kept, sorted(kept)
    for name, entries in kept.items():
        positions = [key for key in entries if key.startswith("ingot/iterator/")]
        assert bool(positions) == name.startswith("input"), f"{name}: {positions}"
    # The graph is beside both, by one switch.
    assert (run / "input.ckpt-25.meta").read_bytes() == (run / "model.ckpt-25.meta").read_bytes()
    done = trainer.run("run", *apart, "--max-steps", 40).expect(0)
    assert "has no state of iterator" not in done.err, done.err
    assert (setup.dir / "losses").read_bytes() == (setup.dir / "whole.losses").read_bytes()
    # Without the flag the input starts over, which is reported with the flag.
    trainer.run("run", "--max-steps", 41).expect(
        0, "has no state of iterator", "--checkpoint-input restores positions such as", "/input.ckpt-40'")
    # The other way round, the model's checkpoint has the position, and older ones beside it do not count.
    shutil.copytree(run, setup.dir / "plain")
    for folder, *flags in (("run", *apart[:1]), ("plain",)):
        done = trainer.run(folder, *flags, "--max-steps", 50, "--losses", setup.dir / f"{folder}.losses").expect(0)
        told = "input.ckpt-41' does not exist, as expected after a run without --checkpoint-input: the input resumes from the positions"
        assert (told in done.err) == bool(flags) and "starts at its first element" not in done.err, done.err
    assert (setup.dir / "run.losses").read_bytes() == (setup.dir / "plain.losses").read_bytes()
    done = trainer.run("run", *apart[:1], "--max-steps", 55).expect(0)
    assert "restored the input from" in done.out and "input.ckpt-50'" in done.out, done.out + done.err
    # Nobody has the position of a model without its files of the input.
    for path in run.glob("*input*"):
        path.unlink()
    trainer.run("run", "--checkpoint-input", "--max-steps", 56).expect(
        0, "input.ckpt-55' does not exist, as expected after a run without --checkpoint-input", "has no positions: the input starts")  # fmt: skip


def iterators_of_the_savers_are_saved_with_the_model(setup):
    """OneShotIterator and TF1's first Iterator."""
    trainer = Trainer(setup)
    whole, parts = setup.dir / "whole.losses", setup.dir / "losses"
    trainer.run("whole", "--max-steps", 30, "--losses", whole).expect(0)
    trainer.run("run", "--max-steps", 13, "--losses", parts, "--checkpoint-input").expect(0)
    for key in ITERATORS:
        assert key in trainer.checkpoint("run", 13).entries, key
    trainer.run("run", "--max-steps", 30, "--losses", parts).expect(0)
    assert parts.read_bytes() == whole.read_bytes()


def a_program_without_variables_saves_nothing_unless_allowed(setup):
    trainer = Trainer(setup, "nothing")
    trainer.run("run", "--max-steps", 5).expect(0, "no variables: nothing is saved", "--allow-empty")
    assert trainer.steps("run") == []
    out = setup.dir / "losses"
    trainer.run("kept", "--steps", 5, "--allow-empty", "--losses", out).expect(0)
    assert trainer.steps("kept") == [0, 5]
    trainer.run("kept", "--steps", 3, "--allow-empty", "--losses", out).expect(0)
    assert losses(out) == [float(i) for i in range(8)], losses(out)


def a_program_without_variables_still_writes_its_meta_graph(setup):
    """As TensorFlow's Saver does: whether or not there is a checkpoint beside it, and no state file without one."""
    trainer = Trainer(setup, "nothing")
    flags = ("--max-steps", 5, "--save-checkpoints-steps", 2, "--write-meta-graph")
    trainer.run("run", *flags).expect(0, "no variables: nothing is saved")
    found = sorted(path.name for path in (setup.dir / "run").iterdir() if "tfevents" not in path.name)
    assert [name for name in found if "ckpt" in name] == [f"model.ckpt-{step}.meta" for step in (0, 2, 4, 5)], found
    assert "checkpoint" not in found and "graph.pbtxt" in found, found
    trainer.run("kept", *flags, "--allow-empty").expect(0)
    assert trainer.steps("kept") == [0, 2, 4, 5]
    graphs = {path.read_bytes() for folder in ("run", "kept") for path in (setup.dir / folder).glob("*.meta")}
    assert len(graphs) == 1 and b"train_op" in graphs.pop()


def the_graph_is_exported_without_a_checkpoint(setup):
    """Into a file of any name, as it would lie beside a checkpoint."""
    trainer = Trainer(setup)
    for name, flags in {"whole.meta": [], "text.pbtxt": ["--as-text"], "scope": ["--export-scope", "net"],
                        "few.pb": ["--collection-list", "train_op,losses", "--clear-devices", "--strip-default-attrs",
                                   "--clear-extraneous-savers"]}.items():  # fmt: skip
        path = setup.dir / name
        done = setup.run(trainer.program, "export", "--meta-graph", path, *flags).expect(0)
        assert done.out == f"exported the graph to '{path}'\n", done.out
        trainer.run("beside-" + name, "--steps", 0, "--write-meta-graph", *flags).expect(0)
        assert path.read_bytes() == (setup.dir / ("beside-" + name) / "model.ckpt-0.meta").read_bytes(), name
        # Only what was asked for is written.
        setup.run(trainer.program, "export", "--meta-graph", path, *flags).expect(1, f"'{path}' exists already")
    assert setup.compile(setup.dir / "text.pbtxt", "--check").expect(0).out == setup.compile(DATA / "train.meta", "--check").expect(0).out
    new = ("export", "--meta-graph", setup.dir / "new")
    setup.run(trainer.program, *new, "--debug-info").expect(1, "this program's graph has no debug info")
    setup.run(trainer.program, *new, "--model-dir", setup.dir).expect(2, "--meta-graph and --model-dir exclude one another")
    setup.run(trainer.program, *new, "--weights", setup.dir / "x.npz").expect(2, "exclude one another")
    setup.run(trainer.program, "export", "--weights", setup.dir / "x.npz", "--as-text").expect(2, "--as-text needs --meta-graph")
    assert not (setup.dir / "new").exists() and not list(setup.dir.glob("*.tmp"))


def in_background(setup, *flags, until, seconds=60):
    """Trains the reference graph without end until `until()` is true; then stops it."""
    command = [setup.trainer, "--model-dir", setup.dir / "run", "--data-dir", harness.REFERENCE,
               "--max-steps", 10**9, *flags]  # fmt: skip
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)  # fmt: skip
    try:
        deadline = time.monotonic() + seconds
        while not until():
            assert process.poll() is None and time.monotonic() < deadline, f"{flags}: it never came"
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 143, err
    return out


def seconds_later(seconds):
    """A condition that comes true by itself."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def saves_by_the_clock(setup):
    in_background(setup, "--save-checkpoints-secs", "0.4", "--keep-checkpoint-max", 0, "--log-steps", 0,
                  until=seconds_later(2))  # fmt: skip
    # The first is that of the start, the last that of the signal. When one is whole, the disk decides.
    saved = sorted((setup.dir / "run").glob("model.ckpt-*.index"))
    assert 4 <= len(saved) <= 8, saved


def logs_by_the_clock(setup):
    out = in_background(setup, "--log-secs", "0.3", until=seconds_later(2))
    lines = [line for line in out.splitlines() if line.startswith("step ")]
    assert 2 <= len(lines) <= 9, out


def summarizes_by_the_clock(setup):
    in_background(setup, "--summary-secs", "0.3", "--no-curves", "--log-steps", 0, until=seconds_later(2))
    steps = {step for kind, tag, step in events(setup.dir / "run") if kind == "summary" and "global_step" not in tag}
    assert 2 <= len(steps) <= 9, sorted(steps)


def waits_for_a_checkpoint_as_long_and_as_often_as_told(setup):
    trainer = Trainer(setup)
    trainer.run("other", "--steps", 3).expect(0)

    def waited(folder, *flags, after=0.3):
        """How long a run waits for a checkpoint that comes after a moment."""
        started = time.monotonic()
        process = trainer.start(folder, "--wait-for-checkpoint", "--steps", "0", *flags)
        time.sleep(after)
        shutil.copytree(setup.dir / "other", setup.dir / folder, dirs_exist_ok=True)
        out, err = process.communicate(timeout=100)
        assert process.returncode == 0, err
        assert "Waiting for checkpoint to be available" in err and "restored" in out, out + err
        return time.monotonic() - started

    assert waited("often", "--max-wait-secs", "inf", "--recovery-wait-secs", "0.1") < 1.9
    assert waited("seldom", "--max-wait-secs", "100", "--recovery-wait-secs", "2") >= 2
    # One that does not come is waited for no longer than told.
    started = time.monotonic()
    done = trainer.run("alone", "--wait-for-checkpoint", "--max-wait-secs", 1, "--steps", 0).expect(0)
    assert time.monotonic() - started >= 1 and "restored" not in done.out, done.out
    trainer.run("alone", "--max-wait-secs", "soon").expect(2, "a positive number or inf")
    trainer.run("alone", "--recovery-wait-secs", "inf").expect(2, "a positive number")


def variables_start_under_other_names(setup):
    trainer = Trainer(setup)
    trainer.run("other", "--steps", 0, "--init-feed", "start=3").expect(0)
    renamed = setup.dir / "renamed"
    trainer.tool("rename", trainer.prefix("other", 0), "--map", "net/w=trunk/kernel", "-o", renamed).expect(0)
    start = ("--steps", 0, "--init-from", renamed)
    trainer.run("no", *start).expect(4, "net/w", "trunk/kernel")
    trainer.run("map", *start, "--restore-map", "^net/w$=trunk/kernel").expect(0)
    assert trainer.checkpoint("map", 0).values(W) == (3.0,) * 6
    # Missing variables are initialized, unused tensors ignored: each where that is allowed.
    done = trainer.run("no", *start, "--allow-missing").expect(4, "'trunk/kernel'")
    assert "not in the checkpoint" not in done.err, done.err
    done = trainer.run("no", *start, "--allow-unused").expect(4, "'net/w'")
    trainer.run("both", *start, "--allow-missing", "--allow-unused", "--init-feed", "start=8").expect(0)
    assert trainer.checkpoint("both", 0).values(W) == (8.0,) * 6


def variables_start_in_another_shape(setup):
    trainer, flat = Trainer(setup), Trainer(setup, "flat")
    flat.run("other", "--steps", 1).expect(0)
    expected = flat.checkpoint("other", 1).data(W)
    start = ("--steps", 0, "--init-from", flat.prefix("other", 1))
    trainer.run("no", *start).expect(4, "net/w", "[6]")
    trainer.run("run", *start, "--reshape").expect(0)
    assert trainer.checkpoint("run", 1).data(W) == expected
    # One tensor at a time restores the same.
    flat.run("one", *start, "--restore-sequentially").expect(0)
    assert flat.checkpoint("one", 1).data(W) == expected


def old_checkpoints_are_kept_by_the_hour(setup):
    trainer = Trainer(setup)
    steps = ("--steps", 40, "--save-checkpoints-steps", 10, "--keep-checkpoint-max", 1)
    trainer.run("few", *steps).expect(0)
    assert trainer.steps("few") == [40]
    trainer.run("all", *steps, "--keep-checkpoint-every-n-hours", "1e-9").expect(0)
    assert trainer.steps("all") == [0, 10, 20, 30, 40]


def without_a_state_file_all_are_kept(setup):
    trainer = Trainer(setup)
    flags = ("--save-checkpoints-steps", 10, "--keep-checkpoint-max", 1, "--no-state-file")
    trainer.run("run", "--max-steps", 30, *flags).expect(0)
    assert trainer.steps("run") == [0, 10, 20, 30]
    assert not (setup.dir / "run" / "checkpoint").exists()
    # The newest is found without it.
    assert "step 30" in trainer.run("run", "--max-steps", 40, *flags).expect(0).out
    assert not (setup.dir / "run" / "checkpoint").exists()


def a_save_that_fails_may_be_made_up_for(setup):
    """On a disk that is full for a while; bad_disks.py tests the default."""
    disk = setup.dir / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3000k", "tmpfs", str(disk)]
    done = subprocess.run(mount, capture_output=True, check=False)
    if done.returncode:
        raise harness.Skip("mount -t tmpfs (as root) does not work here: " + done.stderr.decode().strip())
    process = None
    try:
        setup.train(disk / "run", "--max-steps", 20).expect(0)
        filler = disk / "filler"
        with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        command = setup.train_command(disk / "run", "--max-steps", 10**9, "--save-checkpoints-steps", 500,
                                      "--keep-checkpoint-max", 2, "--on-failed-save", "continue")  # fmt: skip
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        told = next(line for line in process.stderr if not line.startswith("note: "))
        assert "warning: " in told and "No space left" in told, told
        filler.unlink()
        deadline = time.monotonic() + 60
        newest = lambda: max(int(path.name[11:-6]) for path in (disk / "run").glob("model.ckpt-*.index"))
        while newest() <= 20:
            assert process.poll() is None and time.monotonic() < deadline, "nothing was saved again"
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == 143, process.returncode
    finally:
        if process and process.poll() is None:
            process.kill()
            process.wait()
        subprocess.run(["umount", str(disk)], check=False)


def checkpoints_are_written_as_v1_on_request(setup):
    trainer = Trainer(setup)
    trainer.run("run", "--steps", 3, "--write-version", "v1").expect(0, "warning: ", "V1 format")
    folder = setup.dir / "run"
    assert (folder / "model.ckpt-3").is_file() and not trainer.steps("run"), sorted(folder.iterdir())
    assert 'model_checkpoint_path: "model.ckpt-3"' in (folder / "checkpoint").read_text()
    trainer.tool("verify", folder / "model.ckpt-3").expect(0)
    trainer.run("other", "--steps", 3).expect(0)
    trainer.tool("diff", folder / "model.ckpt-3", trainer.prefix("other", 3)).expect(0)
    # It resumes from them, in the other format; and old ones are removed.
    trainer.run("run", "--steps", 3).expect(0)
    assert trainer.steps("run") == [6]
    trainer.run("run", "--steps", 3, "--write-version=v1", "--keep-checkpoint-max", 1).expect(0)
    files = sorted(path.name for path in folder.glob("model.ckpt*"))
    assert "model.ckpt-9" in files and "model.ckpt-0" not in files, files
    trainer.run("parts", "--steps", 2, "--write-version", "v1", "--shards", 2).expect(0)
    parts = sorted(path.name for path in (setup.dir / "parts").glob("model.ckpt-2*"))
    assert parts == ["model.ckpt-2-00000-of-00002", "model.ckpt-2-00001-of-00002"], parts
    assert "step 2" in trainer.run("parts", "--steps", 1).expect(0).out


def saves_are_logged(setup):
    trainer = Trainer(setup)
    done = trainer.run("run", "--steps", 20, "--save-checkpoints-steps", 10, "--log-steps", 0).expect(0)
    saved = [line for line in done.out.splitlines() if line.startswith("saved ")]
    assert saved == [f"saved '{trainer.prefix('run', step)}'" for step in (0, 10, 20)], done.out


def the_graph_beside_checkpoints_is_what_was_asked_for(setup):
    trainer = Trainer(setup)

    def written(name, *flags, ending="meta"):
        trainer.run(name, "--steps", 1, "--write-meta-graph", *flags).expect(0)
        return (setup.dir / name / f"model.ckpt-1.{ending}").read_bytes()

    whole = written("whole")
    text = written("text", "--as-text", "--meta-graph-suffix", "pbtxt", ending="pbtxt").decode()
    for part in ('tensorflow_version: "', 'name: "net/w"', "type: DT_FLOAT", 'key: "train_op"'):
        assert part in text, part
    # Both are for one graph.
    path = setup.dir / "text" / "model.ckpt-1.pbtxt"
    assert setup.compile(path, "--check").expect(0).out == setup.compile(DATA / "train.meta", "--check").expect(0).out
    few = written("few", "--collection-list", "train_op,losses")
    assert b"summary_op" in whole and b"summary_op" not in few and b"train_op" in few
    scope = written("scope", "--export-scope", "net", "--as-text").decode()
    assert 'name: "w"' in scope and 'name: "net/w"' not in scope, scope
    assert '"$unbound_inputs_' in scope and 'key: "unbound_inputs"' in scope
    for flag in ("--as-text", "--debug-info"):
        trainer.run("no", "--steps", 1, flag).expect(2, flag + " needs --write-meta-graph")
    trainer.run("no", "--steps", 1, "--write-meta-graph", "--debug-info").expect(2, "--debug-info")


def where_nodes_were_made_is_written_beside_the_graph(setup):
    text = setup.dir / "graph.pbtxt"
    trainer = Trainer(setup)
    trainer.run("text", "--steps", 0, "--write-meta-graph", "--as-text").expect(0)
    graph = (setup.dir / "text" / "model.ckpt-0.meta").read_text()
    debug = 'debug_info { files: "model.py" traces { key: "loss@" value { file_line_cols { line: 7 } } } }\n'
    text.write_text(graph.replace("graph_def {\n", "graph_def {\n" + debug, 1))
    program = setup.dir / "with"
    setup.compile(text, "-o", program).expect(0)
    trainer.program = program
    flags = ("--steps", 10, "--save-checkpoints-steps", 10, "--keep-checkpoint-max", 1, "--write-meta-graph",
             "--debug-info")  # fmt: skip
    trainer.run("run", *flags).expect(0)
    made = (setup.dir / "run" / "model.ckpt-10.debug").read_bytes()
    assert b"model.py" in made and b"loss@" in made, made
    # It goes with its checkpoint.
    assert not (setup.dir / "run" / "model.ckpt-0.debug").exists()
    trainer.run("words", *flags, "--as-text").expect(0)
    words = (setup.dir / "words" / "model.ckpt-10.debug").read_text()
    assert 'files: "model.py"' in words
    setup.run(program, "export", "--meta-graph", setup.dir / "alone.meta", "--debug-info", "--as-text").expect(0)
    assert (setup.dir / "alone.debug").read_text() == words


def the_first_nan_is_named_where_all_is_looked_at(setup):
    trainer = Trainer(setup)
    nan = ("--steps", 5, "--feed", "rate=nan")
    done = trainer.run("run", *nan, "--check-numerics")
    done.expect(1, "NaN", "step 1")
    # Else the loss shows it, a step later.
    trainer.run("loss", *nan).expect(1, "NaN", "step 2")
    trainer.run("stop", *nan, "--on-nan", "stop").expect(0)
    # As Keras does, with the step that showed it saved.
    trainer.run("terminate", *nan, "--terminate-on-nan").expect(0, "is NaN at step 2")
    assert (setup.dir / "terminate" / "model.ckpt-2.index").exists()
    trainer.run("both", *nan, "--terminate-on-nan", "--on-nan", "fail").expect(2, "exclude one another")
    # Nobody reads it.
    trainer.run("ignore", *nan, "--on-nan", "ignore").expect(0)
    assert (setup.dir / "ignore" / "model.ckpt-5.index").exists()


def as_many_steps_are_traced_as_asked_for(setup):
    trainer, trace = Trainer(setup), setup.dir / "trace.json"
    trainer.run("run", "--steps", 9, "--trace", trace, "--trace-steps", 4).expect(0)
    told = json.loads(trace.read_text())
    told = told["traceEvents"] if isinstance(told, dict) else told
    steps = {event["name"] for event in told if event["name"].startswith("step ")}
    assert len(steps) == 4, steps
    # For kernels it gives their work, as `info` does.
    listed = setup.run(trainer.program, "info", "--json").expect(0).out
    known = {k["iterations"] * k["flops_per_iteration"] for k in json.loads(listed)["kernels"] if "iterations" in k}
    shown = {event["args"]["operations"] for event in told if event.get("cat") == "kernel" and "args" in event}
    assert shown and shown <= known, (shown, known)
    assert all(event["args"]["GFLOP/s"] >= 0 for event in told if event.get("cat") == "kernel" and "args" in event)


def a_trainer_runs_where_it_was_compiled_for(setup):
    trainer = Trainer(setup)
    trainer.run("run", "--steps", 1, "--device", "cpu").expect(0)
    trainer.run("run", "--steps", 1, "--device", "cuda:0").expect(2, "cuda:0", "cpu")


def evaluations_stop_a_run(setup):
    trainer = Trainer(setup)
    trainer.run("run", "--max-steps", 5).expect(0)
    evaluate = trainer.command("run", "--name", "held_out", "--json", verb="evaluate")
    value = json.loads(setup.run(*evaluate).expect(0).out)["metrics"]["mean_loss"]
    assert value > 0

    def stopped(*flags):
        """Whether a run of 100 more steps ends at once; its folder is a copy."""
        folder = setup.dir / "copy"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(setup.dir / "run", folder)
        # The first look is a second after the start at the latest.
        out = trainer.run("copy", "--steps", 100, "--eval-name", "held_out", *flags).expect(0).out
        return trainer.steps("copy")[-1] < 105, out

    for flags, stops in (
        (("--stop-if-higher", f"mean_loss:{value / 2}"), True),
        (("--stop-if-higher", f"mean_loss:{value * 2}"), False),
        (("--stop-if-lower", f"mean_loss:{value * 2}"), True),
        (("--stop-if-lower", f"mean_loss:{value / 2}"), False),
        (("--stop-if-lower", f"val_mean_loss:{value * 2}"), True),
        (("--stop-if-lower", f"mean_loss:{value * 2}", "--early-stopping-min-steps", 6), False),
    ):
        ended, out = stopped(*flags)
        assert ended == stops, f"{flags}: {out}"
    # Three evaluations, none higher, or lower, than the first for ten steps.
    for step in (10, 20):
        trainer.run("run", "--max-steps", step).expect(0)
        setup.run(*evaluate).expect(0)
    for flags, stops in (
        (("--stop-if-no-increase", "mean_loss:10"), True),
        (("--stop-if-no-decrease", "mean_loss:10"), False),
        (("--stop-if-no-increase", "mean_loss:1000"), False),
    ):
        ended, out = stopped(*flags)
        assert ended == stops, f"{flags}: {out}"


def another_entry_evaluates(setup):
    trainer = Trainer(setup, "train", "--entry", "drawn=->drawn")
    common = trainer.command("run", "--max-steps", 3, "--feed", "rate=0.1", "--init-feed", "start=1",
                             "--eval-steps", 2, verb="train-and-evaluate")  # fmt: skip
    setup.run(*common, "--eval-entry", "drawn").expect(0)
    tags = {tag for kind, tag, _ in events(setup.dir / "run" / "eval") if kind == "summary"}
    assert "drawn" in " ".join(tags) and "mean_loss" not in tags, tags


def an_entry_runs_as_often_as_told(setup):
    trainer = Trainer(setup, "train", "--entry", "draw=->drawn")
    trainer.run("run", "--steps", 0).expect(0)
    command = [trainer.program, "run", "draw", "--model-dir", setup.dir / "run", "--fetch", "drawn", "--json", "--quiet"]
    told = [json.loads(setup.run(*command, *flags).expect(0).out)["drawn:0"]
            for flags in ((), ("--times", 4))]  # fmt: skip
    assert told == [1000.0, 1006.0], told


def rows_are_what_they_are_said_to_be(setup):
    compile_metrics(setup)
    features = EXPECT["features"]
    forms = {
        "csv": "".join(",".join(map(str, row)) + "\n" for row in features),
        "jsonl": "".join(json.dumps({"features": row}) + "\n" for row in features),
    }
    rows, found = setup.dir / "rows", []
    command = [setup.trainer, "predict", "--checkpoint", METRICS / "model.ckpt-30", "--input", rows,
               "--output", "-", "--output-format", "jsonl"]  # fmt: skip
    for form, text in forms.items():
        rows.write_text(text)
        setup.run(*command).expect(2, "--input-format")
        found.append(setup.run(*command, "--input-format", form).expect(0).out)
    assert found[0] == found[1] and found[0].count("\n") == len(features), found


if __name__ == "__main__":
    harness.main(globals())
