# SPDX-License-Identifier: Apache-2.0
"""Makes this folder's graph, whose steps change lookup tables, and records what TensorFlow computes with it
(test/e2e/tables.py).

    make.py

Run by hand with TensorFlow 2.15. Leaves train.meta, expect.json, and TensorFlow's checkpoint of step 5.
"""
import json
import os
import pathlib
import shutil
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
HERE = pathlib.Path(__file__).resolve().parent
SAVED, STEPS = 5, 12
WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog"]


def tables():
    """Tables of each kind: of numbers by string, of vectors, of strings, and one that no Saver has."""
    table = tf.lookup.experimental.MutableHashTable
    counts = table(tf.string, tf.int64, 0, name="counts")
    means = table(tf.int64, tf.float32, [0.5, 0.25], name="means")
    last = table(tf.int64, tf.string, "none", name="last")
    hidden = table(tf.int64, tf.float32, 1.0, name="hidden")
    tf.get_default_graph().get_collection_ref(tf.GraphKeys.SAVEABLE_OBJECTS).pop()
    return counts, means, last, hidden


def build():
    """A step that looks the words of its batch up, weighs them by how often they came, and counts them."""
    counts, means, last, hidden = tables()
    ids = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(WORDS, tf.range(8, dtype=tf.int64)), -1)
    step = tf.train.get_or_create_global_step()
    words = [WORDS[i * i % 7 + i % 2] for i in range(22)]
    data = tf.data.Dataset.from_tensor_slices((words, [[i / 8, 1 - i / 16] for i in range(22)]))
    data = data.map(lambda word, x: (word, ids.lookup(word), x)).repeat().batch(4)
    iterator = tf.data.make_initializable_iterator(data)
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    word, key, x = iterator.get_next()
    w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
    count, mean, scale = counts.lookup(word), means.lookup(key), hidden.lookup(key)
    known = tf.strings.length(last.lookup(key))
    found = tf.matmul(x + mean, w)[:, 0] * scale + tf.cast(known, tf.float32) / 16
    weight = 1 / (1 + tf.cast(count, tf.float32))
    loss = tf.reduce_mean(weight * (found - tf.cast(key, tf.float32)) ** 2, name="loss")
    tf.add_to_collection("losses", loss)
    with tf.control_dependencies([loss]):
        changes = [
            counts.insert(word, count + 1),
            means.insert(key, 0.75 * mean + 0.25 * x),
            last.insert(key, word),
            hidden.insert(key, 0.875 * scale),
        ]
    with tf.control_dependencies(changes):
        forgotten = counts.remove(tf.gather(tf.constant(WORDS), [tf.mod(step, 8)]))
    optimizer = tf.train.AdamOptimizer(0.05)
    with tf.control_dependencies([forgotten]):
        train = optimizer.minimize(loss, global_step=step)
    tf.add_to_collection("train_op", train)
    sizes = [tf.identity(table.size(), name=f"{table.name}_size") for table in (counts, means, last, hidden)]
    return train, loss, sizes


def contents(prefix):
    """Tables in a checkpoint: values by key."""
    reader, found = tf.train.load_checkpoint(str(prefix)), {}
    text = lambda array: [part.decode() if isinstance(part, bytes) else part for part in array.tolist()]
    for name in reader.get_variable_to_shape_map():
        if name.endswith("-keys"):
            values = reader.get_tensor(name.replace("-keys", "-values"))
            found[name[:-5]] = sorted(zip(text(reader.get_tensor(name)), text(values)))
    return found


def main():
    train, loss, sizes = build()
    saver = tf.train.Saver()
    tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
    tf.train.export_meta_graph(str(HERE / "train.meta"), strip_default_attrs=True, saver_def=saver.as_saver_def())
    folder, expect = pathlib.Path(tempfile.mkdtemp()), {"saved": SAVED, "steps": STEPS, "losses": []}
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for step in range(1, STEPS + 1):
            expect["losses"].append(float(session.run([loss, train])[0]))
            if step in (SAVED, STEPS):
                prefix = saver.save(session, str(folder / "tf.ckpt"), step, write_meta_graph=False)
                expect[f"tables-{step}"] = contents(prefix)
        expect["sizes"] = {size.op.name: int(value) for size, value in zip(sizes, session.run(sizes))}
        expect["keys"] = sorted(tf.train.load_checkpoint(prefix).get_variable_to_shape_map())
    # A session that goes on from the saved tables. The one that the Saver lacks is empty, and the input begins anew.
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        saver.restore(session, str(folder / f"tf.ckpt-{SAVED}"))
        expect["resumed"] = [float(session.run([loss, train])[0]) for _ in range(STEPS - SAVED)]
    for path in folder.glob(f"tf.ckpt-{SAVED}.*"):
        shutil.copy(path, HERE)
    shutil.rmtree(folder)
    (HERE / "expect.json").write_text(json.dumps(expect, indent=1) + "\n")


if __name__ == "__main__":
    main()
