# SPDX-License-Identifier: Apache-2.0
"""Trained models leave as SavedModels: for TensorFlow, and for ingotc, which reads them, too."""
import ast
import json
import pathlib
import struct
import zipfile

import harness
from bundle import Bundle
from with_tensorflow import tensorflow

METRICS = harness.SOURCE / "test" / "data" / "metrics"
FEATURES = json.loads((METRICS / "expect.json").read_text())["features"]

# A script of TensorFlow 1's style: batch normalization that knows whether it trains, a vocabulary, Adam.
SCRIPT = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
names = ["ada", "bob", "eve"]
rows = range(24)
data = tf.data.Dataset.from_tensor_slices(
    ([[i / 8, i * i / 64] for i in rows], [names[i % 3] for i in rows], [i % 2 for i in rows]))
x, name, label = tf.data.make_one_shot_iterator(data.shuffle(24, seed=1).repeat().batch(6)).get_next()
table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(names, tf.range(3, dtype=tf.int64)), -1)


def dense(x, size, seed, name):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        kernel = tf.get_variable("kernel", [x.shape[1], size], initializer=tf.random_normal_initializer(seed=seed))
        return tf.nn.bias_add(tf.matmul(x, kernel), tf.get_variable("bias", [size], initializer=tf.zeros_initializer()))


def model(x, name, training):
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        embedding = tf.get_variable("embedding", [3, 4], initializer=tf.random_normal_initializer(seed=4))
        hidden = tf.concat([x, tf.gather(embedding, tf.maximum(table.lookup(name), 0))], 1)
        hidden = dense(hidden, 8, 1, "first")
        with tf.variable_scope("norm", reuse=tf.AUTO_REUSE):
            mean = tf.get_variable("mean", [8], initializer=tf.zeros_initializer(), trainable=False)
            if training:
                batch = tf.reduce_mean(hidden, 0)
                tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(mean, (mean - batch) * 0.1))
                hidden -= batch
            else:
                hidden -= mean
        return dense(tf.nn.relu(hidden), 2, 2, "second")


loss = tf.losses.sparse_softmax_cross_entropy(label, model(x, name, True))
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    tf.train.AdamOptimizer(0.01).minimize(loss, global_step=tf.train.get_or_create_global_step())
fed = tf.placeholder(tf.float32, [None, 2], "fed"), tf.placeholder(tf.string, [None], "called")
tf.nn.softmax(model(*fed, False), name="probabilities")
tf.train.Scaffold().finalize()
tf.train.export_meta_graph(sys.argv[1])
"""
# TensorFlow 2's loader, Keras's layer where there is one, and TensorFlow 1's session.
SERVE = """
import json, sys
import tensorflow as tf
folder = sys.argv[1]
x, names = [[0.5, 0.25], [1.5, 0.75], [2.0, 4.0]], ["eve", "bob", "nobody"]
model = tf.saved_model.load(folder)
found = {name: model.signatures[name](fed=tf.constant(x), called=tf.constant(names))["probabilities"].numpy().tolist()
         for name in sorted(model.signatures)}
if hasattr(tf.keras.layers, "TFSMLayer"):
    # Keras 3 passes further inputs on by their names.
    layer = tf.keras.layers.TFSMLayer(folder, call_endpoint="serving_default")
    found["keras"] = layer.call(tf.constant(names), fed=tf.constant(x))["probabilities"].numpy().tolist()
with tf.compat.v1.Session(graph=tf.Graph()) as session:
    tf.compat.v1.saved_model.load(session, ["serve"], folder)
    found["session"] = session.run("probabilities:0", {"fed:0": x, "called:0": names}).tolist()
    kinds = {operation.type for operation in session.graph.get_operations()}
    assert not kinds & {"IteratorGetNext", "OneShotIterator", "ResourceApplyAdam", "ApplyAdam"}, kinds
print("FOUND", json.dumps(found))
"""


def trained(setup):
    trainer = setup.dir / "trainer"
    setup.compile(METRICS / "train.meta", "--entry", "predict=features->probs", "-o", trainer).expect(0)
    setup.run(trainer, "--model-dir", setup.dir / "run", "--data-dir", METRICS, "--max-steps", 30, "--quiet").expect(0)
    return trainer


def predictions(setup, program, *flags):
    rows = setup.dir / "rows.jsonl"
    rows.write_text("".join(json.dumps({"features": row}) + "\n" for row in FEATURES))
    out = setup.run(program, "predict", "--input", rows, "--output", "-", "--output-format", "jsonl", *flags).expect(0).out
    return [json.loads(line) for line in out.splitlines()]


def exported_models_predict_the_same(setup):
    """An export is compiled again, without the trainer, its graph and its checkpoints."""
    trainer = trained(setup)
    run, served = setup.dir / "run", setup.dir / "served" / "1"
    expected = predictions(setup, trainer, "--model-dir", run)
    done = setup.run(trainer, "export", "--model-dir", run, "--saved-model", f"{served}/").expect(0)
    assert "'predict', 'serving_default'" in done.out and "model.ckpt-30" in done.out, done.out
    files = sorted(str(path.relative_to(served)) for path in served.rglob("*") if path.is_file())
    assert files == ["saved_model.pb", "variables/variables.data-00000-of-00001", "variables/variables.index"], files
    assert [path.name for path in served.parent.iterdir()] == ["1"]
    predictor = setup.dir / "predictor"
    setup.compile(served, "-o", predictor).expect(0)
    info = json.loads(setup.run(predictor, "info", "--json").expect(0).out)
    assert not info["iterators"], info["iterators"]
    assert predictions(setup, predictor) == expected
    # It reads the trainer's own checkpoints, with all that they have besides.
    assert predictions(setup, predictor, "--model-dir", run) == expected
    first = setup.dir / "first"
    setup.run(trainer, "export", "--checkpoint", run / "model.ckpt-0", "--saved-model", first).expect(0)
    setup.compile(first, "-o", predictor).expect(0)
    assert predictions(setup, predictor) != expected


def exports_that_fail_leave_nothing(setup):
    trainer = trained(setup)
    run, served = setup.dir / "run", setup.dir / "served"
    export = [trainer, "export", "--saved-model", served]
    setup.run(*export).expect(2, "--model-dir")
    setup.run(trainer, "export", "--model-dir", run).expect(2, "--saved-model")
    setup.run(*export, "--model-dir", setup.dir / "none").expect(4, "no checkpoint in")
    setup.run(*export, "--checkpoint", run / "model.ckpt-7").expect(4, "model.ckpt-7")
    served.mkdir()
    setup.run(*export, "--model-dir", run).expect(1, "exists already")
    served.rmdir()
    setup.run(trainer, "export", "--saved-model", "/proc/served", "--model-dir", run).expect(1, "/proc/served")
    # Files of a killed export are in nobody's way.
    rest = pathlib.Path(f"{served}.temporary-export")
    (rest / "variables").mkdir(parents=True)
    (rest / "variables" / "variables.index").write_text("torn")
    setup.run(*export, "--model-dir", run).expect(0)
    assert served.is_dir() and not rest.exists()
    plain = setup.dir / "plain"
    setup.compile(METRICS / "train.meta", "--embed-graph=false", "-o", plain).expect(0)
    setup.run(plain, "export", "--saved-model", setup.dir / "s", "--model-dir", run).expect(2, "--embed-graph=false")
    setup.compile(METRICS / "train.meta", "-o", plain).expect(0)
    setup.run(plain, "export", "--saved-model", setup.dir / "s", "--model-dir", run).expect(1, "nothing to serve", "--entry")


def npz_arrays(path):
    """The arrays of an archive of NumPy's: their types, shapes and bytes by name."""
    found = {}
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            data = archive.read(name)
            assert data[:8] == b"\x93NUMPY\1\0", data[:8]
            (size,) = struct.unpack_from("<H", data, 8)
            header = ast.literal_eval(data[10 : 10 + size].decode())
            assert not header["fortran_order"]
            found[name.removesuffix(".npy")] = (header["descr"], list(header["shape"]), data[10 + size :])
    return found


def safetensors_arrays(path):
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    types = {"F32": "<f4", "I64": "<i8", "I32": "<i4"}
    return {name: (types[one["dtype"]], one["shape"], data[8 + size + one["data_offsets"][0] : 8 + size + one["data_offsets"][1]])
            for name, one in header.items()}  # fmt: skip


def weights_leave_for_numpy_and_safetensors(setup):
    """All trained variables, but neither the step nor slot variables."""
    run = setup.dir / "run"
    setup.train(run, "--max-steps", 20).expect(0)
    export = [setup.trainer, "export", "--model-dir", run, "--weights"]
    for name in ("w.npz", "w.safetensors"):
        done = setup.run(*export, setup.dir / name).expect(0)
        assert "model.ckpt-20" in done.out and name in done.out, done.out
    arrays = npz_arrays(setup.dir / "w.npz")
    assert safetensors_arrays(setup.dir / "w.safetensors") == arrays
    saved = Bundle(run / "model.ckpt-20")
    info = json.loads(setup.run(setup.trainer, "info", "--json").expect(0).out)
    trainable = {one["name"] for one in info["variables"] if one.get("trainable")}
    assert trainable and set(arrays) == trainable, (sorted(arrays), sorted(trainable))
    for name, (descr, shape, data) in arrays.items():
        assert descr == "<f4" and shape == saved.entries[name].shape and data == saved.data(name), name
    setup.run(*export, setup.dir / "w.npz").expect(1, "w.npz' exists already")
    setup.run(*export, setup.dir / "w.weights.h5").expect(1, "the graph does not name Keras's weights", "ingot.export()", ".npz")
    setup.run(*export, setup.dir / "w.h5").expect(2, ".weights.h5, .npz or .safetensors")
    setup.run(*export, setup.dir / "x.npz", "--saved-model", setup.dir / "x").expect(2, "exclude one another")
    setup.run(setup.trainer, "export", "--weights", setup.dir / "x.npz", "--checkpoint", run / "none").expect(4, "none")
    setup.run(*export, setup.dir / "nowhere" / "x.npz").expect(1, "nowhere")
    assert sorted(path.name for path in setup.dir.glob("[wx]*")) == ["w.npz", "w.safetensors"]


def tensorflow_serves_what_was_trained(setup):
    python = tensorflow()
    graph, trainer, served = setup.dir / "train.meta", setup.dir / "trainer", setup.dir / "served"
    setup.run(python, "-c", SCRIPT, graph).expect(0)
    setup.compile(graph, "--entry", "predict=fed,called->probabilities", "-o", trainer).expect(0)
    run = setup.dir / "run"
    setup.run(trainer, "--model-dir", run, "--max-steps", 200, "--quiet").expect(0)
    setup.run(trainer, "export", "--model-dir", run, "--saved-model", served).expect(0)
    rows = setup.dir / "rows.jsonl"
    rows.write_text('{"fed": [0.5, 0.25], "called": "eve"}\n{"fed": [1.5, 0.75], "called": "bob"}\n'
                    '{"fed": [2, 4], "called": "nobody"}\n')  # fmt: skip
    out = setup.run(trainer, "predict", "--model-dir", run, "--input", rows, "--output", "-").expect(0).out
    expected = [json.loads(line)["probabilities"] for line in out.splitlines()]
    said = setup.run(python, "-c", SERVE, served).expect(0).out
    found = json.loads(said[said.index("FOUND") + 5 :].splitlines()[0])
    assert {"predict", "serving_default", "session"} <= set(found), found
    for where, values in found.items():
        for row, other in zip(values, expected, strict=True):
            assert all(abs(a - b) < 1e-6 for a, b in zip(row, other, strict=True)), (where, values, expected)


if __name__ == "__main__":
    harness.main(globals())
