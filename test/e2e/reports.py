# SPDX-License-Identifier: Apache-2.0
"""What a graph says while it trains (test/data/reports/make.py): summaries,
prints and the clock, against what TensorFlow wrote and said."""
import base64
import json
import struct
import time
import zlib

import harness
from bundle import fields

REPORTS = harness.SOURCE / "test" / "data" / "reports"
EXPECT = json.loads((REPORTS / "expect.json").read_text())


def records(data):
    """The records of a TFRecord file, whose checksums other tests look at."""
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        yield data[at + 12 : at + 12 + size]
        at += 12 + size + 4


def pixels(png):
    """The rows of a PNG file of 8 bits a channel: [height][width][channel]."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n", "no PNG file"
    at, compressed = 8, b""
    while at < len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlaced = struct.unpack_from(">IIBBBBB", png, at + 8)
            assert depth == 8 and not interlaced, "not what TensorFlow writes"
            channels = {0: 1, 2: 3, 6: 4}[color]
        elif kind == b"IDAT":
            compressed += png[at + 8 : at + 8 + size]
        at += 12 + size
    raw, stride, last, rows = zlib.decompress(compressed), width * channels, None, []
    last = bytearray(stride)
    for row in range(height):
        start = row * (stride + 1)
        kind, line = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
        for i in range(stride):
            left = line[i - channels] if i >= channels else 0
            up, corner = last[i], last[i - channels] if i >= channels else 0
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda value: abs(guess - value))
            line[i] = (line[i] + [0, left, up, (left + up) // 2, nearest][kind]) & 0xFF
        rows.append([list(line[i : i + channels]) for i in range(0, stride, channels)])
        last = line
    return rows


def inOrder(message):
    return sorted(fields(message), key=lambda field: field[0])


def describe(value):
    """A Summary.Value as expect.json has it, or its fields in order."""
    content = dict(fields(value))
    if 4 not in content:
        return inOrder(value)
    image = dict(fields(content[4]))
    return {"tag": content[1].decode(), "size": [image[1], image[2], image[3]], "pixels": pixels(image[4])}


def train(setup, *flags):
    trainer = setup.dir / "trainer"
    setup.compile(REPORTS / "train.meta", "-o", trainer, "--observe=clock:0").expect(0)
    return setup.run(trainer, "--model-dir", setup.dir / "run", "--max-steps", EXPECT["steps"],
        "--summary-steps", 1, "--no-curves", "--log-steps", 0, *flags).expect(0)  # fmt: skip


def summaries_are_tensorflows(setup):
    train(setup)
    (path,) = (setup.dir / "run").glob("events.out.tfevents.*")
    found = {}
    for record in records(path.read_bytes()):
        event = dict(fields(record))
        for number, value in fields(event.get(5, b"")):
            assert number == 1
            found.setdefault(str(event.get(2, 0)), []).append(describe(value))
    tag = lambda value: str(value["tag"] if isinstance(value, dict) else dict(value).get(1, dict(value).get(7)))
    expected = {
        step: [value if isinstance(value, dict) else inOrder(base64.b64decode(value)) for value in values]
        for step, values in EXPECT["summaries"].items()
    }
    compared = 0
    for step, values in expected.items():
        theirs, ours = ({tag(value): value for value in of} for of in (values, found.get(step, [])))
        # The trainer's own scalar, the steps a second, is not a summary of the graph.
        ours.pop(str(b"global_step/sec"), None)
        assert sorted(theirs) == sorted(ours), f"step {step}: {sorted(ours)}, TensorFlow's {sorted(theirs)}"
        for name in theirs:
            assert ours[name] == theirs[name], f"step {step}, {name}: {ours[name]}, TensorFlow's {theirs[name]}"
            compared += 1
    assert set(found) == set(expected), f"steps {sorted(found)}, TensorFlow's {sorted(expected)}"
    assert compared >= 50, compared
    print(f"{compared} summaries")


def prints_say_what_tensorflow_says(setup):
    said = train(setup, "--quiet").err
    assert said == (REPORTS / "printed.txt").read_text(), said


def timestamps_are_the_clock(setup):
    before = time.time()
    train(setup, "--losses", setup.dir / "losses", "--fetch", "clock:0")
    lines = harness.read_losses(setup.dir / "losses")
    clock = [line["clock:0"] for line in lines]
    assert len(clock) == EXPECT["steps"] and before <= clock[0], (before, clock)
    assert clock == sorted(clock) and clock[-1] <= time.time(), clock


if __name__ == "__main__":
    harness.main(globals())
