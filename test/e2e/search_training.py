# SPDX-License-Identifier: Apache-2.0
"""How searches train members and ensembles: weights of heads, starts from other variables, earlier members."""
import csv
import json
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
    for weights, message in (("head_weight: 1", "1 weights for 2 heads"), ("head_weight: 1 head_weight: -1", "head_weight must be")):
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


if __name__ == "__main__":
    harness.main(globals())
