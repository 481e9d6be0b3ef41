# SPDX-License-Identifier: Apache-2.0
"""Every kind of kernel that is worth several threads is a grid, and computes the same bytes on any number of them."""
import math
import random
import re
import struct

import harness

THREADS = (1, 2, 3, 8)

# Sizes that no block and no vector divides, but for images' channels.
FEEDS = {
    "x": ("DT_FLOAT", (1201, 997)),
    "y": ("DT_FLOAT", (1201, 997)),
    "w": ("DT_FLOAT", (997, 331)),
    "wide": ("DT_FLOAT", (997, 1100)),
    "bias": ("DT_FLOAT", (997,)),
    "labels": ("DT_INT32", (1201,)),
    "long": ("DT_FLOAT", (70001, 24)),
    "line": ("DT_FLOAT", (1000003,)),
    "images": ("DT_FLOAT", (37, 30, 30, 16)),
    "pooled": ("DT_FLOAT", (37, 15, 15, 16)),
    "filter": ("DT_FLOAT", (3, 3, 16, 20)),
    "outputs": ("DT_FLOAT", (37, 30, 30, 20)),
    "table": ("DT_FLOAT", (3001, 40)),
    "ids": ("DT_INT32", (20011,)),
    "positions": ("DT_INT32", (20011, 1)),
    "rows": ("DT_FLOAT", (20011, 40)),
    "scale": ("DT_FLOAT", (16,)),
}
CLASSES = {"labels": 997, "ids": 3001, "positions": 3001}

FLOATS = 'attr { key: "T" value { type: DT_FLOAT } }'
FLOATS_TOO = ' attr { key: "U" value { type: DT_FLOAT } }'
INDICES = ' attr { key: "Tindices" value { type: DT_INT32 } }'
WINDOW = """attr { key: "ksize" value { list { i: [1, 2, 2, 1] } } }
  attr { key: "strides" value { list { i: [1, 2, 2, 1] } } } attr { key: "padding" value { s: "VALID" } }"""
CONV = """attr { key: "strides" value { list { i: [1, 1, 1, 1] } } } attr { key: "padding" value { s: "SAME" } }"""

# Entries of one node: op, inputs, attributes, results that are compared.
NODES = {
    "tanh": ("Tanh", ["x"], FLOATS, 1),
    "broadcast": ("Mul", ["x", "bias"], FLOATS, 1),
    "row_sums": ("Sum", ["x", "axis1"], FLOATS, 1),
    "column_sums": ("BiasAddGrad", ["long"], FLOATS, 1),
    "wide_column_sums": ("Sum", ["x", "axis0"], FLOATS, 1),
    "whole_sum": ("Sum", ["x", "axes"], FLOATS, 1),
    "whole_mean": ("Mean", ["line", "axis0"], FLOATS, 1),
    "whole_max": ("Max", ["line", "axis0"], FLOATS, 1),
    "softmax": ("Softmax", ["x"], FLOATS, 1),
    "log_softmax": ("LogSoftmax", ["x"], FLOATS, 1),
    "sparse_entropy": ("SparseSoftmaxCrossEntropyWithLogits", ["x", "labels"], FLOATS, 2),
    "entropy": ("SoftmaxCrossEntropyWithLogits", ["x", "y"], FLOATS, 2),
    "arg_max": ("ArgMax", ["x", "axis"], FLOATS, 1),
    "max_pool": ("MaxPool", ["images"], FLOATS + WINDOW, 1),
    "max_pool_grad": ("MaxPoolGrad", ["images", "pooled", "pooled"], FLOATS + WINDOW, 1),
    "avg_pool": ("AvgPool", ["images"], FLOATS + WINDOW, 1),
    "gather": ("GatherV2", ["table", "ids", "axis"], 'attr { key: "Tparams" value { type: DT_FLOAT } }', 1),
    "segment_sum": ("UnsortedSegmentSum", ["rows", "ids", "segments"], FLOATS + INDICES, 1),
    "segment_max": ("UnsortedSegmentMax", ["rows", "ids", "segments"], FLOATS + INDICES, 1),
    "scatter": ("TensorScatterAdd", ["table", "positions", "rows"], FLOATS + INDICES, 1),
    "cumulative": ("Cumsum", ["x", "axis"], FLOATS, 1),
    "row_cumulative": ("Cumsum", ["x", "last"], FLOATS, 1),
    "transpose": ("Transpose", ["x", "swapped"], FLOATS, 1),
    "product": ("MatMul", ["x", "w"], FLOATS, 1),
    "wide_product": ("MatMul", ["x", "wide"], FLOATS, 1),
    "weight_gradient": ("MatMul", ["x", "y"], FLOATS + 'attr { key: "transpose_a" value { b: true } }', 1),
    "batch_norm": ("FusedBatchNormV3", ["images", "scale", "scale", "none", "none"], FLOATS + FLOATS_TOO, 3),
    "convolution": ("Conv2D", ["images", "filter"], FLOATS + CONV, 1),
    "filter_gradient": ("Conv2DBackpropFilter", ["images", "filter_shape", "outputs"], FLOATS + CONV, 1),
    "input_gradient": ("Conv2DBackpropInput", ["images_shape", "filter", "outputs"], FLOATS + CONV, 1),
}
# The same of feeds whose first dimension is known only when it runs.
OPEN = ("tanh", "broadcast", "row_sums", "softmax", "segment_sum", "cumulative", "product", "wide_product",
        "convolution", "filter_gradient")  # fmt: skip


def constant(name, values):
    dims = f"dim {{ size: {len(values)} }}" if isinstance(values, list) else ""
    numbers = " ".join(f"int_val: {value}" for value in (values if dims else [values]))
    return (
        f'node {{ name: "{name}" op: "Const" attr {{ key: "value" value {{ tensor {{ dtype: DT_INT32 '
        f"tensor_shape {{ {dims} }} {numbers} }} }} }} }}\n"
    )


def placeholder(name, dtype, shape):
    dims = " ".join(f"dim {{ size: {size} }}" for size in shape)
    return (
        f'node {{ name: "{name}" op: "Placeholder" attr {{ key: "dtype" value {{ type: {dtype} }} }} '
        f'attr {{ key: "shape" value {{ shape {{ {dims} }} }} }} }}\n'
    )


def graph():
    """The MetaGraphDef as text, and ingotc's flags for its entries."""
    text = constant("axis", 0) + constant("axis0", [0]) + constant("axis1", [1]) + constant("axes", [0, 1])
    text += constant("swapped", [1, 0]) + constant("last", 1) + constant("segments", 3001)
    text += constant("filter_shape", [3, 3, 16, 20]) + constant("images_shape", [37, 30, 30, 16])
    text += 'node { name: "none" op: "Const" attr { key: "value" value { tensor { dtype: DT_FLOAT '
    text += "tensor_shape { dim { size: 0 } } } } } }\n"
    for name, (dtype, shape) in FEEDS.items():
        text += placeholder(name, dtype, shape) + placeholder(f"open_{name}", dtype, (-1, *shape[1:]))
    entries = []
    for name, (op, inputs, attributes, results) in NODES.items():
        for prefix in ("", "open_") if name in OPEN else ("",):
            fed = [i if i not in FEEDS or i in ("w", "wide", "bias", "filter") else prefix + i for i in inputs]
            uses = " ".join(f'input: "{i}"' for i in fed)
            text += f'node {{ name: "{prefix}{name}" op: "{op}" {uses} {attributes} }}\n'
            feeds = ",".join(dict.fromkeys(f"{i}:0" for i in fed if i.removeprefix("open_") in FEEDS))
            fetches = ",".join(f"{prefix}{name}:{i}" for i in range(results))
            entries.append((prefix + name, feeds, fetches))
    return f"graph_def {{\n{text}}}\n", entries


def write_npy(path, shape, code, values):
    header = f"{{'descr': '<{'f4' if code == 'f' else 'i4'}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(values)}{code}", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def write_feeds(folder):
    numbers = random.Random(13)
    for name, (dtype, shape) in FEEDS.items():
        count = math.prod(shape)
        if dtype == "DT_INT32":
            values, code = [numbers.randrange(CLASSES[name]) for _ in range(count)], "i"
        else:
            values, code = [numbers.random() - 0.25 for _ in range(count)], "f"
        write_npy(folder / f"{name}.npy", shape, code, values)


def kernels_with_grids(text):
    """The names of the kernels in a dump of the memref stage that have a grid."""
    functions = re.split(r"\n +func\.func private @", text)[1:]
    return {f.split("(", 1)[0] for f in functions if "host.kernel" in f and "host.grid_loop" in f}


def kernels_of_each_kind_are_the_same_on_any_number_of_threads(setup):
    text, entries = graph()
    file, trainer = setup.dir / "kinds.pbtxt", setup.dir / "trainer"
    file.write_text(text)
    flags = [f"--entry={name}={feeds}->{fetches}" for name, feeds, fetches in entries]
    dump = setup.dir / "dump.mlir"
    setup.compile(file, *flags, "--emit=mlir", "--stage=memref", "-o", dump).expect(0)
    grids = kernels_with_grids(dump.read_text())
    for name, _, _ in entries:
        # A product and the patches that it makes are two ops of one node.
        found = any(f"{grid.removeprefix('fused_')}_".startswith(f"{name}_") for grid in grids)
        assert found, f"{name} has no grid among {sorted(grids)}"
    setup.compile(file, *flags, "-o", trainer).expect(0)
    write_feeds(setup.dir)
    alone = {}
    for name, feeds, fetches in entries:
        command = [trainer, "run", name, "--quiet"]
        for feed in feeds.split(","):
            file = feed.removeprefix("open_").split(":")[0]
            command += ["--feed", f"{feed}=@{setup.dir / file}.npy"]
        found = {}
        for threads in THREADS:
            results = [setup.dir / f"{name}-{threads}-{i}.npy" for i in range(fetches.count(",") + 1)]
            asked = [("--fetch", f"{fetch}=@{path}") for fetch, path in zip(fetches.split(","), results)]
            setup.run(*command, *sum(asked, ()), "--threads", threads).expect(0)
            found[threads] = [path.read_bytes() for path in results]
            for path in results:
                path.unlink()
        for threads in THREADS[1:]:
            assert found[threads] == found[1], f"{name} differs on {threads} threads from one"
        alone[name] = found[1]
        known = name.removeprefix("open_")
        # Of a product, rows that no tile covers are rounded in between where their number is not known.
        if known != name and "product" not in name:
            assert found[1] == alone[known], f"{name} differs from {known}"
        for data in found[1]:
            assert len(set(data[128:])) > 1, f"{name} is all alike"


def long_sums_stay_exact(setup):
    """A naive float32 sum of this number of equal terms is off by a thousandth."""
    text, entries = graph()
    file, trainer = setup.dir / "sums.pbtxt", setup.dir / "trainer"
    file.write_text(text)
    names = {"whole_mean": "line", "column_sums": "long"}
    flags = [f"--entry={name}={feeds}->{fetches}" for name, feeds, fetches in entries if name in names]
    setup.compile(file, *flags, "-o", trainer).expect(0)
    (number,) = struct.unpack("<f", struct.pack("<f", 0.1))
    for name, feed in names.items():
        shape = FEEDS[feed][1]
        write_npy(setup.dir / "feed.npy", shape, "f", [number] * math.prod(shape))
        result = setup.dir / "result.npy"
        setup.run(
            trainer, "run", name, "--quiet",
            "--feed", f"{feed}:0=@{setup.dir / 'feed.npy'}", "--fetch", f"{name}:0=@{result}",
        ).expect(0)  # fmt: skip
        (found,) = struct.unpack_from("<f", result.read_bytes(), 128)
        expected = number if name == "whole_mean" else number * shape[0]
        assert abs(found - expected) <= 2e-6 * expected, f"{name}: {found}, not {expected}"


# A large variable and its slots: the step is one kernel, which is a grid.
OPTIMIZER = """
graph_def {{
  node {{ name: "shape" op: "Const" attr {{ key: "value" value {{ tensor {{
    dtype: DT_INT32 tensor_shape {{ dim {{ size: 2 }} }} int_val: [1021, 331] }} }} }} }}
  node {{ name: "zero" op: "Const" attr {{ key: "value" value {{ tensor {{
    dtype: DT_FLOAT tensor_shape {{ }} float_val: 0.0 }} }} }} }}
  node {{ name: "rate" op: "Const" attr {{ key: "value" value {{ tensor {{
    dtype: DT_FLOAT tensor_shape {{ }} float_val: 0.5 }} }} }} }}
  node {{ name: "zeros" op: "Fill" input: "shape" input: "zero" attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}
  {variables}
  node {{ name: "init" op: "NoOp" {inits} }}
  {step}
}}
collection_def {{ key: "init_op" value {{ node_list {{ value: "init" }} }} }}
collection_def {{ key: "train_op" value {{ node_list {{ value: "train" }} }} }}
"""
GRADIENT = """node {{ name: "gradient" op: "RandomUniform" input: "{0}" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
    attr {{ key: "seed" value {{ i: 7 }} }} attr {{ key: "seed2" value {{ i: 8 }} }} }}
"""
DENSE_STEP = GRADIENT.format("shape") + """
  node { name: "train" op: "ResourceApplyAdam" input: "var" input: "m" input: "v" input: "rate" input: "rate"
    input: "rate" input: "rate" input: "rate" input: "rate" input: "gradient" attr { key: "T" value { type: DT_FLOAT } } }
"""
# Some rows are updated several times, in the order of their indices.
SPARSE_STEP = GRADIENT.format("rows") + """
  node { name: "rows" op: "Const" attr { key: "value" value { tensor {
    dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [4001, 331] } } } }
  node { name: "number" op: "Const" attr { key: "value" value { tensor {
    dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 4001 } } } }
  node { name: "first" op: "Const" attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } } }
  node { name: "end" op: "Const" attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1021 } } } }
  node { name: "indices" op: "RandomUniformInt" input: "number" input: "first" input: "end"
    attr { key: "Tout" value { type: DT_INT32 } } attr { key: "seed" value { i: 9 } } attr { key: "seed2" value { i: 10 } } }
  node { name: "train" op: "ResourceSparseApplyAdagrad" input: "var" input: "m" input: "rate" input: "gradient"
    input: "indices" attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tindices" value { type: DT_INT32 } } }
"""
VARIABLE = """node {{ name: "{0}" op: "VarHandleOp" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
    attr {{ key: "shape" value {{ shape {{ dim {{ size: 1021 }} dim {{ size: 331 }} }} }} }} attr {{ key: "shared_name" value {{ s: "{0}" }} }} }}
  node {{ name: "init_{0}" op: "AssignVariableOp" input: "{0}" input: "zeros" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} }}
"""


def same_on_any_number_of_threads(setup, names, step):
    variables = "".join(VARIABLE.format(name) for name in names)
    inits = " ".join(f'input: "^init_{name}"' for name in names)
    file, dump = setup.dir / "step.pbtxt", setup.dir / "dump.mlir"
    file.write_text(OPTIMIZER.format(variables=variables, inits=inits, step=step))
    setup.compile(file, "--emit=mlir", "--stage=memref", "-o", dump).expect(0)
    assert any("train" in name for name in kernels_with_grids(dump.read_text()))
    setup.trainer = setup.dir / "trainer"
    setup.compile(file, "-o", setup.trainer).expect(0)
    for threads in THREADS:
        setup.train(setup.dir / f"on{threads}", "--max-steps", 3, "--seed", 3, "--threads", threads).expect(0)
        harness.assert_same_checkpoint(setup.dir / "on1", setup.dir / f"on{threads}", 3)


def a_large_optimizer_step_is_the_same_on_any_number_of_threads(setup):
    same_on_any_number_of_threads(setup, ("var", "m", "v"), DENSE_STEP)


def a_sparse_optimizer_step_is_the_same_on_any_number_of_threads(setup):
    same_on_any_number_of_threads(setup, ("var", "m"), SPARSE_STEP)


def steps_of_whole_models_are_the_same_on_any_number_of_threads(setup):
    """Members side by side, small launches and large ones; several times, since the order is random."""
    graphs = harness.SOURCE / "bench" / "graphs"
    for name, steps in (("resnet-20", 6), ("ensemble", 400), ("mlp-small", 400), ("lstm", 6), ("transformer", 6)):
        trainer = setup.dir / name
        setup.compile(graphs / f"{name}.meta", "-o", trainer).expect(0)
        seen = set()
        for run, threads in enumerate((1, 2, 2, 3, 8, 8)):
            losses, folder = setup.dir / f"{name}.{run}.jsonl", setup.dir / f"{name}.{run}"
            setup.run(
                trainer, "train", "--quiet", "--model-dir", folder, "--steps", steps, "--threads", threads,
                "--losses", losses, "--on-nan", "ignore", "--log-steps", 0, "--summary-steps", 0,
            ).expect(0)  # fmt: skip
            (data,) = folder.glob(f"*-{steps}.data-*")
            seen.add((losses.read_bytes(), data.read_bytes()))
        assert len(seen) == 1, f"{name}: {len(seen)} results on different numbers of threads"


if __name__ == "__main__":
    harness.main(globals())
