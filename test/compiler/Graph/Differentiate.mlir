// SPDX-License-Identifier: Apache-2.0
// From outputs back to inputs, op by op.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics -ingot-differentiate | FileCheck %s

// CHECK-LABEL: func.func @layer
// CHECK-SAME: (%[[X:.*]]: tensor<16x8xf32>, %[[W:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4xf32>, %[[DY:.*]]: tensor<16x4xf32>)
func.func @layer(%x: tensor<16x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %dy: tensor<16x4xf32>) -> (tensor<16x8xf32>, tensor<8x4xf32>, tensor<4xf32>) {
  // CHECK: %[[Y:.*]] = ingot.relu
  // CHECK-DAG: %[[D:.*]] = ingot.relu_grad %[[DY]], %[[Y]]
  // CHECK-DAG: %[[DB:.*]] = ingot.bias_add_grad %[[D]]
  // CHECK-DAG: %[[DX:.*]] = ingot.matmul %[[D]], %[[W]] {transpose_b = true}
  // CHECK-DAG: %[[DW:.*]] = ingot.matmul %[[X]], %[[D]] {transpose_a = true}
  // CHECK: return %[[DX]], %[[DW]], %[[DB]]
  %0 = ingot.matmul %x, %w : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %1 = ingot.bias_add %0, %b : (tensor<16x4xf32>, tensor<4xf32>) -> tensor<16x4xf32>
  %2 = ingot.relu %1 : (tensor<16x4xf32>) -> tensor<16x4xf32>
  %dx, %dw, %db = ingot.gradients of(%2) weights(%dy) by(%x, %w, %b)
      : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> (tensor<16x8xf32>, tensor<8x4xf32>, tensor<4xf32>)
  return %dx, %dw, %db : tensor<16x8xf32>, tensor<8x4xf32>, tensor<4xf32>
}

// -----

// Gradients of several uses are added in one op; gradients of broadcasts are
// summed, over dimensions that may be known at run time only.
// CHECK-LABEL: func.func @uses
func.func @uses(%x: tensor<?x1xf32>, %y: tensor<?x4xf32>, %dy: tensor<?x4xf32>) -> tensor<?x1xf32> {
  // CHECK: %[[A:.*]] = ingot.sum_to_shape %arg2
  // CHECK: %[[P:.*]] = ingot.mul %{{.*}}, %arg1
  // CHECK: %[[B:.*]] = ingot.sum_to_shape %[[P]]
  // CHECK: %[[D:.*]] = ingot.add_n %[[A]], %[[B]] : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  // CHECK: return %[[D]]
  %0 = ingot.mul %x, %y : (tensor<?x1xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = ingot.add %x, %0 : (tensor<?x1xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %d = ingot.gradients of(%1) weights(%dy) by(%x) : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  return %d : tensor<?x1xf32>
}

// -----

// No gradient through integers, nor through ops that TensorFlow excludes.
// CHECK-LABEL: func.func @nothing
func.func @nothing(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[ONES:.*]] = ingot.constant dense<1.000000e+00> : tensor<4xf32>
  // CHECK: %[[ZEROS:.*]] = ingot.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: return %[[ZEROS]], %[[ONES]]
  %0 = ingot.cast %x {dst = i32} : (tensor<4xf32>) -> tensor<4xi32>
  %1 = ingot.cast %0 {dst = f32} : (tensor<4xi32>) -> tensor<4xf32>
  %2 = ingot.sign %x : (tensor<4xf32>) -> tensor<4xf32>
  %3 = ingot.add_n %1, %2, %y : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %dx, %dy = ingot.gradients of(%3) by(%x, %y) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %dx, %dy : tensor<4xf32>, tensor<4xf32>
}

// -----

// The second derivative of a product of three.
// CHECK-LABEL: func.func @twice
// CHECK-NOT: ingot.gradients
func.func @twice(%x: tensor<f32>) -> tensor<f32> {
  %0 = ingot.mul %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = ingot.mul %0, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %d = ingot.gradients of(%1) by(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %dd = ingot.gradients of(%d) by(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %dd : tensor<f32>
}

// -----

// All ops without a gradient are reported; ops off the path do not matter.
func.func @refused(%x: tensor<4xf32>, %axes: tensor<1xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{softsign_grad has no gradient}}
  %0 = ingot.softsign_grad %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{sum has no gradient here: the axes must be known at compile time}}
  %1 = ingot.sum %0, %axes {keep_dims = true} : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
  %2 = ingot.mul %x, %1 : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %3 = ingot.softsign_grad %2, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = ingot.mul %2, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = ingot.gradients of(%4) by(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

func.func @loops(%x: tensor<f32>, %ten: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{while has no gradient here: gradients of loops are not supported}}
  %0 = ingot.while(%x) : (tensor<f32>) -> tensor<f32> test {
  ^bb0(%i: tensor<f32>):
    %c = ingot.less %i, %ten : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<f32>):
    %next = ingot.add %i, %i : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ingot.result %next : tensor<f32>
  }
  %d = ingot.gradients of(%0) by(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}

// -----

// A branch's gradient is a branch.
// CHECK-LABEL: func.func @branches
func.func @branches(%x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  // CHECK: ingot.if
  // CHECK: ingot.if %arg1
  // CHECK: ingot.exp
  // CHECK: } else {
  // CHECK-NEXT: ingot.result %{{.*}} : tensor<f32>
  %0 = ingot.if %c : tensor<i1> -> (tensor<f32>) {
    %1 = ingot.exp %x : (tensor<f32>) -> tensor<f32>
    ingot.result %1 : tensor<f32>
  } else {
    ingot.result %x : tensor<f32>
  }
  %d = ingot.gradients of(%0) by(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}

// -----

// stop_gradient disappears once gradients are computed.
// CHECK-LABEL: func.func @stopped
// CHECK-NOT: ingot.stop_gradient
// CHECK: return %arg0
func.func @stopped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ingot.stop_gradient %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ingot.mul %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = ingot.gradients of(%1) by(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// The gradient of a rounded tensor flows to the surrogate.
// CHECK-LABEL: func.func @straight
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>)
// CHECK-NOT: ingot.straight_through
// CHECK: return %[[G]]
func.func @straight(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ingot.round %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ingot.straight_through %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = ingot.gradients of(%1) weights(%g) by(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

func.func @prevented(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{stop_gradient has no gradient here: not yet}}
  %0 = ingot.stop_gradient %x {refusal = "not yet"} : (tensor<4xf32>) -> tensor<4xf32>
  %d = ingot.gradients of(%0) by(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
