# SPDX-License-Identifier: Apache-2.0
"""A graph of TF1 style with placeholders, fed by flags."""
import json

import ingot
import numpy as np
import tensorflow.compat.v1 as tf
from common import close, examples

x, y = examples(32)
with tf.Graph().as_default() as graph:
    features = tf.placeholder(tf.float32, [None, 6], name="features")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    w = tf.get_variable("w", [6, 4], initializer=tf.constant_initializer(0.1))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=features @ w))
    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, tf.train.get_or_create_global_step())

ingot.export(graph, path="train.meta", train_op=train_op, loss=loss)
np.save("x.npy", x)
np.save("y.npy", y)
trainer = ingot.compile("train.meta")
trainer.fit(max_steps=20, model_dir="run", losses="losses.jsonl", verbose=False,
            flags=["--feed", "features:0=@x.npy", "--feed", "labels:0=@y.npy"])  # fmt: skip
ours = [json.loads(line)["loss"] for line in open("losses.jsonl")]
with tf.Session(graph=graph) as session:
    session.run(tf.global_variables_initializer())
    theirs = [session.run([loss, train_op], {features: x, labels: y})[0] for _ in range(20)]
    close(ours, theirs, 1e-5)
    close(trainer.checkpoint()["w"], session.run(w), 1e-5)

# Batches of arrays, and a learning rate that has a default, from a value, by steps, from a function.
with tf.Graph().as_default() as graph:
    features = tf.placeholder(tf.float32, [None, 6], name="features")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    rate = tf.placeholder_with_default(0.1, [], name="rate")
    trains = tf.placeholder_with_default(False, [], name="trains")
    w = tf.get_variable("w", [6, 4], initializer=tf.constant_initializer(0.1))
    h = tf.cond(trains, lambda: tf.tanh(features), lambda: features)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h @ w))
    train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, tf.train.get_or_create_global_step())
trainer = ingot.compile(graph, output="fed", train_op=train_op, loss=loss)
decays = lambda step: 0.3 * 0.8 ** (step // 5)
for index, (feed, given) in enumerate([
        ({}, lambda step: {}), ({"rate": 0.02, "trains": True}, lambda step: {rate: 0.02, trains: True}),
        ({"rate": decays}, lambda step: {rate: decays(step)}), ({"rate:0": {7: 0.5}}, lambda step: {rate: 0.5} if step >= 7 else {})]):  # fmt: skip
    trainer.fit(feed={"features": x, "labels": y, **feed}, batch_size=8, max_steps=20, model_dir=f"fed{index}",
                losses="fed.jsonl", verbose=False)  # fmt: skip
    ours = [json.loads(line)["loss"] for line in open("fed.jsonl")]
    with tf.Session(graph=graph) as session:
        session.run(tf.global_variables_initializer())
        parts = [slice(step % 4 * 8, step % 4 * 8 + 8) for step in range(20)]
        theirs = [session.run([loss, train_op], {features: x[part], labels: y[part], **given(step)})[0]
                  for step, part in enumerate(parts)]  # fmt: skip
    close(ours, theirs, 1e-5)
try:
    trainer.fit(feed={"rate": decays}, model_dir="none")
    raise AssertionError("until which step is unknown")
except ValueError as error:
    assert "max_steps" in str(error), error

with tf.Graph().as_default() as empty:
    tf.constant(1.0)
for graph, words in [(empty, "train_op="), (graph, "")]:
    try:
        ingot.export(graph, path="none.meta")
        assert not words
    except ingot.ExportError as error:
        assert words and words in str(error), error
print("passed")
