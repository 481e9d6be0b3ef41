# SPDX-License-Identifier: Apache-2.0
"""A model of 110 million parameters, as GPT-2's small one: what is exported is small, soon there, and trains in little memory."""
import json
import os
import subprocess
import time

import ingot.torch
import models
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

WORDS, WIDTH, LAYERS, LENGTH, SIZE, STEPS = 32000, 768, 12, 128, 2, 2


class Large(models.Decoder):
    def __init__(self):
        nn.Module.__init__(self)
        self.wte, self.wpe = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(models.DecoderBlock(WIDTH, 12) for _ in range(LAYERS))
        self.ln_f, self.lm_head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
        nn.init.normal_(self.wte.weight, 0, 0.02)
        self.lm_head.weight = self.wte.weight


def loss_of(logits, y):
    return F.cross_entropy(logits.flatten(0, 1), y.flatten())


def activations(model, x, y):
    """The bytes that autograd keeps for the gradients, but for parameters."""
    parameters = {one.untyped_storage().data_ptr() for one in model.parameters()}
    kept = {}

    def pack(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss_of(model(x), y)
    return sum(size for place, size in kept.items() if place not in parameters)


def peak(*flags):
    """The most memory that a run of the trainer has resident, in bytes."""
    process = subprocess.Popen(["./large", "--model-dir", "run", "--quiet", "--losses", "losses.jsonl", *flags])
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, status
    return usage.ru_maxrss * 1024


def main():
    torch.manual_seed(0)
    model = Large()
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4)
    ids = torch.from_numpy(np.random.RandomState(0).randint(0, WORDS, (8, LENGTH + 1)))
    x, y = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
    count = sum(one.numel() for one in model.parameters())
    needed = 3 * 4 * count + activations(model, x[:SIZE], y[:SIZE])
    start = time.process_time()
    ingot.torch.export(model, loss_of, optimizer, (x, y), "large.meta", batch_size=SIZE, shuffle=False, predict=False)
    seconds, size = time.process_time() - start, os.path.getsize("large.meta")
    subprocess.run(["ingotc", "large.meta", "-o", "large"], check=True, stderr=subprocess.DEVNULL)
    # The first run reads the initial values from files; the second one goes on, and saves beside its steps.
    ratios = [peak("--max-steps", str(STEPS)) / needed, peak("--max-steps", str(2 * STEPS), "--save-checkpoints-steps", "1") / needed]
    print(f"{count} parameters: exported in {seconds:.1f} s to {size} bytes; {ratios} times its state and activations")
    assert count > 100e6 and size <= 5e6 and seconds <= 10 and max(ratios) <= 1.3, (count, size, seconds, ratios)
    ours, theirs = [json.loads(line)["loss"] for line in open("losses.jsonl")], []
    for number in range(len(ours)):
        begin = number % 4 * SIZE
        optimizer.zero_grad()
        loss = loss_of(model(x[begin : begin + SIZE]), y[begin : begin + SIZE])
        loss.backward()
        optimizer.step()
        theirs.append(loss.item())
    assert len(ours) == 2 * STEPS and np.allclose(ours, theirs, rtol=1e-5), (ours, theirs)
    print("passed")


main()
