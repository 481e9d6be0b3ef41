# SPDX-License-Identifier: Apache-2.0
"""Runs a case by adanet and by Ingot, and keeps what was found."""
import json
import os
import re
import shutil
import subprocess

import data as sets
import numpy as np
from bundle import Bundle
from cases import CANNED_NAMES, CASES
from search_text import search_text

PARTS = ("tensorflow", "repeat", "graph", "steps", "search")
HERE = os.path.dirname(os.path.abspath(__file__))
QUIET = ["--summary-steps", "0", "--save-checkpoints-steps", "1000000", "--quiet"]


def call(*command, **more):
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        raise RuntimeError(f"$ {' '.join(command)}\n{done.stderr[-2000:]}")
    return done.stdout


def averages_of(prefix, iteration):
    """The moving averages of the candidates that an iteration has made, by name."""
    bundle, found = Bundle(prefix), {}
    for name in bundle.numeric():
        match = re.fullmatch(rf"adanet/iteration_{iteration}/candidate_([^/]+)/adanet_loss", name)
        if match:
            found[match[1]] = bundle.values(name)[0]
    return found


def architectures(folder):
    """What each iteration that has selected has left, as `builder@iteration`."""
    found = {}
    for path in sorted(folder.glob("architecture-*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        found[told["iteration_number"]] = [f"{one['builder_name']}@{one['iteration_number']}" for one in told["subnetworks"]]
    return found


class Runs:
    """All runs of one case."""

    def __init__(self, number, work, bin_folder, python):
        self.case, self.number, self.work, self.bin, self.python = CASES[number - 1], number, work, bin_folder, python
        self.data = sets.SETS[self.case.data]()
        self.folder = work / f"{number:02d}"
        self.folder.mkdir(exist_ok=True)
        self.path = self.folder / "results.json"
        self.results = json.loads(self.path.read_text()) if self.path.exists() else {}

    def run(self, part, seed, again=False):
        key = f"{part} {seed}"
        if again or key not in self.results:
            sets.write(self.data, self.folder)
            found = getattr(self, part)(seed)
            # Another process may have added to them.
            self.results = json.loads(self.path.read_text()) if self.path.exists() else {}
            self.results[key] = found
            self.path.write_text(json.dumps(self.results, indent=1))
        return self.results[key]

    def fresh(self, name):
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def tensorflow(self, seed):
        """Adanet's own run."""
        return self.estimator(seed, self.fresh(f"tensorflow-{seed}"))

    def estimator(self, seed, folder):
        out = call(self.python, "-B", os.path.join(HERE, "tensorflow_side.py"), self.number, seed, self.folder, folder,
                   env=dict(os.environ, CUDA_VISIBLE_DEVICES=""))  # fmt: skip
        return dict(json.loads(out.splitlines()[-1]), architectures=architectures(folder))

    def repeat(self, number):
        """Seed 1 once more, the `number`-th time, to show what differs between runs of adanet."""
        folder = self.fresh(f"repeat-{number}")
        return self.estimator(1, folder)

    def theirs(self, seed):
        self.run("tensorflow", seed)
        return self.folder / f"tensorflow-{seed}"

    def start(self, folder, theirs, prefix, renames=()):
        """Puts adanet's checkpoint into a folder of its own, with other names of variables if there are `renames`."""
        if renames:
            maps = [word for rename in renames for word in ("--map", rename)]
            call(self.bin / "ingot-ckpt", "rename", theirs / prefix, *maps, "-o", folder / prefix)
        else:
            for path in theirs.glob(prefix + ".*"):
                if path.suffix != ".meta":
                    shutil.copy(path, folder)
        (folder / "checkpoint").write_text(f'model_checkpoint_path: "{prefix}"\n')

    def evaluate(self, program, folder, *flags):
        told = json.loads(call(*program, "evaluate", "--model-dir", folder, "--json", *flags))
        return dict(told["metrics"], global_step=told["global_step"])

    def graph(self, seed):
        """The Estimator's graphs, one trainer after the other in one folder."""
        theirs, folder, case = self.theirs(seed), self.fresh("graph"), self.case
        self.start(folder, theirs, "model.ckpt-0")
        trainer, found, total = self.folder / "trainer", {}, case.steps * case.iterations
        flags = ["--force-grow"] if case.force_grow else []
        if case.evaluator:
            # Adanet's evaluator has data of its own, which no training graph has.
            told = self.results[f"tensorflow {seed}"]["evaluate"]
            indices = [int(told[f"best_ensemble_index_{i}"]) for i in range(case.iterations)]
            flags += ["--replay-indices", ",".join(map(str, indices))]
        for iteration in range(case.iterations):
            begin = iteration * case.steps
            call(self.bin / "ingotc", theirs / f"model.ckpt-{begin + case.steps // 2}.meta", "-o", trainer, "--cache-dir", self.work / "cache")
            # The step after an iteration's last one has it select.
            call(trainer, "--model-dir", folder, "--max-steps", total, "--max-iteration-steps", case.steps, *flags, *QUIET)
            found[iteration] = averages_of(folder / f"model.ckpt-{begin + case.steps}", iteration)
        columns = sets.read(self.data, self.folder / "test.csv")
        features, labels = sets.features_of(self.data, columns), sets.labels_of(case, self.data, columns)
        parts = [features[name] for name in sorted(features)]
        parts += [labels[name] for name in sorted(labels)] if isinstance(labels, dict) else [labels]
        feeds = []
        for i, part in enumerate(parts):
            np.save(self.folder / f"component{i}.npy", part)
            feeds += ["--feed", f"IteratorGetNext:{i}=@{self.folder}/component{i}.npy"]
        return {"averages": found, "architectures": architectures(folder),
                "evaluate": self.evaluate([trainer], folder, "--batch", case.batch, *feeds)}  # fmt: skip

    def write_search(self, seed):
        graphs = self.folder / "graphs"
        if any(network.kind in ("shared", "wide_deep") or network.kind.startswith("pool") for network in self.case.networks):
            if not graphs.exists():
                call(self.python, "-B", os.path.join(HERE, "tensorflow_side.py"), self.number, "--graphs", self.folder, graphs)
        path = self.folder / f"search-{seed}.pbtxt"
        path.write_text(search_text(self.case, self.data, seed, graphs))
        return path

    def train_search(self, search, folder, steps, *flags):
        call(self.bin / "ingot-adanet", "train", search, "--model-dir", folder, "--max-steps", steps, "--cache-dir", self.work / "cache",
             *QUIET, *flags)  # fmt: skip

    def steps(self, seed):
        """Each iteration from where adanet began it."""
        theirs, case, found, chosen = self.theirs(seed), self.case, {}, {}
        search = self.write_search(seed)
        for iteration in range(case.iterations):
            folder = self.fresh(f"steps-{iteration}")
            self.start(folder, theirs, f"increment.ckpt-{iteration}" if iteration else "model.ckpt-0", CANNED_NAMES if case.is_pool else ())
            for before in range(iteration):
                shutil.copy(theirs / f"architecture-{before}.json", folder)
            end = (iteration + 1) * case.steps
            # Networks that share an optimizer object share its state; replicated ones keep theirs.
            self.train_search(search, folder, end, "--allow-missing", "--allow-unused")
            found[iteration] = averages_of(folder / f"model.ckpt-{end}", iteration)
            told = self.evaluate([self.bin / "ingot-adanet"], folder)
            chosen[iteration] = told[f"best_ensemble_index_{iteration}"]
        return {"averages": found, "evaluate": told, "chosen": chosen}

    def search(self, seed):
        """The search alone."""
        folder, case = self.fresh(f"search-{seed}"), self.case
        self.train_search(self.write_search(seed), folder, case.steps * case.iterations)
        found = {}
        for iteration in range(case.iterations):
            told = folder / "report" / f"candidates-{iteration}.json"
            if told.exists():
                found[iteration] = {one["name"]: one["adanet_loss"] for one in json.loads(told.read_text())["candidates"]}
        found[case.iterations - 1] = averages_of(folder / f"model.ckpt-{case.steps * case.iterations}", case.iterations - 1)
        return {"averages": found, "architectures": architectures(folder), "evaluate": self.evaluate([self.bin / "ingot-adanet"], folder)}
