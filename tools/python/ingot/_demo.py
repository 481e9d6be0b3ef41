# SPDX-License-Identifier: Apache-2.0
"""`python -m ingot demo`: a small classifier that needs nothing but this package: compiled, trained, killed, resumed, drawn."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from typing import Any, List, Tuple

import numpy as np

from . import _tools
from ._arrays import add_batches
from ._errors import CompileError, Error
from ._metagraph import MetaGraph, Tensor
from ._step import StepGraphBase
from ._walking import Walking
from ._wire import Type

BATCH, HIDDEN, RATE = 64, 32, 0.3


def rings(seed: int, count: int) -> Tuple[Any, Any]:
    """Points of three noisy rings, and the numbers of their rings."""
    random = np.random.RandomState(seed)
    labels = random.randint(0, 3, count)
    radius, angle = labels + 1 + 0.2 * random.randn(count), 2 * np.pi * random.rand(count)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    return points.astype(np.float32), labels.astype(np.int64)


class _Classifier(StepGraphBase):
    """A network with one hidden layer, whose gradients are written out, as here is no framework to compute them."""

    def __init__(self, path: str) -> None:
        meta = MetaGraph()
        super().__init__(path, meta, Walking(meta))
        random = np.random.RandomState(1)
        self.layers: List[Tuple[str, Any, Tensor, Tensor]] = []
        for name, shape in (("hidden/kernel", (2, HIDDEN)), ("hidden/bias", (HIDDEN,)), ("logits/kernel", (HIDDEN, 3)), ("logits/bias", (3,))):
            value = (random.randn(*shape) / np.sqrt(shape[0]) if len(shape) > 1 else np.zeros(shape)).astype(np.float32)
            handle = self.meta.add_variable(name, self.initial(name, value), trainable=True)
            self.layers.append((name, shape, handle, self.meta.read(handle, "float32", shape)))
        rate = self.meta.add_variable("learning_rate", self.initial("learning_rate", np.float32(RATE)))
        self.rate = self.meta.read(rate, "float32", ())

    def forward(self, x: Tensor, y: Tensor) -> Tuple[List[Tensor], Tensor, Tensor]:
        """Returns the gradients of the variables, the loss and the accuracy of a batch."""
        graph, b = self.meta.graph, self._walking.b
        count = x.shape[0]
        w1, b1, w2, b2 = (read for _, _, _, read in self.layers)
        wide, narrow = (count, HIDDEN), (count, 3)

        def product(left: Tensor, right: Tensor, shape: Tuple[int, ...], **turned: bool) -> Tensor:
            flags: Any = {"transpose_a": False, "transpose_b": False, **turned}
            made: Tensor = graph.op("MatMul", left, right, shapes=[shape], **flags)
            return made

        def biased(values: Tensor, bias: Tensor) -> Tensor:
            made: Tensor = graph.op("BiasAdd", values, bias, shapes=[values.shape])
            return made

        hidden = graph.op("Relu", biased(product(x, w1, wide), b1), shapes=[wide])
        logits = biased(product(hidden, w2, narrow), b2)
        losses, slope = graph.op("SparseSoftmaxCrossEntropyWithLogits", logits, y, shapes=[(count,), narrow])
        hits = b.cast(b.pointwise("Equal", graph.op("ArgMax", logits, b.const(1, "int32"), shapes=[(count,)], output_type=Type("int64")), y),
                      "float32")
        slope = b.mul(slope, b.const(1 / count, "float32"))
        back = graph.op("ReluGrad", product(slope, w2, wide, transpose_b=True), hidden, shapes=[wide])
        gradients = [product(x, back, (2, HIDDEN), transpose_a=True), b.reduce("Sum", back, [0]),
                     product(hidden, slope, (HIDDEN, 3), transpose_a=True), b.reduce("Sum", slope, [0])]  # fmt: skip
        share = b.const(1 / count, "float32")
        return gradients, b.mul(b.reduce("Sum", losses, [0]), share), b.mul(b.reduce("Sum", hits, [0]), share)


def write_graph(path: str) -> None:
    """Writes the graph of the demo, with its data inside."""
    graph = _Classifier(path)
    x, y = add_batches(graph.meta, rings(2, 1920), "training data", path, name="train_data", batch=BATCH, shuffle=True, seed=7, repeat=True)
    gradients, loss, accuracy = graph.forward(x, y)
    b = graph._walking.b
    assigns = [graph.assign(name, handle, b.sub(read, b.mul(gradient, graph.rate)), read.ref)
               for (name, _, handle, read), gradient in zip(graph.layers, gradients)]  # fmt: skip
    graph.end_step(["loss", "accuracy"], [loss, accuracy], assigns, 1920 // BATCH)
    x, y = add_batches(graph.meta, rings(3, 640), "validation data", path, name="validation_data", batch=BATCH, shuffle=False, seed=None, repeat=False)
    _, loss, accuracy = graph.forward(x, y)
    graph.evaluation({"loss": loss, "accuracy": accuracy})
    graph.meta.write(path)


def _say(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def _kill_in_the_middle(command: List[str]) -> None:
    """Starts a trainer and kills it when it has saved a checkpoint of its own."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    for line in child.stdout:
        print(line, end="", flush=True)
        if re.match(r"evaluated step [1-9]", line):
            break
    child.kill()
    child.wait()


def demo(folder: str) -> int:
    folder = os.path.abspath(folder)
    if os.path.isdir(folder) and os.listdir(folder):
        raise Error(f"'{folder}' is not empty: give another folder, python -m ingot demo FOLDER")
    os.makedirs(folder, exist_ok=True)
    graph, trainer, run = (os.path.join(folder, name) for name in ("rings.meta", "trainer", "run"))
    write_graph(graph)
    _say(f"A graph of points on three rings, compiled: ingotc {graph} -o {trainer}")
    began = time.monotonic()
    code, _, err = _tools.run([_tools.find("ingotc"), graph, "-o", trainer, "--cpu=native"])
    if code:
        raise CompileError(err.strip())
    print(f"{time.monotonic() - began:.1f} s, {os.path.getsize(trainer):,} bytes, one static file")
    command = [trainer, "train-and-evaluate", "--model-dir", run, "--max-steps", "6000", "--save-checkpoints-steps", "1000",
               "--eval-throttle-secs", "0", "--log-steps", "2000"]  # fmt: skip
    _say("Trained, and killed with kill -9: " + " ".join(command))
    _kill_in_the_middle(command)
    _say("Started again, it goes on where its newest checkpoint is:")
    subprocess.run(command, check=True)
    for words in (["plot", run, "-o", os.path.join(folder, "curves.svg")], ["report", run, "-o", os.path.join(folder, "report.html")]):
        subprocess.run([trainer, *words], check=True)
    _say(f"Look at {folder}/report.html, or at {folder}/curves.svg; tensorboard --logdir {run} shows the same.")
    return 0
