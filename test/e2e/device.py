# SPDX-License-Identifier: Apache-2.0
"""Trainers on a GPU that is none: the tests' CUDA driver (test/Cuda) runs the
kernels on the emulator (test/Emulator), everything else is as with a GPU.

With INGOT_TEST_GPU, on the machine's own: `./dev test --gpu` runs the tests that
say nothing about the driver's calls so, and they are skipped where there is none.
"""
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import harness
from saved_model import write_npy
from training import agree

sys.path.append(str(harness.SOURCE / "test" / "gpu"))
import gpu

SEED = 20251122
DATA = harness.SOURCE / "test" / "data"
ON_GPU = "INGOT_TEST_GPU" in os.environ


class Device:
    """A trainer with code for CUDA, and a driver that runs it."""

    def __init__(self, setup, graph, *flags, check=True, costs=False, images=("sm_80 ptx",), trainer=()):
        """`images` of those in the trainer have emulated kernels; `trainer` are flags of its own. With `costs` the
        driver writes a report (INGOT_CUDA_COSTS)."""
        if ON_GPU:
            if reason := gpu.missing():
                raise harness.Skip(reason)
        self.setup, self.trainer = setup, setup.dir / "trainer"
        compile = ("--target=cuda", graph, *flags)
        self.remarks = (
            setup.compile(*compile, *trainer, "--remarks", "-o", self.trainer).expect(0).err
        )
        self.log = setup.dir / "driver.log"
        if ON_GPU:
            return
        for name in images:
            arch, form = name.split()
            image, ir = setup.dir / f"kernels.{form}", setup.dir / "kernels.ll"
            kernels = (*compile, f"--gpu-arch={arch}")
            setup.compile(*kernels, f"--emit={form}", "-o", image).expect(0)
            setup.compile(*kernels, "--emit=nvvm", "-o", ir).expect(0)
            setup.run(
                setup.ingotc.parent / "ingot-ptx-emulate", ir, "--image", image, "-o", setup.dir,
                *(["--check"] if check else []), *(["--costs"] if costs else []),
            ).expect(0)  # fmt: skip

    def environment(self, **more):
        if ON_GPU:
            return {**os.environ, **more}
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

    def logged(self, kind):
        """The driver's counters; fails where something was not released."""
        numbers = {"called": {}, "counted": {}}
        for line in self.log.read_text().splitlines():
            what, rest = line.split(maxsplit=1)
            name, count = rest.rsplit(maxsplit=1)
            assert what in numbers, f"the trainer has kept what it got: {line}"
            numbers[what][name] = int(count)
        return numbers[kind]

    def driver_calls(self):
        """How often each of the driver's functions was called."""
        return self.logged("called")

    def image(self):
        """The one that was loaded last."""
        (name,) = [what for what in self.logged("counted") if what.startswith("image ")]
        return name.removeprefix("image ")


def trains(setup, data, *more, steps=5, images=("sm_80 ptx",), trainer=(), driver=(), **bounds):
    """The first steps, from TensorFlow's first checkpoint, on the GPU that `driver` says."""
    expect = json.loads((data / "expect.json").read_text())
    loss = expect["loss_tensor"]
    device = Device(
        setup, data / "train.meta", f"--observe={loss}", *expect.get("flags", []), *more, images=images,
        trainer=trainer,
    )  # fmt: skip
    losses = setup.dir / "losses"
    device.train(
        setup.dir / "run", data, "--init-from", data / "model.ckpt-0", "--steps", steps,
        "--loss", loss, "--losses", losses, **dict(driver),
    ).expect(0)  # fmt: skip
    agree("loss", [line["loss"] for line in harness.read_losses(losses)], expect["loss"][:steps], **bounds)
    # Strings, tables and input apart, no reference run computes anything on the host.
    assert "stays on the host" not in device.remarks, device.remarks
    return device


def a_multilayer_perceptron_trains_on_a_device(setup):
    device = trains(setup, DATA / "mlp_adam", "--step-kernel", steps=20)
    if ON_GPU:
        return
    calls = device.driver_calls()
    # A recurring step is one launch.
    assert calls["cuLaunchKernelEx"] >= 18, calls
    assert calls["cuLaunchKernel"] <= 60, calls


def a_step_of_many_kernels_is_one_launch_of_a_graph(setup):
    device = trains(setup, DATA / "mlp_adam", steps=20)
    if ON_GPU:
        return
    calls = device.driver_calls()
    assert calls["cuGraphLaunch"] >= 18, calls
    assert calls["cuLaunchKernel"] <= 60, calls


def a_step_copies_only_its_batch(setup):
    """What nobody asks for stays on the device: of each further step the batch goes up, and comes
    down what is watched, logged or written, in the steps where it is."""
    data = DATA / "mlp_adam"
    device = Device(setup, data / "train.meta", check=False)
    batch = 64 * 64 * 4 + 64 * 8  # x, float32[64,64], and y, int64[64]

    def copied(steps, *flags):
        device.train(
            setup.dir / f"run-{steps}-{len(flags)}-{flags[1]}", data,
            "--init-from", data / "model.ckpt-0", "--steps", steps, *flags,
        ).expect(0)  # fmt: skip
        numbers = device.logged("counted")
        return numbers["bytes up"], numbers["bytes down"]

    def of_ten_steps(*flags):
        few, many = copied(10, *flags), copied(20, *flags)
        return many[0] - few[0], many[1] - few[1]

    assert of_ten_steps("--on-nan", "ignore") == (10 * batch, 0), of_ten_steps("--on-nan", "ignore")
    # The loss, in which NaNs are looked for.
    assert of_ten_steps("--on-nan", "fail") == (10 * batch, 10 * 4)
    # Loss and accuracy, one of them watched; the summaries of two steps.
    fetch = of_ten_steps("--on-nan", "ignore", "--losses", setup.dir / "losses", "--fetch", "accuracy:0")
    assert fetch == (10 * batch, 10 * (4 + 4)), fetch


def a_step_waits_for_nothing(setup):
    """The host starts step after step: a kernel that computes the loss in a fetch's memory, which
    nobody reads, and variables that are copied to, leave it nothing to wait for."""
    device = Device(setup, harness.GRAPHS / "mlp-small.meta", check=False)

    def calls(steps):
        device.train(setup.dir / f"run-{steps}", DATA, "--steps", steps, "--on-nan", "ignore").expect(0)
        return device.driver_calls()

    few, many = calls(10), calls(20)
    more = {name: many[name] - few.get(name, 0) for name in many}
    # Features and labels, and a graph with all kernels and copies.
    for name, count in (("cuMemcpyHtoDAsync", 20), ("cuGraphLaunch", 10), ("cuMemcpyDtoHAsync", 0),
                        ("cuMemcpyDtoDAsync", 0), ("cuStreamSynchronize", 0), ("cuLaunchKernel", 0)):  # fmt: skip
        assert more.get(name, 0) == count, (name, more)


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


def products_train_on_each_generations_own_tensor_cores(setup):
    """By wgmma, and into tensor memory: losses agree to what a factor may lose when it is rounded,
    half a unit of 11 bits in tf32, and of 8 in bf16. Machine code without these instructions isn't
    preferred to PTX with them."""
    whole, toolkit = setup.dir, os.environ["PATH"] + ":/usr/local/cuda/bin"
    machine_code = ["--gpu-arch=sm_90"] if shutil.which("ptxas", path=toolkit) else []
    for arch, capability, instruction in (("sm_90a", "90", "wgmma.mma_async"),
                                          ("sm_100a", "100", "tcgen05.mma")):  # fmt: skip
        for precision, bits in (("tf32", 11), ("bf16", 8)):
            setup.dir = whole / f"{arch}-{precision}"
            setup.dir.mkdir()
            device = trains(
                setup, DATA / "models" / "autoencoder", f"--precision={precision}", steps=2, early=2**-bits,
                images=[f"{arch} ptx"], trainer=machine_code,
                driver={"INGOT_CUDA_CAPABILITY": capability, "INGOT_CUDA_VERSION": "13000"},
            )  # fmt: skip
            assert instruction in (setup.dir / "kernels.ptx").read_text()
            assert device.image() == f"{arch} ptx", device.image()


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


def further_models_train_on_a_device(setup):
    whole = setup.dir
    for name in ("autoencoder", "dropout_and_label_smoothing", "embeddings", "lagged_windows",
                 "reference_variables", "short_last_batch"):  # fmt: skip
        setup.dir = whole / name
        setup.dir.mkdir()
        trains(setup, DATA / "models" / name)


def csv_files_train_on_a_device(setup):
    trains(setup, DATA / "csv_regression", steps=40)


def compare_kernels(setup, runs, least=0.6):
    """Each kernel that runs on the device runs on the processor, too, with the same arguments
    (test/Cuda/CompareKernels.cpp). Runs are a graph, its data, and flags of the trainer."""
    build = setup.ingotc.resolve().parents[1]
    sdk = setup.dir / "sdk"
    sdk.mkdir()
    for path in (build / "lib" / "ingot").iterdir():
        (sdk / path.name).symlink_to(path.resolve())
    # Linked before the runtime, whose way to open a device it replaces.
    runtime = sdk / "libingot_rt.a"
    compare = build / "test" / "Cuda" / "libIngotCompareKernels.a"
    script = f"GROUP({compare} {runtime.resolve()})\n"
    runtime.unlink()
    runtime.write_text(script)
    totals, result = {}, setup.dir / "comparison.json"
    for number, (graph, data, *flags) in enumerate(runs):
        device = Device(setup, graph, "--runtime-dir", sdk, check=False)
        device.train(
            setup.dir / f"run-{number}", data, "--steps", 2, "--on-nan", "ignore", *flags,
            INGOT_COMPARISON=str(result),
        ).expect(0)  # fmt: skip
        for what, count in json.loads(result.read_text()).items():
            totals[what] = totals.get(what, 0) + count
    print(totals)
    assert totals["different"] == 0 and totals["same"] > totals["close"], totals
    # The others are those of entries that did not run, counters, and rows on the host.
    assert totals["same"] + totals["close"] > totals["kernels"] * least, totals


def kernels_compute_on_a_device_what_processors_do(setup):
    names = ("mlp_adam", "conv_momentum", "csv_regression", "embedding_sparse")
    compare_kernels(setup, [(DATA / name / "train.meta", DATA / name) for name in names])


def kernels_of_models_compute_on_a_device_what_processors_do(setup):
    folders = [path.parent for path in sorted((DATA / "models").glob("*/train.meta"))]
    compare_kernels(setup, [(folder / "train.meta", folder) for folder in folders])


def kernels_of_ensembles_compute_on_a_device_what_processors_do(setup):
    names = ("adanet_diabetes/model.ckpt-130.meta", "adanet_digits/model.ckpt-150.meta")
    # Most kernels are those of evaluations.
    compare_kernels(setup, [(DATA / name, (DATA / name).parent) for name in names], least=0.3)


def two_runs_on_a_device_write_the_same_bytes(setup):
    for name in ("mlp_adam", "conv_momentum", "embedding_sparse"):
        data = DATA / name
        device = Device(setup, data / "train.meta", check=False)
        for run in ("first", "second"):
            device.train(
                setup.dir / f"{name}-{run}", data, "--init-from", data / "model.ckpt-0", "--steps", 3
            ).expect(0)
        harness.assert_same_checkpoint(setup.dir / f"{name}-first", setup.dir / f"{name}-second", 3)


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


def a_search_trains_on_a_device(setup):
    """Its first iteration: the tool has its trainer compiled, and run."""
    import native_search

    search = native_search.search_file(setup, richer=False)
    device = Device(setup, search, "--iteration=0", f"--model-dir={setup.dir / 'cuda:0'}", check=False)
    found = {}
    for place in ("cuda:0", "cpu"):
        losses = setup.dir / f"{place}.losses"
        command = native_search.command(setup, setup.dir / place, "--max-iterations", 1, "--losses", losses,
                                        "--target", "cuda", "--device", place)  # fmt: skip
        setup.run(*command, env=device.environment()).expect(0)
        found[place] = [line["loss"] for line in harness.read_losses(losses)]
    assert len(found["cpu"]) == native_search.LENGTH
    agree("loss, and the processor's", found["cuda:0"], found["cpu"], early=1e-5)


def what_is_evaluated_and_run_by_name_computes_on_a_device(setup):
    """As on the processor, with kernels of the device, where every verb takes --device."""
    data = DATA / "mlp_adam"
    device = Device(setup, data / "train.meta", "--entry=eval=->accuracy", check=False)
    run = setup.dir / "run"
    device.train(run, data, "--init-from", data / "model.ckpt-0", "--steps", 3).expect(0)
    common = ("--model-dir", run, "--data-dir", data, "--quiet")
    for verb in (["evaluate", "--entry", "eval", "--steps", 2, "--json"], ["run", "eval", "--json"]):
        told = {}
        for place in ("cuda:0", "cpu"):
            done = setup.run(device.trainer, *verb, *common, "--device", place, env=device.environment()).expect(0)
            told[place] = done.out
            if place == "cuda:0" and not ON_GPU:
                assert device.driver_calls()["cuLaunchKernel"] > 0, verb
        assert told["cuda:0"] == told["cpu"] != "", told


def a_saved_model_trains_on_a_device(setup):
    """Its signatures, called one by one, with the model in checkpoints in between."""
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


# Runs whose steps are one kernel, and how many of them: not the first, whose launches have not been there.
STEP_KERNELS = {"mlp_adam": 5, "csv_regression": 5, "conv_momentum": 2}


def steps_as_one_kernel_compute_what_graphs_do(setup):
    """In a grid's blocks, in a cluster's, and as a graph, where that is asked for and where a GPU
    can do nothing else: the same bytes."""
    whole = setup.dir
    for name, steps in STEP_KERNELS.items():
        setup.dir = whole / name
        setup.dir.mkdir()
        data, runs = DATA / name, setup.dir / "runs"

        def train(device, run, *, counts, **settings):
            device.train(
                runs / run, data, "--init-from", data / "model.ckpt-0", "--steps", steps, **settings
            ).expect(0)  # fmt: skip
            counted = {} if ON_GPU else device.logged("counted")
            for what in () if ON_GPU else ("cooperative launch", "cluster"):
                times = counted.get(what, 0)
                assert times >= steps - 1 if what in counts else times == 0, f"{name}, {run}: {counted}"
            harness.assert_same_checkpoint(runs / "graph", runs / run, steps)

        images = ["sm_80 ptx", "sm_90 ptx"]
        check = name != "conv_momentum"  # which takes its time
        device = Device(setup, data / "train.meta", images=images, check=check)
        train(device, "graph", counts=())
        device = Device(setup, data / "train.meta", "--step-kernel", images=images, check=check)
        assert "can form a step kernel" in device.remarks, device.remarks
        train(device, "grid", counts=("cooperative launch",))
        if ON_GPU:  # which has one way of its own
            continue
        train(device, "reversed", counts=("cooperative launch",), INGOT_CUDA_REVERSED="1")
        train(device, "few", counts=("cooperative launch",), INGOT_CUDA_TOGETHER="2")
        # 720: more blocks than run at once.
        train(device, "refused", counts=(), INGOT_CUDA_FAIL="cuLaunchKernelEx:1:720")
        train(device, "neither", counts=(), INGOT_CUDA_TOGETHER="0")
        hopper = {"INGOT_CUDA_CAPABILITY": "90"}
        train(device, "cluster", counts=("cluster",), **hopper)
        train(device, "no-large-cluster", counts=("cooperative launch",), INGOT_CUDA_CLUSTER="1", **hopper)


def planted(setup, pattern, text):
    """The emulated kernels rebuilt, with `text` in place of a pattern's only match."""
    source = (setup.dir / "kernels.ll").read_text()
    changed, count = re.subn(pattern, text, source)
    assert count == 1, f"{count} times: {pattern}"
    (setup.dir / "planted.ll").write_text(changed)
    setup.run(
        setup.ingotc.parent / "ingot-ptx-emulate", setup.dir / "planted.ll", "--image",
        setup.dir / "kernels.ptx", "-o", setup.dir, "--check",
    ).expect(0)  # fmt: skip


def a_step_whose_blocks_do_not_wait_for_each_other_is_found(setup):
    """Faults are planted in the kernel that does whole steps."""
    data = DATA / "mlp_adam"
    device = Device(setup, data / "train.meta", "--step-kernel")
    race = "without a barrier of all blocks in between (a race)"
    faults = {
        "nobody meets": (r"icmp ne i32 %waits, 0", "icmp ne i32 0, 0", race),
        "no fence": (r'fence syncscope\("device"\) acq_rel', "", race),
        "nothing acquired": (r'syncscope\("device"\) acquire', r'syncscope("device") monotonic', race),
        "no block counts": (r"(atomicrmw add ptr addrspace\(1\) %counter, i32) %\w+", r"\1 0",
                                     "waits for ever at an atomic load"),
    }  # fmt: skip
    for number, (fault, (pattern, text, message)) in enumerate(faults.items()):
        planted(setup, pattern, text)
        done = device.train(
            setup.dir / f"run-{number}", data, "--init-from", data / "model.ckpt-0", "--steps", 3
        )
        assert done.code == 1 and message in done.err, f"{fault}: {done.err}"


def a_killed_run_resumes_on_a_device(setup):
    device = Device(setup, DATA / "mlp_adam" / "train.meta", check=False)
    data, steps = DATA / "mlp_adam", 200
    flags = ("--init-from", data / "model.ckpt-0", "--max-steps", steps,
             "--save-checkpoints-steps", 10)  # fmt: skip
    began = time.monotonic()
    device.train(setup.dir / "whole", data, *flags).expect(0)
    # Of an undisturbed run's time; a run that was quicker than its kills starts over.
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
    """Each call of a run that trains and saves, and of a resumed one, fails once: the run reports which, or has resumed
    from a checkpoint; then another one ends as an undisturbed one does."""
    data, steps = DATA / "mlp_adam", 4
    device = Device(setup, data / "train.meta", check=False)
    flags = ("--init-from", data / "model.ckpt-0", "--save-checkpoints-steps", 2, "--max-steps")
    device.train(setup.dir / "half", data, *flags, steps // 2).expect(0)
    calls = {"new": sum(device.driver_calls().values())}
    shutil.copytree(setup.dir / "half", setup.dir / "whole")
    device.train(setup.dir / "whole", data, *flags, steps).expect(0)
    calls["resumed"] = sum(device.driver_calls().values())
    assert min(calls.values()) > 80, calls
    names = {2: "CUDA_ERROR_OUT_OF_MEMORY", 719: "CUDA_ERROR_LAUNCH_FAILED",
             214: "CUDA_ERROR_ECC_UNCORRECTABLE"}  # fmt: skip
    failed = []

    def fails(kind, number):
        run, error = setup.dir / f"{kind}-{number}", list(names)[number % 3]
        log = setup.dir / f"{kind}-{number}.log"
        if kind == "resumed":
            shutil.copytree(setup.dir / "half", run)
        until = steps if kind == "resumed" else steps // 2
        done = device.train(run, data, *flags, until, INGOT_CUDA_FAIL=f"*:{number}:{error}", INGOT_CUDA_LOG=str(log))
        assert "leaked" not in log.read_text(), f"{kind}, call {number}: {log.read_text()}"
        if done.code != 0:
            failed.append(number)
            done.expect(1, " failed to ", names[error])
        if done.code != 0 or kind == "new":
            device.train(run, data, *flags, steps, INGOT_CUDA_LOG="").expect(0)
        harness.assert_same_checkpoint(setup.dir / "whole", run, steps)
        shutil.rmtree(run)

    cases = [(kind, number) for kind, count in calls.items() for number in range(1, count + 1)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(lambda case: fails(*case), cases))
    assert len(failed) > len(cases) // 2, f"only {len(failed)} of {len(cases)} runs failed"


def a_model_is_there_once_while_it_is_saved(setup):
    """On the device as often as without a save, and on the host once, in what is being saved: the emulated
    device's memory is the process's, too."""
    import threads

    names = ("var", "m", "v")
    variables = "".join(threads.VARIABLE.format(name) for name in names)
    inits = " ".join(f'input: "^init_{name}"' for name in names)
    text = threads.OPTIMIZER.format(variables=variables, inits=inits, step=threads.DENSE_STEP)

    def most(rows, saves, folder):
        """Bytes on the device, and besides in the process, at the most."""
        graph = setup.dir / "step.pbtxt"
        graph.write_text(text.replace("1021", str(rows)).replace("331", "3003"))
        device = Device(setup, graph, check=False)
        command = device.command(setup.dir / folder, setup.dir, "--max-steps", 2, "--save-checkpoints-steps", saves)
        process = subprocess.Popen(command, env=device.environment())
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, status
        there = device.logged("counted")["most memory"]
        return there, usage.ru_maxrss * 1024 - there

    rows = 3001
    model = len(names) * rows * 3003 * 4
    _, program = most(8, 1, "small")
    once, each = most(rows, 2, "once"), most(rows, 1, "each")
    print(f"model {model}; on the device and on the host {once}, {each}; the program alone {program}")
    # On the device, and in the save's copy; besides, initial values are on both sides.
    variable = model // len(names)
    assert once[0] == each[0] < 2 * model
    assert max(sum(once), sum(each)) < 1.05 * (2 * model + 2 * variable + program), (once, each)
    harness.assert_same_checkpoint(setup.dir / "once", setup.dir / "each", 2)


def the_first_hour_with_a_gpu_is_rehearsed(setup):
    """docs/guide/gpu-checklist.md's script, with the emulator in the place of a GPU."""
    names = ("mlp_adam", "conv_momentum", "csv_regression", "embedding_sparse")
    for name in names:  # as the script compiles them
        loss = json.loads((DATA / name / "expect.json").read_text())["loss_tensor"]
        for flags in ((), ("--step-kernel",)):
            device = Device(
                setup, DATA / name / "train.meta", f"--observe={loss}", *flags, check=False
            )
    script = harness.SOURCE / "test" / "gpu" / "first_hour.sh"
    done = setup.run(
        "bash", script, setup.ingotc.parents[1], setup.dir / "work", *names,
        env=device.environment(INGOT_FIGURES="no"),
    )  # fmt: skip
    assert done.code == 0, f"{done.out}{done.err}"
    assert done.out.endswith("0 failed\n") and done.out.count("ok      ") == 37, done.out


def kernels_start_before_their_predecessors_end(setup):
    """Where GPU and driver can; each waits itself, before it touches memory, which is checked."""
    data = DATA / "mlp_adam"
    device = Device(setup, data / "train.meta", images=["sm_90 ptx"])
    for run, version in (("early", "12030"), ("late", "12000")):
        device.train(
            setup.dir / run, data, "--init-from", data / "model.ckpt-0", "--steps", 5,
            INGOT_CUDA_CAPABILITY="90", INGOT_CUDA_VERSION=version,
        ).expect(0)  # fmt: skip
        early = device.logged("counted").get("early start", 0)
        assert (early >= 3) if run == "early" else early == 0, f"{early} early starts"
    harness.assert_same_checkpoint(setup.dir / "early", setup.dir / "late", 5)


def a_gpu_gets_the_best_image_that_its_driver_takes(setup):
    """Machine code for its generation and later ones, and for all: the same bytes in f32."""
    data, images = DATA / "mlp_adam", ["sm_90 ptx", "sm_80 ptx"]
    cases = [("sm_80 ptx", "80", "12000"), ("sm_80 ptx", "89", "12000"), ("sm_90 ptx", "90", "12000"),
             ("sm_90 ptx", "100", "12000"), ("sm_90 ptx", "120", "12080")]  # fmt: skip
    toolkit = os.environ["PATH"] + ":/usr/local/cuda/bin"
    if shutil.which("ptxas", path=toolkit):
        images.append("sm_90 cubin")
        cases += [("sm_90 cubin", "90", "13000"), ("sm_90 ptx", "90", "12080")]
    device = Device(setup, data / "train.meta", check=False, images=images,
                    trainer=["--gpu-arch=sm_90"] if len(images) > 2 else [])  # fmt: skip
    told = json.loads(setup.run(device.trainer, "info", "--json").expect(0).out)["devices"]
    assert [device["name"] for device in told] == ["cuda"] and told[0]["default"], told
    carried = [f"{image['arch']} {image['format']}" for image in told[0]["images"]]
    assert sorted(carried) == sorted(images) and carried[-2:] == images[:2], carried
    for number, (image, capability, version) in enumerate(cases):
        device.train(
            setup.dir / f"run-{number}", data, "--init-from", data / "model.ckpt-0", "--steps", 3,
            INGOT_CUDA_CAPABILITY=capability, INGOT_CUDA_VERSION=version,
        ).expect(0)  # fmt: skip
        assert device.image() == image, f"{device.image()}, not {image}, for {capability}"
        harness.assert_same_checkpoint(setup.dir / "run-0", setup.dir / f"run-{number}", 3)
    device.train(setup.dir / "old", data, "--steps", 1, INGOT_CUDA_CAPABILITY="75").expect(
        1, "has compute capability 7.5; this program has code for "
    )


def the_page_of_gpu_figures_is_what_was_measured(setup):
    import measure

    section = measure.section()
    assert (harness.SOURCE / "docs" / "performance.md").read_text().endswith("\n" + section)
    # The rest of the page's measurements need it.
    assert "gpu.section()" in (harness.SOURCE / "bench" / "performance.py").read_text()


def what_a_device_computes_is_watched(setup):
    """Outputs of each kernel are copied to the host when an observer reads them."""
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
        1, "cuda:1: no such GPU: the CUDA driver has 1 GPU, numbered from cuda:0"
    )
    device.train(setup.dir / "run", data, *train, INGOT_CUDA_VERSION="11040").expect(
        1, "cuda:0: the CUDA driver (libcuda.so.1) supports CUDA 11.4"
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
