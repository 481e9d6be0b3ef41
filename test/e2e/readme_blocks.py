#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README's transcripts and tables, written by the commands that they show.

    readme_blocks.py --build BUILD [BLOCK...]

A block follows a line `<!-- readme: NAME -->`: the text between the fences, or a table. Without
names all are rewritten, but for the lines of Python, which tests run:

    demo     what `./dev demo` prints, shortened by `brief`
    tests    the end of `./dev test`, which runs every test (or --test-log FILE: what such a run printed)
    script   what the commands after the nine lines of Python print (with TensorFlow)
    bench    the table of steps a second (with TensorFlow), on a machine that does nothing else

TensorFlow is that of the Python that INGOT_TF_PYTHON names. `form` is what two runs have in common:
readme.py compares it.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
README = SOURCE / "README.md"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?")


def fence_of(text, name):
    """Where the content of a block begins and ends."""
    marker = f"<!-- readme: {name} -->\n"
    assert text.count(marker) == 1, f"README has {text.count(marker)} blocks '{name}'"
    begin = text.index(marker) + len(marker)
    if text.startswith("```", begin):
        begin = text.index("\n", begin) + 1
        return begin, text.index("```\n", begin)
    return begin, text.index("\n\n", text.index("\n|", begin)) + 1


def shown(name, text=None):
    """The blocks of README."""
    text = README.read_text(encoding="utf-8") if text is None else text
    begin, end = fence_of(text, name)
    return text[begin:end]


def form(text):
    """`text` without what varies from run to run: numbers other than those of commands, names of temporary
    folders, the curve; and of a run's log, in which order its lines stand and how often one of a form."""
    lines, log = [], set()
    for line in [*text.strip("\n").split("\n"), None]:
        if line is not None and not line.startswith("$ "):
            line = re.sub(r"/tmp/[^/' ]+/", "TMP/", line)
            line = re.sub(r"tfevents\.\d+\..*", "tfevents.#.HOST", line)
            if re.match(r" *[\d.e+-]+ \|[ :*]*$", line):
                line = "# |CURVE"
            line = NUMBER.sub("#", line.strip())
            if re.match(r"(step|saved|restored) ", line):
                log.add(line)
                continue
        lines += sorted(log)
        log = set()
        if line is not None and (not lines or lines[-1] != line):
            lines.append(line)
    return lines


def brief(text):
    """The demo's output without the curve, and of each log the first step and the last checkpoint."""
    lines, log = [], []
    for line in [*text.strip("\n").split("\n"), None]:
        if line is not None and re.match(r"(step|saved|restored|note:) ", line):
            log.append(line)
            continue
        kinds = {kind: [one for one in log if one.startswith(kind)] for kind in ("restored ", "step ", "saved ")}
        lines += kinds["restored "][:1] + kinds["step "][:1] + (["..."] if len(log) > 3 else []) + kinds["saved "][-1:]
        log = []
        if line is not None and not re.match(r" *[\d.e+-]+ \|| {10}", line):
            lines.append(line)
    return re.sub(r"\n\n+", "\n\n", "\n".join(lines)) + "\n"


def run(command, **more):
    """A command's output; a failure is this script's."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **more)  # fmt: skip
    if done.returncode:
        sys.exit(f"{command}\n{done.stdout}exit code {done.returncode}")
    return done.stdout


def tensorflow():
    """The Python with TensorFlow, or None."""
    return os.environ.get("INGOT_TF_PYTHON")


def demo(build, _):
    return brief(run([sys.executable, "-B", SOURCE / "examples" / "demo.py",
                      "--ingotc", os.path.relpath(build / "bin" / "ingotc", SOURCE)], cwd=SOURCE))  # fmt: skip


def tests(build, log):
    text = log.read_text() if log else run(["ctest", "--test-dir", build, f"-j{os.cpu_count()}"])
    text = text[text.index("100% tests passed") :]
    # What a machine lacks, and skips for that, is its own.
    return text[: text.index("\n", text.index("Total Test time")) + 1]


def script(build, _):
    """Runs the lines of Python, then each command of the transcript."""
    python = tensorflow() or sys.exit("set INGOT_TF_PYTHON to a Python with TensorFlow")
    with tempfile.TemporaryDirectory() as folder:
        run([python, "-c", shown("python")], cwd=folder, env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3"))
        return transcript(build, folder, shown("script"))


def transcript(build, folder, text):
    """`text` with the current output of its commands."""
    environment = dict(os.environ, PATH=f"{build.resolve() / 'bin'}:{os.environ['PATH']}")
    out = ""
    for command in re.findall(r"^\$ (.*)$", text, re.M):
        out += f"$ {command}\n" + run(["bash", "-c", command], cwd=folder, env=environment)
    return out


def machine():
    """The processor, in the words of the table's first line."""
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    vectors = "AVX-512" if " avx512f " in flags else "AVX2" if " avx2 " in flags else "SSE4"
    return f"{len(os.sched_getaffinity(0))} cores with {vectors}"


def table(rows, version, old):
    """The table of bench: `rows` has both rates by graph; what a graph is, README's last table says."""
    text = (f"Steps a second (`./dev bench`; {machine()}; TensorFlow {version}'s session ran the same graphs in the "
            "same sitting):\n\n| graph | Ingot | TensorFlow | |\n|---|---|---|---|\n")  # fmt: skip
    for graph, (ours, theirs) in rows.items():
        known = re.search(rf"^\| (`{graph}`[^|]*) \|", old, re.M)
        named = known.group(1) if known else f"`{graph}`"
        text += f"| {named} | {ours:,} | {theirs:,} | {ours / theirs:.1f}x |\n"
    return text


def bench(build, _):
    python = tensorflow() or sys.exit("set INGOT_TF_PYTHON to a Python with TensorFlow")
    graphs = re.findall(r"^\| `([\w-]+)`", shown("bench"), re.M)
    text = run([sys.executable, "-B", SOURCE / "bench" / "run.py", "--ingotc", build / "bin" / "ingotc", *graphs])
    rates = re.findall(r"^([\w-]+) .* ([\d,]+) +[\d,]+ +([\d,]+) +[\d.]+x$", text, re.M)
    version = run([python, "-c", "import tensorflow; print(tensorflow.__version__)"]).split()[-1]
    number = lambda digits: int(digits.replace(",", ""))
    version = ".".join(version.split(".")[:2])
    return table({graph: (number(a), number(b)) for graph, a, b in rates}, version, shown("bench"))


BLOCKS = {"demo": demo, "tests": tests, "script": script, "bench": bench}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--test-log", type=pathlib.Path, help="what `./dev test` printed")
    parser.add_argument("blocks", nargs="*", metavar="BLOCK")
    arguments = parser.parse_args()
    for name in arguments.blocks or BLOCKS:
        if name not in BLOCKS:
            parser.error(f"no block '{name}'; there are {', '.join(BLOCKS)}")
        content = BLOCKS[name](arguments.build.resolve(), arguments.test_log)
        text = README.read_text(encoding="utf-8")
        begin, end = fence_of(text, name)
        README.write_text(text[:begin] + content.rstrip("\n") + "\n" + text[end:], encoding="utf-8")
        print(f"README: {name}")


if __name__ == "__main__":
    main()
