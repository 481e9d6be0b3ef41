# SPDX-License-Identifier: Apache-2.0
"""What kernels ask of a GPU's memory, as the emulator counts it (test/Emulator/Costs.h), is held by kind of kernel.

Bounds lie just below what is counted: a kernel that loses coalescing, gets bank conflicts or more registers fails here,
on machines without a GPU.
"""
import json
import os
import shutil

import harness
from device import DATA, Device
from row_kernels import write_normal

PTXAS = "/usr/local/cuda/bin"


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def costs(setup, name, feeds, body, result, *flags, arch="sm_80"):
    """The report on the one kernel of an entry that computes %y, of shape `result`, from feeds of these shapes."""
    top, setup.dir = setup.dir, setup.dir / name
    setup.dir.mkdir()
    graph, report = setup.dir / f"{name}.mlir", setup.dir / "costs.json"
    arguments = ", ".join(f"%{feed}: {tensor(shape)}" for feed, shape in feeds.items())
    names = ", ".join(f'"{feed}"' for feed in feeds)
    graph.write_text(
        f'module {{\n  ingot.entry @{name} role(other) feeds [{names}] fetches ["y"] variables [] updates [] {{\n'
        f"  ^bb0({arguments}):\n    {body}\n    ingot.return %y : {tensor(result)}\n  }}\n}}\n"
    )
    device = Device(setup, graph, *flags, check=False, costs=True, images=(f"{arch} ptx",))
    command = [device.trainer, "run", name, "--quiet", "--device", "cuda:0", "--fetch", f"y=@{setup.dir / 'y'}.npy"]
    for seed, (feed, shape) in enumerate(feeds.items()):
        write_normal(setup.dir / f"{feed}.npy", shape, seed)
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


def transpose(setup, name, shape, order):
    result = tuple(shape[place] for place in order)
    places = f"tensor<{len(order)}xi32>"
    body = f"""%p = ingot.constant dense<{list(order)}> : {places}
    %y = ingot.transpose %x, %p : ({tensor(shape)}, {places}) -> {tensor(result)}"""
    return costs(setup, name, {"x": shape}, body, result)


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


def updates_of_variables_use_whole_sectors(setup):
    report = setup.dir / "costs.json"
    data = DATA / "mlp_adam"
    device = Device(setup, data / "train.meta", check=False, costs=True)
    device.train(
        setup.dir / "run", data, "--init-from", data / "model.ckpt-0", "--steps", 1, INGOT_CUDA_COSTS=str(report),
    ).expect(0)  # fmt: skip
    kernels = {kernel["kernel"]: kernel for kernel in json.loads(report.read_text())}
    # After a sum of rows, and in the epilogue of a GEMM.
    updates = [name for name in kernels if "ResourceApplyAdam" in name]
    assert len(updates) >= 4, list(kernels)
    for name in updates:
        hold(name, kernels[name], 0.95, 0.95, 1.01)


def transposes_store_whole_sectors(setup):
    # Neighbours stay neighbours.
    hold("of matrices", transpose(setup, "outer", (4, 16, 16, 64), (0, 2, 1, 3)), 1, 1)
    # Each lane reads from a row of its own: a sector for a word.
    hold("of words", transpose(setup, "inner", (128, 96), (1, 0)), 0.125, 1)


def reductions_of_long_rows_and_of_columns_use_whole_sectors(setup):
    hold("softmax", softmax(setup, "softmax", (64, 256)), 1, 1)
    hold("rows", total(setup, "rows", (64, 512), 1), 1, 1)
    hold("columns", total(setup, "columns", (256, 128), 0), 1, 1)
    # A thread has a row of ten for itself.
    hold("short rows", total(setup, "short_rows", (512, 10), 1), 0.12, 1)


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


def occupancy_is_held(setup):
    """Of kernels' registers by ptxas."""
    if not shutil.which("ptxas", path=f"{os.environ['PATH']}:{PTXAS}"):
        raise harness.Skip("this machine has no ptxas")
    for kernel, least in (
        (elementwise(setup, "elementwise", (64, 512)), 1),
        (softmax(setup, "softmax", (64, 256)), 1),
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
