// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-fuse-elementwise | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#col = affine_map<(m, n) -> (n)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// The consumers of a GEMM become one op, computed in the kernel's own
// destination; the GEMM stays as it is, and the square of its operand is not
// recomputed for every column.

// CHECK-LABEL: func.func private @kernel(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %{{[^:]*}}: tensor<8x2xf32>, %{{[^:]*}}: tensor<2xf32>, %[[OUT:[^:]*]]: tensor<4x2xf32>)
func.func private @kernel(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %bias: tensor<2xf32>, %out: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x8xf32>
  // CHECK: %[[SQUARE:.*]] = linalg.generic {{.*}} ins(%[[X]] :
  // CHECK:   arith.mulf
  %square = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e0 : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %e1 = tensor.empty() : tensor<4x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x2xf32>) -> tensor<4x2xf32>
  // CHECK: %[[PRODUCT:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[SQUARE]],
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%square, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%f : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x2xf32>
  // CHECK: %[[RESULT:.*]] = linalg.generic {{.*}} outs(%[[OUT]] : tensor<4x2xf32>)
  // CHECK:   arith.addf
  // CHECK:   arith.maximumf
  // CHECK: return %[[RESULT]]
  %e2 = tensor.empty() : tensor<4x2xf32>
  %sum = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%product, %bias : tensor<4x2xf32>, tensor<2xf32>) outs(%e2 : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<4x2xf32>
  %e3 = tensor.empty() : tensor<4x2xf32>
  %relu = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%sum : tensor<4x2xf32>) outs(%e3 : tensor<4x2xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.maximumf %p, %zero : f32
    linalg.yield %r : f32
  } -> tensor<4x2xf32>
  return %relu : tensor<4x2xf32>
}

// The argument is a destination, although the result's size is computed from it.

// CHECK-LABEL: func.func private @sizes(
// CHECK-SAME:    %{{[^:]*}}: tensor<?xf32>, %[[OUT:[^:]*]]: tensor<?xf32>)
// CHECK: linalg.generic {{.*}} outs(%[[OUT]] : tensor<?xf32>)
func.func private @sizes(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {host.kernel} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %out, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %p : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Tensors that are put side by side are computed where they lie in the result.

// CHECK-LABEL: func.func private @joined(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[Y:[^:]*]]: tensor<4x8xf32>, %[[OUT:[^:]*]]: tensor<4x16xf32>)
func.func private @joined(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %out: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {host.kernel} {
  // CHECK: %[[LEFT:.*]] = tensor.extract_slice %[[OUT]][0, 0] [4, 8]
  // CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[X]] : {{.*}} outs(%[[LEFT]] :
  // CHECK: %[[ONE:.*]] = tensor.insert_slice %[[A]] into %[[OUT]][0, 0]
  // CHECK: %[[RIGHT:.*]] = tensor.extract_slice %[[ONE]][0, 8] [4, 8]
  // CHECK: linalg.copy ins(%[[Y]] : {{.*}} outs(%[[RIGHT]] :
  // CHECK: return
  %e0 = tensor.empty() : tensor<4x8xf32>
  %square = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e0 : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %p0 = tensor.extract_slice %e[0, 0] [4, 8] [1, 1] : tensor<4x16xf32> to tensor<4x8xf32>
  %c0 = linalg.copy ins(%square : tensor<4x8xf32>) outs(%p0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %i0 = tensor.insert_slice %c0 into %e[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  %p1 = tensor.extract_slice %i0[0, 8] [4, 8] [1, 1] : tensor<4x16xf32> to tensor<4x8xf32>
  %c1 = linalg.copy ins(%y : tensor<4x8xf32>) outs(%p1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %i1 = tensor.insert_slice %c1 into %i0[0, 8] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  return %i1 : tensor<4x16xf32>
}

// A root or a quotient of a sum is computed once for each channel, not for each
// element; cheap ops, or those of no sum, are computed where they are used, so
// that they do not constrain the kernel's grid.

// CHECK-LABEL: func.func private @channels(
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]}
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel"]}
// CHECK:           math.sqrt
// CHECK:           arith.divf
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK-NOT:       arith.divf
// CHECK:           %[[ROOT:.*]] = math.sqrt
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.addf %{{.*}}, %[[ROOT]]
func.func private @channels(%x: tensor<64x16xf32>, %m: tensor<16xf32>, %out: tensor<64x16xf32>) -> tensor<64x16xf32> attributes {host.kernel} {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<64x16xf32>) outs(%zeros : tensor<16xf32>) {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %q, %p : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %factor = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]} ins(%sum : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%p: f32, %q: f32):
    %root = math.sqrt %p : f32
    %r = arith.divf %one, %root : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %offset = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]} ins(%m : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%p: f32, %q: f32):
    %r = math.sqrt %p : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %e2 = tensor.empty() : tensor<64x16xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %factor, %offset : tensor<64x16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%e2 : tensor<64x16xf32>) {
  ^bb0(%a: f32, %f: f32, %o: f32, %q: f32):
    %r = arith.mulf %a, %f : f32
    %s = arith.addf %r, %o : f32
    linalg.yield %s : f32
  } -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
