# SPDX-License-Identifier: Apache-2.0
"""Models of PyTorch: exported, trained, killed, evaluated, and back in PyTorch.

INGOT_TORCH_PYTHON names a Python with torch, and perhaps torchvision, transformers and lion_pytorch, INGOT_TORCH_OLD_PYTHON
one with the oldest torch that is supported. Without them, graphs that test/data/torch/record.py has recorded show the
same, against the losses that it recorded of eager PyTorch.
"""
import gzip
import json
import os
import re
import subprocess

import harness
from python_door import environment, pythons, readme_runs, sections

SCRIPTS = harness.SOURCE / "test" / "data" / "torch"


def torch_python():
    """The Python that has PyTorch."""
    python = os.environ.get("INGOT_TORCH_PYTHON")
    if not python or subprocess.run([python, "-c", "import torch"], capture_output=True, check=False).returncode:
        raise harness.Skip("INGOT_TORCH_PYTHON names no Python with torch")
    return python


def the_oldest():
    """The Python that has the oldest PyTorch that the package takes."""
    python = os.environ.get("INGOT_TORCH_OLD_PYTHON")
    if not python or subprocess.run([python, "-c", "import torch"], capture_output=True, check=False).returncode:
        raise harness.Skip("INGOT_TORCH_OLD_PYTHON names no Python with torch")
    return python


def has(package):
    return not subprocess.run([torch_python(), "-c", f"import {package}"], capture_output=True, check=False).returncode


def run(setup, script, *arguments, python=None):
    done = setup.run(python or torch_python(), SCRIPTS / script, *arguments, cwd=setup.dir, env=environment(setup), timeout=580)
    assert done.code == 0 and "passed\n" in done.out, f"{script}\n{done.out}{done.err}"


def recorded(setup, name):
    """The trainer of a recorded graph."""
    graph = setup.dir / f"{name}.meta"
    graph.write_bytes(gzip.decompress((SCRIPTS / f"{name}.meta.gz").read_bytes()))
    setup.compile(graph, "-o", setup.dir / name).expect(0)
    return setup.dir / name


def recorded_models_train_as_in_torch(setup):
    """Ten losses of each, within 1e-5 of those of eager PyTorch; above 1, relative to them."""
    figures = json.loads((SCRIPTS / "losses.json").read_text())["losses"]
    assert sorted([*figures, "dropping"]) == sorted(path.name.split(".")[0] for path in SCRIPTS.glob("*.meta.gz"))
    for name, expected in figures.items():
        losses = setup.dir / f"{name}.jsonl"
        setup.run(recorded(setup, name), "--model-dir", setup.dir / f"{name}-run", "--max-steps", len(expected), "--losses", losses, "--quiet").expect(0)
        found = [line["loss"] for line in harness.read_losses(losses)]
        assert len(found) == len(expected)
        worst = max(abs(one - other) / max(1, abs(other)) for one, other in zip(found, expected))
        assert worst <= 1e-5, f"{name}: {worst}\n{found}\n{expected}"


def a_model_of_torch_that_is_killed_goes_on_bit_for_bit(setup):
    """With dropout, whose numbers depend on the step, clipping, and a schedule."""
    trainer = recorded(setup, "dropping")
    harness.killed_run_goes_on(setup, trainer)


def models_of_torch_train_as_in_eager(setup):
    run(setup, "train.py", "perceptron", "residual", "encoder", "decoder", "unet", "adapters", "mobile", "quantized", "half", "accumulated", "grouped")


def models_of_torchvision_and_transformers_train_as_in_eager(setup):
    """Whole models, of 10 to 20 million parameters."""
    have = [name for package, names in (("torchvision", ["resnet18"]), ("transformers", ["bert_small", "gpt2_small"])) if has(package) for name in names]
    if not have:
        raise harness.Skip("INGOT_TORCH_PYTHON has neither torchvision nor transformers")
    run(setup, "train.py", *have)


def a_large_model_of_torch_takes_little_time_and_memory(setup):
    run(setup, "large.py")


def recurrent_models_of_torch_train_as_in_eager(setup):
    run(setup, "train.py", "lstm", "long", "gru", "both_directions")


def loaders_of_torch_become_files_that_train_alike(setup):
    run(setup, "materialize.py")


def optimizers_of_torch_train_as_in_eager(setup):
    run(setup, "train.py", "sgd", "sgd_all", "sgd_nesterov", "adam", "adam_all", "adamw", "nadam", "radam", "radam_late", "adamax", "adagrad", "rmsprop",
        "rmsprop_plain", "adadelta", *(["lion"] if has("lion_pytorch") else []))  # fmt: skip


def the_oldest_torch_is_taken(setup):
    """The models but one: its traces give the last cells of an LSTM another shape than it has."""
    python = the_oldest()
    run(setup, "train.py", "perceptron", "residual", "encoder", "decoder", "unet", "adapters", "mobile", "quantized", "half", "accumulated", "lstm", "gru",
        "both_directions", "sgd_all", "adam_all", "adamw", "nadam", "radam", "adamax", "adagrad", "rmsprop", "adadelta", python=python)  # fmt: skip
    run(setup, "returns.py", python=python)
    named(setup, python)


def named(setup, python):
    """The page names the version that is tested."""
    text = (harness.SOURCE / "docs" / "guide" / "from-pytorch.md").read_text(encoding="utf-8")
    version = setup.run(python, "-c", "import torch; print(torch.__version__.split('+')[0])").expect(0).out.strip()
    tested = re.search(rf"Tested with PyTorch [^:]*\b{re.escape(version)}\b", text)
    assert tested, f"docs/guide/from-pytorch.md does not name PyTorch {version}, under which it is tested"


def arithmetic_of_aten_computes_what_torch_does(setup):
    run(setup, "operators.py", "elementwise", "integers", "types", "reductions")


def ops_of_aten_on_shapes_and_indices_compute_what_torch_does(setup):
    run(setup, "operators.py", "shapes", "indexing", "products")


def layers_of_aten_compute_what_torch_does(setup):
    run(setup, "operators.py", "convolutions", "pooling", "normalization")


def gradients_of_aten_are_what_torch_computes(setup):
    run(setup, "operators.py", "gradients-elementwise-shapes-reductions-products", "gradients-convolutions-pooling-normalization-indexing")


def what_torch_has_and_a_trainer_has_not_is_refused_at_its_line(setup):
    run(setup, "refusals.py")


def the_trainer_of_a_torch_model_evaluates_predicts_and_comes_back(setup):
    run(setup, "returns.py")


def what_readme_shows_of_torch_runs(setup):
    readme_runs(setup, "torch", torch_python())


def what_the_page_on_torch_shows_runs(setup):
    """Every block of docs/guide/from-pytorch.md: a section's lines of Python are one script."""
    for number, (title, blocks) in enumerate(sections("from-pytorch.md")):
        folder = setup.dir / str(number)
        folder.mkdir()
        (folder / "script.py").write_text("".join(text for language, text in blocks if language == "python"), encoding="utf-8")
        shell = "set -e\n" + "".join(text for language, text in blocks if language == "sh")
        for command in ([torch_python(), "script.py"], ["bash", "-c", shell]):
            done = setup.run(*command, cwd=folder, env=environment(setup), timeout=280)
            assert done.code == 0, f"{title}: {command[0]}\n{done.out}{done.err}"
    named(setup, torch_python())


TENSORFLOW = """
import json, sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
meta = tf.MetaGraphDef.FromString(open(sys.argv[1], "rb").read())
saver = tf.train.import_meta_graph(meta)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(tf.get_collection("table_initializer"))
    losses = [float(session.run(["loss:0", tf.get_collection("train_op")[0]])[0]) for _ in range(10)]
    saver.save(session, "./saved")
print(json.dumps(losses))
"""


def graphs_of_torch_run_in_tensorflow(setup):
    """A wrong mapping is told from a wrong compiler: TensorFlow itself trains the recorded graphs."""
    figures = json.loads((SCRIPTS / "losses.json").read_text())["losses"]
    for name in ("residual", "encoder", "lstm"):
        graph = setup.dir / f"{name}.meta"
        graph.write_bytes(gzip.decompress((SCRIPTS / f"{name}.meta.gz").read_bytes()))
        done = setup.run(pythons()[0], "-c", TENSORFLOW, graph, cwd=setup.dir, env=environment(setup))
        assert done.code == 0, done.out + done.err
        found = json.loads(done.out.splitlines()[-1])
        assert max(abs(one - other) / max(1, abs(other)) for one, other in zip(found, figures[name])) <= 1e-5, (name, found)


if __name__ == "__main__":
    harness.main(globals())
