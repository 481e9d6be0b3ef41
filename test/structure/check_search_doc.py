#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds docs/guide/search.md against proto/AdaNetSearch.proto: every field that a search can have is documented, by its name."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIELD = re.compile(r"^\s*(?:optional |repeated )?[A-Za-z0-9_.]+ ([a-z_0-9]+) = \d+;", re.MULTILINE)


def main():
    fields = set(FIELD.findall((ROOT / "proto/AdaNetSearch.proto").read_text()))
    text = re.sub(r"^```.*?^```$", "", (ROOT / "docs/guide/search.md").read_text(), flags=re.MULTILINE | re.DOTALL)
    words = set(re.findall(r"[a-z_0-9]+", " ".join(re.findall(r"`[^`]+`", text))))
    missing = sorted(fields - words)
    print(f"{len(fields)} fields of searches, {len(missing)} not in docs/guide/search.md: {', '.join(missing)}")
    return bool(missing) or len(fields) < 80


if __name__ == "__main__":
    sys.exit(main())
