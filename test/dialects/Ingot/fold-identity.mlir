// SPDX-License-Identifier: Apache-2.0
// Ops that change nothing vanish; those that change a sign of zero or a shape
// stay.
// RUN: ingot-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @neutral_operands
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]] :
func.func @neutral_operands(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = ingot.constant dense<1.0> : tensor<f32>
  %ones = ingot.constant dense<1.0> : tensor<4xf32>
  %zero = ingot.constant dense<0.0> : tensor<f32>
  %0 = ingot.mul %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = ingot.mul %ones, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = ingot.real_div %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = ingot.div_no_nan %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = ingot.sub %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -0 + 0 is 0, so adding 0 does something; adding -0 does not.
// CHECK-LABEL: @adding_zero
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
// CHECK: %[[ADD:.*]] = ingot.add %[[X]]
// CHECK: return %[[ADD]], %[[X]], %[[I]]
func.func @adding_zero(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %zero = ingot.constant dense<0.0> : tensor<f32>
  %minus_zero = ingot.constant dense<-0.0> : tensor<f32>
  %izero = ingot.constant dense<0> : tensor<i32>
  %0 = ingot.add %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = ingot.add %x, %minus_zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = ingot.add %izero, %i : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// 1 / x and 0 - x are not x.
// CHECK-LABEL: @wrong_side
// CHECK: ingot.real_div
// CHECK: ingot.sub
func.func @wrong_side(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = ingot.constant dense<1.0> : tensor<f32>
  %zero = ingot.constant dense<0.0> : tensor<f32>
  %0 = ingot.real_div %one, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ingot.sub %zero, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Multiplying by ones may widen: [1] by [4], and ? (perhaps 1) by [4].
// CHECK-LABEL: @widening_ones
// CHECK: ingot.mul
// CHECK: ingot.mul
// CHECK-NOT: ingot.mul
func.func @widening_ones(%x: tensor<1xf32>, %y: tensor<?xf32>) -> (tensor<4xf32>, tensor<?xf32>, tensor<?xf32>) {
  %ones = ingot.constant dense<1.0> : tensor<4xf32>
  %one = ingot.constant dense<1.0> : tensor<1xf32>
  %0 = ingot.mul %x, %ones : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ingot.mul %y, %ones : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  %2 = ingot.mul %y, %one : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: @neutral_logic
// CHECK-SAME: (%[[X:.*]]: tensor<4xi1>)
// CHECK: return %[[X]], %[[X]], %[[X]]
func.func @neutral_logic(%x: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %true = ingot.constant dense<true> : tensor<i1>
  %false = ingot.constant dense<false> : tensor<i1>
  %0 = ingot.logical_and %true, %x : (tensor<i1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = ingot.logical_or %x, %false : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  %n = ingot.logical_not %x : (tensor<4xi1>) -> tensor<4xi1>
  %2 = ingot.logical_not %n : (tensor<4xi1>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: @unchanged_shapes
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[Y]]
func.func @unchanged_shapes(%x: tensor<2x3xf32>, %y: tensor<?xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<?xf32>) {
  %s = ingot.constant dense<[2, 3]> : tensor<2xi32>
  %m = ingot.constant dense<1> : tensor<2xi32>
  %p = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %flat = ingot.constant dense<-1> : tensor<1xi32>
  %0 = ingot.reshape %x, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %1 = ingot.squeeze %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = ingot.tile %x, %m : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %3 = ingot.transpose %x, %p : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %4 = ingot.reshape %y, %flat : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<?xf32>
}

// Two unknown dimensions may change places; a zero hides what changes.
// CHECK-LABEL: @unknown_shapes_stay
// CHECK: ingot.reshape
// CHECK: ingot.reshape
func.func @unknown_shapes_stay(%x: tensor<?x?xf32>, %y: tensor<0x?xf32>, %s: tensor<2xi32>) -> (tensor<?x?xf32>, tensor<0x?xf32>) {
  %0 = ingot.reshape %x, %s : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = ingot.reshape %y, %s : (tensor<0x?xf32>, tensor<2xi32>) -> tensor<0x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<0x?xf32>
}

// CHECK-LABEL: @reshape_of_reshape
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK: ingot.reshape %[[X]], {{.*}} -> tensor<3x2xf32>
// CHECK-NOT: ingot.reshape
func.func @reshape_of_reshape(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %flat = ingot.constant dense<-1> : tensor<1xi32>
  %s = ingot.constant dense<[3, -1]> : tensor<2xi32>
  %0 = ingot.reshape %x, %flat : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>
  %1 = ingot.reshape %0, %s : (tensor<6xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @same_type_and_single_operand
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK: return %[[X]], %[[X]], %[[X]], %[[X]]
func.func @same_type_and_single_operand(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %none = ingot.constant dense<> : tensor<0xi32>
  %0 = ingot.cast %x {dst = f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = ingot.add_n %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = ingot.sum %x, %none : (tensor<2x3xf32>, tensor<0xi32>) -> tensor<2x3xf32>
  %3 = ingot.mean %x, %none : (tensor<2x3xf32>, tensor<0xi32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @twice
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[RELU:.*]] = ingot.relu %[[X]]
// CHECK: return %[[X]], %[[RELU]]
func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = ingot.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %0 = ingot.neg %n : (tensor<4xf32>) -> tensor<4xf32>
  %r = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ingot.relu %r : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
