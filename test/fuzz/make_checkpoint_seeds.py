"""Makes the seeds of the checkpoint fuzzers from the test data: make_checkpoint_seeds.py

Each table as it is (0), to be repaired (1), and taken apart into records (2); see ForgedTable.h.
"""
import pathlib
import struct
import sys

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "e2e"))
import bundle  # noqa: E402

zoo = here.parent / "data" / "checkpoint_zoo"


def seeds(folder, paths):
    """Writes the three forms of each table into `folder`."""
    out = here / folder
    out.mkdir(exist_ok=True)
    for path in paths:
        data = path.read_bytes()
        records = b"".join(
            bytes([len(key)]) + struct.pack("<H", len(value)) + key + value
            for key, value in bundle.table(data)
        )
        (out / f"{path.name}.raw").write_bytes(b"\0" + data)
        (out / f"{path.name}.repaired").write_bytes(b"\1" + data)
        (out / f"{path.name}.records").write_bytes(b"\2" + records)


names = ("v2_single", "v2_dtypes", "v2_slices", "v2_sharded4", "object_based-1")
seeds("seeds-index", [zoo / f"{name}.index" for name in names])
seeds("seeds-v1", [zoo / "v1_single", *sorted(zoo.glob("v1_sharded2-*")),
                   zoo.parent / "checkpoint_formats" / "v1_dtypes"])  # fmt: skip
out = here / "seeds-safetensors"
out.mkdir(exist_ok=True)
for name, header, size in (
    ("two", '{"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2,3],"data_offsets":[2,26]},'
            '"a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]}}', 26),  # fmt: skip
    ("empty", "{}", 0),
    ("scalar", '{"a":{"dtype":"I64","shape":[],"data_offsets":[0,8]}}', 8),
):
    (out / name).write_bytes(b"\1" + struct.pack("<Q", len(header)) + header.encode() + bytes(size))
