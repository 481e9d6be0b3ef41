# SPDX-License-Identifier: Apache-2.0
"""Writes OpDefaults.inc: the default values of the attributes of TensorFlow's ops.

    make_op_defaults.py ../../docs/ops.md > OpDefaults.inc

Needs TensorFlow 2.15. One row for each attribute with a default of each op that docs/ops.md names as
supported: the bytes of its AttrValue in hexadecimal digits.
"""
import re
import sys

from tensorflow.python.framework import op_def_registry


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    print("// Written by make_op_defaults.py.")
    print("// SPDX-License-Identifier: Apache-2.0")
    for name in sorted(set(re.findall(r"^\| (\w+) \|", text, re.M)) - {"op"}):
        op = op_def_registry.get(name)
        for attr in op.attr if op else ():
            if attr.HasField("default_value"):
                value = attr.default_value.SerializeToString(deterministic=True).hex()
                print(f'{{"{name}", "{attr.name}", "{value}"}},')


main()
