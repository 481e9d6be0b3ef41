# SPDX-License-Identifier: Apache-2.0
"""Makes train.meta: a training step whose fourth element does not fit the
variable, and small functions of tensors of any size. refusals.json says with
which feeds TensorFlow refuses them, with which it does not, and its errors.

Run by hand with TensorFlow 2.15.
"""
import json
import os
import pathlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
HERE = pathlib.Path(__file__).resolve().parent
LENGTHS = [4, 4, 4, 5, 4]


def step():
    """Adds elements of changing length to a variable of four numbers, and then
    counts them."""
    elements = tf.data.Dataset.from_tensor_slices(np.array(LENGTHS, np.int64))
    elements = elements.map(lambda n: tf.cast(tf.range(n), tf.float32))
    iterator = v1.data.make_initializable_iterator(elements)
    v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    sum_ = v1.get_variable("sum", initializer=np.zeros(4, np.float32), use_resource=True)
    first = v1.get_variable("first", initializer=np.float32(0), use_resource=True)
    count = v1.train.get_or_create_global_step()
    x = iterator.get_next()
    # Other variables are given their values before the one that it goes wrong for.
    with tf.control_dependencies([first.assign_add(1.0)]):
        added = v1.raw_ops.AssignAddVariableOp(resource=sum_.handle, value=x, name="add")
    with tf.control_dependencies([added]):
        v1.add_to_collection(v1.GraphKeys.TRAIN_OP, count.assign_add(1, use_locking=True).op)
    return sum_


def functions(variable):
    """By name: what each computes, feeds that are right, and feeds that are wrong."""
    f, i = np.float32, np.int32
    ones = lambda *shape: np.ones(shape, f)
    ints = lambda *values: np.array(values, i)
    scalar = lambda value: np.array(value, i)
    loop = lambda a, b: tf.while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, x * b), [0, a])[1]

    def assigned(a):
        with tf.control_dependencies([variable.assign(a, read_value=False)]):
            return tf.shape(a)

    return {
        "add": (tf.add, [ones(3), ones(3)], [ones(3), ones(4)]),
        "broadcast": (tf.add, [ones(3, 1), ones(0)], [ones(3, 2), ones(3)]),
        "matmul": (tf.matmul, [ones(2, 3), ones(3, 4)], [ones(2, 3), ones(4, 5)]),
        "batch": (tf.matmul, [ones(5, 2, 3), ones(1, 3, 4)], [ones(5, 2, 3), ones(4, 3, 4)]),
        "concat": (lambda a, b: tf.concat([a, b], 1), [ones(2, 3), ones(2, 4)], [ones(2, 3), ones(3, 3)]),
        "stack": (lambda a, b: tf.stack([a, b]), [ones(3), ones(3)], [ones(3), ones(4)]),
        "split": (lambda a: tf.split(a, 2, axis=1)[1], [ones(2, 4)], [ones(2, 5)]),
        "slice": (tf.slice, [ones(5), ints(1), ints(-1)], [ones(5), ints(4), ints(3)]),
        "element": (lambda a, n: a[n], [ones(5), scalar(-5)], [ones(5), scalar(5)]),
        "reshape": (tf.reshape, [ones(6), ints(-1, 3)], [ones(6), ints(-1, 4)]),
        "assign": (assigned, [ones(4)], [ones(600)]),
        "top_k": (lambda a, k: tf.nn.top_k(a, k)[0], [ones(2, 3), scalar(3)], [ones(2, 3), scalar(4)]),
        "arg_max": (lambda a: tf.argmax(a, 1), [ones(3, 2)], [ones(3, 0)]),
        "labels": (
            lambda a, y: tf.nn.sparse_softmax_cross_entropy_with_logits(logits=a, labels=y),
            [ones(3, 4), ints(0, 1, 2)],
            [ones(3, 4), ints(0, 1)],
        ),
        "loop": (loop, [ones(3), ones(3)], [ones(3), ones(4)]),
        "segments": (
            lambda a, ids: tf.math.unsorted_segment_sum(a, ids, 2),
            [ones(3, 2), ints(0, 0, 1)],
            [ones(3, 2), ints(0, 0)],
        ),
        # Sizes that differ, though they are equal for some inputs.
        "half": (
            lambda a: tf.nn.max_pool2d(a, [2, 1], [2, 1], "VALID") - tf.nn.avg_pool2d(a, [3, 1], [2, 1], "VALID"),
            [ones(1, 7, 2, 1)],
            [ones(1, 8, 2, 1)],
        ),
        "larger": (
            lambda a, b: tf.fill([tf.maximum(tf.shape(a)[0], tf.shape(b)[0])], 1.0) + b,
            [ones(2), ones(3)],
            [ones(3), ones(2)],
        ),
        "diagonal": (lambda a: tf.linalg.diag_part(a) + a[:, 0], [ones(2, 3)], [ones(3, 2)]),
        "thirds": (lambda a: a[:, 1::3] + a[:, ::3], [ones(2, 6)], [ones(2, 7)]),
        "quarters": (lambda a: a[1::4] + a[2::4], [ones(8)], [ones(10)]),
        "strided": (lambda a: tf.linalg.diag_part(a[::3, ::2]) + a[::3, 0], [ones(6, 8)], [ones(18, 4)]),
        "shifted": (lambda a: tf.pad(a[3:], [[3, 0]]) * a, [ones(5)], [ones(2)]),
        "last": (lambda a: tf.ones([3]) + a[-3:], [ones(5)], [ones(2)]),
        "stated": (lambda a, n: tf.reshape(a, [n]), [ones(6), scalar(6)], [ones(6), scalar(4)]),
    }


def main():
    with tf.Graph().as_default() as graph:
        cases = []
        for name, (function, right, wrong) in functions(step()).items():
            with tf.name_scope(name):
                # How many sizes a vector of sizes holds is known.
                isVector = lambda value: name in ("slice", "reshape") and value.dtype == np.int32
                inputs = [
                    v1.placeholder(value.dtype, value.shape if isVector(value) else [None] * value.ndim, f"x{n}")
                    for n, value in enumerate(right)
                ]
                cases.append((name, inputs, tf.identity(function(*inputs), name="result"), right, wrong))
        init = v1.global_variables_initializer()
        v1.train.export_meta_graph(str(HERE / "train.meta"), saver_def=v1.train.Saver().saver_def)
        written = {}
        with v1.Session() as session:
            session.run(init)
            for name, inputs, result, right, wrong in cases:
                shape = session.run(result, dict(zip(inputs, right))).shape
                try:
                    session.run(result, dict(zip(inputs, wrong)))
                    raise SystemExit(f"{name}: TensorFlow does not refuse its wrong feeds")
                except tf.errors.InvalidArgumentError as error:
                    # The text before the node's name, without ops around it.
                    said = error.message.split("\n\t [[{{node")[0].splitlines()[-1]
                written[name] = {
                    "scope": result.op.name.split("/")[0],
                    "inputs": [tensor.name for tensor in inputs],
                    "result": result.name,
                    "right": [value.tolist() for value in right],
                    "shape": list(shape),
                    "wrong": [value.tolist() for value in wrong],
                    "tensorflow": said,
                }
    (HERE / "refusals.json").write_text(json.dumps(written, indent=1) + "\n")


main()
