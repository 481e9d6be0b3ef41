// SPDX-License-Identifier: Apache-2.0
// Fusions become kernels: captured values, then destinations of results.
// RUN: ingot-opt %s -ingot-outline-kernels -split-input-file | FileCheck %s

ingot.variable @var : tensor<4xf32>
ingot.variable @m : tensor<4xf32>
ingot.variable @v : tensor<4xf32>

// Adam's results take over the storage of their variables; the gradient is an
// input only.
// CHECK-LABEL: ingot.entry @adam_updates_in_place
// CHECK-NEXT: ^bb0(%[[VAR:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>):
// CHECK-NOT: tensor.empty
// CHECK: %[[NEW:.*]]:3 = host.launch @Adam ins(%[[G]] : tensor<4xf32>) outs(%[[VAR]], %[[M]], %[[V]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK: ingot.return %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#2
ingot.entry @adam_updates_in_place role(step) feeds ["g:0"] fetches [] variables [@var, @m, @v] updates [@var, @m, @v] {
^bb0(%var: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>):
  %p = ingot.constant dense<9.000000e-01> : tensor<f32>
  %0:3 = ingot.fusion "Adam" -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32> {
    %1, %2, %3 = ingot.apply_adam %var, %m, %v, %p, %p, %p, %p, %p, %p, %g 
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    ingot.return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  ingot.return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The constant is cloned into the kernel, and is not an argument.
// CHECK: func.func private @Adam(%[[G:.*]]: tensor<4xf32>, %[[VAR:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {host.kernel}
// CHECK: %[[P:.*]] = ingot.constant dense<{{.*}}> : tensor<f32>
// CHECK: ingot.apply_adam %[[VAR]], %[[M]], %[[V]], %[[P]], %[[P]], %[[P]], %[[P]], %[[P]], %[[P]], %[[G]]

// -----

// Other results go to new tensors; an input is passed once.
// CHECK-LABEL: ingot.entry @results_have_destinations
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<4xf32>):
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[Y:.*]] = host.launch @Relu ins(%[[X]] : tensor<4xf32>) outs(%[[E]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK: ingot.return %[[Y]]
ingot.entry @results_have_destinations role(other) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4xf32>):
  %0 = ingot.fusion "Relu" -> tensor<4xf32> {
    %1 = ingot.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = ingot.relu %1 : (tensor<4xf32>) -> tensor<4xf32>
    ingot.return %2 : tensor<4xf32>
  }
  ingot.return %0 : tensor<4xf32>
}
// CHECK: func.func private @Relu(%[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel}
// CHECK-NEXT: %[[S:.*]] = ingot.add %[[X]], %[[X]]
// CHECK-NEXT: %[[R:.*]] = ingot.relu %[[S]]
// CHECK-NEXT: return %[[R]]

// -----

// An elementwise update of a whole variable, before and after row updates, is
// in place; a variable with other readers in the kernel is not.
// CHECK-LABEL: ingot.entry @changed_in_place
// CHECK-NEXT: ^bb0(%[[W:.*]]: tensor<8x4xf32>, %[[A:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<8x4xf32>, %[[I:.*]]: tensor<2xi64>, %[[G:.*]]: tensor<2x4xf32>):
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK: %[[F:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK: host.launch @Decay ins(%[[I]], %[[G]], %[[B]] : tensor<2xi64>, tensor<2x4xf32>, tensor<8x4xf32>) outs(%[[W]], %[[A]], %[[E]], %[[F]] : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
ingot.variable @w : tensor<8x4xf32>
ingot.variable @a : tensor<8x4xf32>
ingot.variable @b : tensor<8x4xf32>
ingot.entry @changed_in_place role(step) feeds ["i:0", "g:0"] fetches ["y:0"] variables [@w, @a, @b] updates [@w, @a, @b] {
^bb0(%w: tensor<8x4xf32>, %a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %i: tensor<2xi64>, %g: tensor<2x4xf32>):
  %r = ingot.constant dense<0.5> : tensor<f32>
  %0:4 = ingot.fusion "Decay" -> tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32> {
    %1 = ingot.mul %a, %r : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %2 = ingot.update_rows(%1) at %i by(%g) : (tensor<8x4xf32>, tensor<2xi64>, tensor<2x4xf32>) -> tensor<8x4xf32> {
    ^bb0(%row: tensor<4xf32>, %delta: tensor<4xf32>):
      %s = ingot.add %row, %delta : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ingot.yield_rows %s : tensor<4xf32>
    }
    %3 = ingot.sub %w, %2 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %4 = ingot.add %b, %r : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %5 = ingot.neg %b : (tensor<8x4xf32>) -> tensor<8x4xf32>
    ingot.return %3, %2, %4, %5 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  }
  ingot.return %0#3, %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// An optimizer's formula in elementwise ops is computed in place where the
// kernel runs after all ops that may end the run, though a slot's new value is
// used for the parameter's. What the row sums read must stay.
// CHECK-LABEL: ingot.entry @formula
// CHECK-NEXT: ^bb0(%[[W:.*]]: tensor<8x4xf32>, %[[M:.*]]: tensor<8x4xf32>, %[[V:.*]]: tensor<8x4xf32>, %[[G:.*]]: tensor<8x4xf32>):
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK: host.launch @Momentum ins(%[[G]], %[[V]] : tensor<8x4xf32>, tensor<8x4xf32>) outs(%[[M]], %[[W]], %[[E]] : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
ingot.variable @w : tensor<8x4xf32>
ingot.variable @m : tensor<8x4xf32>
ingot.variable @v : tensor<8x4xf32>
ingot.entry @formula role(step) feeds ["g:0"] fetches [] variables [@w, @m, @v] updates [@m, @w, @v] {
^bb0(%w: tensor<8x4xf32>, %m: tensor<8x4xf32>, %v: tensor<8x4xf32>, %g: tensor<8x4xf32>):
  %r = ingot.constant dense<0.5> : tensor<f32>
  %axes = ingot.constant dense<1> : tensor<1xi32>
  %0:3 = ingot.fusion "Momentum" delayed -> tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32> {
    %1 = ingot.mul %m, %r : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %2 = ingot.add %1, %g : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %3 = ingot.sub %w, %2 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %4 = ingot.sum %v, %axes {keep_dims = true} : (tensor<8x4xf32>, tensor<1xi32>) -> tensor<8x1xf32>
    %5 = ingot.mul %v, %4 : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
    ingot.return %2, %3, %5 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  }
  ingot.return %0#0, %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// A counter's update does not wait for ops that may end the run, as in-place
// updates do: it is written after all of them.
// CHECK-LABEL: ingot.entry @counted
// CHECK: %[[E:.*]] = tensor.empty() : tensor<f32>
// CHECK: host.launch @Count ins({{.*}}) outs(%[[E]] : tensor<f32>)
ingot.variable @count : tensor<f32>
ingot.entry @counted role(step) feeds ["x:0"] fetches [] variables [@count] updates [@count] {
^bb0(%count: tensor<f32>, %x: tensor<f32>):
  %0 = ingot.fusion "Count" -> tensor<f32> {
    %1 = ingot.add %count, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ingot.return %1 : tensor<f32>
  }
  ingot.return %0 : tensor<f32>
}

// -----

// Only one result can take over a variable.
// CHECK-LABEL: ingot.entry @two_updates_of_one_variable
// CHECK-NEXT: ^bb0(%[[W:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>):
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: host.launch @Twice ins({{.*}}) outs(%[[E]], %[[W]] : tensor<4xf32>, tensor<4xf32>)
ingot.variable @w : tensor<4xf32>
ingot.entry @two_updates_of_one_variable role(step) feeds ["g:0"] fetches ["y:0"] variables [@w] updates [@w] {
^bb0(%w: tensor<4xf32>, %g: tensor<4xf32>):
  %r = ingot.constant dense<1.0> : tensor<f32>
  %0:2 = ingot.fusion "Twice" -> tensor<4xf32>, tensor<4xf32> {
    %1 = ingot.apply_gradient_descent %w, %r, %g : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = ingot.apply_gradient_descent %w, %r, %1 : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    ingot.return %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
  ingot.return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Kernels of one name stay apart.
// CHECK-LABEL: ingot.entry @same_names
// CHECK: host.launch @Neg ins
// CHECK: host.launch @[[SECOND:Neg_[0-9]+]] ins
ingot.entry @same_names role(other) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4xf32>):
  %0 = ingot.fusion "Neg" -> tensor<4xf32> {
    %1 = ingot.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    ingot.return %1 : tensor<4xf32>
  }
  %2 = ingot.fusion "Neg" -> tensor<4xf32> {
    %3 = ingot.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
    ingot.return %3 : tensor<4xf32>
  }
  ingot.return %2 : tensor<4xf32>
}
// CHECK: func.func private @Neg(
// CHECK: ingot.neg
// CHECK: func.func private @[[SECOND]](
// CHECK: ingot.exp

// -----

// A value that is computed from a variable but assigned to another one is not
// computed in place of the first, which the entry overwrites before.

ingot.variable @a : tensor<4xf32>
ingot.variable @b : tensor<4xf32>
// CHECK-LABEL: ingot.entry @elsewhere
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: host.launch @GD {{.*}} outs(%[[EMPTY]] : tensor<4xf32>)
ingot.entry @elsewhere role(step) feeds ["g:0"] fetches [] variables [@b] updates [@b, @a] {
^bb0(%b: tensor<4xf32>, %g: tensor<4xf32>):
  %r = ingot.constant dense<1.0> : tensor<f32>
  %zero = ingot.constant dense<0.0> : tensor<4xf32>
  %0 = ingot.fusion "GD" -> tensor<4xf32> {
    %1 = ingot.apply_gradient_descent %b, %r, %g : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    ingot.return %1 : tensor<4xf32>
  }
  ingot.return %zero, %0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Seeds are data: kernels that draw from other seeds are identical. The
// distribution is in the code.
// CHECK-LABEL: ingot.entry @draw
// CHECK-DAG: %[[KEY:.*]] = ingot.constant dense<7> : tensor<1xi64>
// CHECK-DAG: %[[COUNTER:.*]] = ingot.constant dense<[0, 9]> : tensor<2xi64>
// CHECK: host.launch @Uniform ins(%{{.*}}, %{{.*}} : tensor<{{[12]}}xi64>, tensor<{{[12]}}xi64>)
ingot.entry @draw role(other) feeds [] fetches ["y:0"] variables [] updates [] {
  %shape = ingot.constant dense<4> : tensor<1xi32>
  %algorithm = ingot.constant dense<1> : tensor<i32>
  %key = ingot.constant dense<7> : tensor<1xi64>
  %counter = ingot.constant dense<[0, 9]> : tensor<2xi64>
  %0 = ingot.fusion "Uniform" -> tensor<4xf32> {
    %1 = ingot.stateless_random_uniform %shape, %key, %counter, %algorithm {dtype = f32} : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<4xf32>
    ingot.return %1 : tensor<4xf32>
  }
  ingot.return %0 : tensor<4xf32>
}
// CHECK: func.func private @Uniform(%{{.*}}: tensor<{{[12]}}xi64>, %{{.*}}: tensor<{{[12]}}xi64>, %{{.*}}: tensor<4xf32>)
// CHECK-DAG: ingot.constant dense<4> : tensor<1xi32>
// CHECK: ingot.stateless_random_uniform

// -----

// So are members' complexities.
// CHECK-LABEL: ingot.entry @penalty
// CHECK: %[[C:.*]] = ingot.constant dense<1.500000e+00> : tensor<f32>
// CHECK: host.launch @Penalty ins(%{{.*}}, %[[C]] : tensor<3xf32>, tensor<f32>)
ingot.entry @penalty role(other) feeds ["w:0"] fetches ["p:0", "n:0"] variables [] updates [] {
^bb0(%w: tensor<3xf32>):
  %c = ingot.constant dense<1.5> : tensor<f32>
  %0:2 = ingot.fusion "Penalty" -> tensor<f32>, tensor<f32> {
    %p, %n = ingot.complexity_penalty(%w) complexities(%c) {lambda = 0.1, beta = 0.01} : (tensor<3xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    ingot.return %p, %n : tensor<f32>, tensor<f32>
  }
  ingot.return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

// -----

// A loop's accumulator is updated in place; one with other readers is not.

// CHECK-LABEL: func.func @sums
// CHECK: body {
// CHECK: ^bb0(%{{.*}}: tensor<i1>, %[[SUM:.*]]: tensor<4xf32>, %[[OTHER:.*]]: tensor<4xf32>):
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[TWICE:.*]] = host.launch @twice ins(%[[OTHER]] : tensor<4xf32>) outs(%[[E]] : tensor<4xf32>)
// CHECK: %[[NEXT:.*]] = host.launch @sum ins(%[[TWICE]] : tensor<4xf32>) outs(%[[SUM]] : tensor<4xf32>)
// CHECK: %[[F:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[LAST:.*]] = host.launch @other ins(%[[OTHER]], %[[TWICE]] : tensor<4xf32>, tensor<4xf32>) outs(%[[F]] : tensor<4xf32>)
// CHECK: func.func private @sum(%[[X:.*]]: tensor<4xf32>, %[[INTO:.*]]: tensor<4xf32>)
// CHECK: ingot.add_n %[[INTO]], %[[X]]
func.func @sums(%more: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r:3 = ingot.while(%more, %a, %b) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>, tensor<4xf32>) test {
  ^bb0(%m: tensor<i1>, %s: tensor<4xf32>, %o: tensor<4xf32>):
    ingot.condition %m : tensor<i1>
  } body {
  ^bb0(%m: tensor<i1>, %s: tensor<4xf32>, %o: tensor<4xf32>):
    %x = ingot.fusion "twice" -> tensor<4xf32> {
      %0 = ingot.add %o, %o : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ingot.return %0 : tensor<4xf32>
    }
    %n = ingot.fusion "sum" -> tensor<4xf32> {
      %0 = ingot.add_n %s, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ingot.return %0 : tensor<4xf32>
    }
    %p = ingot.fusion "other" -> tensor<4xf32> {
      %0 = ingot.add_n %o, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ingot.return %0 : tensor<4xf32>
    }
    ingot.result %m, %n, %p : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
