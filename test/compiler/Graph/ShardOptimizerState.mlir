// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-split-batch-into-slices=slices=2 --ingot-shard-optimizer-state="slices=2 min-bytes=256" --split-input-file | FileCheck %s
// RUN: ingot-opt %s --ingot-split-batch-into-slices=slices=2 --ingot-shard-optimizer-state="slices=2 min-bytes=256" --split-input-file --verify-diagnostics -o /dev/null
// RUN: ingot-opt %s --ingot-split-batch-into-slices=slices=2 --ingot-shard-optimizer-state=slices=2 --split-input-file | FileCheck %s --check-prefix=NOT

// Without a least size nothing changes.
// NOT-NOT: in_place

// Slots are divided, and the weights' parts gathered. The gradient is too small
// to be scattered. The slot of the bias is smaller than min-bytes.
// CHECK-LABEL: ingot.variable @w : tensor<64x4xf32> {trainable}
// CHECK: ingot.variable @m : tensor<64x4xf32> {ingot.shards = 2 : i64}
// CHECK-NOT: ingot.shards
// CHECK: ^bb0(%[[W:.*]]: tensor<64x4xf32>, %[[M:.*]]: tensor<64x4xf32>, %[[B:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>):
// CHECK: %[[G:.*]]:2 = ingot.slice_region(%{{.*}}) slices 2 cuts [0] exchanges ["sum", "sum"]
// CHECK: ingot.apply_momentum %[[B]], %[[C]]
// CHECK-DAG: %[[WF:.*]] = ingot.reshape %[[W]], %{{.*}} -> tensor<256xf32>
// CHECK-DAG: %[[MF:.*]] = ingot.reshape %[[M]], %{{.*}} -> tensor<256xf32>
// CHECK-DAG: %[[GF:.*]] = ingot.reshape %[[G]]#0, %{{.*}} -> tensor<256xf32>
// CHECK: %[[R:.*]]:2 = ingot.slice_region(%[[GF]], %[[WF]], %[[MF]]) slices 2 cuts [0, 0, 0] exchanges ["gather_in_place", "keep_in_place"] joins [1, 2]
// CHECK: ^bb0(%[[GP:.*]]: tensor<128xf32>, %[[WP:.*]]: tensor<128xf32>, %[[MP:.*]]: tensor<128xf32>):
// The decay of the gradient, which only the update reads, is computed there.
// CHECK: %[[D:.*]] = ingot.mul %[[GP]], %{{.*}} : (tensor<128xf32>, tensor<f32>) -> tensor<128xf32>
// CHECK: %[[U:.*]], %[[V:.*]] = ingot.apply_momentum %[[WP]], %[[MP]], %{{.*}}, %[[D]], %{{.*}} -> (tensor<128xf32>, tensor<128xf32>)
// CHECK: ingot.result %[[U]], %[[V]]
// CHECK: %[[W1:.*]] = ingot.reshape %[[R]]#0, %{{.*}} -> tensor<64x4xf32>
// CHECK: %[[M1:.*]] = ingot.reshape %[[R]]#1, %{{.*}} -> tensor<64x4xf32>
// CHECK: ingot.return %[[W1]], %[[M1]]
module { // expected-remark {{processes divide 1 variables of optimizers among them, of 1024 bytes together}}
ingot.variable @w : tensor<64x4xf32> {trainable}
ingot.variable @m : tensor<64x4xf32>
ingot.variable @b : tensor<4xf32> {trainable}
ingot.variable @c : tensor<4xf32>
ingot.iterator @it : [tensor<8x64xf32>] {
  %x = ingot.constant dense<1.0> : tensor<8x64xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<8x64xf32>) -> !ingot.dataset<tensor<8x64xf32>>
  ingot.yield %0 : <tensor<8x64xf32>>
}
// expected-remark @below {{2 slices}}
ingot.entry @step role(step) feeds [] fetches [] variables [@w, @m, @b, @c] updates [@w, @m, @b, @c] {
^bb0(%w: tensor<64x4xf32>, %m: tensor<64x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
  %rate = ingot.constant dense<0.1> : tensor<f32>
  %x = ingot.iterator_next @it : tensor<8x64xf32>
  %p = ingot.matmul %x, %w : (tensor<8x64xf32>, tensor<64x4xf32>) -> tensor<8x4xf32>
  %q = ingot.bias_add %p, %b : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %dw = ingot.matmul %x, %q {transpose_a = true} : (tensor<8x64xf32>, tensor<8x4xf32>) -> tensor<64x4xf32>
  %db = ingot.bias_add_grad %q : (tensor<8x4xf32>) -> tensor<4xf32>
  %d = ingot.mul %dw, %rate : (tensor<64x4xf32>, tensor<f32>) -> tensor<64x4xf32>
  %w1, %m1 = ingot.apply_momentum %w, %m, %rate, %d, %rate : (tensor<64x4xf32>, tensor<64x4xf32>, tensor<f32>, tensor<64x4xf32>, tensor<f32>) -> (tensor<64x4xf32>, tensor<64x4xf32>)
  %b1, %c1 = ingot.apply_momentum %b, %c, %rate, %db, %rate : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  ingot.return %w1, %m1, %b1, %c1 : tensor<64x4xf32>, tensor<64x4xf32>, tensor<4xf32>, tensor<4xf32>
}
}

// -----

// A gradient of 64 KiB is scattered. Slots of other uses, and those that have no
// equal parts, keep all parts everywhere.
// CHECK-LABEL: ingot.variable @a : tensor<128x128xf32> {ingot.shards = 2 : i64}
// CHECK-NOT: ingot.shards
// CHECK: exchanges ["reduce_scatter"] joins [2]
// CHECK: exchanges ["keep_in_place"{{.*}}"gather_in_place"
module { // expected-remark {{processes divide 1 variables}}
ingot.variable @w : tensor<128x128xf32> {trainable}
ingot.variable @a : tensor<128x128xf32>
// expected-remark @below {{every process keeps all of variable 'odd': its 331 elements cannot be divided into 2 or more equal parts that are aligned}}
ingot.variable @odd : tensor<331x1xf32>
// expected-remark @below {{every process keeps all of variable 'reduced': 'ingot.sum' computes on it, which is not elementwise}}
ingot.variable @reduced : tensor<64x4xf32>
// expected-remark @below {{every process keeps all of variable 'fetched': it is fetched, or a value that is computed of it}}
ingot.variable @fetched : tensor<64x4xf32>
// expected-remark @below {{every process keeps all of variable 'read': entry 'evaluate' uses it}}
ingot.variable @read : tensor<64x4xf32>
// expected-remark @below {{every process keeps all of variable 'moved': a step assigns it, or a value that is computed of it, to another variable as it is}}
ingot.variable @moved : tensor<64x4xf32>
// expected-remark @below {{every process keeps all of variable 'replaced': its new value is not computed elementwise}}
ingot.variable @replaced : tensor<64x4xf32>
// expected-remark @below {{every process keeps all of variable 'unread': a step assigns it without reading it}}
ingot.variable @unread : tensor<64x4xf32>
ingot.iterator @it : [tensor<8x128xf32>] {
  %x = ingot.constant dense<1.0> : tensor<8x128xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<8x128xf32>) -> !ingot.dataset<tensor<8x128xf32>>
  ingot.yield %0 : <tensor<8x128xf32>>
}
// expected-remark @below {{2 slices}}
ingot.entry @step role(step) feeds [] fetches ["sum:0", "f:0"] variables [@w, @a, @odd, @reduced, @fetched, @read, @moved, @replaced] updates [@w, @a, @odd, @reduced, @fetched, @read, @moved, @replaced, @unread] {
^bb0(%w: tensor<128x128xf32>, %a: tensor<128x128xf32>, %odd: tensor<331x1xf32>, %reduced: tensor<64x4xf32>, %fetched: tensor<64x4xf32>, %read: tensor<64x4xf32>, %moved: tensor<64x4xf32>, %replaced: tensor<64x4xf32>):
  %rate = ingot.constant dense<0.1> : tensor<f32>
  %axes = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %x = ingot.iterator_next @it : tensor<8x128xf32>
  %p = ingot.matmul %x, %w : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
  %dw = ingot.matmul %x, %p {transpose_a = true} : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<128x128xf32>
  %decayed = ingot.mul %a, %rate : (tensor<128x128xf32>, tensor<f32>) -> tensor<128x128xf32>
  %a1 = ingot.add %decayed, %dw : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %w1 = ingot.sub %w, %a1 : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %o1 = ingot.mul %odd, %rate : (tensor<331x1xf32>, tensor<f32>) -> tensor<331x1xf32>
  %sum = ingot.sum %reduced, %axes : (tensor<64x4xf32>, tensor<2xi32>) -> tensor<f32>
  %r1 = ingot.mul %reduced, %rate : (tensor<64x4xf32>, tensor<f32>) -> tensor<64x4xf32>
  %f1 = ingot.mul %fetched, %rate : (tensor<64x4xf32>, tensor<f32>) -> tensor<64x4xf32>
  %f2 = ingot.mul %fetched, %replaced : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<64x4xf32>
  %e1 = ingot.mul %read, %rate : (tensor<64x4xf32>, tensor<f32>) -> tensor<64x4xf32>
  ingot.return %sum, %f1, %w1, %a1, %o1, %r1, %f2, %e1, %moved, %read, %moved : tensor<f32>, tensor<64x4xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<331x1xf32>, tensor<64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>
}
ingot.entry @evaluate role(evaluate) feeds [] fetches ["read:0"] variables [@read] updates [] {
^bb0(%read: tensor<64x4xf32>):
  ingot.return %read : tensor<64x4xf32>
}
}

// -----

// Nothing to divide.
// CHECK-LABEL: module
// CHECK-NOT: ingot.shards
module { // expected-warning {{no optimizer state can be divided among processes: --shard-optimizer has no effect (--remarks says why)}}
ingot.variable @w : tensor<64x4xf32> {trainable}
ingot.iterator @it : [tensor<8x64xf32>] {
  %x = ingot.constant dense<1.0> : tensor<8x64xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<8x64xf32>) -> !ingot.dataset<tensor<8x64xf32>>
  ingot.yield %0 : <tensor<8x64xf32>>
}
// expected-remark @below {{2 slices}}
ingot.entry @step role(step) feeds [] fetches [] variables [@w] updates [@w] {
^bb0(%w: tensor<64x4xf32>):
  %rate = ingot.constant dense<0.1> : tensor<f32>
  %x = ingot.iterator_next @it : tensor<8x64xf32>
  %p = ingot.matmul %x, %w : (tensor<8x64xf32>, tensor<64x4xf32>) -> tensor<8x4xf32>
  %dw = ingot.matmul %x, %p {transpose_a = true} : (tensor<8x64xf32>, tensor<8x4xf32>) -> tensor<64x4xf32>
  %w1 = ingot.apply_gradient_descent %w, %rate, %dw : (tensor<64x4xf32>, tensor<f32>, tensor<64x4xf32>) -> tensor<64x4xf32>
  ingot.return %w1 : tensor<64x4xf32>
}
}
