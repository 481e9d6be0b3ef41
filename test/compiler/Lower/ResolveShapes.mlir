// RUN: ingot-opt %s -ingot-outline-kernels -ingot-lower-to-linalg -ingot-resolve-shapes | FileCheck %s

// The sizes of what a kernel returns are computed where it is launched, from
// its operands.
// CHECK-LABEL: ingot.entry @step
// CHECK: ^bb0(%[[X:.*]]: tensor<?x5xf32>):
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x5xf32>
// CHECK-DAG: %[[D:.*]] = tensor.empty(%[[ROWS]]) : tensor<?x3xf32>
// CHECK: host.launch @product ins({{.*}}) outs(%[[D]] : tensor<?x3xf32>)
ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x5xf32>):
  %w = ingot.constant dense<1.0> : tensor<5x3xf32>
  %y = ingot.fusion "product" -> tensor<?x3xf32> {
    %0 = ingot.matmul %x, %w : (tensor<?x5xf32>, tensor<5x3xf32>) -> tensor<?x3xf32>
    ingot.return %0 : tensor<?x3xf32>
  }
  ingot.return %y : tensor<?x3xf32>
}
