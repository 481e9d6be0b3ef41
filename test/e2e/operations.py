# SPDX-License-Identifier: Apache-2.0
"""A trainer in operation: --metrics-port, --log-format json, --max-memory, a container's file system."""
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request

import flags
import harness
from bundle import Bundle

sys.path.insert(0, str(harness.SOURCE / "bench"))
from compile_time import Graph  # noqa: E402


class Running:
    """A trainer that serves metrics; ended by the signal of `stop`."""

    def __init__(self, setup, *more):
        words = [setup.trainer, "--model-dir", setup.dir / "run", "--data-dir", harness.REFERENCE, "--metrics-port", 0, *more]
        self.process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.fullmatch(r"note: metrics are on port (\d+) of (\S+)\n", line)
        assert found, line
        self.port, self.host = int(found[1]), found[2]

    def get(self, path="/metrics", timeout=10):
        """The status and the body of an answer."""
        try:
            with urllib.request.urlopen(f"http://{self.host}:{self.port}{path}", timeout=timeout) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metrics(self):
        """The metrics by name, as a scraper reads them."""
        code, text = self.get()
        assert code == 200, text
        found = {}
        for help_line, type_line, sample in zip(*[iter(text.splitlines())] * 3):
            name, value = sample.split(" ")
            assert help_line.startswith(f"# HELP {name} ") and re.fullmatch(rf"# TYPE {name} (gauge|counter)", type_line), text
            found[name.removeprefix("ingot_")] = float(value)
        return found

    def wait(self, holds, path="/readyz"):
        """Asks until `holds` of an answer."""
        for _ in range(400):
            answer = self.get(path)
            if holds(answer):
                return answer
            time.sleep(0.05)
        raise AssertionError(answer)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err


def metrics_are_those_of_the_run(setup):
    run = Running(setup, "--losses", setup.dir / "losses", "--save-checkpoints-secs", 0.5)
    assert run.host == "127.0.0.1"
    run.wait(lambda answer: answer[0] == 200)
    time.sleep(3)
    first, second = run.metrics(), None
    time.sleep(1)
    second = run.metrics()
    assert second["global_step"] > first["global_step"] > 0 and second["steps_total"] == second["global_step"]
    assert second["steps_per_second"] > 0
    assert abs(second["examples_per_second"] - 64 * second["steps_per_second"]) < 1e-6 * second["examples_per_second"]
    assert 0 <= second["seconds_since_checkpoint"] < 60 and second["ready"] == 1
    resident = int(re.search(r"VmRSS:\s+(\d+) kB", open(f"/proc/{run.process.pid}/status").read())[1]) * 1024
    assert abs(second["resident_memory_bytes"] - resident) < 0.3 * resident
    assert run.get("/healthz") == (200, "ok\n") and run.get("/readyz?verbose") == (200, "ok\n")
    assert run.get("/")[0] == 404 and "/metrics" in run.get("/x")[1]
    code, err = run.stop()
    assert code == 143 and "stopped by SIGTERM" in err, err
    losses = {line["step"]: line["loss"] for line in harness.read_losses(setup.dir / "losses")}
    # The loss is read after the step, while training goes on: it is that of this step or of a later one.
    step = int(second["global_step"])
    assert second["loss"] in [losses[later] for later in range(step, step + 5000) if later in losses], second


def one_client_holds_up_neither_another_nor_training(setup):
    run = Running(setup)
    run.wait(lambda answer: "ingot_loss" in answer[1], "/metrics")
    idle = [socket.create_connection((run.host, run.port)) for _ in range(20)]
    idle[1].sendall(b"GET /metrics HT")  # a request that does not end
    idle[2].sendall(b"x" * 20000)  # and one that is no request
    idle[3].shutdown(socket.SHUT_WR)
    idle[4].sendall(b"POST /metrics HTTP/1.1\r\n\r\n")
    assert idle[4].recv(100).startswith(b"HTTP/1.1 405 ")
    begin = time.monotonic()
    steps = [run.metrics()["global_step"] for _ in range(10)]
    assert time.monotonic() - begin < 4 and steps[-1] > steps[0], steps
    # Those that are not served are dropped after five seconds; more clients than the server takes wait for that.
    idle += [socket.create_connection((run.host, run.port)) for _ in range(20)]
    idle[0].settimeout(20)
    assert idle[0].recv(1) == b""
    run.wait(lambda answer: answer[0] == 200)
    run.stop(signal.SIGKILL)
    # Nothing is left of a trainer that was killed: the next one takes the same port.
    again = setup.run(setup.trainer, "--model-dir", setup.dir / "run", "--data-dir", harness.REFERENCE, "--metrics-port", run.port,
                      "--steps", 3).expect(0)  # fmt: skip
    assert f"metrics are on port {run.port}" in again.err, again.err


def readiness_waits_for_the_state(setup):
    setup.train(setup.dir / "other", "--steps", 1).expect(0)
    run = Running(setup, "--wait-for-checkpoint", "--recovery-wait-secs", "0.2")
    assert run.wait(lambda answer: answer[0] != 200) == (503, "not training\n")
    assert run.get("/healthz") == (200, "ok\n") and run.metrics()["ready"] == 0 and "global_step" not in run.metrics()
    shutil.copytree(setup.dir / "other", setup.dir / "run", dirs_exist_ok=True)
    run.wait(lambda answer: answer == (200, "ok\n"))
    assert run.metrics()["ready"] == 1
    assert run.stop(signal.SIGINT)[0] == 130


def ports_and_hosts_that_cannot_be_used_are_named(setup):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        setup.train(setup.dir / "run", "--metrics-port", port, "--steps", 1).expect(1, f"cannot listen on port {port} of 127.0.0.1", "in use", "another port")
    assert not (setup.dir / "run").exists(), "a run that could not begin has left a folder"
    run = setup.dir / "run"
    setup.train(run, "--metrics-port", 0, "--metrics-host", "example.org", "--steps", 1).expect(1, "--metrics-host: 'example.org' is not an IP address", "0.0.0.0")
    setup.train(run, "--metrics-port", 70000).expect(2, "--metrics-port", "65535")
    setup.train(run, "--metrics-host", "0.0.0.0").expect(2, "--metrics-host needs --metrics-port PORT")
    setup.train(run, "--metrics-port", 0, "--metrics-host", "0.0.0.0", "--steps", 1).expect(0, "of 0.0.0.0")


def json_logs_have_an_object_in_each_line(setup):
    begin = time.time()
    run = setup.run(setup.trainer, "--model-dir", setup.dir / "run", "--data-dir", harness.REFERENCE, "--max-steps", 40, "--log-steps", 10,
                    "--log-format", "json", "--metrics-port", 0).expect(0)  # fmt: skip
    lines = [json.loads(line) for line in (run.out + run.err).splitlines()]
    assert len(run.err.splitlines()) >= 1 and len(lines) > 5
    for line in lines:
        assert set(line) - {"step"} == {"time", "level", "message"} and line["level"] in ("info", "note"), line
        when = time.mktime(time.strptime(line["time"][:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone
        assert re.fullmatch(r".*\.\d{3}Z", line["time"]) and begin - 2 <= when <= time.time() + 1, line
    steps = [line["step"] for line in lines if re.match(r"step \d+  loss", line["message"])]
    assert steps == [int(line["message"].split()[1]) for line in lines if re.match(r"step \d+  loss", line["message"])]
    assert steps[:2] == [1, 11] and steps[-1] == 40, steps
    # Errors, too.
    lost = setup.train(setup.dir / "lost", "--steps", 1, "--log-format", "json", data_dir=setup.dir / "none")
    assert lost.code == 1
    last = [json.loads(line) for line in lost.err.splitlines()]
    assert any(line["level"] == "error" and "train.tfrecord" in line["message"] for line in last), lost.err
    setup.train(setup.dir / "run", "--log-format", "xml").expect(2, "--log-format: expected text or json, found 'xml'")


def too_little_memory_ends_a_run_before_it_begins(setup):
    variables = sum(entry["bytes"] for entry in json.loads(setup.run(setup.trainer, "info", "--json").expect(0).out)["variables"])
    run = setup.dir / "run"
    told = setup.train(run, "--steps", 1, "--max-memory", variables).expect(2, "--max-memory: the run needs at least", "for variables", "for a step")
    assert "for saving" in told.err and not run.exists()
    setup.train(run, "--steps", 1, "--max-memory", "160K").expect(2, "as much for saving them", "160 KiB are allowed", "--sync-saves")
    setup.train(run, "--steps", 1, "--max-memory", "160K", "--sync-saves").expect(0)
    setup.train(run, "--steps", 1, "--max-memory", "64M").expect(0)
    for wrong in ("0", "1T", "G", "-1", "99999999999G"):
        setup.train(run, "--max-memory", wrong).expect(2, f"found '{wrong}'")


def peak(trainer, run, *more):
    """The most memory that a run of many saves takes, in bytes, or this process where that is more."""
    command = [trainer, "--model-dir", run, "--save-checkpoints-steps", 3, "--keep-checkpoint-max", 2, "--quiet", *more]
    process = subprocess.Popen([str(word) for word in command])
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, status
    return usage.ru_maxrss * 1024


def a_save_copies_no_more_variables_than_it_may(setup):
    """Twelve variables of 4 MiB, which each step changes: the same values in checkpoints, whether they are copied or not."""
    graph, count, size, steps = Graph(), 12, 1 << 20, 30
    rate, updates = graph.constant("rate", 0.5), []
    for i in range(count):
        graph.variable(f"w{i}", float(i), size)
        gradient = graph.constant(f"g{i}", i / 4, size)
        updates.append(graph.compute(f"w{i}/step", "ResourceApplyGradientDescent", f"w{i}", rate, gradient))
    path, trainer = setup.dir / "graph.pbtxt", setup.dir / "wide"
    graph.write(path, graph.node("step", "NoOp", *["^" + name for name in updates]))
    setup.compile(path, "-o", trainer).expect(0)

    state = 4 * size * count
    bounded, whole = (peak(trainer, setup.dir / run, "--max-steps", steps, "--save-copy", copied) for run, copied in (("bounded", "4M"), ("whole", "1G")))
    assert bounded <= 1.3 * state and whole >= 1.9 * state, (bounded, whole, state)
    for step in (steps - 3, steps):
        harness.assert_same_checkpoint(setup.dir / "bounded", setup.dir / "whole", step)
        bundle = Bundle(setup.dir / "bounded" / f"model.ckpt-{step}")
        for i in range(count):
            assert set(bundle.values(f"w{i}")) == {i - step * 0.5 * i / 4}, (step, i)
    limited = ("--model-dir", setup.dir / "limited", "--max-memory", "56M")
    setup.run(trainer, *limited).expect(2, "48 MiB for variables, as much for saving them")
    setup.run(trainer, *limited, "--save-copy", "4M", "--max-steps", 1).expect(0)
    setup.run(trainer, *limited, "--save-copy", "40M").expect(2, "48 MiB for variables, 40 MiB for saving them")
    setup.run(trainer, *limited, "--save-copy", "many").expect(2, "--save-copy: expected a number of bytes, or one with K, M or G, found 'many'")


def first_values_are_read_from_files_into_their_variables(setup):
    """Twelve variables of 4 MiB, and one of numbers in the other order of bytes."""
    graph, count, size = Graph(), 12, 1 << 20

    def from_file(name, kind, data, *dims, **attributes):
        (setup.dir / f"{name}.bin").write_bytes(data)
        dtype, text = {"dtype": f"type: {kind}"}, "".join(f"\\{byte:03o}" for byte in f"{name}.bin".encode())
        shape = "".join(f" dim {{ size: {size} }}" for size in dims)
        graph.node(name, "VarHandleOp", **dtype, shape=f"shape {{{shape} }}", shared_name=f's: "{name}"')
        graph.node(f"{name}/name", "Const", dtype="type: DT_STRING", value=f'tensor {{ dtype: DT_STRING tensor_shape {{ }} string_val: "{text}" }}')
        graph.node(f"{name}/file", "ReadFile", f"{name}/name")
        graph.node(f"{name}/numbers", "DecodeRaw", f"{name}/file", out_type=f"type: {kind}", **attributes)
        values = " ".join(f"int_val: {size}" for size in dims)
        graph.node(f"{name}/shape", "Const", dtype="type: DT_INT32",
                   value=f"tensor {{ dtype: DT_INT32 tensor_shape {{ dim {{ size: {len(dims)} }} }} {values} }}")  # fmt: skip
        graph.node(f"{name}/value", "Reshape", f"{name}/numbers", f"{name}/shape", T=f"type: {kind}", Tshape="type: DT_INT32")
        graph.variables.append(graph.node(f"{name}/Assign", "AssignVariableOp", name, f"{name}/value", **dtype))

    for i in range(count):
        from_file(f"w{i}", "DT_FLOAT", struct.pack("<f", i + 0.5) * size, 1024, size // 1024)
    from_file("swapped", "DT_INT16", struct.pack(">6h", 1, -2, 300, 4, 5, -600), 2, 3, little_endian="b: false")
    path, trainer = setup.dir / "graph.pbtxt", setup.dir / "filled"
    one = graph.constant("one", 1.0)
    graph.write(path, graph.node("step", "NoOp", "^" + graph.node("steps/add", "AssignAddVariableOp", graph.variable("steps", 0.0), one, dtype="type: DT_FLOAT")))
    setup.compile(path, "-o", trainer).expect(0)
    data = ("--data-dir", setup.dir)
    found = peak(trainer, setup.dir / "run", "--max-steps", 1, "--save-copy", "4M", *data)
    assert found <= 1.3 * 4 * size * count, found
    bundle = Bundle(setup.dir / "run" / "model.ckpt-0")
    for i in range(count):
        assert set(bundle.values(f"w{i}")) == {i + 0.5}, i
    assert struct.unpack("<6h", bundle.data("swapped")) == (1, -2, 300, 4, 5, -600), bundle.data("swapped")
    # A file of another size, of parts of numbers, and none: the message names the node.
    for change, words in ((lambda file: file.write_bytes(b"\0" * 14), "swapped/file': output 0 has shape [7], but the graph was compiled for shape [6]"),
                          (lambda file: file.write_bytes(b"\0" * 13), "swapped/file"), (lambda file: file.unlink(), "swapped.bin")):  # fmt: skip
        change(setup.dir / "swapped.bin")
        setup.run(trainer, "--model-dir", setup.dir / "wrong", "--max-steps", 1, *data).expect(1, words)


def help_names_what_is_most_used_first(setup):
    for verb in ("train", "train-and-evaluate"):
        text = setup.run(setup.trainer, verb, "--help").expect(0).out
        headings = re.findall(r"^(\w.*):$", text, re.M)
        assert headings[0] == "Most used" and len(headings) >= 8 and len(set(headings)) == len(headings), headings
        parts = re.split(r"^\w.*:$", text, flags=re.M)
        first = flags.flags_tested.flags(parts[1])
        assert first[:2] == ["--model-dir", "--max-steps"] and "--save-checkpoints-steps" in first, first
        listed = flags.flags_tested.flags(text)
        assert len(listed) == len(set(listed)) and len(listed) > 70
        assert ("Evaluations" in headings) == (verb != "train")
    # A heading is no flag, and no flag's likely spelling.
    setup.run(setup.trainer, "train", "--most-used").expect(2, "unknown flag '--most-used'")


def a_container_needs_nothing_but_the_trainer(setup):
    """What the Dockerfile of docs/guide/operations.md puts into an image FROM scratch: run in it as root directory."""
    image = setup.dir / "image.tar"
    with tarfile.open(image, "w", dereference=True) as tar:
        tar.add(setup.trainer, "trainer")
        tar.add(harness.REFERENCE / "data", "data")
    assert image.stat().st_size < 10_000_000
    root = setup.dir / "root"
    with tarfile.open(image) as tar:
        tar.extractall(root)
    (root / "run").mkdir()
    command = ["unshare", "--root", root, "--wd", "/", "--map-root-user"]
    if setup.run(*command, "/trainer", "--version").code != 0:
        raise harness.Skip("unshare --root is not allowed here")
    setup.run(*command, "/trainer", "train", "--model-dir", "/run", "--data-dir", "/", "--max-steps", 20, "--log-format", "json",
              "--metrics-port", 0, "--metrics-host", "0.0.0.0").expect(0)  # fmt: skip
    assert (root / "run" / "model.ckpt-20.index").exists()
    assert not os.path.exists(root / "etc") and not os.path.exists(root / "proc")


def the_unit_of_the_documentation_is_one_of_systemd(setup):
    """With this trainer for the documentation's."""
    systemd = shutil.which("systemd-analyze")
    if not systemd:
        raise harness.Skip("no systemd-analyze on the path")
    page = (harness.SOURCE / "docs" / "guide" / "operations.md").read_text(encoding="utf-8")
    (unit,) = re.findall(r"^```ini excerpt\n(.*?)^```$", page, re.M | re.S)
    path = setup.dir / "digits.service"
    path.write_text(unit.replace("/opt/digits/trainer", str(setup.trainer)))
    done = setup.run(systemd, "verify", path).expect(0)
    assert not done.err, done.err
    path.write_text(path.read_text().replace("MemoryMax", "MemoryMost"))
    assert "MemoryMost" in setup.run(systemd, "verify", path).err


if __name__ == "__main__":
    harness.main(globals())
