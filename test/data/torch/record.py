# SPDX-License-Identifier: Apache-2.0
"""Records graphs of models.py beside this file, and the losses that eager PyTorch has: record.py.

A test compiles and trains them where no PyTorch is. The figures are PyTorch's own, on a CPU. `dropping` has none: its
random numbers are the trainer's.
"""
import gzip
import json
import pathlib
import sys
import tempfile
import types

import ingot.torch
import torch

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = ["residual", "encoder", "lstm", "adapters", "quantized", "dropping"]
STEPS = 10


def main():
    # Under this name, so that no graph has the path of the machine that recorded it.
    models = types.ModuleType("models")
    sys.modules["models"] = models
    exec(compile((HERE / "models.py").read_text(), "models.py", "exec"), models.__dict__)
    figures = {"torch": torch.__version__.split("+")[0], "losses": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or RECORDED:
            case = models.made(name)
            path = pathlib.Path(ingot.torch.export(case.model, case.loss_fn, case.optimizer, case.data, f"{folder}/{name}.meta", seed=1, predict=False,
                                                   **case.export_options()))  # fmt: skip
            assert not list(pathlib.Path(folder).glob(f"{name}-*")), f"{name} has files beside its graph"
            (HERE / f"{name}.meta.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            if name != "dropping":
                figures["losses"][name] = models.losses_of(case, STEPS)
            print(name, (HERE / f"{name}.meta.gz").stat().st_size, file=sys.stderr)
    (HERE / "losses.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
