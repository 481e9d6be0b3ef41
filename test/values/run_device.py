# SPDX-License-Identifier: Apache-2.0
"""Runs every case of a suite of cases/ on a device that is emulated, and compares with TensorFlow's figures.

    run_device.py --ingotc build/bin/ingotc --runtime build/test/values/runtime --work DIR SUITE [CASE...]

The driver and the kernels are the tests' own (test/Cuda, test/Emulator), races and addresses are checked. Integers and
what is only moved are met exactly; floats as on processors (run_values.py), or to a few units where sums and functions
round in another order. With --left N, up to N kernels may stay on the host.
"""
import json
import os
import shutil
import sys

import parts
import run_values as values
from case_options import caseOptions

# Shares of a figure, and of the largest one, which partial sums are as large as.
UNITS = {"f2": 2.0**-9, "f4": 4e-6, "f8": 1e-13}


def emulate(options, folder, cases):
    """The kernels for the driver; what ingotc remarks."""
    bin = options.ingotc.resolve().parent
    kernels = [options.ingotc, folder / "graph.meta", "--target=cuda", *values.entryFlags(cases)]
    image, ir = folder / "kernels.ptx", folder / "kernels.ll"
    said = ""
    for command in (
        [*kernels, "--emit=ptx", "--remarks", "-o", image],
        [*kernels, "--emit=nvvm", "-o", ir],
        [bin / "ingot-ptx-emulate", ir, "--image", image, "-o", folder, "--check"],
    ):
        code, more = values.run(command)
        assert code == 0, f"{command[0]}: exit code {code}: {more}"
        said += more
    return [line for line in said.splitlines() if "stays on the host" in line]


def main():
    parser = caseOptions(__doc__)
    parser.add_argument("--left", type=int, default=0, help="kernels that may stay on the host")
    parser.add_argument("suite")
    parser.add_argument("case", nargs="*", help="only these")
    options = parser.parse_args()
    folder = options.work / f"{options.suite}-device"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    parts.unpack(values.CASES, options.suite, folder)
    cases = json.loads((folder / "cases.json").read_text())
    cases = [case for case in cases if not options.case or case["name"] in options.case]
    assert cases, "no such case"
    trainer = folder / "trainer"
    command = [options.ingotc, folder / "graph.meta", "--target=cuda", "--cpu", options.cpu, "-o", trainer]
    code, said = values.run([*command, "--runtime-dir", options.runtime, *values.entryFlags(cases)])
    assert code == 0, f"does not compile, exit code {code}: {said}"
    left = emulate(options, folder, cases)
    cuda = options.ingotc.resolve().parents[1] / "test" / "Cuda"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(cuda), "INGOT_EMULATED_KERNELS": str(folder)}
    runs = [(case, values.THREADS[0]) for case in cases if not values.feedsText(folder, case)]
    failed = set()
    for (case, threads), (code, said) in zip(runs, values.runCases(folder, trainer, runs, environment)):
        for _, key in case["fetches"] if "fails" not in case else ():
            dtype = values.Array((folder / f"{key}.npy").read_bytes()).dtype
            for share in ("rtol", "atol"):
                case[share] = max(case[share], UNITS.get(dtype, 0))
        for sentence in values.problems(folder, case, threads, code, said):
            print(f"FAILED {case['name']}: {sentence}")
            failed.add(case["name"])
    print("\n".join(left))
    print(f"{options.suite} on a device: {len(runs) - len(failed)} of {len(runs)} cases agree, {len(left)} kernels stay on the host")
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed or len(left) > options.left else 0


if __name__ == "__main__":
    sys.exit(main())
