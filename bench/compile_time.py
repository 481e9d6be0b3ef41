#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How compile time grows: a chain of elementwise nodes, a deep network, and one that is fed any number of rows, at
several sizes each, with the time of each stage; and the time to compile them again, from the cache.
Then how the time to import grows of a chain of TensorFlow 1's conds with gradients, and of as many nodes without.

    compile_time.py --ingotc build/bin/ingotc [--chain N,N..] [--layers N,N..] [--dynamic N,N..] [--conds N,N..] [--nodes N,N..]
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time


def shape(*dims):
    return "shape { " + " ".join(f"dim {{ size: {dim} }}" for dim in dims) + " }"


class Graph:
    """A MetaGraphDef in text."""

    def __init__(self):
        self.lines = []
        self.variables = []
        self.count = 0

    def node(self, name, op, *inputs, **attributes):
        inputs = " ".join(f'input: "{name}"' for name in inputs)
        attributes = " ".join(
            f'attr {{ key: "{key}" value {{ {value} }} }}' for key, value in attributes.items()
        )
        self.lines.append(f'node {{ name: "{name}" op: "{op}" {inputs} {attributes} }}')
        self.count += 1
        return name

    def constant(self, name, value, *dims):
        tensor = f"tensor {{ dtype: DT_FLOAT tensor_shape {{ {shape(*dims)[8:-2]} }} float_val: {value} }}"
        return self.node(name, "Const", dtype="type: DT_FLOAT", value=tensor)

    def variable(self, name, value, *dims):
        """A handle; the variable starts as `value` everywhere."""
        self.node(name, "VarHandleOp", dtype="type: DT_FLOAT", shape=shape(*dims), shared_name=f's: "{name}"')
        start = self.constant(name + "/start", value, *dims)
        self.variables.append(self.node(name + "/Assign", "AssignVariableOp", name, start, dtype="type: DT_FLOAT"))
        return name

    def read(self, variable):
        return self.node(variable + "/Read", "ReadVariableOp", variable, dtype="type: DT_FLOAT")

    def compute(self, name, op, *inputs, **attributes):
        return self.node(name, op, *inputs, T="type: DT_FLOAT", **attributes)

    def write(self, path, step):
        self.node("init", "NoOp", *["^" + name for name in self.variables])
        collections = "".join(
            f'collection_def {{ key: "{key}" value {{ node_list {{ value: "{name}" }} }} }}\n'
            for key, name in (("init_op", "init"), ("train_op", step))
        )
        path.write_text("graph_def {\n" + "\n".join(self.lines) + "\n}\n" + collections)


def chain(size, path):
    """One value through `size` elementwise nodes and back into its variable."""
    graph = Graph()
    value = graph.read(graph.variable("w", 0.5, 64))
    half, third = graph.constant("half", 0.5), graph.constant("third", 0.3)
    for i in range(size):
        op = ("AddV2", "Mul", "Tanh")[i % 3]
        value = graph.compute(f"n{i}", op, value, *((half, third)[i % 2],) if op != "Tanh" else ())
    graph.write(path, graph.node("step", "AssignVariableOp", "w", value, dtype="type: DT_FLOAT"))
    return graph.count


def network(layers, path, rows=8):
    """Dense layers of 32 units with biases and ReLU, trained by gradient descent."""
    graph = Graph()
    if rows is None:
        h = graph.node("x", "Placeholder", dtype="type: DT_FLOAT", shape=shape(-1, 32))
    else:
        h = graph.constant("x", 0.5, rows, 32)
    rate = graph.constant("rate", 0.001)
    forward = []
    for i in range(layers):
        w = graph.read(graph.variable(f"w{i}", 0.03, 32, 32))
        b = graph.read(graph.variable(f"b{i}", 0.01, 32))
        forward.append((h, w))
        product = graph.compute(f"product{i}", "MatMul", h, w)
        h = graph.compute(f"relu{i}", "Relu", graph.compute(f"biased{i}", "BiasAdd", product, b))
    gradient, updates = h, []
    for i in reversed(range(layers)):
        h, w = forward[i]
        gradient = graph.compute(f"g_relu{i}", "ReluGrad", gradient, f"relu{i}")
        g_w = graph.compute(f"g_w{i}", "MatMul", h, gradient, transpose_a="b: true")
        g_b = graph.compute(f"g_b{i}", "BiasAddGrad", gradient)
        for name, value in ((f"w{i}", g_w), (f"b{i}", g_b)):
            updates.append(graph.compute(f"{name}/step", "ResourceApplyGradientDescent", name, rate, value))
        gradient = graph.compute(f"g{i}", "MatMul", gradient, w, transpose_b="b: true")
    graph.write(path, graph.node("step", "NoOp", *["^" + name for name in updates]))
    return graph.count


def dynamic(layers, path):
    """The network, with a batch of rows that is fed, whose number only the run knows."""
    return network(layers, path, rows=None)


def conds(size, path):
    """A chain of tf.conds, `h * half + w` or `tanh(h)`, and its gradient, whose branches depend on the same predicates."""
    graph = Graph()
    start = h = graph.read(graph.variable("w", 0.5, 64))
    half, zero = graph.constant("half", 0.5), graph.constant("zero", 0)
    indices = graph.node("axes", "Const", dtype="type: DT_INT32", value="tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 0 }")
    forward = []
    for i in range(size):
        total = graph.compute(f"sum{i}", "Sum", h, indices, Tidx="type: DT_INT32")
        predicate = graph.compute(f"predicate{i}", "Greater", total, zero)
        inside, outside = (graph.compute(f"{name}{i}", "Switch", value, predicate) for name, value in (("h", h), ("start", start)))
        grown = graph.compute(f"grown{i}", "AddV2", graph.compute(f"scaled{i}", "Mul", inside + ":1", half), outside + ":1")
        bent = graph.compute(f"bent{i}", "Tanh", inside)
        h = graph.compute(f"merge{i}", "Merge", bent, grown, N="i: 2")
        forward.append((predicate, bent))
    gradient = graph.compute("seed", "Mul", h, half)
    for i, (predicate, bent) in reversed(list(enumerate(forward))):
        switch = graph.compute(f"g_switch{i}", "Switch", gradient, predicate)
        ofBent = graph.compute(f"g_bent{i}", "TanhGrad", bent, switch)
        ofGrown = graph.compute(f"g_grown{i}", "Mul", switch + ":1", half)
        gradient = graph.compute(f"g_merge{i}", "Merge", ofBent, ofGrown, N="i: 2")
    rate = graph.constant("rate", 0.001)
    graph.write(path, graph.compute("step", "ResourceApplyGradientDescent", "w", rate, gradient))
    return graph.count


def import_seconds(ingotc, make, size, folder):
    """Nodes, and the seconds of the stage `import`: the least of three runs."""
    path = folder / "graph.pbtxt"
    nodes, taken = make(size, path), []
    for _ in range(3):
        command = [ingotc, path, "-o", folder / "module.mlir", "--emit=mlir", "--stage=import", "--time"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{make.__name__} of {size}: exit code {done.returncode}: {done.stderr[-500:]}")
        taken.append(float(re.search(r"([\d.]+) ms  import", done.stderr)[1]) / 1e3)
    return nodes, min(taken)


def measure(ingotc, make, size, folder):
    """Nodes, seconds the first time and again, and the stages that took longest the first time."""
    path = folder / "graph.pbtxt"
    nodes = make(size, path)
    cache = folder / f"cache-{make.__name__}-{size}"
    taken, printed = [], []
    for _ in range(2):
        start = time.monotonic()
        done = subprocess.run(
            [ingotc, path, "-o", folder / "trainer", "--time", "--cache-dir", cache],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        taken.append(time.monotonic() - start)
        printed.append(done.stderr)
        if done.returncode != 0:
            sys.exit(f"{make.__name__} of {size}: exit code {done.returncode}: {done.stderr[-500:]}")
    stages = [(float(ms), name) for ms, name in re.findall(r"([\d.]+) ms  (.+)", printed[0])]
    stages = sorted(stage for stage in stages if stage[1] != "total")[:-4:-1]
    return nodes, taken, ", ".join(f"{name} {ms / 1e3:.1f}" for ms, name in stages)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ingotc", required=True, type=pathlib.Path)
    parser.add_argument("--chain", default="25000,50000,100000")
    parser.add_argument("--layers", default="1000,2000,5880")
    parser.add_argument("--dynamic", default="175,350,700")
    parser.add_argument("--conds", default="1000,2000,4000")
    parser.add_argument("--nodes", default="10000,20000,40000")
    options = parser.parse_args()
    print(f"{'graph':<16}{'nodes':>8}{'seconds':>9}{'again':>7}{'us/node':>9}  longest stages, seconds")
    with tempfile.TemporaryDirectory() as folder:
        for make, sizes in ((chain, options.chain), (network, options.layers), (dynamic, options.dynamic)):
            for size in map(int, filter(None, sizes.split(","))):
                nodes, taken, stages = measure(options.ingotc, make, size, pathlib.Path(folder))
                print(f"{make.__name__ + ' ' + str(size):<16}{nodes:>8}{taken[0]:>9.1f}{taken[1]:>7.1f}{taken[0] / nodes * 1e6:>9.0f}  {stages}", flush=True)
        print(f"\n{'graph':<16}{'nodes':>8}{'import':>9}{'us/node':>9}")
        for make, sizes in ((conds, options.conds), (chain, options.nodes)):
            for size in map(int, filter(None, sizes.split(","))):
                nodes, seconds = import_seconds(options.ingotc, make, size, pathlib.Path(folder))
                print(f"{make.__name__ + ' ' + str(size):<16}{nodes:>8}{seconds:>9.2f}{seconds / nodes * 1e6:>9.0f}", flush=True)


if __name__ == "__main__":
    main()
