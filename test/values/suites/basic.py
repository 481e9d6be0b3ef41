# SPDX-License-Identifier: Apache-2.0
"""The ops of a plain network: elementwise, shapes, products, losses, optimizers."""
import itertools

from suite import *


def unary():
    suite = Suite("unary")
    exact = {"Abs": FLOATS + INTS, "Neg": FLOATS + INTS, "Sign": FLOATS + INTS, "Square": FLOATS + INTS,
        "Relu": FLOATS + INTS, "ZerosLike": FLOATS + INTS + (BOOL,), "LogicalNot": (BOOL,)}  # fmt: skip
    rounded = {"Sqrt": ROUNDING, "Exp": POLYNOMIAL, "Log": POLYNOMIAL, "Tanh": POLYNOMIAL}
    for op in list(exact) + list(rounded):
        def function(x, op=op):
            op = getattr(raw, op)
            return op(features=x) if op is raw.Relu else op(x=x)
        for dtype in exact.get(op, FLOATS):
            tolerance = rounded[op][dtype] if op in rounded else 0
            for shape in SHAPES if dtype is F32 or dtype is BOOL else SHAPES[::4]:
                x = values(shape, dtype) if op in exact else normal(shape, dtype)
                if op in ("Sqrt", "Log"):
                    x = np.abs(x)
                suite.case(f"{op}_{short(dtype)}_{text(shape)}", function, x, rtol=tolerance)
            if dtype in FLOATS:
                suite.case(f"{op}_{short(dtype)}_special", function, np.array(SPECIAL * 3, dtype), rtol=tolerance, anyZero=op == "Relu")
    for op, low, high in (("Exp", -90, 90), ("Tanh", -12, 12), ("Log", 0, 1e6), ("Tanh", -1e-3, 1e-3), ("Log", 0.9, 1.1)):
        function = lambda x, op=op: getattr(raw, op)(x=x)
        for dtype in FLOATS:
            x = np.linspace(low, high, 1001).astype(dtype)
            suite.case(f"{op}_{short(dtype)}_from_{low}_to_{high}".replace("-", "minus_").replace(".", "_"),
                       function, x, rtol=POLYNOMIAL[dtype])  # fmt: skip
    suite.write()


PAIRS = [((), ()), ((1,), (1,)), ((17,), (17,)), ((3, 17), ()), ((), (3, 17)), ((3, 17), (17,)), ((17,), (3, 17)),
    ((3, 1), (1, 17)), ((4, 1, 5), (3, 1)), ((3, 1), (4, 1, 5)), ((2, 3, 1, 9), (3, 4, 1)), ((33, 10), (33, 10))]  # fmt: skip


def binary():
    suite = Suite("binary")
    numbers = FLOATS + INTS
    table = {"Add": numbers, "AddV2": numbers, "Sub": numbers, "Mul": numbers, "RealDiv": FLOATS, "DivNoNan": FLOATS,
        "Maximum": numbers, "Minimum": numbers, "SquaredDifference": numbers, "LogicalAnd": (BOOL,),
        "LogicalOr": (BOOL,), "Equal": numbers + (BOOL,), "NotEqual": numbers + (BOOL,), "Less": numbers,
        "LessEqual": numbers, "Greater": numbers, "GreaterEqual": numbers}  # fmt: skip
    for op, types in table.items():
        function = lambda x, y, op=op: getattr(raw, op)(x=x, y=y)
        for dtype in types:
            for left, right in PAIRS if dtype in (F32, BOOL) else PAIRS[::5]:
                a, b = values(left, dtype), values(right, dtype)
                suite.case(f"{op}_{short(dtype)}_{text(left)}_{text(right)}", function, a, b)
            if dtype in FLOATS:
                column = np.array(SPECIAL, dtype)
                suite.case(f"{op}_{short(dtype)}_special", function, column[:, None], column[None, :], anyZero=op in ("Maximum", "Minimum"))
                left, right = (np.ascontiguousarray(m) for m in np.meshgrid(column, column))
                suite.case(f"{op}_{short(dtype)}_special_grid", function, left, right, anyZero=op in ("Maximum", "Minimum"))
    for dtype in numbers:
        function = lambda g, x: raw.ReluGrad(gradients=g, features=x)
        for shape in SHAPES:
            suite.case(f"ReluGrad_{short(dtype)}_{text(shape)}", function, values(shape, dtype), values(shape, dtype))
        if dtype in FLOATS:
            column = np.array(SPECIAL, dtype)
            left, right = (np.ascontiguousarray(m) for m in np.meshgrid(column, column))
            suite.case(f"ReluGrad_{short(dtype)}_special", function, left, right)
        for count in (1, 2, 5):
            for shape in ((), (17,), (3, 5)):
                suite.case(f"AddN_{count}_{short(dtype)}_{text(shape)}", lambda *x: raw.AddN(inputs=list(x)),
                           *[values(shape, dtype) for _ in range(count)])  # fmt: skip
    tiny = np.array([1e-38, -1e-38, 1e-30, 2e-38], F32)
    suite.case("Mul_f32_denormals_are_flushed", lambda x, y: raw.Mul(x=x, y=y), tiny, np.full(4, 1e-5, F32))
    limits = np.array([2**31 - 1, -(2**31), 2**31 - 1, -(2**31)], I32)
    suite.case("AddV2_i32_wraps", lambda x, y: raw.AddV2(x=x, y=y), limits, limits)
    suite.case("Mul_i32_wraps", lambda x, y: raw.Mul(x=x, y=y), limits, limits + np.array(1, I32))
    suite.case("Neg_i32_wraps", lambda x: raw.Neg(x=x), limits)
    suite.case("Abs_i32_wraps", lambda x: raw.Abs(x=x), limits)
    suite.write()


def choice():
    suite = Suite("choice")
    triples = [((), (), ()), ((17,), (17,), (17,)), ((3, 1), (1, 17), ()), ((), (3, 17), (17,)), ((17,), (), (3, 17)),
        ((2, 3, 1, 9), (3, 4, 1), (9,))]  # fmt: skip
    for dtype in FLOATS + INTS + (BOOL,):
        for c, t, e in triples:
            suite.case(f"SelectV2_{short(dtype)}_{text(c)}_{text(t)}_{text(e)}",
                       lambda c, t, e: raw.SelectV2(condition=c, t=t, e=e), bools(c), values(t, dtype), values(e, dtype))  # fmt: skip
        for c, shape in (((), (3, 4)), ((3,), (3, 4)), ((3, 4), (3, 4)), ((5,), (5,))):
            suite.case(f"Select_{short(dtype)}_{text(c)}_{text(shape)}",
                       lambda c, t, e: raw.Select(condition=c, x=t, y=e), bools(c), values(shape, dtype), values(shape, dtype))  # fmt: skip
    special = np.array(SPECIAL, F32)
    suite.case("SelectV2_f32_special", lambda c, t, e: raw.SelectV2(condition=c, t=t, e=e),
               bools(special.shape), special, special[::-1].copy())  # fmt: skip
    types = FLOATS + INTS + (BOOL,)
    for source, target in itertools.product(types, types):
        function = lambda x, target=target: raw.Cast(x=x, DstT=tf.as_dtype(target))
        for shape in ((), (17,), (3, 5)):
            suite.case(f"Cast_{short(source)}_{short(target)}_{text(shape)}", function, values(shape, source))
        if source in FLOATS:
            x = np.array([-2.9, -1.0, -0.9, -0.0, 0.0, 0.4, 0.9, 1.0, 1.5, 2.9, 1e6, -1e6, 16777217.0], source)
            suite.case(f"Cast_{short(source)}_{short(target)}_towards_zero", function, x)
        if source in FLOATS and target in FLOATS + (BOOL,):
            suite.case(f"Cast_{short(source)}_{short(target)}_special", function, np.array(SPECIAL, source))
        if source in INTS:
            x = np.array([0, 1, -1, 255, -256, 16777217, -16777219, 2**31 - 1, -(2**31)], source)
            suite.case(f"Cast_{short(source)}_{short(target)}_limits", function, x)
    big = np.array([2**53 + 1, -(2**53) - 3, 2**62 + 1, -(2**63), 2**33 + 7], I64)
    for target in (F32, F64, I32, BOOL):
        suite.case(f"Cast_i64_{short(target)}_large", lambda x, target=target: raw.Cast(x=x, DstT=tf.as_dtype(target)), big)
    suite.write()


def reduction():
    suite = Suite("reduction")
    shapes = [(), (1,), (17,), (33, 10), (3, 17), (2, 3, 5), (2, 3, 4, 5)]
    for op in ("Sum", "Mean", "Prod", "Max", "Min"):
        for dtype in FLOATS + INTS:
            for shape in shapes if dtype is F32 else shapes[3:6:2]:
                subsets = itertools.chain(*(itertools.combinations(range(len(shape)), n) for n in range(len(shape) + 1)))
                for turn, axes in enumerate(subsets):
                    keep = turn % 2 == 0
                    x = values(shape, dtype)
                    if op == "Prod":  # powers of two: exact, and never zero
                        x = np.asarray(2.0 ** rng.randint(-1 if dtype in FLOATS else 0, 2, size=shape) * rng.choice([-1, 1], size=shape), dtype)
                    name = f"{op}_{short(dtype)}_{text(shape)}_over_{'_'.join(map(str, axes)) or 'none'}"
                    for kept in (False, True) if len(shape) == 3 and dtype is F32 else (keep,):
                        suite.case(name + ("_kept" if kept else ""), lambda x, op=op, axes=axes, kept=kept:
                            getattr(raw, op)(input=x, axis=np.array(axes, I32), keep_dims=kept), x, rtol=ROUNDING.get(dtype, 0) if op == "Mean" else 0)  # fmt: skip
        reduce = lambda x, axes, op=op: getattr(raw, op)(input=x, axis=axes, keep_dims=False)
        suite.case(f"{op}_f32_negative_axis", lambda x: reduce(x, np.array([-1, -3], I64)), np.abs(eighths((2, 3, 2))) + F32(1), rtol=1e-6)
        suite.case(f"{op}_f32_scalar_axis", lambda x: reduce(x, np.array(1, I32)), np.abs(eighths((4, 3))) + F32(1), rtol=1e-6)
        if op != "Prod":
            suite.case(f"{op}_f32_rows_100x130", lambda x: reduce(x, np.array([0], I32)), eighths((100, 130)), rtol=1e-6 if op == "Mean" else 0)
            suite.case(f"{op}_f32_columns_100x130", lambda x: reduce(x, np.array([1], I32)), eighths((100, 130)), rtol=1e-6 if op == "Mean" else 0)
            suite.case(f"{op}_f32_all_100x130", lambda x: reduce(x, np.array([0, 1], I32)), eighths((100, 130)), rtol=1e-6 if op == "Mean" else 0)
        special = np.array([[1, 2, np.nan], [np.inf, 1, 2], [-np.inf, 1, 2], [np.inf, -np.inf, 1], [-0.0, 0.0, -0.0],
            [-np.inf, -np.inf, -np.inf], [-5, -6, -7], [np.nan, 1, 2], [np.nan, np.nan, np.nan]], F32)  # fmt: skip
        suite.case(f"{op}_f32_special_rows", lambda x: reduce(x, np.array([1], I32)), special, rtol=1e-6)
        suite.case(f"{op}_f32_special_columns", lambda x: reduce(x, np.array([0], I32)), special.T.copy(), rtol=1e-6)
    suite.case("Mean_i32_towards_zero", lambda x: raw.Mean(input=x, axis=np.array([1], I32), keep_dims=False),
               np.array([[1, 2, 2], [-1, -2, -2], [7, 7, 6]], I32))  # fmt: skip
    empty = np.zeros((0, 3), F32)
    for op in ("Sum", "Prod", "Max", "Min", "Mean"):
        suite.case(f"{op}_f32_of_nothing", lambda x, op=op: getattr(raw, op)(input=x, axis=np.array([0], I32), keep_dims=False), empty)
    for dtype in FLOATS + INTS:
        for shape in ((1,), (17,), (33, 10), (10, 33), (2, 3, 5), (2, 3, 4, 5)) if dtype in (F32, I32) else ((33, 10),):
            for axis in range(len(shape)):
                for out in INTS if dtype is F32 else (I64,):
                    suite.case(f"ArgMax_{short(dtype)}_{text(shape)}_along_{axis}_{short(out)}", lambda x, axis=axis, out=out:
                        raw.ArgMax(input=x, dimension=np.array(axis, I32), output_type=tf.as_dtype(out)), values(shape, dtype))  # fmt: skip
    ties = np.array([[1, 3, 3, 2, 3], [0, 0, 0, 0, 0], [-0.0, 0.0, -0.0, 0.0, 0.0], [-np.inf] * 5, [5, np.inf, np.inf, 0, 0]], F32)
    for axis in (-1, 0):
        suite.case(f"ArgMax_f32_ties_{'rows' if axis else 'columns'}", lambda x, axis=axis:
            raw.ArgMax(input=x, dimension=np.array(axis, I32), output_type=tf.int64), ties)  # fmt: skip
    for length in (5, 8, 16, 33):
        last = np.zeros((2, length), F32) - 1
        last[0, -1] = 4
        last[1, length // 2] = 4
        suite.case(f"ArgMax_f32_last_of_{length}", lambda x: raw.ArgMax(input=x, dimension=np.array(1, I32), output_type=tf.int64), last)
    suite.write()


def shape():
    suite = Suite("shape")
    for dtype in FLOATS + INTS + (BOOL,):
        for to in ((), (1,), (7,), (3, 5), (2, 3, 4, 5)):
            suite.case(f"Fill_{short(dtype)}_{text(to)}", lambda x, to=to: raw.Fill(dims=np.array(to, I32), value=x), values((), dtype))
        for source, to in (((6,), (2, 3)), ((2, 3, 4), (4, -1)), ((1,), ()), ((), (1, 1)), ((2, 3, 4, 5), (-1,)), ((4, 6), (3, 2, 4))):
            suite.case(f"Reshape_{short(dtype)}_{text(source)}_{text([abs(d) for d in to])}", lambda x, to=to:
                raw.Reshape(tensor=x, shape=np.array(to, I32)), values(source, dtype))  # fmt: skip
        for source, multiples in (((3,), (4,)), ((1,), (5,)), ((2, 3), (1, 4)), ((2, 3), (3, 1)), ((2, 1, 3), (2, 5, 2)), ((2, 3, 4, 1), (1, 2, 1, 3)), ((5, 1), (1, 7))):
            suite.case(f"Tile_{short(dtype)}_{text(source)}_by_{text(multiples)}", lambda x, m=multiples:
                raw.Tile(input=x, multiples=np.array(m, I32)), values(source, dtype))  # fmt: skip
        for source, order in (((3,), (0,)), ((3, 17), (1, 0)), ((33, 10), (1, 0)), ((2, 3, 5), (2, 0, 1)), ((2, 3, 5), (0, 2, 1)), ((2, 3, 4, 5), (3, 1, 0, 2)), ((64, 50), (1, 0))):
            suite.case(f"Transpose_{short(dtype)}_{text(source)}_to_{text(order)}", lambda x, p=order:
                raw.Transpose(x=x, perm=np.array(p, I32)), values(source, dtype))  # fmt: skip
    for axis in (0, 1, -1, 2):
        suite.case(f"ExpandDims_{axis}".replace("-", "minus_"), lambda x, a=axis: raw.ExpandDims(input=x, axis=np.array(a, I32)), eighths((3, 5)))
    suite.case("ExpandDims_scalar", lambda x: raw.ExpandDims(input=x, axis=np.array(0, I32)), eighths(()))
    for dims in ((), (0,), (-1,), (0, 2)):
        suite.case(f"Squeeze_{text([abs(d) for d in dims])}", lambda x, d=dims: raw.Squeeze(input=x, axis=list(d)), eighths((1, 5, 1)))
    # Long enough not to be folded.
    for dtype, bounds in ((I32, (3, 70003, 7)), (I32, (70000, -5, -3)), (I64, (-9, 20000, 1)), (F32, (0.5, 5000, 0.25)), (F64, (3, -5000, -0.5))):
        suite.case(f"Range_{short(dtype)}_{bounds[0]}".replace(".", "_"), lambda b=bounds, d=dtype:
            raw.Range(start=np.array(b[0], d), limit=np.array(b[1], d), delta=np.array(b[2], d)))  # fmt: skip
    suite.case("Shape_of_a_product", lambda a, b: raw.Shape(input=raw.MatMul(a=a, b=b)), eighths((3, 4)), eighths((4, 7)))
    # A transposed and reshaped value feeds arithmetic and a product.
    def views(x, y):
        turned = raw.Reshape(tensor=raw.Transpose(x=x, perm=np.array([2, 0, 1], I32)), shape=np.array([5, 6], I32))
        return [raw.MatMul(a=turned, b=y), raw.Mul(x=turned, y=turned), turned]
    suite.case("views_of_a_feed", views, eighths((2, 3, 5)), eighths((6, 9)))
    suite.case("feeds_as_fetches", lambda x, y: [raw.Identity(input=y), raw.Identity(input=x), raw.Reshape(tensor=x, shape=[10])], eighths((2, 5)), eighths((2, 5)))
    suite.write()


def product():
    suite = Suite("product")
    sizes = [(1, 1, 1), (1, 17, 1), (3, 10, 17), (17, 33, 10), (64, 64, 50), (100, 50, 130), (70, 300, 130), (1, 300, 130),
        (130, 300, 1), (33, 1, 33), (16, 16, 16), (6, 32, 16), (7, 257, 65)]  # fmt: skip
    for m, k, n in sizes:
        a, b = eighths((m, k)), eighths((k, n))
        for ta, tb in itertools.product((False, True), repeat=2):
            if m * k * n > 600000 and ta and tb:
                a, b = a[:, : k - 3], b[: k - 3]  # a further odd depth
            suite.case(f"MatMul_f32_{m}x{a.shape[1]}x{n}{'_ta' * ta}{'_tb' * tb}", lambda x, y, ta=ta, tb=tb:
                raw.MatMul(a=x, b=y, transpose_a=ta, transpose_b=tb),
                np.ascontiguousarray(a.T if ta else a), np.ascontiguousarray(b.T if tb else b))  # fmt: skip
    for dtype in (F64, I32, I64):
        for (m, k, n), (ta, tb) in zip(sizes[1:6], [(False, False), (True, False), (False, True), (True, True), (False, False)]):
            a, b = eighths((m, k), dtype), eighths((k, n), dtype)
            suite.case(f"MatMul_{short(dtype)}_{m}x{k}x{n}{'_ta' * ta}{'_tb' * tb}", lambda x, y, ta=ta, tb=tb:
                raw.MatMul(a=x, b=y, transpose_a=ta, transpose_b=tb),
                np.ascontiguousarray(a.T if ta else a), np.ascontiguousarray(b.T if tb else b))  # fmt: skip
    suite.case("MatMul_f32_rounds", lambda a, b: raw.MatMul(a=a, b=b), normal((64, 784)), normal((784, 33)), atol=2e-6)
    suite.case("MatMul_f32_no_depth", lambda a, b: raw.MatMul(a=a, b=b), np.zeros((3, 0), F32), np.zeros((0, 4), F32))
    bad = eighths((5, 7))
    bad[1, 2], bad[3, 0] = np.nan, np.inf
    suite.case("MatMul_f32_nan_and_inf", lambda a, b: raw.MatMul(a=a, b=b), bad, eighths((7, 9), low=1))
    # The same operand on both sides, twice used results, two products in a row.
    suite.case("MatMul_f32_square_of_itself", lambda a: raw.MatMul(a=a, b=a), eighths((33, 33)))
    suite.case("MatMul_f32_gram", lambda a: raw.MatMul(a=a, b=a, transpose_a=True), eighths((50, 33)))
    suite.case("MatMul_f32_chain", lambda a, b, c: raw.MatMul(a=raw.MatMul(a=a, b=b), b=c), eighths((17, 10)), eighths((10, 33), high=2, low=-2), eighths((33, 65), high=2, low=-2))

    def layer(x, w, b):
        product = raw.BiasAdd(value=raw.MatMul(a=x, b=w), bias=b)
        active = raw.Relu(features=product)
        return [active, product, raw.ReluGrad(gradients=product, features=active), raw.Sum(input=active, axis=[0], keep_dims=False)]

    for m, k, n in ((1, 10, 3), (33, 17, 10), (64, 64, 50), (100, 130, 33), (70, 300, 130)):
        suite.case(f"layer_{m}x{k}x{n}", layer, eighths((m, k)), eighths((k, n), low=-2, high=2), eighths((n,)))

    # Sums over many more rows than the result has, with what updates several tensors by them.
    def update(x, y, *state):
        gradient = raw.MatMul(a=x, b=y, transpose_a=True)
        return [raw.AddV2(x=value, y=gradient) for value in state]

    for k, m, n in ((1024, 20, 96), (1283, 5, 72)):
        x, y = eighths((k, m), low=-4, high=4), eighths((k, n), low=-4, high=4)
        suite.case(f"MatMul_f32_{m}x{k}x{n}_ta_only", lambda x, y: raw.MatMul(a=x, b=y, transpose_a=True), x, y)
        suite.case(f"update_{m}x{k}x{n}", update, x, y, eighths((m, n)), eighths((m, n)))
    suite.write()


def nn():
    suite = Suite("nn")
    for dtype in FLOATS + INTS:
        for shape, form in (((3, 17), "NHWC"), ((64, 10), "NHWC"), ((1, 1), "NHWC"), ((2, 3, 5), "NHWC"), ((2, 3, 4, 5), "NHWC"), ((2, 3, 4, 5), "NCHW"), ((100, 130), "NHWC")):
            if dtype is not F32 and shape[0] > 3:
                continue
            channels = shape[1] if form == "NCHW" else shape[-1]
            name = f"{short(dtype)}_{text(shape)}_{form}"
            if form == "NHWC" or dtype in FLOATS:
                suite.case("BiasAdd_" + name, lambda x, b, f=form: raw.BiasAdd(value=x, bias=b, data_format=f), values(shape, dtype), values((channels,), dtype))
            suite.case("BiasAddGrad_" + name, lambda g, f=form: raw.BiasAddGrad(out_backprop=g, data_format=f), values(shape, dtype))
    xent = lambda x, y: list(raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=y))
    for dtype in FLOATS:
        for batch, classes in ((1, 1), (1, 10), (3, 2), (17, 33), (64, 10), (10, 130)):
            for labels in INTS:
                suite.case(f"xent_{short(dtype)}_{batch}x{classes}_{short(labels)}", xent, 3 * normal((batch, classes), dtype),
                           rng.randint(0, classes, size=batch).astype(labels), rtol=POLYNOMIAL[dtype], atol=3e-7 if dtype is F32 else 1e-15)  # fmt: skip
    large = np.array([[1000, 0, -1000], [-1000, -1001, -1002], [80, 80, 80], [1e30, -1e30, 0], [0, 0, 0]], F32)
    suite.case("xent_f32_large", xent, large, np.array([1, 1, 2, 0, 2], I32), rtol=2e-6, atol=3e-7)
    special = np.array([[np.nan, 0, 1], [np.inf, 0, 1], [-np.inf, 0, 1], [-np.inf, 0, 1], [0, 1, 2]], F32)
    suite.case("xent_f32_special", xent, special, np.array([1, 1, 1, 0, 2], I32), rtol=2e-6, atol=3e-7)
    suite.write()


def random():
    suite = Suite("random")
    for dtype in INTS:
        for seed in ((0, 0), (1, 2), (-1, 7), (2**31 - 1, -(2**31)), (20170917, 42)):
            name = "_".join(str(s).replace("-", "minus_") for s in seed)
            suite.case(f"key_counter_{short(dtype)}_{name}", lambda s=np.array(seed, dtype): list(raw.StatelessRandomGetKeyCounter(seed=s)))
    large = np.array([2**40 + 3, -(2**50)], I64)
    suite.case("key_counter_i64_large", lambda: list(raw.StatelessRandomGetKeyCounter(seed=large)))

    # Keys come from seeds alone: a graph has no other way to make one. The numbers themselves are never folded.
    for dtype in FLOATS:
        for to in ((), (1,), (3,), (4,), (5,), (17,), (3, 17), (64, 50), (2, 3, 4, 5), (100, 33)):
            for alg in (1, 3) if to == (17,) else (1,):
                def uniform(to=to, alg=alg, dtype=dtype):
                    key, counter = raw.StatelessRandomGetKeyCounter(seed=np.array([-7, len(to)], I32))
                    return raw.StatelessRandomUniformV2(shape=np.array(to, I32), key=key, counter=counter,
                        alg=np.array(alg, I32), dtype=tf.as_dtype(dtype))  # fmt: skip
                suite.case(f"uniform_{short(dtype)}_{text(to)}_{alg}", uniform)
    suite.write()


def optimizer():
    suite = Suite("optimizer")

    def variable(name, value):
        return v1.get_variable(name, initializer=tf.constant(value), use_resource=True)

    def update(name, apply, states, gradient, tolerance):
        def function(*feeds):
            held = [variable(f"{name}_{i}", state) for i, state in enumerate(states)]
            op = apply([v.handle for v in held], *feeds)
            with tf.control_dependencies([op]):
                return [v.read_value() for v in held]
        suite.case(name, function, *gradient, rtol=tolerance, atol=tolerance / 10)

    for dtype in FLOATS:
        one = lambda x: np.array(x, dtype)
        for size in ((), (1,), (17,), (33, 10)) + (((64, 50),) if dtype is F32 else ()):
            w, m, v, g = normal(size, dtype), normal(size, dtype), np.abs(normal(size, dtype)), normal(size, dtype)
            name = f"{short(dtype)}_{text(size)}"
            tolerance = ROUNDING[dtype]
            update(f"descent_{name}", lambda h, a, d: raw.ResourceApplyGradientDescent(var=h[0], alpha=a, delta=d), [w], [one(0.3), g], tolerance)
            for nesterov in (False, True):
                suffix = "_nesterov" if nesterov else ""
                update(f"momentum_{name}{suffix}", lambda h, lr, g, mo, n=nesterov: raw.ResourceApplyMomentum(
                    var=h[0], accum=h[1], lr=lr, grad=g, momentum=mo, use_nesterov=n), [w, m], [one(0.1), g, one(0.9)], tolerance)  # fmt: skip
                update(f"adam_{name}{suffix}", lambda h, b1p, b2p, lr, b1, b2, e, g, n=nesterov: raw.ResourceApplyAdam(
                    var=h[0], m=h[1], v=h[2], beta1_power=b1p, beta2_power=b2p, lr=lr, beta1=b1, beta2=b2, epsilon=e, grad=g, use_nesterov=n),
                    [w, m, v], [one(0.81), one(0.998), one(0.01), one(0.9), one(0.999), one(1e-8), g], tolerance)  # fmt: skip
        w, g = normal((17, 33), dtype), normal((17, 33), dtype)

        # A variable is read before and after two updates of it.
        def twice(x, rate):
            held = variable(f"twice_held_{short(dtype)}", w)
            before = held.read_value()
            with tf.control_dependencies([before]):
                first = raw.ResourceApplyGradientDescent(var=held.handle, alpha=rate, delta=x * before)
            with tf.control_dependencies([first]):
                middle = held.read_value()
                second = raw.AssignAddVariableOp(resource=held.handle, value=middle * x)
            with tf.control_dependencies([second]):
                third = raw.AssignSubVariableOp(resource=held.handle, value=x)
            with tf.control_dependencies([third]):
                after = held.read_value()
            return [before, middle, after]

        suite.case(f"twice_{short(dtype)}", twice, g, one(0.3), rtol=ROUNDING[dtype], atol=ROUNDING[dtype] / 3)
    suite.write()


def chain():
    """Random graphs: whatever fuses, and buffers that are used again."""
    suite = Suite("chain")
    for number in range(24):
        draw = np.random.RandomState(1000 + number)
        rows, columns = draw.choice([1, 3, 10, 17, 33, 64, 100], size=2)
        inputs = [eighths((rows, columns)), eighths((columns,)), eighths(()), eighths((rows, 1)), eighths((columns, columns), low=-2, high=2)]

        def function(x, bias, scale, column, weights, draw=draw):
            pool, used = [x], []
            pick = lambda: pool[draw.randint(max(0, len(pool) - 4), len(pool))]
            for _ in range(draw.randint(10, 21)):
                op = draw.randint(16)
                a, b = pick(), pick()
                pool.append([
                    lambda: a + b, lambda: a - b, lambda: raw.Tanh(x=a), lambda: raw.Relu(features=a),
                    lambda: raw.BiasAdd(value=a, bias=bias), lambda: a * scale, lambda: a + column,
                    lambda: raw.Tanh(x=raw.MatMul(a=a, b=weights)),
                    lambda: raw.MatMul(a=raw.Tanh(x=a), b=weights, transpose_b=True) * 0.1,
                    lambda: raw.Transpose(x=raw.Square(x=raw.Tanh(x=raw.Transpose(x=a, perm=[1, 0]))), perm=[1, 0]),
                    lambda: a - raw.Mean(input=a, axis=[0], keep_dims=True),
                    lambda: a + raw.Max(input=b, axis=[1], keep_dims=True),
                    lambda: raw.Reshape(tensor=raw.Reshape(tensor=a, shape=[-1]) + 1.0, shape=[rows, columns]),
                    lambda: raw.SelectV2(condition=raw.Greater(x=a, y=scale), t=a, e=b * 0.5),
                    lambda: raw.Maximum(x=a, y=raw.Neg(x=b)),
                    lambda: a + raw.Sum(input=raw.Tanh(x=b), axis=[0], keep_dims=False) * 0.01,
                ][op]())  # fmt: skip
            middle = pool[len(pool) // 2]
            last = pool[-1]
            gradient = raw.MatMul(a=raw.Tanh(x=x), b=raw.Tanh(x=last), transpose_a=True)
            return [last, middle, gradient, raw.Sum(input=raw.Abs(x=middle), axis=[0, 1], keep_dims=False)]

        suite.case(f"chain_{number}_{rows}x{columns}", function, *inputs, rtol=1e-5, atol=3e-6)

    # A network's forward and backward pass by hand.
    for batch, inside, hidden, classes in ((1, 3, 5, 2), (17, 10, 33, 10), (64, 50, 100, 10)):
        def network(x, y, w1, b1, w2, b2):
            before = raw.BiasAdd(value=raw.MatMul(a=x, b=w1), bias=b1)
            after = raw.Relu(features=before)
            logits = raw.BiasAdd(value=raw.MatMul(a=after, b=w2), bias=b2)
            loss, slope = raw.SparseSoftmaxCrossEntropyWithLogits(features=logits, labels=y)
            mean = raw.Mean(input=loss, axis=[0], keep_dims=False)
            slope = slope * (1.0 / int(x.shape[0]))
            back = raw.ReluGrad(gradients=raw.MatMul(a=slope, b=w2, transpose_b=True), features=after)
            hits = raw.Cast(x=raw.Equal(x=raw.ArgMax(input=logits, dimension=1, output_type=tf.int64), y=y), DstT=tf.float32)
            return [mean, raw.Mean(input=hits, axis=[0], keep_dims=False), raw.MatMul(a=x, b=back, transpose_a=True),
                raw.BiasAddGrad(out_backprop=back), raw.MatMul(a=after, b=slope, transpose_a=True), raw.BiasAddGrad(out_backprop=slope), logits]  # fmt: skip
        suite.case(f"network_{batch}x{inside}x{hidden}x{classes}", network, eighths((batch, inside)), rng.randint(0, classes, size=batch).astype(I64),
            normal((inside, hidden)) * F32(0.2), normal((hidden,)), normal((hidden, classes)) * F32(0.2), normal((classes,)), rtol=1e-5, atol=3e-6)  # fmt: skip
    suite.write()

SUITES = [unary, binary, choice, reduction, shape, product, nn, random, optimizer, chain]
