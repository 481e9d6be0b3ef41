# SPDX-License-Identifier: Apache-2.0
"""The parts of value suites: numbers, and cases in one graph (make_values.py)."""
import io
import json
import os
import pathlib
import tempfile

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import parts
import tensorflow as tf

raw = tf.raw_ops
v1 = tf.compat.v1
HERE = pathlib.Path(__file__).resolve().parent
F32, F64, I32, I64, BOOL = np.float32, np.float64, np.int32, np.int64, np.bool_
F16, BF16 = np.float16, tf.bfloat16.as_numpy_dtype
I8, I16, U8, U16, U32, U64 = np.int8, np.int16, np.uint8, np.uint16, np.uint32, np.uint64
FLOATS, INTS = (F32, F64), (I32, I64)
rng = np.random.RandomState(20170917)

# Polynomials stand for exp, log and tanh in float32; libm in float64.
POLYNOMIAL = {F32: 2e-6, F64: 1e-14}
ROUNDING = {F32: 1e-6, F64: 1e-14}


def eighths(shape, dtype=F32, low=-16, high=16):
    """Numbers whose sums of products are exact in float32."""
    values = rng.randint(low, high + 1, size=shape)
    return np.asarray(values, dtype) if dtype in INTS else np.asarray(values / 8, dtype)


def normal(shape, dtype=F32):
    return np.asarray(rng.normal(size=shape), dtype)


def bools(shape):
    return np.asarray(rng.randint(0, 2, size=shape), BOOL)


def values(shape, dtype):
    return bools(shape) if dtype is BOOL else eighths(shape, dtype)


def short(dtype):
    if dtype is BF16:
        return "bf16"
    return "i1" if dtype is BOOL else np.dtype(dtype).str[1] + str(8 * np.dtype(dtype).itemsize)


def text(shape):
    return "x".join(map(str, shape)) or "scalar"


SPECIAL = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0, 0.5, -3.0,
           1e-30, -1e30]  # fmt: skip


# The collection of initializers of variables that are not in TensorFlow's own collections.
INITIALIZERS = "value_test_initializers"


class Fixed(np.ndarray):
    """A feed that keeps its size where those of others are dynamic (dynamic_shapes.py)."""


def fixed(value):
    return value.view(Fixed)


def fileOf(value):
    """The bytes of a .npy file."""
    content = io.BytesIO()
    np.lib.format.write_array(content, value, version=(1, 0))
    return content.getvalue()


class Suite:
    """Cases that are compiled together, in one graph."""

    def __init__(self, name):
        self.name, self.cases, self.arrays, self.keys = name, [], {}, {}
        self.graph = tf.Graph()
        self.pending, self.files = [], {}

    def case(self, name, function, *inputs, rtol=0.0, atol=0.0, anyZero=False, expected=None, times=1, fails=None, terms=None):
        """`function` of placeholders as `inputs`. `atol` is a share of the largest result;
        `anyZero` says that TensorFlow's own vectors and scalars disagree on a zero's sign;
        `expected` are results that were computed elsewhere; `times` that the case runs so often in
        one session, and the last run's results count; `fails` is what is said where the run fails;
        `terms` are, of each result, the number of products that an element adds up and the sums of their
        magnitudes: what is known of the result in whatever order they are added (run_values.py)."""
        assert name not in [c["name"] for c in self.cases], name
        with self.graph.as_default(), v1.name_scope(name + "/"):
            feeds = [v1.placeholder(x.dtype, x.shape, name=f"{'fixed' if isinstance(x, Fixed) else 'x'}{i}")
                     for i, x in enumerate(inputs)]  # fmt: skip
            results = function(*feeds)
        if isinstance(results, tf.Tensor):
            results = [results]
        self.pending.append((dict(zip(feeds, inputs)), list(results), expected, times))
        more = {"times": times} if times > 1 else {}
        if fails is not None:
            more["fails"] = fails
        if terms is not None:
            more["terms"] = [[count, self.store(f"{name}.m{i}", magnitudes)] for i, (count, magnitudes) in enumerate(terms)]
        self.cases.append({"name": name, **more, "rtol": rtol, "atol": atol, "anyZero": anyZero,
            "feeds": [[t.name, f"{name}.x{i}"] for i, t in enumerate(feeds)],
            "fetches": [[t.name, f"{name}.y{i}"] for i, t in enumerate(results)]})  # fmt: skip

    def file(self, name, content):
        """A file of bytes that the graph reads by its relative name."""
        self.files[name] = content
        return name

    def store(self, key, value):
        """Equal arrays are stored once."""
        identity = (value.dtype.str, value.shape, value.tobytes())
        key = self.keys.setdefault(identity, key)
        self.arrays[key] = value
        return key

    def write(self):
        options = v1.ConfigProto()
        options.graph_options.optimizer_options.opt_level = -1
        options.graph_options.rewrite_options.disable_meta_optimizer = True
        options.graph_options.place_pruned_graph = True  # a case with `expected` may have no kernel
        with tempfile.TemporaryDirectory() as folder, v1.Session(graph=self.graph, config=options) as session:
            os.chdir(folder)
            for name, content in self.files.items():
                pathlib.Path(name).write_bytes(content)
            with self.graph.as_default():
                init = v1.group(v1.variables_initializer(v1.global_variables(), "init_variables"),
                                *v1.get_collection(INITIALIZERS), name="init")  # fmt: skip
                v1.add_to_collection("init_op", init)
            for case, (feeds, fetches, expected, times) in zip(self.cases, self.pending):
                results = expected
                if expected is None:
                    session.run(init)
                    try:
                        for _ in range(times):
                            results = session.run(fetches, feeds)
                        assert "fails" not in case, case["name"]
                    except tf.errors.OpError as error:
                        assert case.get("fails", "\0") in error.message, error.message
                        results = []
                for side, found in (("feeds", feeds.values()), ("fetches", results)):
                    for pair, value in zip(case[side], found):
                        value = np.asarray(value)
                        if value.dtype == np.uint64 and "KeyCounter" in pair[0]:
                            value = value.view(I64)  # Ingot's keys and counters are int64
                        if value.dtype == BF16:  # which NumPy's files do not know
                            value = value.astype(F32)
                        pair[1] = self.store(pair[1], value)
        with self.graph.as_default():
            meta = v1.train.export_meta_graph(clear_devices=True)
        meta.meta_info_def.ClearField("stripped_op_list")
        lines = ",\n".join(json.dumps(case) for case in self.cases)
        members = {key + ".npy": fileOf(value) for key, value in self.arrays.items()}
        members |= {"files/" + name: content for name, content in self.files.items()}
        members["graph.meta"] = meta.SerializeToString(deterministic=True)
        members["cases.json"] = f"[\n{lines}\n]\n".encode()
        parts.write(HERE / "cases", self.name, members)
        print(self.name, len(self.cases), "cases")


def apart(function, *inputs):
    """TensorFlow's results of `function` in a graph of its own."""
    with tf.Graph().as_default(), v1.Session() as session:
        results = function(*map(tf.constant, inputs))
        session.run(v1.get_collection(INITIALIZERS))
        return session.run(results)


SHAPES = [(), (1,), (3,), (10,), (17,), (33,), (3, 17), (2, 3, 5), (2, 3, 1, 9)]
