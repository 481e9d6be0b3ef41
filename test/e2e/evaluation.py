# SPDX-License-Identifier: Apache-2.0
"""Evaluation and prediction, against the numbers that TensorFlow computed."""
import json
import re

import harness
from search_files import write_npy

DATA = harness.SOURCE / "test" / "data" / "metrics"
EXPECT = json.loads((DATA / "expect.json").read_text())


def compile_metrics(setup):
    setup.trainer = setup.dir / "trainer"
    setup.compile(
        DATA / "train.meta", "--entry", "predict=features->probs", "-o", setup.trainer
    ).expect(0)


def near(name, found, expected):
    # Kernels that sum in another order; a wrong metric is far off.
    assert abs(found - expected) <= 2e-5 * max(1, abs(expected)), (
        f"{name}: {found}, TensorFlow's {expected}"
    )


def metrics_are_tensorflows(setup):
    compile_metrics(setup)
    result = setup.run(
        setup.trainer, "evaluate", "--checkpoint", DATA / "model.ckpt-30",
        "--model-dir", setup.dir / "run", "--data-dir", DATA, "--json",
    ).expect(0)  # fmt: skip
    told = json.loads(result.out)
    assert told["global_step"] == 30 and told["batches"] == 7, told
    for name, value in EXPECT["metrics"].items():
        near(name, told["metrics"][name], value)
    assert list((setup.dir / "run" / "eval").glob("events.out.tfevents.*"))


def predictions_are_tensorflows(setup):
    compile_metrics(setup)
    rows = EXPECT["features"]
    source = setup.dir / "in.jsonl"
    source.write_text("".join(json.dumps({"features": row}) + "\n" for row in rows))
    table = setup.dir / "in.csv"
    table.write_text("".join(",".join(str(x) for x in row) + "\n" for row in rows))
    for given in (source, table):
        target = setup.dir / "out.jsonl"
        setup.run(
            setup.trainer, "predict", "--checkpoint", DATA / "model.ckpt-30",
            "--input", given, "--output", target, "--output-format", "jsonl",
            "--batch", 2,
        ).expect(0)  # fmt: skip
        lines = [json.loads(line) for line in target.read_text().splitlines()]
        assert len(lines) == len(rows), lines
        for line, expected in zip(lines, EXPECT["probs"]):
            for a, b in zip(line["probs"], expected):
                near("probs", a, b)


def what_reads_no_input_is_evaluated_once(setup):
    """Fed examples are one batch, and nothing else would end the evaluation."""
    compile_metrics(setup)
    rows = EXPECT["features"]
    write_npy(setup.dir / "in.npy", "<f4", (len(rows), len(rows[0])), [x for row in rows for x in row])
    expected = [p for row in EXPECT["probs"] for p in row]
    for flags, batches in (((), 1), (("--steps", 3), 3), (("--batch", 1), len(rows))):
        result = setup.run(
            setup.trainer, "evaluate", "--checkpoint", DATA / "model.ckpt-30", "--model-dir", setup.dir / "run", "--entry", "predict",
            "--feed", f"features=@{setup.dir / 'in.npy'}", "--json", *flags, timeout=20,
        ).expect(0)  # fmt: skip
        told = json.loads(result.out)
        assert told["batches"] == batches, told
        near("probs", told["metrics"]["probs"], sum(expected) / len(expected))


def the_best_checkpoint_is_kept(setup):
    """By the lowest or highest value over all evaluations, those of earlier runs included."""
    compile_metrics(setup)
    for metric, choose in (("mean_loss", min), ("val_accuracy:max", max), ("accuracy", min)):
        run, evaluated = setup.dir / metric, {}
        command = [setup.trainer, "train-and-evaluate", "--model-dir", run, "--data-dir", DATA, "--save-checkpoints-steps", 3,
                   "--keep-checkpoint-max", 0, "--eval-throttle-secs", 0, "--eval-steps", 4, "--keep-best", metric]  # fmt: skip
        for last in (14, 30):
            out = setup.run(*command, "--max-steps", last).expect(0).out
            for line in out.splitlines():
                found = re.match(r"evaluated step (\d+) .*? " + metric.split(":")[0].removeprefix("val_") + r" (\S+)", line)
                if found:
                    evaluated[int(found[1])] = (float(found[2]), "(best)" in line)
            assert len(evaluated) >= last // 3, (evaluated, out)
            best = choose(value for value, _ in evaluated.values())
            (name,) = re.findall(r'^model_checkpoint_path: "(.*)"', (run / "best" / "checkpoint").read_text(), re.M)
            step = int(name.split("-")[1])
            assert evaluated[step][0] == best and evaluated[step][1], (step, evaluated)
            harness.assert_same_checkpoint(run, run / "best", step)
            assert len(list((run / "best").glob("*.index"))) == 1, sorted((run / "best").iterdir())
        predicted = [setup.run(setup.trainer, "run", "predict", "--feed", f"features={json.dumps(EXPECT['features'])}",
                               "--json", "--quiet", *where).expect(0).out
                     for where in (("--model-dir", run / "best"), ("--checkpoint", run / name))]  # fmt: skip
        assert predicted[0] == predicted[1]
    setup.run(*command, "--keep-best", "accurracy").expect(2, "--keep-best")
    setup.run(*command[:-1], "accurracy", "--max-steps", 40).expect(2, "'accurracy' is not a metric", "'accuracy'", "'mean_loss'")


if __name__ == "__main__":
    harness.main(globals())
