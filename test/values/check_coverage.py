#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where an op that docs/ops.md calls supported is in no test that knows what TensorFlow makes of it.

An op is covered by a case of cases/, by a graph under test/data whose run is compared with
TensorFlow's, or by a test that covered_elsewhere.json names for it.

    check_coverage.py --source .
"""
import argparse
import json
import pathlib
import re
import sys

import parts
from dynamic_shapes import readVarint

GRAPH_NODE, GRAPH_LIBRARY, LIBRARY_FUNCTION = 1, 2, 1
FUNCTION_NODE, NODE_OP, META_GRAPH, SAVED_META_GRAPH = 3, 2, 2, 2


def fields(message, wanted):
    """The contents of the fields of a message that have a length and the wanted number."""
    at = 0
    while at < len(message):
        tag, at = readVarint(message, at)
        number, kind = tag >> 3, tag & 7
        if kind == 2:
            size, at = readVarint(message, at)
            if number == wanted:
                yield message[at : at + size]
            at += size
        elif kind == 0:
            _, at = readVarint(message, at)
        else:
            at += {1: 8, 5: 4}[kind]


def opsInGraph(graph):
    """The op of each node of a GraphDef and its functions."""
    nodes = list(fields(graph, GRAPH_NODE))
    for library in fields(graph, GRAPH_LIBRARY):
        for function in fields(library, LIBRARY_FUNCTION):
            nodes += fields(function, FUNCTION_NODE)
    return [op.decode() for node in nodes for op in fields(node, NODE_OP)]


def opsOfMetaGraph(meta):
    return {op for graph in fields(meta, META_GRAPH) for op in opsInGraph(graph)}


def comparedGraphs(source):
    """The graphs under test/data whose runs are held against TensorFlow's: not those that flags are tried on."""
    return [path for path in (source / "test/data").rglob("*.meta") if path.parent.name != "flags"]


def testedOps(source):
    """The ops of the value cases, and of the graphs that are trained and compared with TensorFlow."""
    ops = set()
    cases = source / "test/values/cases"
    for suite in parts.suitesIn(cases):
        ops |= opsOfMetaGraph(parts.read(cases, suite, "graph.meta"))
    for path in comparedGraphs(source):
        ops |= opsOfMetaGraph(path.read_bytes())
    for path in (source / "test/data").rglob("saved_model.pb"):
        for meta in fields(path.read_bytes(), SAVED_META_GRAPH):
            ops |= opsOfMetaGraph(meta)
    return ops


def supportedOps(source):
    """The table under `## Supported` of docs/ops.md."""
    section = re.search(r"^## Supported.*?(?=^## )", (source / "docs/ops.md").read_text(), re.DOTALL | re.MULTILINE)
    return set(re.findall(r"^\| ([\w>]+) \|", section.group(0), re.MULTILINE)) - {"op"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, type=pathlib.Path)
    source = parser.parse_args().source
    elsewhere = json.loads((source / "test/values/covered_elsewhere.json").read_text())
    supported, tested = supportedOps(source), testedOps(source)
    problems = [f"{op}: no value case, no model, and not in covered_elsewhere.json"
                for op in sorted(supported - tested - elsewhere.keys())]  # fmt: skip
    for op, test in sorted(elsewhere.items()):
        if op not in supported:
            problems.append(f"{op}: covered_elsewhere.json has it, but docs/ops.md does not support it")
        if op in tested:
            problems.append(f"{op}: covered_elsewhere.json has it, but a value case or a model tests it")
        path = source / "test" / test
        if not path.is_file() or not re.search(rf"\b{re.escape(op)}\b", path.read_text()):
            problems.append(f"{op}: covered_elsewhere.json names test/{test}, which does not speak of it")
    print(f"{len(supported)} ops supported; {len(supported & tested)} in value cases and models, {len(elsewhere)} elsewhere")
    for problem in problems:
        print("error:", problem)
    return 1 if problems or not supported or not tested else 0


if __name__ == "__main__":
    sys.exit(main())
