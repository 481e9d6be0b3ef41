# SPDX-License-Identifier: Apache-2.0
"""What front ends share that walk a framework's graph op by op: the builder, names, lines, and problems.

What cannot be exported is collected, and raised all at once, each with the user's line.
"""

from __future__ import annotations

from typing import Callable, List, Sequence, Tuple

from ._builder import Builder
from ._errors import ExportError
from ._metagraph import Line, MetaGraph, Tensor, argument
from ._wire import Function


class Refused(Exception):
    """What an op asks for cannot be exported. The message needs no line: the walk adds it."""


class Walking:
    """Adds a framework's ops to `meta`. Rules add nodes with `b`, the builder of the graph or function that is being built."""

    def __init__(self, meta: MetaGraph) -> None:
        self.meta = meta
        self.b = Builder(meta.graph)
        self.problems: List[Tuple[str, str]] = []
        self._path: List[str] = []
        self._line: Line = None

    def problem(self, message: str) -> None:
        line = f"{self._line[0]}:{self._line[1]}: " if self._line else ""
        if (line, message) not in self.problems:
            self.problems.append((line, message))

    def raise_problems(self) -> None:
        """Raises ExportError with everything that cannot be exported, each with the user's line."""
        if self.problems:
            raise ExportError("\n".join(line + message for line, message in self.problems))

    def function(self, name: str, inputs: Sequence[Tensor], body: Callable[[List[Tensor]], List[Tensor]]) -> Function:
        """Adds a function of the graph, whose arguments have the types of `inputs`. `body` gets them, adds the function's
        nodes, and returns its results."""
        outer, before = self.b, self._path
        scope = self.meta.function_scope(name)
        scope.line, self.b, self._path = self._line, Builder(scope), []
        given = [argument(f"arg_{index}", one.dtype, one.shape) for index, one in enumerate(inputs)]
        try:
            results = body(given)
            scope.path = ""
            return self.meta.add_function(scope, given, results)
        finally:
            self.b, self._path = outer, before
