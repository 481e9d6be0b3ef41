# SPDX-License-Identifier: Apache-2.0
"""What loaders of PyTorch yield is written into TFRecords, and trains as in eager PyTorch, also after it was interrupted."""
import glob
import json

import ingot
import ingot.torch
import models
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset

COUNT = 300
X, LABELS = models.examples(COUNT, (3, 8, 8))


class Augmented(Dataset):
    """Examples by number, turned and of bfloat16: what augments them is drawn once."""

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        return {"x": X[index].flip(-1) if index % 2 else X[index], "weight": torch.tensor(index / COUNT, dtype=torch.bfloat16), "y": LABELS[index]}


class Endless(IterableDataset):
    """Examples one after the other, without a length. Raises before example `end`."""

    def __init__(self, end=COUNT):
        super().__init__()
        self.end = end

    def __iter__(self):
        for index in range(COUNT):
            if index == self.end:
                raise InterruptedError
            yield Augmented()[index]


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.GELU(), nn.Flatten(), nn.Linear(144, 10))


def step(model, batch):
    losses = F.cross_entropy(model(batch["x"]), batch["y"], reduction="none")
    return {"loss": (losses * batch["weight"].float()).mean(), "largest": losses.max()}


def losses(data, name, **more):
    model = net()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    trainer = ingot.torch.compile(model, None, optimizer, data, name, batch_size=20, training_step=step, seed=3, predict=False, **more)
    trainer.fit(max_steps=30, model_dir=f"{name}-run", losses=f"{name}.jsonl", verbose=False)
    return [json.loads(line)["loss"] for line in open(f"{name}.jsonl")]


def of_torch():
    model = net()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    found = []
    while len(found) < 30:
        for batch in DataLoader(Augmented(), batch_size=20):
            optimizer.zero_grad()
            loss = step(model, batch)["loss"]
            loss.backward()
            optimizer.step()
            found.append(loss.item())
    return found


def main():
    # Stopped twice, by the source: each time it goes on after the last whole file.
    for end in (70, 210):
        try:
            ingot.materialize(DataLoader(Endless(end), batch_size=16), "records", shard_bytes=20_000)
        except InterruptedError:
            continue
        raise AssertionError("not interrupted")
    assert glob.glob("records/*.tfrecord*"), "no whole file was kept"
    endless = ingot.materialize(DataLoader(Endless(), batch_size=16), "records", shard_bytes=20_000)
    loaded = ingot.materialize(DataLoader(Augmented(), batch_size=16), "loaded", shard_bytes=20_000)
    assert len(endless) == len(loaded) == COUNT and len(endless.files) > 2, (len(endless), endless.files)
    for one, other in zip(endless.files, loaded.files):
        assert open(one, "rb").read() == open(other, "rb").read(), one

    ordered, expected = losses(endless, "ordered", shuffle=False), of_torch()
    assert np.allclose(ordered, expected, atol=1e-5), (ordered, expected)
    # A shuffle of all records has the order of a shuffle of all examples.
    arrays = {key: torch.stack([Augmented()[index][key] for index in range(COUNT)]) for key in ("x", "weight", "y")}
    assert losses(endless, "shuffled") == losses(arrays, "arrays") != ordered

    # A dataset without a length is refused, with what to do.
    try:
        losses(DataLoader(Endless(), batch_size=20), "refused")
    except ingot.ExportError as error:
        assert "write it to files with ingot.materialize" in str(error), error
    else:
        raise AssertionError("a dataset without a length is not refused")
    print("passed")


main()
