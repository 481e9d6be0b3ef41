// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// Of a window of many elements these are one dimension that is reduced, in rows
// of four; it moves by four.
// CHECK-LABEL: func.func private @max_pool
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]
// CHECK: ^bb0(%{{.*}}: i8, %[[BEST:.*]]: f32):
// CHECK: %[[PLACE:.*]] = linalg.index 3 : index
// CHECK-DAG: arith.divui %[[PLACE]], %{{.*}} : index
// CHECK-DAG: arith.remui %[[PLACE]], %{{.*}} : index
// CHECK: %[[X:.*]] = tensor.extract
// CHECK: %[[LARGER:.*]] = arith.cmpf ogt, %[[X]], %[[BEST]] : f32
// CHECK: arith.select %[[LARGER]], %[[X]], %[[BEST]] : f32
func.func private @max_pool(%x: tensor<1x8x8x2xf32>, %o: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> attributes {host.kernel} {
  %0 = ingot.max_pool %x {padding = "VALID", strides = array<i64: 4, 4>, window = array<i64: 4, 4>} : (tensor<1x8x8x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// -----

// Four elements are looked at in one step.
// CHECK-LABEL: func.func private @few
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs
// CHECK-COUNT-4: tensor.extract %arg0
// CHECK-NOT: tensor.extract
// CHECK: linalg.yield
func.func private @few(%x: tensor<1x4x4x2xf32>, %o: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> attributes {host.kernel} {
  %0 = ingot.max_pool %x {padding = "VALID", strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// -----

// Where windows stand apart, each element of the image asks its own one: whose
// number won, and is it this one's?
// CHECK-LABEL: func.func private @gradient
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs
// CHECK-COUNT-4: tensor.extract %arg0
// CHECK: %[[OWN:.*]] = arith.index_cast
// CHECK: arith.cmpi eq, %{{.*}}, %[[OWN]]
// CHECK: tensor.extract %arg1
// CHECK-NOT: "reduction"
// CHECK: return
func.func private @gradient(%x: tensor<1x4x4x2xf32>, %dy: tensor<1x2x2x2xf32>, %o: tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> attributes {host.kernel} {
  %0 = ingot.max_pool_grad %x, %dy {padding = "VALID", strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x4x4x2xf32>
  return %0 : tensor<1x4x4x2xf32>
}

// -----

// Where they overlap, windows are searched first; then each element adds up
// what the nine of them that may see it give.
// CHECK-LABEL: func.func private @overlapping
// CHECK: %[[WINNERS:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<1x2x2x2xi32>)
// CHECK-COUNT-9: tensor.extract %arg0
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<1x5x5x2xf32>)
// CHECK-COUNT-9: tensor.extract %[[WINNERS]]
// CHECK-NOT: "reduction"
// CHECK: return
func.func private @overlapping(%x: tensor<1x5x5x2xf32>, %dy: tensor<1x2x2x2xf32>, %o: tensor<1x5x5x2xf32>) -> tensor<1x5x5x2xf32> attributes {host.kernel} {
  %0 = ingot.max_pool_grad %x, %dy {padding = "VALID", strides = array<i64: 2, 2>, window = array<i64: 3, 3>} : (tensor<1x5x5x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x5x5x2xf32>
  return %0 : tensor<1x5x5x2xf32>
}

// -----

// Of large windows all of this is loops over their elements.
// CHECK-LABEL: func.func private @large
// CHECK-COUNT-2: "reduction"
func.func private @large(%x: tensor<1x9x9x2xf32>, %dy: tensor<1x2x2x2xf32>, %o: tensor<1x9x9x2xf32>) -> tensor<1x9x9x2xf32> attributes {host.kernel} {
  %0 = ingot.max_pool_grad %x, %dy {padding = "VALID", strides = array<i64: 4, 4>, window = array<i64: 5, 5>} : (tensor<1x9x9x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x9x9x2xf32>
  return %0 : tensor<1x9x9x2xf32>
}

// -----

// A mean of four.
// CHECK-LABEL: func.func private @mean
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs
// CHECK-COUNT-4: tensor.extract %arg0
// CHECK: arith.divf
func.func private @mean(%x: tensor<1x4x4x2xf32>, %o: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> attributes {host.kernel} {
  %0 = ingot.avg_pool %x {padding = "VALID", strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}
