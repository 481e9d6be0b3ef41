# SPDX-License-Identifier: Apache-2.0
"""One graph on several processes: the bytes of a run do not depend on their number."""
import json
import os
import random
import re
import signal
import time

import feeding
import harness
import hooks
import ranks

PARALLEL = ("--parallel", "--slices", 4)


def same_run(left, right, step):
    """Fails unless two runs ended with the same files, log and state."""
    harness.assert_same_checkpoint(left, right, step)
    assert (left / "checkpoint").read_bytes() == (right / "checkpoint").read_bytes()
    assert left.with_suffix(".losses").read_bytes() == right.with_suffix(".losses").read_bytes()
    ranks.assert_no_reports(left)


def losses(setup, folder):
    return ("--losses", setup.dir / f"{folder}.losses")


def any_number_of_ranks_writes_the_same_checkpoint(setup):
    found = ranks.engines()
    trainer = ranks.Trainer(setup, *PARALLEL)
    flags = ("--max-steps", 60, "--save-checkpoints-steps", 20, "--seed", 5)
    trainer.run(None, 1, "alone", *flags, *losses(setup, "alone")).expect(0)
    for engine in found:
        for number in (1, 2, 4):
            folder = f"{engine.split()[0]}-{number}"
            done = trainer.run(engine, number, folder, *flags, *losses(setup, folder)).expect(0)
            assert f"rank 0 of {number} on " in done.err and f", {engine} " in done.err, done.err
            slices = "slice 0" if number == 4 else f"slices 0-{4 // number - 1}"
            assert f": {slices} of 4, 1 thread" in done.err, done.err
            same_run(setup.dir / folder, setup.dir / "alone", 60)


def every_kind_of_state_is_given_to_the_other_ranks(setup):
    """Tables, strings, a shuffle without a seed, and a run that goes on."""
    engine = ranks.engines()[0]
    for name in ("csv_regression", "embedding_sparse", "models/dynamic_rnn"):
        data = harness.SOURCE / "test" / "data" / name
        trainer = ranks.Trainer(setup, *PARALLEL, data=data, name=name.replace("/", "-"))
        folder = f"run-{name.replace('/', '-')}"
        # Rank 0 draws the seed; the others would diverge from it in a step.
        trainer.run(engine, 3, folder, "--steps", 6).expect(0)
        again = setup.dir / f"{folder}-again"
        os.system(f"cp -r {setup.dir / folder} {again}")
        trainer.run(engine, 2, folder, "--steps", 6, *losses(setup, folder)).expect(0)
        trainer.run(None, 1, again.name, "--steps", 6, *losses(setup, again.name)).expect(0)
        same_run(setup.dir / folder, again, 12)


def ranks_change_tables_as_one_process_does(setup):
    """Tables that init and local_init fill, those of a checkpoint, and those that steps change (test/data/tables)."""
    data = harness.SOURCE / "test" / "data" / "tables"
    trainer = ranks.Trainer(setup, "--parallel", data=data)
    trainer.run(None, 1, "one", "--max-steps", 12).expect(0)
    for engine in ranks.engines():
        for last in (5, 12):
            trainer.run(engine, 2, f"ranks-{engine}", "--max-steps", last).expect(0)
        harness.assert_same_checkpoint(setup.dir / "one", setup.dir / f"ranks-{engine}", 12)


def gradients_are_exchanged_while_later_ones_are_computed(setup):
    """A network whose gradients are several buckets: overlap changes no byte, whichever ranks have it."""
    trainer = ranks.Trainer(setup, *PARALLEL, graph="mlp-mnist.meta", data=harness.GRAPHS)
    flags = ("--max-steps", 4, "--seed", 5)
    trainer.run(None, 1, "alone", *flags, *losses(setup, "alone")).expect(0)
    table = setup.run(trainer.path, "info", "--exchanges", "--bandwidth", 0.5).expect(0).out
    sent, time = re.search(r"2 ranks: each sends up to (\d+) bytes in a call, ([\d.e+-]+) ms at 0.5 Gbit/s", table).groups()
    assert abs(int(sent) * 8 / 0.5e9 * 1000 - float(time)) <= 0.01 * float(time), (sent, time)
    setup.run(trainer.path, "info", "--bandwidth", 1).expect(2, "--bandwidth needs --exchanges")
    setup.run(trainer.path, "info", "--exchanges", "--bandwidth", -1).expect(2, "--bandwidth")
    assert table.startswith("step: 7 values in 3 buckets\n"), table
    assert re.search(r"^  0     \* sum +float32 +262144 +gradients/net/hidden2/MatMul_grad", table, re.MULTILINE), table
    step = next(entry for entry in json.loads(setup.run(trainer.path, "info", "--json").expect(0).out)["entries"] if entry["name"] == "step")
    gradients = 4 * sum(exchange["elements"] for exchange in step["exchanges"])
    assert gradients == 4 * (784 * 512 + 512 + 512 * 512 + 512 + 512 * 10 + 10 + 1)
    buckets = {}
    for exchange in step["exchanges"]:
        buckets[exchange["bucket"]] = buckets.get(exchange["bucket"], 0) + 4 * exchange["elements"]
    for number, sent in step["bytes_sent"].items():
        # As much as a ring sends, but for a bucket of up to 32 KiB, which all gather; a word to each owner; and some for parts
        # that are not equally long.
        share = (int(number) - 1) / int(number)
        least = sum(share * (2 if size > 32 << 10 else int(number)) * size for size in buckets.values())
        assert 0 <= sent - least < 4096, (number, sent, least)
    for engine in ranks.engines():
        for number in (2, 3):
            for overlap in ("yes", "no"):
                folder = f"{engine.split()[0]}-{number}-{overlap}"
                # Two ranks read each other's messages in memory that they share; three send them.
                more = ("--overlap-exchanges", overlap, "--shared-memory", "yes" if number == 2 else "no", *losses(setup, folder))
                trainer.run(engine, number, folder, *flags, *more).expect(0)
                same_run(setup.dir / folder, setup.dir / "alone", 4)
        trace = setup.dir / "trace.json"
        trainer.run(engine, 2, f"traced-{engine.split()[0]}", *flags, "--overlap-exchanges", "yes", "--trace", trace, "--trace-steps", 2).expect(0)
        events = json.loads(trace.read_text())["traceEvents"]
        for rank in (0, 1):
            own = [event for event in events if event["pid"] == rank]
            assert any(event["name"] == "process_name" and event["args"]["name"].startswith(f"rank {rank} (") for event in own)
            assert sum(event.get("cat") == "step" for event in own) == 2, own
            exchanged = {event["name"]: event["tid"] for event in own if event.get("cat") == "exchange"}
            first = exchanged["exchanges gradients/net/hidden2/MatMul_grad/MatMul_1"]
            assert first != exchanged["exchanges gradients/net/hidden1/MatMul_grad/MatMul_1"], "the first bucket has a thread of its own"
        for flag in ("--overlap-exchanges", "--shared-memory"):
            wrong = trainer.run(engine, 2, "wrong", *flags, flag, "maybe")
            assert f"{flag}: expected yes or no, found 'maybe'" in wrong.err, wrong.err
            assert wrong.code == 2


def killed_ranks_leave_no_trace(setup):
    """Each run has another number of ranks, and goes on where the one before it was killed."""
    found = ranks.engines()
    trainer = ranks.Trainer(setup, *PARALLEL)
    steps, kills = 3000, 7
    flags = ("--max-steps", steps, "--save-checkpoints-steps", 20, "--seed", 5, "--quiet")
    trainer.run(None, 1, "whole", *flags, *losses(setup, "whole")).expect(0)
    flags += losses(setup, "killed")
    moments = random.Random(20261126)
    for kill in range(kills):
        number = moments.choice((2, 3, 4))
        rank, step = moments.randrange(number), moments.randrange(50, 2 * steps // kills) + steps * kill // (2 * kills)
        process = trainer.start(found[kill % len(found)], number, "killed", *flags)
        print(f"killing rank {rank} of {number} after step {step}")
        pid = trainer.process_of("killed", rank, process, step)
        os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=60)
        assert process.returncode != 0
    trainer.run(found[0], 2, "killed", *flags).expect(0)
    same_run(setup.dir / "killed", setup.dir / "whole", steps)


def killed_ranks_that_each_wrote_a_shard_leave_no_trace(setup):
    """Checkpoints have a shard of each rank, whatever the number of ranks is; alone, a process writes what it always writes."""
    found = ranks.engines()
    trainer = ranks.Trainer(setup, *PARALLEL)
    steps, kills = 1000, 4
    flags = ("--save-checkpoints-steps", 10, "--seed", 5, "--quiet")
    trainer.run(None, 1, "whole", *flags, *losses(setup, "whole"), "--max-steps", steps).expect(0)
    flags += (*losses(setup, "killed"), "--save-by-rank", "--max-steps")
    moments = random.Random(20261129)
    for kill in range(kills):
        number = moments.choice((2, 3, 4))
        rank, step = moments.randrange(number), moments.randrange(50, 2 * steps // kills) + steps * kill // (2 * kills)
        process = trainer.start(found[kill % len(found)], number, "killed", *flags, steps)
        print(f"killing rank {rank} of {number} after step {step}")
        os.kill(trainer.process_of("killed", rank, process, step), signal.SIGKILL)
        process.communicate(timeout=60)
        assert process.returncode != 0
        indices = (setup.dir / "killed").glob("model.ckpt-*.index")
        newest = max(int(index.stem.split("-")[1]) for index in indices)
        shards = sorted((setup.dir / "killed").glob(f"model.ckpt-{newest}.data-*"))
        assert len(shards) == int(shards[0].name[-5:]) in (2, 3, 4), shards
        setup.run(setup.ingotc.parent / "ingot-ckpt", "verify", setup.dir / "killed" / f"model.ckpt-{newest}").expect(0)
    trainer.run(found[0], 4, "killed", *flags, steps).expect(0)
    ends = [setup.dir / folder / f"model.ckpt-{steps}" for folder in ("killed", "whole")]
    setup.run(setup.ingotc.parent / "ingot-ckpt", "diff", *ends).expect(0)
    trainer.run(None, 1, "killed", *flags, steps + 1).expect(0)
    trainer.run(None, 1, "whole", *flags[:5], *losses(setup, "whole"), "--max-steps", steps + 1).expect(0)
    same_run(setup.dir / "killed", setup.dir / "whole", steps + 1)


def a_shard_that_cannot_be_written_is_named_with_its_rank(setup):
    """A folder of the same name on each machine is not a folder that ranks share."""
    engine = ranks.engines()[0]
    trainer = ranks.Trainer(setup, *PARALLEL)
    flags = ("--max-steps", 20, "--seed", 5, "--save-by-rank")
    done = trainer.run(engine, 2, "limited", *flags, "--write-version", "v1")
    assert done.code == 2 and "--save-by-rank: checkpoints in the V1 format" in done.err, done.err
    (setup.dir / "other").mkdir()
    script = setup.dir / "apart.sh"
    script.write_text(
        "#!/bin/sh\n"
        'if [ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" = 1 ]; then cd other; fi\n'
        f'exec {trainer.path} train --model-dir run --data-dir {trainer.data} --threads 1 "$@"\n'
    )
    script.chmod(0o755)
    launcher, own, _ = ranks.LAUNCHERS[engine]
    done = setup.run(launcher, *own, "-n", 2, script, *flags, env=ranks.environment(), cwd=setup.dir)
    assert done.code not in (0, 2), done
    assert len(ranks.errors(done.err)) == 1, done.err
    assert "rank 1 (" in done.err and "in a folder that all ranks share" in done.err, done.err


def programs_without_variables_need_no_saver(setup):
    """What rank 0 does not save, the others do not wait for."""
    graph = setup.dir / "mean.pbtxt"
    graph.write_text(
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }'
        ' attr { key: "shape" value { shape { dim { size: 8 } dim { size: 2 } } } } }\n'
        'node { name: "axes" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }'
        ' attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 0 int_val: 1 } } } }\n'
        'node { name: "loss" op: "Mean" input: "x" input: "axes" attr { key: "T" value { type: DT_FLOAT } }'
        ' attr { key: "Tidx" value { type: DT_INT32 } } }\n'
    )
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (8, 2), }"
    header = header.ljust(117) + b"\n"
    (setup.dir / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(64))
    trainer = ranks.Trainer(setup, *PARALLEL, "--step", "loss", data=setup.dir, graph=graph.name)
    flags = ("--steps", 5, "--feed", f"x=@{setup.dir / 'x.npy'}", "--exchange-timeout-secs", 60, "--save-by-rank")
    for engine in ranks.engines():
        for more in ((), ("--allow-empty",)):
            trainer.run(engine, 3, f"run-{engine.split()[0]}-{len(more)}", *flags, *more).expect(0)


def fed_rows_go_on_where_they_were(setup):
    """The place in shuffled files is a state of a hook, which all ranks need."""
    engine = ranks.engines()[0]
    feeding.compiled(setup)
    graph = ("--loss", "loss", "--optimizer", "adam:0.01")
    trainer = ranks.Trainer(setup, *PARALLEL, *graph, data=feeding.GRAPH.parent, graph=feeding.GRAPH.name)
    flags = (*feeding.arrays(setup), "--batch", 4, "--shuffle", 3, "--seed", 5)
    # Nine steps are one epoch and a half.
    for last, number in ((9, 3), (20, 2)):
        trainer.run(engine, number, "run", *flags, "--max-steps", last, *losses(setup, "run")).expect(0)
        trainer.run(None, 1, "alone", *flags, "--max-steps", last, *losses(setup, "alone")).expect(0)
    same_run(setup.dir / "run", setup.dir / "alone", 20)
    done = trainer.run(engine, 2, "pipe", "--feed", "@-", "--max-steps", 2)
    assert done.code == 2 and len(ranks.errors(done.err)) == 1 and "standard input" in done.err, done.err


def a_hook_ends_the_run_of_all_ranks(setup):
    """OUT_OF_RANGE after a step, of the only rank that has the hook, ends training for all; before a step it is refused."""
    engine = ranks.engines()[0]
    trainer = ranks.Trainer(setup, *PARALLEL)
    library = hooks.build_hook(setup)
    for folder, number in (("alone", 1), ("run", 3)):
        flags = ("--max-steps", 9, "--seed", 5, "--hook", f"{library}:{setup.dir / 'calls'},range@4", *losses(setup, folder))
        trainer.run(engine if number > 1 else None, number, folder, *flags).expect(0)
    same_run(setup.dir / "run", setup.dir / "alone", 4)
    text = hooks.SOURCE.read_text().replace('  return record(r, "before");', "  return INGOT_HOOK_OUT_OF_RANGE;")
    assert text != hooks.SOURCE.read_text()
    library = hooks.build_hook(setup, text)
    done = trainer.run(engine, 2, "early", "--max-steps", 9, "--hook", f"{library}:{setup.dir / 'calls'}")
    assert done.code != 0 and "ends training before a step" in done.err, done.err


def a_loss_of_nan_is_every_ranks(setup):
    engine = ranks.engines()[-1]
    feeding.compiled(setup)
    graph = ("--loss", "loss", "--optimizer", "sgd:1e38")
    trainer = ranks.Trainer(setup, *PARALLEL, *graph, data=feeding.GRAPH.parent, graph=feeding.GRAPH.name)
    flags = (*feeding.arrays(setup), "--batch", 4, "--seed", 5, "--max-steps", 500)
    done = trainer.run(engine, 2, "fail", *flags, "--on-nan", "fail")
    assert done.code != 0, done.err
    said = ranks.errors(done.err)
    assert len(said) == 1 and said[0].startswith("error: rank 0 of 2 on ") and "NaN" in said[0], done.err
    trainer.run(engine, 2, "stop", *flags, "--on-nan", "stop", *losses(setup, "stop")).expect(0)
    assert (setup.dir / "stop.losses").read_text().count("\n") < 500
    trainer.run(engine, 2, "ignore", *flags, "--on-nan", "ignore", *losses(setup, "ignore")).expect(0)
    assert (setup.dir / "ignore.losses").read_text().count("\n") == 500


def a_signal_to_one_rank_stops_all_at_one_step(setup):
    for engine in ranks.engines():
        trainer = ranks.Trainer(setup, *PARALLEL)
        folder = engine.split()[0]
        flags = ("--save-checkpoints-steps", 10**6, "--seed", 5, *losses(setup, folder))
        process = trainer.start(engine, 3, folder, "--max-steps", 10**9, *flags)
        pid = trainer.process_of(folder, 1, process, step=30)
        os.kill(pid, signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        assert process.returncode != 0, err
        assert "rank 1 (" in err and "was stopped by SIGTERM at step " in err, err
        assert not ranks.errors(err), err
        step = int(err.split("was stopped by SIGTERM at step ")[1].split(",")[0])
        harness.checkpoint_files(setup.dir / folder, step)
        ranks.assert_no_reports(setup.dir / folder)
        # What was saved is what a run that ends there saves.
        alone = f"{folder}-alone"
        flags = ("--save-checkpoints-steps", 10**6, "--seed", 5, *losses(setup, alone))
        trainer.run(None, 1, alone, "--max-steps", step, *flags).expect(0)
        harness.assert_same_checkpoint(setup.dir / folder, setup.dir / alone, step)


def a_rank_that_hangs_is_named(setup):
    for engine in ranks.engines():
        trainer = ranks.Trainer(setup, *PARALLEL)
        folder = engine.split()[0]
        flags = ("--max-steps", 10**9, "--save-checkpoints-steps", 20, "--exchange-timeout-secs", 6)
        process = trainer.start(engine, 3, folder, *flags, *losses(setup, folder))
        pid = trainer.process_of(folder, 2, process, step=30)
        os.kill(pid, signal.SIGSTOP)
        _, err = process.communicate(timeout=60)
        assert process.returncode != 0
        said = ranks.errors(err)
        assert len(said) == 1 and said[0].startswith("error: rank 0 of 3 on "), err
        assert "other ranks did not answer within 6 s" in said[0], err
        assert ": rank 2 (" in said[0] and " was last at step " in said[0], err


def an_evaluation_may_take_longer_than_the_deadline(setup):
    """Rank 0 evaluates between two steps, and says that it does."""
    entry = ("--entry", "evaluate=->sparse_softmax_cross_entropy_loss/value")
    trainer = ranks.Trainer(setup, *PARALLEL, *entry)
    flags = ("--max-steps", 4, "--save-checkpoints-steps", 2, "--seed", 5)
    deadline = 6  # seconds: reports, of which there is one in a quarter of it, come in time on a busy machine, too
    for engine in ranks.engines():
        name = engine.split()[0]
        seconds, evaluation_steps = 0, 2000
        while seconds < 2.5 * deadline:  # for two evaluations and the rest of the run
            folder = f"{name}-{evaluation_steps}"
            evaluates = ("--eval-throttle-secs", 1e-6, "--eval-steps", evaluation_steps)
            evaluates += ("--exchange-timeout-secs", deadline)
            started = time.monotonic()
            done = trainer.run(engine, 2, folder, *flags, *evaluates, *losses(setup, folder), verb="train-and-evaluate")
            done.expect(0)
            seconds = time.monotonic() - started
            assert done.out.count("evaluated step ") == 2, done.out
            evaluation_steps = int(evaluation_steps * max(1.5, 3 * deadline / seconds))
        trainer.run(None, 1, f"{name}-alone", *flags, *losses(setup, f"{name}-alone")).expect(0)
        same_run(setup.dir / folder, setup.dir / f"{name}-alone", 4)


def a_second_run_leaves_the_first_alone(setup):
    """It is refused by the folder's lock, and does not touch the reports of those that train."""
    engine = ranks.engines()[0]
    trainer = ranks.Trainer(setup, *PARALLEL)
    process = trainer.start(engine, 2, "run", "--max-steps", 10**9, *losses(setup, "run"))
    pids = {rank: trainer.process_of("run", rank, process, step=5) for rank in (0, 1)}
    done = trainer.run(engine, 2, "run", "--max-steps", 10**9)
    said = ranks.errors(done.err)
    assert done.code != 0 and len(said) == 1 and "is being trained in by process" in said[0], done.err
    for rank, pid in pids.items():
        assert trainer.process_of("run", rank, process) == pid
    os.kill(pids[0], signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert "was stopped by SIGTERM at step " in err, err


def a_failed_rank_ends_all_with_one_message(setup):
    """Rank 0 cannot save: the others are in the middle of training."""
    for engine in ranks.engines():
        trainer = ranks.Trainer(setup, *PARALLEL)
        folder = setup.dir / engine.split()[0]
        folder.mkdir()
        (folder / "checkpoint").mkdir()  # where the state file belongs
        (folder / "checkpoint" / "file").touch()
        done = trainer.run(engine, 3, folder.name, "--max-steps", 50)
        assert done.code != 0, done.err
        said = ranks.errors(done.err)
        assert len(said) == 1 and said[0].startswith("error: rank 0 of 3 on "), done.err
        assert "checkpoint" in said[0], done.err


def ranks_that_fail_alike_say_it_once(setup):
    """A flag that is wrong, and data that are nowhere."""
    for engine in ranks.engines():
        trainer = ranks.Trainer(setup, *PARALLEL)
        wrong = trainer.run(engine, 3, "run", "--max-steps", "many")
        assert wrong.code == 2 and len(ranks.errors(wrong.err)) == 1, wrong.err
        trainer.data = setup.dir / "nowhere"
        done = trainer.run(engine, 3, "run", "--max-steps", 50)
        assert done.code != 0, done.err
        said = ranks.errors(done.err)
        assert len(said) == 1 and said[0].startswith("error: rank 0 of 3 on "), done.err


if __name__ == "__main__":
    harness.main(globals())
