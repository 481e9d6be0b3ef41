# SPDX-License-Identifier: Apache-2.0
"""What sources of grain yield, or of webdataset, is written into the same TFRecords as the same examples one by one, and trains."""
import json
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np

import ingot
import ingot.jax
from materialize import refused

COUNT = 120
X = np.random.default_rng(3).normal(size=(COUNT, 4)).astype(np.float32)
Y = (X[:, 0] > X[:, 1]).astype(np.float32)


def examples(order=range(COUNT)):
    return ({"x": X[index], "y": Y[index]} for index in order)


def written(source, folder, **more):
    """The bytes of all files of a source."""
    data = ingot.materialize(source, folder, shard_bytes=1000, **more)
    assert len(data) == COUNT and len(data.files) > 2, (len(data), data.files)
    return [open(file, "rb").read() for file in data.files]


def of_grain():
    import grain

    class Source:
        def __len__(self):
            return COUNT

        def __getitem__(self, index):
            return {"x": X[index], "y": Y[index]}

    def loader(shuffle, epochs, *operations):
        sampler = grain.samplers.IndexSampler(COUNT, shuffle=shuffle, seed=5, num_epochs=epochs, shard_options=grain.sharding.NoSharding())
        return grain.DataLoader(data_source=Source(), sampler=sampler, operations=operations, worker_count=0)

    plain = written(examples(), "plain")
    dataset = grain.MapDataset.source(Source())
    assert written(dataset, "map") == written(dataset.to_iter_dataset(), "iter") == plain
    # Batches, of which the last is short, are taken apart.
    assert written(dataset.batch(16), "batches") == written(dataset.to_iter_dataset().batch(16), "iter_batches") == plain
    assert written(loader(False, 1, grain.transforms.Batch(batch_size=16)), "loader") == plain
    order = [int(index) for index in grain.MapDataset.range(COUNT).shuffle(seed=5)]
    shuffled = dataset.shuffle(seed=5)
    assert written(shuffled, "shuffled") == written(examples(order), "reordered") != plain
    for endless in (dataset.repeat(), dataset.repeat().batch(16).to_iter_dataset(), loader(True, None)):
        refused("repeats its examples without end", endless, "endless")
    refused("batched=True takes batches apart", dataset.batch(16), "whole", batched=False)
    return shuffled, "shuffled"


def of_webdataset():
    import webdataset

    with webdataset.TarWriter("examples.tar") as file:
        for index, example in enumerate(examples()):
            file.write({"__key__": f"{index:04d}", "x.npy": example["x"], "y.npy": example["y"]})

    def pipeline():
        return webdataset.WebDataset("examples.tar", shardshuffle=False).decode()

    renamed = pipeline().rename(x="x.npy", y="y.npy")
    assert written(renamed, "tar") == written(examples(), "plain")
    pairs = ingot.materialize(pipeline().to_tuple("x.npy", "y.npy").batched(16), "pairs", batched=True)
    assert len(pairs) == COUNT and pairs.structure == "tuple", pairs.structure
    return renamed, "tar"


def step(weights, batch):
    loss, gradient = jax.value_and_grad(lambda one: jnp.mean((batch["x"] @ one - batch["y"]) ** 2))(weights)
    return weights - 0.1 * gradient, loss


def main(package):
    source, folder = {"grain": of_grain, "webdataset": of_webdataset}[package]()
    data = ingot.materialize(source, folder)
    ingot.jax.compile(step, jnp.zeros(4), data, "trainer", batch_size=20, shuffle=False)
    subprocess.run(["./trainer", "--model-dir", "run", "--max-steps", "12", "--losses", "losses.jsonl", "--quiet"], check=True)
    found, expected, weights = [json.loads(line)["loss"] for line in open("losses.jsonl")], [], jnp.zeros(4)
    drawn = list(source)
    for number in range(12):
        rows = [drawn[row % COUNT] for row in range(20 * number, 20 * number + 20)]
        weights, loss = step(weights, {key: np.stack([row[key] for row in rows]) for key in ("x", "y")})
        expected.append(float(loss))
    assert np.allclose(found, expected, atol=1e-5), (found, expected)
    print("passed")


main(sys.argv[1])
