// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-lower-to-linalg -split-input-file | FileCheck %s

// The taps of a large window are one reduced dimension, in rows of four; the
// stride is four.
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

// Four taps are unrolled.
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

// With disjoint windows, each element of the image tests whether it is the
// maximum of its window.
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

// With overlapping windows, the maxima are found first; then each element sums
// the gradients of the nine windows that may see it.
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

// Large windows are loops over their taps.
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
