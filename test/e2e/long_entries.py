"""Entries of thousands of launches are compiled in another way than short ones."""
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
    assert "optnone" in code, "the entry is too short for this test"
    setup.run(trainer, "--model-dir", setup.dir / "run", "--max-steps", steps).expect(0)
    bundle = Bundle(setup.dir / "run" / f"model.ckpt-{steps}")
    for i in range(count):
        expected = [i - steps * 0.5 * i / 4] * 8
        assert list(bundle.values(f"w{i}")) == expected, f"w{i}: {bundle.values(f'w{i}')}, expected {expected}"


if __name__ == "__main__":
    harness.main(globals())
