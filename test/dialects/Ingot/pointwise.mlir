// SPDX-License-Identifier: Apache-2.0
// Functions of elements read back as they were written.
// RUN: ingot-opt %s | ingot-opt | FileCheck %s
// RUN: ingot-opt %s -mlir-print-op-generic | ingot-opt | FileCheck %s

// CHECK-LABEL: @functions
func.func @functions(%f32: tensor<4xf32>, %i32: tensor<?x4xi32>) {
  // CHECK: ingot.ones_like %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = ingot.ones_like %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.reciprocal %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ingot.reciprocal %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.lgamma %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %lgamma = ingot.lgamma %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.digamma %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %digamma = ingot.digamma %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.bessel_i0e %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %bessel_i0e = ingot.bessel_i0e %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.bessel_i1e %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %bessel_i1e = ingot.bessel_i1e %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.rsqrt %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = ingot.rsqrt %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.expm1 %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = ingot.expm1 %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.log1p %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = ingot.log1p %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.sin %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = ingot.sin %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.cos %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = ingot.cos %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.tan %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %7 = ingot.tan %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.asin %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %8 = ingot.asin %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.acos %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %9 = ingot.acos %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.atan %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %10 = ingot.atan %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.sinh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %11 = ingot.sinh %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.cosh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %12 = ingot.cosh %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.asinh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %13 = ingot.asinh %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.acosh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %14 = ingot.acosh %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.atanh %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %15 = ingot.atanh %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.erf %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %16 = ingot.erf %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.erfc %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %17 = ingot.erfc %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.floor %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %18 = ingot.floor %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.ceil %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %19 = ingot.ceil %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.round %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %20 = ingot.round %f32 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: ingot.invert %{{.*}} : (tensor<?x4xi32>) -> tensor<?x4xi32>
  %21 = ingot.invert %i32 : (tensor<?x4xi32>) -> tensor<?x4xi32>
  // CHECK: ingot.is_nan %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %22 = ingot.is_nan %f32 : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: ingot.is_inf %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %23 = ingot.is_inf %f32 : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: ingot.is_finite %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %24 = ingot.is_finite %f32 : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: ingot.bitcast %{{.*}} {dst = i16} : (tensor<4xf32>) -> tensor<4x2xi16>
  %25 = ingot.bitcast %f32 {dst = i16} : (tensor<4xf32>) -> tensor<4x2xi16>
  // CHECK: ingot.bitcast %{{.*}} {dst = f32} : (tensor<?x4xi32>) -> tensor<?x4xf32>
  %26 = ingot.bitcast %i32 {dst = f32} : (tensor<?x4xi32>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: @functions_of_two
func.func @functions_of_two(%f32: tensor<4xf32>, %g32: tensor<?x1xf32>, %i32: tensor<4xi32>, %j32: tensor<?x1xi32>) {
  // CHECK: ingot.pow %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %0 = ingot.pow %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.truncate_div %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %1 = ingot.truncate_div %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.floor_div %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %2 = ingot.floor_div %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.truncate_mod %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %3 = ingot.truncate_mod %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.floor_mod %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %4 = ingot.floor_mod %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.atan2 %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %5 = ingot.atan2 %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.mul_no_nan %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %6 = ingot.mul_no_nan %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.xdivy %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %7 = ingot.xdivy %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.xlogy %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %8 = ingot.xlogy %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.xlog1py %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %9 = ingot.xlog1py %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.next_after %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  %10 = ingot.next_after %f32, %g32 : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.bitwise_and %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<?x1xi32>) -> tensor<?x4xi32>
  %11 = ingot.bitwise_and %i32, %j32 : (tensor<4xi32>, tensor<?x1xi32>) -> tensor<?x4xi32>
  // CHECK: ingot.bitwise_or %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<?x1xi32>) -> tensor<?x4xi32>
  %12 = ingot.bitwise_or %i32, %j32 : (tensor<4xi32>, tensor<?x1xi32>) -> tensor<?x4xi32>
  // CHECK: ingot.bitwise_xor %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<?x1xi32>) -> tensor<?x4xi32>
  %13 = ingot.bitwise_xor %i32, %j32 : (tensor<4xi32>, tensor<?x1xi32>) -> tensor<?x4xi32>
  // CHECK: ingot.left_shift %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<?x1xi32>) -> tensor<?x4xi32>
  %14 = ingot.left_shift %i32, %j32 : (tensor<4xi32>, tensor<?x1xi32>) -> tensor<?x4xi32>
  // CHECK: ingot.right_shift %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<?x1xi32>) -> tensor<?x4xi32>
  %15 = ingot.right_shift %i32, %j32 : (tensor<4xi32>, tensor<?x1xi32>) -> tensor<?x4xi32>
  // CHECK: ingot.approximate_equal %{{.*}}, %{{.*}} {tolerance = 1.000000e-03 : f32} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xi1>
  %16 = ingot.approximate_equal %f32, %g32 {tolerance = 1.000000e-03 : f32} : (tensor<4xf32>, tensor<?x1xf32>) -> tensor<?x4xi1>
  return
}

// CHECK-LABEL: @fake_quant
func.func @fake_quant(%x: tensor<?x3xf32>, %min: tensor<3xf32>, %max: tensor<3xf32>) {
  // CHECK: ingot.fake_quant %{{.*}} {kind = "channels", num_bits = 4 : i64} : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %0 = ingot.fake_quant %x, %min, %max {kind = "channels", num_bits = 4 : i64} : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return
}
