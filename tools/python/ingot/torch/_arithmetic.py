# SPDX-License-Identifier: Apache-2.0
"""Expressions of tensors and numbers, by which the optimizers' formulas are written."""

from __future__ import annotations

from typing import Any, Union

from .._builder import Builder
from .._metagraph import Tensor

Operand = Union["Expression", float]


class Expression:
    """A tensor, or a number that a step computes. Numbers are float64, as torch's optimizers compute them in Python, and
    become the type of the tensor that they meet."""

    def __init__(self, b: Builder, tensor: Tensor, number: bool = False) -> None:
        self.b = b
        self.tensor = tensor
        self.number = number

    def _binary(self, op: str, other: Operand, reverse: bool = False) -> Expression:
        b = self.b
        if not isinstance(other, Expression):
            other = Expression(b, b.const(other, "float64"), True)
        one, two = (other, self) if reverse else (self, other)
        if one.number and two.number:
            return Expression(b, b.pointwise(op, one.tensor, two.tensor), True)
        dtype = two.tensor.dtype if one.number else one.tensor.dtype
        # torch computes an op on a 16-bit float tensor and a Python number in float32.
        wide = "float32" if dtype in ("float16", "bfloat16") and (one.number or two.number) else dtype
        left, right = (Builder.cast(b, each.tensor, wide) if not each.number else self._as(each.tensor, wide) for each in (one, two))
        return Expression(b, b.cast(b.pointwise(op, left, right), dtype))

    def _as(self, tensor: Tensor, dtype: str) -> Tensor:
        """A number as a scalar of another type; of a constant, a constant."""
        if tensor.const is not None and dtype != "float64":
            return self.b.const(float(tensor.const), dtype)
        return self.b.cast(tensor, dtype)

    def _unary(self, op: str) -> Expression:
        return Expression(self.b, self.b.pointwise(op, self.tensor), self.number)

    def __add__(self, other: Operand) -> Expression:
        return self._binary("AddV2", other)

    def __radd__(self, other: Operand) -> Expression:
        return self._binary("AddV2", other, True)

    def __sub__(self, other: Operand) -> Expression:
        return self._binary("Sub", other)

    def __rsub__(self, other: Operand) -> Expression:
        return self._binary("Sub", other, True)

    def __mul__(self, other: Operand) -> Expression:
        return self._binary("Mul", other)

    def __rmul__(self, other: Operand) -> Expression:
        return self._binary("Mul", other, True)

    def __truediv__(self, other: Operand) -> Expression:
        return self._binary("RealDiv", other)

    def __rtruediv__(self, other: Operand) -> Expression:
        return self._binary("RealDiv", other, True)

    def __pow__(self, other: Operand) -> Expression:
        return self._binary("Pow", other)

    def __rpow__(self, other: Operand) -> Expression:
        return self._binary("Pow", other, True)

    def __neg__(self) -> Expression:
        return self._unary("Neg")

    def __abs__(self) -> Expression:
        return self._unary("Abs")

    def sign(self) -> Expression:
        return self._unary("Sign")

    def sqrt(self) -> Expression:
        return self._unary("Sqrt")

    def square(self) -> Expression:
        return self._unary("Square")

    def maximum(self, other: Operand) -> Expression:
        return self._binary("Maximum", other)

    def minimum(self, other: Operand) -> Expression:
        return self._binary("Minimum", other)

    def greater(self, other: float) -> Any:
        """A boolean tensor."""
        return self.b.pointwise("Greater", self.tensor, self.b.like(other, self.tensor))

    def where(self, condition: Tensor, other: Expression) -> Expression:
        """This where the scalar `condition` is true, otherwise `other`."""
        shape = self.tensor.shape
        condition = self.b.broadcast(condition, shape) if condition.rank != len(shape) else condition
        return Expression(self.b, self.b.select(condition, self.tensor, other.tensor), self.number)


def lerp(start: Expression, end: Expression, weight: Operand) -> Expression:
    """start + weight * (end - start), in the form that torch.lerp has for a known weight."""
    if isinstance(weight, float) and weight >= 0.5:
        return end - (end - start) * (1 - weight)
    return start + (end - start) * weight
