# SPDX-License-Identifier: Apache-2.0
"""Examples from files and pipes for placeholders, batch after batch, and on after a kill."""
import json
import random
import re
import struct
import subprocess
import time
import zipfile

import harness
from harness import read_losses

GRAPH = harness.SOURCE / "test" / "data" / "forward" / "graph.pb"
ROWS = 23
TYPES = {"<f4": "f", "<i4": "i"}


def array(descr, rows):
    """A .npy file's bytes."""
    shape = (len(rows), len(rows[0])) if isinstance(rows[0], list) else (len(rows),)
    header = str({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    flat = [value for row in rows for value in row] if len(shape) == 2 else rows
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(flat)}{TYPES[descr]}", *flat)


def examples(rows=ROWS):
    """Values that text has exactly, by placeholder."""
    rng = random.Random(5)
    return {"x": ("<f4", [[rng.randrange(-64, 64) / 32 for _ in range(5)] for _ in range(rows)]),
            "word": ("<i4", [rng.randrange(6) for _ in range(rows)]),
            "label": ("<i4", [rng.randrange(4) for _ in range(rows)])}  # fmt: skip


def compiled(setup):
    trainer = setup.dir / "trainer"
    setup.compile(GRAPH, "--loss", "loss", "--optimizer", "adam:0.01", "-o", trainer).expect(0)
    for name, (descr, rows) in examples().items():
        (setup.dir / f"{name}.npy").write_bytes(array(descr, rows))
    return trainer


def arrays(setup):
    return ["--feed", ",".join(f"{name}=@{setup.dir / name}.npy" for name in examples())]


def train(setup, trainer, name, *flags, **more):
    """Runs training; its losses by step."""
    losses = setup.dir / f"{name}.losses"
    command = [trainer, "--model-dir", setup.dir / name, "--losses", losses, "--quiet", *flags]
    setup.run(*command, **more).expect(0)
    return [line["loss"] for line in read_losses(losses)]


def batches_are_rows_of_the_files(setup):
    """Against runs of the step, one by one, on rows that are cut here."""
    trainer = compiled(setup)
    found = train(setup, trainer, "batches", *arrays(setup), "--batch", 4, "--epochs", 2)
    assert len(found) == 12, found
    expected = []
    for step in range(12):
        begin = step % 6 * 4
        feeds = [part for name, (_, rows) in examples().items()
                 for part in ("--feed", f"{name}={json.dumps(rows[begin : begin + 4])}")]  # fmt: skip
        said = setup.run(trainer, "run", "step", "--model-dir", setup.dir / "single", *feeds, "--json", "--quiet").expect(0).out
        expected.append(json.loads(said)["loss:0"])
    assert found == expected, (found, expected)


def files_of_rows_are_arrays(setup):
    trainer = compiled(setup)
    expected = train(setup, trainer, "npy", *arrays(setup), "--batch", 5, "--epochs", 1, "--shuffle", 3)
    data = examples()
    rows = [[*x, word, label] for x, word, label in zip(*(data[name][1] for name in ("x", "word", "label")))]
    csv = setup.dir / "rows.csv"
    csv.write_text("".join(",".join(map(str, row)) + "\n" for row in [[*(f"x_{i}" for i in range(5)), "word", "label"], *rows]))
    jsonl = setup.dir / "rows.jsonl"
    jsonl.write_text("".join(json.dumps({"x": row[:5], "word": row[5], "label": row[6]}) + "\n" for row in rows))
    for file in (csv, jsonl):
        found = train(setup, trainer, file.suffix, "--feed", f"@{file}", "--batch", 5, "--epochs", 1, "--shuffle", 3)
        assert found == expected, (file, found, expected)
    # By their names, in any order and among others; elements of a vector may be numbered as in Python, or not at all.
    for name, header in (("numbered", [f"x[{index}]" for index in range(5)]), ("repeated", ["x"] * 5)):
        named = setup.dir / f"{name}.csv"
        lines = [["label", "id", *header, "word", "place"], *([row[6], number, *row[:5], row[5], "Rome"] for number, row in enumerate(rows))]
        named.write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
        assert train(setup, trainer, name, "--feed", f"@{named}", "--batch", 5, "--epochs", 1, "--shuffle", 3) == expected, name
    command = [trainer, "--model-dir", setup.dir / "notes", "--batch", 5, "--epochs", 1]
    setup.run(*command, "--feed", f"@{named}").expect(0, "note: ", "repeated.csv", "not fed are ignored: 'id', 'place'")
    named.write_text("label,x,word\n1,2,3\n")
    setup.run(*command, "--feed", f"@{named}").expect(1, "repeated.csv", "line 1", "the header lacks 'x_0', 'x_1'")
    # A column may come from elsewhere.
    fewer = setup.dir / "fewer.csv"
    fewer.write_text("".join(",".join(map(str, [*row[:5], row[6]])) + "\n" for row in rows))
    mixed = train(setup, trainer, "mixed", "--feed", f"@{fewer}", "--feed", f"word=@{setup.dir / 'word.npy'}",
                  "--batch", 5, "--epochs", 1, "--shuffle", 3)  # fmt: skip
    assert mixed == expected
    setup.run(*command, "--steps", 1, "--feed", f"@{fewer}", "--feed", f"word=@{setup.dir / 'word.npy'}").expect(
        0, "fewer.csv", "no header", "'x (5 fields)', 'label'")  # fmt: skip
    jsonl.write_text(jsonl.read_text() + '{"x": [1, 2], "word": 1, "label": 1}\n')
    setup.run(trainer, "--model-dir", setup.dir / "bad", "--feed", f"@{jsonl}", "--batch", 5).expect(
        1, "rows.jsonl", f"line {ROWS + 1}")  # fmt: skip


def archives_of_numpy_are_arrays(setup):
    """numpy.savez and savez_compressed write with zipfile."""
    trainer = compiled(setup)
    expected = train(setup, trainer, "npy", *arrays(setup), "--batch", 5, "--epochs", 2, "--shuffle", 3)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        archive = setup.dir / f"rows{method}.npz"
        with zipfile.ZipFile(archive, "w", method) as file:
            for name in examples():
                file.writestr(f"{name}.npy", (setup.dir / f"{name}.npy").read_bytes())
        for number, feeds in enumerate((
                [f"@{archive}"],
                [f"x=@{archive}:x,word=@{archive},label=@{setup.dir / 'label.npy'}"],
                [f"@{archive}", f"word=@{setup.dir / 'word.npy'}"])):  # fmt: skip
            flags = [part for feed in feeds for part in ("--feed", feed)]
            found = train(setup, trainer, f"npz{method}{number}", *flags, "--batch", 5, "--epochs", 2, "--shuffle", 3)
            assert found == expected, (method, feeds, found, expected)
    command = [trainer, "--model-dir", setup.dir / "bad", "--batch", 5, "--feed"]
    setup.run(*command, f"x=@{archive}:y").expect(1, "has no array 'y'; it has 'x', 'word', 'label'")
    setup.run(*command, f"x=@{archive}:label").expect(1, f"{archive}:label", "found '<i4'", "expected '<f4'")
    setup.run(*command, f"@{setup.dir / 'none.npz'}").expect(1, "none.npz")
    data = bytearray(archive.read_bytes())
    data[len(data) // 3] ^= 4
    archive.write_bytes(data)
    setup.run(*command, f"@{archive}").expect(1, archive.name)
    archive.write_bytes(data[:200])
    setup.run(*command, f"@{archive}").expect(1, archive.name, "not an .npz archive")


def fed_batches_go_on_after_kills(setup):
    trainer = compiled(setup)
    flags = [*arrays(setup), "--batch", 4, "--shuffle", 9, "--max-steps", 400, "--save-checkpoints-steps", 3]
    expected = train(setup, trainer, "whole", *flags)
    losses, kills = setup.dir / "killed.losses", 0
    command = [str(word) for word in (trainer, "--model-dir", setup.dir / "killed", "--losses", losses, "--quiet", *flags)]
    rng = random.Random(2)
    for _ in range(12):
        process = subprocess.Popen(command)
        time.sleep(rng.uniform(0.01, 0.08))
        process.kill()
        kills += process.wait() == -9
    setup.run(*command).expect(0)
    assert [line["loss"] for line in read_losses(losses)] == expected
    harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / "killed", 400)
    assert kills > 0, "the machine is quicker than every kill"


def frames_come_through_a_pipe(setup):
    trainer = compiled(setup)
    expected = train(setup, trainer, "files", *arrays(setup), "--batch", 4, "--epochs", 1)
    data = examples()
    frames = b""
    for begin in range(0, ROWS, 4):
        for name in ("x", "word", "label"):
            descr, rows = data[name]
            frames += array(descr, rows[begin : begin + 4])
    order = setup.run(trainer, "info", "--json").expect(0).out
    assert order.index('"x:0"') < order.index('"word:0"') < order.index('"label:0"'), "the order of frames"
    whole = train(setup, trainer, "frames", "--feed", "@-", input=frames)
    assert whole == expected, (whole, expected)
    # A resumed run skips the frames that it has consumed.
    train(setup, trainer, "part", "--feed", "@-", "--max-steps", 3, input=frames)
    assert train(setup, trainer, "part", "--feed", "@-", input=frames) == expected
    # Torn at any place, it is said where; all steps before it are trained.
    rng = random.Random(1)
    for _ in range(20):
        size = rng.randrange(1, len(frames))
        cut = setup.run(trainer, "--model-dir", setup.dir / f"cut{size}", "--feed", "@-", "--quiet", input=frames[:size])
        assert cut.code in (0, 1), (size, cut.err)
        if cut.code == 1:
            assert re.search(r"frame \d+ of standard input|in the middle of frame \d+", cut.err), cut.err
    setup.run(trainer, "--model-dir", setup.dir / "no", "--feed", "@-", input=b"step 1: nothing").expect(
        1, "frame 1 of standard input", "not a .npy file")  # fmt: skip


def an_evaluation_takes_files_of_examples(setup):
    trainer = setup.dir / "trainer"
    setup.compile(GRAPH, "--loss", "loss", "--optimizer", "adam:0.01", "-o", trainer,
                  "--entry", "evaluate=x,word,label->losses_out").expect(0)  # fmt: skip
    for name, (descr, rows) in examples().items():
        (setup.dir / f"{name}.npy").write_bytes(array(descr, rows))
    train(setup, trainer, "run", *arrays(setup), "--batch", 4, "--epochs", 1)
    evaluate = [trainer, "evaluate", "--model-dir", setup.dir / "run", "--json", *arrays(setup)]
    setup.run(*evaluate[:-2], "--feed", "@-").expect(2, "give an evaluation a file")
    # Means over all examples, however they are cut.
    values = []
    for batch in (1, 4, 23, 100):
        said = json.loads(setup.run(*evaluate, "--batch", batch).expect(0).out)
        assert said["batches"] == -(-ROWS // batch), said
        values.append(said["metrics"]["losses_out"])
    assert max(values) - min(values) < 1e-6, values


def evaluations_beside_training_read_once_what_they_need(setup):
    """The files that are fed, and which evaluation was the best: they may be gone later."""
    trainer = setup.dir / "trainer"
    setup.compile(GRAPH, "--loss", "loss", "--optimizer", "adam:0.01", "-o", trainer,
                  "--entry", "evaluate=x,word,label->losses_out").expect(0)  # fmt: skip
    for name, (descr, rows) in examples().items():
        (setup.dir / f"{name}.npy").write_bytes(array(descr, rows))
    run = setup.dir / "run"
    command = [trainer, "train-and-evaluate", "--model-dir", run, "--max-steps", 10**9, "--save-checkpoints-steps", 20,
               "--eval-throttle-secs", 0, "--keep-best", "losses_out", *arrays(setup), "--batch", 4]  # fmt: skip
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    best, count = float("inf"), 0
    for line in process.stdout:
        told = re.search(r"^evaluated step \d+  losses_out (\S+)(  \(best\))?$", line.rstrip())
        if not told:
            continue
        count += 1
        assert bool(told[2]) == (float(told[1]) < best) or float(told[1]) == best, (line, best)
        best = min(best, float(told[1]))
        for path in [*setup.dir.glob("*.npy"), *(run / "eval").glob("events.*")]:
            path.unlink(missing_ok=True)
        if count == 40:
            process.terminate()
    assert process.wait(60) == 143 and count >= 40, (process.returncode, count)


def what_cannot_be_fed_is_said_before_training(setup):
    trainer = compiled(setup)
    command = [trainer, "--model-dir", setup.dir / "run"]
    (setup.dir / "short.npy").write_bytes(array("<i4", [1, 2, 3]))
    short = [*arrays(setup)[:1], arrays(setup)[1].replace("label.npy", "short.npy")]
    setup.run(*command, *short, "--batch", 4).expect(1, "'label:0' is fed 3 examples", f"{ROWS}")
    setup.run(*command, *arrays(setup), "--epochs", 2).expect(2, "--epochs", "--batch")
    setup.run(*command, *arrays(setup), "--shuffle", 2).expect(2, "--shuffle", "--batch")
    setup.run(*command, "--feed", "@rows.csv").expect(2, "--batch N is missing")
    setup.run(*command, "--feed", "@rows.xls", "--batch", 2).expect(2, "rows.xls", ".csv, .jsonl, .tfrecord or .npz")
    setup.run(*command, "--feed", "@-", "--batch", 2).expect(2, "each frame is already a batch")
    setup.run(*command, "--feed", "@a.csv", "--feed", "@b.csv", "--batch", 2).expect(2, "only one file")
    setup.run(*command, "--feed", "x=1,2", "--batch", 2).expect(1, "x:0")
    assert not (setup.dir / "run" / "checkpoint").exists()


DEFAULTS = harness.SOURCE / "test" / "data" / "defaults"


def with_defaults(setup):
    """A trainer whose step has placeholders with defaults, TensorFlow's losses of it, and the learning rate's rows."""
    trainer = setup.dir / "trainer"
    setup.compile(DEFAULTS / "train.meta", "-o", trainer).expect(0)
    expected = json.loads((DEFAULTS / "losses.json").read_text())
    rates = setup.dir / "rates.csv"
    rates.write_text("step,rate\n" + "".join(f"{step},{rate}\n" for step, rate in expected["schedule"].items()))
    return trainer, expected, rates


def near(found, expected):
    assert len(found) == len(expected), (found, expected)
    assert all(abs(a - b) <= 1e-4 * max(abs(b), 1) for a, b in zip(found, expected)), (found, expected)


def placeholders_with_defaults_are_fed_or_not(setup):
    """Learning rates and conditions, from values and by step, as TensorFlow trains with them in feed_dict."""
    trainer, expected, rates = with_defaults(setup)
    most = ["--max-steps", 40]
    near(train(setup, trainer, "defaults", *most), expected["defaults"])
    near(train(setup, trainer, "values", *most, "--feed", "rate=0.05", "--feed", "trains=true",
               "--feed", "scale=[1.5,-0.5]"), expected["values"])  # fmt: skip
    near(train(setup, trainer, "scheduled", *most, "--feed", f"rate=@{rates}"), expected["scheduled"])
    trains = setup.dir / "trains.jsonl"
    trains.write_text('{"step": 0, "trains": false}\n{"step": 20, "trains": true}\n')
    near(train(setup, trainer, "both", *most, "--feed", f"rate=@{rates},trains=@{trains}"), expected["scheduled_values"])
    # Before its first row a schedule has no value.
    late = setup.dir / "late.csv"
    late.write_text("1000,0.5\n")
    near(train(setup, trainer, "late", *most, "--feed", f"rate=@{late}"), expected["defaults"])
    run = setup.run(trainer, "run", "step", "--model-dir", setup.dir / "single", "--json", "--quiet").expect(0)
    near([json.loads(run.out)["loss:0"]], expected["defaults"][:1])


def schedules_go_on_where_a_run_was_stopped(setup):
    trainer, expected, rates = with_defaults(setup)
    flags = ["--feed", f"rate=@{rates}"]
    whole = train(setup, trainer, "whole", *flags, "--max-steps", 40)
    found = []
    for most in (1, 2, 3, 16, 17, 18, 30, 40):
        found += train(setup, trainer, "part", *flags, "--max-steps", most)[len(found):]
    assert found == whole, (found, whole)
    harness.assert_same_checkpoint(setup.dir / "whole", setup.dir / "part", 40)


def what_is_no_schedule_is_said_before_training(setup):
    trainer, _, rates = with_defaults(setup)
    wrong = setup.dir / "wrong.csv"
    for text, *words in [("", "no rows"), ("step,rate\n5,1\n5,2\n", "step 5 after step 5"), ("-1,1\n", "steps must rise from 0"),
                         ("0,fast\n", "wrong.csv", "fast"), ("step,speed\n0,1\n", "wrong.csv")]:  # fmt: skip
        wrong.write_text(text)
        setup.run(trainer, "--model-dir", setup.dir / "run", "--feed", f"rate=@{wrong}").expect(1, *words)
    setup.run(trainer, "--model-dir", setup.dir / "run", "--feed", f"rows_taken=@{rates}").expect(
        2, "'rows_taken' is not among the placeholders", "rate:0")  # fmt: skip
    # Of several files, too.
    setup.run(trainer, "--model-dir", setup.dir / "run", "--feed", f"rate=@{rates},rows_taken=@{rates}").expect(
        2, "'rows_taken' is not among the placeholders", "rate:0")  # fmt: skip
    assert not (setup.dir / "run" / "checkpoint").exists()
    evaluates = setup.dir / "evaluates"
    setup.compile(GRAPH, "--loss", "loss", "--optimizer", "adam:0.01", "-o", evaluates,
                  "--entry", "evaluate=x,word,label->losses_out").expect(0)  # fmt: skip
    setup.run(evaluates, "evaluate", "--model-dir", setup.dir / "run", "--feed", f"label=@{rates}").expect(
        2, "is a schedule by step", "label=VALUE")  # fmt: skip
    # Of open dimensions rows can't say how large they are.
    setup.run(evaluates, "--model-dir", setup.dir / "run", "--feed", f"label=@{rates}").expect(1, "needs a static shape")


if __name__ == "__main__":
    harness.main(globals())
