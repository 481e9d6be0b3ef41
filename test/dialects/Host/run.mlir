// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK: host.arguments = [#host.argument<8, arena, 4096>, #host.argument<9, constant, 0, @weights>]
func.func @step(%arena: !llvm.ptr, %x: memref<?x4xf32>) attributes {host.arguments = [#host.argument<8, arena, 4096>, #host.argument<9, constant, 0, @weights>]} {
  // CHECK: host.set_argument %{{.*}}[80], %{{.*}} : memref<?x4xf32>
  host.set_argument %arena[80], %x : memref<?x4xf32>
  // CHECK: host.run %{{.*}} [@a, @b] arguments [64, 80] nodes ["MatMul", "Relu"]{{$}}
  host.run %arena [@a, @b] arguments [64, 80] nodes ["MatMul", "Relu"]
  // CHECK: host.run %{{.*}} [@a, @a, @b] arguments [64, 80, 96] nodes ["one/MatMul", "two/MatMul", "Relu"] members [2, 1]
  host.run %arena [@a, @a, @b] arguments [64, 80, 96] nodes ["one/MatMul", "two/MatMul", "Relu"] members [2, 1]
  return
}
