# SPDX-License-Identifier: Apache-2.0
"""Ops that slices of a batch compute, one by one, against the same ops on the whole batch."""
import math
import random
import re
import struct

import harness

ROWS = 12
# The slices of a batch of 12: all of one size, or of a row more or less.
SLICES = (2, 4, 5, 12)

FEEDS = {
    "x": ("f32", (ROWS, 6)),
    "y": ("f32", (ROWS, 6)),
    "column": ("f32", (ROWS, 1)),
    "labels": ("i32", (ROWS,)),
    "cube": ("f32", (ROWS, 4, 6)),
    "images": ("f32", (ROWS, 4, 4, 3)),
    "outputs": ("f32", (ROWS, 4, 4, 5)),
    "pooled": ("f32", (ROWS, 2, 2, 3)),
}
CONSTANTS = {
    "bias": ("f32", (6,)),
    "w": ("f32", (6, 5)),
    "filter": ("f32", (3, 3, 3, 5)),
    "scale": ("f32", (3,)),
    "one": ("f32", (3,)),
    "none": ("f32", (0,)),
    "s0": ("i32", ()), "s1": ("i32", ()), "s6": ("i32", ()),
    "axis0": ("i32", (1,)), "axis1": ("i32", (1,)), "axes": ("i32", (2,)),
    "flat": ("i32", (1,)), "three": ("i32", (3,)), "folded": ("i32", (2,)), "matrix": ("i32", (2,)),
    "swapped": ("i32", (2,)), "twice": ("i32", (2,)), "twice_rows": ("i32", (2,)),
    "images_shape": ("i32", (4,)), "filter_shape": ("i32", (4,)),
    "begin": ("i32", (2,)), "size": ("i32", (2,)), "end": ("i32", (2,)), "steps": ("i32", (2,)),
    "below": ("i32", (2,)), "pads": ("i32", (2, 2)), "pad_rows": ("i32", (2, 2)),
    "zero": ("f32", ()), "on": ("f32", ()), "twelve": ("f32", ()), "k": ("i32", ()), "band": ("i64", ()),
}  # fmt: skip
VALUES = {
    "s0": [0], "s1": [1], "s6": [6], "axis0": [0], "axis1": [1], "axes": [0, 1], "flat": [72],
    "three": [ROWS, 2, 3], "folded": [2, 36], "matrix": [ROWS, 6], "swapped": [1, 0], "twice": [1, 2],
    "twice_rows": [2, 1], "images_shape": [ROWS, 4, 4, 3], "filter_shape": [3, 3, 3, 5], "begin": [0, 2],
    "size": [ROWS, 3], "end": [ROWS, 5], "steps": [1, 1], "below": [1, 0], "pads": [0, 0, 1, 2],
    "pad_rows": [1, 1, 0, 0], "zero": [0.0], "on": [1.0], "twelve": [12.0], "k": [2], "band": [1],
    "one": [1.0, 2.0, 3.0],
}  # fmt: skip
WINDOW = 'window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "VALID"'
CONV = 'strides = array<i64: 1, 1>, padding = "SAME"'

# An op, its operands, attributes and the types of its results. Slices compute it, and what it sums over the batch is
# exchanged.
SPLIT = {
    "bias_row": ("add", "x bias", "", ["12x6xf32"]),
    "column_times": ("mul", "x column", "", ["12x6xf32"]),
    "compare": ("less", "x y", "", ["12x6xi1"]),
    "cast": ("cast", "labels", "dst = f32", ["12xf32"]),
    "all_of_zeros": ("zeros_like", "x", "", ["12x6xf32"]),
    "bias_add": ("bias_add", "x bias", "", ["12x6xf32"]),
    "bias_gradient": ("bias_add_grad", "x", "", ["6xf32"]),
    "softmax": ("softmax", "x", "", ["12x6xf32"]),
    "log_softmax": ("log_softmax", "x", "", ["12x6xf32"]),
    "sparse_entropy": ("sparse_softmax_cross_entropy", "x labels", "", ["12xf32", "12x6xf32"]),
    "entropy": ("softmax_cross_entropy", "x y", "", ["12xf32", "12x6xf32"]),
    "product": ("matmul", "x w", "", ["12x5xf32"]),
    "product_turned": ("matmul", "w x", "transpose_a = true, transpose_b = true", ["5x12xf32"]),
    "weight_gradient": ("matmul", "x y", "transpose_a = true", ["6x6xf32"]),
    "batch_product": ("batch_matmul", "cube cube", "adj_y = true", ["12x4x4xf32"]),
    "einsum": ("einsum", "cube w", '"abc,cd->abd"', ["12x4x5xf32"]),
    "einsum_gradient": ("einsum", "cube cube", '"abc,abd->cd"', ["6x6xf32"]),
    "convolution": ("conv2d", "images filter", CONV, ["12x4x4x5xf32"]),
    "input_gradient": ("conv2d_backprop_input", "images_shape filter outputs", CONV, ["12x4x4x3xf32"]),
    "filter_gradient": ("conv2d_backprop_filter", "images filter_shape outputs", CONV, ["3x3x3x5xf32"]),
    "max_pool": ("max_pool", "images", WINDOW, ["12x2x2x3xf32"]),
    "max_pool_gradient": ("max_pool_grad", "images pooled", WINDOW, ["12x4x4x3xf32"]),
    "max_pool_places": ("max_pool_with_argmax", "images", WINDOW + ", index_type = i64", ["12x2x2x3xf32", "12x2x2x3xi64"]),
    "avg_pool": ("avg_pool", "images", WINDOW, ["12x2x2x3xf32"]),
    "avg_pool_gradient": ("avg_pool_grad", "images_shape pooled", WINDOW, ["12x4x4x3xf32"]),
    "batch_norm": ("fused_batch_norm", "images scale scale none none", "",
                   ["12x4x4x3xf32", "3xf32", "3xf32", "3xf32", "3xf32"]),
    "frozen_norm": ("fused_batch_norm", "images scale scale one one", "is_training = false",
                    ["12x4x4x3xf32", "3xf32", "3xf32", "3xf32", "3xf32"]),
    "batch_norm_gradient": ("fused_batch_norm_grad", "images images scale one one", "",
                            ["12x4x4x3xf32", "3xf32", "3xf32"]),
    "row_sums": ("sum", "x axis1", "", ["12xf32"]),
    "row_sums_kept": ("sum", "x axis1", "keep_dims = true", ["12x1xf32"]),
    "column_sums": ("sum", "x axis0", "", ["6xf32"]),
    "column_sums_kept": ("sum", "x axis0", "keep_dims = true", ["1x6xf32"]),
    "whole_sum": ("sum", "x axes", "", ["f32"]),
    "sum_of_integers": ("sum", "labels axis0", "", ["i32"]),
    "column_means": ("mean", "x axis0", "", ["6xf32"]),
    "row_means": ("mean", "x axis1", "", ["12xf32"]),
    "whole_mean": ("mean", "cube axes", "keep_dims = true", ["1x1x6xf32"]),
    "largest": ("max", "x axis0", "", ["6xf32"]),
    "smallest": ("min", "x axes", "", ["f32"]),
    "row_products": ("prod", "x axis1", "", ["12xf32"]),
    "arg_max": ("arg_max", "x s1", "output_type = i64", ["12xi64"]),
    "running": ("cumulative", "x s1", 'kind = "sum"', ["12x6xf32"]),
    "flattened": ("reshape", "x flat", "", ["72xf32"]),
    "as_cubes": ("reshape", "x three", "", ["12x2x3xf32"]),
    "expanded": ("expand_dims", "x s1", "", ["12x1x6xf32"]),
    "squeezed": ("squeeze", "column", "dims = array<i64: 1>", ["12xf32"]),
    "squeezed_unnamed": ("squeeze", "column", "", ["12xf32"]),
    "turned": ("transpose", "x swapped", "", ["6x12xf32"]),
    "tiled": ("tile", "x twice", "", ["12x12xf32"]),
    "broadcast": ("broadcast_to", "column matrix", "", ["12x6xf32"]),
    "beside": ("concat", "s1 x y", "", ["12x12xf32"]),
    "halves": ("split", "s1 x", "count = 2 : i64", ["12x3xf32", "12x3xf32"]),
    "padded": ("pad", "x pads zero", "", ["12x9xf32"]),
    "mirrored": ("mirror_pad", "x pads", 'mode = "REFLECT"', ["12x9xf32"]),
    "reversed": ("reverse", "x axis1", "", ["12x6xf32"]),
    "one_hot": ("one_hot", "labels s6 on zero", "axis = -1 : i64", ["12x6xf32"]),
    "one_hot_first": ("one_hot", "labels s6 on zero", "axis = 0 : i64", ["6x12xf32"]),
    "looked_up": ("gather", "w labels s0", "", ["12x5xf32"]),
    "columns_chosen": ("gather", "x three s1", "", ["12x3xf32"]),
    "chosen_in_rows": ("gather", "x matrix_of_labels s1", "batch_dims = 1 : i64", ["12x1xf32"]),
    "looked_up_by_places": ("gather_nd", "bias matrix_of_labels", "", ["12xf32"]),
    "columns": ("slice", "x begin size", "", ["12x3xf32"]),
    "strided_columns": ("strided_slice", "x begin end steps", "", ["12x3xf32"]),
    "columns_updated": ("strided_slice_update", "x begin end steps three_columns", "", ["12x6xf32"]),
    "in_top": ("in_top_k", "x labels k", "", ["12xi1"]),
    "top": ("top_k", "x k", "index_type = i32", ["12x2xf32", "12x2xi32"]),
    "bands": ("matrix_band_part", "cube band band", "", ["12x4x6xf32"]),
}  # fmt: skip
# Ops along the batch, which all processes compute.
WHOLE = {
    "rows_times_rows": ("matmul", "x2 y2", "transpose_b = true", ["12x12xf32"]),
    "products_of_columns": ("prod", "x2 axis0", "", ["6xf32"]),
    "arg_max_of_columns": ("arg_max", "x2 s0", "output_type = i64", ["6xi64"]),
    "running_rows": ("cumulative", "x2 s0", 'kind = "sum"', ["12x6xf32"]),
    "folded_rows": ("reshape", "x2 folded", "", ["2x36xf32"]),
    "rows_twice": ("tile", "x2 twice_rows", "", ["24x6xf32"]),
    "rows_below": ("concat", "s0 x2 y2", "", ["24x6xf32"]),
    "rows_padded": ("pad", "x2 pad_rows zero", "", ["14x6xf32"]),
    "rows_reversed": ("reverse", "x2 axis0", "", ["12x6xf32"]),
    "later_rows": ("strided_slice", "x2 below end steps", "", ["11x5xf32"]),
    "places_in_the_batch": ("max_pool_with_argmax", "images2", WINDOW + ", index_type = i64, include_batch_in_index = true",
                            ["12x2x2x3xf32", "12x2x2x3xi64"]),
    "rows_by_place": ("gather", "x2 three s0", "", ["3x6xf32"]),
}  # fmt: skip
# What some of them read.
PREPARED = """
  %matrix_of_labels = ingot.expand_dims %labels, %s1 : (tensor<12xi32>, tensor<i32>) -> tensor<12x1xi32>
  %three_columns = ingot.slice %y, %begin, %size : (tensor<12x6xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<12x3xf32>
  %x2 = ingot.square %x : (tensor<12x6xf32>) -> tensor<12x6xf32>
  %images2 = ingot.square %images : (tensor<12x4x4x3xf32>) -> tensor<12x4x4x3xf32>
  %y2 = ingot.square %y : (tensor<12x6xf32>) -> tensor<12x6xf32>
"""
PREPARED_TYPES = {
    "matrix_of_labels": "12x1xi32", "three_columns": "12x3xf32", "x2": "12x6xf32", "images2": "12x4x4x3xf32", "y2": "12x6xf32",
}  # fmt: skip


def type_of(name):
    if name in PREPARED_TYPES:
        return f"tensor<{PREPARED_TYPES[name]}>"
    element, shape = {**FEEDS, **CONSTANTS}[name]
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def constants():
    numbers = random.Random(5)
    for name, (element, shape) in CONSTANTS.items():
        count = math.prod(shape)
        values = VALUES.get(name) or [round(numbers.random() - 0.3, 3) for _ in range(count)]
        if name == "three":  # a shape, and places of rows and columns
            values = [3, 2, 5]
        text = str(values[0]) if not shape else str(nested(values, shape))
        yield f"  %{name} = ingot.constant dense<{text}> : {type_of(name)}"


def nested(values, shape):
    if len(shape) <= 1:
        return list(values)
    part = len(values) // shape[0]
    return [nested(values[i * part : (i + 1) * part], shape[1:]) for i in range(shape[0])]


def program(cases):
    """A step that computes all cases of its feeds, and returns all results."""
    lines, fetches, returned, types = list(constants()), [], [], []
    lines.append(PREPARED.strip("\n"))
    for name, (op, operands, attributes, results) in cases.items():
        operands = operands.split()
        values = [f"%{name}_{i}" for i in range(len(results))]
        shape = "%as_cubes_shape" if name == "as_cubes" else None
        given = ", ".join(shape if shape and o == "three" else f"%{o}" for o in operands)
        tensors = [f"tensor<{result}>" for result in results]
        signature = f"({', '.join(type_of(o) for o in operands)}) -> ({', '.join(tensors)})"
        if op == "einsum":
            lines.append(f"  {', '.join(values)} = ingot.einsum {attributes}({given}) : {signature}")
        else:
            lines.append(f"  {', '.join(values)} = ingot.{op} {given} {{{attributes}}} : {signature}")
        fetches += [f'"{value[1:]}:0"' for value in values]
        returned += values
        types += tensors
    feeds = ", ".join(f'"{name}:0"' for name in FEEDS)
    arguments = ", ".join(f"%{name}: {type_of(name)}" for name in FEEDS)
    cubes = "  %as_cubes_shape = ingot.constant dense<[12, 2, 3]> : tensor<3xi32>"
    body = "\n".join([cubes, *lines])
    return (
        f"ingot.entry @step role(step) feeds [{feeds}] fetches [{', '.join(fetches)}] variables [] updates [] {{\n"
        f"^bb0({arguments}):\n{body}\n  ingot.return {', '.join(returned)} : {', '.join(types)}\n}}\n",
        [fetch.strip('"') for fetch in fetches],
    )


def write_feeds(folder):
    numbers = random.Random(13)
    for name, (element, shape) in FEEDS.items():
        count = math.prod(shape)
        if element == "i32":
            values, code = [numbers.randrange(6) for _ in range(count)], "i"
        else:
            values, code = [numbers.random() - 0.25 for _ in range(count)], "f"
        header = f"{{'descr': '<{code}4', 'fortran_order': False, 'shape': {shape}, }}"
        header += " " * (117 - len(header)) + "\n"
        data = struct.pack(f"<{count}{code}", *values)
        (folder / f"{name}.npy").write_bytes(
            b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data
        )


def results(setup, trainer, fetches):
    """The type and the elements of each fetch of one step."""
    command = [trainer, "run", "step", "--quiet"]
    for feed in FEEDS:
        command += ["--feed", f"{feed}:0=@{setup.dir / feed}.npy"]
    files = [setup.dir / f"result-{i}.npy" for i in range(len(fetches))]
    asked = sum(([f"--fetch={fetch}=@{path}"] for fetch, path in zip(fetches, files)), [])
    setup.run(*command, *asked).expect(0)
    found = []
    for path in files:
        data = path.read_bytes()
        (length,) = struct.unpack_from("<H", data, 8)
        header = data[10 : 10 + length].decode()
        descr = re.search(r"'descr': '[<|]?(\w+)'", header)[1]
        code = {"f4": "f", "i4": "i", "i8": "q", "b1": "?"}[descr]
        elements = data[10 + length :]
        shape = re.search(r"'shape': (\([^)]*\))", header)[1]
        found.append((shape, struct.unpack(f"<{len(elements) // struct.calcsize(code)}{code}", elements)))
    return found


def compare(setup, cases, check):
    text, fetches = program(cases)
    file, trainer = setup.dir / "ops.mlir", setup.dir / "trainer"
    file.write_text(text)
    write_feeds(setup.dir)
    setup.compile(file, "-o", trainer).expect(0)
    expected = results(setup, trainer, fetches)
    for slices in SLICES:
        said = setup.compile(file, "-o", trainer, "--parallel", "--slices", slices, "--remarks").expect(0).err
        check(slices, said)
        for fetch, (shape, found), (whole_shape, whole) in zip(
            fetches, results(setup, trainer, fetches), expected
        ):
            assert shape == whole_shape, f"{fetch} of {slices} slices: {shape}, not {whole_shape}"
            slack = 2e-6 * max((abs(x) for x in whole), default=0) if isinstance(whole[0], float) else 0
            for a, b in zip(found, whole, strict=True):
                assert abs(a - b) <= slack, f"{fetch} of {slices} slices: {a}, not {b}"


def ops_compute_in_slices_what_they_compute_of_the_whole_batch(setup):
    rows = sum(r.startswith("12x") or "x12x" in r or r.startswith("72x") for c in SPLIT.values() for r in c[3])

    def check(slices, said):
        # What is gathered are the results that have rows, but for the constant zeros, and nothing that ops read.
        exchanges, gathers = map(int, re.search(r"all-reduces (\d+) values, .* all-gathers (\d+) values", said).groups())
        assert gathers == rows - 1, f"{gathers} gathers of {slices} slices, {rows} results of rows: {said}"
        assert exchanges >= 15, said

    compare(setup, SPLIT, check)


def ops_along_the_batch_see_all_of_it(setup):
    cases = {"column_sums": SPLIT["column_sums"], **WHOLE}

    def check(slices, said):
        assert "warning" in said and "repeats all ops that depend on them" in said, said

    compare(setup, cases, check)


OPEN_FEEDS = """
ingot.entry @step role(step) feeds ["x:0", "column:0", "labels:0"] fetches ["square:0", "entropy:0", "dw:0"]
    variables [] updates [] {
^bb0(%x: tensor<?x6xf32>, %column: tensor<?x1xf32>, %labels: tensor<?xi32>):
  %axes = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %axis = ingot.constant dense<0> : tensor<1xi32>
  %w = ingot.constant dense<0.5> : tensor<6x1xf32>
  %p = ingot.matmul %x, %w : (tensor<?x6xf32>, tensor<6x1xf32>) -> tensor<?x1xf32>
  %d = ingot.sub %p, %column : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %s = ingot.square %d : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %square = ingot.mean %s, %axes : (tensor<?x1xf32>, tensor<2xi32>) -> tensor<f32>
  %l, %g = ingot.sparse_softmax_cross_entropy %x, %labels : (tensor<?x6xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x6xf32>)
  %entropy = ingot.mean %l, %axis : (tensor<?xf32>, tensor<1xi32>) -> tensor<f32>
  %dw = ingot.matmul %x, %d {transpose_a = true} : (tensor<?x6xf32>, tensor<?x1xf32>) -> tensor<6x1xf32>
  ingot.return %square, %entropy, %dw : tensor<f32>, tensor<f32>, tensor<6x1xf32>
}
"""


def feeds_of_open_size_are_cut_together(setup):
    """The graph adds up their rows, so they are one batch; one row that would be broadcast is refused."""
    file, trainer, whole = setup.dir / "open.mlir", setup.dir / "trainer", setup.dir / "whole"
    file.write_text(OPEN_FEEDS)
    write_feeds(setup.dir)
    feeds = [f"--feed={name}:0=@{setup.dir / name}.npy" for name in ("x", "column", "labels")]
    fetches = ("square", "entropy", "dw")

    def fetched(program):
        asked = [f"--fetch={name}:0=@{setup.dir / name}-result.npy" for name in fetches]
        setup.run(program, "run", "step", "--quiet", *feeds, *asked).expect(0)
        data = [(setup.dir / f"{name}-result.npy").read_bytes() for name in fetches]
        return [x for one in data for x in struct.unpack(f"<{(len(one) - 128) // 4}f", one[128:])]

    setup.compile(file, "-o", whole).expect(0)
    expected = fetched(whole)
    for slices in (2, 5):
        said = setup.compile(file, "-o", trainer, "--parallel", "--slices", slices, "--remarks").expect(0).err
        assert "all-reduces 3 values" in said and "all-gathers 0 values" in said, said
        for a, b in zip(fetched(trainer), expected, strict=True):
            assert abs(a - b) <= 2e-6 * max(map(abs, expected)), f"{slices} slices: {a}, not {b}"
    one = (setup.dir / "column.npy").read_bytes()[:132].replace(b"(12, 1)", b"(1, 1) ")
    (setup.dir / "column.npy").write_bytes(one)
    refused = setup.run(trainer, "run", "step", "--quiet", *feeds)
    refused.expect(1, "feeds of a batch that processes divide must have equally many rows, got 12 and 1")


CHECKED = """
ingot.entry @step role(step) feeds ["places:0"] fetches ["sum:0"] variables [] updates [] {
^bb0(%places: tensor<12x2xi32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %axes = ingot.constant dense<[0, 1, 2]> : tensor<3xi32>
  %limits = ingot.constant dense<[6, 5]> : tensor<2xi64>
  %w = ingot.constant dense<0.5> : tensor<6x5xf32>
  %computed = ingot.abs %places : (tensor<12x2xi32>) -> tensor<12x2xi32>
  ingot.require_indices %PLACES, %limits {kind = "gather"} : (tensor<12x2xi32>, tensor<2xi64>) -> () loc("lookup")
  %rows = ingot.gather %w, %PLACES, %zero : (tensor<6x5xf32>, tensor<12x2xi32>, tensor<i32>) -> tensor<12x2x5xf32>
  %sum = ingot.sum %rows, %axes : (tensor<12x2x5xf32>, tensor<3xi32>) -> tensor<f32>
  ingot.return %sum : tensor<f32>
}
"""


def checks_of_indices_name_places_in_the_whole_batch(setup):
    """Of indices that are fed, and of those that slices compute."""
    numbers = [0] * 24
    numbers[2 * 7 + 1] = 9
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (12, 2), }".ljust(117) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<24i", *numbers)
    (setup.dir / "places.npy").write_bytes(data)
    for places in ("places", "computed"):
        (setup.dir / "checked.mlir").write_text(CHECKED.replace("PLACES", places))
        for flags in ((), ("--parallel", "--slices", 4), ("--parallel", "--slices", 5)):
            setup.compile(setup.dir / "checked.mlir", "-o", setup.dir / "trainer", *flags).expect(0)
            done = setup.run(setup.dir / "trainer", "run", "step", "--feed", f"places:0=@{setup.dir / 'places.npy'}")
            done.expect(1, "lookup", "indices[7,1] = 9 is not in [0, 6)")


if __name__ == "__main__":
    harness.main({name: f for name, f in globals().items() if callable(f)})
