// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @if
func.func @if(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ingot.if %{{.*}} : tensor<i1> -> (tensor<4xf32>) {
  // CHECK: ingot.result %{{.*}} : tensor<4xf32>
  // CHECK: } else {
  %y = ingot.if %c : tensor<i1> -> (tensor<4xf32>) {
    %0 = ingot.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    ingot.result %0 : tensor<4xf32>
  } else {
    ingot.result %x : tensor<4xf32>
  }
  // CHECK: ingot.if %{{.*}} : tensor<i1> {
  ingot.if %c : tensor<i1> {
    ingot.result
  } else {
    ingot.result
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @while
func.func @while(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  // CHECK: ingot.while(%{{.*}}, %{{.*}}) : (tensor<i32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>) test {
  // CHECK: ingot.condition %{{.*}} : tensor<i1>
  // CHECK: } body {
  // CHECK: ingot.result %{{.*}}, %{{.*}} : tensor<i32>, tensor<?xf32>
  %r:2 = ingot.while(%zero, %x) : (tensor<i32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>) test {
  ^bb0(%i: tensor<i32>, %y: tensor<?xf32>):
    %c = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %y: tensor<?xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %z = ingot.mul %y, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ingot.result %next, %z : tensor<i32>, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}
