# SPDX-License-Identifier: Apache-2.0
"""Every op that docs/ops.md supports has a row in Signatures.inc.

Without a row the exporter can't write the op, and a trainer's graph lacks it. OpDefaults.inc has rows for ops with
defaults only, which TensorFlow alone knows: e2e.tables_of_ops_are_tensorflows compares both files with it.

    check_op_tables.py              checks the tree
    check_op_tables.py --self-test  checks that a missing row is noticed
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def rows(page):
    """The ops of the table under `Supported`."""
    table = page[page.index("\n## Supported") :]
    table = table[: table.index("\n## ", 4)]
    return set(re.findall(r"^\| ([\w>]+) \|", table, re.M)) - {"op"}


def missing(page, signatures):
    return sorted(rows(page) - set(re.findall(r'^\{"([\w>]+)",', signatures, re.M)))


def self_test():
    page = "\n## Supported (2)\n\n| op | |\n|---|---|\n| Add | |\n| Sub | |\n\n## Refused\n\n| Mul | |\n"
    assert missing(page, '{"Sub", "x:T", "z:T"},\n') == ["Add"]


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    page, signatures = ((ROOT / path).read_text(encoding="utf-8") for path in ("docs/ops.md", "compiler/Export/Signatures.inc"))
    found = missing(page, signatures)
    for op in found:
        print(f"compiler/Export/Signatures.inc: no row for {op}, which docs/ops.md supports: run make_signatures.py ../../docs/ops.md > Signatures.inc")
    return 1 if found else 0


sys.exit(main())
