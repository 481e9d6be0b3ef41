# SPDX-License-Identifier: Apache-2.0
"""Kernels that were compiled before are found again, and never taken for others."""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

import harness
from bundle import Bundle

sys.path.insert(0, str(harness.SOURCE / "bench"))
from compile_time import Graph, shape  # noqa: E402


def compile_with(setup, name, *flags):
    """Compiles the reference graph; how many kernels were compiled, how many found, and the artifact's bytes."""
    output = setup.dir / name
    done = setup.compile(harness.REFERENCE / "train.meta", "-o", output, "--time", *flags).expect(0)
    found = re.search(r"(\d+) compiled, (\d+) from the cache", done.err)
    assert found, f"--time says nothing of kernels:\n{done.err}"
    return int(found[1]), int(found[2]), output.read_bytes()


def kernels_are_compiled_once(setup):
    cache = ["--cache-dir", setup.dir / "cache"]
    compiled, found, first = compile_with(setup, "first", *cache)
    assert compiled > 10 and found == 0, (compiled, found)
    shutil.rmtree(setup.dir / "cache" / "trainers")  # Or the whole trainer is found.
    compiled_again, found_again, second = compile_with(setup, "second", *cache)
    assert (compiled_again, found_again) == (0, compiled), (compiled_again, found_again)
    # Neither where code comes from nor how many compiled it shows in the artifact.
    assert second == first, "the artifact differs where its kernels came from the cache"
    _, none_found, without = compile_with(setup, "without", "--no-cache")
    assert none_found == 0 and without == first, "the artifact differs without a cache"


def trainers_are_linked_once(setup):
    """From the same bytes by the same flags, whatever the output is called; warnings are said again."""
    path, graph = setup.dir / "graph.pbtxt", Graph()
    rate = graph.constant("rate", 0.5)
    graph.variable("w", 3, 8)
    graph.write(path, graph.compute("step", "ResourceApplyGradientDescent", "w", rate, graph.constant("g", 2, 8)))
    path.write_text(path.read_text().replace('key: "train_op"', 'key: "other"'))

    def compile_graph(name, *flags):
        done = setup.compile(path, "-o", setup.dir / name, "--cache-dir", setup.dir / "cache", "--time", *flags)
        done.expect(0, "has no collection 'train_op'; 'step'")
        return "trainer taken from the cache" in done.err, (setup.dir / name).read_bytes()

    is_found, first = compile_graph("first")
    assert not is_found
    assert compile_graph("again") == (True, first)
    # A copy of the graph has the same trainer, and its own name in what is said.
    moved = setup.dir / "moved" / path.name
    moved.parent.mkdir()
    moved.write_bytes(path.read_bytes())
    done = setup.compile(moved, "-o", setup.dir / "copy", "--cache-dir", setup.dir / "cache", "--time")
    done.expect(0, f"warning: {moved}: the graph has no collection", "trainer taken from the cache")
    setup.run(setup.dir / "again", "--model-dir", setup.dir / "run", "--max-steps", 2).expect(0)
    assert list(Bundle(setup.dir / "run" / "model.ckpt-2").values("w")) == [1.0] * 8
    is_found, other = compile_graph("other", "--threads-default", 1)
    assert not is_found and other != first
    path.write_text(path.read_text() + "\n")
    assert not compile_graph("changed")[0]
    # What is linked from cached kernels, with --no-cache, and found whole is the same.
    assert compile_graph("changed")[0] and setup.compile(path, "-o", setup.dir / "none", "--no-cache").expect(0)
    assert (setup.dir / "none").read_bytes() == (setup.dir / "changed").read_bytes()


def entries_are_lowered_once(setup):
    """Where they are the same in another graph, whose values differ; what --remarks says of them is kept."""
    path, graphs = setup.dir / "graph.pbtxt", {}
    for value in (3, 5):
        graph = Graph()
        graph.variable("w", 1, 8)
        graph.write(path, graph.compute("step", "ResourceApplyGradientDescent", "w", graph.constant("rate", 0.5), graph.constant("g", 2, 8)))
        # Eight values: if all are one, it is part of the code.
        graphs[value] = path.read_text().replace("float_val: 1 ", " ".join(f"float_val: {value + i}" for i in range(8)) + " ")
        assert graphs[value] != path.read_text()
    cache, bytes_of = setup.dir / "cache", {}
    for name, value, *flags in (("cold", 3), ("warm", 5), ("again", 5), ("none", 5, "--no-cache")):
        path.write_text(graphs[value])
        before = set(cache.glob("llvmcache-*"))
        setup.compile(path, "-o", setup.dir / name, "--remarks", *(flags or ["--cache-dir", cache])).expect(0)
        bytes_of[name] = (setup.dir / name).read_bytes()
        new = set(cache.glob("llvmcache-*")) - before
        # The facts and code of the initialization, which has the values, are new in a warm cache.
        assert name == "cold" or len(new) == (2 if name == "warm" else 0), (name, new)
    assert bytes_of["warm"] == bytes_of["again"] == bytes_of["none"] != bytes_of["cold"]
    told = [compile_remarks(setup, cache) for _ in range(2)]
    assert told[0] == told[1] and "remark: entry 'step': " in told[0], told


def compile_remarks(setup, cache):
    graph = harness.SOURCE / "bench" / "graphs" / "mlp-small.meta"
    return setup.compile(graph, "-o", setup.dir / "trainer", "--remarks", "--cache-dir", cache).expect(0).err


def kernels_for_devices_are_compiled_once(setup):
    """Those of every image, and the processor's: compiled again, a graph compiles nothing."""
    graph = harness.SOURCE / "test" / "data" / "models" / "transformer" / "train.meta"
    outputs, counts = [], []
    for name in ("first", "second"):
        outputs.append(setup.dir / name)
        done = setup.compile(
            graph, "-o", outputs[-1], "--time", "--target=cuda", "--cache-dir", setup.dir / "cache"
        ).expect(0)
        told = re.findall(r"(\S+) kernels: (\d+) compiled, (\d+) from the cache", done.err)
        counts.append({target: (int(compiled), int(found)) for target, compiled, found in told})
    assert {"sm_80", "sm_90"} < set(counts[0]) and len(counts[0]) == 3, counts
    for target, (compiled, found) in counts[0].items():
        assert compiled > 40 and found == 0, counts
        assert counts[1][target] == (0, compiled), counts
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def machine_code_is_assembled_once(setup):
    """With a ptxas that records its arguments."""
    toolkit = os.environ["PATH"] + ":/usr/local/cuda/bin"
    ptxas = shutil.which("ptxas", path=toolkit)
    if not ptxas:
        raise harness.Skip("this machine has no ptxas")
    log, tools = setup.dir / "asked", setup.dir / "tools"
    tools.mkdir()
    (tools / "ptxas").write_text(f'#!/bin/sh\necho "$*" >> {log}\nexec {ptxas} "$@"\n')
    (tools / "ptxas").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    graph = harness.SOURCE / "test" / "data" / "mlp_adam" / "train.meta"
    command = [setup.ingotc, graph, "--target=cuda", "--cache-dir", setup.dir / "cache"]

    def assembled(name, *flags):
        log.write_text("")
        setup.run(*command, "-o", setup.dir / name, *flags, env=environment).expect(0)
        return log.read_text().count("-arch=")

    assert assembled("first", "--gpu-arch=sm_80,sm_90a") == 2
    assert assembled("second", "--gpu-arch=sm_80,sm_90a") == 0
    assert (setup.dir / "first").read_bytes() == (setup.dir / "second").read_bytes()
    assert assembled("third", "--gpu-arch=sm_80,sm_86") == 1
    # Another assembler's work is its own.
    (tools / "ptxas").write_text(
        f'#!/bin/sh\necho "$*" >> {log}\n[ "$1" = --version ] && echo "another one"\nexec {ptxas} "$@"\n'
    )
    assert assembled("fourth", "--gpu-arch=sm_80") == 1


def large_graphs_compile_for_a_device_in_time(setup):
    """30 s of CPU time, and 8 s from the cache, whatever else the machine does. Machine code takes ptxas some seconds more
    for each GPU that is asked for. Other tests compile the other reference runs."""
    spent = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    data = harness.SOURCE / "test" / "data"
    graphs = [path for pattern in ("*/train.meta", "models/*/train.meta", "adanet_*/*.meta") for path in data.glob(pattern)]
    graphs += [data / "saved_model_train" / "saved_model", *(harness.SOURCE / "bench" / "graphs").glob("*.meta")]
    graphs = sorted(graphs, key=lambda graph: graph.stat().st_size)[-8:]
    for graph in graphs:
        for bound in (30, 8):
            begin = spent()
            setup.compile(graph, "--target=cuda", "--cache-dir", setup.dir / "cache", "-o", setup.dir / "trainer").expect(0)
            took = spent() - begin
            print(f"{took:5.1f} s {graph.relative_to(harness.SOURCE)}")
            assert took < bound, f"{graph}: {took:.1f} s, not under {bound}"


def another_level_or_optimization_finds_nothing(setup):
    """Except kernels that take hardly any time, which both optimizations compile alike."""
    cache = ["--cache-dir", setup.dir / "cache"]
    all_of_level = compile_with(setup, "first", *cache, "--cpu=x86-64-v3")[0]
    assert compile_with(setup, "level", *cache, "--cpu=x86-64-v2")[1] == 0
    of_two = compile_with(setup, "two", "--no-cache", "--cpu=x86-64-v3,x86-64-v4")[0]
    compiled_alike = 2 * all_of_level - of_two
    compiled, found = compile_with(setup, "optimization", *cache, "--cpu=x86-64-v3", "-O1")[:2]
    assert found == compiled_alike and compiled == all_of_level - found > 0, (found, compiled_alike, compiled)


def what_runs_once_is_compiled_for_fewer_levels(setup):
    """Initial values: levels with equal rounding share their code, and the bits are those of each level's own."""
    compiled = {}
    for name, level in (("256", "x86-64-v3"), ("512", "x86-64-v4"), ("both", "x86-64-v3,x86-64-v4")):
        compiled[name] = compile_with(setup, name, "--no-cache", f"--cpu={level}")[0]
    assert compiled["256"] == compiled["512"] < compiled["both"] < 2 * compiled["256"], compiled
    for name in ("256", "both") + (("512",) if "avx512" in pathlib.Path("/proc/cpuinfo").read_text() else ()):
        setup.trainer = setup.dir / name
        setup.train(setup.dir / f"run-{name}", "--max-steps", 3).expect(0)
        harness.assert_same_checkpoint(setup.dir / "run-256", setup.dir / f"run-{name}", 3)


def what_takes_hardly_any_time_is_compiled_for_fewer_levels(setup):
    """Beside a product of 256 rows a step of eight numbers is nothing: AVX-512 takes AVX2's code of it."""
    compiled = {}
    for name in ("alone", "beside"):
        graph = Graph()
        graph.variable("w", 1, 256, 256)
        mean, rate = graph.constant("mean", 1 / 256, 256, 256), graph.constant("rate", 0.5)
        product = graph.compute("product", "MatMul", graph.read("w"), mean)
        updates = [graph.compute("w/step", "ResourceApplyGradientDescent", "w", rate, product)]
        if name == "beside":
            graph.variable("few", 3, 8)
            updates.append(graph.compute("few/step", "ResourceApplyGradientDescent", "few", rate, graph.constant("g", 2, 8)))
        path = setup.dir / f"{name}.pbtxt"
        graph.write(path, graph.node("step", "NoOp", *["^" + update for update in updates]))
        for levels in ("x86-64-v3", "x86-64-v3,x86-64-v4"):
            done = setup.compile(path, "-o", setup.dir / name, "--time", "--no-cache", f"--cpu={levels}").expect(0)
            compiled[name, levels.count(",")] = int(re.search(r"(\d+) compiled", done.err)[1])
    assert compiled["beside", 0] == compiled["alone", 0] + 1, compiled
    assert compiled["beside", 1] == compiled["alone", 1] + 1, compiled
    assert compiled["alone", 1] > compiled["alone", 0], compiled
    setup.run(setup.dir / "beside", "--model-dir", setup.dir / "run", "--max-steps", 2).expect(0)
    bundle = Bundle(setup.dir / "run" / "model.ckpt-2")
    assert set(bundle.values("w")) == {0.25} and list(bundle.values("few")) == [1.0] * 8


def damaged_kernels_are_compiled_again(setup):
    cache = ["--cache-dir", setup.dir / "cache"]
    compiled, _, first = compile_with(setup, "first", *cache)
    files = sorted((setup.dir / "cache").rglob("llvmcache-*"))
    files = [file for file in files if len(file.name) == len("llvmcache-") + 64]
    # The facts and code of entries and of initializations, and the trainer, are five more.
    assert len(files) == compiled + 5, f"{len(files)} files for {compiled} kernels, the entries and the trainer"
    for number, file in enumerate(files):
        content = bytearray(file.read_bytes())
        if number % 3 == 0:
            content[len(content) // 2] ^= 1
        elif number % 3 == 1:
            content = content[: len(content) // 2]
        else:
            content = b""
        file.write_bytes(content)
    again, found, second = compile_with(setup, "second", *cache)
    assert (again, found) == (compiled, 0), f"{found} damaged kernels were used"
    assert second == first
    shutil.rmtree(setup.dir / "cache" / "trainers")  # Or the whole trainer is found.
    assert compile_with(setup, "third", *cache)[1] == compiled, "what was damaged was not replaced"


def several_compilers_share_a_cache(setup):
    command = [setup.ingotc, harness.REFERENCE / "train.meta", "--cache-dir", setup.dir / "cache", "-o"]
    outputs = [setup.dir / f"trainer{i}" for i in range(4)]
    running = [subprocess.Popen([str(part) for part in (*command, output)]) for output in outputs]
    assert [process.wait(timeout=250) for process in running] == [0] * 4
    assert len({output.read_bytes() for output in outputs}) == 1
    left = [file.name for file in (setup.dir / "cache").iterdir() if "tmp" in file.name]
    assert not left, f"temporary files are left: {left}"


def graph_to_tune(path):
    """A product and the gradients of its operands. The product has more blocks of rows than panels of columns, so that its
    plans differ on every machine."""
    graph = Graph()
    sizes = {"x": (1203, 700), "w": (700, 48)}
    for name, dims in sizes.items():
        graph.node(name, "VarHandleOp", dtype="type: DT_FLOAT", shape=shape(*dims), shared_name=f's: "{name}"')
        values = "int_val: " + " int_val: ".join(map(str, dims))
        dims = graph.node(
            name + "/dims", "Const", dtype="type: DT_INT32", value=f"tensor {{ dtype: DT_INT32 tensor_shape {{ dim {{ size: 2 }} }} {values} }}"
        )
        noise = graph.node(name + "/noise", "RandomUniform", dims, T="type: DT_INT32", dtype="type: DT_FLOAT", seed="i: 7", seed2="i: 8")
        graph.variables.append(graph.node(name + "/Assign", "AssignVariableOp", name, noise, dtype="type: DT_FLOAT"))
        graph.read(name)
    product = graph.compute("product", "MatMul", "x/Read", "w/Read")
    gradients = {
        "x": graph.compute("x/gradient", "MatMul", product, "w/Read", transpose_b="b: true"),
        "w": graph.compute("w/gradient", "MatMul", "x/Read", product, transpose_a="b: true"),
    }
    rate = graph.constant("rate", 1e-6)
    steps = [graph.compute(name + "/step", "ResourceApplyGradientDescent", name, rate, gradients[name]) for name in sizes]
    graph.write(path, graph.node("step", "NoOp", *["^" + step for step in steps]))


def tuning_changes_no_bit_and_is_kept(setup):
    """Measurements are reused by later compilations, and change no step. The time to tune is never used up."""
    graph, cache = setup.dir / "graph.pbtxt", ["--cache-dir", setup.dir / "cache"]
    graph_to_tune(graph)
    bytes_of, told = {}, {}
    for name, flags in (("plain", []), ("tuned", ["--tune", 1000]), ("later", [])):
        trainer = setup.dir / name
        told[name] = setup.compile(graph, "-o", trainer, "--cpu=native", "--time", *cache, *flags).expect(0).err
        run = setup.dir / f"run-{name}"
        setup.run(trainer, "--model-dir", run, "--max-steps", 3, "--quiet").expect(0)
        bytes_of[name] = (run / "model.ckpt-3.data-00000-of-00001").read_bytes()
    measured = re.search(r"tuning: (\d+) kernels measured", told["tuned"])
    assert measured and int(measured[1]) > 0, told["tuned"]
    assert "tuning" not in told["plain"] + told["later"]
    assert bytes_of["tuned"] == bytes_of["plain"] and bytes_of["later"] == bytes_of["plain"]
    assert (setup.dir / "later").read_bytes() == (setup.dir / "tuned").read_bytes(), "the choice was not kept"
    setup.compile(graph, "-o", setup.dir / "t", "--tune", 0).expect(2, "--tune needs a number of seconds")


def a_cache_that_cannot_be_is_said(setup):
    (setup.dir / "file").write_text("")
    setup.compile(
        harness.REFERENCE / "train.meta", "-o", setup.dir / "t", "--cache-dir", setup.dir / "file" / "cache"
    ).expect(1, "cannot create the kernel cache")
    setup.compile(
        harness.REFERENCE / "train.meta", "-o", setup.dir / "t", "--cache-dir", setup.dir / "cache", "--no-cache"
    ).expect(2, "--cache-dir and --no-cache exclude each other")


if __name__ == "__main__":
    harness.main(globals())
