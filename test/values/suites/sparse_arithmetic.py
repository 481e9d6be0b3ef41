# SPDX-License-Identifier: Apache-2.0
"""Reductions, sums and maxima of sparse tensors, their softmax, and distances of sequences."""
import itertools

from suite import *

NUMBERS = (F32, F64, F16, BF16, I8, I16, I32, I64, U8, U16, U32, U64)
ADDED = (F32, F64, I8, I16, I32, I64)
SHAPE = np.array([4, 3, 5], I64)
RANK_KNOWN = fixed(SHAPE)
PLACES = np.array([[0, 0, 1], [0, 0, 4], [0, 2, 1], [1, 0, 0], [1, 0, 1], [1, 1, 1], [3, 2, 0], [3, 2, 4]], I64)
OTHERS = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [2, 0, 0], [3, 2, 4]], I64)
NO_PLACES = np.zeros((0, 3), I64)
MIXED = np.array([5, 2, 7, 0, 3, 1, 6, 4])


def few(count, dtype):
    """Small numbers that each type has, of both signs where it has these."""
    numbers = rng.randint(0 if np.dtype(dtype).kind == "u" else -6, 7, size=(count,))
    return np.asarray(numbers / 2 if np.dtype(dtype).kind not in "iu" else numbers, dtype)


def reduced(op, axes, keep=False):
    def call(i, v, s):
        result = getattr(raw, op)(input_indices=i, input_values=v, input_shape=s, reduction_axes=axes, keep_dims=keep)
        return [result] if isinstance(result, tf.Tensor) else list(result)

    return call


def shapeFor(op):
    """The shape, whose length is the rank: a dense result needs it when the graph is compiled."""
    return RANK_KNOWN if op == "SparseReduceMax" else SHAPE


def sparse_reductions():
    suite = Suite("sparse_reductions")
    for dtype in NUMBERS:
        v = few(8, dtype)
        for op in ("SparseReduceMax", "SparseReduceMaxSparse", "SparseReduceSumSparse"):
            suite.case(f"{op}_{short(dtype)}", reduced(op, [1, -1]), PLACES, v, shapeFor(op))
            suite.case(f"{op}_mixed_{short(dtype)}", reduced(op, [0], True), PLACES[MIXED], v, shapeFor(op))
    v = eighths((8,))
    for op in ("SparseReduceMax", "SparseReduceMaxSparse", "SparseReduceSumSparse"):
        for axes, keep in itertools.product(([], [0], [2, 0], [0, 1, 2], [1, 1, -2]), (False, True)):
            name = f"{op}_axes_{'_'.join(map(str, axes)).replace('-', 'm')}{'_kept' if keep else ''}"
            suite.case(name, reduced(op, np.array(axes, I32), keep), PLACES[MIXED], v, shapeFor(op))
        suite.case(f"{op}_one_axis", reduced(op, np.array(-2, I32)), PLACES, v, shapeFor(op))
        suite.case(f"{op}_none", reduced(op, [1]), NO_PLACES, v[:0], shapeFor(op))
        suite.case(f"{op}_none_all", reduced(op, [0, 1, 2], True), NO_PLACES, v[:0], shapeFor(op))
        twice = np.array([[0, 0, 0], [2, 1, 0], [2, 1, 0], [2, 1, 3]], I64)
        suite.case(f"{op}_twice", reduced(op, [2]), twice, v[:4], shapeFor(op))
        suite.case(f"{op}_single", reduced(op, [0]), np.array([[1], [3]], I64), v[:2], fixed(np.array([5], I64)))
        nan, inf = float("nan"), float("inf")
        special = np.array([nan, 1, -inf, 2, nan, inf, -3, -0.0], F32)
        suite.case(f"{op}_special", reduced(op, [2]), PLACES, special, shapeFor(op))
        axes = np.array([1], I32)
        if op != "SparseReduceMax":
            suite.case(f"{op}_fed_axes", lambda i, v, s, a, op=op: reduced(op, a)(i, v, s), PLACES, v, SHAPE, axes)
            suite.case(f"{op}_fed_axes_kept", lambda i, v, s, a, op=op: reduced(op, a, True)(i, v, s), PLACES, v, SHAPE, axes)
    suite.write()


def softmax_of(i, v, s):
    return raw.SparseSoftmax(sp_indices=i, sp_values=v, sp_shape=s)


def add_of(*tensors):
    names = ("a_indices", "a_values", "a_shape", "b_indices", "b_values", "b_shape", "thresh")
    return list(raw.SparseAdd(**dict(zip(names, tensors))))


def combined(op):
    names = ("a_indices", "a_values", "a_shape", "b_indices", "b_values", "b_shape")
    return lambda *tensors: list(getattr(raw, op)(**dict(zip(names, tensors))))


SPECIAL_A = np.array([0.1, float("nan"), 2.0, -0.25, 1.0, float("inf"), 3.0, 0.0], F32)
SPECIAL_B = np.array([0.15, 1.0, 0.2, float("-inf"), 0.01, -3.0], F32)


def sparse_sums():
    suite = Suite("sparse_sums")
    for dtype in ADDED:
        a, b = few(8, dtype), few(6, dtype)
        for number in (0, 2):
            suite.case(f"SparseAdd_{number}_{short(dtype)}", add_of, PLACES, a, SHAPE, OTHERS, b, SHAPE, np.array(number, dtype))
    for dtype in (I8, I16, I32, I64):
        lowest = np.array([np.iinfo(dtype).min], dtype)
        suite.case(f"SparseAdd_lowest_{short(dtype)}", add_of, PLACES[:1], lowest, SHAPE, PLACES[:1], np.zeros((1,), dtype), SHAPE, np.array(1, dtype))
    a, b = SPECIAL_A, SPECIAL_B
    for threshold in (-1.0, 0.0, 0.25, float("nan")):
        suite.case(f"SparseAdd_threshold_{threshold}".replace("-", "m").replace(".", "_"), add_of, PLACES, a, SHAPE, OTHERS, b, SHAPE, np.array(threshold, F32))
    zero = np.array(0, F32)
    suite.case("SparseAdd_none", add_of, NO_PLACES, a[:0], SHAPE, NO_PLACES, a[:0], SHAPE, zero)
    suite.case("SparseAdd_none_first", add_of, NO_PLACES, a[:0], SHAPE, OTHERS, b, SHAPE, zero)
    suite.case("SparseAdd_none_second", add_of, PLACES, a, SHAPE, NO_PLACES, b[:0], SHAPE, zero)
    suite.case("SparseAdd_mixed", add_of, PLACES[MIXED], a, SHAPE, OTHERS, b, SHAPE, zero)
    suite.case("SparseAdd_gradient", lambda i, v, s, j, w: list(tf.gradients(
        raw.SparseAdd(a_indices=i, a_values=v, a_shape=s, b_indices=j, b_values=w, b_shape=s, thresh=0.5).sum_values ** 2, [v, w])),
        PLACES, eighths((8,)), SHAPE, OTHERS, eighths((6,)))  # fmt: skip
    for dtype in FLOATS:
        suite.case(f"SparseAdd_squares_{short(dtype)}", lambda *tensors: tf.reduce_sum(add_of(*tensors)[1] ** 2),
                   PLACES, eighths((8,), dtype), SHAPE, OTHERS, eighths((6,), dtype), SHAPE, np.array(0.5, dtype))  # fmt: skip
    for dtype, rounding in ((F32, 2e-6), (F64, 1e-14), (F16, 2e-3)):
        v = np.asarray(rng.normal(size=(8,)) * 3, dtype)
        suite.case(f"SparseSoftmax_{short(dtype)}", softmax_of, PLACES, v, SHAPE, rtol=rounding)
    suite.case("SparseSoftmax_special", softmax_of, PLACES, np.array([float("nan"), 1, 2, float("-inf"), 3, float("inf"), 800, 900], F32), SHAPE, rtol=2e-6)
    suite.case("SparseSoftmax_none", softmax_of, NO_PLACES, a[:0], SHAPE)
    suite.case("SparseSoftmax_matrix", softmax_of, PLACES[:, 1:][[0, 1, 6, 7]], normal((4,)), SHAPE[1:], rtol=2e-6)
    suite.write()


def sparse_operands():
    """Cases whose derivatives are not compared: TensorFlow refuses them, or takes elements to be in order."""
    suite = Suite("sparse_operands")
    for dtype in ADDED:
        suite.case(f"SparseAddGrad_{short(dtype)}", lambda g, a, b, s: list(raw.SparseAddGrad(
            backprop_val_grad=g, a_indices=a, b_indices=b, sum_indices=s)), few(6, dtype), PLACES, OTHERS,
            np.array([[0, 0, 1], [0, 1, 0], [1, 0, 1], [2, 0, 0], [2, 2, 2], [3, 2, 4]], I64))  # fmt: skip
    for dtype, rounding in ((F32, 2e-6), (F64, 1e-14), (F16, 2e-3)):
        suite.case(f"SparseSoftmax_mixed_{short(dtype)}", softmax_of, PLACES[MIXED], np.asarray(rng.normal(size=(8,)) * 3, dtype), SHAPE, rtol=rounding)
    a, b = SPECIAL_A, SPECIAL_B
    for op in ("SparseSparseMaximum", "SparseSparseMinimum"):
        for dtype in NUMBERS:
            suite.case(f"{op}_{short(dtype)}", combined(op), PLACES, few(8, dtype), SHAPE, OTHERS, few(6, dtype), SHAPE)
        suite.case(f"{op}_special", combined(op), PLACES, a, SHAPE, OTHERS, b, SHAPE)
        suite.case(f"{op}_none", combined(op), NO_PLACES, a[:0], SHAPE, NO_PLACES, a[:0], SHAPE)
        suite.case(f"{op}_mixed", combined(op), PLACES, a, SHAPE, OTHERS[::-1].copy(), b, SHAPE)
    suite.case("SparseSoftmax_gradient", lambda i, v, s: tf.gradients(softmax_of(i, v, s) ** 2, [v])[0], PLACES, normal((8,)), RANK_KNOWN, rtol=1e-5, atol=1e-6)
    for op in ("SparseDenseCwiseAdd", "SparseDenseCwiseMul"):
        for dtype in (F32, F64, I32, I64):
            for shape in ((4, 3, 5), (4, 1, 5), (3, 1), (1,), ()):
                if dtype is F32 or shape == (4, 1, 5):
                    suite.case(f"{op}_{text(shape)}_{short(dtype)}", lambda i, v, s, d, op=op: getattr(raw, op)(
                        sp_indices=i, sp_values=v, sp_shape=s, dense=d), PLACES, few(8, dtype), RANK_KNOWN, values(shape, dtype))  # fmt: skip
    quotient = lambda i, v, s, d: raw.SparseDenseCwiseDiv(sp_indices=i, sp_values=v, sp_shape=s, dense=d)
    for dtype in (F32, F64, F16, I32, I64, np.int8, np.uint8):
        for shape in ((4, 3, 5), (3, 1), ()) if dtype is F32 else ((4, 1, 5),):
            divisors = few(8, dtype).ravel()[rng.randint(0, 8, size=shape)]
            suite.case(f"SparseDenseCwiseDiv_{text(shape)}_{short(dtype)}", quotient,
                       PLACES, few(8, dtype), RANK_KNOWN, np.where(divisors == 0, dtype(3), divisors).astype(dtype))  # fmt: skip
    nowhere = fixed(np.array([4, 0, 5], I64))
    for op in ("SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv"):
        suite.case(f"{op}_size_0", lambda i, v, s, d, op=op: getattr(raw, op)(sp_indices=i, sp_values=v, sp_shape=s, dense=d),
                   NO_PLACES, a[:0], nowhere, np.zeros((4, 0, 5), F32))  # fmt: skip
    suite.write()


def edit_distances():
    suite = Suite("edit_distances")

    def distance(normalize=True):
        names = [f"{side}_{part}" for side in ("hypothesis", "truth") for part in ("indices", "values", "shape")]
        return lambda *tensors: raw.EditDistance(normalize=normalize, **dict(zip(names, tensors)))

    def rows(sequences):
        return np.array([[*row, column] for row, length in sequences for column in range(length)], I64)

    guesses, truths = rows([((0, 0), 3), ((0, 1), 2), ((1, 0), 1), ((2, 1), 4)]), rows([((0, 0), 5), ((1, 0), 1), ((1, 1), 2), ((2, 1), 3)])
    for dtype in (*NUMBERS, BOOL):
        draw = lambda count, dtype=dtype: bools((count,)) if dtype is BOOL else np.asarray(rng.randint(0, 3, size=(count,)), dtype)
        g, t = draw(10), draw(11)
        suite.case(f"normalized_{short(dtype)}", distance(), guesses, g, fixed(np.array([3, 2, 4], I64)), truths, t, fixed(np.array([3, 2, 5], I64)))
        suite.case(f"counted_{short(dtype)}", distance(False), guesses, g, fixed(np.array([3, 2, 4], I64)), truths, t, fixed(np.array([4, 2, 5], I64)))
    letters = [b"a", b"b", b"abc", b""]
    words = lambda *picks: tf.constant([letters[i] for i in picks], tf.string)
    suite.case("strings", lambda i, s, j, t: distance()(i, words(0, 1, 2, 3, 0, 0, 1, 2, 3, 1), s, j, words(0, 2, 2, 3, 1, 0, 1, 1, 3, 1, 0), t),
               guesses, fixed(np.array([3, 2, 4], I64)), truths, fixed(np.array([3, 2, 5], I64)))  # fmt: skip
    nans = np.full((10,), float("nan"), F32)
    suite.case("nans", distance(), guesses, nans, fixed(np.array([3, 2, 4], I64)), guesses, nans, fixed(np.array([3, 2, 4], I64)))
    g, t = rng.randint(0, 4, size=(40,)), rng.randint(0, 4, size=(35,))
    one = lambda n: np.array([[0, k] for k in range(n)], I64)
    suite.case("long", distance(), one(40), g, fixed(np.array([1, 40], I64)), one(35), t, fixed(np.array([1, 35], I64)))
    none, nothing = np.zeros((0, 2), I64), np.zeros((0,), I64)
    suite.case("no_guesses", distance(), none, nothing, fixed(np.array([2, 3], I64)), one(2), t[:2], fixed(np.array([1, 3], I64)))
    suite.case("no_truths", distance(), one(2), g[:2], fixed(np.array([2, 3], I64)), none, nothing, fixed(np.array([1, 3], I64)))
    suite.case("nothing", distance(), none, nothing, fixed(np.array([2, 3], I64)), none, nothing, fixed(np.array([3, 1], I64)))
    suite.write()


SUITES = [sparse_reductions, sparse_sums, sparse_operands, edit_distances]
