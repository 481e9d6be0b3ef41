#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast checkpoints are saved and restored.

Runs ingot-checkpoint-speed, which has plain loops beside it; with INGOT_TF_PYTHON
naming a Python that has TensorFlow, TensorFlow's Saver does the same in the same
folder afterwards. Its saves don't wait for the disk and Ingot's do, so that its files
are also synced after its save; in a folder in memory (--folder /dev/shm) neither waits.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", required=True, help="ingot-checkpoint-speed")
    parser.add_argument("--folder", help="on the disk to measure (default: a temporary one)")
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--variables", type=int, default=64)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    numbers = [
        str(n)
        for n in (arguments.mib, arguments.variables, arguments.shards, arguments.rounds)
    ]
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        subprocess.run([arguments.program, folder, *numbers], check=True)
    python = os.environ.get("INGOT_TF_PYTHON")
    if not python:
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        done = subprocess.run(
            [python, BENCH / "tensorflow_saver.py", folder, *numbers],
            capture_output=True, text=True, check=False,
            env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES=""),
        )  # fmt: skip
    if done.returncode:
        print(done.stderr)
        return
    save, synced, restore = map(float, done.stdout.split())
    print(f"TensorFlow's save, no sync {save:>5.0f} MiB/s")
    print(f"TensorFlow's save {synced:>14.0f} MiB/s   (its files synced afterwards)")
    print(f"TensorFlow's restore {restore:>11.0f} MiB/s")


if __name__ == "__main__":
    main()
