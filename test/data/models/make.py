# SPDX-License-Identifier: Apache-2.0
"""Makes the models of this folder: graphs as users write them, and what
TensorFlow computed when it trained them.

    make.py [NAME...]

Run by hand with TensorFlow 2.15. Leaves NAME/train.meta, NAME/model.ckpt-0.* and
NAME/expect.json: the loss of each step, its tensor's name, flags for ingotc.
"""
import itertools
import json
import os
import pathlib
import shutil
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
HERE = pathlib.Path(__file__).resolve().parent
rng = np.random.RandomState(0)


def examples(shape, classes=4, count=70):
    """Numbers and classes; 70 are no multiple of a batch."""
    return rng.normal(size=(count, *shape)).astype(np.float32), rng.randint(0, classes, size=count)


def batches(*arrays, size=32, epochs=6):
    dataset = tf.data.Dataset.from_tensor_slices(arrays).shuffle(70, seed=3).batch(size).repeat(epochs)
    iterator = v1.data.make_initializable_iterator(dataset)
    v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return iterator.get_next()


def cross_entropy(labels, logits):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def short_last_batch():
    """A loss and an optimizer, with every epoch's last batch shorter."""
    x, y = batches(*examples((6,)))
    hidden = v1.layers.dense(x, 16, tf.nn.relu)
    return cross_entropy(y, v1.layers.dense(hidden, 4)), v1.train.AdamOptimizer(0.05)


def full_batches_and_a_short_one():
    """Images in seven batches of nine and one of seven, twice."""
    x, y = batches(*examples((8, 8, 3)), size=9, epochs=2)
    h = tf.nn.relu(v1.layers.conv2d(x, 16, 3, padding="same"))
    h = v1.layers.max_pooling2d(v1.layers.conv2d(h, 16, 3, activation=tf.nn.tanh), 2, 2)
    h = tf.nn.dropout(v1.layers.dense(v1.layers.flatten(h), 16, tf.nn.elu), rate=0.2, seed=11)
    return cross_entropy(y, v1.layers.dense(h, 4)), v1.train.MomentumOptimizer(0.02, 0.9)


def dropout_and_label_smoothing():
    x, y = batches(*examples((6,)))
    h = v1.layers.dropout(v1.layers.dense(x, 32, tf.nn.relu), 0.3, training=True, seed=5)
    h = v1.layers.batch_normalization(h, training=True)
    h = tf.nn.dropout(v1.layers.dense(h, 16, tf.nn.elu), rate=0.2, seed=11)
    loss = v1.losses.softmax_cross_entropy(tf.one_hot(y, 4), v1.layers.dense(h, 4), label_smoothing=0.1)
    return loss, v1.train.RMSPropOptimizer(0.01, momentum=0.9)


def reference_variables():
    """TF1 without resource variables; a decayed rate and a regularizer."""
    v1.disable_resource_variables()
    x, y = batches(*examples((6,)))
    h = v1.layers.dense(x, 32, tf.nn.tanh, kernel_regularizer=v1.keras.regularizers.l2(0.01))
    loss = cross_entropy(y, v1.layers.dense(h, 4)) + v1.losses.get_regularization_loss()
    rate = v1.train.exponential_decay(0.1, v1.train.get_or_create_global_step(), 10, 0.9)
    v1.enable_resource_variables()
    return loss, v1.train.MomentumOptimizer(rate, 0.9)


def autoencoder():
    """Convolutions and transposed convolutions of batches of any size."""
    x, _ = batches(*examples((12, 12, 3)))
    h = v1.layers.conv2d(x, 8, 3, 2, "same", activation=tf.nn.relu)
    h = v1.layers.conv2d(h, 12, 3, 2, "same", activation=tf.nn.leaky_relu)
    h = v1.layers.conv2d_transpose(h, 8, 3, 2, "same", activation=tf.nn.relu)
    h = v1.layers.conv2d_transpose(h, 3, 3, 2, "same", activation=tf.nn.sigmoid)
    return tf.reduce_mean(tf.square(h - x)), v1.train.AdamOptimizer(0.01)


class ClippedAdam(v1.train.AdamOptimizer):
    def apply_gradients(self, pairs, *more, **named):
        clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 1.0)
        return super().apply_gradients(zip(clipped, [variable for _, variable in pairs]), *more, **named)


def transformer():
    """Two blocks of masked attention of four heads, and what is around them."""
    x, y = batches(*examples((7, 16)))

    def normalized(t, name):
        mean, variance = tf.nn.moments(t, -1, keepdims=True)
        gain = v1.get_variable(name + "/gain", [16], initializer=v1.ones_initializer())
        bias = v1.get_variable(name + "/bias", [16], initializer=v1.zeros_initializer())
        return (t - mean) * tf.math.rsqrt(variance + 1e-5) * gain + bias

    h = x + v1.get_variable("positions", [1, 7, 16])
    for block in range(2):
        a = normalized(h, f"before_attention{block}")
        q, k, v = (tf.reshape(v1.layers.dense(a, 16, name=f"{part}{block}"), [-1, 7, 4, 4]) for part in "qkv")
        scores = tf.einsum("bqhd,bkhd->bhqk", q, k) / 2.0
        scores -= 1e9 * (1 - tf.linalg.band_part(tf.ones([7, 7]), -1, 0))
        mixed = tf.reshape(tf.einsum("bhqk,bkhd->bqhd", tf.nn.softmax(scores), v), [-1, 7, 16])
        h += v1.layers.dense(mixed, 16, name=f"mixed{block}")
        wide = tf.nn.gelu(v1.layers.dense(normalized(h, f"before_wide{block}"), 32, name=f"wide{block}"))
        h += v1.layers.dense(wide, 16, name=f"narrow{block}")
    return cross_entropy(y, v1.layers.dense(tf.reduce_mean(h, 1), 4)), ClippedAdam(0.01)


def keras_layers():
    k = tf.keras.layers
    x, y = batches(*examples((9, 9, 3)))
    model = tf.keras.Sequential([
        k.Conv2D(8, 3, activation="relu"), k.MaxPool2D(), k.DepthwiseConv2D(3, padding="same"),
        k.BatchNormalization(), k.Activation("swish"), k.GlobalAveragePooling2D(), k.Dense(4)])  # fmt: skip
    return cross_entropy(y, model(x, training=True)), v1.train.AdagradOptimizer(0.1)


def keras_cnn():
    """Batch normalization whose averages move, and dropout."""
    k = tf.keras.layers
    x, y = batches(*examples((10, 10, 3)), size=16, epochs=4)
    model = tf.keras.Sequential([
        k.Conv2D(8, 3, padding="same", use_bias=False), k.BatchNormalization(momentum=0.9), k.Activation("relu"), k.MaxPool2D(),
        k.Dropout(0.25, seed=3), k.Conv2D(12, 3, use_bias=False), k.BatchNormalization(momentum=0.9), k.Activation("relu"),
        k.Flatten(), k.Dropout(0.5, seed=4), k.Dense(4)])  # fmt: skip
    loss = cross_entropy(y, model(x, training=True))
    for update in model.updates:
        v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, update)
    return loss, v1.train.AdamOptimizer(0.005)


class AccumulatedMomentum(v1.train.MomentumOptimizer):
    """Adds up clipped gradients of a scaled loss, applies them every third step, and then averages the weights."""

    scale = 1024.0

    def compute_gradients(self, loss, *more, **named):
        pairs = super().compute_gradients(loss * self.scale, *more, **named)
        return [(gradient / self.scale, variable) for gradient, variable in pairs]

    def apply_gradients(self, pairs, global_step=None, name=None):
        gradients, variables = zip(*pairs)
        clipped, norm = tf.clip_by_global_norm(gradients, 0.5)
        sums = [v1.get_variable(v.op.name + "/sum", v.shape, initializer=v1.zeros_initializer(), trainable=False) for v in variables]
        largest = v1.get_variable("largest_norm", [], initializer=v1.zeros_initializer(), trainable=False)
        averages = tf.train.ExponentialMovingAverage(0.9)
        added = [s.assign_add(g / 3.0) for s, g in zip(sums, clipped)] + [largest.assign(tf.maximum(largest, norm))]
        with tf.control_dependencies(added):
            step = global_step.assign_add(1)

        def update():
            with tf.control_dependencies([super(AccumulatedMomentum, self).apply_gradients(zip(sums, variables))]):
                with tf.control_dependencies([averages.apply(variables)]):
                    return tf.group(*[s.assign(tf.zeros_like(s)) for s in sums])

        self._create_slots(variables)
        with tf.control_dependencies([step]):
            return tf.cond(tf.equal(step % 3, 0), update, tf.no_op)


def accumulated_gradients():
    """Steps that only add up gradients, and steps that apply them."""
    x, y = batches(*examples((6,)), size=16, epochs=5)
    h = v1.layers.dense(x, 16, tf.nn.relu)
    return cross_entropy(y, v1.layers.dense(h, 4)), AccumulatedMomentum(0.1, 0.9)


def dynamic_rnn():
    """An LSTM over sequences of different lengths."""
    x, y = examples((11, 5))
    x, lengths, y = batches(x, rng.randint(1, 12, size=70).astype(np.int32), y)
    cell = v1.nn.rnn_cell.LSTMCell(8)
    _, state = v1.nn.dynamic_rnn(cell, x, sequence_length=lengths, dtype=tf.float32)
    return cross_entropy(y, v1.layers.dense(state.h, 4)), v1.train.AdamOptimizer(0.02)


def recurrent_layers():
    """Recurrent layers of Keras, of TF1 and TF2, and a cell in TF1's loop: each over all steps of the input."""
    x, y = batches(*examples((7, 8)), size=10, epochs=2)
    k = v1.keras.layers
    h = k.GRU(16, return_sequences=True)(x)
    h = k.LSTM(8, return_sequences=True)(h)
    h = tf.keras.layers.LSTM(8, return_sequences=True)(h)
    h, _ = v1.nn.dynamic_rnn(v1.nn.rnn_cell.LSTMCell(8), h, dtype=tf.float32)
    return cross_entropy(y, v1.layers.dense(h[:, -1], 4)), v1.train.AdamOptimizer(0.02)


def embeddings():
    """Gradients of some rows of a table only."""
    ids, y = batches(rng.randint(0, 50, size=(70, 4)), rng.randint(0, 2, size=70).astype(np.float32))
    h = tf.reduce_sum(tf.nn.embedding_lookup(v1.get_variable("table", [50, 8]), ids), 1)
    logits = tf.squeeze(v1.layers.dense(h, 1), -1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    return loss, v1.train.AdamOptimizer(0.02)


def lagged_windows():
    """Batches of one series at several lags: they share rows."""
    series = tf.data.Dataset.from_tensor_slices(rng.normal(size=(24, 16)).astype(np.float32))
    lags = [series.skip(lag).take(16).batch(4, drop_remainder=True) for lag in (0, 2, 5)]
    iterator = v1.data.make_initializable_iterator(tf.data.Dataset.zip(tuple(lags)).repeat(4))
    v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    x, y, z = iterator.get_next()
    w = v1.get_variable("w", [16], initializer=v1.ones_initializer())
    return tf.reduce_mean(tf.square(x * w + y - 0.5 * z)), v1.train.GradientDescentOptimizer(0.5)


def image_files():
    """Twenty files of JPEG and PNG, read by their names, decoded, brought to one size and turned at random."""
    os.chdir(HERE / "image_files")
    names, classes = [], rng.randint(0, 3, size=20)
    for number, label in enumerate(classes):
        height, width = rng.randint(12, 24, size=2)
        pixels = np.asarray(rng.randint(0, 100, size=(height, width, 3)) + 60 * label, np.uint8)
        names.append(f"{number}.{'png' if number % 4 == 0 else 'jpg'}")
        encode = tf.io.encode_png if number % 4 == 0 else tf.io.encode_jpeg
        with tf.Graph().as_default(), v1.Session() as session:
            pathlib.Path(names[-1]).write_bytes(session.run(encode(pixels)))

    def load(name, label):
        pixels = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
        pixels = tf.image.resize(tf.image.convert_image_dtype(pixels, tf.float32), [16, 16])
        return tf.image.random_flip_left_right(pixels, seed=3), label

    dataset = tf.data.Dataset.from_tensor_slices((names, classes)).shuffle(20, seed=3).map(load).batch(6).repeat(5)
    iterator = v1.data.make_initializable_iterator(dataset)
    v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    x, y = iterator.get_next()
    h = v1.layers.max_pooling2d(v1.layers.conv2d(x, 8, 3, activation=tf.nn.relu), 2, 2)
    return cross_entropy(y, v1.layers.dense(v1.layers.flatten(h), 3)), v1.train.AdamOptimizer(0.003)


def sums():
    """Sums of what may be fused into them, or read in place: each keeps its order.

    Results are assigned to variables, so that checkpoints have their bits.
    """
    x, y = batches(*examples((6,)))
    results = []

    def variable(shape, dtype, name):
        values = rng.randint(0, 1 << 40, size=shape) if dtype == tf.int64 else rng.normal(size=shape)
        return v1.get_variable(name, initializer=values.astype(dtype.as_numpy_dtype), use_resource=True)

    for dtype, rows, columns in ((tf.float32, 2, 70), (tf.float64, 17, 24)):
        with v1.variable_scope(f"{dtype.name}_{columns}"):
            a, b = variable((rows, columns), dtype, "a"), variable((columns, rows), dtype, "b")
            c, wide = variable((columns,), dtype, "c"), variable((rows, 2 * columns), dtype, "wide")
            whole, other = (variable((rows, columns), t, t.name) for t in (tf.int64, tf.float16 if dtype == tf.float64 else tf.float64))
            order = v1.get_variable("order", initializer=rng.permutation(columns), use_resource=True)
            producers = {
                "product": lambda: a * c, "transposed": lambda: tf.transpose(b) * c,
                "gathered": lambda: tf.gather(a, order, axis=1), "gathered_factor": lambda: tf.gather(c, order) * a,
                "integers": lambda: tf.cast(whole, dtype), "other": lambda: tf.cast(other, dtype) * a,
                "reversed": lambda: tf.reverse(a, [1]), "every_other": lambda: wide[:, ::2] * c,
                "sliced": lambda: wide[:, 3 : columns + 3] * c, "padded": lambda: tf.pad(a, [[0, 0], [1, 2]]) * 1.5,
                "tiled": lambda: tf.tile(a, [1, 2]) * tf.concat([c, c], 0), "tanh": lambda: tf.tanh(a) + b[0, 0],
            }  # fmt: skip
            reductions = {"row": lambda v: tf.reduce_sum(v, -1), "all": tf.reduce_sum}
            for number, ((producer, make), (reduction, reduce)) in enumerate(itertools.product(producers.items(), reductions.items())):
                # Another factor for each, so that no two share a producer.
                result = reduce(make() * (1 + 0.001 * number))
                kept = v1.get_variable(f"{producer}_{reduction}", result.shape, dtype, v1.zeros_initializer(), use_resource=True)
                results.append(kept.assign(result))
    with tf.control_dependencies(results):
        return cross_entropy(y, v1.layers.dense(x, 4)), v1.train.GradientDescentOptimizer(0.1)


def draws_and_crops():
    """Draws of gamma and Poisson distributions, crops, quantization and quantiles, with short batches, a loop and gradients."""
    x, y = batches(*examples((5, 5, 1)), size=16, epochs=2)
    w = v1.get_variable("w", initializer=np.linspace(0.5, 2, 6).astype(np.float32), use_resource=True)
    rate = tf.nn.softplus(w)
    boxes = tf.tile([[0.1, 0.0, 0.9, 1.2]], [tf.shape(x)[0], 1])
    crops = tf.image.crop_and_resize(x * w[0], boxes, tf.range(tf.shape(x)[0]), [3, 4])
    counts = tf.stop_gradient(tf.cast(tf.random.poisson([2], tf.stop_gradient(rate), seed=6), tf.float32))
    more = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + tf.reduce_sum(tf.random.gamma([2], rate, seed=9))),
                         (0, 0.0), parallel_iterations=1)[1]  # fmt: skip
    quantiles = tf.math.ndtri(tf.sigmoid(w) * 0.9) + tf.math.erfinv(tf.tanh(w) * 0.9)
    quantized = tf.quantization.quantize_and_dequantize_v2(w, -3.0, 3.0, range_given=True)
    extra = tf.reduce_mean(tf.random.gamma([3], rate, seed=5)) + tf.reduce_mean(counts * w) + 0.01 * more
    logits = v1.layers.dense(v1.layers.flatten(crops), 4)
    return cross_entropy(y, logits) + extra + tf.reduce_mean(quantiles) + tf.reduce_sum(quantized**2), v1.train.MomentumOptimizer(0.02, 0.9)


def spectrogram():
    """Spots keywords in sound: the STFT's log mel magnitudes, the energy and phase of a learned filter in the
    frequency domain, complex variables, and short batches."""
    sound, words = examples((120,))
    time = np.arange(120, dtype=np.float32)
    sound = (0.3 * sound + np.sin(time * (words[:, None] + 1) / 4)).astype(np.float32)
    x, y = batches(sound, words, size=16, epochs=2)
    gain = v1.get_variable("gain", initializer=np.linspace(0.5, 1.5, 61).astype(np.float32), use_resource=True)
    shift = v1.get_variable("shift", initializer=np.full(61, 0.1, np.float32), use_resource=True)
    carrier = v1.get_variable("carrier", initializer=np.exp(0.2j * np.arange(61)).astype(np.complex64), trainable=False, use_resource=True)
    filtered = tf.signal.irfft(tf.signal.rfft(x) * carrier * tf.complex(gain, shift), [120])
    spectrum = tf.signal.stft(filtered, frame_length=30, frame_step=15, fft_length=32)
    mel = tf.signal.linear_to_mel_weight_matrix(8, 17, 8000, 60.0, 3800.0)
    features = tf.math.log(tf.tensordot(tf.abs(spectrum), mel, 1) + 1e-3)
    rebuilt = tf.signal.inverse_stft(spectrum, 30, 15, 32)
    hidden = tf.nn.relu(v1.layers.conv1d(features, 12, 3))
    loss = cross_entropy(y, v1.layers.dense(tf.reduce_max(hidden, 1), 4)) + 0.01 * tf.reduce_mean(tf.square(rebuilt))
    with tf.control_dependencies([loss]):
        v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, carrier.assign(carrier * tf.exp(tf.constant(0.01j, tf.complex64))))
    return loss, v1.train.AdamOptimizer(0.01)


MODELS = [short_last_batch, full_batches_and_a_short_one, dropout_and_label_smoothing, reference_variables, autoencoder,
          transformer, keras_layers, keras_cnn, accumulated_gradients, dynamic_rnn, recurrent_layers, embeddings, lagged_windows,
          image_files, sums, draws_and_crops, spectrogram]  # fmt: skip


def make(model):
    """Trains a model on 70 examples for six epochs of three batches."""
    folder = fresh(model.__name__)
    loss, optimizer = model()
    step = optimizer.minimize(loss, global_step=v1.train.get_or_create_global_step())
    step = tf.group(step, *v1.get_collection(v1.GraphKeys.UPDATE_OPS))
    v1.add_to_collection(v1.GraphKeys.TRAIN_OP, step)
    saver, init = v1.train.Saver(), v1.global_variables_initializer()
    v1.add_to_collection(v1.GraphKeys.INIT_OP, init)
    losses = []
    with v1.Session() as session:
        session.run([init, v1.tables_initializer()])
        saver.save(session, str(folder / "model.ckpt"), 0)
        try:
            while True:
                losses.append(float(session.run([loss, step])[0]))
        except tf.errors.OutOfRangeError:
            pass
    finish(folder, losses, loss.name)


def wide_and_deep():
    """An Estimator: a vocabulary, hashed and bucketized columns, from Examples."""
    folder = fresh("wide_and_deep")
    jobs = ["clerk", "farmer", "pilot", "smith", "cook"]
    with tf.io.TFRecordWriter(str(folder / "train.tfrecord")) as file:
        for _ in range(200):
            age, job = rng.uniform(18, 80), (jobs + ["unknown"])[rng.randint(6)]
            text = lambda value: tf.train.Feature(bytes_list=tf.train.BytesList(value=[value.encode()]))
            file.write(tf.train.Example(features=tf.train.Features(feature={
                "age": tf.train.Feature(float_list=tf.train.FloatList(value=[age])),
                "job": text(job), "city": text(f"c{rng.randint(30)}"),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int((age > 40) != (job == "cook"))])),
            })).SerializeToString())  # fmt: skip
    column = tf.feature_column
    age = column.numeric_column("age", normalizer_fn=lambda x: (x - 45.0) / 20.0)
    buckets = column.bucketized_column(column.numeric_column("age"), [25, 35, 50, 65])
    job = column.categorical_column_with_vocabulary_list("job", jobs, num_oov_buckets=1)
    city = column.categorical_column_with_hash_bucket("city", 20)
    features = {
        "age": tf.io.FixedLenFeature([1], tf.float32), "job": tf.io.VarLenFeature(tf.string),
        "city": tf.io.VarLenFeature(tf.string), "label": tf.io.FixedLenFeature([1], tf.int64)}  # fmt: skip

    def read():
        records = tf.data.TFRecordDataset("train.tfrecord").shuffle(100, seed=1).repeat(8).batch(32)
        parsed = records.map(lambda record: tf.io.parse_example(record, features))
        return parsed.map(lambda row: ({key: row[key] for key in ("age", "job", "city")}, row["label"]))

    class Losses(tf.estimator.SessionRunHook):
        values = []

        def before_run(self, context):
            self.tensor = context.original_args.fetches[1]
            return tf.estimator.SessionRunArgs(self.tensor)

        def after_run(self, context, values):
            self.values.append(float(values.results))

    os.chdir(folder)
    with tempfile.TemporaryDirectory() as directory:
        estimator = tf.estimator.DNNLinearCombinedClassifier(
            model_dir=directory, linear_feature_columns=[job, city, buckets],
            dnn_feature_columns=[age, column.embedding_column(job, 4), column.embedding_column(city, 3), column.indicator_column(job)],
            dnn_hidden_units=[16, 8], config=tf.estimator.RunConfig(tf_random_seed=5))  # fmt: skip
        hook = Losses()
        estimator.train(read, hooks=[hook], max_steps=50)
        for path in pathlib.Path(directory).glob("model.ckpt-0.*"):
            shutil.copy(path, folder)
    finish(folder, hook.values, hook.tensor.name, ["--step=training/group_deps"])


def fresh(name):
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    v1.reset_default_graph()
    v1.set_random_seed(7)
    rng.seed(20170917)
    return folder


def finish(folder, losses, tensor, flags=()):
    graph = v1.MetaGraphDef.FromString((folder / "model.ckpt-0.meta").read_bytes())
    graph.meta_info_def.ClearField("stripped_op_list")  # Kilobytes that nothing here needs.
    (folder / "train.meta").write_bytes(graph.SerializeToString())
    (folder / "model.ckpt-0.meta").unlink()
    (folder / "checkpoint").unlink(missing_ok=True)
    figures = {"flags": list(flags), "loss_tensor": tensor, "loss": losses}
    (folder / "expect.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(folder.name, len(losses), losses[0], losses[-1])


if __name__ == "__main__":
    for model in MODELS:
        if len(sys.argv) == 1 or model.__name__ in sys.argv[1:]:
            make(model)
    if len(sys.argv) == 1 or "wide_and_deep" in sys.argv[1:]:
        wide_and_deep()
