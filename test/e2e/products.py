# SPDX-License-Identifier: Apache-2.0
"""Products of extreme shapes: every plan that sizes lead to computes each sum once, and all of it."""
import array
import random
import struct

import harness
from threads import placeholder, write_npy

# Parameters that decide on code: rows, length of the sum, columns.
SHAPES = {
    "many_rows": (1201, 37, 53),
    "few_rows_of_much": (5, 1031, 1100),
    "one_row_of_much": (1, 1100, 1031),
    "some_rows_of_much": (41, 1039, 1215),
    "rows_that_evict_each_other": (13, 1090, 2048),
    # With the first one transposed, operands are swapped.
    "one_column": (123, 512, 1),
    "few_columns": (150, 170, 7),
    "long_sum": (24, 9001, 65),
    "longer_sum": (64, 9001, 65),
    "long_sum_of_many_rows": (331, 8300, 7),
    "wide_long_sum": (3, 8222, 290),
    # Columns whose divisors are poor widths of register tiles, so that narrower tiles compute the last ones.
    "poor_divisors": (150, 300, 1000),
    "poor_divisors_of_few_columns": (67, 40, 20),
}
FORMS = {"nn": (False, False), "nt": (False, True), "tn": (True, False)}
# Of small whole numbers every sum is exact, in whatever order it is taken. Rows repeat after 11, columns after 9.


def left(row, k):
    return (3 * row + 7 * k) % 11 - 5


def right(k, column):
    return (5 * k + 2 * column + k // 13) % 9 - 4


def operand(function, first, second, is_transposed):
    """The numbers function(i, j), row by row."""
    if is_transposed:
        return [function(i, j) for j in range(second) for i in range(first)]
    return [function(i, j) for i in range(first) for j in range(second)]


def products_of_extreme_shapes_are_exact(setup):
    text, entries = "", []
    for shape, (rows, length, columns) in SHAPES.items():
        for form, (turns_left, turns_right) in FORMS.items():
            name = f"{shape}_{form}"
            text += placeholder(f"{name}_a", "DT_FLOAT", (length, rows) if turns_left else (rows, length))
            text += placeholder(f"{name}_b", "DT_FLOAT", (columns, length) if turns_right else (length, columns))
            text += (
                f'node {{ name: "{name}_product" op: "MatMul" input: "{name}_a" input: "{name}_b" '
                f'attr {{ key: "transpose_a" value {{ b: {str(turns_left).lower()} }} }} '
                f'attr {{ key: "transpose_b" value {{ b: {str(turns_right).lower()} }} }} }}\n'
                f'node {{ name: "{name}" op: "Relu" input: "{name}_product" }}\n'
            )
            entries.append(f"--entry={name}={name}_a:0,{name}_b:0->{name}:0")
    file = setup.dir / "products.pbtxt"
    file.write_text(f"graph_def {{\n{text}}}\n")
    for level in ("native", "x86-64-v3"):
        setup.compile(file, *entries, f"--cpu={level}", "-o", setup.dir / level).expect(0)
    for shape, (rows, length, columns) in SHAPES.items():
        a = [[left(row, k) for k in range(length)] for row in range(min(rows, 11))]
        b = [[right(k, column) for k in range(length)] for column in range(min(columns, 9))]
        sums = [[max(0, sum(x * y for x, y in zip(one, other))) for other in b] for one in a]
        expected = array.array("f", (sums[row % 11][column % 9] for row in range(rows) for column in range(columns)))
        for form, (turns_left, turns_right) in FORMS.items():
            name, result = f"{shape}_{form}", setup.dir / "result.npy"
            dims = {
                "a": (length, rows) if turns_left else (rows, length),
                "b": (columns, length) if turns_right else (length, columns),
            }
            write_npy(setup.dir / "a.npy", dims["a"], "f", operand(left, rows, length, turns_left))
            write_npy(setup.dir / "b.npy", dims["b"], "f", operand(right, length, columns, turns_right))
            feeds = [("--feed", f"{name}_{side}:0=@{setup.dir / side}.npy") for side in "ab"]
            for level, threads in (("native", 1), ("native", 3), ("x86-64-v3", 1)):
                done = setup.run(
                    setup.dir / level, "run", name, "--quiet", *sum(feeds, ()), "--fetch", f"{name}:0=@{result}",
                    "--threads", threads,
                )  # fmt: skip
                if done.code and level != "native":
                    assert level in done.err, done.err  # The machine lacks it.
                    continue
                done.expect(0)
                data = result.read_bytes()
                (head,) = struct.unpack_from("<H", data, 8)
                assert data[10 + head :] == expected.tobytes(), f"{name}, {level}, {threads} threads"


def any_number_of_rows_has_the_same_bits_on_every_vector_width(setup):
    """Tiles end elsewhere, but every element is one chain of multiply-adds: so it is the same alone and among others."""
    for columns in (50, 100):
        check_any_number_of_rows(setup, columns)


def check_any_number_of_rows(setup, columns):
    length, counts = 37, (1, 3, 13, 29)
    text = placeholder("a", "DT_FLOAT", (-1, length)) + placeholder("b", "DT_FLOAT", (length, columns))
    text += 'node { name: "product" op: "MatMul" input: "a" input: "b" }\nnode { name: "all" op: "Relu" input: "product" }\n'
    file = setup.dir / "rows.pbtxt"
    file.write_text(f"graph_def {{\n{text}}}\n")
    random_numbers = random.Random(7)
    rows = [random_numbers.uniform(-1, 1) for _ in range(max(counts) * length)]
    write_npy(setup.dir / "b.npy", (length, columns), "f", [random_numbers.uniform(-1, 1) for _ in range(length * columns)])
    found = {}
    for level in ("x86-64-v3", "x86-64-v4"):
        trainer = setup.dir / level
        setup.compile(file, "--entry=all=a:0,b:0->all:0", f"--cpu={level}", "-o", trainer).expect(0)
        for count in counts:
            write_npy(setup.dir / "a.npy", (count, length), "f", rows[: count * length])
            result = setup.dir / "result.npy"
            done = setup.run(
                trainer, "run", "all", "--quiet", "--feed", f"a:0=@{setup.dir / 'a.npy'}",
                "--feed", f"b:0=@{setup.dir / 'b.npy'}", "--fetch", f"all:0=@{result}",
            )  # fmt: skip
            if done.code:
                assert level in done.err, done.err  # The machine lacks it.
                break
            found[level, count] = result.read_bytes()[-4 * count * columns :]
    longest = max(found.values(), key=len, default=b"")  # A machine may lack both.
    for key, data in found.items():
        assert longest.startswith(data), key


def typed(key, kind):
    return f'attr {{ key: "{key}" value {{ type: {kind} }} }} '


def truth(key, value):
    return f'attr {{ key: "{key}" value {{ b: {str(value).lower()} }} }} '


def bfloat16_graph(shapes):
    """Products of bfloat16 in each form, and a convolution: their feeds are floats that are bfloat16, and so are their fetches."""

    def factor(name, dims):
        cast = f'node {{ name: "{name}_small" op: "Cast" input: "{name}" ' + typed("SrcT", "DT_FLOAT")
        return placeholder(name, "DT_FLOAT", dims) + cast + typed("DstT", "DT_BFLOAT16") + "}\n"

    def result(name):
        cast = f'node {{ name: "{name}" op: "Cast" input: "{name}_product" '
        return cast + typed("SrcT", "DT_BFLOAT16") + typed("DstT", "DT_FLOAT") + "}\n"

    text, feeds = "", {}
    for shape, (rows, length, columns) in shapes.items():
        for form, (turns_left, turns_right) in FORMS.items():
            name = f"{shape}_{form}"
            a = (length, rows) if turns_left else (rows, length)
            b = (columns, length) if turns_right else (length, columns)
            text += factor(f"{name}_a", a) + factor(f"{name}_b", b) + result(name)
            text += f'node {{ name: "{name}_product" op: "MatMul" input: "{name}_a_small" input: "{name}_b_small" '
            text += typed("T", "DT_BFLOAT16") + truth("transpose_a", turns_left) + truth("transpose_b", turns_right) + "}\n"
            feeds[name] = {"a": a, "b": b}
    feeds["images"] = {"a": (2, 9, 20, 32), "b": (3, 3, 32, 48)}
    text += factor("images_a", feeds["images"]["a"]) + factor("images_b", feeds["images"]["b"]) + result("images")
    text += 'node { name: "images_product" op: "Conv2D" input: "images_a_small" input: "images_b_small" '
    text += typed("T", "DT_BFLOAT16") + 'attr { key: "strides" value { list { i: [1, 1, 1, 1] } } } '
    return text + 'attr { key: "padding" value { s: "SAME" } } }\n', feeds


def products_of_bfloat16_have_the_same_bits_with_their_instruction(setup):
    """It flushes denormals, as our threads do: so there are denormals, products that are, and infinities."""
    text, forms = bfloat16_graph({"tiles": (96, 64, 128), "ends": (67, 98, 52), "deep": (50, 1200, 80), "odd": (64, 65, 64)})
    file = setup.dir / "bfloat16.pbtxt"
    file.write_text(f"graph_def {{\n{text}}}\n")
    random_numbers = random.Random(5)

    def bfloat16():
        power = random_numbers.choice([0, 0, 0, -3, 2, -63, -64, -66, -126, -130])
        bits = struct.unpack("<I", struct.pack("<f", random_numbers.uniform(-1, 1) * 2.0**power))[0]
        return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]

    numbers = {}
    for name, sides in forms.items():
        for side, dims in sides.items():
            count = 1
            for dim in dims:
                count *= dim
            numbers[name, side] = [bfloat16() for _ in range(count)]
        numbers[name, "a"][7] = float("inf")
    entries = [f"--entry={name}={name}_a:0,{name}_b:0->{name}:0" for name in forms]
    found = {}
    for level in ("x86-64-v3", "x86-64-v4", "x86-64-v4-bf16", "x86-64-v4-fp256"):
        trainer = setup.dir / level
        setup.compile(file, *entries, f"--cpu={level}", "-o", trainer).expect(0)
        for name, sides in forms.items():
            feeds = []
            for side, dims in sides.items():
                write_npy(setup.dir / f"{side}.npy", dims, "f", numbers[name, side])
                feeds += ["--feed", f"{name}_{side}:0=@{setup.dir / side}.npy"]
            for threads in (1, 3):
                result = setup.dir / "result.npy"
                done = setup.run(
                    trainer, "run", name, "--quiet", *feeds, "--fetch", f"{name}:0=@{result}", "--threads", threads
                )
                if done.code:
                    assert level in done.err, done.err  # The machine lacks it.
                    break
                assert found.setdefault(name, result.read_bytes()) == result.read_bytes(), f"{name}, {level}, {threads}"


if __name__ == "__main__":
    harness.main(globals())
