# SPDX-License-Identifier: Apache-2.0
"""ingot-adanet report, extract, prune: values, members and ensembles taken out of a
model directory. Numbers such as AN-146 are those of the facts about AdaNet that a
test holds.
"""
import csv
import io
import json
import math
import shutil
import zipfile

import harness
from adanet_budgets import DIABETES, FIRST, LEFT, SECOND, bias_of, diabetes_folder, grown, losses_told, poison
from adanet_directories import DATA, SILENT, compiled, contents, model_folder
from bundle import Bundle

REPORTS = """[{"iteration_number": 0, "subnetwork_reports": [{"name": "linear", "hparams": {"layers": 0}, "attributes": {},
 "metrics": {"average_loss": NaN}, "included_in_final_ensemble": false}, {"name": "1_layer_dnn", "hparams": {"layers": 1, "by": "a, \\"b\\""},
 "attributes": {"complexity": 1.0}, "metrics": {"average_loss": 0.25}, "included_in_final_ensemble": true}]}]"""


def tool(setup, *flags):
    return setup.run(setup.ingotc.parent / "ingot-adanet", *flags)


def rows_of(text):
    """Of a CSV report: values by iteration, kind, name and field."""
    return {(int(row["iteration"]), row["kind"], row["name"], row["field"]): row for row in csv.DictReader(io.StringIO(text))}


def report_tells_what_candidates_were_worth(setup):
    """AN-146, 193, 199: the values that were compared, also of those that lost and of
    what was dropped, and the builders' reports; of AdaNet's own folder what it has."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    folder = diabetes_folder(setup, "run")
    poison(setup, folder, "increment.ckpt-1", bias_of(SECOND))
    done = setup.run(trainer, "--model-dir", folder, "--drop-nan", "--max-iteration-steps", 30, *SILENT).expect(0)
    (folder / "report").mkdir(exist_ok=True)
    (folder / "report" / "iteration_reports.json").write_text(REPORTS)
    before = contents(folder)
    rows = rows_of(tool(setup, "report", "--model-dir", folder, "--csv").expect(0).out)
    told = losses_told(done.out)
    assert len(told) == 3
    selected = [name for name in told if rows[1, "ensemble", name, "adanet_loss"]["selected"] == "true"]
    assert selected == [min((LEFT, grown(FIRST)), key=told.get)]
    for name, loss in told.items():
        value = rows[1, "ensemble", name, "adanet_loss"]["value"]
        assert math.isnan(loss) and value == "" or abs(float(value) - loss) < 1e-5, (name, loss, value)
    assert rows[1, "ensemble", grown(FIRST), "steps"]["value"] == "30"
    assert "is dropped" in rows[1, "ensemble", grown(SECOND), "dropped"]["value"]
    # The winner of iteration 0, which AdaNet trained, is all that growth has kept.
    assert rows[0, "ensemble", LEFT, "adanet_loss"]["selected"] == "true"
    assert rows[0, "subnetwork", "1_layer_dnn", "hparams/by"]["value"] == 'a, "b"'
    assert rows[0, "subnetwork", "1_layer_dnn", "metrics/average_loss"] == {
        "iteration": "0", "kind": "subnetwork", "name": "1_layer_dnn", "selected": "true", "field": "metrics/average_loss", "value": "0.25"}
    assert rows[0, "subnetwork", "linear", "metrics/average_loss"]["value"] == ""
    report = json.loads(tool(setup, "report", "--model-dir", folder, "--json").expect(0).out)
    assert [one["iteration"] for one in report["iterations"]] == [0, 1]
    linear = report["iterations"][0]["subnetworks"][0]
    assert linear == {"name": "linear", "selected": False, "hparams/layers": 0, "metrics/average_loss": None}
    text = tool(setup, "report", "--model-dir", folder).expect(0).out
    assert f"  ensemble {selected[0]} (selected)\n" in text and "    metrics/average_loss  NaN\n" in text, text
    assert contents(folder) == before
    # AN-248.
    (folder / "report" / "iteration_reports.json").write_text(REPORTS[:-3])
    tool(setup, "report", "--model-dir", folder).expect(4, f"iteration_reports.json', offset {len(REPORTS) - 3}", "restore the file from a copy")
    (folder / "report" / "iteration_reports.json").unlink()
    (folder / "report" / "candidates-1.json").write_text("{}")
    tool(setup, "report", "--model-dir", folder).expect(4, "candidates-1.json', offset 0")
    tool(setup, "report").expect(2, "--model-dir is missing")
    tool(setup, "report", "--model-dir", folder, "--csv", "--json").expect(2, "exclude one another")


def report_tells_by_what_an_evaluator_compared(setup):
    """AN-146."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    folder = diabetes_folder(setup, "run")
    setup.run(trainer, "--model-dir", folder, "--max-iteration-steps", 3, "--evaluator", "average_loss:max", "--evaluator-steps", 2, *SILENT).expect(0)
    rows = rows_of(tool(setup, "report", "--model-dir", folder, "--csv").expect(0).out)
    values = {key[2]: float(row["value"]) for key, row in rows.items() if key[0] == 1 and key[3] == "average_loss"}
    assert len(values) == 3
    best = max(values, key=values.get)
    assert rows[1, "ensemble", best, "average_loss"]["selected"] == "true"


def trainers_leave_reports(setup):
    """AN-012, 192 to 198: of each member and of the ensemble that was left, by an evaluation
    of the last checkpoint; facts are those of the file; a repetition changes no byte."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    folder = diabetes_folder(setup, "run")
    facts = setup.dir / "facts.json"
    facts.write_text('{"1_layer_dnn": {"hparams": {"z": 0.5, "layers": 1}, "attributes": {"complexity": 1.0}}, "other": {}}')
    flags = (trainer, "--model-dir", folder, "--max-iteration-steps", 30, "--reports", "--report-steps", 2, "--report-facts", facts, *SILENT)
    done = setup.run(*flags).expect(0)
    path = folder / "report" / "iteration_reports.json"
    (entry,) = json.loads(path.read_text())
    assert entry["iteration_number"] == 1
    previous, first, second = entry["subnetwork_reports"]
    assert [one["name"] for one in entry["subnetwork_reports"]] == ["previous_ensemble", "1_layer_dnn", "2_layer_dnn"]
    assert list(first["hparams"].items()) == [("z", 0.5), ("layers", 1)] and first["attributes"] == {"complexity": 1.0}
    assert second["hparams"] == previous["hparams"] == second["attributes"] == {}
    # The figures of `evaluate`, over as many batches from the first on.
    notes = setup.run(trainer, "evaluate", "--model-dir", folder, "--steps", 2).expect(0).err
    for owner, report in ((f"ensemble/{LEFT}", previous), (f"subnetwork/{FIRST}", first), (f"subnetwork/{SECOND}", second)):
        (line,) = (line for line in notes.splitlines() if line.startswith(f"note: {owner}, "))
        for name, value in report["metrics"].items():
            assert f"  {name} {value:.6f}" in line or name == "adanet_loss" and "subnetwork" in owner, (line, name, value)
    losses = losses_told(done.out)
    assert abs(first["metrics"]["adanet_loss"] - losses[grown(FIRST)]) < 1e-5
    winner = json.loads((folder / "architecture-1.json").read_text())["subnetworks"]
    included = [{"builder_name": one["name"], "iteration_number": 1} in winner for one in (first, second)]
    assert [previous["included_in_final_ensemble"], first["included_in_final_ensemble"], second["included_in_final_ensemble"]] == [False, *included]
    # AN-067: stopped before the architecture file was written, which completes an iteration.
    before = path.read_bytes()
    (folder / "architecture-1.json").unlink()
    setup.run(*flags).expect(0)
    assert path.read_bytes() == before
    facts.write_text('{"1_layer_dnn": {"hparams": {"layers": [1]}}}')
    setup.run(*flags).expect(1, "facts.json': builder '1_layer_dnn', 'hparams': 'layers' is neither a number")
    setup.run(*flags[:5], "--reports").expect(1, "--reports: this program's input never ends", "--report-steps N")


def members_are_taken_out(setup):
    """AN-094, 225: a member's variables, as a checkpoint that has the same bytes, or as
    arrays; names are kept, or begin after the member's scope."""
    folder = diabetes_folder(setup, "run")
    before, whole = contents(folder), Bundle(folder / "increment.ckpt-1")
    name, scope = "t0_1_layer_dnn", "adanet/iteration_0/subnetwork_t0_1_layer_dnn/"
    flags = ("extract", "--model-dir", folder, "--member", name)
    tool(setup, *flags, "-o", setup.dir / "kept").expect(0)
    kept = Bundle(setup.dir / "kept")
    expected = sorted(key for key in whole.numeric() if key.startswith(scope))
    # The last layer and one more, and the counter: AdaNet has kept no slots of it (AN-081).
    assert kept.numeric() == expected and len(expected) == 5, kept.numeric()
    tool(setup, *flags, "-o", setup.dir / "stripped", "--strip-scope", "--weights", setup.dir / "weights.npz").expect(0)
    stripped = Bundle(setup.dir / "stripped")
    assert stripped.numeric() == sorted(key.removeprefix(scope) for key in expected)
    with zipfile.ZipFile(setup.dir / "weights.npz") as arrays:
        assert sorted(arrays.namelist()) == sorted(key.removeprefix(scope) + ".npy" for key in expected)
        for key in expected:
            own = key.removeprefix(scope)
            assert kept.data(key) == stripped.data(own) == whole.data(key)
            assert arrays.read(own + ".npy").endswith(whole.data(key))
    tool(setup, *flags, "--weights", setup.dir / "weights.safetensors").expect(0)
    assert whole.data(scope + "dense/bias") in (setup.dir / "weights.safetensors").read_bytes()
    # Trained variables have slots, which are left out by default.
    flags = ("extract", "--model-dir", folder, "--member", FIRST, "-o", setup.dir / "slots")
    tool(setup, *flags).expect(0)
    assert not any("RMSProp" in key for key in Bundle(setup.dir / "slots").numeric())
    tool(setup, *flags).expect(1, "exists")
    tool(setup, *flags, "--optimizer-slots", "--force").expect(0)
    assert any("RMSProp" in key for key in Bundle(setup.dir / "slots").numeric())
    # All of the ensemble that predicts: the members of iteration 1 have no step yet.
    flags = ("extract", "--model-dir", folder, "--ensemble")
    done = tool(setup, *flags, "-o", setup.dir / "ensemble").expect(0)
    assert f"note: extracting ensemble '{LEFT}' with the members t0_1_layer_dnn\n" in done.err, done.err
    found = Bundle(setup.dir / "ensemble")
    own = [f"adanet/iteration_0/{kind}_{LEFT}/" for kind in ("ensemble", "candidate")]
    assert found.numeric() == sorted(key for key in whole.numeric() if key.startswith((scope, *own)) and "/train_mixture_weights/" not in key)
    assert any(key.endswith("/mixture_weight") for key in found.numeric()) and own[1] + "adanet_loss" in found.numeric()
    assert all(found.data(key) == whole.data(key) for key in found.numeric())
    for more in (("--member", FIRST), ("--strip-scope",)):
        tool(setup, *flags, *more, "-o", "x").expect(2, "exclude one another")
    assert contents(folder) == before
    tool(setup, "extract", "--model-dir", folder, "--member", "t9_x", "-o", setup.dir / "x").expect(
        1, "has no member 't9_x'; it has 't0_1_layer_dnn', 't1_1_layer_dnn', 't1_2_layer_dnn'")
    tool(setup, "extract", "--model-dir", folder, "--member", FIRST).expect(2, "no output")
    tool(setup, "extract", "--model-dir", folder, "--member", FIRST, "--weights", "x.txt").expect(2, "expected a file .npz")
    tool(setup, "extract", "--model-dir", setup.dir / "nowhere", "--member", FIRST, "-o", "x").expect(4, "no checkpoint in")


def members_are_pruned(setup):
    """AN-095, 173: the ensemble continues without them; the search's files stay."""
    data, length = "adanet_diabetes", 10
    folder = model_folder(setup, "increment.ckpt-2", "run", data)
    for path in (DATA / data).glob("architecture-*.json"):
        shutil.copy(path, folder)
    trainer = compiled(setup, "model.ckpt-210.meta", data)
    setup.run(trainer, "--model-dir", folder, "--max-iteration-steps", length, "--max-steps", 163, *SILENT).expect(0)
    tool(setup, "prune", "--model-dir", folder, "--keep", 1).expect(1, "iteration 2 of", "has selected no ensemble yet")
    # Whatever wins: three members.
    setup.run(trainer, "--model-dir", folder, "--max-iteration-steps", length, "--replay-indices", "1,1,2", *SILENT).expect(0)
    before, old = contents(folder), Bundle(folder / f"model.ckpt-{160 + length}")
    arch = json.loads((folder / "architecture-2.json").read_text())
    members = [f"t{one['iteration_number']}_{one['builder_name']}" for one in arch["subnetworks"]]
    assert len(members) == 3, arch
    shown = json.loads(tool(setup, "show", "--model-dir", folder, "--json").expect(0).out)
    name = f"t2_{arch['ensemble_candidate_name']}_{arch['ensembler_name']}"
    (ensemble,) = (one for view in shown["iterations"] for one in view["ensembles"] if one["name"] == name)
    shares = {weight["member"]: weight["share"] for weight in ensemble["weights"]}
    smallest = min(shares, key=shares.get)
    for flags, words in ((("--drop", "t7_x"), "the ensemble has no member 't7_x'; it has 't0_"), (("--drop", ",".join(members)), "no member would be left"),
                         (("--keep", 3), "only 3 members")):  # fmt: skip
        tool(setup, "prune", "--model-dir", folder, *flags).expect(1, words)
    tool(setup, "prune", "--model-dir", folder).expect(2, "either --drop or --keep")
    assert contents(folder) == before
    told = tool(setup, "prune", "--model-dir", folder, "--keep", 2).expect(0).out
    assert f"dropped {smallest}  share {shares[smallest]:.4f}\n" in told and "mixture weights and bias of the kept members are unchanged" in told
    after = contents(folder)
    assert {path: after[path] for path in before} == before
    assert sorted(set(after) - set(before)) == sorted(path for path in after if path.startswith(("architecture-3.json", "increment.ckpt-3.")))
    kept = [member for member in members if member != smallest]
    pruned = json.loads((folder / "architecture-3.json").read_text())
    assert [f"t{one['iteration_number']}_{one['builder_name']}" for one in pruned["subnetworks"]] == kept
    assert dict(pruned, subnetworks=0, iteration_number=2, ensemble_candidate_name=arch["ensemble_candidate_name"]) == dict(arch, subnetworks=0)
    # Members and weights bit for bit, each weight at its member's new place.
    new = Bundle(folder / "increment.ckpt-3")
    assert new.values("current_iteration") == (3,) and new.data("global_step") == old.data("global_step")
    newest = max(int(member[1]) for member in kept)
    scope = f"adanet/iteration_{newest}/ensemble_t{newest}_pruned_complexity_regularized/"
    old_scope = f"adanet/iteration_2/ensemble_{name}/"
    assert new.data(scope + "bias") == old.data(old_scope + "bias")
    weight = "weighted_subnetwork_{}/logits/mixture_weight"
    for place, member in enumerate(kept):
        assert new.data(scope + weight.format(place)) == old.data(old_scope + weight.format(members.index(member)))
        own = f"adanet/iteration_{member[1]}/subnetwork_{member}/"
        assert [key for key in new.numeric() if key.startswith(own)]
        for key in new.numeric():
            if key.startswith(own):
                assert new.data(key) == old.data(key)
    assert scope + weight.format(2) not in new.entries
    assert not any(smallest + "/" in key or "RMSProp" in key or name in key for key in new.numeric()), new.numeric()
    # The newest ensemble can be pruned once more, and is shown.
    shown = json.loads(tool(setup, "show", "--model-dir", folder, "--json").expect(0).out)
    assert shown["current_iteration"] == 3 and shown["iterations"][-1]["architecture"]["members"] == kept
    tool(setup, "prune", "--model-dir", folder, "--drop", kept[1]).expect(0)
    assert len(json.loads((folder / "architecture-4.json").read_text())["subnetworks"]) == 1


if __name__ == "__main__":
    harness.main(globals())
