# SPDX-License-Identifier: Apache-2.0
"""Random numbers, bit for bit: what TensorFlow's kernels on a CPU draw for given seeds."""
import itertools

import numpy as np
import tensorflow as tf

from suite import F16, F32, FLOATS, I32, I64, INTS, Suite, eighths, fixed, raw, short, text


def named(*numbers):
    return "_".join(str(n).replace("-", "minus_") for n in numbers)


def ints(*shape):
    return np.array(shape, I32)


def random_uniform():
    """Uniform numbers of ops with state, run once and again, and without."""
    suite = Suite("random_uniform")
    shapes = ((), (1,), (3,), (4,), (5,), (0,), (17,), (3, 17), (2, 3, 4, 5), (100, 33), (6, 36), (2, 3, 80))
    for dtype in FLOATS:
        for to in shapes:
            def uniform(to=to, dtype=dtype):
                return raw.RandomUniform(shape=ints(*to), dtype=dtype, seed=87654321, seed2=12 + len(to))
            for times in (1, 2, 3) if to in ((5,), (3, 17)) else (2,):
                suite.case(f"uniform_{short(dtype)}_{text(to)}_{times}", uniform, times=times)
    for seeds in ((0, 5), (5, 0), (-1, -2), (2**40 + 1, -(2**50)), (2**63 - 1, 1)):
        def seeded(s=seeds):
            return raw.RandomUniform(shape=np.array([9], I64), dtype=F32, seed=s[0], seed2=s[1])
        suite.case("seeds_" + named(*seeds), seeded, times=2)
    for dtype in INTS:
        for low, high in ((0, 10), (-3, 100), (-5, -4), (np.iinfo(dtype).min, np.iinfo(dtype).max)):
            for to in ((), (7,), (3, 5)):
                def bounded(low, high, to=to):
                    return [raw.RandomUniformInt(shape=ints(*to), minval=low, maxval=high, seed=3, seed2=-9),
                        raw.StatelessRandomUniformInt(shape=ints(*to), seed=ints(3, -9), minval=low, maxval=high)]  # fmt: skip
                suite.case(f"int_{short(dtype)}_{named(low, high)}_{text(to)}", bounded,
                    np.array(low, dtype), np.array(high, dtype), times=2)  # fmt: skip
        for to in ((), (7,), (3, 5)):
            def full(to=to, dtype=dtype):
                return raw.StatelessRandomUniformFullInt(shape=ints(*to), seed=np.array([4, 2], I64), dtype=dtype)
            suite.case(f"full_{short(dtype)}_{text(to)}", full)
        for seed in ((0, 0), (-1, 7), (20170917, 42)):  # fed
            def fed(s):
                return [raw.StatelessRandomUniform(shape=ints(3, 3), seed=s, dtype=F32),
                    *raw.StatelessRandomGetKeyCounter(seed=s), raw.StatelessRandomGetAlg()]  # fmt: skip
            suite.case(f"fed_seed_{short(dtype)}_{named(*seed)}", fed, np.array(seed, dtype))

    def twice():
        x = raw.RandomUniform(shape=[4], dtype=F32, seed=1, seed2=2)
        y = raw.RandomUniform(shape=[4], dtype=F32, seed=1, seed2=3)
        return [x + x, x - y, y]

    suite.case("used_twice", twice, times=3)

    def dropout(x):
        return tf.compat.v1.nn.dropout(x, rate=0.25, seed=11)

    for times in (1, 2):
        suite.case(f"dropout_{times}", dropout, eighths((8, 16)), times=times)
    suite.write()


def random_normal():
    """Normal numbers, with and without state; shuffles; classes."""
    suite = Suite("random_normal")
    for dtype in FLOATS:
        for to in ((), (1,), (5,), (17,), (3, 17), (100, 33)):
            size = ints(*to)
            for op in ("RandomStandardNormal", "TruncatedNormal"):
                suite.case(f"{op}_{short(dtype)}_{text(to)}", lambda op=op, size=size, dtype=dtype: getattr(raw, op)(
                    shape=size, dtype=dtype, seed=87654321, seed2=5), times=2)  # fmt: skip
            for op in ("StatelessRandomNormal", "StatelessTruncatedNormal"):
                suite.case(f"{op}_{short(dtype)}_{text(to)}", lambda s, op=op, size=size, dtype=dtype: getattr(raw, op)(
                    shape=size, seed=s, dtype=dtype), np.array([3, -7], I64))  # fmt: skip

    def second(s):
        key, counter = raw.StatelessRandomGetKeyCounter(seed=s)
        keyed = dict(key=key, counter=counter, alg=1)
        return [raw.StatelessRandomNormalV2(shape=ints(9, 5), dtype=F32, **keyed),
            raw.StatelessTruncatedNormalV2(shape=ints(9, 5), dtype=F32, **keyed),
            raw.StatelessRandomUniformV2(shape=ints(9, 5), dtype=F32, **keyed),
            raw.StatelessRandomUniformIntV2(shape=ints(9, 5), minval=np.array(-4, I32), maxval=np.array(90, I32), **keyed),
            raw.StatelessRandomUniformFullIntV2(shape=ints(9, 5), dtype=I64, **keyed)]  # fmt: skip

    for seed in ((0, 0), (-1, 7), (20170917, 42)):
        suite.case("second_versions_" + named(*seed), second, np.array(seed, I64))
    for rows in ((1,), (2,), (9,), (40,), (6, 3)):
        suite.case(f"RandomShuffle_{text(rows)}", lambda x: raw.RandomShuffle(value=x, seed=5, seed2=9), eighths(rows), times=2)
        suite.case(f"StatelessShuffle_{text(rows)}", lambda x, key, counter: raw.StatelessShuffle(value=x, alg=1,
            key=raw.Bitcast(input=key, type=tf.uint64), counter=raw.Bitcast(input=counter, type=tf.uint64)), eighths(rows), np.array([5], I64), np.array([9, -2], I64))  # fmt: skip
    logits = np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], F32))
    for dtype in INTS:
        suite.case(f"Multinomial_{short(dtype)}", lambda x: raw.Multinomial(
            logits=x, num_samples=13, seed=3, seed2=4, output_dtype=dtype), logits, times=2)  # fmt: skip
        suite.case(f"StatelessMultinomial_{short(dtype)}", lambda x, s: raw.StatelessMultinomial(
            logits=x, num_samples=13, seed=s, output_dtype=dtype), logits, np.array([3, 4], I64))  # fmt: skip
    suite.write()


def candidates():
    """Classes that stand for all of them; a second run draws further on."""
    suite = Suite("candidates")
    true = np.array([[0, 7], [3, 3], [11, 1]], I64)
    for op, unique, (count, most) in itertools.product((raw.UniformCandidateSampler, raw.LogUniformCandidateSampler), (False, True),
                                                       ((5, 12), (16, 16), (12, 12), (40, 3000))):  # fmt: skip
        suite.case(f"{op.__name__}_{unique}_{count}_of_{most}", lambda t, op=op: op(
            true_classes=t, num_true=2, num_sampled=count, unique=unique, range_max=most, seed=7, seed2=21), true, times=2, rtol=2e-6)  # fmt: skip
    for unique, count in itertools.product((False, True), (12, 40)):
        suite.case(f"AllCandidateSampler_{unique}_{count}", lambda t: raw.AllCandidateSampler(
            true_classes=t, num_true=2, num_sampled=count, unique=unique, seed=7, seed2=21), true, times=2)  # fmt: skip
    suite.case("all_wrong_class", lambda t: raw.AllCandidateSampler(true_classes=t, num_true=2, num_sampled=11, unique=True), true,
               fails="`true_candidate` out of range [0, 11), received 11")  # fmt: skip
    drawn = np.array([5, 3, 9, 3, 7], I64)
    suite.case("hits", lambda t, s: raw.ComputeAccidentalHits(true_classes=t, sampled_candidates=s, num_true=2), true, drawn)
    suite.case("no_hits", lambda t, s: raw.ComputeAccidentalHits(true_classes=t, sampled_candidates=s, num_true=2), true, drawn + 20)
    suite.write()


def distributions():
    """Numbers of gamma and Poisson distributions; a second run draws further on."""
    suite = Suite("distributions")
    alphas = np.array([[0.01, 0.3, 0.9999], [1, 1.5, 40]])
    for dtype, to in itertools.product((F16, F32, np.float64), ((), (7,), (2, 9), (0,))):
        suite.case(f"gamma_{short(dtype)}_{text(to)}", lambda a: raw.RandomGamma(shape=ints(*to), alpha=a, seed=87654321, seed2=9), alphas.astype(dtype), times=2)
    suite.case("gamma_scalar", lambda a: raw.RandomGamma(shape=np.array([100], I64), alpha=a, seed=3, seed2=9), F32(2.5), times=2)
    suite.case("gamma_none", lambda a: raw.RandomGamma(shape=ints(3), alpha=a, seed=3, seed2=9), alphas[:0].astype(F32))
    suite.case("gamma_fed_shape", lambda s, a: raw.RandomGamma(shape=s, alpha=a, seed=3, seed2=9), fixed(ints(4, 2)), alphas.astype(F32), times=2)
    rates = np.array([[0, 0.5, 1], [9.5, 10, 11], [99.5, 1000, 1e5]])
    types = (F16, F32, np.float64, I32, I64)
    for of, dtype in itertools.product(types, types):
        for to in ((7,), (2, 9)) if of is dtype else ((5,),):
            known = rates[:2] if F16 in (of, dtype) else rates
            suite.case(f"poisson_{short(of)}_{short(dtype)}_{text(to)}", lambda r: raw.RandomPoissonV2(shape=ints(*to), rate=r, dtype=dtype, seed=5, seed2=9),
                       known.astype(of), times=2)  # fmt: skip
    for dtype in types:
        wrong = np.array([np.inf, -1, 3]) if dtype not in INTS else np.array([-1, 3])
        suite.case(f"poisson_wrong_rates_{short(dtype)}", lambda r: raw.RandomPoissonV2(shape=ints(6), rate=r, dtype=dtype, seed=5, seed2=9), wrong.astype(dtype))
    for dtype in FLOATS:
        near = dict(rtol=2e-5 if dtype is F32 else 1e-9, atol=1e-6 if dtype is F32 else 1e-12)
        a, x = (m.astype(dtype) for m in np.meshgrid([0.01, 0.3, 0.99, 1, 1.5, 3, 7.5, 20], [1e-3, 0.1, 0.5, 1, 1.01, 2, 4, 8, 19, 25]))
        suite.case(f"RandomGammaGrad_{short(dtype)}", lambda a, x: raw.RandomGammaGrad(alpha=a, sample=x), a.copy(), x.copy(), **near)
        suite.case(f"RandomGammaGrad_{short(dtype)}_broadcast", lambda a, x: raw.RandomGammaGrad(alpha=a, sample=x), a[0].copy(), x[:, :1].copy(), **near)
        column = np.array([np.nan, np.inf, 0, -1, 2, 1e-30], dtype)
        a, x = np.meshgrid(column[:5], column)
        suite.case(f"RandomGammaGrad_{short(dtype)}_special", lambda a, x: raw.RandomGammaGrad(alpha=a, sample=x), a.copy(), x.copy(), anyZero=True, **near)
        suite.case(f"gamma_gradient_{short(dtype)}", lambda a: tf.gradients(raw.RandomGamma(shape=ints(5), alpha=a, seed=5, seed2=9), a), alphas.astype(dtype), **near)
    suite.write()


def draws():
    """Several draws that one kernel makes, of a batch large enough for a grid of blocks."""
    suite = Suite("draws")

    def stateless(x, seed, rate, low=0):
        return tf.where(tf.random.stateless_uniform(tf.shape(x), seed + low) >= rate, x, 0)

    def two(x, s, t):
        return stateless(stateless(x, s, 0.2), t, 0.3)

    def computed(x, s):
        for rate, low in ((0.1, 1000), (0.2, 2000), (0.3, 3000), (0.4, 4000)):
            x = stateless(x, s, rate, low)
        return x

    def of_variables(x, s):
        """Seeds as Keras 3 has them: 64-bit numbers within 31 bits."""
        for rate, number in ((0.25, 5), (0.5, 6)):
            x = stateless(x, tf.cast(tf.math.floormod(s * number, 2**31 - 1), tf.int32), rate)
        return x

    def product(x, w, s, t):
        return two(tf.tensordot(x, w, 1), s, t)

    def stateful(x):
        x = x + tf.random.normal(tf.shape(x), seed=3)
        x = tf.nn.dropout(x, 0.5, noise_shape=[x.shape[0] or tf.shape(x)[0], *[1] * (len(x.shape) - 2), x.shape[-1]], seed=4)
        return tf.nn.dropout(x, 0.2, seed=5)

    def gradient(x, w, s, t):
        y = two(tf.tanh(tf.tensordot(x, w, 1)), s, t)
        return [y, *tf.gradients(tf.reduce_sum(y * y), [x, w])]

    def in_a_loop(x):
        """Draws of a loop's iterations, in their order, which TensorFlow keeps only with parallel_iterations=1 (default: 32)."""
        def step(i, state):
            kept = tf.nn.dropout(state, 0.25, seed=7) + tf.nn.dropout(x[i], 0.5, seed=8)
            return i + 1, kept

        return tf.while_loop(lambda i, _: i < 4, step, (0, x[0]), parallel_iterations=1)[1]

    seeds = [np.array(pair, I32) for pair in ((7, 0), (9, 1))]
    for shape in ((32, 6, 6, 4), (65, 12, 8)):
        x = eighths(shape)
        suite.case(f"two_{text(shape)}", two, x, *seeds)
        suite.case(f"computed_{text(shape)}", computed, x, seeds[0])
        suite.case(f"of_variables_{text(shape)}", of_variables, x, np.array((7, 2**40), I64))
        suite.case(f"product_{text(shape)}", product, x, eighths((shape[-1], 8)), *seeds)
        suite.case(f"stateful_{text(shape)}", stateful, x, times=2, rtol=2e-6, atol=2e-6)
    suite.case("in_a_loop", in_a_loop, eighths((4, 32, 5)), times=2, rtol=1e-6)
    suite.case("gradient", gradient, eighths((32, 6, 6, 4)), eighths((4, 8)), *seeds, rtol=2e-6, atol=2e-6)
    suite.write()


SUITES = [candidates, random_uniform, random_normal, distributions, draws]
