# SPDX-License-Identifier: Apache-2.0
"""Joins, splits, broadcasts, slices, gathers and scatters."""
from suite import *

TYPES = FLOATS + INTS + (BOOL,)


def i32(*numbers):
    return np.array(numbers, I32)


def array():
    suite = Suite("array")
    for dtype in TYPES:
        for shapes, axis in ((((3,), (2,)), 0), (((2, 3), (2, 5), (2, 1)), 1), (((2, 3, 4), (5, 3, 4)), -3), (((2, 3, 4), (2, 0, 4), (2, 2, 4)), -2)):
            suite.case(f"ConcatV2_{short(dtype)}_{'_'.join(map(text, shapes))}", lambda *x, a=axis:
                raw.ConcatV2(values=list(x), axis=a), *[values(s, dtype) for s in shapes])  # fmt: skip
        for shape, axis, count in (((), 0, 3), ((3,), 0, 2), ((3,), -1, 4), ((2, 3), 1, 3), ((2, 3), 2, 1)):
            suite.case(f"Pack_{short(dtype)}_{text(shape)}_{count}_at_{axis}".replace("-", "minus_"), lambda *x, a=axis:
                raw.Pack(values=list(x), axis=a), *[values(shape, dtype) for _ in range(count)])  # fmt: skip
        for shape, axis in (((3,), 0), ((2, 3), 1), ((4, 1, 3), -3)):
            suite.case(f"Unpack_{short(dtype)}_{text(shape)}_at_{axis}".replace("-", "minus_"), lambda x, a=axis, n=shape[axis]:
                raw.Unpack(value=x, num=n, axis=a), values(shape, dtype))  # fmt: skip
        suite.case(f"Split_{short(dtype)}", lambda x: raw.Split(axis=1, value=x, num_split=3), values((2, 6, 5), dtype))
        suite.case(f"Split_{short(dtype)}_last", lambda x: raw.Split(axis=-1, value=x, num_split=2), values((7, 34), dtype))
        suite.case(f"SplitV_{short(dtype)}", lambda x: raw.SplitV(value=x, size_splits=i32(2, -1, 0, 1), axis=0, num_split=4), values((6, 5), dtype))
        for shape, to in (((), (2, 3)), ((3,), (4, 3)), ((4, 1), (2, 4, 3)), ((1,), (5,)), ((2, 3), (2, 3))):
            suite.case(f"BroadcastTo_{short(dtype)}_{text(shape)}_{text(to)}", lambda x, to=to: raw.BroadcastTo(input=x, shape=i32(*to)), values(shape, dtype))
        suite.case(f"OneHot_{short(dtype)}", lambda i, on, off: raw.OneHot(indices=i, depth=5, on_value=on, off_value=off, axis=-1),
            i32(0, 4, -1, 5, 2), values((), dtype), values((), dtype))  # fmt: skip
    for axis in (0, 1, 2, -1):
        suite.case(f"OneHot_axis_{axis}".replace("-", "minus_"), lambda i, a=axis: raw.OneHot(indices=i, depth=4, on_value=np.float32(1), off_value=np.float32(0), axis=a),
            np.array([[0, 3, 1], [2, 2, 7]], I64))  # fmt: skip
    suite.case("OneHot_of_a_scalar", lambda i: raw.OneHot(indices=i, depth=3, on_value=True, off_value=False), np.array(1, I32))
    # Shape arithmetic as graphs write it.
    def flattened(x):
        shape = raw.Shape(input=x)
        rows = raw.StridedSlice(input=shape, begin=[0], end=[1], strides=[1], shrink_axis_mask=1)
        return raw.Reshape(tensor=x, shape=raw.Pack(values=[rows, -1]))
    suite.case("Reshape_to_rows", flattened, eighths((4, 3, 2)))
    suite.case("Size_and_rank", lambda x: [raw.Size(input=x), raw.Rank(input=x), raw.Size(input=x, out_type=tf.int64)], eighths((4, 3, 2)))
    suite.case("ShapeN", lambda x, y: raw.ShapeN(input=[x, y]), eighths((4, 3, 2)), eighths((2, 2, 1)))
    suite.case("ConcatOffset", lambda x, y: raw.ConcatOffset(concat_dim=1, shape=[raw.Shape(input=x), raw.Shape(input=y), raw.Shape(input=x)]), eighths((4, 3)), eighths((4, 7)))
    suite.case("ConcatOffset_at_run_time", lambda x, y: raw.ConcatOffset(concat_dim=0, shape=[x, y]), i32(4, 3), i32(6, 3))
    for a, b in (((2, 1, 5), (3, 1)), ((1,), (1,)), ((2, 3), (2, 3)), ((), (4,)), ((4, 1), (4, 6))):
        suite.case(f"BroadcastGradientArgs_{text(a)}_{text(b)}", lambda x, y: [tf.concat([r, [7]], 0) for r in
            raw.BroadcastGradientArgs(s0=raw.Shape(input=x), s1=raw.Shape(input=y))], eighths(a), eighths(b))  # fmt: skip
        suite.case(f"BroadcastArgs_{text(a)}_{text(b)}", lambda x, y: tf.concat([raw.BroadcastArgs(s0=raw.Shape(input=x), s1=raw.Shape(input=y)), [7]], 0), eighths(a), eighths(b))
        suite.case(f"gradients_of_a_product_{text(a)}_{text(b)}", lambda x, y: tf.gradients(tf.reduce_sum(x * y * 2.0), [x, y]), eighths(a), eighths(b))
    suite.case("BroadcastArgs_at_run_time", lambda x, y: raw.BroadcastArgs(s0=x, s1=y), i32(5), i32(2, 1, 5))
    suite.case("BroadcastArgs_at_run_time_i64", lambda x, y: raw.BroadcastArgs(s0=x, s1=y), np.array([3, 1, 4], I64), np.array([2, 1], I64))
    suite.case("gradients_of_concat_and_split", lambda x, y: tf.gradients(tf.split(tf.concat([x, y], 1) * tf.concat([y, x], 1), 2, 1)[0], [x, y]), eighths((3, 4)), eighths((3, 6)))
    suite.case("gradients_of_stack", lambda x, y: tf.gradients(tf.stack([x, y * x], 1) * 1.5, [x, y]), eighths((3,)), eighths((3,)), rtol=1e-6)
    suite.case("EnsureShape", lambda x: raw.EnsureShape(input=x, shape=tf.TensorShape([None, 3])) * 2.0, eighths((2, 3)))
    suite.write()


def indexing():
    suite = Suite("indexing")
    slices = {
        "a": ((7,), lambda x: x[2:5]), "b": ((7,), lambda x: x[-3:]), "c": ((7,), lambda x: x[::-1]), "d": ((7,), lambda x: x[5:1:-2]),
        "e": ((7,), lambda x: x[3]), "f": ((7,), lambda x: x[-7]), "g": ((7,), lambda x: x[5:2]), "h": ((7,), lambda x: x[-100:100:3]),
        "i": ((4, 5), lambda x: x[1]), "j": ((4, 5), lambda x: x[:, 2]), "k": ((4, 5), lambda x: x[:, tf.newaxis, 1:3]),
        "l": ((2, 3, 4, 5), lambda x: x[..., 1]), "m": ((2, 3, 4, 5), lambda x: x[0, ..., ::2]), "n": ((2, 3, 4, 5), lambda x: x[:, tf.newaxis, ..., -1, tf.newaxis]),
        "o": ((2, 3, 4, 5), lambda x: x[1:, :2, ::-1, 4:0:-3]), "p": ((), lambda x: x[tf.newaxis]), "q": ((3, 4), lambda x: x[..., tf.newaxis, tf.newaxis]),
        "r": ((33, 40), lambda x: x[1:, 3:38]), "s": ((33, 40), lambda x: x[::2, ::3]),
    }  # fmt: skip
    for dtype in TYPES:
        for name, (shape, function) in slices.items():
            if dtype in (F32, BOOL) or name in "bdjmo":
                suite.case(f"StridedSlice_{short(dtype)}_{name}", function, values(shape, dtype))
        for shape, begin, size in (((7,), (2,), (3,)), ((4, 5), (1, 0), (-1, 2)), ((4, 5), (4, 2), (-1, -1)), ((2, 3, 4), (0, 1, 2), (2, 2, 1))):
            suite.case(f"Slice_{short(dtype)}_{text(shape)}_{text(begin)}", lambda x, b=begin, s=size: raw.Slice(input=x, begin=i32(*b), size=i32(*s)), values(shape, dtype))
        suite.case(f"Slice_{short(dtype)}_begin_at_run_time", lambda x, b: raw.Slice(input=x, begin=b, size=[2, 3]), values((4, 5), dtype), i32(1, 2))
        suite.case(f"StridedSlice_{short(dtype)}_row_at_run_time", lambda x, i: x[i], values((4, 5), dtype), np.array(-2, I32))
        for shape, indices, axis, batch in (((5, 3), (4,), 0, 0), ((5, 3), (2, 2), 1, 0), ((4, 5, 3), (), 1, 0), ((2, 5, 3), (2, 4), 1, 1), ((2, 5, 3), (2, 4), 2, 1), ((2, 3, 5), (2, 3, 2), -1, -1), ((6,), (2, 3), 0, 0)):
            i = rng.randint(0, shape[axis], size=indices).astype(I64 if axis == 0 else I32)
            suite.case(f"GatherV2_{short(dtype)}_{text(shape)}_{text(indices)}_{axis}".replace("-", "minus_"), lambda x, i, a=axis, b=batch:
                raw.GatherV2(params=x, indices=i, axis=a, batch_dims=b), values(shape, dtype), i)  # fmt: skip
        suite.case(f"Gather_{short(dtype)}", lambda x, i: raw.Gather(params=x, indices=i), values((10, 33), dtype), i32(9, 0, 3, 3))
        for shape, rows in (((5, 3), [[0], [4], [4]]), ((5, 3), [[[1, 2], [4, 0]]]), ((4,), [3]), ((2, 3, 4), [[1, 2]])):
            i = np.array(rows, I32)
            suite.case(f"GatherNd_{short(dtype)}_{text(shape)}_{text(i.shape)}", lambda x, i: raw.GatherNd(params=x, indices=i), values(shape, dtype), i)
        for to, spec in (((7,), dict(begin=[1], end=[7], strides=[2])), ((4, 5), dict(begin=[3, 1], end=[0, 3], strides=[-1, 1])),
                         ((4, 5), dict(begin=[2, 0], end=[3, 5], strides=[1, 1], shrink_axis_mask=1)), ((4, 5), dict(begin=[0, 0, 1], end=[0, 0, 4], strides=[1, 1, 2], ellipsis_mask=1, new_axis_mask=2))):
            with tf.Graph().as_default():
                shape = raw.StridedSlice(input=tf.zeros(to), **spec).shape
            suite.case(f"StridedSliceGrad_{short(dtype)}_{text(to)}_{len(spec)}_{spec['strides'][0]}".replace("-", "minus_"), lambda dy, to=to, spec=spec:
                raw.StridedSliceGrad(shape=i32(*to), dy=dy, **spec), values(tuple(shape), dtype))  # fmt: skip
        if dtype is BOOL:
            continue
        x, rows = values((5, 3), dtype), np.array([[1], [4], [1], [0]], I32)
        for op in ("Update", "Add", "Sub", "Min", "Max"):
            suite.case(f"TensorScatter{op}_{short(dtype)}", lambda x, i, u, op=op: getattr(raw, "TensorScatter" + op)(tensor=x, indices=i, updates=u), x, rows, values((4, 3), dtype))
        suite.case(f"TensorScatterAdd_{short(dtype)}_elements", lambda x, i, u: raw.TensorScatterAdd(tensor=x, indices=i, updates=u), x, np.array([[[0, 2], [0, 2]], [[4, 0], [3, 1]]], I64), values((2, 2), dtype))
        suite.case(f"ScatterNd_{short(dtype)}", lambda i, u: raw.ScatterNd(indices=i, updates=u, shape=[5, 3]), rows, values((4, 3), dtype))
        suite.case(f"TensorStridedSliceUpdate_{short(dtype)}", lambda x, v: raw.TensorStridedSliceUpdate(input=x, begin=[1, 2], end=[4, 0], strides=[2, -1], value=v, end_mask=2), x, values((2, 3), dtype))
    suite.case("ScatterNd_of_a_vector", lambda i, u: raw.ScatterNd(indices=i, updates=u, shape=[8]), np.array([[4], [3], [1], [7], [4]], I32), eighths((5,)))
    suite.case("InvertPermutation", lambda p: raw.InvertPermutation(x=p), i32(3, 0, 2, 4, 1))
    suite.case("InvertPermutation_i64", lambda p: raw.InvertPermutation(x=p), np.array([2, 1, 0], I64))
    suite.case("gradients_of_transpose", lambda x: tf.gradients(tf.transpose(x, [2, 0, 1]) * 1.5, x), eighths((2, 3, 4)))
    suite.case("gradients_of_gather_and_slice", lambda x: tf.gradients(tf.gather(x, [1, 1, 0], axis=1)[:, 1:] * 1.5, x), eighths((4, 3)))
    # Steps, and an index that leaves a dimension out, where others have one element.
    for name, function in (("first", lambda x: x[:, 0, ::2]), ("last", lambda x: x[:, ::2, 0]), ("middle", lambda x: x[1, :, ::2]), ("both", lambda x: x[0, 1, ::2])):
        suite.case(f"StridedSlice_with_steps_without_{name}", lambda x, f=function: [f(x * x), *tf.gradients(tf.reduce_sum(f(x * x) * 2.0), x)], eighths((4, 3, 3, 1)))
    suite.write()


SUITES = [array, indexing]
