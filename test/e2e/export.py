# SPDX-License-Identifier: Apache-2.0
"""Graphs that were imported and exported again train in TensorFlow as the original ones do."""
import json
import os
import re

import harness
from with_tensorflow import tensorflow

# Both graphs from the same checkpoint, in the folder that holds their data.
TRAIN = """
import sys
import numpy
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
before, after, checkpoint, steps = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
meta = tf.MetaGraphDef.FromString(open(before, "rb").read())
graph = tf.GraphDef.FromString(open(after, "rb").read())


def names(collection):
    return list(meta.collection_def[collection].node_list.value)


loss = sys.argv[5]
saver = meta.saver_def


def train(definition, restore, out):
    with tf.Graph().as_default():
        tf.import_graph_def(definition, name="")
        with tf.Session() as session:
            for name in names("init_op") + names("local_init_op"):
                session.run(name)
            session.run(restore, {saver.filename_tensor_name: checkpoint})
            values = []
            for _ in range(steps):
                values.append(session.run([loss] + names("train_op"))[0])
            save = "save/control_dependency" if definition is graph else saver.save_tensor_name
            session.run(save, {saver.filename_tensor_name: out})
    return numpy.array(values)


expected = train(meta.graph_def, saver.restore_op_name, sys.argv[6] + "/before")
found = train(graph, "save/restore_all", sys.argv[6] + "/after")
numpy.testing.assert_allclose(found, expected, rtol=1e-6)
one, other = (tf.train.load_checkpoint(sys.argv[6] + "/" + name) for name in ("before", "after"))
types = one.get_variable_to_dtype_map()
assert types == other.get_variable_to_dtype_map()
for name, dtype in types.items():
    if dtype != tf.variant:
        numpy.testing.assert_allclose(other.get_tensor(name), one.get_tensor(name), rtol=1e-5, atol=1e-7)
print(f"{steps} steps and {len(types)} tensors agree")
"""


# The exported graph alone, from the first checkpoint; prints its losses.
STEP = """
import json, sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
definition, checkpoint, filename, loss = sys.argv[1:5]
entries, steps = json.loads(sys.argv[5]), int(sys.argv[6])
graph = tf.GraphDef.FromString(open(definition, "rb").read())
tf.import_graph_def(graph, name="")
with tf.Session() as session:
    for role in ("init", "local_init"):
        for name in entries.get(role, []):
            session.run(name)
    for node in graph.node:
        if node.op == "MakeIterator" and node.name not in entries.get("local_init", []):
            session.run(node.name)
    session.run("save/restore_all", {filename: checkpoint})
    losses = [float(session.run([loss] + entries["step"])[0]) for _ in range(steps)]
print(json.dumps(losses))
"""


def entries_of(program):
    """The nodes that run each entry: its targets, or if it has none a node of its name."""
    found = re.findall(r"ingot.entry @(\w+) role\((\w+)\)(?:.*ingot.targets = \[(.*?)\])?", program)
    return {role: re.findall(r'"([^"]*)"', names) or [entry] for entry, role, names in found}


def exported_models_train_as_tensorflow_trained_them(setup):
    """All models of test/data/models; dropout draws from seeds that the graph carries."""
    python = tensorflow()
    translate = setup.ingotc.parent / "ingot-translate"
    for data in sorted((harness.SOURCE / "test" / "data" / "models").glob("*/")):
        expect = json.loads((data / "expect.json").read_text())
        program, graph = setup.dir / f"{data.name}.mlir", setup.dir / f"{data.name}.pb"
        loss = expect["loss_tensor"]
        setup.run(translate, "--import-metagraph", data / "train.meta", "--locations", f"--observe={loss}",
                  *expect["flags"], "-o", program).expect(0)  # fmt: skip
        setup.run(translate, "--export-graphdef", program, "-o", graph).expect(0)
        text = program.read_text()
        filename = re.search(r'role\(restore\) feeds \["([^"]*)"\]', text).group(1)
        steps = min(len(expect["loss"]), 10)
        done = setup.run(python, "-c", STEP, graph, "model.ckpt-0", filename, loss, json.dumps(entries_of(text)), steps,
                         cwd=data, env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="",
                                            TF_ENABLE_ONEDNN_OPTS="0")).expect(0)  # fmt: skip
        found = json.loads(done.out.splitlines()[-1])
        for step, (x, y) in enumerate(zip(found, expect["loss"])):
            assert abs(x - y) <= 1e-5 * abs(y), f"{data.name}, step {step}: found {x}, expected {y}"
        print(f"{data.name}: {steps} losses agree")


def trains_as_the_original(setup, run, steps):
    python = tensorflow()
    data = harness.SOURCE / "test" / "data" / run
    translate = setup.ingotc.parent / "ingot-translate"
    program, graph = setup.dir / "program.mlir", setup.dir / "graph.pb"
    setup.run(translate, "--import-metagraph", data / "train.meta", "--locations", "-o", program).expect(0)
    setup.run(translate, "--export-graphdef", program, "-o", graph).expect(0)
    text = program.read_text()
    loss = text.split('#ingot.program<loss = "')[1].split('"')[0]
    setup.run(python, "-c", TRAIN, data / "train.meta", graph, "model.ckpt-0", steps, loss, setup.dir,
              cwd=data, env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="",
                                 TF_ENABLE_ONEDNN_OPTS="0")).expect(0)  # fmt: skip


def exported_mlp_trains_as_the_original(setup):
    trains_as_the_original(setup, "mlp_adam", 30)


def exported_convolutions_train_as_the_original(setup):
    trains_as_the_original(setup, "conv_momentum", 12)


def exported_csv_regression_trains_as_the_original(setup):
    trains_as_the_original(setup, "csv_regression", 40)


def exported_embeddings_train_as_the_original(setup):
    trains_as_the_original(setup, "embedding_sparse", 40)


if __name__ == "__main__":
    harness.main(globals())
