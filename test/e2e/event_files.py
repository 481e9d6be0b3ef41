# SPDX-License-Identifier: Apache-2.0
"""Event files: a model directory as TensorBoard reads it, against TensorFlow's MonitoredTrainingSession
(test/data/hooks)."""
import json
import os
import random
import subprocess
import sys
import time

import harness
from bundle import fields
from reports import records

EXPECT = json.loads((harness.SOURCE / "test" / "data" / "hooks" / "directory.json").read_text())
KINDS = {3: "file_version", 4: "graph_def", 5: "summary", 7: "session_log", 9: "meta_graph_def"}
STATUSES = {1: "START", 2: "STOP", 3: "CHECKPOINT"}

# TensorFlow's reading of our files.
READ = """
import glob, json, sys
import tensorflow.compat.v1 as tf
source = tf.MetaGraphDef.FromString(open(sys.argv[2], "rb").read())
names = [node.name for node in source.graph_def.node]
lines = []
for path in sorted(glob.glob(sys.argv[1] + "/events.out.tfevents.*")):
    for event in tf.train.summary_iterator(path):
        kind = event.WhichOneof("what")
        if kind == "graph_def":
            assert [node.name for node in tf.GraphDef.FromString(event.graph_def).node] == names
        if kind == "meta_graph_def":
            assert tf.MetaGraphDef.FromString(event.meta_graph_def) == source
        lines += [[value.tag, event.step] for value in event.summary.value]
print(json.dumps(lines))
"""


def events(folder):
    """The events of a folder's files as directory.json has them."""
    found = []
    for path in sorted(folder.glob("events.out.tfevents.*")):
        for record in records(path.read_bytes()):
            event = dict(fields(record))
            step = event.get(2, 0)
            (number,) = set(event) & set(KINDS)
            if number == 5:
                values = [dict(fields(value)) for _, value in fields(event[5])]
                found += [["summary", value[1].decode(), step] for value in values]
            elif number == 7:
                found.append(["session_log", STATUSES[dict(fields(event[7]))[1]], step])
            else:
                found.append([KINDS[number], event[3].decode() if number == 3 else "", step])
    return found


def command(setup, folder, *flags):
    words = [
        setup.trainer, "--model-dir", folder, "--data-dir", harness.REFERENCE, "--log-steps", 0,
        "--summary-steps", EXPECT["summary_steps"], "--log-step-count-steps", EXPECT["log_step_count_steps"],
        "--save-checkpoints-steps", EXPECT["save_checkpoint_steps"], "--quiet", "--no-curves", *flags,
    ]  # fmt: skip
    return [str(word) for word in words]


def event_files_hold_what_tensorflows_do(setup):
    run = setup.dir / "run"
    setup.run(*command(setup, run, "--max-steps", EXPECT["steps"])).expect(0)
    ours = events(run)
    assert ours[0] == ["file_version", "brain.Event:2", 0], ours[0]
    for line in EXPECT["events"]:
        assert line in ours, f"{line} is missing in {ours}"
    # TensorFlow loses the last checkpoint's, which it doesn't flush.
    more = [line for line in ours if line not in EXPECT["events"]]
    assert more == [["session_log", "CHECKPOINT", EXPECT["steps"]]], more
    assert len(ours) == len({tuple(line) for line in ours}), "something stands twice"


def session_logs(folder):
    """The events of the session log, in the order of the files: status, step, path."""
    found = []
    for path in sorted(folder.glob("events.out.tfevents.*")):
        for record in records(path.read_bytes()):
            event = dict(fields(record))
            if 7 in event:
                log = dict(fields(event[7]))
                found.append((STATUSES[log[1]], event.get(2, 0), log.get(2, b"").decode()))
    return found


def the_session_log_is_tensorflows(setup):
    """What MonitoredTrainingSession of TensorFlow 2.15 wrote in two runs to steps 3 and 6 that save every 2 steps.

    Its second run saves step 3 again, which ours does not; and no STOP, which only Supervisor writes.
    """
    run = setup.dir / "run"
    save = str(run / "model.ckpt")
    log = [("CHECKPOINT", 0, save), ("START", 1, ""), ("CHECKPOINT", 2, save), ("CHECKPOINT", 3, save)]
    log += [("START", 4, ""), ("CHECKPOINT", 5, save), ("CHECKPOINT", 6, save)]
    for stop in (3, 6):
        setup.run(setup.trainer, "--model-dir", run, "--data-dir", harness.REFERENCE, "--quiet", "--summary-steps", 2,
                  "--save-checkpoints-steps", 2, "--max-steps", stop, "--sync-saves").expect(0)  # fmt: skip
    found = session_logs(run)
    assert sorted(found) == sorted(log), found
    # Ours begins a run's log with START, and counts the steps of its saves from there.
    steps = [line[1] for line in found if line[0] == "CHECKPOINT"]
    assert steps == sorted(steps), found


def checkpoints_of_the_input_are_in_the_session_log(setup):
    """As CheckpointInputPipelineHook writes them; and six are kept where five of the model are, at least five."""
    for keep, kept in ((5, 6), (2, 5)):
        run = setup.dir / f"keep-{keep}"
        setup.run(setup.trainer, "--model-dir", run, "--data-dir", harness.REFERENCE, "--quiet", "--checkpoint-input",
                  "--save-checkpoints-steps", 1, "--max-steps", 8, "--sync-saves", "--keep-checkpoint-max", keep).expect(0)  # fmt: skip
        found = [line for line in session_logs(run) if line[0] == "CHECKPOINT"]
        for name in ("model.ckpt", "input.ckpt"):
            steps = [step for _, step, path in found if path == str(run / name)]
            assert steps == list(range(9)), (name, found)
        assert len(list(run.glob("input.ckpt-*.index"))) == kept, sorted(run.iterdir())
        assert len(list(run.glob("model.ckpt-*.index"))) == keep, sorted(run.iterdir())


def the_input_has_no_graph_in_event_files(setup):
    """With --checkpoint-input there are events of its checkpoints besides the others, and no second graph."""
    found = []
    for name, *flags in (("plain",), ("apart", "--checkpoint-input")):
        run = setup.dir / name
        for stop in (2, 4):
            setup.run(*command(setup, run, "--max-steps", stop, "--sync-saves", *flags)).expect(0)
        found.append(events(run))
    plain, apart = found
    graphs = [kind for kind, _, _ in apart if kind in ("graph_def", "meta_graph_def")]
    assert sorted(graphs) == ["graph_def", "graph_def", "meta_graph_def", "meta_graph_def"], graphs  # one of each run
    more = list(apart)
    for event in plain:
        more.remove(event)
    assert more and all(event[:2] == ["session_log", "CHECKPOINT"] for event in more), more


GRAPH_FILE = """
import sys
import tensorflow.compat.v1 as tf
graph = tf.MetaGraphDef.FromString(open(sys.argv[1], "rb").read()).graph_def
tf.io.write_graph(graph, sys.argv[2], "expected.pbtxt")
"""


def the_graph_is_in_the_folder_as_text(setup):
    run, source = setup.dir / "run", harness.REFERENCE / "train.meta"
    flags = ("--data-dir", harness.REFERENCE, "--quiet", "--max-steps")
    setup.run(setup.trainer, "--model-dir", run, *flags, 1).expect(0)
    text = run / "graph.pbtxt"
    nodes = text.read_text().count("\nnode {") + 1
    assert nodes > 50 and '  op: "IteratorGetNext"' in text.read_text(), nodes
    # A run that resumes leaves the file alone, and writes one that is gone or another's.
    before = text.stat()
    setup.run(setup.trainer, "--model-dir", run, *flags, 2).expect(0)
    assert text.stat().st_mtime_ns == before.st_mtime_ns and text.stat().st_ino == before.st_ino
    content = text.read_bytes()
    text.write_bytes(content[:-1])
    setup.run(setup.trainer, "--model-dir", run, *flags, 3).expect(0)
    assert text.read_bytes() == content
    text.unlink()
    setup.run(setup.trainer, "--model-dir", run, *flags, 4, "--no-graph-file").expect(0)
    assert not text.exists()
    text.mkdir()
    done = setup.run(setup.trainer, "--model-dir", run, *flags, 5).expect(0)
    assert "graph.pbtxt' is not written: " in done.err and text.is_dir(), done.err

    python = os.environ.get("INGOT_TF_PYTHON") or sys.executable
    if subprocess.run([python, "-c", "import tensorflow"], capture_output=True, check=False).returncode:
        return
    setup.run(python, "-c", GRAPH_FILE, source, setup.dir).expect(0)
    assert content == (setup.dir / "expected.pbtxt").read_bytes(), "not the text that TensorFlow writes"


def events_come_once_however_often_a_run_is_killed(setup):
    steps, every = 3000, EXPECT["summary_steps"]
    whole, killed = setup.dir / "whole", setup.dir / "killed"
    start = time.monotonic()
    setup.run(*command(setup, whole, "--max-steps", steps)).expect(0)
    seconds = time.monotonic() - start
    moments, kills = random.Random(7), 0
    while True:
        process = subprocess.Popen(command(setup, killed, "--max-steps", steps), stderr=subprocess.DEVNULL)
        try:
            process.wait(moments.uniform(0, seconds / 4) if kills < 12 else 250)
            assert process.returncode == 0
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1

    def summaries(folder):
        return [tuple(line[1:]) for line in events(folder) if line[0] == "summary" and line[1] != "global_step/sec"]

    found = summaries(killed)
    assert len(found) == len(set(found)), "a step stands twice"
    # A resumed run summarizes its first step, and every N-th from there.
    last = {step for _, step in found}
    assert {tag for tag, _ in found} == {tag for tag, _ in summaries(whole)}
    gaps = [b - a for a, b in zip(sorted(last), sorted(last)[1:])]
    assert max(gaps) <= every, f"no summary for {max(gaps)} steps"
    counted = [line[2] for line in events(killed) if line[1] == "global_step/sec"]
    assert len(counted) == len(set(counted)), "a step is counted twice"
    print(f"{kills} kills")

    python = os.environ.get("INGOT_TF_PYTHON") or sys.executable
    if subprocess.run([python, "-c", "import tensorflow"], capture_output=True, check=False).returncode:
        return
    for folder in (whole, killed):
        read = setup.run(python, "-c", READ, folder, harness.REFERENCE / "train.meta").expect(0)
        ours = [line[1:] for line in events(folder) if line[0] == "summary"]
        assert json.loads(read.out.splitlines()[-1]) == ours, folder


if __name__ == "__main__":
    harness.main(globals())
