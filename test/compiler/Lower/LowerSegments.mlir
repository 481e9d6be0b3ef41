// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// A scan carries the total of each column; in reverse, from the last row on.
// CHECK-LABEL: func.func private @cumulative
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}}, %[[TOTAL:.*]] = %{{.*}}) -> (tensor<4x8xf32>, tensor<8xf32>)
// CHECK: %[[ROW:.*]] = arith.subi %{{.*}}, %[[I]] : index
// CHECK: %[[STEP:.*]]:2 = linalg.generic {{.*}} outs(%{{.*}}, %[[TOTAL]] :
// CHECK: %[[NEXT:.*]] = arith.addf
// CHECK: linalg.yield %[[NEXT]], %[[NEXT]] : f32, f32
// CHECK: tensor.insert_slice %[[STEP]]#0 into %{{.*}}[%[[ROW]], 0] [1, 8] [1, 1]
func.func private @cumulative(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {host.kernel} {
  %axis = ingot.constant dense<0> : tensor<i32>
  %0 = ingot.cumulative %x, %axis {kind = "sum", reverse = true} : (tensor<4x8xf32>, tensor<i32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
