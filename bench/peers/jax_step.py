# SPDX-License-Identifier: Apache-2.0
"""JAX's steps a second on a model of models.py: one jitted step that takes over its state.
Usage: jax_step.py MODEL WINDOW_SECONDS WINDOWS
       jax_step.py MODEL --export GRAPH    the same step as a graph for ingotc"""
import pathlib
import sys

import jax
import jax.numpy as jnp

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent)]
import models
from peers import timing

keys = iter(jax.random.split(jax.random.PRNGKey(1), 1000))


def weight(*shape):
    fan_in = 1
    for size in shape[:-1]:
        fan_in *= size
    return jax.random.normal(next(keys), shape) * (2.0 / fan_in) ** 0.5


def dense(inputs, outputs):
    return {"kernel": weight(inputs, outputs), "bias": jnp.zeros(outputs)}


def apply(layer, x):
    return x @ layer["kernel"] + layer["bias"]


def mlp(widths):
    return [dense(a, b) for a, b in zip(widths[:-1], widths[1:])]


def apply_mlp(layers, x):
    for layer in layers[:-1]:
        x = jax.nn.relu(apply(layer, x))
    return apply(layers[-1], x)


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))


def convolve(x, kernel, stride=1):
    return jax.lax.conv_general_dilated(
        x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def make_mlp(spec):
    parameters = mlp([spec["features"], *spec["hidden"], spec["classes"]])
    return parameters, lambda p, x, y: cross_entropy(apply_mlp(p, x), y)


def make_conv(spec):
    channels = [3, *spec["channels"]]
    side = spec["image"] // 2 ** len(spec["channels"])
    kernels = [
        {"kernel": weight(3, 3, a, b), "bias": jnp.zeros(b)}
        for a, b in zip(channels[:-1], channels[1:])
    ]
    head = mlp([side * side * channels[-1], spec["dense"], spec["classes"]])

    def loss(p, x, y):
        for layer in p[0]:
            x = jax.nn.relu(convolve(x, layer["kernel"]) + layer["bias"])
            window = (1, 2, 2, 1)
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")
        return cross_entropy(apply_mlp(p[1], x.reshape(x.shape[0], -1)), y)

    return (kernels, head), loss


def make_ensemble(spec):
    depths, classes = spec["depths"], spec["classes"]
    members = [mlp([spec["features"], *[spec["width"]] * depth, classes]) for depth in depths]
    mixtures = [jnp.eye(classes) / len(depths) for _ in depths]

    def loss(p, x, y):
        outputs = [apply_mlp(member, x) for member in p[0]]
        mixed = p[2] + sum(jax.lax.stop_gradient(o) @ m for o, m in zip(outputs, p[1]))
        penalty = sum(
            (1e-3 * depth**0.5 + 1e-4) * jnp.sum(jnp.abs(m)) for depth, m in zip(depths, p[1])
        )
        return sum(cross_entropy(o, y) for o in outputs) + cross_entropy(mixed, y) + penalty

    return (members, mixtures, jnp.zeros(classes)), loss


def make_lstm(spec):
    units = spec["units"]
    parameters = dense(spec["features"] + units, 4 * units), dense(units, spec["classes"])

    def loss(p, x, y):
        def step(state, inputs):
            c, h = state
            i, j, f, o = jnp.split(apply(p[0], jnp.concatenate([inputs, h], 1)), 4, 1)
            c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(j)
            return (c, jax.nn.sigmoid(o) * jnp.tanh(c)), None

        zeros = jnp.zeros((x.shape[0], units))
        (_, h), _ = jax.lax.scan(step, (zeros, zeros), x.transpose(1, 0, 2))
        return cross_entropy(apply(p[1], h), y)

    return parameters, loss


def make_transformer(spec):
    width, heads, length = spec["width"], spec["heads"], spec["length"]
    each = width // heads
    parameters = {name: dense(width, width) for name in ("query", "key", "value", "read")}
    parameters["hidden"] = dense(width, spec["hidden"])
    parameters["feed_forward"] = dense(spec["hidden"], width)
    parameters["logits"] = dense(width, spec["classes"])
    for name in ("attention_norm", "feed_forward_norm"):
        parameters[name] = {"scale": jnp.ones(width), "offset": jnp.zeros(width)}

    def normalized(layer, x):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + 1e-6) * layer["scale"] + layer["offset"]

    def loss(p, x, y):
        def of_heads(name, inputs):
            made = apply(p[name], inputs)
            return made.reshape(-1, length, heads, each).transpose(0, 2, 1, 3)

        h = normalized(p["attention_norm"], x)
        query, key, value = (of_heads(name, h) for name in ("query", "key", "value"))
        weights = jax.nn.softmax(query @ key.transpose(0, 1, 3, 2) * each**-0.5)
        read = (weights @ value).transpose(0, 2, 1, 3).reshape(-1, length, width)
        x = x + apply(p["read"], read)
        h = normalized(p["feed_forward_norm"], x)
        h = jax.nn.gelu(apply(p["hidden"], h), approximate=False)
        x = x + apply(p["feed_forward"], h)
        return cross_entropy(apply(p["logits"], x.mean(1)), y)

    return parameters, loss


def make_resnet(spec):
    def norm(channels):
        return {"scale": jnp.ones(channels), "offset": jnp.zeros(channels)}

    def normalized(layer, x):
        mean = x.mean((0, 1, 2))
        variance = ((x - mean) ** 2).mean((0, 1, 2))
        return (x - mean) * jax.lax.rsqrt(variance + 1e-3) * layer["scale"] + layer["offset"]

    channels, blocks, strides = spec["channels"][0], [], []
    stem = weight(3, 3, 3, channels), norm(channels)
    for stage, made in enumerate(spec["channels"]):
        for number in range(spec["blocks"]):
            stride = 2 if stage > 0 and number == 0 else 1
            block = [weight(3, 3, channels, made), norm(made), weight(3, 3, made, made), norm(made)]
            if stride > 1:
                block += [weight(1, 1, channels, made), norm(made)]
            blocks.append(block)
            strides.append(stride)
            channels = made

    def loss(p, x, y):
        h = jax.nn.relu(normalized(p[0][1], convolve(x, p[0][0])))
        for block, stride in zip(p[1], strides):
            shortcut = h
            if stride > 1:
                shortcut = normalized(block[5], convolve(h, block[4], stride))
            inner = jax.nn.relu(normalized(block[1], convolve(h, block[0], stride)))
            h = jax.nn.relu(normalized(block[3], convolve(inner, block[2])) + shortcut)
        return cross_entropy(apply(p[2], h.mean((1, 2))), y)

    return (stem, blocks, dense(channels, spec["classes"])), loss


def make_embedding(spec):
    parameters = weight(spec["words"], spec["width"]), mlp(
        [spec["width"], spec["hidden"], spec["classes"]]
    )
    return parameters, lambda p, x, y: cross_entropy(apply_mlp(p[1], p[0][x].mean(1)), y)


def made(name):
    """The step of a model, the state that it begins with, and a batch."""
    spec = models.ALL[name]
    x, y = map(jnp.asarray, models.batch_of(spec))
    parameters, loss = globals()["make_" + spec["kind"]](spec)
    map_all, rate = jax.tree_util.tree_map, spec["rate"]
    zeros = map_all(jnp.zeros_like, parameters)
    state = (parameters, zeros, map_all(jnp.zeros_like, parameters), jnp.zeros(()))

    def train(state, x, y):
        p, m, v, t = state
        value, g = jax.value_and_grad(loss)(p, x, y)
        t = t + 1
        if spec["optimizer"] == "adam":
            m = map_all(lambda m, g: 0.9 * m + 0.1 * g, m, g)
            v = map_all(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
            scaled = rate * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            p = map_all(lambda p, m, v: p - scaled * m / (jnp.sqrt(v) + 1e-8), p, m, v)
        elif spec["optimizer"] == "momentum":
            m = map_all(lambda m, g: 0.9 * m + g, m, g)
            p = map_all(lambda p, m: p - rate * m, p, m)
        else:
            p = map_all(lambda p, g: p - rate * g, p, g)
        return (p, m, v, t), value

    return train, state, x, y


def export(name, path):
    import ingot.jax

    train, state, x, y = made(name)
    ingot.jax.export(
        lambda state, batch: train(state, *batch), state, (x, y), path, batch_size=len(x), shuffle=False
    )


def main():
    if sys.argv[2] == "--export":
        return export(sys.argv[1], sys.argv[3])
    name, window_seconds, windows = timing.arguments()
    train, state, x, y = made(name)
    step = jax.jit(train, donate_argnums=0)
    value = None

    def start():
        nonlocal state, value
        state, value = step(state, x, y)

    def run():
        start()
        return value.block_until_ready()

    if jax.default_backend() == "gpu":  # the host starts steps ahead, as a trainer does
        timing.report(start, window_seconds, windows, finish=lambda: value.block_until_ready())
    else:
        timing.report(run, window_seconds, windows)


if __name__ == "__main__":
    main()
