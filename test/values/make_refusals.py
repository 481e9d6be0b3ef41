# SPDX-License-Identifier: Apache-2.0
"""Writes refusals/: wrong feeds for the graphs of cases/, and TensorFlow's result or error for each.

Run by hand, with TensorFlow 2.15, after make_values.py wrote a suite; the tests need neither TensorFlow nor NumPy
(run_refusals.py). The placeholders of a suite lose their sizes, as in `run_values.py --dynamic`; then each feed of a
case is made wrong in every way that WRONG lists, and TensorFlow runs it: it refuses, with an error code and the
node's name, or it computes. For each op and each of its error messages a few feeds are kept, and a few that it
accepts, which Ingot must accept, too.

Each suite (parts.py) has wrong.json, and arrays as .npy.

    make_refusals.py [SUITE...]
"""
import collections
import io
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import parts
import wrong_feeds
from dynamic_shapes import withDynamicShapes

HERE = pathlib.Path(__file__).resolve().parent
CASES_OF_AN_OP = 4  # of the same ranks and element types, one
KEPT_OF_A_MESSAGE = 3  # for an op
KEPT_OF_A_CASE = 2  # that TensorFlow takes
RANDOM = "Random|Uniform|Normal|Multinomial|Shuffle|Seed|Timestamp"  # ops whose results may differ from run to run
# Ops that read or hand out memory that nothing was written to, where TensorFlow does not refuse it.
UNSPECIFIED = "Stitch|RaggedTensorToTensor|FusedBatchNorm|^I?RFFT|^(Inv|Reciprocal|Rsqrt|Sigmoid|Softplus|Sqrt|Tanh)Grad"
SECONDS = 5  # for one feed: a loop may have no end
LIMITS = (4, 8, 14)  # codes of errors for want of time or memory
MEMORY = 6 << 30  # TensorFlow gets no more, and reports the failed allocation


def kindOfMessage(message):
    """An error message without its numbers and names: equal for errors of one kind."""
    return re.sub(r"\{\{.*?\}\}|-?\d+|'[^']*'|\"[^\"]*\"", "#", message.split("\n")[0])[:60]


def opsOf(graph, case, functions):
    """The ops of a case's nodes and of the functions that they call."""
    ops, queue, seen = set(), [], set()
    for node in graph.node:
        if node.name.startswith(case + "/"):
            queue.append(node)
    while queue:
        node = queue.pop()
        ops.add(node.op)
        for attribute in node.attr.values():
            names = [attribute.func.name] + [f.name for f in attribute.list.func]
            for name in names:
                if name and name not in seen:
                    seen.add(name)
                    queue += functions.get(name, [])
    return ops


def chosen(graph, cases, feeds, isForThis):
    """Enough cases to have each op a few times, in each of its ranks and types; all of a suite that is for this."""
    functions = {f.signature.name: list(f.node_def) for f in graph.library.function}
    count, seen, result = collections.Counter(), set(), []
    plain = {"Placeholder", "Const", "Identity", "NoOp"}
    for case in cases:
        if "fails" in case or not case["feeds"]:
            continue
        signature = tuple((value.dtype.str, value.ndim) for value in feeds(case).values())
        new = isForThis
        for op in opsOf(graph, case["name"], functions) - plain:
            if (op, signature) not in seen and count[op] < CASES_OF_AN_OP:
                new = True
        if new:
            for op in opsOf(graph, case["name"], functions) - plain:
                if (op, signature) not in seen:
                    seen.add((op, signature))
                    count[op] += 1
            result.append(case)
    return result


class Asked:
    """A suite's graph whose placeholders have dynamic sizes, in TensorFlow."""

    def __init__(self, folder):
        import tensorflow.compat.v1 as tf

        self.tf = tf
        tf.disable_eager_execution()
        self.meta = tf.MetaGraphDef.FromString(withDynamicShapes((folder / "graph.meta").read_bytes()))
        for node in self.meta.graph_def.node:  # which speak of the sizes that were
            node.attr.pop("_output_shapes", None)
        self.refused = set()  # cases that TensorFlow itself takes in fixed sizes only
        while name := self.refusedCase():
            self.refused.add(name)
            self.drop(name + "/")
        self.ops = {node.name: node.op for node in self.meta.graph_def.node}
        for function in self.meta.graph_def.library.function:
            self.ops.update({node.name: node.op for node in function.node_def if node.name not in self.ops})
        self.shared = None
        self.config = tf.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
        self.config.graph_options.optimizer_options.opt_level = -1
        self.config.graph_options.rewrite_options.disable_meta_optimizer = True

    def refusedCase(self):
        """The case whose graph TensorFlow does not take; None, and all others are in the graph, where it takes all."""
        self.tf.reset_default_graph()
        try:
            self.tf.import_graph_def(self.meta.graph_def, name="")
        except ValueError as error:
            name = re.search(r"\{\{node ([^}/]+)/", str(error))
            if not name:
                raise
            return name.group(1)
        return None

    def drop(self, scope):
        nodes = self.meta.graph_def.node
        kept = [node for node in nodes if not node.name.startswith(scope)]
        for node in kept:
            inputs = [name for name in node.input if not name.startswith("^" + scope)]
            del node.input[:]
            node.input.extend(inputs)
        del nodes[:]
        nodes.extend(kept)

    def initializers(self, case, others):
        from tensorflow.core.framework import variable_pb2

        meta, names = self.meta, [node.name for node in self.meta.graph_def.node if node.op == "MakeIterator"]
        if "value_test_initializers" in meta.collection_def:
            names += list(meta.collection_def["value_test_initializers"].node_list.value)
        for key in ("variables", "local_variables"):
            for value in meta.collection_def[key].bytes_list.value if key in meta.collection_def else []:
                names.append(variable_pb2.VariableDef.FromString(value).initializer_name)
        graph = self.tf.get_default_graph()
        others = others | self.refused
        return [graph.get_operation_by_name(name.split(":")[0]) for name in names if name.split("/")[0] not in others]

    def session(self, init):
        """A session with variables as they are first; where nothing else is initialized one serves all feeds."""
        # In a shared session, variables of the previous run would still be initialized.
        asks = any("IsInitializedOp" in op.type or op.type == "IsVariableInitialized" for op in init[0].graph.get_operations()) if init else False
        isShared = not asks and all(op.type in ("Assign", "AssignVariableOp") for op in init)
        if isShared and not self.shared:
            self.shared = self.tf.Session(config=self.config)
        session = self.shared if isShared else self.tf.Session(config=self.config)
        session.run(init)
        return session

    def run(self, case, init, feeds):
        """TensorFlow's results, or its error."""
        session = self.session(init)
        try:
            for _ in range(int(case.get("times", 1))):
                found = session.run([name for name, _ in case["fetches"]], feeds,
                                    options=self.tf.RunOptions(timeout_in_ms=SECONDS * 1000))
        except self.tf.errors.OpError as error:
            plain = error.__context__ or error  # without the place in Python
            return self.refusal(plain.message, plain.error_code)
        except ValueError as error:  # of a rank that the placeholder has not
            name = re.search(r"for Tensor '?([^ ':]+)", str(error))
            return {"outcome": "refused", "code": 3, "node": name.group(1) if name else "", "op": "Placeholder",
                    "message": str(error)[:200]}  # fmt: skip
        finally:
            if session is not self.shared:
                session.close()
        return {"outcome": "computed", "results": found}

    def refusal(self, message, code):
        # The first is where it happened; nodes of functions' bodies follow it.
        nodes = re.findall(r"\{\{node ([^}]+)\}\}", message)
        node = next((name for name in nodes if name in self.ops), nodes[0] if nodes else "")
        text = re.sub(r"\{\{function_node [^}]*\}\}|\{\{node [^}]*\}\}", "", message).split("\n")[0].strip()
        return {"outcome": "refused", "code": code, "node": node, "op": self.ops.get(node, ""), "message": text[:200]}


def ask(folder, suite, first):
    """The worker: runs each wrong feed from number `first` on, and writes a line for each."""
    import numpy

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    asked = Asked(folder)
    cases = json.loads((folder / "cases.json").read_text())
    feedsOf = lambda case: {name: numpy.load(folder / f"{key}.npy") for name, key in case["feeds"]}
    number = -1
    files = folder / "files"
    files.mkdir(exist_ok=True)
    os.chdir(files)
    taken = [case for case in cases if case["name"] not in asked.refused]
    for case in chosen(asked.meta.graph_def, taken, feedsOf, suite.startswith("fed_")):
        others = {other["name"] for other in cases} - {case["name"]}
        init = asked.initializers(case, others)
        right = feedsOf(case)
        ops = [op for name, op in asked.ops.items() if name.startswith(case["name"] + "/")]
        isRandom, isUnspecified = (any(re.search(some, op) for op in ops) for some in (RANDOM, UNSPECIFIED))
        for i, name in enumerate(right):
            for kind, what, value in wrong_feeds.of(right[name]):
                number += 1
                if number < first:
                    continue
                print(json.dumps({"number": number}), flush=True)
                feeds = dict(right)
                feeds[name] = value
                said = asked.run(case, init, feeds)
                record = {"number": number, "case": case["name"], "feed": name, "kind": kind, "what": what}
                arrays = {"feed": value}
                if said["outcome"] == "computed" and isUnspecified and (kind == "sizes" or any("Stitch" in op for op in ops)):
                    said = {"outcome": "unspecified"}
                elif said["outcome"] == "computed":
                    results = [numpy.asarray(x) for x in said["results"]]
                    bytesOf = lambda found: [numpy.asarray(x).tobytes() for x in found]
                    same = not isRandom or all(bytesOf(asked.run(case, init, feeds).get("results", [])) == bytesOf(results) for _ in range(8))
                    said = {"outcome": "computed", "same": same}
                    for k, x in enumerate(results):
                        if x.dtype.kind in "biuf" and x.dtype.itemsize <= 8 and x.dtype.names is None:
                            arrays[f"y{k}"] = x
                record.update(said)
                try:
                    with open(folder / f"wrong-{number}.npz", "wb") as file:
                        numpy.savez(file, **arrays)
                except Exception as error:
                    record["outcome"] = "not kept"
                print(json.dumps(record), flush=True)


def askAll(folder, suite):
    """Every record. A feed that ends TensorFlow itself is left out."""
    records, first, deaths = [], 0, 0
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
    while True:
        done = subprocess.run([sys.executable, __file__, "--ask", folder, suite, str(first)], env=environment, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        last = first - 1
        for line in done.stdout.decode().splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            last = record["number"]
            if "case" in record:
                records.append(record)
        if done.returncode == 0:
            return records, deaths
        if last < first:
            raise SystemExit(done.stderr.decode()[-3000:])
        first, deaths = last + 1, deaths + 1


def keep(records):
    """A few of each kind."""
    said, taken, result = collections.Counter(), collections.Counter(), []
    for record in records:
        if record["outcome"] == "refused":
            key = (record["op"], record["kind"], kindOfMessage(record["message"]))
            said[key] += 1
            if said[key] <= KEPT_OF_A_MESSAGE and record["code"] not in LIMITS and "OpKernel" not in record["message"]:
                result.append(record)
        elif record["outcome"] == "computed":
            key = (record["case"], record["kind"])
            taken[key] += 1
            if taken[key] <= KEPT_OF_A_CASE:
                result.append(record)
    return result


def write(suite, folder, records):
    import numpy

    keys, counts, members, lines = {}, collections.Counter(), {}, []

    def store(value, case):
        """Equal arrays are stored once, with the first case; another case's arrays have no other names for it."""
        identity = (value.dtype.str, value.shape, value.tobytes())
        if identity not in keys:
            keys[identity] = f"{case}.{counts[case]}"
            counts[case] += 1
            content = io.BytesIO()
            numpy.lib.format.write_array(content, value, version=(1, 0))
            members[keys[identity] + ".npy"] = content.getvalue()
        return keys[identity]

    for record in records:
        with numpy.load(folder / f"wrong-{record.pop('number')}.npz", allow_pickle=False) as found:
            record["value"] = store(found["feed"], record["case"])
            if record["outcome"] == "computed" and record.pop("same"):
                record["results"] = {k[1:]: store(found[k], record["case"]) for k in sorted(found.files) if k[0] == "y"}
        lines.append(json.dumps(record))
    (HERE / "refusals").mkdir(exist_ok=True)
    members["wrong.json"] = ("[\n" + ",\n".join(lines) + "\n]\n").encode()
    parts.write(HERE / "refusals", suite, members)


def main():
    if sys.argv[1:2] == ["--ask"]:
        ask(pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
        return
    for suite in parts.suitesIn(HERE / "cases"):
        if len(sys.argv) > 1 and suite not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            parts.unpack(HERE / "cases", suite, folder)
            records, deaths = askAll(folder, suite)
            kept = keep(records)
            if kept:
                write(suite, folder, kept)
        refused = sum(record["outcome"] == "refused" for record in records)
        print(f"{suite}: {len(records)} wrong feeds, {refused} refused, {deaths} ended TensorFlow; "
              f"{len(kept)} kept", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
