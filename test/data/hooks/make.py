# SPDX-License-Identifier: Apache-2.0
"""Writes transcripts.txt: when TensorFlow's own hooks do what they do.

Run with TensorFlow 2.15:  python make.py

Every case trains a graph whose step is `loss = 2 ** -global_step` and adds one
to the global step. The clock that the hooks see goes on by a second at each
step. A case is a line "case NAME" followed by a line for each call.
"""
import os
import tempfile
from time import sleep

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow.compat.v1 as tf  # noqa: E402
from tensorflow.python.training import basic_session_run_hooks as hooks  # noqa: E402
from tensorflow.python.training import training_util  # noqa: E402

tf.disable_v2_behavior()
lines = []


class Clock:
    """Stands in for the module `time` of the hooks."""

    now = 100.0

    @classmethod
    def time(cls):
        return cls.now

    sleep = staticmethod(sleep)


hooks.time = Clock


class Tick(tf.train.SessionRunHook):
    """A second before every step."""

    def before_run(self, run_context):
        Clock.now += 1


class Writer:
    """A summary writer that writes down what it gets."""

    def add_summary(self, summary, step):
        if isinstance(summary, bytes):
            summary = tf.Summary.FromString(summary)
        for value in summary.value:
            lines.append(f"summary {value.tag} {value.simple_value:g} at {step}")

    def add_session_log(self, log, step):
        lines.append(f"session log {tf.SessionLog.SessionStatus.Name(log.status)} at {step}")

    def add_graph(self, graph):
        lines.append("graph")

    def add_meta_graph(self, meta_graph):
        lines.append("meta graph")

    def flush(self):
        pass


class Listener(tf.train.CheckpointSaverListener):
    def __init__(self, stop_at=None):
        self.stop_at = stop_at

    def begin(self):
        lines.append("listener begin")

    def before_save(self, session, step):
        lines.append(f"listener before_save {step}")

    def after_save(self, session, step):
        lines.append(f"listener after_save {step}")
        return step == self.stop_at

    def end(self, session, step):
        lines.append(f"listener end {step}")


class Lose(tf.train.SessionRunHook):
    """The machine is taken away once, after step `at`."""

    def __init__(self, at):
        self.at = at

    def after_run(self, run_context, run_values):
        if run_context.session.run(tf.train.get_global_step()) == self.at:
            self.at = None
            raise tf.errors.AbortedError(None, None, "as told")


def train(name, make_hooks, directory=None, nan_at=None):
    """Trains a new graph with the hooks that make_hooks(loss) gives."""
    lines.append(f"case {name}")
    Clock.now = 100.0
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        loss = tf.pow(2.0, -tf.cast(step, tf.float32), name="loss")
        if nan_at is not None:
            loss = tf.where(tf.equal(step, nan_at - 1), float("nan"), loss)
        tf.summary.scalar("loss_1", loss)
        with tf.control_dependencies([loss]):
            # After the hooks' reads of the step: else they race with it.
            train_op = training_util._increment_global_step(1)  # pylint: disable=protected-access
        scaffold = tf.train.Scaffold()
        every = [Tick(), *make_hooks(loss, scaffold)]
        creator = tf.train.ChiefSessionCreator(scaffold, checkpoint_dir=directory)
        try:
            with tf.train.MonitoredSession(creator, every) as session:
                while not session.should_stop():
                    session.run(train_op)
            lines.append("end")
        except Exception as error:  # pylint: disable=broad-except
            lines.append(f"{type(error).__name__}")


def log(message, *arguments):
    text = message % arguments
    # Not the messages of sessions and savers, which the cases are not about.
    if text.startswith("loss"):
        lines.append("log " + text)


hooks.logging.info = log


def timer(name, steps, **every):
    """Decisions of a timer that is asked at each of `steps`, one second apart."""
    lines.append(f"case timer {name}")
    Clock.now = 100.0
    t = tf.train.SecondOrStepTimer(**every)
    for step in steps:
        Clock.now += 1
        if t.should_trigger_for_step(step):
            seconds, count = t.update_last_triggered_step(step)
            lines.append(f"{step} after {seconds} {count}".replace("None", "-"))


def stop(last):
    return tf.train.StopAtStepHook(last_step=last)


def quiet_saver(directory, scaffold, steps=None, secs=None, listeners=()):
    saver = tf.train.CheckpointSaverHook(
        directory, save_steps=steps, save_secs=secs, scaffold=scaffold, listeners=list(listeners)
    )

    def begin(original=saver.begin):
        original()
        saver._summary_writer = Writer()  # pylint: disable=protected-access

    saver.begin = begin
    return saver


def main():
    timer("every 3 steps", range(1, 12), every_steps=3)
    timer("every 3 steps, jumping", [1, 2, 9, 10, 11, 12, 12, 5, 15], every_steps=3)
    timer("every 4 seconds", range(1, 12), every_secs=4)
    timer("every 4 seconds, standing", [1, 1, 1, 1, 1, 1, 2, 2, 3], every_secs=4)

    def logging(**options):
        def make(loss, scaffold):
            return [tf.train.LoggingTensorHook({"loss": loss}, **options), stop(7)]

        return make

    train("logging every 3 steps", logging(every_n_iter=3))
    train("logging every 4 seconds", logging(every_n_secs=4))
    train("logging at the end", logging(at_end=True))
    train("logging every 3 steps with a formatter",
          logging(every_n_iter=3, formatter=lambda values: f"loss is {values['loss']:g}"))  # fmt: skip

    train("summaries every 3 steps", lambda loss, scaffold: [
        tf.train.SummarySaverHook(save_steps=3, summary_writer=Writer(), scaffold=scaffold), stop(8)])  # fmt: skip
    train("summaries every 3 seconds", lambda loss, scaffold: [
        tf.train.SummarySaverHook(save_secs=3, summary_writer=Writer(), scaffold=scaffold), stop(8)])  # fmt: skip
    train("counting every 3 steps", lambda loss, scaffold: [
        tf.train.StepCounterHook(every_n_steps=3, summary_writer=Writer()), stop(8)])  # fmt: skip
    train("counting every 4 seconds", lambda loss, scaffold: [
        tf.train.StepCounterHook(every_n_steps=None, every_n_secs=4, summary_writer=Writer()), stop(11)])  # fmt: skip

    for what, options in (("every 4 steps", {"steps": 4}), ("every 3 seconds", {"secs": 3})):
        with tempfile.TemporaryDirectory() as directory:
            train(f"saving {what}", lambda loss, scaffold: [
                quiet_saver(directory, scaffold, listeners=[Listener()], **options), stop(10)])  # fmt: skip
    with tempfile.TemporaryDirectory() as directory:
        train("a listener stops", lambda loss, scaffold: [
            quiet_saver(directory, scaffold, steps=4, listeners=[Listener(stop_at=4)]), stop(10)])  # fmt: skip

    with tempfile.TemporaryDirectory() as directory:
        train("three more steps", lambda loss, scaffold: [
            tf.train.StopAtStepHook(num_steps=3), Listening()], directory)  # fmt: skip
    with tempfile.TemporaryDirectory() as directory:
        train("seven more steps with a loss after 5", lambda loss, scaffold: [
            tf.train.StopAtStepHook(num_steps=7), quiet_saver(directory, scaffold, steps=4), Lose(5),
            Listening()], directory)  # fmt: skip

    for fails in (True, False):
        train(f"a NaN in step 3, failing {fails}".lower().replace("nan", "NaN"),
              lambda loss, scaffold: [tf.train.NanTensorHook(loss, fails), Listening(), stop(7)],
              nan_at=3)  # fmt: skip

    lines.append("case both ends for a stop")
    try:
        tf.train.StopAtStepHook(num_steps=1, last_step=2)
    except ValueError as error:
        lines.append(f"ValueError: {error}")

    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "transcripts.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


class Listening(tf.train.SessionRunHook):
    """Writes down the steps themselves."""

    def after_create_session(self, session, coord):
        lines.append(f"created at {session.run(tf.train.get_global_step())}")

    def after_run(self, run_context, run_values):
        lines.append(f"step {run_context.session.run(tf.train.get_global_step())}")

    def end(self, session):
        lines.append(f"ended at {session.run(tf.train.get_global_step())}")


if __name__ == "__main__":
    main()
