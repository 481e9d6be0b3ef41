# SPDX-License-Identifier: Apache-2.0
"""Compiles a suite of cases/, runs every case with 1 and 3 threads and compares with TensorFlow's results.

    run_values.py --ingotc build/bin/ingotc --runtime build/test/values/runtime --work DIR --cpu native unary [CASE...]

A figure is met exactly (any NaN stands for any other) or, where cases.json
says so, to a share `rtol` of itself plus a share `atol` of the largest finite
one; `anyZero`: a zero of either sign. With 3 threads every byte is as with 1, and with --reference as without, but for
sums that reference_rounds.json lists. Needs nothing but Python's standard library.
"""
import ast
import json
import math
import pathlib
import shutil
import struct
import subprocess
import sys

import parts
from case_options import caseOptions
from dynamic_shapes import withDynamicShapes

CASES = pathlib.Path(__file__).resolve().parent / "cases"
FORMATS = {"f2": "e", "f4": "f", "f8": "d", "b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
           "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "c8": "f", "c16": "d"}  # fmt: skip
THREADS = (1, 3)  # the first is compared with TensorFlow, the others with the first
EXACT = {"rtol": 0, "atol": 0, "anyZero": False}
INTEGERS = {"e": "H", "f": "I", "d": "Q"}


class Array:
    """A .npy file: its type, shape, elements, and their bits. A complex number is two elements, its parts."""

    def __init__(self, data):
        assert data[:6] == b"\x93NUMPY", "no .npy file"
        wide = data[6] > 1
        (length,) = struct.unpack_from("<I" if wide else "<H", data, 8)
        start = (12 if wide else 10) + length
        header = ast.literal_eval(data[start - length : start].decode())
        assert not header["fortran_order"], header
        self.dtype, self.shape = header["descr"][1:], tuple(header["shape"])
        code, count = FORMATS[self.dtype], math.prod(self.shape)
        if self.dtype in ("c8", "c16"):
            self.shape += (2,)
            count *= 2
        self.isFloat = code in INTEGERS
        self.values = struct.unpack_from(f"<{count}{code}", data, start)
        self.bits = struct.unpack_from(f"<{count}{INTEGERS.get(code, code)}", data, start)


def difference(found, expected, case):
    """The first element that is not as expected, in words; None where all are."""
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return f"found {found.dtype} {found.shape}, expected {expected.dtype} {expected.shape}"
    if found.bits == expected.bits:
        return None
    rtol, atol = case["rtol"], case["atol"]
    slack = 0.0
    if expected.isFloat and atol:
        slack = atol * max((abs(x) for x in expected.values if math.isfinite(x)), default=0.0)
    wrong, first = 0, None
    for i, (x, y) in enumerate(zip(found.values, expected.values)):
        if found.bits[i] == expected.bits[i] or (x != x and y != y):
            continue
        if case["anyZero"] and x == y:
            continue
        if rtol or atol:
            if x == y or (math.isfinite(y) and abs(x - y) <= rtol * abs(y) + slack):
                continue
        wrong += 1
        if first is None:
            first = i
    if first is None:
        return None
    index, rest = [], first
    for size in reversed(found.shape):
        index.insert(0, rest % size)
        rest //= size
    return (
        f"{wrong} of {len(found.values)} elements of {found.dtype} {list(found.shape)} differ, "
        f"the first at {index}: found {found.values[first]!r}, expected {expected.values[first]!r}"
    )


def run(command, timeout=600, folder=None):
    """Runs a command, in a folder where one is given; its exit code and what it said."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, timeout=timeout, check=False, cwd=folder
    )
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def entryFlags(cases):
    """Every case is an entry."""
    for case in cases:
        feeds, fetches = (",".join(name for name, _ in case[side]) for side in ("feeds", "fetches"))
        yield f"--entry={case['name']}={feeds}->{fetches}"


def compileSuite(options, graph, cases, trainer, flags=()):
    """One trainer of all cases."""
    command = [options.ingotc, graph, "--cpu", options.cpu, "-o", trainer, "--runtime-dir", options.runtime]
    command += ["--assume-cache", options.assume_cache] * bool(options.assume_cache)
    return run([*command, *flags, *entryFlags(cases)])


def findCompilable(options, graph, cases, trainer, failures):
    """The cases that compile together; of the others, each alone and what is said of it."""
    code, said = compileSuite(options, graph, cases, trainer)
    if code == 0:
        return cases
    if len(cases) == 1:
        failures.append((cases[0]["name"], code, said))
        return []
    middle = len(cases) // 2
    return [
        case
        for half in (cases[:middle], cases[middle:])
        for case in findCompilable(options, graph, half, trainer, failures)
    ]


def refusedCases(options, graph, cases):
    """The cases that the front door refuses, each with the reason."""
    command = [options.ingotc, graph, "--check", "--json", *entryFlags(cases)]
    done = subprocess.run([str(part) for part in command], capture_output=True, timeout=600, check=False)
    if done.returncode != 3:
        return {}
    reasons, report = {}, json.loads(done.stdout)
    for kind in report["unsupported"]:
        for entry in kind["needed_by"]:
            reasons.setdefault(entry, f"{kind['op']}: {kind['reason']}")
    for message in report["malformed"]:  # of a node in the scope of its case
        reasons.setdefault(message.partition("node '")[2].partition("/")[0], message)
    names = {case["name"] for case in cases}
    return {name: reason for name, reason in reasons.items() if name in names}


def checkRefused(options, refused):
    """Whether no case is refused that was not; with --note-refused, that is how it is from now on."""
    path = CASES / "refused_dynamic.json"
    known = json.loads(path.read_text())
    print(f"{len(refused)} cases need sizes when they are compiled: {' '.join(sorted(refused))}")
    print("\n".join(f"  {reason}" for reason in sorted(set(refused.values()))))
    before = known.get(options.suite, [])
    if options.note_refused:
        known[options.suite] = sorted(refused)
        known = {suite: names for suite, names in sorted(known.items()) if names}
        path.write_text(json.dumps(known, indent=1) + "\n")
    elif new := sorted(set(refused) - set(before)):
        print(f"FAILED: these were not refused before: {' '.join(new)}")
        return False
    elif not options.case and set(before) - set(refused):
        print(f"no longer refused (--note-refused notes it): {' '.join(sorted(set(before) - set(refused)))}")
    return True


def resultPath(folder, case, fetch, threads):
    return folder / f"found-{case['name']}-{fetch}-{threads}.npy"


def commandLine(folder, case, threads):
    """The arguments that run a case and write its fetches to files."""
    line = ["run", case["name"], "--quiet", "--threads", threads, "--data-dir", folder / "files"]
    if "times" in case:
        line += ["--times", case["times"]]
    for name, key in case["feeds"]:
        line += ["--feed", f"{name}=@{folder / key}.npy"]
    for i, (name, _) in enumerate(case["fetches"]):
        line += ["--fetch", f"{name}=@{resultPath(folder, case, i, threads)}"]
    return "\t".join(map(str, line))


def feedsText(folder, case):
    """Whether it feeds strings, which no file holds: run_refusals.py feeds them as text."""
    return any(b"'|S" in (folder / f"{key}.npy").read_bytes()[:128] for _, key in case["feeds"])


def splitResults(output, count):
    """Of each line that RunCases.cpp ran the exit code and what it said."""
    results, at = [], 0
    while at < len(output):
        end = output.index(b"\n", at) + 1
        code, size = map(int, output[at:end].split())
        results.append((code, output[end : end + size].decode(errors="replace")))
        at = end + size
    assert len(results) == count, f"{count} runs, but {len(results)} results"
    return results


def runCases(folder, trainer, runs, environment=None):
    """Runs pairs of a case and a number of threads, in one process (RunCases.cpp); of each the exit code and
    what it said."""
    if not runs:
        return []
    lines = folder / "lines"
    lines.write_text("".join(commandLine(folder, case, threads) + "\n" for case, threads in runs))
    done = subprocess.run([trainer, lines], capture_output=True, timeout=1500, check=False, env=environment)
    assert done.returncode == 0, f"the trainer failed, exit code {done.returncode}: {done.stderr.decode()}"
    return splitResults(done.stdout, len(runs))


def problems(folder, case, threads, code, said):
    """The errors of one run of a case: a list of sentences."""
    if "fails" in case:
        isSaid = code == 1 and case["fails"] in said
        return [] if isSaid else [f"expected exit code 1 and '{case['fails']}', found {code}: {said.strip()}"]
    if code != 0:
        return [f"exit code {code}: {said.strip()}"]
    wrong = []
    for i, (name, key) in enumerate(case["fetches"]):
        found = resultPath(folder, case, i, threads).read_bytes()
        if threads == THREADS[0]:
            told = difference(Array(found), Array((folder / f"{key}.npy").read_bytes()), case)
        else:
            isSame = found == resultPath(folder, case, i, THREADS[0]).read_bytes()
            told = None if isSame else f"other bytes than with --threads {THREADS[0]}"
        if told:
            wrong.append(f"{name}: {told}")
    return wrong


def fetchedBytes(folder, case):
    """What the last run of a case with one thread fetched."""
    return [resultPath(folder, case, i, THREADS[0]).read_bytes() for i in range(len(case["fetches"]))]


def runOtherwise(options, folder, cases, flags):
    """Compiles the cases with further flags and runs each; whether nothing is wrong, and what each fetched."""
    trainer, what = folder / "otherwise", " ".join(flags)
    # LLVM keeps each operation at every level, and takes half the time at the least.
    code, said = compileSuite(options, folder / "graph.meta", cases, trainer, [*flags, "-O", "0"])
    if code != 0:
        print(f"FAILED: {what}, exit code {code}:\n{said}")
        return False, {}
    good, fetched = True, {}
    for case, (code, said) in zip(cases, runCases(folder, trainer, [(case, THREADS[0]) for case in cases])):
        wrong = problems(folder, case, THREADS[0], code, said)
        for sentence in wrong:
            print(f"FAILED {case['name']} with {what}: {sentence}")
        good = good and not wrong
        if code == 0 and "fails" not in case:
            fetched[case["name"]] = fetchedBytes(folder, case)
    return good, fetched


def differing(cases, some, others):
    """The cases of which both fetched something, and not the same numbers (any NaN is any other)."""
    return [case for case in cases if case["name"] in some and case["name"] in others
            and any(x != y and difference(Array(x), Array(y), EXACT)
                    for x, y in zip(some[case["name"]], others[case["name"]]))]  # fmt: skip


def farApart(folder, case, some, others):
    """The first element that is further from the other order's than rounding explains, in words; None where none is.

    Each of an element's n products is rounded n times at the most, in whatever order they are added: by a fused
    multiply-add for each, or by its own rounding and n - 1 additions. So with unit roundoff u an element is off by
    γ times the sum of their magnitudes, γ = nu / (1 - nu) (Higham, Accuracy and Stability of Numerical Algorithms,
    3.1), and two orders are twice that apart."""
    for (count, key), x, y in zip(case["terms"], map(Array, some), map(Array, others)):
        rounded = count * (2.0**-24 if x.dtype == "f4" else 2.0**-53)
        gamma = rounded / (1 - rounded)
        magnitudes = Array((folder / f"{key}.npy").read_bytes()).values
        for i, (a, b, magnitude) in enumerate(zip(x.values, y.values, magnitudes)):
            if not abs(a - b) <= 2 * gamma * magnitude:
                return f"element {i}: {a!r} and {b!r} are more than {2 * gamma * magnitude!r} apart"
    return None


def checkReference(options, folder, cases):
    """Whether the plain code that --reference makes computes TensorFlow's figures, too, and the optimized code's
    bytes. Where a rewrite may give a sum another order (reference_rounds.json), bytes are those of optimized code
    without that rewrite."""
    usual = {case["name"]: fetchedBytes(folder, case) for case in cases if "fails" not in case}
    good, reference = runOtherwise(options, folder, cases, ["--reference"])
    rounded = differing(cases, usual, reference)
    same = len(cases) - len(rounded)
    print(f"--reference: {same} of {len(cases)} cases have the same bytes; others: {' '.join(c['name'] for c in rounded)}")
    for rewrite, suites in json.loads((CASES / "reference_rounds.json").read_text()).items():
        listed = [case for case in rounded if case["name"] in suites.get(options.suite, [])]
        if not listed:
            continue
        rounded = [case for case in rounded if case not in listed]
        areGood, without = runOtherwise(options, folder, listed, [f"--rewrites=-{rewrite}"])
        good = good and areGood
        rounded += differing(listed, without, reference)
        for case in listed:
            if "terms" in case and (told := farApart(folder, case, usual[case["name"]], reference[case["name"]])):
                print(f"FAILED {case['name']} with {rewrite}: {told}")
                good = False
    if rounded:
        print(f"FAILED: with --reference these have other bytes: {' '.join(case['name'] for case in rounded)}")
    return good and not rounded


def main():
    parser = caseOptions(__doc__)
    parser.add_argument("--reference", action="store_true", help="plain code, too, has to compute the same")
    parser.add_argument("--dynamic", action="store_true", help="sizes of feeds are known only when it runs; wrong feeds, too")
    parser.add_argument("suite")
    parser.add_argument("case", nargs="*", help="only these")
    parser.add_argument("--note-refused", action="store_true", help="--dynamic: what is refused now may be so")
    options = parser.parse_args()
    folder = options.work / f"{options.suite}-{options.cpu}{'-dynamic' if options.dynamic else ''}{'-caches' if options.assume_cache else ''}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    parts.unpack(CASES, options.suite, folder)
    cases = json.loads((folder / "cases.json").read_text())
    if options.case:
        cases = [case for case in cases if case["name"] in options.case]
    assert cases, "no such case"
    everyCase = cases
    trainer = folder / "trainer"
    if options.dynamic:
        graph = folder / "graph.meta"
        graph.write_bytes(withDynamicShapes(graph.read_bytes()))
    failures = []
    areRefused = True
    if options.dynamic:  # some shapes say what is computed: refused at the front door
        import run_refusals  # which is made of what stands here

        refused, more = {}, True
        while more and cases:  # the importer's errors come before those of later stages
            more = refusedCases(options, graph, cases)
            refused |= more
            cases = [case for case in cases if case["name"] not in refused]
        if not checkRefused(options, refused):
            return 1
        if refused and not options.case:
            static = [case for case in everyCase if case["name"] in refused]
            areRefused = run_refusals.checkStatic(options, folder, options.suite, static, run_refusals.unpack(options.suite, folder))[1]
        if not cases:
            return 0 if areRefused else 1
    isWhole = compileSuite(options, folder / "graph.meta", cases, trainer)[0] == 0
    good = cases if isWhole else findCompilable(options, folder / "graph.meta", cases, trainer, failures)
    for name, code, said in failures:
        print(f"FAILED {name}: does not compile, exit code {code}:\n{said}")
    # Halves that compile leave a trainer of the last one.
    if not isWhole and good:
        code, said = compileSuite(options, folder / "graph.meta", good, trainer)
        if code != 0:
            print(f"FAILED: cases compile alone, but not together, exit code {code}:\n{said}")
            return 1
    failed = {name for name, _, _ in failures}
    compared = [case for case in good if not feedsText(folder, case)]
    runs = [(case, threads) for threads in THREADS for case in compared]
    for (case, threads), (code, said) in zip(runs, runCases(folder, trainer, runs)):
        if case["name"] not in failed:
            for sentence in problems(folder, case, threads, code, said):
                print(f"FAILED {case['name']} with {threads} threads: {sentence}")
                failed.add(case["name"])
    if options.reference and good and not failed:
        areRefused &= checkReference(options, folder, compared)
    if options.dynamic and good and not options.case:
        wrongs = run_refusals.unpack(options.suite, folder)
        areRefused &= run_refusals.check(folder, trainer, options.suite, good, wrongs)[1]
    print(f"{options.suite} for {options.cpu}: {len(compared) + len(failures) - len(failed)} of {len(compared) + len(failures)} cases agree")
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed or not areRefused else 0


if __name__ == "__main__":
    sys.exit(main())
