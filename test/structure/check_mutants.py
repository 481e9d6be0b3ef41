#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the list of mutants: each is documented, and its file is one of those that are compiled with mutants."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
documented = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/internals/mutants.md").read_text(), re.MULTILINE))
listed = set(re.findall(r"^  ([\w/-]+\.cpp)", (ROOT / "cmake/IngotMutants.cmake").read_text(), re.MULTILINE))
found, files = set(), set()
for folder in ("codegen", "compiler", "dialects", "runtime", "tools"):
    for path in (ROOT / folder).rglob("*.cpp"):
        names = re.findall(r'INGOT_(?:MUTANT\("(\w+)"\)|HAS_MUTANT\(\))', path.read_text())
        if names:
            files.add(path.relative_to(ROOT).as_posix())
        found.update(name for name in names if name)
for name in documented ^ found:
    print(f"{name}: documented and in the code, or in neither")
for name in files ^ listed:
    print(f"{name}: has mutants and is in cmake/IngotMutants.cmake, or neither")
print(f"{len(found)} mutants in {len(files)} files")
sys.exit(documented != found or files != listed or len(found) < 15)
