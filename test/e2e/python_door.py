# SPDX-License-Identifier: Apache-2.0
"""The Python door: models of Keras 2 and 3, exported, trained, and their weights back.

Each behaviour runs a script of test/data/python under every TensorFlow that is at hand: INGOT_TF_PYTHON's;
INGOT_TF_NEW_PYTHON's, of a newer one with Keras 3; and INGOT_TF_OLD_PYTHON's, of the oldest that is supported.
"""
import os
import re
import struct
import subprocess
import sys

import harness
import readme_blocks

sys.path.insert(0, str(harness.SOURCE / "bench"))
import keras_page  # noqa: E402

PACKAGE = harness.SOURCE / "tools" / "python"
SCRIPTS = harness.SOURCE / "test" / "data" / "python"


def pythons():
    """The Pythons that have TensorFlow."""
    found = []
    for variable in ("INGOT_TF_PYTHON", "INGOT_TF_NEW_PYTHON", "INGOT_TF_OLD_PYTHON"):
        python = os.environ.get(variable)
        if python and subprocess.run([python, "-c", "import tensorflow"], capture_output=True, check=False).returncode == 0:
            found.append(python)
    if not found:
        raise harness.Skip("none of INGOT_TF_PYTHON, INGOT_TF_NEW_PYTHON and INGOT_TF_OLD_PYTHON names a Python with tensorflow")
    return found


def environment(setup):
    return dict(os.environ, PYTHONPATH=str(PACKAGE), INGOT_BIN=str(setup.ingotc.parent), TF_CPP_MIN_LOG_LEVEL="3",
                PATH=f"{setup.ingotc.parent}:{os.environ['PATH']}",
                PYTHONDONTWRITEBYTECODE="1")  # fmt: skip


def run(setup, script, needs="tensorflow", arguments=(), **variables):
    """Runs a script in an empty folder under each TensorFlow that has `needs`, with these environment variables."""
    able = [python for python in pythons()
            if subprocess.run([python, "-c", f"import {needs}"], capture_output=True, check=False).returncode == 0]  # fmt: skip
    if not able:
        raise harness.Skip(f"no Python at hand has {needs}")
    for index, python in enumerate(able):
        folder = setup.dir / f"python{index}"
        folder.mkdir()
        done = setup.run(python, SCRIPTS / script, *arguments, cwd=folder, env={**environment(setup), **variables},
                         timeout=3000 if os.environ.get("INGOT_ZOO") else 550)
        assert done.code == 0, f"{python} {script}\n{done.out}{done.err}"
        assert "passed\n" in done.out, done.out


def a_keras_classifier_trains_as_in_keras(setup):
    """Losses within 1e-4 for 100 steps: batch norm, dropout, a schedule, clipping, shuffled data."""
    run(setup, "classifier.py")


def fits_are_kerass(setup):
    """History, validation, evaluation, weights and optimizer back, and on from there."""
    run(setup, "fit.py")


def a_folder_is_its_programs(setup):
    """fit again, of another model, from the start; texts that are long."""
    run(setup, "folders.py")


def the_notebook_trains_is_killed_and_loads_back(setup):
    run(setup, "notebook.py", EXAMPLES=str(harness.SOURCE / "examples"))


def files_of_keras_and_tensorflow_1_are_converted(setup):
    run(setup, "convert.py")


def the_demo_runs_without_tensorflow(setup):
    """`python -m ingot demo`: it learns, is killed, goes on, and draws."""
    python = pythons()[0]
    (setup.dir / "none" / "tensorflow").mkdir(parents=True)
    (setup.dir / "none" / "tensorflow" / "__init__.py").write_text("raise ImportError('TensorFlow is not there')")
    bare = {**environment(setup), "PYTHONPATH": f"{setup.dir / 'none'}:{PACKAGE}"}
    command = (python, "-m", "ingot", "demo", setup.dir / "demo")
    done = setup.run(*command, env=bare).expect(0)
    before, after = done.out.split("Started again")
    killed = int(re.search(r"^evaluated step (\d+) ", before, re.M)[1])
    restored = int(re.search(r"^restored .*, step (\d+)$", after, re.M)[1])
    assert killed <= restored < 6000 and "model.ckpt-6000'" in after, done.out
    assert float(re.findall(r"^evaluated step 6000  accuracy (\S+)", after, re.M)[-1]) > 0.95, done.out
    report = (setup.dir / "demo" / "report.html").read_text()
    assert all(word in report for word in (">loss", ">accuracy<", ">learning_rate<", "model.ckpt-6000"))
    again = setup.run(*command, env=bare)
    assert again.code == 1 and "is not empty" in again.err and "Traceback" not in again.err, again.err


def weights_come_back_into_models_of_every_make(setup):
    """Subclassed models, several optimizers, GANs, wrappers; arguments of Keras's fit."""
    run(setup, "loading.py")


def data_files_are_found_wherever_the_trainer_lies(setup):
    run(setup, "data_files.py")


def callbacks_are_called_as_in_keras(setup):
    """The same epoch of a stop, the same learning rates, the same files kept, on five models."""
    run(setup, "callbacks.py", arguments=("--figures", "figures.jsonl"))
    page = (harness.SOURCE / "docs" / "keras.md").read_text(encoding="utf-8").splitlines()
    checked = 0
    for path in setup.dir.glob("*/figures.jsonl"):
        for (_, version), lines in keras_page.read([path]).items():
            if f"### Keras {version}" not in page:
                continue  # The page has no figures of this version.
            rows = keras_page.callback_rows(lines)
            assert len(rows) >= 35, rows  # TensorBoard may be missing.
            for row in rows:
                assert row in page, f"docs/keras.md does not have what Keras {version} does now:\n{row}"
                checked += 1
    assert checked, "docs/keras.md has none of the versions at hand"


def data_that_came_later_are_evaluated_and_predicted(setup):
    run(setup, "new_data.py")


def models_of_tf_keras_train_as_in_keras(setup):
    """Keras 2 beside a TensorFlow that has Keras 3."""
    for script in ("classifier.py", "fit.py"):
        run(setup, script, "tf_keras, keras; assert keras.__version__ >= '3'", TF_USE_LEGACY_KERAS="1")
        for folder in setup.dir.iterdir():
            folder.rename(folder.with_name(f"{script}-{folder.name}"))


def layers_that_prepare_data_train_as_in_keras(setup):
    """Texts, tables, images, CSV files, files of lines, and a step of two optimizers."""
    run(setup, "preparation.py")


def models_of_many_kinds_train_as_in_keras(setup):
    run(setup, "models.py")


def models_of_a_zoo_train_and_come_back_as_in_keras(setup):
    """Some of the zoo's models, or with INGOT_ZOO=all each."""
    run(setup, "zoo.py", arguments=() if os.environ.get("INGOT_ZOO") == "all" else ("--every", "8"))


def layers_that_draw_train_as_in_tensorflow(setup):
    run(setup, "draws.py")


def steps_of_ones_own_train_as_in_tensorflow(setup):
    run(setup, "function.py")


def graphs_of_sessions_train_as_in_tensorflow(setup):
    run(setup, "session.py")


def estimators_train_evaluate_and_predict_as_in_tensorflow(setup):
    run(setup, "estimator.py", "tensorflow_estimator")


def keras_loads_what_was_trained(setup):
    """`trainer export --weights`: Keras's own files, NumPy's and safetensors'."""
    run(setup, "weights.py")


def what_is_served_is_as_documented(setup):
    """Every block of docs/guide/export.md and profile.md, in order: the pages are one script."""
    for index, python in enumerate(pythons()):
        folder = setup.dir / f"serving{index}"
        folder.mkdir()
        script = "import subprocess\n"
        for _, blocks in [*sections("export.md"), *sections("profile.md")]:
            for language, text in blocks:
                script += text if language == "python" else f"subprocess.run(['bash', '-euxc', {text!r}], check=True)\n"
        (folder / "script.py").write_text(script, encoding="utf-8")
        done = setup.run(python, "script.py", cwd=folder, env=environment(setup), timeout=550)
        assert done.code == 0, f"{python}\n{done.out}{done.err}"
        assert "predictions.jsonl" in {path.name for path in folder.iterdir()}


def what_cannot_be_exported_is_said_with_its_line(setup):
    run(setup, "refusals.py")


def sections(page):
    """The blocks of each section by its heading: (language, text)."""
    text = (harness.SOURCE / "docs" / "guide" / page).read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        blocks = re.findall(r"^```(python|sh)\n(.*?)^```$", section, re.M | re.S)
        if blocks:
            yield section.split("\n")[0], blocks


def readme_runs(setup, name, python):
    """README's lines `name` train a net that classifies most examples, and their trainer goes on without Python."""
    folder = setup.dir / name
    folder.mkdir()
    (folder / "script.py").write_text(readme_blocks.shown(name), encoding="utf-8")
    setup.run(python, "script.py", cwd=folder, env=dict(environment(setup), JAX_PLATFORMS="cpu"), timeout=280).expect(0)
    told = setup.run("./trainer", "--model-dir", "run", "--max-steps", 400, "--losses", "losses.jsonl", cwd=folder).expect(0).out
    assert "restored 'run/model.ckpt-200', step 200" in told, told
    losses = [line["loss"] for line in harness.read_losses(folder / "losses.jsonl")]
    # Two classes of equal probability have a loss of 0.69.
    assert len(losses) == 200 and sum(losses[-20:]) / 20 < 0.3, losses


def what_readme_shows_of_keras_runs(setup):
    readme_runs(setup, "keras", pythons()[0])


def what_the_documentation_shows_runs(setup):
    """Every block of docs/guide/from-python.md, in order: a section's lines of Python are one script."""
    for index, python in enumerate(pythons()):
        for number, (title, blocks) in enumerate(sections("from-python.md")):
            if "tf.estimator" in blocks[0][1] and subprocess.run([python, "-c", "import tensorflow_estimator"], capture_output=True, check=False).returncode:
                continue
            folder = setup.dir / f"{index}-{number}"
            folder.mkdir()
            (folder / "script.py").write_text("".join(text for language, text in blocks if language == "python"), encoding="utf-8")
            shell = "set -e\n" + "".join(text for language, text in blocks if language == "sh")
            for command in ([python, "script.py"], ["bash", "-c", shell]):
                done = setup.run(*command, cwd=folder, env=environment(setup), timeout=550)
                assert done.code == 0, f"{title}: {command[0]}\n{done.out}{done.err}"


def the_lines_of_readme_run_under_every_tensorflow(setup):
    """The same graph: the same losses."""
    found = []
    for index, python in enumerate(pythons()):
        folder = setup.dir / f"python{index}"
        folder.mkdir()
        setup.run(python, "-c", readme_blocks.shown("python"), cwd=folder, env=environment(setup)).expect(0)
        setup.run(setup.ingotc, folder / "train.meta", "-o", folder / "trainer").expect(0)
        setup.run(folder / "trainer", "--model-dir", folder / "run", "--max-steps", 50, "--losses", folder / "losses", "--quiet").expect(0)
        found.append([line["loss"] for line in harness.read_losses(folder / "losses")])
    assert len(found[0]) == 50 and all(one == found[0] for one in found), found


VERSIONS = """
import importlib, tensorflow as tf
keras = importlib.import_module(type(tf.keras.Sequential()).__mro__[-2].__module__.split(".")[0])
print(".".join(tf.__version__.split(".")[:2]), keras.__version__.split(".")[0])
"""


def the_documentation_names_the_versions_that_are_tested(setup):
    """"TensorFlow 2.15 with Keras 2" is said where these tests run under it."""
    text = (harness.SOURCE / "docs" / "guide" / "from-python.md").read_text(encoding="utf-8")
    for python in pythons():
        said = setup.run(python, "-c", VERSIONS, env=environment(setup)).expect(0).out.split()
        assert f"TensorFlow {said[0]} with Keras {said[1]}" in text, f"docs/guide/from-python.md does not name TensorFlow {said}"


def the_package_needs_no_tensorflow(setup):
    """Without it, graphs are compiled and trained, and checkpoints read."""
    script = (SCRIPTS / "without_tensorflow.py", harness.REFERENCE)
    python = sys.executable
    if subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False).returncode:
        python = pythons()[0]
    done = setup.run(python, *script, cwd=setup.dir, env=environment(setup))
    assert done.code == 0 and "passed\n" in done.out, f"{done.out}{done.err}"


NUMBERS = """
import math, sys, types
package = types.ModuleType("ingot")  # Its parts that need neither NumPy nor TensorFlow.
package.__path__ = [sys.argv[1]]
sys.modules["ingot"] = package
from ingot._tools import numbers, words
assert words([1.5, math.inf, [-math.inf, 2]]) == [1.5, "Infinity", ["-Infinity", 2]] and words(math.nan) == "NaN"
assert numbers(words([1.5, math.inf])) == [1.5, math.inf]
from ingot._history import LossReader, history_of, parse_evaluation
reader = LossReader("losses.jsonl", 2)
reader.read()
figures = {int(one["step"]): {name: value for name, value in one.items() if name != "step"} for one in reader.epochs()}
figures[2].update({f"val_{name}": value for name, value in parse_evaluation("evaluated step 2  loss 0.10000000149011612  top inf  seen 4")[1].items()})
figures = history_of(figures, 2).history
assert figures["loss"] == [math.inf, -math.inf], figures
assert math.isnan(figures["x:0"][0]) and figures["x:0"][1] == [1.5, math.inf], figures
assert figures["val_loss"][0] == 0.10000000149011612 and figures["val_top"][0] == math.inf, figures
print("passed")
"""


def histories_have_numbers_that_json_lacks(setup):
    """As trainers write them."""
    (setup.dir / "losses.jsonl").write_text(
        '{"step":1,"loss":1,"x:0":0}\n{"step":2,"loss":"Infinity","x:0":"NaN"}\n'
        '{"step":3,"loss":"-Infinity","x:0":0}\n{"step":4,"loss":2,"x:0":[1.5,"Infinity"]}\n')
    done = setup.run(sys.executable, "-c", NUMBERS, PACKAGE / "ingot", cwd=setup.dir)
    assert done.code == 0 and "passed\n" in done.out, f"{done.out}{done.err}"


def asks_for_an_interpreter(elf):
    """Whether a program is linked dynamically: has a segment PT_INTERP."""
    table, = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    return any(struct.unpack_from("<I", elf, table + index * size)[0] == 3 for index in range(count))


def the_wheel_is_all_that_is_needed(setup):
    """Installed in an empty environment, without LLVM's libraries, it compiles, trains and reads checkpoints."""
    build = setup.ingotc.parents[1]
    if not (build / "bin" / "ingotc-portable").exists():
        raise harness.Skip("build/bin/ingotc-portable is missing; ./dev wheel builds it")
    if subprocess.run([sys.executable, "-c", "import ensurepip, venv"], capture_output=True, check=False).returncode:
        raise harness.Skip(f"{sys.executable} has no venv")
    setup.run(sys.executable, PACKAGE / "make_wheel.py", "--build", build, "--out", setup.dir).expect(0)
    (wheel,) = setup.dir.glob("*.whl")
    assert wheel.stat().st_size <= 90 << 20, wheel.stat().st_size
    venv = setup.dir / "venv"
    setup.run(sys.executable, "-m", "venv", venv).expect(0)
    installed = setup.run(venv / "bin" / "pip", "install", "--disable-pip-version-check", wheel)
    if installed.code and "numpy" in installed.err:
        raise harness.Skip("numpy can't be had here")
    installed.expect(0)
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(setup.dir), "PYTHONDONTWRITEBYTECODE": "1"}
    done = setup.run(venv / "bin" / "python", SCRIPTS / "without_tensorflow.py", harness.REFERENCE, cwd=setup.dir, env=bare)
    assert done.code == 0 and "passed\n" in done.out, f"{done.out}{done.err}"
    for command in ("ingotc", "ingot-ckpt", "ingot-adanet"):
        program = next(venv.glob(f"lib/python*/site-packages/ingot/sdk/bin/{command}"))
        assert not asks_for_an_interpreter(program.read_bytes()), f"{program} is not static"
        said = setup.run(venv / "bin" / command, "--version", env=bare).expect(0)
        assert "Ingot" in said.out or "ingot" in said.out, said.out


def the_package_is_typed(setup):
    """mypy --strict finds nothing."""
    for python in [sys.executable, os.environ.get("INGOT_TF_NEW_PYTHON"), os.environ.get("INGOT_TF_PYTHON")]:
        if python and subprocess.run([python, "-m", "mypy", "--version"], capture_output=True, check=False).returncode == 0:
            done = setup.run(python, "-m", "mypy", "--cache-dir", setup.dir / "cache", cwd=PACKAGE)
            assert done.code == 0, done.out + done.err
            return
    raise harness.Skip("no Python at hand has mypy")


if __name__ == "__main__":
    harness.main(globals())
