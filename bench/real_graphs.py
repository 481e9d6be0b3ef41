# SPDX-License-Identifier: Apache-2.0
"""Writes docs/real-graphs.md: what becomes of graph files of public repositories.

    python3 bench/real_graphs.py GRAPHS --bin build/bin > docs/real-graphs.md

GRAPHS/INDEX.tsv names, for each file below GRAPHS, repository, commit, path and TensorFlow's version. GRAPHS/trained.tsv,
if it is there, has a verdict for each file that was trained: three steps in TensorFlow 2.15's session and three in the
trainer, from one checkpoint, on the same random feeds. The files are not part of this repository.
"""
import argparse
import csv
import json
import pathlib
import subprocess

HEAD = """# Graphs of public repositories

`bench/real_graphs.py` wrote this page: {date}, {files} graph files of {repositories} repositories outside this project, by
TensorFlow 0.8 to 2.15. `ingotc --check` accepts {accepted} of them ({share:.0f} %).

Of these, {tried} of different repositories were trained for three steps, or run once where they have no step, from one checkpoint in
TensorFlow 2.15's session and in the trainer, with the same random values fed. Random ops were given seeds in both. *equal* means that all variables
agree within 1e-4 of each one's largest element; *within noise* that they differ by at most five times as much as TensorFlow's
own results do if its variables are disturbed by 1e-7 of themselves, and the loss by less than 1e-3.

Three of these ran again on 2026-11-27. `seq2seq_test` has a global step that it does not increment. `cups` randomly
flips what is fed, without a seed. `bottleneck_guided_rrt` has a `MaxPool3D`, whose gradient oneDNN gives to the first
maximum of a window, and Eigen (`TF_ENABLE_ONEDNN_OPTS=0`), like Ingot, to all elements within 1e-5 of the maximum.

| verdict | repositories |
|---|---|
{verdicts}

| repository | commit | file | TensorFlow | nodes | `--check` | three steps |
|---|---|---|---|---|---|---|
"""

# What the verdicts of trained.tsv are called here; the first that begins a verdict counts.
NAMES = (("equal (within", "within noise"), ("equal (but", "equal, most values not finite"),
         ("equal (", "different by rounding, which grows"), ("equal", "equal"), ("different", "different, cause not found"),
         ("TensorFlow cannot", "TensorFlow 2.15 does not run it"), ("trainer refuses", "refused by the trainer"),
         ("ingotc refuses", "refused by ingotc"))  # fmt: skip


def name_of(verdict):
    return next((name for prefix, name in NAMES if verdict.startswith(prefix)), "")


def check(ingotc, path):
    """'yes', or the first reason against it; None for a SavedModel without its variables, which are kept elsewhere."""
    done = subprocess.run([ingotc, path, "--check", "--json"], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == 0:
        return "yes"
    report = json.loads(done.stdout)
    if any("cannot open" in message for message in report["malformed"]):
        return None
    for kind in report["unsupported"]:
        return f"{kind['op']}: {kind['reason'].split(';')[0]}"
    return (report["malformed"] + report["unknown_names"] + ["exit code " + str(done.returncode)])[0].split(": ", 1)[-1][:80]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphs", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--date", required=True)
    options = parser.parse_args()
    with open(options.graphs / "INDEX.tsv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    trained = {}
    if (options.graphs / "trained.tsv").exists():
        with open(options.graphs / "trained.tsv", encoding="utf-8") as file:
            trained = {row[1]: row[2] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
    lines, accepted = [], 0
    for row in rows:
        row["check"] = check(options.bin / "ingotc", options.graphs / row["file"])
        if row["check"] is None:
            continue
        accepted += row["check"] == "yes"
        verdict = name_of(trained.get(row["file"], "")) if row["check"] == "yes" else ""
        lines.append((row["repo"], f"| {row['repo']} | {row['commit'][:10]} | {row['path'][-48:]} | {row['tf']} | {row['nodes']} "
                      f"| {row['check'].replace('|', '/')} | {verdict} |", verdict))  # fmt: skip
    counts = {}
    for repo, _, verdict in lines:
        if verdict:
            counts.setdefault(verdict, set()).add(repo)
    print(HEAD.format(date=options.date, files=len(lines), repositories=len({repo for repo, _, _ in lines}), accepted=accepted,
                      share=100 * accepted / len(lines), tried=sum(map(len, counts.values())),
                      verdicts="\n".join(f"| {name} | {len(repos)} |" for name, repos in
                                         sorted(counts.items(), key=lambda item: -len(item[1])))), end="")  # fmt: skip
    print("\n".join(line for _, line, _ in sorted(lines, key=lambda each: each[1].lower())))


if __name__ == "__main__":
    main()
