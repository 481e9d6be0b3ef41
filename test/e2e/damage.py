# SPDX-License-Identifier: Apache-2.0
"""Graphs, records and checkpoints with random damage: refused or used, never a crash.

`python3 test/e2e/damage.py --bin build/bin --work build/test/e2e damaged_inputs_never_crash`
with INGOT_FUZZ_SECONDS and INGOT_FUZZ_SEED in the environment goes on for longer.
"""
import os
import random
import shutil
import time

import harness

INPUTS = ["train.meta", "data/train.tfrecord", "model.ckpt-60.index"]
INPUTS += sorted(path.name for path in harness.REFERENCE.glob("model.ckpt-60.data-*"))


def damage(noise, data):
    """One of: bits flipped, a piece cut out, a piece repeated, the end missing."""
    data = bytearray(data)
    kind = noise.randrange(4)
    at = noise.randrange(len(data))
    size = noise.randint(1, 64)
    if kind == 0:
        for _ in range(noise.randint(1, 8)):
            data[noise.randrange(len(data))] ^= 1 << noise.randrange(8)
    elif kind == 1:
        del data[at : at + size]
    elif kind == 2:
        data[at:at] = data[at : at + size]
    else:
        del data[at:]
    return bytes(data)


def damaged_inputs_never_crash(setup):
    seconds = float(os.environ.get("INGOT_FUZZ_SECONDS", "10"))
    seed = int(os.environ.get("INGOT_FUZZ_SEED", "1"))
    noise, end, counts = random.Random(seed), time.monotonic() + seconds, {}
    folder = setup.dir / "input"
    shutil.copytree(harness.REFERENCE, folder)
    while time.monotonic() < end or len(counts) < 3:
        name = noise.choice(INPUTS)
        original = harness.REFERENCE / name
        (folder / name).write_bytes(damage(noise, original.read_bytes()))
        if name == "train.meta":
            done = setup.compile(folder / name, "--emit=mlir", "-o", setup.dir / "out.mlir")
            allowed = (0, 1, 3)
        else:
            shutil.rmtree(setup.dir / "run", ignore_errors=True)
            done = setup.train(setup.dir / "run", "--steps", 120, "--init-from",
                               folder / "model.ckpt-60", data_dir=folder)  # fmt: skip
            allowed = (0, 1, 4)
        assert done.code in allowed, (
            f"seed {seed}, {name}: exit code {done.code}\n{done.out}{done.err}"
        )
        if done.code:
            assert "error: " in done.err, f"seed {seed}, {name}: no message\n{done.err}"
        counts[name, done.code] = counts.get((name, done.code), 0) + 1
        shutil.copy(original, folder / name)
    print(f"seed {seed}: " + ", ".join(f"{n} exit {c}: {k}" for (n, c), k in sorted(counts.items())))


if __name__ == "__main__":
    harness.main(globals())
