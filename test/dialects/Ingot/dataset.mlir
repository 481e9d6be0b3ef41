// SPDX-License-Identifier: Apache-2.0
// Datasets read back as they were written.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

func.func private @isOdd(tensor<i64>) -> tensor<i1>

// CHECK-LABEL: @files
func.func @files(%files: tensor<2x!ingot.string>, %none: tensor<!ingot.string>, %n: tensor<i64>) {
  // CHECK: ingot.text_line_dataset(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x!ingot.string>, tensor<!ingot.string>, tensor<i64>) -> !ingot.dataset<tensor<!ingot.string>>
  %0 = ingot.text_line_dataset(%files, %none, %n) : (tensor<2x!ingot.string>, tensor<!ingot.string>, tensor<i64>) -> !ingot.dataset<tensor<!ingot.string>>
  // CHECK: ingot.tf_record_dataset_v2(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
  %offsets = ingot.constant dense<[0, 16]> : tensor<2xi64>
  %5 = ingot.tf_record_dataset_v2(%files, %none, %n, %offsets) : (tensor<2x!ingot.string>, tensor<!ingot.string>, tensor<i64>, tensor<2xi64>) -> !ingot.dataset<tensor<!ingot.string>>
  // CHECK: ingot.fixed_length_record_dataset
  %1 = ingot.fixed_length_record_dataset(%files, %n, %n, %n, %n, %none) : (tensor<2x!ingot.string>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<!ingot.string>) -> !ingot.dataset<tensor<!ingot.string>>
  // CHECK: ingot.concatenate_dataset
  %2 = ingot.concatenate_dataset(%0, %1) : (!ingot.dataset<tensor<!ingot.string>>, !ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>>
  // CHECK: ingot.interleave_dataset(%{{.*}}, %{{.*}}, %{{.*}}) : {{.*}} {
  %3 = ingot.interleave_dataset(%2, %n, %n) : (!ingot.dataset<tensor<!ingot.string>>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<!ingot.string>> {
  ^bb0(%file: tensor<!ingot.string>):
    %4 = ingot.text_line_dataset(%file, %none, %n) : (tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>) -> !ingot.dataset<tensor<!ingot.string>>
    ingot.yield %4 : !ingot.dataset<tensor<!ingot.string>>
  }
  return
}

// CHECK-LABEL: @parts
func.func @parts(%n: tensor<i64>, %none: tensor<!ingot.string>, %drop: tensor<i1>, %shape: tensor<1xi64>) {
  %0 = ingot.range_dataset(%n, %n, %n) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // CHECK: ingot.filter_dataset(%{{.*}}) @isOdd : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.filter_dataset(%0) @isOdd : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  // CHECK: ingot.shard_dataset(%{{.*}}, %{{.*}}, %{{.*}})
  %2 = ingot.shard_dataset(%1, %n, %n) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // CHECK: ingot.cache_dataset(%{{.*}}, %{{.*}})
  %3 = ingot.cache_dataset(%2, %none) : (!ingot.dataset<tensor<i64>>, tensor<!ingot.string>) -> !ingot.dataset<tensor<i64>>
  // CHECK: ingot.zip_dataset(%{{.*}}, %{{.*}}) : {{.*}} -> !ingot.dataset<tensor<i64>, tensor<i64>>
  %4 = ingot.zip_dataset(%3, %0) : (!ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>, tensor<i64>>
  %5 = ingot.batch_dataset(%3, %n, %drop) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?xi64>>
  // CHECK: ingot.padded_batch_dataset(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : {{.*}} -> !ingot.dataset<tensor<?x?xi64>>
  %6 = ingot.padded_batch_dataset(%5, %shape, %n, %n, %drop) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (!ingot.dataset<tensor<?xi64>>, tensor<1xi64>, tensor<i64>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x?xi64>>
  // CHECK: ingot.unbatch_dataset(%{{.*}}) : (!ingot.dataset<tensor<?x?xi64>>) -> !ingot.dataset<tensor<?xi64>>
  %7 = ingot.unbatch_dataset(%6) : (!ingot.dataset<tensor<?x?xi64>>) -> !ingot.dataset<tensor<?xi64>>
  return
}

func.func private @sum(tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)

// CHECK-LABEL: @windows
func.func @windows(%n: tensor<i64>, %drop: tensor<i1>) {
  %0 = ingot.range_dataset(%n, %n, %n) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // CHECK: ingot.window_dataset(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : {{.*}} -> !ingot.dataset<!ingot.dataset<tensor<i64>>>
  %1 = ingot.window_dataset(%0, %n, %n, %n, %drop) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i1>) -> !ingot.dataset<!ingot.dataset<tensor<i64>>>
  // CHECK: ingot.flat_map_dataset
  // CHECK-NEXT: ^bb0(%{{.*}}: !ingot.dataset<tensor<i64>>):
  %2 = ingot.flat_map_dataset(%1) : (!ingot.dataset<!ingot.dataset<tensor<i64>>>) -> !ingot.dataset<tensor<?xi64>> {
  ^bb0(%window: !ingot.dataset<tensor<i64>>):
    %3 = ingot.batch_dataset(%window, %n, %drop) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?xi64>>
    ingot.yield %3 : !ingot.dataset<tensor<?xi64>>
  }
  return
}

// CHECK-LABEL: @states_and_choices
func.func @states_and_choices(%n: tensor<i64>, %sizes: tensor<2xi64>, %drop: tensor<i1>) {
  // CHECK: ingot.random_dataset(%{{.*}}, %{{.*}}) {rerandomize_each_iteration = true}
  %0 = ingot.random_dataset(%n, %n) {rerandomize_each_iteration = true} : (tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // CHECK: ingot.scan_dataset(%{{.*}}, %{{.*}}) @sum : (!ingot.dataset<tensor<i64>>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.scan_dataset(%0, %n) @sum : (!ingot.dataset<tensor<i64>>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // CHECK: ingot.take_while_dataset(%{{.*}}) @isOdd
  %2 = ingot.take_while_dataset(%1) @isOdd : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  // CHECK: ingot.directed_interleave_dataset(%{{.*}}, %{{.*}}, %{{.*}}) {stop_on_empty_dataset = true}
  %3 = ingot.directed_interleave_dataset(%0, %1, %2) {stop_on_empty_dataset = true} : (!ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  %4 = ingot.batch_dataset(%3, %n, %drop) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?xi64>>
  // CHECK: ingot.rebatch_dataset(%{{.*}}, %{{.*}}, %{{.*}})
  %5 = ingot.rebatch_dataset(%4, %sizes, %drop) : (!ingot.dataset<tensor<?xi64>>, tensor<2xi64>, tensor<i1>) -> !ingot.dataset<tensor<?xi64>>
  return
}

// CHECK-LABEL: @further
func.func @further(%files: tensor<2x!ingot.string>, %text: tensor<!ingot.string>, %n: tensor<i64>, %yes: tensor<i1>, %x: tensor<1xf32>) {
  %none = ingot.constant dense<> : tensor<0xi64>
  // CHECK: ingot.csv_dataset(%{{.*}}) : (tensor<1xf32>, {{.*}}) -> !ingot.dataset<tensor<f32>>
  %0 = ingot.csv_dataset(%x, %files, %text, %n, %yes, %text, %yes, %text, %none, %none) : (tensor<1xf32>, tensor<2x!ingot.string>, tensor<!ingot.string>, tensor<i64>, tensor<i1>, tensor<!ingot.string>, tensor<i1>, tensor<!ingot.string>, tensor<0xi64>, tensor<0xi64>) -> !ingot.dataset<tensor<f32>>
  // CHECK: ingot.ignore_errors_dataset(%{{.*}}) {log_warning = true}
  %1 = ingot.ignore_errors_dataset(%0) {log_warning = true} : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<f32>>
  // CHECK: ingot.optional_dataset(%{{.*}}) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i1>, tensor<f32>>
  %2 = ingot.optional_dataset(%1) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i1>, tensor<f32>>
  // CHECK: ingot.matching_files_dataset(%{{.*}}) : (tensor<2x!ingot.string>)
  %3 = ingot.matching_files_dataset(%files) : (tensor<2x!ingot.string>) -> !ingot.dataset<tensor<!ingot.string>>
  // CHECK: ingot.unique_dataset(%{{.*}})
  %4 = ingot.unique_dataset(%3) : (!ingot.dataset<tensor<!ingot.string>>) -> !ingot.dataset<tensor<!ingot.string>>
  %5 = ingot.range_dataset(%n, %n, %n) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %6 = ingot.zip_dataset(%5, %5, %4, %5) : (!ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<!ingot.string>>, !ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>, tensor<i64>, tensor<!ingot.string>, tensor<i64>>
  // CHECK: ingot.group_dataset(%{{.*}}) {num_tensors = 1 : i64}
  %7 = ingot.group_dataset(%6) {num_tensors = 1 : i64} : (!ingot.dataset<tensor<i64>, tensor<i64>, tensor<!ingot.string>, tensor<i64>>) -> !ingot.dataset<!ingot.dataset<tensor<!ingot.string>>, tensor<i64>>
  return
}
