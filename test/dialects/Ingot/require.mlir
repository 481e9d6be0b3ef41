// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -canonicalize | FileCheck %s --check-prefix=FOLDED

// CHECK-LABEL: @sizes
// FOLDED-LABEL: @sizes
func.func @sizes(%ok: i1, %n: index, %m: index) {
  // CHECK: ingot.require %{{.*}}, "Incompatible shapes: [{},8] vs. [{},8]"(%{{.*}}, %{{.*}})
  // FOLDED: ingot.require
  ingot.require %ok, "Incompatible shapes: [{},8] vs. [{},8]" (%n, %m)
  // CHECK: ingot.require %{{.*}}, "no numbers"
  ingot.require %ok, "no numbers"
  return
}

// What is known to hold is dropped; what is known not to hold is said when the
// program runs.
// FOLDED-LABEL: @known
// FOLDED-NOT: "holds"
// FOLDED: "fails"
func.func @known() {
  %true = arith.constant true
  %false = arith.constant false
  ingot.require %true, "holds"
  ingot.require %false, "fails"
  return
}

// CHECK-LABEL: @shapes
func.func @shapes(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %s: tensor<2xi32>, %t: tensor<?xi32>) {
  // CHECK: ingot.require_same_shape %{{.*}}, %{{.*}} {text = "{} and {}"} : (tensor<?x8xf32>, tensor<?x8xf32>) -> ()
  ingot.require_same_shape %x, %y {text = "{} and {}"} : (tensor<?x8xf32>, tensor<?x8xf32>) -> ()
  // CHECK: ingot.require_same_shape %{{.*}}, %{{.*}} {are_shapes, free = array<i64: -1>, text = "{} and {}"} : (tensor<2xi32>, tensor<?xi32>) -> ()
  ingot.require_same_shape %s, %t {text = "{} and {}", free = array<i64: -1>, are_shapes} : (tensor<2xi32>, tensor<?xi32>) -> ()
  return
}
