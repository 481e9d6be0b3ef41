# SPDX-License-Identifier: Apache-2.0
"""Searches that several processes share: the chief trains ensembles, workers the members.

Numbers such as AN-122 are those of the facts about AdaNet that a test holds.
"""
import json
import os
import random
import subprocess
import time

import harness
import search_files
from bundle import Bundle
from native_search import LENGTH, SAVES, command, outcome, search_file

WAITS = ("--worker-wait-secs", 0.1, "--delay-secs-per-worker", 0)


def process(setup, folder, index, count, *flags, config=None, log=None, search=None):
    """Process `index` of a search in `folder`: that of `search`, or the example's."""
    task = () if config else ("--task", f"{index}/{count}")
    environment = dict(os.environ, TF_CONFIG=config) if config else None
    out = open(log, "w", encoding="utf-8") if log else subprocess.DEVNULL
    return subprocess.Popen(
        [*command(setup, folder, *SAVES, *map(str, (*task, *WAITS, *flags)), search=search)], env=environment, stdout=out, stderr=subprocess.STDOUT
    )


def says(one, log, text):
    """Waits until the log of a process has a text."""
    deadline = time.monotonic() + 60
    while text not in log.read_text():
        assert one.poll() is None and time.monotonic() < deadline, f"no '{text}':\n{log.read_text()}"
        time.sleep(0.01)


def run_all(setup, folder, count, *flags, workersFirst=False, search=None):
    """All processes to their ends; none of them fails. With `workersFirst` the chief of a new search starts when all
    workers wait for it: a worker that the machine lets wait would find the chief ahead, and have nothing to say."""
    logs = [setup.dir / f"{folder.name}-{count}-{index}.log" for index in range(count)]
    started = {}
    for index in reversed(range(count)):
        started[index] = process(setup, folder, index, count, *flags, log=logs[index], search=search)
        if index and workersFirst:
            says(started[index], logs[index], "waits for")
    for index, one in started.items():
        assert one.wait(120) == 0, (index, logs[index].read_text())
    return [log.read_text() for log in logs]


def alone(setup):
    folder, losses = setup.dir / "alone", setup.dir / "alone.losses"
    setup.run(*command(setup, folder, "--losses", losses, *SAVES)).expect(0)
    return folder


def checkpoints(folder):
    names = ("model.ckpt-", "increment.ckpt-", "architecture-", "train_manager", "report")
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if name.startswith(names)}


def assert_as_alone(folder, expected):
    found = checkpoints(folder)
    assert sorted(found) == sorted(expected), set(found) ^ set(expected)
    for name, data in expected.items():
        assert found[name] == data, name
    left = [path.name for path in (folder / "placed").iterdir()]
    assert left == ["end.json"], left


def workers_change_no_byte(setup):
    """AN-114, 119, 121 to 124, 126, 128: members in turn on 1, 2 and 3 workers, of which the
    last has nothing to do where there are two members; every checkpoint is that of a
    process alone."""
    expected = checkpoints(alone(setup))
    for count in (2, 3, 4):
        folder = setup.dir / f"of-{count}"
        logs = run_all(setup, folder, count, workersFirst=True)
        assert_as_alone(folder, expected)
        assert "process 1 trains 't0_linear'" + (", 't0_1_layer_dnn'" if count == 2 else "") in logs[0], logs[0]
        if count == 4:
            assert "process 3 trains nothing in this iteration" in logs[0], logs[0]
            assert "nothing to train in process 3" in logs[3], logs[3]
            # AN-244: the iteration, and the newest checkpoint. One that trains may find the chief ahead when it is done.
            assert "waits for the chief, worker 0 (0) to begin iteration 1" in logs[3], logs[3]


def workers_that_share_an_optimizer_change_no_byte(setup):
    """Adam's powers, which members that different processes train share, follow from counters that all of them have."""
    text, own = search_file(setup, richer=False).read_text(), "adam { learning_rate: 0.003 }"
    assert text.count(own) == 2, text
    search, folder = setup.dir / "shared.pbtxt", setup.dir / "alone"
    search.write_text(text.replace(own, own + ' instance: "all"'))
    setup.run(*command(setup, folder, *SAVES, search=search)).expect(0)
    expected = checkpoints(folder)
    run_all(setup, setup.dir / "of-3", 3, workersFirst=True, search=search)
    assert_as_alone(setup.dir / "of-3", expected)
    # Two members and two ensembles, of LENGTH steps each.
    last = Bundle(folder / f"model.ckpt-{LENGTH}")
    name = "adanet/iteration_0/subnetwork_t0_linear/beta2_power"
    assert [one for one in last.numeric() if one.endswith("beta2_power")] == [name]
    assert abs(last.values(name)[0] - 0.999 ** (1 + 4 * LENGTH)) < 1e-5, last.values(name)


def a_cluster_says_who_trains_what(setup):
    """AN-066, 122: TF_CONFIG, whose chief is no worker; it grows as a process alone."""
    expected = checkpoints(alone(setup))
    folder = setup.dir / "run"
    cluster = {"chief": ["host0:1"], "worker": ["host1:1", "host2:1"]}
    started = []
    for kind, index in (("chief", 0), ("worker", 0), ("worker", 1)):
        config = json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})
        log = setup.dir / f"{kind}{index}.log"
        started.append((process(setup, folder, 0, 0, config=config, log=log), log))
    for one, log in started:
        assert one.wait(120) == 0, log.read_text()
    assert_as_alone(folder, expected)
    evaluator = json.dumps({"cluster": cluster, "task": {"type": "evaluator", "index": 0}})
    assert process(setup, folder, 0, 0, config=evaluator).wait() == 2


def workers_and_chiefs_that_are_killed_come_to_the_same(setup):
    """AN-128, 247: chief and workers, killed at random moments and started again."""
    expected = checkpoints(alone(setup))
    draw = random.Random(7)
    folder, count = setup.dir / "run", 3
    run_all(setup, setup.dir / "warm", count)
    running = {index: process(setup, folder, index, count) for index in range(count)}
    kills = 0
    deadline = time.monotonic() + 150
    while any(one.poll() is None for one in running.values()) or kills < 12:
        assert time.monotonic() < deadline
        time.sleep(draw.uniform(0.05, 0.5))
        if kills < 12:
            victim = draw.randrange(count)
            running[victim].kill()
            running[victim].wait()
            kills += 1
        # A tool that is killed alone leaves processes; they end soon after it.
        for index, one in running.items():
            if one.poll() not in (None, 0) or one.poll() == 0 and kills < 12:
                running[index] = process(setup, folder, index, count)
    for one in running.values():
        assert one.wait() == 0
    files = checkpoints(folder)
    for name, data in expected.items():
        if not name.startswith("model.ckpt-") or f"-{3 * LENGTH}." in name:
            assert files[name] == data, name


def another_number_of_workers_goes_on(setup):
    """AN-127: two workers, then none, then one, in the middle of an iteration."""
    expected = outcome(alone(setup), setup.dir / "alone.losses")[0]
    folder = setup.dir / "run"
    run_all(setup, folder, 3, "--max-steps", LENGTH + LENGTH // 2)
    setup.run(*command(setup, folder, *SAVES, "--max-steps", 2 * LENGTH - 5)).expect(0)
    run_all(setup, folder, 2)
    for name, data in expected.items():
        assert (folder / name).read_bytes() == data, name


def members_that_end_early_elsewhere_change_nothing(setup):
    """AN-114, 138: what diverges, or no longer learns, is the chief's to say, of members that
    others train, too."""
    wild = "generator { dnn { layer_size: 3 } optimizer { sgd { learning_rate: 1e30 } } }"
    search_files.write_search(
        setup,
        search_files.LINEAR + search_files.DEEP + wild + "\npatience { steps: 4 min_delta: 0.3 }\n"
        "ensembler { complexity_regularized { beta: 0.01 use_bias: true optimizer { sgd { learning_rate: 0.01 } } } }\n",
        limits="max_iteration_steps: 16\nmax_iterations: 2\n",
    )

    def words(folder, *flags):
        tool = setup.ingotc.with_name("ingot-adanet")
        every = ("--save-checkpoints-steps", 2, "--keep-checkpoint-max", 0, "--sync-saves", "--summary-steps", 0)
        return [str(word) for word in (tool, "train", setup.dir / "search.pbtxt", "--model-dir", folder, *every, *flags)]

    plain = setup.dir / "plain"
    done = setup.run(*words(plain)).expect(0)
    assert "'t0_dnn_3' is dropped" in done.out and "has not improved on" in done.out, done.out
    for count in (2, 4):
        folder = setup.dir / f"of-{count}"
        task = [words(folder, "--task", f"{index}/{count}", *WAITS) for index in range(count)]
        # A chief whose worker has failed says so soon.
        task[0] += ["--max-wait-secs", "30"]
        workers = [subprocess.Popen(one, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for one in task[1:]]
        setup.run(*task[0]).expect(0)
        for worker in workers:
            assert worker.wait(60) == 0, worker.stderr.read()
        assert_as_alone(folder, checkpoints(plain))


def a_worker_without_a_chief_fails(setup):
    """AN-116: after its time-out, naming both processes."""
    folder = setup.dir / "run"
    waits = ("--worker-wait-secs", 0.1, "--worker-wait-timeout-secs", 0.3)
    text = setup.run(*command(setup, folder, "--task", "1/2", *waits)).expect(1).err
    assert "worker 1 (1) waits for the chief, worker 0 (0) to begin iteration 0" in text and "timed out after 0.3 s" in text, text


def a_chief_without_workers_fails(setup):
    """AN-116: after its time-out, and keeps its first checkpoint; alone it continues."""
    folder = setup.dir / "run"
    done = setup.run(*command(setup, folder, *SAVES, "--task", "0/2", "--max-wait-secs", 0.3)).expect(1)
    assert "timed out after 0 s waiting for process 1 to train 't0_linear'" in done.err, done.err
    assert (folder / "checkpoint").exists() and not list(folder.glob(f"model.ckpt-{LENGTH}*"))
    setup.run(*command(setup, folder, *SAVES, "--max-steps", LENGTH)).expect(0)


def processes_that_disagree_are_refused(setup):
    """A worker of another cluster, and one that finds a damaged file."""
    folder = setup.dir / "run"
    chief = process(setup, folder, 0, 3)
    begin = folder / "placed" / "begin.json"
    try:
        while not begin.exists():
            assert chief.poll() is None
            time.sleep(0.01)
        done = setup.run(*command(setup, folder, *SAVES, "--task", "1/2", *WAITS)).expect(1)
        assert "this program was compiled for 3 processes, but TF_CONFIG has 2 chief and worker tasks" in done.err, done.err
        whole = begin.read_text()
        for damaged, words in (
            (whole[:9], "offset"),
            (whole.replace('"id": "', '"id": "../'), "expected hexadecimal digits as 'id'"),
            (whole.replace('"iteration": 0', '"iteration": "x"'), "the whole numbers 'iteration' and 'processes'"),
        ):
            begin.write_text(damaged)
            done = setup.run(*command(setup, folder, *SAVES, "--task", "1/3", *WAITS))
            assert done.code != 0 and words in done.err and str(begin) in done.err, (damaged, done.code, done.err)
    finally:
        chief.kill()
        chief.wait()


def what_is_no_place_is_refused(setup):
    """AN-010, 011: places and seconds that are none."""
    folder = setup.dir / "run"

    def refused(words, *flags):
        setup.run(*command(setup, folder, *flags)).expect(2, *words)

    for task in ("3/3", "-1/2", "1", "1/2/3", "a/b", "0/0"):
        refused(["--task", task], "--task", task)
    refused(["worker_wait_secs is -1"], "--worker-wait-secs", -1)
    refused(["worker_wait_secs is nan"], "--worker-wait-secs", "nan")
    refused(["worker_wait_timeout_secs"], "--worker-wait-timeout-secs", 1)
    refused(["delay_secs_per_worker is inf"], "--delay-secs-per-worker", "inf")
    refused(["max_worker_delay_secs"], "--max-worker-delay-secs", -0.5)
    refused(["--worker-wait-secs is 'soon'"], "--worker-wait-secs", "soon")
    refused(["--plan and --steps are for the chief only"], "--task", "1/2", "--plan")
    assert not folder.exists()


if __name__ == "__main__":
    harness.main(globals())
