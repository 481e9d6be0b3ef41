#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel: this package with the compiler in it, which is all that `pip install` of the file needs.

    make_wheel.py --build BUILD --out FOLDER

BUILD has the targets ingotc-portable, ingot-ckpt, ingot-adanet and ingot_sdk. The programs in it are static, so the
wheel asks for no library and no version of one. The same files give the same bytes.
"""
import argparse
import base64
import hashlib
import pathlib
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
# pip's platform tags. The programs are static, so they run on every Linux on x86-64, with glibc or musl.
TAGS = ["py3-none-manylinux_2_17_x86_64", "py3-none-musllinux_1_1_x86_64"]
# The limit on the size of the wheel in bytes.
LIMIT = 90 << 20
COMMANDS = ["ingotc", "ingot-ckpt", "ingot-adanet"]


def project():
    """Returns the package's name, version, description and license from pyproject.toml."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    return {key: re.search(rf'^{key} = "(.*)"$', text, re.M).group(1)
            for key in ("name", "version", "description", "license", "requires-python")}  # fmt: skip


def contents(build):
    """Yields the wheel's contents: pairs of a path in the wheel and a file of this tree or of the build folder."""
    for path in sorted((HERE / "ingot").glob("**/*")):
        if path.suffix == ".py" or path.name == "py.typed":
            yield f"ingot/{path.relative_to(HERE / 'ingot')}", path
    for command in COMMANDS:
        portable = build / "bin" / f"{command}-portable"
        yield f"ingot/sdk/bin/{command}", portable if portable.exists() else build / "bin" / command
    for folder, target in ((build / "lib" / "ingot", "lib/ingot"), (SOURCE / "include" / "ingot", "include/ingot")):
        for path in sorted(folder.glob("*")):
            if path.is_file():
                yield f"ingot/sdk/{target}/{path.name}", path


def metadata(facts):
    """Returns the texts of the files in .dist-info, except for RECORD, by name."""
    tags = "".join(f"Tag: {tag}\n" for tag in TAGS)
    scripts = "".join(f"{command} = ingot._tools:{command.replace('-', '_')}\n" for command in COMMANDS)
    return {
        "METADATA": f"Metadata-Version: 2.1\nName: {facts['name']}\nVersion: {facts['version']}\n"
                    f"Summary: {facts['description']}\nLicense: {facts['license']}\n"
                    f"Requires-Python: {facts['requires-python']}\nRequires-Dist: numpy\n"
                    "Provides-Extra: jax\nRequires-Dist: jax>=0.4.35; extra == 'jax'\n"
                    "Provides-Extra: torch\nRequires-Dist: torch>=2.5; extra == 'torch'\nRequires-Dist: ml_dtypes; extra == 'torch'\n"
                    "Classifier: Typing :: Typed\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\n{tags}",
        "entry_points.txt": f"[console_scripts]\n{scripts}",
        "LICENSE": (SOURCE / "LICENSE").read_text(encoding="utf-8")}  # fmt: skip


def make(build, out):
    facts = project()
    tags = ".".join(dict.fromkeys(tag.split("-")[2] for tag in TAGS))
    name = f"{facts['name']}-{facts['version']}"
    wheel = out / f"{name}-py3-none-{tags}.whl"
    out.mkdir(parents=True, exist_ok=True)
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(path, data, mode):
            info = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}\n")

        for path, file in contents(build):
            if not file.exists():
                sys.exit(f"error: {file} is missing: build ingotc-portable, ingot-ckpt, ingot-adanet and ingot_sdk first")
            add(path, file.read_bytes(), 0o755 if "/sdk/bin/" in path else 0o644)
        for path, text in metadata(facts).items():
            add(f"{name}.dist-info/{path}", text.encode(), 0o644)
        record.append(f"{name}.dist-info/RECORD,,\n")
        add(f"{name}.dist-info/RECORD", "".join(record).encode(), 0o644)
    size = wheel.stat().st_size
    print(f"{wheel}: {size / (1 << 20):.1f} MiB")
    if size > LIMIT:
        sys.exit(f"error: that is more than {LIMIT >> 20} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    make(arguments.build.resolve(), arguments.out.resolve())


if __name__ == "__main__":
    main()
