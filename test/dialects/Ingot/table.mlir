// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK: ingot.table @ids : !ingot.string to tensor<i64> {initialized_once}
ingot.table @ids : !ingot.string to tensor<i64> {initialized_once}
// CHECK: ingot.table @means : i64 to tensor<2xf32> {persistent}
ingot.table @means : i64 to tensor<2xf32> {persistent}

// CHECK-LABEL: @immutable
func.func @immutable(%keys: tensor<4x!ingot.string>, %values: tensor<4xi64>, %none: tensor<i64>, %file: tensor<!ingot.string>) {
  // CHECK: ingot.table_insert %{{.*}}, %{{.*}} {mode = "initialize", table = @ids}
  ingot.table_insert %keys, %values {table = @ids, mode = "initialize"} : (tensor<4x!ingot.string>, tensor<4xi64>) -> ()
  // CHECK: ingot.table_insert_file %{{.*}} {key_index = -2 : i64, key_type = !ingot.string, table = @ids, value_index = -1 : i64, value_type = i64}
  ingot.table_insert_file %file {table = @ids, key_index = -2 : i64, value_index = -1 : i64, key_type = !ingot.string, value_type = i64} : (tensor<!ingot.string>) -> ()
  // CHECK: ingot.table_find {{.*}} -> tensor<4xi64>
  %v = ingot.table_find %keys, %none {table = @ids, initialized_once = true} : (tensor<4x!ingot.string>, tensor<i64>) -> tensor<4xi64>
  // CHECK: ingot.table_size
  %n = ingot.table_size {table = @ids} : () -> tensor<i64>
  // CHECK: ingot.table_export {{.*}} -> (tensor<?x!ingot.string>, tensor<?xi64>)
  %k, %w = ingot.table_export {table = @ids, key_type = !ingot.string, value_type = i64} : () -> (tensor<?x!ingot.string>, tensor<?xi64>)
  return
}

// CHECK-LABEL: @mutable
func.func @mutable(%keys: tensor<?xi64>, %values: tensor<?x2xf32>, %none: tensor<2xf32>) {
  // CHECK: ingot.table_find {{.*}} -> tensor<?x2xf32>
  %v = ingot.table_find %keys, %none {table = @means, value_shape = array<i64: 2>} : (tensor<?xi64>, tensor<2xf32>) -> tensor<?x2xf32>
  // A default value for each key.
  %w = ingot.table_find %keys, %values {table = @means, value_shape = array<i64: 2>} : (tensor<?xi64>, tensor<?x2xf32>) -> tensor<?x2xf32>
  ingot.table_insert %keys, %values {table = @means, mode = "insert", value_shape = array<i64: 2>} : (tensor<?xi64>, tensor<?x2xf32>) -> ()
  // CHECK: ingot.table_remove %{{.*}} {table = @means}
  ingot.table_remove %keys {table = @means} : (tensor<?xi64>) -> ()
  // CHECK: ingot.table_export {{.*}} -> (tensor<?xi64>, tensor<?x2xf32>)
  %k, %all = ingot.table_export {table = @means, key_type = i64, value_type = f32, value_shape = array<i64: 2>} : () -> (tensor<?xi64>, tensor<?x2xf32>)
  return
}
