# SPDX-License-Identifier: Apache-2.0
"""Graphs as old versions of TensorFlow wrote them (test/data/old_graphs) train as TensorFlow trained them."""
import io
import json
import lzma
import struct
import subprocess
import zipfile

import harness

GRAPHS = harness.SOURCE / "test" / "data" / "old_graphs"


def read_npy(data):
    """The shape and the values of a float32 array in NPY format."""
    size = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10 : 10 + size], {}, {})
    assert header["descr"] == "<f4" and not header["fortran_order"], header
    count = (len(data) - 10 - size) // 4
    return header["shape"], struct.unpack(f"<{count}f", data[10 + size :])


def write_npy(shape, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(values)}f", *values))  # fmt: skip


def graph(setup, name):
    """The path of a graph, which is stored compressed."""
    path = setup.dir / (name + ".meta")
    path.write_bytes(lzma.decompress((GRAPHS / (name + ".meta.xz")).read_bytes()))
    return path


def arrays(name):
    """The arrays of an .npz file."""
    with zipfile.ZipFile(GRAPHS / (name + ".npz")) as archive:
        return {each[:-4]: read_npy(archive.read(each)) for each in archive.namelist()
                if "global_step" not in each}  # fmt: skip


def frames(known, order):
    """What all steps are fed, as frames: one array for each placeholder in `order`."""
    stream = io.BytesIO()
    steps = known["losses"][0][0]
    for step in range(steps):
        for name in order:
            shape, values = known["feed/" + name]
            size = len(values) // steps
            stream.write(write_npy(shape[1:], values[step * size : (step + 1) * size]))
    return stream.getvalue()


def trains(setup, name, *warnings, flags=()):
    """Compiles a graph, expecting `warnings`, and trains it on the values that TensorFlow was fed."""
    known, trainer, run = arrays(name), setup.dir / "trainer", setup.dir / "run"
    setup.compile(graph(setup, name), *flags, "-o", trainer).expect(0, *warnings)
    info = setup.run(trainer, "info", "--json")
    step = next(entry for entry in json.loads(info.out)["entries"] if entry["role"] == "step")
    order = [feed["name"] for feed in step["feeds"] if "feed/" + feed["name"] in known]
    command = [trainer, "--model-dir", run, "--feed", "@-", "--losses", setup.dir / "losses", "--log-steps", 0]
    done = subprocess.run([str(part) for part in command], input=frames(known, order), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    losses = [list(line.values())[-1] for line in harness.read_losses(setup.dir / "losses")]
    close(losses, known["losses"][1], "losses")
    for variable in [each for each in known if each.startswith("variable/")]:
        out = setup.dir / "value.npy"
        setup.run(setup.ingotc.parent / "ingot-ckpt", "cat", run, variable[9:], "-o", out, "--force").expect(0)
        close(read_npy(out.read_bytes())[1], known[variable][1], variable)


def close(found, expected, what):
    assert len(found) == len(expected), f"{what}: {found} and {expected}"
    for a, b in zip(found, expected):
        assert abs(a - b) <= 1e-5 * max(1, abs(b)), f"{what}: {found} and TensorFlow's {expected}"


def placeholders_without_shapes_have_the_ranks_of_their_uses(setup):
    trains(setup, "unknown_ranks", "'y:0' declares no shape and is compiled as float32 [?, ?]",
           "'keep:0' declares no shape and is compiled as float32 []")  # fmt: skip


def the_shape_of_a_scalar_is_unknown_in_old_graphs(setup):
    trains(setup, "unknown_shapes")


def stacks_of_version_one_keep_what_gradients_need(setup):
    """Stack, StackPush and StackPop."""
    trains(setup, "stacks_of_version_one")


def arrays_of_version_two_hold_what_loops_write(setup):
    """TensorArrayV2, TensorArrayGradV2, TensorArrayWriteV2, TensorArrayReadV2, TensorArrayGatherV2,
    TensorArrayScatterV2, TensorArrayConcatV2, TensorArraySplitV2 and TensorArraySizeV2."""
    trains(setup, "arrays_of_version_two")


def what_comes_from_queues_is_fed(setup):
    """FIFOQueueV2, PaddingFIFOQueueV2, PriorityQueueV2 and RandomShuffleQueueV2 are there, and QueueSizeV2 is 0, where no QueueRunner fills them."""
    trains(setup, "queues", "entry 'step' takes tensors from a queue that the trainer cannot fill (no QueueRunner fills it): each run of the entry needs feeds for 'batch:1', 'batch:2'")


def einsums_broadcast_the_dimensions_of_their_ellipsis(setup):
    """The axes of their gradients are those of a slice of the shape, at the position of the ellipsis."""
    trains(setup, "einsums_of_open_batches")


def shapes_are_stated_by_flags(setup):
    ranks = graph(setup, "unknown_ranks")
    check = setup.compile(ranks, "--check", "--shape", "y=[6,1]", "--shape", "keep=[]")
    check.expect(0)
    assert "feed  y:0: float32 [6, 1]" in check.out and "'y:0' declares no shape" not in check.err
    wrong = setup.compile(ranks, "-o", setup.dir / "t", "--shape", "z=[?]")
    wrong.expect(2, "--shape z=[?]: the graph has no tensor 'z'")
    setup.compile(ranks, "-o", setup.dir / "t", "--shape", "x=3").expect(
        2, "--shape x=3 is not of the form TENSOR=[?,3]")  # fmt: skip
    setup.compile(graph(setup, "stacks_of_version_one"), "-o", setup.dir / "t", "--shape", "x=[?,5]").expect(
        2, "--shape x=[?,5]: the graph declares float32 [?, 4]")  # fmt: skip


if __name__ == "__main__":
    harness.main(globals())
