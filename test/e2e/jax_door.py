# SPDX-License-Identifier: Apache-2.0
"""Training steps of JAX: exported, trained, killed, evaluated, and back in JAX.

INGOT_JAX_PYTHON names a Python with jax, optax and flax, and perhaps dm-haiku and equinox, INGOT_JAX_OLD_PYTHON one with the
oldest JAX that is supported. Without them, graphs that
test/data/jax/record.py has recorded show the same, against the losses that it recorded of jax.jit.
"""
import gzip
import json
import os
import re
import subprocess

import harness
from python_door import PACKAGE, environment, pythons, readme_runs, sections

SCRIPTS = harness.SOURCE / "test" / "data" / "jax"


def jax_python():
    """The Python that has JAX."""
    python = os.environ.get("INGOT_JAX_PYTHON")
    if not python or subprocess.run([python, "-c", "import jax, optax, flax"], capture_output=True, check=False).returncode:
        raise harness.Skip("INGOT_JAX_PYTHON names no Python with jax, optax and flax")
    return python


def the_oldest():
    """The Python that has the oldest JAX that the package takes."""
    python = os.environ.get("INGOT_JAX_OLD_PYTHON")
    if not python or subprocess.run([python, "-c", "import jax, optax, flax"], capture_output=True, check=False).returncode:
        raise harness.Skip("INGOT_JAX_OLD_PYTHON names no Python with jax, optax and flax")
    return python


def run(setup, script, *arguments, python=None):
    done = setup.run(python or jax_python(), SCRIPTS / script, *arguments, cwd=setup.dir, env=dict(environment(setup), JAX_PLATFORMS="cpu"), timeout=580)
    assert done.code == 0 and "passed\n" in done.out, f"{script}\n{done.out}{done.err}"


def recorded(setup, name):
    """The trainer of a recorded graph."""
    graph = setup.dir / f"{name}.meta"
    graph.write_bytes(gzip.decompress((SCRIPTS / f"{name}.meta.gz").read_bytes()))
    setup.compile(graph, "-o", setup.dir / name).expect(0)
    return setup.dir / name


def recorded_steps_train_as_in_jax(setup):
    """Ten losses of each, within 1e-5 of those of jax.jit; above 1, relative to them."""
    figures = json.loads((SCRIPTS / "losses.json").read_text())["losses"]
    assert sorted(figures) == sorted(path.name.split(".")[0] for path in SCRIPTS.glob("*.meta.gz"))
    for name, expected in figures.items():
        losses = setup.dir / f"{name}.jsonl"
        setup.run(recorded(setup, name), "--model-dir", setup.dir / f"{name}-run", "--max-steps", len(expected), "--losses", losses, "--quiet").expect(0)
        found = [line["loss"] for line in harness.read_losses(losses)]
        assert len(found) == len(expected)
        worst = max(abs(one - other) / max(1, abs(other)) for one, other in zip(found, expected))
        assert worst <= 1e-5, f"{name}: {worst}\n{found}\n{expected}"


# Words of a key, a counter and a number: threefry2x32 with 20 rounds in the file kat_vectors of Random123 1.14.0, by
# Salmon et al.
KNOWN = (
    (0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x6B200159, 0x99BA4EFE),
    (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x1CB996FC, 0xBB002BE7),
    (0x13198A2E, 0x03707344, 0x243F6A88, 0x85A308D3, 0xC4923A9C, 0x483DF7A0),
)


def constant(name, dtype, field, values, *sizes):
    shape = " ".join(f"dim {{ size: {size} }}" for size in sizes)
    return (f'node {{ name: "{name}" op: "Const" attr {{ key: "value" value {{ tensor {{ dtype: {dtype} tensor_shape {{ {shape} }} '
            + " ".join(f"{field}: {value}" for value in values) + " } } } }")  # fmt: skip


def draw(name, key, first, shape, dtype):
    return (f'node {{ name: "{name}" op: "Ingot>ThreefryBits" input: "{key}" input: "{first}" input: "{shape}" '
            f'attr {{ key: "dtype" value {{ type: {dtype} }} }} }}')  # fmt: skip


def threefry(k0, k1, x0, x1):
    """Threefry-2x32 with 20 rounds, as the paper by Salmon et al. has it."""
    keys, mask = (k0, k1, k0 ^ k1 ^ 0x1BD11BDA), 0xFFFFFFFF
    x0, x1 = (x0 + k0) & mask, (x1 + k1) & mask
    for number in range(20):
        rotation = (13, 15, 26, 6, 17, 29, 16, 24)[number % 8]
        x0 = (x0 + x1) & mask
        x1 = ((x1 << rotation | x1 >> (32 - rotation)) & mask) ^ x0
        if number % 4 == 3:
            injected = number // 4 + 1
            x0, x1 = (x0 + keys[injected % 3]) & mask, (x1 + keys[(injected + 1) % 3] + injected) & mask
    return x0, x1


def random_bits_are_those_of_random123(setup):
    """Of the op Ingot>ThreefryBits: one number of each of several keys, and numbers in a row of one key, whose counters'
    upper word changes on the way."""
    assert all(threefry(*row[:4]) == row[4:] for row in KNOWN)
    keys = [word for row in KNOWN for word in row[:2]]
    counters = [row[2] << 32 | row[3] for row in KNOWN]
    key, begin, count = KNOWN[-1][:2], (5 << 32) - 20, 37
    nodes = [constant("keys", "DT_UINT32", "uint32_val", keys, len(KNOWN), 2), constant("counters", "DT_UINT64", "uint64_val", counters, len(KNOWN)),
             constant("no_sizes", "DT_INT32", "int_val", [], 0), constant("key", "DT_UINT32", "uint32_val", key, 2),
             constant("first", "DT_UINT64", "uint64_val", [begin]), constant("sizes", "DT_INT32", "int_val", [count], 1),
             draw("wide", "keys", "counters", "no_sizes", "DT_UINT64"), draw("narrow", "keys", "counters", "no_sizes", "DT_UINT32"),
             draw("row", "key", "first", "sizes", "DT_UINT32"), draw("rows", "keys", "counters", "sizes", "DT_UINT32")]  # fmt: skip
    graph = setup.dir / "bits.pbtxt"
    graph.write_text("graph_def { " + "\n".join(nodes) + " }")
    setup.compile(graph, "--entry=bits=->wide,narrow,row,rows", "-o", setup.dir / "bits").expect(0)
    found = json.loads(setup.run(setup.dir / "bits", "run", "bits", "--json").expect(0).out)

    def narrow(key, counter):
        first, second = threefry(*key, counter >> 32 & 0xFFFFFFFF, counter & 0xFFFFFFFF)
        return first ^ second

    assert found["wide:0"] == [row[4] << 32 | row[5] for row in KNOWN], found
    assert found["narrow:0"] == [row[4] ^ row[5] for row in KNOWN], found
    assert found["row:0"] == [narrow(key, begin + place) for place in range(count)], found
    rows = [[narrow(row[:2], counter + place) for place in range(count)] for row, counter in zip(KNOWN, counters)]
    assert found["rows:0"] == rows, found


def a_step_of_jax_that_is_killed_goes_on_bit_for_bit(setup):
    """With dropout, whose numbers depend on the step."""
    trainer = recorded(setup, "transformer")
    harness.killed_run_goes_on(setup, trainer)


def models_of_jax_train_as_under_jit(setup):
    run(setup, "train.py", "perceptron", "convolutions", "lstm", "autoencoder", "policy", "mixture", "adapters")


def models_of_flax_haiku_and_equinox_train_as_under_jit(setup):
    have = [name for package, names in (("flax", ["transformer", "modules"]), ("haiku", ["haiku"]), ("equinox", ["equinox"]))
            if subprocess.run([jax_python(), "-c", f"import {package}"], capture_output=True, check=False).returncode == 0 for name in names]
    run(setup, "train.py", *have)


def a_source_of_examples_becomes_files_that_train_alike(setup):
    run(setup, "materialize.py")


def needs(package):
    if subprocess.run([jax_python(), "-c", f"import {package}"], capture_output=True, check=False).returncode:
        raise harness.Skip(f"INGOT_JAX_PYTHON has no {package}")


def sources_of_grain_become_files_that_train_alike(setup):
    needs("grain")
    run(setup, "sources.py", "grain")


def sources_of_webdataset_become_files_that_train_alike(setup):
    needs("webdataset")
    run(setup, "sources.py", "webdataset")


def optimizers_of_optax_train_as_under_jit(setup):
    run(setup, "train.py", "sgd", "momentum", "adam", "adamw", "rmsprop", "adagrad", "adafactor", "lamb", "lion", "multi_steps")


def the_oldest_jax_is_taken(setup):
    """Models and primitives, also random numbers in JAX's former order."""
    python = the_oldest()
    run(setup, "train.py", "perceptron", "convolutions", "transformer", "lstm", "autoencoder", "policy", "mixture", "adapters", "modules", python=python)
    run(setup, "primitives.py", "shapes", "indexing", "control", "random", python=python)
    named(setup, python)


def named(setup, python):
    """The page names the version that is tested."""
    text = (harness.SOURCE / "docs" / "guide" / "from-jax.md").read_text(encoding="utf-8")
    version = setup.run(python, "-c", "import jax; print(jax.__version__)").expect(0).out.strip()
    assert re.search(rf"Tested with JAX [^:]*\b{re.escape(version)}\b", text), f"docs/guide/from-jax.md does not name JAX {version}, under which it is tested"


def arithmetic_primitives_compute_what_jax_does(setup):
    run(setup, "primitives.py", "elementwise", "integers", "types", "special")


def primitives_of_arrays_compute_what_jax_does(setup):
    run(setup, "primitives.py", "shapes", "reductions", "products", "convolutions", "windows")


def primitives_of_indices_loops_and_numbers_compute_what_jax_does(setup):
    run(setup, "primitives.py", "indexing", "sorting", "control", "random", "linalg")


def what_jax_has_and_a_trainer_has_not_is_refused_at_its_line(setup):
    run(setup, "refusals.py")


def the_trainer_of_a_jax_step_evaluates_predicts_and_comes_back(setup):
    run(setup, "returns.py")


def what_readme_shows_of_jax_runs(setup):
    readme_runs(setup, "jax", jax_python())


def what_the_page_on_jax_shows_runs(setup):
    """Every block of docs/guide/from-jax.md: a section's lines of Python are one script."""
    for number, (title, blocks) in enumerate(sections("from-jax.md")):
        folder = setup.dir / str(number)
        folder.mkdir()
        (folder / "script.py").write_text("".join(text for language, text in blocks if language == "python"), encoding="utf-8")
        shell = "set -e\n" + "".join(text for language, text in blocks if language == "sh")
        for command in ([jax_python(), "script.py"], ["bash", "-c", shell]):
            done = setup.run(*command, cwd=folder, env=dict(environment(setup), JAX_PLATFORMS="cpu"), timeout=280)
            assert done.code == 0, f"{title}: {command[0]}\n{done.out}{done.err}"
    named(setup, jax_python())


SIGNATURES = """
import sys
sys.path.insert(0, sys.argv[1])
from ingot._ops import SIGNATURES
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

def arguments(found):
    for one in found:
        kind = one.type_list_attr or one.type_attr or tf.as_dtype(one.type).name
        yield one.name, kind, "list" if one.type_list_attr else one.number_attr

for op, signature in SIGNATURES.items():
    if op.startswith("Ingot>"):
        continue
    definition = op_def_registry.get(op)
    assert definition is not None, op
    for ours, theirs in ((signature.inputs, definition.input_arg), (signature.outputs, definition.output_arg)):
        pairs = list(zip(ours, arguments(theirs)))
        assert len(ours) == len(theirs), op
        # TensorFlow 2.20 made this type an attribute, whose default is the type before.
        assert all(tuple(one) == other or (op, one.name) == ("TensorListGetItem", "element_shape") for one, other in pairs), (op, pairs)
print("passed")
"""


def graphs_without_tensorflow_have_its_ops(setup):
    """The table of ops that the package writes graphs with is TensorFlow's, but for Ingot's own."""
    for python in pythons():
        done = setup.run(python, "-c", SIGNATURES, PACKAGE, env=environment(setup))
        assert done.code == 0 and "passed\n" in done.out, f"{done.out}{done.err}"


TENSORFLOW = """
import json, sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
meta = tf.MetaGraphDef.FromString(open(sys.argv[1], "rb").read())
saver = tf.train.import_meta_graph(meta)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(tf.get_collection("table_initializer"))
    losses = [float(session.run(["loss:0", tf.get_collection("train_op")[0]])[0]) for _ in range(10)]
    saver.save(session, "./saved")
print(json.dumps(losses))
"""


def graphs_without_tensorflow_run_in_it(setup):
    """A wrong mapping is told from a wrong compiler: TensorFlow itself trains recorded graphs without random numbers, which an
    op of Ingot's own draws."""
    figures = json.loads((SCRIPTS / "losses.json").read_text())["losses"]
    for name in ("perceptron", "mixture", "lstm"):
        graph = setup.dir / f"{name}.meta"
        graph.write_bytes(gzip.decompress((SCRIPTS / f"{name}.meta.gz").read_bytes()))
        done = setup.run(pythons()[0], "-c", TENSORFLOW, graph, cwd=setup.dir, env=environment(setup))
        assert done.code == 0, done.out + done.err
        found = json.loads(done.out.splitlines()[-1])
        assert max(abs(one - other) for one, other in zip(found, figures[name])) <= 1e-5, (name, found)


if __name__ == "__main__":
    harness.main(globals())
