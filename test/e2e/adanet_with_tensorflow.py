# SPDX-License-Identifier: Apache-2.0
"""AdaNet and Ingot take turns in one model directory.

Runs where INGOT_TF_PYTHON (or python3) has TensorFlow and adanet.
"""
import json
import os
import shutil
import sys

import harness
from bundle import Bundle
from training import agree

SEARCH = harness.SOURCE / "test" / "e2e" / "adanet_search.py"


def search(setup, folder, max_steps, kind="own"):
    """Lets adanet train in `folder`; returns its output."""
    python = os.environ.get("INGOT_TF_PYTHON", sys.executable)
    if os.system(f'"{python}" -c "import importlib.util as u, sys; '
                 "sys.exit(u.find_spec('adanet') is None)\""):  # fmt: skip
        raise harness.Skip(f"{python} has no adanet; set INGOT_TF_PYTHON to one that has")
    done = setup.run(python, SEARCH, folder, max_steps, kind, timeout=800,
                     env=dict(os.environ, CUDA_VISIBLE_DEVICES="")).expect(0)  # fmt: skip
    return json.loads(done.out.splitlines()[-1])


def markers(folder, iteration):
    return {
        path.name: json.loads(path.read_text())
        for path in (folder / "train_manager" / f"t{iteration}").iterdir()
    }


def adanet_goes_on_where_ingot_stopped(setup):
    """From step 30 to 40, the end of iteration 1, one run is AdaNet's, the other
    one Ingot's; then AdaNet selects, grows and trains iteration 2 in both."""
    theirs, ours = setup.dir / "theirs", setup.dir / "ours"
    search(setup, theirs, 30)
    shutil.copytree(theirs, ours)
    trainer = setup.dir / "trainer"
    setup.compile(ours / "model.ckpt-30.meta", "-o", trainer).expect(0)
    setup.run(trainer, "--model-dir", ours, "--max-steps", 40, "--write-meta-graph").expect(0)
    search(setup, theirs, 40)
    one, other = Bundle(theirs / "model.ckpt-40"), Bundle(ours / "model.ckpt-40")
    agree_in_all_variables(one, other, "own")
    assert markers(ours, 1) == markers(theirs, 1)
    expected, found = search(setup, theirs, 60), search(setup, ours, 60)
    assert (ours / "architecture-1.json").read_text() == (theirs / "architecture-1.json").read_text()
    assert [step for step, _ in found["losses"]] == [step for step, _ in expected["losses"]]
    agree("iteration 2", [loss for _, loss in found["losses"]], [loss for _, loss in expected["losses"]], 1e-3, 1e-3)
    for key, value in expected["evaluate"].items():
        assert abs(found["evaluate"][key] - value) <= 1e-3 * max(1, abs(value)), (key, found, expected)


def goes_on_where_trainers_grew(setup, kind):
    """Iterations 0 and 1 are trained, selected and grown by the trainers of a
    search's graphs, in a folder of their own; iteration 2 is AdaNet's."""
    theirs, ours = setup.dir / "theirs", setup.dir / "ours"
    expected = search(setup, theirs, 60, kind)
    ours.mkdir()
    for path in theirs.glob("model.ckpt-0.*"):
        shutil.copy(path, ours)
    (ours / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-0"\n')
    for step in (10, 30):
        trainer = setup.dir / "trainer"
        setup.compile(theirs / f"model.ckpt-{step}.meta", "-o", trainer).expect(0)
        setup.run(trainer, "--model-dir", ours, "--max-steps", 60, "--max-iteration-steps", 20).expect(0)
    for iteration in (0, 1):
        name = f"architecture-{iteration}.json"
        assert (ours / name).read_text() == (theirs / name).read_text()
        assert markers(ours, iteration) == markers(theirs, iteration)
    found = search(setup, ours, 60, kind)
    # AN-067: AdaNet runs a step more of an iteration that is over.
    assert [step for step, _ in found["losses"]] == [40, *range(40, 60)], "iteration 2 alone is AdaNet's"
    agree("iteration 2", [loss for _, loss in found["losses"][1:]], [loss for _, loss in expected["losses"][40:]], 1e-3, 1e-3)
    for key, value in expected["evaluate"].items():
        assert abs(found["evaluate"][key] - value) <= 1e-3 * max(1, abs(value)), (key, found, expected)


def adanet_goes_on_where_trainers_grew(setup):
    goes_on_where_trainers_grew(setup, "own")


def adanet_goes_on_where_trainers_grew_objects(setup):
    """AN-075: each iteration's objects are those of the one before, and its own."""
    goes_on_where_trainers_grew(setup, "objects")


def agree_in_all_variables(theirs, ours, kind):
    assert set(theirs.numeric()) <= set(ours.numeric()), set(theirs.numeric()) - set(ours.numeric())
    for name in theirs.numeric():
        # AN-132: AdaNet does not move a single candidate's in every step.
        if kind == "single" and "/candidate_" in name:
            continue
        for a, b in zip(theirs.values(name), ours.values(name), strict=True):
            assert abs(a - b) <= 1e-4 * max(1, abs(a)), f"{name}: AdaNet's {a}, Ingot's {b}"


READ_CURVES = """
import glob, json, os, sys
import tensorflow.compat.v1 as tf
curves = {}
for folder in sys.argv[1:]:
    for path in glob.glob(folder + "/*/*/events.out.tfevents.*"):
        owner = os.path.relpath(os.path.dirname(path), folder)
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                if value.HasField("simple_value"):
                    number = value.simple_value
                elif value.HasField("tensor") and not value.tensor.tensor_shape.dim:
                    number = float(tf.make_ndarray(value.tensor))
                else:
                    number = None
                curves.setdefault(owner + " " + value.tag, {})[event.step] = number
print(json.dumps(curves))
"""


def curves(setup, *folders):
    """TensorBoard's view of members and candidates: by folder and tag, by step; None for histograms."""
    python = os.environ.get("INGOT_TF_PYTHON", sys.executable)
    return json.loads(setup.run(python, "-c", READ_CURVES, *folders).expect(0).out.splitlines()[-1])


def shows_the_curves_of_adanet(setup, theirs, ours, kind):
    """AN-052, 201, 203 to 208: tags, and at equal steps the values, but of what AdaNet reads while it is counted up.
    Its own timer is a step or two ahead of what it was told from the second point on."""
    theirs, ours = curves(setup, theirs), curves(setup, *ours)
    assert set(theirs) == set(ours), set(theirs) ^ set(ours)
    assert any("mixture_weight_fractions/" in name for name in ours)
    for name, points in theirs.items():
        first = min(points, key=int)
        assert set(ours[name]) == {first, str(int(first) + 10)}, (name, points, ours[name])
        for step in set(points) & set(ours[name]):
            value = points[step]
            found = ours[name][step]
            if name.endswith("/iteration_step"):
                assert abs(found - value) <= 1, (name, step, value, found)
            elif value is None:
                assert found is None, (name, step, found)
            elif value != value:  # AN-164: 0 / 0
                assert found == 0 and "fractions" in name, (name, step, found)
            elif not (kind == "single" and "adanet_loss" in name):  # AN-132
                assert abs(found - value) <= 1e-3 * max(1, abs(value)), (name, step, value, found)


def trains_as_in_adanet(setup, kind):
    """Each iteration of a search, from the checkpoint that it began with."""
    whole = setup.dir / kind
    told = search(setup, whole, 40, kind)
    expected = dict(told["losses"])
    for iteration in range(2):
        start = f"increment.ckpt-{iteration}" if iteration else "model.ckpt-0"
        folder = setup.dir / f"run{iteration}"
        folder.mkdir()
        for path in (*whole.glob(start + ".*"), *whole.glob("architecture-*.json")):
            shutil.copy(path, folder)
        (folder / "checkpoint").write_text(f'model_checkpoint_path: "{start}"\n')
        trainer, losses = setup.dir / "trainer", setup.dir / "losses"
        setup.compile(whole / f"model.ckpt-{20 * iteration + 10}.meta", "-o", trainer).expect(0)
        losses.unlink(missing_ok=True)
        setup.run(trainer, "--model-dir", folder, "--max-steps", 20 * iteration + 20,
                  "--losses", losses, "--summary-steps", 10, "--save-checkpoints-steps", 10).expect(0)  # fmt: skip
        lines = harness.read_losses(losses)
        assert len(lines) == 20
        agree(f"{kind}, iteration {iteration}", [line["loss"] for line in lines],
              [expected[line["step"] - 1] for line in lines], 1e-4, 1e-3)  # fmt: skip
        # AN-046: in the middle, members are a step further than the global step.
        middle = f"model.ckpt-{20 * iteration + 10}"
        agree_in_all_variables(Bundle(whole / middle), Bundle(folder / middle), kind)
    shows_the_curves_of_adanet(setup, whole, [setup.dir / "run0", setup.dir / "run1"], kind)
    feeds = []
    for i in range(len(list(whole.glob("component*.npy")))):
        feeds += ["--feed", f"IteratorGetNext:{i}=@{whole}/component{i}.npy"]
    done = setup.run(trainer, "evaluate", "--model-dir", folder, "--json", "--batch", 16, *feeds).expect(0)
    done = json.loads(done.out)
    return dict(done["metrics"], global_step=done["global_step"]), told["evaluate"]


def agrees_in_all_figures(found, expected):
    """AN-214 to 217."""
    found.pop("architecture/adanet/ensembles")
    assert set(found) == set(expected), (found, expected)
    for key, value in expected.items():
        assert abs(found[key] - value) <= 1e-3 * max(1, abs(value)), (key, found, expected)


def a_search_with_one_candidate_trains_as_in_adanet(setup):
    """AN-041: the loss is the candidate's; AN-132: its average moves, too. Two
    classes; batch normalization by moving averages in the evaluation (AN-039)."""
    agrees_in_all_figures(*trains_as_in_adanet(setup, "single"))
    bundle = Bundle(setup.dir / "run1" / "model.ckpt-40")
    (average,) = (name for name in bundle.numeric()
                  if name.startswith("adanet/iteration_1/") and name.endswith("/local_step"))  # fmt: skip
    assert bundle.values(average) == (20,), "as many as there were steps"


def a_search_of_several_kinds_of_ensembles_trains_as_in_adanet(setup):
    """AN-005, 165, 171: two ensemblers, one of them the mean, three strategies; three classes."""
    agrees_in_all_figures(*trains_as_in_adanet(setup, "several"))


def members_with_inputs_of_their_own_stop_as_in_adanet(setup):
    """AN-040, 233: of 20 steps, one member's input has enough for 13: the mean of
    all steps, which is the global step, advances more slowly then."""
    theirs, ours = setup.dir / "theirs", setup.dir / "ours"
    told = search(setup, theirs, 18, "inputs")
    ours.mkdir()
    for path in theirs.glob("model.ckpt-0.*"):
        shutil.copy(path, ours)
    (ours / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-0"\n')
    trainer, losses = setup.dir / "trainer", setup.dir / "losses"
    setup.compile(theirs / "model.ckpt-10.meta", "-o", trainer).expect(0)
    done = setup.run(trainer, "--model-dir", ours, "--max-iteration-steps", 20, "--max-steps", 18, "--losses", losses,
                     "--summary-steps", 0, "--save-checkpoints-steps", 10).expect(0)  # fmt: skip
    assert "'t0_short' is done: its input has ended" in done.out, done.out
    found = [line["loss"] for line in harness.read_losses(losses)]
    assert len(found) == 20
    agree("members stop", found, [loss for _, loss in told["losses"]], 1e-4, 1e-3)
    for step in (10, 18):
        agree_in_all_variables(Bundle(theirs / f"model.ckpt-{step}"), Bundle(ours / f"model.ckpt-{step}"), "inputs")
    ended, expected = markers(ours, 0), markers(theirs, 0)
    assert ended.pop("t0_short.json")["message"].startswith("OutOfRangeError: ")
    assert expected.pop("t0_short.json")["message"].startswith("OutOfRangeError: ")
    assert ended == expected and len(ended) == 5


def layers_that_training_changes_evaluate_as_in_adanet(setup):
    """AN-039: dropout and fused batch normalization; AN-079: two heads."""
    found, expected = trains_as_in_adanet(setup, "layers")
    assert {"auc/sign", "auc_precision_recall/sign", "precision/sign", "loss/amount"} <= set(expected)
    agrees_in_all_figures(found, expected)


def heads_count_by_their_weights_as_in_adanet(setup):
    """AN-188: in the loss that trains, not in the losses of each head."""
    found, expected = trains_as_in_adanet(setup, "weights")
    agrees_in_all_figures(found, expected)
    of_heads = 0.25 * expected["loss/amount"] + 2 * expected["loss/sign"]
    assert abs(expected["loss"] - of_heads) < 1e-5, expected


def a_search_of_canned_estimators_trains_as_in_adanet(setup):
    """AN-229, 231, 232: Estimators with Keras's optimizers are members. AN-217: where an
    iteration has added nothing, its index is -1."""
    agrees_in_all_figures(*trains_as_in_adanet(setup, "auto"))


if __name__ == "__main__":
    harness.main(globals())
