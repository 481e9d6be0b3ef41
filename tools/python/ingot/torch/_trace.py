# SPDX-License-Identifier: Apache-2.0
"""Traces a module and its loss to graphs of ATen's ops.

The forward pass is traced by torch.export, torch's public exporter. Gradients are those of torch's own autograd: the
exported graph is run once more under AOTAutograd, as torch.compile does, which gives one functional graph of both passes.
AOTAutograd's joint export is called on the graph rather than through torch.export's experimental
`_export_forward_backward`, which refuses modules that have a parameter without a gradient, or a parameter twice.
"""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import traceback
import warnings
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple

import torch

from .._errors import ExportError, export_error, is_users
from ._recurrent import layers
from ._rules import RULES, name_of
from ._walk import FRAME

# Ops that are not decomposed, although torch's tables have decompositions for them.
_KEPT = ("embedding_dense_backward.default", "avg_pool2d_backward.default", "upsample_nearest2d.default", "upsample_bilinear2d.default",
         "upsample_nearest2d.vec", "upsample_bilinear2d.vec", "_upsample_nearest_exact2d.default")


class Input(NamedTuple):
    """What an argument of a graph is: `kind` is "state", of the name `name`, "constant" or "batch"."""

    kind: str
    name: str
    value: Any


class Traced(NamedTuple):
    """A graph of torch.fx whose arguments are `inputs`, then a tangent of 1 for the loss if there are gradients.

    Its outputs are those of the function, by `names`, the new values of the state's `changed`, and the gradients of
    `trained`, None where the loss does not depend on a parameter.
    """

    module: Any
    inputs: List[Input]
    names: List[str]
    changed: List[str]
    trained: List[str]


class _Whole(torch.nn.Module):  # type: ignore[misc]
    """A function of a batch, which uses modules, as a module of its own."""

    def __init__(self, modules: Dict[str, torch.nn.Module], function: Callable[..., Any]) -> None:
        super().__init__()
        for name, module in modules.items():
            setattr(self, name, module)
        self._function = function

    def forward(self, *batch: Any) -> Any:
        return self._function(*batch)


@contextlib.contextmanager
def _users_lines() -> Iterator[None]:
    """Records all lines of the user's program in stack traces: torch records those of `forward` alone."""
    from torch.fx.proxy import TracerBase

    before = getattr(TracerBase, "_filter_traceback_frames", None)
    if before is None:  # Another version of torch: its stack traces stay as they are.
        yield
        return
    TracerBase._filter_traceback_frames = lambda self, frames: traceback.StackSummary.from_list([one for one in frames if is_users(one.filename)])
    try:
        yield
    finally:
        TracerBase._filter_traceback_frames = before


@contextlib.contextmanager
def _own_gradients(refused: bool) -> Iterator[None]:
    """Refuses functions that have a gradient of their own: torch.export traces their forward pass alone."""
    if not refused:
        yield
        return
    before = torch.autograd.Function.__dict__["apply"]

    def apply(function: Any, *arguments: Any, **more: Any) -> Any:
        if not function.__module__.startswith("torch."):
            raise export_error(f"{function.__name__}: a torch.autograd.Function, whose backward torch.export loses; write it in ops, such as "
                               "x + (f(x) - x).detach()")
        return before.__func__(function, *arguments, **more)

    torch.autograd.Function.apply = classmethod(apply)
    try:
        yield
    finally:
        torch.autograd.Function.apply = before


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps back what torch prints of a trace that fails; what the user's code prints comes after the trace."""
    text = io.StringIO()
    level = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with contextlib.redirect_stderr(text):
            yield
        sys.stderr.write(text.getvalue())
    finally:
        logging.disable(level)


@contextlib.contextmanager
def _plain() -> Iterator[None]:
    """Traces ops rather than a processor's fused kernels of them."""
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.backends.mkldnn.flags(enabled=False), torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
                yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)


def _export() -> Any:
    """torch's exporter of graphs that change buffers in place. Before 2.7, torch.export.export made them functional."""
    old = tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 7)
    return torch.export.export_for_training if old else torch.export.export


def decompositions() -> Dict[Any, Any]:
    """torch's compositions: those of core ATen, and those of every op that has no rule here."""
    from torch._decomp import core_aten_decompositions, decomposition_table

    table = dict(core_aten_decompositions())
    table.update({op: made for op, made in decomposition_table.items()
                  if isinstance(op, torch._ops.OpOverload) and name_of(op) not in RULES and made.__module__.startswith("torch._decomp")})
    for name in _KEPT:
        packet, overload = name.rsplit(".", 1)
        table.pop(getattr(getattr(torch.ops.aten, packet), overload, None), None)
    return table


def trace(modules: Dict[str, torch.nn.Module], function: Callable[..., Dict[str, Any]], batch: Sequence[torch.Tensor], trained: Sequence[str],
          with_gradients: bool) -> Traced:
    """Traces `function(*batch)`, which uses `modules` and returns tensors by name, the loss first, with the gradients of the
    parameters `trained`, whose names begin with that of their module. Raises ExportError with the user's line."""
    names: List[str] = []

    def flat(*batch: torch.Tensor) -> Any:
        found = function(*batch)
        # Assign to a list of the caller: torch.export undoes assignments to attributes of the module.
        names[:] = list(found)
        return tuple(found.values())

    whole = _Whole(modules, flat)
    with _plain(), _users_lines():
        try:
            with contextlib.nullcontext() if with_gradients else torch.no_grad(), _own_gradients(with_gradients), _quiet():
                exported = _export()(whole, tuple(batch), strict=False)
            inputs, values, kinds = _inputs(exported, batch)
            return _joint(exported.graph_module, inputs, values, kinds, names, set(trained) if with_gradients else set())
        except ExportError:
            raise
        except Exception as error:  # Whatever the user's code raises.
            raise _user_error(error) from error


# The messages for torch's exceptions about shapes and branches that depend on values, by the exception's name.
_DEPENDS = {"GuardOnDataDependentSymNode": "a branch or a size depends on a tensor's values, which only Python has; use torch.where",
            "DataDependentOutputException": "a tensor's value is needed in Python, which no trainer has; use torch.where",
            "DynamicOutputShapeException": "the shape of this result depends on values; shapes are static in a trainer (torch.where keeps them)",
            "UserError": "a branch or a size depends on a tensor's values, which only Python has; use torch.where"}


def _user_error(error: Exception) -> ExportError:
    """The error at the user's line: where it was raised, or the line that the exported graph has for it."""
    name, text = type(error).__name__, str(error).strip()
    message = f"{name}: {text.splitlines()[0] if text else ''}"
    if name in _DEPENDS and (name != "UserError" or "data-dependent" in text):
        message = _DEPENDS[name]
    frames = [(file, int(line)) for file, line in FRAME.findall(text) if is_users(file)]
    if name == "DynamicOutputShapeException" and frames:
        return ExportError(f"{frames[-1][0]}:{frames[-1][1]}: {message}")
    return export_error(message, error.__traceback__)


def _inputs(exported: Any, batch: Sequence[torch.Tensor]) -> Tuple[List[Input], List[torch.Tensor], List[str]]:
    """The arguments of an exported graph: what they are, their values, and torch's kinds of them."""
    inputs, values, kinds, given = [], [], [], iter(batch)
    for one in exported.graph_signature.input_specs:
        kind = one.kind.name
        if kind == "USER_INPUT":
            value = next(given)
            inputs.append(Input("batch", one.arg.name, value))
        elif kind in ("PARAMETER", "BUFFER", "CONSTANT_TENSOR"):
            value = exported.state_dict[one.target] if one.target in exported.state_dict else exported.constants[one.target]
            inputs.append(Input("constant" if kind == "CONSTANT_TENSOR" else "state", one.target, value))
        else:
            raise export_error(f"the model has '{one.target}', an object that no graph can hold")
        values.append(value)
        kinds.append(kind)
    return inputs, values, kinds


class _Interpreter(torch.fx.Interpreter):  # type: ignore[misc]
    """Runs an exported graph, with recurrent layers of long sequences as loops."""

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        made = layers(target, args) if not kwargs else None
        return super().call_function(target, args, kwargs) if made is None else made


def _joint(module: Any, inputs: List[Input], values: Sequence[torch.Tensor], kinds: Sequence[str], names: List[str], trained: Any) -> Traced:
    from torch._functorch.aot_autograd import aot_export_joint_simple

    buffers = [index for index, kind in enumerate(kinds) if kind == "BUFFER"]
    learns = [index for index, one in enumerate(inputs) if one.kind == "state" and one.name in trained]

    def flat(*arguments: torch.Tensor) -> List[torch.Tensor]:
        # The graph changes buffers in place: pass copies of the buffers, and return these as further outputs.
        copies = [one.clone() if index in buffers else one for index, one in enumerate(arguments)]
        outputs = list(_Interpreter(module).run(*copies))
        return [*outputs[:1], *(one.detach() for one in outputs[1:]), *(copies[index].detach() for index in buffers)]

    given = [one.detach().requires_grad_(index in learns) if one.is_floating_point() else one.detach() for index, one in enumerate(values)]
    with torch.fx.traceback.preserve_node_meta(), contextlib.nullcontext() if learns else torch.no_grad():
        graph = aot_export_joint_simple(flat, tuple(given), trace_joint=bool(learns), decompositions=decompositions())
    _check_order(graph, inputs)
    return Traced(graph, inputs, names, [inputs[index].name for index in buffers], [inputs[index].name for index in learns])


def _check_order(graph: Any, inputs: Sequence[Input]) -> None:
    """The arguments of the graph have to be the inputs, in order."""
    given = [node for node in graph.graph.nodes if node.op == "placeholder"]
    shapes = [tuple(node.meta["val"].shape) for node in given[: len(inputs)]]
    assert shapes == [tuple(one.value.shape) for one in inputs], "AOTAutograd has changed the order of arguments"
