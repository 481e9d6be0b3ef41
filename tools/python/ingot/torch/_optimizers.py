# SPDX-License-Identifier: Apache-2.0
"""The optimizers of torch.optim, and Lion of lion_pytorch, by their formulas.

torch's own steps cannot be traced on a CPU: they read their counters as numbers of Python. Each function here is the
formula of torch.optim's single-tensor implementation, with every option; numbers of a step are float64, as there. An
optimizer, a group's option or a hook that none of them knows is refused.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Tuple

from ._arithmetic import Expression, lerp

Slots = Dict[str, Expression]


class Step(NamedTuple):
    """What a formula gets: the parameter, its gradient, its slots, and the options of its group, of which numbers may be
    expressions. `first` is whether this is the first step, a boolean tensor."""

    parameter: Expression
    gradient: Expression
    slots: Slots
    options: Dict[str, Any]
    first: Any


class Formula(NamedTuple):
    """`compute` returns the new parameter and the new slots. `slots` gives the slots' names by a group's options: those
    of the parameter's shape with their first values, and `scalars` those that are a number. `package` has the optimizer."""

    compute: Callable[[Step], Tuple[Expression, Slots]]
    slots: Callable[[Dict[str, Any]], Dict[str, float]]
    scalars: Callable[[Dict[str, Any]], Dict[str, float]]
    options: Tuple[str, ...]
    package: str = "torch.optim"


_STEP: Callable[[Dict[str, Any]], Dict[str, float]] = lambda options: {"step": 0.0}
# Options that select one of torch's implementations of a step, but do not change the step's results.
_IMPLEMENTATION = ("foreach", "fused", "capturable", "differentiable")


def _gradient(s: Step) -> Tuple[Expression, Expression]:
    """The parameter and the gradient, with weight decay: of the parameter itself if it is decoupled."""
    o, p, g = s.options, s.parameter, s.gradient
    g = -g if o.get("maximize") else g
    decay = o.get("weight_decay", 0)
    if isinstance(decay, Expression) or decay != 0:
        if o.get("decoupled_weight_decay"):
            p = p * (1 - o["lr"] * decay)
        else:
            g = g + p * decay
    return p, g


def _sgd(s: Step) -> Tuple[Expression, Slots]:
    o, (p, g), slots = s.options, _gradient(s), {}
    momentum = o["momentum"]
    if isinstance(momentum, Expression) or momentum != 0:
        buffer = s.slots["momentum_buffer"]
        moved = buffer * momentum + (g if o["dampening"] == 0 else g * (1 - o["dampening"]))
        # In the first step, dampening does not apply: the momentum buffer becomes the gradient itself.
        slots["momentum_buffer"] = moved if o["dampening"] == 0 else g.where(s.first, moved)
        g = g + slots["momentum_buffer"] * momentum if o["nesterov"] else slots["momentum_buffer"]
    return p - g * o["lr"], slots


def _moments(s: Step, g: Expression) -> Slots:
    beta1, beta2 = s.options["betas"]
    return {"exp_avg": lerp(s.slots["exp_avg"], g, 1 - beta1), "exp_avg_sq": s.slots["exp_avg_sq"] * beta2 + g * g * (1 - beta2)}


def _adam(s: Step) -> Tuple[Expression, Slots]:
    o, (p, g) = s.options, _gradient(s)
    beta1, beta2 = o["betas"]
    step, slots = s.slots["step"], _moments(s, g)
    second = slots["exp_avg_sq"]
    if o["amsgrad"]:
        second = slots["max_exp_avg_sq"] = s.slots["max_exp_avg_sq"].maximum(second)
    size = o["lr"] / (1 - beta1**step)
    scale = second.sqrt() / (1 - beta2**step).sqrt() + o["eps"]
    return p - slots["exp_avg"] * size / scale, slots


def _adamw(s: Step) -> Tuple[Expression, Slots]:
    """Adam with decoupled decay, which is an option of the groups since torch 2.7."""
    return _adam(s._replace(options={**s.options, "decoupled_weight_decay": True}))


def _nadam(s: Step) -> Tuple[Expression, Slots]:
    o, (p, g) = s.options, _gradient(s)
    beta1, beta2 = o["betas"]
    step, slots = s.slots["step"], _moments(s, g)
    mu = beta1 * (1 - 0.5 * 0.96 ** (step * o["momentum_decay"]))
    mu_next = beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * o["momentum_decay"]))
    product = slots["mu_product"] = s.slots["mu_product"] * mu
    scale = (slots["exp_avg_sq"] / (1 - beta2**step)).sqrt() + o["eps"]
    p = p - g * (o["lr"] * (1 - mu) / (1 - product)) / scale
    return p - slots["exp_avg"] * (o["lr"] * mu_next / (1 - product * mu_next)) / scale, slots


def _radam(s: Step) -> Tuple[Expression, Slots]:
    o, (p, g) = s.options, _gradient(s)
    beta1, beta2 = o["betas"]
    step, slots = s.slots["step"], _moments(s, g)
    second = 1 - beta2**step
    most = 2 / (1 - beta2) - 1
    rho = most - 2 * step * beta2**step / second
    ratio = (rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho)
    plain = slots["exp_avg"] / (1 - beta1**step) * o["lr"]
    adaptive = plain * (second.sqrt() / (slots["exp_avg_sq"].sqrt() + o["eps"])) * ratio.maximum(0.0).sqrt()
    return p - adaptive.where(rho.greater(5.0), plain), slots


def _adamax(s: Step) -> Tuple[Expression, Slots]:
    o, (p, g) = s.options, _gradient(s)
    beta1, beta2 = o["betas"]
    slots = {"exp_avg": lerp(s.slots["exp_avg"], g, 1 - beta1), "exp_inf": (s.slots["exp_inf"] * beta2).maximum(abs(g) + o["eps"])}
    return p - slots["exp_avg"] * (o["lr"] / (1 - beta1 ** s.slots["step"])) / slots["exp_inf"], slots


def _adagrad(s: Step) -> Tuple[Expression, Slots]:
    o, (p, g) = s.options, _gradient(s)
    total = s.slots["sum"] + g * g
    rate = o["lr"] / (1 + (s.slots["step"] - 1) * o["lr_decay"])
    return p - g * rate / (total.sqrt() + o["eps"]), {"sum": total}


def _rmsprop(s: Step) -> Tuple[Expression, Slots]:
    o, (p, g) = s.options, _gradient(s)
    slots = {"square_avg": s.slots["square_avg"] * o["alpha"] + g * g * (1 - o["alpha"])}
    mean = slots["square_avg"]
    if o["centered"]:
        slots["grad_avg"] = lerp(s.slots["grad_avg"], g, 1 - o["alpha"])
        mean = mean - slots["grad_avg"] * slots["grad_avg"]
    scale = mean.sqrt() + o["eps"]
    if not isinstance(o["momentum"], Expression) and o["momentum"] == 0:
        return p - g * o["lr"] / scale, slots
    slots["momentum_buffer"] = s.slots["momentum_buffer"] * o["momentum"] + g / scale
    return p - slots["momentum_buffer"] * o["lr"], slots


def _adadelta(s: Step) -> Tuple[Expression, Slots]:
    o, (p, g) = s.options, _gradient(s)
    mean = s.slots["square_avg"] * o["rho"] + g * g * (1 - o["rho"])
    delta = (s.slots["acc_delta"] + o["eps"]).sqrt() / (mean + o["eps"]).sqrt() * g
    return p - delta * o["lr"], {"square_avg": mean, "acc_delta": s.slots["acc_delta"] * o["rho"] + delta * delta * (1 - o["rho"])}


def _lion(s: Step) -> Tuple[Expression, Slots]:
    """Chen et al., Symbolic Discovery of Optimization Algorithms, 2023, as lion_pytorch computes it."""
    o, p, g = s.options, s.parameter, s.gradient
    beta1, beta2 = o["betas"]
    average = s.slots["exp_avg"]
    p = p * (1 - o["lr"] * o["weight_decay"])
    return p - (average * beta1 + g * (1 - beta1)).sign() * o["lr"], {"exp_avg": average * beta2 + g * (1 - beta2)}


def _no_scalars(options: Dict[str, Any]) -> Dict[str, float]:
    return {}


def _named(*names: str) -> Callable[[Dict[str, Any]], Dict[str, float]]:
    return lambda options: {name: 0.0 for name in names}


def _adam_slots(options: Dict[str, Any]) -> Dict[str, float]:
    return {name: 0.0 for name in ("exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if options["amsgrad"] else []))}


def _rmsprop_slots(options: Dict[str, Any]) -> Dict[str, float]:
    momentum, centered = options["momentum"], options["centered"]
    return {name: 0.0 for name in ("square_avg", *(["momentum_buffer"] if momentum else []), *(["grad_avg"] if centered else []))}


_DECAY = ("lr", "weight_decay", "maximize")
_ADAM = Formula(_adam, _adam_slots, _STEP, (*_DECAY, "betas", "eps", "amsgrad", "decoupled_weight_decay"))
_ADAMW = _ADAM._replace(compute=_adamw)
FORMULAS: Dict[str, Formula] = {
    "SGD": Formula(_sgd, lambda options: {"momentum_buffer": 0.0} if options["momentum"] else {}, _no_scalars,
                   (*_DECAY, "momentum", "dampening", "nesterov")),
    "Adam": _ADAM, "AdamW": _ADAMW,
    "NAdam": Formula(_nadam, _named("exp_avg", "exp_avg_sq"), lambda options: {"step": 0.0, "mu_product": 1.0},
                     (*_DECAY, "betas", "eps", "momentum_decay", "decoupled_weight_decay")),
    "RAdam": Formula(_radam, _named("exp_avg", "exp_avg_sq"), _STEP, (*_DECAY, "betas", "eps", "decoupled_weight_decay")),
    "Adamax": Formula(_adamax, _named("exp_avg", "exp_inf"), _STEP, (*_DECAY, "betas", "eps")),
    "Adagrad": Formula(_adagrad, lambda options: {"sum": float(options["initial_accumulator_value"])}, _STEP,
                       (*_DECAY, "lr_decay", "eps", "initial_accumulator_value")),
    "RMSprop": Formula(_rmsprop, _rmsprop_slots, _STEP, (*_DECAY, "momentum", "alpha", "eps", "centered")),
    "Adadelta": Formula(_adadelta, _named("square_avg", "acc_delta"), _STEP, (*_DECAY, "rho", "eps")),
    "Lion": Formula(_lion, _named("exp_avg"), _no_scalars, ("lr", "weight_decay", "betas"), "lion_pytorch")}


def problems_of(optimizer: Any) -> List[str]:
    """What of an optimizer has no formula."""
    name = type(optimizer).__name__
    if name not in FORMULAS or not type(optimizer).__module__.startswith(FORMULAS[name].package):
        supported = ", ".join(one for one, formula in FORMULAS.items() if formula.package == "torch.optim")
        return [f"{type(optimizer).__module__}.{name}: unsupported optimizer; {supported} of torch.optim are supported, and Lion of lion_pytorch"]
    known = {*FORMULAS[name].options, *_IMPLEMENTATION, "params", "initial_lr", "param_names", "max_lr", "min_lr", "base_momentum", "max_momentum"}
    found = []
    if getattr(optimizer, "decoupled_wd", False):
        found.append(f"{name}: decoupled_weight_decay=True is not supported; give the weight decay divided by the learning rate")
    for index, group in enumerate(optimizer.param_groups):
        found += [f"{name}: the option {key}={group[key]} of group {index} is not supported" for key in sorted(set(group) - known)]
    hooks = ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks")
    if any(getattr(optimizer, hook, None) for hook in hooks):
        found.append(f"{name}: its hooks run Python, which no trainer has")
    return found
