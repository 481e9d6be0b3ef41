# SPDX-License-Identifier: Apache-2.0
"""Writes docs/estimators.md from what runs have found."""
import datetime
import json
import math
import pathlib
import re
import statistics

from cases import CASES, graph_name

DECIDED = 0.01  # by how much losses differ where the choice has to be the same
HEAD = """# Estimators of AdaNet

`bench/estimators.py` wrote this page: {date}, {machine}; TensorFlow 2.15, adanet 0.9.0. {count} searches, each as an
`adanet.Estimator` and as Ingot runs it:

- **graph**: the Estimator's own graphs, compiled by `ingotc`, train and grow from its first checkpoint on
- **file**: the same search as a [file](guide/search.md) trains each iteration from the checkpoint with which the Estimator began it
- **alone**: the same search as a file from random initial values of its own, as the Estimator with other seeds

A choice is *decided* where the losses of the best two candidates differ by more than 1 %. Differences are relative to
adanet's figure; *losses* are the candidates' moving averages at the end of each iteration, *metrics* all of the test set's
evaluation but means of labels and predictions.

## The searches

| | search | data | networks | ensembles |
|---|---|---|---|---|
{searches}

`shared`, `wide_deep` and `canned` networks are graphs in the search file (`graph`), all others its built-in networks.
Ensemblers with an optimizer of their own have `penalty_twice`, means `new_members_only`, and all searches `restart_input`:
[as AdaNet](guide/search.md#coming-from-adanet).

## From the same values

Seed 1. Choices are indices as `best_ensemble_index_<i>` counts them. *Again* has the largest differences of further
runs of the same Estimator by adanet: {repeats}.

| | chosen by adanet | smallest margin | again: choices | losses | metrics | graph: choices | losses | metrics | file: choices | losses | metrics |
|---|---|---|---|---|---|---|---|---|---|---|---|
{sharp}
{sharp_notes}
## Alone

Mean and standard deviation over up to {seeds} seeds a side; in brackets how many. *Decided* counts iterations in which all runs of adanet chose
the same candidate, each by more than 1 %; beside it in how many of Ingot's runs of these the choice was another one.
*Noise* is the standard error of the difference.

| | metric | adanet | Ingot | difference | noise | decided | chosen otherwise |
|---|---|---|---|---|---|---|---|
{alone}
{alone_notes}"""


def load(work, number):
    path = work / f"{number:02d}" / "results.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def machine():
    found = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    return found[1] if found else "an unknown processor"


def optimizer_name(optimizer):
    if not optimizer:
        return "none"
    return optimizer.kind + (", clipped" if optimizer.clip else "") + (f", {optimizer.schedule[0]}" if optimizer.schedule else "")


def describe(number, case):
    def name(network):
        text = graph_name(network) if network.sizes else network.kind
        text += f" {network.activation}" if network.activation else ""
        return text + (f", dropout {network.dropout}" if network.dropout else "") + (", data of its own" if network.bagging else "")

    def ensembler(one):
        if one.kind == "mean":
            return "mean"
        words = [one.weights.lower(), *(["bias"] if one.bias else []), *(["warm start"] if one.warm else [])]
        optimizer = "the network's optimizer" if case.networks[0].learns_mixture else optimizer_name(one.optimizer)
        return ", ".join(words) + f", λ {one.penalty[0]:g}, β {one.penalty[1]:g}, {optimizer}"

    networks = "; ".join(name(network) for network in case.networks) + f" ({', '.join(dict.fromkeys(optimizer_name(one.optimizer) for one in case.networks))})"
    more = [*(["force_grow"] if case.force_grow else []), *(["replicate"] if case.replicate else []),
            *([f"decay {case.decay:g}"] if case.decay != 0.9 else []), *([f"evaluator: {case.evaluator[0]}"] if case.evaluator else []),
            f"{case.iterations} × {case.steps} steps of {case.batch}"]  # fmt: skip
    ensembles = "; ".join(ensembler(one) for one in case.ensemblers) + "; " + ", ".join(case.strategies).lower() + "; " + ", ".join(more)
    return f"| {number} | {case.name} | {case.data}, {case.head.replace('_', ' ')} | {networks} | {ensembles} |"


def choices(told, case):
    """Iterations that have added nothing leave out their number at the end."""
    return [int(told["evaluate"].get(f"best_ensemble_index_{i}", -1)) for i in range(case.iterations)]


def margins(told, case):
    """By how much the best two candidates of each iteration differ; the ensemble so far is one of them."""
    found, before = [], None
    for iteration in range(case.iterations):
        if case.evaluator:
            # Adanet does not ask where only one may be chosen.
            values = told["evaluated"][iteration]
        else:
            # The average of the ensemble so far stays as it was when it was selected.
            values = [*told["averages"].get(str(iteration), {}).values(), *([before] if before is not None and not case.force_grow else [])]
        values = sorted((value for value in values if not math.isnan(value)), reverse=bool(case.evaluator and case.evaluator[1]))
        found.append(abs(values[1] - values[0]) / abs(values[0]) if len(values) > 1 else math.inf)
        before = values[0]
    return found


def metrics_of(told):
    return {key: value for key, value in told["evaluate"].items()
            if isinstance(value, (int, float)) and not key.startswith(("best_ensemble", "iteration", "global_step"))
            and "/mean" not in key and "baseline" not in key}  # fmt: skip


def largest(found, expected):
    return max((abs(found[key] - value) / max(abs(value), 1e-6) for key, value in expected.items()), default=math.nan)


def losses_of(told):
    return {f"{iteration} {name}": value for iteration, own in told["averages"].items() for name, value in own.items()}


def figure(value):
    return "" if math.isnan(value) else "0" if value == 0 else f"{value:.0e}" if value < 1e-3 else f"{100 * value:.2g} %"


def same(told, results, case):
    """Whether the choices are adanet's; where they are not, at which iterations and whether they were decided."""
    expected, margin = choices(results["tensorflow 1"], case), margins(results["tensorflow 1"], case)
    found = [int(told["chosen"][str(i)]) for i in range(case.iterations)] if "chosen" in told else choices(told, case)
    wrong = [i for i in range(case.iterations) if found[i] != expected[i]]
    return "same" if not wrong else ", ".join(f"{i}: {found[i]}{' (decided)' if margin[i] > DECIDED else ' (a tie)'}" for i in wrong)


def shared_losses(theirs, told):
    """Adanet's losses of those candidates that the other run has, too."""
    return {key: value for key, value in losses_of(theirs).items() if key in losses_of(told)}


def sharp(number, case, results):
    if "tensorflow 1" not in results:
        return None
    theirs = results["tensorflow 1"]
    cells = [str(number), ", ".join(map(str, choices(theirs, case))), figure(min(margins(theirs, case)))]
    for part in ("repeat", "graph", "steps"):
        runs = all_seeds(results, part)
        if not runs:
            cells += ["", "", ""]
            continue
        cells += [" / ".join(sorted({same(told, results, case) for told in runs}, reverse=True)),
                  figure(max(largest(losses_of(told), shared_losses(theirs, told)) for told in runs)),
                  figure(max(largest(metrics_of(told), metrics_of(theirs)) for told in runs))]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def all_seeds(results, part):
    return [results[key] for key in sorted(results) if key.startswith(part + " ")]


def repeats_of(found):
    """How many further runs each case has, as a phrase."""
    counts = {number: len(all_seeds(results, "repeat")) for number, results in found.items()}
    more = [f"{count} of search {number}" for number, count in counts.items() if count > 1]
    return "one of each search" + (f", {', '.join(more)}" if more else "")


def spoken(mean, spread, count):
    return f"{mean:.4f}{'' if math.isnan(spread) else f' ± {spread:.4f}'} ({count})"


def alone(number, case, results):
    theirs, ours = all_seeds(results, "tensorflow"), all_seeds(results, "search")
    if not theirs or not ours:
        return []
    decided = [i for i in range(case.iterations)
               if len({choices(told, case)[i] for told in theirs}) == 1 and all(margins(told, case)[i] > DECIDED for told in theirs)]  # fmt: skip
    otherwise = sum(choices(told, case)[i] != choices(theirs[0], case)[i] for told in ours for i in decided)
    rows = []
    for key in sorted(metrics_of(theirs[0])):
        a, b = ([metrics_of(told)[key] for told in side] for side in (theirs, ours))
        if key == "loss" and any(other.startswith("average_loss") for other in metrics_of(theirs[0])):
            continue
        spread = [statistics.stdev(side) if len(side) > 1 else math.nan for side in (a, b)]
        means = [statistics.mean(side) for side in (a, b)]
        noise = math.sqrt(spread[0] ** 2 / len(a) + spread[1] ** 2 / len(b)) / abs(means[0])
        first = not rows
        rows.append(f"| {number if first else ''} | {key} | {spoken(means[0], spread[0], len(a))} | {spoken(means[1], spread[1], len(b))} "
                    f"| {100 * (means[1] / means[0] - 1):+.1f} % | {'' if math.isnan(noise) else f'{100 * noise:.1f} %'} | {len(decided) if first else ''} | {otherwise if first else ''} |")  # fmt: skip
    return rows


def notes(work, name):
    """What a person has found of the differences; beside this file, so that the page keeps it."""
    path = pathlib.Path(__file__).with_name(name)
    return "\n" + path.read_text(encoding="utf-8") if path.exists() else ""


def page(work):
    found = {number: load(work, number) for number in range(1, len(CASES) + 1)}
    seeds = max((len(all_seeds(results, "search")) for results in found.values()), default=0)
    rows = [sharp(number, CASES[number - 1], results) for number, results in found.items()]
    return HEAD.format(
        date=datetime.date.today(), machine=machine(), count=len(CASES), seeds=seeds, repeats=repeats_of(found),
        searches="\n".join(describe(number, case) for number, case in enumerate(CASES, 1)),
        sharp="\n".join(row for row in rows if row), sharp_notes=notes(work, "same_values.md"),
        alone="\n".join(row for number, results in found.items() for row in alone(number, CASES[number - 1], results)),
        alone_notes=notes(work, "alone.md"))  # fmt: skip
