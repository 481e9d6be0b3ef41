# SPDX-License-Identifier: Apache-2.0
"""Each primitive alone, with edge values, against JAX: primitives.py [FAMILY..].

The inputs are a state's variables, so that nothing is computed while compiling. A family is one trainer.
"""
import sys

import ingot.jax
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

F = np.float32
NAN, INF = np.nan, np.inf
edges = np.array([-INF, -3e38, -2.5, -1.5, -1.0, -0.5, -1e-30, -0.0, 0.0, 1e-30, 0.25, 0.5, 1.0, 1.5, 2.5, 80.0, 3e38, INF, NAN], F)
unit = np.array([-1.0, -0.999, -0.5, -1e-6, 0.0, 0.3, 0.7, 0.99999, 1.0], F)
positive = np.array([1e-30, 1e-3, 0.5, 1.0, 1.5, 7.0, 30.0], F)
ints = np.array([-(2**31), -7, -2, -1, 0, 1, 2, 5, 31, 2**31 - 1], np.int32)
others = np.array([3, 2, -3, 1, 5, -1, 7, 0, 2, 4], np.int32)
unsigned = ints.astype(np.uint32)
bools = np.array([True, False, True, True, False])
rng = np.random.RandomState(0)
matrix = rng.normal(size=(5, 7)).astype(F)
cube = rng.normal(size=(3, 4, 5)).astype(F)
pairs = np.stack(np.meshgrid(edges, edges), 0).reshape(2, -1)
images = rng.normal(size=(2, 9, 8, 6)).astype(F)
rows = np.array([0, 4, 2, 2, -1, 7, 1], np.int32)
ties = np.array([[3, 1, NAN, 3, -0.0, 0.0, 1], [1, 1, 1, 0, 0, -INF, INF]], F)


def conv(strides=(1, 1), padding="SAME", lhs=(1, 1), rhs=(1, 1), groups=1, batches=1, numbers=("NHWC", "HWIO", "NHWC")):
    return lambda x, k: lax.conv_general_dilated(x, k, strides, padding, lhs, rhs, numbers, groups, batches)


def kernel(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(F)


def gather(sizes, offset, collapsed, start, mode):
    numbers = lax.GatherDimensionNumbers(offset, collapsed, start)
    return lambda x, i: lax.gather(x, i, numbers, sizes, mode=mode)


def windows(kind, shape, strides, padding="VALID", base=None, dilation=None):
    init, function = {"max": (-INF, lax.max), "min": (INF, lax.min), "sum": (0.0, lax.add)}[kind]
    return lambda x: lax.reduce_window(x, F(init), function, shape, strides, padding, base, dilation)


def gradient(function):
    return lambda x, *more: jax.vjp(lambda x: function(x, *more), x)[1](jnp.cos(function(x, *more)))[0]


CASES = {"elementwise": {}, "integers": {}, "shapes": {}, "reductions": {}, "products": {}, "convolutions": {}, "windows": {},
         "indexing": {}, "sorting": {}, "control": {}, "random": {}, "special": {}, "linalg": {}, "types": {}}
for name in ("neg", "abs", "sign", "floor", "ceil", "exp", "exp2", "expm1", "tanh", "logistic", "square", "is_finite", "erf", "erfc", "cbrt",
             "sin", "cos", "atan", "asinh", "sinh", "cosh"):  # fmt: skip
    values = edges if name not in ("sin", "cos", "sinh", "cosh", "exp", "exp2", "expm1") else np.clip(edges, -90, 80)
    CASES["elementwise"][name] = (getattr(lax, name), values)
for name in ("log", "log1p", "sqrt", "rsqrt", "lgamma", "digamma", "acosh"):
    CASES["elementwise"][name] = (getattr(lax, name), positive + (1 if name == "acosh" else 0))
for name in ("asin", "acos", "atanh", "tan", "erf_inv"):
    CASES["elementwise"][name] = (getattr(lax, name), unit)
for name in ("add", "sub", "mul", "div", "max", "min", "eq", "ne", "lt", "le", "gt", "ge"):
    CASES["elementwise"][name] = (getattr(lax, name), pairs[0], pairs[1])
finite = np.isfinite(pairs).all(0) & (np.abs(pairs) < 1e4).all(0)
CASES["elementwise"].update(
    rem=(lax.rem, pairs[0][finite] * 7, pairs[1][finite] + F(0.3)),
    atan2=(lax.atan2, pairs[0][finite], pairs[1][finite]),
    nextafter=(lax.nextafter, pairs[0][finite], pairs[1][finite]),
    pow=(lax.pow, np.repeat(positive[1:], 4), np.tile(np.array([-2, 0.5, 0, 3], F), 6)),
    pow_integer=(lambda x, y: lax.pow(x, y), np.array([-2, -2, 3, 0, 1.5], F), np.array([3, 2, -2, 0, 5], np.int32)),
    round=(lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), np.append(edges, F(0.49999997))),
    round_even=(lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), edges),
    clamp=(lambda x: lax.clamp(F(-1), x, F(1)), edges),
    clamp_arrays=(lambda a, x, b: lax.clamp(a, x, b), unit - 1, unit * 3, unit + 1),
    select=(lambda x: lax.select(x > 0, x, -x), edges),
    select_scalar=(lambda x: lax.select(x[0] > 0, x, -x), edges),
    select_many=(lambda x: lax.select_n(jnp.arange(19, dtype=jnp.int32) % 3, x, x + 1, x + 2), edges),
    reduce_precision=(lambda x: lax.reduce_precision(x, 8, 7), edges), half=(lambda x: lax.reduce_precision(x, 5, 10), edges),
    **{f"integer_pow{power}": ((lambda power: lambda x: lax.integer_pow(x, power))(power), np.clip(edges, -80, 80)) for power in (-3, -1, 0, 2, 3, 5, 7)})
for name in ("add", "sub", "mul", "div", "rem", "max", "min", "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right_logical",
             "shift_right_arithmetic", "lt", "eq"):  # fmt: skip
    at = "shift" in name
    CASES["integers"][name] = (getattr(lax, name), ints, np.array([0, 1, 31, 32, 33, 5, 2, 100, -1, 30], np.int32) if at else others)
    if name != "shift_right_arithmetic":
        CASES["integers"]["u_" + name] = (getattr(lax, name), unsigned, np.array([0, 1, 31, 32, 33, 5, 2, 100, 7, 30], np.uint32) if at else others.astype(np.uint32))
for name in ("neg", "abs", "sign", "bitwise_not", "population_count", "clz", "square"):
    CASES["integers"][name] = (getattr(lax, name), ints)
CASES["integers"].update(u_neg=(lax.neg, unsigned), u_clz=(lax.clz, unsigned), not_bool=(lax.bitwise_not, bools),
                         and_bool=(lax.bitwise_and, bools, bools[::-1].copy()), xor_bool=(lax.bitwise_xor, bools, bools[::-1].copy()),
                         lt_bool=(lax.lt, bools, bools[::-1].copy()), power=(lambda x: lax.integer_pow(x, 3), ints))
CASES["types"].update(
    to_int=(lambda x: x.astype(jnp.int32), np.append(edges, np.array([2147483520.0, 2147483648.0, -2147483648.0], F))),
    to_uint=(lambda x: x.astype(jnp.uint32), np.append(edges, np.array([4294967040.0, 3e9], F))), to_int8=(lambda x: x.astype(jnp.int8), edges),
    to_uint8=(lambda x: x.astype(jnp.uint8), np.clip(edges, -1e6, 1e6) * 100), to_bool=(lambda x: x.astype(bool), edges), to_bf16=(lambda x: x.astype(jnp.bfloat16).astype(F), edges),
    to_half=(lambda x: x.astype(jnp.float16).astype(F), edges), narrow=(lambda x: x.astype(jnp.int8), ints), from_uint=(lambda x: x.astype(F), unsigned),
    from_bool=(lambda x: x.astype(F), bools), bits=(lambda x: lax.bitcast_convert_type(x, jnp.int32), edges[:-1]), back=(lambda x: lax.bitcast_convert_type(x, F), ints[1:9]),
    bytes=(lambda x: lax.bitcast_convert_type(x, jnp.uint8), ints), bf16=(lambda x: (x.astype(jnp.bfloat16) * 3 + 1).astype(F), matrix),
    half_sum=(lambda x: x.astype(jnp.float16).sum(0).astype(F), matrix))  # fmt: skip
CASES["shapes"].update(
    turned=(lambda x: x.transpose(2, 3, 1, 0).reshape(-1)[::97], kernel(40, 200, 3, 3)), turned_back=(lambda x: x.transpose(3, 2, 0, 1).reshape(-1)[::97], kernel(3, 3, 200, 40)),
    transpose=(lambda x: x.transpose(2, 0, 1), cube), reshape=(lambda x: x.reshape(12, 5), cube), reshape_turned=(lambda x: lax.reshape(x, (20, 3), (2, 1, 0)), cube),
    broadcast=(lambda x: jnp.broadcast_to(x[:, None, :], (5, 3, 7)) + 1, matrix), squeeze=(lambda x: lax.squeeze(x[:1], (0,)), cube), rev=(lambda x: lax.rev(x, (0, 2)), cube),
    concat=(lambda x: jnp.concatenate([x, x * 2], 1), cube), stack=(lambda x: jnp.stack([x, -x], 1), cube), split=(lambda x: jnp.split(x, [1, 3], 1)[1], cube),
    tile=(lambda x: jnp.tile(x, (2, 1, 3)), cube), slices=(lambda x: lax.slice(x, (0, 1, 0), (3, 4, 5), (2, 1, 3)), cube),
    pad=(lambda x: lax.pad(x, F(9), ((1, 2, 0), (0, 1, 2))), matrix), pad_cut=(lambda x: lax.pad(x, F(9), ((-1, 2, 1), (3, -2, 0))), matrix),
    iota=(lambda x: x + lax.broadcasted_iota(F, (5, 7), 1), matrix), iota_long=(lambda x: x[0, 0] * jnp.arange(1000, dtype=F), matrix))  # fmt: skip
for name in ("sum", "max", "min", "prod", "argmax", "argmin"):
    CASES["reductions"][name] = ((lambda name: lambda x: getattr(jnp, name)(x, 1))(name), cube)
CASES["reductions"].update(
    all=(lambda x: jnp.all(x > 0, 0), matrix), any=(lambda x: jnp.any(x > 1, 1), matrix), max_nan=(lambda x: x.max(1), ties), whole=(lambda x: x.sum(), cube),
    argmax_ties=(lambda x: jnp.argmax(x, 1), ties), argmin_ties=(lambda x: jnp.argmin(x, 1), ties), cumsum=(lambda x: lax.cumsum(x, 1), cube),
    cumsum_back=(lambda x: lax.cumsum(x, 2, reverse=True), cube), cumprod=(lambda x: lax.cumprod(x, 0), cube), cummax=(lambda x: lax.cummax(x, 2), cube),
    cummin_back=(lambda x: lax.cummin(x, 1, reverse=True), cube), cumlogsumexp=(lambda x: lax.cumlogsumexp(x, 2), cube), logsumexp=(lambda x: jax.nn.logsumexp(x, 1), matrix),
    reduce=(lambda x: lax.reduce(x, F(2), lax.add, (0, 2)), cube), reduce_max=(lambda x: lax.reduce(x, F(0.5), lax.max, (1,)), cube),
    reduce_int=(lambda x: x[:4].sum(), ints), softmax=(lambda x: jax.nn.softmax(x), matrix))  # fmt: skip
CASES["products"].update(
    matmul=(lambda a, b: a @ b, matrix, matrix.T.copy()), left=(lambda a, b: lax.dot_general(a, b, (((0,), (0,)), ((), ()))), matrix, matrix * 2),
    right=(lambda a, b: lax.dot_general(a, b, (((1,), (1,)), ((), ()))), matrix, matrix * 2), vectors=(lambda a: a[0] @ a[1], matrix), rows=(lambda a, b: a @ b, cube, kernel(5, 2)),
    batch=(lambda a, b: jnp.einsum("bij,bkj->bik", a, b), cube, cube * 2), heads=(lambda a, b: jnp.einsum("bqhd,bkhd->bhqk", a, b), kernel(2, 3, 4, 5), kernel(2, 6, 4, 5)),
    two=(lambda a, b: jnp.einsum("ijk,ljk->li", a, b), cube, cube * 3), outer=(lambda a, b: jnp.einsum("i,j->ij", a, b), positive, positive), last=(lambda a: jnp.einsum("abc,abc->c", a, a), cube),
    bf16=(lambda a, b: lax.dot(a.astype(jnp.bfloat16), b.astype(jnp.bfloat16), preferred_element_type=F), matrix, matrix.T.copy()),
    int8=(lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), rng.randint(-100, 100, (3, 4)).astype(np.int8), rng.randint(-100, 100, (4, 5)).astype(np.int8)))  # fmt: skip
CASES["convolutions"].update(
    same=(conv(), images, kernel(3, 3, 6, 4)), strided=(conv((2, 1), "SAME"), images, kernel(3, 3, 6, 4)), valid=(conv(padding="VALID"), images, kernel(2, 3, 6, 4)),
    padded=(conv(padding=((2, 1), (0, 3))), images, kernel(3, 3, 6, 4)), cut=(conv(padding=((-1, 2), (0, -2))), images, kernel(3, 3, 6, 4)), dilated=(conv(rhs=(2, 1)), images, kernel(3, 3, 6, 4)),
    spread=(conv(lhs=(2, 3), padding=((1, 1), (2, 0))), images, kernel(3, 3, 6, 4)), grouped=(conv(groups=3), images, kernel(3, 3, 2, 9)), depthwise=(conv(groups=6), images, kernel(3, 3, 1, 12)),
    batches=(conv(batches=2, padding="VALID"), images, kernel(3, 3, 6, 4)), nchw=(conv(numbers=("NCHW", "OIHW", "NCHW")), images.transpose(0, 3, 1, 2).copy(), kernel(4, 6, 3, 3)),
    one=(lambda x, k: lax.conv_general_dilated(x, k, (2,), "SAME", dimension_numbers=("NHC", "HIO", "NHC")), kernel(2, 9, 4), kernel(3, 4, 5)),
    three=(lambda x, k: lax.conv_general_dilated(x, k, (1, 2, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC")), kernel(2, 4, 5, 4, 3), kernel(2, 3, 2, 3, 4)),
    gradient_input=(gradient(conv((2, 2), "SAME")), images, kernel(3, 3, 6, 4)), gradient_kernel=(gradient(lambda k, x: conv((2, 2), "SAME")(x, k)), kernel(3, 3, 6, 4), images),
    gradient_grouped=(gradient(lambda k, x: conv((1, 1), "SAME", groups=3)(x, k)), kernel(3, 3, 2, 9), images))  # fmt: skip
CASES["windows"].update(
    max_pool=(windows("max", (1, 2, 2, 1), (1, 2, 2, 1)), images), max_same=(windows("max", (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), images), min_pool=(windows("min", (1, 2, 3, 1), (1, 1, 2, 1)), images),
    sums=(windows("sum", (1, 2, 2, 1), (1, 2, 2, 1)), images), sums_large=(windows("sum", (1, 5, 6, 1), (1, 1, 1, 1)), images), sums_dilated=(windows("sum", (1, 2, 2, 1), (1, 1, 1, 1), "SAME", None, (1, 2, 1, 1)), images),
    sums_spread=(windows("sum", (1, 2, 2, 1), (1, 1, 1, 1), ((0, 0), (1, 1), (0, 1), (0, 0)), (1, 2, 3, 1)), images), channels=(windows("max", (1, 1, 1, 2), (1, 1, 1, 2)), images),
    nchw=(windows("max", (1, 1, 2, 2), (1, 1, 2, 2)), images), gradient=(gradient(windows("max", (1, 2, 2, 1), (1, 2, 2, 1))), images),
    gradient_same=(gradient(windows("max", (1, 3, 3, 1), (1, 2, 2, 1), "SAME")), images), gradient_sums=(gradient(windows("sum", (1, 2, 2, 1), (1, 2, 2, 1))), images),
    gradient_nchw=(gradient(windows("max", (1, 1, 2, 2), (1, 1, 2, 2))), images), line=(windows("max", (1, 3), (1, 2)), matrix))  # fmt: skip
CASES["indexing"].update(
    rows=(lambda x, i: x[i], matrix, rows), fill=(lambda x, i: jnp.take(x, i, 0), matrix, rows), fill_value=(lambda x, i: x.at[i].get(mode="fill", fill_value=-3), matrix, rows),
    clip=(lambda x, i: x.at[i].get(mode="clip"), matrix, rows), columns=(lambda x, i: x[:, i], matrix, rows), pairs=(lambda x, i: x[i, i + 1], matrix, np.array([0, 2, 4, 1], np.int32)),
    along=(lambda x, i: jnp.take_along_axis(x, i, 1), matrix, rng.randint(0, 7, (5, 3)).astype(np.int32)), along_first=(lambda x, i: jnp.take_along_axis(x, i, 0), matrix, rng.randint(0, 5, (2, 7)).astype(np.int32)),
    blocks=(gather((2, 3), (1, 2), (), (0, 1), "clip"), matrix, np.array([[0, 0], [3, 5], [9, -2]], np.int32)),
    vmapped=(lambda x, i: jax.vmap(lambda r, j: r[j])(x, i), matrix, rng.randint(0, 7, (5, 2)).astype(np.int32)), ints=(lambda i, j: jnp.take(i, j), ints, np.array([1, 50, -1, -60], np.int32)),
    dynamic=(lambda x, i: lax.dynamic_slice(x, (i[1], i[0]), (2, 3)), matrix, np.array([1, 2], np.int32)), dynamic_out=(lambda x, i: lax.dynamic_slice(x, (i[1], i[0]), (2, 3)), matrix, np.array([90, -5], np.int32)),
    update=(lambda x, i: lax.dynamic_update_slice(x, x[:2, :3] * 10, (i[1], i[0])), matrix, np.array([90, 1], np.int32)), update_row=(lambda x, i: lax.dynamic_update_slice(x, x[:1] * 10, (i[0], i[1])), matrix, np.array([3, 0], np.int32)),
    add=(lambda x, i: x.at[i].add(1.5), matrix, rows), add_rows=(lambda x, i: x.at[i].add(x[:1] + jnp.arange(7, dtype=F)[:, None]), matrix, rows), subtract=(lambda x, i: x.at[i].subtract(2.0), matrix, rows),
    set=(lambda x, i: x.at[i].set(jnp.ones((4, 7))), matrix, np.array([4, 0, 9, 1], np.int32)), set_clip=(lambda x, i: x.at[i].set(5.0, mode="clip"), matrix, rows), maximum=(lambda x, i: x.at[:, i].max(0.3), matrix, rows),
    minimum=(lambda x, i: x.at[i].min(0.3), matrix, rows), set_pair=(lambda x, i: x.at[i, i].set(7.0), matrix, np.array([0, 2, 8], np.int32)), set_bool=(lambda x, i: x.at[i].set(False), bools, np.array([0, 3], np.int32)),
    batched=(lambda x, i: jax.vmap(lambda r, j: r.at[j].add(2.0))(x, i), matrix, rng.randint(0, 7, (5, 2)).astype(np.int32)),
    multiply=(lambda x, i: x.at[:, i].multiply(1.5), matrix, rows), multiply_twice=(lambda x, i: x.at[i % 2, i].mul(jnp.arange(1, 8, dtype=F)[i]), matrix, np.array([1, 3, 1, 3, 1, 2, 9], np.int32)),
    multiply_integers=(lambda i, j: i.at[j].multiply(3), ints, np.array([1, 50, -1, 1], np.int32)),
    window=(lambda x, i: x.at[i[0]:, :].add(0) if False else lax.scatter_add(x, i, x[:2, :3] * 0 + 1, lax.ScatterDimensionNumbers((0, 1), (), (0, 1))), matrix, np.array([3, 4], np.int32)),
    window_out=(lambda x, i: lax.scatter_add(x, i, x[:2, :3] * 0 + 1, lax.ScatterDimensionNumbers((0, 1), (), (0, 1))), matrix, np.array([4, 4], np.int32)),
    searchsorted=(lambda x: jnp.searchsorted(jnp.sort(x[0]), x[1]), matrix), embedding=(gradient(lambda x, i: jnp.take(x, i, 0)), matrix, rows), boolean=(lambda x: jnp.where(x > 0, x, 0)[:, ::2], matrix))  # fmt: skip
CASES["sorting"].update(
    sort=(lambda x: jnp.sort(x, 1), ties), first=(lambda x: jnp.sort(x, 0), matrix), descending=(lambda x: jnp.sort(x, 1, descending=True), matrix), argsort=(lambda x: jnp.argsort(x, 1), ties),
    two_keys=(lambda x: lax.sort((jnp.round(x), -x, jnp.arange(35, dtype=jnp.int32).reshape(5, 7)), num_keys=2)[2], matrix), integers=(lambda x: jnp.sort(x), ints), unsigned=(lambda x: jnp.sort(x), unsigned),
    booleans=(lambda x: jnp.sort(x), bools), median=(lambda x: jnp.median(x, 1), matrix), quantile=(lambda x: jnp.quantile(x, 0.3), matrix), top=(lambda x: lax.top_k(x, 3)[0], matrix), top_places=(lambda x: lax.top_k(x, 4)[1], ties),
    top_integers=(lambda x: lax.top_k(x, 3)[0], ints), top_approximate=(lambda x: lax.approx_max_k(x, 2)[0], matrix), least=(lambda x: lax.approx_min_k(x, 2)[1], matrix))  # fmt: skip
CASES["control"].update(
    scan=(lambda x: lax.scan(lambda c, r: (c * 0.5 + r, jnp.tanh(c)), x[0], x), matrix), scan_back=(lambda x: lax.scan(lambda c, r: (c * 0.5 + r, c.sum()), x[0], x, reverse=True), matrix),
    scan_count=(lambda x: lax.scan(lambda c, _: (c * 1.1, None), x, None, 4)[0], matrix), scan_gradient=(gradient(lambda x: lax.scan(lambda c, r: (jnp.sin(c + r), c), x[0], x)[1]), matrix),
    while_loop=(lambda x: lax.while_loop(lambda c: c.sum() < 100, lambda c: c * 1.5 + 1, x), matrix), fori=(lambda x: lax.fori_loop(0, 5, lambda i, c: c + i * x[i % 5], x[0]), matrix),
    cond=(lambda x: lax.cond(x[0, 0] > 0, lambda: x * 2, lambda: x - 1), matrix), switch=(lambda x: lax.switch(x[0, 1] + 8, [lambda y: y, lambda y: y * 2, lambda y: y * 3], x[1].astype(F)), np.stack([ints, others])),
    vmapped_while=(lambda x: jax.vmap(lambda r: lax.while_loop(lambda c: c < 3, lambda c: c + jnp.abs(r[0]) + 0.1, r[1]))(x), matrix), vmapped_cond=(lambda x: jax.vmap(lambda r: lax.cond(r[0] > 0, jnp.sin, jnp.cos, r))(x), matrix),
    checkpoint=(gradient(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)))), matrix), nested=(lambda x: lax.scan(lambda c, r: (lax.fori_loop(0, 2, lambda i, d: d + r, c), lax.cond(r[0] > 0, lambda: c, lambda: -c)), x[0], x)[1], matrix),
    associative=(lambda x: lax.associative_scan(jnp.add, x, axis=1), matrix), mapped=(lambda x: lax.map(lambda r: r * r.sum(), x), matrix), relu=(gradient(jax.nn.relu), edges[:-1]), gelu=(jax.nn.gelu, unit))  # fmt: skip
KEY = np.array([7, 11], np.uint32)


def draws(function):
    return lambda k: function(jax.random.wrap_key_data(k))


CASES["random"].update(
    bits=(draws(lambda k: jax.random.bits(k, (3, 5))), KEY), bits8=(draws(lambda k: jax.random.bits(k, (9,), "uint8")), KEY), scalar=(draws(lambda k: jax.random.bits(k)), KEY),
    split=(draws(lambda k: jax.random.key_data(jax.random.split(k, (2, 3)))), KEY), fold=(draws(lambda k: jax.random.key_data(jax.random.fold_in(k, 99))), KEY),
    seed=(lambda s: jax.vmap(lambda one: jax.random.key_data(jax.random.key(one)))(s), ints), uniform=(draws(lambda k: jax.random.uniform(k, (4, 3), minval=-2, maxval=3)), KEY),
    normal=(draws(lambda k: jax.random.normal(k, (50,))), KEY), bernoulli=(draws(lambda k: jax.random.bernoulli(k, 0.3, (40,))), KEY), integers=(draws(lambda k: jax.random.randint(k, (30,), -5, 100)), KEY),
    shuffled=(draws(lambda k: jax.random.permutation(k, 20)), KEY), categorical=(lambda k, x: jax.random.categorical(jax.random.wrap_key_data(k), x), KEY, matrix),
    vmapped=(draws(lambda k: jax.vmap(lambda one: jax.random.uniform(jax.random.fold_in(one, 3), (4,)))(jax.random.split(k, 5))), KEY), raw=(lambda k: jax.random.uniform(k, (3,)), KEY),
    truncated=(draws(lambda k: jax.random.truncated_normal(k, -1, 1, (20,))), KEY), exponential=(draws(lambda k: jax.random.exponential(k, (20,))), KEY),
    gumbel=(draws(lambda k: jax.random.gumbel(k, (20,))), KEY))  # fmt: skip
CASES["special"].update(
    gamma=(draws(lambda k: jax.random.gamma(k, jnp.array([0.5, 2.0, 7.0]))), KEY), igamma=(lax.igamma, positive, positive[::-1].copy()), igammac=(lax.igammac, positive, positive[::-1].copy()),
    bessel=(lax.bessel_i0e, edges[2:15]), betainc=(lambda x: lax.betainc(x + 1, x + 2, x / 40), positive))  # fmt: skip
spd = (matrix @ matrix.T + 5 * np.eye(5)).astype(F)
CASES["linalg"].update(
    cholesky=(lambda a: jnp.linalg.cholesky(a), spd), solve_lower=(lambda a, b: jax.scipy.linalg.solve_triangular(jnp.tril(a), b, lower=True), spd, matrix),
    solve_transposed=(lambda a, b: jax.scipy.linalg.solve_triangular(jnp.triu(a), b, trans=1), spd, matrix), solve_unit=(lambda a, b: jax.scipy.linalg.solve_triangular(jnp.tril(a), b, lower=True, unit_diagonal=True), spd / 9, matrix),
    solve_right=(lambda a, b: lax.linalg.triangular_solve(jnp.tril(a), b, left_side=False, lower=True), spd, matrix.T.copy()), spd=(lambda a, b: jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a), True), b), spd, matrix))  # fmt: skip


# Where XLA itself is no more exact: lgamma at 1, and bfloat16, whose intermediate results XLA does not round.
TOLERANCES = {"igamma": 1e-5, "lgamma": 1e-6, "bf16": 2**-7, "half_sum": 2**-9}


def compare(family, cases):
    state = {name: list(inputs) for name, (_, *inputs) in cases.items()}

    def run(state, x):
        return {name: function(*state[name]) for name, (function, *_) in cases.items()}

    def step(state, batch):
        return state, {"loss": batch.sum()}

    trainer = ingot.jax.compile(step, state, np.zeros((4, 1), F), family, batch_size=2, signatures={"all": (run, np.zeros((1,), F))})
    trainer.fit(max_steps=1, model_dir=f"{family}-run", verbose=False)
    entry = trainer._entry("all")
    found = trainer._call("all", {feed["name"]: np.zeros((1,), F) for feed in entry["feeds"]}, entry, trainer._folders(None))
    wrong = []
    for name, (function, *inputs) in cases.items():
        expected = [np.asarray(one) for one in jax.tree.leaves(jax.jit(function)(*(jnp.asarray(one) for one in inputs)))]
        ours = [found[key] for key in sorted(found, key=lambda one: (len(one), one)) if key == name or key.startswith(name + "/")]
        assert len(expected) == len(ours), (name, sorted(found))
        for one, other in zip(expected, ours):
            tolerance = TOLERANCES.get(name, 2e-6 if one.dtype == np.float32 else 0)
            scale = np.max(np.abs(one[np.isfinite(one)]), initial=1e-30) if family in ("products", "convolutions", "linalg", "windows", "reductions") else 0
            same = one.shape == other.shape and one.dtype == other.dtype and np.allclose(other, one, rtol=2 * tolerance, atol=tolerance * max(scale, name in TOLERANCES) + 1e-37, equal_nan=one.dtype.kind == "f")
            if not same:
                wrong.append(f"{family} {name}:\n  JAX   {one.dtype}{one.shape} {one.ravel()[:24]}\n  Ingot {other.dtype}{other.shape} {other.ravel()[:24]}")
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    failed = []
    for family in sys.argv[1:] or CASES:
        try:
            compare(family, CASES[family])
        except (AssertionError, ingot.jax.Error) as error:
            failed.append(f"{family}: {error}")
    assert not failed, "\n".join(failed)
    print("passed")
