"""What searches from files come to: when they end, what weights begin with, what they refuse.

Numbers such as AN-153 are those of the facts about AdaNet that a test holds.
"""
import csv
import json
import random
import re
import struct

from bundle import Bundle

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
    """AN-018 to 021, 024, 025, 239, 241, 242."""
    write_search(setup)
    folder = setup.dir / "run"
    train(setup, folder, "--steps", 5, "--max-steps", 5).expect(2, "--steps and --max-steps exclude one another")
    for flag in ("--steps", "--max-steps", "--max-iterations"):
        for value in (0, -3):
            train(setup, folder, flag, value).expect(2, flag)
    done = train(setup, folder, "--plan", "--max-steps", 10).expect(0)
    assert "without end" in train(setup, folder, "--plan").expect(0).out
    assert "iterations of 10 steps" in done.out and "never grows beyond its first iteration" in done.out
    assert not folder.exists(), "a plan, and wrong flags, leave no trace"
    # AN-020: relative twice, then absolute, which is reached.
    train(setup, folder, "--steps", 6).expect(0)
    assert newest_step(folder) == 6
    done = train(setup, folder, "--steps", 6).expect(0)
    assert newest_step(folder) == 12
    assert "iteration 0: compiling" in done.out and "iteration 1: compiling" in done.out
    assert f"saved '{folder}/architecture-0.json'" in done.out and f"saved '{folder}/increment.ckpt-1'" in done.out
    done = train(setup, folder, "--max-steps", 12).expect(0)
    assert "the search has ended: global step 12 is reached" in done.out
    assert "compiling" not in done.out
    # AN-024: iterations go before steps, of which is said that they are left.
    done = train(setup, folder, "--max-steps", 500, "--max-iterations", 2).expect(0, "it ends before global step 500")
    assert "the search has ended: 2 iterations are done" in done.out
    assert newest_step(folder) == 20
    assert not (folder / "architecture-1.json").exists(), "AN-023: the last iteration selects nothing"


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
    # AN-191: a feature that is no number.
    write_search(setup, LINEAR)
    rows = (setup.dir / "rows.csv").read_text().splitlines()
    rows[3] = "nan," + rows[3].split(",", 1)[1]
    (setup.dir / "rows.csv").write_text("\n".join(rows) + "\n")
    train(setup, setup.dir / "third", "--max-steps", 10).expect(1, "Numbers of feature", "'x", "have to be finite")


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

    refused("search.pbtxt:4:72: column 'y' has 3 examples, 'x' has 4", y=("<f4", (3,), [0] * 3))
    refused("x.npy', column 'x': an example is of shape (2), and its use of (3)", x=("<f4", (4, 2), [0] * 8))
    refused("y.npy', column 'y': holds '<f4', and what is wanted are whole numbers", head='multi_class { classes: 4 } label: "y"')
    refused("x.npy' holds one number; the first dimension counts examples", x=("<f4", (), [0]))
    refused("x.npy' holds more than the 8388608 numbers", x=("<f4", (1 << 40, 1 << 40), []))
    refused("found 16 bytes of data", "expected 48", x=("<f4", (4, 3), [0] * 4))
    refused("the data has no column 'z'", head='regression {} label: "z"')
    write_npy(x, "<f4", (4, 3), [0.5] * 12)
    path.write_text(LIMITS + ARRAYS.replace('} column { name: "y" file: "y.npy" } } batch: 16 take', '} } batch: 16 take') + LINEAR)
    setup.compile(path, "--emit=mlir").expect(2, "there is no column 'y' in arrays")
    x.write_bytes(x.read_bytes().replace(b"<f4", b"<U3"))
    path.write_text(LIMITS + ARRAYS + LINEAR)
    setup.compile(path, "--emit=mlir").expect(2, "search.pbtxt:4:37:", "x.npy' holds '<U3'; examples are little-endian numbers")
    x.write_bytes(b"no array")
    setup.compile(path, "--emit=mlir").expect(2, "search.pbtxt:4:37:", "x.npy': no .npy file")
    x.unlink()
    setup.compile(path, "--emit=mlir").expect(2, "search.pbtxt:4:37:", "x.npy", "No such file")
    path.write_text(path.read_text().replace('file: "x.npy"', "", 1).replace('name: "class"', 'name: "y"'))
    setup.compile(path, "--emit=mlir").expect(2, "search.pbtxt:4:18: needs file", "two columns are called 'y'")


def only_what_changed_is_compiled(setup):
    path = write_search(setup, limits="max_iteration_steps: 10\n", head='multi_class { classes: 3 } label: "class"')

    def compiled(old, new):
        path.write_text(path.read_text().replace(old, new))
        done = setup.compile(path, "--cache-dir", setup.dir / "cache", "--timing", "-o", setup.dir / "trainer").expect(0)
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
    # What is there and no file stays.
    taken = setup.dir / "taken"
    taken.mkdir()
    flags = ("--cache-dir", cache, "-o")
    setup.compile(setup.dir / "search.pbtxt", *flags, setup.dir / "trainer").expect(0)
    setup.compile(setup.dir / "search.pbtxt", *flags, taken).expect(1, "taken")
    assert taken.is_dir()


if __name__ == "__main__":
    harness.main(globals())
