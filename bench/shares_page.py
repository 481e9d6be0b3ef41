# SPDX-License-Identifier: Apache-2.0
"""The page of shares.py: tables of shares, of rates beside the peers', of memory and of losses."""
import re
import statistics

import models
import performance
import run

PAGE = run.BENCH.parent / "docs" / "shares.md"
NAMES = {"tensorflow": "TensorFlow's session", "jax": "JAX"}
ABOUT = """# Shares of the machine's limits

Written by `./dev bench --shares` on {machine}, with {threads} threads at the most. Programs took turns, a window of {seconds} s each;
rates are medians of {windows} windows, steps a second{versions}.

- A *share* is a step's bound divided by its time. The bound is the sum over its kernels of the larger of two times: operations at the peak of
  fused multiply-adds, and bytes at the bandwidth of the cache or memory that holds them
  ([how both are measured](guide/profile.md#what-the-machine-could-do)). What it takes to divide work among threads is not in it.
- {levels}; the share is of the peak at that level.
- The peers have {threads} threads and the machine's own level. TensorFlow's session runs the graphs that Ingot compiles, JAX the same models.
- *Memory* is the peak resident set: of a trainer, of Python with TensorFlow, of Python with JAX.
"""
GROUPS = (
    ("The models of bench", "Kernels were tuned on these (`bench/models.py`).", lambda name: name in models.MODELS),
    ("Other models", "No constant was fitted to these (`bench/unseen/models.py`); some passes were written for what they lost at first.", lambda name: name not in models.MODELS),
)


def levels_of_machine():
    """What graphs are compiled for on this machine, `--cpu`'s value and the vectors' name."""
    if "avx512f" in open("/proc/cpuinfo", encoding="utf-8").read():
        return {"x86-64-v3": "AVX2", "native": "AVX-512"}
    return {"native": "AVX2"}


def parts(trainer, machines):
    """What each kernel of a trainer loses: seconds beyond its bound, name, seconds, bound, and what limits it."""
    machine = machines[trainer["level"], trainer["threads"]]
    made = []
    for name, seconds, *work in trainer["kernels"]:
        bound, limit = machine.bound(*work, peak=trainer["peak"])
        made.append((seconds - bound, name, seconds, bound, limit))
    return sorted(made, reverse=True)


def rate_of(row):
    return statistics.median(row["rates"]) if row["rates"] else None


def share(trainer, machines):
    return sum(part[3] for part in parts(trainer, machines)) * rate_of(trainer)


def shares(row, machines):
    return [share(trainer, machines) for trainer in row["trainers"]]


def ratios(row, peer):
    """The rate of the trainer for this machine, on one thread and on all, divided by a peer's; none where that failed."""
    other = rate_of(row["peers"][peer]) if peer in row["peers"] else None
    native = [trainer for trainer in row["trainers"] if trainer["level"] == "native"]
    return [rate_of(trainer) / other if other else None for trainer in native]


def times(ratio):
    return "–" if ratio is None else f"{ratio:.1f}×" if ratio >= 1 else f"{ratio:.2f}×"


def megabytes(size):
    return f"{size / 2**20:,.0f} MB" if size else "–"


def columns(row, levels):
    return [f"{levels[trainer['level']]}, {trainer['threads']}" for trainer in row["trainers"]]


def line(name, row, machines, levels):
    if "why" in row:
        return f"{name}: {row['why']}"
    text = "  ".join(f"{column} {rate_of(trainer):.1f}/s {share(trainer, machines):.0%}" for column, trainer in zip(columns(row, levels), row["trainers"]))
    for peer in row["peers"]:
        text += f"  {peer} {times(ratios(row, peer)[-1])}"
    return f"{name}: {text}"


def alike(trainer, machines):
    """What kernels lose whose names differ in numbers only, as those of layers do: seconds, their sum of times and of bounds, count."""
    made = {}
    for loss, name, seconds, bound, _ in parts(trainer, machines):
        kind = made.setdefault(re.sub(r"_?\d+", "", name), [0, 0, 0, 0])
        kind[:] = [kind[0] + loss, kind[1] + seconds, kind[2] + bound, kind[3] + 1]
    return sorted(((*sums, name) for name, sums in made.items()), reverse=True)


def losing(rows, machines, count):
    """The kinds of kernels that lose most, of each model on one thread and on all, at the machine's own level."""
    text = []
    for name, row in rows.items():
        for trainer in row.get("trainers", ()):
            if trainer["level"] != "native":
                continue
            kinds, step = alike(trainer, machines), 1 / rate_of(trainer)
            traced = sum(kind[1] for kind in kinds)
            text.append(f"{name}, {trainer['threads']} threads: share {share(trainer, machines):.0%}, step {step * 1e6:,.0f} us, traced {traced * 1e6:,.0f} us")
            for loss, seconds, bound, number, kernel in kinds[:count]:
                reached = f"{seconds * 1e6:>9.1f} us, {bound / max(seconds, 1e-12):>4.0%} of the bound"
                text.append(f"    loses {loss / step:>4.0%} of the step: {reached}, {number:>3} x {kernel}")
    return "\n".join(text)


def unlike(row):
    """Why a peer's losses are not those of the same model: the session begins with the same values, JAX with others."""
    for peer, other in row["peers"].items():
        if not other["losses"]:
            continue
        first, last = ((row["losses"][place], other["losses"][place]) for place in (0, -1))
        near, later = (0.01, 0.1) if peer == "tensorflow" else (0.25, 0.5)
        if abs(first[0] - first[1]) > near * abs(first[1]) or abs(last[0] - last[1]) > later * abs(first[1]):
            yield peer, f"the loss is {first[1]:.4g}, then {last[1]:.4g}; Ingot's is {first[0]:.4g}, then {last[0]:.4g}"


def table(header, rows):
    yield "\n| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    yield from ("| " + " | ".join(cells) + " |" for cells in rows)


def summary(values, shown):
    """Geometric mean and minimum of a column."""
    found = [value for value in values if value]
    return (shown(statistics.geometric_mean(found)), shown(min(found))) if found else ("–", "–")


def percent(value):
    return f"{value:.0%}"


def with_summary(rows, cells, values):
    """Rows of a table, and two for mean and minimum: values(row) are (value, how it is shown) of the columns that have some."""
    yield from ([name, *cells(row)] for name, row in rows.items())
    for place, title in enumerate(("geometric mean", "least")):
        last = [f"*{title}*"]
        for column in zip(*(values(row) for row in rows.values())):
            shown = column[0][1]
            last.append(summary([value for value, _ in column], shown)[place] if shown else "")
        yield last


def share_table(rows, machines, levels):
    def cells(row):
        each = [(performance.figure(rate_of(trainer)), percent(share(trainer, machines))) for trainer in row["trainers"]]
        return [cell for pair in each for cell in pair]

    def values(row):
        return [pair for value in shares(row, machines) for pair in ((0, None), (value, percent))]

    header = ["model", *(text for column in columns(next(iter(rows.values())), levels) for text in (column, "share"))]
    return table(header, with_summary(rows, cells, values))


def peer_table(rows, peers):
    threads = [trainer["threads"] for trainer in next(iter(rows.values()))["trainers"] if trainer["level"] == "native"]

    def cells(row):
        made = [f"{row['compile']['native']:.1f} s"]
        for peer in peers:
            made += [performance.figure(rate_of(row["peers"][peer])) if peer in row["peers"] else "–", *map(times, ratios(row, peer))]
        return [*made, megabytes(row["memory"]), *(megabytes(row["peers"].get(peer, {}).get("memory")) for peer in peers)]

    def values(row):
        made = [(0, None)]
        for peer in peers:
            made += [(0, None), *((ratio, times) for ratio in ratios(row, peer))]
        return [*made, (row["memory"], megabytes), *((row["peers"].get(peer, {}).get("memory"), megabytes) for peer in peers)]

    header = ["model", "compiled in"]
    for peer in peers:
        header += [NAMES[peer], *(f"Ingot, {count}, is" for count in threads)]
    return table([*header, "memory", *(f"{NAMES[peer]}, memory" for peer in peers)], with_summary(rows, cells, values))


def loss_table(rows, peers):
    def ends(values):
        return f"{values[0]:.4g} → {values[-1]:.4g}" if values and None not in values else "–"

    def cells(row):
        return [ends(row["losses"]), *(ends(row["peers"].get(peer, {}).get("losses")) for peer in peers)]

    return table(["model", "Ingot", *(NAMES[peer] for peer in peers)], ([name, *cells(row)] for name, row in rows.items()))


def page(rows, machines, about):
    machine, levels, versions, options = about
    peers = [peer for peer in NAMES if any(peer in row.get("peers", ()) for row in rows.values())]
    said = " (" + ", ".join(f"{NAMES[peer]} {version}" for peer, version in versions.items()) + ")" if versions else ""
    meant = ", ".join(f"*{name}* is `--cpu={level}`" for level, name in levels.items())
    text = [ABOUT.format(machine=machine, threads=options.threads, seconds=options.seconds, windows=options.windows, versions=said, levels=meant)]
    for (level, threads), limit in machines.items():
        if limit.peak and level == "native":
            peaks = ", ".join(f"{machines[each, threads].peak / 1e9:.0f} GFLOP/s of {name}" for each, name in levels.items())
            cache, memory = (limit.bandwidth[pick(limit.bandwidth)] / 1e9 for pick in (min, max))
            floor = f" To divide work among them takes at least {limit.fork_join * 1e6:.2f} us." if threads > 1 else ""
            text.append(f"- {threads} thread{'s' * (threads > 1)}: {peaks}; {cache:.0f} GB/s in the first cache, {memory:.0f} in memory.{floor}")
    good = {name: row for name, row in rows.items() if "why" not in row}
    for title, what, belongs in GROUPS:
        group = {name: row for name, row in good.items() if belongs(name)}
        if not group:
            continue
        text += [f"\n## {title}\n", what, *share_table(group, machines, levels), *peer_table(group, peers)]
    if good:
        text += ["\n## Losses\n", "At the first step and the twentieth. JAX begins with other random values."]
        text += loss_table(good, peers)
    failed = [(name, "Ingot", row["why"]) for name, row in rows.items() if "why" in row]
    failed += [(name, NAMES[peer], other["why"]) for name, row in good.items() for peer, other in row["peers"].items() if other["why"]]
    failed += [(name, NAMES[peer], why) for name, row in good.items() for peer, why in unlike(row)]
    if failed:
        text += ["\n## What failed", *table(["model", "program", "why"], ((a, b, c.replace("|", "/")) for a, b, c in failed))]
    return "\n".join(text) + "\n"
