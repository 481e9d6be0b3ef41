# SPDX-License-Identifier: Apache-2.0
"""Writes Signatures.inc: the arguments of TensorFlow's ops, as its registry has them.

    make_signatures.py ../../docs/ops.md > Signatures.inc

Needs TensorFlow 2.15. One row for each supported op of docs/ops.md, and for those that only the
exporter writes. An argument is `name:type`, where a type is an attribute (`T`), a fixed type
(`=int32`), either of them many times (`N*T`), or a list of types (`Tin[]`).
"""
import re
import sys

from tensorflow.python.framework import op_def_registry

from tensorflow.core.framework import types_pb2

MORE = [
    "DeserializeIterator", "SerializeIterator", "MergeV2Checkpoints", "ShardedFilename",
    "StatelessWhile", "StatelessIf", "While", "If", "DummySeedGenerator",
]  # fmt: skip
# Ingot's own ops, which TensorFlow's registry lacks.
OWN = {"Ingot>ThreefryBits": ("key:=uint32 first:=uint64 shape:Tshape", "output:dtype")}


def describe(argument):
    if argument.type_list_attr:
        kind = argument.type_list_attr + "[]"
    elif argument.type_attr:
        kind = argument.type_attr
    else:
        kind = "=" + types_pb2.DataType.Name(argument.type)[3:].lower()
    if argument.number_attr:
        kind = argument.number_attr + "*" + kind
    return f"{argument.name}:{kind}"


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    names = set(re.findall(r"^\| ([\w>]+) \|", text, re.M)) - {"op"}
    print("// Written by make_signatures.py.")
    print("// SPDX-License-Identifier: Apache-2.0")
    for name in sorted(names | set(MORE)):
        op = op_def_registry.get(name)
        if op is None and name not in OWN:
            continue
        inputs, outputs = OWN.get(name) or (
            " ".join(describe(argument) for argument in side)
            for side in (op.input_arg, op.output_arg)
        )
        print(f'{{"{name}", "{inputs}", "{outputs}"}},')


main()
