# SPDX-License-Identifier: Apache-2.0
"""Programs written in C++, without TensorFlow, compute the same as TensorFlow."""
import json
import math
import random
import subprocess
import time

import harness
from with_tensorflow import tensorflow

DATA = harness.SOURCE / "test" / "data" / "builder"


def program_of(setup, command, *arguments):
    """The output, in a file, of a program that builds a program."""
    path = setup.dir / f"{command}.mlir"
    built = setup.run(setup.ingotc.parent / command, *arguments).expect(0)
    path.write_text(built.out)
    return path


def assert_close(found, expected, where, tolerance):
    """Fails unless two nested lists have the same shape, and numbers that are near each other."""
    if isinstance(expected, list):
        assert isinstance(found, list) and len(found) == len(expected), f"{where}: {found} for {expected}"
        for index, (one, other) in enumerate(zip(found, expected)):
            assert_close(one, other, f"{where}[{index}]", tolerance)
    elif isinstance(expected, float):
        assert math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance), f"{where}: {found} for {expected}"
    else:
        assert found == expected, f"{where}: {found} for {expected}"


def figures_of(setup, sample, tolerance):
    """Compiles a sample and runs it on the feeds that TensorFlow had; its figures have to be TensorFlow's."""
    expected = json.loads((DATA / "figures.json").read_text())[sample]
    trainer = setup.dir / sample
    setup.compile(program_of(setup, "ingot-graph-samples", sample), "-o", trainer).expect(0)
    command = [trainer, "run", expected["entry"], "--times", expected["times"], "--json", "--quiet"]
    if expected["times"] > 1:
        command += ["--model-dir", setup.dir / "run"]
    for name, value in expected["feeds"].items():
        command += ["--feed", f"{name}={json.dumps(value)}"]
    found = json.loads(setup.run(*command).expect(0).out)
    missing = sorted(set(expected["figures"]) ^ set(found))
    assert not missing, f"only one side has {missing}"
    for name, value in expected["figures"].items():
        assert_close(found[name], value, name, tolerance)


def optimizers_step_as_tensorflows(setup):
    figures_of(setup, "optimizers", 2e-5)


def initial_values_have_tensorflows_bits(setup):
    figures_of(setup, "initializers", 0)


def layers_and_their_gradients_are_tensorflows(setup):
    figures_of(setup, "layers", 2e-6)


def losses_are_tensorflows(setup):
    figures_of(setup, "losses", 1e-6)


def heads_are_estimators(setup):
    """AN-188: losses, gradients and predictions of every head."""
    figures_of(setup, "heads", 1e-6)


# A graph that was exported: its losses in TensorFlow.
STEP = """
import json, sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.import_graph_def(tf.GraphDef.FromString(open(sys.argv[1], "rb").read()), name="")
with tf.Session() as session:
    session.run("init")
    session.run("local_init")
    print(json.dumps([float(session.run("loss:0")) for _ in range(int(sys.argv[2]))]))
"""


def rings(setup):
    """The example's trainer, and its graph; the losses that it has to have."""
    trainer, graph = setup.dir / "rings", setup.dir / "rings.pb"
    data = harness.SOURCE / "examples" / "graph" / "rings.csv"
    setup.run(setup.ingotc.parent / "rings", data, trainer, graph).expect(0)
    return trainer, graph, json.loads((DATA / "figures.json").read_text())["rings"]


def train(setup, trainer, folder, *flags):
    return [str(word) for word in (trainer, "--model-dir", setup.dir / folder, "--log-steps", 0, "--quiet", *flags)]


def a_graph_in_cpp_trains_as_in_tensorflow(setup):
    trainer, _, expected = rings(setup)
    losses = setup.dir / "losses"
    setup.run(*train(setup, trainer, "run", "--max-steps", len(expected), "--losses", losses)).expect(0)
    found = [line["loss"] for line in harness.read_losses(losses)]
    assert_close(found, expected, "loss", 1e-4)
    predicted = setup.run(trainer, "run", "predict", "--model-dir", setup.dir / "run", "--json", "--quiet",
                          "--feed", "x=[1,0,-3]", "--feed", "y=[0,2,0.1]").expect(0)  # fmt: skip
    assert json.loads(predicted.out) == {"ring": [0, 1, 2]}, predicted.out


def a_graph_in_cpp_trains_in_tensorflow(setup):
    _, graph, expected = rings(setup)
    done = setup.run(tensorflow(), "-c", STEP, graph, len(expected)).expect(0)
    assert_close(json.loads(done.out), expected, "loss", 1e-4)


def a_graph_in_cpp_resumes_exactly(setup):
    trainer, _, _ = rings(setup)
    flags = ("--max-steps", 20000, "--save-checkpoints-steps", 100, "--summary-steps", 0)
    start = time.monotonic()
    setup.run(*train(setup, trainer, "whole", *flags)).expect(0)
    seconds = time.monotonic() - start
    moments, kills = random.Random(3), 0
    while True:
        delay = moments.uniform(0, seconds / 4) if kills < 8 else 250
        process = subprocess.Popen(train(setup, trainer, "killed", *flags), stderr=subprocess.PIPE)
        try:
            _, err = process.communicate(timeout=delay)
            assert process.returncode == 0, err.decode(errors="replace")
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
    assert kills, "the run was never killed"
    harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / "killed", 20000)


if __name__ == "__main__":
    harness.main({name: test for name, test in globals().items() if callable(test)})
