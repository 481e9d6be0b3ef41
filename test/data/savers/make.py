# SPDX-License-Identifier: Apache-2.0
"""Makes this folder's graph with three Savers, and records what TensorFlow's Savers write of it (test/e2e/savers.py).

    make.py

Run by hand with TensorFlow 2.15. Leaves train.meta and expect.json.
"""
import json
import os
import pathlib
import shutil
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
HERE = pathlib.Path(__file__).resolve().parent
STEPS = 5


def variable(name, initializer=tf.ones_initializer(), **more):
    return tf.get_variable(name, shape=[3], initializer=initializer, **more)


def build():
    """A step that changes w and b, draws random numbers and elements, and reads `frozen` and `drawn`; and Savers."""
    w, b, frozen = variable("w"), variable("b"), variable("frozen", trainable=False)
    drawn = variable("drawn", tf.random_uniform_initializer(), trainable=False)
    step = tf.train.get_or_create_global_step()
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(100).shuffle(100, seed=3).repeat())
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    x = tf.cast(iterator.get_next(), tf.float32) / 100
    loss = tf.reduce_sum((w * x + b - drawn * frozen * tf.random.uniform([3], seed=5)) ** 2, name="loss")
    tf.add_to_collection("losses", loss)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    tf.add_to_collection("train_op", train)
    savers = {
        "part": tf.train.Saver([w, step], name="part", max_to_keep=2, filename="some/file"),
        "full": tf.train.Saver(name="full", max_to_keep=3),
        # Its keys are names of other variables.
        "renamed": tf.train.Saver({"b": w, "step": step}, name="renamed", max_to_keep=1),
    }
    for saver in savers.values():
        tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
    return savers, train, iterator.initializer


def main():
    savers, train, start = build()
    savers["part"].export_meta_graph(str(HERE / "train.meta"), strip_default_attrs=True)
    folder, expect = pathlib.Path(tempfile.mkdtemp()), {"steps": STEPS}
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), start])
        for step in range(1, STEPS + 1):
            session.run(train)
            for name, saver in savers.items():
                saver.save(session, str(folder / f"{name}.ckpt"), step, f"checkpoint_{name}", write_meta_graph=False)
        for name in savers:
            state = tf.train.get_checkpoint_state(str(folder), f"checkpoint_{name}")
            expect[name] = {
                "keys": [key for key, _ in tf.train.list_variables(state.model_checkpoint_path)],
                "files": sorted(path.name for path in folder.glob(f"{name}.ckpt-*.index")),
                "newest": pathlib.Path(state.model_checkpoint_path).name,
                "listed": [pathlib.Path(path).name for path in state.all_model_checkpoint_paths],
            }
        # Without a step: each save replaces the previous one.
        for _ in range(3):
            savers["part"].save(session, str(folder / "model"), latest_filename="checkpoint_unnumbered", write_meta_graph=False)
        state = tf.train.get_checkpoint_state(str(folder), "checkpoint_unnumbered")
        expect["unnumbered"] = {
            "files": sorted(path.name for path in folder.glob("model.*")),
            "listed": [pathlib.Path(path).name for path in state.all_model_checkpoint_paths],
        }
        # The save op without a feed.
        os.chdir(folder)
        (folder / "some").mkdir()
        session.run(savers["part"].saver_def.save_tensor_name)
        expect["unfed"] = sorted(str(path.relative_to(folder)) for path in (folder / "some").iterdir())
    # A session on a checkpoint of a Saver that leaves variables out.
    hook = tf.train.StopAtStepHook(num_steps=1)
    for _ in range(2):
        try:
            scaffold = tf.train.Scaffold(saver=savers["part"])
            with tf.train.MonitoredTrainingSession(checkpoint_dir=str(folder / "run"), scaffold=scaffold, hooks=[hook]) as session:
                session.run(train)
        except RuntimeError as error:
            expect["second_run"] = str(error)
    shutil.rmtree(folder)
    (HERE / "expect.json").write_text(json.dumps(expect, indent=1) + "\n")


if __name__ == "__main__":
    main()
