# SPDX-License-Identifier: Apache-2.0
"""ingot-ckpt against TensorFlow: each reads the other's files."""
import os
import pathlib

import harness
from with_tensorflow import tensorflow

ZOO = harness.SOURCE / "test" / "data" / "checkpoint_zoo"

# Every tensor of a checkpoint as TensorFlow reads it, as one .npz.
DUMP = """
import sys, numpy
import tensorflow as tf
for prefix, out in zip(sys.argv[1::2], sys.argv[2::2]):
    reader = tf.train.load_checkpoint(prefix)
    tensors = {n: reader.get_tensor(n) for n in reader.get_variable_to_shape_map()}
    numpy.savez(out, **{n: t.astype("S300") if t.dtype == object else
                        t.astype("float32") if t.dtype == tf.bfloat16.as_numpy_dtype else t
                        for n, t in tensors.items()})
"""

# Fails unless two .npz files have the same arrays; `skip` may be only in the first.
SAME = """
import sys, numpy
a, b = numpy.load(sys.argv[1]), numpy.load(sys.argv[2])
missing = set(a.files) ^ set(b.files)
assert missing == set(sys.argv[3:]), missing
for name in set(a.files) & set(b.files):
    assert a[name].dtype == b[name].dtype and a[name].shape == b[name].shape, name
    assert a[name].tobytes() == b[name].tobytes(), name
print(len(a.files), "tensors")
"""

# Partitioned variables and a step, saved as V1 in several files.
SAVE_V1 = """
import sys, numpy
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
part = tf.fixed_size_partitioner
values = [tf.get_variable("rows", [1000, 30], partitioner=part(7), use_resource=False,
                          initializer=tf.random_normal_initializer(seed=1)),
          tf.get_variable("columns", [20, 300], partitioner=part(4, axis=1), use_resource=False,
                          initializer=tf.random_normal_initializer(seed=2)),
          tf.get_variable("zeros", [300, 400], use_resource=False, initializer=tf.zeros_initializer()),
          tf.train.get_or_create_global_step()]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    tf.train.Saver(write_version=1, sharded=sys.argv[2] == "sharded").save(
        session, sys.argv[1], write_meta_graph=False)
    numpy.savez(sys.argv[3], **{v.name.split(":")[0]: session.run(tf.convert_to_tensor(v)) for v in values})
"""


def quiet():
    """An environment in which TensorFlow keeps to itself."""
    return dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")


def tool(setup, *arguments):
    """Runs ingot-ckpt."""
    return setup.run(setup.ingotc.parent / "ingot-ckpt", *arguments)


def dump(setup, *prefixes):
    """The .npz files of TensorFlow's tensors."""
    outs = [setup.dir / f"{pathlib.Path(prefix).name}.tensorflow.npz" for prefix in prefixes]
    pairs = [part for pair in zip(prefixes, outs) for part in pair]
    setup.run(tensorflow(), "-c", DUMP, *pairs, env=quiet()).expect(0)
    return outs


def same(setup, a, b, *skip):
    """Fails unless two .npz files are the same."""
    setup.run(tensorflow(), "-c", SAME, a, b, *skip, env=quiet()).expect(0)


def tensorflow_reads_what_ingot_ckpt_writes(setup):
    tensorflow()
    out = setup.dir
    made = {"v2_dtypes": [], "v2_slices": [], "v1_single": [], "v2_many_keys": []}
    for name, copies in made.items():
        for suffix, flags in (("c", ["convert", ZOO / name, "--to", "v2"]),
                              ("s", ["reshard", ZOO / name, "--shards", "3"])):  # fmt: skip
            copies.append(out / f"{name}-{suffix}")
            tool(setup, *flags, "-o", copies[-1]).expect(0)
    originals = dump(setup, *[ZOO / name for name in made])
    for original, copies in zip(originals, made.values()):
        for copy in dump(setup, *copies):
            same(setup, original, copy)


def ingot_ckpt_reads_what_tensorflow_writes_as_v1(setup):
    python = tensorflow()
    for form in ("whole", "sharded"):
        prefix, ours, theirs = setup.dir / form, setup.dir / "ours.npz", setup.dir / "theirs.npz"
        setup.run(python, "-c", SAVE_V1, prefix, form, theirs, env=quiet()).expect(0)
        tool(setup, "verify", prefix).expect(0)
        tool(setup, "convert", prefix, "--to", "npz", "-o", ours, "--force").expect(0)
        same(setup, theirs, ours)


if __name__ == "__main__":
    harness.main(globals())
