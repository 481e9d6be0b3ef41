// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// The imaginary part is the high half of a number's bits.

// CHECK-LABEL: func.func private @imag
// CHECK: ^bb0(%[[X:.*]]: i64, %{{.*}}: f32):
// CHECK: %[[WIDTH:.*]] = arith.constant 32 : i64
// CHECK: %[[HIGH:.*]] = arith.shrui %[[X]], %[[WIDTH]] : i64
// CHECK: %[[BITS:.*]] = arith.trunci %[[HIGH]] : i64 to i32
// CHECK: arith.bitcast %[[BITS]] : i32 to f32
func.func private @imag(%x: tensor<4xi64>, %o: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  %0 = ingot.imag %x {element_types = [complex<f32>, f32]} : (tensor<4xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func private @complex
// CHECK: ^bb0(%[[A:.*]]: f64, %[[B:.*]]: f64, %{{.*}}: i128):
// CHECK-DAG: %[[LOW:.*]] = arith.bitcast %[[A]] : f64 to i64
// CHECK-DAG: %[[HIGH:.*]] = arith.bitcast %[[B]] : f64 to i64
// CHECK-DAG: %[[WIDE:.*]] = arith.extui %[[HIGH]] : i64 to i128
// CHECK-DAG: %[[SHIFTED:.*]] = arith.shli %[[WIDE]], %{{.*}} : i128
// CHECK-DAG: %[[REAL:.*]] = arith.extui %[[LOW]] : i64 to i128
// CHECK: arith.ori %[[REAL]], %[[SHIFTED]] : i128
func.func private @complex(%a: tensor<4xf64>, %b: tensor<4xf64>, %o: tensor<4xi128>) -> tensor<4xi128> attributes {host.kernel} {
  %0 = ingot.complex %a, %b {element_types = [f64, f64, complex<f64>]} : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi128>
  return %0 : tensor<4xi128>
}
