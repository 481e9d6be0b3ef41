"""ingot-adanet report, extract, prune: values, members and ensembles taken out of a
model directory. Numbers such as AN-146 are those of the facts about AdaNet that a
test holds.
"""
import csv
import io
import json
import math
import shutil

import harness
from adanet_budgets import DIABETES, FIRST, LEFT, SECOND, bias_of, diabetes_folder, grown, losses_told, poison
from adanet_directories import DATA, SILENT, compiled, contents, model_folder

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
    tool(setup, "report", "--model-dir", folder).expect(4, f"iteration_reports.json', offset {len(REPORTS) - 3}", "take the file from a copy")
    (folder / "report" / "iteration_reports.json").unlink()
    (folder / "report" / "candidates-1.json").write_text("{}")
    tool(setup, "report", "--model-dir", folder).expect(4, "candidates-1.json', offset 0")
    tool(setup, "report").expect(2, "--model-dir is missing")
    tool(setup, "report", "--model-dir", folder, "--csv", "--json").expect(2, "exclude one another")


def report_tells_by_what_an_evaluator_compared(setup):
    """AN-146, 240."""
    trainer = compiled(setup, "model.ckpt-130.meta", DIABETES)
    folder = diabetes_folder(setup, "run")
    setup.run(trainer, "--model-dir", folder, "--max-iteration-steps", 3, "--evaluator", "average_loss:max", "--evaluator-steps", 2, *SILENT).expect(0)
    rows = rows_of(tool(setup, "report", "--model-dir", folder, "--csv").expect(0).out)
    values = {key[2]: float(row["value"]) for key, row in rows.items() if key[0] == 1 and key[3] == "average_loss"}
    assert len(values) == 3
    best = max(values, key=values.get)
    assert rows[1, "ensemble", best, "average_loss"]["selected"] == "true"


def trainers_leave_reports(setup):
    """AN-192 to 198: of each member and of the ensemble that was left, by an evaluation
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
    # AN-067: stopped in front of the architecture file, which says that all is there.
    before = path.read_bytes()
    (folder / "architecture-1.json").unlink()
    setup.run(*flags).expect(0)
    assert path.read_bytes() == before
    facts.write_text('{"1_layer_dnn": {"hparams": {"layers": [1]}}}')
    setup.run(*flags).expect(1, "facts.json': builder '1_layer_dnn', 'hparams': 'layers' is neither a number")
    setup.run(*flags[:5], "--reports").expect(1, "--reports: this program's input never ends", "--report-steps N")


if __name__ == "__main__":
    harness.main(globals())
