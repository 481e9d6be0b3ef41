# SPDX-License-Identifier: Apache-2.0
"""Makes this folder with TensorFlow 2.15: a graph with streaming metrics and a
prediction, a checkpoint after 30 steps, and what TensorFlow computes from it.

  python make.py
"""
import json
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"]="3"
import numpy as np, tensorflow.compat.v1 as tf
tf.disable_eager_execution()
rng = np.random.RandomState(3)
x = rng.randn(200, 4).astype(np.float32)
y = (x.sum(1) > 0).astype(np.int64)
with open("train.csv", "w") as f:
    for a, b in zip(x, y):
        f.write(",".join("%.9g" % v for v in a) + ",%d\n" % b)
def parse(line):
    cols = tf.io.decode_csv(line, [[0.0]] * 4 + [[0]])
    return tf.stack(cols[:4]), tf.cast(cols[4], tf.int64)
ds = tf.data.TextLineDataset(["train.csv"]).map(parse).shuffle(50, seed=7).repeat().batch(20, drop_remainder=True)
it = tf.data.make_initializable_iterator(ds)
feat, lab = it.get_next()
ev = tf.data.TextLineDataset(["train.csv"]).map(parse).batch(32)
eit = tf.data.make_initializable_iterator(ev)
efeat, elab = eit.get_next()
step = tf.train.get_or_create_global_step()
w = tf.get_variable("w", [4, 2], initializer=tf.random_normal_initializer(seed=5))
b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
loss = tf.losses.sparse_softmax_cross_entropy(lab, tf.matmul(feat, w) + b)
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, global_step=step)
tf.add_to_collection("train_op", train)
elogits = tf.matmul(efeat, w) + b
pred = tf.argmax(elogits, 1)
eloss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=elab, logits=elogits)
acc = tf.metrics.accuracy(elab, pred, name="accuracy")
mean = tf.metrics.mean(eloss, name="mean_loss")
auc = tf.metrics.auc(elab, tf.nn.softmax(elogits)[:, 1], name="auc", num_thresholds=50)
prec = tf.metrics.precision(elab, pred, name="precision")
rmse = tf.metrics.root_mean_squared_error(tf.cast(elab, tf.float32), tf.nn.softmax(elogits)[:, 1], name="rmse")
inp = tf.placeholder(tf.float32, [None, 4], name="features")
probs = tf.nn.softmax(tf.matmul(inp, w) + b, name="probs")
saver = tf.train.Saver()
tf.add_to_collection(tf.GraphKeys.INIT_OP, tf.global_variables_initializer().name)
METRICS = {"accuracy": acc, "mean_loss": mean, "auc": auc, "precision": prec, "rmse": rmse}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(it.initializer)
    for i in range(30):
        sess.run(train)
    saver.save(sess, "model.ckpt", global_step=step, write_meta_graph=False)
    tf.train.export_meta_graph("train.meta", saver_def=saver.as_saver_def())
    sess.run(tf.local_variables_initializer())
    sess.run(eit.initializer)
    while True:
        try:
            sess.run([metric[1] for metric in METRICS.values()])
        except tf.errors.OutOfRangeError:
            break
    expect = {
        "metrics": {k: float(v) for k, v in sess.run({k: m[0] for k, m in METRICS.items()}).items()},
        "features": x[:5].tolist(),
        "probs": sess.run(probs, {inp: x[:5]}).tolist(),
    }
    with open("expect.json", "w") as f:
        json.dump(expect, f, indent=1)
os.remove("checkpoint")
