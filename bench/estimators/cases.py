# SPDX-License-Identifier: Apache-2.0
"""The Estimators' searches, each said once: `tensorflow_side.py` makes an adanet.Estimator of it, `search_text.py` a search file."""
import dataclasses

# The names of variables in TensorFlow's canned Estimators, and in the graphs of the same networks, as ingot-ckpt rename takes them.
CANNED_NAMES = (
    r"(subnetwork_[^/]+)/model_fn/dnn/.*/hiddenlayer_0/=\1/dense/",
    r"(subnetwork_[^/]+)/model_fn/dnn/.*/logits/=\1/dense_1/",
    r"(subnetwork_[^/]+)/model_fn/linear/linear_model/bias_weights=\1/line/bias",
    r"(subnetwork_[^/]+)/model_fn/linear/linear_model/x/weights=\1/line/kernel",
    r"(subnetwork_[^/]+)/model_fn/(dense[^/]*)/=\1/\2/",
)


@dataclasses.dataclass(frozen=True)
class Optimizer:
    """`options` are named as in search files; `schedule` is (kind, steps, rate or alpha)."""

    kind: str
    rate: float
    options: tuple = ()
    clip: float = 0
    schedule: tuple = ()


@dataclasses.dataclass(frozen=True)
class Network:
    """A generator. `kind`: simple_dnn (AdaNet's own example), linear, dnn, convolutional; shared and wide_deep, which a
    search file has as graphs; canned, an Estimator of TensorFlow's in a pool of AutoEnsembleEstimator."""

    kind: str
    optimizer: Optimizer
    sizes: tuple = ()
    activation: str = ""
    dropout: float = 0
    learns_mixture: bool = False
    complexity: float = 1
    # Of an AutoEnsembleSubestimator: examples of its own, as (seed of their shuffle, batch).
    bagging: tuple = ()


@dataclasses.dataclass(frozen=True)
class Ensembler:
    kind: str = "complexity_regularized"
    weights: str = "SCALAR"
    penalty: tuple = (0.0, 0.0)  # lambda, beta
    bias: bool = False
    warm: bool = False
    optimizer: Optimizer = None
    name: str = ""


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    data: str
    head: str
    networks: tuple
    ensemblers: tuple = (Ensembler(),)
    strategies: tuple = ("GROW",)
    batch: int = 64
    steps: int = 300
    iterations: int = 3
    buffer: int = 3000
    decay: float = 0.9
    force_grow: bool = False
    replicate: bool = False
    # A metric of the test set that selects, and whether the highest is the best.
    evaluator: tuple = ()
    # Parts that a search file says in another way: see Case.note in the table.
    note: str = ""

    @property
    def is_pool(self):
        return any(network.kind.startswith("pool") for network in self.networks)


def graph_name(network):
    return "_".join([network.kind, *map(str, network.sizes)]) if not network.kind.startswith("pool") else network.kind


def sgd(rate, **more):
    return Optimizer("sgd", rate, **more)


def adam(rate, **more):
    return Optimizer("adam", rate, **more)


def momentum(rate, nesterov=False, **more):
    return Optimizer("momentum", rate, (("momentum", 0.9), ("nesterov", nesterov)), **more)


def dnn(*sizes, optimizer, **more):
    return Network("dnn", optimizer, sizes, **more)


def linear(optimizer):
    return Network("linear", optimizer)


def weighted(optimizer=None, **more):
    return Ensembler(optimizer=optimizer, **more)


MEAN = Ensembler("mean")
RMSPROP = Optimizer("rmsprop", 0.002, (("decay", 0.9), ("momentum", 0.5), ("epsilon", 1e-7)))

# Keras's epsilon.
KERAS = adam(0.01, options=(("epsilon", 1e-7),))

CASES = (
    Case("simple_dnn, momentum", "digits", "multi_class",
         (Network("simple_dnn", momentum(0.02), (32,), learns_mixture=True),),
         (weighted(penalty=(0.001, 0.0001), bias=True),)),
    Case("simple_dnn with one Adam for all", "digits", "multi_class",
         (Network("simple_dnn", adam(0.003), (64,), learns_mixture=True),),
         (weighted(weights="MATRIX", penalty=(0.001, 0.0001), bias=True, warm=True),)),
    Case("fixed list, tanh, vectors", "blobs", "multi_class",
         (dnn(12, optimizer=adam(0.005), activation="tanh"), dnn(24, 12, optimizer=adam(0.005), activation="tanh")),
         (weighted(adam(0.005), weights="VECTOR", penalty=(0.002, 0.0005)),)),
    Case("convolutional and linear", "digits", "multi_class",
         (Network("convolutional", adam(0.003), (8, 32)), linear(adam(0.005))),
         (weighted(sgd(0.05), penalty=(0.0, 0.001), bias=True),), steps=150, force_grow=True),
    Case("linear and DNN, decayed SGD", "friedman", "regression",
         (linear(sgd(0.05)), dnn(16, optimizer=sgd(0.1, schedule=("exponential", 100, 0.8)))),
         (weighted(sgd(0.02), penalty=(0.001, 0.0), bias=True),), batch=32),
    Case("simple_dnn, RMSProp, vectors", "friedman", "regression",
         (Network("simple_dnn", Optimizer("rmsprop", 0.003), (24,), learns_mixture=True),),
         (weighted(weights="VECTOR", penalty=(0.01, 0.001), bias=True, warm=True),)),
    Case("heavy penalty, Adagrad, grow and all", "friedman", "regression",
         (dnn(8, optimizer=Optimizer("adagrad", 0.1)), dnn(16, 16, 16, optimizer=Optimizer("adagrad", 0.1))),
         (weighted(sgd(0.01), penalty=(0.05, 0.01)),), ("GROW", "ALL"), decay=0.99),
    Case("weights of examples, mean, solo and grow", "rings", "binary",
         (dnn(6, optimizer=adam(0.01)), dnn(16, optimizer=adam(0.01)), dnn(16, 16, optimizer=adam(0.01))),
         (MEAN,), ("SOLO", "GROW"), batch=100, iterations=2),
    Case("evaluator by accuracy", "rings_alike", "binary",
         (dnn(6, optimizer=momentum(0.05, True)), dnn(24, optimizer=momentum(0.05, True))),
         (weighted(sgd(0.05), weights="VECTOR", penalty=(0.0, 0.001), bias=True),), evaluator=("accuracy", True)),
    Case("evaluator by adanet_loss", "blobs", "multi_class",
         (linear(momentum(0.02)), dnn(16, optimizer=momentum(0.02))),
         (weighted(sgd(0.05), penalty=(0.01, 0.001), bias=True),), evaluator=("adanet_loss", False)),
    Case("several labels, matrices, Adagrad, warm", "tags", "multi_label",
         (dnn(24, optimizer=Optimizer("adagrad", 0.1)), dnn(24, 24, optimizer=Optimizer("adagrad", 0.1))),
         (weighted(Optimizer("adagrad", 0.1), weights="MATRIX", penalty=(0.0005, 0.0001), warm=True),), batch=50),
    Case("two heads, RMSProp", "pair", "multi",
         (dnn(12, optimizer=RMSPROP), dnn(24, 12, optimizer=RMSPROP)),
         (weighted(momentum(0.01), penalty=(0.002, 0.001), bias=True, warm=True),), batch=100),
    Case("feature columns, crossed, one-hot", "people_crossed", "binary",
         (linear(Optimizer("ftrl", 0.1, (("l1", 0.001), ("l2", 0.001)))), dnn(16, optimizer=Optimizer("adagrad", 0.1))),
         (weighted(sgd(0.05), penalty=(0.001, 0.001), bias=True),), batch=100),
    Case("embeddings", "people_embedded", "binary",
         (dnn(8, optimizer=adam(0.01)), dnn(16, 16, optimizer=adam(0.01))),
         (weighted(adam(0.01), penalty=(0.001, 0.0), warm=True),), batch=100),
    Case("shared embeddings", "words", "regression",
         (Network("shared", adam(0.01), (16,), complexity=1), Network("shared", adam(0.01), (24, 12), complexity=1.5)),
         (weighted(sgd(0.02), penalty=(0.002, 0.001), bias=True),), batch=100),
    Case("wide and deep, of one's own", "people_crossed", "binary",
         (Network("wide_deep", adam(0.01), (16,), complexity=1), Network("wide_deep", adam(0.01), (16, 16), complexity=1.4)),
         (weighted(adam(0.01), weights="VECTOR", penalty=(0.001, 0.001), bias=True),), batch=100),
    Case("dropout, networks replicated in training", "tags", "multi_label",
         (dnn(48, optimizer=adam(0.005), dropout=0.3), dnn(48, 24, optimizer=adam(0.005), dropout=0.3)),
         (weighted(sgd(0.05), bias=True),), replicate=True, batch=100),
    Case("two ensemblers, three strategies", "blobs", "multi_class",
         (dnn(8, optimizer=sgd(0.1, clip=1.0)), dnn(16, optimizer=sgd(0.1, clip=1.0))),
         (weighted(sgd(0.05), weights="VECTOR", penalty=(0.001, 0.0), bias=True, name="vectors"), weighted(penalty=(0.0, 0.01), name="fixed")),
         ("GROW", "ALL", "SOLO"), iterations=2),
    Case("a pool of canned Estimators, bagging", "rings_alike", "binary",
         (Network("pool_linear", KERAS), Network("pool_dnn", KERAS, (16,), bagging=(5, 50)), Network("pool_wide_deep", KERAS, (16,))),
         (weighted(sgd(0.05), penalty=(0.0, 0.002), bias=True),), iterations=2,
         note="the search's networks are graphs of the same layers"),
    Case("three targets, matrices, cosine, four iterations", "targets", "regression",
         (dnn(20, optimizer=adam(0.01, schedule=("cosine", 200, 0.1)), activation="selu"),
          dnn(10, 10, optimizer=adam(0.01, schedule=("cosine", 200, 0.1)), activation="selu")),
         (weighted(adam(0.005), weights="MATRIX", penalty=(0.001, 0.0002)),), steps=200, iterations=4, decay=0.5, batch=200),
)  # fmt: skip
