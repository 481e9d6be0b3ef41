# SPDX-License-Identifier: Apache-2.0
"""Models that nothing here was tuned on, in numbers, from which TensorFlow's graphs and JAX's steps are built.

Each is typical of its field, with the sizes and the optimizer that people use there. `inputs` says what a batch is: kind,
shape and, of integers, what they stay below. Images are NHWC, sequences [batch, length, features].
"""
TABLES = {
    "logistic-regression": dict(
        kind="logistic", optimizer="sgd", rate=0.1,
        inputs=dict(x=("unit", (512, 123)), y=("bits", (512,)))),
    "mlp-dropout": dict(
        kind="mlp_dropout", hidden=[300, 100], dropout=0.5, classes=11, optimizer="rmsprop", rate=1e-3,
        inputs=dict(x=("normal", (200, 37)), y=("integers", (200,), 11))),
    "mlp-deep": dict(
        kind="mlp_deep", depth=12, width=48, classes=5, optimizer="momentum", rate=1e-2,
        inputs=dict(x=("normal", (100, 29)), y=("integers", (100,), 5))),
    # Criteo-like: the linear part by FTRL, the deep one by Adagrad, as DNNLinearCombinedClassifier does.
    "wide-and-deep": dict(
        kind="wide_and_deep", sizes=[1000, 37, 509, 12, 4000, 100, 7, 250], width=8, hidden=[256, 128, 64], optimizer="adagrad", rate=0.05,
        ftrl=dict(rate=0.1, l1=1e-3),
        inputs=dict(numeric=("normal", (256, 13)), categories=("categories", (256,), [1000, 37, 509, 12, 4000, 100, 7, 250]), y=("bits", (256,)))),
    "dlrm": dict(
        kind="dlrm", sizes=[10000, 509, 20000, 3, 7000, 18000, 63, 11000], width=32, bottom=[128, 32], top=[128, 64], optimizer="adagrad", rate=0.01,
        inputs=dict(numeric=("normal", (512, 13)), categories=("categories", (512,), [10000, 509, 20000, 3, 7000, 18000, 63, 11000]), y=("bits", (512,)))),
    # The sizes of MovieLens 1M.
    "matrix-factorization": dict(
        kind="factorization", users=6040, items=3706, rank=50, decay=0.02, optimizer="sgd", rate=0.05,
        inputs=dict(users=("integers", (1000,), 6040), items=("integers", (1000,), 3706), ratings=("normal", (1000,)))),
    "vae": dict(
        kind="vae", hidden=400, latent=20, optimizer="adam", rate=1e-3,
        inputs=dict(x=("bits", (100, 784)))),
    "gan": dict(
        kind="gan", noise=100, generator=[256, 512], discriminator=[512, 256], optimizer="adam", rate=2e-4,
        inputs=dict(x=("unit", (64, 784)))),
    "set-attention": dict(
        kind="set_attention", features=[64, 128], seeds=4, dense=64, classes=40, optimizer="adam", rate=1e-3,
        inputs=dict(x=("normal", (64, 50, 3)), y=("integers", (64,), 40))),
    # The sizes of Cora, its adjacency as a dense matrix.
    "graph-convolution": dict(
        kind="graph_convolution", hidden=16, classes=7, dropout=0.5, decay=5e-4, optimizer="adam", rate=1e-2,
        inputs=dict(x=("rare", (2708, 1433)), adjacency=("adjacency", (2708, 2708)), y=("integers", (2708,), 7), known=("rare", (2708,)))),
}  # fmt: skip

IMAGES = {
    "lenet-5": dict(
        kind="lenet", channels=[6, 16], dense=[120, 84], classes=10, optimizer="momentum", rate=1e-2,
        inputs=dict(x=("unit", (64, 28, 28, 1)), y=("integers", (64,), 10))),
    # Channels and stride of each depthwise separable block.
    "mobilenet": dict(
        kind="mobilenet", stem=16, blocks=[(32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1)], classes=100, optimizer="rmsprop-momentum",
        rate=1e-3, inputs=dict(x=("normal", (16, 64, 64, 3)), y=("integers", (16,), 100))),
    "densenet": dict(
        kind="densenet", growth=12, stem=24, blocks=[4, 4, 4], classes=10, optimizer="nesterov", rate=1e-2,
        inputs=dict(x=("normal", (16, 32, 32, 3)), y=("integers", (16,), 10))),
    "unet": dict(
        kind="unet", channels=[16, 32, 64], classes=3, optimizer="adam", rate=1e-3,
        inputs=dict(x=("normal", (4, 96, 96, 1)), y=("integers", (4, 96, 96), 3))),
    "vit": dict(
        kind="vit", patch=4, width=128, heads=4, layers=4, hidden=256, classes=10, optimizer="adam", rate=1e-3,
        inputs=dict(x=("normal", (16, 32, 32, 3)), y=("integers", (16,), 10))),
    "mlp-mixer": dict(
        kind="mixer", patch=4, width=100, tokens=64, hidden=400, layers=4, classes=10, optimizer="adam", rate=1e-3,
        inputs=dict(x=("normal", (20, 32, 32, 3)), y=("integers", (20,), 10))),
    # Atari frames and the network of Mnih et al. (2015), with a target network that follows slowly.
    "dqn": dict(
        kind="dqn", filters=[(32, 8, 4), (64, 4, 2), (64, 3, 1)], dense=512, actions=6, discount=0.99, follow=0.005, optimizer="rmsprop", rate=2.5e-4,
        inputs=dict(state=("bytes", (32, 84, 84, 4)), after=("bytes", (32, 84, 84, 4)), action=("integers", (32,), 6), reward=("normal", (32,)),
                    ended=("bits", (32,)))),
}  # fmt: skip

SEQUENCES = {
    # Human activity recognition: nine sensors, 128 samples.
    "cnn-1d": dict(
        kind="cnn_1d", filters=64, dropout=0.5, dense=100, classes=6, optimizer="adam", rate=1e-3,
        inputs=dict(x=("normal", (32, 128, 9)), y=("integers", (32,), 6))),
    "gru-text": dict(
        kind="gru", words=5000, width=50, units=100, optimizer="rmsprop", rate=1e-3,
        inputs=dict(x=("integers", (32, 80), 5000), y=("bits", (32,)))),
    "bilstm-tagger": dict(
        kind="bilstm", words=10000, width=100, units=64, tags=17, clip=5.0, optimizer="adam", rate=1e-3,
        inputs=dict(x=("integers", (32, 37), 10000), lengths=("lengths", (32,), 37), y=("integers", (32, 37), 17))),
    "seq2seq": dict(
        kind="seq2seq", words=1000, width=128, units=128, layers=2, clip=5.0, optimizer="sgd", rate=0.5,
        inputs=dict(source=("integers", (64, 25), 1000), target=("integers", (64, 28), 1000))),
    "wavenet": dict(
        kind="wavenet", levels=256, width=32, skip=64, dilations=[1, 2, 4, 8, 16, 32, 64, 128], optimizer="adam", rate=1e-3,
        inputs=dict(x=("integers", (4, 1001), 256))),
    "transformer-encoder": dict(
        kind="encoder", words=8000, width=128, heads=8, hidden=512, layers=3, dropout=0.1, classes=2, optimizer="adam", rate=1e-3, warm_up=4000,
        inputs=dict(x=("integers", (16, 100), 8000), lengths=("lengths", (16,), 100), y=("integers", (16,), 2))),
    "gpt": dict(
        kind="gpt", words=509, width=192, heads=6, layers=4, clip=1.0, optimizer="adam", rate=6e-4,
        inputs=dict(x=("integers", (8, 129), 509))),
}  # fmt: skip
MODELS = {**TABLES, **IMAGES, **SEQUENCES}


def drawn(random, kind, shape, below=None):
    """Numbers of a kind, by numpy's generator `random`."""
    import numpy

    if kind == "integers":
        return random.randint(0, below, shape).astype(numpy.int32)
    if kind == "categories":
        return numpy.stack([random.randint(0, size, shape) for size in below], 1).astype(numpy.int32)
    if kind == "lengths":
        return random.randint(below // 3, below + 1, shape).astype(numpy.int32)
    if kind == "bytes":
        return random.randint(0, 256, shape).astype(numpy.uint8)
    if kind == "adjacency":  # symmetric, with loops, normalized as Kipf and Welling do
        edges = random.rand(*shape) < 2.0 / shape[0]
        edges = (edges | edges.T | numpy.eye(shape[0], dtype=bool)).astype(numpy.float32)
        degrees = edges.sum(1) ** -0.5
        return edges * degrees[:, None] * degrees[None, :]
    numbers = {
        "unit": lambda: random.rand(*shape),
        "normal": lambda: random.randn(*shape),
        "bits": lambda: random.rand(*shape) < 0.5,
        "rare": lambda: random.rand(*shape) < 0.05,
    }
    return numbers[kind]().astype(numpy.float32)


def batch_of(spec):
    """One batch by the names of its parts, the same in each program. Needs numpy."""
    import numpy

    random = numpy.random.RandomState(0)
    return {name: drawn(random, *what) for name, what in spec["inputs"].items()}
