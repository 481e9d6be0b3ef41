# SPDX-License-Identifier: Apache-2.0
"""What the models in JAX share: layers as dictionaries of arrays, with the initial values of TensorFlow's layers, and losses."""
import jax
import jax.numpy as jnp

keys = iter(jax.random.split(jax.random.PRNGKey(1), 1000))


def uniform(*shape):
    """Glorot's, for [.., inputs, outputs]."""
    field = 1
    for size in shape[:-2]:
        field *= size
    limit = (6.0 / (field * (shape[-2] + shape[-1]))) ** 0.5
    return jax.random.uniform(next(keys), shape, minval=-limit, maxval=limit)


def normal(shape, deviation):
    return deviation * jax.random.normal(next(keys), shape)


def dense(inputs, outputs):
    return {"kernel": uniform(inputs, outputs), "bias": jnp.zeros(outputs)}


def conv(*shape):
    return {"kernel": uniform(*shape), "bias": jnp.zeros(shape[-1])}


def mlp(widths):
    return [dense(a, b) for a, b in zip(widths[:-1], widths[1:])]


def apply(layer, x):
    return x @ layer["kernel"] + layer["bias"]


def apply_mlp(layers, x, activation=jax.nn.relu):
    """Activations follow all layers but the last."""
    for layer in layers[:-1]:
        x = activation(apply(layer, x))
    return apply(layers[-1], x)


def convolved(layer, x, stride=1, padding="SAME", dilation=1, groups=1):
    """A convolution of one or two dimensions, channels last; `layer` has a bias or not."""
    layout = ("NHWC", "HWIO", "NHWC") if x.ndim == 4 else ("NWC", "WIO", "NWC")
    spread = (x.ndim - 2) * (stride,), (x.ndim - 2) * (dilation,)
    made = jax.lax.conv_general_dilated(
        x, layer["kernel"], spread[0], padding, rhs_dilation=spread[1], dimension_numbers=layout, feature_group_count=groups
    )
    return made + layer["bias"] if "bias" in layer else made


def pooled(x, size=2):
    window = (1, *(x.ndim - 2) * (size,), 1)
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")


def averaged(x, size=2):
    window = (1, size, size, 1)
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, window, window, "VALID") / size**2


def norm(channels):
    return {"scale": jnp.ones(channels), "offset": jnp.zeros(channels)}


def normalized(layer, x, axes, epsilon):
    """Batch normalization in training over all axes but the last, layer normalization over that."""
    mean = x.mean(axes, keepdims=True)
    variance = ((x - mean) ** 2).mean(axes, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + epsilon) * layer["scale"] + layer["offset"]


def batch_norm(layer, x):
    return normalized(layer, x, (0, 1, 2), 1e-3)


def layer_norm(layer, x, epsilon=1e-6):
    return normalized(layer, x, -1, epsilon)


def dropout(x, rate, key):
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0)


def heads_of(x, heads):
    """[batch, length, width] to [batch, heads, length, width / heads]."""
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def without_heads(x):
    x = x.transpose(0, 2, 1, 3)
    return x.reshape(*x.shape[:2], -1)


def cross_entropy(logits, labels, weights=None):
    """The mean, or that of the elements with weights other than zero."""
    losses = -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1)[..., 0]
    return losses.mean() if weights is None else (losses * weights).sum() / jnp.count_nonzero(weights)


def binary(logits, labels):
    logits = logits.squeeze(-1)
    return jnp.mean(jnp.maximum(logits, 0) - logits * labels + jnp.log1p(jnp.exp(-jnp.abs(logits))))
