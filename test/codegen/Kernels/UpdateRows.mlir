// SPDX-License-Identifier: Apache-2.0
// Accesses of a table whose rows are updated.
// RUN: ingot-opt %s -split-input-file -ingot-outline-kernels -ingot-lower-to-linalg -ingot-assign-resource-indices -ingot-lower-entries-to-functions -canonicalize -ingot-fuse-elementwise -canonicalize -cse -ingot-bufferize-kernels -ingot-host-bufferize-entries -canonicalize -cse -canonicalize | FileCheck %s

// In the place of the variable and its slot: no table is copied.
ingot.variable @table : tensor<1000x8xf32>
ingot.variable @slot : tensor<1000x8xf32>
// CHECK-LABEL: func.func @in_place
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: host.launch @Adagrad ins(%{{.*}}, %{{.*}} : memref<16xi64{{.*}}>, memref<16x8xf32{{.*}}>) outs(%{{.*}}, %{{.*}} : memref<1000x8xf32{{.*}}>, memref<1000x8xf32{{.*}}>)
// CHECK-NOT: memref.copy
// CHECK: return
ingot.entry @in_place role(step) feeds ["i:0", "g:0"] fetches [] variables [@table, @slot] updates [@table, @slot] {
^bb0(%w: tensor<1000x8xf32>, %a: tensor<1000x8xf32>, %i: tensor<16xi64>, %g: tensor<16x8xf32>):
  %lr = ingot.constant dense<0.5> : tensor<f32>
  %0:2 = ingot.fusion "Adagrad" -> tensor<1000x8xf32>, tensor<1000x8xf32> {
    %1:2 = ingot.update_rows (%w, %a) at %i by (%g) with (%lr)
        : (tensor<1000x8xf32>, tensor<1000x8xf32>, tensor<16xi64>, tensor<16x8xf32>, tensor<f32>) -> (tensor<1000x8xf32>, tensor<1000x8xf32>) {
    ^bb0(%row: tensor<8xf32>, %accum: tensor<8xf32>, %grad: tensor<8xf32>, %rate: tensor<f32>):
      %2:2 = ingot.apply_adagrad %row, %accum, %rate, %grad : (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
      ingot.yield_rows %2#0, %2#1 : tensor<8xf32>, tensor<8xf32>
    }
    ingot.return %1#0, %1#1 : tensor<1000x8xf32>, tensor<1000x8xf32>
  }
  ingot.return %0#0, %0#1 : tensor<1000x8xf32>, tensor<1000x8xf32>
}
// CHECK: func.func private @Adagrad
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: scf.for
// CHECK: scf.if
// CHECK: memref.subview %{{.*}} [1, 8] [1, 1]
// CHECK-NOT: memref.copy
// CHECK: return

// -----

// A value that is still wanted is not overwritten: the table is copied first.
ingot.variable @table : tensor<1000x8xf32>
// CHECK-LABEL: func.func @still_wanted
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]: memref<1000x8xf32> {host.variable
// CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<1000x8xf32>
// CHECK: memref.copy %[[TABLE]], %[[COPY]]
// CHECK: host.launch @Update {{.*}} outs(%[[COPY]]
// CHECK: memref.copy %[[TABLE]], %{{.*}}
// CHECK: memref.copy %[[COPY]], %[[TABLE]]
ingot.entry @still_wanted role(step) feeds ["i:0", "g:0"] fetches ["old:0"] variables [@table] updates [@table] {
^bb0(%w: tensor<1000x8xf32>, %i: tensor<16xi64>, %g: tensor<16x8xf32>):
  %0 = ingot.fusion "Update" -> tensor<1000x8xf32> {
    %1 = ingot.update_rows (%w) at %i by (%g) : (tensor<1000x8xf32>, tensor<16xi64>, tensor<16x8xf32>) -> tensor<1000x8xf32> {
    ^bb0(%row: tensor<8xf32>, %new: tensor<8xf32>):
      ingot.yield_rows %new : tensor<8xf32>
    }
    ingot.return %1 : tensor<1000x8xf32>
  }
  ingot.return %w, %0 : tensor<1000x8xf32>, tensor<1000x8xf32>
}
