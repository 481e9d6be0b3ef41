# SPDX-License-Identifier: Apache-2.0
"""Writes directory.json: what tf.train.MonitoredTrainingSession leaves in a
model directory when it trains the graph of ../mlp_adam.

Run with TensorFlow 2.15:  python make_directory.py
"""
import json
import os
import pathlib
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow.compat.v1 as tf  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
STEPS, SUMMARIES, COUNTED, SAVED = 45, 10, 20, 20


def describe(event):
    """An event as directory.json has it."""
    kind = event.WhichOneof("what")
    if kind == "summary":
        return [[kind, value.tag, event.step] for value in event.summary.value]
    if kind == "session_log":
        return [[kind, tf.SessionLog.SessionStatus.Name(event.session_log.status), event.step]]
    return [[kind, event.file_version if kind == "file_version" else "", event.step]]


def main():
    tf.disable_v2_behavior()
    os.chdir(HERE.parent / "mlp_adam")
    with tempfile.TemporaryDirectory() as directory, tf.Graph().as_default():
        saver = tf.train.import_meta_graph("train.meta")
        train_op = tf.get_collection(tf.GraphKeys.TRAIN_OP)
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=directory,
            scaffold=tf.train.Scaffold(saver=saver),
            hooks=[tf.train.StopAtStepHook(last_step=STEPS)],
            save_summaries_steps=SUMMARIES,
            log_step_count_steps=COUNTED,
            save_checkpoint_steps=SAVED,
        ) as session:
            while not session.should_stop():
                session.run(train_op)
        (path,) = pathlib.Path(directory).glob("events.out.tfevents.*")
        events = list(tf.train.summary_iterator(str(path)))
        left = {
            "steps": STEPS, "summary_steps": SUMMARIES, "log_step_count_steps": COUNTED, "save_checkpoint_steps": SAVED,
            "events": [line for event in events for line in describe(event)],
            "files": sorted(name for name in os.listdir(directory) if "tfevents" not in name),
        }  # fmt: skip
    (HERE / "directory.json").write_text(json.dumps(left, indent=1) + "\n")


if __name__ == "__main__":
    main()
