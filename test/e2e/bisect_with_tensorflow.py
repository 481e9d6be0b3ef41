# SPDX-License-Identifier: Apache-2.0
"""Which tensor of a step leaves TensorFlow's first: tools/ingot-bisect/compare_with_tensorflow.py."""
import harness
from with_tensorflow import tensorflow

SCRIPT = harness.SOURCE / "tools" / "ingot-bisect" / "compare_with_tensorflow.py"

# A step whose noise, where it has no seed, is another one in each program.
MAKE = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
folder, seed = sys.argv[1], int(sys.argv[2]) or None
x, y = tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensors(([[0.5, -1.0, 2.0]] * 4, [1.0, 2.0, 3.0, 4.0])).repeat()).get_next()
w = tf.get_variable("w", initializer=[[0.1], [0.2], [-0.3]], use_resource=True)
product = tf.matmul(x, w, name="product")
noisy = tf.add(product, tf.random_normal([4, 1], seed=seed, name="noise"), name="noisy")
loss = tf.reduce_mean(tf.square(noisy[:, 0] - y), name="loss")
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
tf.add_to_collection("loss", loss)
tf.add_to_collection("train_op", train)
saver = tf.train.Saver()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    saver.save(session, folder + "/model.ckpt", global_step=0, write_meta_graph=False)
saver.export_meta_graph(folder + "/train.meta")
"""


def compare(setup, seed, *flags):
    python = tensorflow()
    setup.run(python, "-c", MAKE, setup.dir, seed).expect(0)
    return setup.run(python, "-B", SCRIPT, setup.dir / "train.meta", "--checkpoint", setup.dir / "model.ckpt-0",
                     "--bin", setup.ingotc.parent, *flags)  # fmt: skip


def a_step_that_agrees_with_tensorflow_is_said_to(setup):
    done = compare(setup, 5)
    assert done.code == 0 and "tensors of the step agree" in done.out, done.out + done.err
    count = int(done.out.split()[1])
    assert count >= 8, f"only {count} tensors were compared"


def the_first_tensor_that_leaves_tensorflows_is_named(setup):
    """Not the loss, which differs as well, nor the product, which comes earlier."""
    done = compare(setup, 0)
    assert done.code == 4 and "first tensor that leaves TensorFlow's: noise" in done.out, f"{done.code}\n{done.out}{done.err}"
    assert "4 of 4 elements, the first at [0, 0]" in done.out, done.out


if __name__ == "__main__":
    harness.main(globals())
