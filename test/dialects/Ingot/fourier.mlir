// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -ingot-infer-shapes | FileCheck %s --check-prefix=INFER

// CHECK-LABEL: @transforms
func.func @transforms(%x: tensor<2x3x4x5xcomplex<f32>>, %y: tensor<?x8xcomplex<f64>>) {
  // CHECK: ingot.fft %{{.*}} : (tensor<?x8xcomplex<f64>>) -> tensor<?x8xcomplex<f64>>
  %0 = ingot.fft %y : (tensor<?x8xcomplex<f64>>) -> tensor<?x8xcomplex<f64>>
  // CHECK: ingot.ifft %{{.*}} : (tensor<?x8xcomplex<f64>>) -> tensor<?x8xcomplex<f64>>
  %1 = ingot.ifft %y : (tensor<?x8xcomplex<f64>>) -> tensor<?x8xcomplex<f64>>
  // CHECK: ingot.fft2d
  %2 = ingot.fft2d %x : (tensor<2x3x4x5xcomplex<f32>>) -> tensor<2x3x4x5xcomplex<f32>>
  // CHECK: ingot.ifft2d
  %3 = ingot.ifft2d %x : (tensor<2x3x4x5xcomplex<f32>>) -> tensor<2x3x4x5xcomplex<f32>>
  // CHECK: ingot.fft3d
  %4 = ingot.fft3d %x : (tensor<2x3x4x5xcomplex<f32>>) -> tensor<2x3x4x5xcomplex<f32>>
  // CHECK: ingot.ifft3d
  %5 = ingot.ifft3d %x : (tensor<2x3x4x5xcomplex<f32>>) -> tensor<2x3x4x5xcomplex<f32>>
  return
}

// The result has half the spectrum of the lengths, and the numbers as many as these say.
// INFER-LABEL: ingot.entry @spectra
ingot.entry @spectra role(other) feeds ["x:0", "y:0", "n:0"] fetches ["a:0", "b:0", "c:0", "d:0"] variables [] updates [] {
^bb0(%x: tensor<?x9x9x9xf32>, %y: tensor<?x9x9x9xcomplex<f64>>, %n: tensor<1xi32>):
  %one = ingot.constant dense<8> : tensor<1xi32>
  %two = ingot.constant dense<[7, 8]> : tensor<2xi32>
  %three = ingot.constant dense<[7, 9, 8]> : tensor<3xi32>
  // INFER: ingot.rfft %{{.*}} -> tensor<?x9x9x5xcomplex<f32>>
  %0 = ingot.rfft %x, %one : (tensor<?x9x9x9xf32>, tensor<1xi32>) -> tensor<*xcomplex<f32>>
  // INFER: ingot.rfft2d %{{.*}} -> tensor<?x9x7x5xcomplex<f32>>
  %1 = ingot.rfft2d %x, %two : (tensor<?x9x9x9xf32>, tensor<2xi32>) -> tensor<*xcomplex<f32>>
  // INFER: ingot.rfft3d %{{.*}} -> tensor<?x7x9x5xcomplex<f32>>
  %2 = ingot.rfft3d %x, %three : (tensor<?x9x9x9xf32>, tensor<3xi32>) -> tensor<*xcomplex<f32>>
  // INFER: ingot.irfft %{{.*}} -> tensor<?x9x9x8xf64>
  %3 = ingot.irfft %y, %one : (tensor<?x9x9x9xcomplex<f64>>, tensor<1xi32>) -> tensor<*xf64>
  // INFER: ingot.irfft2d %{{.*}} -> tensor<?x9x7x8xf64>
  %4 = ingot.irfft2d %y, %two : (tensor<?x9x9x9xcomplex<f64>>, tensor<2xi32>) -> tensor<*xf64>
  // INFER: ingot.irfft3d %{{.*}} -> tensor<?x7x9x8xf64>
  %5 = ingot.irfft3d %y, %three : (tensor<?x9x9x9xcomplex<f64>>, tensor<3xi32>) -> tensor<*xf64>
  // INFER: ingot.rfft %{{.*}} -> tensor<?x9x9x?xcomplex<f32>>
  %6 = ingot.rfft %x, %n : (tensor<?x9x9x9xf32>, tensor<1xi32>) -> tensor<*xcomplex<f32>>
  ingot.return %0, %3, %4, %6 : tensor<*xcomplex<f32>>, tensor<*xf64>, tensor<*xf64>, tensor<*xcomplex<f32>>
}
