# SPDX-License-Identifier: Apache-2.0
"""Records graphs of models.py beside this file, and the losses that jax.jit has: record.py.

A test compiles and trains them where no JAX is. The figures are JAX's own, on a CPU.
"""
import gzip
import json
import pathlib
import sys
import tempfile
import types

import ingot.jax
import jax

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = ["perceptron", "convolutions", "transformer", "lstm", "autoencoder", "policy", "mixture", "adapters", "modules", "lamb"]
STEPS = 10


def main():
    # Under this name, so that no graph has the path of the machine that recorded it.
    models = types.ModuleType("models")
    exec(compile((HERE / "models.py").read_text(), "models.py", "exec"), models.__dict__)
    figures = {"jax": jax.__version__, "losses": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name in RECORDED:
            step, state, data, size = models.MODELS[name]()
            path = pathlib.Path(ingot.jax.export(step, state, data, f"{folder}/{name}.meta", batch_size=size, shuffle=False))
            assert not list(pathlib.Path(folder).glob(f"{name}-*")), f"{name} has files beside its graph"
            (HERE / f"{name}.meta.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            figures["losses"][name] = models.losses_of(step, state, data, size, STEPS)[0]
            print(name, (HERE / f"{name}.meta.gz").stat().st_size, file=sys.stderr)
    (HERE / "losses.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
