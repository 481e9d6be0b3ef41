# SPDX-License-Identifier: Apache-2.0
"""State, data and entries of all kinds that a file of roles may name, against arithmetic in NumPy: roles.py."""
import json
import subprocess

import ingot
import numpy as np

# w' = w + mean(x), n' = n + 1; the loss is sum(w) + 10 * y[0], and `rows` each row's sum.
STEP = """
func.func @main(%w: tensor<3xf32>, %n: tensor<i64>, %x: tensor<4x3xf32>, %y: tensor<4xi32>) -> (tensor<i64>, tensor<3xf32>, tensor<f32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %four = stablehlo.constant dense<4.0> : tensor<3xf32>
  %ten = stablehlo.constant dense<10.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
  %mean = stablehlo.divide %sum, %four : tensor<3xf32>
  %new = stablehlo.add %w, %mean : tensor<3xf32>
  %next = stablehlo.add %n, %one : tensor<i64>
  %total = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %first = stablehlo.slice %y [0:1] : (tensor<4xi32>) -> tensor<1xi32>
  %label = stablehlo.reshape %first : (tensor<1xi32>) -> tensor<i32>
  %float = stablehlo.convert %label : (tensor<i32>) -> tensor<f32>
  %part = stablehlo.multiply %float, %ten : tensor<f32>
  %loss = stablehlo.add %total, %part : tensor<f32>
  %rows = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  return %next, %new, %loss, %rows : tensor<i64>, tensor<3xf32>, tensor<f32>, tensor<4xf32>
}
func.func @scaled(%w: tensor<3xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %w, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
X = np.arange(36, dtype=np.float32).reshape(12, 3)
Y = np.arange(12, dtype=np.int32)
W = np.array([1, -2, 0.5], np.float32)
STATE = [{"name": "w", "result": 1}, {"name": "global_step", "result": 0, "initial": 0}]


def expected(steps):
    w, losses = W.copy(), []
    for index in range(steps):
        rows = slice(index % 3 * 4, index % 3 * 4 + 4)
        losses.append(float(w.sum() + 10 * Y[rows][0]))
        w = w + X[rows].mean(0)
    return losses, w


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def trains(name, roles, *flags):
    with open("step.json", "w", encoding="utf-8") as file:
        json.dump(dict({"state": STATE, "batch": ["x", "y"], "outputs": ["loss", "rows"]}, **roles), file)
    run("ingotc", "step.mlir", "-o", name, "--cpu", "native")
    run(f"./{name}", "--model-dir", f"{name}-run", "--max-steps", "7", "--losses", f"{name}.jsonl", "--quiet", *flags)
    found = [json.loads(line) for line in open(f"{name}.jsonl", encoding="utf-8")]
    losses, w = expected(7)
    assert np.allclose([line["loss"] for line in found if "loss" in line], losses, rtol=1e-6), (name, found, losses)
    values = run("ingot-ckpt", "cat", f"{name}-run/model.ckpt-7", "w")
    assert np.allclose([float(one) for one in values.replace("[", " ").replace("]", " ").replace(",", " ").split()[-3:]], w, rtol=1e-6), (name, values, w)
    assert "7" in run("ingot-ckpt", "cat", f"{name}-run/model.ckpt-7", "global_step")


def main():
    with open("step.mlir", "w", encoding="utf-8") as file:
        file.write(STEP)
    np.save("x.npy", X)
    np.save("y.npy", Y)
    np.savez("all.npz", x=X, y=Y, w=W)
    header = json.dumps({"w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}).encode()
    with open("w.safetensors", "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header + W.tobytes())
    ingot.materialize(list(zip(X, Y)), "examples")
    trains("files", {"initial": "all.npz", "data": {"arrays": ["x.npy", "y.npy"], "shuffle": False}})
    trains("archive", {"initial": "all.npz", "data": {"arrays": ["all.npz:x", "all.npz:y"], "shuffle": False}})
    trains("records", {"initial": "w.safetensors", "data": {"records": "examples", "shuffle": False}})
    trains("feeds", {"initial": "w.safetensors"}, "--feed", "x=@x.npy,y=@y.npy", "--batch", "4", "--epochs", "3")
    trains("entries", {"initial": "all.npz", "data": {"arrays": ["x.npy", "y.npy"], "shuffle": False},
                       "entries": {"serving_default": {"function": "scaled", "state": ["w"], "inputs": ["x"], "outputs": ["scaled"]}}})  # fmt: skip
    np.save("in.npy", np.array([2, 3, 4], np.float32))
    run("./entries", "run", "serving_default", "--quiet", "--model-dir", "entries-run", "--feed", "x=@in.npy", "--fetch", "scaled=@out.npy")
    assert np.allclose(np.load("out.npy"), expected(7)[1] * [2, 3, 4], rtol=1e-6)
    # Outputs besides the loss are fetched by name.
    said = run("./files", "--model-dir", "more", "--max-steps", "1", "--log-steps", "1", "--fetch", "step/rows:0")
    assert "step/rows:0" in said + open("files.jsonl", encoding="utf-8").read(), said


if __name__ == "__main__":
    main()
    print("passed")
