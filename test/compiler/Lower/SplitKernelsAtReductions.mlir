// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -ingot-split-kernels-at-reductions | FileCheck %s

#all = affine_map<(n, h, c) -> (n, h, c)>
#image = affine_map<(n, h, c) -> (n, c)>
#channel = affine_map<(n, h, c) -> (c)>
#pair = affine_map<(n, c) -> (n, c)>
#last = affine_map<(n, c) -> (c)>

// Each image's sum, the sum over images, and the ops that need it: three
// kernels.

// CHECK-LABEL: func.func @entry
// CHECK:         %[[SUMS:.*]] = host.launch @[[IMAGES:.*]] ins(%arg0 : tensor<64x256x16xf32>) outs(%{{.*}}) -> tensor<64x16xf32>
// CHECK:         %[[SUM:.*]] = host.launch @[[CHANNELS:.*]] ins(%[[SUMS]] : tensor<64x16xf32>) outs(%{{.*}}) -> tensor<16xf32>
// CHECK:         host.launch @Norm ins(%arg0, %[[SUM]] : tensor<64x256x16xf32>, tensor<16xf32>)
// CHECK:       func.func private @Norm(
// CHECK-NOT:     iterator_types = {{.*}}"reduction"
// CHECK:         return
// CHECK:       func.func private @[[IMAGES]](
// CHECK:         iterator_types = ["parallel", "reduction", "parallel"]
// CHECK:       func.func private @[[CHANNELS]](
// CHECK:         iterator_types = ["reduction", "parallel"]
func.func @entry(%x: tensor<64x256x16xf32>) -> tensor<64x256x16xf32> {
  %e = tensor.empty() : tensor<64x256x16xf32>
  %0 = host.launch @Norm ins(%x : tensor<64x256x16xf32>) outs(%e : tensor<64x256x16xf32>) -> tensor<64x256x16xf32>
  return %0 : tensor<64x256x16xf32>
}
func.func private @Norm(%x: tensor<64x256x16xf32>, %o: tensor<64x256x16xf32>) -> tensor<64x256x16xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x16xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x16xf32>) -> tensor<64x16xf32>
  %images = linalg.generic {indexing_maps = [#all, #image], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<64x256x16xf32>) outs(%f0 : tensor<64x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  } -> tensor<64x16xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#pair, #last], iterator_types = ["reduction", "parallel"]}
      ins(%images : tensor<64x16xf32>) outs(%f1 : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %e2 = tensor.empty() : tensor<64x256x16xf32>
  %y = linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<64x256x16xf32>, tensor<16xf32>) outs(%e2 : tensor<64x256x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<64x256x16xf32>
  return %y : tensor<64x256x16xf32>
}

// -----

#all = affine_map<(n, h, c) -> (n, h, c)>
#image = affine_map<(n, h, c) -> (n, c)>
#channel = affine_map<(n, h, c) -> (c)>
#pair = affine_map<(n, c) -> (n, c)>
#last = affine_map<(n, c) -> (c)>

// Elementwise consumers are part of the last pass.

// CHECK-LABEL: func.func @entry
// CHECK-COUNT-3: host.launch
// CHECK-NOT:     host.launch
// CHECK:       func.func private @Norm(
// CHECK:         arith.subf
// CHECK:         arith.negf
// CHECK:         return
func.func @entry(%x: tensor<64x256x16xf32>) -> tensor<64x256x16xf32> {
  %e = tensor.empty() : tensor<64x256x16xf32>
  %0 = host.launch @Norm ins(%x : tensor<64x256x16xf32>) outs(%e : tensor<64x256x16xf32>) -> tensor<64x256x16xf32>
  return %0 : tensor<64x256x16xf32>
}
func.func private @Norm(%x: tensor<64x256x16xf32>, %o: tensor<64x256x16xf32>) -> tensor<64x256x16xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x16xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x16xf32>) -> tensor<64x16xf32>
  %images = linalg.generic {indexing_maps = [#all, #image], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<64x256x16xf32>) outs(%f0 : tensor<64x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  } -> tensor<64x16xf32>
  %e1 = tensor.empty() : tensor<16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#pair, #last], iterator_types = ["reduction", "parallel"]}
      ins(%images : tensor<64x16xf32>) outs(%f1 : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %e2 = tensor.empty() : tensor<64x256x16xf32>
  %y = linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<64x256x16xf32>, tensor<16xf32>) outs(%e2 : tensor<64x256x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<64x256x16xf32>
  %e3 = tensor.empty() : tensor<64x256x16xf32>
  %z = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<64x256x16xf32>) outs(%e3 : tensor<64x256x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<64x256x16xf32>
  return %z : tensor<64x256x16xf32>
}

// -----

#all = affine_map<(n, h, c) -> (n, h, c)>
#row = affine_map<(n, h, c) -> (n, h)>

// Independent rows stay together, although one of their sums reads the result
// of another reduction.

// CHECK-LABEL: func.func @entry
// CHECK-COUNT-1: host.launch
// CHECK-NOT:   host.launch
func.func @entry(%x: tensor<64x64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %0 = host.launch @Softmax ins(%x : tensor<64x64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func private @Softmax(%x: tensor<64x64x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x64xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<64x64x64xf32>) outs(%f0 : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %b, %a : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %max : tensor<64x64x64xf32>, tensor<64x64xf32>) outs(%f0 : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f32):
    %d = arith.subf %a, %m : f32
    %s = arith.addf %b, %d : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %sum : tensor<64x64xf32>
}
