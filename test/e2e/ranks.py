# SPDX-License-Identifier: Apache-2.0
"""Launching a trainer as several ranks, for tests of scale-out."""
import json
import os
import re
import shutil
import subprocess
import time

import harness

# Debian's names, for both MPIs have an `mpirun`; the launcher's flags; and the variable that says how many.
LAUNCHERS = {
    "Open MPI": ("mpirun.openmpi", ("--oversubscribe", "--bind-to", "none"), "OMPI_COMM_WORLD_SIZE"),
    "MPICH": ("mpirun.mpich", (), "PMI_SIZE"),
}
LIBRARIES = {"Open MPI": "libmpi.so.40", "MPICH": "libmpich.so.12"}
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # Containers do not let one process read another's memory.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def engines():
    """The MPIs of this machine. Skips the test where there is none."""
    found = [name for name, (launcher, _, _) in LAUNCHERS.items() if shutil.which(launcher)]
    if not found:
        raise harness.Skip("neither mpirun.openmpi nor mpirun.mpich is installed")
    return found


def environment(**more):
    return {**os.environ, **ENVIRONMENT, **more}


class Trainer:
    """A graph's trainer, started alone or as several ranks."""

    def __init__(self, setup, *flags, graph="train.meta", data=harness.REFERENCE, name="trainer"):
        self.setup, self.data, self.path = setup, data, setup.dir / name
        setup.compile(data / graph, *flags, "-o", self.path).expect(0)

    def command(self, engine, ranks, folder, *flags, verb="train"):
        """`engine` None: a process alone."""
        train = [self.path, verb, "--model-dir", self.setup.dir / folder, "--data-dir", self.data, "--threads", 1]
        train += ["--summary-steps", 0, "--log-steps", 0, *flags]
        launch = []
        if engine:
            launcher, own, _ = LAUNCHERS[engine]
            launch = [launcher, *own, "-n", ranks]
        return [str(word) for word in launch + train]

    def run(self, engine, ranks, folder, *flags, verb="train", **more):
        return self.setup.run(*self.command(engine, ranks, folder, *flags, verb=verb), env=environment(**more))

    def start(self, engine, ranks, folder, *flags):
        # Reports of processes that were killed: rank 0 would remove them, but later.
        shutil.rmtree(self.setup.dir / folder / "ranks", ignore_errors=True)
        return subprocess.Popen(
            self.command(engine, ranks, folder, *flags),
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def process_of(self, folder, rank, process, step=0):
        """The process id of a rank that has reached a step, as it reports itself."""
        report = self.setup.dir / folder / "ranks" / f"{rank}.json"
        losses = self.setup.dir / f"{folder}.losses"
        deadline = time.monotonic() + 600  # of a busy machine
        while True:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline, f"rank {rank} never reached step {step}"
            try:
                done = losses.read_text().count("\n") if step else 0
                if done >= step:
                    return json.loads(report.read_text())["pid"]
            except (OSError, ValueError):
                pass
            time.sleep(0.01)


def errors(text):
    """The trainers' own messages among a launcher's."""
    return re.findall("^error: .*", text, re.MULTILINE)


def assert_no_reports(folder):
    assert not (folder / "ranks").exists(), list((folder / "ranks").iterdir())
