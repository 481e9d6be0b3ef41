// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-simplify-kernels="dialects=scf,memref" | FileCheck %s
// RUN: ingot-opt %s --ingot-simplify-kernels="dialects=memref" | FileCheck %s --check-prefix=OTHER

// The loop of one iteration becomes its body, and the copy of a buffer to itself
// goes, if the pass canonicalizes their dialects. It folds ops of all dialects.

// CHECK-LABEL: func.func @once
// CHECK-NEXT:    %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT:    memref.store %{{.*}}, %{{.*}}[%[[C3]]]
// CHECK-NEXT:    return
// OTHER-LABEL: func.func @once
// OTHER-DAG:     arith.constant 3 : index
// OTHER:         scf.for
// OTHER-NOT:     memref.copy
func.func @once(%a: memref<4xf32>, %v: f32) attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c4 {
    %sum = arith.addi %c1, %c2 : index
    memref.store %v, %a[%sum] : memref<4xf32>
  }
  memref.copy %a, %a : memref<4xf32> to memref<4xf32>
  return
}

// Blocks are not simplified: LLVM merges them.

// CHECK-LABEL: func.func @blocks
// CHECK:         cf.br ^bb1
// CHECK:       ^bb1:
func.func @blocks() attributes {host.kernel} {
  cf.br ^bb1
^bb1:
  return
}
