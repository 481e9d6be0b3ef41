// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// A window is one dimension that is reduced, in rows of two; it moves by two.
// CHECK-LABEL: func.func private @max_pool
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]
// CHECK: ^bb0(%{{.*}}: i8, %[[BEST:.*]]: f32):
// CHECK: %[[PLACE:.*]] = linalg.index 3 : index
// CHECK-DAG: arith.divui %[[PLACE]], %{{.*}} : index
// CHECK-DAG: arith.remui %[[PLACE]], %{{.*}} : index
// CHECK: %[[X:.*]] = tensor.extract
// CHECK: %[[LARGER:.*]] = arith.cmpf ogt, %[[X]], %[[BEST]] : f32
// CHECK: arith.select %[[LARGER]], %[[X]], %[[BEST]] : f32
func.func private @max_pool(%x: tensor<1x4x4x2xf32>, %o: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> attributes {host.kernel} {
  %0 = ingot.max_pool %x {padding = "VALID", strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}
