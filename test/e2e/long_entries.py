# SPDX-License-Identifier: Apache-2.0
"""Entries of thousands of launches."""
import re
import sys

import harness
from bundle import Bundle

sys.path.insert(0, str(harness.SOURCE / "bench"))
from compile_time import Graph  # noqa: E402


def an_entry_of_a_thousand_launches_trains(setup):
    """Each variable takes a step of its own: w = w - 0.5 * g, with g = i / 4."""
    graph, count, steps = Graph(), 1000, 3
    rate, updates = graph.constant("rate", 0.5), []
    for i in range(count):
        graph.variable(f"w{i}", float(i), 8)
        gradient = graph.constant(f"g{i}", i / 4, 8)
        updates.append(graph.compute(f"w{i}/step", "ResourceApplyGradientDescent", f"w{i}", rate, gradient))
    path = setup.dir / "graph.pbtxt"
    graph.write(path, graph.node("step", "NoOp", *["^" + name for name in updates]))
    trainer = setup.dir / "long"
    setup.compile(path, "-o", trainer).expect(0)
    code = setup.run(setup.ingotc, path, "--emit=llvm", "-o", "-").expect(0).out
    # However many launches: one call that walks their rows.
    assert re.search(rf"call void @ingot_rt_run\(.*i64 {count}\)", code), "the launches are not one run"
    setup.run(trainer, "--model-dir", setup.dir / "run", "--max-steps", steps).expect(0)
    bundle = Bundle(setup.dir / "run" / f"model.ckpt-{steps}")
    for i in range(count):
        expected = [i - steps * 0.5 * i / 4] * 8
        assert list(bundle.values(f"w{i}")) == expected, f"w{i}: {bundle.values(f'w{i}')}, expected {expected}"


def an_entry_of_hundreds_of_dynamic_launches_runs(setup):
    """Each result's size is known when it runs, which is code of the entry: too much of it to be optimized. A mean of
    four numbers that are equal afterwards stays what it is."""
    graph, count = Graph(), 400
    graph.variable("unused", 0, 4)
    mean = graph.constant("mean", 0.25, 4, 4)
    size = "shape { dim { size: -1 } dim { size: 4 } }"
    value = graph.node("x", "Placeholder", dtype="type: DT_FLOAT", shape=size)
    for i in range(count):
        value = graph.compute(f"mean{i}", "MatMul", value, mean)
    path = setup.dir / "graph.pbtxt"
    graph.write(path, graph.node("step", "NoOp"))
    flags = [path, "--entry", f"main=x->{value}"]
    trainer = setup.dir / "dynamic"
    setup.compile(*flags, "-o", trainer).expect(0)
    code = setup.run(setup.ingotc, *flags, "--emit=llvm", "-o", "-").expect(0).out
    assert "optnone" in code, "the entry is too short for this test"
    feed = "x=[[1,2,3,4],[0,0,0,1],[4,4,4,4]]"
    out = setup.run(trainer, "run", "main", "--feed", feed, "--fetch", value).expect(0).out
    numbers = [float(number) for number in re.findall(r"\d+\.?\d*", out.split(":", 2)[-1])]
    assert numbers[-12:] == [2.5] * 4 + [0.25] * 4 + [4.0] * 4, out


if __name__ == "__main__":
    harness.main(globals())
