# SPDX-License-Identifier: Apache-2.0
"""A source that is written into TFRecords trains as its arrays do, also after it was interrupted."""
import glob
import json
import shutil
import subprocess

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

import ingot
import ingot.jax

COUNT = 500
RNG = np.random.default_rng(7)
DATA = {
    "x": RNG.normal(size=(COUNT, 3, 5)).astype(np.float32),
    "half": RNG.normal(size=(COUNT, 4)).astype(ml_dtypes.bfloat16),
    "on": RNG.random(size=(COUNT, 2)) < 0.5,
    "byte": RNG.integers(0, 256, size=(COUNT, 1)).astype(np.uint8),
}

DATA["label"] = DATA["x"][:, :, 0].argmax(1).astype(np.int64)


class Interrupted(Exception):
    pass


def examples(end=COUNT, last=COUNT, shift=0):
    """The first `last` examples one by one; raises before example `end`."""
    for row in range(last):
        if row == end:
            raise Interrupted
        yield {key: array[(row + shift) % COUNT] for key, array in DATA.items()}


def step(state, batch):
    def loss_of(weights):
        features = jnp.concatenate([batch["x"].reshape(-1, 15), batch["half"].astype(jnp.float32), batch["on"].astype(jnp.float32),
                                    batch["byte"].astype(jnp.float32) / 256], 1)
        scores = jax.nn.log_softmax(features @ weights)
        return -jnp.mean(jnp.take_along_axis(scores, batch["label"][:, None], 1))

    loss, gradient = jax.value_and_grad(loss_of)(state)
    return state - 0.5 * gradient, loss


def losses(data, name, shuffle, **more):
    ingot.jax.compile(step, jnp.zeros((22, 3)), data, name, batch_size=32, shuffle=shuffle, seed=3, **more)
    command = [f"./{name}", "--model-dir", f"{name}-run", "--max-steps", "40", "--losses", f"{name}.jsonl", "--quiet"]
    subprocess.run(command, check=True)
    return [json.loads(line)["loss"] for line in open(f"{name}.jsonl")]


def refused(words, source, folder, **more):
    try:
        ingot.materialize(source, folder, **more)
    except ingot.ExportError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"not refused: {words}")


def main():
    for folder in ("records", "batches", "other", "empty"):
        shutil.rmtree(folder, ignore_errors=True)
    # Stopped three times, in and between shards; each time it goes on after the last whole one.
    for end in (10, 130, 300):
        try:
            ingot.materialize(examples(end), "records", shard_bytes=20_000)
        except Interrupted:
            continue
        raise AssertionError("not interrupted")
    refused("yields other examples", examples(shift=1), "records", shard_bytes=20_000)
    refused("yields other examples", examples(last=50), "records", shard_bytes=20_000)
    data = ingot.materialize(examples(), "records", shard_bytes=20_000)
    assert len(data) == COUNT and len(data.files) > 2, (len(data), data.files)
    assert not glob.glob("records/*.tempstate")
    # What is complete is not drawn again.
    assert len(ingot.materialize(iter(()), "records")) == COUNT

    ordered = losses(DATA, "arrays", False)
    assert len(ordered) == 40 and ordered[-1] < ordered[0]
    assert losses(data, "materialized", False) == ordered
    # Batches that are taken apart give the same files.
    batches = ({key: array[at : at + 32] for key, array in DATA.items()} for at in range(0, COUNT, 32))
    taken = ingot.materialize(batches, "batches", batched=True, shard_bytes=20_000)
    for one, other in zip(data.files, taken.files):
        assert open(one, "rb").read() == open(other, "rb").read(), one
    # A shuffle of all records has the order of a shuffle of all examples.
    assert losses(data, "shuffled", True) == losses(DATA, "arrays_shuffled", True) != ordered

    refused("yields no examples", [], "empty")
    refused("all examples need the same structure", [np.zeros(3, np.float32), np.zeros(4, np.float32)], "other")
    refused("numbers and bools can be written", [np.array(["a"])], "other")
    refused("batched=False", [{"x": np.zeros(3), "y": np.zeros(4)}], "other", batched=True)
    print("passed")


if __name__ == "__main__":
    main()
