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


SUITES = [spectral]
