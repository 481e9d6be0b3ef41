// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -ingot-replace-stacks-by-lists | FileCheck %s

// One loop carries the list that it pushes on, the other what is left of it.
// CHECK-LABEL: ingot.entry @pushed_and_popped
// CHECK-NOT: ingot.stack
// CHECK: %[[EMPTY:.*]] = ingot.tensor_list_empty %[[ANY:.*]], %[[ANY]] {element_type = f32}
// CHECK: %[[A:.*]]:3 = ingot.while(%{{.*}}, %{{.*}}, %[[EMPTY]])
// CHECK: body
// CHECK: ^bb0(%{{.*}}: tensor<i32>, %[[H:.*]]: tensor<16xf32>, %[[L:.*]]: tensor<!ingot.variant, tensor<16xf32>>):
// CHECK: %[[E:.*]] = ingot.exp %[[H]]
// CHECK: %[[M:.*]] = ingot.tensor_list_push_back %[[L]], %[[E]]
// CHECK: ingot.result %{{.*}}, %[[E]], %[[M]]
// CHECK: ingot.while(%{{.*}}, %[[A]]#1, %[[A]]#2)
// CHECK: body
// CHECK: ^bb0(%{{.*}}: tensor<i32>, %[[H:.*]]: tensor<16xf32>, %[[L:.*]]: tensor<!ingot.variant, tensor<16xf32>>):
// CHECK: %[[LEFT:.*]], %[[P:.*]] = ingot.tensor_list_pop_back %[[L]], %[[ANY]] {element_type = f32}
// CHECK: %[[Y:.*]] = ingot.mul %[[H]], %[[P]]
// CHECK: ingot.result %{{.*}}, %[[Y]], %[[LEFT]]
ingot.entry @pushed_and_popped role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %e = ingot.exp %h : (tensor<16xf32>) -> tensor<16xf32>
    ingot.stack_push %s, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> ()
    ingot.result %j, %e : tensor<i32>, tensor<16xf32>
  }
  %b:2 = ingot.while(%zero, %a#1) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<16xf32>
    %m = ingot.mul %h, %p : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ingot.result %j, %m : tensor<i32>, tensor<16xf32>
  }
  ingot.return %b#1 : tensor<16xf32>
}

// -----

// The second loop leaves an element, which a pop after it takes.
// CHECK-LABEL: ingot.entry @fewer_pops
// CHECK: ingot.stack_push
// CHECK: ingot.stack_pop
// CHECK-NOT: tensor_list
ingot.entry @fewer_pops role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %e = ingot.exp %h : (tensor<16xf32>) -> tensor<16xf32>
    ingot.stack_push %s, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> ()
    ingot.result %j, %e : tensor<i32>, tensor<16xf32>
  }
  %b:2 = ingot.while(%zero, %a#1) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<16xf32>
    %m = ingot.mul %h, %p : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ingot.result %j, %m : tensor<i32>, tensor<16xf32>
  }
  %q = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<16xf32>
  %z = ingot.mul %q, %b#1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  ingot.return %z : tensor<16xf32>
}

// -----

// The second loop has more iterations, so a pop fails at run time.
// CHECK-LABEL: ingot.entry @more_pops
// CHECK: ingot.stack_push
// CHECK: ingot.stack_pop
// CHECK-NOT: tensor_list
ingot.entry @more_pops role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %e = ingot.exp %h : (tensor<16xf32>) -> tensor<16xf32>
    ingot.stack_push %s, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> ()
    ingot.result %j, %e : tensor<i32>, tensor<16xf32>
  }
  %b:2 = ingot.while(%zero, %a#1) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<16xf32>
    %m = ingot.mul %h, %p : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ingot.result %j, %m : tensor<i32>, tensor<16xf32>
  }
  ingot.return %b#1 : tensor<16xf32>
}

// -----

// Each iteration pops what it has pushed.
// CHECK-LABEL: ingot.entry @in_one_loop
// CHECK: ingot.stack_push
// CHECK: ingot.stack_pop
// CHECK-NOT: tensor_list
ingot.entry @in_one_loop role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<16xf32>>
  %b:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %e = ingot.exp %h : (tensor<16xf32>) -> tensor<16xf32>
    ingot.stack_push %s, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> ()
    %p = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<16xf32>
    %m = ingot.mul %h, %p : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ingot.result %j, %m : tensor<i32>, tensor<16xf32>
  }
  ingot.return %b#1 : tensor<16xf32>
}

// -----

// The loop of the pops comes first: its first pop fails at run time.
// CHECK-LABEL: ingot.entry @pushed_before
// CHECK: ingot.stack_pop
// CHECK: ingot.stack_push
// CHECK-NOT: tensor_list
ingot.entry @pushed_before role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<16xf32>>
  %b:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<16xf32>
    %m = ingot.mul %h, %p : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ingot.result %j, %m : tensor<i32>, tensor<16xf32>
  }
  %a:2 = ingot.while(%zero, %b#1) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %e = ingot.exp %h : (tensor<16xf32>) -> tensor<16xf32>
    ingot.stack_push %s, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> ()
    ingot.result %j, %e : tensor<i32>, tensor<16xf32>
  }
  ingot.return %b#1 : tensor<16xf32>
}

// -----

// The first loop has at most five iterations, the second one as many as the
// first.
// CHECK-LABEL: ingot.entry @bounded
// CHECK-NOT: ingot.stack
// CHECK: ingot.tensor_list_push_back
// CHECK: ingot.tensor_list_pop_back
ingot.entry @bounded role(step) feeds ["x:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %e = ingot.exp %h : (tensor<16xf32>) -> tensor<16xf32>
    ingot.stack_push %s, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> ()
    ingot.result %j, %e : tensor<i32>, tensor<16xf32>
  }
  %b:2 = ingot.while(%zero, %a#1) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %a#0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<16xf32>
    %m = ingot.mul %h, %p : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ingot.result %j, %m : tensor<i32>, tensor<16xf32>
  }
  ingot.return %b#1 : tensor<16xf32>
}

// -----

// Both loops have at most five iterations, but not for all that is known equally
// many.
// CHECK-LABEL: ingot.entry @other_condition
// CHECK: ingot.stack_push
// CHECK: ingot.stack_pop
// CHECK-NOT: tensor_list
ingot.entry @other_condition role(step) feeds ["x:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %e = ingot.exp %h : (tensor<16xf32>) -> tensor<16xf32>
    ingot.stack_push %s, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> ()
    ingot.result %j, %e : tensor<i32>, tensor<16xf32>
  }
  %b:2 = ingot.while(%zero, %a#1) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<16xf32>
    %m = ingot.mul %h, %p : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ingot.result %j, %m : tensor<i32>, tensor<16xf32>
  }
  ingot.return %b#1 : tensor<16xf32>
}

// -----

// The second loop always has five iterations.
// CHECK-LABEL: ingot.entry @to_the_bound
// CHECK: ingot.stack_push
// CHECK: ingot.stack_pop
// CHECK-NOT: tensor_list
ingot.entry @to_the_bound role(step) feeds ["x:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %e = ingot.exp %h : (tensor<16xf32>) -> tensor<16xf32>
    ingot.stack_push %s, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> ()
    ingot.result %j, %e : tensor<i32>, tensor<16xf32>
  }
  %b:2 = ingot.while(%zero, %a#1) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<16xf32>
    %m = ingot.mul %h, %p : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ingot.result %j, %m : tensor<i32>, tensor<16xf32>
  }
  ingot.return %b#1 : tensor<16xf32>
}
