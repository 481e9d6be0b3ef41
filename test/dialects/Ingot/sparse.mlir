// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @sparse
func.func @sparse(%i: tensor<?x2xi64>, %v: tensor<5xf32>, %s: tensor<2xi64>, %d: tensor<f32>) {
  // CHECK: ingot.sparse_reorder {{.*}} -> (tensor<5x2xi64>, tensor<5xf32>)
  %i0, %v0 = ingot.sparse_reorder %i, %v, %s : (tensor<?x2xi64>, tensor<5xf32>, tensor<2xi64>) -> (tensor<5x2xi64>, tensor<5xf32>)
  // CHECK: ingot.sparse_to_dense {{.*}} -> tensor<?x?xf32>
  %t = ingot.sparse_to_dense %i, %s, %v, %d : (tensor<?x2xi64>, tensor<2xi64>, tensor<5xf32>, tensor<f32>) -> tensor<?x?xf32>
  %shape = ingot.constant dense<[3, 4]> : tensor<2xi64>
  // CHECK: ingot.sparse_to_dense {{.*}} {validate_indices = false} {{.*}} -> tensor<3x4xf32>
  %u = ingot.sparse_to_dense %i, %shape, %v, %d {validate_indices = false} : (tensor<?x2xi64>, tensor<2xi64>, tensor<5xf32>, tensor<f32>) -> tensor<3x4xf32>
  %new = ingot.constant dense<[2, -1, 3]> : tensor<3xi64>
  // CHECK: ingot.sparse_reshape {{.*}} -> (tensor<?x3xi64>, tensor<3xi64>)
  %i1, %s1 = ingot.sparse_reshape %i, %s, %new : (tensor<?x2xi64>, tensor<2xi64>, tensor<3xi64>) -> (tensor<?x3xi64>, tensor<3xi64>)
  // CHECK: ingot.sparse_fill_empty_rows {{.*}} -> (tensor<?x2xi64>, tensor<?xf32>, tensor<?xi1>, tensor<5xi64>)
  %i2, %v2, %e, %p = ingot.sparse_fill_empty_rows %i, %v, %s, %d : (tensor<?x2xi64>, tensor<5xf32>, tensor<2xi64>, tensor<f32>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<?xi1>, tensor<5xi64>)
  // CHECK: ingot.sparse_fill_empty_rows {{.*}} -> (tensor<?x2xi64>, tensor<?xf32>, tensor<3xi1>, tensor<5xi64>)
  %i3, %v3, %e3, %p3 = ingot.sparse_fill_empty_rows %i, %v, %shape, %d : (tensor<?x2xi64>, tensor<5xf32>, tensor<2xi64>, tensor<f32>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<3xi1>, tensor<5xi64>)
  // CHECK: ingot.sparse_fill_empty_rows_grad {{.*}} -> (tensor<5xf32>, tensor<f32>)
  %g, %r = ingot.sparse_fill_empty_rows_grad %p, %v2 : (tensor<5xi64>, tensor<?xf32>) -> (tensor<5xf32>, tensor<f32>)
  // CHECK: ingot.sparse_slice {{.*}} -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
  %i4, %v4, %s4 = ingot.sparse_slice %i, %v, %s, %s, %s : (tensor<?x2xi64>, tensor<5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
  // CHECK: ingot.serialize_sparse {{.*}} -> tensor<4x!ingot.string>
  %t1 = ingot.serialize_sparse %i, %v, %s : (tensor<?x2xi64>, tensor<5xf32>, tensor<2xi64>) -> tensor<4x!ingot.string>
  // CHECK: ingot.serialize_sparse {{.*}} {by_rows = true} {{.*}} -> tensor<3x3x!ingot.string>
  %t2 = ingot.serialize_sparse %i, %v, %shape {by_rows = true} : (tensor<?x2xi64>, tensor<5xf32>, tensor<2xi64>) -> tensor<3x3x!ingot.string>
  // CHECK: ingot.deserialize_sparse {{.*}} {dtype = f32} {{.*}} -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
  %i5, %v5, %s5 = ingot.deserialize_sparse %t2 {dtype = f32} : (tensor<3x3x!ingot.string>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>)
  return
}

// CHECK-LABEL: @ragged_to_tensor
func.func @ragged_to_tensor(%s: tensor<2xi64>, %v: tensor<?xf32>, %z: tensor<f32>, %n: tensor<i64>, %i: tensor<?xi64>, %w: tensor<?x4xf32>) {
  // CHECK: ingot.ragged_to_tensor {{.*}} {types = ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]} {{.*}} -> tensor<?x?xf32>
  %0 = ingot.ragged_to_tensor %s, %v, %z, %n, %i {types = ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]} : (tensor<2xi64>, tensor<?xf32>, tensor<f32>, tensor<i64>, tensor<?xi64>) -> tensor<?x?xf32>
  %any = ingot.constant dense<-1> : tensor<i64>
  // CHECK: ingot.ragged_to_tensor {{.*}} {types = ["ROW_SPLITS"]} {{.*}} -> tensor<?x?x4xf32>
  %1 = ingot.ragged_to_tensor %any, %w, %z, %i {types = ["ROW_SPLITS"]} : (tensor<i64>, tensor<?x4xf32>, tensor<f32>, tensor<?xi64>) -> tensor<?x?x4xf32>
  %six = ingot.constant dense<[-1, 6]> : tensor<2xi64>
  // CHECK: ingot.ragged_to_tensor {{.*}} -> tensor<?x6xf32>
  %2 = ingot.ragged_to_tensor %six, %v, %z, %i {types = ["ROW_SPLITS"]} : (tensor<2xi64>, tensor<?xf32>, tensor<f32>, tensor<?xi64>) -> tensor<?x6xf32>
  return
}

// CHECK-LABEL: @ctc
func.func @ctc(%x: tensor<20x8x30xf32>, %i: tensor<?x2xi64>, %v: tensor<?xi32>, %n: tensor<8xi32>) {
  // CHECK: ingot.ctc_loss {{.*}} {ignore_longer_outputs_than_inputs = true} : {{.*}} -> (tensor<8xf32>, tensor<20x8x30xf32>)
  %0, %1 = ingot.ctc_loss %x, %i, %v, %n {ignore_longer_outputs_than_inputs = true} : (tensor<20x8x30xf32>, tensor<?x2xi64>, tensor<?xi32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<20x8x30xf32>)
  // CHECK: ingot.ctc_greedy_decoder {{.*}} {merge_repeated = true} : {{.*}} -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>, tensor<8x1xf32>)
  %2, %3, %4, %5 = ingot.ctc_greedy_decoder %x, %n {merge_repeated = true} : (tensor<20x8x30xf32>, tensor<8xi32>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>, tensor<8x1xf32>)
  return
}

// CHECK-LABEL: @sparse_arithmetic
func.func @sparse_arithmetic(%i: tensor<?x3xi64>, %v: tensor<5xf32>, %s: tensor<3xi64>, %j: tensor<4x3xi64>, %w: tensor<4xf32>, %t: tensor<f32>, %any: tensor<?xi32>) {
  %axes = ingot.constant dense<[0, -1]> : tensor<2xi32>
  // CHECK: ingot.sparse_reduce {{.*}} {reduction = "max"} {{.*}} -> (tensor<?x1xi64>, tensor<?xf32>, tensor<1xi64>)
  %ri, %rv, %rs = ingot.sparse_reduce %i, %v, %s, %axes {reduction = "max"} : (tensor<?x3xi64>, tensor<5xf32>, tensor<3xi64>, tensor<2xi32>) -> (tensor<?x1xi64>, tensor<?xf32>, tensor<1xi64>)
  // CHECK: ingot.sparse_reduce {{.*}} {keep_dims = true, reduction = "sum"} {{.*}} -> (tensor<?x3xi64>, tensor<?xf32>, tensor<3xi64>)
  %ki, %kv, %ks = ingot.sparse_reduce %i, %v, %s, %any {reduction = "sum", keep_dims = true} : (tensor<?x3xi64>, tensor<5xf32>, tensor<3xi64>, tensor<?xi32>) -> (tensor<?x3xi64>, tensor<?xf32>, tensor<3xi64>)
  // CHECK: ingot.sparse_reduce {{.*}} -> (tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>)
  %ui, %uv, %us = ingot.sparse_reduce %i, %v, %s, %any {reduction = "sum"} : (tensor<?x3xi64>, tensor<5xf32>, tensor<3xi64>, tensor<?xi32>) -> (tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>)
  // CHECK: ingot.sparse_softmax {{.*}} -> tensor<5xf32>
  %soft = ingot.sparse_softmax %i, %v, %s : (tensor<?x3xi64>, tensor<5xf32>, tensor<3xi64>) -> tensor<5xf32>
  // CHECK: ingot.sparse_add {{.*}} -> (tensor<?x3xi64>, tensor<?xf32>, tensor<3xi64>)
  %ai, %av, %as = ingot.sparse_add %i, %v, %s, %j, %w, %s, %t : (tensor<?x3xi64>, tensor<5xf32>, tensor<3xi64>, tensor<4x3xi64>, tensor<4xf32>, tensor<3xi64>, tensor<f32>) -> (tensor<?x3xi64>, tensor<?xf32>, tensor<3xi64>)
  // CHECK: ingot.sparse_add_grad {{.*}} -> (tensor<?xf32>, tensor<4xf32>)
  %da, %db = ingot.sparse_add_grad %av, %i, %j, %ai : (tensor<?xf32>, tensor<?x3xi64>, tensor<4x3xi64>, tensor<?x3xi64>) -> (tensor<?xf32>, tensor<4xf32>)
  // CHECK: ingot.sparse_combine {{.*}} {combine = "min"} {{.*}} -> (tensor<?x3xi64>, tensor<?xf32>)
  %ci, %cv = ingot.sparse_combine %i, %v, %s, %j, %w, %s {combine = "min"} : (tensor<?x3xi64>, tensor<5xf32>, tensor<3xi64>, tensor<4x3xi64>, tensor<4xf32>, tensor<3xi64>) -> (tensor<?x3xi64>, tensor<?xf32>)
  // CHECK: ingot.edit_distance {{.*}} {normalize = false} {{.*}} -> tensor<?x?xf32>
  %d = ingot.edit_distance %i, %v, %s, %j, %w, %s {normalize = false} : (tensor<?x3xi64>, tensor<5xf32>, tensor<3xi64>, tensor<4x3xi64>, tensor<4xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}
