// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-cpu-block-k --canonicalize --cse | FileCheck %s
// RUN: ingot-opt %s --split-input-file --ingot-cpu-block-k --ingot-cpu-tile-gemms --canonicalize --cse | FileCheck %s --check-prefix=TILED
// RUN: ingot-opt %s --split-input-file --ingot-cpu-block-k="pair-factors vector-bits=512 num-registers=32" | FileCheck %s --check-prefix=PAIRS

#a = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// A filter's gradient: a part of the result accumulates one block of K after
// another, and the update runs on the part when its sums are complete.

// CHECK-LABEL: func.func private @gradient(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<32768x64xf32>, %[[B:[^:]*]]: tensor<32768x128xf32>
// CHECK:         scf.for %[[J:.*]] = %c0 to %c128 step %c32
// CHECK:           %[[PART:.*]] = tensor.extract_slice %[[B]][0, %[[J]]] [32768, 32]
// CHECK:           %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c32768 step %c256 iter_args(%[[T:.*]] = %{{.*}}) -> (tensor<64x32xf32>) {
// CHECK-DAG:         %[[X:.*]] = tensor.extract_slice %[[A]][%[[K]], 0] [256, 64]
// CHECK-DAG:         %[[Y:.*]] = tensor.extract_slice %[[PART]][%[[K]], 0] [256, 32]
// CHECK:             %[[R:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[T]] :
// CHECK:             scf.yield %[[R]]
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %[[SUM]] :
// CHECK:         } {host.grid_loop}
func.func private @gradient(%a: tensor<32768x64xf32>, %b: tensor<32768x128xf32>, %w: tensor<64x128xf32>) -> tensor<64x128xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x128xf32>) -> tensor<64x128xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32768x64xf32>, tensor<32768x128xf32>) outs(%f : tensor<64x128xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<64x128xf32>
  %updated = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %product : tensor<64x128xf32>, tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<64x128xf32>
  return %updated : tensor<64x128xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// N has no suitable divisor: rows are the grid. A shorter last block of K is
// peeled after the loop, and tiled like the others.

// CHECK-LABEL: func.func private @uneven(
// CHECK:         scf.for %{{.*}} = %c0 to %c96 step %c32
// CHECK:           scf.for %{{.*}} = %c0 to %[[END:.*]] step %[[STEP:.*]] iter_args
// CHECK:             linalg.generic {{.*}}"reduction"]}
// CHECK:           linalg.generic {{.*}}"reduction"]}
// CHECK-NOT:       linalg.generic
// CHECK:         } {host.grid_loop}

// TILED-LABEL: func.func private @uneven(
// TILED:         ins(%{{.*}} : tensor<6x246xf32>, tensor<246x16xf32>)
// TILED:         ins(%{{.*}} : tensor<6x245xf32>, tensor<245x16xf32>)
func.func private @uneven(%a: tensor<96x30011xf32>, %b: tensor<30011x101xf32>, %out: tensor<96x101xf32>) -> tensor<96x101xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<96x101xf32>) -> tensor<96x101xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<96x30011xf32>, tensor<30011x101xf32>) outs(%f : tensor<96x101xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<96x101xf32>
  return %product : tensor<96x101xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A panel of this GEMM stays in a core's own caches.

// CHECK-LABEL: func.func private @short(
// CHECK-NOT:     scf.for
func.func private @short(%a: tensor<64x8192xf32>, %b: tensor<8192x64xf32>, %out: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x8192xf32>, tensor<8192x64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %product : tensor<64x64xf32>
}

// -----

#a = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// K is blocked for smaller sizes where its steps are rows of both operands:
// nothing has to be packed or transposed.

// CHECK-LABEL: func.func private @rows(
// CHECK:         scf.for %{{.*}} = %c0 to %c256 step %c32
// CHECK:           scf.for %{{.*}} = %c0 to %c1024 step %c256
// CHECK:             linalg.generic {{.*}}"reduction"]} ins(%{{.*}} : tensor<256x64xf32>, tensor<256x32xf32>)
func.func private @rows(%a: tensor<1024x64xf32>, %b: tensor<1024x256xf32>, %out: tensor<64x256xf32>) -> tensor<64x256xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<64x256xf32>) -> tensor<64x256xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1024x64xf32>, tensor<1024x256xf32>) outs(%f : tensor<64x256xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<64x256xf32>
  return %product : tensor<64x256xf32>
}

// -----

#a = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// The result is too large for that, with so small a K.

// CHECK-LABEL: func.func private @large_result(
// CHECK-NOT:     scf.for
func.func private @large_result(%a: tensor<1024x64xf32>, %b: tensor<1024x352xf32>, %out: tensor<64x352xf32>) -> tensor<64x352xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<64x352xf32>) -> tensor<64x352xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1024x64xf32>, tensor<1024x352xf32>) outs(%f : tensor<64x352xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<64x352xf32>
  return %product : tensor<64x352xf32>
}

// -----

#a = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// 320 columns could be eight parts of 40. But a row of 40 is two vectors and a
// half, for which few rows fit into registers: parts of 80 are five pairs of
// vectors.

// CHECK-LABEL: func.func private @parts(
// CHECK:         scf.for %{{.*}} = %c0 to %c320 step %c80
func.func private @parts(%a: tensor<1280x104xf32>, %b: tensor<1280x320xf32>, %out: tensor<104x320xf32>) -> tensor<104x320xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<104x320xf32>) -> tensor<104x320xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1280x104xf32>, tensor<1280x320xf32>) outs(%f : tensor<104x320xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<104x320xf32>
  return %product : tensor<104x320xf32>
}

// -----

// A sum that is a tree over blocks of K is not blocked again.

// CHECK-LABEL: func.func private @tree(
// CHECK-NOT:   scf.for
func.func private @tree(%a: tensor<32768x64xf32>, %b: tensor<32768x128xf32>) -> tensor<64x128xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x128xf32>) -> tensor<64x128xf32>
  %product = linalg.generic {host.sum_block = 4096 : i64, indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32768x64xf32>, tensor<32768x128xf32>) outs(%f : tensor<64x128xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<64x128xf32>
  return %product : tensor<64x128xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// Few rows use each element of a large second operand, which is read in place:
// blocks of 64 rows, of a part of the columns. The last part has fewer columns,
// and the last block fewer steps.

// CHECK-LABEL: func.func private @thin(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<7x1103xf32>, %[[B:[^:]*]]: tensor<1103x1500xf32>
// CHECK:         scf.for %[[J:.*]] = %c0 to %c1500 step %c368
// CHECK:           %[[WHOLE:.*]] = arith.cmpi ult, %[[J]], %c1472
// CHECK:           scf.if %[[WHOLE]]
// CHECK:             %[[PART:.*]] = tensor.extract_slice %[[B]][0, %[[J]]] [1103, 368]
// CHECK:             %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c1088 step %c64 iter_args(%[[T:.*]] = %{{.*}}) -> (tensor<7x368xf32>) {
// CHECK-DAG:           %[[X:.*]] = tensor.extract_slice %[[A]][0, %[[K]]] [7, 64]
// CHECK-DAG:           %[[Y:.*]] = tensor.extract_slice %[[PART]][%[[K]], 0] [64, 368]
// CHECK:               linalg.generic {{.*}}"reduction"]} ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[T]] :
// CHECK:             %[[ALL:.*]] = linalg.generic {{.*}}"reduction"]} ins(%{{.*}} : tensor<7x15xf32>, tensor<15x368xf32>) outs(%[[SUM]] :
// CHECK:             linalg.generic {{.*}} ins(%[[ALL]] : tensor<7x368xf32>)
// CHECK:           } else {
// CHECK:             scf.for %{{.*}} = %c0 to %c1088 step %c64 iter_args(%{{.*}}) -> (tensor<7x28xf32>) {
// CHECK:         } {host.grid_loop}

// Nothing is packed, and a block of columns stays in L1 for all tiles of rows.

// TILED-LABEL: func.func private @thin(
// TILED-NOT:     linalg.copy
// TILED:         scf.for %{{.*}} = %c0 to %c1088 step %c64
// TILED:           scf.for %[[N:.*]] = %c0 to %c368 step %c16
// TILED:             ins(%{{.*}} : tensor<4x64xf32>, tensor<64x16xf32>)
// TILED:             ins(%{{.*}} : tensor<3x64xf32>, tensor<64x16xf32>)
// TILED-NOT:     linalg.copy
// TILED:         return
func.func private @thin(%a: tensor<7x1103xf32>, %b: tensor<1103x1500xf32>, %out: tensor<7x1500xf32>) -> tensor<7x1500xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x1500xf32>
  %f = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x1500xf32>) -> tensor<7x1500xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<7x1103xf32>, tensor<1103x1500xf32>) outs(%f : tensor<7x1500xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<7x1500xf32>
  %relu = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%product : tensor<7x1500xf32>) outs(%out : tensor<7x1500xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.maximumf %p, %zero : f32
    linalg.yield %r : f32
  } -> tensor<7x1500xf32>
  return %relu : tensor<7x1500xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// The second operand's rows, 8 KiB apart, would evict each other from L1 before
// the last tile of rows reads them.

// CHECK-LABEL: func.func private @evicted(
// CHECK-NOT:     scf.for
func.func private @evicted(%a: tensor<32x1024xf32>, %b: tensor<1024x2048xf32>, %out: tensor<32x2048xf32>) -> tensor<32x2048xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<32x2048xf32>) -> tensor<32x2048xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x1024xf32>, tensor<1024x2048xf32>) outs(%f : tensor<32x2048xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<32x2048xf32>
  return %product : tensor<32x2048xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// A transposed second operand is packed as before.

// CHECK-LABEL: func.func private @transposed(
// CHECK-NOT:     scf.for
func.func private @transposed(%a: tensor<7x1103xf32>, %b: tensor<1500x1103xf32>, %out: tensor<7x1500xf32>) -> tensor<7x1500xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<7x1500xf32>) -> tensor<7x1500xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<7x1103xf32>, tensor<1500x1103xf32>) outs(%f : tensor<7x1500xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<7x1500xf32>
  return %product : tensor<7x1500xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Few rows and a large second operand, which is read in place in blocks of K. Where pairs of bfloat16 are packed, a packed
// panel is half as large, and K is not blocked.

// CHECK-LABEL: func.func private @thin_bfloat16(
// CHECK:         scf.for
// CHECK:           scf.for
// PAIRS-LABEL: func.func private @thin_bfloat16(
// PAIRS-NOT:     scf.for
// PAIRS:         return
func.func private @thin_bfloat16(%a: tensor<24x1024xf32>, %b: tensor<1024x1510xf32>, %out: tensor<24x1510xf32>) -> tensor<24x1510xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<24x1510xf32>) -> tensor<24x1510xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<24x1024xf32>, tensor<1024x1510xf32>) outs(%f : tensor<24x1510xf32>) attrs = {host.bfloat16_factors} {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<24x1510xf32>
  return %product : tensor<24x1510xf32>
}
