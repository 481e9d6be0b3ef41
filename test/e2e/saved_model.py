# SPDX-License-Identifier: Apache-2.0
"""SavedModels that train: their signatures, called one by one, against what
TensorFlow computed with them."""
import json
import struct

import harness
from bundle import Bundle

SMALL = harness.SOURCE / "test" / "data" / "saved_model_small"
ADAM = harness.SOURCE / "test" / "data" / "saved_model_train"
MIXED = harness.SOURCE / "test" / "data" / "saved_model_mixed"


def write_npy(path, dtype, shape, data):
    """A NumPy file of row-major bytes."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    path.write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data
    )
    return path


def floats(path, shape, values):
    return write_npy(path, "<f4", shape, struct.pack(f"<{len(values)}f", *values))


def close(name, found, expected):
    assert len(found) == len(expected), f"{name}: {found}, {expected}"
    for a, b in zip(found, expected):
        assert abs(a - b) <= 1e-4 * max(abs(b), 1e-3), f"{name}: {a}, TensorFlow's {b}"


def flat(value):
    if not isinstance(value, list):
        return [value]
    return [x for part in value for x in flat(part)]


class Model:
    """A compiled SavedModel and a folder for its checkpoints."""

    def __init__(self, setup, source):
        self.setup, self.dir = setup, setup.dir / "run"
        self.trainer = setup.dir / "trainer"
        setup.compile(source / "saved_model", "-o", self.trainer).expect(0)

    def call(self, entry, *flags, stateful=True, **feeds):
        """One call of a signature: its results by name."""
        for name, value in feeds.items():
            flags += ("--feed", f"{name}={value}")
        if stateful:
            flags += ("--model-dir", self.dir)
        out = self.setup.run(self.trainer, "run", entry, *flags, "--json", "--quiet").expect(0).out
        return json.loads(out)


def signatures_train_and_infer_as_in_tensorflow(setup):
    expect = json.loads((SMALL / "expect.json").read_text())
    model = Model(setup, SMALL)
    x = "@" + str(floats(setup.dir / "x.npy", (4, 3), expect["x"]))
    y = "@" + str(floats(setup.dir / "y.npy", (4, 1), expect["y"]))
    found = [model.call("train", "--fetch", "loss", x=x, y=y)["loss"] for _ in range(5)]
    close("loss", found, expect["losses"])
    close("infer", flat(model.call("infer", x=x)["y"]), expect["infer"])
    # Without the folder, the values that the SavedModel brought along.
    fresh = model.call("train", "--fetch", "loss", stateful=False, x=x, y=y)["loss"]
    close("first loss", [fresh], expect["losses"][:1])


def signatures_save_and_restore_as_in_tensorflow(setup):
    expect = json.loads((SMALL / "expect.json").read_text())
    model = Model(setup, SMALL)
    x = "@" + str(floats(setup.dir / "x.npy", (4, 3), expect["x"]))
    y = "@" + str(floats(setup.dir / "y.npy", (4, 1), expect["y"]))
    for _ in range(5):
        model.call("train", x=x, y=y)
    path = setup.dir / "saved"
    assert model.call("save", path=path)["path"] == str(path)
    saved = Bundle(path)
    assert sorted(saved.entries) == ["step", "w"], sorted(saved.entries)
    close("w", saved.values("w"), expect["w"])
    assert model.call("restore", stateful=False, path=path)["step"] == 5


def checkpoints_have_the_models_keys(setup):
    expect = json.loads((SMALL / "expect.json").read_text())
    model = Model(setup, SMALL)
    x = "@" + str(floats(setup.dir / "x.npy", (4, 3), expect["x"]))
    y = "@" + str(floats(setup.dir / "y.npy", (4, 1), expect["y"]))
    model.call("train", x=x, y=y)
    ours = Bundle(model.dir / "model.ckpt-1")
    theirs = Bundle(SMALL / "saved_model" / "variables" / "variables")
    assert sorted(ours.entries) == sorted(theirs.entries), sorted(ours.entries)
    # TensorFlow names variables otherwise in the saver's constant than in the
    # checkpoint beside it; what the graph is for are the keys.
    graph = "_CHECKPOINTABLE_OBJECT_GRAPH"
    for bundle in (ours, theirs):
        for key in bundle.entries:
            assert key == graph or key.encode() in bundle.data(graph), key


def adam_in_a_signature_trains_as_in_tensorflow(setup):
    expect = json.loads((ADAM / "expect.json").read_text())
    model = Model(setup, ADAM)
    xs, ys = (ADAM / "x.f32").read_bytes(), (ADAM / "y.i32").read_bytes()
    losses = []
    for i in range(50):
        x = write_npy(setup.dir / "x.npy", "<f4", (32, 8), xs[i * 1024 : (i + 1) * 1024])
        y = write_npy(setup.dir / "y.npy", "<i4", (32,), ys[i * 128 : (i + 1) * 128])
        losses.append(model.call("train", "--fetch", "loss", x=f"@{x}", y=f"@{y}")["loss"])
    close("loss", losses, expect["losses"])
    five = write_npy(setup.dir / "five.npy", "<f4", (5, 8), xs[: 5 * 8 * 4])
    found = model.call("infer", x=f"@{five}")
    assert found["class"] == expect["classes"], found
    close("scores", flat(found["scores"]), flat(expect["scores_of_first_5"]))
    saved = setup.dir / "after50"
    model.call("save", path=saved)
    ours, theirs = Bundle(saved), Bundle(ADAM / "after50")
    assert sorted(ours.entries) == sorted(theirs.entries), sorted(ours.entries)
    assert model.call("restore", stateful=False, path=ADAM / "after50")["step"] == 50


def mixed(setup, policy):
    """Losses and loss scales of Keras's mixed precision, ours and TensorFlow's."""
    expect = json.loads((MIXED / policy / "expect.json").read_text())
    model = Model(setup, MIXED / policy)
    results = []
    for rows, labels in zip(expect["x"], expect["y"]):
        numbers = [number / 8 for number in flat(rows)]
        x = floats(setup.dir / "x.npy", (len(rows), len(rows[0])), numbers)
        y = write_npy(setup.dir / "y.npy", "<i4", (len(labels),), struct.pack(f"<{len(labels)}i", *labels))
        results.append(model.call("train", x=f"@{x}", y=f"@{y}"))
    return [result["loss"] for result in results], [result["scale"] for result in results], expect


def close_to_rounding(found, expect):
    """No further from TensorFlow's losses than three times as far as its own are, with rows in another order."""
    apart = lambda losses: max(abs(a - b) / b for a, b in zip(losses, expect["losses"]))
    assert len(found) == len(expect["losses"])
    limit = 3 * apart(expect["reordered"])
    assert apart(found) <= limit, (apart(found), limit)


def keras_mixed_float16_trains_as_in_tensorflow(setup):
    losses, scales, expect = mixed(setup, "mixed_float16")
    # First its gradients are infinite: the scale is halved, and nothing else changes.
    assert scales == expect["scales"], scales
    close_to_rounding(losses, expect)


def keras_mixed_bfloat16_trains_as_in_tensorflow(setup):
    losses, _, expect = mixed(setup, "mixed_bfloat16")
    close_to_rounding(losses, expect)


if __name__ == "__main__":
    harness.main(globals())
