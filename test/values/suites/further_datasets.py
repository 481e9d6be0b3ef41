# SPDX-License-Identifier: Apache-2.0
"""Datasets that fewer scripts use, and functions of datasets that draw random numbers."""
import numpy as np
import tensorflow as tf

from suite import F32, INITIALIZERS, Suite, raw, v1
from suites.datasets import INT64, Raw, constant, numbers, of, scalars, taken, vectors

Data = tf.data.Dataset
experimental = tf.data.experimental

ROWS = b'id,x,"what\nit is"\n1,0.5,plain\n2,,"a ""quote"", a comma"\n,-3e1,\n4, 7 ,"two\nlines"\r\n5,1,end'


def noisy(n):
    """Numbers of every kind, from seeds of their own."""
    x = tf.cast(n, F32) + tf.random.uniform([2], seed=3) + tf.random.normal([2], seed=4)
    y = tf.random.truncated_normal([2], seed=5) + tf.cast(tf.random.uniform([2], 0, 9, tf.int32, seed=6), F32)
    classes = tf.random.categorical(tf.zeros([1, 5]), 2, seed=7)[0]
    return x, y, tf.random.shuffle(tf.range(4), seed=8), classes


def further_datasets():
    suite = Suite("further_datasets")
    suite.file("rows.csv", ROWS)

    def case(name, make, times, **more):
        suite.case(name, lambda: taken(make(), times), **more)

    default = lambda value, dtype=None: tf.constant([value], dtype)
    columns = lambda: [default(-1, tf.int64), default(0.25), default("none")]
    numbered = lambda i, x, s: (i, x, tf.strings.length(s))
    case("csv", lambda: experimental.CsvDataset("rows.csv", columns(), header=True).map(numbered).repeat(), 7)
    case("csv_required", lambda: experimental.CsvDataset(["rows.csv"] * 2, [tf.int64], header=True, select_cols=[0]), 2)
    case("csv_without", lambda: experimental.CsvDataset("rows.csv", [default(0.25, tf.float64)], header=True, exclude_cols=[0, 2]), 5)
    case("CSVDataset", lambda: Raw(raw.CSVDataset(filenames="rows.csv", compression_type="", buffer_size=constant(32), header=True, field_delim=",",
        use_quote_delim=True, na_value="", select_cols=constant([0]), record_defaults=[default(5)], output_shapes=[[]]), tf.TensorSpec([], tf.int32)), 5)  # fmt: skip

    keys = lambda n: n % 3
    case("grouped", lambda: numbers(20).group_by_window(keys, lambda key, window: window.batch(4), window_size=3), 8)
    case("grouped_by_size", lambda: numbers(20).group_by_window(keys, lambda key, window: window.map(lambda n: n * 10 + key).batch(2),
        window_size_func=lambda key: key + 2), 9)  # fmt: skip
    case("grouped_pairs", lambda: Data.zip((numbers(9), numbers(9).map(lambda n: n * n))).group_by_window(
        lambda a, b: b % 2, lambda key, window: window.batch(3), window_size=3), 3)  # fmt: skip
    case("bucketed", lambda: numbers(15).map(lambda n: tf.range(n % 6)).bucket_by_sequence_length(
        lambda x: tf.size(x), [2, 4], [3, 2, 2], padding_values=np.int64(-1)), 6)  # fmt: skip
    case("sliding", lambda: vectors(raw.SlidingWindowDataset(input_dataset=of(numbers(9)), window_size=constant(3), window_shift=constant(2),
        window_stride=constant(1), output_types=[tf.int64], output_shapes=[[3]]), numbers(9)), 4)  # fmt: skip
    case("unique", lambda: numbers(20).map(lambda n: n * n % 7).unique().repeat(), 6)
    case("ignored_errors", lambda: numbers(9).map(lambda n: tf.debugging.check_numerics(12 / (n % 4), "none")).apply(experimental.ignore_errors()), 6)
    case("fastest", lambda: scalars(raw.ChooseFastestDataset(input_datasets=[of(numbers(5)), of(numbers(5))], num_experiments=2, **INT64), numbers(5)), 4)

    example = lambda n: tf.train.Example(features=tf.train.Features(feature={
        "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[n])),
        "a": tf.train.Feature(float_list=tf.train.FloatList(value=[n / 2, n / 4]))})).SerializeToString()  # fmt: skip
    features = {"n": tf.io.FixedLenFeature([], tf.int64), "a": tf.io.FixedLenFeature([2], tf.float32)}
    case("parsed", lambda: Data.from_tensor_slices([example(n) for n in range(7)]).batch(3).apply(
        experimental.parse_example_dataset(features)), 3)  # fmt: skip

    failing = lambda: Data.from_tensor_slices(np.array([1, np.nan, 2, np.nan, 3, 4, 5, 6, 7], F32)).map(lambda x: tf.debugging.check_numerics(x, "none"))
    windows = lambda *sizes: failing().window(*sizes).flat_map(lambda window: window.batch(9))
    case("windows_pass_over_failures", lambda: windows(2, 2, 2, True), 4)
    case("windows_pass_over_failures_between", lambda: windows(1, 4), 3)
    case("windows_fail_one_by_one", lambda: windows(2, 1, 2).apply(experimental.ignore_errors()), 5)
    case("windows_that_are_short_fail_with_nothing", lambda: windows(9, 2, 2, True).concatenate(numbers(2).map(lambda n: tf.cast(n, F32)[None])), 2)

    shuffled = lambda **more: numbers(10).shuffle(10, seed=3, **more)
    case("shuffles_side_by_side", lambda: Data.zip((shuffled().repeat(3), shuffled().repeat(3))), 25)
    case("shuffles_side_by_side_that_stay", lambda: Data.zip((shuffled(reshuffle_each_iteration=False).repeat(3),
        shuffled(reshuffle_each_iteration=False).repeat(3))), 25)  # fmt: skip
    case("shuffles_one_after_the_other", lambda: Data.zip((shuffled().concatenate(shuffled()), numbers(20))), 15)

    def variable(value):
        return tf.Variable(tf.constant(value, tf.int64), use_resource=True, name="held")

    def reading(make, value, times):
        held = variable(value)
        return taken(make(held), times)

    def reads(name, make, times, value=3):
        suite.case(name, lambda: reading(make, value, times))

    reads("variable_in_map", lambda v: numbers(5).map(lambda n: n + v), 3)
    reads("variable_of_two_in_map", lambda v: numbers(5).map(lambda n: n + v), 3, [10, 11])
    reads("variable_in_batched_map", lambda v: numbers(5).map(lambda n: n + v).batch(2).prefetch(2), 2)
    reads("variable_in_flat_map", lambda v: numbers(5).flat_map(lambda n: Data.from_tensors(n).repeat(v)), 8)
    reads("variable_in_interleave", lambda v: numbers(5).interleave(lambda n: numbers(4).map(lambda m: n * 100 + m + v), cycle_length=2), 9)
    reads("variable_in_filter", lambda v: numbers(9).filter(lambda n: tf.equal(n % v, 1)), 3)
    reads("variable_in_scan", lambda v: numbers(9).scan(constant(0), lambda s, n: (s + v, s * n)), 4)
    reads("variable_in_groups", lambda v: numbers(20).group_by_window(lambda n: n % v, lambda key, window: window.batch(4), window_size=3), 4)
    reads("variable_and_random_numbers", lambda v: numbers(5).map(lambda n: n + v + tf.random.uniform([], 0, 100, tf.int64, seed=3)).repeat(), 8)
    reads("variable_below_a_shuffle", lambda v: numbers(9).map(lambda n: n + v).shuffle(4, seed=3).repeat(), 20)

    def changing():
        """The element of a step has what the step before it assigned."""
        held = variable(10)
        asked = tf.data.Options()  # by default TensorFlow would prefetch
        asked.autotune.enabled = asked.experimental_optimization.apply_default_optimizations = False
        asked.experimental_optimization.inject_prefetch = False
        iterator = v1.data.make_initializable_iterator(numbers(9).map(lambda n: n * 100 + held).with_options(asked))
        v1.add_to_collection(INITIALIZERS, iterator.initializer)
        element = iterator.get_next()
        with tf.control_dependencies([element]):
            assigned = held.assign_add(7)
        with tf.control_dependencies([assigned]):
            return [element, held.read_value()]

    suite.case("variable_that_steps_assign", changing, times=4)

    case("random_map", lambda: numbers(4).map(noisy).repeat(), 9, rtol=3e-7)
    case("random_filter", lambda: numbers(30).filter(lambda n: tf.random.uniform([], seed=3) > 0.5).repeat(), 20)
    case("random_flat_map", lambda: numbers(4).flat_map(lambda n: numbers(2).map(
        lambda m: n * 1000 + tf.random.uniform([], 0, 100, tf.int64, seed=3))).repeat(), 12)  # fmt: skip
    case("random_scan", lambda: numbers(5).scan(constant(0), lambda s, n: (s + tf.random.uniform([], 0, 10, tf.int64, seed=3), s * 100 + n)).repeat(), 8)
    suite.write()


SUITES = [further_datasets]
