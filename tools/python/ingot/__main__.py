# SPDX-License-Identifier: Apache-2.0
"""The package's command line: `python -m ingot demo`, and `python -m ingot convert MODEL`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, List, Optional

from ._errors import Error


def _newest_graph(folder: str) -> str:
    """The graph in a folder: its SavedModel, the meta graph of the newest checkpoint, or graph.pbtxt's neighbour."""
    if any(os.path.exists(os.path.join(folder, name)) for name in ("saved_model.pb", "saved_model.pbtxt")):
        return folder
    found = [name for name in os.listdir(folder) if name.endswith(".meta")]
    if not found:
        raise Error(f"'{folder}' has neither a SavedModel nor a meta graph (model.ckpt-N.meta): export one, "
                    "as tf.train.export_meta_graph does")
    return os.path.join(folder, max(found, key=lambda name: (os.path.getmtime(os.path.join(folder, name)), name)))


def _load(path: str) -> Any:
    try:
        import tensorflow as tf
    except ImportError:
        raise Error(f"'{path}' is a Keras model, which needs TensorFlow: pip install tensorflow") from None
    model = tf.keras.models.load_model(path)
    if getattr(model, "optimizer", None) is None:
        raise Error(f"'{path}' was saved without its optimizer and loss: call compile and save it again")
    return model


def _arrays(path: Optional[str]) -> Any:
    import numpy as np

    if path is None:
        raise Error("a Keras model file has no data: give --data FILE.npz with arrays x and y, and x_val and y_val if it is evaluated")
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    if not {"x", "y"} <= set(arrays):
        raise Error(f"'{path}' has {', '.join(sorted(arrays))}; expected arrays x and y")
    return arrays


def _convert(arguments: argparse.Namespace) -> int:
    from ._trainer import compile

    path = arguments.model.rstrip("/")
    if not os.path.exists(path):
        raise Error(f"'{path}' does not exist")
    name = arguments.output or os.path.splitext(os.path.basename(path))[0] + "-trainer"
    if path.endswith((".keras", ".h5")):
        arrays = _arrays(arguments.data)
        validation = (arrays["x_val"], arrays["y_val"]) if {"x_val", "y_val"} <= set(arrays) else None
        made = compile(_load(path), (arrays["x"], arrays["y"]), name, validation_data=validation, batch_size=arguments.batch,
                       levels="portable")
        folder = "run"
    else:
        if arguments.data:
            raise Error("--data is for Keras model files: a graph has its input inside, or is fed by the trainer's --feed")
        made = compile(_newest_graph(path) if os.path.isdir(path) else path, output=name, levels="portable")
        folder = path if os.path.isdir(path) and os.path.exists(os.path.join(path, "checkpoint")) else "run"
    step = next((entry["name"] for entry in made.info["entries"] if entry["role"] == "step"), None)
    print(f"{made.path}: " + ("trains" if step else "has no training step; it predicts and evaluates"))
    print(f"next: {made.path} {'train' if step else 'info'}" + (f" --model-dir {folder} --max-steps 1000" if step else ""))
    return 0


def main(words: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ingot", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    demo = verbs.add_parser("demo", help="compile, train, kill, resume and draw a small classifier; needs no TensorFlow")
    demo.add_argument("folder", nargs="?", default="ingot-demo")
    convert = verbs.add_parser("convert", help="make a trainer of a Keras model, a SavedModel, or a model directory of TensorFlow 1")
    convert.add_argument("model", metavar="MODEL", help="FILE.keras or FILE.h5, a SavedModel, a folder with model.ckpt-N.meta, or a graph")
    convert.add_argument("-o", "--output", metavar="FILE", help="the trainer (default: MODEL-trainer)")
    convert.add_argument("--data", metavar="FILE.npz", help="of a Keras model: arrays x, y and, for evaluations, x_val, y_val")
    convert.add_argument("--batch", type=int, default=32, metavar="N", help="of a Keras model: examples of a step (default: 32)")
    arguments = parser.parse_args(words)
    try:
        if arguments.verb == "demo":
            from ._demo import demo as run

            return run(arguments.folder)
        return _convert(arguments)
    except Error as error:
        print(f"error: {error}" if not str(error).startswith("error") else error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
