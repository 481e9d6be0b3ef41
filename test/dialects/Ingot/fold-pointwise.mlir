// SPDX-License-Identifier: Apache-2.0
// Divisions and powers of small constants are shape arithmetic.
// RUN: ingot-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @divisions
func.func @divisions() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %a = ingot.constant dense<[7, -7, 7, 5]> : tensor<4xi32>
  %b = ingot.constant dense<[2, 2, -2, 0]> : tensor<4xi32>
  // CHECK-DAG: dense<[3, -3, -3, 0]>
  %0 = ingot.truncate_div %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK-DAG: dense<[3, -4, -4, 0]>
  %1 = ingot.floor_div %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK-DAG: dense<[1, -1, 1, 0]>
  %2 = ingot.truncate_mod %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK-DAG: dense<[1, 1, -1, 0]>
  %3 = ingot.floor_mod %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: @unsigned
func.func @unsigned() -> tensor<ui8> {
  %a = ingot.constant dense<200> : tensor<ui8>
  %b = ingot.constant dense<3> : tensor<ui8>
  // CHECK: dense<66>
  %0 = ingot.floor_div %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  return %0 : tensor<ui8>
}

// -----

// CHECK-LABEL: @powers
func.func @powers() -> (tensor<3xi64>, tensor<3xi64>) {
  %a = ingot.constant dense<[2, -3, 0]> : tensor<3xi64>
  %b = ingot.constant dense<[10, 3, 0]> : tensor<3xi64>
  %c = ingot.constant dense<-1> : tensor<i64>
  // CHECK: dense<[1024, -27, 1]>
  %0 = ingot.pow %a, %b : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  // CHECK: ingot.pow
  %1 = ingot.pow %a, %c : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  return %0, %1 : tensor<3xi64>, tensor<3xi64>
}

// -----

// CHECK-LABEL: @ones
func.func @ones(%x: tensor<2x3xf32>, %y: tensor<?xf32>) -> (tensor<2x3xf32>, tensor<?xf32>) {
  // CHECK: dense<1.000000e+00> : tensor<2x3xf32>
  %0 = ingot.ones_like %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: ingot.ones_like
  %1 = ingot.ones_like %y : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<?xf32>
}
