#!/usr/bin/env python3
"""Assembles every kernel of graphs for a GPU, and counts.

assemble.py INGOTC PTXAS ARCH GRAPH...: each kernel that the graph has is either in the PTX or left to the host with a
reason, ptxas takes all of it, and no kernel keeps registers in memory.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ENTRY = re.compile(r"^\.visible \.entry ", re.MULTILINE)
LEFT = re.compile(r"^remark: kernel '.*' stays on the host: .", re.MULTILINE)
KERNEL = re.compile(r"^ *func\.func private @.*host\.kernel", re.MULTILINE)
USES = re.compile(r"Compiling entry function '([^']+)'.*?(\d+) bytes spill stores, (\d+) bytes spill loads", re.DOTALL)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def assemble(ingotc, ptxas, arch, graph, folder):
    """The numbers of kernels on the device and on the host, and what is wrong."""
    ptx = folder / "kernels.ptx"
    target = (ingotc, graph, "--target=cuda", f"--gpu-arch={arch}")
    made = run(*target, "--emit=ptx", "--remarks", "-o", str(ptx))
    if made.returncode:
        return 0, 0, [f"{graph}: ingotc: {made.stderr}"]
    kernels = len(KERNEL.findall(run(*target, "--emit=mlir", "--stage=linalg", "-o", "-").stdout))
    entries, left = len(ENTRY.findall(ptx.read_text())), len(LEFT.findall(made.stderr))
    wrong = []
    if entries + left != kernels:
        wrong.append(f"{graph}: {kernels} kernels, but {entries} in PTX and {left} left to the host")
    assembled = run(ptxas, "-v", f"-arch={arch}", str(ptx), "-o", str(folder / "kernels.cubin"))
    if assembled.returncode:
        return entries, left, wrong + [f"{graph}: ptxas: {assembled.stderr[:2000]}"]
    seen = USES.findall(assembled.stderr)
    if len(seen) != entries:
        wrong.append(f"{graph}: {entries} entries, but ptxas speaks of {len(seen)}")
    wrong += [f"{graph}: {name} spills {out} bytes" for name, out, back in seen if out != "0" or back != "0"]
    return entries, left, wrong


def main():
    ingotc, ptxas, arch, *graphs = sys.argv[1:]
    device = host = 0
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for graph in graphs:
            entries, left, problems = assemble(ingotc, ptxas, arch, graph, pathlib.Path(folder))
            device, host, wrong = device + entries, host + left, wrong + problems
    for line in wrong:
        print(line)
    print(f"{arch}: {device} kernels of {len(graphs)} graphs assemble, {host} stay on the host, {len(wrong)} problems")
    return 1 if wrong or not device else 0


if __name__ == "__main__":
    sys.exit(main())
