#!/usr/bin/env python3
"""Adds to the table of ops which tests each supported op stands in: docs/ops.md.

    ingot-translate --list-ops | test/values/tested_by.py > docs/ops.md

Of the value suites (cases/) that have the op, those are named in which most of the nodes are of it. An op of
none is in a graph under test/data, or covered_elsewhere.json names its test.
"""
import check_coverage
import collections
import json
import pathlib
import sys
import zipfile

from check_coverage import META_GRAPH, SAVED_META_GRAPH, fields, opsInGraph

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NAMED = 2  # suites; of the others their number is said

TEXT = """
The last column says what holds an op against TensorFlow: suites of values (`test/values`), first those of whose
nodes the op has the largest share, or a graph under `test/data`. `test/values/tested_by.py` writes it.
"""


def opsOfMetaGraph(meta):
    return [op for graph in fields(meta, META_GRAPH) for op in opsInGraph(graph)]


def suitesByOp():
    """For each op the value suites that have it, by its share of their nodes."""
    shares = collections.defaultdict(dict)
    for path in (SOURCE / "test/values/cases").glob("*.zip"):
        with zipfile.ZipFile(path) as archive:
            ops = opsOfMetaGraph(archive.read("graph.meta"))
        for op, count in collections.Counter(ops).items():
            shares[op][path.stem] = count / len(ops)
    return {op: sorted(suites, key=lambda name: (-suites[name], name)) for op, suites in shares.items()}


def graphsByOp():
    """For each op the folders of test/data with a graph that has it."""
    folders = collections.defaultdict(set)
    data = SOURCE / "test/data"
    graphs = [(path, [path.read_bytes()]) for path in check_coverage.comparedGraphs(SOURCE)]
    graphs += [(path, fields(path.read_bytes(), SAVED_META_GRAPH)) for path in data.rglob("saved_model.pb")]
    for path, metas in graphs:
        for op in {op for meta in metas for op in opsOfMetaGraph(meta)}:
            folders[op].add(path.relative_to(data).parts[0])
    return {op: sorted(names) for op, names in folders.items()}


def listed(names, prefix):
    text = ", ".join(f"`{prefix}{name}`" for name in names[:NAMED])
    return text + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def main():
    suites, graphs = suitesByOp(), graphsByOp()
    elsewhere = json.loads((SOURCE / "test/values/covered_elsewhere.json").read_text())

    def testedBy(op):
        if op in suites:
            return listed(suites[op], "")
        if op in graphs:
            return listed(graphs[op], "test/data/")
        return f"`test/{elsewhere[op]}`" if op in elsewhere else ""

    isSupported = False
    for line in sys.stdin.read().splitlines():
        if line.startswith("## "):
            isSupported = line.startswith("## Supported")
            if isSupported:
                print(TEXT.strip() + "\n")
        if isSupported and line.startswith("|"):
            op = line.split("|")[1].strip()
            line += {"op": " tested by |", "---": "---|"}.get(op) or f" {testedBy(op)} |"
        print(line)


if __name__ == "__main__":
    sys.exit(main())
