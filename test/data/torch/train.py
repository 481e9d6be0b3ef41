# SPDX-License-Identifier: Apache-2.0
"""Models of PyTorch train as in eager PyTorch: train.py [MODEL..]. Losses of 10 steps, and the state back in torch."""
import json
import sys

import ingot.torch
import models
import torch

# In bfloat16, and where a sign of a gradient near zero decides, states are compared more loosely than losses.
LOOSE = {"half": 2e-2}


def tensors_of(case):
    """All tensors of a model and of its optimizer, by name."""
    found = {f"model {name}": one for name, one in case.model.state_dict().items()}
    for index, slots in case.optimizer.state_dict()["state"].items():
        found.update({f"optimizer {index} {slot}": one for slot, one in slots.items() if one is not None})
    return found


def apart(one, other):
    """The greatest difference of two states, relative where values are large."""
    one, other = tensors_of(one), tensors_of(other)
    assert one.keys() == other.keys(), sorted(one.keys() ^ other.keys())
    found = {}
    for name, ours in one.items():
        theirs = other[name]
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, (name, ours, theirs)
        ours, theirs = ours.double(), theirs.double()
        found[name] = float(((ours - theirs).abs() / theirs.abs().clamp(min=1)).max()) if ours.numel() else 0.0
    return max((value, name) for name, value in found.items())


def trains_as_in_torch(name, steps=10, bound=1e-5):
    case = models.made(name)
    trainer = ingot.torch.compile(case.model, case.loss_fn, case.optimizer, case.data, name, **case.export_options())
    trainer.fit(max_steps=steps, model_dir=f"{name}-run", losses=f"{name}.jsonl", verbose=False)
    ours = [json.loads(line)["loss"] for line in open(f"{name}.jsonl")]
    theirs = models.losses_of(case, steps)
    worst = max(abs(one - other) / max(1, abs(other)) for one, other in zip(ours, theirs))
    back = models.made(name)
    ingot.torch.load_into(back.model, f"{name}-run", optimizer=back.optimizer)
    state, where = apart(back, case)
    print(f"{name}: losses {theirs[0]:.4f} .. {theirs[-1]:.4f}, within {worst:.1e}; state within {state:.1e} ({where})", flush=True)
    bound = LOOSE.get(name, bound)
    assert len(ours) == steps and worst <= bound, (name, ours, theirs)
    assert state <= 10 * bound, (name, state, where)


if __name__ == "__main__":
    torch.set_num_threads(2)
    failed = []
    for name in sys.argv[1:] or models.MODELS:
        if name == "dropping":
            continue
        try:
            trains_as_in_torch(name)
        except (AssertionError, ingot.torch.Error) as error:
            failed.append(f"{name}: {error}")
    assert not failed, "\n".join(failed)
    print("passed")
