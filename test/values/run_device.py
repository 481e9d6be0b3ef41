# SPDX-License-Identifier: Apache-2.0
"""Runs every case of a suite of cases/ on a device that is emulated, and compares with TensorFlow's figures.

    run_device.py --ingotc build/bin/ingotc --runtime build/test/values/runtime --work DIR SUITE [CASE...]

The driver and the kernels are the tests' own (test/Cuda, test/Emulator), races and addresses are checked. Integers and
what is only moved are met exactly; floats as on processors (run_values.py), or to a few units where sums and functions
round in another order. With --left N, up to N kernels may stay on the host.

With --gpu, on the machine's own GPU, or exit code 77 where it has none. --only=compile and --only=run do one half, so
that a machine with a GPU can run what another one has compiled; the folder DIR is to be the same.
"""
import json
import os
import pathlib
import shutil
import sys

import parts
import run_values as values
from case_options import caseOptions

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "gpu"))
import gpu

# Shares of a figure, and of the largest one, which partial sums are as large as.
UNITS = {"f2": 2.0**-9, "f4": 4e-6, "f8": 1e-13}


def emulate(options, folder, cases):
    """The kernels for the emulator's driver."""
    bin = options.ingotc.resolve().parent
    kernels = [options.ingotc, folder / "graph.meta", "--target=cuda", *values.entryFlags(cases)]
    image, ir = folder / "kernels.ptx", folder / "kernels.ll"
    for command in (
        [*kernels, "--emit=ptx", "-o", image],
        [*kernels, "--emit=nvvm", "-o", ir],
        [bin / "ingot-ptx-emulate", ir, "--image", image, "-o", folder, "--check"],
    ):
        code, said = values.run(command)
        assert code == 0, f"{command[0]}: exit code {code}: {said}"


def compileSuite(options, folder, cases):
    """The trainer, and what ingotc remarks of kernels that stay on the host, as a file."""
    command = [options.ingotc, folder / "graph.meta", "--target=cuda", "--cpu", options.cpu, "--remarks"]
    command += ["--runtime-dir", options.runtime, "-o", folder / "trainer", *values.entryFlags(cases)]
    code, said = values.run(command)
    assert code == 0, f"does not compile, exit code {code}: {said}"
    left = [line for line in said.splitlines() if "stays on the host" in line]
    (folder / "left").write_text("".join(line + "\n" for line in left))


def emulatorEnvironment(options, folder, cases):
    """The tests' own driver, with the kernels that it is to run."""
    emulate(options, folder, cases)
    cuda = options.ingotc.resolve().parents[1] / "test" / "Cuda"
    return {**os.environ, "LD_LIBRARY_PATH": str(cuda), "INGOT_EMULATED_KERNELS": str(folder)}


def runSuite(folder, cases, environment):
    """Runs all cases; the number of them, and the names of those that fail."""
    runs = [(case, values.THREADS[0]) for case in cases if not values.feedsText(folder, case)]
    failed = set()
    for (case, threads), (code, said) in zip(runs, values.runCases(folder, folder / "trainer", runs, environment)):
        for _, key in case["fetches"] if "fails" not in case else ():
            dtype = values.Array((folder / f"{key}.npy").read_bytes()).dtype
            for share in ("rtol", "atol"):
                case[share] = max(case[share], UNITS.get(dtype, 0))
        for sentence in values.problems(folder, case, threads, code, said):
            print(f"FAILED {case['name']}: {sentence}")
            failed.add(case["name"])
    return len(runs), failed


def main():
    parser = caseOptions(__doc__)
    parser.add_argument("--left", type=int, default=0, help="kernels that may stay on the host")
    parser.add_argument("--gpu", action="store_true", help="on the machine's own GPU")
    parser.add_argument("--only", choices=("compile", "run"), help="with --gpu: one half of it")
    parser.add_argument("suite")
    parser.add_argument("case", nargs="*", help="only these")
    options = parser.parse_args()
    if options.gpu and options.only != "compile" and (reason := gpu.missing()):
        print(f"SKIP: {reason}")
        return 77
    folder = options.work / f"{options.suite}-{'gpu' if options.gpu else 'device'}"
    if options.only != "run":
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        parts.unpack(values.CASES, options.suite, folder)
    cases = json.loads((folder / "cases.json").read_text())
    cases = [case for case in cases if not options.case or case["name"] in options.case]
    assert cases, "no such case"
    if options.only != "run":
        compileSuite(options, folder, cases)
    if options.only == "compile":
        return 0
    environment = {**os.environ, "INGOT_TEST_GPU": "1"} if options.gpu else emulatorEnvironment(options, folder, cases)
    count, failed = runSuite(folder, cases, environment)
    left = (folder / "left").read_text().splitlines()
    print("\n".join(left))
    print(f"{options.suite} on a device: {count - len(failed)} of {count} cases agree, {len(left)} kernels stay on the host")
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed or len(left) > options.left else 0


if __name__ == "__main__":
    sys.exit(main())
