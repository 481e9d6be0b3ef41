// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-store-bfloat16-as-bits | FileCheck %s

// CHECK: llvm.mlir.global private constant @numbers(dense<[16256, 16384]> : vector<2xi16>) {{.*}} : !llvm.array<2 x i16>
llvm.mlir.global private constant @numbers(dense<[1.0, 2.0]> : vector<2xbf16>) : !llvm.array<2 x bf16>

// CHECK-LABEL: llvm.func @chosen
// CHECK-SAME: -> i16
llvm.func @chosen(%p: !llvm.ptr, %c: i1) -> bf16 {
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> i16
  %x = llvm.load %p : !llvm.ptr -> bf16
  // CHECK: llvm.mlir.constant(16256 : i16) : i16
  %one = llvm.mlir.constant(1.0 : bf16) : bf16
  // CHECK: llvm.select %{{.*}} : i1, i16
  %z = llvm.select %c, %x, %one : i1, bf16
  llvm.return %z : bf16
}
