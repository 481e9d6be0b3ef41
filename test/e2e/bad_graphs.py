# SPDX-License-Identifier: Apache-2.0
"""Graphs that cannot be read or compiled, and command lines that are wrong."""
import random

import harness

REFUSED = harness.SOURCE / "test" / "compiler" / "Import" / "Inputs" / "refused.pbtxt"


def refused(setup, name, data, *words):
    """Compiles `data`; expects exit code 1, a message, and no output file."""
    graph, output = setup.dir / f"{name}.meta", setup.dir / f"{name}.out"
    if data is not None:
        graph.write_bytes(data)
    setup.compile(graph, "-o", output).expect(1, f"{name}.meta", *words)
    setup.compile(graph, "--check").expect(1, f"{name}.meta", *words)
    assert not output.exists(), f"{output} was written"


def unreadable_graphs_are_refused(setup):
    whole = (harness.REFERENCE / "train.meta").read_bytes()
    noise = random.Random(3)
    refused(setup, "missing", None, "No such file")
    refused(setup, "empty", b"")
    for size in (1, 1000, len(whole) // 2, len(whole) - 1):
        refused(setup, f"truncated-{size}", whole[:size])
    for seed in range(3):
        refused(setup, f"random-{seed}", noise.randbytes(20000))


def unsupported_ops_are_listed_at_once(setup):
    output = setup.dir / "trainer"
    graph = REFUSED
    done = setup.compile(graph, "-o", output).expect(3)
    # Each op, and the nodes that the user knows it by.
    for op in ("Conv2DBackpropInputV2", "CholeskyGrad", "PyFunc"):
        assert f"{op} (" in done.err, done.err
    for node in ("conv1/Conv2DBackpropInputV2", "conv2/Conv2DBackpropInputV2", "whiten/CholeskyGrad", "host/PyFunc"):
        assert node in done.err, done.err
    assert "unneeded" not in done.err, done.err
    assert not output.exists(), "an output file was written"
    check = setup.compile(graph, "--check")
    assert check.code == 3, check.out + check.err
    for op in ("Conv2DBackpropInputV2", "CholeskyGrad", "PyFunc"):
        assert f"{op}: " in check.out + check.err, check.out + check.err


def unknown_flags_are_refused(setup):
    output = setup.dir / "trainer"
    graph = harness.REFERENCE / "train.meta"
    wrong = setup.compile(graph, "-o", output, "--no-such-flag")
    assert wrong.code == 2 and "--no-such-flag" in wrong.err, wrong.err
    for flags in (("--cpu=pdp-11",), ("--entry", "without-arrow"), ("-O7",)):
        setup.compile(graph, "-o", output, *flags).expect(2)
    setup.compile(graph).expect(2, "-o")
    setup.compile("-o", output).expect(2, "input")
    assert not output.exists(), "an output file was written"

    run = setup.dir / "run"
    setup.train(run, "--no-such-flag").expect(2, "--no-such-flag")
    setup.train(run, "--max-steps", "many").expect(2, "--max-steps", "many")
    setup.train(run, "--max-steps", 1, "--steps", 1).expect(2, "--max-steps", "--steps")
    setup.train(run, "--fetch", "no/such:0").expect(2, "no/such:0")
    setup.run(setup.trainer, "no-such-verb").expect(2, "no-such-verb")
    setup.run(setup.trainer).expect(2, "--model-dir")
    assert not run.exists(), "a wrong command line made a model directory"


if __name__ == "__main__":
    harness.main(globals())
