#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Assembles every kernel of graphs for a GPU, and counts.

assemble.py INGOTC PTXAS ARCH GRAPH...: each kernel that the graph has is either in the PTX or left to the host with a
reason, ptxas takes all of it, and no kernel but those of SPILLS keeps registers in memory, nor a function of the one that
does whole steps, which has half the registers that its kernel may have.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

STEP = "ingot$step"
# Kernels that keep registers in memory, by graph: bytes that they may. The list can only shrink.
# A function of a step kernel saves a register for its caller if rounded divisions and roots in it become calls (4 bytes).
SPILLS = {
    ("draws_and_crops", "fused_Sigmoid_mul_1_Ndtri_Tanh_mul_2$step"): 4,
    ("draws_and_crops", "ingot$step"): 4,
    ("keras_cnn", "fused_sequential_conv2d_Conv2D"): 8,
}
ENTRY = re.compile(r"^\.visible \.entry ([\w$]+)", re.MULTILINE)
LEFT = re.compile(r"^remark: kernel '.*' stays on the host: .", re.MULTILINE)
KERNEL = re.compile(r"^ *func\.func private @.*host\.kernel", re.MULTILINE)
USES = re.compile(r"Function properties for ([\w$]+)\n.*?(\d+) bytes spill stores, (\d+) bytes spill loads")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def assemble(ingotc, ptxas, arch, graph):
    """The numbers of kernels on the device, on the host, and of whole steps, and what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        return assemble_in(pathlib.Path(folder), ingotc, ptxas, arch, graph)


def assemble_in(folder, ingotc, ptxas, arch, graph):
    ptx = folder / "kernels.ptx"
    target = (ingotc, graph, "--target=cuda", "--step-kernel", f"--gpu-arch={arch}")
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
        if max(int(out), int(back)) > SPILLS.get((pathlib.Path(graph).parent.name, name), 0):
            wrong.append(f"{graph}: {name} spills {out} bytes, and takes back {back}")
    return entries, left, names.count(STEP), wrong


def main():
    ingotc, ptxas, arch, *graphs = sys.argv[1:]
    device = host = steps = 0
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda graph: assemble(ingotc, ptxas, arch, graph), graphs))
    for entries, left, step, problems in results:
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
