// SPDX-License-Identifier: Apache-2.0
// Queues are written and read again.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

func.func private @names() -> tensor<3x!ingot.string> {
  %0 = ingot.constant dense<["a", "b", "c"]> : tensor<3x!ingot.string>
  return %0 : tensor<3x!ingot.string>
}
func.func private @read(%key: tensor<!ingot.string>, %record: tensor<!ingot.string>) -> tensor<!ingot.string> {
  return %record : tensor<!ingot.string>
}
func.func private @pairs(%x: tensor<2x!ingot.string>) -> (tensor<i1>, tensor<2x!ingot.string>) {
  %yes = ingot.constant dense<true> : tensor<i1>
  return %yes, %x : tensor<i1>, tensor<2x!ingot.string>
}

// CHECK-LABEL: ingot.iterator @queues : [tensor<i64>]
ingot.iterator @queues : [tensor<i64>] {
  // CHECK: ingot.queue_runner_dataset() {function = @names, many = true}
  %0 = ingot.queue_runner_dataset() {function = @names, many = true} : () -> !ingot.dataset<tensor<!ingot.string>>
  // CHECK: ingot.queue_dataset(%0) {capacity = 32 : i64, kind = "FIFOQueue"}
  %1 = ingot.queue_dataset(%0) {kind = "FIFOQueue", capacity = 32 : i64} : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>>
  // CHECK: ingot.reader_dataset(%1) {kind = "TFRecordReader"}
  %2 = ingot.reader_dataset(%1) {kind = "TFRecordReader"} : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>, tensor<!ingot.string>>
  %3 = ingot.queue_runner_dataset(%2) {function = @read} : (!ingot.dataset<tensor<!ingot.string>, tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>>
  %4 = ingot.queue_dataset(%3) {kind = "RandomShuffleQueue", capacity = 8 : i64, min_after_dequeue = 4 : i64, seed = 1 : i64, seed2 = 2 : i64} : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>>
  // CHECK: ingot.queue_batch_dataset(%4) {count = 2 : i64}
  %5 = ingot.queue_batch_dataset(%4) {count = 2 : i64} : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<2x!ingot.string>>
  // CHECK: ingot.queue_runner_dataset(%5) {function = @pairs, gated = true, group = 1 : i64}
  %6 = ingot.queue_runner_dataset(%5) {function = @pairs, gated = true, group = 1 : i64} : (!ingot.dataset<tensor<2x!ingot.string>>) -> !ingot.dataset<tensor<2x!ingot.string>>
  %7 = ingot.queue_dataset(%6) {kind = "FIFOQueue", capacity = -1 : i64} : (!ingot.dataset<tensor<2x!ingot.string>>) -> !ingot.dataset<tensor<2x!ingot.string>>
  // CHECK: ingot.queues_dataset(%7, %2)
  %8 = ingot.queues_dataset(%7, %2) : (!ingot.dataset<tensor<2x!ingot.string>>, !ingot.dataset<tensor<!ingot.string>, tensor<!ingot.string>>) -> !ingot.dataset<tensor<i64>>
  ingot.yield %8 : !ingot.dataset<tensor<i64>>
}

// CHECK-LABEL: func.func @uses
func.func @uses(%n: tensor<i32>, %x: tensor<2x!ingot.string>) {
  // CHECK: ingot.queue_dequeue @queues[0] : tensor<2x!ingot.string>
  %0 = ingot.queue_dequeue @queues[0] : tensor<2x!ingot.string>
  // CHECK: ingot.queue_dequeue @queues[0] many(%arg0 : tensor<i32>) {up_to = true} : tensor<?x2x!ingot.string>
  %1 = ingot.queue_dequeue @queues[0] many(%n : tensor<i32>) {up_to = true} : tensor<?x2x!ingot.string>
  // CHECK: ingot.queue_dequeue @queues[1] : tensor<!ingot.string>, tensor<!ingot.string>
  %2, %3 = ingot.queue_dequeue @queues[1] : tensor<!ingot.string>, tensor<!ingot.string>
  // CHECK: ingot.queue_enqueue @queues[0] (%arg1 : tensor<2x!ingot.string>)
  ingot.queue_enqueue @queues[0](%x : tensor<2x!ingot.string>)
  // CHECK: ingot.queue_size @queues[0] : tensor<i32>
  %4 = ingot.queue_size @queues[0] : tensor<i32>
  // CHECK: ingot.queue_is_closed @queues[0] : tensor<i1>
  %5 = ingot.queue_is_closed @queues[0] : tensor<i1>
  // CHECK: ingot.queue_close @queues[0]
  ingot.queue_close @queues[0]
  return
}
