# SPDX-License-Identifier: Apache-2.0
"""ingot-ckpt as a process: small, static, quick; stopped by a signal; a full disk."""
import pathlib
import shutil
import signal
import subprocess
import sys
import time

TOOL, ZOO, WORK = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def run(*command, **more):
    """Runs the tool to its end."""
    return subprocess.run(
        [TOOL, *map(str, command)], capture_output=True, text=True, timeout=120, check=False, **more
    )


def starts_at_once():
    """A listing, from exec to exit; nothing of LLVM, nothing dynamic."""
    size = pathlib.Path(TOOL).stat().st_size
    assert size <= 3 << 20, f"{size} bytes"
    ldd = subprocess.run(["ldd", TOOL], capture_output=True, text=True, check=False)
    assert "statically linked" in ldd.stdout or "not a dynamic" in ldd.stderr, ldd
    best = 1e9
    for _ in range(5):
        start = time.monotonic()
        assert run("ls", ZOO / "v2_single").returncode == 0
        best = min(best, time.monotonic() - start)
    print(f"{size} bytes, {best * 1e3:.1f} ms")
    assert best < 0.5, f"{best} s"


def large(path):
    """A sparse safetensors file of 4 GiB in 256 tensors."""
    tensors, size = 256, 1 << 24
    entries = (
        f'"t{i:03}":{{"dtype":"U8","shape":[{size}],"data_offsets":[{i * size},{(i + 1) * size}]}}'
        for i in range(tensors)
    )
    header = "{" + ",".join(entries) + "}"
    with open(path, "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header.encode())
        file.truncate(8 + len(header) + tensors * size)


def a_signal_leaves_nothing():
    """Ctrl-C in the middle: exit code 130 and no file."""
    large(WORK / "large.safetensors")
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        process = subprocess.Popen(
            [TOOL, "convert", str(WORK / "large"), "--to", "v2", "-o", str(WORK / "out")],
            stderr=subprocess.PIPE,
        )
        for _ in range(1000):
            if any(path.stat().st_size > 0 for path in WORK.glob("out.*")):
                break
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert process.returncode == code, (process.returncode, err)
        assert b"stopped by a signal" in err, err
        assert [path.name for path in WORK.iterdir()] == ["large.safetensors"]
    (WORK / "large.safetensors").unlink()


def output_that_cannot_be_written_is_an_error():
    """A full disk under stdout, a file-size limit under a checkpoint."""
    with open("/dev/full", "w") as full:
        done = subprocess.run([TOOL, "ls", str(ZOO / "v2_single")], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
    assert done.returncode == 1 and "cannot write to standard output" in done.stderr, done
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 4; exec "$@"', "sh", TOOL, "convert",
         str(ZOO / "v2_many_keys"), "--to", "v2", "-o", str(WORK / "out")],
        capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 1 and "cannot write" in done.stderr, done
    assert not list(WORK.iterdir()), list(WORK.iterdir())
    done = run("convert", ZOO / "v2_single", "--to", "v2", "-o", WORK / "none" / "out")
    assert done.returncode == 1, done


shutil.rmtree(WORK, ignore_errors=True)
WORK.mkdir(parents=True)
for test in (starts_at_once, a_signal_leaves_nothing, output_that_cannot_be_written_is_an_error):
    print(test.__name__)
    test()
shutil.rmtree(WORK)
