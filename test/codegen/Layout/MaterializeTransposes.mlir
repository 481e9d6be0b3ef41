// SPDX-License-Identifier: Apache-2.0
// The operands of a GEMM that are transposed by separate ops.
// RUN: ingot-opt %s -ingot-materialize-transposes | FileCheck %s
// RUN: ingot-opt %s "-ingot-materialize-transposes=policy={max-transposed-second-depth=8}" | FileCheck %s --check-prefix=PACKED
// RUN: ingot-opt %s "-ingot-materialize-transposes=policy={max-transposed-second-depth=1024 k-blocking-min-depth=1024 k-blocking-times-sides=3 k-blocking-max-shorter-side=512 k-blocking-max-uses=84 k-blocking-max-copied-elements=4194304}" | FileCheck %s --check-prefix=SUMS
// RUN: ingot-opt %s "-ingot-materialize-transposes=policy={max-patch-depth=2304}" | FileCheck %s --check-prefix=PATCHES

// CHECK-LABEL: ingot.entry @second_operand
ingot.entry @second_operand role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<4x8xf32>, %b: tensor<2x8xf32>):
  // CHECK: ^bb0(%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<2x8xf32>):
  // CHECK: %[[P:.*]] = ingot.constant dense<[1, 0]> : tensor<2xi32>
  // CHECK: %[[T:.*]] = ingot.transpose %[[B]], %[[P]] : (tensor<2x8xf32>, tensor<2xi32>) -> tensor<8x2xf32>
  // CHECK: ingot.matmul %[[A]], %[[T]] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %c = ingot.matmul %a, %b {transpose_b = true} : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
  ingot.return %c : tensor<4x2xf32>
}

// A small transposed first operand is read in place: 16 * 1024 elements are the
// limit.
// CHECK-LABEL: ingot.entry @small_first_operand
ingot.entry @small_first_operand role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<128x128xf32>, %b: tensor<128x2xf32>):
  // CHECK-NOT: ingot.transpose
  // CHECK: ingot.matmul %{{.*}}, %{{.*}} {transpose_a = true} : (tensor<128x128xf32>, tensor<128x2xf32>)
  %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<128x128xf32>, tensor<128x2xf32>) -> tensor<128x2xf32>
  ingot.return %c : tensor<128x2xf32>
}

// CHECK-LABEL: ingot.entry @large_first_operand
ingot.entry @large_first_operand role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<128x129xf32>, %b: tensor<2x128xf32>):
  // CHECK-DAG: %[[B:.*]] = ingot.transpose {{.*}} -> tensor<128x2xf32>
  // CHECK-DAG: %[[A:.*]] = ingot.transpose {{.*}} -> tensor<129x128xf32>
  // CHECK: ingot.matmul %[[A]], %[[B]] : (tensor<129x128xf32>, tensor<128x2xf32>) -> tensor<129x2xf32>
  %c = ingot.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<128x129xf32>, tensor<2x128xf32>) -> tensor<129x2xf32>
  ingot.return %c : tensor<129x2xf32>
}

// With K-blocking any first operand is read in place, unless M or N is more than
// a third of K.
// CHECK-LABEL: ingot.entry @long_sum
// CHECK: ingot.transpose
// SUMS-LABEL: ingot.entry @long_sum
// SUMS-NOT: ingot.transpose
// SUMS: ingot.matmul %{{.*}}, %{{.*}} {transpose_a = true}
ingot.entry @long_sum role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<1024x64xf32>, %b: tensor<1024x341xf32>):
  %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<1024x64xf32>, tensor<1024x341xf32>) -> tensor<64x341xf32>
  ingot.return %c : tensor<64x341xf32>
}

// SUMS-LABEL: ingot.entry @wide_result
// SUMS: ingot.transpose
ingot.entry @wide_result role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<1024x64xf32>, %b: tensor<1024x342xf32>):
  %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<1024x64xf32>, tensor<1024x342xf32>) -> tensor<64x342xf32>
  ingot.return %c : tensor<64x342xf32>
}

// SUMS-LABEL: ingot.entry @short_sum
// SUMS: ingot.transpose
ingot.entry @short_sum role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<1023x64xf32>, %b: tensor<1023x64xf32>):
  %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<1023x64xf32>, tensor<1023x64xf32>) -> tensor<64x64xf32>
  ingot.return %c : tensor<64x64xf32>
}

// Where copies are used often enough, they take less time than blocks of K do,
// unless they leave the caches.
// SUMS-LABEL: ingot.entry @many_uses
// SUMS: ingot.transpose
ingot.entry @many_uses role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<2048x256xf32>, %b: tensor<2048x256xf32>):
  %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<2048x256xf32>, tensor<2048x256xf32>) -> tensor<256x256xf32>
  ingot.return %c : tensor<256x256xf32>
}

// SUMS-LABEL: ingot.entry @large_copies
// SUMS-NOT: ingot.transpose
// SUMS: ingot.matmul %{{.*}}, %{{.*}} {transpose_a = true}
ingot.entry @large_copies role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<16384x256xf32>, %b: tensor<16384x256xf32>):
  %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<16384x256xf32>, tensor<16384x256xf32>) -> tensor<256x256xf32>
  ingot.return %c : tensor<256x256xf32>
}

// No K-blocking where the steps of K are columns of the second operand.
// SUMS-LABEL: ingot.entry @sum_of_columns
// SUMS: ingot.transpose %{{.*}} : (tensor<1024x64xf32>, tensor<2xi32>) -> tensor<64x1024xf32>
// SUMS: ingot.matmul %{{.*}}, %{{.*}} {transpose_b = true}
ingot.entry @sum_of_columns role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<1024x64xf32>, %b: tensor<64x1024xf32>):
  %c = ingot.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<1024x64xf32>, tensor<64x1024xf32>) -> tensor<64x64xf32>
  ingot.return %c : tensor<64x64xf32>
}

// CHECK-LABEL: ingot.entry @nothing_transposed
ingot.entry @nothing_transposed role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>):
  // CHECK-NOT: ingot.transpose
  // CHECK: ingot.matmul
  %c = ingot.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  ingot.return %c : tensor<4x2xf32>
}

// A second operand of static size is packed by the kernel where K is not too
// large.
// PACKED-LABEL: ingot.entry @second_operand
// PACKED: ingot.matmul %{{.*}}, %{{.*}} {transpose_b = true}
// PACKED-LABEL: ingot.entry @large_first_operand
// PACKED: %[[LONG:.*]] = ingot.transpose {{.*}} -> tensor<128x2xf32>
// PACKED: ingot.matmul %{{.*}}, %[[LONG]]
// CHECK-LABEL: ingot.entry @unknown
// PACKED-LABEL: ingot.entry @unknown
// PACKED: %[[UNKNOWN:.*]] = ingot.transpose {{.*}} -> tensor<8x?xf32>
// PACKED: ingot.matmul %{{.*}}, %[[UNKNOWN]]
ingot.entry @unknown role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<4x8xf32>, %b: tensor<?x8xf32>):
  %c = ingot.matmul %a, %b {transpose_b = true} : (tensor<4x8xf32>, tensor<?x8xf32>) -> tensor<4x?xf32>
  ingot.return %c : tensor<4x?xf32>
}

// im2col in the GEMM's kernel is computed as the GEMM reads it.
// PATCHES-LABEL: ingot.entry @patches
// PATCHES-NOT: ingot.transpose
// PATCHES: ingot.matmul {{.*}} {transpose_a = true}
// CHECK-LABEL: ingot.entry @patches
// CHECK: ingot.transpose
ingot.entry @patches role(other) feeds ["x:0", "dy:0"] fetches ["dw:0"] variables [] updates [] {
^bb0(%x: tensor<2x32x32x8xf32>, %dy: tensor<2048x16xf32>):
  %rows = ingot.constant dense<[2048, 72]> : tensor<2xi64>
  %p = ingot.extract_patches %x {padding = "SAME", strides = array<i64: 1, 1>, window = array<i64: 3, 3>} : (tensor<2x32x32x8xf32>) -> tensor<2x32x32x9x8xf32>
  %a = ingot.reshape %p, %rows : (tensor<2x32x32x9x8xf32>, tensor<2xi64>) -> tensor<2048x72xf32>
  %dw = ingot.matmul %a, %dy {transpose_a = true} : (tensor<2048x72xf32>, tensor<2048x16xf32>) -> tensor<72x16xf32>
  ingot.return %dw : tensor<72x16xf32>
}

// An operand that two GEMMs read transposed is transposed once.
// CHECK-LABEL: ingot.entry @shared
// CHECK: %[[T:.*]] = ingot.transpose
// CHECK-NOT: ingot.transpose
// CHECK: ingot.matmul %[[T]], %
// CHECK-NOT: ingot.transpose
// CHECK: ingot.matmul %[[T]], %
ingot.entry @shared role(other) feeds ["x:0", "a:0", "b:0"] fetches ["c:0", "d:0"] variables [] updates [] {
^bb0(%x: tensor<512x64xf32>, %a: tensor<512x8xf32>, %b: tensor<512x8xf32>):
  %c = ingot.matmul %x, %a {transpose_a = true} : (tensor<512x64xf32>, tensor<512x8xf32>) -> tensor<64x8xf32>
  %d = ingot.matmul %x, %b {transpose_a = true} : (tensor<512x64xf32>, tensor<512x8xf32>) -> tensor<64x8xf32>
  ingot.return %c, %d : tensor<64x8xf32>, tensor<64x8xf32>
}

// Unit dimensions are dropped from large transposes: if no other dimension moves,
// a reshape is left.
// CHECK-LABEL: ingot.entry @units
// CHECK: %[[R:.*]] = ingot.reshape %{{.*}} : (tensor<1x512x64x1xf32>, tensor<2xi64>) -> tensor<512x64xf32>
// CHECK: %[[P:.*]] = ingot.constant dense<[1, 0]> : tensor<2xi32>
// CHECK: %[[T:.*]] = ingot.transpose %[[R]], %[[P]] : {{.*}} -> tensor<64x512xf32>
// CHECK: ingot.reshape %[[T]], %{{.*}} -> tensor<1x64x1x512xf32>
// CHECK-NOT: ingot.transpose
// CHECK: ingot.return
ingot.entry @units role(other) feeds ["x:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%x: tensor<1x512x64x1xf32>):
  %order = ingot.constant dense<[0, 2, 3, 1]> : tensor<4xi32>
  %y = ingot.transpose %x, %order : (tensor<1x512x64x1xf32>, tensor<4xi32>) -> tensor<1x64x1x512xf32>
  %same = ingot.constant dense<[3, 1, 0, 2]> : tensor<4xi32>
  %z = ingot.transpose %x, %same : (tensor<1x512x64x1xf32>, tensor<4xi32>) -> tensor<1x512x1x64xf32>
  ingot.return %y, %z : tensor<1x64x1x512xf32>, tensor<1x512x1x64xf32>
}

// A loop-invariant operand is transposed before the loop, once for all its
// GEMMs, where packing it would take time in each iteration.
// RUN: ingot-opt %s "-ingot-materialize-transposes=policy={max-transposed-second-depth=64 hoists-transposes=true}" | FileCheck %s --check-prefix=LOOP
// CHECK-LABEL: ingot.entry @loop
// CHECK: %[[T:.*]] = ingot.transpose
// CHECK: ingot.while
// CHECK-NOT: ingot.transpose
// CHECK: ingot.return
// LOOP-LABEL: ingot.entry @loop
// LOOP: ^bb0(%{{.*}}: tensor<4x8xf32>, %[[B:.*]]: tensor<8x8xf32>):
// LOOP: %[[T:.*]] = ingot.transpose %[[B]],
// LOOP: ingot.while
// LOOP: ingot.matmul %{{.*}}, %[[T]] : (tensor<4x8xf32>, tensor<8x8xf32>)
// LOOP: ingot.matmul %{{.*}}, %[[T]] : (tensor<4x8xf32>, tensor<8x8xf32>)
// LOOP: ingot.return
// PACKED-LABEL: ingot.entry @loop
// PACKED-NOT: ingot.transpose
// PACKED: ingot.return
ingot.entry @loop role(other) feeds ["a:0", "b:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %r:2 = ingot.while(%zero, %a) : (tensor<i32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>) test {
  ^bb0(%i: tensor<i32>, %x: tensor<4x8xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %x: tensor<4x8xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %y = ingot.matmul %x, %b {transpose_b = true} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %z = ingot.matmul %y, %b {transpose_b = true} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    ingot.result %next, %z : tensor<i32>, tensor<4x8xf32>
  }
  ingot.return %r#1 : tensor<4x8xf32>
}
