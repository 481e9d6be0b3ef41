# SPDX-License-Identifier: Apache-2.0
"""The programs that shares.py lets take turns: trainers, and peers that train for a window whenever they are asked."""
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import run

# The losses that are compared, which timing.on_demand gives of peers.
FIRST_STEPS = 20
# A run chooses its numbers of threads by trials in its first steps; as many as these are not timed, and at least so long.
RUN_IN_STEPS, RUN_IN_SECONDS = 300, 0.5
QUIET = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", JAX_PLATFORMS="cpu", PYTHONWARNINGS="ignore")


class Failure(RuntimeError):
    """What a program said when it ended before its time."""


def high_water_mark(process):
    """The peak resident set of a process that runs, in bytes, or 0 where it has ended."""
    try:
        found = re.search(r"^VmHWM:\s*(\d+) kB$", pathlib.Path(f"/proc/{process.pid}/status").read_text(), re.M)
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


class Peer:
    """A peer's process, which waits between windows."""

    def __init__(self, python, script, model, seconds, threads):
        command = [python, "-B", run.BENCH / script, model, seconds, 0]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True, env=QUIET
        )
        self.threads, self.rates, self.peaks, self.memory, self.losses, self.why = threads, [], [], 0, [], ""

    def wait(self):
        """Until it has made its first steps: peers import and compile at the same time."""
        line = self.answer()
        self.losses = json.loads(line) if line else []

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            self.errors.seek(0)
            self.why = (self.errors.read().strip() or f"exit code {code}").split("\n")[-1][:200]
        return line

    def window(self):
        """The rate of a window, or None where it has ended."""
        if self.why:
            return None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.answer()
        if line:
            self.memory = high_water_mark(self.process)
        return float(line) if line else None

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.errors.close()


def training(trainer, folder, threads, steps, *flags):
    command = [trainer, "--model-dir", folder, "--steps", steps, "--summary-steps", 0, "--threads", threads, *flags]
    return [str(part) for part in command]


class Trainer:
    """A trainer on some threads: one process, which is stopped between its windows, as peers wait between theirs."""

    def __init__(self, program, threads, seconds):
        self.program, self.threads, self.seconds = program, threads, seconds
        self.rates, self.peaks, self.memory = [], [], 0
        self.folder = tempfile.TemporaryDirectory()
        self.log = pathlib.Path(self.folder.name, "log")
        self.process, self.steps = None, 1
        try:
            self.run_in(seconds)
        except BaseException:
            self.close()
            raise

    def start(self):
        """Begins a run whose log has a line each `steps` steps."""
        flags = ["--log-steps", self.steps, "--log-format", "json"]
        command = training(self.program, pathlib.Path(self.folder.name, "run"), self.threads, 10**9, *flags)
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)

    def run_in(self, seconds):
        """Finds how many steps take a tenth of a window, then lets a run choose its threads, which takes some trials."""
        self.start()
        self.wait(lambda lines: len(lines) > 2, limit=120)
        self.wait(lambda lines: len(lines) > RUN_IN_STEPS, limit=seconds, fails=False)
        first, *_, last = self.lines()
        rate = (last[0] - first[0]) / max(last[1] - first[1], 1e-4)
        self.end()
        self.steps = max(1, int(rate * seconds / 10))
        self.start()
        self.wait(lambda lines: len(lines) > 2, limit=120)
        self.wait(lambda lines: lines[-1][0] >= RUN_IN_STEPS and lines[-1][1] - lines[0][1] >= RUN_IN_SECONDS, 10 * RUN_IN_SECONDS, fails=False)
        self.process.send_signal(signal.SIGSTOP)

    def lines(self):
        """Step and time of each line of the log that is complete."""
        text = self.log.read_text()
        rows = [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines() if line.startswith("{")]
        rows = [(re.match(r"step (\d+)", row["message"]), row["time"]) for row in rows]
        return [(int(step[1]), datetime.datetime.fromisoformat(time).timestamp()) for step, time in rows if step]

    def wait(self, until, limit, fails=True):
        """Until the lines are as wanted, or `limit` seconds have passed. Looks rarely: looking takes time from a core."""
        end = time.monotonic() + limit
        while not until(self.lines()):
            if self.process.poll() is not None:
                raise Failure(f"the trainer ended with {self.process.returncode}: " + self.log.read_text().strip().split("\n")[-1][:200])
            if time.monotonic() > end:
                if fails:
                    raise Failure(f"the trainer made no step in {limit} s")
                return
            time.sleep(0.01)

    def window(self):
        """The rate between the first line and the last of a window."""
        known = len(self.lines())
        self.process.send_signal(signal.SIGCONT)
        time.sleep(self.seconds)
        self.wait(lambda lines: len(lines) > known + 2 and lines[-1][1] - lines[known][1] >= self.seconds, limit=120)
        self.process.send_signal(signal.SIGSTOP)
        self.memory = high_water_mark(self.process)
        lines = self.lines()
        return (lines[-1][0] - lines[known][0]) / (lines[-1][1] - lines[known][1])

    def end(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(pathlib.Path(self.folder.name, "run"), ignore_errors=True)

    def close(self):
        if self.process:
            self.end()
        self.folder.cleanup()

    def first_losses(self):
        """The losses of the first steps."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            flags = ["--quiet", "--log-steps", 0, "--losses", folder / "losses"]
            done = subprocess.run(training(self.program, folder / "run", self.threads, FIRST_STEPS, *flags), check=False)
            if done.returncode:
                raise Failure(f"the trainer ended with {done.returncode}")
            rows = [json.loads(line) for line in (folder / "losses").read_text().splitlines()[:FIRST_STEPS]]
        return [row["loss"] for row in rows]
