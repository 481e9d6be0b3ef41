// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-ptx-collapse-leading-dimensions | FileCheck %s

// Batch, heads and positions of a softmax's sums: 32 blocks would compute 8,192
// rows each.

#all = affine_map<(b, h, p, i) -> (b, h, p, i)>
#row = affine_map<(b, h, p, i) -> (b, h, p)>
#last = affine_map<(b, h, p, i) -> (i)>
// CHECK-DAG: #[[$ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$LAST:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func private @sums(
// CHECK-SAME: %[[X:.*]]: tensor<262144x512xf32>, %[[BIAS:.*]]: tensor<512xf32>, %{{.*}}: tensor<262144x1xf32>) -> tensor<262144x1xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<262144xf32>
// CHECK: %[[START:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[EMPTY]] : tensor<262144xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[$ALL]], #[[$LAST]], #[[$ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[X]], %[[BIAS]] : {{.*}}) outs(%[[START]] :
// CHECK: linalg.index 1
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [262144, 1]
func.func private @sums(%x: tensor<32x16x512x512xf32>, %bias: tensor<512xf32>, %o: tensor<32x16x512x1xf32>) -> tensor<32x16x512x1xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %limit = arith.constant 500 : index
  %empty = tensor.empty() : tensor<32x16x512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x16x512xf32>) -> tensor<32x16x512xf32>
  %sums = linalg.generic {indexing_maps = [#all, #last, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %bias : tensor<32x16x512x512xf32>, tensor<512xf32>) outs(%start : tensor<32x16x512xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %i = linalg.index 3 : index
    %isInside = arith.cmpi slt, %i, %limit : index
    %term = arith.select %isInside, %a, %b : f32
    %t = arith.addf %s, %term : f32
    linalg.yield %t : f32
  } -> tensor<32x16x512xf32>
  %result = tensor.expand_shape %sums [[0], [1], [2, 3]] output_shape [32, 16, 512, 1] : tensor<32x16x512xf32> into tensor<32x16x512x1xf32>
  return %result : tensor<32x16x512x1xf32>
}

// -----

// Neighbouring rows are columns of an operand.

#all = affine_map<(b, p, i) -> (b, p)>
#swapped = affine_map<(b, p, i) -> (b, i, p)>
// CHECK-LABEL: func.func private @transposed(
// CHECK-SAME: tensor<32x512x512xf32>
func.func private @transposed(%x: tensor<32x512x512xf32>, %o: tensor<32x512xf32>) -> tensor<32x512xf32> attributes {host.kernel} {
  %result = linalg.generic {indexing_maps = [#swapped, #all], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<32x512x512xf32>) outs(%o : tensor<32x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  } -> tensor<32x512xf32>
  return %result : tensor<32x512xf32>
}

// -----

// The third dimension is broadcast, so only the first two can go.

#all = affine_map<(b, h, p, i) -> (b, h, p, i)>
#row = affine_map<(b, h, p, i) -> (b, h, p)>
#two = affine_map<(b, h, p, i) -> (b, h, i)>
// CHECK-LABEL: func.func private @broadcast(
// CHECK-SAME: %{{.*}}: tensor<32x512x512xf32>, %{{.*}}: tensor<32x512xf32>,
func.func private @broadcast(%x: tensor<8x4x512x512xf32>, %y: tensor<8x4x512xf32>, %o: tensor<8x4x512xf32>) -> tensor<8x4x512xf32> attributes {host.kernel} {
  %result = linalg.generic {indexing_maps = [#all, #two, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<8x4x512x512xf32>, tensor<8x4x512xf32>) outs(%o : tensor<8x4x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %c, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x4x512xf32>
  return %result : tensor<8x4x512xf32>
}

// Blocks may share an iteration whose elements do not depend on each other.

// CHECK-LABEL: func.func private @elements(
// CHECK-SAME: %{{.*}}: tensor<8x4x512x512xf32>
func.func private @elements(%x: tensor<8x4x512x512xf32>, %o: tensor<8x4x512x512xf32>) -> tensor<8x4x512x512xf32> attributes {host.kernel} {
  %result = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<8x4x512x512xf32>) outs(%o : tensor<8x4x512x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8x4x512x512xf32>
  return %result : tensor<8x4x512x512xf32>
}

// -----

// An op reads the place of a row, another one reads any element.

#all = affine_map<(b, p, i) -> (b, p, i)>
#row = affine_map<(b, p, i) -> (b, p)>
// CHECK-LABEL: func.func private @places(
// CHECK-SAME: tensor<32x512x512xf32>
func.func private @places(%x: tensor<32x512x512xf32>, %o: tensor<32x512xf32>) -> tensor<32x512xf32> attributes {host.kernel} {
  %result = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<32x512x512xf32>) outs(%o : tensor<32x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = linalg.index 1 : index
    %place = arith.index_cast %p : index to i32
    %float = arith.sitofp %place : i32 to f32
    %s = arith.addf %b, %float : f32
    linalg.yield %s : f32
  } -> tensor<32x512xf32>
  return %result : tensor<32x512xf32>
}

// CHECK-LABEL: func.func private @gathers(
// CHECK-SAME: tensor<32x512x512xf32>
func.func private @gathers(%x: tensor<32x512x512xf32>, %o: tensor<32x512xf32>) -> tensor<32x512xf32> attributes {host.kernel} {
  %zero = arith.constant 0 : index
  %result = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<32x512x512xf32>) outs(%o : tensor<32x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %first = tensor.extract %x[%zero, %zero, %zero] : tensor<32x512x512xf32>
    %s = arith.addf %b, %first : f32
    linalg.yield %s : f32
  } -> tensor<32x512xf32>
  return %result : tensor<32x512xf32>
}

// -----

// A small kernel, and a contraction, whose dimensions are tiled.

#all = affine_map<(b, p, i) -> (b, p, i)>
// CHECK-LABEL: func.func private @small(
// CHECK-SAME: tensor<32x16x64xf32>
func.func private @small(%x: tensor<32x16x64xf32>, %o: tensor<32x16x64xf32>) -> tensor<32x16x64xf32> attributes {host.kernel} {
  %result = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<32x16x64xf32>) outs(%o : tensor<32x16x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<32x16x64xf32>
  return %result : tensor<32x16x64xf32>
}

#a = affine_map<(b, p, i, k) -> (b, p, k)>
#b = affine_map<(b, p, i, k) -> (b, k, i)>
#c = affine_map<(b, p, i, k) -> (b, p, i)>
// CHECK-LABEL: func.func private @contraction(
// CHECK-SAME: tensor<32x512x512xf32>
func.func private @contraction(%x: tensor<32x512x512xf32>, %y: tensor<32x512x512xf32>, %o: tensor<32x512x512xf32>) -> tensor<32x512x512xf32> attributes {host.kernel} {
  %result = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<32x512x512xf32>, tensor<32x512x512xf32>) outs(%o : tensor<32x512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x512x512xf32>
  return %result : tensor<32x512x512xf32>
}
