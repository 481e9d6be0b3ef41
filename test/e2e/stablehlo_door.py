# SPDX-License-Identifier: Apache-2.0
"""Training steps in StableHLO's text: compiled, trained, killed, refused.

INGOT_JAX_PYTHON names a Python with jax, optax and flax. Without it, steps that test/data/stablehlo/record.py has recorded
show the same, against the losses that it recorded of jax.jit.
"""
import gzip
import json
import shutil
import subprocess

import harness
from jax_door import jax_python
from python_door import environment

SCRIPTS = harness.SOURCE / "test" / "data" / "stablehlo"


def recorded(setup, name):
    """The trainer of a recorded step."""
    step = setup.dir / f"{name}.mlir"
    step.write_bytes(gzip.decompress((SCRIPTS / f"{name}.mlir.gz").read_bytes()))
    for suffix in (".json", ".npz"):
        shutil.copy(SCRIPTS / (name + suffix), setup.dir)
    setup.compile(step, "-o", setup.dir / name).expect(0)
    return setup.dir / name


def recorded_steps_in_stablehlo_train_as_in_jax(setup):
    """Ten losses of each, within 1e-5 of those of jax.jit, or of eager torch for torch_xla's step; above 1, relative to them."""
    figures = {}
    for name in ("losses.json", "torch_losses.json"):
        figures |= json.loads((SCRIPTS / name).read_text())["losses"]
    assert sorted(figures) == sorted(path.name.split(".")[0] for path in SCRIPTS.glob("*.mlir.gz"))
    for name, expected in figures.items():
        losses = setup.dir / f"{name}.jsonl"
        setup.run(recorded(setup, name), "--model-dir", setup.dir / f"{name}-run", "--max-steps", len(expected), "--losses", losses, "--quiet").expect(0)
        found = [line["loss"] for line in harness.read_losses(losses)]
        assert len(found) == len(expected)
        worst = max(abs(one - other) / max(1, abs(other)) for one, other in zip(found, expected))
        assert worst <= 1e-5, f"{name}: {worst}\n{found}\n{expected}"


def a_step_in_stablehlo_that_is_killed_goes_on_bit_for_bit(setup):
    """With dropout, whose numbers depend on the step."""
    trainer = recorded(setup, "transformer")
    harness.killed_run_goes_on(setup, trainer)


def damaged_steps_in_stablehlo_are_refused(setup):
    """Text that is cut off has exit code 3, a damaged file of roles 2; --check lists the same."""
    recorded(setup, "adam")
    text, roles = (setup.dir / "adam.mlir").read_text(), (setup.dir / "adam.json").read_text()
    cut = setup.dir / "cut.mlir"
    for part in range(4, 20):
        cut.write_text(text[: text.index("return %") * part // 20])
        setup.compile(cut, "--roles", setup.dir / "adam.json", "-o", setup.dir / "cut").expect(3, "line ")
    shutil.copy(setup.dir / "adam.json", setup.dir / "adam.json.whole")
    for part in range(1, 20):
        (setup.dir / "adam.json").write_text(roles[: (len(roles) - 1) * part // 20])
        setup.compile(setup.dir / "adam.mlir", "-o", setup.dir / "cut").expect(2, "adam.json")
    cut.write_text(text.replace("stablehlo.rsqrt", "stablehlo.erfinv").replace("stablehlo.sqrt", "stablehlo.erfinv"))
    done = setup.compile("--check", cut, "--roles", setup.dir / "adam.json.whole")
    assert done.code == 3 and "stablehlo.erfinv: this op is not supported" in done.out, done.out + done.err


def run(setup, script, *arguments):
    python = jax_python()
    done = setup.run(python, SCRIPTS / script, *arguments, cwd=setup.dir, env=dict(environment(setup), JAX_PLATFORMS="cpu"), timeout=580)
    assert done.code == 0 and "passed\n" in done.out, f"{script}\n{done.out}{done.err}"


def steps_in_stablehlo_take_state_and_data_of_all_kinds(setup):
    run(setup, "roles.py")


def models_in_stablehlo_train_as_under_jit(setup):
    run(setup, "train.py", "perceptron:pretty", "perceptron:generic", "convolutions:exported", "lstm:generic", "autoencoder:pretty", "policy:exported",
        "mixture:pretty", "adapters:located")


def steps_of_keras_on_jax_train_as_in_keras(setup):
    """Of Keras 3, from their StableHLO and as `ingot.jax` traces them."""
    if subprocess.run([jax_python(), "-c", "import importlib.metadata as found; assert found.version('keras') >= '3'"], capture_output=True, check=False).returncode:
        raise harness.Skip("INGOT_JAX_PYTHON has no Keras 3")
    run(setup, "keras_steps.py")


def models_of_flax_in_stablehlo_train_as_under_jit(setup):
    run(setup, "train.py", "transformer:located", "modules:pretty")


def optimizers_in_stablehlo_train_as_under_jit(setup):
    run(setup, "train.py", "sgd", "momentum", "adam", "adamw", "rmsprop", "adagrad", "adafactor", "lamb", "lion")


def arithmetic_in_stablehlo_computes_what_jax_does(setup):
    run(setup, "values.py", "elementwise", "integers", "types", "special")


def arrays_in_stablehlo_compute_what_jax_does(setup):
    run(setup, "values.py", "shapes", "reductions", "products", "convolutions", "windows")


def indices_loops_and_numbers_in_stablehlo_compute_what_jax_does(setup):
    run(setup, "values.py", "indexing", "sorting", "control", "random", "linalg")


if __name__ == "__main__":
    harness.main(globals())
