# SPDX-License-Identifier: Apache-2.0
"""Indices that lie outside: TensorFlow's kernels on a CPU stop the run, and say which."""
from suite import F32, I32, I64, Suite, eighths, np, raw, tf, v1
from scatter import held


def outside():
    suite = Suite("outside")
    x, many = eighths((5, 4)), np.array([[3, 0], [12, 1]], I32)
    case = lambda name, says, f, *inputs: suite.case(name, f, *inputs, fails=says)
    for wide in (I32, I64):
        at = lambda *values: np.array(values, wide)
        kind = np.dtype(wide).name
        case(f"Gather_{kind}", "indices[1,0] = 12 is not in [0, 5)", lambda x, i: raw.Gather(params=x, indices=i), x, many.astype(wide))
        case(f"GatherV2_{kind}", "indices[2] = 4 is not in [0, 4)", lambda x, i: raw.GatherV2(params=x, indices=i, axis=1), x, at(0, 3, 4))
        case(f"GatherV2_negative_{kind}", "indices[1] = -1 is not in [0, 5)", lambda x, i: raw.GatherV2(params=x, indices=i, axis=0), x, at(0, -1))
        case(f"GatherNd_{kind}", "indices[1] = [1, 4] does not index into", lambda x, i: raw.GatherNd(params=x, indices=i), x, np.array([[0, 3], [1, 4]], wide))
        case(f"ResourceGather_{kind}", "indices[1] = 5 is not in [0, 5)", lambda i: raw.ResourceGather(resource=held(f"g{kind}", x).handle, indices=i, dtype=F32), at(4, 5))
        case(f"ScatterNd_{kind}", "indices[1] = [7] does not index into", lambda i, u: raw.ScatterNd(indices=i, updates=u, shape=np.array([5], wide)), np.array([[0], [7]], wide), eighths((2,)))
        case(f"TensorScatterAdd_{kind}", "indices[0] = [5, 0] does not index into", lambda x, i, u: raw.TensorScatterAdd(tensor=x, indices=i, updates=u),
             x, np.array([[5, 0]], wide), eighths((1,)))  # fmt: skip
        case(f"UnsortedSegmentSum_{kind}", "segment_ids[2] = 3 is out of range [0, 3)", lambda x, i: raw.UnsortedSegmentSum(data=x, segment_ids=i, num_segments=3), x, at(0, 2, 3, 1, 0))
        case(f"SparseSegmentSum_{kind}", "out of range [0, 5)", lambda x, i: raw.SparseSegmentSum(data=x, indices=i, segment_ids=[0, 0, 1]), x, at(0, 5, 1))
        case(f"labels_{kind}", "Received a label value of 4 which is outside the valid range of [0, 4)", lambda x, i: raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=i)[0], x, at(0, 1, 4, 2, 3))

    def updated(name, op, **more):
        def function(i, u):
            variable = held(name, x)
            done = getattr(raw, op)(**{"ref" if "Nd" in op else "resource": variable.handle}, indices=i, updates=u, **more)
            with tf.control_dependencies([done]):
                return variable.read_value()
        return function

    case("ResourceScatterAdd", "indices[1] = 5 is not in [0, 5)", updated("add", "ResourceScatterAdd"), np.array([0, 5], I32), eighths((2, 4)))
    case("ResourceScatterUpdate", "indices[0] = -3 is not in [0, 5)", updated("update", "ResourceScatterUpdate"), np.array([-3, 1], I32), eighths((2, 4)))
    case("ResourceScatterNdUpdate", "does not index into shape [5,4]", updated("nd", "ResourceScatterNdUpdate"), np.array([[0, 4]], I32), eighths((1,)))

    def step(g, i):
        variable, slot = held("var", x), held("slot", np.abs(x) + F32(1))
        done = raw.ResourceSparseApplyAdagrad(var=variable.handle, accum=slot.handle, lr=0.5, grad=g, indices=i)
        with tf.control_dependencies([done]):
            return variable.read_value()

    case("ResourceSparseApplyAdagrad", "Index 7 at offset 1 in indices is out of range", step, eighths((2, 4)), np.array([1, 7], I32))
    # Indices within the range pass, and ids below zero are dropped.
    suite.case("inside", lambda x, i: [raw.GatherV2(params=x, indices=i, axis=0), raw.UnsortedSegmentSum(data=x[:3], segment_ids=i - 1, num_segments=4)], x, np.array([0, 4, 2], I32))
    case("Assert", "assertion failed: [too large:] [5 6 7...]", lambda v: control(raw.Assert(condition=tf.reduce_all(v < 7.0), data=["too large:", v], summarize=3), v), np.arange(5, 9).astype(F32))
    case("CheckNumerics", "here : Tensor had Inf and NaN values", lambda v: raw.CheckNumerics(tensor=v, message="here"), np.array([1, np.inf, np.nan], F32))
    case("CheckNumericsV2", "here : Tensor had -Inf values", lambda v: raw.CheckNumericsV2(tensor=v, message="here"), np.array([1, -np.inf], F32))
    suite.write()


def control(done, v):
    with tf.control_dependencies([done]):
        return tf.identity(v)


SUITES = [outside]
