# SPDX-License-Identifier: Apache-2.0
"""Makes the checkpoints of this folder, and expect.json with what they hold.

Usage: make.py OUT_DIR   (TensorFlow 2.15)

v1_dtypes     tf.compat.v1.train.Saver(write_version=V1): every dtype that it takes
keras-1       tf.train.Checkpoint of a Keras model and its Adam, keys of objects
"""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

out = os.path.abspath(sys.argv[1])
os.makedirs(out, exist_ok=True)
os.chdir(out)
expect = {}


def flat(array):
    array = np.asarray(array)
    if array.dtype == object or array.dtype.kind == "S":
        return [x.hex() for x in array.reshape(-1).tolist()]
    if array.dtype.kind == "c":
        return [[repr(float(x.real)), repr(float(x.imag))] for x in array.reshape(-1)]
    if array.dtype.kind == "b":
        return [bool(x) for x in array.reshape(-1)]
    if array.dtype.kind in "iu":
        return [int(x) for x in array.reshape(-1)]
    return [repr(float(x)) for x in array.astype(np.float64).reshape(-1)]


def record(name, key, dtype, value):
    expect.setdefault(name, {})[key] = {
        "dtype": dtype, "shape": list(np.shape(value)), "values": flat(value)}


def v1(name, values):
    """Saves {key: (dtype, value)} as V1; leaves out what this Saver cannot."""
    saved = {}
    for key, (dtype, value) in values.items():
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            variable = tf.compat.v1.get_variable(key, initializer=tf.constant(value, dtype), use_resource=False)
            session.run(variable.initializer)
            try:
                tf.compat.v1.train.Saver([variable], write_version=1).save(
                    session, out + "/probe", write_meta_graph=False)
                saved[key] = (dtype, value)
            except Exception as error:
                print("left out:", key, str(error).splitlines()[0])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variables = [tf.compat.v1.get_variable(k, initializer=tf.constant(v, d), use_resource=False) for k, (d, v) in saved.items()]
        session.run(tf.compat.v1.global_variables_initializer())
        tf.compat.v1.train.Saver(variables, write_version=1, save_relative_paths=True).save(
            session, name, write_meta_graph=False, latest_filename="checkpoint_" + name)
        for (key, (dtype, _)), variable in zip(saved.items(), variables):
            record(name, key, tf.as_dtype(dtype).name, session.run(variable))
    for leftover in ("probe", "checkpoint"):
        if os.path.exists(leftover):
            os.remove(leftover)


random = np.random.RandomState(5)
numbers = random.randn(3, 5) * 100
v1("v1_dtypes", {
    **{name: (name, numbers if tf.as_dtype(name).is_floating or tf.as_dtype(name).is_complex else
              np.abs(numbers).astype(np.int64) if tf.as_dtype(name).is_unsigned else numbers.astype(np.int64))
       for name in ("float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64",
                    "uint8", "uint16", "uint32", "uint64", "complex64", "complex128")},
    "bool": ("bool", numbers > 0),
    "strings": ("string", np.array([b"", b"abc", b"\x00\xff", b"y" * 200], object)),
    "scalar": ("float32", np.float32(2.5)),
    "empty": ("float32", np.zeros((0, 4), np.float32)),
    "extremes": ("int64", np.array([-2**63, -1, 0, 2**63 - 1], np.int64)),
    "specials": ("float32", np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45], np.float32)),
})
model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(2,), name="first"), tf.keras.layers.Dense(1, name="second")])
optimizer = tf.keras.optimizers.legacy.Adam(0.01)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(model(tf.constant([[1.0, 2.0]])) ** 2)
optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
tf.train.Checkpoint(model=model, optimizer=optimizer).save("keras")
for variable in model.variables:
    record("keras-1", variable.name[:-2], variable.dtype.name, variable.numpy())
for variable in model.variables:
    for slot in ("m", "v"):
        record("keras-1", f"Adam/{variable.name[:-2]}/{slot}", "float32", optimizer.get_slot(variable, slot).numpy())
os.remove("checkpoint")
with open("expect.json", "w") as file:
    json.dump(expect, file, indent=0)
print({name: len(tensors) for name, tensors in expect.items()})
