// RUN: ingot-opt %s --ingot-cpu-bufferize-program --canonicalize | FileCheck %s

#id = affine_map<(i) -> (i)>

// A kernel takes buffers and writes its result to the last one; a variable
// that it reads and replaces is updated where it lies.

// CHECK-LABEL: func.func private @update(
// CHECK-SAME:    %[[G:[^:]*]]: memref<4xf32>, %[[W:[^:]*]]: memref<4xf32>) attributes {host.kernel}
func.func private @update(%g: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  // CHECK-NOT: memref.alloc
  // CHECK: linalg.generic {{.*}} ins(%[[G]] : memref<4xf32>) outs(%[[W]] : memref<4xf32>)
  // CHECK-NOT: memref.copy
  // CHECK: return
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%g : tensor<4xf32>) outs(%w : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.subf %q, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The update happens in the variable's storage unless its old value is still
// wanted, as by a fetch: then that is set aside first.

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[W:[^:]*]]: memref<4xf32>, %[[G:[^:]*]]: memref<4xf32>)
func.func @step(%ws: memref<4xf32>, %gs: memref<4xf32>) {
  // CHECK-NOT: memref.alloc
  // CHECK: host.launch @update ins(%[[G]] : memref<4xf32>) outs(%[[W]] : memref<4xf32>)
  // CHECK-NOT: memref.copy
  // CHECK: return
  %w = bufferization.to_tensor %ws restrict writable : memref<4xf32> to tensor<4xf32>
  %g = bufferization.to_tensor %gs restrict : memref<4xf32> to tensor<4xf32>
  %n = host.launch @update ins(%g : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %n in restrict writable %ws : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @fetches_old(
// CHECK-SAME:    %[[W:[^:]*]]: memref<4xf32>, %[[G:[^:]*]]: memref<4xf32>, %[[F:[^:]*]]: memref<4xf32>)
func.func @fetches_old(%ws: memref<4xf32>, %gs: memref<4xf32>, %fs: memref<4xf32>) {
  // CHECK: %[[NEW:.*]] = memref.alloc() {{.*}} : memref<4xf32>
  // CHECK: memref.copy %[[W]], %[[NEW]]
  // CHECK: host.launch @update ins(%[[G]] : memref<4xf32>) outs(%[[NEW]] : memref<4xf32>)
  // CHECK: memref.copy %[[W]], %[[F]]
  // CHECK: memref.copy %[[NEW]], %[[W]]
  %w = bufferization.to_tensor %ws restrict writable : memref<4xf32> to tensor<4xf32>
  %g = bufferization.to_tensor %gs restrict : memref<4xf32> to tensor<4xf32>
  %n = host.launch @update ins(%g : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %w in restrict writable %fs : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %n in restrict writable %ws : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
