# SPDX-License-Identifier: Apache-2.0
"""Imports the suites of cases/, exports them again, and lets TensorFlow run the graphs.

    run_export.py --translate build/bin/ingot-translate --work DIR [SUITE...]

What TensorFlow computes from the exported graph is compared with what it computes from the original
one. Runs where INGOT_TF_PYTHON (or python3) has TensorFlow; exits with 77 elsewhere.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

import parts
from run_values import CASES, run

SKIPPED = 77

# A stack of arrays: that its elements are handles is not said where it is made.
NOT_EXPORTED = {"v1_nested_rows_gradient"}

# Cases of these suites that are left out: ingotc refuses an axis or a count that is fed, and
# TensorFlow takes MatrixExponential in graphs of its first years only.
LEFT_OUT = {
    "fed_numbers": {"Cumsum", "Cumprod", "CumulativeLogsumexp", "Multinomial"},
    "fed_sparse": {"UniqueV2"},
    "old_names": {"exponential_float32", "exponential_float64", "exponential_complex64", "exponential_complex128"},
}

# Runs the cases of a folder on its graph before and after, and lists the differences.
TENSORFLOW = """
import collections, json, pathlib, sys
import numpy
import tensorflow.compat.v1 as tf
from tensorflow.core.framework import variable_pb2
tf.disable_eager_execution()
folder = pathlib.Path(sys.argv[1])
cases = json.loads((folder / "checked.json").read_text())


def read(name, message):
    message.ParseFromString((folder / name).read_bytes())
    return message


def initializers(meta):
    if "value_test_initializers" in meta.collection_def:
        return list(meta.collection_def["value_test_initializers"].node_list.value)
    names = []
    for key in ("variables", "local_variables"):
        for value in meta.collection_def[key].bytes_list.value if key in meta.collection_def else []:
            names.append(variable_pb2.VariableDef.FromString(value).initializer_name)
    return names


def values(session, case, iterators):
    # Of other cases' initializers some need what is not there.
    others = {other["name"] for other in cases} - {case["name"]}
    own = [name for name in init + iterators if name.split("/")[0] not in others]
    session.run([session.graph.get_operation_by_name(name.split(":")[0]) for name in own])
    feeds = {name: numpy.load(folder / (key + ".npy")) for name, key in case["feeds"]}
    for _ in range(int(case.get("times", 1))):
        found = session.run([name for name, _ in case["fetches"]], feeds)
    return [numpy.asarray(value) for value in found]


def runCases(definition):
    iterators = [node.name for node in definition.node if node.op == "MakeIterator"]
    results = {}
    with tf.Graph().as_default():
        tf.import_graph_def(definition, name="")
        for case in cases:
            try:
                with tf.Session() as session:
                    results[case["name"]] = values(session, case, iterators)
            except Exception as error:
                results[case["name"]] = str(error)
    return results


def numNodes(graph):
    # The number of nodes of each case, without constants.
    return collections.Counter(node.name.split("/")[0] for node in graph.node if node.op != "Const")


def difference(found, expected, case, rounds):
    if isinstance(expected, str):  # what TensorFlow refuses, it may refuse again
        if isinstance(found, str):
            return None
        expected = [numpy.load(folder / (key + ".npy"), allow_pickle=True) for _, key in case["fetches"]]
    if isinstance(found, str):
        return found[:2000]
    for (name, _), x, y in zip(case["fetches"], found, expected):
        if {x.dtype, y.dtype} == {numpy.dtype("int64"), numpy.dtype("uint64")}:
            x, y = x.view(numpy.int64), y.view(numpy.int64)  # keys: only their bits count
        if x.shape != y.shape or x.dtype != y.dtype:
            return f"{name}: found {x.dtype} {x.shape}, expected {y.dtype} {y.shape}"
        if x.dtype.kind in "OSUb":
            same = (x == y).all()
        else:
            wide = [z.astype(numpy.float64) if z.dtype.kind not in "iu" else z for z in (x, y)]
            # A case's `atol` is a share of the largest number.
            finite = numpy.abs(wide[1][numpy.isfinite(wide[1])])
            atol = max(1e-7, rounds * case["atol"] * finite.max(initial=0))
            same = numpy.allclose(*wide, rtol=max(rounds * case["rtol"], 2e-6), atol=atol, equal_nan=True)
        if not same:
            return f"{name}: found {x}, expected {y}"[:2000]
    return None


meta = read("graph.meta", tf.MetaGraphDef())
init = initializers(meta)
before = runCases(meta.graph_def)
exported = read("graph.pb", tf.GraphDef())
after = runCases(exported)
# An op that TensorFlow has as one may come back as several, each of which rounds.
was, now = numNodes(meta.graph_def), numNodes(exported)
wrong = {
    case["name"]: difference(after[case["name"]], before[case["name"]], case, 4 if now[case["name"]] > was[case["name"]] else 1)
    for case in cases
}
(folder / "wrong.json").write_text(json.dumps({name: said for name, said in wrong.items() if said}))
refused = {name: said.splitlines()[-1] for name, said in before.items() if isinstance(said, str)}
(folder / "refused.json").write_text(json.dumps(refused))
"""


def hasTensorflow(python):
    look = "import importlib.util as u, sys; sys.exit(u.find_spec('tensorflow') is None)"
    return subprocess.run([python, "-c", look], check=False).returncode == 0


def roundTrip(options, folder, cases):
    """Imports and exports; what the exporter said, and whether there is a graph."""
    entries = []
    for case in cases:
        feeds, fetches = (",".join(name for name, _ in case[side]) for side in ("feeds", "fetches"))
        entries.append(f"--entry={case['name']}={feeds}->{fetches}")
    code, said = run([options.translate, "--import-metagraph", folder / "graph.meta", *entries,
                      "--locations", "-o", folder / "graph.mlir"])  # fmt: skip
    if code != 0:
        return code, said
    return run([options.translate, "--export-graphdef", folder / "graph.mlir", "-o", folder / "graph.pb"])


def checkSuite(options, python, suite):
    """Whether all cases of a suite agree."""
    folder = options.work / f"{suite}-export"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    parts.unpack(CASES, suite, folder)
    left = LEFT_OUT.get(suite, set())
    cases = [case for case in json.loads((folder / "cases.json").read_text()) if "fails" not in case and case["name"] not in left]
    (folder / "checked.json").write_text(json.dumps(cases))
    code, told = roundTrip(options, folder, cases)
    if code != 0:
        print(f"FAILED {suite}: no graph is exported, exit code {code}:\n{told}")
        return False
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
    files = folder / "files"  # what cases read
    files.mkdir(exist_ok=True)
    done = subprocess.run([python, "-c", TENSORFLOW, ".."], env=environment, check=False, cwd=files,
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode != 0:
        print(f"FAILED {suite}: TensorFlow does not take the graph:\n{done.stderr[-2000:]}")
        return False
    wrong = json.loads((folder / "wrong.json").read_text())
    agree = len(cases) - len(wrong)
    for name in NOT_EXPORTED & wrong.keys():
        print(f"{suite} {name} does not come back as it was")
        del wrong[name]
    refused = json.loads((folder / "refused.json").read_text())
    for name, said in wrong.items():
        print(f"FAILED {suite} {name}: {said}")
    print(f"{suite}: TensorFlow agrees on {agree} of {len(cases)} cases of the exported "
          f"graph; {len(refused)} it refuses in the original: {' '.join(refused)}")  # fmt: skip
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--translate", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder to work in")
    parser.add_argument("--keep", action="store_true", help="keep the folder's files")
    parser.add_argument("suite", nargs="*", help="only these; all where none is named")
    options = parser.parse_args()
    python = os.environ.get("INGOT_TF_PYTHON", sys.executable)
    if not hasTensorflow(python):
        print(f"{python} has no tensorflow; set INGOT_TF_PYTHON to one that has")
        return SKIPPED
    suites = options.suite or parts.suitesIn(CASES)
    failed = [suite for suite in suites if not checkSuite(options, python, suite)]
    print(f"{len(suites) - len(failed)} of {len(suites)} suites agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
