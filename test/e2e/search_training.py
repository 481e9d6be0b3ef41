# SPDX-License-Identifier: Apache-2.0
"""How searches train members and ensembles: weights of heads, starts from other variables, earlier members."""
import csv
import json
import math
import random

import harness
from bundle import Bundle

SEARCH = """
max_iteration_steps: 10
seed: 3
train {{ csv {{ file: "rows.csv" header: true }} batch: {batch} }}
evaluate {{ csv {{ file: "rows.csv" header: true }} batch: {batch} }}
feature {{ name: "x" column: "x*" numeric {{}} }}
head {{ {head} }}
{rest}
"""
LINEAR = "generator { linear {} optimizer { sgd { learning_rate: %s } } }\n"
SUBNETWORK = "adanet/iteration_{0}/subnetwork_t{0}_{1}/"


def write_rows(setup):
    draw = random.Random(4)
    rows = []
    for _ in range(64):
        x = [round(draw.gauss(0, 1), 4) for _ in range(2)]
        rows.append([*x, round(2 * x[0] - x[1], 4), int(x[0] + x[1] > 0)])
    with open(setup.dir / "rows.csv", "w", newline="") as file:
        csv.writer(file).writerows([["x0", "x1", "y", "sign"], *rows])
    return rows


def adanet(setup, verb, *flags):
    return setup.run(setup.ingotc.with_name("ingot-adanet"), verb, *flags)


def train(setup, name, rest, *flags, head='regression {} label: "y"', batch=16):
    search = setup.dir / f"{name}.pbtxt"
    search.write_text(SEARCH.format(rest=rest, head=head, batch=batch))
    folder = setup.dir / name
    adanet(setup, "train", search, "--model-dir", folder, "--quiet", *flags).expect(0)
    return folder


def evaluation(setup, folder):
    return json.loads(adanet(setup, "evaluate", "--model-dir", folder, "--json").expect(0).out)["metrics"]


def heads_count_by_their_weights(setup):
    """AN-188: as TensorFlow's MultiHead, in the loss and in what it trains; each head's own loss has no weight."""
    write_rows(setup)
    head = """multi {{
      head {{ name: "amount" regression {{}} label: "y" }}
      head {{ name: "sign" binary {{}} label: "sign" }} {} }}"""
    folder = train(setup, "run", LINEAR % 0.1, "--max-steps", 10, head=head.format("head_weight: 0.25 head_weight: 2"))
    found = evaluation(setup, folder)
    assert abs(found["loss"] - 0.25 * found["loss/amount"] - 2 * found["loss/sign"]) < 1e-5, found
    # A head that does not count is not learned: its logit's weights stay.
    folder = train(setup, "first", LINEAR % 0.1, "--max-steps", 10, head=head.format("head_weight: 1 head_weight: 0"))
    name = SUBNETWORK.format(0, "linear") + "dense/kernel"
    before, after = (Bundle(folder / f"model.ckpt-{step}").values(name) for step in (0, 10))
    assert before[1::2] == after[1::2] and before[0::2] != after[0::2], (before, after)
    for weights, message in (("head_weight: 1", "1 values for 2 heads"), ("head_weight: 1 head_weight: -1", "head_weight must be")):
        search = setup.dir / "wrong.pbtxt"
        search.write_text(SEARCH.format(rest=LINEAR % 0.1, head=head.format(weights), batch=16))
        adanet(setup, "train", search, "--model-dir", setup.dir / "wrong").expect(2, message)


def a_search_starts_from_the_variables_of_another(setup):
    """AN-015: --init-from, as AdaNet's warm_start_from, brings variables and no steps, also from a later iteration."""
    rows = write_rows(setup)
    rest = LINEAR % 0.1 + "ensembler { complexity_regularized { optimizer { sgd { learning_rate: 0.1 } } } }\nforce_grow: true\n"
    first = train(setup, "first", rest, "--max-steps", 25, "--keep-checkpoint-max", 0)
    name = SUBNETWORK.format(0, "linear") + "dense/"
    weight = "adanet/iteration_0/ensemble_t0_linear_grow_complexity_regularized/weighted_subnetwork_0/logits/mixture_weight"
    for start, flags in (("model.ckpt-10", ()), ("model.ckpt-25", ("--allow-unused",))):
        losses = setup.dir / "losses"
        folder = train(setup, f"of-{start}", rest, "--max-steps", 15, "--init-from", first / start, "--losses", losses, *flags)
        source, begun, end = Bundle(first / start), Bundle(folder / "model.ckpt-0"), Bundle(folder / "model.ckpt-10")
        for variable in (name + "kernel", name + "bias", weight):
            assert begun.values(variable) == source.values(variable), variable
        counters = [key for key in begun.numeric() if key.endswith("/step") or "adanet_loss" in key]
        assert len(counters) == 5 and not any(begun.values(key)[0] for key in [*counters, "global_step", "current_iteration"])
        assert list(end.values(SUBNETWORK.format(0, "linear") + "step")) == [10]
        assert (folder / "architecture-0.json").exists() and (folder / "increment.ckpt-1.index").exists()
        # Training begins with the first example.
        kernel, (bias,), (scale,) = source.values(name + "kernel"), source.values(name + "bias"), source.values(weight)
        errors = [(scale * (x0 * kernel[0] + x1 * kernel[1] + bias) - y) ** 2 for x0, x1, y, _ in rows[:16]]
        lines = harness.read_losses(losses)
        assert lines[0]["step"] == 1 and abs(lines[0]["loss"] - sum(errors) / 16) < 1e-4, (lines[0], sum(errors) / 16)


def earlier_members_compute_as_in_training_on_request(setup):
    """AN-039: with replicate_ensemble_in_training, dropout acts in members of earlier iterations while the iteration
    trains, another one in each step; they do not change, and an evaluation is without it."""
    write_rows(setup)
    # New members hardly move, and nothing trains mixture weights: an ensemble's loss changes by dropout alone.
    rest = "generator { dnn { layer_size: 8 dropout: 0.5 } optimizer { sgd { learning_rate: 1e-9 } } }\n" + LINEAR % 1e-9
    rest += "force_grow: true replay_index: 0 replay_index: 2\n"
    fetch = "ensemble/t1_linear_grow_complexity_regularized/loss"
    found = {}
    for replicates in (False, True):
        name = f"run-{replicates}"
        losses = setup.dir / name / "losses"
        field = f"replicate_ensemble_in_training: {str(replicates).lower()}\n"
        folder = train(setup, name, rest + field, "--max-steps", 11, batch=64)
        train(setup, name, rest + field, "--max-steps", 20, "--fetch", fetch, "--losses", losses, batch=64)
        values = [line[fetch] for line in harness.read_losses(losses)]
        assert len(values) == 9, values
        frozen = SUBNETWORK.format(0, "dnn_8") + "dense/kernel"
        assert Bundle(folder / "increment.ckpt-1").values(frozen) == Bundle(folder / "model.ckpt-20").values(frozen)
        found[replicates] = (values, evaluation(setup, folder)["average_loss"])
    (still, same), (moving, other) = found[False], found[True]
    assert max(still) - min(still) < 1e-5 < 1e-3 < max(moving) - min(moving), found
    assert len({round(value, 5) for value in moving}) == 9, moving
    assert abs(same - other) < 1e-6, found


def the_global_step_is_combined_as_asked(setup):
    """AN-014, 037: of members that stop at different steps, their mean, rounded down, or the least or largest."""
    write_rows(setup)
    # The second member learns nothing and stops for that.
    rest = LINEAR % 0.1 + "generator { dnn { layer_size: 3 } optimizer { sgd { learning_rate: 1e-12 } } }\npatience { steps: 3 }\nstrategy { kind: ALL }\nforce_grow: true\n"
    for combiner, combine in (("MEAN", lambda steps: sum(steps) // 2), ("MIN", min), ("MAX", max)):
        folder = train(setup, combiner, rest + f"global_step_combiner: {combiner}\nmax_iterations: 2\n")
        (step,) = (int(path.stem.split("-")[1]) for path in folder.glob("increment.ckpt-1.index"))
        bundle = Bundle(folder / "increment.ckpt-1")
        steps = [bundle.values(SUBNETWORK.format(0, name) + "step")[0] for name in ("linear", "dnn_3")]
        assert step == 1 and steps[0] == 10 and 3 <= steps[1] < 9, steps
        assert bundle.values("global_step")[0] == combine(steps), (combiner, steps, bundle.values("global_step"))
        last = max(int(path.stem.split("-")[1]) for path in folder.glob("model.ckpt-*.index"))
        end = Bundle(folder / f"model.ckpt-{last}")
        others = [end.values(SUBNETWORK.format(1, name) + "step")[0] for name in ("linear", "dnn_3")]
        assert end.values("global_step")[0] == last == combine(steps) + combine(others), (combiner, last, steps, others)


def logits_may_be_the_last_layer(setup):
    """AN-232: what matrices weigh is the hidden layer, or the logits, as of AdaNet's AutoEnsemble."""
    write_rows(setup)
    rest = "generator { dnn { layer_size: 5 } optimizer { sgd { learning_rate: 0.1 } } %s }\nensembler { complexity_regularized { weights: MATRIX } }\n"
    weight = "adanet/iteration_0/ensemble_t0_dnn_5_grow_complexity_regularized/weighted_subnetwork_0/logits/mixture_weight"
    for field, size in (("", 5), ("last_layer: HIDDEN", 5), ("last_layer: LOGITS", 1)):
        folder = train(setup, "run" + field[12:], rest % field, "--max-steps", 10)
        assert len(Bundle(folder / "model.ckpt-10").values(weight)) == size, field


def builders_train_mixture_weights_on_request(setup):
    """AN-160, 161: learn_mixture_weights goes before the ensembler's optimizer, also where that has none, and is not
    of other generators' networks."""
    write_rows(setup)
    networks = "generator { linear {} optimizer { sgd { learning_rate: 0.1 } } %s }\ngenerator { dnn { layer_size: 3 } optimizer { sgd { learning_rate: 0.1 } } }\n"
    weight = "adanet/iteration_0/ensemble_t0_{}_grow_complexity_regularized/weighted_subnetwork_0/logits/mixture_weight"
    ensembler = "ensembler { complexity_regularized { beta: 0.1 %s } }\n"
    found = {}
    for name, learns, optimizer in (
        ("none", "", ""),
        ("builder", "learn_mixture_weights: true", ""),
        ("both", "learn_mixture_weights: true", "penalty_twice: true optimizer { sgd { learning_rate: 0.3 } }"),
        ("same", "", "optimizer { sgd { learning_rate: 0.1 } }"),
    ):
        bundle = Bundle(train(setup, name, networks % learns + ensembler % optimizer, "--max-steps", 10) / "model.ckpt-10")
        found[name] = [bundle.values(weight.format(network))[0] for network in ("linear", "dnn_3")]
    assert found["none"] == [1, 1] and found["builder"][1] == 1, found
    assert found["builder"][0] == found["both"][0] == found["same"][0] != 1, found
    assert found["both"][1] not in (1, found["same"][1]), found


def mean_last_layers_are_predicted(setup):
    """AN-167: by predict and by exports, as the ensembler's own prediction."""
    rows = write_rows(setup)
    rest = "generator { dnn { layer_size: 3 %s } optimizer { sgd { learning_rate: 0.1 } } }\n"
    both = rest % "" + rest % 'activation: "tanh"' + "ensembler { mean { %s add_mean_last_layer_predictions: true } }\nstrategy { kind: ALL }\n"
    (setup.dir / "inputs.csv").write_text("x0,x1\n" + "".join(f"{x0},{x1}\n" for x0, x1, *_ in rows[:5]))
    for new_only in ("", "new_members_only: true"):
        folder = train(setup, f"run{len(new_only)}", both % new_only + "force_grow: true\n", "--max-steps", 20, "--max-iterations", 3)
        output = folder / "predictions.jsonl"
        adanet(setup, "predict", "--model-dir", folder, "--input", setup.dir / "inputs.csv", "--output", output).expect(0)
        found = [json.loads(line) for line in output.read_text().splitlines()]
        bundle = Bundle(folder / "model.ckpt-20")
        shown = json.loads(adanet(setup, "show", "--model-dir", folder, "--json").expect(0).out)
        (best,) = (one for iteration in shown["iterations"] for one in iteration["ensembles"] if one["best"])
        members = [name for name in best["members"] if not new_only or name[:2] == best["name"][:2]]
        for (x0, x1, *_), prediction in zip(rows, found):
            layers = []
            for name in members:
                scope = f"adanet/iteration_{name[1]}/subnetwork_{name}/dense/"
                kernel, bias = bundle.values(scope + "kernel"), bundle.values(scope + "bias")
                sums = [x0 * kernel[i] + x1 * kernel[3 + i] + bias[i] for i in range(3)]
                layers.append([math.tanh(value) if name.endswith("tanh") else max(value, 0) for value in sums])
            expected = [sum(layer[i] for layer in layers) / len(layers) for i in range(3)]
            assert all(abs(a - b) < 1e-5 for a, b in zip(prediction["mean_last_layer"], expected)), (prediction, expected)
    predictor = setup.dir / "predictor"
    adanet(setup, "export", setup.dir / "run0.pbtxt", "--model-dir", setup.dir / "run0", "-o", predictor).expect(0)
    assert "mean_last_layer/output" in setup.run(predictor, "info").expect(0).out
    for other, message in (
        (LINEAR % 0.1, "'mean': the mean last layer requires all members' last layers to have the same shape"),
        ("ensembler { complexity_regularized {} }\n", "has [predictions, mean_last_layer] and "),
    ):
        search = setup.dir / "wrong.pbtxt"
        search.write_text(SEARCH.format(rest=both % "" + other, head='regression {} label: "y"', batch=16))
        adanet(setup, "train", search, "--model-dir", setup.dir / "wrong").expect(2, message)


if __name__ == "__main__":
    harness.main(globals())
