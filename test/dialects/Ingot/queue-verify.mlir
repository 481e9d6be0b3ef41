// SPDX-License-Identifier: Apache-2.0
// Constraints of queues.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (queue_dataset_c1)
func.func @kinds_of_queues() {
  // expected-error @+1 {{there is no queue of kind 'Heap': expected FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue, PriorityQueue or StagingArea}}
  %0 = ingot.queue_dataset() {kind = "Heap", capacity = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (queue_dataset_c2)
func.func @capacities() {
  // expected-error @+1 {{the capacity must be positive, or -1 for no limit, but is 0}}
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 0 : i64} : () -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (queue_dataset_c3)
func.func @what_stays() {
  // expected-error @+1 {{min_after_dequeue must be less than the capacity, 4, but is 4}}
  %0 = ingot.queue_dataset() {kind = "RandomShuffleQueue", capacity = 4 : i64, min_after_dequeue = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (queue_dataset_c4)
func.func @filled_by_runners() {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  // expected-error @+1 {{each operand must be an ingot.queue_runner_dataset}}
  %1 = ingot.queue_dataset(%0) {kind = "FIFOQueue", capacity = 4 : i64} : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (queue_dataset_c5)
func.func @priorities() {
  // expected-error @+1 {{the first component of a PriorityQueue must be an i64 scalar}}
  %0 = ingot.queue_dataset() {kind = "PriorityQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (queue_batch_dataset_c1)
func.func @batches_have_elements() {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  // expected-error @+1 {{count must be positive, but is 0}}
  %1 = ingot.queue_batch_dataset(%0) {count = 0 : i64} : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<?xf32>>
  return
}

// -----

// (queue_batch_dataset_c2)
func.func @batches_of_elements() {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  // expected-error @+1 {{the result's elements are ('tensor<4xf32>'), but batches of the queue's elements are ('tensor<3xf32>')}}
  %1 = ingot.queue_batch_dataset(%0) {count = 3 : i64} : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<4xf32>>
  return
}

// -----

// (queue_batch_dataset_c2)
func.func @batches_of_records() {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<!ingot.string>>
  %1 = ingot.reader_dataset(%0) {kind = "TFRecordReader"} : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>, tensor<!ingot.string>>
  // expected-error @+1 {{requires 'up_to', because the file of the ingot.reader_dataset may have fewer than 3 records}}
  %2 = ingot.queue_batch_dataset(%1) {count = 3 : i64} : (!ingot.dataset<tensor<!ingot.string>, tensor<!ingot.string>>) -> !ingot.dataset<tensor<3x!ingot.string>, tensor<3x!ingot.string>>
  return
}

// -----

// (reader_dataset_c1)
func.func @kinds_of_readers() {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<!ingot.string>>
  // expected-error @+1 {{there is no reader of kind 'LMDBReader': expected TFRecordReader, TextLineReader, FixedLengthRecordReader, WholeFileReader or IdentityReader}}
  %1 = ingot.reader_dataset(%0) {kind = "LMDBReader"} : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>, tensor<!ingot.string>>
  return
}

// -----

// (reader_dataset_c2)
func.func @names_are_strings() {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  // expected-error @+1 {{must read file names from a queue whose elements are one string scalar}}
  %1 = ingot.reader_dataset(%0) {kind = "TFRecordReader"} : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<!ingot.string>, tensor<!ingot.string>>
  return
}

// -----

// (reader_dataset_c3)
func.func @keys_and_records() {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<!ingot.string>>
  // expected-error @+1 {{an element must be two string scalars}}
  %1 = ingot.reader_dataset(%0) {kind = "TFRecordReader"} : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>>
  return
}

// -----

// (reader_dataset_c4)
func.func @records_have_bytes() {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<!ingot.string>>
  // expected-error @+1 {{'record_bytes' must be positive for a FixedLengthRecordReader, but is 0}}
  %1 = ingot.reader_dataset(%0) {kind = "FixedLengthRecordReader"} : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>, tensor<!ingot.string>>
  return
}

// -----

// (reader_dataset_c5)
func.func @compressions() {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<!ingot.string>>
  // expected-error @+1 {{compression 'XZ' is not supported}}
  %1 = ingot.reader_dataset(%0) {kind = "TFRecordReader", compression = "XZ"} : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>, tensor<!ingot.string>>
  return
}

// -----

// (queue_runner_c1)
func.func private @takes_a_number(%x: tensor<i64>) -> tensor<i64> {
  return %x : tensor<i64>
}
func.func @sources() {
  // expected-error @+1 {{@takes_a_number takes ('tensor<i64>'), but the sources yield ()}}
  %0 = ingot.queue_runner_dataset() {function = @takes_a_number} : () -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (queue_runner_c2)
func.func private @number() -> tensor<i64> {
  %0 = ingot.constant dense<1> : tensor<i64>
  return %0 : tensor<i64>
}
func.func @enqueued() {
  // expected-error @+1 {{@number returns ('tensor<i64>'), expected ('tensor<f32>')}}
  %0 = ingot.queue_runner_dataset() {function = @number} : () -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (queues_dataset_c1)
func.func @nodes() {
  %n = ingot.constant dense<1> : tensor<i64>
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // expected-error @+1 {{each operand must be a queue or a reader}}
  %1 = ingot.queues_dataset(%0) : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (queues_dataset_c2)
func.func @no_elements() {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  // expected-error @+1 {{the result's elements must be ('tensor<i64>'), but are ('tensor<f32>')}}
  %1 = ingot.queues_dataset(%0) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (queue_c1)
ingot.iterator @queues : [tensor<i64>] {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  %1 = ingot.queues_dataset(%0) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %1 : !ingot.dataset<tensor<i64>>
}
func.func @node_exists() {
  // expected-error @+1 {{uses node 1 of @queues, which has only 1 queues and readers, numbered from 0}}
  %0 = ingot.queue_size @queues[1] : tensor<i32>
  return
}

// -----

// (queue_dequeue_c1)
ingot.iterator @queues : [tensor<i64>] {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  %1 = ingot.queues_dataset(%0) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %1 : !ingot.dataset<tensor<i64>>
}
func.func @dequeued() {
  // expected-error @+1 {{the results are ('tensor<i64>'), but the queue or reader yields ('tensor<f32>')}}
  %0 = ingot.queue_dequeue @queues[0] : tensor<i64>
  return
}

// -----

// (queue_dequeue_c2)
ingot.iterator @queues : [tensor<i64>] {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  %1 = ingot.queues_dataset(%0) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %1 : !ingot.dataset<tensor<i64>>
}
func.func @counted(%n: tensor<2xi32>) {
  // expected-error @+1 {{a count must be a scalar of i32 or i64}}
  %0 = ingot.queue_dequeue @queues[0] many(%n : tensor<2xi32>) : tensor<?xf32>
  return
}

// -----

// (queue_enqueue_c1)
ingot.iterator @queues : [tensor<i64>] {
  %0 = ingot.queue_dataset() {kind = "FIFOQueue", capacity = 4 : i64} : () -> !ingot.dataset<tensor<f32>>
  %1 = ingot.queues_dataset(%0) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %1 : !ingot.dataset<tensor<i64>>
}
func.func @enqueued(%x: tensor<i64>) {
  // expected-error @+1 {{enqueues ('tensor<i64>'), but the queue takes ('tensor<f32>')}}
  ingot.queue_enqueue @queues[0](%x : tensor<i64>)
  return
}
