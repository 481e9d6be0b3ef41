# SPDX-License-Identifier: Apache-2.0
"""AdaNet and Ingot's own search take turns in one model directory.

Runs where INGOT_TF_PYTHON (or python3) has TensorFlow and adanet.
"""
import json
import shutil

import harness
from adanet_with_tensorflow import agree_in_all_variables, search
from bundle import Bundle
from training import agree

# The search of adanet_search.py's kind "native".
SEARCH = """
max_iteration_steps: 20
train { csv { file: "train.csv" } batch: 200 }
evaluate { csv { file: "evaluate.csv" } batch: 16 }
feature { name: "x" column: "[0-5]" numeric {} }
head { regression {} label: "6" }
generator { simple_dnn { layer_size: 8 } optimizer { momentum { learning_rate: 0.05 } } }
ensembler {
  complexity_regularized {
    lambda: 0.01 beta: 0.001 use_bias: true warm_start: true
    optimizer { momentum { learning_rate: 0.05 } }
  }
}
"""


# The same, where the builders' optimizer trains mixture weights, as simple_dnn's learn_mixture_weights lets it.
BY_BUILDERS = SEARCH.replace("    optimizer { momentum { learning_rate: 0.05 } }\n", "    optimizer { sgd { learning_rate: 0.7 } }\n").replace(
    "simple_dnn { layer_size: 8 }", "learn_mixture_weights: true simple_dnn { layer_size: 8 }"
)


def train(setup, folder, steps, *flags, text=SEARCH):
    (folder / "search.pbtxt").write_text(text)
    setup.run(setup.ingotc.with_name("ingot-adanet"), "train", folder / "search.pbtxt", "--model-dir", folder,
              "--max-steps", steps, *flags).expect(0)  # fmt: skip


def evaluation(setup, folder):
    done = setup.run(setup.ingotc.with_name("ingot-adanet"), "evaluate", "--model-dir", folder, "--json").expect(0)
    done = json.loads(done.out)
    return dict(done["metrics"], global_step=done["global_step"])


def agree_in_figures(found, expected):
    found.pop("architecture/adanet/ensembles")
    assert set(found) == set(expected), (found, expected)
    for key, value in expected.items():
        assert abs(found[key] - value) <= 1e-3 * max(1, abs(value)), (key, found, expected)


def the_search_goes_on_where_adanet_stopped(setup):
    """AN-022, 047, 062: from the middle of iteration 1 to its end, one run is
    AdaNet's and one Ingot's; Ingot goes on through growth, and AdaNet evaluates that."""
    theirs, ours = setup.dir / "theirs", setup.dir / "ours"
    search(setup, theirs, 30, "native")
    shutil.copytree(theirs, ours)
    search(setup, theirs, 40, "native")
    train(setup, ours, 40)
    agree_in_all_variables(Bundle(theirs / "model.ckpt-40"), Bundle(ours / "model.ckpt-40"), "native")
    train(setup, ours, 70)
    assert (ours / "architecture-2.json").exists()
    expected = search(setup, ours, 70, "native")
    assert not expected["losses"], "nothing is left to train"
    agree_in_figures(evaluation(setup, ours), expected["evaluate"])


def builders_train_mixture_weights_as_in_adanet(setup):
    """AN-160, 161: in place of the ensembler's optimizer."""
    theirs, ours = setup.dir / "theirs", setup.dir / "ours"
    search(setup, theirs, 30, "native")
    shutil.copytree(theirs, ours)
    search(setup, theirs, 40, "native")
    train(setup, ours, 40, text=BY_BUILDERS)
    agree_in_all_variables(Bundle(theirs / "model.ckpt-40"), Bundle(ours / "model.ckpt-40"), "native")


def networks_share_an_adam_as_in_adanet(setup):
    """One optimizer object for all networks of simple_dnn and their mixture weights: from the middle of iteration 1 on."""
    theirs, ours = setup.dir / "theirs", setup.dir / "ours"
    search(setup, theirs, 30, "adam")
    shutil.copytree(theirs, ours)
    search(setup, theirs, 40, "adam")
    train(setup, ours, 40, text=BY_BUILDERS.replace("momentum { learning_rate: 0.05 }", 'adam { learning_rate: 0.02 } instance: "all"'))
    agree_in_all_variables(Bundle(theirs / "model.ckpt-40"), Bundle(ours / "model.ckpt-40"), "adam")


# An ensembler of the user's own, in adanet a class of Python, here the graph of its function.
GATED = SEARCH[: SEARCH.index("ensembler {")] + """ensembler {
  name: "gated"
  graph {
    file: "gated.meta" member_logits: "member" complexity: "complexity" logits_so_far: "so_far" previous_logits: "previous"
    logits: "together" penalty: "penalty"
    optimizer { momentum { learning_rate: 0.05 } }
  }
}
"""


def ensembles_of_a_users_graph_train_as_in_adanet(setup):
    """AN-168, 169: an ensembler as a graph, with a penalty and the ensemble before: iterations 0 and 1, each from its start."""
    theirs, first, second = (setup.dir / name for name in ("theirs", "first", "second"))
    search(setup, theirs, 1, "gated")
    shutil.copytree(theirs, first)
    search(setup, theirs, 15, "gated")
    train(setup, first, 15, text=GATED)
    agree_in_all_variables(Bundle(theirs / "model.ckpt-15"), Bundle(first / "model.ckpt-15"), "gated")
    search(setup, theirs, 25, "gated")
    shutil.copytree(theirs, second)
    expected = search(setup, theirs, 40, "gated")
    train(setup, second, 40, text=GATED)
    ours = Bundle(second / "model.ckpt-40")
    agree_in_all_variables(Bundle(theirs / "model.ckpt-40"), ours, "gated")
    backs = [ours.values(name)[0] for name in ours.numeric() if name.endswith("/back")]
    assert len(backs) > 3 and any(abs(value) > 1e-3 for value in backs), "the previous ensemble's logits are used"
    agree_in_figures(evaluation(setup, second), expected["evaluate"])


def adanet_goes_on_where_the_search_stopped(setup):
    """A search of Ingot's own is AdaNet's from the middle of iteration 1 on."""
    theirs, ours = setup.dir / "theirs", setup.dir / "ours"
    ours.mkdir()
    data = setup.dir / "data"
    search(setup, data, 1, "native")
    for name in ("train.csv", "evaluate.csv"):
        shutil.copy(data / name, ours)
    train(setup, ours, 30)
    shutil.copytree(ours, theirs)
    found = search(setup, theirs, 40, "native")
    assert [step for step, _ in found["losses"]] == list(range(30, 40))
    losses = setup.dir / "losses"
    train(setup, ours, 40, "--losses", losses)
    lines = harness.read_losses(losses)
    agree("iteration 1", [line["loss"] for line in lines], [loss for _, loss in found["losses"]], 1e-4, 1e-4)
    agree_in_all_variables(Bundle(theirs / "model.ckpt-40"), Bundle(ours / "model.ckpt-40"), "native")
    agree_in_figures(evaluation(setup, ours), found["evaluate"])
    # AdaNet selects, grows and trains iteration 2.
    found = search(setup, theirs, 60, "native")
    assert [step for step, _ in found["losses"]][-20:] == list(range(40, 60))
    train(setup, ours, 60)
    assert (theirs / "architecture-1.json").read_text() == (ours / "architecture-1.json").read_text()


if __name__ == "__main__":
    harness.main(globals())
