# SPDX-License-Identifier: Apache-2.0
# How lit runs the tests of textual IR. The build's paths come from the site
# configuration, whose path ctest passes as the parameter ingot_site_config.
import os
import pathlib
import shutil
import subprocess
import sys

import lit.formats

if not hasattr(config, "ingot_build_dir"):
    site_config = lit_config.params.get("ingot_site_config")
    if not site_config:
        lit_config.fatal(
            "no site configuration: run through ctest, or pass "
            "--param ingot_site_config=BUILD/test/lit.site.cfg.py"
        )
    lit_config.load_config(config, site_config)
    raise SystemExit  # The site configuration loads this file once more.

config.name = "ingot"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "data", "derivatives"]
config.test_source_root = os.path.join(config.ingot_source_dir, "test")
config.test_exec_root = os.path.join(config.ingot_build_dir, "test", "lit")

config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.ingot_build_dir, "bin"),
        config.llvm_tools_dir,
        config.environment.get("PATH", ""),
    ]
)
# The compiler's cache of kernels is the build's own.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.ingot_build_dir, "cache")
config.substitutions.append(("%data", os.path.join(config.test_source_root, "data")))
config.substitutions.append(("%python", sys.executable))

# NVIDIA's toolkit stands beside the path as a rule.
ptxas = shutil.which("ptxas", path=config.environment["PATH"] + ":/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
else:
    lit_config.note("no ptxas: tests that require it are skipped")
# Graphs that train, with all that belongs to a run, and those that are measured.
graphs = pathlib.Path(config.test_source_root, "data")
config.substitutions.append(
    (
        "%refs",
        " ".join(
            str(path)
            for pattern in ("*/train.meta", "models/*/train.meta", "adanet_*/*.meta", "saved_model_train/saved_model", "../../bench/graphs/*.meta")
            for path in sorted(graphs.glob(pattern))
        ),
    )
)

# Tests against TensorFlow run where INGOT_TF_PYTHON names a Python that has it.
tf_python = os.environ.get("INGOT_TF_PYTHON")
if tf_python:
    probe = (
        "import importlib.util, sys;"
        "sys.exit(importlib.util.find_spec('tensorflow') is None)"
    )
    if subprocess.run([tf_python, "-c", probe], check=False).returncode == 0:
        config.available_features.add("tensorflow")
        config.substitutions.append(("%tf_python", tf_python))
    else:
        lit_config.warning("INGOT_TF_PYTHON has no tensorflow: " + tf_python)
else:
    lit_config.note("no INGOT_TF_PYTHON: tests that require tensorflow are skipped")
