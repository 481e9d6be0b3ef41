# SPDX-License-Identifier: Apache-2.0
"""Records a step of PyTorch as torch_xla writes it, beside this file, and the losses that eager torch has: record_torch_xla.py.

torch_xla orders a function's arguments by their first use, so the file of roles has their order.
"""
import gzip
import json
import os
import pathlib
import re

os.environ["PJRT_DEVICE"] = "CPU"
import numpy
import torch
import torch_xla
from torch_xla.stablehlo import exported_program_to_stablehlo

HERE = pathlib.Path(__file__).resolve().parent
STATE, ROWS, STEPS = ("w1", "b1", "w2", "b2", "m"), 32, 10


class Step(torch.nn.Module):
    """A perceptron, its gradients by formula, and SGD with momentum for the first kernel."""

    def forward(self, w1, b1, w2, b2, m, x, y):
        hidden = torch.relu(x @ w1 + b1)
        logits = hidden @ w2 + b2
        wanted = torch.nn.functional.one_hot(y, 4).float()
        loss = -(torch.log_softmax(logits, 1) * wanted).sum((0, 1)) / ROWS  # .sum() is lost in torch_xla 2.8
        delta = (torch.softmax(logits, 1) - wanted) / ROWS
        back = (delta @ w2.t()) * (hidden > 0)
        m = 0.9 * m + x.t() @ back
        return w1 - 0.1 * m, b1 - 0.1 * back.sum(0), w2 - 0.1 * hidden.t() @ delta, b2 - 0.1 * delta.sum(0), m, loss


def main():
    torch.manual_seed(0)
    state = [torch.randn(8, 16) * 0.3, torch.zeros(16), torch.randn(16, 4) * 0.3, torch.zeros(4), torch.zeros(8, 16)]
    x, y = torch.randn(2 * ROWS, 8), torch.randint(0, 4, (2 * ROWS,))
    stablehlo = exported_program_to_stablehlo(torch.export.export(Step(), (*state, x[:ROWS], y[:ROWS])))
    text = stablehlo.get_stablehlo_text("forward")
    (HERE / "torch_xla.mlir.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    places = [location.position for location in stablehlo._bundle.stablehlo_funcs[0].meta.input_locations]
    names = [*STATE, "x", "y"]
    roles = {"state": list(STATE), "initial": "torch_xla.npz", "batch": ["x", "y"], "arguments": [names[place] for place in places], "outputs": ["loss"],
             "data": {"arrays": ["torch_xla.npz:x", "torch_xla.npz:y"], "shuffle": False}}  # fmt: skip
    (HERE / "torch_xla.json").write_text(json.dumps(roles) + "\n")
    numpy.savez_compressed(HERE / "torch_xla.npz", x=x.numpy(), y=y.numpy(), **{name: value.numpy() for name, value in zip(STATE, state)})
    losses, step = [], Step()
    for number in range(STEPS):
        rows = slice(number % 2 * ROWS, (number % 2 + 1) * ROWS)
        *state, loss = step(*state, x[rows], y[rows])
        losses.append(float(loss))
    figures = {"torch": torch.__version__, "torch_xla": torch_xla.__version__, "losses": {"torch_xla": losses}}
    (HERE / "torch_losses.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(re.search(r"func.func @main.*", text)[0], roles["arguments"])


if __name__ == "__main__":
    main()
