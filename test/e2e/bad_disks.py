# SPDX-License-Identifier: Apache-2.0
"""Model folders that cannot be written."""
import os
import subprocess

import harness


def model_dir_in_the_way_is_refused(setup):
    blocked = setup.dir / "file"
    blocked.write_text("in the way")
    setup.train(blocked, "--steps", 1).expect(1, "file")
    setup.train(blocked / "run", "--steps", 1).expect(1, "file")
    assert blocked.read_text() == "in the way"
    # No user may make folders here, not even root.
    setup.train("/proc/no-such-run", "--steps", 1).expect(1, "/proc/no-such-run")
    if os.geteuid() != 0:
        locked = setup.dir / "locked"
        locked.mkdir(mode=0o500)
        setup.train(locked, "--steps", 1).expect(1, "locked")


def full_disk_is_reported_and_loses_nothing(setup):
    disk = setup.dir / "disk"
    disk.mkdir()
    # Room for two checkpoints of 0.5 MB, and not for the losses of a long run.
    mount = ["mount", "-t", "tmpfs", "-o", "size=1600k", "tmpfs", str(disk)]
    done = subprocess.run(mount, capture_output=True, check=False)
    if done.returncode:
        raise harness.Skip("mount -t tmpfs (as root) does not work here: " + done.stderr.decode().strip())
    try:
        run = disk / "run"
        setup.train(run, "--max-steps", 20).expect(0)
        filler = disk / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        setup.train(run, "--max-steps", 40).expect(1, "model.ckpt-40", "No space left")
        filler.unlink()
        # The older checkpoint is still there, and the run resumes from it.
        setup.train(run, "--max-steps", 40).expect(0)
        whole = setup.dir / "whole"
        setup.train(whole, "--max-steps", 40).expect(0)
        harness.assert_same_checkpoint(whole, run, 40)
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def limited(setup, limit, *words):
    """Runs a command under a limit of the shell."""
    return setup.run("sh", "-c", f'ulimit {limit}; exec "$@"', "sh", *words)


def files_that_may_not_grow_are_named(setup):
    """Where there is a limit on the size of files, which comes as a signal."""
    command = setup.train_command(setup.dir / "run", "--max-steps", 20)
    limited(setup, "-f 8", *command).expect(1, "cannot save", "model.ckpt-0", "cannot write", "File too large")
    compile = (setup.ingotc, harness.REFERENCE / "train.meta", "-o", setup.dir / "trainer")
    limited(setup, "-f 8", *compile).expect(1, "cannot write", "File too large")
    # Likewise where the whole trainer is in the cache.
    setup.run(*compile).expect(0)
    limited(setup, "-f 8", *compile).expect(1, "cannot write", "File too large")


def what_is_not_to_be_had_is_said(setup):
    """Memory, with its size: no run ends without a word, however much there is. Threads to read ahead are done without."""
    said = []
    for room in (4500, 9000, *range(28000, 40000, 2000)):
        done = limited(setup, f"-v {room}", *setup.train_command(setup.dir / "run", "--steps", 2, "--threads", 1))
        assert done.code == 0 or (done.code == 1 and "error: " in done.err and " bytes" in done.err), (room, done.code, done.err)
        said.append(done.err)
    assert any("out of memory: " in text for text in said) and not any("cannot start a thread" in text for text in said), said


if __name__ == "__main__":
    harness.main(globals())
