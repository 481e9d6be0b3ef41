// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-accumulate-gradients-before-padding | FileCheck %s

// Gradients of two slices of a weight: each is accumulated by itself, and
// padded after the loop. Other terms stay in the sum.
// CHECK-LABEL: ingot.entry @slices
// CHECK: ^bb0(%[[G:.*]]: tensor<4x2xf32>, %[[W:.*]]: tensor<4x8xf32>):
// CHECK-DAG: %[[ZEROS:.*]] = ingot.constant dense<0.000000e+00> : tensor<4x8xf32>
// CHECK-DAG: %[[PART:.*]] = ingot.constant dense<0.000000e+00> : tensor<4x2xf32>
// CHECK: %[[L:.*]]:5 = ingot.while(%{{.*}}, %[[ZEROS]], %[[ZEROS]], %{{.*}}, %{{.*}})
// CHECK: body
// CHECK: ^bb0(%{{.*}}: tensor<i32>, %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<4x8xf32>, %[[P:.*]]: tensor<4x2xf32>, %[[Q:.*]]: tensor<4x2xf32>):
// CHECK: %[[E:.*]] = ingot.exp %[[G]]
// CHECK-NOT: ingot.strided_slice_update
// CHECK: %[[N:.*]] = ingot.add_n %[[B]], %[[W]] :
// CHECK: %[[PN:.*]] = ingot.add_n %[[P]], %[[G]] :
// CHECK: %[[QN:.*]] = ingot.add_n %[[Q]], %[[E]] :
// CHECK: ingot.result %{{.*}}, %[[A]], %[[N]], %[[PN]], %[[QN]]
// CHECK: %[[PW:.*]] = ingot.strided_slice_update %[[ZEROS]], {{.*}}, %[[L]]#3 {begin_mask = 3 : i64, end_mask = 1 : i64}
// CHECK: %[[QW:.*]] = ingot.strided_slice_update %[[ZEROS]], {{.*}}, %[[L]]#4 {begin_mask = 1 : i64, end_mask = 3 : i64}
// CHECK: %[[T:.*]] = ingot.add_n %[[L]]#2, %[[QW]]
// CHECK: ingot.return %[[PW]], %[[T]]
ingot.entry @slices role(step) feeds ["g:0", "w:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%g: tensor<4x2xf32>, %w: tensor<4x8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %zeros = ingot.constant dense<0.0> : tensor<4x8xf32>
  %none = ingot.constant dense<0> : tensor<2xi32>
  %two = ingot.constant dense<[0, 2]> : tensor<2xi32>
  %six = ingot.constant dense<[0, 6]> : tensor<2xi32>
  %ones = ingot.constant dense<1> : tensor<2xi32>
  %a:3 = ingot.while(%zero, %zeros, %zeros) : (tensor<i32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>, tensor<4x8xf32>) test {
  ^bb0(%i: tensor<i32>, %s: tensor<4x8xf32>, %t: tensor<4x8xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %s: tensor<4x8xf32>, %t: tensor<4x8xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %e = ingot.exp %g : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %p = ingot.strided_slice_update %zeros, %none, %two, %ones, %g {begin_mask = 3 : i64, end_mask = 1 : i64} : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x2xf32>) -> tensor<4x8xf32>
    %q = ingot.strided_slice_update %zeros, %six, %none, %ones, %e {begin_mask = 1 : i64, end_mask = 3 : i64} : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x2xf32>) -> tensor<4x8xf32>
    %u = ingot.add_n %s, %p : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %v = ingot.add_n %t, %w, %q : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ingot.result %next, %u, %v : tensor<i32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
  ingot.return %a#1, %a#2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Sums of other terms stay: another base, and a sum that the iteration itself
// reads.
// CHECK-LABEL: ingot.entry @stays
// CHECK: ingot.while
// CHECK: body
// CHECK: ingot.strided_slice_update
// CHECK: ingot.strided_slice_update
// CHECK: ingot.result
// CHECK-NOT: ingot.strided_slice_update
// CHECK: ingot.return
ingot.entry @stays role(step) feeds ["g:0", "w:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%g: tensor<4x2xf32>, %w: tensor<4x8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %zeros = ingot.constant dense<0.0> : tensor<4x8xf32>
  %none = ingot.constant dense<0> : tensor<2xi32>
  %two = ingot.constant dense<[0, 2]> : tensor<2xi32>
  %ones = ingot.constant dense<1> : tensor<2xi32>
  %a:3 = ingot.while(%zero, %zeros, %zeros) : (tensor<i32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>, tensor<4x8xf32>) test {
  ^bb0(%i: tensor<i32>, %s: tensor<4x8xf32>, %t: tensor<4x8xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %s: tensor<4x8xf32>, %t: tensor<4x8xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %e = ingot.exp %t : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %p = ingot.strided_slice_update %w, %none, %two, %ones, %g {begin_mask = 3 : i64, end_mask = 1 : i64} : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x2xf32>) -> tensor<4x8xf32>
    %q = ingot.strided_slice_update %zeros, %none, %two, %ones, %g {begin_mask = 3 : i64, end_mask = 1 : i64} : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x2xf32>) -> tensor<4x8xf32>
    %u = ingot.add_n %s, %p : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %v = ingot.add_n %t, %e, %q : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ingot.result %next, %u, %v : tensor<i32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
  ingot.return %a#1, %a#2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Slices that tile a tensor are concatenated in order along the axis; zeros are
// dropped, other terms are added.
// CHECK-LABEL: ingot.entry @joins
// CHECK: ^bb0(%[[P:.*]]: tensor<4x2xf32>, %[[Q:.*]]: tensor<4x6xf32>, %[[W:.*]]: tensor<4x8xf32>):
// CHECK-NOT: ingot.strided_slice_update
// CHECK-DAG: %[[AXIS:.*]] = ingot.constant dense<1> : tensor<i32>
// CHECK: %[[J:.*]] = ingot.concat %[[AXIS]], %[[P]], %[[Q]] :
// CHECK: %[[K:.*]] = ingot.concat %{{.*}}, %[[P]], %[[Q]] :
// CHECK: %[[S:.*]] = ingot.add_n %[[W]], %[[K]] :
// CHECK: ingot.return %[[J]], %[[S]]
ingot.entry @joins role(step) feeds ["p:0", "q:0", "w:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%p: tensor<4x2xf32>, %q: tensor<4x6xf32>, %w: tensor<4x8xf32>):
  %zeros = ingot.constant dense<0.0> : tensor<4x8xf32>
  %none = ingot.constant dense<0> : tensor<2xi32>
  %two = ingot.constant dense<[0, 2]> : tensor<2xi32>
  %ones = ingot.constant dense<1> : tensor<2xi32>
  %a = ingot.strided_slice_update %zeros, %two, %none, %ones, %q {begin_mask = 1 : i64, end_mask = 3 : i64} : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x6xf32>) -> tensor<4x8xf32>
  %b = ingot.strided_slice_update %zeros, %none, %two, %ones, %p {begin_mask = 3 : i64, end_mask = 1 : i64} : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x2xf32>) -> tensor<4x8xf32>
  %s = ingot.add_n %zeros, %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = ingot.add_n %a, %w, %b : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  ingot.return %s, %t : tensor<4x8xf32>, tensor<4x8xf32>
}

// Slices that leave gaps, or overlap, are added.
// CHECK-LABEL: ingot.entry @overlaps
// CHECK-NOT: ingot.concat
// CHECK: ingot.add_n
// CHECK: ingot.add_n
// CHECK-NOT: ingot.concat
// CHECK: ingot.return
ingot.entry @overlaps role(step) feeds ["p:0", "q:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%p: tensor<4x2xf32>, %q: tensor<4x6xf32>):
  %zeros = ingot.constant dense<0.0> : tensor<4x8xf32>
  %none = ingot.constant dense<0> : tensor<2xi32>
  %two = ingot.constant dense<[0, 2]> : tensor<2xi32>
  %four = ingot.constant dense<[0, 4]> : tensor<2xi32>
  %ones = ingot.constant dense<1> : tensor<2xi32>
  %a = ingot.strided_slice_update %zeros, %two, %none, %ones, %q {begin_mask = 1 : i64, end_mask = 3 : i64} : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x6xf32>) -> tensor<4x8xf32>
  %b = ingot.strided_slice_update %zeros, %two, %four, %ones, %p {begin_mask = 1 : i64, end_mask = 1 : i64} : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x2xf32>) -> tensor<4x8xf32>
  %c = ingot.strided_slice_update %zeros, %none, %two, %ones, %p {begin_mask = 3 : i64, end_mask = 1 : i64} : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x2xf32>) -> tensor<4x8xf32>
  %s = ingot.add_n %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = ingot.add_n %b, %c : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  ingot.return %s, %t : tensor<4x8xf32>, tensor<4x8xf32>
}
