// SPDX-License-Identifier: Apache-2.0
// Elementwise ops of constants become constants, in the operands' precision.
// Floats beyond those computed by hand come from TensorFlow 2.15.
// RUN: ingot-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @arithmetic
// CHECK-DAG: %[[ADD:.*]] = ingot.constant dense<[5.000000e+00, 1.000000e+00]>
// CHECK-DAG: %[[SUB:.*]] = ingot.constant dense<[-3.000000e+00, 3.000000e+00]>
// CHECK-DAG: %[[MUL:.*]] = ingot.constant dense<[4.000000e+00, -2.000000e+00]>
// CHECK-DAG: %[[DIV:.*]] = ingot.constant dense<[2.500000e-01, -2.000000e+00]>
// CHECK-DAG: %[[SQD:.*]] = ingot.constant dense<9.000000e+00> : tensor<2xf32>
// CHECK: return %[[ADD]], %[[SUB]], %[[MUL]], %[[DIV]], %[[SQD]]
func.func @arithmetic() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %a = ingot.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = ingot.constant dense<[4.0, -1.0]> : tensor<2xf32>
  %0 = ingot.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = ingot.sub %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = ingot.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = ingot.real_div %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = ingot.squared_difference %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// 2^24 + 1 is no float32: the sum is rounded in float32, and not in float64.
// CHECK-LABEL: @float32_rounds
// CHECK-DAG: %[[F:.*]] = ingot.constant dense<0x4B800000> : tensor<f32>
// CHECK-DAG: %[[D:.*]] = ingot.constant dense<0x4170000010000000> : tensor<f64>
// CHECK: return %[[F]], %[[D]]
func.func @float32_rounds() -> (tensor<f32>, tensor<f64>) {
  %a = ingot.constant dense<16777216.0> : tensor<f32>
  %one = ingot.constant dense<1.0> : tensor<f32>
  %0 = ingot.add %a, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c = ingot.constant dense<16777216.0> : tensor<f64>
  %d = ingot.constant dense<1.0> : tensor<f64>
  %1 = ingot.add %c, %d : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0, %1 : tensor<f32>, tensor<f64>
}

// [2, 1] against [3] is [2, 3].
// CHECK-LABEL: @broadcasting
// CHECK{LITERAL}: ingot.constant dense<[[11, 12, 13], [21, 22, 23]]> : tensor<2x3xi32>
func.func @broadcasting() -> tensor<2x3xi32> {
  %a = ingot.constant dense<[[10], [20]]> : tensor<2x1xi32>
  %b = ingot.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = ingot.add %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// A dimension of 0 broadcasts against 1 to nothing.
// CHECK-LABEL: @broadcasting_to_nothing
// CHECK: ingot.constant dense<> : tensor<0xf32>
func.func @broadcasting_to_nothing() -> tensor<0xf32> {
  %a = ingot.constant dense<> : tensor<0xf32>
  %b = ingot.constant dense<[1.0]> : tensor<1xf32>
  %0 = ingot.add %a, %b : (tensor<0xf32>, tensor<1xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// CHECK-LABEL: @div_no_nan
// CHECK: ingot.constant dense<[5.000000e-01, 0.000000e+00, 0.000000e+00]>
func.func @div_no_nan() -> tensor<3xf32> {
  %a = ingot.constant dense<[1.0, 7.0, 0x7FC00000]> : tensor<3xf32>
  %b = ingot.constant dense<[2.0, 0.0, -0.0]> : tensor<3xf32>
  %0 = ingot.div_no_nan %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A NaN wins; of equals the first (TensorFlow: max(-0, 0) is -0).
// CHECK-LABEL: @extremes
// CHECK-DAG: %[[MAX:.*]] = ingot.constant dense<[0x7FC00000, 0x7FC00000, -0.000000e+00, 3.000000e+00]>
// CHECK-DAG: %[[MIN:.*]] = ingot.constant dense<[0x7FC00000, 0x7FC00000, -0.000000e+00, 2.000000e+00]>
// CHECK-DAG: %[[INT:.*]] = ingot.constant dense<[-1, 4]> : tensor<2xi32>
// CHECK-DAG: %[[UINT:.*]] = ingot.constant dense<[255, 4]> : tensor<2xui8>
// CHECK: return %[[MAX]], %[[MIN]], %[[INT]], %[[UINT]]
func.func @extremes() -> (tensor<4xf32>, tensor<4xf32>, tensor<2xi32>, tensor<2xui8>) {
  %a = ingot.constant dense<[0x7FC00000, 1.0, -0.0, 3.0]> : tensor<4xf32>
  %b = ingot.constant dense<[1.0, 0x7FC00000, 0.0, 2.0]> : tensor<4xf32>
  %0 = ingot.maximum %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ingot.minimum %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = ingot.constant dense<[-1, 4]> : tensor<2xi32>
  %d = ingot.constant dense<[-2, 3]> : tensor<2xi32>
  %2 = ingot.maximum %c, %d : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %e = ingot.constant dense<[255, 4]> : tensor<2xui8>
  %f = ingot.constant dense<[1, 3]> : tensor<2xui8>
  %3 = ingot.maximum %e, %f : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<2xi32>, tensor<2xui8>
}

// CHECK-LABEL: @unary
// CHECK-DAG: %[[ABS:.*]] = ingot.constant dense<[2.000000e+00, 0.000000e+00, 3.000000e+00]>
// CHECK-DAG: %[[NEG:.*]] = ingot.constant dense<[2.000000e+00, 0.000000e+00, -3.000000e+00]>
// CHECK-DAG: %[[SIGN:.*]] = ingot.constant dense<[-1.000000e+00, 0.000000e+00, 1.000000e+00]>
// CHECK-DAG: %[[SQUARE:.*]] = ingot.constant dense<[4.000000e+00, 0.000000e+00, 9.000000e+00]>
// CHECK-DAG: %[[RELU:.*]] = ingot.constant dense<[0.000000e+00, -0.000000e+00, 3.000000e+00]>
// CHECK: return %[[ABS]], %[[NEG]], %[[SIGN]], %[[SQUARE]], %[[RELU]]
func.func @unary() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = ingot.constant dense<[-2.0, -0.0, 3.0]> : tensor<3xf32>
  %0 = ingot.abs %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = ingot.neg %x : (tensor<3xf32>) -> tensor<3xf32>
  %2 = ingot.sign %x : (tensor<3xf32>) -> tensor<3xf32>
  %3 = ingot.square %x : (tensor<3xf32>) -> tensor<3xf32>
  %4 = ingot.relu %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Bit patterns that TensorFlow gives for 0.5 and 2: exp 1.6487213 7.389056,
// log -0.6931472 0.6931472, tanh 0.46211717 0.9640276.
// CHECK-LABEL: @transcendental
// CHECK-DAG: %[[EXP:.*]] = ingot.constant dense<[1.64872122, 7.3890562]>
// CHECK-DAG: %[[LOG:.*]] = ingot.constant dense<[-0.693147182, 0.693147182]>
// CHECK-DAG: %[[TANH:.*]] = ingot.constant dense<[0.462117165, 0.964027583]>
// CHECK-DAG: %[[SQRT:.*]] = ingot.constant dense<[0.707106769, 1.41421354]>
// CHECK: return %[[EXP]], %[[LOG]], %[[TANH]], %[[SQRT]]
func.func @transcendental() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = ingot.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %0 = ingot.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = ingot.log %x : (tensor<2xf32>) -> tensor<2xf32>
  %2 = ingot.tanh %x : (tensor<2xf32>) -> tensor<2xf32>
  %3 = ingot.sqrt %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @integers
// CHECK-DAG: %[[ABS:.*]] = ingot.constant dense<[5, -128]> : tensor<2xi8>
// CHECK-DAG: %[[SUM:.*]] = ingot.constant dense<[-10, 0]> : tensor<2xi8>
// CHECK-DAG: %[[SIGN:.*]] = ingot.constant dense<-1> : tensor<2xi8>
// CHECK-DAG: %[[RELU:.*]] = ingot.constant dense<0> : tensor<2xi8>
// CHECK: return %[[ABS]], %[[SUM]], %[[SIGN]], %[[RELU]]
func.func @integers() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) {
  %x = ingot.constant dense<[-5, -128]> : tensor<2xi8>
  %0 = ingot.abs %x : (tensor<2xi8>) -> tensor<2xi8>
  %1 = ingot.add %x, %x : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %2 = ingot.sign %x : (tensor<2xi8>) -> tensor<2xi8>
  %3 = ingot.relu %x : (tensor<2xi8>) -> tensor<2xi8>
  return %0, %1, %2, %3 : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>
}

// CHECK-LABEL: @relu_grad
// CHECK: ingot.constant dense<[0.000000e+00, 0.000000e+00, 7.000000e+00]>
func.func @relu_grad() -> tensor<3xf32> {
  %g = ingot.constant dense<[5.0, 6.0, 7.0]> : tensor<3xf32>
  %x = ingot.constant dense<[-1.0, 0.0, 0.5]> : tensor<3xf32>
  %0 = ingot.relu_grad %g, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @logic
// CHECK-DAG: %[[AND:.*]] = ingot.constant dense<[true, false, false, false]>
// CHECK-DAG: %[[OR:.*]] = ingot.constant dense<[true, true, true, false]>
// CHECK-DAG: %[[NOT:.*]] = ingot.constant dense<[false, false, true, true]>
// CHECK: return %[[AND]], %[[OR]], %[[NOT]]
func.func @logic() -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %a = ingot.constant dense<[true, true, false, false]> : tensor<4xi1>
  %b = ingot.constant dense<[true, false, true, false]> : tensor<4xi1>
  %0 = ingot.logical_and %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = ingot.logical_or %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %2 = ingot.logical_not %a : (tensor<4xi1>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// Summed from the first to the last: (1e8 + -1e8) + 1 is 1; from the last to
// the first it would be 0.
// CHECK-LABEL: @add_n
// CHECK: ingot.constant dense<1.000000e+00> : tensor<f32>
func.func @add_n() -> tensor<f32> {
  %a = ingot.constant dense<1.0e8> : tensor<f32>
  %b = ingot.constant dense<-1.0e8> : tensor<f32>
  %c = ingot.constant dense<1.0> : tensor<f32>
  %0 = ingot.add_n %a, %b, %c : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// A million elements are computed where all are the same, and else left to
// the compiled program.
// CHECK-LABEL: @size_limit
// CHECK-DAG: %[[SPLAT:.*]] = ingot.constant dense<3.000000e+00> : tensor<1000x1000xf32>
// CHECK-DAG: %[[TILE:.*]] = ingot.tile
// CHECK: return %[[SPLAT]], %[[TILE]]
func.func @size_limit() -> (tensor<1000x1000xf32>, tensor<1000x1000xf32>) {
  %a = ingot.constant dense<1.0> : tensor<1000x1000xf32>
  %b = ingot.constant dense<2.0> : tensor<f32>
  %0 = ingot.add %a, %b : (tensor<1000x1000xf32>, tensor<f32>) -> tensor<1000x1000xf32>
  %c = ingot.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %dims = ingot.constant dense<[500, 1000]> : tensor<2xi32>
  %1 = ingot.tile %c, %dims : (tensor<2x1xf32>, tensor<2xi32>) -> tensor<1000x1000xf32>
  return %0, %1 : tensor<1000x1000xf32>, tensor<1000x1000xf32>
}
