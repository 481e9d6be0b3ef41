// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-materialize-rounded-gemm-operands="policy={rounded-gemm-operands-min-multiplications=2097152 rounded-gemm-operands-min-side=128}" | FileCheck %s
// RUN: ingot-opt %s --split-input-file --ingot-materialize-rounded-gemm-operands="policy={rounded-gemm-operands-min-multiplications=2097152 rounded-gemm-operands-min-side=128 rounded-gemm-operands-is-f16=true}" | FileCheck %s --check-prefix=F16

// A layer and the gradients of its input and its weight: three GEMMs, three
// values, each rounded once. The weight is rounded before it is updated, and the
// rounded copy is that of its value before the update. The epilogue reads the
// f32 value.

// CHECK-LABEL: ingot.entry @step
// CHECK: ^bb0(%[[W:.*]]: tensor<128x256xf32>, %[[X:.*]]: tensor<256x128xf32>)
// CHECK: %[[X16:.*]] = host.launch @layer_rounded ins(%[[X]] : tensor<256x128xf32>) outs(%{{.*}} : tensor<256x128xbf16>)
// CHECK: %[[W16:.*]] = host.launch @layer_rounded_0 ins(%[[W]] : tensor<128x256xf32>) outs(%{{.*}} : tensor<128x256xbf16>)
// CHECK: %[[Y:.*]] = host.launch @layer ins(%[[X16]], %[[W16]] : tensor<256x128xbf16>, tensor<128x256xbf16>) outs(%{{.*}} : tensor<256x256xf32>)
// CHECK: %[[Y16:.*]] = host.launch @input_rounded ins(%[[Y]] : tensor<256x256xf32>)
// CHECK: %[[G:.*]] = host.launch @input ins(%[[X]], %[[Y16]], %[[W16]] : tensor<256x128xf32>, tensor<256x256xbf16>, tensor<128x256xbf16>)
// CHECK: %[[V:.*]] = host.launch @weight ins(%[[X16]], %[[Y16]] : tensor<256x128xbf16>, tensor<256x256xbf16>) outs(%[[W]] : tensor<128x256xf32>)
// CHECK: %[[V16:.*]] = host.launch @again_rounded ins(%[[V]] : tensor<128x256xf32>)
// CHECK: host.launch @again ins(%[[X16]], %[[V16]] :
// F16: host.launch @layer ins(%{{.*}}, %{{.*}} : tensor<256x128xf16>, tensor<128x256xf16>)
ingot.variable @w : tensor<128x256xf32>
ingot.entry @step role(step) feeds ["x:0"] fetches ["g:0", "z:0"] variables [@w] updates [@w] {
^bb0(%w: tensor<128x256xf32>, %x: tensor<256x128xf32>):
  %e = tensor.empty() : tensor<256x256xf32>
  %y = host.launch @layer ins(%x, %w : tensor<256x128xf32>, tensor<128x256xf32>) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %f = tensor.empty() : tensor<256x128xf32>
  %g = host.launch @input ins(%y, %w, %x : tensor<256x256xf32>, tensor<128x256xf32>, tensor<256x128xf32>) outs(%f : tensor<256x128xf32>) -> tensor<256x128xf32>
  %v = host.launch @weight ins(%x, %y : tensor<256x128xf32>, tensor<256x256xf32>) outs(%w : tensor<128x256xf32>) -> tensor<128x256xf32>
  %h = tensor.empty() : tensor<256x256xf32>
  %z = host.launch @again ins(%x, %v : tensor<256x128xf32>, tensor<128x256xf32>) outs(%h : tensor<256x256xf32>) -> tensor<256x256xf32>
  ingot.return %g, %z, %v : tensor<256x128xf32>, tensor<256x256xf32>, tensor<128x256xf32>
}

// CHECK-LABEL: func.func private @layer(
// CHECK-SAME:    %[[A:.*]]: tensor<256x128xbf16>, %[[B:.*]]: tensor<128x256xbf16>, %{{.*}}: tensor<256x256xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<256x128xbf16>, tensor<128x256xbf16>) outs(%{{.*}} : tensor<256x256xf32>)
// CHECK-NEXT:    ^bb0(%[[P:.*]]: bf16, %[[Q:.*]]: bf16, %[[R:.*]]: f32):
// CHECK-DAG:       %[[P32:.*]] = arith.extf %[[P]] : bf16 to f32
// CHECK-DAG:       %[[Q32:.*]] = arith.extf %[[Q]] : bf16 to f32
// CHECK:           %[[PRODUCT:.*]] = arith.mulf %[[P32]], %[[Q32]] : f32
// CHECK:           arith.addf %[[R]], %[[PRODUCT]] : f32
func.func private @layer(%a: tensor<256x128xf32>, %b: tensor<128x256xf32>, %o: tensor<256x256xf32>) -> tensor<256x256xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<256x256xf32>) -> tensor<256x256xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x128xf32>, tensor<128x256xf32>) outs(%f : tensor<256x256xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<256x256xf32>
  return %y : tensor<256x256xf32>
}

// The product of the gradient and the transposed weight, and the activation's
// gradient.
// CHECK-LABEL: func.func private @input(
// CHECK-SAME:    %[[X:.*]]: tensor<256x128xf32>, %{{.*}}: tensor<256x256xbf16>, %{{.*}}: tensor<128x256xbf16>, %{{.*}}: tensor<256x128xf32>)
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[X]] : tensor<256x128xf32>, tensor<256x128xf32>)
func.func private @input(%a: tensor<256x256xf32>, %b: tensor<128x256xf32>, %x: tensor<256x128xf32>, %o: tensor<256x128xf32>) -> tensor<256x128xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x256xf32>, tensor<128x256xf32>) outs(%f : tensor<256x128xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<256x128xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%p, %x : tensor<256x128xf32>, tensor<256x128xf32>) outs(%o : tensor<256x128xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %c = arith.cmpf ogt, %in2, %zero : f32
    %0 = arith.select %c, %in, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<256x128xf32>
  return %y : tensor<256x128xf32>
}

// The weight's gradient, from which the epilogue updates the weight in place.
func.func private @weight(%a: tensor<256x128xf32>, %b: tensor<256x256xf32>, %w: tensor<128x256xf32>) -> tensor<128x256xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %rate = arith.constant 0.1 : f32
  %e = tensor.empty() : tensor<128x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x128xf32>, tensor<256x256xf32>) outs(%f : tensor<128x256xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x256xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<128x256xf32>) outs(%w : tensor<128x256xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %rate : f32
    %1 = arith.subf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x256xf32>
  return %y : tensor<128x256xf32>
}

func.func private @again(%a: tensor<256x128xf32>, %b: tensor<128x256xf32>, %o: tensor<256x256xf32>) -> tensor<256x256xf32> attributes {host.kernel} {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x128xf32>, tensor<128x256xf32>) outs(%o : tensor<256x256xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<256x256xf32>
  return %y : tensor<256x256xf32>
}

// CHECK-LABEL: func.func private @layer_rounded(
// CHECK-SAME:    %[[S:.*]]: tensor<256x128xf32>, %{{.*}}: tensor<256x128xbf16>) -> tensor<256x128xbf16> attributes {host.kernel}
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[S]] : tensor<256x128xf32>) outs(%{{.*}} : tensor<256x128xbf16>)
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
// CHECK-LABEL: func.func private @layer_rounded_0(
// CHECK-LABEL: func.func private @input_rounded(
// CHECK-LABEL: func.func private @again_rounded(
// F16-LABEL: func.func private @layer_rounded(
// F16:         arith.truncf %{{.*}} : f32 to f16

// -----

// A batch of GEMMs, one of whose factors is a reshape of an argument. It is
// rounded before it is reshaped.

// CHECK-LABEL: ingot.entry @step
// CHECK: host.launch @batch_rounded ins(%{{.*}} : tensor<512x128xf32>)
// CHECK: host.launch @batch_rounded_0 ins(%{{.*}} : tensor<4x128x128xf32>)
// CHECK: host.launch @batch ins(%{{.*}}, %{{.*}} : tensor<512x128xbf16>, tensor<4x128x128xbf16>)
// CHECK-LABEL: func.func private @batch(
// CHECK:         %[[A:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [4, 128, 128] : tensor<512x128xbf16> into tensor<4x128x128xbf16>
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<4x128x128xbf16>, tensor<4x128x128xbf16>)
ingot.entry @step role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<512x128xf32>, %w: tensor<4x128x128xf32>):
  %e = tensor.empty() : tensor<4x128x128xf32>
  %y = host.launch @batch ins(%x, %w : tensor<512x128xf32>, tensor<4x128x128xf32>) outs(%e : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  ingot.return %y : tensor<4x128x128xf32>
}

func.func private @batch(%x: tensor<512x128xf32>, %b: tensor<4x128x128xf32>, %o: tensor<4x128x128xf32>) -> tensor<4x128x128xf32> attributes {host.kernel} {
  %a = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 128, 128] : tensor<512x128xf32> into tensor<4x128x128xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(g, m, n, k) -> (g, m, k)>, affine_map<(g, m, n, k) -> (g, k, n)>, affine_map<(g, m, n, k) -> (g, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<4x128x128xf32>, tensor<4x128x128xf32>) outs(%o : tensor<4x128x128xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x128x128xf32>
  return %y : tensor<4x128x128xf32>
}

// -----

// Not rounded: a small GEMM, a narrow one, one whose rows are no multiple of 16
// bytes, one of dynamic size, one whose result is reduced in the same kernel,
// and one that reads its own destination as a factor.

// CHECK-LABEL: ingot.entry @step
// CHECK-NOT: _rounded
ingot.entry @step role(step) feeds ["a:0", "b:0", "c:0", "d:0", "s:0"] fetches [] variables [] updates [] {
^bb0(%a: tensor<127x128xf32>, %b: tensor<1024x64xf32>, %c: tensor<132x132xf32>, %d: tensor<?x256xf32>, %s: tensor<256x256xf32>):
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<127x127xf32>
  %0 = host.launch @small ins(%a : tensor<127x128xf32>) outs(%e : tensor<127x127xf32>) -> tensor<127x127xf32>
  %f = tensor.empty() : tensor<1024x1024xf32>
  %1 = host.launch @short ins(%b : tensor<1024x64xf32>) outs(%f : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %g = tensor.empty() : tensor<132x132xf32>
  %2 = host.launch @odd ins(%c : tensor<132x132xf32>) outs(%g : tensor<132x132xf32>) -> tensor<132x132xf32>
  %n = tensor.dim %d, %c0 : tensor<?x256xf32>
  %h = tensor.empty(%n, %n) : tensor<?x?xf32>
  %3 = host.launch @unknown ins(%d : tensor<?x256xf32>) outs(%h : tensor<?x?xf32>) -> tensor<?x?xf32>
  %i = tensor.empty() : tensor<256xf32>
  %4 = host.launch @sums ins(%s : tensor<256x256xf32>) outs(%i : tensor<256xf32>) -> tensor<256xf32>
  %5 = host.launch @own ins(%s : tensor<256x256xf32>) outs(%s : tensor<256x256xf32>) -> tensor<256x256xf32>
  ingot.return
}

func.func private @small(%a: tensor<127x128xf32>, %o: tensor<127x127xf32>) -> tensor<127x127xf32> attributes {host.kernel} {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %a : tensor<127x128xf32>, tensor<127x128xf32>) outs(%o : tensor<127x127xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<127x127xf32>
  return %y : tensor<127x127xf32>
}

func.func private @short(%a: tensor<1024x64xf32>, %o: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> attributes {host.kernel} {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %a : tensor<1024x64xf32>, tensor<1024x64xf32>) outs(%o : tensor<1024x1024xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

func.func private @odd(%a: tensor<132x132xf32>, %o: tensor<132x132xf32>) -> tensor<132x132xf32> attributes {host.kernel} {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %a : tensor<132x132xf32>, tensor<132x132xf32>) outs(%o : tensor<132x132xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<132x132xf32>
  return %y : tensor<132x132xf32>
}

func.func private @unknown(%a: tensor<?x256xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {host.kernel} {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %a : tensor<?x256xf32>, tensor<?x256xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func private @sums(%a: tensor<256x256xf32>, %o: tensor<256xf32>) -> tensor<256xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %a : tensor<256x256xf32>, tensor<256x256xf32>) outs(%f : tensor<256x256xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<256x256xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<256x256xf32>) outs(%o : tensor<256xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<256xf32>
  return %s : tensor<256xf32>
}

func.func private @own(%a: tensor<256x256xf32>, %o: tensor<256x256xf32>) -> tensor<256x256xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %o : tensor<256x256xf32>, tensor<256x256xf32>) outs(%f : tensor<256x256xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<256x256xf32>
  return %y : tensor<256x256xf32>
}
