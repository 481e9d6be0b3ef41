# SPDX-License-Identifier: Apache-2.0
"""Ops whose results' sizes the data decides: positions, distinct values, partitions, sets, sparse tensors."""
import itertools

from suite import *

TYPES = FLOATS + INTS


def sets():
    suite = Suite("sets")
    for dtype in TYPES + (BOOL,):
        for shape in ((7,), (3, 4), (2, 3, 2), (0, 3)):
            x = bools(shape) if dtype is BOOL else np.asarray(rng.randint(-1, 2, size=shape), dtype)
            suite.case(f"Where_{short(dtype)}_{text(shape)}", lambda x: raw.Where(condition=x), x)
    suite.case("Where_special", lambda x: raw.Where(condition=x), np.array(SPECIAL, F32))
    for dtype in TYPES:
        for size in (0, 1, 9, 200):
            x = np.asarray(rng.randint(-4, 5, size=size), dtype)
            for out in (tf.int32, tf.int64):
                suite.case(f"Unique_{short(dtype)}_{size}_{out.name}",
                           lambda x, out=out: list(raw.UniqueWithCounts(x=x, out_idx=out)), x)  # fmt: skip
        suite.case(f"ListDiff_{short(dtype)}", lambda x, y: list(raw.ListDiff(x=x, y=y)),
                   np.asarray(rng.randint(0, 9, size=20), dtype), np.asarray(rng.randint(0, 9, size=5), dtype))  # fmt: skip
    suite.case("Unique_special", lambda x: list(raw.Unique(x=x)), np.array([0.0, -0.0, 1.0, float("inf"), 1.0, float("inf")], F32))
    rows = np.asarray(rng.randint(0, 2, size=(6, 2, 2)), F32)
    for axis in (0, 1, -1):
        suite.case(f"UniqueV2_axis_{axis}".replace("-", "minus_"),
                   lambda x, axis=axis: list(raw.UniqueV2(x=x, axis=np.array([axis], I64))), rows)  # fmt: skip
    suite.case("UniqueWithCountsV2_no_axis", lambda x: list(raw.UniqueWithCountsV2(x=x, axis=np.array([], I64))), rows.ravel())
    for shape, index in (((6,), (6,)), ((6, 3), (6,)), ((2, 3, 2), (2, 3)), ((4,), ()), ((0, 2), (0,))):
        p = np.asarray(rng.randint(0, 3, size=index), I32)
        for dtype in (F32, I64):
            suite.case(f"DynamicPartition_{short(dtype)}_{text(shape)}_{text(index)}",
                       lambda x, p: raw.DynamicPartition(data=x, partitions=p, num_partitions=3), values(shape, dtype), p)  # fmt: skip
    for op in ("DynamicStitch", "ParallelDynamicStitch"):
        def stitch(a, b, x, y, op=op):
            return getattr(raw, op)(indices=[a, b], data=[x, y])
        suite.case(f"{op}_rows", stitch, np.array([3, 0], I32), np.array([1, 4, 2], I32), eighths((2, 3)), eighths((3, 3)))
        suite.case(f"{op}_scalar", stitch, np.array(1, I32), np.array([0, 2], I32), eighths(()), eighths((2,)))
        suite.case(f"{op}_matrix", stitch, np.array([[0, 1]], I32), np.array([2], I32), eighths((1, 2, 2)), eighths((1, 2)))
    suite.case("DynamicStitch_twice", lambda a, x: raw.DynamicStitch(indices=[a], data=[x]), np.array([0, 1, 0], I32), eighths((3,)))
    def apart(x, p):
        parts = raw.DynamicPartition(data=x, partitions=p, num_partitions=2)
        at = raw.DynamicPartition(data=tf.range(8), partitions=p, num_partitions=2)
        return raw.ParallelDynamicStitch(indices=at, data=[parts[0] * 2.0, parts[1] - 1.0])
    suite.case("apart_and_together", apart, eighths((8, 3)), np.asarray(rng.randint(0, 2, size=8), I32))
    for name in ("a-b", "b-a", "intersection", "union"):
        a, b = (np.asarray(rng.randint(0, 6, size=(3, n)), I64) for n in (4, 5))
        def dense(a, b, name=name):
            return list(raw.DenseToDenseSetOperation(set1=a, set2=b, set_operation=name))
        label = name.replace("-", "_")
        suite.case(f"set_{label}", dense, a, b)
        suite.case(f"set_{label}_3d", dense, a.reshape(1, 3, 4), b.reshape(1, 3, 5))
        i, v, s = np.array([[0, 1], [0, 3], [2, 0]], I64), np.array([3, 1, 5], I64), np.array([3, 4], I64)
        suite.case(f"set_{label}_sparse", lambda a, i, v, s, name=name: list(raw.DenseToSparseSetOperation(
            set1=a, set2_indices=i, set2_values=v, set2_shape=s, set_operation=name)), a, i, v, s)  # fmt: skip
    for dtype in (I32, I64, np.uint8):
        # Rows with an element twice, and without any.
        i, v = np.array([[0, 0], [0, 1], [0, 3], [2, 1], [2, 2]], I64), np.array([3, 1, 3, 5, 4], dtype)
        size = lambda i, v, s: raw.SetSize(set_indices=i, set_values=v, set_shape=s)
        suite.case(f"SetSize_{short(dtype)}", size, i, v, np.array([4, 4], I64))
        i = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 2, 0]], I64)
        suite.case(f"SetSize_3d_{short(dtype)}", size, i, v, np.array([2, 3, 2], I64))
    suite.write()


def sparse():
    suite = Suite("sparse")
    i = np.array([[2, 1], [0, 3], [0, 0], [4, 2]], I64)
    ordered = np.array([[0, 0], [0, 3], [2, 1], [4, 2]], I64)
    s = np.array([5, 6], I64)
    for dtype in (F32, I32, I64):
        v = values((4,), dtype)
        for axes, keep in itertools.product(([0], [1], [-1], [0, 1], [0, -1]), (False, True)):
            name = f"SparseReduceSum_{'_'.join(map(str, axes)).replace('-', 'm')}_{'kept_' if keep else ''}{short(dtype)}"
            suite.case(name, lambda i, v, s: raw.SparseReduceSum(input_indices=i, input_values=v, input_shape=s, reduction_axes=axes,
                       keep_dims=keep), ordered, v, s)  # fmt: skip
        for axis, other in ((0, [2, 6]), (1, [5, 3]), (-1, [5, 1]), (-2, [0, 6])):
            j = np.array([[0, 0], [1, 0]][: 2 if other[0] else 0], I64).reshape(-1, 2)
            suite.case(f"SparseConcat_{str(axis).replace('-', 'm')}_{short(dtype)}", lambda i, v, s, j, w, t: list(raw.SparseConcat(
                indices=[i, j, i], values=[v, w, v], shapes=[s, t, s], concat_dim=axis)), ordered, v, s, j, values((len(j),), dtype), np.array(other, I64))  # fmt: skip
        suite.case(f"SparseReorder_{short(dtype)}", lambda i, v, s: list(raw.SparseReorder(input_indices=i, input_values=v, input_shape=s)), i, v, s)
        suite.case(f"SparseFillEmptyRows_{short(dtype)}", lambda i, v, s, d: list(raw.SparseFillEmptyRows(
            indices=i, values=v, dense_shape=s, default_value=d)), ordered, v, s, values((), dtype))  # fmt: skip
        suite.case(f"SparseToDense_{short(dtype)}", lambda i, v, s, d: raw.SparseToDense(
            sparse_indices=i, output_shape=s, sparse_values=v, default_value=d), ordered, v, s, values((), dtype))  # fmt: skip
        for start, size in (((0, 0), (3, 4)), ((1, 1), (9, 9)), ((4, 5), (1, 1))):
            suite.case(f"SparseSlice_{short(dtype)}_{text(start)}_{text(size)}", lambda i, v, s, a, n: list(raw.SparseSlice(
                indices=i, values=v, shape=s, start=a, size=n)), ordered, v, s, np.array(start, I64), np.array(size, I64))  # fmt: skip
    suite.case("SparseFillEmptyRows_none", lambda i, v, s, d: list(raw.SparseFillEmptyRows(indices=i, values=v, dense_shape=s, default_value=d)),
               np.zeros((0, 2), I64), np.zeros((0,), F32), np.array([3, 2], I64), np.array(-1, F32))  # fmt: skip
    suite.case("SparseFillEmptyRowsGrad", lambda p, g: list(raw.SparseFillEmptyRowsGrad(reverse_index_map=p, grad_values=g)),
               np.array([0, 2, 3], I64), eighths((6,)))  # fmt: skip
    suite.case("SparseToDense_vector", lambda i, v, d: raw.SparseToDense(sparse_indices=i, output_shape=np.array([7], I32), sparse_values=v, default_value=d),
               np.array([1, 2, 5], I32), eighths((3,)), eighths(()))  # fmt: skip
    suite.case("SparseToDense_scalar_value", lambda i, v, d: raw.SparseToDense(sparse_indices=i, output_shape=np.array([3, 2], I64), sparse_values=v,
               default_value=d, validate_indices=False), np.array([[2, 1], [0, 0]], I64), eighths(()), eighths(()))  # fmt: skip
    for new in ((10, 3), (-1, 15), (5, 2, -1), (30,)):
        suite.case(f"SparseReshape_{text(new)}".replace("-", "minus_"), lambda i, s, n: list(raw.SparseReshape(input_indices=i, input_shape=s, new_shape=n)),
                   ordered, s, np.array(new, I64))  # fmt: skip
    suite.write()


def sparse_products():
    """Sparse matrices, as those of graphs' neighbours, times dense ones."""
    suite = Suite("sparse_products")
    places = np.array([[0, 1], [0, 4], [2, 0], [2, 0], [3, 3], [5, 2]], I64)  # of 6 x 5; one is named twice, two rows have none
    for dtype, a, b in itertools.product((F32, F64, I32), (False, True), (False, True)):
        rows = 6 if a else 5
        function = lambda i, v, x: raw.SparseTensorDenseMatMul(a_indices=i, a_values=v, a_shape=[6, 5], b=x, adjoint_a=a, adjoint_b=b)
        suite.case(f"{short(dtype)}_{a}_{b}", function, places, values(6, dtype), values((3, rows) if b else (rows, 3), dtype))
    suite.case("i32", lambda i, v, x: raw.SparseTensorDenseMatMul(a_indices=i, a_values=v, a_shape=[6, 5], b=x), places.astype(I32), values(6, F32), values((5, 7), F32))
    suite.case("none", lambda i, v, x: raw.SparseTensorDenseMatMul(a_indices=i, a_values=v, a_shape=[6, 5], b=x), places[:0], values(0, F32), values((5, 2), F32))

    def neighbours(v, x):
        # With its gradients, which gather and multiply again.
        y = tf.sparse.sparse_dense_matmul(tf.sparse.SparseTensor(places[[0, 1, 2, 4, 5]], v, [6, 5]), x)
        return [y, *tf.gradients(tf.reduce_sum(y * y), [v, x])]

    suite.case("gradients", neighbours, values(5, F32), values((5, 3), F32))
    suite.write()


def bounds():
    """Places in sorted rows."""
    suite = Suite("bounds")
    types = (F32, F64, F16, BF16, I8, I16, I32, I64, U8, U16, U32, U64)
    for op, dtype in itertools.product(("LowerBound", "UpperBound"), types):
        search = lambda s, v, out=tf.int32: getattr(raw, op)(sorted_inputs=s, values=v, out_type=out)
        rows, values_of = (np.asarray(rng.randint(1, 30, size=shape)).astype(dtype) for shape in ((3, 17), (3, 40)))
        suite.case(f"{op}_{short(dtype)}", search, np.sort(rows, axis=1), values_of)
        suite.case(f"{op}_{short(dtype)}_i64", lambda s, v: search(s, v, tf.int64), np.sort(rows, axis=1), values_of)
        suite.case(f"{op}_{short(dtype)}_none", search, rows[:, :0], values_of)
    special = np.array([[-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf]], F32)
    for op in ("LowerBound", "UpperBound"):
        suite.case(f"{op}_special", lambda s, v: getattr(raw, op)(sorted_inputs=s, values=v), special, np.array([SPECIAL], F32))
    quantiles = lambda s, v: tf.searchsorted(s, v, side="right")
    suite.case("searchsorted", quantiles, np.sort(normal((2, 2, 9)), axis=-1), normal((2, 2, 5)))
    suite.write()


def ctc():
    """Unaligned labels: their CTC loss, its gradient, and decoding."""
    suite = Suite("ctc")
    indices = np.array([[0, 0], [0, 1], [0, 2], [1, 0], [2, 0], [2, 1], [3, 0]], I64)
    labels, lengths = np.array([1, 1, 2, 0, 2, 2, 3], I32), np.array([9, 4, 5, 2], I32)
    for dtype in FLOATS:
        # TensorFlow's logarithms of sums are float32's, whatever the type.
        x, near = normal((9, 4, 5), dtype) * dtype(2), dict(rtol=1e-5, atol=1e-6)
        for collapses, merges, ignores in itertools.product((False, True), repeat=3):
            loss = lambda x, i, v, n: list(raw.CTCLoss(inputs=x, labels_indices=i, labels_values=v, sequence_length=n,
                preprocess_collapse_repeated=collapses, ctc_merge_repeated=merges, ignore_longer_outputs_than_inputs=ignores))  # fmt: skip
            name = f"{short(dtype)}_{collapses}_{merges}_{ignores}"
            suite.case(name, loss, x, indices, labels, lengths, **near)
            if ignores:
                suite.case(f"{name}_short", loss, x, indices, labels, np.array([2, 0, 5, 1], I32), **near)
        impossible = np.where(np.arange(5) == 1, dtype(-1e4), x[:, :1])  # no alignment has a probability
        suite.case(f"{short(dtype)}_impossible", loss, impossible, indices[:3], labels[:3], lengths[:1], **near)

        def gradients(x, i, v, n):
            y = v1.nn.ctc_loss(tf.SparseTensor(i, v, [4, 3]), x, n, time_major=False)
            return [y, *tf.gradients(y * y, [x])]

        suite.case(f"{short(dtype)}_gradients", gradients, np.ascontiguousarray(x.swapaxes(0, 1)), indices, labels, lengths, **near)
        for merges, blank in itertools.product((False, True), (-1, 0, -5, 4)):
            decode = lambda x, n: list(raw.CTCGreedyDecoder(inputs=x, sequence_length=n, merge_repeated=merges, blank_index=blank))
            suite.case(f"CTCGreedyDecoder_{short(dtype)}_{merges}_{blank}".replace("-", "minus_"), decode, np.round(x), lengths, rtol=1e-6)
    for name, wrong in {"rules": [-1, 1, 2, 0, 2, 2, 3], "blank_first": [4, 1, 2, 0, 2, 2, 3]}.items():
        text = "All labels must be nonnegative integers" if wrong[0] < 0 else "following a null label"
        suite.case(f"wrong_{name}", loss, x, indices, np.array(wrong, I32), lengths, fails=text)
    suite.case("wrong_order", loss, x, np.ascontiguousarray(indices[::-1]), labels, lengths, fails="is out of order. Many sparse ops require sorted indices.")
    suite.case("wrong_empty", loss, x, indices[:-1], labels[:-1], lengths, fails="Labels length is zero in batch 3")
    suite.write()


def ctc_losses():
    """Losses alone, through which gradients flow."""
    suite = Suite("ctc_losses")
    indices, labels = np.array([[0, 0], [0, 1], [1, 0], [2, 0], [2, 1]], I64), np.array([1, 1, 0, 2, 3], I32)
    for merges in (False, True):
        loss = lambda x, i, v, n: raw.CTCLoss(inputs=x, labels_indices=i, labels_values=v, sequence_length=n, ctc_merge_repeated=merges).loss
        suite.case(f"f32_{merges}", loss, normal((7, 3, 5)), indices, labels, np.array([7, 3, 4], I32), rtol=1e-5)
    suite.write()


def boxes():
    """The best of boxes that hardly cover each other."""
    suite = Suite("boxes")
    corners = np.asarray(rng.uniform(size=(60, 4)), F32)
    corners[:20, 2:] = corners[:20, :2] + corners[:20, 2:] / 3
    scores = np.round(np.asarray(rng.uniform(-1, 1, size=60), F32), 1)  # some equally good
    for count, overlap, least in itertools.product((0, 5, 70), (0.0, 0.3, 1.0), (-0.5, 0.4)):
        limits = (I32(count), F32(overlap), F32(least))
        name = f"{count}_{overlap}_{least}".replace("-", "minus_").replace(".", "_")
        common = lambda b, s, n, o: dict(boxes=b, scores=s, max_output_size=n, iou_threshold=o)
        suite.case(f"V3_{name}", lambda b, s, n, o, l: raw.NonMaxSuppressionV3(**common(b, s, n, o), score_threshold=l), corners, scores, *limits)
        for pads in (False, True):
            call = lambda b, s, n, o, l: list(raw.NonMaxSuppressionV4(**common(b, s, n, o), score_threshold=l, pad_to_max_output_size=pads))
            suite.case(f"V4_{name}_{pads}", call, corners, scores, *limits)
            for sigma in (0.0, 0.5):
                call = lambda b, s, n, o, l, g: list(raw.NonMaxSuppressionV5(**common(b, s, n, o), score_threshold=l, soft_nms_sigma=g, pad_to_max_output_size=pads))
                suite.case(f"V5_{name}_{pads}_{sigma}".replace(".", "_"), call, corners, scores, *limits, F32(sigma), rtol=2e-6)
        if least < 0:
            suite.case(f"V2_{name}", lambda b, s, n, o: raw.NonMaxSuppressionV2(**common(b, s, n, o)), corners, scores, *limits[:2])
            call = lambda b, s, n: raw.NonMaxSuppression(boxes=b, scores=s, max_output_size=n, iou_threshold=overlap)
            suite.case(f"V1_{name}", call, corners, scores, limits[0])
    wrong = lambda b, s, o, g: raw.NonMaxSuppressionV5(boxes=b, scores=s, max_output_size=3, iou_threshold=o, score_threshold=0.0, soft_nms_sigma=g).selected_indices
    suite.case("wrong_overlap", wrong, corners, scores, F32(1.5), F32(0), fails="iou_threshold must be in [0, 1]")
    suite.case("wrong_sigma", wrong, corners, scores, F32(0.5), F32(-1), fails="soft_nms_sigma_val must be >= 0")
    suite.write()


def pool_places():
    """Pools that say where the largest elements are, and gradients that go back there."""
    suite = Suite("pool_places")
    types = (F32, F64, F16, BF16, I8, I16, I32, I64, U8, U16, U32, U64)
    for dtype, padding, batch in itertools.product(types, ("SAME", "VALID"), (False, True)):
        x = np.asarray(rng.randint(1, 60, size=(2, 7, 6, 3))).astype(dtype)
        for window, stride in ((2, 2), (3, 2), (3, 1)):
            common = dict(ksize=[1, window, 3, 1], strides=[1, stride, 2, 1], padding=padding, include_batch_in_index=batch)
            name = f"{short(dtype)}_{padding}_{batch}_{window}_{stride}"
            pool = lambda x: list(raw.MaxPoolWithArgmax(input=x, **common))
            suite.case(name, pool, x)
            if window == 2 or dtype is F32:
                suite.case(f"{name}_i32", lambda x: list(raw.MaxPoolWithArgmax(input=x, Targmax=tf.int32, **common)), x)
                y, places = apart(pool, x) if dtype is not BF16 else apart(lambda x: pool(tf.cast(x, tf.bfloat16)), x.astype(F32))
                places = places.view(Fixed)
                suite.case(f"{name}_gradient", lambda x, g: raw.MaxPoolGradWithArgmax(input=x, grad=g, argmax=tf.constant(np.asarray(places)), **common),
                           x, np.asarray(eighths(places.shape, F32, low=0)).astype(dtype))
    special = np.full((1, 4, 4, 1), np.nan, F32)
    special[0, :, 1:3, 0] = [[1, -np.inf], [-np.inf, -np.inf], [np.inf, 2], [np.nan, np.inf]]
    suite.case("special", lambda x: list(raw.MaxPoolWithArgmax(input=x, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")), special)

    def gradients(x):
        y, places = tf.nn.max_pool_with_argmax(x, 2, 1, "SAME")
        return [y, *tf.gradients(y * y, [x])]

    suite.case("gradients", gradients, normal((3, 5, 4, 2)), rtol=1e-6)
    suite.write()


SUITES = [sets, sparse, sparse_products, bounds, ctc, ctc_losses, boxes, pool_places]
