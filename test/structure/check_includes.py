#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the direction of dependencies: which library's headers each library includes.

What CMake's targets allow at link time, this holds for headers: the runtime sees nothing of the compiler, and no
library but a backend's own sees a header of a target's.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OURS = {"codegen", "compiler", "dialects", "ingot", "proto", "runtime", "tools"}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# In Clang's runtime, which only builds with a sanitizer install: where these are included under a condition.
SANITIZERS = re.compile(r"^#include <sanitizer/", re.MULTILINE)
MAY_NEED_SANITIZERS = {"runtime/Support/AsanPoison.h"}

DIALECTS = {"dialects/Host", "dialects/Ingot"}
# A library and what it includes besides itself, `runtime/ABI` and `proto`.
ALLOWED = {
    "dialects/Host": set(),
    "dialects/Ingot": {"dialects/Host"},
    "compiler/Import": DIALECTS | {"runtime/Checkpoint", "runtime/Support"},
    "compiler/Export": DIALECTS | {"compiler/Import"},
    "compiler/StableHLO": {"compiler/Export", "compiler/Import"} | {"runtime/Checkpoint", "runtime/Formats", "runtime/Support"},
    "compiler/Builder": {"compiler/Graph", "dialects/Ingot", "ingot"},
    "compiler/Ensemble": {"compiler/Builder", "compiler/Import", "dialects/Ingot", "ingot"} | {"runtime/AdaNet", "runtime/Checkpoint", "runtime/Formats", "runtime/Support"},
    "compiler/Graph": DIALECTS | {"codegen", "codegen/Layout", "codegen/Statistics"},
    "compiler/Lower": DIALECTS | {"compiler/Graph", "codegen", "codegen/Statistics"},
    "codegen": {"dialects/Host", "codegen/LLVM"},
    "codegen/ABI": DIALECTS | {"codegen"},
    "codegen/LLVM": {"dialects/Host", "codegen/Kernels", "codegen/Math", "codegen/Statistics"},
    "codegen/Statistics": set(),
    "codegen/Layout": {"dialects/Ingot", "codegen", "codegen/Statistics"},
    "codegen/Math": {"codegen/Statistics"},
    "codegen/Kernels": {"dialects/Host", "codegen/Statistics"},
    "codegen/Host": {"dialects/Host", "codegen", "codegen/ABI", "codegen/LLVM", "codegen/Math", "codegen/Statistics"},
    "codegen/Emulate": {"codegen/LLVM"},
    "codegen/CPU": {"dialects/Host", "codegen", "codegen/Kernels", "codegen/LLVM", "codegen/Math", "codegen/Statistics"},
    "codegen/PTX": {"dialects/Host", "codegen", "codegen/Kernels", "codegen/LLVM", "codegen/Math", "codegen/Statistics"},
    "compiler/Driver": DIALECTS
    | {"codegen", "codegen/ABI", "codegen/Host", "codegen/Kernels", "codegen/LLVM", "codegen/Statistics"}
    | {"compiler/Import", "compiler/StableHLO", "compiler/Graph", "compiler/Lower", "runtime/Checkpoint"},
}
# The runtime's libraries, each of which may include those before it.
RUNTIME = ["Support", "Collective", "Charts", "Summary", "Device", "Checkpoint", "Formats", "Input", "Session", "Ops", "Hooks", "CommandLine", "AdaNet", "AdaNetTrainer", "Embedding"]
# Beside trainers: tools over some of them.
RUNTIME_TOOLS = {"tools/AdaNetTool", "tools/CheckpointTool", "runtime/CheckpointLibrary"}


def library_of(path):
    """The library that a file belongs to: the first two folders, of `codegen/Backend.h` codegen itself."""
    return "/".join(pathlib.PurePosixPath(path).parent.parts[:2])


def allowed(library, included):
    if included == library or included == "runtime/ABI" or included == "proto":
        return True
    if library in ALLOWED:
        return included in ALLOWED[library]
    if library in RUNTIME_TOOLS:
        return included.startswith("runtime/") or included in RUNTIME_TOOLS or included == "ingot"
    name = library.removeprefix("runtime/")
    if name in RUNTIME:
        earlier = {f"runtime/{other}" for other in RUNTIME[: RUNTIME.index(name)]}
        return included in earlier or included == "ingot"
    return False


def sources():
    for folder in ("dialects", "compiler", "codegen", "runtime", "tools/AdaNetTool", "tools/CheckpointTool"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cpp", ".c"):
                yield path


def main():
    wrong, seen = [], set()
    for path in sources():
        place = path.relative_to(ROOT).as_posix()
        library = library_of(place)
        if library == "runtime/ABI":
            continue
        text = path.read_text()
        if SANITIZERS.search(text) and place not in MAY_NEED_SANITIZERS:
            wrong.append(f"{place} includes a header that only Clang's runtime has")
        for included in INCLUDE.findall(text):
            if included.split("/")[0] not in OURS:
                continue
            target = library_of(included)
            seen.add((library, target))
            if not allowed(library, target):
                wrong.append(f"{place} includes {included}")
    for line in wrong:
        print(line)
    print(f"{len(seen)} pairs of libraries, {len(wrong)} wrong includes")
    # A pattern that no longer finds anything would find no fault either.
    return 1 if wrong or len(seen) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
