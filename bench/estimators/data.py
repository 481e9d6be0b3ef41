# SPDX-License-Identifier: Apache-2.0
"""Data of the Estimators' searches: CSV files that TensorFlow and Ingot read alike.

Each set has a training and a test part. All but the digits are drawn from functions that are written here, by NumPy's
generator with a fixed seed.
"""
import csv
import dataclasses
import pathlib

import numpy as np

DIGITS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "digits" / "data"
JOBS = ("baker", "clerk", "driver", "farmer", "nurse", "pilot", "smith", "tailor")
TOWNS, WORDS = 12, 30


@dataclasses.dataclass(frozen=True)
class Feature:
    """A feature column: what networks call it, its columns of the file, and its kind with the kind's options."""

    name: str
    column: str
    kind: str
    options: tuple = ()
    embedding: int = 0


@dataclasses.dataclass
class Data:
    """Columns by name, of both parts; features; labels by head."""

    train: dict
    test: dict
    features: list
    labels: list
    weight: str = ""

    @property
    def columns(self):
        return list(self.train)


def numbers(name, columns):
    return {f"{name}{i}": column for i, column in enumerate(columns.T)}


def parts(columns, features, labels, train, weight=""):
    """Cuts columns into a training and a test part."""
    return Data({name: values[:train] for name, values in columns.items()},
                {name: values[train:] for name, values in columns.items()}, features, labels, weight)  # fmt: skip


def digits():
    """8x8 images of ten digits: the example's own files, 1,400 and 397."""

    def read(path):
        with open(path, encoding="utf-8") as file:
            rows = list(csv.reader(file))
        values = np.array(rows[1:], np.float32)
        return {name: values[:, i] if name != "digit" else values[:, i].astype(np.int64) for i, name in enumerate(rows[0])}

    return Data(read(DIGITS / "train.csv"), read(DIGITS / "test.csv"), [Feature("pixels", "p*", "numeric", (("scale", 0.0625),))], ["digit"])


def friedman(seed=11):
    """Friedman's first function of ten numbers, five of which count, with noise; 2,000 and 2,000."""
    draw = np.random.RandomState(seed)
    x = draw.rand(4000, 10)
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4] + draw.randn(4000)
    columns = {**numbers("x", x.astype(np.float32)), "y": ((y - 14.4) / 5).astype(np.float32)}
    return parts(columns, [Feature("x", "x*", "numeric")], ["y"], 2000)


def targets(seed=12):
    """Three targets of eight numbers; 2,000 and 2,000."""
    draw = np.random.RandomState(seed)
    x = draw.randn(4000, 8)
    y = np.stack([np.tanh(x[:, 0] + x[:, 1] * x[:, 2]), np.sin(x[:, 3]) + 0.5 * x[:, 4], np.abs(x[:, 5]) - x[:, 6]], 1)
    y += 0.3 * draw.randn(*y.shape)
    return parts({**numbers("x", x.astype(np.float32)), **numbers("y", y.astype(np.float32))}, [Feature("x", "x*", "numeric")],
                 ["y0", "y1", "y2"], 2000)  # fmt: skip


def rings(seed=13):
    """Two classes: in which of nested shells of six dimensions a point is; a tenth of the labels is wrong. Weights of examples."""
    draw = np.random.RandomState(seed)
    x = draw.randn(5000, 6)
    label = (np.sum(x[:, :4] ** 2, 1) + 0.5 * x[:, 4] > 3.5) ^ (draw.rand(5000) < 0.1)
    columns = {**numbers("x", x.astype(np.float32)), "w": (0.5 + draw.rand(5000)).astype(np.float32), "label": label.astype(np.int64)}
    return parts(columns, [Feature("x", "x*", "numeric")], ["label"], 2500, "w")


def rings_alike(seed=13):
    """As rings; all examples count alike."""
    data = rings(seed)
    del data.train["w"], data.test["w"]
    data.weight = ""
    return data


def blobs(seed=14):
    """Three classes of eight numbers that overlap; 2,400 and 2,400."""
    draw = np.random.RandomState(seed)
    label = draw.randint(0, 3, 4800)
    centers = 1.6 * draw.randn(3, 2, 8)
    x = centers[label, draw.randint(0, 2, 4800)] + 1.5 * draw.randn(4800, 8)
    return parts({**numbers("x", x.astype(np.float32)), "label": label.astype(np.int64)}, [Feature("x", "x*", "numeric")], ["label"], 2400)


def tags(seed=15):
    """Five labels, any of which may be right, of twelve numbers; 2,500 and 2,500."""
    draw = np.random.RandomState(seed)
    x = draw.randn(5000, 12)
    logits = 1.5 * (np.tanh(x @ draw.randn(12, 8)) @ draw.randn(8, 5))
    y = (draw.rand(5000, 5) < 1 / (1 + np.exp(-logits))).astype(np.int64)
    return parts({**numbers("x", x.astype(np.float32)), **numbers("tag", y)}, [Feature("x", "x*", "numeric")],
                 [f"tag{i}" for i in range(5)], 2500)  # fmt: skip


def pair(seed=16):
    """An amount and a sign of eight numbers; 2,500 and 2,500."""
    draw = np.random.RandomState(seed)
    x = draw.randn(5000, 8)
    amount = np.sin(x[:, 0]) + x[:, 1] * x[:, 2] / 2 + 0.3 * draw.randn(5000)
    sign = (x[:, 3] * x[:, 4] + x[:, 5] + 0.7 * draw.randn(5000) > 0).astype(np.int64)
    return parts({**numbers("x", x.astype(np.float32)), "amount": amount.astype(np.float32), "sign": sign},
                 [Feature("x", "x*", "numeric")], ["amount", "sign"], 2500)  # fmt: skip


def people(seed=17):
    """Two classes of people by age, hours, job and town; 3,000 and 3,000."""
    draw = np.random.RandomState(seed)
    n = 6000
    age, hours = 18 + 60 * draw.rand(n), 60 * draw.rand(n)
    job, town = draw.randint(0, len(JOBS), n), draw.randint(0, TOWNS, n)
    by_job, by_town, by_both = draw.randn(len(JOBS)), draw.randn(TOWNS), 1.5 * draw.randn(len(JOBS), TOWNS)
    logit = by_job[job] + by_town[town] + by_both[job, town] + (hours - 30) / 12 - ((age - 45) / 12) ** 2 + 1
    return {"age": age.astype(np.float32), "hours": hours.astype(np.float32), "job": np.array(JOBS)[job], "town": town.astype(np.int64),
            "rich": (draw.rand(n) < 1 / (1 + np.exp(-logit))).astype(np.int64)}  # fmt: skip


AGES = (25.0, 35.0, 45.0, 55.0, 65.0)
AGE = Feature("age", "age", "numeric", (("offset", 45.0), ("scale", 0.05)))
HOURS = Feature("hours", "hours", "numeric", (("offset", 30.0), ("scale", 0.05)))
BUCKETS = Feature("age_bucketized", "age", "bucketized", AGES)


def people_crossed():
    """People, with buckets of ages, jobs one-hot, and jobs crossed with towns."""
    columns = people()
    features = [AGE, BUCKETS, HOURS, Feature("job_X_town_indicator", "job_indicator,town", "crossed", (200,)),
                Feature("job_indicator", "job", "vocabulary", JOBS), Feature("town", "town", "identity", (TOWNS,), 3)]  # fmt: skip
    return parts(columns, features, ["rich"], 3000)


def people_embedded():
    """People, with embeddings of jobs, by a vocabulary that lacks two of them, and of towns."""
    features = [AGE, HOURS, Feature("job", "job", "vocabulary", JOBS[:-2], 3), Feature("town", "town", "identity", (TOWNS,), 4)]
    return parts(people(), features, ["rich"], 3000)


def words(seed=18):
    """How well two words go together, which an embedding that they share can tell; 3,000 and 3,000."""
    draw = np.random.RandomState(seed)
    table = draw.randn(WORDS, 3)
    left, right = draw.randint(0, WORDS, 6000), draw.randint(0, WORDS, 6000)
    x = draw.randn(6000, 2)
    y = np.sum(table[left] * table[right], 1) / 2 + x[:, 0] + 0.2 * draw.randn(6000)
    columns = {**numbers("x", x.astype(np.float32)), "left": left.astype(np.int64), "right": right.astype(np.int64), "y": y.astype(np.float32)}
    features = [Feature("left", "left", "identity", (WORDS,)), Feature("right", "right", "identity", (WORDS,)), Feature("x", "x*", "numeric")]
    return parts(columns, features, ["y"], 3000)


SETS = {function.__name__: function for function in (
    digits, friedman, targets, rings, rings_alike, blobs, tags, pair, people_crossed, people_embedded, words)}  # fmt: skip


def features_of(data, columns):
    features = {}
    for feature in data.features:
        if feature.column.endswith("*"):
            names = [name for name in columns if name.startswith(feature.column[:-1]) and name not in data.labels]
            features[feature.name] = np.stack([columns[name] for name in names], 1)
        elif feature.kind != "crossed":
            features[feature.column] = columns[feature.column]
    if data.weight:
        features[data.weight] = columns[data.weight][:, None]
    return features


def labels_of(case, data, columns):
    labels = [columns[name] for name in data.labels]
    if case.head == "multi":
        return {name: label[:, None] for name, label in zip(data.labels, labels)}
    return np.stack(labels, 1)


def read(data, path):
    """The columns of a file that `write` has written."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {name: np.array(values).astype(data.train[name].dtype) for name, values in zip(rows[0], zip(*rows[1:]))}


def write(data, folder):
    """train.csv and test.csv; floats with all their digits."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("train", "test"):
        columns = getattr(data, part)
        texts = [[f"{value:.9g}" for value in column] if column.dtype == np.float32 else [str(value) for value in column]
                 for column in columns.values()]  # fmt: skip
        with open(folder / f"{part}.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*texts))
