# SPDX-License-Identifier: Apache-2.0
"""The programs that shares.py lets take turns: trainers, and peers that train for a window whenever they are asked."""
import datetime
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

import run

# The losses that are compared, which timing.on_demand gives of peers.
FIRST_STEPS = 20
# The trainer's autotuning of threads tries each candidate a few times.
TUNING_STEPS = 16
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

    def __init__(self, python, script, model, seconds):
        command = [python, "-B", run.BENCH / script, model, seconds, 0]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True, env=QUIET
        )
        self.rates, self.memory, self.losses, self.why = [], 0, [], ""

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
        if self.why:
            return
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.answer()
        if line:
            self.rates.append(float(line))
            self.memory = high_water_mark(self.process)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.errors.close()


def training(trainer, folder, threads, steps, *flags):
    command = [trainer, "--model-dir", folder, "--steps", steps, "--summary-steps", 0, "--threads", threads, *flags]
    return [str(part) for part in command]


class Trainer:
    """A trainer on some threads. A window is a run, whose first steps are not timed."""

    def __init__(self, program, threads, seconds):
        self.program, self.threads, self.rates = program, threads, []
        self.steps, self.untimed = 2, 1
        while (taken := self.run()) < seconds / 2 and self.steps < 10**7:
            self.steps = int(self.steps * min(10, seconds / max(taken, 1e-4))) + 1
        if threads > 1:
            self.untimed = -(-TUNING_STEPS // self.steps)

    def run(self):
        """Seconds of the last `steps` steps, by the log's own clock: its lines are of step 1, and of each `steps` more."""
        with tempfile.TemporaryDirectory() as folder:
            steps = self.steps * (self.untimed + 1) + 1
            command = training(self.program, folder, self.threads, steps, "--log-steps", self.steps, "--log-format", "json")
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        times = [datetime.datetime.fromisoformat(line["time"]) for line in lines if line["message"].startswith("step ")]
        if done.returncode or len(times) != self.untimed + 2:
            raise Failure(f"the trainer ended with {done.returncode}: " + done.stderr.strip().split("\n")[-1][:200])
        return (times[-1] - times[-2]).total_seconds()

    def window(self):
        self.rates.append(self.steps / self.run())

    def losses_and_memory(self):
        """The losses of the first steps, and the peak resident set of a run."""
        with tempfile.TemporaryDirectory() as name:
            folder, memory = pathlib.Path(name), 0
            flags = ["--quiet", "--log-steps", 0, "--losses", folder / "losses"]
            process = subprocess.Popen(training(self.program, folder / "run", self.threads, max(FIRST_STEPS, self.steps), *flags))
            while process.poll() is None:
                memory = max(memory, high_water_mark(process))
                time.sleep(0.001)
            if process.returncode:
                raise Failure(f"the trainer ended with {process.returncode}")
            rows = [json.loads(line) for line in (folder / "losses").read_text().splitlines()[:FIRST_STEPS]]
        return [row["loss"] for row in rows], memory
