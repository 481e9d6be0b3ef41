#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every model of bench/unseen is one of TensorFlow's and of JAX's, and bench/shares.py's page computes what it says.

    check_shares.py              checks the models
    check_shares.py --self-test  checks that a missing function is noticed, and the page of figures whose shares are known
"""
import ast
import pathlib
import re
import sys

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import roofline  # noqa: E402
import shares_page  # noqa: E402
from unseen import models  # noqa: E402


def functions(framework):
    paths = [BENCH / "unseen" / f"{framework}_{part}.py" for part in ("tables", "images", "sequences")]
    return {node.name for path in paths for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}


def optimizers(name):
    text = re.search(r"^OPTIMIZERS = \{\n(.*?)^\}", (BENCH / "unseen" / name).read_text(), re.M | re.S)[1]
    return set(re.findall(r'^    "([\w-]+)":', text, re.M))


def faults(specs, kinds, known):
    for name, spec in specs.items():
        for framework in kinds:
            if spec["kind"] not in kinds[framework]:
                yield f"{name}: {framework} has no {spec['kind']}()"
            if spec["optimizer"] not in known[framework]:
                yield f"{name}: {framework} has no optimizer {spec['optimizer']}"


def page_of_known_shares():
    """Two kernels of 5e8 operations at 1e12 a second take 1 ms at the least, one of 1e6 bytes at 1e9 a second, too."""
    machines, levels = {}, {"x86-64-v3": "AVX2", "native": "AVX-512"}
    for level in levels:
        machines[level, 1] = machine = roofline.Machine(None, 1, None)
        machine.peak, machine.bandwidth = 1e12, {2**30: 1e9}
    kernels = [["layer_1/product", 1e-3, 5e8, 0], ["layer_2/product", 1e-3, 5e8, 0], ["sum", 1e-3, 0, 1e6]]

    def row(rate, other):
        trainers = [{"level": level, "threads": 1, "rates": [rate, 1e9, 0.0], "peak": 1e12, "kernels": kernels} for level in levels]
        peers = {"jax": {"rates": [other], "memory": 2**27, "losses": [2.5, 0.25], "why": ""}}
        return {"compile": {"native": 1.0}, "trainers": trainers, "memory": 2**24, "losses": [2.0, 0.5], "peers": peers}

    class Options:
        threads, seconds, windows = 1, 0.3, 3

    wrong = row(100.0, 100.0)
    wrong["losses"] = [1.0, 0.9]
    rows = {"mlp-small": row(400.0, 100.0), "gpt": row(400.0, 100.0), "vae": wrong, "gan": {"why": "a|b"}}
    return shares_page.page(rows, machines, ("a machine", levels, {"jax": "0.1"}, Options)), shares_page.losing(rows, machines, 1)


def self_test():
    spec = {"kind": "a", "optimizer": "sgd"}
    assert list(faults({"m": spec}, {"jax": {"b"}}, {"jax": {"sgd"}})) == ["m: jax has no a()"]
    assert list(faults({"m": spec}, {"jax": {"a"}}, {"jax": {"adam"}})) == ["m: jax has no optimizer sgd"]
    page, losing = page_of_known_shares()
    assert "| gpt | 400 | 80% | 400 | 80% |" in page and "| vae | 100 | 20% | 100 | 20% |" in page, page
    assert "- *AVX2* is `--cpu=x86-64-v3`, *AVX-512* is `--cpu=native`;" in page and "| model | AVX2, 1 | share | AVX-512, 1 | share |" in page, page
    assert "| *geometric mean* |  | 40% |  | 40% |" in page and "| *least* |  | 20% |  | 20% |" in page, page
    assert "| gpt | 1.0 s | 100 | 4.0× | 16 MB | 128 MB |" in page and "| *least* |  |  | 1.0× | 16 MB | 128 MB |" in page, page
    assert "| gan | Ingot | a/b |" in page and "| gpt | 2 → 0.5 | 2.5 → 0.25 |" in page, page
    assert "| gpt | JAX | the loss" not in page and "| vae | JAX | the loss is 2.5, then 0.25; Ingot's is 1, then 0.9 |" in page, page
    assert ("gpt, 1 threads: share 80%, step 2,500 us, traced 3,000 us\n"
            "    loses  40% of the step:    2000.0 us,  50% of the bound,   2 x layer/product") in losing, losing  # fmt: skip
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    kinds = {framework: functions(framework) for framework in ("tensorflow", "jax")}
    known = {"tensorflow": optimizers("tensorflow_optimizers.py"), "jax": optimizers("jax_step.py")}
    found = list(faults(models.MODELS, kinds, known))
    print("\n".join(found), end="\n" if found else "")
    print(f"{len(models.MODELS)} models, {len(found)} faults")
    return 1 if found or len(models.MODELS) != 24 else 0


if __name__ == "__main__":
    sys.exit(main())
