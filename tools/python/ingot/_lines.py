# SPDX-License-Identifier: Apache-2.0
"""The user's lines that made nodes: kept in graphs for the compiler's messages, and named where a graph would call Python."""

from __future__ import annotations

import traceback
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ._errors import ExportError, export_error, is_users

# File and line by a node's name, "node" of the graph or "node@function".
Lines = Dict[str, Tuple[str, int]]

# Ops that run Python, which no graph contains.
_PYTHON_OPS = ("PyFunc", "EagerPyFunc", "PyFuncStateless", "GeneratorDataset")


def lines_of(graph: Any) -> Lines:
    """The user's innermost line that made each op of a graph and of the functions that it calls."""
    found: Lines = {}
    for op, function in _operations(graph, "", {}):
        for frame in reversed(_frames(op)):
            if is_users(frame.filename):
                found[f"{op.name}@{function}" if function else op.name] = (frame.filename, int(frame.lineno or 0))
                break
    return found


def _operations(graph: Any, function: str, seen: Dict[str, bool]) -> Iterator[Tuple[Any, str]]:
    for op in graph.get_operations():
        yield op, function
    for name, called in (getattr(graph, "_functions", None) or {}).items():
        inner = getattr(called, "graph", None)
        if inner is not None and name not in seen:
            seen[name] = True
            yield from _operations(inner, str(name), seen)


def _frames(op: Any) -> Sequence[traceback.FrameSummary]:
    trace_of_op = getattr(op, "traceback", None)
    return list(trace_of_op) if trace_of_op is not None else []


def lines_of_dataset(dataset: Any) -> Lines:
    """Likewise, of the functions that a tf.data pipeline maps, filters and interleaves with."""
    found: Lines = {}
    left: List[Any] = [dataset]
    seen: Dict[int, bool] = {}
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = True
        for part in vars(one).values():
            function = getattr(part, "function", None) if type(part).__name__ == "StructuredFunctionWrapper" else None
            graph = getattr(function, "graph", None)
            if function is None or graph is None:
                continue
            name = function.name.decode() if isinstance(function.name, bytes) else str(function.name)
            found.update({key if "@" in key else f"{key}@{name}": line for key, line in lines_of(graph).items()})
        left += one._inputs() if hasattr(one, "_inputs") else []
    return found


def add_lines(graph_def: Any, lines: Lines) -> None:
    """Writes where nodes were made into a GraphDef, as its field `debug_info`, which TensorFlow before 2.14 keeps
    without knowing it."""
    from tensorflow.core.framework import graph_debug_info_pb2

    debug = graph_debug_info_pb2.GraphDebugInfo()
    files: Dict[str, int] = {}
    for node, (file, line) in sorted(lines.items()):
        if file not in files:
            files[file] = len(files)
            debug.files.append(file)
        frame = debug.traces[node].file_line_cols.add()
        frame.file_index, frame.line = files[file], line
    content = debug.SerializeToString()
    size, left = bytearray(), len(content)
    while left > 127:
        size.append(left & 127 | 128)
        left >>= 7
    size.append(left)
    # Field 5, a message.
    graph_def.MergeFromString(b"\x2a" + bytes(size) + content)


def refuse_python(graph_def: Any, what: str, lines: Optional[Lines] = None) -> None:
    """Raises ExportError where a graph, or its functions, call back into Python: with all places, by their lines."""
    found: Dict[str, str] = {}
    places = [("", graph_def.node)]
    places += [("@" + function.signature.name, function.node_def) for function in graph_def.library.function]
    for function, nodes in places:
        for node in nodes:
            if node.op in _PYTHON_OPS:
                file, number = (lines or {}).get(node.name + function, ("", 0))
                line = f"{file}:{number}: " if file else ""
                if not line and node.op == "GeneratorDataset":
                    continue  # Its functions, which have lines, are among the others.
                # One call of from_generator makes several nodes.
                found.setdefault(line, f"{line}{what} runs Python (node '{node.name}', {node.op}: tf.py_function, "
                                       "tf.numpy_function or Dataset.from_generator), which no trainer has")
    if not found:
        return
    if list(found) == [""]:
        raise export_error(found[""])
    raise ExportError("\n".join(message for line, message in sorted(found.items()) if line))
