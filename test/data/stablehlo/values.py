# SPDX-License-Identifier: Apache-2.0
"""Primitives of JAX, lowered to StableHLO, with edge values, against JAX: values.py [FAMILY..].

The cases are those of ../jax/primitives.py. A family is one trainer, whose entry `all` computes them.
"""
import json
import pathlib
import subprocess
import sys

import steps

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "jax"))
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from primitives import CASES, TOLERANCES  # noqa: E402

# What JAX lowers to code outside of StableHLO.
REFUSED = {"sorting": {"top_approximate", "least"}}
RELATIVE = ("products", "convolutions", "linalg", "windows", "reductions")


def export(family, cases):
    """Writes a step that changes nothing, and the entry `all` of the cases, whose inputs are variables."""
    inputs = {f"{name}/{index}": np.asarray(one) for name, (_, *given) in cases.items() for index, one in enumerate(given)}
    names = list(inputs)

    def run(*arrays):
        found = dict(zip(names, arrays))
        results = {}
        for name, (function, *given) in cases.items():
            results[name] = jax.tree.leaves(function(*(found[f"{name}/{index}"] for index in range(len(given)))))
        return results

    outputs = [f"{name}.{index}" for name, made in jax.eval_shape(run, *inputs.values()).items() for index in range(len(made))]
    for file, function in ((f"{family}.mlir", lambda *arrays: (*arrays, jnp.float32(0))), (f"{family}-all.mlir", lambda *arrays: jax.tree.leaves(run(*arrays)))):
        with open(file, "w", encoding="utf-8") as out:
            out.write(steps.text_of(function, "pretty", *inputs.values()))
    np.savez(f"{family}.npz", **inputs)
    order = [key for key in sorted(cases)]
    ordered = [f"{name}.{index}" for name in order for index in range(sum(one.startswith(name + ".") for one in outputs))]
    roles = {"state": names, "initial": f"{family}.npz", "outputs": ["loss"], "entries": {"all": {"file": f"{family}-all.mlir", "outputs": ordered}}}
    with open(f"{family}.json", "w", encoding="utf-8") as out:
        json.dump(roles, out)


def compare(family, cases):
    export(family, cases)
    subprocess.run(["ingotc", f"{family}.mlir", "-o", family, "--cpu", "native"], check=True)
    subprocess.run([f"./{family}", "--model-dir", f"{family}-run", "--max-steps", "1", "--quiet"], check=True)
    outputs = json.loads(pathlib.Path(f"{family}.json").read_text())["entries"]["all"]["outputs"]
    files = {name: f"{family}-{name}.npy" for name in outputs}
    fetches = [part for name, file in files.items() for part in ("--fetch", f"{name}=@{file}")]
    subprocess.run([f"./{family}", "run", "all", "--quiet", "--model-dir", f"{family}-run", *fetches], check=True)
    found = {name: np.load(file) for name, file in files.items()}
    wrong = []
    for name, (function, *inputs) in cases.items():
        expected = [np.asarray(one) for one in jax.tree.leaves(jax.jit(function)(*(jnp.asarray(one) for one in inputs)))]
        for index, one in enumerate(expected):
            other = found[f"{name}.{index}"]
            tolerance = TOLERANCES.get(name, 2e-6 if one.dtype == np.float32 else 0)
            scale = np.max(np.abs(one[np.isfinite(one)]), initial=1e-30) if family in RELATIVE else 0
            same = one.shape == other.shape and np.allclose(other, one, rtol=2 * tolerance, atol=tolerance * max(scale, name in TOLERANCES) + 1e-37,
                                                            equal_nan=one.dtype.kind == "f")  # fmt: skip
            if not same:
                wrong.append(f"{family} {name}:\n  JAX   {one.dtype}{one.shape} {one.ravel()[:24]}\n  Ingot {other.dtype}{other.shape} {other.ravel()[:24]}")
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    failed = []
    for family in sys.argv[1:] or CASES:
        try:
            compare(family, {name: case for name, case in CASES[family].items() if name not in REFUSED.get(family, ())})
        except (AssertionError, subprocess.CalledProcessError) as error:
            failed.append(f"{family}: {error}")
    assert not failed, "\n".join(failed)
    print("passed")
