# SPDX-License-Identifier: Apache-2.0
"""Random training graphs that TensorFlow makes, trained by TensorFlow's session and by Ingot.

    tensorflow_graphs.py --ingotc build/bin/ingotc --work DIR --seed 1 --count 100 [--towers 4] [--seconds 600]

Needs a Python with TensorFlow 2.13 or later (INGOT_TF_PYTHON). A program trains several towers, each with its own
pipeline, variables, loss and optimizer. Losses and variables may be further off than rounding only as far as TensorFlow's
own move where data, layers and initial variables have relative noise of 6e-8, or are off the same graph in float64. A quarter of the programs also runs with three
threads, a quarter is stopped half way and goes on, to the same bytes. What differs is reduced by leaving out layers, and
printed as the list of layers that is left. Exit code 1 where anything differs or crashes.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings

warnings.filterwarnings("ignore")
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import control_flow_ops, while_v2

import tensorflow_data_dependent  # noqa: F401 (more layers)
import tensorflow_derivatives  # noqa: F401 (more layers)
import tensorflow_keras_layers  # noqa: F401 (more layers)
import tensorflow_loops  # noqa: F401 (more layers)
from tensorflow_float64 import runFloat64
from tensorflow_layers import HEADS, LAYERS, Context
from tensorflow_optimizers import optimize
from tensorflow_queues import Runners, queued

v1 = tf.compat.v1
v1.disable_eager_execution()
v1.logging.set_verbosity(v1.logging.ERROR)

def oneByOne(function):
    """Loops that draw: where iterations overlap, TensorFlow's numbers come in the order of its executor."""
    return lambda *arguments, **named: function(*arguments, **{**named, "parallel_iterations": 1})


while_v2.while_loop = oneByOne(while_v2.while_loop)
control_flow_ops.WhileContext.__init__ = oneByOne(control_flow_ops.WhileContext.__init__)

Tower = collections.namedtuple("Tower", "seed batch examples drops shuffles input layers head optimizer extras loops queued")
STEPS = 4


def draw(seed):
    """A tower of a seed: names of layers, each with a seed of its own."""
    rng = random.Random(seed)
    batch = rng.choice([1, 2, 3, 4, 5, 8, 16, 32, 32, 33, 48])
    kind = rng.choice(["vector", "sequence", "image", "ids"])
    names = [name for name, layer in LAYERS.items() for _ in range(layer.weight)]
    layers = [(rng.choice(names), rng.getrandbits(31)) for _ in range(rng.randint(2, 9))]
    return Tower(
        seed, batch, batch * rng.randint(1, 3) + (rng.randrange(batch) if rng.random() < 0.5 else 0), rng.random() < 0.5,
        rng.random() < 0.3, (kind, rng.getrandbits(31)), layers, rng.choice(sorted(HEADS)), rng.getrandbits(31),
        rng.getrandbits(31), rng.random() < 0.5, rng.random() < 0.2,
    )  # fmt: skip


def noisy(values, noise):
    """With relative noise of a rounding error."""
    return values * (1 + 6e-8 * np.random.RandomState(noise).uniform(-1, 1, values.shape)) if noise else values


def rounded(h, noise, batch):
    """A layer's result as another order of its sums may give it, in each row otherwise."""
    if not noise:
        return h
    ulps = np.random.RandomState(noise).choice([-(2.0**-24), 0, 2.0**-23], [batch, *h.shape.as_list()[1:]])
    return h * tf.constant((1 + ulps).astype(np.float32))[: tf.shape(h)[0]]


def inputs(tower, noise):
    """Features and labels, as arrays."""
    kind, seed = tower.input
    rng = np.random.RandomState(seed % 2**31)
    shape = {
        "vector": lambda: [rng.choice([1, 2, 3, 5, 8, 16, 33])],
        "sequence": lambda: [rng.randint(1, 8), rng.choice([1, 2, 3, 4, 8, 17])],
        "image": lambda: [rng.randint(1, 9), rng.randint(1, 9), rng.choice([1, 2, 3, 4, 8])],
        "ids": lambda: [rng.randint(1, 7)],
    }[kind]()
    size = [tower.examples, *map(int, shape)]
    x = rng.randint(0, 11, size).astype(np.int32) if kind == "ids" else noisy(rng.normal(size=size), noise).astype(np.float32)
    return x, rng.randint(0, 5, tower.examples).astype(np.int32)


def dataset(x, y, tower):
    data = tf.data.Dataset.from_tensor_slices((x, y))
    if tower.shuffles:
        data = data.shuffle(7, seed=3)
    data = data.repeat().batch(tower.batch, drop_remainder=tower.drops)
    return v1.data.make_one_shot_iterator(data).get_next()


def buildTower(tower, number, noise):
    """The tower's loss and training op, in the default graph."""
    (v1.disable_control_flow_v2 if tower.loops else v1.enable_control_flow_v2)()
    x, y = inputs(tower, noise)
    with v1.variable_scope(f"tower{number}"):
        features, labels = queued(x, y, tower.batch, tower.seed) if tower.queued else dataset(x, y, tower)
        context = Context(tower, number, noise)
        h = features
        if x.dtype == np.int32:
            h = tf.gather(context.variable([11, 4]), features)
        for name, seed in tower.layers:
            context.rng = random.Random(seed)
            with v1.name_scope(name):
                changed = LAYERS[name].function(context, h)
            # A layer that does not fit, or makes too much of it, is left out.
            if changed is not None and np.prod(changed.shape.as_list()[1:]) * tower.batch <= 20000:
                h = rounded(changed, noise + context.count if noise else 0, tower.batch)
        loss = HEADS[tower.head](context, h, labels)
        return loss, optimize(context, loss, tower)


class Program:
    """Towers in one graph, and what TensorFlow makes of it."""

    def __init__(self, towers, noise=0):
        self.noise, self.graph = noise, tf.Graph()
        tf.keras.backend.clear_session()
        random.seed(7)  # Keras draws seeds.
        with self.graph.as_default():
            v1.set_random_seed(7)
            step = v1.train.get_or_create_global_step()
            parts = [buildTower(tower, i, noise) for i, tower in enumerate(towers)]
            self.losses = [loss for loss, _ in parts]
            total = tf.identity(tf.add_n(self.losses), name="total")
            trains = [train for _, train in parts]
            # What waits for an update in a branch does not run in each step, but steps are counted.
            skips = any(name == "update_in_branch" for tower in towers for name, _ in tower.layers)
            with tf.control_dependencies([total] if skips else [total, *trains]):
                self.train = v1.assign_add(step, 1).op
            self.train = tf.group(self.train, *trains) if skips else self.train
            v1.add_to_collection("train_op", self.train)
            v1.add_to_collection("loss", total)
            self.init = v1.global_variables_initializer()
            self.saver = v1.train.Saver()
            self.variables = v1.global_variables()

    def session(self):
        options = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        options.graph_options.rewrite_options.disable_meta_optimizer = True
        return v1.Session(graph=self.graph, config=options)

    def runTensorFlow(self, folder):
        """Losses of each step and variables after the last; starts from a checkpoint, with noise."""
        with self.session() as session:
            if self.noise == 0:
                session.run(self.init)
                self.saver.save(session, str(folder / "model.ckpt"), global_step=0, write_meta_graph=False)
                with self.graph.as_default():
                    self.saver.export_meta_graph(str(folder / "train.meta"))
            else:
                self.saver.restore(session, str(folder / "model.ckpt-0"))
                for number, variable in enumerate(self.variables):
                    value = session.run(variable)
                    if value.dtype == np.float32:
                        variable.load(noisy(value, 1000 * self.noise + number).astype(np.float32), session)
            losses = []
            with Runners(session) as runners:
                for _ in range(STEPS):
                    runners.fill()
                    losses.append(session.run([self.losses, self.train])[0])
            values = session.run({variable.op.name: variable for variable in self.variables})
        values.update({f"loss of tower {i}": np.array([line[i] for line in losses]) for i in range(len(self.losses))})
        return values

    def runIngot(self, options, folder, flags=()):
        """The same for a trainer; or the error that there is none."""
        command = [options.ingotc, folder / "train.meta", "-o", folder / "trainer", "--cpu=native", "--cache-dir", options.cache,
                   *[f"--observe={loss.name}" for loss in self.losses], *flags]  # fmt: skip
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            kind = "refused" if done.returncode == 3 else "crash"
            return kind, done.stderr + done.stdout
        return self.trainIngot(folder, "run")

    def runTrainer(self, folder, name, steps, threads):
        """An error, or none."""
        command = [folder / "trainer", "--model-dir", folder / name, "--init-from", folder / "model.ckpt-0", "--max-steps", steps,
                   "--losses", folder / f"{name}.losses", "--quiet", "--on-nan", "ignore", "--threads", threads]  # fmt: skip
        for loss in self.losses:
            command += ["--fetch", loss.name]
        environment = {**os.environ, "INGOT_FORCE_PARALLEL": "1"}
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, check=False, env=environment)
        return f"trainer, exit code {done.returncode}: {done.stderr}" if done.returncode != 0 else ""

    def trainIngot(self, folder, name, threads=1, stops=(STEPS,)):
        for steps in stops:
            if error := self.runTrainer(folder, name, steps, threads):
                return "crash", error
        reader = tf.train.load_checkpoint(str(folder / name / f"model.ckpt-{STEPS}"))
        values = {variable.op.name: reader.get_tensor(variable.op.name) for variable in self.variables}
        lines = [json.loads(line) for line in (folder / f"{name}.losses").read_text().splitlines()]
        for i, loss in enumerate(self.losses if len(stops) == 1 else []):
            values[f"loss of tower {i}"] = np.array([float(line[loss.name]) for line in lines])
        return "ran", values

    def runAgain(self, folder, found, seed):
        """What is not the same with more threads, or in two runs."""
        again = {"3 threads": ("threads", 3, (STEPS,)), "a run stopped half way": ("halves", 1, (STEPS // 2, STEPS))}
        for (what, (name, threads, stops)), chosen in zip(again.items(), (seed // 4 % 4 == 0, seed // 4 % 4 == 2)):
            if not chosen:
                continue
            kind, values = self.trainIngot(folder, name, threads, stops)
            if kind != "ran":
                return f"{what}: {values}"
            for key, value in values.items():
                if value.tobytes() != found[key].tobytes():
                    return f"{what}: {key}: other bytes, off by {distance(value, found[key]):.3g}"
        return ""


def distance(a, b):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
    return float(np.max(np.where(np.isnan(apart), np.inf, apart), initial=0))


def compare(found, expected, spread):
    for name in sorted(expected, key=lambda name: (not name.startswith("loss"), name)):
        if expected[name].dtype.kind not in "fi" or expected[name].shape != found[name].shape:
            if expected[name].shape != found[name].shape:
                return f"{name}: shape {found[name].shape}, not {expected[name].shape}"
            continue
        finite = np.abs(expected[name][np.isfinite(expected[name])]) if expected[name].dtype.kind == "f" else [0]
        bound = 12 * spread.get(name, 0) + 1e-5 * float(np.max(finite, initial=0)) + 1e-7
        apart = distance(found[name], expected[name])
        if apart > bound:
            return f"{name}: off by {apart:.3g}, noise moves {spread.get(name, 0):.3g}, largest {float(np.max(finite, initial=0)):.3g}"
    return ""


def trial(towers, options):
    """The outcome ("equal", "refused", "different", "crash", "TensorFlow"), and its reason."""
    folder = options.work / "trial"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        program = Program(towers)
        expected = program.runTensorFlow(folder)
    except (ValueError, TypeError, LookupError, NotImplementedError, tf.errors.OpError) as error:
        return "TensorFlow", f"{type(error).__name__}: {str(error)[:300]}"
    kind, found = program.runIngot(options, folder)
    if kind != "ran":
        return kind, found
    if told := program.runAgain(folder, found, towers[0].seed):
        return "unequal", told
    if not compare(found, expected, {}):
        return "equal", ""
    spread = collections.defaultdict(float)
    for noise in (0, 1, 2, 3):  # First without: what nobody orders may come out otherwise.
        moved = Program(towers, noise).runTensorFlow(folder)
        for name, value in expected.items():
            if value.dtype.kind == "f":
                spread[name] = max(spread[name], distance(moved[name], value))
    if not compare(found, expected, spread):
        return "close", ""
    for name, value in (runFloat64(program, folder, STEPS) or {}).items():
        if value.dtype.kind == "f":
            spread[name] = max(spread[name], distance(value, expected[name]))
    told = compare(found, expected, spread)
    return ("different", told) if told else ("close to float64", "")


def reduce(towers, kind, options, seconds):
    """One tower with as few layers as leave the kind of fault."""
    end = time.time() + seconds
    for tower in towers:
        if len(towers) > 1 and time.time() < end and trial([tower], options)[0] == kind:
            towers = [tower]
    changed = len(towers) == 1
    while changed and time.time() < end:
        changed = False
        tower = towers[0]
        candidates = [tower._replace(layers=tower.layers[:i] + tower.layers[i + 1 :]) for i in range(len(tower.layers))]
        candidates += [tower._replace(extras=0), tower._replace(head="mean"), tower._replace(optimizer=0), tower._replace(shuffles=False, queued=False)]
        for candidate in candidates:
            if candidate != tower and time.time() < end and trial([candidate], options)[0] == kind:
                towers, changed = [candidate], True
                break
    return towers


def outcomes(towers, options):
    """Yields (towers, kind, told): of all together, or of each alone if one may be what is refused, or differs."""
    kind, told = trial(towers, options)
    if len(towers) == 1 or kind not in ("refused", "TensorFlow", "different"):
        return [(towers, kind, told)]
    alone = [([tower], *trial([tower], options)) for tower in towers]
    if kind == "different" and all(other != "different" and not other.startswith("close") for _, other, _ in alone):
        return [(towers, kind, told)]
    return alone


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ingotc", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--cache", default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--towers", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--reduce", type=float, default=120)
    parser.add_argument("--show-refused", action="store_true")
    parser.add_argument("--stop-at-fault", action="store_true")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.cache = options.cache or options.work / "cache"
    counts, end, graphs = collections.Counter(), time.time() + options.seconds, 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:  # SIGINT and SIGTERM end the search with its counts.
        for seed in range(options.seed, options.seed + options.count, options.towers):
            if time.time() > end or (options.stop_at_fault and counts["different"] + counts["crash"]):
                break
            for towers, kind, told in outcomes([draw(seed + i) for i in range(options.towers)], options):
                counts[kind] += len(towers)
                graphs += len(towers)
                report(options, towers, kind, told)
    except KeyboardInterrupt:
        pass
    print(f"{graphs} graphs: " + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())), flush=True)
    return 1 if any(counts[kind] for kind in ("different", "crash", "unequal")) else 0


def report(options, towers, kind, told):
    if kind == "refused" and options.show_refused:
        print(f"seed {towers[0].seed}: refused: {told[:600]}", flush=True)
    if kind == "TensorFlow":
        print(f"seed {towers[0].seed}: not a graph: {told}", flush=True)
    if kind not in ("different", "crash", "unequal"):
        return
    print(f"seed {towers[0].seed}: {kind}: {told[:800]}", flush=True)
    if options.reduce > 0:
        smallest = reduce(towers, kind, options, options.reduce)
        print(f"  reduced: {trial(smallest, options)[1][:400]}\n  {smallest}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
