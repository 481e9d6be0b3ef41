# SPDX-License-Identifier: Apache-2.0
"""Installs libingotckpt and builds programs with nothing but what was installed."""
import argparse
import json
import math
import os
import pathlib
import re
import shutil
import subprocess

parser = argparse.ArgumentParser()
for name in ("cmake", "build", "cc", "cxx", "source", "libdir", "work", "tool"):
    parser.add_argument("--" + name, required=True)
args = parser.parse_args()
source, work = pathlib.Path(args.source), pathlib.Path(args.work)
zoo = source / "test" / "data" / "checkpoint_zoo"
prefix = work / "prefix"
libdir = prefix / args.libdir


def run(*command, code=0, **more):
    """Runs a command that has to end with `code`; returns what it printed."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **more)
    assert done.returncode == code, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def norms():
    """Of v2_slices, from the values that TensorFlow saved."""
    sums = {}
    for name, entry in json.loads((zoo / "expect.json").read_text())["v2_slices"].items():
        for part in entry.get("slices", [entry]):
            sums[name] = sums.get(name, 0) + sum(float(v) ** 2 for v in part["values"])
    return {name: math.sqrt(total) for name, total in sums.items()}


def check(program, **more):
    """Runs the example, and holds what it says and writes against TensorFlow's values."""
    for leftover in work.glob("scaled.*"):
        leftover.unlink()
    said = run(program, zoo / "v2_slices", work / "scaled", **more)
    found = dict(re.findall(r"(\S+): ([0-9.]+)", said))
    for name, norm in norms().items():
        assert abs(float(found[name]) - norm) < 1e-5 * norm, (name, found, norm)
    # The library's own files are read by others, and are never replaced by default.
    run(args.tool, "verify", work / "scaled")
    listed = json.loads(run(args.tool, "cat", work / "scaled", "part/cols", "--json"))
    total = sum(v * v for row in listed["part/cols"]["values"] for v in row)
    assert abs(total - 1) < 1e-5, total
    assert "exists" in run(program, zoo / "v2_slices", work / "scaled", code=1, **more)
    assert "nothing.index" in run(program, zoo / "nothing", work / "x", code=1, **more)


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
run(args.cmake, "--install", args.build, "--component", "ingotckpt", "--prefix", prefix)
installed = sorted(str(p.relative_to(prefix)) for p in prefix.rglob("*") if p.is_file())
print("\n".join(installed))
example = source / "examples" / "checkpoint-library" / "norms.c"
shutil.copy(example, work)
flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{prefix / 'include'}"]
run(args.cc, *flags, "norms.c", "-o", "norms", f"-L{libdir}", "-lingotckpt", "-lm", cwd=work)
check(work / "norms", env=dict(os.environ, LD_LIBRARY_PATH=str(libdir)))
needed = run("readelf", "-d", libdir / "libingotckpt.so")
assert "LLVM" not in needed and "MLIR" not in needed, needed
symbols = run("nm", "-D", "--defined-only", libdir / "libingotckpt.so").split("\n")
strangers = [s for s in symbols if s and not s.split()[-1].startswith("ingot_checkpoint_")]
assert not strangers, strangers

run(args.cc, *flags, "-c", "norms.c", cwd=work)
run(args.cxx, "norms.o", "-o", "norms-static", libdir / "libingotckpt.a", "-lprotobuf-lite", "-lleveldb",
    "-lsnappy", "-lz", "-lpthread", "-lm", cwd=work)  # fmt: skip
check(work / "norms-static")
# The functions for a directory of checkpoints.
(work / "run").mkdir()
shutil.copy(source / "test" / "runtime" / "CheckpointLibrary" / "directory.c", work)
run(args.cc, *flags, "directory.c", "-o", "directory", f"-L{libdir}", "-lingotckpt", cwd=work)
run(work / "directory", work / "run", env=dict(os.environ, LD_LIBRARY_PATH=str(libdir)))
assert run(args.tool, "verify", work / "run" / "m-1")
# The header is C++, too.
(work / "header.cpp").write_text("#include <ingot/checkpoint.h>\nint main() { return ingot_checkpoint_dtype_size(1) == 4 ? 0 : 1; }\n")
run(args.cxx, "header.cpp", f"-I{prefix / 'include'}", "-o", "header", f"-L{libdir}", "-lingotckpt", cwd=work)
run(work / "header", env=dict(os.environ, LD_LIBRARY_PATH=str(libdir)))
shutil.rmtree(work)
