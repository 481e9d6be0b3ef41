"""AdaNet and Ingot take turns in one model directory.

Runs where INGOT_TF_PYTHON (or python3) has TensorFlow and adanet.
"""
import json
import os
import shutil
import sys

import harness
from bundle import Bundle
from training import agree

SEARCH = harness.SOURCE / "test" / "e2e" / "adanet_search.py"


def search(setup, folder, max_steps, kind="own"):
    """Lets adanet train in `folder`; what it says of it."""
    python = os.environ.get("INGOT_TF_PYTHON", sys.executable)
    if os.system(f'"{python}" -c "import importlib.util as u, sys; '
                 "sys.exit(u.find_spec('adanet') is None)\""):  # fmt: skip
        raise harness.Skip(f"{python} has no adanet; set INGOT_TF_PYTHON to one that has")
    done = setup.run(python, SEARCH, folder, max_steps, kind,
                     env=dict(os.environ, CUDA_VISIBLE_DEVICES="")).expect(0)  # fmt: skip
    return json.loads(done.out.splitlines()[-1])


def markers(folder, iteration):
    return {
        path.name: json.loads(path.read_text())
        for path in (folder / "train_manager" / f"t{iteration}").iterdir()
    }


def adanet_goes_on_where_ingot_stopped(setup):
    """From step 30 to 40, the end of iteration 1, one run is AdaNet's, the other
    one Ingot's; then AdaNet selects, grows and trains iteration 2 in both."""
    theirs, ours = setup.dir / "theirs", setup.dir / "ours"
    search(setup, theirs, 30)
    shutil.copytree(theirs, ours)
    trainer = setup.dir / "trainer"
    setup.compile(ours / "model.ckpt-30.meta", "-o", trainer).expect(0)
    setup.run(trainer, "--model-dir", ours, "--max-steps", 40, "--write-meta-graph").expect(0)
    search(setup, theirs, 40)
    one, other = Bundle(theirs / "model.ckpt-40"), Bundle(ours / "model.ckpt-40")
    assert set(one.numeric()) <= set(other.numeric())
    for name in one.numeric():
        for a, b in zip(one.values(name), other.values(name), strict=True):
            assert abs(a - b) <= 1e-4 * max(1, abs(a)), f"{name}: AdaNet's {a}, Ingot's {b}"
    assert markers(ours, 1) == markers(theirs, 1)
    expected, found = search(setup, theirs, 60), search(setup, ours, 60)
    assert (ours / "architecture-1.json").read_text() == (theirs / "architecture-1.json").read_text()
    assert [step for step, _ in found["losses"]] == [step for step, _ in expected["losses"]]
    agree("iteration 2", [loss for _, loss in found["losses"]], [loss for _, loss in expected["losses"]], 1e-3, 1e-3)
    for key, value in expected["evaluate"].items():
        assert abs(found["evaluate"][key] - value) <= 1e-3 * max(1, abs(value)), (key, found, expected)


def searches_of_every_kind_train_as_in_adanet(setup):
    """Members of several kinds; one candidate alone (AN-041, 132); several
    ensemblers and strategies (AN-005, 171); canned estimators (AN-229)."""
    for kind in ("single", "several", "auto"):
        whole = setup.dir / kind
        expected = dict(search(setup, whole, 60, kind)["losses"])
        for iteration in range(3):
            start = f"increment.ckpt-{iteration}" if iteration else "model.ckpt-0"
            folder = setup.dir / f"{kind}-{iteration}"
            folder.mkdir()
            for path in whole.glob(start + ".*"):
                shutil.copy(path, folder)
            (folder / "checkpoint").write_text(f'model_checkpoint_path: "{start}"\n')
            trainer, losses = setup.dir / "trainer", setup.dir / "losses"
            setup.compile(whole / f"model.ckpt-{20 * iteration + 10}.meta", "-o", trainer).expect(0)
            losses.unlink(missing_ok=True)
            setup.run(trainer, "--model-dir", folder, "--max-steps", 20 * iteration + 20,
                      "--losses", losses, "--summary-steps", 0).expect(0)  # fmt: skip
            lines = harness.read_losses(losses)
            assert len(lines) == 20
            agree(f"{kind}, iteration {iteration}", [line["loss"] for line in lines],
                  [expected[line["step"] - 1] for line in lines], 1e-4, 1e-3)  # fmt: skip


if __name__ == "__main__":
    harness.main(globals())
