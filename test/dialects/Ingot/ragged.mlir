// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @strings
func.func @strings(%s: tensor<5xi64>, %o: tensor<?xi64>, %v: tensor<6x3xf32>, %n: tensor<2xi32>) {
  // CHECK: ingot.serialize_ragged {{.*}} -> tensor<4x!ingot.string>
  %0 = ingot.serialize_ragged %s, %v : (tensor<5xi64>, tensor<6x3xf32>) -> tensor<4x!ingot.string>
  // CHECK: ingot.serialize_ragged {{.*}} {batched = true} {{.*}} -> tensor<4x3x!ingot.string>
  %1 = ingot.serialize_ragged %s, %v {batched = true} : (tensor<5xi64>, tensor<6x3xf32>) -> tensor<4x3x!ingot.string>
  // CHECK: ingot.serialize_ragged {{.*}} {batched = true} {{.*}} -> tensor<?x4x!ingot.string>
  %2 = ingot.serialize_ragged %o, %s, %v {batched = true} : (tensor<?xi64>, tensor<5xi64>, tensor<6x3xf32>) -> tensor<?x4x!ingot.string>
  // CHECK: ingot.serialize_ragged {{.*}} -> tensor<3x!ingot.string>
  %3 = ingot.serialize_ragged %v : (tensor<6x3xf32>) -> tensor<3x!ingot.string>
  // CHECK: ingot.deserialize_ragged {{.*}} -> (tensor<5xi64>, tensor<?x?xf32>)
  %s1, %v1 = ingot.deserialize_ragged %1 {output_ragged_rank = 1, element_type = f32, splits_type = i64} : (tensor<4x3x!ingot.string>) -> (tensor<5xi64>, tensor<?x?xf32>)
  // CHECK: ingot.deserialize_ragged {{.*}} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x?xf32>)
  %s2:2, %v2 = ingot.deserialize_ragged %2 {input_ragged_rank = 1, output_ragged_rank = 2, element_type = f32, splits_type = i32} : (tensor<?x4x!ingot.string>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?x?xf32>)
  // CHECK: ingot.deserialize_ragged {{.*}} -> tensor<?x?xf32>
  %v3 = ingot.deserialize_ragged %3 {output_ragged_rank = 0, element_type = f32, splits_type = i64} : (tensor<3x!ingot.string>) -> tensor<?x?xf32>
  // CHECK: ingot.deserialize_ragged_gradient {{.*}} -> tensor<?x?xf32>
  %d = ingot.deserialize_ragged_gradient %1, %s, %n {element_type = f32} : (tensor<4x3x!ingot.string>, tensor<5xi64>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: @rows
func.func @rows(%s: tensor<5xi64>, %o: tensor<3xi64>, %v: tensor<6x3xf32>, %u: tensor<*xf32>, %i: tensor<2xi32>, %j: tensor<i32>, %k: tensor<2x4xi64>) {
  // CHECK: ingot.ragged_gather {{.*}} -> (tensor<3xi64>, tensor<?x3xf32>)
  %s0, %y0 = ingot.ragged_gather %s, %v, %i {output_ragged_rank = 1} : (tensor<5xi64>, tensor<6x3xf32>, tensor<2xi32>) -> (tensor<3xi64>, tensor<?x3xf32>)
  // CHECK: ingot.ragged_gather {{.*}} -> tensor<*xf32>
  %y1 = ingot.ragged_gather %s, %u, %j {output_ragged_rank = 0} : (tensor<5xi64>, tensor<*xf32>, tensor<i32>) -> tensor<*xf32>
  // CHECK: ingot.ragged_gather {{.*}} -> (tensor<3xi64>, tensor<9xi64>, tensor<?xi64>, tensor<?x3xf32>)
  %s2:3, %y2 = ingot.ragged_gather %o, %s, %v, %k {output_ragged_rank = 3} : (tensor<3xi64>, tensor<5xi64>, tensor<6x3xf32>, tensor<2x4xi64>) -> (tensor<3xi64>, tensor<9xi64>, tensor<?xi64>, tensor<?x3xf32>)
  // CHECK: ingot.ragged_to_sparse {{.*}} -> (tensor<18x4xi64>, tensor<18xf32>, tensor<4xi64>)
  %a, %b, %c = ingot.ragged_to_sparse %o, %s, %v : (tensor<3xi64>, tensor<5xi64>, tensor<6x3xf32>) -> (tensor<18x4xi64>, tensor<18xf32>, tensor<4xi64>)
  return
}
