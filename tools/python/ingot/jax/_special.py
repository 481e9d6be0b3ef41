# SPDX-License-Identifier: Apache-2.0
"""Special functions that are no op of TensorFlow: composed as XLA or JAX itself composes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from .._metagraph import Tensor
from ._rules import ANY, Refused, rule

if TYPE_CHECKING:
    from ._walk import Walk

# Polynomials of erf_inv (Giles, Approximating the erfinv function, 2010), as in XLA, by ranges of w = -log(1 - x^2).
_CENTRAL32 = [2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
              0.246640727, 1.50140941]
_TAIL32 = [-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
           1.00167406, 2.83297682]
_CENTRAL64 = [-3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18, 1.115787767802518096e-17,
              -1.333171662854620906e-16, 2.0972767875968561637e-17, 6.6376381343583238325e-15, -4.0545662729752068639e-14,
              -8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
              1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
              -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352, -0.00074070253416626697512,
              -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356]
_MIDDLE64 = [2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
             1.5027403968909827627e-06, -4.013867526981545969e-06, 2.9234449089955446044e-06, 1.2475304481671778723e-05,
             -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
             0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066, -0.0037512085075692412107,
             0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635]
_TAIL64 = [-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09, -3.7894654401267369937e-09,
           7.6157012080783393804e-09, -1.4960026627149240478e-08, 2.9147953450901080826e-08, -6.7711997758452339498e-08,
           2.2900482228026654717e-07, -9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
           7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977,
           4.8499064014085844221]


def _polynomial(w: Walk, coefficients: Sequence[float]) -> Any:
    value = jnp.full_like(w, coefficients[0])
    for one in coefficients[1:]:
        value = one + value * w
    return value


def _erf_inv(x: Any) -> Any:
    if x.dtype in (jnp.bfloat16, np.float16):
        return _erf_inv(x.astype(np.float32)).astype(x.dtype)
    w = -jnp.log1p(-x * x)
    if x.dtype == np.float64:
        value = jnp.where(w < 6.25, _polynomial(w - 3.125, _CENTRAL64),
                          jnp.where(w < 16, _polynomial(jnp.sqrt(w) - 3.25, _MIDDLE64), _polynomial(jnp.sqrt(w) - 5, _TAIL64)))
    else:
        value = jnp.where(w < 5, _polynomial(w - 2.5, _CENTRAL32), _polynomial(jnp.sqrt(w) - 3, _TAIL32))
    return jnp.where(jnp.abs(x) == 1, x * np.inf, value * x)


@rule("erf_inv")
def erf_inv(w: Walk, eqn: Any, x: Tensor) -> Any:
    return w.trace(_erf_inv, [one.aval for one in eqn.invars], x)


def _composed(name: str) -> Any:
    """JAX's own composition of a special function, which is not part of its public interface."""
    from jax._src.lax import special

    found = getattr(special, f"{name}_impl", None)
    if found is None:
        raise Refused(f"{name}: JAX {jax.__version__} does not compose it of other primitives; use a version that does")
    return found


@rule("igamma", "igammac", "igamma_grad_a", "regularized_incomplete_beta")
def incomplete(w: Walk, eqn: Any, *x: Tensor) -> Any:
    compose, dtype = _composed(eqn.primitive.name), eqn.outvars[0].aval.dtype
    if x[0].dtype not in ("float32", "float64"):
        raise Refused(f"{eqn.primitive.name}: {x[0].dtype} is not supported; float32 and float64 are")
    return w.trace(lambda *args: compose(*args, dtype=dtype), [one.aval for one in eqn.invars], *x)


@rule("bessel_i0e")
def bessel_i0e(w: Walk, eqn: Any, x: Tensor) -> Any:
    return w.trace(_composed("bessel_i0e"), [one.aval for one in eqn.invars], x)


@rule("random_gamma", log_space=ANY)
def random_gamma(w: Walk, eqn: Any, key: Tensor, alpha: Tensor) -> Any:
    try:
        from jax._src.random.core import _gamma_impl
    except ImportError:
        try:
            from jax._src.random import _gamma_impl
        except ImportError as error:
            raise Refused(f"random_gamma: JAX {jax.__version__} does not compose it of other primitives; use a version that does") from error
    log_space = eqn.params["log_space"]
    return w.trace(lambda key, alpha: _gamma_impl(key, alpha, log_space=log_space, use_vmap=True), [one.aval for one in eqn.invars], key, alpha)
