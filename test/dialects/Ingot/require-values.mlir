// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: @indices(
// FOLD-LABEL: @indices(
func.func @indices(%i: tensor<4xi32>, %l: tensor<?xi64>, %n: tensor<i32>) {
  // CHECK: ingot.require_indices %{{.*}}, %{{.*}} {axis = -1 : i64, kind = "label"} : (tensor<4xi32>, tensor<?xi64>) -> ()
  // FOLD: ingot.require_indices {{.*}} kind = "label"
  ingot.require_indices %i, %l {kind = "label", axis = -1 : i64} : (tensor<4xi32>, tensor<?xi64>) -> ()
  // CHECK: ingot.require_indices %{{.*}}, %{{.*}} {kind = "segment"} : (tensor<4xi32>, tensor<i32>) -> ()
  // FOLD: ingot.require_indices {{.*}} {kind = "segment"}
  ingot.require_indices %i, %n {kind = "segment"} : (tensor<4xi32>, tensor<i32>) -> ()
  // CHECK: ingot.require_numbers %{{.*}} {kind = "divisor"} : (tensor<4xi32>) -> ()
  // FOLD: ingot.require_numbers
  ingot.require_numbers %i {kind = "divisor"} : (tensor<4xi32>) -> ()
  // CHECK: ingot.require_numbers %{{.*}}, %{{.*}} {kind = "exponent"} : (tensor<4xi32>, tensor<?xi64>) -> ()
  // FOLD: ingot.require_numbers
  ingot.require_numbers %i, %l {kind = "exponent"} : (tensor<4xi32>, tensor<?xi64>) -> ()
  // CHECK: ingot.require_order %{{.*}} {kind = "permutation"} : (tensor<4xi32>) -> ()
  // FOLD: ingot.require_order
  ingot.require_order %i {kind = "permutation"} : (tensor<4xi32>) -> ()
  return
}

// Nothing is left where constants are known to hold.
// FOLD-LABEL: @known(
// FOLD-NEXT: return
func.func @known() {
  %shape = ingot.constant dense<[3, 5]> : tensor<2xi64>
  %rank = ingot.constant dense<3> : tensor<i64>
  %three = ingot.constant dense<[0, 2, 1]> : tensor<3xi32>
  %axes = ingot.constant dense<[-3, 2]> : tensor<2xi32>
  %five = ingot.constant dense<[5, 0]> : tensor<2xi64>
  %rows = ingot.constant dense<[[2, 4], [0, 0]]> : tensor<2x2xi32>
  %turned = ingot.constant dense<[-1, 0, 1]> : tensor<3xi32>
  %sorted = ingot.constant dense<[0, 0, 4]> : tensor<3xi32>
  %two = ingot.constant dense<2> : tensor<7xui8>
  ingot.require_indices %three, %shape {kind = "gather"} : (tensor<3xi32>, tensor<2xi64>) -> ()
  ingot.require_indices %rows, %shape {kind = "coordinates"} : (tensor<2x2xi32>, tensor<2xi64>) -> ()
  ingot.require_indices %axes, %rank {kind = "axis"} : (tensor<2xi32>, tensor<i64>) -> ()
  ingot.require_indices %five, %shape {kind = "length", axis = 1 : i64} : (tensor<2xi64>, tensor<2xi64>) -> ()
  %narrow = ingot.constant dense<[7, 1, 5]> : tensor<3xi64>
  ingot.require_indices %narrow, %shape {kind = "broadcast"} : (tensor<3xi64>, tensor<2xi64>) -> ()
  ingot.require_numbers %two {kind = "divisor"} : (tensor<7xui8>) -> ()
  ingot.require_numbers %three {kind = "exponent"} : (tensor<3xi32>) -> ()
  %rate = ingot.constant dense<1.000000e-30> : tensor<f32>
  ingot.require_numbers %rate {kind = "lr"} : (tensor<f32>) -> ()
  ingot.require_order %turned {kind = "permutation"} : (tensor<3xi32>) -> ()
  ingot.require_order %three {kind = "inverted"} : (tensor<3xi32>) -> ()
  ingot.require_order %sorted {kind = "segments"} : (tensor<3xi32>) -> ()
  return
}

// A band that is no part of any matrix is one of all.
// FOLD-LABEL: @whole_bands(
// FOLD-NEXT: return
func.func @whole_bands() {
  %shape = ingot.constant dense<[3, 0]> : tensor<2xi64>
  %all = ingot.constant dense<-1> : tensor<i64>
  ingot.require_indices %all, %shape {kind = "band_rows", axis = 1 : i64} : (tensor<i64>, tensor<2xi64>) -> ()
  return
}

// What does not hold is said when it runs.
// FOLD-LABEL: @wrong(
func.func @wrong() {
  %shape = ingot.constant dense<[3, 5]> : tensor<2xi64>
  %three = ingot.constant dense<[0, 3, 1]> : tensor<3xi32>
  %five = ingot.constant dense<[5, 0]> : tensor<2xi64>
  %rows = ingot.constant dense<[[2, 5], [0, 0]]> : tensor<2x2xi32>
  %turned = ingot.constant dense<[-1, 0, 0]> : tensor<3xi32>
  // FOLD: ingot.require_indices {{.*}} {kind = "gather"}
  ingot.require_indices %three, %shape {kind = "gather"} : (tensor<3xi32>, tensor<2xi64>) -> ()
  // FOLD: ingot.require_indices {{.*}} {kind = "coordinates"}
  ingot.require_indices %rows, %shape {kind = "coordinates"} : (tensor<2x2xi32>, tensor<2xi64>) -> ()
  // FOLD: ingot.require_indices {{.*}} {axis = 1 : i64, kind = "gather"}
  ingot.require_indices %five, %shape {kind = "gather", axis = 1 : i64} : (tensor<2xi64>, tensor<2xi64>) -> ()
  // FOLD: ingot.require_indices {{.*}} {kind = "broadcast"}
  ingot.require_indices %five, %shape {kind = "broadcast"} : (tensor<2xi64>, tensor<2xi64>) -> ()
  // FOLD: ingot.require_numbers {{.*}} {kind = "divisor"}
  ingot.require_numbers %three {kind = "divisor"} : (tensor<3xi32>) -> ()
  %none = ingot.constant dense<0.000000e+00> : tensor<f32>
  // FOLD: ingot.require_numbers {{.*}} {kind = "lr"}
  ingot.require_numbers %none {kind = "lr"} : (tensor<f32>) -> ()
  // FOLD: ingot.require_numbers {{.*}} {kind = "exponent"}
  ingot.require_numbers %turned {kind = "exponent"} : (tensor<3xi32>) -> ()
  // FOLD: ingot.require_order {{.*}} {kind = "permutation"}
  ingot.require_order %turned {kind = "permutation"} : (tensor<3xi32>) -> ()
  // FOLD: ingot.require_order {{.*}} {kind = "segments"}
  ingot.require_order %three {kind = "segments"} : (tensor<3xi32>) -> ()
  return
}

// What was required of the same numbers before is not asked again; of others
// it is.
// FOLD-LABEL: func.func @once
// FOLD-COUNT-2: ingot.require_indices
// FOLD-NOT: ingot.require_indices
// FOLD: return
func.func @once(%labels: tensor<4xi32>) {
  %ten = ingot.constant dense<[4, 10]> : tensor<2xi64>
  %two = ingot.constant dense<[4, 2]> : tensor<2xi64>
  ingot.require_indices %labels, %ten {axis = -1 : i64, kind = "label"} : (tensor<4xi32>, tensor<2xi64>) -> ()
  ingot.require_indices %labels, %two {axis = -1 : i64, kind = "label"} : (tensor<4xi32>, tensor<2xi64>) -> ()
  ingot.require_indices %labels, %ten {axis = -1 : i64, kind = "label"} : (tensor<4xi32>, tensor<2xi64>) -> ()
  return
}
