# SPDX-License-Identifier: Apache-2.0
"""The .deb and the tar hold all that compiling and training take: on Debian 12's base, and where nothing else is."""
import os
import pathlib
import re
import shutil
import struct
import subprocess

import harness

TOOLS = ("ingotc", "ingot-ckpt", "ingot-adanet")


def packages(setup):
    """Where `the_packages_are_made` leaves them."""
    return setup.trainer.parent / "packages"


def the_packages_are_made(setup):
    """As `./dev package` does, but for xz, which takes minutes."""
    build = setup.ingotc.parents[1]
    if not (build / "package" / "copyright").exists():
        raise harness.Skip("build/package is missing; ./dev package builds it")
    shutil.rmtree(packages(setup), ignore_errors=True)
    made = setup.run("cpack", "--config", build / "CPackConfig.cmake", "-B", packages(setup),
                     "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")  # fmt: skip
    assert made.code == 0, made.out + made.err
    shutil.rmtree(packages(setup) / "_CPack_Packages")
    assert sorted(path.suffix for path in packages(setup).iterdir()) == [".deb", ".gz"]


def packages_are_written_where_they_are_wanted(setup):
    """`./dev package FOLDER`, with programs in place of CMake and cpack that write what they are asked for."""
    tree, tools = setup.dir / "tree", setup.dir / "tools"
    (tree / "build").mkdir(parents=True)
    tools.mkdir()
    shutil.copy(harness.SOURCE / "dev", tree)
    (tree / "build" / "build.ninja").write_text("")
    programs = {"cmake": "true", "dpkg-query": "echo -n installed",
                "cpack": 'while [ "$1" != -B ]; do shift; done; mkdir -p "$2/_CPack_Packages"; touch "$2/ingot.deb"'}
    for name, text in programs.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    for given, folder in (([], tree / "dist"), (["sub/dir"], tree / "sub/dir"), ([setup.dir / "wanted"], setup.dir / "wanted")):
        done = setup.run(tree / "dev", "package", *given, cwd=setup.dir, env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
        assert done.code == 0, done.err
        assert [path.name for path in folder.iterdir()] == ["ingot.deb"], (given, folder)


def package(setup, suffix):
    for path in packages(setup).glob("*" + suffix):
        return path
    raise harness.Skip("no package was made")


def is_static(program):
    """An ELF executable for x86-64 without the name of an interpreter."""
    data = program.read_bytes()
    assert data[:6] == b"\x7fELF\2\1" and struct.unpack_from("<H", data, 18) == (62,), program
    (begin,), size, count = struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54)
    return all(struct.unpack_from("<I", data, begin + i * size) != (3,) for i in range(count))


def inside(setup, root):
    """Runs commands that see only `root`; a Skip if the system allows nobody that."""

    def run(*command):
        return setup.run("unshare", "--user", "--map-root-user", "--root", root, "--wd", "/graph", *command,
                         env={"PATH": "/usr/bin"})  # fmt: skip

    can = setup.run("unshare", "--user", "--map-root-user", "true") if shutil.which("unshare") else None
    if not can or can.code:
        raise harness.Skip("a process can't change its root folder here" + (f": {can.err.strip()}" if can else ""))
    return run


def graph_in(folder):
    shutil.copytree(harness.REFERENCE, folder, ignore=shutil.ignore_patterns("model.ckpt*", "checkpoint"))


def expected_losses(setup):
    losses = setup.dir / "losses"
    setup.train(setup.dir / "run", "--max-steps", 20, "--losses", losses).expect(0)
    return losses.read_bytes()


def the_package_says_what_it_is(setup):
    fields = setup.run("dpkg-deb", "--field", package(setup, ".deb")).expect(0).out
    project = re.search(r"project\(Ingot VERSION (\S+)", (harness.SOURCE / "CMakeLists.txt").read_text())[1]
    for field in ("Package: ingot\n", f"Version: {project}\n", "Architecture: amd64\n", "Maintainer: "):
        assert field in fields, fields
    root = setup.dir / "root"
    setup.run("dpkg-deb", "--extract", package(setup, ".deb"), root).expect(0)
    # It names no other package, as no program of it asks for a library.
    assert "Depends" not in fields, fields
    assert sorted(path.name for path in (root / "usr/bin").iterdir()) == sorted(TOOLS)
    for program in (root / "usr/bin").iterdir():
        assert is_static(program), program
    # The terms of all that is linked into these, and into trainers.
    texts = (root / "usr/share/doc/ingot/copyright").read_text()
    for words in ("Apache License", "LLVM Exceptions", "GNU Lesser General Public", "GCC Runtime Library Exception",
                  "libprotobuf-dev", "libleveldb-dev", "libsnappy-dev", "libre2-dev", "libpng-dev", "libjpeg62-turbo-dev", "zlib1g-dev",
                  "libeigen3-dev", "libkissfft-dev", "libzstd-dev", "nlohmann-json3-dev"):  # fmt: skip
        assert words.lower() in texts.lower(), words


def the_package_needs_nothing_else(setup):
    """Its files alone, in a folder that is the root: no C library, no shell, no /proc."""
    root = setup.dir / "root"
    setup.run("dpkg-deb", "--extract", package(setup, ".deb"), root).expect(0)
    (root / "tmp").mkdir()
    graph_in(root / "graph")
    digits = harness.SOURCE / "examples" / "digits"
    shutil.copytree(digits, root / "graph" / "digits")
    run = inside(setup, root)
    run("ingotc", "train.meta", "-o", "trainer").expect(0)
    run("./trainer", "--model-dir", "run", "--max-steps", 20, "--losses", "losses", "--quiet").expect(0)
    assert (root / "graph" / "losses").read_bytes() == expected_losses(setup)
    run("ingot-ckpt", "verify", "run/model.ckpt-20").expect(0)
    # It runs the compiler beside it.
    run("ingot-adanet", "train", "digits/search.pbtxt", "--model-dir", "search", "--max-iterations", 1, "--quiet").expect(0)
    assert list((root / "graph" / "search").glob("model.ckpt-*.index"))


def the_tar_is_the_same(setup):
    """Unpacked anywhere, the compiler finds its own."""
    setup.run("tar", "xf", package(setup, ".gz"), "-C", setup.dir).expect(0)
    (top,) = (path.parent for path in setup.dir.glob("*/bin"))
    setup.run(top / "bin" / "ingotc", harness.REFERENCE / "train.meta", "-o", setup.dir / "trainer").expect(0)
    expected = expected_losses(setup)
    setup.trainer = setup.dir / "trainer"
    assert is_static(setup.trainer) and expected_losses(setup) == expected
    assert (top / "include" / "ingot" / "hook.h").exists() and (top / "share" / "doc" / "ingot" / "copyright").exists()


def debian_12s_base(setup):
    """A folder with it: made once, and kept beside the tests' own."""
    base = setup.trainer.parent / "debian-12"
    if base.exists():
        return base
    if os.geteuid() or not shutil.which("debootstrap"):
        raise harness.Skip("Debian's base system takes debootstrap, and root")
    making = pathlib.Path(f"{base}.part")
    shutil.rmtree(making, ignore_errors=True)
    try:
        made = setup.run("debootstrap", "--variant=minbase", "bookworm", making, timeout=600)
    except subprocess.TimeoutExpired:
        raise harness.Skip("Debian's base system takes too long to come over the network") from None
    if made.code:
        raise harness.Skip(f"Debian's base system can't be had here: {made.out.splitlines()[-1:]}")
    making.rename(base)
    return base


def debian_12_needs_nothing_else(setup):
    """Installed with dpkg on a base system, it compiles a graph, and what it made trains."""
    root = setup.dir / "root"
    subprocess.run(["cp", "--archive", "--reflink=auto", debian_12s_base(setup), root], check=True)
    shutil.copy(package(setup, ".deb"), root / "ingot.deb")
    graph_in(root / "graph")
    bare = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    for command in ("dpkg --install /ingot.deb", "cd graph && ingotc train.meta -o trainer",
                    "cd graph && ./trainer --model-dir run --max-steps 20 --losses losses"):  # fmt: skip
        setup.run("chroot", root, "/bin/sh", "-c", command, env=bare).expect(0)
    assert (root / "graph" / "losses").read_bytes() == expected_losses(setup)
    assert "ingot" not in setup.run("chroot", root, "dpkg", "--audit", env=bare).expect(0).out


if __name__ == "__main__":
    harness.main(globals())
