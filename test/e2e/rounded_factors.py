# SPDX-License-Identifier: Apache-2.0
"""GEMMs whose factors are rounded to 16 bits before the launch, on an emulated GPU.

The same products with a dynamic number of rows are the figures: these GEMMs
round f32 factors as they load them.
"""
import random
import struct

import harness
from device import Device

ROWS, WIDTH = 2048, 1024

PRODUCTS = """  ingot.entry @{name} role(other) feeds ["{name}/x", "{name}/w"] fetches ["{name}/y", "{name}/dx"] variables [] updates [] {{
  ^bb0(%x: tensor<{rows}x{width}xf32>, %w: tensor<{width}x{width}xf32>):
    %p = ingot.matmul %x, %w : (tensor<{rows}x{width}xf32>, tensor<{width}x{width}xf32>) -> tensor<{rows}x{width}xf32>
    %y = ingot.relu %p : (tensor<{rows}x{width}xf32>) -> tensor<{rows}x{width}xf32>
    %dx = ingot.matmul %y, %w {{transpose_b = true}} : (tensor<{rows}x{width}xf32>, tensor<{width}x{width}xf32>) -> tensor<{rows}x{width}xf32>
    ingot.return %y, %dx : tensor<{rows}x{width}xf32>, tensor<{rows}x{width}xf32>
  }}
"""


def write_normal(path, rows, scale, seed):
    draw = random.Random(seed)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {WIDTH}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    numbers = struct.pack(f"<{rows * WIDTH}f", *(draw.gauss(0, scale) for _ in range(rows * WIDTH)))
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + numbers)


def factors_rounded_before_a_product_give_the_same_bits(setup):
    graph = setup.dir / "products.mlir"
    entries = [PRODUCTS.format(name=name, rows=rows, width=WIDTH) for name, rows in (("fixed", ROWS), ("any", "?"))]
    graph.write_text("module {\n" + "".join(entries) + "}\n")
    device = Device(setup, graph, "--precision=bf16", check=False, images=["sm_90a ptx"])
    x, w = setup.dir / "x.npy", setup.dir / "w.npy"
    write_normal(x, ROWS, 1, seed=1)
    write_normal(w, WIDTH, WIDTH**-0.5, seed=2)
    found = {}
    for name in ("fixed", "any"):
        y, dx = setup.dir / f"{name}-y.npy", setup.dir / f"{name}-dx.npy"
        setup.run(
            device.trainer, "run", name, "--quiet", "--feed", f"{name}/x=@{x}", "--feed", f"{name}/w=@{w}",
            "--fetch", f"{name}/y=@{y}", "--fetch", f"{name}/dx=@{dx}",
            env=device.environment(INGOT_CUDA_CAPABILITY="90", INGOT_CUDA_VERSION="13000"),
        ).expect(0)  # fmt: skip
        found[name] = [y.read_bytes(), dx.read_bytes()]
        # Three values are rounded, and three launches have two products.
        launches = device.driver_calls()["cuLaunchKernel"]
        assert launches == (5 if name == "fixed" else 2), launches
    assert found["fixed"] == found["any"]


if __name__ == "__main__":
    harness.main(globals())
