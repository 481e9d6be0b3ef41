# SPDX-License-Identifier: Apache-2.0
"""What cannot be exported is refused: all at once, each at its line. And every primitive of JAX is mapped or refused."""
import inspect
import sys

import ingot.jax
import jax
import jax.numpy as jnp
import numpy as np
from ingot.jax import _export  # noqa: F401  It registers the rules.
from ingot.jax._rules import REASONS, RULES, check
from jax import lax

THIS = __file__
data = np.ones((8, 4), np.float32)


def refused(step, *words, state=None, **more):
    """Exports a step, and expects an ExportError with all words; `#` in one stands for a line of this file."""
    try:
        ingot.jax.export(step, {"w": jnp.ones(4)} if state is None else state, data, "refused.meta", **{"batch_size": 4, **more})
    except ingot.jax.ExportError as error:
        for word in words:
            assert word in str(error), f"expected {word!r} in\n{error}"
        return str(error)
    raise AssertionError(f"exported, without {words}")


def line(text):
    """The line of this file that has `text`, as messages name it."""
    source = open(THIS).read().splitlines()
    return f"{THIS}:{next(number for number, one in enumerate(source, 1) if text in one and 'line(' not in one)}: "


def unsupported(state, batch):
    values = jnp.linalg.eigh(batch.T @ batch)[0]  # eigen
    jax.debug.print("seen {}", values)  # printed
    spectrum = jnp.abs(jnp.fft.fft(batch[0]))  # spectrum

    def body(carry, row):
        return carry + jnp.linalg.svd(row.reshape(2, 2), compute_uv=False).sum(), None  # inside

    total, _ = lax.scan(body, 0.0, batch)
    return state, {"loss": values.sum() + spectrum.sum() + total}


message = refused(unsupported, line("# eigen") + "eigh: ", line("# printed") + "debug", line("# spectrum") + "fft: complex", line("# inside") + "svd: ")
assert len(message.splitlines()) >= 4, message

# A dead equation is no reason to refuse a step; one with an effect is.
ingot.jax.export(lambda s, b: ((jnp.linalg.eigh(b.T @ b), (s, b.sum()))[1]), {"w": jnp.ones(4)}, data, "dead.meta", batch_size=4)

refused(lambda s, b: s, "(state, metrics)", "refusals.py:")
refused(lambda s, b: (s, {"other": b.sum(), "more": b.sum()}), "no 'loss'", "more, other")
refused(lambda s, b: ({"w": s["w"].astype(jnp.bfloat16)}, b.sum()), "'w' as bfloat16[4]", "float32[4]")
refused(lambda s, b: ({"w": s["w"][:2]}, b.sum()), "'w' as float32[2]")
refused(lambda s, b: ({"v": s["w"]}, b.sum()), "differ in v, w")
refused(lambda s, b: (s, (b + undefined).sum()), "NameError", "refusals.py:")  # noqa: F821
refused(lambda s, b: (s, b.sum()), "fewer than one batch of 9", batch_size=9)
refused(lambda s, b: (s, b.sum()), "complex64", state={"w": jnp.ones(4, jnp.complex64)})
refused(lambda s, b: (s, b.sum() + jax.random.uniform(s["k"])), "threefry2x32", state={"k": jax.random.key(0, impl="rbg")})
refused(lambda s, b: (s, b.sum()), "both or neither", validation_data=data)
refused(lambda s, b: (s, b.sum()), "validation_batch_size", validation_data=np.ones((13, 4), np.float32), evaluate=lambda s, b: b.sum())

# Parameters that no rule knows are refused, as are values that a rule does not take.
try:
    check("transpose", {"permutation": (1, 0), "new_in_a_later_jax": 3})
    raise AssertionError("an unknown parameter was ignored")
except Exception as error:
    assert "new_in_a_later_jax=3 is not known" in str(error), error

# The count: everything that JAX can lower is in one of the two tables, and nothing is in both.
from jax._src.interpreters import mlir  # noqa: E402

names = {primitive.name for primitive in mlir._lowerings}
for platform in mlir._platform_specific_lowerings.values():
    names |= {primitive.name for primitive in platform}
unknown = sorted(names - set(RULES) - set(REASONS))
assert not unknown, f"JAX {jax.__version__} has primitives that are neither mapped nor refused: {', '.join(unknown)}"
assert len(names & set(RULES)) > 150 and not set(RULES) & set(REASONS)
assert all(inspect.getdoc(sys.modules[rule.function.__module__]) for rule in RULES.values())
print(f"JAX {jax.__version__}: {len(names)} primitives, {len(names & set(RULES))} mapped, {len(names & set(REASONS))} refused")
print("passed")
