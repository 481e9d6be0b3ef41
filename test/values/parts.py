#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How suites of values are stored: in parts of at most 256 KiB, cut between cases, each of them one compressed stream.

    parts.py unpack test/values/cases/SUITE FOLDER   writes the suite's graph, tables and arrays as files
    parts.py pack FOLDER test/values/cases/SUITE     stores them again
    parts.py --self-test

SUITE.tar.xz holds the graph and the tables, and the arrays, too, where everything fits. Where it doesn't, the arrays
are in SUITE/BITS.tar.xz: a case is in the part whose name the bits of its name's hash begin with, and a part that is
too large is split by the next bit. So an edit of a case changes the part with its arrays and, where it changes the
graph or a table, SUITE.tar.xz; all other parts keep their bytes. A case of more than 256 KiB has a part alone.

Needs nothing but Python's standard library.
"""
import hashlib
import io
import lzma
import pathlib
import random
import sys
import tarfile
import tempfile

LIMIT = 256 << 10
SUFFIX = ".tar.xz"
# Arrays are mostly words of 4 and 8 bytes: two bits of the position say more than a third bit of the last byte.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 2, "lp": 2}]


def suitesIn(folder):
    """The names of the suites that a folder holds."""
    return sorted(path.name[: -len(SUFFIX)] for path in folder.glob("*" + SUFFIX))


def isStored(folder, suite):
    return (folder / (suite + SUFFIX)).is_file()


def membersOf(folder, suite):
    """Pairs of a name and its bytes, the graph and the tables first."""
    for path in [folder / (suite + SUFFIX), *sorted((folder / suite).glob("*" + SUFFIX))]:
        with tarfile.open(path, "r|xz") as archive:
            for member in archive:
                yield member.name, archive.extractfile(member).read()


def read(folder, suite, name):
    """The bytes of one member; of the graph and the tables without reading any array."""
    for found, content in membersOf(folder, suite):
        if found == name:
            return content
    raise KeyError(f"{folder / suite} has no {name}")


def unpack(folder, suite, target, leaving=()):
    """Writes all members but those `leaving` names as files of another folder."""
    for name, content in membersOf(folder, suite):
        if name in leaving:
            continue
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def isOfAllCases(name):
    return name == "graph.meta" or (name.endswith(".json") and "/" not in name)


def caseOf(name):
    """Arrays are named CASE.x0.npy; a file that a graph reads stands for itself."""
    return name.rsplit(".", 2)[0] if name.endswith(".npy") else name


def bitsOf(case):
    return f"{int.from_bytes(hashlib.sha256(case.encode()).digest(), 'big'):0256b}"


class Part:
    """A tar of members, the same bytes whenever it is made."""

    def __init__(self, members):
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for name in sorted(members, key=lambda name: (not isOfAllCases(name), name)):
                info = tarfile.TarInfo(name)  # no time, no owner
                info.size = len(members[name])
                archive.addfile(info, io.BytesIO(members[name]))
        self.tar = content.getvalue()
        self.compressed = lzma.compress(self.tar, filters=FILTERS)

    def write(self, path):
        """Another liblzma may compress the same tar otherwise: a file that holds it stays."""
        if path.is_file() and lzma.decompress(path.read_bytes()) == self.tar:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.compressed)


def split(members, bits, limit):
    """Parts of arrays of cases whose bits begin with `bits`."""
    if not members:
        return {}
    part = Part(members)
    if len(part.compressed) <= limit or len({caseOf(name) for name in members}) == 1:
        return {bits: part}
    return splitOnce(members, bits, limit)


def splitOnce(members, bits, limit):
    halves = {"0": {}, "1": {}}
    for name, content in members.items():
        halves[bitsOf(caseOf(name))[len(bits)]][name] = content
    return {**split(halves["0"], bits + "0", limit), **split(halves["1"], bits + "1", limit)}


def write(folder, suite, members, limit=LIMIT):
    """Stores a suite: a dictionary of names and their bytes."""
    first, others = Part(members), {}
    if len(first.compressed) > limit:
        first = Part({name: content for name, content in members.items() if isOfAllCases(name)})
        others = splitOnce({name: content for name, content in members.items() if not isOfAllCases(name)}, "", limit)
    first.write(folder / (suite + SUFFIX))
    for path in (folder / suite).glob("*" + SUFFIX):
        if path.name[: -len(SUFFIX)] not in others:
            path.unlink()
    for bits, part in others.items():
        part.write(folder / suite / (bits + SUFFIX))
    if not others and (folder / suite).is_dir():
        (folder / suite).rmdir()


def selfTest():
    """Edits of a suite of 60 cases change the parts that they have to, and all is read as it was written."""
    noise, limit = random.Random(1), 8 << 10
    draw = lambda size: bytes(noise.randrange(256) for _ in range(size))
    members = {f"case_{i}.{side}0.npy": draw(400) for i in range(60) for side in "xy"}
    members |= {"graph.meta": draw(2000), "cases.json": b"[]", "files/words.txt": b"a file"}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def stored():
            paths = [path for path in folder.rglob("*") if path.is_file()]
            return {str(path.relative_to(folder)): path.read_bytes() for path in paths}

        def changedBy(edit):
            before = stored()
            write(folder, "suite", members | edit, limit)
            assert dict(membersOf(folder, "suite")) == members | edit, "read otherwise than written"
            after = stored()
            return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))

        assert len(changedBy({})) > 8 and changedBy({}) == [], "the same is stored otherwise"
        assert all(len(content) <= limit for content in stored().values()), "a part is too large"
        for case in (0, 17, 59):
            changed = changedBy({f"case_{case}.x0.npy": draw(400)})
            assert len(changed) == 1 and changed != ["suite.tar.xz"], changed
            changedBy({})
            changed = changedBy({f"case_{case}.x0.npy": draw(300), "cases.json": b"[1]"})
            assert len(changed) == 2 and changed[0] == "suite.tar.xz", changed
            changedBy({})
        parts = len(stored())
        grown = changedBy({"case_5.y0.npy": draw(limit)})  # its part is split until the case has one alone
        assert len(stored()) > parts and "suite.tar.xz" not in grown and max(map(len, stored().values())) > limit, grown
        changedBy({})
        assert read(folder, "suite", "cases.json") == b"[]" and read(folder, "suite", "files/words.txt") == b"a file"
        members = {name: content for name, content in members.items() if "case_1" in name or not name.endswith(".npy")}
        write(folder, "suite", members, 1 << 20)
        assert list(stored()) == ["suite.tar.xz"] and suitesIn(folder) == ["suite"], "a suite that fits is one file"
        unpack(folder, "suite", folder / "files of suite", leaving=["cases.json"])
        assert (folder / "files of suite/files/words.txt").read_bytes() == b"a file"
        assert not (folder / "files of suite/cases.json").exists()
    print("parts are cut between cases, and an edit changes its own")


def main():
    if sys.argv[1:] == ["--self-test"]:
        selfTest()
    elif sys.argv[1:2] == ["unpack"] and len(sys.argv) == 4:
        suite = pathlib.Path(sys.argv[2])
        unpack(suite.parent, suite.name, pathlib.Path(sys.argv[3]))
    elif sys.argv[1:2] == ["pack"] and len(sys.argv) == 4:
        source, suite = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
        paths = [path for path in source.rglob("*") if path.is_file()]
        write(suite.parent, suite.name, {path.relative_to(source).as_posix(): path.read_bytes() for path in paths})
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
