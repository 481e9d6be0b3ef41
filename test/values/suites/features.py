# SPDX-License-Identifier: Apache-2.0
"""Feature columns and datasets of tensors: buckets, sparse tensors as strings."""
from suite import *


def features():
    suite = Suite("features")
    ages = np.array([[-1.0, 0.0, 18.0], [17.99, 65.0, 1e9], [float("inf"), float("-inf"), float("nan")]])
    for dtype in FLOATS:
        suite.case(f"Bucketize_{short(dtype)}", lambda x: raw.Bucketize(input=x, boundaries=[0.0, 18.0, 40.5, 65.0]), ages.astype(dtype))
    for dtype in INTS:
        suite.case(f"Bucketize_{short(dtype)}", lambda x: raw.Bucketize(input=x, boundaries=[0.5, 3.0, 7.0]), np.arange(-2, 10).astype(dtype))
    suite.case("Bucketize_none", lambda x: raw.Bucketize(input=x, boundaries=[]), values((4,), F32))

    indices = np.array([[0, 1], [0, 2], [2, 0], [3, 3]], I64)
    shape = np.array([5, 4], I64)
    read = lambda serialized, dtype: list(raw.DeserializeSparse(serialized_sparse=serialized, dtype=dtype))
    for dtype in FLOATS + INTS:
        kind = short(dtype)
        x = values((4,), dtype)
        suite.case(f"SerializeSparse_{kind}", lambda i, v, s: read(raw.SerializeSparse(
            sparse_indices=i, sparse_values=v, sparse_shape=s, out_type=tf.variant), dtype), indices, x, shape)  # fmt: skip
        suite.case(f"SerializeManySparse_{kind}", lambda i, v, s: read(raw.SerializeManySparse(
            sparse_indices=i, sparse_values=v, sparse_shape=s, out_type=tf.variant), dtype), indices, x, shape)  # fmt: skip

    def words(serialize):
        def function(i, s):
            texts = tf.constant([b"a", b"", b"longer than eight bytes", b"\0"])
            found = read(serialize(sparse_indices=i, sparse_values=texts, sparse_shape=s, out_type=tf.variant), tf.string)
            return [found[0], raw.StringLength(input=found[1]), raw.StringToHashBucketFast(input=found[1], num_buckets=1 << 40), found[2]]
        return function

    suite.case("SerializeSparse_words", words(raw.SerializeSparse), indices, shape)
    suite.case("SerializeManySparse_words", words(raw.SerializeManySparse), indices, shape)
    suite.case("batch", lambda i, v, s: read(tf.stack([
        raw.SerializeSparse(sparse_indices=i, sparse_values=v, sparse_shape=s, out_type=tf.variant),
        raw.SerializeSparse(sparse_indices=i[1:3], sparse_values=v[1:3] + 1.0, sparse_shape=s + 2, out_type=tf.variant)]), F32),
        indices, values((4,), F32), shape)  # fmt: skip
    suite.case("empty", lambda i, v, s: read(raw.SerializeSparse(
        sparse_indices=i, sparse_values=v, sparse_shape=s, out_type=tf.variant), F32), np.zeros((0, 2), I64), np.zeros(0, F32), shape)  # fmt: skip

    rows = [np.array([[0, 0], [0, 1], [2, 0]], I64), np.array([[0, 0], [1, 0], [2, 0], [2, 1]], I64)]
    shapes = [np.array([3, 2], I64), np.array([3, 4], I64)]
    numbers = np.array([7, -2, 1 << 40, 0], I64)
    dense = np.array([[5, 6], [7, 8], [9, 10]], I64)
    words = lambda: tf.constant([b"a", b"longer than eight bytes", b""])

    def cross(i0, i1, s0, s1, n, d, hashed, buckets, with_dense):
        if not hashed:  # TensorFlow joins strings only
            n, d = raw.AsString(input=n), raw.AsString(input=d)
        found = list(raw.SparseCross(
            indices=[i0, i1], values=[words(), n], shapes=[s0, s1], dense_inputs=[d] if with_dense else [],
            hashed_output=hashed, num_buckets=buckets, hash_key=956888297470,
            out_type=tf.int64 if hashed else tf.string, internal_type=tf.int64 if hashed else tf.string))  # fmt: skip
        if not hashed:
            found[1:2] = [raw.StringLength(input=found[1]), raw.StringToHashBucketFast(input=found[1], num_buckets=1 << 40)]
        return found

    for buckets in (0, 40):
        for with_dense in (False, True):
            suite.case(f"SparseCross_hashed_{buckets}_{with_dense}", lambda *x: cross(*x, True, buckets, with_dense), *rows, *shapes, numbers, dense)
    suite.case("SparseCross_hashed_strings", lambda i0, i1, s0, s1: list(raw.SparseCross(
        indices=[i0, i1], values=[words(), raw.AsString(input=numbers)], shapes=[s0, s1], dense_inputs=[raw.AsString(input=dense)],
        hashed_output=True, num_buckets=1000, hash_key=956888297470, out_type=tf.int64, internal_type=tf.string)), *rows, *shapes)  # fmt: skip
    suite.case("SparseCross_joined", lambda *x: cross(*x, False, 0, True), *rows, *shapes, numbers, dense)
    told = lambda found: [found[0], raw.StringLength(input=found[1]), raw.StringToHashBucketFast(input=found[1], num_buckets=1 << 40), found[2]]
    for with_dense in (False, True):
        def columns(i0, i1, s0, s1, n, d, with_dense=with_dense):
            return dict(indices=[i0, i1], values=[words(), n], shapes=[s0, s1], dense_inputs=[d] if with_dense else [])
        suite.case(f"SparseCrossV2_{with_dense}", lambda *x: told(list(raw.SparseCrossV2(**columns(*x), sep=tf.constant("<>")))), *rows, *shapes, numbers, dense)
        for buckets in (0, 40):
            suite.case(f"SparseCrossHashed_{buckets}_{with_dense}", lambda *x: list(raw.SparseCrossHashed(**columns(*x),
                num_buckets=np.int64(buckets), strong_hash=False, salt=np.array([1, 2], I64))), *rows, *shapes, numbers, dense)  # fmt: skip
    suite.write()


SUITES = [features]
