#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every script that a program of bench names is there: benchmarks run seldom, so that a renamed one is noticed late.

    check_bench.py              checks the programs of bench
    check_bench.py --self-test  checks that a missing script is noticed
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def missing(texts, scripts):
    """Path and name of each script that one of the texts names, and that is not among `scripts`."""
    for path, text in texts.items():
        yield from ((path, name) for name in sorted(set(re.findall(r"[\w-]+\.py\b", text))) if name not in scripts)


def main():
    if sys.argv[1:] == ["--self-test"]:
        assert list(missing({"a": 'run.BENCH / "gone.py"', "b": "sh here.py"}, {"here.py"})) == [("a", "gone.py")]
        return 0
    scripts = {path.name for folder in ("bench", "test", "tools", "compiler") for path in (ROOT / folder).rglob("*.py")}
    programs = sorted((ROOT / "bench").rglob("*.py"))
    found = list(missing({path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in programs}, scripts))
    for path, name in found:
        print(f"{path}: there is no {name}")
    print(f"{len(programs)} programs, {len(found)} missing scripts")
    return 1 if found or len(programs) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
