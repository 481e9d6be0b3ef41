# SPDX-License-Identifier: Apache-2.0
"""Graphs of TF1's control flow with gradients, and what TensorFlow's session makes of them in a few steps.

    control_flow_in_tensorflow.py FOLDER

Leaves in FOLDER, for each graph, a folder with train.meta, model.ckpt-0 and expected.json: the loss of each run until the
global step is STEPS, and the variables then. A graph is a function from variables and a batch `x` of 4 rows of 6 numbers to a loss.
"""
import json
import os
import pathlib
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import control_flow_ops

v1 = tf.compat.v1
v1.disable_eager_execution()
v1.disable_control_flow_v2()
v1.logging.set_verbosity(v1.logging.ERROR)
STEPS, GRAPHS = 4, {}


# Graphs whose train op TensorFlow never runs, so that a session does not count their steps.
NEVER_TRAINED = []


def graph(function):
    GRAPHS[function.__name__] = function
    return function


def square(h):
    return tf.reduce_mean(h * h)


def turns(count, body, start, **more):
    """The value of a loop of `count` iterations."""
    return v1.while_loop(lambda i, h: i < count, lambda i, h: [i + 1, body(i, h)], [tf.constant(0), start], **more)[1]


def half(x):
    """A predicate that is true for every second batch."""
    return x[0, 0] > 0


@graph
def loop_of_a_product(var, x):
    u = var(6, 6)
    return square(turns(3, lambda i, h: tf.tanh(h @ u + x), x))


@graph
def loop_whose_start_is_trained(var, x):
    w, u = var(6, 6), var(6, 6)
    return square(turns(3, lambda i, h: tf.tanh(h @ u), tf.tanh(x @ w)))


@graph
def loop_before_which_all_is_trained(var, x):
    return square(turns(2, lambda i, h: tf.tanh(h + x), x @ var(6, 6)))


@graph
def loop_without_iterations(var, x):
    u = var(6, 6)
    return square(turns(0, lambda i, h: h @ u, x @ u))


@graph
def loop_whose_end_depends_on_data(var, x):
    u = var(6, 6)
    body = lambda i, h: (i + 1, h * 1.3 + tf.tanh(x @ u) * 0.1)
    return square(v1.while_loop(lambda i, h: (tf.reduce_sum(h * h) < 60) & (i < 9), body, [tf.constant(0), x])[1])


@graph
def loop_of_swapped_states(var, x):
    u = var(6, 6)
    body = lambda i, a, b: (i + 1, tf.tanh(b @ u), a + 0.1)
    _, a, b = v1.while_loop(lambda i, a, b: i < 3, body, [tf.constant(0), x, x * 2.0])
    return square(a) + square(b)


@graph
def loop_in_a_loop(var, x):
    u = var(6, 6)
    return square(turns(2, lambda i, h: turns(2, lambda j, g: tf.tanh(g @ u), h), x))


@graph
def loops_in_turn(var, x):
    u, w = var(6, 6), var(6, 6)
    return square(turns(2, lambda i, h: tf.tanh(h @ w), turns(3, lambda i, h: tf.tanh(h @ u), x)))


@graph
def loop_of_one_iteration_at_a_time(var, x):
    u = var(6, 6)
    return square(turns(3, lambda i, h: tf.sin(h @ u), x, parallel_iterations=1))


@graph
def loop_that_swaps_memory(var, x):
    u = var(6, 6)
    return square(turns(3, lambda i, h: tf.tanh(h @ u), x, swap_memory=True))


@graph
def loop_without_gradient(var, x):
    u = var(6, 6)
    return square(tf.stop_gradient(turns(3, lambda i, h: tf.tanh(h @ u), x, back_prop=False)) @ u)


@graph
def loop_with_a_limit(var, x):
    u = var(6, 6)
    return square(turns(9, lambda i, h: tf.tanh(h @ u), x, maximum_iterations=2))


@graph
def loop_that_stops_gradients(var, x):
    u, w = var(6, 6), var(6, 6)
    return square(turns(3, lambda i, h: tf.tanh(h @ u) + tf.stop_gradient(tf.sin(h @ w)), x) @ w)


@graph
def loop_that_grows(var, x):
    w = var(6)
    body = lambda i, h: (i + 1, tf.concat([h, h[-1:] * w], 0))
    shapes = [tf.TensorShape([]), tf.TensorShape([None, 6])]
    return square(v1.while_loop(lambda i, h: i < 3, body, [tf.constant(0), x], shapes)[1])


@graph
def loop_over_rows_of_a_table(var, x):
    table = var(5, 6)
    return square(turns(3, lambda i, h: h + tf.nn.embedding_lookup(table, [i, 4 - i, i, 1]), x))


@graph
def loop_of_integers(var, x):
    w = var(6)
    body = lambda i, n, h: (i + 1, n * 2 + i, h * w + tf.cast(n, tf.float32) * 0.01)
    return square(v1.while_loop(lambda i, n, h: i < 4, body, [tf.constant(0), tf.constant(1), x])[2])


@graph
def arrays_written_in_a_loop(var, x):
    u = var(6, 6)
    array = v1.TensorArray(tf.float32, 3)
    body = lambda i, h, a: (i + 1, tf.tanh(h @ u), a.write(i, h))
    return square(v1.while_loop(lambda i, h, a: i < 3, body, [tf.constant(0), x, array])[2].stack())


@graph
def arrays_read_in_a_loop(var, x):
    w = var(6)
    array = v1.TensorArray(tf.float32, 4).unstack(x)
    return square(v1.while_loop(lambda i, h: i < 4, lambda i, h: (i + 1, h * w + array.read(i)), [tf.constant(0), x[0]])[1])


@graph
def arrays_that_are_scattered(var, x):
    w = var(6)
    array = v1.TensorArray(tf.float32, 4, clear_after_read=False).scatter([3, 1, 0, 2], tf.tanh(x * w))
    return square(array.gather([0, 2, 1]) * w) + square(array.concat()[:7])


@graph
def map_of_rows(var, x):
    w = var(6)
    return square(v1.map_fn(lambda row: tf.tanh(row * w), x))


@graph
def scan_of_rows(var, x):
    w = var(6)
    return square(v1.scan(lambda a, row: tf.tanh(a * w + row), x, tf.zeros([6])))


@graph
def folds_of_rows(var, x):
    w = var(6)
    return square(v1.foldl(lambda a, row: a * w + row, x)) + square(v1.foldr(lambda a, row: tf.tanh(a * w) + row, x))


@graph
def map_with_a_branch(var, x):
    w = var(6)
    return square(v1.map_fn(lambda row: tf.cond(row[0] > 0, lambda: row * w, lambda: row + w), x))


def cell(kind):
    return kind(3, name="cell")


@graph
def dynamic_rnn_of_lstm(var, x):
    return square(v1.nn.dynamic_rnn(cell(v1.nn.rnn_cell.LSTMCell), tf.reshape(x, [-1, 3, 2]), dtype=tf.float32)[0])


@graph
def dynamic_rnn_of_gru_with_lengths(var, x):
    lengths = tf.cast(tf.reduce_sum(tf.cast(x > 0, tf.int32), 1) % 4, tf.int32)
    out, state = v1.nn.dynamic_rnn(cell(v1.nn.rnn_cell.GRUCell), tf.reshape(x, [-1, 3, 2]), lengths, dtype=tf.float32)
    return square(out) + square(state)


@graph
def bidirectional_rnn(var, x):
    cells = [v1.nn.rnn_cell.BasicRNNCell(3), v1.nn.rnn_cell.BasicRNNCell(2)]
    out, _ = v1.nn.bidirectional_dynamic_rnn(*cells, tf.reshape(x, [-1, 3, 2]), dtype=tf.float32)
    return square(tf.concat(out, 2))


@graph
def decoder_on_an_encoder(var, x):
    _, state = v1.nn.dynamic_rnn(v1.nn.rnn_cell.GRUCell(3, name="a"), tf.reshape(x, [-1, 3, 2]), dtype=tf.float32)
    out, _ = v1.nn.dynamic_rnn(v1.nn.rnn_cell.GRUCell(3, name="b"), tf.reshape(x, [-1, 2, 3]), initial_state=state)
    return square(out)


@graph
def raw_rnn(var, x):
    own, inputs = cell(v1.nn.rnn_cell.GRUCell), tf.reshape(x, [-1, 3, 2])

    def step(time, output, state, loop_state):
        state = own.zero_state(4, tf.float32) if output is None else state
        return tf.fill([4], time >= 3), inputs[:, tf.minimum(time, 2)], state, output, None

    return square(v1.nn.raw_rnn(own, step)[0].stack())


@graph
def branch(var, x):
    w, u = var(6, 6), var(6, 6)
    return square(tf.cond(half(x), lambda: tf.tanh(x @ w), lambda: x @ u))


@graph
def branch_that_forwards(var, x):
    h = x @ var(6, 6)
    return square(tf.cond(half(x), lambda: h, lambda: h * 2.0))


@graph
def branch_in_a_branch(var, x):
    w = var(6, 6)
    inner = lambda: tf.cond(x[0, 0] > 0, lambda: tf.tanh(x @ w), lambda: x @ w)
    return square(tf.cond(half(x), inner, lambda: x * w[0]))


@graph
def branch_of_several_results(var, x):
    w, u = var(6, 6), var(6, 6)
    a, b, _ = tf.cond(half(x), lambda: (x @ w, x @ u, x), lambda: (x @ u, x @ w, x * 2.0))
    return square(a) + 2.0 * square(b)


@graph
def branches_of_one_predicate(var, x):
    w, p = var(6, 6), half(x)
    return square(tf.cond(p, lambda: tf.tanh(tf.cond(p, lambda: x @ w, lambda: x)), lambda: x @ w) + tf.cond(p, lambda: x, lambda: x @ w))


@graph
def case_of_three(var, x):
    w, s = var(6, 6), x[0, 0]
    return square(v1.case([(s > 1.0, lambda: x @ w), (s > 0.0, lambda: tf.tanh(x @ w))], default=lambda: x * w[1]))


@graph
def case_by_number(var, x):
    w = var(6, 6)
    which = tf.cast(tf.abs(x[0, 0]) * 5, tf.int32) % 3
    return square(v1.switch_case(which, [lambda: x @ w, lambda: tf.sin(x @ w), lambda: x + w[0]]))


@graph
def branch_in_a_loop(var, x):
    u = var(6, 6)
    return square(turns(4, lambda i, h: tf.cond(tf.equal(i % 2, 0), lambda: tf.tanh(h @ u), lambda: h + 0.1), x))


@graph
def branch_by_data_in_a_loop(var, x):
    u = var(6, 6)
    return square(turns(3, lambda i, h: tf.cond(half(h), lambda: tf.tanh(h @ u), lambda: h * u[0]), x))


@graph
def loop_in_a_branch(var, x):
    u = var(6, 6)
    return square(tf.cond(half(x), lambda: turns(3, lambda i, h: tf.tanh(h @ u), x), lambda: x @ u))


@graph
def second_derivative_of_a_branch(var, x):
    w = var(6, 6)
    y = tf.cond(half(x), lambda: tf.tanh(x @ w), lambda: tf.sin(x @ w))
    return square(y) + square(tf.gradients(square(y), x)[0])


@graph
def penalty_of_gradients(var, x):
    w = var(6, 6)
    slope = tf.gradients(tf.reduce_sum(tf.cond(half(x), lambda: tf.tanh(x @ w) ** 2, lambda: (x @ w) ** 3)), [x])[0]
    return tf.reduce_mean((tf.sqrt(tf.reduce_sum(slope * slope, 1) + 1e-3) - 1.0) ** 2)


@graph
def updates_in_branches(var, x):
    w, average = var(6, 6), var(6, trainable=False)

    def taken():
        with tf.control_dependencies([v1.assign_sub(average, (average - x[0]) * 0.1)]):
            return tf.tanh(x @ w)

    return square(tf.cond(half(x), taken, lambda: x @ w) - average)


@graph
def updates_that_the_step_waits_for(var, x):
    w, average = var(6, 6), var(6, trainable=False)

    def taken():
        v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, v1.assign_sub(average, (average - x[0]) * 0.1))
        return tf.tanh(x @ w)

    return square(tf.cond(half(x), taken, lambda: x @ w))


@graph
def step_that_waits_for_the_loss_of_a_loop(var, x):
    w, u = var(6, 6), var(6, 6)
    loss = square(turns(3, lambda i, h: tf.tanh(h @ u + x), tf.tanh(x @ w)))
    v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, loss)  # gradients, too, wait for it: TensorFlow does not train w
    return loss


NEVER_TRAINED.append(step_that_waits_for_the_loss_of_a_loop)


@graph
def batch_norm_after_a_loop(var, x):
    out = v1.nn.dynamic_rnn(cell(v1.nn.rnn_cell.GRUCell), tf.reshape(x, [-1, 3, 2]), dtype=tf.float32)[0]
    return tf.reduce_mean(v1.layers.batch_normalization(out[:, -1], training=True) ** 4)


@graph
def batch_norm_in_a_branch(var, x):
    norm = v1.layers.BatchNormalization(name="norm")
    h = tf.cond(half(x), lambda: norm(x @ var(6, 6), training=True), lambda: norm(x, training=False))
    return tf.reduce_mean(h**4)


@graph
def raw_switch_and_merge(var, x):
    w = var(6, 6)
    off, on = control_flow_ops.switch(x @ w, half(x))
    return square(control_flow_ops.merge([tf.tanh(on), off * 0.5])[0])


@graph
def index_of_a_merge(var, x):
    w = var(6, 6)
    off, on = control_flow_ops.switch(x @ w, half(x))
    value, index = control_flow_ops.merge([off * 0.5, tf.tanh(on)])
    return square(value) * (1.0 + tf.cast(index, tf.float32))


@graph
def predicate_of_a_variable(var, x):
    w = var(6, 6)
    return square(tf.cond(tf.reduce_sum(v1.convert_to_tensor(w)) > 0, lambda: x @ w, lambda: tf.tanh(x @ w)))


@graph
def dropped_rows_in_a_branch(var, x):
    w, kept = var(6, 6), tf.cast(x[:, :1] > 0, tf.float32)
    return square(tf.cond(half(x), lambda: (x * kept) @ w, lambda: x @ w))


@graph
def where_of_a_loop(var, x):
    u = var(6, 6)
    return square(turns(3, lambda i, h: tf.where(h > 0, tf.tanh(h @ u), h), x))


@graph
def gathered_columns_in_a_loop(var, x):
    u = var(6, 6)
    return square(turns(3, lambda i, h: tf.tanh(h @ u) + tf.gather(x, [i, i + 1], axis=1)[:, :1], x))


def build(function, number):
    rng = np.random.RandomState(number)
    rows = rng.normal(size=(16, 6)).astype("f")
    rows[::4, 0] = np.abs(rows[::4, 0]) * [1, -1, 1, -1]
    data = tf.data.Dataset.from_tensor_slices(rows).repeat().batch(4, drop_remainder=True)
    x = v1.data.make_one_shot_iterator(data).get_next()
    count = iter(range(99))

    def var(*shape, trainable=True):
        initial = (rng.normal(size=shape) * 0.5).astype("f")
        return v1.get_variable(f"w{next(count)}", initializer=initial, trainable=trainable, use_resource=number % 2 == 0)

    loss = tf.identity(function(var, x), "loss")
    step = v1.train.get_or_create_global_step()
    with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    v1.add_to_collection("train_op", train)
    v1.add_to_collection("loss", loss)
    return loss, train


def record(function, number, folder):
    folder.mkdir(parents=True)
    with tf.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(3)
        loss, train = build(function, number)
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver()
        saver.export_meta_graph(str(folder / "train.meta"))
        saver.save(session, str(folder / "model.ckpt"), 0, write_meta_graph=False)
        losses, step = [], v1.train.get_global_step()
        while session.run(step) < STEPS and len(losses) < (STEPS if function in NEVER_TRAINED else 60):
            losses.append(float(session.run([loss, train])[0]))
        values = {v.op.name: np.ravel(session.run(v)).tolist() for v in v1.global_variables()}
    (folder / "expected.json").write_text(json.dumps({"losses": losses, "values": values}))


if __name__ == "__main__":
    for number, (name, function) in enumerate(GRAPHS.items()):
        record(function, number, pathlib.Path(sys.argv[1]) / name)
