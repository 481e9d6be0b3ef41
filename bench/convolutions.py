#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Convolutions, each a trainer's step of its own: GFLOP/s, and as a share of the peak of fused multiply-adds that
ingot-fma-peak, built beside ingotc, finds in the same seconds.

    convolutions.py --ingotc build/bin/ingotc [--against OTHER] [--threads N] [SHAPE ..]

A SHAPE is BATCHxHEIGHTxWIDTHxCHANNELS/KERNELxFILTERS, with a stride after another slash where it isn't one:
32x32x32x16/3x32/2. Padding is SAME, channels come last. `output` computes the images, `input` the gradient of what they
are made of, `filter` the filters' gradient. Only multiply-adds of the output count, those of zeros at the edges, too.
"""
import pathlib
import re

import sweeps
from compile_time import Graph

SHAPES = [
    "32x32x32x3/3x64", "32x32x32x64/3x64", "32x16x16x128/3x128", "32x32x32x64/1x128",
    "32x32x32x16/3x32/2", "32x28x28x32/5x64", "8x56x56x64/3x64", "1x64x64x64/3x64",
    # By steps: as residual networks have them, U-nets and generators, autoencoders' first and last layers.
    "32x32x32x64/1x128/2", "32x32x32x64/2x128/2", "32x32x32x64/3x128/2", "32x32x32x64/4x128/2", "32x32x32x64/5x128/2",
    "32x16x16x128/5x256/2", "32x64x64x3/5x64/2", "32x28x28x1/3x32/2",
]  # fmt: skip
FORMS = ["output", "input", "filter"]


def vector(graph, name, numbers):
    """A constant of int32."""
    values = " ".join(f"int_val: {number}" for number in numbers)
    tensor = f"tensor {{ dtype: DT_INT32 tensor_shape {{ dim {{ size: {len(numbers)} }} }} {values} }}"
    return graph.node(name, "Const", dtype="type: DT_INT32", value=tensor)


def convolution(folder, form, image, kernel, output, stride):
    """A graph whose step assigns one of the three to a variable; and the node."""
    graph = Graph()
    sizes = {"image": image, "filter": kernel, "output": output}
    target = {"output": "output", "input": "image", "filter": "filter"}[form]
    read = {name: graph.read(graph.variable(name, 0.25, *dims)) for name, dims in sizes.items() if name != target}
    op, inputs = {
        "output": ("Conv2D", lambda: (read["image"], read["filter"])),
        "input": ("Conv2DBackpropInput", lambda: (vector(graph, "sizes", image), read["filter"], read["output"])),
        "filter": ("Conv2DBackpropFilter", lambda: (read["image"], vector(graph, "sizes", kernel), read["output"])),
    }[form]
    graph.variable(target, 0, *sizes[target])
    graph.compute(
        "convolution", op, *inputs(), padding='s: "SAME"', data_format='s: "NHWC"',
        strides=f"list {{ i: [1, {stride}, {stride}, 1] }}",
    )  # fmt: skip
    graph.node("step", "AssignVariableOp", target, "convolution", dtype="type: DT_FLOAT")
    path = pathlib.Path(folder) / "convolution.meta"
    graph.write(path, "step")
    return path, "convolution"


def problem(text, form):
    batch, height, width, channels, side, filters, *stride = [int(size) for size in re.split("[x/]", text)]
    stride = stride[0] if stride else 1
    image, kernel = (batch, height, width, channels), (side, side, channels, filters)
    output = (batch, -(-height // stride), -(-width // stride), filters)
    operations = 2 * output[0] * output[1] * output[2] * filters * side * side * channels
    return operations, lambda folder: convolution(folder, form, image, kernel, output, stride)


if __name__ == "__main__":
    sweeps.main(__doc__, "convolution", SHAPES, FORMS, problem)
