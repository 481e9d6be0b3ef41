# SPDX-License-Identifier: Apache-2.0
"""Steps of optimizers on variables and their slots."""
from suite import *


def variables(name, states):
    return [v1.get_variable(f"{name}_{i}", initializer=tf.constant(state), use_resource=True)
            for i, state in enumerate(states)]  # fmt: skip


# Op (without "ResourceApply"): names of states (+ for what may not be negative), and of the other
# inputs in order, with values; "grad" is the gradient.
STEPS = {
    "RMSProp": ("var ms+ mom", dict(lr=0.01, rho=0.9, momentum=0.5, epsilon=1e-6, grad=None)),
    "CenteredRMSProp": ("var mg ms+ mom", dict(lr=0.01, rho=0.9, momentum=0.5, epsilon=2.0, grad=None)),
    "Adagrad": ("var accum+", dict(lr=0.1, grad=None)),
    "AdagradV2": ("var accum+", dict(lr=0.1, epsilon=0.01, grad=None)),
    "Adadelta": ("var accum+ accum_update+", dict(lr=0.5, rho=0.95, epsilon=1e-4, grad=None)),
    "AdamWithAmsgrad": ("var m v+ vhat+", dict(beta1_power=0.81, beta2_power=0.998, lr=0.01, beta1=0.9, beta2=0.999, epsilon=1e-7, grad=None)),
    "AdaMax": ("var m v+", dict(beta1_power=0.81, lr=0.01, beta1=0.9, beta2=0.7, epsilon=1e-7, grad=None)),
    "KerasMomentum": ("var accum", dict(lr=0.1, grad=None, momentum=0.9)),
    "Ftrl": ("var accum+ linear", dict(grad=None, lr=0.3, l1=0.4, l2=0.1, lr_power=-0.5)),
    "FtrlV2": ("var accum+ linear", dict(grad=None, lr=0.3, l1=0.4, l2=0.1, l2_shrinkage=0.2, lr_power=-0.5)),
    "ProximalGradientDescent": ("var", dict(alpha=0.3, l1=0.5, l2=0.2, delta=None)),
    "ProximalAdagrad": ("var accum+", dict(lr=0.3, l1=0.5, l2=0.2, grad=None)),
    "AddSign": ("var m", dict(lr=0.1, alpha=1.0, sign_decay=0.9, beta=0.9, grad=None)),
    "PowerSign": ("var m", dict(lr=0.1, logbase=1.0, sign_decay=0.9, beta=0.9, grad=None)),
}  # fmt: skip


def optimizer_steps():
    suite = Suite("optimizer_steps")

    def step(name, op, states, rest, tolerance, constants=(), **attributes):
        """Two steps: the second one reads what the first has written."""
        names = STEPS[op][0].replace("+", "").split()
        fed = {key: value for key, value in rest.items() if key not in constants}

        def function(*feeds):
            held = variables(name, states)
            inputs = dict(zip(names, [v.handle for v in held])) | dict(zip(fed, feeds))
            inputs |= {key: tf.constant(rest[key]) for key in constants}
            order = []
            for _ in range(2):
                with tf.control_dependencies(order):
                    order = [getattr(raw, "ResourceApply" + op)(**inputs, **attributes)]
            with tf.control_dependencies(order):
                return [v.read_value() for v in held]

        suite.case(name, function, *fed.values(), rtol=tolerance, atol=tolerance / 10)

    for op, (stateNames, inputs) in STEPS.items():
        for dtype in FLOATS:
            small = op in ("RMSProp", "Adagrad")
            for shape in ((), (17,), (9, 10)) if dtype is F32 and small else ((17,),):
                states = [np.abs(normal(shape, dtype)) + dtype(0.1) if name.endswith("+") else normal(shape, dtype) for name in stateNames.split()]
                states = [np.asarray(s, dtype) for s in states]
                rest = {key: normal(shape, dtype) if value is None else np.array(value, dtype) for key, value in inputs.items()}
                name = f"{op}_{short(dtype)}_{text(shape)}"
                tolerance = 4e-6 if dtype is F32 else 3e-14
                step(name, op, states, rest, tolerance)
                if shape != (17,):
                    continue
                zero = np.zeros(shape, dtype)
                some = {key: np.where(np.arange(17) % 3 == 0, zero, value).astype(dtype) if inputs[key] is None else value for key, value in rest.items()}
                step(name + "_zeros", op, states, some, tolerance)
                for key, value in (("update_slots", False), ("use_nesterov", True), ("multiply_linear_by_lr", True)):
                    if key in getattr(raw, "ResourceApply" + op).__wrapped__.__code__.co_varnames:
                        step(f"{name}_{key}", op, states, rest, tolerance, **{key: value})
                if "lr_power" in inputs:
                    step(name + "_constant_power", op, states, rest, tolerance, constants=("lr_power",))
                    other = rest | {"lr_power": np.array(-0.3, dtype)}
                    step(name + "_other_power", op, states, other, 2e-5 if dtype is F32 else 1e-12)
                    step(name + "_other_power_multiplied", op, states, other, 2e-5 if dtype is F32 else 1e-12,
                         constants=("lr_power",), multiply_linear_by_lr=True)  # fmt: skip
                if "l1" in inputs:
                    step(name + "_no_l1", op, states, rest | {"l1": np.array(0, dtype)}, tolerance)
    suite.write()


SUITES = [optimizer_steps]
