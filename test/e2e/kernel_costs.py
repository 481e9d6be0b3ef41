# SPDX-License-Identifier: Apache-2.0
"""What kernels ask of a GPU's memory, as the emulator counts it (test/Emulator/Costs.h), is held by kind of kernel.

Bounds lie just below what is counted: a kernel that loses coalescing, gets bank conflicts or more registers fails here,
on machines without a GPU.
"""
import json
import math
import os
import random
import shutil
import struct

import harness
from device import DATA, Device
from row_kernels import write_normal

PTXAS = "/usr/local/cuda/bin"


# How NumPy names the types of feeds that are not f32.
DESCRIPTIONS = {"i8": "<i1", "i16": "<i2", "f64": "<f8"}


def tensor(shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def write_feed(path, shape, seed, element):
    if element == "f32":
        return write_normal(path, shape, seed)
    header = f"{{'descr': '{DESCRIPTIONS[element]}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    size = math.prod(shape) * int(DESCRIPTIONS[element][-1])
    words = random.Random(seed).randbytes(size)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + words)


def costs(setup, name, feeds, body, result, *flags, arch="sm_80", element="f32"):
    """The report on the one kernel of an entry that computes %y, of shape `result`, from feeds of these shapes."""
    top, setup.dir = setup.dir, setup.dir / name
    setup.dir.mkdir()
    graph, report = setup.dir / f"{name}.mlir", setup.dir / "costs.json"
    arguments = ", ".join(f"%{feed}: {tensor(shape, element)}" for feed, shape in feeds.items())
    names = ", ".join(f'"{feed}"' for feed in feeds)
    graph.write_text(
        f'module {{\n  ingot.entry @{name} role(other) feeds [{names}] fetches ["y"] variables [] updates [] {{\n'
        f"  ^bb0({arguments}):\n    {body}\n    ingot.return %y : {tensor(result, element)}\n  }}\n}}\n"
    )
    device = Device(setup, graph, *flags, check=False, costs=True, images=(f"{arch} ptx",))
    command = [device.trainer, "run", name, "--quiet", "--device", "cuda:0", "--fetch", f"y=@{setup.dir / 'y'}.npy"]
    for seed, (feed, shape) in enumerate(feeds.items()):
        write_feed(setup.dir / f"{feed}.npy", shape, seed, element)
        command += ["--feed", f"{feed}=@{setup.dir / feed}.npy"]
    capability = arch.removeprefix("sm_").removesuffix("a")
    environment = device.environment(
        INGOT_CUDA_COSTS=str(report), INGOT_CUDA_CAPABILITY=capability, INGOT_CUDA_VERSION="13000"
    )
    setup.run(*command, env=environment).expect(0)
    setup.dir = top
    (kernel,) = json.loads(report.read_text())
    return kernel


def hold(name, kernel, loads, stores, conflicts=1.0):
    """Holds the least efficiency of global loads and of stores, and the most wavefronts of shared memory for each one that
    would be needed without bank conflicts."""
    found = kernel["global_load"]["efficiency"], kernel["global_store"]["efficiency"]
    shared = [kernel[f"shared_{access}"] for access in ("load", "store")]
    ideal = sum(one["ideal_wavefronts"] for one in shared)
    wavefronts = sum(one["wavefronts"] for one in shared) / ideal if ideal else 1.0
    print(f"{name}: loads {found[0]:.3f}, stores {found[1]:.3f}, conflicts {wavefronts:.3f}")
    for site in ("worst_global", "worst_shared"):
        if kernel[site]:
            print(f"  {site}: {kernel[site]['site']}")
    assert kernel["global_store"]["requests"] > 0, kernel
    assert found[0] >= loads and found[1] >= stores and wavefronts <= conflicts, (name, found, wavefronts)


def elementwise(setup, name, shape):
    body = f"""%a = ingot.mul %x, %z : ({tensor(shape)}, {tensor(shape)}) -> {tensor(shape)}
    %y = ingot.tanh %a : ({tensor(shape)}) -> {tensor(shape)}"""
    return costs(setup, name, {"x": shape, "z": shape}, body, shape)


def product(setup, name, m, n, k, *flags, transposed="", **more):
    """Of [m, k] and [k, n], or of what is transposed to these: "a", "b"."""
    a, b = (k, m) if transposed == "a" else (m, k), (n, k) if transposed == "b" else (k, n)
    how = f"{{transpose_{transposed} = true}} " if transposed else ""
    body = f"%y = ingot.matmul %a, %b {how}: ({tensor(a)}, {tensor(b)}) -> {tensor((m, n))}"
    return costs(setup, name, {"a": a, "b": b}, body, (m, n), *flags, **more)


def transpose(setup, name, shape, order, element="f32", fused=False):
    """With `fused`, multiplied with an operand of the result's shape."""
    result = tuple(shape[place] for place in order)
    places, y = f"tensor<{len(order)}xi32>", tensor(result, element)
    body = f"""%p = ingot.constant dense<{list(order)}> : {places}
    {"%t" if fused else "%y"} = ingot.transpose %x, %p : ({tensor(shape, element)}, {places}) -> {y}"""
    if fused:
        body += f"\n    %y = ingot.mul %t, %z : ({y}, {y}) -> {y}"
    feeds = {"x": shape, "z": result} if fused else {"x": shape}
    return costs(setup, name, feeds, body, result, element=element)


def total(setup, name, shape, axis):
    result = tuple(size for place, size in enumerate(shape) if place != axis)
    body = f"""%p = ingot.constant dense<{axis}> : tensor<1xi32>
    %y = ingot.sum %x, %p : ({tensor(shape)}, tensor<1xi32>) -> {tensor(result)}"""
    return costs(setup, name, {"x": shape}, body, result)


def softmax(setup, name, shape):
    body = f"%y = ingot.softmax %x : ({tensor(shape)}) -> {tensor(shape)}"
    return costs(setup, name, {"x": shape}, body, shape)


def convolution(setup, name, *flags):
    x, w, y = (4, 16, 16, 32), (3, 3, 32, 64), (4, 16, 16, 64)
    body = f"""%y = ingot.conv2d %x, %w {{strides = array<i64: 1, 1>, padding = "SAME"}}
        : ({tensor(x)}, {tensor(w)}) -> {tensor(y)}"""
    return costs(setup, name, {"x": x, "w": w}, body, y, *flags)


def elementwise_kernels_use_whole_sectors(setup):
    hold("whole rows", elementwise(setup, "even", (64, 512)), 1, 1)
    # Rows of 333 words begin anywhere in a sector: a request of 128 bytes takes up to five.
    hold("odd rows", elementwise(setup, "odd", (100, 333)), 0.8, 0.8)


def costs_of_step(setup, name):
    """The reports on the kernels of a model's first step, by name."""
    report, data = setup.dir / "costs.json", DATA / name
    device = Device(setup, data / "train.meta", check=False, costs=True)
    device.train(
        setup.dir / "run", data, "--init-from", data / "model.ckpt-0", "--steps", 1, INGOT_CUDA_COSTS=str(report),
    ).expect(0)  # fmt: skip
    return {kernel["kernel"]: kernel for kernel in json.loads(report.read_text())}


def updates_of_variables_use_whole_sectors(setup):
    kernels = costs_of_step(setup, "mlp_adam")
    # After a sum of rows, and in the epilogue of a GEMM.
    updates = [name for name in kernels if "ResourceApplyAdam" in name]
    assert len(updates) >= 4, list(kernels)
    for name in updates:
        hold(name, kernels[name], 0.95, 0.95, 1.01)


def transposes_access_whole_sectors(setup):
    # Neighbours stay neighbours.
    hold("of matrices", transpose(setup, "outer", (4, 16, 16, 64), (0, 2, 1, 3)), 1, 1)
    # Through tiles in shared memory.
    for element in ("f32", "f64", "i16", "i8"):
        hold(f"of words, {element}", transpose(setup, f"inner_{element}", (128, 96), (1, 0), element), 1, 1)
    hold("fused", transpose(setup, "fused", (128, 96), (1, 0), fused=True), 1, 1)
    for name, shape, order in (
        ("channels first", (4, 16, 16, 64), (0, 3, 1, 2)),
        ("channels last", (4, 64, 16, 16), (0, 2, 3, 1)),
        ("small images first", (8, 7, 7, 64), (0, 3, 1, 2)),
        ("small images last", (8, 64, 7, 7), (0, 2, 3, 1)),
        ("three channels first", (4, 32, 32, 3), (0, 3, 1, 2)),
        ("three channels last", (4, 3, 32, 32), (0, 2, 3, 1)),
    ):
        hold(name, transpose(setup, name.replace(" ", "_"), shape, order), 1, 1)
    # Rows begin anywhere in a sector, as in elementwise kernels.
    hold("odd", transpose(setup, "odd", (333, 257), (1, 0)), 0.82, 0.82)
    hold("odd batch", transpose(setup, "odd_batch", (3, 70, 45), (0, 2, 1)), 0.85, 0.81)


def reductions_use_whole_sectors(setup):
    hold("softmax", softmax(setup, "softmax", (64, 256)), 1, 1)
    hold("rows", total(setup, "rows", (64, 512), 1), 1, 1)
    hold("columns", total(setup, "columns", (256, 128), 0), 1, 1)
    # A thread has a row for itself, of a copy in shared memory. Two lanes read the tens from a bank.
    hold("rows of ten", total(setup, "rows_of_ten", (512, 10), 1), 1, 1, 1.5)
    hold("rows of three", total(setup, "rows_of_three", (4096, 3), 1), 1, 1)
    hold("softmax of ten", softmax(setup, "softmax_of_ten", (512, 10)), 1, 1, 1.01)


def small_products_use_whole_sectors(setup):
    """Of so few elements that each thread computes one."""
    hold("as stored", product(setup, "as_stored", 32, 32, 32), 1, 1)
    # The rows of the second operand are copied to shared memory.
    for m, n, k, loads, conflicts in ((32, 32, 32, 1, 1), (32, 64, 10, 1, 1.67), (16, 24, 100, 0.91, 1), (128, 5, 64, 1, 1)):
        name = f"transposed_{m}_{n}_{k}"
        hold(name, product(setup, name, m, n, k, transposed="b"), loads, 1, conflicts)


def products_access_whole_sectors_and_spread_over_banks(setup):
    # Words of a K-major operand go to columns of the tile, two lanes to a bank.
    for transposed, conflicts in (("", 1.04), ("a", 1.0), ("b", 1.08)):
        kernel = product(setup, f"exact_{transposed}", 128, 128, 64, transposed=transposed)
        hold(f"exact, {transposed}", kernel, 1, 1, conflicts)
    hold("large tiles", product(setup, "large", 512, 512, 32), 1, 1, 1.05)
    for precision in ("tf32", "bf16"):
        for transposed in ("", "a", "b"):
            name = f"{precision}_{transposed}"
            kernel = product(setup, name, 128, 128, 128, f"--precision={precision}", transposed=transposed)
            hold(name, kernel, 1, 1)
    kernel = product(setup, "pipelined", 256, 256, 128, "--precision=bf16", arch="sm_90a")
    hold("sm_90a", kernel, 1, 1)


def convolutions_access_whole_sectors(setup):
    hold("exact", convolution(setup, "exact"), 0.99, 1, 1.04)
    hold("tf32", convolution(setup, "tf32", "--precision=tf32"), 0.99, 1)


def backward_passes_of_convolutions_use_whole_sectors(setup):
    kernels = costs_of_step(setup, "conv_momentum")
    # The taps of the filter in reverse order, each of them transposed.
    hold("filter", kernels["fused_gradients_conv2_Conv2D_grad_Conv2DBackpropInput"], 1, 1)
    hold("logits", kernels["gradients_logits_MatMul_grad_MatMul"], 1, 1, 1.5)


def occupancy_is_held(setup):
    """Of kernels' registers by ptxas."""
    if not shutil.which("ptxas", path=f"{os.environ['PATH']}:{PTXAS}"):
        raise harness.Skip("this machine has no ptxas")
    for kernel, least in (
        (elementwise(setup, "elementwise", (64, 512)), 1),
        (softmax(setup, "softmax", (64, 256)), 1),
        (transpose(setup, "transpose", (512, 512), (1, 0)), 1),
        (transpose(setup, "images", (8, 7, 7, 64), (0, 3, 1, 2)), 0.75),
        (product(setup, "exact", 128, 128, 64), 1),
        (product(setup, "large", 512, 512, 32), 0.5),
        (product(setup, "tf32", 128, 128, 128, "--precision=tf32"), 0.5),
        (convolution(setup, "convolution"), 0.75),
    ):
        print(kernel["kernel"], kernel["registers"], kernel["occupancy"])
        assert kernel["registers_from"] == "ptxas", kernel
        assert kernel["occupancy"]["share"] >= least, kernel


def costs_of_a_run_are_reported_as_a_table(setup):
    report = setup.dir / "costs"
    data = DATA / "mlp_adam"
    device = Device(setup, data / "train.meta", check=False, costs=True)
    device.train(
        setup.dir / "run", data, "--init-from", data / "model.ckpt-0", "--steps", 2, INGOT_CUDA_COSTS=str(report),
    ).expect(0)  # fmt: skip
    lines = report.read_text().splitlines()
    assert lines[0] == "compute capability 8.0", lines[0]
    assert any(line.endswith("fused_hidden1_MatMul_BiasAdd_Relu") and "%" in line for line in lines), lines


if __name__ == "__main__":
    harness.main(globals())
