# SPDX-License-Identifier: Apache-2.0
"""Functions that are computed as arithmetic, against the C library in long doubles: samples of all floats and doubles, those
around each power of two, and none may be further from the true value than a limit in units in the last place.

    run_ulps.py --ingotc build/bin/ingotc --runtime build/test/values/runtime --count build/bin/ingot-count-ulps --work DIR --cpu native

Needs nothing but Python's standard library.
"""
import argparse
import math
import pathlib
import random
import struct
import subprocess
import sys

# TensorFlow's op, and its permitted error in ulps, of floats and of doubles (None: any).
FUNCTIONS = {
    **{name: (2, 2) for name in "Exp Expm1 Log Log1p Tanh Sigmoid Softplus Rsqrt Erfc Sin Cos Tan Asin Acos Atan".split()},
    **{name: (2, 2) for name in "Sinh Cosh Asinh Acosh Atanh Atan2 Pow".split()},
    "Erf": (1.5, 2),
    # Computed in doubles, whose errors count where logarithms cancel.
    "Lgamma": (2, None),
    "Digamma": (2, None),
    "Sqrt": (0.5, 0.5),
}
# Without fused multiply-adds polynomials have more errors than the last one.
WITHOUT_FMA = {("f64", "Erfc"): 2.25}
OF_TWO = ("Atan2", "Pow")
# Bits, of the fraction, how the struct module calls it and its bits, and NumPy, and TensorFlow.
TYPES = {"f32": (32, 23, "f", "I", "<f4", "DT_FLOAT"), "f64": (64, 52, "d", "Q", "<f8", "DT_DOUBLE")}
COUNT = 2**19  # the approximate number of samples


def samples(name):
    """Numbers at regular distances of their bits, a few around each power of two, and random ones of moderate size."""
    width, fraction, code, bits_code, *_ = TYPES[name]
    bits = [(i * (2**width // COUNT | 1)) % 2**width for i in range(COUNT)]
    for exponent in range(0, 2**width, 2**fraction):
        bits += [(exponent + offset) % 2**width for offset in range(-8, 9)]
    draw = random.Random(18)
    numbers = [draw.uniform(-1, 1) * draw.choice((1, 4, 30, 100, 750)) for _ in range(COUNT // 2)]
    numbers += [1 + draw.uniform(-1, 1) * 2.0 ** -draw.randint(1, fraction) for _ in range(COUNT // 8)]
    packed = struct.pack(f"<{len(numbers)}{code}", *numbers)
    bits += struct.unpack(f"<{len(numbers)}{bits_code}", packed)
    x = list(struct.unpack(f"<{len(bits)}{code}", struct.pack(f"<{len(bits)}{bits_code}", *bits)))
    return x


def partners(name, x):
    """A second number for each: any other, or one with which powers are finite."""
    draw = random.Random(19)
    span = 88 if name == "f32" else 709
    y = list(x)
    draw.shuffle(y)
    for i, number in enumerate(x):
        size = abs(number)
        if i % 2 and 0 < size < math.inf and size != 1:
            y[i] = draw.uniform(-span, span) / math.log(size)
            if number < 0 and abs(y[i]) < 2**30:
                y[i] = float(round(y[i]))
            if name == "f32" and abs(y[i]) > 2.0**127:
                y[i] = 1.0
    return y


def write(path, name, numbers):
    _, _, code, _, dtype, _ = TYPES[name]
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    header += " " * ((-len(header) - 11) % 64) + "\n"
    data = struct.pack(f"<{len(numbers)}{code}", *numbers)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def graph(name, count):
    """All functions, each of `count` numbers."""
    dtype = f'value {{ type: {TYPES[name][5]} }}'
    for feed in "xy":
        yield (
            f'node {{ name: "{feed}" op: "Placeholder" attr {{ key: "dtype" {dtype} }} '
            f'attr {{ key: "shape" value {{ shape {{ dim {{ size: {count} }} }} }} }} }}'
        )
    for function in FUNCTIONS:
        inputs = 'input: "x" input: "y"' if function in OF_TWO else 'input: "x"'
        yield f'node {{ name: "{function}" op: "{function}" {inputs} attr {{ key: "T" {dtype} }} }}'


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def check(name, options):
    """Whether a function of this type is further off than it may be."""
    folder = pathlib.Path(options.work) / f"ulps-{options.cpu}-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    x = samples(name)
    write(folder / "x.npy", name, x)
    write(folder / "y.npy", name, partners(name, x))
    (folder / "graph.pbtxt").write_text("\n".join(graph(name, len(x))))
    run(options.ingotc, folder / "graph.pbtxt", "--cpu", options.cpu, "-o", folder / "program", "--runtime-dir", options.runtime)
    fetches = [part for function in FUNCTIONS for part in ("--fetch", f"{function}=@{folder / function}.npy")]
    feeds = [part for feed in "xy" for part in ("--feed", f"{feed}=@{folder / feed}.npy")]
    run(folder / "program", "run", "main", "--quiet", *feeds, *fetches)
    is_wrong = False
    for function, limits in FUNCTIONS.items():
        limit = limits[name == "f64"]
        if limit is None:
            continue
        if options.cpu == "x86-64-v2":
            limit = WITHOUT_FMA.get((name, function), limit)
        inputs = [folder / "x.npy"] + [folder / "y.npy"] * (function in OF_TWO)
        off, count, at_x, at_y, found, expected = run(options.count, name, function, folder / f"{function}.npy", *inputs).split()
        at = f"({at_x}, {at_y})" if function in OF_TWO else at_x
        print(f"{name} {function}: at most {off} units of {limit} on {count} numbers, at {at}: {found} instead of {expected}")
        is_wrong |= not float(off) <= limit or int(count) < COUNT // 2
    return is_wrong


def main():
    parser = argparse.ArgumentParser()
    for flag in ("--ingotc", "--runtime", "--count", "--work", "--cpu"):
        parser.add_argument(flag, required=True)
    options = parser.parse_args()
    return int(sum(check(name, options) for name in TYPES) > 0)


if __name__ == "__main__":
    sys.exit(main())
