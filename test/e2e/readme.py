# SPDX-License-Identifier: Apache-2.0
"""README shows the output of its commands, and the right counts."""
import json
import os
import re
import shutil

import harness
import readme_blocks
from with_tensorflow import tensorflow


def saves_last(lines):
    """Checkpoints are written beside the steps, and told of when they are there."""
    saves = [line for line in lines if line.startswith("saved ")]
    return [line for line in lines if line not in saves] + sorted(set(saves))


def same_form(name, found):
    """Fails if a command's output has another form than README's."""
    shown, printed = (saves_last(readme_blocks.form(text)) for text in (readme_blocks.shown(name), found))
    assert shown == printed, f"README's block '{name}' (./dev readme {name} writes it):\n" + "\n".join(
        f"README:  {a}\nprinted: {b}" for a, b in zip(shown, printed) if a != b
    ) + f"\n{len(shown)} and {len(printed)} lines"


def the_demo_prints_what_readme_shows(setup):
    # As the demo is started: from the tree, with the compiler in build/bin.
    build = setup.ingotc.parent.parent
    same_form("demo", readme_blocks.demo(build, None))


def the_script_trains_as_readme_shows(setup):
    """The nine lines with TensorFlow; without it, their commands on a graph of the same kind."""
    os.environ["INGOT_TF_PYTHON"] = tensorflow()
    same_form("script", readme_blocks.script(setup.ingotc.parent.parent, None))


def the_test_summary_is_of_these_tests(setup):
    ctest = shutil.which("ctest")
    if not ctest:
        raise harness.Skip("there is no ctest in PATH")
    listed = json.loads(setup.run(ctest, "--test-dir", setup.ingotc.parent.parent, "--show-only=json-v1").expect(0).out)
    labels, tests = {}, [test for test in listed["tests"] if test["name"] != "NOT_AVAILABLE"]
    for test in tests:
        for said in test.get("properties", []):
            for label in said["value"] if said["name"] == "LABELS" else []:
                labels[label] = labels.get(label, 0) + 1
    text = readme_blocks.shown("tests")
    (passed,) = re.findall(r"^100% tests passed, 0 tests failed out of (\d+)$", text, re.M)
    told = {label: int(count) for label, count in re.findall(r"^(\w+) += .* \((\d+) tests\)$", text, re.M)}
    told[""], labels[""] = int(passed), len(tests)
    labels.setdefault("gpu", 0)
    told.setdefault("gpu", labels["gpu"])  # skipped in most runs: `./dev test --gpu` tells of them
    told.setdefault("tensorflow", labels["tensorflow"])  # likewise, `./dev test tensorflow`
    assert sorted(told) == sorted(labels), f"{told}, and there are {labels}"
    for label, count in labels.items():
        # Of a run some time ago.
        assert abs(told[label] - count) <= max(5, count / 2), f"{label}: {told[label]}, and there are {count}"


def the_bench_table_holds_together(setup):
    text = readme_blocks.shown("bench")
    rows = re.findall(r"^\| `([\w-]+)`: [^|]+ \| ([\d,]+) \| ([\d,]+) \| ([\d.]+)x \|$", text, re.M)
    assert len(rows) >= 3 and len(rows) == text.count("\n| `"), text
    for graph, ours, theirs, ratio in rows:
        assert (harness.GRAPHS / f"{graph}.meta").exists(), graph
        # Rates are rounded to whole steps.
        a, b = (int(number.replace(",", "")) for number in (ours, theirs))
        assert (a - 0.5) / (b + 0.5) - 0.06 <= float(ratio) <= (a + 0.5) / (b - 0.5) + 0.06, graph
    # Rewritten blocks have this form.
    made = readme_blocks.table({rows[0][0]: (1000, 400)}, "2.15", text)
    assert re.search(r"^\| `" + rows[0][0] + r"`: [^|]+ \| 1,000 \| 400 \| 2.5x \|$", made, re.M), made
    for head in (made, text):
        assert re.match(r"Steps a second \(`./dev bench`; \d+ cores with [\w-]+; TensorFlow \d+\.\d+'s session ran the "
                        r"same graphs in the same sitting\):\n", head), head  # fmt: skip


def readme_counts_what_is_there(setup):
    text = readme_blocks.README.read_text(encoding="utf-8")
    (said,) = re.findall(r"\[more than (\d+) of TensorFlow's\]\(docs/ops.md\)", text)
    (supported,) = re.findall(r"^## Supported \((\d+)\)", (harness.SOURCE / "docs" / "ops.md").read_text(), re.M)
    assert int(said) <= int(supported) < int(said) + 100, f"{said}, and there are {supported}"


def every_optimizer_is_supported(setup):
    """Of TensorFlow's steps, dense and sparse, on variables of both kinds."""
    names = setup.run(tensorflow(), "-c", "import re, tensorflow as tf\n"
                      "print(*[n for n in dir(tf.raw_ops) if re.match('(Resource)?(Sparse)?Apply', n)])").expect(0).out.split()
    assert len(names) > 40, names
    page = (harness.SOURCE / "docs" / "ops.md").read_text().split("## Refused")[0]
    missing = [name for name in names if f"| {name} |" not in page]
    assert not missing, missing


def tables_of_ops_are_tensorflows(setup):
    """Signatures and defaults of the ops that docs/ops.md lists."""
    page = harness.SOURCE / "docs" / "ops.md"
    for folder, script, table in (
        ("compiler/Export", "make_signatures.py", "Signatures.inc"),
        ("compiler/Driver", "make_op_defaults.py", "OpDefaults.inc"),
    ):
        written = setup.run(tensorflow(), "-B", harness.SOURCE / folder / script, page).expect(0).out.splitlines()
        there = (harness.SOURCE / folder / table).read_text(encoding="utf-8").splitlines()
        different = sorted(set(written) ^ set(there))
        assert written == there, f"{folder}/{table} is not what {script} writes: {different[:5]}"


if __name__ == "__main__":
    harness.main(globals())
