# SPDX-License-Identifier: Apache-2.0
"""Models with layers that prepare data, pipelines from files, and a step of two optimizers: each trains as in TensorFlow."""
import json

import ingot
import numpy as np
import tensorflow as tf
from common import close, k, trains_as_in_keras

layers = k.layers
rng = np.random.RandomState(3)
cross_entropy = lambda: k.losses.SparseCategoricalCrossentropy(from_logits=True)


def texts():
    """Sentences, cut into words, numbered, embedded and read in both directions."""
    sentences = np.array(["good movie", "Bad movie!", "really good", "really bad, and long", "the plot was bad", "it was so good"] * 8)
    words = layers.TextVectorization(max_tokens=50, output_sequence_length=6)
    words.adapt(sentences)
    model = k.Sequential([
        layers.Input((1,), dtype="string"), words, layers.Embedding(50, 8, mask_zero=True), layers.Bidirectional(layers.LSTM(6)),
        layers.Dense(1, activation="sigmoid")])  # fmt: skip
    model.compile(k.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
    return model, (sentences[:, None].astype("S"), np.array([1, 0, 1, 0, 0, 1] * 8, "float32"))


def counts():
    """Words of sentences, counted in each of the layer's ways, by RaggedBincount."""
    sentences = np.array(["good movie", "Bad movie!", "really good", "really bad, and really long", "the plot was bad", "it was so so good"] * 8)
    words, found = layers.Input((1,), dtype="string"), []
    for mode in ("multi_hot", "count", "tf_idf"):
        found.append(layers.TextVectorization(max_tokens=12, output_mode=mode))
        found[-1].adapt(sentences)
    model = k.Model(words, layers.Dense(1, activation="sigmoid")(layers.Concatenate()([layer(words) for layer in found])))
    model.compile(k.optimizers.Adam(0.02), "binary_crossentropy", metrics=["accuracy"])
    return model, (sentences[:, None].astype("S"), np.array([1, 0, 1, 0, 0, 1] * 8, "float32"))


def table():
    """Words looked up and hashed, numbers normalized and put into buckets."""
    colors, sizes, ages = np.array(["red", "green", "blue", "red"] * 12), rng.normal(3, 2, (48, 2)).astype("f"), rng.randint(18, 80, (48, 1)).astype("f")
    lookup = layers.StringLookup(output_mode="one_hot")
    lookup.adapt(colors)
    normal = layers.Normalization()
    normal.adapt(sizes)
    buckets = layers.Discretization(bin_boundaries=[30.0, 50.0], output_mode="one_hot")
    color, size, age = layers.Input((1,), dtype="string", name="color"), layers.Input((2,), name="size"), layers.Input((1,), name="age")
    h = layers.Concatenate()([lookup(color), normal(size), buckets(age), layers.Hashing(num_bins=7, output_mode="one_hot")(color)])
    model = k.Model({"color": color, "size": size, "age": age}, layers.Dense(1, activation="sigmoid")(layers.Dense(8, activation="elu")(h)))
    model.compile(k.optimizers.Adam(0.02), "binary_crossentropy", metrics=["AUC", k.metrics.Precision(), k.metrics.Recall()])
    return model, ({"color": colors[:, None].astype("S"), "size": sizes, "age": ages}, rng.randint(0, 2, (48, 1)).astype("f"))


def augmented():
    """Images turned and scaled by chance; the chances are the layers' own."""
    model = k.Sequential([
        layers.Input((12, 12, 3)), layers.Rescaling(1 / 255.0), layers.RandomFlip("horizontal", seed=1), layers.RandomRotation(0.1, seed=2),
        layers.RandomZoom(0.1, seed=3), layers.Conv2D(4, 3, activation="relu"), layers.SeparableConv2D(4, 3), layers.GlobalAveragePooling2D(),
        layers.Dense(3)])  # fmt: skip
    model.compile("adam", cross_entropy(), metrics=["accuracy"])
    return model, (rng.randint(0, 255, (48, 12, 12, 3)).astype("uint8"), rng.randint(0, 3, 48))


def csv():
    """tf.data's own reader of CSV files."""
    with open("rows.csv", "w") as file:
        file.write("age,job,label\n" + "".join(f"{rng.randint(18, 80)},{rng.choice(['a', 'b', 'c'])},{rng.randint(0, 2)}\n" for _ in range(60)))
    data = tf.data.experimental.make_csv_dataset("rows.csv", 16, label_name="label", num_epochs=1, shuffle=False)
    data = data.map(lambda row, label: ({"age": tf.cast(row["age"], tf.float32)[:, None] / 80.0, "job": row["job"][:, None]}, label)).cache()
    inputs = {"age": layers.Input((1,), name="age"), "job": layers.Input((1,), dtype="string", name="job")}
    job = layers.StringLookup(vocabulary=["a", "b", "c"], output_mode="one_hot")(inputs["job"])
    model = k.Model(inputs, layers.Dense(2)(layers.Concatenate()([inputs["age"], job])))
    model.compile(k.optimizers.Adam(0.02), cross_entropy(), metrics=["accuracy"])
    return model, data


def lines():
    """Several files at once, parsed, shuffled, batched and read ahead."""
    for number in range(3):
        with open(f"part{number}.txt", "w") as file:
            file.write("".join(f"{rng.normal():.4f} {rng.normal():.4f};{rng.randint(0, 2)}\n" for _ in range(20)))

    def parse(line):
        parts = tf.strings.split(line, ";")
        return tf.ensure_shape(tf.strings.to_number(tf.strings.split(parts[0], " ")), [2]), tf.strings.to_number(parts[1], tf.int32)

    data = tf.data.Dataset.list_files("part*.txt", shuffle=False).interleave(
        tf.data.TextLineDataset, cycle_length=2, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)  # fmt: skip
    data = data.map(parse, num_parallel_calls=tf.data.AUTOTUNE).filter(lambda x, y: x[0] < 2.0).shuffle(30, seed=4).batch(8, drop_remainder=True)
    model = k.Sequential([layers.Input((2,)), layers.Dense(8, activation="relu"), layers.Dense(2)])
    model.compile("sgd", cross_entropy(), metrics=["accuracy"])
    return model, data.prefetch(2)


def adversaries():
    """Two networks and two optimizers in one step."""
    maker = k.Sequential([layers.Input((4,)), layers.Dense(16), layers.LeakyReLU(), layers.Dense(2)])
    judge = k.Sequential([layers.Input((2,)), layers.Dense(16), layers.LeakyReLU(), layers.Dense(1)])
    optimizers = k.optimizers.Adam(1e-3, beta_1=0.5), k.optimizers.Adam(1e-3, beta_1=0.5)
    entropy, chance = k.losses.BinaryCrossentropy(from_logits=True), tf.random.Generator.from_seed(5)

    @tf.function
    def step(real):
        with tf.GradientTape() as making, tf.GradientTape() as judging:
            said = judge(maker(chance.normal([tf.shape(real)[0], 4]), training=True), training=True)
            true = judge(real, training=True)
            loss = entropy(tf.ones_like(said), said)
            judged = entropy(tf.ones_like(true), true) + entropy(tf.zeros_like(said), said)
        for optimizer, tape, value, net in [(optimizers[0], making, loss, maker), (optimizers[1], judging, judged, judge)]:
            optimizer.apply_gradients(zip(tape.gradient(value, net.trainable_variables), net.trainable_variables))
        return {"loss": loss, "judged": judged}

    return step, tf.data.Dataset.from_tensor_slices(rng.normal(2, 1, (64, 2)).astype("f")).batch(16)


def ragged_counts(x):
    """Numbers of ragged rows, counted with weights, without, and once; some are beyond the size."""
    numbers = tf.cast(tf.abs(x) * 4.0, tf.int64)
    parts = [tf.raw_ops.RaggedBincount(splits=tf.constant([0, 3, 3, 16], tf.int64), values=numbers, size=tf.constant(5, tf.int64), weights=weights,
                                       binary_output=once) for weights, once in ((x, False), (tf.zeros([0]), False), (tf.zeros([0]), True))]  # fmt: skip
    factors = tf.reshape(tf.range(15.0), [3, 5])
    return {"loss": sum(tf.reduce_sum(part * (factors + index)) for index, part in enumerate(parts))}


for make in [texts, counts, table, augmented, csv, lines]:
    k.utils.set_random_seed(4)
    # Keras 2 keeps its chances in the process, not in variables.
    trains_as_in_keras(*make(), make.__name__, losses_too=make is not augmented or hasattr(getattr(k, "random", None), "SeedGenerator"))
k.utils.set_random_seed(4)
step, data = adversaries()
trainer = ingot.compile(step, data, "adversaries")
trainer.fit(max_steps=12, model_dir="adversaries-run", losses="adversaries.jsonl", fetch=["step/judged:0"], verbose=False)
found = [json.loads(line) for line in open("adversaries.jsonl")]
expected = [step(batch) for batch in data.repeat().take(12)]
close([one["loss"] for one in found], [float(one["loss"]) for one in expected], 1e-4)
close([one["step/judged:0"] for one in found], [float(one["judged"]) for one in expected], 1e-4)
data = tf.data.Dataset.from_tensor_slices(rng.normal(size=64).astype("f")).batch(16, drop_remainder=True)
trainer = ingot.compile(ragged_counts, data, "ragged")
trainer.fit(max_steps=4, model_dir="ragged-run", losses="ragged.jsonl", verbose=False)
close([json.loads(line)["loss"] for line in open("ragged.jsonl")], [float(ragged_counts(x)["loss"]) for x in data], 1e-4)
print("passed")
