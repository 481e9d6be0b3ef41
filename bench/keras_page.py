#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/keras.md: models that were trained in Keras and by trainers, side by side.

    keras_page.py FIGURES.. > docs/keras.md

FIGURES are files of lines of JSON, which `--figures` of these scripts has written; of lines about the same thing the last one
counts:

- test/data/python/callbacks.py: what Keras's callbacks do in either
- test/data/python/zoo.py: the differences of losses and predictions of each model
- bench/keras_compile.py: the time of compilations
- bench/keras_fits.py: the time of five epochs
"""
import datetime
import json
import pathlib
import re
import sys

HEAD = """# Beside Keras

`bench/keras_page.py` wrote this page, {date}. Models were trained by Keras's `fit` and by trainers that were compiled from the same models,
on the same examples in the same order.
"""
CALLBACKS = """
## Callbacks

Keras's own callbacks in Keras's `fit` and in `Trainer.fit`, on five models: what came of them in *Keras* and in the *trainer*. Losses
and metrics of each epoch agree within 0.002, weights in files, and those that go on, too. `python_door.py` runs this again and compares
it with the table.
"""
MODELS = """
## Models

Each model makes 20 steps, as four epochs of five. *Losses* is the largest difference of a step's loss or of an epoch's metrics,
*predictions* that of the predictions afterwards, both relative where the value is above 1. Then the trained variables were loaded into
the exported model (*same*) and into a second one of the same code (*new*), and the trainer wrote a SavedModel (*served*): the differences
of their predictions from the trainer's. A second model's variables and optimizer have the checkpoint's bytes.
"""
COMPILE = """
## Compile time

`ingotc --cpu=native` of what Python exports, in seconds; in parentheses those of all processors: into an empty *cache*, the same graph
again, and the graph as another process exports it, whose initial values are others. Medians of {rounds} rounds. *Load* is the mean number
of processes that wanted to run before a round began: others shared this machine.
"""
FITS = """
## Time until five epochs are trained

Keras's `fit`, and export, compilation without a cache, and training; {rounds} rounds in turns, medians, on {examples:,} examples, with {processors}
processors. Seconds on the wall; in parentheses those of all processors.
"""
FITS_HEAD = ["| model | Keras's fit | trainer | export | compile | five epochs | times as fast | by CPU | load |", "|---|---|---|---|---|---|---|---|---|"]
COMPILE_HEAD = ["| model | first | again | of the first | other initial values | of the first | load |", "|---|---|---|---|---|---|---|"]
CHECKS = ("steps", "predictions", "loads", "loads_anew", "saved_model")


def version(keras):
    """The version of `tf.keras`, which Keras 2 doesn't say itself."""
    return getattr(keras, "__version__", None) or __import__("keras").__version__


def short(rates):
    """Learning rates by epoch: `0.05 ×3, 0.015 ×9`."""
    found = []
    for rate in rates:
        if found and found[-1][0] == rate:
            found[-1][1] += 1
        else:
            found.append([rate, 1])
    return ", ".join(f"{rate:.4g}" + (f" ×{count}" if count > 1 else "") for rate, count in found)


def outcome(values):
    """What came of a callback, in a table's cell."""
    if isinstance(values[0], float):
        return short(values)
    if len(values) > 4:
        return f"{', '.join(values[:3])} .. {len(values)} in all"
    return ", ".join(values)


def callback_rows(lines):
    """The rows of one version of Keras."""
    return [f"| {one['callback']} | {one['model']} | {outcome(one['theirs'])} | {outcome(one['ours'])} |" for one in lines]


def model_row(line):
    cells = []
    for check in CHECKS:
        value = line["differences"].get(check)
        cells.append("–" if value is None else "equal" if value == 0 else f"{value:.0e}")
    failed = "; ".join(f"{check}: {re.split(chr(10), why)[0][:120]}" for check, why in line["failed"].items()).replace("|", "/")
    return f"| {line['model']} | {' | '.join(cells)} | {failed} |"


def both(seconds, digits=1):
    wall, cpu = seconds
    return f"{wall:.{digits}f} ({cpu:.{digits}f})"


def compile_row(line):
    first, again, other = line["first"], line["again"], line["other"]
    cells = [both(first, 2), both(again, 2), f"{again[0] / first[0]:.0%}", both(other, 2), f"{other[0] / first[0]:.0%}", f"{line['load']:.1f}"]
    return f"| {line['model']} | {' | '.join(cells)} |"


def fit_row(line):
    (theirs, theirs_cpu), (ours, ours_cpu) = line["keras_seconds"], line["seconds"]
    cells = [both(line[name]) for name in ("keras_seconds", "seconds", "export", "compile", "train")]
    return f"| {line['model']} | {' | '.join(cells)} | {theirs / ours:.1f} | {theirs_cpu / ours_cpu:.1f} | {line['load']:.1f} |"


def read(paths):
    """The lines by kind and version of Keras."""
    last = {}
    for path in paths:
        for text in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            last[line["kind"], line["keras"], line.get("callback"), line["model"]] = line
    found = {}
    for line in last.values():
        found.setdefault((line["kind"], line["keras"]), []).append(line)
    return found


def sections(found, kind):
    return [(version, lines) for (one, version), lines in sorted(found.items()) if one == kind]


def page(found, date):
    parts = [HEAD.format(date=date).rstrip(), CALLBACKS.rstrip()]
    for version, lines in sections(found, "callback"):
        parts += [f"\n### Keras {version}\n", "| callback | model | Keras | trainer |", "|---|---|---|---|", *callback_rows(lines)]
    parts.append(MODELS.rstrip())
    for version, lines in sections(found, "model"):
        failing = sum(bool(line["failed"]) for line in lines)
        parts += [f"\n### {len(lines)} models in Keras {version}, {failing or 'none'} with failures\n",
                  "| model | losses | predictions | same | new | served | fails |", "|---|---|---|---|---|---|---|", *map(model_row, lines)]  # fmt: skip
    for kind, text, head, row in (("compile", COMPILE, COMPILE_HEAD, compile_row), ("fit", FITS, FITS_HEAD, fit_row)):
        for index, (version, lines) in enumerate(sections(found, kind)):
            if index == 0:
                rounds = sorted({line["rounds"] for line in lines})
                parts.append(text.format(**{**lines[0], "rounds": " or ".join(map(str, rounds))}).rstrip())
            slower = [line["model"] for line in lines if kind == "fit" and line["seconds"][0] > line["keras_seconds"][0]]
            parts += [f"\nKeras {version}{'; slower than it on the wall: ' + ', '.join(slower) if slower else ''}:\n", *head, *map(row, lines)]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(read(sys.argv[1:]), datetime.date.today()))
