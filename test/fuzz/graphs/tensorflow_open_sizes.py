# SPDX-License-Identifier: Apache-2.0
"""Random graphs whose placeholders have open sizes, fed many sizes, in TensorFlow's session and in a trainer.

    tensorflow_open_sizes.py --ingotc build/bin/ingotc --runtime build/test/values/runtime --work DIR --seed 1 --count 100 [--feeds 30]

Needs a Python with TensorFlow 2.15 (INGOT_TF_PYTHON). A graph is compiled once, as an entry that is fed. It is drawn by
running it: each op succeeds in TensorFlow with the sizes of one run, and all but two with those of a second one, so that
sizes that look alike in a run meet in one op and are not equal in others. Then TensorFlow and the trainer run it with the
same feeds: 0, 1, small and large sizes, equal ones, and sizes next to those that fit. For each feed both fail, or both
give the same shapes and values. Values may differ further than rounding only as far as TensorFlow's own move where feeds
and variables have relative noise of 6e-8. What differs is reduced by leaving out outputs, gradients and ops, and printed
as a recipe, which --replay FILE runs again, and as TensorFlow's nodes. Exit code 1 where anything differs or crashes.
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
import traceback

if "MALLOC_PERTURB_" not in os.environ:  # Memory that nothing was written to holds no zeros, here and in trainers.
    os.environ["MALLOC_PERTURB_"] = "165"
    os.execv(sys.executable, [sys.executable, *sys.argv] if sys.flags.dont_write_bytecode == 0 else [sys.executable, "-B", *sys.argv])

from tensorflow_graphs import compare, distance, noisy  # First: how TensorFlow is imported.

import numpy as np
import tensorflow as tf

import tensorflow_size_layers  # noqa: F401 (more ops)
from tensorflow_size_ops import SIZE_OPS, rank

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "values"))
from run_refusals import CHANGED
from run_values import splitResults

v1 = tf.compat.v1
Input = collections.namedtuple("Input", "name kind dims")  # a dimension is a size or the letter of an open one
Node = collections.namedtuple("Node", "op operands seed")
Recipe = collections.namedtuple("Recipe", "seed inputs nodes outputs trains")
Feed = collections.namedtuple("Feed", "seed sizes changed")  # `changed`: an input, its axis and what is added there
LETTERS = "abc"
SIZES = [0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17]
LARGEST = 2500  # elements of a tensor, in the first run
LARGEST_SIZE = 40
# Parts of errors for feeds of size 0 that one of the two takes, and why that is left so.
KNOWN = (
    "Expected dimension 0 for label",  # TensorFlow's Einsum takes a size of 0 for one that it has yet to see.
    "Indices and updates specified for empty output shape",  # Nothing is scattered into nothing.
    "0 was not less than 0",  # The gradient of a symmetric pad of nothing is nothing.
)
FAULTS = ("different", "refused what TensorFlow takes", "took what TensorFlow refuses", "crash", "compiler crash")


class Context:
    """What an op may ask for, besides its operands."""

    def __init__(self, node, number):
        self.rng, self.number, self.count = random.Random(node.seed), number, 0
        self.values = np.random.RandomState(node.seed % 2**31)

    def variable(self, shape):
        self.count += 1
        value = self.values.normal(size=shape, scale=0.5).astype(np.float32)
        return v1.get_variable(f"w{self.number}_{self.count}", initializer=value, use_resource=True)


def placeholder(spec):
    shape = [size if isinstance(size, int) else None for size in spec.dims]
    return v1.placeholder(tf.float32 if spec.kind == "f" else tf.int32, shape, spec.name)


def kindOf(tensor):
    """"f", "s" or "i", and the rank; None for tensors that no op takes."""
    if tensor.shape.rank is None or tensor.shape.rank > 4:
        return None
    if tensor.dtype == tf.float32 and rank(tensor) > 0:
        return "f", rank(tensor)
    return {0: ("s", 0), 1: ("i", 1)}.get(rank(tensor)) if tensor.dtype == tf.int32 else None


def apply(node, number, tensors):
    """The op's result; None where the op does not take these operands."""
    operands = [tensors[i] for i in node.operands]
    if any(operand is None for operand in operands):
        return None
    with v1.name_scope(f"n{number}_{node.op}"):
        found = SIZE_OPS[node.op].function(Context(node, number), *operands)
        return None if found is None else tf.identity(found)


def arrays(recipe, feed):
    """What the placeholders are fed."""
    noise, found = np.random.RandomState(feed.seed % 2**31), {}
    for spec in recipe.inputs:
        shape = [size if isinstance(size, int) else feed.sizes[size] for size in spec.dims]
        if feed.changed and feed.changed[0] == spec.name:
            shape[feed.changed[1]] = max(0, shape[feed.changed[1]] + feed.changed[2])
        value = noise.normal(size=shape) if spec.kind == "f" else noise.randint(0, 5, shape)
        found[spec.name + ":0"] = np.asarray(value, np.float32 if spec.kind == "f" else np.int32)
    return found


def session(graph):
    options = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    options.graph_options.rewrite_options.disable_meta_optimizer = True
    options.graph_options.optimizer_options.opt_level = -1
    return v1.Session(graph=graph, config=options)


# Drawing a graph.


def drawInputs(rng):
    letters = lambda count: tuple(rng.choice(LETTERS) for _ in range(count))
    more = [
        Input("image", "f", (rng.choice([1, "a", "b"]), *letters(2), rng.choice([1, 2, 3, "c"]))), Input("batch", "f", letters(3)),
        Input("ids", "i", letters(1)), Input("k", "s", ()), Input("u", "f", letters(1)), Input("z", "f", (rng.choice(LETTERS), rng.choice([2, 3, 4]))),
    ]  # fmt: skip
    return [Input("x", "f", letters(2)), Input("y", "f", letters(2)), Input("v", "f", letters(1))] + rng.sample(more, rng.randint(1, 4))


def drawFeed(rng, first=None):
    """Sizes at random; or like those of the first run, but for one or two."""
    sizes = {letter: rng.choice(SIZES) for letter in LETTERS}
    if first:
        kind, letter, other = rng.randrange(6), rng.choice(LETTERS), rng.choice(LETTERS)
        if kind < 4:
            sizes = dict(first)
        if kind == 0:
            sizes[letter] = rng.choice(SIZES)
        elif kind <= 2:
            sizes[letter] = max(0, sizes[letter] + rng.choice([-2, -1, 1, 2, 4]))
        elif kind == 3:
            sizes[letter] = sizes[other]
        elif kind == 4:
            sizes = dict.fromkeys(LETTERS, sizes["a"])
            sizes[letter] = max(0, sizes[letter] + rng.choice([-1, 0, 0, 1]))
    return Feed(rng.getrandbits(31), sizes, None)


def drawFeeds(recipe, firsts, count):
    """Those that the graph was drawn with, and others; a few change one dimension of one placeholder."""
    rng, feeds = random.Random(recipe.seed + 1), list(firsts)
    dims = [(spec.name, axis) for spec in recipe.inputs for axis, size in enumerate(spec.dims) if not isinstance(size, int)]
    while len(feeds) < count:
        feed = drawFeed(rng, rng.choice(firsts).sizes)
        feeds.append(feed._replace(changed=(*rng.choice(dims), rng.choice([-1, 1, 2]))) if rng.random() < 0.2 else feed)
    return feeds


def drawNode(rng, tensors, values):
    """An op, and operands of its kinds whose shapes fit in the first run; None where there are none."""
    name = rng.choices(list(SIZE_OPS), [some.weight for some in SIZE_OPS.values()])[0]
    kinds, fits = SIZE_OPS[name].kinds, SIZE_OPS[name].fits
    found = [[i for i, tensor in enumerate(tensors) if kindOf(tensor)[0] == kind[0] and kind[1:] in ("", str(rank(tensor)))] for kind in kinds]
    if not all(found):
        return None
    for _ in range(20):  # The newest tensors more often.
        operands = tuple(some[max(rng.randrange(len(some)), rng.randrange(len(some)))] for some in found)
        isTwice = len(kinds) > 1 and len(set(operands)) == 1 and rng.random() < 0.9
        if not isTwice and fits(*[values[i].shape for i in operands]):
            return Node(name, operands, rng.getrandbits(31))
    return None


class Sketch:
    """A graph that grows by ops which succeed in a run of TensorFlow; `second` is another run, with what succeeds there."""

    def __init__(self, recipe, firsts):
        self.recipe, self.graph, self.risks = recipe, tf.Graph(), 2
        with self.graph.as_default():
            self.tensors = [placeholder(spec) for spec in recipe.inputs]
        self.session = session(self.graph)
        self.feeds = [arrays(recipe, feed) for feed in firsts]
        self.values = [self.feeds[0][tensor.name] for tensor in self.tensors]
        self.second = [True] * len(self.tensors)  # Of those that no longer succeed there, False.

    def evaluate(self, tensor, feed, variables):
        try:
            self.session.run([variable.initializer for variable in variables])
            return self.session.run(tensor, feed)
        except tf.errors.OpError:
            return None

    def add(self, node):
        """Adds the node to the recipe if it succeeds, and is not too large."""
        with self.graph.as_default():
            before = len(v1.global_variables())
            try:
                tensor = apply(node, len(self.recipe.nodes), self.tensors)
            except (ValueError, TypeError, tf.errors.OpError):
                return
            if tensor is None or kindOf(tensor) is None:
                return
            variables = v1.global_variables()[before:]
        value = self.evaluate(tensor, self.feeds[0], variables)
        if value is None or value.size > LARGEST or max(value.shape, default=0) > LARGEST_SIZE:
            return
        if value.dtype == np.int32 and value.size and np.max(np.abs(value)) > LARGEST_SIZE:
            return
        isSecond = all(self.second[i] for i in node.operands) and self.evaluate(tensor, self.feeds[1], variables) is not None
        if all(self.second[i] for i in node.operands) and not isSecond:
            if self.risks == 0:
                return
            self.risks -= 1
        self.recipe.nodes.append(node)
        self.tensors.append(tensor)
        self.values.append(value)
        self.second.append(isSecond)


def draw(seed):
    """A recipe, and the two feeds with which it was drawn."""
    rng = random.Random(seed)
    recipe = Recipe(seed, drawInputs(rng), [], [], rng.random() < 0.6)
    # In the first run sizes are 2 or more, and often equal or next to each other.
    some = rng.choice([2, 3, 4, 5, 6, 7, 8])
    sizes = {letter: max(2, some + rng.choice([0, 0, 0, 1, -1, 2, 5])) for letter in LETTERS}
    firsts = [Feed(rng.getrandbits(31), sizes, None), Feed(rng.getrandbits(31), dict(zip(LETTERS, rng.sample([3, 4, 5, 6, 7, 8, 9, 11], 3))), None)]
    setControlFlow(recipe)
    sketch, wanted = Sketch(recipe, firsts), rng.randint(5, 18)
    for _ in range(60):
        node = drawNode(rng, sketch.tensors, sketch.values)
        if node and len(recipe.nodes) < wanted:
            sketch.add(node)
    inputs = len(recipe.inputs)
    used = {i for node in recipe.nodes for i in node.operands}
    ends = [i for i in range(inputs, len(sketch.tensors)) if i not in used or rng.random() < 0.15]
    # Where one output fails, so does the run, and says nothing of the others. What may fail comes first.
    rng.shuffle(ends)
    ends.sort(key=lambda i: sketch.second[i])
    return pruned(recipe._replace(outputs=ends[: rng.choice([1, 1, 2, 3])] or [0])), firsts


def setControlFlow(recipe):
    """Half of the graphs have TensorFlow 1's loops and branches."""
    (v1.disable_control_flow_v2 if recipe.seed % 2 else v1.enable_control_flow_v2)()


# Running it.


class Program:
    """A recipe as TensorFlow's graph."""

    def __init__(self, recipe):
        self.recipe, self.graph = recipe, tf.Graph()
        setControlFlow(recipe)
        with self.graph.as_default():
            self.tensors = [placeholder(spec) for spec in recipe.inputs]
            for number, node in enumerate(recipe.nodes):
                self.tensors.append(None if node is None else apply(node, number, self.tensors))
            chosen = [self.tensors[i] for i in recipe.outputs]
            if any(tensor is None for tensor in chosen):
                raise ValueError("an output is left out")
            self.fetches = [tf.identity(tensor, f"out{i}") for i, tensor in enumerate(chosen)]
            if recipe.trains:
                self.addStep(chosen)
            self.variables = v1.global_variables()
            self.init = v1.global_variables_initializer()

    def addStep(self, chosen):
        """Gradients of a loss by variables and placeholders, and an update of the variables."""
        floats = [tensor for tensor in chosen if tensor.dtype == tf.float32]
        if not floats:
            return
        # Whose derivative is a quotient, and no difference of numbers near 1.
        loss = tf.add_n([tf.reduce_sum(tf.nn.softsign(tensor)) for tensor in floats])
        variables = v1.trainable_variables()
        sources = variables + [tensor for tensor, spec in zip(self.tensors, self.recipe.inputs) if spec.kind == "f"]
        try:
            found = [None if g is None else tf.convert_to_tensor(g) for g in tf.gradients(loss, sources)]
        except (LookupError, ValueError, NotImplementedError):  # An op without a gradient.
            return
        self.fetches.append(tf.identity(loss, "loss"))
        self.fetches += [tf.identity(g, f"gradient{i}") for i, g in enumerate(found) if g is not None]
        with tf.control_dependencies(self.fetches):
            updates = [w.assign_sub(0.1 * g, read_value=False) for w, g in zip(variables, found) if g is not None]
        with tf.control_dependencies(updates):
            self.fetches += [tf.identity(w.read_value(), f"updated{i}") for i, w in enumerate(variables)] if updates else []

    def runTensorFlow(self, session, values, noise=0):
        """All fetches by name, or an error's text."""
        session.run(self.init)
        if noise:
            for number, variable in enumerate(self.variables):
                variable.load(noisy(session.run(variable), 1000 * noise + number).astype(np.float32), session)
            values = {name: noisy(value, noise + i).astype(value.dtype) if value.dtype == np.float32 else value
                      for i, (name, value) in enumerate(values.items())}  # fmt: skip
        try:
            found = session.run(self.fetches, values)
        except tf.errors.OpError as error:
            return (error.__context__ or error).message.split("\n")[0] if hasattr(error.__context__ or error, "message") else str(error)
        return {tensor.name: np.asarray(value) for tensor, value in zip(self.fetches, found)}

    def compile(self, options, folder):
        """"compiled", "refused" or "compiler crash", and what the compiler says."""
        with self.graph.as_default():
            v1.train.export_meta_graph(str(folder / "graph.meta"))
        entry = f"--entry=fuzz={','.join(t.name for t in self.tensors[:len(self.recipe.inputs)])}->{','.join(t.name for t in self.fetches)}"
        command = [options.ingotc, folder / "graph.meta", "-o", folder / "trainer", "--cpu=native", "--runtime-dir", options.runtime,
                   "--cache-dir", options.cache, entry, *options.flags]  # fmt: skip
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=200, check=False)
        kind = {0: "compiled", 3: "refused"}.get(done.returncode, "compiler crash")
        return kind, done.stderr + done.stdout

    def runTrainer(self, folder, feeds):
        """For each feed the exit code, what was said and the fetches; one process forks for all (RunCases.cpp)."""
        lines = []
        for number, values in enumerate(feeds):
            line = ["run", "fuzz", "--quiet", "--threads", "1"]
            for i, (name, value) in enumerate(values.items()):
                np.save(folder / f"feed-{number}-{i}.npy", value)
                line += ["--feed", f"{name}=@{folder}/feed-{number}-{i}.npy"]
            for i, tensor in enumerate(self.fetches):
                line += ["--fetch", f"{tensor.name}=@{folder}/found-{number}-{i}.npy"]
            lines.append("\t".join(line) + "\n")
        (folder / "lines").write_text("".join(lines))
        done = subprocess.run([folder / "trainer", folder / "lines"], capture_output=True, timeout=600, check=True)
        for number, (code, said) in enumerate(splitResults(done.stdout, len(feeds))):
            names = enumerate(self.fetches) if code == 0 else []
            yield code, said, {tensor.name: np.load(folder / f"found-{number}-{i}.npy") for i, tensor in names}


def difference(found, expected, spread):
    """How results differ, in words; nothing where they do not."""
    for name, value in expected.items():
        if found[name].shape != value.shape:
            return f"{name}: shape {list(found[name].shape)}, not {list(value.shape)}"
        if value.dtype.kind != "f" and not np.array_equal(found[name], value) and spread.get(name, 0) < 1:
            return f"{name}: {found[name].reshape(-1)[:6]}, not {value.reshape(-1)[:6]}"
    return compare(found, expected, spread)


def isUnwritten(value):
    """Whether TensorFlow gives out memory that it has not written to."""
    pattern = int.from_bytes(bytes([165 ^ 255]) * 4, "little")
    return value.dtype == np.float32 and bool(np.any(np.ascontiguousarray(value).view(np.uint32) == pattern))


def judge(program, session, values, expected, code, said, found):
    """The outcome of a feed: a kind, and why."""
    if code not in (0, 1) or CHANGED in said:
        return "crash", f"exit code {code}: {said.strip()[-600:]}"
    error = expected if isinstance(expected, str) else said
    if (code == 1) != isinstance(expected, str) and any(words in error for words in KNOWN):
        return "known", error
    if isinstance(expected, str):
        return ("both fail", expected) if code == 1 else ("took what TensorFlow refuses", f"TensorFlow: {expected[:300]}")
    if code == 1:
        return "refused what TensorFlow takes", said.strip()[-600:]
    if not difference(found, expected, {}):
        return "equal", ""
    if any(isUnwritten(value) for value in expected.values()):
        return "undefined in TensorFlow", ""
    # What is left of a difference of large numbers is their rounding.
    largest = max((distance(value[np.isfinite(value)], 0) for value in expected.values() if value.dtype.kind == "f"), default=0)
    spread = collections.defaultdict(lambda: 3e-7 * max(1, largest))
    for noise in (1, 2, 3):
        moved = program.runTensorFlow(session, values, noise)
        if isinstance(moved, str):
            return "close", "noise decides whether it fails"
        for name, value in moved.items():
            if value.shape != expected[name].shape:
                return "close", "noise changes sizes"
            # Sums of thousands of numbers move with their order.
            order = 3e-6 * distance(expected[name][np.isfinite(expected[name])], 0) if value.dtype.kind == "f" else 0
            spread[name] = max(spread[name], distance(value, expected[name]), order)
    told = difference(found, expected, spread)
    return ("different", told) if told else ("close", "")


def trial(recipe, feeds, options, folder):
    """The outcome of each feed, as (kind, why); of a recipe that is not compiled, one."""
    try:
        program = Program(recipe)
    except (ValueError, TypeError, LookupError, tf.errors.OpError) as error:
        return [("not a graph", f"{type(error).__name__}: {str(error)[:300]}")]
    kind, said = program.compile(options, folder)
    if kind != "compiled":
        return [(kind, said)]
    fed = [arrays(recipe, feed) for feed in feeds]
    outcomes = []
    with session(program.graph) as running:
        for number, (values, (code, said, found)) in enumerate(zip(fed, program.runTrainer(folder, fed))):
            (folder / "running").write_text(str(number))
            expected = program.runTensorFlow(running, values)
            outcomes.append(judge(program, running, values, expected, code, said, found))
    return outcomes


def inChild(folder, function, seconds=300):
    """What a function returns in a process of its own, as Python's literals; or how the process ended.

    TensorFlow's kernels may end the process, and no process that has run a session can be forked.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(seconds)
            (folder / "result").write_text(repr(function()))
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    _, status = os.waitpid(child, 0)
    if status == 0:
        names = {"Input": Input, "Node": Node, "Recipe": Recipe, "Feed": Feed}
        return eval((folder / "result").read_text(), names)
    return f"ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "failed"


def tried(recipe, feeds, options):
    """The outcomes, by feed. A feed that ends TensorFlow's process is left out."""
    folder, outcomes = options.work / "trial", {}
    left = list(range(len(feeds)))
    for _ in range(4):
        found = inChild(folder, lambda: trial(recipe, [feeds[i] for i in left], options, folder))
        if not isinstance(found, str):
            return outcomes | (dict(zip(left, found)) if len(found) == len(left) else {left[0]: found[0]})
        running = folder / "running"
        if not running.exists():
            return {0: ("no result", found)}
        outcomes[left.pop(int(running.read_text()))] = ("TensorFlow's process", found)
    return outcomes


# Reducing it.


def pruned(recipe):
    """Without nodes that no output needs; their numbers stay."""
    needed, stack = set(), list(recipe.outputs)
    while stack:
        i = stack.pop()
        if i not in needed:
            needed.add(i)
            node = recipe.nodes[i - len(recipe.inputs)] if i >= len(recipe.inputs) else None
            stack += node.operands if node else []
    nodes = [node if i + len(recipe.inputs) in needed else None for i, node in enumerate(recipe.nodes)]
    return recipe._replace(nodes=nodes)


def replaced(recipe, old, new):
    """With one tensor in place of another."""
    swap = lambda i: new if i == old else i
    nodes = [node and node._replace(operands=tuple(map(swap, node.operands))) for node in recipe.nodes]
    return pruned(recipe._replace(nodes=nodes, outputs=[swap(i) for i in recipe.outputs]))


def smaller(recipe):
    """Recipes with less: no gradients, one output, an operand in place of a result, another input in place of an operand."""
    if recipe.trains:
        yield recipe._replace(trains=False)
    for output in recipe.outputs if len(recipe.outputs) > 1 else []:
        yield pruned(recipe._replace(outputs=[output]))
    for output in recipe.outputs if len(recipe.outputs) > 1 else []:
        yield pruned(recipe._replace(outputs=[other for other in recipe.outputs if other != output]))
    for i, node in reversed(list(enumerate(recipe.nodes))):
        number = i + len(recipe.inputs)
        if node and recipe.outputs == [number]:
            yield from (pruned(recipe._replace(outputs=[operand])) for operand in node.operands if operand >= len(recipe.inputs))
        elif node:
            yield from (replaced(recipe, number, other) for other in dict.fromkeys([*node.operands, *range(len(recipe.inputs))]))


def reduce(recipe, feed, kind, options, seconds):
    """As few nodes as leave the kind of fault with one feed."""
    end, isSmaller = time.time() + seconds, True
    isBad = lambda some: tried(some, [feed], options)[0][0] == kind
    while isSmaller and time.time() < end:
        isSmaller = False
        for candidate in smaller(recipe):
            if time.time() > end:
                break
            if candidate != recipe and isBad(candidate):
                recipe, isSmaller = candidate, True
                break
    return recipe


KEPT = ("strides", "padding", "ksize", "axis", "transpose_a", "transpose_b", "adj_x", "adj_y", "keep_dims", "full_matrices", "begin_mask",
        "end_mask", "shrink_axis_mask", "new_axis_mask", "ellipsis_mask", "mode", "equation", "dilations")  # fmt: skip


def described(recipe):
    """TensorFlow's nodes, a line each, without constants, identities and gradients."""
    program, names, needed = Program(recipe), {}, set()
    stack = [tensor.op for tensor in program.fetches]
    while stack:
        operation = stack.pop()
        if operation not in needed:
            needed.add(operation)
            stack += [tensor.op for tensor in operation.inputs]
    lines = []
    for operation in program.graph.get_operations():
        if operation not in needed or operation.name.startswith("gradients/"):
            continue
        inputs = [names.get(tensor.name, "gradient") for tensor in operation.inputs]
        own = f"t{len(lines)}" if operation.type != "Placeholder" else operation.name
        if operation.type == "Const":
            own = str(tf.make_ndarray(operation.get_attr("value")).tolist())[:60]
        elif operation.type == "Identity":
            own = inputs[0]
        else:
            kept = {key: value for key in KEPT if key in operation.node_def.attr and (value := operation.get_attr(key))}
            shapes = " ".join(str(tensor.shape) for tensor in operation.outputs)
            lines.append(f"    {own} = {operation.type}({', '.join(inputs)}) {kept or ''} {shapes}")
        names.update({tensor.name: own + (f".{i}" if i else "") for i, tensor in enumerate(operation.outputs)})
    lines.append(f"    fetched: {', '.join(names[t.name] for t in program.fetches[:len(recipe.outputs)])}" + (", gradients" if recipe.trains else ""))
    return "\n".join(lines)


def report(options, recipe, feeds, outcomes):
    """Prints the first fault of each kind, reduced."""
    seen = set()
    for number, (kind, told) in sorted(outcomes.items()):
        if kind == "refused" and options.show_refused or kind in ("no result", "not a graph") or kind == "TensorFlow's process" and options.show_refused:
            print(f"seed {recipe.seed}: {kind}: {told[:600]}", flush=True)
        if kind not in FAULTS or kind in seen:
            continue
        seen.add(kind)
        print(f"seed {recipe.seed}: {kind}: {told[:800]}\n  {feeds[number]}", flush=True)
        smallest = reduce(pruned(recipe), feeds[number], kind, options, options.reduce) if options.reduce > 0 else pruned(recipe)
        again = tried(smallest, [feeds[number]], options)[0][1]
        text = inChild(options.work / "text", lambda: described(smallest))
        path = options.work / f"found-{recipe.seed}-{kind.split()[0]}"
        path.write_text(f"{smallest!r}\n{feeds[number]!r}\n")
        print(f"  reduced: {again[:600]}\n  {path}: {smallest}\n{text}", flush=True)


def replay(path, options):
    names = {"Input": Input, "Node": Node, "Recipe": Recipe, "Feed": Feed}
    recipe, feed = (eval(line, names) for line in path.read_text().splitlines()[:2])
    (kind, told), = tried(recipe, [feed], options).values()
    print(f"{kind}: {told}\n{inChild(options.work / 'text', lambda: described(recipe))}")
    return 1 if kind in FAULTS else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ingotc", required=True)
    parser.add_argument("--runtime", type=pathlib.Path, required=True, help="the runtime with the main() of RunCases.cpp")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--cache", default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--feeds", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--reduce", type=float, default=120)
    parser.add_argument("--show-refused", action="store_true")
    parser.add_argument("--replay", type=pathlib.Path)
    parser.add_argument("--flags", nargs="*", default=[], help="of ingotc")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.cache = options.cache or options.work / "cache"
    if options.replay:
        return replay(options.replay, options)
    counts, end, graphs = collections.Counter(), time.time() + options.seconds, 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:  # SIGINT and SIGTERM end the search with its counts.
        for seed in range(options.seed, options.seed + options.count):
            if time.time() > end:
                break
            drawn = inChild(options.work / "draw", lambda: draw(seed))
            graphs += 1
            if isinstance(drawn, str):
                counts["not drawn"] += 1
                continue
            recipe, firsts = drawn
            feeds = drawFeeds(recipe, firsts, options.feeds)
            outcomes = tried(recipe, feeds, options)
            counts.update(kind for kind, _ in outcomes.values())
            report(options, recipe, feeds, outcomes)
    except KeyboardInterrupt:
        pass
    print(f"{graphs} graphs: " + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())), flush=True)
    return 1 if any(counts[kind] for kind in FAULTS) else 0


if __name__ == "__main__":
    sys.exit(main())
