// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-batch-matmuls-across-iterations="policy={bytes-of-list-rows=64}" | FileCheck %s
// RUN: ingot-opt %s -ingot-batch-matmuls-across-iterations="policy={bytes-of-list-rows=64} max-bytes=2559" | FileCheck %s --check-prefix=SMALL

// The matmul of an iteration's row becomes one of all rows before the loop,
// with its bias.
// CHECK-LABEL: ingot.entry @inputs
// CHECK: ^bb0(%[[X:.*]]: tensor<5x16x8xf32>, %[[W:.*]]: tensor<8x8xf32>, %[[B:.*]]: tensor<8xf32>):
// CHECK: %[[FLAT:.*]] = ingot.reshape %[[X]], %{{.*}} : (tensor<5x16x8xf32>, tensor<2xi64>) -> tensor<80x8xf32>
// CHECK: %[[P:.*]] = ingot.matmul %[[FLAT]], %[[W]] : (tensor<80x8xf32>, tensor<8x8xf32>) -> tensor<80x8xf32>
// CHECK: %[[BIASED:.*]] = ingot.bias_add %[[P]], %[[B]] :
// CHECK: %[[ROWS:.*]] = ingot.reshape %[[BIASED]], %{{.*}} -> tensor<5x16x8xf32>
// CHECK: ingot.while
// CHECK: body
// CHECK: ^bb0(%[[I:.*]]: tensor<i32>, %[[H:.*]]: tensor<16x8xf32>):
// CHECK-NEXT: %[[ROW:.*]] = ingot.rows_get %[[ROWS]], %[[I]] :
// CHECK-NEXT: %[[Q:.*]] = ingot.matmul %[[H]], %[[W]] :
// CHECK-NEXT: ingot.add %[[ROW]], %[[Q]] :
// SMALL-LABEL: ingot.entry @inputs
// SMALL: body
// SMALL: ingot.matmul
// SMALL: ingot.bias_add
// SMALL: ingot.return
ingot.entry @inputs role(step) feeds ["x:0", "w:0", "b:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %zeros = ingot.constant dense<0.0> : tensor<16x8xf32>
  %f:2 = ingot.while(%zero, %zeros) : (tensor<i32>, tensor<16x8xf32>) -> (tensor<i32>, tensor<16x8xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16x8xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16x8xf32>):
    %row = ingot.rows_get %x, %i : (tensor<5x16x8xf32>, tensor<i32>) -> tensor<16x8xf32>
    %p = ingot.matmul %row, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %c = ingot.bias_add %p, %b : (tensor<16x8xf32>, tensor<8xf32>) -> tensor<16x8xf32>
    %q = ingot.matmul %h, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %s = ingot.add %c, %q : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %n = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %n, %s : tensor<i32>, tensor<16x8xf32>
  }
  ingot.return %f#1 : tensor<16x8xf32>
}

// A gradient's loop: its values are stacked, in the order of the input's rows,
// and the gradients of weight, bias and input are computed from them after it.
// An initial value of a sum is added.
// CHECK-LABEL: ingot.entry @gradients
// CHECK: ^bb0(%[[X:.*]]: tensor<5x16x8xf32>, %[[W:.*]]: tensor<8x8xf32>, %[[B:.*]]: tensor<8xf32>, %{{.*}}: tensor<16x8xf32>):
// CHECK: %[[ROOM:.*]] = ingot.rows_empty : tensor<5x16x8xf32>
// CHECK: %[[L:.*]]:3 = ingot.while(%{{.*}}, %{{.*}}, %[[ROOM]])
// CHECK: body
// CHECK: ^bb0(%[[K:.*]]: tensor<i32>, %[[H:.*]]: tensor<16x8xf32>, %[[D:.*]]: tensor<5x16x8xf32>):
// CHECK: %[[T:.*]] = ingot.tanh
// CHECK: ingot.matmul %[[T]], %[[W]] {transpose_b = true}
// CHECK-NOT: ingot.matmul
// CHECK-NOT: ingot.bias_add_grad
// CHECK: ingot.rows_set %[[D]], %[[K]], %[[T]] {from_end}
// CHECK: ingot.result
// CHECK: %[[FX:.*]] = ingot.reshape %[[X]], {{.*}} -> tensor<80x8xf32>
// CHECK: %[[FD:.*]] = ingot.reshape %[[L]]#2, {{.*}} -> tensor<80x8xf32>
// CHECK: %[[DW:.*]] = ingot.matmul %[[FX]], %[[FD]] {transpose_a = true} : (tensor<80x8xf32>, tensor<80x8xf32>) -> tensor<8x8xf32>
// CHECK: %[[SUM:.*]] = ingot.bias_add_grad %[[FD]] : (tensor<80x8xf32>) -> tensor<8xf32>
// CHECK: %[[DB:.*]] = ingot.add %[[B]], %[[SUM]] :
// CHECK: %[[P:.*]] = ingot.matmul %[[FD]], %[[W]] {transpose_b = true} : (tensor<80x8xf32>, tensor<8x8xf32>) -> tensor<80x8xf32>
// CHECK: %[[DX:.*]] = ingot.reshape %[[P]], {{.*}} -> tensor<5x16x8xf32>
// CHECK: ingot.return %[[DW]], %[[DB]], %[[DX]]
// SMALL-LABEL: ingot.entry @gradients
// SMALL: body
// SMALL: ingot.bias_add_grad
// SMALL: ingot.return
ingot.entry @gradients role(step) feeds ["x:0", "w:0", "b:0", "h:0"] fetches ["u:0", "v:0", "z:0"] variables [] updates [] {
^bb0(%x: tensor<5x16x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %h0: tensor<16x8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %none = ingot.constant dense<0.0> : tensor<8x8xf32>
  %room = ingot.rows_empty : tensor<5x16x8xf32>
  %g:5 = ingot.while(%zero, %h0, %none, %b, %room) : (tensor<i32>, tensor<16x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<5x16x8xf32>) -> (tensor<i32>, tensor<16x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<5x16x8xf32>) test {
  ^bb0(%k: tensor<i32>, %h: tensor<16x8xf32>, %s: tensor<8x8xf32>, %t: tensor<8xf32>, %r: tensor<5x16x8xf32>):
    %less = ingot.less %k, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%k: tensor<i32>, %h: tensor<16x8xf32>, %s: tensor<8x8xf32>, %t: tensor<8xf32>, %r: tensor<5x16x8xf32>):
    %row = ingot.rows_get %x, %k {from_end} : (tensor<5x16x8xf32>, tensor<i32>) -> tensor<16x8xf32>
    %d = ingot.tanh %h : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %e = ingot.matmul %d, %w {transpose_b = true} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %i = ingot.matmul %d, %w {transpose_b = true} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %p = ingot.matmul %row, %d {transpose_a = true} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %q = ingot.bias_add_grad %d : (tensor<16x8xf32>) -> tensor<8xf32>
    %s1 = ingot.add_n %s, %p : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t1 = ingot.add_n %t, %q : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %r1 = ingot.rows_set %r, %k, %i {from_end} : (tensor<5x16x8xf32>, tensor<i32>, tensor<16x8xf32>) -> tensor<5x16x8xf32>
    %n = ingot.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %n, %e, %s1, %t1, %r1 : tensor<i32>, tensor<16x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<5x16x8xf32>
  }
  ingot.return %g#2, %g#3, %g#4 : tensor<8x8xf32>, tensor<8xf32>, tensor<5x16x8xf32>
}

// Not moved: a matmul with a loop-carried operand, a sum that the iteration
// reads, and loops that the end of input may leave.
// CHECK-LABEL: ingot.entry @stays
// CHECK-NOT: tensor<80x8xf32>
// CHECK: ingot.return
ingot.entry @stays role(step) feeds ["x:0", "w:0", "n:0"] fetches ["u:0", "v:0", "z:0"] variables [] updates [] {
^bb0(%x: tensor<5x16x8xf32>, %w: tensor<8x8xf32>, %m: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %none = ingot.constant dense<0.0> : tensor<8x8xf32>
  %g:3 = ingot.while(%zero, %w, %none) : (tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>) test {
  ^bb0(%k: tensor<i32>, %v: tensor<8x8xf32>, %s: tensor<8x8xf32>):
    %less = ingot.less %k, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%k: tensor<i32>, %v: tensor<8x8xf32>, %s: tensor<8x8xf32>):
    %row = ingot.rows_get %x, %k : (tensor<5x16x8xf32>, tensor<i32>) -> tensor<16x8xf32>
    %d = ingot.matmul %row, %v : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %p = ingot.matmul %row, %d {transpose_a = true} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %s1 = ingot.add_n %s, %p : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %v1 = ingot.tanh %s1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %n = ingot.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %n, %v1, %s1 : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  %h:2 = ingot.while(%zero, %none) : (tensor<i32>, tensor<8x8xf32>) -> (tensor<i32>, tensor<8x8xf32>) test {
  ^bb0(%k: tensor<i32>, %s: tensor<8x8xf32>):
    %less = ingot.less %k, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%k: tensor<i32>, %s: tensor<8x8xf32>):
    %row = ingot.rows_get %x, %k : (tensor<5x16x8xf32>, tensor<i32>) -> tensor<16x8xf32>
    %p = ingot.matmul %row, %row {transpose_a = true} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %s1 = ingot.add_n %s, %p : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %n = ingot.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %n, %s1 : tensor<i32>, tensor<8x8xf32>
  }
  ingot.return %g#1, %g#2, %h#1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// Concatenated parts of a gradient are concatenated after the loop.
// CHECK-LABEL: ingot.entry @parts
// CHECK: body
// CHECK-NOT: ingot.matmul
// CHECK-NOT: ingot.concat
// CHECK: ingot.result
// CHECK: %[[P:.*]] = ingot.matmul %{{.*}}, %{{.*}} {transpose_a = true} : (tensor<80x8xf32>, tensor<80x8xf32>) -> tensor<8x8xf32>
// CHECK: %[[Q:.*]] = ingot.matmul %{{.*}}, %{{.*}} {transpose_a = true} : (tensor<80x8xf32>, tensor<80x8xf32>) -> tensor<8x8xf32>
// CHECK: %[[J:.*]] = ingot.concat %{{.*}}, %[[P]], %[[Q]] : (tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
// CHECK: ingot.return %[[J]]
ingot.entry @parts role(step) feeds ["x:0", "h:0"] fetches ["u:0", "y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16x8xf32>, %h0: tensor<16x8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %none = ingot.constant dense<0.0> : tensor<8x16xf32>
  %g:3 = ingot.while(%zero, %h0, %none) : (tensor<i32>, tensor<16x8xf32>, tensor<8x16xf32>) -> (tensor<i32>, tensor<16x8xf32>, tensor<8x16xf32>) test {
  ^bb0(%k: tensor<i32>, %h: tensor<16x8xf32>, %s: tensor<8x16xf32>):
    %less = ingot.less %k, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%k: tensor<i32>, %h: tensor<16x8xf32>, %s: tensor<8x16xf32>):
    %row = ingot.rows_get %x, %k {from_end} : (tensor<5x16x8xf32>, tensor<i32>) -> tensor<16x8xf32>
    %d = ingot.tanh %h : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %e = ingot.exp %d : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %p = ingot.matmul %row, %d {transpose_a = true} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %q = ingot.matmul %row, %e {transpose_a = true} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %j = ingot.concat %one, %p, %q : (tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
    %s1 = ingot.add_n %s, %j : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %n = ingot.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %n, %e, %s1 : tensor<i32>, tensor<16x8xf32>, tensor<8x16xf32>
  }
  ingot.return %g#2, %g#1 : tensor<8x16xf32>, tensor<16x8xf32>
}

// A term that is smaller than the sum broadcasts, and stays in the loop.
// CHECK-LABEL: ingot.entry @broadcast
// CHECK: body
// CHECK: %[[P:.*]] = ingot.matmul %{{.*}}, %{{.*}} {transpose_a = true} : (tensor<16x1xf32>, tensor<16x8xf32>) -> tensor<1x8xf32>
// CHECK: ingot.add %{{.*}}, %[[P]] : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
// CHECK-NOT: ingot.matmul
// CHECK: ingot.return
ingot.entry @broadcast role(step) feeds ["x:0", "h:0"] fetches ["u:0", "y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16x1xf32>, %h0: tensor<16x8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %none = ingot.constant dense<0.0> : tensor<4x8xf32>
  %g:3 = ingot.while(%zero, %h0, %none) : (tensor<i32>, tensor<16x8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<16x8xf32>, tensor<4x8xf32>) test {
  ^bb0(%k: tensor<i32>, %h: tensor<16x8xf32>, %s: tensor<4x8xf32>):
    %less = ingot.less %k, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%k: tensor<i32>, %h: tensor<16x8xf32>, %s: tensor<4x8xf32>):
    %row = ingot.rows_get %x, %k : (tensor<5x16x1xf32>, tensor<i32>) -> tensor<16x1xf32>
    %d = ingot.tanh %h : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %p = ingot.matmul %row, %d {transpose_a = true} : (tensor<16x1xf32>, tensor<16x8xf32>) -> tensor<1x8xf32>
    %t = ingot.add %s, %p : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
    %n = ingot.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %n, %d, %t : tensor<i32>, tensor<16x8xf32>, tensor<4x8xf32>
  }
  ingot.return %g#2, %g#1 : tensor<4x8xf32>, tensor<16x8xf32>
}

// A loop of at most five iterations may not write all rows.
// CHECK-LABEL: ingot.entry @bounded
// CHECK: ingot.while
// CHECK: ingot.matmul
// CHECK: ingot.add_n
// CHECK: ingot.result
// CHECK-NOT: ingot.matmul
ingot.entry @bounded role(step) feeds ["x:0", "w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<5x4x16xf32>, %w: tensor<16x16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %f:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16x16xf32>) -> (tensor<i32>, tensor<16x16xf32>) test {
  ^bb0(%i: tensor<i32>, %s: tensor<16x16xf32>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %s: tensor<16x16xf32>):
    %a = ingot.rows_get %x, %i : (tensor<5x4x16xf32>, tensor<i32>) -> tensor<4x16xf32>
    %e = ingot.exp %a : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %p = ingot.matmul %a, %e {transpose_a = true} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<16x16xf32>
    %t = ingot.add_n %s, %p : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %t : tensor<i32>, tensor<16x16xf32>
  }
  ingot.return %f#1 : tensor<16x16xf32>
}
