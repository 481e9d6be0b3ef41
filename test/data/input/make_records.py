# SPDX-License-Identifier: Apache-2.0
"""Writes records.tfrecord, .tfrecord.gz, .tfrecord.zlib and records.txt.

Usage: make_records.py OUT_DIR            (made with tensorflow-cpu 2.15.1)

40 Examples with a float feature of shape [3], an int64 scalar and a string;
some have a value packed, some unpacked, some lack the feature that has a
default, some have features that are not parsed. records.txt has the results
of TensorFlow's own parse_single_example, a line per record: the
floats' bits in hex | the integer | the string in hex | the default's integer.
"""
import os, struct, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)


def varint(n):
    out = b""
    n &= (1 << 64) - 1
    while n >= 0x80:
        out += bytes([n & 0x7f | 0x80]); n >>= 7
    return out + bytes([n])


def delimited(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def unpacked(x, y):
    """The Example in the wire form of old writers: one tag for each value, key after value, an unknown field."""
    floats = b"".join(b"\x0d" + struct.pack("<f", v) for v in x)
    entry = lambda key, feature: delimited(1, delimited(2, feature) + delimited(1, key))
    return delimited(1, entry(b"x", delimited(2, floats)) + entry(b"y", delimited(3, b"\x08" + varint(y)))
                     + entry(b"s", delimited(1, delimited(1, b"old")))) + b"\x98\x06\x01"


def records():
    for i in range(40):
        x = rng.randn(3).astype(np.float32); y = int(rng.randint(-2**62, 2**62))
        if i % 5 == 4:
            yield unpacked(x, y); continue
        f = {"x": tf.train.Feature(float_list=tf.train.FloatList(value=x)),
             "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[y])),
             "s": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes(rng.randint(0, 256, i * 7 % 50, dtype=np.uint8))]))}
        if i % 3 == 0: f["d"] = tf.train.Feature(int64_list=tf.train.Int64List(value=[i, -i]))
        if i % 4 == 0: f["other"] = tf.train.Feature(float_list=tf.train.FloatList(value=rng.randn(20)))
        yield tf.train.Example(features=tf.train.Features(feature=f)).SerializeToString()


if __name__ == "__main__":
    out = sys.argv[1]; all_records = list(records())
    for name, kind in ("records.tfrecord", ""), ("records.tfrecord.gz", "GZIP"), ("records.tfrecord.zlib", "ZLIB"):
        with tf.io.TFRecordWriter(os.path.join(out, name), options=kind) as w:
            for r in all_records: w.write(r)
    spec = {"x": tf.io.FixedLenFeature([3], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64), "s": tf.io.FixedLenFeature([], tf.string),
            "d": tf.io.FixedLenFeature([2], tf.int64, default_value=[7, 8])}
    with open(os.path.join(out, "records.txt"), "w") as f:
        print("# Made by make_records.py with TensorFlow", tf.__version__, file=f)
        for r in all_records:
            e = tf.io.parse_single_example(r, spec)
            print(" ".join("%08x" % b for b in e["x"].numpy().view(np.uint32)), "|", e["y"].numpy(), "|", e["s"].numpy().hex(), "|", *e["d"].numpy(), file=f)
