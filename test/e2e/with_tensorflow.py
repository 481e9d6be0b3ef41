# SPDX-License-Identifier: Apache-2.0
"""TensorFlow reads Ingot's files. Runs if INGOT_TF_PYTHON (or python3) has it."""
import json
import os
import sys

import harness
from bundle import Bundle

READ = """
import sys, numpy
import tensorflow as tf
reader = tf.train.load_checkpoint(sys.argv[1])
for name in sys.argv[3:]:
    numpy.save(sys.argv[2] + "/" + name.replace("/", "!"), reader.get_tensor(name))
"""

RESTORE = """
import sys, numpy
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.train.import_meta_graph(sys.argv[3])
variables = tf.global_variables()
with tf.Session() as session:
    tf.train.Saver(variables, sharded=True).restore(session, sys.argv[1])
    for variable, value in zip(variables, session.run(variables)):
        numpy.save(sys.argv[2] + "/" + variable.op.name.replace("/", "!"), value)
"""


TABLES = """
import json, sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
graph, prefix, steps, out = sys.argv[1:]
saver = tf.train.import_meta_graph(graph)
losses, train = tf.get_collection("losses"), tf.get_collection("train_op")
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    saver.restore(session, prefix)
    print(json.dumps([float(session.run([losses, train])[0][0]) for _ in range(int(steps))]))
    saver.save(session, out, tf.train.get_global_step(), write_meta_graph=False)
"""

META_GRAPHS = """
import sys
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.python.framework import meta_graph
tf.disable_eager_execution()

def read(path):
    graph = meta_graph_pb2.MetaGraphDef()
    graph.ParseFromString(open(path, "rb").read())
    return graph

source, plain, stripped, cleared, folder = sys.argv[1:]
assert read(plain) == read(source), "not the graph that was compiled"
expected = read(source)
meta_graph.strip_graph_default_valued_attrs(expected)
found = read(stripped)
assert found == expected, "other attributes than TensorFlow's"
assert not any(node.device for node in read(cleared).graph_def.node)
assert [n.name for n in read(cleared).graph_def.node] == [
    n.name for n in read(source).graph_def.node]
# Training can go on in TensorFlow from these files alone.
saver = tf.train.import_meta_graph(stripped)
prefix = tf.train.latest_checkpoint(folder, latest_filename="newest")
assert prefix.endswith("/model.ckpt-00000025"), prefix
with tf.Session() as session:
    tf.train.Saver(tf.global_variables()).restore(session, prefix)
    assert session.run(tf.train.get_global_step()) == 25
"""


# The options of export_meta_graph, against its own output for the same graph.
EXPORTS = """
import sys
import tensorflow.compat.v1 as tf
from google.protobuf import text_format
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.python.framework import meta_graph
tf.disable_eager_execution()

def read(path):
    graph = meta_graph_pb2.MetaGraphDef()
    graph.ParseFromString(open(path, "rb").read())
    return graph

def saved(path):
    # What a saver writes of a graph without a SaverDef: with its own.
    graph = read(path)
    assert not graph.HasField("saver_def")
    graph.saver_def.ParseFromString(graph.collection_def["savers"].bytes_list.value[0])
    return graph

source, text, listed, scoped, v1, scope = sys.argv[1:]
assert text_format.Parse(open(text).read(), meta_graph_pb2.MetaGraphDef()) == saved(source), "another graph as text"
expected = saved(source)
for key in list(expected.collection_def):
    if key not in ("train_op", "losses"):
        del expected.collection_def[key]
assert read(listed) == expected, "other collections"
meta_graph.import_scoped_meta_graph(source)
saver = tf.train.Saver(tf.global_variables())
expected = meta_graph.export_scoped_meta_graph(export_scope=scope, saver_def=saved(source).saver_def)[0]
found = read(scoped)

def nodes(graph):
    for node in graph.graph_def.node:
        node.attr.pop("_output_shapes", None)
    return {node.name: node for node in graph.graph_def.node}

one, other = nodes(found), nodes(expected)
assert sorted(one) == sorted(other) and len(one) > 3, (sorted(one), sorted(other))
for name in one:
    assert one[name] == other[name], (one[name], other[name])
# For a collection without members in the scope, TensorFlow keeps the name, about which it then complains.
left = {name: list for name, list in expected.collection_def.items() if list.WhichOneof("kind")}
assert dict(found.collection_def) == left, (found.collection_def, left)
assert "unbound_inputs" in found.collection_def
# A V1 checkpoint of ours restores; TensorFlow writes the same tensors.
with tf.Session() as session:
    saver.restore(session, v1)
    assert session.run(tf.train.get_global_step()) == 3
    values = session.run(tf.global_variables())
    old = tf.train.Saver(tf.global_variables(), write_version=tf.train.SaverDef.V1).save(session, v1 + "-theirs")
ours, theirs = (tf.train.load_checkpoint(path) for path in (v1, old))
for name in theirs.get_variable_to_shape_map():
    assert (ours.get_tensor(name) == theirs.get_tensor(name)).all(), name
print(len(one), "nodes in", scope)
"""


# A graph of two savers, of which collection "savers" and the SaverDef name the first; and what each exports of it.
SAVERS = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
w, b = (tf.get_variable(name, shape=[], initializer=tf.ones_initializer()) for name in "wb")
tf.train.get_or_create_global_step()
tf.add_to_collection("train_op", tf.train.GradientDescentOptimizer(0.5).minimize(w * w + b, global_step=tf.train.get_global_step()))
savers = [tf.train.Saver(name=name) for name in sys.argv[2].split(",")]
for saver in savers:
    tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
savers[0].export_meta_graph(sys.argv[1] + "/train.meta")
tf.train.export_meta_graph(sys.argv[1] + "/bare.meta")
for name, saver in zip(sys.argv[2].split(","), savers):
    saver.export_meta_graph(sys.argv[1] + "/" + name + ".meta", clear_extraneous_savers=True)
"""

SAVED = """
import sys
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import meta_graph_pb2
tf.disable_eager_execution()

def read(path):
    graph = meta_graph_pb2.MetaGraphDef()
    graph.ParseFromString(open(path, "rb").read())
    return graph

prefix, expected = sys.argv[1:]
found, expected = read(prefix + ".meta"), read(expected)
assert found.saver_def == expected.saver_def, (found.saver_def, expected.saver_def)
assert [node.name for node in found.graph_def.node] == [node.name for node in expected.graph_def.node]
assert found.collection_def["savers"] == expected.collection_def["savers"]
saver = tf.train.import_meta_graph(prefix + ".meta")
with tf.Session() as session:
    saver.restore(session, prefix)
    values = {variable.op.name: session.run(variable) for variable in tf.global_variables()}
assert values == {"w": 0, "b": 0, "global_step": 2}, values
"""


# What names of nodes stand in: frames of loops, colocations, parts of variables, tables.
LOOP = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.disable_control_flow_v2()
step = tf.train.get_or_create_global_step()
parts = tf.get_variable("parts", shape=[6, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))
values = tf.lookup.KeyValueTensorInitializer(tf.constant([1, 2], tf.int64), tf.constant([0.5, 0.25]))
table = tf.lookup.StaticHashTable(values, 1.0)
def body(i, x):
    with tf.name_scope("body"):
        y = tf.matmul(x, tf.convert_to_tensor(parts), transpose_b=True)[:, :2] * 0.1
        return i + 1, tf.cond(i < 1, lambda: y * 2.0, lambda: y)
_, x = tf.while_loop(lambda i, x: i < 3, body, [tf.constant(0), tf.ones([2, 2])], name="loop")
loss = tf.reduce_sum(x) * table.lookup(step)
tf.add_to_collection("losses", loss)
tf.add_to_collection("train_op", tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step, colocate_gradients_with_ops=True))
saver = tf.train.Saver(name="full")
tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
saver.export_meta_graph(sys.argv[1], collection_list=["losses", "train_op", "savers", "variables", "trainable_variables", "global_step", "table_initializer", "while_context", "cond_context"])
"""

# A graph whose SaverDef is another one of its savers.
SET_SAVER = """
import sys
from tensorflow.core.protobuf import meta_graph_pb2, saver_pb2
graph = meta_graph_pb2.MetaGraphDef()
graph.ParseFromString(open(sys.argv[1], "rb").read())
savers = map(saver_pb2.SaverDef.FromString, graph.collection_def["savers"].bytes_list.value)
graph.saver_def.CopyFrom(next(s for s in savers if s.save_tensor_name.startswith(sys.argv[3] + "/")))
open(sys.argv[2], "wb").write(graph.SerializeToString())
"""

# A graph in a name scope, against tf.train.import_meta_graph's of the same, and out of the scope again.
IMPORTED = """
import sys
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import control_flow_pb2, meta_graph_pb2
tf.disable_eager_execution()
source, scoped, bare, prefix, scope = sys.argv[1:]
CONTEXTS = {"while_context": control_flow_pb2.WhileContextDef, "cond_context": control_flow_pb2.CondContextDef}

def read(path):
    graph = meta_graph_pb2.MetaGraphDef()
    graph.ParseFromString(open(path, "rb").read())
    return graph

def nodes(graph):
    for node in graph.graph_def.node:
        node.attr.pop("_output_shapes", None)
    return {node.name: node for node in graph.graph_def.node}

def elements(graph, key):
    collection = graph.collection_def[key]
    values = getattr(collection, collection.WhichOneof("kind")).value
    # The bytes of a map's entries have no order.
    return {str(CONTEXTS[key].FromString(value)) if key in CONTEXTS else value for value in values}

saver = tf.train.import_meta_graph(source, import_scope=scope)
expected = tf.train.export_meta_graph(saver_def=saver.saver_def)
found, ours, theirs = read(scoped), nodes(read(scoped)), nodes(expected)
# TensorFlow writes attributes with default values that the file leaves out.
assert sorted(ours) == sorted(theirs), sorted(set(ours) ^ set(theirs))
for name, node in ours.items():
    assert list(node.input) == list(theirs[name].input) and node.op == theirs[name].op, name
    for key, value in node.attr.items():
        assert value == theirs[name].attr[key], (name, key)
assert found.saver_def == expected.saver_def
assert sorted(found.collection_def) == sorted(expected.collection_def)
for key in found.collection_def:
    # TensorFlow imports a node twice that is in a collection as an op.
    assert elements(found, key) == elements(expected, key), key
with tf.Session() as session:
    saver.restore(session, prefix)
    assert session.run(tf.train.get_global_step()) == 3
# And back.
names = [v.op.name[len(scope) + 1 :] for v in tf.global_variables()]
tf.reset_default_graph()
assert nodes(read(bare)) == nodes(read(source))
for key in CONTEXTS:
    assert (key in read(bare).collection_def) == (key in read(source).collection_def)
    assert key not in read(source).collection_def or elements(read(bare), key) == elements(read(source), key), key
again = tf.train.import_meta_graph(bare)
assert [v.op.name for v in tf.global_variables()] == names
"""


# Savers with lists restore our checkpoints; and what they save, ours restore.
LISTS = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
source, folder, name = sys.argv[1:]
tf.train.import_meta_graph(source)
saver = next(s for s in tf.get_collection(tf.GraphKeys.SAVERS) if s.saver_def.save_tensor_name.startswith(name + "/"))
with tf.Session() as session:
    for which in ("list", "needed", "all"):
        session.run(tf.global_variables_initializer())
        saver.restore(session, f"{folder}/{which}/model.ckpt-3")
        print([session.run(v).tolist() for v in tf.global_variables() if v.op.name in ("w", "global_step")])
    print(saver.save(session, f"{folder}/theirs/model.ckpt", global_step=3))
# A further saver's checkpoint has its own meta graph.
tf.reset_default_graph()
saver = tf.train.import_meta_graph(f"{folder}/needed/full.ckpt-3.meta")
assert saver.saver_def.save_tensor_name.startswith("full/"), saver.saver_def
with tf.Session() as session:
    saver.restore(session, f"{folder}/needed/full.ckpt-3")
    assert session.run(tf.report_uninitialized_variables()).size == 0
"""


def the_input_goes_from_ingot_to_tensorflow_and_back(setup):
    """In the middle of a pass: every element once, in order (make_handed_over.py)."""
    python, source = tensorflow(), harness.SOURCE / "test" / "data" / "input"
    expect = json.loads((source / "handed_over.json").read_text())
    tensors, steps, trainer = expect["tensors"], expect["steps"], setup.dir / "trainer"
    setup.compile(source / "handed_over.meta", "-o", trainer, *(f"--observe={t}" for t in tensors)).expect(0)
    fetches = [flag for tensor in tensors for flag in ("--fetch", tensor)]

    def train(run, *flags):
        setup.run(trainer, "--model-dir", setup.dir / run, "--data-dir", source, "--loss", tensors[0], "--losses",
                  setup.dir / f"{run}.losses", "--quiet", *fetches, *flags).expect(0)  # fmt: skip
        return [[line[tensor] for tensor in tensors] for line in harness.read_losses(setup.dir / f"{run}.losses")]

    def agree(found, expected):
        for number, tensor in enumerate(tensors):
            a, b = ([step[number] for step in part] for part in (found, expected))
            assert a == b, f"{tensor}:\n{a}\nexpected\n{b}"

    for step in (5, 30):
        agree(train(f"run-{step}", "--tensorflow-iterators", "--max-steps", step), steps[:step])
        theirs = setup.dir / f"theirs-{step}.json"
        setup.run(python, "make_handed_over.py", "--go-on", setup.dir / f"run-{step}" / f"model.ckpt-{step}", 12, theirs,
                  cwd=source, env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")).expect(0)  # fmt: skip
        agree(json.loads(theirs.read_text()), steps[step : step + 12])
        back = ("--checkpoint", f"{theirs}.ckpt-{step + 12}", "--max-steps", len(steps))
        agree(train(f"back-{step}", *back), steps[step + 12 :])


def tensorflow():
    """The Python that has TensorFlow."""
    python = os.environ.get("INGOT_TF_PYTHON", sys.executable)
    if os.system(f'"{python}" -c "import importlib.util as u, sys; '
                 "sys.exit(u.find_spec('tensorflow') is None)\""):  # fmt: skip
        raise harness.Skip(f"{python} has no tensorflow; set INGOT_TF_PYTHON to one that has")
    return python


def npy_data(path):
    """The elements' bytes of a .npy file of version 1."""
    data = path.read_bytes()
    return data[10 + int.from_bytes(data[8:10], "little") :]


def compare(setup, script, *arguments):
    """Trains, lets TensorFlow read, and compares every variable bit for bit."""
    python = tensorflow()
    setup.train(setup.dir / "run", "--max-steps", 25).expect(0)
    prefix, out = setup.dir / "run" / "model.ckpt-25", setup.dir / "out"
    out.mkdir()
    bundle = Bundle(prefix)
    arguments = [str(a) for a in arguments] or bundle.numeric()
    setup.run(python, "-c", script, prefix, out, *arguments,
              env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2", CUDA_VISIBLE_DEVICES="")).expect(0)  # fmt: skip
    read = sorted(path.name[:-4].replace("!", "/") for path in out.glob("*.npy"))
    assert read == bundle.numeric(), f"{read}, expected {bundle.numeric()}"
    for name in read:
        found = npy_data(out / (name.replace("/", "!") + ".npy"))
        assert found == bundle.data(name), f"{name} differs"
    print(f"{len(read)} variables, bit for bit")


def tensorflow_reads_every_variable(setup):
    compare(setup, READ)


def tensorflow_saver_restores_the_variables(setup):
    compare(setup, RESTORE, harness.REFERENCE / "train.meta")


def checkpoints_of_the_savers_options_are_tensorflows(setup):
    python = tensorflow()
    written = {}
    for name, flags in {
        "plain": (),
        "stripped": ("--strip-default-attrs", "--shards", 3, "--pad-step-number",
                     "--latest-filename", "newest"),
        "cleared": ("--clear-devices", "--clear-extraneous-savers",
                    "--meta-graph-suffix", "graph"),
    }.items():  # fmt: skip
        setup.train(setup.dir / name, "--max-steps", 25, "--write-meta-graph", *flags).expect(0)
        (written[name],) = [
            path
            for path in (setup.dir / name).iterdir()
            if path.name.endswith(("25.meta", "25.graph"))
        ]
    assert len(list((setup.dir / "stripped").glob("model.ckpt-00000025.data-*-of-00003"))) == 3
    setup.run(python, "-c", META_GRAPHS, harness.REFERENCE / "train.meta", written["plain"],
              written["stripped"], written["cleared"], setup.dir / "stripped",
              env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2", CUDA_VISIBLE_DEVICES="")).expect(0)  # fmt: skip


def graphs_beside_checkpoints_are_as_tensorflow_exports_them(setup):
    python, graph = tensorflow(), harness.SOURCE / "test" / "data" / "flags" / "train.meta"
    setup.compile(graph, "-o", setup.dir / "trainer").expect(0)
    written = []
    for name, flags in {"text": ["--as-text"], "listed": ["--collection-list", "train_op,losses"],
                        "scoped": ["--export-scope", "net", "--write-version", "v1"]}.items():  # fmt: skip
        setup.run(setup.dir / "trainer", "--model-dir", setup.dir / name, "--steps", 3, "--feed", "rate=0.1",
                  "--init-feed", "start=1", "--write-meta-graph", *flags).expect(0)  # fmt: skip
        written.append(setup.dir / name / "model.ckpt-3.meta")
    setup.run(python, "-c", EXPORTS, graph, *written, setup.dir / "scoped" / "model.ckpt-3", "net",
              env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2", CUDA_VISIBLE_DEVICES="")).expect(0)  # fmt: skip


def meta_graphs_name_the_saver_that_saves(setup):
    """--saver chooses another one than the graph's SaverDef, or where the graph has none."""
    python = tensorflow()
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2", CUDA_VISIBLE_DEVICES="")
    setup.run(python, "-c", SAVERS, setup.dir, "a,c", env=environment).expect(0)
    for graph, asked in (("train", "c"), ("bare", "c"), ("train", "a"), ("train", None)):
        name = f"{graph}-{asked}"
        flags = ["--saver", asked] if asked else []
        setup.compile(setup.dir / f"{graph}.meta", *flags, "-o", setup.dir / "trainer").expect(0)
        setup.run(setup.dir / "trainer", "--model-dir", setup.dir / name, "--steps", 2, "--write-meta-graph", "--clear-extraneous-savers").expect(0)
        setup.run(python, "-c", SAVED, setup.dir / name / "model.ckpt-2", setup.dir / f"{asked or 'a'}.meta", env=environment).expect(0)


def savers_with_lists_restore_what_the_other_side_saves(setup):
    python, graph = tensorflow(), harness.SOURCE / "test" / "data" / "savers" / "train.meta"
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2", CUDA_VISIBLE_DEVICES="")
    for name, keys in ("part", ("w", "global_step")), ("renamed", ("b", "step")):
        trainer, folder = setup.dir / f"trainer-{name}", setup.dir / name
        setup.compile(graph, "--saver", name, "-o", trainer).expect(0)
        for which in ("list", "needed", "all"):
            more = ("--also-save", "full", "--write-meta-graph") if which == "needed" else ()
            setup.run(trainer, "--model-dir", folder / which, "--max-steps", 3, "--seed", 7, "--save-variables", which, *more).expect(0)
        read = setup.run(python, "-c", LISTS, graph, folder, name, env=environment).expect(0).out.splitlines()
        bundle = Bundle(folder / "all" / "model.ckpt-3")
        w, step = list(bundle.values(keys[0])), bundle.values(keys[1])[0]
        assert step == 3 and read[:3] == [str([w, step])] * 3, (read, w)
        done = setup.run(trainer, "--model-dir", folder / "theirs", "--max-steps", 4).expect(0, "get their initial values: 'b', 'frozen', 'drawn'")
        assert "theirs/model.ckpt-3', step 3" in done.out, done.out
        assert Bundle(folder / "theirs" / "model.ckpt-4").values(keys[1]) == (4,)


def tables_go_from_ingot_to_tensorflow_and_back(setup):
    """TensorFlow goes on from the tables of a run, and a run from those that TensorFlow then saves."""
    python, data = tensorflow(), harness.SOURCE / "test" / "data" / "tables"
    expect, trainer, run = json.loads((data / "expect.json").read_text()), setup.dir / "trainer", setup.dir / "run"
    saved, steps, seen = expect["saved"], expect["steps"], setup.dir / "losses"
    setup.compile(data / "train.meta", "-o", trainer).expect(0)
    setup.run(trainer, "--model-dir", run, "--max-steps", saved).expect(0)
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2", CUDA_VISIBLE_DEVICES="")

    def go_on(prefix, count):
        command = (python, "-c", TABLES, data / "train.meta", prefix, count, setup.dir / "tf.ckpt")
        return json.loads(setup.run(*command, env=environment).expect(0).out.splitlines()[-1])

    def assert_near(found, expected):
        assert len(found) == len(expected), (found, expected)
        assert all(abs(a - b) <= 1e-5 * max(1, abs(b)) for a, b in zip(found, expected)), (found, expected)

    # What TensorFlow computed from a checkpoint of its own.
    assert_near(go_on(run / f"model.ckpt-{saved}", steps - saved), expect["resumed"])
    theirs = setup.dir / f"tf.ckpt-{steps}"
    setup.run(trainer, "--model-dir", setup.dir / "back", "--checkpoint", theirs, "--max-steps", steps + 4, "--losses", seen).expect(0)
    ours = [next(value for key, value in line.items() if key != "step") for line in harness.read_losses(seen)]
    assert_near(ours, go_on(theirs, 4))


def a_graph_in_a_name_scope_is_as_tensorflow_imports_it(setup):
    python, savers = tensorflow(), harness.SOURCE / "test" / "data" / "savers" / "train.meta"
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2", CUDA_VISIBLE_DEVICES="")
    setup.run(python, "-c", LOOP, setup.dir / "loop.meta", env=environment).expect(0)
    scope, source, trainer = "tower/net", setup.dir / "source.meta", setup.dir / "trainer"
    for graph in (savers, setup.dir / "loop.meta"):
        setup.compile(graph, "--saver", scope + "/full", "--import-scope", scope, "-o", trainer).expect(0)
        written = []
        for name, flags in ("scoped", []), ("bare", ["--export-scope", scope + "/"]):
            folder = setup.dir / (graph.stem + name)
            setup.run(trainer, "--model-dir", folder, "--max-steps", 3, "--write-meta-graph", *flags).expect(0)
            written.append(folder / "model.ckpt-3.meta")
        # The first file's SaverDef is another saver's; sessions use this one.
        setup.run(python, "-c", SET_SAVER, graph, source, "full", env=environment).expect(0)
        setup.run(python, "-c", IMPORTED, source, *written, written[0].with_suffix(""), scope, env=environment).expect(0)


if __name__ == "__main__":
    harness.main(globals())
