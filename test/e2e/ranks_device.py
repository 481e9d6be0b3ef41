# SPDX-License-Identifier: Apache-2.0
"""Ranks that compute on GPUs: the emulated ones of test/Cuda, all of one machine."""
import json
import os
import signal

import harness
import ranks
from device import Device, agree
from ranks_sharded import wide_layer

DATA = harness.SOURCE / "test" / "data"
PARALLEL = ("--parallel", "--slices", 4)


# So that no NCCL that this machine has is asked for GPUs.
HOST = ("--exchange-through", "host")


def run(device, engine, number, folder, data, *flags, wrapper=(), **settings):
    """`engine` None: a process alone. The emulated GPUs are connected where nccl() is among `settings`."""
    command = device.command(device.setup.dir / folder, data, "--threads", 1, *flags, *(() if "INGOT_NCCL_FOLDER" in settings else HOST))
    if engine:
        launcher, own, _ = ranks.LAUNCHERS[engine]
        command = [launcher, *own, "-n", number, *wrapper, *command]
    environment = {**device.environment(**settings), **ranks.ENVIRONMENT}
    return device.setup.run(*command, env=environment)


def ranks_on_devices_write_the_same_bytes(setup):
    """Dense layers and convolutions; and the losses are TensorFlow's."""
    for name in ("mlp_adam", "conv_momentum"):
        data = DATA / name
        expect = json.loads((data / "expect.json").read_text())
        loss, steps = expect["loss_tensor"], 6
        device = Device(setup, data / "train.meta", f"--observe={loss}", *PARALLEL)
        for engine, number in ((None, 1), *((engine, number) for engine in ranks.engines() for number in (2, 3))):
            label = f"{name}-{(engine or 'alone').split()[0]}-{number}"
            flags = ("--init-from", data / "model.ckpt-0", "--max-steps", steps, "--loss", loss, "--losses", setup.dir / f"{label}.losses")
            run(device, engine, number, label, data, *flags).expect(0)
            agree("loss", [line["loss"] for line in harness.read_losses(setup.dir / f"{label}.losses")], expect["loss"][:steps])
            harness.assert_same_checkpoint(setup.dir / label, setup.dir / f"{name}-alone-1", steps)


def logged(setup):
    """A command in front of a rank's, whose driver has a log of its own."""
    script = setup.dir / "logged.sh"
    script.write_text('#!/bin/sh\nINGOT_CUDA_LOG="$INGOT_CUDA_LOG-${OMPI_COMM_WORLD_RANK-$PMI_RANK}" exec "$@"\n')
    script.chmod(0o755)
    return script


def numbers_of(log):
    """What a driver or an NCCL has counted; fails if it was not given back what it lent."""
    lines = [line.rsplit(maxsplit=1) for line in log.read_text().splitlines()]
    assert not any(name.startswith("leaked") for name, _ in lines), lines
    return {name.removeprefix("counted "): int(number) for name, number in lines}


def each_step(device, engine, number, *flags, **settings):
    """What rank 0's driver, and its NCCL, count in a step: the difference between a longer and a shorter run."""
    counts = []
    for steps in (3, 7):
        wrapper = (logged(device.setup),) if engine else ()
        folder = f"counted-{number}-{steps}-{len(settings)}"
        run(device, engine, number, folder, DATA / "mlp_adam", "--max-steps", steps, *flags, wrapper=wrapper, **settings).expect(0)
        counts.append(numbers_of(device.log.with_name(f"{device.log.name}-0") if engine else device.log))
        if settings:
            counts[-1].update(numbers_of(device.setup.dir / "nccl.log-0"))
    return {what: (count - counts[0].get(what, 0)) / 4 for what, count in counts[1].items()}


def layer(setup, batch=None):
    """A layer of 64,000 bytes of weights, whose gradients are too long to be gathered whole. Its 16 rows are one batch, or
    several of up to `batch` rows."""
    graph, feed = wide_layer(setup, 64, 250)
    if batch:
        graph.write_text(graph.read_text().replace("dim { size: 16 }", "dim { size: -1 }"))
        feed += ("--batch", batch)
    device = Device(setup, graph, "--loss", "loss", "--optimizer", "adam:0.01", *PARALLEL, check=False)
    return device, ("--seed", 5, *feed)


def bytes_of_gradients(device):
    """Bytes of all values that ranks sum in a step, all float32; and those that each rank of 2 and of 4 sends for them."""
    told = device.setup.run(device.trainer, "info", "--json").expect(0).out
    step = next(entry for entry in json.loads(told)["entries"] if entry.get("exchanges"))
    assert {value["dtype"] for value in step["exchanges"]} == {"float32"}, step
    return sum(4 * value["elements"] for value in step["exchanges"]), step["bytes_sent"]


def slices_are_summed_on_the_device(setup):
    """Of each step one value of all gradients comes to the host, however many slices a rank has; of a process alone, none."""
    device, flags = layer(setup)
    engine, (total, _) = ranks.engines()[0], bytes_of_gradients(device)
    alone = each_step(device, None, 1, *flags)["bytes down"]
    assert alone < total / 100, (alone, total)
    down = each_step(device, engine, 2, *flags)["bytes down"]
    assert total <= down < 1.01 * total + alone, (down, total)


def nccl(setup, **more):
    """The environment in which GPUs, four of them, are connected by the tests' NCCL (test/Cuda/Nccl.cpp)."""
    folder = setup.dir / "nccl"
    folder.mkdir(exist_ok=True)
    cuda = setup.ingotc.parents[1] / "test" / "Cuda"
    return {
        "LD_LIBRARY_PATH": f"{cuda / 'nccl'}:{cuda}",
        "INGOT_NCCL_FOLDER": str(folder),
        "INGOT_NCCL_LOG": str(setup.dir / "nccl.log"),
        "INGOT_CUDA_DEVICES": "4",
        **more,
    }


def gpus_exchange_by_nccl(setup):
    """The bytes of a checkpoint are those of a process alone; what is exchanged does not pass through the host, and is
    as many bytes as `info` says."""
    first, last = ranks.engines()[0], ranks.engines()[-1]
    # Whole batches of few and of many gradients; and batches of 5, 5, 5 and 1 rows, so that some slices are empty.
    for name in ("small", "short", "layer"):
        if name == "small":
            device, flags = Device(setup, DATA / "mlp_adam" / "train.meta", *PARALLEL, check=False), ("--seed", 5)
        else:
            device, flags = layer(setup, batch=5 if name == "short" else None)
        flags = (*flags, "--max-steps", 4)
        run(device, None, 1, f"{name}-alone", DATA / "mlp_adam", *flags).expect(0)
        for engine, number in ((first, 2), (first, 3), (last, 4)) if name == "layer" else ((first, 3 if name == "short" else 2),):
            folder = f"{name}-{engine.split()[0]}-{number}"
            run(device, engine, number, folder, DATA / "mlp_adam", *flags, **nccl(setup)).expect(0)
            harness.assert_same_checkpoint(setup.dir / folder, setup.dir / f"{name}-alone", 4)
    total, sent = bytes_of_gradients(device)
    alone = each_step(device, None, 1, *flags[:-2])
    for number in (2, 4):
        each = each_step(device, first, number, *flags[:-2], **nccl(setup))
        assert each["bytes sent"] == sent[str(number)], (each, sent)
        for way in ("bytes down", "bytes up"):
            assert each.get(way, 0) < alone.get(way, 0) + total / 100, (way, each, alone, total)


def loud(device, engine, number, folder, *flags, **settings):
    """A run on several ranks that prints its notes."""
    launcher, own, _ = ranks.LAUNCHERS[engine]
    command = [word for word in device.command(device.setup.dir / folder, DATA / "mlp_adam", "--threads", 1) if word != "--quiet"]
    command = [launcher, *own, "-n", number, *command, "--max-steps", 2, *flags]
    return device.setup.run(*command, env={**device.environment(**settings), **ranks.ENVIRONMENT})


def ranks_agree_how_gpus_exchange(setup):
    device = Device(setup, DATA / "mlp_adam" / "train.meta", *PARALLEL, check=False)
    engine, through = ranks.engines()[0], "gradients are exchanged through the memory of the host ("
    done = loud(device, engine, 2, "nccl", **nccl(setup)).expect(0)
    assert done.err.count("gradients are exchanged between the GPUs by NCCL 2.18.3") == 1, done.err
    reasons = (
        ("shared", "share a GPU)", nccl(setup, INGOT_CUDA_DEVICES="1")),
        ("old", "libnccl.so.2 is NCCL 2.13.4; this program needs NCCL 2.14.0 or newer)", nccl(setup, INGOT_NCCL_VERSION="21304")),
    )
    for folder, reason, settings in reasons:
        done = loud(device, engine, 2, folder, **settings).expect(0)
        assert done.err.count(through) == 1 and reason in done.err, done.err
    refused = loud(device, engine, 2, "refused", "--exchange-through", "nccl", **settings)
    assert refused.code != 0 and len(ranks.errors(refused.err)) == 1, refused.err
    assert "--exchange-through nccl: " in refused.err and reason.removesuffix(")") in refused.err, refused.err
    done = loud(device, engine, 2, "host", "--exchange-through", "host", **nccl(setup)).expect(0)
    assert "gradients are exchanged" not in done.err, done.err
    refused = loud(device, engine, 2, "refused", "--exchange-through", "wire", **nccl(setup))
    assert len(ranks.errors(refused.err)) == 1 and "expected auto, host or nccl, found 'wire'" in refused.err, refused.err
    refused = loud(device, engine, 2, "refused", "--exchange-through", "nccl", "--device", "cpu", **nccl(setup))
    assert len(ranks.errors(refused.err)) == 1 and "this run computes on the processor" in refused.err, refused.err
    for folder in ("shared", "old", "host"):
        harness.assert_same_checkpoint(setup.dir / folder, setup.dir / "nccl", 2)


def failures_of_nccl_end_all_ranks(setup):
    """One message, with rank, host and cause; nothing is left in a GPU, which a driver would wait for."""
    device, flags = layer(setup)
    engine = ranks.engines()[0]
    for call in ("Send:2", "CommGetAsyncError:9"):
        done = loud(device, engine, 2, "run", *flags, **nccl(setup, INGOT_NCCL_FAIL=f"1:{call}:2"))
        assert done.code != 0, call
        (message,) = ranks.errors(done.err)
        function = call.split(":")[0]
        assert f"nccl{function} failed: unhandled system error" in message and "rank 1 of 2 on " in message, (call, message)
    done = loud(device, engine, 2, "run", *flags, "--exchange-timeout-secs", 2, **nccl(setup, INGOT_NCCL_HANG="1:2"))
    (message,) = ranks.errors(done.err)
    assert done.code != 0 and "rank 0 of 2 on " in message, message
    assert "other ranks did not answer within 2 s (" in message, message
    # What NCCL refuses at once is no reason to end.
    refused = nccl(setup, INGOT_NCCL_FAIL="1:CommInitRankConfig:1:2")
    done = loud(device, engine, 2, "refused", *flags, **refused).expect(0)
    reason = "rank 1: ncclCommInitRankConfig failed: unhandled system error"
    assert done.err.count(f"gradients are exchanged through the memory of the host ({reason}") == 1, done.err
    done = loud(device, engine, 2, "run", *flags, "--exchange-through", "nccl", **refused)
    (message,) = ranks.errors(done.err)
    assert done.code != 0 and f"--exchange-through nccl: {reason}" in message, message


def slots_are_not_divided_on_devices(setup):
    flags = ("--target=cuda", *PARALLEL, "--shard-optimizer", "-o", setup.dir / "trainer")
    setup.compile(DATA / "mlp_adam" / "train.meta", *flags).expect(2, "--shard-optimizer cannot be used with --target=cuda")


def each_rank_takes_a_device_of_its_host(setup):
    """The GPU with a rank's number among those of its host, as far as there are any; --device says otherwise."""
    data = DATA / "mlp_adam"
    device = Device(setup, data / "train.meta", *PARALLEL, check=False)
    script = logged(setup)
    for engine in ranks.engines():
        for devices, flags, expected in ((3, (), (0, 1, 2)), (2, (), (0, 1, 0)), (2, ("--device", "cuda"), (0, 1, 0)), (4, ("--device", "cuda:2"), (2, 2, 2))):
            folder = f"{engine.split()[0]}-{devices}-{len(flags)}"
            run(device, engine, 3, folder, data, "--max-steps", 2, *flags, wrapper=(script,), INGOT_CUDA_DEVICES=str(devices)).expect(0)
            for rank, number in enumerate(expected):
                log = device.log.with_name(f"{device.log.name}-{rank}").read_text()
                opened = {line.split()[2] for line in log.splitlines() if line.startswith("counted device ")}
                assert opened == {str(number)}, (engine, devices, rank, opened)
        wrong = run(device, engine, 2, "wrong", data, "--max-steps", 2, "--device", "cuda:7", INGOT_CUDA_DEVICES="2")
        assert wrong.code != 0 and len(ranks.errors(wrong.err)) == 1 and "cuda:7: no such GPU" in wrong.err, wrong.err


def killed_ranks_on_devices_go_on_alone(setup):
    """Killed on 3 ranks, then on 2; one process ends the run, with the bytes of one that nothing disturbed."""
    data = DATA / "mlp_adam"
    device = Device(setup, data / "train.meta", *PARALLEL, check=False)
    flags = ("--max-steps", 400, "--save-checkpoints-steps", 10, "--seed", 5)
    run(device, None, 1, "whole", data, *flags).expect(0)
    trainer = ranks.Trainer.__new__(ranks.Trainer)
    trainer.setup, trainer.data, trainer.path = setup, data, device.trainer
    losses = ("--losses", setup.dir / "killed.losses")
    os.environ.update(device.environment())
    for engine, number, step in ((ranks.engines()[0], 3, 40), (ranks.engines()[-1], 2, 120)):
        process = trainer.start(engine, number, "killed", *flags, *HOST, *losses)
        os.kill(trainer.process_of("killed", number - 1, process, step), signal.SIGKILL)
        process.communicate(timeout=60)
        assert process.returncode != 0
    run(device, None, 1, "killed", data, *flags, *losses).expect(0)
    harness.assert_same_checkpoint(setup.dir / "killed", setup.dir / "whole", 400)


if __name__ == "__main__":
    harness.main(globals())
