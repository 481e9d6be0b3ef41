"""A SavedModel that trains: its signatures, called one by one, against what
TensorFlow computed with them."""
import json
import struct

import harness
from bundle import Bundle

MODEL = harness.SOURCE / "test" / "data" / "saved_model_train"
EXPECT = json.loads((MODEL / "expect.json").read_text())


def write_npy(path, dtype, shape, data):
    """A NumPy file of row-major bytes."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    path.write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data
    )
    return path


def batches(setup):
    """Files of the batches that TensorFlow trained with: 50 times x and y."""
    x, y = (MODEL / "x.f32").read_bytes(), (MODEL / "y.i32").read_bytes()
    for i in range(50):
        yield (
            write_npy(setup.dir / "x.npy", "<f4", (32, 8), x[i * 1024 : (i + 1) * 1024]),
            write_npy(setup.dir / "y.npy", "<i4", (32,), y[i * 128 : (i + 1) * 128]),
        )


def close(name, found, expected):
    for a, b in zip(found, expected):
        assert abs(a - b) <= 1e-4 * max(abs(b), 1e-3), f"{name}: {a}, TensorFlow's {b}"


def compiled(setup):
    trainer = setup.dir / "trainer"
    setup.compile(MODEL / "saved_model", "-o", trainer).expect(0)
    return trainer


def run(setup, trainer, *flags):
    out = setup.run(trainer, "run", *flags, "--json", "--quiet").expect(0).out
    return json.loads(out)


def signatures_train_and_infer_as_in_tensorflow(setup):
    trainer = compiled(setup)
    model_dir = setup.dir / "run"
    losses = []
    for x, y in batches(setup):
        losses.append(
            run(setup, trainer, "train", "--model-dir", model_dir,
                "--feed", f"x=@{x}", "--feed", f"y=@{y}", "--fetch", "loss")["loss"]
        )  # fmt: skip
    close("loss", losses, EXPECT["losses"])

    rows = (MODEL / "x.f32").read_bytes()[: 5 * 8 * 4]
    five = write_npy(setup.dir / "five.npy", "<f4", (5, 8), rows)
    found = run(setup, trainer, "infer", "--model-dir", model_dir, "--feed", f"x=@{five}")
    assert found["class"] == EXPECT["classes"], found
    for a, b in zip(found["scores"], EXPECT["scores_of_first_5"]):
        close("scores", a, b)

    # The model's own signature writes what TensorFlow's call of it wrote.
    saved = setup.dir / "after50"
    run(setup, trainer, "save", "--model-dir", model_dir, "--feed", f"path={saved}")
    ours, theirs = Bundle(saved), Bundle(MODEL / "after50")
    assert sorted(ours.entries) == sorted(theirs.entries), sorted(ours.entries)
    for name in theirs.numeric():
        close(name, ours.values(name), theirs.values(name))
    step = run(setup, trainer, "restore", "--feed", f"path={MODEL / 'after50'}")
    assert step["step"] == 50, step


def checkpoints_have_the_models_keys(setup):
    trainer = compiled(setup)
    model_dir = setup.dir / "run"
    x, y = next(batches(setup))
    run(setup, trainer, "train", "--model-dir", model_dir, "--feed", f"x=@{x}", "--feed", f"y=@{y}")
    ours = Bundle(model_dir / "model.ckpt-1")
    theirs = Bundle(MODEL / "saved_model" / "variables" / "variables")
    assert sorted(ours.entries) == sorted(theirs.entries), sorted(ours.entries)


harness.main(globals())
