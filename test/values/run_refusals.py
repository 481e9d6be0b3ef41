# SPDX-License-Identifier: Apache-2.0
"""Feeds the graphs of cases/ wrongly: what TensorFlow refuses is refused, what it takes is computed as it does.

    run_refusals.py --ingotc build/bin/ingotc --runtime build/test/values/runtime --work DIR segments [CASE...]

The feeds and TensorFlow's results are in refusals/ (make_refusals.py). Where it refused, the run must end
with exit code 1 and name the same node (a check may come before it: then another node of the case, or the
feed); where it computed, the results are compared. No run may crash, and one that fails leaves all variables as they
were. refusals/pending.json lists those that do not do so yet, with the op at fault: a listed one that passes is a
failure, so that the list can only shrink; --update writes it anew. refusals/differs.json lists feeds for which
TensorFlow's result is undefined or deliberately not Ingot's, and why: there a run computes, or is refused by name.
Cases that need static sizes are fed wrongly only in the others. Needs only Python's standard library.
"""
import ast
import json
import math
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import parts
from case_options import caseOptions
from dynamic_shapes import withDynamicShapes
from run_values import CASES, Array, compileSuite, difference, findCompilable, splitResults

REFUSALS = CASES.parent / "refusals"
PENDING = REFUSALS / "pending.json"
DIFFERS = REFUSALS / "differs.json"  # TensorFlow's result is undefined or deliberately not Ingot's, and why
STATIC = REFUSALS / "static.json"  # cases of a suite that need their sizes when they are compiled
CHANGED = "is changed by a run that fails"  # RunCases.cpp
SLACK = 1e-5  # how exact results are is for run_values.py to say


def resultPath(folder, number, fetch):
    return folder / f"wrong-{number}-{fetch}.npy"


def feedText(path):
    """The value of --feed for an array in a file: the file's name, or the text of strings."""
    data = path.read_bytes()
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10 : 10 + length].decode())
    if header["descr"][1] != "S":
        return f"@{path}"
    size, shape = int(header["descr"][2:]), header["shape"]
    texts = [data[10 + length + i * size :][:size].rstrip(b"\0").decode() for i in range(math.prod(shape))]

    def listed(dims):
        return [listed(dims[1:]) for _ in range(dims[0])] if dims else texts.pop(0)

    # A scalar's text is not quoted.
    return json.dumps(listed(shape), separators=(",", ":")) if shape else texts[0]


def commandLine(folder, case, wrong, number):
    line = ["run", case["name"], "--quiet", "--threads", 1, "--data-dir", folder / "files"]
    if "times" in case:
        line += ["--times", case["times"]]
    for name, key in case["feeds"]:
        path = folder / "wrong" / f"{wrong['value']}.npy" if name == wrong["feed"] else folder / f"{key}.npy"
        line += ["--feed", f"{name}={feedText(path)}"]
    for i, (name, _) in enumerate(case["fetches"]):  # strings go into no file
        isKept = str(i) in wrong.get("results", {})
        line += ["--fetch", f"{name}=@{resultPath(folder, number, i)}" if isKept else name]
    return "\t".join(map(str, line))


def problem(folder, case, wrong, number, code, said):
    """A description of a run's difference from TensorFlow's; None if there is none."""
    if code not in (0, 1):
        return f"ended with exit code {code}: {said.strip()[-300:]}"
    if code == 1 and CHANGED in said:
        return said.strip()[-300:]
    if wrong["outcome"] == "refused":
        if code == 0:
            return f"computed; TensorFlow at {wrong['op']}: {wrong['message']}"
        # Nodes of functions are called by the function's name and theirs.
        names = [case["name"] + "/", "node '" + case["name"] + "_", wrong["feed"].split(":")[0], "/" + wrong["node"].split("/")[-1] + "'"]
        return None if any(name in said for name in names) else f"says no node: {said.strip()[-300:]}"
    if code != 0:
        return f"refused what TensorFlow takes: {said.strip()[-300:]}"
    for i, key in wrong.get("results", {}).items():
        found = Array(resultPath(folder, number, int(i)).read_bytes())
        expected = Array((folder / "wrong" / f"{key}.npy").read_bytes())
        if (found.dtype, expected.dtype) == ("i8", "u8"):  # keys and counters of random numbers, bit by bit
            found.dtype = "u8"
        told = difference(found, expected, case | {"rtol": max(case["rtol"], SLACK), "atol": max(case["atol"], SLACK)})
        if told:
            return f"{case['fetches'][int(i)][0]}: {told}"
    return None


def nameOf(wrong):
    return f"{wrong['case']} {wrong['feed'].split('/')[-1]} {wrong['what']}"


def differencesOf(suite):
    """The entries of a suite in differs.json."""
    return [entry for entry in json.loads(DIFFERS.read_text()) if entry["suite"] == suite]


def isKnownToDiffer(entry, wrong):
    isMeant = re.fullmatch(entry["case"], wrong["case"]) and re.fullmatch(entry["what"], wrong["what"])
    return isMeant and wrong["outcome"] == "computed" and wrong["kind"] == entry["kind"]


def endsWell(case, wrong, code, said):
    """Whether a run computes or is refused by name; what is wrong with it, else None."""
    return None if code == 0 else problem(None, case, wrong | {"outcome": "refused", "node": case["name"], "op": "", "message": ""}, 0, code, said)


def runAll(folder, trainer, runs):
    lines = folder / "lines"
    text = [commandLine(folder, case, wrong, number) for number, (case, wrong) in enumerate(runs)]
    lines.write_text("\n".join(text) + "\n")
    done = subprocess.run([trainer, lines], capture_output=True, timeout=3000, check=False)
    assert done.returncode == 0, f"the trainer failed, exit code {done.returncode}: {done.stderr.decode()}"
    return splitResults(done.stdout, len(runs))


def unpack(suite, folder):
    """The wrong feeds of a suite, none where it has none, with their arrays in a folder of the given one."""
    if not parts.isStored(REFUSALS, suite):
        return []
    parts.unpack(REFUSALS, suite, folder / "wrong")
    (folder / "files").mkdir(exist_ok=True)
    return json.loads((folder / "wrong" / "wrong.json").read_text())


def notes(path, suite, byDefault):
    return (json.loads(path.read_text()) if path.exists() else {}).get(suite, byDefault)


def note(path, suite, value):
    """Replaces a suite's entry in a file of notes."""
    content = json.loads(path.read_text()) if path.exists() else {}
    content[suite] = value
    path.write_text(json.dumps({key: content[key] for key in sorted(content) if content[key]}, indent=1) + "\n")


def check(folder, trainer, suite, cases, wrongs, update=False):
    """Runs the wrong feeds of the cases that a trainer has: the pending ones and what is said of them, and whether
    all is as known."""
    byName = {case["name"]: case for case in cases}
    runs = [(byName[wrong["case"]], wrong) for wrong in wrongs if wrong["case"] in byName]
    known, found, isGood = notes(PENDING, suite, {}), {}, True
    kept, differ = differencesOf(suite), set()
    for number, ((case, wrong), (code, said)) in enumerate(zip(runs, runAll(folder, trainer, runs) if runs else [])):
        told, name = problem(folder, case, wrong, number, code, said), nameOf(wrong)
        for i, entry in enumerate(kept):
            if told and isKnownToDiffer(entry, wrong):
                differ.add(i)
                told = endsWell(case, wrong, code, said)
        if told:
            found[name] = (wrong, told)
        if bool(told) != (name in known) and not update:
            isGood = False
            print(f"FAILED {name} ({wrong['kind']}): {told or 'passes now: strike it from refusals/pending.json'}")
    for i, entry in enumerate(kept):
        if i not in differ and any(isKnownToDiffer(entry, wrong) for _, wrong in runs) and not update:
            isGood = False
            print(f"FAILED {entry['case']} {entry['what']} is as in TensorFlow: strike it from refusals/differs.json")
    print(f"{suite}: {len(runs) - len(found)} of {len(runs)} wrong feeds end as in TensorFlow, {len(found)} do not yet")
    return found, isGood


def compileDynamic(options, graph, cases, isQuiet=False):
    """A trainer, the cases in it, and those that are not: some need their sizes when they are compiled."""
    trainer, failures = graph.with_suffix(".trainer"), []
    good = findCompilable(options, graph, cases, trainer, failures) if cases else []
    for name, code, said in failures if not isQuiet else []:
        print(f"{name} is not compiled, exit code {code}: {said.strip()[:300]}")
    if failures and good:
        code, said = compileSuite(options, graph, good, trainer)
        assert code == 0, f"cases compile alone, but not together: {said}"
    return trainer, good, failures


def main():
    parser = caseOptions(__doc__)
    parser.add_argument("--update", action="store_true", help="write what is pending of the suite anew")
    parser.add_argument("suite", nargs="?", help="(default: all)")
    parser.add_argument("case", nargs="*", help="only these")
    options = parser.parse_args()
    codes = []
    for suite in [options.suite] if options.suite else parts.suitesIn(REFUSALS):
        options.suite = suite
        codes.append(checkSuite(options))
    return max(codes)


# Cases that need sizes when they are compiled are fed wrongly where they do not: each a name of placeholders ("":
# all) whose dimensions but the last are dynamic.
PARTLY_OPEN = ("", "/x0")


def shapeOf(path):
    data = path.read_bytes()
    length = struct.unpack_from("<H", data, 8)[0]
    return ast.literal_eval(data[10 : 10 + length].decode())["shape"]


def isFedThere(folder, case, wrong, only):
    """Whether a wrong feed has the sizes that are not dynamic."""
    right = shapeOf(folder / f"{dict(case['feeds'])[wrong['feed']]}.npy")
    found = shapeOf(folder / "wrong" / f"{wrong['value']}.npy")
    if found == right:
        return True
    isDynamic = wrong["feed"].split(":")[0].endswith(only) and "/fixed" not in wrong["feed"]
    return isDynamic and len(found) == len(right) and len(found) > 1 and found[-1] == right[-1]


def checkStatic(options, folder, suite, cases, wrongs, update=False):
    """Runs wrong feeds of cases that cannot be compiled with dynamic sizes; likewise."""
    found, isGood, rest = {}, True, [case for case in cases if any(wrong["case"] == case["name"] for wrong in wrongs)]
    for only in PARTLY_OPEN:
        if not rest:
            break
        content = withDynamicShapes(parts.read(CASES, suite, "graph.meta"), keepsLast=True, only=only)
        graph = folder / "partly_dynamic.meta"
        graph.write_bytes(content)
        trainer, good, failures = compileDynamic(options, graph, rest, isQuiet=True)
        names = {name for name, _, _ in failures}
        rest = [case for case in rest if case["name"] in names]
        byName = {case["name"]: case for case in good}
        fed = [wrong for wrong in wrongs if wrong["case"] in byName and isFedThere(folder, byName[wrong["case"]], wrong, only)]
        more, areGood = check(folder, trainer, suite, good, fed, update) if fed else ({}, True)
        found, isGood = found | more, isGood and areGood
    return found, isGood


def checkSuite(options):
    """0 where the feeds of a suite end as is known of them."""
    folder = options.work / f"{options.suite}-refusals"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    parts.unpack(CASES, options.suite, folder)
    graph = folder / "graph.meta"
    graph.write_bytes(withDynamicShapes(graph.read_bytes()))
    static = [] if options.update else notes(STATIC, options.suite, [])
    wrongs = unpack(options.suite, folder)
    names = {wrong["case"] for wrong in wrongs}
    if options.case:
        names &= set(options.case)
    cases = [case for case in json.loads((folder / "cases.json").read_text()) if case["name"] in names]
    trainer, good, failures = compileDynamic(options, graph, [case for case in cases if case["name"] not in static])
    static += [name for name, code, _ in failures if options.update and code == 3]
    found, isGood = check(folder, trainer, options.suite, good, wrongs, options.update)
    more, areGood = checkStatic(options, folder, options.suite, [case for case in cases if case["name"] in static], wrongs, options.update)
    found, isGood = found | more, isGood and areGood
    if options.update and not options.case:
        note(STATIC, options.suite, sorted(name for name, code, _ in failures if code == 3))
        note(PENDING, options.suite, {name: wrong.get("op") or "computed" for name, (wrong, _) in sorted(found.items())})
        for name, (wrong, told) in found.items():
            print(f"pending {name} ({wrong['kind']}): {told}")
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if isGood and not failures or options.update else 1


if __name__ == "__main__":
    sys.exit(main())
