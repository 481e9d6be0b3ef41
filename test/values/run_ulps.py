"""Functions of floats that are computed as polynomials, against the C library in f64: samples of all floats, those around
each power of two, and none may be further from the true value than so many units in the last place.

    run_ulps.py --ingotc build/bin/ingotc --runtime build/test/values/runtime --work DIR --cpu native

Denormal numbers are zeros, as in TensorFlow; what is as small as that, or has parts that are, is left out. Needs nothing but Python's standard
library.
"""
import argparse
import math
import pathlib
import struct
import subprocess
import sys

from run_values import Array


def exp(x):
    return math.exp(x) if x < 700 else math.inf


def expm1(x):
    return math.expm1(x) if x < 700 else math.inf


def log(x):
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def log1p(x):
    return math.log1p(x) if x > -1 else -math.inf if x == -1 else math.nan


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


# TensorFlow's op, the function, the units that it may be off, and where.
FUNCTIONS = [
    ("Erf", math.erf, 1.5, math.inf),
    ("Exp", exp, 2, math.inf),
    ("Log", log, 2, math.inf),
    ("Tanh", math.tanh, 2, math.inf),
    ("Expm1", expm1, 2, math.inf),
    ("Log1p", log1p, 2, math.inf),
    ("Sigmoid", sigmoid, 2, math.inf),
]
SMALLEST = 2.0**-120


def samples():
    """Floats, by their bits: a few around each border, and others a large prime number apart."""
    bits = set(range(0, 2**32, 36_467))
    for exponent in range(0, 2**32, 2**23):
        bits.update((exponent + offset) % 2**32 for offset in range(-8, 9))
    return sorted(bits)


def write(path, bits):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(bits)},), }}"
    header += " " * ((-len(header) - 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(bits)}I", *bits))


def units(found, expected):
    """How many units in the last place `found`, an f32, is from what is expected."""
    if math.isnan(expected) or math.isnan(found):
        return 0 if math.isnan(expected) == math.isnan(found) else math.inf
    if abs(expected) >= 2.0**128 * (1 - 2.0**-25):  # rounds to infinity
        expected = math.copysign(math.inf, expected)
    if found == expected:
        return 0
    if math.isinf(expected) or math.isinf(found):
        # The last float in front of infinity is one unit from it.
        return abs(abs(found if math.isinf(expected) else expected) / 2.0**128 - 1) * 2**24
    return abs(found - expected) / 2.0 ** (math.frexp(expected)[1] - 24)


def graph(count):
    """All functions of as many numbers."""
    yield (
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } '
        f'attr {{ key: "shape" value {{ shape {{ dim {{ size: {count} }} }} }} }} }}'
    )
    for name, *_ in FUNCTIONS:
        yield f'node {{ name: "{name}" op: "{name}" input: "x" attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}'


def main():
    parser = argparse.ArgumentParser()
    for flag in ("--ingotc", "--runtime", "--work", "--cpu"):
        parser.add_argument(flag, required=True)
    options = parser.parse_args()
    folder = pathlib.Path(options.work) / f"ulps-{options.cpu}"
    folder.mkdir(parents=True, exist_ok=True)
    bits = samples()
    write(folder / "x.npy", bits)
    (folder / "graph.pbtxt").write_text("\n".join(graph(len(bits))))
    command = [options.ingotc, folder / "graph.pbtxt", "--cpu", options.cpu, "-o", folder / "program"]
    command += ["--runtime-dir", options.runtime]
    subprocess.run([str(part) for part in command], check=True)
    command = [folder / "program", "run", "main", "--quiet", "--feed", f"x=@{folder / 'x.npy'}"]
    for name, *_ in FUNCTIONS:
        command += ["--fetch", f"{name}=@{folder / name}.npy"]
    subprocess.run([str(part) for part in command], check=True)
    values = Array((folder / "x.npy").read_bytes()).values
    isWrong = False
    for name, function, limit, end in FUNCTIONS:
        worst = (0, 0.0, 0.0, 0.0)
        for x, found in zip(values, Array((folder / f"{name}.npy").read_bytes()).values):
            expected = function(x) if x == x else x
            if 0 < abs(x) < SMALLEST or 0 < abs(expected) <= SMALLEST or abs(x) > end:
                continue
            if (off := units(found, expected)) > worst[0]:
                worst = (off, x, found, expected)
        off, x, found, expected = worst
        print(f"{name}: at most {off:.2f} units of {limit}, at {x!r}: {found!r} instead of {expected!r}")
        isWrong |= not off <= limit
    return int(isWrong)


if __name__ == "__main__":
    sys.exit(main())
