// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @tables
func.func @tables(%keys: tensor<4x!ingot.string>, %ids: tensor<4xi64>, %none: tensor<i64>, %file: tensor<!ingot.string>) {
  // CHECK: ingot.table_insert %{{.*}}, %{{.*}} {mode = "initialize", table = "t"}
  ingot.table_insert %keys, %ids {table = "t", mode = "initialize"} : (tensor<4x!ingot.string>, tensor<4xi64>) -> ()
  // CHECK: ingot.table_insert_file %{{.*}} {key_index = -2 : i64, key_type = !ingot.string, table = "f", value_index = -1 : i64, value_type = i64}
  ingot.table_insert_file %file {table = "f", key_index = -2 : i64, value_index = -1 : i64, key_type = !ingot.string, value_type = i64} : (tensor<!ingot.string>) -> ()
  // CHECK: ingot.table_find {{.*}} -> tensor<4xi64>
  %v = ingot.table_find %keys, %none {table = "t", initialized_once = true} : (tensor<4x!ingot.string>, tensor<i64>) -> tensor<4xi64>
  // CHECK: ingot.table_size
  %n = ingot.table_size {table = "t"} : () -> tensor<i64>
  // CHECK: ingot.table_export {{.*}} -> (tensor<?x!ingot.string>, tensor<?xi64>)
  %k, %w = ingot.table_export {table = "t", key_type = !ingot.string, value_type = i64} : () -> (tensor<?x!ingot.string>, tensor<?xi64>)
  return
}
