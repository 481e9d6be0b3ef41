# SPDX-License-Identifier: Apache-2.0
"""Writes handed_over.meta, handed_over.json and the checkpoints handed_over-7 and handed_over-23: a training graph with an
iterator for each kind of dataset whose position Ingot takes over from TensorFlow, what TensorFlow's own iterators gave, and
what its Saver wrote after that many steps, in the middle of passes.

Usage: make_handed_over.py                           (run in this folder; made with tensorflow-cpu 2.15.1)
       make_handed_over.py --go-on PREFIX STEPS OUT  (restores handed_over.meta from PREFIX, writes what STEPS steps take to
                                                      OUT as JSON, and saves a checkpoint, whose prefix it prints)

Each pipeline is repeated for ever. A step takes an element of each, sums it up to one number (its place in the element
counts) and adds the numbers to a variable, so that one wrong element shows. The Saver saves the iterators too.
"""
import json
import os
import sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)

STEPS, SAVED_AFTER = 60, (7, 23)
Dataset = tf.data.Dataset
range_ = Dataset.range
AUTO = tf.data.AUTOTUNE


def without_rewrites(dataset):
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)


def rows():
    """Rows of 3 numbers, texts and shorts."""
    numbers = np.arange(33, dtype=np.float32).reshape(11, 3)
    return {"x": numbers, "name": np.array([f"row {n}" for n in range(11)]), "y": np.arange(11, dtype=np.int16)}


def row_number(row):
    return tf.cast(tf.reduce_sum(row["x"]), tf.int64) + tf.cast(tf.strings.length(row["name"]), tf.int64) * 1000


def tens(n):
    return range_(n * 10, n * 10 + n % 4 + 1)


def records():
    return tf.data.TFRecordDataset(["records.tfrecord", "records.tfrecord"])


def text_number(text):
    return tf.cast(tf.strings.to_hash_bucket_fast(text, 1 << 20), tf.int64)


PIPELINES = {
    "range": lambda: range_(3, 40, 4).repeat(),
    "slices": lambda: Dataset.from_tensor_slices(rows()).repeat(),
    "tensors": lambda: Dataset.from_tensors(np.int64([1, 2, 3])).repeat(4).concatenate(range_(5).batch(5)).repeat(),
    "map": lambda: range_(13).map(lambda n: n * n).repeat(),
    "parallel_map": lambda: range_(13).map(lambda n: n * 7, num_parallel_calls=3).filter(lambda n: tf.equal(n % 2, 0)).repeat(),
    "map_of_map": lambda: range_(13).map(lambda n: n + 1, AUTO).map(lambda n: n * 3, AUTO).take(11).repeat(),
    "batch": lambda: range_(23).batch(4).repeat(),
    "batch_of_map": lambda: range_(23).map(lambda n: n * n).batch(5, drop_remainder=True).repeat(),
    "batch_of_parallel_map": lambda: range_(31).repeat(2).map(lambda n: n + 2, 4).batch(3).prefetch(2).repeat(),
    "padded_batch": lambda: range_(1, 17).map(lambda n: tf.fill([n % 5], n)).padded_batch(3, [None], np.int64(-1)).repeat(),
    "shuffle": lambda: range_(29).shuffle(7, seed=5).repeat(),
    "shuffle_of_few": lambda: range_(3).shuffle(20, seed=6).repeat(),
    "shuffle_of_repeat": lambda: range_(11).repeat().shuffle(5, seed=7),
    "shuffle_alike": lambda: range_(19).shuffle(6, seed=8, reshuffle_each_iteration=False).repeat(),
    "shuffled_slices": lambda: Dataset.from_tensor_slices(rows()).shuffle(4, seed=9).batch(2).prefetch(1).repeat(),
    "shuffle_map_batch": lambda: range_(41).shuffle(9, seed=10).map(lambda n: n * 5, AUTO).batch(3).prefetch(AUTO).repeat(),
    "map_shuffle_batch": lambda: range_(41).map(lambda n: n * 5).shuffle(9, seed=11).batch(3).repeat(),
    "repeat_3": lambda: range_(5).repeat(3).take(13).repeat(),
    "take_skip": lambda: range_(30).skip(4).take(19).skip(2).repeat(),
    "interleave": lambda: range_(9).interleave(tens, cycle_length=3, block_length=2).repeat(),
    "interleave_maps": lambda: range_(7).interleave(lambda n: tens(n).map(lambda m: m + 1), cycle_length=2).shuffle(3, 12).repeat(),
    "parallel_interleave": lambda: range_(9).interleave(tens, 3, 2, num_parallel_calls=2).repeat(),
    "flat_map": lambda: range_(8).flat_map(tens).repeat(),
    "flat_map_of_shuffle": lambda: range_(8).shuffle(8, seed=13).flat_map(tens).batch(2).repeat(),
    "zip": lambda: Dataset.zip((range_(20).map(lambda n: n * 3), range_(5, 40).batch(2))).repeat(),
    "concatenate": lambda: range_(6).concatenate(range_(50, 54)).repeat(),
    "shard": lambda: range_(25).shard(3, 1).repeat(),
    "records": lambda: records().repeat(),
    "records_gzip": lambda: tf.data.TFRecordDataset("records.tfrecord.gz", "GZIP").map(text_number).batch(3).repeat(),
    "lines": lambda: tf.data.TextLineDataset("numbers.txt").repeat(),
    "shuffled_records": lambda: records().shuffle(30, seed=14).map(text_number, AUTO).batch(4).repeat().prefetch(2),
    "without_rewrites": lambda: without_rewrites(range_(37).shuffle(5, seed=15).map(lambda n: n * 2).batch(2).repeat()),
    "unrepeated": lambda: range_(3000).map(lambda n: n + 5).shuffle(50, seed=16).batch(2),
}  # fmt: skip


def number(element):
    """An element's components, in order, as one number."""
    total = tf.constant(0, tf.int64)
    for index, value in enumerate(tf.nest.flatten(element) if not isinstance(element, dict) else element.values()):
        if value.dtype == tf.string:
            value = tf.reduce_sum(tf.reshape(text_number(value), [-1]))
        flat = tf.reshape(tf.cast(value, tf.int64), [-1])
        places = tf.range(1, tf.size(flat, out_type=tf.int64) + 1, dtype=tf.int64)
        total += (tf.reduce_sum(flat * places) + tf.size(flat, out_type=tf.int64) * 100003) * (index + 1)
    return total


def build():
    tf.set_random_seed(42)
    step = tf.train.get_or_create_global_step()
    total = tf.get_variable("total", [len(PIPELINES)], tf.int64, tf.zeros_initializer())
    numbers = []
    for name, make in PIPELINES.items():
        with tf.name_scope(name):
            pipeline = make()
        iterator = tf.data.make_initializable_iterator(pipeline, shared_name=name)
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, tf.data.experimental.make_saveable_from_iterator(iterator))
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        numbers.append(tf.identity(number(iterator.get_next()), name=f"take/{name}"))
    with tf.control_dependencies([total.assign(total * 3 + tf.stack(numbers))]):
        train = step.assign_add(1, name="train")
    tf.add_to_collection(tf.GraphKeys.TRAIN_OP, train)
    tf.add_to_collection(tf.GraphKeys.LOCAL_INIT_OP, tf.tables_initializer())
    tf.add_to_collection(tf.GraphKeys.INIT_OP, tf.global_variables_initializer())
    return [tensor.name for tensor in numbers]


def run(running, names):
    return [int(v) for v in running.run(["train", *names])[1:]]


def lines(steps):
    return ",\n  ".join(json.dumps(step) for step in steps)


def main():
    names = build()
    saver = tf.train.Saver()
    meta = saver.export_meta_graph(clear_devices=True, strip_default_attrs=True)
    meta.meta_info_def.ClearField("stripped_op_list")
    with open("handed_over.meta", "wb") as out:
        out.write(meta.SerializeToString(deterministic=True))
    steps = []
    with tf.Session() as running:
        running.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for step in range(1, STEPS + 1):
            steps.append(run(running, names))
            if step in SAVED_AFTER:
                saver.save(running, "handed_over", step, latest_filename="unused", write_meta_graph=False)
    os.remove("unused")
    with open("handed_over.json", "w") as out:
        out.write(f'{{"tensors": {json.dumps(names)},\n "saved_after": {json.dumps(SAVED_AFTER)},\n "steps": [\n  {lines(steps)}]}}\n')


def go_on(prefix, steps, out):
    saver = tf.train.import_meta_graph("handed_over.meta")
    names = json.load(open("handed_over.json"))["tensors"]
    with tf.Session() as running:
        running.run(tf.get_collection(tf.GraphKeys.LOCAL_INIT_OP))
        saver.restore(running, prefix)
        values = [run(running, names) for _ in range(int(steps))]
        with open(out, "w") as file:
            json.dump(values, file)
        print(saver.save(running, f"{out}.ckpt", tf.train.get_global_step()), flush=True)
        # On few cores TensorFlow 2.15 at times does not come back from closing a session with so many iterators.
        os._exit(0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--go-on"]:
        go_on(*sys.argv[2:])
    else:
        main()
