# SPDX-License-Identifier: Apache-2.0
"""Finds the lines of the user's program that made a graph's nodes.

They are stored in the graph for the compiler's messages, and named in errors about nodes that call Python.
"""

from __future__ import annotations

import traceback
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ._errors import ExportError, export_error, is_users

# Maps a node of the graph ("node"), or of a function ("node@function"), to the file and line that made it.
Lines = Dict[str, Tuple[str, int]]

# Ops that call back into Python, which a trainer cannot run.
_PYTHON_OPS = ("PyFunc", "EagerPyFunc", "PyFuncStateless", "GeneratorDataset")


def lines_of(graph: Any) -> Lines:
    """Returns the user's innermost line that made each op of a graph and of the functions that it calls."""
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
    """Returns the user's lines that made the ops in functions of a tf.data pipeline, such as those of its maps."""
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
    """Stores lines in the field `debug_info` of a GraphDef.

    TensorFlow before 2.14 does not know the field, so it is appended in serialized form, as an unknown field.
    """
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
    # 0x2a is the key of field 5, `debug_info`, as a length-delimited message.
    graph_def.MergeFromString(b"\x2a" + bytes(size) + content)


def refuse_python(graph_def: Any, what: str, lines: Optional[Lines] = None) -> None:
    """Raises ExportError if a graph or one of its functions calls back into Python. The error lists all such lines."""
    found: Dict[str, str] = {}
    places = [("", graph_def.node)]
    places += [("@" + function.signature.name, function.node_def) for function in graph_def.library.function]
    for function, nodes in places:
        for node in nodes:
            if node.op in _PYTHON_OPS:
                file, number = (lines or {}).get(node.name + function, ("", 0))
                line = f"{file}:{number}: " if file else ""
                if not line and node.op == "GeneratorDataset":
                    continue  # The ops in its functions have lines, and are reported instead.
                # Report each line once: one call of from_generator makes several nodes.
                found.setdefault(line, f"{line}{what} runs Python (node '{node.name}', {node.op}: tf.py_function, "
                                       "tf.numpy_function or Dataset.from_generator), which no trainer has")
    if not found:
        return
    if list(found) == [""]:
        raise export_error(found[""])
    raise ExportError("\n".join(message for line, message in sorted(found.items()) if line))
