# SPDX-License-Identifier: Apache-2.0
"""Adagrad with dual averaging, the one optimizer whose update takes the number of steps."""
from scatter import held
from suite import *

RATES = dict(lr=0.3, l1=0.05, l2=0.2)


def adagrad_da():
    suite = Suite("adagrad_da")

    def case(name, dtype, shape, indices=None, reference=False, number=3, **changes):
        """Two steps: the second one reads what the first has written."""
        states = [normal(shape, dtype), normal(shape, dtype), np.abs(normal(shape, dtype)) + dtype(0.1)]
        states = [np.asarray(state, dtype) for state in states]
        rows = shape if indices is None else (len(indices),) + shape[1:]
        fed = {"grad": normal(rows, dtype)} | {key: np.array(value, dtype) for key, value in (RATES | changes).items()}
        fed["global_step"] = np.array(number, I64)
        if indices is not None:
            fed["indices"] = indices
        op = ("" if reference else "Resource") + ("Sparse" if indices is not None else "") + "ApplyAdagradDA"

        def function(*feeds):
            variables = [held(f"{name}_{i}", state, resource=not reference) for i, state in enumerate(states)]
            order = [raw.Assign(ref=v, value=tf.constant(s)) for v, s in zip(variables, states)] if reference else []
            for node in order:
                v1.add_to_collection(INITIALIZERS, node)
            names = ("var", "gradient_accumulator", "gradient_squared_accumulator")
            inputs = dict(zip(names, variables if reference else [v.handle for v in variables])) | dict(zip(fed, feeds))
            for _ in range(2):
                with tf.control_dependencies(order):
                    order = [getattr(raw, op)(**inputs)]
            with tf.control_dependencies(order):
                return [tf.identity(v) if reference else v.read_value() for v in variables]

        tolerance = 4e-6 if dtype is F32 else 3e-14
        suite.case(name, function, *fed.values(), rtol=tolerance, atol=tolerance / 10)

    twice = np.array([4, 0, 4, 2], I32)
    for dtype in FLOATS:
        for shape in ((), (17,), (9, 10)):
            case(f"dense_{short(dtype)}_{text(shape)}", dtype, shape)
        case(f"dense_{short(dtype)}_no_l1", dtype, (17,), l1=0)
        case(f"dense_{short(dtype)}_no_l2", dtype, (17,), l2=0)
        case(f"dense_{short(dtype)}_all_shrunk", dtype, (17,), l1=50)
        # No float32 is this number.
        case(f"dense_{short(dtype)}_late", dtype, (17,), number=16777217, l1=1e-8)
        case(f"sparse_{short(dtype)}", dtype, (6, 5), twice)
        case(f"sparse_{short(dtype)}_no_l1", dtype, (6,), twice, l1=0)
        case(f"reference_{short(dtype)}", dtype, (17,), reference=True)
        case(f"sparse_reference_{short(dtype)}", dtype, (6, 5), twice.astype(I64), reference=True)
    suite.write()


SUITES = [adagrad_da]
