# SPDX-License-Identifier: Apache-2.0
"""Branches and loops, as functions and as TF1's ops, their gradients, and recurrent networks."""
from suite import F32, I32, I64, BOOL, Suite, eighths, normal, np, tf, v1


def with_v2(function):
    """Builds `function` with functional control flow."""

    def build(*arguments):
        v1.enable_control_flow_v2()
        try:
            return function(*arguments)
        finally:
            v1.disable_control_flow_v2()

    return build


def with_v1(function):
    def build(*arguments):
        v1.disable_control_flow_v2()
        return function(*arguments)

    return build


def gradient(function):
    def build(*arguments):
        result = function(*arguments)
        return [result] + tf.gradients(result, [a for a in arguments if a.dtype == tf.float32])

    return build


def choose(c, x):
    return tf.cond(c, lambda: tf.nn.relu(x) * 2.0, lambda: x - 1.0)


def choose_twice(c, d, x):
    inner = lambda: tf.cond(d, lambda: x * x, lambda: tf.exp(-x * x))
    return tf.cond(c, lambda: inner() * x + 1.0, lambda: x * 3.0)


def choose_several(c, x, y):
    a, b, n = tf.cond(c, lambda: (x + y, x * y, tf.constant(1)), lambda: (x - y, y, tf.constant(2)))
    return [a, b, n, a + b]


def several_sum(c, x, y):
    a, b, _ = choose_several(c, x, y)[:3]
    return a * b


def pass_through(c, x):
    return tf.cond(c, lambda: x, lambda: -x)


def power(n, x):
    return tf.while_loop(lambda i, y: i < n, lambda i, y: [i + 1, y * x], [0, tf.ones_like(x)])[1]


def fibonacci(n):
    return tf.while_loop(
        lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), [0, tf.constant(0), tf.constant(1)]
    )[1:]


def newton(x):
    body = lambda y: y - (y * y - x) / (2.0 * y)
    far = lambda y: tf.reduce_max(tf.abs(y * y - x)) > 1e-3
    return tf.while_loop(far, body, [x])


def nested(n, x):
    def outer(i, y):
        z = tf.while_loop(lambda j, _: j < i, lambda j, z: (j + 1, tf.tanh(z + x)), [0, y])[1]
        return i + 1, z * 0.5

    return tf.while_loop(lambda i, _: i < n, outer, [0, x])[1]


def branch_in_loop(n, x):
    def body(i, y):
        y = tf.cond(tf.equal(i % 2, 0), lambda: y * x, lambda: y + x)
        return i + 1, y

    return tf.while_loop(lambda i, _: i < n, body, [0, x])[1]


def dropped(c, x):
    """What is drawn in a branch is what its gradient takes, which comes after it."""
    return tf.square(tf.cond(c, lambda: tf.nn.dropout(x * x, rate=0.5, seed=7), lambda: x * 3.0))


def dropped_twice(c, d, x):
    drop = lambda y: tf.nn.dropout(y, rate=0.5, seed=9)
    return tf.square(tf.cond(c, lambda: tf.square(tf.cond(d, lambda: drop(x * x), lambda: drop(x) * 2.0)) + x, lambda: drop(x * 3.0)))


def loop_in_branch(c, n, x):
    return tf.cond(c, lambda: power(n, x), lambda: branch_in_loop(n, x))


def nested_in_branch(c, n, x):
    return tf.cond(c, lambda: nested(n, x), lambda: tf.sin(x))


def matrix_power(n, x):
    return tf.while_loop(
        lambda i, y: i < n, lambda i, y: [i + 1, tf.matmul(y, x)], [0, tf.eye(3)]
    )[1]


def case(i, x):
    return tf.switch_case(i, [lambda: x + 1.0, lambda: x * x, lambda: tf.exp(x)])


def variable_in_branch(c, x):
    w = v1.get_variable("w_branch", initializer=np.float32([1, 2, 3]), use_resource=True)
    with tf.control_dependencies(
        [tf.cond(c, lambda: w.assign_add(x).op, lambda: w.assign(x * 2.0).op)]
    ):
        return w.read_value() + 0.0


def variable_in_case(i, x):
    w = v1.get_variable("w_case", initializer=np.float32([1, 2, 3]), use_resource=True)
    done = tf.switch_case(i, [lambda: w.assign_add(x).op, lambda: w.assign_sub(x).op, lambda: w.assign(x * 2.0).op])
    with tf.control_dependencies([done]):
        return w.read_value() + 0.0


def variable_in_loop(n, x):
    w = v1.get_variable("w_loop", initializer=np.float32([1, 2, 3]), use_resource=True)

    def body(i):
        with tf.control_dependencies([w.assign_add(x * w.read_value())]):
            return i + 1

    with tf.control_dependencies([tf.while_loop(lambda i: i < n, body, [0])]):
        return w.read_value() + 0.0


def carried(n, x):
    """The state that it starts with is differentiated, too."""
    return tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, tf.tanh(y * x)), [0, x * 0.5])[1]


def gradient_after(function):
    """The gradient's nodes depend on a node after the loop, and so do the nodes that they add to the loop."""

    def build(n, x):
        result = function(n, x)
        with tf.control_dependencies([result * 2.0]):
            return [result] + tf.gradients(result, [x])

    return build


def side(c, x, taken):
    """`x` in the branch in which `c` is `taken`, as TF1's tf.cond passes it there."""
    switch = tf.raw_ops.Switch(data=x, pred=c)
    return switch.output_true if taken else switch.output_false


def merged(on_false, on_true):
    return tf.raw_ops.Merge(inputs=[on_false, on_true]).output


def switch_of_a_switch(taken):
    """A tf.cond that returns what is passed into its branch twice, as TensorFlow 1.1 wrote it."""

    def build(c, x, y):
        nested = side(c, side(c, x, taken), taken)
        other = tf.identity(side(c, y * 10.0, not taken))
        return merged(other, nested) if taken else merged(nested, other)

    return build


def merges_after_a_switch_of_a_switch(taken):
    def build(c, x, y):
        h = switch_of_a_switch(taken)(c, x, y) * 3.0
        zeros = lambda: tf.raw_ops.Fill(dims=tf.raw_ops.Shape(input=side(c, h, taken)), value=0.5)
        value = tf.identity(side(c, h * 2.0, not taken))
        # The value for true is the first input, against the convention.
        return [h, merged(zeros(), value) if taken else merged(value, zeros())]

    return build


def merge_of_true_first(c, x, y):
    return merged(side(c, x, True) * 2.0, side(c, y, False) - 1.0)


def switches_of_two_predicates(c, d, x, y):
    inner = merged(side(d, side(c, x, True), False) * 3.0, side(c, side(d, side(c, y, True), True), True) + 1.0)
    return [merged(side(c, x, False), inner), merged(side(c, y, False) * 2.0, inner * inner)]


def curved(c, x):
    return v1.cond(c, lambda: tf.sin(x) * x * x, lambda: tf.exp(x * 0.5) - x * x * x)


def curved_twice(c, d, x):
    return tf.square(v1.cond(c, lambda: v1.cond(d, lambda: x * x * x, lambda: tf.cos(x)), lambda: curved(d, x) * x))


def derivatives(f, times):
    """`f` and its gradients. From the second one on, TensorFlow switches by the index of the input that a Merge took."""

    def build(*inputs):
        results = [f(*inputs)]
        for _ in range(times):
            results += tf.gradients(results[-1], [inputs[-1]])
        return results

    return build


def switches():
    suite = Suite("switches")
    x, y = normal((3,)), normal((3,))
    for c in (True, False):
        add = lambda name, f, *inputs: suite.case(f"{name}_{c}", with_v1(f), np.bool_(c), *inputs, rtol=1e-5, atol=1e-6)
        for taken in (True, False):
            add(f"switch_of_a_switch_{taken}", switch_of_a_switch(taken), x, y)
            add(f"merges_after_a_switch_of_a_switch_{taken}", merges_after_a_switch_of_a_switch(taken), x, y)
        add("merge_of_true_first", merge_of_true_first, x, y)
        add("third_gradient", derivatives(curved, 3), x)
        for d in (True, False):
            add(f"switches_of_two_predicates_{d}", switches_of_two_predicates, np.bool_(d), x, y)
            add(f"second_gradient_of_two_predicates_{d}", derivatives(curved_twice, 2), np.bool_(d), x)
    suite.write()


def control():
    suite = Suite("control")
    x, y = normal((3,)), normal((3,))
    for kind, build in (("v1", with_v1), ("v2", with_v2)):
        add = lambda name, f, *inputs: suite.case(f"{kind}_{name}", build(f), *inputs, rtol=1e-5, atol=1e-6)
        for c in (True, False):
            c = np.bool_(c)
            add(f"cond_{c}", choose, c, x)
            add(f"cond_gradient_{c}", gradient(choose), c, x)
            add(f"several_{c}", choose_several, c, x, y)
            add(f"several_gradient_{c}", gradient(several_sum), c, x, y)
            add(f"pass_{c}", pass_through, c, x)
            add(f"dropped_gradient_{c}", gradient(dropped), c, x)
            for d in (True, False):
                add(f"dropped_twice_gradient_{c}_{d}", gradient(dropped_twice), c, np.bool_(d), x)
                add(f"twice_{c}_{d}", choose_twice, c, np.bool_(d), x)
                add(f"twice_gradient_{c}_{d}", gradient(choose_twice), c, np.bool_(d), x)
            add(f"loop_in_branch_{c}", loop_in_branch, c, I32(3), x)
            add(f"loop_in_branch_gradient_{c}", gradient(loop_in_branch), c, I32(3), x)
            add(f"nested_in_branch_gradient_{c}", gradient(nested_in_branch), c, I32(3), x)
        for n in (0, 1, 5):
            n = I32(n)
            add(f"power_{n}", power, n, x)
            add(f"power_gradient_{n}", gradient(power), n, x)
            add(f"fibonacci_{n}", fibonacci, n)
            add(f"nested_{n}", nested, n, x)
            add(f"nested_gradient_{n}", gradient(nested), n, x)
            add(f"branch_in_loop_{n}", branch_in_loop, n, x)
            add(f"branch_in_loop_gradient_{n}", gradient(branch_in_loop), n, x)
            add(f"matrix_power_{n}", matrix_power, n, normal((3, 3)))
            add(f"carried_gradient_{n}", gradient(carried), n, x)
            add(f"power_gradient_after_{n}", gradient_after(power), n, x)
        for i in (-1, 0, 1, 2):
            def changed(*inputs, name=f"{kind}_{i}"):
                with v1.variable_scope(name.replace("-", "minus_")):
                    return variable_in_case(*inputs)
            add(f"variable_in_case_{i}".replace("-", "minus_"), changed, I32(i), x)
        add("newton", newton, F32([4, 9, 2]))

    suite.write()


SUITES = [control, switches]
