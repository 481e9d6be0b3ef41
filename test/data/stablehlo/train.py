# SPDX-License-Identifier: Apache-2.0
"""Models of JAX train from their StableHLO as under jax.jit: train.py [MODEL:FORM..]. Losses of 10 steps."""
import json
import pathlib
import subprocess
import sys

import steps

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "jax"))
import models  # noqa: E402

STEPS = 10


def trains_as_in_jax(name, form):
    step, state, data, size = models.MODELS[name]()
    steps.write_step(name, step, state, data, size, form)
    subprocess.run(["ingotc", f"{name}.mlir", "-o", name, "--cpu", "native"], check=True)
    subprocess.run([f"./{name}", "--model-dir", f"{name}-{form}", "--max-steps", str(STEPS), "--losses", f"{name}-{form}.jsonl", "--quiet"], check=True)
    ours = [json.loads(line) for line in open(f"{name}-{form}.jsonl", encoding="utf-8")]
    ours = [line["loss"] for line in ours if "loss" in line]
    theirs, _, _ = models.losses_of(*models.MODELS[name]()[:4], STEPS)
    # Beyond a loss of 1, figures are relative.
    worst = max(abs(one - other) / max(1, abs(other)) for one, other in zip(ours, theirs))
    print(f"{name}, {form}: losses {theirs[0]:.4f} .. {theirs[-1]:.4f}, within {worst:.1e}", flush=True)
    assert len(ours) == STEPS and worst <= 1e-5, (name, form, ours, theirs)


if __name__ == "__main__":
    failed = []
    for argument in sys.argv[1:]:
        name, _, form = argument.partition(":")
        try:
            trains_as_in_jax(name, form or "pretty")
        except (AssertionError, subprocess.CalledProcessError) as error:
            failed.append(f"{argument}: {error}")
    assert not failed, "\n".join(failed)
    print("passed")
