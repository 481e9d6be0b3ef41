// RUN: ingot-opt %s --ingot-bufferize-kernels --canonicalize | FileCheck %s

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

// Entries are not looked at.

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    tensor<4xf32>
func.func @step(%w: tensor<4xf32>) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}
