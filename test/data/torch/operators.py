# SPDX-License-Identifier: Apache-2.0
"""Each ATen op alone, with edge values, against PyTorch: operators.py [FAMILY..].

The inputs are buffers, so that nothing is computed while compiling. A family is one trainer. In the family `gradients`
the inputs are parameters, of which one step of SGD subtracts the gradient.
"""
import sys

import ingot.torch
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

A = torch.ops.aten
NAN, INF = float("nan"), float("inf")
edges = torch.tensor([-INF, -3e38, -2.5, -1.5, -1.0, -0.5, -1e-30, -0.0, 0.0, 1e-30, 0.25, 0.5, 1.0, 1.5, 2.5, 80.0, 3e38, INF, NAN])
mild = torch.tensor([-30.0, -7.5, -2.5, -1.0, -0.3, -1e-6, 0.0, 1e-6, 0.4, 1.0, 3.0, 25.0])
unit = torch.tensor([-1.0, -0.999, -0.5, -1e-6, 0.0, 0.3, 0.7, 0.99999, 1.0])
positive = torch.tensor([1e-30, 1e-3, 0.5, 1.0, 1.5, 7.0, 30.0])
ints = torch.tensor([-(2**31), -7, -2, -1, 0, 1, 2, 5, 31, 2**31 - 1], dtype=torch.int32)
longs = torch.tensor([-(2**40), -7, -2, -1, 0, 1, 2, 5, 31, 2**40])
divisors = torch.tensor([3, 2, -3, 1, 5, -1, 7, 4, 2, 4], dtype=torch.int32)
bytes_ = torch.tensor([0, 1, 7, 128, 255], dtype=torch.uint8)
bools = torch.tensor([True, False, True, True, False])
pairs = torch.stack(torch.meshgrid(edges, edges, indexing="ij")).reshape(2, -1)
finite = (torch.isfinite(pairs).all(0) & (pairs.abs() < 1e4).all(0))
torch.manual_seed(0)
matrix, cube, images = torch.randn(5, 7), torch.randn(3, 4, 5), torch.randn(2, 6, 9, 8)
ties = torch.tensor([[3, 1, NAN, 3, -0.0, 0.0, 1], [1, 1, 1, 0, 0, -INF, INF]])
rows = torch.tensor([0, 4, 2, 2, 1])
half = torch.bfloat16


def randn(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def one(name):
    return getattr(torch, name)


CASES = {"elementwise": {}, "integers": {}, "types": {}, "shapes": {}, "reductions": {}, "products": {}, "convolutions": {}, "pooling": {},
         "indexing": {}, "normalization": {}}  # fmt: skip
E_ = CASES["elementwise"]
for name in ("neg", "abs", "sign", "floor", "ceil", "trunc", "round", "frac", "square", "isnan", "isinf", "isfinite", "erf", "erfc", "tanh", "sigmoid", "relu", "atan",
             "asinh", "logical_not", "reciprocal"):  # fmt: skip
    E_[name] = (one(name), edges)
for name in ("exp", "expm1", "exp2", "sin", "cos", "sinh", "cosh"):
    E_[name] = (one(name), mild)
for name in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "lgamma", "digamma"):
    E_[name] = (one(name), positive)
E_["acosh"] = (torch.acosh, positive + 1)
for name in ("asin", "acos", "atanh", "tan"):
    E_[name] = (one(name), unit)
for name in ("add", "sub", "mul", "div", "maximum", "minimum", "fmax", "fmin", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"):
    E_[name] = (one(name), pairs[0], pairs[1])
for name in ("remainder", "fmod", "floor_divide", "atan2"):
    E_[name] = (one(name), pairs[0][finite] * 7, pairs[1][finite] + 0.3)
for name in ("gelu", "silu", "elu", "selu", "celu", "leaky_relu", "softplus", "hardtanh", "hardswish", "hardsigmoid", "relu6", "mish", "logsigmoid", "softsign", "tanhshrink",
             "hardshrink", "softshrink"):  # fmt: skip
    E_["f_" + name] = (getattr(F, name), mild)
E_.update(
    gelu_tanh=(lambda x: F.gelu(x, approximate="tanh"), mild), elu_alpha=(lambda x: F.elu(x, 0.5), mild), leaky=(lambda x: F.leaky_relu(x, 0.2), edges),
    softplus_beta=(lambda x: F.softplus(x, 2.0, 3.0), mild), threshold=(lambda x: F.threshold(x, 0.1, 20.0), mild), clamp=(lambda x: x.clamp(-1, 1), edges),
    clamp_min=(lambda x: x.clamp(min=0.25), edges), clamp_tensors=(lambda x, a: torch.clamp(x, a - 1, a + 1), unit * 3, unit), alpha=(lambda x, y: torch.add(x, y, alpha=2.5), unit, unit * 2),
    sub_alpha=(lambda x, y: torch.sub(x, y, alpha=-3), unit, unit * 2), rsub=(lambda x: 2 - x, edges), scalar_div=(lambda x: 1 / x, edges), div_floor=(lambda x, y: torch.div(x, y, rounding_mode="floor"), mild * 3, mild + 0.2),
    div_trunc=(lambda x, y: torch.div(x, y, rounding_mode="trunc"), mild * 3, mild + 0.2), floor_zero=(lambda x: torch.div(x, torch.zeros_like(x), rounding_mode="floor"), edges),
    pow=(torch.pow, positive[1:].repeat_interleave(4), torch.tensor([-2, 0.5, 0, 3.0]).repeat(6)), pow_scalar=(lambda x: 2.0 ** x, mild),
    **{f"pow_{str(p).replace('.', '_').replace('-', 'm')}": ((lambda p: lambda x: x**p)(p), edges if float(p).is_integer() else positive) for p in (0, 1, 2, 3, -1, -2, 0.5, -0.5, 4, 1.5)},
    where=(lambda x: torch.where(x > 0, x, -1.0), edges), where_scalar=(lambda x: torch.where(x[0] < 0, x, x + 1), edges), where_wide=(lambda x: torch.where(x[:, None] > 0, x, 2.0), unit), masked=(lambda x: x.masked_fill(x > 0, -5), edges),
    lerp=(lambda x, y: torch.lerp(x, y, 0.7), unit, unit + 2), addcmul=(lambda x, y: torch.addcmul(x, y, y, value=0.5), unit, unit + 2), addcdiv=(lambda x, y: torch.addcdiv(x, y, y + 3, value=0.5), unit, unit + 2),
    nan_to_num=(torch.nan_to_num, edges), xlogy=(lambda x, y: torch.xlogy(x, y), unit.abs(), unit.abs() + 0.1), heaviside=(lambda x: torch.heaviside(x, x * 0 + 0.5), mild),
    logaddexp=(torch.logaddexp, unit * 9, unit), hypot=(torch.hypot, unit, unit + 1), logit=(lambda x: torch.logit(x.abs() * 0.9 + 0.05), unit), half_add=(lambda x: (x.to(half) + 0.1).float(), unit), half_mul=(lambda x: (x.to(half) * 1.001 + x.to(half)).float(), unit),
    broadcast=(lambda x, y: x * y[:, None] + 1, matrix, rows.float()), scalars=(lambda x: x * x[0] + x[1], unit), rad=(torch.deg2rad, mild))  # fmt: skip
I_ = CASES["integers"]
for name in ("add", "sub", "mul", "maximum", "eq", "lt", "bitwise_and", "bitwise_or", "bitwise_xor"):
    I_[name] = (one(name), ints, divisors)
    I_["long_" + name] = (one(name), longs, divisors.long())
for name in ("floor_divide", "remainder", "fmod"):
    I_[name] = (one(name), ints, divisors)
for name in ("neg", "abs", "sign", "bitwise_not", "square", "floor", "relu"):
    I_[name] = (one(name), ints)
I_.update(
    true_div=(lambda x, y: x / y, ints, divisors), trunc_div=(lambda x, y: torch.div(x, y, rounding_mode="trunc"), ints, divisors), power=(lambda x: x**3, ints), mixed=(lambda x, y: x * 2.5 + y, ints, divisors.long()),
    not_bool=(torch.bitwise_not, bools), and_bool=(lambda x: x & x.flip(0), bools), xor_bool=(lambda x: x ^ x.flip(0), bools), add_bool=(lambda x: x + x, bools), mul_bool=(lambda x: x * x.flip(0), bools), lt_bool=(lambda x: x < x.flip(0), bools),
    left=(lambda x: x << 3, ints), right=(lambda x: x >> 2, ints), shifts=(lambda x, y: x >> y.abs(), ints, divisors), bytes=(lambda x: x + 1, bytes_), byte_sub=(lambda x: -x, bytes_), byte_div=(lambda x: x // 2, bytes_),
    compare_float=(lambda x: x > 0.5, ints), compare_big=(lambda x: x == 2**40, longs), sum=(lambda x: x[1:9].sum(), ints), mean=(lambda x: x.float().mean(), divisors), cumsum=(lambda x: x.cumsum(0), divisors), any=(lambda x: (x > 3).any(), ints),
    all=(lambda x: (x > 3).all(), ints), masks=(lambda x: x * (x > 1), divisors))  # fmt: skip
CASES["types"].update(
    to_int=(lambda x: x.to(torch.int32), mild), to_long=(lambda x: x.long(), mild * 1000), to_bool=(lambda x: x.bool(), edges), to_half=(lambda x: x.half().float(), mild), to_bfloat=(lambda x: x.to(half).float(), edges),
    to_double=(lambda x: x.double() / 3, mild), from_bool=(lambda x: x.float() * 2, bools), from_long=(lambda x: x.float(), longs), from_byte=(lambda x: x.float() / 255, bytes_), promoted=(lambda x, y: x + y, bools, torch.ones(5)),
    double=(lambda x: (x.double() ** 2).sum(), mild), bits=(lambda x: x.view(torch.int32), edges[:-1]), half_matmul=(lambda x: (x.to(half) @ x.to(half).T).float(), matrix), half_sum=(lambda x: x.to(half).sum(0).float(), matrix))  # fmt: skip
S_ = CASES["shapes"]
S_.update(
    kernel=(lambda x: x.permute(2, 3, 1, 0).reshape(-1)[::97], randn(40, 200, 3, 3)), kernel_back=(lambda x: x.permute(3, 2, 0, 1).reshape(-1)[::97], randn(3, 3, 200, 40)),
    permute=(lambda x: x.permute(2, 0, 1), cube), transpose=(lambda x: x.transpose(0, -1), cube), t=(lambda x: x.t(), matrix), reshape=(lambda x: x.reshape(12, 5), cube), view_turned=(lambda x: x.transpose(0, 1).reshape(-1), cube),
    flatten=(lambda x: x.flatten(1), cube), unsqueeze=(lambda x: x.unsqueeze(1), cube), squeeze=(lambda x: x[:1].squeeze(0), cube), expand=(lambda x: x[:, None].expand(-1, 3, -1) + 0, matrix), repeat=(lambda x: x.repeat(2, 1, 3), matrix), cat=(lambda x: torch.cat([x, x * 2], 1), cube),
    cat_types=(lambda x, y: torch.cat([x, y]), bools, rows), stack=(lambda x: torch.stack([x, -x], 1), cube), slices=(lambda x: x[:, 1:, ::2], cube), negative=(lambda x: x[:, -3:-1], cube), select=(lambda x: x[:, -1], cube), split=(lambda x: x.split([1, 3], 1)[1], cube), chunk=(lambda x: x.chunk(3, 2)[1], cube),
    unbind=(lambda x: x.unbind(1)[2], cube), flip=(lambda x: x.flip(0, 2), cube), roll=(lambda x: x.roll((1, -2), (0, 1)), cube), roll_flat=(lambda x: x.roll(3), matrix), pad=(lambda x: F.pad(x, (1, 2, 0, 1), value=9.0), matrix), pad_cut=(lambda x: F.pad(x, (-1, 2, 1, -2)), matrix),
    reflect=(lambda x: F.pad(x, (1, 2, 3, 1), mode="reflect"), images), replicate=(lambda x: F.pad(x, (1, 2, 3, 1), mode="replicate"), images), circular=(lambda x: F.pad(x, (1, 2, 3, 1), mode="circular"), images), tril=(lambda x: x.tril(-1), matrix), triu=(lambda x: x.triu(1), cube), diagonal=(lambda x: x.diagonal(1, 0, 1), matrix),
    diagonal_low=(lambda x: x.diagonal(-1, 1, 2), cube), diag_embed=(lambda x: torch.diag_embed(x), matrix), put=(lambda x: x.index_fill(1, torch.tensor([0, 2]), 5.0), matrix), assign=(lambda x: assigned(x, lambda y: y[1:3].fill_(7)), matrix), assign_steps=(lambda x: assigned(x, lambda y: y[:, 1::2].mul_(3)), matrix), assign_one=(lambda x: assigned(x, lambda y: y[2].add_(1)), matrix),
    arange=(lambda x: x + torch.arange(7), matrix), arange_step=(lambda x: x + torch.arange(1, 15, 2), matrix), arange_float=(lambda x: x + torch.arange(0, 0.7, 0.1), matrix), linspace=(lambda x: x * torch.linspace(0, 1, 7), matrix), eye=(lambda x: x @ torch.eye(7), matrix), full=(lambda x: torch.full_like(x, 3) + torch.ones(7) + torch.zeros(5, 1), matrix),
    strided=(lambda x: x.as_strided((3, 2), (2, 7), 1), matrix), unfold=(lambda x: x.unfold(1, 3, 2), matrix), im2col=(lambda x: F.unfold(x, 3, padding=1, stride=2), images), fold=(lambda x: F.fold(x, (4, 5), 2), randn(2, 12, 12)), shuffle=(lambda x: F.pixel_shuffle(x.repeat(1, 2, 1, 1), 2), images), unshuffle=(lambda x: F.pixel_unshuffle(x[:, :, :8], 2), images),
    meshgrid=(lambda x: torch.meshgrid(x[0], x[1], indexing="ij")[1], matrix), one_hot=(lambda x: F.one_hot(x, 6), rows), rot=(lambda x: x.rot90(1, (0, 1)), cube), movedim=(lambda x: x.movedim(0, 2), cube), tensor=(lambda x: x * torch.tensor([1.0, 2, 3, 4, 5, 6, 7]), matrix))  # fmt: skip


def assigned(x, change):
    y = x.clone()
    change(y)
    return y


R_ = CASES["reductions"]
for name in ("sum", "mean", "prod", "amax", "amin", "var", "std", "argmax", "argmin", "logsumexp", "softmax", "log_softmax", "cumsum", "cumprod", "logcumsumexp"):
    R_[name] = ((lambda name: lambda x: getattr(torch, name)(x, 1))(name), cube)
for name in ("max", "min", "cummax", "cummin"):
    R_[name] = ((lambda name: lambda x: getattr(torch, name)(x, 1))(name), ties)
R_.update(
    sum_all=(lambda x: x.sum(), cube), sum_keep=(lambda x: x.sum((0, 2), keepdim=True), cube), mean_all=(lambda x: x.mean(), cube), var_biased=(lambda x: x.var((0, 1), unbiased=False), cube), var_mean=(lambda x: torch.var_mean(x, 1, correction=2), cube), std_mean=(lambda x: torch.std_mean(x, 1), cube), any=(lambda x: (x > 1).any(1), matrix), all=(lambda x: (x > -2).all(0), matrix),
    max_all=(lambda x: x.max(), cube), argmax_ties=(lambda x: x.argmax(1), ties), argmin_flat=(lambda x: x.argmin(), cube), amax_nan=(lambda x: x.amax(1, keepdim=True), ties), norm=(lambda x: x.norm(dim=1), cube), norm1=(lambda x: torch.linalg.vector_norm(x, 1, 1), cube), norm3=(lambda x: torch.linalg.vector_norm(x, 3, 1), cube), norm_inf=(lambda x: torch.linalg.vector_norm(x, INF), cube),
    sort=(lambda x: x.sort(1), ties[:, [0, 1, 3, 4, 6]]), sort_down=(lambda x: torch.sort(x, stable=True, dim=0, descending=True), matrix), argsort=(lambda x: x.argsort(1), matrix), topk=(lambda x: x.topk(3, 1), matrix), topk_least=(lambda x: x.topk(2, 0, largest=False), matrix), median=(lambda x: x.sort(1)[0][:, 3], matrix), softmax0=(lambda x: x.softmax(0), cube),
    softmax_big=(lambda x: (x * 100).softmax(-1), cube), half_softmax=(lambda x: x.to(half).softmax(-1).float(), cube), logsumexp_inf=(lambda x: torch.logsumexp(x, 1), torch.tensor([[-INF, -INF], [1.0, INF], [1.0, 2.0]])), count=(lambda x: torch.count_nonzero(x > 0, 1), matrix), nansum=(lambda x: x.nansum(1), ties), cosine=(lambda x, y: F.cosine_similarity(x, y), matrix, matrix + 1),
    normalize=(lambda x: F.normalize(x, dim=1), matrix), cdist=(lambda x, y: torch.cdist(x, y), matrix, randn(3, 7)), cross=(lambda x: F.cross_entropy(x, torch.tensor([0, 1, -100, 3, 6])), matrix), smooth=(lambda x: F.cross_entropy(x, torch.tensor([0, 1, 2, 3, 6]), label_smoothing=0.1), matrix), weighted=(lambda x: F.cross_entropy(x, torch.tensor([0, 1, 2, 3, 6]), x.abs().sum(0)), matrix),
    nll2d=(lambda x: F.nll_loss(x, torch.zeros(2, 9, 8, dtype=torch.long)), images), bce=(lambda x: F.binary_cross_entropy(x.sigmoid(), (x > 0).float()), matrix), logits=(lambda x: F.binary_cross_entropy_with_logits(x, (x > 0).float(), pos_weight=torch.tensor(2.0)), matrix), kl=(lambda x: F.kl_div(x, x.softmax(1), reduction="batchmean"), matrix), huber=(lambda x: F.huber_loss(x, x * 2, delta=0.7), matrix), l1=(lambda x: F.l1_loss(x, x * 2), matrix),
    margin=(lambda x: F.multi_margin_loss(x, torch.tensor([0, 1, 2, 3, 6])), matrix), triplet=(lambda x: F.triplet_margin_loss(x, x * 2, x + 1), matrix), poisson=(lambda x: F.poisson_nll_loss(x, x.abs()), matrix))  # fmt: skip
CASES["products"].update(
    mm=(lambda a, b: a @ b, matrix, matrix.T.contiguous()), mm_turned=(lambda a, b: a.T @ b, matrix, matrix * 2), mm_right=(lambda a, b: a @ b.T, matrix, matrix * 2), mv=(lambda a: a @ a[0], matrix), dot=(lambda a: a[0] @ a[1], matrix), rows=(lambda a, b: a @ b, cube, randn(5, 2)), bmm=(lambda a, b: torch.bmm(a, b.transpose(1, 2)), cube, cube * 2),
    batches=(lambda a, b: a @ b, randn(2, 1, 4, 5), randn(3, 5, 2)), addmm=(lambda a, b: torch.addmm(b, a, a.T, beta=0.5, alpha=2), matrix, randn(5)), addmm_zero=(lambda a: torch.addmm(torch.full((5, 5), NAN), a, a.T, beta=0), matrix), baddbmm=(lambda a: torch.baddbmm(a @ a.mT, a, a.mT, beta=2, alpha=0.5), cube), linear=(lambda a, b: F.linear(a, b, b[:, 0]), cube, randn(3, 5)),
    einsum=(lambda a, b: torch.einsum("bij,bkj->bik", a, b), cube, cube * 2), heads=(lambda a, b: torch.einsum("bqhd,bkhd->bhqk", a, b), randn(2, 3, 4, 5), randn(2, 6, 4, 5)), outer=(lambda a: torch.outer(a[0], a[1]), matrix), tensordot=(lambda a, b: torch.tensordot(a, b, ([1, 2], [0, 1])), cube, randn(4, 5, 2)), bilinear=(lambda a, b: F.bilinear(a, a, b), matrix, randn(3, 7, 7)),
    attention=(lambda q, k: F.scaled_dot_product_attention(q, k, k, is_causal=True), randn(2, 2, 5, 4), randn(2, 2, 5, 4)), masked=(lambda q, k: F.scaled_dot_product_attention(q, k, k, (torch.arange(6) < 4)[None]), randn(2, 2, 5, 4), randn(2, 2, 6, 4)), kron=(lambda a: torch.kron(a[:2, :2], a[:2]), matrix))  # fmt: skip
V_ = CASES["convolutions"]
V_.update(
    plain=(lambda x, k: F.conv2d(x, k), images, randn(4, 6, 3, 3)), same=(lambda x, k: F.conv2d(x, k, k[:, 0, 0, 0], padding=1), images, randn(4, 6, 3, 3)), strides=(lambda x, k: F.conv2d(x, k, stride=(2, 3), padding=(1, 2)), images, randn(4, 6, 3, 3)), dilated=(lambda x, k: F.conv2d(x, k, padding=2, dilation=2), images, randn(4, 6, 3, 3)), even=(lambda x, k: F.conv2d(x, k, padding=1), images, randn(4, 6, 2, 4)),
    groups=(lambda x, k: F.conv2d(x, k, groups=3, padding=1), images, randn(6, 2, 3, 3)), depthwise=(lambda x, k: F.conv2d(x, k, groups=6, padding=1), images, randn(12, 1, 3, 3)), depth_stride=(lambda x, k: F.conv2d(x, k, groups=6, stride=2, padding=1), images, randn(6, 1, 3, 3)), depth_mixed=(lambda x, k: F.conv2d(x, k, groups=6, stride=(2, 1), dilation=(1, 2)), images, randn(6, 1, 3, 3)), text=(lambda x, k: F.conv2d(x, k, padding="same"), images, randn(4, 6, 3, 3)),
    line=(lambda x, k: F.conv1d(x, k, padding=1, stride=2), cube, randn(6, 4, 3)), line_group=(lambda x, k: F.conv1d(x, k, groups=2, dilation=2), cube, randn(6, 2, 2)), volume=(lambda x, k: F.conv3d(x, k, padding=1, stride=2), randn(2, 2, 5, 4, 6), randn(3, 2, 3, 3, 3)), single=(lambda x, k: F.conv2d(x[0], k), images, randn(4, 6, 3, 3)),
    transposed=(lambda x, k: F.conv_transpose2d(x, k), images, randn(6, 4, 3, 3)), transposed_stride=(lambda x, k: F.conv_transpose2d(x, k, k[0, :, 0, 0], stride=2, padding=1, output_padding=1), images, randn(6, 4, 3, 3)), transposed_group=(lambda x, k: F.conv_transpose2d(x, k, groups=2, stride=2), images, randn(6, 2, 3, 2)), transposed_line=(lambda x, k: F.conv_transpose1d(x, k, stride=3), cube, randn(4, 2, 3)),
    transposed_volume=(lambda x, k: F.conv_transpose3d(x, k, stride=2), randn(2, 2, 3, 4, 3), randn(2, 3, 2, 2, 2)), transposed_dilated=(lambda x, k: F.conv_transpose2d(x, k, dilation=2, padding=1), images, randn(6, 4, 3, 3)))  # fmt: skip
P_ = CASES["pooling"]
P_.update(
    max=(lambda x: F.max_pool2d(x, 2), images), max_pad=(lambda x: F.max_pool2d(x, 3, 2, 1), images), max_ceil=(lambda x: F.max_pool2d(x, (2, 3), 3, ceil_mode=True), images), max_line=(lambda x: F.max_pool1d(x, 2), cube), max_places=(lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), images.round()), max_single=(lambda x: F.max_pool2d(x[0], 2), images), avg=(lambda x: F.avg_pool2d(x, 2), images),
    avg_pad=(lambda x: F.avg_pool2d(x, 3, 2, 1), images), avg_inside=(lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), images), avg_ceil=(lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True), images), avg_divisor=(lambda x: F.avg_pool2d(x, 2, divisor_override=3), images), avg_line=(lambda x: F.avg_pool1d(x, 3, 1, 1), cube), adaptive=(lambda x: F.adaptive_avg_pool2d(x, (4, 3)), images), adaptive_one=(lambda x: F.adaptive_avg_pool2d(x, 1), images),
    adaptive_line=(lambda x: F.adaptive_avg_pool1d(x, 2), cube), nearest=(lambda x: F.interpolate(x, scale_factor=2), images), nearest_size=(lambda x: F.interpolate(x, size=(5, 11)), images), exact=(lambda x: F.interpolate(x, size=(5, 11), mode="nearest-exact"), images), bilinear=(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), images), bilinear_size=(lambda x: F.interpolate(x, size=(5, 11), mode="bilinear"), images),
    corners=(lambda x: F.interpolate(x, size=(5, 11), mode="bilinear", align_corners=True), images), cubic=(lambda x: F.interpolate(x, size=(5, 11), mode="bicubic"), images), linear=(lambda x: F.interpolate(x, scale_factor=2, mode="linear"), cube), grid=(lambda x: F.grid_sample(x, torch.linspace(-1.1, 1.1, 2 * 4 * 5 * 2).reshape(2, 4, 5, 2), align_corners=False), images), lp=(lambda x: F.lp_pool2d(x.abs(), 2, 2), images))  # fmt: skip
X_ = CASES["indexing"]
table = randn(6, 3)
X_.update(
    embedding=(lambda x, i: F.embedding(i, x), table, torch.tensor([[0, 5], [2, 2]])), rows=(lambda x, i: x[i], table, rows), negative=(lambda x, i: x[-i - 1], table, rows), columns=(lambda x, i: x[:, i % 3], table, rows), points=(lambda x, i: x[i, i % 3], table, rows), pairs=(lambda x, i: x[i[:, None], torch.tensor([0, 2])], table, rows), apart=(lambda x, i: x[i % 3, :, i], cube, rows), inner=(lambda x, i: x[:, i % 4, i], cube, rows),
    gather=(lambda x, i: x.gather(1, i), table, torch.tensor([[0, 2], [1, 1], [2, 0]])), gather0=(lambda x, i: x.gather(0, i), table, torch.tensor([[0, 2, 5], [1, 1, 4]])), along=(lambda x: x.take_along_dim(x.argsort(1), 1), table), take=(lambda x, i: x.take(i), table, torch.tensor([0, 17, -1])), index_select=(lambda x, i: x.index_select(0, i), table, rows), scatter=(lambda x, i: torch.zeros(4, 6).scatter(1, i[None].repeat(4, 1)[:, :3] + torch.tensor([0, 0, 1]), x[:4, :3]), table, rows),
    scatter_value=(lambda x, i: torch.zeros(5, 6).scatter(1, i[:, None], 2.5), table, rows), scatter_add=(lambda x, i: torch.zeros(4, 3).scatter_add(0, i[:, None].repeat(1, 3) % 4, x[:5]), table, rows), scatter_max=(lambda x, i: torch.zeros(4, 3).scatter_reduce(0, i[:, None].repeat(1, 3) % 4, x[:5], "amax"), table, rows), put=(lambda x, i: x.index_put((i,), torch.ones(5, 3)), table, rows), put_add=(lambda x, i: x.index_put((i,), x[:5], accumulate=True), table, rows),
    put_points=(lambda x, i: x.index_put((i, i % 3), torch.tensor(9.0)), table, rows), put_columns=(lambda x, i: assigned(x, lambda y: y.__setitem__((slice(None), (i % 3)[:2]), 3.0)), table, rows), put_mask=(lambda x: assigned(x, lambda y: y.__setitem__(y > 0, -1.0)), table), index_add=(lambda x, i: x.index_add(0, i, x[:5], alpha=2), table, rows), index_copy=(lambda x, i: x.index_copy(0, i[:3], x[3:]), table, torch.tensor([4, 0, 2])), searchless=(lambda x, i: (x[:, 0][:, None] > x[:, 1]).sum(1), table, rows),
    backward=(lambda g, i: A.embedding_dense_backward(g, i, 6, 2, False), randn(5, 3), rows), backward_frequency=(lambda g, i: A.embedding_dense_backward(g, i, 6, -1, True), randn(5, 3), rows), tril_indices=(lambda x: x[:3, :3][torch.tril_indices(3, 3).unbind()], table), known=(lambda x: x[torch.tensor([0, 2, 3])], table))  # fmt: skip
N_ = CASES["normalization"]
N_.update(
    layer=(lambda x, a: F.layer_norm(x, (5,), a, a - 1), cube, randn(5)), layer_two=(lambda x: F.layer_norm(x, (4, 5)), cube), layer_half=(lambda x: F.layer_norm(x.to(half), (5,)).float(), cube), group=(lambda x, a: F.group_norm(x, 3, a, a - 1), images, randn(6)), instance=(lambda x: F.instance_norm(x), images), rms=(lambda x, a: F.rms_norm(x, (5,), a), cube, randn(5)),
    batch=(lambda x, a: F.batch_norm(x, a, a.abs(), a, a - 1), images, randn(6)), batch_line=(lambda x, a: F.batch_norm(x, a, a.abs()), matrix, randn(7)), batch_trains=(lambda x: F.batch_norm(x, None, None, training=True), images), weight=(lambda x: torch._weight_norm(x, x[:, :1].abs() + 1, 0), matrix))  # fmt: skip

# What bfloat16 rounds otherwise, and where torch itself is no more exact.
TOLERANCES = {"lgamma": 1e-6, "half_sum": 2**-7, "half_matmul": 2**-7, "half_softmax": 2**-7, "layer_half": 2**-6, "half_mul": 2**-7, "digamma": 5e-6, "half_add": 2**-8, "cdist": 2e-5,
              "exp2": 4e-6, "cubic": 1e-5, "pow": 4e-6, "pow_scalar": 4e-6}  # fmt: skip


class Inputs(nn.Module):
    """Has the inputs of all cases as buffers, or as parameters."""

    def __init__(self, cases, as_parameters):
        super().__init__()
        self.cases = cases
        self.start = nn.Parameter(torch.zeros(1))
        for name, (_, *inputs) in cases.items():
            for index, value in enumerate(inputs):
                value = value.clone().contiguous()
                if as_parameters and value.is_floating_point():
                    self.register_parameter(f"{name}__{index}", nn.Parameter(value))
                else:
                    self.register_buffer(f"{name}__{index}", value)

    def given(self, name):
        return [getattr(self, f"{name}__{index}") for index in range(len(self.cases[name]) - 1)]

    def forward(self, x):
        return {name: function(*self.given(name)) for name, (function, *_) in self.cases.items()}


def compare(family, cases):
    model = Inputs(cases, False)
    trainer = ingot.torch.compile(model, None, torch.optim.SGD([model.start], 0.1), torch.zeros(4, 1), family, batch_size=2,
                                  training_step=lambda model, batch: (model.start * batch).sum())  # fmt: skip
    trainer.fit(max_steps=1, model_dir=f"{family}-run", verbose=False)
    entry = trainer._entry("serving_default")
    found = trainer._call("serving_default", {"x": np.zeros((2, 1), np.float32)}, entry, trainer._folders(None))
    wrong = []
    for name in cases:
        expected = cases[name][0](*model.given(name))
        expected = [one.detach().numpy() for one in (expected if isinstance(expected, (tuple, list)) else [expected])]
        ours = [found[key] for key in sorted(found) if key == name or key.startswith(name + "/")]
        assert len(expected) == len(ours), (name, sorted(found))
        for one, other in zip(expected, ours):
            tolerance = TOLERANCES.get(name, 2e-6 if one.dtype == np.float32 else 1e-12 if one.dtype == np.float64 else 0)
            scale = np.max(np.abs(one[np.isfinite(one)]), initial=1e-30) if family not in ("elementwise", "integers") else 0
            same = one.shape == other.shape and one.dtype == other.dtype and np.allclose(
                other, one, rtol=2 * tolerance, atol=tolerance * max(scale, name in TOLERANCES) + 1e-37, equal_nan=one.dtype.kind == "f")
            if not same:
                wrong.append(f"{family} {name}:\n  torch {one.dtype}{one.shape} {one.ravel()[:24]}\n  Ingot {other.dtype}{other.shape} {other.ravel()[:24]}")
    assert not wrong, "\n".join(wrong)


# Ops whose gradient is tried: those of floats without edge values that have none.
NO_GRADIENT = {"integers", "types"}
EDGES = {"var_mean", "std_mean", "digamma", "lgamma", "cdist", "acos", "asin", "atanh", "acosh", "floor_zero", "norm_inf", "sort", "max", "min", "argmax", "cummax", "cummin", "amax_nan", "argmax_ties", "nansum",
         "logsumexp_inf", "addmm_zero", "pow", "xlogy", "logcumsumexp", "median", "heaviside", "hypot", "max_places", "prod", "cumprod", "rsqrt", "log1p", "log", "log2", "log10", "sqrt", "reciprocal", "tan", "norm3", "maximum", "minimum", "fmax", "fmin",
         "fmod", "remainder", "floor_divide", "atan2", "kron", "grid", "cubic", "put_mask", "scatter_max", "weight", "half_softmax", "layer_half", "half_add", "half_mul", "softmax_big", "lp", "backward", "backward_frequency", "max_all", "put_columns"}  # fmt: skip


def gradient_cases():
    found = {}
    for family, cases in CASES.items():
        if family in NO_GRADIENT:
            continue
        for name, (function, *inputs) in cases.items():
            if name in EDGES or any(one.is_floating_point() and not bool((one.isfinite() & (one.abs() < 1e4)).all()) for one in inputs):
                continue
            try:
                values = [one.clone().requires_grad_() if one.is_floating_point() else one for one in inputs]
                result = function(*values)
            except RuntimeError:
                continue
            result = result[0] if isinstance(result, (tuple, list)) else result
            if result.requires_grad:
                found[f"{family}_{name}"] = (function, *inputs)
    return found


def gradients(families):
    cases = {name: case for name, case in gradient_cases().items() if name.split("_")[0] in families}
    model, other = Inputs(cases, True), Inputs(cases, True)

    def step(model, batch):
        total = (model.start * batch).sum()
        for result in model(batch).values():
            result = result[0] if isinstance(result, (tuple, list)) else result
            total = total + (result.float() * torch.cos(torch.arange(result.numel()).reshape(result.shape).float())).sum()
        return total

    label = "gradients_" + "_".join(families)
    trainer = ingot.torch.compile(model, None, torch.optim.SGD(model.parameters(), 1.0), torch.zeros(4, 1), label, batch_size=2, predict=False, training_step=step)
    trainer.fit(max_steps=1, model_dir=f"{label}-run", verbose=False)
    ingot.torch.load_into(model, f"{label}-run")
    step(other, torch.zeros(2, 1)).backward()
    wrong = []
    for name, parameter in other.named_parameters():
        expected = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
        ours = parameter.detach() - dict(model.named_parameters())[name].detach()
        scale = max(1.0, float(expected.abs().max()), float(parameter.detach().abs().max()))
        if not torch.allclose(ours, expected, rtol=0, atol=5e-6 * scale, equal_nan=True):
            wrong.append(f"gradient of {name}:\n  torch {expected.ravel()[:12]}\n  Ingot {ours.ravel()[:12]}")
    print(f"{len(cases)} gradients", flush=True)
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    failed = []
    for family in sys.argv[1:] or [*CASES, "gradients"]:
        try:
            if family.startswith("gradients"):
                gradients(family.split("-")[1:] or [one for one in CASES if one not in NO_GRADIENT])
            else:
                compare(family, CASES[family])
        except (AssertionError, ingot.torch.Error) as error:
            failed.append(f"{family}: {error}")
    assert not failed, "\n".join(failed)
    print("passed")
