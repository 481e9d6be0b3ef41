"""Trainers on a GPU that is none: the tests' CUDA driver (test/Cuda) runs the
kernels on the emulator (test/Emulator), everything else is as with a GPU.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import time

import harness
from saved_model import write_npy
from training import agree

SEED = 20251122
DATA = harness.SOURCE / "test" / "data"


class Device:
    """A trainer with code for CUDA, and a driver that runs it."""

    def __init__(self, setup, graph, *flags, check=True):
        self.setup, self.trainer = setup, setup.dir / "trainer"
        ptx, ir = setup.dir / "kernels.ptx", setup.dir / "kernels.ll"
        compile = ("--target=cuda", graph, *flags)
        self.remarks = setup.compile(*compile, "--remarks", "-o", self.trainer).expect(0).err
        setup.compile(*compile, "--emit=ptx", "-o", ptx).expect(0)
        setup.compile(*compile, "--emit=nvvm", "-o", ir).expect(0)
        setup.run(
            setup.ingotc.parent / "ingot-ptx-emulate", ir, "--image", ptx, "-o", setup.dir,
            *(["--check"] if check else []),
        ).expect(0)  # fmt: skip
        self.log = setup.dir / "driver.log"

    def environment(self, **more):
        driver = self.setup.ingotc.parents[1] / "test" / "Cuda"
        return {
            **os.environ,
            "LD_LIBRARY_PATH": str(driver),
            "INGOT_EMULATED_KERNELS": str(self.setup.dir),
            "INGOT_CUDA_LOG": str(self.log),
            **more,
        }

    def command(self, model_dir, data, *flags):
        command = [self.trainer, "--model-dir", model_dir, "--data-dir", data]
        command += ["--summary-steps", 0, "--log-steps", 0, "--quiet", *flags]
        return [str(part) for part in command]

    def train(self, model_dir, data, *flags, **settings):
        return self.setup.run(
            *self.command(model_dir, data, *flags), env=self.environment(**settings)
        )

    def driver_calls(self):
        """How often each of the driver's functions was called; fails where
        something was not given back."""
        calls = {}
        for line in self.log.read_text().splitlines():
            what, rest = line.split(maxsplit=1)
            name, count = rest.rsplit(maxsplit=1)
            assert what == "called", f"the trainer has kept what it got: {line}"
            calls[name] = int(count)
        calls.pop("edge", None)
        return calls


def trains(setup, data, *more, steps=5, **bounds):
    """The first steps, from TensorFlow's first checkpoint."""
    expect = json.loads((data / "expect.json").read_text())
    loss = expect["loss_tensor"]
    device = Device(setup, data / "train.meta", f"--observe={loss}", *expect.get("flags", []), *more)
    losses = setup.dir / "losses"
    device.train(
        setup.dir / "run", data, "--init-from", data / "model.ckpt-0", "--steps", steps,
        "--loss", loss, "--losses", losses,
    ).expect(0)  # fmt: skip
    agree("loss", [line["loss"] for line in harness.read_losses(losses)], expect["loss"][:steps], **bounds)
    return device


def a_multilayer_perceptron_trains_on_a_device(setup):
    device = trains(setup, DATA / "mlp_adam", steps=20)
    calls = device.driver_calls()
    # What comes again is one launch of a graph; of a step, the loss, the global
    # step and the position in random sequences come back.
    assert calls["cuGraphLaunch"] >= 18, calls
    assert calls["cuLaunchKernel"] <= 60, calls


def convolutions_train_on_a_device(setup):
    trains(setup, DATA / "conv_momentum", steps=2)


def products_are_rounded_for_tensor_cores(setup):
    whole = setup.dir
    for precision in ("tf32", "bf16"):
        setup.dir = whole / precision
        setup.dir.mkdir()
        device = trains(
            setup, DATA / "conv_momentum", f"--precision={precision}", steps=2, early=5e-3
        )
        assert "mma.sync" in (setup.dir / "kernels.ptx").read_text()


def embeddings_train_on_a_device(setup):
    trains(setup, DATA / "embedding_sparse")


def a_transformer_trains_on_a_device(setup):
    trains(setup, DATA / "models" / "transformer")


def a_dynamic_rnn_trains_on_a_device(setup):
    trains(setup, DATA / "models" / "dynamic_rnn")


def a_wide_and_deep_estimator_trains_on_a_device(setup):
    trains(setup, DATA / "models" / "wide_and_deep")


def layers_of_all_kinds_train_on_a_device(setup):
    trains(setup, DATA / "models" / "keras_layers")


def kernels_of_the_host_stand_between_those_of_a_device(setup):
    device = trains(setup, DATA / "embedding_sparse", steps=20)
    assert "stays on the host" in device.remarks, "the device runs all kernels of this graph"


def csv_files_train_on_a_device(setup):
    trains(setup, DATA / "csv_regression", steps=40)


def iteration_trains(setup, name, graph, early):
    """As in AdaNet, and as on the processor but for the order of sums."""
    data, start = DATA / name, "increment.ckpt-1"
    expect = json.loads((data / "expect.json").read_text())["loss_by_step"]
    loss = "adanet/iteration_1/best_loss/Reshape:0"
    expected = [value for _, value, tensor in expect if tensor == loss][:10]
    device = Device(setup, data / graph)
    found = {}
    for place in ("cuda:0", "cpu"):
        run, losses = setup.dir / place, setup.dir / f"{place}.losses"
        run.mkdir()
        for path in data.glob(start + ".*"):
            shutil.copy(path, run)
        (run / "checkpoint").write_text(f'model_checkpoint_path: "{start}"\n')
        device.train(run, data, "--steps", 10, "--losses", losses, "--device", place).expect(0)
        found[place] = [line["loss"] for line in harness.read_losses(losses)]
    agree("loss", found["cuda:0"], expected, early=early)
    agree("loss, and the processor's", found["cuda:0"], found["cpu"], early=1e-6)


def an_iteration_of_adanet_trains_on_a_device(setup):
    iteration_trains(setup, "adanet_diabetes", "model.ckpt-130.meta", 5e-5)


def a_classifier_of_adanet_trains_on_a_device(setup):
    # AdaNet's own runs differ (reference_runs.py).
    iteration_trains(setup, "adanet_digits", "model.ckpt-150.meta", 5e-3)


def a_saved_model_trains_on_a_device(setup):
    """Its signatures, called one by one: the model lies in checkpoints in between."""
    data = DATA / "saved_model_train"
    expect = json.loads((data / "expect.json").read_text())
    device = Device(setup, data / "saved_model")
    xs, ys = (data / "x.f32").read_bytes(), (data / "y.i32").read_bytes()
    losses = []
    for i in range(5):
        x = write_npy(setup.dir / "x.npy", "<f4", (32, 8), xs[i * 1024 : (i + 1) * 1024])
        y = write_npy(setup.dir / "y.npy", "<i4", (32,), ys[i * 128 : (i + 1) * 128])
        done = setup.run(
            device.trainer, "run", "train", "--model-dir", setup.dir / "run", "--fetch", "loss",
            "--feed", f"x=@{x}", "--feed", f"y=@{y}", "--json", "--quiet", "--device", "cuda:0",
            env=device.environment(),
        ).expect(0)  # fmt: skip
        losses.append(json.loads(done.out)["loss"])
    agree("loss", losses, expect["losses"][:5])


def the_order_of_blocks_changes_nothing(setup):
    data = DATA / "conv_momentum"
    device = Device(setup, data / "train.meta", check=False)
    for name, settings in (("run", {}), ("reversed", {"INGOT_CUDA_REVERSED": "1"})):
        device.train(
            setup.dir / name, data, "--init-from", data / "model.ckpt-0", "--steps", 3, **settings
        ).expect(0)
    harness.assert_same_checkpoint(setup.dir / "run", setup.dir / "reversed", 3)


def a_killed_run_resumes_on_a_device(setup):
    device = Device(setup, DATA / "mlp_adam" / "train.meta", check=False)
    data, steps = DATA / "mlp_adam", 200
    flags = ("--init-from", data / "model.ckpt-0", "--max-steps", steps,
             "--save-checkpoints-steps", 10)  # fmt: skip
    began = time.monotonic()
    device.train(setup.dir / "whole", data, *flags).expect(0)
    # Of what an undisturbed run takes; a run that was quicker than its kills begins anew.
    part, moments, kills = 0.3 * (time.monotonic() - began), random.Random(SEED), 0
    command = device.command(setup.dir / "killed", data, *flags)
    while True:
        process = subprocess.Popen(command, env=device.environment(), stderr=subprocess.PIPE)
        try:
            _, err = process.communicate(timeout=moments.uniform(0.2, 1) * part if kills < 8 else 200)
            assert process.returncode == 0, err.decode(errors="replace")
            if kills >= 8:
                break
            shutil.rmtree(setup.dir / "killed")
            part *= 0.7
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
    harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / "killed", steps)


def failures_of_a_driver_lose_nothing(setup):
    """Some call fails: the run says which, or has gone on from a checkpoint; then
    another run ends where an undisturbed one does."""
    data, steps = DATA / "mlp_adam", 6
    device = Device(setup, data / "train.meta", check=False)
    flags = ("--init-from", data / "model.ckpt-0", "--max-steps", steps,
             "--save-checkpoints-steps", 2)  # fmt: skip
    device.train(setup.dir / "whole", data, *flags).expect(0)
    calls = sum(device.driver_calls().values())
    assert calls > 200, calls
    names = {2: "CUDA_ERROR_OUT_OF_MEMORY", 719: "CUDA_ERROR_LAUNCH_FAILED",
             214: "CUDA_ERROR_ECC_UNCORRECTABLE"}  # fmt: skip
    failed = 0
    for number in range(1, calls + 1, 7):
        error = list(names)[number % 3]
        run = setup.dir / f"run-{number}"
        done = device.train(run, data, *flags, INGOT_CUDA_FAIL=f"*:{number}:{error}")
        if done.code != 0:
            failed += 1
            done.expect(1, " failed to ", names[error])
            device.train(run, data, *flags).expect(0)
        device.driver_calls()
        harness.assert_same_checkpoint(setup.dir / "whole", run, steps)
    assert failed > 20, f"only {failed} runs failed"


def the_first_hour_with_a_gpu_is_rehearsed(setup):
    """docs/gpu-checklist.md's script, with the emulator in the place of a GPU."""
    for name in ("mlp_adam", "conv_momentum", "csv_regression", "embedding_sparse"):
        device = Device(setup, DATA / name / "train.meta", check=False)
    script = harness.SOURCE / "test" / "gpu" / "first_hour.sh"
    done = setup.run(
        "bash", script, setup.ingotc.parents[1], setup.dir / "work", env=device.environment()
    )
    assert done.code == 0, f"{done.out}{done.err}"
    assert done.out.endswith("0 failed\n") and done.out.count("ok      ") >= 25, done.out


def what_a_device_computes_is_watched(setup):
    """Outputs of each kernel come to the host where somebody looks at them."""
    data, trace = DATA / "mlp_adam", setup.dir / "trace.json"
    device = Device(setup, data / "train.meta", check=False)
    flags = ("--init-from", data / "model.ckpt-0", "--steps", 3)
    device.train(setup.dir / "run", data, *flags).expect(0)
    for name, watch in (("traced", ("--trace", trace)), ("checked", ("--check-numerics",))):
        device.train(setup.dir / name, data, *flags, *watch).expect(0)
        harness.assert_same_checkpoint(setup.dir / "run", setup.dir / name, 3)
    told = json.loads(trace.read_text())
    told = told["traceEvents"] if isinstance(told, dict) else told
    assert any("MatMul" in event["name"] for event in told), "no kernel is traced"


def a_device_that_is_not_there_is_named(setup):
    data = DATA / "mlp_adam"
    device = Device(setup, data / "train.meta")
    train = ("--steps", 1)
    device.train(setup.dir / "run", data, *train, "--device", "cuda:1").expect(
        1, "cuda:1: there is no such GPU: the CUDA driver has 1 GPU"
    )
    device.train(setup.dir / "run", data, *train, INGOT_CUDA_VERSION="11040").expect(
        1, "cuda:0: the CUDA driver (libcuda.so.1) is of CUDA 11.4"
    )
    device.train(setup.dir / "run", data, *train, "--device", "tpu").expect(2, "--device: 'tpu'")
    nowhere = device.environment(LD_LIBRARY_PATH="")
    done = setup.run(*device.command(setup.dir / "run", data, *train), env=nowhere)
    if done.code != 0:  # this machine has a driver of its own
        done.expect(1, "cuda:0: ")
    # Never without being told to.
    device.train(setup.dir / "run", data, *train, "--device", "cpu").expect(0)


if __name__ == "__main__":
    harness.main(globals())
