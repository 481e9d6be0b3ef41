# SPDX-License-Identifier: Apache-2.0
"""Iterations of AdaNet and whole searches, trained by several ranks.

Numbers such as AN-067 are those of the facts about AdaNet that a test holds.
"""
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import time

import harness
import ranks
from adanet_directories import DATA, contents, model_folder
from native_search import LENGTH, SAVES, assert_same, command, outcome

SLICES = 8


def launcher(engine, number):
    name, own, _ = ranks.LAUNCHERS[engine]
    return ("--launcher", " ".join((name, *own, "-n", str(number))))


def parallel(setup, folder, *flags, **kind):
    return command(setup, setup.dir / folder, "--parallel", "--slices", SLICES, "--threads", 1, "--losses", setup.dir / f"{folder}.losses",
                   *SAVES, *flags, **kind)  # fmt: skip


def found(setup, folder):
    return outcome(setup.dir / folder, setup.dir / f"{folder}.losses")


def without_files_of_a_run(folder):
    """What a model directory holds but for names and times of a process: event files, and reports of ranks."""
    return {path: data for path, data in contents(folder).items() if "events.out" not in path and not path.startswith("ranks/")}


def an_iteration_of_adanet_has_the_same_bytes_on_ranks(setup):
    """AN-023, 112: it trains, ends, selects and grows, and its next iteration begins, whoever computes which slices."""
    graphs = ("model.ckpt-50.meta", "model.ckpt-150.meta")
    flags = ("--parallel", "--slices", SLICES)
    trainers = [ranks.Trainer(setup, *flags, graph=graph, data=DATA / "adanet_digits", name=f"trainer-{graph}") for graph in graphs]
    ends = ("--max-iteration-steps", 100, "--save-checkpoints-steps", 30)

    def run(engine, number, name):
        folder = model_folder(setup, "model.ckpt-0", name)
        for trainer in trainers:
            trainer.run(engine, number, name, *ends).expect(0)
        return without_files_of_a_run(folder)

    whole = run(None, 1, "alone")
    assert "architecture-0.json" in whole and any(path.startswith("model.ckpt-200.") for path in whole), sorted(whole)
    for engine in ranks.engines():
        for number in (1, 2, 3, 4, 8):
            name = f"{engine.split()[0]}-{number}"
            mine = run(engine, number, name)
            assert sorted(mine) == sorted(whole), set(mine) ^ set(whole)
            for path, data in whole.items():
                assert mine[path] == data, (name, path)


def a_search_has_the_same_bytes_on_ranks(setup):
    """AN-247: with dropout and reports. Members are dropped out, done and selected alike on all ranks."""
    setup.run(*parallel(setup, "whole", richer=True)).expect(0)
    whole = found(setup, "whole")
    for engine in ranks.engines():
        for number in (2, 3, 8):
            folder = f"{engine.split()[0]}-{number}"
            done = setup.run(*parallel(setup, folder, *launcher(engine, number), richer=True), env=ranks.environment()).expect(0)
            assert f"rank 0 of {number} on " in done.err, done.err
            assert_same(found(setup, folder), whole)


def members_stop_alike_on_all_ranks(setup):
    """AN-138, 238: losses decide alike everywhere; a clock does not, so rank 0's counts."""
    engine = ranks.engines()[0]
    patient = ("--patience", "4,min_delta=0.05")
    setup.run(*parallel(setup, "whole", *patient)).expect(0)
    marker = next((setup.dir / "whole" / "train_manager").rglob("*.json")).parent.parent
    stopped = [path for path in marker.rglob("*.json") if "has not improved" in path.read_text()]
    assert stopped, "no member ran out of patience"
    setup.run(*parallel(setup, "ranks", *patient, *launcher(engine, 3)), env=ranks.environment()).expect(0)
    files = [without_files_of_a_run(setup.dir / name) for name in ("whole", "ranks")]
    assert sorted(files[0]) == sorted(files[1]), set(files[0]) ^ set(files[1])
    for path, data in files[0].items():
        assert files[1][path] == data or path.startswith("trainer"), path
    timed = setup.run(*parallel(setup, "timed", "--max-iteration-secs", 0.001, *launcher(engine, 3)), env=ranks.environment()).expect(0)
    assert "seconds have passed" in timed.out, timed.out


def a_search_on_ranks_is_killed_anywhere(setup):
    """AN-067, 068: the launcher and all ranks, or one rank alone; each run has another number of ranks."""
    engines = ranks.engines()
    setup.run(*parallel(setup, "whole")).expect(0)
    whole = found(setup, "whole")
    moments = random.Random(20261128)
    begin = time.monotonic()
    setup.run(*parallel(setup, "timed", *launcher(engines[0], 2)), env=ranks.environment()).expect(0)
    seconds = time.monotonic() - begin
    kills = 0
    while kills < 10:
        arguments = parallel(setup, "killed", *launcher(engines[kills % len(engines)], moments.choice((2, 3, 4))))
        process = subprocess.Popen(
            arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ranks.environment(), start_new_session=True
        )
        try:
            code = process.wait(moments.uniform(0.05, 0.8 * seconds))
        except subprocess.TimeoutExpired:
            kill_one_rank(process) if moments.random() < 0.5 else os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)
            kills += 1
            wait_for_ends(setup.dir / "killed")
            continue
        assert code == 0, code
        shutil.rmtree(setup.dir / "killed")
        (setup.dir / "killed.losses").unlink()
    setup.run(*parallel(setup, "killed", *launcher(engines[0], 2)), env=ranks.environment()).expect(0)
    assert_same(found(setup, "killed"), whole)


def trainers_in(folder):
    """The processes that run a trainer of the search in `folder`."""
    pids = []
    for path in os.listdir("/proc"):
        try:
            words = open(f"/proc/{path}/cmdline", "rb").read().split(b"\0") if path.isdigit() else []
        except OSError:
            continue
        if words and words[0].decode(errors="replace").startswith(str(folder)) and b"train" in words[1:2]:
            pids.append(int(path))
    return sorted(pids)


def kill_one_rank(process):
    """The search ends with its trainer, which ends if a rank does; a search that compiles is killed itself."""
    folder = process.args[process.args.index("--model-dir") + 1]
    victims = trainers_in(folder)
    if not victims:
        os.killpg(process.pid, signal.SIGKILL)
    for pid in victims[-1:]:
        with contextlib.suppress(ProcessLookupError):  # It may have ended by itself since.
            os.kill(pid, signal.SIGKILL)


def wait_for_ends(folder):
    """Ranks of a killed launcher end when they miss it."""
    deadline = time.monotonic() + 60
    while trainers_in(folder):
        assert time.monotonic() < deadline, "ranks outlive their launcher"
        time.sleep(0.05)


def flags_of_ranks_fit_each_other(setup):
    for flags, text in (
        (("--slices", 8), "--slices needs --parallel"),
        (("--launcher", "mpirun -n 2"), "--launcher needs --parallel"),
        (("--parallel", "--launcher", " "), "--launcher: expected a command"),
        (("--parallel", "--task", "1/2"), "ranks train all networks together"),
    ):
        done = setup.run(*command(setup, setup.dir / "run", *flags))
        assert text in done.expect(2).err, done.err
    done = setup.run(setup.ingotc, harness.SOURCE / "examples" / "digits" / "search.pbtxt", "--parallel", "--processes", 2, "-o", setup.dir / "no")
    assert re.search("--parallel and --processes exclude each other", done.expect(2).err), done.err


if __name__ == "__main__":
    harness.main({name: f for name, f in globals().items() if callable(f)})
