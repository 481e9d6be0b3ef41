#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the version of CMakeLists.txt, which programs print, against CHANGELOG.md and git's tags.

    check_version.py              checks this tree
    check_version.py --self-test  checks that each rule finds a fault

The changelog's first section is of this version: `## 0.1.0 (unreleased)`, or `## 0.1.0 (2026-11-26)` once the tag
`v0.1.0` is there. A commit that has a tag `v...` has the tag of this version and a section with a date.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def problems_of(cmake, changelog, tags):
    """What is wrong, of both files' texts and the tags of the commit."""
    version = re.search(r"^project\(Ingot VERSION ([\d.]+)", cmake, re.M)
    section = re.search(r"^## ([\d.]+) \((unreleased|\d{4}-\d\d-\d\d)\)$", changelog, re.M)
    if not version or not section:
        return ["CMakeLists.txt has no project(Ingot VERSION ...), or CHANGELOG.md no section `## VERSION (DATE or unreleased)`"]
    found = []
    if section[1] != version[1]:
        found.append(f"CMakeLists.txt has version {version[1]}, CHANGELOG.md begins with {section[1]}")
    for tag in tags:
        if tag != f"v{version[1]}":
            found.append(f"this commit has tag {tag}, and version {version[1]}")
        elif section[2] == "unreleased":
            found.append(f"this commit has tag {tag}, and its section of CHANGELOG.md says unreleased")
    return found


def self_test():
    cmake, changelog = "project(Ingot VERSION 1.2.0 LANGUAGES C)", "# Changelog\n\n## 1.2.0 ({})\n\n## 1.1.0 (2026-01-01)\n"
    draft, final = changelog.format("unreleased"), changelog.format("2026-02-03")
    assert not problems_of(cmake, draft, []) and not problems_of(cmake, final, ["v1.2.0"])
    faults = [
        (cmake.replace("1.2.0", "1.3.0"), draft, []),
        (cmake, final, ["v1.1.0"]),
        (cmake, draft, ["v1.2.0"]),
        (cmake, changelog, []),
        ("project(Other)", draft, []),
    ]
    for fault in faults:
        assert len(problems_of(*fault)) == 1, (fault, problems_of(*fault))
    print(f"{len(faults)} faults found")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    tags = subprocess.run(["git", "-C", str(ROOT), "tag", "--points-at", "HEAD", "v*"], capture_output=True, text=True, check=False)
    found = problems_of(*((ROOT / name).read_text(encoding="utf-8") for name in ("CMakeLists.txt", "CHANGELOG.md")),
                        tags.stdout.split())  # fmt: skip
    print("\n".join(found) or "version, changelog and tags agree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
