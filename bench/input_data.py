# SPDX-License-Identifier: Apache-2.0
"""The files that the graphs of bench/input read, the same ones each time: TFRecords of Examples, CSV, text."""
import random
import struct

RECORDS, DISTINCT = 200_000, 2_000


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc_table()


def masked_crc32c(data):
    """The checksum of a TFRecord."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data):
    length = struct.pack("<Q", len(data))
    return length + masked_crc32c(length) + data + masked_crc32c(data)


def delimited(field, content):
    size, varint = len(content), b""
    while size >= 128:
        varint, size = varint + bytes([size & 127 | 128]), size >> 7
    return bytes([field << 3 | 2]) + varint + bytes([size]) + content


def floats(*values):
    return delimited(2, delimited(1, struct.pack(f"<{len(values)}f", *values)))


def label(value):
    return delimited(3, delimited(1, bytes([value])))


def example(features):
    """A serialized Example of the features, each of which is serialized."""
    return delimited(1, b"".join(delimited(1, delimited(1, key.encode()) + delimited(2, value)) for key, value in features.items()))


def repeated(parts):
    """RECORDS of them, DISTINCT of them different."""
    return b"".join(parts) * (RECORDS // DISTINCT)


def records(path, draw):
    parts = [example({"x": floats(*(draw.random() for _ in range(64))), "y": label(number % 10)}) for number in range(DISTINCT)]
    path.write_bytes(repeated(map(record, parts)))


def numbers(path, draw):
    lines = [",".join([f"{draw.uniform(-5, 5):.6f}" for _ in range(32)] + [str(number % 10)]) for number in range(DISTINCT)]
    path.write_bytes(repeated([f"{line}\n".encode() for line in lines]))


def click(draw):
    """Counts, a fifth of which are missing, and hexadecimal categories, a tenth of which are."""
    counts = [str(draw.randint(0, 500)) if draw.random() > 0.2 else "" for _ in range(13)]
    return counts, [f"{draw.randint(0, 5000) * 854321 % 2**32:08x}" if draw.random() > 0.1 else "" for _ in range(26)]


def clicks(path, draw):
    lines = ["\t".join([str(number % 2), *counts, *words]) for number, (counts, words) in enumerate(click(draw) for _ in range(DISTINCT))]
    path.write_bytes(repeated([f"{line}\n".encode() for line in lines]))


def click_examples(path, draw):
    parts = []
    for number in range(DISTINCT):
        counts, words = click(draw)
        features = {"y": label(number % 2), **{f"i{i}": floats(float(count)) for i, count in enumerate(counts) if count}}
        features |= {f"c{i}": delimited(1, delimited(1, word.encode())) for i, word in enumerate(words) if word}
        parts.append(record(example(features)))
    path.write_bytes(repeated(parts))


def text(path, draw):
    """Lines of 5 to 40 words of a vocabulary of about 20,000, which is written beside it."""
    words = sorted({"".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 10))) for _ in range(20_000)})
    (path.parent / "vocabulary.txt").write_text("\n".join(words) + "\n")
    path.write_bytes(repeated([(" ".join(draw.choices(words, k=draw.randint(5, 40))) + "\n").encode() for _ in range(DISTINCT)]))


def large(path, draw):
    """4,000 records of 64 KiB; 8 are different, for checksums in Python take long."""
    parts = [record(struct.pack("<16384f", *(draw.random() for _ in range(16384)))) for _ in range(8)]
    path.write_bytes(b"".join(parts) * 500)


WRITERS = {
    "records.tfrecord": records, "numbers.csv": numbers, "clicks.tsv": clicks, "clicks.tfrecord": click_examples, "text.txt": text,
    "large.tfrecord": large,
}  # fmt: skip


def write(folder):
    for name, writer in WRITERS.items():
        writer(folder / name, random.Random(0))
