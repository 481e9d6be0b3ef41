#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records a second of the graphs bench/input/*.meta, which do little but read; with --page, as the table of bench/input/README.md.

    INGOT_TF_PYTHON=.. input_pipelines.py --ingotc build/bin/ingotc --page

A run of N steps and one of a few; the difference of the two times is N steps
without start-up, the first filling of the shuffle's buffer and checkpoints. The
table gives medians of the windows. With INGOT_TF_PYTHON naming a Python that
has TensorFlow, its session draws the same iterators' elements, a window each in
turn. The last line is how long it takes a run that is resumed to have a shuffle
buffer of a million records again, with start, one step and exit.
"""
import argparse
import datetime
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

import input_data
import performance

BENCH = pathlib.Path(__file__).resolve().parent
PAGE = BENCH / "input" / "README.md"
# What a row is called, and the records of a step.
GRAPHS = {
    "single": ("floats, parsed one by one", 64),
    "batch": ("floats, parsed by batch", 64),
    "csv_single": ("CSV of numbers, line by line", 64),
    "csv_batch": ("CSV of numbers, by batch", 64),
    "clicks": ("CSV of counts and categories", 256),
    "click_examples": ("Examples of counts and categories", 256),
    "text": ("text: split, looked up, padded", 64),
    "large_records": ("shuffled records of 64 KiB", 16),
    "images": ("images", 32),
}
MAKE_IMAGES = """
import sys, tensorflow as tf
draw = tf.random.Generator.from_seed(1)
with tf.io.TFRecordWriter(sys.argv[1]) as writer:
    for number in range(256):
        image = tf.image.resize(draw.uniform([24, 32, 3]), [375, 500]) * 200 + draw.uniform([375, 500, 3]) * 55
        jpeg = tf.io.encode_jpeg(tf.cast(image, tf.uint8), quality=90).numpy()
        feature = {"x": tf.train.Feature(bytes_list=tf.train.BytesList(value=[jpeg])),
                   "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[number % 10]))}
        writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
"""
# Prints the steps and the seconds of each window, of the wall clock and of all threads.
TENSORFLOW = """
import sys, time, tensorflow.compat.v1 as tf
tf.disable_eager_execution()
path, seconds = sys.argv[1], float(sys.argv[2])
tf.train.import_meta_graph(path)
threads = int(sys.argv[3])
with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)) as session:
    session.run(tf.get_collection(tf.GraphKeys.INIT_OP))
    session.run(tf.get_collection(tf.GraphKeys.LOCAL_INIT_OP))
    (draw,) = (op for op in tf.get_default_graph().get_operations() if op.type == "IteratorGetNext")
    run = session.make_callable(draw)
    for _ in range(16):
        run()
    print("ready", flush=True)
    for _ in sys.stdin:
        steps, start, cpu = 0, time.monotonic(), time.process_time()
        while time.monotonic() - start < seconds:
            run()
            steps += 1
        print(steps, time.monotonic() - start, time.process_time() - cpu, flush=True)
"""


def run_of(trainer, data, steps):
    """Seconds, of the wall clock and of all threads, that a fresh run takes from start to exit."""
    with tempfile.TemporaryDirectory() as folder:
        command = [trainer, "--model-dir", folder, "--data-dir", data, "--steps", steps, "--quiet"]
        command += ["--log-steps", 0, "--summary-steps", 0]
        before, start = os.times(), time.monotonic()
        subprocess.run([str(part) for part in command], check=True)
        after = os.times()
        return time.monotonic() - start, after.children_user + after.children_system - before.children_user - before.children_system


class Ours:
    """Windows of a trainer."""

    def __init__(self, ingotc, graph, folder, seconds):
        self.trainer, self.data = folder / graph.stem, folder
        subprocess.run([ingotc, graph, "-o", self.trainer], check=True)
        self.few = 64
        self.steps = 4 * self.few
        while (taken := run_of(self.trainer, folder, self.steps)[0]) < seconds and self.steps < 10**7:
            self.steps = int(self.steps * min(10, 1.2 * seconds / max(taken, 0.01)))

    def window(self):
        """Steps, seconds of the wall clock and of all threads."""
        start, whole = (run_of(self.trainer, self.data, steps) for steps in (self.few, self.steps))
        return self.steps - self.few, whole[0] - start[0], whole[1] - start[1]


class Theirs:
    """Windows of TensorFlow's session on the same graph's iterator."""

    def __init__(self, python, graph, folder, seconds):
        command = [python, "-c", TENSORFLOW, str(graph), str(seconds), str(len(os.sched_getaffinity(0)))]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(f"TensorFlow does not run {graph}")

    def window(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        steps, *seconds = map(float, self.process.stdout.readline().split())
        return steps, *seconds


def row(name, arguments, python, folder):
    title, batch = GRAPHS[name]
    graph = BENCH / "input" / f"input-{name}.meta"
    programs = [Ours(arguments.ingotc, graph, folder, arguments.seconds)]
    if python:
        programs.append(Theirs(python, graph, folder, arguments.seconds))
    windows = [[] for _ in programs]
    for _ in range(arguments.windows):
        for found, program in zip(windows, programs):
            found.append(program.window())
    if python:
        programs[1].process.kill()
    rates = [statistics.median(batch * steps / wall for steps, wall, _ in found) for found in windows]
    cpu = [statistics.median(1e6 * seconds / (batch * steps) for steps, _, seconds in found) for found in windows]
    cells = [f"{rates[0]:,.0f}", f"{cpu[0]:.2f}"]
    if python:
        cells = [f"{rates[0]:,.0f}", f"{rates[1]:,.0f}", f"{rates[0] / rates[1]:.1f}×"]
        cells += [f"{cpu[0]:.2f}", f"{cpu[1]:.2f}", f"{cpu[1] / cpu[0]:.1f}×"]
    return " | ".join(["", title, *cells, ""]).strip()


def rebuild(ingotc, data):
    """Seconds that a resumed run takes for one step after a shuffle buffer of a million."""
    trainer, records = data / "large_buffer", data / "records.tfrecord"
    subprocess.run([ingotc, BENCH / "input" / "input-large_buffer.meta", "-o", trainer], check=True)
    records.write_bytes(records.read_bytes() * 6)
    with tempfile.TemporaryDirectory() as folder:
        command = [trainer, "--model-dir", folder, "--data-dir", data, "--quiet"]
        command += ["--log-steps", 0, "--summary-steps", 0, "--max-steps"]
        subprocess.run([str(part) for part in (*command, 1000)], check=True)
        start = time.monotonic()
        subprocess.run([str(part) for part in (*command, 1001)], check=True)
        return time.monotonic() - start


def table(arguments, python, folder):
    columns = ["", "Ingot, records/s"] + python * ["tf.data", "ratio"] + ["Ingot, µs of CPU a record"] + python * ["tf.data", "ratio"]
    yield "| " + " | ".join(columns) + " |"
    yield "|---" * len(columns) + "|"
    for name in arguments.graphs.split(",") if arguments.graphs else GRAPHS:
        if name != "images" or python:
            yield row(name, arguments, python and os.environ["INGOT_TF_PYTHON"], folder)
    if not arguments.graphs:
        yield ""
        yield f"A shuffle buffer of 1,000,000 records is back in {rebuild(arguments.ingotc, folder):.2f} s."


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ingotc", required=True)
    parser.add_argument("--seconds", type=float, default=2, help="length of a window")
    parser.add_argument("--windows", type=int, default=5)
    parser.add_argument("--graphs", metavar="A,B", help="only these")
    parser.add_argument("--page", action="store_true", help="write bench/input/README.md anew")
    arguments = parser.parse_args()
    python = "INGOT_TF_PYTHON" in os.environ
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        input_data.write(folder)
        if python:
            subprocess.run([os.environ["INGOT_TF_PYTHON"], "-c", MAKE_IMAGES, folder / "images.tfrecord"], check=True, stderr=subprocess.DEVNULL)
        lines = []
        for line in table(arguments, python, folder):
            print(line, flush=True)
            lines.append(line)
    if arguments.page:
        cores = len(os.sched_getaffinity(0))
        head = f"Measured on {datetime.date.today()}, {cores} cores of {performance.chip()}; medians of {arguments.windows} windows.\n\n"
        body = head + "\n".join(lines) + "\n"
        PAGE.write_text(re.sub(r"Measured on.*?(?=\n- |\Z)", lambda _: body, PAGE.read_text(), count=1, flags=re.DOTALL))


if __name__ == "__main__":
    main()
