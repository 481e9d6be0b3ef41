# SPDX-License-Identifier: Apache-2.0
"""Writes derivatives/: TensorFlow's gradients of the suites' cases, and the list of ops that have one.

Run by hand, with TensorFlow 2.15, after make_values.py; run_derivatives.py, which compares with them, needs no
TensorFlow. A suite there (parts.py) has for each case that TensorFlow can differentiate a line of cases.json, with the
feeds and the arrays that are the gradients by them (null where no gradient flows to a feed; `unknown` where its kernels
refuse to compute them).

derivatives/registered.json gives for each op that Ingot supports what TensorFlow has registered: "gradient", "none"
(registered as not differentiable), or "missing".

    make_derivatives.py [--registered] [SUITE...]
"""
import io
import json
import math
import sys

import numpy as np
import parts
from suite import HERE, fileOf, tf, v1

from derivatives import DERIVATIVES, MAX_ELEMENTS, weights

SUITES = """batch_product binary chain choice convolution cross division ensemble_mixtures functions gradients images indexing
    array matrix nn normalization pointwise pooling product ranks rearrange reduction resize scans segments shape unary
    type_f64 sparse differentiable decompositions sparse_products
    lgamma linear_systems ctc_losses fake_quant pool_places sparse_sums
    crops deprecated_ops quantiles quantization_gradients complex_derivatives spectrograms bessel
    special_functions special_integrals digamma spectral ragged_rows""".split()  # fmt: skip
FLOATS = (tf.float32, tf.float64)


def gradients(fetches, feeds):
    """TensorFlow's tensors, or the op that it cannot differentiate."""
    seeds = [tf.constant(np.reshape(weights(math.prod(y.shape)), y.shape), y.dtype) for y in fetches]
    return v1.gradients(fetches, feeds, seeds)


def differentiable(graph, case, arrays):
    """The case's fetches and feeds, where all sizes are known and few."""
    fetches, feeds = ([graph.get_tensor_by_name(name) for name, _ in case[side]] for side in ("fetches", "feeds"))
    fetches, feeds = ([t for t in side if t.dtype in FLOATS] for side in (fetches, feeds))
    if not fetches or not feeds or "fails" in case or "times" in case:
        return None
    if not all(y.shape.is_fully_defined() for y in fetches + feeds):
        return None
    return (fetches, feeds) if sum(math.prod(t.shape) for t in fetches + feeds) <= MAX_ELEMENTS else None


def makeSuite(suite):
    members = dict(parts.membersOf(HERE / "cases", suite))
    meta, cases = v1.MetaGraphDef.FromString(members["graph.meta"]), json.loads(members["cases.json"])
    load = lambda key: np.load(io.BytesIO(members[key + ".npy"]))
    lines, found, refused = [], {}, {}
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.train.import_meta_graph(meta)
        session.run(v1.get_collection("init_op"))
        for case in cases:
            sides = differentiable(graph, case, load)
            if sides is None:
                continue
            try:
                results = gradients(*sides)
            except LookupError as error:
                refused[case["name"]] = str(error).partition("(op type: ")[2].partition(")")[0]
                continue
            except NotImplementedError as error:
                refused[case["name"]] = str(error).partition(" ")[0]
                continue
            except (ValueError, TypeError):  # its gradient function does not take such operands
                lines.append({"name": case["name"], "by": [[feed.name, None] for feed in sides[1]], "unknown": True})
                continue
            feeds = {name: load(key) for name, key in case["feeds"]}
            try:
                values = iter(session.run([tf.convert_to_tensor(t) for t in results if t is not None], feeds))
            except tf.errors.InvalidArgumentError:  # TensorFlow's processor computes no such gradient
                lines.append({"name": case["name"], "by": [[feed.name, None] for feed in sides[1]], "unknown": True})
                continue
            by = []
            for i, (feed, result) in enumerate(zip(sides[1], results)):
                key = None
                if result is not None:
                    key = f"{case['name']}.d{i}"
                    found[key] = np.asarray(next(values))
                by.append([feed.name, key])
            lines.append({"name": case["name"], "by": by})
    DERIVATIVES.mkdir(exist_ok=True)
    members = {key + ".npy": fileOf(value) for key, value in found.items()}
    members["cases.json"] = ("[\n" + ",\n".join(map(json.dumps, lines)) + "\n]\n").encode()
    parts.write(DERIVATIVES, suite, members)
    print(suite, len(lines), "cases; without a gradient:", *sorted(set(refused.values())))


def registered():
    from tensorflow.python.framework import ops

    names = [line.split("|")[1].strip() for line in (HERE.parents[1] / "docs/ops.md").read_text().split("## Supported")[1].split("\n## ")[0].splitlines() if line.startswith("| ")]
    kinds = {}
    for name in names[1:]:
        try:
            kinds[name] = "none" if ops._gradient_registry.lookup(name) is None else "gradient"
        except LookupError:
            kinds[name] = "missing"
    (DERIVATIVES / "registered.json").write_text(json.dumps(kinds, indent=0) + "\n")
    print("registered:", {kind: list(kinds.values()).count(kind) for kind in set(kinds.values())})


if __name__ == "__main__":
    # With --registered, only the suites that are named.
    for suite in [name for name in sys.argv[1:] if name != "--registered"] if len(sys.argv) > 1 else SUITES:
        makeSuite(suite)
    registered()
