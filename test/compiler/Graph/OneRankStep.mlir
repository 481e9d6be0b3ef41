// SPDX-License-Identifier: Apache-2.0
// The clone of a split step that a rank runs which has all slices.
// RUN: ingot-opt %s -split-input-file -ingot-split-batch-into-slices="slices=2 policy={sums-gemms-in-blocks=true}" | FileCheck %s
// RUN: ingot-opt %s -split-input-file -ingot-split-batch-into-slices=slices=2 | FileCheck %s --check-prefix=LACKS
// RUN: ingot-opt %s -split-input-file -ingot-split-batch-into-slices="slices=2 policy={sums-gemms-in-blocks=true without=specialize-steps-for-one-rank}" | FileCheck %s --check-prefix=LACKS

// Without such GEMMs, or without the rewrite, there are no clones.
// LACKS-NOT: one_rank

// A weight's gradient sums its slices' blocks of K. What else sums over the
// batch stays in slices; all else is computed for all rows.
// CHECK-LABEL: ingot.entry @step
// CHECK: ingot.slice_region
// CHECK-LABEL: ingot.entry @step.one_rank
// CHECK-SAME: host.one_rank_of = @step, host.slices = 2 : i64
// CHECK: %[[N:.*]]:2 = ingot.iterator_next
// CHECK: ingot.matmul %[[N]]#0, %{{.*}} : (tensor<8x3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
// CHECK: %[[D:.*]] = ingot.sub
// CHECK: ingot.slice_region(%{{.*}}) slices 2 cuts [0] exchanges ["sum"] joins [0] : (tensor<8x2xf32>) -> tensor<f32> {
// CHECK: ingot.sum {{.*}} : (tensor<4x2xf32>, tensor<2xi32>) -> tensor<f32>
// CHECK: ingot.matmul %[[N]]#0, %[[D]] {sum_block = 4 : i64, transpose_a = true} : (tensor<8x3xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
// CHECK: ingot.slice_region(%[[D]]) {{.*}} : (tensor<8x2xf32>) -> tensor<2xf32> {
// CHECK: ingot.bias_add_grad {{.*}} : (tensor<4x2xf32>) -> tensor<2xf32>
ingot.variable @w : tensor<3x2xf32>
ingot.variable @b : tensor<2xf32>
ingot.iterator @it : [tensor<8x3xf32>, tensor<8x2xf32>] {
  %x = ingot.constant dense<1.0> : tensor<8x3xf32>
  %y = ingot.constant dense<1.0> : tensor<8x2xf32>
  %0 = ingot.tensor_dataset(%x, %y) : (tensor<8x3xf32>, tensor<8x2xf32>) -> !ingot.dataset<tensor<8x3xf32>, tensor<8x2xf32>>
  ingot.yield %0 : <tensor<8x3xf32>, tensor<8x2xf32>>
}
ingot.entry @step role(step) feeds [] fetches ["loss:0"] variables [@w, @b] updates [@w, @b] {
^bb0(%w: tensor<3x2xf32>, %b: tensor<2xf32>):
  %rate = ingot.constant dense<0.1> : tensor<f32>
  %axes = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %x, %y = ingot.iterator_next @it : tensor<8x3xf32>, tensor<8x2xf32>
  %p = ingot.matmul %x, %w : (tensor<8x3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  %q = ingot.bias_add %p, %b : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %d = ingot.sub %q, %y : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %s = ingot.square %d : (tensor<8x2xf32>) -> tensor<8x2xf32>
  %loss = ingot.sum %s, %axes : (tensor<8x2xf32>, tensor<2xi32>) -> tensor<f32>
  %dw = ingot.matmul %x, %d {transpose_a = true} : (tensor<8x3xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
  %db = ingot.bias_add_grad %d : (tensor<8x2xf32>) -> tensor<2xf32>
  %w1 = ingot.apply_gradient_descent %w, %rate, %dw : (tensor<3x2xf32>, tensor<f32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %b1 = ingot.apply_gradient_descent %b, %rate, %db : (tensor<2xf32>, tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  ingot.return %loss, %w1, %b1 : tensor<f32>, tensor<3x2xf32>, tensor<2xf32>
}

// -----

// Long sums within a row may be split into blocks for the few rows of a slice,
// but not for all rows: the softmax of 2,000 classes stays in slices, that of
// 100 does not.
// CHECK-LABEL: ingot.entry @step.one_rank
// CHECK: ingot.slice_region(%{{.*}}) slices 2 cuts [0] exchanges ["gather"] joins [0] : (tensor<8x2000xf32>) -> tensor<8x2000xf32> {
// CHECK: ingot.softmax {{.*}} : (tensor<4x2000xf32>) -> tensor<4x2000xf32>
// CHECK: ingot.softmax {{.*}} : (tensor<8x100xf32>) -> tensor<8x100xf32>
ingot.entry @step role(step) feeds ["a:0", "b:0"] fetches ["x:0", "y:0"] variables [] updates [] {
^bb0(%a: tensor<8x2000xf32>, %b: tensor<8x100xf32>):
  %axes = ingot.constant dense<0> : tensor<i32>
  %p = ingot.softmax %a : (tensor<8x2000xf32>) -> tensor<8x2000xf32>
  %x = ingot.sum %p, %axes : (tensor<8x2000xf32>, tensor<i32>) -> tensor<2000xf32>
  %q = ingot.softmax %b : (tensor<8x100xf32>) -> tensor<8x100xf32>
  %y = ingot.sum %q, %axes : (tensor<8x100xf32>, tensor<i32>) -> tensor<100xf32>
  ingot.return %x, %y : tensor<2000xf32>, tensor<100xf32>
}

// -----

// 16-bit numbers are multiplied in pairs if there are enough rows, so a GEMM of
// them may round otherwise. Nor is there a clone where slices differ in size.
// CHECK-NOT: one_rank
ingot.entry @half role(step) feeds ["a:0"] fetches ["x:0"] variables [@h] updates [] {
^bb0(%h: tensor<3x2xbf16>, %a: tensor<8x3xbf16>):
  %axes = ingot.constant dense<0> : tensor<i32>
  %p = ingot.matmul %a, %h : (tensor<8x3xbf16>, tensor<3x2xbf16>) -> tensor<8x2xbf16>
  %x = ingot.sum %p, %axes : (tensor<8x2xbf16>, tensor<i32>) -> tensor<2xbf16>
  ingot.return %x : tensor<2xbf16>
}
ingot.variable @h : tensor<3x2xbf16>
ingot.entry @odd role(step) feeds ["a:0"] fetches ["x:0"] variables [] updates [] {
^bb0(%a: tensor<7x3xf32>):
  %axes = ingot.constant dense<0> : tensor<i32>
  %x = ingot.sum %a, %axes : (tensor<7x3xf32>, tensor<i32>) -> tensor<3xf32>
  ingot.return %x : tensor<3xf32>
}

// -----

// A sum of products of broadcast tensors may become a contraction.
// CHECK-NOT: one_rank
ingot.entry @outer role(step) feeds ["a:0", "b:0"] fetches ["x:0"] variables [] updates [] {
^bb0(%a: tensor<8x3x1xf32>, %b: tensor<8x1x5xf32>):
  %axes = ingot.constant dense<0> : tensor<i32>
  %p = ingot.mul %a, %b : (tensor<8x3x1xf32>, tensor<8x1x5xf32>) -> tensor<8x3x5xf32>
  %x = ingot.sum %p, %axes : (tensor<8x3x5xf32>, tensor<i32>) -> tensor<3x5xf32>
  ingot.return %x : tensor<3x5xf32>
}
