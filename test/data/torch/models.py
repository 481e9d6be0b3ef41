# SPDX-License-Identifier: Apache-2.0
"""Small models of PyTorch of many kinds. Each function returns a Case."""
import dataclasses
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclasses.dataclass
class Case:
    model: nn.Module
    optimizer: Any
    data: Any
    size: int = 8
    loss_fn: Any = F.cross_entropy
    scheduler: Any = None
    clip_grad_norm: Any = None
    clip_grad_value: Any = None
    training_step: Any = None
    accumulate: int = 1

    def export_options(self):
        found = {"batch_size": self.size, "shuffle": False, "training_step": self.training_step, "accumulate_steps": self.accumulate,
                 "clip_grad_norm": self.clip_grad_norm, "clip_grad_value": self.clip_grad_value}  # fmt: skip
        return {**found, "scheduler": self.scheduler, "scheduler_interval": "step", "max_steps": 300} if self.scheduler else found


def examples(count, *shapes, classes=10, seed=0):
    """Tensors of normal numbers, rounded so that recorded graphs are small, and labels."""
    rng = np.random.RandomState(seed)
    return (*(torch.from_numpy((rng.normal(size=(count, *shape)) * 8).round().astype(np.float32) / 8) for shape in shapes),
            torch.from_numpy(rng.randint(0, classes, count)))  # fmt: skip


def tokens(count, length, words, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).randint(0, words, (count, length)))


def perceptron():
    model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 10))
    return Case(model, torch.optim.Adam(model.parameters(), 1e-2), examples(96, (20,)), 32)


# The gradient of attention's key biases is zero but for rounding; Adam's default epsilon would make steps of it.
EPS = 1e-5


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        same = stride == 1 and inputs == outputs
        self.shortcut = nn.Identity() if same else nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)), inplace=True))) + self.shortcut(x))


def residual():
    """A ResNet: batch norms, strides, shortcuts, pooling; SGD with nesterov and a cosine."""
    model = nn.Sequential(nn.Conv2d(3, 8, 5, 2, 2, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Block(8, 8, 1), Block(8, 16, 2),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, nesterov=True, weight_decay=1e-4)
    return Case(model, optimizer, examples(16, (3, 16, 16)), scheduler=torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100))


class Encoder(nn.Module):
    """BERT's kind: embeddings, encoder layers after the norm, a mask of padding, a pooled classifier."""

    def __init__(self):
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(50, 16, padding_idx=0), nn.Embedding(12, 16), nn.LayerNorm(16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, "gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.pool, self.out = nn.Linear(16, 16), nn.Linear(16, 10)
        self.drop = nn.Dropout(0.0)
        self.register_buffer("index", torch.arange(12)[None], persistent=False)

    def forward(self, ids):
        x = self.drop(self.norm(self.words(ids) + self.places(self.index)))
        x = self.layers(x, src_key_padding_mask=ids == 0)
        return self.out(torch.tanh(self.pool(x[:, 0])))


def encoder():
    """AdamW whose groups have a decay of their own."""
    model = Encoder()
    plain = [one for name, one in model.named_parameters() if one.ndim < 2]
    others = [one for name, one in model.named_parameters() if one.ndim >= 2]
    optimizer = torch.optim.AdamW([{"params": others, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0.0, "lr": 2e-3}], 1e-3, eps=EPS)
    ids = tokens(32, 12, 50)
    ids[:, 9:] *= (torch.arange(32) % 2)[:, None]
    warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 5))
    return Case(model, optimizer, (ids, examples(32)[0]), clip_grad_norm=1.0, scheduler=warm)


class Decoder(nn.Module):
    """GPT-2's kind: blocks before the norm, causal attention, an output tied to the embedding."""

    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(40, 16), nn.Embedding(12, 16)
        self.blocks = nn.ModuleList(DecoderBlock(16, 2) for _ in range(2))
        self.ln_f, self.lm_head = nn.LayerNorm(16), nn.Linear(16, 40, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class DecoderBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln_1, self.ln_2, self.heads = nn.LayerNorm(width), nn.LayerNorm(width), heads
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width), nn.Dropout(0.0))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (one.view(batch, length, self.heads, -1).transpose(1, 2) for one in self.c_attn(self.ln_1(x)).split(width, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.c_proj(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.ln_2(x))


def decoder():
    model = Decoder()
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3, betas=(0.9, 0.95), eps=EPS, weight_decay=0.1)
    ids = tokens(32, 13, 40)
    return Case(model, optimizer, (ids[:, :-1].contiguous(), ids[:, 1:].contiguous()), clip_grad_norm=1.0,
                loss_fn=lambda logits, y: F.cross_entropy(logits.flatten(0, 1), y.flatten()),
                scheduler=torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, 50))  # fmt: skip


def dropping():
    """What a killed run has to go on with: random numbers, running statistics, slots, a schedule. Its losses are not torch's."""
    model = nn.Sequential(nn.Linear(12, 16), nn.BatchNorm1d(16), nn.GELU(), nn.Dropout(0.2), nn.Linear(16, 10))
    optimizer = torch.optim.NAdam(model.parameters(), 1e-2)
    return Case(model, optimizer, examples(64, (12,)), 16, clip_grad_norm=1.0, scheduler=torch.optim.lr_scheduler.StepLR(optimizer, 7, 0.9))


class Recurrent(nn.Module):
    def __init__(self, kind, layers=2):
        super().__init__()
        self.rnn, self.out = kind(6, 12, num_layers=layers, batch_first=True), nn.Linear(12, 10)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


def lstm():
    model = Recurrent(nn.LSTM, 1)
    return Case(model, torch.optim.RMSprop(model.parameters(), 1e-3, momentum=0.9), examples(32, (6, 6)), clip_grad_value=0.05)


def gru():
    model = Recurrent(nn.GRU)
    return Case(model, torch.optim.Adam(model.parameters(), 1e-2), examples(32, (9, 6)))


def long():
    """Sequences that are long enough for loops, in both directions, of layers of all kinds."""

    class Long(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.gru = nn.LSTM(4, 6, 2, batch_first=True, bidirectional=True), nn.GRU(12, 8, bias=True)
            self.rnn, self.relu, self.out = nn.RNN(8, 8, bidirectional=True, bias=False), nn.RNN(16, 8, nonlinearity="relu"), nn.Linear(14, 10)

        def forward(self, x):
            y, (_, cells) = self.lstm(x)
            y, _ = self.gru(y.transpose(0, 1), torch.full((1, x.shape[0], 8), 0.1))
            y, last = self.relu(self.rnn(y)[0])
            return self.out(torch.cat([y.mean(0) + last[0], cells[3]], 1))

    model = Long()
    return Case(model, torch.optim.Adam(model.parameters(), 1e-3, eps=EPS), examples(32, (18, 4)))


def both_directions():
    class Both(Recurrent):
        def __init__(self):
            nn.Module.__init__(self)
            self.rnn, self.out = nn.LSTM(6, 8, bidirectional=True, proj_size=4), nn.Linear(8, 10)

        def forward(self, x):
            return self.out(self.rnn(x.transpose(0, 1))[0].mean(0))

    model = Both()
    return Case(model, torch.optim.Adam(model.parameters(), 1e-2), examples(32, (9, 6)))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = self.twice(1, 4), self.twice(4, 8)
        self.middle = self.twice(8, 8)
        self.up2, self.up1 = nn.ConvTranspose2d(8, 8, 2, 2), nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.join2, self.join1, self.out = self.twice(16, 4), self.twice(8, 4), nn.Conv2d(4, 1, 1)

    @staticmethod
    def twice(inputs, outputs):
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(2, outputs), nn.SiLU(),
                             nn.Conv2d(outputs, outputs, 3, padding=1, padding_mode="reflect"), nn.LeakyReLU(0.1))  # fmt: skip

    def forward(self, x):
        one = self.down1(x)
        two = self.down2(F.max_pool2d(one, 2))
        y = self.middle(F.avg_pool2d(two, 2))
        y = self.join2(torch.cat([self.up2(y), two], 1))
        return self.out(self.join1(torch.cat([self.up1(y), one], 1)))


def unet():
    model = UNet()
    x, _ = examples(16, (1, 16, 16))
    return Case(model, torch.optim.AdamW(model.parameters(), 1e-3), (x, (x > 0.2).float()), 4,
                loss_fn=lambda output, y: F.binary_cross_entropy_with_logits(output, y) + 0.1 * F.mse_loss(output.sigmoid(), y))  # fmt: skip


class LoRA(nn.Module):
    """A frozen layer with a trained product of two small matrices."""

    def __init__(self, layer, rank=2):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, layer.in_features) * 0.1)
        self.b = nn.Parameter(torch.zeros(layer.out_features, rank))

    def forward(self, x):
        return self.layer(x) + F.linear(F.linear(x, self.a), self.b)


def adapters():
    model = nn.Sequential(LoRA(nn.Linear(12, 16)), nn.Tanh(), nn.Linear(16, 16).requires_grad_(False), LoRA(nn.Linear(16, 10)))
    return Case(model, torch.optim.AdamW((one for one in model.parameters() if one.requires_grad), 1e-2), examples(64, (12,)), 16)


class MobileBlock(nn.Module):
    """Depthwise and grouped convolutions, squeeze and excitation, dilation."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, 2, 1)
        self.depth, self.norm = nn.Conv2d(8, 16, 3, padding=2, dilation=2, groups=8), nn.BatchNorm2d(16, momentum=0.3)
        self.squeeze, self.excite = nn.Conv2d(16, 4, 1), nn.Conv2d(4, 16, 1)
        self.group, self.line = nn.Conv2d(16, 16, 3, groups=4), nn.Conv1d(16, 8, 3, stride=2)
        self.out = nn.Linear(8, 10)

    def forward(self, x):
        x = F.hardswish(self.norm(self.depth(F.gelu(self.stem(x)))))
        x = x * torch.sigmoid(self.excite(F.relu6(self.squeeze(F.adaptive_avg_pool2d(x, 1)))))
        return self.out(self.line(self.group(x).flatten(2)).amax(-1))


def mobile():
    model = MobileBlock()
    return Case(model, torch.optim.SGD(model.parameters(), 0.05), examples(32, (3, 16, 16)))


class Variational(nn.Module):
    """Figures beside the loss, no gradient through a part, a buffer that the step changes, a parameter that nothing uses."""

    def __init__(self):
        super().__init__()
        self.codes, self.enc, self.dec = nn.Embedding(16, 4), nn.Linear(12, 4), nn.Linear(4, 12)
        self.unused = nn.Parameter(torch.ones(3))
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        z = self.enc(x)
        with torch.no_grad():
            self.mean.mul_(0.9).add_(z.mean(0), alpha=0.1)
            places = torch.cdist(z, self.codes.weight).argmin(1)
        codes = self.codes(places)
        return self.dec(z + (codes - z).detach()), F.mse_loss(codes, z.detach()) + 0.25 * F.mse_loss(z, codes.detach())


def quantized():
    model = Variational()

    def step(model, batch):
        output, commitment = model(batch)
        error = F.smooth_l1_loss(output, batch)
        return {"loss": error + commitment, "error": error, "commitment": commitment}

    return Case(model, torch.optim.NAdam(model.parameters(), 2e-3), examples(64, (12,))[0], 16, None, training_step=step)


def half():
    """A model in bfloat16, whose norms stay in float32 under autocast."""
    model = nn.Sequential(nn.Linear(12, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 10))

    def loss(output, y):
        return F.cross_entropy(output.float(), y)

    class Cast(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = model

        def forward(self, x):
            with torch.autocast("cpu", torch.bfloat16):
                return self.inner(x)

    whole = Cast()
    return Case(whole, torch.optim.AdamW(whole.parameters(), 1e-3), examples(64, (12,)), 16, loss)


def resnet18():
    """torchvision's. In float64: in float32, torch itself is 1e-3 off within three steps, for the signs of ReLUs flip."""
    import torchvision

    model = torchvision.models.resnet18(num_classes=10).double()
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9, weight_decay=1e-4)
    x, y = examples(32, (3, 64, 64))
    return Case(model, optimizer, (x.double(), y))


class Logits(nn.Module):
    """A model of transformers, of its inputs in this order."""

    def __init__(self, model, *names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs))).logits


def bert_small():
    """BERT with 4 layers of 512, with groups, a mask of padding, and a cosine."""
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(vocab_size=1000, hidden_size=512, num_hidden_layers=4, num_attention_heads=8, intermediate_size=2048, max_position_embeddings=64,
                        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=3)  # fmt: skip
    model = Logits(BertForSequenceClassification(config), "input_ids", "attention_mask")
    plain = [one for one in model.parameters() if one.ndim < 2]
    others = [one for one in model.parameters() if one.ndim >= 2]
    optimizer = torch.optim.AdamW([{"params": others, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], 1e-4, eps=EPS)
    ids, mask = tokens(16, 32, 1000), torch.ones(16, 32, dtype=torch.int64)
    mask[::2, 20:] = 0
    return Case(model, optimizer, (ids, mask, examples(16, classes=3)[0]), 4, clip_grad_norm=1.0,
                scheduler=torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 50))  # fmt: skip


def gpt2_small():
    """GPT-2 of its small size's width, with 2 of its 12 layers."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=2000, n_layer=2, n_positions=64, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False, bos_token_id=0,
                        eos_token_id=0)  # fmt: skip
    model = Logits(GPT2LMHeadModel(config), "input_ids")
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4, betas=(0.9, 0.95), eps=EPS, weight_decay=0.1)
    ids = tokens(16, 33, 2000)
    return Case(model, optimizer, (ids[:, :-1].contiguous(), ids[:, 1:].contiguous()), 4, clip_grad_norm=1.0,
                loss_fn=lambda logits, y: F.cross_entropy(logits.flatten(0, 1), y.flatten()),
                scheduler=torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-4, 50))  # fmt: skip


def with_optimizer(make):
    def case():
        model = nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 10))
        return Case(model, make(model.parameters()), examples(64, (12,)), 16)

    return case


def grouped():
    """AdamW with groups and a cosine."""
    model = nn.Sequential(nn.Linear(12, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 10))
    plain = [one for one in model.parameters() if one.ndim < 2]
    others = [one for one in model.parameters() if one.ndim >= 2]
    optimizer = torch.optim.AdamW([{"params": others, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0, "lr": 2e-3}], 1e-2)
    return Case(model, optimizer, examples(64, (12,)), 16, scheduler=torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 300))


def accumulated():
    """An optimizer's step in three batches, of clipped means of gradients; dampening, whose first step is the optimizer's."""
    model = nn.Sequential(nn.Linear(12, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Linear(16, 10))
    groups = [{"params": model[:2].parameters(), "weight_decay": 1e-2}, {"params": model[2:].parameters(), "momentum": 0.5, "lr": 0.2}]
    optimizer = torch.optim.SGD(groups, 0.1, 0.9, 0.3)
    return Case(model, optimizer, examples(64, (12,)), 16, clip_grad_norm=0.1, scheduler=torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9), accumulate=3)


MODELS = {"perceptron": perceptron, "residual": residual, "encoder": encoder, "decoder": decoder, "lstm": lstm, "long": long, "gru": gru,
          "both_directions": both_directions, "unet": unet, "adapters": adapters, "mobile": mobile, "quantized": quantized,
          "half": half, "dropping": dropping, "accumulated": accumulated, "grouped": grouped}  # fmt: skip
LARGE = {"resnet18": resnet18, "bert_small": bert_small, "gpt2_small": gpt2_small}
O = torch.optim
OPTIMIZERS = {
    "sgd": lambda p: O.SGD(p, 0.1), "sgd_all": lambda p: O.SGD(p, 0.1, 0.9, 0.3, 1e-2, maximize=True),
    "sgd_nesterov": lambda p: O.SGD(p, 0.1, 0.9, nesterov=True), "adam": lambda p: O.Adam(p, 1e-2, weight_decay=1e-2),
    "adam_all": lambda p: O.Adam(p, 1e-2, (0.8, 0.95), 1e-6, 1e-2, True, maximize=True), "adamw": lambda p: O.AdamW(p, 1e-2, amsgrad=True),
    "nadam": lambda p: O.NAdam(p, 1e-2, weight_decay=1e-2, decoupled_weight_decay=True, maximize=True), "radam": lambda p: O.RAdam(p, 1e-2, weight_decay=1e-2),
    "radam_late": lambda p: O.RAdam(p, 1e-2, (0.9, 0.9), decoupled_weight_decay=True), "adamax": lambda p: O.Adamax(p, 1e-2, weight_decay=1e-2, maximize=True),
    "adagrad": lambda p: O.Adagrad(p, 0.05, 0.1, 1e-2, 0.3), "rmsprop": lambda p: O.RMSprop(p, 1e-2, centered=True, momentum=0.5, weight_decay=1e-2),
    "rmsprop_plain": lambda p: O.RMSprop(p, 1e-2, maximize=True), "adadelta": lambda p: O.Adadelta(p, 1.0, weight_decay=1e-2)}  # fmt: skip
try:
    from lion_pytorch import Lion

    OPTIMIZERS["lion"] = lambda p: Lion(p, 1e-3, (0.8, 0.95), 0.1)
except ImportError:
    pass
MODELS.update({name: with_optimizer(one) for name, one in OPTIMIZERS.items()})


def made(name):
    """A case whose parameters are the same each time, in few bits so that recorded graphs are small."""
    torch.manual_seed(0)
    case = {**MODELS, **LARGE}[name]()
    case.model.train()
    with torch.no_grad():
        for one in case.model.parameters():
            one.copy_((one * 64).round() / 64)
    return case


def batches(data, size, steps):
    arrays = data if isinstance(data, tuple) else (data,)
    count = len(arrays[0]) // size
    for index in range(steps):
        begin = index % count * size
        yield tuple(one[begin : begin + size] for one in arrays)


def losses_of(case, steps):
    """The losses of eager torch on batches in order; the case is trained."""
    losses = []
    for number, batch in enumerate(batches(case.data, case.size, steps), 1):
        if case.training_step:
            loss = case.training_step(case.model, batch if isinstance(case.data, tuple) else batch[0])["loss"]
        else:
            loss = case.loss_fn(case.model(*batch[:-1]), batch[-1])
        (loss / case.accumulate).backward()
        losses.append(loss.item())
        if number % case.accumulate:
            continue
        if case.clip_grad_norm:
            nn.utils.clip_grad_norm_(case.model.parameters(), case.clip_grad_norm)
        if case.clip_grad_value:
            nn.utils.clip_grad_value_(case.model.parameters(), case.clip_grad_value)
        case.optimizer.step()
        case.optimizer.zero_grad()
        if case.scheduler:
            case.scheduler.step()
    return losses
