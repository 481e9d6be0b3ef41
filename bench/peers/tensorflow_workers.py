# SPDX-License-Identifier: Apache-2.0
"""MultiWorkerMirroredStrategy on an MLP of models.py: milliseconds a step, and a hash of the trained variables, for 1 and
2 workers of one thread on this machine. bench/scale.py measures Ingot's ranks on the same model.
Usage: tensorflow_workers.py MODEL [STEPS]"""
import hashlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent)]
import models

WARM_UP = 10


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("localhost", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def layers(tf, spec):
    widths = [*spec["hidden"], spec["classes"]]
    return [tf.keras.layers.Dense(width, activation="relu" if i + 1 < len(widths) else None,
                                  kernel_initializer=tf.keras.initializers.GlorotUniform(seed=i))
            for i, width in enumerate(widths)]  # fmt: skip


def work(name, steps):
    """Trains as one of the workers that TF_CONFIG names."""
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    spec = models.MODELS[name]
    inputs, labels = models.batch_of(spec)
    dataset = tf.data.Dataset.from_tensors((inputs, labels)).unbatch().batch(spec["batch"]).repeat()
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    with strategy.scope():
        model = tf.keras.Sequential(layers(tf, spec))
        model.build((None, spec["features"]))
        optimizer = {"adam": tf.keras.optimizers.Adam, "sgd": tf.keras.optimizers.SGD}[spec["optimizer"]](spec["rate"])
        optimizer.build(model.trainable_variables)
    batches = iter(strategy.experimental_distribute_dataset(dataset.with_options(options)))

    def step(x, y):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, model(x))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=spec["batch"])
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    @tf.function
    def train(x, y):
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, (x, y)), axis=None)

    for _ in range(WARM_UP):
        train(*next(batches))
    start = time.monotonic()
    for _ in range(steps):
        loss = train(*next(batches))
    seconds = time.monotonic() - start
    values = hashlib.sha256(b"".join(variable.numpy().tobytes() for variable in model.trainable_variables)).hexdigest()
    print(json.dumps({"ms": seconds / steps * 1000, "loss": float(loss), "variables": values[:16]}), flush=True)


def main():
    name, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    if "TF_CONFIG" in os.environ:
        work(name, steps)
        return
    for workers in (1, 2):
        cluster = {"worker": [f"localhost:{port}" for port in free_ports(workers)]}
        running = []
        for index in range(workers):
            config = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": index}})
            running.append(subprocess.Popen([sys.executable, __file__, name, str(steps)], stdout=subprocess.PIPE, text=True,
                                            stderr=subprocess.DEVNULL, env={**os.environ, "TF_CONFIG": config}))  # fmt: skip
        said = [json.loads(one.communicate()[0].strip().split("\n")[-1]) for one in running]
        print(f"| {name} | {workers} | {said[0]['ms']:.2f} | {said[0]['loss']:.9g} | {said[0]['variables']} |")


if __name__ == "__main__":
    main()
