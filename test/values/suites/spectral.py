# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues of symmetric matrices, and singular values.

The signs of vectors are arbitrary, so that their sizes are compared, and what they make together.
"""
from suite import *

NEAR = {F32: dict(rtol=2e-4, atol=2e-5), F64: dict(rtol=1e-11, atol=1e-12)}


def eigenvectors(x):
    e, v = tf.linalg.eigh(x)
    return [e, tf.abs(v), tf.matmul(v * e[..., None, :], v, transpose_b=True)]


def singular_vectors(full):
    def of(x):
        s, u, v = tf.linalg.svd(x, full_matrices=full)
        rank = tf.shape(s)[-1]
        whole = tf.matmul(u[..., :rank] * s[..., None, :], v[..., :rank], transpose_b=True)
        # Of full matrices, the vectors of no singular value are any base.
        return [s, tf.abs(u[..., :rank]), tf.abs(v[..., :rank]), whole, tf.matmul(u, u, transpose_a=True), tf.matmul(v, v, transpose_a=True)]

    return of


def spectral():
    suite = Suite("spectral")
    for dtype in FLOATS:
        near = NEAR[dtype]
        for shape in ((1, 1), (4, 4), (2, 3, 7, 7), (24, 24)):
            suite.case(f"eigenvectors_{text(shape)}_{short(dtype)}", eigenvectors, normal(shape, dtype), **near)
            suite.case(f"eigenvalues_{text(shape)}_{short(dtype)}", tf.linalg.eigvalsh, normal(shape, dtype), **near)
        for shape in ((0, 4, 4), (3, 0, 0)):
            suite.case(f"eigenvectors_{text(shape)}_{short(dtype)}", lambda x: list(tf.linalg.eigh(x)), np.zeros(shape, dtype), **near)
        suite.case(f"eigenvalues_of_zeros_{short(dtype)}", tf.linalg.eigvalsh, np.zeros((3, 3), dtype), **near)
        for shape in ((1, 1), (4, 4), (5, 3), (2, 3, 6), (2, 2, 20, 12)):
            for full in (False, True):
                suite.case(f"svd_{text(shape)}_{full}_{short(dtype)}", singular_vectors(full), normal(shape, dtype), **near)
            suite.case(f"singular_values_{text(shape)}_{short(dtype)}", lambda x: tf.linalg.svd(x, compute_uv=False), normal(shape, dtype), **near)
        for shape in ((0, 4, 3), (2, 0, 3), (2, 3, 0)):
            suite.case(f"svd_{text(shape)}_{short(dtype)}", lambda x: list(tf.linalg.svd(x)), np.zeros(shape, dtype), **near)
        suite.case(f"singular_values_of_zeros_{short(dtype)}", lambda x: tf.linalg.svd(x, compute_uv=False), np.zeros((3, 5), dtype), **near)
        for n in (3, 20):
            for wrong in (np.nan, np.inf):
                x = normal((2, n, n), dtype)
                x[1, 0, n - 1] = wrong
                suite.case(f"svd_{n}_{wrong}_{short(dtype)}", lambda x: list(map(tf.abs, tf.linalg.svd(x))), fixed(x), **near)
        tiny = np.diag(np.array([1, 2, 4], dtype) * (dtype(1e-39) if dtype is F32 else dtype(1e-309)))
        suite.case(f"eigenvalues_denormal_{short(dtype)}", tf.linalg.eigvalsh, fixed(tiny.astype(dtype)), **near)
        slack = dict(rtol=20 * near["rtol"], atol=20 * near["atol"])
        for shape in ((3, 3), (2, 4, 4)):
            x = fixed(normal(shape, dtype))
            suite.case(f"eigenvalues_gradient_{text(shape)}_{short(dtype)}", lambda x: tf.gradients(tf.linalg.eigvalsh(x) ** 2, x), x, **slack)
            suite.case(f"eigenvectors_gradient_{text(shape)}_{short(dtype)}", lambda x: tf.gradients([e ** 2 for e in eigenvectors(x)[:2]], x), x, **slack)
        for shape in ((3, 3), (4, 2), (2, 2, 5)):
            x = fixed(normal(shape, dtype))
            suite.case(f"singular_values_gradient_{text(shape)}_{short(dtype)}", lambda x: tf.gradients(tf.linalg.svd(x, compute_uv=False) ** 2, x), x, **slack)
            suite.case(f"svd_gradient_{text(shape)}_{short(dtype)}", lambda x: tf.gradients([y ** 2 for y in singular_vectors(False)(x)[:3]], x), x, **slack)
    suite.write()


def matrix_functions():
    """Eigenvectors, LU factors and functions of square matrices, of real and complex numbers."""
    suite = Suite("matrix_functions")
    near = {F32: dict(rtol=2e-4, atol=2e-5), F64: dict(rtol=1e-11, atol=1e-12)}
    near |= {np.complex64: near[F32], np.complex128: near[F64]}
    for dtype, bounds in near.items():
        name, isComplex = np.dtype(dtype).name, dtype not in FLOATS
        # Eigenvalues apart from each other and from the axis at which roots and logarithms are cut.
        x = (0.2 * normal((2, 3, 3), F64) + np.diag([1, 2, 4])).astype(dtype)
        if isComplex:
            x = (x + 0.1j * normal((2, 3, 3), F64)).astype(dtype)
            suite.case(f"logarithm_{name}", lambda x: raw.MatrixLogarithm(input=x), x, **bounds)
            for adjoint in (True, False):
                suite.case(f"solve_{name}_{adjoint}", lambda x: raw.MatrixSolve(matrix=x, rhs=x[..., ::-1], adjoint=adjoint), x, **bounds)
        suite.case(f"square_root_{name}", lambda x: raw.MatrixSquareRoot(input=x), x, **bounds)
        index = tf.int64 if isComplex else tf.int32
        suite.case(f"lu_{name}", lambda x: list(raw.Lu(input=x[:, ::-1], output_idx_type=index)), x, **bounds)
        # An eigenvector is one up to a factor of length 1, of which magnitudes do not depend.
        of = lambda x, compute=True: raw.Eig(input=x, compute_v=compute, Tout=tf.as_dtype(np.result_type(dtype, np.complex64)))
        suite.case(f"eigenvectors_{name}", lambda x: [(pair := of(x))[0], tf.abs(pair[1])], x, **bounds)
        suite.case(f"eigenvalues_{name}", lambda x: of(x, False)[0], x[0], **bounds)
        if dtype in (F32, np.complex128):
            suite.case(f"square_root_gradient_{name}", lambda x: tf.gradients(tf.math.real(raw.MatrixSquareRoot(input=x)) ** 2, x), x[0], **bounds)
            suite.case(f"eigenvectors_gradient_{name}", lambda x: tf.gradients([tf.abs(y) ** 4 for y in of(x)], x), x[0], **bounds)
            suite.case(f"eigenvalues_gradient_{name}", lambda x: tf.gradients(tf.abs(of(x, False)[0]) ** 2, x), x[0], **bounds)
    empty, singular = np.zeros((2, 0, 0), F32), np.array([[1, 2], [2, 4]], F32)
    suite.case("empty", lambda x: [raw.MatrixSquareRoot(input=x), *raw.Lu(input=x), *raw.Eig(input=x, Tout=tf.complex64)], empty)
    suite.case("lu_singular", lambda x: list(raw.Lu(input=x)), singular, fails="Input is not invertible.")
    suite.write()


SUITES = [spectral, matrix_functions]
