#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source file names its license in its first twelve lines, as SPDX has it.

    check_spdx.py              checks the tracked files
    check_spdx.py --self-test  checks that a file without it is noticed
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = "SPDX-License-Identifier: Apache-2.0"
SUFFIXES = {".cpp", ".h", ".hpp", ".c", ".td", ".def", ".inc", ".proto", ".mlir", ".ll", ".py", ".cmake", ".sh", ".test", ".toml", ".yml", ".map"}
NAMES = {"CMakeLists.txt", "dev", "run"}


def is_source(path):
    return path.suffix in SUFFIXES or path.name in NAMES or path.name.endswith(".py.in")


def names_license(text):
    return WORDS in "\n".join(text.split("\n")[:12])


def main():
    if sys.argv[1:] == ["--self-test"]:
        assert names_license(f"//===- A.cpp ---===//\n// {WORDS}\n") and not names_license("int main() {}\n" * 12 + f"// {WORDS}\n")
        assert is_source(pathlib.Path("a/CMakeLists.txt")) and not is_source(pathlib.Path("a/train.meta"))
        return 0
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode:
        print("skipped: this is no clone of the repository")
        return 77
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    sources = [path for path in paths if is_source(path) and path.is_file()]
    missing = [path for path in sources if not names_license(path.read_text(encoding="utf-8"))]
    for path in missing:
        print(f"{path.relative_to(ROOT)}: its header lacks '{WORDS}'")
    print(f"{len(sources)} sources, {len(missing)} without a license")
    return 1 if missing or len(sources) < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
