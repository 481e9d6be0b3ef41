# SPDX-License-Identifier: Apache-2.0
"""Loops that end before their bound: recurrent networks with lengths, arrays with elements that no iteration writes."""
from control import with_v1, with_v2
from lists import CELLS, open_batch
from suite import F32, F64, I32, Suite, normal, np, tf, v1

T = 5


def with_gradients(function):
    """The results of `function`, and its gradients by floats among its arguments and by its variables."""

    def build(*arguments):
        name = v1.get_default_graph().get_name_scope().replace("/", "_")
        seeds = iter(range(1000))

        def initializer(shape, dtype=tf.float32, **_):
            return tf.constant(np.random.RandomState(next(seeds)).normal(size=shape) * 0.5, dtype)

        with v1.variable_scope("v_" + name, initializer=initializer, use_resource=True) as scope:
            results = tf.nest.flatten(function(*arguments))
            own = v1.trainable_variables(scope.name + "/")
        loss = tf.add_n([tf.reduce_sum(r * r) for r in results])
        inputs = [a for a in arguments if a.dtype.is_floating]
        return results + [g for g in tf.gradients(loss, inputs + own) if g is not None]

    return build


def cell_of(kind, dtype):
    return v1.nn.rnn_cell.BasicLSTMCell(4, dtype=dtype) if kind == "wide_lstm" else CELLS[kind](4)


def recurrent(kind, **more):
    return with_gradients(lambda x, lengths: v1.nn.dynamic_rnn(cell_of(kind, x.dtype), x, sequence_length=lengths, dtype=x.dtype, **more))


def bidirectional(kind):
    def build(x, lengths):
        return v1.nn.bidirectional_dynamic_rnn(cell_of(kind, x.dtype), cell_of(kind, x.dtype), x, sequence_length=lengths, dtype=x.dtype)

    return with_gradients(build)


def rows_of(x):
    return tf.TensorArray(x.dtype, size=T, element_shape=x.shape[1:]).unstack(x)


def made_for(x):
    return tf.TensorArray(x.dtype, size=T, element_shape=x.shape[1:])


def looped(n, body, *state):
    """The number of iterations, `n` or at most T, and the state after them."""
    return tf.while_loop(lambda i, *_: i < n, lambda i, *s: (i + 1, *body(i, *s)), (0, *state), maximum_iterations=T)


def step(row, state):
    return tf.tanh(state * 0.5 + row)


def scan(x, n):
    source = rows_of(x)

    def body(i, made, state):
        state = step(source.read(i), state)
        return made.write(i, state * state), state

    _, made, state = looped(n, body, made_for(x), x[0] * 2.0)
    return [made.stack(), state]


def scan_again(x, n):
    """A second scan, whose rows may be where those of the first one were."""
    rows, state = scan(x, T)
    return scan(x + tf.sin(rows) * state, n)


def until(x, limit):
    """The state ends the loop."""
    source = rows_of(x)

    def body(i, made, state):
        state = state + tf.abs(source.read(i))
        return i + 1, made.write(i, tf.sin(state)), state

    more = lambda i, _, state: tf.reduce_sum(state) < tf.reduce_sum(limit)
    _, made, state = tf.while_loop(more, body, (0, made_for(x), tf.zeros_like(x[0])), maximum_iterations=T)
    return [made.stack(), state]


def from_last(x, n):
    """Iterations write from the last row on."""

    def body(i, made, state):
        state = step(x[i], state)
        return made.write(T - 1 - i, state), state

    _, made, state = looped(n, body, made_for(x), x[0])
    return [made.stack(), state]


def in_two_loops(x, n):
    """A second loop of as many iterations reads what the first one has written, from its last iteration on."""
    count, made, _ = looped(n, lambda i, made, s: (made.write(i, step(x[i], s)), s + x[i]), made_for(x), x[0])
    return tf.while_loop(lambda i, _: i >= 1, lambda i, s: (i - 1, step(made.read(i - 1), s)), [count, x[1]])[1]


def read_beyond(x, n):
    """A second loop reads all rows, also those that the first one has not written."""
    _, made, _ = looped(n, lambda i, made, s: (made.write(i, step(x[i], s)), s + x[i]), made_for(x), x[0])
    return tf.while_loop(lambda i, _: i < T, lambda i, s: (i + 1, step(made.read(i), s)), [0, x[1]])[1]


def read_in_order(x, n):
    """A second loop of as many iterations reads the rows from the first one on."""
    count, made, _ = looped(n, lambda i, made, s: (made.write(i, step(x[i], s)), s + x[i]), made_for(x), x[0])
    return tf.while_loop(lambda i, _: i < count, lambda i, s: (i + 1, step(made.read(i), s)), [0, x[1]])[1]


def last_of_one(x, n):
    """Each iteration writes the only row, if there is one."""
    made = tf.TensorArray(x.dtype, size=1, element_shape=x.shape[1:])
    _, made, _ = looped(tf.minimum(n, 1), lambda i, made, s: (made.write(0, step(x[i], s)), step(x[i], s)), made, x[0])
    return made.stack()


def nested(x, n):
    """A loop of `n` iterations in another one."""

    def body(i, made, state):
        rows, state = scan(x * state[0], n)
        return made.write(i, tf.reduce_sum(rows, 0)), state

    _, made, state = looped(n, body, made_for(x), x[1])
    return [made.stack(), state]


def masked(x, n):
    """Booleans of a row, and of the counter, which the gradient needs."""
    source = rows_of(x)

    def body(i, made, state):
        row = source.read(i)
        state = tf.where(row > 0.0, step(row, state), tf.where(tf.equal(i, 1), -state, state))
        return made.write(i, state), state

    _, made, state = looped(n, body, made_for(x), x[0])
    return [made.stack(), state]


# With how many iterations each runs.
LOOPS = {scan: (0, 3, 7), scan_again: (0, 3), from_last: (3,), in_two_loops: (3,), read_in_order: (3,), read_beyond: (0, 3),
         last_of_one: (0,), nested: (3,), masked: (0, 3)}  # fmt: skip
FULL, ONES, ZEROS, SOME, MIXED = (I32(lengths) for lengths in ([5, 5, 5, 5], [1, 1, 1, 1], [0, 0, 0, 0], [0, 3, 0, 2], [2, 4, 1, 3]))


def bounded_rows():
    suite = Suite("bounded_rows")
    x, x64, m = normal((4, T, 4)), normal((4, T, 4), F64), normal((T, 16))
    for kind, build in (("v1", with_v1), ("v2", with_v2)):
        def add(name, f, *inputs):
            double = any(a.dtype == F64 for a in inputs)
            suite.case(f"{kind}_{name}", build(f), *inputs, rtol=1e-10 if double else 1e-4, atol=1e-11 if double else 1e-5)

        add("basic_full", recurrent("basic"), x, FULL)
        add("basic_ones", recurrent("basic"), x, ONES)
        add("lstm_zeros", recurrent("lstm"), x, ZEROS)
        add("lstm_some", recurrent("lstm"), x, SOME)
        add("gru", recurrent("gru"), x, MIXED)
        add("bidirectional", bidirectional("lstm"), x, MIXED)
        add("time_major", recurrent("basic", time_major=True), np.swapaxes(x, 0, 1).copy(), SOME)
        add("open_batch", open_batch(recurrent("basic")), x, MIXED)
        add("lstm_f64", recurrent("wide_lstm"), x64, MIXED)
        for f, counts in LOOPS.items():
            for n in counts:
                add(f"{f.__name__}_{n}", with_gradients(f), m, I32(n))
        for limit in (-1.0, 20.0):
            add(f"until_{int(limit)}", with_gradients(until), m, np.full((1,), limit, F32))
        add("scan_f64", with_gradients(scan), normal((T, 8), F64), I32(3))
    suite.write()


SUITES = [bounded_rows]
