# SPDX-License-Identifier: Apache-2.0
"""Fails where an op that has a gradient is in no case whose gradient is compared with TensorFlow's, or in none that is
compared with finite differences (run_derivatives.py).

    check_derivatives.py --ingotc build/bin/ingotc --work DIR --source .

Ops of our own need no case of TensorFlow's: those that registered.json, by their names in the definitions, has not.
"""
import argparse
import json
import pathlib
import re
import sys

import parts
from derivatives import DERIVATIVES, ENTRY
from run_derivatives import Case
from run_values import CASES, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "dialects"))
import check_gradients


def opsByEntry(text):
    """The mnemonics of each entry of a program."""
    ops, name = {}, None
    for line in text.splitlines():
        if found := ENTRY.match(line):
            name = found["quoted"] or found["plain"]
            ops[name] = set()
        elif name:
            ops[name].update(re.findall(r"= ingot\.(\w+)", line))
    return ops


def casesOf(suite, folder):
    """The suite's cases, in a folder of their own."""
    tables = []
    for path in (CASES, DERIVATIVES):
        parts.unpack(path, suite, folder, leaving=["cases.json"])
        tables.append({case["name"]: case for case in json.loads(parts.read(path, suite, "cases.json"))})
    return [Case(tables[0][name], entry, folder) for name, entry in tables[1].items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("ingotc", "work", "source"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    options = parser.parse_args()
    exempt = json.loads((DERIVATIVES / "exempt.json").read_text())
    theirs, differences = set(), set()
    for suite in parts.suitesIn(DERIVATIVES):
        folder = options.work / "every_gradient" / suite
        folder.mkdir(parents=True, exist_ok=True)
        cases = casesOf(suite, folder)
        program = folder / "program.mlir"
        code, said = run([options.ingotc, folder / "graph.meta", "--emit=mlir", "--stage=import", "-o", program, *(case.entry() for case in cases)])
        assert code == 0, said
        ops = opsByEntry(program.read_text())
        for case in cases:
            kind = exempt.get(suite, {}).get(case.name, [None])[0]
            if case.isKnown and kind != "tensorflow":
                theirs |= ops[case.name]
            if case.isDouble and kind != "differences":
                differences |= ops[case.name]
    for ops in opsByEntry((DERIVATIVES / "programs.mlir").read_text()).values():
        differences |= ops
    dialect = options.source / "dialects/Ingot"
    registered = json.loads((DERIVATIVES / "registered.json").read_text())
    definitions, says = check_gradients.definitions(dialect), check_gradients.attached(dialect)
    problems = []
    for name, (mnemonic, _, names) in definitions.items():
        if not says.get(name):
            continue
        if mnemonic not in differences and mnemonic not in exempt["ops"]:
            problems.append(f"{mnemonic}: never compared with finite differences")
        if mnemonic not in theirs and any(registered.get(op) == "gradient" for op in names):
            problems.append(f"{mnemonic}: never compared with TensorFlow's gradient")
    print("\n".join(f"error: {problem}" for problem in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
