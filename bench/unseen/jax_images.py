# SPDX-License-Identifier: Apache-2.0
"""The models of images in JAX: each function returns parameters and a loss of them, a batch and a key. Batch normalization
keeps no moving averages, which TensorFlow's graphs do."""
import jax
import jax.numpy as jnp

from unseen.jax_layers import apply, apply_mlp, averaged, batch_norm, conv, convolved, cross_entropy, dense, heads_of, layer_norm, mlp, norm
from unseen.jax_layers import normal, pooled, uniform, without_heads


def lenet(spec):
    first, second = spec["channels"]
    side = ((spec["inputs"]["x"][1][1] - 4) // 2 - 4) // 2
    parameters = [conv(5, 5, 1, first), conv(5, 5, first, second)], mlp([side * side * second, *spec["dense"], spec["classes"]])

    def loss(p, batch, key):
        h = batch["x"]
        for layer in p[0]:
            h = averaged(jnp.tanh(convolved(layer, h, padding="VALID")))
        return cross_entropy(apply_mlp(p[1], h.reshape(len(h), -1), jnp.tanh), batch["y"])

    return parameters, loss


def bare(*shape):
    return {"kernel": uniform(*shape)}


def mobilenet(spec):
    channels, blocks = spec["stem"], []
    parameters = {"stem": (bare(3, 3, 3, channels), norm(channels)), "blocks": blocks}
    for made, _ in spec["blocks"]:
        # Glorot's limit of a depthwise kernel is that of [3, 3, channels, 1].
        depthwise = {"kernel": uniform(3, 3, channels, 1).reshape(3, 3, 1, channels)}
        blocks.append((depthwise, norm(channels), bare(1, 1, channels, made), norm(made)))
        channels = made
    parameters["head"] = dense(channels, spec["classes"])

    def loss(p, batch, key):
        h = jax.nn.relu6(batch_norm(p["stem"][1], convolved(p["stem"][0], batch["x"], 2)))
        for (depthwise, inner, pointwise, outer), (_, stride) in zip(p["blocks"], spec["blocks"]):
            h = jax.nn.relu6(batch_norm(inner, convolved(depthwise, h, stride, groups=h.shape[-1])))
            h = jax.nn.relu6(batch_norm(outer, convolved(pointwise, h)))
        return cross_entropy(apply(p["head"], h.mean((1, 2))), batch["y"])

    return parameters, loss


def densenet(spec):
    channels, blocks = spec["stem"], []
    parameters = {"stem": bare(3, 3, 3, channels), "blocks": blocks}
    for number, layers in enumerate(spec["blocks"]):
        block = {"layers": []}
        if number:
            block["transition"] = norm(channels), bare(1, 1, channels, channels // 2)
            channels //= 2
        for _ in range(layers):
            block["layers"].append((norm(channels), bare(3, 3, channels, spec["growth"])))
            channels += spec["growth"]
        blocks.append(block)
    parameters["norm"], parameters["head"] = norm(channels), dense(channels, spec["classes"])

    def loss(p, batch, key):
        def grown(layer, h):
            return convolved(layer[1], jax.nn.relu(batch_norm(layer[0], h)))

        h = convolved(p["stem"], batch["x"])
        for block in p["blocks"]:
            if "transition" in block:
                h = averaged(grown(block["transition"], h))
            for layer in block["layers"]:
                h = jnp.concatenate([h, grown(layer, h)], -1)
        h = jax.nn.relu(batch_norm(p["norm"], h)).mean((1, 2))
        return cross_entropy(apply(p["head"], h), batch["y"])

    return parameters, loss


def unet(spec):
    *outer, inner = spec["channels"]

    def twice(inputs, channels):
        return conv(3, 3, inputs, channels), conv(3, 3, channels, channels)

    widths = [1, *spec["channels"]]
    parameters = {
        "down": [twice(a, b) for a, b in zip(widths[:-2], widths[1:-1])],
        "inner": twice(outer[-1], inner),
        "up": [(conv(2, 2, a, b), twice(2 * b, b)) for a, b in zip(widths[:1:-1], widths[-2:0:-1])],
        "head": conv(1, 1, outer[0], spec["classes"]),
    }

    def loss(p, batch, key):
        def applied(layers, h):
            for layer in layers:
                h = jax.nn.relu(convolved(layer, h))
            return h

        h, kept = batch["x"], []
        for layers in p["down"]:
            kept.append(applied(layers, h))
            h = pooled(kept[-1])
        h = applied(p["inner"], h)
        for (wider, layers), skip in zip(p["up"], reversed(kept)):
            layout = ("NHWC", "HWIO", "NHWC")
            h = jax.lax.conv_transpose(h, wider["kernel"], (2, 2), "VALID", dimension_numbers=layout) + wider["bias"]
            h = applied(layers, jnp.concatenate([skip, h], -1))
        return cross_entropy(convolved(p["head"], h), batch["y"])

    return parameters, loss


def patches(layer, x, spec):
    h = convolved(layer, x, spec["patch"], "VALID")
    return h.reshape(len(x), -1, spec["width"])


def vit(spec):
    width, patch = spec["width"], spec["patch"]
    length = (spec["inputs"]["x"][1][1] // patch) ** 2 + 1
    parameters = {
        "patches": conv(patch, patch, 3, width), "token": jnp.zeros((1, 1, width)), "positions": normal((1, length, width), 0.02),
        "layers": [
            {"norms": [norm(width), norm(width)], "mlp": mlp([width, spec["hidden"], width]),
             **{name: dense(width, width) for name in ("query", "key", "value", "read")}}
            for _ in range(spec["layers"])
        ],
        "norm": norm(width), "head": dense(width, spec["classes"]),
    }  # fmt: skip

    def loss(p, batch, key):
        h = patches(p["patches"], batch["x"], spec)
        h = jnp.concatenate([jnp.tile(p["token"], (len(h), 1, 1)), h], 1) + p["positions"]
        for layer in p["layers"]:
            n = layer_norm(layer["norms"][0], h)
            query, keys, value = (heads_of(apply(layer[name], n), spec["heads"]) for name in ("query", "key", "value"))
            weights = jax.nn.softmax(query @ keys.transpose(0, 1, 3, 2) / (width // spec["heads"]) ** 0.5)
            h = h + apply(layer["read"], without_heads(weights @ value))
            h = h + apply_mlp(layer["mlp"], layer_norm(layer["norms"][1], h), gelu)
        return cross_entropy(apply(p["head"], layer_norm(p["norm"], h)[:, 0]), batch["y"])

    return parameters, loss


def gelu(x):
    return jax.nn.gelu(x, approximate=False)


def mixer(spec):
    width, patch = spec["width"], spec["patch"]
    length = (spec["inputs"]["x"][1][1] // patch) ** 2
    parameters = {
        "patches": conv(patch, patch, 3, width),
        "layers": [
            {"norms": [norm(width), norm(width)], "tokens": mlp([length, spec["tokens"], length]), "channels": mlp([width, spec["hidden"], width])}
            for _ in range(spec["layers"])
        ],
        "norm": norm(width), "head": dense(width, spec["classes"]),
    }  # fmt: skip

    def loss(p, batch, key):
        h = patches(p["patches"], batch["x"], spec)
        for layer in p["layers"]:
            mixed = layer_norm(layer["norms"][0], h).transpose(0, 2, 1)
            h = h + apply_mlp(layer["tokens"], mixed, gelu).transpose(0, 2, 1)
            h = h + apply_mlp(layer["channels"], layer_norm(layer["norms"][1], h), gelu)
        return cross_entropy(apply(p["head"], layer_norm(p["norm"], h).mean(1)), batch["y"])

    return parameters, loss


def dqn(spec):
    side, channels, kernels = *spec["inputs"]["state"][1][2:], []
    for filters, size, stride in spec["filters"]:
        kernels.append(conv(size, size, channels, filters))
        side, channels = (side - size) // stride + 1, filters
    online = kernels, mlp([side * side * channels, spec["dense"], spec["actions"]])
    target = jax.tree_util.tree_map(lambda x: x + 0, online)

    def values(p, frames):
        h = frames.astype(jnp.float32) / 255
        for layer, (_, _, stride) in zip(p[0], spec["filters"]):
            h = jax.nn.relu(convolved(layer, h, stride, "VALID"))
        return apply_mlp(p[1], h.reshape(len(h), -1))

    def loss(p, batch, key, target):
        taken = jnp.take_along_axis(values(p, batch["state"]), batch["action"][:, None], 1)[:, 0]
        best = values(target, batch["after"]).max(1)
        error = jnp.abs(batch["reward"] + spec["discount"] * (1 - batch["ended"]) * best - taken)
        return jnp.where(error <= 1, 0.5 * error**2, error - 0.5).mean()

    def follow(target, online):
        return jax.tree_util.tree_map(lambda old, new: old + spec["follow"] * (new - old), target, online)

    return online, loss, target, follow
