// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -ingot-cpu-unbatch-gemms | FileCheck %s

// A batch of two dimensions, with transposed second operands: one loop over all
// GEMMs, in which nothing is copied.
#x = affine_map<(a, b, i, j, k) -> (a, b, i, k)>
#y = affine_map<(a, b, i, j, k) -> (a, b, j, k)>
#z = affine_map<(a, b, i, j, k) -> (a, b, i, j)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func private @scores(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x4x32x64xf32>, %[[Y:[a-z0-9]+]]: tensor<8x4x48x64xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty()
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[COUNT:[a-z0-9_]+]] step %{{.*}} iter_args(%[[ALL:.*]] = %[[EMPTY]])
// CHECK: %[[B:.*]] = arith.remui %[[I]]
// CHECK: %[[A:.*]] = arith.divui %[[I]]
// CHECK: %[[XI:.*]] = tensor.extract_slice %[[X]][%[[A]], %[[B]], 0, 0] [1, 1, 32, 64] [1, 1, 1, 1] : tensor<8x4x32x64xf32> to tensor<32x64xf32>
// CHECK: %[[YI:.*]] = tensor.extract_slice %[[Y]][%[[A]], %[[B]], 0, 0] [1, 1, 48, 64]
// CHECK-NOT: linalg.transpose
// CHECK: %[[ZI:.*]] = tensor.extract_slice %[[ALL]][%[[A]], %[[B]], 0, 0] [1, 1, 32, 48]
// CHECK: %[[ZERO:.*]] = linalg.fill {{.*}} outs(%[[ZI]]
// CHECK: linalg.generic {indexing_maps = [#[[ROW]], #[[COLUMN]], #[[OUT]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[XI]], %[[YI]] :
// CHECK: tensor.insert_slice %{{.*}} into %[[ALL]]
// CHECK: } {host.grid_loop}
func.func private @scores(%x: tensor<8x4x32x64xf32>, %y: tensor<8x4x48x64xf32>, %z: tensor<8x4x32x48xf32>) -> tensor<8x4x32x48xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4x32x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4x32x48xf32>) -> tensor<8x4x32x48xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%x, %y : tensor<8x4x32x64xf32>, tensor<8x4x48x64xf32>) outs(%f : tensor<8x4x32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x4x32x48xf32>
  return %p : tensor<8x4x32x48xf32>
}

// -----

// A first operand whose rows are not contiguous is transposed, GEMM by GEMM,
// whatever the order of the loops.
#x = affine_map<(a, k, i, j) -> (a, k, i)>
#y = affine_map<(a, k, i, j) -> (a, k, j)>
#z = affine_map<(a, k, i, j) -> (a, i, j)>
// CHECK-LABEL: func.func private @gradient(
// CHECK: scf.for
// CHECK: %[[XI:.*]] = tensor.extract_slice %{{.*}} [1, 64, 32] [1, 1, 1] : tensor<8x64x32xf32> to tensor<64x32xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[XI]] : tensor<64x32xf32>) outs(%{{.*}} : tensor<32x64xf32>) permutation = [1, 0]
// CHECK: linalg.generic {{.*}} ins(%[[T]],
func.func private @gradient(%x: tensor<8x64x32xf32>, %y: tensor<8x64x48xf32>, %z: tensor<8x32x48xf32>) -> tensor<8x32x48xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32x48xf32>) -> tensor<8x32x48xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%x, %y : tensor<8x64x32xf32>, tensor<8x64x48xf32>) outs(%f : tensor<8x32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x48xf32>
  return %p : tensor<8x32x48xf32>
}

// -----

// Not where all GEMMs have the same operand, nor where they are small.
#x = affine_map<(a, i, j, k) -> (a, i, k)>
#same = affine_map<(a, i, j, k) -> (k, j)>
#y = affine_map<(a, i, j, k) -> (a, k, j)>
#z = affine_map<(a, i, j, k) -> (a, i, j)>
// CHECK-LABEL: func.func private @shared(
// CHECK-NOT: scf.for
func.func private @shared(%x: tensor<8x32x64xf32>, %y: tensor<64x48xf32>, %z: tensor<8x32x48xf32>) -> tensor<8x32x48xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32x48xf32>) -> tensor<8x32x48xf32>
  %p = linalg.generic {indexing_maps = [#x, #same, #z], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %y : tensor<8x32x64xf32>, tensor<64x48xf32>) outs(%f : tensor<8x32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x32x48xf32>
  return %p : tensor<8x32x48xf32>
}

// CHECK-LABEL: func.func private @small(
// CHECK-NOT: scf.for
func.func private @small(%x: tensor<8x4x4xf32>, %y: tensor<8x4x4xf32>, %z: tensor<8x4x4xf32>) -> tensor<8x4x4xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %y : tensor<8x4x4xf32>, tensor<8x4x4xf32>) outs(%f : tensor<8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x4x4xf32>
  return %p : tensor<8x4x4xf32>
}

// -----

// GEMMs of 2,592 multiply-adds: unbatched if the second operand is transposed.
#x = affine_map<(a, i, j, k) -> (a, i, k)>
#y = affine_map<(a, i, j, k) -> (a, j, k)>
#straight = affine_map<(a, i, j, k) -> (a, k, j)>
#z = affine_map<(a, i, j, k) -> (a, i, j)>
// CHECK-LABEL: func.func private @small_transposed(
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
func.func private @small_transposed(%x: tensor<8x9x32xf32>, %y: tensor<8x9x32xf32>) -> tensor<8x9x9xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x9x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x9x9xf32>) -> tensor<8x9x9xf32>
  %p = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %y : tensor<8x9x32xf32>, tensor<8x9x32xf32>) outs(%f : tensor<8x9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x9x9xf32>
  return %p : tensor<8x9x9xf32>
}

// CHECK-LABEL: func.func private @small_straight(
// CHECK-NOT: scf.for
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
func.func private @small_straight(%x: tensor<8x9x32xf32>, %y: tensor<8x32x9xf32>) -> tensor<8x9x9xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x9x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x9x9xf32>) -> tensor<8x9x9xf32>
  %p = linalg.generic {indexing_maps = [#x, #straight, #z], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %y : tensor<8x9x32xf32>, tensor<8x32x9xf32>) outs(%f : tensor<8x9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x9x9xf32>
  return %p : tensor<8x9x9xf32>
}

// -----

// The heads of attention are a dimension between rows and columns, and the
// operand with the result's rows is the second one: slices, and no transpose.
#k = affine_map<(a, h, i, j, d) -> (a, j, h, d)>
#q = affine_map<(a, h, i, j, d) -> (a, i, h, d)>
#s = affine_map<(a, h, i, j, d) -> (a, h, i, j)>
// CHECK-LABEL: func.func private @heads(
// CHECK-SAME: %[[K:[a-z0-9]+]]: tensor<8x48x4x64xf32>, %[[Q:[a-z0-9]+]]: tensor<8x32x4x64xf32>
// CHECK: scf.for
// CHECK: %[[X:.*]] = tensor.extract_slice %[[Q]][%[[A:.*]], 0, %[[H:.*]], 0] [1, 32, 1, 64] [1, 1, 1, 1] : tensor<8x32x4x64xf32> to tensor<32x64xf32>
// CHECK: %[[Y:.*]] = tensor.extract_slice %[[K]][%[[A]], 0, %[[H]], 0] [1, 48, 1, 64] [1, 1, 1, 1] : tensor<8x48x4x64xf32> to tensor<48x64xf32>
// CHECK-NOT: linalg.transpose
// CHECK: tensor.extract_slice %{{.*}}[%[[A]], %[[H]], 0, 0] [1, 1, 32, 48]
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[Y]] :
// CHECK: } {host.grid_loop}
func.func private @heads(%k: tensor<8x48x4x64xf32>, %q: tensor<8x32x4x64xf32>, %z: tensor<8x4x32x48xf32>) -> tensor<8x4x32x48xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4x32x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4x32x48xf32>) -> tensor<8x4x32x48xf32>
  %p = linalg.generic {indexing_maps = [#k, #q, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%k, %q : tensor<8x48x4x64xf32>, tensor<8x32x4x64xf32>) outs(%f : tensor<8x4x32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x4x32x48xf32>
  return %p : tensor<8x4x32x48xf32>
}
