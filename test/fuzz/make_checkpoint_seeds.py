# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of the checkpoint fuzzers from the test data: make_checkpoint_seeds.py

Each table as it is (0), to be repaired (1), and taken apart into records (2); see ForgedTable.h.
"""
import io
import pathlib
import struct
import sys
import zipfile

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

# NumPy writes its archives with this module.
out = here / "seeds-npz"
out.mkdir(exist_ok=True)
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
header += b" " * (-(len(header) + 11) % 64) + b"\n"
array = b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack("<6f", *range(6))
for name, method, names, zip64 in (
    ("stored", zipfile.ZIP_STORED, ["x.npy", "y.npy"], False),
    ("deflated", zipfile.ZIP_DEFLATED, ["x.npy", "a/b.npy"], False),
    ("zip64", zipfile.ZIP_DEFLATED, ["x.npy"], True),
    ("bzip2", zipfile.ZIP_BZIP2, ["x.npy"], False),
    ("empty", zipfile.ZIP_STORED, [], False),
):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for member in names:
            info = zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0))
            info.compress_type = method
            with archive.open(info, "w", force_zip64=zip64) as file:
                file.write(array)
    (out / name).write_bytes(data.getvalue())
