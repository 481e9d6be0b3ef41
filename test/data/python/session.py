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

with tf.Graph().as_default() as empty:
    tf.constant(1.0)
for graph, words in [(empty, "train_op="), (graph, "")]:
    try:
        ingot.export(graph, path="none.meta")
        assert not words
    except ingot.ExportError as error:
        assert words and words in str(error), error
print("passed")
