// SPDX-License-Identifier: Apache-2.0
// Shape arithmetic folds as far as dimensions are known.
// RUN: ingot-opt %s -ingot-infer-shapes -canonicalize | FileCheck %s

// CHECK-LABEL: @a_known_dimension_of_an_open_shape
func.func @a_known_dimension_of_an_open_shape(%x: tensor<?x10xf32>) -> tensor<i32> {
  // CHECK-NEXT: %[[N:.*]] = ingot.constant dense<10> : tensor<i32>
  // CHECK-NEXT: return %[[N]]
  %shape = ingot.shape %x {output_type = i32} : (tensor<?x10xf32>) -> tensor<2xi32>
  %b = ingot.constant dense<1> : tensor<1xi32>
  %e = ingot.constant dense<2> : tensor<1xi32>
  %n = ingot.strided_slice %shape, %b, %e, %b {shrink_axis_mask = 1 : i64} : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<i32>
  return %n : tensor<i32>
}

// Sizes that are known in a packed shape refine the type of the result.
// CHECK-LABEL: @reshape_to_a_packed_shape
func.func @reshape_to_a_packed_shape(%x: tensor<?x2x5xf32>) -> tensor<?x?xf32> {
  // CHECK: ingot.reshape {{.*}} -> tensor<?x10xf32>
  %shape = ingot.shape %x {output_type = i32} : (tensor<?x2x5xf32>) -> tensor<3xi32>
  %zero = ingot.constant dense<0> : tensor<i32>
  %b = ingot.constant dense<0> : tensor<1xi32>
  %e = ingot.constant dense<1> : tensor<1xi32>
  %n = ingot.strided_slice %shape, %b, %e, %e : (tensor<3xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %ten = ingot.constant dense<10> : tensor<1xi32>
  %to = ingot.concat %zero, %n, %ten : (tensor<i32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %y = ingot.reshape %x, %to : (tensor<?x2x5xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: @gathered_and_added_dimensions
func.func @gathered_and_added_dimensions(%x: tensor<?x3x4xf32>) -> tensor<2xi32> {
  // CHECK-NEXT: %[[N:.*]] = ingot.constant dense<[5, 4]> : tensor<2xi32>
  // CHECK-NEXT: return %[[N]]
  %shape = ingot.shape %x {output_type = i32} : (tensor<?x3x4xf32>) -> tensor<3xi32>
  %axis = ingot.constant dense<0> : tensor<i32>
  %i = ingot.constant dense<[2, 1]> : tensor<2xi32>
  %dims = ingot.gather %shape, %i, %axis : (tensor<3xi32>, tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %one = ingot.constant dense<1> : tensor<i32>
  %more = ingot.add %dims, %one : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %two = ingot.constant dense<2> : tensor<2xi32>
  return %more : tensor<2xi32>
}

// CHECK-LABEL: @axes_of_a_gradient
func.func @axes_of_a_gradient(%x: tensor<4x1x3xf32>, %y: tensor<5x3xf32>) -> (tensor<?xi32>, tensor<?xi32>) {
  // CHECK-DAG: %[[A:.*]] = ingot.constant dense<1> : tensor<1xi32>
  // CHECK-DAG: %[[B:.*]] = ingot.constant dense<0> : tensor<1xi32>
  // CHECK: return %[[A]], %[[B]]
  %a = ingot.shape %x {output_type = i32} : (tensor<4x1x3xf32>) -> tensor<3xi32>
  %b = ingot.shape %y {output_type = i32} : (tensor<5x3xf32>) -> tensor<2xi32>
  %r:2 = ingot.broadcast_gradient_args %a, %b : (tensor<3xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  return %r#0, %r#1 : tensor<?xi32>, tensor<?xi32>
}

// The axes over which a gradient is summed need not be known while the batch is not.
// CHECK-LABEL: @gradient_of_a_bias
func.func @gradient_of_a_bias(%g: tensor<?x10xf32>, %bias: tensor<10xf32>) -> tensor<?xf32> {
  // CHECK: %[[AXES:.*]] = ingot.constant dense<0> : tensor<1xi32>
  // CHECK: ingot.sum %{{.*}}, %[[AXES]] : (tensor<?x10xf32>, tensor<1xi32>) -> tensor<10xf32>
  %s = ingot.shape %bias {output_type = i32} : (tensor<10xf32>) -> tensor<1xi32>
  %d = ingot.sum_to_shape %g, %s : (tensor<?x10xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %d : tensor<?xf32>
}

// The dimensions that gradients of products reduce, before those that they keep.
// CHECK-LABEL: @difference_of_lists
func.func @difference_of_lists() -> (tensor<?xi32>, tensor<?xi64>) {
  // CHECK-DAG: %[[LEFT:.*]] = ingot.constant dense<[0, 0, 4]> : tensor<3xi32>
  // CHECK-DAG: %[[AT:.*]] = ingot.constant dense<[0, 3, 4]> : tensor<3xi64>
  // CHECK: return %[[LEFT]], %[[AT]]
  %x = ingot.constant dense<[0, 2, -1, 0, 4]> : tensor<5xi32>
  %removed = ingot.constant dense<[-1, 2]> : tensor<2xi32>
  %left, %at = ingot.list_diff %x, %removed {output_type = i64} : (tensor<5xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi64>)
  return %left, %at : tensor<?xi32>, tensor<?xi64>
}

// A sum with its axes kept, over which an operand of an open batch was
// broadcast, has the operand's shape, and 1 where it had no dimension.
// CHECK-LABEL: @sums_over_broadcasts
func.func @sums_over_broadcasts(%g: tensor<?x4x3xf32>, %x: tensor<?x4x3xf32>, %y: tensor<?x3xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  // CHECK-DAG: %[[ONE:.*]] = ingot.constant dense<1> : tensor<1xi32>
  // CHECK-DAG: %[[A:.*]] = ingot.shape %{{.*}} : (tensor<?x4x3xf32>) -> tensor<3xi32>
  // CHECK-DAG: %[[B:.*]] = ingot.shape %{{.*}} : (tensor<?x3xf32>) -> tensor<2xi32>
  // CHECK-NOT: ingot.sum
  // CHECK: ingot.sum_to_shape %{{.*}}, %[[A]] : (tensor<?x4x3xf32>, tensor<3xi32>) -> tensor<?x4x3xf32>
  // CHECK: %[[PADDED:.*]] = ingot.concat %{{.*}}, %[[ONE]], %[[B]]
  // CHECK: ingot.sum_to_shape %{{.*}}, %[[PADDED]] : (tensor<?x4x3xf32>, tensor<3xi32>) -> tensor<1x?x3xf32>
  %a = ingot.shape %x {output_type = i32} : (tensor<?x4x3xf32>) -> tensor<3xi32>
  %b = ingot.shape %y {output_type = i32} : (tensor<?x3xf32>) -> tensor<2xi32>
  %r:2 = ingot.broadcast_gradient_args %a, %b : (tensor<3xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  %dx = ingot.sum %g, %r#0 {keep_dims = true} : (tensor<?x4x3xf32>, tensor<?xi32>) -> tensor<?x?x?xf32>
  %dy = ingot.sum %g, %r#1 {keep_dims = true} : (tensor<?x4x3xf32>, tensor<?xi32>) -> tensor<?x?x?xf32>
  return %dx, %dy : tensor<?x?x?xf32>, tensor<?x?x?xf32>
}

// What TensorFlow 1 stitches together for the shape that such a sum keeps.
// CHECK-LABEL: @shape_that_is_kept
func.func @shape_that_is_kept(%x: tensor<?x3xf32>, %y: tensor<3xf32>, %g: tensor<3xf32>) -> tensor<*xf32> {
  // CHECK: %[[KEPT:.*]] = ingot.constant dense<[1, 3]> : tensor<2xi32>
  // CHECK-NOT: ingot.dynamic_stitch
  // CHECK: ingot.reshape %{{.*}}, %[[KEPT]] : (tensor<3xf32>, tensor<2xi32>) -> tensor<1x3xf32>
  %one = ingot.constant dense<1> : tensor<i32>
  %rank = ingot.constant dense<2> : tensor<i32>
  %dims = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %a = ingot.shape %x {output_type = i32} : (tensor<?x3xf32>) -> tensor<2xi32>
  %b = ingot.shape %y {output_type = i32} : (tensor<3xf32>) -> tensor<1xi32>
  %r:2 = ingot.broadcast_gradient_args %a, %b : (tensor<2xi32>, tensor<1xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  %moved = ingot.add %r#1, %rank : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %axes = ingot.floor_mod %moved, %rank : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %count = ingot.shape %axes {output_type = i32} : (tensor<?xi32>) -> tensor<1xi32>
  %ones = ingot.fill %count, %one : (tensor<1xi32>, tensor<i32>) -> tensor<?xi32>
  %kept = ingot.dynamic_stitch [%dims, %axes], [%a, %ones] : (tensor<2xi32>, tensor<?xi32>, tensor<2xi32>, tensor<?xi32>) -> tensor<?xi32>
  %0 = ingot.reshape %g, %kept : (tensor<3xf32>, tensor<?xi32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// CHECK-LABEL: @inverse_of_a_permutation
func.func @inverse_of_a_permutation() -> tensor<3xi32> {
  // CHECK: ingot.constant dense<[1, 2, 0]> : tensor<3xi32>
  %p = ingot.constant dense<[2, 0, 1]> : tensor<3xi32>
  %rows = ingot.constant dense<[[2], [0], [1]]> : tensor<3x1xi32>
  %i = ingot.constant dense<[0, 1, 2]> : tensor<3xi32>
  %0 = ingot.tensor_scatter %p, %rows, %i {combine = "update"} : (tensor<3xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// Where the second input of a concatenation begins, along an axis that was not
// known when the graph was read.
// CHECK-LABEL: @offsets_of_a_concatenation
func.func @offsets_of_a_concatenation() -> (tensor<2xi32>, tensor<2xi32>) {
  // CHECK-DAG: %[[B:.*]] = ingot.constant dense<[0, 32]> : tensor<2xi32>
  // CHECK-DAG: %[[NONE:.*]] = ingot.constant dense<0> : tensor<2xi32>
  // CHECK: return %[[B]], %[[NONE]]
  %axis = ingot.constant dense<1> : tensor<i32>
  %rank = ingot.constant dense<2> : tensor<i32>
  %zero = ingot.constant dense<0> : tensor<i32>
  %shape = ingot.constant dense<[64, 32]> : tensor<2xi32>
  %on = ingot.one_hot %axis, %rank, %axis, %zero : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %offset = ingot.mul %shape, %on : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %outside = ingot.one_hot %rank, %rank, %axis, %zero : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2xi32>
  return %offset, %outside : tensor<2xi32>, tensor<2xi32>
}
