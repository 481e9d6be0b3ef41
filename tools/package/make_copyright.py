#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a package's copyright file: Ingot's licence, and those of all that is linked into its programs or lies beside them.

    make_copyright.py --own LICENSE --build BUILD --linked INGOTC.d --runtime FILES.txt -o copyright

INGOTC.d is the linker's list of what it read for the compiler, FILES.txt a list of what trainers are linked with. The
Debian packages that these files come from say themselves under which terms: their copyright files are taken as they are.
"""
import argparse
import pathlib
import re
import subprocess
import sys

# Packages of header-only libraries: our programs contain their code, but the linker's list does not name them.
INCLUDED = ["libeigen3-dev", "libkissfft-dev", "nlohmann-json3-dev"]
RULE = "=" * 78


def linked_files(path):
    """The prerequisites that a dependency file of the linker's names."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    return [word.replace("\\ ", " ") for word in re.findall(r"(?:\\ |\S)+", text.split(":", 1)[1].split("\n\n")[0])]


def packages_of(files):
    """The packages that own files, by dpkg: under the name that a file has, or had before /usr was merged."""
    names = set()
    for file in files:
        real = str(pathlib.Path(file).resolve())
        names.update({file, real, real.removeprefix("/usr")})
    found = subprocess.run(["dpkg-query", "--search", *sorted(names)], capture_output=True, text=True, check=False).stdout
    owners = dict(reversed(line.split(": ", 1)) for line in found.splitlines() if ": " in line)
    packages = set()
    for file in files:
        real = str(pathlib.Path(file).resolve())
        owner = next((owners[name] for name in (file, real, real.removeprefix("/usr")) if name in owners), None)
        if not owner:
            sys.exit(f"error: {file} is linked, and no Debian package says under which licence")
        packages.add(owner.split(",")[0].split(":")[0])
    return packages


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("own", "build", "linked", "runtime"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    parser.add_argument("-o", dest="out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    files = linked_files(arguments.linked) + arguments.runtime.read_text(encoding="utf-8").split("\n")
    files = {str((build / file).resolve()) if not file.startswith("/") else file for file in files if file}
    foreign = {file for file in files if build not in pathlib.Path(file).parents}
    by_text = {}
    for package in sorted(packages_of(sorted(foreign)) | set(INCLUDED)):
        text = pathlib.Path("/usr/share/doc", package, "copyright").read_text(encoding="utf-8")
        by_text.setdefault(text, []).append(package)
    parts = ["Ingot is under the Apache License 2.0, which is the first of these texts. Its programs, and what they link into\n"
             "trainers, hold code of the Debian packages named below, under the terms that follow each.\n",
             arguments.own.read_text(encoding="utf-8")]  # fmt: skip
    for text, packages in by_text.items():
        parts.append(f"{RULE}\n{', '.join(packages)}\n{RULE}\n\n{text}")
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
