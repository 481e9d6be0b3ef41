"""Kernels that were compiled before are found again, and never taken for others."""
import re
import subprocess

import harness


def compile_with(setup, name, *flags):
    """Compiles the reference graph; how many kernels were compiled, how many found, and the artifact's bytes."""
    output = setup.dir / name
    done = setup.compile(harness.REFERENCE / "train.meta", "-o", output, "--timing", *flags).expect(0)
    found = re.search(r"(\d+) compiled, (\d+) from the cache", done.err)
    assert found, f"--timing says nothing of kernels:\n{done.err}"
    return int(found[1]), int(found[2]), output.read_bytes()


def kernels_are_compiled_once(setup):
    cache = ["--cache-dir", setup.dir / "cache"]
    compiled, found, first = compile_with(setup, "first", *cache)
    assert compiled > 10 and found == 0, (compiled, found)
    compiled_again, found_again, second = compile_with(setup, "second", *cache)
    assert (compiled_again, found_again) == (0, compiled), (compiled_again, found_again)
    # Neither where code comes from nor how many compiled it shows in the artifact.
    assert second == first, "the artifact differs where its kernels came from the cache"
    _, none_found, without = compile_with(setup, "without", "--no-cache")
    assert none_found == 0 and without == first, "the artifact differs without a cache"


def kernels_for_devices_are_compiled_once(setup):
    """Those of every image, and the processor's: compiled again, a graph compiles nothing."""
    graph = harness.SOURCE / "test" / "data" / "models" / "transformer" / "train.meta"
    outputs, counts = [], []
    for name in ("first", "second"):
        outputs.append(setup.dir / name)
        done = setup.compile(
            graph, "-o", outputs[-1], "--timing", "--target=cuda", "--cache-dir", setup.dir / "cache"
        ).expect(0)
        told = re.findall(r"(\S+) kernels: (\d+) compiled, (\d+) from the cache", done.err)
        counts.append({target: (int(compiled), int(found)) for target, compiled, found in told})
    assert {"sm_80", "sm_90a", "sm_100a"} < set(counts[0]) and len(counts[0]) == 4, counts
    for target, (compiled, found) in counts[0].items():
        assert compiled > 40 and found == 0, counts
        assert counts[1][target] == (0, compiled), counts
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def another_level_or_optimization_finds_nothing(setup):
    cache = ["--cache-dir", setup.dir / "cache"]
    compile_with(setup, "first", *cache, "--cpu=x86-64-v3")
    assert compile_with(setup, "level", *cache, "--cpu=x86-64-v2")[1] == 0
    assert compile_with(setup, "optimization", *cache, "--cpu=x86-64-v3", "-O1")[1] == 0


def damaged_kernels_are_compiled_again(setup):
    cache = ["--cache-dir", setup.dir / "cache"]
    compiled, _, first = compile_with(setup, "first", *cache)
    files = sorted((setup.dir / "cache").glob("llvmcache-*"))
    files = [file for file in files if len(file.name) == len("llvmcache-") + 64]
    # The entries' code is one more.
    assert len(files) == compiled + 1, f"{len(files)} files for {compiled} kernels and the entries"
    for number, file in enumerate(files):
        content = bytearray(file.read_bytes())
        if number % 3 == 0:
            content[len(content) // 2] ^= 1
        elif number % 3 == 1:
            content = content[: len(content) // 2]
        else:
            content = b""
        file.write_bytes(content)
    again, found, second = compile_with(setup, "second", *cache)
    assert (again, found) == (compiled, 0), f"{found} damaged kernels were used"
    assert second == first
    assert compile_with(setup, "third", *cache)[1] == compiled, "what was damaged was not replaced"


def several_compilers_share_a_cache(setup):
    command = [setup.ingotc, harness.REFERENCE / "train.meta", "--cache-dir", setup.dir / "cache", "-o"]
    outputs = [setup.dir / f"trainer{i}" for i in range(4)]
    running = [subprocess.Popen([str(part) for part in (*command, output)]) for output in outputs]
    assert [process.wait(timeout=250) for process in running] == [0] * 4
    assert len({output.read_bytes() for output in outputs}) == 1
    left = [file.name for file in (setup.dir / "cache").iterdir() if "tmp" in file.name]
    assert not left, f"temporary files are left: {left}"


def a_cache_that_cannot_be_is_said(setup):
    (setup.dir / "file").write_text("")
    setup.compile(
        harness.REFERENCE / "train.meta", "-o", setup.dir / "t", "--cache-dir", setup.dir / "file" / "cache"
    ).expect(1, "cannot keep kernels in")
    setup.compile(
        harness.REFERENCE / "train.meta", "-o", setup.dir / "t", "--cache-dir", setup.dir / "cache", "--no-cache"
    ).expect(2, "--cache-dir with --no-cache")


if __name__ == "__main__":
    harness.main(globals())
