# SPDX-License-Identifier: Apache-2.0
"""Ops that are little more than other ops: old versions, what passes a tensor on, calls and cases."""
from suite import *


def rest():
    suite = Suite("rest")
    x = eighths((3, 4))
    for op in ("PreventGradient", "Snapshot", "StopGradient"):
        suite.case(op, lambda v, op=op: getattr(raw, op)(input=v) * 2.0, x)
    suite.case("CheckNumerics", lambda v: raw.CheckNumerics(tensor=v, message="no"), x)
    suite.case("CheckNumericsV2", lambda v: raw.CheckNumericsV2(tensor=v, message="no"), x)
    suite.case("Concat", lambda a, b: raw.Concat(concat_dim=1, values=[a, b]), x, eighths((3, 2)))
    suite.case("AccumulateNV2", lambda a, b: raw.AccumulateNV2(inputs=[a, b], shape=(3, 4)), x, x + F32(1))

    def variable(value):
        return v1.get_variable("v" + str(len(v1.global_variables())), initializer=tf.constant(value), use_resource=True)

    table = eighths((5, 4))
    suite.case("ResourceGather", lambda i: raw.ResourceGather(resource=variable(table).handle, indices=i, dtype=F32), np.array([[4, 0], [2, 2]], I32))
    suite.case("ResourceGather_batch", lambda i: raw.ResourceGather(resource=variable(table).handle, indices=i, dtype=F32, batch_dims=1), np.array([[3, 0], [2, 2], [1, 1], [0, 3], [1, 2]], I32))
    suite.case("ResourceGatherNd", lambda i: raw.ResourceGatherNd(resource=variable(table).handle, indices=i, dtype=F32), np.array([[4, 0], [2, 2]], I32))
    suite.case("VarIsInitializedOp", lambda v: [v, raw.VarIsInitializedOp(resource=variable(table).handle)], x)

    @tf.function
    def twice(v):
        return v * 2.0 + tf.reduce_sum(v)

    @tf.function
    def nested(v):
        return twice(twice(v) - 1.0)

    suite.case("PartitionedCall", twice, x)
    suite.case("PartitionedCall_nested", nested, x)
    for index in (-1, 0, 1, 2, 5):
        suite.case(f"Case_{index}".replace("-", "minus_"), lambda i, v: tf.switch_case(i, [lambda: v + 1.0, lambda: v * 3.0, lambda: tf.reduce_sum(v) * v]), np.array(index, I32), x)

    seed = np.array([5, -6], I64)
    suite.case("StatelessRandomGetKeyCounterAlg", lambda s: raw.StatelessRandomUniformV2(
        shape=np.array([7], I32), dtype=F32, **raw.StatelessRandomGetKeyCounterAlg(seed=s)._asdict()), seed)  # fmt: skip
    def generator(delta):
        state = variable(np.array([3, -4, 7], I64))
        before = raw.RngReadAndSkip(resource=state.handle, alg=np.array(1, I32), delta=delta)
        with tf.control_dependencies([before]):
            after = state.read_value()
        return [before, after, raw.StatelessRandomNormalV2(shape=np.array([5], I32), 
            key=raw.Bitcast(input=before[2:], type=tf.uint64), counter=raw.Bitcast(input=before[:2], type=tf.uint64), alg=1)]  # fmt: skip

    for delta in (0, 1, 256, 2**63):
        suite.case(f"RngReadAndSkip_{delta}", generator, np.array(delta, np.uint64), times=2)
    def skipped(delta):
        state = variable(np.array([3, -4, 7], I64))
        with tf.control_dependencies([raw.RngSkip(resource=state.handle, algorithm=np.array(1, I64), delta=delta)]):
            return state.read_value()

    for delta in (0, 1, 2**40):
        suite.case(f"RngSkip_{delta}", skipped, np.array(delta, I64), times=2)
    # Draws from a generator's state, as TF 2.0 exported them.
    for name, draw in (
            ("StatefulUniform", lambda r, s, a: raw.StatefulUniform(resource=r, algorithm=a, shape=s)),
            ("StatefulUniform_f64", lambda r, s, a: raw.StatefulUniform(resource=r, algorithm=a, shape=s, dtype=tf.float64)),
            ("StatefulUniformFullInt", lambda r, s, a: raw.StatefulUniformFullInt(resource=r, algorithm=a, shape=s, dtype=tf.int64)),
            ("StatefulUniformFullInt_u32", lambda r, s, a: raw.StatefulUniformFullInt(resource=r, algorithm=a, shape=s, dtype=tf.uint32)),
            ("StatefulUniformInt", lambda r, s, a: raw.StatefulUniformInt(resource=r, algorithm=a, shape=s, minval=np.int32(-7), maxval=np.int32(90))),
            ("StatefulStandardNormalV2", lambda r, s, a: raw.StatefulStandardNormalV2(resource=r, algorithm=a, shape=s)),
            ("StatefulTruncatedNormal", lambda r, s, a: raw.StatefulTruncatedNormal(resource=r, algorithm=a, shape=s))):  # fmt: skip
        for times in (1, 2):
            def drawn(draw=draw):
                state = variable(np.array([3, -4, 7], I64))
                numbers = draw(state.handle, np.array([5, 3], I64), np.int64(1))
                with tf.control_dependencies([numbers]):
                    return [numbers, state.read_value()]
            suite.case(f"{name}_{times}", drawn, times=times)

    def sliced(v):
        table = variable(eighths((5, 4)))
        done = raw.ResourceStridedSliceAssign(ref=table.handle, begin=[1, 3], end=[5, 0], strides=[2, -1], value=v, begin_mask=0, end_mask=2)
        with tf.control_dependencies([done]):
            return table.read_value()
    suite.case("ResourceStridedSliceAssign", sliced, eighths((2, 4)))

    def destroyed(v):
        table = variable(np.arange(3, dtype=F32))
        total = table.read_value() + v
        with tf.control_dependencies([total]):
            gone = raw.DestroyResourceOp(resource=raw.VarHandleOp(shape=[], dtype=tf.float32, shared_name="other"), ignore_lookup_error=True)
        with tf.control_dependencies([gone]):
            return total * 2.0
    suite.case("DestroyResourceOp", destroyed, eighths((3,)))
    suite.case("BiasAddV1", lambda a, b: raw.BiasAddV1(value=a, bias=b), eighths((2, 3, 4)), eighths((4,)))
    suite.case("ConjugateTranspose", lambda a: raw.ConjugateTranspose(x=a, perm=[1, 2, 0]), eighths((2, 3, 4)))

    left = lambda: (np.array([[0, 0], [0, 1], [1, 0]], I64), np.array([1, 2, 3], I64), np.array([2, 2], I64))
    right = lambda: (np.array([[0, 0], [1, 0], [1, 1]], I64), np.array([2, 3, 4], I64), np.array([2, 2], I64))
    for name in ("a-b", "intersection", "union"):
        suite.case("SparseToSparseSetOperation_" + name.replace("-", "_without_"), lambda *t, name=name: list(raw.SparseToSparseSetOperation(
            set1_indices=t[0], set1_values=t[1], set1_shape=t[2], set2_indices=t[3], set2_values=t[4], set2_shape=t[5], set_operation=name)), *left(), *right())  # fmt: skip
    suite.write()


def old_graph(suite):
    with suite.graph.as_default():
        old = v1.GraphDef()
        old.versions.producer = 5
        tf.graph_util.import_graph_def(old)


def old_ops():
    """Ops that TensorFlow takes in old graphs only."""
    suite = Suite("old_ops")
    old_graph(suite)
    suite.case("BatchMatrixDiag", lambda x: raw.BatchMatrixDiag(diagonal=x), eighths((2, 3)))
    suite.case("BatchMatrixDiagPart", lambda x: raw.BatchMatrixDiagPart(input=x), eighths((2, 3, 3)))
    suite.case("BatchMatrixSetDiag", lambda x, y: raw.BatchMatrixSetDiag(input=x, diagonal=y), eighths((2, 3, 3)), eighths((2, 3)))
    for lower, upper in ((1, 0), (0, -1), (-1, 1)):
        suite.case(f"BatchMatrixBandPart_{lower}_{upper}".replace("-", "minus_"), lambda x, l=lower, u=upper:
            raw.BatchMatrixBandPart(input=x, num_lower=np.int64(l), num_upper=np.int64(u)), eighths((2, 3, 4)))  # fmt: skip
    suite.write()


def top_k():
    """Of which TensorFlow 2.15 has the op, and no kernel that fits it."""
    suite = Suite("top_k")
    old_graph(suite)
    for k in (0, 1, 3, 9):
        for x in (eighths((4, 9)), eighths((9,))):
            suite.case(f"TopK_{k}_{text(x.shape)}", lambda x, k=k: list(raw.TopK(input=x, k=k)), x, expected=apart(lambda x: list(raw.TopKV2(input=x, k=k)), x))
    suite.write()


SUITES = [rest, old_ops, top_k]
