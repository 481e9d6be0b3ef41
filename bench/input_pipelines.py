#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records a second of the graphs bench/input/*.meta, which do little but read.

A run of N steps and one of a few; the difference of the two times is N steps
without start-up, the first filling of the shuffle's buffer and checkpoints. The
table gives the median of the windows. The last line is how long it takes a run
that is resumed to have a shuffle buffer of a million records again, with start,
one step and exit. With INGOT_TF_PYTHON naming a Python that
has TensorFlow, tf.data reads the same records in the same sitting.
"""
import argparse
import os
import pathlib
import random
import statistics
import struct
import subprocess
import tempfile
import time

BENCH = pathlib.Path(__file__).resolve().parent
BATCH, RECORDS, DISTINCT, FEW = 64, 200_000, 2_000, 400

TENSORFLOW = """
import sys, time, tensorflow as tf
spec = {"x": tf.io.FixedLenFeature([64], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64)}
data = tf.data.TFRecordDataset(sys.argv[1])
if sys.argv[2] == "single":
    data = data.map(lambda r: tf.io.parse_single_example(r, spec), num_parallel_calls=2).shuffle(10000, seed=1).repeat().batch(64)
else:
    data = data.shuffle(10000, seed=1).repeat().batch(64).map(lambda r: tf.io.parse_example(r, spec), num_parallel_calls=2)
it, n = iter(data.prefetch(2)), 0
for _ in range(200):
    next(it)
start = time.time()
while time.time() - start < float(sys.argv[3]):
    next(it); n += 64
print(n / (time.time() - start))
"""
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
TENSORFLOW_IMAGES = """
import sys, time, tensorflow as tf
spec = {"x": tf.io.FixedLenFeature([], tf.string), "y": tf.io.FixedLenFeature([], tf.int64)}
def image(record):
    parsed = tf.io.parse_single_example(record, spec)
    x = tf.image.random_crop(tf.io.decode_jpeg(parsed["x"], channels=3), [320, 320, 3], seed=3)
    return (tf.image.random_flip_left_right(tf.image.resize(x, [224, 224]), seed=5) - 127.5) / 58.0, parsed["y"]
data = tf.data.TFRecordDataset(sys.argv[1]).map(image, num_parallel_calls=tf.data.AUTOTUNE)
it, n = iter(data.shuffle(64, seed=1).repeat().batch(32, drop_remainder=True).prefetch(2)), 0
for _ in range(8):
    next(it)
start = time.time()
while time.time() - start < float(sys.argv[2]):
    next(it); n += 32
print(n / (time.time() - start))
"""


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc_table()


def masked_crc32c(data):
    """The checksum of a TFRecord."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def delimited(field, content):
    size = len(content)
    varint = bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])
    return bytes([field << 3 | 2]) + varint + content


def example(floats, label):
    """A serialized Example of the floats "x" and the label "y"."""
    x = delimited(2, delimited(1, struct.pack(f"<{len(floats)}f", *floats)))
    y = delimited(3, delimited(1, bytes([label])))
    features = ((b"x", x), (b"y", y))
    return delimited(1, b"".join(delimited(1, delimited(1, k) + delimited(2, v)) for k, v in features))


def write_records(path):
    """RECORDS records, DISTINCT of them different."""
    draw, parts = random.Random(0), []
    for number in range(DISTINCT):
        data = example([draw.random() for _ in range(64)], number % 10)
        length = struct.pack("<Q", len(data))
        parts.append(length + masked_crc32c(length) + data + masked_crc32c(data))
    path.write_bytes(b"".join(parts) * (RECORDS // DISTINCT))


def seconds(trainer, data, steps):
    """The time that a fresh run of `steps` steps takes, from start to exit."""
    with tempfile.TemporaryDirectory() as folder:
        command = [trainer, "--model-dir", folder, "--data-dir", data, "--steps", steps, "--quiet"]
        command += ["--log-steps", 0, "--summary-steps", 0]
        start = time.monotonic()
        subprocess.run([str(part) for part in command], check=True)
        return time.monotonic() - start


def rate(trainer, data, window, windows, batch=BATCH, few=FEW):
    """Records a second: the median window."""
    steps = 4 * few
    while (taken := seconds(trainer, data, steps)) < window / 2 and steps < 10**7:
        steps = int(steps * min(10, 1.2 * window / max(taken, 0.01)))
    rates = []
    for _ in range(windows):
        start = seconds(trainer, data, few)
        rates.append(batch * (steps - few) / (seconds(trainer, data, steps) - start))
    return statistics.median(rates)


def images(ingotc, python, folder, options):
    """A row of the table: images that are decoded, cropped, resized, flipped and normalized, with as many threads as there are cores."""
    run = lambda *command: subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout
    run(python, "-c", MAKE_IMAGES, folder / "images.tfrecord")
    run(ingotc, BENCH / "input" / "input-images.meta", "-o", folder / "images")
    ours = rate(folder / "images", folder, options.seconds, options.windows, batch=32, few=8)
    theirs = float(run(python, "-c", TENSORFLOW_IMAGES, folder / "images.tfrecord", 2 * options.seconds).split()[-1])
    print(f"| images | {ours:,.0f} | {theirs:,.0f} | {ours / theirs:.2f} |", flush=True)


def rebuild(trainer, data):
    """Seconds that a resumed run takes for one step after a shuffle buffer of a million."""
    records = data / "records.tfrecord"
    records.write_bytes(records.read_bytes() * 6)
    with tempfile.TemporaryDirectory() as folder:
        command = [trainer, "--model-dir", folder, "--data-dir", data, "--quiet"]
        command += ["--log-steps", 0, "--summary-steps", 0, "--max-steps"]
        subprocess.run([str(part) for part in (*command, 1000)], check=True)
        start = time.monotonic()
        subprocess.run([str(part) for part in (*command, 1001)], check=True)
        return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ingotc", required=True)
    parser.add_argument("--seconds", type=float, default=2, help="length of a window")
    parser.add_argument("--windows", type=int, default=5)
    arguments = parser.parse_args()
    python = os.environ.get("INGOT_TF_PYTHON")
    print("| records a second | Ingot |" + (" tf.data | ratio |" if python else ""))
    print("|---|---|" + ("---|---|" if python else ""))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_records(folder / "records.tfrecord")
        for name in ("single", "batch"):
            trainer = folder / name
            graph = BENCH / "input" / f"input-{name}.meta"
            subprocess.run([arguments.ingotc, graph, "-o", trainer], check=True)
            ours = rate(trainer, folder, arguments.seconds, arguments.windows)
            line = f"| parsed {'one by one' if name == 'single' else 'by batch'} | {ours:,.0f} |"
            if python:
                done = subprocess.run(
                    [python, "-c", TENSORFLOW, folder / "records.tfrecord", name, str(2 * arguments.seconds)],
                    capture_output=True, text=True, check=True)  # fmt: skip
                theirs = float(done.stdout.split()[-1])
                line += f" {theirs:,.0f} | {ours / theirs:.1f} |"
            print(line, flush=True)
        if python:
            images(arguments.ingotc, python, folder, arguments)
        subprocess.run([arguments.ingotc, BENCH / "input" / "input-large_buffer.meta", "-o", folder / "large"], check=True)
        print(f"A shuffle buffer of 1,000,000 records is back in {rebuild(folder / 'large', folder):.2f} s.")


if __name__ == "__main__":
    main()
