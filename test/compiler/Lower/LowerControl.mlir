// SPDX-License-Identifier: Apache-2.0
// Branches and loops work on buffers that are allocated before them.
// RUN: ingot-opt %s -ingot-lower-control | FileCheck %s

// CHECK-LABEL: func.func @branches
// CHECK: %[[M:.*]] = memref.alloc() {{.*}}: memref<4xf32>
// CHECK: %[[C:.*]] = tensor.extract %{{.*}}[] : tensor<i1>
// CHECK: scf.if %[[C]] {
// CHECK:   bufferization.materialize_in_destination %{{.*}} in restrict writable %[[M]]
// CHECK: } else {
// CHECK:   bufferization.materialize_in_destination %{{.*}} in restrict writable %[[M]]
// CHECK: bufferization.to_tensor %[[M]] restrict : memref<4xf32>
func.func @branches(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %y = ingot.if %c : tensor<i1> -> (tensor<4xf32>) {
    ingot.result %a : tensor<4xf32>
  } else {
    ingot.result %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// Swapped loop-carried values are copied before they are overwritten; a tensor
// of dynamic shape is passed on.
// CHECK-LABEL: func.func @loop
// CHECK-DAG: %[[A:.*]] = memref.alloc() {{.*}}: memref<f32>
// CHECK-DAG: %[[B:.*]] = memref.alloc() {{.*}}: memref<f32>
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (memref<?xf32>) -> memref<?xf32> {
// CHECK:   scf.condition(%{{.*}}) %{{.*}} : memref<?xf32>
// CHECK: } do {
// CHECK:   %[[OLD_B:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) : tensor<f32>
// CHECK:   %[[OLD_A:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) : tensor<f32>
// CHECK:   scf.yield %{{.*}} : memref<?xf32>
func.func @loop(%a: tensor<f32>, %b: tensor<f32>, %x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %r:3 = ingot.while(%a, %b, %x) : (tensor<f32>, tensor<f32>, tensor<?xf32>) -> (tensor<f32>, tensor<f32>, tensor<?xf32>) test {
  ^bb0(%i: tensor<f32>, %j: tensor<f32>, %k: tensor<?xf32>):
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<f32>, %j: tensor<f32>, %k: tensor<?xf32>):
    ingot.result %j, %i, %x : tensor<f32>, tensor<f32>, tensor<?xf32>
  }
  return %r#2 : tensor<?xf32>
}

// An accumulator, such as a loop's gradient of a weight, is updated in place.

func.func private @add(%x: tensor<4xf32>, %sum: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  return %sum : tensor<4xf32>
}

// CHECK-LABEL: func.func @adds_up
// CHECK: %[[SUM:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK: scf.while
// CHECK: bufferization.to_tensor %[[SUM]] restrict :
// CHECK: } do {
// CHECK: bufferization.to_tensor %{{.*}} restrict :
// CHECK: %[[OLD:.*]] = bufferization.to_tensor %[[SUM]] restrict writable :
// CHECK: %[[NEW:.*]] = host.launch @add ins(%{{.*}}) outs(%[[OLD]] : tensor<4xf32>)
// CHECK: bufferization.materialize_in_destination %[[NEW]] in restrict writable %[[SUM]]
func.func @adds_up(%more: tensor<i1>, %x: tensor<4xf32>, %zero: tensor<4xf32>) -> tensor<4xf32> {
  %r:2 = ingot.while(%more, %zero) : (tensor<i1>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>) test {
  ^bb0(%m: tensor<i1>, %s: tensor<4xf32>):
    ingot.condition %m : tensor<i1>
  } body {
  ^bb0(%m: tensor<i1>, %s: tensor<4xf32>):
    %n = host.launch @add ins(%x : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    ingot.result %m, %n : tensor<i1>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// Rows are written to the loop's own tensor, which starts uninitialized.
// CHECK-LABEL: func.func @rows
// CHECK: %[[I:.*]] = memref.alloc() {{.*}}: memref<i32>
// CHECK: %[[R:.*]] = memref.alloc() {{.*}}: memref<5x16xf32>
// CHECK-NOT: materialize_in_destination {{.*}} %[[R]]
// CHECK: scf.while
// CHECK: do
// CHECK: bufferization.to_tensor %[[R]] restrict writable
// CHECK: tensor.insert_slice
func.func @rows(%x: tensor<16xf32>, %i: tensor<i32>, %n: index) -> tensor<5x16xf32> {
  %room = tensor.empty() : tensor<5x16xf32>
  %f:2 = ingot.while(%i, %room) : (tensor<i32>, tensor<5x16xf32>) -> (tensor<i32>, tensor<5x16xf32>) test {
  ^bb0(%k: tensor<i32>, %r: tensor<5x16xf32>):
    %c = arith.constant dense<true> : tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%k: tensor<i32>, %r: tensor<5x16xf32>):
    %s = tensor.insert_slice %x into %r[%n, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<5x16xf32>
    ingot.result %k, %s : tensor<i32>, tensor<5x16xf32>
  }
  return %f#1 : tensor<5x16xf32>
}
