# SPDX-License-Identifier: Apache-2.0
"""ingot-adanet show: what an AdaNet directory holds, and what is wrong with it.

Figures come from the checkpoint, read by these tests' own reader, and from how
the reference run was made: λ 0.001, β 0.0001, complexities the square roots of
the depths (AN-177).
"""
import json
import math
import os
import re
import shutil

import harness
from bundle import Bundle

DATA = harness.SOURCE / "test" / "data" / "adanet_digits"


def grown_folder(setup, name="run", *more):
    """A folder as AdaNet leaves it when iteration 2 begins."""
    folder = setup.dir / name
    folder.mkdir()
    for path in (*DATA.glob("increment.ckpt-2.*"), *DATA.glob("architecture-*.json"), *(DATA / part for part in more)):
        shutil.copy(path, folder)
    (folder / "checkpoint").write_text('model_checkpoint_path: "increment.ckpt-2"\n')
    return folder


def show(setup, folder, *flags):
    return setup.run(setup.ingotc.parent / "ingot-adanet", "show", "--model-dir", folder, *flags)


def named(items, name):
    (found,) = (item for item in items if item["name"] == name)
    return found


def show_tells_what_a_folder_holds(setup):
    folder = grown_folder(setup, "run", "model.ckpt-250.meta")
    told = json.loads(show(setup, folder, "--json").expect(0).out)
    bundle = Bundle(DATA / "increment.ckpt-2")
    assert (told["current_iteration"], told["global_step"]) == (2, 200), told
    assert told["checkpoint"] == f"{folder}/increment.ckpt-2"
    first, second, now = told["iterations"]
    # AN-089 to 094.
    won = json.loads((DATA / "architecture-1.json").read_text())
    assert second["architecture"]["members"] == ["t0_1_layer_dnn", "t1_2_layer_dnn"]
    for key in ("ensemble_candidate_name", "ensembler_name", "global_step", "replay_indices"):
        assert second["architecture"][key] == won[key], key
    # AN-099: layers and sizes.
    (member,) = second["members"]
    layers = {layer["name"]: layer["variables"] for layer in member["layers"]}
    assert layers == {"dense": {"kernel": [64, 64], "bias": [64]}, "dense_1": {"kernel": [64, 64], "bias": [64]},
                      "dense_2": {"kernel": [64, 10], "bias": [10]}}  # fmt: skip
    assert member["parameters"] == 2 * (64 * 64 + 64) + 64 * 10 + 10 and member["steps"] == 100
    assert [one["name"] for one in now["members"]] == ["t2_2_layer_dnn", "t2_3_layer_dnn"]
    # Mixture weights, their shares (AN-164, 205) and penalties (AN-129, 156).
    name = "t1_2_layer_dnn_grow_complexity_regularized"
    scope = f"adanet/iteration_1/ensemble_{name}/"
    ensemble = named(second["ensembles"], name)
    norms = [sum(map(abs, bundle.values(f"{scope}weighted_subnetwork_{k}/logits/mixture_weight"))) for k in range(2)]
    assert (ensemble["lambda"], ensemble["beta"], ensemble["bias"]) == (
        approximately(0.001), approximately(0.0001), [10]), ensemble  # fmt: skip
    for k, weight in enumerate(ensemble["weights"]):
        factor = 0.001 * math.sqrt(k + 1) + 0.0001
        assert weight["member"] == ("t0_1_layer_dnn", "t1_2_layer_dnn")[k] and weight["shape"] == [64, 10]
        for key, value in {"norm": norms[k], "share": norms[k] / sum(norms), "complexity": math.sqrt(k + 1),
                           "factor": factor, "penalty": factor * norms[k]}.items():  # fmt: skip
            assert weight[key] == approximately(value), (key, weight, value)
    # AN-078, 133: moving averages, as the checkpoint has them.
    candidate = f"adanet/iteration_1/candidate_{name}/"
    assert ensemble["adanet_loss"] == approximately(bundle.values(candidate + "adanet_loss")[0])
    assert ensemble["adanet_loss_steps"] == 100
    # New candidates have no steps yet: their averages are 0, the lowest, but they don't predict.
    best = [one["name"] for view in told["iterations"] for one in view["ensembles"] if one["best"]]
    assert best == [name] and len(now["ensembles"]) == 2, best
    assert told["unfinished"] == ["member t2_2_layer_dnn has 0 steps of 100", "member t2_3_layer_dnn has 0 steps of 100"]
    text = show(setup, folder).expect(0).out
    for words in ("iteration 1: 2_layer_dnn_grow won at step 200", "dense_2  bias [10]  kernel [64,10]",
                  "λ 0.001, β 0.0001", "unfinished:\n  member t2_2_layer_dnn has 0 steps of 100"):  # fmt: skip
        assert words in text, text


class approximately:
    """Equal to within float32's last digits."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return abs(other - self.value) <= 1e-5 * max(abs(self.value), 1e-6)

    def __repr__(self):
        return f"about {self.value}"


def show_tells_what_was_left_undone(setup):
    """AN-067, 065, 110: selected but not grown, a folder of a crash, markers."""
    folder = grown_folder(setup)
    assert "no graph of this iteration" in show(setup, folder).expect(0).out
    markers = folder / "train_manager" / "t2"
    markers.mkdir(parents=True)
    for member in ("t2_2_layer_dnn", "t2_3_layer_dnn"):
        (markers / f"{member}.json").write_text('{"message": "Stop requested."}')
    told = json.loads(show(setup, folder, "--json").expect(0).out)
    assert len(told["unfinished"]) == 1 and "is not selected" in told["unfinished"][0], told["unfinished"]
    assert told["iterations"][2]["members"][0]["done"] == "Stop requested."
    (folder / "architecture-2.json").write_text(json.dumps(dict(
        json.loads((DATA / "architecture-1.json").read_text()), iteration_number=2, global_step=200)))  # fmt: skip
    (folder / "temp_model_dir").mkdir()
    told = json.loads(show(setup, folder, "--json").expect(0).out)["unfinished"]
    assert len(told) == 2 and "the next one has not begun" in told[0] and "temp_model_dir" in told[1], told


def show_draws_a_page_that_needs_nothing_else(setup):
    folder = grown_folder(setup, "run", "model.ckpt-250.meta")
    text = (folder / "architecture-0.json").read_text()
    # A name is never markup, whoever wrote the file.
    (folder / "architecture-0.json").write_text(text.replace("1_layer_dnn_grow", "<script>alert(1)</script>"))
    page = show(setup, folder, "--html").expect(0).out
    assert page.startswith("<!doctype html>") and "<script" not in page and "&lt;script&gt;" in page
    assert not re.search(r"(src|href)\s*=|url\(|@import", page), "refers to something else"
    for words in ("t2_3_layer_dnn", "kernel [64,64]", "&lambda; 0.001", "&larr; best", "Unfinished"):
        assert words in page, words
    opened = re.findall(r"<(div|table|section|b|small|ul|h1|h2|p)\b", page)
    closed = re.findall(r"</(div|table|section|b|small|ul|h1|h2|p)>", page)
    assert sorted(opened) == sorted(closed), "tags that are left open"


def damaged_files_are_named_with_place_and_remedy(setup):
    """AN-248; AN-031: a gap is an error; AN-096: keys of older layouts."""
    folder = grown_folder(setup)
    path = folder / "architecture-0.json"
    whole = path.read_text()
    path.write_text(whole[:57])
    show(setup, folder).expect(4, f"'{path}', offset 57", "the text ends in the middle", "restore the file from a copy")
    colon = whole.index(":")
    path.write_text(whole[:colon] + "]" + whole[colon + 1 :])
    show(setup, folder).expect(4, f"'{path}', offset {colon}: not valid JSON")
    for bad, words in (
        ("[]", "expected a JSON object"),
        ("[" * 5000, "levels"),
        ("{}", "key 'ensemble_candidate_name' is missing"),
        (whole.replace('"iteration_number": 0, "replay', '"iteration_number": 7, "replay'), "the file's name says 0"),
        (whole.replace('"global_step": 100', '"global_step": 1e300'), "expected a whole number"),
        (whole.replace('"global_step": 100', '"global_step": 18446744073709551615'), "expected a whole number"),
        (re.sub(r'"subnetworks": .*', '"subnetworks": 3}', whole), "list 'subnetworks' is missing"),
        (re.sub(r'"builder_name": "[^"]*"', '"builder_name": 4', whole), "'builder_name' is 4, expected a name"),
        (whole.replace('dnn", "iteration_number": 0', 'dnn", "iteration_number": 9'), "was added by iteration 9"),
        ("\xff\xfe", "not valid JSON"),
    ):
        path.write_bytes(bad.encode("latin-1"))
        show(setup, folder).expect(4, str(path), words)
    path.unlink()
    show(setup, folder).expect(4, f"'{path}' does not exist", "but the file of iteration 1 does")
    os.mkfifo(path)
    show(setup, folder).expect(4, f"'{path}', offset 0: is not a regular file")
    path.unlink()
    path.write_text(json.dumps({key: value for key, value in json.loads(whole).items()
                                if key not in ("ensembler_name", "replay_indices", "global_step")}))  # fmt: skip
    assert "iteration 0: 1_layer_dnn_grow won: t0_1_layer_dnn" in show(setup, folder).expect(0).out
    path.write_text(whole)
    (folder / "train_manager" / "t1").mkdir(parents=True)
    (folder / "train_manager" / "t1" / "t1_2_layer_dnn.json").write_text('{"message" "x"}')
    show(setup, folder).expect(4, "t1_2_layer_dnn.json', offset", "not valid JSON")
    shutil.rmtree(folder / "train_manager")
    (folder / "increment.ckpt-2.meta").write_bytes(b"\x12\xff\xff\xff\x7f nonsense")
    show(setup, folder).expect(0, "increment.ckpt-2.meta' is not a MetaGraphDef, or is damaged")
    # A number of iterations that no folder has: said, not counted up to.
    for more, words in (((), "claims iteration 2"),
                        (("--map", "^current_iteration=other"), "architecture-2.json' does not exist")):  # fmt: skip
        setup.run(setup.ingotc.parent / "ingot-ckpt", "rename", folder / "increment.ckpt-2", "-o", setup.dir / "far", "--force",
                  "--map", "iteration_2/=iteration_999999999999/", *more).expect(0)  # fmt: skip
        show(setup, folder, "--checkpoint", setup.dir / "far").expect(4, words)
    # The checkpoint itself.
    index = folder / "increment.ckpt-2.index"
    index.write_bytes(index.read_bytes()[:100])
    show(setup, folder).expect(4, "increment.ckpt-2.index")
    show(setup, folder, "--checkpoint", folder / "increment.ckpt-2").expect(4, "increment.ckpt-2.index")
    empty = setup.dir / "empty"
    empty.mkdir()
    show(setup, empty).expect(4, "no usable checkpoint")
    show(setup, setup.dir / "nowhere").expect(4)


def show_is_used_as_other_commands_are(setup):
    tool = setup.ingotc.parent / "ingot-adanet"
    assert "show" in setup.run(tool, "--help").expect(0).out
    assert "--html" in setup.run(tool, "show", "--help").expect(0).out
    assert "artifact format" in setup.run(tool, "--version").expect(0).out
    setup.run(tool, "shwo").expect(2, "did you mean 'show'?")
    setup.run(tool, "show").expect(2, "--model-dir is missing")
    setup.run(tool, "show", "--model-dir", "x", "--json", "--html").expect(2, "exclude one another")
    setup.run(tool, "show", "--model-dir", "x", "y").expect(2, "unexpected argument 'y'")
    # A folder of another estimator.
    other = setup.dir / "other"
    setup.train(other, "--max-steps", 1).expect(0)
    show(setup, other).expect(1, "is not a model directory of AdaNet")


if __name__ == "__main__":
    harness.main(globals())
