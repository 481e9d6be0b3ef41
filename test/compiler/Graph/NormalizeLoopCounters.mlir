// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -ingot-normalize-loop-counters -canonicalize -cse | FileCheck %s

// The second loop starts with the first one's final counter, five, and counts
// up instead of down. The number of iterations that remain is computed where it
// was used.
// CHECK-LABEL: ingot.entry @gradient
// CHECK-DAG: %[[ZERO:.*]] = ingot.constant dense<0> : tensor<i32>
// CHECK-DAG: %[[ONE:.*]] = ingot.constant dense<1> : tensor<i32>
// CHECK-DAG: %[[FIVE:.*]] = ingot.constant dense<5> : tensor<i32>
// CHECK: %[[B:.*]]:2 = ingot.while(%[[ZERO]], %{{.*}}) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) test {
// CHECK: ^bb0(%[[I:.*]]: tensor<i32>, %{{.*}}: tensor<i32>):
// CHECK: %[[LESS:.*]] = ingot.less %[[I]], %[[FIVE]]
// CHECK: ingot.condition %[[LESS]]
// CHECK: ^bb0(%[[I:.*]]: tensor<i32>, %[[S:.*]]: tensor<i32>):
// CHECK: %[[LEFT:.*]] = ingot.sub %[[FIVE]], %[[I]]
// CHECK: %[[SUM:.*]] = ingot.add %[[S]], %[[LEFT]]
// CHECK: %[[NEXT:.*]] = ingot.add %[[I]], %[[ONE]]
// CHECK: ingot.result %[[NEXT]], %[[SUM]]
// CHECK: ingot.return %[[ZERO]], %[[B]]#1
ingot.entry @gradient role(step) feeds ["s:0"] fetches ["a:0", "b:0"] variables [] updates [] {
^bb0(%s: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %a = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %c = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j : tensor<i32>
  }
  %b:2 = ingot.while(%a, %s) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) test {
  ^bb0(%i: tensor<i32>, %t: tensor<i32>):
    %c = ingot.greater_equal %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %t: tensor<i32>):
    %u = ingot.add %t, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %j = ingot.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j, %u : tensor<i32>, tensor<i32>
  }
  ingot.return %b#0, %b#1 : tensor<i32>, tensor<i32>
}

// -----

// What the next counter is used for besides stays right, and a loop may go on
// while its counter is above zero.
// CHECK-LABEL: ingot.entry @above_zero
// CHECK-DAG: %[[ONE:.*]] = ingot.constant dense<1> : tensor<i32>
// CHECK-DAG: %[[THREE:.*]] = ingot.constant dense<3> : tensor<i32>
// CHECK: ingot.less %{{.*}}, %[[THREE]]
// CHECK: ^bb0(%[[I:.*]]: tensor<i32>, %[[S:.*]]: tensor<i32>):
// CHECK: %[[LEFT:.*]] = ingot.sub %[[THREE]], %[[I]]
// CHECK: %[[LESS:.*]] = ingot.sub %[[LEFT]], %[[ONE]]
// CHECK: ingot.add %[[S]], %[[LESS]]
ingot.entry @above_zero role(step) feeds ["s:0"] fetches ["b:0"] variables [] updates [] {
^bb0(%s: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %three = ingot.constant dense<3> : tensor<i32>
  %b:2 = ingot.while(%three, %s) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) test {
  ^bb0(%i: tensor<i32>, %t: tensor<i32>):
    %c = ingot.greater %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %t: tensor<i32>):
    %j = ingot.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %u = ingot.add %t, %j : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j, %u : tensor<i32>, tensor<i32>
  }
  ingot.return %b#1 : tensor<i32>
}

// -----

// Loops stay as they are if their trip count is unknown, if they count in steps
// of two, or if they end at another number.
// CHECK-LABEL: ingot.entry @others
// CHECK-COUNT-3: ingot.greater_equal
// CHECK-NOT: ingot.less
ingot.entry @others role(step) feeds ["n:0"] fetches ["a:0", "b:0", "c:0"] variables [] updates [] {
^bb0(%n: tensor<i32>):
  %one = ingot.constant dense<1> : tensor<i32>
  %two = ingot.constant dense<2> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %a = ingot.while(%n) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %c = ingot.greater_equal %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %j = ingot.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j : tensor<i32>
  }
  %b = ingot.while(%five) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %c = ingot.greater_equal %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %j = ingot.sub %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j : tensor<i32>
  }
  %c = ingot.while(%five) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %d = ingot.greater_equal %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %d : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %j = ingot.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j : tensor<i32>
  }
  ingot.return %a, %b, %c : tensor<i32>, tensor<i32>, tensor<i32>
}

// -----

// The first loop has at most five iterations. The second one has as many, and
// counts up to them; a reverse counter starts at the last one.
// CHECK-LABEL: ingot.entry @bounded
// CHECK-DAG: %[[ZERO:.*]] = ingot.constant dense<0> : tensor<i32>
// CHECK-DAG: %[[ONE:.*]] = ingot.constant dense<1> : tensor<i32>
// CHECK: %[[A:.*]] = ingot.while
// CHECK: %[[LAST:.*]] = ingot.sub %[[A]], %[[ONE]]
// CHECK: %[[B:.*]]:3 = ingot.while(%[[ZERO]], %{{.*}}, %[[LAST]])
// CHECK: ^bb0(%[[I:.*]]: tensor<i32>, %{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>):
// CHECK: ingot.less %[[I]], %[[A]]
// CHECK: ^bb0(%[[I:.*]]: tensor<i32>, %{{.*}}: tensor<i32>, %[[R:.*]]: tensor<i32>):
// CHECK: ingot.sub %[[A]], %[[I]]
// CHECK-DAG: %[[NEXT:.*]] = ingot.add %[[I]], %[[ONE]]
// CHECK-DAG: %[[BEFORE:.*]] = ingot.sub %[[R]], %[[ONE]]
// CHECK: ingot.result %[[NEXT]], %{{.*}}, %[[BEFORE]]
// CHECK: ingot.return %[[ZERO]], %[[B]]#1
ingot.entry @bounded role(step) feeds ["s:0", "n:0"] fetches ["a:0", "b:0"] variables [] updates [] {
^bb0(%s: tensor<i32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %a = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %c = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %d = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %e = ingot.logical_and %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %e : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j : tensor<i32>
  }
  %b:2 = ingot.while(%a, %s) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) test {
  ^bb0(%i: tensor<i32>, %t: tensor<i32>):
    %c = ingot.greater_equal %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %t: tensor<i32>):
    %u = ingot.add %t, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %j = ingot.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j, %u : tensor<i32>, tensor<i32>
  }
  ingot.return %b#0, %b#1 : tensor<i32>, tensor<i32>
}

// -----

// A loop that counts up gets a reverse counter, too: TensorFlow 2's gradients.
// CHECK-LABEL: ingot.entry @counts_up
// CHECK-DAG: %[[ONE:.*]] = ingot.constant dense<1> : tensor<i32>
// CHECK: %[[A:.*]] = ingot.while
// CHECK: %[[LAST:.*]] = ingot.sub %[[A]], %[[ONE]]
// CHECK: ingot.while(%{{.*}}, %{{.*}}, %[[LAST]])
ingot.entry @counts_up role(step) feeds ["s:0", "n:0"] fetches ["b:0"] variables [] updates [] {
^bb0(%s: tensor<i32>, %n: tensor<i1>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %a = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %c = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %e = ingot.logical_and %n, %c : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %e : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j : tensor<i32>
  }
  %b:2 = ingot.while(%zero, %s) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) test {
  ^bb0(%i: tensor<i32>, %t: tensor<i32>):
    %c = ingot.less %i, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %t: tensor<i32>):
    %u = ingot.add %t, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j, %u : tensor<i32>, tensor<i32>
  }
  ingot.return %b#1 : tensor<i32>
}

// -----

// Nothing bounds the first loop at compile time.
// CHECK-LABEL: ingot.entry @unbounded
// CHECK: ingot.while(%{{[^,]*}}) :
// CHECK: %[[A:.*]] = ingot.while(%{{[^,]*}}) :
// CHECK: ingot.greater_equal
ingot.entry @unbounded role(step) feeds ["n:0"] fetches ["b:0"] variables [] updates [] {
^bb0(%n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %a = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %c = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j : tensor<i32>
  }
  %b = ingot.while(%a) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %c = ingot.greater_equal %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %j = ingot.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j : tensor<i32>
  }
  ingot.return %b : tensor<i32>
}
