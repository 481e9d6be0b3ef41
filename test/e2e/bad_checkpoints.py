# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that are damaged or not this graph's: all of it is named."""
import shutil

import harness
from bundle import Bundle


def copy(setup):
    """A copy of TensorFlow's own checkpoint, to be damaged."""
    for path in harness.REFERENCE.glob("model.ckpt-60.*"):
        shutil.copy(path, setup.dir)
    return Bundle(setup.dir / "model.ckpt-60")


def init_from(setup, prefix):
    """Starts from a checkpoint; no files may be left where that fails."""
    return setup.train(setup.dir / "run", "--init-from", prefix, "--steps", 1)


def missing_shards_are_named(setup):
    bundle = copy(setup)
    init_from(setup, bundle.prefix).expect(0)
    shutil.rmtree(setup.dir / "run")
    shard = bundle.shard_path(0)
    shard.unlink()
    init_from(setup, bundle.prefix).expect(4, shard.name)
    init_from(setup, setup.dir / "no-such").expect(4, "no-such")


def flipped_bits_in_checkpoints_are_named(setup):
    bundle = copy(setup)
    for name in bundle.numeric():
        entry = bundle.entries[name]
        shard = bundle.shard_path(entry.shard)
        whole = shard.read_bytes()
        damaged = bytearray(whole)
        damaged[entry.offset + entry.size // 2] ^= 1
        shard.write_bytes(damaged)
        init_from(setup, bundle.prefix).expect(4, shard.name, name, str(entry.offset))
        shard.write_bytes(whole)
    index = setup.dir / "model.ckpt-60.index"
    damaged = bytearray(index.read_bytes())
    damaged[len(damaged) // 3] ^= 1
    index.write_bytes(damaged)
    init_from(setup, bundle.prefix).expect(4, index.name)


def foreign_variables_are_named(setup):
    # A sound checkpoint, of another model.
    zoo = harness.SOURCE / "test" / "data" / "checkpoint_zoo" / "v2_single"
    wanted = Bundle(harness.REFERENCE / "model.ckpt-0").numeric()
    done = init_from(setup, zoo).expect(4, "v2_single", *wanted)
    for foreign in Bundle(zoo).numeric():
        assert foreign in done.err, f"'{foreign}' is not named\n{done.err}"


def a_damaged_newest_checkpoint_falls_back(setup):
    run, whole = setup.dir / "run", setup.dir / "whole"
    flags = ("--save-checkpoints-steps", 20)
    setup.train(whole, "--max-steps", 60, *flags).expect(0)
    setup.train(run, "--max-steps", 40, *flags).expect(0)
    bundle = Bundle(run / "model.ckpt-40")
    shard = bundle.shard_path(0)
    shard.write_bytes(shard.read_bytes()[:-1])
    # From step 20, with a warning, to the same end.
    setup.train(run, "--max-steps", 60, *flags).expect(0, "warning: ", "model.ckpt-40")
    harness.assert_same_checkpoint(whole, run, 60)

    # If no checkpoint is whole, starting over would bury them.
    for path in run.glob("*.data-*"):
        path.write_bytes(path.read_bytes()[:-1])
    setup.train(run, "--max-steps", 80).expect(4, str(run))


if __name__ == "__main__":
    harness.main(globals())
