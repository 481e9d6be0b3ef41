# SPDX-License-Identifier: Apache-2.0
"""Searches that are programs, against figures computed by hand, and against themselves."""
import json
import math
import re
import shutil

import harness
from bundle import Bundle
from with_tensorflow import tensorflow

ENSEMBLE = "adanet/iteration_0/ensemble_t0_all_complexity_regularized/weighted_subnetwork_{}/logits/mixture_weight"
AVERAGE = "adanet/iteration_0/candidate_t0_all_complexity_regularized/adanet_loss"


def worked_example(setup, *flags):
    """The weights and the average of the AdaNet loss after each of two steps."""
    trainer, run = setup.dir / "trainer", setup.dir / "run"
    setup.run(setup.ingotc.parent / "ingot-worked-example", *flags, "-o", trainer, "--iteration", 0).expect(0)
    states = []
    for steps in (1, 2):
        # In the middle of an iteration, a checkpoint of AdaNet's has a step more than its name says.
        run = setup.dir / f"run-{steps}"
        train = (trainer, "--model-dir", run, "--max-iteration-steps", steps, "--max-steps", steps, "--log-steps", 0)
        setup.run(*train, "--losses", setup.dir / "losses").expect(0)
        bundle = Bundle(run / f"model.ckpt-{steps}")
        states.append([bundle.values(name)[0] for name in (ENSEMBLE.format(0), ENSEMBLE.format(1), AVERAGE)])
    return [line["loss"] for line in harness.read_losses(setup.dir / "losses")], states


def near(found, expected):
    """Whether a float32 equals the value computed by hand, up to its rounding."""
    assert math.isclose(found, expected, rel_tol=1e-6), f"{found} for {expected}"


# By hand: the members' logits are (1, 0), (0, 2) and (2, 1), (1, 0), the labels 0 and 1; lambda .1, beta .01, complexities
# 1 and sqrt 2; both weights begin at .5, and go down on the loss and the penalty at a rate of .1. The moving average of
# decay .9 is corrected for its beginning.
# AN-129, 130, 149, 151, 156, 158, 162: the penalty counts once, weights start at
# one half, and losses and averages are those of the checklist's example.
def the_objective_is_the_one_computed_by_hand(setup):
    losses, states = worked_example(setup)
    near(losses[0], 0.3936693358)
    near(losses[1], 0.3725815920)
    for found, expected in zip(states[0], (0.5402011379, 0.4794279020, 0.5243800140)):
        near(found, expected)
    near(states[1][2], 0.5139691331)


# As where AdaNet's ensembler has the optimizer (AN-159).
def the_penalty_counts_twice_on_request(setup):
    losses, states = worked_example(setup, "--penalty-twice")
    near(losses[0], 0.3936693358)
    for found, expected in zip(states[0], (0.5292011379, 0.4642857664, 0.5243800140)):
        near(found, expected)


def search(setup, folder, *flags):
    """The example's search, from the folder that its data is named from."""
    bin_dir = setup.ingotc.parent
    command = (bin_dir / "ingot-adanet", "train", bin_dir / "residual", "--model-dir", setup.dir / folder, *flags)
    return setup.run(*command, cwd=harness.SOURCE)


def a_search_in_cpp_grows_an_ensemble(setup):
    """AN-178: members that are built on earlier members' last layers."""
    search(setup, "run").expect(0)
    architecture = json.loads((setup.dir / "run" / "architecture-1.json").read_text())
    assert [member["iteration_number"] for member in architecture["subnetworks"]] == [0, 1], architecture
    done = setup.run(setup.ingotc.parent / "ingot-adanet", "evaluate", "--model-dir", setup.dir / "run", "--json").expect(0)
    figures = json.loads(done.out)["metrics"]
    assert figures["accuracy"] > 0.9, figures
    # A member sees the last layers of those before it.
    bundle = Bundle(setup.dir / "run" / "model.ckpt-300")
    seen = len(bundle.values("adanet/iteration_2/subnetwork_t2_residual_4/dense/kernel")) / 4
    widths = {"residual_4": 4, "residual_8": 8}
    assert seen == 2 + sum(widths[member["builder_name"]] for member in architecture["subnetworks"]), seen


def a_search_in_cpp_is_the_same_on_any_number_of_threads(setup):
    for threads in (1, 3):
        search(setup, f"run-{threads}", "--threads", threads).expect(0)
    for name in ("architecture-0.json", "architecture-1.json"):
        one, other = (setup.dir / f"run-{threads}" / name for threads in (1, 3))
        assert one.read_bytes() == other.read_bytes(), name
    harness.assert_same_checkpoint(setup.dir / "run-1", setup.dir / "run-3", 300)


def a_search_in_cpp_says_what_is_wrong_with_its_flags(setup):
    residual = setup.ingotc.parent / "residual"
    setup.run(residual).expect(2, "no output file")
    setup.run(residual, "--frobnicate").expect(2, "--frobnicate")
    setup.run(residual, "-o", setup.dir / "x", "--iteration", "-3").expect(2, "--iteration", "-3")
    setup.run(residual, "-o", setup.dir / "x", "--cpu", "pdp11", cwd=harness.SOURCE).expect(2, "pdp11")
    # It reads the header of its data.
    setup.run(residual, "-o", setup.dir / "x", cwd=setup.dir).expect(2, "examples/graph/rings.csv")


# Three points, one on each ring.
POINTS = {"x": [1, 0, -3], "y": [0, 2, 0.1]}

# A SavedModel's predictions of these, as TensorFlow serves it.
SERVE = """
import json, sys
import tensorflow as tf
predict = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
values = predict(**{name: tf.constant(value, tf.float32) for name, value in json.loads(sys.argv[2]).items()})
print(json.dumps({name: tf.strings.as_string(value).numpy().astype(str).tolist() if value.dtype == tf.string
                  else value.numpy().tolist() for name, value in values.items()}))
"""


def export(setup, *flags):
    """Exports the ensemble of the example's search."""
    bin_dir = setup.ingotc.parent
    command = (bin_dir / "ingot-adanet", "export", bin_dir / "residual", "--model-dir", setup.dir / "run", *flags)
    return setup.run(*command, cwd=harness.SOURCE)


def predictions(setup, program, *flags):
    feeds = [word for name, value in POINTS.items() for word in ("--feed", f"{name}={json.dumps(value)}")]
    return json.loads(setup.run(program, "run", "predict", *feeds, "--json", "--quiet", *flags).expect(0).out)


# AN-224.
def an_exported_ensemble_predicts_by_itself(setup):
    search(setup, "run").expect(0)
    predictor = setup.dir / "predictor"
    export(setup, "-o", predictor).expect(0, "t0_residual", "t1_residual", "t2_residual")
    expected = predictions(setup, setup.dir / "run" / "trainers" / "iteration-2", "--model-dir", setup.dir / "run")
    assert predictions(setup, predictor) == expected, expected
    rows = "x,y\n" + "".join(f"{x},{y}\n" for x, y in zip(*POINTS.values()))
    (setup.dir / "rows.csv").write_text(rows)
    done = setup.run(predictor, "predict", "--input", setup.dir / "rows.csv", "--output", "-").expect(0)
    assert [line.split(",")[-1] for line in done.out.splitlines()[1:]] == ["0", "1", "2"], done.out
    # Nodes that the ensemble does not need are left out.
    names = setup.run(predictor, "info").expect(0).out
    assert "Adam" not in names and "global_step" not in names, names


PREDICT_IN_C = """#include "model.h"
#include <stdio.h>
int main(void) {
  const float x[] = {1, 0, -3}, y[] = {0, 2, 0.1f};
  ingot_trainer *model;
  ingot_trainer_tensor classes;
  char message[512];
  if (model_open(NULL, &model, message, sizeof(message)))
    return puts(message), 1;
  ingot_trainer_tensor feeds[2] = {{"x", INGOT_TRAINER_FLOAT, 1, NULL, x, sizeof(x)}, {"y", INGOT_TRAINER_FLOAT, 1, NULL, y, sizeof(y)}};
  const int64_t rows = 3;
  feeds[0].dims = feeds[1].dims = &rows;
  if (ingot_trainer_run(model, "predict", feeds, 2) || ingot_trainer_fetch(model, "class_ids", &classes))
    return puts(ingot_trainer_error(model)), 1;
  for (uint64_t i = 0; i < classes.size / sizeof(int64_t); ++i)
    printf("%d ", (int)((const int64_t *)classes.data)[i]);
  ingot_trainer_close(model);
  return 0;
}
"""


def an_exported_ensemble_is_a_library_for_c(setup):
    if not shutil.which("cc"):
        raise harness.Skip("there is no cc")
    search(setup, "run").expect(0)
    library = setup.dir / "libmodel.a"
    export(setup, "-o", library, "--emit=lib").expect(0, "t2_residual")
    assert "model_predict(ingot_trainer *trainer" in (setup.dir / "model.h").read_text()
    (setup.dir / "main.c").write_text(PREDICT_IN_C)
    setup.run("cc", "-std=c99", "-Wall", "-Werror", "-I", setup.dir, "-I", harness.SOURCE / "include", setup.dir / "main.c", library,
              "-lm", "-o", setup.dir / "main").expect(0)  # fmt: skip
    assert setup.run(setup.dir / "main").expect(0).out.split() == ["0", "1", "2"]
    export(setup, "-o", setup.dir / "net.so", "--emit=shared", "--name", "other").expect(0)
    assert "other_predict(" in (setup.dir / "other.h").read_text()
    export(setup, "--saved-model", setup.dir / "served", "--emit=lib").expect(2, "--emit needs -o FILE")
    export(setup, "-o", setup.dir / "x", "--emit=mlir").expect(2, "expected exe, lib or shared")


def an_exported_ensemble_is_served_by_tensorflow(setup):
    python = tensorflow()
    search(setup, "run").expect(0)
    export(setup, "--saved-model", setup.dir / "saved").expect(0)
    served = json.loads(setup.run(python, "-c", SERVE, setup.dir / "saved", json.dumps(POINTS)).expect(0).out)
    expected = predictions(setup, setup.dir / "run" / "trainers" / "iteration-2", "--model-dir", setup.dir / "run")
    assert sorted(served) == sorted(expected), served
    for name, value in expected.items():
        for row, other in zip(served[name], value):
            for one, two in zip(row, other):
                assert one == two or math.isclose(one, two, rel_tol=1e-5, abs_tol=1e-7), (name, one, two)


NET = """
ingot.variable @kernel : tensor<2x3xf32> {trainable}
ingot.entry @init role(init) feeds [] fetches [] variables [] updates [] {
  %0 = ingot.constant dense<[[1.0, 0.5, -1.0], [0.25, 0.5, 1.0]]> : tensor<2x3xf32>
  ingot.assign @kernel, %0 : tensor<2x3xf32>
  ingot.return
}
ingot.entry @net role(predict) feeds ["points"] fetches ["logits", "squares"] variables [] updates [] {
^bb0(%x: tensor<?x2xf32>):
  %w = ingot.read @kernel : tensor<2x3xf32>
  %s = ingot.square %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %l = ingot.matmul %s, %w : (tensor<?x2xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  ingot.return %l, %s : tensor<?x3xf32>, tensor<?x2xf32>
}
"""

GRAPHS = """
max_iterations: 1
max_iteration_steps: 60
train {{ csv {{ file: "{data}" header: true }} shuffle {{ buffer: 300 }} batch: 32 }}
feature {{ name: "point" column: "x" column: "y" numeric {{}} }}
head {{ multi_class {{ classes: 3 }} label: "ring" }}
generator {{
  graph {{ file: "net.mlir" name: "net" features: "points:0={feature}" logits: "{logits}" last_layer: "squares" }}
  optimizer {{ adam {{ learning_rate: 0.1 }} }}
}}
generator {{
  graph {{ file: "frozen" name: "frozen" features: "points=point" logits: "logits:0" {more} }}
  optimizer {{ sgd {{ learning_rate: 0.1 }} }}
}}
"""


def write_graphs(setup, feature="point", logits="logits", more=""):
    """A program and a SavedModel of it, whose weights are constants, as members of a search."""
    (setup.dir / "net.mlir").write_text(NET)
    translate = setup.ingotc.parent / "ingot-translate"
    setup.run(translate, "--export-saved-model", setup.dir / "net.mlir", "-o", setup.dir / "frozen").expect(0)
    data = harness.SOURCE / "examples" / "graph" / "rings.csv"
    path = setup.dir / "search.pbtxt"
    path.write_text(GRAPHS.format(data=data, feature=feature, logits=logits, more=more))
    return path


# AN-229.
def graphs_of_the_users_own_are_members(setup):
    """AN-236."""
    path = write_graphs(setup)
    train = (setup.ingotc.parent / "ingot-adanet", "train", path, "--model-dir", setup.dir / "run")
    setup.run(*train).expect(0)
    bundle = Bundle(setup.dir / "run" / "model.ckpt-60")
    names = [name for name in bundle.entries if "/subnetwork_" in name]
    # Of a frozen graph nothing is trained, and there is nothing to save.
    assert [name for name in names if "t0_frozen" in name] == ["adanet/iteration_0/subnetwork_t0_frozen/step"], names
    kernel = bundle.values("adanet/iteration_0/subnetwork_t0_net/kernel")
    before = (1, 0.5, -1, 0.25, 0.5, 1)
    assert len(kernel) == 6 and all(0.01 < abs(one - other) < 6 for one, other in zip(kernel, before)), kernel


# A GraphDef, which has no collection that says what is trainable, with a random initial value.
BARE = """
node {{ name: "x" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
  attr {{ key: "shape" value {{ shape {{ dim {{ size: -1 }} dim {{ size: 2 }} }} }} }} }}
node {{ name: "w" op: "VarHandleOp" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} attr {{ key: "shared_name" value {{ s: "w" }} }}
  attr {{ key: "shape" value {{ shape {{ dim {{ size: 2 }} dim {{ size: 3 }} }} }} }} }}
node {{ name: "w/size" op: "Const" attr {{ key: "dtype" value {{ type: DT_INT32 }} }}
  attr {{ key: "value" value {{ tensor {{ dtype: DT_INT32 tensor_shape {{ dim {{ size: 2 }} }} int_val: 2 int_val: 3 }} }} }} }}
node {{ name: "w/draw" op: "TruncatedNormal" input: "w/size" attr {{ key: "T" value {{ type: DT_INT32 }} }}
  attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} attr {{ key: "seed" value {{ i: 3 }} }} attr {{ key: "seed2" value {{ i: 4 }} }} }}
node {{ name: "w/Assign" op: "AssignVariableOp" input: "w" input: "w/draw" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} }}
node {{ name: "w/Read" op: "ReadVariableOp" input: "w" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} }}
node {{ name: "logits" op: "MatMul" input: "x" input: "w/Read" attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}
versions {{ producer: 1395 }}
"""

BARE_SEARCH = """
max_iterations: 2
max_iteration_steps: 3
seed: {seed}
train {{ csv {{ file: "{data}" header: true }} batch: 4 }}
feature {{ name: "point" column: "x" column: "y" numeric {{}} }}
head {{ multi_class {{ classes: 3 }} label: "ring" }}
generator {{
  graph {{ file: "bare.pbtxt" name: "net" features: "x=point" logits: "logits" }}
  optimizer {{ sgd {{ learning_rate: 0.1 }} }}
}}
force_grow: true
restart_input: {restart}
"""


def train_bare_graph(setup, name, seed=0, restart="false"):
    """Trains two iterations of a bare graph's copies, and returns the folder."""
    (setup.dir / "bare.pbtxt").write_text(BARE.format())
    data = harness.SOURCE / "examples" / "graph" / "rings.csv"
    path = setup.dir / f"{name}.pbtxt"
    path.write_text(BARE_SEARCH.format(data=data, seed=seed, restart=restart))
    tool = setup.ingotc.parent / "ingot-adanet"
    flags = ("--model-dir", setup.dir / name, "--save-checkpoints-steps", 1, "--keep-checkpoint-max", 0)
    setup.run(tool, "train", path, *flags).expect(0)
    return setup.dir / name


def members_of_a_bare_graph_are_trained_and_differ(setup):
    """Its variables are trainable where no collection says which are; no member is another one's copy."""
    weights = "adanet/iteration_{0}/subnetwork_t{0}_net/w"
    runs = [train_bare_graph(setup, f"run{seed}", seed) for seed in (1, 2)]
    first = [Bundle(run / "model.ckpt-0").values(weights.format(0)) for run in runs]
    second = [Bundle(run / "increment.ckpt-1").values(weights.format(1)) for run in runs]
    initial = [*first, *second]
    assert all(a != b for i, a in enumerate(initial) for b in initial[:i]), initial
    for run, before in zip(runs, first):
        after = Bundle(run / "model.ckpt-3").values(weights.format(0))
        assert all(a != b for a, b in zip(after, before)), (before, after)
    again = train_bare_graph(setup, "again", 1)
    assert (again / "model.ckpt-6.data-00000-of-00001").read_bytes() == (runs[0] / "model.ckpt-6.data-00000-of-00001").read_bytes()


def an_iteration_restarts_its_input_where_the_search_says_so(setup):
    def records(name, restart):
        """How many records the input has read when checkpoints were saved; an increment of a restarted one has no state."""
        folder, tool = train_bare_graph(setup, name, restart=restart), setup.ingotc.parent / "ingot-ckpt"
        shown = [setup.run(tool, "iterator", folder / f"model.ckpt-{step}").expect(0).out for step in (1, 3, 4)]
        return [int(re.search(r"iterator 'input'.*?record (\d+)", text, re.DOTALL)[1]) for text in shown]

    first, third, fourth = records("restarted", "true")
    assert first == fourth < third, (first, third, fourth)
    first, third, fourth = records("continued", "false")
    assert first < third < fourth, (first, third, fourth)


def graphs_that_do_not_fit_a_search_are_refused(setup):
    def refused(*words, **parts):
        done = setup.compile(write_graphs(setup, **parts), "--emit=mlir").expect(2, *words)
        lines = done.err.splitlines()
        assert len(lines) == len(set(lines)), done.err

    refused("net.mlir", "the search has no feature 'dots' to feed to tensor 'points:0': in `features: \"TENSOR=FEATURE\"`, name a feature", feature="dots")
    refused("net.mlir", "has no entry that fetches 'scores'", logits="scores")
    path = write_graphs(setup)
    (setup.dir / "net.mlir").write_text(NET.replace("?x2xf32", "?x4xf32").replace("2x3xf32", "4x3xf32").replace("dense<[[1.0, 0.5, -1.0], [0.25, 0.5, 1.0]]>", "dense<1.0>"))
    setup.compile(path, "--emit=mlir").expect(2, "'points:0' has type tensor<?x4xf32>, but the tensor fed to it has type tensor<?x2xf32>")
    (setup.dir / "net.mlir").unlink()
    setup.compile(path, "--emit=mlir").expect(2, "net.mlir", "No such file")


BINARY = """
max_iterations: 1
max_iteration_steps: 40
train { csv { file: "sides.csv" header: true } batch: 8 }
feature { name: "point" column: "x" column: "y" numeric {} }
head { binary {} label: "side" }
generator { linear {} optimizer { sgd { learning_rate: 0.5 } } }
ensembler { mean {} }
"""

# What is served, from serialized examples and from columns; methods tell which calls.
SIGNATURES = """
import json, sys
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2
model = saved_model_pb2.SavedModel()
model.ParseFromString(open(sys.argv[1] + "/saved_model.pb", "rb").read())
methods = {name: signature.method_name for name, signature in model.meta_graphs[0].signature_def.items()}
signatures = tf.saved_model.load(sys.argv[1]).signatures
points = json.loads(sys.argv[2])
feature = lambda value: tf.train.Feature(float_list=tf.train.FloatList(value=[value]))
examples = [tf.train.Example(features=tf.train.Features(feature={"x": feature(x), "y": feature(y)})).SerializeToString()
            for x, y in zip(points["x"], points["y"])]
columns = {name: tf.constant(value, tf.float32) for name, value in points.items()}
values = {}
for name, signature in signatures.items():
    given = {"inputs": tf.constant(examples)} if "inputs" in signature.structured_input_signature[1] else columns
    values[name] = {key: value.numpy().astype("U" if value.dtype == tf.string else "f8").tolist()
                    for key, value in signature(**given).items()}
print(json.dumps({"methods": methods, "values": values}))
"""


def export_binary(setup, *flags):
    """Exports a search of two sides of a line, with one remaining network."""
    (setup.dir / "sides.csv").write_text("x,y,side\n" + "".join(
        f"{i % 7 - 3},{i % 5 - 2},{int(i % 7 - 3 > i % 5 - 2)}\n" for i in range(70)))
    (setup.dir / "binary.pbtxt").write_text(BINARY)
    tool = setup.ingotc.parent / "ingot-adanet"
    run = (setup.dir / "binary.pbtxt", "--model-dir", setup.dir / "run")
    setup.run(tool, "train", *run).expect(0)
    setup.run(tool, "export", *run, *flags).expect(0)


# AN-223.
def members_of_an_exported_ensemble_answer_for_themselves(setup):
    export_binary(setup, "-o", setup.dir / "predictor")
    program = setup.dir / "members"
    setup.compile(setup.dir / "binary.pbtxt", "--predictor", "--model-dir", setup.dir / "run",
                  "--signatures=head,last_layer,logits", "-o", program).expect(0)
    feeds = [word for name, value in POINTS.items() for word in ("--feed", f"{name}={json.dumps(value)}")]

    def ask(entry):
        return json.loads(setup.run(program, "run", entry, *feeds, "--json", "--quiet").expect(0).out)

    # The mean of one network is that network; what a linear one sees last is what it is given.
    assert list(ask("subnetwork_logits").values()) == [ask("predict")["logits"]]
    (name, seen), = ask("subnetwork_last_layer").items()
    assert name == "subnetwork_last_layer/linear", name
    given = [list(point) for point in zip(POINTS["x"], POINTS["y"])]
    assert [[round(number, 6) for number in row] for row in seen] == given, seen
    # A program by itself has them only where they are asked for.
    entries = setup.run(setup.dir / "predictor", "info").expect(0).out
    assert "predict" in entries, entries
    assert not any(name in entries for name in ("subnetwork_last_layer", "subnetwork_logits", "classification")), entries
    setup.compile(setup.dir / "binary.pbtxt", "--predictor", "--model-dir", setup.dir / "run",
                  "--signatures=heads", "--emit=mlir").expect(2, "--signatures")


# AN-223.
def an_exported_ensemble_answers_as_estimators_do(setup):
    python = tensorflow()
    export_binary(setup, "--saved-model", setup.dir / "saved", "--subnetwork-logits")
    served = json.loads(setup.run(python, "-c", SIGNATURES, setup.dir / "saved", json.dumps(POINTS)).expect(0).out)
    assert served["methods"] == {
        "serving_default": "tensorflow/serving/predict", "predict": "tensorflow/serving/predict",
        "classification": "tensorflow/serving/classify", "regression": "tensorflow/serving/regress",
        "subnetwork_last_layer": "tensorflow/serving/predict", "subnetwork_logits": "tensorflow/serving/predict",
    }, served["methods"]  # fmt: skip
    values = served["values"]
    expected = values["predict"]
    assert values["serving_default"] == expected
    assert values["classification"] == {
        "scores": expected["probabilities"], "classes": [["0", "1"]] * len(POINTS["x"])}, values
    assert values["regression"] == {"outputs": expected["logistic"]}, values
    assert values["subnetwork_logits"] == {"linear": expected["logits"]}, values
    assert list(values["subnetwork_last_layer"]) == ["linear"], values
    tool = setup.ingotc.parent / "ingot-adanet"
    setup.run(tool, "export", setup.dir / "binary.pbtxt", "--model-dir", setup.dir / "run", "--saved-model",
              setup.dir / "less", "--no-subnetwork-last-layer").expect(0)
    less = json.loads(setup.run(python, "-c", SIGNATURES, setup.dir / "less", json.dumps(POINTS)).expect(0).out)
    assert not any(name.startswith("subnetwork_") for name in less["methods"]), less["methods"]


def a_pool_is_offered_in_each_iteration(setup):
    """AN-234: members of one graph in two iterations share nothing: the later one starts with
    the graph's own values, and the earlier one stays as it is."""
    path = write_graphs(setup)
    path.write_text(path.read_text().replace("max_iterations: 1", "max_iterations: 2\nforce_grow: true"))
    folder = setup.dir / "run"
    train = (setup.ingotc.parent / "ingot-adanet", "train", path, "--model-dir", folder, "--keep-checkpoint-max", 0)
    setup.run(*train).expect(0)
    name = "adanet/iteration_{0}/subnetwork_t{0}_net/kernel"
    first = Bundle(folder / "model.ckpt-60").values(name.format(0))
    grown = Bundle(folder / "increment.ckpt-1")
    assert tuple(grown.values(name.format(1))) == (1, 0.5, -1, 0.25, 0.5, 1)
    done = Bundle(folder / "model.ckpt-120")
    architecture = json.loads((folder / "architecture-0.json").read_text())
    if "net" in [member["builder_name"] for member in architecture["subnetworks"]]:
        assert done.values(name.format(0)) == first
    assert done.values(name.format(1)) != grown.values(name.format(1))


def bagging_trains_on_data_of_its_own(setup):
    """AN-233: a member with an input of its own learns what is there, and stops alone where
    that ends; what it has learnt is measured on the search's data."""
    rows = (harness.SOURCE / "examples" / "graph" / "rings.csv").read_text().splitlines()
    column = rows[0].split(",").index("ring")
    header, rows = rows[0], [row.split(",") for row in rows[1:]]
    # There all rings are the first.
    for row in rows:
        row[column] = "0"
    (setup.dir / "own.csv").write_text("\n".join([header, *map(",".join, rows)]) + "\n")

    def kernel(more, steps=60):
        path = write_graphs(setup)
        text = path.read_text().replace('last_layer: "squares" }', f'last_layer: "squares" {more} }}')
        path.write_text(text)
        folder = setup.dir / f"run{len(list(setup.dir.glob('run*')))}"
        done = setup.run(setup.ingotc.parent / "ingot-adanet", "train", path, "--model-dir", folder, "--max-iteration-steps", steps).expect(0)
        values = Bundle(folder / f"model.ckpt-{newest(folder)}").values("adanet/iteration_0/subnetwork_t0_net/kernel")
        return values, done.out, folder

    def newest(folder):
        return int((folder / "checkpoint").read_text().split('"')[1].rsplit("-", 1)[1])

    plain, _, _ = kernel("")
    same, _, _ = kernel(f'input {{ csv {{ file: "{harness.SOURCE}/examples/graph/rings.csv" header: true }} shuffle {{ buffer: 300 }} batch: 32 }}')
    assert same == plain, "the same data"
    own = 'input { csv { file: "own.csv" header: true } batch: 32 '
    other, _, _ = kernel(own + "}")
    # Of either feature the first ring's weight has gained on the others', which the search's data does not have it do.
    starts = (1, 0.5, -1, 0.25, 0.5, 1)
    for row in (0, 3):
        gains = [other[row + k] - starts[row + k] for k in range(3)]
        assert gains[0] > 0.1 and gains[1] < 0 and gains[2] < 0, (gains, other)
    short, out, folder = kernel(own + "epochs: 1 take: 64 }")
    assert "'t0_net' is done: its input has ended" in out, out
    marker = (folder / "train_manager" / "t0" / "t0_net.json").read_text()
    assert "OutOfRange" in marker, marker
    # A file of data that is not there is said.
    path = write_graphs(setup)
    path.write_text(path.read_text().replace('last_layer: "squares" }', 'last_layer: "squares" input { batch: 0 } }'))
    setup.compile(path, "--emit=mlir").expect(2, "batch must be positive")


# AN-221.
def nothing_is_exported_of_no_checkpoint(setup):
    (setup.dir / "run").mkdir()
    export(setup, "-o", setup.dir / "predictor").expect(2, "run")
    assert not (setup.dir / "predictor").exists()
    export(setup).expect(2, "no output: give -o FILE")


if __name__ == "__main__":
    harness.main({name: test for name, test in globals().items() if callable(test)})
