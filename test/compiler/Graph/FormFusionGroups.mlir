// SPDX-License-Identifier: Apache-2.0
// Formation, names and order of kernels.
// RUN: ingot-opt %s -ingot-form-fusion-groups -split-input-file | FileCheck %s
// RUN: ingot-opt %s -ingot-form-fusion-groups="policy={max-patch-depth=2304}" -split-input-file | FileCheck %s --check-prefix=PATCHES
// RUN: ingot-opt %s -ingot-form-fusion-groups="policy={shares-kernels-of-unknown-sizes=false}" -split-input-file | FileCheck %s --check-prefix=APART
// RUN: ingot-opt %s -ingot-form-fusion-groups="policy={fuses-into-row-updates=true}" -split-input-file | FileCheck %s --check-prefix=ROWS
// RUN: ingot-opt %s -ingot-form-fusion-groups="policy={fuses-transposes=true}" -split-input-file | FileCheck %s --check-prefix=TURNS
// RUN: ingot-opt %s -ingot-form-fusion-groups="policy={max-fused-row-elements=1024}" -split-input-file | FileCheck %s --check-prefix=LOCAL

// Epilogue fusion: a matmul absorbs the consumers of its tile; other ops get
// another kernel.
// CHECK-LABEL: ingot.entry @layer
// CHECK: %[[H:.*]] = ingot.fusion "fused_hidden1_MatMul_BiasAdd_Relu" -> tensor<4x2xf32> {
// CHECK-NEXT: %[[M:.*]] = ingot.matmul
// CHECK-NEXT: %[[B:.*]] = ingot.bias_add %[[M]]
// CHECK-NEXT: %[[R:.*]] = ingot.relu %[[B]]
// CHECK-NEXT: ingot.return %[[R]] : tensor<4x2xf32>
// CHECK: ingot.fusion "total_Sum" -> tensor<f32>
// CHECK-NEXT: ingot.sum %[[H]]
ingot.entry @layer role(other) feeds ["x:0", "w:0", "b:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>):
  %axes = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %0 = ingot.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> loc("hidden1/MatMul")
  %1 = ingot.bias_add %0, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32> loc("hidden1/BiasAdd")
  %2 = ingot.relu %1 : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("hidden1/Relu")
  %3 = ingot.sum %2, %axes : (tensor<4x2xf32>, tensor<2xi32>) -> tensor<f32> loc("total/Sum")
  ingot.return %3 : tensor<f32>
}

// -----

// A matmul with other uses has one result: its consumers get another kernel.
// CHECK-LABEL: ingot.entry @product_used_twice
// CHECK: %[[M:.*]] = ingot.fusion "MatMul" -> tensor<4x2xf32>
// CHECK-NEXT: ingot.matmul
// CHECK-NEXT: ingot.return
// CHECK: %[[R:.*]] = ingot.fusion "Relu" -> tensor<4x2xf32>
// CHECK-NEXT: ingot.relu %[[M]]
// CHECK: ingot.return %[[M]], %[[R]]
ingot.entry @product_used_twice role(other) feeds ["x:0", "w:0"] fetches ["m:0", "y:0"] variables [] updates [] {
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>):
  %0 = ingot.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> loc("MatMul")
  %1 = ingot.relu %0 : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("Relu")
  ingot.return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// Small ops on both sides of a matmul: one kernel of them would have to run
// both before and after it.
// CHECK-LABEL: ingot.entry @never_split_around_a_user
// CHECK: %[[A:.*]] = ingot.fusion "before" -> tensor<4x4xf32>
// CHECK-NEXT: ingot.exp
// CHECK: %[[M:.*]] = ingot.fusion "MatMul" -> tensor<4x4xf32>
// CHECK-NEXT: ingot.matmul %[[A]], %[[A]]
// CHECK: ingot.fusion "fused_reduce_after" -> tensor<4x4xf32>
// CHECK-NEXT: %[[S:.*]] = ingot.sum %[[M]]
// CHECK-NEXT: ingot.mul %[[A]], %[[S]]
ingot.entry @never_split_around_a_user role(other) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4x4xf32>):
  %axis = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %0 = ingot.exp %x : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("before")
  %1 = ingot.matmul %0, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("MatMul")
  %2 = ingot.sum %1, %axis : (tensor<4x4xf32>, tensor<2xi32>) -> tensor<f32> loc("reduce")
  %3 = ingot.mul %0, %2 : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32> loc("after")
  ingot.return %3 : tensor<4x4xf32>
}

// -----

ingot.iterator @it : [tensor<f32>] {
  %x = ingot.constant dense<1.0> : tensor<f32>
  %0 = ingot.tensor_dataset(%x) : (tensor<f32>) -> !ingot.dataset<tensor<f32>>
  ingot.yield %0 : !ingot.dataset<tensor<f32>>
}

// Side effects keep their order, whatever computes between them; a group that
// needs the second element cannot also feed the summary before it.
// CHECK-LABEL: ingot.entry @effects_keep_their_order
// CHECK: %[[A:.*]] = ingot.iterator_next @it
// CHECK: %[[X:.*]] = ingot.fusion "x" -> tensor<f32>
// CHECK-NEXT: ingot.exp %[[A]]
// CHECK: ingot.scalar_summary "x", %[[X]]
// CHECK: %[[B:.*]] = ingot.iterator_next @it
// CHECK: %[[Y:.*]] = ingot.fusion "y" -> tensor<f32>
// CHECK-NEXT: ingot.add %[[X]], %[[B]]
// CHECK: ingot.scalar_summary "y", %[[Y]]
// CHECK: ingot.iterator_make @it
ingot.entry @effects_keep_their_order role(other) feeds [] fetches [] variables [] updates [] {
  %0 = ingot.iterator_next @it : tensor<f32>
  %1 = ingot.exp %0 : (tensor<f32>) -> tensor<f32> loc("x")
  ingot.scalar_summary "x", %1 : tensor<f32>
  %2 = ingot.iterator_next @it : tensor<f32>
  %3 = ingot.add %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("y")
  ingot.scalar_summary "y", %3 : tensor<f32>
  ingot.iterator_make @it
  ingot.return
}

// -----

// Above 16 * 1024 elements only elementwise ops of one shape share loops.
// CHECK-LABEL: ingot.entry @large_tensors
// CHECK: %[[E:.*]] = ingot.fusion "fused_a_exp_neg" -> tensor<16385xf32>
// CHECK: ingot.fusion "Sum" -> tensor<f32>
// CHECK-NEXT: ingot.sum %[[E]]
ingot.entry @large_tensors role(other) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<16385xf32>):
  %axis = ingot.constant dense<[0]> : tensor<1xi32>
  %0 = ingot.exp %x : (tensor<16385xf32>) -> tensor<16385xf32> loc("a/exp")
  %1 = ingot.neg %0 : (tensor<16385xf32>) -> tensor<16385xf32> loc("a/neg")
  %2 = ingot.sum %1, %axis : (tensor<16385xf32>, tensor<1xi32>) -> tensor<f32> loc("Sum")
  ingot.return %2 : tensor<f32>
}
// CHECK-LABEL: ingot.entry @small_tensors
// CHECK: ingot.fusion "fused_a_exp_neg_Sum" -> tensor<f32>
// CHECK-NOT: ingot.fusion
ingot.entry @small_tensors role(other) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<16384xf32>):
  %axis = ingot.constant dense<[0]> : tensor<1xi32>
  %0 = ingot.exp %x : (tensor<16384xf32>) -> tensor<16384xf32> loc("a/exp")
  %1 = ingot.neg %0 : (tensor<16384xf32>) -> tensor<16384xf32> loc("a/neg")
  %2 = ingot.sum %1, %axis : (tensor<16384xf32>, tensor<1xi32>) -> tensor<f32> loc("Sum")
  ingot.return %2 : tensor<f32>
}

// -----

// Parsed tensors stay where the parser puts them, in any shape.
// CHECK-LABEL: func.func private @parse
// CHECK: %[[P:.*]] = ingot.parse_example
// CHECK-NOT: ingot.fusion
// CHECK: ingot.reshape %[[P]]
// CHECK: ingot.fusion
// CHECK-NEXT: ingot.exp %[[P]]
func.func private @parse(%s: tensor<!ingot.string>) -> (tensor<3x1xf32>, tensor<3xf32>) {
  %e = ingot.constant dense<> : tensor<0xf32>
  %shape = ingot.constant dense<[3, 1]> : tensor<2xi32>
  %0 = ingot.parse_example %s, defaults(%e) keys ["x"] {dense_shapes = [array<i64: 3>]} : (tensor<!ingot.string>, tensor<0xf32>) -> tensor<3xf32>
  %1 = ingot.reshape %0, %shape : (tensor<3xf32>, tensor<2xi32>) -> tensor<3x1xf32>
  %2 = ingot.exp %0 : (tensor<3xf32>) -> tensor<3xf32>
  return %1, %2 : tensor<3x1xf32>, tensor<3xf32>
}

// -----

// Updates of variables come after shape checks, and so do ops that rely on a
// check; other ops may come first.
// CHECK-LABEL: ingot.entry @checked
// CHECK: ingot.fusion "other"
// CHECK: ingot.require %{{.*}}, "sizes"
// CHECK: ingot.apply_gradient_descent
// CHECK: ingot.fusion "sum"
ingot.entry @checked role(step) feeds ["x:0", "y:0", "g:0", "n:0", "m:0"] fetches ["sum:0", "other:0"] variables [@w] updates [@w] {
^bb0(%w: tensor<4xf32>, %x: tensor<?xf32>, %y: tensor<?xf32>, %g: tensor<4xf32>, %n: tensor<i64>, %m: tensor<i64>):
  %rate = ingot.constant dense<0.1> : tensor<f32>
  %new = ingot.apply_gradient_descent %w, %rate, %g : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32> loc("step")
  %other = ingot.neg %n : (tensor<i64>) -> tensor<i64> loc("other")
  %a = tensor.extract %other[] : tensor<i64>
  %b = tensor.extract %m[] : tensor<i64>
  %ok = arith.cmpi eq, %a, %b : i64
  ingot.require %ok, "sizes" loc("sum")
  %sum = ingot.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> loc("sum")
  ingot.return %sum, %other, %new : tensor<?xf32>, tensor<i64>, tensor<4xf32>
}
ingot.variable @w : tensor<4xf32>


// -----

// After errors of the runtime, too: a run that ends there leaves the variable
// as it was.
// CHECK-LABEL: ingot.entry @may_fail
// CHECK-DAG: ingot.require_numbers
// CHECK-DAG: ingot.string_to_number
// CHECK: ingot.apply_gradient_descent
ingot.entry @may_fail role(step) feeds ["g:0", "n:0", "t:0"] fetches ["y:0"] variables [@w] updates [@w] {
^bb0(%w: tensor<4xf32>, %g: tensor<4xf32>, %n: tensor<4xi32>, %t: tensor<2x!ingot.string>):
  %rate = ingot.constant dense<0.1> : tensor<f32>
  %new = ingot.apply_gradient_descent %w, %rate, %g : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  ingot.require_numbers %n {kind = "divisor"} : (tensor<4xi32>) -> ()
  %y = ingot.string_to_number %t {output_type = f32} : (tensor<2x!ingot.string>) -> tensor<2xf32>
  ingot.return %y, %new : tensor<2xf32>, tensor<4xf32>
}
ingot.variable @w : tensor<4xf32>

// -----

// So does an update in a branch.
// CHECK-LABEL: ingot.entry @branch_may_update
// CHECK: ingot.require_numbers
// CHECK: ingot.if
// CHECK: ingot.apply_gradient_descent
ingot.entry @branch_may_update role(step) feeds ["g:0", "n:0", "c:0"] fetches [] variables [@w] updates [@w] {
^bb0(%w: tensor<4xf32>, %g: tensor<4xf32>, %n: tensor<4xi32>, %c: tensor<i1>):
  %rate = ingot.constant dense<0.1> : tensor<f32>
  %new = ingot.if %c : tensor<i1> -> (tensor<4xf32>) {
    %0 = ingot.apply_gradient_descent %w, %rate, %g : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    ingot.result %0 : tensor<4xf32>
  } else {
    ingot.result %w : tensor<4xf32>
  }
  ingot.require_numbers %n {kind = "divisor"} : (tensor<4xi32>) -> ()
  ingot.return %new : tensor<4xf32>
}
ingot.variable @w : tensor<4xf32>

// -----

// Expensive losses run concurrently, although only their sum is used.
// CHECK-LABEL: ingot.entry @losses
// CHECK: ingot.fusion "fused_loss_0_sum_0"
// CHECK: ingot.fusion "fused_loss_1_sum_1"
// CHECK: ingot.fusion "total"
ingot.entry @losses role(other) feeds ["a:0", "b:0", "labels:0"] fetches ["y:0", "g:0", "h:0"] variables [] updates [] {
^bb0(%a: tensor<64x10xf32>, %b: tensor<64x10xf32>, %labels: tensor<64xi32>):
  %axis = ingot.constant dense<0> : tensor<1xi32>
  %l0, %g0 = ingot.sparse_softmax_cross_entropy %a, %labels : (tensor<64x10xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64x10xf32>) loc("loss_0")
  %s0 = ingot.sum %l0, %axis : (tensor<64xf32>, tensor<1xi32>) -> tensor<f32> loc("sum_0")
  %l1, %g1 = ingot.sparse_softmax_cross_entropy %b, %labels : (tensor<64x10xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64x10xf32>) loc("loss_1")
  %s1 = ingot.sum %l1, %axis : (tensor<64xf32>, tensor<1xi32>) -> tensor<f32> loc("sum_1")
  %y = ingot.add_n %s0, %s1 : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("total")
  ingot.return %y, %g0, %g1 : tensor<f32>, tensor<64x10xf32>, tensor<64x10xf32>
}

// -----

// Small ones, too: apart they have identical code, which is compiled once.
// CHECK-LABEL: ingot.entry @small_losses
// CHECK: ingot.fusion "fused_loss_0_sum_0"
// CHECK: ingot.fusion "fused_loss_1_sum_1"
// CHECK: ingot.fusion "total"
// CHECK-NOT: ingot.fusion
// CHECK: ingot.return
ingot.entry @small_losses role(other) feeds ["a:0", "b:0", "labels:0"] fetches ["y:0", "g:0", "h:0"] variables [] updates [] {
^bb0(%a: tensor<8x10xf32>, %b: tensor<8x10xf32>, %labels: tensor<8xi32>):
  %axis = ingot.constant dense<0> : tensor<1xi32>
  %l0, %g0 = ingot.sparse_softmax_cross_entropy %a, %labels : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8x10xf32>) loc("loss_0")
  %s0 = ingot.sum %l0, %axis : (tensor<8xf32>, tensor<1xi32>) -> tensor<f32> loc("sum_0")
  %l1, %g1 = ingot.sparse_softmax_cross_entropy %b, %labels : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8x10xf32>) loc("loss_1")
  %s1 = ingot.sum %l1, %axis : (tensor<8xf32>, tensor<1xi32>) -> tensor<f32> loc("sum_1")
  %y = ingot.add_n %s0, %s1 : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("total")
  ingot.return %y, %g0, %g1 : tensor<f32>, tensor<8x10xf32>, tensor<8x10xf32>
}

// -----

// A single one shares a kernel with the sum.
// CHECK-LABEL: ingot.entry @lone_loss
// CHECK: ingot.fusion "fused_half_loss_sum_total"
// CHECK-NOT: ingot.fusion
// CHECK: ingot.return
ingot.entry @lone_loss role(other) feeds ["a:0", "b:0", "labels:0"] fetches ["y:0", "h:0"] variables [] updates [] {
^bb0(%a: tensor<8x10xf32>, %b: tensor<f32>, %labels: tensor<8xi32>):
  %axis = ingot.constant dense<0> : tensor<1xi32>
  %two = ingot.constant dense<2.0> : tensor<f32>
  %h = ingot.real_div %a, %two : (tensor<8x10xf32>, tensor<f32>) -> tensor<8x10xf32> loc("half")
  %l, %g = ingot.sparse_softmax_cross_entropy %h, %labels : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8x10xf32>) loc("loss")
  %s = ingot.sum %l, %axis : (tensor<8xf32>, tensor<1xi32>) -> tensor<f32> loc("sum")
  %y = ingot.add %s, %b : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("total")
  ingot.return %y, %h : tensor<f32>, tensor<8x10xf32>
}

// -----

// Networks side by side: readers of the same labels stay apart from them and
// from ops that use both; ops that only one of them uses, or that only it
// needs, do not.
// CHECK-LABEL: ingot.entry @networks
// CHECK: ingot.fusion "cast"
// CHECK: ingot.fusion "fused_half_loss_0_square_0"
// CHECK: ingot.fusion "fused_loss_1_square_1"
// CHECK: ingot.fusion "fused_smaller_larger"
// CHECK-NOT: ingot.fusion
// CHECK: ingot.return
ingot.entry @networks role(other) feeds ["a:0", "b:0", "labels:0"] fetches ["s:0", "t:0", "x:0", "y:0", "c:0"] variables [] updates [] {
^bb0(%a: tensor<8x10xf32>, %b: tensor<8x10xf32>, %labels: tensor<8xi64>):
  %two = ingot.constant dense<2.0> : tensor<f32>
  %c = ingot.cast %labels {dst = i32} : (tensor<8xi64>) -> tensor<8xi32> loc("cast")
  %h = ingot.real_div %a, %two : (tensor<8x10xf32>, tensor<f32>) -> tensor<8x10xf32> loc("half")
  %l0, %g0 = ingot.sparse_softmax_cross_entropy %h, %c : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8x10xf32>) loc("loss_0")
  %l1, %g1 = ingot.sparse_softmax_cross_entropy %b, %c : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8x10xf32>) loc("loss_1")
  %s = ingot.mul %l0, %l0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc("square_0")
  %t = ingot.mul %l1, %l1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc("square_1")
  %x = ingot.minimum %s, %t : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc("smaller")
  %y = ingot.maximum %s, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc("larger")
  ingot.return %s, %t, %x, %y, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>
}

// -----

// Prologue fusion: patches that one matmul reads are part of its kernel, as is
// its epilogue; a sum over all patches is complete after the last of them only.
// CHECK-LABEL: ingot.entry @patches
// CHECK: ingot.fusion "conv_Patches"
// PATCHES-LABEL: ingot.entry @patches
// PATCHES: ingot.fusion "fused_conv_Patches_Relu"
// PATCHES-NEXT: ingot.extract_patches
// PATCHES-NEXT: ingot.reshape
// PATCHES-NEXT: ingot.matmul
// PATCHES-NEXT: ingot.relu
// PATCHES: ingot.fusion "fused_filter"
// PATCHES-NEXT: ingot.extract_patches
// PATCHES-NEXT: ingot.reshape
// PATCHES-NEXT: ingot.matmul
// PATCHES-NEXT: ingot.return
// PATCHES: ingot.fusion "filter_Relu"
ingot.entry @patches role(other) feeds ["x:0", "w:0", "dy:0"] fetches ["y:0", "dw:0"] variables [] updates [] {
^bb0(%x: tensor<2x32x32x8xf32>, %w: tensor<72x16xf32>, %dy: tensor<2048x16xf32>):
  %rows = ingot.constant dense<[2048, 72]> : tensor<2xi64>
  %p = ingot.extract_patches %x {padding = "SAME", strides = array<i64: 1, 1>, window = array<i64: 3, 3>} : (tensor<2x32x32x8xf32>) -> tensor<2x32x32x9x8xf32> loc("conv/Patches")
  %q = ingot.extract_patches %x {padding = "SAME", strides = array<i64: 1, 1>, window = array<i64: 3, 3>} : (tensor<2x32x32x8xf32>) -> tensor<2x32x32x9x8xf32> loc("filter")
  %b = ingot.reshape %q, %rows : (tensor<2x32x32x9x8xf32>, tensor<2xi64>) -> tensor<2048x72xf32> loc("filter")
  %a = ingot.reshape %p, %rows : (tensor<2x32x32x9x8xf32>, tensor<2xi64>) -> tensor<2048x72xf32> loc("conv/Patches")
  %y = ingot.matmul %a, %w : (tensor<2048x72xf32>, tensor<72x16xf32>) -> tensor<2048x16xf32> loc("conv/Patches")
  %r = ingot.relu %y : (tensor<2048x16xf32>) -> tensor<2048x16xf32> loc("conv/Relu")
  %dw = ingot.matmul %b, %dy {transpose_a = true} : (tensor<2048x72xf32>, tensor<2048x16xf32>) -> tensor<72x16xf32> loc("filter")
  %s = ingot.relu %dw : (tensor<72x16xf32>) -> tensor<72x16xf32> loc("filter/Relu")
  ingot.return %r, %s : tensor<2048x16xf32>, tensor<72x16xf32>
}

// -----

// The gradient of a pool with disjoint windows is elementwise, and fused with
// its consumers; not with the producer of the image, which it reads at other
// positions.
// CHECK-LABEL: ingot.entry @pool
// CHECK: %[[R:.*]] = ingot.fusion "Relu" -> tensor<8x32x32x8xf32>
// CHECK: ingot.fusion "fused_PoolGrad_ReluGrad" -> tensor<8x32x32x8xf32> {
// CHECK-NEXT: %[[G:.*]] = ingot.max_pool_grad %[[R]], %{{.*}}
// CHECK-NEXT: ingot.relu_grad %[[G]], %[[R]]
ingot.entry @pool role(other) feeds ["x:0", "dy:0"] fetches ["dx:0"] variables [] updates [] {
^bb0(%x: tensor<8x32x32x8xf32>, %dy: tensor<8x16x16x8xf32>):
  %0 = ingot.relu %x : (tensor<8x32x32x8xf32>) -> tensor<8x32x32x8xf32> loc("Relu")
  %1 = ingot.max_pool_grad %0, %dy {padding = "VALID", strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<8x32x32x8xf32>, tensor<8x16x16x8xf32>) -> tensor<8x32x32x8xf32> loc("PoolGrad")
  %2 = ingot.relu_grad %1, %0 : (tensor<8x32x32x8xf32>, tensor<8x32x32x8xf32>) -> tensor<8x32x32x8xf32> loc("ReluGrad")
  ingot.return %2 : tensor<8x32x32x8xf32>
}

// -----

// So is the last loop of a normalization; one per kernel.
// CHECK-LABEL: ingot.entry @normalized
// CHECK: %[[O:.*]]:2 = ingot.fusion "other"
// CHECK: ingot.fusion "fused_Norm_Add_Relu" -> tensor<8x32x32x8xf32> {
// CHECK-NEXT: %[[Y:[a-z0-9_]+]], {{.*}} = ingot.fused_batch_norm
// CHECK-NEXT: %[[S:.*]] = ingot.add %[[Y]], %[[O]]#0
// CHECK-NEXT: ingot.relu %[[S]]
ingot.entry @normalized role(other) feeds ["x:0", "s:0", "o:0", "e:0"] fetches ["y:0", "m:0"] variables [] updates [] {
^bb0(%x: tensor<8x32x32x8xf32>, %s: tensor<8xf32>, %o: tensor<8xf32>, %e: tensor<0xf32>):
  %other:5 = ingot.fused_batch_norm %x, %o, %s, %e, %e : (tensor<8x32x32x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<0xf32>, tensor<0xf32>) -> (tensor<8x32x32x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) loc("other")
  %y:5 = ingot.fused_batch_norm %x, %s, %o, %e, %e : (tensor<8x32x32x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<0xf32>, tensor<0xf32>) -> (tensor<8x32x32x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) loc("Norm")
  %1 = ingot.add %y#0, %other#0 : (tensor<8x32x32x8xf32>, tensor<8x32x32x8xf32>) -> tensor<8x32x32x8xf32> loc("Add")
  %2 = ingot.relu %1 : (tensor<8x32x32x8xf32>) -> tensor<8x32x32x8xf32> loc("Relu")
  ingot.return %2, %other#1 : tensor<8x32x32x8xf32>, tensor<8xf32>
}

// -----

// If a kernel has no memory for tensors of dynamic shape, reductions of such
// tensors are kernels of their own; elementwise ops share one loop.
// CHECK-LABEL: ingot.entry @unknown
// CHECK: ingot.fusion "fused_square_root_loss"
// APART-LABEL: ingot.entry @unknown
// APART: ingot.fusion "fused_square_root"
// APART-NEXT: ingot.mul
// APART-NEXT: ingot.sqrt
// APART-NEXT: ingot.return
// APART: ingot.fusion "loss"
// APART: ingot.sum
ingot.entry @unknown role(other) feeds ["x:0"] fetches ["l:0"] variables [] updates [] {
^bb0(%x: tensor<?xf32>):
  %s = ingot.mul %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> loc("square")
  %r = ingot.sqrt %s : (tensor<?xf32>) -> tensor<?xf32> loc("root")
  %axes = ingot.constant dense<0> : tensor<1xi32>
  %l = ingot.sum %r, %axes : (tensor<?xf32>, tensor<1xi32>) -> tensor<f32> loc("loss")
  ingot.return %l : tensor<f32>
}

// -----

// Random numbers are drawn where they are used: a large tensor of them is never
// in memory.
// CHECK-LABEL: ingot.entry @dropout
// CHECK: ingot.fusion "fused_Scale_Draw_Keep_Drop" -> tensor<64x512xf32> {
// CHECK: ingot.stateless_random_uniform
// CHECK: ingot.greater_equal
// CHECK: ingot.select
// CHECK-NEXT: ingot.return
ingot.entry @dropout role(other) feeds ["x:0", "k:0", "c:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<64x512xf32>, %key: tensor<1xi64>, %counter: tensor<2xi64>):
  %shape = ingot.constant dense<[64, 512]> : tensor<2xi32>
  %algorithm = ingot.constant dense<1> : tensor<i32>
  %rate = ingot.constant dense<0.5> : tensor<f32>
  %zero = ingot.constant dense<0.0> : tensor<f32>
  %scaled = ingot.mul %x, %rate : (tensor<64x512xf32>, tensor<f32>) -> tensor<64x512xf32> loc("Scale")
  %r = ingot.stateless_random_uniform %shape, %key, %counter, %algorithm {dtype = f32} : (tensor<2xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<64x512xf32> loc("Draw")
  %keep = ingot.greater_equal %r, %rate : (tensor<64x512xf32>, tensor<f32>) -> tensor<64x512xi1> loc("Keep")
  %y = ingot.select %keep, %scaled, %zero : (tensor<64x512xi1>, tensor<64x512xf32>, tensor<f32>) -> tensor<64x512xf32> loc("Drop")
  ingot.return %y : tensor<64x512xf32>
}

// -----

// Rematerialization: a backward pass needs an activation's input; intermediate
// values are recomputed from a matmul that is in memory anyway.
// CHECK-LABEL: ingot.entry @activation
// CHECK: ingot.fusion "Product"
// CHECK: ingot.fusion "fused_Bias_Exp_Double" -> tensor<512x256xf32> {
// CHECK-NEXT: ingot.bias_add
// CHECK-NEXT: ingot.exp
// CHECK-NEXT: %[[Y:.*]] = ingot.add
// CHECK-NEXT: ingot.return %[[Y]]
// CHECK: ingot.fusion "Forward"
// CHECK: ingot.fusion "fused_Back" -> tensor<512x256xf32> {
// CHECK-NEXT: %[[B:.*]] = ingot.bias_add %{{.*}}, %{{.*}} : (tensor<512x256xf32>, tensor<256xf32>)
// CHECK-NEXT: %[[E:.*]] = ingot.exp %[[B]]
// CHECK-NEXT: ingot.mul %{{.*}}, %[[E]]
ingot.entry @activation role(other) feeds ["x:0", "w:0", "b:0", "v:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<512x64xf32>, %w: tensor<64x256xf32>, %b: tensor<256xf32>, %v: tensor<256x256xf32>):
  %shape = ingot.constant dense<[2, 256, 256]> : tensor<3xi32>
  %back = ingot.constant dense<[512, 256]> : tensor<2xi32>
  %p = ingot.matmul %x, %w : (tensor<512x64xf32>, tensor<64x256xf32>) -> tensor<512x256xf32> loc("Product")
  %q = ingot.reshape %p, %shape : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<2x256x256xf32>
  %r = ingot.reshape %q, %back : (tensor<2x256x256xf32>, tensor<2xi32>) -> tensor<512x256xf32>
  %s = ingot.bias_add %r, %b : (tensor<512x256xf32>, tensor<256xf32>) -> tensor<512x256xf32> loc("Bias")
  %e = ingot.exp %s : (tensor<512x256xf32>) -> tensor<512x256xf32> loc("Exp")
  %d = ingot.add %e, %e : (tensor<512x256xf32>, tensor<512x256xf32>) -> tensor<512x256xf32> loc("Double")
  %f = ingot.matmul %d, %v : (tensor<512x256xf32>, tensor<256x256xf32>) -> tensor<512x256xf32> loc("Forward")
  %f2 = ingot.reshape %f, %shape : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<2x256x256xf32>
  %f3 = ingot.reshape %f2, %back : (tensor<2x256x256xf32>, tensor<2xi32>) -> tensor<512x256xf32>
  %g = ingot.mul %f3, %e : (tensor<512x256xf32>, tensor<512x256xf32>) -> tensor<512x256xf32> loc("Back")
  ingot.return %g : tensor<512x256xf32>
}

// -----

// A power of one or two multiplications is as cheap.
// CHECK-LABEL: ingot.entry @powers
// CHECK: ingot.fusion "fused_Cube_Tanh_Double" -> tensor<512x256xf32> {
// CHECK: ingot.fusion "Forward"
// CHECK: ingot.fusion "fused_Back" -> tensor<512x256xf32> {
// CHECK-NEXT: %[[C:.*]] = ingot.pow
// CHECK-NEXT: %[[T:.*]] = ingot.tanh %[[C]]
// CHECK-NEXT: ingot.mul %{{.*}}, %[[T]]
// CHECK-LABEL: ingot.entry @long_powers
// CHECK: ingot.fusion "fused_Power_Tanh_Double" -> tensor<512x256xf32>, tensor<512x256xf32> {
ingot.entry @powers role(other) feeds ["x:0", "w:0", "v:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<512x64xf32>, %w: tensor<64x256xf32>, %v: tensor<256x256xf32>):
  %three = ingot.constant dense<3.0> : tensor<f32>
  %flat = ingot.constant dense<[2, 256, 256]> : tensor<3xi32>
  %back = ingot.constant dense<[512, 256]> : tensor<2xi32>
  %p = ingot.matmul %x, %w : (tensor<512x64xf32>, tensor<64x256xf32>) -> tensor<512x256xf32> loc("Product")
  %q = ingot.reshape %p, %flat : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<2x256x256xf32>
  %r = ingot.reshape %q, %back : (tensor<2x256x256xf32>, tensor<2xi32>) -> tensor<512x256xf32>
  %s = ingot.pow %r, %three : (tensor<512x256xf32>, tensor<f32>) -> tensor<512x256xf32> loc("Cube")
  %e = ingot.tanh %s : (tensor<512x256xf32>) -> tensor<512x256xf32> loc("Tanh")
  %d = ingot.add %e, %e : (tensor<512x256xf32>, tensor<512x256xf32>) -> tensor<512x256xf32> loc("Double")
  %f = ingot.matmul %d, %v : (tensor<512x256xf32>, tensor<256x256xf32>) -> tensor<512x256xf32> loc("Forward")
  %f2 = ingot.reshape %f, %flat : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<2x256x256xf32>
  %f3 = ingot.reshape %f2, %back : (tensor<2x256x256xf32>, tensor<2xi32>) -> tensor<512x256xf32>
  %g = ingot.mul %f3, %e : (tensor<512x256xf32>, tensor<512x256xf32>) -> tensor<512x256xf32> loc("Back")
  ingot.return %g : tensor<512x256xf32>
}
ingot.entry @long_powers role(other) feeds ["x:0", "w:0", "v:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<512x64xf32>, %w: tensor<64x256xf32>, %v: tensor<256x256xf32>):
  %power = ingot.constant dense<2.5> : tensor<f32>
  %flat = ingot.constant dense<[2, 256, 256]> : tensor<3xi32>
  %back = ingot.constant dense<[512, 256]> : tensor<2xi32>
  %p = ingot.matmul %x, %w : (tensor<512x64xf32>, tensor<64x256xf32>) -> tensor<512x256xf32> loc("Product")
  %q = ingot.reshape %p, %flat : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<2x256x256xf32>
  %r = ingot.reshape %q, %back : (tensor<2x256x256xf32>, tensor<2xi32>) -> tensor<512x256xf32>
  %s = ingot.pow %r, %power : (tensor<512x256xf32>, tensor<f32>) -> tensor<512x256xf32> loc("Power")
  %e = ingot.tanh %s : (tensor<512x256xf32>) -> tensor<512x256xf32> loc("Tanh")
  %d = ingot.add %e, %e : (tensor<512x256xf32>, tensor<512x256xf32>) -> tensor<512x256xf32> loc("Double")
  %f = ingot.matmul %d, %v : (tensor<512x256xf32>, tensor<256x256xf32>) -> tensor<512x256xf32> loc("Forward")
  %f2 = ingot.reshape %f, %flat : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<2x256x256xf32>
  %f3 = ingot.reshape %f2, %back : (tensor<2x256x256xf32>, tensor<2xi32>) -> tensor<512x256xf32>
  %g = ingot.mul %f3, %e : (tensor<512x256xf32>, tensor<512x256xf32>) -> tensor<512x256xf32> loc("Back")
  ingot.return %g : tensor<512x256xf32>
}

// -----

// A layer normalization is a batch normalization of the transposed matrix: both
// transposes and the views between are one kernel with it. The gradient
// transposes the matrix again. On other targets each op is a kernel.
// TURNS-LABEL: ingot.entry @layer_norm
// CHECK-LABEL: ingot.entry @layer_norm
// CHECK-COUNT-6: ingot.fusion
// TURNS: ingot.fusion "fused_Norm" -> {{.*}}tensor<512x128xf32>{{.*}} {
// TURNS-NEXT: ingot.transpose
// TURNS-NEXT: ingot.reshape
// TURNS-NEXT: ingot.fused_batch_norm
// TURNS-NEXT: ingot.reshape
// TURNS-NEXT: ingot.transpose
// TURNS: ingot.fusion "fused_{{.*}}" -> tensor<512x128xf32> {
// TURNS-COUNT-2: ingot.transpose %{{.*}} : (tensor<512x128xf32>
// TURNS: ingot.fused_batch_norm_grad
// TURNS-NEXT: ingot.reshape
// TURNS-NEXT: ingot.transpose
// TURNS-NEXT: ingot.return
// TURNS-NEXT: }
// TURNS-NEXT: ingot.return
ingot.entry @layer_norm role(other) feeds ["x:0", "g:0", "scale:0", "offset:0"] fetches ["y:0", "d:0"] variables [] updates [] {
^bb0(%x: tensor<512x128xf32>, %g: tensor<512x128xf32>, %scale: tensor<512xf32>, %offset: tensor<512xf32>):
  %turn = ingot.constant dense<[1, 0]> : tensor<2xi32>
  %as = ingot.constant dense<[1, 128, 1, 512]> : tensor<4xi64>
  %back = ingot.constant dense<[128, 512]> : tensor<2xi64>
  %none = ingot.constant dense<[]> : tensor<0xf32>
  %t = ingot.transpose %x, %turn : (tensor<512x128xf32>, tensor<2xi32>) -> tensor<128x512xf32> loc("Norm")
  %r = ingot.reshape %t, %as : (tensor<128x512xf32>, tensor<4xi64>) -> tensor<1x128x1x512xf32> loc("Norm")
  %y, %a, %b, %mean, %variance = ingot.fused_batch_norm %r, %scale, %offset, %none, %none {epsilon = 1.0e-3 : f32} : (tensor<1x128x1x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<0xf32>, tensor<0xf32>) -> (tensor<1x128x1x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) loc("Norm")
  %s = ingot.reshape %y, %back : (tensor<1x128x1x512xf32>, tensor<2xi64>) -> tensor<128x512xf32> loc("Norm")
  %n = ingot.transpose %s, %turn : (tensor<128x512xf32>, tensor<2xi32>) -> tensor<512x128xf32> loc("Norm")
  %gt = ingot.transpose %g, %turn : (tensor<512x128xf32>, tensor<2xi32>) -> tensor<128x512xf32> loc("Grad")
  %gr = ingot.reshape %gt, %as : (tensor<128x512xf32>, tensor<4xi64>) -> tensor<1x128x1x512xf32> loc("Grad")
  %dx, %dscale, %doffset = ingot.fused_batch_norm_grad %gr, %r, %scale, %mean, %variance {epsilon = 1.0e-3 : f32} : (tensor<1x128x1x512xf32>, tensor<1x128x1x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> (tensor<1x128x1x512xf32>, tensor<512xf32>, tensor<512xf32>) loc("Grad")
  %ds = ingot.reshape %dx, %back : (tensor<1x128x1x512xf32>, tensor<2xi64>) -> tensor<128x512xf32> loc("Grad")
  %d = ingot.transpose %ds, %turn : (tensor<128x512xf32>, tensor<2xi32>) -> tensor<512x128xf32> loc("Grad")
  ingot.return %n, %d : tensor<512x128xf32>, tensor<512x128xf32>
}

// -----

// Averages with decay of all rows and updates of some: one pass over them on
// targets that fuse row updates; operands of the updates are computed before.
// CHECK-LABEL: ingot.entry @decay
// CHECK: ingot.fusion "Square"
// CHECK: ingot.fusion "Decay"
// CHECK: ingot.fusion "Rows"
// CHECK: ingot.fusion "Step"
// ROWS-LABEL: ingot.entry @decay
// ROWS: %[[S:.*]] = ingot.fusion "Square"
// ROWS: ingot.fusion "fused_Decay_Rows_Step" delayed -> tensor<1024x64xf32>, tensor<1024x64xf32> {
// ROWS-NEXT: %[[D:.*]] = ingot.mul
// ROWS-NEXT: %[[U:.*]] = ingot.update_rows(%[[D]]) at %{{.*}} by(%[[S]])
// ROWS: %[[W:.*]] = ingot.sub %{{.*}}, %[[U]]
// ROWS-NEXT: ingot.return %[[U]], %[[W]]
ingot.variable @w : tensor<1024x64xf32>
ingot.variable @a : tensor<1024x64xf32>
ingot.entry @decay role(step) feeds ["i:0", "g:0"] fetches [] variables [@w, @a] updates [@w, @a] {
^bb0(%w: tensor<1024x64xf32>, %a: tensor<1024x64xf32>, %i: tensor<512xi64>, %g: tensor<512x64xf32>):
  %r = ingot.constant dense<0.5> : tensor<f32>
  %s = ingot.mul %g, %g : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32> loc("Square")
  %d = ingot.mul %a, %r : (tensor<1024x64xf32>, tensor<f32>) -> tensor<1024x64xf32> loc("Decay")
  %u = ingot.update_rows(%d) at %i by(%s) : (tensor<1024x64xf32>, tensor<512xi64>, tensor<512x64xf32>) -> tensor<1024x64xf32> {
  ^bb0(%row: tensor<64xf32>, %delta: tensor<64xf32>):
    %sum = ingot.add %row, %delta : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    ingot.yield_rows %sum : tensor<64xf32>
  } loc("Rows")
  %n = ingot.sub %w, %u : (tensor<1024x64xf32>, tensor<1024x64xf32>) -> tensor<1024x64xf32> loc("Step")
  ingot.return %n, %u : tensor<1024x64xf32>, tensor<1024x64xf32>
}

// -----

// In a loop's body runtime ops are gathered, before kernels that depend on them
// and after those that they depend on: the kernels are one run of launches.
// CHECK-LABEL: ingot.entry @runs_in_loops
// CHECK: body
// CHECK: ingot.tensor_list_pop_back
// CHECK-NEXT: ingot.tensor_list_pop_back
// CHECK-NEXT: ingot.fusion
// CHECK: ingot.matmul
// CHECK: ingot.fusion
// CHECK: ingot.matmul
// CHECK: ingot.fusion
// CHECK: ingot.add
// CHECK: ingot.tensor_list_push_back
// CHECK-NEXT: ingot.tensor_list_push_back
// CHECK-NEXT: ingot.result
ingot.entry @runs_in_loops role(step) feeds ["a:0", "b:0", "c:0", "x:0"] fetches ["c:0"] variables [] updates [] {
^bb0(%a: tensor<!ingot.variant, tensor<256x256xf32>>, %b: tensor<!ingot.variant, tensor<256x256xf32>>, %c: tensor<!ingot.variant, tensor<256x256xf32>>, %x: tensor<256x256xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %shape = ingot.constant dense<256> : tensor<2xi32>
  %r:4 = ingot.while(%zero, %a, %b, %c) : (tensor<i32>, tensor<!ingot.variant, tensor<256x256xf32>>, tensor<!ingot.variant, tensor<256x256xf32>>, tensor<!ingot.variant, tensor<256x256xf32>>) -> (tensor<i32>, tensor<!ingot.variant, tensor<256x256xf32>>, tensor<!ingot.variant, tensor<256x256xf32>>, tensor<!ingot.variant, tensor<256x256xf32>>) test {
  ^bb0(%i: tensor<i32>, %la: tensor<!ingot.variant, tensor<256x256xf32>>, %lb: tensor<!ingot.variant, tensor<256x256xf32>>, %lc: tensor<!ingot.variant, tensor<256x256xf32>>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %la: tensor<!ingot.variant, tensor<256x256xf32>>, %lb: tensor<!ingot.variant, tensor<256x256xf32>>, %lc: tensor<!ingot.variant, tensor<256x256xf32>>):
    %ra, %u = ingot.tensor_list_pop_back %la, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<256x256xf32>>, tensor<2xi32>) -> (tensor<!ingot.variant, tensor<256x256xf32>>, tensor<256x256xf32>)
    %p = ingot.matmul %u, %x : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %rc = ingot.tensor_list_push_back %lc, %p : (tensor<!ingot.variant, tensor<256x256xf32>>, tensor<256x256xf32>) -> tensor<!ingot.variant, tensor<256x256xf32>>
    %rb, %v = ingot.tensor_list_pop_back %lb, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<256x256xf32>>, tensor<2xi32>) -> (tensor<!ingot.variant, tensor<256x256xf32>>, tensor<256x256xf32>)
    %q = ingot.matmul %v, %p : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %rd = ingot.tensor_list_push_back %rc, %q : (tensor<!ingot.variant, tensor<256x256xf32>>, tensor<256x256xf32>) -> tensor<!ingot.variant, tensor<256x256xf32>>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %ra, %rb, %rd : tensor<i32>, tensor<!ingot.variant, tensor<256x256xf32>>, tensor<!ingot.variant, tensor<256x256xf32>>, tensor<!ingot.variant, tensor<256x256xf32>>
  }
  ingot.return %r#3 : tensor<!ingot.variant, tensor<256x256xf32>>
}

// -----

// Gates of a cell are slices of a large matmul's rows: ops on them read the
// slices in place, and write their results to rows that are concatenated.
// CHECK-LABEL: ingot.entry @gates
// CHECK: %[[G:.*]] = ingot.fusion "fused_split_Sigmoid_Tanh_concat" -> tensor<64x512xf32>
// CHECK-NEXT: ingot.split
// CHECK-NEXT: ingot.sigmoid
// CHECK-NEXT: ingot.tanh
// CHECK-NEXT: ingot.concat
// CHECK-NEXT: ingot.return
// CHECK: ingot.fusion "Sum"
ingot.entry @gates role(other) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<64x512xf32>):
  %axis = ingot.constant dense<1> : tensor<i32>
  %axes = ingot.constant dense<[0]> : tensor<1xi32>
  %0:2 = ingot.split %axis, %x {count = 2 : i64} : (tensor<i32>, tensor<64x512xf32>) -> (tensor<64x256xf32>, tensor<64x256xf32>) loc("split")
  %1 = ingot.sigmoid %0#0 : (tensor<64x256xf32>) -> tensor<64x256xf32> loc("Sigmoid")
  %2 = ingot.tanh %0#1 : (tensor<64x256xf32>) -> tensor<64x256xf32> loc("Tanh")
  %3 = ingot.concat %axis, %1, %2 : (tensor<i32>, tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x512xf32> loc("concat")
  %4 = ingot.sum %3, %axes : (tensor<64x512xf32>, tensor<1xi32>) -> tensor<512xf32> loc("Sum")
  ingot.return %4 : tensor<512xf32>
}

// -----

// Not in place: a slice of a tensor that the same kernel computes would have to
// be complete first; tensors stacked along rows; and values with other uses.
// CHECK-LABEL: ingot.entry @no_gates
// CHECK: ingot.fusion "Exp"
// CHECK-NEXT: ingot.exp
// CHECK-NEXT: ingot.return
// CHECK: ingot.fusion "fused_split_Sigmoid_Tanh"
// CHECK: ingot.fusion "below"
// CHECK-NEXT: ingot.concat
// CHECK: ingot.fusion "twice"
// CHECK-NEXT: ingot.concat
ingot.entry @no_gates role(other) feeds ["x:0"] fetches ["y:0", "z:0", "s:0"] variables [] updates [] {
^bb0(%x: tensor<64x512xf32>):
  %axis = ingot.constant dense<1> : tensor<i32>
  %rows = ingot.constant dense<0> : tensor<i32>
  %e = ingot.exp %x : (tensor<64x512xf32>) -> tensor<64x512xf32> loc("Exp")
  %0:2 = ingot.split %axis, %e {count = 2 : i64} : (tensor<i32>, tensor<64x512xf32>) -> (tensor<64x256xf32>, tensor<64x256xf32>) loc("split")
  %1 = ingot.sigmoid %0#0 : (tensor<64x256xf32>) -> tensor<64x256xf32> loc("Sigmoid")
  %2 = ingot.tanh %0#1 : (tensor<64x256xf32>) -> tensor<64x256xf32> loc("Tanh")
  %3 = ingot.concat %rows, %1, %2 : (tensor<i32>, tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<128x256xf32> loc("below")
  %4 = ingot.concat %axis, %1, %2 : (tensor<i32>, tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x512xf32> loc("twice")
  ingot.return %3, %4, %1 : tensor<128x256xf32>, tensor<64x512xf32>, tensor<64x256xf32>
}

// -----

// A large reshape with dynamic batch size is a view, too.
// CHECK-LABEL: ingot.entry @any_batch
// CHECK: ingot.reshape
// CHECK-NOT: ingot.fusion {{.*}}{
// CHECK: ingot.fusion
// CHECK-NEXT: ingot.relu
ingot.entry @any_batch role(other) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x64x32xf32>):
  %s = ingot.constant dense<[-1, 32]> : tensor<2xi64>
  %r = ingot.reshape %x, %s : (tensor<?x64x32xf32>, tensor<2xi64>) -> tensor<?x32xf32>
  %y = ingot.relu %r : (tensor<?x32xf32>) -> tensor<?x32xf32>
  ingot.return %y : tensor<?x32xf32>
}

// -----

// The gradient of a softmax: every op needs the same row of the others, so
// where a block computes a row, it is one kernel. A sum of columns is another.

// LOCAL-LABEL: ingot.entry @rows
// LOCAL: ingot.fusion "fused_Mul_Sum_Tile_Sub_Mul_1" -> tensor<64x1024xf32>
// LOCAL-NOT: ingot.fusion "Sub"
// LOCAL: ingot.fusion "Columns"
// CHECK-LABEL: ingot.entry @rows
// CHECK: ingot.fusion "Mul" -> tensor<64x1024xf32>
// CHECK: ingot.fusion "Sum" -> tensor<64x1xf32>
ingot.entry @rows role(other) feeds ["x:0", "y:0"] fetches ["z:0", "s:0"] variables [] updates [] {
^bb0(%x: tensor<64x1024xf32>, %y: tensor<64x1024xf32>):
  %last = ingot.constant dense<-1> : tensor<1xi32>
  %first = ingot.constant dense<0> : tensor<1xi32>
  %times = ingot.constant dense<[1, 1024]> : tensor<2xi32>
  %0 = ingot.mul %x, %y : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32> loc("Mul")
  %1 = ingot.sum %0, %last {keep_dims = true} : (tensor<64x1024xf32>, tensor<1xi32>) -> tensor<64x1xf32> loc("Sum")
  %2 = ingot.tile %1, %times : (tensor<64x1xf32>, tensor<2xi32>) -> tensor<64x1024xf32> loc("Tile")
  %3 = ingot.sub %x, %2 : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32> loc("Sub")
  %4 = ingot.mul %3, %y : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32> loc("Mul_1")
  %5 = ingot.sum %4, %first : (tensor<64x1024xf32>, tensor<1xi32>) -> tensor<1024xf32> loc("Columns")
  ingot.return %4, %5 : tensor<64x1024xf32>, tensor<1024xf32>
}

// -----

// Rows of another length, or few of them, are no rows of one kernel.

// LOCAL-LABEL: ingot.entry @long_rows
// LOCAL: ingot.fusion "Mul" -> tensor<64x2048xf32>
// LOCAL: ingot.fusion "Sum" -> tensor<64x1xf32>
ingot.entry @long_rows role(other) feeds ["x:0"] fetches ["z:0"] variables [] updates [] {
^bb0(%x: tensor<64x2048xf32>):
  %last = ingot.constant dense<-1> : tensor<1xi32>
  %0 = ingot.mul %x, %x : (tensor<64x2048xf32>, tensor<64x2048xf32>) -> tensor<64x2048xf32> loc("Mul")
  %1 = ingot.sum %0, %last {keep_dims = true} : (tensor<64x2048xf32>, tensor<1xi32>) -> tensor<64x1xf32> loc("Sum")
  ingot.return %1 : tensor<64x1xf32>
}

// LOCAL-LABEL: ingot.entry @few_rows
// LOCAL: ingot.fusion "Mul" -> tensor<32x1024xf32>
// LOCAL: ingot.fusion "Sum" -> tensor<32x1xf32>
ingot.entry @few_rows role(other) feeds ["x:0"] fetches ["z:0"] variables [] updates [] {
^bb0(%x: tensor<32x1024xf32>):
  %last = ingot.constant dense<-1> : tensor<1xi32>
  %0 = ingot.mul %x, %x : (tensor<32x1024xf32>, tensor<32x1024xf32>) -> tensor<32x1024xf32> loc("Mul")
  %1 = ingot.sum %0, %last {keep_dims = true} : (tensor<32x1024xf32>, tensor<1xi32>) -> tensor<32x1xf32> loc("Sum")
  ingot.return %1 : tensor<32x1xf32>
}

// -----

// The formula of an optimizer on a large variable waits for what may end the
// run, although it comes before it, and its kernel may then overwrite the
// variable. It does not wait for the rest: a gradient takes up memory only until
// it is used. The variable's other reader comes before.
// CHECK-LABEL: ingot.entry @formula
// CHECK-DAG: ingot.fusion "reader"
// CHECK-DAG: ingot.require_numbers
// CHECK: ingot.fusion "fused_slot_parameter" delayed -> tensor<64x32xf32>, tensor<64x32xf32> {
// CHECK: ingot.fusion "later"
ingot.variable @w : tensor<64x32xf32>
ingot.variable @m : tensor<64x32xf32>
ingot.entry @formula role(step) feeds ["x:0", "n:0"] fetches ["y:0", "z:0"] variables [@w, @m] updates [@w, @m] {
^bb0(%w: tensor<64x32xf32>, %m: tensor<64x32xf32>, %x: tensor<64x32xf32>, %n: tensor<4xi32>):
  %axes = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %0 = ingot.add %m, %x : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32> loc("slot")
  %1 = ingot.sub %w, %0 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32> loc("parameter")
  ingot.require_numbers %n {kind = "divisor"} : (tensor<4xi32>) -> () loc("number")
  %2 = ingot.sum %w, %axes : (tensor<64x32xf32>, tensor<2xi32>) -> tensor<f32> loc("reader")
  %3 = ingot.sum %x, %axes : (tensor<64x32xf32>, tensor<2xi32>) -> tensor<f32> loc("later")
  ingot.return %2, %3, %1, %0 : tensor<f32>, tensor<f32>, tensor<64x32xf32>, tensor<64x32xf32>
}

// -----

// What the formulas of several large variables read is a kernel of its own: in
// the kernel of one, the others would wait for that one's gradient.
// CHECK-LABEL: ingot.entry @rate_of_two
// CHECK: ingot.fusion "rate" -> tensor<f32>
// CHECK: ingot.fusion "fused_first_step_first" delayed
// CHECK: ingot.fusion "fused_gradient_second_step_second" delayed
ingot.variable @w : tensor<64x32xf32>
ingot.variable @v : tensor<64x64xf32>
ingot.entry @rate_of_two role(step) feeds ["x:0", "r:0"] fetches [] variables [@w, @v] updates [@w, @v] {
^bb0(%w: tensor<64x32xf32>, %v: tensor<64x64xf32>, %x: tensor<64x32xf32>, %r: tensor<f32>):
  %0 = ingot.matmul %x, %x {transpose_b = true} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32> loc("gradient")
  %1 = ingot.exp %r : (tensor<f32>) -> tensor<f32> loc("rate")
  %2 = ingot.mul %x, %1 : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32> loc("first_step")
  %3 = ingot.sub %w, %2 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32> loc("first")
  %4 = ingot.add %0, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("second_step")
  %5 = ingot.sub %4, %1 : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32> loc("second")
  ingot.return %3, %5 : tensor<64x32xf32>, tensor<64x64xf32>
}

// -----

// Gathers of large tensors are part of the kernel that computes with what they
// yield, as in a resize. One that reads what the kernel computes is not.
// CHECK-LABEL: ingot.entry @interpolation
// CHECK: %[[I:.*]] = ingot.fusion "fused_first_second_sub_mul_add" -> tensor<64x64x90x3xf32> {
// CHECK-NEXT: ingot.gather
// CHECK-NEXT: ingot.gather
// CHECK-NEXT: ingot.sub
// CHECK-NEXT: ingot.mul
// CHECK-NEXT: %[[SUM:.*]] = ingot.add
// CHECK-NEXT: ingot.return %[[SUM]]
// CHECK: ingot.fusion "third" -> tensor<64x64x90x3xf32> {
// CHECK-NEXT: ingot.gather %[[I]]
ingot.entry @interpolation role(other) feeds ["x:0", "i:0", "j:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<64x30x90x3xf32>, %i: tensor<64xi32>, %j: tensor<64xi32>, %w: tensor<64x1x1xf32>):
  %axis = ingot.constant dense<1> : tensor<i32>
  %0 = ingot.gather %x, %i, %axis : (tensor<64x30x90x3xf32>, tensor<64xi32>, tensor<i32>) -> tensor<64x64x90x3xf32> loc("first")
  %1 = ingot.gather %x, %j, %axis : (tensor<64x30x90x3xf32>, tensor<64xi32>, tensor<i32>) -> tensor<64x64x90x3xf32> loc("second")
  %2 = ingot.sub %1, %0 : (tensor<64x64x90x3xf32>, tensor<64x64x90x3xf32>) -> tensor<64x64x90x3xf32> loc("sub")
  %3 = ingot.mul %2, %w : (tensor<64x64x90x3xf32>, tensor<64x1x1xf32>) -> tensor<64x64x90x3xf32> loc("mul")
  %4 = ingot.add %0, %3 : (tensor<64x64x90x3xf32>, tensor<64x64x90x3xf32>) -> tensor<64x64x90x3xf32> loc("add")
  %5 = ingot.gather %4, %i, %axis : (tensor<64x64x90x3xf32>, tensor<64xi32>, tensor<i32>) -> tensor<64x64x90x3xf32> loc("third")
  ingot.return %5 : tensor<64x64x90x3xf32>
}
