# SPDX-License-Identifier: Apache-2.0
"""Members and candidates of AdaNet's graphs that end before their time.

Diverged, out of patience, out of time, without input. Numbers such as AN-138 are
those of the facts about AdaNet that a test holds.
"""
import json
import re
import shutil
import struct

import harness
from adanet_directories import DATA, SILENT, compiled, contents, markers, model_folder
from bundle import Bundle

DIABETES = "adanet_diabetes"
FIRST, SECOND, LEFT = "t1_1_layer_dnn", "t1_2_layer_dnn", "t0_1_layer_dnn_grow_complexity_regularized"


def grown(member):
    return member + "_grow_complexity_regularized"


def diabetes_folder(setup, name):
    """Iteration 1 of diabetes, before its first step."""
    folder = model_folder(setup, "increment.ckpt-1", name, DIABETES)
    shutil.copy(DATA / DIABETES / "architecture-0.json", folder)
    return folder


def poison(setup, folder, prefix, *names, value=float("nan")):
    """Puts a number at the first place of variables of a checkpoint."""
    tool, flat = setup.ingotc.parent / "ingot-ckpt", setup.dir / "flat.safetensors"
    setup.run(tool, "convert", folder / prefix, "--to", "safetensors", "-o", flat, "--force").expect(0)
    data = bytearray(flat.read_bytes())
    size = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8 : 8 + size])
    for name in names:
        struct.pack_into("<f", data, 8 + size + header[name]["data_offsets"][0], value)
    flat.write_bytes(data)
    setup.run(tool, "convert", flat, "--to", "v2", "-o", folder / prefix, "--force").expect(0)


def bias_of(member):
    return f"adanet/iteration_1/subnetwork_{member}/dense/bias"


def losses_told(out):
    return {name: float(value) for name, value in re.findall(r"^adanet_loss/(\S+) = (\S+)$", out, re.M)}


def what_diverges_is_named_once(setup):
    """AN-049, 243: member and candidate, by name, step and loss; what happens then
    is as ever: the graph's own loss fails the run (AN-135)."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    folder = diabetes_folder(setup, "run")
    poison(setup, folder, "increment.ckpt-1", bias_of(SECOND))
    flags = (trainer, "--model-dir", folder, "--max-steps", 90, *SILENT)
    said = setup.run(*flags).expect(1, "the loss 'adanet/iteration_1/best_loss/Reshape:0' is NaN at step 81").err
    assert f"warning: '{SECOND}' has diverged at step 1 of its training: its loss is nan\n" in said, said
    assert f"warning: '{grown(SECOND)}' has diverged at step 1 of its training: the average of its AdaNet loss is nan\n" in said, said
    assert said.count("has diverged") == 2 and FIRST not in said, said


def what_diverges_is_dropped_and_the_others_go_on(setup):
    """AN-136, 138, 243: it is neither trained nor selected, its marker says why, and
    the others come to the same bits as if it had not been there."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    clean, folder = diabetes_folder(setup, "clean"), diabetes_folder(setup, "run")
    poison(setup, folder, "increment.ckpt-1", bias_of(SECOND))
    flags = ("--max-iteration-steps", 30, *SILENT)
    setup.run(trainer, "--model-dir", clean, *flags).expect(0)
    done = setup.run(trainer, "--model-dir", folder, "--drop-nan", *flags).expect(0)
    assert done.err.count("has diverged") == 1, done.err
    assert f"'{grown(SECOND)}' is dropped after 1 steps: its member '{SECOND}' is dropped" in done.out, done.out
    said = {name: marker["message"] for name, marker in markers(folder, 1).items()}
    assert said == {
        LEFT: "Training already complete.",
        SECOND: "Dropped after 1 steps: its loss is nan",
        grown(SECOND): f"Dropped after 1 steps: its member '{SECOND}' is dropped",
        FIRST: "Training complete after 30 steps.",
        grown(FIRST): "Training complete after 30 steps.",
    }
    # The mean of 30 steps and one (AN-037).
    a, b = Bundle(clean / "model.ckpt-110"), Bundle(folder / "model.ckpt-95")
    owned = [name for name in a.numeric() if f"_{FIRST}" in name]
    assert len(owned) > 10
    for name in owned:
        assert a.data(name) == b.data(name), name
    assert b.values(f"adanet/iteration_1/subnetwork_{SECOND}/step") == (1,)
    # AN-136: of those that are left the lowest.
    losses = losses_told(done.out)
    assert losses[grown(SECOND)] != losses[grown(SECOND)], losses
    best = min((LEFT, grown(FIRST)), key=losses.get)
    selected = json.loads((folder / "architecture-1.json").read_text())
    assert len(selected["subnetworks"]) == (1 if best == LEFT else 2), (selected, losses)
    # So does an evaluation, which otherwise selects the diverged candidate as the best.
    told = json.loads(setup.run(trainer, "evaluate", "--model-dir", folder, "--steps", 2, "--json").expect(0).out)["metrics"]
    assert told["best_ensemble_index_1"] == (-1 if best == LEFT else 1) and told["loss"] == told["loss"], told


def a_drop_is_remembered_wherever_a_run_stops(setup):
    """AN-138, 247: stopped after the drop, in the middle, and resumed: the same bytes as in one run."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    ends = []
    for name, stops in (("whole", ()), ("parts", (83, 91))):
        folder = diabetes_folder(setup, name)
        poison(setup, folder, "increment.ckpt-1", bias_of(SECOND))
        flags = ("--model-dir", folder, "--drop-nan", "--max-iteration-steps", 30, *SILENT)
        for stop in stops:
            setup.run(trainer, *flags, "--max-steps", stop).expect(0)
            # Its markers do not count: they may be of a later checkpoint.
            for path in (folder / "train_manager" / "t1").glob("*2_layer*"):
                path.unlink()
        setup.run(trainer, *flags).expect(0)
        ends.append({path: data for path, data in contents(folder).items()
                     if path.startswith(("model.ckpt-95", "architecture", "train_manager"))})  # fmt: skip
    assert ends[0] == ends[1] and len(ends[0]) > 8, (ends[0].keys(), ends[1].keys())


def where_all_diverge_all_are_named(setup):
    """AN-138: at the first iteration there is nothing left; later there is the
    ensemble that was left, but not where growth is forced (AN-143)."""
    first = compiled(setup, "model.ckpt-50.meta", DIABETES)
    folder = model_folder(setup, "model.ckpt-0", "first", DIABETES)
    poison(setup, folder, "model.ckpt-0", *(f"adanet/iteration_0/subnetwork_t0_{name}/dense/bias" for name in ("linear", "1_layer_dnn")))
    before = contents(folder)
    setup.run(first, "--model-dir", folder, "--max-iteration-steps", 30, "--drop-nan", *SILENT).expect(
        1, "every candidate of AdaNet's iteration 0 has diverged", "'t0_linear_grow_complexity_regularized': Dropped after 1 steps",
        "'t0_1_layer_dnn_grow_complexity_regularized': Dropped after 1 steps")  # fmt: skip
    assert contents(folder) == before
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    for forced in (True, False):
        folder = diabetes_folder(setup, f"run{forced}")
        poison(setup, folder, "increment.ckpt-1", bias_of(FIRST), bias_of(SECOND))
        flags = ("--model-dir", folder, "--max-iteration-steps", 30, "--drop-nan", *["--force-grow"] * forced, *SILENT)
        if forced:
            setup.run(trainer, *flags).expect(1, "every candidate of AdaNet's iteration 1 has diverged")
            continue
        setup.run(trainer, *flags).expect(0)
        # AN-095: its members once more.
        left, right = (json.loads((where / f"architecture-{t}.json").read_text()) for where, t in ((DATA / DIABETES, 0), (folder, 1)))
        assert left["subnetworks"] == right["subnetworks"] and right["global_step"] == 81


def members_stop_when_they_no_longer_learn(setup):
    """AN-238: a member whose average loss is never lower by so much stops after as
    many steps as its patience has, for the same step however the run is cut."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    setup.run(trainer, "--model-dir", "x", "--patience", "5,min_delta=x").expect(2, "--patience: expected STEPS[,min_delta=X], found")
    ends = []
    for name, stops in (("whole", ()), ("parts", (84, 89))):
        folder = diabetes_folder(setup, name)
        # No loss is lower by so much: the first step's stays the lowest.
        flags = ("--model-dir", folder, "--patience", "12,min_delta=1e9", "--max-iteration-steps", 40, *SILENT)
        for stop in stops:
            setup.run(trainer, *flags, "--max-steps", stop).expect(0)
        setup.run(trainer, *flags).expect(0)
        said = {spec: marker["message"] for spec, marker in markers(folder, 1).items()}
        for member in (FIRST, SECOND):
            assert re.fullmatch(r"Training stopped after 13 steps: its average loss, now \S+, has not improved on \S+ by more than 1e\+09 for 12 steps",
                                said[member]), said  # fmt: skip
        # AN-040: ensembles are not waited for, and the iteration has selected one.
        assert grown(FIRST) not in said and (folder / "architecture-1.json").exists()
        ends.append({path: data for path, data in contents(folder).items()
                     if path.startswith(("model.ckpt-93", "architecture", "train_manager"))})  # fmt: skip
    assert ends[0] == ends[1] and len(ends[0]) > 5, (ends[0].keys(), ends[1].keys())
    # Enough patience: no member stops early.
    folder = diabetes_folder(setup, "patient")
    setup.run(trainer, "--model-dir", folder, "--patience", 40, "--max-iteration-steps", 40, *SILENT).expect(0)
    assert markers(folder, 1)[FIRST] == {"message": "Training complete after 40 steps."}


def an_iteration_ends_when_its_time_is_up(setup):
    """AN-030: counted over all runs; a second run of an iteration that is out of time
    trains one step and ends it."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    folder = diabetes_folder(setup, "run")
    flags = (trainer, "--model-dir", folder, "--max-iteration-steps", 100000, *SILENT)
    # Time that a checkpoint has is not given again.
    setup.run(*flags, "--max-steps", 400, "--max-iteration-secs", 1000).expect(0)
    assert not (folder / "architecture-1.json").exists()
    done = setup.run(*flags, "--max-iteration-secs", 0.0001).expect(0)
    assert "the iteration's 0.0001 seconds have passed" in done.out and "iteration 1 has ended" in done.out, done.out
    assert markers(folder, 1)[FIRST] == {"message": "Training stopped after 321 steps: the iteration's 0.0001 seconds have passed"}
    assert json.loads((folder / "architecture-1.json").read_text())["global_step"] == 401
    again = setup.run(*flags).expect(0)
    assert "iteration 1 has already ended" in again.out, again.out


def indices_are_replayed(setup):
    """AN-063, 226 to 228: the recorded candidate is selected, whatever the losses."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    for indices, members in (("1,2", 2), ("1,1", 2), ("0,0", 1), ("1,-1", 1)):
        folder = diabetes_folder(setup, f"run{indices}")
        flags = ("--model-dir", folder, "--max-iteration-steps", 3, "--replay-indices", indices, *SILENT)
        setup.run(trainer, *flags).expect(0)
        found = json.loads((folder / "architecture-1.json").read_text())
        names = [member["builder_name"] for member in found["subnetworks"]]
        assert len(names) == members, (indices, found)
        # Candidates are in the order of AN-034.
        assert names[1:] == {"1,2": ["2_layer_dnn"], "1,1": ["1_layer_dnn"]}.get(indices, []), (indices, found)
    folder = diabetes_folder(setup, "refused")
    flags = ("--model-dir", folder, "--max-iteration-steps", 3, *SILENT)
    before = contents(folder)
    setup.run(trainer, *flags, "--replay-indices", "1,7").expect(
        1, f"iteration 1 has no candidate 7; it has 0 '{LEFT}', 1 '{grown(FIRST)}', 2 '{grown(SECOND)}'")
    assert contents(folder) == before
    setup.run(trainer, *flags, "--replay-indices", "1,x").expect(2, "--replay-indices: expected")


def an_evaluator_selects_by_other_figures(setup):
    """AN-061 to 063, 139 to 142, 240: as an evaluation of the last checkpoint says,
    whose input begins anew; not where one candidate is left, or one is replayed."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    candidates = (LEFT, grown(FIRST), grown(SECOND))
    builders = ([], ["1_layer_dnn"], ["2_layer_dnn"])
    chosen = set()
    for metric in ("average_loss", "average_loss:max", "adanet_loss"):
        folder = diabetes_folder(setup, "run" + metric)
        flags = ("--model-dir", folder, "--max-iteration-steps", 30, *SILENT)
        done = setup.run(trainer, *flags, "--evaluator", metric, "--evaluator-steps", 3).expect(0)
        told = dict(re.findall(rf"^{metric.split(':')[0]}/(\S+) = (\S+)$", done.out, re.M))
        assert tuple(told) == candidates, done.out
        asked = json.loads(setup.run(trainer, "evaluate", "--model-dir", folder, "--steps", 3, "--select-by", metric, "--json").expect(0).out)
        best = max(asked["metrics"]["best_ensemble_index_1"], 0)
        values = [float(told[name]) for name in candidates]
        assert values.index((max if "max" in metric else min)(values)) == best, (told, asked)
        assert f"selected '{candidates[best]}', candidate {best} of AdaNet's iteration 1" in done.out, done.out
        assert all(len(value.partition(".")[2]) == 6 for value in told.values()), told
        selected = json.loads((folder / "architecture-1.json").read_text())
        assert [member["builder_name"] for member in selected["subnetworks"]][1:] == builders[best], (selected, best)
        chosen.add(best)
        # AN-067: it is stopped before it has selected, and ends the same.
        (folder / "architecture-1.json").unlink()
        setup.run(trainer, *flags, "--evaluator", metric, "--evaluator-steps", 3).expect(0)
        assert json.loads((folder / "architecture-1.json").read_text()) == selected
    assert len(chosen) > 1, chosen
    folder = diabetes_folder(setup, "refused")
    flags = ("--model-dir", folder, "--max-iteration-steps", 30, *SILENT)
    before = contents(folder)
    setup.run(trainer, *flags, "--evaluator", "auc", "--evaluator-steps", 1).expect(1, f"candidate '{LEFT}' has no metric 'auc'; it has 'loss'")
    setup.run(trainer, *flags, "--evaluator", "loss").expect(1, "this program's input never ends", "--evaluator-steps N")
    assert contents(folder) == before
    replayed = setup.run(trainer, *flags, "--evaluator", "loss", "--evaluator-steps", 1, "--replay-indices", "0,2").expect(0)
    assert "\nloss/" not in replayed.out
    assert json.loads((folder / "architecture-1.json").read_text())["ensemble_candidate_name"] == "2_layer_dnn_grow"
    folder = diabetes_folder(setup, "one")
    poison(setup, folder, "increment.ckpt-1", bias_of(SECOND))
    alone = setup.run(trainer, "--model-dir", folder, *flags[2:], "--drop-nan", "--force-grow", "--evaluator", "loss", "--evaluator-steps", 1).expect(0)
    assert "\nloss/" not in alone.out
    assert json.loads((folder / "architecture-1.json").read_text())["ensemble_candidate_name"] == "1_layer_dnn_grow"


def labels_drawn(setup, trainer, *flags):
    """The labels of each step's batch, in the run's order."""
    path = setup.dir / "labels"
    path.unlink(missing_ok=True)
    setup.run(trainer, *flags, "--fetch", "IteratorGetNext:1", "--losses", path, *SILENT).expect(0)
    return [row["IteratorGetNext:1"] for row in harness.read_losses(path)]


def the_input_goes_on_in_the_next_iteration(setup):
    """AN-027: the examples of two iterations are those of one that lasts as long,
    also where the trainers are killed; AdaNet's way is to begin anew."""
    trainers = []
    for graph in (50, 130):
        trainers.append(setup.dir / f"observed-{graph}")
        setup.compile(DATA / DIABETES / f"model.ckpt-{graph}.meta", "-o", trainers[-1], "--observe", "IteratorGetNext:1").expect(0)
    length = 80
    whole = model_folder(setup, "model.ckpt-0", "whole", DIABETES)
    expected = labels_drawn(setup, trainers[0], "--model-dir", whole, "--max-iteration-steps", 2 * length)
    assert len(expected) == 2 * length and expected[0] != expected[length]
    for more in (("--continue-input",), ("--continue-input", "--save-checkpoints-steps", 7), ("--restart-input",), ()):
        folder = model_folder(setup, "model.ckpt-0", "run" + "".join(map(str, more)), DIABETES)
        flags = ("--model-dir", folder, "--max-iteration-steps", length, *more)
        drawn = labels_drawn(setup, trainers[0], *flags)
        if len(more) == 3:
            # Stopped and resumed in the middle of the second.
            labels_drawn(setup, trainers[1], *flags, "--max-steps", length + 30)
            (folder / "checkpoint").write_text('model_checkpoint_path: "increment.ckpt-1"\n')
        drawn += labels_drawn(setup, trainers[1], *flags)
        assert drawn == (expected if "--continue-input" in more else expected[:length] * 2), more
    # Their saver does not name the iterator, so that it makes no difference there; elsewhere it does:
    # an_iteration_restarts_its_input_where_the_search_says_so.


def an_iteration_grows_from_its_end_only(setup):
    """AN-068, 113: an architecture file is of one end of its iteration."""
    first, second = compiled(setup, "model.ckpt-50.meta", DIABETES), compiled(setup, "model.ckpt-130.meta", DIABETES)
    folder = model_folder(setup, "model.ckpt-0", "run", DIABETES)
    flags = ("--model-dir", folder, "--max-iteration-steps", 80, "--save-checkpoints-steps", 20, *SILENT)
    setup.run(first, *flags).expect(0)
    selected = (folder / "architecture-0.json").read_text()
    (folder / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-40"\n')
    setup.run(second, *flags).expect(4, "architecture-0.json' was selected at global step 80", "model.ckpt-40' is at global step 40")
    # Ended elsewhere, it selects again; at the same end, the selection stays.
    setup.run(first, "--model-dir", folder, "--max-iteration-steps", 60, *SILENT).expect(0, "ended at 60: selecting an ensemble again")
    assert json.loads((folder / "architecture-0.json").read_text())["global_step"] == 60
    (folder / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-40"\n')
    setup.run(first, *flags).expect(0, "ended at 80: selecting an ensemble again")
    assert (folder / "architecture-0.json").read_text() == selected


def checkpoints_of_another_search_are_refused(setup):
    """AN-251: both are shown, and nothing is changed."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    folder = diabetes_folder(setup, "run")
    path = folder / "architecture-0.json"
    path.write_text(path.read_text().replace("1_layer_dnn", "9_layer_dnn"))
    before = contents(folder)
    for verb in (("train", "--max-steps", 90), ("evaluate", "--steps", 1)):
        setup.run(trainer, verb[0], "--model-dir", folder, *verb[1:]).expect(
            4, "increment.ckpt-1' continues 't0_1_layer_dnn'", "architecture-0.json' says iteration 0 selected 't0_9_layer_dnn'")
        assert contents(folder) == before


def fewer_steps_than_there_are_end_an_iteration(setup):
    """AN-253: and it is said."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    folder = diabetes_folder(setup, "run")
    setup.run(trainer, "--model-dir", folder, "--max-steps", 90, *SILENT).expect(0)
    done = setup.run(trainer, "--model-dir", folder, "--max-iteration-steps", 5, *SILENT).expect(
        0, f"'{FIRST}' is not trained further: it has made 10 steps, but --max-iteration-steps is 5")
    assert "iteration 1 has already ended" in done.out


def what_is_watched_is_given_by_partial_steps_too(setup):
    """AN-040: after a member has stopped, the step still gives all that it gave."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    folder = diabetes_folder(setup, "run")
    manager = folder / "train_manager" / "t1"
    manager.mkdir(parents=True)
    (manager / f"{FIRST}.json").write_text('{"message": "Stop requested."}')
    told = setup.run(trainer, "info").expect(0).out
    loss = re.search(rf"adanet/iteration_1/subnetwork_{SECOND}/head/losses/\S+", told).group()
    setup.run(trainer, "--model-dir", folder, "--max-steps", 83, "--fetch", loss, "--losses", setup.dir / "losses", *SILENT).expect(0)
    rows = harness.read_losses(setup.dir / "losses")
    assert rows and all(len(row[loss]) == 32 and row[loss][0][0] > 0 for row in rows), rows[0]


if __name__ == "__main__":
    harness.main(globals())
