"""The compiler's and the trainer's outside: time, size, independence."""
import os
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
    # What feeds, exports, evaluates and runs on devices is in every trainer.
    assert size <= 13 << 18, f"{size} bytes"
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


def every_cpu_level_compiles(setup):
    # Levels that this machine lacks can be compiled for, too.
    levels = "x86-64-v2,x86-64-v3,x86-64-v4"
    artifact = setup.dir / "trainer"
    setup.compile(
        harness.REFERENCE / "train.meta", "--cpu", levels, "-o", artifact
    ).expect(0)
    info = setup.run(artifact, "info").expect(0)
    for level in levels.split(","):
        assert level in info.out, info.out
    setup.trainer = artifact
    setup.train(setup.dir / "run", "--steps", 3).expect(0)


if __name__ == "__main__":
    harness.main(globals())
