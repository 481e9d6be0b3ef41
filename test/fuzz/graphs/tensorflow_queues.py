# SPDX-License-Identifier: Apache-2.0
"""TensorFlow 1's queue-fed input in random graphs that TensorFlow makes (tensorflow_graphs.py).

Each runner has one thread, so the order of elements does not depend on time if the queues are full when a step begins.
"""
import random
import time

import tensorflow as tf
from tensorflow.python.util import deprecation

deprecation._PRINT_DEPRECATION_WARNINGS = False  # pylint: disable=protected-access
v1 = tf.compat.v1


def preprocess(rng, feature, label):
    """One example as a runner changes it; sometimes by random numbers."""
    if feature.dtype.is_floating:
        if rng.random() < 0.3:
            feature = feature * rng.choice([0.5, 1.5]) + 0.25
        if rng.random() < 0.3:
            feature += 0.1 * v1.random_normal(feature.shape, seed=rng.randrange(5))
        if rng.random() < 0.2:
            feature = tf.cond(v1.random_uniform([], seed=rng.randrange(5)) < 0.5, lambda: tf.reverse(feature, [0]), lambda: -feature)
    elif rng.random() < 0.3:
        feature = tf.reverse(feature, [0])
    return feature, label


def queued(x, y, batch, seed):
    """The features and labels of a step: examples from slice_input_producer() in batches."""
    rng = random.Random(seed)
    feature, label = v1.train.slice_input_producer(
        [x, y], shuffle=rng.random() < 0.5, seed=rng.randrange(1, 100), capacity=rng.choice([1, 3, 32]))  # fmt: skip
    feature, label = preprocess(rng, feature, label)
    smaller = rng.random() < 0.3
    capacity = batch + rng.choice([0, 1, batch, 2 * batch + 1])
    if rng.random() < 0.5:
        return v1.train.batch([feature, label], batch, capacity=capacity, allow_smaller_final_batch=smaller)
    least = rng.choice([0, 1, batch])
    return v1.train.shuffle_batch(
        [feature, label], batch, capacity=capacity + least + 1, min_after_dequeue=least, seed=rng.randrange(1, 100),
        allow_smaller_final_batch=smaller)  # fmt: skip


class Runners:
    """The threads that fill a graph's queues, while a `with` block lasts."""

    def __init__(self, session):
        self.session, self.queues = session, []
        with session.graph.as_default():
            for op in session.graph.get_operations():
                if op.type in ("FIFOQueueV2", "RandomShuffleQueueV2"):
                    self.queues.append((tf.raw_ops.QueueSizeV2(handle=op.outputs[0]), op.get_attr("capacity")))

    def __enter__(self):
        self.coordinator = v1.train.Coordinator()
        if self.queues:
            with self.session.graph.as_default():
                v1.train.start_queue_runners(self.session, self.coordinator)
        return self

    def fill(self):
        """Waits until all queues are full."""
        while self.queues and not self.coordinator.should_stop():
            sizes = self.session.run([size for size, _ in self.queues])
            if all(size == capacity for size, (_, capacity) in zip(sizes, self.queues)):
                return
            time.sleep(0.001)

    def __exit__(self, kind, error, trace):
        self.coordinator.request_stop()
