// Shape arithmetic is folded, and types say what follows from it.
// RUN: ingot-opt %s -ingot-infer-shapes | FileCheck %s

// The dimensions of a fill are computed: twice those of another tensor.
// CHECK-LABEL: ingot.entry @folds_shape_arithmetic
ingot.entry @folds_shape_arithmetic role(other) feeds ["x:0", "v:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4x3xf32>, %v: tensor<f32>):
  %two = ingot.constant dense<2> : tensor<i32>
  %shape = ingot.shape %x {output_type = i32} : (tensor<4x3xf32>) -> tensor<2xi32>
  %twice = ingot.mul %shape, %two : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  // CHECK: %[[TWICE:.*]] = ingot.constant dense<[8, 6]> : tensor<2xi32>
  // CHECK: ingot.fill %[[TWICE]], %{{.*}} -> tensor<8x6xf32>
  // CHECK: ingot.return %{{.*}} : tensor<8x6xf32>
  %y = ingot.fill %twice, %v : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
  ingot.return %y : tensor<?x?xf32>
}

// What is inferred flows on; what is known already is never forgotten.
// CHECK-LABEL: ingot.entry @refines_onwards
ingot.entry @refines_onwards role(other) feeds ["x:0", "w:0", "u:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>, %u: tensor<?x3xf32>):
  // CHECK: %[[M:.*]] = ingot.matmul {{.*}} -> tensor<4x2xf32>
  %m = ingot.matmul %x, %w : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<?x?xf32>
  // CHECK: ingot.relu %[[M]] : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = ingot.relu %m : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: ingot.relu {{.*}} : (tensor<?x3xf32>) -> tensor<5x3xf32>
  %z = ingot.relu %u : (tensor<?x3xf32>) -> tensor<5x3xf32>
  ingot.return %y, %z : tensor<?x?xf32>, tensor<5x3xf32>
}

// A function of a dataset states what its results have become.
// CHECK-LABEL: func.func private @map_function
// CHECK-SAME: -> tensor<2xf32>
func.func private @map_function(%x: tensor<2xf32>) -> tensor<?xf32> {
  %y = ingot.neg %x : (tensor<2xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
