# SPDX-License-Identifier: Apache-2.0
"""Hooks that users write: built with their own compiler and one header."""
import json
import os
import re
import shutil

import harness
from bundle import Bundle

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


FEEDING = """
#include <ingot/hook.h>
static const ingot_hook_services *services;
static ingot_hook_run *run;
/* Feeds 1/8 at the first step, 2/8 at the second, and so on. */
static int32_t before_run(void *state) {
  float rate = 0.125f * (float)(services->global_step(run) + 1);
  ingot_hook_tensor feed = {"rate:0", 1, 0, 0, &rate};
  (void)state;
  services->feed(run, &feed);
  return INGOT_HOOK_OK;
}
int32_t ingot_hook_create(const ingot_hook_services *s, ingot_hook_run *r, const char *arguments, ingot_hook *hook) {
  (void)arguments;
  services = s;
  run = r;
  hook->name = "Feeding";
  hook->before_run = before_run;
  return INGOT_HOOK_OK;
}
"""


def a_hook_feeds_the_steps_placeholders(setup):
    """before_run of a library gives each step another learning rate."""
    library, program, run = build_hook(setup, FEEDING), setup.dir / "trainer", setup.dir / "run"
    setup.compile(harness.SOURCE / "test" / "data" / "flags" / "train.meta", "-o", program).expect(0)
    flags = ("--model-dir", run, "--init-feed", "start=1", "--hook", library)
    setup.run(program, *flags, "--max-steps", 2).expect(0)
    # The loss is the sum of squares of w, which begins at 1: w *= 1 - 2 * rate.
    assert set(Bundle(run / "model.ckpt-2").values("net/w")) == {(1 - 2 / 8) * (1 - 4 / 8)}
    # A run that goes on feeds what belongs to its step.
    setup.run(program, *flags, "--max-steps", 3).expect(0)
    assert set(Bundle(run / "model.ckpt-3").values("net/w")) == {(1 - 2 / 8) * (1 - 4 / 8) * (1 - 6 / 8)}


if __name__ == "__main__":
    harness.main(globals())
