# SPDX-License-Identifier: Apache-2.0
"""The models of models_with_tensorflow.py, and what TensorFlow's session makes of them in 100 steps.

    models_in_tensorflow.py MODEL FOLDER

Leaves in FOLDER the files that the input reads, train.meta, model.ckpt-0, and expected.json: for the loss of each step and
for each variable after the last, TensorFlow's values and by how much these move at most if the initial variables are
disturbed by relative noise of 6e-8, which is a rounding. The graph runs with FOLDER as working directory.
"""
import json
import os
import random
import sys
import time

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
v1.logging.set_verbosity(v1.logging.ERROR)

STEPS, NOISES = 100, 4
WORDS = "the a cat dog bird sees hears follows big small old red fast slowly often never and under over near".split()
WORDS += ["größte", "café", "naïve", "雨の日", "кошка"]


def ints(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def words(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value.encode() for value in values]))


def write_records(path, messages):
    with tf.io.TFRecordWriter(path) as writer:
        for message in messages:
            writer.write(message.SerializeToString())


def next_of(dataset):
    iterator = v1.data.make_initializable_iterator(dataset)
    v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return iterator.get_next()


def variable(name, *shape):
    return v1.get_variable(name, shape, initializer=v1.glorot_uniform_initializer(seed=len(name)))


def sentence(rng):
    """Words, and the class of each: its place in the list, changed by the word before it."""
    places = [rng.randrange(len(WORDS)) for _ in range(rng.randint(1, 9))]
    tags = [(place + (places[i - 1] if i else 0)) % 5 for i, place in enumerate(places)]
    return [WORDS[place] for place in places], tags


def tagger():
    """SequenceExamples, parsed as a batch: a bidirectional LSTM over embedded words that a lookup table numbers, a linear-chain
    CRF, and the edit distance of the tags."""
    rng = random.Random(3)
    messages = []
    for number in range(90):
        text, tags = sentence(rng)
        lists = {"word": [words(word) for word in text], "tag": [ints(tag) for tag in tags],
                 "shape": [floats(*([float(len(word))] * (1 + len(word) % 2))) for word in text]}  # fmt: skip
        messages.append(tf.train.SequenceExample(
            context=tf.train.Features(feature={"source": ints(number % 3)}),
            feature_lists=tf.train.FeatureLists(feature_list={key: tf.train.FeatureList(feature=value) for key, value in lists.items()})))
    write_records("sentences.tfrecord", messages)
    serialized = next_of(tf.data.TFRecordDataset("sentences.tfrecord").shuffle(40, seed=5).repeat().batch(16))
    context, features, lengths = tf.io.parse_sequence_example(
        serialized, {"source": tf.io.FixedLenFeature([], tf.int64)},
        {"word": tf.io.FixedLenSequenceFeature([], tf.string), "tag": tf.io.FixedLenSequenceFeature([], tf.int64),
         "shape": tf.io.RaggedFeature(tf.float32)})  # fmt: skip
    length, tags = tf.cast(lengths["word"], tf.int32), tf.cast(features["tag"], tf.int32)
    numbers = tf.lookup.KeyValueTensorInitializer(WORDS[:-3], tf.range(len(WORDS) - 3, dtype=tf.int64))
    table = tf.lookup.StaticVocabularyTable(numbers, num_oov_buckets=2)
    h = tf.nn.embedding_lookup(variable("words", len(WORDS), 8), table.lookup(features["word"]))
    h += tf.gather(variable("sources", 3, 8), context["source"])[:, tf.newaxis]
    # A word's letters are listed once or twice.
    shapes = tf.reduce_mean(features["shape"], axis=2).to_tensor(shape=[None, None])
    h = tf.concat([h, tf.math.log1p(shapes)[:, :, tf.newaxis]], 2)
    outputs, _ = v1.nn.bidirectional_dynamic_rnn(
        v1.nn.rnn_cell.LSTMCell(10), v1.nn.rnn_cell.GRUCell(10), h, length, dtype=tf.float32)  # fmt: skip
    scores = v1.layers.dense(tf.concat(outputs, 2), 5)
    likelihood = crf_log_likelihood(scores, tags, length, variable("transitions", 5, 5))
    valid = tf.where(tf.sequence_mask(length))
    found = tf.cast(tf.gather_nd(tf.argmax(scores, 2, tf.int32), valid), tf.int64)
    pair = [tf.SparseTensor(valid, values, tf.shape(tags, tf.int64)) for values in (found, tf.cast(tf.gather_nd(tags, valid), tf.int64))]
    errors = tf.reduce_mean(tf.edit_distance(*pair))
    return tf.reduce_mean(-likelihood), v1.train.AdamOptimizer(0.02), {"errors": errors}


def crf_log_likelihood(scores, tags, length, transitions):
    """Log likelihood of tags in a linear chain (Lafferty, McCallum and Pereira, 2001), by a forward pass in a loop."""
    mask = tf.cast(tf.sequence_mask(length), tf.float32)
    unary = tf.reduce_sum(tf.gather(scores, tags, batch_dims=2) * mask, 1)
    pairs = tf.gather_nd(transitions, tf.stack([tags[:, :-1], tags[:, 1:]], 2))
    binary = tf.reduce_sum(pairs * mask[:, 1:], 1)

    def body(i, alpha):
        new = tf.reduce_logsumexp(alpha[:, :, tf.newaxis] + transitions, 1) + scores[:, i]
        return i + 1, tf.where(mask[:, i, tf.newaxis] > 0, new, alpha)

    _, alpha = tf.while_loop(lambda i, _: i < tf.shape(scores)[1], body, (1, scores[:, 0]), parallel_iterations=1)
    return unary + binary - tf.reduce_logsumexp(alpha, 1)


def ngrams():
    """Lines of text in UTF-8: character and word n-grams, hashed, and a weighted mean of their embeddings."""
    rng = random.Random(4)
    with open("lines.txt", "w", encoding="utf-8") as file:
        for _ in range(120):
            text, tags = sentence(rng)
            file.write(f"{sum(tags) % 3}\t{' '.join(text)}\n")

    def split(line):
        parts = tf.strings.split([line], "\t").to_tensor()[0]
        return tf.strings.to_number(parts[0], tf.int32), tf.strings.lower(parts[1])

    labels, text = next_of(tf.data.TextLineDataset("lines.txt").map(split).shuffle(30, seed=2).repeat().batch(12))
    tokens = tf.strings.split(text)
    pairs = tf.strings.ngrams(tokens, (1, 2), separator="_")
    letters = tf.strings.ngrams(tf.strings.unicode_split(text, "UTF-8"), 3, separator="")
    return text_loss(labels, text, pairs, letters)


def text_loss(labels, text, pairs, letters):
    buckets = tf.strings.to_hash_bucket_fast(tf.concat([pairs, letters], 1), 50)
    embedded = tf.nn.embedding_lookup_sparse(variable("grams", 50, 12), buckets.to_sparse(), None, combiner="sqrtn")
    points = tf.strings.unicode_decode(text, "UTF-8")
    bins = tf.cast(tf.raw_ops.Bucketize(input=points.flat_values, boundaries=[64.0, 110.0, 128.0, 1024.0]), tf.int32)
    by_bin = tf.reduce_mean(tf.gather(variable("bins", 5, 12), points.with_flat_values(bins)), 1)
    logits = v1.layers.dense(tf.nn.relu(embedded + by_bin), 3)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return loss, v1.train.AdagradOptimizer(0.3), {"longest": tf.reduce_max(pairs.row_lengths())}


def ragged():
    """Baskets of items: datasets of ragged features of Examples and of slices of a ragged tensor, a ragged range, attention
    over rows by a sparse softmax, an RNN, and a map over ragged rows to ragged rows."""
    rng = random.Random(5)
    messages = []
    for _ in range(80):
        items = [rng.randrange(20) for _ in range(rng.randint(0, 7))]
        prices = [rng.uniform(0.5, 20) for _ in items]
        total = sum(price * (1 + item % 3) for item, price in zip(items, prices))
        feature = {"item": ints(*items), "price": floats(*prices), "total": floats(total / 50)}
        messages.append(tf.train.Example(features=tf.train.Features(feature=feature)))
    write_records("baskets.tfrecord", messages)
    spec = {"item": tf.io.RaggedFeature(tf.int64, row_splits_dtype=tf.int64), "total": tf.io.FixedLenFeature([], tf.float32),
            "price": tf.io.RaggedFeature(tf.float32, row_splits_dtype=tf.int64)}  # fmt: skip
    data = tf.data.TFRecordDataset("baskets.tfrecord").shuffle(30, seed=8).repeat().batch(10)
    visits = tf.ragged.constant([[rng.uniform(-1, 1) for _ in range(rng.randint(0, 4))] for _ in range(37)])
    slices = tf.data.Dataset.from_tensor_slices(visits).map(lambda row: tf.abs(row) + 0.1).shuffle(9, seed=6).repeat()
    slices = slices.apply(tf.data.experimental.dense_to_ragged_batch(10)).map(lambda rows: tf.concat([rows, rows * rows], 1))
    features, visits = next_of(tf.data.Dataset.zip((data.map(lambda batch: tf.io.parse_example(batch, spec)), slices)))
    items, prices = features["item"], tf.math.log1p(features["price"])
    places = tf.ragged.range(items.row_lengths())
    h = tf.gather(variable("items", 20, 6), items)
    h += tf.gather(variable("places", 8, 6), places) + tf.expand_dims(prices, -1) * variable("price", 6)
    scores = tf.squeeze(h.with_flat_values(v1.layers.dense(tf.nn.tanh(h.flat_values), 1)).flat_values, 1)
    weights = tf.sparse.softmax(items.with_flat_values(scores).to_sparse())
    weighted = tf.reduce_sum(h * tf.expand_dims(items.with_flat_values(weights.values), -1), 1)
    cell = v1.nn.rnn_cell.GRUCell(5)
    lengths = tf.cast(items.row_lengths(), tf.int32)
    _, state = v1.nn.dynamic_rnn(cell, h.to_tensor(), lengths, dtype=tf.float32)
    dearest = tf.sparse.reduce_max(features["price"].to_sparse(), 1)
    rest = tf.stack([tf.cast(lengths, tf.float32), tf.math.log1p(tf.where(lengths > 0, dearest, tf.zeros_like(dearest)))], 1)
    rates = tf.map_fn(lambda row: tf.cumsum(tf.tanh(row)), visits * variable("visits", 1), tf.RaggedTensorSpec([None], tf.float32, 0))
    rates = tf.concat([tf.reduce_sum(rates, 1, keepdims=True), tf.map_fn(tf.reduce_sum, visits, tf.TensorSpec([]))[:, tf.newaxis]], 1)
    guess = v1.layers.dense(tf.concat([weighted, state, rest, rates], 1), 1)[:, 0]
    return tf.reduce_mean(tf.square(guess - features["total"])), v1.train.RMSPropOptimizer(0.01), {"items": tf.size(items.flat_values)}


def spectrogram():
    """Waves as WAV files: a learned window, STFT, mel bands, MFCCs, a convolution, and the wave back by the inverse STFT."""
    rng = np.random.RandomState(6)
    names = []
    for number in range(24):
        pitch, time_ = 1 + number % 3, np.arange(512) / 512
        wave = 0.5 * np.sin(2 * np.pi * 40 * pitch * time_ + rng.uniform(0, 6)) + 0.05 * rng.normal(size=512)
        names.append(f"wave-{number:02}.pcm")
        (wave * 20000).astype("<i2").tofile(names[-1])

    def load(name, label):
        return tf.cast(tf.io.decode_raw(tf.io.read_file(name), tf.int16), tf.float32) / 32768.0, label

    data = tf.data.Dataset.from_tensor_slices((names, [number % 3 for number in range(24)]))
    waves, labels = next_of(data.shuffle(24, seed=1).repeat().map(load).batch(8, drop_remainder=True))
    waves = tf.ensure_shape(waves, [8, 512])
    window = v1.get_variable("window", [64], initializer=v1.constant_initializer(np.hanning(64) + 0.05))
    spectrum = tf.signal.stft(waves, 64, 32, window_fn=lambda length, dtype: tf.identity(window))
    power = tf.square(tf.abs(spectrum)) + 1e-3
    mel = tf.signal.linear_to_mel_weight_matrix(12, 33, 2000, 30, 900)
    logs = tf.math.log(tf.tensordot(power, mel, 1) + 1e-3)
    mfccs = tf.signal.mfccs_from_log_mel_spectrograms(logs)[..., :8]
    h = tf.nn.relu(v1.layers.conv2d(mfccs[..., tf.newaxis], 6, 3, padding="same"))
    h = tf.quantization.quantize_and_dequantize_v2(v1.layers.flatten(v1.layers.max_pooling2d(h, 2, 2)), -8.0, 8.0, range_given=True)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=v1.layers.dense(h, 3)))
    filtered = spectrum * tf.cast(tf.sigmoid(variable("filter", 33, 1)[:, 0]), tf.complex64)
    back = tf.signal.inverse_stft(filtered, 64, 32, window_fn=tf.signal.inverse_stft_window_fn(32))
    loss += 0.5 * tf.reduce_mean(tf.square(back - waves))
    return loss, v1.train.AdamOptimizer(0.01), {"loudest": tf.reduce_max(tf.abs(spectrum))}


def queue_fed():
    """TFRecords that queue runners read and pad, and rows that others shuffle, each of a race-free order: an RNN of TensorFlow
    1's loops over reference variables."""
    rng = random.Random(7)
    messages = []
    for _ in range(60):
        values = [rng.gauss(0, 1) for _ in range(rng.randint(2, 9))]
        label = sum(value > 0 for value in values) % 2
        messages.append(tf.train.Example(features=tf.train.Features(feature={"x": floats(*values), "y": ints(label)})))
    for part in range(3):
        write_records(f"part-{part}.tfrecord", messages[part::3])
    files = v1.train.string_input_producer([f"part-{part}.tfrecord" for part in range(3)], seed=9)
    _, record = v1.TFRecordReader().read(files)
    parsed = v1.parse_single_example(record, {"x": v1.VarLenFeature(tf.float32), "y": v1.FixedLenFeature([], tf.int64)})
    x = v1.sparse_tensor_to_dense(parsed["x"])
    values, labels, length = v1.train.batch([x, parsed["y"], tf.size(x)], 6, dynamic_pad=True, capacity=18)
    cell = v1.nn.rnn_cell.MultiRNNCell([v1.nn.rnn_cell.LSTMCell(8, use_peepholes=True), v1.nn.rnn_cell.GRUCell(6)])
    _, state = v1.nn.dynamic_rnn(cell, values[:, :, tf.newaxis], length, dtype=tf.float32)
    logits = v1.layers.dense(tf.concat([state[0].h, state[1]], 1), 2)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    rows = np.random.RandomState(8).normal(size=(50, 6)).astype(np.float32)
    row = v1.train.slice_input_producer([rows], shuffle=False)[0]
    row = v1.train.shuffle_batch([row], 6, 40, 20, seed=4)
    loss += tf.reduce_mean(tf.square(v1.layers.dense(row, 6, tf.nn.tanh, name="rows") - row[:, ::-1]))
    rate = v1.train.exponential_decay(0.2, v1.train.get_or_create_global_step(), 25, 0.8, staircase=True)
    return loss, v1.train.MomentumOptimizer(rate, 0.9), {"length": tf.reduce_max(length)}


MODELS = {model.__name__: model for model in (tagger, ngrams, ragged, spectrogram, queue_fed)}
# How many gradients a SyncReplicasOptimizer averages, of how many replicas, and how many tokens its hook enqueues first.
REPLICAS = {"one_replica": (1, 1, -1), "two_of_three_replicas": (2, 3, -1), "three_gradients_of_one_replica": (3, 1, 2)}


def replicas(aggregate, total):
    """A table, of which each gradient has some rows, in no order and some of them twice, and a dense layer. Resource variables:
    a run reads each of them whole, whatever the chief's queue runner updates meanwhile."""
    v1.enable_resource_variables()
    n = v1.train.range_input_producer(50, seed=3).dequeue_many(6)
    ids = tf.stack([n % 20, n * 7 % 20], 1)
    rows = tf.reduce_sum(tf.nn.embedding_lookup(variable("table", 20, 5), ids), 1)
    logits = tf.matmul(tf.tanh(tf.matmul(rows, variable("hidden", 5, 8))), variable("output", 8, 3))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reduce_sum(ids, 1) % 3, logits=logits))
    optimizer = v1.train.SyncReplicasOptimizer(v1.train.MomentumOptimizer(0.1, 0.9), aggregate, total)
    return loss, optimizer, optimizer.minimize(loss, v1.train.get_or_create_global_step())


class Began(v1.train.SessionRunHook):
    """Disturbs the initial variables; or saves them, and the graph with what hooks have added."""

    def __init__(self, saver, noise):
        self.saver, self.noise = saver, noise

    def after_create_session(self, session, coord):
        if self.noise == 0:
            self.saver.save(session, "model.ckpt", global_step=0, write_meta_graph=False)
            v1.train.export_meta_graph("train.meta")
        else:
            disturb(session, self.noise)


def train_replicas(name, noise):
    """As `train`, by the only worker of a MonitoredTrainingSession, until the global step is STEPS; and the loss."""
    aggregate, total, tokens = REPLICAS[name]
    with tf.Graph().as_default() as graph:
        v1.set_random_seed(7)
        loss, optimizer, train_op = replicas(aggregate, total)
        v1.losses.add_loss(loss)
        step = v1.train.get_global_step()
        made = graph.get_operations()
        sizes = [v1.raw_ops.QueueSizeV2(handle=op.outputs[0]) for op in made if op.type.endswith("QueueV2")]
        counts = [v1.raw_ops.ResourceAccumulatorNumAccumulated(handle=op.outputs[0]) for op in made
                  if op.type == "ResourceConditionalAccumulator"]  # fmt: skip
        hooks = [Began(v1.train.Saver(), noise), optimizer.make_session_run_hook(True, num_tokens=tokens)]
        rows = []
        with v1.train.MonitoredTrainingSession(hooks=hooks, stop_grace_period_secs=1) as session:

            def ask(tensors):
                return session.run_step_fn(lambda step_context: step_context.session.run(tensors))

            def settled():
                """The global step, when the queue runners have done what they can."""
                same, last = 0, None
                while same < 6 or max(last[1]) >= aggregate:
                    time.sleep(0.005)
                    now = ask([sizes, counts, step])
                    same, last = (same + 1 if now == last else 0), now
                return last[2]

            while settled() < STEPS:
                rows.append(session.run([loss, train_op])[0])
            found = dict(zip([each.op.name for each in v1.global_variables()], ask(v1.global_variables())))
    return {"step: loss": np.array(rows), **found}, {"loss": loss}


class Queues:
    """Waits until no queue changes any more, as a run of Ingot does before each step (docs/internals/queues.md)."""

    def __init__(self, session):
        self.session = session
        with session.graph.as_default():
            self.sizes = [v1.raw_ops.QueueSizeV2(handle=op.outputs[0]) for op in session.graph.get_operations()
                          if op.type.endswith("QueueV2")]  # fmt: skip
        self.coordinator = v1.train.Coordinator()

    def __enter__(self):
        with self.session.graph.as_default():
            v1.train.start_queue_runners(self.session, self.coordinator)
        return self

    def settle(self):
        same, last = 0, None
        while self.sizes and same < 6:
            time.sleep(0.002)
            now = self.session.run(self.sizes)
            same, last = (same + 1 if now == last else 0), now

    def __exit__(self, *_):
        self.coordinator.request_stop()
        with self.session.graph.as_default():
            for op in self.session.graph.get_operations():
                if op.type.endswith("QueueV2"):
                    self.session.run(v1.raw_ops.QueueCloseV2(handle=op.outputs[0], cancel_pending_enqueues=True))


def disturb(session, noise):
    for number, each in enumerate(v1.global_variables()):
        value = session.run(each)
        if value.dtype == np.float32:
            moved = value * (1 + 6e-8 * np.random.RandomState(100 * noise + number).uniform(-1, 1, value.shape))
            each.load(moved.astype(np.float32), session)


def train(saver, fetches, noise):
    """Losses and the like of all steps, and variables after the last."""
    options = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=0 if v1.get_collection("queue_runners") else 1)
    with v1.Session(config=options) as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer(), v1.tables_initializer()])
        if noise == 0:
            saver.save(session, "model.ckpt", global_step=0, write_meta_graph=False)
            saver.export_meta_graph("train.meta")
        saver.restore(session, "model.ckpt-0")
        if noise:
            disturb(session, noise)
        rows = []
        with Queues(session) as queues:
            for _ in range(STEPS):
                queues.settle()
                rows.append(session.run([fetches, v1.get_collection("train_op")])[0])
        found = {each.op.name: session.run(each) for each in v1.global_variables()}
    return {**{f"step: {key}": np.array([row[key] for row in rows]) for key in fetches}, **found}


def main():
    name, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    v1.set_random_seed(7)
    if name in REPLICAS:

        def run(noise):
            return train_replicas(name, noise)

    else:
        if name == "queue_fed":
            v1.disable_resource_variables()
            v1.disable_control_flow_v2()
        loss, optimizer, fetches = MODELS[name]()
        v1.add_to_collection("train_op", optimizer.minimize(loss, v1.train.get_or_create_global_step()))
        v1.losses.add_loss(loss)
        fetches["loss"] = loss
        saver = v1.train.Saver()

        def run(noise):
            return train(saver, fetches, noise), fetches

    expected, fetches = run(0)
    spread = dict.fromkeys(expected, 0.0)
    for noise in range(1, NOISES + 1):
        for key, value in run(noise)[0].items():
            apart = np.abs(np.asarray(value, np.float64) - np.asarray(expected[key], np.float64))
            spread[key] = max(spread[key], float(np.max(apart)))
    with open("expected.json", "w", encoding="utf-8") as file:
        json.dump({"fetches": {key: tensor.name for key, tensor in fetches.items()},
                   "values": {key: np.ravel(value).tolist() for key, value in expected.items()}, "spread": spread}, file)  # fmt: skip


if __name__ == "__main__":
    main()
