# SPDX-License-Identifier: Apache-2.0
"""Random searches, stopped, set back, pruned and continued at random: all commands speak of one ensemble, and nothing
wins that has not made a step.

`--seeds 0-300` (or `7,12`) runs these seeds instead of the test's own; the folder of one that fails is kept.
"""
import csv
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from bundle import Bundle
from search_files import adanet

import harness

CLASSES = 3
DATA = """
seed: {seed}
train {{ csv {{ file: "../rows.csv" header: true }} batch: {batch} {source} }}
evaluate {{ csv {{ file: "../rows.csv" header: true }} batch: 16 take: 64 }}
feature {{ name: "x" column: "x*" numeric {{}} }}
head {{ {head} }}
"""
HEADS = {"regression": 'regression {} label: "y"', "classes": 'multi_class { classes: %d } label: "class"' % CLASSES}
STRATEGIES = ("strategy { kind: GROW }", "strategy { kind: SOLO }", "strategy { kind: ALL }", "strategy { kind: GROW keep_newest: 1 }")


def write_rows(setup):
    draw = random.Random(5)
    with open(setup.dir / "rows.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["x0", "x1", "x2", "y", "class"])
        for _ in range(200):
            x = [round(draw.gauss(0, 1), 4) for _ in range(3)]
            writer.writerow([*x, round(x[0] - 2 * x[1] + x[2] * x[0], 4), int(x[0] > 0) + int(x[1] > x[2])])


def share_of(ensemble, member):
    return sum(weight["share"] for weight in ensemble["weights"] if weight["member"] == member)


class Search:
    """A random search, and what it is run with."""

    def __init__(self, setup, seed):
        self.setup, self.seed, self.draw = setup, seed, random.Random(seed)
        self.folder = setup.dir / f"seed{seed}"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.path, self.run = self.folder / "search.pbtxt", self.folder / "run"
        self.log, self.kinds = [], set()
        self.path.write_text(self.describe())

    def maybe(self, chance, text):
        return text if self.draw.random() < chance else ""

    def describe(self):
        draw = self.draw
        self.length, batch = draw.choice([3, 6, 10]), draw.choice([8, 16])
        self.head = draw.choice(sorted(HEADS))
        # A third of inputs ends at the very end of an iteration, a third anywhere.
        ends = draw.choice(["", self.length * draw.randint(1, 3), draw.randint(1, 25)])
        source = f"epochs: 1 take: {min(ends * batch, 200)}" if ends else self.maybe(0.3, "shuffle { buffer: 50 }")
        if ends and ends * batch > 200:
            source = ""
        self.kinds.add("finite" if source.startswith("epochs") else "endless")
        text = f"max_iteration_steps: {self.length}\n" + DATA.format(seed=self.seed, batch=batch, source=source, head=HEADS[self.head])
        rate = draw.choice([0.02, 0.1, 0.3])
        networks = ["linear {} optimizer { sgd { learning_rate: %g } }" % rate,
                    "dnn { layer_size: 4 } optimizer { adam { learning_rate: %g } }" % rate,
                    "simple_dnn { layer_size: 3 } optimizer { adam { learning_rate: 0.03 } }"]  # fmt: skip
        chosen = draw.sample(networks, draw.choice([1, 1, 2]))
        # One that grows with the ensemble has a builder called "linear", too.
        if networks[0] in chosen and networks[2] in chosen:
            chosen.remove(networks[2])
        if self.maybe(0.15, "x"):
            chosen.append('dnn { layer_size: 3 } optimizer { sgd { learning_rate: 1e30 } }')
            self.kinds.add("diverges")
        text += "".join(f"generator {{ {network} }}\n" for network in chosen)
        moved = "optimizer { sgd { learning_rate: 0.05 } }"
        weighted = (f"complexity_regularized {{ weights: {draw.choice(['SCALAR', 'VECTOR', 'MATRIX'])} {self.maybe(0.5, 'beta: 0.01')} "
                    f"{self.maybe(0.5, 'use_bias: true')} {self.maybe(0.5, 'warm_start: true')} {self.maybe(0.7, moved)} }}")  # fmt: skip
        ensemblers = draw.choice([["mean {}"], [weighted], [weighted], ["mean {}", weighted]])
        text += "".join(f"ensembler {{ {one} }}\n" for one in ensemblers)
        text += "\n".join(draw.sample(STRATEGIES, draw.choice([1, 1, 2]))) + "\n"
        more = {
            "evaluator": 'evaluator { metric: "%s" %s }\n' % (draw.choice(["adanet_loss", "average_loss"]), self.maybe(0.5, "maximize: true")),
            "patience": f"patience {{ steps: {draw.randint(1, 4)} min_delta: {draw.choice([0, 0.1, 100])} }}\n",
            "seconds": f"max_iteration_secs: {draw.choice([0.001, 0.01])}\n",
            "force_grow": "force_grow: true\n",
            "remeasure": "remeasure_previous: true\n",
            "restart": "restart_input: true\n",
            "iterations": f"max_iterations: {draw.randint(1, 3)}\n",
        }
        for kind, chance in (("evaluator", 0.4), ("patience", 0.3), ("seconds", 0.1), ("force_grow", 0.2), ("remeasure", 0.2), ("restart", 0.2),
                             ("iterations", 0.4)):  # fmt: skip
            if draw.random() < chance:
                self.kinds.add(kind)
                text += more[kind]
        return text

    def tool(self, verb, *flags):
        return adanet(self.setup, verb, *flags, "--model-dir", self.run)

    def train(self):
        draw = self.draw
        until = draw.choice([("--max-steps", self.newest_step() + draw.randint(1, 2 * self.length + 1)), ("--steps", draw.randint(1, self.length + 1))])
        until += draw.choice([(), (), ("--max-iterations", draw.randint(1, 5))])
        flags = (self.path, *until, "--cache-dir", self.setup.dir / "cache", "--keep-checkpoint-max", 0, "--summary-steps", 0,
                 "--save-checkpoints-steps", draw.choice([2, 5, 1000]))  # fmt: skip
        self.log.append(("train", *until))
        if draw.random() < 0.25:
            self.log.append("killed")
            command = [self.setup.ingotc.with_name("ingot-adanet"), "train", *flags, "--model-dir", self.run]
            process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            try:
                process.wait(draw.uniform(0.05, 1.5))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            return
        done = self.tool("train", *flags)
        assert done.code == 0 or "has diverged" in done.err or "have diverged" in done.err, done.expect(0)

    def prune(self):
        """The members of the ensemble that predicts may be taken out once their iteration is over."""
        best = self.best()
        if not best or len(best["members"]) < 2 or self.draw.random() < 0.3:
            return
        dropped = self.draw.choice(best["members"])
        flags = self.draw.choice([("--drop", dropped), ("--keep", len(best["members"]) - 1)])
        done = self.tool("prune", *flags)
        self.log.append(("prune", *flags, done.code))
        if done.code == 1:
            assert any(words in done.err for words in ("has selected no ensemble yet", "exists already, perhaps because the search was set back", "no mixture weights")), done.err
            return
        done.expect(0)
        self.kinds.add("pruned")
        (dropped,) = re.findall(r"^dropped (\S+)", done.out, re.M)
        assert flags[0] == "--drop" or all(w["share"] >= share_of(best, dropped) for w in best["weights"]), (best, dropped)
        pruned = self.best()
        assert pruned["members"] == [member for member in best["members"] if member != dropped], (pruned, best)
        # The others' weights stay.
        norms = {(w["member"], w.get("head")): w["norm"] for w in best["weights"] if w["member"] != dropped}
        assert {(w["member"], w.get("head")): w["norm"] for w in pruned["weights"]} == norms, (pruned, best)

    def set_back(self):
        """To a checkpoint before the newest one, by the state file."""
        prefixes = sorted(path.stem for path in self.run.glob("*.ckpt-*.index"))
        if len(prefixes) > 1 and self.draw.random() < 0.5:
            self.log.append(("set back", back := self.draw.choice(prefixes)))
            (self.run / "checkpoint").write_text(f'model_checkpoint_path: "{back}"\n')
            self.kinds.add("set back")

    def newest(self):
        state = self.run / "checkpoint"
        found = re.match('model_checkpoint_path: "(.*)"', state.read_text()) if state.exists() else None
        return self.run / found[1] if found else None

    def newest_step(self):
        return Bundle(self.newest()).values("global_step")[0] if self.newest() else 0

    def shown(self, *flags):
        return json.loads(self.tool("show", "--json", *flags).expect(0).out)

    def best(self, *flags):
        """The ensemble that `show` calls the best; None without a checkpoint."""
        if not self.newest():
            return None
        (best,) = [one for view in self.shown(*flags)["iterations"] for one in view["ensembles"] if one["best"]]
        return best

    def loss_of(self, path):
        """The average loss of predictions on what `evaluate` reads."""
        rows = list(csv.DictReader(open(self.setup.dir / "rows.csv", encoding="utf-8")))[:64]
        said = [json.loads(line) for line in path.read_text().splitlines()]
        if self.head == "classes":
            return sum(-math.log(max(float(one["probabilities"][int(row["class"])]), 1e-30)) for one, row in zip(said, rows, strict=True)) / len(rows)
        return sum((float(one["predictions"][0]) - float(row["y"])) ** 2 for one, row in zip(said, rows, strict=True)) / len(rows)

    def predicted(self, program, *flags):
        inputs, output = self.folder / "inputs.csv", self.folder / "out.jsonl"
        if not inputs.exists():
            rows = list(csv.DictReader(open(self.setup.dir / "rows.csv", encoding="utf-8")))[:64]
            inputs.write_text("x0,x1,x2\n" + "".join(f"{row['x0']},{row['x1']},{row['x2']}\n" for row in rows))
        self.setup.run(program, "predict", *flags, "--input", inputs, "--output", output).expect(0)
        return self.loss_of(output)

    def check_winner(self, best, prefix):
        """By the checkpoint's own bytes: the winner has made steps, and none that was trained is better, unless its
        iteration has selected it."""
        bundle, told = Bundle(prefix), self.shown("--checkpoint", prefix)
        current = told["current_iteration"]
        steps, averages = {}, {}
        for key in bundle.numeric():
            if found := re.fullmatch(r"adanet/iteration_(\d+)/ensemble_([^/]+)/step", key):
                scope = f"adanet/iteration_{found[1]}/candidate_{found[2]}/adanet_loss"
                steps[found[2]], averages[found[2]] = bundle.values(key)[0], bundle.values(scope)[0]
        trained = [name for name in steps if steps[name]]
        assert best["name"] in trained or (current == 0 and not trained), (best["name"], steps)
        own = self.run / f"architecture-{current}.json"
        if own.exists() and json.loads(own.read_text())["global_step"] == bundle.values("global_step")[0]:
            return
        rivals = [name for name in trained if name.startswith(f"t{current}_") and not self.is_dropped(current, name)]
        lower = [name for name in rivals if averages[name] < averages[best["name"]]]
        assert not lower, (best["name"], averages)

    def is_dropped(self, iteration, name):
        marker = self.run / "train_manager" / f"t{iteration}" / f"{name}.json"
        return marker.exists() and "Dropped" in marker.read_text()

    def check_selections(self):
        """What an iteration has selected had made a step."""
        for path in self.run.glob("report/candidates-*.json"):
            candidates = json.loads(path.read_text())
            assert candidates["candidates"][candidates["selected"]]["steps"] > 0, (path, candidates)

    def check(self, prefix=None):
        """Of the newest checkpoint, or of another one, that no exported program is of."""
        chosen = ("--checkpoint", prefix) if prefix else ()
        if not self.newest():
            for verb in ("evaluate", "show"):
                assert self.tool(verb).code == 4
            return
        best = self.best(*chosen)
        self.check_winner(best, prefix or self.newest())
        self.check_selections()
        name, members = best["name"], " ".join(best["members"])
        done = self.tool("evaluate", *chosen).expect(0)
        figures = dict(line.split(None, 1) for line in done.out.splitlines())
        builders = [member.split("_", 1)[1] for member in best["members"]]
        assert figures["architecture/adanet/ensembles"] == f'"| {" | ".join(builders)} |"', (figures, best)
        loss = float(figures["average_loss"])
        (own,) = re.findall(rf"ensemble/{re.escape(name)}, step \d+:.* average_loss (\S+)", done.err)
        losses = {"evaluate": loss, "own": float(own), "predict": self.predicted(self.setup.ingotc.with_name("ingot-adanet"), "--model-dir", self.run, *chosen)}
        extracted = self.folder / "extracted"
        done = self.tool("extract", "--ensemble", "-o", extracted, "--force", *chosen).expect(0)
        assert f"extracting ensemble '{name}' with the members {members}\n" in done.err, (best, done.err)
        if not prefix:
            program = self.folder / "exported"
            done = self.tool("export", self.path, "-o", program, "--cache-dir", self.setup.dir / "cache").expect(0)
            assert f"'{name}' of {members}\n" in done.err, (best, done.err)
            losses["export"] = self.predicted(program)
        # A candidate may have a finite average, and diverge with the very step that the checkpoint follows: there are no
        # digits to compare then.
        if not all(abs(value) < 50 for value in losses.values()):
            assert not any(value < 10 for value in losses.values()), (name, losses)
            return
        assert max(losses.values()) - min(losses.values()) <= 2e-4 * max(1e-2, abs(loss)), (name, losses)

    def check_another(self):
        """A checkpoint before the newest one, of an iteration whose trainer is there."""
        prefixes = [path.with_suffix("") for path in sorted(self.run.glob("*.ckpt-*.index"))]
        prefix = self.draw.choice(prefixes)
        if (self.run / "trainers" / f"iteration-{Bundle(prefix).values('current_iteration')[0]}").exists():
            self.check(prefix)

    def live(self):
        for _ in range(self.draw.randint(2, 4)):
            self.train()
            self.check()
            if self.newest() and self.draw.random() < 0.5:
                self.check_another()
            if self.draw.random() < 0.5:
                self.prune()
                self.check()
            elif self.draw.random() < 0.3:
                self.set_back()
                self.check()


def live(setup, seeds):
    """Runs these seeds; the kinds of searches that there were."""
    write_rows(setup)
    kinds, failed = {}, []
    for seed in seeds:
        begin, search = time.monotonic(), Search(setup, seed)
        try:
            search.live()
        except (AssertionError, ValueError, KeyError, TypeError, IndexError, subprocess.TimeoutExpired) as error:
            failed.append(seed)
            print(f"seed {seed}: {search.log}: {type(error).__name__} {error}\n{search.path.read_text()}", flush=True)
            continue
        for kind in search.kinds:
            kinds[kind] = kinds.get(kind, 0) + 1
        print(f"seed {seed}: {time.monotonic() - begin:.1f} s, {sorted(search.kinds)}", flush=True)
        shutil.rmtree(search.folder)
    assert not failed, f"seeds {failed} fail"
    return kinds


def all_commands_speak_of_one_ensemble(setup):
    kinds = live(setup, (1, 3, 4, 6, 7, 8, 10, 11, 26, 123, 138))
    assert {"finite", "endless", "pruned", "evaluator", "patience"} <= set(kinds), kinds


if __name__ == "__main__":
    if "--seeds" in sys.argv:
        at = sys.argv.index("--seeds")
        first, _, last = sys.argv[at + 1].partition("-")
        wanted = range(int(first), int(last)) if last else [int(seed) for seed in first.split(",")]
        begun = harness.Setup(sys.argv[sys.argv.index("--bin") + 1], pathlib.Path(sys.argv[sys.argv.index("--work") + 1]), f"seeds{wanted[0]}")
        print(live(begun, wanted))
    else:
        harness.main(globals())
