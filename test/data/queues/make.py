#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records graphs whose steps take from queues, and what TensorFlow 2.15's steps took from them.

    make.py

Threads of TensorFlow's QueueRunners fill the queues; before each step this waits until the sizes of all queues stay
as they are. Where each queue has one thread, the elements then depend on no race (docs/internals/queues.md).
Written are data/, GRAPH.meta.xz, and expected.json: for each graph the loss and the fetched tensors of every step.
"""
import json
import logging
import lzma
import os
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
v1.disable_resource_variables()
v1.disable_control_flow_v2()
logging.getLogger("tensorflow").setLevel(logging.ERROR)

RECORDS = [f"data/part-{k}.tfrecord" for k in range(3)]
LINES = [f"data/lines-{k}.csv" for k in range(2)]
FIXED = [f"data/fixed-{k}.bin" for k in range(2)]


def write_files():
    os.makedirs("data", exist_ok=True)
    number = 0
    for path, count in zip(RECORDS, (7, 5, 9)):
        with tf.io.TFRecordWriter(path) as writer:
            for _ in range(count):
                image = tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes([number] * 8)]))
                label = tf.train.Feature(int64_list=tf.train.Int64List(value=[number % 10]))
                features = tf.train.Features(feature={"image": image, "label": label})
                writer.write(tf.train.Example(features=features).SerializeToString())
                number += 1
    for k, path in enumerate(LINES):
        with open(path, "w", encoding="ascii") as file:
            file.write("a,b\n" + "".join(f"{k * 10 + i},{i}\n" for i in range(6)))
    for k, path in enumerate(FIXED):
        with open(path, "wb") as file:
            file.write(b"HEAD" + bytes(range(k * 30, k * 30 + 23)) + b"F")


def example(names):
    _, record = v1.TFRecordReader().read(names)
    features = tf.io.parse_single_example(
        record, {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)})
    image = tf.io.decode_raw(features["image"], tf.uint8)
    image.set_shape([8])
    return tf.cast(image, tf.float32) * (1 / 255.0), tf.cast(features["label"], tf.int32)


def model(x, y):
    x = tf.reshape(x, [-1, 8])
    w = v1.get_variable("w", [8, 10], initializer=v1.constant_initializer(np.linspace(-1, 1, 80).reshape(8, 10)))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(x, w)))
    v1.train.GradientDescentOptimizer(0.1).minimize(loss, v1.train.get_or_create_global_step())
    v1.losses.add_loss(loss)
    return loss


def batch():
    x, y = example(v1.train.string_input_producer(RECORDS, num_epochs=2, shuffle=False))
    x, y = v1.train.batch([x, y], 4, capacity=16)
    return model(x, y), {"x": x, "y": y}


def batch_small_final():
    x, y = example(v1.train.string_input_producer(RECORDS, num_epochs=1, shuffle=True, seed=5))
    x, y = v1.train.batch([x, y], 4, capacity=16, allow_smaller_final_batch=True)
    return model(x, y), {"x": x, "y": y}


def shuffled():
    x, y = example(v1.train.string_input_producer(RECORDS, num_epochs=2, shuffle=True, seed=3))
    x, y = v1.train.shuffle_batch([x, y], 4, capacity=16, min_after_dequeue=6, seed=11)
    return model(x, y), {"x": x, "y": y}


def endless():
    x, y = example(v1.train.string_input_producer(RECORDS, shuffle=True, seed=3, capacity=5))
    x, y = v1.train.shuffle_batch([x, y], 4, capacity=16, min_after_dequeue=6, seed=11)
    return model(x, y), {"x": x, "y": y}


def joined():
    """Two threads: the order is TensorFlow's of one run, each example comes once an epoch."""
    names = v1.train.string_input_producer(RECORDS, num_epochs=2, shuffle=False)
    x, y = v1.train.batch_join([example(names) for _ in range(2)], 4, capacity=16)
    return model(x, y), {"x": x, "y": y}


def lines():
    names = v1.train.string_input_producer(LINES, num_epochs=2, shuffle=False)
    k, text = v1.TextLineReader(skip_header_lines=1).read(names)
    a, b = tf.io.decode_csv(text, [[0], [0]])
    k, a, b = v1.train.batch([k, a, b], 5, capacity=10)
    return model(tf.cast(tf.stack([a, b] * 4, 1), tf.float32), b % 10), {"a": a, "b": b, "k": k}


def fixed():
    names = v1.train.string_input_producer(FIXED, num_epochs=2, shuffle=False)
    k, text = v1.FixedLengthRecordReader(4, header_bytes=4, footer_bytes=1, hop_bytes=3).read(names)
    a = tf.io.decode_raw(text, tf.uint8)
    a.set_shape([4])
    k, a = v1.train.batch([k, a], 3, capacity=10)
    x = tf.cast(tf.concat([a, a], 1), tf.float32)
    return model(x, tf.cast(a[:, 0] % 10, tf.int32)), {"a": tf.cast(a, tf.int32), "k": k}


def padded():
    n = v1.train.range_input_producer(20, num_epochs=2, shuffle=True, seed=4).dequeue()
    x, y = v1.train.batch([tf.range(n % 7 + 1), n % 10], 4, capacity=12, dynamic_pad=True)
    s = tf.cast(tf.reduce_sum(x, 1, keepdims=True), tf.float32)
    return model(tf.tile(s, [1, 8]), y), {"x": x, "y": y}


def slices():
    a, b = np.arange(30, dtype=np.float32).reshape(15, 2), np.arange(15, dtype=np.int32)
    x, y = v1.train.slice_input_producer([tf.constant(a), tf.constant(b)], num_epochs=2, shuffle=True, seed=9)
    x, y = v1.train.shuffle_batch([x, y], 4, capacity=12, min_after_dequeue=3, seed=2)
    return model(tf.tile(x, [1, 4]), y % 10), {"x": x, "y": y}


def priority():
    n = v1.train.range_input_producer(24, num_epochs=2, shuffle=True, seed=4).dequeue()
    queue = v1.PriorityQueue(10, [tf.int32, tf.float32], [[], [8]])
    enqueue = queue.enqueue([tf.cast(n // 3, tf.int64), n, tf.fill([8], tf.cast(n, tf.float32))])
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, [enqueue]))
    k, y, x = queue.dequeue_many(4)
    return model(x, y % 10), {"k": k, "y": y}


def chained():
    x, y = example(v1.train.string_input_producer(RECORDS, num_epochs=2, shuffle=False))
    x, y = v1.train.batch([x, y], 3, capacity=9)
    queue = v1.FIFOQueue(4, [tf.float32, tf.int32], [[3, 8], [3]])
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue([x, y])]))
    v1.summary.scalar("full", tf.cast(queue.size(), tf.float32) * 0.25)
    x, y = queue.dequeue()
    return model(x, y), {"x": x, "y": y}


def whole():
    k, text = v1.WholeFileReader().read(v1.train.string_input_producer(LINES + FIXED[:1], num_epochs=3, shuffle=False))
    k, n = v1.train.batch([k, tf.strings.length(text)], 2, capacity=4)
    return model(tf.fill([2, 8], tf.cast(n[0], tf.float32) / 100), n % 10), {"n": n, "k": k}


def many():
    """Rows of files, all of one file enqueued at once."""
    _, text = v1.WholeFileReader().read(v1.train.string_input_producer(LINES, num_epochs=3, shuffle=False))
    rows = tf.strings.split(tf.reshape(text, [1]), "\n").values
    rows = v1.train.batch([rows], 5, capacity=8, enqueue_many=True)
    n = tf.strings.length(rows)
    return model(tf.tile(tf.cast(n, tf.float32)[:, None], [1, 8]), n % 10), {"r": rows}


def accumulators():
    """Means of gradients, of which one is too old, and of rows; what a SyncReplicasOptimizer does in one process."""
    n = v1.train.range_input_producer(20, num_epochs=2, shuffle=False).dequeue()
    x = tf.cast(n + 1, tf.float32) * 0.1
    w = v1.get_variable("w", [2], initializer=v1.ones_initializer())
    rows = v1.get_variable("rows", [5, 2], initializer=v1.ones_initializer())
    step = v1.train.get_or_create_global_step()
    loss = tf.reduce_sum(tf.square(w)) * x + tf.reduce_sum(tf.square(rows)) * 0.1
    (slope,) = tf.gradients(loss, [w])
    dense = v1.ConditionalAccumulator(tf.float32, [2], name="dense")
    sums = v1.ConditionalAccumulator(tf.float32, [2], name="sums", reduction_type="SUM")
    sparse = v1.SparseConditionalAccumulator(tf.float32, [5, 2], name="sparse")
    taken = tf.cast(step, tf.int64)
    with tf.control_dependencies([slope]):
        first = [dense.apply_grad(slope, taken), sums.apply_grad(slope, taken),
                 sparse.apply_grad([n % 3, 4], [[x, 1.0], [2.0, x]], [5, 2], taken)]
    with tf.control_dependencies(first):
        second = [dense.apply_grad(slope * 2, taken), dense.apply_grad(slope * 100, taken - 1),
                  sums.apply_grad(slope * 3, taken), sparse.apply_grad([4], [[x, x]], [5, 2], taken)]
    with tf.control_dependencies(second):
        count = dense.num_accumulated()
    with tf.control_dependencies([count]):
        mean, total, part = dense.take_grad(2), sums.take_grad(1), sparse.take_indexed_slices_grad(1)
    optimizer = v1.train.GradientDescentOptimizer(0.01)
    optimizer.apply_gradients([(mean + total * 0.1, w), (part, rows)], step)
    v1.losses.add_loss(loss)
    return loss, {"mean": mean, "total": total, "values": part.values, "indices": part.indices, "count": count}


def buffers():
    """Queues that steps themselves fill, empty and close, and names that an IdentityReader hands on."""
    key, value = v1.IdentityReader().read(v1.train.string_input_producer(["a", "bc"], shuffle=False))
    n = v1.train.range_input_producer(20, num_epochs=2, shuffle=False).dequeue()
    x = tf.cast(n, tf.float32) * tf.constant([1.0, 0.5])
    queue = v1.FIFOQueue(9, [tf.float32], [[2]])
    other = v1.FIFOQueue(2, [tf.float32], [[]])
    step = v1.train.get_or_create_global_step()
    sums = v1.ConditionalAccumulator(tf.float32, [2], name="sums")
    with tf.control_dependencies([queue.enqueue([x])]):
        second = queue.enqueue_many([tf.stack([x + 1, x + 2])])
    with tf.control_dependencies([second]):
        first = queue.dequeue()
    with tf.control_dependencies([first]):
        rest = queue.dequeue_many(tf.where(n % 2 > 0, 3, 1))
    with tf.control_dependencies([rest]):
        size = queue.size()
    closing = tf.cond(tf.equal(step, 3), other.close, tf.no_op)
    with tf.control_dependencies([closing]):
        closed = other.is_closed()
    with tf.control_dependencies([sums.set_global_step(tf.cast(step, tf.int64))]):
        applied = sums.apply_grad(first + tf.reduce_sum(rest, 0), tf.cast(step - tf.cast(n % 3 > 1, tf.int64), tf.int64))
    with tf.control_dependencies([applied, size, closed]):
        count = sums.num_accumulated()
    y = tf.strings.length(value) + tf.cast(closed, tf.int32)
    return model(tf.tile(first, [4]), y[None]), {"first": first, "rest": rest, "size": size, "closed": closed, "k": key,
                                                 "count": count}  # fmt: skip


def staged():
    """A staging area, which a step fills before it takes from it."""
    n = v1.train.range_input_producer(20, num_epochs=2, shuffle=True, seed=4).dequeue()
    area = tf.raw_ops
    x = tf.cast(n, tf.float32) * tf.range(8, dtype=tf.float32)
    kind = {"capacity": 3, "shared_name": "area", "dtypes": [tf.float32, tf.int32]}
    stage = area.Stage(values=[x, n % 10], capacity=3, shared_name="area")
    with tf.control_dependencies([stage]):
        size = area.StageSize(**kind)
    with tf.control_dependencies([size]):
        x, y = area.Unstage(**kind)
    x.set_shape([8])
    y.set_shape([])
    return model(x * 0.01, y[None]), {"x": x, "y": y, "size": size}


def kept():
    """Only some examples: the enqueue op is in a branch."""
    x, y = example(v1.train.string_input_producer(RECORDS, num_epochs=2, shuffle=True, seed=6))
    x, y = v1.train.maybe_batch([x, y], tf.not_equal(y % 3, 1), 4, capacity=16)
    return model(x, y), {"x": x, "y": y}


def kept_rows():
    """Only some rows of each batch."""
    x, y = example(v1.train.string_input_producer(RECORDS, num_epochs=3, shuffle=True, seed=8))
    x, y = v1.train.batch([x, y], 5, capacity=10)
    x, y = v1.train.maybe_shuffle_batch([x, y], 4, 16, 6, tf.equal(y % 2, 0), seed=9, enqueue_many=True)
    return model(x, y), {"x": x, "y": y}


def kept_batches():
    """Only some batches, whose rows are shuffled."""
    x, y = example(v1.train.string_input_producer(RECORDS, num_epochs=3, shuffle=True, seed=8))
    x, y = v1.train.batch([x, y], 3, capacity=9)
    x, y = v1.train.maybe_shuffle_batch([x, y], 4, 16, 6, tf.reduce_sum(y) > 9, seed=9, enqueue_many=True)
    return model(x, y), {"x": x, "y": y}


def counted():
    """What no runner runs: the branch counts, too, what it enqueues. Only the graph is kept."""
    n = v1.train.range_input_producer(20, shuffle=False, capacity=5).dequeue()
    count = v1.get_variable("count", [], tf.int32, initializer=v1.zeros_initializer(), trainable=False)
    queue = v1.FIFOQueue(6, [tf.int32], [[]])

    def enqueue():
        with tf.control_dependencies([v1.assign_add(count, 1)]):
            return queue.enqueue(n)

    enqueued = tf.cond(tf.equal(n % 3, 0), enqueue, tf.no_op)
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, [enqueued]))
    return model(tf.cast(tf.tile(queue.dequeue()[None], [8]), tf.float32), tf.constant([1])), {}


def several():
    """Up to four records of a file at a time."""
    names = v1.train.string_input_producer(RECORDS, num_epochs=2, shuffle=True, seed=2)
    _, records = v1.TFRecordReader().read_up_to(names, 4)
    features = tf.io.parse_example(records, {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)})
    x = tf.reshape(tf.cast(tf.io.decode_raw(features["image"], tf.uint8), tf.float32), [-1, 8]) * (1 / 255.0)
    x, y = v1.train.shuffle_batch([x, tf.cast(features["label"], tf.int32)], 5, 20, 4, seed=3, enqueue_many=True)
    return model(x, y), {"x": x, "y": y}


def several_in_step():
    """A step reads up to four lines itself."""
    names = v1.train.string_input_producer(LINES, num_epochs=3, shuffle=False)
    keys, values = v1.TextLineReader(skip_header_lines=1).read_up_to(names, 4)
    a, b = tf.io.decode_csv(values, [[0.0], [0]])
    return model(tf.tile(a[:, None], [1, 8]) * 0.01, b % 10), {"a": a, "b": b, "k": keys}


def synced(optimizer, replicas, total, loss, **more):
    """What the chief of a SyncReplicasOptimizer runs: the train op, what it runs once before, and its queue runner."""
    optimizer = v1.train.SyncReplicasOptimizer(optimizer, replicas, total, **more)
    train = optimizer.minimize(loss, v1.train.get_or_create_global_step())
    v1.losses.add_loss(loss)
    return train, [optimizer.chief_init_op, optimizer.get_init_tokens_op()], optimizer.get_chief_queue_runner()


def embedded(**kind):
    """A loss of rows of a table, in any order and some of them twice, and of a matrix."""
    n = v1.train.range_input_producer(20, num_epochs=2, shuffle=False).dequeue()
    ids = tf.stack([n % 7, n * 3 % 7, n % 5])
    table = v1.get_variable("table", [7, 4], initializer=v1.constant_initializer(np.linspace(-1, 1, 28).reshape(7, 4)), **kind)
    w = v1.get_variable("w", [4, 3], initializer=v1.constant_initializer(np.linspace(1, -1, 12).reshape(4, 3)), **kind)
    logits = tf.matmul(tf.nn.embedding_lookup(table, ids), w)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=ids % 3, logits=logits)), ids, [table, w]


def replicas():
    """Two of three replicas suffice: tokens are left over, so that some gradients are too old."""
    loss, ids, _ = embedded()
    return loss, {"ids": ids}, synced(v1.train.GradientDescentOptimizer(0.5), 2, 3, loss)


def averaged_replicas():
    """Three gradients of two replicas; moving averages, which the queue runner updates after it has enqueued tokens."""
    loss, ids, variables = embedded(use_resource=True)
    averages = {"variable_averages": tf.train.ExponentialMovingAverage(0.9), "variables_to_average": variables}
    run = synced(v1.train.AdamOptimizer(0.05), 3, 2, loss, **averages)
    v1.train.add_queue_runner(run[2])
    return loss, {"ids": ids}, run


GRAPHS = (batch, batch_small_final, shuffled, endless, joined, lines, fixed, padded, slices, priority, chained, whole,
          many, accumulators, buffers, staged, kept, kept_rows, kept_batches, several, several_in_step, replicas,
          averaged_replicas)  # fmt: skip


def plain(value):
    value = np.asarray(value, object if isinstance(value, bytes) else None)
    if value.dtype == object:
        return [text.decode() for text in value.ravel()]
    return [float(f"{x:.7g}") if isinstance(x, float) else x for x in value.ravel().tolist()]


def record(build, steps=40):
    name = build.__name__
    with tf.Graph().as_default() as graph:
        v1.set_random_seed(7)
        loss, extra, *chief = build()
        v1.train.Scaffold().finalize()
        graph._unsafe_unfinalize()
        meta = v1.train.export_meta_graph().SerializeToString()
        with open(name + ".meta.xz", "wb") as file:
            file.write(lzma.compress(meta, preset=9 | lzma.PRESET_EXTREME))
        queues = [op for op in graph.get_operations() if op.type.endswith("QueueV2")]
        sizes = [tf.raw_ops.QueueSizeV2(handle=queue.outputs[0]) for queue in queues]
        rows = []
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
            coordinator = v1.train.Coordinator()
            train, starts, runner = chief[0] if chief else (graph.get_collection("train_op")[0], [], None)
            for start in starts:
                session.run(start)
            threads = v1.train.start_queue_runners(session, coordinator)
            if runner and runner not in graph.get_collection("queue_runners"):
                threads += runner.create_threads(session, coordinator, daemon=True, start=True)

            def settle():
                last, same = None, 0
                while same < 4:
                    now = session.run(sizes)
                    same = same + 1 if now == last else 0
                    last = now
                    time.sleep(0.01)

            try:
                for _ in range(steps):
                    settle()
                    value, _, more = session.run([loss, train, extra])
                    rows.append({"loss": float(f"{value:.7g}"), **{key: plain(more[key]) for key in more}})
            except tf.errors.OutOfRangeError:
                pass
            coordinator.request_stop()
            try:
                coordinator.join(threads, stop_grace_period_secs=2, ignore_live_threads=True)
            except tf.errors.OpError:
                pass  # a thread that waited was cancelled
    return {"fetch": {key: tensor.name for key, tensor in extra.items()}, "rows": rows}


if __name__ == "__main__":
    write_files()
    record(counted, steps=0)
    expected = {build.__name__: record(build) for build in GRAPHS}
    with open("expected.json", "w", encoding="ascii") as output:
        json.dump(expected, output, separators=(",", ":"))
        output.write("\n")
