# SPDX-License-Identifier: Apache-2.0
"""Partitioned variables, and files of old savers, between TensorFlow and trainers."""
import os

import harness
from with_tensorflow import tensorflow

# One model in any partitioning, with savers of either format. Trains from a checkpoint or from initial values, saves,
# and writes whole variables as .npz.
MODEL = """
import sys
import numpy as np
import tensorflow as tf
out, parts, version, kind, steps, source = sys.argv[1:]
warm = source.endswith("/init/model.ckpt-3")
v1 = tf.compat.v1
v1.disable_eager_execution()
rng = np.random.default_rng(0)
x = rng.standard_normal((64, 10)).astype(np.float32)
y = rng.standard_normal((64, 3)).astype(np.float32)
v1.set_random_seed(7)
data = v1.data.Dataset.from_tensor_slices((x, y)).repeat().batch(16)
iterator = v1.data.make_initializable_iterator(data)
v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
x, y = iterator.get_next()
def variable(name, shape, seed, partitioner=None):
    return v1.get_variable(name, shape, partitioner=partitioner, use_resource=kind == "resource",
                           initializer=v1.random_normal_initializer(seed=seed))
rows = variable("rows", [10, 4], 1, v1.fixed_size_partitioner(int(parts)))
columns = variable("columns", [4, 3], 2, v1.fixed_size_partitioner(3, axis=1))
bias = variable("bias", [3], 3)
predicted = tf.matmul(tf.tanh(tf.matmul(x, tf.convert_to_tensor(rows))),
                      tf.convert_to_tensor(columns)) + bias
loss = tf.reduce_mean((predicted - y) ** 2)
v1.losses.add_loss(loss)
step = v1.train.get_or_create_global_step()
train = v1.train.AdamOptimizer(0.01).minimize(loss, global_step=step)
v1.add_to_collection("train_op", train)
if warm:
    v1.train.init_from_checkpoint(source, {"rows": "rows", "columns": "columns", "bias": "bias"})
saver = v1.train.Saver(write_version=getattr(v1.train.SaverDef, version.split("-")[0]),
                       sharded="-" in version)
v1.train.export_meta_graph(out + "/train.meta", saver_def=saver.saver_def)
with v1.Session() as session:
    session.run([v1.global_variables_initializer(), v1.tables_initializer()])
    if source and not warm:
        saver.restore(session, source)
    for _ in range(int(steps)):
        session.run(train)
    saver.save(session, out + "/model.ckpt", global_step=step, write_meta_graph=False)
    np.savez(out + "/values.npz", rows=session.run(tf.convert_to_tensor(rows)),
             columns=session.run(tf.convert_to_tensor(columns)), bias=session.run(bias))
"""

# Fails unless the arrays of the first .npz are in the second, within a tolerance.
COMPARE = """
import sys
import numpy as np
expected, found = np.load(sys.argv[1]), np.load(sys.argv[2])
for name in expected.files:
    np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=float(sys.argv[3]))
"""

# Entries that read parts of a checkpoint themselves, with ops old and new.
RESTORES = """
import sys
import tensorflow as tf
v1 = tf.compat.v1
v1.disable_eager_execution()
prefix = v1.placeholder(tf.string, [], name="prefix")
raw = tf.raw_ops
whole = v1.get_variable("whole", [10, 4], initializer=v1.zeros_initializer(), use_resource=False)
read = raw.Restore(file_pattern=prefix, tensor_name="rows", dt=tf.float32)
tf.identity(v1.assign(whole, read), name="old")
part = raw.RestoreSlice(file_pattern=prefix, tensor_name="rows",
                        shape_and_slice="10 4 3,5:1,2", dt=tf.float32)
tf.identity(part, name="part")
both = raw.RestoreV2(prefix=prefix, tensor_names=["columns", "rows"],
                     shape_and_slices=["4 3 -:2,1", "10 4 0,1:-"], dtypes=[tf.float32] * 2)
tf.identity(both[0], name="column")
tf.identity(both[1], name="row")
v1.train.export_meta_graph(sys.argv[1])
"""

# A module with the signatures `train`, `save` and `restore`. Given a checkpoint, fails unless it has what one call of
# `train` leaves.
DEVICE = """
import sys
import numpy as np
import tensorflow as tf

class Module(tf.Module):
    def __init__(self):
        self.w = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def train(self, x):
        self.w.assign_sub(0.5 * tf.matmul(x, tf.matmul(x, self.w), transpose_a=True))
        return {"loss": tf.reduce_sum(self.w)}

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def save(self, path):
        if sys.argv[3] == "Save":
            tf.raw_ops.Save(filename=path, tensor_names=["w"], data=[self.w.read_value()])
        else:
            tf.raw_ops.SaveV2(prefix=path, tensor_names=["w"], shape_and_slices=[""], tensors=[self.w.read_value()])
        return {"path": path}

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def restore(self, path):
        if sys.argv[3] == "Save":
            value = tf.raw_ops.Restore(file_pattern=path, tensor_name="w", dt=tf.float32)
        else:
            value = tf.raw_ops.RestoreV2(prefix=path, tensor_names=["w"], shape_and_slices=[""], dtypes=[tf.float32])[0]
        self.w.assign(tf.ensure_shape(value, [3, 2]))
        return {"w": value}

module = Module()
if sys.argv[1] == "save":
    tf.saved_model.save(module, sys.argv[2], signatures={name: getattr(module, name) for name in ("train", "save", "restore")})
else:
    module.train(tf.constant([[1.0, 2.0, 3.0]]))
    expected = module.w.numpy()
    module.restore(tf.constant(sys.argv[4]))
    np.testing.assert_allclose(module.w.numpy(), expected, rtol=1e-6)
"""


def model(setup, name, parts, version="V2", kind="resource", steps=0, source=""):
    """Runs the model in TensorFlow; returns its folder."""
    out = setup.dir / name
    out.mkdir()
    setup.run(tensorflow(), "-c", MODEL, out, parts, version, kind, steps, source,
              env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")).expect(0)  # fmt: skip
    return out


def same(setup, expected, prefix, tolerance):
    """Fails unless a checkpoint has the values that TensorFlow wrote as .npz."""
    found = setup.dir / "found.npz"
    setup.run(setup.ingotc.parent / "ingot-ckpt", "convert", prefix, "--to", "npz", "-o", found,
              "--force").expect(0)  # fmt: skip
    setup.run(tensorflow(), "-c", COMPARE, expected / "values.npz", found, tolerance).expect(0)


def train(setup, trainer, folder, steps):
    setup.run(trainer, "--model-dir", folder, "--steps", steps, "--summary-steps", 0,
              "--quiet").expect(0)  # fmt: skip


def partitions_of_any_number_are_saved_and_restored(setup):
    """Ours in two parts, TensorFlow's in five, and back, sharded or not."""
    two = model(setup, "two", 2, steps=10)
    trainer = two / "trainer"
    setup.compile(two / "train.meta", "-o", trainer).expect(0)
    # TensorFlow's own steps from the same values, and ours.
    more = model(setup, "more", 2, steps=5, source=two / "model.ckpt-10")
    train(setup, trainer, two, 5)
    same(setup, more, two / "model.ckpt-15", 1e-5)
    # Ours in TensorFlow, bit for bit, in another partitioning; and back.
    five = model(setup, "five", 5, "V2-sharded", "ref", source=two / "model.ckpt-15")
    same(setup, five, two / "model.ckpt-15", 0)
    train(setup, trainer, five, 0)
    setup.run(trainer, "--model-dir", setup.dir / "new", "--init-from", five / "model.ckpt-15",
              "--max-steps", 15, "--summary-steps", 0, "--quiet").expect(0)  # fmt: skip
    same(setup, five, setup.dir / "new" / "model.ckpt-15", 0)


def graphs_that_restore_slices_start_from_them(setup):
    """tf.train.init_from_checkpoint on partitioned variables: RestoreV2 with slices."""
    source = model(setup, "init", 4, steps=3)
    warm = model(setup, "warm", 3, source=source / "model.ckpt-3")
    setup.compile(warm / "train.meta", "-o", warm / "trainer").expect(0)
    setup.run(warm / "trainer", "--model-dir", setup.dir / "run", "--max-steps", 0,
              "--summary-steps", 0).expect(0)  # fmt: skip
    same(setup, source, setup.dir / "run" / "model.ckpt-0", 0)


def old_savers_are_read_and_upgraded(setup):
    """A graph whose saver writes V1, and the checkpoints that it wrote."""
    for name, version, kind in (("one", "V1", "ref"), ("many", "V1-sharded", "resource")):
        old = model(setup, name, 3, version, kind, steps=10)
        setup.compile(old / "train.meta", "-o", old / "trainer").expect(
            0, "writes checkpoints of format V1", "--write-version v1")  # fmt: skip
        more = model(setup, name + "_more", 3, version, kind, 5,
                     old / ("model.ckpt-10-?????-of-00001" if "-" in version else "model.ckpt-10"))  # fmt: skip
        setup.run(old / "trainer", "--model-dir", old, "--steps", 5, "--summary-steps", 0,
                  "--keep-checkpoint-max", 1).expect(0)  # fmt: skip
        same(setup, more, old / "model.ckpt-15", 1e-5)
        left = sorted(path.name for path in old.glob("model.ckpt-*"))
        assert left == ["model.ckpt-15.data-00000-of-00001", "model.ckpt-15.index"], left
        # TensorFlow resumes from our files.
        back = model(setup, name + "_back", 3, "V2", kind, source=old / "model.ckpt-15")
        same(setup, back, old / "model.ckpt-15", 0)


def restore_ops_read_parts_of_either_format(setup):
    graph, trainer = setup.dir / "restores.meta", setup.dir / "restores"
    setup.run(tensorflow(), "-c", RESTORES, graph,
              env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")).expect(0)  # fmt: skip
    setup.compile(graph, "-o", trainer, "--entry", "parts=prefix->part,column,row",
                  "--entry", "old=prefix->old").expect(0)  # fmt: skip
    for version in ("V1", "V1-sharded", "V2"):
        out = model(setup, version, 3, version, steps=1)
        prefix = out / ("model.ckpt-1-?????-of-00001" if "-" in version else "model.ckpt-1")
        for name in ("part", "column", "row"):
            setup.run(trainer, "run", "parts", "--feed", f"prefix={prefix}", "--quiet",
                      "--fetch", f"{name}=@{setup.dir / name}.npy").expect(0)  # fmt: skip
        setup.run(trainer, "run", "old", "--feed", f"prefix={prefix}", "--quiet",
                  "--fetch", f"old=@{setup.dir / 'old'}.npy").expect(0)  # fmt: skip
        setup.run(tensorflow(), "-c", """
import sys
import numpy as np
expected = np.load(sys.argv[1])
found = {name: np.load(f"{sys.argv[2]}/{name}.npy") for name in ("part", "column", "row", "old")}
np.testing.assert_array_equal(found["part"], expected["rows"][3:8, 1:3])
np.testing.assert_array_equal(found["column"], expected["columns"][:, 2:3])
np.testing.assert_array_equal(found["row"], expected["rows"][:1])
np.testing.assert_array_equal(found["old"], expected["rows"])
""", out / "values.npz", setup.dir).expect(0)  # fmt: skip


def save_ops_of_entries_write_what_restore_ops_read(setup):
    """A module that is trained on a device, through signatures of its own that save and restore."""
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
    for version in ("Save", "SaveV2"):
        folder, program = setup.dir / version, setup.dir / f"trainer-{version}"
        setup.run(tensorflow(), "-c", DEVICE, "save", folder, version, env=env).expect(0)
        setup.compile(folder, "-o", program).expect(0)
        for entry, feed in (("train", "x=[[1,2,3]]"), ("save", f"path={setup.dir}/{version}.ckpt")):
            setup.run(program, "run", entry, "--feed", feed, "--model-dir", folder / "run", "--quiet").expect(0)
        setup.run(tensorflow(), "-c", DEVICE, "restore", folder, version, setup.dir / f"{version}.ckpt", env=env).expect(0)


if __name__ == "__main__":
    harness.main(globals())
