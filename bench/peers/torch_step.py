# SPDX-License-Identifier: Apache-2.0
"""torch's steps a second on a model of models.py, with its fused optimizers: eager, or by torch.compile (inductor).
Usage: torch_step.py MODEL WINDOW_SECONDS WINDOWS [--compile]
       torch_step.py MODEL --export GRAPH    the same model as a graph for ingotc"""
import pathlib
import sys

import torch
import torch.nn.functional as F
from torch import nn

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent)]
import models
from peers import timing


def mlp(widths):
    layers = []
    for a, b in zip(widths[:-1], widths[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Ensemble(nn.Module):
    def __init__(self, spec):
        super().__init__()
        self.depths = spec["depths"]
        widths = [[spec["features"], *[spec["width"]] * d, spec["classes"]] for d in self.depths]
        self.members = nn.ModuleList(map(mlp, widths))
        eye = torch.eye(spec["classes"]) / len(self.depths)
        self.mixtures = nn.ParameterList([eye.clone() for _ in self.depths])
        self.bias = nn.Parameter(torch.zeros(spec["classes"]))

    def loss(self, x, y):
        outputs = [member(x) for member in self.members]
        mixed = self.bias + sum(o.detach() @ m for o, m in zip(outputs, self.mixtures))
        penalty = sum(
            (1e-3 * d**0.5 + 1e-4) * m.abs().sum() for d, m in zip(self.depths, self.mixtures)
        )
        return sum(F.cross_entropy(o, y) for o in [*outputs, mixed]) + penalty


class Recurrent(nn.Module):
    def __init__(self, spec):
        super().__init__()
        self.cells = nn.LSTM(spec["features"], spec["units"], batch_first=True)
        self.logits = nn.Linear(spec["units"], spec["classes"])

    def forward(self, x):
        return self.logits(self.cells(x)[1][0][0])


class Transformer(nn.Module):
    def __init__(self, spec):
        super().__init__()
        self.heads, width = spec["heads"], spec["width"]
        self.norms = nn.ModuleList([nn.LayerNorm(width, eps=1e-6) for _ in range(2)])
        self.reads = nn.ModuleList([nn.Linear(width, width) for _ in range(4)])
        self.hidden = nn.Linear(width, spec["hidden"])
        self.feed_forward = nn.Linear(spec["hidden"], width)
        self.logits = nn.Linear(width, spec["classes"])

    def forward(self, x):
        h = self.norms[0](x)
        query, key, value = (
            read(h).unflatten(2, (self.heads, -1)).transpose(1, 2) for read in self.reads[:3]
        )
        read = F.scaled_dot_product_attention(query, key, value)
        x = x + self.reads[3](read.transpose(1, 2).flatten(2))
        x = x + self.feed_forward(F.gelu(self.hidden(self.norms[1](x))))
        return self.logits(x.mean(1))


def convolved(inputs, outputs, size, stride):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False),
        nn.BatchNorm2d(outputs, eps=1e-3),
    )


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = convolved(inputs, outputs, 3, stride)
        self.second = convolved(outputs, outputs, 3, 1)
        self.shortcut = convolved(inputs, outputs, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        return F.relu(self.second(F.relu(self.first(x))) + self.shortcut(x))


def resnet(spec):
    channels = spec["channels"][0]
    layers = [convolved(3, channels, 3, 1), nn.ReLU()]
    for stage, made in enumerate(spec["channels"]):
        for number in range(spec["blocks"]):
            layers.append(Block(channels, made, 2 if stage > 0 and number == 0 else 1))
            channels = made
    pooled = [nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, *pooled, nn.Linear(channels, spec["classes"]))


def conv(spec):
    channels, layers = [3, *spec["channels"]], []
    for a, b in zip(channels[:-1], channels[1:]):
        layers += [nn.Conv2d(a, b, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    side = spec["image"] // 2 ** len(spec["channels"])
    head = mlp([side * side * channels[-1], spec["dense"], spec["classes"]])
    return nn.Sequential(*layers, nn.Flatten(), head)


class Embedding(nn.Module):
    def __init__(self, spec):
        super().__init__()
        self.table = nn.Embedding(spec["words"], spec["width"])
        self.head = mlp([spec["width"], spec["hidden"], spec["classes"]])

    def forward(self, x):
        return self.head(self.table(x).mean(1))


NETWORKS = {
    "mlp": lambda spec: mlp([spec["features"], *spec["hidden"], spec["classes"]]),
    "conv": conv, "resnet": resnet, "ensemble": Ensemble, "lstm": Recurrent,
    "transformer": Transformer, "embedding": Embedding,
}  # fmt: skip
OPTIMIZERS = {
    "adam": lambda p, rate: torch.optim.Adam(p, lr=rate, fused=True),
    "momentum": lambda p, rate: torch.optim.SGD(p, lr=rate, momentum=0.9, fused=True),
    "sgd": lambda p, rate: torch.optim.SGD(p, lr=rate, fused=True),
}


def made(name):
    """A model, its loss and optimizer, and a batch."""
    spec = models.MODELS[name]
    torch.manual_seed(1)
    x, y = map(torch.from_numpy, models.batch_of(spec))
    network = NETWORKS[spec["kind"]](spec)
    x = x.permute(0, 3, 1, 2).contiguous() if x.dim() == 4 else x
    return network, OPTIMIZERS[spec["optimizer"]](list(network.parameters()), spec["rate"]), x, y.long()


def loss_of(network, x, y):
    return network.loss(x, y) if isinstance(network, Ensemble) else F.cross_entropy(network(x), y)


def export(name, path):
    import ingot.torch

    network, optimizer, x, y = made(name)
    ingot.torch.export(
        network, None, optimizer, (x, y), path, batch_size=len(x), shuffle=False, predict=False,
        training_step=lambda network, batch: loss_of(network, *batch),
    )  # fmt: skip


def main():
    if sys.argv[2] == "--export":
        return export(sys.argv[1], sys.argv[3])
    name, window_seconds, windows = timing.arguments()
    network, optimizer, x, y = made(name)
    if x.dim() == 4:
        x = x.contiguous(memory_format=torch.channels_last)
        network = network.to(memory_format=torch.channels_last)
    loss = torch.compile(loss_of) if "--compile" in sys.argv else loss_of

    def step():
        optimizer.zero_grad(set_to_none=True)
        value = loss(network, x, y)
        value.backward()
        optimizer.step()
        value.item()

    timing.report(step, window_seconds, windows)


if __name__ == "__main__":
    main()
