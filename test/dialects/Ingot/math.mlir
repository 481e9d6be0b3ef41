// SPDX-License-Identifier: Apache-2.0
// Elementwise ops and reductions read back as they were written.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<4xf32>, %c: tensor<4xi1>) {
  // CHECK: ingot.abs %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = ingot.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.neg %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ingot.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.sign %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = ingot.sign %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.sqrt %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = ingot.sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.square %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = ingot.square %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.exp %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = ingot.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.log %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = ingot.log %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.tanh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %7 = ingot.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.relu %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %8 = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.logical_not %{{.*}} : (tensor<4xi1>) -> tensor<4xi1>
  %9 = ingot.logical_not %c : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: @binary
func.func @binary(%x: tensor<4xf32>, %y: tensor<?x1xf32>, %a: tensor<4xi1>, %b: tensor<i1>) {
  // CHECK: ingot.add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %0 = ingot.add %x, %y : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.sub %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %1 = ingot.sub %x, %y : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.mul %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %2 = ingot.mul %x, %y : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.real_div %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %3 = ingot.real_div %x, %y : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.div_no_nan %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %4 = ingot.div_no_nan %x, %y : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.maximum %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %5 = ingot.maximum %x, %y : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.minimum %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %6 = ingot.minimum %x, %y : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.squared_difference %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %7 = ingot.squared_difference %x, %y : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.relu_grad %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %8 = ingot.relu_grad %x, %y : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.logical_and %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  %9 = ingot.logical_and %a, %b : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  // CHECK: ingot.logical_or %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  %10 = ingot.logical_or %a, %b : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: @compare
func.func @compare(%x: tensor<4xi64>, %y: tensor<i64>) {
  // CHECK: ingot.equal %{{.*}}, %{{.*}} : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  %0 = ingot.equal %x, %y : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  // CHECK: ingot.not_equal %{{.*}}, %{{.*}} : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  %1 = ingot.not_equal %x, %y : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  // CHECK: ingot.less %{{.*}}, %{{.*}} : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  %2 = ingot.less %x, %y : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  // CHECK: ingot.less_equal %{{.*}}, %{{.*}} : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  %3 = ingot.less_equal %x, %y : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  // CHECK: ingot.greater %{{.*}}, %{{.*}} : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  %4 = ingot.greater %x, %y : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  // CHECK: ingot.greater_equal %{{.*}}, %{{.*}} : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  %5 = ingot.greater_equal %x, %y : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: @choice
func.func @choice(%c: tensor<i1>, %x: tensor<4xf32>) {
  // CHECK: ingot.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = ingot.select %c, %x, %x : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.add_n %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ingot.add_n %x, %x, %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.cast %{{.*}} {dst = i64} : (tensor<4xf32>) -> tensor<4xi64>
  %2 = ingot.cast %x {dst = i64} : (tensor<4xf32>) -> tensor<4xi64>
  return
}

// CHECK-LABEL: @reduce
func.func @reduce(%x: tensor<4x8xf32>, %axes: tensor<1xi32>, %axis: tensor<i32>) {
  // CHECK: ingot.sum %{{.*}}, %{{.*}} {keep_dims = true} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  %0 = ingot.sum %x, %axes {keep_dims = true} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  // CHECK: ingot.mean %{{.*}}, %{{.*}} {keep_dims = true} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  %1 = ingot.mean %x, %axes {keep_dims = true} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  // CHECK: ingot.prod %{{.*}}, %{{.*}} {keep_dims = true} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  %2 = ingot.prod %x, %axes {keep_dims = true} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  // CHECK: ingot.max %{{.*}}, %{{.*}} {keep_dims = true} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  %3 = ingot.max %x, %axes {keep_dims = true} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  // CHECK: ingot.min %{{.*}}, %{{.*}} {keep_dims = true} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  %4 = ingot.min %x, %axes {keep_dims = true} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  // CHECK: ingot.arg_max %{{.*}}, %{{.*}} {output_type = i64} : (tensor<4x8xf32>, tensor<i32>) -> tensor<?xi64>
  %5 = ingot.arg_max %x, %axis {output_type = i64} : (tensor<4x8xf32>, tensor<i32>) -> tensor<?xi64>
  return
}
