// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-cpu-tile-gemms="vector-bits=256 num-registers=16 caches=32K,1M,32M" --canonicalize --cse | FileCheck %s
// RUN: ingot-opt %s --ingot-cpu-tile-gemms="vector-bits=256 num-registers=16 caches=32K,256K/4,8M" --canonicalize --cse | FileCheck %s --check-prefix=SMALL
// RUN: ingot-opt %s --ingot-cpu-block-k="caches=32K,1M,32M" | FileCheck %s --check-prefix=BLOCKS
// RUN: ingot-opt %s --ingot-cpu-block-k="caches=32K,256K/4,8M" | FileCheck %s --check-prefix=SMALL-BLOCKS
// RUN: not ingot-opt %s --ingot-cpu-block-k="caches=32K,16K,8M" 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: '32K,16K,8M' is not three sizes of caches in ascending order

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#t = affine_map<(m, n, k) -> (k, m)>

// B has 32 KiB: it is read in place where L2 has 1 MiB, and packed where it has
// a quarter of that.

// CHECK-LABEL: func.func private @second_operand
// CHECK-NOT: linalg.copy
// SMALL-LABEL: func.func private @second_operand
// SMALL: linalg.copy
func.func private @second_operand(%x: tensor<96x64xf32>, %w: tensor<64x128xf32>, %out: tensor<96x128xf32>) -> tensor<96x128xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<96x128xf32>) -> tensor<96x128xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<96x64xf32>, tensor<64x128xf32>) outs(%f : tensor<96x128xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %u = arith.addf %s, %r : f32
    linalg.yield %u : f32
  } -> tensor<96x128xf32>
  return %product : tensor<96x128xf32>
}

// Both operands of a block of K take an eighth of L2.

// BLOCKS-LABEL: func.func private @weight_gradient
// BLOCKS: scf.for
// BLOCKS: tensor.extract_slice {{.*}} to tensor<256x64xf32>
// SMALL-BLOCKS-LABEL: func.func private @weight_gradient
// SMALL-BLOCKS: scf.for
// SMALL-BLOCKS: tensor.extract_slice {{.*}} to tensor<128x64xf32>
func.func private @weight_gradient(%x: tensor<32768x64xf32>, %d: tensor<32768x128xf32>, %out: tensor<64x128xf32>) -> tensor<64x128xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %product = linalg.generic {indexing_maps = [#t, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %d : tensor<32768x64xf32>, tensor<32768x128xf32>) outs(%f : tensor<64x128xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %u = arith.addf %s, %r : f32
    linalg.yield %u : f32
  } -> tensor<64x128xf32>
  return %product : tensor<64x128xf32>
}
