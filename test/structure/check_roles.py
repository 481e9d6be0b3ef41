#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the roles of entries: docs/internals/host.md lists those of EntryRoles.def, and no code knows one by a name."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What may follow `findEntry(PROGRAM,` in the files where users name entries: flags, calls of embedded trainers, and hooks.
USERS_NAMES = {
    "runtime/CommandLine/Evaluation/Evaluation.cpp",
    "runtime/CommandLine/Verbs/PredictCommand.cpp",
    "runtime/CommandLine/Verbs/RunCommand.cpp",
    "runtime/CommandLine/Verbs/TrainOptions.cpp",
    "runtime/Embedding/Trainer.cpp",
    "runtime/Hooks/UserLibraryHook.cpp",
}


def listed():
    """Rows of EntryRoles.def as the page has them: value, text, owner, subject, description."""
    text = (ROOT / "runtime/ABI/EntryRoles.def").read_text().split("*/", 2)[2]
    rows = re.findall(r"^INGOT_ENTRY_ROLE\((\w+),\s*(\w+),\s*(\d+),\s*(\w+),\s*(\w+),\s*((?:\"[^\"]*\"\s*)+)\)", text, re.MULTILINE)
    for _, text, value, of, subject, description in rows:
        owner = "" if of == "NONE" else f"`{of.lower()}`"
        detail = {"NOTHING": "", "MEMBER": "a member or ensemble", "PLACE": "a process's place"}[subject]
        yield value, f"`{text}`", owner, detail, "".join(re.findall(r'"([^"]*)"', description))


def documented():
    page = (ROOT / "docs/internals/host.md").read_text()
    section = page.split("\n## Roles of entries\n")[1].split("\n## ")[0]
    for line in section.splitlines():
        if re.match(r"\| \d", line):
            yield tuple(cell.strip() for cell in line.strip("|").split("|"))


def asked_names(text):
    """The second arguments of calls of findEntry(program, ...) that are no role."""
    for asked in re.findall(r"\bfindEntry\(\s*[\w.*()>-]+,\s*([^,;]*?)[,)]", text):
        if not re.match(r"INGOT_ROLE_\w+$|ingot_role role$|std::string_view name$|role$|(?:mlir::ingot::)?Role\b", asked):
            yield asked


def main():
    wrong = []
    table, rows = list(listed()), list(documented())
    if table != rows:
        wrong += [f"host.md: {' | '.join(row)}: not in EntryRoles.def" for row in rows if row not in table]
        wrong += [f"EntryRoles.def: {' | '.join(row)}: not in host.md" for row in table if row not in rows]
        wrong += ["the rows of host.md have another order"] if sorted(table) == sorted(rows) else []
    asked = 0
    for folder in ("codegen", "compiler", "runtime"):
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            place = path.relative_to(ROOT).as_posix()
            text = path.read_text()
            for name in re.findall(r'lookupSymbol<[\w:]*EntryOp>\((".*?")', text):
                wrong.append(f"{place}: looks up entry {name}; ask findEntry for its role")
            for name in asked_names(text):
                asked += 1
                if place not in USERS_NAMES or '"' in name:
                    wrong.append(f"{place}: findEntry(..., {name}) asks for an entry by its name; ask for its role")
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"{len(table)} roles; {asked} names of users")
    return 1 if wrong or len(table) < 20 or asked < len(USERS_NAMES) else 0


if __name__ == "__main__":
    sys.exit(main())
