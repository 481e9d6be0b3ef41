# SPDX-License-Identifier: Apache-2.0
"""Writes this folder with TensorFlow 2.15: a graph with the ops of format V1, and what they save.

    cd test/data/save_ops; PYTHON make.py
"""
import os

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import tensorflow as tf

v1, raw = tf.compat.v1, tf.raw_ops
v1.disable_eager_execution()
path = v1.placeholder(tf.string, [], name="path")
values = [
    tf.constant([[1.5, -2.0, 0.25], [3.0, 0.0, 1e-30]]), tf.constant(7, tf.int64), tf.constant(["a", "", "words"]),
    tf.constant([True, False]), tf.constant([[1, 2]], tf.int32),
]  # fmt: skip
names = ["w", "step", "text", "flags", "part"]


def done(op, name):
    with tf.control_dependencies([op]):
        return tf.identity(path, name=name)


saved = [done(raw.Save(filename=path, tensor_names=names, data=values), "saved"),
         done(raw.SaveSlices(filename=path, tensor_names=names, shapes_and_slices=["", "", "", "", "3 2 1,1:-"], data=values), "saved_slices")]  # fmt: skip
for name, value in zip(names, values):
    restored = raw.Restore(file_pattern=path, tensor_name=name, dt=value.dtype)
    tf.identity(tf.ensure_shape(restored, value.shape), name="restored_" + name)
part = raw.RestoreSlice(file_pattern=path, tensor_name="part", shape_and_slice="3 2 1,1:-", dt=tf.int32)
tf.identity(part, name="restored_slice")
v1.train.export_meta_graph("graph.meta", clear_devices=True)
with v1.Session() as session:
    for tensor in saved:
        session.run(tensor, {path: os.path.abspath(tensor.op.name + ".v1")})
