# SPDX-License-Identifier: Apache-2.0
"""Small training steps in JAX of many kinds. Each function returns a step, its state, data, and the size of a batch."""
import inspect

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

F = np.float32


def examples(count, *shapes, classes=10, seed=0):
    """Arrays of normal numbers, rounded so that recorded graphs are small, and labels."""
    rng = np.random.RandomState(seed)
    return (*((rng.normal(size=(count, *shape)) * 8).round().astype(F) / 8 for shape in shapes), rng.randint(0, classes, count).astype(np.int32))


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def trained(loss, optimizer, params, **more):
    """A step of `loss(params, batch, key)` by an optimizer of optax, and its state."""
    state = {"params": params, "opt": optimizer.init(params), "step": jnp.int32(0), "key": jax.random.key(5), **more}

    def step(state, batch):
        key = jax.random.fold_in(state["key"], state["step"])
        value, gradients = jax.value_and_grad(loss)(state["params"], batch, key)
        updates, opt = optimizer.update(gradients, state["opt"], state["params"])
        params = optax.apply_updates(state["params"], updates)
        return dict(state, params=params, opt=opt, step=state["step"] + 1), {"loss": value, "norm": optax.global_norm(gradients)}

    return step, state


def layers(sizes, seed=0):
    keys = jax.random.split(jax.random.key(seed), len(sizes) - 1)
    return {f"layer{i}": {"w": jax.random.normal(keys[i], sizes[i : i + 2]) * (1 / sizes[i]) ** 0.5, "b": jnp.zeros(sizes[i + 1])}
            for i in range(len(sizes) - 1)}  # fmt: skip


def mlp(params, x, activation=jax.nn.relu):
    for index in range(len(params)):
        x = x @ params[f"layer{index}"]["w"] + params[f"layer{index}"]["b"]
        x = activation(x) if index + 1 < len(params) else x
    return x


def with_optimizer(optimizer):
    def loss(params, batch, key):
        return cross_entropy(mlp(params, batch[0], jnp.tanh), batch[1])

    return lambda: (*trained(loss, optimizer(), layers([12, 16, 10])), examples(64, (12,)), 16)


def perceptron():
    def loss(params, batch, key):
        return cross_entropy(mlp(params, batch["x"]), batch["y"])

    x, y = examples(96, (20,))
    return *trained(loss, optax.adam(1e-2), layers([20, 32, 32, 10])), {"x": x, "y": y}, 32


def convolutions():
    """flax linen: convolutions, one grouped, batch norm, pooling, dropout; nesterov, cosine, clipping."""
    import flax.linen as nn

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            x = nn.Conv(8, (3, 3))(x)
            x = nn.BatchNorm(use_running_average=not train)(x)
            x = nn.max_pool(nn.relu(x), (2, 2), (2, 2))
            x = nn.gelu(nn.Conv(8, (3, 3), strides=2, feature_group_count=4)(x))
            x = nn.avg_pool(x, (2, 2), (2, 2))
            x = nn.Dropout(0.2, deterministic=not train)(x.reshape(x.shape[0], -1))
            return nn.Dense(10)(x)

    net = Net()
    variables = net.init(jax.random.key(0), jnp.ones((2, 8, 8, 3)), False)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(optax.cosine_decay_schedule(0.05, 100), momentum=0.9, nesterov=True))
    state = {"params": variables["params"], "stats": variables["batch_stats"], "opt": optimizer.init(variables["params"]), "key": jax.random.key(1),
             "step": jnp.int32(0)}  # fmt: skip

    def step(state, batch):
        def loss(params):
            key = jax.random.fold_in(state["key"], state["step"])
            out, new = net.apply({"params": params, "batch_stats": state["stats"]}, batch[0], True, mutable=["batch_stats"], rngs={"dropout": key})
            return cross_entropy(out, batch[1]), new["batch_stats"]

        (value, stats), gradients = jax.value_and_grad(loss, has_aux=True)(state["params"])
        updates, opt = optimizer.update(gradients, state["opt"], state["params"])
        new = dict(state, params=optax.apply_updates(state["params"], updates), stats=stats, opt=opt, step=state["step"] + 1)
        return new, {"loss": value}

    return step, state, examples(32, (8, 8, 3)), 8


def transformer():
    """flax linen with TrainState: attention, dropout, embeddings; adamw, warm-up, clipping."""
    import flax.linen as nn
    from flax.training.train_state import TrainState

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x, mask):
            h = nn.LayerNorm()(x)
            x = x + nn.MultiHeadDotProductAttention(num_heads=2, dropout_rate=0.1, deterministic=False)(h, h, mask=mask)
            h = nn.Dense(16)(nn.gelu(nn.Dense(32)(nn.LayerNorm()(x))))
            return x + nn.Dropout(0.1, deterministic=False)(h)

    class Model(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            x = nn.Embed(40, 16)(tokens) + self.param("positions", nn.initializers.normal(0.02), (12, 16))
            return nn.Dense(40)(nn.LayerNorm()(Block()(x, nn.make_causal_mask(tokens))))

    net = Model()
    params = net.init({"params": jax.random.key(0), "dropout": jax.random.key(1)}, jnp.zeros((2, 12), jnp.int32))["params"]
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(optax.warmup_cosine_decay_schedule(0.0, 1e-2, 5, 50), weight_decay=0.01))
    state = TrainState.create(apply_fn=net.apply, params=params, tx=optimizer)

    def step(state, batch):
        key = jax.random.fold_in(jax.random.key(3), state.step)

        def loss(params):
            return cross_entropy(state.apply_fn({"params": params}, batch["tokens"], rngs={"dropout": key}), batch["next"])

        value, gradients = jax.value_and_grad(loss)(state.params)
        return state.apply_gradients(grads=gradients), value

    tokens = np.random.RandomState(0).randint(0, 40, (32, 13)).astype(np.int32)
    return step, state, {"tokens": tokens[:, :-1].copy(), "next": tokens[:, 1:].copy()}, 8


def lstm():
    """lax.scan over time."""
    keys = jax.random.split(jax.random.key(0), 3)
    params = {"x": jax.random.normal(keys[0], (6, 64)) * 0.3, "h": jax.random.normal(keys[1], (16, 64)) * 0.3, "b": jnp.zeros(64),
              "out": jax.random.normal(keys[2], (16, 10)) * 0.3}  # fmt: skip

    def loss(params, batch, key):
        def cell(carry, x):
            h, c = carry
            i, f, g, o = jnp.split(x @ params["x"] + h @ params["h"] + params["b"], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        zero = jnp.zeros((batch[0].shape[0], 16))
        (h, _), _ = lax.scan(cell, (zero, zero), batch[0].swapaxes(0, 1))
        return cross_entropy(h @ params["out"], batch[1])

    return *trained(loss, optax.rmsprop(1e-3), params), examples(32, (9, 6)), 8


def autoencoder():
    """A VAE: normal noise, cond, fori_loop, top_k, sort, median; lion."""
    keys = jax.random.split(jax.random.key(0), 4)
    params = {"e": jax.random.normal(keys[0], (30, 16)), "mean": jax.random.normal(keys[1], (16, 4)), "scale": jax.random.normal(keys[2], (16, 4)) * 0.1,
              "d": jax.random.normal(keys[3], (4, 30))}  # fmt: skip

    def loss(params, batch, key):
        ids, sign = batch
        h = jnp.tanh(params["e"][ids].sum(1))
        mean, scale = h @ params["mean"], h @ params["scale"]
        z = mean + jnp.exp(0.5 * scale) * jax.random.normal(key, mean.shape)
        z = lax.cond(sign[0] > 3, lambda z: z * 0.5, lambda z: z, z)
        z = lax.fori_loop(0, 3, lambda i, z: jnp.sin(z) + z * 0.1, z)
        logits = jax.nn.log_softmax(z @ params["d"])
        top, _ = lax.top_k(logits, 5)
        likelihood = jnp.take_along_axis(logits, ids, 1).mean() - 1e-2 * jnp.sort(top, -1).sum() / 8 + jnp.median(z) * 0.1
        return -likelihood - 0.5 * jnp.mean(1 + scale - mean**2 - jnp.exp(scale))

    rng = np.random.RandomState(0)
    data = (rng.randint(0, 30, (32, 4)).astype(np.int32), rng.randint(0, 8, 32).astype(np.int32))
    return *trained(loss, optax.lion(1e-3), params), data, 8


def policy():
    """A PPO update: advantages by a scan in reverse, epochs of shuffled minibatches in a scan, clipped ratios, entropy."""
    optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(3e-3, eps=1e-5))
    params = {"actor": layers([5, 16, 3]), "critic": layers([5, 16, 1], 1)}
    state = {"params": params, "opt": optimizer.init(params), "key": jax.random.key(2)}

    def advantages(values, rewards, ends):
        def back(carry, now):
            advantage, after = carry
            value, reward, end = now
            delta = reward + 0.99 * after * (1 - end) - value
            advantage = delta + 0.99 * 0.95 * (1 - end) * advantage
            return (advantage, value), advantage

        return lax.scan(back, (jnp.zeros(()), values[-1]), (values, rewards, ends), reverse=True)[1]

    def loss(params, batch):
        logits = jax.nn.log_softmax(mlp(params["actor"], batch["seen"], jnp.tanh))
        chosen = jnp.take_along_axis(logits, batch["action"][:, None], 1)[:, 0]
        ratio = jnp.exp(chosen - batch["likelihood"])
        normal = (batch["advantage"] - batch["advantage"].mean()) / (batch["advantage"].std() + 1e-8)
        gain = jnp.minimum(ratio * normal, jnp.clip(ratio, 0.8, 1.2) * normal).mean()
        value = mlp(params["critic"], batch["seen"], jnp.tanh)[:, 0]
        entropy = -(jnp.exp(logits) * logits).sum(-1).mean()
        return -gain + 0.5 * jnp.square(value - batch["target"]).mean() - 0.01 * entropy

    def step(state, batch):
        values = mlp(state["params"]["critic"], batch["seen"], jnp.tanh)[:, 0]
        advantage = advantages(values, batch["reward"], batch["end"])
        whole = {**batch, "advantage": advantage, "target": advantage + values}
        key, *keys = jax.random.split(state["key"], 4)

        def epoch(carry, key):
            order = jax.random.permutation(key, 32)

            def update(carry, rows):
                params, opt = carry
                value, gradients = jax.value_and_grad(loss)(params, jax.tree.map(lambda one: one[rows], whole))
                updates, opt = optimizer.update(gradients, opt, params)
                return (optax.apply_updates(params, updates), opt), value

            return lax.scan(update, carry, order.reshape(4, 8))

        (params, opt), losses = lax.scan(epoch, (state["params"], state["opt"]), jnp.stack(keys))
        return {"params": params, "opt": opt, "key": key}, {"loss": losses.mean()}

    rng = np.random.RandomState(0)
    data = {"seen": rng.normal(size=(96, 5)).astype(F), "action": rng.randint(0, 3, 96).astype(np.int32), "likelihood": np.full(96, -1.1, F),
            "reward": rng.normal(size=96).astype(F), "end": (rng.rand(96) < 0.1).astype(F)}  # fmt: skip
    return step, state, data, 32


def mixture():
    """Experts under vmap, gated by top_k; an associative scan; adafactor."""
    keys = jax.random.split(jax.random.key(0), 4)
    params = {"experts": {"w": jax.random.normal(keys[0], (4, 8, 16)) * 0.3, "v": jax.random.normal(keys[1], (4, 16, 10)) * 0.3},
              "gate": jax.random.normal(keys[2], (8, 4)) * 0.3}  # fmt: skip

    def loss(params, batch, key):
        x, y = batch
        weights, places = lax.top_k(jax.nn.softmax(x @ params["gate"]), 2)
        every = jax.vmap(lambda e, x: jax.nn.silu(x @ e["w"]) @ e["v"], (0, None), 1)(params["experts"], x)
        logits = jax.vmap(lambda rows, at, weight: (rows[at] * weight[:, None]).sum(0))(every, places, weights)
        return cross_entropy(logits, y) + 1e-3 * lax.associative_scan(jnp.add, logits.mean(0)).sum()

    return *trained(loss, optax.adafactor(1e-2), params), examples(32, (8,)), 8


def adapters():
    """LoRA: frozen weights, trained adapters by optax.multi_transform; weights in bfloat16, rematerialized layers."""
    base = layers([12, 16, 10])
    keys = jax.random.split(jax.random.key(9), 2)
    params = {name: {**jax.tree.map(lambda one: one.astype(jnp.bfloat16), layer), "a": jax.random.normal(key, (layer["w"].shape[0], 2)) * 0.1,
                     "c": jnp.zeros((2, layer["w"].shape[1]))} for key, (name, layer) in zip(keys, base.items())}  # fmt: skip

    def loss(params, batch, key):
        @jax.checkpoint
        def layer(p, x):
            return x @ p["w"].astype(jnp.float32) + p["b"].astype(jnp.float32) + (x @ p["a"]) @ p["c"]

        return cross_entropy(layer(params["layer1"], jnp.tanh(layer(params["layer0"], batch[0]))), batch[1])

    labels = {name: {"w": "frozen", "b": "frozen", "a": "trained", "c": "trained"} for name in params}
    optimizer = optax.multi_transform({"trained": optax.adamw(1e-2), "frozen": optax.set_to_zero()}, labels)
    return *trained(loss, optimizer, params), examples(64, (12,)), 16


def haiku():
    import haiku as hk

    net = hk.transform(lambda x: hk.nets.MLP([16, 10])(hk.dropout(hk.next_rng_key(), 0.1, x)))
    params = net.init(jax.random.key(0), jnp.zeros((1, 12)))
    return *trained(lambda params, batch, key: cross_entropy(net.apply(params, key, batch[0]), batch[1]), optax.noisy_sgd(0.05, 0.01), params), examples(64, (12,)), 16


def equinox():
    """Modules with functions among their leaves."""
    import equinox as eqx

    model = eqx.nn.MLP(12, 10, 16, 2, key=jax.random.key(0))
    optimizer = optax.adabelief(1e-2)

    def step(state, batch):
        model, opt = state

        @eqx.filter_value_and_grad
        def loss(model):
            return cross_entropy(jax.vmap(model)(batch[0]), batch[1])

        value, gradients = loss(model)
        updates, opt = optimizer.update(gradients, opt, eqx.filter(model, eqx.is_array))
        return (eqx.apply_updates(model, updates), opt), value

    return step, (model, optimizer.init(eqx.filter(model, eqx.is_array))), examples(64, (12,)), 16


def modules():
    """flax nnx: a step that changes its modules."""
    from flax import nnx

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.first, self.norm = nnx.Linear(12, 16, rngs=rngs), nnx.BatchNorm(16, rngs=rngs)
            self.dropout, self.last = nnx.Dropout(0.1, rngs=rngs), nnx.Linear(16, 10, rngs=rngs)

        def __call__(self, x):
            return self.last(self.dropout(nnx.relu(self.norm(self.first(x)))))

    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    takes_model = "model" in inspect.signature(optimizer.update).parameters  # from flax 0.11 on

    def step(state, batch):
        model, optimizer = state
        value, gradients = nnx.value_and_grad(lambda model: cross_entropy(model(batch[0]), batch[1]))(model)
        optimizer.update(*([model] if takes_model else []), gradients)
        return {"loss": value}

    return step, (model, optimizer), examples(64, (12,)), 16


MODELS = {"perceptron": perceptron, "convolutions": convolutions, "transformer": transformer, "lstm": lstm, "autoencoder": autoencoder, "policy": policy,
          "mixture": mixture, "adapters": adapters, "haiku": haiku, "equinox": equinox, "modules": modules}  # fmt: skip
OPTIMIZERS = {"multi_steps": lambda: optax.MultiSteps(optax.adamw(1e-2), 3).gradient_transformation(), "sgd": lambda: optax.sgd(0.1), "momentum": lambda: optax.sgd(0.1, momentum=0.9), "adam": lambda: optax.adam(1e-2),
              "adamw": lambda: optax.adamw(1e-2), "rmsprop": lambda: optax.rmsprop(1e-2, momentum=0.5, centered=True), "adagrad": lambda: optax.adagrad(0.1),
              "adafactor": lambda: optax.adafactor(1e-2, min_dim_size_to_factor=8), "lamb": lambda: optax.lamb(1e-2), "lion": lambda: optax.lion(1e-3)}  # fmt: skip
MODELS.update({name: with_optimizer(one) for name, one in OPTIMIZERS.items()})


def losses_of(step, state, data, size, steps):
    """The losses of jax.jit, and the state after them, on batches in order."""
    from ingot.jax._state import State

    known = State(state)

    def pure(values, batch):
        given = known.join(values)
        returned = step(given, batch)
        new, metrics = returned if known.modules is None else (given, returned)
        return known.part(new), metrics["loss"] if isinstance(metrics, dict) else metrics

    compiled, count = jax.jit(pure), len(jax.tree.leaves(data)[0]) // size
    values, losses = [jnp.asarray(leaf.value) if not hasattr(leaf.value, "dtype") else leaf.value for leaf in known.leaves], []
    for index in range(steps):
        begin = index % count * size
        values, loss = compiled(values, jax.tree.map(lambda one: jnp.asarray(one[begin : begin + size]), data))
        losses.append(float(loss))
    return losses, known, values
