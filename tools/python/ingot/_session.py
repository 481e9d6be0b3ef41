# SPDX-License-Identifier: Apache-2.0
"""Exports a tf.Graph in the style of TensorFlow 1, which a script has built for a Session."""

from __future__ import annotations

from typing import Any

from ._errors import export_error
from ._graph import write_graph
from ._lines import lines_of, refuse_python


def is_graph(thing: Any) -> bool:
    import tensorflow as tf

    return isinstance(thing, tf.Graph)


def write(graph: Any, path: str, *, train_op: Any, loss: Any, max_to_keep: int) -> None:
    """Writes the graph to `path`. `train_op` and `loss` are added to the collections of these names.

    Iterators that no op initializes start with the session. Placeholders are fed by flags of the trainer.
    """
    import tensorflow as tf

    v1 = tf.compat.v1
    keys = v1.GraphKeys
    if graph.finalized:
        raise export_error("the graph is finalized: export it before a session has taken it")
    refuse_python(graph.as_graph_def(), "the graph", lines_of(graph))
    with graph.as_default():
        if train_op is not None and train_op not in v1.get_collection(keys.TRAIN_OP):
            v1.add_to_collection(keys.TRAIN_OP, train_op)
        if not v1.get_collection(keys.TRAIN_OP):
            raise export_error("nothing says what a step runs: give train_op=, what optimizer.minimize returned")
        if loss is not None:
            v1.add_to_collection("loss", loss)
        elif not v1.get_collection("loss") and not v1.get_collection(keys.LOSSES):
            raise export_error("nothing says which tensor is the loss: give loss=")
        v1.train.get_or_create_global_step()
    write_graph(graph, path, {}, lines_of(graph), max_to_keep)
