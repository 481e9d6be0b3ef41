# SPDX-License-Identifier: Apache-2.0
"""Padding, reversing, rolling, blocks and diagonals."""
import itertools

from suite import *

TYPES = FLOATS + INTS + (BOOL,)


def i32(*numbers):
    return np.array(numbers, I32)


def rearrange():
    suite = Suite("rearrange")
    for dtype in TYPES:
        if dtype is not BOOL:
            suite.case(f"Pad_{short(dtype)}", lambda x: raw.Pad(input=x, paddings=[[1, 2], [0, 0], [0, 3]]), values((2, 3, 4), dtype))
            for mode, most in (("REFLECT", 2), ("SYMMETRIC", 3)):
                x = values((4, 3), dtype)
                suite.case(f"MirrorPad_{mode}_{short(dtype)}", lambda x, m=mode, n=most: raw.MirrorPad(input=x, paddings=[[1, 0], [n, 2]], mode=m), x)
                suite.case(f"MirrorPadGrad_{mode}_{short(dtype)}", lambda x, m=mode: raw.MirrorPadGrad(input=x, paddings=[[1, 0], [2, 2]], mode=m), values((5, 8), dtype))
        suite.case(f"PadV2_{short(dtype)}", lambda x, v: raw.PadV2(input=x, paddings=[[0, 0], [4, 1]], constant_values=v), values((3, 17), dtype), values((), dtype))
        for shape, axes in (((7,), (0,)), ((3, 5), (-1,)), ((2, 3, 4), (0, 2)), ((2, 3), ())):
            suite.case(f"ReverseV2_{short(dtype)}_{text(shape)}", lambda x, a=axes: raw.ReverseV2(tensor=x, axis=np.array(a, I32)), values(shape, dtype))
        suite.case(f"Reverse_{short(dtype)}", lambda x: raw.Reverse(tensor=x, dims=[True, False, True]), values((2, 3, 4), dtype))
        suite.case(f"ReverseSequence_{short(dtype)}", lambda x, n: raw.ReverseSequence(input=x, seq_lengths=n, seq_dim=1, batch_dim=0), values((4, 5, 2), dtype), np.array([0, 1, 3, 5], I64))
        suite.case(f"ReverseSequence_{short(dtype)}_batch_behind", lambda x, n: raw.ReverseSequence(input=x, seq_lengths=n, seq_dim=0, batch_dim=1), values((3, 2), dtype), i32(2, 3))
        suite.case(f"Roll_{short(dtype)}", lambda x: raw.Roll(input=x, shift=[2, -7, 1], axis=[0, 1, 0]), values((4, 5), dtype))
        suite.case(f"Roll_{short(dtype)}_at_run_time", lambda x, s: raw.Roll(input=x, shift=s, axis=-1), values((3, 7), dtype), np.array(-9, I64))
        suite.case(f"SpaceToDepth_{short(dtype)}", lambda x: raw.SpaceToDepth(input=x, block_size=2), values((2, 4, 6, 3), dtype))
        suite.case(f"DepthToSpace_{short(dtype)}", lambda x: raw.DepthToSpace(input=x, block_size=2), values((2, 2, 3, 12), dtype))
        if dtype is BOOL:
            continue
        suite.case(f"SpaceToBatchND_{short(dtype)}", lambda x: raw.SpaceToBatchND(input=x, block_shape=[2, 3], paddings=[[1, 1], [0, 2]]), values((2, 4, 7, 3), dtype))
        suite.case(f"BatchToSpaceND_{short(dtype)}", lambda x: raw.BatchToSpaceND(input=x, block_shape=[2, 3], crops=[[1, 0], [0, 2]]), values((12, 2, 3, 2), dtype))
        suite.case(f"SpaceToBatch_{short(dtype)}", lambda x: raw.SpaceToBatch(input=x, paddings=[[0, 0], [1, 1]], block_size=2), values((1, 4, 2, 3), dtype))
        suite.case(f"BatchToSpace_{short(dtype)}", lambda x: raw.BatchToSpace(input=x, crops=[[0, 1], [0, 0]], block_size=2), values((4, 2, 2, 3), dtype))
    for dtype in FLOATS:
        for count in (1, 2, 5, 33):
            suite.case(f"LinSpace_{short(dtype)}_{count}", lambda a, b, n=count: raw.LinSpace(start=a, stop=b, num=n), np.array(-1.5, dtype), np.array(7.25, dtype), rtol=ROUNDING[dtype])
    suite.write()


def matrix():
    suite = Suite("matrix")
    for dtype in TYPES:
        zero = np.zeros((), dtype)
        suite.case(f"MatrixDiag_{short(dtype)}", lambda d: raw.MatrixDiag(diagonal=d), values((2, 3), dtype))
        suite.case(f"Diag_{short(dtype)}", lambda d: raw.Diag(diagonal=d), values((2, 3), dtype)) if dtype is not BOOL else None
        suite.case(f"DiagPart_{short(dtype)}", lambda d: raw.DiagPart(input=d), values((2, 3, 2, 3), dtype)) if dtype is not BOOL else None
        suite.case(f"MatrixDiagPart_{short(dtype)}", lambda x: raw.MatrixDiagPart(input=x), values((2, 3, 5), dtype))
        suite.case(f"MatrixSetDiag_{short(dtype)}", lambda x, d: raw.MatrixSetDiag(input=x, diagonal=d), values((2, 5, 3), dtype), values((2, 3), dtype))
        for lower, upper in ((0, -1), (-1, 0), (1, 2), (-1, -1), (0, 0)):
            suite.case(f"MatrixBandPart_{short(dtype)}_{lower}_{upper}".replace("-", "minus_"), lambda x, l=lower, u=upper:
                raw.MatrixBandPart(input=x, num_lower=l, num_upper=u), values((2, 4, 5), dtype))  # fmt: skip
    for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
        for shape, k in (((4, 5), (-2, 1)), ((5, 3), (-3, -1)), ((2, 3, 6), (1, 4)), ((4, 4), (2, 2)), ((3, 4), (-1, -1))):
            x = eighths(shape)
            with tf.Graph().as_default():
                wide = raw.MatrixDiagPartV3(input=tf.zeros(shape), k=k, padding_value=0.0).shape
            d = eighths(tuple(wide))
            name = f"{align}_{text(shape)}_{k[0]}_{k[1]}".replace("-", "minus_")
            suite.case(f"MatrixDiagPartV3_{name}", lambda x, p, k=k, a=align: raw.MatrixDiagPartV3(input=x, k=k, padding_value=p, align=a), x, eighths(()))
            suite.case(f"MatrixSetDiagV3_{name}", lambda x, d, k=k, a=align: raw.MatrixSetDiagV3(input=x, diagonal=d, k=k, align=a), x, d)
            suite.case(f"MatrixDiagV3_{name}", lambda d, p, k=k, a=align, s=shape: raw.MatrixDiagV3(diagonal=d, k=k, num_rows=s[-2], num_cols=s[-1], padding_value=p, align=a), d, eighths(()))
    suite.case("MatrixDiagV3_square", lambda d: raw.MatrixDiagV3(diagonal=d, k=1, num_rows=-1, num_cols=-1, padding_value=2.0), eighths((2, 3)))
    suite.case("MatrixDiagV3_rows", lambda d: raw.MatrixDiagV3(diagonal=d, k=-1, num_rows=-1, num_cols=5, padding_value=0.0), eighths((3,)))
    suite.case("MatrixDiagV2", lambda d: raw.MatrixDiagV2(diagonal=d, k=[-1, 1], num_rows=4, num_cols=4, padding_value=0.0), eighths((3, 4)))
    suite.case("MatrixDiagPartV2", lambda x: raw.MatrixDiagPartV2(input=x, k=[-1, 1], padding_value=-1.0), eighths((4, 3)))
    suite.case("MatrixSetDiagV2", lambda x, d: raw.MatrixSetDiagV2(input=x, diagonal=d, k=[0, 1]), eighths((3, 4)), eighths((2, 3)))
    suite.case("gradients_of_diagonals", lambda x: tf.gradients(tf.linalg.diag(tf.linalg.diag_part(x) * 2.0, k=1), x), eighths((4, 3)))
    suite.write()


def cross():
    """Vector products, in every type that TensorFlow has them in."""
    suite = Suite("cross")
    product = lambda a, b: raw.Cross(a=a, b=b)
    for dtype in (F32, F64, F16, BF16, I8, I16, I32, I64, U8, U16, U32, U64):
        for shape in ((3,), (2, 1, 3), (0, 3), (70, 3)):
            isFloat = dtype in (F32, F64, F16, BF16)
            draw = lambda: normal(shape, dtype) if isFloat else rng.randint(0, 256, shape).astype(dtype)
            suite.case(f"{short(dtype)}_{text(shape)}", product, draw(), draw())
    for axis in (0, 1, -1):
        turned = lambda a, b: tf.experimental.numpy.cross(a, b, axisa=axis, axisb=axis)
        suite.case(f"axis_{axis}".replace("-", "minus_"), turned, eighths((3, 3, 3)), eighths((3, 3, 3)))
    suite.case("special", product, np.array([[np.inf, 1, 0], [np.nan, 2, 3], [3e38, -3e38, 1e-45]], F32), eighths((3, 3)))
    suite.write()


def decompositions():
    suite = Suite("decompositions")
    for dtype, shape in itertools.product(FLOATS, ((1, 1), (4, 4), (2, 3, 5, 5), (33, 33))):
        some, name, n = normal(shape, dtype), f"{short(dtype)}_{text(shape)}", shape[-1]
        definite = some @ some.swapaxes(-1, -2) + n * np.eye(n, dtype=dtype)
        bounds = dict(rtol=2e-5 if dtype is F32 else 1e-13, atol=2e-6 if dtype is F32 else 1e-14)
        suite.case(f"Cholesky_{name}", lambda x: raw.Cholesky(input=x), definite, **bounds)
        square = lambda x: raw.BatchMatMulV2(x=x, y=x, adj_y=True) + n * np.eye(n, dtype=dtype)
        suite.case(f"Cholesky_square_{name}", lambda x: raw.Cholesky(input=square(x)), some, **bounds)
        suite.case(f"Cholesky_lower_{name}", lambda x: raw.Cholesky(input=x), np.tril(definite) + 7 * np.triu(some, 1), **bounds)
        for lower, adjoint in itertools.product((True, False), repeat=2):
            suite.case(f"MatrixTriangularSolve_{name}_{lower}_{adjoint}", lambda m, x: raw.MatrixTriangularSolve(matrix=m, rhs=x, lower=lower, adjoint=adjoint),
                       definite / n, normal((*shape[:-1], 3), dtype), **bounds)
    suite.write()


def linear_systems():
    """Inverses, solutions and determinants, of matrices that need their rows reordered."""
    suite = Suite("linear_systems")
    for dtype, shape in itertools.product(FLOATS, ((1, 1), (4, 4), (2, 3, 5, 5), (33, 33), (2, 0, 0))):
        name, n = f"{short(dtype)}_{text(shape)}", shape[-1]
        x = normal(shape, dtype)
        x = np.ascontiguousarray((x + n * np.eye(n, dtype=dtype))[..., ::-1, :])  # its largest numbers beside the diagonal
        bounds = dict(rtol=5e-5 if dtype is F32 else 1e-12, atol=5e-6 if dtype is F32 else 1e-13)
        for adjoint in (True, False):
            suite.case(f"MatrixInverse_{name}_{adjoint}", lambda x: raw.MatrixInverse(input=x, adjoint=adjoint), x, **bounds)
            solve = lambda m, x: raw.MatrixSolve(matrix=m, rhs=x, adjoint=adjoint)
            suite.case(f"MatrixSolve_{name}_{adjoint}", solve, x, normal((*shape[:-1], 3), dtype), **bounds)
        suite.case(f"MatrixDeterminant_{name}", lambda x: raw.MatrixDeterminant(input=x / max(n, 1)), x, **bounds)
        suite.case(f"LogMatrixDeterminant_{name}", lambda x: list(raw.LogMatrixDeterminant(input=x)), x, **bounds)
    for dtype in FLOATS:
        singular = np.array([[[1, 2], [2, 4]], [[0, 1], [1, 0]], [[0, 0], [0, 0]]], dtype)
        suite.case(f"MatrixDeterminant_singular_{short(dtype)}", lambda x: raw.MatrixDeterminant(input=tf.stop_gradient(x)), singular)
        suite.case(f"LogMatrixDeterminant_singular_{short(dtype)}", lambda x: list(raw.LogMatrixDeterminant(input=tf.stop_gradient(x))), singular)
        suite.case(f"MatrixInverse_singular_{short(dtype)}", lambda x: raw.MatrixInverse(input=x), singular, fails="Input is not invertible.")
        suite.case(f"MatrixSolve_singular_{short(dtype)}", lambda x: raw.MatrixSolve(matrix=x, rhs=x), singular, fails="Input matrix is not invertible.")
    suite.write()


def orthogonal_factors():
    suite = Suite("orthogonal_factors")
    for dtype, shape, full in itertools.product(FLOATS, ((1, 1), (5, 5), (7, 3), (2, 3, 6), (2, 0, 3), (3, 0)), (False, True)):
        x, bounds = normal(shape, dtype), dict(rtol=1e-4 if dtype is F32 else 1e-12, atol=1e-5 if dtype is F32 else 1e-13)
        factors = lambda x: list(raw.Qr(input=x, full_matrices=full))
        suite.case(f"Qr_{short(dtype)}_{text(shape)}_{full}", factors, x, **bounds)
    suite.write()


SUITES = [rearrange, matrix, cross, decompositions, linear_systems, orthogonal_factors]
