// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: @parts
func.func @parts(%x: tensor<4xcomplex<f32>>, %y: tensor<2xcomplex<f64>>) {
  // CHECK: ingot.real %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %0 = ingot.real %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: ingot.imag %{{.*}} : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %1 = ingot.imag %y : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  // CHECK: ingot.complex_abs %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = ingot.complex_abs %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: ingot.angle %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %3 = ingot.angle %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: ingot.complex %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  %4 = ingot.complex %0, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  // CHECK: ingot.conj %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %5 = ingot.conj %x : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// FOLD-LABEL: @folds(
// FOLD-SAME: %[[A:[a-z0-9]+]]: tensor<2xf32>, %[[B:[a-z0-9]+]]: tensor<2xf32>, %[[X:[a-z0-9]+]]: tensor<2xcomplex<f32>>)
// FOLD-DAG: %[[NUMBERS:.*]] = ingot.constant dense<[(1.000000e+00,3.000000e+00), (2.000000e+00,4.000000e+00)]>
// FOLD-DAG: %[[IMAG:.*]] = ingot.constant dense<[5.000000e+00, -6.000000e+00]>
// FOLD: return %[[A]], %[[B]], %[[X]], %[[NUMBERS]], %[[IMAG]]
func.func @folds(%a: tensor<2xf32>, %b: tensor<2xf32>, %x: tensor<2xcomplex<f32>>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xf32>) {
  %z = ingot.complex %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  %0 = ingot.real %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %1 = ingot.imag %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %c = ingot.conj %x : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %2 = ingot.conj %c : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %r = ingot.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = ingot.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %3 = ingot.complex %r, %i : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  %n = ingot.constant dense<[(1.0, 5.0), (2.0, -6.0)]> : tensor<2xcomplex<f32>>
  %4 = ingot.imag %n : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xf32>
}
