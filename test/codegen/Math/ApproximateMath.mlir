// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-approximate-math | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: ingot-opt %s --ingot-approximate-math=fma=false | FileCheck %s --check-prefixes=CHECK,SPLIT

// Functions of floats become polynomials; without an instruction for it no
// multiply-add stays, which would be a call of the C library for each number.

// CHECK-LABEL: func.func @exp
func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK-NOT: math.exp %
  // FMA: math.fma
  // SPLIT-NOT: math.fma
  // SPLIT: arith.mulf
  %y = math.exp %x : vector<8xf32>
  return %y : vector<8xf32>
}

// The exponential in erf is a polynomial, too: no call is left.

// CHECK-LABEL: func.func @erf
func.func @erf(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK-NOT: math.erf %
  // CHECK-NOT: math.exp %
  // CHECK-NOT: f64
  // CHECK: math.copysign
  // CHECK: arith.select
  %y = math.erf %x : vector<8xf32>
  return %y : vector<8xf32>
}

// With FMA, sums and products of floats carry their rounding errors; without it
// they are computed in doubles.

// CHECK-LABEL: func.func @erfc
func.func @erfc(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK-NOT: math.erfc %
  // FMA-NOT: f64
  // FMA: arith.divf
  // FMA-NOT: {{f64|arith.divf}}
  // FMA: arith.shli
  // FMA: arith.cmpf uno
  // SPLIT: arith.extf
  // CHECK: return
  %y = math.erfc %x : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func.func @tanh
func.func @tanh(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK-NOT: math.tanh %
  // CHECK-NOT: math.exp %
  // CHECK-NOT: f64
  // CHECK: arith.divf
  // CHECK: math.copysign
  // CHECK: arith.select
  %y = math.tanh %x : vector<8xf32>
  return %y : vector<8xf32>
}

// A sigmoid is one quotient, by a sum that is rounded once.

// CHECK-LABEL: func.func @sigmoid
func.func @sigmoid(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK-NOT: math.exp %
  // CHECK: %[[HALF:.*]] = arith.constant dense<5.000000e-01>
  // CHECK: arith.divf %[[HALF]]
  // CHECK-NOT: arith.divf
  // CHECK: return
  %one = arith.constant dense<1.0> : vector<8xf32>
  %e = math.exp %x : vector<8xf32>
  %sum = arith.addf %e, %one : vector<8xf32>
  %y = arith.divf %one, %sum : vector<8xf32>
  return %y : vector<8xf32>
}

// Rare functions are computed in doubles, and rounded once.

// CHECK-LABEL: func.func @power(
// CHECK-COUNT-2: arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK: arith.truncf %{{.*}} : vector<8xf64> to vector<8xf32>
// CHECK-NOT: arith.truncf
func.func @power(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = math.powf %x, %y : vector<8xf32>
  return %0 : vector<8xf32>
}

// Doubles, by themselves as in vectors.

// CHECK-LABEL: func.func @double(
// CHECK: arith.bitcast %{{.*}} : f64 to i64
func.func @double(%x: f64) -> f64 {
  %0 = math.log %x : f64
  return %0 : f64
}

// Large numbers are reduced with the digits of 2 / pi that their exponents need
// (Payne and Hanek), only if a lane has one; others with three doubles, on
// vectors.

// CHECK-LABEL: func.func @sine(
// CHECK: arith.extf
// CHECK: math.roundeven %{{.*}} : vector<8xf64>
// CHECK: %[[ANY:.*]] = vector.reduction <or>
// CHECK: scf.if %[[ANY]]
// CHECK: scf.for
// CHECK: scf.if
// CHECK: arith.mului_extended %{{.*}} : i64
// CHECK: arith.truncf
func.func @sine(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.sin %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// A product whose error counts has its error computed where no instruction
// tells it: by halves of its factors.

// CHECK-LABEL: func.func @exact(
// SPLIT: arith.constant 0x41A0000002000000 : f64
func.func @exact(%x: f64, %y: f64) -> f64 {
  %0 = math.powf %x, %y : f64
  return %0 : f64
}

// Nothing is left to a library.

// CHECK-LABEL: func.func @all(
// CHECK-NOT: math.{{(acos|acosh|asin|asinh|atan|atan2|atanh|cos|cosh|erf|erfc|exp|expm1|log|log1p|powf|sin|sinh|tan|tanh) }}
// SPLIT-NOT: math.fma
// CHECK: return
func.func @all(%x: vector<4xf64>, %y: vector<4xf64>) -> vector<4xf64> {
  %0 = math.sin %x : vector<4xf64>
  %1 = math.cos %0 : vector<4xf64>
  %2 = math.tan %1 : vector<4xf64>
  %3 = math.asin %2 : vector<4xf64>
  %4 = math.acos %3 : vector<4xf64>
  %5 = math.atan %4 : vector<4xf64>
  %6 = math.atan2 %5, %y : vector<4xf64>
  %7 = math.sinh %6 : vector<4xf64>
  %8 = math.cosh %7 : vector<4xf64>
  %9 = math.asinh %8 : vector<4xf64>
  %10 = math.acosh %9 : vector<4xf64>
  %11 = math.atanh %10 : vector<4xf64>
  %12 = math.erf %11 : vector<4xf64>
  %13 = math.erfc %12 : vector<4xf64>
  %14 = math.powf %13, %y : vector<4xf64>
  %15 = math.expm1 %14 : vector<4xf64>
  %16 = math.log1p %15 : vector<4xf64>
  %17 = math.tanh %16 : vector<4xf64>
  %18 = math.exp %17 : vector<4xf64>
  %19 = math.log %18 : vector<4xf64>
  return %19 : vector<4xf64>
}
