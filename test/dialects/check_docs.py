#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where an op, a type, an attribute or a pass lacks its documentation, or
where a labelled constraint lacks its verifier line or its test.

What TableGen knows is read from TableGen itself (llvm-tblgen --dump-json), so
that documentation that comes from a class counts as well.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

# TableGen class -> how messages call its records, and the field of its name.
KINDS = {
    "Op": ("op", "opName"),
    "TypeDef": ("type", "mnemonic"),
    "AttrDef": ("attribute", "mnemonic"),
    "PassBase": ("pass", "argument"),
}
LABEL = re.compile(r"\(([a-z][a-z0-9_]*_c[0-9]+)\)")


def read_records(tblgen, source, td_file, mlir_include):
    """The records of one .td file and of all that it includes."""
    command = [tblgen, "--dump-json", "-I", str(source), "-I", mlir_include, str(td_file)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{td_file}: {result.stderr}")
    return json.loads(result.stdout)


def is_ours(record, kind):
    """Whether the record is declared in this project, not in MLIR's own files."""
    if kind == "Op":
        return record["opDialect"]["def"] in ("Ingot_Dialect", "Host_Dialect")
    if kind in ("TypeDef", "AttrDef"):
        return record["dialect"]["def"] in ("Ingot_Dialect", "Host_Dialect")
    return True


def missing_parts(record):
    """What the record's documentation lacks."""
    summary = record.get("summary") or ""
    description = record.get("description") or ""
    if not summary.strip():
        yield "no summary"
    if not description.strip():
        yield "no description"
    elif not re.search(r"```mlir\n.*\S.*?```", description, re.DOTALL):
        yield "no ```mlir example"


def cited_labels(files):
    labels = set()
    for path in files:
        labels.update(LABEL.findall(path.read_text(encoding="utf-8")))
    return labels


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--tblgen", required=True)
    parser.add_argument("--mlir-include", required=True)
    arguments = parser.parse_args()
    source = arguments.source
    folders = [source / name for name in ("dialects", "compiler", "codegen")]

    problems, labels, counts, seen = [], {}, {}, set()
    for td_file in sorted(path for folder in folders for path in folder.rglob("*.td")):
        records = read_records(arguments.tblgen, source, td_file, arguments.mlir_include)
        for base, (word, name_field) in KINDS.items():
            for definition in records["!instanceof"].get(base, []):
                record = records[definition]
                if definition in seen or not is_ours(record, base):
                    continue
                seen.add(definition)
                counts[word] = counts.get(word, 0) + 1
                name = record.get(name_field) or definition
                for part in missing_parts(record):
                    problems.append(f"{word} {name}: {part}")
                for label in LABEL.findall(record.get("description") or ""):
                    labels.setdefault(label, f"{word} {name}")

    if not counts.get("op") or not counts.get("pass"):
        problems.append(f"found {counts}: ops and passes were expected")
    in_verifiers = cited_labels(path for folder in folders for path in folder.rglob("*.cpp"))
    in_tests = cited_labels((source / "test").rglob("*.mlir"))
    for label, owner in sorted(labels.items()):
        if label not in in_verifiers:
            problems.append(f"{owner}: no verifier cites ({label})")
        if label not in in_tests:
            problems.append(f"{owner}: no test under test/ cites ({label})")
    for label in sorted((in_verifiers | in_tests) - labels.keys()):
        problems.append(f"({label}) is cited, but no op declares it")

    print(", ".join(f"{count} {word}s" for word, count in counts.items()), end="; ")
    print(f"{len(labels)} labelled constraints; {len(problems)} problems")
    for problem in problems:
        print("error:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
