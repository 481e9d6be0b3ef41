"""Evaluation and prediction, against the numbers that TensorFlow computed."""
import json

import harness

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


if __name__ == "__main__":
    harness.main(globals())
