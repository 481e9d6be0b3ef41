# SPDX-License-Identifier: Apache-2.0
"""Random ops whose state is in the checkpoint: a resumed run draws the same numbers."""
import harness

# `seeded` draws from seeds of its own, `free` from the session's.
GRAPH = """
graph_def {
  node { name: "shape" op: "Const" attr { key: "value" value { tensor {
    dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 5 } } } }
  node { name: "zeros" op: "Const" attr { key: "value" value { tensor {
    dtype: DT_FLOAT tensor_shape { dim { size: 5 } } float_val: 0 } } } }
  node { name: "seeded" op: "RandomUniform" input: "shape" attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "seed" value { i: 7 } } attr { key: "seed2" value { i: 8 } } }
  node { name: "free" op: "RandomUniform" input: "shape" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "noise" op: "AddV2" input: "seeded" input: "free" }
  node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "shape" value { shape { dim { size: 5 } } } } attr { key: "shared_name" value { s: "v" } } }
  node { name: "init" op: "AssignVariableOp" input: "v" input: "zeros" }
  node { name: "train" op: "AssignAddVariableOp" input: "v" input: "noise" }
}
collection_def { key: "init_op" value { node_list { value: "init" } } }
collection_def { key: "train_op" value { node_list { value: "train" } } }
"""  # fmt: skip


def compiled(setup):
    graph = setup.dir / "noise.pbtxt"
    graph.write_text(GRAPH)
    setup.trainer = setup.dir / "trainer"
    setup.compile(graph, "-o", setup.trainer).expect(0)


def a_resumed_run_draws_on(setup):
    compiled(setup)
    whole, parts, other = setup.dir / "whole", setup.dir / "parts", setup.dir / "other"
    setup.train(whole, "--max-steps", 9, "--seed", 3).expect(0)
    for steps in (2, 5, 9):  # the checkpoint keeps the first run's seed
        setup.train(parts, "--max-steps", steps, "--seed", steps + 1).expect(0)
    harness.assert_same_checkpoint(whole, parts, 9)
    setup.train(other, "--max-steps", 9, "--seed", 4).expect(0)
    assert harness.checkpoint_files(whole, 9) != harness.checkpoint_files(other, 9)


def without_a_seed_sessions_differ(setup):
    compiled(setup)
    runs = [setup.dir / name for name in ("one", "two")]
    for run in runs:
        setup.train(run, "--max-steps", 1).expect(0)
    one, two = (harness.checkpoint_files(run, 1) for run in runs)
    assert one != two


if __name__ == "__main__":
    harness.main(globals())
