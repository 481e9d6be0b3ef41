# SPDX-License-Identifier: Apache-2.0
"""Segments, scans, ranks, and reductions that are put together from others."""
from suite import *


def segments():
    suite = Suite("segments")
    ids = np.array([2, 0, 2, 5, -1, 0, 2], I32)
    powers = lambda shape, dtype: np.asarray(2.0 ** rng.randint(0, 2, size=shape), dtype)
    for kind in ("Sum", "Prod", "Max", "Min"):
        for dtype in FLOATS + INTS:
            draw = powers if kind == "Prod" else values
            function = lambda x, i, n, kind=kind: getattr(raw, "UnsortedSegment" + kind)(data=x, segment_ids=i, num_segments=n)
            for wide in INTS if dtype is F32 else (I32,):
                name = f"Unsorted{kind}_{short(dtype)}_{short(wide)}"
                for rest in ((), (3,), (2, 3)):
                    suite.case(f"{name}_rows_{text(rest)}", lambda x, i, f=function: f(x, i, 7), draw((7,) + rest, dtype), ids.astype(wide))
                matrix = np.array([[0, 3, 1], [3, 3, 0]], wide)
                suite.case(f"{name}_matrix", lambda x, i, f=function: f(x, i, 4), draw((2, 3, 2), dtype), matrix)
                suite.case(f"{name}_none", lambda x, i, f=function: f(x, i, 3), draw((0, 2), dtype), np.zeros(0, wide))
            suite.case(f"Unsorted{kind}_{short(dtype)}_fed", function, draw((7, 2), dtype), ids, np.array(6, I32))
    inf = np.array([np.inf, -np.inf, -np.inf, 1, np.inf], F32)
    at = np.array([0, 0, 1, 1, 2], I32)
    for kind in ("Max", "Min", "Sum"):
        suite.case(f"Unsorted{kind}_infinite", lambda x, i, kind=kind: getattr(raw, "UnsortedSegment" + kind)(data=x, segment_ids=i, num_segments=4), inf, at)
        suite.case(f"Sorted{kind}_infinite", lambda x, i, kind=kind: getattr(raw, "Segment" + kind)(data=x, segment_ids=i), inf, at)

    ids = np.array([0, 0, 2, 2, 2, 5], I32)
    for kind in ("Sum", "Prod", "Max", "Min", "Mean"):
        for dtype in FLOATS + INTS:
            draw = powers if kind == "Prod" else values
            function = lambda x, i, kind=kind: getattr(raw, "Segment" + kind)(data=x, segment_ids=i)
            for rest in ((), (3,)):
                suite.case(f"Sorted{kind}_{short(dtype)}_{text(rest)}", function, draw((6,) + rest, dtype), ids, rtol=ROUNDING.get(dtype, 0) if kind == "Mean" else 0)
    suite.case("SortedSum_none", lambda x, i: raw.SegmentSum(data=x, segment_ids=i), np.zeros((0, 3), F32), np.zeros(0, I64))

    rows, ids = np.array([4, 0, 4, 2, 1], I32), np.array([0, 0, 1, 3, 3], I32)
    for kind in ("Sum", "Mean", "SqrtN"):
        for dtype in FLOATS:
            tolerance = ROUNDING[dtype]
            suite.case(f"Sparse{kind}_{short(dtype)}", lambda x, r, i, kind=kind: getattr(raw, "SparseSegment" + kind)(
                data=x, indices=r, segment_ids=i), values((5, 3), dtype), rows, ids, rtol=tolerance)  # fmt: skip
            suite.case(f"Sparse{kind}_{short(dtype)}_counted", lambda x, r, i, kind=kind: getattr(raw, f"SparseSegment{kind}WithNumSegments")(
                data=x, indices=r, segment_ids=i, num_segments=6), values((5, 3), dtype), rows, ids, rtol=tolerance)  # fmt: skip
            suite.case(f"Sparse{kind}Grad_{short(dtype)}", lambda g, r, i, kind=kind: getattr(raw, f"SparseSegment{kind}Grad")(
                grad=g, indices=r, segment_ids=i, output_dim0=6), values((4, 3), dtype), rows, ids, rtol=tolerance)  # fmt: skip
    numbers = np.array([3, 0, 3, 1, 9], I32)
    suite.case("Bincount", lambda x: raw.Bincount(arr=x, size=5, weights=np.zeros(0, F32)), numbers)
    suite.case("Bincount_weights", lambda x, w: raw.Bincount(arr=x, size=5, weights=w), numbers, values((5,), F32))
    suite.case("Bincount_matrix", lambda x: raw.Bincount(arr=x, size=5, weights=np.zeros(0, I64)), numbers[:4].reshape(2, 2))
    suite.case("DenseBincount", lambda x, w: raw.DenseBincount(input=x, size=np.array(5, I32), weights=w), numbers, values((5,), F64))
    rows = np.array([[3, 0, 3], [1, 4, 9]], I64)
    suite.case("DenseBincount_rows", lambda x, w: raw.DenseBincount(input=x, size=np.array(5, I64), weights=w), rows, values((2, 3), F32))
    suite.case("DenseBincount_rows_counted", lambda x: raw.DenseBincount(input=x, size=np.array(5, I64), weights=np.zeros(0, I32)), rows)
    suite.case("DenseBincount_rows_binary", lambda x: raw.DenseBincount(
        input=x, size=np.array(5, I64), weights=np.zeros(0, F32), binary_output=True), rows)  # fmt: skip
    suite.case("DenseBincount_binary", lambda x: raw.DenseBincount(input=x, size=np.array(5, I32), weights=np.zeros(0, F32), binary_output=True), numbers)
    # Slices, as lookups of sparse ids have them since TensorFlow 2.14.
    rows, ids = np.array([4, 0, 4, 2, 1], I32), np.array([0, 0, 1, 3, 3], I32)
    for kind in ("Sum", "Mean", "SqrtN"):
        for dtype in (F32, F64):
            for some, parts in ((rows, ids), (np.array([3, 3, 0, 3], I64), ids[:4]), (rows[:0], ids[:0])):
                suite.case(f"Sparse{kind}GradV2_{short(dtype)}_{len(some)}", lambda g, r, i, kind=kind: list(getattr(raw, f"SparseSegment{kind}GradV2")(
                    grad=g, indices=r, segment_ids=i, dense_output_dim0=6)), values((4, 3), dtype), some, parts, rtol=ROUNDING[dtype])  # fmt: skip
    suite.case("SparseSum_for_slices", lambda x, r, i: raw.SparseSegmentSum(data=x, indices=r, segment_ids=i, sparse_gradient=True), values((5, 3), F32), rows, ids)
    suite.write()


def scans():
    suite = Suite("scans")
    for op, types in (("Cumsum", FLOATS + INTS), ("Cumprod", FLOATS + INTS), ("CumulativeLogsumexp", FLOATS)):
        for dtype in types:
            for shape, axes in (((7,), (0,)), ((3, 5), (0, -1)), ((2, 3, 4), (1,))) if dtype is F32 else (((3, 5), (1,)),):
                for axis in axes:
                    for exclusive, reverse in ((False, False), (True, False), (False, True), (True, True)):
                        x = np.asarray(2.0 ** rng.randint(0, 2, size=shape), dtype) if op == "Cumprod" else values(shape, dtype)
                        name = f"{op}_{short(dtype)}_{text(shape)}_{axis}{'_exclusive' * exclusive}{'_reverse' * reverse}".replace("-", "minus_")
                        suite.case(name, lambda x, op=op, axis=axis, e=exclusive, r=reverse: getattr(raw, op)(
                            x=x, axis=axis, exclusive=e, reverse=r), x, rtol=POLYNOMIAL[dtype] if op == "CumulativeLogsumexp" else 0,
                            atol=POLYNOMIAL[dtype] if op == "CumulativeLogsumexp" else 0)  # fmt: skip
    suite.case("Cumsum_none", lambda x: raw.Cumsum(x=x, axis=0), np.zeros((0, 3), F32))
    # Along one element, beside others of one.
    for shape, axis in (((1, 5, 1), 2), ((1, 5, 2, 1), -1), ((1, 3, 1, 1), 2), ((1, 1, 4), 1), ((2, 1, 3, 1), 3), ((1,), 0)):
        for exclusive, reverse in ((False, False), (True, True)):
            suite.case(f"Cumsum_{text(shape)}_{axis}{'_exclusive_reverse' * reverse}".replace("-", "minus_"), lambda x, axis=axis, e=exclusive, r=reverse:
                raw.Cumsum(x=x, axis=axis, exclusive=e, reverse=r), values(shape, F32))  # fmt: skip
    suite.write()


def ranks():
    suite = Suite("ranks")
    for op in ("All", "Any"):
        for shape in ((), (1,), (17,), (3, 4), (2, 3, 5)):
            for axes in {(), tuple(range(len(shape))), (len(shape) - 1,) if shape else (), (0,) if shape else ()}:
                for keep in (False, True):
                    name = f"{op}_{text(shape)}_over_{'_'.join(map(str, axes)) or 'none'}{'_kept' * keep}"
                    suite.case(name, lambda x, op=op, axes=axes, keep=keep: getattr(raw, op)(input=x, axis=np.array(axes, I32), keep_dims=keep),
                               rng.rand(*shape) < (0.8 if op == "All" else 0.2) if shape else np.array(True))  # fmt: skip
        suite.case(f"{op}_of_nothing", lambda x, op=op: getattr(raw, op)(input=x, axis=np.array([0], I32), keep_dims=False), np.zeros((0, 3), BOOL))
    for dtype in FLOATS + INTS:
        for shape, axis in (((5,), 0), ((3, 7), 1), ((3, 7), -2), ((2, 3, 4), 1)):
            for wide in (tf.int32, tf.int64):
                suite.case(f"ArgMin_{short(dtype)}_{text(shape)}_{axis}_{wide.name}".replace("-", "minus_"),
                           lambda x, axis=axis, wide=wide: raw.ArgMin(input=x, dimension=axis, output_type=wide), values(shape, dtype))  # fmt: skip
    for dtype in FLOATS:
        for shape in ((), (17,), (3, 5)):
            suite.case(f"L2Loss_{short(dtype)}_{text(shape)}", lambda x: raw.L2Loss(t=x), values(shape, dtype))
        for axes in ((0,), (1,), (0, 1), ()):
            suite.case(f"EuclideanNorm_{short(dtype)}_{'_'.join(map(str, axes)) or 'none'}", lambda x, axes=axes:
                raw.EuclideanNorm(input=x, axis=np.array(axes, I32), keep_dims=len(axes) == 1), values((3, 5), dtype), rtol=ROUNDING[dtype])  # fmt: skip
    predictions = eighths((6, 8))
    for wide in INTS:
        for k in (0, 1, 3, 8):
            suite.case(f"InTopKV2_{short(wide)}_{k}", lambda p, t, k=k, wide=wide: raw.InTopKV2(predictions=p, targets=t, k=np.array(k, wide)),
                       predictions, np.array([0, 7, 3, 3, 1, 5], wide))  # fmt: skip
    odd = predictions.copy()
    odd[0, 0], odd[1, 1], odd[2, 2] = np.nan, np.inf, -np.inf
    suite.case("InTopKV2_special", lambda p, t: raw.InTopKV2(predictions=p, targets=t, k=np.array(5, I32)), odd, np.array([0, 7, 3, 9, -1, 5], I32))
    suite.case("InTopK", lambda p, t: raw.InTopK(predictions=p, targets=t, k=2), predictions, np.array([0, 7, 3, 3, 1, 5], I32))
    for dtype in FLOATS + INTS:
        for shape, k in (((9,), 3), ((4, 9), 9), ((2, 3, 4), 1), ((4, 9), 0)):
            suite.case(f"TopKV2_{short(dtype)}_{text(shape)}_{k}", lambda x, k=k: list(raw.TopKV2(input=x, k=k, sorted=True)), values(shape, dtype))
    suite.case("TopKV2_fed", lambda x, k: list(raw.TopKV2(input=x, k=k, sorted=True)), values((4, 9), F32), np.array(2, I32))
    suite.write()


SUITES = [segments, scans, ranks]
