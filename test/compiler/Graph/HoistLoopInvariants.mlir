// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-hoist-loop-invariants | FileCheck %s

// Invariants of two nested loops leave both, with their operands; ops on
// loop-carried values stay.
// CHECK-LABEL: ingot.entry @nested
// CHECK: ^bb0(%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x8xf32>):
// CHECK: %[[ORDER:.*]] = ingot.constant dense<[1, 0]>
// CHECK: %[[T:.*]] = ingot.transpose %[[W]], %[[ORDER]]
// CHECK: %[[E:.*]] = ingot.exp %[[T]]
// CHECK: ingot.while
// CHECK-NOT: ingot.transpose
// CHECK-NOT: ingot.exp
// CHECK: ingot.while
// CHECK: body
// CHECK: ^bb0(%{{.*}}: tensor<i32>, %[[Z:.*]]: tensor<4x8xf32>):
// CHECK: ingot.matmul %[[Z]], %[[E]]
ingot.entry @nested role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %a:2 = ingot.while(%zero, %x) : (tensor<i32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>) test {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %b:2 = ingot.while(%zero, %y) : (tensor<i32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>) test {
    ^bb0(%j: tensor<i32>, %z: tensor<4x8xf32>):
      %less = ingot.less %j, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %less : tensor<i1>
    } body {
    ^bb0(%j: tensor<i32>, %z: tensor<4x8xf32>):
      %after = ingot.add %j, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %order = ingot.constant dense<[1, 0]> : tensor<2xi32>
      %t = ingot.transpose %w, %order : (tensor<8x8xf32>, tensor<2xi32>) -> tensor<8x8xf32>
      %e = ingot.exp %t : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %c = ingot.matmul %z, %e : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      ingot.result %after, %c : tensor<i32>, tensor<4x8xf32>
    }
    ingot.result %next, %b#1 : tensor<i32>, tensor<4x8xf32>
  }
  ingot.return %a#1 : tensor<4x8xf32>
}

// Not hoisted: a quotient of integers, which may fail in a loop without
// iterations; a sum that is larger than both terms; an op in a branch.
// CHECK-LABEL: ingot.entry @stays
// CHECK: ingot.while
// CHECK: body
// CHECK: ingot.truncate_div
// CHECK: ingot.add
// CHECK: ingot.if
// CHECK: ingot.exp
ingot.entry @stays role(step) feeds ["n:0", "x:0", "r:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%n: tensor<i32>, %x: tensor<4x1xf32>, %r: tensor<1x8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %start = ingot.constant dense<0.0> : tensor<4x8xf32>
  %a:2 = ingot.while(%zero, %start) : (tensor<i32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>) test {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %step = ingot.truncate_div %ten, %n : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %next = ingot.add %i, %step : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %wide = ingot.add %x, %r : (tensor<4x1xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %b = ingot.if %less : tensor<i1> -> (tensor<4x1xf32>) {
      %e = ingot.exp %x : (tensor<4x1xf32>) -> tensor<4x1xf32>
      ingot.result %e : tensor<4x1xf32>
    } else {
      ingot.result %x : tensor<4x1xf32>
    }
    %c = ingot.mul %wide, %b : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    ingot.result %next, %c : tensor<i32>, tensor<4x8xf32>
  }
  ingot.return %a#1 : tensor<4x8xf32>
}

// Shapes are checked if the loop has an iteration: ops that rely on a check
// stay after it.
// CHECK-LABEL: ingot.entry @any_sum
// CHECK: body
// CHECK: ingot.matmul
ingot.entry @any_sum role(step) feeds ["a:0", "b:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4x?xf32>, %w: tensor<?x8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %start = ingot.constant dense<0.0> : tensor<4x8xf32>
  %a:2 = ingot.while(%zero, %start) : (tensor<i32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>) test {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = ingot.matmul %x, %w : (tensor<4x?xf32>, tensor<?x8xf32>) -> tensor<4x8xf32>
    %c = ingot.add %y, %p : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ingot.result %next, %c : tensor<i32>, tensor<4x8xf32>
  }
  ingot.return %a#1 : tensor<4x8xf32>
}

// Slices of a weight, too.
// CHECK-LABEL: ingot.entry @splits
// CHECK: ingot.split
// CHECK: ingot.while
// CHECK-NOT: ingot.split
// CHECK: ingot.return
ingot.entry @splits role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %a:2 = ingot.while(%zero, %x) : (tensor<i32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>) test {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p:2 = ingot.split %one, %w {count = 2 : i64} : (tensor<i32>, tensor<8x16xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
    %b = ingot.matmul %y, %p#0 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %c = ingot.matmul %b, %p#1 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    ingot.result %next, %c : tensor<i32>, tensor<4x8xf32>
  }
  ingot.return %a#1 : tensor<4x8xf32>
}
