// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-split-batch-into-slices=slices=2 --split-input-file | FileCheck %s
// RUN: ingot-opt %s --ingot-split-batch-into-slices --split-input-file | FileCheck %s --check-prefix=NOT

// Without slices nothing changes.
// NOT-NOT: slice_region

// A dense layer with its gradients: sums over the batch are exchanged, the
// update is computed once.
// CHECK-LABEL: ingot.entry @step
// CHECK-SAME: role(step)
// CHECK: %[[W:.*]]: tensor<3x2xf32>, %[[B:.*]]: tensor<2xf32>
// CHECK: %[[N:.*]]:2 = ingot.iterator_next
// CHECK: %[[R:.*]]:3 = ingot.slice_region(%[[N]]#0, %[[N]]#1) slices 2 cuts [0, 0] exchanges ["sum", "sum", "sum"] joins [0, 0, 0]
// CHECK: ^bb0(%[[X:.*]]: tensor<4x3xf32>, %[[Y:.*]]: tensor<4x2xf32>):
// CHECK: %[[P:.*]] = ingot.matmul %[[X]], %[[W]] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
// CHECK: %[[Q:.*]] = ingot.bias_add %[[P]], %[[B]]
// CHECK: %[[D:.*]] = ingot.sub %[[Q]], %[[Y]]
// CHECK: ingot.sum {{.*}} : (tensor<4x2xf32>, tensor<2xi32>) -> tensor<f32>
// CHECK: ingot.matmul %[[X]], %[[D]] {transpose_a = true} : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
// CHECK: ingot.bias_add_grad %[[D]]
// CHECK: ingot.result
// CHECK: ingot.apply_gradient_descent %[[W]], {{.*}}, %[[R]]#
// CHECK: ingot.apply_gradient_descent %[[B]], {{.*}}, %[[R]]#
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

// A mean over the batch is a sum over slices, divided by the rows of the whole
// batch. Work on rows that needs it is the next phase, to which slices keep
// their parts.
// CHECK-LABEL: ingot.entry @step
// CHECK: %[[X:.*]] = ingot.iterator_next
// CHECK: %[[R:.*]]:2 = ingot.slice_region(%[[X]]) slices 2 cuts [0] exchanges ["keep", "sum"] joins [0, 0]
// CHECK: ingot.exp
// CHECK: ingot.sum {{.*}} : (tensor<4x3xf32>, tensor<1xi32>) -> tensor<3xf32>
// CHECK: %[[N:.*]] = ingot.constant dense<8.000000e+00>
// CHECK: %[[M:.*]] = ingot.real_div %[[R]]#1, %[[N]]
// CHECK: ingot.slice_region(%[[R]]#0) slices 2 cuts [0] exchanges ["max"] joins [0]
// CHECK: ingot.sub %{{.*}}, %[[M]] : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
// CHECK: ingot.max
ingot.iterator @it : [tensor<8x3xf32>] {
  %x = ingot.constant dense<1.0> : tensor<8x3xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<8x3xf32>) -> !ingot.dataset<tensor<8x3xf32>>
  ingot.yield %0 : <tensor<8x3xf32>>
}
ingot.entry @step role(step) feeds [] fetches ["loss:0"] variables [] updates [] {
  %axis = ingot.constant dense<0> : tensor<1xi32>
  %axes = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %x = ingot.iterator_next @it : tensor<8x3xf32>
  %e = ingot.exp %x : (tensor<8x3xf32>) -> tensor<8x3xf32>
  %m = ingot.mean %e, %axis : (tensor<8x3xf32>, tensor<1xi32>) -> tensor<3xf32>
  %d = ingot.sub %e, %m : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
  %loss = ingot.max %d, %axes : (tensor<8x3xf32>, tensor<2xi32>) -> tensor<f32>
  ingot.return %loss : tensor<f32>
}

// -----

// What an op without a rule reads, a sort along the batch say, is gathered: of
// a cut along another dimension, that dimension first. A value of the whole
// batch that meets rows is cut, and a reshape gets the slice's shape.
// CHECK-LABEL: ingot.entry @step
// CHECK: %[[X:.*]] = ingot.iterator_next
// CHECK: %[[ALL:.*]] = ingot.range
// CHECK: %[[R:.*]]:3 = ingot.slice_region(%[[X]], %[[ALL]]) slices 2 cuts [0, 0] exchanges ["gather", "sum", "gather"] joins [0, 0, 0]
// CHECK: ^bb0(%[[ROWS:.*]]: tensor<4x3xf32>, %[[PLACES:.*]]: tensor<4xf32>):
// CHECK: %[[T:.*]] = ingot.transpose %[[ROWS]], %{{.*}} -> tensor<3x4xf32>
// CHECK: ingot.mul %[[T]], %[[PLACES]] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
// CHECK: %[[S:.*]] = ingot.constant dense<12> : tensor<1xi32>
// CHECK: ingot.reshape %[[ROWS]], %[[S]] : (tensor<4x3xf32>, tensor<1xi32>) -> tensor<12xf32>
// CHECK: ingot.transpose {{.*}} : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<4x3xf32>
// CHECK: %[[BACK:.*]] = ingot.transpose %[[R]]#0, %{{.*}} : (tensor<8x3xf32>, tensor<2xi32>) -> tensor<3x8xf32>
// CHECK: ingot.cumulative %[[BACK]]
// CHECK: ingot.return %[[R]]#1, %{{.*}}, %[[R]]#2
ingot.iterator @it : [tensor<8x3xf32>] {
  %x = ingot.constant dense<1.0> : tensor<8x3xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<8x3xf32>) -> !ingot.dataset<tensor<8x3xf32>>
  ingot.yield %0 : <tensor<8x3xf32>>
}
ingot.entry @step role(step) feeds [] fetches ["loss:0", "running:0", "flat:0"] variables [] updates [] {
  %zero = ingot.constant dense<0.0> : tensor<f32>
  %one = ingot.constant dense<1.0> : tensor<f32>
  %eight = ingot.constant dense<8.0> : tensor<f32>
  %last = ingot.constant dense<1> : tensor<i32>
  %axes = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %order = ingot.constant dense<[1, 0]> : tensor<2xi32>
  %flat = ingot.constant dense<[24]> : tensor<1xi32>
  %x = ingot.iterator_next @it : tensor<8x3xf32>
  %places = ingot.range %zero, %eight, %one : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<8xf32>
  %t = ingot.transpose %x, %order : (tensor<8x3xf32>, tensor<2xi32>) -> tensor<3x8xf32>
  %p = ingot.mul %t, %places : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
  %c = ingot.cumulative %p, %last {kind = "sum"} : (tensor<3x8xf32>, tensor<i32>) -> tensor<3x8xf32>
  %loss = ingot.sum %p, %axes : (tensor<3x8xf32>, tensor<2xi32>) -> tensor<f32>
  %f = ingot.reshape %x, %flat : (tensor<8x3xf32>, tensor<1xi32>) -> tensor<24xf32>
  ingot.return %loss, %c, %f : tensor<f32>, tensor<3x8xf32>, tensor<24xf32>
}

// -----

// Slices that do not divide the batch have any number of rows. Of [5, 3] as
// [15] there are 3 elements a row, and the cut is between rows.
// CHECK-LABEL: ingot.entry @step
// CHECK: %[[X:.*]] = ingot.iterator_next
// CHECK: %[[R:.*]]:2 = ingot.slice_region(%[[X]]) slices 2 cuts [0] exchanges ["gather", "sum"] joins [0, 0] : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<f32>)
// CHECK: ^bb0(%[[ROWS:.*]]: tensor<?x3xf32>):
// CHECK: %[[S:.*]] = ingot.constant dense<-1> : tensor<1xi32>
// CHECK: %[[F:.*]] = ingot.reshape %[[ROWS]], %[[S]] : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>
// CHECK: ingot.sum %[[F]]
// CHECK: ingot.reshape %[[F]], %{{.*}} : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x3xf32>
// CHECK: %[[ALL:.*]] = ingot.reshape %[[R]]#0, %{{.*}} -> tensor<15xf32>
// CHECK: ingot.return %[[R]]#1, %[[ALL]]
ingot.iterator @it : [tensor<5x3xf32>] {
  %x = ingot.constant dense<1.0> : tensor<5x3xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<5x3xf32>) -> !ingot.dataset<tensor<5x3xf32>>
  ingot.yield %0 : <tensor<5x3xf32>>
}
ingot.entry @step role(step) feeds [] fetches ["loss:0", "flat:0"] variables [] updates [] {
  %axis = ingot.constant dense<0> : tensor<1xi32>
  %flat = ingot.constant dense<[15]> : tensor<1xi32>
  %x = ingot.iterator_next @it : tensor<5x3xf32>
  %f = ingot.reshape %x, %flat : (tensor<5x3xf32>, tensor<1xi32>) -> tensor<15xf32>
  %loss = ingot.sum %f, %axis : (tensor<15xf32>, tensor<1xi32>) -> tensor<f32>
  ingot.return %loss, %f : tensor<f32>, tensor<15xf32>
}

// -----

// A batch whose size only the run knows. The size that divides the sum is that
// of the whole batch, though the graph asks a tensor that slices compute for
// it, and nothing is gathered.
// CHECK-LABEL: ingot.entry @step
// CHECK: ^bb0(%[[X:.*]]: tensor<?x3xf32>):
// CHECK: %[[R:.*]] = ingot.slice_region(%[[X]]) slices 2 cuts [0] exchanges ["sum"] joins [0] : (tensor<?x3xf32>) -> tensor<f32>
// CHECK: ^bb0(%{{.*}}: tensor<?x3xf32>):
// CHECK: ingot.shape %[[X]]
// CHECK: %[[N:.*]] = ingot.prod
// CHECK: %[[COUNT:.*]] = ingot.cast %[[N]]
// CHECK: ingot.real_div %[[R]], %[[COUNT]]
ingot.entry @step role(step) feeds ["x:0"] fetches ["loss:0"] variables [] updates [] {
^bb0(%x: tensor<?x3xf32>):
  %axis = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %e = ingot.exp %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %loss = ingot.mean %e, %axis : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<f32>
  ingot.return %loss : tensor<f32>
}

// -----

// A batch normalization is two sums over the batch, the second of which needs
// the first.
// CHECK-LABEL: ingot.entry @step
// CHECK: %[[SUM:.*]] = ingot.slice_region({{.*}} exchanges ["sum"]
// CHECK: %[[MEAN:.*]] = ingot.real_div %[[SUM]]
// CHECK: %[[SQUARES:.*]] = ingot.slice_region({{.*}} exchanges ["sum"]
// CHECK: ingot.sub %{{.*}}, %[[MEAN]] : (tensor<2x2x2x3xf32>, tensor<3xf32>)
// CHECK: ingot.real_div %[[SQUARES]]
// CHECK: ingot.slice_region({{.*}} exchanges ["gather"]
// CHECK: ingot.sub %{{.*}}, %[[MEAN]] : (tensor<2x2x2x3xf32>, tensor<3xf32>)
// CHECK-NOT: fused_batch_norm
ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4x2x2x3xf32>):
  %scale = ingot.constant dense<2.0> : tensor<3xf32>
  %offset = ingot.constant dense<1.0> : tensor<3xf32>
  %none = ingot.constant dense<0.0> : tensor<0xf32>
  %y, %m, %v, %sm, %sv = ingot.fused_batch_norm %x, %scale, %offset, %none, %none
    : (tensor<4x2x2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0xf32>, tensor<0xf32>)
      -> (tensor<4x2x2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  ingot.return %y : tensor<4x2x2x3xf32>
}

// -----

// What has no rule is computed of all rows; slices go on with theirs. Strings
// are not gathered: what returns all of them is such an op.
// CHECK-LABEL: ingot.entry @step
// CHECK: ^bb0(%[[X:.*]]: tensor<8x3xf32>, %[[TEXTS:.*]]: tensor<8x!ingot.string>):
// CHECK: %[[BACK:.*]] = ingot.reverse %[[X]]
// CHECK: %[[COLUMN:.*]] = ingot.reshape %[[TEXTS]], %{{.*}} -> tensor<8x1x!ingot.string>
// CHECK: ingot.slice_region(%[[BACK]], %[[COLUMN]]) slices 2 cuts [0, 0] exchanges ["sum"
// CHECK: ^bb0(%[[ROWS:.*]]: tensor<4x3xf32>, %[[PART:.*]]: tensor<4x1x!ingot.string>):
// CHECK: ingot.exp %[[ROWS]]
// CHECK: ingot.string_length %[[PART]]
// CHECK: ingot.return %{{.*}}, %{{.*}}, %[[COLUMN]]
ingot.entry @step role(step) feeds ["x:0", "texts:0"] fetches ["loss:0", "length:0", "column:0"] variables [] updates [] {
^bb0(%x: tensor<8x3xf32>, %texts: tensor<8x!ingot.string>):
  %axis = ingot.constant dense<0> : tensor<1xi32>
  %axes = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %shape = ingot.constant dense<[8, 1]> : tensor<2xi32>
  %back = ingot.reverse %x, %axis : (tensor<8x3xf32>, tensor<1xi32>) -> tensor<8x3xf32>
  %e = ingot.exp %back : (tensor<8x3xf32>) -> tensor<8x3xf32>
  %loss = ingot.sum %e, %axes : (tensor<8x3xf32>, tensor<2xi32>) -> tensor<f32>
  %column = ingot.reshape %texts, %shape : (tensor<8x!ingot.string>, tensor<2xi32>) -> tensor<8x1x!ingot.string>
  %lengths = ingot.string_length %column : (tensor<8x1x!ingot.string>) -> tensor<8x1xi32>
  %length = ingot.sum %lengths, %axes : (tensor<8x1xi32>, tensor<2xi32>) -> tensor<i32>
  ingot.return %loss, %length, %column : tensor<f32>, tensor<i32>, tensor<8x1x!ingot.string>
}

// -----

// Indices of the input are checked as a whole; a slice that checks what it has
// computed says along which dimension it has a part.
// CHECK-LABEL: ingot.entry @step
// CHECK: ^bb0(%[[FED:.*]]: tensor<8xi32>):
// CHECK: ingot.require_indices %[[FED]], %{{.*}} {kind = "gather"} : (tensor<8xi32>, tensor<1xi64>) -> ()
// CHECK: ingot.slice_region(%[[FED]])
// CHECK: ingot.require_indices %{{.*}}, %{{.*}} {kind = "gather", row_dim = 0 : i64} : (tensor<4xi32>, tensor<1xi64>) -> ()
ingot.entry @step role(step) feeds ["i:0"] fetches ["loss:0"] variables [] updates [] {
^bb0(%fed: tensor<8xi32>):
  %axis = ingot.constant dense<0> : tensor<1xi32>
  %limits = ingot.constant dense<9> : tensor<1xi64>
  ingot.require_indices %fed, %limits {kind = "gather"} : (tensor<8xi32>, tensor<1xi64>) -> ()
  %made = ingot.abs %fed : (tensor<8xi32>) -> tensor<8xi32>
  ingot.require_indices %made, %limits {kind = "gather"} : (tensor<8xi32>, tensor<1xi64>) -> ()
  %loss = ingot.sum %made, %axis : (tensor<8xi32>, tensor<1xi32>) -> tensor<i32>
  ingot.return %loss : tensor<i32>
}

// -----

// A padding along the batch, which has no rule, gathers. Its result has a size
// that only the run knows, here that of the whole batch, so rows of a slice are
// not added to it: they are gathered, too.
// CHECK-LABEL: ingot.entry @step
// CHECK: %[[R:.*]]:2 = ingot.slice_region(%{{.*}}) slices 2 cuts [0] exchanges ["gather", "gather"]
// CHECK: ingot.exp
// CHECK: ingot.square
// CHECK: %[[P:.*]] = ingot.pad %[[R]]#0
// CHECK: %[[A:.*]] = ingot.add %[[R]]#1, %[[P]] : (tensor<8x3xf32>, tensor<?x3xf32>) -> tensor<8x3xf32>
// CHECK: ingot.slice_region(%[[A]])
ingot.iterator @it : [tensor<8x3xf32>] {
  %x = ingot.constant dense<1.0> : tensor<8x3xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<8x3xf32>) -> !ingot.dataset<tensor<8x3xf32>>
  ingot.yield %0 : <tensor<8x3xf32>>
}
ingot.entry @step role(step) feeds ["paddings:0"] fetches ["loss:0"] variables [] updates [] {
^bb0(%paddings: tensor<2x2xi32>):
  %axes = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %zero = ingot.constant dense<0.0> : tensor<f32>
  %x = ingot.iterator_next @it : tensor<8x3xf32>
  %e = ingot.exp %x : (tensor<8x3xf32>) -> tensor<8x3xf32>
  %s = ingot.square %x : (tensor<8x3xf32>) -> tensor<8x3xf32>
  %p = ingot.pad %e, %paddings, %zero : (tensor<8x3xf32>, tensor<2x2xi32>, tensor<f32>) -> tensor<?x3xf32>
  %a = ingot.add %s, %p : (tensor<8x3xf32>, tensor<?x3xf32>) -> tensor<8x3xf32>
  %loss = ingot.sum %a, %axes : (tensor<8x3xf32>, tensor<2xi32>) -> tensor<f32>
  ingot.return %loss : tensor<f32>
}

// -----

// Evaluations are split, too, if slices sum something; nothing is said of those
// that are not.
// CHECK-LABEL: ingot.entry @evaluate
// CHECK: ingot.slice_region(%{{.*}}) slices 2 cuts [0] exchanges ["sum"] joins [0]
// CHECK-LABEL: ingot.entry @whole
// CHECK-NOT: slice_region
ingot.entry @evaluate role(evaluate) feeds ["x:0"] fetches ["sum:0"] variables [] updates [] {
^bb0(%x: tensor<8x3xf32>):
  %axes = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %sum = ingot.sum %x, %axes : (tensor<8x3xf32>, tensor<2xi32>) -> tensor<f32>
  ingot.return %sum : tensor<f32>
}
ingot.entry @whole role(evaluate) feeds ["y:0"] fetches ["e:0"] variables [] updates [] {
^bb0(%y: tensor<8x3xf32>):
  %e = ingot.exp %y : (tensor<8x3xf32>) -> tensor<8x3xf32>
  ingot.return %e : tensor<8x3xf32>
}
