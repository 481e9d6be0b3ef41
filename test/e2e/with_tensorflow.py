"""TensorFlow reads what Ingot wrote. Runs where INGOT_TF_PYTHON (or python3) has it."""
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


if __name__ == "__main__":
    harness.main(globals())
