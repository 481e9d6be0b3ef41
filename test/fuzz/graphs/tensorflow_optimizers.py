# SPDX-License-Identifier: Apache-2.0
"""How random graphs that TensorFlow makes train (tensorflow_graphs.py): optimizers, clipping, accumulation, averages.

TensorFlow orders a variable's reads and updates only by data and by control inputs, and a graph whose result hangs on that
order has none. So each update comes after the loss and after all gradients, as `GATE_GRAPH` has it.
"""
import tensorflow as tf

v1 = tf.compat.v1
OPTIMIZERS = [
    lambda: v1.train.GradientDescentOptimizer(0.05), lambda: v1.train.MomentumOptimizer(0.02, 0.9),
    lambda: v1.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True), lambda: v1.train.AdamOptimizer(0.002, epsilon=1e-3),
    lambda: v1.train.RMSPropOptimizer(0.002, momentum=0.5, epsilon=1e-2), lambda: v1.train.AdagradOptimizer(0.05),
    lambda: v1.train.FtrlOptimizer(0.05, l2_regularization_strength=0.01), lambda: v1.train.AdadeltaOptimizer(0.5),
    lambda: v1.train.RMSPropOptimizer(0.002, centered=True, epsilon=1e-2),
    lambda: v1.train.ProximalGradientDescentOptimizer(0.05, l2_regularization_strength=0.01),
    lambda: v1.train.ProximalAdagradOptimizer(0.05, l1_regularization_strength=0.001),
]  # fmt: skip


def dense(gradient):
    return tf.convert_to_tensor(gradient)


def clip(pairs, kind):
    """Gradients as they are, by their norm all together or each, or by value."""
    gradients, variables = [g for g, _ in pairs], [v for _, v in pairs]
    if kind == 1:
        gradients, _ = tf.clip_by_global_norm(gradients, 0.3)
    elif kind == 2:
        gradients = [tf.clip_by_norm(dense(g), 0.2) for g in gradients]
    elif kind == 3:
        gradients = [tf.clip_by_value(dense(g), -0.05, 0.05) for g in gradients]
    return list(zip(gradients, variables))


def accumulate(context, optimizer, pairs):
    """Gradients of two steps, added up, are applied in every second one."""
    sums = [context.variable(v.shape.as_list(), 0.0, trainable=False) for _, v in pairs]
    added = [v1.assign_add(s, dense(g)) for s, (g, _) in zip(sums, pairs)]
    step = v1.train.get_or_create_global_step()

    def apply():
        applied = optimizer.apply_gradients([(s * 0.5, v) for s, (_, v) in zip(values, pairs)])
        with tf.control_dependencies([applied]):
            return tf.group(*[v1.assign(s, tf.zeros_like(value)) for s, value in zip(sums, values)])

    with tf.control_dependencies(added):
        values = [tf.identity(v1.convert_to_tensor(s)) for s in sums]
    with tf.control_dependencies(values):
        return tf.cond(tf.equal(step % 2, 1), apply, tf.no_op)


def apply(context, optimizers, pairs, tower):
    """Updates of the variables, with one optimizer or two; a part of the towers accumulates."""
    if tower.extras & 0x700 == 0x100 and tower.seed % 2 == 0 and not tower.loops:  # branches assign to resource variables only
        return accumulate(context, optimizers[0], pairs)
    half = len(pairs) // 2 if len(optimizers) > 1 else 0
    parts = [(optimizer, part) for optimizer, part in zip(optimizers, [pairs[half:], pairs[:half]]) if part]
    return tf.group(*[optimizer.apply_gradients(part) for optimizer, part in parts])


def averages(context, variables, kind):
    """Moving averages of the variables, by hand or TensorFlow's."""
    if kind == 1 and context.tower.seed % 2 == 0:
        decay = v1.train.ExponentialMovingAverage(0.9, num_updates=v1.train.get_or_create_global_step())
        return [decay.apply(variables)]
    ops = []
    for v in variables:
        average = context.variable(v.shape.as_list(), 0.0, trainable=False)
        ops.append(v1.assign_sub(average, (average - v1.convert_to_tensor(v)) * 0.1))
    return ops


def optimize(context, loss, tower):
    """One step of the tower's variables, after its other updates."""
    scope = f"tower{context.number}/"
    variables = [v for v in v1.trainable_variables() if v.name.startswith(scope) and v.dtype.base_dtype == tf.float32]
    extras = tower.extras
    if extras & 1:
        loss = loss + 0.01 * tf.add_n([tf.nn.l2_loss(v) for v in variables]) if variables else loss
    count = 1 + (extras & 0x1800 == 0x800)
    optimizers = [OPTIMIZERS[(tower.optimizer + i) % len(OPTIMIZERS)]() for i in range(count)]
    pairs = []
    # With the updates first, as Estimators have it, or beside them. TensorFlow never runs gradients of its older loops that
    # wait for something outside of these, nor what depends on them.
    waits = extras & 2 and (not tower.loops or tower.seed % 4 == 0)
    with tf.control_dependencies(context.updates if waits else []):
        if variables:
            gate = v1.train.Optimizer.GATE_GRAPH
            pairs = [(g, v) for g, v in optimizers[0].compute_gradients(loss, variables, gate_gradients=gate) if g is not None]
    pairs = clip(pairs, (extras >> 2) & 7) if pairs else []
    with tf.control_dependencies([loss, *[g.values if isinstance(g, tf.IndexedSlices) else g for g, _ in pairs], *(context.updates if extras & 2 else [])]):
        train = apply(context, optimizers, pairs, tower) if pairs else tf.no_op()
    ops = [train, *context.updates]
    if pairs and extras & 0x60:
        with tf.control_dependencies([train]):
            ops += averages(context, [v for _, v in pairs], (extras >> 5) & 3)
    if extras & 192 == 64:
        total = v1.get_variable("total", initializer=0.0, trainable=False, use_resource=tower.seed % 2 == 0)
        ops.append(v1.assign_add(total, loss))
    return tf.group(*ops)
