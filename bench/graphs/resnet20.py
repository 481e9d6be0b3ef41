#!/usr/bin/env python3
"""Writes resnet20.meta with TensorFlow 2.15: a ResNet-20 on 32x32 images, with batch normalization, trained by momentum.

Usage: resnet20.py FOLDER
"""
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow.compat.v1 as tf

BATCH, CLASSES, BLOCKS = 64, 10, 3


def convolution(images, filters, size, stride):
    return tf.layers.conv2d(
        images, filters, size, strides=stride, padding="same", use_bias=False,
        kernel_initializer=tf.variance_scaling_initializer(2.0),
    )  # fmt: skip


def normalized(images):
    return tf.layers.batch_normalization(images, momentum=0.9, training=True, fused=True)


def block(images, filters, stride):
    shortcut = images
    if stride != 1 or images.shape[-1] != filters:
        shortcut = normalized(convolution(images, filters, 1, stride))
    inside = tf.nn.relu(normalized(convolution(images, filters, 3, stride)))
    return tf.nn.relu(normalized(convolution(inside, filters, 3, 1)) + shortcut)


def logits_of(images):
    images = tf.nn.relu(normalized(convolution(images, 16, 3, 1)))
    for filters in (16, 32, 64):
        for number in range(BLOCKS):
            images = block(images, filters, 2 if filters != 16 and number == 0 else 1)
    return tf.layers.dense(tf.reduce_mean(images, [1, 2]), CLASSES)


def main():
    tf.disable_eager_execution()
    tf.set_random_seed(1)
    random = np.random.RandomState(0)
    images = random.rand(BATCH, 32, 32, 3).astype(np.float32)
    labels = random.randint(0, CLASSES, BATCH).astype(np.int32)
    iterator = tf.data.make_initializable_iterator(
        tf.data.Dataset.from_tensors((images, labels)).repeat()
    )
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    images, labels = iterator.get_next()
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits_of(images))
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
    tf.add_to_collection(tf.GraphKeys.TRAIN_OP, train)
    tf.add_to_collection("loss", loss)
    scaffold = tf.train.Scaffold(saver=tf.train.Saver(sharded=True))
    scaffold.finalize()
    scaffold.saver.export_meta_graph(str(pathlib.Path(sys.argv[1]) / "resnet20.meta"))


if __name__ == "__main__":
    main()
