# SPDX-License-Identifier: Apache-2.0
"""AdaNet's model directories: trained on, ended, handed back.

test/data/adanet_*: graphs and checkpoints as adanet 0.9.0 left them. Numbers
such as AN-113 are those of the facts about AdaNet that a test holds.
"""
import json
import random
import re
import shutil
import struct
import subprocess
import time

import harness
from bundle import Bundle

DATA = harness.SOURCE / "test" / "data"
SILENT = ("--summary-steps", 0, "--log-steps", 0)


def model_folder(setup, start, name="run", data="adanet_digits"):
    """A folder whose newest checkpoint is `start` of a reference run."""
    folder = setup.dir / name
    folder.mkdir()
    for path in (DATA / data).glob(start + ".*"):
        if path.suffix != ".meta":
            shutil.copy(path, folder)
    (folder / "checkpoint").write_text(f'model_checkpoint_path: "{start}"\n')
    return folder


def compiled(setup, graph, data="adanet_digits"):
    trainer = setup.dir / f"trainer-{graph}"
    setup.compile(DATA / data / graph, "-o", trainer).expect(0)
    return trainer


def contents(folder):
    """All files but the state file, whose list of names a trainer completes, and the graph, which it writes when it starts."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in (".ingot-lock", "checkpoint", "graph.pbtxt")
    }


def markers(folder, iteration):
    return {
        path.stem: json.loads(path.read_text())
        for path in (folder / "train_manager" / f"t{iteration}").iterdir()
    }


def write_npy(path, code, shape, values):
    """Version 1 of NumPy's format."""
    kind = {"f": "<f4", "i": "<i4"}[code]
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(11 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(values)}{code}", *values))  # fmt: skip


def evaluation_feeds(setup, data):
    """The examples that AdaNet evaluated, in place of the graph's input."""
    rows = [line.split(",") for line in (DATA / data / "evaluate.csv").read_text().splitlines()]
    x, y = setup.dir / "x.npy", setup.dir / "y.npy"
    if data == "adanet_digits":
        write_npy(x, "f", (len(rows), 64), [int(v) / 16 for row in rows for v in row[:-1]])
        write_npy(y, "i", (len(rows),), [int(row[-1]) for row in rows])
    else:
        write_npy(x, "f", (len(rows), 10), [float(v) for row in rows for v in row[:-1]])
        write_npy(y, "f", (len(rows), 1), [float(row[-1]) for row in rows])
    return "--feed", f"IteratorGetNext:0=@{x}", "--feed", f"IteratorGetNext:1=@{y}"


def evaluations_say_what_adanets_do(setup):
    """AN-213 to 219: after the last step, the best ensemble's figures by AdaNet's
    names; those of each candidate and member in folders of their own (AN-053)."""
    for data, graph, last, batch in (
        ("adanet_digits", "model.ckpt-250.meta", 300, 64),
        ("adanet_diabetes", "model.ckpt-210.meta", 240, 32),
    ):
        expected = json.loads((DATA / data / "expect.json").read_text())["evaluate"]
        trainer = compiled(setup, graph, data)
        folder = model_folder(setup, "increment.ckpt-2", data, data)
        for path in (DATA / data).glob("architecture-*.json"):
            shutil.copy(path, folder)
        setup.run(trainer, "--model-dir", folder, "--max-steps", last, *SILENT).expect(0)
        feeds = evaluation_feeds(setup, data)
        told = setup.run(trainer, "evaluate", "--model-dir", folder, *feeds, "--batch", batch, "--json").expect(0)
        told = json.loads(told.out)
        found = dict(told["metrics"], global_step=told["global_step"])
        names = found.pop("architecture/adanet/ensembles")
        assert set(found) == set(expected), (found, expected)
        for key, value in expected.items():
            exact = key == "iteration" or "index" in key or "step" in key
            slack = 0 if exact else 0.01 * max(abs(value), 0.1)
            assert abs(found[key] - value) <= slack, f"{key}: {found[key]}, AdaNet's {value}"
        # AN-209, 217: the candidates of the indices.
        assert names == {"adanet_digits": "| 1_layer_dnn | 2_layer_dnn | 3_layer_dnn |",
                         "adanet_diabetes": "| 1_layer_dnn | 1_layer_dnn | 2_layer_dnn |"}[data]  # fmt: skip
        # Prev and two new ones, and the new members.
        for kind, count in (("ensemble", 3), ("subnetwork", 2)):
            events = list((folder / kind).glob("*/eval/events.out.tfevents.*"))
            assert len(events) == count and all(path.stat().st_size > 60 for path in events), events
        assert len(list((folder / "eval").glob("events.*"))) == 1
        # Nothing is trained, and no average moves: asked again, it says the same.
        again = setup.run(trainer, "evaluate", "--model-dir", folder, *feeds, "--batch", batch, "--json").expect(0)
        assert json.loads(again.out) == told
        # One batch of all: the mean over batches is that over examples (AN-215).
        one = json.loads(setup.run(trainer, "evaluate", "--model-dir", folder, *feeds, "--json").expect(0).out)
        assert one["batches"] == 1
        assert abs(one["metrics"]["loss"] - one["metrics"]["average_loss"]) < 1e-5, one
        # AN-139, 140: as an evaluator on these examples prefers.
        notes = setup.run(trainer, "evaluate", "--model-dir", folder, *feeds, "--batch", batch).expect(0).err
        named = {name: {key: float(value) for key, value in re.findall(r"(\S+) (-?\d+\.\d+)", line)}
                 for name, line in re.findall(r"^note: ensemble/(\S+), step \d+:(.*)$", notes, re.M)}  # fmt: skip
        assert len(named) == 3, notes
        # The ensemble that was left is the first candidate, and has no index of its own.
        indices = {name: -1 if name.startswith("t1_") else 1 + sorted(other for other in named if other.startswith("t2_")).index(name)
                   for name in named}  # fmt: skip
        for metric, choose in (("adanet_loss", min), ("average_loss", min), ("average_loss:max", max)):
            best = choose(named, key=lambda name: named[name][metric.split(":")[0]])
            chosen = json.loads(setup.run(trainer, "evaluate", "--model-dir", folder, *feeds, "--batch", batch,
                                          "--select-by", metric, "--json").expect(0).out)["metrics"]  # fmt: skip
            for name in ("loss", "average_loss"):
                assert abs(chosen[name] - named[best][name]) < 1e-5, (metric, best, chosen, named)
            assert chosen["best_ensemble_index_2"] == indices[best], (metric, best, chosen)
        setup.run(trainer, "evaluate", "--model-dir", folder, *feeds, "--select-by", "auc").expect(1, "has no metric 'auc'")
        # Over the graph's own input, which never ends.
        own = json.loads(setup.run(trainer, "evaluate", "--model-dir", folder, "--steps", 3, "--json").expect(0).out)
        assert own["batches"] == 3 and set(own["metrics"]) == set(told["metrics"])
    setup.run(trainer, "evaluate", "--model-dir", folder, "--batch", 3).expect(2, "--batch needs --feed")
    # AN-142: training's input repeats for ever.
    setup.run(trainer, "evaluate", "--model-dir", folder).expect(2, "never ends", "--steps N evaluates N batches, --feed evaluates other examples")
    write_npy(setup.dir / "y.npy", "f", (3, 1), [1, 2, 3])
    setup.run(trainer, "evaluate", "--model-dir", folder, *feeds).expect(1, "is fed 3 examples", "102")


def iterations_end_where_adanet_ends_them(setup):
    """AN-040, 047, 048, 109-112, 235: with no flag, when the members have as many
    steps as those of iteration 0; each that is done has a marker."""
    trainer = compiled(setup, "model.ckpt-150.meta")
    folder = model_folder(setup, "increment.ckpt-1")
    done = setup.run(trainer, "--model-dir", folder, "--max-steps", 1000, *SILENT).expect(0)
    assert "iteration 1 has ended" in done.out, done.out
    ours = Bundle(folder / "model.ckpt-200")
    counters = [name for name in ours.numeric() if name.endswith("/step")]
    assert len(counters) == 6 and all(ours.values(name) == (100,) for name in counters)
    complete = {"message": "Training complete after 100 steps."}
    assert markers(folder, 1) == {
        "t0_1_layer_dnn_grow_complexity_regularized": {"message": "Training already complete."},
        "t1_1_layer_dnn": complete,
        "t1_2_layer_dnn": complete,
        "t1_1_layer_dnn_grow_complexity_regularized": complete,
        "t1_2_layer_dnn_grow_complexity_regularized": complete,
    }
    # A crash in between leaves markers of no checkpoint, and no checkpoint without its markers.
    saved = (folder / "model.ckpt-200.index").stat().st_mtime_ns
    for marker in (folder / "train_manager" / "t1").iterdir():
        assert marker.stat().st_mtime_ns <= saved, marker
    # AN-067: going on when there is nothing to do changes no byte.
    before = contents(folder)
    done = setup.run(trainer, "--model-dir", folder, "--max-steps", 1000, *SILENT).expect(0)
    assert "iteration 1 has already ended" in done.out, done.out
    assert contents(folder) == before


def an_iteration_comes_to_what_adanet_made_of_it(setup):
    """AN-037, 045, 075-082, 130: what AdaNet kept of the iteration when it grew:
    frozen variables bit for bit, counters, the optimizer's shared powers, the
    moving average of the loss and its bias, the winner's weights."""
    for data, graph, last, slack in (
        ("adanet_digits", "model.ckpt-150.meta", 200, 3e-2),
        ("adanet_diabetes", "model.ckpt-130.meta", 160, 2e-3),
    ):
        trainer = compiled(setup, graph, data)
        folder = model_folder(setup, "increment.ckpt-1", data, data)
        setup.run(trainer, "--model-dir", folder, "--max-steps", last, *SILENT).expect(0)
        ours, grown = Bundle(folder / f"model.ckpt-{last}"), Bundle(DATA / data / "increment.ckpt-2")
        start = Bundle(DATA / data / "increment.ckpt-1")
        shared = set(ours.numeric()) & set(grown.numeric())
        assert len(shared) > 20, shared
        for name in sorted(shared):
            if name == "current_iteration":
                # AN-082: growing increments it.
                assert (ours.values(name), grown.values(name)) == ((1,), (2,))
            elif name.startswith("adanet/iteration_0/"):
                assert ours.data(name) == grown.data(name) == start.data(name), name
            elif name.endswith(("/step", "/local_step", "global_step", "iteration_number")):
                assert ours.values(name) == grown.values(name), name
            else:
                found, expected = ours.values(name), grown.values(name)
                most = slack * max(abs(x) for x in expected) + 1e-7
                for a, b in zip(found, expected, strict=True):
                    assert abs(a - b) <= most, f"{name}: {a}, AdaNet's {b}"


def an_iteration_goes_on_in_the_middle(setup):
    """AN-046: stopped after 30 of 100 steps, it ends where the one that was
    never stopped does, byte for byte."""
    trainer = compiled(setup, "model.ckpt-150.meta")
    whole = model_folder(setup, "increment.ckpt-1", "whole")
    setup.run(trainer, "--model-dir", whole, "--max-steps", 200, *SILENT).expect(0)
    halves = model_folder(setup, "increment.ckpt-1", "halves")
    for last in (130, 200):
        setup.run(trainer, "--model-dir", halves, "--max-steps", last, *SILENT).expect(0)
    harness.assert_same_checkpoint(whole, halves, 200)
    assert markers(whole, 1) == markers(halves, 1)


def members_stop_one_by_one(setup):
    """AN-040: a member that is done stays bit by bit as it is, the others go on;
    the global step is the mean (AN-037)."""
    trainer = compiled(setup, "model.ckpt-150.meta")
    folder = model_folder(setup, "increment.ckpt-1")
    shutil.copy(DATA / "adanet_digits" / "architecture-0.json", folder)
    flags = ("--model-dir", folder, "--max-steps", 1000, *SILENT)
    setup.run(trainer, *flags[:3], 130, *SILENT).expect(0)
    manager = folder / "train_manager" / "t1"
    manager.mkdir(parents=True, exist_ok=True)
    (manager / "t1_1_layer_dnn.json").write_text('{"message": "Stop requested."}')
    setup.run(trainer, *flags).expect(0)
    before, after = Bundle(folder / "model.ckpt-130"), Bundle(folder / "model.ckpt-165")
    assert after.values("global_step") == (165,)
    own = [name for name in before.numeric() if name.startswith("adanet/iteration_1/subnetwork_t1_1_layer_dnn/")]
    assert len(own) > 3
    for name in own:
        # AN-045: the powers of the one Adam are every train op's.
        assert (before.data(name) == after.data(name)) == (not re.search("beta[12]_power", name)), name
    for name in before.numeric():
        if name.endswith("/step") and "iteration_1" in name and name not in own:
            assert after.values(name) == (100,), name
        elif re.search("iteration_1/(subnetwork_t1_2|ensemble).*(kernel|mixture_weight)$", name):
            assert before.data(name) != after.data(name), name
    assert {name: marker["message"] for name, marker in markers(folder, 1).items()} == {
        "t1_1_layer_dnn": "Stop requested.",
        "t0_1_layer_dnn_grow_complexity_regularized": "Training already complete.",
        **{name: "Training complete after 100 steps." for name in (
            "t1_2_layer_dnn", "t1_1_layer_dnn_grow_complexity_regularized", "t1_2_layer_dnn_grow_complexity_regularized")},
    }  # fmt: skip


def checkpoints_in_the_middle_are_a_step_further(setup):
    """AN-046: AdaNet's hooks save when a step has run and the global step has not
    been set; what goes on from there ends where all else does. So do the places
    of inputs that are kept apart."""
    trainer = compiled(setup, "model.ckpt-150.meta")
    whole = model_folder(setup, "increment.ckpt-1", "whole")
    setup.run(trainer, "--model-dir", whole, "--max-steps", 200, "--save-checkpoints-steps", 50, *SILENT).expect(0)
    for step, members in ((150, 51), (200, 100)):
        saved = Bundle(whole / f"model.ckpt-{step}")
        counters = [name for name in saved.numeric() if re.search("iteration_1/.*/(local_)?step$", name)]
        assert len(counters) == 6 and saved.values("global_step") == (step,)
        assert all(saved.values(name) == (members,) for name in counters), step
    for flags in ((), ("--checkpoint-input",)):
        parts = model_folder(setup, "increment.ckpt-1", "parts" + "".join(flags))
        setup.run(trainer, "--model-dir", parts, "--max-steps", 160, "--save-checkpoints-steps", 50, *flags, *SILENT).expect(0)
        (parts / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-150"\n')
        setup.run(trainer, "--model-dir", parts, "--max-steps", 200, "--losses", setup.dir / "losses", *flags, *SILENT).expect(0)
        assert harness.read_losses(setup.dir / "losses")[0]["step"] == 152
        (setup.dir / "losses").unlink()
        a, b = Bundle(whole / "model.ckpt-200"), Bundle(parts / "model.ckpt-200")
        assert all(a.data(name) == b.data(name) for name in a.numeric())


def the_length_of_a_first_iteration_is_asked_for(setup):
    """AN-003: nothing that AdaNet wrote says how long iteration 0 lasts."""
    trainer = compiled(setup, "model.ckpt-50.meta")
    folder = model_folder(setup, "model.ckpt-0")
    flags = ("--model-dir", folder, "--max-steps", 12, *SILENT)
    done = setup.run(trainer, *flags).expect(0, "--max-iteration-steps")
    assert not (folder / "train_manager" / "t0").exists(), "nothing is done"
    done = setup.run(trainer, *flags[:2], "--max-steps", 50, "--max-iteration-steps", 20, *SILENT).expect(0)
    assert "iteration 0 has ended" in done.out and (folder / "model.ckpt-20.index").exists()
    assert markers(folder, 0)["t0_linear"] == {"message": "Training complete after 20 steps."}
    # AN-253: fewer than there are already.
    done = setup.run(trainer, *flags[:2], "--max-iteration-steps", 10, *SILENT).expect(0)
    assert "iteration 0 has already ended" in done.out


def markers_of_later_checkpoints_do_not_count(setup):
    """AN-113: set back to an earlier checkpoint, training continues."""
    trainer = compiled(setup, "model.ckpt-150.meta")
    folder = model_folder(setup, "increment.ckpt-1")
    flags = ("--model-dir", folder, "--max-steps", 1000, *SILENT)
    setup.run(trainer, *flags).expect(0)
    first = Bundle(folder / "model.ckpt-200").data("global_step"), contents(folder)["model.ckpt-200.data-00000-of-00002"]
    (folder / "checkpoint").write_text('model_checkpoint_path: "increment.ckpt-1"\n')
    done = setup.run(trainer, *flags).expect(0, "the checkpoint has only 0 steps of 't1_1_layer_dnn'")
    assert "iteration 1 has ended" in done.out and "already" not in done.out, done.out
    assert contents(folder)["model.ckpt-200.data-00000-of-00002"] == first[1]
    # A member that was stopped for another reason stays stopped.
    (folder / "checkpoint").write_text('model_checkpoint_path: "increment.ckpt-1"\n')
    for path in (folder / "train_manager" / "t1").iterdir():
        path.write_text('{"message": "Stop requested."}')
    done = setup.run(trainer, *flags).expect(0)
    assert "iteration 1 has already ended" in done.out, done.out
    # AN-248: a damaged one is named, and where.
    (folder / "train_manager" / "t1" / "t1_1_layer_dnn.json").write_text('{"message": "Tra')
    setup.run(trainer, *flags).expect(1, "t1_1_layer_dnn.json', offset 16", "restore the file from a copy")


def checkpoints_of_other_iterations_are_refused(setup):
    """AN-074, 075: it is `current_iteration` that counts, not a name's number."""
    trainer = compiled(setup, "model.ckpt-50.meta")
    folder = model_folder(setup, "increment.ckpt-1")
    before = contents(folder)
    for verb in (("train", "--max-steps", 110, *SILENT), ("evaluate", "--steps", 1), ("run", "step")):
        setup.run(trainer, verb[0], "--model-dir", folder, *verb[1:]).expect(
            4, "belongs to AdaNet's iteration 1, this program trains iteration 0", "increment.ckpt-1.meta")
        assert contents(folder) == before, "refused, and nothing is changed"


def trainers_run_a_whole_search(setup):
    """AN-023, 034, 055, 064 to 094, 136: from AdaNet's first checkpoint, the
    trainers of its three graphs select, grow and go on as AdaNet did; the files
    that say what was selected are AdaNet's byte for byte."""
    for data, graphs, length in (
        ("adanet_digits", (50, 150, 250), 100),
        ("adanet_diabetes", (50, 130, 210), 80),
    ):
        folder = model_folder(setup, "model.ckpt-0", data, data)
        flags = ("--model-dir", folder, "--max-steps", 3 * length, "--max-iteration-steps", length, *SILENT)
        for iteration, graph in enumerate(graphs):
            trainer = compiled(setup, f"model.ckpt-{graph}.meta", data)
            done = setup.run(trainer, *flags).expect(0)
            assert f"iteration {iteration} has ended" in done.out, done.out
            # A finished iteration stays finished: started again, no byte changes.
            before = contents(folder)
            setup.run(trainer, *flags).expect(0)
            assert contents(folder) == before
            # AN-082: frozen bits, a new number; AN-075, 081: AdaNet's variables.
            if iteration:
                left, grown = Bundle(folder / f"model.ckpt-{iteration * length}"), Bundle(folder / f"increment.ckpt-{iteration}")
                theirs = Bundle(DATA / data / f"increment.ckpt-{iteration}")
                assert set(grown.numeric()) == set(theirs.numeric())
                # AN-072: in as many shards as AdaNet's.
                shards, expected = (sorted(path.name for path in of.glob(f"increment.ckpt-{iteration}.data-*")) for of in (folder, DATA / data))
                assert shards == expected and len(shards) == 2, shards
                for name in grown.numeric():
                    if name == "current_iteration":
                        assert (left.values(name), grown.values(name)) == ((iteration - 1,), (iteration,))
                    elif name in left.entries:
                        assert grown.data(name) == left.data(name), name
        # AN-065: nothing temporary is left, as AdaNet's temp_model_dir.
        assert not list(folder.rglob("*temp*"))
        # AN-023: the last iteration ended with the run, and selects nothing.
        assert sorted(path.name for path in folder.glob("architecture-*")) == ["architecture-0.json", "architecture-1.json"]
        for path in (DATA / data).glob("architecture-*.json"):
            assert (folder / path.name).read_text() == path.read_text()
        # AN-085: increments between model files.
        names = [line.split('"')[1] for line in (folder / "checkpoint").read_text().splitlines() if '"' in line]
        assert names == [f"model.ckpt-{3 * length}", "model.ckpt-0", f"model.ckpt-{length}", "increment.ckpt-1",
                         f"model.ckpt-{2 * length}", "increment.ckpt-2", f"model.ckpt-{3 * length}"]  # fmt: skip


def killed_on_its_way(command, folder, kills, seconds, moments):
    """Kills the command as often as that; seconds: what it takes undisturbed. One
    that was quicker than its kills begins again where the first began."""
    start = folder.with_name("start")
    shutil.rmtree(start, ignore_errors=True)
    shutil.copytree(folder, start)
    for _ in range(50):
        for _ in range(kills):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(moments.uniform(0, 0.6 * seconds))
                break
            except subprocess.TimeoutExpired:
                process.kill()
                if process.wait() == 0:
                    break
        else:
            return
        shutil.rmtree(folder)
        shutil.copytree(start, folder)
    raise AssertionError(f"{kills} kills within {seconds} s were never on time")


def a_search_that_is_killed_comes_to_the_same(setup):
    """AN-067, 068, 247: killed wherever it is, in a step, between checkpoint,
    markers, architecture and increment, and started again."""
    data, length = "adanet_diabetes", 80
    trainers = [compiled(setup, f"model.ckpt-{graph}.meta", data) for graph in (50, 130, 210)]
    moments, seconds, ends = random.Random(7), {}, {}
    for name in ("whole", "killed"):
        folder = model_folder(setup, "model.ckpt-0", name, data)
        for trainer in trainers:
            command = [str(part) for part in (
                trainer, "--model-dir", folder, "--max-steps", 3 * length, "--max-iteration-steps", length,
                "--save-checkpoints-steps", 20, "--sync-saves", *SILENT)]  # fmt: skip
            if name == "killed":
                killed_on_its_way(command, folder, 4, seconds[trainer], moments)
            begin = time.monotonic()
            setup.run(*command).expect(0)
            seconds[trainer] = time.monotonic() - begin
        ends[name] = {path: data for path, data in contents(folder).items()
                      if path.startswith(("model.ckpt-240", "architecture", "train_manager"))}  # fmt: skip
    assert sorted(ends["whole"]) == sorted(ends["killed"]) and len(ends["whole"]) > 10
    for path, data in ends["whole"].items():
        assert ends["killed"][path] == data, path


def the_ensemble_that_is_left_may_stay_the_best(setup):
    """AN-095: its members once more, and no index; AN-143, 144: --force-grow. After
    three steps new members are no better than what 80 have made of the first."""
    data = "adanet_diabetes"
    trainer = compiled(setup, "model.ckpt-130.meta", data)
    first = json.loads((DATA / data / "architecture-0.json").read_text())
    for forced in (False, True):
        folder = model_folder(setup, "increment.ckpt-1", f"run{forced}", data)
        shutil.copy(DATA / data / "architecture-0.json", folder)
        done = setup.run(trainer, "--model-dir", folder, "--max-iteration-steps", 3, *SILENT,
                         *["--force-grow"] * forced).expect(0)  # fmt: skip
        losses = dict(re.findall(r"^adanet_loss/(\S+) = (\S+)$", done.out, re.M))
        losses = {name: float(value) for name, value in losses.items()}
        left = "t0_1_layer_dnn_grow_complexity_regularized"
        assert len(losses) == 3 and min(losses, key=losses.get) == left, losses
        found = json.loads((folder / "architecture-1.json").read_text())
        assert (found["iteration_number"], found["global_step"]) == (1, 83), found
        if not forced:
            assert found == dict(first, iteration_number=1, global_step=83)
            continue
        del losses[left]
        best = min(losses, key=losses.get)
        assert best == f"t1_{found['ensemble_candidate_name']}_complexity_regularized", (found, losses)
        builder = found["ensemble_candidate_name"].removesuffix("_grow")
        assert found["subnetworks"] == [*first["subnetworks"], {"builder_name": builder, "iteration_number": 1}]
        assert found["replay_indices"] == [*first["replay_indices"], 1 + list(losses).index(best)]


def an_iteration_grows_only_from_what_its_graph_was_made_for(setup):
    """AN-251, 031, 170."""
    first, second = compiled(setup, "model.ckpt-50.meta"), compiled(setup, "model.ckpt-150.meta")
    # AN-037: global steps go on where they did when AdaNet made the graph.
    short = model_folder(setup, "model.ckpt-0", "short")
    setup.run(first, "--model-dir", short, "--max-iteration-steps", 5, *SILENT).expect(0)
    selected = json.loads((short / "architecture-0.json").read_text())
    builder = selected["subnetworks"][0]["builder_name"]
    assert selected["global_step"] == 5 and builder in ("linear", "1_layer_dnn"), selected
    if builder == "1_layer_dnn":
        setup.run(second, "--model-dir", short, "--max-steps", 8, *SILENT).expect(
            4, "begins at global step 100", "model.ckpt-5' is at step 5")  # fmt: skip
    folder = model_folder(setup, "model.ckpt-0")
    flags = ("--model-dir", folder, "--max-steps", 108, *SILENT)
    ends = ("--max-steps", 100, "--max-iteration-steps", 100)
    setup.run(first, "--model-dir", folder, *ends, *SILENT).expect(0)
    # AN-023: the run ended with the iteration, which has selected nothing.
    path = folder / "architecture-0.json"
    assert not path.exists()
    setup.run(second, *flags).expect(4, "belongs to AdaNet's iteration 0, this program trains iteration 1")
    # Started again with more to do, it selects.
    setup.run(first, "--model-dir", folder, *ends[2:], *SILENT).expect(0)
    text = path.read_text()
    assert text == (DATA / "adanet_digits" / "architecture-0.json").read_text()
    path.write_text("{")
    setup.run(second, *flags).expect(4, "architecture-0.json', offset 1")
    # The graph of iteration 1 was made for an ensemble of 1_layer_dnn.
    path.write_text(text.replace("1_layer_dnn", "linear"))
    before = contents(folder)
    setup.run(second, *flags).expect(4, "made for an ensemble of 't0_1_layer_dnn'", "architecture-0.json' has 't0_linear'")
    assert contents(folder) == before
    path.write_text(text)
    setup.run(second, *flags).expect(0)
    assert Bundle(folder / "model.ckpt-108").values("current_iteration") == (1,)


if __name__ == "__main__":
    harness.main(globals())
