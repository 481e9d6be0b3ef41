# SPDX-License-Identifier: Apache-2.0
"""A search from a file, stopped in every way there is.

Numbers such as AN-247 are those of the facts about AdaNet that a test holds.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import harness

EXAMPLE = harness.SOURCE / "examples" / "digits"
LENGTH, SAVED = 30, 7


def search_file(setup, richer):
    """The example's search, with iterations of a few steps; a richer one drops out and
    reports."""
    path = setup.dir / "search.pbtxt"
    text = (EXAMPLE / "search.pbtxt").read_text()
    assert "max_iterations: 3" in text
    text, count = re.subn(r"max_iteration_steps: \d+", f"max_iteration_steps: {LENGTH}", text)
    assert count == 1
    if richer:
        text, count = re.subn(r"layer_size: (\d+)", r"layer_size: \1 initial_num_layers: 1 dropout: 0.3", text)
        assert count == 1
        text += "reports {}\n"
    # Processes that were started before may be reading it.
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    # Its data's names start at the file.
    if not (setup.dir / "data").exists():
        shutil.copytree(EXAMPLE / "data", setup.dir / "data")
    return path


def command(setup, folder, *flags, richer=False, search=None):
    return [str(part) for part in (
        setup.ingotc.parent / "ingot-adanet", "train", search or search_file(setup, richer), "--model-dir", folder,
        "--cache-dir", setup.dir / "cache", "--summary-steps", 0, "--log-steps", 0, *flags)]  # fmt: skip


SAVES = ("--save-checkpoints-steps", SAVED, "--sync-saves", "--keep-checkpoint-max", 0)


def outcome(folder, losses):
    """The results of a search: its last checkpoint, the files of each iteration, and the loss of every step, which
    shows the order of the examples."""
    names = [f"model.ckpt-{3 * LENGTH}.", "architecture-", "increment.ckpt-", "train_manager/", "report/"]
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    files = {path: data for path, data in files.items() if path.startswith(tuple(names))}
    for name in names:
        assert any(path.startswith(name) for path in files), (name, sorted(files))
    assert (folder / "checkpoint").read_text().startswith(f'model_checkpoint_path: "model.ckpt-{3 * LENGTH}"\n')
    steps = {row["step"]: row for row in harness.read_losses(losses)}
    return files, steps


def assert_same(found, expected):
    """AN-046: checkpoints in the middle of an iteration are a step further than they
    say, and the row of that step is lost where a killed run goes on."""
    (files, steps), (others, other_steps) = found, expected
    assert sorted(files) == sorted(others), set(files) ^ set(others)
    for path, data in files.items():
        assert data == others[path], path
    assert sorted(other_steps) == list(range(1, 3 * LENGTH + 1)), sorted(other_steps)
    for step, row in other_steps.items():
        assert steps.get(step) == row or step not in steps and (step - 1) % LENGTH % SAVED == 0, (step, row, steps.get(step))


def stopped_at_random(setup, arguments, kills, seconds, stop, moments):
    """Stops the command `kills` times; one that ended before that starts over."""
    folder, losses = setup.dir / "stopped", setup.dir / "stopped.losses"
    left = kills
    while left:
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            code = process.wait(moments.uniform(0.02, seconds))
            assert code == 0, code
            shutil.rmtree(folder)
            losses.unlink()
        except subprocess.TimeoutExpired:
            stop(process)
            process.wait()
            left -= 1
    return folder, losses


def killed_anywhere(setup, kills, **kind):
    """A search that is killed at random moments ends as one that is not."""
    whole, losses = setup.dir / "whole", setup.dir / "whole.losses"
    setup.run(*command(setup, whole, "--losses", losses, *SAVES, **kind)).expect(0)
    expected = outcome(whole, losses)
    begin = time.monotonic()
    shutil.rmtree(whole)
    losses.unlink()
    setup.run(*command(setup, whole, "--losses", losses, *SAVES, **kind)).expect(0)
    seconds = time.monotonic() - begin
    assert_same(outcome(whole, losses), expected)
    arguments = command(setup, setup.dir / "stopped", "--losses", setup.dir / "stopped.losses", *SAVES, **kind)
    ways = (lambda process: os.killpg(process.pid, signal.SIGKILL), lambda process: process.kill())
    for number, stop in enumerate(ways):
        folder, own = stopped_at_random(setup, arguments, kills, 0.6 * seconds, stop, random.Random(number))
        # A tool that is killed alone leaves processes; they end soon after it.
        deadline = time.monotonic() + 10
        while True:
            done = setup.run(*arguments)
            if done.code == 0 or time.monotonic() > deadline:
                break
        done.expect(0)
        assert_same(outcome(folder, own), expected)
        shutil.rmtree(folder)
        own.unlink()
    return expected


def a_search_that_is_killed_anywhere_comes_to_the_same(setup):
    """AN-067, 068, 247: fifty times, the tool with all it runs, or the tool alone,
    while it compiles, trains, selects and grows."""
    killed_anywhere(setup, 25)


def a_search_that_reports_and_drops_out_is_killed_anywhere(setup):
    """AN-193, 247: the same of one whose networks draw in every step, and whose iterations
    leave reports."""
    files, steps = killed_anywhere(setup, 12, richer=True)
    reports = json.loads(files["report/iteration_reports.json"])
    assert [one["iteration_number"] for one in reports] == [0, 1], reports
    assert all(len(one["subnetwork_reports"]) == 2 + (one["iteration_number"] > 0) for one in reports), reports
    # They do drop out: the same search without them has other losses.
    whole, losses = setup.dir / "plain", setup.dir / "plain.losses"
    arguments = command(setup, whole, "--losses", losses, *SAVES, "--max-steps", 5, richer=True)
    path = setup.dir / "search.pbtxt"
    path.write_text(path.read_text().replace("dropout: 0.3", ""))
    setup.run(*arguments).expect(0)
    plain = {row["step"]: row["loss"] for row in harness.read_losses(losses)}
    assert plain[3] != steps[3]["loss"], plain


def a_search_has_the_same_bytes_on_any_number_of_threads(setup):
    """AN-247."""
    found = []
    for threads in (1, 2, 3):
        folder, losses = setup.dir / f"run{threads}", setup.dir / f"losses{threads}"
        setup.run(*command(setup, folder, "--losses", losses, "--threads", threads)).expect(0)
        found.append(outcome(folder, losses))
    assert_same(found[0], found[1])
    assert_same(found[0], found[2])


def a_search_that_is_interrupted_saves_and_leaves(setup):
    """Ctrl-C reaches the trainer; the resumed run is not affected."""
    whole, losses = setup.dir / "whole", setup.dir / "whole.losses"
    setup.run(*command(setup, whole, "--losses", losses)).expect(0)
    folder, own = setup.dir / "run", setup.dir / "run.losses"
    arguments = command(setup, folder, "--losses", own)
    stops = 0
    for moment in (0.3, 0.6, 0.9, 1.2):
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True, text=True)
        # While a trainer runs.
        for line in process.stdout:
            if line.startswith(("saved ", "restored ")):
                break
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        code = process.wait()
        assert code in (0, 130), code
        stops += code == 130
        assert (folder / "checkpoint").exists()
    assert stops, "it was never on time"
    setup.run(*arguments).expect(0)
    assert_same(outcome(folder, own), outcome(whole, losses))


def a_compile_that_is_stopped_says_by_which_signal(setup):
    """130 is SIGINT's code, 143 SIGTERM's."""
    for stop, expected in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        folder = setup.dir / f"run{expected}"
        process = subprocess.Popen(command(setup, folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in process.stdout:
            if "compiling its members" in line:
                break
        # The compiler's first output is not its kernels yet.
        time.sleep(0.1)
        process.send_signal(stop)
        _, error = process.communicate()
        assert process.returncode == expected and "stopped while compiling" in error, (process.returncode, error)
        assert not list(folder.glob("model.ckpt*"))


def old_checkpoints_of_either_kind_are_removed(setup):
    """AN-083: those of steps and of growth are in one list."""
    folder = setup.dir / "run"
    done = setup.run(*command(setup, folder, "--keep-checkpoint-max", 2)).expect(0)
    assert "warning" not in done.err, done.err
    kept = ["increment.ckpt-2", f"model.ckpt-{3 * LENGTH}"]
    assert sorted(path.stem for path in folder.glob("*.index")) == kept
    state = (folder / "checkpoint").read_text().splitlines()
    assert state == [f'model_checkpoint_path: "{kept[1]}"', *(f'all_model_checkpoint_paths: "{name}"' for name in kept)], state


def a_search_goes_on_from_a_pruned_ensemble(setup):
    """AN-173: the next iteration grows the remaining members."""
    folder = setup.dir / "run"
    setup.run(*command(setup, folder, "--max-iterations", 3, "--max-steps", 2 * LENGTH)).expect(0)
    # The second is over; it selects where there is more to do.
    setup.run(*command(setup, folder, "--max-iterations", 5, "--max-steps", 2 * LENGTH + 1)).expect(0)
    (folder / "checkpoint").write_text(f'model_checkpoint_path: "model.ckpt-{2 * LENGTH}"\n')
    selected = json.loads((folder / "architecture-1.json").read_text())["subnetworks"]
    assert len(selected) == 2, selected
    dropped = "t0_" + selected[0]["builder_name"]
    setup.run(setup.ingotc.parent / "ingot-adanet", "prune", "--model-dir", folder, "--drop", dropped).expect(0)
    done = setup.run(*command(setup, folder, "--max-iterations", 4, "--force-grow")).expect(0)
    assert "increment.ckpt-3', AdaNet's iteration 3 on top of" in done.out and "increment.ckpt-2'" in done.out, done.out
    found = setup.run(setup.ingotc.parent / "ingot-adanet", "show", "--model-dir", folder, "--json").expect(0).out
    candidates = json.loads(found)["iterations"][-1]["ensembles"]
    grown = {tuple(one["members"]) for one in candidates}
    kept = f"t1_{selected[1]['builder_name']}"
    assert len(candidates) == 2 and all(members[0] == kept and members[1].startswith("t3_") for members in grown), grown


def the_command_line_goes_before_the_search(setup):
    """AN-192, 238: flags of trainers, also those that the search gives them itself; a
    member without patience ends with its iteration, which selects and leaves reports."""
    folder = setup.dir / "run"
    setup.run(*command(setup, folder, "--drop-nan", "--patience", "5,min_delta=9", "--reports", "--max-iterations", 2,
                       "--max-steps", LENGTH)).expect(0)  # fmt: skip
    for path in (folder / "train_manager" / "t0").glob("t0_*.json"):
        assert "Training stopped after 6 steps: its average loss" in path.read_text(), path
    steps = [json.loads((folder / f"architecture-{t}.json").read_text())["global_step"] for t in (0, 1)]
    assert steps == [6, 12], steps
    reports = json.loads((folder / "report" / "iteration_reports.json").read_text())
    assert [one["iteration_number"] for one in reports] == [0, 1]
    assert [len(one["subnetwork_reports"]) for one in reports] == [2, 3]
    assert all(0 < builder["metrics"]["accuracy"] < 1 for one in reports for builder in one["subnetwork_reports"]), reports


def one_search_runs_in_a_folder_at_a_time(setup):
    """AN-249: the second chief is refused, also while the first one compiles."""
    folder = setup.dir / "run"
    first = subprocess.Popen(command(setup, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lock = folder / ".ingot-search-lock"
    while not lock.exists() or str(first.pid) not in lock.read_text():
        assert first.poll() is None
        time.sleep(0.005)
    setup.run(*command(setup, folder)).expect(1, f"'{folder}' is being searched in by process {first.pid} on ")
    first.kill()
    first.wait()
    setup.run(*command(setup, folder)).expect(0)


if __name__ == "__main__":
    harness.main(globals())
