"""Graphs that were imported and exported again train in TensorFlow as the original ones do."""
import os

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


def trains_as_the_original(setup, run, steps):
    python = tensorflow()
    data = harness.SOURCE / "test" / "data" / run
    translate = setup.ingotc.parent / "ingot-translate"
    program, graph = setup.dir / "program.mlir", setup.dir / "graph.pb"
    setup.run(translate, "--import-metagraph", data / "train.meta", "--locations", "-o", program).expect(0)
    setup.run(translate, "--export-graphdef", program, "-o", graph).expect(0)
    text = program.read_text()
    loss = text.split('ingot.loss = "')[1].split('"')[0]
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
