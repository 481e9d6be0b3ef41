// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -ingot-infer-shapes | FileCheck %s --check-prefix=INFER

// CHECK-LABEL: @bessel
func.func @bessel(%x: tensor<4x?xf32>, %h: tensor<3xf16>, %d: tensor<2xf64>) {
  // CHECK: ingot.bessel_i0 %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
  %0 = ingot.bessel_i0 %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  // CHECK: ingot.bessel_i1 %{{.*}} : (tensor<3xf16>) -> tensor<3xf16>
  %1 = ingot.bessel_i1 %h : (tensor<3xf16>) -> tensor<3xf16>
  // CHECK: ingot.bessel_j0 %{{.*}} : (tensor<2xf64>) -> tensor<2xf64>
  %2 = ingot.bessel_j0 %d : (tensor<2xf64>) -> tensor<2xf64>
  // CHECK: ingot.bessel_j1 %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
  %3 = ingot.bessel_j1 %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  // CHECK: ingot.bessel_k0 %{{.*}} : (tensor<3xf16>) -> tensor<3xf16>
  %4 = ingot.bessel_k0 %h : (tensor<3xf16>) -> tensor<3xf16>
  // CHECK: ingot.bessel_k0e %{{.*}} : (tensor<2xf64>) -> tensor<2xf64>
  %5 = ingot.bessel_k0e %d : (tensor<2xf64>) -> tensor<2xf64>
  // CHECK: ingot.bessel_k1 %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
  %6 = ingot.bessel_k1 %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  // CHECK: ingot.bessel_k1e %{{.*}} : (tensor<3xf16>) -> tensor<3xf16>
  %7 = ingot.bessel_k1e %h : (tensor<3xf16>) -> tensor<3xf16>
  // CHECK: ingot.bessel_y0 %{{.*}} : (tensor<2xf64>) -> tensor<2xf64>
  %8 = ingot.bessel_y0 %d : (tensor<2xf64>) -> tensor<2xf64>
  // CHECK: ingot.bessel_y1 %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
  %9 = ingot.bessel_y1 %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: @integrals
func.func @integrals(%x: tensor<4x?xf32>, %d: tensor<2xf64>) {
  // CHECK: ingot.dawsn %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
  %0 = ingot.dawsn %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  // CHECK: ingot.expint %{{.*}} : (tensor<2xf64>) -> tensor<2xf64>
  %1 = ingot.expint %d : (tensor<2xf64>) -> tensor<2xf64>
  // CHECK: ingot.fresnel_cos %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
  %2 = ingot.fresnel_cos %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  // CHECK: ingot.fresnel_sin %{{.*}} : (tensor<2xf64>) -> tensor<2xf64>
  %3 = ingot.fresnel_sin %d : (tensor<2xf64>) -> tensor<2xf64>
  // CHECK: ingot.spence %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
  %4 = ingot.spence %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: @of_two_operands
func.func @of_two_operands(%a: tensor<4x1xf32>, %x: tensor<?xf32>) {
  // CHECK: ingot.igamma %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  %0 = ingot.igamma %a, %x : (tensor<4x1xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  // CHECK: ingot.igammac %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  %1 = ingot.igammac %a, %x : (tensor<4x1xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  // CHECK: ingot.igamma_grad_a %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  %2 = ingot.igamma_grad_a %a, %x : (tensor<4x1xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  // CHECK: ingot.polygamma %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  %3 = ingot.polygamma %a, %x : (tensor<4x1xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  // CHECK: ingot.zeta %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  %4 = ingot.zeta %a, %x : (tensor<4x1xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: @betainc
// INFER-LABEL: @betainc
func.func @betainc(%a: tensor<4x?xf64>, %b: tensor<f64>, %x: tensor<?x3xf64>, %u: tensor<*xf64>) -> (tensor<?x?xf64>, tensor<*xf64>) {
  // CHECK: ingot.betainc
  // INFER: ingot.betainc {{.*}} -> tensor<4x3xf64>
  %0 = ingot.betainc %a, %b, %x : (tensor<4x?xf64>, tensor<f64>, tensor<?x3xf64>) -> tensor<?x?xf64>
  // INFER: ingot.betainc {{.*}} -> tensor<*xf64>
  %1 = ingot.betainc %u, %b, %b : (tensor<*xf64>, tensor<f64>, tensor<f64>) -> tensor<*xf64>
  return %0, %1 : tensor<?x?xf64>, tensor<*xf64>
}
