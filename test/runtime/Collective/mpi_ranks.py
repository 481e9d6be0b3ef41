#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs MpiRanks under the launchers of Open MPI and MPICH: mpi_ranks.py PROGRAM TEST."""
import os
import re
import shutil
import subprocess
import sys
import time

SKIPPED = 77
# Debian's names: both bring a `mpirun`.
LAUNCHERS = {"Open MPI": ("mpirun.openmpi", ["--oversubscribe", "--bind-to", "none"]), "MPICH": ("mpirun.mpich", [])}
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # Containers do not let one process read another's memory.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def launch(name, ranks, *command, **options):
    program, flags = LAUNCHERS[name]
    return subprocess.run(
        [program, *flags, "-n", str(ranks), *command],
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        timeout=240,
        **options,
    )


def ranks_add_up_to_the_same_bits(program, name):
    found = set()
    for ranks in (1, 2, 3, 4):
        for slices, elements, *way in ((8, 100_003), (8, 100_003, "shared"), (5, 7, "shared")):
            result = launch(name, ranks, program, "sum", str(slices), str(elements), *way)
            match = re.fullmatch(rf"{ranks} ranks, {name} [0-9.]+: ([0-9a-f]+)\n", result.stdout)
            assert match, f"{ranks} ranks: {result.stdout}{result.stderr}"
            found.add((slices, match[1]))
    assert len(found) == 2, found


def ranks_with_limits_send_messages(program, name):
    """One rank may not map what the others share: the sums are those of ranks that share."""
    limited = f'[ "$OMPI_COMM_WORLD_RANK$PMI_RANK" != 1 ] || ulimit -f 100000; exec {program} sum 8 100003 limited'
    said = [launch(name, 3, *command) for command in ((program, "sum", "8", "100003", "shared"), ("bash", "-c", limited))]
    assert said[0].stdout == said[1].stdout != "", [(one.stdout, one.stderr) for one in said]


def long_messages_come_in_pieces(program, name):
    result = launch(name, 3, program, "big")
    assert result.stdout == "big: 3 ranks\n", result.stdout + result.stderr


def a_late_rank_ends_the_run(program, name):
    for call, *way in (("broadcast",), ("exchange", "shared")):
        started = time.monotonic()
        result = launch(name, 3, program, "late", *way)
        assert result.returncode != 0
        said = re.findall("^error: rank .*", result.stderr, re.MULTILINE)
        assert said == [
            f"error: rank 0 of 3 on here: other ranks did not answer within 1 s ({call}): rank 1 sleeps"
        ], result.stderr
        assert time.monotonic() - started < 20


def the_lowest_of_failed_ranks_says_why(program, name):
    result = launch(name, 3, program, "abort")
    assert result.returncode != 0
    said = re.findall("^error: .*", result.stderr, re.MULTILINE)
    assert said == ["error: rank 0 of 3 on here: told to abort"], result.stderr


def main():
    program, test = sys.argv[1:]
    there = [name for name, (launcher, _) in LAUNCHERS.items() if shutil.which(launcher)]
    if not there:
        print("skipped: neither mpirun.openmpi nor mpirun.mpich is installed")
        return SKIPPED
    for name in there:
        globals()[test](program, name)
    print(f"under {' and '.join(there)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
