# SPDX-License-Identifier: Apache-2.0
"""Input files that are missing or damaged: the file and the offset are named."""
import struct

import harness


def records(data):
    """The offset and payload size of each record of a TFRecord file."""
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        yield at, size
        at += 8 + 4 + size + 4


def train_on(setup, data):
    """Trains over the whole of a changed input file, if it is there at all."""
    folder = setup.dir / "input" / "data"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "train.tfrecord"
    path.unlink(missing_ok=True)
    if data is not None:
        path.write_bytes(data)
    return setup.train(setup.dir / "run", "--max-steps", 120, data_dir=setup.dir / "input")


def whole():
    """The undamaged file."""
    return (harness.REFERENCE / "data" / "train.tfrecord").read_bytes()


def missing_records_are_named(setup):
    train_on(setup, None).expect(1, "data/train.tfrecord", "No such file")


def truncated_records_are_named(setup):
    data = whole()
    at, size = list(records(data))[-1]
    for cut in (at + 5, at + 12 + size // 2, len(data) - 1):
        train_on(setup, data[:cut]).expect(1, "data/train.tfrecord", str(at))


def flipped_bits_in_records_are_named(setup):
    data = whole()
    places = list(records(data))
    at, size = places[len(places) // 2]
    # In the length, its checksum, the payload, and its checksum.
    for byte in (at, at + 9, at + 12 + size // 2, at + 12 + size + 2):
        damaged = bytearray(data)
        damaged[byte] ^= 0x10
        train_on(setup, bytes(damaged)).expect(1, "data/train.tfrecord", str(at))


if __name__ == "__main__":
    harness.main(globals())
