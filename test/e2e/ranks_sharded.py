# SPDX-License-Identifier: Apache-2.0
"""Slots of optimizers divided among processes (--shard-optimizer): fewer bytes in memory, the same bytes in checkpoints."""
import os
import random
import re
import signal
import time

import feeding
import harness
import ranks
from ranks_training import losses, same_run

SHARDED = ("--parallel", "--slices", 4, "--shard-optimizer")
ROWS, COLUMNS, BATCH = 1024, 4096, 16


def node(name, op, inputs=(), **attributes):
    text = f'node {{ name: "{name}" op: "{op}"' + "".join(f' input: "{each}"' for each in inputs)
    return text + "".join(f' attr {{ key: "{key}" value {{ {value} }} }}' for key, value in attributes.items()) + " }\n"


def shape(*sizes):
    return "shape { " + "".join(f"dim {{ size: {size} }} " for size in sizes) + "}"


def ints(*values):
    dims = f"tensor_shape {{ dim {{ size: {len(values)} }} }}" if len(values) > 1 else "tensor_shape { }"
    return f"tensor {{ dtype: DT_INT32 {dims} " + " ".join(f"int_val: {value}" for value in values) + " }"


def wide_layer(setup, rows=ROWS, columns=COLUMNS):
    """A layer with 16 MiB of weights, or as many as are asked for, and the flags that feed it."""
    graph, real, whole = setup.dir / f"wide-{rows}-{columns}.pbtxt", "type: DT_FLOAT", "type: DT_INT32"
    graph.write_text(
        node("x", "Placeholder", dtype=real, shape=shape(BATCH, rows))
        + node("dims", "Const", dtype=whole, value=ints(rows, columns))
        + node("zero", "Const", dtype=real, value="tensor { dtype: DT_FLOAT tensor_shape { } float_val: 0.5 }")
        + node("fill", "Fill", ("dims", "zero"), T=real, index_type=whole)
        + node("w", "VarHandleOp", dtype=real, shape=shape(rows, columns), shared_name='s: "w"')
        + node("assign", "AssignVariableOp", ("w", "fill"), dtype=real)
        + node("read", "ReadVariableOp", ("w",), dtype=real)
        + node("product", "MatMul", ("x", "read"), T=real)
        + node("tanh", "Tanh", ("product",), T=real)
        + node("axes", "Const", dtype=whole, value=ints(0, 1))
        + node("loss", "Mean", ("tanh", "axes"), T=real, Tidx=whole)
        + node("init", "NoOp", ("^assign",))
    )
    rng = random.Random(7)
    rows = [[rng.randrange(-64, 64) / 512 for _ in range(rows)] for _ in range(BATCH)]
    (setup.dir / "x.npy").write_bytes(feeding.array("<f4", rows))
    return graph, ("--feed", f"x=@{setup.dir / 'x.npy'}")


def divided_slots_change_no_byte(setup):
    """Against the same program without the flag, for optimizers with one slot and with two, saved by rank 0 or by all ranks."""
    for name, flags in (("mlp-mnist", ("--max-steps", 12)), ("conv-cifar", ("--max-steps", 4))):
        graph = f"{name}.meta"
        plain = ranks.Trainer(setup, *SHARDED[:3], graph=graph, data=harness.GRAPHS, name=f"trainer-plain-{name}")
        trainer = ranks.Trainer(setup, *SHARDED, graph=graph, data=harness.GRAPHS, name=f"trainer-{name}")
        flags, last = (*flags, "--seed", 5, "--save-checkpoints-steps", 3), flags[1]
        plain.run(None, 1, f"plain-{name}", *flags, *losses(setup, f"plain-{name}")).expect(0)
        for engine in (None, *ranks.engines()):
            for number in (2, 3, 4) if engine else (1,):
                folder = f"{name}-{engine}-{number}".replace(" ", "")
                trainer.run(engine, number, folder, *flags, *losses(setup, folder), "--overlap-exchanges", "yes").expect(0)
                same_run(setup.dir / folder, setup.dir / f"plain-{name}", last)
                if number < 3:
                    continue
                for shards, saves in ((f"{folder}-shards", trainer), (f"{folder}-plain-shards", plain)):
                    saves.run(engine, number, shards, *flags, "--save-by-rank").expect(0)
                harness.assert_same_checkpoint(setup.dir / f"{folder}-shards", setup.dir / f"{folder}-plain-shards", last)
                ends = [setup.dir / each / f"model.ckpt-{last}" for each in (f"{folder}-shards", folder)]
                setup.run(setup.ingotc.parent / "ingot-ckpt", "diff", *ends).expect(0)


def layers_of_any_size_are_divided(setup):
    """Around the sizes from which sums are scattered, and reshapes are views."""
    for rows, columns in ((128, 128), (128, 127), (64, 264), (512, 32), (130, 160)):
        graph, feed = wide_layer(setup, rows, columns)
        ends = []
        for name, flags in (("plain", SHARDED[:3]), ("sharded", SHARDED)):
            trainer = ranks.Trainer(setup, *flags, "--loss", "loss", "--optimizer", "adam:0.01", data=setup.dir, graph=graph.name, name=name)
            folder = f"{name}-{rows}-{columns}"
            trainer.run(ranks.engines()[0] if name == "sharded" else None, 3 if name == "sharded" else 1, folder, "--max-steps", 3, "--seed", 5, *feed).expect(0)
            ends.append(setup.dir / folder)
        harness.assert_same_checkpoint(*ends, 3)


def what_is_sent_is_what_a_ring_sends(setup):
    """A sum that is scattered and weights that are gathered: 2(n-1)/n of the gradient, as without the flag."""
    graph, _ = wide_layer(setup)
    sent = {}
    for name, flags in (("plain", SHARDED[:3]), ("sharded", SHARDED)):
        trainer = ranks.Trainer(setup, *flags, "--loss", "loss", "--optimizer", "adam:0.01", data=setup.dir, graph=graph.name, name=name)
        table = setup.run(trainer.path, "info", "--exchanges").expect(0).out
        sent[name] = [int(number) for number in re.findall(r"each sends up to (\d+) bytes", table)]
        assert ("reduce_scatter" in table and "gather_in_place" in table) == (name == "sharded"), table
    size = 4 * ROWS * COLUMNS
    for name, (two, four) in sent.items():
        assert 0 <= two - 2 * size * 1 / 2 < 4096 and 0 <= four - 2 * size * 3 / 4 < 4096, (name, two, four, size)


def resident_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"^RssAnon:\s+(\d+) kB$", status.read(), re.MULTILINE).group(1)) << 10


def a_rank_has_only_its_part_in_memory(setup):
    """Adam has two slots of 16 MiB; a rank of four keeps a quarter of them, also after a save."""
    graph, feed = wide_layer(setup)
    for engine in ranks.engines():
        found = {}
        for name, flags in (("plain", SHARDED[:3]), ("sharded", SHARDED)):
            trainer = ranks.Trainer(setup, *flags, "--loss", "loss", "--optimizer", "adam:0.01", data=setup.dir, graph=graph.name, name=name)
            folder = f"{name}-{engine.split()[0]}"
            flags = ("--max-steps", 10**9, "--save-checkpoints-steps", 3, *feed, *losses(setup, folder))
            process = trainer.start(engine, 4, folder, *flags)
            pids = [trainer.process_of(folder, rank, process, step=8) for rank in range(4)]
            # Between two saves rank 0 has its own part only, and the copy from which the last one was written.
            found[name] = [min(resident_bytes(pid) for _ in range(50)) for pid in pids]
            os.kill(pids[1], signal.SIGTERM)
            _, err = process.communicate(timeout=120)
            assert "was stopped by SIGTERM at step " in err, err
        slots = 2 * 4 * ROWS * COLUMNS
        print({name: [each >> 20 for each in sizes] for name, sizes in found.items()}, "MiB")
        for rank in range(1, 4):
            saved = found["plain"][rank] - found["sharded"][rank]
            assert saved > 0.9 * slots * 3 / 4, (rank, saved, slots)


def divided_slots_survive_kills(setup):
    """Killed on 4 ranks, on 2, alone and on 3, saved by one rank and by all: what one process trains that nothing disturbs."""
    trainer = ranks.Trainer(setup, *SHARDED, graph="mlp-mnist.meta", data=harness.GRAPHS)
    steps, kills, found = 800, (4, 2, 1, 3), ranks.engines()
    flags = ("--save-checkpoints-steps", 10, "--seed", 5, "--quiet", "--max-steps", steps)
    trainer.run(None, 1, "whole", *flags, *losses(setup, "whole")).expect(0)
    moments = random.Random(20261129)
    for kill, number in enumerate(kills):
        more = ("--save-by-rank",) if kill % 2 == 0 and number > 1 else ()
        step, rank = moments.randrange(50, steps // len(kills)) + steps * kill // (2 * len(kills)), moments.randrange(number)
        engine = found[kill % len(found)] if number > 1 else None
        process = trainer.start(engine, number, "killed", *flags, *losses(setup, "killed"), *more)
        print(f"killing rank {rank} of {number} after step {step}")
        if engine:
            os.kill(trainer.process_of("killed", rank, process, step), signal.SIGKILL)
        else:
            while process.poll() is None and (setup.dir / "killed.losses").read_text().count("\n") < step:
                time.sleep(0.01)
            process.kill()
        process.communicate(timeout=60)
        assert process.returncode != 0
    trainer.run(found[0], 4, "killed", *flags, *losses(setup, "killed")).expect(0)
    same_run(setup.dir / "killed", setup.dir / "whole", steps)


def what_cannot_be_divided_is_named(setup):
    """Slots of embeddings are updated row by row; --remarks says so."""
    path = setup.dir / "trainer"
    done = setup.compile(harness.GRAPHS / "embedding.meta", *SHARDED, "--remarks", "-o", path).expect(0)
    assert "no optimizer state can be divided among processes: --shard-optimizer has no effect" in done.err, done.err
    assert re.search(r"every process keeps all of variable '[^']*/Adam': its new value is not computed elementwise", done.err), done.err
    setup.compile(harness.GRAPHS / "embedding.meta", "--shard-optimizer", "-o", path).expect(2, "--shard-optimizer needs --parallel")


if __name__ == "__main__":
    harness.main(globals())
