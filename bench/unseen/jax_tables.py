# SPDX-License-Identifier: Apache-2.0
"""The models of tables, ratings, sets and graphs in JAX: each function returns parameters and a loss of them, a batch and a key."""
import itertools

import jax
import jax.numpy as jnp

from unseen.jax_layers import apply, apply_mlp, binary, cross_entropy, dense, dropout, mlp, normal, uniform


def logistic(spec):
    features = spec["inputs"]["x"][1][1]
    return dense(features, 1), lambda p, batch, key: binary(apply(p, batch["x"]), batch["y"])


def mlp_dropout(spec):
    features = spec["inputs"]["x"][1][1]

    def loss(p, batch, key):
        h = batch["x"]
        for layer, each in zip(p, jax.random.split(key, len(p) - 1)):
            h = dropout(jax.nn.relu(apply(layer, h)), spec["dropout"], each)
        return cross_entropy(apply(p[-1], h), batch["y"])

    return mlp([features, *spec["hidden"], spec["classes"]]), loss


def mlp_deep(spec):
    features = spec["inputs"]["x"][1][1]
    parameters = mlp([features, *[spec["width"]] * spec["depth"], spec["classes"]])
    return parameters, lambda p, batch, key: cross_entropy(apply_mlp(p, batch["x"], jnp.tanh), batch["y"])


def wide_and_deep(spec):
    numeric, sizes, width = spec["inputs"]["numeric"][1][1], spec["sizes"], spec["width"]
    linear = {"weights": [jnp.zeros(size) for size in sizes], "bias": jnp.zeros(())}
    deep = {
        "embeddings": [normal((size, width), width**-0.5) for size in sizes],
        "mlp": mlp([numeric + width * len(sizes), *spec["hidden"], 1]),
    }

    def loss(p, batch, key):
        categories = batch["categories"]
        rows = [table[categories[:, number]] for number, table in enumerate(p["deep"]["embeddings"])]
        wide = sum(weights[categories[:, number]] for number, weights in enumerate(p["linear"]["weights"]))
        logits = apply_mlp(p["deep"]["mlp"], jnp.concatenate([batch["numeric"], *rows], 1))
        return binary(logits + (wide + p["linear"]["bias"])[:, None], batch["y"])

    return {"linear": linear, "deep": deep}, loss


def dlrm(spec):
    count, width = len(spec["sizes"]) + 1, spec["width"]
    pairs = jnp.array([a * count + b for a, b in itertools.combinations(range(count), 2)])
    parameters = {
        "tables": [jax.random.uniform(jax.random.PRNGKey(size), (size, width), minval=-0.05, maxval=0.05) for size in spec["sizes"]],
        "bottom": mlp([spec["inputs"]["numeric"][1][1], *spec["bottom"]]),
        "top": mlp([width + len(pairs), *spec["top"], 1]),
    }

    def loss(p, batch, key):
        h = jax.nn.relu(apply_mlp(p["bottom"], batch["numeric"]))
        rows = [table[batch["categories"][:, number]] for number, table in enumerate(p["tables"])]
        stacked = jnp.stack([h, *rows], 1)
        products = (stacked @ stacked.transpose(0, 2, 1)).reshape(-1, count * count)
        return binary(apply_mlp(p["top"], jnp.concatenate([h, products[:, pairs]], 1)), batch["y"])

    return parameters, loss


def factorization(spec):
    users, items, rank = spec["users"], spec["items"], spec["rank"]
    parameters = {
        "users": normal((users, rank), 0.1), "users_bias": jnp.zeros(users),
        "items": normal((items, rank), 0.1), "items_bias": jnp.zeros(items), "mean": jnp.zeros(()),
    }  # fmt: skip

    def loss(p, batch, key):
        user, item = p["users"][batch["users"]], p["items"][batch["items"]]
        guess = (user * item).sum(1) + p["users_bias"][batch["users"]] + p["items_bias"][batch["items"]] + p["mean"]
        penalty = jnp.mean((user**2).sum(1) + (item**2).sum(1))
        return jnp.mean((guess - batch["ratings"]) ** 2) + spec["decay"] * penalty

    return parameters, loss


def vae(spec):
    width, hidden, latent = spec["inputs"]["x"][1][1], spec["hidden"], spec["latent"]
    parameters = {
        "encoder": dense(width, hidden), "mean": dense(hidden, latent), "log_variance": dense(hidden, latent),
        "decoder": mlp([latent, hidden, width]),
    }  # fmt: skip

    def loss(p, batch, key):
        x = batch["x"]
        h = jax.nn.relu(apply(p["encoder"], x))
        mean, log_variance = apply(p["mean"], h), apply(p["log_variance"], h)
        z = mean + jnp.exp(0.5 * log_variance) * jax.random.normal(key, mean.shape)
        divergence = -0.5 * (1 + log_variance - mean**2 - jnp.exp(log_variance)).sum(1).mean()
        return width * binary(apply_mlp(p["decoder"], z)[..., None], x) + divergence

    return parameters, loss


def gan(spec):
    width = spec["inputs"]["x"][1][1]
    parameters = {
        "generator": mlp([spec["noise"], *spec["generator"], width]),
        "discriminator": mlp([width, *spec["discriminator"], 1]),
    }
    hold = jax.lax.stop_gradient

    def loss(p, batch, key):
        def discriminator(layers, x, label):
            return binary(apply_mlp(layers, x, lambda h: jax.nn.leaky_relu(h, 0.2)), label)

        real = batch["x"]
        noise = jax.random.uniform(key, (len(real), spec["noise"]), minval=-1)
        made = jax.nn.sigmoid(apply_mlp(p["generator"], noise))
        # One gradient of the sum is that of each network's own loss.
        found = discriminator(p["discriminator"], real, 1.0) + discriminator(p["discriminator"], hold(made), 0.0)
        return found + discriminator(hold(p["discriminator"]), made, 1.0)

    return parameters, loss


def set_attention(spec):
    widths = [spec["inputs"]["x"][1][2], *spec["features"]]
    parameters = {
        "features": mlp(widths), "scores": uniform(widths[-1], spec["seeds"]),
        "head": mlp([spec["seeds"] * widths[-1], spec["dense"], spec["classes"]]),
    }  # fmt: skip

    def loss(p, batch, key):
        h = jax.nn.relu(apply_mlp(p["features"], batch["x"]))
        weights = jax.nn.softmax(h @ p["scores"], axis=1)
        read = jnp.einsum("bns,bnd->bsd", weights, h).reshape(len(h), -1)
        return cross_entropy(apply_mlp(p["head"], read), batch["y"])

    return parameters, loss


def graph_convolution(spec):
    features = spec["inputs"]["x"][1][1]
    parameters = uniform(features, spec["hidden"]), uniform(spec["hidden"], spec["classes"])

    def loss(p, batch, key):
        first, second = jax.random.split(key)
        h = jax.nn.relu(batch["adjacency"] @ (dropout(batch["x"], spec["dropout"], first) @ p[0]))
        logits = batch["adjacency"] @ (dropout(h, spec["dropout"], second) @ p[1])
        return cross_entropy(logits, batch["y"], batch["known"]) + spec["decay"] * 0.5 * (p[0] ** 2).sum()

    return parameters, loss
