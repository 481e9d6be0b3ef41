# SPDX-License-Identifier: Apache-2.0
"""Graphs whose steps take from queues (test/data/queues) train as TensorFlow trained them, and go on after a kill."""
import json
import lzma
import random
import subprocess
import time

import harness

DATA = harness.SOURCE / "test" / "data" / "queues"
SEED = 20261127


def build(setup, name, *flags, change=None):
    """Compiles a graph, with `change` applied to each of its ops; returns the trainer."""
    meta, trainer = setup.dir / (name + ".meta"), setup.dir / name
    graph = lzma.decompress((DATA / (name + ".meta.xz")).read_bytes())
    meta.write_bytes(rewritten(graph, (2, 1, 2), change) if change else graph)
    observed = sum((["--observe", tensor] for tensor in expected(name)["fetch"].values()), [])
    done = setup.compile(meta, *flags, *observed, "-o", trainer).expect(0)
    assert "not run" not in done.err, done.err
    return trainer


def command(setup, name, run, steps, *flags):
    fetches = sum((["--fetch", tensor] for tensor in expected(name)["fetch"].values()), [])
    return [setup.dir / name, "--model-dir", setup.dir / run, "--data-dir", DATA, "--max-steps", steps, "--log-steps", 0,
            *fetches, *flags]  # fmt: skip


def flat(value):
    if isinstance(value, list):
        return [element for part in value for element in flat(part)]
    return [value]


def expected(name):
    return json.loads((DATA / "expected.json").read_text())[name]


def rows_of(setup, name, steps=40, change=None):
    """What the steps of a run took."""
    known = expected(name)
    build(setup, name, change=change)
    losses = setup.dir / (name + ".losses")
    setup.run(*command(setup, name, name + ".run", steps, "--losses", losses)).expect(0)
    rows = harness.read_losses(losses)
    return [{"loss": row["loss"], **{key: flat(row[tensor]) for key, tensor in known["fetch"].items()}} for row in rows]


def takes(setup, *names, steps=40, change=None):
    for name in names:
        found, known = rows_of(setup, name, steps, change), expected(name)["rows"]
        assert len(found) == len(known), f"{name}: {len(found)} steps, TensorFlow took {len(known)}"
        for step, (ours, theirs) in enumerate(zip(found, known)):
            for key, value in theirs.items():
                a, b = flat(ours[key]), flat(value)
                same = len(a) == len(b) and all(
                    x == y if isinstance(y, str) else abs(x - y) <= 1e-5 * max(1, abs(y)) for x, y in zip(a, b))
                assert same, f"{name}, step {step + 1}, {key}: {a}, TensorFlow has {b}"


def steps_take_what_queue_runners_enqueue(setup):
    """FIFOQueueV2, QueueDequeueV2, QueueDequeueManyV2, QueueDequeueUpToV2, QueueSizeV2 and TFRecordReaderV2."""
    takes(setup, "batch", "batch_small_final", "chained", "many")


def shuffle_queues_draw_as_tensorflow(setup):
    """RandomShuffleQueueV2, over epochs and without an end."""
    takes(setup, "shuffled", "endless", "slices")


def readers_cut_files_as_tensorflow(setup):
    """TextLineReaderV2, FixedLengthRecordReaderV2, WholeFileReaderV2 and ReaderReadV2, with their keys."""
    takes(setup, "lines", "fixed", "whole")


def queues_pad_and_sort_as_tensorflow(setup):
    """PaddingFIFOQueueV2 and PriorityQueueV2."""
    takes(setup, "padded", "priority")


def runners_that_share_a_queue_take_turns(setup):
    """Their order is not TensorFlow's, where it is a race; each example comes once an epoch."""
    labels = [label for row in rows_of(setup, "joined") for label in row["y"]]
    examples = [tuple(row["x"][8 * i : 8 * i + 8]) for row in rows_of(setup, "joined") for i in range(4)]
    assert len(labels) == 40 and sorted(labels) == sorted(label for row in expected("joined")["rows"] for label in row["y"])
    # Two epochs of 21 examples, of which the last two do not fill a batch.
    counts = [examples.count(example) for example in set(examples)]
    assert len(counts) == 21 and sum(counts) == 40 and max(counts) == 2, counts


def runners_enqueue_on_a_condition(setup):
    """maybe_batch and maybe_shuffle_batch: enqueue ops in a branch of a tf.cond, and of some rows."""
    takes(setup, "kept", "kept_rows", "kept_batches")


def readers_read_several_records(setup):
    """ReaderReadUpToV2, in a runner and in a step."""
    takes(setup, "several", "several_in_step")


def steps_use_queues_themselves(setup):
    """Stage, Unstage, StageSize, QueueEnqueueV2, QueueEnqueueManyV2, QueueIsClosedV2, QueueCloseV2, IdentityReaderV2,
    ResourceConditionalAccumulator, ResourceAccumulatorApplyGradient, ResourceAccumulatorNumAccumulated and
    ResourceAccumulatorSetGlobalStep."""
    takes(setup, "buffers", "staged", steps=12)


def accumulators_average_gradients(setup):
    """ConditionalAccumulator, AccumulatorApplyGradient, AccumulatorTakeGradient and AccumulatorNumAccumulated, and
    SparseConditionalAccumulator, SparseAccumulatorApplyGradient and SparseAccumulatorTakeGradient."""
    takes(setup, "accumulators", steps=12)


def replicas_train_in_one_process(setup):
    """Steps run the queue runner of a SyncReplicasOptimizer's chief, which is in a collection or in none; rows of sparse gradients
    are merged in whatever order they come, and gradients that are too old are dropped."""
    takes(setup, "replicas", "averaged_replicas")


def fields(data):
    """The fields of a message, as (number, wire type, bytes of the field's key, value)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        start = at
        key = varint()
        if key & 7 == 2:
            size = varint()
            at += size
            yield key >> 3, data[at - size : at], None
        else:
            if key & 7 == 0:
                varint()
            else:
                at += {1: 8, 5: 4}[key & 7]
            yield key >> 3, None, data[start:at]


def rewritten(data, path, change):
    """A message in which `change` has been applied to the fields that `path` leads to."""
    out = b""
    for number, value, raw in fields(data):
        if value is None:
            out += raw
            continue
        if path and number == path[0]:
            value = rewritten(value, path[1:], change) if len(path) > 1 else change(value)
        size, head = len(value), b""
        while size > 127:
            head, size = head + bytes([size & 127 | 128]), size >> 7
        out += bytes([number << 3 | 2]) + head + bytes([size]) + value
    return out


def queues_of_version_one_are_run(setup):
    """FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue, PriorityQueue, QueueDequeue, QueueDequeueMany, QueueDequeueUpTo,
    QueueEnqueue, QueueEnqueueMany, QueueSize, QueueIsClosed, QueueClose, TFRecordReader, TextLineReader,
    FixedLengthRecordReader, WholeFileReader, IdentityReader, ReaderRead and ReaderReadUpTo: names of ops up to TensorFlow 0.12. So is
    AccumulatorSetGlobalStep; of ResourceAccumulatorTakeGradient it is the newer name."""

    def older(op):
        if b"Accumulator" in op and not op.startswith(b"Sparse"):
            return op[8:] if op.startswith(b"Resource") else b"Resource" + op
        version_one = op.startswith((b"Queue", b"Reader")) or op.endswith((b"QueueV2", b"ReaderV2"))
        return op.removesuffix(b"V2") if version_one else op

    takes(setup, "shuffled", "padded", "priority", "lines", "fixed", "whole", "chained", "batch_small_final", "several", "several_in_step",
          change=older)
    takes(setup, "buffers", "accumulators", steps=12, change=older)


def queues_go_on_after_a_kill(setup):
    """A run that is killed at any moment ends with the very bytes of one that is left alone."""
    moments = random.Random(SEED)
    for name in ("shuffled", "padded", "priority", "fixed", "many", "chained", "accumulators", "buffers", "kept", "several", "several_in_step",
                 "replicas", "averaged_replicas"):  # fmt: skip
        build(setup, name)
        steps = len(expected(name)["rows"])
        flags = ("--save-checkpoints-steps", 1, "--keep-checkpoint-max", 100, "--quiet", "--losses")
        whole = command(setup, name, name + ".whole", steps, *flags, setup.dir / (name + ".whole.losses"))
        setup.run(*whole).expect(0)
        broken = command(setup, name, name + ".broken", steps, *flags, setup.dir / (name + ".broken.losses"))
        for stop in range(1, steps, 3):
            part = [*broken]
            part[part.index("--max-steps") + 1] = stop
            setup.run(*part).expect(0)
            process = subprocess.Popen([str(word) for word in broken], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(moments.uniform(0, 0.02))
            process.kill()
            process.wait()
        setup.run(*broken).expect(0)
        found, expected_lines = (setup.dir / f"{name}.{run}.losses" for run in ("broken", "whole"))
        assert found.read_bytes() == expected_lines.read_bytes(), f"{name}: other losses after kills"
        # Replicas take several steps for one of the global step.
        last = harness.read_losses(found)[-1]["step"]
        harness.assert_same_checkpoint(setup.dir / (name + ".whole"), setup.dir / (name + ".broken"), last)


def what_queues_give_may_be_fed(setup):
    """The files are gone, and `ingotc --feed` has the step fed with other data."""
    trainer = build(setup, "batch", "--feed", "batch:0,batch:1")
    done = setup.run(trainer, "--model-dir", setup.dir / "fed", "--max-steps", 2, "--log-steps", 0,
                     "--feed", "batch:0=" + str([[0.5] * 8] * 4), "--feed", "batch:1=[1,2,3,4]")  # fmt: skip
    done.expect(0)


def a_queue_that_nothing_fills_is_said_so(setup):
    """A file that is missing is an error that names it."""
    trainer = build(setup, "batch")
    done = setup.run(trainer, "--model-dir", setup.dir / "run", "--max-steps", 2, "--data-dir", setup.dir)
    done.expect(1, "part-0.tfrecord")


if __name__ == "__main__":
    harness.main(globals())
