# SPDX-License-Identifier: Apache-2.0
"""The models of bench/graphs in numbers, from which each peer builds the same one.

Images are NHWC, sequences [batch, length, features]; numbers are float32, labels and words int32.
"""
MODELS = {
    "mlp-small": dict(kind="mlp", batch=64, features=64, hidden=[64, 64], classes=10, optimizer="adam", rate=1e-3),
    "mlp-mnist": dict(kind="mlp", batch=128, features=784, hidden=[512, 512], classes=10, optimizer="adam", rate=1e-3),
    "mlp-wide": dict(kind="mlp", batch=256, features=1024, hidden=[2048, 2048], classes=1000, optimizer="sgd", rate=1e-2),
    "conv-cifar": dict(kind="conv", batch=64, image=32, channels=[32, 64], dense=128, classes=10, optimizer="momentum", rate=1e-2),
    "ensemble": dict(kind="ensemble", batch=64, features=64, width=64, depths=[1, 2, 3], classes=10, optimizer="adam", rate=1e-3),
    "lstm": dict(kind="lstm", batch=64, length=50, features=32, units=128, classes=10, optimizer="adam", rate=1e-3),
    "transformer": dict(kind="transformer", batch=8, length=128, width=256, heads=4, hidden=1024, classes=10, optimizer="adam", rate=1e-3),
    "resnet-20": dict(kind="resnet", batch=32, image=32, channels=[16, 32, 64], blocks=3, classes=10, optimizer="momentum", rate=1e-2),
    "embedding": dict(kind="embedding", batch=128, length=20, words=10000, width=64, hidden=64, classes=10, optimizer="adam", rate=1e-3),
}  # fmt: skip

# Models that fill a GPU. Their graphs draw each batch, since a constant one would be larger than the repository.
LARGE = {
    "mlp-large": dict(kind="mlp", batch=4096, features=2048, hidden=[8192, 8192], classes=1000, optimizer="sgd", rate=1e-2),
    "conv-large": dict(kind="conv", batch=512, image=32, channels=[64, 128, 256], dense=512, classes=10, optimizer="momentum", rate=1e-2),
    "lstm-large": dict(kind="lstm", batch=256, length=50, features=256, units=1024, classes=10, optimizer="adam", rate=1e-3),
    "transformer-large": dict(kind="transformer", batch=32, length=512, width=1024, heads=16, hidden=4096, classes=10, optimizer="adam", rate=1e-3),
    "resnet-20-large": dict(kind="resnet", batch=512, image=32, channels=[16, 32, 64], blocks=3, classes=10, optimizer="momentum", rate=1e-2),
    "embedding-large": dict(kind="embedding", batch=8192, length=64, words=1000000, width=64, hidden=256, classes=10, optimizer="adam", rate=1e-3),
}  # fmt: skip
ALL = {**MODELS, **LARGE}


def shape_of(spec):
    """The shape of a batch of inputs, which are words where the model has embeddings."""
    shapes = {
        "conv": lambda: (spec["image"], spec["image"], 3),
        "resnet": lambda: (spec["image"], spec["image"], 3),
        "lstm": lambda: (spec["length"], spec["features"]),
        "transformer": lambda: (spec["length"], spec["width"]),
        "embedding": lambda: (spec["length"],),
    }
    return (spec["batch"], *shapes.get(spec["kind"], lambda: (spec["features"],))())


def batch_of(spec):
    """One batch of inputs and labels. Only peers need it, and have numpy."""
    import numpy

    random = numpy.random.RandomState(0)
    if spec["kind"] == "embedding":
        inputs = random.randint(0, spec["words"], shape_of(spec)).astype(numpy.int32)
    else:
        inputs = random.rand(*shape_of(spec)).astype(numpy.float32)
    return inputs, random.randint(0, spec["classes"], spec["batch"]).astype(numpy.int32)
