// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-split-reductions | FileCheck %s

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
