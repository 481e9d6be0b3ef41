#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the lists of behaviours that Ingot takes over against the tests that show them.

What it takes over, its seeds, is TensorFlow 1.x's Saver and SessionManager, the saveable of iterators with its hook, and
AdaNet's Estimator. The lists are test/seeds/*.txt.

    check_seeds.py              checks test/seeds/*.txt, and counts their items by state
    check_seeds.py --open       prints the items that are in part, or missing
    check_seeds.py --self-test  checks that each rule finds a fault

An item is a line, `id | state | behaviour | tests | reason`; lines that begin with # are comments. States:

- done: the tests show it
- part: some of it is there, which tests may show, and the reason says what lacks
- missing: the reason says what lacks
- none: it has no meaning here, and the reason says why

A test is named as ctest names it: `e2e.NAME`, `Suite.Name`, `lit.PATH`, `values.SUITE`; or as AN-123, a fact of
adanet_facts.md, which is done there. Whoever shows a behaviour turns its item, and lowers OPEN.
"""
import collections
import re
import sys

from check_adanet_table import ROOT, TESTS, facts, tests

SEEDS = ("saver", "session_manager", "iterator_hook", "adanet")
STATES = ("done", "part", "missing", "none")
# How many items may be in part or missing: fewer from change to change.
OPEN = 0


def runnable():
    """The names that items may give: tests that are run, and facts that are done."""
    registered = set(re.findall(r"\w+", (TESTS / "e2e" / "CMakeLists.txt").read_text()))
    found = set()
    for name, path in tests().items():
        if path.suffix == ".cpp":
            runs = path.name in (path.parent / "CMakeLists.txt").read_text()
        else:
            runs = not name.startswith("e2e.") or name[4:] in registered
        if runs:
            found.add(name)
    return found | {f"AN-{number}" for number, _, what in facts() if what.startswith("done: ")}


def items_of(seed, text, problems):
    """The items of a list that are well formed: id, state, behaviour, tests, reason."""
    items, behaviours = [], set()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 5 or not cells[2]:
            problems.append(f"{seed}.txt:{number}: expected 'id | state | behaviour | tests | reason'")
            continue
        expected = f"{seed}-{len(items) + 1:03d}"
        if cells[0] != expected:
            problems.append(f"{seed}.txt:{number}: the id is '{cells[0]}', expected '{expected}'")
        if cells[2] in behaviours:
            problems.append(f"{seed}.txt:{number}: '{cells[2]}' stands twice")
        behaviours.add(cells[2])
        items.append((f"{seed}.txt:{number}", *cells))
    return items


def problems_of(item, known):
    """What is wrong with an item."""
    place, _, state, _, shown, reason = item
    names = [name.strip() for name in shown.split(",")] if shown and shown != "-" else []
    for name in names:
        if name not in known:
            yield f"{place}: '{name}' is no test that is run, and no fact that is done"
    if state not in STATES:
        yield f"{place}: '{state}' is not one of the states {', '.join(STATES)}"
    elif state == "done" and not names:
        yield f"{place}: done, but no test is named"
    elif state == "done" and reason:
        yield f"{place}: done, but something lacks: {reason}"
    elif state != "done" and not reason:
        yield f"{place}: {state}, without a reason"
    elif state in ("missing", "none") and names:
        yield f"{place}: {state}, but tests are named"


def check(texts, known, most_open):
    """The items of all lists, and what is wrong with them."""
    problems, items = [], []
    for seed in sorted(set(texts) ^ set(SEEDS)):
        problems.append(f"test/seeds/{seed}.txt: {'no list is called so' if seed in texts else 'missing'}")
    for seed in (seed for seed in SEEDS if seed in texts):
        items += items_of(seed, texts[seed], problems)
    for item in items:
        problems += problems_of(item, known)
    count = sum(item[2] in ("part", "missing") for item in items)
    if count > most_open:
        problems.append(f"{count} items are in part or missing, expected at most OPEN = {most_open}")
    return items, problems


def self_test():
    known = {"Saver.saves", "e2e.it_saves", "AN-001"}
    lists = {seed: "" for seed in SEEDS}
    lists["saver"] = """# a comment
saver-001 | done | it saves | Saver.saves, e2e.it_saves, AN-001 |
saver-002 | part | it restores | Saver.saves | not all
saver-003 | missing | it mends | - | nobody does
saver-004 | none | it sings | - | it has no voice
"""
    items, problems = check(lists, known, 2)
    assert len(items) == 4 and not problems, problems
    faults = [
        ("| Saver.saves, e2e", "| Saver.forgets, e2e"),
        ("AN-001", "AN-002"),
        ("| done | it saves", "| fine | it saves"),
        ("Saver.saves, e2e.it_saves, AN-001 |", "- |"),
        ("AN-001 |", "AN-001 | but slowly"),
        ("| not all", "|"),
        ("| nobody does", "|"),
        ("| it has no voice", "|"),
        ("- | nobody", "Saver.saves | nobody"),
        ("- | it has", "AN-001 | it has"),
        ("saver-003", "saver-004"),
        ("saver-001", "adanet-001"),
        ("it mends", "it saves"),
        ("| it sings ", ""),
        ("| none | it sings", "| missing | it sings"),
    ]
    for old, new in faults:
        changed = dict(lists, saver=lists["saver"].replace(old, new, 1))
        assert changed != lists, old
        found = check(changed, known, 2)[1]
        assert len(found) == 1, (old, new, found)
    assert len(check(dict(lists, other=""), known, 2)[1]) == 1
    assert len(check({seed: text for seed, text in lists.items() if seed != "adanet"}, known, 2)[1]) == 1
    # Of the tree's own names: a function that helps a test is no test, nor is a fact that was not taken over.
    names = runnable()
    assert {"Directory.KeepsTheNewestFiveByDefault", "lit.compiler/Import/saver.test", "e2e.saves_by_the_clock", "AN-001"} <= names
    assert "e2e.copy" not in names and "AN-007" not in names
    print(f"{len(faults) + 2} faults found")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "test" / "seeds").glob("*.txt")}
    items, problems = check(texts, runnable(), OPEN)
    if sys.argv[1:] == ["--open"]:
        for _, name, state, behaviour, _, reason in items:
            if state in ("part", "missing"):
                print(f"{name} | {state} | {behaviour}: {reason}")
    counts = collections.Counter((item[1].rsplit("-", 1)[0], item[2]) for item in items)
    for seed in SEEDS:
        print(f"{seed}: " + ", ".join(f"{counts[seed, state]} {state}" for state in STATES))
    print(f"{len(items)} items: " + ", ".join(f"{sum(counts[seed, state] for seed in SEEDS)} {state}" for state in STATES))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
