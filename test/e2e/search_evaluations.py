# SPDX-License-Identifier: Apache-2.0
"""What searches evaluate and write besides checkpoints: an evaluator's and reports' own data, curves."""
import csv
import json
import random

import harness
from bundle import Bundle
from event_files import events

SEARCH = """
max_iteration_steps: 12
max_iterations: 2
seed: 3
train {{ csv {{ file: "train.csv" header: true }} batch: 16 }}
feature {{ name: "x" column: "x*" numeric {{}} }}
head {{ regression {{}} label: "y" }}
generator {{ linear {{}} optimizer {{ sgd {{ learning_rate: 0.1 }} }} }}
generator {{ dnn {{ layer_size: 4 }} optimizer {{ sgd {{ learning_rate: 0.1 }} }} }}
{rest}
"""
DATA = """input { csv { file: "%s.csv" header: true } batch: 16 }"""


def write_data(folder):
    """Three files of which the label is another function of x: rows by the file's name."""
    draw = random.Random(3)
    found = {}
    for name, factor in (("train", 1), ("other", -1), ("third", 3)):
        found[name] = []
        for _ in range(60):
            x = [round(draw.gauss(0, 1), 4) for _ in range(2)]
            found[name].append((x, round(factor * x[0] + x[1], 4)))
        with open(folder / f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([["x0", "x1", "y"], *([*x, y] for x, y in found[name])])
    return found


def adanet(setup, verb, *flags):
    return setup.run(setup.ingotc.with_name("ingot-adanet"), verb, *flags)


def train(setup, name, rest, *flags):
    search = setup.dir / f"{name}.pbtxt"
    search.write_text(SEARCH.format(rest=rest))
    folder = setup.dir / name
    adanet(setup, "train", search, "--model-dir", folder, "--quiet", *flags).expect(0)
    return folder


def linear_error(folder, iteration, rows):
    """The mean squared error of member linear at an iteration's end, computed from its variables."""
    bundle = Bundle(folder / f"model.ckpt-{12 * (iteration + 1)}")
    scope = f"adanet/iteration_{iteration}/subnetwork_t{iteration}_linear/dense/"
    kernel, (bias,) = bundle.values(scope + "kernel"), bundle.values(scope + "bias")
    return sum((x[0] * kernel[0] + x[1] * kernel[1] + bias - y) ** 2 for x, y in rows) / len(rows)


def scores(folder):
    found = json.loads((folder / "report" / "candidates-0.json").read_text())
    return json.dumps(found, sort_keys=True)


def evaluator_and_reports_have_data_of_their_own(setup):
    """AN-061, 145, 192: neither is the search's `evaluate`, which may be missing; each of the candidates is
    what it is on these data."""
    rows = write_data(setup.dir)
    own = train(setup, "own", "evaluator { %s metric: \"average_loss\" }\nreports { %s }" % (DATA % "other", DATA % "third"))
    # As a search whose evaluation data they are.
    other = train(setup, "other", "evaluate { %s }\nevaluator { metric: \"average_loss\" }" % (DATA % "other")[8:-2])
    assert scores(own) == scores(other)
    plain = train(setup, "plain", "evaluate { %s }\nevaluator { metric: \"average_loss\" }" % (DATA % "train")[8:-2])
    assert scores(own) != scores(plain)
    first = json.loads((own / "report" / "iteration_reports.json").read_text())[0]
    (linear,) = (one for one in first["subnetwork_reports"] if one["name"] == "linear")
    assert abs(linear["metrics"]["average_loss"] - linear_error(own, 0, rows["third"])) < 1e-4, linear
    # Both entries are those of the trainer that any run may name.
    trainer = own / "trainers" / "iteration-0"
    info = setup.run(trainer, "info").expect(0).out
    assert "evaluate/evaluator" in info and "evaluate/reports" in info
    # Without data at all, both are refused.
    search = setup.dir / "none.pbtxt"
    search.write_text(SEARCH.format(rest="evaluator { steps: 2 }\nreports { steps: 2 }"))
    adanet(setup, "train", search, "--model-dir", setup.dir / "none").expect(
        2, "an evaluator needs data: set evaluate, evaluate_fraction or evaluator.input", "reports need data:")  # fmt: skip


def held_out_examples_are_evaluated_once(setup):
    """Each of them, whatever epochs and short batches training has."""
    rows = write_data(setup.dir)["train"]
    search = setup.dir / "search.pbtxt"
    text = SEARCH.format(rest="evaluate_fraction: 0.25\nreports {}").replace("batch: 16", "batch: 7 epochs: 2 drop_remainder: true")
    search.write_text(text)
    folder = setup.dir / "run"
    adanet(setup, "train", search, "--model-dir", folder, "--quiet").expect(0)
    # Reports are written when the next iteration begins, for which no examples are left.
    (first,) = json.loads((folder / "report" / "iteration_reports.json").read_text())
    (linear,) = (one for one in first["subnetwork_reports"] if one["name"] == "linear")
    error = linear_error(folder, 0, rows[3::4])
    assert abs(linear["metrics"]["average_loss"] - error) < 1e-4 * error, (linear, error)


def the_weights_of_the_best_ensemble_are_recorded(setup):
    """AN-183: what generators of later iterations are told of, the L1 norm of each member's weights at the selection."""
    write_data(setup.dir)
    weights = "ensembler { complexity_regularized { weights: MATRIX optimizer { sgd { learning_rate: 0.05 } } } }\nforce_grow: true"
    folder = train(setup, "run", weights, "--max-iterations", 3)
    for iteration in (0, 1):
        found = json.loads((folder / "report" / f"candidates-{iteration}.json").read_text())
        best = found["candidates"][found["selected"]]
        bundle = Bundle(folder / f"model.ckpt-{12 * (iteration + 1)}")
        scope = f"adanet/iteration_{iteration}/ensemble_{best['name']}/weighted_subnetwork_%d/logits/mixture_weight"
        expected = [sum(map(abs, bundle.values(scope % k))) for k in range(iteration + 1)]
        assert len(best["weights"]) == iteration + 1 and min(expected) > 0, best
        assert all(abs(one - other) < 1e-6 for one, other in zip(best["weights"], expected)), (best, expected)
        assert not any("weights" in one for one in found["candidates"] if one is not best), found


def trainers_evaluate_by_entries_that_flags_name(setup):
    """Flags go before the search, and name entries that there are."""
    write_data(setup.dir)
    folder = train(setup, "own", "evaluator { %s }\nreports { %s }" % (DATA % "other", DATA % "third"), "--max-steps", 10)
    trainer = folder / "trainers" / "iteration-0"
    flags = ("--model-dir", folder, "--max-iteration-steps", 12, "--data-dir", setup.dir)
    setup.run(trainer, *flags, "--evaluator", "adanet_loss", "--evaluator-entry", "nothing").expect(1, "no entry 'nothing'")
    done = setup.run(
        trainer, *flags, "--evaluator", "average_loss", "--evaluator-entry", "evaluate/reports", "--reports",
        "--report-entry", "evaluate/evaluator", "--report-dir", setup.dir / "reports",
    ).expect(0)  # fmt: skip
    assert "average_loss/" in done.out, done.out
    assert (setup.dir / "reports" / "iteration_reports.json").exists()


def reports_are_kept_where_a_search_says(setup):
    """AN-012."""
    write_data(setup.dir)
    folder = train(setup, "run", 'reports { %s directory: "elsewhere/reports" }' % (DATA % "other"))
    path = setup.dir / "elsewhere" / "reports" / "iteration_reports.json"
    assert [one["iteration_number"] for one in json.loads(path.read_text())] == [0]
    assert not (folder / "report" / "iteration_reports.json").exists()
    # `report` finds them from any folder.
    shown = setup.run(setup.ingotc.with_name("ingot-adanet"), "report", "--model-dir", folder, "--csv", cwd="/").expect(0).out
    assert ",linear," in shown and "metrics/average_loss" in shown, shown


def tags_below(folder, kind):
    """Tags of training's curves of the members or ensembles of a folder."""
    return {tag for path in (folder / kind).glob("*") for what, tag, _ in events(path) if what == "summary"}


def curves_of_each_kind_are_left_out_on_request(setup):
    """AN-014, 208: those of training; as in AdaNet, an evaluation writes figures all the same. AN-105: members of
    earlier iterations, which each program builds again, have no new points."""
    write_data(setup.dir)
    for ensembles in (True, False):
        for members in (True, False):
            name = f"run-{ensembles}-{members}"
            rest = f"enable_ensemble_summaries: {str(ensembles).lower()}\nenable_subnetwork_summaries: {str(members).lower()}"
            folder = train(setup, name, rest + "\nevaluate { %s }" % (DATA % "other")[8:-2])
            assert ("loss" in tags_below(folder, "ensemble")) == ensembles, name
            assert ("loss" in tags_below(folder, "subnetwork")) == members, name
            assert all(step < 12 for path in (folder / "subnetwork").glob("t0_*") for _, _, step in events(path)), name
            assert {"loss", "iteration/adanet/iteration"} <= {tag for _, tag, _ in events(folder)}, name
            adanet(setup, "evaluate", "--model-dir", folder).expect(0)
            for kind in ("ensemble", "subnetwork"):
                for path in (folder / kind).glob("t1_*"):
                    assert [tag for what, tag, _ in events(path / "eval") if tag == "average_loss"], path
    # The flags of trainers that a search's fields set.
    folder = train(setup, "flags", "", "--no-ensemble-summaries")
    assert "loss" not in tags_below(folder, "ensemble") and "loss" in tags_below(folder, "subnetwork")
    folder = train(setup, "others", "", "--no-subnetwork-summaries")
    assert "loss" in tags_below(folder, "ensemble") and "loss" not in tags_below(folder, "subnetwork")


def what_was_trained_on_is_predicted(setup):
    """The training file itself, with columns that are no features, and fields that are empty."""
    draw = random.Random(7)
    rows = [[index, *(round(draw.gauss(0, 1), 3) for _ in range(3))] for index in range(40)]
    for row in rows[::6]:
        row[2] = ""
    for name, filled in (("train", ""), ("filled", 0.5)):
        with open(setup.dir / f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([["id", "x0", "x1", "y"], *([filled if field == "" else field for field in row] for row in rows)])
    search = setup.dir / "search.pbtxt"
    text = SEARCH.format(rest="").replace('feature { name: "x" column: "x*" numeric {} }',
                                          'feature { name: "x0" numeric {} } feature { name: "x1" numeric { default_value: 0.5 } }')
    search.write_text(text)
    folder = setup.dir / "run"
    adanet(setup, "train", search, "--model-dir", folder, "--quiet").expect(0)
    found = {}
    for name in ("train", "filled"):
        output = setup.dir / f"{name}-predicted.csv"
        adanet(setup, "predict", "--model-dir", folder, "--input", setup.dir / f"{name}.csv", "--output", output).expect(
            0, "note: ", "not fed are ignored: 'id', 'y'")  # fmt: skip
        found[name] = output.read_text()
    assert found["train"] == found["filled"] and len(found["train"].splitlines()) == 41, found
    # Another value is the user's choice; without one, the column that lacks it is named, and nothing is left behind.
    other = setup.dir / "other-predicted.csv"
    adanet(setup, "predict", "--model-dir", folder, "--input", setup.dir / "train.csv", "--output", other, "--missing", "x1=9").expect(0)
    assert other.read_text() != found["train"]
    (setup.dir / "bad.csv").write_text("x0,x1\n1,2\n,3\n")
    adanet(setup, "predict", "--model-dir", folder, "--input", setup.dir / "bad.csv", "--output", setup.dir / "bad-predicted.csv").expect(
        1, "bad.csv", "line 3", "'x0'")  # fmt: skip
    assert not list(setup.dir.glob("bad-predicted*"))


if __name__ == "__main__":
    harness.main(globals())
