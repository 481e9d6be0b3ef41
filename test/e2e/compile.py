# SPDX-License-Identifier: Apache-2.0
"""The compiler's and the trainer's outside: time, size, independence."""
import os
import re
import signal
import subprocess
import time

import harness


def the_reference_graph_compiles(setup):
    start = time.monotonic()
    setup.compile(harness.REFERENCE / "train.meta", "-o", setup.trainer).expect(0)
    print(f"compiled in {time.monotonic() - start:.2f} s")
    assert os.access(setup.trainer, os.X_OK)


def trainer_is_small_static_and_starts_at_once(setup):
    size = setup.trainer.stat().st_size
    print(f"size: {size} bytes")
    # The code for feeds, exports, evaluations, reports, rooflines and devices is in every trainer.
    assert size <= 28 << 17, f"{size} bytes"
    ldd = setup.run("ldd", setup.trainer)
    text = ldd.out + ldd.err
    assert "statically linked" in text or "not a dynamic executable" in text, text
    best = 1e9
    for turn in range(5):
        start = time.monotonic()
        setup.train(setup.dir / str(turn), "--steps", 1).expect(0)
        best = min(best, time.monotonic() - start)
    print(f"one step, from exec to exit, with two checkpoints: {best * 1e3:.1f} ms")
    assert best < 1, f"{best} s"


LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]


def targets_of(setup, trainer):
    return re.search(r"^targets +(.*)", setup.run(trainer, "info").expect(0).out, re.M)[1].split(", ")


def a_trainer_runs_on_every_machine_unless_told_otherwise(setup):
    # Levels that this machine lacks are compiled for, too.
    assert targets_of(setup, setup.trainer) == LEVELS
    own = setup.dir / "own"
    setup.compile(harness.REFERENCE / "train.meta", "--cpu=native", "-o", own).expect(0)
    (level,) = targets_of(setup, own)
    setup.compile(harness.REFERENCE / "train.meta", f"--cpu={level}", "-o", setup.dir / "same").expect(0)
    assert own.read_bytes() == (setup.dir / "same").read_bytes()
    two = setup.dir / "two"
    setup.compile(harness.REFERENCE / "train.meta", "--cpu=x86-64-v4,x86-64-v2", "-o", two).expect(0)
    assert targets_of(setup, two) == ["x86-64-v2", "x86-64-v4"]
    assert setup.trainer.stat().st_size < 1.1 * own.stat().st_size


def levels_agree(setup):
    """To float32 accuracy, those with FMA bit for bit; other contents of the artifact, or the optimization level,
    change no bit."""
    losses = {}
    for name, flags in {"all": ["--cpu=" + ",".join(LEVELS)], **{level: ["--cpu=" + level] for level in LEVELS},
                        "x86-64-v2 -O1": ["--cpu=x86-64-v2", "-O1"]}.items():  # fmt: skip
        setup.trainer = setup.dir / "trainer"
        setup.compile(harness.REFERENCE / "train.meta", *flags, "-o", setup.trainer).expect(0)
        done = setup.train(setup.dir / name, "--steps", 60, "--losses", setup.dir / f"{name}.losses")
        if done.code:
            assert name in done.err, done.err  # The machine lacks it.
        else:
            losses[name] = [line["loss"] for line in harness.read_losses(setup.dir / f"{name}.losses")]
    assert losses["x86-64-v2"] == losses["x86-64-v2 -O1"]
    assert losses["all"] == losses[[level for level in LEVELS if level in losses][-1]]
    # Vectors of 256 and of 512 bits.
    with_fma = [losses[level] for level in ("x86-64-v3", "x86-64-v4") if level in losses]
    assert all(found == with_fma[0] for found in with_fma)
    for found in losses.values():
        for a, b in zip(found, losses["all"]):
            assert abs(a - b) < 1e-4 * max(1, abs(b)), (a, b)


def a_crash_leaves_the_stages_so_far_and_says_where_it_was(setup):
    dumps = setup.dir / "stages"
    command = [setup.ingotc, harness.REFERENCE / "train.meta", "-o", setup.dir / "none", "--no-cache", "--dump-stages", dumps]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        last = dumps / "03-linalg.mlir"
        while process.poll() is None and not last.exists():
            time.sleep(0.001)
        process.send_signal(signal.SIGSEGV)
        _, text = process.communicate()
    assert process.returncode == 70, (process.returncode, text)
    (line,) = text.splitlines()
    assert re.fullmatch(r"error: ingotc crashed( in pass [a-z-]+)?(, at kernel '\w+')?(, at node '[\w/]+')?; this is a bug in Ingot, not in the graph", line), line
    assert (dumps / "01-import.mlir").stat().st_size > 0 and (dumps / "02-graph.mlir").stat().st_size > 0


if __name__ == "__main__":
    harness.main(globals())
