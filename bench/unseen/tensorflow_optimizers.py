# SPDX-License-Identifier: Apache-2.0
"""TensorFlow 1's optimizers by their names in models.py, and one training step with the usual extras."""
import tensorflow.compat.v1 as tf

OPTIMIZERS = {
    "sgd": tf.train.GradientDescentOptimizer,
    "momentum": lambda rate: tf.train.MomentumOptimizer(rate, 0.9),
    "nesterov": lambda rate: tf.train.MomentumOptimizer(rate, 0.9, use_nesterov=True),
    "adam": tf.train.AdamOptimizer,
    "adagrad": tf.train.AdagradOptimizer,
    "rmsprop": tf.train.RMSPropOptimizer,
    "rmsprop-momentum": lambda rate: tf.train.RMSPropOptimizer(rate, momentum=0.9, epsilon=1e-3),
}


def made(spec):
    rate = spec["rate"]
    if "warm_up" in spec:  # Vaswani et al. (2017)
        step = tf.cast(tf.train.get_or_create_global_step(), tf.float32) + 1.0
        rate = spec["width"] ** -0.5 * tf.minimum(step**-0.5, step * spec["warm_up"] ** -1.5)
    return OPTIMIZERS[spec["optimizer"]](rate)


def trained(loss, spec, variables=None):
    """What a step runs: gradients, clipped by their global norm where the model says so, and updates of moving averages."""
    optimizer, step = made(spec), tf.train.get_or_create_global_step()
    pairs = optimizer.compute_gradients(loss, variables)
    if "clip" in spec:
        gradients, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], spec["clip"])
        pairs = list(zip(gradients, [variable for _, variable in pairs]))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return optimizer.apply_gradients(pairs, step)
