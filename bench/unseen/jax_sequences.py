# SPDX-License-Identifier: Apache-2.0
"""The models of sequences in JAX: each function returns parameters and a loss of them, a batch and a key."""
import jax
import jax.numpy as jnp

from unseen.jax_layers import apply, apply_mlp, binary, conv, convolved, cross_entropy, dense, dropout, heads_of, layer_norm, mlp, norm, normal
from unseen.jax_layers import pooled, uniform, without_heads


def cnn_1d(spec):
    _, length, channels = spec["inputs"]["x"][1]
    filters = spec["filters"]
    parameters = [conv(3, channels, filters), conv(3, filters, filters)], mlp([(length - 4) // 2 * filters, spec["dense"], spec["classes"]])

    def loss(p, batch, key):
        h = batch["x"]
        for layer in p[0]:
            h = jax.nn.relu(convolved(layer, h, padding="VALID"))
        h = pooled(dropout(h, spec["dropout"], key))
        return cross_entropy(apply_mlp(p[1], h.reshape(len(h), -1)), batch["y"])

    return parameters, loss


def gru(spec):
    width, units = spec["width"], spec["units"]
    parameters = {
        "embeddings": jax.random.uniform(jax.random.PRNGKey(2), (spec["words"], width), minval=-0.05, maxval=0.05),
        "gates": dense(width, 3 * units), "gates_of_state": uniform(units, 2 * units), "candidate_of_state": uniform(units, units),
        "head": dense(units, 1),
    }  # fmt: skip

    def loss(p, batch, key):
        def step(h, inputs):
            update, reset, candidate = jnp.split(inputs, 3, 1)
            update_of_state, reset_of_state = jnp.split(h @ p["gates_of_state"], 2, 1)
            update, reset = jax.nn.sigmoid(update + update_of_state), jax.nn.sigmoid(reset + reset_of_state)
            candidate = jnp.tanh(candidate + (reset * h) @ p["candidate_of_state"])
            return update * h + (1 - update) * candidate, None

        inputs = apply(p["gates"], p["embeddings"][batch["x"]]).transpose(1, 0, 2)
        h, _ = jax.lax.scan(step, jnp.zeros((inputs.shape[1], units)), inputs)
        return binary(apply(p["head"], h), batch["y"])

    return parameters, loss


def zero_state(batch, units):
    return jnp.zeros((batch, units)), jnp.zeros((batch, units))


def lstm_step(layer, state, inputs):
    c, h = state
    i, j, f, o = jnp.split(apply(layer, jnp.concatenate([inputs, h], 1)), 4, 1)
    c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(j)
    return c, jax.nn.sigmoid(o) * jnp.tanh(c)


def bilstm(spec):
    width, units = spec["width"], spec["units"]
    parameters = {
        "embeddings": normal((spec["words"], width), 0.1),
        "forward": dense(width + units, 4 * units), "backward": dense(width + units, 4 * units), "head": dense(2 * units, spec["tags"]),
    }  # fmt: skip

    def loss(p, batch, key):
        inputs = p["embeddings"][batch["x"]].transpose(1, 0, 2)
        kept = jnp.arange(len(inputs))[:, None, None] < batch["lengths"][None, :, None]

        def read(layer, reverse):
            def step(state, element):
                made = lstm_step(layer, state, element[0])
                state = tuple(jnp.where(element[1], new, old) for new, old in zip(made, state))
                return state, jnp.where(element[1], made[1], 0)

            # Padding leaves the state as it is, so that reading backward begins at each sequence's end.
            return jax.lax.scan(step, zero_state(inputs.shape[1], units), (inputs, kept), reverse=reverse)[1]

        outputs = jnp.concatenate([read(p["forward"], False), read(p["backward"], True)], -1)
        logits = apply(p["head"], outputs).transpose(1, 0, 2)
        return cross_entropy(logits, batch["y"], kept[..., 0].T.astype(jnp.float32))

    return parameters, loss


def seq2seq(spec):
    width, units = spec["width"], spec["units"]

    def stacked():
        return [dense((number and units or width) + units, 4 * units) for number in range(spec["layers"])]

    parameters = {
        "source": normal((spec["words"], width), 0.1), "target": normal((spec["words"], width), 0.1),
        "encoder": stacked(), "decoder": stacked(), "head": dense(units, spec["words"]),
    }  # fmt: skip

    def loss(p, batch, key):
        def read(layers, states, inputs):
            def step(states, h):
                following = []
                for layer, state in zip(layers, states):
                    following.append(lstm_step(layer, state, h))
                    h = following[-1][1]
                return following, h

            return jax.lax.scan(step, states, inputs.transpose(1, 0, 2))

        states = [zero_state(len(batch["source"]), units) for _ in range(spec["layers"])]
        states, _ = read(p["encoder"], states, p["source"][batch["source"]])
        _, outputs = read(p["decoder"], states, p["target"][batch["target"][:, :-1]])
        return cross_entropy(apply(p["head"], outputs.transpose(1, 0, 2)), batch["target"][:, 1:])

    return parameters, loss


def wavenet(spec):
    width, skip, levels = spec["width"], spec["skip"], spec["levels"]
    parameters = {
        "levels": uniform(levels, width),
        "blocks": [
            {"filter": conv(2, width, width), "gate": conv(2, width, width), "skip": dense(width, skip), "residual": dense(width, width)}
            for _ in spec["dilations"]
        ],
        "head": mlp([skip, skip, levels]),
    }

    def loss(p, batch, key):
        h, skips = p["levels"][batch["x"][:, :-1]], 0
        for block, dilation in zip(p["blocks"], spec["dilations"]):
            padding = [(dilation, 0)]
            gated = jnp.tanh(convolved(block["filter"], h, 1, padding, dilation))
            gated = gated * jax.nn.sigmoid(convolved(block["gate"], h, 1, padding, dilation))
            skips = skips + apply(block["skip"], gated)
            h = h + apply(block["residual"], gated)
        return cross_entropy(apply_mlp(p["head"], jax.nn.relu(skips)), batch["x"][:, 1:])

    return parameters, loss


def block(width, hidden):
    return {
        "query_key_value": dense(width, 3 * width), "read": dense(width, width), "mlp": mlp([width, hidden, width]),
        "norms": [norm(width), norm(width)],
    }  # fmt: skip


def attention(layer, h, heads, mask, drop=lambda weights: weights):
    query, keys, value = (heads_of(part, heads) for part in jnp.split(apply(layer["query_key_value"], h), 3, 2))
    scores = query @ keys.transpose(0, 1, 3, 2) * query.shape[-1] ** -0.5
    return apply(layer["read"], without_heads(drop(jax.nn.softmax(scores + mask)) @ value))


def encoder(spec):
    width, length = spec["width"], spec["inputs"]["x"][1][1]
    angles = jnp.arange(length)[:, None] / 10000 ** (jnp.arange(0, width, 2) / width)
    sinusoids = jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], 1)
    parameters = {
        "embeddings": normal((spec["words"], width), 0.1), "head": dense(width, spec["classes"]),
        "layers": [block(width, spec["hidden"]) for _ in range(spec["layers"])],
    }  # fmt: skip

    def loss(p, batch, key):
        each = iter(jax.random.split(key, 1 + 3 * spec["layers"]))

        def drop(h):
            return dropout(h, spec["dropout"], next(each))

        h = drop(p["embeddings"][batch["x"]] * width**0.5 + sinusoids)
        kept = (jnp.arange(length) < batch["lengths"][:, None]).astype(jnp.float32)
        mask = (1 - kept)[:, None, None, :] * -1e9
        for layer in p["layers"]:
            h = layer_norm(layer["norms"][0], h + drop(attention(layer, h, spec["heads"], mask, drop)), 1e-5)
            h = layer_norm(layer["norms"][1], h + drop(apply_mlp(layer["mlp"], h)), 1e-5)
        mean = (h * kept[:, :, None]).sum(1) / kept.sum(1, keepdims=True)
        return cross_entropy(apply(p["head"], mean), batch["y"])

    return parameters, loss


def gpt(spec):
    width, length = spec["width"], spec["inputs"]["x"][1][1] - 1
    parameters = {
        "wte": normal((spec["words"], width), 0.02), "wpe": normal((length, width), 0.01),
        "layers": [block(width, 4 * width) for _ in range(spec["layers"])], "norm": norm(width),
    }  # fmt: skip

    def loss(p, batch, key):
        words, following = batch["x"][:, :-1], batch["x"][:, 1:]
        mask = (jnp.tril(jnp.ones((length, length))) - 1) * 1e10
        h = p["wte"][words] + p["wpe"]
        for layer in p["layers"]:
            h = h + attention(layer, layer_norm(layer["norms"][0], h, 1e-5), spec["heads"], mask)
            h = h + apply_mlp(layer["mlp"], layer_norm(layer["norms"][1], h, 1e-5), jax.nn.gelu)
        return cross_entropy(layer_norm(p["norm"], h, 1e-5) @ p["wte"].T, following)

    return parameters, loss
