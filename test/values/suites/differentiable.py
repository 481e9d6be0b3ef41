# SPDX-License-Identifier: Apache-2.0
"""Ops whose cases elsewhere are of strings and integers, with floats that gradients flow through."""
import numpy as np
from suite import FLOATS, I32, I64, Suite, eighths, raw, short, tf


def differentiable():
    suite = Suite("differentiable")
    for dtype in FLOATS:
        name = short(dtype)
        suite.case(f"check_numerics_{name}", lambda x: raw.CheckNumerics(tensor=x, message="x"), eighths((3, 4), dtype))
        suite.case(f"print_{name}", lambda x: raw.Print(input=x, data=[], message="", first_n=0), eighths((3, 4), dtype))
        suite.case(f"partition_{name}", lambda x, p: raw.DynamicPartition(data=x, partitions=p, num_partitions=3),
                   eighths((5, 2), dtype), np.array([2, 0, 2, 1, 0], I32))  # fmt: skip
        # Its results have static shapes only where they are summed.
        suite.case(f"partition_sums_{name}", lambda x, p: [tf.reduce_sum(part * part, [0]) for part in raw.DynamicPartition(
            data=x, partitions=p, num_partitions=2)], eighths((2, 3, 2), dtype), np.array([[1, 0, 1], [0, 1, 1]], I32))  # fmt: skip
        # Two go to one row: the last one stays, and both have its gradient.
        suite.case(f"stitch_{name}", lambda x, y: tf.ensure_shape(raw.DynamicStitch(indices=[[0, 3], [1, 4, 2]], data=[x, y]), [5, 3]),
                   eighths((2, 3), dtype), eighths((3, 3), dtype))  # fmt: skip
        indices = np.array([[0, 1], [2, 0], [2, 2]], I64)
        suite.case(f"to_dense_{name}", lambda v, d: raw.SparseToDense(sparse_indices=indices, output_shape=np.array([3, 3], I64), sparse_values=v,
                   default_value=d), eighths((3,), dtype), eighths((), dtype))  # fmt: skip
        suite.case(f"fill_empty_rows_{name}", lambda v, d: tf.ensure_shape(raw.SparseFillEmptyRows(indices=indices, values=v, dense_shape=np.array(
            [3, 3], I64), default_value=d).output_values, [4]), eighths((3,), dtype), eighths((), dtype))  # fmt: skip
    suite.write()


SUITES = [differentiable]
