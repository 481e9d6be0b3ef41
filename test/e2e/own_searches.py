# SPDX-License-Identifier: Apache-2.0
"""A search in C++ whose ensembler, strategy, metrics and training are the user's own (test/compiler/Ensemble/OwnSearch.cpp)."""
import json
import os
import re
import shutil
import subprocess

import harness
from bundle import Bundle
from event_files import events
from hooks import build_hook


def adanet(setup, verb, *flags):
    return setup.run(setup.ingotc.with_name("ingot-adanet"), verb, *flags)


def train(setup, name, *flags):
    folder = setup.dir / name
    adanet(setup, "train", setup.ingotc.with_name("ingot-own-search"), "--model-dir", folder, "--quiet", *flags).expect(0)
    return folder


def evaluation(setup, folder, *flags):
    """The metrics of an evaluation, and those of each member and candidate by name."""
    done = adanet(setup, "evaluate", "--model-dir", folder, "--json", *flags).expect(0)
    said = adanet(setup, "evaluate", "--model-dir", folder, *flags).expect(0).err
    owned = {}
    for owner, rest in re.findall(r"note: (?:ensemble|subnetwork)/(\S+), step \d+:(.*)", said):
        owned[owner] = {name: float(value) for name, value in re.findall(r"  (\S+) (\S+)", rest)}
    return json.loads(done.out)["metrics"], owned


def ensemblers_strategies_and_builders_may_be_the_users_own(setup):
    """AN-168, 169, 178, 187: candidates of a strategy whose names tell no members, an ensembler with a variable of its
    own, a builder that continues the previous ensemble."""
    folder = train(setup, "run")
    first, second = (json.loads((folder / f"architecture-{i}.json").read_text()) for i in (0, 1))
    assert (second["ensemble_candidate_name"], second["ensembler_name"]) == ("everything", "scaled")
    assert first["subnetworks"] == second["subnetworks"][:2]
    members = [f"t{one['iteration_number']}_{one['builder_name']}" for one in second["subnetworks"]]
    assert members == ["t0_linear", "t0_echo", "t1_linear", "t1_echo"]
    metrics, owned = evaluation(setup, folder)
    # The echo of the last iteration is the ensemble that the one before has selected.
    for metric in ("average_loss", "share_of_far", "prediction/mean"):
        assert owned["t2_echo"][metric] == owned["t1_everything_scaled"][metric], (metric, owned)
    assert owned["t2_echo"]["average_loss"] != owned["t2_linear"]["average_loss"]
    # The ensembler's penalty is a hundredth of the square of its scale, which training has moved.
    (scale,) = Bundle(folder / "model.ckpt-30").values("adanet/iteration_2/ensemble_t2_everything_scaled/scale")
    of = owned["t2_everything_scaled"]
    assert scale != 1 and abs(of["adanet_loss"] - of["loss"] - scale * scale / 100) < 1e-5, (scale, of)
    # All speak of one ensemble.
    shown = json.loads(adanet(setup, "show", "--model-dir", folder, "--json").expect(0).out)
    ensembles = {one["name"]: one for iteration in shown["iterations"] for one in iteration["ensembles"]}
    (best,) = (name for name, one in ensembles.items() if one["best"])
    assert abs(metrics["average_loss"] - owned[best]["average_loss"]) < 1e-5, (best, metrics, owned)
    assert ensembles["t2_last_and_linear_scaled"]["members"] == ["t1_echo", "t2_linear"], ensembles


def own_searches_go_on_predict_and_are_exported(setup):
    whole, parts = train(setup, "whole"), train(setup, "parts", "--max-steps", 3)
    for steps in (10, 13, 20, 27, 30):
        train(setup, "parts", "--max-steps", steps)
    harness.assert_same_checkpoint(whole, parts, 30)
    assert (whole / "architecture-1.json").read_text() == (parts / "architecture-1.json").read_text()
    rows = setup.dir / "rows.csv"
    rows.write_text("0.5,-1\n-0.25,0.75\n")
    rows = setup.dir / "rows.jsonl"
    rows.write_text('{"x": [0.5, -1]}\n{"x": [-0.25, 0.75]}\n')
    adanet(setup, "predict", "--model-dir", whole, "--input", rows, "--output", setup.dir / "by_search.jsonl").expect(0)
    predictor = setup.dir / "predictor"
    adanet(setup, "export", setup.ingotc.with_name("ingot-own-search"), "--model-dir", whole, "-o", predictor).expect(0)
    setup.run(predictor, "predict", "--input", rows, "--output", setup.dir / "by_itself.jsonl").expect(0)
    found, other = ([json.loads(line) for line in (setup.dir / name).read_text().splitlines()] for name in ("by_search.jsonl", "by_itself.jsonl"))
    assert set(found[0]) == {"predictions", "spread"}, found
    for one, two in zip(found, other):
        for key in one:
            (left,), (right,) = one[key], two[key]
            assert abs(left - right) < 1e-5 * max(1, abs(left)) and left != 0, (found, other)
    # Each prediction of the ensembler has a signature.
    info = setup.run(predictor, "info").expect(0).out
    assert "spread/output" in info, info


def builders_train_members_themselves(setup):
    """AN-181: what a builder assigns is the step; done by hand, descent is that of the library's optimizer."""
    own = train(setup, "own")
    trainers = []
    for flags in ((), ("--plain",)):
        trainer = setup.dir / f"trainer{len(flags)}"
        setup.run(setup.ingotc.with_name("ingot-own-search"), *flags, "-o", trainer, "--iteration", 0).expect(0)
        folder = setup.dir / f"run{len(flags)}"
        setup.run(trainer, "--model-dir", folder, "--max-steps", 10, "--max-iteration-steps", 10, "--quiet").expect(0)
        trainers.append(Bundle(folder / "model.ckpt-10"))
    names = [name for name in trainers[0].numeric() if "/dense/" in name]
    assert len(names) == 2
    for name in names:
        for left, right in zip(trainers[0].values(name), trainers[1].values(name)):
            assert abs(left - right) < 1e-6 and left != 0, name
    # AN-195, 196: attributes and metrics of a builder's own are in its report.
    (report,) = (one for one in json.loads((own / "report" / "iteration_reports.json").read_text())[0]["subnetwork_reports"]
                 if one["name"] == "linear")  # fmt: skip
    assert report["attributes"] == {"rate": 0.1, "trained_by": "hand"}, report
    assert {"mean_error", "share_of_far", "average_loss"} <= set(report["metrics"]), report


def builders_stop_their_members(setup):
    """AN-051, 237: a member whose builder says so is done, the others and the ensembles go on."""
    trainer, folder = setup.dir / "trainer", setup.dir / "run"
    setup.run(setup.ingotc.with_name("ingot-own-search"), "--stop", "-o", trainer, "--iteration", 0).expect(0)
    flags = (trainer, "--model-dir", folder, "--max-iteration-steps", 10, "--summary-steps", 1)
    done = setup.run(*flags, "--max-steps", 4).expect(0)
    assert "is done" not in done.out
    done = setup.run(*flags).expect(0)
    assert "'t0_linear' is done: its builder stops it" in done.out, done.out
    # The global step is the mean of members' steps.
    bundle = Bundle(folder / "model.ckpt-8")
    scope = "adanet/iteration_0/subnetwork_t0_{}/step"
    assert [bundle.values(scope.format(name))[0] for name in ("linear", "echo")] == [6, 10]
    marker = json.loads((folder / "train_manager" / "t0" / "t0_linear.json").read_text())
    assert marker["message"] == "Training stopped after 6 steps: its builder stops it", marker
    kernel = "adanet/iteration_0/subnetwork_t0_linear/dense/kernel"
    plain = setup.dir / "plain"
    setup.run(setup.ingotc.with_name("ingot-own-search"), "-o", trainer, "--iteration", 0).expect(0)
    setup.run(trainer, "--model-dir", plain, "--max-iteration-steps", 10, "--max-steps", 6).expect(0)
    assert bundle.values(kernel) == Bundle(plain / "model.ckpt-6").values(kernel)
    assert "stop" not in {tag for _, tag, _ in events(folder / "subnetwork" / "t0_linear")}


def calls(path, *kinds):
    """What a recording hook has written down, of these kinds."""
    return [line for line in path.read_text().splitlines() if line.split()[0] in kinds]


def builders_and_ensemblers_bring_hooks(setup):
    """AN-051, 181: a builder's library is loaded by each process that trains its iteration, the ensembler's by the chief."""
    library = build_hook(setup)
    environment = dict(os.environ, INGOT_OWN_SEARCH_HOOK=f"{library}:{setup.dir}/calls")
    own = setup.ingotc.with_name("ingot-own-search")
    for processes in (1, 2):
        folder = setup.dir / f"run{processes}"
        flags = (own, "--model-dir", folder, "--max-iterations", 2, "--quiet", "--hook", f"{library}:{setup.dir}/calls.user,listen")
        words = [setup.ingotc.with_name("ingot-adanet"), "train", *flags, "--worker-wait-secs", 0.1, "--delay-secs-per-worker", 0]
        started = [
            subprocess.Popen([str(word) for word in (*words, *(("--task", f"{index}/{processes}") if processes > 1 else ()))], env=environment)
            for index in range(processes)
        ]
        assert [one.wait(120) for one in started] == [0] * processes
        for who, count in ("member", processes), ("ensemble", 1), ("user", processes):
            path = setup.dir / f"calls.{who}"
            begun = calls(path, "begin", "end")
            assert sorted(begun) == sorted(["begin 0", "end 10", "begin 0", "end 20"] * count), (who, begun)
            if who == "user":
                # A listener hears of the saves of all iterations, from the process that saves (AN-028).
                assert calls(path, "saved") == ["saved 0 model.ckpt-0", "saved 10 model.ckpt-10", "saved 20 model.ckpt-20"], path.read_text()
            path.unlink()
    # Evaluations load none of them.
    adanet(setup, "evaluate", "--model-dir", setup.dir / "run1").expect(0)
    assert not list(setup.dir.glob("calls.*"))


def members_are_built_on_ensembles_that_are_gone(setup):
    """AN-178: where each ensemble is a new member alone, an echo is that of the ensemble of its time, whose members no
    later ensemble has, in any later iteration."""
    command = setup.dir / "solo"
    command.write_text(f'#!/bin/sh\nexec "{setup.ingotc.with_name("ingot-own-search")}" --solo "$@"\n')
    command.chmod(0o755)
    folder = setup.dir / "run"
    for iteration in range(3):
        trainer = setup.dir / f"trainer{iteration}"
        setup.run(command, "--model-dir", folder, "--iteration", iteration, "-o", trainer).expect(0)
        # The echo is candidate 1, or 2 after the previous ensemble.
        flags = ("--max-iteration-steps", 10, "--force-grow", "--drop-nan", "--replay-indices", "0,2,2", "--quiet")
        setup.run(trainer, "--model-dir", folder, *flags, "--max-steps", 10 * (iteration + 1) + (iteration < 2)).expect(0)
    names = [json.loads((folder / f"architecture-{i}.json").read_text())["subnetworks"] for i in (0, 1)]
    assert [[one["builder_name"] for one in members] for members in names] == [["linear"], ["echo"]], names
    # The second iteration's echo stands for the first one's linear member, which is in no ensemble any more.
    assert any("subnetwork_t0_linear/dense" in key for key in Bundle(folder / "model.ckpt-30").numeric())
    said = setup.run(trainer, "evaluate", "--model-dir", folder).expect(0).err
    found = dict(re.findall(r"note: (?:ensemble|subnetwork)/(\S+), step 30:.*  average_loss (\S+)", said))
    (scale,) = Bundle(folder / "model.ckpt-30").values("adanet/iteration_1/ensemble_t1_echo_solo_scaled/scale")
    assert found["t2_echo"] == found["t1_echo_solo_scaled"] and scale != 1, found


GRAPH = harness.SOURCE / "test" / "data" / "graph_ensembler"
GATED = """
max_iteration_steps: 20
train { csv { file: "train.csv" } batch: 200 }
feature { name: "x" column: "[0-5]" numeric {} }
head { regression {} label: "6" }
generator { simple_dnn { layer_size: 8 } optimizer { momentum { learning_rate: 0.05 } } }
ensembler {
  name: "gated"
  graph {
    file: "gated.meta" member_logits: "member" complexity: "complexity" logits_so_far: "so_far" previous_logits: "previous"
    logits: "together" penalty: "penalty"
    optimizer { momentum { learning_rate: 0.05 } }
  }
}
"""


def gated_search(setup, name, text=GATED):
    """The search in a folder in which adanet has trained to step 25."""
    folder = setup.dir / name
    shutil.copytree(GRAPH, folder)
    (folder / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-25"\n')
    (folder / "search.pbtxt").write_text(text)
    return folder, lambda verb, *flags: adanet(setup, verb, folder / "search.pbtxt", "--model-dir", folder, *flags)


def ensembles_may_be_the_users_graphs(setup):
    """AN-168, 169: what adanet came to with the same ensembler, a class of Python; then growth and an export."""
    folder, run = gated_search(setup, "run")
    run("train", "--max-steps", 40).expect(0)
    found, expected = Bundle(folder / "model.ckpt-40"), json.loads((GRAPH / "expect.json").read_text())
    ensembles = [name for name in expected if name.endswith(("/back", "/gate", "/weight"))]
    assert len(ensembles) == 12, ensembles
    for name, values in expected.items():
        for ours, theirs in zip(found.values(name), values, strict=True):
            assert abs(ours - theirs) <= 1e-4 * max(1, abs(theirs)), (name, ours, theirs)
    run("train", "--max-steps", 45).expect(0)
    predictor = setup.dir / "predictor"
    run("export", "-o", predictor).expect(0)
    rows = setup.dir / "rows.csv"
    rows.write_text("".join(line.rsplit(",", 1)[0] + "\n" for line in (folder / "train.csv").read_text().splitlines()[:3]))
    read = ("--input", rows, "--output", "-")
    told = [adanet(setup, "predict", "--model-dir", folder, *read).expect(0).out, setup.run(predictor, "predict", *read).expect(0).out]
    assert told[0] == told[1] and len(told[0].splitlines()) >= 3, told


def graphs_of_ensembles_are_checked(setup):
    for name, old, new, code, words in (
        ("missing", 'logits: "together"', "", 2, "missing field logits"),
        ("unknown", '"together"', '"apart"', 2, "the graph has no tensor or node 'apart'"),
        ("unfed", 'logits_so_far: "so_far" ', "", 2, "node 'so_far' (Placeholder): placeholder is never fed"),
        ("type", 'member_logits: "member" complexity: "complexity"', 'member_logits: "complexity" complexity: "member"', 2,
         "but the tensor fed to it has type"),
    ):  # fmt: skip
        folder, run = gated_search(setup, name, GATED.replace(old, new))
        run("train", "--max-steps", 40).expect(code, words)
        assert not (folder / "model.ckpt-40.index").exists()


if __name__ == "__main__":
    harness.main(globals())
