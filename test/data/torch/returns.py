# SPDX-License-Identifier: Apache-2.0
"""A trainer's other uses: history, evaluation, predictions, half-trained models there and back, loaders, types, files."""
import copy
import json
import os
import warnings

import ingot.torch
import models
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

warnings.simplefilter("ignore")
x, y = models.examples(150, (12,))


def net():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(12, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 10))


def figures(model, batch):
    output = model(batch[0])
    return {"loss": F.cross_entropy(output, batch[1], reduction="none"), "accuracy": (output.argmax(1) == batch[1]).float()}


model = net()
optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x[:100], y[:100]), batch_size=20, shuffle=True)
trainer = ingot.torch.compile(model, nn.CrossEntropyLoss(), optimizer, loader, "trainer", seed=1, validation_data=(x[100:], y[100:]), evaluate=figures)
assert all(module.training for module in model.modules()), "the model's mode has changed"
history = trainer.fit(epochs=3, model_dir="run", verbose=False).history
assert trainer.steps_per_epoch == 5 and len(history["loss"]) == 3, history
ingot.torch.load_into(model, "run", optimizer=optimizer)
model.eval()
with torch.no_grad():
    expected = {name: float(value.mean()) for name, value in figures(model, (x[100:], y[100:])).items()}
    found = trainer.evaluate()
    assert abs(found["loss"] - expected["loss"]) < 1e-5 and abs(found["accuracy"] - expected["accuracy"]) < 1e-6, (found, expected)
    assert abs(history["val_loss"][-1] - expected["loss"]) < 1e-5, history
    # Whatever the number of examples, though a trace has one.
    for count in (1, 20, 37):
        assert np.allclose(trainer.predict(x[:count].numpy()), model(x[:count]), atol=1e-5), count
assert int(model[1].num_batches_tracked) == 15 and float(optimizer.state_dict()["state"][0]["step"]) == 15
assert {"0.weight", "1.running_mean", "optimizer.state.0.weight.exp_avg", "optimizer.step.0"} <= set(trainer.checkpoint())

# 4 steps in PyTorch, 4 in Ingot, 4 in PyTorch are 12 in PyTorch: parameters, batch norms, slots, the scheduler's place.
def half_trained(make):
    def case():
        model = net()
        optimizer = make(model.parameters())
        return models.Case(model, optimizer, (x[:64], y[:64]), 16, scheduler=torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5))

    whole, other = case(), case()
    expected = models.losses_of(whole, 12)
    first = models.losses_of(other, 4)
    trainer = ingot.torch.compile(other.model, other.loss_fn, other.optimizer, other.data, "half", **other.export_options())
    trainer.fit(max_steps=4, model_dir="half-run", losses="half.jsonl", verbose=False, start="fresh")
    middle = [json.loads(line)["loss"] for line in open("half.jsonl")]
    trainer.load_into(other.model, optimizer=other.optimizer)
    for _ in range(4):
        other.scheduler.step()
    last = models.losses_of(other, 4)
    assert np.allclose(expected, first + middle + last, atol=2e-5), (expected, first, middle, last)


# So are 100 steps of each 300, with groups and a cosine.
whole, other = models.made("grouped"), models.made("grouped")
expected = models.losses_of(whole, 300)
first = models.losses_of(other, 100)
trainer = ingot.torch.compile(other.model, other.loss_fn, other.optimizer, other.data, "grouped", **other.export_options())
trainer.fit(max_steps=100, model_dir="grouped-run", losses="grouped.jsonl", verbose=False)
middle = [json.loads(line)["loss"] for line in open("grouped.jsonl")]
trainer.load_into(other.model, optimizer=other.optimizer)
for _ in range(100):
    other.scheduler.step()
last = models.losses_of(other, 100)
worst = float(np.max(np.abs(np.array(expected) - np.array(first + middle + last))))
print(f"100 + 100 + 100 steps are 300, within {worst:.1e}")
assert worst <= 1e-5, (expected, first, middle, last)

half_trained(lambda parameters: torch.optim.SGD(parameters, 0.05, momentum=0.9, dampening=0.0))
half_trained(lambda parameters: torch.optim.NAdam(parameters, 0.01))

# Loading is strict, and changes nothing where it fails.
for other, words in ((nn.Linear(12, 16), "is another model's"), (nn.Sequential(nn.Linear(12, 17)), "has shape"), (nn.Sequential(*net(), nn.Linear(10, 2)), "has no '4.weight'")):
    before = copy.deepcopy(other.state_dict())
    try:
        ingot.torch.load_into(other, "run")
        raise AssertionError("loaded")
    except ingot.torch.Error as error:
        assert words in str(error) or "has no 'weight'" in str(error), error
    assert all(torch.equal(one, before[name]) for name, one in other.state_dict().items())
try:
    again = net()
    ingot.torch.load_into(again, "run", optimizer=torch.optim.SGD(again.parameters(), 0.1, momentum=0.9))
    raise AssertionError("loaded")
except ingot.torch.Error as error:
    assert "has no state of SGD" in str(error), error

# Random numbers have a state of their own in checkpoints.
case = models.made("dropping")
trainer = ingot.torch.compile(case.model, case.loss_fn, case.optimizer, case.data, "dropping", **case.export_options())
trainer.fit(max_steps=3, model_dir="dropping-run", verbose=False)
assert any(name.startswith("ingot/") for name in trainer.checkpoint())
trainer.load_into(case.model, optimizer=case.optimizer)
assert int(case.model[1].num_batches_tracked) == 3

# A dictionary of tensors, a model that returns its own loss, several outputs, integers and a large table beside the graph.
class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.out = nn.Embedding(3000, 16), nn.Linear(16, 2)
        self.register_buffer("scale", torch.tensor([1.0, 2.0]), persistent=False)

    def forward(self, ids, labels=None):
        logits = self.out(self.table(ids).mean(1)) * self.scale
        return {"logits": logits, "best": logits.argmax(1), **({"loss": F.cross_entropy(logits, labels)} if labels is not None else {})}


ids = torch.randint(0, 3000, (32, 5), generator=torch.Generator().manual_seed(0))
table = Table()
adam = torch.optim.Adam(table.parameters(), 1e-2)
trainer = ingot.torch.compile(table, None, adam, {"ids": ids, "labels": (ids[:, 0] % 2)}, "table", batch_size=8, shuffle=False, predict=lambda model, ids, labels: model(ids))
assert os.path.getsize("table.meta") < 100_000 and os.path.exists("table-state/table.weight.bin")
trainer.fit(max_steps=4, model_dir="table-run", losses="table.jsonl", verbose=False)
losses = []
for index in range(4):
    adam.zero_grad()
    loss = table(ids[index * 8 : index * 8 + 8], ids[index * 8 : index * 8 + 8, 0] % 2)["loss"]
    loss.backward()
    adam.step()
    losses.append(loss.item())
assert np.allclose([json.loads(line)["loss"] for line in open("table.jsonl")], losses, atol=1e-5), losses
found = trainer.predict({"ids": ids.numpy(), "labels": ids[:, 0].numpy()})
assert np.allclose(found["logits"], table(ids)["logits"].detach(), atol=1e-5) and np.array_equal(found["best"], table(ids)["best"])
print("passed")
