# SPDX-License-Identifier: Apache-2.0
"""Every op in every element type that TensorFlow computes it in.

The smallest case of the other suites (in cases/) that has an op of float32 is repeated in the other
types. Small floats are compared with the float32 result for the same numbers, to one rounding or to the largest
error of TensorFlow's own small floats. Integers must be equal.
"""
import io
import re

from suite import *
from tensorflow.core.framework import types_pb2
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.python.framework import kernels, op_def_registry, tensor_util

TYPES = (F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64)
SMALL = {F16: 2.0**-10, BF16: 2.0**-7}  # one unit in the last place
HOME = types_pb2.DT_FLOAT
MOST_ELEMENTS, MOST_NODES = 2048, 8
# Ops that depend on state, random numbers or the order of TensorFlow's threads are tested by their own suites only.
APART = re.compile("Random|Stateless|Resource|Variable|Assign|Apply|Scatter.*(Update|Add|Sub|Mul|Div|Min|Max)$|Iterator|Dataset|TensorList|"
                   "TensorArray|Stack[A-Z]|Summary|Print|Lookup|Table|Save|Restore|Enter|Exit|Switch|Merge|If$|While$|PartitionedCall")  # fmt: skip


# Which Ingot refuses for integers.
REFUSED = {"EuclideanNorm"}


class Donor:
    """A case of another suite: its nodes, and the numbers that it is fed."""

    def __init__(self, members, nodes, case):
        self.name, self.case = case["name"], case
        feeds = {name.split(":")[0] for name, _ in case["feeds"]}
        needed, todo = {}, [name.split(":")[0] for name, _ in case["fetches"]]
        while todo:
            name = todo.pop()
            if name not in needed:
                needed[name] = nodes[name]
                todo += [] if name in feeds else [i.lstrip("^").split(":")[0] for i in nodes[name].input]
        self.feeds = feeds
        self.nodes = [node for name, node in sorted(needed.items())]
        self.inputs = [np.load(io.BytesIO(members[key + ".npy"])) for _, key in case["feeds"]]
        self.ops = {n.op for n in self.nodes} - {"Placeholder", "Const", "Identity", "NoOp"}

    def isUsable(self):
        return ("fails" not in self.case and "times" not in self.case and all(n.op in SUPPORTED and not APART.search(n.op) for n in self.nodes)
                and len(self.ops) <= MOST_NODES and sum(x.size for x in self.inputs) <= MOST_ELEMENTS)  # fmt: skip

    def graph(self, dtype):
        """Its graph with `dtype` for float32."""
        graph = tf.compat.v1.GraphDef()
        graph.versions.producer = tf.version.GRAPH_DEF_VERSION
        to = tf.as_dtype(dtype).as_datatype_enum
        for node in self.nodes:
            copy = graph.node.add()
            copy.CopyFrom(node)
            copy.attr.pop("_output_shapes", None)
            for value in copy.attr.values():
                if value.type == HOME:
                    value.type = to
                if value.list.type:
                    value.list.type[:] = [to if t == HOME else t for t in value.list.type]
                if value.HasField("tensor") and value.tensor.dtype == HOME:
                    value.tensor.CopyFrom(tensor_util.make_tensor_proto(numbers(tensor_util.MakeNdarray(value.tensor), dtype)))
        return graph

    def build(self, dtype):
        """Builds the case from its feeds, in the current graph."""
        graph = self.graph(dtype)
        names = [name for name, _ in self.case["feeds"]]
        def function(*feeds):
            return tf.import_graph_def(graph, dict(zip(names, feeds)), [name for name, _ in self.case["fetches"]], name="t")
        return function

    def hasKernels(self, dtype):
        return all(hasKernel(node) for node in self.graph(dtype).node if node.op != "Placeholder")


def hasKernel(node):
    """Whether TensorFlow computes the node on CPUs."""
    for kernel in kernels.get_registered_kernels_for_op(node.op).kernel:
        if kernel.device_type == "CPU" and all(
                node.attr[c.name].type in c.allowed_values.list.type or (not c.allowed_values.list.type)
                or any(t in c.allowed_values.list.type for t in node.attr[c.name].list.type) for c in kernel.constraint):
            return True
    return False


def numbers(x, dtype):
    """float32 numbers in another type: of integers their eighths, of unsigned ones no signs."""
    if x.dtype != F32:
        return x
    if dtype in (F16, BF16, F32, F64):
        return x.astype(dtype)
    whole = np.clip(np.rint(np.nan_to_num(x * 8 if np.all(x == np.rint(x * 8) / 8) and not np.all(x == np.rint(x)) else x, posinf=100, neginf=-100)), -100, 100)
    return (np.abs(whole) if np.dtype(dtype).kind == "u" else whole).astype(dtype)


def computed(donor, dtype, inputs):
    """TensorFlow's results; None if it has no such op."""
    try:
        options = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        options.graph_options.rewrite_options.disable_meta_optimizer = True
        with tf.Graph().as_default(), v1.Session(config=options) as session:
            feeds = [v1.placeholder(x.dtype, x.shape) for x in inputs]
            return session.run(donor.build(dtype)(*feeds), dict(zip(feeds, inputs)))
    except (ValueError, TypeError, tf.errors.OpError):
        return None


def tolerance(results, truths, dtype):
    """How far from the truth the worst of TensorFlow's own results is, beyond one rounding: a share of the largest."""
    worst = 0.0
    for result, truth in zip(results, truths):
        if np.asarray(truth).dtype != F32:
            continue
        result, truth = np.asarray(result, F64), np.asarray(truth, F64)
        fine = np.isfinite(truth) & np.isfinite(result)
        if fine.any() and np.abs(truth[fine]).max() > 0:
            off = np.abs(result - truth)[fine] - SMALL[dtype] * np.abs(truth[fine])
            worst = max(worst, off.max() / np.abs(truth[fine]).max())
    return worst


SUPPORTED = set(re.findall(r"^\| (\w+) \|", (HERE.parents[1] / "docs/ops.md").read_text().split("## Supported")[1].split("\n## ")[0], re.MULTILINE))


def donors():
    """For each op the smallest case that has it."""
    best = {}
    for suite in parts.suitesIn(HERE / "cases"):
        if suite.startswith("type_"):
            continue
        members = dict(parts.membersOf(HERE / "cases", suite))
        meta = meta_graph_pb2.MetaGraphDef.FromString(members["graph.meta"])
        if meta.graph_def.library.function:
            continue
        nodes = {node.name: node for node in meta.graph_def.node}
        for case in json.loads(members["cases.json"]):
            donor = Donor(members, nodes, case)
            if not donor.isUsable():
                continue
            for node in donor.nodes:
                if node.op in donor.ops and any(v.type == HOME for v in node.attr.values()):
                    weight = (len(donor.ops), len(donor.nodes), sum(x.size for x in donor.inputs) < 4, sum(x.size for x in donor.inputs), donor.name)
                    if node.op not in best or weight < best[node.op][0]:
                        best[node.op] = weight, donor
    return {op: donor for op, (_, donor) in sorted(best.items())}


def nearest(truth, result, dtype):
    """The truth in a small type; what does not fit there is as TensorFlow has it."""
    if np.asarray(truth).dtype != F32:
        return truth
    with np.errstate(over="ignore"):
        rounded = np.asarray(truth).astype(dtype)
    fits = np.isfinite(truth) & np.isfinite(rounded)
    return np.where(fits, rounded, result).astype(dtype)


def isClear(results, truths):
    """Whether what is no float is the same in both: what rounding decides is not compared."""
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(results, truths) if np.asarray(b).dtype != F32)


def makeType(dtype, found):
    suite = Suite("type_" + short(dtype))
    done = set()
    for op, donor in found.items():
        if donor.name in done or not donor.hasKernels(dtype) or (op in REFUSED and dtype not in (F16, BF16, F64)):
            continue
        inputs = [numbers(x, dtype) for x in donor.inputs]
        results = computed(donor, dtype, inputs)
        if results is None or not any(np.asarray(r).dtype == np.dtype(dtype) for r in list(results) + inputs):
            continue
        done.add(donor.name)
        near, expected = {}, None
        if dtype in SMALL:
            truths = computed(donor, F32, [x.astype(F32) if x.dtype == np.dtype(dtype) else x for x in inputs])
            if not isClear(results, truths):
                continue
            expected = [nearest(t, r, dtype) for t, r in zip(truths, results)]
            off = tolerance(results, truths, dtype)
            isExact = all(np.array_equal(np.asarray(a, F64), np.asarray(b, F64), equal_nan=True) for a, b in zip(results, expected))
            near = {} if isExact and off <= 0 and donor.case["rtol"] == 0 else dict(rtol=SMALL[dtype], atol=max(off, 0.0))
        elif dtype is F64 and (donor.case["rtol"] or donor.case["atol"]):
            near = dict(rtol=1e-13, atol=1e-14)
        suite.case(f"{op}_{donor.name}"[:100], donor.build(dtype), *inputs, expected=expected, anyZero=True, **near)
    suite.write()


def every_type():
    found = donors()
    for dtype in TYPES:
        makeType(dtype, found)


SUITES = [every_type]
