// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-merge-row-updates -split-input-file | FileCheck %s

// The averages of sparse Adam: one update of both tables, where the second one
// was, with the operands of each kind next to each other.

// CHECK-LABEL: func.func @averages
// CHECK-SAME:    %[[M:.*]]: tensor<8x2xf32>, %[[V:.*]]: tensor<8x2xf32>, %[[I:.*]]: tensor<3xi64>, %[[G:.*]]: tensor<3x2xf32>, %[[F:.*]]: tensor<f32>
// CHECK:         %[[S:.*]] = ingot.mul %[[G]], %[[G]]
// CHECK-NEXT:    %[[U:.*]]:2 = ingot.update_rows(%[[M]], %[[V]]) at %[[I]] by(%[[G]], %[[S]]) with(%[[F]], %[[F]])
// CHECK-NEXT:    ^bb0(%[[MROW:.*]]: tensor<2xf32>, %[[VROW:.*]]: tensor<2xf32>, %[[GROW:.*]]: tensor<2xf32>, %[[SROW:.*]]: tensor<2xf32>, %[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
// CHECK-NEXT:      %[[P:.*]] = ingot.mul %[[GROW]], %[[A]]
// CHECK-NEXT:      %[[X:.*]] = ingot.add %[[MROW]], %[[P]]
// CHECK-NEXT:      %[[Q:.*]] = ingot.mul %[[SROW]], %[[B]]
// CHECK-NEXT:      %[[Y:.*]] = ingot.sub %[[VROW]], %[[Q]]
// CHECK-NEXT:      ingot.yield_rows %[[X]], %[[Y]]
// CHECK:         ingot.return %[[U]]#0, %[[U]]#1
func.func @averages(%m: tensor<8x2xf32>, %v: tensor<8x2xf32>, %i: tensor<3xi64>, %g: tensor<3x2xf32>, %f: tensor<f32>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %f2:2 = ingot.fusion "averages" -> tensor<8x2xf32>, tensor<8x2xf32> {
    %0 = ingot.update_rows (%m) at %i by (%g) with (%f) : (tensor<8x2xf32>, tensor<3xi64>, tensor<3x2xf32>, tensor<f32>) -> tensor<8x2xf32> {
    ^bb0(%row: tensor<2xf32>, %delta: tensor<2xf32>, %factor: tensor<f32>):
      %p = ingot.mul %delta, %factor : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      %n = ingot.add %row, %p : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      ingot.yield_rows %n : tensor<2xf32>
    }
    %s = ingot.mul %g, %g : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %1 = ingot.update_rows (%v) at %i by (%s) with (%f) : (tensor<8x2xf32>, tensor<3xi64>, tensor<3x2xf32>, tensor<f32>) -> tensor<8x2xf32> {
    ^bb0(%row: tensor<2xf32>, %delta: tensor<2xf32>, %factor: tensor<f32>):
      %p = ingot.mul %delta, %factor : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      %n = ingot.sub %row, %p : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      ingot.yield_rows %n : tensor<2xf32>
    }
    ingot.return %0, %1 : tensor<8x2xf32>, tensor<8x2xf32>
  }
  return %f2#0, %f2#1 : tensor<8x2xf32>, tensor<8x2xf32>
}

// -----

// Updates that depend on each other, or select from tables of different sizes
// or by other indices, stay apart; so do those of different kernels.

// CHECK-LABEL: func.func @apart
// CHECK-COUNT-5: ingot.update_rows({{[^,]*}}) at
func.func @apart(%m: tensor<8x2xf32>, %v: tensor<9x2xf32>, %i: tensor<3xi64>, %j: tensor<3xi64>) -> (tensor<8x2xf32>, tensor<8x2xf32>, tensor<9x2xf32>, tensor<8x2xf32>) {
  %f1 = ingot.fusion "other" -> tensor<8x2xf32> {
    %u = ingot.update_rows (%m) at %i : (tensor<8x2xf32>, tensor<3xi64>) -> tensor<8x2xf32> {
    ^bb0(%row: tensor<2xf32>):
      %n = ingot.add %row, %row : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      ingot.yield_rows %n : tensor<2xf32>
    }
    ingot.return %u : tensor<8x2xf32>
  }
  %f3:3 = ingot.fusion "apart" -> tensor<8x2xf32>, tensor<9x2xf32>, tensor<8x2xf32> {
    %0 = ingot.update_rows (%m) at %i : (tensor<8x2xf32>, tensor<3xi64>) -> tensor<8x2xf32> {
    ^bb0(%row: tensor<2xf32>):
      %n = ingot.add %row, %row : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      ingot.yield_rows %n : tensor<2xf32>
    }
    %t = ingot.add %0, %0 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
    %1 = ingot.update_rows (%t) at %i : (tensor<8x2xf32>, tensor<3xi64>) -> tensor<8x2xf32> {
    ^bb0(%row: tensor<2xf32>):
      %n = ingot.add %row, %row : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      ingot.yield_rows %n : tensor<2xf32>
    }
    %2 = ingot.update_rows (%v) at %i : (tensor<9x2xf32>, tensor<3xi64>) -> tensor<9x2xf32> {
    ^bb0(%row: tensor<2xf32>):
      %n = ingot.add %row, %row : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      ingot.yield_rows %n : tensor<2xf32>
    }
    %3 = ingot.update_rows (%m) at %j : (tensor<8x2xf32>, tensor<3xi64>) -> tensor<8x2xf32> {
    ^bb0(%row: tensor<2xf32>):
      %n = ingot.add %row, %row : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      ingot.yield_rows %n : tensor<2xf32>
    }
    ingot.return %1, %2, %3 : tensor<8x2xf32>, tensor<9x2xf32>, tensor<8x2xf32>
  }
  return %f1, %f3#0, %f3#1, %f3#2 : tensor<8x2xf32>, tensor<8x2xf32>, tensor<9x2xf32>, tensor<8x2xf32>
}

// Updates of one table stay apart: the results of an op need memory each.

// CHECK-LABEL: func.func @one_table
// CHECK-COUNT-2: ingot.update_rows(%arg0) at
func.func @one_table(%m: tensor<8x2xf32>, %i: tensor<3xi64>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %f:2 = ingot.fusion "one_table" -> tensor<8x2xf32>, tensor<8x2xf32> {
    %0 = ingot.update_rows (%m) at %i : (tensor<8x2xf32>, tensor<3xi64>) -> tensor<8x2xf32> {
    ^bb0(%row: tensor<2xf32>):
      %n = ingot.add %row, %row : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      ingot.yield_rows %n : tensor<2xf32>
    }
    %1 = ingot.update_rows (%m) at %i : (tensor<8x2xf32>, tensor<3xi64>) -> tensor<8x2xf32> {
    ^bb0(%row: tensor<2xf32>):
      %n = ingot.mul %row, %row : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      ingot.yield_rows %n : tensor<2xf32>
    }
    ingot.return %0, %1 : tensor<8x2xf32>, tensor<8x2xf32>
  }
  return %f#0, %f#1 : tensor<8x2xf32>, tensor<8x2xf32>
}
