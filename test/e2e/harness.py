# SPDX-License-Identifier: Apache-2.0
"""What every end-to-end test needs: where things lie, and how to run them.

A test is a function named for the behaviour it protects. It gets a `Setup` and
fails by raising; `Skip` says that the machine lacks what the test needs.
"""
import argparse
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import traceback

SOURCE = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = SOURCE / "test" / "data" / "mlp_adam"
GRAPHS = SOURCE / "bench" / "graphs"


class Skip(Exception):
    """The test cannot run here, and why."""


class Result:
    """A finished command: its exit code and its output."""

    def __init__(self, command, code, out, err):
        self.command, self.code, self.out, self.err = command, code, out, err

    def expect(self, code, *words):
        """Fails unless the command exited with `code` and said all `words` on stderr."""
        told = f"\n$ {' '.join(self.command)}\n{self.out}{self.err}exit code {self.code}"
        assert self.code == code, f"expected exit code {code}{told}"
        for word in words:
            assert word in self.err, f"expected '{word}' on stderr{told}"
        if code not in (0, 130, 143):
            assert "error: " in self.err, f"expected an 'error:' on stderr{told}"
        return self


class Setup:
    """One test's folder, and the commands under test."""

    def __init__(self, bin_dir, work_dir, name):
        self.ingotc = pathlib.Path(bin_dir) / "ingotc"
        self.trainer = pathlib.Path(work_dir) / "trainer"
        self.dir = pathlib.Path(work_dir) / name
        shutil.rmtree(self.dir, ignore_errors=True)
        self.dir.mkdir(parents=True)

    def run(self, *command, timeout=250, **more):
        """Runs a command to its end."""
        command = [str(part) for part in command]
        done = subprocess.run(
            command, capture_output=True, timeout=timeout, check=False, **more
        )
        return Result(
            command,
            done.returncode,
            done.stdout.decode(errors="replace"),
            done.stderr.decode(errors="replace"),
        )

    def compile(self, *flags):
        """Runs ingotc."""
        return self.run(self.ingotc, *flags)

    def train_command(self, model_dir, *flags, data_dir=REFERENCE):
        """The command that trains the reference graph."""
        command = [self.trainer, "--model-dir", model_dir, "--data-dir", data_dir]
        command += ["--summary-steps", 0, "--log-steps", 0, *flags]
        return [str(part) for part in command]

    def train(self, model_dir, *flags, data_dir=REFERENCE, **more):
        """Trains the reference graph to the command's end."""
        return self.run(*self.train_command(model_dir, *flags, data_dir=data_dir), **more)


def read_losses(path):
    """A --losses file as a list of dictionaries."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def checkpoint_files(model_dir, step):
    """The files of model.ckpt-STEP: their bytes by name."""
    files = {p.name: p.read_bytes() for p in model_dir.glob(f"model.ckpt-{step}.*")}
    names = sorted(files)
    assert any(name.endswith(".index") for name in names), f"no index in {names}"
    assert any(".data-" in name for name in names), f"no shard in {names}"
    return files


def assert_same_checkpoint(left, right, step):
    """Fails unless two model directorys have the same checkpoint, byte for byte."""
    a, b = checkpoint_files(left, step), checkpoint_files(right, step)
    assert sorted(a) == sorted(b), f"{sorted(a)} and {sorted(b)}"
    for name in a:
        assert a[name] == b[name], f"{left}/{name} and {right}/{name} differ"


def killed_run_goes_on(setup, trainer):
    """Kills a run of 400 steps at its checkpoint of step 80. Resumed, it ends with the bytes of an undisturbed run."""
    flags = ["--max-steps", "400", "--save-checkpoints-steps", "40", "--quiet"]
    setup.run(trainer, "--model-dir", setup.dir / "whole", *flags).expect(0)
    process = subprocess.Popen([str(trainer), "--model-dir", str(setup.dir / "killed"), *flags])
    until = time.monotonic() + 60
    while not list((setup.dir / "killed").glob("model.ckpt-80.index")) and time.monotonic() < until:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the run had ended before it was killed"
    setup.run(trainer, "--model-dir", setup.dir / "killed", *flags).expect(0)
    assert_same_checkpoint(setup.dir / "whole", setup.dir / "killed", 400)


def main(tests):
    """Runs the test that the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, help="folder of ingotc")
    parser.add_argument("--work", required=True, help="folder to work in")
    parser.add_argument("test")
    arguments = parser.parse_args()
    setup = Setup(arguments.bin, arguments.work, arguments.test)
    try:
        tests[arguments.test](setup)
    except Skip as reason:
        print(f"SKIP: {reason}")
        sys.exit(77)
    except Exception:
        traceback.print_exc()
        sys.exit(1)
    shutil.rmtree(setup.dir, ignore_errors=True)
