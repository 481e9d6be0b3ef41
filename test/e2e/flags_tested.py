# SPDX-License-Identifier: Apache-2.0
"""Which tests show what a flag of trainers does.

A test shows a flag where it passes it to a trainer, and is none about mistakes in
command lines: tests of test/e2e are Python functions, those of the command line
library, of searches and of hooks (test/runtime/CommandLine, AdaNet, Hooks) GoogleTests.
"""
import pathlib
import re

TEST = pathlib.Path(__file__).resolve().parents[1]
# By their names: they show only that a command line is refused.
MISTAKES = re.compile(r"refuse|UsageError|Mistakes|ExcludeOneAnother", re.IGNORECASE)


def tests():
    """Every test: its name, and its text."""
    for path in sorted((TEST / "e2e").glob("*.py")):
        for name, body in re.findall(r"^def (\w+)\(setup.*?\):\n((?:(?:    .*|#.*)?\n)*)", path.read_text(), re.M):
            yield name, body
    paths = (path for folder in ("CommandLine", "AdaNet", "Hooks") for path in (TEST / "runtime" / folder).glob("*Test.cpp"))
    for path in sorted(paths):
        for suite, name, body in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\) \{\n(.*?)^\}", path.read_text(), re.M | re.S):
            yield f"{suite}.{name}", body


def tested(flag, bodies=None):
    """The names of the tests that show the effect of `flag`."""
    given = re.compile(r"""["']""" + re.escape(flag) + r"""(?:["'=]|\s)""")
    return [name for name, body in bodies or tests() if given.search(body) and not MISTAKES.search(name)]


def flags(help_text):
    """The flags that a verb's --help lists."""
    return re.findall(r"^  (--[a-z-]+)", help_text, re.M)
