# SPDX-License-Identifier: Apache-2.0
"""Folds ops of random constants with ingot-opt and compares with TensorFlow.

Usage: fold_against_tensorflow.py SEED. Prints the number of results compared;
exits with 1 where one differs. Results are compared bit for bit, those of the
C library's functions to 2 units in the last place, sums to 1e-6 relative.
"""

import os
import re
import subprocess
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

raw = tf.raw_ops
rng = np.random.default_rng(int(sys.argv[1]))
ELEMENT = {
    "float32": "f32", "float64": "f64", "float16": "f16", "int8": "i8", "int16": "i16",
    "int32": "i32", "int64": "i64", "uint8": "ui8", "bool": "i1",
}


def type_of(array):
    dims = "".join(f"{dim}x" for dim in array.shape)
    return f"tensor<{dims}{ELEMENT[array.dtype.name]}>"


def literal(array):
    """A dense literal that says every bit: floats are written as integers."""
    if array.size == 0:
        return ""
    if array.ndim > 0:
        return "[" + ", ".join(literal(part) for part in array) + "]"
    if array.dtype == np.bool_:
        return "true" if array else "false"
    if array.dtype.kind == "f":
        bits = array.view(f"u{array.itemsize}")
        return f"0x{int(bits):0{2 * array.itemsize}X}"
    return str(array)


class Module:
    """Functions without arguments, one a folded op, and what TensorFlow says."""

    def __init__(self):
        self.text, self.expected = [], []

    def add(self, op, operands, attributes, result, tolerance=0):
        lines = [f"func.func @f{len(self.expected)}() -> {type_of(result)} {{"]
        for index, operand in enumerate(operands):
            lines.append(f"  %{index} = ingot.constant dense<{literal(operand)}> : {type_of(operand)}")
        names = ", ".join(f"%{index}" for index in range(len(operands)))
        types = ", ".join(type_of(operand) for operand in operands)
        lines.append(f"  %r = ingot.{op} {names} {attributes} : ({types}) -> {type_of(result)}")
        lines.append(f"  return %r : {type_of(result)}\n}}")
        self.text.append("\n".join(lines))
        self.expected.append((op, operands, result, tolerance))


def parse(text, like):
    """The elements of a dense literal as ingot-opt prints it."""
    if like.size == 0:
        return like
    unsigned = f"u{like.itemsize}"

    def number(token):
        if token in ("true", "false"):
            return token == "true"
        if token.startswith("0x") and like.dtype.kind == "f":
            return np.array(int(token, 16), unsigned).view(like.dtype)[()]
        return np.array(float(token) if like.dtype.kind == "f" else int(token)).astype(like.dtype)

    values = [number(token) for token in re.findall(r"[^\s,\[\]]+", text)]
    if len(values) == 1:
        values *= like.size
    return np.array(values, like.dtype).reshape(like.shape)


def agree(found, expected, tolerance):
    if expected.dtype.kind != "f":
        return np.array_equal(found, expected)
    both_nan = np.isnan(found) & np.isnan(expected)
    same = (found == expected) & (np.signbit(found) == np.signbit(expected))
    with np.errstate(invalid="ignore"):
        close = np.abs(found - expected) <= tolerance * np.abs(expected)
    return bool(np.all(both_nan | same | (close if tolerance else False)))


def sample(shape, dtype="float32"):
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(-9, 10, shape).astype(dtype)
    values = (rng.standard_normal(shape) * 8).astype(dtype)
    special = rng.random(shape)
    values = np.where(special < 0.05, np.nan, values)
    values = np.where((special >= 0.05) & (special < 0.15), -0.0, values)
    values = np.where((special >= 0.15) & (special < 0.2), np.inf, values)
    return np.asarray(values, dtype)


module = Module()
SHAPES = [((), ()), ((5,), (5,)), ((3, 1), (4,)), ((2, 1, 3), (5, 1)), ((0, 2), (1, 2)), ((7,), ())]
NUMBERS = ["float32", "float64", "int32", "int64"]

UNARY = {"abs": raw.Abs, "neg": raw.Neg, "sign": raw.Sign, "square": raw.Square}
for name, fn in UNARY.items():
    for dtype in NUMBERS:
        x = sample((3, 4), dtype)
        module.add(name, [x], "", fn(x=x).numpy())
for dtype in NUMBERS:
    x = sample((3, 4), dtype)
    # TensorFlow's vector code and its scalar code differ in relu(-0)'s sign: any
    # tolerance leaves that open.
    module.add("relu", [x], "", raw.Relu(features=x).numpy(), 1e-30)
for name, fn in {"sqrt": raw.Sqrt, "exp": raw.Exp, "log": raw.Log, "tanh": raw.Tanh}.items():
    for dtype, tolerance in (("float32", 2.5e-7), ("float64", 5e-16)):
        x = np.abs(np.nan_to_num(sample((3, 4), dtype), posinf=1)) + np.array(0.25, dtype)
        module.add(name, [x], "", fn(x=x).numpy(), 0 if name == "sqrt" else tolerance)

BINARY = {
    "add": raw.AddV2, "sub": raw.Sub, "mul": raw.Mul, "maximum": raw.Maximum,
    "minimum": raw.Minimum, "squared_difference": raw.SquaredDifference,
}
COMPARE = {
    "equal": raw.Equal, "not_equal": raw.NotEqual, "less": raw.Less,
    "less_equal": raw.LessEqual, "greater": raw.Greater, "greater_equal": raw.GreaterEqual,
}
for a_shape, b_shape in SHAPES:
    for dtype in NUMBERS:
        a, b = sample(a_shape, dtype), sample(b_shape, dtype)
        for name, fn in {**BINARY, **COMPARE}.items():
            module.add(name, [a, b], "", fn(x=a, y=b).numpy())
    for dtype in ("float32", "float64"):
        a, b = sample(a_shape, dtype), sample(b_shape, dtype)
        module.add("real_div", [a, b], "", raw.RealDiv(x=a, y=b).numpy())
        module.add("div_no_nan", [a, b], "", raw.DivNoNan(x=a, y=b).numpy())
    a, b = sample(a_shape, "bool"), sample(b_shape, "bool")
    module.add("logical_and", [a, b], "", raw.LogicalAnd(x=a, y=b).numpy())
    module.add("logical_or", [a, b], "", raw.LogicalOr(x=a, y=b).numpy())
    t, e = sample(a_shape), sample(b_shape)
    module.add("select", [b, t, e], "", raw.SelectV2(condition=b, t=t, e=e).numpy())

for source in NUMBERS + ["bool", "float16", "uint8"]:
    x = np.nan_to_num(sample((4, 3), source), posinf=3) if source.startswith("float") else sample((4, 3), source)
    for target in NUMBERS + ["bool", "float16", "int8"]:
        if target != source:
            module.add("cast", [x], f"{{dst = {ELEMENT[target]}}}",
                       raw.Cast(x=x, DstT=tf.as_dtype(target)).numpy())

REDUCE = {"sum": raw.Sum, "mean": raw.Mean, "prod": raw.Prod, "max": raw.Max, "min": raw.Min}
for name, fn in REDUCE.items():
    for axes in ([0], [1, 2], [-1], [0, 1, 2]):
        for dtype in NUMBERS:
            x = sample((3, 5, 2), dtype)
            if name in ("sum", "mean", "prod"):
                # No infinities and one sign: relative errors stay meaningful.
                x = np.abs(np.nan_to_num(x, posinf=1))
            keep = bool(rng.integers(0, 2))
            result = fn(input=x, axis=axes, keep_dims=keep).numpy()
            exact = name in ("max", "min")
            module.add(name, [x, np.array(axes, "int32")], f"{{keep_dims = {str(keep).lower()}}}",
                       result, 0 if exact else 1e-6)

x = sample((2, 3), "int32")
for multiples in ([1, 2], [3, 1], [0, 4], [2, 2]):
    m = np.array(multiples, "int32")
    module.add("tile", [x, m], "", raw.Tile(input=x, multiples=m).numpy())
y = sample((2, 3, 4))
for permutation in ([0, 1, 2], [2, 0, 1], [1, 0, 2], [2, 1, 0]):
    p = np.array(permutation, "int32")
    module.add("transpose", [y, p], "", raw.Transpose(x=y, perm=p).numpy())
for start, limit, delta in ((0, 10, 3), (10, 0, -3), (4, 4, 1), (-5, 6, 2)):
    for dtype in ("int32", "int64", "float32", "float64"):
        s, l, d = (np.array(value, dtype) for value in (start, limit, delta))
        if dtype.startswith("float"):
            d = d * np.array(0.1, dtype)
        module.add("range", [s, l, d], "",
                   raw.Range(start=tf.constant(s), limit=tf.constant(l), delta=tf.constant(d)).numpy())
terms = [sample((3,)) for _ in range(4)]
module.add("add_n", terms, "", raw.AddN(inputs=terms).numpy())

folded = subprocess.run(
    ["ingot-opt", "-ingot-infer-shapes", "-canonicalize", "--mlir-print-elementsattrs-with-hex-if-larger=-1"],
    input="\n".join(module.text), capture_output=True, text=True, check=False)
if folded.returncode != 0:
    sys.exit(folded.stderr)
functions = folded.stdout.split("func.func @f")[1:]
assert len(functions) == len(module.expected)
failures = 0
for text, (op, operands, expected, tolerance) in zip(functions, module.expected):
    match = re.search(r"%(\w+) = ingot\.constant dense<(.*)> : tensor.*\n\s*return %\1 ", text)
    found = parse(match.group(2), expected) if match else None
    if found is None or not agree(found, expected, tolerance):
        failures += 1
        print(f"{op} of {operands}\n  TensorFlow: {expected!r}\n  folded: {found!r}\n{text if found is None else ''}")
print(f"{len(module.expected) - failures} of {len(module.expected)} folded as TensorFlow computes them")
sys.exit(1 if failures else 0)
