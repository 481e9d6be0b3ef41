# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's Saver on the state that ingot-checkpoint-speed saves: MiB a second
of save, of save until it is on the disk, and of restore, the best of a few rounds.
Usage: tensorflow_saver.py FOLDER MIB VARIABLES SHARDS ROUNDS"""
import glob
import os
import sys
import time

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
folder, (mib, variables, shards, rounds) = sys.argv[1], map(int, sys.argv[2:])
for i in range(variables):
    with tf.device(f"/cpu:{i % shards}"):
        tf.get_variable(
            f"variable_{i:03}", [mib * 2**18 // variables],
            initializer=tf.random_uniform_initializer(seed=i),
        )  # fmt: skip
saver = tf.train.Saver(sharded=True)
saves, synced, restores = [], [], []
with tf.Session(config=tf.ConfigProto(device_count={"CPU": shards})) as session:
    session.run(tf.global_variables_initializer())
    for step in range(rounds):
        start = time.perf_counter()
        prefix = saver.save(session, folder + "/tf", global_step=step, write_meta_graph=False)
        saves.append(mib / (time.perf_counter() - start))
        for path in glob.glob(prefix + ".*"):
            with open(path, "rb") as file:
                os.fsync(file.fileno())
        synced.append(mib / (time.perf_counter() - start))
        start = time.perf_counter()
        saver.restore(session, prefix)
        restores.append(mib / (time.perf_counter() - start))
print(max(saves), max(synced), max(restores))
