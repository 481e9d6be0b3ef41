# SPDX-License-Identifier: Apache-2.0
"""Ensembles as AdaNet's graphs write them: mixtures, penalties, averages of losses, the best candidate."""
import numpy as np
from tensorflow.python.training import moving_averages

from suite import *


def variable(name, value):
    return v1.get_variable(name, initializer=tf.constant(value), use_resource=True)


def networks(name, inputs, dtype):
    """Members: what an untrained layer makes of the inputs, which is the inputs."""
    return [tf.matmul(x, variable(f"{name}_network_{i}", np.eye(x.shape[1], dtype=dtype)))
            for i, x in enumerate(inputs)]  # fmt: skip


def weighted(member, weight):
    return tf.matmul(member, weight) if weight.shape.rank == 2 else member * weight


def mixture(name, kinds, classes, bias, dtype):
    """The logits, and the gradients of half the sum of their squares, from the members' outputs."""
    shapes = {"matrix": lambda width: (width, classes), "vector": lambda _: (classes,), "scalar": lambda _: ()}

    def function(*inputs):
        members = networks(name, inputs, dtype)
        weights = [variable(f"{name}_{i}/mixture_weight", eighths(shapes[kind](member.shape[1]), dtype))
                   for i, (kind, member) in enumerate(zip(kinds, members))]  # fmt: skip
        trained = list(weights)
        products = [weighted(member, weight) for member, weight in zip(members, weights)]
        if bias == "first":
            trained.append(variable(f"{name}_bias", eighths((classes,), dtype)))
            logits = trained[-1]
            for product in products:
                logits = logits + product
        else:
            logits = tf.add_n(products)
        if bias == "last":
            trained.append(variable(f"{name}_bias", eighths((classes,), dtype)))
            logits = logits + trained[-1]
        return [logits, *tf.gradients(tf.reduce_sum(logits * logits) / 2, trained)]

    return function


def ensemble_mixtures():
    suite = Suite("ensemble_mixtures")
    for dtype in FLOATS:
        for kinds in (["matrix"], ["matrix", "matrix"], ["scalar", "scalar"], ["vector", "vector", "vector"],
                      ["matrix", "scalar", "vector"], ["matrix"] * 5):  # fmt: skip
            for bias in ("first", "last", "none"):
                name = f"{'_'.join(kind[0] for kind in kinds)}_{bias}_{short(dtype)}"
                inputs = [eighths((6, 5 + i if kind == "matrix" else 4), dtype) for i, kind in enumerate(kinds)]
                suite.case(name, mixture(name, kinds, 4, bias, dtype), *inputs)
    # As AdaNet's digits: more classes than a vector has lanes, a batch that no tile divides.
    name = "seventeen_classes"
    inputs = [eighths((37, 33)), eighths((37, 20))]
    suite.case(name, mixture(name, ["matrix", "matrix"], 17, "first", F32), *inputs)
    # Too large for one kernel.
    name = "large"
    suite.case(name, mixture(name, ["matrix", "matrix"], 11, "first", F32), eighths((40, 500)), eighths((40, 480)))
    suite.write()


def best(losses, values):
    """AdaNet's choice (AN-135), and the value that belongs to it."""
    clean = tf.where(tf.math.is_nan(losses), -np.inf * tf.ones_like(losses), tf.stack(losses))
    index = tf.argmin(clean, axis=0)
    return [index, tf.reshape(tf.slice(tf.stack(values), [index], [1]), [])]


def ensemble_selections():
    suite = Suite("ensemble_selections")
    nan, inf = float("nan"), float("inf")
    for number, losses in enumerate([[3.0], [2.0, 1.0], [1.0, 1.0], [3.0, nan, 1.0], [-inf, nan], [nan, -inf], [nan, nan],
                                     [inf, inf], [inf, 2.0, nan, nan], [5.0, 4.0, 3.0, -2.0, 3.0]]):  # fmt: skip
        for dtype in FLOATS:
            count = len(losses)
            suite.case(f"best_{number}_{short(dtype)}", lambda *x, n=count: best(list(x[:n]), list(x[n:])),
                       *[np.array(x, dtype) for x in losses], *eighths((count,), dtype))  # fmt: skip
    for dtype in FLOATS:
        for times in (1, 2, 7):
            name = f"average_{short(dtype)}_{times}_steps"

            def average(x, name=name, dtype=dtype):
                held = variable(name, np.zeros((), dtype))
                moved = moving_averages.assign_moving_average(held, x, 0.9, zero_debias=True)
                with tf.control_dependencies([moved]):
                    return [tf.identity(held.read_value())]

            suite.case(name, average, np.array(1.2, dtype), rtol=ROUNDING[dtype], times=times)
    suite.write()


# The checklist's example of an AdaNet objective, worked out by hand: after one step and after two, to ten digits.
EXAMPLE = [
    dict(logits=[[1.5, 0.5], [0.5, 1.0]], loss=0.3936693358, penalty=0.1307106781, objective=0.5243800140,
         gradients=[-0.4020113795, 0.2057209800], bias=[0.0542996237, -0.0542996237],
         weights=[0.5402011379, 0.4794279020], average=0.5243800140),
    dict(logits=[[1.4990569420, 0.4794279020], [0.4794279020, 1.0804022759]], loss=0.3725815920,
         penalty=0.1320177483, objective=0.5045993403, average=0.5139691331),
]  # fmt: skip


def ensemble_example():
    suite = Suite("ensemble_example")

    def step(name, keys):
        def function(first, second, labels):
            members = networks(name, [first, second], F64)
            # A bias that is not trained, as with use_bias false (AN-080), whose gradient is computed.
            bias = variable(f"{name}_bias", np.zeros(2))
            weights = [variable(f"{name}_{i}/mixture_weight", np.array(0.5)) for i in (0, 1)]
            logits = bias
            for member, weight in zip(members, weights):
                logits = logits + member * weight
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.reduce_mean(losses)
            penalty = tf.constant(0.0, tf.float64)
            for weight, complexity in zip(weights, (1.0, np.sqrt(2.0))):
                factor = 0.1 * tf.constant(complexity, tf.float64) + 0.01
                penalty = penalty + factor * tf.norm(weight, ord=1, axis=None)
            objective = loss + penalty
            gradients = tf.gradients(objective, [*weights, bias])
            held = variable(f"{name}_average", np.zeros(()))
            moved = moving_averages.assign_moving_average(held, objective, 0.9, zero_debias=True)
            with tf.control_dependencies([objective, logits, moved, *gradients]):
                stepped = [weight.assign_sub(0.1 * gradient, read_value=False)
                           for weight, gradient in zip(weights, gradients)]  # fmt: skip
            with tf.control_dependencies(stepped):
                found = dict(logits=logits, loss=loss, penalty=penalty, objective=objective,
                             gradients=tf.stack(gradients[:2]), bias=gradients[2],
                             weights=tf.stack([weight.read_value() for weight in weights]),
                             average=held.read_value())  # fmt: skip
                return [tf.identity(found[key]) for key in keys]

        return function

    feeds = (np.array([[1.0, 0], [0, 2]]), np.array([[2.0, 1], [1, 0]]), np.array([0, 1], I64))
    for times, figures in enumerate(EXAMPLE, 1):
        name = f"after_{times}"
        expected = [np.array(figure) for figure in figures.values()]
        suite.case(name, step(name, list(figures)), *feeds, rtol=1e-9, expected=expected, times=times)
    suite.write()


SUITES = [ensemble_mixtures, ensemble_selections, ensemble_example]
