# SPDX-License-Identifier: Apache-2.0
"""A run's messages and files from day to day: its log, its event files, why it ended, and which flag helps where it
fails."""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time

import feeding
import harness
from bundle import Bundle, fields
from harness import read_losses
from reports import records


def logs_and_summaries_come_by_seconds_unless_steps_are_asked_for(setup):
    """A quick net leaves no more lines than a slow one."""
    run = setup.dir / "run"
    command = [setup.trainer, "--model-dir", run, "--data-dir", harness.REFERENCE]
    began = time.monotonic()
    done = setup.run(*command, "--max-steps", 1500).expect(0)
    seconds = time.monotonic() - began
    lines = [line for line in done.out.splitlines() if line.startswith("step ")]
    assert lines[0].startswith("step 1 ") and lines[-1].startswith("step 1500 "), lines
    assert len(lines) <= 3 + seconds / 5, lines
    written = sum(path.stat().st_size for path in run.glob("events.*"))
    graph = harness.REFERENCE / "train.meta"
    assert written < 2 * graph.stat().st_size + 100_000, written
    done = setup.run(*command, "--max-steps", 1530, "--log-steps", 10).expect(0)
    lines = [line.split()[1] for line in done.out.splitlines() if line.startswith("step ")]
    assert lines == ["1501", "1511", "1521", "1530"], lines


def a_run_says_why_it_ended(setup):
    run = setup.dir / "run"
    setup.train(run, "--max-steps", 20).expect(0, "note: reached --max-steps 20")
    setup.train(run, "--max-steps", 20).expect(0, "nothing was trained", "--max-steps is 20, but the global step is already 20")
    setup.train(run, "--steps", 5).expect(0, "reached step 25, the last of --steps")
    quiet = setup.train(run, "--steps", 5, "--quiet").expect(0)
    assert quiet.err == "", quiet.err


def the_end_of_the_data_is_said_with_the_last_loss(setup):
    trainer = feeding.compiled(setup)
    losses = setup.dir / "losses"
    command = [trainer, "--model-dir", setup.dir / "run", "--losses", losses, *feeding.arrays(setup), "--batch", 4, "--epochs", 3]
    done = setup.run(*command).expect(0, "note: ", "step 18")
    assert re.search(r"input|data|examples|epochs", done.err), done.err
    last = read_losses(losses)[-1]
    assert last["step"] == 18, last
    (line,) = [line for line in done.out.splitlines() if line.startswith("step 18 ")]
    assert f"  loss {last['loss']:.6g} " in line + " ", (line, last)


def ten_minutes_leave_little(setup):
    """A tiny net writes by the clock: here for 10 seconds, 60 times as often as it is told to by default."""
    run, log = setup.dir / "run", setup.dir / "log"
    words = [str(word) for word in (
        setup.trainer, "--model-dir", run, "--data-dir", harness.REFERENCE, "--max-steps", 1 << 40, "--log-secs", 5 / 60,
        "--summary-secs", 20 / 60, "--save-checkpoints-secs", 1000)]  # fmt: skip
    with open(log, "wb") as out:
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT)
        try:
            time.sleep(10)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
    lines = sum(line.startswith("step ") for line in log.read_text().splitlines())
    assert 20 < lines <= 130, lines
    written = log.stat().st_size + sum(path.stat().st_size for path in run.glob("events.*"))
    assert written < 5_000_000, written


def a_restart_takes_no_more_memory_for_long_event_files(setup):
    """Existing contents are neither read whole nor copied."""
    run = setup.dir / "run"
    setup.run(setup.trainer, "--model-dir", run, "--data-dir", harness.REFERENCE, "--max-steps", 5, "--summary-steps", 1,
              "--log-step-count-steps", 1, "--quiet").expect(0)  # fmt: skip
    (events,) = run.glob("events.*")

    def restart(steps):
        """The most memory that a run of some more steps takes, in KiB, or this process where that is more."""
        command = setup.train_command(run, "--max-steps", steps)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_maxrss

    before = restart(6)
    # A hundred megabytes of records of earlier steps before the existing ones.
    data = events.read_bytes()
    parts = list(records(data))
    (summary, *_) = [record for record in parts if 5 in dict(fields(record))]
    framed = data[data.index(summary) - 12 : data.index(summary) + len(summary) + 4]
    first = data.index(framed)
    with open(events, "wb") as file:
        file.write(data[:first])
        for _ in range(100):
            file.write(framed * (1_000_000 // len(framed) + 1))
        file.write(data[first:])
    inode = events.stat().st_ino
    after = restart(7)
    assert events.stat().st_ino == inode and events.stat().st_size > 100_000_000
    assert after < before + 16_384, (before, after)


def the_progress_line_fits_the_terminal(setup):
    """On one of 80 columns, and on a narrow one."""
    for columns in (80, 40):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        command = [setup.trainer, "--model-dir", setup.dir / f"run{columns}", "--data-dir", harness.REFERENCE, "--max-steps", 1500,
                   "--log-steps", 0, "--summary-steps", 0, "--fetch", "accuracy:0"]  # fmt: skip
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # The other end is closed.
                break
            if not part:
                break
            text += part
        os.close(ours)
        assert process.wait(60) == 0, text
        lines = [line for line in re.sub(rb"\x1b\[[0-9;]*[mK]", b"", text).split(b"\r") if b"/1500" in line]
        assert lines, text
        assert all(len(line.split(b"\n")[0]) < columns for line in lines), (columns, lines)


def losses_go_to_pipes_and_devices(setup):
    run = setup.dir / "run"
    done = setup.train(run, "--max-steps", 5, "--losses", "/dev/stdout", "--quiet").expect(0)
    steps = [json.loads(line)["step"] for line in done.out.splitlines()]
    assert steps == [1, 2, 3, 4, 5], done.out
    # What a file already has is no business of a device's.
    out = setup.dir / "out"
    out.write_text("of somebody else\n")
    command = setup.train_command(run, "--max-steps", 7, "--losses", "/dev/stdout", "--quiet")
    setup.run("sh", "-c", 'exec "$@" >> ' + str(out), "sh", *command).expect(0)
    first, *lines = out.read_text().splitlines()
    assert first == "of somebody else" and [json.loads(line)["step"] for line in lines] == [6, 7], lines
    pipe = setup.dir / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.extend(pipe.read_text().splitlines()))
    reader.start()
    setup.train(run, "--max-steps", 10, "--losses", pipe).expect(0)
    reader.join(60)
    assert [json.loads(line)["step"] for line in read] == [8, 9, 10], read
    setup.train(run, "--max-steps", 12, "--losses", "/dev/full").expect(1, "/dev/full", "No space left")


def losses_of_steps_that_come_again_are_cut_off(setup):
    """The whole file equals an undisturbed run's, from whichever step the run resumes."""
    losses, run = setup.dir / "losses", setup.dir / "run"
    setup.train(run, "--max-steps", 40, "--save-checkpoints-steps", 10, "--losses", losses).expect(0)
    whole = losses.read_bytes()
    for step in (30, 20, 10):
        for path in run.glob(f"model.ckpt-{step + 10}.*"):
            path.unlink()
        (run / "checkpoint").unlink()
        setup.train(run, "--max-steps", 40, "--losses", losses).expect(0)
        assert losses.read_bytes() == whole
        for path in run.glob("model.ckpt-40.*"):
            path.unlink()


def a_full_log_device_is_an_error_and_loses_nothing(setup):
    run = setup.dir / "run"
    command = [setup.trainer, "--model-dir", run, "--data-dir", harness.REFERENCE, "--max-steps", 50]
    done = setup.run("sh", "-c", 'exec "$@" > /dev/full', "sh", *command).expect(1)
    text = done.err
    stopped = re.search(r"error: stopped at step (\d+), which is saved: .*No space left on device", text)
    assert stopped, text
    assert (run / f"model.ckpt-{stopped[1]}.index").exists(), sorted(run.iterdir())
    setup.train(run, "--max-steps", 50).expect(0)


def a_missing_data_file_points_at_the_flag(setup):
    nowhere = setup.dir / "nowhere"
    nowhere.mkdir()
    setup.train(setup.dir / "run", data_dir=nowhere).expect(1, "note: ", "--data-dir, '", "--data-map")
    setup.run(setup.trainer, "--model-dir", setup.dir / "other", cwd=nowhere).expect(
        1, "the working folder: --data-dir DIR")  # fmt: skip


def a_checkpoint_that_does_not_fit_names_the_flag_that_helps(setup):
    other = harness.SOURCE / "test" / "data" / "csv_regression" / "model.ckpt-0"
    setup.train(setup.dir / "run", "--init-from", other).expect(
        4, "--allow-missing", "--restore-map", "--allow-unused")  # fmt: skip


def renames_leave_what_is_no_variable_alone(setup):
    """Under other names, the variables are found, and the input continues."""
    run, losses = setup.dir / "run", setup.dir / "losses"
    setup.train(run, "--max-steps", 10, "--losses", losses).expect(0)
    listed = setup.run(setup.ingotc.parent / "ingot-ckpt", "ls", run / "model.ckpt-10").expect(0).out
    assert "ingot/iterator/" in listed and "ingot/set" in listed, listed
    # All names but Ingot's own, which have its prefix, as a user's program may have written them.
    renamed = setup.dir / "renamed"
    setup.run(setup.ingotc.parent / "ingot-ckpt", "rename", run / "model.ckpt-10", "--map", "^([^i]|i[^n])=old/\\1",
              "-o", renamed).expect(0)  # fmt: skip
    names = setup.run(setup.ingotc.parent / "ingot-ckpt", "ls", renamed).expect(0).out
    assert "old/" in names and "\ningot/set" in names, names
    setup.train(run, "--max-steps", 15, "--losses", losses).expect(0)
    own = setup.dir / "own.losses"
    setup.train(setup.dir / "other", "--init-from", renamed, "--restore-map", "^=old/", "--max-steps", 15, "--losses", own).expect(0)
    assert read_losses(own) == read_losses(losses)[10:]


def a_scalar_variable_is_set_in_a_checkpoint_of_its_own(setup):
    run = setup.dir / "run"
    setup.train(run, "--max-steps", 10).expect(0)
    before = {path.name: path.read_bytes() for path in run.glob("model.ckpt-10.*")}
    command = [setup.trainer, "set", "--model-dir", run]
    done = setup.run(*command, "global_step=500").expect(0)
    assert "global_step: 10 -> 500" in done.out, done.out
    assert {path.name: path.read_bytes() for path in run.glob("model.ckpt-10.*")} == before
    losses = setup.dir / "losses"
    setup.train(run, "--steps", 2, "--losses", losses).expect(0)
    assert [line["step"] for line in read_losses(losses)] == [501, 502]
    # The input went on where it was: the losses are those of steps 11 and 12.
    whole = setup.dir / "whole.losses"
    setup.train(setup.dir / "whole", "--max-steps", 12, "--losses", whole).expect(0)
    assert [line["loss"] for line in read_losses(losses)] == [line["loss"] for line in read_losses(whole)[10:]]
    setup.run(*command, "global_stop=1").expect(2, "did you mean 'global_step'?")
    setup.run(*command, "global_step=x").expect(2, "'global_step'", "'x'")
    setup.run(*command).expect(2, "NAME=VALUE")
    setup.run(setup.trainer, "set", "global_step=1").expect(2, "--model-dir")
    setup.run(setup.trainer, "set", "global_step=1", "--model-dir", setup.dir / "none").expect(4)


def a_variable_is_set_from_a_file(setup):
    """Of any shape, and nothing else changes."""
    run = setup.dir / "run"
    setup.train(run, "--max-steps", 10).expect(0)
    variables = json.loads(setup.run(setup.trainer, "info", "--json").expect(0).out)["variables"]
    name, shape = next((one["name"], one["shape"]) for one in variables if len(one["shape"]) == 2 and one["trainable"])
    rows = [[(row * shape[1] + column) % 97 / 64 for column in range(shape[1])] for row in range(shape[0])]
    (setup.dir / "w.npy").write_bytes(feeding.array("<f4", rows))
    (setup.dir / "short.npy").write_bytes(feeding.array("<f4", rows[1:]))
    command = [setup.trainer, "set", "--model-dir", run]
    setup.run(*command, f"{name}=@{setup.dir / 'w.npy'}").expect(0)
    before, after = Bundle(run / "model.ckpt-10"), Bundle(run / "set.ckpt-10")
    assert list(after.values(name)) == [value for row in rows for value in row]
    others = [one["name"] for one in variables if one["name"] != name and one["dtype"] == "float32" and not one["local"]]
    assert others and all(list(before.values(one)) == list(after.values(one)) for one in others)
    setup.run(*command, f"{name}=0.5").expect(2, name, "@FILE.npy")
    setup.run(*command, f"{name}=@{setup.dir / 'short.npy'}").expect(2, name)


def an_evaluation_is_printed_where_it_cannot_be_written(setup):
    data = harness.SOURCE / "test" / "data" / "metrics"
    trainer, run = setup.dir / "metrics", setup.dir / "run"
    setup.compile(data / "train.meta", "-o", trainer).expect(0)
    setup.run(trainer, "--model-dir", run, "--data-dir", data, "--max-steps", 5, "--quiet").expect(0)
    evaluate = [trainer, "evaluate", "--model-dir", run, "--data-dir", data, "--steps", 3]
    told = setup.run(*evaluate).expect(0).out
    for path in (run / "eval").iterdir():
        path.unlink()
    (run / "eval").rmdir()
    (run / "eval").write_text("in the way")
    done = setup.run(*evaluate).expect(0, "warning: the evaluation results were not written to an event file", "eval")
    assert done.out == told, done.out


def info_compares_traced_kernels_to_the_machine(setup):
    """The limits of the machine are measured; which kernels lose how much is not foreseen here."""
    trace = setup.dir / "trace.json"
    training = ("--model-dir", setup.dir / "run", "--data-dir", harness.REFERENCE, "--steps", 4, "--threads", 1)
    setup.run(setup.trainer, *training, "--trace", trace).expect(0)
    printed = setup.run(setup.trainer, "info", "--roofline", "--trace", trace, "--threads", 1).expect(0).out
    assert "GFLOP/s" in printed and "working set" in printed and "traced steps" in printed, printed
    found = json.loads(setup.run(setup.trainer, "info", "--roofline", "--json", "--trace", trace, "--threads", 1).expect(0).out)
    traced = {event["name"] for event in json.loads(trace.read_text())["traceEvents"] if event.get("cat") == "kernel"}
    assert {kernel["name"] for kernel in found["kernels"]} == traced, found
    assert found["threads"] == 1 and found["flops_per_second"] > 0 and found["steps"]["seconds"] > 0, found
    static = json.loads(setup.run(setup.trainer, "info", "--roofline", "--json").expect(0).out)
    assert all(kernel["bound_seconds"] >= 0 for kernel in static["kernels"]) and "steps" not in static, static
    setup.run(setup.trainer, "info", "--threads", 1).expect(2, "--threads needs --roofline")
    trace.write_text("{")
    setup.run(setup.trainer, "info", "--roofline", "--trace", trace).expect(1, "trace.json': not a trace")


def info_prints_a_collection_of_the_graph(setup):
    """A line for each element: names of nodes, and strings."""
    graph = (harness.REFERENCE / "train.meta").read_bytes()
    assert b"train_op" in graph
    names = setup.run(setup.trainer, "info", "--collection", "train_op").expect(0).out.splitlines()
    assert names and all(name.encode() in graph for name in names) and "train_op" not in names, names
    assert setup.run(setup.trainer, "info", "--collection", "none").expect(0).out == ""


if __name__ == "__main__":
    harness.main(globals())
