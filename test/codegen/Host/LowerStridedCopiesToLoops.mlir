// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-host-lower-strided-copies-to-loops | FileCheck %s

// CHECK-LABEL: func.func @copies
func.func @copies(%a: memref<4x2xf32, strided<[8, 1]>>, %b: memref<4x2xf32>, %c: memref<4x2xf32>) {
  // CHECK: linalg.copy ins(%{{.*}} : memref<4x2xf32, strided<[8, 1]>>) outs(%{{.*}} : memref<4x2xf32>)
  memref.copy %a, %b : memref<4x2xf32, strided<[8, 1]>> to memref<4x2xf32>
  // CHECK-NEXT: memref.copy %{{.*}}, %{{.*}} : memref<4x2xf32> to memref<4x2xf32>
  memref.copy %b, %c : memref<4x2xf32> to memref<4x2xf32>
  return
}
