// SPDX-License-Identifier: Apache-2.0
// Pointwise functions, in every element type and for dynamic shapes.
// RUN: ingot-opt %s -ingot-lower-to-storage-types -ingot-lower-to-linalg -split-input-file | FileCheck %s

// A small float is computed in f32 and rounded once.
// CHECK-LABEL: func.func private @half
// CHECK: ^bb0(%[[X:.*]]: f16, %{{.*}}: f16):
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK: math.exp %{{.*}} : f32
// CHECK: %[[ROUNDED:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK: linalg.yield %[[ROUNDED]] : f16
func.func private @half(%x: tensor<4xf16>, %o: tensor<4xf16>) -> tensor<4xf16> attributes {host.kernel} {
  %0 = ingot.sigmoid %x : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// Unsigned integers are stored signless; their ops keep the signedness.
// CHECK-LABEL: func.func private @unsigned
// CHECK-SAME: tensor<4xi8>
// CHECK: arith.divui
// CHECK: arith.maxui
// CHECK: arith.cmpi ult
// CHECK: arith.uitofp
func.func private @unsigned(%x: tensor<4xui8>, %y: tensor<4xui8>, %o: tensor<4xi1>, %p: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xf32>) attributes {host.kernel} {
  %0 = ingot.floor_div %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %1 = ingot.maximum %0, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %2 = ingot.less %1, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  %3 = ingot.cast %1 {dst = f32} : (tensor<4xui8>) -> tensor<4xf32>
  return %2, %3 : tensor<4xi1>, tensor<4xf32>
}

// -----

// No integer division traps: the divisor is 1 if it is 0 or would overflow.
// CHECK-LABEL: func.func private @divisor
// CHECK: %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[Y:.*]] : i32
// CHECK: arith.divsi %{{.*}}, %[[SAFE]] : i32
func.func private @divisor(%x: tensor<4xi32>, %y: tensor<4xi32>, %o: tensor<4xi32>) -> tensor<4xi32> attributes {host.kernel} {
  %0 = ingot.truncate_div %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// A dynamic dimension takes its size from an operand.
// CHECK-LABEL: func.func private @open
// CHECK: %[[SIZE:.*]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x3xf32>
// CHECK: tensor.empty(%[[SIZE]]) : tensor<?x3xf32>
func.func private @open(%y: tensor<?x3xf32>, %g: tensor<3xf32>, %o: tensor<?x3xf32>) -> tensor<?x3xf32> attributes {host.kernel} {
  %0 = ingot.tanh_grad %y, %g : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

// Four bytes make one float, lowest first.
// CHECK-LABEL: func.func private @bytes
// CHECK-COUNT-4: tensor.extract
// CHECK: arith.bitcast %{{.*}} : i32 to f32
func.func private @bytes(%x: tensor<2x4xi8>, %o: tensor<2xf32>) -> tensor<2xf32> attributes {host.kernel} {
  %0 = ingot.bitcast %x {dst = f32} : (tensor<2x4xi8>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// The only element of a scalar is read by all elements of the result.
// CHECK: #[[SCALAR:.*]] = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func private @scalar_bytes
// CHECK: linalg.generic {indexing_maps = [#[[SCALAR]], #{{.*}}], iterator_types = ["parallel"]}
// CHECK: arith.trunci %{{.*}} : i32 to i8
func.func private @scalar_bytes(%x: tensor<f32>, %o: tensor<4xi8>) -> tensor<4xi8> attributes {host.kernel} {
  %0 = ingot.bitcast %x {dst = i8} : (tensor<f32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// CHECK-LABEL: func.func private @scalar_bits
// CHECK: arith.bitcast %{{.*}} : f32 to i32
func.func private @scalar_bits(%x: tensor<f32>, %o: tensor<i32>) -> tensor<i32> attributes {host.kernel} {
  %0 = ingot.bitcast %x {dst = i32} : (tensor<f32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// A small constant power is a product; a computed exponent needs a function.
// CHECK-LABEL: func.func private @powers
// CHECK: ^bb0(%[[X:[^:]*]]: f32,
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK: %[[CUBE:.*]] = arith.mulf %[[SQUARE]], %[[X]] : f32
// CHECK: ^bb0(%[[Y:[^:]*]]: f32,
// CHECK: %[[HALF:.*]] = arith.mulf %[[Y]], %[[Y]] : f32
// CHECK: arith.mulf %[[HALF]], %[[HALF]] : f32
// CHECK: math.powf
// CHECK-NOT: math.powf
func.func private @powers(%x: tensor<4xf32>, %y: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  %three = ingot.constant dense<3.0> : tensor<f32>
  %four = ingot.constant dense<4.0> : tensor<f32>
  %0 = ingot.pow %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = ingot.pow %0, %four : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = ingot.pow %1, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Powers of a half are square roots, except where TensorFlow's power differs:
// for -0 it is 0, for -infinity it is infinite.
// CHECK-LABEL: func.func private @roots
// CHECK-NOT: math.powf
// CHECK: ^bb0(%[[X:[^:]*]]: f32,
// CHECK: %[[ROOT:.*]] = math.sqrt %[[X]] : f32
// CHECK: %[[POSITIVE:.*]] = arith.addf %[[ROOT]], %cst
// CHECK: %[[BELOW:.*]] = arith.cmpf oeq, %[[X]], %cst
// CHECK: %[[RAISED:.*]] = arith.select %[[BELOW]], %cst{{.*}}, %[[POSITIVE]] : f32
// CHECK: arith.divf %cst{{.*}}, %[[RAISED]] : f32
// CHECK: ^bb0(%[[Y:[^:]*]]: f32,
// CHECK-NOT: math.sqrt
// CHECK: arith.divf %cst{{.*}}, %[[Y]] : f32
// CHECK-NOT: math.powf
func.func private @roots(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  %half = ingot.constant dense<-0.5> : tensor<f32>
  %inverse = ingot.constant dense<-1.0> : tensor<f32>
  %0 = ingot.pow %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = ingot.pow %0, %inverse : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
