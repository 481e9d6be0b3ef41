#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""adanet_facts.md says of each numbered fact about AdaNet what became of it.

Each number from AN-001 to AN-253 has one row, in order, that says `open`, `not taken over: ` and why, or `done: ` and
which tests show it. Such a test exists, and the file that it stands in cites the number: "AN-046", "AN-046, 047" or
"AN-046 to 050". Tests are named as ctest names them: `e2e.NAME`, `Suite.Name`, `lit.PATH`, `values.SUITE`.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "test"
LAST = 253
NUMBER = re.compile(r"AN-(\d{3})((?:(?:, | and | to |-|–)(?:AN-)?\d{3})*)")


def cited(text):
    """The numbers that a file cites."""
    found = set()
    for match in NUMBER.finditer(text):
        last = int(match[1])
        found.add(last)
        for link, digits in re.findall(r"(, | and | to |-|–)(?:AN-)?(\d{3})", match[2]):
            number = int(digits)
            found.update(range(last, number + 1) if link in (" to ", "-", "–") else [number])
            last = number
    return found


def tests():
    """By name, the files in which tests stand."""
    found = {}
    for path in TESTS.rglob("*.cpp"):
        for suite, name in re.findall(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", path.read_text(), re.M):
            found[f"{suite}.{name}"] = path
    for path in (TESTS / "e2e").glob("*.py"):
        for name in re.findall(r"^def (\w+)\(setup\):", path.read_text(), re.M):
            found[f"e2e.{name}"] = path
    for path in (TESTS / "values" / "suites").glob("*.py"):
        found[f"values.{path.stem}"] = path
    for pattern in ("*.mlir", "*.test"):
        for path in TESTS.rglob(pattern):
            found[f"lit.{path.relative_to(TESTS)}"] = path
    return found


def facts():
    """The rows: number, subject, and what became of it."""
    return re.findall(r"^\| AN-(\d{3}) \| ([^|]+) \| ([^|]+) \|$", (TESTS / "structure" / "adanet_facts.md").read_text(), re.M)


def main():
    known, problems, counts = tests(), [], {"done": 0, "not taken over": 0, "open": 0}
    rows = facts()
    if [int(number) for number, _, _ in rows] != list(range(1, LAST + 1)):
        numbers = [int(number) for number, _, _ in rows]
        wrong = [n for n in range(1, LAST + 1) if numbers.count(n) != 1]
        problems.append(f"AN-001 to AN-{LAST} do not stand once each, in order; look at {wrong}")
    for number, _, what in rows:
        status, _, rest = what.partition(": ")
        if status not in counts or (rest.strip() == "") != (status == "open"):
            problems.append(f"AN-{number}: '{what}' is none of 'open', 'not taken over: REASON', 'done: `TEST`'")
            continue
        counts[status] += 1
        names = re.findall(r"`([^`]+)`", rest) if status == "done" else []
        if status == "done" and not names:
            problems.append(f"AN-{number}: no test is named")
        for name in names:
            if name not in known:
                problems.append(f"AN-{number}: there is no test '{name}'")
            elif int(number) not in cited(known[name].read_text()):
                problems.append(f"AN-{number}: {known[name].relative_to(ROOT)}, where '{name}' stands, does not cite it")
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
