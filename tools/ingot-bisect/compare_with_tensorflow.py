# SPDX-License-Identifier: Apache-2.0
"""Which tensor of a graph's first step leaves TensorFlow's first.

    python compare_with_tensorflow.py train.meta --checkpoint model.ckpt-0 --bin build/bin [--data-dir DIR] [--feed NAME=FILE.npy]

Runs the step in TensorFlow's session and in a trainer, both from the checkpoint, with all float32 tensors of the step
fetched, and compares these in the order in which they are computed. Needs TensorFlow. Exit code 0: all agree; 4: one
does not, and its name, node type, inputs and first different element are printed.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def runTensorFlow(options, names, feeds):
    graph = tf.Graph()
    config = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with graph.as_default(), v1.Session(config=config) as session:
        saver = v1.train.import_meta_graph(str(options.graph))
        os.chdir(options.data_dir)
        session.run([node for node in graph.get_operations() if node.type in ("MakeIterator", "InitializeTableV2")])
        session.run(v1.get_collection(v1.GraphKeys.LOCAL_INIT_OP))
        saver.restore(session, str(options.checkpoint))
        train = v1.get_collection("train_op")
        # An op of Ingot may have more results than the TensorFlow node that it was imported from has outputs.
        def isTensor(name):
            node, number = name.rsplit(":", 1)
            return node in nodes and int(number) < len(nodes[node].outputs) and nodes[node].outputs[int(number)].dtype == tf.float32

        nodes = {node.name: node for node in graph.get_operations()}
        known = [name for name in names if isTensor(name) and graph.is_fetchable(name)]
        return graph, dict(zip(known, session.run([known, train], {name: np.load(file) for name, file in feeds})[0]))


def runIngot(options, names, feeds):
    with tempfile.TemporaryDirectory() as folder:
        trainer, losses = pathlib.Path(folder, "trainer"), pathlib.Path(folder, "losses")
        run(options.bin / "ingotc", options.graph, "-o", trainer, "--cpu=native", f"--observe={','.join(names)}")
        flags = [flag for name in names for flag in ("--fetch", name)]
        if feeds:
            flags += ["--feed", ",".join(f"{name}=@{file}" for name, file in feeds)]
        run(trainer, "train", "--model-dir", pathlib.Path(folder, "run"), "--init-from", options.checkpoint, "--steps", 1,
            "--losses", losses, "--quiet", "--on-nan", "ignore", "--data-dir", options.data_dir, *flags)  # fmt: skip
        return json.loads(losses.read_text().splitlines()[0])


def difference(found, expected, tolerance):
    """In words; None where they agree."""
    found = np.asarray(found, np.float64)
    if found.size != expected.size:
        return f"{found.size} elements, not {expected.size}"
    found = found.reshape(expected.shape)
    bound = tolerance * max(np.max(np.abs(expected[np.isfinite(expected)]), initial=0), 1e-30)
    wrong = ~((found == expected) | (np.isnan(found) & np.isnan(expected)) | (np.abs(found - expected) <= bound))
    if not wrong.any():
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements, the first at {list(place)}: {found[place]!r}, TensorFlow's {expected[place]!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", type=pathlib.Path)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the folder with ingotc and ingot-bisect")
    parser.add_argument("--data-dir", default=".")
    parser.add_argument("--feed", action="append", default=[], metavar="NAME=FILE.npy")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    options = parser.parse_args()
    for name in ("graph", "checkpoint", "bin", "data_dir"):
        setattr(options, name, pathlib.Path(getattr(options, name)).resolve())
    feeds = [text.split("=", 1) for text in options.feed]
    names = run(options.bin / "ingot-bisect", options.graph, "--list-tensors").split()
    graph, expected = runTensorFlow(options, names, feeds)
    found = runIngot(options, list(expected), feeds)
    for name, value in expected.items():
        told = difference(found[name], value, options.tolerance)
        if told:
            node = graph.get_tensor_by_name(name).op
            print(f"first tensor that leaves TensorFlow's: {name} ({node.type}): {told}")
            for tensor in node.inputs:
                print(f"  input {tensor.name}: {'agrees' if tensor.name in expected else 'not compared'}")
            return 4
    print(f"all {len(expected)} tensors of the step agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
