# SPDX-License-Identifier: Apache-2.0
"""Hooks that users write: built with their own compiler and one header."""
import json
import os
import re
import shutil

import harness

SOURCE = harness.SOURCE / "test" / "runtime" / "Hooks" / "Inputs" / "recording_hook.c"


def build_hook(setup, text=None):
    """Compiles `text`, or the recorder, in a folder that holds it and nothing of Ingot's."""
    compiler = os.environ.get("CC") or shutil.which("cc")
    if not compiler:
        raise harness.Skip("there is no C compiler: CC is not set, and cc (package gcc) is not in PATH")
    source = setup.dir / "mine.c"
    source.write_text(SOURCE.read_text() if text is None else text)
    library = setup.dir / "libmine.so"
    include = setup.ingotc.parent.parent / "include"
    setup.run(
        compiler, "-shared", "-fPIC", "-I", include, "-o", library, source
    ).expect(0)
    return library


def a_hook_built_with_the_header_alone_works(setup):
    library = build_hook(setup)
    calls, losses = setup.dir / "calls", setup.dir / "losses"
    setup.train(
        setup.dir / "run", "--max-steps", 10, "--losses", losses,
        "--hook", f"{library}:{calls},fetch,stop@2",
    ).expect(0)  # fmt: skip
    lines = calls.read_text().splitlines()
    plain = [line for line in lines if "value" not in line]
    assert plain == [
        "begin 0", "created 0", "before 0", "after 1", "before 1", "after 2",
        "end 2", "destroy 2",
    ], lines  # fmt: skip
    # The hook saw the values that the run wrote down.
    seen = [float(line.split()[-1]) for line in lines if "value" in line]
    told = [json.loads(line)["loss"] for line in losses.read_text().splitlines()]
    assert len(seen) == len(told) == 2, lines
    for a, b in zip(seen, told):
        assert abs(a - b) <= 1e-6 * abs(b), f"{a} and {b}"


def the_hook_of_the_documentation_ends_a_run(setup):
    """The block of C of docs/guide/hooks.md: it stops at the first loss below its argument."""
    page = (harness.SOURCE / "docs" / "guide" / "hooks.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```c\n(.*?)^```$", page, re.M | re.S)
    library = build_hook(setup, text)
    losses = setup.dir / "losses"
    setup.train(
        setup.dir / "run", "--max-steps", 2000, "--losses", losses, "--hook", f"{library}:threshold=0.5",
    ).expect(0)  # fmt: skip
    told = [json.loads(line)["loss"] for line in losses.read_text().splitlines()]
    assert 1 < len(told) < 2000 and told[-1] < 0.5 <= min(told[:-1]), told


if __name__ == "__main__":
    harness.main(globals())
