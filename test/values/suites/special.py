# SPDX-License-Identifier: Apache-2.0
"""Special functions: Bessel functions, incomplete gamma and beta functions, zeta and polygamma."""
import itertools

from pointwise import call
from suite import *

NEAR = {F32: dict(rtol=2e-5, atol=2e-6), F64: dict(rtol=1e-12, atol=1e-13), F16: dict(rtol=2e-3, atol=1e-3)}
SPECIAL_ARGUMENTS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, 8.0, 1e-30]
# Where a function is compared: those of the second kind only have positive arguments.
BESSEL = {"BesselI0": (-12, 12), "BesselI1": (-12, 12), "BesselJ0": (-30, 30), "BesselJ1": (-30, 30), "BesselK0": (0.01, 12), "BesselK0e": (0.01, 40),
    "BesselK1": (0.01, 12), "BesselK1e": (0.01, 40), "BesselY0": (0.05, 30), "BesselY1": (0.05, 30)}  # fmt: skip
BINARY = ("Igamma", "Igammac", "IgammaGradA", "Polygamma", "Zeta")


def points(op):
    """Operands inside of a function's domain, as columns and rows."""
    if op == "Polygamma":
        return np.array([[0.0], [1.0], [2.0], [5.0]]), np.array([0.1, 0.5, 1, 1.5, 3, 7.5, 20, 60])
    if op == "Zeta":
        return np.array([[1.1], [2.0], [3.5], [9.0]]), np.array([0.1, 0.5, 1, 1.5, 3, 7.5, 20, 60])
    return np.array([[0.05], [0.3], [1.0], [1.5], [7.5], [25.0]]), np.array([1e-3, 0.1, 0.5, 0.99, 1.01, 2, 4, 8, 19, 40])


def special_functions():
    suite = Suite("special_functions")
    for op, dtype in itertools.product(BESSEL, (F32, F64, F16)):
        low, high = BESSEL[op]
        if dtype is F16 and op in ("BesselI0", "BesselI1"):
            low, high = -9, 9  # f16 ends at 65504.
        suite.case(f"{op}_{short(dtype)}", call(op), np.linspace(low, high, 173).astype(dtype), **NEAR[dtype])
        suite.case(f"{op}_{short(dtype)}_special", call(op), np.array(SPECIAL_ARGUMENTS).astype(dtype), anyZero=True, **NEAR[dtype])
    for op, dtype in itertools.product(BINARY, FLOATS):
        a, x = (array.astype(dtype) for array in points(op))
        near = dict(NEAR[dtype])
        suite.case(f"{op}_{short(dtype)}", call(op), a + 0 * x, x + 0 * a, **near)
        suite.case(f"{op}_{short(dtype)}_broadcast", call(op), a, x, **near)
        suite.case(f"{op}_{short(dtype)}_scalar", call(op), a[1, 0], x, **near)
        column = np.array([np.nan, np.inf, 0, -1, 1, 2, 1e-30], dtype)
        a, x = np.meshgrid(column, column)
        suite.case(f"{op}_{short(dtype)}_special", call(op), a.copy(), x.copy(), anyZero=True, **near)
    for dtype in FLOATS:
        a, b, x = np.meshgrid([0.2, 1.0, 2.5, 30.0], [0.5, 1.0, 7.0, 20.0], [0.0, 1e-3, 0.2, 0.5, 0.9, 1.0])
        a, b, x = (array.astype(dtype) for array in (a, b, x))
        suite.case(f"Betainc_{short(dtype)}", call("Betainc"), a, b, x, **NEAR[dtype])
        suite.case(f"Betainc_{short(dtype)}_scalars", call("Betainc"), dtype(2.5), dtype(0.5), x[0], **NEAR[dtype])
        suite.case(f"Betainc_{short(dtype)}_scalar_x", call("Betainc"), a[0], b[0], dtype(0.3), **NEAR[dtype])
        suite.case(f"Betainc_{short(dtype)}_all_scalars", call("Betainc"), dtype(2.5), dtype(0.5), dtype(0.3), **NEAR[dtype])
        column = np.array([np.nan, np.inf, 0, -1, 0.5, 2], dtype)
        a, x = np.meshgrid(column, column)
        suite.case(f"Betainc_{short(dtype)}_special", call("Betainc"), a.copy(), dtype(1.5), x.copy(), anyZero=True, **NEAR[dtype])
        near = dict(rtol=10 * NEAR[dtype]["rtol"], atol=10 * NEAR[dtype]["atol"])
        for op, (low, high) in BESSEL.items():
            suite.case(f"{op}_gradient_{short(dtype)}", lambda x, op=op: tf.gradients(call(op)(x), x),
                       np.linspace(low, high, 41).astype(dtype), **near)  # fmt: skip
        suite.case(f"BesselI1_gradient_of_0_{short(dtype)}", lambda x: tf.gradients(call("BesselI1")(x), x), np.zeros(2, dtype), **near)
        for op in ("Igamma", "Igammac"):
            a, x = (array.astype(dtype) for array in points(op))
            suite.case(f"{op}_gradients_{short(dtype)}", lambda a, x, op=op: tf.gradients(call(op)(a, x), [a, x]), a, x, **near)
        for op in ("Polygamma", "Zeta"):
            a, x = (array.astype(dtype) for array in points(op))
            suite.case(f"{op}_gradient_{short(dtype)}", lambda a, x, op=op: tf.gradients(call(op)(a, x), x), a, x, **near)
        suite.case(f"Betainc_gradient_{short(dtype)}", lambda a, b, x: tf.gradients(call("Betainc")(a, b, x), x),
                   np.array([0.5, 1, 2.5], dtype), np.array([1, 3, 0.5], dtype), np.array([0.2, 0.5, 0.7], dtype), **near)  # fmt: skip
        suite.case(f"Digamma_gradient_{short(dtype)}", lambda x: tf.gradients(call("Digamma")(x), x), np.linspace(0.1, 20, 31).astype(dtype), **near)
    suite.write()


# Where the integrals of Cephes are compared: on both sides of the ends of their approximations.
INTEGRALS = {"Dawsn": (-8, 8), "Expint": (0.01, 70), "FresnelCos": (-6, 6), "FresnelSin": (-6, 6), "Spence": (0.01, 5)}
ENDS = {"Dawsn": [3.25, 6.25, 1e9, -1e9], "Expint": [2, 4, 8, 16, 32, 64, 80], "FresnelCos": [1.6, 1.601, 100, -100], "FresnelSin": [1.6, 1.601, 100, -100],
    "Spence": [0.5, 1, 1.5, 2, 1e9]}  # fmt: skip


def special_integrals():
    suite = Suite("special_integrals")
    for op, dtype in itertools.product(INTEGRALS, FLOATS):
        suite.case(f"{op}_{short(dtype)}", call(op), np.linspace(*INTEGRALS[op], 15).astype(dtype).reshape(3, 5), **NEAR[dtype])
        suite.case(f"{op}_{short(dtype)}_ends", call(op), np.array(ENDS[op] + SPECIAL_ARGUMENTS).astype(dtype), anyZero=True, **NEAR[dtype])
    suite.write()


SUITES = [special_functions, special_integrals]
