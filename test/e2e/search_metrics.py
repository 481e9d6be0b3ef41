# SPDX-License-Identifier: Apache-2.0
"""Metrics that a search file asks for: AdaNet's metric_fn."""
import csv
import json
import random
import re

import harness
from event_files import events

DATA = """
max_iteration_steps: 10
max_iterations: 2
seed: 3
train {{ csv {{ file: "rows.csv" header: true }} batch: 16 }}
evaluate {{ csv {{ file: "rows.csv" header: true }} batch: 16 {take} }}
feature {{ name: "x" column: "x*" numeric {{}} }}
head {{ {head} }}
generator {{ linear {{}} optimizer {{ sgd {{ learning_rate: 0.3 }} }} }}
generator {{ dnn {{ layer_size: 4 }} optimizer {{ sgd {{ learning_rate: 0.3 }} }} }}
{rest}
"""
HEADS = {
    "regression": ('regression {} label: "y" label: "z"', ["y", "z"], "predictions"),
    "binary": ('binary {} label: "a"', ["a"], "logistic"),
    "multi_label": ('multi_label {} label: "a" label: "b" label: "c"', ["a", "b", "c"], "probabilities"),
    "multi_class": ('multi_class { classes: 4 } label: "class"', ["class"], "probabilities"),
}


def write_rows(folder):
    draw = random.Random(7)
    rows = []
    for _ in range(150):
        x = [round(draw.gauss(0, 1), 4) for _ in range(3)]
        noisy = [value + draw.gauss(0, 0.7) for value in x]
        rows.append({
            **{f"x{i}": value for i, value in enumerate(x)},
            "y": round(1.5 + x[0] - 2 * x[1], 4), "z": round(abs(x[2] + 0.3 * x[0]) + 0.1, 4),
            "a": int(noisy[0] > 0), "b": int(noisy[1] > 0.5), "c": int(noisy[2] > -0.5),
            "class": (noisy[0] > 0) * 2 + (noisy[1] > 0), "w": round(draw.random() * 2, 3),
        })  # fmt: skip
    for name, columns in (("rows.csv", list(rows[0])), ("inputs.csv", ["x0", "x1", "x2"])):
        with open(folder / name, "w", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
    return rows


def adanet(setup, verb, *flags):
    return setup.run(setup.ingotc.with_name("ingot-adanet"), verb, *flags)


def metrics_of(setup, folder, *flags):
    done = adanet(setup, "evaluate", "--model-dir", folder, "--json", *flags).expect(0)
    return json.loads(done.out)["metrics"]


def predictions_of(setup, folder):
    output = folder / "predictions.jsonl"
    adanet(setup, "predict", "--model-dir", folder, "--input", setup.dir / "inputs.csv", "--output", output).expect(0)
    return [json.loads(line) for line in output.read_text().splitlines()]


def train(setup, head, rest, weighted=False, take=""):
    """Trains a search with the head, and returns its folder."""
    text = HEADS.get(head, (head,))[0] + (' weight: "w"' if weighted else "")
    search = setup.dir / "search.pbtxt"
    search.write_text(DATA.format(head=text, rest=rest, take=take))
    folder = setup.dir / "run"
    adanet(setup, "train", search, "--model-dir", folder, "--quiet").expect(0)
    return folder


def close(found, expected):
    assert abs(found - expected) <= 1e-5 * max(1, abs(expected)), (found, expected)


def metrics_of_search_files_are_those_of_all_examples(setup):
    """AN-013: of members and ensembles, over batches of any size; a metric replaces that of the head with
    its name."""
    rows = write_rows(setup.dir)
    folder = train(setup, "multi_class", """
      metric { kind: TOP_K_ACCURACY top_k: 2 name: "top2" unweighted: true }
      metric { kind: PRECISION threshold: 0.25 threshold: 0.4 }
      metric { kind: RECALL threshold: 0.3 class_id: 2 name: "accuracy" }
      metric { kind: TRUE_POSITIVES threshold: 0.3 }
    """, weighted=True)  # fmt: skip
    found = metrics_of(setup, folder)
    probabilities = [row["probabilities"] for row in predictions_of(setup, folder)]
    right = [row["class"] for row in rows]
    weights = [row["w"] for row in rows]
    top2 = [sorted(range(4), key=lambda i: -p[i])[:2] for p in probabilities]
    close(found["top2"], sum(label in top for label, top in zip(right, top2)) / len(rows))

    def total(threshold, hits):
        return sum(
            weight
            for label, p, weight in zip(right, probabilities, weights)
            for i in range(4)
            if p[i] > threshold and hits(label, i)
        )

    for threshold in (0.25, 0.4):
        expected = total(threshold, lambda label, i: label == i) / total(threshold, lambda label, i: True)
        close(found[f"precision/positive_threshold_{threshold:f}"], expected)
    of_class = sum(weight for label, weight in zip(right, weights) if label == 2)
    close(found["accuracy"], total(0.3, lambda label, i: label == i == 2) / of_class)
    close(found["true_positives"], total(0.3, lambda label, i: label == i))
    tags = {tag for kind, tag, _ in events(folder / "subnetwork" / "t1_linear" / "eval") if kind == "summary"}
    assert {"top2", "true_positives", "accuracy", "average_loss"} <= tags, tags
    # Examples that are fed count likewise, and none is counted twice by a second evaluation.
    again = metrics_of(setup, folder)
    assert again == found, (again, found)


def metrics_of_search_files_select_and_are_reported(setup):
    write_rows(setup.dir)
    folder = train(setup, "binary", """
      metric { kind: MEAN_ABSOLUTE_ERROR name: "mae" }
      evaluator { metric: "mae" }
      reports {}
    """)  # fmt: skip
    candidates = json.loads((folder / "report" / "candidates-0.json").read_text())
    text = json.dumps(candidates)
    assert '"mae"' in text, text
    report = adanet(setup, "report", "--model-dir", folder, "--csv").expect(0).out
    rows = [line.split(",") for line in report.splitlines()]
    values = {row[2]: float(row[5]) for row in rows if row[1] == "ensemble" and row[4] == "mae"}
    chosen = {row[2] for row in rows if row[1] == "ensemble" and row[0] == "0" and row[3] == "true"}
    assert len(values) == 2 and chosen == {min(values, key=values.get)}, report
    assert any(row[1] == "subnetwork" and row[4] == "metrics/mae" for row in rows), report
    # `show` has those of the last evaluation of each.
    metrics_of(setup, folder)
    said = adanet(setup, "evaluate", "--model-dir", folder).expect(0).err
    shown = json.loads(adanet(setup, "show", "--model-dir", folder, "--json").expect(0).out)
    found = {one["name"]: one.get("evaluated") for view in shown["iterations"] for one in view["members"] + view["ensembles"]}
    values = re.findall(r"note: (?:ensemble|subnetwork)/(\S+), step (\d+):.*  mae (\S+)", said)
    assert len(values) == 5, said
    for name, step, value in values:
        assert found[name]["global_step"] == int(step), found
        close(found[name]["metrics"]["mae"], float(value))
    assert found["t0_linear"] is None, "only evaluated while it was new"
    assert f"evaluated at step {step}: " in adanet(setup, "show", "--model-dir", folder).expect(0).out
    best = metrics_of(setup, folder, "--select-by", "mae")["mae"]
    worst = metrics_of(setup, folder, "--select-by", "mae:max")["mae"]
    assert best < worst, (best, worst)


def a_metric_that_no_candidate_has_is_refused_before_training(setup):
    """Heads without classes have an area under the curve, but no precision."""
    write_rows(setup.dir)
    for metric, code in (("precision", 1), ("auc", 0)):
        search = setup.dir / f"{metric}.pbtxt"
        search.write_text(DATA.format(head=HEADS["multi_label"][0], take="", rest=f'evaluator {{ metric: "{metric}" }}'))
        folder = setup.dir / metric
        done = adanet(setup, "train", search, "--model-dir", folder, "--quiet")
        assert done.code == code, done.err
        assert bool(list(folder.glob("model.ckpt-10.*"))) == (code == 0), done.err
    setup.run(setup.ingotc.with_name("ingot-adanet"), "train", setup.dir / "precision.pbtxt", "--model-dir", setup.dir / "again").expect(
        1, "has no metric 'precision'; it has 'loss', 'adanet_loss', 'average_loss', 'auc', 'auc_precision_recall'\n")  # fmt: skip


def members_that_diverge_have_metrics_all_the_same(setup):
    """AN-220: predictions that are not numbers end no evaluation, and spoil no other member's or ensemble's figures."""
    write_rows(setup.dir)
    folder = train(setup, "binary", """
      metric { kind: AUC name: "area" }
      metric { kind: PRECISION }
      metric { kind: CROSS_ENTROPY }
      generator { dnn { layer_size: 3 } optimizer { sgd { learning_rate: 1e30 } } }
    """)  # fmt: skip
    found = metrics_of(setup, folder)
    said = adanet(setup, "evaluate", "--model-dir", folder).expect(0).err
    lost = [line for line in said.splitlines() if "subnetwork/t1_dnn_3," in line]
    assert len(lost) == 1 and "nan" in lost[0], said
    assert all(found[name] == found[name] and abs(found[name]) < 10 for name in ("area", "precision", "cross_entropy", "loss", "auc"))
    close(found["auc"], found["area"])


def metrics_of_several_heads_bear_their_names(setup):
    write_rows(setup.dir)
    head = """multi { head { name: "one" regression {} label: "y" } head { name: "two" multi_class { classes: 4 } label: "class" } }"""
    folder = train(setup, head, """
      metric { kind: MEAN_SQUARED_ERROR head: "one" }
      metric { kind: MEAN_ABSOLUTE_ERROR }
      metric { kind: AUC head: "two" }
    """)  # fmt: skip
    found = metrics_of(setup, folder)
    close(found["mean_squared_error/one"], found["average_loss/one"])
    assert "mean_absolute_error/one" in found and "mean_absolute_error/two" in found, found
    assert "auc/two" in found and "auc/one" not in found, found


if __name__ == "__main__":
    harness.main(globals())
