# SPDX-License-Identifier: Apache-2.0
"""Records steps of ../jax/models.py as StableHLO beside this file, and the losses that jax.jit has: record.py.

A test compiles and trains them where no JAX is. The figures are JAX's own, on a CPU.
"""
import gzip
import json
import pathlib
import re
import sys
import tempfile
import types

import jax
import steps

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = {"adam": "located", "convolutions": "generic", "transformer": "pretty", "lstm": "exported"}
STEPS = 10


def main():
    # Under this name, so that no text has the path of the machine that recorded it.
    models = types.ModuleType("models")
    exec(compile((HERE.parent / "jax" / "models.py").read_text(), "models.py", "exec"), models.__dict__)
    figures = {"jax": jax.__version__, "losses": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name, form in RECORDED.items():
            step, state, data, size = models.MODELS[name]()
            steps.write_step(name, step, state, data, size, form, folder)
            path = pathlib.Path(folder, name)
            # No paths of this machine.
            text = re.sub(r'"/[^"]*/(site-packages/[^"]*|[^"/]*)"', r'"\1"', path.with_suffix(".mlir").read_text())
            (HERE / f"{name}.mlir.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
            for suffix in (".json", ".npz"):
                (HERE / (name + suffix)).write_bytes(path.with_suffix(suffix).read_bytes())
            figures["losses"][name] = models.losses_of(step, state, data, size, STEPS)[0]
            print(name, [(HERE / (name + suffix)).stat().st_size for suffix in (".mlir.gz", ".json", ".npz")], file=sys.stderr)
    (HERE / "losses.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
