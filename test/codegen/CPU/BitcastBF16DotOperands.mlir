// SPDX-License-Identifier: Apache-2.0
// Pairs of bfloat16 get LLVM's types of them where an instruction takes them.
// RUN: ingot-opt %s --ingot-cpu-bitcast-bf16-dot-operands | FileCheck %s

// CHECK-LABEL: llvm.func @pairs(
// CHECK-SAME:    %[[C:[^:]*]]: vector<16xf32>, %[[A:[^:]*]]: vector<16xf32>, %[[B:[^:]*]]: vector<16xf32>)
// CHECK: %[[X:.*]] = llvm.bitcast %[[A]] : vector<16xf32> to vector<32xbf16>
// CHECK: %[[Y:.*]] = llvm.bitcast %[[B]] : vector<16xf32> to vector<32xbf16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%[[C]], %[[X]], %[[Y]]) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
llvm.func @pairs(%c: vector<16xf32>, %a: vector<16xf32>, %b: vector<16xf32>) -> vector<16xf32> {
  %s = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%c, %a, %b) : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
  llvm.return %s : vector<16xf32>
}

// Other instructions are left alone.
// CHECK-LABEL: llvm.func @other(
// CHECK-NOT: llvm.bitcast
llvm.func @other(%a: f32) -> f32 {
  %s = llvm.call_intrinsic "llvm.sqrt"(%a) : (f32) -> f32
  llvm.return %s : f32
}
