# SPDX-License-Identifier: Apache-2.0
"""Operands that a graph mostly has as constants, fed: sizes, axes, permutations, paddings, counts.

A `fixed` feed keeps its size where the other feeds' sizes are dynamic (dynamic_shapes.py): it determines the rank of
a result. These are the main cases for make_refusals.py.
"""
from suite import *

i32 = lambda *numbers: np.array(numbers, I32)
i64 = lambda *numbers: np.array(numbers, I64)
scalar = lambda number, dtype=I32: np.array(number, dtype)
X = lambda *shape: values(shape, F32)


def fed_shapes():
    suite = Suite("fed_shapes")
    case = suite.case
    case("Reshape", lambda x, s: raw.Reshape(tensor=x, shape=s), X(4, 6), fixed(i32(3, 8)))
    case("Reshape_inferred", lambda x, s: raw.Reshape(tensor=x, shape=s), X(4, 6), fixed(i64(-1, 8)))
    case("BroadcastTo", lambda x, s: raw.BroadcastTo(input=x, shape=s), X(4, 1), fixed(i32(3, 4, 2)))
    case("Fill", lambda s, x: raw.Fill(dims=s, value=x), fixed(i32(3, 4)), np.array(2.5, F32))
    case("Tile", lambda x, m: raw.Tile(input=x, multiples=m), X(3, 2), fixed(i32(2, 3)))
    case("Pad", lambda x, p: raw.Pad(input=x, paddings=p), X(3, 2), fixed(np.array([[1, 2], [0, 3]], I32)))
    case("PadV2", lambda x, p: raw.PadV2(input=x, paddings=p, constant_values=np.float32(7)), X(3, 2), fixed(np.array([[1, 2], [0, 3]], I32)))
    for mode in ("REFLECT", "SYMMETRIC"):
        case(f"MirrorPad_{mode}", lambda x, p, mode=mode: raw.MirrorPad(input=x, paddings=p, mode=mode), X(4, 3), fixed(np.array([[1, 2], [0, 1]], I32)))
    case("Slice", lambda x, b, s: raw.Slice(input=x, begin=b, size=s), X(5, 4), fixed(i32(1, 0)), fixed(i32(3, -1)))
    case("StridedSlice", lambda x, b, e, s: raw.StridedSlice(input=x, begin=b, end=e, strides=s), X(7, 5), fixed(i32(1, 0)), fixed(i32(6, 5)), fixed(i32(2, 1)))
    case("StridedSlice_one", lambda x, b: raw.StridedSlice(input=x, begin=b, end=b + 1, strides=[1], shrink_axis_mask=1), X(7, 5), fixed(i32(3)))
    case("Transpose", lambda x, p: raw.Transpose(x=x, perm=p), X(3, 4, 2), fixed(i32(2, 0, 1)))
    case("ConjugateTranspose", lambda x, p: raw.ConjugateTranspose(x=x, perm=p), X(3, 4, 2), fixed(i32(1, 2, 0)))
    case("InvertPermutation", lambda p: raw.InvertPermutation(x=p), i32(3, 0, 2, 1))
    case("InvertPermutation_i64", lambda p: raw.InvertPermutation(x=p), i64(3, 0, 2, 1))
    case("ReverseV2", lambda x, a: raw.ReverseV2(tensor=x, axis=a), X(3, 4), fixed(i32(1)))
    case("ReverseV2_two", lambda x, a: raw.ReverseV2(tensor=x, axis=a), X(3, 4), fixed(i32(1, 0)))
    case("Roll", lambda x, s: raw.Roll(input=x, shift=s, axis=[0, 1]), X(3, 4), fixed(i32(1, -2)))
    case("Roll_axis", lambda x, s, a: raw.Roll(input=x, shift=s, axis=a), X(3, 4), fixed(i32(1, -2)), fixed(i32(0, 1)))
    case("ExpandDims", lambda x, a: raw.ExpandDims(input=x, axis=a), X(3, 4), scalar(1))
    case("Split", lambda a, x: raw.Split(axis=a, value=x, num_split=2), scalar(1), X(3, 4))
    case("SplitV", lambda x, s: raw.SplitV(value=x, size_splits=s, axis=np.int32(0), num_split=3), X(6, 2), fixed(i32(1, 3, 2)))
    case("SplitV_inferred", lambda x, s: raw.SplitV(value=x, size_splits=s, axis=np.int32(0), num_split=3), X(6, 2), fixed(i64(1, -1, 2)))
    case("ConcatV2", lambda x, y, a: raw.ConcatV2(values=[x, y], axis=a), X(2, 3), X(2, 3), scalar(1))
    case("Concat_fixed_axis", lambda x, y: raw.ConcatV2(values=[x, y], axis=np.int32(1)), X(2, 3), X(2, 5))
    case("ConcatOffset", lambda a, b: raw.ConcatOffset(concat_dim=np.int32(1), shape=[a, b]), fixed(i32(2, 3)), fixed(i32(2, 5)))
    case("Pack", lambda x, y: raw.Pack(values=[x, y], axis=1), X(2, 3), X(2, 3))
    case("Unpack", lambda x: list(raw.Unpack(value=x, num=3, axis=0)), X(3, 2))
    case("SpaceToBatchND", lambda x, b, p: raw.SpaceToBatchND(input=x, block_shape=b, paddings=p), X(2, 4, 6, 1), fixed(i32(2, 3)), fixed(np.array([[0, 0], [1, 2]], I32)))
    case("BatchToSpaceND", lambda x, b, c: raw.BatchToSpaceND(input=x, block_shape=b, crops=c), X(8, 2, 3, 1), fixed(i32(2, 2)), fixed(np.array([[0, 0], [1, 2]], I32)))
    case("SpaceToDepth", lambda x: raw.SpaceToDepth(input=x, block_size=2), X(1, 4, 6, 2))
    case("DepthToSpace", lambda x: raw.DepthToSpace(input=x, block_size=2), X(1, 2, 3, 8))
    case("EnsureShape", lambda x: raw.EnsureShape(input=x, shape=[3, None]), X(3, 4))
    case("BroadcastArgs", lambda x, y: raw.BroadcastArgs(s0=x, s1=y), i32(3, 1, 2), i32(4, 1))
    case("BroadcastGradientArgs", lambda x, y: list(raw.BroadcastGradientArgs(s0=x, s1=y)), i32(3, 1, 2), i32(4, 1))
    case("Squeeze", lambda x: raw.Squeeze(input=x, axis=[1]), X(3, 1))
    suite.write()


def fed_numbers():
    suite = Suite("fed_numbers")
    case = suite.case
    case("Range", lambda a, b, c: raw.Range(start=a, limit=b, delta=c), scalar(2), scalar(11), scalar(3))
    case("Range_i64_down", lambda a, b, c: raw.Range(start=a, limit=b, delta=c), scalar(9, I64), scalar(1, I64), scalar(-2, I64))
    case("Range_f32", lambda a, b, c: raw.Range(start=a, limit=b, delta=c), scalar(0.5, F32), scalar(3, F32), scalar(0.25, F32))
    case("LinSpace", lambda a, b, n: raw.LinSpace(start=a, stop=b, num=n), scalar(0, F32), scalar(8, F32), scalar(5))
    case("OneHot", lambda i, d: raw.OneHot(indices=i, depth=d, on_value=np.float32(1), off_value=np.float32(0)), i32(0, 3, 1), scalar(4))
    case("OneHot_u8", lambda i, d: raw.OneHot(indices=i, depth=d, on_value=np.float32(1), off_value=np.float32(0)), np.array([0, 3, 1], U8), scalar(4))
    case("TopKV2_i64_index", lambda x, k: list(raw.TopKV2(input=x, k=k, index_type=tf.int64)), np.array([[3, 1, 2, 5], [7, 9, 8, 0]], F32), scalar(2))
    case("TopKV2", lambda x, k: list(raw.TopKV2(input=x, k=k)), np.array([[3, 1, 2, 5], [7, 9, 8, 0]], F32), scalar(2))
    case("InTopK", lambda p, t: raw.InTopK(predictions=p, targets=t, k=2), X(3, 5), i32(0, 4, 2))
    case("InTopKV2", lambda p, t, k: raw.InTopKV2(predictions=p, targets=t, k=k), X(3, 5), i64(0, 4, 2), scalar(2, I64))
    for op in ("ArgMax", "ArgMin"):
        case(op, lambda x, a, op=op: getattr(raw, op)(input=x, dimension=a), X(4, 3), scalar(1))
        case(f"{op}_fixed", lambda x, op=op: getattr(raw, op)(input=x, dimension=np.int32(0)), X(4, 3))
    for op in ("Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm"):
        case(op, lambda x, a, op=op: getattr(raw, op)(input=x, axis=a), np.arange(1, 13, dtype=F32).reshape(4, 3), fixed(i32(1)), rtol=1e-6)
    for op in ("All", "Any"):
        case(op, lambda x, a, op=op: getattr(raw, op)(input=x, axis=a), bools((4, 3)), fixed(i32(1)))
    for op in ("Cumsum", "Cumprod", "CumulativeLogsumexp"):
        case(op, lambda x, a, op=op: getattr(raw, op)(x=x, axis=a), X(4, 3), scalar(1), rtol=1e-6, atol=1e-6)
    case("ReverseSequence", lambda x, n: raw.ReverseSequence(input=x, seq_lengths=n, seq_dim=1, batch_dim=0), X(3, 5), i64(2, 5, 1))
    case("SparseSoftmaxCrossEntropyWithLogits", lambda x, l: list(raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=l)), X(3, 5), i32(0, 4, 2), rtol=1e-5, atol=1e-6)
    case("SoftmaxCrossEntropyWithLogits", lambda x, l: list(raw.SoftmaxCrossEntropyWithLogits(features=x, labels=l)), X(3, 5), X(3, 5), rtol=1e-5, atol=1e-5)
    case("ResourceGather_batch", lambda x, i: raw.GatherV2(params=x, indices=i, axis=np.int32(1), batch_dims=1), X(3, 5), np.array([[0, 4], [1, 1], [3, 2]], I32))
    case("Gather", lambda x, i: raw.Gather(params=x, indices=i), X(3, 5), i32(2, 0, 0))
    case("GatherV2_axis", lambda x, i, a: raw.GatherV2(params=x, indices=i, axis=a), X(3, 5), i32(2, 0, 0), scalar(0))
    case("GatherNd", lambda x, i: raw.GatherNd(params=x, indices=i), X(3, 5), fixed(np.array([[2, 4], [0, 0]], I32)))
    case("ScatterNd", lambda i, u, s: raw.ScatterNd(indices=i, updates=u, shape=s), fixed(np.array([[2], [0]], I32)), X(2, 3), fixed(i32(4, 3)))
    for op in ("Add", "Sub", "Update", "Max", "Min"):
        case(f"TensorScatter{op}", lambda x, i, u, op=op: getattr(raw, f"TensorScatter{op}")(tensor=x, indices=i, updates=u), X(4, 3), fixed(np.array([[2], [0]], I32)), X(2, 3))
    for op in ("Sum", "Max", "Min", "Prod"):
        case(f"UnsortedSegment{op}", lambda x, s, n, op=op: getattr(raw, f"UnsortedSegment{op}")(data=x, segment_ids=s, num_segments=n), X(5, 2), i32(0, 2, 1, 0, 2), scalar(4))
    for op in ("Sum", "Max", "Min", "Prod", "Mean"):
        case(f"Segment{op}", lambda x, s, op=op: getattr(raw, f"Segment{op}")(data=x, segment_ids=s), X(5, 2), i32(0, 0, 1, 2, 2), rtol=1e-6)
        case(f"Segment{op}_i64", lambda x, s, op=op: getattr(raw, f"Segment{op}")(data=x, segment_ids=s), X(5, 2), i64(0, 0, 1, 3, 3), rtol=1e-6)
    for op in ("Sum", "Mean", "SqrtN"):
        case(f"SparseSegment{op}", lambda x, i, s, op=op: getattr(raw, f"SparseSegment{op}")(data=x, indices=i, segment_ids=s), X(5, 2), i32(0, 2, 4, 1), i32(0, 0, 1, 2), rtol=1e-6)
        case(f"SparseSegment{op}WithNumSegments", lambda x, i, s, n, op=op: getattr(raw, f"SparseSegment{op}WithNumSegments")(data=x, indices=i, segment_ids=s, num_segments=n), X(5, 2), i32(0, 2, 4, 1), i32(0, 0, 1, 2), scalar(4), rtol=1e-6)
        case(f"SparseSegment{op}Grad", lambda x, i, s, n, op=op: getattr(raw, f"SparseSegment{op}Grad")(grad=x, indices=i, segment_ids=s, output_dim0=n), X(3, 2), i32(0, 2, 4, 1), i32(0, 0, 1, 2), scalar(6), rtol=1e-6)
    case("DynamicPartition", lambda x, p: list(raw.DynamicPartition(data=x, partitions=p, num_partitions=3)), X(5, 2), i32(0, 2, 1, 0, 2))
    for op in ("DynamicStitch", "ParallelDynamicStitch"):
        case(op, lambda i, j, x, y, op=op: getattr(raw, op)(indices=[i, j], data=[x, y]), i32(0, 3), i32(2, 1), X(2, 2), X(2, 2))
    case("Bincount", lambda x, n, w: raw.Bincount(arr=x, size=n, weights=w), i32(1, 0, 3, 1), scalar(5), X(4))
    case("DenseBincount", lambda x, n, w: raw.DenseBincount(input=x, size=n, weights=w), i32(1, 0, 3, 1), scalar(5), X(4))
    case("Bincount_plain", lambda x, n: raw.Bincount(arr=x, size=n, weights=np.zeros(0, F32)), i32(1, 0, 3, 1), scalar(5))
    case("MatrixDiagV3", lambda x, k: raw.MatrixDiagV3(diagonal=x, k=k, num_rows=np.int32(-1), num_cols=np.int32(-1), padding_value=np.float32(0)), X(2, 3), scalar(0))
    case("MatrixDiagPartV3", lambda x, k: raw.MatrixDiagPartV3(input=x, k=k, padding_value=np.float32(0)), X(3, 4), scalar(0))
    case("MatrixSetDiagV3", lambda x, d, k: raw.MatrixSetDiagV3(input=x, diagonal=d, k=k), X(3, 4), X(3), scalar(0))
    case("MatrixSetDiag", lambda x, d: raw.MatrixSetDiag(input=x, diagonal=d), X(2, 3, 4), X(2, 3))
    case("MatrixBandPart", lambda x, a, b: raw.MatrixBandPart(input=x, num_lower=a, num_upper=b), X(3, 4), scalar(1, I64), scalar(0, I64))
    case("DiagPart", lambda x: raw.DiagPart(input=x), X(3, 3))
    case("ClipByValue", lambda x, a, b: raw.ClipByValue(t=x, clip_value_min=a, clip_value_max=b), X(3, 4), scalar(-1, F32), scalar(1, F32))
    case("Multinomial", lambda x, n: raw.Multinomial(logits=x, num_samples=n, seed=3, seed2=5), X(2, 3), scalar(4))
    case("StatelessMultinomial", lambda x, n: raw.StatelessMultinomial(logits=x, num_samples=n, seed=np.array([3, 5], I32)), X(2, 3), scalar(4))
    suite.write()


def fed_divisors():
    """Division and powers of every integer type, some of which TensorFlow refuses."""
    suite = Suite("fed_divisors")
    types = {"Div": (U8, U16, I8, I16, I32, I64), "FloorDiv": (U8, U16, U32, U64, I8, I16, I32, I64),
             "TruncateDiv": (U8, U16, I8, I16, I32, I64), "FloorMod": (I8, I16, I32, I64, U8, U16, U32, U64),
             "Mod": (I32, I64), "TruncateMod": (I32, I64), "Pow": (I32, I64), "RealDiv": (F32,), "DivNoNan": (F32,)}  # fmt: skip
    for op, dtypes in types.items():
        for dtype in dtypes:
            x, y = np.array([7, 9, 100, 3], dtype), np.array([2, 3, 7, 1], dtype)
            if op == "Pow":
                x, y = np.array([7, 2, 1, 3], dtype), np.array([2, 3, 7, 1], dtype)
            suite.case(f"{op}_{short(dtype)}", lambda x, y, op=op: getattr(raw, op)(x=x, y=y), x, y)
            if dtype in (I32, I64):
                suite.case(f"{op}_{short(dtype)}_by_scalar", lambda x, y, op=op: getattr(raw, op)(x=x, y=y), x, np.array(2, dtype))
    for op in ("LeftShift", "RightShift"):
        for dtype in (I8, I32, I64, U32):
            suite.case(f"{op}_{short(dtype)}", lambda x, y, op=op: getattr(raw, op)(x=x, y=y), np.array([7, 9, 100], dtype), np.array([2, 3, 1], dtype))
    # A loop that divides by the same numbers each time, and so by none where it has no iteration.
    for name, loop in (("while", tf.while_loop), ("while_v1", v1.while_loop)):
        def repeated(x, y, n, loop=loop):
            return loop(lambda i, _: i < n, lambda i, z: (i + 1, tf.math.floordiv(z, y)), (0, x))[1]
        control = v1.enable_control_flow_v2 if name == "while" else v1.disable_control_flow_v2
        control()
        suite.case(f"{name}_divides", repeated, i32(700, 900), i32(2, 3), np.array(2, I32))
        suite.case(f"{name}_divides_never", repeated, i32(7, 9), i32(2, 3), np.array(0, I32))
        suite.case(f"{name}_divides_by_one", repeated, i32(700, 900), np.array(3, I32), np.array(2, I32))
    v1.disable_control_flow_v2()
    suite.write()


def fed_random():
    suite = Suite("fed_random")
    case = suite.case
    seed = i32(3, 5)
    key, counter = np.array([7], U64), np.array([1, 2], U64)
    for op in ("StatelessRandomNormal", "StatelessRandomUniform", "StatelessTruncatedNormal"):
        case(op, lambda s, z, op=op: getattr(raw, op)(shape=s, seed=z), fixed(i32(3, 4)), fixed(seed), rtol=1e-5, atol=1e-6)
    case("StatelessRandomUniformInt", lambda s, z, a, b: raw.StatelessRandomUniformInt(shape=s, seed=z, minval=a, maxval=b), fixed(i32(3, 4)), fixed(seed), scalar(2), scalar(9))
    case("RandomUniformInt", lambda s, a, b: raw.RandomUniformInt(shape=s, minval=a, maxval=b, seed=3, seed2=5), fixed(i32(3, 4)), scalar(2), scalar(9))
    for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
        case(op, lambda s, op=op: getattr(raw, op)(shape=s, dtype=tf.float32, seed=3, seed2=5), fixed(i32(3, 4)), rtol=1e-5, atol=1e-6)
    case("RandomShuffle", lambda x: raw.RandomShuffle(value=x, seed=3, seed2=5), X(4, 2))
    suite.write()


def fed_lists():
    suite = Suite("fed_lists")
    case = suite.case
    def array(i, x):
        made = raw.TensorArrayV3(size=np.int32(3), dtype=tf.float32, element_shape=[2], clear_after_read=False)
        flow = raw.TensorArrayWriteV3(handle=made[0], index=i, value=x, flow_in=made[1])
        return raw.TensorArrayReadV3(handle=made[0], index=i, flow_in=flow, dtype=tf.float32)
    case("TensorArrayWriteV3", array, scalar(1), X(2))
    def gathered(i, x):
        made = raw.TensorArrayV3(size=np.int32(3), dtype=tf.float32)
        flow = raw.TensorArrayScatterV3(handle=made[0], indices=np.arange(3, dtype=I32), value=x, flow_in=made[1])
        return raw.TensorArrayGatherV3(handle=made[0], indices=i, flow_in=flow, dtype=tf.float32)
    case("TensorArrayGatherV3", gathered, i32(2, 0), X(3, 2))
    def scattered(i, x):
        made = raw.TensorArrayV3(size=np.int32(3), dtype=tf.float32)
        flow = raw.TensorArrayScatterV3(handle=made[0], indices=i, value=x, flow_in=made[1])
        return raw.TensorArrayReadV3(handle=made[0], index=np.int32(1), flow_in=flow, dtype=tf.float32)
    case("TensorArrayScatterV3", scattered, i32(2, 0, 1), X(3, 2))
    def sized(n):
        return raw.TensorArraySizeV3(handle=(made := raw.TensorArrayV3(size=n, dtype=tf.float32))[0], flow_in=made[1])
    case("TensorArrayV3", sized, scalar(3))
    def split(x, n):
        made = raw.TensorArrayV3(size=np.int32(2), dtype=tf.float32)
        flow = raw.TensorArraySplitV3(handle=made[0], value=x, lengths=n, flow_in=made[1])
        return raw.TensorArrayReadV3(handle=made[0], index=np.int32(1), flow_in=flow, dtype=tf.float32)
    case("TensorArraySplitV3", split, X(5, 2), fixed(i64(2, 3)))
    made = lambda x: raw.TensorListFromTensor(tensor=x, element_shape=np.array([2], I32))
    read = lambda l: raw.TensorListStack(input_handle=l, element_shape=np.array([2], I32), element_dtype=tf.float32)
    case("TensorListGetItem", lambda x, i: raw.TensorListGetItem(input_handle=made(x), index=i, element_shape=np.array([2], I32), element_dtype=tf.float32), X(3, 2), scalar(1))
    case("TensorListSetItem", lambda x, i, y: read(raw.TensorListSetItem(input_handle=made(x), index=i, item=y)), X(3, 2), scalar(1), X(2))
    case("TensorListGather", lambda x, i: raw.TensorListGather(input_handle=made(x), indices=i, element_shape=np.array([2], I32), element_dtype=tf.float32), X(3, 2), i32(2, 0))
    case("TensorListScatterV2", lambda x, i, n: read(raw.TensorListScatterV2(tensor=x, indices=i, element_shape=np.array([2], I32), num_elements=n)), X(3, 2), i32(2, 0, 1), scalar(3))
    case("TensorListScatterIntoExistingList", lambda x, y, i: read(raw.TensorListScatterIntoExistingList(input_handle=made(x), tensor=y, indices=i)), X(3, 2), X(2, 2), i32(2, 0))
    case("TensorListResize", lambda x, n: raw.TensorListLength(input_handle=raw.TensorListResize(input_handle=made(x), size=n)), X(3, 2), scalar(2))
    case("TensorListReserve", lambda n: raw.TensorListLength(input_handle=raw.TensorListReserve(element_shape=np.array([2], I32), num_elements=n, element_dtype=tf.float32)), scalar(2))
    case("TensorListSplit", lambda x, n: raw.TensorListGetItem(input_handle=raw.TensorListSplit(tensor=x, element_shape=np.array([-1, 2], I32), lengths=n), index=np.int32(0), element_shape=np.array([-1, 2], I32), element_dtype=tf.float32), X(5, 2), i64(2, 3))
    case("TensorListPushBack", lambda x, y: read(raw.TensorListPushBack(input_handle=made(x), tensor=y)), X(3, 2), X(2))
    def popped(x):
        rest, last = raw.TensorListPopBack(input_handle=made(x), element_shape=np.array([2], I32), element_dtype=tf.float32)
        return [last, raw.TensorListLength(input_handle=rest)]
    case("TensorListPopBack", popped, X(3, 2))
    suite.write()


def fed_texts():
    suite = Suite("fed_texts")
    case = suite.case
    texts = lambda *s: np.array(s, "S")
    case("Substr", lambda x, p, n: raw.Substr(input=x, pos=p, len=n), texts(b"hello", b"world"), scalar(1), scalar(3))
    case("Substr_each", lambda x, p, n: raw.Substr(input=x, pos=p, len=n), texts(b"hello", b"world"), i32(1, -2), i32(3, 2))
    for dtype in (F32, F64, I32, I64):
        case(f"StringToNumber_{short(dtype)}", lambda x, dtype=dtype: raw.StringToNumber(string_tensor=x, out_type=tf.as_dtype(dtype)), texts(b"12", b"-3"))
    case("DecodeRaw", lambda x: raw.DecodeRaw(bytes=x, out_type=tf.int16), texts(b"abcd", b"efgh"))
    case("DecodePaddedRaw", lambda x, n: raw.DecodePaddedRaw(input_bytes=x, fixed_length=n, out_type=tf.int16), texts(b"abcd", b"ef"), scalar(4))
    case("DecodeCSV", lambda x: list(raw.DecodeCSV(records=x, record_defaults=[np.zeros(0, F32), np.array([4], I32), np.array([b"z"])])), texts(b"1.5,2,a", b"2,,"))
    case("DecodeBase64", lambda x: raw.DecodeBase64(input=x), texts(b"aGVsbG8", b"d29ybGQ"))
    case("UnsortedSegmentJoin", lambda x, s, n: raw.UnsortedSegmentJoin(inputs=x, segment_ids=s, num_segments=n), texts(b"a", b"b", b"c"), i32(0, 2, 0), scalar(3))
    case("ReduceJoin", lambda x, a: raw.ReduceJoin(inputs=x, reduction_indices=a), np.array([[b"a", b"b"], [b"c", b"d"]], "S"), fixed(i32(1)))
    case("StringJoin", lambda x, y: raw.StringJoin(inputs=[x, y]), texts(b"a", b"b"), texts(b"c", b"d"))
    case("StringSplit", lambda x, d: list(raw.StringSplit(input=x, delimiter=d)), texts(b"a b", b"c"), np.array(b" "))
    case("RegexReplace", lambda x, p, r: raw.RegexReplace(input=x, pattern=p, rewrite=r), texts(b"a1b", b"c"), np.array(b"[0-9]"), np.array(b"-"))
    case("RegexFullMatch", lambda x, p: raw.RegexFullMatch(input=x, pattern=p), texts(b"a1b", b"c"), np.array(b"[a-c]"))
    suite.write()


def fed_sparse():
    suite = Suite("fed_sparse")
    case = suite.case
    index, numbers, shape = np.array([[0, 1], [1, 0], [2, 3]], I64), X(3), i64(3, 4)
    case("SparseToDense", lambda i, s, v: raw.SparseToDense(sparse_indices=i, output_shape=s, sparse_values=v, default_value=np.float32(0)), index, fixed(shape), numbers)
    case("SparseReorder", lambda i, v, s: list(raw.SparseReorder(input_indices=i, input_values=v, input_shape=s)), index, numbers, shape)
    case("SparseReshape", lambda i, s, n: list(raw.SparseReshape(input_indices=i, input_shape=s, new_shape=n)), index, shape, i64(2, -1))
    case("SparseFillEmptyRows", lambda i, v, s: list(raw.SparseFillEmptyRows(indices=i, values=v, dense_shape=s, default_value=np.float32(9))), np.array([[0, 1], [2, 0], [2, 3]], I64), numbers, i64(4, 4))
    case("SparseFillEmptyRowsGrad", lambda m, g: list(raw.SparseFillEmptyRowsGrad(reverse_index_map=m, grad_values=g)), i64(0, 2, 3), X(5))
    case("SparseSlice", lambda i, v, s, a, n: list(raw.SparseSlice(indices=i, values=v, shape=s, start=a, size=n)), index, numbers, shape, i64(1, 0), i64(2, 3))
    case("DenseToSparseSetOperation", lambda d, i, v, s: list(raw.DenseToSparseSetOperation(set1=d, set2_indices=i, set2_values=v, set2_shape=s, set_operation="intersection")), np.array([[1, 2], [3, 4], [5, 6]], I32), np.array([[0, 0], [1, 0], [2, 1]], I64), i32(2, 3, 7), i64(3, 2))
    case("SparseToSparseSetOperation", lambda i, v, s: list(raw.SparseToSparseSetOperation(set1_indices=i, set1_values=v, set1_shape=s, set2_indices=i, set2_values=v, set2_shape=s, set_operation="union")), np.array([[0, 0], [1, 0], [2, 1]], I64), i32(2, 3, 7), i64(3, 2))
    case("DeserializeSparse", lambda i, v, s: list(raw.DeserializeSparse(serialized_sparse=raw.SerializeSparse(sparse_indices=i, sparse_values=v, sparse_shape=s, out_type=tf.string), dtype=tf.float32)), index, numbers, shape)
    case("SerializeManySparse", lambda i, v, s: list(raw.DeserializeSparse(serialized_sparse=raw.SerializeManySparse(sparse_indices=i, sparse_values=v, sparse_shape=s, out_type=tf.string), dtype=tf.float32)), index, numbers, shape)
    case("UniqueV2", lambda x, a: list(raw.UniqueV2(x=x, axis=a)), i32(3, 1, 3, 2), fixed(i64(0)))
    suite.write()


def fed_state():
    """Variables that are assigned a fed value."""
    suite = Suite("fed_state")
    def held(name, value):
        return v1.get_variable(name, initializer=tf.constant(value), use_resource=True)
    def case(name, shape, make, *more):
        def function(x, *rest):
            variable = held(name, X(*shape))
            done = make(variable.handle, x, *rest)
            with tf.control_dependencies([done]):
                return variable.read_value()
        suite.case(name, function, X(*shape), *more)
    case("AssignVariableOp", (2, 2), lambda v, x: raw.AssignVariableOp(resource=v, value=x))
    case("AssignVariableOp_checked", (2, 2), lambda v, x: raw.AssignVariableOp(resource=v, value=x, validate_shape=True))
    case("AssignAddVariableOp", (2, 2), lambda v, x: raw.AssignAddVariableOp(resource=v, value=x))
    case("AssignSubVariableOp", (2, 2), lambda v, x: raw.AssignSubVariableOp(resource=v, value=x))
    case("ResourceStridedSliceAssign", (4,), lambda v, x, b, e: raw.ResourceStridedSliceAssign(ref=v, begin=b, end=e, strides=np.array([1], I32), value=x), fixed(i32(0)), fixed(i32(4)))
    def reference(name, shape, make):
        def function(x):
            variable = v1.get_variable(name, initializer=tf.constant(X(*shape)), use_resource=False)
            return tf.identity(make(variable._ref(), x))
        suite.case(name, function, X(*shape))
    reference("Assign", (2, 2), lambda v, x: raw.Assign(ref=v, value=x))
    reference("AssignAdd", (2, 2), lambda v, x: raw.AssignAdd(ref=v, value=x))
    reference("AssignSub", (2, 2), lambda v, x: raw.AssignSub(ref=v, value=x))
    def sliced(x):
        variable = v1.get_variable("sliced", initializer=tf.constant(X(3, 2)), use_resource=True)
        return raw.ResourceGather(resource=variable.handle, indices=x, dtype=tf.float32)
    suite.case("ResourceGather", sliced, i32(2, 0))
    def sliced_nd(x):
        variable = v1.get_variable("sliced_nd", initializer=tf.constant(X(3, 2)), use_resource=True)
        return raw.ResourceGatherNd(resource=variable.handle, indices=x, dtype=tf.float32)
    suite.case("ResourceGatherNd", sliced_nd, fixed(np.array([[2, 1], [0, 0]], I32)))
    # Steps that may fail after an update: of a variable that is changed in place, by rows, or assigned.
    updates = {
        "descent": lambda v: raw.ResourceApplyGradientDescent(var=v.handle, alpha=0.5, delta=X(3, 2)),
        "rows": lambda v: raw.ResourceScatterAdd(resource=v.handle, indices=i32(1), updates=X(1, 2)),
        "sum": lambda v: raw.AssignAddVariableOp(resource=v.handle, value=X(3, 2)),
        "branch": lambda v: tf.cond(tf.reduce_sum(v) > -1000.0, lambda: tf.group(updates["descent"](v)), tf.no_op),
    }
    def late(name, make, *inputs):
        for update, change in updates.items():
            def function(*x):
                variable = held(f"{name}_{update}", X(3, 2))
                with tf.control_dependencies([change(variable)]):
                    found = make(variable, *x)
                with tf.control_dependencies([found]):
                    return [tf.identity(found), variable.read_value()]
            suite.case(f"late_{name}_{update}", function, *inputs)
    late("gather", lambda v, x: raw.GatherV2(params=X(3, 2), indices=x, axis=0), i32(2, 0))
    late("read_gather", lambda v, x: raw.ResourceGather(resource=v.handle, indices=x, dtype=tf.float32), i32(2, 0))
    late("divide", lambda v, x: raw.FloorDiv(x=i32(7, 9), y=x), i32(2, 3))
    late("product", lambda v, x: raw.MatMul(a=X(2, 3), b=x), X(3, 4))
    late("text", lambda v, x: raw.StringToNumber(string_tensor=x), np.array([b"1", b"2"]))
    late("inverted", lambda v, x: raw.InvertPermutation(x=x), i32(2, 0, 1))
    late("segments", lambda v, x: raw.SegmentSum(data=v.read_value(), segment_ids=x), i32(0, 0, 1))
    suite.write()


def lenient():
    """Python's == and != of tensors, which are not equal where their shapes do not go together."""
    suite = Suite("lenient")
    words = np.array([[b"a", b"b"], [b"c", b""]])
    for op in (raw.Equal, raw.NotEqual):
        for name, x, y in (("same", X(3, 2), X(3, 2)), ("row", X(3, 2), X(2)), ("scalar", X(3, 2), F32(0.25)), ("other", X(3, 2), X(3)),
                           ("longer", X(4), X(3)), ("words", words, words[:1]), ("other_words", words, words.reshape(4)[:3])):  # fmt: skip
            suite.case(f"{op.__name__}_{name}", lambda x, y, op=op: op(x=x, y=y, incompatible_shape_error=False), fixed(x), fixed(np.asarray(y)))
    suite.write()


def fed_edges():
    """Feeds at the edge of what kernels look at: nothing to compute, shapes that stay, matrices without factors."""
    suite = Suite("fed_edges")
    case = suite.case
    lower = lambda x: raw.MatrixBandPart(input=x, num_lower=np.int64(-1), num_upper=np.int64(0))
    for name, x in (("indefinite", [[1, -1, 0], [-1, 1, -1], [0, -1, 1]]), ("negative", [[4, 2], [2, -1]]), ("zero", [[0, 0], [0, 0]]),
                    ("nan", [[float("nan")]]), ("infinite", [[float("inf"), 1], [1, 1]])):  # fmt: skip
        # Undefined: TensorFlow's result above the diagonal.
        case(f"Cholesky_{name}", lambda x: lower(raw.Cholesky(input=x)), np.array([x, np.eye(len(x))], F64))
    for columns in (1, 2):
        b = np.array([[0] * columns, [1] * columns, [2] * columns], F32)
        a = np.array([[0, 5, 6], [1, 2, 7], [3, 0, 4]], F32)
        for flags in ((True, False), (False, False), (True, True), (False, True)):
            case(f"MatrixTriangularSolve_{columns}_{flags[0]}_{flags[1]}", lambda a, b, f=flags: raw.MatrixTriangularSolve(
                matrix=a, rhs=b, lower=f[0], adjoint=f[1]), a, b)  # fmt: skip
    places, shape = np.array([[0, 0, 2], [1, 0, 0], [1, 2, 0]], I64), i64(2, 2, 2)
    reshape = lambda i, s, n: list(raw.SparseReshape(input_indices=i, input_shape=s, new_shape=n))
    case("SparseReshape_same", reshape, fixed(places), fixed(shape), fixed(shape))
    case("SparseReshape_same_inferred", reshape, fixed(places), fixed(shape), fixed(i64(2, -1, 2)))
    case("SparseReshape_same_empty", reshape, fixed(places), fixed(i64(0, 2, 2)), fixed(i64(0, 2, 2)))
    case("SparseReshape_other", reshape, fixed(places), fixed(shape), fixed(i64(4, 2)))
    offsets = lambda a, *shapes: list(raw.ConcatOffset(concat_dim=a, shape=shapes))
    case("ConcatOffset_fed_axis", offsets, scalar(1), fixed(i32(2, 3)), fixed(i32(2, 5)), fixed(i32(2, 4)))
    case("ConcatOffset_fed_axis_from_end", offsets, scalar(-2), fixed(i32(2, 3)), fixed(i32(4, 3)))
    case("ConcatOffset_others_differ", offsets, scalar(1), fixed(i32(2, 3)), fixed(i32(1, 3)), fails="All dimensions except")
    nothing, rows = fixed(np.zeros([2, 0], F32)), np.zeros([2, 1], F32)
    for op in ("Max", "Min", "Prod", "Sum"):
        segments = lambda d, i, n, op=op: getattr(raw, "UnsortedSegment" + op)(data=d, segment_ids=i, num_segments=n)
        case(f"UnsortedSegment{op}_nothing", segments, nothing.copy(), i32(0, 100), scalar(2))
        case(f"UnsortedSegment{op}_outside", segments, rows, i32(0, 100), scalar(2), fails="segment_ids[1] = 100 is out of range [0, 2)")
        case(f"UnsortedSegment{op}_none", segments, rows[:0], i32(), scalar(-1), fails="must not be negative")
    case("ExtractImagePatches_no_images_of_no_depth", lambda x: raw.ExtractImagePatches(images=x, ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1], padding="VALID"), np.zeros([0, 4, 4, 0], F32))  # fmt: skip
    case("GatherV2_nothing", lambda x, i: raw.GatherV2(params=x, indices=i, axis=np.int32(0)), nothing, i32(0, 9))
    case("GatherV2_no_rows", lambda x, i: raw.GatherV2(params=x, indices=i, axis=np.int32(0)), rows[:0], i32(0), fails="indices[0] = 0 is not in [0, 0)")
    sparse = lambda op: lambda d, i, s: getattr(raw, "SparseSegment" + op)(data=d, indices=i, segment_ids=s)
    for op in ("Mean", "SqrtN", "Sum"):
        case(f"SparseSegment{op}_last", sparse(op), X(3, 2), i32(0, 1), i32(0, 2**31 - 1), fails="Last segment id must be < kintmax")
    case("SegmentSum_last", lambda d, s: raw.SegmentSum(data=d, segment_ids=s), X(2, 2), i64(0, 2**63 - 1), fails="Expected a non-negative size")
    told = lambda text: [raw.StringLength(input=text), raw.StringToHashBucketFast(input=text, num_buckets=2**62)]
    case("StringFormat_nothing", lambda x: told(raw.StringJoin(inputs=[raw.StringFormat(inputs=[], template="as it is: ", placeholder="%s"),
        raw.AsString(input=x)])), scalar(7))  # fmt: skip
    for name, y in (("same", ["c", ""]), ("scalar", "d")):
        case(f"Add_strings_{name}", lambda x, y=y: told(raw.Add(x=raw.AsString(input=x), y=tf.constant(y))), i32(7, 12))
    ties = np.array([[3, 1, 3, 2, 3, 0, 1, 2, 5], [9, 8, 7, 6, 5, 4, 3, 2, 1], [1, 2, 3, 4, 5, 6, 7, 8, 9]])
    for dtype in (F32, F16, I32):
        for k in (1, 2, 5, 8, 9):
            case(f"TopKV2_unsorted_{k}_{short(dtype)}", lambda x, k: list(raw.TopKV2(input=x, k=k, sorted=False)),
                np.concatenate([ties, rng.permutation(ties.T).T, rng.randint(0, 50, ties.shape)]).astype(dtype), scalar(k))  # fmt: skip
    suite.write()


SUITES = [lenient, fed_edges, fed_shapes, fed_numbers, fed_divisors, fed_random, fed_lists, fed_texts, fed_sparse, fed_state]
