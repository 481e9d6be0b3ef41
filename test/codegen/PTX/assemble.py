#!/usr/bin/env python3
"""Assembles every kernel of graphs for a GPU, and counts.

assemble.py INGOTC PTXAS ARCH GRAPH...: each kernel that the graph has is either in the PTX or left to the host with a
reason, ptxas takes all of it, and no kernel keeps registers in memory, nor does a function of the one that does whole
steps; that one keeps a few numbers while it calls them.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

STEP = "ingot$step"
# What that one may keep in memory while a function runs, in bytes: a few numbers a call.
STEP_KEEPS = 96
ENTRY = re.compile(r"^\.visible \.entry ([\w$]+)", re.MULTILINE)
LEFT = re.compile(r"^remark: kernel '.*' stays on the host: .", re.MULTILINE)
KERNEL = re.compile(r"^ *func\.func private @.*host\.kernel", re.MULTILINE)
USES = re.compile(r"Function properties for ([\w$]+)\n.*?(\d+) bytes spill stores, (\d+) bytes spill loads")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def assemble(ingotc, ptxas, arch, graph, folder):
    """The numbers of kernels on the device, on the host, and of whole steps, and what is wrong."""
    ptx = folder / "kernels.ptx"
    target = (ingotc, graph, "--target=cuda", f"--gpu-arch={arch}")
    made = run(*target, "--emit=ptx", "--remarks", "-o", str(ptx))
    if made.returncode:
        return 0, 0, 0, [f"{graph}: ingotc: {made.stderr}"]
    kernels = len(KERNEL.findall(run(*target, "--emit=mlir", "--stage=linalg", "-o", "-").stdout))
    names = ENTRY.findall(ptx.read_text())
    entries, left = len(names) - names.count(STEP), len(LEFT.findall(made.stderr))
    wrong = []
    if entries + left != kernels:
        wrong.append(f"{graph}: {kernels} kernels, but {entries} in PTX and {left} left to the host")
    assembled = run(ptxas, "-v", f"-arch={arch}", str(ptx), "-o", str(folder / "kernels.cubin"))
    if assembled.returncode:
        return entries, left, 0, wrong + [f"{graph}: ptxas: {assembled.stderr[:2000]}"]
    seen = USES.findall(assembled.stderr)
    if missing := set(names) - {name for name, _, _ in seen}:
        wrong.append(f"{graph}: ptxas does not speak of {missing}")
    for name, out, back in seen:
        if max(int(out), int(back)) > (STEP_KEEPS if name == STEP else 0):
            wrong.append(f"{graph}: {name} spills {out} bytes, and takes back {back}")
    return entries, left, names.count(STEP), wrong


def main():
    ingotc, ptxas, arch, *graphs = sys.argv[1:]
    device = host = steps = 0
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for graph in graphs:
            entries, left, step, problems = assemble(ingotc, ptxas, arch, graph, pathlib.Path(folder))
            device, host, steps, wrong = device + entries, host + left, steps + step, wrong + problems
    for line in wrong:
        print(line)
    print(
        f"{arch}: {device} kernels of {len(graphs)} graphs assemble, {host} stay on the host, {len(wrong)} problems; "
        f"{steps} steps are one kernel"
    )
    return 1 if wrong or not device else 0


if __name__ == "__main__":
    sys.exit(main())
