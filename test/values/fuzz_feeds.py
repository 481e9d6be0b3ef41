# SPDX-License-Identifier: Apache-2.0
"""Feeds entries with what is drawn at random: no run may crash; one that fails names a node or a feed, and changes no variable.

    fuzz_feeds.py --ingotc build/bin/ingotc --runtime build/test/values/runtime --work DIR [--runs N | --seconds S] [--seed N] [WHAT...]

WHAT is a suite of cases/, whose placeholders have dynamic sizes, or a folder of test/data with a train.meta (or one of its other
.meta files), of whose step the iterators' elements are fed, or with a saved_model, which has signatures. Where a run does not end as it must, its command line and seed are printed.
"""
import json
import pathlib
import random
import re
import shutil
import struct
import sys
import time

import parts
from case_options import caseOptions
from check_coverage import META_GRAPH, fields
from dynamic_shapes import withDynamicShapes, readVarint
from run_refusals import CHANGED
from run_values import CASES, FORMATS, findCompilable, run, splitResults

DATA = CASES.parents[1] / "data"
GRAPHS = ["mlp_adam", "conv_momentum", "embedding_sparse", "csv_regression", "models/autoencoder", "models/dynamic_rnn",
          "models/embeddings", "models/keras_layers", "models/reference_variables", "models/transformer",
          "models/short_last_batch", "models/dropout_and_label_smoothing", "saved_model_train",
          "adanet_digits/model.ckpt-50.meta", "adanet_digits/model.ckpt-150.meta", "adanet_digits/model.ckpt-250.meta",
          "adanet_diabetes/model.ckpt-50.meta", "adanet_diabetes/model.ckpt-130.meta",
          "adanet_diabetes/model.ckpt-210.meta"]  # fmt: skip
SUITES = ["fed_shapes", "fed_numbers", "fed_divisors", "fed_lists", "fed_texts", "fed_sparse", "fed_state", "fed_random"]
ROUND = 200  # runs of one process
TIMEOUT = 128 + 14  # the runtime's main() for cases ends what takes longer than a minute
NPY = {"float32": "f4", "float64": "f8", "float16": "f2", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8",
       "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8", "bool": "b1"}  # fmt: skip
WORDS = ["", "a", "no such thing", "-1", "1.5", "[", "a b c", "0"]


def drawNumber(noise, code, isWild, limit):
    if code == "?":
        return noise.random() < 0.5
    if code in "efd":
        special = (0.0, -0.0, 1.0, -1.0, 65504.0, 1e-7, float("nan"), float("inf"), float("-inf"))
        return noise.choice(special) if isWild and noise.random() < 0.2 else noise.uniform(-2, 2)
    size = struct.calcsize("<" + code)
    low, high = (0, 256**size - 1) if code.isupper() else (-(256**size) // 2, 256**size // 2 - 1)
    if not isWild or noise.random() < 0.85:
        return min(noise.randrange(limit), high)
    return max(low, min(high, noise.choice((low, high, -1, -2, 7, 63, 100, 1000, 1 << 20, 1 << 33))))


def drawShape(noise, shape, batch):
    """Mostly sizes that a feed may have: unknown ones are small, often the same in all feeds."""
    found = []
    for size in shape:
        if size >= 0 and noise.random() < 0.95:
            found.append(size)
        else:
            found.append(batch if noise.random() < 0.6 else noise.choice((0, 1, 2, 3, 4, 5, 9)))
    if noise.random() < 0.03:
        found.insert(noise.randrange(len(found) + 1), noise.choice((1, 2)))
    elif found and noise.random() < 0.03:
        found.pop(noise.randrange(len(found)))
    while len(found) > 1 and abs(countOf(found)) > 1 << 16:
        found[found.index(max(found))] = 1
    return found


def countOf(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def drawFeed(noise, spec, batch, path):
    """The value of --feed for a random tensor."""
    shape = drawShape(noise, spec["shape"], batch)
    if spec["dtype"] == "string":
        def listed(dims):
            return [listed(dims[1:]) for _ in range(dims[0])] if dims else noise.choice(WORDS)
        return json.dumps(listed(shape), separators=(",", ":")) if spec["shape"] else noise.choice(WORDS)
    npy = NPY.get(spec["dtype"])
    if npy is None:
        return None
    code = FORMATS[npy]
    isWild, limit = noise.random() < 0.4, noise.choice((1, 2, 3, 6))  # indices and labels mostly lie within
    values = [drawNumber(noise, code, isWild, limit) for _ in range(countOf(shape))]
    header = f"{{'descr': '<{npy}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))}{',' * (len(shape) == 1)})}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    try:
        content = struct.pack(f"<{len(values)}{code}", *values)
    except (OverflowError, struct.error):
        return None
    path.write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode() + content)
    return f"@{path}"


def nodes(meta):
    """Of each node of a MetaGraphDef name, op, and the number of its output types."""
    for graph in fields(meta, META_GRAPH):
        for node in fields(graph, 1):
            name, op = (next(fields(node, number)).decode() for number in (1, 2))
            count = 0
            for attribute in fields(node, 5):
                if next(fields(attribute, 1)) == b"output_types":
                    types = b"".join(b"".join(fields(l, 6)) for l in fields(next(fields(attribute, 2)), 1))
                    at = 0
                    while at < len(types):
                        _, at = readVarint(types, at)
                        count += 1
            yield name, op, count


def entryOfStep(meta, expect):
    """--entry of a training graph: the loss from elements that are fed."""
    feeds, names = [], set()
    for name, op, count in nodes(meta):
        names.add(name)
        if op in ("IteratorGetNext", "IteratorGetNextSync"):
            feeds += [f"{name}:{i}" for i in range(count)]
        elif op == "Placeholder":
            feeds.append(f"{name}:0")
    loss = expect.get("loss_tensor")
    if not loss:  # that of the graph's last iteration
        loss = [tensor for _, _, tensor in expect["loss_by_step"] if tensor.split(":")[0] in names][-1]
    return f"--entry=fuzz={','.join(feeds)}->{loss}"


def compileGraph(options, what, folder):
    """A trainer of a suite's graph with dynamic sizes, or of a training graph; what it runs in."""
    trainer = folder / "trainer"
    if "/" in what or not parts.isStored(CASES, what):
        source = DATA / what
        graph = source if source.suffix == ".meta" else source / "train.meta"
        source = graph.parent
        flags = []
        if (source / "saved_model").is_dir():
            graph = source / "saved_model"
        else:
            expect = json.loads((source / "expect.json").read_text())
            flags = [entryOfStep(graph.read_bytes(), expect), *expect.get("flags", [])]
        code, said = run([options.ingotc, graph, "-o", trainer, "--runtime-dir", options.runtime, *flags])
        assert code == 0, f"{what} does not compile: {said}"
        return trainer, source
    parts.unpack(CASES, what, folder)
    graph, files = folder / "graph.meta", folder / "files"
    files.mkdir(exist_ok=True)
    graph.write_bytes(withDynamicShapes(graph.read_bytes()))
    cases = [case for case in json.loads((folder / "cases.json").read_text()) if case["feeds"] and "fails" not in case]
    good = findCompilable(options, graph, cases, trainer, [])
    if len(good) < len(cases):
        from run_values import compileSuite

        assert compileSuite(options, graph, good, trainer)[0] == 0
    return trainer, files


def entriesOf(trainer, folder):
    """The trainer's own entries that are fed, as `info --json` has them."""
    lines = folder / "lines"
    lines.write_text("info\t--json\n")
    code, said = run([trainer, lines])
    (found,) = splitResults(said.encode(), 1)
    assert code == 0 and found[0] == 0, said
    return [entry for entry in json.loads(found[1])["entries"] if entry["feeds"] and entry["role"] == "other"]


def isSaid(entry, said):
    """Whether a message names a node, or what was fed."""
    if "node '" in said or any(feed["name"].split(":")[0] in said for feed in entry["feeds"]):
        return True
    # Sizes that no memory has; or a feed's file, whose name has its number.
    return "out of memory" in said or re.search(r"feed-\d+-\d+\.npy", said)


def fuzz(options, what, noise):
    folder = options.work / f"fuzz-{what.replace('/', '-')}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    trainer, files = compileGraph(options, what, folder)
    entries, counts, wrong = entriesOf(trainer, folder), {}, []
    done, end = 0, options.seconds and time.monotonic() + options.seconds
    while (done < options.runs if end is None else time.monotonic() < end) and len(wrong) < 20:
        runs = []
        for number in range(ROUND):
            entry, batch = noise.choice(entries), noise.choice((0, 1, 2, 3, 5))
            line = ["run", entry["name"], "--quiet", "--threads", "1", "--seed", "1", "--data-dir", str(files)]
            for i, feed in enumerate(entry["feeds"]):
                text = drawFeed(noise, feed, batch, folder / f"feed-{number}-{i}.npy")
                if text is None:
                    break
                line += ["--feed", f"{feed['name']}={text}"]
            else:
                runs.append((entry, line))
        if not runs:
            break
        (folder / "lines").write_text("".join("\t".join(line) + "\n" for _, line in runs))
        # Names of files are fed, too: what is saved there goes with the folder.
        code, said = run([trainer, folder / "lines"], timeout=3000, folder=folder)
        assert code == 0, said
        for (entry, line), (code, said) in zip(runs, splitResults(said.encode(errors="replace"), len(runs))):
            counts[code] = counts.get(code, 0) + 1
            if code == TIMEOUT and entry["name"].startswith("while_"):
                continue  # these are fed how often they turn
            if code not in (0, 1) or (code == 1 and (not isSaid(entry, said) or CHANGED in said)):
                wrong.append((code, said[-400:], line))
                for part in line:  # the round after next writes over them
                    if "=@" in part:
                        path = pathlib.Path(part.split("=@")[1])
                        shutil.copy(path, folder / f"wrong-{len(wrong)}-{path.name}")
        done += len(runs)
    print(f"{what}: {done} runs, " + ", ".join(f"exit {code}: {count}" for code, count in sorted(counts.items())))
    for code, said, line in wrong:
        print(f"FAILED {what}, seed {options.seed}, exit code {code}: {said}\n  {' '.join(line)}")
    if not wrong and not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return not wrong


def main():
    parser = caseOptions(__doc__)
    parser.add_argument("--runs", type=int, default=400, help="of each (default: 400)")
    parser.add_argument("--seconds", type=float, help="of running, in all, instead of a number of runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("what", nargs="*", help="(default: all suites of fed operands, all training graphs)")
    options = parser.parse_args()
    options.work = options.work.absolute()
    chosen, noise = options.what or SUITES + GRAPHS, random.Random(options.seed)
    isGood = True
    if options.seconds:
        options.seconds /= len(chosen)
    for what in chosen:
        isGood &= fuzz(options, what, noise)
    return 0 if isGood else 1


if __name__ == "__main__":
    sys.exit(main())
