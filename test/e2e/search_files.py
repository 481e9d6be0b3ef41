# SPDX-License-Identifier: Apache-2.0
"""What searches from files come to: when they end, what weights begin with, what they refuse.

Numbers such as AN-153 are those of the facts about AdaNet that a test holds.
"""
import csv
import fcntl
import json
import os
import pty
import random
import re
import shutil
import struct
import subprocess
import termios

from bundle import Bundle
from event_files import events
from hooks import build_hook

import harness

LIMITS = "max_iteration_steps: 10\n"
BODY = """
seed: 3
train {{ csv {{ file: "rows.csv" header: true }} batch: 16 }}
evaluate {{ csv {{ file: "rows.csv" header: true }} batch: 16 take: 64 }}
feature {{ name: "x" column: "x*" numeric {{}} }}
head {{ {head} }}
{rest}
"""
REGRESSION = 'regression {} label: "y"'
LINEAR = "generator { linear {} optimizer { sgd { learning_rate: 0.05 } } }\n"
DEEP = "generator { dnn { layer_size: 4 } optimizer { adam { learning_rate: 0.01 } } }\n"


def write_search(setup, rest=LINEAR + DEEP, limits=LIMITS, head=REGRESSION):
    rows = setup.dir / "rows.csv"
    if not rows.exists():
        draw = random.Random(5)
        with open(rows, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["x0", "x1", "x2", "y", "class"])
            for _ in range(200):
                x = [round(draw.gauss(0, 1), 4) for _ in range(3)]
                writer.writerow([*x, round(x[0] - 2 * x[1] + x[2] * x[0], 4), draw.randrange(3)])
    path = setup.dir / "search.pbtxt"
    path.write_text(limits + BODY.format(rest=rest, head=head))
    return path


def adanet(setup, verb, *flags):
    return setup.run(setup.ingotc.with_name("ingot-adanet"), verb, *flags)


def train(setup, folder, *flags):
    return adanet(setup, "train", setup.dir / "search.pbtxt", "--model-dir", folder, *flags)


def newest_step(folder):
    return int((folder / "checkpoint").read_text().split('"')[1].rsplit("-", 1)[1])


def a_search_ends_where_it_is_told(setup):
    """AN-018 to 021, 024, 025, 239, 241, 242. AN-008: in a model directory, which has to be named."""
    write_search(setup)
    folder = setup.dir / "run"
    adanet(setup, "train", setup.dir / "search.pbtxt", "--max-steps", 5).expect(2, "--model-dir")
    train(setup, folder, "--steps", 5, "--max-steps", 5).expect(2, "--steps and --max-steps exclude one another")
    for flag in ("--steps", "--max-steps", "--max-iterations"):
        for value in (0, -3):
            train(setup, folder, flag, value).expect(2, flag)
    done = train(setup, folder, "--plan", "--max-steps", 10).expect(0)
    assert "without end" in train(setup, folder, "--plan").expect(0).out
    assert "iterations of 10 steps" in done.out and "stops growing after its first iteration" in done.out
    assert not folder.exists(), "a plan, and wrong flags, leave no trace"
    # AN-020: relative twice, then absolute, which is reached.
    train(setup, folder, "--steps", 6).expect(0)
    assert newest_step(folder) == 6
    done = train(setup, folder, "--steps", 6).expect(0)
    assert newest_step(folder) == 12
    assert "iteration 0: compiling" in done.out and "iteration 1: compiling" in done.out
    assert f"saved '{folder}/architecture-0.json'" in done.out and f"saved '{folder}/increment.ckpt-1'" in done.out
    assert "AdaNet's iteration 0 has ended" in done.out, done.out
    done = train(setup, folder, "--max-steps", 12).expect(0)
    assert "the search has ended: global step 12 was reached" in done.out
    assert "compiling" not in done.out
    # AN-024: iterations go before steps, of which is said that they are left.
    done = train(setup, folder, "--max-steps", 500, "--max-iterations", 2).expect(0, "the search ended before global step 500")
    assert "the search has ended: 2 iterations are done" in done.out
    assert newest_step(folder) == 20
    assert not (folder / "architecture-1.json").exists(), "AN-023: the last iteration selects nothing"
    # Each earlier ensemble, in order: from which file, with the iterations and builders of its members.
    done = train(setup, folder, "--max-steps", 25).expect(0)
    imported = re.findall(r"importing the architecture of '(.*)': \[(.*)\]", done.out)
    expected = []
    for path in (folder / "architecture-0.json", folder / "architecture-1.json"):
        members = json.loads(path.read_text())["subnetworks"]
        expected.append((str(path), ", ".join(f"'{one['iteration_number']}:{one['builder_name']}'" for one in members)))
    assert imported == [expected[0], expected[0], expected[1]], done.out


def a_search_has_adanets_defaults(setup):
    """AN-006, AN-009, AN-147, AN-148, AN-151: a complexity-regularized ensemble that grows, of
    scalars which no optimizer moves: a part of the whole for each member."""
    write_search(setup)
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", 20).expect(0)
    one = "adanet/iteration_{}/ensemble_{}_complexity_regularized/weighted_subnetwork_{}/logits/mixture_weight"
    bundle = Bundle(folder / "model.ckpt-20")
    assert json.loads((folder / "architecture-0.json").read_text())["ensembler_name"] == "complexity_regularized"
    weights = {name: bundle.values(name)[0] for name in bundle.numeric() if name.endswith("mixture_weight")}
    assert weights[one.format(1, "t1_linear_grow", 0)] == weights[one.format(1, "t1_linear_grow", 1)] == 0.5
    assert weights[one.format(1, "t1_dnn_4_grow", 1)] == 0.5
    assert {value for name, value in weights.items() if name.startswith("adanet/iteration_0/")} == {1.0}
    assert not [name for name in bundle.numeric() if "/bias" in name and "ensemble_" in name]


ENSEMBLER = """ensembler {{ complexity_regularized {{ {} }} }}
force_grow: true
"""


def weights_begin_where_the_ensemble_has_them(setup):
    """AN-153, 154: those of earlier members, and the bias, with warm_start."""
    rest = LINEAR + ENSEMBLER.format("use_bias: true warm_start: true optimizer { sgd { learning_rate: 0.1 } }")
    write_search(setup, rest)
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", 11).expect(0)
    bundle = Bundle(folder / "increment.ckpt-1")
    scope = "adanet/iteration_{}/ensemble_t{}_linear_grow_complexity_regularized/"
    for name in ("weighted_subnetwork_0/logits/mixture_weight", "bias"):
        old, new = (bundle.values(scope.format(i, i) + name) for i in (0, 1))
        assert old == new and old[0] not in (0.0, 0.5, 1.0), (name, old, new)
    assert bundle.values(scope.format(1, 1) + "weighted_subnetwork_1/logits/mixture_weight")[0] == 0.5


def later_members_are_no_copies(setup):
    """AN-186: equal builders draw other initial values in each iteration; what
    is done stays bit by bit."""
    write_search(setup, DEEP + "force_grow: true\n")
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", 30).expect(0)
    start, end = Bundle(folder / "increment.ckpt-1"), Bundle(folder / "model.ckpt-30")
    begin = Bundle(folder / "increment.ckpt-2")
    kernels = ["adanet/iteration_{0}/subnetwork_t{0}_dnn_4/dense/kernel".format(i) for i in range(3)]
    assert start.values(kernels[1]) != start.values(kernels[0])
    assert begin.values(kernels[2]) not in (begin.values(kernels[0]), begin.values(kernels[1]))
    assert end.values(kernels[0]) == start.values(kernels[0]), "frozen"
    assert end.values(kernels[1]) == begin.values(kernels[1]), "frozen"


def networks_share_an_optimizer(setup):
    """Members and ensembles with the same instance move one Adam's powers, each once a step, and all use those from
    before the step; without it each has its own."""
    adam = "adam { learning_rate: 0.01 } " + 'instance: "all"'
    networks = "".join(f"generator {{ {kind} optimizer {{ {adam} }} }}\n" for kind in ("linear {}", "dnn { layer_size: 4 }"))
    write_search(setup, networks + ENSEMBLER.format(f"use_bias: true optimizer {{ {adam} }}"))
    folder = setup.dir / "run"
    for steps in (3, 4):
        train(setup, folder, "--max-steps", steps).expect(0)
    before, after = (Bundle(folder / f"model.ckpt-{steps}") for steps in (3, 4))
    first = "adanet/iteration_0/subnetwork_t0_linear/"
    for name, beta in (("beta1_power", 0.9), ("beta2_power", 0.999)):
        assert [one for one in after.numeric() if one.endswith(name)] == [first + name]
        assert abs(after.values(first + name)[0] / beta ** (1 + 4 * 4) - 1) < 1e-5, after.values(first + name)
    # What Adam's formula makes of a variable and the new moments, with the powers after 3 steps of four networks.
    rate = 0.01 * (1 - 0.999**13) ** 0.5 / (1 - 0.9**13)
    scopes = [f"subnetwork_t0_{name}/dense/bias" for name in ("linear", "dnn_4")]
    scopes += [f"ensemble_t0_{name}_grow_complexity_regularized/bias" for name in ("linear", "dnn_4")]
    for scope in scopes:
        values = lambda bundle, rest="": bundle.values(next(
            name for name in bundle.numeric() if name.startswith("adanet/iteration_0/" + scope.split("/", 1)[0])
            and name.endswith(scope.split("/", 1)[1] + rest)))  # fmt: skip
        moved = zip(values(before), values(after), values(after, "/Adam"), values(after, "/Adam_1"), strict=True)
        for old, new, m, v in moved:
            assert abs(new - (old - rate * m / (v**0.5 + 1e-8))) < 1e-6, (scope, old, new, m, v)
    # Without an instance each of the four has powers of its own.
    search = setup.dir / "search.pbtxt"
    search.write_text(search.read_text().replace(' instance: "all"', ""))
    train(setup, setup.dir / "own", "--max-steps", 4).expect(0)
    own = Bundle(setup.dir / "own" / "model.ckpt-4")
    powers = [own.values(name)[0] for name in own.numeric() if name.endswith("beta1_power")]
    assert len(powers) == 4 and all(abs(power - 0.9**5) < 1e-6 for power in powers), powers


def optimizers_of_an_instance_are_alike(setup):
    search = write_search(setup, LINEAR.replace("} } }", '} instance: "x" } }') + DEEP.replace("} } }", '} instance: "x" } }'))
    done = train(setup, setup.dir / "run", "--max-steps", 4).expect(2, "an earlier optimizer has the same instance 'x', but different settings")
    line = 1 + search.read_text().splitlines().index(next(one for one in search.read_text().splitlines() if "dnn" in one))
    assert f"search.pbtxt:{line}:" in done.err, done.err
    search.write_text(search.read_text().replace('instance: "x"', 'instance: ""'))
    train(setup, setup.dir / "run", "--max-steps", 4).expect(2, "instance must not be empty: give it a name, or remove the field")


def fixed_weights_stay(setup):
    """AN-163."""
    write_search(setup, LINEAR + DEEP + "strategy { kind: ALL }\n" + ENSEMBLER.format("fixed_weight: [0.2, 0.7, 0.1, 0.05]"))
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", 20).expect(0)
    bundle = Bundle(folder / "model.ckpt-20")
    name = "adanet/iteration_1/ensemble_t1_all_complexity_regularized/weighted_subnetwork_{}/logits/mixture_weight"
    found = [bundle.values(name.format(i))[0] for i in range(4)]
    assert all(abs(a - b) < 1e-7 for a, b in zip(found, [0.2, 0.7, 0.1, 0.05], strict=True)), found
    # Two more members than there are weights for.
    train(setup, folder, "--max-steps", 40).expect(2, "has 4 fixed weights for 6 members")


def evaluation(setup, folder, *flags):
    return json.loads(adanet(setup, "evaluate", "--model-dir", folder, "--json", *flags).expect(0).out)


HEADS = 'multi { head { name: "b" regression {} label: "y" } head { name: "a" multi_class { classes: 3 } label: "class" } }'


def heads_have_weights_of_their_own(setup):
    """AN-157: a weight for each head and member, whose penalties are added up."""
    beta, steps = 0.25, 12
    ensembler = "ensembler { complexity_regularized { beta: %s %s } }\n"
    write_search(setup, LINEAR + ensembler % (beta, ""), head=HEADS)
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", steps).expect(0)
    said = adanet(setup, "evaluate", "--model-dir", folder).expect(0).err
    found = re.findall(r"ensemble/t(\d)_linear_grow\S*, step 12:.*  adanet_loss (\S+) .* loss (\S+)", said)
    assert [number for number, _, _ in found] == ["0", "1"], said
    # Nothing moves weights: of one member 1, of each of two a half, for both heads.
    for _, adanet_loss, loss in found:
        assert abs(float(adanet_loss) - float(loss) - beta * 2) < 1e-5, found
    # Where something does, the losses of their heads move them apart.
    write_search(setup, LINEAR + ensembler % (0, "optimizer { sgd { learning_rate: 0.1 } }"), head=HEADS)
    other = setup.dir / "other"
    train(setup, other, "--max-steps", 5).expect(0)
    scope = "adanet/iteration_0/ensemble_t0_linear_grow_complexity_regularized/weighted_subnetwork_0/logits{}/mixture_weight"
    weights = [Bundle(other / "model.ckpt-5").values(scope.format(suffix))[0] for suffix in ("", "_1")]
    assert len(set(weights)) == 2 and 1.0 not in weights, weights
    # AdaNet counts heads by their names: the first is "a", of classes, whose loss is the smaller by far.
    assert abs(weights[0] - 1) < abs(weights[1] - 1), weights


def members_of_a_mean_count_alike(setup):
    """AN-166, 212, 222: the mean over all members, evaluated at any checkpoint, and
    predictions whose errors are those of the evaluation."""
    write_search(setup, DEEP + "force_grow: true\nensembler { mean {} }\n")
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", 20, "--keep-checkpoint-max", 0).expect(0)
    last = evaluation(setup, folder)
    assert evaluation(setup, folder, "--checkpoint", folder / "model.ckpt-20")["metrics"] == last["metrics"]
    assert evaluation(setup, folder, "--checkpoint", folder / "model.ckpt-0")["global_step"] == 0
    rows = list(csv.DictReader(open(setup.dir / "rows.csv", encoding="utf-8")))[:64]
    with open(setup.dir / "inputs.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["x0", "x1", "x2"])
        writer.writerows([row[name] for name in ("x0", "x1", "x2")] for row in rows)
    predictions = setup.dir / "predictions.csv"
    adanet(setup, "predict", "--model-dir", folder, "--input", setup.dir / "inputs.csv", "--output", predictions).expect(0)
    found = [float(next(iter(row.values()))) for row in csv.DictReader(open(predictions, encoding="utf-8"))]
    assert len(found) == 64
    error = sum((a - float(row["y"])) ** 2 for a, row in zip(found, rows, strict=True)) / 64
    assert abs(error - last["metrics"]["average_loss"]) < 1e-4 * error, (error, last)


def labels_and_categories_are_checked(setup):
    """AN-189: out of range is said with the column, before it changes anything."""
    head = 'multi_class { classes: %d } label: "class"'
    write_search(setup, LINEAR, head=head % 2)
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", 10).expect(1, "Labels in column", "'class", "[0, 2)")
    write_search(setup, LINEAR, head=head % 3)
    other = setup.dir / "other"
    train(setup, other, "--max-steps", 5).expect(0)
    # AN-252: another head than the folder's.
    write_search(setup, LINEAR, head=head % 4)
    before = sorted((path.name, path.read_bytes()) for path in other.glob("model.ckpt-*"))
    done = train(setup, other, "--max-steps", 10)
    assert done.code in (1, 4) and "subnetwork_t0_linear/dense" in done.err, (done.code, done.err)
    assert sorted((path.name, path.read_bytes()) for path in other.glob("model.ckpt-*")) == before
    # AN-191: a feature that is not numeric.
    write_search(setup, LINEAR)
    rows = (setup.dir / "rows.csv").read_text().splitlines()
    rows[3] = "nan," + rows[3].split(",", 1)[1]
    (setup.dir / "rows.csv").write_text("\n".join(rows) + "\n")
    train(setup, setup.dir / "third", "--max-steps", 10).expect(1, "Numbers of feature", "'x", "must be finite")


ARRAYS = """
seed: 3
train { arrays { column { name: "x" file: "x.npy" } column { name: "y" file: "y.npy" } column { name: "class" file: "class.npy" } }
        shuffle { buffer: 100 } batch: 16 }
evaluate { arrays { column { name: "x" file: "x.npy" } column { name: "y" file: "y.npy" } } batch: 16 take: 64 }
feature { name: "x" numeric { shape: 3 } }
head { regression {} label: "y" }
"""


def write_npy(path, descr, shape, values):
    """A NumPy array of format version 1."""
    code = {"f4": "f", "f8": "d", "i4": "i", "i8": "q", "u1": "B"}[descr[1:]]
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    data = struct.pack(f"<{len(values)}{code}", *values)
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data)


def examples_may_be_in_memory(setup):
    path = write_search(setup)
    rows = list(csv.DictReader(open(setup.dir / "rows.csv")))
    write_npy(setup.dir / "x.npy", "<f8", (len(rows), 3), [float(row[f"x{i}"]) for row in rows for i in range(3)])
    write_npy(setup.dir / "y.npy", "<f4", (len(rows), 1), [float(row["y"]) for row in rows])
    write_npy(setup.dir / "class.npy", "|u1", (len(rows),), [int(row["class"]) for row in rows])
    # The same numbers in the same order train the same networks.
    path.write_text(path.read_text().replace("batch: 16 }\neval", "shuffle { buffer: 100 } batch: 16 }\neval"))
    train(setup, setup.dir / "files", "--max-steps", 20).expect(0)
    path.write_text(LIMITS + ARRAYS + LINEAR + DEEP)
    train(setup, setup.dir / "arrays", "--max-steps", 20).expect(0)
    expected, found = (Bundle(setup.dir / name / "model.ckpt-20") for name in ("files", "arrays"))
    weights = [name for name in expected.entries if name.endswith(("kernel", "bias", "adanet_loss"))]
    assert len(weights) > 6, sorted(expected.entries)
    for name in weights:
        assert expected.values(name) == found.values(name), name
    # They are part of the trainer.
    for name in ("x", "y", "class"):
        (setup.dir / f"{name}.npy").unlink()
    figures = setup.run(setup.dir / "arrays" / "trainers" / "iteration-1", "evaluate", "--model-dir", setup.dir / "arrays").expect(0)
    assert "average_loss" in figures.out, figures.out


def arrays_that_do_not_fit_are_refused(setup):
    path = setup.dir / "search.pbtxt"
    x, y = setup.dir / "x.npy", setup.dir / "y.npy"

    def refused(*words, head=None, **more):
        write_npy(x, "<f4", (4, 3), [0.5] * 12)
        write_npy(y, "<f4", (4,), [0, 1, 2, 3])
        write_npy(setup.dir / "class.npy", "<i4", (4,), [0, 1, 2, 0])
        for name, (descr, shape, values) in more.items():
            write_npy(setup.dir / f"{name}.npy", descr, shape, values)
        text = LIMITS + ARRAYS + LINEAR
        path.write_text(text.replace('regression {} label: "y"', head) if head else text)
        setup.compile(path, "--emit=mlir").expect(2, *words)

    refused("search.pbtxt:4:72: column 'y' has 3 examples, but 'x' has 4", y=("<f4", (3,), [0] * 3))
    refused("x.npy', column 'x': examples have shape (2), expected (3)", x=("<f4", (4, 2), [0] * 8))
    refused("y.npy', column 'y': has dtype '<f4'; expected integers", head='multi_class { classes: 4 } label: "y"')
    refused("x.npy' is a scalar; expected examples along the first dimension", x=("<f4", (), [0]))
    refused("x.npy' has more than the 8388608 numbers", x=("<f4", (1 << 40, 1 << 40), []))
    refused("found 16 bytes of data", "expected 48", x=("<f4", (4, 3), [0] * 4))
    refused("the data has no column 'z'", head='regression {} label: "z"')
    write_npy(x, "<f4", (4, 3), [0.5] * 12)
    path.write_text(LIMITS + ARRAYS.replace('} column { name: "y" file: "y.npy" } } batch: 16 take', '} } batch: 16 take') + LINEAR)
    setup.compile(path, "--emit=mlir").expect(2, "arrays have no column 'y'")
    x.write_bytes(x.read_bytes().replace(b"<f4", b"<U3"))
    path.write_text(LIMITS + ARRAYS + LINEAR)
    setup.compile(path, "--emit=mlir").expect(2, "search.pbtxt:4:37:", "x.npy' has dtype '<U3'; expected little-endian numbers")
    x.write_bytes(b"no array")
    setup.compile(path, "--emit=mlir").expect(2, "search.pbtxt:4:37:", "x.npy': not a .npy file")
    x.unlink()
    setup.compile(path, "--emit=mlir").expect(2, "search.pbtxt:4:37:", "x.npy", "No such file")
    path.write_text(path.read_text().replace('file: "x.npy"', "", 1).replace('name: "class"', 'name: "y"'))
    setup.compile(path, "--emit=mlir").expect(2, "search.pbtxt:4:18: missing field file", "duplicate column 'y'")


def only_what_changed_is_compiled(setup):
    path = write_search(setup, limits="max_iteration_steps: 10\n", head='multi_class { classes: 3 } label: "class"')

    def compiled(old, new):
        path.write_text(path.read_text().replace(old, new))
        done = setup.compile(path, "--cache-dir", setup.dir / "cache", "--time", "-o", setup.dir / "trainer").expect(0)
        return int(re.search(r"kernels: (\d+) compiled", done.err)[1])

    everything = compiled("", "")
    assert everything > 20, everything
    assert compiled("seed: 3", "seed: 4") == 0
    assert compiled("batch: 16 take: 64", "batch: 16 take: 32") == 0
    # Of one of the two networks' optimizers.
    assert 0 < compiled("learning_rate: 0.01 ", "learning_rate: 0.02 ") < everything / 4


def another_search_is_refused(setup):
    """AN-108, 251: a folder whose members the search does not build."""
    write_search(setup)
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", 12).expect(0)
    write_search(setup, "generator { dnn { layer_size: 9 } optimizer { sgd { learning_rate: 0.1 } } }\n")
    train(setup, folder, "--max-steps", 20).expect(2, "which this search does not build", "'dnn_9'")


def a_step_that_adds_nothing_is_cheap(setup):
    """A search that is repeated finds its trainers in the cache, and they are the same."""
    write_search(setup)
    cache = setup.dir / "cache"
    cache.mkdir()
    folders = [setup.dir / name for name in ("one", "two")]
    for folder in folders:
        train(setup, folder, "--max-steps", 12, "--cache-dir", cache).expect(0)
    for name in ("trainers/iteration-0", "trainers/iteration-1", "model.ckpt-12.index", "architecture-0.json"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name
    # Existing contents stay, without new files.
    taken = setup.dir / "taken"
    taken.mkdir()
    flags = ("--cache-dir", cache, "-o")
    setup.compile(setup.dir / "search.pbtxt", *flags, setup.dir / "trainer").expect(0)
    setup.compile(setup.dir / "search.pbtxt", *flags, taken).expect(1, "taken")
    assert taken.is_dir()



def what_training_begins_with_is_said(setup):
    """AN-190: the ranges of features and labels in the first batch, at step 0 and not later."""
    write_search(setup)
    folder = setup.dir / "run"
    rows = list(csv.DictReader(open(setup.dir / "rows.csv", encoding="utf-8")))[:16]
    done = train(setup, folder, "--max-steps", 4).expect(0)
    for kind, name, columns in (("feature", "x", ("x0", "x1", "x2")), ("label", "y", ("y",))):
        values = [float(row[column]) for row in rows for column in columns]
        said = re.search(rf"{kind} '{name}' in the first batch: from (\S+) to (\S+)\n", done.out)
        assert said, done.out
        assert all(abs(float(one) - other) < 1e-4 for one, other in zip(said.groups(), (min(values), max(values)))), said
    assert "first batch" not in train(setup, folder, "--max-steps", 12).expect(0).out


def a_search_is_logged_counted_and_watched(setup):
    """AN-058: losses in the log, steps a second in the event file, and a loss that is NaN
    ends the run; AN-210: no event file holds a graph, and an evaluation that is repeated
    takes the place of the one before."""
    write_search(setup)
    folder = setup.dir / "run"
    done = train(setup, folder, "--max-steps", 20, "--log-steps", 5, "--log-step-count-steps", 5).expect(0)
    assert re.findall(r"^step (\d+)  loss [0-9.]+", done.out, re.M) == ["1", "6", "10", "11", "16", "20"], done.out
    found = events(folder)
    assert [event for event in found if event[0] == "summary" and event[1] == "global_step/sec"], found
    evaluation(setup, folder)
    kept = {path: path.stat().st_size for path in folder.rglob("events.out.tfevents.*")}
    assert len(kept) > 10
    for _ in range(3):
        evaluation(setup, folder)
    sizes = [path.stat().st_size for path in folder.rglob("events.out.tfevents.*")]
    # An evaluation's file may come to a name of its own, with nothing but its version left in the old one.
    assert sum(sizes) <= sum(kept.values()) + 100 * (len(sizes) - len(kept)), (sizes, kept)
    for path in {path.parent for path in kept}:
        assert not [event for event in events(path) if event[0] in ("graph_def", "meta_graph_def")], path
    write_search(setup, "generator { linear {} optimizer { sgd { learning_rate: 1e30 } } }\n")
    train(setup, setup.dir / "other", "--max-steps", 20).expect(1, "has diverged")


REPORTS = "evaluator { metric: \"average_loss\" steps: 4 }\nreports { steps: 3 }\n"


def an_iteration_is_put_away_in_order(setup):
    """AN-059: candidates are evaluated, then reports are written, then the architecture,
    which says that all that is done, then growth; AN-245: how far an evaluation is, of few
    batches each and of more each tenth."""
    write_search(setup, LINEAR + DEEP + REPORTS)
    folder = setup.dir / "run"
    done = train(setup, folder, "--max-steps", 12).expect(0)
    names = ("report/candidates-0.json", "report/iteration_reports.json", "architecture-0.json", "increment.ckpt-1.index", "checkpoint")
    times = [(folder / name).stat().st_mtime_ns for name in names]
    assert times == sorted(times), list(zip(names, times))
    said = re.findall(r"^(evaluator|reports): batch (\d+) of (\d+)$", done.out, re.M)
    assert said == [("evaluator", str(i), "4") for i in range(1, 5)] + [("reports", str(i), "3") for i in range(1, 4)], said
    write_search(setup, LINEAR + DEEP + REPORTS.replace("steps: 4", "steps: 30").replace("steps: 3 ", "").replace("take: 64", ""))
    text = (setup.dir / "search.pbtxt").read_text().replace("batch: 16 take: 64", "batch: 16 epochs: 8")
    (setup.dir / "search.pbtxt").write_text(text)
    done = train(setup, setup.dir / "other", "--max-steps", 12).expect(0)
    said = re.findall(r"^(evaluator|reports): batch (\d+)(.*)$", done.out, re.M)
    assert said == [("evaluator", str(i), " of 30") for i in (10, 20, 30)], said


def figures_are_kept_and_said(setup):
    """AN-054: an evaluation's whole numbers, too; AN-246: of which candidate, at which
    step, by their names."""
    write_search(setup, head='multi_class { classes: 3 } label: "class"')
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", 12).expect(0)
    done = adanet(setup, "evaluate", "--model-dir", folder).expect(0)
    tags = {tag for kind, tag, step in events(folder / "eval") if kind == "summary" and step == 12}
    assert {"iteration", "best_ensemble_index_0", "best_ensemble_index_1", "accuracy", "loss"} <= tags, tags
    lines = re.findall(r"note: (\w+)/(\S+), step 12:((?:  \S+ [-0-9.]+)+)\n", done.err)
    assert len(lines) == 5 and {kind for kind, _, _ in lines} == {"ensemble", "subnetwork"}, done.err
    for kind, name, figures in lines:
        tags = {tag for event, tag, _ in events(folder / kind / name / "eval") if event == "summary"}
        said = [figure.split()[0] for figure in figures.strip().split("  ")]
        assert said == sorted(said) and set(said) == tags, (said, tags)


def evaluations_are_of_what_predicts(setup):
    """One checkpoint has one best ensemble, also where the search has an evaluator, which
    selects when an iteration ends: it would prefer another one here."""
    write_search(setup, LINEAR + DEEP + 'evaluator { metric: "average_loss" maximize: true }\n')
    folder, inputs = setup.dir / "run", setup.dir / "inputs.csv"
    train(setup, folder, "--max-steps", 8).expect(0)
    rows = list(csv.DictReader(open(setup.dir / "rows.csv")))[:64]
    inputs.write_text("x0,x1,x2\n" + "".join(f"{row['x0']},{row['x1']},{row['x2']}\n" for row in rows))
    adanet(setup, "predict", "--model-dir", folder, "--input", inputs, "--output", setup.dir / "out.jsonl").expect(0)
    said = [json.loads(line)["predictions"] for line in (setup.dir / "out.jsonl").read_text().splitlines()]
    loss = sum((float(y[0]) - float(row["y"])) ** 2 for y, row in zip(said, rows, strict=True)) / len(rows)
    found = evaluation(setup, folder)["metrics"]["average_loss"]
    assert abs(found - loss) < 1e-4 * loss, (found, loss)
    # It reads data of its own, and says nothing else.
    assert "training input" not in adanet(setup, "evaluate", "--model-dir", folder).expect(0).err
    assert evaluation(setup, folder, "--select-by", "average_loss:max")["metrics"]["average_loss"] > found * 1.001


def an_iteration_without_a_step_selects_nothing(setup):
    """AN-026: input that ends where an iteration does leaves the next one without a step. Its candidates' averages are 0,
    the lowest of all, but nothing has trained them: what predicts is the ensemble before."""
    path = write_search(setup)
    path.write_text(path.read_text().replace("true } batch: 16 }", "true } epochs: 1 take: 160 batch: 16 }"))
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", 10).expect(0)
    before = evaluation(setup, folder)["metrics"]["average_loss"]
    for _ in range(2):
        done = train(setup, folder).expect(0)
        assert "the input has ended before AdaNet's iteration 1 made a step" in done.out, done.out
        assert "the search has ended" in done.out, done.out
        assert newest_step(folder) == 1 and (folder / "increment.ckpt-1.index").exists(), "the increment is the newest"
        assert not (folder / "architecture-1.json").exists()
        assert not list(folder.glob("train_manager/t1/t1_*")), "none of the iteration's is done"
        assert evaluation(setup, folder)["metrics"]["average_loss"] == before
    # Before, an untrained ensemble was selected, for ever after.
    selected = json.loads((folder / "architecture-0.json").read_text())
    selected["iteration_number"] = 1
    selected["subnetworks"].append({"builder_name": "linear", "iteration_number": 1})
    (folder / "architecture-1.json").write_text(json.dumps(selected))
    (folder / "train_manager" / "t1").mkdir(parents=True, exist_ok=True)
    for marker in folder.glob("train_manager/t0/t0_*"):
        message = {"message": "Training stopped after 0 steps: the input has ended"}
        (folder / "train_manager" / "t1" / marker.name.replace("t0_", "t1_", 1)).write_text(json.dumps(message))
    done = train(setup, folder).expect(0)
    assert "because it selects an ensemble although the iteration has not made a training step yet" in done.out + done.err, done.out + done.err
    assert not (folder / "architecture-1.json").exists() and not list(folder.glob("train_manager/t1/t1_*"))
    assert evaluation(setup, folder)["metrics"]["average_loss"] == before
    # A selection at a later step is not such a one: the iteration was set back to its beginning.
    (folder / "architecture-1.json").write_text(json.dumps({**selected, "global_step": 20}))
    train(setup, folder).expect(0)
    assert json.loads((folder / "architecture-1.json").read_text())["global_step"] == 20


def predicted_loss(setup, program, *flags):
    """The mean of squared errors on what `evaluate` reads, of a program's predictions."""
    rows, inputs, output = list(csv.DictReader(open(setup.dir / "rows.csv")))[:64], setup.dir / "inputs.csv", setup.dir / "out.jsonl"
    inputs.write_text("x0,x1,x2\n" + "".join(f"{row['x0']},{row['x1']},{row['x2']}\n" for row in rows))
    setup.run(*program, "predict", *flags, "--input", inputs, "--output", output).expect(0)
    found = [json.loads(line)["predictions"][0] for line in output.read_text().splitlines()]
    return sum((float(y) - float(row["y"])) ** 2 for y, row in zip(found, rows, strict=True)) / len(rows)


def best_of(setup, folder):
    """What each command says or shows about the ensemble that predicts: its loss and its name."""
    tool, search = setup.ingotc.with_name("ingot-adanet"), setup.dir / "search.pbtxt"
    shown = json.loads(adanet(setup, "show", "--model-dir", folder, "--json").expect(0).out)
    (name,) = [one["name"] for view in shown["iterations"] for one in view["ensembles"] if one["best"]]
    done = adanet(setup, "export", search, "--model-dir", folder, "-o", setup.dir / "exported").expect(0)
    assert f"'{name}' of " in done.err, (name, done.err)
    losses = [evaluation(setup, folder)["metrics"]["average_loss"], predicted_loss(setup, [tool], "--model-dir", folder),
              predicted_loss(setup, [setup.dir / "exported"])]
    assert max(losses) - min(losses) < 1e-4 * min(losses), (name, losses)
    return name, losses[0]


def ensembles_are_known_by_iteration_and_name(setup):
    """Each iteration selects an ensemble of the same bare name; the last one has selected and not grown."""
    write_search(setup, LINEAR + "patience { steps: 4 min_delta: 100 }\n", "max_iteration_steps: 30\nmax_iterations: 3\n")
    folder = setup.dir / "run"
    train(setup, folder, "--force-grow").expect(0)
    names = [json.loads((folder / f"architecture-{t}.json").read_text())["ensemble_candidate_name"] for t in range(3)]
    assert names == ["linear_grow"] * 3 and not list(folder.glob("increment.ckpt-3*")), names
    assert best_of(setup, folder)[0] == "t2_linear_grow_complexity_regularized"


def what_an_evaluator_selects_predicts(setup):
    """AN-213: where an iteration has selected and not grown, all commands go by its selection, not by averages."""
    write_search(setup, LINEAR + DEEP + 'evaluator { metric: "average_loss" maximize: true }\npatience { steps: 9 min_delta: 100 }\n',
                 "max_iteration_steps: 30\nmax_iterations: 1\n")  # fmt: skip
    folder = setup.dir / "run"
    train(setup, folder).expect(0)
    selected = json.loads((folder / "architecture-0.json").read_text())["ensemble_candidate_name"]
    name, loss = best_of(setup, folder)
    assert name == f"t0_{selected}_complexity_regularized"
    values = {row["name"]: (row["average_loss"], row["adanet_loss"])
              for row in json.loads(adanet(setup, "report", "--model-dir", folder, "--json").expect(0).out)["iterations"][0]["ensembles"]}  # fmt: skip
    assert abs(values[name][0] - loss) < 1e-4 * loss and name == max(values, key=lambda one: values[one][0])
    assert name != min(values, key=lambda one: values[one][1]), values


def pruned_ensembles_are_used_at_once(setup):
    """Evaluated, predicted, exported and grown: also where the search has ended without a selection, and where ensembles
    of earlier iterations have only members that stay."""
    rest = LINEAR + ENSEMBLER.format("use_bias: true optimizer { sgd { learning_rate: 0.01 } }")
    path = write_search(setup, rest, "max_iteration_steps: 10\nmax_iterations: 3\n")
    folder = setup.dir / "run"
    train(setup, folder).expect(0)
    assert not (folder / "architecture-2.json").exists()
    before = best_of(setup, folder)
    # A run that was killed may have compiled the next iteration's trainer.
    shutil.copy(folder / "trainers" / "iteration-2", folder / "trainers" / "iteration-3")
    adanet(setup, "prune", "--model-dir", folder, "--drop", "t2_linear").expect(0)
    files = {one.name for one in folder.glob("*.json")}
    assert files == {f"architecture-{t}.json" for t in range(4)}, files
    name, loss = best_of(setup, folder)
    assert name == "t1_pruned_complexity_regularized" and loss != before[1], (name, loss, before)
    # The remaining sum, with the weights that it had.
    bundle, scope = Bundle(folder / "increment.ckpt-3"), "adanet/iteration_{}/"
    rows = list(csv.DictReader(open(setup.dir / "rows.csv")))[:64]
    weights = [(bundle.values(scope.format(1) + f"ensemble_{name}/weighted_subnetwork_{t}/logits/mixture_weight")[0],
                *(bundle.values(scope.format(t) + f"subnetwork_t{t}_linear/dense/{part}") for part in ("kernel", "bias"))) for t in (0, 1)]  # fmt: skip
    (bias,) = bundle.values(scope.format(1) + f"ensemble_{name}/bias")
    error = 0
    for row in rows:
        x = [float(row[f"x{i}"]) for i in range(3)]
        y = bias + sum(w * (b[0] + sum(k * value for k, value in zip(kernel, x, strict=True))) for w, kernel, b in weights)
        error += (y - float(row["y"])) ** 2 / len(rows)
    assert abs(error - loss) < 1e-4 * loss, (error, loss)
    assert evaluation(setup, folder)["metrics"]["architecture/adanet/ensembles"] == "| linear | linear |"
    assert files == {one.name for one in folder.glob("*.json")}, "nothing that is needed is removed"
    train(setup, folder, "--max-iterations", 5, "--max-steps", 33).expect(0)
    assert best_of(setup, folder)[0] in (name, "t4_linear_grow_complexity_regularized")
    # Without the search, the way to make the trainer is said.
    (folder / "trainers" / "iteration-4").unlink()
    path.rename(setup.dir / "elsewhere.pbtxt")
    adanet(setup, "evaluate", "--model-dir", folder).expect(4, "the trainer of this iteration, is missing; 'ingotc")


def trainers_are_of_their_checkpoints(setup):
    """Where the search was set back to before a pruned ensemble, which is of an iteration that has not begun then: its
    trainer is compiled for the checkpoint that is evaluated, not for the newest one. The other way round, too."""
    rest = LINEAR + ENSEMBLER.format("use_bias: true optimizer { sgd { learning_rate: 0.01 } }")
    write_search(setup, rest, "max_iteration_steps: 10\nmax_iterations: 3\n")
    folder, trainers = setup.dir / "run", setup.dir / "run" / "trainers"
    train(setup, folder, "--keep-checkpoint-max", 0, "--save-checkpoints-steps", 5).expect(0)
    before = evaluation(setup, folder, "--checkpoint", folder / "model.ckpt-25")
    adanet(setup, "prune", "--model-dir", folder, "--drop", "t2_linear").expect(0)
    pruned = evaluation(setup, folder)
    assert pruned["checkpoint"].endswith("increment.ckpt-3"), pruned
    state = (folder / "checkpoint").read_text()
    (folder / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-15"\n')
    for trainer in trainers.glob("iteration-*"):
        trainer.unlink()
    done = adanet(setup, "evaluate", "--model-dir", folder, "--json", "--checkpoint", folder / "increment.ckpt-3").expect(0)
    assert json.loads(done.out) == pruned and "iteration-3-pruned' from" in done.err, done.out + done.err
    # Set forward again, an iteration before the pruned one.
    (folder / "checkpoint").write_text(state)
    assert evaluation(setup, folder, "--checkpoint", folder / "model.ckpt-25") == before
    made = sorted(trainer.name for trainer in trainers.glob("iteration-*"))
    assert made == ["iteration-2", "iteration-3-pruned"], made
    # By hand, of one flag or the other.
    ingotc = (setup.ingotc, setup.dir / "search.pbtxt", "-o", setup.dir / "trainer")
    setup.run(*ingotc, "--checkpoint", folder / "model.ckpt-25").expect(2, "--checkpoint needs --model-dir")
    setup.run(*ingotc, "--model-dir", folder, "--checkpoint", folder / "model.ckpt-25", "--iteration", 2).expect(
        2, "cannot be used with --iteration")  # fmt: skip
    setup.run(*ingotc, "--model-dir", folder, "--checkpoint", folder / "none").expect(2, f"{folder}/none")


def members_are_known_in_their_order(setup):
    """An ensemble of all new members weighs them in the order of their builders, which is not that of their names."""
    rest = LINEAR + DEEP + "strategy { kind: ALL }\n" + ENSEMBLER.format("optimizer { sgd { learning_rate: 0.05 } }")
    write_search(setup, rest, "max_iteration_steps: 10\nmax_iterations: 1\n")
    folder = setup.dir / "run"
    train(setup, folder).expect(0)
    bundle, members = Bundle(folder / "model.ckpt-10"), ["t0_linear", "t0_dnn_4"]
    scope = "adanet/iteration_0/ensemble_t0_{}_complexity_regularized/weighted_subnetwork_{}/logits/mixture_weight"
    norms = [abs(bundle.values(scope.format("all", k))[0]) for k in range(2)]

    def weights():
        shown = json.loads(adanet(setup, "show", "--model-dir", folder, "--json").expect(0).out)
        return [(weight.get("member", ""), weight["norm"]) for one in shown["iterations"][0]["ensembles"] for weight in one["weights"]]

    assert norms[0] != norms[1] and [name for name, _ in weights()] == members, weights()
    assert all(abs(a - b) < 1e-6 for (_, a), b in zip(weights(), norms, strict=True)), (weights(), norms)
    order = folder / "report" / "iteration-0.json"
    text = order.read_text()
    assert json.loads(text) == {"iteration_number": 0, "members": members, "candidates": ["t0_all_complexity_regularized"]}
    # Without the file, as where AdaNet has trained, they are not guessed.
    order.unlink()
    assert [name for name, _ in weights()] == ["", ""], weights()
    adanet(setup, "prune", "--model-dir", folder, "--drop", "t0_linear").expect(1, "or their order, are unknown")
    order.write_text("{")
    adanet(setup, "show", "--model-dir", folder).expect(4, "iteration-0.json', offset 1")
    order.write_text(text)
    adanet(setup, "prune", "--model-dir", folder, "--drop", "t0_linear").expect(0)
    assert json.loads((folder / "architecture-0.json").read_text())["replay_indices"] == [0]
    assert Bundle(folder / "increment.ckpt-1").values(scope.format("pruned", 0)) == bundle.values(scope.format("all", 1))
    assert best_of(setup, folder)[0] == "t0_pruned_complexity_regularized"


def a_prune_that_was_stopped_loses_to_training(setup):
    """Its architecture file is of an ensemble that no checkpoint has: the iteration trains, and selects."""
    write_search(setup, LINEAR + "force_grow: true\npatience { steps: 4 min_delta: 100 }\n", "max_iteration_steps: 30\nmax_iterations: 2\n")
    folder = setup.dir / "run"
    train(setup, folder).expect(0)
    state = (folder / "checkpoint").read_text()
    adanet(setup, "prune", "--model-dir", folder, "--drop", "t0_linear").expect(0)
    for one in folder.glob("increment.ckpt-2*"):
        one.unlink()
    (folder / "checkpoint").write_text(state)
    assert best_of(setup, folder)[0] == "t1_linear_grow_complexity_regularized"
    step = newest_step(folder)
    train(setup, folder, "--max-iterations", 4, "--max-steps", step + 2).expect(0)
    assert newest_step(folder) == step + 2
    shown = json.loads(adanet(setup, "show", "--model-dir", folder, "--json").expect(0).out)
    assert shown["current_iteration"] == 2 and "t2_linear" in [one["name"] for one in shown["iterations"][-1]["members"]]


def plans_say_numbers_in_full(setup):
    path = write_search(setup, LINEAR + "patience { steps: 25 min_delta: 0.000123 }\n", LIMITS + "max_iteration_secs: 1.23456789\n")
    flags = json.loads(setup.run(setup.ingotc, path, "--search-plan").expect(0).out)["train_flags"]
    said = dict(flag.split("=", 1) for flag in flags if "=" in flag)
    assert float(said["--max-iteration-secs"]) == 1.23456789, flags
    steps, least = said["--patience"].split(",min_delta=")
    assert int(steps) == 25 and float(least) == 0.000123, flags


def frozen_members_need_no_search(setup):
    """AN-107: what was found evaluates, predicts, and goes on within its iteration, when the
    search, and all that generates builders, is gone."""
    write_search(setup)
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", 15).expect(0)
    before = evaluation(setup, folder)
    (setup.dir / "search.pbtxt").unlink()
    assert evaluation(setup, folder) == before
    (setup.dir / "inputs.csv").write_text("x0,x1,x2\n1,2,3\n")
    adanet(setup, "predict", "--model-dir", folder, "--input", setup.dir / "inputs.csv", "--output", setup.dir / "out.csv").expect(0)
    assert len((setup.dir / "out.csv").read_text().splitlines()) == 2
    trainer = folder / "trainers" / "iteration-1"
    setup.run(trainer, "--model-dir", folder, "--data-dir", setup.dir, "--max-steps", 18, "--max-iteration-steps", 10).expect(0)
    assert newest_step(folder) == 18


def a_stop_ends_the_search(setup):
    """AN-237: a hook that asks to stop ends all of it, within its iteration; started again it
    goes on. Patience is a member's, budgets are an iteration's. AN-028: the hook is of every iteration."""
    library = build_hook(setup)
    write_search(setup)
    folder = setup.dir / "run"
    hook = f"{library}:{setup.dir / 'calls'},stop@14"
    done = train(setup, folder, "--max-steps", 40, "--hook", hook).expect(0)
    assert "the search has ended: the trainer of iteration 1 stopped before it ended" in done.out, done.out
    assert newest_step(folder) == 14 and not (folder / "architecture-1.json").exists()
    train(setup, folder, "--max-steps", 40).expect(0)
    assert newest_step(folder) == 40
    other = setup.dir / "other"
    done = train(setup, other, "--max-steps", 40, "--hook", f"{library}:{setup.dir / 'calls'},stop@4").expect(0)
    assert "the trainer of iteration 0 stopped before it ended" in done.out and newest_step(other) == 4, done.out


def losses_are_drawn(setup):
    """AN-211: a line for each candidate and member of each iteration, by the points of its
    event file, with a legend that says which is which."""
    write_search(setup)
    folder = setup.dir / "run"
    train(setup, folder, "--max-steps", 20, "--summary-steps", 2).expect(0)
    page = adanet(setup, "show", "--model-dir", folder, "--html").expect(0).out
    sections = page.split("<h2>Iteration ")[1:]
    assert len(sections) == 2
    for number, section in enumerate(sections):
        lines = re.findall(r"<polyline style='fill:none;stroke:(var\(--s\d\))[^']*?(stroke-dasharray[^']*)?' points='([^']*)'/>", section)
        names = [f"t{number}_{name}" for name in ("dnn_4", "linear")]
        ensembles = [f"{name}_grow_complexity_regularized" for name in names]
        legend = re.findall(r"fill:(var\(--s\d\))' cx='74'[^>]*>\n<text [^>]*>(\S+) ", section)
        assert [name for _, name in legend] == ensembles + names, legend
        assert [colour for colour, _, _ in lines] == [colour for colour, _ in legend]
        assert [bool(dashed) for _, dashed, _ in lines] == [False, False, True, True], lines
        for (_, name), (_, _, points) in zip(legend, lines):
            kind = "ensemble" if name in ensembles else "subnetwork"
            tag = "adanet_loss/adanet/adanet_weighted_ensemble" if kind == "ensemble" else "loss"
            known = [event for event in events(folder / kind / name) if event[1] == tag]
            assert len(points.split()) == len(known) == 5, (name, points, known)
    assert "&larr; best" in page
    # Damaged, they are left out.
    path = next((folder / "ensemble" / "t0_linear_grow_complexity_regularized").glob("events*"))
    path.write_bytes(b"x" * 40)
    page = adanet(setup, "show", "--model-dir", folder, "--html").expect(0).out
    assert "<svg" in page


def on_a_terminal(command):
    """What a command draws on a terminal of 200 columns."""
    end, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=terminal, env=dict(os.environ, TERM="dumb"))
    os.close(terminal)
    text = b""
    while True:
        try:
            part = os.read(end, 4096)
        except OSError:
            break
        text += part
    os.close(end)
    assert process.wait() == 0
    return text.decode()


def one_line_tells_how_far_a_search_is(setup):
    """Over all iterations: the iteration, each candidate's average, and how much is left."""
    write_search(setup, limits="max_iteration_steps: 10\nmax_iterations: 3\n")
    folder = setup.dir / "run"
    text = on_a_terminal([setup.ingotc.with_name("ingot-adanet"), "train", setup.dir / "search.pbtxt", "--model-dir", folder])
    for number in range(3):
        # The line is drawn at once, and then ten times a second.
        first = f"] {10 * number + 1}/30  iteration {number}  linear_grow "
        assert first in text and re.search(re.escape(first) + r"[0-9.e-]+  dnn_4_grow [0-9.e-]+  \d+ steps/s", text), (first, text)
    assert "left" in text and "] 30/30  iteration 2" in text, text
    other = setup.dir / "other"
    train(setup, other, "--max-steps", 15).expect(0)
    trainer = (other / "trainers" / "iteration-1", "--model-dir", other, "--data-dir", setup.dir)
    text = on_a_terminal([*trainer, "--max-iteration-steps", 10, "--max-steps", 18, "--progress-until", 80])
    assert "] 18/80  iteration 1" in text, text


if __name__ == "__main__":
    harness.main(globals())
