# SPDX-License-Identifier: Apache-2.0
"""What `./dev COMMAND` runs, it has built: in a fresh clone nothing else is there.

    check_dev_targets.py SOURCE
"""
import pathlib
import re
import sys


def used(script, programs):
    """The programs that a script names, as a file's name or as one beside another."""
    text = script.read_text(encoding="utf-8")
    return {name for name in programs if re.search(rf'["/]{name}["\s]', text)}


def main(source):
    programs = sorted(folder.name for folder in (source / "tools").iterdir() if folder.name.startswith("ingot"))
    problems, seen = [], 0
    for name, block in re.findall(r"^  ([\w-]+)\)\n(.*?)\n    ;;", (source / "dev").read_text(encoding="utf-8"), re.M | re.S):
        # A portable program goes by the name of the one that it is.
        targets = {word.removesuffix("-portable") for line in re.findall(r"build_targets (.*)", block) for word in line.split()}
        for script in re.findall(r"python3 (?:-B )?(\S+\.py)", block):
            seen += 1
            if "all" not in targets:
                problems += [f"./dev {name}: {script} runs {program}, which is not built"
                             for program in sorted(used(source / script, programs) - targets)]  # fmt: skip
    assert seen >= 5, f"only {seen} scripts found in dev"
    assert not problems, "\n".join(problems)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
