# SPDX-License-Identifier: Apache-2.0
"""Ops of TensorFlow 0.x and 1.x that newer ones have replaced: TensorFlow takes them in old graphs only."""
from suite import *

COMPLEX = np.complex64


def arrays(x, parts):
    """TensorArrays of version 1, whose handles are references and have no flow."""
    make = lambda size, **more: raw.TensorArray(size=np.int32(size), dtype=tf.float32, **more)
    none = tf.zeros([])
    first = make(3, clear_after_read=False)
    flow = raw.TensorArrayUnpack(handle=first, value=x, flow_in=none)
    second = make(0, dynamic_size=True, clear_after_read=False)
    rows = raw.TensorArrayUnpack(handle=second, value=x * 2.0, flow_in=none)
    third, pieces = make(3), make(2, clear_after_read=False)
    places = np.array([2, 0], I32)
    written = raw.TensorArrayWrite(handle=third, index=np.int32(1), value=x[0], flow_in=none)
    written = raw.TensorArrayScatter(handle=third, indices=places, value=x[1:], flow_in=written)
    split = raw.TensorArraySplit(handle=pieces, value=x, lengths=parts, flow_in=none)
    joined = raw.TensorArrayConcat(handle=pieces, flow_in=split, dtype=tf.float32)
    slopes = raw.TensorArrayGrad(handle=first, flow_in=flow, source="gradients")
    sums = raw.TensorArrayWrite(handle=slopes, index=np.int32(1), value=x[2], flow_in=flow)
    sums = raw.TensorArrayScatter(handle=slopes, indices=np.arange(3, dtype=I32), value=x, flow_in=sums)
    results = [
        raw.TensorArrayPack(handle=first, flow_in=flow, dtype=tf.float32),
        raw.TensorArrayRead(handle=first, index=np.int32(2), flow_in=flow, dtype=tf.float32),
        raw.TensorArrayPack(handle=second, flow_in=rows, dtype=tf.float32, element_shape=[4]),
        raw.TensorArraySize(handle=second, flow_in=rows),
        raw.TensorArrayGather(handle=third, indices=places, flow_in=written, dtype=tf.float32),
        joined.value, joined.lengths,
        raw.TensorArrayPack(handle=slopes, flow_in=sums, dtype=tf.float32),
    ]  # fmt: skip
    with tf.control_dependencies(results):
        closed = [raw.TensorArrayClose(handle=array) for array in (first, third)]
    with tf.control_dependencies(closed):
        return [tf.identity(result) for result in results]


def closed_of_version_two(x):
    array = raw.TensorArrayV2(size=np.int32(1), dtype=tf.float32)
    flow = raw.TensorArrayWriteV2(handle=array, index=np.int32(0), value=x, flow_in=0.0)
    read = raw.TensorArrayReadV2(handle=array, index=np.int32(0), flow_in=flow, dtype=tf.float32)
    stack = raw.Stack(elem_type=tf.float32)
    with tf.control_dependencies([raw.StackPush(handle=stack, elem=x)]):
        popped = raw.StackPop(handle=stack, elem_type=tf.float32)
    with tf.control_dependencies([read, popped]):
        done = [raw.TensorArrayCloseV2(handle=array), raw.StackClose(handle=stack)]
    with tf.control_dependencies(done):
        return [read + 1.0, popped + 2.0]


def unpacked_too_much(x):
    array = raw.TensorArray(size=np.int32(2), dtype=tf.float32)
    flow = raw.TensorArrayUnpack(handle=array, value=x, flow_in=0.0)
    return raw.TensorArrayPack(handle=array, flow_in=flow, dtype=tf.float32)


def tables(suite):
    """Tables of version 1: filled once from values and from a file, and changed in a step."""
    suite.file("old_names.txt", b"7\n2\n11\n")

    def found(keys):
        values = raw.HashTable(key_dtype=tf.string, value_dtype=tf.int64, shared_name="old_values")
        lines = raw.HashTable(key_dtype=tf.string, value_dtype=tf.int64, shared_name="old_lines")
        filled = raw.InitializeTable(table_handle=values, keys=["1", "20"], values=np.array([5, 6], I64))
        v1.add_to_collection(INITIALIZERS, filled)
        v1.add_to_collection(INITIALIZERS, raw.InitializeTableFromTextFile(table_handle=lines, filename="old_names.txt", key_index=-2, value_index=-1))
        names = tf.strings.as_string(keys)
        find = lambda table: raw.LookupTableFind(table_handle=table, keys=names, default_value=np.int64(-1))
        return [find(values), find(lines), raw.LookupTableSize(table_handle=lines)]

    def changed(keys):
        make = lambda op, name, **more: op(key_dtype=tf.int64, value_dtype=tf.float32, shared_name=name, **more)
        numbers = make(raw.MutableHashTable, "old_numbers")
        rows = make(raw.MutableHashTableOfTensors, "old_rows", value_shape=[2])
        values = tf.cast(keys, tf.float32) * 0.5
        inserted = raw.LookupTableInsert(table_handle=numbers, keys=keys, values=values)
        imported = raw.LookupTableImport(table_handle=rows, keys=keys[:1], values=tf.stack([values[:1], values[1:2]], 1))
        with tf.control_dependencies([inserted, imported]):
            pairs = raw.LookupTableExport(table_handle=rows, Tkeys=tf.int64, Tvalues=tf.float32)
            return [raw.LookupTableFind(table_handle=numbers, keys=keys + 1, default_value=9.0), pairs.keys, pairs.values]

    suite.case("tables", found, np.array([1, 2, 3, 20, 11], I32))
    suite.case("changed_tables", changed, np.array([3, 4, 8], I64))


def old_names():
    suite = Suite("old_names")
    with suite.graph.as_default():
        old = v1.GraphDef()
        old.versions.producer = 8
        tf.import_graph_def(old, name="old")
    suite.case("arrays", arrays, eighths((3, 4)), np.array([1, 2], I64))
    suite.case("closed", closed_of_version_two, eighths((3,)))
    suite.case("unpacked_too_much", unpacked_too_much, eighths((3, 2)), fails="unpacked_too_much")
    tables(suite)
    a = eighths((2, 3, 3)) + 6 * np.eye(3, dtype=F32)
    both = a + a.transpose(0, 2, 1)
    near = dict(rtol=1e-5, atol=1e-6)
    suite.case("cholesky", lambda a: raw.BatchCholesky(input=a), both, **near)
    suite.case("determinant", lambda a: raw.BatchMatrixDeterminant(input=a), a, **near)
    suite.case("inverse", lambda a: raw.BatchMatrixInverse(input=a, adjoint=True), a, **near)
    suite.case("solve", lambda a, b: raw.BatchMatrixSolve(matrix=a, rhs=b), a, eighths((2, 3, 2)), **near)
    suite.case("triangular_solve", lambda a, b: raw.BatchMatrixTriangularSolve(matrix=a, rhs=b, lower=False), a, eighths((2, 3, 2)), **near)
    suite.case("eigenvalues", lambda a: raw.BatchSelfAdjointEigV2(input=a, compute_v=False)[0], both, **near)
    suite.case("singular_values", lambda a: raw.BatchSvd(input=a, compute_uv=False)[0], a, **near)
    for dtype in (F32, F64, COMPLEX, np.complex128):
        slack = dict(rtol=1e-12, atol=1e-13) if dtype in (F64, np.complex128) else near
        suite.case(f"exponential_{np.dtype(dtype).name}", lambda x: raw.MatrixExponential(input=x), (a * (0.25 + 0.125j)).real.astype(dtype)
                   if dtype in FLOATS else (a * (0.25 + 0.125j)).astype(dtype), **slack)  # fmt: skip
    # TensorFlow 2.15 has no kernels of these for processors; they are batches as what has replaced them takes them.
    x = (eighths((2, 2, 4, 2)) + 1j * eighths((2, 2, 4, 2))).astype(COMPLEX)
    for name in ("FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D"):
        with tf.init_scope():
            expected = [getattr(raw, name)(input=tf.constant(x)).numpy()]
        suite.case(name, lambda x, name=name: getattr(raw, "Batch" + name)(input=x), x, expected=expected, **near)
    suite.write()


SUITES = [old_names]
