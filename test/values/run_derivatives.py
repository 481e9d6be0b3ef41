# SPDX-License-Identifier: Apache-2.0
"""Differentiates the cases of a suite, and compares with TensorFlow's gradients and with finite differences.

    run_derivatives.py --ingotc build/bin/ingotc --runtime build/test/values/runtime --work DIR unary [CASE...]

The cases' graphs are those that run_values.py runs; `ingot.gradients` is put into the entries that the importer makes
of them, and into those of derivatives/programs.mlir, whose ops no importer makes. They must be close to TensorFlow's
gradients (make_derivatives.py), by a relative tolerance and one relative to the largest. In float64, the derivative in
a random direction is compared with (f(x + h d) - f(x - h d)) / 2h, a little away from the feeds, where there may be a
kink. derivatives/exempt.json lists the cases, or ops ("ops"), for which one of the two does not hold, and why. Needs
only Python's standard library.
"""
import json
import math
import random
import shutil
import struct
import subprocess
import sys

import parts
from case_options import caseOptions
from derivatives import DERIVATIVES, differentiated, entriesOf, weights
from run_values import CASES, FORMATS, Array, difference, run, splitResults

TOLERANCE = {"f4": (2e-5, 4e-6), "f8": (1e-10, 1e-12)}
STEP, RELATIVE = 1e-5, 1e-4
AWAY = 0.03


class Case:
    """A case with TensorFlow's derivatives."""

    def __init__(self, forward, backward, folder):
        self.name, self.folder = forward["name"], folder
        self.feeds = [(name, folder / f"{key}.npy") for name, key in forward["feeds"]]
        self.fetches = [(name, Array((folder / f"{key}.npy").read_bytes())) for name, key in forward["fetches"]]
        self.outputs = [(name, array) for name, array in self.fetches if array.dtype in TOLERANCE]
        self.by = backward["by"]
        self.isKnown = not backward.get("unknown")
        self.forward = forward
        self.isDouble = all(a.dtype == "f8" for _, a in self.outputs) and all(
            Array(path.read_bytes()).dtype == "f8" for name, path in self.feeds if name in dict(self.by)
        )

    def entry(self):
        feeds, fetches = (",".join(name for name, _ in self.forward[side]) for side in ("feeds", "fetches"))
        return f"--entry={self.name}={feeds}->{fetches}"

    def found(self, tag, name):
        return self.folder / f"found-{self.name}-{tag}-{name.replace('/', '_').replace(':', '_')}.npy"

    def line(self, tag, feeds, wanted):
        line = ["run", self.name, "--quiet", "--threads", 1]
        for name, path in feeds:
            line += ["--feed", f"{name}=@{path}"]
        for i, (name, _) in enumerate(self.outputs):
            line += ["--feed", f"weight/{name}=@{self.folder}/weight-{self.name}-{i}.npy"]
        for name in wanted:
            line += ["--fetch", f"{name}=@{self.found(tag, name)}"]
        return "\t".join(map(str, line))

    def writeWeights(self):
        for i, (_, array) in enumerate(self.outputs):
            write(self.folder / f"weight-{self.name}-{i}.npy", array.dtype, array.shape, weights(len(array.values)))


def write(path, dtype, shape, values):
    header = f"{{'descr': '<{dtype}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    data = struct.pack(f"<{len(values)}{FORMATS[dtype]}", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


class Program:
    """An entry of programs.mlir, with feeds that are drawn at random."""

    def __init__(self, name, feeds, fetches, folder):
        self.name, self.folder = name, folder
        draw = random.Random(name)
        self.feeds = []
        for feed, shape in feeds:
            path = folder / f"feed-{name}-{feed}.npy"
            write(path, "f8", shape, [draw.uniform(0.2, 1.5) for _ in range(math.prod(shape))])
            self.feeds.append((feed, path))
        self.outputs = [(fetch, Shaped(shape)) for fetch, shape in fetches]
        self.by = [(feed, None) for feed, _ in feeds]

    found, line, writeWeights = Case.found, Case.line, Case.writeWeights


class Shaped:
    """The shape of a float64 result, before it is computed."""

    def __init__(self, shape):
        self.dtype, self.shape, self.values = "f8", shape, range(math.prod(shape))


def runPrograms(options, folder):
    """Differentiates the entries of programs.mlir."""
    text = (DERIVATIVES / "programs.mlir").read_text()
    programs = [Program(name, feeds, fetches, folder) for name, feeds, fetches in entriesOf(text)]
    program, trainer = folder / "program.mlir", folder / "trainer"
    program.write_text(differentiated(text, {each.name: [name for name, _ in each.by] for each in programs}))
    code, said = run([options.ingotc, program, "--cpu", options.cpu, "-o", trainer, "--runtime-dir", options.runtime])
    assert code == 0, said
    failed = 0
    for each in programs:
        each.writeWeights()
        lines, direction = finiteDifferences(each)
        wrong = compareWithDifferences(each, direction, runLines(folder, trainer, lines))
        assert wrong is not None, f"{each.name} is not finite"
        for sentence in wrong:
            print(f"FAILED {each.name}: {sentence}")
        failed += bool(wrong)
    print(f"programs: {len(programs)} compared with finite differences, {failed} differ")
    return 1 if failed else 0


def runLines(folder, trainer, lines):
    if not lines:
        return []
    path = folder / "lines"
    path.write_text("".join(line + "\n" for line in lines))
    done = subprocess.run([trainer, path], capture_output=True, timeout=1500, check=False)
    assert done.returncode == 0, f"the trainer failed: {done.stderr.decode()}"
    return splitResults(done.stdout, len(lines))


def compileCases(options, folder, cases):
    """The trainer with all cases that can be differentiated, and what is said of the others."""
    graph, program, trainer = folder / "graph.meta", folder / "program.mlir", folder / "trainer"
    code, said = run([options.ingotc, graph, "--emit=mlir", "--stage=import", "-o", program, *(case.entry() for case in cases)])
    assert code == 0, said
    program.write_text(differentiated(program.read_text(), {case.name: [name for name, _ in case.by] for case in cases}))
    code, said = run([options.ingotc, program, "--cpu", options.cpu, "-o", trainer, "--runtime-dir", options.runtime])
    return trainer if code == 0 else None, said


def compareWithTensorFlow(case, code, said):
    if code != 0:
        return [f"exit code {code}: {said.strip()}"]
    wrong = []
    arrays = {name: Array((case.folder / f"{key}.npy").read_bytes()) for name, key in case.by if key is not None}
    # Sums that cancel out are as exact as what is summed: a gradient by another feed, for instance.
    largest = max((abs(x) for array in arrays.values() for x in array.values if math.isfinite(x)), default=0.0)
    for name, key in case.by:
        found = Array(case.found("tf", "by/" + name).read_bytes())
        if key is None:
            if any(x != 0 for x in found.values):
                wrong.append(f"by {name}: not zero, where TensorFlow has none")
            continue
        rtol, atol = TOLERANCE[found.dtype]
        ours = max((abs(x) for x in arrays[name].values if math.isfinite(x)), default=0.0)
        slack = atol * largest / ours if ours else 0.0
        told = difference(found, arrays[name], {"rtol": rtol, "atol": slack, "anyZero": True})
        if told:
            wrong.append(f"by {name}: {told}")
    return wrong


def moved(case, tag, offsets):
    """Files of feeds, with offsets added to those that are differentiated by."""
    feeds = []
    for name, path in case.feeds:
        if name in offsets:
            array = Array(path.read_bytes())
            path = case.folder / f"moved-{case.name}-{tag}-{len(feeds)}.npy"
            write(path, array.dtype, array.shape, [x + d for x, d in zip(array.values, offsets[name])])
        feeds.append((name, path))
    return feeds


def loss(case, tag):
    parts = [
        w * y
        for name, _ in case.outputs
        for array in [Array(case.found(tag, name).read_bytes())]
        for w, y in zip(weights(len(array.values)), array.values)
    ]
    return math.fsum(parts) if all(map(math.isfinite, parts)) else math.nan


def finiteDifferences(case):
    """Three runs: at a point, and on both sides of it."""
    draw = random.Random(case.name)
    away, direction = {}, {}
    for name, path in case.feeds:
        if name in dict(case.by):
            values = Array(path.read_bytes()).values
            away[name] = [AWAY * draw.uniform(0.1, 1) * (-1 if draw.random() < 0.5 else 1) for _ in values]
            direction[name] = [draw.uniform(-1, 1) for _ in values]
    step = lambda sign: {name: [a + sign * STEP * d for a, d in zip(away[name], direction[name])] for name in away}
    outputs = [name for name, _ in case.outputs]
    lines = [case.line("at", moved(case, "at", away), ["by/" + name for name, _ in case.by])]
    lines += [case.line(tag, moved(case, tag, step(sign)), outputs) for tag, sign in (("up", 1), ("down", -1))]
    return lines, direction


def compareWithDifferences(case, direction, results):
    for code, said in results:
        if code != 0:
            return [f"finite differences: exit code {code}: {said.strip()}"]
    up, down = (loss(case, tag) for tag in ("up", "down"))
    if not math.isfinite(up - down):
        return None
    products = [
        g * d
        for name, _ in case.by
        for g, d in zip(Array(case.found("at", "by/" + name).read_bytes()).values, direction[name])
    ]
    if not all(map(math.isfinite, products)):
        return [f"the derivative is not finite, but the value is {up!r}"]
    quotient, slope = (up - down) / (2 * STEP), math.fsum(products)
    slack = RELATIVE * max(abs(quotient), abs(slope)) + 1e-7 * math.fsum(map(abs, products)) + 1e-9 * (abs(up) + 1)
    if not abs(quotient - slope) <= slack:
        return [f"the derivative in a direction is {slope!r}, by finite differences {quotient!r}"]
    return []


def main():
    parser = caseOptions(__doc__)
    parser.add_argument("suite")
    parser.add_argument("case", nargs="*", help="only these")
    options = parser.parse_args()
    folder = options.work / f"{options.suite}-derivatives"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if options.suite == "programs":
        return runPrograms(options, folder)
    for path in (CASES, DERIVATIVES):
        parts.unpack(path, options.suite, folder, leaving=["cases.json"])
        table = {case["name"]: case for case in json.loads(parts.read(path, options.suite, "cases.json"))}
        forward, backward = (table, {}) if path is CASES else (forward, table)
    exempt = json.loads((DERIVATIVES / "exempt.json").read_text()).get(options.suite, {})
    isExempt = lambda case, kind: exempt.get(case.name, [None])[0] == kind
    cases = [Case(forward[name], entry, folder) for name, entry in backward.items()]
    if options.case:
        cases = [case for case in cases if case.name in options.case]
    assert cases, "no such case"
    trainer, said = compileCases(options, folder, cases)
    if trainer is None:
        print(f"FAILED: does not compile:\n{said}")
        return 1
    lines, plans = [], []
    for case in cases:
        case.writeWeights()
        plans.append((case, "tf", None))
        lines.append(case.line("tf", case.feeds, ["by/" + name for name, _ in case.by]))
        if case.isDouble and not isExempt(case, "differences"):
            more, direction = finiteDifferences(case)
            plans.append((case, "differences", direction))
            lines += more
    results = iter(runLines(folder, trainer, lines))
    failed, compared, smooth = set(), 0, 0
    for case, kind, direction in plans:
        if kind == "tf":
            isCompared = case.isKnown and not isExempt(case, "tensorflow")
            code, said = next(results)
            wrong = compareWithTensorFlow(case, code, said) if isCompared else [said] if code else []
            compared += isCompared
        else:
            wrong = compareWithDifferences(case, direction, [next(results) for _ in range(3)])
            smooth += wrong is not None
        for sentence in wrong or []:
            print(f"FAILED {case.name}: {sentence}")
            failed.add(case.name)
    print(f"{options.suite}: {compared} cases compared with TensorFlow, {smooth} with finite differences, {len(failed)} differ")
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
