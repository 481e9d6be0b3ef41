#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where an op neither has a gradient nor says why not, or says otherwise than TensorFlow.

An op says so in a <Family>Gradients.cpp, by attachGradientsOf or, where nothing flows through it,
attachNoGradients; of the others without_gradient.json has the reasons, some for a whole family. What TensorFlow has
registered for its ops is in test/values/derivatives/registered.json (make_derivatives.py).
"""
import argparse
import json
import pathlib
import re
import sys

DEFINITION = re.compile(r'^def Ingot_(\w+Op)\s*:\s*\w+<\s*"(\w+)"(.*?)(?=^def |\Z)', re.DOTALL | re.MULTILINE)
ATTACHED = re.compile(r"attach(GradientsOf|NoGradients)<([^>]*)>\(")
TENSORFLOW = re.compile(r'TF_Op<"(\w+)"')


def definitions(dialect):
    """For each op its mnemonic, its family and TensorFlow's ops that it alone stands for."""
    ops = {}
    for path in sorted((dialect / "IR").glob("Ingot*.td")):
        for name, mnemonic, rest in DEFINITION.findall(path.read_text()):
            theirs = TENSORFLOW.findall(rest) or re.findall(r'^, "(\w+)"', rest)
            ops[name] = (mnemonic, path.stem.removeprefix("Ingot"), theirs)
    return ops


def attached(dialect):
    """For each op that says so whether it has a gradient."""
    says = {}
    for path in sorted((dialect / "Gradients").glob("*Gradients.cpp")):
        for kind, names in ATTACHED.findall(path.read_text()):
            says.update((name.strip(), kind == "GradientsOf") for name in names.split(","))
    return says


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, type=pathlib.Path)
    source = parser.parse_args().source
    dialect = source / "dialects/Ingot"
    ops, says = definitions(dialect), attached(dialect)
    without = json.loads((source / "test/dialects/without_gradient.json").read_text())
    registered = json.loads((source / "test/values/derivatives/registered.json").read_text())
    problems, listed = [], set()
    for name, (mnemonic, family, theirs) in ops.items():
        reason = without["ops"].get(mnemonic) or without["families"].get(family)
        listed |= {mnemonic, family}
        kinds = {registered[op] for op in theirs if op in registered}
        if name in says:
            if mnemonic in without["ops"]:
                problems.append(f"{mnemonic}: has a gradient, and a reason to have none")
            if says[name] and kinds and "gradient" not in kinds:
                problems.append(f"{mnemonic}: has a gradient, but TensorFlow has {kinds} for {theirs}")
        elif not reason:
            problems.append(f"{mnemonic}: no gradient, and no reason")
        elif reason == "TensorFlow has none" and "gradient" in kinds:
            problems.append(f"{mnemonic}: TensorFlow has a gradient of {theirs}")
    problems += [f"{entry}: there is no such op or family" for part in without.values() for entry in part if entry not in listed]
    problems += [f"{name}: there is no such op" for name in says if name not in ops]
    for problem in problems:
        print(f"error: {problem}")
    count = list(says.values()).count(True)
    print(f"{len(ops)} ops: {count} have gradients, through {len(says) - count} nothing flows; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
