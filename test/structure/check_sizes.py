#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the size of the repository: what is tracked stays small.

    check_sizes.py              checks the tracked files
    check_sizes.py --self-test  checks that each rule finds a fault

- No tracked file has more than 256 KiB, but for those of LARGE, each of which has its own bound and a reason. The list
  only shrinks: a file that has become small, or is gone, leaves it, and one that has become smaller has a smaller bound.
- All tracked files together have at most TOTAL bytes. Where they have become much less, TOTAL is lowered.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 256 << 10
TOTAL, LOOSE = 61_500_000, 4_000_000
# What a bound may be larger than its file.
SLACK = 4096

REASONS = {
    "graph": "a graph as TensorFlow wrote it, with its constants or function library",
    "adanet": "a graph that adanet wrote beside a checkpoint, and reads back under this name",
    "values": "one case of a suite, which is in no smaller part than itself (test/values/parts.py)",
    "data": "records or checkpoints of a reference run",
}
LARGE = {
    "bench/graphs/conv-cifar.meta": (888_832, "graph"),
    "bench/graphs/ensemble.meta": (352_256, "graph"),
    "bench/graphs/lstm.meta": (553_984, "graph"),
    "bench/graphs/mlp-mnist.meta": (507_904, "graph"),
    "bench/graphs/mlp-wide.meta": (1_122_304, "graph"),
    "bench/graphs/resnet-20.meta": (1_143_808, "graph"),
    "bench/graphs/transformer.meta": (1_306_624, "graph"),
    "examples/digits/data/train.tfrecord": (422_912, "data"),
    "test/data/adanet_diabetes/model.ckpt-130.meta": (1_139_712, "adanet"),
    "test/data/adanet_diabetes/model.ckpt-210.meta": (1_540_096, "adanet"),
    "test/data/adanet_diabetes/model.ckpt-50.meta": (675_840, "adanet"),
    "test/data/adanet_digits/increment.ckpt-2.data-00000-of-00002": (374_784, "data"),
    "test/data/adanet_digits/model.ckpt-150.meta": (1_632_256, "adanet"),
    "test/data/adanet_digits/model.ckpt-250.meta": (2_147_328, "adanet"),
    "test/data/adanet_digits/model.ckpt-50.meta": (1_138_688, "adanet"),
    "test/data/embedding_sparse/train.meta": (270_336, "graph"),
    "test/data/input/parsed.meta": (348_160, "graph"),
    "test/data/models/recurrent_layers/train.meta": (976_896, "graph"),
    "test/data/models/transformer/train.meta": (495_616, "graph"),
    "test/data/models/wide_and_deep/train.meta": (458_752, "graph"),
    "test/data/saved_model_mixed/mixed_bfloat16/saved_model/saved_model.pb": (302_080, "graph"),
    "test/data/saved_model_mixed/mixed_float16/saved_model/saved_model.pb": (350_208, "graph"),
    "test/values/cases/product/0001011.tar.xz": (266_240, "values"),
}


def problems_of(sizes, large, total, reasons):
    """What is wrong with files of these sizes, by path."""
    found = []
    for path, size in sizes.items():
        if size > LIMIT and path not in large:
            found.append(f"{path}: {size} bytes; at most {LIMIT}")
    for path, (bound, reason) in large.items():
        size = sizes.get(path, 0)
        if reason not in reasons:
            found.append(f"{path}: '{reason}' is no reason")
        if size <= LIMIT:
            found.append(f"{path}: {size} bytes, which is not large: take it off the list")
        elif size > bound:
            found.append(f"{path}: {size} bytes; at most {bound}")
        elif bound - size > SLACK:
            found.append(f"{path}: {size} bytes, and its bound is {bound}: lower it")
    everything = sum(sizes.values())
    if everything > total:
        found.append(f"{everything} bytes are tracked; at most {total}")
    if everything < total - LOOSE:
        found.append(f"{everything} bytes are tracked, and the bound is {total}: lower it")
    return found


def self_test():
    large, reasons = {"big": (300_000, "graph")}, {"graph": ""}
    good = {"big": 299_000, "small": LIMIT}
    total = sum(good.values()) + 1000
    assert not problems_of(good, large, total, reasons)
    faults = [
        (good | {"new": LIMIT + 1}, large, total + LIMIT + 1),
        (good | {"big": 300_001}, large, total + 2000),
        (good | {"big": 290_000}, large, total),
        ({"small": LIMIT}, large, total),
        (good | {"big": 1000}, large, total),
        (good, {"big": (300_000, "because")}, total),
        (good | {"more": 2000}, large, total),
        (good, large, total + LOOSE),
    ]
    for number, (sizes, listed, most) in enumerate(faults):
        found = problems_of(sizes, listed, most, reasons)
        assert len(found) == 1, f"fault {number}: {found}"
    print(f"{len(faults)} faults found")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode:
        print("skipped: this is no clone of the repository")
        return 77
    paths = [path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file()]
    sizes = {path: (ROOT / path).lstat().st_size for path in paths}
    found = problems_of(sizes, LARGE, TOTAL, REASONS)
    print("\n".join(found))
    large = sum(size for size in sizes.values() if size > LIMIT)
    print(f"{len(sizes)} files, {sum(sizes.values()) / 1e6:.1f} MB, {large / 1e6:.1f} MB of them in {len(LARGE)} large ones")
    return 1 if found or len(sizes) < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
