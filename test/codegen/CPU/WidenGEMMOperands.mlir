// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-cpu-widen-gemm-operands | FileCheck %s

// The factors of a GEMM are converted before it; its body multiplies f32.

// CHECK-LABEL: func.func private @gemm(
// CHECK-SAME:    %[[A:.*]]: tensor<?x32xbf16>, %[[B:.*]]: tensor<32x16xbf16>,
// CHECK:         %[[X:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[A]] : tensor<?x32xbf16>) outs(%{{.*}} : tensor<?x32xf32>)
// CHECK:           arith.extf %{{.*}} : bf16 to f32
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[B]] : tensor<32x16xbf16>) outs(%{{.*}} : tensor<32x16xf32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[Y]] : tensor<?x32xf32>, tensor<32x16xf32>)
// CHECK-NEXT:    ^bb0(%[[P:.*]]: f32, %[[Q:.*]]: f32, %[[R:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.mulf %[[P]], %[[Q]] : f32
// CHECK-NEXT:      %[[T:.*]] = arith.addf %[[R]], %[[S]] : f32
// CHECK-NEXT:      linalg.yield %[[T]] : f32
func.func private @gemm(%a: tensor<?x32xbf16>, %b: tensor<32x16xbf16>, %o: tensor<?x16xf32>) -> tensor<?x16xf32> attributes {host.kernel} {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x32xbf16>, tensor<32x16xbf16>) outs(%o : tensor<?x16xf32>) {
  ^bb0(%in: bf16, %in2: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.extf %in2 : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// A sum of squares is no product of two factors.

// CHECK-LABEL: func.func private @squares(
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<8x32xbf16>)
func.func private @squares(%a: tensor<8x32xbf16>, %o: tensor<8xf32>) -> tensor<8xf32> attributes {host.kernel} {
  %y = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<8x32xbf16>) outs(%o : tensor<8xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
