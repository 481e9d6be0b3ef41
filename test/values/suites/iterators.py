# SPDX-License-Identifier: Apache-2.0
"""Iterators over several datasets, and elements that may not be there."""
import numpy as np
import tensorflow as tf

from suite import F32, INITIALIZERS, Suite, raw, v1

Data = tf.data.Dataset


def numbers(n):
    return Data.range(n)


def in_order(steps):
    """The tensors of each step, which runs after those before it."""
    results, last = [], []
    for step in steps:
        with tf.control_dependencies(last):
            made = step()
        last = made if isinstance(made, list) else [made]
        if isinstance(made, list):
            results += made
    return results


def iterators():
    suite = Suite("iterators")

    def switched(train, test):
        iterator = v1.data.Iterator.from_structure(v1.data.get_output_types(train), tf.TensorShape([None])
            if len(v1.data.get_output_shapes(train)) else tf.TensorShape([]))  # fmt: skip
        take = lambda: [tf.identity(iterator.get_next())]
        make = lambda dataset: lambda: iterator.make_initializer(dataset)
        return in_order([make(train), take, take, make(test), take, take, make(train), take, take, take])

    suite.case("reinitialized", lambda: switched(numbers(9).shuffle(4, seed=3, reshuffle_each_iteration=False), numbers(20).skip(15)))
    suite.case("batches_of_two_sizes", lambda: switched(numbers(9).batch(2), numbers(9).batch(4)))
    suite.case("batches_and_maps", lambda: switched(
        numbers(9).batch(4, drop_remainder=True).repeat(), numbers(9).map(lambda n: tf.range(n + 1))))

    def optionals(dataset, times, zeros, number=tf.identity):
        iterator = v1.data.make_initializable_iterator(dataset)
        v1.add_to_collection(INITIALIZERS, iterator.initializer)

        def take():
            optional = v1.data.experimental.get_next_as_optional(iterator)
            value = tf.cond(optional.has_value(), lambda: tf.nest.flatten(optional.get_value()), lambda: zeros)
            return [tf.identity(optional.has_value()), tf.identity(value[0]), *(number(v) for v in value[1:])]

        return in_order([take] * times)

    suite.case("get_next_as_optional", lambda: optionals(numbers(3).map(lambda n: n * n + 1), 5, [np.int64(-1)]))
    suite.case("optional_batches", lambda: optionals(
        numbers(5).map(lambda n: (tf.cast(n, F32), tf.strings.as_string(n))).batch(2), 4,
        [np.full([3], 7, F32), np.array(["none"])], tf.strings.length))

    def from_value():
        optional = tf.experimental.Optional.from_value(np.arange(3))
        return [optional.has_value(), optional.get_value()]

    suite.case("OptionalFromValue", from_value)
    suite.case("OptionalNone", lambda: raw.OptionalHasValue(optional=raw.OptionalNone()))
    suite.write()


SUITES = [iterators]
