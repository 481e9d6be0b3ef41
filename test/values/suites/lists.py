# SPDX-License-Identifier: Apache-2.0
"""Lists and arrays of tensors, and what is made of them: scans, maps, recurrent networks and their gradients."""
from control import gradient, with_v1, with_v2
from suite import F32, F64, I32, I64, Suite, eighths, normal, np, raw, tf, v1

SHAPE3, ANY = np.int32([3]), np.int32(-1)


def constant(value, dtype=tf.int32):
    return tf.constant(value, dtype)


def empty(shape=(3,), dtype=tf.float32, most=-1):
    return raw.EmptyTensorList(element_shape=constant(shape), max_num_elements=constant(most), element_dtype=dtype)


def reserve(n, shape=(3,), dtype=tf.float32):
    return raw.TensorListReserve(element_shape=constant(shape), num_elements=constant(n), element_dtype=dtype)


def stack(handle, shape=(3,), dtype=tf.float32, n=-1):
    return raw.TensorListStack(input_handle=handle, element_shape=constant(shape), element_dtype=dtype, num_elements=n)


def push(handle, tensor):
    return raw.TensorListPushBack(input_handle=handle, tensor=tensor)


def put(handle, i, item, **more):
    return raw.TensorListSetItem(input_handle=handle, index=constant(i), item=item, **more)


def get(handle, i, shape=(3,), dtype=tf.float32):
    return raw.TensorListGetItem(input_handle=handle, index=constant(i), element_shape=constant(shape), element_dtype=dtype)


def pop(handle, shape=(3,), dtype=tf.float32):
    return raw.TensorListPopBack(input_handle=handle, element_shape=constant(shape), element_dtype=dtype)


def rows(x, shape=(3,)):
    return raw.TensorListFromTensor(tensor=x, element_shape=constant(shape))


def pushed(x, y):
    handle = push(push(empty(), x), y)
    return [stack(handle), raw.TensorListLength(input_handle=handle)]


def popped(x, y):
    first = push(push(empty(), x), y)
    second, last = pop(first)
    third, before = pop(second)
    # Versions of one list, used in turn.
    fourth = push(second, last * 2.0)
    return [last, before, stack(first), stack(second), stack(fourth), stack(first) + stack(fourth),
            raw.TensorListLength(input_handle=third)]  # fmt: skip


def replaced(x, y):
    first = put(reserve(4), 2, x)
    second = put(first, 0, y)
    third = put(second, 2, x + y)
    grown = put(third, 6, y, resize_if_index_out_of_bounds=True)
    return [stack(first), stack(second), stack(third), get(first, 2), get(first, 0), get(third, 2), stack(grown)]


def from_rows(x):
    handle = rows(x)
    return [stack(handle), get(handle, 1), stack(put(handle, 1, get(handle, 0))), stack(handle)]


def unknown_shapes(x, y):
    handle = push(push(empty(-1), x), y)
    return [get(handle, 0, -1), get(handle, 1, [-1]), pop(handle, -1)[1],
            raw.TensorListElementShape(input_handle=empty((-1, 4)), shape_type=tf.int32),
            raw.TensorListElementShape(input_handle=empty((2, 4)), shape_type=tf.int64)]  # fmt: skip


def resized(x):
    resize = lambda n: raw.TensorListResize(input_handle=rows(x), size=constant(n))
    return [stack(resize(2)), stack(resize(7)), raw.TensorListLength(input_handle=resize(9))]


def gathered(x, i):
    gather = lambda h: raw.TensorListGather(input_handle=h, indices=i, element_shape=constant((3,)), element_dtype=tf.float32)
    return [gather(rows(x)), gather(put(reserve(5), 0, x[1]))]


def scattered(x, i):
    shape = constant((3,))
    first = raw.TensorListScatter(tensor=x, indices=i, element_shape=shape)
    second = raw.TensorListScatterV2(tensor=x, indices=i, element_shape=shape, num_elements=constant(8))
    third = raw.TensorListScatterIntoExistingList(input_handle=rows(x * 2.0), tensor=x, indices=constant([4, 0, 3, 2, 1]))
    return [stack(first), stack(second), stack(third)]


def in_pieces(x, lengths):
    handle = raw.TensorListSplit(tensor=x, element_shape=constant((-1, 3)), lengths=lengths)
    joined = raw.TensorListConcatV2(input_handle=handle, element_shape=constant((-1, 3)),
        leading_dims=constant([], tf.int64), element_dtype=tf.float32)  # fmt: skip
    old = raw.TensorListConcat(input_handle=handle, element_dtype=tf.float32, element_shape=[None, 3])
    return [get(handle, 0, (-1, 3)), get(handle, 1, (-1, 3)), *joined, *old]


def added(x, y):
    a, b = push(empty(), x), push(empty(), y)
    inputs = [raw.AddN(inputs=[a, b]), raw.AddN(inputs=[a, b, a]), raw.ZerosLike(x=a), raw.AddN(inputs=[put(reserve(2), 0, x), put(reserve(2), 1, y)])]
    return [stack(handle) for handle in inputs]


def nested_lists(x, y):
    outer = push(push(empty((), tf.variant), push(empty(), x)), push(push(empty(), x), y))
    inner = pop(outer, (), tf.variant)[1]
    first = get(outer, 0, (), tf.variant)
    zeros = get(raw.ZerosLike(x=outer), 1, (), tf.variant)
    twice = get(raw.AddN(inputs=[outer, outer]), 1, (), tf.variant)
    return [stack(inner), stack(first), stack(zeros), stack(twice)]


def batch_of_lists(x):
    lists = tf.stack([empty(), push(empty(), x[0])])
    lists = raw.TensorListPushBackBatch(input_handles=lists, tensor=x)
    return [stack(lists[0]), stack(lists[1])]


def in_loop(n, x):
    """Pushed in a loop, popped in another one, read in the test of neither."""
    body = lambda i, handle, y: (i + 1, push(handle, y), y * x)
    _, handle, y = tf.while_loop(lambda i, *_: i < n, body, [0, empty(), x])
    unwind = lambda i, handle, y: (i - 1, *(lambda h, z: (h, y * 0.5 + z))(*pop(handle)))
    _, left, z = tf.while_loop(lambda i, *_: i > 1, unwind, [n, handle, y])
    return [stack(handle), y, z, raw.TensorListLength(input_handle=left)]


def optional(c, x):
    def some():
        return raw.OptionalFromValue(components=[x * 2.0])

    value = tf.cond(c, some, lambda: raw.OptionalNone())
    has = raw.OptionalHasValue(optional=value)
    found = tf.cond(has, lambda: raw.OptionalGetValue(optional=value, output_types=[tf.float32], output_shapes=[[3]])[0], lambda: x)
    return [has, found]


def joined_lists(x, y):
    a, b = push(push(empty(), x), y), push(empty(), x * 2.0)
    join = lambda a, b: raw.TensorListConcatLists(input_a=a, input_b=b, element_dtype=tf.float32)
    twice = join(join(a, b), a)
    pair = raw.TensorListConcatLists(input_a=tf.stack([a, b]), input_b=tf.stack([b, empty()]), element_dtype=tf.float32)
    return [stack(join(a, b)), stack(join(b, empty())), stack(twice), raw.TensorListLength(input_handle=twice), stack(a), stack(pair[0]), stack(pair[1])]


def array(x, i):
    make = lambda **more: tf.TensorArray(tf.float32, size=4, **more)
    first = make().unstack(x)
    second = make(clear_after_read=False).write(1, x[0]).write(3, x[1]).write(0, x[2]).write(2, x[3] * 2.0)
    third = tf.TensorArray(tf.float32, size=0, dynamic_size=True).write(0, x[1]).write(1, x[2])
    return [first.stack(), second.stack(), second.read(3), second.gather(i), third.stack(), third.size()]


def closed(x):
    """Reads of an array and a stack before they are closed."""
    array = raw.TensorArrayV3(size=constant(2), dtype=tf.float32)
    flow = raw.TensorArrayWriteV3(handle=array.handle, index=constant(1), value=x, flow_in=array.flow)
    found = raw.TensorArrayReadV3(handle=array.handle, index=constant(1), flow_in=flow, dtype=tf.float32)
    stack = raw.StackV2(max_size=constant(4), elem_type=tf.float32)
    with tf.control_dependencies([raw.StackPushV2(handle=stack, elem=x * 2.0)]):
        popped = raw.StackPopV2(handle=stack, elem_type=tf.float32)
    with tf.control_dependencies([found, popped]):
        done = [raw.TensorArrayCloseV3(handle=array.handle), raw.StackCloseV2(handle=stack)]
    with tf.control_dependencies(done):
        return [found + 1.0, popped + 1.0]


def never_written(x, shape=None):
    """Elements that are zeros, as large as the one that was written."""
    array = raw.TensorArrayV3(size=constant(3), dtype=tf.float32, element_shape=shape, identical_element_shapes=True, clear_after_read=False)
    flow = raw.TensorArrayWriteV3(handle=array.handle, index=constant(1), value=x, flow_in=array.flow)
    read = raw.TensorArrayReadV3(handle=array.handle, index=constant(2), flow_in=flow, dtype=tf.float32)
    with tf.control_dependencies([read]):
        return [read, raw.TensorArrayGatherV3(handle=array.handle, indices=[0, 1, 2], flow_in=flow, dtype=tf.float32)]


def array_pieces(x):
    split = tf.TensorArray(tf.float32, size=2, infer_shape=False, clear_after_read=False).split(x, [1, 3])
    return [split.read(0), split.read(1), split.concat()]


def written_twice(x):
    """Each element is read several times: its gradients are added."""
    array = tf.TensorArray(tf.float32, size=4, clear_after_read=False).unstack(x)
    return array.read(0) * array.read(1) + array.read(1) * array.stack()[2] + array.read(0)


def read_again_each_step(places):
    """Each step of a loop reads several elements, whose gradients are added in the gradient's loop."""

    def build(x):
        steps = int(x.shape[0])
        array = tf.TensorArray(tf.float32, size=steps, clear_after_read=False).unstack(x)

        def body(i, state):
            for place in places:
                state = tf.tanh(state * 0.7 + array.read(place(i, steps)) * (1.0 + state))
            return i + 1, state

        return tf.while_loop(lambda i, _: i < steps, body, [0, x[0] * 0.5])[1]

    return build


def touched_again(x, later):
    """An element that was read, and then is read or written once more."""
    array = tf.TensorArray(tf.float32, size=4).unstack(x)
    first = array.read(1)
    with tf.control_dependencies([first]):
        return first + later(array, x)


def running_sum(x):
    return tf.scan(lambda a, e: a * 0.5 + tf.tanh(e), x)


def fold(x):
    return tf.foldl(lambda a, e: a * e + e, x) + tf.foldr(lambda a, e: a + e * a, x)


def mapped(x):
    return tf.map_fn(lambda e: tf.sin(e) * tf.reduce_sum(e), x)


def mapped_twice(x, y):
    a, b = tf.map_fn(lambda e: (e[0] * e[1], tf.reduce_sum(e[0])), (x, y), fn_output_signature=(tf.float32, tf.float32))
    return a + b[:, None]


def loop_over_rows(x):
    n = tf.shape(x)[0]

    def body(i, array, state):
        state = tf.tanh(state + x[i])
        return i + 1, array.write(i, state * 2.0), state

    array = tf.TensorArray(tf.float32, size=n)
    _, array, state = tf.while_loop(lambda i, *_: i < n, body, [0, array, tf.zeros_like(x[0])])
    return array.stack() * state


def other_way_round(x):
    """A loop reads and writes the rows from the last one on."""
    n = int(x.shape[0])
    source = tf.TensorArray(tf.float32, size=n).unstack(x)

    def body(i, made, state):
        state = tf.tanh(state * 0.5 + source.read(n - 1 - i))
        return i + 1, made.write(n - 1 - i, state * state), state

    _, made, state = tf.while_loop(lambda i, *_: i < n, body, [0, tf.TensorArray(tf.float32, size=n), tf.zeros_like(x[0])])
    return made.stack() * state


def first_rows(x):
    """A loop of fewer iterations than there are rows."""
    source = tf.TensorArray(tf.float32, size=int(x.shape[0])).unstack(x)
    return tf.while_loop(lambda i, _: i < 3, lambda i, state: (i + 1, tf.tanh(state * 0.5 + source.read(i))), [0, x[0] * 2.0])[1]


def in_two_loops(x):
    """One loop writes an array, another one reads it and counts down."""
    n = int(x.shape[0])
    made = tf.TensorArray(tf.float32, size=n)
    _, made = tf.while_loop(lambda i, _: i < n, lambda i, made: (i + 1, made.write(i, tf.sin(x[i]) * x[0])), [0, made])
    return tf.while_loop(lambda i, _: i >= 1, lambda i, state: (i - 1, state * tf.tanh(made.read(i - 1)) + x[i - 1]), [n, x[1]])[1]


def nested_rows(x):
    """A loop over rows in a loop over rows."""

    def inner(e):
        return tf.scan(lambda a, f: a * 0.5 + f * e, x)[-1]

    return tf.map_fn(inner, x)


def branch_over_rows(x):
    return tf.map_fn(lambda e: tf.cond(tf.reduce_sum(e) > 0, lambda: e * e, lambda: tf.sin(e)), x)


def numbers(shape, seed):
    """The same numbers in every case, as constants of the graph."""
    return tf.constant(np.random.RandomState(seed).normal(size=shape) * 0.5, tf.float32)


CELLS = {
    "basic": lambda n: v1.nn.rnn_cell.BasicRNNCell(n, dtype=tf.float32),
    "lstm": lambda n: v1.nn.rnn_cell.LSTMCell(n, dtype=tf.float32),
    "peephole": lambda n: v1.nn.rnn_cell.LSTMCell(n, use_peepholes=True, num_proj=2, dtype=tf.float32),
    "gru": lambda n: v1.nn.rnn_cell.GRUCell(n, dtype=tf.float32),
    "stack": lambda n: v1.nn.rnn_cell.MultiRNNCell([v1.nn.rnn_cell.BasicRNNCell(n, dtype=tf.float32), v1.nn.rnn_cell.GRUCell(n, dtype=tf.float32)]),
}


def open_batch(function):
    """`function` of a batch whose size is known only at run time."""
    return lambda x, *rest: function(v1.placeholder_with_default(x, (None,) + tuple(x.shape[1:])), *rest)


def in_scope(function):
    """Variables of a case of its own, with the same numbers each time."""

    def build(*arguments):
        name = v1.get_default_graph().get_name_scope().replace("/", "_")
        seeds = iter(range(1000))

        def initializer(shape, dtype=tf.float32, **_):
            return numbers(shape, next(seeds))

        with v1.variable_scope("v_" + name, initializer=initializer, use_resource=True):
            return function(*arguments)

    return build


def with_variables(function):
    """The results of `function`, and its gradients by inputs and variables."""

    def build(*arguments):
        before = set(v.ref() for v in v1.trainable_variables())
        results = tf.nest.flatten(function(*arguments))
        loss = tf.add_n([tf.reduce_sum(r * r) for r in results])
        own = [v for v in v1.trainable_variables() if v.ref() not in before]
        inputs = [a for a in arguments if a.dtype == tf.float32]
        return results + [g for g in tf.gradients(loss, inputs + own) if g is not None]

    return build


def recurrent(kind, **more):
    def build(x, lengths=None):
        return v1.nn.dynamic_rnn(CELLS[kind](4), x, sequence_length=lengths, dtype=tf.float32, **more)

    return in_scope(with_variables(build))


def bidirectional(x, lengths):
    cell = lambda: v1.nn.rnn_cell.GRUCell(3, dtype=tf.float32)
    return v1.nn.bidirectional_dynamic_rnn(cell(), cell(), x, sequence_length=lengths, dtype=tf.float32)


def keras(layer, **more):
    """A layer of Keras', its loop not unrolled, in a function."""

    def build(x):
        seeds = iter(range(100))
        initializer = lambda shape, dtype=None, **_: numbers(tuple(shape), next(seeds))
        made = layer(4, kernel_initializer=initializer, recurrent_initializer=initializer,
            bias_initializer=initializer, return_sequences=True, **more)  # fmt: skip
        made.build(x.shape)
        y = tf.function(made)(x)
        return [y] + tf.gradients(tf.reduce_sum(y * y), [x] + made.trainable_weights)

    return build


def lists():
    suite = Suite("lists")
    x, y, m = normal((3,)), normal((3,)), normal((5, 3))
    c = lambda name, f, *inputs: suite.case(name, f, *inputs, rtol=1e-5, atol=1e-6)
    c("push", pushed, x, y)
    c("pop", popped, x, y)
    c("set", replaced, x, y)
    c("from_tensor", from_rows, m)
    c("unknown_shapes", unknown_shapes, x, y)
    c("resize", resized, m)
    c("gather", gathered, m, I32([4, 0, 0, 2]))
    c("gather_none", gathered, m, np.zeros((0,), I32))
    c("scatter", scattered, m, I32([4, 0, 6, 2, 1]))
    c("pieces", in_pieces, m, I64([2, 3]))
    c("add", added, x, y)
    c("nested", nested_lists, x, y)
    c("joined", joined_lists, x, y)
    c("batch", batch_of_lists, normal((2, 3)))
    for n in (0, 1, 6):
        c(f"loop_{n}", with_v2(in_loop), I32(n), x)
    for choice in (True, False):
        c(f"optional_{choice}", with_v2(optional), np.bool_(choice), x)
    suite.write()


def arrays_of_tensors():
    suite = Suite("arrays_of_tensors")
    m = normal((4, 3))
    for kind, build in (("v1", with_v1), ("v2", with_v2)):
        def add(name, f, *inputs):
            suite.case(f"{kind}_{name}", build(f), *inputs, rtol=1e-5, atol=1e-6)

        add("array", array, m, I32([3, 0, 0]))
        add("pieces", array_pieces, m)
        add("never_written", never_written, m)
        add("never_written_open", lambda x: never_written(x, tf.TensorShape([None, 3])), m)
        add("closed", closed, m)
        for name, f, inputs in (("twice", written_twice, [m]), ("scan", running_sum, [m]), ("fold", fold, [m]), ("map", mapped, [m]),
            ("map_two", mapped_twice, [m, normal((4, 3))]), ("rows", loop_over_rows, [m]), ("nested_rows", nested_rows, [m]),
            ("branches", branch_over_rows, [m])):  # fmt: skip
            add(name, f, *inputs)
            add(name + "_gradient", gradient(f), *inputs)
        same, mirrored = (lambda i, n: i), (lambda i, n: n - 1 - i)
        for name, places, steps in (("step_twice", [same, same], 4), ("step_thrice", [mirrored] * 3, 4), ("step_once_more", [same, mirrored], 1),
            ("step_across", [same, mirrored], 5), ("step_first_too", [same, lambda i, n: 0], 4)):  # fmt: skip
            add(name + "_gradient", gradient(read_again_each_step(places)), np.sin(np.arange(steps * 16, dtype=F32)).reshape(steps, 16))
    # TF2's arrays are lists, which may.
    twice, late = "Could not read index 1 twice because it was cleared after a previous read", "Could not write to TensorArray index 1 because it has already been read"
    for name, says, later in (("read_twice", twice, lambda array, x: array.read(1)), ("gathered_twice", twice, lambda array, x: array.stack()),
        ("written_after_read", late, lambda array, x: array.write(1, x[0]).read(0))):  # fmt: skip
        suite.case(f"v1_{name}", with_v1(lambda x, later=later: touched_again(x, later)), m, fails=says)
    suite.write()


def recurrent_networks():
    suite = Suite("recurrent_networks")
    x, lengths = normal((3, 6, 5)), I32([6, 2, 4])
    for kind, build in (("v1", with_v1), ("v2", with_v2)):
        def add(name, f, *inputs):
            suite.case(f"{kind}_{name}", build(f), *inputs, rtol=1e-4, atol=1e-5)

        for cell in CELLS:
            add(cell, recurrent(cell), x)
            add(cell + "_lengths", recurrent(cell), x, lengths)
            if cell != "stack":  # padded: no row uses the last steps
                add(cell + "_padded", open_batch(recurrent(cell)), x, I32([3, 2, 4]))
        add("time_major", recurrent("gru", time_major=True), np.swapaxes(x, 0, 1).copy(), lengths)
        add("swapped", recurrent("lstm", swap_memory=True, parallel_iterations=1), x, lengths)
        add("keras_lstm", keras(tf.keras.layers.LSTM), x)
        add("keras_gru", keras(tf.keras.layers.GRU), x)
        add("keras_simple", keras(tf.keras.layers.SimpleRNN, go_backwards=True), x)
        add("bidirectional", in_scope(with_variables(bidirectional)), x, lengths)
    suite.write()


def stacked_rows():
    """Loops of known trip counts whose rows are as long as kernels expect: arrays, stacks and lists become tensors."""
    suite = Suite("stacked_rows")
    x, m = normal((4, 5, 4)), normal((5, 16))
    for kind, build in (("v1", with_v1), ("v2", with_v2)):
        def add(name, f, *inputs):
            suite.case(f"{kind}_{name}", build(f), *inputs, rtol=1e-4, atol=1e-5)

        for cell in ("basic", "lstm", "gru", "stack"):
            add(cell, recurrent(cell), x)
        add("time_major", recurrent("gru", time_major=True), np.swapaxes(x, 0, 1).copy())
        add("keras_gru", keras(tf.keras.layers.GRU), x)
        for name, f, inputs in (("scan", running_sum, [m]), ("fold", fold, [m]), ("map", mapped, [m]), ("map_two", mapped_twice, [m, normal((5, 16))]),
            ("rows", loop_over_rows, [m]), ("nested_rows", nested_rows, [m]), ("branches", branch_over_rows, [m]),
            ("other_way_round", other_way_round, [m]), ("first_rows", first_rows, [m]), ("two_loops", in_two_loops, [m])):  # fmt: skip
            add(name, f, *inputs)
            add(name + "_gradient", gradient(f), *inputs)
    suite.write()


SUITES = [lists, arrays_of_tensors, recurrent_networks, stacked_rows]
