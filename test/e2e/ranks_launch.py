# SPDX-License-Identifier: Apache-2.0
"""What a trainer refuses to be started as."""
import json
import shutil

import harness
import ranks

STEPS = ("--max-steps", 2)


def said_once(done, *words, code=None):
    """Fails unless the trainers said one thing, which has all words."""
    told = done.out + done.err
    assert done.code == code if code is not None else done.code != 0, f"exit code {done.code}\n{told}"
    said = ranks.errors(done.err)
    assert len(said) == 1, told
    for word in words:
        assert word in said[0], f"expected '{word}'\n{told}"


def a_program_for_a_process_alone_is_not_one_of_several(setup):
    alone = ranks.Trainer(setup)
    for variable, value in (("OMPI_COMM_WORLD_SIZE", 2), ("PMI_SIZE", 3), ("SLURM_NTASKS", 4)):
        done = alone.run(None, 1, "run", *STEPS, **{variable: str(value)})
        said_once(done, "for a single process", f"{variable} says that there are {value}", "--parallel", code=2)
    # One is no crowd.
    for variable in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"):
        alone.run(None, 1, variable, *STEPS, **{variable: "1"}).expect(0)
    for flag, value in (("--mpi-library", "libmpi.so.40"), ("--exchange-timeout-secs", 3), ("--overlap-exchanges", "yes"),
                        ("--shared-memory", "no"), ("--exchange-through", "host")):
        said_once(alone.run(None, 1, "run", *STEPS, flag, value), flag, "--parallel", code=2)
    said_once(alone.run(None, 1, "run", *STEPS, "--save-by-rank"), "--save-by-rank", "--parallel", code=2)
    for engine in ranks.engines():
        done = alone.run(engine, 2, "run", *STEPS)
        said_once(done, "for a single process", f"{ranks.LAUNCHERS[engine][2]} says that there are 2")
    assert not (setup.dir / "run").exists()


def there_are_no_more_ranks_than_slices(setup):
    trainer = ranks.Trainer(setup, "--parallel", "--slices", 2)
    for engine in ranks.engines():
        done = trainer.run(engine, 3, "run", *STEPS)
        said_once(done, "there are 3 ranks", "into 2 slices", "--slices 3")
    assert not (setup.dir / "run").exists()


def all_ranks_run_one_artifact_with_the_same_flags(setup):
    one = ranks.Trainer(setup, "--parallel", "--slices", 4, name="one")
    other = ranks.Trainer(setup, "--parallel", "--slices", 4, "--threads-default", 2, name="other")
    for engine in ranks.engines():
        launcher, own, _ = ranks.LAUNCHERS[engine]
        first = one.command(None, 1, "run", *STEPS)
        for second, words in (
            (other.command(None, 1, "run", *STEPS), ("rank 1 (", "runs another artifact than rank 0 (", "build")),
            (one.command(None, 1, "run", "--max-steps", 3), ("rank 1 (", "has '--max-steps 3', unlike rank 0 (")),
        ):
            done = setup.run(launcher, *own, "-n", 1, *first, ":", "-n", 1, *second, env=ranks.environment())
            said_once(done, *words)
        # How a rank computes is its own affair.
        own_threads = [*first]
        own_threads[first.index("--threads") + 1] = "2"
        setup.run(launcher, *own, "-n", 1, *first, ":", "-n", 1, *own_threads, env=ranks.environment()).expect(0)
        shutil.rmtree(setup.dir / "run")


def tf_config_and_the_launcher_agree(setup):
    trainer = ranks.Trainer(setup, "--parallel", "--slices", 4)

    def config(workers):
        return json.dumps(
            {
                "cluster": {"worker": [f"host{i}:1" for i in range(workers)]},
                "task": {"type": "worker", "index": 0},
            }
        )

    done = trainer.run(None, 1, "run", *STEPS, TF_CONFIG=config(3))
    said_once(done, "TF_CONFIG has 3", "no launcher has started this process", "mpirun -n 3", code=2)
    for engine in ranks.engines():
        done = trainer.run(engine, 2, "run", *STEPS, TF_CONFIG=config(3))
        said_once(done, "TF_CONFIG has 3", "has started 2 ranks")
        trainer.run(engine, 2, "run", *STEPS, TF_CONFIG=config(2)).expect(0)
        shutil.rmtree(setup.dir / "run")


def what_does_not_train_runs_once(setup):
    """The first process evaluates; the others have nothing to do."""
    entry = ("--entry", "evaluate=->sparse_softmax_cross_entropy_loss/value")
    trainer = ranks.Trainer(setup, "--parallel", "--slices", 4, *entry)
    trainer.run(None, 1, "run", *STEPS).expect(0)
    evaluate = [trainer.path, "evaluate", "--model-dir", setup.dir / "run", "--data-dir", trainer.data]
    evaluate += ["--entry", "evaluate", "--steps", 2, "--seed", 5]

    def table(done):
        return [line for line in done.out.splitlines() if not line.startswith("restored ")]

    alone = setup.run(*evaluate).expect(0)
    assert "loss" in table(alone)[-1], alone.out
    for engine in ranks.engines():
        launcher, own, _ = ranks.LAUNCHERS[engine]
        for quiet in ((), ("--quiet",)):
            shutil.rmtree(setup.dir / "run" / "eval")
            done = setup.run(launcher, *own, "-n", 3, *evaluate, *quiet, env=ranks.environment()).expect(0)
            assert table(done) == table(alone), done.out
            assert len(list((setup.dir / "run" / "eval").iterdir())) == 1
            assert done.err.count("evaluate runs in a single process: of the 3 that were started") == (not quiet), done.err


def libraries_that_cannot_be_are_named(setup):
    engine = ranks.engines()[0]
    trainer = ranks.Trainer(setup, "--parallel", "--slices", 4)
    absent = setup.dir / "libnone.so"
    for how in ({"flags": ("--mpi-library", absent)}, {"INGOT_MPI_LIBRARY": str(absent)}):
        flags = how.pop("flags", ())
        said_once(trainer.run(engine, 2, "run", *STEPS, *flags, **how), "no MPI library", "libnone.so")
    done = trainer.run(engine, 2, "run", *STEPS, "--mpi-library", "libm.so.6")
    said_once(done, "'libm.so.6' is no MPI library", "lacks MPI_Init_thread")


def the_launchers_own_library_is_used(setup):
    """A launcher of one MPI and a library of another know nothing of each other."""
    found = ranks.engines()
    if len(found) < 2:
        raise harness.Skip(f"only {found[0]} is installed")
    trainer = ranks.Trainer(setup, "--parallel", "--slices", 4)
    for engine, other in (found, reversed(found)):
        own = ("--mpi-library", ranks.LIBRARIES[engine])
        done = trainer.run(engine, 2, engine.split()[0], *STEPS, *own).expect(0)
        assert f"rank 0 of 2 on " in done.err and f", {engine} " in done.err, done.err
        done = trainer.run(engine, 2, "run", *STEPS, INGOT_MPI_LIBRARY=ranks.LIBRARIES[other])
        said_once(done, f"{ranks.LAUNCHERS[engine][2]} says that there are 2 processes", other, "knows of this one only")


if __name__ == "__main__":
    harness.main(globals())
