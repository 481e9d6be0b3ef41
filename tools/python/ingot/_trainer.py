# SPDX-License-Identifier: Apache-2.0
"""`ingot.compile`, and the class of the trainer that it returns."""

from __future__ import annotations

import json
import os
import re
import tempfile
from typing import Any, Callable, Container, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _tools
from ._callbacks import assignments
from ._checkpoint import Array, Checkpoint, Path, newest
from ._errors import CompileError, Error, RunError, user_error
from ._feeds import feed_flags, text_array
from ._following import Following
from ._history import History, LossReader, history_of
from ._names import AVERAGES
from ._runs import Record, prepare_folder
from ._watch import compile_watched, tell, tell_messages, watch



def compile(source: Any, data: Any = None, *more: Any, output: Optional[Path] = None, levels: str = "native",
            flags: Sequence[str] = (), **options: Any) -> Trainer:
    """Compiles a graph to a trainer: `compile(graph)`, `compile(model, data, output)` or `compile(model, x, y, output)`.

    `source` is the path of a graph (`.meta`, SavedModel, ...) or a model. A model is first exported with its `data`, to a
    graph beside the trainer. `output` is the trainer's path; by default the graph's path without its extension, or
    `trainer`. It is compiled for this machine's processor; with `levels="portable"` for all that ingotc knows, which
    takes longer. `flags` are passed to ingotc, and `options` to `ingot.export`. Raises CompileError with the compiler's
    messages.
    """
    if levels not in ("native", "portable"):
        raise user_error(f"levels is 'native', this machine's processor, or 'portable', not {levels!r}")
    if more and isinstance(more[-1], (str, os.PathLike)):
        if output is not None:
            raise user_error("the trainer's path is given twice: as the last argument and as output=")
        output, more = more[-1], more[:-1]
    if len(more) > 1:
        raise user_error("too many arguments: compile takes a model, x, y and the trainer's path")
    data = (data, *more) if more else data
    original, maps, data_dir = None, [], ""
    if isinstance(source, (str, os.PathLike)):
        if data is not None or options:
            raise user_error("the path of a graph takes no data or options: they were given to ingot.export, which wrote them into the graph")
        graph = os.fspath(source)
        name = os.path.splitext(graph.rstrip("/"))[0]
        trainer = os.fspath(output) if output is not None else name if name != graph else graph + ".trainer"
    else:
        from ._export import export_with_names

        trainer = os.fspath(output) if output is not None else "trainer"
        graph, original = export_with_names(source, data, trainer + ".meta", **options)
        # Relative file names in the script's pipelines are resolved from the working folder. The script's arrays were
        # written to files beside the graph.
        folder = os.path.dirname(os.path.abspath(trainer))
        data_dir = os.getcwd()
        if folder != data_dir:
            pattern = re.compile(re.escape(os.path.basename(trainer)) + r"-(training|validation)-data-\d+\.npy")
            maps = [f"{name}={os.path.join(folder, name)}" for name in sorted(os.listdir(folder)) if pattern.fullmatch(name)]
    words = _tools.flags_of(flags)
    if levels == "native" and not any(word.lstrip("-").split("=")[0] == "cpu" for word in words):
        words.append("--cpu=native")
    code, err = compile_watched([_tools.find("ingotc"), graph, "-o", trainer, *words])
    if code:
        raise CompileError(err.strip() or f"ingotc failed with exit code {code}")
    made = Trainer(trainer, data_dir=data_dir or os.path.dirname(os.path.abspath(graph)))
    made._data_maps = maps
    made._original = original
    return made


class Plot:
    """Curves, as an SVG image."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Path) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


class Trainer:
    """A trainer that ingotc has compiled. Methods that need variables read the newest checkpoint in `model_dir`."""

    def __init__(self, path: Path, *, data_dir: Optional[Path] = None, model_dir: Optional[Path] = None) -> None:
        self.path = os.path.abspath(os.fspath(path))
        self.data_dir = os.fspath(data_dir) if data_dir is not None else None
        self.model_dir = os.fspath(model_dir) if model_dir is not None else None
        self._tells = True
        self.info: Dict[str, Any] = json.loads(self._run("info", "--json"))
        self._data_maps: List[str] = []
        self._original: Any = None  # The variables of the model that was exported.

    # -- Running it

    def _command(self, verb: str, *arguments: str) -> List[str]:
        return [self.path, verb, *arguments]

    def _run(self, verb: str, *arguments: str) -> str:
        code, out, err = _tools.run(self._command(verb, *arguments))
        if code:
            raise RunError(err.strip() or f"{verb} failed with exit code {code}", code)
        if self._tells:
            tell_messages(err)
        return out

    def _data(self, flags: Sequence[str] = ()) -> List[str]:
        """Returns the flags that say where data files lie, unless the user's `flags` do."""
        if any(str(flag).split("=")[0] in ("--data-dir", "--data-map") for flag in flags):
            return []
        found = ["--data-dir", self.data_dir] if self.data_dir else []
        for one in self._data_maps:
            found += ["--data-map", one]
        return found

    def _folders(self, model_dir: Optional[Path], checkpoint: Optional[Path] = None, flags: Sequence[str] = ()) -> List[str]:
        return self._data(flags) + self._variables(model_dir, checkpoint)

    def _variables(self, model_dir: Optional[Path], checkpoint: Optional[Path] = None) -> List[str]:
        flags: List[str] = []
        folder = os.fspath(model_dir) if model_dir is not None else self.model_dir
        if folder is not None:
            flags += ["--model-dir", folder]
        return flags + (["--checkpoint", os.fspath(checkpoint)] if checkpoint is not None else [])

    def _entry(self, name: str) -> Optional[Mapping[str, Any]]:
        return next((entry for entry in self.info["entries"] if entry["name"] == name), None)

    def _entry_of_role(self, role: str) -> Optional[Mapping[str, Any]]:
        return next((entry for entry in self.info["entries"] if entry["role"] == role), None)

    @property
    def steps_per_epoch(self) -> Optional[int]:
        """The number of steps of an epoch; None if the graph does not state it."""
        if self._entry("epoch") is None:
            return None
        said = json.loads(self._run("run", "epoch", "--json", "--quiet", *self._data()))
        return int(_find_value(said, "steps"))

    # -- Training

    def fit(self, *, max_steps: Optional[int] = None, epochs: Optional[int] = None, model_dir: Path = "run",
            feed: Optional[Mapping[str, Any]] = None, batch_size: Optional[int] = None, shuffle: Optional[int] = None,
            verbose: bool = True, validate: bool = True, losses: Optional[Path] = None, fetch: Sequence[str] = (),
            start: Optional[str] = None, callbacks: Sequence[Any] = (), model: Any = None, flags: Sequence[str] = ()) -> History:
        """Trains until the global step is `max_steps`, or until the end of epoch `epochs`, resuming from the newest
        checkpoint of `model_dir`. Returns the history of the run in that folder, with the epochs of earlier calls.

        A folder in which another program has trained is refused. With `start="fresh"`, the run in the folder is moved
        away and training starts over; with "resume", training goes on from its weights, whatever program they are of.

        If `validate` and the graph has an evaluation, it runs at the end of each epoch. `losses` is a file to which
        each step writes a line; `fetch` adds tensors to these lines. `flags` are passed to the trainer. Ctrl-C saves
        a checkpoint and stops the training.

        `callbacks` are Keras's, or the user's: their methods of epochs and of the training are called in between, with the
        exported model, or with `model`, which has the trained values then. What they change there, the training goes on
        with.

        `feed` maps the names of the step's placeholders to values. Placeholders with a default need no value. A number
        or a list is fed in every step. Of an array of shape (examples, ...), each step takes the next `batch_size`
        examples; if `shuffle`, a seed, is given, each epoch has another order. A value that depends on the step, such
        as a learning rate, is a function of the step, which counts from 0, or a dictionary such as
        `{0: 0.1, 1000: 0.01}`, whose values are fed from these steps on.

        Raises ValueError if arguments contradict each other, and RunError with the trainer's messages if it fails.
        """
        each = self.steps_per_epoch
        if epochs is not None:
            if each is None:
                raise ValueError("how many steps an epoch has is not known: give max_steps, or steps_per_epoch to ingot.export")
            max_steps = epochs * each
        self.model_dir = os.path.abspath(os.fspath(model_dir))
        prepare_folder(self.model_dir, start)
        evaluates = validate and each is not None and self._entry_of_role("evaluate") is not None
        means = [one["name"] for one in (self._entry_of_role("step") or {"fetches": []})["fetches"] if one["name"].startswith("epoch/")]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.abspath(os.fspath(losses)) if losses is not None else os.path.join(folder, "losses.jsonl")
            arguments = [*self._folders(self.model_dir, flags=flags), "--losses", path, "--log-steps", "0"]
            for name in [*means, *fetch]:
                arguments += ["--fetch", name]
            if evaluates:
                arguments += ["--save-checkpoints-steps", str(each), "--eval-throttle-secs", "0"]
            if start == "resume":
                arguments.append("--allow-other-program")
            arguments += feed_flags(feed or {}, folder, batch_size=batch_size, shuffle=shuffle, max_steps=max_steps)
            arguments += _tools.flags_of(flags)
            if losses is not None and os.path.exists(path):
                os.remove(path)
            following = Following(LossReader(path, each), Record(self.model_dir), max_steps, verbose)

            def train(until: Optional[int], *more: str) -> None:
                limit = ["--max-steps", str(until)] if until is not None else []
                try:
                    watch(self._command("train-and-evaluate" if evaluates else "train", *arguments, *limit, *more),
                          following.follow, following.shows)
                except RunError as error:
                    raise _with_hint(error, self.model_dir or "", self.info["variables"]) from None

            try:
                if callbacks:
                    self._train_by_epochs(callbacks, model, each, max_steps, train, following)
                else:
                    train(max_steps)
            finally:
                following.end()
            if following.reader.first is None:
                tell(f"note: nothing was trained: '{model_dir}' is at step {self.checkpoint().step} already" +
                     ("" if max_steps is None else f", and {'epochs' if epochs is not None else 'max_steps'}="
                      f"{epochs if epochs is not None else max_steps} is the end of the run: "
                      'give a later one to go on, or start="fresh" to start over'))
            elif averages := self._run("info", "--collection", AVERAGES).split("\n")[:-1]:
                # Keras's fit ends so, too (Optimizer.finalize_variable_values).
                self._change_values({name: self.checkpoint()[average] for name, average in (line.split("\t") for line in averages)})
            return history_of(following.record.figures, each)

    def _train_by_epochs(self, callbacks: Sequence[Any], model: Any, each: Optional[int], max_steps: Optional[int],
                         train: Callable[..., None], following: Following) -> None:
        """Trains epoch by epoch, and calls the callbacks in between."""
        from . import _callbacks

        model = model if model is not None else self._original.model() if self._original is not None else None
        names = {str(one["name"]) for one in self.info["variables"]}
        pairs = self._pairs(model, names, "the trainer") if model is not None else None
        _callbacks.check(each, max_steps, pairs)
        assert each is not None and pairs is not None
        steps = each
        own = _callbacks.Callbacks(callbacks, model, pairs)
        if newest(self.model_dir or "") is None:
            train(0)  # The first checkpoint has the initial values, which callbacks may change.
        first = (self.checkpoint().step or 0) // steps
        record = following.record

        def epoch(index: int) -> Dict[str, Any]:
            until = (index + 1) * steps
            train(until, *(["--terminate-on-nan"] if own.stops_at_nan else []))
            following.flush()
            stopped = self.checkpoint().step or 0
            if stopped < until:  # Training stopped at a NaN loss (--terminate-on-nan).
                following.take_last()
                until = stopped
            return dict(record.figures.get(until, {}))

        own.begin(max_steps // steps if max_steps is not None else None, steps, self.checkpoint())
        _callbacks.run(own, first, max_steps // steps if max_steps is not None else None, epoch, self.checkpoint,
                       lambda words: self._change(words), lambda index, added: record.add((index + 1) * steps, added))

    def _change(self, words: Sequence[str]) -> None:
        self._run("set", *words, "--quiet", *self._variables(self.model_dir))

    def _change_values(self, values: Mapping[str, Array]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self._change(assignments(values, folder))

    # -- Using the trained variables

    def evaluate(self, x: Any = None, y: Any = None, sample_weight: Any = None, *, batch_size: int = 32,
                 model_dir: Optional[Path] = None, checkpoint: Optional[Path] = None, steps: Optional[int] = None,
                 flags: Sequence[str] = ()) -> Dict[str, float]:
        """Returns the graph's metrics over its validation data, or, of a Keras model, over arrays or a tf.data pipeline of
        batches, as `Model.evaluate` takes them: an evaluation of these data is compiled from the exported model.
        """
        if x is not None:
            with tempfile.TemporaryDirectory() as folder:
                other = self._compile_evaluation(x, y, sample_weight, batch_size, os.path.join(folder, "evaluation"))
                return other.evaluate(model_dir=model_dir if model_dir is not None else self.model_dir, checkpoint=checkpoint,
                                      steps=steps, flags=flags)
        limit = ["--steps", str(steps)] if steps is not None else []
        said = json.loads(self._run("evaluate", "--json", "--quiet", *self._folders(model_dir, checkpoint, flags), *limit, *_tools.flags_of(flags)))
        figures = {str(name): _tools.numbers(value) for name, value in said["metrics"].items()}
        # Estimator.evaluate() also returns the global step. The collection marks graphs that Estimators were exported to.
        if self._run("info", "--collection", "ingot_estimator"):
            figures["global_step"] = said["global_step"]
        return {name: float(value) for name, value in figures.items() if isinstance(value, (int, float))}

    def _compile_evaluation(self, x: Any, y: Any, sample_weight: Any, batch_size: int, path: str) -> Trainer:
        """Compiles a program that evaluates the exported model on other data."""
        model = self._original.model() if self._original is not None else None
        if model is None:
            raise user_error("evaluate(x, y) needs the exported Keras model, which this process has not exported or has let go: "
                             "keep it in a variable; trainers take other data by --feed or by the graph's validation data")
        data = tuple(one for one in (x, y, sample_weight) if one is not None)
        if len(data) == 1:
            (data,) = data
        other = compile(model, data, path, validation_data=data, batch_size=batch_size, shuffle=False, steps_per_epoch=1)
        # Print none of its messages: its training step is compiled for other data, perhaps without sample weights, so it
        # warns that another program has trained the checkpoint.
        other._tells = False
        names = {str(one["name"]) for one in self.info["variables"]}
        strange = [str(one["name"]) for one in other.info["variables"] if not one.get("local") and one["name"] not in names]
        if strange:
            raise user_error(f"the model has changed since it was exported: it has the new variable '{strange[0]}'; export it again")
        return other

    def predict(self, x: Any, *, entry: str = "serving_default", batch_size: int = 4096, model_dir: Optional[Path] = None,
                checkpoint: Optional[Path] = None) -> Any:
        """Returns the predictions for `x`: an array, a list of arrays, a dictionary by the names of the inputs, a table of
        pandas, or a tf.data pipeline of batches, whose labels are ignored.

        The result is an array if the model has one output, and otherwise a dictionary by name.
        """
        found = self._entry(entry)
        if found is None:
            names = ", ".join(one["name"] for one in self.info["entries"] if one["fetches"])
            raise Error(f"the trainer has no entry '{entry}'; there are {names}")
        if hasattr(x, "element_spec"):
            batches = [self.predict(batch[0] if isinstance(batch, tuple) else batch, entry=entry, batch_size=batch_size,
                                    model_dir=model_dir, checkpoint=checkpoint) for batch in x]
            if not batches or not isinstance(batches[0], dict):
                return np.concatenate(batches) if batches else {}
            return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}
        inputs = _named(x, found["feeds"])
        count = len(next(iter(inputs.values())))
        parts: List[Dict[str, Array]] = []
        for begin in range(0, count, batch_size):
            part = {name: array[begin : begin + batch_size] for name, array in inputs.items()}
            parts.append(self._call(entry, part, found, self._folders(model_dir, checkpoint)))
        outputs = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}
        return next(iter(outputs.values())) if len(outputs) == 1 else outputs

    def _call(self, entry: str, inputs: Mapping[str, Array], found: Mapping[str, Any], flags: Sequence[str]) -> Dict[str, Array]:
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--json"]
            for index, (name, array) in enumerate(inputs.items()):
                path = os.path.join(folder, f"in{index}.npy")
                np.save(path, array, allow_pickle=False)
                arguments += ["--feed", f"{name}=@{path}"]
            files, texts = {}, []
            for index, fetch in enumerate(found["fetches"]):
                name = str(fetch["name"])
                if _type_of(fetch) is None:
                    texts.append(name)
                    arguments += ["--fetch", name]
                else:
                    files[name] = os.path.join(folder, f"out{index}.npy")
                    arguments += ["--fetch", f"{name}=@{files[name]}"]
            said = self._run("run", entry, "--quiet", *flags, *arguments)
            outputs: Dict[str, Array] = {name: np.load(path, allow_pickle=False) for name, path in files.items()}
            for name in texts:
                outputs[name] = np.array(_find_value(json.loads(said), name))
            return outputs

    def checkpoint(self, model_dir: Optional[Path] = None) -> Checkpoint:
        """Returns the newest checkpoint in the model directory. Raises Error if there is none."""
        folder = os.fspath(model_dir) if model_dir is not None else self.model_dir
        if folder is None or newest(folder) is None:
            raise Error("there is no checkpoint yet: call fit, or give model_dir")
        return Checkpoint(folder)

    def export(self, saved_model: Path, *, model_dir: Optional[Path] = None, checkpoint: Optional[Path] = None,
               flags: Sequence[str] = ()) -> None:
        """Writes a SavedModel with the graph's predictions and the trained variables, for TensorFlow to serve."""
        self._run("export", "--quiet", "--saved-model", os.fspath(saved_model), *self._variables(model_dir, checkpoint),
                  *_tools.flags_of(flags))

    def plot(self, *more: Path, model_dir: Optional[Path] = None, metrics: Sequence[str] = ()) -> Plot:
        """Draws the curves of the run, with those of further runs' folders beside them: a notebook shows them, and `save`
        writes an SVG file. `metrics` chooses some."""
        runs = [os.fspath(one) for one in (model_dir if model_dir is not None else self.model_dir or "run", *more)]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "curves.svg")
            self._run("plot", *runs, "-o", path, *(word for name in metrics for word in ("--metric", name)))
            with open(path, encoding="utf-8") as file:
                return Plot(file.read())

    def report(self, path: Path, *, model_dir: Optional[Path] = None) -> None:
        """Writes an HTML page about the run: curves, speed, checkpoints, warnings."""
        self._run("report", os.fspath(model_dir if model_dir is not None else self.model_dir or "run"), "-o", os.fspath(path))

    def load_into(self, model: Any, *, model_dir: Optional[Path] = None, checkpoint: Optional[Path] = None) -> None:
        """Assigns the trained weights to a Keras model, and their state to its optimizer.

        `model` is the exported model, or one that the same code has made: variables are paired by the attributes that
        keep them. The optimizers of a model that is compiled with others, or not at all, are left alone.
        """
        from ._load import assign

        found = Checkpoint(checkpoint) if checkpoint is not None else self.checkpoint(model_dir)
        values = found.arrays()
        assign(found.prefix, values, self._pairs(model, values, f"'{found.prefix}'"))

    def _pairs(self, model: Any, names: Container[str], what: str) -> List[Tuple[str, Any]]:
        from . import _paths
        from ._load import find_pairs

        paths = {name: self._run("info", "--collection", name).splitlines() for name in (_paths.VARIABLES, _paths.OPTIMIZERS)}
        return find_pairs(model, names, [one for one in self.info["variables"] if not one.get("local")], self._original, paths, what)


def _differ_by_counters(folder: str, variables: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the variables of the run in `folder` have other names only by the counters that Keras appends to the names
    of layers, as in a model that is made a second time."""
    try:
        with open(os.path.join(folder, "program.json"), encoding="utf-8") as file:
            theirs = sorted(json.load(file)["variables"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    ours = sorted(str(one["name"]) for one in variables if not one.get("local"))

    def without(names: Sequence[str]) -> List[str]:
        return sorted(re.sub(r"_\d+(?=/|$)", "", name) for name in names)

    # The program's file leaves out the states of random ops.
    return theirs != ours and set(without(theirs)) <= set(without(ours)) and not set(theirs) <= set(ours)


def _with_hint(error: RunError, folder: str, variables: Sequence[Mapping[str, Any]]) -> RunError:
    """Adds what an argument of `fit` does about an error of a run's folder."""
    text = str(error)
    if "another program" in text and _differ_by_counters(folder, variables):
        text += ("\nnote: only the numbers in names differ, which Keras counts up when layers are made again: "
                 "tf.keras.backend.clear_session() before the model is made gives the names of a new process")
    if error.code == 4 and ("another program" in text or "checkpoint" in text):
        text += '\nnote: fit(start="fresh") keeps the earlier run under another name and starts over'
        if "--allow-other-program" in text:
            text += '; start="resume" continues from its weights'
    return RunError(text, error.code)


def _named(x: Any, feeds: Sequence[Mapping[str, Any]]) -> Dict[str, Array]:
    """Converts `x` to arrays of the types of an entry's feeds, by name. Raises ValueError if names do not match."""
    names = [str(feed["name"]) for feed in feeds]
    if hasattr(x, "columns") and hasattr(x, "to_numpy"):
        has_columns = all(name in x.columns for name in names)
        x = {name: x[name].to_numpy() for name in names} if has_columns else x.to_numpy()
    if not isinstance(x, Mapping):
        values = list(x) if isinstance(x, (list, tuple)) and len(names) > 1 else [x]
        if len(values) != len(names):
            raise ValueError(f"{len(values)} inputs, but the entry has {len(names)}: {', '.join(names)}")
        x = dict(zip(names, values))
    if set(x) != set(names):
        raise ValueError(f"inputs are called {', '.join(names)}, not {', '.join(map(str, x))}")
    types = {str(feed["name"]): _type_of(feed) for feed in feeds}
    return {name: text_array(x[name]) if types[name] is None else np.asarray(x[name], types[name]) for name in names}


def _type_of(feed: Mapping[str, Any]) -> Optional[str]:
    name = str(feed.get("dtype") or feed.get("type") or "").split("[")[0]
    return name if name in np.sctypeDict and name not in ("string", "str") else None


def _find_value(said: Any, name: str) -> Any:
    """Returns the first value with the key `name` in nested JSON objects; None if there is none."""
    if isinstance(said, dict):
        if name in said:
            return said[name]
        found: Tuple[Any, ...] = tuple(value for value in (_find_value(one, name) for one in said.values()) if value is not None)
        return found[0] if found else None
    return None
