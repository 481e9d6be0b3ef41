// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-forward-tensor-list-constants | FileCheck %s

// A loop pushes the shape of a value, the same constant each time, and its
// gradient pops it: shapes of fills become static.

// CHECK-LABEL: ingot.entry @kept_shape
// CHECK: ingot.fill {{.*}} -> tensor<4x8xf32>
ingot.entry @kept_shape role(other) feeds ["x:0", "n:0", "v:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4x8xf32>, %n: tensor<i32>, %v: tensor<f32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %any = ingot.constant dense<-1> : tensor<i32>
  %empty = ingot.tensor_list_empty %any, %any {element_type = i32} : (tensor<i32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %f:2 = ingot.while(%zero, %empty) : (tensor<i32>, tensor<!ingot.variant, none>) -> (tensor<i32>, tensor<!ingot.variant, tensor<2xi32>>) test {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<2xi32>>):
    %c = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<2xi32>>):
    %e = ingot.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %s = ingot.shape %e {output_type = i32} : (tensor<4x8xf32>) -> tensor<2xi32>
    %m = ingot.tensor_list_push_back %l, %s : (tensor<!ingot.variant, tensor<2xi32>>, tensor<2xi32>) -> tensor<!ingot.variant, tensor<2xi32>>
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j, %m : tensor<i32>, tensor<!ingot.variant, tensor<2xi32>>
  }
  %b:3 = ingot.while(%zero, %f#1, %v) : (tensor<i32>, tensor<!ingot.variant, tensor<2xi32>>, tensor<f32>) -> (tensor<i32>, tensor<!ingot.variant, tensor<2xi32>>, tensor<f32>) test {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<2xi32>>, %t: tensor<f32>):
    %c = ingot.less %i, %f#0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<2xi32>>, %t: tensor<f32>):
    %m, %s = ingot.tensor_list_pop_back %l, %any {element_type = i32} : (tensor<!ingot.variant, tensor<2xi32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<2xi32>>, tensor<2xi32>)
    %y = ingot.fill %s, %t : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
    %axes = ingot.constant dense<[0, 1]> : tensor<2xi32>
    %u = ingot.sum %y, %axes : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<f32>
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j, %m, %u : tensor<i32>, tensor<!ingot.variant, tensor<2xi32>>, tensor<f32>
  }
  ingot.return %b#2 : tensor<f32>
}

// -----

// Two alternating constants are not forwarded; nor are lists with elements from
// before the loop.

// CHECK-LABEL: ingot.entry @others
// CHECK: %[[L:.*]], %[[T:.*]] = ingot.tensor_list_pop_back
// CHECK-NEXT: %[[M:.*]], %[[U:.*]] = ingot.tensor_list_pop_back
// CHECK-NEXT: ingot.fill %[[T]], {{.*}} -> tensor<?xf32>
// CHECK-NEXT: ingot.fill %[[U]], {{.*}} -> tensor<?xf32>
ingot.entry @others role(other) feeds ["n:0", "v:0", "s:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%n: tensor<i32>, %v: tensor<f32>, %size: tensor<1xi32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %any = ingot.constant dense<-1> : tensor<i32>
  %two = ingot.constant dense<2> : tensor<1xi32>
  %three = ingot.constant dense<3> : tensor<1xi32>
  %empty = ingot.tensor_list_empty %any, %any {element_type = i32} : (tensor<i32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %first = ingot.tensor_list_push_back %empty, %size : (tensor<!ingot.variant, none>, tensor<1xi32>) -> tensor<!ingot.variant, tensor<1xi32>>
  %f:3 = ingot.while(%zero, %empty, %first) : (tensor<i32>, tensor<!ingot.variant, none>, tensor<!ingot.variant, tensor<1xi32>>) -> (tensor<i32>, tensor<!ingot.variant, tensor<1xi32>>, tensor<!ingot.variant, tensor<1xi32>>) test {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<1xi32>>, %k: tensor<!ingot.variant, tensor<1xi32>>):
    %c = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<1xi32>>, %k: tensor<!ingot.variant, tensor<1xi32>>):
    %m0 = ingot.tensor_list_push_back %l, %two : (tensor<!ingot.variant, tensor<1xi32>>, tensor<1xi32>) -> tensor<!ingot.variant, tensor<1xi32>>
    %m1 = ingot.tensor_list_push_back %m0, %three : (tensor<!ingot.variant, tensor<1xi32>>, tensor<1xi32>) -> tensor<!ingot.variant, tensor<1xi32>>
    %q = ingot.tensor_list_push_back %k, %two : (tensor<!ingot.variant, tensor<1xi32>>, tensor<1xi32>) -> tensor<!ingot.variant, tensor<1xi32>>
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %j, %m1, %q : tensor<i32>, tensor<!ingot.variant, tensor<1xi32>>, tensor<!ingot.variant, tensor<1xi32>>
  }
  %p, %s = ingot.tensor_list_pop_back %f#1, %any {element_type = i32} : (tensor<!ingot.variant, tensor<1xi32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<1xi32>>, tensor<1xi32>)
  %r, %t = ingot.tensor_list_pop_back %f#2, %any {element_type = i32} : (tensor<!ingot.variant, tensor<1xi32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<1xi32>>, tensor<1xi32>)
  %y = ingot.fill %s, %v : (tensor<1xi32>, tensor<f32>) -> tensor<?xf32>
  %z = ingot.fill %t, %v : (tensor<1xi32>, tensor<f32>) -> tensor<?xf32>
  ingot.return %y, %z : tensor<?xf32>, tensor<?xf32>
}
