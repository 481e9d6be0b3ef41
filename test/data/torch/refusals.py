# SPDX-License-Identifier: Apache-2.0
"""What cannot be exported is refused: all at once, each at its line. And every op of core ATen is mapped or refused."""
import inspect
import sys

import ingot.torch
import torch
import torch.nn.functional as F
from ingot.torch import _export  # noqa: F401  It registers the rules.
from ingot.torch._rules import REASONS, RULES, Refused, bound
from torch import nn

THIS = __file__
data = torch.ones(8, 4)


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.layer, self.function = nn.Linear(4, 4), function

    def forward(self, x):
        return self.function(self.layer(x))


def exported(function, optimizer=None, given=data, **more):
    model = Model(function)
    make = optimizer or (lambda p: torch.optim.SGD(p, 0.1))
    more = {"loss_fn": None, "batch_size": 4, "predict": False, **more}
    return ingot.torch.export(model, more.pop("loss_fn"), make(model.parameters()), given, "refused.meta", **more)


def refused(function, *words, **more):
    """Exports a model, and expects an ExportError with all words."""
    try:
        exported(function, **more)
    except ingot.torch.ExportError as error:
        for word in words:
            assert word in str(error), f"expected {word!r} in\n{error}"
        return str(error)
    raise AssertionError(f"exported, without {words}")


def line(text):
    """The line of this file that has `text`, as messages name it."""
    source = open(THIS).read().splitlines()
    return f"{THIS}:{next(number for number, one in enumerate(source, 1) if text in one and 'line(' not in one)}: "


def unsupported(y):
    spectrum = torch.fft.fft(y).abs()  # spectrum
    values = torch.linalg.svd(y)[1]  # values
    drawn = torch.multinomial(y.softmax(1), 2)  # drawn
    return spectrum.sum() + values.sum() + drawn.sum()


message = refused(unsupported, line("# spectrum") + "_fft_r2c.default: complex", line("# values") + "_linalg_svd", line("# drawn") + "multinomial")
assert len(message.splitlines()) >= 3, message


def branches(y):
    if y.sum() > 0:  # branch
        return y.mean()
    return y.sum()


def selects(y):
    return y[y > 0].sum()  # mask


def fails(y):
    return (y + undefined).sum()  # name  # noqa: F821


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y):
        return y.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def rounds(y):
    return Rounded.apply(y).sum()  # rounded


def hooked(parameters):
    found = list(parameters)
    found[0].register_hook(lambda gradient: gradient * 2)
    return torch.optim.SGD(found, 0.1)


refused(rounds, line("# rounded") + "Rounded: a torch.autograd.Function")
refused(lambda y: y.sum(), "'layer.weight' has a hook on its gradient", optimizer=hooked)
refused(branches, line("# branch") + "a branch or a size depends on")
refused(selects, line("# mask") + "the shape of this result depends on values")
refused(fails, line("# name") + "NameError")
refused(lambda y: y, "the loss has the shape (4, 4)")
refused(lambda y: y.sum().item(), "returns no loss")
refused(lambda y: y.sum(), "fewer than one batch of 9", batch_size=9)
refused(lambda y: y.sum(), "is or has a list", given={"x": [1, 2]})
refused(lambda y: y.sum(), "torch.optim.lbfgs.LBFGS: unsupported optimizer; SGD, Adam", optimizer=torch.optim.LBFGS)
refused(lambda y: y.sum(), "that is not the model's", optimizer=lambda p: torch.optim.SGD([torch.ones(3, requires_grad=True)], 0.1))
refused(lambda y: y.sum(), "of other shapes", validation_data=torch.ones(8, 5))
refused(lambda y: y.sum(), "validation_batch_size", validation_data=torch.ones(13, 4))
refused(lambda y: y.sum(), "loss_fn=None", loss_fn=F.mse_loss, training_step=lambda model, batch: 0)
refused(lambda y: y.sum(), "not a key of the data: x", given={"x": data}, targets=["labels"])
unknown = torch.optim.SGD(nn.Linear(4, 4).parameters(), 0.1)


def with_scheduler(make, **more):
    model = Model(lambda y: y.sum())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    try:
        ingot.torch.export(model, None, optimizer, data, "refused.meta", batch_size=4, predict=False, scheduler=make(optimizer), **more)
    except ingot.torch.ExportError as error:
        return str(error)
    raise AssertionError("exported")


assert "it depends on what is measured" in with_scheduler(torch.optim.lr_scheduler.ReduceLROnPlateau, scheduler_interval="step")
assert "scheduler_interval='epoch' or 'step'" in with_scheduler(lambda optimizer: torch.optim.lr_scheduler.StepLR(optimizer, 3))
assert "another optimizer" in with_scheduler(lambda optimizer: torch.optim.lr_scheduler.StepLR(unknown, 3), scheduler_interval="step")

# An argument that no rule knows is refused, unless it has its default.
try:
    bound(torch.ops.aten.embedding_dense_backward.default, (1, 2, 3, 4, False), {})
    bound(torch.ops.aten.mean.dim, (1, [0]), {"dtype": torch.float64})
    bound(torch.ops.aten.gather.default, (1, 0, 2), {})
    bound(torch.ops.aten.full.default, ([2], 1), {"layout": torch.sparse_coo})
    raise AssertionError("an argument was ignored")
except Refused as error:
    assert "layout=torch.sparse_coo is not supported" in str(error), error

# The count: every op that torch calls core is mapped, refused, or composed by torch of others.
table, missing, core = {str(op) for op in ingot.torch._trace.decompositions()}, [], 0
for packet in (getattr(torch.ops.aten, name) for name in dir(torch.ops.aten)):
    for overload in packet.overloads() if hasattr(packet, "overloads") else []:
        op = getattr(packet, overload)
        if torch.Tag.core in op.tags and not overload.endswith("out"):
            core += 1
            name = str(op)[len("aten."):]
            if name not in RULES and name.split(".")[0] not in REASONS and str(op) not in table and not name.startswith("sym_"):
                missing.append(name)
assert not missing, f"torch {torch.__version__} has ops that are neither mapped nor refused: {', '.join(missing)}"
strange = [name for name in RULES if not name.startswith("ingot.") and not hasattr(torch.ops.aten, name.split(".")[0])]
assert not strange, strange
assert all(inspect.getdoc(sys.modules[rule.function.__module__]) for rule in RULES.values())
print(f"torch {torch.__version__}: {core} core ops; {len(RULES)} overloads mapped, {len(REASONS)} ops refused")
print("passed")
