// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (fourier_c1)
func.func @fourier_c1(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{Input must have rank of at least 2 but has shape [4]}}
  %0 = ingot.fft2d %x : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// (fourier_c1)
func.func @fourier_c1_real(%x: tensor<f32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{Input must have rank of at least 1 but has shape []}}
  %0 = ingot.rfft %x, %n : (tensor<f32>, tensor<1xi32>) -> tensor<complex<f32>>
  return
}

// -----

// (fourier_c2)
func.func @fourier_c2(%x: tensor<4x4xf32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{fft_length must have shape [2], but has shape [1]}}
  %0 = ingot.rfft2d %x, %n : (tensor<4x4xf32>, tensor<1xi32>) -> tensor<4x3xcomplex<f32>>
  return
}

// -----

// (fourier_c3)
func.func @fourier_c3(%x: tensor<4xf32>) {
  %n = ingot.constant dense<-1> : tensor<1xi32>
  // expected-error @+1 {{fft_length[0] must be >= 0, but got: -1}}
  %0 = ingot.rfft %x, %n : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// (fourier_c3)
func.func @fourier_c3_small(%x: tensor<4xcomplex<f32>>) {
  %n = ingot.constant dense<8> : tensor<1xi32>
  // expected-error @+1 {{Input dimension 0 must have length of at least 5 but got: 4}}
  %0 = ingot.irfft %x, %n : (tensor<4xcomplex<f32>>, tensor<1xi32>) -> tensor<8xf32>
  return
}
