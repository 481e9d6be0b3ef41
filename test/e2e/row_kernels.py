# SPDX-License-Identifier: Apache-2.0
"""Ops that compute the rows of large tensors, in one kernel with a block for each row, on an emulated GPU.

The processor's kernels of the same program are the figures.
"""
import random
import struct

import harness
from device import Device

SHAPE = (8, 16, 512)
ROWS = """  ingot.entry @rows role(other) feeds ["x", "g", "scale"] fetches ["y", "dx"] variables [] updates [] {
  ^bb0(%x: tensor<8x16x512xf32>, %g: tensor<8x16x512xf32>, %scale: tensor<512xf32>):
    %last = ingot.constant dense<-1> : tensor<1xi32>
    %times = ingot.constant dense<[1, 1, 512]> : tensor<3xi32>
    %m = ingot.mean %x, %last {keep_dims = true} : (tensor<8x16x512xf32>, tensor<1xi32>) -> tensor<8x16x1xf32>
    %d = ingot.sub %x, %m : (tensor<8x16x512xf32>, tensor<8x16x1xf32>) -> tensor<8x16x512xf32>
    %n = ingot.mul %d, %scale : (tensor<8x16x512xf32>, tensor<512xf32>) -> tensor<8x16x512xf32>
    %y = ingot.softmax %n : (tensor<8x16x512xf32>) -> tensor<8x16x512xf32>
    %p = ingot.mul %g, %y : (tensor<8x16x512xf32>, tensor<8x16x512xf32>) -> tensor<8x16x512xf32>
    %s = ingot.sum %p, %last {keep_dims = true} : (tensor<8x16x512xf32>, tensor<1xi32>) -> tensor<8x16x1xf32>
    %t = ingot.tile %s, %times : (tensor<8x16x1xf32>, tensor<3xi32>) -> tensor<8x16x512xf32>
    %c = ingot.sub %g, %t : (tensor<8x16x512xf32>, tensor<8x16x512xf32>) -> tensor<8x16x512xf32>
    %dx = ingot.mul %c, %y : (tensor<8x16x512xf32>, tensor<8x16x512xf32>) -> tensor<8x16x512xf32>
    ingot.return %y, %dx : tensor<8x16x512xf32>, tensor<8x16x512xf32>
  }
"""


def write_normal(path, shape, seed):
    draw, count = random.Random(seed), 1
    for size in shape:
        count *= size
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    numbers = struct.pack(f"<{count}f", *(draw.gauss(0, 1) for _ in range(count)))
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + numbers)


def rows_of_large_tensors_are_one_kernel_that_computes_the_same(setup):
    graph = setup.dir / "rows.mlir"
    graph.write_text("module {\n" + ROWS + "}\n")
    device = Device(setup, graph)
    feeds = []
    for seed, (name, shape) in enumerate((("x", SHAPE), ("g", SHAPE), ("scale", SHAPE[-1:]))):
        write_normal(setup.dir / f"{name}.npy", shape, seed)
        feeds += ["--feed", f"{name}=@{setup.dir / name}.npy"]
    found = {}
    for place in ("cuda:0", "cpu"):
        paths = {name: setup.dir / f"{place}-{name}.npy" for name in ("y", "dx")}
        fetches = [part for name, path in paths.items() for part in ("--fetch", f"{name}=@{path}")]
        setup.run(
            device.trainer, "run", "rows", "--quiet", *feeds, *fetches, "--device", place, env=device.environment(),
        ).expect(0)  # fmt: skip
        if place == "cuda:0":
            assert device.driver_calls()["cuLaunchKernel"] == 1, device.driver_calls()
        found[place] = [struct.unpack("<65536f", path.read_bytes()[-4 * 65536 :]) for path in paths.values()]
    for there, here in zip(found["cuda:0"], found["cpu"]):
        largest = max(map(abs, here))
        apart = max(abs(a - b) for a, b in zip(there, here))
        # Both orders of a row's 512 terms round each term ten times at the most.
        assert 0 < largest and apart <= 2e-6 * largest, (apart, largest)


if __name__ == "__main__":
    harness.main(globals())
