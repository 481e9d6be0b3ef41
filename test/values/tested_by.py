#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds to the table of ops which tests each supported op stands in, and what is refused of it: docs/ops.md.

    ingot-translate --list-ops | test/values/tested_by.py > docs/ops.md

Of the value suites (cases/) that have the op, those are named in which most of the nodes are of it. An op of
none is in a graph under test/data, or covered_elsewhere.json names its test.
"""
import check_coverage
import collections
import json
import pathlib
import sys

import parts
from check_coverage import META_GRAPH, SAVED_META_GRAPH, fields, opsInGraph
from derivatives import DERIVATIVES
from run_refusals import REFUSALS, nameOf
from run_values import CASES

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NAMED = 2  # suites; of the others their number is said
KINDS = ("sizes", "values")
NODE_NAME = 1

TEXT = """
*Tested by* says what holds an op against TensorFlow: suites of values (`test/values`), first those of whose
nodes the op has the largest share, or a graph under `test/data`. `test/values/tested_by.py` writes it.

*Sizes checked* and *values checked* count the feeds that TensorFlow refuses at the op, because of the size or the
values of what is fed (`test/values/refusals`), and how many of them a trainer refuses by the node's name. Where
nothing stands, TensorFlow took every wrong feed that was tried.

*Gradient*: it is in a graph that `ingot.gradients` differentiates, as TensorFlow does (`test/values/derivatives`).

Names that begin with `Ingot>` are ops that TensorFlow lacks: [JAX's random numbers](guide/from-jax.md#what-it-takes).
"""


def opsOfMetaGraph(meta):
    return [op for graph in fields(meta, META_GRAPH) for op in opsInGraph(graph)]


def suitesByOp():
    """For each op the value suites that have it, by its share of their nodes."""
    shares = collections.defaultdict(dict)
    for suite in parts.suitesIn(CASES):
        ops = opsOfMetaGraph(parts.read(CASES, suite, "graph.meta"))
        for op, count in collections.Counter(ops).items():
            shares[op][suite] = count / len(ops)
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


def refusalsByOp():
    """For each op and kind of fault how many feeds TensorFlow refuses, and how many of them a trainer."""
    pending = json.loads((SOURCE / "test/values/refusals/pending.json").read_text())
    static = json.loads((SOURCE / "test/values/refusals/static.json").read_text())
    counts = collections.defaultdict(lambda: [0, 0])
    for suite in parts.suitesIn(REFUSALS):
        wrongs = json.loads(parts.read(REFUSALS, suite, "wrong.json"))
        known, uncompiled = pending.get(suite, {}), set(static.get(suite, []))
        for wrong in wrongs:
            if wrong["outcome"] == "refused" and wrong["case"] not in uncompiled:
                count = counts[wrong["op"], wrong["kind"]]
                count[0] += 1
                count[1] += nameOf(wrong) not in known
    return counts


def gradientsByOp():
    """The ops in cases whose gradients are compared with TensorFlow's, which has one of them."""
    registered = json.loads((DERIVATIVES / "registered.json").read_text())
    exempt = json.loads((DERIVATIVES / "exempt.json").read_text())
    ops = set()
    for suite in parts.suitesIn(DERIVATIVES):
        table = json.loads(parts.read(DERIVATIVES, suite, "cases.json"))
        cases = {case["name"] for case in table if not case.get("unknown")}
        cases -= {name for name, (kind, _) in exempt.get(suite, {}).items() if kind == "tensorflow"}
        for graph in fields(parts.read(CASES, suite, "graph.meta"), META_GRAPH):
            for node in fields(graph, check_coverage.GRAPH_NODE):
                (name,), (op,) = fields(node, NODE_NAME), fields(node, check_coverage.NODE_OP)
                if name.decode().split("/")[0] in cases:
                    ops.add(op.decode())
    return {op for op in ops if registered.get(op) == "gradient"}


def listed(names, prefix):
    text = ", ".join(f"`{prefix}{name}`" for name in names[:NAMED])
    return text + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def page(table):
    """The page from the table that ingot-translate writes."""
    suites, graphs, refusals, gradients = suitesByOp(), graphsByOp(), refusalsByOp(), gradientsByOp()
    elsewhere = json.loads((SOURCE / "test/values/covered_elsewhere.json").read_text())

    def testedBy(op):
        if op in suites:
            return listed(suites[op], "")
        if op in graphs:
            return listed(graphs[op], "test/data/")
        return f"`test/{elsewhere[op]}`" if op in elsewhere else ""

    def checked(op, kind):
        wrong, refused = refusals.get((op, kind), (0, 0))
        return "" if not wrong else str(wrong) if wrong == refused else f"{refused} of {wrong}"

    lines, isSupported = [], False
    for line in table.splitlines():
        if line.startswith("## "):
            isSupported = line.startswith("## Supported")
            if isSupported:
                lines.append(TEXT.strip() + "\n")
        if isSupported and line.startswith("|"):
            op = line.split("|")[1].strip()
            cells = [testedBy(op), *(checked(op, kind) for kind in KINDS), "yes" if op in gradients else ""]
            if op == "op":
                cells = ["tested by", "sizes checked", "values checked", "gradient"]
            line += "---|---|---|---|" if op == "---" else " " + " | ".join(cells) + " |"
        lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(sys.stdin.read()))
