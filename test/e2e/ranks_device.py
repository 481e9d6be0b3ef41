# SPDX-License-Identifier: Apache-2.0
"""Ranks that compute on GPUs: the emulated ones of test/Cuda, all of one machine."""
import json
import os
import signal

import harness
import ranks
from device import Device, agree

DATA = harness.SOURCE / "test" / "data"
PARALLEL = ("--parallel", "--slices", 4)


def run(device, engine, number, folder, data, *flags, wrapper=(), **settings):
    """`engine` None: a process alone."""
    command = device.command(device.setup.dir / folder, data, "--threads", 1, *flags)
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


def counted(device, engine, number, what, steps, *flags, rank=0, **settings):
    """What the driver of a rank has counted in a run of so many steps."""
    script = device.setup.dir / "logged.sh"
    if not script.exists():
        script.write_text('#!/bin/sh\nINGOT_CUDA_LOG="$INGOT_CUDA_LOG-${OMPI_COMM_WORLD_RANK-${PMI_RANK-0}}" exec "$@"\n')
        script.chmod(0o755)
    folder = f"counted-{number}-{steps}-{len(settings)}"
    wrapper = (script,) if engine else ()
    run(device, engine, number, folder, DATA / "mlp_adam", "--max-steps", steps, *flags, wrapper=wrapper, **settings).expect(0)
    log = device.log.with_name(f"{device.log.name}-{rank}") if engine else device.log
    return sum(int(line.split()[-1]) for line in log.read_text().splitlines() if line.startswith(f"counted {what} "))


def bytes_of_gradients(device):
    """Bytes of all values that ranks sum in a step, all float32; and those that each rank of 2 and of 4 sends for them."""
    told = device.setup.run(device.trainer, "info", "--json").expect(0).out
    step = next(entry for entry in json.loads(told)["entries"] if entry.get("exchanges"))
    assert {value["dtype"] for value in step["exchanges"]} == {"float32"}, step
    return sum(4 * value["elements"] for value in step["exchanges"]), step["bytes_sent"]


def slices_are_summed_on_the_device(setup):
    """Of each step one value of all gradients comes to the host, however many slices a rank has; of a process alone, none."""
    device = Device(setup, DATA / "mlp_adam" / "train.meta", *PARALLEL, check=False)
    engine, (total, _) = ranks.engines()[0], bytes_of_gradients(device)

    def each_step(engine, number, what):
        few, many = (counted(device, engine, number, what, steps) for steps in (3, 7))
        return (many - few) / 4

    alone = each_step(None, 1, "bytes down")
    assert alone < total / 100, (alone, total)
    down = each_step(engine, 2, "bytes down")
    assert total <= down < 1.01 * total + alone, (down, total)


def slots_are_not_divided_on_devices(setup):
    flags = ("--target=cuda", *PARALLEL, "--shard-optimizer", "-o", setup.dir / "trainer")
    setup.compile(DATA / "mlp_adam" / "train.meta", *flags).expect(2, "--shard-optimizer cannot be used with --target=cuda")


def each_rank_takes_a_device_of_its_host(setup):
    """The GPU with a rank's number among those of its host, as far as there are any; --device says otherwise."""
    data = DATA / "mlp_adam"
    device = Device(setup, data / "train.meta", *PARALLEL, check=False)
    script = setup.dir / "logged.sh"
    script.write_text('#!/bin/sh\nINGOT_CUDA_LOG="$INGOT_CUDA_LOG-${OMPI_COMM_WORLD_RANK-$PMI_RANK}" exec "$@"\n')
    script.chmod(0o755)
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
        process = trainer.start(engine, number, "killed", *flags, *losses)
        os.kill(trainer.process_of("killed", number - 1, process, step), signal.SIGKILL)
        process.communicate(timeout=60)
        assert process.returncode != 0
    run(device, None, 1, "killed", data, *flags, *losses).expect(0)
    harness.assert_same_checkpoint(setup.dir / "killed", setup.dir / "whole", 400)


if __name__ == "__main__":
    harness.main(globals())
