# SPDX-License-Identifier: Apache-2.0
"""Writes orders.txt: the order in which TensorFlow hands out elements.

Usage: make_orders.py > orders.txt        (made with tensorflow-cpu 2.15.1)

Each line is a pipeline over range(n), the graph's seeds that its shuffles
got, and the elements that TensorFlow's own iterator gave, batches joined:

    name | shuffle seeds ... | batch sizes | elements

The graphs are built TF1-style, with an initializable iterator and tf.data's
default graph rewrites, as training scripts of that time do. The C++ test
builds the pipeline of the same name by hand.
"""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()

range_ = tf.data.Dataset.range
experimental = tf.data.experimental


def shuffled(n, buffer, seed, reshuffle=True):
    return range_(n).shuffle(buffer, seed=seed, reshuffle_each_iteration=reshuffle)


def runs(i):
    """0 to 4 numbers from 10 * i on."""
    return range_(10 * i, 10 * i + (i * 7) % 5)


def lengths(n):
    """Vectors of 0 to 4 numbers."""
    return range_(n).flat_map(lambda i: runs(i).batch(10))


def choice(n):
    """0 1 1 0 1 1, then the third input's turn."""
    return range_(n).map(lambda x: tf.where(x < 6, x * x % 3, x % 3))


CASES = {
    # name: (pipeline, elements to take at most)
    "buffer_4_of_10": (lambda: shuffled(10, 4, 7), 100),
    "buffer_1": (lambda: shuffled(10, 1, 7), 100),
    "buffer_larger_than_input": (lambda: shuffled(10, 100, 3), 100),
    "buffer_equals_input": (lambda: shuffled(10, 10, 3), 100),
    "repeat_3": (lambda: shuffled(10, 4, 7).repeat(3), 100),
    "repeat_forever": (lambda: shuffled(10, 4, 7).repeat(), 95),
    "repeat_forever_whole_buffer": (lambda: shuffled(23, 1000, 11).repeat(), 200),
    "no_reshuffle": (lambda: shuffled(10, 4, 7, False).repeat(3), 100),
    "no_seed_but_graph_seed": (lambda: shuffled(12, 5, None).repeat(2), 100),
    "zero_seeds": (lambda: shuffled(12, 5, 0).repeat(2), 100),
    "repeat_of_repeat": (lambda: shuffled(6, 3, 5).repeat(2).repeat(3), 100),
    # A dataset between the two keeps shuffle_and_repeat_fusion from joining them.
    "repeat_of_repeat_not_fused": (lambda: shuffled(6, 3, 5).take(6).repeat(2).repeat(3), 100),
    "repeat_not_fused": (lambda: shuffled(9, 4, 5).take(9).repeat(4), 100),
    "repeat_empty_passes": (lambda: shuffled(6, 3, 5).skip(6).repeat(3), 100),
    "shuffle_of_shuffle": (lambda: shuffled(12, 4, 1).shuffle(6, seed=2).repeat(3), 100),
    "shuffle_of_repeat": (lambda: shuffled(7, 3, 1).repeat(2).shuffle(5, seed=2).repeat(3), 100),
    "shuffle_of_shuffle_repeat_of_repeat": (lambda: shuffled(5, 3, 1).shuffle(3, seed=2).repeat(2).repeat(2), 100),
    "repeat_then_shuffle": (lambda: range_(9).repeat(3).shuffle(8, seed=4), 100),
    "batch_across_epochs": (lambda: shuffled(10, 4, 7).repeat().batch(4, drop_remainder=True).prefetch(2), 60),
    "batch_short_each_epoch": (lambda: shuffled(10, 4, 7).batch(4).repeat(3), 100),
    "batch_drop_each_epoch": (lambda: shuffled(10, 4, 7).batch(4, drop_remainder=True).repeat(3), 100),
    "take_of_shuffle_repeat": (lambda: shuffled(10, 4, 7).take(6).repeat(4), 100),
    "skip_of_shuffle_repeat": (lambda: shuffled(10, 4, 7).skip(6).repeat(4), 100),
    "concatenate_repeat": (lambda: shuffled(5, 3, 1).concatenate(shuffled(4, 2, 9)).take(7).repeat(4), 100),
    "concatenate_cut_before_second": (lambda: shuffled(5, 3, 1).concatenate(shuffled(4, 2, 9)).take(4).repeat(2).concatenate(range_(3)), 100),
    "flat_map_of_shuffles": (lambda: range_(3, 6).flat_map(lambda i: tf.data.Dataset.range(i).shuffle(4, seed=8)).repeat(2), 100),
    "repeat_of_repeat_in_function": (lambda: range_(1).flat_map(lambda i: shuffled(6, 3, 5).repeat(2).repeat(3)), 100),
    "digits": (lambda: shuffled(1400, 500, 7).repeat().batch(64, drop_remainder=True).prefetch(2), 64 * 90),
    "interleave_2_1": (lambda: range_(6).interleave(runs, cycle_length=2, block_length=1), 100),
    "interleave_3_2_repeat": (lambda: range_(9).interleave(runs, cycle_length=3, block_length=2).repeat(2), 100),
    "interleave_more_places_than_inputs": (lambda: range_(5).interleave(runs, cycle_length=8, block_length=3), 100),
    "interleave_parallel": (lambda: range_(9).interleave(runs, cycle_length=3, block_length=2, num_parallel_calls=2), 100),
    "interleave_of_shuffles": (lambda: range_(3, 7).interleave(lambda i: tf.data.Dataset.range(i).shuffle(4, seed=8), cycle_length=2).repeat(2), 100),
    "interleave_of_shuffled": (lambda: shuffled(7, 4, 3).interleave(runs, cycle_length=3).repeat(2), 100),
    "filter_of_shuffle": (lambda: shuffled(20, 5, 3).filter(lambda x: tf.equal(x % 3, 1)).repeat(3), 100),
    "shard_of_shuffle_repeat": (lambda: shuffled(11, 4, 3).shard(3, 1).repeat(3), 100),
    "shard_batch": (lambda: range_(17).shard(4, 3).batch(2), 100),
    "cache_of_shuffle": (lambda: shuffled(8, 4, 3).cache().repeat(3), 100),
    "cache_below_shuffle": (lambda: range_(8).cache().shuffle(4, seed=3).repeat(3), 100),
    "cache_cut_early": (lambda: shuffled(8, 4, 3).cache().take(5).repeat(3), 100),
    "unbatch_of_batch": (lambda: shuffled(10, 4, 3).batch(4).unbatch().repeat(2), 100),
    "unbatch_shuffle_batch": (lambda: range_(10).batch(3).unbatch().shuffle(4, seed=3).batch(4).repeat(2), 100),
    "window_overlapping": (lambda: shuffled(10, 4, 7).window(4, shift=2).flat_map(lambda w: w.batch(4)).repeat(2), 100),
    "window_stride_drop": (lambda: range_(20).window(3, shift=4, stride=3, drop_remainder=True).flat_map(lambda w: w.batch(3)), 100),
    "window_of_all": (lambda: range_(7).window(100).flat_map(lambda w: w.batch(3)), 100),
    "window_gaps": (lambda: range_(11).window(2, shift=5, stride=2).flat_map(lambda w: w), 100),
    "window_shuffled": (lambda: range_(12).window(3).shuffle(3, seed=4).flat_map(lambda w: w.batch(2)).repeat(2), 100),
    "scan_of_shuffle": (lambda: shuffled(6, 3, 7).scan(np.int64(5), lambda s, x: (s + x, s * 100 + x)).repeat(2), 100),
    "take_while_of_shuffle": (lambda: shuffled(10, 4, 7).take_while(lambda x: x < 7).repeat(3), 100),
    "interleave_legacy_3_2": (lambda: range_(9).apply(experimental.parallel_interleave(runs, cycle_length=3, block_length=2)).repeat(2), 100),
    "interleave_legacy_of_shuffled": (lambda: shuffled(7, 4, 3).apply(experimental.parallel_interleave(runs, cycle_length=2, prefetch_input_elements=1)).repeat(2), 100),
    "map_and_batch": (lambda: shuffled(10, 4, 7).apply(experimental.map_and_batch(lambda x: x * 10, 4)).repeat(2), 100),
    "shuffle_and_repeat": (lambda: range_(8).apply(experimental.shuffle_and_repeat(4, 3, seed=7)), 100),
    "rebatch_3": (lambda: shuffled(10, 4, 7).batch(4).rebatch(3).repeat(2), 100),
    "rebatch_sizes_drop": (lambda: range_(10).batch(4).rebatch([2, 1, 3], drop_remainder=True).repeat(2), 100),
    "rebatch_sizes": (lambda: range_(10).batch(4).rebatch([2, 1, 4]).repeat(2), 100),
    "enumerate_of_shuffle": (lambda: shuffled(6, 3, 7).enumerate(10).map(lambda i, x: i * 100 + x).repeat(2), 100),
    "padded_batch": (lambda: lengths(8).padded_batch(3, [None], np.int64(-1)).repeat(2), 100),
    "random_numbers": (lambda: tf.data.Dataset.random(seed=3).take(6).repeat(2), 100),
    "random_numbers_anew": (lambda: tf.data.Dataset.random(seed=3, rerandomize_each_iteration=True).take(6).repeat(3), 100),
    "chosen": (lambda: tf.data.Dataset.choose_from_datasets(
        [shuffled(4, 3, 7), range_(10, 14), range_(20, 26)], choice(30), stop_on_empty_dataset=False).repeat(2), 100),
    "chosen_until_one_ends": (lambda: tf.data.Dataset.choose_from_datasets(
        [shuffled(4, 3, 7), range_(10, 14), range_(20, 26)], choice(30)).repeat(2), 100),
    "large_seeds": (lambda: shuffled(20, 8, 1234567890123).repeat(2), 100),
}


def run(build, limit):
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(42)
        iterator = tf.data.make_initializable_iterator(build())
        element = iterator.get_next()
        ops = [o for o in graph.get_operations() if o.type in ("ShuffleDataset", "ShuffleAndRepeatDataset")]
        seeded = [o.inputs[2:4] for o in ops] + [o.inputs[:2] for o in graph.get_operations() if o.type.startswith("RandomDataset")]
        # The one shuffle within a function has its seeds as constants there.
        inner = [n.attr["value"].tensor.int64_val[0] for f in graph.as_graph_def().library.function
                 for n in f.node_def if n.name in ("seed", "seed2/Const")]
        sizes, order = [], []
        with tf.Session() as session:
            seeds = inner or [int(s) for pair in seeded for s in session.run(list(pair))]
            session.run(iterator.initializer)
            try:
                while len(order) < limit:
                    value = np.ravel(session.run(element))
                    sizes.append(len(value))
                    order += [int(v) for v in value]
            except tf.errors.OutOfRangeError:
                pass
    return seeds, sizes, order


def text(numbers):
    return " ".join(str(n) for n in numbers)


if __name__ == "__main__":
    print("# Made by make_orders.py with TensorFlow", tf.__version__)
    for name, (build, limit) in CASES.items():
        seeds, sizes, order = run(build, limit)
        print(name, "|", text(seeds), "|", text(sizes) if max(sizes, default=0) > 1 else "", "|", text(order))
