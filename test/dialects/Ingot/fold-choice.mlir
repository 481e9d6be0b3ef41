// SPDX-License-Identifier: Apache-2.0
// Comparisons, selection and casts of constants.
// Casts that C++ leaves undefined are not folded.
// RUN: ingot-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @order
// CHECK-DAG: %[[EQ:.*]] = ingot.constant dense<[false, true, false]>
// CHECK-DAG: %[[NE:.*]] = ingot.constant dense<[true, false, true]>
// CHECK-DAG: %[[LT:.*]] = ingot.constant dense<[true, false, false]>
// CHECK-DAG: %[[LE:.*]] = ingot.constant dense<[true, true, false]>
// CHECK-DAG: %[[GT:.*]] = ingot.constant dense<[false, false, true]>
// CHECK-DAG: %[[GE:.*]] = ingot.constant dense<[false, true, true]>
// CHECK: return %[[EQ]], %[[NE]], %[[LT]], %[[LE]], %[[GT]], %[[GE]]
func.func @order() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %a = ingot.constant dense<[-1, 0, 1]> : tensor<3xi64>
  %b = ingot.constant dense<0> : tensor<i64>
  %0 = ingot.equal %a, %b : (tensor<3xi64>, tensor<i64>) -> tensor<3xi1>
  %1 = ingot.not_equal %a, %b : (tensor<3xi64>, tensor<i64>) -> tensor<3xi1>
  %2 = ingot.less %a, %b : (tensor<3xi64>, tensor<i64>) -> tensor<3xi1>
  %3 = ingot.less_equal %a, %b : (tensor<3xi64>, tensor<i64>) -> tensor<3xi1>
  %4 = ingot.greater %a, %b : (tensor<3xi64>, tensor<i64>) -> tensor<3xi1>
  %5 = ingot.greater_equal %a, %b : (tensor<3xi64>, tensor<i64>) -> tensor<3xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// Unsigned bytes and booleans count from 0.
// CHECK-LABEL: @unsigned_order
// CHECK-DAG: %[[BYTES:.*]] = ingot.constant dense<true> : tensor<i1>
// CHECK: return %[[BYTES]], %[[BYTES]]
func.func @unsigned_order() -> (tensor<i1>, tensor<i1>) {
  %a = ingot.constant dense<200> : tensor<ui8>
  %b = ingot.constant dense<100> : tensor<ui8>
  %0 = ingot.greater %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
  %t = ingot.constant dense<true> : tensor<i1>
  %f = ingot.constant dense<false> : tensor<i1>
  %1 = ingot.greater %t, %f : (tensor<i1>, tensor<i1>) -> tensor<i1>
  return %0, %1 : tensor<i1>, tensor<i1>
}

// A NaN is different from everything, and in no order; 0 and -0 are equal.
// CHECK-LABEL: @nan
// CHECK-DAG: %[[EQ:.*]] = ingot.constant dense<[false, true]>
// CHECK-DAG: %[[NE:.*]] = ingot.constant dense<[true, false]>
// CHECK: return %[[EQ]], %[[NE]], %[[EQ]]
func.func @nan() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %a = ingot.constant dense<[0x7FC00000, 0.0]> : tensor<2xf32>
  %b = ingot.constant dense<[0x7FC00000, -0.0]> : tensor<2xf32>
  %0 = ingot.equal %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %1 = ingot.not_equal %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %2 = ingot.less_equal %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0, %1, %2 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: @strings
// CHECK-DAG: %[[EQ:.*]] = ingot.constant dense<[true, false]>
// CHECK-DAG: %[[NE:.*]] = ingot.constant dense<[false, true]>
// CHECK: return %[[EQ]], %[[NE]]
func.func @strings() -> (tensor<2xi1>, tensor<2xi1>) {
  %a = ingot.constant dense<["a", "b\00"]> : tensor<2x!ingot.string>
  %b = ingot.constant dense<["a", "b"]> : tensor<2x!ingot.string>
  %0 = ingot.equal %a, %b : (tensor<2x!ingot.string>, tensor<2x!ingot.string>) -> tensor<2xi1>
  %1 = ingot.not_equal %a, %b : (tensor<2x!ingot.string>, tensor<2x!ingot.string>) -> tensor<2xi1>
  return %0, %1 : tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: @select_elements
// CHECK-DAG: %[[F:.*]] = ingot.constant dense<[1.000000e+00, 9.000000e+00, 3.000000e+00]>
// CHECK-DAG: %[[S:.*]] = ingot.constant dense<["a", "z", "c"]>
// CHECK: return %[[F]], %[[S]]
func.func @select_elements() -> (tensor<3xf32>, tensor<3x!ingot.string>) {
  %c = ingot.constant dense<[true, false, true]> : tensor<3xi1>
  %a = ingot.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %b = ingot.constant dense<9.0> : tensor<f32>
  %s = ingot.constant dense<["a", "b", "c"]> : tensor<3x!ingot.string>
  %z = ingot.constant dense<"z"> : tensor<!ingot.string>
  %0 = ingot.select %c, %a, %b : (tensor<3xi1>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = ingot.select %c, %s, %z : (tensor<3xi1>, tensor<3x!ingot.string>, tensor<!ingot.string>) -> tensor<3x!ingot.string>
  return %0, %1 : tensor<3xf32>, tensor<3x!ingot.string>
}

// CHECK-LABEL: @select_by_one_condition
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-DAG: %[[WIDE:.*]] = ingot.constant dense<5> : tensor<4xi32>
// CHECK: return %[[X]], %[[Y]], %[[WIDE]]
func.func @select_by_one_condition(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %t = ingot.constant dense<true> : tensor<i1>
  %f = ingot.constant dense<false> : tensor<4xi1>
  %five = ingot.constant dense<5> : tensor<i32>
  %0 = ingot.select %t, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ingot.select %f, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = ingot.select %f, %five, %five : (tensor<4xi1>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// The value not chosen still widens: ? may be 1.
// CHECK-LABEL: @select_widened_by_the_other
// CHECK: ingot.select
func.func @select_widened_by_the_other(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %t = ingot.constant dense<true> : tensor<i1>
  %0 = ingot.select %t, %x, %y : (tensor<i1>, tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: @casts
// CHECK-DAG: %[[I:.*]] = ingot.constant dense<[1, -1, 0]> : tensor<3xi32>
// CHECK-DAG: %[[B:.*]] = ingot.constant dense<[true, true, false]> : tensor<3xi1>
// CHECK-DAG: %[[F:.*]] = ingot.constant dense<[1.000000e+00, 1.000000e+00, 0.000000e+00]> : tensor<3xf32>
// CHECK-DAG: %[[U:.*]] = ingot.constant dense<[44, 255]> : tensor<2xui8>
// CHECK-DAG: %[[R:.*]] = ingot.constant dense<0x4B800000> : tensor<f32>
// CHECK-DAG: %[[H:.*]] = ingot.constant dense<9.997550e-02> : tensor<f16>
// CHECK: return %[[I]], %[[B]], %[[F]], %[[U]], %[[R]], %[[H]]
func.func @casts() -> (tensor<3xi32>, tensor<3xi1>, tensor<3xf32>, tensor<2xui8>, tensor<f32>, tensor<f16>) {
  %x = ingot.constant dense<[1.9, -1.9, 0.0]> : tensor<3xf32>
  %0 = ingot.cast %x {dst = i32} : (tensor<3xf32>) -> tensor<3xi32>
  %1 = ingot.cast %x {dst = i1} : (tensor<3xf32>) -> tensor<3xi1>
  %2 = ingot.cast %1 {dst = f32} : (tensor<3xi1>) -> tensor<3xf32>
  %i = ingot.constant dense<[300, -1]> : tensor<2xi32>
  %3 = ingot.cast %i {dst = ui8} : (tensor<2xi32>) -> tensor<2xui8>
  %big = ingot.constant dense<16777217> : tensor<i64>
  %4 = ingot.cast %big {dst = f32} : (tensor<i64>) -> tensor<f32>
  %tenth = ingot.constant dense<0.1> : tensor<f32>
  %5 = ingot.cast %tenth {dst = f16} : (tensor<f32>) -> tensor<f16>
  return %0, %1, %2, %3, %4, %5 : tensor<3xi32>, tensor<3xi1>, tensor<3xf32>, tensor<2xui8>, tensor<f32>, tensor<f16>
}

// CHECK-LABEL: @casts_that_do_not_fit
// CHECK: ingot.cast
// CHECK: ingot.cast
func.func @casts_that_do_not_fit() -> (tensor<i32>, tensor<i32>) {
  %x = ingot.constant dense<3.0e9> : tensor<f32>
  %nan = ingot.constant dense<0x7FC00000> : tensor<f32>
  %0 = ingot.cast %x {dst = i32} : (tensor<f32>) -> tensor<i32>
  %1 = ingot.cast %nan {dst = i32} : (tensor<f32>) -> tensor<i32>
  return %0, %1 : tensor<i32>, tensor<i32>
}
