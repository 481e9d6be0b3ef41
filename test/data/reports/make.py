# SPDX-License-Identifier: Apache-2.0
"""Makes this folder: a graph that reports as it trains, and what TensorFlow makes of it.

    make.py

Run by hand with TensorFlow 2.15. Leaves train.meta; expect.json, with the
summaries that TensorFlow wrote at each step (serialized Summary.Values, in
base64, by step; pictures as rows of pixels); and printed.txt, what it said.
"""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
v1, raw = tf.compat.v1, tf.raw_ops
HERE = pathlib.Path(__file__).resolve().parent
STEPS = 3


def build(events):
    """Everything but the clock follows from the step's number."""
    step = v1.train.get_or_create_global_step()
    weights = v1.get_variable("weights", initializer=np.float32([0.5, -1.5, 2.0]), use_resource=True)
    number = tf.cast(step, tf.float32)
    loss = tf.reduce_sum(tf.square(weights - number), name="loss")
    spread = tf.linspace(-3.0, 5.0, 41) * (number + 1.0)
    grey = tf.reshape(tf.range(24.0) * (number + 0.5), [2, 3, 4, 1])
    color = tf.cast(tf.reshape(tf.range(36), [1, 4, 3, 3]) * 7 + tf.cast(step, tf.int32), tf.uint8)

    summaries = [
        v1.summary.scalar("scalar", loss),
        raw.ScalarSummary(tags=tf.strings.join(["computed_", tf.strings.as_string(tf.constant(7))]), values=loss * 2.0),
        v1.summary.histogram("histogram", spread),
        v1.summary.histogram("integers", tf.range(9) * tf.cast(step, tf.int32)),
        v1.summary.image("grey", grey, max_outputs=3),
        v1.summary.image("signed", grey - 40.0, max_outputs=1),
        v1.summary.image("not_finite", grey / (grey - grey[0, 1, 2]), max_outputs=1),
        v1.summary.image("color", color),
        v1.summary.text("text", tf.constant(["a", "b"])),
        v1.summary.tensor_summary("tensor", tf.reshape(spread[:6], [2, 3])),
        raw.TensorSummary(tensor=spread[:4], description="no tag", name="tensor_of_old"),
    ]
    v1.add_to_collection(v1.GraphKeys.SUMMARY_OP, v1.summary.merge(summaries))

    # TF2's writers, which have files of their own in TensorFlow.
    writer = raw.SummaryWriter(shared_name="writer")
    create = raw.CreateSummaryFileWriter(writer=writer, logdir=tf.constant(events), max_queue=10, flush_millis=1000, filename_suffix=".v2")
    metadata = v1.SummaryMetadata(plugin_data=v1.SummaryMetadata.PluginData(plugin_name="scalars")).SerializeToString()
    at = dict(writer=writer, step=step)
    written = [
        raw.WriteScalarSummary(tag="v2/scalar", value=loss, **at),
        raw.WriteHistogramSummary(tag="v2/histogram", values=spread, **at),
        raw.WriteImageSummary(tag="v2/image", tensor=grey, bad_color=tf.constant([0, 255, 0, 255], tf.uint8), max_images=1, **at),
        raw.WriteSummary(tag="v2/tensor", tensor=loss, summary_metadata=metadata, **at),
        raw.WriteScalarSummary(writer=writer, step=step * 10, tag="v2/elsewhere", value=1.5),
    ]
    with tf.control_dependencies(written):
        flushed = raw.FlushSummaryWriter(writer=writer)
    v1.add_to_collection("close", raw.CloseSummaryWriter(writer=writer))

    shown = v1.Print(loss, [step, spread, weights, tf.constant(["x", "y"])], "Print: ", first_n=2, summarize=4)
    also = v1.Print(shown, [tf.constant(True), number > 0.5], name="also")
    with tf.control_dependencies([also]):
        printed = [tf.print("loss", loss, {"weights": weights}, output_stream=sys.stderr, summarize=2)]
    with tf.control_dependencies(printed):
        printed += [tf.print("spread:", spread, "no line", sep="|", end=";\n", output_stream=sys.stderr)]
    with tf.control_dependencies(printed):
        checked = [tf.debugging.Assert(loss >= 0.0, ["negative", loss]), raw.CheckNumerics(tensor=loss, message="loss")]

    clock = tf.identity(raw.Timestamp(), name="clock")
    with tf.control_dependencies([flushed, clock, *checked]):
        train = v1.train.GradientDescentOptimizer(0.125).minimize(loss)
    with tf.control_dependencies([train]):
        step_op = v1.assign_add(step, 1).op
    v1.add_to_collection(v1.GraphKeys.TRAIN_OP, step_op)
    init = v1.group(v1.global_variables_initializer(), create, name="init")
    v1.add_to_collection(v1.GraphKeys.INIT_OP, init)
    v1.add_to_collection(v1.GraphKeys.LOSSES, loss)
    v1.train.Saver()
    return step, step_op, init


def pictures(value):
    """A picture's pixels stand for it: there are many ways to compress them."""
    rows = tf.io.decode_png(value.image.encoded_image_string).numpy().tolist()
    return {"tag": value.tag, "size": [value.image.height, value.image.width, value.image.colorspace], "pixels": rows}


def describe(value):
    with tf.init_scope():
        return pictures(value) if value.HasField("image") else base64.b64encode(value.SerializeToString(deterministic=True)).decode()


def main():
    with tempfile.TemporaryDirectory() as events:
        found = {}
        with tf.Graph().as_default():
            step, step_op, init = build("events")
            v1.train.export_meta_graph(str(HERE / "train.meta"), clear_devices=True)
        with tf.Graph().as_default(), v1.Session() as session:
            os.chdir(events)
            step, step_op, init = build("events")
            merged = v1.get_collection(v1.GraphKeys.SUMMARY_OP)[0]
            session.run(init)
            for _ in range(STEPS):
                # The summaries of the session's hook carry the global step after the step.
                serialized, _ = session.run([merged, step_op])
                found[session.run(step)] = list(v1.Summary.FromString(serialized).value)
            session.run(v1.get_collection("close"))
            for path in pathlib.Path("events").iterdir():
                for record in tf.compat.v1.io.tf_record_iterator(str(path)):
                    event = v1.Event.FromString(record)
                    if event.HasField("summary"):
                        found.setdefault(event.step, []).extend(event.summary.value)
        described = {str(number): [describe(value) for value in values] for number, values in found.items()}
        figures = {"steps": STEPS, "summaries": described}
        (HERE / "expect.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 1:  # its output is a file of the data, too
        said = subprocess.run([sys.executable, __file__, "make"], stderr=subprocess.PIPE, check=False)
        (HERE / "printed.txt").write_bytes(said.stderr)
        sys.exit(said.returncode)
    main()
