// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-split-reductions | FileCheck %s
// RUN: ingot-opt %s --split-input-file --ingot-split-reductions="policy={gemm-splits-min-depth=512 gemm-splits-min-part-depth=128 gemm-splits-tiles=64}" | FileCheck %s --check-prefix=GEMM

// A whole tensor in blocks of 16384 elements: the combining kernel gets partial
// sums in place of the tensor.

// CHECK-LABEL: ingot.entry @step
// CHECK: ^bb0(%[[X:.*]]: tensor<1024x1024xf32>)
// CHECK: %[[PARTS:.*]] = host.launch @sum_blocks ins(%[[X]] : tensor<1024x1024xf32>) outs(%{{.*}} : tensor<64xf32>)
// CHECK: host.launch @sum ins(%[[PARTS]] : tensor<64xf32>) outs(%{{.*}} : tensor<f32>)
ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<1024x1024xf32>):
  %e = tensor.empty() : tensor<f32>
  %y = host.launch @sum ins(%x : tensor<1024x1024xf32>) outs(%e : tensor<f32>) -> tensor<f32>
  ingot.return %y : tensor<f32>
}

// CHECK-LABEL: func.func private @sum(
// CHECK-SAME:    %[[P:.*]]: tensor<64xf32>, %{{.*}}: tensor<f32>) -> tensor<f32>
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[P]] : tensor<64xf32>)
// CHECK:           arith.addf
// CHECK-LABEL: func.func private @sum_blocks(
// CHECK-SAME:    host.kernel
// CHECK:         tensor.collapse_shape %{{.*}} : tensor<1024x1024xf32> into tensor<1048576xf32>
// CHECK:         tensor.expand_shape %{{.*}} output_shape [64, 16384] : tensor<1048576xf32> into tensor<64x16384xf32>
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
func.func private @sum(%x: tensor<1024x1024xf32>, %o: tensor<f32>) -> tensor<f32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<1024x1024xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// Columns over a prime number of rows: the remainder is added last.

// CHECK-LABEL: ingot.entry @step
// CHECK: %[[PARTS:.*]] = host.launch @columns_blocks ins(%[[X:.*]] : tensor<65537x8xf32>) outs(%{{.*}} : tensor<32x8xf32>)
// CHECK: host.launch @columns ins(%[[X]], %[[PARTS]] : tensor<65537x8xf32>, tensor<32x8xf32>)
ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<65537x8xf32>):
  %e = tensor.empty() : tensor<8xf32>
  %y = host.launch @columns ins(%x : tensor<65537x8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  ingot.return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func private @columns(
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%{{.*}} : tensor<32x8xf32>)
// CHECK:         %[[REST:.*]] = tensor.extract_slice %{{.*}}[65536, 0] [1, 8] [1, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[REST]] : tensor<1x8xf32>) outs(%[[SUM]] : tensor<8xf32>)
func.func private @columns(%x: tensor<65537x8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<65537x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// Not split: enough rows to parallelize, and sums too short to lose precision.

// CHECK-LABEL: ingot.entry @step
// CHECK-NOT: _blocks
ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%x: tensor<512x1024xf32>):
  %e = tensor.empty() : tensor<512xf32>
  %y = host.launch @rows ins(%x : tensor<512x1024xf32>) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %f = tensor.empty() : tensor<1024xf32>
  %z = host.launch @short ins(%x : tensor<512x1024xf32>) outs(%f : tensor<1024xf32>) -> tensor<1024xf32>
  ingot.return %y, %z : tensor<512xf32>, tensor<1024xf32>
}

func.func private @rows(%x: tensor<512x1024xf32>, %o: tensor<512xf32>) -> tensor<512xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<512xf32>) -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<512x1024xf32>) outs(%f : tensor<512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  } -> tensor<512xf32>
  return %s : tensor<512xf32>
}
func.func private @short(%x: tensor<512x1024xf32>, %o: tensor<1024xf32>) -> tensor<1024xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<1024xf32>) -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<512x1024xf32>) outs(%f : tensor<1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  } -> tensor<1024xf32>
  return %s : tensor<1024xf32>
}

// -----

// Only one of two operands has a static number of rows.

// CHECK-LABEL: ingot.entry @step
// CHECK:       host.launch @products_blocks
// CHECK-LABEL: func.func private @products_blocks(
// CHECK:         %[[Y:.*]] = tensor.cast %{{.*}} : tensor<?x8xf32> to tensor<65536x8xf32>
// CHECK:         tensor.expand_shape %[[Y]] {{.*}} : tensor<65536x8xf32> into tensor<32x2048x8xf32>
ingot.entry @step role(step) feeds ["x:0", "y:0"] fetches ["z:0"] variables [] updates [] {
^bb0(%x: tensor<65536x8xf32>, %y: tensor<?x8xf32>):
  %e = tensor.empty() : tensor<8xf32>
  %z = host.launch @products ins(%x, %y : tensor<65536x8xf32>, tensor<?x8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  ingot.return %z : tensor<8xf32>
}

func.func private @products(%x: tensor<65536x8xf32>, %y: tensor<?x8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%x, %y : tensor<65536x8xf32>, tensor<?x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.mulf %a, %b : f32
    %g = arith.addf %c, %d : f32
    linalg.yield %g : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// A GEMM with two tiles and a long K in 32 parts of K, if the target asks for
// it. The original kernel adds the parts and computes the epilogue.

// CHECK-LABEL: ingot.entry @step
// CHECK-NOT: _blocks
// GEMM-LABEL: ingot.entry @step
// GEMM: ^bb0(%[[X:.*]]: tensor<64x4096xf32>, %[[W:.*]]: tensor<4096x128xf32>, %[[BIAS:.*]]: tensor<128xf32>)
// GEMM: %[[PARTS:.*]] = host.launch @layer_blocks ins({{.*}}) outs(%{{.*}} : tensor<32x64x128xf32>)
// GEMM: host.launch @layer ins(%[[BIAS]], %[[PARTS]] : tensor<128xf32>, tensor<32x64x128xf32>)
ingot.entry @step role(step) feeds ["x:0", "w:0", "b:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<64x4096xf32>, %w: tensor<4096x128xf32>, %b: tensor<128xf32>):
  %e = tensor.empty() : tensor<64x128xf32>
  %y = host.launch @layer ins(%x, %w, %b : tensor<64x4096xf32>, tensor<4096x128xf32>, tensor<128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  ingot.return %y : tensor<64x128xf32>
}

// GEMM-LABEL: func.func private @layer(
// GEMM: linalg.generic {{.*}}iterator_types = ["reduction", "parallel", "parallel"]} ins(%{{.*}} : tensor<32x64x128xf32>) outs(%{{.*}} : tensor<64x128xf32>)
// GEMM:   arith.addf %out, %in
// GEMM: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]}
// GEMM-LABEL: func.func private @layer_blocks(
// GEMM-DAG: tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]] output_shape [64, 32, 128] : tensor<64x4096xf32> into tensor<64x32x128xf32>
// GEMM-DAG: tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [32, 128, 128] : tensor<4096x128xf32> into tensor<32x128x128xf32>
// GEMM: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]} {{.*}} outs(%{{.*}} : tensor<32x64x128xf32>)
func.func private @layer(%x: tensor<64x4096xf32>, %w: tensor<4096x128xf32>, %b: tensor<128xf32>, %o: tensor<64x128xf32>) -> tensor<64x128xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<64x4096xf32>, tensor<4096x128xf32>) outs(%f : tensor<64x128xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x128xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<64x128xf32>, tensor<128xf32>) outs(%o : tensor<64x128xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.addf %in, %in2 : f32
    linalg.yield %0 : f32
  } -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

// -----

// The gradient of a filter: the index of a patch is computed from the part's
// and that in a part, so that im2col stays as it is.

// GEMM: #[[PART:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * 128 + d3, d1)>
// GEMM-LABEL: ingot.entry @step
// GEMM: host.launch @filter_blocks ins({{.*}}) outs(%{{.*}} : tensor<32x36x32xf32>)
ingot.entry @step role(step) feeds ["x:0", "g:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<16x17x17x9xf32>, %g: tensor<16x16x16x32xf32>):
  %e = tensor.empty() : tensor<36x32xf32>
  %y = host.launch @filter ins(%x, %g : tensor<16x17x17x9xf32>, tensor<16x16x16x32xf32>) outs(%e : tensor<36x32xf32>) -> tensor<36x32xf32>
  ingot.return %y : tensor<36x32xf32>
}

// GEMM-LABEL: func.func private @filter(
// GEMM-NOT: tensor.extract
// GEMM-LABEL: func.func private @filter_blocks(
// GEMM: %[[ROWS:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1, 2], [3]]
// GEMM: %[[PATCHES:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1, 2], [3, 4]] : tensor<16x16x16x4x9xf32> into tensor<4096x36xf32>
// GEMM: %[[GRADIENTS:.*]] = tensor.expand_shape %[[ROWS]] {{\[}}[0, 1], [2]] output_shape [32, 128, 32]
// GEMM: linalg.generic {indexing_maps = [#[[PART]], #{{.*}}, #{{.*}}], {{.*}}} ins(%[[PATCHES]], %[[GRADIENTS]] : tensor<4096x36xf32>, tensor<32x128x32xf32>)
func.func private @filter(%x: tensor<16x17x17x9xf32>, %g: tensor<16x16x16x32xf32>, %o: tensor<36x32xf32>) -> tensor<36x32xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %rows = tensor.collapse_shape %g [[0, 1, 2], [3]] : tensor<16x16x16x32xf32> into tensor<4096x32xf32>
  %e = tensor.empty() : tensor<16x16x16x4x9xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<16x16x16x4x9xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %r = linalg.index 1 : index
    %s = linalg.index 2 : index
    %t = linalg.index 3 : index
    %ch = linalg.index 4 : index
    %kr = arith.divui %t, %c2 : index
    %ks = arith.remui %t, %c2 : index
    %row = arith.addi %r, %kr : index
    %column = arith.addi %s, %ks : index
    %value = tensor.extract %x[%i, %row, %column, %ch] : tensor<16x17x17x9xf32>
    linalg.yield %value : f32
  } -> tensor<16x16x16x4x9xf32>
  %patches = tensor.collapse_shape %p [[0, 1, 2], [3, 4]] : tensor<16x16x16x4x9xf32> into tensor<4096x36xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<36x32xf32>) -> tensor<36x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%patches, %rows : tensor<4096x36xf32>, tensor<4096x32xf32>) outs(%f : tensor<36x32xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<36x32xf32>
  return %y : tensor<36x32xf32>
}

// -----

// Not split: a GEMM with enough tiles, one with a short K, one whose K is a
// prime number, and one of dynamic size.

// GEMM-LABEL: ingot.entry @step
// GEMM-NOT: _blocks
ingot.entry @step role(step) feeds ["a:0", "b:0", "c:0", "d:0"] fetches [] variables [] updates [] {
^bb0(%a: tensor<512x512xf32>, %b: tensor<64x320xf32>, %c: tensor<64x1009xf32>, %d: tensor<?x4096xf32>):
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<512x512xf32>
  %0 = host.launch @enough ins(%a : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %1 = host.launch @short ins(%b : tensor<64x320xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = host.launch @prime ins(%c : tensor<64x1009xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %n = tensor.dim %d, %c0 : tensor<?x4096xf32>
  %g = tensor.empty(%n, %n) : tensor<?x?xf32>
  %3 = host.launch @unknown ins(%d : tensor<?x4096xf32>) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
  ingot.return
}

func.func private @enough(%x: tensor<512x512xf32>, %o: tensor<512x512xf32>) -> tensor<512x512xf32> attributes {host.kernel} {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : tensor<512x512xf32>, tensor<512x512xf32>) outs(%o : tensor<512x512xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<512x512xf32>
  return %y : tensor<512x512xf32>
}

func.func private @short(%x: tensor<64x320xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {host.kernel} {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : tensor<64x320xf32>, tensor<64x320xf32>) outs(%o : tensor<64x64xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

func.func private @prime(%x: tensor<64x1009xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {host.kernel} {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : tensor<64x1009xf32>, tensor<64x1009xf32>) outs(%o : tensor<64x64xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

func.func private @unknown(%x: tensor<?x4096xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {host.kernel} {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : tensor<?x4096xf32>, tensor<?x4096xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
