// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-hoist-slices-above-matmuls | FileCheck %s

// The used slice of a loop's matmul: its matrix is sliced once, before the
// loop, after ingot-hoist-loop-invariants.
// CHECK-LABEL: ingot.entry @columns
// CHECK: ^bb0(%[[X:.*]]: tensor<64x512xf32>, %[[W:.*]]: tensor<160x512xf32>):
// CHECK: body
// CHECK: ^bb0(%{{.*}}: tensor<i32>, %[[G:.*]]: tensor<64x512xf32>, %{{.*}}: tensor<64x128xf32>):
// CHECK-DAG: %[[BEGIN:.*]] = ingot.constant dense<[32, 0]> : tensor<2xi32>
// CHECK-DAG: %[[SIZE:.*]] = ingot.constant dense<[128, 512]> : tensor<2xi32>
// CHECK: %[[PART:.*]] = ingot.slice %[[W]], %[[BEGIN]], %[[SIZE]] : {{.*}} -> tensor<128x512xf32>
// CHECK: %[[Y:.*]] = ingot.matmul %[[G]], %[[PART]] {transpose_b = true} : (tensor<64x512xf32>, tensor<128x512xf32>) -> tensor<64x128xf32>
// CHECK-NOT: ingot.slice
// CHECK: ingot.result %{{.*}}, %[[G]], %[[Y]]
ingot.entry @columns role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<64x512xf32>, %w: tensor<160x512xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %begin = ingot.constant dense<[0, 32]> : tensor<2xi32>
  %size = ingot.constant dense<[64, 128]> : tensor<2xi32>
  %start = ingot.constant dense<0.0> : tensor<64x128xf32>
  %a:3 = ingot.while(%zero, %x, %start) : (tensor<i32>, tensor<64x512xf32>, tensor<64x128xf32>) -> (tensor<i32>, tensor<64x512xf32>, tensor<64x128xf32>) test {
  ^bb0(%i: tensor<i32>, %g: tensor<64x512xf32>, %h: tensor<64x128xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %g: tensor<64x512xf32>, %h: tensor<64x128xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c = ingot.matmul %g, %w {transpose_b = true} : (tensor<64x512xf32>, tensor<160x512xf32>) -> tensor<64x160xf32>
    %s = ingot.slice %c, %begin, %size : (tensor<64x160xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<64x128xf32>
    ingot.result %next, %g, %s : tensor<i32>, tensor<64x512xf32>, tensor<64x128xf32>
  }
  ingot.return %a#2 : tensor<64x128xf32>
}

// Without a loop the operand's slice is copied each time: that pays for few
// rows of many, here the first two of a transposed first operand.
// CHECK-LABEL: ingot.entry @rows
// CHECK: ^bb0(%[[A:.*]]: tensor<8x1024xf32>, %[[B:.*]]: tensor<8x64xf32>):
// CHECK: %[[FEW:.*]] = ingot.slice %[[A]], {{.*}} -> tensor<8x2xf32>
// CHECK: %[[Y:.*]] = ingot.matmul %[[FEW]], %[[B]] {transpose_a = true} : (tensor<8x2xf32>, tensor<8x64xf32>) -> tensor<2x64xf32>
// CHECK: ingot.return %[[Y]]
ingot.entry @rows role(other) feeds ["a:0", "b:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%a: tensor<8x1024xf32>, %b: tensor<8x64xf32>):
  %begin = ingot.constant dense<0> : tensor<2xi32>
  %size = ingot.constant dense<[2, -1]> : tensor<2xi32>
  %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<8x1024xf32>, tensor<8x64xf32>) -> tensor<1024x64xf32>
  %s = ingot.slice %c, %begin, %size : (tensor<1024x64xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x64xf32>
  ingot.return %s : tensor<2x64xf32>
}

// Copying most columns of a matrix takes longer than four rows save.
// CHECK-LABEL: ingot.entry @most
// CHECK-NEXT: ^bb0
// CHECK: ingot.matmul {{.*}} -> tensor<4x64xf32>
// CHECK: ingot.slice {{.*}} -> tensor<4x60xf32>
ingot.entry @most role(other) feeds ["a:0", "b:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%a: tensor<4x512xf32>, %b: tensor<512x64xf32>):
  %begin = ingot.constant dense<0> : tensor<2xi32>
  %size = ingot.constant dense<[4, 60]> : tensor<2xi32>
  %c = ingot.matmul %a, %b : (tensor<4x512xf32>, tensor<512x64xf32>) -> tensor<4x64xf32>
  %s = ingot.slice %c, %begin, %size : (tensor<4x64xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x60xf32>
  ingot.return %s : tensor<4x60xf32>
}

// The matmul has another use.
// CHECK-LABEL: ingot.entry @shared
// CHECK: ingot.matmul {{.*}} -> tensor<1024x64xf32>
// CHECK: ingot.slice {{.*}} -> tensor<2x64xf32>
ingot.entry @shared role(other) feeds ["a:0", "b:0"] fetches ["y:0", "c:0"] variables [] updates [] {
^bb0(%a: tensor<1024x8xf32>, %b: tensor<8x64xf32>):
  %begin = ingot.constant dense<0> : tensor<2xi32>
  %size = ingot.constant dense<[2, 64]> : tensor<2xi32>
  %c = ingot.matmul %a, %b : (tensor<1024x8xf32>, tensor<8x64xf32>) -> tensor<1024x64xf32>
  %s = ingot.slice %c, %begin, %size : (tensor<1024x64xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x64xf32>
  ingot.return %s, %c : tensor<2x64xf32>, tensor<1024x64xf32>
}

// The matmul has a dynamic size, of which the slice takes a static number.
// CHECK-LABEL: ingot.entry @any_sum
// CHECK: ingot.matmul {{.*}} -> tensor<256x1024xf32>
// CHECK: ingot.slice {{.*}} -> tensor<256x512xf32>
ingot.entry @any_sum role(other) feeds ["a:0", "b:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%a: tensor<?x256xf32>, %b: tensor<?x1024xf32>):
  %begin = ingot.constant dense<[0, 512]> : tensor<2xi32>
  %size = ingot.constant dense<[256, 512]> : tensor<2xi32>
  %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<?x256xf32>, tensor<?x1024xf32>) -> tensor<256x1024xf32>
  %s = ingot.slice %c, %begin, %size : (tensor<256x1024xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<256x512xf32>
  ingot.return %s : tensor<256x512xf32>
}
