# SPDX-License-Identifier: Apache-2.0
"""Datasets that TensorFlow's iterators refuse to go on with."""
import numpy as np
import tensorflow as tf

from datasets import INT64, constant, numbers, of, scalars, taken
from suite import Suite, raw


def refused_datasets():
    suite = Suite("refused_datasets")
    case = lambda name, says, dataset, times: suite.case(name, lambda: taken(dataset(), times), fails=says)
    shards = lambda n, count, index: scalars(raw.ShardDataset(input_dataset=of(numbers(n)), num_shards=constant(count),
        index=constant(index), require_non_empty=True, **INT64), numbers(n))  # fmt: skip
    asserted = lambda n, count: numbers(n).filter(lambda x: x < 100).apply(tf.data.experimental.assert_cardinality(count))
    case("fewer_than_asserted", "expected to contain 4 elements but contained only 3 elements.", lambda: asserted(3, 4), 4)
    case("more_than_asserted", "expected to contain 2 elements but contained at least 3 elements.", lambda: asserted(3, 2), 3)
    case("one_asserted", "expected to contain 1 element but contained at least 2 elements.", lambda: asserted(3, 1), 3)
    case("infinite_asserted", "expected to contain an infinite number of elements but contained only 3 elements.", lambda: asserted(3, -1), 4)
    case("skipped_over_asserted", "expected to contain 4 elements but contained only 3 elements.", lambda: asserted(3, 4).skip(9), 1)
    case("asserted_in_two_passes", "expected to contain 4 elements but contained only 3 elements.", lambda: asserted(3, 4).repeat(2), 5)
    case("empty_shard", "which is not enough for the required 3 shards/workers",
        lambda: shards(2, 3, 0), 1)  # fmt: skip
    # Valid ones.
    suite.case("full_shards", lambda: taken(shards(7, 3, 1).repeat(2), 4))
    suite.case("last_shard", lambda: taken(shards(5, 3, 2), 1))
    suite.case("skipped_shards", lambda: taken(shards(11, 3, 0).skip(2), 2))
    suite.case("as_asserted", lambda: taken(asserted(3, 3).repeat(2), 6))
    suite.case("infinite_as_asserted", lambda: taken(numbers(3).repeat().apply(tf.data.experimental.assert_cardinality(-1)), 6))
    suite.write()


SUITES = [refused_datasets]
