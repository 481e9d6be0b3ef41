# SPDX-License-Identifier: Apache-2.0
"""Writes batches.txt: when TensorFlow calls a hook around evaluations and predictions, and where a coordinator stops.

Run with TensorFlow 2.15:  python make_batches.py

A line is a case, and the calls of its hook: Estimator's evaluate(hooks=...) and predict(hooks=...) over three batches, and
a MonitoredTrainingSession whose hook calls coord.request_stop() in its first after_run. What the hook does stands in the
name: it acts in that call of after_run.
"""
import os
import pathlib
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

tf.disable_eager_execution()
tf.get_logger().setLevel("ERROR")
lines = []
ERRORS = {
    "range": tf.errors.OutOfRangeError(None, None, "range"),
    "abort": tf.errors.AbortedError(None, None, "abort"),
    "fail": ValueError("fail"),
}


class Hook(tf.train.SessionRunHook):
    """Writes its calls down, and does `what` in call `at` of after_run."""

    def __init__(self, what="", at=0):
        self.what, self.at, self.calls, self.log, self.coordinator = what, at, 0, [], None

    def begin(self):
        self.log.append("begin")

    def after_create_session(self, session, coord):
        self.log.append("created")
        self.coordinator = coord

    def before_run(self, run_context):
        self.log.append("before")

    def after_run(self, run_context, run_values):
        self.log.append("after")
        self.calls += 1
        if self.calls != self.at:
            return
        if self.what == "stop":
            run_context.request_stop()
        elif self.what in ERRORS:
            raise ERRORS[self.what]
        elif self.what:
            reasons = {"coordinate": (None, ERRORS["fail"]), "broken": (ERRORS["fail"],), "gone": (ERRORS["abort"],)}
            for reason in reasons[self.what]:
                try:
                    if reason:
                        raise reason
                    self.coordinator.request_stop()
                except Exception as error:  # request_stop wants one that is being handled
                    self.coordinator.request_stop(error)

    def end(self, session):
        self.log.append("end")


def data():
    rows = np.arange(3, dtype=np.float32).reshape(3, 1)
    return tf.data.Dataset.from_tensor_slices((rows, rows)).batch(1)


def model(features, labels, mode):
    predictions = features * tf.get_variable("w", initializer=1.0)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = tf.reduce_mean(tf.square(predictions - labels))
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(tf.train.get_global_step(), 1))


def record(name, hook, run):
    try:
        run()
    except Exception as error:
        hook.log.append(type(error).__name__)
    lines.append(f"{name}: {' '.join(hook.log)}")


def train(hook):
    with tf.Graph().as_default():
        step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            for _ in range(2):
                if not session.should_stop():
                    session.run(step)


def main():
    with tempfile.TemporaryDirectory() as folder:
        estimator = tf.estimator.Estimator(model, folder)
        estimator.train(data, steps=2)
        for what, at, steps in (("", 0, None), ("", 0, 3), ("stop", 1, 3), ("range", 2, 3), ("abort", 2, 3), ("fail", 2, 3)):
            hook = Hook(what, at)
            name = f"evaluate {'whole' if steps is None else steps} {what}{at or ''}".strip()
            record(name, hook, lambda: estimator.evaluate(data, steps=steps, hooks=[hook]))
        for what, at in (("", 0), ("stop", 2), ("range", 2), ("fail", 2)):
            hook = Hook(what, at)
            record(f"predict {what}{at or ''}".strip(), hook, lambda: list(estimator.predict(data, hooks=[hook])))
    for what in ("coordinate", "broken", "gone"):
        hook = Hook(what, 1)
        record(f"train {what}1", hook, lambda: train(hook))
    (pathlib.Path(__file__).parent / "batches.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
